//! `statistics`: exact for ints, bounded for floats.

use crate::library::builtins::order::sort_items;
use crate::library::common::{Consumer, consume, take_all};
use crate::library::{Args, Entry, Host, R, Stop, count, list_of};
use crate::syntax::code::BinaryOp;
use crate::value::convert::int_truediv;
use crate::value::cost;
use crate::value::float::{Float, down, up};
use crate::value::int::Int;
use crate::value::object::{Items, Key, V, Why};

use super::support::{bind, element};

/// The exception for data that is too short.
const ERROR: &str = "statistics.StatisticsError";

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "mean" => mean,
        "fmean" => fmean,
        "median" => |host, args| median(host, &args, None),
        "median_low" => |host, args| median(host, &args, Some(false)),
        "median_high" => |host, args| median(host, &args, Some(true)),
        "mode" => |host, args| mode(host, &args, true),
        "multimode" => |host, args| mode(host, &args, false),
        "variance" => |host, args| spread(host, &args, true, false),
        "pvariance" => |host, args| spread(host, &args, false, false),
        "stdev" => |host, args| spread(host, &args, true, true),
        "pstdev" => |host, args| spread(host, &args, false, true),
        "geometric_mean" | "harmonic_mean" => super::support::outside_float,
        "quantiles" | "correlation" | "covariance" | "linear_regression" => super::support::outside_any,
        _ => return None,
    }))
}

/// The data, where it is numbers all through; the call is unknown otherwise. At least `least` items are asked for.
fn numbers(host: &mut dyn Host, args: &Args, data: Option<V>, least: u64) -> R<Option<Items>> {
    let Some(data) = data else { return Err(host.raise("TypeError", "")) };
    let mut number = |_: &mut dyn Host, item: &V| Ok(item.is_number());
    // All are listed first where they are not only added up.
    let by = Consumer { callee: "statistics", floor: cost::C_ITERATION, keeps: 0, collects: true, goes_on: &mut number };
    let items = consume(host, &data, by)?;
    host.burn(items.exact.len() as u64 / 4)?;
    if !items.exact.iter().chain(items.rest.iter().map(|r| &r.element)).all(V::is_number) {
        host.may_raise("");
        host.unknown_call(args);
        return Ok(None);
    }
    let (low, high) = count(&items);
    if high < least {
        return Err(host.raise(ERROR, "not enough data points"));
    }
    if low < least {
        host.may_raise(ERROR);
    }
    Ok(Some(items))
}

/// All items, where every one is an exact int.
fn ints(items: &Items) -> Option<Vec<i128>> {
    if items.rest.is_some() {
        return None;
    }
    items.exact.iter().map(|v| if let V::Int(n) = v { Some(*n) } else { None }).collect()
}

/// A fraction as these functions return it for ints: an int where it is one, else the nearest float.
fn ratio(host: &mut dyn Host, n: i128, d: i128) -> R<V> {
    if d != 0 && n % d == 0 {
        return Ok(V::Int(n / d));
    }
    let quotient = int_truediv(&Int::exact(n), &Int::exact(d));
    match quotient.float {
        Some(float) => Ok(V::float(float, Why::Lost)),
        None => Err(host.raise("OverflowError", "")),
    }
}

/// The least and the greatest an item can be as a float; none where that is not finite.
fn extremes(items: &Items) -> Option<(f64, f64)> {
    let mut bounds: Option<(f64, f64)> = None;
    for value in items.exact.iter().chain(items.rest.iter().map(|r| &r.element)) {
        let (low, high) = match value {
            V::Float(f) => (*f, *f),
            V::Floats(r) if !r.0.nan => (r.0.low, r.0.high),
            v => {
                let int = v.as_int()?;
                (down(int.lower()? as f64, 1), up(int.upper()? as f64, 1))
            }
        };
        if !low.is_finite() || !high.is_finite() {
            return None;
        }
        bounds = Some(bounds.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
    }
    bounds
}

/// A mean that is not known exactly: between the extremes, an int or a float.
fn between(host: &mut dyn Host, items: &Items, only_float: bool) -> V {
    let Some((low, high)) = extremes(items) else {
        host.may_raise("OverflowError");
        return if only_float { V::any_float(Why::Lost) } else { V::Unknown(Why::Lost) };
    };
    let float = V::float(Float::range(down(low, 2), up(high, 2)), Why::Lost);
    let all_floats = items.exact.iter().chain(items.rest.iter().map(|r| &r.element)).any(|v| matches!(v, V::Float(_) | V::Floats(_)))
        && items.rest.is_none();
    if only_float || all_floats {
        return float;
    }
    let int = if low.abs() < 1e30 && high.abs() < 1e30 { Int::range(low.floor() as i128, high.ceil() as i128) } else { Int::ANY };
    let int = V::int(int, Why::Lost);
    host.join(&float, &int)
}

fn mean(host: &mut dyn Host, args: Args) -> R<V> {
    let [data] = bind(host, &args, ["data"], 1)?;
    let Some(items) = numbers(host, &args, data, 1)? else { return Ok(V::Unknown(Why::Lost)) };
    let total = ints(&items).and_then(|all| all.iter().try_fold(0_i128, |sum, n| sum.checked_add(*n)).map(|sum| (sum, all.len())));
    match total {
        Some((sum, n)) => ratio(host, sum, n as i128),
        None => Ok(between(host, &items, false)),
    }
}

fn fmean(host: &mut dyn Host, args: Args) -> R<V> {
    let [data, weights] = bind(host, &args, ["data", "weights"], 1)?;
    if !matches!(weights, None | Some(V::None)) {
        return Ok(host.unknown_call(&args));
    }
    let Some(items) = numbers(host, &args, data, 1)? else { return Ok(V::Unknown(Why::Lost)) };
    let small = ints(&items).filter(|all| all.iter().all(|n| n.abs() < 1 << 40) && all.len() < 4096);
    match small {
        Some(all) => Ok(V::Float(all.iter().sum::<i128>() as f64 / all.len() as f64)),
        None => Ok(between(host, &items, true)),
    }
}

fn median(host: &mut dyn Host, args: &Args, which: Option<bool>) -> R<V> {
    let [data] = bind(host, args, ["data"], 1)?;
    let Some(items) = numbers(host, args, data, 1)? else { return Ok(V::Unknown(Why::Lost)) };
    let sorted = sort_items(host, &items, &V::None, Some(false))?;
    if sorted.rest.is_some() || sorted.exact.is_empty() {
        let any = element(host, &sorted).unwrap_or(V::None);
        if which.is_some() {
            return Ok(any);
        }
        let middle = between(host, &sorted, true);
        return Ok(host.join(&any, &middle));
    }
    let n = sorted.exact.len();
    let (a, b) = (&sorted.exact[(n - 1) / 2], &sorted.exact[n / 2]);
    match which {
        Some(high) => Ok(if high { b.clone() } else { a.clone() }),
        None if n % 2 == 1 => Ok(b.clone()),
        None => {
            let sum = host.binary(BinaryOp::Add, a, b)?;
            host.binary(BinaryOp::TrueDiv, &sum, &V::Int(2))
        }
    }
}

fn mode(host: &mut dyn Host, args: &Args, one: bool) -> R<V> {
    let [data] = bind(host, args, ["data"], 1)?;
    let Some(data) = data else { return Err(host.raise("TypeError", "")) };
    let items = take_all(host, &data, "statistics", cost::C_ITERATION)?;
    host.burn(items.exact.len() as u64 / 4)?;
    let mut counts: indexmap::IndexMap<Key, (V, u64)> = indexmap::IndexMap::new();
    let mut known = items.rest.is_none();
    for item in &items.exact {
        match host.key(item)? {
            Some(key) => counts.entry(key).or_insert_with(|| (item.clone(), 0)).1 += 1,
            None => known = false,
        }
    }
    let (low, high) = count(&items);
    if one && low == 0 {
        if high == 0 {
            return Err(host.raise(ERROR, "no mode for empty data"));
        }
        host.may_raise(ERROR);
    }
    let most = counts.values().map(|(_, n)| *n).max().unwrap_or(0);
    let modes: Vec<V> = counts.into_values().filter(|(_, n)| *n == most).map(|(v, _)| v).collect();
    if known {
        return Ok(if one { modes[0].clone() } else { crate::library::list(host, modes) });
    }
    host.may_raise("TypeError");
    let any = element(host, &items).unwrap_or(V::Unknown(Why::Lost));
    if one {
        return Ok(any);
    }
    let bag = super::support::bag(any, low.min(1), high);
    Ok(list_of(host, bag))
}

/// Variances and their roots, of a sample or of all there is.
fn spread(host: &mut dyn Host, args: &Args, sample: bool, root: bool) -> R<V> {
    let [data, middle] = bind(host, args, ["data", if sample { "xbar" } else { "mu" }], 1)?;
    let Some(items) = numbers(host, args, data, if sample { 2 } else { 1 })? else { return Ok(V::Unknown(Why::Lost)) };
    // Before 3.11 differences from a rounded mean were summed up, which is the same where the mean is an int.
    let rounded = host.target().0 < 11;
    let exact = ints(&items).filter(|_| matches!(middle, None | Some(V::None))).and_then(|all| {
        let n = all.len() as i128;
        let sum = all.iter().try_fold(0_i128, |t, x| t.checked_add(*x))?;
        let squares = all.iter().try_fold(0_i128, |t, x| t.checked_add(x.checked_mul(*x)?))?;
        if rounded && sum % n != 0 {
            return None;
        }
        let top = n.checked_mul(squares)?.checked_sub(sum.checked_mul(sum)?)?;
        Some((top, n.checked_mul(if sample { n - 1 } else { n })?))
    });
    let Some((top, bottom)) = exact else {
        host.may_raise("OverflowError");
        let float = V::Floats(std::rc::Rc::new((Float { low: 0.0, high: f64::INFINITY, nan: true }, Why::Lost)));
        if root || extremes(&items).is_some() && items.rest.is_none() && items.exact.iter().any(|v| matches!(v, V::Float(_) | V::Floats(_)))
        {
            return Ok(float);
        }
        let int = V::any_size(Why::Lost);
        return Ok(host.join(&float, &int));
    };
    let variance = ratio(host, top, bottom)?;
    if !root {
        return Ok(variance);
    }
    let value = match &variance {
        V::Int(n) => *n as f64,
        V::Float(f) => *f,
        _ => return Err(Stop::Raise(V::Unknown(Why::Lost))),
    };
    let near = value.sqrt();
    // The root is rounded from the exact variance in some versions, from the rounded one in others.
    Ok(if near.fract() == 0.0 && near * near == value {
        V::Float(near)
    } else {
        V::float(Float::range(down(near, 2), up(near, 2)), Why::Lost)
    })
}
