//! `lith meta` of every ORC file of the shared corpus, against what the official protobuf classes say.
//!
//! A closed list: every file with an expectation is equal to it, or must be refused, with the kind of error
//! named here. Needs `LITH_SHARED`, a directory with `corpus`; says so where it is missing.

#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

mod corpus;

use std::fs;

use corpus::{corpus, difference, gunzip, lie_within, manifest, nulls_add_up, shown_or_refused};
use lith::meta::meta;
use lith_format::error::ErrorKind;
use lith_format::schema::LeafId;
use lith_reader::file::OpenOptions;
use serde_json::{Value, json};

/// What cannot be shown, and why.
const REFUSED: [(&str, ErrorKind); 1] = [
    // of no bytes
    ("orc/zero.orc", ErrorKind::Truncated),
];

/// Where the error of a broken part is; the texts are our own.
const ERRORS: [&str; 3] = ["error", "metadata_error", "index_errors"];

/// What only one side says: where the expectation comes from, and the version of our own form.
const NOT_COMPARED: [&str; 4] = [
    "corpus_metadata",
    "file",
    "cross_checked_with",
    "schema_version",
];

#[test]
fn every_file_is_equal_to_its_expectation_or_refused() {
    let Some(corpus) = corpus() else {
        return;
    };
    let (mut equal, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    let (mut unknown, mut broken) = (0, 0);
    for entry in manifest(&corpus) {
        let name = entry["file"].as_str().unwrap();
        let Some(expected) = entry["metadata"]
            .as_str()
            .filter(|_| name.ends_with(".orc"))
        else {
            continue;
        };
        let mut shown = match meta(&corpus.join(name)) {
            Ok(shown) => shown,
            Err(error) => {
                refused.push((name.to_string(), error.kind()));
                continue;
            }
        };
        assert_eq!(shown["schema_version"], json!(1));
        let mut expected = gunzip(&corpus.join(expected));
        for name in NOT_COMPARED {
            shown.as_object_mut().unwrap().remove(name);
            expected.as_object_mut().unwrap().remove(name);
        }
        unknown += name_unknown_fields(&mut shown);
        broken += blank_errors(&mut shown);
        blank_errors(&mut expected);
        match difference("", &shown, &expected) {
            Some(place) => wrong.push(format!("{name}{place}")),
            None => equal += 1,
        }
    }
    eprintln!("{equal} equal, {} refused", refused.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut expected = REFUSED.map(|(name, kind)| (name.to_string(), kind));
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    refused.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(refused, expected);
    assert_eq!(equal, 198);
    assert_eq!(broken, 3);
    // of another wire type than the field of its number
    assert_eq!(unknown, 1);
}

/// Of unknown fields the expectation has the numbers only, in one list; returns how many there are.
fn name_unknown_fields(shown: &mut Value) -> usize {
    let mut all = 0;
    match shown {
        Value::Array(list) => all += list.iter_mut().map(name_unknown_fields).sum::<usize>(),
        Value::Object(fields) => {
            all += fields.values_mut().map(name_unknown_fields).sum::<usize>();
            let number = |name: &String| name.strip_prefix("unknown_field_")?.parse::<u32>().ok();
            let numbers: Vec<_> = fields.keys().filter_map(number).collect();
            all += numbers.len();
            fields.retain(|name, _| number(name).is_none());
            if !numbers.is_empty() {
                fields.insert("unknown_fields".to_string(), json!(numbers));
            }
        }
        _ => {}
    }
    all
}

/// Leaves of errors only how many there are; returns that.
fn blank_errors(shown: &mut Value) -> usize {
    let mut all = 0;
    match shown {
        Value::Array(list) => all += list.iter_mut().map(blank_errors).sum::<usize>(),
        Value::Object(fields) => {
            for (name, value) in fields {
                if ERRORS.contains(&name.as_str()) {
                    let errors = value.as_array().map_or(1, Vec::len);
                    *value = json!(errors);
                    all += errors;
                } else {
                    all += blank_errors(value);
                }
            }
        }
        _ => {}
    }
    all
}

#[test]
fn damaged_files_are_shown_or_refused_but_never_panic() {
    let Some(corpus) = corpus() else {
        return;
    };
    let (sound, refused) = shown_or_refused(&corpus.join("damaged/orc"), "stripes");
    assert!(sound > 0 && refused > 0);
}

/// Bounds of strides are those of the row index: every stride's lie within its row group's.
#[test]
fn strides_lie_within_their_row_groups() {
    let Some(corpus) = corpus().map(|corpus| corpus.join("synth/orc")) else {
        return;
    };
    let mut compared = 0;
    for entry in fs::read_dir(corpus).unwrap() {
        let Ok(file) = OpenOptions::default().open(entry.unwrap().path()) else {
            continue;
        };
        let orc = file.orc().unwrap();
        for (ordinal, group) in file.meta().unwrap().row_groups.iter().enumerate() {
            let walk = orc.walk(file.source().as_ref(), ordinal).unwrap();
            for (leaf, chunk) in (0..).map(LeafId).zip(&group.chunks) {
                let strides = walk.strides(leaf).unwrap();
                let place = format!("{file:?} {ordinal} {leaf:?}");
                nulls_add_up(
                    strides.iter().map(|stride| &stride.stats),
                    &chunk.stats,
                    &place,
                );
                for stride in &strides {
                    compared += lie_within(&stride.stats, &chunk.stats, &place);
                }
            }
        }
    }
    eprintln!("{compared} bounds compared");
    assert!(compared > 1000);
}
