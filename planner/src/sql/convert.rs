//! Converts `sqlparser`'s tree to an [`Expr`]. Derived forms are expanded: BETWEEN is two comparisons, IS DISTINCT
//! FROM and IS TRUE are `<=>`, NOT IN is NOT of IN, LIKE ANY is OR.

use std::cell::Cell;

use lith_format::filter::CompareOp;
use lith_format::types::LogicalType;
use sqlparser::ast::{
    AccessExpr, BinaryOperator, CastKind, DataType, Expr as Ast, Function, Ident, InTarget,
    Subscript, TypedString, UnaryOperator, Value, ValueWithSpan,
};

use super::{MAX_NESTING, Places, literal, mistakes, too_deep};
use crate::error::{PlanError, Result};
use crate::expr::{ArithmeticOp, Column, Expr, MAX_DEPTH, Place, SHIFT_DAYS, SUBSCRIPT, Span};

pub(super) struct Converter<'a> {
    pub(super) places: &'a Places<'a>,
    /// How many expressions that are being converted stand inside each other.
    open: Cell<usize>,
}

impl<'a> Converter<'a> {
    pub(super) fn new(places: &'a Places<'a>) -> Self {
        Converter {
            places,
            open: Cell::new(0),
        }
    }

    pub(super) fn expr(&self, ast: Ast) -> Result<Expr> {
        let outer = self.open.get();
        // brackets are no levels, and the parser limits them
        if outer > MAX_DEPTH + MAX_NESTING {
            return Err(too_deep());
        }
        self.open.set(outer + 1);
        let expr = self.convert(ast);
        self.open.set(outer);
        expr
    }

    fn convert(&self, ast: Ast) -> Result<Expr> {
        match ast {
            Ast::Nested(inner) => self.expr(*inner),
            Ast::Identifier(ident) => Ok(self.column(vec![ident])),
            Ast::CompoundIdentifier(idents) => Ok(self.column(idents)),
            Ast::CompoundFieldAccess { root, access_chain } => self.access(*root, access_chain),
            Ast::Value(value) => self.value(value),
            Ast::BinaryOp { .. } => self.chain(ast),
            Ast::UnaryOp { op, expr } => self.unary(op, *expr),
            Ast::IsNull(..) | Ast::IsNotNull(..) | Ast::IsUnknown(..) | Ast::IsNotUnknown(..) => {
                self.null_test(ast)
            }
            Ast::IsTrue(..) | Ast::IsNotTrue(..) | Ast::IsFalse(..) | Ast::IsNotFalse(..) => {
                self.truth_test(ast)
            }
            Ast::IsDistinctFrom(left, right) => Ok(self.null_safe(*left, *right)?.not()),
            Ast::IsNotDistinctFrom(left, right) => self.null_safe(*left, *right),
            Ast::Between {
                expr,
                negated,
                low,
                high,
            } => self.between((*expr, *low, *high), negated),
            Ast::In {
                expr,
                target,
                negated,
                ..
            } => self.in_list(*expr, target, negated),
            Ast::Like { .. } | Ast::ILike { .. } => self.like(ast),
            Ast::RLike {
                negated,
                expr,
                pattern,
                ..
            } => {
                let (expr, pattern) = (self.boxed(*expr)?, self.boxed(*pattern)?);
                Ok(negate_if(negated, Expr::RLike { expr, pattern }))
            }
            Ast::TypedString(typed) => self.typed_string(&typed),
            Ast::Cast {
                kind,
                expr,
                data_type,
                ..
            } => self.cast(kind, *expr, &data_type),
            other => self.call(other),
        }
    }

    fn boxed(&self, ast: Ast) -> Result<Box<Expr>> {
        self.expr(ast).map(Box::new)
    }

    pub(super) fn exprs(&self, asts: impl IntoIterator<Item = Ast>) -> Result<Vec<Expr>> {
        asts.into_iter().map(|ast| self.expr(ast)).collect()
    }

    pub(super) fn ident_span(&self, ident: &Ident) -> Span {
        let mut span = self.places.span(ident.span);
        // the tokenizer's spans of quoted names leave out the closing quote
        if ident.quote_style.is_some() && self.places.text[span.end..].starts_with('`') {
            span.end += 1;
        }
        span
    }

    fn column(&self, idents: Vec<Ident>) -> Expr {
        let span = idents.iter().fold(Span::default(), |span, ident| {
            span.union(self.ident_span(ident))
        });
        Expr::Column(Column {
            path: idents.into_iter().map(|ident| ident.value).collect(),
            span,
            bound: None,
        })
    }

    /// `a['b'].c[0]`: names after a column are parts of its name, whether of fields or of keys.
    fn access(&self, root: Ast, chain: Vec<AccessExpr>) -> Result<Expr> {
        let root = self.expr(root)?;
        chain
            .into_iter()
            .try_fold(root, |expr, access| self.step(expr, access))
    }

    fn step(&self, expr: Expr, access: AccessExpr) -> Result<Expr> {
        match access {
            AccessExpr::Dot(Ast::Identifier(ident)) => {
                let span = self.ident_span(&ident);
                Ok(part(expr, ident.value, span))
            }
            AccessExpr::Subscript(Subscript::Index { index }) => match (&expr, quoted(&index)) {
                (Expr::Column(_), Some(name)) => Ok(part(expr, name.to_owned(), Span::default())),
                _ => {
                    let args = vec![expr, self.expr(index)?];
                    Ok(function(SUBSCRIPT, args, Span::default()))
                }
            },
            _ => {
                let error = PlanError::unsupported("slices of arrays are not supported");
                Err(error.at(expr.span()))
            }
        }
    }

    fn value(&self, value: ValueWithSpan) -> Result<Expr> {
        let span = self.places.span(value.span);
        let bad = |message: String| PlanError::parse(message).at(span);
        match value.value {
            Value::Number(digits, long) => literal::number(&digits, long, false)
                .ok_or_else(|| bad(format!("{digits} does not fit its type"))),
            Value::SingleQuotedString(text) => Ok(Expr::string(&text)),
            Value::HexStringLiteral(digits) if self.places.is_at(span, "0x") => {
                let digits = digits.to_uppercase();
                Err(bad(format!(
                    "0x{digits} is no literal of Spark's: write X'{digits}'"
                )))
            }
            Value::HexStringLiteral(digits) => {
                literal::hex(&digits).ok_or_else(|| bad(format!("X'{digits}' is not hexadecimal")))
            }
            Value::Boolean(value) => Ok(Expr::boolean(value)),
            Value::Null => Ok(Expr::null(LogicalType::Null)),
            Value::Placeholder(name) => Err(bad(format!(
                "{name} stands for a value that is not given: write the value"
            ))),
            other => Err(bad(format!("{other} is no literal of Spark's"))),
        }
    }

    /// `DATE '2024-06-01'` and the like.
    fn typed_string(&self, typed: &TypedString) -> Result<Expr> {
        let parsed = literal::data_type(&typed.data_type)
            .zip(typed.value.clone().into_string())
            .and_then(|(ty, text)| literal::typed(&ty, &text));
        parsed.ok_or_else(|| {
            let message = format!("not a {}: {}", typed.data_type, typed.value);
            PlanError::parse(message).at(self.places.span(typed.value.span))
        })
    }

    fn cast(&self, kind: CastKind, expr: Ast, data_type: &DataType) -> Result<Expr> {
        let span = self.span_of(&expr);
        let expr = self.boxed(expr)?;
        let ty = literal::data_type(data_type).ok_or_else(|| {
            PlanError::unsupported(format!("casts to {data_type} are not supported")).at(span)
        })?;
        let lenient = matches!(kind, CastKind::TryCast | CastKind::SafeCast);
        Ok(Expr::Cast { expr, ty, lenient })
    }

    /// Takes a left-deep chain apart without recursion, whatever its length.
    fn chain(&self, mut ast: Ast) -> Result<Expr> {
        let mut rights = Vec::new();
        while let Ast::BinaryOp { left, op, right } = ast {
            rights.push((op, *right));
            ast = *left;
        }
        let mut left = self.expr(ast)?;
        let mut rest = rights.into_iter().rev().peekable();
        while let Some((op, right)) = rest.next() {
            if !matches!(op, BinaryOperator::And | BinaryOperator::Or) {
                left = self.binary(left, op, right)?;
                continue;
            }
            let mut terms = vec![left, self.expr(right)?];
            while let Some((_, right)) = rest.next_if(|(next, _)| *next == op) {
                terms.push(self.expr(right)?);
            }
            left = match op {
                BinaryOperator::And => Expr::all(terms),
                _ => Expr::any_of(terms),
            };
        }
        Ok(left)
    }

    fn binary(&self, left: Expr, op: BinaryOperator, right: Ast) -> Result<Expr> {
        use ArithmeticOp as A;
        use BinaryOperator as B;
        if let (B::Plus | B::Minus, Ast::Interval(interval)) = (&op, &right)
            && let Some(days) = literal::days(interval)
        {
            let days = if op == B::Minus { -days } else { days };
            let span = left.span();
            return Ok(function(SHIFT_DAYS, vec![left, Expr::int(days)], span));
        }
        let right = self.expr(right)?;
        let compare = |op, left, right| Ok(Expr::compare(left, op, right));
        let arithmetic = |op, left, right| {
            Ok(Expr::Arithmetic {
                op,
                left: Box::new(left),
                right: Box::new(right),
                ty: LogicalType::Null,
            })
        };
        match op {
            B::Eq => compare(CompareOp::Eq, left, right),
            B::NotEq => Ok(Expr::compare(left, CompareOp::Eq, right).not()),
            B::Lt => compare(CompareOp::Lt, left, right),
            B::LtEq => compare(CompareOp::LtEq, left, right),
            B::Gt => compare(CompareOp::Gt, left, right),
            B::GtEq => compare(CompareOp::GtEq, left, right),
            B::Spaceship => Ok(Expr::NullSafeEq(Box::new(left), Box::new(right))),
            B::Plus => arithmetic(A::Add, left, right),
            B::Minus => arithmetic(A::Subtract, left, right),
            B::Multiply => arithmetic(A::Multiply, left, right),
            B::Divide => arithmetic(A::Divide, left, right),
            B::MyIntegerDivide => arithmetic(A::IntegerDivide, left, right),
            B::Modulo => arithmetic(A::Remainder, left, right),
            B::BitwiseAnd => arithmetic(A::BitAnd, left, right),
            B::BitwiseOr => arithmetic(A::BitOr, left, right),
            B::BitwiseXor => arithmetic(A::BitXor, left, right),
            B::StringConcat => Ok(function("concat", vec![left, right], Span::default())),
            other => {
                let span = left.span().union(right.span());
                Err(mistakes::operator(&other.to_string()).at(span))
            }
        }
    }

    fn unary(&self, op: UnaryOperator, expr: Ast) -> Result<Expr> {
        match (op, expr) {
            (
                UnaryOperator::Minus,
                Ast::Value(ValueWithSpan {
                    value: Value::Number(digits, long),
                    span,
                }),
            ) => literal::number(&digits, long, true).ok_or_else(|| {
                PlanError::parse(format!("-{digits} does not fit its type"))
                    .at(self.places.span(span))
            }),
            (UnaryOperator::Minus, expr) => Ok(Expr::Negate(Box::new(self.expr(expr)?))),
            (UnaryOperator::Plus, expr) => {
                let args = vec![self.expr(expr)?];
                Ok(function("positive", args, Span::default()))
            }
            (UnaryOperator::Not | UnaryOperator::BangNot, expr) => Ok(self.expr(expr)?.not()),
            (UnaryOperator::BitwiseNot, expr) => {
                let error = PlanError::unsupported("the operator ~ is not supported");
                Err(error.at(self.span_of(&expr)))
            }
            (op, expr) => Err(mistakes::operator(&op.to_string()).at(self.span_of(&expr))),
        }
    }

    fn null_test(&self, ast: Ast) -> Result<Expr> {
        match ast {
            Ast::IsNull(expr) | Ast::IsUnknown(expr) => {
                Ok(Expr::IsNull(Box::new(self.expr(*expr)?)))
            }
            Ast::IsNotNull(expr) | Ast::IsNotUnknown(expr) => {
                Ok(Expr::IsNotNull(Box::new(self.expr(*expr)?)))
            }
            other => self.expr(other),
        }
    }

    fn truth_test(&self, ast: Ast) -> Result<Expr> {
        let (expr, value, negated) = match ast {
            Ast::IsTrue(expr) => (expr, true, false),
            Ast::IsNotTrue(expr) => (expr, true, true),
            Ast::IsFalse(expr) => (expr, false, false),
            Ast::IsNotFalse(expr) => (expr, false, true),
            other => return self.expr(other),
        };
        let test = Expr::NullSafeEq(Box::new(self.expr(*expr)?), Box::new(Expr::boolean(value)));
        Ok(negate_if(negated, test))
    }

    fn null_safe(&self, left: Ast, right: Ast) -> Result<Expr> {
        Ok(Expr::NullSafeEq(
            Box::new(self.expr(left)?),
            Box::new(self.expr(right)?),
        ))
    }

    fn between(&self, (expr, low, high): (Ast, Ast, Ast), negated: bool) -> Result<Expr> {
        let expr = self.expr(expr)?;
        let low = Expr::compare(expr.clone(), CompareOp::GtEq, self.expr(low)?);
        let high = Expr::compare(expr, CompareOp::LtEq, self.expr(high)?);
        Ok(negate_if(negated, low.and(high)))
    }

    fn in_list(&self, expr: Ast, target: InTarget, negated: bool) -> Result<Expr> {
        let expr = Box::new(self.expr(expr)?);
        let InTarget::List(list) = target else {
            return Err(PlanError::unsupported("sub-queries are not supported").at(expr.span()));
        };
        let list = self.exprs(list)?;
        Ok(negate_if(
            negated,
            Expr::In {
                expr,
                list,
                set: false,
            },
        ))
    }

    fn like(&self, ast: Ast) -> Result<Expr> {
        let ignore_case = matches!(ast, Ast::ILike { .. });
        let (Ast::Like {
            negated,
            any,
            expr,
            pattern,
            escape_char,
        }
        | Ast::ILike {
            negated,
            any,
            expr,
            pattern,
            escape_char,
        }) = ast
        else {
            return self.expr(ast);
        };
        let expr = self.expr(*expr)?;
        let escape = match escape_char.map(|escape| self.expr(*escape)).transpose()? {
            None => '\\',
            Some(Expr::Literal(escape, _)) => single_char(escape.as_bytes().unwrap_or_default())
                .ok_or_else(|| PlanError::parse("ESCAPE takes one character").at(expr.span()))?,
            Some(_) => return Err(PlanError::parse("ESCAPE takes one character").at(expr.span())),
        };
        let (patterns, all) = self.patterns(*pattern, any)?;
        let likes = patterns
            .into_iter()
            .map(|pattern| {
                let like = Expr::Like {
                    expr: Box::new(expr.clone()),
                    pattern: Box::new(pattern),
                    escape,
                    ignore_case,
                };
                negate_if(negated, like)
            })
            .collect();
        Ok(if all {
            Expr::all(likes)
        } else {
            Expr::any_of(likes)
        })
    }

    /// The patterns of LIKE, and whether all of them must match. NOT is applied to each pattern.
    fn patterns(&self, pattern: Ast, any: bool) -> Result<(Vec<Expr>, bool)> {
        match pattern {
            Ast::Tuple(patterns) if any => Ok((self.exprs(patterns)?, false)),
            Ast::Function(function) if is_named(&function, "all") => {
                Ok((self.arguments(function.args)?, true))
            }
            Ast::Function(function) if is_named(&function, "some") => {
                Ok((self.arguments(function.args)?, false))
            }
            pattern => Ok((vec![self.expr(pattern)?], true)),
        }
    }
}

/// What has this name below an expression.
fn part(expr: Expr, name: String, span: Span) -> Expr {
    match expr {
        Expr::Column(mut column) => {
            column.span = column.span.union(span);
            column.path.push(name);
            Expr::Column(column)
        }
        expr => Expr::Field {
            expr: Box::new(expr),
            name,
            index: 0,
            ty: LogicalType::Null,
        },
    }
}

/// The text of a literal in quotes.
fn quoted(ast: &Ast) -> Option<&str> {
    match ast {
        Ast::Value(ValueWithSpan {
            value: Value::SingleQuotedString(text),
            ..
        }) => Some(text),
        _ => None,
    }
}

fn is_named(function: &Function, name: &str) -> bool {
    function.name.to_string().eq_ignore_ascii_case(name)
}

fn single_char(bytes: &[u8]) -> Option<char> {
    let mut chars = std::str::from_utf8(bytes).ok()?.chars();
    chars.next().filter(|_| chars.next().is_none())
}

pub(super) fn negate_if(negated: bool, expr: Expr) -> Expr {
    if negated { expr.not() } else { expr }
}

pub(super) fn function(name: &str, args: Vec<Expr>, span: Span) -> Expr {
    Expr::Function {
        name: name.to_owned(),
        args,
        ty: LogicalType::Null,
        place: Place(span),
    }
}
