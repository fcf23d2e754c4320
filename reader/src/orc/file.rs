//! An ORC file: its tail, the footers of its stripes, and readers for the columns of those.
//!
//! ```text
//! | "ORC" | .. | metadata | footer | postscript | its length u8 |      the end is read first, as far as needed
//! ```
//!
//! The footer of a stripe is read on first use, and kept. What it says of a stream is checked against the stripe
//! and the limits before the stream is read.
// spec: ORCv1.md, "File Tail", "Stripes"

use std::sync::{Arc, OnceLock};

use lith_format::error::{Error, ErrorKind, Result};
use lith_format::limits::Limits;
use lith_format::meta::{ChunkMeta, FileMeta};
use lith_format::orc::footer::Footer;
use lith_format::orc::neutral::{
    add_stripe_footer, check_chunks, chunk_meta, file_head, file_meta, file_statistics,
    has_only_whole, value_count,
};
use lith_format::orc::schema::{Dialect, FileSchema, Leaf};
use lith_format::orc::stripe::StripeFooter;
use lith_format::orc::tail::{FIRST_READ, Tail};
use lith_format::schema::{Field, LeafId, Schema};
use lith_format::stats::Trusted;
use lith_format::step::Step;

use crate::column::{ColumnReader, ReadContext};
use crate::keys::Decryption;
use crate::orc::column::{Column, Opener};
use crate::orc::crypto::Crypto;
use crate::orc::stripe::{Streams, Stripe};
use crate::part::Part;
use crate::source::Source;

/// An ORC file whose tail is decoded. The bytes come from whatever source is handed in.
#[derive(Debug)]
pub struct OrcFile {
    tail: Tail,
    pub(super) schema: FileSchema,
    /// The format-neutral metadata, decoded when it is first asked for.
    meta: OnceLock<FileMeta>,
    pub(super) limits: Limits,
    stripes: Vec<OnceLock<Arc<Stripe>>>,
    /// Whether encrypted columns are read as their unencrypted masks.
    masks: bool,
    /// What decrypts the columns whose keys were given.
    crypto: Crypto,
}

impl OrcFile {
    /// Reads and decodes the tail of `source`; types are what they are stored as. Of a file with an unknown version
    /// of the format, the metadata can be read, but no columns.
    pub fn open(source: &Arc<dyn Source>, limits: &Limits) -> Result<Self> {
        let tail = read_tail(source.as_ref(), Tail::decode, limits);
        tail.and_then(|tail| Self::of(tail, Dialect::Orc, None, limits))
            .map_err(|error| error.at_path(source.name()))
    }

    /// Like [`open`](Self::open), but without the statistics of stripes, which are not decoded.
    pub fn open_footer(source: &Arc<dyn Source>, limits: &Limits) -> Result<Self> {
        let tail = read_tail(source.as_ref(), Tail::decode_footer, limits);
        tail.and_then(|tail| Self::of(tail, Dialect::Orc, None, limits))
            .map_err(|error| error.at_path(source.name()))
    }

    /// Like [`open`](Self::open), but with the types of `dialect`, and as if the file had only columns of these names,
    /// if any are given. An unknown version of the format is an error.
    pub fn open_columns(
        source: &Arc<dyn Source>,
        dialect: Dialect,
        columns: Option<&[String]>,
        limits: &Limits,
    ) -> Result<Self> {
        let tail = read_tail(source.as_ref(), Tail::decode, limits);
        let file = tail.and_then(|tail| {
            let file = Self::of(tail, dialect, columns, limits)?;
            file.tail.postscript.validate_version()?;
            Ok(file)
        });
        file.map_err(|error| error.at_path(source.name()))
    }

    fn of(
        tail: Tail,
        dialect: Dialect,
        columns: Option<&[String]>,
        limits: &Limits,
    ) -> Result<Self> {
        let schema = FileSchema::decode(&tail.footer, dialect, limits)?;
        let schema = match columns {
            None => schema,
            Some(names) => schema.with_columns(names),
        };
        let stripes = tail.footer.stripes.iter().map(|_| OnceLock::new());
        Ok(OrcFile {
            stripes: stripes.collect(),
            tail,
            schema,
            meta: OnceLock::new(),
            limits: *limits,
            masks: false,
            crypto: Crypto::default(),
        })
    }

    /// The same file, of which the columns are decrypted whose keys can be had. Tail and footers of stripes are then
    /// as if these columns had not been encrypted.
    ///
    /// # Errors
    /// Those of `decryption`; encrypted statistics that cannot be decoded, as with a wrong key.
    pub fn with_keys(mut self, source: &Arc<dyn Source>, decryption: &Decryption) -> Result<Self> {
        if decryption.keys.is_some() {
            let (tail, source) = (&mut self.tail, source.as_ref());
            self.crypto = Crypto::open(tail, source, decryption, &self.limits)
                .map_err(|error| error.at_path(source.name()))?;
            let schema = &mut self.schema;
            for leaf in schema.leaves.iter_mut().chain(&mut schema.leafless) {
                leaf.encrypted &= self.crypto.key_of(leaf.column).is_none();
            }
        }
        Ok(self)
    }

    /// The same file, whose encrypted columns are read as their unencrypted masks.
    pub fn with_masks(mut self) -> Self {
        self.masks = true;
        self
    }

    /// The footer, in the specification's words.
    pub fn footer(&self) -> &Footer {
        &self.tail.footer
    }

    /// The tail, in the specification's words.
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    /// The columns.
    pub fn schema(&self) -> &Schema {
        &self.schema.schema
    }

    /// The columns, to be called otherwise.
    pub(crate) fn fields_mut(&mut self) -> &mut [Field] {
        &mut self.schema.schema.fields
    }

    /// Where each leaf of the columns is in the file.
    pub fn leaves(&self) -> &[Leaf] {
        &self.schema.leaves
    }

    /// Where each top-level column without leaves is in the file.
    pub fn leafless(&self) -> &[Leaf] {
        &self.schema.leafless
    }

    /// Everything that the tail says, format-neutral. It is decoded when it is first asked for.
    pub fn meta(&self) -> Result<&FileMeta> {
        if let Some(meta) = self.meta.get() {
            return Ok(meta);
        }
        let meta = file_meta(&self.tail, &self.schema, &self.limits)?;
        Ok(self.meta.get_or_init(|| meta))
    }

    /// The metadata without the row groups, of which nothing is decoded.
    pub fn head(&self) -> FileMeta {
        file_head(&self.tail, &self.schema)
    }

    /// Checks the number of chunks, stripes times columns, against the limits.
    ///
    /// # Errors
    /// [`ErrorKind::LimitExceeded`].
    pub fn check_chunks(&self) -> Result<()> {
        check_chunks(&self.tail, &self.schema, &self.limits)
    }

    /// Whether there are statistics of the file, but none of its stripes, of which there are several.
    pub fn has_only_file_statistics(&self) -> bool {
        has_only_whole(&self.tail)
    }

    /// The trusted statistics of each leaf in the whole file, if only the file has statistics and its stripes have
    /// none; else empty.
    pub fn file_statistics(&self) -> Vec<Trusted> {
        file_statistics(&self.tail, &self.schema)
    }

    /// What the tail says of a leaf in a stripe, format-neutral; `None` if there is no such leaf or stripe.
    pub fn chunk_meta(&self, row_group: usize, leaf: LeafId) -> Option<ChunkMeta> {
        chunk_meta(&self.tail, &self.schema, row_group, leaf.index())
    }

    /// How many values a leaf has in a stripe, without nulls, as the tail states it, unchecked; `None` if it does
    /// not.
    pub fn value_count(&self, row_group: usize, leaf: LeafId) -> Option<u64> {
        value_count(&self.tail, &self.schema, row_group, leaf.index())
    }

    /// A reader of a part of top-level column `column` in stripe `row_group`, both from 0. The footer of the
    /// stripe and the streams of the part are read.
    pub fn column(
        &self,
        source: &Arc<dyn Source>,
        row_group: usize,
        column: usize,
        part: &Part,
        context: &ReadContext,
    ) -> Result<Box<dyn ColumnReader>> {
        self.open_column(source, row_group, column, part, context)
            .map_err(|error| error.at_path(source.name()))
    }

    fn open_column(
        &self,
        source: &Arc<dyn Source>,
        row_group: usize,
        column: usize,
        part: &Part,
        context: &ReadContext,
    ) -> Result<Box<dyn ColumnReader>> {
        let no_column = || Error::invalid(format!("there is no column {column}"));
        self.tail.postscript.validate_version()?;
        let id = *self.schema.columns.get(column).ok_or_else(no_column)?;
        let leaves = self.schema.leaves_of(column);
        let wanted = part.leaves.iter().filter_map(|&leaf| leaves.get(leaf));
        let wanted: Vec<&Leaf> = wanted.collect();
        if !self.masks && wanted.iter().any(|leaf| leaf.encrypted) {
            let name = part.field.name.as_str();
            return Err(encrypted().at_column(name).at_stripe(row_group));
        }
        let stripe = self.stripe(source.as_ref(), row_group)?;
        let mut leaves: Vec<u32> = wanted.iter().map(|leaf| leaf.column).collect();
        leaves.sort_unstable();
        let mut keys = leaves.iter().map(|&leaf| self.crypto.key_of(leaf));
        let opener = Opener {
            key: keys.find_map(|key| key).cloned(),
            streams: Streams {
                stripe: &stripe,
                tail: &self.tail,
                source,
                context,
            },
            leaves,
        };
        Ok(Box::new(Column::open(&opener, id, &part.field)?))
    }

    /// The footer of stripe `ordinal`, read when it is first asked for.
    pub fn stripe_footer(
        &self,
        source: &Arc<dyn Source>,
        ordinal: usize,
    ) -> Result<Arc<StripeFooter>> {
        let stripe = self.stripe(source.as_ref(), ordinal);
        let footer = stripe.map(|stripe| Arc::clone(&stripe.footer));
        footer.map_err(|error| error.at_path(source.name()))
    }

    /// The metadata with what only the footers of the stripes say: encodings, sizes, Bloom filters. All of them are
    /// read; they are not cached.
    pub fn full_meta(&self, source: &Arc<dyn Source>) -> Result<FileMeta> {
        let mut meta = file_meta(&self.tail, &self.schema, &self.limits)?;
        for (ordinal, row_group) in meta.row_groups.iter_mut().enumerate() {
            let footer = match self.stripes.get(ordinal).and_then(OnceLock::get) {
                Some(stripe) => Arc::clone(&stripe.footer),
                None => self.read_stripe(source.as_ref(), ordinal)?.footer,
            };
            add_stripe_footer(row_group, &footer, &self.schema);
        }
        Ok(meta)
    }

    pub(super) fn read_stripe(&self, source: &dyn Source, ordinal: usize) -> Result<Stripe> {
        Stripe::read(&self.tail, &self.crypto, ordinal, source, &self.limits)
    }

    /// The directory of a stripe, read when it is first asked for.
    pub(super) fn stripe(&self, source: &dyn Source, ordinal: usize) -> Result<Arc<Stripe>> {
        let Some(cell) = self.stripes.get(ordinal) else {
            return Err(Error::invalid(format!("there is no stripe {ordinal}")));
        };
        if let Some(stripe) = cell.get() {
            return Ok(Arc::clone(stripe));
        }
        let stripe = Arc::new(self.read_stripe(source, ordinal)?);
        Ok(Arc::clone(cell.get_or_init(|| stripe)))
    }
}

#[cold]
pub(super) fn encrypted() -> Error {
    Error::new(
        ErrorKind::Encrypted,
        "the column is encrypted and there is no key",
    )
}

/// Reads the end of a file, and what comes before it as far as is needed.
fn read_tail(
    source: &dyn Source,
    decode: impl Fn(&[u8], u64, &Limits) -> Result<Step<Tail>>,
    limits: &Limits,
) -> Result<Tail> {
    let size = source.size();
    let mut wanted = size.saturating_sub(FIRST_READ)..size;
    loop {
        let len = wanted.end.saturating_sub(wanted.start);
        let len = Limits::check(len, limits.footer_bytes, "file tail")?;
        let suffix = source.read_at(wanted.start, len)?;
        match decode(&suffix, size, limits)? {
            Step::Done(tail) => return Ok(tail),
            Step::Need(more) if more.start < wanted.start => wanted = more.start..size,
            Step::Need(_) => {
                return Err(Error::corrupt("the file tail does not end").at("tail", size));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::encoding::byte_rle::tests::encode as byte_runs;
    use crate::orc::encoding::tests::literals;
    use crate::orc::encoding::varint::tests::put_wide_zigzag;
    use crate::orc::testing::{Stored, direct, file_of};
    use crate::selection::Selection;
    use crate::source::BytesSource;
    use lith_format::orc::encoding::{EncodingKind, StreamKind, TypeKind};
    use lith_format::orc::footer::Type;
    use lith_format::render::render_json;

    /// Two stripes of four rows without compression; the second one has no nulls.
    fn file() -> Vec<u8> {
        let kinds = [
            TypeKind::Int,
            TypeKind::String,
            TypeKind::Decimal,
            TypeKind::Timestamp,
            TypeKind::Boolean,
            TypeKind::Double,
            TypeKind::List,
        ];
        let leaf = |kind| Type {
            kind,
            precision: Some(10).filter(|_| kind == TypeKind::Decimal),
            scale: Some(2).filter(|_| kind == TypeKind::Decimal),
            ..Type::default()
        };
        let mut types = vec![Type {
            kind: TypeKind::Struct,
            subtypes: (1..=7).collect(),
            field_names: kinds.iter().map(|kind| kind.to_string()).collect(),
            ..Type::default()
        }];
        types.extend(kinds.map(leaf));
        types[7].subtypes.push(8);
        types.push(leaf(TypeKind::Int));
        file_of(types, vec![stripe(true), stripe(false)])
    }

    fn stripe(nulls: bool) -> (u64, StripeFooter, Stored) {
        let numbers = |values: &[i64]| literals(if nulls { &values[..2] } else { values }, true);
        let codes = literals(if nulls { &[1, 0] } else { &[1, 0, 1, 1] }, false);
        let mut decimals = Vec::new();
        let values = [125, -5, 7, 0];
        let values = &values[..if nulls { 2 } else { 4 }];
        values
            .iter()
            .for_each(|&value| put_wide_zigzag(&mut decimals, value));
        let doubles = [1.5f64, -0.0, 2.0, f64::NAN].map(f64::to_le_bytes).concat();
        let mut streams = vec![
            (1, StreamKind::Data, numbers(&[1, -2, 3, 4])),
            (2, StreamKind::Data, codes),
            (
                2,
                StreamKind::DictionaryData,
                b"California, and Nevada".to_vec(),
            ),
            (2, StreamKind::Length, literals(&[10, 12], false)),
            (3, StreamKind::Data, decimals),
            (3, StreamKind::Secondary, numbers(&[2, 2, 1, 2])),
            (4, StreamKind::Data, numbers(&[0, 86_400, -1, 5])),
            (
                4,
                StreamKind::Secondary,
                literals(&[0, 0x0a, 0, 0][..values.len()], false),
            ),
            (5, StreamKind::Data, byte_runs(&[0b0110_0000])),
            (6, StreamKind::Data, doubles[..values.len() * 8].to_vec()),
        ];
        if nulls {
            let present = |column| (column, StreamKind::Present, byte_runs(&[0b0101_0000]));
            streams.extend((1..=6).map(present));
        }
        let mut footer = direct(9);
        footer.writer_timezone = Some("Asia/Kolkata".to_owned());
        footer.columns[2].kind = EncodingKind::Dictionary;
        footer.columns[2].dictionary_size = 2;
        (4, footer, streams)
    }

    fn source(bytes: Vec<u8>) -> Arc<dyn Source> {
        Arc::new(BytesSource::new(bytes, "a.orc"))
    }

    fn open(
        file: &OrcFile,
        source: &Arc<dyn Source>,
        stripe: usize,
        column: usize,
    ) -> Result<Box<dyn ColumnReader>> {
        let field = file.schema().fields.get(column);
        let part = Part::whole(field.unwrap_or(&file.schema().fields[0]));
        file.column(source, stripe, column, &part, &ReadContext::default())
    }

    /// The cells of a column, in windows of three rows.
    fn cells(bytes: Vec<u8>, column: usize) -> Result<Vec<String>> {
        let source = source(bytes);
        let file = OrcFile::open(&source, &Limits::default())?;
        let mut out = Vec::new();
        for (ordinal, group) in file.meta()?.row_groups.iter().enumerate() {
            let mut reader = open(&file, &source, ordinal, column)?;
            let rows = group.rows.min(64) as usize;
            for start in (0..rows).step_by(3) {
                let vector = reader.read(&Selection::all((rows - start).min(3)))?;
                for row in 0..vector.len {
                    let mut cell = String::new();
                    render_json(&vector, row, &mut cell);
                    out.push(cell);
                }
            }
        }
        Ok(out)
    }

    #[test]
    fn nulls_of_one_stripe_are_not_those_of_the_next() {
        let expected: [&[&str]; 6] = [
            &["null", "1", "null", "-2", "1", "-2", "3", "4"],
            &[
                "null",
                "\", and Nevada\"",
                "null",
                "\"California\"",
                "\", and Nevada\"",
                "\"California\"",
                "\", and Nevada\"",
                "\", and Nevada\"",
            ],
            &[
                "null",
                "\"1.25\"",
                "null",
                "\"-0.05\"",
                "\"1.25\"",
                "\"-0.05\"",
                "\"0.70\"",
                "\"0.00\"",
            ],
            &[
                "null",
                "\"2015-01-01T00:00:00.000000000\"",
                "null",
                "\"2015-01-02T00:00:00.000001000\"",
                "\"2015-01-01T00:00:00.000000000\"",
                "\"2015-01-02T00:00:00.000001000\"",
                "\"2014-12-31T23:59:59.000000000\"",
                "\"2015-01-01T00:00:05.000000000\"",
            ],
            &[
                "null", "false", "null", "true", "false", "true", "true", "false",
            ],
            &[
                "null", "1.5", "null", "-0.0", "1.5", "-0.0", "2.0", "\"NaN\"",
            ],
        ];
        for (column, expected) in expected.into_iter().enumerate() {
            assert_eq!(cells(file(), column).unwrap(), expected, "{column}");
        }
    }

    #[test]
    fn a_version_that_is_not_known_shows_its_metadata_only() {
        let mut bytes = file();
        let at = bytes.windows(2).rposition(|pair| pair == [0, 12]).unwrap();
        bytes[at + 1] = 13;
        let source = source(bytes.clone());
        let file = OrcFile::open(&source, &Limits::default()).unwrap();
        assert_eq!(file.tail().postscript.version, [0, 13]);
        assert_eq!(file.stripe_footer(&source, 1).unwrap().columns.len(), 9);
        assert_eq!(cells(bytes, 0).unwrap_err().kind(), ErrorKind::Unsupported);
        let opened = OrcFile::open_columns(&source, Dialect::Spark, None, &Limits::default());
        assert_eq!(opened.unwrap_err().kind(), ErrorKind::Unsupported);
    }

    #[test]
    fn chunks_are_told_without_the_others() {
        let source = source(file());
        let file = OrcFile::open(&source, &Limits::default()).unwrap();
        assert!(file.chunk_meta(1, LeafId(6)).is_some());
        assert!(file.chunk_meta(1, LeafId(7)).is_none());
        assert!(file.meta.get().is_none());
        assert_eq!(file.meta().unwrap().row_groups.len(), 2);
    }

    #[test]
    fn columns_without_their_streams_or_types_are_errors() {
        assert_eq!(cells(file(), 6).unwrap_err().kind(), ErrorKind::Truncated);
        assert_eq!(
            cells(file(), 7).unwrap_err().kind(),
            ErrorKind::InvalidArgument
        );
    }

    #[test]
    fn encodings_and_sizes_come_from_the_footers_of_stripes() {
        let source = source(file());
        let file = OrcFile::open(&source, &Limits::default()).unwrap();
        assert_eq!(
            file.meta().unwrap().row_groups[0].chunks[0].compressed_bytes,
            None
        );
        let meta = file.full_meta(&source).unwrap();
        for (ordinal, group) in meta.row_groups.iter().enumerate() {
            let strings = &group.chunks[1];
            assert_eq!(strings.encodings, ["DICTIONARY"], "{ordinal}");
            assert!(strings.compressed_bytes > Some(0), "{ordinal}");
            let sizes = group
                .chunks
                .iter()
                .filter_map(|chunk| chunk.compressed_bytes);
            assert!(sizes.sum::<u64>() <= group.compressed_bytes());
        }
    }

    #[test]
    fn skipped_windows_and_reads_past_the_end() {
        let source = source(file());
        let file = OrcFile::open(&source, &Limits::default()).unwrap();
        for column in 0..6 {
            let mut reader = open(&file, &source, 1, column).unwrap();
            let none = Selection::from_runs(3, Vec::new());
            assert_eq!(reader.read(&none).unwrap().len, 0);
            assert_eq!(reader.read(&Selection::all(1)).unwrap().len, 1);
            let error = reader.read(&Selection::all(1)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        }
        let error = open(&file, &source, 2, 0).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }

    #[test]
    fn errors_name_file_stripe_and_column() {
        let mut bytes = file();
        // one literal instead of two: the second one is taken for a run that does not end
        bytes[3] = 0xff;
        let error = cells(bytes, 0).unwrap_err();
        assert_eq!(error.site().row_group, Some(0));
        assert_eq!(error.site().column.as_deref(), Some("INT"));
    }

    #[test]
    fn damage_is_an_error_or_other_rows() {
        let whole = file();
        for len in 0..whole.len() {
            assert!(cells(whole[..len].to_vec(), 0).is_err(), "cut at {len}");
        }
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            for column in 0..6 {
                let _ = cells(damaged.clone(), column);
            }
        }
    }
}
