//! Compiles a resolved expression: columns become slots, patterns and lists are prepared, constants folded.

use lith_format::bitmap::Bitmap;
use lith_format::filter::CompareOp;
use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;

use super::compare::Members;
use super::date;
use super::function::kernel;
use super::node::{Kind, Matching, Node, Origin, Part, Reads};
use super::run::{Input, run};
use super::value::Value;
use crate::ansi::EvalMode;
use crate::error::{PlanError, Result};
use crate::expr::{Column, Expr, Place};

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
        let mode = match expr {
            Expr::Unchecked(_) => EvalMode::Legacy,
            _ => EvalMode::Ansi,
        };
        let (expr, ty) = (expr.checked(), expr.ty());
        let kind = self.kind(expr, mode);
        let kind = kind.map_err(|error| error.at(expr.span()))?;
        let reads = Reads::of(&kind);
        let origin = Origin::of(expr);
        let node = fold(Node {
            kind,
            ty,
            reads,
            origin,
            mode,
        });
        let is_vector = matches!(node.kind, Kind::Column { .. } | Kind::Part(..));
        let nested = node.ty.is_nested() && !is_vector;
        if nested {
            return Err(PlanError::unsupported(format!(
                "values of {} are not supported",
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
            let message = format!("comparing values of {} is not supported", node.ty);
            return Err(PlanError::unsupported(message).at(expr.span()));
        }
        Ok(node)
    }

    fn kind(&self, expr: &Expr, mode: EvalMode) -> Result<Kind> {
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
            Expr::Field { expr, index, .. } => {
                Kind::Part(Part::Field(*index), vec![self.node(expr)?])
            }
            Expr::Function { name, args, .. } => match Part::of(name) {
                Some(part) => self.part(part.in_mode(mode), args)?,
                None => self.function(name, args, expr)?,
            },
            // seen through by `node`
            Expr::Unchecked(inner) => self.kind(inner, mode)?,
        })
    }

    fn part(&self, part: Part, args: &[Expr]) -> Result<Kind> {
        let node = |(index, arg)| match index {
            0 => self.node(arg),
            _ => self.operand(arg),
        };
        let nodes = args.iter().enumerate().map(node);
        Ok(Kind::Part(part, nodes.collect::<Result<_>>()?))
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
                    place: Place::default(),
                };
                self.case(&[(isnan, other.clone())], Some(value), expr.ty())
            }
            ("date_format", [_, Expr::Literal(Scalar::String(format), _)])
                if date::is_format(format) =>
            {
                Ok(Kind::Call(date::date_format, self.operands(args)?))
            }
            ("to_date" | "to_timestamp", [value]) => Ok(Kind::Cast {
                input: self.boxed(value)?,
                lenient: false,
            }),
            _ => match kernel(name) {
                Some(kernel) => Ok(Kind::Call(kernel, self.operands(args)?)),
                None => {
                    let message = format!("the function {name} is not supported");
                    Err(PlanError::unsupported(message).at(expr.place()))
                }
            },
        }
    }
}

fn unresolved(column: &Column) -> PlanError {
    PlanError::type_mismatch(format!("the column {} is not resolved", column.sql())).at(column.span)
}
