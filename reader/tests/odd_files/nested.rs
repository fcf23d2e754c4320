//! Lists, maps and structs of the current shape and of older ones.

use lith_reader::column::ReadContext;
use lith_reader::selection::Selection;

use super::*;

/// Definition and repetition levels of entries, and how many bits each takes.
struct Levels<'a> {
    definition: (&'a [u8], usize),
    repetition: (&'a [u8], usize),
}

impl Levels<'_> {
    /// Pages of both versions, of so many rows and these values.
    fn pages(&self, rows: i32, values: &[i32]) -> [Vec<u8>; 2] {
        let (definition, repetition) = (self.definition.0, self.repetition.0);
        let entries = definition.len() as i32;
        let definition = packed(definition, self.definition.1);
        let repetition = match self.repetition.1 {
            0 => Vec::new(),
            width => packed(repetition, width),
        };
        let nulls = entries - values.len() as i32;
        let values = numbers(values.iter().copied());
        let mut body = Vec::new();
        if !repetition.is_empty() {
            body.extend(sized(&repetition));
        }
        body.extend(sized(&definition));
        body.extend(&values);
        let counts = [entries, nulls, rows];
        [
            v1(entries, Encoding::Plain, &body),
            v2(counts, Encoding::Plain, [&repetition, &definition], &values),
        ]
    }
}

/// Both versions of the page give these rows.
fn check(schema: &[SchemaElement], levels: &Levels<'_>, values: &[i32], expected: &[&str]) {
    let rows = expected.len() as i32;
    let entries = levels.definition.0.len() as i64;
    for page in levels.pages(rows, values) {
        let chunk = vec![(page, entries)];
        check_every_choice(&file(schema, &[(rows.into(), chunk)], |_| {}), expected);
    }
}

#[test]
fn null_lists_empty_lists_null_structs_and_null_fields_differ() {
    let schema = [
        group("l", Optional, Some(ConvertedType::List), 1),
        group("list", Repeated, None, 1),
        group("element", Optional, None, 1),
        leaf("a", Type::Int32, Optional),
    ];
    let levels = Levels {
        definition: (&[4, 1, 0, 2, 2, 3, 4], 3),
        repetition: (&[0, 0, 0, 0, 1, 0, 0], 1),
    };
    let expected = [
        "[{\"a\":1}]",
        "[]",
        "null",
        "[null,null]",
        "[{\"a\":null}]",
        "[{\"a\":2}]",
    ];
    check(&schema, &levels, &[1, 2], &expected);
}

#[test]
fn a_null_field_does_not_make_its_struct_null() {
    let schema = [
        group("s", Optional, None, 1),
        leaf("a", Type::Int32, Optional),
    ];
    let levels = Levels {
        definition: (&[0, 1, 2], 2),
        repetition: (&[], 0),
    };
    let expected = ["null", "{\"a\":null}", "{\"a\":5}"];
    check(&schema, &levels, &[5], &expected);
}

#[test]
fn lists_of_all_shapes_hold_their_elements() {
    let list = |repetition, name: &str| group(name, repetition, Some(ConvertedType::List), 1);
    let number = |name: &str, repetition| leaf(name, Type::Int32, repetition);
    let repeated = |name: &str| group(name, Repeated, None, 1);
    let cases: [(Vec<SchemaElement>, u8, &str); 7] = [
        (
            vec![repeated("array"), number("str", Required)],
            2,
            "[{\"str\":1},{\"str\":2}]",
        ),
        (
            vec![repeated("l_tuple"), number("str", Required)],
            2,
            "[{\"str\":1},{\"str\":2}]",
        ),
        (
            vec![repeated("bag"), number("array_element", Optional)],
            3,
            "[1,2]",
        ),
        (
            vec![repeated("list"), number("element", Required)],
            2,
            "[1,2]",
        ),
        (vec![number("array", Repeated)], 2, "[1,2]"),
        (
            vec![
                repeated("list"),
                group("element", Optional, None, 1),
                number("element", Required),
            ],
            3,
            "[{\"element\":1},{\"element\":2}]",
        ),
        (
            vec![list(Repeated, "array"), number("array", Repeated)],
            3,
            "[[1],[2]]",
        ),
    ];
    for (nodes, present, expected) in cases {
        let schema = [vec![list(Optional, "l")], nodes].concat();
        let levels = Levels {
            definition: (&[present, present, 0], 2),
            repetition: (&[0, 1, 0], if expected.starts_with("[[") { 2 } else { 1 }),
        };
        check(&schema, &levels, &[1, 2], &[expected, "null"]);
    }
}

#[test]
fn equal_keys_of_a_map_are_kept_in_their_order_and_the_last_counts() {
    let schema = [
        group("m", Optional, Some(ConvertedType::Map), 1),
        group("key_value", Repeated, None, 2),
        leaf("key", Type::Int32, Required),
        leaf("value", Type::Int32, Optional),
    ];
    let repetition: (&[u8], usize) = (&[0, 0, 1, 1, 0], 1);
    let keys = Levels {
        definition: (&[0, 2, 2, 2, 1], 2),
        repetition,
    };
    let values = Levels {
        definition: (&[0, 3, 3, 2, 1], 2),
        repetition,
    };
    let pages = keys
        .pages(3, &[7, 7, 8])
        .into_iter()
        .zip(values.pages(3, &[1, 2]));
    for (keys, values) in pages {
        let chunks = vec![(keys, 5), (values, 5)];
        let bytes = file(&schema, &[(3, chunks)], |_| {});
        check_every_choice(&bytes, &["null", "[[7,1],[7,2],[8,null]]", "[]"]);
        let file = open(bytes).unwrap();
        let mut reader = file.column(0, 0, &ReadContext::default()).unwrap();
        let maps = reader.read(&Selection::all(3)).unwrap();
        let values = maps.into_value(&Scalar::Int(7)).unwrap();
        let values = [0, 1, 2].map(|row| values.value(row));
        assert_eq!(values, [Scalar::Null, Scalar::Int(2), Scalar::Null]);
    }
}
