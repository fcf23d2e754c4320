//! The result of running a plan: number of rows, time, and metrics.

use std::sync::Arc;
use std::time::{Duration, Instant};

use lith_planner::plan::ScanPlan;
use lith_reader::metrics::Metrics;
use serde_json::{Value, json};

use crate::dataset::Opened;
use crate::failure::Result;
use crate::output::{metrics_json, metrics_text, plural, seconds};

/// What happened when the rows of a plan were counted.
pub struct Run {
    /// How many rows passed.
    pub rows: u64,
    /// From the first byte to the last row.
    pub elapsed: Duration,
    /// What was skipped and read.
    pub metrics: Arc<Metrics>,
}

impl Run {
    /// Reads what the plan asks for; `prune` says whether metadata may rule row groups out.
    ///
    /// # Errors
    /// Those of the files, and of values that the predicates fail on.
    pub fn new(opened: &Opened, plan: &ScanPlan, prune: bool) -> Result<Self> {
        let began = Instant::now();
        let mut scan = opened.scan(plan, prune)?;
        let mut rows = 0;
        for batch in scan.by_ref() {
            rows += batch?.rows as u64;
        }
        Ok(Run {
            rows,
            elapsed: began.elapsed(),
            metrics: scan.metrics().clone(),
        })
    }

    /// A line with `remark` after the number of rows, and the metrics below.
    pub fn text(&self, remark: &str) -> String {
        let (rows, elapsed) = (plural(self.rows, "row"), seconds(self.elapsed));
        let details = metrics_text(&self.metrics);
        format!("\nran in {elapsed}: {rows}{remark}\n{details}")
    }

    /// The same for programs.
    pub fn json(&self) -> Value {
        let mut object = json!({"rows": self.rows, "seconds": self.elapsed.as_secs_f64()});
        if let (Value::Object(members), Value::Object(more)) =
            (&mut object, metrics_json(&self.metrics))
        {
            members.extend(more);
        }
        object
    }
}
