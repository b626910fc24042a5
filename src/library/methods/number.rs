//! Methods of int and float, and their operators in function form.

use crate::fact::FactKind;
use crate::library::builtins::numbers::{as_float, rounded};
use crate::library::common::{allocates, index_or, size, why_of, with, wrong};
use crate::library::{Args, Entry, Host, R};
use crate::syntax::code::BinaryOp;
use crate::value::convert::Rounding;
use crate::value::int::{Int, Sign};
use crate::value::object::{Text, V, Why};

/// The entry for a method.
pub fn find(owner: &str, method: &str) -> Option<Entry> {
    Some(Entry::Function(match (owner, method) {
        ("int" | "bool", "bit_length") => bit_length,
        ("int" | "bool", "bit_count") => bit_count,
        ("int" | "bool", "conjugate" | "__int__" | "__index__" | "__trunc__") => as_int,
        ("int" | "bool", "as_integer_ratio") => int_ratio,
        ("int" | "bool", "is_integer") => |host, args| {
            // New in 3.12.
            host.may_raise("AttributeError");
            with(host, &args, [""], 1, 1, &|host, [x]| if x.as_int().is_some() { Ok(V::Bool(true)) } else { wrong(host, &x.clone(), &[x]) })
        },
        ("int" | "bool", "to_bytes") => to_bytes,
        ("int" | "bool", "from_bytes") => from_bytes,
        ("float", "is_integer") => is_integer,
        ("float", "conjugate") => |host, args| {
            with(host, &args, [""], 1, 1, &|host, [x]| if as_float(&x).is_some() { Ok(x) } else { wrong(host, &x.clone(), &[x]) })
        },
        ("float", "hex") => |host, args| {
            with(host, &args, [""], 1, 1, &|host, [x]| {
                if as_float(&x).is_some() { Ok(V::strs(3, 25, Why::Lost)) } else { wrong(host, &x.clone(), &[x]) }
            })
        },
        ("float", "__int__" | "__trunc__") => |host, args| {
            with(host, &args, [""], 1, 1, &|host, [x]| {
                if as_float(&x).is_some() { rounded(host, &x, Rounding::Trunc) } else { wrong(host, &x.clone(), &[x]) }
            })
        },
        ("int", "__add__") => |host, args| operator(host, &args, BinaryOp::Add, false),
        ("int", "__radd__") => |host, args| operator(host, &args, BinaryOp::Add, true),
        ("int", "__sub__") => |host, args| operator(host, &args, BinaryOp::Sub, false),
        ("int", "__rsub__") => |host, args| operator(host, &args, BinaryOp::Sub, true),
        ("int", "__mul__") => |host, args| operator(host, &args, BinaryOp::Mul, false),
        ("int", "__rmul__") => |host, args| operator(host, &args, BinaryOp::Mul, true),
        ("int", "__pow__") => {
            |host, args| if args.pos.len() == 3 { host.call(&V::lib("pow"), args) } else { operator(host, &args, BinaryOp::Pow, false) }
        }
        ("int", "__rpow__") => |host, args| operator(host, &args, BinaryOp::Pow, true),
        ("int", "__lshift__") => |host, args| operator(host, &args, BinaryOp::LShift, false),
        ("int", "__rlshift__") => |host, args| operator(host, &args, BinaryOp::LShift, true),
        ("int", "__rshift__") => |host, args| operator(host, &args, BinaryOp::RShift, false),
        ("int", "__floordiv__") => |host, args| operator(host, &args, BinaryOp::FloorDiv, false),
        ("int", "__mod__") => |host, args| operator(host, &args, BinaryOp::Mod, false),
        ("int", "__truediv__") => |host, args| operator(host, &args, BinaryOp::TrueDiv, false),
        _ => return None,
    }))
}

/// An operator called by its method: with anything but two ints CPython's answer is NotImplemented, or a TypeError.
fn operator(host: &mut dyn Host, args: &Args, op: BinaryOp, reflected: bool) -> R<V> {
    with(host, args, ["", ""], 2, 2, &|host, [a, b]| {
        if a.as_int().is_none() {
            return wrong(host, &a.clone(), &[a, b]);
        }
        if b.as_int().is_none() {
            return if crate::library::common::kind(host, &b).is_some() { Ok(V::NotImplemented) } else { wrong(host, &b.clone(), &[b]) };
        }
        if reflected { host.binary(op, &b, &a) } else { host.binary(op, &a, &b) }
    })
}

fn with_int(host: &mut dyn Host, args: &Args, run: &dyn Fn(Int, Why) -> V) -> R<V> {
    with(host, args, [""], 1, 1, &|host, [x]| match x.as_int() {
        Some(int) => Ok(run(int, why_of(&[&x]))),
        None => wrong(host, &x.clone(), &[x]),
    })
}

fn bit_length(host: &mut dyn Host, args: Args) -> R<V> {
    with_int(host, &args, &|int, why| V::int(int.bit_length(), why))
}

fn bit_count(host: &mut dyn Host, args: Args) -> R<V> {
    with_int(host, &args, &|int, why| match int.is_exact() {
        Some(n) => V::Int(i128::from(n.unsigned_abs().count_ones())),
        None => V::any_size(why),
    })
}

fn as_int(host: &mut dyn Host, args: Args) -> R<V> {
    with_int(host, &args, &V::int)
}

fn int_ratio(host: &mut dyn Host, args: Args) -> R<V> {
    with_int(host, &args, &|int, why| V::tuple(vec![V::int(int, why), V::Int(1)]))
}

fn is_integer(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [x]| match as_float(&x) {
        Some(f) => Ok(V::boolean(f.is_exact().map(|f| f.is_finite() && f.fract() == 0.0), why_of(&[&x]))),
        None => wrong(host, &x.clone(), &[x]),
    })
}

/// Whether the most significant byte comes first; none when that is not known. The argument may be left out since 3.11.
fn big_endian(host: &mut dyn Host, order: &V) -> R<Option<bool>> {
    match order {
        V::Undef => {
            if host.target().0 < 11 {
                host.may_raise("TypeError");
            }
            Ok(Some(true))
        }
        V::Str(s) if &**s == "big" => Ok(Some(true)),
        V::Str(s) if &**s == "little" => Ok(Some(false)),
        V::Str(_) => Err(host.raise("ValueError", "byteorder must be either 'little' or 'big'")),
        _ => {
            host.may_raise("");
            Ok(None)
        }
    }
}

fn to_bytes(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.len() > 3 {
        return Err(host.raise("TypeError", "to_bytes() takes at most 2 positional arguments"));
    }
    with(host, &args, ["", "length", "byteorder", "signed"], 1, 2, &|host, [x, length, order, signed]| {
        let Some(int) = x.as_int() else { return wrong(host, &x.clone(), &[x]) };
        let big = big_endian(host, &order)?;
        let signed = if matches!(signed, V::Undef) { Some(false) } else { host.truth(&signed)? };
        let Some(length) = index_or(host, &length, 1)? else { return Ok(V::ManyBytes(Text::between(0, u64::MAX, Why::Lost))) };
        if length.upper().is_some_and(|n| n < 0) {
            return Err(host.raise("ValueError", "length argument must be non-negative"));
        }
        let (low, high) = size(&length);
        if let (Some(n), Some(big), Some(false), true) = (int.is_exact(), big, signed, low == high && low <= 64) {
            if n < 0 || (low < 16 && n >> (8 * low) != 0) {
                return Err(host.raise("OverflowError", "int too big to convert"));
            }
            let mut bytes: Vec<u8> = (0..low).map(|i| if i < 16 { (n >> (8 * i)) as u8 } else { 0 }).collect();
            if big {
                bytes.reverse();
            }
            return Ok(V::bytes(&bytes));
        }
        host.may_raise("OverflowError");
        host.may_raise("ValueError");
        allocates(host, FactKind::Allocation, "int.to_bytes", low, high);
        Ok(V::ManyBytes(Text::between(low, high, why_of(&[&x, &length_value(low)]))))
    })
}

fn length_value(n: u64) -> V {
    V::Int(i128::from(n))
}

/// `int.from_bytes(bytes, order)`: a class method, so on an instance the receiver comes first.
fn from_bytes(host: &mut dyn Host, args: Args) -> R<V> {
    let mut args = args;
    if args.pos.first().is_some_and(|v| v.as_int().is_some()) {
        args.pos.remove(0);
    }
    with(host, &args, ["bytes", "byteorder", "signed"], 1, 2, &|host, [bytes, order, signed]| {
        let big = big_endian(host, &order)?;
        let signed = if matches!(signed, V::Undef) { Some(false) } else { host.truth(&signed)? };
        let text = match &bytes {
            V::Bytes(_) | V::ManyBytes(_) => crate::value::store::text_of(&bytes),
            _ => None,
        };
        let Some(text) = text else {
            if crate::library::common::kind(host, &bytes).is_some_and(|k| matches!(k, "int" | "float" | "NoneType" | "str")) {
                return crate::library::common::type_error(host);
            }
            crate::library::common::unknown(host, std::slice::from_ref(&bytes));
            return Ok(V::any_int(Why::Lost));
        };
        if let (V::Bytes(raw), Some(big), Some(false)) = (&bytes, big, signed)
            && raw.len() <= 15
        {
            let fold = |n: i128, b: &u8| n << 8 | i128::from(*b);
            return Ok(V::Int(if big { raw.iter().fold(0, fold) } else { raw.iter().rev().fold(0, fold) }));
        }
        let bits = text.high.saturating_mul(8);
        let sign = if signed == Some(false) { Sign::Positive } else { Sign::Any };
        Ok(V::int(Int::bits(0, bits, sign), text.why))
    })
}
