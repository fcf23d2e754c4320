//! Application metadata: pairs that files and column chunks carry along.
// spec: parquet.thrift, KeyValue

use bytes::Bytes;

use crate::error::Result;
use crate::parquet::thrift::{Fields, Reader, Structure, Wire, Writer};

/// A pair of application metadata.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyValue {
    /// Key; what of it is not UTF-8 is replaced by U+FFFD.
    pub key: String,
    /// Value: text by the specification, any bytes in practice.
    pub value: Option<Bytes>,
}

impl Structure for KeyValue {
    fn decode_from(reader: &mut Reader<'_>) -> Result<Self> {
        let mut pair = KeyValue::default();
        let mut fields = Fields::new("KeyValue");
        while let Some((id, wire)) = fields.next(reader)? {
            match (id, wire) {
                (1, Wire::Binary) => pair.key = reader.lossy_string()?,
                (2, Wire::Binary) => pair.value = Some(reader.binary()?),
                _ => fields.skip(reader, wire)?,
            }
        }
        fields.require(reader, &[1])?;
        Ok(pair)
    }

    fn encode_to(&self, writer: &mut Writer<'_>) {
        writer.string(1, self.key.as_str());
        writer.binary(2, self.value.as_deref());
    }
}
