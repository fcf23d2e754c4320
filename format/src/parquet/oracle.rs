//! The protocol against an independent implementation of it: what one writes, the other reads to the
//! same tree.

use quickcheck::{Arbitrary, Gen, quickcheck};
use thrift::protocol::{
    TCompactInputProtocol, TCompactOutputProtocol, TFieldIdentifier, TInputProtocol,
    TListIdentifier, TOutputProtocol, TStructIdentifier, TType,
};

use crate::error::Result;
use crate::limits::Limits;
use crate::parquet::testing;
use crate::parquet::thrift::{self as ours, Fields, Reader, Structure, Wire, Writer};

/// Fields of a struct with their ids, ascending.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Struct(pub Vec<(i16, Value)>);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    /// By its bits, so that NaN equals itself.
    Double(u64),
    Binary(Vec<u8>),
    Struct(Struct),
    Bools(Vec<bool>),
    I32s(Vec<i32>),
    I64s(Vec<i64>),
    Binaries(Vec<Vec<u8>>),
    Structs(Vec<Struct>),
}

impl Structure for Struct {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut out = Struct::default();
        let mut fields = Fields::new("Struct");
        while let Some((id, wire)) = fields.next_known(reader)? {
            let value = match wire {
                Wire::True | Wire::False => Value::Bool(wire == Wire::True),
                Wire::I8 => Value::I8(reader.i8()?),
                Wire::I16 => Value::I16(reader.i16()?),
                Wire::I32 => Value::I32(reader.i32()?),
                Wire::I64 => Value::I64(reader.i64()?),
                Wire::Double => Value::Double(reader.f64()?.to_bits()),
                Wire::Binary => Value::Binary(reader.slice()?.to_vec()),
                Wire::Struct => Value::Struct(Struct::decode_from(reader)?),
                Wire::List => decode_list(reader)?,
                other => unreachable!("{other:?} is never written"),
            };
            out.0.push((id, value));
        }
        Ok(out)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        for (id, value) in &self.0 {
            match value {
                Value::Bool(value) => writer.bool(*id, *value),
                Value::I8(value) => writer.i8(*id, *value),
                Value::I16(value) => writer.i16(*id, *value),
                Value::I32(value) => writer.i32(*id, *value),
                Value::I64(value) => writer.i64(*id, *value),
                Value::Double(bits) => writer.f64(*id, f64::from_bits(*bits)),
                Value::Binary(value) => writer.binary(*id, value.as_slice()),
                Value::Struct(value) => writer.structure(*id, value),
                Value::Bools(values) => writer.bools(*id, values.as_slice()),
                Value::I32s(values) => writer.i32s(*id, values.as_slice()),
                Value::I64s(values) => writer.i64s(*id, values.as_slice()),
                Value::Binaries(values) => writer.binaries(*id, values.as_slice()),
                Value::Structs(values) => writer.structures(*id, values.as_slice()),
            }
        }
    }
}

fn decode_list(reader: &mut Reader<'_>) -> Result<Value> {
    let (wire, _) = reader.clone().list()?;
    Ok(match wire {
        Wire::True | Wire::False => Value::Bools(reader.list_of(wire, Reader::bool_element)?),
        Wire::I32 => Value::I32s(reader.list_of(wire, Reader::i32)?),
        Wire::I64 => Value::I64s(reader.list_of(wire, Reader::i64)?),
        Wire::Binary => {
            Value::Binaries(reader.list_of(wire, |reader| reader.slice().map(<[u8]>::to_vec))?)
        }
        Wire::Struct => Value::Structs(reader.structures()?),
        other => unreachable!("{other:?} is never written"),
    })
}

pub(crate) fn theirs_read(input: &mut dyn TInputProtocol) -> Struct {
    let mut out = Struct::default();
    input.read_struct_begin().unwrap();
    loop {
        let field = input.read_field_begin().unwrap();
        let value = match field.field_type {
            TType::Stop => break,
            TType::Bool => Value::Bool(input.read_bool().unwrap()),
            TType::I08 => Value::I8(input.read_i8().unwrap()),
            TType::I16 => Value::I16(input.read_i16().unwrap()),
            TType::I32 => Value::I32(input.read_i32().unwrap()),
            TType::I64 => Value::I64(input.read_i64().unwrap()),
            TType::Double => Value::Double(input.read_double().unwrap().to_bits()),
            TType::String => Value::Binary(input.read_bytes().unwrap()),
            TType::Struct => Value::Struct(theirs_read(input)),
            TType::List => theirs_read_list(input),
            other => unreachable!("{other:?} is never written"),
        };
        input.read_field_end().unwrap();
        out.0.push((field.id.unwrap(), value));
    }
    input.read_struct_end().unwrap();
    out
}

fn theirs_read_list(input: &mut dyn TInputProtocol) -> Value {
    let head = input.read_list_begin().unwrap();
    let count = 0..head.size;
    match head.element_type {
        TType::Bool => Value::Bools(count.map(|_| input.read_bool().unwrap()).collect()),
        TType::I32 => Value::I32s(count.map(|_| input.read_i32().unwrap()).collect()),
        TType::I64 => Value::I64s(count.map(|_| input.read_i64().unwrap()).collect()),
        TType::String => Value::Binaries(count.map(|_| input.read_bytes().unwrap()).collect()),
        TType::Struct => Value::Structs(count.map(|_| theirs_read(input)).collect()),
        other => unreachable!("{other:?} is never written"),
    }
}

pub(crate) fn theirs_write(output: &mut dyn TOutputProtocol, value: &Struct) {
    output
        .write_struct_begin(&TStructIdentifier::new("s"))
        .unwrap();
    for (id, value) in &value.0 {
        let mut begin = |ty| {
            let field = TFieldIdentifier::new("f", ty, *id);
            output.write_field_begin(&field).unwrap();
        };
        match value {
            Value::Bool(value) => {
                begin(TType::Bool);
                output.write_bool(*value).unwrap();
            }
            Value::I8(value) => {
                begin(TType::I08);
                output.write_i8(*value).unwrap();
            }
            Value::I16(value) => {
                begin(TType::I16);
                output.write_i16(*value).unwrap();
            }
            Value::I32(value) => {
                begin(TType::I32);
                output.write_i32(*value).unwrap();
            }
            Value::I64(value) => {
                begin(TType::I64);
                output.write_i64(*value).unwrap();
            }
            Value::Double(bits) => {
                begin(TType::Double);
                output.write_double(f64::from_bits(*bits)).unwrap();
            }
            Value::Binary(value) => {
                begin(TType::String);
                output.write_bytes(value).unwrap();
            }
            Value::Struct(value) => {
                begin(TType::Struct);
                theirs_write(output, value);
            }
            list => {
                begin(TType::List);
                theirs_write_list(output, list);
            }
        }
        output.write_field_end().unwrap();
    }
    output.write_field_stop().unwrap();
    output.write_struct_end().unwrap();
}

fn theirs_write_list(output: &mut dyn TOutputProtocol, list: &Value) {
    let mut begin = |ty, count: usize| {
        let head = TListIdentifier::new(ty, count as i32);
        output.write_list_begin(&head).unwrap();
    };
    match list {
        Value::Bools(values) => {
            begin(TType::Bool, values.len());
            values
                .iter()
                .for_each(|value| output.write_bool(*value).unwrap());
        }
        Value::I32s(values) => {
            begin(TType::I32, values.len());
            values
                .iter()
                .for_each(|value| output.write_i32(*value).unwrap());
        }
        Value::I64s(values) => {
            begin(TType::I64, values.len());
            values
                .iter()
                .for_each(|value| output.write_i64(*value).unwrap());
        }
        Value::Binaries(values) => {
            begin(TType::String, values.len());
            values
                .iter()
                .for_each(|value| output.write_bytes(value).unwrap());
        }
        Value::Structs(values) => {
            begin(TType::Struct, values.len());
            values.iter().for_each(|value| theirs_write(output, value));
        }
        scalar => unreachable!("{scalar:?} is no list"),
    }
}

impl Arbitrary for Struct {
    fn arbitrary(g: &mut Gen) -> Self {
        any_struct(g, 3)
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let all = self.0.clone();
        let without = move |index| {
            let mut fewer = all.clone();
            fewer.remove(index);
            Struct(fewer)
        };
        Box::new((0..self.0.len()).map(without))
    }
}

fn any_struct(g: &mut Gen, depth: usize) -> Struct {
    let mut id = 0i16;
    let fields = (0..u8::arbitrary(g) % 8).map(|_| {
        id += 1 + i16::from(u8::arbitrary(g)) % 20;
        (id, any_value(g, depth))
    });
    Struct(fields.collect())
}

fn any_value(g: &mut Gen, depth: usize) -> Value {
    match u8::arbitrary(g) % if depth == 0 { 11 } else { 13 } {
        0 => Value::Bool(bool::arbitrary(g)),
        1 => Value::I8(i8::arbitrary(g)),
        2 => Value::I16(i16::arbitrary(g)),
        3 => Value::I32(i32::arbitrary(g)),
        4 => Value::I64(i64::arbitrary(g)),
        5 => Value::Double(u64::arbitrary(g)),
        6 => Value::Binary(Vec::arbitrary(g)),
        7 => Value::Bools(Vec::arbitrary(g)),
        8 => Value::I32s(Vec::arbitrary(g)),
        9 => Value::I64s(Vec::arbitrary(g)),
        10 => Value::Binaries(Vec::arbitrary(g)),
        11 => Value::Struct(any_struct(g, depth - 1)),
        _ => Value::Structs(
            (0..u8::arbitrary(g) % 20)
                .map(|_| any_struct(g, 0))
                .collect(),
        ),
    }
}

fn ours_read(bytes: &[u8]) -> Struct {
    let (value, length) = ours::decode::<Struct>(bytes, &Limits::default()).unwrap();
    assert_eq!(length, bytes.len());
    value
}

quickcheck! {
    fn they_read_what_we_write(value: Struct) -> bool {
        let bytes = ours::encode(&value);
        theirs_read(&mut TCompactInputProtocol::new(bytes.as_slice())) == value
    }

    fn we_read_and_skip_what_they_write(value: Struct) -> bool {
        let mut bytes = Vec::new();
        theirs_write(&mut TCompactOutputProtocol::new(&mut bytes), &value);
        let mut reader = Reader::new(&bytes, &Limits::default());
        reader.skip(Wire::Struct).unwrap();
        ours_read(&bytes) == value && reader.position() == bytes.len()
    }
}

#[test]
fn they_read_a_whole_footer_as_we_do() {
    let bytes = ours::encode(&testing::file_metadata());
    let theirs = theirs_read(&mut TCompactInputProtocol::new(bytes.as_slice()));
    assert_eq!(theirs, ours_read(&bytes));
    assert_eq!(theirs.0.len(), 9);
}
