//! `lith explain`: what a query would skip and read, what decides that, and why not earlier.

use std::io::{self, Write};

use lith_planner::explain as planner;
use serde_json::Value;

use crate::args::{Color, Engine, Explain, TextFormat};
use crate::dataset::Opened;
use crate::failure::Result;
use crate::output::{json_line, palette};
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
    let run = args.analyze.then(run).transpose()?;
    let text = match args.format {
        TextFormat::Text => {
            let mut text = explanation.text(&palette(color));
            text.extend(run.map(|run| run.text("")));
            text
        }
        TextFormat::Json => {
            let mut object = explanation.json();
            if let (Some(run), Value::Object(members)) = (run, &mut object) {
                members.insert("analyze".into(), run.json());
            }
            json_line(&object)
        }
    };
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}
