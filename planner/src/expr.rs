//! The one tree of expressions, before and after resolution.
//!
//! `sql` builds it from text, `resolve` binds its columns and inserts the casts that Spark's ANSI mode
//! inserts, `normalize` rewrites it, `eval` compiles it. A tree is *resolved* when every [`Column`] is
//! bound and every node has its type; until then [`Expr::ty`] of the nodes concerned is `void`.
//!
//! AND and OR are binary, as Spark's are, because its plan strings show the brackets. Chains are built
//! balanced ([`Expr::all`], [`Expr::any_of`]), so ten thousand terms are fourteen levels deep; whatever
//! walks a tree may recurse, because `sql` refuses text nested deeper than [`MAX_DEPTH`].

mod column;
mod render;
mod walk;

use lith_format::filter::{Affix, CompareOp};
use lith_format::scalar::Scalar;
use lith_format::types::{LogicalType, TimeUnit, Zone};

pub use column::{Bound, Column, Place, Span, identifier_sql};
pub(crate) use column::{back_quoted, name_sql};
pub(crate) use render::shortened;
pub use render::{double_text, scalar_spark, scalar_sql};

/// How many levels an expression may have.
pub const MAX_DEPTH: usize = 400;

/// The name of the function that `container[key]` stands for.
pub(crate) const SUBSCRIPT: &str = "[]";

/// The name of the function that `date + INTERVAL 1 DAY` stands for; no call has it.
pub(crate) const SHIFT_DAYS: &str = "+ days";

/// The name of the function that gives null where an array has no such element.
pub(crate) const GET: &str = "get";

/// An operator on two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, never of integers
    Divide,
    /// `div`, to a bigint
    IntegerDivide,
    /// `%`
    Remainder,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Expr {
    /// A column or struct field.
    Column(Column),
    /// A value of a type; a null has the type that its place asks for.
    Literal(Scalar, LogicalType),
    /// A comparison that is UNKNOWN if either side is null.
    Compare {
        /// Which.
        op: CompareOp,
        /// The left side.
        left: Box<Expr>,
        /// The right side, of the same type once resolved.
        right: Box<Expr>,
    },
    /// `<=>`: nulls equal each other; never UNKNOWN.
    NullSafeEq(Box<Expr>, Box<Expr>),
    /// Both.
    And(Box<Expr>, Box<Expr>),
    /// Either.
    Or(Box<Expr>, Box<Expr>),
    /// Not.
    Not(Box<Expr>),
    /// `IS NULL`.
    IsNull(Box<Expr>),
    /// `IS NOT NULL`.
    IsNotNull(Box<Expr>),
    /// `IN` over one or more expressions.
    In {
        /// What is looked for.
        expr: Box<Expr>,
        /// Where.
        list: Vec<Expr>,
        /// Whether the list is a set of literals, which Spark prints as `INSET`.
        set: bool,
    },
    /// `LIKE`, where `%` is any text and `_` any character.
    Like {
        /// The text.
        expr: Box<Expr>,
        /// The pattern.
        pattern: Box<Expr>,
        /// What takes the meaning from the next character of the pattern.
        escape: char,
        /// Whether it is `ILIKE`.
        ignore_case: bool,
    },
    /// `startswith`, `endswith` or `contains`.
    Affix {
        /// Where the part must stand.
        affix: Affix,
        /// The text.
        expr: Box<Expr>,
        /// The part.
        part: Box<Expr>,
    },
    /// `RLIKE`: whether a regular expression is found anywhere.
    RLike {
        /// The text.
        expr: Box<Expr>,
        /// The regular expression.
        pattern: Box<Expr>,
    },
    /// An operator on two numbers.
    Arithmetic {
        /// Which.
        op: ArithmeticOp,
        /// The left side.
        left: Box<Expr>,
        /// The right side.
        right: Box<Expr>,
        /// The result's type.
        ty: LogicalType,
    },
    /// The number with the other sign.
    Negate(Box<Expr>),
    /// A conversion.
    Cast {
        /// What is converted.
        expr: Box<Expr>,
        /// To which type.
        ty: LogicalType,
        /// Whether what cannot be converted becomes null (`try_cast`) instead of an error.
        lenient: bool,
    },
    /// `if(condition, then, otherwise)`.
    If {
        /// What decides; UNKNOWN counts as false.
        condition: Box<Expr>,
        /// The value if true.
        then: Box<Expr>,
        /// The value if not.
        otherwise: Box<Expr>,
    },
    /// `CASE WHEN .. THEN .. ELSE .. END`.
    Case {
        /// Conditions and values, the first true one counts.
        branches: Vec<(Expr, Expr)>,
        /// The value if none is true; null if absent.
        otherwise: Option<Box<Expr>>,
    },
    /// A field of a struct, or of each element of an array of structs, that is no column.
    Field {
        /// What has the field.
        expr: Box<Expr>,
        /// The field's name as written.
        name: String,
        /// Which field it is, once resolved.
        index: usize,
        /// Its type.
        ty: LogicalType,
    },
    /// A function by its lower-case name. `[]` is the element of an array or the value of a map.
    Function {
        /// The name as written, in lower case.
        name: String,
        /// The arguments, defaults included once resolved.
        args: Vec<Expr>,
        /// The result's type.
        ty: LogicalType,
        /// Where the name was written.
        place: Place,
    },
    /// The same without ANSI mode: null, or a number that wraps around, in rows for which it would fail.
    Unchecked(Box<Expr>),
}

/// A timestamp as Spark has it: microseconds, an instant.
pub const TIMESTAMP: LogicalType = LogicalType::Timestamp {
    unit: TimeUnit::Micros,
    zone: Zone::Utc,
};

/// A timestamp without time zone as Spark has it.
pub const TIMESTAMP_NTZ: LogicalType = LogicalType::Timestamp {
    unit: TimeUnit::Micros,
    zone: Zone::Local,
};

/// A time of day as it is computed here, whatever the unit it is stored in: nanoseconds hold all of them.
pub const TIME: LogicalType = LogicalType::Time {
    unit: TimeUnit::Nanos,
    utc: false,
};

impl Expr {
    /// A column by its name's parts, to be resolved.
    pub fn column<S: Into<String>>(path: impl IntoIterator<Item = S>) -> Expr {
        Expr::Column(Column::new(path))
    }

    /// A boolean literal.
    pub fn boolean(value: bool) -> Expr {
        Expr::Literal(Scalar::Boolean(value), LogicalType::Boolean)
    }

    /// A null of a type.
    pub fn null(ty: LogicalType) -> Expr {
        Expr::Literal(Scalar::Null, ty)
    }

    /// An `int` literal.
    pub fn int(value: i32) -> Expr {
        Expr::Literal(Scalar::Int(value.into()), LogicalType::Int32)
    }

    /// A `string` literal.
    pub fn string(value: &str) -> Expr {
        Expr::Literal(Scalar::string(value), LogicalType::String)
    }

    /// A comparison.
    pub fn compare(left: Expr, op: CompareOp, right: Expr) -> Expr {
        Expr::Compare {
            op,
            left: Box::new(left),
            right: Box::new(right),
        }
    }

    /// Both.
    pub fn and(self, other: Expr) -> Expr {
        Expr::And(Box::new(self), Box::new(other))
    }

    /// Either.
    pub fn or(self, other: Expr) -> Expr {
        Expr::Or(Box::new(self), Box::new(other))
    }

    /// What is computed, whether it is checked or not.
    pub(crate) fn checked(&self) -> &Expr {
        match self {
            Expr::Unchecked(inner) => inner,
            other => other,
        }
    }

    /// Its negation, as written: nothing is simplified.
    #[expect(
        clippy::should_implement_trait,
        reason = "three-valued NOT, not a bit operation"
    )]
    pub fn not(self) -> Expr {
        Expr::Not(Box::new(self))
    }

    /// A cast that fails on what cannot be converted.
    pub fn cast(self, ty: LogicalType) -> Expr {
        Expr::Cast {
            expr: Box::new(self),
            ty,
            lenient: false,
        }
    }

    /// All of `terms`, as a balanced tree in their order; `true` if there are none.
    pub fn all(terms: Vec<Expr>) -> Expr {
        balanced(terms, Expr::and).unwrap_or_else(|| Expr::boolean(true))
    }

    /// At least one of `terms`, as a balanced tree in their order; `false` if there are none.
    pub fn any_of(terms: Vec<Expr>) -> Expr {
        balanced(terms, Expr::or).unwrap_or_else(|| Expr::boolean(false))
    }

    /// The terms of the ANDs at the top, in order.
    pub fn conjuncts(&self) -> Vec<&Expr> {
        self.terms(|expr| match expr {
            Expr::And(left, right) => Some((left, right)),
            _ => None,
        })
    }

    /// The terms of the ORs at the top, in order.
    pub fn disjuncts(&self) -> Vec<&Expr> {
        self.terms(|expr| match expr {
            Expr::Or(left, right) => Some((left, right)),
            _ => None,
        })
    }

    fn terms<'a>(
        &'a self,
        split: impl Fn(&'a Expr) -> Option<(&'a Expr, &'a Expr)>,
    ) -> Vec<&'a Expr> {
        let (mut open, mut out) = (vec![self], Vec::new());
        while let Some(expr) = open.pop() {
            match split(expr) {
                Some((left, right)) => open.extend([right, left]),
                None => out.push(expr),
            }
        }
        out
    }

    /// The type of its value; `void` where it is not resolved yet.
    pub fn ty(&self) -> LogicalType {
        match self {
            Expr::Column(column) => match &column.bound {
                Some(bound) => bound.ty.clone(),
                None => LogicalType::Null,
            },
            Expr::Literal(_, ty)
            | Expr::Arithmetic { ty, .. }
            | Expr::Cast { ty, .. }
            | Expr::Field { ty, .. }
            | Expr::Function { ty, .. } => ty.clone(),
            Expr::Negate(expr) | Expr::Unchecked(expr) => expr.ty(),
            Expr::If { then, .. } => then.ty(),
            Expr::Case {
                branches,
                otherwise,
            } => match (branches.first(), otherwise) {
                (Some((_, value)), _) => value.ty(),
                (None, Some(value)) => value.ty(),
                (None, None) => LogicalType::Null,
            },
            Expr::Compare { .. }
            | Expr::NullSafeEq(..)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Not(_)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::In { .. }
            | Expr::Like { .. }
            | Expr::Affix { .. }
            | Expr::RLike { .. } => LogicalType::Boolean,
        }
    }
}

/// Joins terms as Spark's parser does: halves of a chain, the left half the longer one.
fn balanced(mut terms: Vec<Expr>, join: fn(Expr, Expr) -> Expr) -> Option<Expr> {
    if terms.len() <= 1 {
        return terms.pop();
    }
    let right = terms.split_off(terms.len().div_ceil(2));
    Some(join(balanced(terms, join)?, balanced(right, join)?))
}
