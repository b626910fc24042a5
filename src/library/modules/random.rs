//! `random` and `secrets`: values of the right type and range that come from outside.

use crate::fact::FactKind;
use crate::library::common::{allocates, size};
use crate::library::{Args, Entry, Host, R, count, list_of};
use crate::value::convert;
use crate::value::float::Float;
use crate::value::int::{Comparison, Int};
use crate::value::object::{Items, Obj, Rest, Text, V, Why};

use super::support::{
    all, bag, bind, element, look, outside_any, outside_float, outside_none, outside_size, outside_str, to_float, to_int,
};

/// The entry for a name in `random`.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "random" => random,
        "randint" => randint,
        "randrange" => randrange,
        "uniform" => uniform,
        "choice" => choice,
        "choices" => choices,
        "sample" => sample,
        "shuffle" => shuffle,
        "getrandbits" => getrandbits,
        "randbytes" => randbytes,
        "seed" => outside_none,
        "gauss" | "normalvariate" | "lognormvariate" | "vonmisesvariate" | "gammavariate" | "betavariate" | "paretovariate"
        | "weibullvariate" | "expovariate" | "triangular" => outside_float,
        "binomialvariate" => outside_size,
        "getstate" => outside_any,
        "setstate" => outside_none,
        _ => return None,
    }))
}

/// The entry for a name in `secrets`.
pub fn find_secrets(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "choice" => choice,
        "randbelow" => randbelow,
        "randbits" => getrandbits,
        "token_hex" | "token_urlsafe" => outside_str,
        "token_bytes" => token_bytes,
        "compare_digest" => super::support::outside_bool,
        _ => return None,
    }))
}

fn random(host: &mut dyn Host, args: Args) -> R<V> {
    all(host, &args, [])?;
    Ok(V::float(Float::range(0.0, 1.0_f64.next_down()), Why::OUTSIDE))
}

/// An argument that must be an int; whole floats were accepted by older versions.
fn whole(host: &mut dyn Host, value: &V) -> R<Int> {
    match value {
        V::Float(_) | V::Floats(_) => {
            host.may_raise("ValueError");
            host.may_raise("TypeError");
            let x = to_float(host, value)?;
            Ok(convert::float_to_int(&x, convert::Rounding::Trunc).int.unwrap_or(Int::ANY))
        }
        V::OneOf(_) => {
            host.may_raise("");
            Ok(Int::ANY)
        }
        _ => to_int(host, value),
    }
}

/// An int from outside from `low` to the one before `end`; ValueError where there is none.
fn between(host: &mut dyn Host, low: &Int, end: &Int) -> R<V> {
    match low.compare(end, Comparison::Lt) {
        Some(true) => {}
        Some(false) => return Err(host.raise("ValueError", "empty range")),
        None => host.may_raise("ValueError"),
    }
    let last = end.sub(&Int::ONE);
    Ok(V::int(low.through(&last), Why::OUTSIDE))
}

fn randint(host: &mut dyn Host, args: Args) -> R<V> {
    let [a, b] = all(host, &args, ["a", "b"])?;
    let (a, b) = (whole(host, &a)?, whole(host, &b)?);
    between(host, &a, &b.add(&Int::ONE))
}

fn randrange(host: &mut dyn Host, args: Args) -> R<V> {
    let [start, stop, step] = bind(host, &args, ["start", "stop", "step"], 1)?;
    let start = whole(host, &start.unwrap_or(V::None))?;
    match (stop, step) {
        (None | Some(V::None), None) => between(host, &Int::ZERO, &start),
        (Some(stop), None) => {
            let stop = whole(host, &stop)?;
            between(host, &start, &stop)
        }
        (Some(stop), Some(step)) if step.as_int().is_some_and(|s| s.low > 0) => {
            let stop = whole(host, &stop)?;
            between(host, &start, &stop)
        }
        (stop, step) => {
            for v in stop.iter().chain(step.iter()) {
                whole(host, v)?;
            }
            host.may_raise("ValueError");
            host.may_raise("TypeError");
            Ok(V::any_int(Why::OUTSIDE))
        }
    }
}

fn uniform(host: &mut dyn Host, args: Args) -> R<V> {
    let [a, b] = all(host, &args, ["a", "b"])?;
    if !a.is_number() || !b.is_number() {
        return outside_any(host, args);
    }
    let (a, b) = (to_float(host, &a)?, to_float(host, &b)?);
    // `a + (b - a) * random()`: rounding may reach either end, and a huge span overflows to infinity.
    let joined = a.join(&b);
    let span = (joined.high - joined.low).abs();
    let range =
        if span.is_finite() { Float { low: joined.low.next_down(), high: joined.high.next_up(), nan: joined.nan } } else { Float::ANY };
    Ok(V::float(range, Why::OUTSIDE))
}

/// The members of a sequence by position, when it is one.
fn sequence(host: &mut dyn Host, value: &V) -> R<Option<Items>> {
    let known = match value {
        V::Str(_) | V::Strs(_) | V::Bytes(_) | V::ManyBytes(_) | V::Tuple(_) | V::Range(_) => true,
        V::Ref(id) => matches!(host.store().get(*id), Obj::List(_) | Obj::Deque(..)),
        _ => false,
    };
    if !known {
        return Ok(None);
    }
    let taken = host.take(value)?;
    host.burn(taken.items.exact.len() as u64 / 16)?;
    Ok(Some(taken.items))
}

fn choice(host: &mut dyn Host, args: Args) -> R<V> {
    let [seq] = all(host, &args, ["seq"])?;
    let Some(items) = sequence(host, &seq)? else {
        if matches!(seq, V::Int(_) | V::Float(_) | V::None | V::Bool(_)) {
            return Err(host.raise("TypeError", "object has no len()"));
        }
        return Ok(host.unknown_call(&args));
    };
    let (low, high) = count(&items);
    if high == 0 {
        return Err(host.raise("IndexError", "Cannot choose from an empty sequence"));
    }
    if low == 0 {
        host.may_raise("IndexError");
    }
    Ok(element(host, &items).unwrap_or(V::Unknown(Why::OUTSIDE)))
}

fn choices(host: &mut dyn Host, args: Args) -> R<V> {
    let [population, weights, cumulative, k] = bind(host, &args, ["population", "weights", "cum_weights", "k"], 1)?;
    let population = population.unwrap_or(V::None);
    let Some(items) = sequence(host, &population)? else { return Ok(host.unknown_call(&args)) };
    for v in weights.iter().chain(cumulative.iter()) {
        look(host, &Args::of([v.clone()]));
    }
    host.may_raise("IndexError");
    let k = to_int_of(host, k.as_ref())?;
    let (low, high) =
        (k.low.clamp(0, i128::from(u64::MAX)) as u64, k.upper().map_or(u64::MAX, |n| n.clamp(0, i128::from(u64::MAX)) as u64));
    let any = element(host, &items).unwrap_or(V::Unknown(Why::OUTSIDE));
    Ok(list_of(host, bag(any, low, high)))
}

fn to_int_of(host: &mut dyn Host, value: Option<&V>) -> R<Int> {
    value.map_or(Ok(Int::ONE), |v| whole(host, v))
}

fn sample(host: &mut dyn Host, args: Args) -> R<V> {
    let [population, k, counts] = bind(host, &args, ["population", "k", "counts"], 2)?;
    let population = population.unwrap_or(V::None);
    let Some(items) = sequence(host, &population)? else { return Ok(host.unknown_call(&args)) };
    if let Some(counts) = &counts {
        look(host, &Args::of([counts.clone()]));
    }
    let k = whole(host, &k.unwrap_or(V::None))?;
    let (_, most) = count(&items);
    if counts.is_none() && k.low > i128::from(most) || k.high < 0 {
        return Err(host.raise("ValueError", "Sample larger than population or is negative"));
    }
    if k.low < 0 || k.upper().is_none_or(|n| n > i128::from(count(&items).0)) || counts.is_some() {
        host.may_raise("ValueError");
    }
    let high = k.upper().map_or(u64::MAX, |n| n.clamp(0, i128::from(u64::MAX)) as u64);
    let high = if counts.is_some() { high } else { high.min(most) };
    let low = k.low.clamp(0, i128::from(high)) as u64;
    let any = element(host, &items).unwrap_or(V::Unknown(Why::OUTSIDE));
    Ok(list_of(host, bag(any, low, high)))
}

/// Any order of the same items.
fn shuffle(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.len() != 1 || !args.kw.is_empty() {
        return Ok(host.unknown_call(&args));
    }
    let V::Ref(id) = args.pos[0] else {
        if matches!(args.pos[0], V::Tuple(_) | V::Str(_) | V::Range(_)) {
            // Too short to swap anything is fine.
            host.may_raise("TypeError");
            return Ok(V::None);
        }
        return Ok(host.unknown_call(&args));
    };
    let Obj::List(items) = host.store().get(id).clone() else { return Ok(host.unknown_call(&args)) };
    let (low, high) = count(&items);
    if high <= 1 {
        return Ok(V::None);
    }
    host.burn(items.exact.len() as u64 / 16)?;
    let any = element(host, &items).unwrap_or(V::Unknown(Why::OUTSIDE));
    let shuffled = Items { exact: Vec::new(), rest: Some(Rest { element: any, value: V::None, low, high }) };
    host.store().mutate(id, true, |obj| {
        if let Obj::List(list) = obj {
            *list = std::rc::Rc::new(shuffled);
        }
    });
    Ok(V::None)
}

fn getrandbits(host: &mut dyn Host, args: Args) -> R<V> {
    let [k] = all(host, &args, ["/k"])?;
    let k = whole(host, &k)?;
    if k.high < 0 {
        return Err(host.raise("ValueError", "number of bits must be non-negative"));
    }
    if k.low < 0 {
        host.may_raise("ValueError");
    }
    if k.upper().is_none_or(|n| n > i128::from(i32::MAX)) {
        host.may_raise("");
    }
    let bits = k.upper().map_or(u64::MAX, |n| n.clamp(0, i128::from(u64::MAX)) as u64);
    Ok(V::int(Int::bits(0, bits, crate::value::int::Sign::Positive), Why::OUTSIDE))
}

fn randbytes(host: &mut dyn Host, args: Args) -> R<V> {
    let [n] = all(host, &args, ["n"])?;
    random_bytes(host, &n, "random.randbytes")
}

/// `os.urandom`.
pub fn urandom(host: &mut dyn Host, args: Args) -> R<V> {
    let [n] = all(host, &args, ["/size"])?;
    host.may_raise("OSError");
    random_bytes(host, &n, "os.urandom")
}

fn token_bytes(host: &mut dyn Host, args: Args) -> R<V> {
    match bind(host, &args, ["nbytes"], 0)? {
        [None | Some(V::None)] => Ok(V::ManyBytes(Text::between(0, u64::MAX, Why::OUTSIDE))),
        [Some(n)] => random_bytes(host, &n, "secrets.token_bytes"),
    }
}

fn random_bytes(host: &mut dyn Host, n: &V, callee: &str) -> R<V> {
    let n = whole(host, n)?;
    host.may_raise("ValueError");
    host.may_raise("OverflowError");
    let (low, high) = size(&n);
    // Larger ones are refused.
    if i64::try_from(low).is_ok_and(|n| n < i64::MAX / 8) {
        allocates(host, FactKind::Allocation, callee, low, high);
    }
    Ok(V::ManyBytes(Text::between(low, high, Why::OUTSIDE)))
}

fn randbelow(host: &mut dyn Host, args: Args) -> R<V> {
    let [end] = all(host, &args, ["exclusive_upper_bound"])?;
    let end = whole(host, &end)?;
    between(host, &Int::ZERO, &end)
}
