//! `lith demo`: makes the order facts, writes them partitioned, and explains and runs five queries whose
//! answers are known. A wrong count ends it with exit code 1.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use lith_format::error::Error;
use lith_format::meta::Format;
use lith_format::render::escape_controls;
use lith_planner::explain::{Engine, Palette};
use lith_writer::table::{TableOptions, TableWriter};

use crate::args::{Color, Demo, Input};
use crate::dataset::Opened;
use crate::facts::{Facts, STAR_PRODUCT, STORES};
use crate::failure::{Failure, Result};
use crate::output::{bytes, count, palette, plural, seconds};
use crate::run::Run;

const BATCH_ROWS: u64 = 65_536;
/// Files that the largest store gets, and row groups that each of them gets, at any scale.
const FILES: u64 = 4;
const ROW_GROUPS: u64 = 32;

pub(super) fn run(args: &Demo, color: Color) -> Result {
    let scratch;
    let directory = match &args.output {
        Some(directory) => directory.clone(),
        None => {
            scratch =
                tempfile::tempdir().map_err(|error| Error::io(std::env::temp_dir(), error))?;
            scratch.path().to_path_buf()
        }
    };
    fs::create_dir_all(&directory).map_err(|error| Error::io(&directory, error))?;
    let facts = Facts::new(args.scale, args.seed);
    let mut story = Story {
        facts,
        out: io::stdout().lock(),
        palette: palette(color),
    };
    story.introduce()?;
    for format in [Format::Parquet, Format::Orc] {
        let dataset = story.write(format, &directory)?;
        story.ask_all(dataset)?;
    }
    let ending = match &args.output {
        Some(directory) => format!(
            "The data is in {}: the commands run there.",
            directory.display()
        ),
        None => "The data is gone; with --output DIR it stays, and the commands run in DIR.".into(),
    };
    Ok(writeln!(story.out, "\n{}", escape_controls(&ending))?)
}

/// A query with the answer it must give.
struct Question {
    predicate: Option<String>,
    columns: Option<&'static str>,
    lesson: &'static str,
    rows: u64,
}

fn questions(facts: &Facts) -> Vec<Question> {
    let star = format!("product_id = '{STAR_PRODUCT}'");
    let all = |of: &dyn Fn(&_) -> u64| STORES.iter().map(of).sum();
    vec![
        Question {
            predicate: Some("store_id = 'S01'".into()),
            columns: None,
            lesson: "The directory names answer this: the other stores are never opened.",
            rows: facts.rows(&STORES[0]),
        },
        Question {
            predicate: Some(star.clone()),
            columns: None,
            lesson: "No directory knows products, but every row group knows its smallest and largest.",
            rows: all(&|store| facts.star_rows(store)),
        },
        Question {
            predicate: Some(format!("store_id = 'S01' AND {star}")),
            columns: None,
            lesson: "Both: directories first, then row groups of what is left.",
            rows: facts.star_rows(&STORES[0]),
        },
        Question {
            predicate: None,
            columns: Some("store_id,revenue"),
            lesson: "Fewer columns, fewer bytes; store_id is in no file: the directory knows it.",
            rows: facts.total_rows(),
        },
        Question {
            predicate: Some("unit_cost < unit_price".into()),
            columns: None,
            lesson: "Two columns: Spark reads every row for this. The bounds of both often decide it.",
            rows: all(&|store| facts.profitable_rows(store)),
        },
    ]
}

struct Story<'a> {
    facts: Facts,
    out: io::StdoutLock<'a>,
    palette: Palette,
}

impl Story<'_> {
    fn introduce(&mut self) -> Result {
        let rows = STORES.map(|store| format!("{} {}", store.id, count(self.facts.rows(&store))));
        Ok(writeln!(
            self.out,
            "A shop chain's orders, made up: {} rows ({}), product {STAR_PRODUCT} {} times in S01.",
            count(self.facts.total_rows()),
            rows.join(", "),
            count(self.facts.star_rows(&STORES[0])),
        )?)
    }

    /// Writes the facts partitioned by store.
    fn write(&mut self, format: Format, directory: &Path) -> Result<PathBuf> {
        let dataset = directory.join(format!("orders_{format}"));
        let began = Instant::now();
        let file_rows = self.facts.rows(&STORES[0]).div_ceil(FILES);
        let mut options = TableOptions {
            file_rows,
            ..TableOptions::default()
        };
        options.file.format = format;
        options.file.row_group_rows = file_rows.div_ceil(ROW_GROUPS) as usize;
        let mut writer = TableWriter::new(&dataset, self.facts.schema(), &["store_id"], options)?;
        for store in &STORES {
            for batch in self.facts.batches(store, BATCH_ROWS) {
                writer.write(&batch)?;
            }
        }
        let files = writer.finish()?;
        let size = files.iter().map(|file| file.bytes).sum();
        let (elapsed, total) = (seconds(began.elapsed()), plural(files.len() as u64, "file"));
        let size = bytes(size);
        writeln!(
            self.out,
            "\nMade and written as {format}, partitioned by store_id: {total}, {size}, {elapsed}."
        )?;
        Ok(dataset)
    }

    fn ask_all(&mut self, dataset: PathBuf) -> Result {
        let name = dataset.file_name().unwrap_or_default().display();
        let name = name.to_string();
        let opened = Opened::new(&Input::new([dataset.clone()]))?;
        for (number, question) in questions(&self.facts).iter().enumerate() {
            writeln!(self.out, "\n{}. {}", number + 1, question.lesson)?;
            writeln!(
                self.out,
                "   lith explain {}{} --engine spark --analyze",
                escape_controls(&name),
                words(question)
            )?;
            self.ask(&opened, question)?;
        }
        Ok(())
    }

    fn ask(&mut self, opened: &Opened, question: &Question) -> Result {
        let Question {
            predicate,
            columns,
            rows: expected,
            ..
        } = question;
        let plan = opened.plan(predicate.as_deref(), *columns, None)?;
        let explanation = opened.explain(&plan, Engine::Spark)?;
        write!(self.out, "\n{}", explanation.text(&self.palette))?;
        let run = Run::new(opened, &plan, true)?;
        if run.rows != *expected {
            let message = format!(
                "{} where {} must be:{}",
                plural(run.rows, "row"),
                count(*expected),
                words(question)
            );
            return Err(Failure::Difference(message));
        }
        Ok(write!(self.out, "{}", run.text(", as they must be"))?)
    }
}

/// The question as command line arguments.
fn words(question: &Question) -> String {
    let predicate = question
        .predicate
        .iter()
        .map(|text| format!(" -w \"{text}\""));
    let columns = question.columns.iter().map(|names| format!(" -c {names}"));
    predicate.chain(columns).collect()
}
