//! Bit lengths of numbers that are never computed.
//!
//! A number is enclosed between two 128-bit mantissas with an exponent, multiplied with directed rounding. The relative error of `a ** n` is about
//! `n / 2**126`, so the bit length is exact unless the number lies that close to a power of two, and then both candidates are returned.

/// The bit length of a magnitude (0 for 0).
pub const fn bit_length(magnitude: u128) -> u64 {
    (128 - magnitude.leading_zeros()) as u64
}

/// The full 256-bit product, high half first.
const fn wide_mul(a: u128, b: u128) -> (u128, u128) {
    const MASK: u128 = u64::MAX as u128;
    let (a1, a0, b1, b0) = (a >> 64, a & MASK, b >> 64, b & MASK);
    let low = a0 * b0;
    let mid = a1 * b0 + (low >> 64);
    let mid2 = a0 * b1 + (mid & MASK);
    (a1 * b1 + (mid >> 64) + (mid2 >> 64), (mid2 << 64) | (low & MASK))
}

/// `mantissa * 2**exponent`, the mantissa's top bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scaled {
    mantissa: u128,
    exponent: i128,
}

impl Scaled {
    const fn new(magnitude: u128) -> Scaled {
        let shift = magnitude.leading_zeros();
        Scaled { mantissa: magnitude << shift, exponent: -(shift as i128) }
    }

    const fn mul(self, other: Scaled, up: bool) -> Scaled {
        let (high, low) = wide_mul(self.mantissa, other.mantissa);
        let sum = self.exponent.saturating_add(other.exponent);
        let (mantissa, rest, exponent) = if high >> 127 == 1 {
            (high, low != 0, sum.saturating_add(128))
        } else {
            ((high << 1) | (low >> 127), low << 1 != 0, sum.saturating_add(127))
        };
        if up && rest {
            match mantissa.checked_add(1) {
                Some(mantissa) => Scaled { mantissa, exponent },
                None => Scaled { mantissa: 1 << 127, exponent: exponent.saturating_add(1) },
            }
        } else {
            Scaled { mantissa, exponent }
        }
    }

    fn bits(self) -> u64 {
        u64::try_from(self.exponent.saturating_add(128).max(0)).unwrap_or(u64::MAX)
    }

    /// The bit length of the integer part of `self / other`, for a quotient of at least 1.
    fn quotient_bits(self, other: Scaled) -> u64 {
        let exponent = self.exponent.saturating_sub(other.exponent).saturating_add(i128::from(self.mantissa >= other.mantissa));
        u64::try_from(exponent.max(0)).unwrap_or(u64::MAX)
    }
}

/// A positive number between two bounds.
#[derive(Debug, Clone, Copy)]
pub struct Enclosure {
    low: Scaled,
    high: Scaled,
}

impl Enclosure {
    /// Exactly `magnitude`; `None` for 0, which has no scale.
    pub const fn new(magnitude: u128) -> Option<Enclosure> {
        if magnitude == 0 { None } else { Some(Enclosure { low: Scaled::new(magnitude), high: Scaled::new(magnitude) }) }
    }

    /// The product.
    #[must_use]
    pub const fn mul(self, other: Enclosure) -> Enclosure {
        Enclosure { low: self.low.mul(other.low, false), high: self.high.mul(other.high, true) }
    }

    /// The power, by squaring.
    #[must_use]
    pub const fn pow(self, exponent: u128) -> Enclosure {
        let one = Scaled::new(1);
        let (mut result, mut square, mut rest) = (Enclosure { low: one, high: one }, self, exponent);
        while rest > 0 {
            if rest & 1 == 1 {
                result = result.mul(square);
            }
            square = square.mul(square);
            rest >>= 1;
        }
        result
    }

    /// Least and greatest possible bit length.
    pub fn bits(self) -> (u64, u64) {
        (self.low.bits(), self.high.bits())
    }

    /// Least and greatest possible bit length of the integer part of `self / other`, which must be at least 1.
    pub fn quotient_bits(self, other: Enclosure) -> (u64, u64) {
        (self.low.quotient_bits(other.high).max(1), self.high.quotient_bits(other.low).max(1))
    }
}

/// Least and greatest bit length of `base ** exponent` (the two differ only within a hair of a power of two).
///
/// ```
/// assert_eq!(antifreeze::value::bits::power(3, 630_929), (999_999, 999_999));
/// assert_eq!(antifreeze::value::bits::power(3, 630_930), (1_000_001, 1_000_001));
/// ```
pub fn power(base: u128, exponent: u128) -> (u64, u64) {
    match Enclosure::new(base) {
        Some(enclosure) => enclosure.pow(exponent).bits(),
        None => (u64::from(exponent == 0), u64::from(exponent == 0)),
    }
}

/// Least and greatest bit length of `a * b`.
pub fn product(a: u128, b: u128) -> (u64, u64) {
    match (Enclosure::new(a), Enclosure::new(b)) {
        (Some(a), Some(b)) => a.mul(b).bits(),
        _ => (0, 0),
    }
}

/// ⌊log10(2) · 2⁶⁴⌋.
const LOG10_2: u128 = 5_553_023_288_523_357_132;
/// ⌊log2(10) · 2⁶⁰⌋.
const LOG2_10: u128 = 3_829_922_337_353_294_527;

/// Least and greatest number of decimal digits of a magnitude of `bits` bits (0 has one digit).
pub fn digits(bits: u64) -> (u64, u64) {
    if bits == 0 {
        return (1, 1);
    }
    if bits == u64::MAX {
        // Saturated: at least so many, with no upper bound.
        return (((u128::from(bits - 1) * LOG10_2) >> 64) as u64 + 1, u64::MAX);
    }
    // The least is 2**(bits - 1), the greatest 2**bits - 1, which has as many digits as 2**bits since that is no power of ten.
    let low = (u128::from(bits - 1) * LOG10_2) >> 64;
    let high = (u128::from(bits) * (LOG10_2 + 1)) >> 64;
    (low as u64 + 1, high as u64 + 1)
}

/// Least and greatest bit length of an integer written with exactly `digits` decimal digits, the first of them not 0.
pub fn of_decimal_digits(digits: u64) -> (u64, u64) {
    if digits == 0 {
        return (0, 0);
    }
    let low = if digits == 1 { 1 } else { ((u128::from(digits - 1) * LOG2_10) >> 60).saturating_add(1) };
    let high = ((u128::from(digits) * (LOG2_10 + 1)) >> 60).saturating_add(1);
    (u64::try_from(low).unwrap_or(u64::MAX), u64::try_from(high).unwrap_or(u64::MAX))
}

/// Least and greatest bit length of `int('9' * digits)`.
pub fn of_nines(digits: u64) -> (u64, u64) {
    if digits == 0 {
        return (0, 0);
    }
    // 10**digits is no power of two, so one less has as many bits.
    power(10, u128::from(digits))
}
