//! Generates the orders of a shop chain: data whose counts are known beforehand.
//!
//! Each franchise has 40 orders, 16 at store S01, 13 at S02 and 11 at S03. A store's orders come
//! product by product, so that row groups hold few products and statistics can rule them out. Which
//! order a row is follows from a permutation of the store's orders, so rows are made in any order,
//! in one pass, without sorting: row `r` of a product's run is order `(r * step + start) mod n`.
//! The same seed gives the same rows.

use std::ops::Range;
use std::sync::Arc;

use lith_format::scalar::Scalar;
use lith_format::schema::{Field, Schema};
use lith_format::types::{LogicalType, TimeUnit, Zone};
use lith_format::vector::{Batch, ByteViews, Values, Vector, View};

/// How many franchises the chain has at scale 1.
pub const FRANCHISES: u64 = 250_000;
/// The product whose count in S01 is fixed: 14 of every 80 of the store's orders.
pub const STAR_PRODUCT: &str = "P004";

const PRODUCTS: usize = 45;
const STAR: usize = 3;
/// Products that are sold below cost.
const CLEARANCE: [usize; 2] = [12, 30];
const CATEGORIES: [&str; 6] = [
    "Bakery",
    "Dairy",
    "Drinks",
    "Household",
    "Produce",
    "Snacks",
];

/// One of the three stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Store {
    /// Its key, the partition value.
    pub id: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Where it is.
    pub city: &'static str,
    /// Its orders per franchise.
    pub orders: u64,
}

/// The stores.
pub const STORES: [Store; 3] = [
    Store {
        id: "S01",
        name: "Kiosko Central",
        city: "Bogota",
        orders: 16,
    },
    Store {
        id: "S02",
        name: "Kiosko Norte",
        city: "Lima",
        orders: 13,
    },
    Store {
        id: "S03",
        name: "Kiosko Sur",
        city: "Quito",
        orders: 11,
    },
];

/// The whole table, made batch by batch.
#[derive(Debug, Clone)]
pub struct Facts {
    franchises: u64,
    seed: u64,
    schema: Arc<Schema>,
    products: Arc<Products>,
}

/// The product dimension: dictionaries that all batches share, and prices in cents.
#[derive(Debug)]
struct Products {
    ids: Arc<Vector>,
    names: Arc<Vector>,
    categories: Arc<Vector>,
    costs: Vec<u64>,
}

impl Facts {
    /// The facts at `scale` (1 is ten million rows; at least one franchise is kept).
    pub fn new(scale: f64, seed: u64) -> Self {
        let franchises = ((FRANCHISES as f64 * scale).round() as u64).max(1);
        Facts {
            franchises,
            seed,
            schema: Arc::new(schema()),
            products: Arc::new(Products::new(seed)),
        }
    }

    /// The twelve fact columns, then `store_id`.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How many rows a store has.
    pub fn rows(&self, store: &Store) -> u64 {
        self.franchises * store.orders
    }

    /// How many rows all stores have.
    pub fn total_rows(&self) -> u64 {
        STORES.iter().map(|store| self.rows(store)).sum()
    }

    /// How many rows of a store are of [`STAR_PRODUCT`].
    pub fn star_rows(&self, store: &Store) -> u64 {
        self.run(store, STAR).end - self.run(store, STAR).start
    }

    /// How many rows of a store cost less than they are sold for.
    pub fn profitable_rows(&self, store: &Store) -> u64 {
        let clearance = CLEARANCE.iter().map(|&product| self.run(store, product));
        self.rows(store) - clearance.map(|run| run.end - run.start).sum::<u64>()
    }

    /// A store's rows in batches of at most `batch_rows`.
    pub fn batches<'a>(
        &'a self,
        store: &'a Store,
        batch_rows: u64,
    ) -> impl Iterator<Item = Batch> + 'a {
        let rows = self.rows(store);
        (0..rows.div_ceil(batch_rows)).map(move |index| {
            self.batch(
                store,
                index * batch_rows..((index + 1) * batch_rows).min(rows),
            )
        })
    }

    /// Which rows of a store are of a product. The star has its fixed share (14 of 80, in every
    /// store), the others divide the rest evenly.
    fn run(&self, store: &Store, product: usize) -> Range<u64> {
        let rows = self.rows(store);
        let star = rows * 14 / 80;
        let others = (PRODUCTS - 1) as u64;
        let before = |product: usize| {
            let ordinary = product - usize::from(product > STAR);
            (rows - star) * ordinary as u64 / others + if product > STAR { star } else { 0 }
        };
        before(product)..if product == STAR {
            before(product) + star
        } else {
            before(product + 1)
        }
    }

    fn batch(&self, store: &Store, rows: Range<u64>) -> Batch {
        let total = self.rows(store);
        let shuffle = Shuffle::new(total, mix(self.seed ^ store.orders));
        let len = (rows.end - rows.start) as usize;
        let mut columns = Columns::with_capacity(len);
        let mut product = (0..PRODUCTS)
            .find(|&product| rows.start < self.run(store, product).end)
            .unwrap_or(0);
        let mut run_end = self.run(store, product).end;
        for row in rows {
            while row >= run_end {
                product += 1;
                run_end = self.run(store, product).end;
            }
            columns.push(Order::new(
                store,
                product,
                shuffle.at(row),
                &self.products,
                self.seed,
            ));
        }
        columns.finish(self, store, len)
    }
}

/// One row, its amounts in cents.
struct Order {
    product: usize,
    id: View,
    franchise: i32,
    quantity: i32,
    price: u64,
    cost: u64,
    timestamp: i64,
}

impl Order {
    fn new(store: &Store, product: usize, order: u64, products: &Products, seed: u64) -> Self {
        const YEAR_2024: i64 = 1_704_067_200;
        const SECONDS: u64 = 366 * 86_400;
        let random = mix(seed.wrapping_add(order).wrapping_add(store.orders << 56));
        let cost = products.costs[product];
        let percent = if CLEARANCE.contains(&product) {
            50 + random % 45
        } else {
            110 + random % 90
        };
        Order {
            product,
            id: order_id(store, order),
            franchise: (order / store.orders) as i32 + 1,
            quantity: ((random >> 8) % 12) as i32 + 1,
            price: cost * percent / 100,
            cost,
            timestamp: (YEAR_2024 + ((random >> 16) % SECONDS) as i64) * 1_000_000,
        }
    }
}

/// `O1` and nine digits for S01: short enough to be held in place.
fn order_id(store: &Store, order: u64) -> View {
    let mut text = *b"O0000000000";
    text[1] = store.id.as_bytes()[2];
    let mut rest = order;
    for digit in text[2..].iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    View::new(&text, 0, 0)
}

/// The columns of a batch under construction.
struct Columns {
    products: Vec<u32>,
    ids: Vec<View>,
    franchises: Vec<i32>,
    quantities: Vec<i32>,
    prices: Vec<f64>,
    costs: Vec<f64>,
    revenues: Vec<f64>,
    timestamps: Vec<i64>,
}

impl Columns {
    fn with_capacity(len: usize) -> Self {
        Columns {
            products: Vec::with_capacity(len),
            ids: Vec::with_capacity(len),
            franchises: Vec::with_capacity(len),
            quantities: Vec::with_capacity(len),
            prices: Vec::with_capacity(len),
            costs: Vec::with_capacity(len),
            revenues: Vec::with_capacity(len),
            timestamps: Vec::with_capacity(len),
        }
    }

    fn push(&mut self, order: Order) {
        self.products.push(order.product as u32);
        self.ids.push(order.id);
        self.franchises.push(order.franchise);
        self.quantities.push(order.quantity);
        self.prices.push(euros(order.price));
        self.costs.push(euros(order.cost));
        self.revenues
            .push(euros(order.price * order.quantity as u64));
        self.timestamps.push(order.timestamp);
    }

    fn finish(self, facts: &Facts, store: &Store, len: usize) -> Batch {
        let Products {
            ids,
            names,
            categories,
            ..
        } = &*facts.products;
        let codes = |values: &Arc<Vector>| Values::Dictionary {
            codes: self.products.clone(),
            values: Arc::clone(values),
        };
        let constant = |text: &str| Values::Constant(Scalar::string(text));
        let order_ids = ByteViews {
            views: self.ids,
            buffers: Vec::new(),
        };
        let values = [
            codes(ids),
            Values::Bytes(order_ids),
            Values::I32(self.franchises),
            Values::I32(self.quantities),
            Values::F64(self.prices),
            Values::I64(self.timestamps),
            constant(store.name),
            constant(store.city),
            codes(names),
            codes(categories),
            Values::F64(self.costs),
            Values::F64(self.revenues),
            constant(store.id),
        ];
        let fields = facts.schema.fields.iter();
        let columns = fields
            .zip(values)
            .map(|(field, values)| vector(field.ty.clone(), len, values))
            .collect();
        Batch {
            schema: Arc::clone(&facts.schema),
            rows: len,
            columns,
        }
    }
}

impl Products {
    fn new(seed: u64) -> Self {
        let category = |product: usize| CATEGORIES[product % CATEGORIES.len()];
        let dictionary = |text: &dyn Fn(usize) -> String| {
            let values = Values::Bytes(ByteViews::from_values((0..PRODUCTS).map(text)));
            Arc::new(vector(LogicalType::String, PRODUCTS, values))
        };
        Products {
            ids: dictionary(&|product| format!("P{:03}", product + 1)),
            names: dictionary(&|product| format!("{} item {:03}", category(product), product + 1)),
            categories: dictionary(&|product| category(product).to_string()),
            costs: (0..PRODUCTS as u64)
                .map(|product| 50 + mix(seed ^ product) % 2_450)
                .collect(),
        }
    }
}

/// The columns and their types.
fn schema() -> Schema {
    use LogicalType as T;
    let timestamp = T::Timestamp {
        unit: TimeUnit::Micros,
        zone: Zone::Utc,
    };
    let columns = [
        ("product_id", T::String),
        ("order_id", T::String),
        ("franchise_id", T::Int32),
        ("quantity", T::Int32),
        ("unit_price", T::Float64),
        ("order_ts", timestamp),
        ("store_name", T::String),
        ("city", T::String),
        ("product_name", T::String),
        ("category", T::String),
        ("unit_cost", T::Float64),
        ("revenue", T::Float64),
        ("store_id", T::String),
    ];
    Schema::new(
        columns
            .into_iter()
            .map(|(name, ty)| Field::nullable(name, ty))
            .collect(),
    )
}

fn vector(ty: LogicalType, len: usize, values: Values) -> Vector {
    Vector {
        ty,
        len,
        validity: None,
        values,
    }
}

fn euros(cents: u64) -> f64 {
    cents as f64 / 100.0
}

/// A permutation of `0..n`.
struct Shuffle {
    n: u64,
    step: u64,
    start: u64,
}

impl Shuffle {
    fn new(n: u64, random: u64) -> Self {
        let mut step = (random % n.max(1)) | 1;
        while gcd(step, n) != 1 {
            step += 2;
        }
        Shuffle {
            n,
            step,
            start: (random >> 32) % n.max(1),
        }
    }

    fn at(&self, row: u64) -> u64 {
        // n is at most a few million rows, so the product fits
        (row * self.step + self.start) % self.n
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Spreads a number over 64 bits (the finalizer of SplitMix64).
pub(crate) fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_story_of_scale_one() {
        let facts = Facts::new(1.0, 1);
        let rows: Vec<u64> = STORES.iter().map(|store| facts.rows(store)).collect();
        assert_eq!(rows, [4_000_000, 3_250_000, 2_750_000]);
        assert_eq!(facts.star_rows(&STORES[0]), 700_000);
    }

    #[test]
    fn every_order_occurs_once_and_the_counts_are_as_told() {
        let facts = Facts::new(0.0004, 7);
        for store in &STORES {
            let (mut ids, mut star, mut profitable, mut rows) = (HashSet::new(), 0, 0, 0);
            for batch in facts.batches(store, 97) {
                rows += batch.rows as u64;
                let [Values::Dictionary { codes, .. }, Values::Bytes(orders)] =
                    [&batch.columns[0].values, &batch.columns[1].values]
                else {
                    panic!("unexpected layouts")
                };
                let (Values::F64(prices), Values::F64(costs)) =
                    (&batch.columns[4].values, &batch.columns[10].values)
                else {
                    panic!("unexpected layouts")
                };
                ids.extend(orders.iter().map(<[u8]>::to_vec));
                star += codes.iter().filter(|&&code| code as usize == STAR).count() as u64;
                profitable += prices
                    .iter()
                    .zip(costs)
                    .filter(|(price, cost)| cost < price)
                    .count() as u64;
            }
            assert_eq!(rows, facts.rows(store));
            assert_eq!(ids.len() as u64, rows);
            assert_eq!(star, facts.star_rows(store));
            assert_eq!(profitable, facts.profitable_rows(store));
        }
    }

    #[test]
    fn a_seed_decides_every_value() {
        let shape = |seed| {
            format!(
                "{:?}",
                Facts::new(0.0004, seed).batches(&STORES[1], 50).nth(3)
            )
        };
        assert_eq!(shape(5), shape(5));
        assert_ne!(shape(5), shape(6));
    }
}
