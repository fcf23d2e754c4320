//! One timed operation of `lith-bench`: what its flags say, the runs, the line about them.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use lith::failure::Result;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::operation::{Op, Operation, Outcome, condition};

/// What may be said.
pub const USAGE: &str = "lith-bench --op meta|decode|project|orcdecode|filter|orcfilter|count --file FILE [--cols A,B] [--pcol COLUMN --pop le_date|lt|eq|prefix|contains --pval VALUE] [--threads N] [--mmap 1] [--case NAME] [--n RUNS] [--warm RUNS] [--budget_ms MS]";

/// An operation, and how often it runs.
#[derive(Debug)]
pub struct Job {
    operation: Operation,
    /// What it was called.
    name: String,
    case: String,
    runs: usize,
    warm: usize,
    budget: Duration,
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
        let name = flag("--op").ok_or("--op is missing")?;
        let op = Op::parse(name, flag("--cols").is_some());
        let condition = match (flag("--pcol"), flag("--pop"), flag("--pval")) {
            (Some(column), Some(op), Some(value)) => {
                Some(condition(column, op, value).ok_or_else(|| format!("--pop {op} is unknown"))?)
            }
            (None, None, None) => None,
            _ => return Err("--pcol, --pop and --pval belong together".into()),
        };
        let operation = Operation {
            op: op.ok_or_else(|| format!("--op {name} is unknown"))?,
            file: flag("--file").ok_or("--file is missing")?.into(),
            columns: flag("--cols").map(|names| names.split(',').map(str::to_owned).collect()),
            condition,
            mmap: number("--mmap", 0)? != 0,
            threads: NonZeroUsize::new(number("--threads", 1)? as usize)
                .unwrap_or(NonZeroUsize::MIN),
        };
        Ok(Job {
            operation,
            name: name.to_owned(),
            case: flag("--case").unwrap_or_default().to_owned(),
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
        let bytes = std::fs::metadata(&self.operation.file).map_or(0, |metadata| metadata.len());
        for _ in 0..self.warm {
            self.operation.run()?;
        }
        let (mut walls, mut cpus) = (Vec::new(), Vec::new());
        let mut outcome = Outcome::default();
        let began = Instant::now();
        for _ in 0..self.runs {
            let (wall, cpu) = (Instant::now(), cpu_time());
            outcome = self.operation.run()?;
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
            "threads": self.operation.threads,
            "n": walls.len(),
            "min_ns": walls[0],
            "median_ns": walls[walls.len() / 2],
            "cpu_min_ns": cpus[0],
            "rows": outcome.rows,
            "bytes": bytes,
            "check": outcome.check,
        }))
    }
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
        assert_eq!(job.operation.file, std::path::PathBuf::from("f.parquet"));
    }

    #[test]
    fn what_cannot_be_run_is_refused() {
        for words in [
            "--op meta",
            "--file f",
            "--op fly --file f",
            "--op meta --file f --n x",
            "--op count --file f --pcol a --pop eq",
            "--op count --file f --pcol a --pop between --pval 1",
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

    #[test]
    fn conditions_keep_the_rows_that_pass() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("orders.parquet");
        let bytes = crate::orders(lith_format::meta::Format::Parquet, 0.001).unwrap();
        std::fs::write(&path, &bytes).unwrap();
        let rows = |words: &str| {
            let words = format!("{words} --n 1 --warm 0 --file {}", path.display());
            job(&words).unwrap().run().unwrap()["rows"].clone()
        };
        assert_eq!(rows("--op count"), json!(4000));
        let one = "--pcol product_id --pop eq --pval P004";
        assert_eq!(rows(&format!("--op count {one}")), json!(700));
        assert_eq!(rows(&format!("--op filter --cols city {one}")), json!(700));
        let none = "--pcol quantity --pop lt --pval 0";
        assert_eq!(rows(&format!("--op count {none}")), json!(0));
        let all = "--pcol product_id --pop prefix --pval P";
        assert_eq!(rows(&format!("--op count {all}")), json!(4000));
    }
}
