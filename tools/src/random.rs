//! Random samples of rows without replacement: row numbers below a known total (Floyd's algorithm), or rows of a
//! stream of batches (reservoir sampling). Every set of rows is equally likely.
//!
//! The first rows fill the reservoir; a row after `n` others then replaces a random one with the probability
//! of size / (n + 1).

use std::collections::BTreeSet;

use lith_format::error::Result;
use lith_format::vector::{Batch, Vector};

use crate::facts::mix;

/// A pseudo-random number generator (SplitMix64).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The generator with this seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        let random = mix(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        random
    }

    /// A uniform number from 0 to `most`, by multiplication and rejection.
    pub fn up_to(&mut self, most: u64) -> u64 {
        let Some(count) = most.checked_add(1) else {
            return self.next();
        };
        let unfair = count.wrapping_neg() % count;
        loop {
            let product = u128::from(self.next()) * u128::from(count);
            if product as u64 >= unfair {
                return (product >> 64) as u64;
            }
        }
    }
}

/// `wanted` different numbers below `total`, or all if there are fewer, by Floyd's algorithm: for each of the
/// last `wanted` numbers in turn any number up to it, or itself if that one was picked before.
pub fn distinct(total: u64, wanted: u64, random: &mut Random) -> BTreeSet<u64> {
    let mut picked = BTreeSet::new();
    for last in total.saturating_sub(wanted)..total {
        let any = random.up_to(last);
        if !picked.insert(any) {
            picked.insert(last);
        }
    }
    picked
}

/// A sample of the rows offered so far.
#[derive(Debug)]
pub struct Reservoir {
    size: u64,
    random: Random,
    offered: u64,
    places: Vec<Place>,
    /// Copies of picked rows, some of which have been replaced since.
    pieces: Vec<Batch>,
}

/// A picked row: its number among those offered, and where it is.
#[derive(Debug, Clone, Copy)]
struct Place {
    number: u64,
    piece: usize,
    row: u32,
}

/// How many replaced rows may be held, beside as many as are picked.
const SPARE_ROWS: usize = 4096;

impl Reservoir {
    /// A reservoir of `size` rows.
    pub fn new(size: u64, random: Random) -> Self {
        Reservoir {
            size,
            random,
            offered: 0,
            places: Vec::new(),
            pieces: Vec::new(),
        }
    }

    /// Offers the rows of a batch; all batches have the same columns.
    ///
    /// # Errors
    /// Rows of one column in unlike layouts.
    pub fn offer(&mut self, batch: &Batch) -> Result<()> {
        let piece = self.pieces.len();
        let mut changed = BTreeSet::new();
        for row in 0..batch.rows as u32 {
            let number = self.offered;
            self.offered += 1;
            let place = Place { number, piece, row };
            if number < self.size {
                changed.insert(self.places.len());
                self.places.push(place);
                continue;
            }
            let index = usize::try_from(self.random.up_to(number)).unwrap_or(usize::MAX);
            if let Some(replaced) = self.places.get_mut(index) {
                *replaced = place;
                changed.insert(index);
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let mut rows = Vec::with_capacity(changed.len());
        for index in changed {
            rows.push(self.places[index].row);
            self.places[index].row = rows.len() as u32 - 1;
        }
        self.pieces.push(take(batch, &rows));
        let held: usize = self.pieces.iter().map(|piece| piece.rows).sum();
        if held > SPARE_ROWS + 2 * self.places.len() {
            self.compact()?;
        }
        Ok(())
    }

    /// Drops the rows that were replaced.
    fn compact(&mut self) -> Result<()> {
        let mut order: Vec<usize> = (0..self.places.len()).collect();
        order.sort_unstable_by_key(|&index| self.places[index].number);
        self.pieces = self.picked()?.into_iter().collect();
        for (row, index) in order.into_iter().enumerate() {
            (self.places[index].piece, self.places[index].row) = (0, row as u32);
        }
        Ok(())
    }

    /// The picked rows, in the order of the offers; `None` if there are none.
    ///
    /// # Errors
    /// Rows of one column in unlike layouts.
    pub fn picked(&self) -> Result<Option<Batch>> {
        let mut places = self.places.clone();
        places.sort_unstable_by_key(|place| place.number);
        let mut parts: Vec<Batch> = Vec::new();
        for run in places.chunk_by(|a, b| a.piece == b.piece) {
            let rows: Vec<u32> = run.iter().map(|place| place.row).collect();
            parts.push(take(&self.pieces[run[0].piece], &rows));
        }
        let Some(first) = parts.first() else {
            return Ok(None);
        };
        let column = |index: usize| {
            let of_part = |part: &Batch| part.columns[index].clone();
            Vector::concat(&parts.iter().map(of_part).collect::<Vec<_>>())
        };
        Ok(Some(Batch {
            schema: first.schema.clone(),
            rows: places.len(),
            columns: (0..first.columns.len())
                .map(column)
                .collect::<Result<_>>()?,
        }))
    }
}

fn take(batch: &Batch, rows: &[u32]) -> Batch {
    let columns = batch.columns.iter().map(|column| column.take(rows));
    Batch {
        schema: batch.schema.clone(),
        rows: rows.len(),
        columns: columns.collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use lith_format::scalar::Scalar;
    use lith_format::schema::{Field, Schema};
    use lith_format::types::LogicalType;

    use super::*;

    fn batch(numbers: impl IntoIterator<Item = i64>) -> Batch {
        let numbers: Vec<Scalar> = numbers.into_iter().map(Scalar::Int).collect();
        let schema = Schema::new(vec![Field::required("n", LogicalType::Int64)]);
        Batch {
            schema: Arc::new(schema),
            rows: numbers.len(),
            columns: vec![Vector::from_scalars(LogicalType::Int64, &numbers).unwrap()],
        }
    }

    /// Picks 3 of 8 numbers that come in batches of 3.
    fn from_reservoir(seed: u64) -> Vec<u64> {
        let mut reservoir = Reservoir::new(3, Random(seed));
        for numbers in [0..3, 3..6, 6..8] {
            reservoir.offer(&batch(numbers)).unwrap();
        }
        let picked = reservoir.picked().unwrap().unwrap();
        let number = |row| match picked.columns[0].value(row) {
            Scalar::Int(number) => number as u64,
            _ => u64::MAX,
        };
        (0..picked.rows).map(number).collect()
    }

    #[test]
    fn every_set_of_rows_is_equally_likely() {
        let from_numbers = |seed| distinct(8, 3, &mut Random(seed)).into_iter().collect();
        let samplers: [&dyn Fn(u64) -> Vec<u64>; 2] = [&from_numbers, &from_reservoir];
        for sample in samplers {
            let mut counts = BTreeMap::new();
            for seed in 0..5_600 {
                let picked = sample(seed);
                assert!(picked.is_sorted_by(|a, b| a < b) && picked.len() == 3);
                *counts.entry(picked).or_insert(0) += 1;
            }
            // of 56 sets, each 100 times on average, with a standard deviation of 10
            assert_eq!(counts.len(), 56);
            assert!(
                counts.values().all(|count| (50..150).contains(count)),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn replaced_rows_are_dropped() {
        let mut reservoir = Reservoir::new(900, Random(1));
        for start in 0..200 {
            reservoir
                .offer(&batch(start * 1000..start * 1000 + 1000))
                .unwrap();
            let held: usize = reservoir.pieces.iter().map(|piece| piece.rows).sum();
            assert!(held <= SPARE_ROWS + 2 * 900);
        }
        let picked = reservoir.picked().unwrap().unwrap();
        let numbers: Vec<String> = (0..900)
            .map(|row| picked.columns[0].value(row).to_string())
            .collect();
        let numbers: Vec<i64> = numbers
            .iter()
            .map(|number| number.parse().unwrap())
            .collect();
        assert!(numbers.is_sorted_by(|a, b| a < b));
        // as many from each half, give or take
        let low = numbers.iter().filter(|&&number| number < 100_000).count();
        assert!((350..550).contains(&low), "{low}");
    }

    #[test]
    fn all_are_taken_where_there_are_no_more() {
        assert!(distinct(5, 9, &mut Random(7)).into_iter().eq(0..5));
        assert!(distinct(0, 9, &mut Random(7)).is_empty());
        assert!(Reservoir::new(0, Random(1)).picked().unwrap().is_none());
        let mut random = Random(3);
        assert!((0..100).all(|_| random.up_to(0) == 0 && random.up_to(9) < 10));
    }
}
