//! Properties of expressions that the rules share: nullable, constant, equal, negation of another; and chains of
//! ANDs and ORs as lists of terms.

use std::collections::HashMap;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};

use lith_format::filter::CompareOp;
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;

use crate::expr::{ArithmeticOp, Expr, scalar_sql};

/// Every node, children first, by a rewrite that cannot fail.
pub(crate) fn rewrite(expr: Expr, step: &mut impl FnMut(Expr) -> Expr) -> Expr {
    let rewritten = expr.transform_up(&mut |e| Ok::<_, Infallible>(step(e)));
    rewritten.unwrap_or_else(|never| match never {})
}

/// Every child, by a rewrite that cannot fail.
pub(crate) fn rewrite_children(expr: Expr, step: &mut impl FnMut(Expr) -> Expr) -> Expr {
    let rewritten = expr.map_children(&mut |e| Ok::<_, Infallible>(step(e)));
    rewritten.unwrap_or_else(|never| match never {})
}

/// `expr` with its child number `at` and `child` exchanged.
pub(crate) fn with_child(expr: Expr, at: usize, child: &mut Expr) -> Expr {
    let mut index = 0;
    rewrite_children(expr, &mut |mut old| {
        if index == at {
            std::mem::swap(&mut old, child);
        }
        index += 1;
        old
    })
}

/// Whether this is the literal null.
pub(crate) fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Literal(Scalar::Null, _))
}

/// Whether this is the literal `value`.
pub(crate) fn is_boolean(expr: &Expr, value: bool) -> bool {
    matches!(expr, Expr::Literal(Scalar::Boolean(v), _) if *v == value)
}

/// UNKNOWN.
pub(crate) fn unknown() -> Expr {
    Expr::null(LogicalType::Boolean)
}

/// `isnull(expr)`.
pub(crate) fn is_null_test(expr: Expr) -> Expr {
    Expr::IsNull(Box::new(expr))
}

/// `isnotnull(expr)`.
pub(crate) fn is_not_null_test(expr: Expr) -> Expr {
    Expr::IsNotNull(Box::new(expr))
}

/// Whether it may be null. Columns may, whatever the file says, as Spark has it.
pub(crate) fn nullable(expr: &Expr) -> bool {
    match expr {
        Expr::Column(_) => true,
        Expr::Literal(value, _) => value.is_null(),
        Expr::IsNull(_) | Expr::IsNotNull(_) | Expr::NullSafeEq(..) => false,
        Expr::Cast { lenient: true, .. } => true,
        Expr::Unchecked(inner) => !wraps(inner) || nullable(inner),
        // of NaN and the infinities it is
        Expr::Cast {
            expr,
            ty: LogicalType::Decimal { .. },
            ..
        } if matches!(expr.ty(), LogicalType::Float32 | LogicalType::Float64) => true,
        Expr::If {
            then, otherwise, ..
        } => nullable(then) || nullable(otherwise),
        Expr::Case {
            branches,
            otherwise,
        } => {
            branches.iter().any(|(_, value)| nullable(value))
                || otherwise.as_deref().is_none_or(nullable)
        }
        Expr::Function { name, args, .. } => match name.as_str() {
            "coalesce" => args.iter().all(nullable),
            "isnan" | "hash" | "rand" | "monotonically_increasing_id" | "input_file_name" => false,
            _ => true,
        },
        _ => expr.children().into_iter().any(nullable),
    }
}

/// Whether without ANSI mode, it gives a number that wraps around where with it, it fails.
fn wraps(expr: &Expr) -> bool {
    let is_sum = match expr {
        Expr::Arithmetic { op, .. } => matches!(
            op,
            ArithmeticOp::Add | ArithmeticOp::Subtract | ArithmeticOp::Multiply
        ),
        Expr::Negate(_) => true,
        _ => false,
    };
    is_sum && !matches!(expr.ty(), LogicalType::Decimal { .. })
}

/// Whether it has the same value for every row of every table.
pub(crate) fn is_constant(expr: &Expr) -> bool {
    !expr.any(|e| matches!(e, Expr::Column(_))) && expr.is_deterministic()
}

/// The operator that is true where this one is false.
pub(crate) fn opposite(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::NotEq,
        CompareOp::NotEq => CompareOp::Eq,
        CompareOp::Lt => CompareOp::GtEq,
        CompareOp::LtEq => CompareOp::Gt,
        CompareOp::Gt => CompareOp::LtEq,
        CompareOp::GtEq => CompareOp::Lt,
    }
}

/// Whether they mean the same; `a < b` and `b > a` do.
pub(crate) fn same(a: &Expr, b: &Expr) -> bool {
    let flipped = || match (a, b) {
        (
            Expr::Compare { op, left, right },
            Expr::Compare {
                op: other,
                left: l,
                right: r,
            },
        ) => *other == op.flipped() && left == r && right == l,
        _ => false,
    };
    a == b || flipped()
}

/// Whether one is true exactly where the other is false.
pub(crate) fn is_negation(a: &Expr, b: &Expr) -> bool {
    match (a, b) {
        (Expr::Not(inner), other) | (other, Expr::Not(inner)) => same(inner, other),
        (Expr::Compare { op, left, right }, other @ Expr::Compare { .. }) => {
            let negated = Expr::Compare {
                op: opposite(*op),
                left: left.clone(),
                right: right.clone(),
            };
            same(&negated, other)
        }
        _ => false,
    }
}

/// What joins a chain of terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// AND.
    And,
    /// OR.
    Or,
}

impl Joint {
    /// The other one.
    pub(crate) fn other(self) -> Joint {
        match self {
            Joint::And => Joint::Or,
            Joint::Or => Joint::And,
        }
    }

    /// The terms of the chain at the top, in order.
    pub(crate) fn terms(self, expr: &Expr) -> Vec<&Expr> {
        match self {
            Joint::And => expr.conjuncts(),
            Joint::Or => expr.disjuncts(),
        }
    }

    /// Both, joined.
    pub(crate) fn pair(self, left: Expr, right: Expr) -> Expr {
        match self {
            Joint::And => left.and(right),
            Joint::Or => left.or(right),
        }
    }

    /// A chain of terms: as a list is folded, from the left, unless that would be a deep tree.
    pub(crate) fn chain(self, terms: Vec<Expr>) -> Expr {
        const DEEP: usize = 64;
        if terms.len() > DEEP || terms.is_empty() {
            return match self {
                Joint::And => Expr::all(terms),
                Joint::Or => Expr::any_of(terms),
            };
        }
        let joined = terms.into_iter().reduce(|a, b| self.pair(a, b));
        joined.expect("there is a term")
    }
}

/// A set of expressions that finds equal ones without comparing with all.
#[derive(Default)]
pub(crate) struct ExprSet<'a>(HashMap<u64, Vec<&'a Expr>>);

impl<'a> ExprSet<'a> {
    /// Adds it; false if it was there.
    pub(crate) fn insert(&mut self, expr: &'a Expr) -> bool {
        let slot = self.0.entry(fingerprint(expr)).or_default();
        let new = !slot.iter().any(|other| same(other, expr));
        if new {
            slot.push(expr);
        }
        new
    }

    /// Whether it is there.
    pub(crate) fn contains(&self, expr: &Expr) -> bool {
        let slot = self.0.get(&fingerprint(expr));
        slot.is_some_and(|slot| slot.iter().any(|other| same(other, expr)))
    }
}

impl<'a> FromIterator<&'a Expr> for ExprSet<'a> {
    fn from_iter<T: IntoIterator<Item = &'a Expr>>(exprs: T) -> Self {
        let mut set = ExprSet::default();
        for expr in exprs {
            set.insert(expr);
        }
        set
    }
}

/// Equal for what [`same`] calls the same; sides of comparisons therefore count without order.
fn fingerprint(expr: &Expr) -> u64 {
    let mut hasher = DefaultHasher::new();
    std::mem::discriminant(expr).hash(&mut hasher);
    match expr {
        Expr::Column(column) => match &column.bound {
            Some(bound) => (bound.index, &bound.fields).hash(&mut hasher),
            None => column.path.hash(&mut hasher),
        },
        Expr::Literal(Scalar::Float32(value), _) => float_bits((*value).into()).hash(&mut hasher),
        Expr::Literal(Scalar::Float64(value), _) => float_bits(*value).hash(&mut hasher),
        Expr::Literal(Scalar::Int(value), _) => value.hash(&mut hasher),
        Expr::Literal(Scalar::String(text), _) => text.hash(&mut hasher),
        Expr::Literal(value, ty) => scalar_sql(value, ty).hash(&mut hasher),
        Expr::Function { name, .. } => name.hash(&mut hasher),
        Expr::Cast { ty, .. } => ty.hash(&mut hasher),
        _ => {}
    }
    let sum = expr.children().into_iter().map(fingerprint);
    let sum = if matches!(expr, Expr::Compare { .. }) {
        sum.fold(0, u64::wrapping_add)
    } else {
        sum.fold(0, |a: u64, b| a.wrapping_mul(31).wrapping_add(b))
    };
    sum.hash(&mut hasher);
    hasher.finish()
}

/// The same for floats that are equal: zeros are whatever their sign, and so is every NaN.
fn float_bits(value: f64) -> u64 {
    match value {
        value if value.is_nan() => f64::NAN.to_bits(),
        value => (value + 0.0).to_bits(),
    }
}
