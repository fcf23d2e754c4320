//! `lith explain`: what a query would skip and read, what decides that, and why not earlier.

use std::io::{self, Write};

use lith_planner::explain as planner;
use serde_json::{Value, json};

use crate::args::{Color, Engine, Explain, TextFormat};
use crate::dataset::Opened;
use crate::failure::Result;
use crate::output::{bytes, count, json_line, palette};
use crate::run::Run;

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
    let run = || Run::new(&opened, &plan, true);
    // a plan that fails is shown, too
    let (run, failure) = match args.analyze.then(run) {
        None => (None, None),
        Some(Ok(run)) => (Some(run), None),
        Some(Err(failure)) => (None, Some(failure)),
    };
    let text = match args.format {
        TextFormat::Text => {
            let mut text = explanation.text(&palette(color));
            if let Some(run) = run {
                text += &run.text("");
                text += &beside(&explanation, &run);
            }
            text
        }
        TextFormat::Json => {
            let mut object = explanation.json();
            let failed = failure.as_ref();
            let failed = failed.map(|failure| json!({"error": failure.to_string()}));
            let analyzed = run.map(|run| run.json()).or(failed);
            if let (Some(analyzed), Value::Object(members)) = (analyzed, &mut object) {
                members.insert("analyze".into(), analyzed);
            }
            json_line(&object)
        }
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    failure.map_or(Ok(()), Err)
}

/// What was planned beside what was found.
fn beside(plan: &planner::Explanation, run: &Run) -> String {
    let (groups, passing) = (&plan.row_groups, &plan.passing);
    let skipped = run.metrics.row_groups_pruned.get();
    let rows = [
        ["", "planned", "found"].map(str::to_owned),
        [
            "row groups".to_owned(),
            format!("{} of {}", count(groups.selected), count(groups.total)),
            format!(
                "{} read, {} skipped",
                count(run.metrics.row_groups_read.get()),
                count(skipped)
            ),
        ],
        [
            "rows".to_owned(),
            match passing.at_least == passing.at_most {
                true => count(passing.at_most),
                false => format!(
                    "{} to {}, about {}",
                    count(passing.at_least),
                    count(passing.at_most),
                    count(passing.about)
                ),
            },
            count(run.rows),
        ],
        [
            "bytes".to_owned(),
            bytes(plan.bytes.selected),
            bytes(run.metrics.bytes_read.get()),
        ],
    ];
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (label, planned) = (width(0), width(1));
    let line = |[name, plan, found]: &[String; 3]| {
        format!("  {name:<label$}  {plan:<planned$}  {found}\n")
    };
    rows.iter().map(line).collect()
}
