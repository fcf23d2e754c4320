//! The nodes of a compiled expression: what [`compile`](super::compile) makes and [`run`](super::run) walks.

use std::borrow::Cow;

use lith_format::filter::{Affix, CompareOp};
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;

use super::call::Kernel;
use super::compare::Members;
use super::pattern::Pattern;
use super::value::Value;
use crate::ansi::EvalMode;
use crate::error::{BARS, PlanError, Result};
use crate::expr::{ArithmeticOp, Expr, GET, SUBSCRIPT, Span, shortened};

/// An operation over nodes below it.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) ty: LogicalType,
    pub(super) reads: Reads,
    /// What an error in its rows is blamed on; `None` where the message or the nodes around say enough.
    pub(super) origin: Option<Box<Origin>>,
    /// What becomes of rows for which it cannot be computed.
    pub(super) mode: EvalMode,
}

/// The part of the condition that a node computes.
#[derive(Debug)]
pub(super) struct Origin {
    /// As SQL, cut if it is long.
    text: String,
    span: Span,
    /// What may have been meant.
    note: Option<Cow<'static, str>>,
}

impl Origin {
    /// Of an expression that may fail in some rows.
    pub(super) fn of(expr: &Expr) -> Option<Box<Origin>> {
        let can_fail = match expr {
            Expr::Cast { expr, .. } => !matches!(**expr, Expr::Literal(..)),
            Expr::Arithmetic { .. } | Expr::Negate(_) | Expr::Function { .. } => true,
            Expr::Like { .. } | Expr::RLike { .. } => true,
            _ => false,
        };
        can_fail.then(|| {
            let text = shortened(&expr.sql()).into_owned();
            let span = expr.place();
            let note = match joins_truth(expr) {
                true => Some(Cow::Borrowed(BARS)),
                false => lenient(expr).map(Cow::Owned),
            };
            Box::new(Origin { text, span, note })
        })
    }
}

/// The hint to a function that gives null where this one fails because the array lacks the element.
fn lenient(expr: &Expr) -> Option<String> {
    let Expr::Function { name, args, .. } = expr else {
        return None;
    };
    let [array, index] = &args[..] else {
        return None;
    };
    let instead = match (&**name, array.ty()) {
        (SUBSCRIPT, LogicalType::List(_)) => GET,
        ("element_at", LogicalType::List(_)) => "try_element_at",
        _ => return None,
    };
    let array = array.sql();
    let array = shortened(&array);
    Some(format!("{instead}({array}, {}) gives null", index.sql()))
}

/// Whether it converts a text that `||` makes of a boolean.
fn joins_truth(expr: &Expr) -> bool {
    let Expr::Cast { expr, .. } = expr else {
        return false;
    };
    let is_truth =
        |arg: &Expr| matches!(arg, Expr::Cast { expr, .. } if expr.ty() == LogicalType::Boolean);
    match &**expr {
        Expr::Function { name, args, .. } => name == "concat" && args.iter().any(is_truth),
        _ => false,
    }
}

/// Which columns a node and what is below it read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    None,
    One(usize),
    Many,
}

/// What a node computes.
#[derive(Debug)]
pub(super) enum Kind {
    Column {
        slot: usize,
        fields: Vec<usize>,
    },
    Literal(Value),
    Compare(CompareOp, Box<[Node; 2]>),
    NullSafeEq(Box<[Node; 2]>),
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    IsNull(Box<Node>),
    IsNotNull(Box<Node>),
    Member(Box<Node>, Members),
    InList(Box<Node>, Vec<Node>),
    Match(Box<Node>, Pattern),
    MatchRow(Matching, Box<[Node; 2]>),
    Arithmetic(ArithmeticOp, Box<[Node; 2]>),
    Negate(Box<Node>),
    Cast {
        input: Box<Node>,
        lenient: bool,
    },
    /// Conditions with values, then the value that needs no condition.
    Case {
        branches: Vec<(Node, Node)>,
        otherwise: Box<Node>,
    },
    Coalesce(Vec<Node>),
    Call(Kernel, Vec<Node>),
    /// Of the first node, a list, map or struct; the second one is a key or value.
    Part(Part, Vec<Node>),
}

/// How an element is looked up by its index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lookup {
    /// Whether indices begin at 1, and at -1 from the end.
    pub(super) from_one: bool,
    /// Whether a missing element is an error.
    pub(super) strict: bool,
}

/// What is taken from a list, map or struct.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// A field.
    Field(usize),
    /// The element at an index, or a map's value of a key.
    Item(Lookup),
    /// How many elements or entries there are.
    Size {
        /// Whether that of a null is -1.
        of_null: bool,
    },
    /// Whether a value is among the elements.
    Contains,
    /// The keys of a map.
    Keys,
    /// The values of a map.
    Values,
}

impl Part {
    /// What the function of this name takes.
    pub(super) fn of(name: &str) -> Option<Part> {
        let item = |from_one, strict| Part::Item(Lookup { from_one, strict });
        Some(match name {
            SUBSCRIPT => item(false, true),
            "get" => item(false, false),
            "element_at" => item(true, true),
            "try_element_at" => item(true, false),
            "size" | "cardinality" => Part::Size { of_null: false },
            "array_contains" => Part::Contains,
            "map_keys" => Part::Keys,
            "map_values" => Part::Values,
            _ => return None,
        })
    }
}

impl Part {
    /// The same in a mode: without ANSI mode a missing element is null, and a null has a size.
    pub(super) fn in_mode(self, mode: EvalMode) -> Part {
        match (self, mode) {
            (Part::Item(lookup), EvalMode::Legacy) => Part::Item(Lookup {
                strict: false,
                ..lookup
            }),
            (Part::Size { .. }, EvalMode::Legacy) => Part::Size { of_null: true },
            (same, _) => same,
        }
    }
}

/// How a text is matched.
#[derive(Debug, Clone, Copy)]
pub(super) enum Matching {
    Affix(Affix),
    Like { escape: char, ignore_case: bool },
    Regex,
}

impl Matching {
    pub(super) fn prepare(self, pattern: &[u8]) -> Result<Pattern> {
        match self {
            Matching::Affix(affix) => Pattern::affix(affix, pattern),
            Matching::Like {
                escape,
                ignore_case,
            } => Pattern::like(&String::from_utf8_lossy(pattern), escape, ignore_case),
            Matching::Regex => Pattern::regex(&String::from_utf8_lossy(pattern)),
        }
    }
}

impl Reads {
    /// What a node of this kind reads.
    pub(super) fn of(kind: &Kind) -> Reads {
        let of = |nodes: &mut dyn Iterator<Item = &Node>| {
            nodes.fold(Reads::None, |reads, node| match (reads, node.reads) {
                (Reads::None, other) | (other, Reads::None) => other,
                (Reads::One(a), Reads::One(b)) if a == b => Reads::One(a),
                _ => Reads::Many,
            })
        };
        match kind {
            Kind::Column { slot, .. } => Reads::One(*slot),
            Kind::Literal(_) => Reads::None,
            Kind::Compare(_, pair) | Kind::NullSafeEq(pair) => of(&mut pair.iter()),
            Kind::MatchRow(_, pair) | Kind::Arithmetic(_, pair) => of(&mut pair.iter()),
            Kind::All(nodes)
            | Kind::Any(nodes)
            | Kind::Coalesce(nodes)
            | Kind::Call(_, nodes)
            | Kind::Part(_, nodes) => of(&mut nodes.iter()),
            Kind::Not(node) | Kind::IsNull(node) | Kind::IsNotNull(node) | Kind::Negate(node) => {
                node.reads
            }
            Kind::Member(node, _) | Kind::Match(node, _) | Kind::Cast { input: node, .. } => {
                node.reads
            }
            Kind::InList(node, list) => of(&mut std::iter::once(&**node).chain(list)),
            Kind::Case {
                branches,
                otherwise,
            } => of(&mut branches
                .iter()
                .flat_map(|(condition, value)| [condition, value])
                .chain(std::iter::once(&**otherwise))),
        }
    }
}

impl Node {
    /// Blames what the node computes for an error in its rows.
    pub(super) fn blame(&self, error: PlanError) -> PlanError {
        match &self.origin {
            Some(origin) => error.within(&origin.text, origin.span, origin.note.as_deref()),
            None => error,
        }
    }

    /// The value, if it is a literal and not null.
    pub(super) fn literal(&self) -> Option<&Value> {
        match &self.kind {
            Kind::Literal(value) if value.is_known(0) => Some(value),
            _ => None,
        }
    }

    /// A null of the node's type.
    pub(super) fn null_value(&self) -> Result<Value> {
        Value::literal(&Scalar::Null, &self.ty)
    }
}
