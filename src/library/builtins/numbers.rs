//! Builtins that make and work on numbers.

use crate::fact::FactKind;
use crate::library::common::{dunder, index, index_or, is_instance_object, kind, open_instance, type_error, unknown, why_of, with, wrong};
use crate::library::{Args, Entry, Host, R};
use crate::syntax::code::BinaryOp;
use crate::value::bits::of_decimal_digits;
use crate::value::convert::{Rounding, float_to_int, int_to_float};
use crate::value::decimal::{ParsedFloat, parse_float, round_float};
use crate::value::float::Float;
use crate::value::int::{Int, Sign};
use crate::value::object::{Digits, V, Why};
use crate::value::text::{ParsedInt, parse_int};

/// The least limit on digits of a conversion between int and str that can be set; the default is 4300 (CPython 3.11, and late
/// patch releases of older versions).
const MIN_DIGITS_LIMIT: u64 = 640;

/// The entry for a name.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "int" => Entry::Type(int),
        "float" => Entry::Type(float),
        "bool" => Entry::Type(boolean),
        "complex" => Entry::Type(complex),
        "abs" => Entry::Function(abs),
        "divmod" => Entry::Function(divmod),
        "pow" => Entry::Function(pow),
        "round" => Entry::Function(round),
        "bin" => Entry::Function(bin),
        "oct" => Entry::Function(oct),
        "hex" => Entry::Function(hex),
        "chr" => Entry::Function(chr),
        "ord" => Entry::Function(ord),
        "hash" => Entry::Function(hash),
        "id" => Entry::Function(id),
        _ => return None,
    })
}

/// The float interval of a float.
pub fn as_float(v: &V) -> Option<Float> {
    match v {
        V::Float(f) => Some(Float::exact(*f)),
        V::Floats(r) => Some(r.0),
        _ => None,
    }
}

/// A decimal conversion of so many digits: ValueError where the limit on digits refuses it. Versions before 3.11 may have no
/// limit. Gives whether the conversion certainly takes place.
pub fn digits_convert(host: &mut dyn Host, digits: (u64, u64)) -> R<bool> {
    let limit = host.store().path.switches.str_digits;
    match limit {
        Some(0) => Ok(true),
        Some(limit) if digits.1 <= limit => Ok(true),
        Some(limit) if digits.0 > limit && host.target().0 >= 11 => {
            Err(host.raise("ValueError", "Exceeds the limit for integer string conversion"))
        }
        None if digits.1 < MIN_DIGITS_LIMIT => Ok(true),
        _ => {
            host.may_raise("ValueError");
            Ok(false)
        }
    }
}

/// `int` of text that is made of so many decimal digits.
fn of_digits(host: &mut dyn Host, digits: (u64, u64), why: Why) -> R<V> {
    let certain = digits_convert(host, digits)?;
    let (low, high) = (of_decimal_digits(digits.0).0, of_decimal_digits(digits.1).1);
    if certain {
        host.integer(FactKind::Digits, "int", format!("int of a text of {} digits", digits.0), (low, high));
    }
    Ok(V::int(of_length(digits, true), why))
}

/// The integers written with so many decimal digits, the first of which is surely not 0 or may be.
fn of_length((low, high): (u64, u64), significant: bool) -> Int {
    let power = |n: u64| u32::try_from(n).ok().and_then(|n| 10i128.checked_pow(n));
    let least = if significant && low > 0 { power(low - 1) } else { Some(0) };
    match (least, power(high)) {
        (Some(least), Some(beyond)) => Int::range(least, (beyond - 1).max(least)),
        _ => Int::bits(if significant { of_decimal_digits(low).0 } else { 0 }, of_decimal_digits(high).1, Sign::Positive),
    }
}

fn int(host: &mut dyn Host, args: Args) -> R<V> {
    if args.exactly(0) {
        return Ok(V::Int(0));
    }
    with(host, &args, ["", "base"], 1, 2, &|host, [x, base]| {
        if matches!(base, V::Undef) { to_int(host, &x) } else { int_in_base(host, &x, &base) }
    })
}

fn to_int(host: &mut dyn Host, x: &V) -> R<V> {
    match x {
        V::Int(_) | V::Ints(_) => Ok(x.clone()),
        V::Bool(b) => Ok(V::Int(i128::from(*b))),
        V::AnyBool(why) => Ok(V::int(Int::range(0, 1), *why)),
        V::Float(_) | V::Floats(_) => rounded(host, x, Rounding::Trunc),
        V::Str(s) => parsed(host, s, 10),
        V::Strs(t) if t.digits == Digits::Number => of_digits(host, (t.low, t.high), t.why),
        V::Strs(t) if t.digits == Digits::Only => {
            digits_convert(host, (0, t.high))?;
            if t.low == 0 {
                host.may_raise("ValueError");
            }
            Ok(V::int(of_length((1, t.high), false), t.why))
        }
        V::Strs(t) => {
            host.may_raise("ValueError");
            Ok(V::int(Int::bits(0, t.high.saturating_mul(4), Sign::Any), t.why))
        }
        V::Bytes(b) => match std::str::from_utf8(b) {
            Ok(text) => parsed(host, text, 10),
            Err(_) => Err(host.raise("ValueError", "")),
        },
        V::ManyBytes(t) => {
            host.may_raise("ValueError");
            Ok(V::int(Int::bits(0, t.high.saturating_mul(4), Sign::Any), t.why))
        }
        _ if is_instance_object(host, x) && !open_instance(host, x) => {
            for name in ["__int__", "__index__"] {
                if let Some(method) = dunder(host, x, name) {
                    let v = host.call(&method, Args::of([x.clone()]))?;
                    return match v.as_int() {
                        Some(int) => Ok(V::int(int, v.why().unwrap_or(Why::Lost))),
                        None => {
                            host.may_raise("TypeError");
                            Ok(V::any_int(Why::Lost))
                        }
                    };
                }
            }
            if dunder(host, x, "__trunc__").is_some() {
                unknown(host, std::slice::from_ref(x));
                return Ok(V::any_int(Why::Lost));
            }
            type_error(host)
        }
        _ if kind(host, x).is_some_and(|k| k != "bytearray") => type_error(host),
        _ => {
            unknown(host, std::slice::from_ref(x));
            Ok(V::any_int(x.why().unwrap_or(Why::OUTSIDE)))
        }
    }
}

fn parsed(host: &mut dyn Host, text: &str, base: i128) -> R<V> {
    host.burn(text.len() as u64 / 16)?;
    match parse_int(text, base) {
        ParsedInt::Value(n) => Ok(V::Int(n)),
        ParsedInt::Invalid => Err(host.raise("ValueError", "invalid literal for int()")),
        ParsedInt::Unknown => {
            host.may_raise("ValueError");
            Ok(V::any_int(Why::Lost))
        }
        ParsedInt::Long { bits_low, bits_high, negative, digits } => {
            digits_convert(host, (digits, digits))?;
            Ok(V::int(Int::bits(bits_low, bits_high, if negative { Sign::Negative } else { Sign::Positive }), Why::Lost))
        }
    }
}

fn int_in_base(host: &mut dyn Host, x: &V, base: &V) -> R<V> {
    let Some(base) = index(host, base)? else { return Ok(V::any_int(Why::OUTSIDE)) };
    match (x, base.is_exact()) {
        (V::Str(s), Some(base)) => parsed(host, s, base),
        (V::Str(_) | V::Strs(_) | V::Bytes(_) | V::ManyBytes(_), _) => {
            host.may_raise("ValueError");
            Ok(V::any_int(why_of(&[x])))
        }
        _ => {
            if kind(host, x).is_some_and(|k| k != "bytearray") {
                return type_error(host);
            }
            unknown(host, std::slice::from_ref(x));
            Ok(V::any_int(Why::OUTSIDE))
        }
    }
}

/// A float to an int.
pub fn rounded(host: &mut dyn Host, x: &V, rounding: Rounding) -> R<V> {
    let Some(f) = as_float(x) else { return type_error(host) };
    let converted = float_to_int(&f, rounding);
    match converted.int {
        None => {
            if converted.nan_possible && converted.infinity_possible {
                host.may_raise("OverflowError");
            }
            let class = if converted.nan_possible { "ValueError" } else { "OverflowError" };
            Err(host.raise(class, ""))
        }
        Some(int) => {
            if converted.nan_possible {
                host.may_raise("ValueError");
            }
            if converted.infinity_possible {
                host.may_raise("OverflowError");
            }
            Ok(V::int(int, why_of(&[x])))
        }
    }
}

/// An int (or bool) to a float; OverflowError where it does not fit.
pub fn widened(host: &mut dyn Host, int: &Int, why: Why) -> R<V> {
    let converted = int_to_float(int);
    match converted.float {
        None => Err(host.raise("OverflowError", "int too large to convert to float")),
        Some(f) => {
            if converted.overflow_possible {
                host.may_raise("OverflowError");
            }
            Ok(V::float(f, why))
        }
    }
}

fn float(host: &mut dyn Host, args: Args) -> R<V> {
    if args.exactly(0) {
        return Ok(V::Float(0.0));
    }
    with(host, &args, [""], 1, 1, &|host, [x]| to_float(host, &x))
}

/// `float(x)`.
pub fn to_float(host: &mut dyn Host, x: &V) -> R<V> {
    if let Some(int) = x.as_int() {
        return widened(host, &int, why_of(&[x]));
    }
    match x {
        V::Float(_) | V::Floats(_) => Ok(x.clone()),
        V::Str(s) => {
            host.burn(s.len() as u64 / 16)?;
            match parse_float(s) {
                ParsedFloat::Value(f) => Ok(V::Float(f)),
                ParsedFloat::Invalid => Err(host.raise("ValueError", "could not convert string to float")),
                ParsedFloat::Unknown => {
                    host.may_raise("ValueError");
                    Ok(V::any_float(Why::Lost))
                }
            }
        }
        V::Strs(_) | V::Bytes(_) | V::ManyBytes(_) => {
            host.may_raise("ValueError");
            Ok(V::any_float(why_of(&[x])))
        }
        _ if is_instance_object(host, x) && !open_instance(host, x) => {
            for name in ["__float__", "__index__"] {
                if let Some(method) = dunder(host, x, name) {
                    let v = host.call(&method, Args::of([x.clone()]))?;
                    if v.is_number() && (name == "__float__") == as_float(&v).is_some() {
                        return to_float(host, &v);
                    }
                    host.may_raise("TypeError");
                    host.may_raise("OverflowError");
                    return Ok(V::any_float(Why::Lost));
                }
            }
            type_error(host)
        }
        _ if kind(host, x).is_some_and(|k| k != "bytearray") => type_error(host),
        _ => {
            unknown(host, std::slice::from_ref(x));
            Ok(V::any_float(x.why().unwrap_or(Why::OUTSIDE)))
        }
    }
}

fn boolean(host: &mut dyn Host, args: Args) -> R<V> {
    if args.exactly(0) {
        return Ok(V::Bool(false));
    }
    with(host, &args, [""], 1, 0, &|host, [x]| {
        let truth = host.truth(&x)?;
        Ok(V::boolean(truth, why_of(&[&x])))
    })
}

fn complex(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["real", "imag"], 0, 2, &|host, [real, imag]| {
        for x in [&real, &imag] {
            match x {
                V::Undef | V::Float(_) | V::Floats(_) | V::Complex(_) => {}
                V::Str(_) | V::Strs(_) => {
                    host.may_raise("ValueError");
                    host.may_raise("TypeError");
                }
                x if x.as_int().is_some() => host.may_raise("OverflowError"),
                x if kind(host, x).is_some() => return type_error(host),
                x => {
                    unknown(host, std::slice::from_ref(x));
                }
            }
        }
        Ok(V::Complex(Why::Lost))
    })
}

fn abs(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [x]| {
        if let Some(int) = x.as_int() {
            return Ok(V::int(int.abs(), why_of(&[&x])));
        }
        if let Some(f) = as_float(&x) {
            return Ok(V::float(f.abs(), why_of(&[&x])));
        }
        if let V::Complex(why) = x {
            host.may_raise("OverflowError");
            return Ok(V::float(Float { low: 0.0, ..Float::ANY }, why));
        }
        if let Some(known) = crate::library::modules::signed(host, &x, i128::wrapping_abs)? {
            return Ok(known);
        }
        if let Some(method) = dunder(host, &x, "__abs__").filter(|_| !open_instance(host, &x)) {
            return host.call(&method, Args::of([x]));
        }
        wrong(host, &x, std::slice::from_ref(&x))
    })
}

fn divmod(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 2, &|host, [a, b]| {
        if !(a.is_number() && b.is_number()) {
            let offending = if a.is_number() { &b } else { &a };
            return if kind(host, &a).is_some() && kind(host, &b).is_some() {
                type_error(host)
            } else {
                wrong(host, &offending.clone(), &[a, b])
            };
        }
        let quotient = host.binary(BinaryOp::FloorDiv, &a, &b)?;
        let remainder = host.binary(BinaryOp::Mod, &a, &b)?;
        Ok(V::tuple(vec![quotient, remainder]))
    })
}

/// An operand as words of a message.
fn shown(v: &V) -> String {
    match v {
        V::Int(n) => n.to_string(),
        V::Bool(b) => if *b { "True" } else { "False" }.to_owned(),
        _ => "…".to_owned(),
    }
}

fn pow(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["base", "exp", "mod"], 2, 3, &|host, [a, b, m]| {
        if matches!(m, V::Undef | V::None) {
            if let (Some(x), Some(y)) = (a.as_int(), b.as_int()) {
                let power = x.pow(&y);
                if let (Some(int), false) = (power.int, power.float_possible) {
                    host.integer(
                        FactKind::IntegerPower,
                        "pow",
                        format!("pow({}, {})", shown(&a), shown(&b)),
                        (int.bits_low, int.bits_high),
                    );
                    return Ok(V::int(int, why_of(&[&a, &b])));
                }
            }
            return host.binary(BinaryOp::Pow, &a, &b);
        }
        let (Some(x), Some(y), Some(z)) = (a.as_int(), b.as_int(), m.as_int()) else {
            let all = [a, b, m];
            if all.iter().all(|v| kind(host, v).is_some()) {
                return type_error(host);
            }
            return Ok(unknown(host, &all));
        };
        let result = x.pow_mod(&y, &z);
        if result.zero_certain {
            return Err(host.raise("ValueError", "pow() 3rd argument cannot be 0"));
        }
        if result.zero_possible {
            host.may_raise("ValueError");
        }
        match result.int {
            Some(int) => Ok(V::int(int, why_of(&[&a, &b, &m]))),
            None => Err(host.raise("ValueError", "")),
        }
    })
}

/// `round(n, places)` of an int with negative places: half to even at 10**−places.
fn round_int(n: i128, places: i128) -> Option<i128> {
    let Some(unit) = u32::try_from(-places).ok().and_then(|p| 10i128.checked_pow(p)) else {
        // A unit beyond twice the greatest magnitude rounds everything to 0; one just above may not.
        return (places < -40).then_some(0);
    };
    let (quotient, remainder) = (n.div_euclid(unit), n.rem_euclid(unit));
    let up = match (remainder.checked_mul(2)?).cmp(&unit) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => quotient % 2 != 0,
        std::cmp::Ordering::Less => false,
    };
    (quotient + i128::from(up)).checked_mul(unit)
}

fn round(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["number", "ndigits"], 1, 2, &|host, [x, places]| {
        let whole = matches!(places, V::Undef | V::None);
        if !x.is_number() {
            if let Some(method) = dunder(host, &x, "__round__").filter(|_| !open_instance(host, &x)) {
                let args = if matches!(places, V::Undef) { vec![x] } else { vec![x, places] };
                return host.call(&method, Args::of(args));
            }
            return wrong(host, &x.clone(), &[x, places]);
        }
        let why = why_of(&[&x, &places]);
        if whole {
            return match x.as_int() {
                Some(int) => Ok(V::int(int, why)),
                None => rounded(host, &x, Rounding::Round),
            };
        }
        let places = index(host, &places)?;
        let exact_places = places.and_then(|p| p.is_exact());
        if let Some(int) = x.as_int() {
            return Ok(match (int.is_exact(), exact_places) {
                (_, Some(p)) if p >= 0 => V::int(int, why),
                (Some(n), Some(p)) => round_int(n, p).map_or(V::any_int(why), V::Int),
                _ => V::any_int(why),
            });
        }
        let Some(f) = as_float(&x) else { return type_error(host) };
        let places = exact_places.and_then(|p| i64::try_from(p).ok());
        match (f.is_exact(), places) {
            (Some(f), Some(_)) if !f.is_finite() => Ok(V::Float(f)),
            (Some(f), Some(p)) => match round_float(f, p) {
                Some(f) => Ok(V::Float(f)),
                None => Err(host.raise("OverflowError", "rounded value too large to represent")),
            },
            // Rounding keeps order.
            (None, Some(p)) if f.low.is_finite() && f.high.is_finite() => match (round_float(f.low, p), round_float(f.high, p)) {
                (Some(low), Some(high)) => {
                    let range = Float::range(low, high);
                    Ok(V::float(Float { nan: f.nan, ..range }, why))
                }
                _ => {
                    host.may_raise("OverflowError");
                    Ok(V::any_float(why))
                }
            },
            _ => {
                // Only what is rounded to tens and more can grow.
                if places.is_none_or(|p| p < 0) {
                    host.may_raise("OverflowError");
                }
                Ok(V::any_float(why))
            }
        }
    })
}

/// `bin`, `oct` and `hex`: digits of so many bits each.
fn digits(host: &mut dyn Host, args: &Args, bits: u64, prefix: &str, render: fn(u128) -> String) -> R<V> {
    with(host, args, [""], 1, 1, &|host, [x]| {
        let Some(int) = index(host, &x)? else { return Ok(V::strs(3, u64::MAX, Why::OUTSIDE)) };
        if let Some(n) = int.is_exact() {
            return Ok(V::str(&format!("{}{prefix}{}", if n < 0 { "-" } else { "" }, render(n.unsigned_abs()))));
        }
        let count = |b: u64| b.div_ceil(bits).max(1).saturating_add(2);
        let sign = u64::from(int.may_be_negative());
        let sure = u64::from(int.upper().is_some_and(|n| n < 0));
        Ok(V::strs(count(int.bits_low) + sure, count(int.bits_high).saturating_add(sign), why_of(&[&x])))
    })
}

fn bin(host: &mut dyn Host, args: Args) -> R<V> {
    digits(host, &args, 1, "0b", |n| format!("{n:b}"))
}

fn oct(host: &mut dyn Host, args: Args) -> R<V> {
    digits(host, &args, 3, "0o", |n| format!("{n:o}"))
}

fn hex(host: &mut dyn Host, args: Args) -> R<V> {
    digits(host, &args, 4, "0x", |n| format!("{n:x}"))
}

fn chr(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [x]| {
        let Some(int) = index(host, &x)? else { return Ok(V::strs(1, 1, Why::OUTSIDE)) };
        let valid = Int::range(0, 0x10_ffff);
        match int.is_exact() {
            Some(n) if (0..=0x10_ffff).contains(&n) => {
                let c = u32::try_from(n).ok().and_then(char::from_u32);
                Ok(c.map_or(V::strs(1, 1, Why::Lost), |c| V::str(c.encode_utf8(&mut [0; 4]))))
            }
            _ => {
                if !valid.includes(&int) {
                    // Beyond a C int it is OverflowError or ValueError, by version.
                    if int.low < -(1 << 31) || int.upper().is_none_or(|n| n >= 1 << 31) {
                        host.may_raise("OverflowError");
                    }
                    if int.meet(&valid).is_none() {
                        return Err(host.raise("ValueError", "chr() arg not in range(0x110000)"));
                    }
                    host.may_raise("ValueError");
                }
                Ok(V::strs(1, 1, why_of(&[&x])))
            }
        }
    })
}

fn ord(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [x]| {
        match &x {
            V::Str(s) => {
                let mut chars = s.chars();
                if let (Some(c), None) = (chars.next(), chars.next()) {
                    return Ok(V::Int(i128::from(u32::from(c))));
                }
                return type_error(host);
            }
            V::Bytes(b) => return if let [one] = **b { Ok(V::Int(i128::from(one))) } else { type_error(host) },
            V::Strs(t) | V::ManyBytes(t) => {
                if t.low > 1 || t.high < 1 {
                    return type_error(host);
                }
                if (t.low, t.high) != (1, 1) {
                    host.may_raise("TypeError");
                }
                let top = if matches!(x, V::Strs(_)) { 0x10_ffff } else { 255 };
                return Ok(V::int(Int::range(0, top), t.why));
            }
            _ => {}
        }
        if kind(host, &x).is_some_and(|k| k != "bytearray") {
            return type_error(host);
        }
        host.may_raise("TypeError");
        Ok(V::int(Int::range(0, 0x10_ffff), why_of(&[&x])))
    })
}

fn hash(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 0, &|host, [x]| {
        host.key(&x)?;
        Ok(V::int(Int::range(-(1 << 63), (1 << 63) - 1), Why::OUTSIDE))
    })
}

fn id(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 0, &|_, _| Ok(V::int(Int::range(0, i128::from(u64::MAX)), Why::OUTSIDE)))
}

/// `int(text, …)` and others take a default where an argument is missing.
pub fn exact_or(host: &mut dyn Host, v: &V, default: i128) -> R<Option<i128>> {
    Ok(index_or(host, v, default)?.and_then(|n| n.is_exact()))
}
