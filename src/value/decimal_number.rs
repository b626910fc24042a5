//! Exact arithmetic of `decimal`: a coefficient and a power of ten, rounded to a precision.
//!
//! Zeros are positive here: a result that would be a negative zero is none, and so is one that does not fit.

use std::cmp::Ordering;

/// `coefficient · 10**exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// With its sign.
    pub coefficient: i128,
    /// The power of ten.
    pub exponent: i128,
}

/// Precisions up to this are followed.
pub const MAX_PRECISION: u64 = 36;

/// Exponents beyond this are not followed.
const MAX_EXPONENT: i128 = 1 << 16;

/// How digits are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "as in Python, without `ROUND_`")]
pub enum Rounding {
    HalfEven,
    HalfUp,
    HalfDown,
    Down,
    Up,
    Floor,
    Ceiling,
}

impl Rounding {
    /// By its name in `decimal`.
    pub fn named(name: &str) -> Option<Rounding> {
        Some(match name {
            "ROUND_HALF_EVEN" => Rounding::HalfEven,
            "ROUND_HALF_UP" => Rounding::HalfUp,
            "ROUND_HALF_DOWN" => Rounding::HalfDown,
            "ROUND_DOWN" => Rounding::Down,
            "ROUND_UP" => Rounding::Up,
            "ROUND_FLOOR" => Rounding::Floor,
            "ROUND_CEILING" => Rounding::Ceiling,
            _ => return None,
        })
    }

    /// Whether a magnitude goes up, of which so much was dropped.
    fn goes_up(self, quotient: u128, dropped: u128, half: Ordering, negative: bool) -> bool {
        dropped != 0
            && match self {
                Rounding::HalfEven => half.is_gt() || half.is_eq() && quotient % 2 == 1,
                Rounding::HalfUp => half.is_ge(),
                Rounding::HalfDown => half.is_gt(),
                Rounding::Down => false,
                Rounding::Up => true,
                Rounding::Floor => negative,
                Rounding::Ceiling => !negative,
            }
    }
}

fn power(n: i128) -> Option<i128> {
    10_i128.checked_pow(u32::try_from(n).ok()?)
}

fn digits(n: i128) -> i128 {
    i128::from(n.unsigned_abs().checked_ilog10().map_or(1, |digits| digits + 1))
}

/// A magnitude without its last `drop` digits. `sticky`: something beyond the last digit was dropped before.
fn shortened(magnitude: u128, drop: i128, sticky: bool, negative: bool, rounding: Rounding) -> Option<i128> {
    let unit = power(drop).map_or(u128::MAX, i128::unsigned_abs);
    let (quotient, rest) = if unit == u128::MAX { (0, magnitude) } else { (magnitude / unit, magnitude % unit) };
    let half =
        if drop == 0 { Ordering::Less } else { rest.cmp(&(unit / 2)).then(if sticky { Ordering::Greater } else { Ordering::Equal }) };
    let up = rounding.goes_up(quotient, rest.saturating_add(u128::from(sticky)), half, negative);
    let n = i128::try_from(quotient + u128::from(up)).ok()?;
    Some(if negative { -n } else { n })
}

impl Number {
    /// A number, unless it is too far from 1.
    pub fn new(coefficient: i128, exponent: i128) -> Option<Number> {
        (exponent.abs() < MAX_EXPONENT && coefficient != i128::MIN).then_some(Number { coefficient, exponent })
    }

    /// Both coefficients at the lesser exponent.
    fn aligned(self, other: Number) -> Option<(i128, i128, i128)> {
        let exponent = self.exponent.min(other.exponent);
        let at = |n: Number| n.coefficient.checked_mul(power(n.exponent - exponent)?);
        Some((at(self)?, at(other)?, exponent))
    }

    /// Rounded to so many digits.
    pub fn rounded(self, precision: u64) -> Option<Number> {
        let drop = digits(self.coefficient) - i128::from(precision);
        if drop <= 0 {
            return Some(self);
        }
        let negative = self.coefficient < 0;
        let mut coefficient = shortened(self.coefficient.unsigned_abs(), drop, false, negative, Rounding::HalfEven)?;
        let mut exponent = self.exponent + drop;
        // 99…9 has become 100…0.
        if digits(coefficient) > i128::from(precision) {
            (coefficient, exponent) = (coefficient / 10, exponent + 1);
        }
        Number::new(coefficient, exponent)
    }

    /// The sum.
    pub fn add(self, other: Number, precision: u64) -> Option<Number> {
        let (a, b, exponent) = self.aligned(other)?;
        Number::new(a.checked_add(b)?, exponent)?.rounded(precision)
    }

    /// The difference.
    pub fn sub(self, other: Number, precision: u64) -> Option<Number> {
        let (a, b, exponent) = self.aligned(other)?;
        Number::new(a.checked_sub(b)?, exponent)?.rounded(precision)
    }

    /// The product.
    pub fn mul(self, other: Number, precision: u64) -> Option<Number> {
        let exponent = self.exponent + other.exponent;
        let negative = (self.coefficient < 0) != (other.coefficient < 0);
        if self.coefficient == 0 || other.coefficient == 0 {
            return if negative { None } else { Number::new(0, exponent) };
        }
        if let Some(product) = self.coefficient.checked_mul(other.coefficient) {
            return Number::new(product, exponent)?.rounded(precision);
        }
        let (magnitude, dropped, sticky) = long_product(self.coefficient.unsigned_abs(), other.coefficient.unsigned_abs());
        let drop = digits(i128::try_from(magnitude).ok()?) - i128::from(precision);
        // What was dropped is rounded together with what is to be dropped.
        if drop <= 0 {
            return None;
        }
        let coefficient = shortened(magnitude, drop, sticky, negative, Rounding::HalfEven)?;
        Number::new(coefficient, exponent + dropped + drop)?.rounded(precision)
    }

    /// The quotient; none also for a divisor of 0.
    pub fn div(self, other: Number, precision: u64) -> Option<Number> {
        let (n, d) = (self.coefficient.unsigned_abs(), other.coefficient.unsigned_abs());
        let negative = (self.coefficient < 0) != (other.coefficient < 0);
        let ideal = self.exponent - other.exponent;
        if d == 0 || d > 10_u128.pow(MAX_PRECISION as u32) {
            return None;
        }
        if n == 0 {
            return if negative { None } else { Number::new(0, ideal) };
        }
        let shift = digits(other.coefficient) - digits(self.coefficient) + i128::from(precision) + 1;
        let (mut quotient, mut rest) = (n / d, n % d);
        for _ in 0..shift.max(0) {
            rest *= 10;
            quotient = quotient.checked_mul(10)?.checked_add(rest / d)?;
            rest %= d;
        }
        let mut exponent = ideal - shift.max(0);
        if rest != 0 {
            // The last digit says that there is more, as in CPython: it never makes a tie.
            quotient += u128::from(quotient % 5 == 0);
        } else {
            while exponent < ideal && quotient % 10 == 0 {
                (quotient, exponent) = (quotient / 10, exponent + 1);
            }
        }
        let quotient = i128::try_from(quotient).ok()?;
        Number::new(if negative { -quotient } else { quotient }, exponent)?.rounded(precision)
    }

    /// The quotient without its fraction, and what is left, which has the sign of the dividend.
    pub fn divmod(self, other: Number, precision: u64) -> Option<(Number, Number)> {
        let (a, b, exponent) = self.aligned(other)?;
        if b == 0 {
            return None;
        }
        let (quotient, rest) = (a / b, a % b);
        let is_short = |n: i128| digits(n) <= i128::from(precision);
        let negative_zero = (quotient == 0 && (a < 0) != (b < 0)) || (rest == 0 && a < 0);
        if negative_zero || !is_short(quotient) || !is_short(rest) {
            return None;
        }
        Some((Number::new(quotient, 0)?, Number::new(rest, exponent)?))
    }

    /// With an exponent, by dropping digits or adding zeros.
    pub fn quantized(self, exponent: i128, precision: u64, rounding: Rounding) -> Option<Number> {
        let coefficient = if exponent <= self.exponent {
            self.coefficient.checked_mul(power(self.exponent - exponent)?)?
        } else {
            shortened(self.coefficient.unsigned_abs(), exponent - self.exponent, false, self.coefficient < 0, rounding)?
        };
        let negative_zero = coefficient == 0 && self.coefficient < 0;
        if negative_zero || digits(coefficient) > i128::from(precision) {
            return None;
        }
        Number::new(coefficient, exponent)
    }

    /// Which is greater.
    pub fn compare(self, other: Number) -> Option<Ordering> {
        let (a, b) = (self.coefficient.signum(), other.coefficient.signum());
        if a != b || a == 0 {
            return Some(a.cmp(&b));
        }
        let (a, b, _) = self.aligned(other)?;
        Some(a.cmp(&b))
    }

    /// As Python shows it.
    pub fn text(self) -> String {
        let shown = self.coefficient.unsigned_abs().to_string();
        let count = shown.len() as i128;
        let before = self.exponent + count;
        let point = if self.exponent <= 0 && before > -6 { before } else { 1 };
        let zeros = |n: i128| "0".repeat(usize::try_from(n).unwrap_or(0));
        let body = if point <= 0 {
            format!("0.{}{shown}", zeros(-point))
        } else if point >= count {
            format!("{shown}{}", zeros(point - count))
        } else {
            format!("{}.{}", &shown[..point as usize], &shown[point as usize..])
        };
        let power = if before == point { String::new() } else { format!("E{:+}", before - point) };
        format!("{}{body}{power}", if self.coefficient < 0 { "-" } else { "" })
    }
}

/// A product that does not fit: its first 38 digits or so, how many were dropped, and whether any of those is not 0.
fn long_product(a: u128, b: u128) -> (u128, i128, bool) {
    const HALF: u128 = 1 << 64;
    let (a1, a0, b1, b0) = (a / HALF, a % HALF, b / HALF, b % HALF);
    let low = a0 * b0;
    let (middle, carried) = (a0 * b1).overflowing_add(a1 * b0);
    let (low, over) = low.overflowing_add((middle % HALF) << 64);
    let mut high = a1 * b1 + middle / HALF + if carried { HALF } else { 0 } + u128::from(over);
    let (mut low, mut dropped, mut sticky) = (low, 0, false);
    while high != 0 || low > i128::MAX as u128 {
        // One digit at a time: 256 bits in four words.
        let words = [high / HALF, high % HALF, low / HALF, low % HALF];
        let (mut rest, mut out) = (0, [0_u128; 4]);
        for (to, word) in out.iter_mut().zip(words) {
            let here = rest * HALF + word;
            (*to, rest) = (here / 10, here % 10);
        }
        (high, low) = (out[0] * HALF + out[1], out[2] * HALF + out[3]);
        sticky |= rest != 0;
        dropped += 1;
    }
    (low, dropped, sticky)
}
