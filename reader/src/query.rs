//! The specification of a scan, validated once before it starts.

use std::collections::HashMap;
use std::sync::Arc;

use lith_format::error::{Error, Result};
use lith_format::filter::Filter;
use lith_format::scan::{Output, RowPredicate, TableSchema};
use lith_format::schema::{Field, LeafId, Schema};
use lith_format::vector::Vector;

use crate::file::OpenOptions;

/// What to read of a table, and how.
#[derive(Clone)]
pub struct ScanSpec {
    /// The table. Its files may order, spell and type columns a little differently.
    pub table: TableSchema,
    /// What is wanted of the table, in this order; nothing is a mere count. Of a column of which only fields
    /// are asked for anywhere, the table's type had best name no others: what it does not name is not read.
    pub columns: Vec<Output>,
    /// What `predicates` together mean, as far as metadata can judge it, with [`Filter::Opaque`] or
    /// [`Filter::Fallible`] in the place of what it cannot. Row groups that it proves false of every row
    /// are skipped, and those that it proves true of every row are not filtered: so it must not leave
    /// anything out.
    pub filter: Filter,
    /// Conditions that rows must all pass, asked in this order.
    pub predicates: Vec<Arc<dyn RowPredicate>>,
    /// How many rows to decode at a time.
    pub batch_rows: usize,
    /// Stop after this many rows.
    pub limit: Option<u64>,
    /// Whether to judge metadata at all.
    pub prune: bool,
    /// How many threads read; with one, the caller's own does.
    pub threads: usize,
    /// Whether to count by itself what reading each column costs.
    pub by_column: bool,
    /// How to open files.
    pub open: OpenOptions,
    /// What gave the table its columns, such as a file, for errors about files that differ from it.
    pub model: Option<String>,
}

impl ScanSpec {
    /// All columns and rows of `table`, read by the calling thread.
    pub fn new(table: TableSchema) -> Self {
        ScanSpec {
            columns: (0..table.schema.fields.len()).map(Output::from).collect(),
            table,
            filter: Filter::Constant(Some(true)),
            predicates: Vec::new(),
            batch_rows: 8192,
            limit: None,
            prune: true,
            threads: 1,
            by_column: false,
            open: OpenOptions::default(),
            model: None,
        }
    }
}

/// A checked [`ScanSpec`] with the schemas of the batches that come of it.
pub(crate) struct Query {
    pub(crate) spec: ScanSpec,
    pub(crate) output: Arc<Schema>,
    /// What each predicate is given.
    pub(crate) inputs: Vec<Arc<Schema>>,
    /// The columns of the output, each once.
    pub(crate) distinct: Vec<usize>,
    /// Where in `distinct` each column of the output is.
    places: Vec<usize>,
    /// The leaves of the table that the filter names.
    pub(crate) filter_leaves: Vec<LeafId>,
    /// See [`uses`].
    used: Vec<usize>,
}

impl Query {
    pub(crate) fn new(spec: ScanSpec) -> Result<Self> {
        let fields = spec.table.schema.fields.len();
        if spec.table.partition_columns > fields {
            return Err(Error::invalid("more partition columns than columns"));
        }
        if spec.batch_rows == 0 {
            return Err(Error::invalid("batches of no rows"));
        }
        let ascending = |columns: &[usize]| columns.windows(2).all(|pair| pair[0] < pair[1]);
        if !spec
            .predicates
            .iter()
            .all(|predicate| ascending(predicate.columns()))
        {
            return Err(Error::invalid("a predicate's columns are not ascending"));
        }
        let project = |outputs: &[Output]| {
            let fields = outputs.iter().map(|output| output.field(&spec.table));
            Ok(Arc::new(Schema::new(fields.collect::<Result<_>>()?)))
        };
        let input = |predicate: &Arc<dyn RowPredicate>| {
            let columns = predicate.columns().iter().copied();
            project(&columns.map(Output::from).collect::<Vec<_>>())
        };
        let (distinct, places) = distinct(&spec.columns);
        Ok(Query {
            used: uses(&spec),
            filter_leaves: spec.filter.leaves(),
            distinct,
            places,
            output: project(&spec.columns)?,
            inputs: spec.predicates.iter().map(input).collect::<Result<_>>()?,
            spec,
        })
    }

    /// Whether anything reads this column of the table.
    pub(crate) fn uses(&self, column: usize) -> bool {
        self.uses_after(column, 0)
    }

    /// Whether the output or one of the predicates from number `predicate` on reads this column.
    pub(crate) fn uses_after(&self, column: usize, predicate: usize) -> bool {
        let used = self.used.get(column);
        used.is_some_and(|&used| used > predicate)
    }

    /// Whether rows that pass all predicates before number `predicate` are only counted.
    pub(crate) fn is_counted_after(&self, predicate: usize) -> bool {
        predicate == self.spec.predicates.len() && self.distinct.is_empty()
    }

    /// The vectors of the output, from those of its distinct columns.
    pub(crate) fn repeat(&self, distinct: Vec<Vector>) -> Result<Vec<Vector>> {
        let columns = match self.distinct.len() == self.spec.columns.len() {
            true => distinct,
            false => {
                let place = |place: &usize| distinct.get(*place).cloned();
                self.places.iter().filter_map(place).collect()
            }
        };
        let outputs = self.spec.columns.iter().zip(columns);
        let outputs = outputs.zip(&self.output.fields);
        let vector = |((output, column), field): ((&Output, Vector), &Field)| {
            let vector = output.of(column);
            vector.map_err(|error| error.at_column(field.name.as_str()))
        };
        outputs.map(vector).collect()
    }
}

/// How many predicates must be asked before nothing reads a column any more, by column of the table.
fn uses(spec: &ScanSpec) -> Vec<usize> {
    let mut used = vec![0; spec.table.schema.fields.len()];
    let mut set = |column: usize, until| {
        if let Some(used) = used.get_mut(column) {
            *used = until;
        }
    };
    for (number, predicate) in spec.predicates.iter().enumerate() {
        let columns = predicate.columns().iter();
        columns.for_each(|&column| set(column, number + 1));
    }
    let output = spec.columns.iter();
    output.for_each(|output| set(output.column, usize::MAX));
    used
}

/// The column of each output once, and its place among those for every output.
fn distinct(outputs: &[Output]) -> (Vec<usize>, Vec<usize>) {
    let (mut distinct, mut known) = (Vec::with_capacity(outputs.len()), HashMap::new());
    let place = |&Output { column, .. }: &Output| {
        *known.entry(column).or_insert_with(|| {
            distinct.push(column);
            distinct.len() - 1
        })
    };
    let places = outputs.iter().map(place).collect();
    (distinct, places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::naive;
    use lith_format::scalar::Scalar;
    use lith_format::schema::Field;
    use lith_format::types::LogicalType;

    fn query(columns: Vec<usize>, filtered: &[u32]) -> Query {
        let names = ["a", "b", "c"].map(|name| Field::nullable(name, LogicalType::Int32));
        let table = TableSchema::of_file(Arc::new(Schema::new(names.to_vec())));
        let predicate = |&leaf: &u32| naive(Filter::IsNull(LeafId(leaf)));
        Query::new(ScanSpec {
            columns: columns.into_iter().map(Output::from).collect(),
            predicates: filtered.iter().map(predicate).collect(),
            ..ScanSpec::new(table)
        })
        .unwrap()
    }

    #[test]
    fn a_column_is_used_until_the_last_who_reads_it() {
        let query = query(vec![1], &[0, 1, 0, 2]);
        assert!((0..3).all(|column| query.uses(column)));
        let after = |column| (0..=4).take_while(|&n| query.uses_after(column, n)).count();
        assert_eq!([0, 1, 2].map(after), [3, 5, 4]);
        assert!(!query.uses(3));
        let count = self::query(Vec::new(), &[2]);
        assert!(!count.uses(0) && count.uses(2) && !count.uses_after(2, 1));
    }

    #[test]
    fn a_column_that_is_wanted_twice_is_decoded_once() {
        let query = query(vec![2, 0, 2, 2], &[]);
        assert_eq!(query.distinct, [2, 0]);
        let vector = |value| Vector::from_scalars(LogicalType::Int32, &[Scalar::Int(value)]);
        let vectors = query
            .repeat(vec![vector(7).unwrap(), vector(8).unwrap()])
            .unwrap();
        let values: Vec<Scalar> = vectors.iter().map(|vector| vector.value(0)).collect();
        assert_eq!(values, [7, 8, 7, 7].map(Scalar::Int));
    }
}
