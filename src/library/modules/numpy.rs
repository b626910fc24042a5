//! `numpy`: what its constructors allocate, by shape and type. The arrays themselves are not known.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::common::allocates;
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, Tuple, V, Why};

use super::support::{instance, look};

/// The class of arrays.
const ARRAY: &str = "numpy.ndarray";

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
        "tile" => Entry::Function(tile),
        "repeat" => Entry::Function(repeat),
        "outer" => Entry::Function(outer),
        "meshgrid" => Entry::Function(meshgrid),
        "random.rand" | "random.randn" => Entry::Function(random),
        "random.random" | "random.random_sample" | "random.standard_normal" => {
            Entry::Function(|host, args| sampled(host, &args, "numpy.random", 0, 8))
        }
        "random.normal" | "random.uniform" => Entry::Function(|host, args| sampled(host, &args, "numpy.random", 2, 8)),
        "random.randint" => Entry::Function(|host, args| sampled(host, &args, "numpy.random.randint", 2, 4)),
        "random.default_rng" => Entry::Function(generator),
        "random.Generator.random" | "random.Generator.standard_normal" => {
            Entry::Function(|host, args| sampled(host, &of_generator(args), "Generator", 0, 8))
        }
        "random.Generator.normal" | "random.Generator.uniform" => {
            Entry::Function(|host, args| sampled(host, &of_generator(args), "Generator", 2, 8))
        }
        "random.Generator.integers" => Entry::Function(|host, args| sampled(host, &of_generator(args), "Generator.integers", 2, 8)),
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
    let (Some(count), Some(size)) = (count, size) else { return Ok(V::Instance(Sym::new(ARRAY), Why::OUTSIDE)) };
    Ok(sized(host, count, size))
}

/// An array of which the number of elements is known, and how many bytes each has at least.
fn sized(host: &mut dyn Host, count: i128, size: u128) -> V {
    let attrs = vec![(Sym::new("@count"), V::Int(count)), (Sym::new("@bytes"), V::Int(size as i128))];
    host.alloc(Obj::Instance { class: V::lib(ARRAY), attrs: Rc::new(attrs) })
}

/// The number of elements of an array, a number or a list of numbers, and the bytes of an element at least.
fn extent(host: &mut dyn Host, value: &V) -> Option<(i128, u128)> {
    match value {
        V::Int(_) => return Some((1, 4)),
        V::Float(_) => return Some((1, 8)),
        V::Ref(id) => {
            if let Obj::List(items) = host.store().get(*id) {
                let (low, high) = crate::library::count(items);
                let numbers = items.exact.iter().chain(items.rest.iter().map(|r| &r.element)).all(V::is_number);
                return (numbers && low == high).then_some((low.into(), 1));
            }
        }
        _ => {}
    }
    let (V::Lib(class), attrs) = instance(host, value)? else { return None };
    match attrs.as_slice() {
        [(_, V::Int(count)), (_, V::Int(bytes))] if &*class.text() == ARRAY => Some((*count, u128::try_from(*bytes).ok()?)),
        _ => None,
    }
}

/// As [`array`], from arguments of which nothing else is known to fail and nothing is changed.
fn derived(host: &mut dyn Host, args: &Args, callee: &str, of: Option<(i128, u128)>) -> R<V> {
    let Some((count, size)) = of.filter(|(n, size)| (0..1 << 62).contains(&n.saturating_mul(*size as i128))) else {
        return Ok(host.unknown_call(args));
    };
    let bytes = u64::try_from(count).unwrap_or(u64::MAX).saturating_mul(size as u64);
    allocates(host, FactKind::Allocation, callee, bytes, bytes);
    host.may_raise("");
    Ok(sized(host, count, size))
}

fn tile(host: &mut dyn Host, args: Args) -> R<V> {
    let of = match args.pos.as_slice() {
        [array, times] if args.kw.is_empty() => {
            let times = elements(host, times);
            extent(host, array).zip(times).map(|((n, size), times)| (n.saturating_mul(times), size))
        }
        _ => None,
    };
    derived(host, &args, "numpy.tile", of)
}

fn repeat(host: &mut dyn Host, args: Args) -> R<V> {
    let of = match args.pos.as_slice() {
        [array, times] if args.kw.iter().all(|(n, _)| &*n.text() == "axis") => {
            extent(host, array).zip(times.exact_int()).map(|((n, size), times)| (n.saturating_mul(times), size))
        }
        _ => None,
    };
    derived(host, &args, "numpy.repeat", of)
}

fn outer(host: &mut dyn Host, args: Args) -> R<V> {
    let of = match args.pos.as_slice() {
        [a, b] if args.kw.is_empty() => {
            let a = extent(host, a);
            a.zip(extent(host, b)).map(|((n, x), (m, y))| (n.saturating_mul(m), x.max(y)))
        }
        _ => None,
    };
    derived(host, &args, "numpy.outer", of)
}

/// A full grid for each of the vectors.
fn meshgrid(host: &mut dyn Host, args: Args) -> R<V> {
    let mut all: Option<(i128, u128)> = Some((1, u128::MAX));
    for vector in &args.pos {
        all = all.zip(extent(host, vector)).map(|((n, size), (m, own))| (n.saturating_mul(m), size.min(own)));
    }
    let followed = args.pos.len() >= 2 && args.kw.iter().all(|(n, _)| &*n.text() == "indexing");
    let grids = args.pos.len() as i128;
    let Some((n, size)) = all.filter(|_| followed) else { return Ok(host.unknown_call(&args)) };
    derived(host, &args, "numpy.meshgrid", Some((n.saturating_mul(grids), size)))?;
    // A list until version 2, a tuple since.
    Ok(V::Unknown(Why::OUTSIDE))
}

fn generator(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    Ok(V::Instance(Sym::new("numpy.random.Generator"), Why::OUTSIDE))
}

/// The arguments of a method without the generator itself.
fn of_generator(mut args: Args) -> Args {
    if !args.pos.is_empty() {
        args.pos.remove(0);
    }
    args
}

/// Random numbers by a `size` that comes after so many parameters.
fn sampled(host: &mut dyn Host, args: &Args, callee: &str, at: usize, size: u128) -> R<V> {
    let shape = args.get(at, "size").cloned();
    let size = match args.keyword("dtype") {
        None => Some(size),
        Some(dtype) => item_size(dtype),
    };
    match shape {
        None | Some(V::None) => super::support::outside_any(host, args.clone()),
        Some(shape) => {
            let count = elements(host, &shape);
            // How it comes about is not looked into: a bound may be wrong, or give no array.
            host.may_raise("");
            array(host, args, callee, count, size)
        }
    }
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
