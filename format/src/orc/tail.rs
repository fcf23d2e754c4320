//! The end of a file: from the last byte back to the postscript, from there to the footer.
//!
//! ```text
//! .. | stripe statistics (encrypted) | metadata | footer | postscript | its length (1 byte)
//!      by the postscript's lengths, in compression chunks  plain
//! ```
// spec: ORCv1.md, "File Tail", "Postscript"

use std::borrow::Cow;
use std::ops::Range;

use crate::compress::Codec;
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::orc::budget::{Room, decompressed};
use crate::orc::chunk::{Compression, decode_all, encode};
use crate::orc::encoding::CompressionKind;
use crate::orc::footer::{Footer, Metadata, StripeStatistics};
use crate::orc::index::{BloomFilter, BloomFilterIndex, RowIndex, each_bloom_filter};
use crate::orc::proto::{Encoder, Field, FieldResult, Message, decode_within};
use crate::orc::stripe::StripeFooter;
use crate::orc::tree::{self, Shape};
use crate::step::Step;
use crate::tree::EventSink;

/// What a file begins with and its postscript ends with.
pub const MAGIC: &str = "ORC";

/// How many bytes to read from the end at first: enough for most files.
pub const FIRST_READ: u64 = 16 << 10;

/// The block size of compressed files that state none.
const DEFAULT_BLOCK_SIZE: u64 = 256 << 10;

/// The postscript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostScript {
    /// Bytes of the footer on disk.
    pub footer_length: u64,
    /// The general compression of the file.
    pub compression: CompressionKind,
    /// The largest size of a compression chunk, decompressed.
    pub compression_block_size: u64,
    /// Major and minor version of the format.
    pub version: Vec<u32>,
    /// Bytes of the metadata section on disk.
    pub metadata_length: u64,
    /// The version of the writer, which counts its bugs.
    pub writer_version: Option<u32>,
    /// Bytes of the encrypted stripe statistics.
    pub stripe_statistics_length: u64,
    /// "ORC"; empty in files of Hive 0.11.
    pub magic: String,
}

impl Message for PostScript {
    const NAME: &'static str = "PostScript";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.footer_length = field.u64()?,
            2 => self.compression = CompressionKind::from_id(field.i32()?),
            3 => self.compression_block_size = field.u64()?,
            4 => field.extend_u32(&mut self.version)?,
            5 => self.metadata_length = field.u64()?,
            6 => self.writer_version = Some(field.u32()?),
            7 => self.stripe_statistics_length = field.u64()?,
            8000 => self.magic = field.string()?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.u64(1, self.footer_length);
        out.i32(2, self.compression.id());
        out.u64(3, self.compression_block_size);
        out.packed(4, self.version.iter().copied().map(u64::from));
        out.u64(5, self.metadata_length);
        out.u32(6, self.writer_version);
        if self.stripe_statistics_length > 0 {
            out.u64(7, self.stripe_statistics_length);
        }
        out.bytes(8000, Some(&self.magic).filter(|magic| !magic.is_empty()));
    }
}

impl PostScript {
    /// Major and minor version of the format; files that state none are of Hive 0.11.
    pub fn format_version(&self) -> (u32, u32) {
        match self.version[..] {
            [] => (0, 11),
            [major] => (major, 0),
            [major, minor, ..] => (major, minor),
        }
    }

    /// Refuses what is not ORC.
    pub fn validate(&self) -> Result<()> {
        // files of Hive 0.11 had neither magic nor version in the postscript
        match self.magic != MAGIC && !(self.magic.is_empty() && self.version.is_empty()) {
            true => Err(not_orc()),
            false => Ok(()),
        }
    }

    /// Refuses a version of the format whose values may mean something else: only its metadata can be
    /// shown. The draft after 0.12 calls itself 1.9999 and was never released.
    pub fn validate_version(&self) -> Result<()> {
        match self.format_version() {
            (0, 0..=12) => Ok(()),
            (major, minor) => Err(Error::unsupported(format!(
                "format version {major}.{minor} is newer than 0.12"
            ))
            .within("PostScript")),
        }
    }

    /// How the file is compressed.
    pub fn compression(&self, limits: &Limits) -> Result<Compression> {
        let block_size = match self.compression_block_size {
            0 => DEFAULT_BLOCK_SIZE,
            size => size,
        };
        let codec = self.compression.codec()?;
        let block_size = match self.compression {
            CompressionKind::None => usize::MAX,
            _ => Limits::check(block_size, limits.page_bytes, "compression block")?,
        };
        Ok(Compression { codec, block_size })
    }
}

/// Everything that a file says at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Tail {
    /// Bytes of the file.
    pub file_length: u64,
    /// Bytes of the postscript.
    pub postscript_length: u64,
    /// The postscript.
    pub postscript: PostScript,
    /// The footer.
    pub footer: Footer,
    /// Statistics of the stripes; empty if the file has none.
    pub metadata: Metadata,
    /// How the file is compressed.
    pub compression: Compression,
}

impl Tail {
    /// Decodes the tail from the last bytes of a file. If they are too few, says which bytes of the
    /// file, all up to its end, it takes.
    pub fn decode(suffix: &[u8], file_length: u64, limits: &Limits) -> Result<Step<Tail>> {
        Self::decode_parts(suffix, file_length, limits, true)
    }

    /// The same without the metadata section, which is left as if the file had none.
    pub fn decode_footer(suffix: &[u8], file_length: u64, limits: &Limits) -> Result<Step<Tail>> {
        Self::decode_parts(suffix, file_length, limits, false)
    }

    fn decode_parts(
        suffix: &[u8],
        file_length: u64,
        limits: &Limits,
        with_metadata: bool,
    ) -> Result<Step<Tail>> {
        if file_length == 0 {
            return Err(Error::truncated("file is empty"));
        }
        let Some((&postscript_length, rest)) = suffix.split_last() else {
            return Ok(Step::Need(
                file_length.saturating_sub(FIRST_READ)..file_length,
            ));
        };
        let lengths = Sections::new(file_length, u64::from(postscript_length))?;
        let Some(bytes) = lengths.take(rest, &lengths.postscript) else {
            return Ok(Step::Need(lengths.postscript.start..file_length));
        };
        let postscript = decode_postscript(bytes, limits).map_err(|error| {
            error
                .rebase(lengths.postscript.start)
                .at("PostScript", lengths.postscript.start)
        })?;
        let lengths = lengths.with(&postscript, limits)?;
        let first = match with_metadata {
            true => &lengths.metadata,
            false => &lengths.footer,
        };
        let (Some(_), Some(footer)) = (
            lengths.take(rest, first),
            lengths.take(rest, &lengths.footer),
        ) else {
            return Ok(Step::Need(first.start..file_length));
        };
        let compression = postscript.compression(limits)?;
        let room = Room::of_tail(limits);
        let footer: Footer = decode_section(footer, lengths.footer.start, compression, &room)?;
        if postscript.magic.is_empty() {
            validate_header(&footer, suffix, file_length)?;
        }
        footer.validate(lengths.body_end, limits)?;
        let metadata = match lengths.take(rest, &lengths.metadata) {
            Some(bytes) if with_metadata => {
                decode_section(bytes, lengths.metadata.start, compression, &room)?
            }
            _ => Metadata::default(),
        };
        Ok(Step::Done(Tail {
            file_length,
            postscript_length: u64::from(postscript_length),
            postscript,
            footer,
            metadata,
            compression,
        }))
    }

    /// Encodes a tail: metadata, footer, postscript and its length. The lengths in `postscript` are
    /// filled in.
    pub fn encode(
        metadata: &Metadata,
        footer: &Footer,
        mut postscript: PostScript,
    ) -> Result<Vec<u8>> {
        let compression = postscript.compression(&Limits::default())?;
        let mut out = Vec::new();
        encode(&metadata.encode(), compression, None, &mut out)?;
        postscript.metadata_length = out.len() as u64;
        encode(&footer.encode(), compression, None, &mut out)?;
        postscript.footer_length = out.len() as u64 - postscript.metadata_length;
        let postscript = postscript.encode();
        let Ok(length) = u8::try_from(postscript.len()) else {
            return Err(Error::invalid("postscript of more than 255 bytes"));
        };
        out.extend_from_slice(&postscript);
        out.push(length);
        Ok(out)
    }

    /// Bytes of the tail, from the metadata section on.
    pub fn tail_length(&self) -> u64 {
        let lengths = [
            self.postscript.footer_length,
            self.postscript.metadata_length,
        ];
        lengths
            .into_iter()
            .fold(self.postscript_length + 1, u64::saturating_add)
    }

    /// The postscript's bytes in the file; they are not compressed.
    pub fn postscript_range(&self) -> Range<u64> {
        let end = self.file_length.saturating_sub(1);
        end.saturating_sub(self.postscript_length)..end
    }

    /// The footer's bytes in the file.
    pub fn footer_range(&self) -> Range<u64> {
        let end = self.postscript_range().start;
        end.saturating_sub(self.postscript.footer_length)..end
    }

    /// The bytes of the metadata section in the file.
    pub fn metadata_range(&self) -> Range<u64> {
        let end = self.footer_range().start;
        end.saturating_sub(self.postscript.metadata_length)..end
    }

    /// Passes the parts of a structure of this shape to `to`. It lies in compression chunks: the bytes of the
    /// file from an offset on.
    pub fn emit(
        &self,
        (bytes, offset): (&[u8], u64),
        shape: &'static Shape,
        limits: &Limits,
        to: &mut EventSink<'_>,
    ) -> Result<()> {
        let compression = self.compression;
        let section = decompress_section(bytes, (shape.name(), offset), compression, limits)?;
        tree::emit((&section, bytes.len()), shape, limits, to)
            .map_err(|error| in_section(error, shape.name(), offset, compression))
    }

    /// Decodes the footer of stripe `ordinal` from its bytes, and checks it.
    pub fn stripe_footer(
        &self,
        ordinal: usize,
        bytes: &[u8],
        limits: &Limits,
    ) -> Result<StripeFooter> {
        let Some(stripe) = self.footer.stripes.get(ordinal) else {
            return Err(Error::invalid(format!("there is no stripe {ordinal}")));
        };
        let offset = stripe.footer_range().start;
        decode_section(bytes, offset, self.compression, &Room::new(limits))
            .and_then(|footer: StripeFooter| {
                footer.validate(stripe, self.footer.types.len())?;
                let zone = footer.writer_timezone.as_ref().map_or(0, String::len);
                Limits::check(zone as u64, limits.name_bytes, "time zone")?;
                Ok(footer)
            })
            .map_err(|error| error.at_stripe(ordinal))
    }

    /// Decodes statistics of encrypted columns from their bytes, decrypted: of all columns of a variant, or of all
    /// stripes. They have the layout of a stripe's.
    pub(super) fn statistics(&self, bytes: &[u8], limits: &Limits) -> Result<StripeStatistics> {
        let section = decompress_section(bytes, ("FileStatistics", 0), self.compression, limits);
        let (section, room) = (section?, Room::new(limits));
        decode_within(&section, &room.budget(&section, bytes.len()))
    }

    /// Decodes a row index from the bytes of its stream, which lies at `offset`.
    pub fn row_index(&self, bytes: &[u8], offset: u64, limits: &Limits) -> Result<RowIndex> {
        decode_section(bytes, offset, self.compression, &Room::new(limits))
    }

    /// Decodes the Bloom filters from the bytes of their stream, which lies at `offset`.
    pub fn bloom_filters(
        &self,
        bytes: &[u8],
        offset: u64,
        limits: &Limits,
    ) -> Result<BloomFilterIndex> {
        decode_section(bytes, offset, self.compression, &Room::new(limits))
    }

    /// Passes the Bloom filters in the bytes of their stream, which lies at `offset`, to `accept` one by one.
    pub fn each_bloom_filter(
        &self,
        bytes: &[u8],
        offset: u64,
        limits: &Limits,
        accept: &mut dyn FnMut(BloomFilter) -> Result<()>,
    ) -> Result<()> {
        let (name, compression) = (BloomFilterIndex::NAME, self.compression);
        let section = decompress_section(bytes, (name, offset), compression, limits)?;
        each_bloom_filter(&section, limits, accept)
            .map_err(|error| in_section(error, name, offset, compression))
    }
}

/// Decodes a message that lies in compression chunks at `offset` in the file.
fn decode_section<M: Message>(
    bytes: &[u8],
    offset: u64,
    compression: Compression,
    room: &Room<'_>,
) -> Result<M> {
    let section = decompress_section(bytes, (M::NAME, offset), compression, room.limits)?;
    let budget = room.budget(&section, bytes.len());
    let message = decode_within(&section, &budget)
        .map_err(|error| in_section(error, M::NAME, offset, compression))?;
    room.spend(&budget);
    Ok(message)
}

/// The place in the file of an error in the section at `offset`. Offsets within what was decompressed are no
/// places in the file: the error names the section alone.
#[cold]
fn in_section(error: Error, name: &'static str, offset: u64, compression: Compression) -> Error {
    match compression.codec {
        // of whoever was passed a part
        _ if error.kind() == ErrorKind::Io => error,
        Codec::None => error.rebase(offset).at(name, offset),
        _ => error.without_offset().at(name, offset),
    }
}

fn decompress_section<'a>(
    bytes: &'a [u8],
    (name, offset): (&'static str, u64),
    compression: Compression,
    limits: &Limits,
) -> Result<Cow<'a, [u8]>> {
    decode_all(bytes, compression, decompressed(bytes.len(), limits))
        .map_err(|error| error.rebase(offset).at(name, offset))
}

fn decode_postscript(bytes: &[u8], limits: &Limits) -> Result<PostScript> {
    let decoded = PostScript::decode(bytes, limits);
    let postscript = match decoded {
        Err(_) if !bytes.ends_with(MAGIC.as_bytes()) => return Err(not_orc()),
        decoded => decoded?,
    };
    postscript.validate()?;
    Ok(postscript)
}

/// Whether a file whose postscript has no magic is an ORC file nevertheless: its footer states the
/// magic's header and holds a schema, and the file starts with it, as far as that can be seen.
fn validate_header(footer: &Footer, suffix: &[u8], file_length: u64) -> Result<()> {
    let seen = suffix.len() as u64 == file_length;
    let contradicted = seen && !suffix.starts_with(MAGIC.as_bytes());
    let stated = footer.header_length == MAGIC.len() as u64 && !footer.types.is_empty();
    match stated && !contradicted {
        true => Ok(()),
        false => Err(not_orc()),
    }
}

#[cold]
fn not_orc() -> Error {
    Error::corrupt("not an orc file: no magic in the postscript")
}

/// Where the sections of a tail lie in the file.
#[derive(Debug)]
struct Sections {
    body_end: u64,
    metadata: Range<u64>,
    footer: Range<u64>,
    postscript: Range<u64>,
}

impl Sections {
    /// Of a file of which only the length of the postscript is known.
    fn new(file_length: u64, postscript_length: u64) -> Result<Self> {
        let end = file_length - 1;
        if postscript_length == 0 {
            return Err(Error::corrupt("postscript of no bytes").at("PostScript", end));
        }
        match end.checked_sub(postscript_length) {
            Some(start) => Ok(Sections {
                body_end: start,
                metadata: start..start,
                footer: start..start,
                postscript: start..end,
            }),
            None => Err(Error::truncated(format!(
                "postscript of {postscript_length} bytes in a file of {file_length}"
            ))
            .at("PostScript", end)),
        }
    }

    /// The same, when the postscript is known.
    fn with(self, postscript: &PostScript, limits: &Limits) -> Result<Self> {
        let before = |end: u64, length: u64, what| match end.checked_sub(length) {
            Some(start) => Ok(start..end),
            None => Err(
                Error::truncated(format!("{what} of {length} bytes, {end} are there"))
                    .at("PostScript", self.postscript.start),
            ),
        };
        let footer = before(self.postscript.start, postscript.footer_length, "footer")?;
        let metadata = before(footer.start, postscript.metadata_length, "metadata")?;
        let encrypted = postscript.stripe_statistics_length;
        let statistics = before(metadata.start, encrypted, "stripe statistics")?;
        Limits::check(postscript.footer_length, limits.footer_bytes, "footer")?;
        Limits::check(postscript.metadata_length, limits.footer_bytes, "metadata")?;
        Ok(Sections {
            body_end: statistics.start,
            metadata,
            footer,
            ..self
        })
    }

    /// A section out of `rest`, which ends where the postscript does.
    fn take<'a>(&self, rest: &'a [u8], section: &Range<u64>) -> Option<&'a [u8]> {
        let from_end = |offset: u64| {
            let distance = usize::try_from(self.postscript.end - offset).ok()?;
            rest.len().checked_sub(distance)
        };
        rest.get(from_end(section.start)?..from_end(section.end)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orc::testing::{footer, hostile, metadata, postscript};
    use crate::tree::{Builder, Event, Node};

    const KINDS: [CompressionKind; 3] = [
        CompressionKind::None,
        CompressionKind::Zlib,
        CompressionKind::Zstd,
    ];

    /// A file with zeros for stripes.
    fn file(compression: CompressionKind) -> Vec<u8> {
        let mut file = MAGIC.as_bytes().to_vec();
        file.resize(103, 0);
        file.extend(Tail::encode(&metadata(), &footer(), postscript(compression)).unwrap());
        file
    }

    fn decode(suffix: &[u8], file_length: usize) -> Result<Step<Tail>> {
        Tail::decode(suffix, file_length as u64, &Limits::default())
    }

    #[test]
    fn tails_round_trip_and_ask_for_the_bytes_they_need() {
        for kind in KINDS {
            let file = file(kind);
            let mut suffix: &[u8] = &[];
            let mut asked = Vec::new();
            let tail = loop {
                match decode(suffix, file.len()).unwrap() {
                    Step::Done(tail) => break tail,
                    Step::Need(range) => {
                        assert_eq!(range.end, file.len() as u64);
                        suffix = &file[range.start as usize..];
                        asked.push(range);
                        // less than was asked for: the postscript's length alone
                        if asked.len() == 1 {
                            suffix = &file[file.len() - 1..];
                        }
                    }
                }
            };
            assert_eq!(asked[0], 0..file.len() as u64);
            assert_eq!(tail.metadata_range().start, 103);
            assert_eq!(tail.postscript_range().end + 1, file.len() as u64);
            let range = tail.footer_range();
            let bytes = &file[range.start as usize..range.end as usize];
            let shape = &tree::FOOTER;
            let mut builder = Builder::new(1 << 20);
            let add = &mut |event: Event<'_>| builder.add(event);
            let section = (bytes, range.start);
            tail.emit(section, shape, &Limits::default(), add).unwrap();
            let node = builder.finish();
            assert_eq!(node.get("number_of_rows"), Some(&Node::UInt(10)));
            assert_eq!(asked[2], 103..file.len() as u64);
            assert_eq!((&tail.footer, &tail.metadata), (&footer(), &metadata()));
            assert_eq!(tail.tail_length(), file.len() as u64 - 103);
            let suffix = &file[tail.footer_range().start as usize..];
            let bare = Tail::decode_footer(suffix, file.len() as u64, &Limits::default());
            let bare = bare.unwrap();
            assert_eq!(decode(&file, file.len()).unwrap(), Step::Done(tail.clone()));
            let metadata = Metadata::default();
            assert_eq!(bare, Step::Done(Tail { metadata, ..tail }));
        }
    }

    #[test]
    fn errors_in_a_section_name_a_place_in_the_file() {
        for (kind, place) in [(CompressionKind::None, 1002), (CompressionKind::Zlib, 1000)] {
            let file = file(kind);
            let Step::Done(tail) = decode(&file, file.len()).unwrap() else {
                panic!("the file is whole");
            };
            let mut stream = Vec::new();
            // an empty entry, and one that ends too early
            encode(&[10, 0, 10, 9], tail.compression, None, &mut stream).unwrap();
            let limits = Limits::default();
            let error = tail.row_index(&stream, 1000, &limits).unwrap_err();
            assert_eq!(error.site().structure, Some("RowIndex"));
            assert_eq!(error.site().offset, Some(place));
            let section = (&stream[..], 1000);
            let error = tail.emit(section, &tree::ROW_INDEX, &limits, &mut |_| Ok(()));
            assert_eq!(error.unwrap_err().site().offset, Some(place));
        }
    }

    #[test]
    fn what_is_no_orc_file_is_refused() {
        let kind = |bytes: &[u8]| decode(bytes, bytes.len()).unwrap_err().kind();
        assert_eq!(kind(b""), ErrorKind::Truncated);
        assert_eq!(kind(b"\0"), ErrorKind::Corrupt);
        assert_eq!(kind(b"O"), ErrorKind::Truncated);
        assert_eq!(kind(b"ORC"), ErrorKind::Truncated);
        assert_eq!(kind(b"ORC\x03"), ErrorKind::Corrupt);
        assert_eq!(kind(b"PAR1 or whatever else \x05"), ErrorKind::Corrupt);
        let mut headless = file(CompressionKind::None);
        headless.drain(..30);
        assert_eq!(kind(&headless), ErrorKind::Corrupt);
        let long = [vec![0; 250], vec![255]].concat();
        assert_eq!(kind(&long), ErrorKind::Truncated);
    }

    #[test]
    fn files_of_hive_0_11_have_the_magic_at_their_start_alone() {
        let bare = PostScript {
            magic: String::new(),
            version: Vec::new(),
            ..postscript(CompressionKind::Zlib)
        };
        let tail = Tail::encode(&metadata(), &footer(), bare.clone()).unwrap();
        let with = |start: &[u8]| [start, &[0; 100], &tail].concat();
        for (bytes, accepted) in [(with(b"ORC"), true), (with(b"CRO"), false)] {
            assert_eq!(decode(&bytes, bytes.len()).is_ok(), accepted);
            assert!(decode(&bytes[50..], bytes.len()).is_ok());
        }
        let headless = Footer {
            header_length: 0,
            ..footer()
        };
        let tail = Tail::encode(&metadata(), &headless, bare).unwrap();
        let bytes = [&[0; 103][..], &tail].concat();
        let error = decode(&bytes, bytes.len()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn versions_of_the_future_are_reported() {
        let with = |version: &[u32]| PostScript {
            version: version.to_vec(),
            ..postscript(CompressionKind::None)
        };
        for known in [&[][..], &[0, 11], &[0, 12]] {
            assert!(with(known).validate_version().is_ok());
        }
        for unknown in [&[0, 13][..], &[1, 9999], &[19, 99], &[2]] {
            let postscript = with(unknown);
            assert!(postscript.validate().is_ok());
            let error = postscript.validate_version().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported);
        }
    }

    #[test]
    fn sections_that_do_not_fit_the_file_are_errors() {
        let mut impossible = postscript(CompressionKind::None);
        impossible.footer_length = u64::MAX;
        let mut bytes = impossible.encode();
        bytes.push(bytes.len() as u8);
        assert_eq!(
            decode(&bytes, bytes.len()).unwrap_err().kind(),
            ErrorKind::Truncated
        );
        // checked against the limits before anything is read
        assert_eq!(
            decode(&bytes, usize::MAX).unwrap_err().kind(),
            ErrorKind::Truncated
        );
        impossible.footer_length = 1 << 40;
        let mut bytes = impossible.encode();
        bytes.push(bytes.len() as u8);
        assert_eq!(
            decode(&bytes, usize::MAX).unwrap_err().kind(),
            ErrorKind::LimitExceeded
        );
    }

    #[test]
    fn no_truncation_or_flip_panics_or_puts_a_stripe_outside() {
        for kind in KINDS {
            let file = file(kind);
            hostile(&file[103..], |tail| {
                let bytes = [&file[..103], tail].concat();
                if let Ok(Step::Done(tail)) = decode(&bytes, bytes.len()) {
                    let end = tail.file_length - tail.tail_length();
                    assert!(
                        tail.footer
                            .stripes
                            .iter()
                            .all(|stripe| stripe.range().end <= end)
                    );
                }
            });
        }
    }
}
