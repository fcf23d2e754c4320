//! The operations that `lith-bench` times, and what each comes to.
//!
//! ```text
//! meta                 decode what the footer says, of all columns or of some
//! decode   orcdecode   read every row
//! project  orcdecode   read every row of some columns, and sum them up
//! filter   orcfilter   the same of the rows that pass a condition
//! count                how many rows pass a condition, or there are
//! ```

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use lith::args::{Input, Query};
use lith::dataset::Opened;
use lith::failure::Result;
use lith::run::Run;
use lith_format::error::Error;
use lith_format::limits::Limits;
use lith_format::parquet::footer::FileMetaData;
use lith_format::parquet::schema;
use lith_format::schema::Schema;
use lith_format::vector::Batch;
use lith_reader::file::OpenOptions;
use lith_reader::keys::Decryption;
use lith_reader::parquet::FooterBytes;
use lith_reader::source::FileSource;

use crate::sum;

/// Rows in a batch: as many as the libraries give that it is compared with.
const BATCH_ROWS: usize = 8192;

/// An operation on a file or a directory.
#[derive(Debug)]
pub struct Operation {
    /// What is done.
    pub op: Op,
    /// With what.
    pub file: PathBuf,
    /// The columns; all if there are none.
    pub columns: Option<Vec<String>>,
    /// Which rows; all if there is none.
    pub condition: Option<String>,
    /// Whether files are mapped into memory.
    pub mmap: bool,
    /// How many threads read.
    pub threads: NonZeroUsize,
}

/// What can be done.
#[derive(Debug, Clone, Copy)]
pub enum Op {
    /// Decode everything that the footer says, or open the file for some columns.
    Meta,
    /// Read every row of all columns, or of some.
    Decode,
    /// The same, and sum up every column.
    Project,
    /// Read the rows that pass a condition, and sum up every column.
    Filter,
    /// Count the rows that pass a condition, or all.
    Count,
}

impl Op {
    /// The operation called `name`. Of ORC files, one name stands for both ways of reading rows.
    pub fn parse(name: &str, of_some_columns: bool) -> Option<Self> {
        match (name, of_some_columns) {
            ("meta", _) => Some(Op::Meta),
            ("decode", _) | ("orcdecode", false) => Some(Op::Decode),
            ("project", _) | ("orcdecode", true) => Some(Op::Project),
            ("filter" | "orcfilter", _) => Some(Op::Filter),
            ("count", _) => Some(Op::Count),
            _ => None,
        }
    }
}

/// The condition that `column` compares so with `value`; `None` if `op` is unknown. Dates are days since 1970.
pub fn condition(column: &str, op: &str, value: &str) -> Option<String> {
    let text = format!("'{}'", value.replace('\'', "''"));
    match op {
        "le_date" => Some(format!("{column} <= date '1970-01-01' + {value}")),
        "lt" => Some(format!("{column} < {value}")),
        "eq" => Some(format!("{column} = {text}")),
        "prefix" => Some(format!("startswith({column}, {text})")),
        "contains" => Some(format!("contains({column}, {text})")),
        _ => None,
    }
}

/// What an operation comes to: comparing it between engines shows that they did the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outcome {
    /// Rows, or column chunks.
    pub rows: u64,
    /// A sum over all of them.
    pub check: f64,
}

impl Operation {
    /// Does it once.
    ///
    /// # Errors
    /// Those of the file and of the condition.
    pub fn run(&self) -> Result<Outcome> {
        let sums = |batch: &Batch| batch.columns.iter().map(sum::of).sum();
        match self.op {
            Op::Meta => match &self.columns {
                None => self.whole_footer(),
                Some(columns) => self.some_chunks(columns),
            },
            Op::Decode => self.rows(|batch| {
                black_box(batch);
                0.0
            }),
            Op::Project => self.rows(sums),
            Op::Filter => self.passing_rows(sums),
            Op::Count => self.count(),
        }
    }

    /// Every row, batch by batch; `check` is what each of them adds.
    fn rows(&self, check: impl Fn(&Batch) -> f64) -> Result<Outcome> {
        let file = self.options().open(&self.file)?;
        let threads = self.threads.get();
        let mut scan = file.scan().batch_rows(BATCH_ROWS).threads(threads);
        if let Some(names) = &self.columns {
            let columns = names.iter().map(|name| column(file.schema(), name));
            scan = scan.columns(columns.collect::<Result<Vec<_>>>()?);
        }
        let mut outcome = Outcome::default();
        for batch in scan.build()? {
            outcome.add(&batch?, &check);
        }
        Ok(outcome)
    }

    /// The rows that pass the condition.
    fn passing_rows(&self, check: impl Fn(&Batch) -> f64) -> Result<Outcome> {
        let columns = self.columns.as_ref().map(|names| names.join(","));
        let opened = self.opened()?;
        let plan = opened.plan(self.condition.as_deref(), columns.as_deref(), None)?;
        let mut outcome = Outcome::default();
        for batch in opened.scan(&plan, true)? {
            outcome.add(&batch?, &check);
        }
        Ok(outcome)
    }

    fn count(&self) -> Result<Outcome> {
        let opened = self.opened()?;
        let plan = opened.plan_count(self.condition.as_deref())?;
        let rows = Run::new(&opened, &plan, true)?.rows;
        Ok(Outcome {
            rows,
            check: rows as f64,
        })
    }

    fn opened(&self) -> Result<Opened> {
        let mut input = Input::new([self.file.clone()]);
        input.mmap = self.mmap;
        input.threads = Some(self.threads);
        let query = Query {
            predicate: self.condition.clone(),
            columns: None,
        };
        Opened::for_query(&input, &query)
    }

    fn options(&self) -> OpenOptions {
        let mut options = OpenOptions::default();
        options.columns.clone_from(&self.columns);
        options.mmap = self.mmap;
        options
    }

    /// Every structure of the footer, and the schema's tree.
    fn whole_footer(&self) -> Result<Outcome> {
        let source = FileSource::open(&self.file)?;
        let limits = Limits::default();
        let footer = FooterBytes::read(&source, &Decryption::default(), &limits)?;
        let footer = FileMetaData::decode(&footer.bytes, &limits)?;
        let (_, leaves) = schema::decode(&footer.schema, &limits)?;
        Ok(Outcome {
            rows: (footer.row_groups.len() * leaves.len()) as u64,
            check: footer.num_rows as f64,
        })
    }

    /// Open, find the columns, decode what the footer says of them in every row group.
    fn some_chunks(&self, columns: &[String]) -> Result<Outcome> {
        let file = self.options().open(&self.file)?;
        let schema = file.schema();
        let mut chunks = 0;
        for name in columns {
            let column = column(schema, name)?;
            for row_group in 0..file.row_groups() {
                chunks += u64::from(file.chunk(row_group, schema.first_leaf(column))?.is_some());
            }
        }
        Ok(Outcome {
            rows: chunks,
            check: file.rows() as f64,
        })
    }
}

impl Outcome {
    fn add(&mut self, batch: &Batch, check: impl Fn(&Batch) -> f64) {
        self.rows += batch.rows as u64;
        self.check += check(batch);
    }
}

fn column(schema: &Schema, name: &str) -> Result<usize> {
    let column = schema.index_of(name)?;
    Ok(column.ok_or_else(|| Error::invalid(format!("no column {name}")))?)
}
