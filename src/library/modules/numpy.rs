//! `numpy`: what its constructors allocate, by shape and type. The arrays themselves are not known.

use crate::fact::FactKind;
use crate::library::common::allocates;
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, Tuple, V, Why};

use super::support::look;

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "zeros" => Entry::Function(|host, args| shaped(host, &args, "numpy.zeros", 1)),
        "ones" => Entry::Function(|host, args| shaped(host, &args, "numpy.ones", 1)),
        "empty" => Entry::Function(|host, args| shaped(host, &args, "numpy.empty", 1)),
        "full" => Entry::Function(|host, args| shaped(host, &args, "numpy.full", 2)),
        "eye" => Entry::Function(|host, args| square(host, &args, "numpy.eye", 3)),
        "identity" => Entry::Function(|host, args| square(host, &args, "numpy.identity", 1)),
        "arange" => Entry::Function(arange),
        "linspace" => Entry::Function(linspace),
        "random.rand" | "random.randn" => Entry::Function(random),
        "random" | "linalg" | "fft" => Entry::Module,
        _ => return None,
    })
}

/// Bytes of an element of a type; none when the type is not known.
fn item_size(dtype: &V) -> Option<u128> {
    let name = match dtype {
        V::Lib(name) => name.text().trim_start_matches("numpy.").to_owned(),
        V::Str(text) => text.trim_start_matches(['<', '>', '=', '|']).to_owned(),
        _ => return None,
    };
    Some(match name.as_str() {
        "bool" | "bool_" | "int8" | "uint8" | "byte" | "ubyte" | "b1" | "i1" | "u1" | "?" | "b" | "B" => 1,
        "int16" | "uint16" | "float16" | "half" | "short" | "i2" | "u2" | "f2" | "e" | "h" | "H" => 2,
        "int32" | "uint32" | "float32" | "single" | "intc" | "i4" | "u4" | "f4" | "f" | "i" | "I" => 4,
        // On 64-bit systems other than Windows, and everywhere from version 2 on; 4 before that.
        "int" | "int_" | "uint" | "long" => 4,
        "int64" | "uint64" | "float64" | "double" | "float" | "float_" | "intp" | "longlong" | "i8" | "u8" | "f8" | "d" | "q" | "Q"
        | "object" | "object_" | "O" | "complex64" | "c8" | "datetime64" | "timedelta64" => 8,
        "complex" | "complex128" | "complex_" | "c16" => 16,
        _ => return None,
    })
}

/// The number of elements of a shape; none when it is not known.
fn elements(host: &mut dyn Host, shape: &V) -> Option<i128> {
    if let Some(n) = shape.exact_int() {
        return Some(n);
    }
    let sides = match shape {
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) => items.clone(),
            Tuple::Bag { .. } => return None,
        },
        V::Ref(id) => match host.store().get(*id) {
            Obj::List(items) if items.rest.is_none() => items.exact.clone(),
            _ => return None,
        },
        _ => return None,
    };
    let mut total: i128 = 1;
    for side in &sides {
        let side = side.exact_int()?;
        if side < 0 {
            return Some(-1);
        }
        total = total.saturating_mul(side);
    }
    Some(total)
}

/// An array of so many elements.
fn array(host: &mut dyn Host, args: &Args, callee: &str, count: Option<i128>, size: Option<u128>) -> R<V> {
    if let (Some(count), Some(size)) = (count, size) {
        // Negative sizes, and those no array can have, raise at once.
        if count < 0 || u128::try_from(count).is_ok_and(|n| n.saturating_mul(size) >= 1 << 63) {
            return Err(host.raise("ValueError", "array is too big"));
        }
        let bytes = u64::try_from(count).unwrap_or(u64::MAX).saturating_mul(size as u64);
        allocates(host, FactKind::Allocation, callee, bytes, bytes);
    }
    look(host, args);
    Ok(V::Instance(Sym::new("numpy.ndarray"), Why::OUTSIDE))
}

/// `f(shape, dtype)`, the type at a position of its own; floats by default, but `full` goes by the value.
fn shaped(host: &mut dyn Host, args: &Args, callee: &str, at: usize) -> R<V> {
    let shape = args.get(0, "shape").cloned();
    let dtype = args.get(at, "dtype").filter(|v| !matches!(v, V::None)).cloned();
    let size = match (&dtype, args.get(1, "fill_value")) {
        (Some(dtype), _) => item_size(dtype),
        (None, _) if at == 1 => Some(8),
        (None, Some(V::Bool(_))) => Some(1),
        (None, Some(V::Int(_))) => Some(4),
        (None, Some(V::Float(_) | V::Floats(_))) => Some(8),
        _ => None,
    };
    let count = shape.and_then(|shape| elements(host, &shape));
    array(host, args, callee, count, size)
}

/// `eye(N, M)` and `identity(n)`.
fn square(host: &mut dyn Host, args: &Args, callee: &str, at: usize) -> R<V> {
    let rows = args.get(0, if at == 1 { "n" } else { "N" }).and_then(V::exact_int);
    let columns = match args.get(1, "M").filter(|_| at == 3) {
        Some(V::None) | None => rows,
        Some(v) => v.exact_int(),
    };
    let size = match args.get(at, "dtype") {
        None | Some(V::None) => Some(8),
        Some(dtype) => item_size(dtype),
    };
    let count = rows.zip(columns).map(|(r, c)| if r < 0 || c < 0 { -1 } else { r.saturating_mul(c) });
    array(host, args, callee, count, size)
}

fn arange(host: &mut dyn Host, args: Args) -> R<V> {
    let whole: Option<Vec<i128>> = args.pos.iter().take(3).map(V::exact_int).collect();
    let count = match whole.as_deref() {
        Some([stop]) => Some((*stop).max(0)),
        Some([start, stop]) => Some(stop.saturating_sub(*start).max(0)),
        Some([start, stop, step]) if *step > 0 => {
            let span = stop.saturating_sub(*start).max(0);
            Some(span / step + i128::from(span % step != 0))
        }
        _ => None,
    };
    let size = match args.get(3, "dtype") {
        None | Some(V::None) => Some(4),
        Some(dtype) => item_size(dtype),
    };
    array(host, &args, "numpy.arange", count, size)
}

fn linspace(host: &mut dyn Host, args: Args) -> R<V> {
    let count = args.get(2, "num").map_or(Some(50), V::exact_int);
    let size = match args.keyword("dtype") {
        None | Some(V::None) => Some(8),
        Some(dtype) => item_size(dtype),
    };
    array(host, &args, "numpy.linspace", count, size)
}

fn random(host: &mut dyn Host, args: Args) -> R<V> {
    let sides = V::tuple(args.pos.to_vec());
    let count = if args.pos.is_empty() { None } else { elements(host, &sides) };
    array(host, &args, "numpy.random.rand", count, Some(8))
}
