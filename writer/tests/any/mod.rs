//! Any table of flat columns: every type, nulls or not, vectors flat, behind a dictionary or constant.

use std::sync::Arc;

use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::{LogicalType, TimeUnit, Zone};
use lith_format::vector::{Batch, Values, Vector};
use quickcheck::{Arbitrary, Gen};

/// Batches of one schema.
#[derive(Debug, Clone)]
pub struct AnyTable {
    pub schema: Schema,
    pub batches: Vec<Batch>,
}

impl Arbitrary for AnyTable {
    fn arbitrary(g: &mut Gen) -> Self {
        AnyTable::of(g, &flat_types())
    }
}

impl AnyTable {
    /// A table whose columns are of some of `types`.
    pub fn of(g: &mut Gen, types: &[LogicalType]) -> Self {
        let fields = (0..1 + usize::arbitrary(g) % 6).map(|index| Field {
            name: format!("c{index}"),
            ty: g.choose(types).unwrap().clone(),
            nullable: bool::arbitrary(g),
        });
        let mut schema = Schema::new(fields.collect());
        for field in &mut schema.fields {
            field.nullable |= field.ty == LogicalType::Null;
        }
        let batches = (0..usize::arbitrary(g) % 4).map(|_| {
            let rows = usize::arbitrary(g) % 300;
            let columns = schema.fields.iter().map(|field| column(g, field, rows));
            Batch {
                schema: Arc::new(schema.clone()),
                rows,
                columns: columns.collect(),
            }
        });
        let batches = batches.collect();
        AnyTable { schema, batches }
    }
}

/// A table of the types that ORC stores as they are, or as others that hold the same values.
#[derive(Debug, Clone)]
pub struct OrcTable(pub AnyTable);

impl Arbitrary for OrcTable {
    fn arbitrary(g: &mut Gen) -> Self {
        use LogicalType as T;
        let mut types = vec![
            T::Boolean,
            T::Int8,
            T::Int16,
            T::Int32,
            T::Int64,
            T::UInt32,
            T::Float32,
            T::Float64,
            T::Date,
            T::String,
            T::Varchar(9),
            T::Binary,
            T::Uuid,
        ];
        types.extend([4, 18, 38].map(|precision| T::Decimal {
            precision,
            scale: 2,
        }));
        for unit in [TimeUnit::Millis, TimeUnit::Micros, TimeUnit::Nanos] {
            types.extend([Zone::Utc, Zone::Unstated].map(|zone| T::Timestamp { unit, zone }));
        }
        OrcTable(AnyTable::of(g, &types))
    }
}

/// Every flat type that Parquet keeps apart.
fn flat_types() -> Vec<LogicalType> {
    use LogicalType as T;
    let mut types = vec![
        T::Null,
        T::Boolean,
        T::Int8,
        T::Int16,
        T::Int32,
        T::Int64,
        T::UInt8,
        T::UInt16,
        T::UInt32,
        T::UInt64,
        T::Float16,
        T::Float32,
        T::Float64,
        T::Date,
        T::String,
        T::Enum,
        T::Json,
        T::Binary,
        T::Bson,
        T::Fixed(3),
        T::Fixed(20),
        T::Uuid,
        T::Interval,
        T::Geometry,
        T::Geography,
    ];
    types.extend([4, 9, 10, 18, 19, 38].map(|precision| T::Decimal {
        precision,
        scale: 2,
    }));
    for unit in [TimeUnit::Millis, TimeUnit::Micros, TimeUnit::Nanos] {
        types.extend([true, false].map(|utc| T::Time { unit, utc }));
        types.extend([Zone::Utc, Zone::Local].map(|zone| T::Timestamp { unit, zone }));
    }
    types
}

fn column(g: &mut Gen, field: &Field, rows: usize) -> Vector {
    let few = bool::arbitrary(g);
    let pool: Vec<Scalar> = (0..if few { 3 } else { rows.max(1) })
        .map(|_| scalar(g, &field.ty))
        .collect();
    let null = |g: &mut Gen| field.nullable && u8::arbitrary(g) % 4 == 0;
    let valid: Vec<bool> = (0..rows).map(|_| !null(g)).collect();
    let pick: Vec<usize> = (0..rows)
        .map(|_| usize::arbitrary(g) % pool.len())
        .collect();
    match u8::arbitrary(g) % 4 {
        0 if null(g) => Vector::constant(field.ty.clone(), Scalar::Null, rows),
        0 => Vector::constant(field.ty.clone(), pool[0].clone(), rows),
        1 if field.ty != LogicalType::Null => Vector {
            ty: field.ty.clone(),
            len: rows,
            validity: Some(valid.iter().copied().collect()),
            values: Values::Dictionary {
                codes: pick
                    .iter()
                    .zip(&valid)
                    .map(|(&at, &valid)| if valid { at as u32 } else { 0 })
                    .collect(),
                values: Arc::new(Vector::from_scalars(field.ty.clone(), &pool).unwrap()),
            },
        },
        _ => {
            let value = |(&at, &valid): (&usize, &bool)| match valid {
                true => pool[at].clone(),
                false => Scalar::Null,
            };
            let scalars: Vec<Scalar> = pick.iter().zip(&valid).map(value).collect();
            Vector::from_scalars(field.ty.clone(), &scalars).unwrap()
        }
    }
}

fn scalar(g: &mut Gen, ty: &LogicalType) -> Scalar {
    use LogicalType as T;
    let long = |g: &mut Gen| 1 + usize::from(u8::arbitrary(g) % 8 == 0) * 40;
    match *ty {
        T::Null => Scalar::Null,
        T::Boolean => Scalar::Boolean(bool::arbitrary(g)),
        T::Int8 => Scalar::Int(i8::arbitrary(g).into()),
        T::Int16 => Scalar::Int(i16::arbitrary(g).into()),
        T::Int32 => Scalar::Int(i32::arbitrary(g).into()),
        T::Int64 => Scalar::Int(i64::arbitrary(g)),
        T::UInt8 => Scalar::Int(u8::arbitrary(g).into()),
        T::UInt16 => Scalar::Int(u16::arbitrary(g).into()),
        T::UInt32 => Scalar::Int(u32::arbitrary(g).into()),
        T::UInt64 => Scalar::UInt(u64::arbitrary(g)),
        T::Float16 => Scalar::Float32(f32::from(i8::arbitrary(g)) / 8.0),
        T::Float32 => Scalar::Float32(f32::arbitrary(g)),
        T::Float64 => Scalar::Float64(f64::arbitrary(g)),
        T::Date => Scalar::Date(i32::arbitrary(g)),
        T::Decimal { precision, scale } => Scalar::Decimal {
            unscaled: i128::arbitrary(g) % 10i128.pow(precision.into()),
            scale,
        },
        T::Time { unit, utc } => Scalar::Time {
            value: i64::from(u16::arbitrary(g)),
            unit,
            utc,
        },
        T::Timestamp { unit, zone } => Scalar::Timestamp {
            value: i64::arbitrary(g).into(),
            unit,
            zone,
        },
        T::Fixed(length) => Scalar::binary(vec![u8::arbitrary(g); length as usize]),
        T::Uuid => Scalar::binary([u8::arbitrary(g); 16]),
        T::Interval => Scalar::binary([u8::arbitrary(g); 12]),
        _ if ty.is_text() => Scalar::string(String::arbitrary(g).repeat(long(g))),
        _ => Scalar::binary(Vec::<u8>::arbitrary(g).repeat(long(g))),
    }
}
