//! Evaluates a compiled expression on a batch.

use lith_format::bitmap::Bitmap;
use lith_format::filter::CompareOp;
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;
use lith_format::vector::{ByteViews, Values, Vector};

use super::call::{Call, Kernel};
use super::cast::Cast;
use super::compare::{compare, null_safe_eq, stored_with_literal};
use super::load::load;
use super::node::{Kind, Matching, Node, Reads};
use super::number::{self, Operation};
use super::value::{Lane, LaneKind, Value, factor, known2, mask};
use super::{Rows, nested::Scope, pattern::Pattern};
use crate::error::{PlanError, Result};

/// The columns of a batch by slot.
pub(super) struct Input<'a> {
    pub(super) columns: &'a [&'a Vector],
    pub(super) rows: usize,
}

/// The node's value in every row; rows that are not active may hold anything.
pub(super) fn run(node: &Node, input: &Input<'_>, active: &Bitmap) -> Result<Value> {
    if let Some(value) = by_dictionary(node, input, active) {
        return Ok(value);
    }
    compute(node, input, active).map_err(|error| node.blame(error))
}

fn compute(node: &Node, input: &Input<'_>, active: &Bitmap) -> Result<Value> {
    let rows = Rows {
        active,
        mode: node.mode,
    };
    let of = |inner: &Node| run(inner, input, active);
    match &node.kind {
        Kind::Column { slot, fields } => column(input.columns[*slot], fields, &node.ty),
        Kind::Literal(value) => Ok(value.clone()),
        Kind::Compare(op, pair) => compare_both(*op, pair, input, active),
        Kind::NullSafeEq(pair) => null_safe_eq(&of(&pair[0])?, &of(&pair[1])?),
        Kind::All(terms) => connect(terms, false, input, active),
        Kind::Any(terms) => connect(terms, true, input, active),
        Kind::Not(inner) => not(of(inner)?),
        Kind::IsNull(inner) => null_test(&of(inner)?, true),
        Kind::IsNotNull(inner) => null_test(&of(inner)?, false),
        Kind::Member(inner, members) => members.contain(&of(inner)?),
        Kind::InList(inner, list) => in_list(&of(inner)?, list, input, active),
        Kind::Match(inner, pattern) => Ok(match_all(&of(inner)?, pattern, &rows)),
        Kind::MatchRow(how, pair) => {
            let (text, pattern) = both(pair, input, active)?;
            match_each(*how, &text, &pattern, &rows)
        }
        Kind::Arithmetic(op, pair) => {
            let (left, right) = both(pair, input, active)?;
            let operation = Operation {
                op: *op,
                left: (&left, &pair[0].ty),
                right: (&right, &pair[1].ty),
                ty: &node.ty,
            };
            operation.run(&rows)
        }
        Kind::Negate(inner) => number::negate(&of(inner)?, &node.ty, &rows),
        Kind::Cast {
            input: inner,
            lenient,
        } => Cast {
            from: &inner.ty,
            to: &node.ty,
            lenient: *lenient,
        }
        .run(of(inner)?, &rows),
        Kind::Case {
            branches,
            otherwise,
        } => case(branches, otherwise, input, active),
        Kind::Coalesce(terms) => coalesce(node, terms, input, active),
        Kind::Call(kernel, args) => {
            let values = args.iter().map(of).collect::<Result<Vec<_>>>()?;
            call(*kernel, args, &values, &node.ty, &rows)
        }
        Kind::Part(part, nodes) => Scope {
            columns: input.columns,
            rows: &rows,
            run: &of,
        }
        .part(*part, nodes, &node.ty),
    }
}

fn call(
    kernel: Kernel,
    args: &[Node],
    values: &[Value],
    ty: &LogicalType,
    rows: &Rows<'_>,
) -> Result<Value> {
    let types: Vec<&LogicalType> = args.iter().map(|arg| &arg.ty).collect();
    kernel(&Call {
        args: values,
        types: &types,
        ty,
        rows,
    })
}

/// Both operands; the right one is asked only for the rows in which the left one is known.
fn both(pair: &[Node; 2], input: &Input<'_>, active: &Bitmap) -> Result<(Value, Value)> {
    let left = run(&pair[0], input, active)?;
    let right = match &left.known {
        None => run(&pair[1], input, active)?,
        Some(_) => run(&pair[1], input, &active.and(&left.known_rows(input.rows)))?,
    };
    Ok((left, right))
}

/// A comparison; of a column with a literal where the stored values allow it, without a copy of them.
fn compare_both(
    op: CompareOp,
    pair: &[Node; 2],
    input: &Input<'_>,
    active: &Bitmap,
) -> Result<Value> {
    let [left, right] = pair;
    if let (Kind::Column { slot, fields }, Some(literal)) = (&left.kind, right.literal())
        && let Some(vector) = plain(input.columns[*slot], fields, &left.ty)
        && let Some(truth) = stored_with_literal(op, vector, literal)
    {
        return Ok(truth);
    }
    let (left, right) = both(pair, input, active)?;
    compare(op, &left, &right)
}

/// The vector itself, if its numbers are what the planned type holds.
fn plain<'a>(vector: &'a Vector, fields: &[usize], ty: &LogicalType) -> Option<&'a Vector> {
    let same = LaneKind::of(&vector.ty) == LaneKind::of(ty) && factor(&vector.ty, ty) == 1;
    (fields.is_empty() && same).then_some(vector)
}

fn column(vector: &Vector, fields: &[usize], ty: &LogicalType) -> Result<Value> {
    let Some((field, rest)) = fields.split_first() else {
        return load(vector, ty);
    };
    let missing = || PlanError::type_mismatch("a struct lacks the field asked for");
    match &vector.values {
        Values::Struct(children) => {
            let mut value = column(children.get(*field).ok_or_else(missing)?, rest, ty)?;
            if let Some(parent) = &vector.validity {
                let known = value.known_rows(vector.len).and(parent);
                value = if value.one {
                    spread(&value, vector.len)
                } else {
                    value
                };
                value.known = Some(known);
            }
            Ok(value)
        }
        Values::Constant(Scalar::Struct(values)) => {
            let (_, value) = values.get(*field).ok_or_else(missing)?;
            column(
                &Vector::constant(LogicalType::Null, value.clone(), vector.len),
                rest,
                ty,
            )
        }
        Values::Constant(Scalar::Union(tag, value)) if usize::from(*tag) == *field => {
            let member = Vector::constant(LogicalType::Null, (**value).clone(), vector.len);
            column(&member, rest, ty)
        }
        Values::Null | Values::Constant(Scalar::Null | Scalar::Union(..)) => {
            Value::literal(&Scalar::Null, ty)
        }
        Values::Union { .. } => {
            let member = vector.clone().into_field(*field);
            column(&member.map_err(|_| missing())?, rest, ty)
        }
        // of a field of elements, which is an array, only where it is null
        Values::List { .. } | Values::Constant(Scalar::List(_)) => load(vector, ty),
        _ => Err(missing()),
    }
}

/// One value in as many rows.
fn spread(value: &Value, rows: usize) -> Value {
    value.take(&vec![Some(0); rows])
}

/// AND (`absorbing` false) or OR (`absorbing` true): a term is asked only for the rows that no term
/// before it has decided.
fn connect(terms: &[Node], absorbing: bool, input: &Input<'_>, active: &Bitmap) -> Result<Value> {
    let rows = input.rows;
    let mut open = active.clone();
    let mut decided = Bitmap::repeat(false, rows);
    let mut unknown = Bitmap::repeat(false, rows);
    for term in terms {
        if !open.any() {
            break;
        }
        let value = run(term, input, &open)?;
        let bits = value.bits(rows)?;
        let bits = if absorbing { bits } else { bits.not() };
        let deciding = match &value.known {
            None => bits,
            Some(_) => {
                let known = value.known_rows(rows);
                unknown = unknown.or(&known.not());
                bits.and(&known)
            }
        };
        open = open.and_not(&deciding);
        decided = decided.or(&deciding);
    }
    let bits = if absorbing {
        decided.clone()
    } else {
        decided.not()
    };
    let known = unknown.any().then(|| unknown.and_not(&decided).not());
    Ok(Value::new(Lane::Bool(bits), known, false))
}

fn not(value: Value) -> Result<Value> {
    let bits = value.bits(value.held())?.not();
    Ok(Value::new(Lane::Bool(bits), value.known, value.one))
}

fn null_test(value: &Value, wanted: bool) -> Result<Value> {
    let known = value.known_rows(value.held());
    let bits = if wanted { known.not() } else { known };
    Ok(Value::known_truth(bits, value.one))
}

/// IN over expressions: an OR of equalities that looks at each only while undecided.
fn in_list(value: &Value, list: &[Node], input: &Input<'_>, active: &Bitmap) -> Result<Value> {
    let rows = input.rows;
    let mut open = active.and(&value.known_rows(rows));
    let mut found = Bitmap::repeat(false, rows);
    let mut unknown = value.known_rows(rows).not();
    for candidate in list {
        if !open.any() {
            break;
        }
        let equal = compare(CompareOp::Eq, value, &run(candidate, input, &open)?)?;
        let is_true = equal.is_true(rows)?;
        unknown = unknown.or(&equal.known_rows(rows).not());
        open = open.and_not(&is_true);
        found = found.or(&is_true);
    }
    let known = unknown.and_not(&found).not();
    Ok(Value::new(Lane::Bool(found), Some(known), false))
}

fn match_all(value: &Value, pattern: &Pattern, rows: &Rows<'_>) -> Value {
    let bits = (0..value.held())
        .map(|row| (value.one || rows.active.get(row)) && pattern.matches(value.bytes(row)))
        .collect();
    Value::new(Lane::Bool(bits), value.known.clone(), value.one)
}

/// A pattern a row, made ready again only when it changes.
fn match_each(how: Matching, text: &Value, pattern: &Value, rows: &Rows<'_>) -> Result<Value> {
    let held = if text.one {
        pattern.held()
    } else {
        text.held()
    };
    let one = text.one && pattern.one;
    let known = known2(text, pattern);
    let mut last: Option<(Vec<u8>, Pattern)> = None;
    let mut bits = Bitmap::new();
    for row in 0..held {
        let wanted =
            known.as_ref().is_none_or(|known| known.get(row)) && (one || rows.active.get(row));
        if !wanted {
            bits.push(false);
            continue;
        }
        let bytes = pattern.bytes(row);
        let prepared = match last.take() {
            Some((made_of, prepared)) if made_of == bytes => prepared,
            _ => how.prepare(bytes)?,
        };
        bits.push(prepared.matches(text.bytes(row)));
        last = Some((bytes.to_vec(), prepared));
    }
    Ok(Value::new(Lane::Bool(bits), known, one))
}

fn case(
    branches: &[(Node, Node)],
    otherwise: &Node,
    input: &Input<'_>,
    active: &Bitmap,
) -> Result<Value> {
    let mut open = active.clone();
    let mut values = Vec::with_capacity(branches.len() + 1);
    let mut choice = vec![0; input.rows];
    for (condition, value) in branches {
        if !open.any() {
            break;
        }
        let holds = run(condition, input, &open)?
            .is_true(input.rows)?
            .and(&open);
        if holds.any() {
            holds.ones().for_each(|row| choice[row] = values.len());
            values.push(run(value, input, &holds)?);
            open = open.and_not(&holds);
        }
    }
    open.ones().for_each(|row| choice[row] = values.len());
    if open.any() || values.is_empty() {
        values.push(run(otherwise, input, &open)?);
    }
    Ok(merge(&values, &choice))
}

fn coalesce(node: &Node, terms: &[Node], input: &Input<'_>, active: &Bitmap) -> Result<Value> {
    let mut open = active.clone();
    let mut values = Vec::with_capacity(terms.len() + 1);
    let mut choice = vec![0; input.rows];
    for term in terms {
        if !open.any() {
            break;
        }
        let value = run(term, input, &open)?;
        let found = value.known_rows(input.rows).and(&open);
        found.ones().for_each(|row| choice[row] = values.len());
        open = open.and_not(&found);
        values.push(value);
    }
    open.ones().for_each(|row| choice[row] = values.len());
    values.push(node.null_value()?);
    Ok(merge(&values, &choice))
}

/// Row `i` of the result is row `i` of value `choice[i]`.
pub(super) fn merge(values: &[Value], choice: &[usize]) -> Value {
    fn cells<T: Copy>(
        values: &[Value],
        choice: &[usize],
        cell: impl Fn(&Value, usize) -> T,
    ) -> Vec<T> {
        choice
            .iter()
            .enumerate()
            .map(|(row, &chosen)| {
                let value = &values[chosen];
                cell(value, if value.one { 0 } else { row })
            })
            .collect()
    }
    let known = choice
        .iter()
        .enumerate()
        .map(|(row, &chosen)| values[chosen].is_known(row))
        .collect();
    let lane = match values.first().map(|value| &value.lane) {
        Some(Lane::Int(_)) => Lane::Int(cells(values, choice, |value, row| match &value.lane {
            Lane::Int(values) => values[row],
            _ => 0,
        })),
        Some(Lane::Wide(_)) => Lane::Wide(cells(values, choice, |value, row| match &value.lane {
            Lane::Wide(values) => values[row],
            _ => 0,
        })),
        Some(Lane::Float(_)) => {
            Lane::Float(cells(values, choice, |value, row| match &value.lane {
                Lane::Float(values) => values[row],
                _ => 0.0,
            }))
        }
        Some(Lane::Bytes(_)) => Lane::Bytes(merge_bytes(values, choice)),
        Some(Lane::Bool(_)) | None => {
            let bits = cells(values, choice, |value, row| match &value.lane {
                Lane::Bool(bits) => bits.get(row),
                _ => false,
            });
            Lane::Bool(bits.into_iter().collect())
        }
    };
    Value::new(lane, Some(known), false)
}

fn merge_bytes(values: &[Value], choice: &[usize]) -> ByteViews {
    let mut out = ByteViews::default();
    let mut first_buffer = Vec::with_capacity(values.len());
    for value in values {
        first_buffer.push(out.buffers.len() as u32);
        if let Lane::Bytes(bytes) = &value.lane {
            out.buffers.extend(bytes.buffers.iter().cloned());
        }
    }
    for (row, &chosen) in choice.iter().enumerate() {
        let value = &values[chosen];
        let row = if value.one { 0 } else { row };
        let view = match &value.lane {
            Lane::Bytes(bytes) => bytes.views[row],
            _ => Default::default(),
        };
        let moved = view
            .place()
            .map_or(0, |(buffer, _)| buffer + first_buffer[chosen]);
        out.views.push(view.with_buffer(moved));
    }
    out
}

/// Judges the entries of a dictionary instead of its rows. `None` if the node does not read exactly
/// one dictionary, if it has fewer rows than entries, or if an entry fails: evaluation by rows then decides.
fn by_dictionary(node: &Node, input: &Input<'_>, active: &Bitmap) -> Option<Value> {
    let Reads::One(slot) = node.reads else {
        return None;
    };
    if matches!(node.kind, Kind::Column { .. }) {
        return None;
    }
    let vector = input.columns.get(slot)?;
    let Values::Dictionary { codes, values } = &vector.values else {
        return None;
    };
    if values.len == 0 || values.len > active.count_ones() {
        return None;
    }
    let judge = |vector: &Vector, rows: usize| {
        let columns = vec![vector; input.columns.len()];
        let input = Input {
            columns: &columns,
            rows,
        };
        run(node, &input, &Bitmap::repeat(true, rows)).ok()
    };
    let entries = judge(values, values.len)?;
    let null = match &vector.validity {
        None => None,
        Some(_) => Some(judge(
            &Vector::constant(LogicalType::Null, Scalar::Null, 1),
            1,
        )?),
    };
    let spread = match &entries.lane {
        Lane::Bool(_) => truth_by_code(&entries, codes, values.len)?,
        _ => {
            let rows: Vec<Option<usize>> = codes.iter().map(|&code| Some(code as usize)).collect();
            entries.take(&rows)
        }
    };
    match (&vector.validity, null) {
        (Some(validity), Some(mut null)) => {
            null.one = true;
            let choice: Vec<usize> = validity.iter().map(|valid| usize::from(!valid)).collect();
            Some(merge(&[spread, null], &choice))
        }
        _ => Some(spread),
    }
}

fn truth_by_code(entries: &Value, codes: &[u32], count: usize) -> Option<Value> {
    let spread = |bits: &Bitmap| {
        let truths: Vec<bool> = bits.iter().collect();
        // what stands for a null need not be a code
        mask(codes, |code| truths.get(code as usize) == Some(&true))
    };
    let truth = spread(&entries.bits(count).ok()?);
    let known = entries.known.as_ref();
    let known = known.map(|_| spread(&entries.known_rows(count)));
    Some(Value::new(Lane::Bool(truth), known, false))
}
