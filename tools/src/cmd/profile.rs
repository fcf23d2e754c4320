//! `lith profile`: where the time of a query goes, by column and stage.

use std::io::{self, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use lith_planner::plan::ScanPlan;
use lith_reader::metrics::{Metrics, Stage};
use serde_json::{Value, json};

use crate::args::{Profile, ProfileFormat};
use crate::dataset::Opened;
use crate::failure::Result;
use crate::output::{Table, bytes, count, json_line, plural, seconds, share, times_json};

/// What belongs to no single column.
const SCAN: &str = "(scan)";

/// What a query cost.
struct Profiled {
    rows: u64,
    elapsed: Duration,
    threads: usize,
    /// The columns that took any time, the longest first.
    columns: Vec<(String, Arc<Metrics>)>,
    /// What belongs to no single column.
    scan: Arc<Metrics>,
}

pub(super) fn run(args: &Profile) -> Result {
    let opened = Opened::for_query(&args.input, &args.query)?;
    let (predicate, columns) = (&args.query.predicate, &args.query.columns);
    let plan = opened.plan(predicate.as_deref(), columns.as_deref(), None)?;
    let profiled = Profiled::new(&opened, &plan, !args.no_skip)?;
    let text = match args.format {
        ProfileFormat::Text => profiled.text(),
        ProfileFormat::Json => json_line(&profiled.json()),
        ProfileFormat::Folded => profiled.folded(),
    };
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

impl Profiled {
    /// Reads what the plan asks for.
    fn new(opened: &Opened, plan: &ScanPlan, prune: bool) -> Result<Self> {
        let began = Instant::now();
        let mut scan = opened.scan_by_column(plan, prune)?;
        let mut rows = 0;
        for batch in scan.by_ref() {
            rows += batch?.rows as u64;
        }
        let elapsed = began.elapsed();
        let fields = plan.table.schema.fields.iter();
        let columns = fields.zip(scan.column_metrics());
        let columns = columns.map(|(field, metrics)| (field.name.clone(), Arc::clone(metrics)));
        let mut columns: Vec<_> = columns
            .filter(|(_, metrics)| !metrics.times.total().is_zero())
            .collect();
        columns.sort_by_key(|(_, metrics)| std::cmp::Reverse(metrics.times.total()));
        Ok(Profiled {
            rows,
            elapsed,
            threads: thread::available_parallelism().map_or(1, usize::from),
            columns,
            scan: Arc::clone(scan.metrics()),
        })
    }

    /// All columns, then the rest.
    fn parts(&self) -> impl Iterator<Item = (&str, &Metrics)> {
        let columns = self.columns.iter();
        let columns = columns.map(|(name, metrics)| (name.as_str(), &**metrics));
        columns.chain([(SCAN, &*self.scan)])
    }

    fn total(&self) -> Metrics {
        let total = Metrics::default();
        self.parts().for_each(|(_, part)| total.add(part));
        total
    }

    fn text(&self) -> String {
        let stages = Stage::ALL.map(Stage::name);
        let titles = ["column", "share", "time"].into_iter().chain(stages);
        let titles: Vec<&str> = titles.chain(["bytes read", "values"]).collect();
        let mut table = Table::new(titles.iter().copied()).cut_last("column");
        for place in 1..titles.len() {
            table = table.right(place);
        }
        let total = self.total();
        for (name, part) in self.parts().chain([("total", &total)]) {
            table.push(cells(name, part, &total));
        }
        format!(
            "{} in {} on {}; times are those of all threads together\n{table}\n",
            plural(self.rows, "row"),
            seconds(self.elapsed),
            plural(self.threads as u64, "thread"),
        )
    }

    fn json(&self) -> Value {
        let columns = self.columns.iter().map(|(name, metrics)| {
            let mut column = json!({"column": name});
            add(&mut column, part_json(metrics));
            column
        });
        json!({
            "schema_version": 1,
            "rows": self.rows,
            "seconds": self.elapsed.as_secs_f64(),
            "threads": self.threads,
            "columns": columns.collect::<Vec<_>>(),
            "scan": part_json(&self.scan),
            "total": part_json(&self.total()),
        })
    }

    /// A line for each column and stage: frames, and nanoseconds.
    fn folded(&self) -> String {
        let mut lines = String::new();
        for (name, part) in self.parts() {
            for stage in Stage::ALL {
                let time = part.times.get(stage).as_nanos();
                if time > 0 {
                    let frame = frame(name);
                    lines += &format!("lith;{frame};{} {time}\n", stage.name());
                }
            }
        }
        lines
    }
}

/// A name as a frame of a stack: without what separates frames and lines.
fn frame(name: &str) -> String {
    name.replace(|letter: char| letter == ';' || letter.is_control(), "_")
}

fn cells(name: &str, part: &Metrics, total: &Metrics) -> Vec<Option<String>> {
    let nanos =
        |metrics: &Metrics| u64::try_from(metrics.times.total().as_nanos()).unwrap_or(u64::MAX);
    let time = |time: Duration| match time.is_zero() {
        true => "-".to_owned(),
        false => seconds(time),
    };
    let times = Stage::ALL.map(|stage| time(part.times.get(stage)));
    let first = [
        name.to_owned(),
        share(nanos(part), nanos(total)),
        time(part.times.total()),
    ];
    let last = [
        bytes(part.bytes_read.get()),
        count(part.values_decoded.get()),
    ];
    first
        .into_iter()
        .chain(times)
        .chain(last)
        .map(Some)
        .collect()
}

fn part_json(metrics: &Metrics) -> Value {
    json!({
        "seconds": metrics.times.total().as_secs_f64(),
        "stage_seconds": times_json(&metrics.times),
        "bytes_read": metrics.bytes_read.get(),
        "bytes_decompressed": metrics.bytes_decompressed.get(),
        "pages_decoded": metrics.pages_decoded.get(),
        "values_decoded": metrics.values_decoded.get(),
    })
}

/// Adds the members of another object.
fn add(object: &mut Value, more: Value) {
    if let (Value::Object(members), Value::Object(more)) = (object, more) {
        members.extend(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_hold_no_separators() {
        assert_eq!(frame("a;b c\n"), "a_b c_");
    }
}
