//! Connects the crates: from paths to files, to a table, to a plan, to rows.

use std::path::{Path, PathBuf};
use std::thread;

use lith_format::error::{Error, ErrorKind};
use lith_format::meta::{FileMeta, Format};
use lith_format::names::{self, Meaning};
use lith_format::orc::schema::Dialect;
use lith_format::scan::ScanTask;
use lith_format::schema::Schema;
use lith_planner::ansi::EvalMode;
use lith_planner::ddl::parse_columns;
use lith_planner::declare::merged;
use lith_planner::discover::{self, DataFile, Outline, PartitionTypes, discover};
use lith_planner::error::{PlanError, PlanErrorKind};
use lith_planner::explain::{Engine, Explanation, explain, verdicts};
use lith_planner::plan::{Query, ScanPlan, Table, plan};
use lith_reader::column::ReadContext;
use lith_reader::file::{File, OpenOptions, VariantOutput};
use lith_reader::scan::{Scan, ScanSpec};

use crate::args::{self, Input, OrcTypes, Variants};
use crate::failure::{Failure, Reported, Result};
use crate::keys::decryption;
use crate::locked::{is_encrypted, locked};

/// A dataset none of whose files has been opened.
pub struct Dataset {
    /// Its files and partitions.
    pub files: discover::Dataset,
    options: OpenOptions,
}

impl Dataset {
    /// Finds the files of `input`. Columns whose names their writer did not know have those that are declared.
    pub fn new(input: &Input) -> Result<Self> {
        let (files, mut options) = found(input)?;
        if input.table.schema.is_some() {
            let table = table_of(input, &Schema::default(), files.clone())?.schema;
            let stored = table.schema.fields.iter().take(table.data_columns());
            options.names = stored.map(|field| field.name.clone()).collect();
            options.by_position = input.table.by_position;
        }
        Ok(Dataset { files, options })
    }

    /// Does `work` on one file after the other. Failures of single files are reported and do not stop the
    /// others.
    ///
    /// # Errors
    /// That there were such files, at the end.
    pub fn each(&self, mut work: impl FnMut(&File) -> Result) -> Result {
        let mut reported = Reported::default();
        for file in &self.files.files {
            let opened = self.options.open(&file.path);
            if let Err(failure) = opened.map_err(Failure::from).and_then(|file| work(&file)) {
                reported.add(failure)?;
            }
        }
        reported.end()
    }
}

/// The files of `input`, and how they are opened.
fn found(input: &Input) -> Result<(discover::Dataset, OpenOptions)> {
    let options = open_options(input)?;
    let files = discover(&input.paths, partition_types(input))?;
    Ok((files, options))
}

/// How the files of `input` are opened.
fn open_options(input: &Input) -> Result<OpenOptions> {
    let mut options = OpenOptions::default();
    options.mmap = input.mmap;
    options.orc_dialect = match input.orc_types {
        OrcTypes::Spark => Dialect::Spark,
        OrcTypes::Stored => Dialect::Orc,
    };
    options.variants = match input.variant {
        Variants::Json => VariantOutput::Json,
        Variants::Raw => VariantOutput::Raw,
    };
    options.masks = input.masks;
    options.decryption = decryption(&input.keys)?;
    Ok(options)
}

fn threads(input: &Input) -> usize {
    let processors = || thread::available_parallelism().ok();
    input.threads.or_else(processors).map_or(1, usize::from)
}

fn partition_types(input: &Input) -> PartitionTypes {
    match input.table.no_type_inference || input.table.schema.is_some() {
        true => PartitionTypes::Text,
        false => PartitionTypes::Inferred,
    }
}

/// In how many files a column is searched that the first file lacks.
const SEARCHED: usize = 1000;

/// A dataset whose first file has been opened for its columns.
pub struct Opened {
    /// The files and their columns.
    pub table: Table,
    /// The format of the first file, if there is one.
    pub format: Option<Format>,
    /// The columns that are stored in files.
    stored: Schema,
    /// Whether all files are listed.
    is_whole: bool,
    paths: Vec<PathBuf>,
    options: OpenOptions,
    threads: usize,
    case_sensitive: bool,
    /// What gave the table its columns.
    model: Option<String>,
    mode: EvalMode,
}

impl Opened {
    /// Finds the files of `input`.
    pub fn new(input: &Input) -> Result<Self> {
        let (files, options) = found(input)?;
        Opened::of(input, files, options)
    }

    /// Finds the files of `input` that may have rows for a query. Directories whose partition values say that theirs
    /// have none are not opened.
    pub fn for_query(input: &Input, query: &args::Query) -> Result<Self> {
        let lists_all = query.predicate.is_none() || input.table.merge_schema;
        let [path] = &input.paths[..] else {
            return Opened::new(input);
        };
        if lists_all {
            return Opened::new(input);
        }
        let options = open_options(input)?;
        let outline = Outline::new(path, partition_types(input))?;
        // what is wrong with some directory is told as if all were asked
        let Ok(mut opened) = Opened::of(input, outline.dataset().clone(), options) else {
            return Opened::new(input);
        };
        if outline.is_whole() {
            return Ok(opened);
        }
        let columns = query.columns.as_deref().map(split_columns);
        let planned = plan(
            &opened.table,
            &Query {
                predicate: query.predicate.as_deref(),
                columns,
                limit: None,
                case_sensitive: opened.case_sensitive,
                mode: opened.mode,
            },
        );
        let wanted = planned.map_or_else(|_| Vec::new(), |plan| plan.kept);
        opened.is_whole = !wanted.contains(&false);
        opened.table = table_of(input, &opened.stored, outline.list(&wanted)?)?;
        Ok(opened)
    }

    fn of(input: &Input, files: discover::Dataset, mut options: OpenOptions) -> Result<Self> {
        let (stored, format) = match files.files.first() {
            Some(first) => {
                let file = options.open(&first.path)?;
                (file.schema().clone(), Some(file.format()))
            }
            None => (Schema::default(), None),
        };
        let stored = match input.table.merge_schema && input.table.schema.is_none() {
            true => merged_schema(&options, &files, &input.paths)?,
            false => stored,
        };
        let first = files.files.first().map(|file| file.path.display());
        let model = match (&input.table.schema, input.table.merge_schema) {
            (Some(_), _) => Some("--schema".to_owned()),
            (None, true) => Some("all files".to_owned()),
            (None, false) => first.map(|path| path.to_string()),
        };
        let table = table_of(input, &stored, files)?;
        // the names of the first file are those of the table
        options.by_position = input.table.by_position;
        Ok(Opened {
            table,
            format,
            stored,
            is_whole: true,
            paths: input.paths.clone(),
            options,
            threads: threads(input),
            case_sensitive: input.table.case_sensitive,
            model,
            mode: input.table.mode(),
        })
    }

    /// Plans a query; `columns` is a list as the command line takes it.
    pub fn plan(
        &self,
        predicate: Option<&str>,
        columns: Option<&str>,
        limit: Option<u64>,
    ) -> Result<ScanPlan> {
        let columns = columns.map(split_columns);
        self.plan_query(Query {
            predicate,
            columns,
            limit,
            case_sensitive: self.case_sensitive,
            mode: self.mode,
        })
    }

    /// Plans a query whose rows are counted, not shown.
    pub fn plan_count(&self, predicate: Option<&str>) -> Result<ScanPlan> {
        self.plan_query(Query {
            predicate,
            columns: Some(Vec::new()),
            limit: None,
            case_sensitive: self.case_sensitive,
            mode: self.mode,
        })
    }

    fn plan_query(&self, query: Query) -> Result<ScanPlan> {
        let predicate = query.predicate.unwrap_or_default();
        let planned = plan(&self.table, &query);
        planned.map_err(|error| self.failure(predicate, self.name_file(error, &query)))
    }

    /// If a column is unknown because the first file lacks it, adds the name of a file that has it.
    fn name_file(&self, error: PlanError, query: &Query) -> PlanError {
        let is_unknown =
            |error: &PlanError| matches!(error.kind(), PlanErrorKind::UnknownColumn { .. });
        if !is_unknown(&error) {
            return error;
        }
        let Some((first, others)) = self.table.dataset.files.split_first() else {
            return error;
        };
        if self.model != Some(first.path.display().to_string()) {
            return error;
        }
        let knows = |file: &&DataFile| {
            let Ok(file) = self.options.open(&file.path) else {
                return false;
            };
            let mut dataset = self.table.dataset.clone();
            dataset.files.clear();
            let planned = plan(&Table::new(file.schema(), dataset), query);
            planned.map_or_else(|error| !is_unknown(&error), |_| true)
        };
        match others.iter().take(SEARCHED).find(knows) {
            None => error,
            Some(other) => error.known_elsewhere(&format!(
                "{} has it, but the columns are those of the first file, {}",
                other.path.display(),
                first.path.display()
            )),
        }
    }

    fn failure(&self, predicate: &str, error: PlanError) -> Failure {
        failure(&self.paths, predicate, error)
    }

    /// An output that is one of the files, by whatever name, would destroy what is read.
    pub fn refuse_as_output(&self, output: &Path) -> Result {
        let Ok(output) = output.canonicalize() else {
            return Ok(());
        };
        let listed = self.table.dataset.files.iter();
        let files = match self.is_whole {
            true => listed.map(|file| file.path.clone()).collect(),
            false => discover::list(&self.paths)?,
        };
        let is_output = |file: &&PathBuf| file.canonicalize().is_ok_and(|path| path == output);
        match files.iter().find(is_output) {
            Some(file) => {
                let error = Error::invalid("the output is one of the inputs");
                Err(error.at_path(file).into())
            }
            None => Ok(()),
        }
    }

    /// Opens one file of the dataset after the other.
    pub fn files(&self) -> impl Iterator<Item = Result<File>> {
        let files = self.table.dataset.files.iter();
        files.map(|file| Ok(self.options.open(&file.path)?))
    }

    /// How the files of a plan are opened: only for the columns that it needs, whose case may differ.
    fn options_of(&self, plan: &ScanPlan) -> OpenOptions {
        let mut options = self.options.clone();
        let needed = &plan.read_schema.fields;
        if needed.len() < plan.table.data_columns() {
            options.columns = Some(needed.iter().map(|field| field.name.clone()).collect());
        }
        options
    }

    /// Explains a plan by the footers of its files.
    pub fn explain(&self, plan: &ScanPlan, engine: Engine) -> Result<Explanation> {
        let options = self.options_of(plan);
        // a file is closed once its footer is read: there may be more files than a process may have open
        let mut encrypted = Vec::new();
        let mut footer = |(at, task): (usize, &ScanTask)| {
            let file = options.open(&task.path)?;
            encrypted.extend(is_encrypted(&file).then_some(at));
            // the sizes of ORC's columns are not in the footer; if they cannot be read, whole stripes are counted
            let meta = file.full_meta().or_else(|_| file.meta().cloned());
            Ok(meta?)
        };
        let tasks = plan.tasks.iter().enumerate();
        let footers: Vec<FileMeta> = tasks.map(&mut footer).collect::<Result<_>>()?;
        let metas: Vec<&FileMeta> = footers.iter().collect();
        let mut explanation = explain(plan, &metas, engine)?;
        if !encrypted.is_empty() {
            let verdicts = verdicts(plan, &metas)?;
            for at in encrypted {
                let file = options.open(&plan.tasks[at].path)?;
                let mut found = locked(&file, plan, &verdicts[at])?;
                found.retain(|column| !explanation.unreadable.contains(column));
                explanation.unreadable.extend(found);
            }
        }
        let location = self.paths.iter().map(|path| path.display().to_string());
        explanation.location = location.collect();
        Ok(explanation)
    }

    /// The columns of a plan's output that cannot be read in the first file with rows, in the output's order.
    pub fn unread_columns(&self, plan: &ScanPlan) -> Vec<String> {
        let options = self.options_of(plan);
        let files = plan.tasks.iter().map(|task| options.open(&task.path));
        let Some(file) = files.flatten().find(|file| file.row_groups() > 0) else {
            return Vec::new();
        };
        let is_unread = |name: &str| {
            let Meaning::Field(column) = names::find(&file.schema().fields, name) else {
                return false;
            };
            let reader = file.column(0, column, &ReadContext::default());
            reader.is_err_and(|error| {
                matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Encrypted)
            })
        };
        let outputs = plan.columns.iter();
        let fields = outputs.filter_map(|output| plan.table.schema.fields.get(output.column));
        let mut unread: Vec<String> = Vec::new();
        for field in fields {
            if !unread.contains(&field.name) && is_unread(&field.name) {
                unread.push(field.name.clone());
            }
        }
        unread
    }

    /// What was asked for, as the user wrote it.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// How many rows a file has.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn rows(&self, task: &ScanTask) -> Result<u64> {
        Ok(self.options.open(&task.path)?.rows())
    }

    /// Whether rows of the remaining files have to be filtered.
    ///
    /// # Errors
    /// A condition that cannot be computed here.
    pub fn filters_rows(&self, plan: &ScanPlan) -> Result<bool> {
        let predicates = plan.predicates();
        let predicates = predicates.map_err(|error| self.failure(&plan.predicate, error))?;
        Ok(!predicates.is_empty())
    }

    /// Starts a planned scan; `prune` says whether metadata may rule row groups out.
    pub fn scan(&self, plan: &ScanPlan, prune: bool) -> Result<Scan> {
        Ok(Scan::new(plan.tasks.clone(), self.spec(plan, prune)?)?)
    }

    /// The same, which counts by itself what reading each column costs.
    pub fn scan_by_column(&self, plan: &ScanPlan, prune: bool) -> Result<Scan> {
        let mut spec = self.spec(plan, prune)?;
        spec.by_column = true;
        Ok(Scan::new(plan.tasks.clone(), spec)?)
    }

    fn spec(&self, plan: &ScanPlan, prune: bool) -> Result<ScanSpec> {
        let mut spec = ScanSpec::new(plan.table.clone());
        spec.columns = plan.columns.clone();
        spec.filter = plan.filter.clone();
        spec.predicates = plan
            .predicates()
            .map_err(|error| self.failure(&plan.predicate, error))?;
        spec.limit = plan.limit;
        spec.prune = prune;
        spec.threads = self.threads;
        spec.open = self.options_of(plan);
        spec.model = self.model.clone();
        Ok(spec)
    }
}

fn failure(paths: &[PathBuf], predicate: &str, error: PlanError) -> Failure {
    Failure::Plan {
        path: paths.first().cloned().unwrap_or_default(),
        text: predicate.into(),
        error,
    }
}

/// The table that files are of, whose stored columns the user may declare.
fn table_of(input: &Input, stored: &Schema, files: discover::Dataset) -> Result<Table> {
    match &input.table.schema {
        Some(text) => parse_columns(text)
            .and_then(|columns| Table::declared(&columns, files))
            .map_err(|error| Failure::Schema {
                text: text.as_str().into(),
                error,
            }),
        None => Ok(Table::new(stored, files)),
    }
}

/// The columns of all files.
fn merged_schema(
    options: &OpenOptions,
    files: &discover::Dataset,
    paths: &[PathBuf],
) -> Result<Schema> {
    let schema = |file: &DataFile| Ok(options.open(&file.path)?.schema().clone());
    let schemas = files.files.iter().map(schema).collect::<Result<Vec<_>>>()?;
    merged(&schemas).map_err(|error| failure(paths, "", error))
}

/// Splits a list of columns at the commas outside of quotes, back-quotes, parentheses and brackets. An opening one
/// that is never closed has no meaning.
pub fn split_columns(text: &str) -> Vec<String> {
    let (mut names, mut start, mut closers) = (Vec::new(), 0, Vec::new());
    let mut quoted_until = 0;
    for (at, letter) in text.char_indices() {
        let rest = &text[at + letter.len_utf8()..];
        match letter {
            _ if at < quoted_until => {}
            '`' | '\'' | '"' => quoted_until = at + 1 + quoted_length(rest, letter),
            '(' if rest.contains(')') => closers.push(')'),
            '[' if rest.contains(']') => closers.push(']'),
            ',' if closers.is_empty() => {
                names.push(text[start..at].trim().to_string());
                start = at + 1;
            }
            closer if closers.last() == Some(&closer) => drop(closers.pop()),
            _ => {}
        }
    }
    names.push(text[start..].trim().to_string());
    names
}

/// How long quoted text is, the closing quote included; 0 if there is none. Except in back-quotes, a backslash
/// escapes the next character.
fn quoted_length(rest: &str, quote: char) -> usize {
    let mut letters = rest.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' if quote != '`' => drop(letters.next()),
            letter if letter == quote => return at + 1,
            _ => {}
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_of_quotes_and_brackets_belong_to_the_name() {
        let cases: [(&str, &[&str]); 9] = [
            ("a, b.c,`x,y`.z", &["a", "b.c", "`x,y`.z"]),
            ("m['a,b'],c", &["m['a,b']", "c"]),
            ("m[\"a,b\"],c", &["m[\"a,b\"]", "c"]),
            ("m['it\\'s, it'], c", &["m['it\\'s, it']", "c"]),
            ("m['it''s, it'], c", &["m['it''s, it']", "c"]),
            (
                "get(a, 0), element_at(m, 'k)'),c",
                &["get(a, 0)", "element_at(m, 'k)')", "c"],
            ),
            ("it's,l[0,b)", &["it's", "l[0", "b)"]),
            ("`a,``[`,é,c", &["`a,``[`", "é", "c"]),
            ("a,,b", &["a", "", "b"]),
        ];
        for (text, names) in cases {
            assert_eq!(split_columns(text), names, "{text}");
        }
    }
}
