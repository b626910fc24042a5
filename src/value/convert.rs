//! Between integers and floats: conversions, mixed comparisons and true division, rounded as CPython rounds them.

use std::cmp::Ordering;

use crate::value::float::Float;
use crate::value::int::{Comparison, Int, Sign};

/// What `float(n)` or `a / b` of integers can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToFloat {
    /// The floats it can be.
    pub float: Option<Float>,
    /// OverflowError: too large for a float.
    pub overflow_possible: bool,
    /// ZeroDivisionError.
    pub zero_possible: bool,
}

/// What `int(x)`, `floor(x)`, `ceil(x)` or `round(x)` can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToInt {
    /// The integers it can be.
    pub int: Option<Int>,
    /// ValueError: NaN.
    pub nan_possible: bool,
    /// OverflowError: an infinity.
    pub infinity_possible: bool,
}

/// Which integer a float becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// `math.floor`.
    Floor,
    /// `math.ceil`.
    Ceil,
    /// `int`, `math.trunc`.
    Trunc,
    /// `round` with one argument: half to even.
    Round,
}

/// 2**exponent as a double, for exponents that may lie outside its range.
fn power_of_two(exponent: u64) -> f64 {
    if exponent > 1023 { f64::INFINITY } else { f64::from_bits((exponent + 1023) << 52) }
}

/// `float(n)`: rounded half to even, OverflowError from 2**1024 − 2**970 on.
pub fn int_to_float(n: &Int) -> ToFloat {
    // A magnitude of b bits lies in [2**(b−1), 2**b − 1]; the interval says more below 2**127, and converting is monotone.
    let negative_side = n.low < 0;
    let positive_side = n.high > 0 || n.may_be_zero();
    let near = if n.bits_low == 0 { 0.0 } else { power_of_two(n.bits_low - 1) };
    let far = power_of_two(n.bits_high).min(f64::MAX);
    let mut low = if negative_side { -far } else { near };
    let mut high = if positive_side { far } else { -near };
    if let Some(bound) = n.lower() {
        low = low.max(bound as f64);
    }
    if let Some(bound) = n.upper() {
        high = high.min(bound as f64);
    }
    if n.bits_low > 1024 {
        return ToFloat { float: None, overflow_possible: true, zero_possible: false };
    }
    // An integer has no negative zero.
    let float = Float { low: if low == 0.0 { 0.0 } else { low }, high: if high == 0.0 { 0.0 } else { high }, nan: false };
    ToFloat { float: Some(float), overflow_possible: n.bits_high > 1023, zero_possible: false }
}

/// The double nearest to `a / b`, half to even; `b` is not 0.
fn divide_exact(a: i128, b: i128) -> f64 {
    let (numerator, divisor) = (a.unsigned_abs(), b.unsigned_abs());
    if numerator == 0 {
        return if b < 0 { -0.0 } else { 0.0 };
    }
    // Long division in binary: 64 significant bits, the rest only matters for being 0 or not.
    let (mut quotient, mut rest) = (numerator / divisor, numerator % divisor);
    let mut exponent = 0_i32;
    while quotient < 1 << 63 && (rest != 0 || quotient == 0) {
        // Both operands are at most 2**127, so the remainder doubles without overflow.
        rest <<= 1;
        quotient = (quotient << 1) | u128::from(rest >= divisor);
        if rest >= divisor {
            rest -= divisor;
        }
        exponent -= 1;
    }
    // Folding the remainder into the last bit keeps ties apart from near-ties: at least 10 bits lie below the 53 that stay.
    let sticky = if rest != 0 { quotient | 1 } else { quotient };
    let magnitude = sticky as f64 * f64::from_bits((i64::from(exponent) + 1023).unsigned_abs() << 52);
    if (a < 0) == (b < 0) { magnitude } else { -magnitude }
}

/// `a / b` of integers: CPython's `long_true_divide` is correctly rounded.
pub fn int_truediv(a: &Int, b: &Int) -> ToFloat {
    let zero_possible = b.may_be_zero();
    if let (Some(x), Some(y)) = (a.is_exact(), b.is_exact()) {
        let float = (y != 0).then(|| Float::exact(divide_exact(x, y)));
        return ToFloat { float, overflow_possible: false, zero_possible };
    }
    let above = b.meet(&Int { low: 1, ..Int::ANY }).map(|divisor| divide_positive(a, &divisor));
    let below = b.neg().meet(&Int { low: 1, ..Int::ANY }).map(|divisor| divide_positive(&a.neg(), &divisor));
    let float = match (above.and_then(|part| part.float), below.and_then(|part| part.float)) {
        (Some(above), Some(below)) => Some(above.join(&below)),
        (above, below) => above.or(below),
    };
    let overflow_possible = [above, below].into_iter().flatten().any(|part| part.overflow_possible);
    ToFloat { float, overflow_possible, zero_possible }
}

fn divide_positive(a: &Int, divisor: &Int) -> ToFloat {
    // |a / b| < 2**(bits_high(a) − bits_low(b) + 1), and > 2**(bits_low(a) − 1 − bits_high(b)).
    let most = a.bits_high.saturating_sub(divisor.bits_low).saturating_add(1);
    let far = if a.bits_high == u64::MAX { f64::MAX } else { power_of_two(most).min(f64::MAX) };
    let mut low = if a.low < 0 { -far } else { 0.0 };
    let mut high = if a.high > 0 { far } else { 0.0 };
    // The quotient is monotone in the dividend, and in the divisor on either side of 0.
    if let (Some(bound), Some(nearest)) = (a.lower(), divisor.lower()) {
        let by = if bound < 0 { Some(nearest) } else { divisor.upper() };
        low = low.max(by.map_or(0.0, |by| divide_exact(bound, by)));
    }
    if let (Some(bound), Some(nearest)) = (a.upper(), divisor.lower()) {
        let by = if bound >= 0 { Some(nearest) } else { divisor.upper() };
        high = high.min(by.map_or(0.0, |by| divide_exact(bound, by)));
    }
    let certain = divisor.bits_high != u64::MAX && a.bits_low > divisor.bits_high.saturating_add(1025);
    // Beyond every double a bound says nothing; the quotient of those that do not overflow is at most the largest.
    let float = (!certain).then(|| Float::range(low.clamp(-f64::MAX, f64::MAX), high.clamp(-f64::MAX, f64::MAX)));
    ToFloat { float, overflow_possible: a.bits_high == u64::MAX || most > 1023, zero_possible: false }
}

/// The integer a double without fraction is.
fn integral(value: f64) -> Int {
    if value.abs() < 1.701_411_834_604_692_3e38 {
        return Int::exact(value as i128);
    }
    // At least 2**127: known by its exponent.
    let length = ((value.to_bits() >> 52) & 0x7ff) - 1023 + 1;
    Int::bits(length, length, if value < 0.0 { Sign::Negative } else { Sign::Positive })
}

/// `math.floor(x)`, `math.ceil(x)`, `int(x)` or `round(x)`.
pub fn float_to_int(x: &Float, rounding: Rounding) -> ToInt {
    let round = |value: f64| match rounding {
        Rounding::Floor => value.floor(),
        Rounding::Ceil => value.ceil(),
        Rounding::Trunc => value.trunc(),
        Rounding::Round => value.round_ties_even(),
    };
    let int = (!x.is_nan() && x.low < f64::INFINITY && x.high > f64::NEG_INFINITY).then(|| {
        let (low, high) = (integral(round(x.low.max(-f64::MAX))), integral(round(x.high.min(f64::MAX))));
        // All integers between two results, each known by its interval or by its length.
        let bits_low = if x.low > 0.0 {
            low.bits_low
        } else if x.high < 0.0 {
            high.bits_low
        } else {
            0
        };
        Int { low: low.low, high: high.high, bits_low, bits_high: low.bits_high.max(high.bits_high), ..Int::ANY }.normalise()
    });
    ToInt { int, nan_possible: x.nan, infinity_possible: x.may_be_infinite() }
}

/// The order of an integer and a double that is not NaN, exactly.
fn order(a: i128, b: f64) -> Ordering {
    if b >= 1.701_411_834_604_692_3e38 {
        return Ordering::Less;
    }
    if b < -1.701_411_834_604_692_3e38 {
        return Ordering::Greater;
    }
    let floor = b.floor();
    a.cmp(&(floor as i128)).then(if b > floor { Ordering::Less } else { Ordering::Equal })
}

/// `n op x` of an integer and a float, which CPython compares exactly; `None` when both answers are possible.
pub fn compare_int_float(n: &Int, x: &Float, op: Comparison) -> Option<bool> {
    let unordered = op == Comparison::Ne;
    if x.is_nan() {
        return Some(unordered);
    }
    // No integer is what has a fraction.
    if matches!(op, Comparison::Eq | Comparison::Ne) && x.low == x.high && x.low.is_finite() && x.low.fract() != 0.0 && !x.nan {
        return Some(op == Comparison::Ne);
    }
    let low = n.lower().map(|low| (order(low, x.low), order(low, x.high)));
    let high = n.upper().map(|high| (order(high, x.low), order(high, x.high)));
    // A number of more than 1024 bits lies beyond every finite double.
    let beyond = n.bits_low > 1024 && !x.may_be_infinite();
    let surely_less = high.is_some_and(|(to_low, _)| to_low == Ordering::Less) || (beyond && n.high < 0) || x.low == f64::INFINITY;
    let surely_at_most = surely_less || high.is_some_and(|(to_low, _)| to_low != Ordering::Greater);
    let surely_greater =
        low.is_some_and(|(_, to_high)| to_high == Ordering::Greater) || (beyond && n.low > 0) || x.high == f64::NEG_INFINITY;
    let surely_at_least = surely_greater || low.is_some_and(|(_, to_high)| to_high != Ordering::Less);
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
        Comparison::Lt => decide(surely_less, surely_at_least),
        Comparison::Le => decide(surely_at_most, surely_greater),
        Comparison::Gt => decide(surely_greater, surely_at_most),
        Comparison::Ge => decide(surely_at_least, surely_less),
        Comparison::Eq => decide(surely_at_most && surely_at_least, surely_less || surely_greater),
        Comparison::Ne => decide(surely_less || surely_greater, surely_at_most && surely_at_least),
    };
    if x.nan { answer.filter(|answer| *answer == unordered) } else { answer }
}
