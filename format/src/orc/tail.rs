//! The end of a file: from the last byte back to the postscript, from there to the footer.
//!
//! ```text
//! .. | stripe statistics (encrypted) | metadata | footer | postscript | its length (1 byte)
//!      by the postscript's lengths, in compression chunks  plain
//! ```
//! spec: ORCv1.md, "File Tail", "Postscript"

use crate::error::{Error, Result};
use crate::orc::encoding::CompressionKind;
use crate::orc::proto::{Encoder, Field, Message};

/// What a file begins with and its postscript ends with.
pub const MAGIC: &str = "ORC";

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
    /// "ORC".
    pub magic: String,
}

impl Message for PostScript {
    const NAME: &'static str = "PostScript";

    fn decode_field(&mut self, field: Field<'_>) -> Result<()> {
        match field.number {
            1 => self.footer_length = field.u64()?,
            2 => self.compression = field.id()?,
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
        out.id(2, Some(self.compression));
        out.u64(3, self.compression_block_size);
        out.packed(4, self.version.iter().copied().map(u64::from));
        out.u64(5, self.metadata_length);
        out.u32(6, self.writer_version);
        if self.stripe_statistics_length > 0 {
            out.u64(7, self.stripe_statistics_length);
        }
        out.bytes(8000, Some(&self.magic));
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

    /// Refuses what is not ORC, or of a version this code does not know.
    pub fn check(&self) -> Result<()> {
        if self.magic != MAGIC {
            return Err(Error::corrupt(
                "not an orc file: no magic in the postscript",
            ));
        }
        match self.format_version() {
            (0, 0..=12) => Ok(()),
            (major, minor) => Err(Error::unsupported(format!(
                "format version {major}.{minor} is newer than 0.12"
            ))),
        }
    }
}
