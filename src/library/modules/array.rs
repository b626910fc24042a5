//! `array`: how many items an array has, and what it allocates.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::common::{Consumer, allocates, consume, size, size_value};
use crate::library::{Args, Entry, Host, R, count, why};
use crate::syntax::code::BinaryOp;
use crate::value::cost;
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{bind, instance, look};

/// The class of arrays.
const ARRAY: &str = "array.array";

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    match name {
        "array" => Some(Entry::Type(array)),
        _ => None,
    }
}

/// Bytes of an item at least, and the ints it can be, for a type of items that is a number.
fn numbers(code: &str) -> Option<(u64, Option<(i128, i128)>)> {
    let signed = |bytes: u64| (bytes, Some((-(1_i128 << (8 * bytes - 1)), (1_i128 << (8 * bytes - 1)) - 1)));
    let unsigned = |bytes: u64| (bytes, Some((0, (1_i128 << (8 * bytes)) - 1)));
    Some(match code {
        "b" => signed(1),
        "B" => unsigned(1),
        "h" => signed(2),
        "H" => unsigned(2),
        // A long has 4 bytes on Windows.
        "i" | "l" => signed(4),
        "I" | "L" => unsigned(4),
        "q" => signed(8),
        "Q" => unsigned(8),
        "f" => (4, None),
        "d" => (8, None),
        _ => return None,
    })
}

fn made(host: &mut dyn Host, bytes: u64, length: (u64, u64)) -> V {
    let attrs = vec![(Sym::new("@bytes"), V::Int(bytes.into())), (Sym::new("@length"), size_value(length.0, length.1, Why::Lost))];
    host.alloc(Obj::Instance { class: V::lib(ARRAY), attrs: Rc::new(attrs) })
}

fn unknown(host: &mut dyn Host, args: &Args) -> V {
    look(host, args);
    V::Instance(Sym::new(ARRAY), Why::Lost)
}

fn array(host: &mut dyn Host, args: Args) -> R<V> {
    let [code, items] = bind(host, &args, ["/typecode", "/initializer"], 1)?;
    let Some((bytes, range)) = (match &code {
        Some(V::Str(code)) => numbers(code),
        _ => None,
    }) else {
        return Ok(unknown(host, &args));
    };
    let Some(items) = items else { return Ok(made(host, bytes, (0, 0))) };
    match &items {
        // The bytes of its items, of which each may take more than is certain.
        V::Str(_) | V::Strs(_) | V::Bytes(_) | V::ManyBytes(_) => return Ok(unknown(host, &args)),
        _ => {}
    }
    let mut fits = |_: &mut dyn Host, item: &V| {
        Ok(match range {
            Some((low, high)) => item.as_int().is_some_and(|n| n.low >= low && n.upper().is_some_and(|n| n <= high)),
            None => {
                matches!(item, V::Float(_) | V::Floats(_))
                    || item.as_int().is_some_and(|n| n.low > -(1 << 100) && n.upper().is_some_and(|n| n < 1 << 100))
            }
        })
    };
    let by = Consumer { callee: ARRAY, floor: cost::C_ITERATION, keeps: bytes, collects: true, goes_on: &mut fits };
    let taken = consume(host, &items, by)?;
    let all_fit = {
        let any = crate::library::common::element(host, &taken).unwrap_or(V::Int(0));
        fits(host, &any)?
    };
    if !all_fit {
        return Ok(unknown(host, &args));
    }
    Ok(made(host, bytes, count(&taken)))
}

/// The bytes of an item and the number of items of an array that is known.
fn known(host: &mut dyn Host, value: &V) -> Option<(u64, (u64, u64))> {
    let (V::Lib(class), attrs) = instance(host, value)? else { return None };
    match attrs.as_slice() {
        [(_, V::Int(bytes)), (_, length)] if &*class.text() == ARRAY => Some((u64::try_from(*bytes).ok()?, size(&length.as_int()?))),
        _ => None,
    }
}

/// `array * n`, `n * array` and the sum of two arrays, where that gives a new one.
pub fn binary(host: &mut dyn Host, op: BinaryOp, a: &V, b: &V, inplace: bool) -> Option<V> {
    if !matches!(op, BinaryOp::Mul | BinaryOp::Add) || !matches!((a, b), (V::Ref(_), _) | (_, V::Ref(_))) {
        return None;
    }
    let (bytes, low, high) = match (op, known(host, a), known(host, b)) {
        (BinaryOp::Mul, Some((bytes, (low, high))), None) => {
            let times = size(&b.as_int()?);
            (bytes, low.saturating_mul(times.0), high.saturating_mul(times.1))
        }
        (BinaryOp::Mul, None, Some((bytes, (low, high)))) => {
            let times = size(&a.as_int()?);
            (bytes, low.saturating_mul(times.0), high.saturating_mul(times.1))
        }
        (BinaryOp::Add, Some((bytes, first)), Some((_, second))) => {
            (bytes, first.0.saturating_add(second.0), first.1.saturating_add(second.1))
        }
        _ => return None,
    };
    let size = low.saturating_mul(bytes);
    if size >= 1 << 63 {
        return None;
    }
    allocates(host, FactKind::Repetition, if op == BinaryOp::Mul { "*" } else { "+" }, size, u64::MAX);
    if inplace {
        // The array itself changes, under whatever names it has.
        host.store().escape(a);
        return Some(V::Unknown(why(&[a, b])));
    }
    Some(made(host, bytes, (low, high)))
}
