//! `math`: exact for integers and for what is correctly rounded, bounded by units in the last place for the rest.

use crate::fact::FactKind;
use crate::library::common::{Consumer, consume, take_all};
use crate::library::{Args, Entry, Host, R};
use crate::syntax::code::BinaryOp;
use crate::value::convert::{self, Rounding};
use crate::value::cost;
use crate::value::counting::{self, Counted};
use crate::value::float::Float;
use crate::value::float_math::{self, Function};
use crate::value::int::{Comparison, Int};
use crate::value::object::{V, Why};

use super::support::{all, bind, element, outside_float, pure, take, to_float, to_int, unless_foreign, why};

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    if let Some(constant) = constant(name) {
        return Some(Entry::Constant(V::Float(constant)));
    }
    Some(Entry::Function(match name {
        "sqrt" => sqrt,
        "floor" => floor,
        "ceil" => ceil,
        "trunc" => trunc,
        "fabs" => fabs,
        "fmod" => fmod,
        "modf" => modf,
        "frexp" => frexp,
        "ldexp" => ldexp,
        "copysign" => copysign,
        "isclose" => isclose,
        "isnan" => isnan,
        "isinf" => isinf,
        "isfinite" => isfinite,
        "degrees" => degrees,
        "radians" => radians,
        "nextafter" => nextafter,
        "ulp" | "gamma" | "lgamma" | "remainder" | "asinh" | "acosh" | "atanh" | "sumprod" | "fma" => outside_float_of,
        "erf" => erf,
        "erfc" => erfc,
        "atan2" => atan2,
        "hypot" => hypot,
        "dist" => dist,
        "pow" => pow,
        "log" => log,
        "log2" => log2,
        "log10" => log10,
        "log1p" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Log1p, &v[0])),
        "exp" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Exp, &v[0])),
        "exp2" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Exp2, &v[0])),
        "expm1" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Expm1, &v[0])),
        "sin" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Sin, &v[0])),
        "cos" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Cos, &v[0])),
        "tan" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Tan, &v[0])),
        "asin" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Asin, &v[0])),
        "acos" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Acos, &v[0])),
        "atan" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Atan, &v[0])),
        "sinh" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Sinh, &v[0])),
        "cosh" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Cosh, &v[0])),
        "tanh" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Tanh, &v[0])),
        "cbrt" => |host, args| elementary(host, &args, |host, v| apply(host, Function::Cbrt, &v[0])),
        "isqrt" => isqrt,
        "gcd" => gcd,
        "lcm" => lcm,
        "factorial" => factorial,
        "comb" => comb,
        "perm" => perm,
        "prod" => prod,
        "fsum" => fsum,
        _ => return None,
    }))
}

fn constant(name: &str) -> Option<f64> {
    Some(match name {
        "pi" => std::f64::consts::PI,
        "e" => std::f64::consts::E,
        "tau" => std::f64::consts::TAU,
        "inf" => f64::INFINITY,
        "nan" => f64::NAN,
        _ => return None,
    })
}

fn float(values: &[V], float: Float) -> V {
    V::float(float, why(values))
}

/// A float with a margin for the last places of another implementation, away from no bound the function has.
fn around(low: f64, high: f64, relative: f64) -> Float {
    let margin = |x: f64| if x.is_finite() { x.abs() * relative + f64::MIN_POSITIVE } else { 0.0 };
    Float::range(low - margin(low), high + margin(high))
}

fn outside_float_of(host: &mut dyn Host, args: Args) -> R<V> {
    let result = outside_float(host, args.clone())?;
    Ok(match result {
        V::Floats(r) => V::float(r.0, why(&args.values())),
        v => v,
    })
}

// ---- one float ------------------------------------------------------------------------------------------------------

fn elementary(host: &mut dyn Host, args: &Args, run: fn(&mut dyn Host, &[V]) -> R<V>) -> R<V> {
    let [x] = all(host, args, ["/x"])?;
    pure(host, &[x], run)
}

fn apply(host: &mut dyn Host, function: Function, value: &V) -> R<V> {
    let x = to_float(host, value)?;
    computed(host, function, &x, std::slice::from_ref(value))
}

fn computed(host: &mut dyn Host, function: Function, x: &Float, values: &[V]) -> R<V> {
    let certain_overflow = match function {
        Function::Exp | Function::Expm1 => x.low > 710.0 && x.high < f64::INFINITY,
        Function::Exp2 => x.low > 1025.0 && x.high < f64::INFINITY,
        _ => false,
    };
    if certain_overflow && !x.nan {
        return Err(host.raise("OverflowError", "math range error"));
    }
    let result = function.apply(x);
    let Some(value) = result.float else { return Err(host.raise("ValueError", "math domain error")) };
    if result.value_error_possible {
        host.may_raise("ValueError");
    }
    if result.overflow_possible || (x.high == f64::INFINITY && value.may_be_infinite()) {
        host.may_raise("OverflowError");
    }
    Ok(float(values, value))
}

fn sqrt(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        let x = to_float(host, &v[0])?;
        let Some(root) = x.sqrt() else { return Err(host.raise("ValueError", "math domain error")) };
        if x.may_be_negative() {
            host.may_raise("ValueError");
        }
        Ok(float(v, root))
    })
}

fn rounded(host: &mut dyn Host, value: &V, rounding: Rounding) -> R<V> {
    if let Some(int) = value.as_int() {
        return Ok(V::int(int, why(std::slice::from_ref(value))));
    }
    let x = match value {
        V::Float(f) => Float::exact(*f),
        V::Floats(r) => r.0,
        _ => {
            // `__floor__` and its kin may return anything.
            unless_foreign(host, value)?;
            return Ok(V::Unknown(value.why().unwrap_or(Why::Lost)));
        }
    };
    let result = convert::float_to_int(&x, rounding);
    let Some(int) = result.int else {
        return Err(host.raise(if result.infinity_possible { "OverflowError" } else { "ValueError" }, "cannot convert float to integer"));
    };
    if result.nan_possible {
        host.may_raise("ValueError");
    }
    if result.infinity_possible {
        host.may_raise("OverflowError");
    }
    Ok(V::int(int, why(std::slice::from_ref(value))))
}

fn floor(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| rounded(host, &v[0], Rounding::Floor))
}

fn ceil(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| rounded(host, &v[0], Rounding::Ceil))
}

fn trunc(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| rounded(host, &v[0], Rounding::Trunc))
}

fn fabs(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        let x = to_float(host, &v[0])?;
        Ok(float(v, x.abs()))
    })
}

/// The finite and infinite parts of a float; what is not exact is bounded by any two floats.
fn modf(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        let x = to_float(host, &v[0])?;
        let Some(x) = x.is_exact().filter(|x| !x.is_nan()) else {
            let any = V::any_float(why(v));
            return Ok(V::tuple(vec![any.clone(), any]));
        };
        let fraction = if x.is_infinite() { 0.0 } else { x - x.trunc() };
        Ok(V::tuple(vec![V::Float(fraction.copysign(x)), V::Float(x.trunc())]))
    })
}

fn frexp(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        let x = to_float(host, &v[0])?;
        match x.is_exact() {
            Some(x) if x == 0.0 => Ok(V::tuple(vec![V::Float(x), V::Int(0)])),
            Some(x) if x.is_normal() => {
                let exponent = i128::from((x.to_bits() >> 52) & 0x7ff) - 1022;
                let mantissa = f64::from_bits((x.to_bits() & !(0x7ff << 52)) | (1022 << 52));
                Ok(V::tuple(vec![V::Float(mantissa), V::Int(exponent)]))
            }
            _ => Ok(V::tuple(vec![V::any_float(why(v)), V::int(Int::range(-1100, 1100), why(v))])),
        }
    })
}

fn ldexp(host: &mut dyn Host, args: Args) -> R<V> {
    let values = all(host, &args, ["/x", "/i"])?;
    pure(host, &values, |host, v| {
        let x = to_float(host, &v[0])?;
        let n = to_int(host, &v[1])?;
        if let (Some(x), Some(n)) = (x.is_exact(), n.is_exact())
            && (-1000..=1000).contains(&n)
        {
            let scaled = x * 2.0_f64.powi(n as i32);
            if scaled.is_normal() || x == 0.0 {
                return Ok(V::Float(scaled));
            }
        }
        host.may_raise("OverflowError");
        Ok(V::any_float(why(v)))
    })
}

fn test(host: &mut dyn Host, values: &[V], holds: fn(f64) -> bool, low: fn(&Float) -> Option<bool>) -> R<V> {
    let x = to_float(host, &values[0])?;
    let known = x.is_exact().map(holds).or_else(|| low(&x));
    Ok(V::boolean(known, why(values)))
}

fn isnan(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| test(host, v, f64::is_nan, |x| if x.is_nan() { Some(true) } else { (!x.nan).then_some(false) }))
}

fn isinf(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        test(host, v, f64::is_infinite, |x| if x.is_nan() { Some(false) } else { (!x.may_be_infinite()).then_some(false) })
    })
}

fn isfinite(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        test(host, v, f64::is_finite, |x| if x.is_nan() { Some(false) } else { (!x.may_be_infinite() && !x.nan).then_some(true) })
    })
}

fn degrees(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        let x = to_float(host, &v[0])?;
        Ok(float(v, x.mul(&Float::exact(180.0 / std::f64::consts::PI))))
    })
}

fn radians(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        let x = to_float(host, &v[0])?;
        Ok(float(v, x.mul(&Float::exact(std::f64::consts::PI / 180.0))))
    })
}

fn erf(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        let x = to_float(host, &v[0])?;
        Ok(float(v, Float { nan: x.nan, ..Float::range(-1.0, 1.0) }))
    })
}

fn erfc(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        let x = to_float(host, &v[0])?;
        Ok(float(v, Float { nan: x.nan, ..Float::range(0.0, 2.0) }))
    })
}

// ---- several floats -------------------------------------------------------------------------------------------------

fn two(host: &mut dyn Host, args: &Args, run: fn(&mut dyn Host, &[V]) -> R<V>) -> R<V> {
    let values = all(host, args, ["/x", "/y"])?;
    pure(host, &values, run)
}

fn fmod(host: &mut dyn Host, args: Args) -> R<V> {
    two(host, &args, |host, v| {
        let (x, y) = (to_float(host, &v[0])?, to_float(host, &v[1])?);
        if let (Some(x), Some(y)) = (x.is_exact(), y.is_exact()) {
            if !x.is_nan() && !y.is_nan() && (x.is_infinite() || y == 0.0) {
                return Err(host.raise("ValueError", "math domain error"));
            }
            return Ok(V::Float(x % y));
        }
        if x.may_be_infinite() || y.may_be_zero() {
            host.may_raise("ValueError");
        }
        Ok(V::any_float(why(v)))
    })
}

fn copysign(host: &mut dyn Host, args: Args) -> R<V> {
    two(host, &args, |host, v| {
        let (x, y) = (to_float(host, &v[0])?, to_float(host, &v[1])?);
        match (x.is_exact(), y.is_exact()) {
            (Some(x), Some(y)) if !y.is_nan() => Ok(V::Float(x.copysign(y))),
            _ => {
                let size = x.abs();
                Ok(float(v, size.join(&size.neg())))
            }
        }
    })
}

fn nextafter(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.len() != 2 || !args.kw.is_empty() {
        return outside_float_of(host, args);
    }
    two(host, &args, |host, v| {
        let (x, y) = (to_float(host, &v[0])?, to_float(host, &v[1])?);
        Ok(match (x.is_exact(), y.is_exact()) {
            (Some(x), Some(y)) if !x.is_nan() && !y.is_nan() => V::Float(if x == y {
                y
            } else if x < y {
                x.next_up()
            } else {
                x.next_down()
            }),
            _ => V::any_float(why(v)),
        })
    })
}

fn atan2(host: &mut dyn Host, args: Args) -> R<V> {
    two(host, &args, |host, v| {
        let (y, x) = (to_float(host, &v[0])?, to_float(host, &v[1])?);
        let nan = y.nan || x.nan;
        let range = match (y.is_exact(), x.is_exact()) {
            (Some(y), Some(x)) if !y.is_nan() && !x.is_nan() => {
                let angle = y.atan2(x);
                if angle == 0.0 { Float::exact(angle) } else { around(angle, angle, 1e-14) }
            }
            _ => around(-std::f64::consts::PI, std::f64::consts::PI, 1e-14),
        };
        Ok(float(v, Float { nan, ..range }))
    })
}

fn pow(host: &mut dyn Host, args: Args) -> R<V> {
    two(host, &args, |host, v| {
        let (x, y) = (to_float(host, &v[0])?, to_float(host, &v[1])?);
        let power = float_math::pow(&x, &y);
        let domain = power.zero_division_possible || power.complex_possible;
        let Some(result) = power.float else {
            if domain && power.overflow_possible {
                host.may_raise("OverflowError");
            }
            return Err(host.raise(if domain { "ValueError" } else { "OverflowError" }, "math domain error"));
        };
        if domain {
            host.may_raise("ValueError");
        }
        if power.overflow_possible {
            host.may_raise("OverflowError");
        }
        Ok(float(v, result))
    })
}

/// Logarithms take integers of any size; those beyond the floats are bounded by their bit length.
fn logarithm(host: &mut dyn Host, value: &V, function: Function, per_bit: f64) -> R<V> {
    if let Some(int) = value.as_int() {
        if int.compare(&Int::ZERO, Comparison::Le) == Some(true) {
            return Err(host.raise("ValueError", "math domain error"));
        }
        if int.bits_high > 1000 {
            if int.compare(&Int::ZERO, Comparison::Gt) != Some(true) {
                host.may_raise("ValueError");
            }
            let low = int.bits_low.saturating_sub(1) as f64 * per_bit;
            let high = if int.bits_high == u64::MAX { f64::MAX } else { int.bits_high as f64 * per_bit };
            let value_range = around(low, high, 1e-12);
            return Ok(float(std::slice::from_ref(value), value_range));
        }
    }
    apply(host, function, value)
}

fn log(host: &mut dyn Host, args: Args) -> R<V> {
    let [x, base] = bind(host, &args, ["/x", "/base"], 1)?;
    let x = x.unwrap_or(V::None);
    let natural: fn(&mut dyn Host, &[V]) -> R<V> = |host, v| logarithm(host, &v[0], Function::Log, std::f64::consts::LN_2);
    let Some(base) = base else { return pure(host, &[x], natural) };
    pure(host, &[x, base], |host, v| {
        let natural = |host: &mut dyn Host, v: &V| -> R<Float> {
            let log = logarithm(host, v, Function::Log, std::f64::consts::LN_2)?;
            to_float(host, &log)
        };
        let (top, bottom) = (natural(host, &v[0])?, natural(host, &v[1])?);
        // The logarithm of 1 is exactly 0 in every implementation.
        let one = |v: &V| v.exact_int() == Some(1) || matches!(v, V::Float(f) if *f == 1.0);
        if one(&v[1]) {
            return Err(host.raise("ZeroDivisionError", "division by zero"));
        }
        let quotient = top.truediv(&bottom);
        let Some(result) = quotient.float else { return Err(host.raise("ZeroDivisionError", "division by zero")) };
        if quotient.zero_possible {
            host.may_raise("ZeroDivisionError");
        }
        Ok(float(v, result))
    })
}

fn log2(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| logarithm(host, &v[0], Function::Log2, 1.0))
}

fn log10(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| logarithm(host, &v[0], Function::Log10, std::f64::consts::LOG10_2))
}

/// The length of a vector of exact floats, with a margin: CPython's algorithm differs between versions.
fn norm(host: &mut dyn Host, values: &[V], floats: &[Float]) -> V {
    let exact: Option<Vec<f64>> = floats.iter().map(|f| f.is_exact().filter(|x| x.is_finite())).collect();
    let _ = host;
    match exact {
        Some(all) if all.iter().all(|x| *x == 0.0) => V::Float(0.0),
        Some(all) => {
            let length = all.iter().fold(0.0_f64, |sum, x| sum.hypot(*x));
            if length.is_finite() { float(values, around(length, length, 1e-12)) } else { V::any_float(why(values)) }
        }
        None => {
            let nan = floats.iter().any(|f| f.nan);
            float(values, Float { nan, ..Float::range(0.0, f64::INFINITY) })
        }
    }
}

fn hypot(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.kw.is_empty() {
        return Err(host.raise("TypeError", "math.hypot() takes no keyword arguments"));
    }
    pure(host, &args.pos, |host, v| {
        let mut floats = Vec::new();
        for x in v {
            floats.push(to_float(host, x)?);
        }
        Ok(norm(host, v, &floats))
    })
}

fn dist(host: &mut dyn Host, args: Args) -> R<V> {
    let [p, q] = all(host, &args, ["/p", "/q"])?;
    let (a, b) = (take(host, &p, "math.dist")?, take(host, &q, "math.dist")?);
    if a.rest.is_some() || b.rest.is_some() {
        host.may_raise("");
        return Ok(V::float(Float { nan: true, ..Float::range(0.0, f64::INFINITY) }, Why::Lost));
    }
    if a.exact.len() != b.exact.len() {
        return Err(host.raise("ValueError", "both points must have the same number of dimensions"));
    }
    let mut floats = Vec::new();
    for (x, y) in a.exact.iter().zip(&b.exact) {
        let (x, y) = (to_float(host, x)?, to_float(host, y)?);
        floats.push(x.sub(&y));
    }
    let values: Vec<V> = a.exact.into_iter().chain(b.exact).collect();
    Ok(norm(host, &values, &floats))
}

fn isclose(host: &mut dyn Host, args: Args) -> R<V> {
    let [a, b, relative, absolute] = bind(host, &args, ["a", "b", "rel_tol", "abs_tol"], 2)?;
    let values = [a.unwrap_or(V::None), b.unwrap_or(V::None), relative.unwrap_or(V::Float(1e-9)), absolute.unwrap_or(V::Float(0.0))];
    if args.pos.len() > 2 {
        return Err(host.raise("TypeError", "isclose() takes exactly 2 positional arguments"));
    }
    pure(host, &values, |host, v| {
        let mut exact = Vec::new();
        for x in v {
            exact.push(to_float(host, x)?.is_exact());
        }
        let [Some(a), Some(b), Some(relative), Some(absolute)] = exact[..] else {
            host.may_raise("ValueError");
            return Ok(V::AnyBool(why(v)));
        };
        if relative < 0.0 || absolute < 0.0 {
            return Err(host.raise("ValueError", "tolerances must be non-negative"));
        }
        let close = if a == b {
            true
        } else if a.is_infinite() || b.is_infinite() {
            false
        } else {
            let difference = (b - a).abs();
            difference <= (relative * b).abs() || difference <= (relative * a).abs() || difference <= absolute
        };
        Ok(V::Bool(close))
    })
}

// ---- integers -------------------------------------------------------------------------------------------------------

/// An operand as it is shown in a message.
fn shown(value: &V) -> String {
    value.exact_int().map_or_else(|| "n".to_owned(), |n| n.to_string())
}

/// Reports the size of a combinatorial result, and gives it.
fn combinatorial(host: &mut dyn Host, name: &str, values: &[V], int: Int) -> V {
    let arguments: Vec<String> = values.iter().map(shown).collect();
    host.integer(FactKind::IntegerCombinatorial, name, format!("{name}({})", arguments.join(", ")), (int.bits_low, int.bits_high));
    V::int(int, why(values))
}

fn counted(host: &mut dyn Host, name: &str, values: &[V], counted: Counted) -> R<V> {
    let Some(int) = counted.int else {
        if counted.negative_possible && counted.overflow_possible {
            host.may_raise("OverflowError");
        }
        return Err(host.raise(if counted.negative_possible { "ValueError" } else { "OverflowError" }, ""));
    };
    if counted.negative_possible {
        host.may_raise("ValueError");
    }
    if counted.overflow_possible {
        host.may_raise("OverflowError");
    }
    Ok(combinatorial(host, name, values, int))
}

fn factorial(host: &mut dyn Host, args: Args) -> R<V> {
    let [n] = all(host, &args, ["/n"])?;
    pure(host, &[n], |host, v| {
        if matches!(v[0], V::Float(_) | V::Floats(_)) && host.target().0 < 10 {
            // Integral floats were accepted up to 3.9.
            host.may_raise("TypeError");
            host.may_raise("ValueError");
            host.may_raise("OverflowError");
            return Ok(V::int(Int::NON_NEGATIVE, Why::Lost));
        }
        let n = to_int(host, &v[0])?;
        counted(host, "math.factorial", v, counting::factorial(&n))
    })
}

fn comb(host: &mut dyn Host, args: Args) -> R<V> {
    let values = all(host, &args, ["/n", "/k"])?;
    pure(host, &values, |host, v| {
        let (n, k) = (to_int(host, &v[0])?, to_int(host, &v[1])?);
        counted(host, "math.comb", v, counting::comb(&n, &k))
    })
}

fn perm(host: &mut dyn Host, args: Args) -> R<V> {
    let [n, k] = bind(host, &args, ["/n", "/k"], 1)?;
    let values = [n.unwrap_or(V::None), k.unwrap_or(V::None)];
    pure(host, &values, |host, v| {
        if matches!(v[1], V::None) {
            if matches!(v[0], V::Float(_) | V::Floats(_)) {
                host.may_raise("");
                return Ok(V::int(Int::NON_NEGATIVE, Why::Lost));
            }
            let n = to_int(host, &v[0])?;
            return counted(host, "math.perm", &v[..1], counting::factorial(&n));
        }
        let (n, k) = (to_int(host, &v[0])?, to_int(host, &v[1])?);
        counted(host, "math.perm", v, counting::perm(&n, &k))
    })
}

fn isqrt(host: &mut dyn Host, args: Args) -> R<V> {
    elementary(host, &args, |host, v| {
        let n = to_int(host, &v[0])?;
        let Some(root) = counting::isqrt(&n) else { return Err(host.raise("ValueError", "isqrt() argument must be nonnegative")) };
        if n.may_be_negative() {
            host.may_raise("ValueError");
        }
        Ok(V::int(root, why(v)))
    })
}

fn folded(host: &mut dyn Host, args: &Args, run: fn(&mut dyn Host, &[V]) -> R<V>) -> R<V> {
    if !args.kw.is_empty() {
        return Err(host.raise("TypeError", "takes no keyword arguments"));
    }
    pure(host, &args.pos, run)
}

fn gcd(host: &mut dyn Host, args: Args) -> R<V> {
    folded(host, &args, |host, v| {
        let mut result = Int::ZERO;
        for x in v {
            let x = to_int(host, x)?;
            result = counting::gcd(&result, &x);
        }
        Ok(V::int(result, why(v)))
    })
}

fn lcm(host: &mut dyn Host, args: Args) -> R<V> {
    folded(host, &args, |host, v| {
        let mut result = Int::ONE;
        for x in v {
            let x = to_int(host, x)?;
            result = counting::lcm(&result, &x);
        }
        Ok(combinatorial(host, "math.lcm", v, result))
    })
}

fn prod(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable, start] = bind(host, &args, ["/iterable", "start"], 1)?;
    if args.pos.len() > 1 {
        return Err(host.raise("TypeError", "prod() takes exactly 1 positional argument"));
    }
    let (iterable, start) = (iterable.unwrap_or(V::None), start.unwrap_or(V::Int(1)));
    product(host, "math.prod", &iterable, &start)
}

/// The product of everything an iterable gives, in order, and of where it starts.
pub fn product(host: &mut dyn Host, name: &str, iterable: &V, start: &V) -> R<V> {
    let shape = |what: &str| format!("{name}({what})");
    // A bool to start with stays one where nothing follows.
    let first = if matches!(start, V::Bool(_) | V::AnyBool(_)) { None } else { start.as_int() };
    if let (V::Range(parts), Some(first)) = (iterable, first)
        && let (Some(a), Some(b), Some(step)) = (parts[0].exact_int(), parts[1].exact_int(), parts[2].exact_int())
        && let Some(all) = counting::product_of_range(a, b, step)
    {
        let int = first.mul(&all);
        host.integer(FactKind::IntegerCombinatorial, name, shape(&format!("range({a}, {b})")), (int.bits_low, int.bits_high));
        return Ok(V::int(int, why(std::slice::from_ref(start))));
    }
    let mut multiplied = |_: &mut dyn Host, v: &V| Ok(start.as_int().is_some() && v.alternatives().iter().all(|v| v.as_int().is_some()));
    let by = Consumer { callee: name, floor: cost::C_ITERATION, keeps: 0, collects: false, goes_on: &mut multiplied };
    let items = consume(host, iterable, by)?;
    host.burn(items.exact.len() as u64 / 8)?;
    let ints: Option<Vec<Int>> = items.exact.iter().map(V::as_int).collect();
    let rest = items.rest.as_ref().map(|r| (r.element.as_int(), r.low, r.high));
    if let (Some(first), Some(ints)) = (first, ints)
        && !matches!(rest, Some((None, ..)))
    {
        let mut int = ints.iter().fold(first, |product, x| product.mul(x));
        if let Some((Some(factor), low, high)) = rest {
            let high = if high == u64::MAX { i128::MAX } else { i128::from(high) };
            int = int.mul(&counting::product_of(&factor, &Int::range(i128::from(low), high)));
        }
        host.integer(FactKind::IntegerCombinatorial, name, shape("…"), (int.bits_low, int.bits_high));
        let mut values = items.exact.clone();
        values.push(start.clone());
        values.extend(items.rest.iter().map(|r| r.element.clone()));
        return Ok(V::int(int, why(&values)));
    }
    let mut total = start.clone();
    if items.rest.is_none() {
        for item in &items.exact {
            host.burn(1)?;
            total = host.binary(BinaryOp::Mul, &total, item)?;
        }
        return Ok(total);
    }
    let any = element(host, &items).unwrap_or(V::None);
    let floats = |v: &V| v.is_number();
    if floats(&any) && start.is_number() {
        host.may_raise("OverflowError");
        return Ok(V::OneOf(std::rc::Rc::new([V::any_int(Why::Lost), V::any_float(Why::Lost)])));
    }
    Ok(host.unknown_call(&Args::of([any, total])))
}

/// A sum that loses nothing on the way: exact where all parts are whole and small.
fn fsum(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable] = all(host, &args, ["/seq"])?;
    let items = take_all(host, &iterable, "math.fsum", cost::C_ITERATION)?;
    host.burn(items.exact.len() as u64 / 8)?;
    let mut total: Option<f64> = items.rest.is_none().then_some(0.0);
    let mut size = 0.0;
    for item in items.exact.iter().chain(items.rest.iter().map(|r| &r.element)) {
        let part = pure(host, std::slice::from_ref(item), |host, v| Ok(V::float(to_float(host, &v[0])?, Why::Lost)))?;
        total = match (total, &part) {
            (Some(sum), V::Float(x)) if x.fract() == 0.0 && size + x.abs() < 9e15 => {
                size += x.abs();
                Some(sum + x)
            }
            _ => None,
        };
    }
    if let Some(sum) = total {
        return Ok(V::Float(sum + 0.0));
    }
    host.may_raise("OverflowError");
    host.may_raise("ValueError");
    Ok(V::any_float(why(&items.exact)))
}
