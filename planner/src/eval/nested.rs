//! Lists, maps and structs while an expression is computed: they stay vectors, of which elements, values and
//! fields are taken.
//!
//! ```text
//! lists  offsets 0 2 2 5   elements a b c d e      [1] in rows 0 and 2: slots 1 and 3 of the elements
//! ```

use std::borrow::Cow;

use lith_format::bitmap::Bitmap;
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;
use lith_format::vector::{Values, Vector};

use super::Rows;
use super::load::load;
use super::node::{Kind, Lookup, Node, Part};
use super::value::{Lane, Value, wrong_lane};
use crate::error::{PlanError, Result};

/// Where nodes are computed.
pub(super) struct Scope<'a> {
    /// The columns of the batch by slot.
    pub(super) columns: &'a [&'a Vector],
    pub(super) rows: &'a Rows<'a>,
    /// Computes what is not nested.
    pub(super) run: &'a dyn Fn(&Node) -> Result<Value>,
}

impl Scope<'_> {
    /// Computes a part of the first node's value; of nested results, only which rows are null.
    pub(super) fn part(&self, part: Part, nodes: &[Node], ty: &LogicalType) -> Result<Value> {
        match (part, nodes) {
            (Part::Size { of_null }, [container]) => size(&*self.nested(container)?, of_null),
            (Part::Contains, [array, value]) => {
                let wanted = (self.run)(value)?;
                contains(&*self.nested(array)?, &wanted, &value.ty)
            }
            _ => load(&self.taken(part, nodes, ty)?, ty),
        }
    }

    /// A list, map or struct, in its plain layout.
    fn nested(&self, node: &Node) -> Result<Cow<'_, Vector>> {
        let vector = match &node.kind {
            Kind::Column { slot, fields } => below(self.columns[*slot], fields)?,
            Kind::Part(part, nodes) => {
                let taken = self.taken(*part, nodes, &node.ty);
                Cow::Owned(taken.map_err(|error| node.blame(error))?)
            }
            _ => {
                let rows = self.rows.active.len();
                Cow::Owned(Vector::constant(node.ty.clone(), Scalar::Null, rows))
            }
        };
        match &vector.values {
            Values::Null | Values::Constant(_) => {
                vector.flatten().map(Cow::Owned).map_err(of_format)
            }
            _ => Ok(vector),
        }
    }

    /// What is taken, as a vector.
    fn taken(&self, part: Part, nodes: &[Node], ty: &LogicalType) -> Result<Vector> {
        let [container, keys @ ..] = nodes else {
            return Err(wrong_lane("nested"));
        };
        let vector = self.nested(container)?;
        match (part, &vector.values, keys) {
            (Part::Field(index), ..) => vector.into_owned().into_field(index).map_err(of_format),
            (Part::Keys, Values::Map { offsets, keys, .. }, _) => {
                Ok(list_of(&vector, offsets, keys, ty))
            }
            (
                Part::Values,
                Values::Map {
                    offsets, values, ..
                },
                _,
            ) => Ok(list_of(&vector, offsets, values, ty)),
            (Part::Item(lookup), Values::List { offsets, elements }, [key]) => {
                let index = (self.run)(key)?;
                let slots = slots_at(&vector, offsets, &index, lookup, self.rows)?;
                elements.take_some(&slots).map_err(of_format)
            }
            (
                Part::Item(_),
                Values::Map {
                    offsets,
                    keys,
                    values,
                },
                [key],
            ) => {
                let wanted = (self.run)(key)?;
                let keys = load(keys, &key.ty)?;
                let slots = slots_of(&vector, offsets, &keys, &wanted)?;
                values.take_some(&slots).map_err(of_format)
            }
            _ => Err(wrong_lane("nested")),
        }
    }
}

fn of_format(error: lith_format::error::Error) -> PlanError {
    PlanError::type_mismatch(error.message().to_owned())
}

/// A field below a struct column.
fn below<'a>(vector: &'a Vector, fields: &[usize]) -> Result<Cow<'a, Vector>> {
    let Some((field, rest)) = fields.split_first() else {
        return Ok(Cow::Borrowed(vector));
    };
    if let (Values::Struct(children), None) = (&vector.values, &vector.validity)
        && let Some(child) = children.get(*field)
    {
        return below(child, rest);
    }
    let child = vector.clone().into_field(*field).map_err(of_format)?;
    Ok(Cow::Owned(below(&child, rest)?.into_owned()))
}

/// The keys or values of maps as lists.
fn list_of(maps: &Vector, offsets: &[u32], elements: &Vector, ty: &LogicalType) -> Vector {
    Vector {
        ty: ty.clone(),
        len: maps.len,
        validity: maps.validity.clone(),
        values: Values::List {
            offsets: offsets.to_vec(),
            elements: Box::new(elements.clone()),
        },
    }
}

/// For each row the slot of the element at its index.
fn slots_at(
    lists: &Vector,
    offsets: &[u32],
    index: &Value,
    lookup: Lookup,
    rows: &Rows<'_>,
) -> Result<Vec<Option<u32>>> {
    let indices = index.ints()?;
    let slot = |row: usize| {
        if lists.is_null(row) || !index.is_known(row) || !rows.active.get(row) {
            return Ok(None);
        }
        let (wanted, len) = (indices.get(row), offsets[row + 1] - offsets[row]);
        let place = match (lookup.from_one, wanted) {
            (true, 0) => {
                return Err(PlanError::evaluate(
                    "there is no element 0: they begin at 1",
                ));
            }
            (true, ..0) => wanted + i64::from(len),
            (true, _) => wanted - 1,
            (false, _) => wanted,
        };
        match u32::try_from(place) {
            Ok(place) if place < len => Ok(Some(offsets[row] + place)),
            _ if lookup.strict => {
                let message = format!("no element {wanted} in an array of {len}");
                Err(PlanError::evaluate(message))
            }
            _ => Ok(None),
        }
    };
    (0..lists.len).map(slot).collect()
}

/// For each row the slot of the entry that has its key.
fn slots_of(
    maps: &Vector,
    offsets: &[u32],
    keys: &Value,
    wanted: &Value,
) -> Result<Vec<Option<u32>>> {
    let equal = equality(keys, wanted)?;
    let slot = |row: usize| {
        if maps.is_null(row) || !wanted.is_known(row) {
            return None;
        }
        let mut slots = offsets[row]..offsets[row + 1];
        slots.find(|&slot| keys.is_known(slot as usize) && equal(slot as usize, row))
    };
    Ok((0..maps.len).map(slot).collect())
}

fn size(vector: &Vector, of_null: bool) -> Result<Value> {
    let (Values::List { offsets, .. } | Values::Map { offsets, .. }) = &vector.values else {
        return Err(wrong_lane("an array or a map"));
    };
    let mut sizes =
        (offsets.windows(2).map(|pair| i64::from(pair[1] - pair[0]))).collect::<Vec<_>>();
    let mut known = vector.validity.clone();
    if of_null && let Some(validity) = known.take() {
        validity.not().ones().for_each(|row| sizes[row] = -1);
    }
    Ok(Value::new(Lane::Int(sizes), known, false))
}

/// Whether the value is an element; unknown where it is not found among nulls.
fn contains(lists: &Vector, wanted: &Value, ty: &LogicalType) -> Result<Value> {
    let Values::List { offsets, elements } = &lists.values else {
        return Err(wrong_lane("an array"));
    };
    let elements = load(elements, ty)?;
    let equal = equality(&elements, wanted)?;
    let (mut found, mut known) = (Bitmap::new(), Bitmap::new());
    for row in 0..lists.len {
        let slots = offsets[row] as usize..offsets[row + 1] as usize;
        let asked = !lists.is_null(row) && wanted.is_known(row);
        let is_equal = |slot: usize| elements.is_known(slot) && equal(slot, row);
        let is_found = asked && slots.clone().any(is_equal);
        found.push(is_found);
        known.push(asked && (is_found || slots.into_iter().all(|slot| elements.is_known(slot))));
    }
    Ok(Value::new(Lane::Bool(found), Some(known), false))
}

/// Whether a row of one value equals a row of the other.
fn equality<'a>(a: &'a Value, b: &'a Value) -> Result<Box<dyn Fn(usize, usize) -> bool + 'a>> {
    Ok(match &a.lane {
        Lane::Bool(_) => {
            let (a, b) = (a.bits(a.held())?, b.bits(b.held())?);
            let place = |bits: &Bitmap, row: usize| if bits.len() == 1 { 0 } else { row };
            Box::new(move |x, y| a.get(place(&a, x)) == b.get(place(&b, y)))
        }
        Lane::Int(_) => {
            let (a, b) = (a.ints()?, b.ints()?);
            Box::new(move |x, y| a.get(x) == b.get(y))
        }
        Lane::Wide(_) => {
            let (a, b) = (a.wides()?, b.wides()?);
            Box::new(move |x, y| a.get(x) == b.get(y))
        }
        Lane::Float(_) => {
            let (a, b) = (a.floats()?, b.floats()?);
            let equal = |x: f64, y: f64| x == y || (x.is_nan() && y.is_nan());
            Box::new(move |x, y| equal(a.get(x), b.get(y)))
        }
        Lane::Bytes(_) => Box::new(move |x, y| a.bytes(x) == b.bytes(y)),
    })
}
