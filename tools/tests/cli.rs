//! The command as a user meets it: what it prints, and how it fails.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, Vector};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;
use serde_json::{Value, json};

fn lith(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lith"));
    command.args(args).stdin(Stdio::null()).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = lith(args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn an_unwritable_standard_error_changes_no_exit_code() {
    let full = || {
        fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap()
    };
    for (args, code) in [
        (&["count", "there/is/no/such.parquet"][..], 3),
        (&["count"], 2),
        (&["count", "--no-such-flag"], 2),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lith"));
        let status = command.args(args).stderr(full()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{args:?}");
    }
}

/// The command must end with this code, say one line that holds all of `words`, and print nothing.
fn fails(args: &[&str], code: i32, words: &[&str]) {
    let output = lith(args);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {complaint}");
    assert_eq!(complaint.lines().count(), 1, "{args:?}: {complaint}");
    for word in words {
        assert!(
            complaint.contains(word),
            "{args:?}: no {word:?} in {complaint}"
        );
    }
    assert!(output.stdout.is_empty(), "{args:?} printed something");
}

/// Four rows that Spark 4.3 wrote, partitioned by `colA`.
fn fixture(format: &str) -> String {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fixtures
        .join(format!("datafilter_{format}"))
        .display()
        .to_string()
}

/// The first data file of a fixture.
fn file(format: &str) -> PathBuf {
    let mut entries = fs::read_dir(Path::new(&fixture(format)).join("colA=1")).unwrap();
    entries.next().unwrap().unwrap().path()
}

#[test]
fn the_demo_tells_its_counts_in_both_formats() {
    let text = stdout(&["demo", "--scale", "0.001"]);
    let counts = [
        "4,000 rows, as",
        "1,749 rows, as",
        "700 rows, as",
        "10,000 rows, as",
        "9,625 rows, as",
    ];
    for count in counts {
        assert_eq!(text.matches(count).count(), 2, "{count} in {text}");
    }
    for line in [
        "partitions       1 of 3",
        "PushedFilters    [IsNotNull(product_id), EqualTo(product_id,P004)]",
    ] {
        assert_eq!(text.matches(line).count(), 4, "{line} in {text}");
    }
    assert_eq!(
        text.matches("ReadSchema       struct<revenue:double>")
            .count(),
        2,
        "{text}"
    );
    assert_eq!(text.matches("compares two columns").count(), 2, "{text}");
}

#[test]
fn the_commands_that_the_demo_prints_explain_the_same() {
    let scratch = tempfile::tempdir().unwrap();
    let directory = scratch.path().to_str().unwrap();
    let text = stdout(&["demo", "--scale", "0.001", "-o", directory]);
    let commands = text
        .lines()
        .filter_map(|line| line.strip_prefix("   lith "));
    let commands: Vec<&str> = commands.collect();
    assert_eq!(commands.len(), 10);
    for command in commands {
        let output = Command::new("sh")
            .args([
                "-c",
                &format!("\"$0\" {command}"),
                env!("CARGO_BIN_EXE_lith"),
            ])
            .current_dir(directory)
            .output()
            .unwrap();
        assert!(output.status.success(), "{command}: {output:?}");
        let shown = String::from_utf8(output.stdout).unwrap();
        let (tree, ran) = shown.split_once("\nran in ").unwrap();
        let tree = tree.split_once('\n').unwrap().1;
        assert!(text.contains(tree), "{command}: {tree} is not in {text}");
        assert!(ran.contains(" rows\n"), "{command}: {ran}");
    }
}

#[test]
fn explain_prints_what_spark_prints() {
    let cases = [
        (
            "colA < 10",
            json!([["isnotnull(colA)", "(colA < 10)"], [], [], null]),
        ),
        (
            "colB < 10",
            json!([
                [],
                ["isnotnull(colB)", "(colB < 10)"],
                ["IsNotNull(colB)", "LessThan(colB,10)"],
                "(isnotnull(colB) AND (colB < 10))"
            ]),
        ),
        (
            "colB < colC",
            json!([
                [],
                ["isnotnull(colB)", "isnotnull(colC)", "(colB < colC)"],
                ["IsNotNull(colB)", "IsNotNull(colC)"],
                "((isnotnull(colB) AND isnotnull(colC)) AND (colB < colC))"
            ]),
        ),
    ];
    for (format, (predicate, lists)) in ["parquet", "orc"]
        .iter()
        .flat_map(|f| cases.iter().map(move |c| (f, c)))
    {
        let text = stdout(&[
            "explain",
            &fixture(format),
            "-w",
            predicate,
            "--engine",
            "spark",
            "-f",
            "json",
        ]);
        let explained: Value = serde_json::from_str(&text).unwrap();
        let keys = [
            "partition_filters",
            "data_filters",
            "pushed_filters",
            "post_filter",
        ];
        let found: Vec<&Value> = keys.iter().map(|key| &explained[key]).collect();
        assert_eq!(json!(found), *lists, "{format}: {predicate}");
        assert_eq!(explained["read_schema"], "struct<colB:int,colC:int>");
        assert_eq!(explained["schema_version"], 1);
    }
}

#[test]
fn the_reading_commands_agree_on_both_formats() {
    let rows = "{\"colB\":2,\"colC\":3,\"colA\":1}\n{\"colB\":2,\"colC\":3,\"colA\":2}\n";
    for format in ["parquet", "orc"] {
        let data = &fixture(format);
        assert_eq!(stdout(&["count", data]), "4\n");
        assert_eq!(
            stdout(&["count", data, "-w", "colB < 10 AND colA < 3"]),
            "2\n"
        );
        assert_eq!(stdout(&["count", data, "-w", "-colB = -2"]), "2\n");
        assert_eq!(
            stdout(&["scan", data, "-w", "colB < 10", "-f", "jsonl"]),
            rows
        );
        assert_eq!(
            stdout(&["scan", data, "-c", "colA", "-n", "1", "-f", "csv"]),
            "colA\n1\n"
        );
        assert_eq!(
            stdout(&["schema", data, "-f", "spark"]),
            "struct<colB:int,colC:int,colA:int>\n"
        );
        let groups = match format {
            "parquet" => "4 rows in 3 row groups",
            _ => "4 rows in 3 stripes",
        };
        assert!(stdout(&["inspect", data]).contains(groups));
        let inspected: Value =
            serde_json::from_str(&stdout(&["inspect", data, "-f", "json"])).unwrap();
        assert_eq!(inspected["columns"][0]["max"], 24);
    }
}

#[test]
fn bad_input_is_one_line_that_names_file_and_place() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    for format in ["parquet", "orc"] {
        let bytes = fs::read(file(format)).unwrap();
        for length in [1, 7, 8, 11, bytes.len() / 2, bytes.len() - 1] {
            fs::write(at("cut"), &bytes[..length]).unwrap();
            fails(&["scan", &at("cut")], 4, &["cut"]);
            fails(&["inspect", &at("cut")], 4, &["cut"]);
        }
    }
    fs::write(at("neither"), "a line of text that is no table at all").unwrap();
    fails(
        &["count", &at("neither")],
        4,
        &["neither", "Parquet", "ORC"],
    );
    fs::write(at("empty"), "").unwrap();
    fails(&["schema", &at("empty")], 4, &["empty"]);
    fails(&["count", &at("absent")], 3, &["absent"]);
    fs::create_dir(at("bare")).unwrap();
    fails(&["count", &at("bare")], 3, &["bare", "no data file"]);
}

#[test]
fn a_table_of_sql_has_one_place_and_one_format() {
    let (parquet, orc) = (fixture("parquet"), fixture("orc"));
    let told = "a table of SQL has";
    fails(
        &["schema", "-f", "ddl", &parquet, &orc],
        2,
        &[told, "several paths"],
    );
    let pattern = format!("{parquet}/*/*.parquet");
    fails(
        &["schema", "-f", "ddl", &pattern],
        2,
        &[told, "not a pattern", &pattern],
    );
    let scratch = tempfile::tempdir().unwrap();
    for format in ["parquet", "orc"] {
        fs::copy(file(format), scratch.path().join(format)).unwrap();
    }
    let both = scratch.path().to_str().unwrap();
    fails(
        &["schema", "-f", "ddl", both],
        2,
        &[told, "one format", both],
    );
}

#[test]
fn wrong_words_are_told_in_one_line() {
    fails(
        &["scan", "f", "-n", "-1"],
        2,
        &["lith: invalid value '-1'", "--help"],
    );
    fails(
        &["count", "f", "-x"],
        2,
        &["lith: unexpected argument '-x'"],
    );
    fails(
        &["scan", "f", "-f", "xml"],
        2,
        &["lith: invalid value 'xml'", "csv"],
    );
    fails(
        &["count"],
        2,
        &["lith: the following required arguments", "<PATH>"],
    );
}

#[test]
fn an_output_is_what_its_name_says() {
    let scratch = tempfile::tempdir().unwrap();
    let text = |name: &str| {
        let path = scratch.path().join(name);
        let output = path.to_str().unwrap();
        stdout(&["scan", &fixture("parquet"), "-n", "1", "-o", output]);
        fs::read_to_string(path).unwrap()
    };
    assert_eq!(text("a.csv"), "colB,colC,colA\n2,3,1\n");
    assert_eq!(text("a.jsonl"), "{\"colB\":2,\"colC\":3,\"colA\":1}\n");
}

#[test]
fn fields_of_structs_are_columns_of_their_own() {
    let Some(shared) = std::env::var_os("LITH_SHARED").map(PathBuf::from) else {
        eprintln!("LITH_SHARED is not set: nothing nested is scanned");
        return;
    };
    let dataset = shared.join("oracle/spark/datasets/transactions_parquet");
    let dataset = dataset.display().to_string();
    let scan = |columns: &str, more: &[&str]| {
        let asked = ["scan", &dataset, "-w", "id = 452", "-c", columns];
        stdout(&[&asked, more].concat())
    };
    let whole = scan("nested", &["-f", "jsonl"]);
    assert_eq!(
        whole,
        "{\"nested\":{\"a\":2,\"b\":{\"c\":\"y\",\"d\":-0.15}}}\n"
    );
    let fields = "nested.b.d,tags,nested.A";
    let text = "{\"d\":-0.15,\"tags\":[\"green\",null,null],\"a\":2}\n";
    assert_eq!(scan(fields, &["-f", "jsonl"]), text);
    let text = "d,tags,a\n-0.15,\"[\"\"green\"\",null,null]\",2\n";
    assert_eq!(scan(fields, &["-f", "csv"]), text);
    assert_eq!(scan("items.sku", &["-f", "jsonl"]), "{\"sku\":[]}\n");
    for unknown in ["nested.x", "items.x"] {
        fails(&["scan", &dataset, "-c", unknown], 2, &[unknown]);
    }
}

#[test]
fn explain_counts_the_bytes_of_the_columns_alone() {
    for format in ["parquet", "orc"] {
        let bytes = |columns: &str| {
            let text = stdout(&["explain", &fixture(format), "-c", columns, "-f", "json"]);
            let plan: Value = serde_json::from_str(&text).unwrap();
            plan["bytes"]["selected"].as_u64().unwrap()
        };
        let (one, both) = (bytes("colB"), bytes("colB,colC"));
        assert!(0 < one && one < both, "{format}: {one} of {both}");
    }
}

#[test]
fn what_is_no_file_is_told_from_what_is_not_there() {
    fails(
        &["count", "s3://bucket/*.orc"],
        4,
        &["s3://bucket/*.orc", "remote"],
    );
    fails(
        &["count", "no/such.orc"],
        3,
        &["no/such.orc", "No such file"],
    );
    fails(&["count", "/dev/null"], 3, &["/dev/null", "neither a file"]);
}

#[test]
fn explain_names_both_formats_of_a_mixture() {
    let (parquet, orc) = (fixture("parquet"), fixture("orc"));
    let text = stdout(&["explain", &parquet, &orc, "-w", "colB < 10", "-f", "json"]);
    let plan: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(plan["format"], json!("orc, parquet"));
    assert_eq!(plan["engine"], json!("lith"));
    assert_eq!(plan["files"], json!({"total": 6, "selected": 6}));
}

#[test]
fn bad_queries_are_one_line_and_write_nothing() {
    let scratch = tempfile::tempdir().unwrap();
    let output = scratch.path().join("rows.jsonl");
    let data = &fixture("parquet");
    let queries = [
        (vec!["-w", "colB <"], vec!["expected"]),
        (vec!["-w", "colB < 10 10"], vec!["character 11"]),
        (vec!["-w", "clB < 10"], vec!["character 1", "colB"]),
        (vec!["-c", "colB,nope"], vec!["parquet: no column nope"]),
        (
            vec!["-c", "colB,,colC"],
            vec!["parquet: \"\" is no column name"],
        ),
        (vec!["-w", "colB"], vec!["boolean"]),
        (vec!["-w", "colB / 0 > 1"], vec!["zero"]),
        (vec!["-w", "cast('x' as int) = colB"], vec!["x"]),
        (
            vec!["--schema", "colB whole"],
            vec!["lith: --schema, character 6: there is no type whole"],
        ),
        (
            vec!["--schema", "colB"],
            vec!["lith: --schema, character 5: expected a type, found the end"],
        ),
        (
            vec!["--schema", "a int, a int"],
            vec!["lith: --schema: the column a is declared twice"],
        ),
    ];
    for (query, mut words) in queries {
        let mut args = vec!["scan", data, "-o", output.to_str().unwrap()];
        // the option is to blame for what it says, not a file
        words.extend((query[0] != "--schema").then_some("datafilter_parquet"));
        args.extend(query);
        fails(&args, 2, &words);
        assert!(!output.exists(), "{args:?} wrote something");
    }
}

#[test]
fn a_plan_that_fails_is_shown_before_the_error() {
    let data = &fixture("parquet");
    let fails = |format: &str| {
        let args = [
            "explain",
            data,
            "-w",
            "colB / (colB - colB) > 1",
            "--analyze",
            "-f",
            format,
        ];
        let output = lith(&args);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains("division by zero"), "{error}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = fails("text");
    assert!(
        text.starts_with("scan of parquet") && !text.contains("ran in"),
        "{text}"
    );
    let json: Value = serde_json::from_str(&fails("json")).unwrap();
    let error = json["analyze"]["error"].as_str().unwrap();
    assert!(error.contains("division by zero"), "{error}");
    assert_eq!(json["files"]["selected"], 3);
}

#[test]
fn the_help_of_explain_lists_the_functions() {
    for args in [vec!["explain", "--help"], vec!["help", "explain"]] {
        let help = stdout(&args);
        let (_, functions) = help.split_once("Functions:").unwrap();
        let functions: Vec<&str> = functions.split_whitespace().collect();
        assert!(
            functions.contains(&"date_trunc") && functions.len() > 60,
            "{functions:?}"
        );
    }
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_lith"))
        .args(["demo", "--scale", "0.01"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
}

#[cfg(unix)]
#[test]
fn directories_that_a_condition_rules_out_are_not_opened() {
    let scratch = tempfile::tempdir().unwrap();
    let root = scratch.path().display().to_string();
    for part in ["part=1", "part=2", "part=3"] {
        fs::create_dir(scratch.path().join(part)).unwrap();
        fs::copy(file("parquet"), scratch.path().join(part).join("f.parquet")).unwrap();
    }
    let link = scratch.path().join("part=3/link");
    std::os::unix::fs::symlink("nowhere", link).unwrap();
    let query = |predicate| ["count", &*root, "-w", predicate];
    let (one, two) = (stdout(&query("part = 2")), stdout(&query("part < 3")));
    let number = |text: String| text.trim().parse::<u64>().unwrap();
    assert_eq!(number(two), 2 * number(one));
    fails(&query("part >= 2"), 3, &["part=3/link"]);
    fails(&query("nope = 2"), 3, &["part=3/link"]);
    // nor may they be written to
    fs::remove_file(scratch.path().join("part=3/link")).unwrap();
    let output = format!("{root}/part=3/f.parquet");
    let args = ["scan", &*root, "-w", "part = 2", "-o", &*output];
    fails(&args, 2, &["one of the inputs"]);
    fails(&query("nope = 2"), 2, &["nope"]);
}

#[test]
fn an_output_is_whole_or_untouched_and_never_an_input() {
    let scratch = tempfile::tempdir().unwrap();
    let input = scratch.path().join("in.parquet").display().to_string();
    let output = scratch.path().join("out.jsonl").display().to_string();
    fs::copy(file("parquet"), &input).unwrap();
    let before = fs::read(&input).unwrap();
    fails(&["scan", &input, "-o", &input], 2, &["one of the inputs"]);
    for other in ["x.parquet", "x.orc", "x.csv.gz"] {
        let other = format!("{output}.{other}");
        fails(&["scan", &input, "-o", &other], 2, &[".csv"]);
        assert!(!Path::new(&other).exists());
    }
    assert_eq!(fs::read(&input).unwrap(), before);
    stdout(&["scan", &input, "-n", "1", "-o", &output]);
    // the last of the directories fails after rows of the others have passed
    let data = &fixture("parquet");
    fails(
        &["scan", data, "-w", "1 div (colC - 300) < 5", "-o", &output],
        2,
        &["zero"],
    );
    assert_eq!(fs::read_to_string(&output).unwrap().lines().count(), 1);
    assert_eq!(
        fs::read_dir(scratch.path()).unwrap().count(),
        2,
        "a temporary file is left"
    );
}

#[cfg(unix)]
#[test]
fn what_people_read_holds_no_control_characters() {
    let scratch = tempfile::tempdir().unwrap();
    let partition = scratch.path().join("p=\u{1b}[31m\nx");
    fs::create_dir(&partition).unwrap();
    fs::copy(file("parquet"), partition.join("\u{9b}2J.parquet")).unwrap();
    let data = partition.parent().unwrap().to_str().unwrap();
    let one = partition.join("\u{9b}2J.parquet");
    let one = one.to_str().unwrap();
    let predicate = "p = '\u{1b}[31m\nx' AND colB > 0";
    let commands = [
        vec!["inspect", data],
        vec!["inspect", one],
        vec!["schema", one],
        vec!["schema", data, "-f", "spark"],
        vec!["scan", data, "-f", "table"],
        vec!["explain", one],
        vec!["explain", data, "-w", predicate],
        vec!["explain", data, "-w", predicate, "--engine", "spark"],
    ];
    for args in commands {
        let text = stdout(&args);
        let hostile = |c: char| c.is_control() && c != '\n';
        assert!(!text.contains(hostile), "{args:?}: {text:?}");
        assert!(!text.contains("\nx"), "{args:?}: {text:?}");
    }
}

/// JSON keeps every value and holds no character that a terminal acts on.
#[test]
fn json_is_safe_to_look_at() {
    let name = "a\u{7f}\u{9b}2J\u{202e}\u{2066}\u{1b}é";
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("\u{200f}.parquet");
    write(&path, vec![Field::nullable(name, LogicalType::Int32)]);
    let path = path.to_str().unwrap();
    for args in [
        vec!["inspect", path, "-f", "json"],
        vec!["meta", path, "-f", "json"],
        vec!["pages", path, "-f", "json"],
        vec!["stats", path, "-f", "json"],
        vec!["schema", path, "-f", "json"],
        vec!["explain", path, "-f", "json"],
        vec!["scan", path, "-f", "jsonl"],
        vec!["scan", path, "-f", "table"],
    ] {
        let text = stdout(&args);
        let hostile = |c: char| {
            let turns = matches!(c, '\u{200f}' | '\u{202e}' | '\u{2066}');
            turns || c.is_control() && c != '\n'
        };
        assert!(!text.contains(hostile), "{args:?}: {text:?}");
        if !args.contains(&"table") && args[0] != "explain" {
            let shown: Value = serde_json::from_str(&text).unwrap();
            let quoted = shown.to_string();
            assert!(
                quoted.contains("2J\u{202e}\u{2066}"),
                "{args:?}: {quoted:?}"
            );
        }
    }
}

/// A file that cannot be read does not keep the others from being shown.
#[test]
fn what_cannot_be_read_is_told_and_the_others_are_shown() {
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name);
    for name in ["a.parquet", "c.parquet"] {
        fs::copy(file("parquet"), at(name)).unwrap();
    }
    fs::write(at("b.parquet"), b"PAR1 is cut off").unwrap();
    let all = scratch.path().to_str().unwrap();
    for (command, once) in [
        ("inspect", "\"files\":2,"),
        ("meta", "c.parquet\","),
        ("pages", "c.parquet\","),
        ("stats", "c.parquet\","),
    ] {
        let output = lith(&[command, all, "-f", "json"]);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{command}: {complaint}");
        assert_eq!(complaint.lines().count(), 1, "{command}: {complaint}");
        assert!(complaint.contains("b.parquet: footer"), "{complaint}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(once), "{command}: {text}");
        for line in text.lines() {
            serde_json::from_str::<Value>(line).unwrap();
        }
        let b = at("b.parquet");
        fails(&[command, b.to_str().unwrap()], 4, &["b.parquet"]);
    }
    let text = String::from_utf8(lith(&["meta", all]).stdout).unwrap();
    let files = text.lines().filter(|line| line.starts_with("file: "));
    assert_eq!(files.count(), 2);
    for command in ["meta", "pages"] {
        let (a, c) = (at("a.parquet"), at("c.parquet"));
        let paths = [a.to_str().unwrap(), "/nowhere", c.to_str().unwrap()];
        let output = lith(&[&[command, "-f", "json"], &paths[..]].concat());
        assert_eq!(output.status.code(), Some(3));
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().count(), 2);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.starts_with("lith: /nowhere: "), "{complaint}");
    }
}

/// Pages that only the indexes know are shown without what their headers say.
#[test]
fn pages_shows_what_is_sound_and_tells_the_rest() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("pages.parquet");
    fs::copy(file("parquet"), &path).unwrap();
    let path = path.to_str().unwrap();
    let strides = || -> Vec<Value> {
        let output = lith(&["pages", path, "-f", "json"]);
        let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
        shown["strides"].as_array().unwrap().clone()
    };
    let sound = strides();
    let first = sound
        .iter()
        .position(|page| page["page_type"] == "DATA_PAGE");
    let first = first.unwrap();
    let mut bytes = fs::read(path).unwrap();
    let offset = sound[first]["offset"].as_u64().unwrap() as usize;
    bytes[offset] = 0xff;
    fs::write(path, bytes).unwrap();
    let broken = strides();
    let output = lith(&["pages", path]);
    assert_eq!(output.status.code(), Some(4));
    let complaint = String::from_utf8(output.stderr).unwrap();
    let place = format!("thrift at byte {offset}: ");
    assert!(complaint.contains(&place), "{complaint}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(" error ") && text.contains(&place), "{text}");
    let output = lith(&["meta", path, "-f", "json"]);
    assert_eq!(output.status.code(), Some(4));
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
    assert!(complaint.contains(&place), "{complaint}");
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["file"], json!(path));
    let mut errors = shown["chunks"].as_array().unwrap().iter();
    assert!(errors.any(|chunk| chunk["page_error"].is_string()));
    // the error, then the same pages, of which one lacks what its header said
    assert_eq!(broken.len(), sound.len() + 1);
    let error = broken[first]["error"].as_str().unwrap();
    assert!(error.starts_with(&place), "{error}");
    let (bare, whole) = (&broken[first + 1], &sound[first]);
    assert_eq!(bare["offset"], whole["offset"]);
    assert_eq!(
        (&bare["min"], &bare["rows"]),
        (&whole["min"], &whole["rows"])
    );
    assert_eq!(
        (&bare["page_type"], &bare["encoding"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(broken[first + 2..], sound[first + 1..]);
}

#[cfg(unix)]
#[test]
fn a_dataset_may_have_more_files_than_may_be_open() {
    let scratch = tempfile::tempdir().unwrap();
    for part in 0..100 {
        let partition = scratch.path().join(format!("part={part}"));
        fs::create_dir(&partition).unwrap();
        fs::copy(file("parquet"), partition.join("a.parquet")).unwrap();
    }
    for command in ["inspect", "explain", "schema", "count", "scan"] {
        let limited = Command::new("sh")
            .args(["-c", "ulimit -n 40 && exec \"$@\"", "sh"])
            .args([env!("CARGO_BIN_EXE_lith"), command])
            .arg(scratch.path())
            .output()
            .unwrap();
        assert!(limited.status.success(), "{command}: {limited:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_output_that_is_no_regular_file_stays_what_it_is() {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    let scratch = tempfile::tempdir().unwrap();
    let at = |name: &str| scratch.path().join(name).display().to_string();
    let one = |output: &str| {
        let data = fixture("parquet");
        lith(&["scan", &data, "-c", "colA", "-n", "1", "-o", output])
    };
    assert_eq!(one("-").stdout, b"{\"colA\":1}\n");

    let made = Command::new("mkfifo").arg(at("pipe")).status().unwrap();
    assert!(made.success());
    let reader = Command::new("cat")
        .arg(at("pipe"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    assert!(one(&at("pipe")).status.success());
    assert_eq!(reader.wait_with_output().unwrap().stdout, b"{\"colA\":1}\n");
    assert!(
        fs::symlink_metadata(at("pipe"))
            .unwrap()
            .file_type()
            .is_fifo()
    );

    // through a link, so that a device is safe even from a mistake here
    if Path::new("/dev/full").exists() {
        symlink("/dev/full", at("full")).unwrap();
        let data = &fixture("parquet");
        fails(&["scan", data, "-o", &at("full")], 3, &["full", "No space"]);
        assert!(fs::symlink_metadata(at("full")).unwrap().is_symlink());
    }
    fs::create_dir(at("directory")).unwrap();
    fails(
        &["scan", &fixture("parquet"), "-o", &at("directory")],
        3,
        &["directory: "],
    );
    fails(
        &["scan", &fixture("parquet"), "-o", &at("no/such")],
        3,
        &["no/such: "],
    );

    // a new file is for whom the user's mask says, as the shell's would be
    assert!(one(&at("rows")).status.success());
    fs::write(at("plain"), "").unwrap();
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode();
    assert_eq!(mode("rows"), mode("plain"));
}

#[test]
fn meta_shows_what_an_orc_file_says_of_itself() {
    let path = file("orc").display().to_string();
    let shown: Value = serde_json::from_str(&stdout(&["meta", &path, "-f", "json"])).unwrap();
    assert_eq!(shown["schema_version"], json!(1));
    assert_eq!(shown["postscript"]["compression"], json!("ZSTD"));
    assert_eq!(shown["footer"]["types"][0]["kind"], json!("STRUCT"));
    assert!(shown["stripes"][0]["row_index"]["1"]["entry"][0]["statistics"].is_object());
    let text = stdout(&["meta", &path]);
    assert!(text.contains("\n  compression: ZSTD\n"), "{text}");
}

/// `meta` and `pages` take what other commands take: one file speaks alone, several are named.
#[test]
fn each_file_of_several_is_named() {
    let (parquet, orc) = (fixture("parquet"), fixture("orc"));
    let (glob, one) = (
        format!("{parquet}/colA=*"),
        file("orc").display().to_string(),
    );
    for (command, member, line) in [
        ("meta", "format", "schema_version: 1"),
        ("pages", "strides", "column   "),
    ] {
        let shown = stdout(&[command, &glob, &orc, &one, "-f", "json"]);
        let lines = shown
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let files: Vec<Value> = lines.collect();
        let names: Vec<&str> = files
            .iter()
            .map(|file| file["file"].as_str().unwrap())
            .collect();
        assert!(
            names.len() > 3 && names.is_sorted() && names.contains(&one.as_str()),
            "{names:?}"
        );
        assert!(files.iter().all(|file| file[member] != Value::Null));

        let text = stdout(&[command, &parquet, &orc]);
        for name in names {
            let at = text.find(&format!("file: {name}\n")).unwrap();
            assert!(text[at..].lines().nth(1).unwrap().contains(line), "{text}");
        }
        assert!(!stdout(&[command, &one]).contains("file: "));
        let alone: Value = serde_json::from_str(&stdout(&[command, &one, "-f", "json"])).unwrap();
        assert_eq!(
            (&alone["file"], &alone["schema_version"]),
            (&json!(one), &json!(1))
        );
        fails(&[command, &format!("{parquet}/nothing*")], 3, &["nothing"]);
    }
}

#[test]
fn inspect_knows_sizes_and_encodings_of_both_formats() {
    for (format, encoding) in [("parquet", "PLAIN"), ("orc", "DIRECT_V2")] {
        let text = stdout(&["inspect", &fixture(format), "-f", "json"]);
        let shown: Value = serde_json::from_str(&text).unwrap();
        for column in shown["columns"].as_array().unwrap() {
            let encodings = column["encodings"].as_array().unwrap();
            assert!(encodings.contains(&json!(encoding)), "{column}");
            assert!(column["compressed_bytes"].as_u64() > Some(0), "{column}");
        }
    }
}

/// A Parquet file of one row of nulls.
fn write(path: &Path, fields: Vec<Field>) {
    let columns = fields
        .iter()
        .map(|field| Vector::constant(field.ty.clone(), Scalar::Null, 1));
    let batch = Batch {
        rows: 1,
        columns: columns.collect(),
        schema: Arc::new(Schema::new(fields.clone())),
    };
    let sink = fs::File::create(path).unwrap();
    let mut writer = FileWriter::new(sink, &batch.schema, WriteOptions::default()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

#[test]
fn inspect_tells_how_files_differ() {
    let scratch = tempfile::tempdir().unwrap();
    let field = |name, ty| Field::nullable(name, ty);
    write(
        &scratch.path().join("1.parquet"),
        vec![field("a", LogicalType::Int32)],
    );
    let wider = vec![
        field("a", LogicalType::Int64),
        field("b", LogicalType::String),
    ];
    write(&scratch.path().join("2.parquet"), wider);
    let path = scratch.path().to_str().unwrap();
    let shown: Value = serde_json::from_str(&stdout(&["inspect", path, "-f", "json"])).unwrap();
    let second = scratch.path().join("2.parquet").display().to_string();
    assert_eq!(
        shown["warnings"],
        json!([
            format!("a: bigint instead of int in {second}"),
            format!("b: string, which the first file lacks in {second}"),
        ])
    );
}

#[test]
fn a_column_that_only_another_file_has_is_told() {
    let scratch = tempfile::tempdir().unwrap();
    let field = |name| Field::nullable(name, LogicalType::Int32);
    for (name, columns) in [("1", &["a"][..]), ("2", &["a"]), ("3", &["a", "extra"])] {
        let path = scratch.path().join(name).with_extension("parquet");
        write(&path, columns.iter().map(|name| field(*name)).collect());
    }
    let path = scratch.path().to_str().unwrap();
    for query in [["-c", "extra"], ["-w", "extra = 1"]] {
        let words = [&["scan", path][..], &query].concat();
        let expected = [
            "no column extra; ",
            "3.parquet has it, but the columns are those of the first file, ",
            "1.parquet",
        ];
        fails(&words, 2, &expected);
    }
    fails(&["scan", path, "-c", "extr"], 2, &["no column extr\n"]);
}

#[test]
fn what_is_no_data_is_named_in_a_directory() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("part-0.parquet");
    write(&path, vec![Field::nullable("a", LogicalType::Int32)]);
    let path = scratch.path().to_str().unwrap();
    for name in ["_SUCCESS", ".DS_Store", ".part-0.parquet.crc"] {
        fs::write(scratch.path().join(name), "x").unwrap();
        assert_eq!(stdout(&["count", path]), "1\n");
    }
    fs::write(scratch.path().join("README.md"), "# orders").unwrap();
    let expected = ["README.md: neither Parquet nor ORC; ", "glob"];
    fails(&["count", path], 4, &expected);
    assert_eq!(
        stdout(&["count", &format!("{path}/*.{{parquet,orc}}")]),
        "1\n"
    );
}

#[test]
fn stats_show_the_bounds_of_every_row_group() {
    for format in ["parquet", "orc"] {
        let dataset = fixture(format);
        let text = stdout(&["stats", &dataset, "-c", "colC", "-f", "json"]);
        let shown: Value = serde_json::from_str(&text).unwrap();
        let stats = shown["stats"].as_array().unwrap();
        let all = |key: &str| stats.iter().map(|row| row[key].clone()).collect::<Vec<_>>();
        assert_eq!(all("column"), ["colC"; 3]);
        assert_eq!(all("min"), [3, 3, 300], "{format}");
        assert_eq!(all("max"), [299, 3, 300], "{format}");
        assert_eq!(all("null_count"), [0; 3]);
        assert_eq!(all("rows"), [2, 1, 1]);
        let table = stdout(&["stats", &dataset, "-c", "colC"]);
        assert_eq!(table.lines().count(), 5, "{table}");
    }
    fails(&["stats", &fixture("orc"), "-c", "nope"], 2, &["nope"]);
}

#[test]
fn schema_speaks_the_notations_of_both_formats_and_of_sql() {
    for format in ["parquet", "orc"] {
        let dataset = fixture(format);
        let text = |notation| stdout(&["schema", &dataset, "-f", notation]);
        // what is stored, without the directory's column
        assert_eq!(text("orc"), "struct<colB:int,colC:int>\n");
        let name = match format {
            "parquet" => "spark_schema",
            _ => "schema",
        };
        let fields = "{\n  optional int32 colB;\n  optional int32 colC;\n}\n";
        assert_eq!(text("parquet"), format!("message {name} {fields}"));
        let ddl = text("ddl");
        let lines: Vec<&str> = ddl.lines().collect();
        assert_eq!(
            lines[..7],
            [
                &*format!("CREATE TABLE datafilter_{format} ("),
                "  colB INT,",
                "  colC INT,",
                "  colA INT",
                ")",
                &*format!("USING {format}"),
                "PARTITIONED BY (colA)",
            ]
        );
    }
    // a single file speaks of itself
    let own = stdout(&["schema", file("parquet").to_str().unwrap(), "-f", "parquet"]);
    assert!(own.starts_with("message spark_schema {\n"), "{own}");
}

#[test]
fn pages_shows_the_strides_of_an_orc_file() {
    let path = file("orc").display().to_string();
    let args = ["pages", &path, "-c", "colB", "-f", "json"];
    let shown: Value = serde_json::from_str(&stdout(&args)).unwrap();
    let stride = &shown["strides"][0];
    assert_eq!(shown["strides"].as_array().unwrap().len(), 1);
    assert_eq!(stride["column"], json!("colB"));
    assert_eq!(stride["first_row"], json!(0));
    let bound = |name: &str| stride[name].as_i64().unwrap();
    assert!(bound("min") <= bound("max") && stride["min_exact"] == json!(true));
    assert_eq!(stride["encoding"], json!("DIRECT_V2"));
    assert_eq!(
        (&stride["values"], &stride["offset"]),
        (&stride["rows"], &Value::Null)
    );
    assert!(stdout(&["pages", &path]).contains("colC"));
    fails(&["pages", &path, "-c", "nope"], 2, &["nope"]);
}

#[test]
fn columns_are_matched_by_position_on_request() {
    for format in ["parquet", "orc"] {
        let dataset = fixture(format);
        let rows = |rest: &[&str]| {
            let all = ["scan", &*dataset, "-f", "csv"];
            let text = stdout(&[&all, rest].concat());
            text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
        };
        let declared = ["--schema", "x int, y int, colA int", "-c", "x,y,colA"];
        let (by_name, by_position) = (
            rows(&declared),
            rows(&[&declared[..], &["--by-position"]].concat()),
        );
        assert_eq!(by_position, rows(&["-c", "colB,colC,colA"]), "{format}");
        assert_eq!(by_name.len(), by_position.len());
        assert!(
            by_name.iter().all(|row| row.starts_with(",,")),
            "{by_name:?}"
        );
    }
    let declared = ["--schema", "x int, y int, colA int", "--by-position"];
    let shown = stdout(&[&["inspect", &*fixture("orc")], &declared[..]].concat());
    for name in ["x", "y"] {
        let mut lines = shown.lines();
        let is_shown = lines.any(|line| line.split_whitespace().next() == Some(name));
        assert!(is_shown, "{shown}");
    }
    let declared = ["scan", &*fixture("orc"), "--schema", "colB date"];
    let told =
        "the file holds int where the table has date; the table's columns are those of --schema";
    fails(&declared, 4, &["datafilter_orc", told]);
    let both = ["--by-position", "--merge-schema"];
    let dataset = fixture("orc");
    fails(
        &[&["scan", &*dataset], &both[..]].concat(),
        2,
        &["--by-position"],
    );
}

#[test]
fn json_does_not_hold_a_column_twice() {
    for command in ["scan", "head", "tail", "sample"] {
        let args = [command, &fixture("orc"), "-c", "colB,colB", "-f"];
        let twice = ["column colB is selected twice"];
        fails(&[&args[..], &["jsonl"]].concat(), 2, &twice);
        let shown = stdout(&[&args[..], &["csv"]].concat());
        assert!(shown.starts_with("colB,colB\n"), "{shown}");
    }
}

#[test]
fn keys_that_nothing_needs_are_told() {
    let secret = "00112233445566778899aabbccddeeff";
    let key = format!("kf={secret}");
    let output = lith(&["count", &fixture("orc"), "--key", &key]);
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("--key number 1 was not used"), "{told}");
    assert!(!told.contains(secret), "{told}");
    assert_eq!(told.lines().count(), 1);
}

#[test]
fn events_of_hive_acid_tables_are_told_by_schema_and_inspect() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("bucket_00000.parquet");
    let fields = |names: &[&str]| -> Vec<Field> {
        let field = |name: &&str| Field::nullable(*name, LogicalType::Int64);
        names.iter().map(field).collect()
    };
    let acid = [
        "operation",
        "originalTransaction",
        "bucket",
        "rowId",
        "currentTransaction",
        "row",
    ];
    let told = "rows are events of a Hive ACID table";
    for (names, is_acid) in [(&acid[..], true), (&acid[..5], false)] {
        write(&path, fields(names));
        let path = path.to_str().unwrap();
        let output = lith(&["schema", path]);
        assert!(output.status.success(), "{output:?}");
        let warning = String::from_utf8(output.stderr).unwrap();
        assert_eq!(warning.contains(told), is_acid, "{warning}");
        assert_eq!(stdout(&["inspect", path]).contains(told), is_acid);
    }
}

/// The seconds of every stage in the JSON of `explain --analyze`, and those of the whole run.
fn stage_seconds(path: &str, predicate: &str) -> (Vec<(String, f64)>, f64) {
    let args = ["explain", path, "-w", predicate, "--analyze", "-f", "json"];
    let told: Value = serde_json::from_str(&stdout(&args)).unwrap();
    let run = &told["analyze"];
    let stages = run["stage_seconds"].as_object().unwrap().iter();
    let stages = stages.map(|(name, seconds)| (name.clone(), seconds.as_f64().unwrap()));
    (stages.collect(), run["seconds"].as_f64().unwrap())
}

#[test]
fn stages_tell_where_the_time_went() {
    let threads = std::thread::available_parallelism().unwrap().get() as f64;
    for format in ["parquet", "orc"] {
        let (stages, seconds) = stage_seconds(&fixture(format), "colB <> colC");
        let names: Vec<&str> = stages.iter().map(|(name, _)| name.as_str()).collect();
        let all = "open read decompress levels decode filter gather";
        assert_eq!(names.join(" "), all);
        assert!(stages.iter().map(|(_, seconds)| seconds).sum::<f64>() <= threads * seconds);
        let spent = |stage: &str| {
            stages
                .iter()
                .any(|(name, seconds)| name == stage && *seconds > 0.0)
        };
        assert!(
            ["open", "read", "decode", "filter"].into_iter().all(spent),
            "{stages:?}"
        );
        assert_eq!(
            spent("decompress"),
            format == "parquet",
            "ORC stores few bytes as they are"
        );
        let (stages, _) = stage_seconds(&fixture(format), "colA = 9");
        assert!(
            stages.iter().all(|(_, seconds)| *seconds == 0.0),
            "{stages:?}"
        );
        let output = lith(&["scan", &fixture(format), "--metrics"]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            told.contains("time of all threads: open ") && told.contains(", gather "),
            "{told}"
        );
    }
}

#[test]
fn a_profile_tells_time_by_column_and_stage() {
    for format in ["parquet", "orc"] {
        let path = &fixture(format);
        let query = [
            "profile",
            path,
            "-w",
            "colB <> colC AND colB > 0",
            "-c",
            "colA,colB",
        ];
        let run = |format: &str| stdout(&[&query[..], &["-f", format]].concat());
        let profile: Value = serde_json::from_str(&run("json")).unwrap();
        let columns = profile["columns"].as_array().unwrap();
        let mut names: Vec<&str> = columns
            .iter()
            .filter_map(|c| c["column"].as_str())
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["colB", "colC"], "colA is a partition column");
        let seconds = |part: &Value| part["seconds"].as_f64().unwrap();
        let parts = || columns.iter().chain([&profile["scan"]]);
        let sum: f64 = parts().map(seconds).sum();
        assert!((sum - seconds(&profile["total"])).abs() < 1e-9, "{profile}");
        assert!(sum <= seconds(&profile) * profile["threads"].as_f64().unwrap());
        assert!(columns.is_sorted_by(|a, b| seconds(a) >= seconds(b)));
        let spent =
            |part: &Value, stage: &str| part["stage_seconds"][stage].as_f64().unwrap() > 0.0;
        assert!(
            columns
                .iter()
                .all(|column| spent(column, "read") && spent(column, "decode"))
        );
        let filters = |name: &str| {
            let part = parts().find(|part| part["column"].as_str().unwrap_or("scan") == name);
            spent(part.unwrap(), "filter")
        };
        assert_eq!(["colB", "colC", "scan"].map(filters), [true, false, true]);
        let all = ["bytes_read", "values_decoded"];
        assert!(
            all.iter()
                .all(|name| profile["scan"][name] == 0 && profile["total"][name] != 0)
        );

        let folded = run("folded");
        assert!(
            folded
                .lines()
                .any(|line| line.starts_with("lith;colB;decode ")),
            "{folded}"
        );
        for line in folded.lines() {
            let (stack, time) = line.rsplit_once(' ').unwrap();
            assert_eq!(
                (stack.split(';').count(), time.parse::<u64>().is_ok()),
                (3, true),
                "{line}"
            );
        }
        let text = run("text");
        assert!(
            text.contains("times are those of all threads together"),
            "{text}"
        );
        assert!(text.contains(" colB ") && text.contains(" (scan) ") && text.contains(" total "));
    }
    fails(
        &["profile", &fixture("orc"), "-w", "colZ = 1"],
        2,
        &["colZ"],
    );
}
