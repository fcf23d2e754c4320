//! Streams at offsets beyond four gigabytes, and Bloom filters that cannot be decoded.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use lith_format::error::Result;
use lith_format::filter::CompareOp;
use lith_format::schema::LeafId;
use lith_reader::File;
use lith_reader::source::Source;

use super::*;

/// Bytes with a hole after the magic, of which little may be read.
struct Sparse {
    bytes: Vec<u8>,
    hole: u64,
}

impl Source for Sparse {
    fn size(&self) -> u64 {
        self.bytes.len() as u64 + self.hole
    }

    fn read_at(&self, offset: u64, len: usize) -> Result<Bytes> {
        assert!(len < 1 << 20, "{len} bytes at {offset}");
        let start = MAGIC.len() as u64;
        let byte = |at: u64| match at {
            at if at < start => self.bytes[at as usize],
            at if at < start + self.hole => 0,
            at => self.bytes[(at - self.hole) as usize],
        };
        Ok((offset..offset + len as u64).map(byte).collect())
    }

    fn name(&self) -> &Path {
        Path::new("sparse")
    }
}

#[test]
fn stripes_and_their_streams_may_be_longer_than_four_gigabytes() {
    for hole in [(1 << 31) - 20, (1 << 32) - 20, 5 << 32] {
        let mut first = stripe(2, vec![(1, Data, signed(&[7, 8]))]);
        first.hole = hole;
        let second = stripe(1, vec![(1, Data, signed(&[9]))]);
        let bytes = file(flat(TypeKind::Long), vec![first, second]);
        let source = Arc::new(Sparse { bytes, hole });
        let file = File::from_source(source, Limits::default()).unwrap();
        let scan = file.scan().build().unwrap();
        let expected = ["{\"c\":7}", "{\"c\":8}", "{\"c\":9}"];
        assert_eq!(rows(scan).unwrap(), expected, "{hole}");
    }
}

#[test]
fn filters_of_either_kind_do_not_stand_in_the_way() {
    let texts = [(1, Length, lengths(&[1, 1])), (1, Data, b"ab".to_vec())];
    for kinds in [
        &[StreamKind::BloomFilterUtf8][..],
        &[StreamKind::BloomFilter],
        &[StreamKind::BloomFilter, StreamKind::BloomFilterUtf8],
    ] {
        let filters = kinds.iter().map(|&kind| (1, kind, vec![0xff; 9]));
        let streams = filters.chain(texts.clone()).collect();
        let bytes = file(flat(TypeKind::String), vec![stripe(2, streams)]);
        check_every_choice(&bytes, &["\"a\"", "\"b\""]);
        let equals = Filter::Compare {
            leaf: LeafId(0),
            op: CompareOp::Eq,
            value: Scalar::string("b"),
        };
        let is_b = |value: &Scalar| *value == Scalar::string("b");
        assert_eq!(passing(&open(bytes).unwrap(), equals, 0, is_b).len(), 1);
    }
}
