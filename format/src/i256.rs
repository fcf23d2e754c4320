//! 256-bit signed integers, the unscaled values of decimals with more than 38 digits: comparing, printing,
//! reading big-endian bytes and rescaling.
//!
//! ```text
//! | high i128 | low u128 |   two's complement, so that the order is that of the halves
//! ```

use std::fmt;

/// A signed integer of 256 bits. Every decimal of up to 76 digits fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct I256 {
    high: i128,
    low: u128,
}

/// The most a step of printing divides by, and the digits it has.
const CHUNK: u64 = 10_000_000_000_000_000_000;
const CHUNK_DIGITS: usize = 19;

impl I256 {
    /// The number that big-endian two's complement bytes, of any length, stand for; `None` if there are no
    /// bytes or it needs more than 256 bits.
    pub fn from_be_bytes(bytes: &[u8]) -> Option<Self> {
        let sign = if bytes.first()? & 0x80 == 0 { 0 } else { 0xff };
        let (extension, low) = bytes.split_at(bytes.len().saturating_sub(32));
        let mut full = [sign; 32];
        full[32 - low.len()..].copy_from_slice(low);
        // what is cut off must be nothing but sign
        let extends = extension.iter().all(|&byte| byte == sign) && (full[0] ^ sign) & 0x80 == 0;
        let (high, low) = full.split_first_chunk()?;
        extends.then_some(I256 {
            high: i128::from_be_bytes(*high),
            low: u128::from_be_bytes(low.try_into().ok()?),
        })
    }

    /// The big-endian two's complement bytes.
    pub fn to_be_bytes(self) -> [u8; 32] {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&self.high.to_be_bytes());
        bytes[16..].copy_from_slice(&self.low.to_be_bytes());
        bytes
    }

    /// Whether it is below zero.
    pub fn is_negative(self) -> bool {
        self.high < 0
    }

    /// The number times ten to the `digits`, if that fits.
    pub fn scaled(self, digits: u32) -> Option<Self> {
        if self == I256::default() {
            return Some(self);
        }
        let mut limbs = self.magnitude();
        for _ in 0..digits {
            let mut carry = 0;
            for limb in &mut limbs {
                let product = u128::from(*limb) * 10 + carry;
                (*limb, carry) = (product as u64, product >> 64);
            }
            if carry != 0 {
                return None;
            }
        }
        let scaled = I256::of_limbs(limbs);
        let scaled = if self.is_negative() {
            scaled.negated()
        } else {
            scaled
        };
        (scaled.is_negative() == self.is_negative()).then_some(scaled)
    }

    fn negated(self) -> Self {
        let (low, carry) = (!self.low).overflowing_add(1);
        I256 {
            high: (!self.high).wrapping_add(i128::from(carry)),
            low,
        }
    }

    /// The absolute value, least significant limb first.
    fn magnitude(self) -> [u64; 4] {
        let I256 { high, low } = if self.is_negative() {
            self.negated()
        } else {
            self
        };
        let high = high as u128;
        [
            low as u64,
            (low >> 64) as u64,
            high as u64,
            (high >> 64) as u64,
        ]
    }

    fn of_limbs([a, b, c, d]: [u64; 4]) -> Self {
        I256 {
            high: (u128::from(d) << 64 | u128::from(c)) as i128,
            low: u128::from(b) << 64 | u128::from(a),
        }
    }
}

impl From<i128> for I256 {
    fn from(value: i128) -> Self {
        I256 {
            high: if value < 0 { -1 } else { 0 },
            low: value as u128,
        }
    }
}

impl From<i64> for I256 {
    fn from(value: i64) -> Self {
        i128::from(value).into()
    }
}

impl From<i32> for I256 {
    fn from(value: i32) -> Self {
        i128::from(value).into()
    }
}

/// The same number in 128 bits; the error is the number, which does not fit.
impl TryFrom<I256> for i128 {
    type Error = I256;

    fn try_from(value: I256) -> Result<Self, I256> {
        let low = value.low as i128;
        if I256::from(low) == value {
            Ok(low)
        } else {
            Err(value)
        }
    }
}

impl fmt::Display for I256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut limbs = self.magnitude();
        let mut chunks = Vec::new();
        while limbs != [0; 4] {
            let mut rest = 0;
            for limb in limbs.iter_mut().rev() {
                let whole = rest << 64 | u128::from(*limb);
                (*limb, rest) = (
                    (whole / u128::from(CHUNK)) as u64,
                    whole % u128::from(CHUNK),
                );
            }
            chunks.push(rest);
        }
        let mut digits = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.iter().rev() {
            digits += &format!("{chunk:0CHUNK_DIGITS$}");
        }
        f.pad_integral(!self.is_negative(), "", &digits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> I256 {
        let digits = text.as_bytes().as_chunks::<2>().0;
        let byte = |pair: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
        let bytes: Vec<u8> = digits.iter().map(|pair| byte(pair).unwrap()).collect();
        I256::from_be_bytes(&bytes).unwrap()
    }

    #[test]
    fn numbers_print_with_every_digit() {
        assert_eq!(bytes("00").to_string(), "0");
        assert_eq!(bytes("ff").to_string(), "-1");
        let one_more = bytes("0100000000000000000000000000000000");
        assert_eq!(
            one_more.to_string(),
            "340282366920938463463374607431768211456"
        );
        assert_eq!(
            one_more.negated().to_string(),
            "-340282366920938463463374607431768211456"
        );
        let least = bytes(&format!("80{}", "00".repeat(31)));
        let most = bytes(&format!("7f{}", "ff".repeat(31)));
        let digits = "5789604461865809771178549250434395392663499233282028201972879200395656481996";
        assert_eq!(least.to_string(), format!("-{digits}8"));
        assert_eq!(most.to_string(), format!("{digits}7"));
        assert_eq!(I256::from(-7).scaled(76), None);
        let nines = I256::from(10).scaled(75).unwrap().to_string();
        assert_eq!(nines, format!("1{}", "0".repeat(76)));
        assert_eq!(
            format!("{:>5}|{:05}", I256::from(-12), I256::from(12)),
            "  -12|00012"
        );
    }

    #[test]
    fn bytes_beyond_256_bits_are_refused() {
        assert_eq!(I256::from_be_bytes(&[]), None);
        let mut long = [0xff; 40];
        assert_eq!(I256::from_be_bytes(&long), Some(I256::from(-1)));
        long[8] = 0x7f;
        assert_eq!(I256::from_be_bytes(&long), None);
        long[..8].fill(0);
        assert!(I256::from_be_bytes(&long).is_some_and(|value| !value.is_negative()));
        long[8] = 0x80;
        assert_eq!(I256::from_be_bytes(&long), None);
    }

    fn number(halves: (i128, i128, u8)) -> I256 {
        let whole = I256 {
            high: halves.0 >> (halves.2 % 128),
            low: halves.1 as u128,
        };
        if halves.2 < 60 {
            I256::from(halves.0)
        } else {
            whole
        }
    }

    quickcheck::quickcheck! {
        fn bytes_come_back(a: (i128, i128, u8), extra: u8) -> bool {
            let a = number(a);
            let sign = if a.is_negative() { 0xff } else { 0 };
            let long = [vec![sign; usize::from(extra)], a.to_be_bytes().to_vec()].concat();
            I256::from_be_bytes(&long) == Some(a)
        }

        fn small_numbers_are_those_of_128_bits(a: i128, b: i128, digits: u8) -> bool {
            let digits = u32::from(digits % 39);
            let factor = 10i128.checked_pow(digits);
            let narrow = factor.and_then(|factor| a.checked_mul(factor));
            let wide = I256::from(a).scaled(digits);
            i128::try_from(I256::from(a)) == Ok(a)
                && I256::from(a).to_string() == a.to_string()
                && I256::from(a).cmp(&I256::from(b)) == a.cmp(&b)
                && wide.and_then(|wide| i128::try_from(wide).ok()) == narrow
        }

        fn scaling_appends_zeros(a: (i128, i128, u8), digits: u8) -> bool {
            let (a, digits) = (number(a), u32::from(digits % 80));
            match a.scaled(digits) {
                Some(scaled) if a == I256::default() => scaled == a,
                Some(scaled) => scaled.to_string() == format!("{a}{}", "0".repeat(digits as usize)),
                // what does not fit has at least as many digits as the largest number
                None => a.to_string().trim_start_matches('-').len() + digits as usize >= 77,
            }
        }

        fn order_is_that_of_signs_and_digits(a: (i128, i128, u8), b: (i128, i128, u8)) -> bool {
            let (a, b) = (number(a), number(b));
            let key = |value: I256| {
                let text = value.to_string();
                let digits = text.trim_start_matches('-').to_owned();
                (digits.len(), digits)
            };
            let expected = match (a.is_negative(), b.is_negative()) {
                (false, false) => key(a).cmp(&key(b)),
                (true, true) => key(b).cmp(&key(a)),
                (a, b) => b.cmp(&a),
            };
            a.cmp(&b) == expected
        }
    }
}
