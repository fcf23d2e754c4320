//! Walks over the nodes of an expression, and what is found on them.

use lith_format::scalar::Scalar;
use lith_format::types::LogicalType;

use super::{Column, Expr, Span};

impl Expr {
    /// The expressions directly below, in order.
    pub fn children(&self) -> Vec<&Expr> {
        match self {
            Expr::Column(_) | Expr::Literal(..) => Vec::new(),
            Expr::Compare { left, right, .. }
            | Expr::NullSafeEq(left, right)
            | Expr::And(left, right)
            | Expr::Or(left, right)
            | Expr::Arithmetic { left, right, .. } => vec![left, right],
            Expr::Like { expr, pattern, .. } | Expr::RLike { expr, pattern } => vec![expr, pattern],
            Expr::Affix { expr, part, .. } => vec![expr, part],
            Expr::Not(expr)
            | Expr::IsNull(expr)
            | Expr::IsNotNull(expr)
            | Expr::Negate(expr)
            | Expr::Unchecked(expr)
            | Expr::Cast { expr, .. }
            | Expr::Field { expr, .. } => vec![expr],
            Expr::In { expr, list, .. } => std::iter::once(&**expr).chain(list).collect(),
            Expr::If {
                condition,
                then,
                otherwise,
            } => vec![condition, then, otherwise],
            Expr::Case {
                branches,
                otherwise,
            } => branches
                .iter()
                .flat_map(|(condition, value)| [condition, value])
                .chain(otherwise.as_deref())
                .collect(),
            Expr::Function { args, .. } => args.iter().collect(),
        }
    }

    fn children_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Column(_) | Expr::Literal(..) => Vec::new(),
            Expr::Compare { left, right, .. }
            | Expr::NullSafeEq(left, right)
            | Expr::And(left, right)
            | Expr::Or(left, right)
            | Expr::Arithmetic { left, right, .. } => vec![left, right],
            Expr::Like { expr, pattern, .. } | Expr::RLike { expr, pattern } => vec![expr, pattern],
            Expr::Affix { expr, part, .. } => vec![expr, part],
            Expr::Not(expr)
            | Expr::IsNull(expr)
            | Expr::IsNotNull(expr)
            | Expr::Negate(expr)
            | Expr::Unchecked(expr)
            | Expr::Cast { expr, .. }
            | Expr::Field { expr, .. } => vec![expr],
            Expr::In { expr, list, .. } => std::iter::once(&mut **expr).chain(list).collect(),
            Expr::If {
                condition,
                then,
                otherwise,
            } => vec![condition, then, otherwise],
            Expr::Case {
                branches,
                otherwise,
            } => branches
                .iter_mut()
                .flat_map(|(condition, value)| [condition, value])
                .chain(otherwise.as_deref_mut())
                .collect(),
            Expr::Function { args, .. } => args.iter_mut().collect(),
        }
    }

    /// Replaces every child by what `f` makes of it.
    pub fn map_children<E>(
        mut self,
        f: &mut impl FnMut(Expr) -> Result<Expr, E>,
    ) -> Result<Expr, E> {
        for child in self.children_mut() {
            let taken = std::mem::replace(child, Expr::Literal(Scalar::Null, LogicalType::Null));
            *child = f(taken)?;
        }
        Ok(self)
    }

    /// Rewrites every node after its children.
    pub fn transform_up<E>(self, f: &mut impl FnMut(Expr) -> Result<Expr, E>) -> Result<Expr, E> {
        let mapped = self.map_children(&mut |child| child.transform_up(f))?;
        f(mapped)
    }

    /// Shows every node to `see`, parents first, in order.
    pub fn for_each<'a>(&'a self, mut see: impl FnMut(&'a Expr)) {
        let mut open = vec![self];
        while let Some(expr) = open.pop() {
            see(expr);
            open.extend(expr.children().into_iter().rev());
        }
    }

    /// Whether `test` holds for some node.
    pub fn any(&self, mut test: impl FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.for_each(|expr| found = found || test(expr));
        found
    }

    /// Its columns in order of mention, with repetitions.
    pub fn columns(&self) -> Vec<&Column> {
        let mut out = Vec::new();
        self.for_each(|expr| {
            if let Expr::Column(column) = expr {
                out.push(column);
            }
        });
        out
    }

    /// The top-level columns it reads, ascending and distinct; unresolved ones are left out.
    pub fn column_indices(&self) -> Vec<usize> {
        let mut out: Vec<usize> = self
            .columns()
            .iter()
            .filter_map(|column| column.index())
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Whether the same row always gives the same value.
    pub fn is_deterministic(&self) -> bool {
        const RANDOM: [&str; 8] = [
            "rand",
            "random",
            "randn",
            "uuid",
            "shuffle",
            "monotonically_increasing_id",
            "spark_partition_id",
            "input_file_name",
        ];
        !self.any(
            |expr| matches!(expr, Expr::Function { name, .. } if RANDOM.contains(&name.as_str())),
        )
    }

    /// The part of the text that its columns and functions span; empty if it has none.
    pub fn span(&self) -> Span {
        let mut span = Span::default();
        self.for_each(|expr| match expr {
            Expr::Column(column) => span = span.union(column.span),
            Expr::Function { place, .. } => span = span.union(place.0),
            _ => {}
        });
        span
    }

    /// Where to point at when this, and nothing below it, is wrong: the name of a function.
    pub(crate) fn place(&self) -> Span {
        match self {
            Expr::Function { place, .. } if !place.0.is_empty() => place.0,
            _ => self.span(),
        }
    }

    /// How many levels it has; a leaf has one.
    pub fn depth(&self) -> usize {
        let (mut open, mut deepest) = (vec![(self, 1)], 0);
        while let Some((expr, depth)) = open.pop() {
            deepest = deepest.max(depth);
            open.extend(expr.children().into_iter().map(|child| (child, depth + 1)));
        }
        deepest
    }
}
