//! `lith explain`: what a query would skip and read, who decides it, and why not earlier.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use lith_planner::explain as planner;
use lith_planner::plan::ScanPlan;
use lith_reader::metrics::Metrics;
use serde_json::{Value, json};

use crate::args::{Color, Engine, Explain, TextFormat};
use crate::dataset::Opened;
use crate::failure::Result;
use crate::output::{metrics_json, metrics_text, palette, seconds};

pub(super) fn run(args: &Explain, color: Color) -> Result {
    let opened = Opened::new(&args.input)?;
    let (predicate, columns) = (
        args.query.predicate.as_deref(),
        args.query.columns.as_deref(),
    );
    let plan = opened.plan(predicate, columns, None)?;
    let engine = match args.engine {
        Engine::Lith => planner::Engine::Lith,
        Engine::Spark => planner::Engine::Spark,
    };
    let explanation = opened.explain(&plan, engine)?;
    let run = args.analyze.then(|| Run::new(&opened, &plan)).transpose()?;
    let text = match args.format {
        TextFormat::Text => {
            let mut text = explanation.text(&palette(color));
            text.extend(run.map(|run| run.text()));
            text
        }
        TextFormat::Json => {
            let mut object = explanation.json();
            if let (Some(run), Value::Object(members)) = (run, &mut object) {
                members.insert("analyze".into(), run.json());
            }
            format!("{object}\n")
        }
    };
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

/// What happened when the query ran.
struct Run {
    rows: u64,
    elapsed: Duration,
    metrics: std::sync::Arc<Metrics>,
}

impl Run {
    fn new(opened: &Opened, plan: &ScanPlan) -> Result<Self> {
        let began = Instant::now();
        let mut scan = opened.scan(plan, true)?;
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

    fn text(&self) -> String {
        let (rows, elapsed) = (crate::output::count(self.rows), seconds(self.elapsed));
        let details = metrics_text(&self.metrics);
        format!("\nran in {elapsed}: {rows} rows\n{details}")
    }

    fn json(&self) -> Value {
        let mut object = json!({"rows": self.rows, "seconds": self.elapsed.as_secs_f64()});
        if let (Value::Object(members), Value::Object(more)) =
            (&mut object, metrics_json(&self.metrics))
        {
            members.extend(more);
        }
        object
    }
}
