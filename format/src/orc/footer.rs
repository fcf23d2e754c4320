//! The footer: stripes, types, statistics of the file, application metadata; and the metadata
//! section with the statistics of each stripe.
//!
//! Decoding only splits the bytes into fields; [`Footer::validate`] checks these against each other and the
//! file. Column encryption is in [`encryption`](crate::orc::encryption).
// spec: ORCv1.md, "Footer"

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::orc::encoding::{
    CalendarKind, EdgeInterpolationAlgorithm, TypeKind, WriterImplementation,
};
use crate::orc::encryption::Encryption;
use crate::orc::proto::{Encoder, Field, FieldResult, Message};
use crate::orc::statistics::ColumnStatistics;
use crate::orc::stripe::StripeInformation;

/// A named text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StringPair {
    /// The name.
    pub key: String,
    /// The text.
    pub value: String,
}

impl Message for StringPair {
    const NAME: &'static str = "StringPair";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.key = field.string()?,
            2 => self.value = field.string()?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.bytes(1, Some(&self.key));
        out.bytes(2, Some(&self.value));
    }
}

/// A node of the schema; its place in the footer's list is the column id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Type {
    /// The type.
    pub kind: TypeKind,
    /// Column ids of the children.
    pub subtypes: Vec<u32>,
    /// Names of a struct's children.
    pub field_names: Vec<String>,
    /// Length of a char or varchar in characters.
    pub maximum_length: Option<u32>,
    /// Digits of a decimal; absent in files of Hive 0.11.
    pub precision: Option<u32>,
    /// Digits of a decimal after the point.
    pub scale: Option<u32>,
    /// Remarks of writers.
    pub attributes: Vec<StringPair>,
    /// Coordinate reference system of a geometry or geography.
    pub crs: Option<String>,
    /// Edges of a geography.
    pub algorithm: Option<EdgeInterpolationAlgorithm>,
}

impl Message for Type {
    const NAME: &'static str = "Type";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.kind = TypeKind::from_id(field.i32()?),
            2 => field.extend_u32(&mut self.subtypes)?,
            3 => field.push(&mut self.field_names, field.string()?)?,
            4 => self.maximum_length = Some(field.u32()?),
            5 => self.precision = Some(field.u32()?),
            6 => self.scale = Some(field.u32()?),
            7 => field.push_message(&mut self.attributes)?,
            8 => self.crs = Some(field.string()?),
            9 => self.algorithm = Some(EdgeInterpolationAlgorithm::from_id(field.i32()?)),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.i32(1, self.kind.id());
        out.packed(2, self.subtypes.iter().copied().map(u64::from));
        out.repeated_bytes(3, &self.field_names);
        out.u32(4, self.maximum_length);
        out.u32(5, self.precision);
        out.u32(6, self.scale);
        out.messages(7, &self.attributes);
        out.bytes(8, self.crs.as_deref());
        out.i32(9, self.algorithm.map(EdgeInterpolationAlgorithm::id));
    }
}

impl Type {
    /// The value of an attribute.
    pub fn attribute(&self, key: &str) -> Option<&str> {
        let mut pairs = self.attributes.iter();
        pairs
            .find(|pair| pair.key == key)
            .map(|pair| pair.value.as_str())
    }
}

/// A piece of application metadata.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserMetadataItem {
    /// The name.
    pub name: String,
    /// The bytes.
    pub value: Vec<u8>,
}

impl Message for UserMetadataItem {
    const NAME: &'static str = "UserMetadataItem";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.name = field.string()?,
            2 => self.value = field.byte_vec()?,
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.bytes(1, Some(&self.name));
        out.bytes(2, Some(&self.value));
    }
}

/// The statistics of one stripe.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StripeStatistics {
    /// One for each column id.
    pub col_stats: Vec<ColumnStatistics>,
}

impl Message for StripeStatistics {
    const NAME: &'static str = "StripeStatistics";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        if field.number == 1 {
            field.push_message(&mut self.col_stats)?;
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.messages(1, &self.col_stats);
    }
}

/// The metadata section.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Metadata {
    /// One for each stripe.
    pub stripe_stats: Vec<StripeStatistics>,
}

impl Message for Metadata {
    const NAME: &'static str = "Metadata";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        if field.number == 1 {
            let mut stripe: StripeStatistics = field.message()?;
            field.trim(&mut stripe.col_stats);
            field.push(&mut self.stripe_stats, stripe)?;
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.messages(1, &self.stripe_stats);
    }
}

/// The footer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Footer {
    /// Bytes before the first stripe.
    pub header_length: u64,
    /// Bytes of header and stripes.
    pub content_length: u64,
    /// Stripes, in file order.
    pub stripes: Vec<StripeInformation>,
    /// The schema, flat, in pre-order.
    pub types: Vec<Type>,
    /// Application metadata.
    pub metadata: Vec<UserMetadataItem>,
    /// Rows of the file; absent in some early files, whose stripes alone count them.
    pub number_of_rows: Option<u64>,
    /// Statistics of the file, one for each column id.
    pub statistics: Vec<ColumnStatistics>,
    /// Rows of a stride; 0 if there are no row indexes.
    pub row_index_stride: u32,
    /// The writing software.
    pub writer: WriterImplementation,
    /// Keys, masks and variants of encrypted columns.
    pub encryption: Option<Box<Encryption>>,
    /// The calendar of dates and timestamps.
    pub calendar: CalendarKind,
    /// The version of the writing software, in its own form.
    pub software_version: Option<String>,
}

impl Message for Footer {
    const NAME: &'static str = "Footer";

    fn decode_field(&mut self, field: Field<'_>) -> FieldResult<()> {
        match field.number {
            1 => self.header_length = field.u64()?,
            2 => self.content_length = field.u64()?,
            3 => field.push_message(&mut self.stripes)?,
            4 => field.push_message(&mut self.types)?,
            5 => field.push_message(&mut self.metadata)?,
            6 => self.number_of_rows = Some(field.u64()?),
            7 => field.push_message(&mut self.statistics)?,
            8 => self.row_index_stride = field.u32()?,
            9 => self.writer = WriterImplementation::from_id(field.i32()?),
            10 => field.merge_box(&mut self.encryption)?,
            11 => self.calendar = CalendarKind::from_id(field.i32()?),
            12 => self.software_version = Some(field.string()?),
            _ => {}
        }
        Ok(())
    }

    fn encode_fields(&self, out: &mut Encoder) {
        out.u64(1, self.header_length);
        out.u64(2, self.content_length);
        out.messages(3, &self.stripes);
        out.messages(4, &self.types);
        out.messages(5, &self.metadata);
        out.u64(6, self.number_of_rows);
        out.messages(7, &self.statistics);
        out.u32(8, self.row_index_stride);
        out.i32(9, self.writer.id());
        out.message(10, self.encryption.as_deref());
        if self.calendar != CalendarKind::Unstated {
            out.i32(11, self.calendar.id());
        }
        out.bytes(12, self.software_version.as_deref());
    }
}

impl Footer {
    /// Holds stripes against `body_end`, the first byte behind the last place a stripe may take,
    /// and against each other; and their rows against the file's.
    pub fn validate(&self, body_end: u64, limits: &Limits) -> Result<()> {
        Limits::check(self.types.len() as u64, limits.schema_nodes, "column count")?;
        self.check_texts(limits)?;
        let mut end = 0;
        let mut rows = 0u64;
        for (ordinal, stripe) in self.stripes.iter().enumerate() {
            let range = stripe.range();
            let corrupt = |message: &str| {
                let error = Error::corrupt(format!("stripe at {range:?} {message}"));
                Err(error
                    .at("StripeInformation", range.start)
                    .at_stripe(ordinal))
            };
            if range.end > body_end {
                return corrupt(&format!("ends behind the stripes at {body_end}"));
            }
            if range.start < end {
                return corrupt(&format!("overlaps its predecessor, which ends at {end}"));
            }
            end = range.end;
            rows = rows.saturating_add(stripe.number_of_rows);
        }
        match self.number_of_rows {
            Some(stated) if stated != rows => {
                let message = format!("{rows} rows in stripes, {stated} in the footer");
                Err(Error::corrupt(message).at("Footer", 0))
            }
            _ => Ok(()),
        }
    }

    /// Texts that say who and what are names; only values of application metadata may be as long as the
    /// footer.
    fn check_texts(&self, limits: &Limits) -> Result<()> {
        let version = self.software_version.iter();
        let version = version.map(|text| ("software version", text));
        let names = self.metadata.iter();
        let names = names.map(|item| ("name of application metadata", &item.name));
        for (what, text) in version.chain(names) {
            Limits::check(text.len() as u64, limits.name_bytes, what)
                .map_err(|error| error.within("Footer"))?;
        }
        Ok(())
    }

    /// Rows of the file: those of its stripes.
    pub fn rows(&self) -> u64 {
        let rows = self.stripes.iter().map(|stripe| stripe.number_of_rows);
        rows.fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::orc::testing::{footer, hostile, metadata};

    #[test]
    fn footers_and_metadata_round_trip() {
        let limits = Limits::default();
        let (bytes, section) = (footer().encode(), metadata().encode());
        assert_eq!(Footer::decode(&bytes, &limits).unwrap(), footer());
        assert_eq!(Metadata::decode(&section, &limits).unwrap(), metadata());
        hostile(&section, |bytes| {
            let decoded = Metadata::decode(bytes, &limits);
            assert!(decoded.is_err() || decoded.unwrap().stripe_stats.len() <= bytes.len());
        });
    }

    #[test]
    fn texts_are_limited_but_values_are_not() {
        let limits = Limits {
            name_bytes: 20,
            ..Limits::default()
        };
        let kind = |change: &dyn Fn(&mut Footer)| {
            let mut footer = footer();
            change(&mut footer);
            let found = footer.validate(203, &limits);
            found.map_err(|error| error.kind())
        };
        let exceeded = Err(ErrorKind::LimitExceeded);
        let version = |length| {
            move |footer: &mut Footer| {
                footer.software_version = Some("v".repeat(length));
            }
        };
        assert_eq!(kind(&version(20)), Ok(()));
        assert_eq!(kind(&version(21)), exceeded);
        assert_eq!(
            kind(&|footer| footer.metadata[0].value = vec![0; 99]),
            Ok(())
        );
        assert_eq!(
            kind(&|footer| footer.metadata[0].name = "n".repeat(21)),
            exceeded
        );
    }

    #[test]
    fn stripes_are_held_against_the_body_each_other_and_the_rows() {
        let limits = Limits::default();
        let kind = |footer: &Footer| footer.validate(203, &limits).unwrap_err().kind();
        let mut two = footer();
        two.stripes.push(StripeInformation {
            offset: 103,
            ..two.stripes[0].clone()
        });
        assert_eq!(
            kind(&two),
            ErrorKind::Corrupt,
            "20 rows in stripes, 10 stated"
        );
        two.number_of_rows = None;
        two.validate(203, &limits).unwrap();
        assert_eq!(two.rows(), 20);
        two.stripes[1].offset = 102;
        assert_eq!(kind(&two), ErrorKind::Corrupt, "overlap");
        two.stripes[1].offset = 104;
        assert_eq!(kind(&two), ErrorKind::Corrupt, "behind the body");
        two.stripes[1].data_length = u64::MAX;
        assert_eq!(kind(&two), ErrorKind::Corrupt, "overflow");
    }
}
