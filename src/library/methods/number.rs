//! Methods of int and float, and their operators in function form.

use crate::library::builtins::numbers::{as_float, rounded};
use crate::library::common::{why_of, with, wrong};
use crate::library::{Args, Entry, Host, R};
use crate::syntax::code::BinaryOp;
use crate::value::convert::Rounding;
use crate::value::int::Int;
use crate::value::object::{V, Why};

/// The entry for a method.
pub fn find(owner: &str, method: &str) -> Option<Entry> {
    Some(Entry::Function(match (owner, method) {
        ("int" | "bool", "bit_length") => bit_length,
        ("int" | "bool", "bit_count") => bit_count,
        ("int" | "bool", "conjugate" | "__int__" | "__index__" | "__trunc__") => as_int,
        ("int" | "bool", "as_integer_ratio") => int_ratio,
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
