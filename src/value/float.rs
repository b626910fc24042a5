//! Floats as intervals.
//!
//! IEEE 754 rounding is monotone, so the interval of a sum, product, quotient or root is the rounded result at its corners, with nothing to widen.
//! Nothing here reasons over the reals: each bound is a double that the operation itself would produce.

use crate::value::int::Comparison;

/// A set of doubles: every `v` with `low <= v <= high`, where −0.0 lies before 0.0, and NaN if `nan`.
///
/// One member exactly when `low` and `high` have the same bits and `nan` is false. No number at all is `low = inf`, `high = −inf`.
#[derive(Debug, Clone, Copy)]
pub struct Float {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Whether NaN is a member.
    pub nan: bool,
}

/// Equal by bits: 0.0 and −0.0 differ, and a set that holds NaN equals itself.
impl PartialEq for Float {
    fn eq(&self, other: &Float) -> bool {
        self.low.to_bits() == other.low.to_bits() && self.high.to_bits() == other.high.to_bits() && self.nan == other.nan
    }
}

impl Eq for Float {}

/// What a division of floats can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatDivision {
    /// The floats it can be.
    pub float: Option<Float>,
    /// ZeroDivisionError can happen.
    pub zero_possible: bool,
    /// It must happen.
    pub zero_certain: bool,
}

/// The smaller by total order, which puts −0.0 before 0.0.
fn least(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b).is_le() { a } else { b }
}

fn greatest(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b).is_ge() { a } else { b }
}

/// Moves `count` doubles up.
pub(crate) fn up(mut value: f64, count: u32) -> f64 {
    for _ in 0..count {
        value = value.next_up();
    }
    value
}

/// Moves `count` doubles down.
pub(crate) fn down(mut value: f64, count: u32) -> f64 {
    for _ in 0..count {
        value = value.next_down();
    }
    value
}

impl Float {
    /// Any float.
    pub const ANY: Float = Float { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true };
    /// Any float but NaN.
    pub const NUMBER: Float = Float { low: f64::NEG_INFINITY, high: f64::INFINITY, nan: false };
    /// NaN alone.
    pub const NAN: Float = Float { low: f64::INFINITY, high: f64::NEG_INFINITY, nan: true };

    /// One float.
    pub const fn exact(value: f64) -> Float {
        if value.is_nan() { Float::NAN } else { Float { low: value, high: value, nan: false } }
    }

    /// The floats from `low` to `high`, both included and in either order, zeros of both signs where the range touches 0. NaN bounds give any float.
    pub fn range(low: f64, high: f64) -> Float {
        if low.is_nan() || high.is_nan() {
            return Float::ANY;
        }
        let (low, high) = (low.min(high), low.max(high));
        Float { low: if low == 0.0 { -0.0 } else { low }, high: if high == 0.0 { 0.0 } else { high }, nan: false }
    }

    fn with_nan(self, nan: bool) -> Float {
        Float { nan: self.nan || nan, ..self }
    }

    /// The value, when there is only one (which can be NaN).
    pub fn is_exact(&self) -> Option<f64> {
        if self.is_nan() {
            Some(f64::NAN)
        } else if !self.nan && self.low.to_bits() == self.high.to_bits() {
            Some(self.low)
        } else {
            None
        }
    }

    /// Whether there is no number among the members.
    pub fn is_nan(&self) -> bool {
        self.low > self.high
    }

    /// Whether `value` is a member.
    pub fn contains(&self, value: f64) -> bool {
        if value.is_nan() { self.nan } else { self.low.total_cmp(&value).is_le() && self.high.total_cmp(&value).is_ge() }
    }

    /// Whether every member of `other` is a member.
    pub fn includes(&self, other: &Float) -> bool {
        (self.nan || !other.nan) && (other.is_nan() || (self.low.total_cmp(&other.low).is_le() && self.high.total_cmp(&other.high).is_ge()))
    }

    /// Whether a zero of either sign is a member.
    pub fn may_be_zero(&self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    /// Whether an infinity is a member.
    pub fn may_be_infinite(&self) -> bool {
        !self.is_nan() && (self.low == f64::NEG_INFINITY || self.high == f64::INFINITY)
    }

    /// The truth value: `None` when both are possible. NaN is true.
    pub fn truth(&self) -> Option<bool> {
        if !self.may_be_zero() {
            Some(true)
        } else if self.low == 0.0 && self.high == 0.0 && !self.nan {
            Some(false)
        } else {
            None
        }
    }

    /// The members of either.
    #[must_use]
    pub fn join(&self, other: &Float) -> Float {
        if self.is_nan() {
            return other.with_nan(true);
        }
        if other.is_nan() {
            return self.with_nan(true);
        }
        Float { low: least(self.low, other.low), high: greatest(self.high, other.high), nan: self.nan || other.nan }
    }

    /// The members of both; `None` when there are none.
    pub fn meet(&self, other: &Float) -> Option<Float> {
        let (low, high, nan) = (greatest(self.low, other.low), least(self.high, other.high), self.nan && other.nan);
        if low.total_cmp(&high).is_le() { Some(Float { low, high, nan }) } else { nan.then_some(Float::NAN) }
    }

    /// A set that contains both, reached after finitely many steps however often it is repeated: a bound that moved goes to the next of −1, 0, 1,
    /// then to infinity.
    #[must_use]
    pub fn widen(&self, newer: &Float) -> Float {
        if self.is_nan() || newer.is_nan() {
            return self.join(newer);
        }
        let low = if newer.low.total_cmp(&self.low).is_ge() {
            self.low
        } else {
            [1.0, -0.0, -1.0].into_iter().find(|threshold: &f64| threshold.total_cmp(&newer.low).is_le()).unwrap_or(f64::NEG_INFINITY)
        };
        let high = if newer.high.total_cmp(&self.high).is_le() {
            self.high
        } else {
            [-1.0, 0.0, 1.0].into_iter().find(|threshold: &f64| threshold.total_cmp(&newer.high).is_ge()).unwrap_or(f64::INFINITY)
        };
        Float { low, high, nan: self.nan || newer.nan }
    }

    // ---- arithmetic -------------------------------------------------------------------------------------------------

    /// `-a`.
    #[must_use]
    pub fn neg(&self) -> Float {
        if self.is_nan() { *self } else { Float { low: -self.high, high: -self.low, nan: self.nan } }
    }

    /// `abs(a)`.
    #[must_use]
    pub fn abs(&self) -> Float {
        if self.is_nan() || self.low.is_sign_positive() {
            *self
        } else if self.high.is_sign_negative() {
            self.neg()
        } else {
            Float { low: 0.0, high: self.high.max(-self.low), nan: self.nan }
        }
    }

    /// Applies a monotone-in-each-argument operation to the corners.
    fn corners(&self, other: &Float, op: impl Fn(f64, f64) -> f64) -> Float {
        if self.is_nan() || other.is_nan() {
            return Float::NAN;
        }
        if let (Some(a), Some(b)) = (self.is_exact(), other.is_exact()) {
            return Float::exact(op(a, b));
        }
        let nan = self.nan || other.nan;
        let values = [op(self.low, other.low), op(self.low, other.high), op(self.high, other.low), op(self.high, other.high)];
        // A NaN among the corners comes from infinities or 0 · inf: too rare to be precise about.
        if values.iter().any(|value| value.is_nan()) {
            return Float::ANY;
        }
        let (mut low, mut high) = (values[0], values[0]);
        for value in values {
            low = low.min(value);
            high = high.max(value);
        }
        Float::range(low, high).with_nan(nan)
    }

    /// `a + b`.
    #[must_use]
    pub fn add(&self, other: &Float) -> Float {
        let opposite_infinities = |a: &Float, b: &Float| a.high == f64::INFINITY && b.low == f64::NEG_INFINITY;
        let nan = opposite_infinities(self, other) || opposite_infinities(other, self);
        let sum = self.corners(other, |a, b| a + b);
        if sum.is_exact().is_some() { sum } else { sum.with_nan(nan) }
    }

    /// `a - b`.
    #[must_use]
    pub fn sub(&self, other: &Float) -> Float {
        self.add(&other.neg())
    }

    /// `a * b`.
    #[must_use]
    pub fn mul(&self, other: &Float) -> Float {
        let nan = (self.may_be_zero() && other.may_be_infinite()) || (self.may_be_infinite() && other.may_be_zero());
        let product = self.corners(other, |a, b| a * b);
        if product.is_exact().is_some() { product } else { product.with_nan(nan) }
    }

    /// The members other than 0, by sign.
    fn without_zero(&self) -> [Option<Float>; 2] {
        let tiny = f64::from_bits(1);
        let nan = self.nan.then_some(Float::NAN);
        let number = Float { nan: false, ..*self };
        let above = number.meet(&Float { low: tiny, high: f64::INFINITY, nan: false });
        let below = number.meet(&Float { low: f64::NEG_INFINITY, high: -tiny, nan: false });
        // NaN goes with whichever part exists, so that it is not lost.
        match (above, below) {
            (None, None) => [nan, None],
            (Some(above), below) => [Some(above.with_nan(self.nan)), below],
            (None, Some(below)) => [Some(below.with_nan(self.nan)), None],
        }
    }

    fn divide(&self, other: &Float, op: impl Fn(&Float, &Float) -> Float) -> FloatDivision {
        let parts = other.without_zero();
        let float = parts.into_iter().flatten().map(|divisor| op(self, &divisor)).reduce(|a, b| a.join(&b));
        FloatDivision { float, zero_possible: other.may_be_zero(), zero_certain: float.is_none() }
    }

    /// `a / b`.
    pub fn truediv(&self, other: &Float) -> FloatDivision {
        self.divide(other, |a, b| {
            let quotient = a.corners(b, |a, b| a / b);
            if quotient.is_exact().is_some() { quotient } else { quotient.with_nan(a.may_be_infinite() && b.may_be_infinite()) }
        })
    }

    /// `a // b`.
    pub fn floordiv(&self, other: &Float) -> FloatDivision {
        self.divide(other, |a, b| {
            if let (Some(a), Some(b)) = (a.is_exact(), b.is_exact()) {
                return Float::exact(divmod(a, b).0);
            }
            let quotient = a.corners(b, |a, b| a / b);
            if quotient.is_nan() {
                return quotient;
            }
            // CPython rounds (a − a % b) / b, which can differ from a / b by rounding and so by one whole step.
            let (low, high) = (down(quotient.low, 2).floor() - 1.0, up(quotient.high, 2).floor() + 1.0);
            Float::range(low, high).with_nan(quotient.nan || a.may_be_infinite())
        })
    }

    /// `a % b`.
    pub fn modulo(&self, other: &Float) -> FloatDivision {
        self.divide(other, |a, b| {
            if let (Some(a), Some(b)) = (a.is_exact(), b.is_exact()) {
                return Float::exact(divmod(a, b).1);
            }
            if a.is_nan() || b.is_nan() {
                return Float::NAN;
            }
            // Between two multiples of a positive divisor the remainder grows with the dividend, and `fmod` is exact.
            if let Some(divisor) = b.is_exact().filter(|d| *d > 0.0 && d.is_finite())
                && a.low >= 0.0
                && a.high.is_finite()
                && (a.low / divisor).floor() == (a.high / divisor).floor()
            {
                let (low, high) = (a.low % divisor, a.high % divisor);
                if low <= high && a.high - a.low < divisor {
                    return Float::range(low, high).with_nan(a.nan);
                }
            }
            // The remainder has the divisor's sign; it can round to the divisor itself (−1e-20 % 3.0 is 3.0).
            let range = if b.low > 0.0 {
                Float::range(0.0, if a.low >= 0.0 { b.high.min(a.high) } else { b.high })
            } else {
                Float::range(if a.high <= 0.0 { b.low.max(a.low) } else { b.low }, 0.0)
            };
            range.with_nan(a.nan || b.nan || a.may_be_infinite())
        })
    }

    /// `math.sqrt(a)` of the members that have a root; `None` when none has (ValueError: below 0).
    pub fn sqrt(&self) -> Option<Float> {
        if self.is_nan() {
            return Some(*self);
        }
        if self.high < 0.0 {
            return self.nan.then_some(Float::NAN);
        }
        let low = if self.low < 0.0 { -0.0 } else { self.low };
        Some(Float { low: low.sqrt(), high: self.high.sqrt(), nan: self.nan })
    }

    /// Whether a member is below 0, so that a root, a logarithm or a fractional power fails.
    pub fn may_be_negative(&self) -> bool {
        !self.is_nan() && self.low < 0.0
    }

    // ---- comparison -------------------------------------------------------------------------------------------------

    /// `a op b`: `None` when both answers are possible. NaN compares unequal and unordered.
    pub fn compare(&self, other: &Float, op: Comparison) -> Option<bool> {
        let unordered = op == Comparison::Ne;
        if self.is_nan() || other.is_nan() {
            return Some(unordered);
        }
        let (a, b) = (self, other);
        let decide = |yes: bool, no: bool| {
            if yes {
                Some(true)
            } else if no {
                Some(false)
            } else {
                None
            }
        };
        let answer = match op {
            Comparison::Lt => decide(a.high < b.low, a.low >= b.high),
            Comparison::Le => decide(a.high <= b.low, a.low > b.high),
            Comparison::Gt => decide(a.low > b.high, a.high <= b.low),
            Comparison::Ge => decide(a.low >= b.high, a.high < b.low),
            Comparison::Eq | Comparison::Ne => {
                let equal = decide(a.low == a.high && b.low == b.high && a.low == b.low, a.high < b.low || b.high < a.low);
                equal.map(|equal| equal == (op == Comparison::Eq))
            }
        };
        if a.nan || b.nan { answer.filter(|answer| *answer == unordered) } else { answer }
    }

    /// The members that can satisfy `self op other`; `None` when none can.
    pub fn refine(&self, op: Comparison, other: &Float) -> Option<Float> {
        let number = Float { nan: false, ..*self };
        let limit = match op {
            Comparison::Ne => return self.refine_unequal(other),
            _ if self.is_nan() || other.is_nan() => return None,
            // The next double below another's upper bound; next_down of either zero is the first negative.
            Comparison::Lt if other.high == f64::NEG_INFINITY => return None,
            Comparison::Gt if other.low == f64::INFINITY => return None,
            Comparison::Lt => Float { low: f64::NEG_INFINITY, high: other.high.next_down(), nan: false },
            Comparison::Le => Float { low: f64::NEG_INFINITY, high: greatest_zero(other.high), nan: false },
            Comparison::Gt => Float { low: other.low.next_up(), high: f64::INFINITY, nan: false },
            Comparison::Ge => Float { low: -greatest_zero(-other.low), high: f64::INFINITY, nan: false },
            Comparison::Eq => Float { low: -greatest_zero(-other.low), high: greatest_zero(other.high), nan: false },
        };
        number.meet(&limit)
    }

    fn refine_unequal(&self, other: &Float) -> Option<Float> {
        match (self.compare(other, Comparison::Ne), other.is_exact()) {
            (Some(false), _) => None,
            (None, Some(value)) if !self.is_nan() => {
                let mut result = *self;
                if result.low == value {
                    result.low = value.next_up();
                }
                if result.high == value {
                    result.high = value.next_down();
                }
                if result.low.total_cmp(&result.high).is_le() { Some(result) } else { self.nan.then_some(Float::NAN) }
            }
            _ => Some(*self),
        }
    }

    /// The members for which `self op other` can be false: those of the negated operator, and whatever meets a NaN.
    pub fn refine_not(&self, op: Comparison, other: &Float) -> Option<Float> {
        if other.nan && op != Comparison::Ne {
            return Some(*self);
        }
        let ordered = self.refine(op.negated(), other).map(|set| Float { nan: set.nan && op == Comparison::Eq, ..set });
        let ordered = ordered.filter(|set| !set.is_nan() || set.nan);
        if self.nan && op != Comparison::Ne { Some(ordered.map_or(Float::NAN, |set| set.with_nan(true))) } else { ordered }
    }
}

/// 0.0 for either zero, so that a bound at 0 admits both.
fn greatest_zero(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

/// `divmod(a, b)` for `b` not 0: CPython's `_float_div_mod` (Objects/floatobject.c), step by step.
pub fn divmod(a: f64, b: f64) -> (f64, f64) {
    // Rust's % on floats is C's fmod.
    let mut remainder = a % b;
    let mut quotient = (a - remainder) / b;
    if remainder == 0.0 {
        remainder = 0.0_f64.copysign(b);
    } else if (b < 0.0) != (remainder < 0.0) {
        remainder += b;
        quotient -= 1.0;
    }
    let floor = if quotient == 0.0 {
        0.0_f64.copysign(a / b)
    } else {
        let floor = quotient.floor();
        if quotient - floor > 0.5 { floor + 1.0 } else { floor }
    };
    (floor, remainder)
}
