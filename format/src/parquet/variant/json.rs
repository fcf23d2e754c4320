//! Variants as JSON, by the rules of [`render`]: values that JSON has no type for are strings. Fields are sorted by
//! the bytes of their names, in whatever order they are stored.
//!
//! Work and depth are bounded: no byte of a value is read twice, which is why fields of the same bytes are refused.
//! A name may be written often, so the length of the text is limited by the number of stored bytes.
// spec: VariantEncoding.md, "Object field ID order and uniqueness"

use std::ops::Range;

use super::Metadata;
use super::value::{Object, Value};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::render;
use crate::types::LogicalType;

/// Writes values whose names are in one metadata.
#[derive(Debug, Default)]
pub struct JsonWriter<'a> {
    metadata: Metadata<'a>,
    limits: Limits,
    /// How many stored bytes the text is made from.
    stored: usize,
    /// The fields of the objects that are being written, as far as they are not stored in the order of their
    /// names: their numbers in that order.
    order: Vec<u32>,
}

/// An object whose fields are written one by one, in the order of their names.
#[derive(Debug)]
pub struct OpenObject<'a> {
    object: Object<'a>,
    /// The fields that are left, or their places in the writer's order.
    fields: Range<usize>,
    /// Whether fields are stored out of order, so that `fields` are places in the writer's order.
    is_reordered: bool,
    /// How many bytes of the values have not been read yet.
    left: usize,
}

impl<'a> JsonWriter<'a> {
    /// A writer within these limits; names come with [`name_by`](Self::name_by).
    pub fn new(limits: Limits) -> Self {
        JsonWriter {
            limits,
            ..JsonWriter::default()
        }
    }

    /// From now on, fields are named by `metadata`.
    pub fn name_by(&mut self, metadata: Metadata<'a>) {
        self.metadata = metadata;
        self.order.clear();
    }

    /// Raises the limit of the text's length by what `stored` bytes allow: those of metadata, and of values that are
    /// written without this writer. Values given to this writer are counted by it.
    pub fn allow(&mut self, stored: usize) {
        self.stored = self.stored.saturating_add(stored);
    }

    /// Appends `value`, at this nesting depth.
    ///
    /// # Errors
    /// Bytes that are no variant, or reach beyond the limits.
    pub fn write(&mut self, value: &'a [u8], depth: usize, out: &mut String) -> Result<()> {
        self.allow(value.len());
        self.write_within(value, &mut { value.len() }, depth, out)
    }

    /// Opens an object for its fields to be written one by one; `None` if `value` is none.
    ///
    /// # Errors
    /// Those of [`write`](Self::write), and two fields of one name.
    pub fn open(&mut self, value: &'a [u8]) -> Result<Option<OpenObject<'a>>> {
        self.allow(value.len());
        let (decoded, bytes) = Value::decode(value)?;
        match decoded {
            Value::Object(object) => self.begin(object, value.len() - bytes).map(Some),
            _ => Ok(None),
        }
    }

    /// The name of the next field of an object; `None` behind the last.
    ///
    /// # Errors
    /// The metadata has no such name.
    pub fn peek(&self, open: &OpenObject<'a>) -> Result<Option<&'a str>> {
        match self.next(open) {
            Some(index) => open.object.name(index, &self.metadata).map(Some),
            None => Ok(None),
        }
    }

    /// Appends the next field of an object, whose fields lie at this depth, without its name.
    ///
    /// # Errors
    /// Those of [`write`](Self::write).
    pub fn write_next(
        &mut self,
        open: &mut OpenObject<'a>,
        depth: usize,
        out: &mut String,
    ) -> Result<()> {
        let index = self.next(open).unwrap_or(usize::MAX);
        open.fields.start += 1;
        self.write_within(open.object.value(index)?, &mut open.left, depth, out)
    }

    fn next(&self, open: &OpenObject<'_>) -> Option<usize> {
        let next = open.fields.clone().next()?;
        match open.is_reordered {
            true => self.order.get(next).map(|&index| index as usize),
            false => Some(next),
        }
    }

    /// Ends an object, before those that were opened earlier; tells how many bytes of its values were not
    /// read.
    pub fn close(&mut self, open: OpenObject<'_>) -> usize {
        if open.is_reordered {
            self.order.truncate(open.fields.end - open.object.len());
        }
        open.left
    }

    /// Appends the value at the front of `value`; of the whole, `left` bytes have not been read yet.
    fn write_within(
        &mut self,
        value: &'a [u8],
        left: &mut usize,
        depth: usize,
        out: &mut String,
    ) -> Result<()> {
        let (value, bytes) = Value::decode(value)?;
        *left = left.checked_sub(bytes).ok_or_else(overlap)?;
        match value {
            Value::Plain(value) => render::json_plain(&value, out),
            Value::String(text) => render::render_json_string(text, out),
            Value::Binary(bytes) => render::json_bytes(&LogicalType::Binary, bytes, out),
            Value::Uuid(bytes) => render::json_bytes(&LogicalType::Uuid, &bytes, out),
            Value::Array(array) => {
                self.enter(depth)?;
                out.push('[');
                for index in 0..array.len() {
                    separate(index == 0, out);
                    self.write_within(array.value(index)?, left, depth + 1, out)?;
                }
                out.push(']');
            }
            Value::Object(object) => {
                self.enter(depth)?;
                let mut open = self.begin(object, *left)?;
                out.push('{');
                let mut first = true;
                while let Some(name) = self.peek(&open)? {
                    separate(std::mem::take(&mut first), out);
                    self.write_name(name, out)?;
                    self.write_next(&mut open, depth + 1, out)?;
                }
                out.push('}');
                *left = self.close(open);
            }
        }
        Ok(())
    }

    /// Enters an array or object at this depth.
    ///
    /// # Errors
    /// It is too deep.
    pub fn enter(&self, depth: usize) -> Result<()> {
        let depth = depth as u64 + 1;
        Limits::check(depth, self.limits.depth, "depth of a variant").map(|_| ())
    }

    /// Appends the name of a field and a colon.
    ///
    /// # Errors
    /// `out` is longer than a page may be, or than the [stored bytes](Self::allow) allow.
    pub fn write_name(&self, name: &str, out: &mut String) -> Result<()> {
        render::render_json_string(name, out);
        out.push(':');
        let most = Limits::decoded(self.stored).min(self.limits.page_bytes);
        Limits::check(out.len() as u64, most, "text of variants").map(|_| ())
    }

    /// Puts the fields of an object into the order of their names.
    fn begin(&mut self, object: Object<'a>, left: usize) -> Result<OpenObject<'a>> {
        if object.len() > left {
            return Err(overlap());
        }
        let mut last = None;
        let mut ascend = true;
        for index in 0..object.len() {
            let name = object.name(index, &self.metadata)?;
            ascend = last.replace(name).is_none_or(|last| last < name);
            if !ascend {
                break;
            }
        }
        let start = self.order.len();
        if !ascend {
            self.sort(&object)?;
        }
        Ok(OpenObject {
            fields: match ascend {
                true => 0..object.len(),
                false => start..self.order.len(),
            },
            is_reordered: !ascend,
            object,
            left,
        })
    }

    #[cold]
    fn sort(&mut self, object: &Object<'a>) -> Result<()> {
        let metadata = &self.metadata;
        let mut fields = Vec::with_capacity(object.len());
        for index in 0..object.len() {
            fields.push((object.id(index)?, index as u32));
        }
        // ids first: the names of distinct ids are together no longer than the metadata, which bounds the sort
        // by name
        fields.sort_unstable();
        if let Some(pair) = fields.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(duplicate_field(metadata.name(pair[0].0)?));
        }
        let mut named = Vec::with_capacity(fields.len());
        for (id, index) in fields {
            named.push((metadata.name(id)?, index));
        }
        named.sort_unstable();
        if let Some(pair) = named.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(duplicate_field(pair[0].0));
        }
        self.order.extend(named.iter().map(|field| field.1));
        Ok(())
    }
}

/// The error of an object that has two fields of one name.
#[cold]
pub fn duplicate_field(name: &str) -> Error {
    Error::corrupt(format!("a variant with two fields {name:?}"))
}

#[cold]
fn overlap() -> Error {
    Error::corrupt("a variant whose values overlap")
}

/// Appends a comma unless it would be before the first.
pub fn separate(first: bool, out: &mut String) {
    if !first {
        out.push(',');
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use quickcheck::{Arbitrary, Gen, quickcheck};

    use super::*;
    use crate::error::ErrorKind;

    /// A value and the JSON that it is.
    #[derive(Debug, Clone)]
    enum Tree {
        /// Its bytes and its JSON.
        Leaf(Vec<u8>, String),
        Array(Vec<Tree>),
        Object(BTreeMap<String, Tree>),
    }

    /// How wide numbers are beyond what they must be, and in which order things are stored.
    #[derive(Debug, Clone, Copy)]
    struct Habits {
        large: bool,
        more_width: usize,
        reversed_values: bool,
        unsorted_fields: bool,
    }

    fn name(g: &mut Gen) -> String {
        let alphabet = ["a", "b", "\"", "é", "\u{10000}", "\u{ffff}", ""];
        let letters = usize::arbitrary(g) % 3;
        (0..letters)
            .map(|_| *g.choose(&alphabet).unwrap())
            .collect()
    }

    fn leaf(g: &mut Gen) -> (Vec<u8>, String) {
        let typed = |ty: u8, bytes: &[u8]| [&[ty << 2], bytes].concat();
        let text = name(g);
        match u8::arbitrary(g) % 13 {
            0 => (typed(0, &[]), "null".into()),
            1 => (typed(1, &[]), "true".into()),
            2 => (typed(2, &[]), "false".into()),
            3 => (typed(3, &[0xfe]), "-2".into()),
            4 => (typed(6, &i64::MIN.to_le_bytes()), i64::MIN.to_string()),
            5 => (typed(7, &f64::NAN.to_le_bytes()), "\"NaN\"".into()),
            6 => (typed(14, &0.1f32.to_le_bytes()), "0.1".into()),
            7 => (
                typed(9, &[[1].as_slice(), &(-5i64).to_le_bytes()].concat()),
                "\"-0.5\"".into(),
            ),
            8 => (typed(11, &[0; 4]), "\"1970-01-01\"".into()),
            9 => (typed(15, &[1, 0, 0, 0, 0xab]), "\"0xab\"".into()),
            10 => {
                let long = [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
                (typed(16, &long), quoted(&text))
            }
            11 => (
                typed(20, &[0x11; 16]),
                "\"11111111-1111-1111-1111-111111111111\"".into(),
            ),
            _ => {
                let short = [&[(text.len() as u8) << 2 | 1], text.as_bytes()].concat();
                (short, quoted(&text))
            }
        }
    }

    fn tree(g: &mut Gen, depth: usize) -> Tree {
        let count = usize::arbitrary(g) % 4;
        match u8::arbitrary(g) % if depth == 0 { 1 } else { 3 } {
            0 => {
                let (bytes, json) = leaf(g);
                Tree::Leaf(bytes, json)
            }
            1 => Tree::Array((0..count).map(|_| tree(g, depth - 1)).collect()),
            _ => Tree::Object((0..count).map(|_| (name(g), tree(g, depth - 1))).collect()),
        }
    }

    impl Arbitrary for Tree {
        fn arbitrary(g: &mut Gen) -> Self {
            tree(g, 4)
        }
    }

    impl Arbitrary for Habits {
        fn arbitrary(g: &mut Gen) -> Self {
            Habits {
                large: bool::arbitrary(g),
                more_width: usize::arbitrary(g) % 3,
                reversed_values: bool::arbitrary(g),
                unsorted_fields: bool::arbitrary(g),
            }
        }
    }

    fn quoted(text: &str) -> String {
        let mut out = String::new();
        render::render_json_string(text, &mut out);
        out
    }

    impl Tree {
        fn json(&self) -> String {
            match self {
                Tree::Leaf(_, json) => json.clone(),
                Tree::Array(elements) => {
                    let elements: Vec<_> = elements.iter().map(Tree::json).collect();
                    format!("[{}]", elements.join(","))
                }
                Tree::Object(fields) => {
                    let field = |(name, value): (&String, &Tree)| {
                        format!("{}:{}", quoted(name), value.json())
                    };
                    let fields: Vec<_> = fields.iter().map(field).collect();
                    format!("{{{}}}", fields.join(","))
                }
            }
        }

        fn names(&self, out: &mut Vec<String>) {
            match self {
                Tree::Leaf(..) => {}
                Tree::Array(elements) => elements.iter().for_each(|element| element.names(out)),
                Tree::Object(fields) => {
                    for (name, value) in fields {
                        if !out.contains(name) {
                            out.push(name.clone());
                        }
                        value.names(out);
                    }
                }
            }
        }

        fn encode(&self, names: &[String], habits: Habits) -> Vec<u8> {
            let values = |values: Vec<&Tree>| -> (Vec<usize>, Vec<u8>) {
                let encoded: Vec<_> = values.iter().map(|v| v.encode(names, habits)).collect();
                let mut offsets = vec![0; encoded.len() + 1];
                let mut bytes = Vec::new();
                let mut places: Vec<usize> = (0..encoded.len()).collect();
                if habits.reversed_values {
                    places.reverse();
                }
                for place in places {
                    offsets[place] = bytes.len();
                    bytes.extend(&encoded[place]);
                }
                offsets[encoded.len()] = bytes.len();
                (offsets, bytes)
            };
            match self {
                Tree::Leaf(bytes, _) => bytes.clone(),
                Tree::Array(elements) => {
                    let (offsets, bytes) = values(elements.iter().collect());
                    let width = habits.width(&offsets);
                    let header = u8::from(habits.large) << 2 | (width as u8 - 1);
                    let mut out = vec![header << 2 | 3];
                    habits.count(elements.len(), &mut out);
                    push(&offsets, width, &mut out);
                    [out, bytes].concat()
                }
                Tree::Object(fields) => {
                    let mut fields: Vec<_> = fields.iter().collect();
                    if habits.unsorted_fields {
                        fields.reverse();
                    }
                    let id = |(name, _): &(&String, &Tree)| {
                        names.iter().position(|n| n == *name).unwrap()
                    };
                    let ids: Vec<usize> = fields.iter().map(id).collect();
                    let (offsets, bytes) = values(fields.iter().map(|f| f.1).collect());
                    let widths = [habits.width(&ids), habits.width(&offsets)];
                    let [id_width, offset_width] = widths.map(|width| width as u8 - 1);
                    let header = u8::from(habits.large) << 4 | id_width << 2 | offset_width;
                    let mut out = vec![header << 2 | 2];
                    habits.count(ids.len(), &mut out);
                    push(&ids, widths[0], &mut out);
                    push(&offsets, widths[1], &mut out);
                    [out, bytes].concat()
                }
            }
        }
    }

    impl Habits {
        fn width(self, numbers: &[usize]) -> usize {
            let most = numbers.iter().max().copied().unwrap_or(0);
            let needed = (1..4).find(|bytes| most >> (8 * bytes) == 0).unwrap_or(4);
            (needed + self.more_width).min(4)
        }

        fn count(self, count: usize, out: &mut Vec<u8>) {
            push(&[count], if self.large { 4 } else { 1 }, out);
        }
    }

    fn push(numbers: &[usize], width: usize, out: &mut Vec<u8>) {
        for number in numbers {
            out.extend(&number.to_le_bytes()[..width]);
        }
    }

    fn metadata(names: &[String], habits: Habits) -> Vec<u8> {
        let mut offsets = vec![0];
        for name in names {
            offsets.push(offsets[offsets.len() - 1] + name.len());
        }
        let width = habits.width(&[&offsets[..], &[names.len()]].concat());
        let mut out = vec![(width as u8 - 1) << 6 | 1];
        push(&[names.len()], width, &mut out);
        push(&offsets, width, &mut out);
        [out, names.concat().into_bytes()].concat()
    }

    fn write(metadata: &[u8], value: &[u8], limits: Limits) -> Result<String> {
        let mut writer = JsonWriter::new(limits);
        writer.name_by(Metadata::decode(metadata)?);
        let mut out = String::new();
        writer.write(value, 0, &mut out)?;
        assert!(writer.order.is_empty());
        Ok(out)
    }

    fn written(metadata: &[u8], value: &[u8]) -> Result<String> {
        write(metadata, value, Limits::default())
    }

    /// The value's fields one by one, if it is an object.
    fn fields(metadata: &[u8], value: &[u8]) -> Result<Option<String>> {
        let mut writer = JsonWriter::new(Limits::default());
        writer.name_by(Metadata::decode(metadata)?);
        let Some(mut open) = writer.open(value)? else {
            return Ok(None);
        };
        let mut out = String::from("{");
        while let Some(name) = writer.peek(&open)? {
            separate(out.len() == 1, &mut out);
            writer.write_name(name, &mut out)?;
            writer.write_next(&mut open, 1, &mut out)?;
        }
        writer.close(open);
        assert!(writer.order.is_empty());
        Ok(Some(out + "}"))
    }

    quickcheck! {
        fn any_value_is_written_as_it_was_encoded(tree: Tree, habits: Habits) -> bool {
            let mut names = Vec::new();
            tree.names(&mut names);
            let metadata = metadata(&names, habits);
            let value = tree.encode(&names, habits);
            let json = written(&metadata, &value).unwrap();
            serde_json::from_str::<serde_json::Value>(&json).unwrap();
            let by_fields = fields(&metadata, &value).unwrap();
            json == tree.json() && by_fields.is_none_or(|by_fields| by_fields == json)
        }

        fn damaged_values_are_errors_or_json(tree: Tree, habits: Habits) -> bool {
            let mut names = Vec::new();
            tree.names(&mut names);
            let metadata = metadata(&names, habits);
            let value = tree.encode(&names, habits);
            let is_valid = |metadata: &[u8], value: &[u8]| {
                let _ = fields(metadata, value);
                let json = written(metadata, value);
                json.is_ok_and(|json| serde_json::from_str::<serde_json::Value>(&json).is_ok())
            };
            for cut in 0..value.len() {
                assert!(written(&metadata, &value[..cut]).is_err());
            }
            for (at, bit) in (0..value.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
                let mut value = value.clone();
                value[at] ^= 1 << bit;
                assert!(written(&metadata, &value).is_err() || is_valid(&metadata, &value));
            }
            for at in 0..metadata.len() {
                let mut metadata = metadata.clone();
                metadata[at] ^= 0x11;
                assert!(written(&metadata, &value).is_err() || is_valid(&metadata, &value));
            }
            true
        }
    }

    const NO_NAMES: [u8; 3] = [1, 0, 0];

    fn kind(metadata: &[u8], value: &[u8]) -> ErrorKind {
        written(metadata, value).unwrap_err().kind()
    }

    /// An array of `count` elements that are all the same bytes.
    fn repeat(count: u8, element: &[u8]) -> Vec<u8> {
        let mut out = vec![3, count];
        out.extend(vec![0; usize::from(count)]);
        out.push(element.len() as u8);
        [&out, element].concat()
    }

    #[test]
    fn what_is_stored_once_is_written_once() {
        let mut value = vec![0];
        assert_eq!(written(&NO_NAMES, &repeat(1, &value)).unwrap(), "[null]");
        for _ in 0..20 {
            value = repeat(4, &value);
        }
        // 4^20 values in a few bytes
        assert_eq!(kind(&NO_NAMES, &value), ErrorKind::Corrupt);
        // an object whose fields are the same bytes
        let metadata = [1, 2, 0, 1, 2, b'a', b'b'];
        assert_eq!(
            kind(&metadata, &[2, 2, 0, 1, 0, 0, 1, 0]),
            ErrorKind::Corrupt
        );
        let good = [2, 2, 0, 1, 0, 1, 2, 0, 4];
        assert_eq!(written(&metadata, &good).unwrap(), r#"{"a":null,"b":true}"#);
    }

    #[test]
    fn fields_have_names_and_each_another() {
        let metadata = [1, 3, 0, 1, 2, 3, b'a', b'b', b'a'];
        for ids in [[0, 0], [0, 2], [2, 0]] {
            let value = [2, 2, ids[0], ids[1], 0, 1, 2, 0, 0];
            assert_eq!(kind(&metadata, &value), ErrorKind::Corrupt);
        }
        assert_eq!(kind(&metadata, &[2, 1, 3, 0, 1, 0]), ErrorKind::Corrupt);
        assert_eq!(
            written(&metadata, &[2, 2, 1, 2, 0, 1, 2, 0, 4]).unwrap(),
            r#"{"a":true,"b":null}"#
        );
    }

    #[test]
    fn depth_and_text_are_limited() {
        let mut value = vec![3, 0, 0];
        for _ in 1..64 {
            value = repeat(1, &value);
        }
        let json = written(&NO_NAMES, &value).unwrap();
        assert_eq!(json, "[".repeat(64) + &"]".repeat(64));
        assert_eq!(
            kind(&NO_NAMES, &repeat(1, &value)),
            ErrorKind::LimitExceeded
        );
        // few bytes that name a long name often
        let name = "n".repeat(200);
        let metadata = [&[1, 1, 0, 200], name.as_bytes()].concat();
        let object = [2, 1, 0, 0, 1, 0];
        let value = [&[3, 2, 0, 6, 12], &object[..], &object].concat();
        let within = |page_bytes| Limits {
            page_bytes,
            ..Limits::default()
        };
        assert!(write(&metadata, &value, within(1000)).is_ok());
        let error = write(&metadata, &value, within(300)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        let name = "n".repeat(60_000);
        let [low, high] = 60_000u16.to_le_bytes();
        let metadata = [&[0x41, 1, 0, 0, 0, low, high], name.as_bytes()].concat();
        let long = |objects: u8| {
            let offsets = (0..=objects).flat_map(|index| (u16::from(index) * 6).to_le_bytes());
            let offsets: Vec<u8> = offsets.collect();
            let value = [&[7, objects], &offsets[..], &object.repeat(objects.into())].concat();
            write(&metadata, &value, Limits::default()).map_err(|error| error.kind())
        };
        assert!(long(60).is_ok());
        assert_eq!(long(120).unwrap_err(), ErrorKind::LimitExceeded);
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for (value, expected) in [
            (&[][..], ErrorKind::Truncated),
            (&[21 << 2], ErrorKind::Unsupported),
            (&[8 << 2, 39, 0, 0, 0, 0], ErrorKind::Corrupt),
            (&[1 << 2 | 1, 0xff], ErrorKind::Corrupt),
            (&[16 << 2, 2, 0, 0, 0, b'a'], ErrorKind::Truncated),
            // more elements, or values, than there are bytes
            (&[0x13, 0xff, 0xff, 0xff, 0xff], ErrorKind::Truncated),
            (&[3, 1, 0, 9, 0], ErrorKind::Truncated),
            (&[3, 1, 8, 1, 0], ErrorKind::Corrupt),
        ] {
            assert_eq!(kind(&NO_NAMES, value), expected, "{value:?}");
        }
    }
}
