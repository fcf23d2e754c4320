//! Variants as JSON, out of the columns that they are stored in.
//!
//! ```text
//! v: variant                  row   value         typed_value   a.value   a.typed_value    JSON
//!   metadata                   0    {"b":2}       there         -         1                {"a":1,"b":2}
//!   value                      1    "x"           -                                        "x"
//!   typed_value                2    -             there         null      -                {"a":null}
//!     a: value, typed_value    3    -             there         -         -                {}
//! ```
//! What a writer shredded is in `typed_value`, if it has the column's type; everything else is in `value`, in
//! its binary form. Rows where both say something are refused, but for objects of which each holds other
//! fields. The columns of a batch are taken apart once; a row only follows them.
// spec: VariantShredding.md, "Value Shredding", "Reconstructing a Shredded Variant"

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use lith_format::bitmap::Bitmap;
use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::parquet::variant::Metadata;
use lith_format::parquet::variant::json::{JsonWriter, OpenObject, duplicate_field, separate};
use lith_format::render::{render_json, render_json_string};
use lith_format::scalar::Scalar;
use lith_format::types::{LogicalType, TimeUnit, Zone};
use lith_format::vector::{ByteViews, Values, Vector, View};

use crate::column::ColumnReader;
use crate::selection::Selection;

/// How many bytes a shredded value counts for when the length of its text is limited.
const SLOT_BYTES: usize = size_of::<u64>();

/// How many bytes of text a batch has at most, before its last row is added.
const BATCH_TEXT: usize = 4 << 20;

/// A reader of a column that is or holds variants.
pub(crate) struct VariantColumn {
    /// Reads the variants as they are stored.
    stored: Box<dyn ColumnReader>,
    /// What was read and not returned yet: the selection, and the vector of the selected rows.
    rest: Option<(Selection, Vector)>,
    limits: Limits,
}

impl VariantColumn {
    pub(crate) fn new(stored: Box<dyn ColumnReader>, limits: Limits) -> Self {
        VariantColumn {
            stored,
            rest: None,
            limits,
        }
    }

    /// The selected rows as they are stored.
    fn stored(&mut self, selection: &Selection) -> Result<Vector> {
        match self.rest.take() {
            Some((rest, stored)) if rest == *selection => Ok(stored),
            Some(_) => Err(Error::invalid(
                "the rest of the last selection must be read next",
            )),
            None => self.stored.read(selection),
        }
    }

    fn assemble(&self, stored: &Vector, least: usize) -> Result<Vector> {
        let vector = assemble(stored, least, self.limits);
        vector.map_err(|error| match error.kind() {
            ErrorKind::LimitExceeded => error.noting("as stored (--variant raw) it can be read"),
            _ => error,
        })
    }
}

impl ColumnReader for VariantColumn {
    fn read(&mut self, selection: &Selection) -> Result<Vector> {
        let stored = self.stored(selection)?;
        self.assemble(&stored, stored.len)
    }

    fn read_some(&mut self, selection: &Selection) -> Result<(usize, Vector)> {
        let stored = self.stored(selection)?;
        let vector = self.assemble(&stored, 1)?;
        let (done, rows) = (vector.len, selection.rows());
        let Some(next) = selection.row(done) else {
            return Ok((rows, vector));
        };
        let rest = stored.slice(done, stored.len - done);
        self.rest = Some((selection.part(next..rows), rest));
        Ok((next, vector))
    }
}

/// Whether a type is or holds variants.
pub(crate) fn holds_variants(ty: &LogicalType) -> bool {
    let mut fields = ty.fields().iter();
    matches!(ty, LogicalType::Variant(_)) || fields.any(|field| holds_variants(&field.ty))
}

/// The first slots of a vector, with the variants in it and in its children as JSON: at least `least` slots, and
/// more as long as there is not much text.
fn assemble(vector: &Vector, least: usize, limits: Limits) -> Result<Vector> {
    if !holds_variants(&vector.ty) {
        return Ok(vector.clone());
    }
    let inner = |offsets: &[u32], elements: &Vector| {
        let least = offsets.get(least).or(offsets.last());
        assemble(elements, least.map_or(0, |&least| least as usize), limits)
    };
    let (len, values) = match &vector.values {
        Values::Struct(_) if matches!(vector.ty, LogicalType::Variant(_)) => {
            let texts = texts(vector, least, limits)?;
            (texts.views.len(), Values::Bytes(texts))
        }
        Values::Struct(children) => {
            let children = children.iter().map(|child| assemble(child, least, limits));
            let children = children.collect::<Result<Vec<_>>>()?;
            let len = children.iter().map(|child| child.len).min();
            (len.unwrap_or(vector.len), Values::Struct(children))
        }
        Values::List { offsets, elements } => {
            let elements = Box::new(inner(offsets, elements)?);
            let offsets = whole(offsets, elements.len);
            (offsets.len() - 1, Values::List { offsets, elements })
        }
        Values::Map {
            offsets,
            keys,
            values,
        } => {
            let keys = Box::new(inner(offsets, keys)?);
            let values = Box::new(inner(offsets, values)?);
            let offsets = whole(offsets, keys.len.min(values.len));
            let len = offsets.len() - 1;
            let values = Values::Map {
                offsets,
                keys,
                values,
            };
            (len, values)
        }
        without => (vector.len, without.clone()),
    };
    let first = Vector {
        ty: vector.ty.clone(),
        len: vector.len,
        validity: vector.validity.clone(),
        values,
    };
    Ok(match len == vector.len {
        true => first,
        false => first.slice(0, len),
    })
}

/// The offsets of those lists whose elements are all among the first `elements`.
fn whole(offsets: &[u32], elements: usize) -> Vec<u32> {
    let whole = offsets.partition_point(|&end| end as usize <= elements);
    offsets[..whole].to_vec()
}

/// The first variants of a batch as text: at least `least`, and more as long as there is not much text.
fn texts(vector: &Vector, least: usize, limits: Limits) -> Result<ByteViews> {
    let metadata = match field(vector, "metadata")? {
        Some(metadata) => Bytes::of(metadata)?,
        None => return Err(Error::corrupt("a variant without metadata")),
    };
    let group = Group::of(vector, &["metadata"])?;
    let mut writing = Writing {
        json: JsonWriter::new(limits),
        out: String::new(),
    };
    // views have offsets of 32 bits
    let most = limits.page_bytes.min(u32::MAX as usize);
    let mut views = Vec::with_capacity(vector.len);
    let (mut last, mut decoded) = (None, HashMap::new());
    for row in 0..vector.len {
        let start = writing.out.len();
        if start >= BATCH_TEXT && row >= least {
            break;
        }
        if !vector.is_null(row) {
            let names = metadata.get(row);
            let names = names.ok_or_else(|| Error::corrupt("a variant without metadata"))?;
            // rows often share their metadata, which is in a dictionary: each address is decoded once
            let place = names.as_ptr_range();
            if last != Some(place.clone()) {
                let metadata = match decoded.entry(place.clone()) {
                    Entry::Occupied(known) => *known.get(),
                    Entry::Vacant(new) => {
                        writing.json.allow(names.len());
                        *new.insert(Metadata::decode(names)?)
                    }
                };
                writing.json.name_by(metadata);
                last = Some(place);
            }
            group.write(row, 0, &mut writing)?;
        }
        Limits::check(writing.out.len() as u64, most, "text of variants")?;
        let text = &writing.out.as_bytes()[start..];
        views.push(View::new(text, 0, start as u32));
    }
    writing.out.shrink_to_fit();
    Ok(ByteViews {
        views,
        buffers: vec![writing.out.into()],
    })
}

/// Where text goes.
struct Writing<'a> {
    json: JsonWriter<'a>,
    out: String,
}

/// A place where a value may be, in either of two columns.
struct Group<'a> {
    /// Where the group itself is there; it always should be.
    validity: Option<&'a Bitmap>,
    value: Option<Bytes<'a>>,
    typed: Typed<'a>,
}

/// What is shredded, by its type.
enum Typed<'a> {
    Nothing,
    /// Neither text nor nested.
    Plain(&'a Vector),
    Text(Bytes<'a>),
    Array {
        arrays: &'a Vector,
        offsets: &'a [u32],
        element: Box<Group<'a>>,
    },
    Object {
        objects: &'a Vector,
        /// In the order of their names.
        fields: Vec<(&'a str, Group<'a>)>,
    },
}

impl<'a> Group<'a> {
    /// The columns of a group, in which `others` may be, too.
    fn of(vector: &'a Vector, others: &[&str]) -> Result<Self> {
        let known = |name: &str| matches!(name, "value" | "typed_value") || others.contains(&name);
        let mut names = vector.ty.fields().iter().map(|field| field.name.as_str());
        if let Some(name) = names.find(|name| !known(name)) {
            let message = format!("a variant with a column {name:?}");
            return Err(Error::unsupported(message));
        }
        let group = Group {
            validity: vector.validity.as_ref(),
            value: field(vector, "value")?.map(Bytes::of).transpose()?,
            typed: field(vector, "typed_value")?.map_or(Ok(Typed::Nothing), Typed::of)?,
        };
        match group {
            Group {
                value: None,
                typed: Typed::Nothing,
                ..
            } => Err(Error::corrupt("a variant without columns for its values")),
            group => Ok(group),
        }
    }

    /// Whether there is a value.
    fn holds(&self, row: usize) -> bool {
        let is_there = |bits: &Bitmap| bits.get(row);
        self.validity.is_none_or(is_there)
            && (!self.typed.is_null(row)
                || self.value.is_some_and(|value| value.get(row).is_some()))
    }

    /// Appends the value, at this nesting depth; null if there is none.
    fn write(&self, row: usize, depth: usize, to: &mut Writing<'a>) -> Result<()> {
        if !self.holds(row) {
            to.out.push_str("null");
            return Ok(());
        }
        let value = self.value.and_then(|value| value.get(row));
        match (&self.typed, value) {
            (Typed::Object { fields, .. }, value) if !self.typed.is_null(row) => {
                write_object(fields, row, value, depth, to)
            }
            (typed, Some(_)) if !typed.is_null(row) => Err(Error::corrupt(
                "a variant has both a value and a typed value",
            )),
            (_, Some(value)) => to.json.write(value, depth, &mut to.out),
            (typed, None) => typed.write(row, depth, to),
        }
    }
}

impl<'a> Typed<'a> {
    fn of(vector: &'a Vector) -> Result<Self> {
        use LogicalType as T;
        Ok(match (&vector.ty, &vector.values) {
            (T::String, _) => Typed::Text(Bytes::of(vector)?),
            (T::List(_), Values::List { offsets, elements }) => Typed::Array {
                arrays: vector,
                offsets,
                element: Box::new(Group::of(elements, &[])?),
            },
            (T::Struct(names), Values::Struct(children)) => {
                let fields = names.iter().zip(children);
                let fields = fields.map(|(name, child)| Ok((&*name.name, Group::of(child, &[])?)));
                let mut fields = fields.collect::<Result<Vec<_>>>()?;
                fields.sort_by_key(|field| field.0);
                if let Some(pair) = fields.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                    return Err(duplicate_field(pair[0].0));
                }
                Typed::Object {
                    objects: vector,
                    fields,
                }
            }
            (ty, _) if is_plain(ty) => Typed::Plain(vector),
            (ty, _) => return Err(Error::unsupported(format!("variants shredded as {ty}"))),
        })
    }

    fn is_null(&self, row: usize) -> bool {
        match self {
            Typed::Nothing => true,
            Typed::Plain(vector) => vector.is_null(row),
            Typed::Text(text) => text.get(row).is_none(),
            Typed::Array { arrays, .. } => arrays.is_null(row),
            Typed::Object { objects, .. } => objects.is_null(row),
        }
    }

    /// Appends the value, which is there.
    fn write(&self, row: usize, depth: usize, to: &mut Writing<'a>) -> Result<()> {
        to.json.allow(SLOT_BYTES);
        match self {
            Typed::Nothing => {}
            Typed::Plain(vector) => render_json(vector, row, &mut to.out),
            Typed::Text(text) => {
                let text = text.get(row).map(std::str::from_utf8).transpose();
                let text = text.map_err(|_| Error::corrupt("a variant's text is not UTF-8"))?;
                render_json_string(text.unwrap_or_default(), &mut to.out);
            }
            Typed::Array {
                offsets, element, ..
            } => {
                to.json.enter(depth)?;
                to.out.push('[');
                let start = offsets[row] as usize;
                for slot in start..offsets[row + 1] as usize {
                    separate(slot == start, &mut to.out);
                    element.write(slot, depth + 1, to)?;
                }
                to.out.push(']');
            }
            Typed::Object { fields, .. } => write_object(fields, row, None, depth, to)?,
        }
        Ok(())
    }
}

/// Appends an object: its shredded fields, and the others, which are in `value`.
fn write_object<'a>(
    fields: &[(&'a str, Group<'a>)],
    row: usize,
    value: Option<&'a [u8]>,
    depth: usize,
    to: &mut Writing<'a>,
) -> Result<()> {
    to.json.enter(depth)?;
    let mut others = match value.map(|value| to.json.open(value)).transpose()? {
        Some(None) => {
            let message = "a variant has shredded fields and is no object";
            return Err(Error::corrupt(message));
        }
        others => others.flatten(),
    };
    let start = to.out.len() + 1;
    to.out.push('{');
    for (name, group) in fields {
        write_others(&mut others, Some(name), (start, depth + 1), to)?;
        if group.holds(row) {
            separate(to.out.len() == start, &mut to.out);
            to.json.write_name(name, &mut to.out)?;
            group.write(row, depth + 1, to)?;
        }
    }
    write_others(&mut others, None, (start, depth + 1), to)?;
    to.out.push('}');
    if let Some(others) = others {
        to.json.close(others);
    }
    Ok(())
}

/// Appends the fields of an object that come before one of this name; without a name, all that are left. The
/// object's text starts at `start`.
fn write_others<'a>(
    others: &mut Option<OpenObject<'a>>,
    before: Option<&str>,
    (start, depth): (usize, usize),
    to: &mut Writing<'a>,
) -> Result<()> {
    let Some(others) = others else {
        return Ok(());
    };
    while let Some(name) = to.json.peek(others)? {
        match before.map_or(Ordering::Less, |before| name.cmp(before)) {
            Ordering::Less => {}
            Ordering::Equal => return Err(duplicate_field(name)),
            Ordering::Greater => break,
        }
        separate(to.out.len() == start, &mut to.out);
        to.json.write_name(name, &mut to.out)?;
        to.json.write_next(others, depth, &mut to.out)?;
    }
    Ok(())
}

/// Whether variants are shredded as this type, which is neither text nor nested.
// spec: VariantShredding.md, "Shredded Value Types"
fn is_plain(ty: &LogicalType) -> bool {
    use LogicalType as T;
    match ty {
        T::Boolean | T::Int8 | T::Int16 | T::Int32 | T::Int64 | T::Float32 | T::Float64 => true,
        T::Decimal { precision, .. } => *precision <= 38,
        T::Date | T::Binary | T::Uuid => true,
        T::Time { unit, utc } => *unit == TimeUnit::Micros && !utc,
        T::Timestamp { unit, zone } => *unit != TimeUnit::Millis && *zone != Zone::Unstated,
        _ => false,
    }
}

/// The child of this name, if there is one.
fn field<'a>(vector: &'a Vector, name: &str) -> Result<Option<&'a Vector>> {
    let Values::Struct(children) = &vector.values else {
        let message = format!("variants stored as {}", vector.ty);
        return Err(Error::unsupported(message));
    };
    let fields = vector.ty.fields().iter().zip(children);
    let mut found = fields.filter(|(field, _)| field.name == name);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err(Error::corrupt(format!(
            "a variant with two columns {name:?}"
        ))),
        (found, None) => Ok(found.map(|(_, child)| child)),
    }
}

/// A column of byte strings, whether a dictionary or not.
#[derive(Clone, Copy)]
struct Bytes<'a> {
    validity: Option<&'a Bitmap>,
    codes: Option<&'a [u32]>,
    /// None where every slot is null.
    views: Option<&'a ByteViews>,
}

impl<'a> Bytes<'a> {
    fn of(vector: &'a Vector) -> Result<Self> {
        let unlike = || Error::unsupported(format!("variants with a column of {}", vector.ty));
        if !matches!(vector.ty, LogicalType::Binary | LogicalType::String) {
            return Err(unlike());
        }
        let (codes, views) = match &vector.values {
            Values::Bytes(views) => (None, Some(views)),
            Values::Dictionary { codes, values } => match &values.values {
                Values::Bytes(views) => (Some(&codes[..]), Some(views)),
                _ => return Err(unlike()),
            },
            Values::Null | Values::Constant(Scalar::Null) => (None, None),
            _ => return Err(unlike()),
        };
        let validity = vector.validity.as_ref();
        Ok(Bytes {
            validity,
            codes,
            views,
        })
    }

    fn get(&self, row: usize) -> Option<&'a [u8]> {
        if self.validity.is_some_and(|bits| !bits.get(row)) {
            return None;
        }
        let row = self.codes.map_or(row, |codes| codes[row] as usize);
        self.views.map(|views| views.get(row))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use lith_format::schema::Field;

    use super::*;

    const NO_NAMES: [u8; 3] = [1, 0, 0];
    /// The names "a", "b", "c".
    const NAMES: [u8; 9] = [1, 3, 0, 1, 2, 3, b'a', b'b', b'c'];
    const NULL: [u8; 1] = [0];
    const TRUE: [u8; 1] = [4];
    /// An object whose field "c" is true.
    const C: [u8; 6] = [2, 1, 2, 0, 1, 4];

    fn field(name: &str, ty: LogicalType) -> Field {
        Field::nullable(name, ty)
    }

    fn structure(fields: Vec<Field>) -> LogicalType {
        LogicalType::Struct(fields.into())
    }

    fn group(typed: Option<LogicalType>) -> LogicalType {
        let typed = typed.map(|ty| field("typed_value", ty));
        let value = field("value", LogicalType::Binary);
        structure([Some(value), typed].into_iter().flatten().collect())
    }

    fn variant(typed: Option<LogicalType>) -> LogicalType {
        let metadata = Field::required("metadata", LogicalType::Binary);
        let group = group(typed);
        let fields = [&[metadata], group.fields()].concat();
        LogicalType::Variant(fields.into())
    }

    fn list(element: LogicalType) -> LogicalType {
        LogicalType::List(Arc::new(Field::required("element", element)))
    }

    fn bytes(value: Option<&[u8]>) -> Scalar {
        value.map_or(Scalar::Null, Scalar::binary)
    }

    /// A struct of values whose names do not matter.
    fn record(values: impl IntoIterator<Item = Scalar>) -> Scalar {
        let values = values.into_iter();
        Scalar::Struct(values.map(|value| (Arc::from(""), value)).collect())
    }

    /// A shredded place: what is in its two columns.
    fn place(value: Option<&[u8]>, typed: Scalar) -> Scalar {
        record([bytes(value), typed])
    }

    fn row(value: Option<&[u8]>, typed: Scalar) -> Scalar {
        record([Scalar::binary(NAMES), bytes(value), typed])
    }

    fn stored(ty: &LogicalType, rows: &[Scalar]) -> Vector {
        let vector = Vector::from_scalars(ty.stored(), rows).unwrap();
        Vector {
            ty: ty.clone(),
            ..vector
        }
    }

    fn json(vector: Vector) -> Result<Vec<String>> {
        let vector = assemble(&vector, vector.len, Limits::default())?;
        let cell = |row| {
            let mut out = String::new();
            render_json(&vector, row, &mut out);
            out
        };
        Ok((0..vector.len).map(cell).collect())
    }

    fn rows(ty: &LogicalType, rows: &[Scalar]) -> Vec<String> {
        json(stored(ty, rows)).unwrap()
    }

    fn refused(ty: &LogicalType, row: Scalar) -> ErrorKind {
        json(stored(ty, &[row])).unwrap_err().kind()
    }

    fn text(text: &str) -> Scalar {
        Scalar::string(text)
    }

    #[test]
    fn values_are_where_they_were_put() {
        let ty = variant(Some(LogicalType::Int64));
        let cells = [
            row(None, Scalar::Int(34)),
            row(Some(&NULL), Scalar::Null),
            row(Some(&[0x0d, b'n', b'/', b'a']), Scalar::Null),
            row(Some(&C), Scalar::Null),
            // missing, where a value is required
            row(None, Scalar::Null),
            Scalar::Null,
        ];
        let expected = ["34", "null", "\"n/a\"", "{\"c\":true}", "null", "null"];
        assert_eq!(rows(&ty, &cells), expected);
        let vector = assemble(&stored(&ty, &cells), cells.len(), Limits::default()).unwrap();
        assert_eq!(vector.null_count(), 1);
        assert_eq!(
            refused(&ty, row(Some(&NULL), Scalar::Int(1))),
            ErrorKind::Corrupt
        );
        let plain = variant(None);
        let unshredded = record([Scalar::binary(NO_NAMES), Scalar::binary(TRUE)]);
        assert_eq!(rows(&plain, &[unshredded, Scalar::Null]), ["true", "null"]);
        let nameless = record([Scalar::binary(NO_NAMES), Scalar::binary(C)]);
        assert_eq!(refused(&plain, nameless), ErrorKind::Corrupt);
    }

    #[test]
    fn objects_are_put_together() {
        let fields = vec![
            field("b", group(Some(LogicalType::String))),
            field("a", group(None)),
        ];
        let ty = variant(Some(structure(fields)));
        let fields = |b: Scalar, a: Option<&[u8]>| record([b, record([bytes(a)])]);
        let none = || place(None, Scalar::Null);
        let cells = [
            row(None, fields(place(None, text("x\"")), Some(&TRUE))),
            row(Some(&C), fields(place(Some(&NULL), Scalar::Null), None)),
            row(Some(&C), fields(none(), None)),
            row(None, fields(none(), None)),
            row(Some(&TRUE), Scalar::Null),
            // groups that should have been required
            row(None, record([Scalar::Null, Scalar::Null])),
        ];
        let expected = [
            r#"{"a":true,"b":"x\""}"#,
            r#"{"b":null,"c":true}"#,
            r#"{"c":true}"#,
            "{}",
            "true",
            "{}",
        ];
        assert_eq!(rows(&ty, &cells), expected);
        // no object, a field in both, a field whose value is in both, text that is none
        let both = [2, 1, 0, 0, 1, 4];
        for bad in [
            row(Some(&TRUE), fields(none(), None)),
            row(Some(&both), fields(none(), Some(&TRUE))),
            row(Some(&both), fields(none(), None)),
            row(None, fields(place(Some(&TRUE), text("x")), None)),
            row(None, fields(place(None, Scalar::binary(b"\xff")), None)),
        ] {
            assert_eq!(refused(&ty, bad), ErrorKind::Corrupt);
        }
    }

    #[test]
    fn arrays_hold_whatever_was_in_them() {
        let element = group(Some(list(group(Some(LogicalType::Boolean)))));
        let ty = variant(Some(list(element)));
        let inner = |values: Vec<Scalar>| place(None, Scalar::List(values));
        let yes = place(None, Scalar::Boolean(true));
        let cells = [
            row(None, Scalar::List(Vec::new())),
            row(
                None,
                Scalar::List(vec![
                    inner(vec![yes.clone(), place(Some(&C), Scalar::Null)]),
                    inner(Vec::new()),
                    place(Some(&NULL), Scalar::Null),
                    place(None, Scalar::Null),
                ]),
            ),
            row(Some(&C), Scalar::Null),
        ];
        let expected = ["[]", r#"[[true,{"c":true}],[],null,null]"#, r#"{"c":true}"#];
        assert_eq!(rows(&ty, &cells), expected);
        let both = row(
            None,
            Scalar::List(vec![place(Some(&C), Scalar::List(vec![yes]))]),
        );
        assert_eq!(refused(&ty, both), ErrorKind::Corrupt);
    }

    #[test]
    fn variants_lie_in_other_columns_and_dictionaries() {
        let one = |value: &[u8]| record([Scalar::binary(NAMES), Scalar::binary(value)]);
        let ty = list(variant(None));
        let lists = [Scalar::List(vec![one(&C), Scalar::Null]), Scalar::Null];
        let mut vector = Vector::from_scalars(ty.stored(), &lists).unwrap();
        if let Values::List { elements, .. } = &mut vector.values {
            elements.ty = variant(None);
        }
        vector.ty = ty;
        assert_eq!(json(vector).unwrap(), [r#"[{"c":true},null]"#, "null"]);
        let mut vector = stored(&variant(None), &[one(&TRUE), one(&C)]);
        if let Values::Struct(children) = &mut vector.values {
            let values = Vector::from_scalars(LogicalType::Binary, &[Scalar::binary(NAMES)]);
            children[0].values = Values::Dictionary {
                codes: vec![0, 0],
                values: Arc::new(values.unwrap()),
            };
        }
        assert_eq!(json(vector).unwrap(), ["true", r#"{"c":true}"#]);
    }

    #[test]
    fn only_known_columns_are_put_together() {
        let kind = |ty: LogicalType| json(stored(&ty, &[])).map_err(|error| error.kind());
        for shredded in [
            LogicalType::UInt32,
            LogicalType::Fixed(4),
            LogicalType::Json,
            list(LogicalType::Int32),
        ] {
            let expected = Err(ErrorKind::Unsupported);
            assert_eq!(kind(variant(Some(shredded))), expected);
        }
        let columns = |names: &[&str]| {
            let fields = names.iter().map(|name| field(name, LogicalType::Binary));
            kind(LogicalType::Variant(fields.collect()))
        };
        assert_eq!(columns(&["value", "metadata"]), Ok(Vec::new()));
        assert_eq!(
            columns(&["metadata", "value", "more"]),
            Err(ErrorKind::Unsupported)
        );
        assert_eq!(columns(&["metadata"]), Err(ErrorKind::Corrupt));
        assert_eq!(columns(&["value"]), Err(ErrorKind::Corrupt));
        assert_eq!(
            columns(&["metadata", "value", "value"]),
            Err(ErrorKind::Corrupt)
        );
        let twice = structure(vec![field("a", group(None)), field("a", group(None))]);
        assert_eq!(kind(variant(Some(twice))), Err(ErrorKind::Corrupt));
    }

    #[test]
    fn depth_and_text_are_limited() {
        let row = row(None, Scalar::List(vec![place(Some(&C), Scalar::Null)]));
        let ty = variant(Some(list(group(Some(LogicalType::Int8)))));
        let within = |depth, page_bytes| {
            let mut limits = Limits::default();
            (limits.depth, limits.page_bytes) = (depth, page_bytes);
            let rows = [row.clone(), row.clone()];
            assemble(&stored(&ty, &rows), 2, limits).map_err(|error| error.kind())
        };
        assert!(within(2, 24).is_ok());
        assert_eq!(within(1, 24).unwrap_err(), ErrorKind::LimitExceeded);
        assert_eq!(within(2, 23).unwrap_err(), ErrorKind::LimitExceeded);
    }

    /// Reads the rows of a vector.
    struct Stored(Vector);

    impl ColumnReader for Stored {
        fn read(&mut self, selection: &Selection) -> Result<Vector> {
            let rows = selection.runs().iter().cloned().flatten();
            Ok(self.0.take(&rows.map(|row| row as u32).collect::<Vec<_>>()))
        }
    }

    /// The texts of a column, and how many of them each call returned.
    fn some_at_a_time(column: Vector, selection: Selection) -> (Vec<Scalar>, Vec<usize>) {
        let mut reader = VariantColumn::new(Box::new(Stored(column)), Limits::default());
        let (mut texts, mut counts) = (Vec::new(), Vec::new());
        let mut left = selection;
        while left.rows() > 0 {
            let (rows, vector) = reader.read_some(&left).unwrap();
            assert_eq!(left.part(0..rows).selected(), vector.len);
            left = left.part(rows..left.rows());
            texts.extend((0..vector.len).map(|slot| vector.value(slot)));
            counts.push(vector.len);
        }
        (texts, counts)
    }

    #[test]
    fn long_texts_are_made_some_at_a_time() {
        const TEXT: usize = BATCH_TEXT / 8 * 3;
        let long = |letter: u8| {
            let length = (TEXT as u32).to_le_bytes();
            [&[16 << 2][..], &length, &vec![letter; TEXT]].concat()
        };
        let value = |row: u8| record([Scalar::binary(NO_NAMES), Scalar::binary(long(b'a' + row))]);
        let rows: Vec<Scalar> = (0..7).map(value).collect();
        let column = stored(&variant(None), &rows);
        let text =
            |letter: u8| format!("\"{}\"", char::from(b'a' + letter).to_string().repeat(TEXT));
        let (texts, counts) = some_at_a_time(column.clone(), Selection::all(7));
        assert_eq!(counts, [3, 3, 1]);
        assert!(
            texts
                .iter()
                .zip(0..7)
                .all(|(scalar, row)| *scalar == Scalar::string(text(row)))
        );
        let picked = Selection::from_runs(9, vec![1..3, 4..7]);
        let (texts, counts) = some_at_a_time(column.clone(), picked);
        assert_eq!(counts, [3, 2]);
        assert!(texts[4] == Scalar::string(text(6)) && texts[2] == Scalar::string(text(4)));
        // lists of 0, 4, 1 and 2 texts, and a struct of such lists and of texts
        let lists = Vector {
            ty: list(variant(None)),
            len: 4,
            validity: None,
            values: Values::List {
                offsets: vec![0, 0, 4, 5, 7],
                elements: Box::new(column.clone()),
            },
        };
        let fields = vec![
            field("l", lists.ty.clone()),
            field("v", variant(None)),
            field("n", LogicalType::Int32),
        ];
        let numbers = Vector::constant(LogicalType::Int32, Scalar::Int(7), 4);
        let children = vec![lists.clone(), column.slice(3, 4), numbers];
        let (rows, counts) = some_at_a_time(lists, Selection::all(4));
        assert_eq!(counts, [1, 1, 2]);
        let Scalar::List(last) = &rows[3] else {
            unreachable!("a list")
        };
        assert!(last[..] == [5, 6].map(|row| Scalar::string(text(row))));
        let both = Vector {
            ty: structure(fields),
            len: 4,
            validity: None,
            values: Values::Struct(children),
        };
        let (rows, counts) = some_at_a_time(both, Selection::all(4));
        assert_eq!(counts, [1, 1, 2]);
        let expected = [
            Scalar::List(vec![Scalar::string(text(4))]),
            Scalar::string(text(5)),
            Scalar::Int(7),
        ];
        let Scalar::Struct(fields) = &rows[2] else {
            unreachable!("a struct")
        };
        assert!(fields.iter().map(|field| &field.1).eq(&expected));
    }
}
