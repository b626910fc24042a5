//! What is known of an integer's remainder: the integers `residue + k * modulus`.
//!
//! Loops that step over what they look for (`while n != 1: n -= 2` from an even number) change intervals without end and
//! remainders not at all. The exact integers have a class of their own here, of modulus 0, which [`Residue`] does not keep: a
//! set that holds one integer alone says so by its interval.

use super::counting::gcd_u128;

/// Moduli beyond this are not kept.
const MAX_MODULUS: u128 = 1 << 32;

/// The integers that leave one remainder: all `v` with `v ≡ residue (mod modulus)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Residue {
    /// From 1 up to 2**32. 1: nothing is known.
    modulus: u64,
    /// Below the modulus.
    residue: u64,
}

/// The integers `value + k * modulus`; of modulus 0 one alone.
#[derive(Debug, Clone, Copy)]
pub struct Class {
    modulus: u128,
    value: i128,
}

impl Residue {
    /// All integers.
    pub const ANY: Residue = Residue { modulus: 1, residue: 0 };

    /// The integers that leave the remainder of `value` when divided by `modulus` (or by a divisor of it, where it is large; by
    /// 0, which only one integer does, they are not kept).
    pub fn new(value: i128, modulus: u128) -> Residue {
        let modulus = match modulus {
            0 => 1,
            small if small <= MAX_MODULUS => small,
            // A divisor that is left: the power of two in it.
            large => (1 << large.trailing_zeros()).min(MAX_MODULUS),
        };
        Residue { modulus: modulus as u64, residue: value.rem_euclid(modulus as i128) as u64 }
    }

    /// The class of these integers.
    pub const fn class(self) -> Class {
        Class { modulus: self.modulus as u128, value: self.residue as i128 }
    }

    /// The modulus; 1 where nothing is known.
    pub const fn modulus(self) -> u64 {
        self.modulus
    }

    /// The remainder, below the modulus.
    pub const fn residue(self) -> u64 {
        self.residue
    }

    /// Whether `value` is among them.
    pub const fn contains(self, value: i128) -> bool {
        self.modulus == 1 || value.rem_euclid(self.modulus as i128) == self.residue as i128
    }

    /// Whether all of the others are among them.
    pub fn includes(self, other: Class) -> bool {
        other.modulus.is_multiple_of(u128::from(self.modulus)) && self.contains(other.value)
    }

    /// Those that are in both; `None` where there are none.
    pub fn meet(self, other: Residue) -> Option<Residue> {
        if self.modulus == 1 || other.modulus == 1 || self == other {
            return Some(if self.modulus == 1 { other } else { self });
        }
        let (a, b) = (self.class(), other.class());
        let common = gcd_u128(a.modulus, b.modulus);
        if (a.value - b.value) % common as i128 != 0 {
            return None;
        }
        let both = a.modulus / common * b.modulus;
        if both > MAX_MODULUS {
            return Some(if a.modulus < b.modulus { other } else { self });
        }
        // The Chinese remainder theorem: a + k * m with k = (b - a) / common * (m / common)⁻¹ modulo the rest of the other.
        let rest = (b.modulus / common) as i128;
        let inverse = inverse(a.modulus / common, rest as u128)?;
        let k = ((b.value - a.value) / common as i128).rem_euclid(rest) * inverse % rest;
        Some(Residue::new(a.value + k * a.modulus as i128, both))
    }

    /// The least of them from `low` on, if it fits.
    pub fn at_least(self, low: i128) -> Option<i128> {
        let modulus = i128::from(self.modulus);
        low.checked_add((i128::from(self.residue) - low.rem_euclid(modulus)).rem_euclid(modulus))
    }

    /// The greatest of them up to `high`, if it fits.
    pub fn at_most(self, high: i128) -> Option<i128> {
        let modulus = i128::from(self.modulus);
        high.checked_sub((high.rem_euclid(modulus) - i128::from(self.residue)).rem_euclid(modulus))
    }
}

/// The inverse of `value` modulo `modulus`, both at most 2**64.
pub(super) fn inverse(value: u128, modulus: u128) -> Option<i128> {
    let modulus = modulus as i128;
    let (mut r0, mut r1) = (modulus, value as i128);
    let (mut t0, mut t1) = (0_i128, 1_i128);
    while r1 != 0 {
        let quotient = r0 / r1;
        (r0, r1) = (r1, r0 - quotient * r1);
        (t0, t1) = (t1, t0 - quotient * t1);
    }
    (r0 == 1).then(|| t0.rem_euclid(modulus))
}

impl Class {
    /// One integer.
    pub const fn exact(value: i128) -> Class {
        Class { modulus: 0, value }
    }

    /// The least class that has the integers of both.
    #[must_use]
    pub fn join(self, other: Class) -> Residue {
        let common = gcd_u128(self.modulus, other.modulus);
        Residue::new(self.value, gcd_u128(common, self.value.abs_diff(other.value)))
    }

    /// `-a`.
    pub fn negated(self) -> Residue {
        self.value.checked_neg().map_or(Residue::ANY, |value| Residue::new(value, self.modulus))
    }

    /// `a + b`.
    pub fn sum(self, other: Class) -> Residue {
        let modulus = gcd_u128(self.modulus, other.modulus);
        self.value.checked_add(other.value).map_or(Residue::ANY, |value| Residue::new(value, modulus))
    }

    /// `a * b`: of `(x + i * m) * (y + j * n)` all but `x * y` is a multiple of `m * y`, `n * x` or `m * n`.
    pub fn product(self, other: Class) -> Residue {
        let both = |a: u128, b: u128| a.checked_mul(b);
        let parts = [
            both(self.modulus, other.value.unsigned_abs()),
            both(other.modulus, self.value.unsigned_abs()),
            both(self.modulus, other.modulus),
        ];
        let modulus = parts.into_iter().try_fold(0, |common, part| Some(gcd_u128(common, part?)));
        match (modulus, self.value.checked_mul(other.value)) {
            (Some(modulus), Some(value)) => Residue::new(value, modulus),
            _ => Residue::ANY,
        }
    }

    /// The sum of `count` integers of this class, each of them another one perhaps.
    pub fn times(self, count: Class) -> Residue {
        match (self.value.checked_mul(count.value), self.value.unsigned_abs().checked_mul(count.modulus)) {
            (Some(value), Some(step)) => Residue::new(value, gcd_u128(self.modulus, step)),
            _ => Residue::ANY,
        }
    }

    /// `a // divisor` of a positive divisor, where that divides the modulus.
    pub fn divided(self, divisor: u128) -> Residue {
        match i128::try_from(divisor) {
            Ok(by) if self.modulus.is_multiple_of(divisor) => Residue::new(self.value.div_euclid(by), self.modulus / divisor),
            _ => Residue::ANY,
        }
    }

    /// `a % divisor` of a positive divisor: the remainder, as far as the modulus and the divisor have it in common.
    pub fn remainder(self, divisor: u128) -> Residue {
        Residue::new(self.value, gcd_u128(self.modulus, divisor))
    }

    /// `a ** b` for a ≥ 1, b ≥ 1: of a known exponent what the power of the remainder leaves, else odd or even as the base is.
    pub fn power(self, exponent: Option<i128>) -> Residue {
        let (Some(exponent), 1..=MAX_MODULUS) = (exponent, self.modulus) else {
            return if self.modulus.is_multiple_of(2) { Residue::new(self.value, 2) } else { Residue::ANY };
        };
        let (mut base, mut rest) = (self.value.rem_euclid(self.modulus as i128).unsigned_abs(), exponent.unsigned_abs());
        let mut result = 1;
        while rest > 0 {
            if rest & 1 == 1 {
                result = result * base % self.modulus;
            }
            base = base * base % self.modulus;
            rest >>= 1;
        }
        Residue::new(result as i128, self.modulus)
    }

    /// How many of the last bits are known.
    pub const fn known_bits(self) -> u32 {
        if self.modulus == 0 { 127 } else { self.modulus.trailing_zeros() }
    }

    /// A bitwise operation on both: bit by bit, so that the last ones of the result are known where those of both are.
    pub fn bitwise(self, other: Class, of: impl Fn(i128, i128) -> i128) -> Residue {
        let known = self.known_bits().min(other.known_bits()).min(32);
        Residue::new(of(self.value, other.value), 1 << known)
    }
}
