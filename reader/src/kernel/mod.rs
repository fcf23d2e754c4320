//! The inner loops, over plain slices. They know no file format, and no byte of a file makes them fail: callers
//! have checked the lengths, so a wrong one is a bug and panics.

pub mod bits;
pub mod compact;
pub mod gather;
pub mod join;
pub mod levels;
pub mod spread;
pub mod unpack;
pub mod unpack_be;

use lith_format::bitmap::Bitmap;
use lith_format::vector::Values;

/// What can be done to the slots of a vector whatever their layout.
trait SlotOp {
    fn fixed<T: Copy + Default>(&self, slots: &mut Vec<T>);
    fn bits(&self, slots: &mut Bitmap);
}

/// Applies `op` to flat or dictionary-encoded slots; answers whether there are such.
fn apply(values: &mut Values, op: &impl SlotOp) -> bool {
    match values {
        Values::Boolean(slots) => op.bits(slots),
        Values::I32(slots) => op.fixed(slots),
        Values::I64(slots) => op.fixed(slots),
        Values::U32(slots) => op.fixed(slots),
        Values::U64(slots) => op.fixed(slots),
        Values::I128(slots) => op.fixed(slots),
        Values::I256(slots) => op.fixed(slots),
        Values::F32(slots) => op.fixed(slots),
        Values::F64(slots) => op.fixed(slots),
        Values::Bytes(slots) => op.fixed(&mut slots.views),
        Values::Dictionary { codes, .. } => op.fixed(codes),
        _ => return false,
    }
    true
}
