//! Memory that a file can make a command use, measured by limiting its address space.
//!
//! Files with very many parts are shown part by part, and files that exceed the limits are refused, within
//! 256 MiB; this includes the debug build's own 60 MiB of code. The corpus needs `LITH_SHARED`.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may fail where it likes")]

use std::fs;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use bytes::Bytes;
use lith_format::compress::Codec;
use lith_format::limits::Limits;
use lith_format::meta::Format;
use lith_format::orc::encoding::{CompressionKind, StreamKind, TypeKind};
use lith_format::orc::footer::{Footer, Metadata};
use lith_format::orc::proto::Message;
use lith_format::orc::stripe::{ColumnEncoding, Stream, StripeFooter, StripeInformation};
use lith_format::orc::tail::PostScript;
use lith_format::orc::{self, chunk};
use lith_format::parquet::column_metadata::ColumnMetaData;
use lith_format::parquet::encoding::{
    CompressionCodec, Encoding, FieldRepetitionType, PageType, Type,
};
use lith_format::parquet::footer::{FileMetaData, MAGIC, Tail};
use lith_format::parquet::logical::LogicalType as Annotation;
use lith_format::parquet::page::{DataPageHeader, PageHeader};
use lith_format::parquet::row_group::{ColumnChunk, RowGroup};
use lith_format::parquet::schema_element::SchemaElement;
use lith_format::schema::{Field, Schema};
use lith_format::types::LogicalType;
use lith_format::vector::{Batch, ByteViews, Values, Vector};
use lith_writer::file::FileWriter;
use lith_writer::options::WriteOptions;
use serde_json::Value;

/// What a command may take: 256 MiB, as `ulimit -v` counts.
const KIBIBYTES: &str = "262144";

/// What a command printed, of which little is kept.
struct Outcome {
    code: Option<i32>,
    length: usize,
    /// The last bytes.
    end: String,
    stderr: String,
}

/// Runs the command on a file within the limit.
fn lith(file: &Path, args: &[&str]) -> Outcome {
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -v $0 && exec \"$@\"", KIBIBYTES])
        .arg(env!("CARGO_BIN_EXE_lith"))
        .args(args)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let (mut length, mut end, mut buffer) = (0, Vec::new(), vec![0; 1 << 16]);
    loop {
        let read = stdout.read(&mut buffer).unwrap();
        if read == 0 {
            break;
        }
        length += read;
        end.extend_from_slice(&buffer[..read]);
        end.drain(..end.len().saturating_sub(64));
    }
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: output.status.code(),
        length,
        end: String::from_utf8_lossy(&end).into_owned(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// All forms of a command that shows metadata.
const FORMS: [&[&str]; 6] = [
    &["meta", "-f", "json"],
    &["meta"],
    &["stats", "-f", "json"],
    &["stats"],
    &["pages", "-f", "json"],
    &["pages"],
];

/// A file of row groups of one row, each of `columns` chunks that have `body` for their pages.
fn parquet(body: &[u8], row_groups: usize, columns: usize) -> Vec<u8> {
    compressed_parquet(CompressionCodec::Uncompressed, body, row_groups, columns)
}

fn compressed_parquet(
    codec: CompressionCodec,
    body: &[u8],
    row_groups: usize,
    columns: usize,
) -> Vec<u8> {
    let leaf = |column: usize| SchemaElement {
        name: format!("column {column}"),
        physical_type: Some(Type::Int32),
        repetition_type: Some(FieldRepetitionType::Required),
        ..SchemaElement::default()
    };
    let root = SchemaElement {
        name: "root".into(),
        num_children: Some(columns as i32),
        ..SchemaElement::default()
    };
    let chunk = ColumnChunk {
        meta_data: Some(ColumnMetaData {
            physical_type: Type::Int32,
            codec,
            num_values: 1,
            data_page_offset: MAGIC.len() as i64,
            total_compressed_size: body.len() as i64,
            ..ColumnMetaData::default()
        }),
        ..ColumnChunk::default()
    };
    let group = RowGroup {
        columns: vec![chunk; columns],
        num_rows: 1,
        ..RowGroup::default()
    };
    let footer = FileMetaData {
        num_rows: row_groups as i64,
        schema: [root].into_iter().chain((0..columns).map(leaf)).collect(),
        row_groups: vec![group; row_groups],
        ..FileMetaData::default()
    };
    let footer = footer.encode();
    let tail = Tail::encode(footer.len() as u32);
    [&MAGIC[..], body, &footer, &tail].concat()
}

/// The shortest header there is, of a page without bytes or values.
fn empty_page() -> Vec<u8> {
    PageHeader::new(PageType::DataPage).encode()
}

#[test]
fn very_many_pages_are_shown_one_by_one() {
    let (page, pages) = (empty_page(), 300_000);
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("empty.parquet");
    fs::write(&path, parquet(&page.repeat(pages), 1, 1)).unwrap();
    for args in FORMS {
        let told = lith(&path, args);
        assert_eq!((told.code, &*told.stderr), (Some(0), ""), "{args:?}");
        let rows = if args[0] == "stats" { 1 } else { pages };
        assert!(told.length > rows * 20, "{args:?}: {}", told.length);
        assert!(told.end.ends_with('\n'), "{args:?}: {}", told.end);
    }
}

#[test]
fn pages_that_all_chunks_share_are_cut_short_in_place() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("shared.parquet");
    fs::write(&path, parquet(&empty_page().repeat(5_000), 100, 1)).unwrap();
    let told = lith(&path, &["pages", "-f", "json"]);
    assert_eq!(told.code, Some(4));
    assert!(told.stderr.contains("too often"), "{}", told.stderr);
    assert!(told.stderr.contains("other errors"), "{}", told.stderr);
    assert_eq!(told.stderr.lines().count(), 1);
    assert!(told.end.ends_with("too often\"}]}\n"), "{}", told.end);
}

#[test]
fn a_header_as_large_as_the_file_is_shown_part_by_part() {
    let (count, padding) = (1_900_000u32, 2_500_000u32);
    let varint = |mut value: u32| {
        let mut bytes = Vec::new();
        while value > 0x7f {
            bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        bytes.push(value as u8);
        bytes
    };
    // fields that no version has: 20, a list of bytes, and 21, binary
    let mut page = empty_page();
    assert_eq!(page.pop(), Some(0));
    page.extend([0x09, 40, 0xf3]);
    page.extend(varint(count));
    page.resize(page.len() + count as usize, 0);
    page.push(0x18);
    page.extend(varint(padding));
    page.resize(page.len() + padding as usize + 1, 0);
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("header.parquet");
    fs::write(&path, parquet(&page, 1, 1)).unwrap();
    for args in [&["meta", "-f", "json"][..], &["meta"]] {
        let told = lith(&path, args);
        assert_eq!((told.code, &*told.stderr), (Some(0), ""), "{args:?}");
        assert!(told.length > 2 * (count + padding) as usize, "{args:?}");
    }
}

#[test]
fn a_footer_for_which_there_is_no_memory_is_refused() {
    let length = 250u32 << 20;
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("hole.parquet");
    let file = fs::File::create(&path).unwrap();
    file.set_len(u64::from(length)).unwrap();
    file.write_all_at(&Tail::encode(length - 8), u64::from(length))
        .unwrap();
    for command in ["inspect", "meta", "schema", "stats", "pages", "count"] {
        let told = lith(&path, &[command]);
        assert_eq!(told.code, Some(4), "{command}: {}", told.stderr);
        assert_eq!(told.stderr.lines().count(), 1, "{}", told.stderr);
        assert!(told.stderr.contains("memory"), "{}", told.stderr);
    }
}

#[test]
fn sizes_that_pages_only_declare_take_no_memory() {
    let mut header = PageHeader::new(PageType::DataPage);
    header.data_page_header = Some(DataPageHeader {
        num_values: 1,
        encoding: Encoding::Plain,
        definition_level_encoding: Encoding::Rle,
        repetition_level_encoding: Encoding::Rle,
        statistics: None,
    });
    header.uncompressed_page_size = (1 << 30) - 1;
    header.compressed_page_size = 12;
    let body = [&header.encode()[..], &[0x1f; 12]].concat();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("declared.parquet");
    for codec in (0..8).map(CompressionCodec::from_id) {
        fs::write(&path, compressed_parquet(codec, &body, 1, 1)).unwrap();
        let told = lith(&path, &["scan", "-f", "jsonl"]);
        assert_eq!(told.code, Some(4), "{codec}: {}", told.stderr);
        assert_eq!(told.stderr.lines().count(), 1, "{codec}: {}", told.stderr);
    }
}

/// Many row groups, each of some texts of a megabyte: all of them would need more than there is.
#[test]
fn row_groups_are_read_one_by_one() {
    const TEXTS: usize = 8;
    const ROW_GROUPS: usize = 60;
    let schema = Schema::new(vec![
        Field::required("number", LogicalType::Int32),
        Field::required("text", LogicalType::String),
    ]);
    let texts: Vec<String> = (0..TEXTS)
        .map(|text| text.to_string().repeat(1 << 20))
        .collect();
    let vector = |ty, values| Vector {
        ty,
        len: TEXTS,
        validity: None,
        values,
    };
    let scratch = tempfile::tempdir().unwrap();
    for format in [Format::Parquet, Format::Orc] {
        let path = scratch.path().join(format.to_string());
        let options = WriteOptions {
            format,
            row_group_rows: TEXTS,
            ..WriteOptions::default()
        };
        let schema = Arc::new(schema.clone());
        let mut writer = FileWriter::new(Vec::new(), &schema, options).unwrap();
        for _ in 0..ROW_GROUPS {
            let texts = Values::Bytes(ByteViews::from_values(&texts));
            let numbers = Values::I32((0..TEXTS as i32).collect());
            let columns = vec![
                vector(LogicalType::Int32, numbers),
                vector(LogicalType::String, texts),
            ];
            let batch = Batch {
                schema: schema.clone(),
                rows: TEXTS,
                columns,
            };
            writer.write(&batch).unwrap();
        }
        let (_, bytes) = writer.into_parts().unwrap();
        fs::write(&path, bytes).unwrap();
        let wanted = &["scan", "-f", "csv", "-c", "number", "-w", "text like '7%'"];
        let told = lith(&path, wanted);
        assert_eq!((told.code, &*told.stderr), (Some(0), ""), "{format}");
        assert_eq!(told.length, "number\n".len() + ROW_GROUPS * "7\n".len());
    }
}

/// A file with a column `v` of variants, which have these metadata and values.
fn variants(codec: Codec, rows: impl Iterator<Item = (Vec<u8>, Vec<u8>)>) -> Vec<u8> {
    let names = ["metadata", "value"];
    let fields = names.map(|name| Field::required(name, LogicalType::Binary));
    let schema = Arc::new(Schema::new(fields.to_vec()));
    let options = WriteOptions {
        codec,
        row_group_bytes: 1 << 30,
        ..WriteOptions::default()
    };
    let mut writer = FileWriter::new(Vec::new(), &schema, options).unwrap();
    for (metadata, value) in rows {
        let column = |bytes: Vec<u8>| Vector {
            ty: LogicalType::Binary,
            len: 1,
            validity: None,
            values: Values::Bytes(ByteViews::from_values([bytes])),
        };
        let batch = Batch {
            schema: schema.clone(),
            rows: 1,
            columns: vec![column(metadata), column(value)],
        };
        writer.write(&batch).unwrap();
    }
    let (_, mut file) = writer.into_parts().unwrap();
    let limits = Limits::default();
    let tail = Tail::decode(&file, file.len() as u64, &limits).unwrap();
    let start = tail.footer.start as usize;
    let footer = Bytes::copy_from_slice(&file[start..tail.footer.end as usize]);
    let mut footer = FileMetaData::decode(&footer, &limits).unwrap();
    // both required columns become fields of a required group
    let group = SchemaElement {
        name: "v".into(),
        num_children: Some(2),
        repetition_type: Some(FieldRepetitionType::Required),
        logical_type: Some(Annotation::Variant(Some(1))),
        ..SchemaElement::default()
    };
    footer.schema[0].num_children = Some(1);
    footer.schema.insert(1, group);
    for chunk in footer
        .row_groups
        .iter_mut()
        .flat_map(|group| &mut group.columns)
    {
        let path = &mut chunk.meta_data.as_mut().unwrap().path_in_schema;
        *path = ["v"].into_iter().chain(path.iter()).collect();
    }
    let footer = footer.encode();
    file.truncate(start);
    file.extend_from_slice(&footer);
    file.extend_from_slice(&Tail::encode(footer.len() as u32));
    file
}

/// A variant that is a text of so many letters.
fn long_variant(length: usize) -> (Vec<u8>, Vec<u8>) {
    let header = [&[16 << 2][..], &(length as u32).to_le_bytes()].concat();
    (vec![1, 0, 0], [header, vec![b'a'; length]].concat())
}

#[test]
fn long_variants_are_read_few_at_a_time() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("variants.parquet");
    // variants of one length, and short ones before long ones
    let alike = vec![1 << 20; 300];
    let unlike = [vec![10; 30_000], vec![1 << 20; 90]].concat();
    for (codec, lengths) in [(Codec::Zstd, alike), (Codec::None, unlike)] {
        let rows = lengths.iter().map(|&length| long_variant(length));
        fs::write(&path, variants(codec, rows)).unwrap();
        let told = lith(&path, &["scan", "-f", "jsonl"]);
        assert_eq!((told.code, &*told.stderr), (Some(0), ""), "{codec}");
        let row = "{\"v\":\"\"}\n".len();
        let length: usize = lengths.iter().map(|length| row + length).sum();
        assert_eq!(told.length, length, "{codec}");
    }
}

/// Very many objects that share a name of a megabyte.
#[test]
fn variants_that_are_mostly_names_are_refused() {
    const NAME: u32 = 1_000_000;
    let metadata = |_| {
        let header = [0xc1, 1, 0, 0, 0, 0, 0, 0, 0];
        [&header[..], &NAME.to_le_bytes(), &vec![b'n'; NAME as usize]].concat()
    };
    let objects = 20_000u32;
    let offsets = (0..=objects).flat_map(|object| (object * 6).to_le_bytes());
    let header = [3 | 3 << 2 | 1 << 4]
        .into_iter()
        .chain(objects.to_le_bytes());
    let objects = [2, 1, 0, 0, 1, 0].repeat(objects as usize);
    let value: Vec<u8> = header.chain(offsets).chain(objects).collect();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("names.parquet");
    let rows = (0..3).map(|row| (metadata(row), value.clone()));
    fs::write(&path, variants(Codec::Zstd, rows)).unwrap();
    let told = lith(&path, &["scan", "-f", "jsonl"]);
    assert_eq!(told.code, Some(4), "{}", told.stderr);
    assert!(told.stderr.contains("--variant raw"), "{}", told.stderr);
    let told = lith(&path, &["scan", "-f", "jsonl", "--variant", "raw"]);
    assert_eq!((told.code, &*told.stderr), (Some(0), ""));
    assert!(told.length > 3 * NAME as usize, "{}", told.length);
}

#[test]
fn very_many_chunks_are_shown_one_by_one() {
    let (row_groups, columns) = (1_000, 40);
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("chunks.parquet");
    fs::write(&path, parquet(&[0; 7], row_groups, columns)).unwrap();
    for args in FORMS {
        let told = lith(&path, args);
        // none of the chunks has a page
        let code = if args[0] == "stats" { 0 } else { 4 };
        assert_eq!(told.code, Some(code), "{args:?}: {}", told.stderr);
        let all = row_groups * columns;
        assert!(told.length > all * 80 || args[0] == "pages", "{args:?}");
    }
}

#[test]
fn very_many_columns_are_held_in_few_forms() {
    let columns = 200_000;
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("wide.parquet");
    fs::write(&path, parquet(&empty_page(), 1, columns)).unwrap();
    for args in [
        &["count"][..],
        &["count", "-w", "`column 7` = 3"],
        &["explain"],
        &["explain", "-c", "`column 7`"],
        &["inspect"],
        &["inspect", "-f", "json"],
    ] {
        let told = lith(&path, args);
        let code = if args.contains(&"-w") { 4 } else { 0 };
        assert_eq!(told.code, Some(code), "{args:?}: {}", told.stderr);
        assert!(told.stderr.lines().count() <= 1, "{}", told.stderr);
    }
}

/// A compressed ORC file of no rows and one stripe, with these bytes for an index stream and the metadata section.
fn compressed_orc(kind: StreamKind, index: &[u8], metadata: &[u8]) -> Vec<u8> {
    let postscript = PostScript {
        compression: CompressionKind::Zlib,
        compression_block_size: 1 << 18,
        version: vec![0, 12],
        magic: orc::tail::MAGIC.to_string(),
        ..PostScript::default()
    };
    let compression = postscript.compression(&Limits::default()).unwrap();
    let mut file = orc::tail::MAGIC.as_bytes().to_vec();
    let mut add = |bytes: &[u8]| {
        let start = file.len() as u64;
        chunk::encode(bytes, compression, None, &mut file).unwrap();
        file.len() as u64 - start
    };
    let index_length = add(index);
    let stream = Stream {
        kind,
        column: 0,
        length: index_length,
    };
    let footer = StripeFooter {
        streams: vec![stream],
        columns: vec![ColumnEncoding::default()],
        ..StripeFooter::default()
    };
    let footer_length = add(&footer.encode());
    let stripe = StripeInformation {
        offset: 3,
        index_length,
        footer_length,
        ..StripeInformation::default()
    };
    let metadata_length = add(metadata);
    let root = orc::footer::Type {
        kind: TypeKind::Struct,
        ..orc::footer::Type::default()
    };
    let footer = Footer {
        header_length: 3,
        content_length: 3 + index_length + footer_length,
        stripes: vec![stripe],
        types: vec![root],
        number_of_rows: Some(0),
        ..Footer::default()
    };
    let footer_length = add(&footer.encode());
    let postscript = PostScript {
        metadata_length,
        footer_length,
        ..postscript
    };
    let postscript = postscript.encode();
    file.extend(&postscript);
    file.push(postscript.len() as u8);
    file
}

#[test]
fn orc_sections_that_decompress_to_much_are_shown_part_by_part() {
    let count = 2 << 20;
    // messages of nothing in field 1
    let empty = [10, 0].repeat(count);
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("expands.orc");
    for (kind, index, metadata) in [
        (StreamKind::RowIndex, &empty[..], &[][..]),
        (StreamKind::BloomFilterUtf8, &empty[..count / 2], &[]),
        (StreamKind::RowIndex, &[], &empty),
    ] {
        fs::write(&path, compressed_orc(kind, index, metadata)).unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 10_000);
        let told = lith(&path, &["meta", "-f", "json"]);
        assert_eq!((told.code, &*told.stderr), (Some(0), ""), "{kind}");
        assert!(told.length > index.len().max(metadata.len()), "{kind}");
        for command in ["inspect", "stats", "pages", "schema", "count", "explain"] {
            let told = lith(&path, &[command]);
            assert!(matches!(told.code, Some(0 | 4)), "{command} {kind}");
            let lines = usize::from(told.code != Some(0));
            assert_eq!(told.stderr.lines().count(), lines, "{}", told.stderr);
        }
    }
}

#[test]
fn long_texts_are_printed_in_pieces() {
    let length = 80 << 20;
    let footer = FileMetaData {
        schema: vec![SchemaElement {
            name: "root".into(),
            ..SchemaElement::default()
        }],
        created_by: Some("x".repeat(length)),
        ..FileMetaData::default()
    };
    let footer = footer.encode();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("text.parquet");
    let tail = Tail::encode(footer.len() as u32);
    fs::write(&path, [&MAGIC[..], &footer, &tail].concat()).unwrap();
    for args in [&["meta", "-f", "json"][..], &["meta"]] {
        let told = lith(&path, args);
        assert_eq!((told.code, &*told.stderr), (Some(0), ""), "{args:?}");
        assert!(told.length > length, "{args:?}");
    }
}

#[test]
fn very_many_stripes_are_shown_one_by_one() {
    let rows = 3_000;
    let schema = Schema::new(vec![Field::required("number", LogicalType::Int64)]);
    let options = WriteOptions {
        format: Format::Orc,
        row_group_rows: 1,
        ..WriteOptions::default()
    };
    let mut bytes = Vec::new();
    let mut writer = FileWriter::new(&mut bytes, &schema, options).unwrap();
    let column = Vector {
        ty: LogicalType::Int64,
        len: rows,
        validity: None,
        values: Values::I64((0..rows as i64).collect()),
    };
    let batch = Batch {
        schema: schema.into(),
        rows,
        columns: vec![column],
    };
    writer.write(&batch).unwrap();
    assert_eq!(writer.finish().unwrap().row_groups.len(), rows);
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("stripes.orc");
    fs::write(&path, bytes).unwrap();
    for args in FORMS {
        let told = lith(&path, args);
        assert_eq!((told.code, &*told.stderr), (Some(0), ""), "{args:?}");
        assert!(told.length > rows * 75, "{args:?}: {}", told.length);
    }
}

#[test]
fn very_many_errors_are_shown_one_by_one() {
    let (stripes, columns) = (600, 1_000);
    let leaf = orc::footer::Type {
        kind: TypeKind::Int,
        ..orc::footer::Type::default()
    };
    let root = orc::footer::Type {
        kind: TypeKind::Struct,
        subtypes: (1..=columns).collect(),
        field_names: (1..=columns).map(|column| column.to_string()).collect(),
        ..orc::footer::Type::default()
    };
    // their footers are empty
    let stripe = StripeInformation {
        offset: 3,
        ..StripeInformation::default()
    };
    let footer = Footer {
        header_length: 3,
        content_length: 3,
        stripes: vec![stripe; stripes],
        types: [root]
            .into_iter()
            .chain(vec![leaf; columns as usize])
            .collect(),
        ..Footer::default()
    };
    let postscript = PostScript {
        version: vec![0, 12],
        magic: orc::tail::MAGIC.to_string(),
        ..PostScript::default()
    };
    let tail = orc::tail::Tail::encode(&Metadata::default(), &footer, postscript).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("errors.orc");
    fs::write(&path, [orc::tail::MAGIC.as_bytes(), &tail].concat()).unwrap();
    for command in ["stats", "pages"] {
        let told = lith(&path, &[command, "-f", "json"]);
        assert_eq!(told.code, Some(4), "{command}: {}", told.stderr);
        assert!(
            told.stderr.contains("0 column encodings"),
            "{}",
            told.stderr
        );
        assert!(told.length > stripes * columns as usize * 80, "{command}");
    }
}

/// What must be refused is refused, in one line, by whoever looks at what is wrong with it: of the files that are
/// named here by their number, the metadata that a command shows is sound.
#[test]
fn what_must_be_refused_is_refused_in_one_line() {
    let Some(shared) = std::env::var_os("LITH_SHARED") else {
        eprintln!("LITH_SHARED is not set: the corpus is not read");
        return;
    };
    let corpus = Path::new(&shared).join("corpus");
    let manifest = fs::read(corpus.join("MANIFEST.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let refused = |command: &str, expectation: &str| {
        let entries = manifest["files"].as_array().unwrap().iter();
        let files = entries.filter(|entry| entry["expectation"] == expectation);
        let codes = files.map(|entry| {
            let file = entry["file"].as_str().unwrap();
            let told = lith(&corpus.join(file), &[command]);
            let place = format!("{command} {file}: {}", told.stderr);
            match told.code {
                Some(0) => assert_eq!(told.stderr, "", "{place}"),
                code => {
                    assert_eq!((code, told.stderr.lines().count()), (Some(4), 1), "{place}");
                    assert!(told.stderr.starts_with("lith: "), "{place}");
                }
            }
            usize::from(told.code != Some(0))
        });
        let codes: Vec<usize> = codes.collect();
        (codes.iter().sum::<usize>(), codes.len())
    };
    for (command, error, without_keys, no_crash) in [
        ("inspect", 60, 11, 55),
        ("meta", 59, 13, 55),
        ("schema", 57, 11, 48),
        ("stats", 60, 11, 55),
        ("pages", 60, 13, 64),
        ("scan", 64, 13, 81),
    ] {
        assert_eq!(refused(command, "error"), (error, 64), "{command}");
        let locked = refused(command, "error_without_keys");
        assert_eq!(locked, (without_keys, 13), "{command}");
        assert_eq!(refused(command, "no_crash"), (no_crash, 82), "{command}");
    }
}
