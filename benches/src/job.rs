//! One timed operation of `lith-bench`: what its flags say, the runs, the line about them.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lith_format::error::{Error, Result};
use lith_format::limits::Limits;
use lith_format::parquet::footer::FileMetaData;
use lith_format::parquet::schema;
use lith_format::schema::Schema;
use lith_format::vector::Batch;
use lith_reader::file::OpenOptions;
use lith_reader::keys::Decryption;
use lith_reader::parquet::FooterBytes;
use lith_reader::source::FileSource;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::sum;

/// What may be said.
pub const USAGE: &str = "lith-bench --op meta|decode|project|orcdecode --file FILE [--cols A,B] [--threads N] [--mmap 1] [--case NAME] [--n RUNS] [--warm RUNS] [--budget_ms MS]";

/// Rows in a batch: as many as the libraries give that it is compared with.
const BATCH_ROWS: usize = 8192;

/// An operation on a file.
#[derive(Debug)]
pub struct Job {
    op: Op,
    /// What it was called.
    name: String,
    case: String,
    file: PathBuf,
    columns: Option<Vec<String>>,
    mmap: bool,
    threads: usize,
    runs: usize,
    warm: usize,
    budget: Duration,
}

#[derive(Debug, Clone, Copy)]
enum Op {
    /// Decode everything that the footer says, or open the file for some columns.
    Meta,
    /// Read every row of all columns, or of some.
    Decode,
    /// The same, and sum up every column.
    Project,
}

impl Op {
    /// Of ORC files, one name stands for both ways of reading rows.
    fn parse(name: &str, of_some_columns: bool) -> Option<Self> {
        match (name, of_some_columns) {
            ("meta", _) => Some(Op::Meta),
            ("decode", _) | ("orcdecode", false) => Some(Op::Decode),
            ("project", _) | ("orcdecode", true) => Some(Op::Project),
            _ => None,
        }
    }
}

/// What an operation comes to: comparing it between engines shows that they did the same.
struct Outcome {
    rows: u64,
    check: f64,
}

impl Job {
    /// What the flags say. Flags of other operations are let pass.
    ///
    /// # Errors
    /// No file, an unknown operation, a number that is none.
    pub fn parse(words: impl Iterator<Item = String>) -> std::result::Result<Job, String> {
        let words: Vec<String> = words.collect();
        let flag = |name: &str| {
            let mut pairs = words.chunks_exact(2);
            pairs
                .find(|pair| pair[0] == name)
                .map(|pair| pair[1].as_str())
        };
        let number = |name: &str, default: u64| match flag(name) {
            None => Ok(default),
            Some(text) => text
                .parse()
                .map_err(|_| format!("{name} {text} is no number")),
        };
        let op = flag("--op").ok_or("--op is missing")?;
        let parsed = Op::parse(op, flag("--cols").is_some());
        Ok(Job {
            op: parsed.ok_or_else(|| format!("--op {op} is unknown"))?,
            name: op.to_owned(),
            case: flag("--case").unwrap_or_default().to_owned(),
            file: flag("--file").ok_or("--file is missing")?.into(),
            columns: flag("--cols").map(|names| names.split(',').map(str::to_owned).collect()),
            mmap: number("--mmap", 0)? != 0,
            threads: number("--threads", 1)?.max(1) as usize,
            runs: number("--n", 5)?.max(1) as usize,
            warm: number("--warm", 1)? as usize,
            budget: Duration::from_millis(number("--budget_ms", 20_000)?),
        })
    }

    /// Runs it and says how long that took. When the time is used up, two runs are enough.
    ///
    /// # Errors
    /// Those of the file.
    pub fn run(&self) -> Result<Value> {
        let bytes = std::fs::metadata(&self.file).map_or(0, |metadata| metadata.len());
        for _ in 0..self.warm {
            self.once()?;
        }
        let (mut walls, mut cpus) = (Vec::new(), Vec::new());
        let mut outcome = Outcome {
            rows: 0,
            check: 0.0,
        };
        let began = Instant::now();
        for _ in 0..self.runs {
            let (wall, cpu) = (Instant::now(), cpu_time());
            outcome = self.once()?;
            walls.push(wall.elapsed().as_nanos() as u64);
            cpus.push(cpu_time() - cpu);
            if began.elapsed() > self.budget && walls.len() >= 2 {
                break;
            }
        }
        walls.sort_unstable();
        cpus.sort_unstable();
        Ok(json!({
            "peer": "lith",
            "op": self.name,
            "case": self.case,
            "threads": self.threads,
            "n": walls.len(),
            "min_ns": walls[0],
            "median_ns": walls[walls.len() / 2],
            "cpu_min_ns": cpus[0],
            "rows": outcome.rows,
            "bytes": bytes,
            "check": outcome.check,
        }))
    }

    fn once(&self) -> Result<Outcome> {
        match self.op {
            Op::Meta => match &self.columns {
                None => self.whole_footer(),
                Some(columns) => self.some_chunks(columns),
            },
            Op::Decode => self.rows(|batch| {
                black_box(batch);
                0.0
            }),
            Op::Project => self.rows(|batch| batch.columns.iter().map(sum::of).sum()),
        }
    }

    /// Every row, batch by batch; `check` is what each of them adds.
    fn rows(&self, check: impl Fn(&Batch) -> f64) -> Result<Outcome> {
        let file = self.options().open(&self.file)?;
        let mut scan = file.scan().batch_rows(BATCH_ROWS).threads(self.threads);
        if let Some(names) = &self.columns {
            let columns = names.iter().map(|name| column(file.schema(), name));
            scan = scan.columns(columns.collect::<Result<Vec<_>>>()?);
        }
        let mut outcome = Outcome {
            rows: 0,
            check: 0.0,
        };
        for batch in scan.build()? {
            let batch = batch?;
            outcome.rows += batch.rows as u64;
            outcome.check += check(&batch);
        }
        Ok(outcome)
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

fn column(schema: &Schema, name: &str) -> Result<usize> {
    let column = schema.index_of(name)?;
    column.ok_or_else(|| Error::invalid(format!("no column {name}")))
}

/// What the process has used so far, in nanoseconds.
fn cpu_time() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(words: &str) -> std::result::Result<Job, String> {
        Job::parse(words.split(' ').map(str::to_owned))
    }

    #[test]
    fn flags_come_in_pairs() {
        let job = job("--op meta --case c --file f.parquet --threads 1 --n 3 --out /tmp").unwrap();
        assert_eq!(
            (job.name.as_str(), job.case.as_str(), job.runs),
            ("meta", "c", 3)
        );
        assert_eq!(job.file, PathBuf::from("f.parquet"));
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        for words in [
            "--op meta",
            "--file f",
            "--op fly --file f",
            "--op meta --file f --n x",
        ] {
            assert!(job(words).is_err(), "{words}");
        }
    }

    #[test]
    fn the_line_tells_chunks_and_rows() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("orders.parquet");
        let bytes = crate::orders(lith_format::meta::Format::Parquet, 0.001).unwrap();
        std::fs::write(&path, &bytes).unwrap();
        let line = job(&format!("--op meta --n 2 --file {}", path.display())).unwrap();
        let line = line.run().unwrap();
        assert_eq!(line["rows"], json!(13));
        assert_eq!(line["check"], json!(4000.0));
        assert_eq!(line["bytes"], json!(bytes.len()));
        assert!(line["min_ns"].as_u64() <= line["median_ns"].as_u64());
        let of_columns = |op: &str| {
            let words = format!("--op {op} --cols city,revenue --file {}", path.display());
            let line = job(&words).unwrap().run().unwrap();
            (line["rows"].clone(), line["check"].clone())
        };
        assert_eq!(of_columns("meta"), (json!(2), json!(4000.0)));
        assert_eq!(of_columns("decode"), (json!(4000), json!(0.0)));
        let (rows, check) = of_columns("project");
        assert_eq!(rows, json!(4000));
        assert!(check.as_f64().unwrap() > 4000.0);
    }
}
