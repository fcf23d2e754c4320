//! Whole footers: decoded into structs and a schema, and the same bytes walked by the `thrift` crate's compact
//! protocol into a tree of values, as a reader does that knows nothing of Parquet.

use std::hint::black_box;

use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use lith_benches::footers;
use lith_format::limits::Limits;
use lith_format::orc::schema::{Dialect, FileSchema};
use lith_format::orc::tail::Tail;
use lith_format::parquet::footer::FileMetaData;
use lith_format::parquet::schema;
use lith_format::step::Step;
use thrift::protocol::{TCompactInputProtocol, TInputProtocol, TType};

/// Columns and row groups.
const SHAPES: [(usize, usize); 2] = [(10_000, 1), (50, 2_000)];

/// A value of which only its type on the wire is known.
#[expect(dead_code, reason = "built, not read")]
enum Value {
    Bool(bool),
    Int(i64),
    Double(f64),
    Binary(Vec<u8>),
    List(Vec<Value>),
    Struct(Vec<(i16, Value)>),
}

fn walk_struct(input: &mut dyn TInputProtocol) -> thrift::Result<Value> {
    let mut fields = Vec::new();
    input.read_struct_begin()?;
    loop {
        let field = input.read_field_begin()?;
        if field.field_type == TType::Stop {
            break;
        }
        let value = walk(input, field.field_type)?;
        input.read_field_end()?;
        fields.push((field.id.unwrap_or(0), value));
    }
    input.read_struct_end()?;
    Ok(Value::Struct(fields))
}

fn walk(input: &mut dyn TInputProtocol, wire: TType) -> thrift::Result<Value> {
    Ok(match wire {
        TType::Bool => Value::Bool(input.read_bool()?),
        TType::I08 => Value::Int(input.read_i8()?.into()),
        TType::I16 => Value::Int(input.read_i16()?.into()),
        TType::I32 => Value::Int(input.read_i32()?.into()),
        TType::I64 => Value::Int(input.read_i64()?),
        TType::Double => Value::Double(input.read_double()?),
        TType::String => Value::Binary(input.read_bytes()?),
        TType::Struct => walk_struct(input)?,
        TType::List => {
            let head = input.read_list_begin()?;
            let values = (0..head.size).map(|_| walk(input, head.element_type));
            let values = values.collect::<thrift::Result<_>>()?;
            input.read_list_end()?;
            Value::List(values)
        }
        other => return Err(format!("{other} is in no footer").into()),
    })
}

fn parquet(criterion: &mut Criterion) {
    let limits = Limits::default();
    for (columns, groups) in SHAPES {
        let bytes = Bytes::from(footers::parquet(columns, groups).encode());
        let name = format!("parquet footer, {columns} columns, {groups} row groups");
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("decode", |bench| {
            bench.iter(|| {
                let footer = FileMetaData::decode(&bytes, &limits).expect("it was encoded");
                let schema = schema::decode(&footer.schema, &limits).expect("it is a tree");
                assert_eq!(footer.row_groups.len(), groups);
                black_box((footer, schema))
            });
        });
        group.bench_function("generic walk", |bench| {
            bench.iter(|| {
                let mut input = TCompactInputProtocol::new(&bytes[..]);
                let value = walk_struct(&mut input).expect("it was encoded");
                assert!(matches!(&value, Value::Struct(fields) if fields.len() == 6));
                black_box(value)
            });
        });
        group.finish();
    }
}

fn orc(criterion: &mut Criterion) {
    let limits = Limits::default();
    for (columns, stripes) in SHAPES {
        let (bytes, length) = footers::orc(columns, stripes).expect("it can be encoded");
        let name = format!("orc tail, {columns} columns, {stripes} stripes");
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("decode", |bench| {
            bench.iter(|| {
                let tail = Tail::decode(&bytes, length, &limits).expect("it was encoded");
                let Step::Done(tail) = tail else {
                    unreachable!("the whole tail is there");
                };
                let schema = FileSchema::decode(&tail.footer, Dialect::Orc, &limits);
                let schema = schema.expect("it is a tree");
                assert_eq!(schema.leaves.len(), columns);
                black_box((tail, schema))
            });
        });
        group.finish();
    }
}

criterion_group!(benches, parquet, orc);
criterion_main!(benches);
