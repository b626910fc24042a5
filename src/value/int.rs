//! Integers as an interval and a bit-length interval.
//!
//! Theory of operation: values up to 127 bits are tracked by the interval, longer ones by their bit length and their sign; of both the remainder
//! modulo something may be known. [`Int::normalise`] lets these tighten each other. Every operation returns a set that contains every possible result; an operation that can raise or change type says so
//! beside its result, which is `None` when no integer can come out at all.

use crate::value::bits;
use crate::value::residue::{Class, Residue, inverse};

/// A set of integers. Every member `v` satisfies `low <= v <= high` and `bits_low <= bit_length(|v|) <= bits_high`, and is of the residue class.
///
/// `i128::MIN` as `low` and `i128::MAX` as `high` mean unbounded on that side; `low == i128::MAX` means "at least
/// `i128::MAX`", `high == i128::MIN` "at most `i128::MIN`". `u64::MAX` as `bits_high` means unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Int {
    /// Lower bound.
    pub low: i128,
    /// Upper bound.
    pub high: i128,
    /// Least bit length of the magnitude.
    pub bits_low: u64,
    /// Greatest bit length of the magnitude.
    pub bits_high: u64,
    /// The remainder that all leave, where it is known. Of one integer alone, the interval says it.
    pub residue: Residue,
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the operators name themselves")]
pub enum Comparison {
    Lt,
    Le,
    Eq,
    Ne,
    Gt,
    Ge,
}

impl Comparison {
    /// The operator with its operands exchanged: `a < b` is `b > a`.
    pub const fn swapped(self) -> Comparison {
        match self {
            Comparison::Lt => Comparison::Gt,
            Comparison::Le => Comparison::Ge,
            Comparison::Gt => Comparison::Lt,
            Comparison::Ge => Comparison::Le,
            same => same,
        }
    }

    /// The operator that holds exactly when this one does not (on totally ordered values: not on NaN).
    pub const fn negated(self) -> Comparison {
        match self {
            Comparison::Lt => Comparison::Ge,
            Comparison::Le => Comparison::Gt,
            Comparison::Eq => Comparison::Ne,
            Comparison::Ne => Comparison::Eq,
            Comparison::Gt => Comparison::Le,
            Comparison::Ge => Comparison::Lt,
        }
    }
}

/// The sign of a set of integers, as [`Int::bits`] takes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sign {
    /// At least 0.
    Positive,
    /// At most 0.
    Negative,
    /// Either.
    Any,
}

/// What `a ** b` can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Power {
    /// The integers it can be, from exponents of at least 0.
    pub int: Option<Int>,
    /// A negative exponent gives a float (or OverflowError where the base does not fit one).
    pub float_possible: bool,
    /// `0 ** -1` raises ZeroDivisionError.
    pub zero_division_possible: bool,
}

/// What `a // b`, `a % b` or `pow(a, b, m)` can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Division {
    /// The integers it can be.
    pub int: Option<Int>,
    /// ZeroDivisionError can happen (for `pow` with three arguments, ValueError: a modulus of 0, or no inverse).
    pub zero_possible: bool,
    /// It must happen.
    pub zero_certain: bool,
}

/// What `a << b` or `a >> b` can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shift {
    /// The integers it can be.
    pub int: Option<Int>,
    /// ValueError: negative shift count.
    pub negative_possible: bool,
    /// It must happen.
    pub negative_certain: bool,
    /// OverflowError (or MemoryError): the count is 2**63 or more and the operand not 0.
    pub overflow_possible: bool,
    /// It must happen.
    pub overflow_certain: bool,
}

/// The product of two bounds, either of which can be infinite (`i128::MIN` as a lower, `i128::MAX` as an upper bound).
fn mul_bounds((a, a_infinite): (i128, bool), (b, b_infinite): (i128, bool)) -> i128 {
    if a == 0 || b == 0 {
        0
    } else if a_infinite || b_infinite {
        if (a < 0) == (b < 0) { i128::MAX } else { i128::MIN }
    } else {
        a.saturating_mul(b)
    }
}

/// ⌊a / b⌋ of two bounds, b > 0, either of which can be infinite.
fn div_bounds((a, a_infinite): (i128, bool), (b, b_infinite): (i128, bool)) -> i128 {
    match (a_infinite, b_infinite) {
        (_, true) => -i128::from(a < 0),
        (true, false) => a,
        (false, false) => a.div_euclid(b),
    }
}

/// `magnitude` as a bound: `i128::MAX` where it does not fit.
fn bound(magnitude: u128) -> i128 {
    i128::try_from(magnitude).unwrap_or(i128::MAX)
}

/// `2**exponent` as a bound: `i128::MAX` where it does not fit.
const fn power_of_two(exponent: u64) -> i128 {
    if exponent >= 127 { i128::MAX } else { 1 << exponent }
}

/// `base ** exponent` as a bound.
fn saturating_power(base: u128, exponent: u128) -> i128 {
    if base <= 1 {
        return i128::from(base == 1 || exponent == 0);
    }
    u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent)).map_or(i128::MAX, bound)
}

impl Int {
    /// Any integer.
    pub const ANY: Int = Int { low: i128::MIN, high: i128::MAX, bits_low: 0, bits_high: u64::MAX, residue: Residue::ANY };
    /// Any integer of at least 0.
    pub const NON_NEGATIVE: Int = Int { low: 0, ..Int::ANY };
    /// 0.
    pub const ZERO: Int = Int::exact(0);
    /// 1.
    pub const ONE: Int = Int::exact(1);

    // ---- construction -----------------------------------------------------------------------------------------------

    /// One integer.
    pub const fn exact(value: i128) -> Int {
        let length = bits::bit_length(value.unsigned_abs());
        Int { low: value, high: value, bits_low: length, bits_high: length, residue: Residue::ANY }
    }

    /// The integers from `low` to `high`, both included; the bounds in either order.
    pub fn range(low: i128, high: i128) -> Int {
        Int { low: low.min(high), high: low.max(high), ..Int::ANY }.normalise()
    }

    /// The integers with a bit length from `low` to `high`, both included, of the given sign.
    pub fn bits(low: u64, high: u64, sign: Sign) -> Int {
        Int {
            low: if sign == Sign::Positive { 0 } else { i128::MIN },
            high: if sign == Sign::Negative { 0 } else { i128::MAX },
            bits_low: low.min(high),
            bits_high: low.max(high),
            residue: Residue::ANY,
        }
        .normalise()
    }

    /// The integers that leave the remainder of `value` when divided by `modulus`.
    pub fn remaining(value: i128, modulus: u128) -> Int {
        Int { residue: Residue::new(value, modulus), ..Int::ANY }.normalise()
    }

    /// Lets interval, bit lengths and remainder tighten each other; `None` when no integer satisfies all.
    pub fn tighten(self) -> Option<Int> {
        let Int { mut low, mut high, mut bits_low, mut bits_high, mut residue } = self;
        if low > high || bits_low > bits_high {
            return None;
        }
        // From bits to interval: |v| <= 2**bits_high - 1 and |v| >= 2**(bits_low - 1).
        if bits_high < 127 {
            let most = power_of_two(bits_high) - 1;
            low = low.max(-most);
            high = high.min(most);
        } else if bits_high == 127 {
            low = low.max(-i128::MAX);
        }
        if bits_low > 0 {
            let least = power_of_two(bits_low - 1);
            // The negative magnitude 2**127 fits where the positive one does not.
            let negative = if bits_low > 127 { i128::MIN } else { -least };
            if low > negative {
                low = low.max(least);
            }
            if high < least {
                high = high.min(negative);
            }
        }
        // From the remainder to both; a bound beyond i128 stays where it is.
        if residue.modulus() > 1 {
            if low > i128::MIN {
                low = residue.at_least(low).unwrap_or(low);
            }
            if high < i128::MAX {
                high = residue.at_most(high).unwrap_or(high);
            }
            bits_low = bits_low.max(u64::from(!residue.contains(0)));
        }
        if low > high {
            return None;
        }
        if low == high && low != i128::MIN && low != i128::MAX {
            residue = Residue::ANY;
        }
        // From interval to bits.
        if low > 0 {
            bits_low = bits_low.max(bits::bit_length(low.unsigned_abs()));
        } else if high < 0 {
            bits_low = bits_low.max(bits::bit_length(high.unsigned_abs()));
        }
        if low > i128::MIN && high < i128::MAX {
            bits_high = bits_high.min(bits::bit_length(low.unsigned_abs().max(high.unsigned_abs())));
        }
        (bits_low <= bits_high).then_some(Int { low, high, bits_low, bits_high, residue })
    }

    /// [`Int::tighten`] for a set that is known not to be empty.
    pub fn normalise(self) -> Int {
        // Bits and interval of a non-empty set never contradict each other; a caller's mistake must not become a wrong claim.
        self.tighten().unwrap_or(Int::ANY)
    }

    // ---- questions --------------------------------------------------------------------------------------------------

    /// The value, when there is only one and it is known.
    pub const fn is_exact(&self) -> Option<i128> {
        if self.low == self.high && self.low != i128::MIN && self.low != i128::MAX { Some(self.low) } else { None }
    }

    /// What is known of the remainders.
    pub const fn class(&self) -> Class {
        match self.is_exact() {
            Some(value) => Class::exact(value),
            None => self.residue.class(),
        }
    }

    /// The lower bound, if there is one (it can be `i128::MAX`: at least that).
    pub const fn lower(&self) -> Option<i128> {
        if self.low == i128::MIN { None } else { Some(self.low) }
    }

    /// The upper bound, if there is one (it can be `i128::MIN`: at most that).
    pub const fn upper(&self) -> Option<i128> {
        if self.high == i128::MAX { None } else { Some(self.high) }
    }

    /// Whether `value` is a member.
    pub fn contains(&self, value: i128) -> bool {
        self.low <= value
            && value <= self.high
            && self.residue.contains(value)
            && self.contains_length(bits::bit_length(value.unsigned_abs()))
    }

    const fn contains_length(&self, length: u64) -> bool {
        self.bits_low <= length && length <= self.bits_high
    }

    /// Whether some integer of this bit length and sign can be a member (exact when the length is beyond 127 bits).
    pub fn contains_bits(&self, length: u64, negative: bool) -> bool {
        let sign = if negative && length > 0 { Sign::Negative } else { Sign::Positive };
        self.meet(&Int::bits(length, length, sign)).is_some()
    }

    /// Whether 0 is a member.
    pub fn may_be_zero(&self) -> bool {
        self.contains(0)
    }

    /// Whether the only member is 0.
    pub const fn is_zero(&self) -> bool {
        self.low == 0 && self.high == 0
    }

    /// Whether a negative integer can be a member.
    pub const fn may_be_negative(&self) -> bool {
        self.low < 0
    }

    /// The truth value: `None` when both are possible.
    pub fn truth(&self) -> Option<bool> {
        if self.is_zero() {
            Some(false)
        } else if self.may_be_zero() {
            None
        } else {
            Some(true)
        }
    }

    /// Whether every member of `other` is a member.
    pub fn includes(&self, other: &Int) -> bool {
        self.low <= other.low
            && self.high >= other.high
            && self.bits_low <= other.bits_low
            && self.bits_high >= other.bits_high
            && self.residue.includes(other.class())
    }

    const fn low_bound(&self) -> (i128, bool) {
        (self.low, self.low == i128::MIN)
    }

    const fn high_bound(&self) -> (i128, bool) {
        (self.high, self.high == i128::MAX)
    }

    /// The least magnitude.
    const fn least_magnitude(&self) -> u128 {
        if self.low > 0 {
            self.low.unsigned_abs()
        } else if self.high < 0 {
            self.high.unsigned_abs()
        } else {
            (self.bits_low > 0) as u128
        }
    }

    /// The greatest magnitude, if the interval bounds it.
    fn greatest_magnitude(&self) -> Option<u128> {
        Some(self.lower()?.unsigned_abs().max(self.upper()?.unsigned_abs()))
    }

    // ---- lattice ----------------------------------------------------------------------------------------------------

    /// The members of either.
    #[must_use]
    pub fn join(&self, other: &Int) -> Int {
        Int {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            bits_low: self.bits_low.min(other.bits_low),
            bits_high: self.bits_high.max(other.bits_high),
            residue: self.class().join(other.class()),
        }
        .normalise()
    }

    /// The members of either, and all that lie between.
    #[must_use]
    pub fn hull(&self, other: &Int) -> Int {
        Int { residue: Residue::ANY, ..self.join(other) }.normalise()
    }

    /// What this many of the members can add up to, each of them another one perhaps.
    #[must_use]
    pub fn times(&self, count: &Int) -> Int {
        let product = self.mul(count);
        // The bits of the product bound nothing where elements of both signs may cancel out.
        let (bits_low, bits_high) = if self.low < 0 && self.high > 0 { (0, u64::MAX) } else { (product.bits_low, product.bits_high) };
        let residue = self.class().times(count.class());
        Int { bits_low, bits_high, residue, ..product }.normalise()
    }

    /// `min(a, b)`.
    #[must_use]
    pub fn lesser(&self, other: &Int) -> Int {
        let below = Int { low: i128::MIN, high: self.high.min(other.high), ..Int::ANY };
        self.join(other).meet(&below).unwrap_or(Int::ANY)
    }

    /// All from the members of this one up to those of another.
    #[must_use]
    pub fn through(&self, last: &Int) -> Int {
        let mut all = Int { residue: Residue::ANY, ..self.join(last) };
        if self.low <= 0 && last.high >= 0 {
            all.bits_low = 0;
        }
        all.normalise()
    }

    /// The members of both; `None` when there are none.
    pub fn meet(&self, other: &Int) -> Option<Int> {
        Int {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            bits_low: self.bits_low.max(other.bits_low),
            bits_high: self.bits_high.min(other.bits_high),
            residue: self.residue.meet(other.residue)?,
        }
        .tighten()
    }

    /// A set that contains both, reached after finitely many steps however often it is repeated: a bound that moved goes to the next of −1, 0, 1,
    /// then to unbounded.
    #[must_use]
    pub fn widen(&self, newer: &Int) -> Int {
        Int {
            low: if newer.low >= self.low {
                self.low
            } else {
                [1, 0, -1].into_iter().find(|threshold| *threshold <= newer.low).unwrap_or(i128::MIN)
            },
            high: if newer.high <= self.high {
                self.high
            } else {
                [-1, 0, 1].into_iter().find(|threshold| *threshold >= newer.high).unwrap_or(i128::MAX)
            },
            bits_low: if newer.bits_low >= self.bits_low { self.bits_low } else { u64::from(newer.bits_low >= 1) },
            bits_high: if newer.bits_high <= self.bits_high {
                self.bits_high
            } else if newer.bits_high <= 1 {
                1
            } else {
                u64::MAX
            },
            residue: self.class().join(newer.class()),
        }
        .normalise()
    }

    // ---- arithmetic -------------------------------------------------------------------------------------------------

    /// `-a`.
    #[must_use]
    pub fn neg(&self) -> Int {
        Int {
            // Negating "at most i128::MIN" saturates to "at least i128::MAX", and an infinite bound stays infinite on the other side.
            low: if self.high == i128::MAX { i128::MIN } else { self.high.saturating_neg() },
            high: if self.low == i128::MIN { i128::MAX } else { self.low.saturating_neg() },
            residue: self.class().negated(),
            ..*self
        }
        .normalise()
    }

    /// `abs(a)`.
    #[must_use]
    pub fn abs(&self) -> Int {
        if self.low >= 0 {
            *self
        } else if self.high <= 0 {
            self.neg()
        } else {
            let high = if self.low == i128::MIN { i128::MAX } else { self.high.max(self.low.saturating_neg()) };
            let residue = self.residue.class().join(self.residue.class().negated().class());
            Int { low: 0, high, residue, ..*self }.normalise()
        }
    }

    /// `~a`.
    #[must_use]
    pub fn invert(&self) -> Int {
        self.neg().sub(&Int::ONE)
    }

    /// `a + b`.
    #[must_use]
    pub fn add(&self, other: &Int) -> Int {
        let low = match (self.lower(), other.lower()) {
            (Some(a), Some(b)) => a.saturating_add(b),
            _ => i128::MIN,
        };
        let high = match (self.upper(), other.upper()) {
            (Some(a), Some(b)) => a.saturating_add(b),
            _ => i128::MAX,
        };
        let same_sign = (self.low >= 0 && other.low >= 0) || (self.high <= 0 && other.high <= 0);
        let opposite = (self.low >= 0 && other.high <= 0) || (self.high <= 0 && other.low >= 0);
        let bits_low = if same_sign {
            self.bits_low.max(other.bits_low)
        } else if self.bits_low > other.bits_high {
            // 2**(l - 1) less at most 2**h - 1.
            if self.bits_low > other.bits_high.saturating_add(1) { self.bits_low - 1 } else { 1 }
        } else if other.bits_low > self.bits_high {
            if other.bits_low > self.bits_high.saturating_add(1) { other.bits_low - 1 } else { 1 }
        } else {
            0
        };
        let most = self.bits_high.max(other.bits_high);
        let bits_high = if opposite || self.is_zero() || other.is_zero() { most } else { most.saturating_add(1) };
        Int { low, high, bits_low: bits_low.min(bits_high), bits_high, residue: self.class().sum(other.class()) }.normalise()
    }

    /// `a - b`.
    #[must_use]
    pub fn sub(&self, other: &Int) -> Int {
        self.add(&other.neg())
    }

    /// `a * b`.
    #[must_use]
    pub fn mul(&self, other: &Int) -> Int {
        if self.is_zero() || other.is_zero() {
            return Int::ZERO;
        }
        let (a, b) = ([self.low_bound(), self.high_bound()], [other.low_bound(), other.high_bound()]);
        let corners = [mul_bounds(a[0], b[0]), mul_bounds(a[0], b[1]), mul_bounds(a[1], b[0]), mul_bounds(a[1], b[1])];
        let (mut low, mut high) = (corners[0], corners[0]);
        for corner in corners {
            low = low.min(corner);
            high = high.max(corner);
        }
        // 0 is a member where either contains it, whatever bounds the corners have.
        if self.may_be_zero() || other.may_be_zero() {
            low = low.min(0);
            high = high.max(0);
        }
        let mut bits_low = if self.bits_low == 0 || other.bits_low == 0 { 0 } else { self.bits_low.saturating_add(other.bits_low - 1) };
        let mut bits_high = self.bits_high.saturating_add(other.bits_high);
        if let (Some(a), Some(b)) = (self.greatest_magnitude(), other.greatest_magnitude()) {
            bits_high = bits_high.min(bits::product(a, b).1);
        }
        bits_low = bits_low.max(bits::product(self.least_magnitude(), other.least_magnitude()).0);
        Int { low, high, bits_low, bits_high, residue: self.class().product(other.class()) }.normalise()
    }

    /// The members above 0.
    fn positive(&self) -> Option<Int> {
        self.meet(&Int { low: 1, ..Int::ANY })
    }

    /// `a // b`.
    pub fn floor_div(&self, other: &Int) -> Division {
        let above = other.positive().map(|divisor| self.div_positive(&divisor));
        let below = other.neg().positive().map(|divisor| self.neg().div_positive(&divisor));
        Division { int: join_options(above, below), zero_possible: other.may_be_zero(), zero_certain: other.is_zero() }
    }

    fn div_positive(&self, divisor: &Int) -> Int {
        let (a, b) = ([self.low_bound(), self.high_bound()], [divisor.low_bound(), divisor.high_bound()]);
        let corners = [div_bounds(a[0], b[0]), div_bounds(a[0], b[1]), div_bounds(a[1], b[0]), div_bounds(a[1], b[1])];
        let (mut low, mut high) = (corners[0], corners[0]);
        for corner in corners {
            low = low.min(corner);
            high = high.max(corner);
        }
        // |a| < 2**bits_high(a) and b >= 2**(bits_low(b) - 1); the floor of a negative quotient can round its magnitude up.
        let round = u64::from(self.may_be_negative());
        let bits_high = if self.bits_high == u64::MAX {
            u64::MAX
        } else if self.bits_high < divisor.bits_low {
            round
        } else {
            (self.bits_high - divisor.bits_low + 1 + round).min(self.bits_high)
        };
        let bits_low = if divisor.bits_high == u64::MAX { 0 } else { self.bits_low.saturating_sub(divisor.bits_high) };
        let residue = divisor.is_exact().map_or(Residue::ANY, |divisor| self.class().divided(divisor.unsigned_abs()));
        // A negative dividend never gives 0: −1 // b is −1.
        Int { low, high, bits_low: bits_low.min(bits_high), bits_high, residue }.normalise()
    }

    /// `a % b`.
    pub fn modulo(&self, other: &Int) -> Division {
        let above = other.positive().map(|divisor| self.mod_positive(&divisor));
        // The remainder has the divisor's sign: a % b = −(−a % −b).
        let below = other.neg().positive().map(|divisor| self.neg().mod_positive(&divisor).neg());
        Division { int: join_options(above, below), zero_possible: other.may_be_zero(), zero_certain: other.is_zero() }
    }

    fn mod_positive(&self, divisor: &Int) -> Int {
        if self.low >= 0 && (self.compare(divisor, Comparison::Lt) == Some(true)) {
            return *self;
        }
        if let (Some(modulus), Some(low), Some(high)) = (divisor.is_exact(), self.lower(), self.upper())
            && low < i128::MAX
            && high > i128::MIN
            && low.div_euclid(modulus) == high.div_euclid(modulus)
        {
            let residue = self.class().remainder(modulus.unsigned_abs());
            return Int { residue, ..Int::range(low.rem_euclid(modulus), high.rem_euclid(modulus)) }.normalise();
        }
        let mut most = divisor.upper().map_or(i128::MAX, |high| high - 1);
        let mut bits_high = divisor.bits_high;
        if self.low >= 0 {
            most = most.min(self.high);
            bits_high = bits_high.min(self.bits_high);
        }
        let residue = divisor.is_exact().map_or(Residue::ANY, |divisor| self.class().remainder(divisor.unsigned_abs()));
        Int { low: 0, high: most, bits_low: 0, bits_high, residue }.normalise()
    }

    /// `a ** b`.
    pub fn pow(&self, exponent: &Int) -> Power {
        let negative = exponent.may_be_negative();
        let int = exponent.meet(&Int::NON_NEGATIVE).map(|exponent| self.natural_pow(&exponent));
        Power { int, float_possible: negative && *self != Int::ZERO, zero_division_possible: negative && self.may_be_zero() }
    }

    fn natural_pow(&self, exponent: &Int) -> Int {
        let one = exponent.may_be_zero().then_some(Int::ONE);
        let Some(exponent) = exponent.positive() else { return Int::ONE };
        // From here on the exponent is at least 1; the base splits into 0, magnitudes of 1, and those that grow.
        let positive = self.positive().map(|base| base.positive_pow(&exponent));
        let negative = self.neg().positive().map(|base| base.positive_pow(&exponent)).map(|power| match parity(&exponent) {
            Some(true) => power.neg(),
            Some(false) => power,
            None => power.join(&power.neg()),
        });
        let zero = self.may_be_zero().then_some(Int::ZERO);
        let powers = join_options(join_options(positive, negative), join_options(zero, one));
        powers.unwrap_or(Int::ANY)
    }

    /// `a ** b` for a ≥ 1, b ≥ 1.
    fn positive_pow(&self, exponent: &Int) -> Int {
        let least_exponent = exponent.low.unsigned_abs();
        let least = self.low.unsigned_abs();
        let mut bits_low = bits::power(least, least_exponent).0;
        // A base beyond i128 is known by its length only: (2**(l - 1))**n has (l - 1)·n + 1 bits.
        bits_low = bits_low.max(saturating_bits(self.bits_low.saturating_sub(1), least_exponent).saturating_add(1));
        let low = saturating_power(least, least_exponent);
        let (high, bits_high) = match (self.upper(), exponent.upper()) {
            (Some(1), _) => (1, 1),
            (Some(base), Some(exponent)) => (
                saturating_power(base.unsigned_abs(), exponent.unsigned_abs()),
                bits::power(base.unsigned_abs(), exponent.unsigned_abs()).1,
            ),
            (None, Some(exponent)) => (i128::MAX, saturating_bits(self.bits_high, exponent.unsigned_abs())),
            (_, None) => (i128::MAX, u64::MAX),
        };
        let residue = self.class().power(exponent.is_exact());
        Int { low, high, bits_low: bits_low.min(bits_high), bits_high, residue }.normalise()
    }

    /// `pow(a, b, m)`; `zero_possible` stands for its ValueErrors (modulus 0, no inverse).
    pub fn pow_mod(&self, exponent: &Int, modulus: &Int) -> Division {
        let error_possible = modulus.may_be_zero() || exponent.may_be_negative();
        let any = modulus.pow_mod_range();
        let Some((base, exponent_value, divisor)) = exact3(self, exponent, modulus) else {
            return Division { int: any, zero_possible: error_possible, zero_certain: modulus.is_zero() };
        };
        if divisor == 0 {
            return Division { int: None, zero_possible: true, zero_certain: true };
        }
        let size = divisor.unsigned_abs();
        if size > 1 << 63 {
            return Division { int: any, zero_possible: exponent_value < 0, zero_certain: false };
        }
        let mut base = base.rem_euclid(divisor).unsigned_abs();
        if exponent_value < 0 {
            match inverse(base, size) {
                Some(value) => base = value.unsigned_abs(),
                None => return Division { int: None, zero_possible: true, zero_certain: true },
            }
        }
        let (mut result, mut rest) = (1 % size, exponent_value.unsigned_abs());
        while rest > 0 {
            if rest & 1 == 1 {
                result = result * base % size;
            }
            base = base * base % size;
            rest >>= 1;
        }
        // The result has the modulus's sign, as with `%`.
        let result = bound(result);
        let result = if divisor < 0 && result != 0 { result + divisor } else { result };
        Division { int: Some(Int::exact(result)), zero_possible: false, zero_certain: false }
    }

    /// What a remainder by this modulus can be.
    fn pow_mod_range(&self) -> Option<Int> {
        Int::ANY.modulo(self).int
    }

    /// `a << b`.
    pub fn shl(&self, count: &Int) -> Shift {
        let valid = count.meet(&Int::range(0, i128::from(i64::MAX)));
        let beyond = count.meet(&Int { low: 1 << 63, ..Int::ANY });
        let shifted = valid.map(|count| self.shl_natural(&count));
        // 0 << n is 0 for every n that is not negative.
        let zero = (beyond.is_some() && self.may_be_zero()).then_some(Int::ZERO);
        let nonzero = !self.is_zero();
        Shift {
            int: join_options(shifted, zero),
            negative_possible: count.may_be_negative(),
            negative_certain: count.high < 0,
            overflow_possible: beyond.is_some() && nonzero,
            overflow_certain: count.low >= 1 << 63 && !self.may_be_zero(),
        }
    }

    fn shl_natural(&self, count: &Int) -> Int {
        let (least, most) = (count.low.unsigned_abs() as u64, count.high.unsigned_abs() as u64);
        let shift = |(value, infinite): (i128, bool), count: u64| mul_bounds((value, infinite), (power_of_two(count), count >= 127));
        let low = shift(self.low_bound(), if self.low < 0 { most } else { least });
        let high = shift(self.high_bound(), if self.high < 0 { least } else { most });
        let bits_low = if self.bits_low == 0 { 0 } else { self.bits_low.saturating_add(least) };
        let bits_high = if self.bits_high == 0 { 0 } else { self.bits_high.saturating_add(most) };
        // A negative high shifted by 127 or more is at most i128::MIN; so is a bound that saturated there.
        let residue = match count.is_exact() {
            Some(count) if count < 127 => self.class().product(Class::exact(power_of_two(count as u64))),
            _ => Residue::ANY,
        };
        Int { low, high, bits_low, bits_high, residue }.normalise()
    }

    /// `a >> b`.
    pub fn shr(&self, count: &Int) -> Shift {
        let int = count.meet(&Int::NON_NEGATIVE).map(|count| {
            let least = u64::try_from(count.low).unwrap_or(u64::MAX);
            let most = count.upper().map_or(u64::MAX, |high| u64::try_from(high).unwrap_or(u64::MAX));
            let shift = |(value, infinite): (i128, bool), count: u64| match (infinite, count) {
                // An infinite bound over an infinite count is anything down to 0 or −1; over a finite count it stays infinite.
                (true, u64::MAX) => -i128::from(value < 0),
                (true, _) => value,
                (false, count) => value >> count.min(127),
            };
            let low = shift(self.low_bound(), if self.low < 0 { least } else { most });
            let high = shift(self.high_bound(), if self.high < 0 { most } else { least });
            let round = u64::from(self.may_be_negative());
            let bits_high = if self.bits_high == u64::MAX {
                u64::MAX
            } else {
                self.bits_high.saturating_sub(least).saturating_add(round).min(self.bits_high)
            };
            let bits_low = self.bits_low.saturating_sub(most).min(bits_high);
            let residue = match count.is_exact() {
                Some(count) if count < 127 => self.class().divided(1 << count),
                _ => Residue::ANY,
            };
            Int { low, high, bits_low, bits_high, residue }.normalise()
        });
        Shift {
            int,
            negative_possible: count.may_be_negative(),
            negative_certain: count.high < 0,
            overflow_possible: false,
            overflow_certain: false,
        }
    }

    /// `a & b`.
    #[must_use]
    pub fn bit_and(&self, other: &Int) -> Int {
        if let (Some(a), Some(b)) = (self.is_exact(), other.is_exact()) {
            return Int::exact(a & b);
        }
        let residue = self.class().bitwise(other.class(), |a, b| a & b);
        let up_to = |high: i128, bits_high: u64| Int { low: 0, high, bits_low: 0, bits_high, residue }.normalise();
        match (self.low >= 0, other.low >= 0) {
            (true, true) => up_to(self.high.min(other.high), self.bits_high.min(other.bits_high)),
            (true, false) => up_to(self.high, self.bits_high),
            (false, true) => up_to(other.high, other.bits_high),
            (false, false) => self.twos_complement(other, self.high < 0 && other.high < 0, false, residue),
        }
    }

    /// `a | b`.
    #[must_use]
    pub fn bit_or(&self, other: &Int) -> Int {
        if let (Some(a), Some(b)) = (self.is_exact(), other.is_exact()) {
            return Int::exact(a | b);
        }
        let residue = self.class().bitwise(other.class(), |a, b| a | b);
        if self.low >= 0 && other.low >= 0 {
            let bits_high = self.bits_high.max(other.bits_high);
            let bits_low = self.bits_low.max(other.bits_low);
            return Int { low: self.low.max(other.low), high: i128::MAX, bits_low, bits_high, residue }.normalise();
        }
        let negative = self.high < 0 || other.high < 0;
        let mut result = self.twos_complement(other, negative, false, residue);
        // Setting bits of a negative number only brings it closer to −1.
        for operand in [self, other] {
            if operand.high < 0 {
                result = result.meet(&Int { low: operand.low, ..Int::ANY }).unwrap_or(result);
            }
        }
        result
    }

    /// `a ^ b`.
    #[must_use]
    pub fn bit_xor(&self, other: &Int) -> Int {
        if let (Some(a), Some(b)) = (self.is_exact(), other.is_exact()) {
            return Int::exact(a ^ b);
        }
        let residue = self.class().bitwise(other.class(), |a, b| a ^ b);
        if self.low >= 0 && other.low >= 0 {
            let bits_high = self.bits_high.max(other.bits_high);
            let bits_low = if self.bits_low > other.bits_high {
                self.bits_low
            } else if other.bits_low > self.bits_high {
                other.bits_low
            } else {
                0
            };
            return Int { low: 0, high: i128::MAX, bits_low, bits_high, residue }.normalise();
        }
        let opposite = (self.low >= 0 && other.high < 0) || (self.high < 0 && other.low >= 0);
        self.twos_complement(other, opposite, self.high < 0 && other.high < 0, residue)
    }

    /// The result of a bitwise operation in two's complement: operands in [−2**k, 2**k − 1] give a result in it.
    fn twos_complement(&self, other: &Int, negative: bool, non_negative: bool, residue: Residue) -> Int {
        let width = self.bits_high.max(other.bits_high);
        let edge = power_of_two(width);
        let (mut low, mut high) = if width >= 127 { (i128::MIN, i128::MAX) } else { (-edge, edge - 1) };
        if negative {
            high = -1;
        }
        if non_negative {
            low = 0;
        }
        let bits_high = if non_negative { width } else { width.saturating_add(1) };
        Int { low, high, bits_low: 0, bits_high, residue }.normalise()
    }

    /// The bit length, as `int.bit_length()` gives it.
    pub fn bit_length(&self) -> Int {
        let high = if self.bits_high == u64::MAX { i128::MAX } else { i128::from(self.bits_high) };
        Int::range(i128::from(self.bits_low), high)
    }

    /// Least and greatest length of `str(a)`.
    pub fn decimal_length(&self) -> (u64, u64) {
        if let Some(value) = self.is_exact() {
            let length = decimal_digits(value.unsigned_abs()) + u64::from(value < 0);
            return (length, length);
        }
        let (mut low, mut high) = (bits::digits(self.bits_low).0, bits::digits(self.bits_high).1);
        low = low.max(decimal_digits(self.least_magnitude()));
        if let Some(most) = self.greatest_magnitude() {
            high = high.min(decimal_digits(most));
        }
        (low.saturating_add(u64::from(self.high < 0)), high.saturating_add(u64::from(self.low < 0)))
    }

    // ---- comparison -------------------------------------------------------------------------------------------------

    fn surely_less(&self, other: &Int) -> bool {
        (self.high != i128::MAX && other.low != i128::MIN && self.high < other.low)
            || (self.low >= 0 && other.low >= 0 && self.bits_high < other.bits_low)
            || (self.high <= 0 && other.high <= 0 && self.bits_low > other.bits_high)
            || (self.high <= 0 && other.low >= 0 && (self.bits_low > 0 || other.bits_low > 0))
    }

    fn surely_at_most(&self, other: &Int) -> bool {
        self.surely_less(other) || (self.high != i128::MAX && other.low != i128::MIN && self.high <= other.low)
    }

    /// `a op b`: `None` when both answers are possible.
    pub fn compare(&self, other: &Int, op: Comparison) -> Option<bool> {
        let decide = |yes: bool, no: bool| {
            if yes {
                Some(true)
            } else if no {
                Some(false)
            } else {
                None
            }
        };
        match op {
            Comparison::Lt => decide(self.surely_less(other), other.surely_at_most(self)),
            Comparison::Le => decide(self.surely_at_most(other), other.surely_less(self)),
            Comparison::Gt => other.compare(self, Comparison::Lt),
            Comparison::Ge => other.compare(self, Comparison::Le),
            Comparison::Eq => {
                let equal = self.is_exact().is_some() && self.is_exact() == other.is_exact();
                decide(equal, self.meet(other).is_none())
            }
            Comparison::Ne => self.compare(other, Comparison::Eq).map(|equal| !equal),
        }
    }

    /// The members that can satisfy `self op other`; `None` when none can.
    pub fn refine(&self, op: Comparison, other: &Int) -> Option<Int> {
        if self.compare(other, op) == Some(false) {
            return None;
        }
        let limit = match op {
            Comparison::Eq => *other,
            Comparison::Lt => Int { high: other.upper().map_or(i128::MAX, |high| high.saturating_sub(1)), ..Int::ANY },
            Comparison::Le => Int { high: other.high, ..Int::ANY },
            Comparison::Gt => Int { low: other.lower().map_or(i128::MIN, |low| low.saturating_add(1)), ..Int::ANY },
            Comparison::Ge => Int { low: other.low, ..Int::ANY },
            Comparison::Ne => {
                let mut result = *self;
                if let Some(value) = other.is_exact() {
                    if result.low == value {
                        result.low += 1;
                    }
                    if result.high == value {
                        result.high -= 1;
                    }
                    if value == 0 {
                        result.bits_low = result.bits_low.max(1);
                    }
                }
                return result.tighten();
            }
        };
        let mut result = self.meet(&limit)?;
        match op {
            Comparison::Lt | Comparison::Le if result.low >= 0 => result.bits_high = result.bits_high.min(other.bits_high),
            Comparison::Lt | Comparison::Le if other.high < 0 => result.bits_low = result.bits_low.max(other.bits_low),
            Comparison::Gt | Comparison::Ge if result.high <= 0 => result.bits_high = result.bits_high.min(other.bits_high),
            Comparison::Gt | Comparison::Ge if other.low > 0 => result.bits_low = result.bits_low.max(other.bits_low),
            _ => {}
        }
        result.tighten()
    }
}

/// The join of what exists.
pub(crate) fn join_options(a: Option<Int>, b: Option<Int>) -> Option<Int> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(&b)),
        (a, b) => a.or(b),
    }
}

/// `Some(true)` for an odd, `Some(false)` for an even exponent.
fn parity(exponent: &Int) -> Option<bool> {
    exponent.is_exact().map(|value| value & 1 == 1)
}

/// `length * count`, saturating.
fn saturating_bits(length: u64, count: u128) -> u64 {
    u64::try_from(u128::from(length).saturating_mul(count)).unwrap_or(u64::MAX)
}

fn exact3(a: &Int, b: &Int, c: &Int) -> Option<(i128, i128, i128)> {
    Some((a.is_exact()?, b.is_exact()?, c.is_exact()?))
}

/// The decimal digits of a magnitude.
fn decimal_digits(magnitude: u128) -> u64 {
    u64::from(magnitude.checked_ilog10().unwrap_or(0)) + 1
}
