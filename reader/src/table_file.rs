//! A file of a table: maps the table's columns to the file's.

use std::ops::Range;
use std::sync::Arc;

use lith_format::bind::{self, ColumnSource, LeafSource};
use lith_format::error::{Error, Result};
use lith_format::scalar::Scalar;
use lith_format::scan::ScanTask;
use lith_format::schema::{Field, LeafId};
use lith_format::types::{Layout, LogicalType};

use crate::adapt::Adapter;
use crate::file::File;
use crate::part::Part;
use crate::query::Query;
use crate::selection::Selection;

/// How many values of a list column a batch may hold if all rows have the same length: with their levels they fit
/// a cache.
const BATCH_VALUES: u64 = 1 << 18;

/// How many bytes of a column of text or bytes a batch may hold if all rows have the same size.
const BATCH_BYTES: u64 = 8 << 20;

/// A file to scan, perhaps open already.
pub(crate) struct Task {
    pub(crate) task: ScanTask,
    pub(crate) file: Option<File>,
}

impl Task {
    /// Opens the file, unless it is open.
    pub(crate) fn open(self, query: &Arc<Query>) -> Result<TableFile> {
        let file = match self.file {
            Some(file) => file,
            None => query.spec.open.open(&self.task.path)?,
        };
        TableFile::new(file, self.task, Arc::clone(query))
    }
}

/// Where a column of the table comes from.
pub(crate) enum Origin {
    /// A column of the file, as far as the table has it and as the table has it.
    File {
        column: usize,
        part: Box<Part>,
        adapter: Adapter,
    },
    /// The same value in every row: a partition column, or null where the file lacks the column.
    Constant(Scalar),
    /// The query does not use it.
    Unused,
}

/// One file of a scan, bound to the table.
pub(crate) struct TableFile {
    pub(crate) file: File,
    pub(crate) query: Arc<Query>,
    /// One a column of the table.
    pub(crate) origins: Vec<Origin>,
    /// One a leaf of the table.
    pub(crate) leaves: Vec<LeafSource>,
    /// The leaves of the file that the query reads and that are in lists or maps.
    listed: Vec<LeafId>,
    /// The leaves of the file that the query reads and that have text or bytes.
    long: Vec<LeafId>,
    /// Values of the partition columns.
    pub(crate) partition: Vec<Scalar>,
    /// The row groups to consider.
    pub(crate) row_groups: Vec<usize>,
    /// One a row group of the file: which rows to consider. Without it, all.
    pub(crate) picked: Option<Vec<Selection>>,
}

impl TableFile {
    /// How many rows of a row group to decode at a time: fewer than the query asks for if lists or values are long.
    pub(crate) fn batch_rows(&self, row_group: usize) -> usize {
        let rows = self.file.rows_of(row_group).max(1);
        let fit = |leaves: &[LeafId], most: u64, size: &dyn Fn(LeafId) -> Option<u64>| {
            let sizes = leaves.iter().filter_map(|&leaf| size(leaf));
            let size_of_row = sizes.max().unwrap_or(0).div_ceil(rows).max(1);
            usize::try_from((most / size_of_row).max(1)).unwrap_or(usize::MAX)
        };
        let values = fit(&self.listed, BATCH_VALUES, &|leaf| {
            self.file.value_count(row_group, leaf)
        });
        // metadata that cannot be decoded is an error when the chunk is read
        let bytes = fit(&self.long, BATCH_BYTES, &|leaf| {
            self.file.chunk(row_group, leaf).ok()??.uncompressed_bytes
        });
        self.query.spec.batch_rows.min(values).min(bytes)
    }

    pub(crate) fn new(file: File, task: ScanTask, query: Arc<Query>) -> Result<Self> {
        let path = file.path().to_owned();
        Self::bind(file, task, query).map_err(|error| error.at_path(path))
    }

    fn bind(file: File, task: ScanTask, query: Arc<Query>) -> Result<Self> {
        let table = &query.spec.table;
        if task.partition.len() != table.partition_columns {
            return Err(Error::invalid(format!(
                "{} partition values for {} partition columns",
                task.partition.len(),
                table.partition_columns
            )));
        }
        let mut row_groups = row_groups(&file, task.row_groups)?;
        let picked = task.rows.map(|runs| pick(&file, &runs)).transpose()?;
        if let Some(picked) = &picked {
            row_groups.retain(|&row_group| !picked[row_group].is_none());
        }
        let sources = bind::bind_columns(table, file.schema())?;
        let mut origins = Vec::with_capacity(sources.len());
        for (index, source) in sources.into_iter().enumerate() {
            origins.push(match source {
                _ if !query.uses(index) => Origin::Unused,
                ColumnSource::Missing => Origin::Constant(Scalar::Null),
                ColumnSource::Partition(number) => Origin::Constant(task.partition[number].clone()),
                ColumnSource::File(column) => {
                    let wanted = &table.schema.fields[index];
                    file_column(&file, column, wanted)
                        .map_err(|error| name_model(error, &query).at_column(&wanted.name))?
                }
            });
        }
        Ok(TableFile {
            listed: leaves(&file, &origins, listed),
            long: leaves(&file, &origins, long),
            origins,
            leaves: bind::bind(table, file.schema())?,
            partition: task.partition,
            row_groups,
            picked,
            file,
            query,
        })
    }
}

/// The row groups of a task; all if it names none.
fn row_groups(file: &File, wanted: Option<Vec<usize>>) -> Result<Vec<usize>> {
    let count = file.row_groups();
    let row_groups = wanted.unwrap_or_else(|| (0..count).collect());
    match row_groups.iter().find(|&&row_group| row_group >= count) {
        Some(absent) => Err(Error::invalid(format!("row group {absent} of {count}"))),
        None => Ok(row_groups),
    }
}

/// Column `column` of the file as the table's column `wanted`.
fn file_column(file: &File, column: usize, wanted: &Field) -> Result<Origin> {
    let part = Part::of(&file.schema().fields[column], &wanted.ty)?;
    Ok(Origin::File {
        column,
        adapter: Adapter::new(&wanted.ty, &part.field.ty)?,
        part: part.into(),
    })
}

/// The leaves of the file that are read and for which `pick` returns true; it returns one for each leaf of a part.
fn leaves(file: &File, origins: &[Origin], pick: fn(&Part) -> Vec<bool>) -> Vec<LeafId> {
    let first = file.schema().first_leaves();
    let parts = origins.iter().filter_map(|origin| match origin {
        Origin::File { column, part, .. } => Some((first[*column].0, part)),
        _ => None,
    });
    let picked = parts.flat_map(|(first, part)| {
        let leaves = part.leaves.iter().zip(pick(part));
        let picked = leaves.filter_map(|(leaf, is_picked)| is_picked.then_some(*leaf as u32));
        picked.map(move |leaf| LeafId(first.saturating_add(leaf)))
    });
    picked.collect()
}

/// For each leaf, whether it is in a list or map.
fn listed(part: &Part) -> Vec<bool> {
    if !part.field.ty.is_nested() {
        return Vec::new();
    }
    let mut leaves = Vec::with_capacity(part.leaves.len());
    add_leaves(&part.field, false, &mut leaves);
    leaves
}

/// For each leaf, whether it has text or bytes.
fn long(part: &Part) -> Vec<bool> {
    fn visit(ty: &LogicalType, out: &mut Vec<bool>) {
        match ty.is_nested() {
            true => ty.fields().iter().for_each(|field| visit(&field.ty, out)),
            false => out.push(ty.layout() == Layout::Bytes),
        }
    }
    let mut long = Vec::new();
    visit(&part.field.ty, &mut long);
    long
}

/// Appends for each leaf of a field whether it is in a list or map.
fn add_leaves(field: &Field, in_list: bool, out: &mut Vec<bool>) {
    let in_list = in_list || matches!(field.ty.layout(), Layout::List | Layout::Map);
    if !field.ty.is_nested() {
        out.push(in_list);
    }
    let below = field.ty.fields().iter();
    below.for_each(|field| add_leaves(field, in_list, out));
}

/// A type that does not go with the table's is an error about the file and what gave the table its columns.
pub(crate) fn name_model(error: Error, query: &Query) -> Error {
    match &query.spec.model {
        Some(model) => error.noting(&format!("the table's columns are those of {model}")),
        None => error,
    }
}

/// The runs of rows of a file, row group by row group.
fn pick(file: &File, runs: &[Range<u64>]) -> Result<Vec<Selection>> {
    let ascend = runs.windows(2).all(|pair| pair[0].end <= pair[1].start);
    let whole = runs.iter().all(|run| run.start < run.end);
    if !ascend || !whole || runs.last().is_some_and(|run| run.end > file.rows()) {
        let message = format!(
            "row ranges are not ascending, or exceed the {} rows of the file",
            file.rows()
        );
        return Err(Error::invalid(message));
    }
    let (mut first, mut rest) = (0, runs);
    let mut out = Vec::with_capacity(file.row_groups());
    for row_group in 0..file.row_groups() {
        let rows = file.rows_of(row_group);
        let end = rows.saturating_add(first);
        rest = &rest[rest.partition_point(|run| run.end <= first)..];
        let mut within: Vec<Range<usize>> = Vec::new();
        for run in rest.iter().take_while(|run| run.start < end) {
            let place = |row: u64| usize::try_from(row.clamp(first, end) - first);
            match (within.last_mut(), place(run.start), place(run.end)) {
                (Some(last), Ok(start), Ok(end)) if last.end == start => last.end = end,
                (_, Ok(start), Ok(end)) => within.push(start..end),
                _ => return Err(Error::limit(format!("row group of {rows} rows"))),
            }
        }
        let rows =
            usize::try_from(rows).map_err(|_| Error::limit(format!("row group of {rows} rows")))?;
        out.push(Selection::from_runs(rows, within));
        first = end;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use lith_format::limits::Limits;
    use lith_format::parquet::encoding::Encoding;
    use lith_format::render::render_json;
    use lith_format::scan::TableSchema;
    use lith_format::schema::Schema;
    use lith_format::vector::{Batch, Values};

    use super::*;
    use crate::column::ReadContext;
    use crate::metrics::Metrics;
    use crate::parquet::levels::MaxLevels;
    use crate::parquet::testing::{self, Chunk, Style};
    use crate::query::ScanSpec;
    use crate::row_filter::RowGroupScan;
    use crate::source::BytesSource;

    /// A required number and a list of required numbers: `rows` rows of `elements` elements, all alike.
    fn file(rows: usize, elements: usize) -> File {
        let list = Field::required("element", LogicalType::Int32);
        let schema = Schema::new(vec![
            Field::required("n", LogicalType::Int32),
            Field::nullable("l", LogicalType::List(Arc::new(list))),
        ]);
        let style = Style {
            encoding: Encoding::Plain,
            v2: false,
            crc: false,
        };
        let mut flat = Chunk::default();
        flat.data(rows, None, &7i32.to_le_bytes().repeat(rows), style);
        let max = MaxLevels {
            definition: 2,
            repetition: 1,
        };
        let mut row = vec![(2, 1); elements];
        row[0].1 = 0;
        let mut nested = Chunk::default();
        let values = 8i32.to_le_bytes().repeat(elements);
        (0..rows).for_each(|_| nested.nested(&row, max, &values, style));
        let chunks = vec![(flat, rows), (nested, rows * elements)];
        let bytes = testing::file(&schema, rows, chunks);
        File::from_source(
            Arc::new(BytesSource::new(bytes, "lists")),
            Limits::default(),
        )
        .unwrap()
    }

    fn batches(file: &File, columns: Vec<usize>) -> Vec<Batch> {
        let scan = file.scan().columns(columns).build().unwrap();
        scan.collect::<Result<_>>().unwrap()
    }

    fn structure(fields: &[(&str, LogicalType)]) -> Field {
        let fields = fields.iter();
        let fields = fields.map(|(name, ty)| Field::nullable(*name, ty.clone()));
        Field::nullable("s", LogicalType::Struct(fields.collect()))
    }

    /// The rows of `s: struct<a: int, x: int>`, which are null, {null, 1} and {7, null}, as a table has them.
    fn rows_as(wanted: Field) -> Vec<String> {
        let int = LogicalType::Int32;
        let schema = Schema::new(vec![structure(&[("a", int.clone()), ("x", int)])]);
        let max = MaxLevels {
            definition: 2,
            repetition: 0,
        };
        let chunk = |levels: [u8; 3], value: i32| {
            let style = Style {
                encoding: Encoding::Plain,
                v2: true,
                crc: false,
            };
            let mut chunk = Chunk::default();
            let levels = levels.map(|definition| (definition, 0));
            chunk.nested(&levels, max, &value.to_le_bytes(), style);
            (chunk, 3)
        };
        let bytes = testing::file(&schema, 3, vec![chunk([0, 1, 2], 7), chunk([0, 2, 1], 1)]);
        let file = File::from_source(Arc::new(BytesSource::new(bytes, "s")), Limits::default());
        let task = ScanTask {
            path: "s".into(),
            bytes: 0,
            partition: Vec::new(),
            row_groups: None,
            rows: None,
        };
        let table = TableSchema::of_file(Arc::new(Schema::new(vec![wanted])));
        let query = Arc::new(Query::new(ScanSpec::new(table)).unwrap());
        let file = Some(file.unwrap());
        let file = Arc::new(Task { task, file }.open(&query).unwrap());
        let kept = file.prune(&Metrics::default()).remove(0);
        let mut rows = RowGroupScan::new(file, kept, ReadContext::default()).unwrap();
        let batch = rows.next_batch(3).unwrap().unwrap();
        let json = |row| {
            let mut out = String::new();
            render_json(&batch.columns[0], row, &mut out);
            out
        };
        (0..3).map(json).collect()
    }

    #[test]
    fn structs_are_what_the_table_has() {
        let (int, long) = (LogicalType::Int32, LogicalType::Int64);
        let more = structure(&[("new", int.clone()), ("A", long)]);
        let rows = ["null", r#"{"new":null,"A":null}"#, r#"{"new":null,"A":7}"#];
        assert_eq!(rows_as(more), rows);
        let other = structure(&[("new", int)]);
        assert_eq!(
            rows_as(other),
            ["null", r#"{"new":null}"#, r#"{"new":null}"#]
        );
    }

    fn rows_of_batches(file: &File, columns: Vec<usize>) -> Vec<usize> {
        let batches = batches(file, columns);
        batches.iter().map(|batch| batch.rows).collect()
    }

    #[test]
    fn batches_of_long_lists_of_orc_have_fewer_rows() {
        let element = Field::nullable("element", LogicalType::Int32);
        let field = Field::nullable("l", LogicalType::List(Arc::new(element)));
        let row = Scalar::List(vec![Scalar::Int(8); 20_000]);
        let bytes = crate::orc::testing::file(&field, &[&vec![row; 30]]);
        let source = Arc::new(BytesSource::new(bytes, "lists"));
        let file = File::from_source(source, Limits::default()).unwrap();
        assert_eq!(rows_of_batches(&file, vec![0]), [13, 13, 4]);
    }

    #[test]
    fn batches_of_long_lists_have_fewer_rows() {
        let file = file(30, 20_000);
        assert_eq!(rows_of_batches(&file, vec![0]), [30]);
        assert_eq!(rows_of_batches(&file, vec![0, 1]), [13, 13, 4]);
        let last = batches(&file, vec![1]).pop().unwrap();
        let Values::List { offsets, elements } = &last.columns[0].values else {
            panic!("no list")
        };
        assert_eq!((offsets.len(), elements.len), (5, 4 * 20_000));
    }
}
