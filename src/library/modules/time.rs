//! `time`: waiting, and clocks that come from outside.

use crate::library::{Args, Entry, Host, R};
use crate::value::float::Float;
use crate::value::int::Int;
use crate::value::object::{V, Why};

use super::support::{all, outside_any, outside_float, outside_none, outside_str, pure, unless_foreign};

/// Waits longer than this, in seconds, are an OverflowError at once: the C type of nanoseconds ends there.
pub const LONGEST_WAIT: f64 = 9.223_372_036e9;

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "sleep" => Entry::Function(sleep),
        "time" | "monotonic" | "perf_counter" | "process_time" | "thread_time" => Entry::Function(clock),
        "time_ns" | "monotonic_ns" | "perf_counter_ns" | "process_time_ns" | "thread_time_ns" => Entry::Function(clock_ns),
        "strftime" => Entry::Function(super::plain::written_time),
        "ctime" | "asctime" => Entry::Function(outside_str),
        "mktime" => Entry::Function(outside_float),
        "localtime" | "gmtime" | "strptime" | "get_clock_info" => Entry::Function(outside_any),
        "tzset" => Entry::Function(outside_none),
        "timezone" | "altzone" | "daylight" => Entry::Constant(V::any_int(Why::OUTSIDE)),
        _ => return None,
    })
}

/// What is known of a number of seconds: the interval of those that are waited for, after the errors of the rest are declared.
/// `None` for a value of which nothing is known.
pub fn seconds(host: &mut dyn Host, value: &V) -> R<Option<(f64, f64)>> {
    let float = match value {
        V::Float(f) => Float::exact(*f),
        V::Floats(r) => r.0,
        _ => {
            let Some(int) = value.as_int() else {
                unless_foreign(host, value)?;
                return Ok(None);
            };
            let low = int.lower().map_or(f64::NEG_INFINITY, |n| n as f64);
            Float::range(low, int.upper().map_or(f64::INFINITY, |n| n as f64))
        }
    };
    // NaN is a ValueError too.
    if float.is_nan() || float.high < 0.0 {
        return Err(host.raise("ValueError", "sleep length must be non-negative"));
    }
    if float.low > LONGEST_WAIT {
        return Err(host.raise("OverflowError", "timestamp too large to convert to C _PyTime_t"));
    }
    if float.nan || float.low < 0.0 {
        host.may_raise("ValueError");
    }
    if float.high > LONGEST_WAIT - 1.0 {
        host.may_raise("OverflowError");
    }
    Ok(Some((float.low.max(0.0), float.high.min(LONGEST_WAIT))))
}

fn sleep(host: &mut dyn Host, args: Args) -> R<V> {
    let [value] = all(host, &args, ["/seconds"])?;
    pure(host, &[value], |host, values| match seconds(host, &values[0])? {
        Some((low, high)) => Ok(V::tuple(vec![V::Float(low), V::Float(high)])),
        None => Ok(V::tuple(vec![V::Float(0.0), V::Float(LONGEST_WAIT)])),
    })
    .map(|waits| {
        let (low, high) = bounds(&waits);
        // Close to the longest, some systems refuse.
        let certain = if low > 9e9 { 0.0 } else { low };
        host.sleep(certain, high, "time.sleep");
        V::None
    })
}

/// The least and the greatest of the waits found, which alternatives may have joined.
fn bounds(waits: &V) -> (f64, f64) {
    let mut out: Option<(f64, f64)> = None;
    for alternative in waits.alternatives() {
        let V::Tuple(tuple) = alternative else { return (0.0, LONGEST_WAIT) };
        let crate::value::object::Tuple::Exact(items) = &**tuple else { return (0.0, LONGEST_WAIT) };
        for item in items {
            let (low, high) = match item {
                V::Float(f) => (*f, *f),
                V::Floats(r) => (r.0.low, r.0.high),
                _ => (0.0, LONGEST_WAIT),
            };
            out = Some(out.map_or((low, high), |(a, b)| (a.min(low), b.max(high))));
        }
    }
    out.unwrap_or((0.0, LONGEST_WAIT))
}

fn clock(host: &mut dyn Host, args: Args) -> R<V> {
    all(host, &args, [])?;
    // No clock in use stands before 1970.
    Ok(V::float(Float::range(0.0, f64::MAX), Why::OUTSIDE))
}

fn clock_ns(host: &mut dyn Host, args: Args) -> R<V> {
    all(host, &args, [])?;
    Ok(V::int(Int::range(0, (1 << 63) - 1), Why::OUTSIDE))
}
