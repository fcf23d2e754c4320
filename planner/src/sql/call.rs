//! Converts function calls, and those with a syntax of their own: CASE, SUBSTRING .. FROM, TRIM, EXTRACT, FLOOR.
//! Functions that are names of operators become these operators.

use lith_format::filter::{Affix, CompareOp};
use lith_format::types::LogicalType;
use sqlparser::ast::{
    CaseWhen, CeilFloorKind, DateTimeField, Expr as Ast, Function, FunctionArg, FunctionArgExpr,
    FunctionArguments, Spanned, TrimWhereField,
};

use super::convert::{Converter, function};
use super::{literal, mistakes};
use crate::error::{PlanError, Result};
use crate::expr::{ArithmeticOp, Expr, Span};

impl Converter<'_> {
    pub(super) fn call(&self, ast: Ast) -> Result<Expr> {
        let span = self.word_at(&ast);
        match ast {
            Ast::Function(call) => self.function(call),
            Ast::Case {
                operand,
                conditions,
                else_result,
                ..
            } => self.case(operand, conditions, else_result),
            Ast::Substring {
                expr,
                substring_from,
                substring_for,
                shorthand,
                ..
            } => {
                let name = if shorthand { "substr" } else { "substring" };
                let args = [Some(expr), substring_from, substring_for];
                self.named(name, args.into_iter().flatten().map(|arg| *arg), span)
            }
            Ast::Trim { .. } => self.trim(ast, span),
            Ast::Extract { field, expr, .. } => {
                let name = mistakes::extracted(&field.to_string()).map_err(|e| e.at(span))?;
                self.named(name, [*expr], span)
            }
            Ast::Floor { expr, field } => self.rounded("floor", *expr, field, span),
            Ast::Ceil { expr, field } => self.rounded("ceil", *expr, field, span),
            Ast::Position { expr, r#in } => self.named("instr", [*r#in, *expr], span),
            other => Err(self.refuse(&other)),
        }
    }

    /// A call of a function of this name.
    fn named(&self, name: &str, args: impl IntoIterator<Item = Ast>, span: Span) -> Result<Expr> {
        Ok(function(name, self.exprs(args)?, span))
    }

    fn trim(&self, ast: Ast, span: Span) -> Result<Expr> {
        let Ast::Trim {
            trim_where,
            trim_what,
            expr,
            trim_characters,
        } = ast
        else {
            return self.expr(ast);
        };
        let name = match trim_where {
            None | Some(TrimWhereField::Both) => "trim",
            Some(TrimWhereField::Leading) => "ltrim",
            Some(TrimWhereField::Trailing) => "rtrim",
        };
        let what = trim_what.map(|what| *what).into_iter();
        let characters = trim_characters.into_iter().flatten();
        self.named(
            name,
            std::iter::once(*expr).chain(what).chain(characters),
            span,
        )
    }

    /// What is no call either: valid in Spark, but not supported here.
    fn refuse(&self, ast: &Ast) -> PlanError {
        let what = match ast {
            Ast::Subquery(_) | Ast::Exists { .. } => "sub-queries are not supported",
            Ast::Tuple(_) | Ast::Struct { .. } | Ast::Array(_) | Ast::Map(_) => {
                "building structs, arrays and maps is not supported"
            }
            Ast::Collate { .. } => "collations are not supported",
            Ast::Interval(_) => "intervals are not supported",
            Ast::Lambda(_) => {
                let error = PlanError::parse("-> stands only in the arguments of a function");
                return error.at(self.span_of(ast));
            }
            other => {
                let error = PlanError::unsupported(format!("{other} is not supported"));
                return error.at(self.span_of(ast));
            }
        };
        PlanError::unsupported(what).at(self.span_of(ast))
    }

    /// The word that what SQL spells in a way of its own begins with, found before its operands.
    fn word_at(&self, ast: &Ast) -> Span {
        let word = match ast {
            Ast::Substring { .. } => "subst",
            Ast::Trim { .. } => "trim",
            Ast::Extract { .. } => "extract",
            Ast::Floor { .. } => "floor",
            Ast::Ceil { .. } => "ceil",
            Ast::Position { .. } => "position",
            _ => return Span::default(),
        };
        self.places.word_before(self.span_of(ast), word)
    }

    pub(super) fn span_of(&self, ast: &Ast) -> Span {
        self.places.span(ast.span())
    }

    fn rounded(&self, name: &str, expr: Ast, kind: CeilFloorKind, span: Span) -> Result<Expr> {
        let expr = self.expr(expr)?;
        match kind {
            CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => {
                Ok(function(name, vec![expr], span))
            }
            CeilFloorKind::Scale(scale) => {
                let scale = self.expr(Ast::Value(scale))?;
                Ok(function(name, vec![expr, scale], span))
            }
            CeilFloorKind::DateTimeField(field) => {
                let message = format!("{name} to {field} is not supported");
                Err(PlanError::unsupported(message).at(span))
            }
        }
    }

    fn case(
        &self,
        operand: Option<Box<Ast>>,
        conditions: Vec<CaseWhen>,
        otherwise: Option<Box<Ast>>,
    ) -> Result<Expr> {
        let operand = operand.map(|operand| self.expr(*operand)).transpose()?;
        let otherwise = otherwise.map(|value| self.expr(*value)).transpose()?;
        let mut branches = Vec::with_capacity(conditions.len());
        for CaseWhen { condition, result } in conditions {
            let condition = self.expr(condition)?;
            let condition = match &operand {
                Some(operand) => Expr::compare(operand.clone(), CompareOp::Eq, condition),
                None => condition,
            };
            branches.push((condition, self.expr(result)?));
        }
        Ok(Expr::Case {
            branches,
            otherwise: otherwise.map(Box::new),
        })
    }

    pub(super) fn arguments(&self, args: FunctionArguments) -> Result<Vec<Expr>> {
        let FunctionArguments::List(list) = args else {
            return Ok(Vec::new());
        };
        list.args
            .into_iter()
            .map(|arg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(Ast::Lambda(_))) => {
                    Err(PlanError::unsupported("lambdas are not supported"))
                }
                FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)) => self.expr(arg),
                other => Err(PlanError::unsupported(format!(
                    "the argument {other} is not supported"
                ))),
            })
            .collect()
    }

    fn function(&self, call: Function) -> Result<Expr> {
        let name = call.name.to_string().to_lowercase();
        let span = self.call_span(&call);
        if let Some(error) = mistakes::call(&name) {
            return Err(error.at(span));
        }
        if has_clauses(&call) {
            let message = format!("{name} takes no clauses besides its arguments");
            return Err(PlanError::parse(message).at(span));
        }
        if matches!(call.args, FunctionArguments::Subquery(_)) {
            return Err(PlanError::unsupported("sub-queries are not supported").at(span));
        }
        let args = self.arguments(call.args).map_err(|error| error.at(span))?;
        let count = args.len();
        known(&name, args, span).ok_or_else(|| other_arguments(&name, count).at(span))
    }

    fn call_span(&self, call: &Function) -> Span {
        call.name
            .0
            .iter()
            .filter_map(|part| part.as_ident())
            .fold(Span::default(), |span, ident| {
                span.union(self.ident_span(ident))
            })
    }
}

/// OVER, FILTER, DISTINCT and the like, which only functions of many rows have.
fn has_clauses(call: &Function) -> bool {
    let in_arguments = matches!(
        &call.args,
        FunctionArguments::List(list) if list.duplicate_treatment.is_some() || !list.clauses.is_empty()
    );
    in_arguments
        || call.over.is_some()
        || call.filter.is_some()
        || call.null_treatment.is_some()
        || !call.within_group.is_empty()
        || !matches!(call.parameters, FunctionArguments::None)
}

/// Spark has some functions with more arguments than are computed here.
fn other_arguments(name: &str, count: usize) -> PlanError {
    match (name, count) {
        ("like" | "ilike", 3) => PlanError::unsupported(format!(
            "{name} of {count} arguments is not supported: write LIKE .. ESCAPE"
        )),
        _ => PlanError::type_mismatch(format!("{name} does not take {count} arguments")),
    }
}

/// The operator or function behind a name; `None` if the number of arguments does not fit.
fn known(name: &str, args: Vec<Expr>, span: Span) -> Option<Expr> {
    let affix = |affix, args| {
        let [expr, part] = boxed(args)?;
        Some(Expr::Affix { affix, expr, part })
    };
    match name {
        "isnull" => boxed(args).map(|[expr]| Expr::IsNull(expr)),
        "isnotnull" => boxed(args).map(|[expr]| Expr::IsNotNull(expr)),
        "not" => boxed(args).map(|[expr]| Expr::Not(expr)),
        "if" | "iff" => boxed(args).map(|[condition, then, otherwise]| Expr::If {
            condition,
            then,
            otherwise,
        }),
        "startswith" => affix(Affix::Prefix, args),
        "endswith" => affix(Affix::Suffix, args),
        "contains" => affix(Affix::Infix, args),
        "rlike" | "regexp" | "regexp_like" => {
            boxed(args).map(|[expr, pattern]| Expr::RLike { expr, pattern })
        }
        "like" | "ilike" => boxed(args).map(|[expr, pattern]| Expr::Like {
            expr,
            pattern,
            escape: '\\',
            ignore_case: name == "ilike",
        }),
        "equal_null" => boxed(args).map(|[left, right]| Expr::NullSafeEq(left, right)),
        "mod" => boxed(args).map(|[left, right]| Expr::Arithmetic {
            op: ArithmeticOp::Remainder,
            left,
            right,
            ty: LogicalType::Null,
        }),
        "negative" => boxed(args).map(|[expr]| Expr::Negate(expr)),
        _ => match literal::type_by_name(name) {
            Some(ty) => boxed(args).map(|[expr]| expr.cast(ty)),
            None => Some(function(name, args, span)),
        },
    }
}

fn boxed<const N: usize>(args: Vec<Expr>) -> Option<[Box<Expr>; N]> {
    let boxed: Vec<Box<Expr>> = args.into_iter().map(Box::new).collect();
    boxed.try_into().ok()
}
