//! Tables for tests, plans evaluated on rows, and the oracle's queries planned and compared.

#![allow(dead_code, reason = "each test uses a part")]

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lith_format::limits::Limits;
use lith_format::meta::FileMeta;
use lith_format::orc::schema::{Dialect, FileSchema};
use lith_format::schema::{Field, Schema};
use lith_format::step::Step;
use lith_format::types::{LogicalType as T, TimeUnit, Zone};
use lith_format::vector::Batch;
use lith_format::{orc, parquet};
use lith_planner::ansi::EvalMode;
use lith_planner::ddl::parse_columns;
use lith_planner::discover::{DataFile, Dataset, Partition, PartitionTypes, discover};
use lith_planner::expr::Expr;
use lith_planner::plan::{Query, ScanPlan, Table, plan};
use lith_planner::sql;
use serde_json::Value;

/// A table of one file, which does not exist, without partition columns.
pub fn one_file(stored: &Schema) -> Table {
    let file = DataFile {
        path: "part-0".into(),
        bytes: 100,
        partition: 0,
    };
    let partition = Partition {
        directory: String::new(),
        values: Vec::new(),
    };
    let dataset = Dataset {
        files: vec![file],
        partitions: vec![partition],
        partition_columns: Vec::new(),
    };
    Table::new(stored, dataset)
}

/// For each row of a batch, whether the plan's predicates keep it.
pub fn kept_rows(plan: &ScanPlan, batch: &Batch) -> Vec<bool> {
    let mut kept = vec![!plan.empty; batch.rows];
    for predicate in plan.predicates().unwrap() {
        let truth = predicate.evaluate(batch).unwrap();
        for (row, kept) in kept.iter_mut().enumerate() {
            *kept &= truth.get(row);
        }
    }
    kept
}

/// The folder of cases and datasets.
pub struct Oracle {
    root: PathBuf,
    /// By dataset and format, with partition types inferred or not.
    tables: HashMap<(String, bool), Table>,
}

/// How a case went.
pub enum Outcome {
    /// As Spark.
    Equal,
    /// In these respects otherwise, with what was expected and found.
    Differs(Vec<(&'static str, String)>),
}

impl Oracle {
    /// The folder under `LITH_SHARED`.
    pub fn find() -> Option<Oracle> {
        let root = PathBuf::from(std::env::var_os("LITH_SHARED")?).join("oracle/spark");
        let datasets = read_array(&root.join("datasets.json"));
        let mut tables = HashMap::new();
        for dataset in &datasets {
            let name = format!(
                "{}_{}",
                text_of(dataset, "dataset"),
                text_of(dataset, "format")
            );
            let directory = root.join(text_of(dataset, "directory"));
            for types in [PartitionTypes::Inferred, PartitionTypes::Text] {
                let found = discover(&[&directory], types).unwrap();
                let table = Table::new(&schema_of(dataset), found);
                tables.insert((name.clone(), types == PartitionTypes::Inferred), table);
            }
        }
        Some(Oracle { root, tables })
    }

    /// The records of a file of the folder.
    pub fn records(&self, name: &str) -> Vec<Value> {
        read_array(&self.root.join(name))
    }

    /// All cases, by id.
    pub fn cases(&self) -> Vec<Value> {
        let entries = fs::read_dir(self.root.join("cases")).unwrap();
        let mut cases: Vec<Value> = entries
            .flat_map(|entry| read_array(&entry.unwrap().path()))
            .collect();
        cases.sort_by_key(|case| text_of(case, "id").to_owned());
        cases
    }

    /// Plans a case and compares.
    pub fn check(&self, case: &Value) -> Outcome {
        check(&self.table(case), case)
    }

    /// Plans a case.
    pub fn plan(&self, case: &Value) -> Result<ScanPlan, String> {
        run(&self.table(case), case)
    }

    /// The table as the case's reader options have it.
    fn table(&self, case: &Value) -> Cow<'_, Table> {
        let name = format!("{}_{}", text_of(case, "dataset"), text_of(case, "format"));
        let inference = &case["conf"]["spark.sql.sources.partitionColumnTypeInference.enabled"];
        let inferred = inference.as_str() != Some("false");
        let Some(columns) = case["options"]["schema"].as_str() else {
            let table = &self.tables[&(name, inferred)];
            if case["dataset"] != "evolved" || case["options"]["mergeSchema"] == "true" {
                return Cow::Borrowed(table);
            }
            // the record has the columns of all files
            let first = footer(&table.dataset.files[0].path);
            return Cow::Owned(Table::new(&first.schema, table.dataset.clone()));
        };
        let texts = self.tables[&(name, false)].dataset.clone();
        Cow::Owned(Table::declared(&parse_columns(columns).unwrap(), texts).unwrap())
    }
}

/// What the footer of a file says.
pub fn footer(path: &Path) -> FileMeta {
    let bytes = fs::read(path).unwrap();
    let (size, limits) = (bytes.len() as u64, Limits::default());
    if path.extension().is_some_and(|extension| extension == "orc") {
        let Step::Done(tail) = orc::tail::Tail::decode(&bytes, size, &limits).unwrap() else {
            panic!("the whole file is there");
        };
        let schema = FileSchema::decode(&tail.footer, Dialect::Spark, &limits).unwrap();
        return orc::neutral::file_meta(&tail, &schema, &limits).unwrap();
    }
    let tail = parquet::footer::Tail::decode(&bytes, size, &limits).unwrap();
    let range = tail.footer.start as usize..tail.footer.end as usize;
    let length = range.len() as u64;
    let bytes = bytes::Bytes::copy_from_slice(&bytes[range]);
    let metadata = parquet::footer::FileMetaData::decode(&bytes, &limits).unwrap();
    parquet::neutral::decode(&metadata, size, length, &limits)
        .unwrap()
        .meta
}

/// An array of records in a file.
pub fn read_array(path: &Path) -> Vec<Value> {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The table of a dataset's record whose files are only listed: they are made, empty, in a directory.
pub fn listed_table(dataset: &Value) -> Table {
    let root = tempfile::tempdir().unwrap();
    for file in texts(&dataset["files"]) {
        let path = root.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let found = discover(&[root.path()], PartitionTypes::Inferred).unwrap();
    Table::new(&schema_of(dataset), found)
}

/// Plans a case and compares.
pub fn check(table: &Table, case: &Value) -> Outcome {
    let mut differences = Vec::new();
    let fails_early = matches!(
        case["error_stage"].as_str(),
        Some("analysis" | "optimization" | "partition_pruning")
    );
    match run(table, case) {
        Err(_) if fails_early => {}
        Err(error) => differences.push(("all", error)),
        Ok(_) if fails_early => {
            differences.push(("all", format!("expected {}", case["error_class"])));
        }
        Ok(plan) => compare(case, &plan, &mut differences),
    }
    if differences.is_empty() {
        Outcome::Equal
    } else {
        Outcome::Differs(differences)
    }
}

fn text_of<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap()
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

/// Runs one query; settings that have no equal here are not honoured.
fn run(table: &Table, case: &Value) -> Result<ScanPlan, String> {
    let predicate = match &case["predicates"] {
        Value::Array(_) => {
            let all: Vec<String> = texts(&case["predicates"])
                .iter()
                .map(|text| format!("({text})"))
                .collect();
            Some(all.join(" AND "))
        }
        _ => case["predicate"].as_str().map(str::to_owned),
    };
    let query = Query {
        predicate: predicate.as_deref(),
        columns: selected(&case["select"])?,
        limit: case["limit"].as_u64(),
        case_sensitive: case["conf"]["spark.sql.caseSensitive"] == "true",
        mode: match case["conf"]["spark.sql.ansi.enabled"] == "false" {
            true => EvalMode::Legacy,
            false => EvalMode::Ansi,
        },
    };
    plan(table, &query).map_err(|error| format!("{:?} {error}", error.kind()))
}

/// The columns that a select list reads.
fn selected(select: &Value) -> Result<Option<Vec<String>>, String> {
    let Value::Array(_) = select else {
        return Ok(None);
    };
    let mut columns = Vec::new();
    for item in texts(select) {
        let item = item.split(" AS ").next().unwrap().to_owned();
        if item == "*" {
            return Ok(None);
        }
        if item == "count(*)" {
            continue;
        }
        let arguments = [
            "max(",
            "min(",
            "sum(",
            "count(DISTINCT ",
            "count(",
            "struct(",
            "size(",
        ]
        .iter()
        .find_map(|call| item.strip_prefix(call)?.strip_suffix(')'));
        let parts: Vec<&str> = match arguments {
            Some(arguments) => arguments.trim_end_matches(".*").split(", ").collect(),
            None => vec![item.trim_end_matches(".*")],
        };
        for part in parts {
            let expr = sql::parse(part).map_err(|error| error.to_string())?;
            match expr {
                Expr::Field { .. } => columns.push(expr.sql()),
                _ => columns.extend(expr.columns().into_iter().map(|column| column.sql())),
            }
        }
    }
    Ok(Some(columns))
}

fn compare(case: &Value, plan: &ScanPlan, out: &mut Vec<(&'static str, String)>) {
    let expects_empty = case["data_filters"].is_null() && case["partition_filters"].is_null();
    if plan.empty || expects_empty {
        if plan.empty != expects_empty {
            out.push(("all", format!("empty: expected {expects_empty}")));
        }
        return;
    }
    let spark = |exprs: &[Expr]| exprs.iter().map(Expr::spark).collect::<Vec<_>>();
    let mut lists = |name: &'static str, found: Vec<String>| {
        let expected = texts(&case[name]);
        if found != expected {
            out.push((
                name,
                format!("expected {expected:?}\n{:>30} {found:?}", "found"),
            ));
        }
    };
    lists("partition_filters", spark(&plan.classes.partition_filters));
    lists("data_filters", spark(&plan.classes.data_filters));
    lists("pushed_filters", plan.pushed_filters.clone());
    let post = plan.classes.post_filter_spark();
    if post.as_deref() != case["post_filter"].as_str() {
        out.push((
            "post_filter",
            format!("expected {}\n{:>30} {post:?}", case["post_filter"], "found"),
        ));
    }
    if case["read_schema"] != plan.read_schema.to_string() {
        let found = &plan.read_schema;
        out.push((
            "read_schema",
            format!("expected {}\n{:>30} {found}", case["read_schema"], "found"),
        ));
    }
    pruning(case, plan, out);
}

fn pruning(case: &Value, plan: &ScanPlan, out: &mut Vec<(&'static str, String)>) {
    let files = case["file_count_selected"].as_u64();
    let mut expected = texts(&case["selected_partition_dirs"]);
    let mut found = plan.selected_partitions.clone();
    if plan.partitions.selected == plan.partitions.total {
        found = vec!["*".to_owned()];
    }
    expected.sort();
    found.sort();
    let directories = case["selected_partition_dirs"].is_null() || expected == found;
    if !directories || files.is_some_and(|files| files != plan.files.selected) {
        out.push((
            "pruning",
            format!(
                "expected {files:?} {expected:?} found {} {found:?}",
                plan.files.selected
            ),
        ));
    }
}

/// The columns of a dataset's record.
pub fn schema_of(dataset: &Value) -> Schema {
    let columns = dataset["columns"].as_array().unwrap().iter();
    let fields = columns.map(|column| {
        Field::nullable(text_of(column, "name"), parse_type(text_of(column, "type")))
    });
    Schema::new(fields.collect())
}

/// A type in Spark's catalog notation.
fn parse_type(text: &str) -> T {
    let inside = |name: &str| text.strip_prefix(name)?.strip_suffix('>');
    if let Some(element) = inside("array<") {
        return T::List(Arc::new(Field::nullable("element", parse_type(element))));
    }
    if let Some(entry) = inside("map<") {
        let parts = split_top(entry);
        return T::Map(Arc::new([
            Field::required("key", parse_type(parts[0])),
            Field::nullable("value", parse_type(parts[1])),
        ]));
    }
    if let Some(fields) = inside("struct<") {
        let fields = split_top(fields).into_iter().map(|field| {
            let (name, ty) = field.split_once(':').unwrap();
            Field::nullable(name, parse_type(ty))
        });
        return T::Struct(fields.collect());
    }
    if let Some(decimal) = text.strip_prefix("decimal(") {
        let (precision, scale) = decimal.trim_end_matches(')').split_once(',').unwrap();
        return T::Decimal {
            precision: precision.parse().unwrap(),
            scale: scale.parse().unwrap(),
        };
    }
    let timestamp = |zone| T::Timestamp {
        unit: TimeUnit::Micros,
        zone,
    };
    match text {
        "boolean" => T::Boolean,
        "tinyint" => T::Int8,
        "smallint" => T::Int16,
        "int" => T::Int32,
        "bigint" => T::Int64,
        "float" => T::Float32,
        "double" => T::Float64,
        "date" => T::Date,
        "timestamp" => timestamp(Zone::Utc),
        "timestamp_ntz" => timestamp(Zone::Local),
        "string" => T::String,
        "binary" => T::Binary,
        other => panic!("{other}"),
    }
}

/// Splits at the commas outside of brackets.
fn split_top(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut out) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    out.push(&text[start..]);
    out
}
