//! ORC's structures: what decodes also encodes, to the same; and what is made of it holds.

use std::fmt::Debug;

use lith_format::orc::bloom::Probe;
use lith_format::orc::footer::{Footer, Metadata};
use lith_format::orc::index::{BloomFilterIndex, RowIndex};
use lith_format::orc::neutral;
use lith_format::orc::notation;
use lith_format::orc::proto::Message;
use lith_format::orc::schema::{Dialect, FileSchema};
use lith_format::orc::stripe::{StripeFooter, StripeInformation};
use lith_format::orc::tail::{PostScript, Tail};
use lith_format::orc::tree;
use lith_format::scalar::Scalar;
use lith_format::step::Step;
use lith_format::types::LogicalType;

use super::{comes_back, limits};

/// Room for stripes before the tail.
const BODY: u64 = 1 << 40;

/// A stripe of which footers speak.
const STRIPE: StripeInformation = StripeInformation {
    offset: 3,
    index_length: 1 << 20,
    data_length: 1 << 20,
    footer_length: 1 << 10,
    number_of_rows: 100_000,
    encrypt_stripe_id: None,
    encrypted_local_keys: Vec::new(),
};

fn message<M: Message + PartialEq + Debug>(data: &[u8]) -> Option<M> {
    let message = M::decode(data, &limits()).ok()?;
    again(&message);
    Some(message)
}

fn again<M: Message + PartialEq + Debug>(message: &M) {
    let back = M::decode(&message.encode(), &limits());
    comes_back(message, &back.expect("what was decoded can be encoded"));
}

pub fn tail(data: &[u8]) {
    let limits = limits();
    let length = BODY + data.len() as u64;
    let tail = match Tail::decode(data, length, &limits) {
        Ok(Step::Done(tail)) => tail,
        Ok(Step::Need(range)) => {
            assert!(range.end == length && range.start < BODY || data.is_empty());
            return;
        }
        Err(_) => return,
    };
    again::<Footer>(&tail.footer);
    again::<Metadata>(&tail.metadata);
    again::<PostScript>(&tail.postscript);
    for dialect in [Dialect::Orc, Dialect::Spark] {
        let Ok(schema) = FileSchema::decode(&tail.footer, dialect, &limits) else {
            return;
        };
        assert_eq!(schema.leaves.len(), schema.schema.leaves().len());
        notation::notation(&tail.footer.types);
        if let Ok(meta) = neutral::file_meta(&tail, &schema, &limits) {
            assert_eq!(meta.row_groups.len(), tail.footer.stripes.len());
        }
    }
}

pub fn stripe_footer(data: &[u8]) {
    let Some(footer) = message::<StripeFooter>(data) else {
        return;
    };
    if footer.validate(&STRIPE, footer.columns.len()).is_ok() {
        for (_, range) in footer.stream_ranges(&STRIPE) {
            assert!(range.start <= range.end && range.end <= STRIPE.footer_range().start);
        }
    }
}

pub fn row_index(data: &[u8]) {
    let Some(index) = message::<RowIndex>(data) else {
        return;
    };
    let (rows, stride) = (STRIPE.number_of_rows, 10_000);
    if index.validate(rows, stride).is_ok() {
        assert_eq!(index.entry.len() as u64, rows.div_ceil(u64::from(stride)));
    }
}

pub fn bloom_filter(data: &[u8]) {
    let Some(index) = message::<BloomFilterIndex>(data) else {
        return;
    };
    let text = Scalar::String("text".into());
    let probes = [
        Probe::new(&Scalar::Int(7), &LogicalType::Int64),
        Probe::new(&Scalar::Float64(0.0), &LogicalType::Float64),
        Probe::new(&text, &LogicalType::String),
    ];
    for filter in &index.bloom_filter {
        for probe in probes.iter().flatten() {
            probe.may_be_in(filter);
        }
    }
}

/// The first byte says what the others are.
pub fn tree(data: &[u8]) {
    let Some((&kind, data)) = data.split_first() else {
        return;
    };
    let shape = match kind % 5 {
        0 => &tree::POST_SCRIPT,
        1 => &tree::FOOTER,
        2 => &tree::METADATA,
        3 => &tree::STRIPE_FOOTER,
        _ => &tree::ROW_INDEX,
    };
    if let Ok(node) = tree::decode(data, shape, &limits()) {
        assert!(!format!("{node:?}").is_empty());
    }
}
