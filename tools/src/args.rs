//! The arguments of the command line.

mod input;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use input::{Files, Input, KeyArgs, OrcTypes, Secret, TableArgs, Variants};

/// Inspect, explain, count and scan Parquet and ORC.
#[derive(Debug, Parser)]
#[command(name = "lith", version, about, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Colour the output.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show what a file holds, on one screen: rows, row groups, columns, codecs, sizes, ranges.
    Inspect(Inspect),
    /// Print the schema.
    Schema(Schema),
    /// Print the statistics of each column in each row group: nulls, ranges, sizes.
    Stats(Stats),
    /// Print every page (Parquet) or stride (ORC) of columns: type, offset, sizes, rows, nulls, ranges.
    Pages(Pages),
    /// Print all metadata of files, including indexes and page headers, with the specification's names.
    Meta(Meta),
    /// Print the number of rows, or of those that match a predicate.
    Count(Count),
    /// Print rows.
    Scan(Scan),
    /// Print the first rows.
    Head(Head),
    /// Print the last rows.
    Tail(Head),
    /// Print a random sample of the rows, in their order.
    Sample(Sample),
    /// Explain which partitions, files and row groups a query reads, and why.
    Explain(Explain),
    /// Run a query and show where its time goes, by column and stage.
    Profile(Profile),
    /// Generate ten million orders, write them partitioned, and explain and run five queries.
    Demo(Demo),
}

/// Which rows and columns.
#[derive(Debug, Clone, Default, Args)]
pub struct Query {
    /// Rows to keep: what Spark's df.where("...") takes.
    ///
    /// The meaning is Spark's in ANSI mode with a UTC session. Functions of arrays and maps are supported
    /// (`size(tags)`, `array_contains(items.sku, 's1')`); lambdas, sub-queries, intervals and some functions are not.
    #[arg(
        short = 'w',
        long = "where",
        value_name = "PREDICATE",
        allow_hyphen_values = true
    )]
    pub predicate: Option<String>,
    /// Columns to read, comma separated: names, fields (a.b is a column b), elements and map values
    /// (`tags[0]`, `attrs['k']`); names with other characters in back-quotes.
    ///
    /// `items.price` of an array of structs is the array of prices; the other fields are not read. An array without
    /// the element is an error, as in Spark; `get(tags, 0)` gives null. A part has its last name in the output, or its
    /// path (`-c a.b,c.b`) if another column of the output has that name. A name means the column of exactly that
    /// name, else the only one that differs in case.
    #[arg(short, long, value_name = "COLUMNS")]
    pub columns: Option<String>,
}

/// `lith inspect`
#[derive(Debug, Args)]
#[command(
    after_long_help = "Columns are named by their path, as -c takes it: a.element, m.key, m.value, `a.b`.c. \
Timestamps show their unit and their meaning: UTC (an instant), local (wall clock time without a zone), \
no zone (the same in ORC), int96 (unspecified; most engines take it for an instant). Sizes are those of \
data: pages with their headers, or data streams; those of indexes and Bloom filters stand apart. Streams of ORC's \
lists, maps, structs and unions count in the first column below them; one without columns below, as a struct without \
fields, is a column itself, without a leaf number. Null counts of nested columns include empty and null lists. A file that \
lacks a column counts as null in every row.\n\n\
~ marks a bound that may be inexact, because the writer truncated it or does not state that it is exact; - an unknown \
one. Chunks and stripes whose metadata is broken are reported. _metadata files in directories are skipped.\n\n\
JSON: one object: files, formats, created_by, rows, row_groups, bytes, data_bytes, index_bytes, footer_bytes, \
other_files (those that a _metadata file refers to), \
smallest_row_group and largest_row_group {rows, bytes of data}, sorted_by, keys, partition_columns, \
partitions, encryption [{column, algorithm, key, mask}], warnings, columns [{name, path, type (Spark's), full_type, \
codecs, encodings, compressed_bytes, uncompressed_bytes, index_bytes, null_count, min, min_exact, max, max_exact, \
has_index, has_bloom, bloom_is_trusted, distrust, unread_row_groups, leaf (its number among the columns of values, \
which is that of its chunks in `lith meta`), of Parquet path_in_schema, of ORC type_id}]. Stripes of ORC are \
row_groups. Unknown values are null. An inexact bound may lie outside of the values (~ in text)."
)]
pub struct Inspect {
    /// Where data is.
    #[command(flatten)]
    pub input: Input,
    /// Columns to show, comma separated; a struct, list or map stands for all columns below. Default: the 40 largest.
    #[arg(short, long, value_name = "COLUMNS")]
    pub columns: Option<String>,
    /// Show every column and warning, also where they are too many for a screen.
    #[arg(short, long)]
    pub all: bool,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
}

/// `lith stats`
#[derive(Debug, Args)]
#[command(
    after_long_help = "JSON: stats [{file, row_group, column, leaf (its number), of ORC type_id, type (Spark's), \
full_type, rows, value_count, null_count, nan_count, distinct_count, min, min_exact, max, max_exact, \
compressed_bytes, uncompressed_bytes, index_bytes, distrust}], or {file, row_group, column, leaf, error}. Stripes of \
ORC are row_groups. value_count counts nulls too. Sizes are those of data, of ORC with the lists, maps, structs \
and unions of which it is the first leaf; index_bytes is that of indexes and Bloom filters. Unknown values are null; \
distrust is the reason why stored bounds are not used."
)]
pub struct Stats {
    /// Where data is.
    #[command(flatten)]
    pub input: Input,
    /// Columns to show, comma separated; a struct, list or map stands for all columns below. Default: all.
    #[arg(short, long, value_name = "COLUMNS")]
    pub columns: Option<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
}

/// `lith pages`
#[derive(Debug, Args)]
#[command(
    after_long_help = "For ORC, each line is an entry of the row index, which describes a stride of rows. A ~ marks \
an inexact bound, - an unknown one. What cannot be read is reported, and the rest is shown.\n\n\
JSON: strides [{row_group (of ORC: stripe), column, leaf (its number), of ORC type_id, first_row, rows, values, null_count, min, min_exact, max, \
max_exact, distrust, encoding}], of Parquet also page_type, offset, bytes (with the header), \
compressed_bytes, uncompressed_bytes; or {row_group, column, error}. For each file, one object on a \
line, with file. Unknown values are null."
)]
pub struct Pages {
    /// Which files.
    #[command(flatten)]
    pub files: Files,
    /// Columns to show, comma separated; a struct, list or map stands for all columns below. Default: all.
    #[arg(short, long, value_name = "COLUMNS")]
    pub columns: Option<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
}

/// `lith meta`
#[derive(Debug, Args)]
#[command(
    after_long_help = "JSON: format, then the structures of the file under their names in the specification: of Parquet \
footer_length, footer, chunks (indexes and page headers of each column chunk); of ORC file_length, \
postscript_length, postscript, footer, stripe_stats, stripes. For each file, one object on a line, \
with file. A part that cannot be read is reported, the rest is shown, and the worst error decides the exit code."
)]
pub struct Meta {
    /// Which files.
    #[command(flatten)]
    pub files: Files,
    /// Columns whose pages, indexes and Bloom filters to show, comma separated, or structures with all below;
    /// footers are shown whole.
    #[arg(short, long, value_name = "COLUMNS")]
    pub columns: Option<String>,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
}

/// Text or JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TextFormat {
    /// Text, laid out for reading.
    Text,
    /// JSON.
    Json,
}

/// `lith schema`
#[derive(Debug, Args)]
#[command(
    after_long_help = "The columns of a table are those of its first file, then those of its directories, marked as \
partition columns. In the notations of Parquet and ORC, the schema is that of the first file, without partition \
columns, or what it would be in the other format.\n\n\
JSON: columns [{name, type (Spark's), full_type (with units and zones), nullable, partition}], in order; partition \
columns last."
)]
pub struct Schema {
    /// Where data is.
    #[command(flatten)]
    pub input: Input,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = SchemaFormat::Text)]
    pub format: SchemaFormat,
}

/// Notations of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SchemaFormat {
    /// One column a line.
    Text,
    /// JSON.
    Json,
    /// Spark's struct<...>.
    Spark,
    /// A CREATE TABLE of Spark's SQL.
    Ddl,
    /// Parquet's message { ... }.
    Parquet,
    /// ORC's struct<...>.
    Orc,
}

/// `lith count`
#[derive(Debug, Args)]
pub struct Count {
    /// Where data is.
    #[command(flatten)]
    pub input: Input,
    /// Rows to keep: what Spark's df.where("...") takes.
    #[arg(
        short = 'w',
        long = "where",
        value_name = "PREDICATE",
        allow_hyphen_values = true
    )]
    pub predicate: Option<String>,
    /// Print on standard error what was skipped and read, and how long each stage took on all threads together.
    #[arg(long)]
    pub metrics: bool,
    /// Read every row group, whatever its statistics.
    #[arg(long)]
    pub no_skip: bool,
}

/// `lith scan`
#[derive(Debug, Args)]
pub struct Scan {
    /// Where data is.
    #[command(flatten)]
    pub input: Input,
    /// Which rows and columns.
    #[command(flatten)]
    pub query: Query,
    /// Stop after this many rows.
    #[arg(short = 'n', long, value_name = "ROWS", allow_negative_numbers = true)]
    pub limit: Option<u64>,
    /// Output format; by default that of the output's file name, else a table on a terminal, else JSON lines.
    #[arg(short, long, value_enum)]
    pub format: Option<RowFormat>,
    /// Write to this file, whole or not at all, instead of standard output (`-`).
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print on standard error what was skipped and read, and how long each stage took on all threads together.
    #[arg(long)]
    pub metrics: bool,
    /// Read every row group, whatever its statistics.
    #[arg(long)]
    pub no_skip: bool,
}

/// `lith head` and `lith tail`
#[derive(Debug, Args)]
pub struct Head {
    /// Where data is.
    #[command(flatten)]
    pub input: Input,
    /// Which rows and columns.
    #[command(flatten)]
    pub query: Query,
    /// How many rows.
    #[arg(
        short = 'n',
        long,
        default_value_t = 10,
        value_name = "ROWS",
        allow_negative_numbers = true
    )]
    pub limit: u64,
    /// Output format; by default a table on a terminal, else JSON lines.
    #[arg(short, long, value_enum)]
    pub format: Option<RowFormat>,
    /// Print on standard error what was skipped and read, and how long each stage took on all threads together.
    #[arg(long)]
    pub metrics: bool,
}

/// `lith sample`
#[derive(Debug, Args)]
pub struct Sample {
    /// Which rows, how many and in which format.
    #[command(flatten)]
    pub rows: Head,
    /// Pick the same rows of the same files every time.
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

/// Output formats of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// A table with aligned columns.
    Table,
    /// One JSON object a line, lossless.
    Jsonl,
    /// Comma-separated values with a header; null is empty, the empty string is "". Some readers skip
    /// the empty line of a null in a single column.
    Csv,
}

/// `lith explain`
#[derive(Debug, Args)]
#[command(
    after_long_help = "JSON: one object: partition_filters, data_filters, pushed_filters, post_filter and read_schema \
(with --engine spark as Spark prints them); partitions, files, row_groups, bytes and rows, each with its total and \
what is selected, of rows selected_at_least, selected_at_most and estimated; empty, and in never_true the conditions that no row \
meets, if there are such; and conjuncts [{text, class, judged_by, \
order (among those that rows are asked), rows {at_least, estimated, at_most}, not_pushed_because, hint}]; \
unreadable [{column, because}] are columns without which the query fails, such as encrypted ones. \
strides is null: their statistics are not in the footers; --analyze tells how many were skipped."
)]
pub struct Explain {
    /// Where data is.
    #[command(flatten)]
    pub input: Input,
    /// Which rows and columns.
    #[command(flatten)]
    pub query: Query,
    /// Which engine's plan to show.
    #[arg(long, value_enum, default_value_t = Engine::Lith)]
    pub engine: Engine,
    /// Run the query and add what was really skipped and read, and how long each stage took on all threads together
    /// (JSON: analyze.stage_seconds).
    #[arg(long)]
    pub analyze: bool,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = TextFormat::Text)]
    pub format: TextFormat,
}

/// `lith profile`
#[derive(Debug, Args)]
#[command(
    after_long_help = "Stages: open (footers, indexes and statistics), read (bytes of columns, with decryption and \
checksums), decompress, levels (nulls, lengths of lists), decode (values), filter (conditions on rows), gather (moving \
values to their rows). Their times are those of all threads together, so that the total may exceed the time that the \
query took. The row (scan) is what belongs to no single column: files, row groups, conditions on several columns.\n\n\
JSON: rows, seconds, threads, columns [{column, seconds, stage_seconds, bytes_read, bytes_decompressed, \
pages_decoded, values_decoded}], the longest first; scan and total, with the same members. folded: a line for each \
column and stage, as flame graph tools read them (inferno-flamegraph, flamegraph.pl): lith;COLUMN;STAGE NANOSECONDS."
)]
pub struct Profile {
    /// Where data is.
    #[command(flatten)]
    pub input: Input,
    /// Which rows and columns.
    #[command(flatten)]
    pub query: Query,
    /// Read every row group, whatever its statistics.
    #[arg(long)]
    pub no_skip: bool,
    /// Output format.
    #[arg(short, long, value_enum, default_value_t = ProfileFormat::Text)]
    pub format: ProfileFormat,
}

/// Output formats of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProfileFormat {
    /// A table.
    Text,
    /// JSON.
    Json,
    /// Folded stacks, for flame graphs.
    Folded,
}

/// The engine whose plan is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// lith's plan, with everything that it can evaluate.
    Lith,
    /// The plan as Spark 4.3 prints it.
    Spark,
}

/// `lith demo`
#[derive(Debug, Args)]
pub struct Demo {
    /// Size: 1 is ten million rows.
    #[arg(long, default_value_t = 1.0, value_parser = scale, allow_negative_numbers = true)]
    pub scale: f64,
    /// Seed of the generated data.
    #[arg(long, default_value_t = 42, allow_negative_numbers = true)]
    pub seed: u64,
    /// Where to keep the data; by default a temporary directory, which is removed.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// Words in lines of up to 100 letters.
pub fn wrapped(words: &[&str]) -> String {
    let mut lines = vec![String::new()];
    for word in words {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < 98 => *line += &format!("  {word}"),
            _ => lines.push(format!("  {word}")),
        }
    }
    lines.join("\n")
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(scale) if scale > 0.0 && scale <= 100.0 => Ok(scale),
        _ => Err("a number above 0 and up to 100".into()),
    }
}
