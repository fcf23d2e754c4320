//! The instruction sets that inner loops are compiled for, and which of them the process uses: the best that
//! the processor has, unless another is selected. Results do not depend on it, only speed does.
//!
//! ```text
//! scalar   what the target has at least
//! avx2     AVX2, BMI1 and BMI2 of x86-64
//! ```
//!
//! There is none for AVX-512: the bodies of today are slower when compiled for it than scalar ones.

use std::sync::atomic::{AtomicU8, Ordering};

/// An instruction set that the processor has: no other value of this type exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isa(Level);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Scalar,
    Avx2,
}

const LEVELS: [Level; Isa::COUNT] = [Level::Scalar, Level::Avx2];

/// The index of the selected one, plus one; 0 before any is.
static SELECTED: AtomicU8 = AtomicU8::new(0);

impl Isa {
    /// How many there are on some processor.
    pub(crate) const COUNT: usize = 2;

    /// Those of this processor, the best last.
    pub fn available() -> impl DoubleEndedIterator<Item = Isa> {
        LEVELS
            .into_iter()
            .filter(|level| level.is_available())
            .map(Isa)
    }

    /// The one in use.
    #[inline]
    pub fn selected() -> Isa {
        match usize::from(SELECTED.load(Ordering::Relaxed)).checked_sub(1) {
            // what was stored was the index of one that is available
            Some(index) => Isa(LEVELS[index]),
            None => Isa::detect(),
        }
    }

    #[cold]
    fn detect() -> Isa {
        let best = Isa::available().next_back();
        let best = best.unwrap_or(Isa(Level::Scalar));
        best.select();
        best
    }

    /// Makes the whole process use it from now on: for tests and measurements.
    pub fn select(self) {
        SELECTED.store(self.index() as u8 + 1, Ordering::Relaxed);
    }

    /// Its place in tables of bodies, below [`Isa::COUNT`].
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// Its name, in lower case.
    pub fn name(self) -> &'static str {
        match self.0 {
            Level::Scalar => "scalar",
            Level::Avx2 => "avx2",
        }
    }
}

impl Level {
    #[cfg(target_arch = "x86_64")]
    fn is_available(&self) -> bool {
        match self {
            Level::Scalar => true,
            Level::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
            }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_available(&self) -> bool {
        matches!(self, Level::Scalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_selected_is_available() {
        assert_eq!(Isa::available().next(), Some(Isa(Level::Scalar)));
        assert!(Isa::available().any(|isa| isa == Isa::selected()));
        for isa in Isa::available() {
            isa.select();
            assert!(isa.index() < Isa::COUNT && !isa.name().is_empty());
        }
    }
}
