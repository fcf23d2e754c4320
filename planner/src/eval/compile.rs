//! A resolved expression made ready: columns by slot, patterns and lists prepared, constants folded.

use lith_format::bitmap::Bitmap;
use lith_format::filter::{Affix, CompareOp};
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;

use super::call::Kernel;
use super::compare::Members;
use super::function::kernel;
use super::pattern::Pattern;
use super::run::{Input, run};
use super::value::Value;
use crate::error::{PlanError, Result};
use crate::expr::{ArithmeticOp, Column, Expr, Span, shortened};

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) ty: LogicalType,
    pub(super) reads: Reads,
    /// What an error in its rows is blamed on; `None` where the message or the nodes around say enough.
    pub(super) origin: Option<Box<Origin>>,
}

/// The part of the condition that a node computes.
#[derive(Debug)]
pub(super) struct Origin {
    /// As SQL, cut if it is long.
    text: String,
    span: Span,
}

impl Origin {
    fn of(expr: &Expr) -> Option<Box<Origin>> {
        let can_fail = match expr {
            Expr::Cast { expr, .. } => !matches!(**expr, Expr::Literal(..)),
            Expr::Arithmetic { .. } | Expr::Negate(_) | Expr::Function { .. } => true,
            Expr::Like { .. } | Expr::RLike { .. } => true,
            _ => false,
        };
        can_fail.then(|| {
            let text = shortened(&expr.sql()).into_owned();
            let span = expr.span();
            Box::new(Origin { text, span })
        })
    }
}

/// Which columns a node and what is below it read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    None,
    One(usize),
    Many,
}

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
}

/// How a text is held against a pattern.
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

/// Compiles for batches that hold these top-level columns in this order.
pub(super) fn compile(expr: &Expr, columns: &[usize]) -> Result<Node> {
    let node = Compiler { columns }.node(expr)?;
    Ok(fold(node))
}

/// A node that reads no column is computed now; if that fails, in the rows that reach it.
fn fold(node: Node) -> Node {
    if node.reads != Reads::None || matches!(node.kind, Kind::Literal(_)) {
        return node;
    }
    let input = Input {
        columns: &[],
        rows: 1,
    };
    match run(&node, &input, &Bitmap::repeat(true, 1)) {
        Ok(mut value) => {
            value.one = true;
            Node {
                kind: Kind::Literal(value),
                ..node
            }
        }
        Err(_) => node,
    }
}

struct Compiler<'a> {
    columns: &'a [usize],
}

impl Compiler<'_> {
    fn node(&self, expr: &Expr) -> Result<Node> {
        let ty = expr.ty();
        let kind = self.kind(expr).map_err(|error| error.at(expr.span()))?;
        let reads = reads(&kind);
        let origin = Origin::of(expr);
        let node = fold(Node {
            kind,
            ty,
            reads,
            origin,
        });
        let nested = node.ty.is_nested() && !matches!(node.kind, Kind::Column { .. });
        if nested {
            return Err(PlanError::unsupported(format!(
                "values of {} are not computed here",
                node.ty
            )));
        }
        Ok(node)
    }

    fn boxed(&self, expr: &Expr) -> Result<Box<Node>> {
        Ok(Box::new(self.operand(expr)?))
    }

    fn pair(&self, left: &Expr, right: &Expr) -> Result<Box<[Node; 2]>> {
        Ok(Box::new([self.operand(left)?, self.operand(right)?]))
    }

    fn operands(&self, exprs: &[Expr]) -> Result<Vec<Node>> {
        exprs.iter().map(|expr| self.operand(expr)).collect()
    }

    /// A node whose value is used, not only whether there is one.
    fn operand(&self, expr: &Expr) -> Result<Node> {
        let node = self.node(expr)?;
        if node.ty.is_nested() {
            let message = format!("values of {} are not compared here", node.ty);
            return Err(PlanError::unsupported(message).at(expr.span()));
        }
        Ok(node)
    }

    fn kind(&self, expr: &Expr) -> Result<Kind> {
        Ok(match expr {
            Expr::Column(column) => self.column(column)?,
            Expr::Literal(value, ty) => Kind::Literal(Value::literal(value, ty)?),
            Expr::Compare { op, left, right } => Kind::Compare(*op, self.pair(left, right)?),
            Expr::NullSafeEq(left, right) => Kind::NullSafeEq(self.pair(left, right)?),
            Expr::And(..) => Kind::All(self.terms(&expr.conjuncts())?),
            Expr::Or(..) => Kind::Any(self.terms(&expr.disjuncts())?),
            Expr::Not(inner) => Kind::Not(self.boxed(inner)?),
            Expr::IsNull(inner) => Kind::IsNull(Box::new(self.node(inner)?)),
            Expr::IsNotNull(inner) => Kind::IsNotNull(Box::new(self.node(inner)?)),
            Expr::In { expr, list, .. } => self.in_list(expr, list)?,
            Expr::Like {
                expr,
                pattern,
                escape,
                ignore_case,
            } => {
                let how = Matching::Like {
                    escape: *escape,
                    ignore_case: *ignore_case,
                };
                self.matching(how, expr, pattern)?
            }
            Expr::Affix { affix, expr, part } => {
                self.matching(Matching::Affix(*affix), expr, part)?
            }
            Expr::RLike { expr, pattern } => self.matching(Matching::Regex, expr, pattern)?,
            Expr::Arithmetic {
                op, left, right, ..
            } => Kind::Arithmetic(*op, self.pair(left, right)?),
            Expr::Negate(inner) => Kind::Negate(self.boxed(inner)?),
            Expr::Cast { expr, lenient, .. } => Kind::Cast {
                input: self.boxed(expr)?,
                lenient: *lenient,
            },
            Expr::If {
                condition,
                then,
                otherwise,
            } => Kind::Case {
                branches: vec![(self.operand(condition)?, self.operand(then)?)],
                otherwise: self.boxed(otherwise)?,
            },
            Expr::Case {
                branches,
                otherwise,
            } => self.case(branches, otherwise.as_deref(), expr.ty())?,
            Expr::Function { name, args, .. } => self.function(name, args, expr)?,
        })
    }

    fn terms(&self, terms: &[&Expr]) -> Result<Vec<Node>> {
        terms.iter().map(|term| self.operand(term)).collect()
    }

    fn column(&self, column: &Column) -> Result<Kind> {
        let bound = column.bound.as_ref().ok_or_else(|| unresolved(column))?;
        let slot = self
            .columns
            .iter()
            .position(|&index| index == bound.index)
            .ok_or_else(|| unresolved(column))?;
        Ok(Kind::Column {
            slot,
            fields: bound.fields.clone(),
        })
    }

    fn in_list(&self, expr: &Expr, list: &[Expr]) -> Result<Kind> {
        let expr = self.boxed(expr)?;
        let list = self.operands(list)?;
        let literals: Option<Vec<Value>> = list
            .iter()
            .map(|node| match &node.kind {
                Kind::Literal(value) => Some(value.clone()),
                _ => None,
            })
            .collect();
        Ok(match literals.as_deref().and_then(Members::new) {
            Some(members) => Kind::Member(expr, members),
            None => Kind::InList(expr, list),
        })
    }

    fn matching(&self, how: Matching, expr: &Expr, pattern: &Expr) -> Result<Kind> {
        let [text, pattern] = *self.pair(expr, pattern)?;
        match &pattern.kind {
            Kind::Literal(value) if value.is_known(0) => {
                let prepared = how
                    .prepare(value.bytes(0))
                    .map_err(|error| error.at(expr.span()))?;
                Ok(Kind::Match(Box::new(text), prepared))
            }
            _ => Ok(Kind::MatchRow(how, Box::new([text, pattern]))),
        }
    }

    fn case(
        &self,
        branches: &[(Expr, Expr)],
        otherwise: Option<&Expr>,
        ty: LogicalType,
    ) -> Result<Kind> {
        let null = Expr::null(ty);
        Ok(Kind::Case {
            branches: branches
                .iter()
                .map(|(condition, value)| Ok((self.operand(condition)?, self.operand(value)?)))
                .collect::<Result<_>>()?,
            otherwise: self.boxed(otherwise.unwrap_or(&null))?,
        })
    }

    fn function(&self, name: &str, args: &[Expr], expr: &Expr) -> Result<Kind> {
        match (name, args) {
            ("coalesce" | "nvl" | "ifnull", args) => Ok(Kind::Coalesce(self.operands(args)?)),
            ("nvl2", [test, then, otherwise]) => {
                let condition = Expr::IsNotNull(Box::new(test.clone()));
                self.case(&[(condition, then.clone())], Some(otherwise), expr.ty())
            }
            ("nullif", [value, other]) => {
                let equal = Expr::compare(value.clone(), CompareOp::Eq, other.clone());
                self.case(&[(equal, Expr::null(value.ty()))], Some(value), expr.ty())
            }
            ("nanvl", [value, other]) => {
                let isnan = Expr::Function {
                    name: "isnan".to_owned(),
                    args: vec![value.clone()],
                    ty: LogicalType::Boolean,
                };
                self.case(&[(isnan, other.clone())], Some(value), expr.ty())
            }
            ("to_date" | "to_timestamp", [value]) => Ok(Kind::Cast {
                input: self.boxed(value)?,
                lenient: false,
            }),
            _ => match kernel(name) {
                Some(kernel) => Ok(Kind::Call(kernel, self.operands(args)?)),
                None => {
                    let message = format!("the function {name} is not computed here");
                    Err(PlanError::unsupported(message).at(expr.span()))
                }
            },
        }
    }
}

fn unresolved(column: &Column) -> PlanError {
    PlanError::type_mismatch(format!("the column {} is not resolved", column.sql())).at(column.span)
}

fn reads(kind: &Kind) -> Reads {
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
        Kind::All(nodes) | Kind::Any(nodes) | Kind::Coalesce(nodes) | Kind::Call(_, nodes) => {
            of(&mut nodes.iter())
        }
        Kind::Not(node) | Kind::IsNull(node) | Kind::IsNotNull(node) | Kind::Negate(node) => {
            node.reads
        }
        Kind::Member(node, _) | Kind::Match(node, _) | Kind::Cast { input: node, .. } => node.reads,
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

impl Node {
    /// Blames what the node computes for an error in its rows.
    pub(super) fn blame(&self, error: PlanError) -> PlanError {
        match &self.origin {
            Some(origin) => error.within(&origin.text, origin.span),
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
