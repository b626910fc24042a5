//! Powers and elementary functions of floats: what the C library computes is known to a few units in the last place only.

use crate::value::float::{Float, down, up};

/// What `a ** b` of floats can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatPower {
    /// The floats it can be.
    pub float: Option<Float>,
    /// OverflowError can happen.
    pub overflow_possible: bool,
    /// ZeroDivisionError can happen: `0.0 ** -1`.
    pub zero_division_possible: bool,
    /// A negative base with a fractional exponent gives a complex number (`math.pow`: ValueError).
    pub complex_possible: bool,
}

/// The C libraries in use err by less than 1 unit in the last place for `pow`, by up to 2–3 for some others; this is more than any of them.
const POWER_ULPS: u32 = 4;
const FUNCTION_ULPS: u32 = 8;

fn nothing_raised(float: Float) -> FloatPower {
    FloatPower { float: Some(float), overflow_possible: false, zero_division_possible: false, complex_possible: false }
}

fn widened(low: f64, high: f64, ulps: u32) -> Float {
    Float::range(down(low, ulps), up(high, ulps))
}

/// `a ** b`.
pub fn pow(a: &Float, b: &Float) -> FloatPower {
    if let (Some(a), Some(b)) = (a.is_exact(), b.is_exact()) {
        return pow_exact(a, b);
    }
    let unknown = FloatPower { float: Some(Float::ANY), overflow_possible: true, zero_division_possible: true, complex_possible: true };
    if a.nan || b.nan || a.is_nan() || b.is_nan() || a.may_be_infinite() || b.may_be_infinite() {
        return unknown;
    }
    if a.low > 0.0 {
        // Monotone in each operand on either side of base 1 and exponent 0, so the extremes lie at corners, or at 1.
        return corners(a, b);
    }
    match b.is_exact() {
        Some(exponent) if exponent.fract() == 0.0 && exponent > 0.0 => {
            let magnitude = a.abs();
            let power = corners(&Float::range(magnitude.low.max(f64::MIN_POSITIVE), magnitude.high), b);
            let top = power.float.map_or(f64::INFINITY, |float| float.high);
            let odd = exponent % 2.0 != 0.0;
            let float = Some(Float::range(if odd && a.low < 0.0 { -top } else { 0.0 }, top));
            FloatPower { float, zero_division_possible: false, complex_possible: false, ..power }
        }
        _ => FloatPower {
            complex_possible: a.low < 0.0 && b.is_exact().is_none_or(|exponent| exponent.fract() != 0.0),
            zero_division_possible: a.may_be_zero() && b.low < 0.0,
            ..unknown
        },
    }
}

/// `a ** b` for a > 0, both bounded.
fn corners(a: &Float, b: &Float) -> FloatPower {
    let results = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)].map(|(a, b)| pow_exact(a, b));
    let overflow_possible = results.iter().any(|result| result.overflow_possible);
    let mut float = results.iter().filter_map(|result| result.float).reduce(|a, b| a.join(&b));
    if overflow_possible {
        // Below the corner that overflows lie results up to the largest double, even where every corner overflows.
        float = Some(float.map_or(Float::range(0.0, f64::MAX), |float| float.join(&Float::range(f64::MAX, f64::MAX))));
    }
    if a.low <= 1.0 && a.high >= 1.0 || b.may_be_zero() {
        float = float.map(|float| float.join(&Float::exact(1.0)));
    }
    FloatPower { float, overflow_possible, zero_division_possible: false, complex_possible: false }
}

/// CPython's `float_pow` (Objects/floatobject.c), case by case.
fn pow_exact(a: f64, b: f64) -> FloatPower {
    let odd = b.fract() == 0.0 && b % 2.0 != 0.0;
    if b == 0.0 || a == 1.0 {
        return nothing_raised(Float::exact(1.0));
    }
    if a.is_nan() || b.is_nan() {
        return nothing_raised(Float::NAN);
    }
    if b.is_infinite() {
        let size = a.abs();
        let result = if size == 1.0 {
            1.0
        } else if (b > 0.0) == (size > 1.0) {
            f64::INFINITY
        } else {
            0.0
        };
        return nothing_raised(Float::exact(result));
    }
    if a.is_infinite() {
        let result = match (b > 0.0, odd) {
            (true, true) => a,
            (true, false) => a.abs(),
            (false, true) => 0.0_f64.copysign(a),
            (false, false) => 0.0,
        };
        return nothing_raised(Float::exact(result));
    }
    if a == 0.0 {
        if b < 0.0 {
            return FloatPower { float: None, overflow_possible: false, zero_division_possible: true, complex_possible: false };
        }
        return nothing_raised(Float::exact(if odd { a } else { 0.0 }));
    }
    if a < 0.0 && b.fract() != 0.0 {
        // The complex power has a magnitude that can overflow like any other.
        return FloatPower { float: None, overflow_possible: true, zero_division_possible: false, complex_possible: true };
    }
    if a == -1.0 {
        return nothing_raised(Float::exact(if odd { -1.0 } else { 1.0 }));
    }
    if b == 1.0 {
        return nothing_raised(Float::exact(a));
    }
    let result = a.powf(b);
    // A result that is an integer of at most 53 bits is exact in every libm that errs by less than one unit.
    if a.fract() == 0.0 && b > 0.0 && b <= 53.0 && result.abs() <= 9_007_199_254_740_992.0 {
        return nothing_raised(Float::exact(result));
    }
    if result.is_infinite() {
        // Within the error of the largest double, another libm might still give a number.
        let near = (b * a.abs().log2()) < 1_024.000_001;
        let edge = Float::range(down(f64::MAX, POWER_ULPS), f64::MAX);
        let edge = if result < 0.0 { edge.neg() } else { edge };
        return FloatPower { float: near.then_some(edge), overflow_possible: true, zero_division_possible: false, complex_possible: false };
    }
    let mut float = widened(result, result, POWER_ULPS);
    let overflow_possible = float.may_be_infinite();
    if overflow_possible {
        float = Float { low: float.low.max(-f64::MAX), high: float.high.min(f64::MAX), nan: false };
    }
    // An underflowing power keeps its sign.
    float = if result.is_sign_positive() {
        Float { low: if float.low <= 0.0 { 0.0 } else { float.low }, ..float }
    } else {
        Float { high: if float.high >= 0.0 { -0.0 } else { float.high }, ..float }
    };
    FloatPower { float: Some(float), overflow_possible, zero_division_possible: false, complex_possible: false }
}

/// An elementary function of the `math` module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the functions are named as in the math module")]
pub enum Function {
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Cbrt,
}

/// What an elementary function can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Computed {
    /// The floats it can be.
    pub float: Option<Float>,
    /// ValueError: outside the domain.
    pub value_error_possible: bool,
    /// OverflowError: too large for a double.
    pub overflow_possible: bool,
}

/// How a function behaves on an interval.
enum Shape {
    Rising,
    Falling,
    Oscillating,
    /// Falls to its least value at 0, then rises.
    Bowl,
}

impl Function {
    fn call(self, x: f64) -> f64 {
        match self {
            Function::Exp => x.exp(),
            Function::Exp2 => x.exp2(),
            Function::Expm1 => x.exp_m1(),
            Function::Log => x.ln(),
            Function::Log2 => x.log2(),
            Function::Log10 => x.log10(),
            Function::Log1p => x.ln_1p(),
            Function::Sin => x.sin(),
            Function::Cos => x.cos(),
            Function::Tan => x.tan(),
            Function::Asin => x.asin(),
            Function::Acos => x.acos(),
            Function::Atan => x.atan(),
            Function::Sinh => x.sinh(),
            Function::Cosh => x.cosh(),
            Function::Tanh => x.tanh(),
            Function::Cbrt => x.cbrt(),
        }
    }

    fn shape(self) -> Shape {
        match self {
            Function::Acos => Shape::Falling,
            Function::Sin | Function::Cos | Function::Tan => Shape::Oscillating,
            Function::Cosh => Shape::Bowl,
            _ => Shape::Rising,
        }
    }

    /// The closed domain on which the function does not raise ValueError (infinities apart).
    fn domain(self) -> (f64, f64) {
        match self {
            Function::Log | Function::Log2 | Function::Log10 => (f64::from_bits(1), f64::INFINITY),
            Function::Log1p => (-1.0_f64.next_down().abs(), f64::INFINITY),
            Function::Asin | Function::Acos => (-1.0, 1.0),
            Function::Sin | Function::Cos | Function::Tan => (-f64::MAX, f64::MAX),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// The values no result leaves, whatever the rounding.
    fn bounds(self) -> (f64, f64) {
        match self {
            Function::Sin | Function::Cos | Function::Tanh => (-1.0, 1.0),
            Function::Exp | Function::Exp2 | Function::Acos => (0.0, f64::INFINITY),
            Function::Cosh => (1.0, f64::INFINITY),
            Function::Expm1 => (-1.0, f64::INFINITY),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Applies the function.
    pub fn apply(self, x: &Float) -> Computed {
        let (least, most) = self.domain();
        let outside = !x.is_nan() && (x.low < least || x.high > most);
        let Some(inside) = Float { nan: false, ..*x }.meet(&Float::range(least, most)).filter(|inside| !inside.is_nan()) else {
            return Computed { float: x.nan.then_some(Float::NAN), value_error_possible: outside, overflow_possible: false };
        };
        let at = |x: f64| self.call(x);
        let (low, high) = match self.shape() {
            Shape::Rising => (at(inside.low), at(inside.high)),
            Shape::Falling => (at(inside.high), at(inside.low)),
            Shape::Bowl if inside.may_be_zero() => (1.0, at(inside.low).max(at(inside.high))),
            Shape::Bowl => (at(inside.low).min(at(inside.high)), at(inside.low).max(at(inside.high))),
            Shape::Oscillating if inside.low == inside.high => (at(inside.low), at(inside.low)),
            Shape::Oscillating => self.bounds(),
        };
        if low.is_nan() || high.is_nan() {
            return Computed { float: Some(Float::ANY), value_error_possible: true, overflow_possible: true };
        }
        let (floor, ceiling) = self.bounds();
        let float = widened(low, high, FUNCTION_ULPS);
        // An infinite result of a finite argument is an OverflowError; of an infinite argument it is the result.
        let grows = matches!(self, Function::Exp | Function::Exp2 | Function::Expm1 | Function::Sinh | Function::Cosh);
        let overflow_possible = grows && float.may_be_infinite() && inside.low < f64::INFINITY && inside.high > f64::NEG_INFINITY;
        let float = Float::range(float.low.max(floor), float.high.min(ceiling));
        Computed { float: Some(Float { nan: x.nan, ..float }), value_error_possible: outside, overflow_possible }
    }
}
