//! Methods of str: exact on exact text, length intervals otherwise.

use crate::fact::FactKind;
use crate::library::builtins::text::{Shown, formatted};
use crate::library::common::{
    SIZE_LIMIT, allocates, bag, collect, index, index_or, kind, size, size_value, type_error, unknown, why_of, with, wrong,
};
use crate::library::{Args, Entry, Host, R, count, list, list_of};
use crate::value::cost;
use crate::value::int::Int;
use crate::value::object::{DictKind, Digits, MAX_EXACT_TEXT, Obj, Sym, Text, Tuple, V, Why};
use crate::value::store::text_of;
use crate::value::text::{self, Class, Side};

/// The entry for a method.
pub fn find(method: &str) -> Option<Entry> {
    Some(Entry::Function(match method {
        "upper" => |host, args| cased(host, &args, text::upper),
        "lower" => |host, args| cased(host, &args, text::lower),
        "casefold" => |host, args| cased(host, &args, text::lower),
        "swapcase" => |host, args| cased(host, &args, text::swapcase),
        "capitalize" => |host, args| cased(host, &args, text::capitalize),
        "title" => |host, args| cased(host, &args, text::title),
        "isalnum" => |host, args| is_class(host, &args, Class::Alnum),
        "isalpha" => |host, args| is_class(host, &args, Class::Alpha),
        "isascii" => |host, args| is_class(host, &args, Class::Ascii),
        "isdecimal" => |host, args| is_class(host, &args, Class::Decimal),
        "isdigit" => |host, args| is_class(host, &args, Class::Digit),
        "isidentifier" => |host, args| is_class(host, &args, Class::Identifier),
        "islower" => |host, args| is_class(host, &args, Class::Lower),
        "isnumeric" => |host, args| is_class(host, &args, Class::Numeric),
        "isprintable" => |host, args| is_class(host, &args, Class::Printable),
        "isspace" => |host, args| is_class(host, &args, Class::Space),
        "istitle" => |host, args| is_class(host, &args, Class::Title),
        "isupper" => |host, args| is_class(host, &args, Class::Upper),
        "strip" => |host, args| strip(host, &args, Side::Both),
        "lstrip" => |host, args| strip(host, &args, Side::Left),
        "rstrip" => |host, args| strip(host, &args, Side::Right),
        "split" => |host, args| split(host, &args, text::split),
        "rsplit" => |host, args| split(host, &args, text::rsplit),
        "splitlines" => splitlines,
        "partition" => |host, args| partition(host, &args, text::partition),
        "rpartition" => |host, args| partition(host, &args, text::rpartition),
        "join" => join,
        "replace" => replace,
        "find" => |host, args| find_in(host, &args, text::find, false),
        "rfind" => |host, args| find_in(host, &args, text::rfind, false),
        "index" => |host, args| find_in(host, &args, text::find, true),
        "rindex" => |host, args| find_in(host, &args, text::rfind, true),
        "count" => count_in,
        "startswith" => |host, args| affix(host, &args, text::starts_with),
        "endswith" => |host, args| affix(host, &args, text::ends_with),
        "removeprefix" => |host, args| remove_affix(host, &args, true),
        "removesuffix" => |host, args| remove_affix(host, &args, false),
        "ljust" => |host, args| pad(host, &args, text::ljust),
        "rjust" => |host, args| pad(host, &args, text::rjust),
        "center" => |host, args| pad(host, &args, text::center),
        "zfill" => zfill,
        "expandtabs" => expandtabs,
        "encode" => encode,
        "format" => format,
        "format_map" => format_map,
        "translate" => translate,
        "maketrans" => |host, args| Ok(host.unknown_call(&args)),
        "__mod__" => super::printf::modulo,
        _ => return None,
    }))
}

/// The length of a str; none when it is something else.
fn text(v: &V) -> Option<Text> {
    if matches!(v, V::Str(_) | V::Strs(_)) { text_of(v) } else { None }
}

fn exact(v: &V) -> Option<&str> {
    if let V::Str(s) = v { Some(s) } else { None }
}

/// Copying text takes at least its length.
fn copies(host: &mut dyn Host, t: &Text) -> R<()> {
    if t.low > 1 << 16 {
        host.cost(cost::STR_COPY_BYTE.times(t.low as f64));
    }
    host.burn((t.low / 64).min(1 << 10))
}

/// An exact result, unless it is too long to keep.
fn owned(s: String) -> V {
    V::str(&s)
}

fn cased(host: &mut dyn Host, args: &Args, change: fn(&str) -> Option<String>) -> R<V> {
    with(host, args, [""], 1, 1, &|host, [s]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s]) };
        copies(host, &t)?;
        if let Some(out) = exact(&s).and_then(change) {
            return Ok(owned(out));
        }
        // One character becomes at most three.
        Ok(V::strs(t.low, t.high.saturating_mul(3), why_of(&[&s])))
    })
}

fn is_class(host: &mut dyn Host, args: &Args, class: Class) -> R<V> {
    with(host, args, [""], 1, 1, &|host, [s]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s]) };
        copies(host, &t)?;
        // All digits are of the same classes.
        let digits = (t.digits != Digits::No && t.low > 0).then(|| text::is_class("0", class)).flatten();
        Ok(V::boolean(digits.or_else(|| exact(&s).and_then(|s| text::is_class(s, class))), why_of(&[&s])))
    })
}

fn strip(host: &mut dyn Host, args: &Args, side: Side) -> R<V> {
    with(host, args, ["", ""], 1, 2, &|host, [s, chars]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s, chars]) };
        copies(host, &t)?;
        match (&s, &chars) {
            (V::Str(s), V::Undef | V::None) => Ok(V::str(text::strip(s, None, side))),
            // Each character is looked for among those to strip.
            (V::Str(s), V::Str(c)) if c.len() <= 256 => {
                host.burn((s.len() * c.len()) as u64 / 256)?;
                Ok(V::str(text::strip(s, Some(c), side)))
            }
            (_, V::Undef | V::None | V::Str(_) | V::Strs(_)) => Ok(V::strs(0, t.high, why_of(&[&s, &chars]))),
            _ => wrong(host, &chars.clone(), &[chars]),
        }
    })
}

fn split(host: &mut dyn Host, args: &Args, run: fn(&str, Option<&str>, i128) -> Option<Vec<String>>) -> R<V> {
    with(host, args, ["", "sep", "maxsplit"], 1, 3, &|host, [s, sep, most]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s, sep, most]) };
        copies(host, &t)?;
        let limit = index_or(host, &most, -1)?;
        let by_space = matches!(sep, V::Undef | V::None);
        if !by_space && text(&sep).is_none() {
            return wrong(host, &sep.clone(), &[sep]);
        }
        if matches!(&sep, V::Str(x) if x.is_empty()) {
            return Err(host.raise("ValueError", "empty separator"));
        }
        if let (Some(x), Some(limit), true) = (exact(&s), limit.and_then(|n| n.is_exact()), by_space || exact(&sep).is_some()) {
            host.burn(x.len() as u64 / 8)?;
            if let Some(parts) = run(x, if by_space { None } else { exact(&sep) }, limit) {
                let items = parts.iter().map(|p| V::str(p)).collect();
                return Ok(list(host, items));
            }
        }
        if text(&sep).is_some_and(|t| t.low == 0) {
            host.may_raise("ValueError");
        }
        let parts = if by_space { t.high / 2 + t.high % 2 } else { t.high.saturating_add(1) };
        let limited = limit
            .and_then(|n| n.upper())
            .filter(|n| *n >= 0 && limit.is_some_and(|l| l.low >= 0))
            .map_or(u64::MAX, |n| size(&Int::exact(n)).0.saturating_add(1));
        let why = why_of(&[&s, &sep]);
        let pieces = bag(Some(V::strs(u64::from(by_space), t.high.max(1), why)), u64::from(!by_space), parts.min(limited));
        Ok(list_of(host, pieces))
    })
}

fn splitlines(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "keepends"], 1, 1, &|host, [s, keep]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s, keep]) };
        copies(host, &t)?;
        let keep = if matches!(keep, V::Undef) { Some(false) } else { host.truth(&keep)? };
        if let (Some(x), Some(keep)) = (exact(&s), keep) {
            host.burn(x.len() as u64 / 8)?;
            let items = text::splitlines(x, keep).iter().map(|p| V::str(p)).collect();
            return Ok(list(host, items));
        }
        let lines = bag(Some(V::strs(0, t.high, why_of(&[&s]))), u64::from(t.low > 0), t.high);
        Ok(list_of(host, lines))
    })
}

fn partition(host: &mut dyn Host, args: &Args, run: fn(&str, &str) -> Option<[String; 3]>) -> R<V> {
    with(host, args, ["", ""], 2, 2, &|host, [s, sep]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s, sep]) };
        let Some(p) = text(&sep) else { return wrong(host, &sep.clone(), &[sep]) };
        copies(host, &t)?;
        if let (Some(x), Some(p)) = (exact(&s), exact(&sep)) {
            return match run(x, p) {
                Some(parts) => Ok(V::tuple(parts.iter().map(|p| V::str(p)).collect())),
                None => Err(host.raise("ValueError", "empty separator")),
            };
        }
        if p.low == 0 {
            host.may_raise("ValueError");
        }
        let why = why_of(&[&s, &sep]);
        Ok(V::tuple(vec![V::strs(0, t.high, why), V::strs(0, p.high, why), V::strs(0, t.high, why)]))
    })
}

fn join(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 2, &|host, [sep, from]| {
        let Some(s) = text(&sep) else { return wrong(host, &sep.clone(), &[sep, from]) };
        if matches!(from, V::Range(_)) {
            host.length(&from)?;
        }
        let items = collect(host, &from, "str.join", cost::C_ITERATION)?;
        let (low, high) = count(&items);
        let mut total = 0usize;
        let all_exact = items.rest.is_none()
            && items.exact.iter().all(|v| {
                exact(v).is_some_and(|s| {
                    total += s.len();
                    true
                })
            });
        if let (true, Some(sep)) = (all_exact, exact(&sep)) {
            total = total.saturating_add(sep.len().saturating_mul(items.exact.len().saturating_sub(1)));
            if total <= MAX_EXACT_TEXT {
                host.burn(total as u64 / 16)?;
                let parts: Vec<&str> = items.exact.iter().filter_map(exact).collect();
                return Ok(owned(parts.join(sep)));
            }
        }
        let (mut least, mut most) = (0u64, 0u64);
        let mut why = why_of(&[&sep]);
        for (v, l, h) in
            items.exact.iter().map(|v| (v, 1, 1)).chain(items.rest.iter().filter(|r| r.high > 0).map(|r| (&r.element, r.low, r.high)))
        {
            let bounds = alternatives_text(host, v, l > 0)?;
            why = why.with(bounds.why);
            least = least.saturating_add(bounds.low.saturating_mul(l));
            most = most.saturating_add(bounds.high.saturating_mul(h));
        }
        least = least.saturating_add(s.low.saturating_mul(low.saturating_sub(1)));
        most = most.saturating_add(s.high.saturating_mul(high.saturating_sub(1)));
        allocates(host, FactKind::Materialisation, "str.join", least, most);
        Ok(V::strs(least, most, why))
    })
}

/// The length of an item that must be a str: TypeError where it certainly is not.
fn alternatives_text(host: &mut dyn Host, v: &V, sure: bool) -> R<Text> {
    let mut out: Option<Text> = None;
    for one in v.alternatives() {
        match text(one) {
            Some(t) => {
                out = Some(out.map_or(t, |o| Text::between(o.low.min(t.low), o.high.max(t.high), o.why.or(t.why))));
            }
            None if kind(host, one).is_some() => host.may_raise("TypeError"),
            None => {
                // A subclass of str that is not followed.
                host.may_raise("TypeError");
                out = Some(Text::between(0, u64::MAX, why_of(&[one])));
            }
        }
    }
    match out {
        Some(t) => Ok(t),
        None if sure => type_error(host),
        None => Ok(Text::between(0, 0, Why::Lost)),
    }
}

fn replace(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "", "", ""], 3, 3, &|host, [s, old, new, most]| {
        let (Some(t), Some(o), Some(n)) = (text(&s), text(&old), text(&new)) else {
            let offending = [&s, &old, &new].into_iter().find(|v| text(v).is_none()).cloned().unwrap_or(V::None);
            return wrong(host, &offending, &[s, old, new, most]);
        };
        copies(host, &t)?;
        let limit = index_or(host, &most, -1)?;
        let why = why_of(&[&s, &old, &new]);
        if let (Some(x), Some(y), Some(limit)) = (exact(&s), exact(&old), limit.and_then(|n| n.is_exact())) {
            host.burn(x.len() as u64 / 8)?;
            let found = text::count(x, y, None, None) as u64;
            let times = if limit < 0 { found } else { found.min(size(&Int::exact(limit)).0) };
            let kept = t.low - (o.low * times).min(t.low);
            let (least, longest) = (kept.saturating_add(n.low.saturating_mul(times)), kept.saturating_add(n.high.saturating_mul(times)));
            match exact(&new) {
                Some(z) if (x.len() as u64).saturating_add((z.len() as u64).saturating_mul(times)) <= 4 * MAX_EXACT_TEXT as u64 => {
                    return Ok(owned(text::replace(x, y, z, limit)));
                }
                _ => {
                    allocates(host, FactKind::Repetition, "str.replace", least, longest);
                    return Ok(V::strs(least, longest, why));
                }
            }
        }
        // At most one replacement for each time the old text fits, or between all characters where it is empty.
        let times = t.high.checked_div(o.low).unwrap_or_else(|| t.high.saturating_add(1));
        let least = if n.low >= o.high { t.low } else { 0 };
        Ok(V::strs(least, t.high.saturating_add(times.saturating_mul(n.high)), why))
    })
}

/// An optional bound of a search: none when it is not exactly known.
fn bound(host: &mut dyn Host, v: &V) -> R<Option<Option<i128>>> {
    if matches!(v, V::Undef | V::None) {
        return Ok(Some(None));
    }
    Ok(index(host, v)?.and_then(|n| n.is_exact()).map(Some))
}

fn find_in(host: &mut dyn Host, args: &Args, run: fn(&str, &str, Option<i128>, Option<i128>) -> i128, strict: bool) -> R<V> {
    with(host, args, ["", "", "", ""], 2, 2, &|host, [s, needle, start, end]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s, needle]) };
        if text(&needle).is_none() {
            return wrong(host, &needle.clone(), &[needle]);
        }
        let (from, to) = (bound(host, &start)?, bound(host, &end)?);
        if let (Some(x), Some(y), Some(from), Some(to)) = (exact(&s), exact(&needle), from, to) {
            host.burn(x.len() as u64 / 32)?;
            let at = run(x, y, from, to);
            if at < 0 && strict {
                return Err(host.raise("ValueError", "substring not found"));
            }
            return Ok(V::Int(at));
        }
        if strict {
            host.may_raise("ValueError");
        }
        let top = if t.high == u64::MAX { i128::from(i64::MAX) } else { i128::from(t.high) };
        Ok(V::int(Int::range(if strict { 0 } else { -1 }, top), why_of(&[&s, &needle])))
    })
}

fn count_in(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "", "", ""], 2, 2, &|host, [s, needle, start, end]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s, needle]) };
        if text(&needle).is_none() {
            return wrong(host, &needle.clone(), &[needle]);
        }
        let (from, to) = (bound(host, &start)?, bound(host, &end)?);
        if let (Some(x), Some(y), Some(from), Some(to)) = (exact(&s), exact(&needle), from, to) {
            host.burn(x.len() as u64 / 32)?;
            return Ok(V::Int(text::count(x, y, from, to)));
        }
        Ok(size_value(0, t.high.saturating_add(1), why_of(&[&s, &needle])))
    })
}

fn affix(host: &mut dyn Host, args: &Args, run: fn(&str, &str, Option<i128>, Option<i128>) -> bool) -> R<V> {
    with(host, args, ["", "", "", ""], 2, 2, &|host, [s, prefix, start, end]| {
        if text(&s).is_none() {
            return wrong(host, &s.clone(), &[s, prefix]);
        }
        let (from, to) = (bound(host, &start)?, bound(host, &end)?);
        let prefixes = match &prefix {
            V::Tuple(t) => match &**t {
                Tuple::Exact(all) => all.clone(),
                Tuple::Bag { .. } => return Ok(V::AnyBool(Why::Lost)),
            },
            p => vec![p.clone()],
        };
        let mut open = false;
        for p in &prefixes {
            match (exact(&s), exact(p), from, to) {
                (Some(x), Some(y), Some(from), Some(to)) => {
                    if run(x, y, from, to) {
                        return Ok(if open { V::AnyBool(why_of(&[&s])) } else { V::Bool(true) });
                    }
                }
                _ if text(p).is_some() => open = true,
                _ => {
                    if kind(host, p).is_some() && !open {
                        return type_error(host);
                    }
                    host.may_raise("TypeError");
                    open = true;
                }
            }
        }
        Ok(if open { V::AnyBool(why_of(&[&s, &prefix])) } else { V::Bool(false) })
    })
}

fn remove_affix(host: &mut dyn Host, args: &Args, front: bool) -> R<V> {
    with(host, args, ["", ""], 2, 2, &|host, [s, affix]| {
        let (Some(t), Some(a)) = (text(&s), text(&affix)) else {
            let offending = if text(&s).is_none() { s.clone() } else { affix.clone() };
            return wrong(host, &offending, &[s, affix]);
        };
        if let (Some(x), Some(y)) = (exact(&s), exact(&affix)) {
            let out = if front { x.strip_prefix(y) } else { x.strip_suffix(y) };
            return Ok(V::str(out.unwrap_or(x)));
        }
        Ok(V::strs(t.low.saturating_sub(a.high), t.high, why_of(&[&s, &affix])))
    })
}

/// A width: the least and greatest, where it fits a size.
fn width_of(host: &mut dyn Host, v: &V) -> R<Option<(i128, i128)>> {
    let Some(n) = index(host, v)? else { return Ok(None) };
    if n.low >= SIZE_LIMIT || n.upper().is_some_and(|n| n < -SIZE_LIMIT) {
        return Err(host.raise("OverflowError", "Python int too large to convert to C ssize_t"));
    }
    if n.upper().is_none_or(|n| n >= SIZE_LIMIT) || n.low < -SIZE_LIMIT {
        host.may_raise("OverflowError");
    }
    Ok(Some((n.low, n.upper().unwrap_or(SIZE_LIMIT - 1))))
}

/// The length of padded text, reported when it cannot fit into memory.
fn padded(host: &mut dyn Host, callee: &str, t: &Text, width: Option<(i128, i128)>, why: Why) -> V {
    let (low, high) = width.map_or((0, u64::MAX), |(low, high)| (size(&Int::exact(low)).0, size(&Int::exact(high)).0));
    let (low, high) = (t.low.max(low), t.high.max(high));
    allocates(host, FactKind::Format, callee, low, high);
    if high > host.limits().memory {
        host.may_raise("MemoryError");
        host.may_raise("OverflowError");
    }
    V::strs(low, high, why)
}

fn pad(host: &mut dyn Host, args: &Args, run: fn(&str, i128, char) -> String) -> R<V> {
    with(host, args, ["", "", ""], 2, 3, &|host, [s, width, fill]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s, width]) };
        let fill_char = match &fill {
            V::Undef => Some(' '),
            V::Str(f) if f.chars().count() == 1 => f.chars().next(),
            V::Str(_) => return type_error(host),
            V::Strs(f) => {
                if (f.low, f.high) != (1, 1) {
                    host.may_raise("TypeError");
                }
                None
            }
            f => return wrong(host, f, std::slice::from_ref(f)),
        };
        let bounds = width_of(host, &width)?;
        if let (Some(x), Some(c), Some((low, high))) = (exact(&s), fill_char, bounds)
            && low == high
            && low <= MAX_EXACT_TEXT as i128
        {
            host.burn(low.max(0) as u64 / 64)?;
            return Ok(owned(run(x, low, c)));
        }
        Ok(padded(host, "str.ljust", &t, bounds, why_of(&[&s, &width, &fill])))
    })
}

fn zfill(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 2, &|host, [s, width]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s, width]) };
        let bounds = width_of(host, &width)?;
        if let (Some(x), Some((low, high))) = (exact(&s), bounds)
            && low == high
            && low <= MAX_EXACT_TEXT as i128
        {
            return Ok(owned(text::zfill(x, low)));
        }
        Ok(match padded(host, "str.zfill", &t, bounds, why_of(&[&s, &width])) {
            V::Strs(filled) => V::Strs(Text { digits: t.digits.part(), ..filled }),
            other => other,
        })
    })
}

/// The length of a text with its tabs expanded.
fn expanded_length(text: &str, tab: u128) -> u128 {
    let (mut total, mut column) = (0_u128, 0_u128);
    for c in text.chars() {
        match c {
            '\t' if tab > 0 => {
                let step = tab - column % tab;
                (total, column) = (total + step, column + step);
            }
            '\t' => {}
            '\n' | '\r' => (total, column) = (total + 1, 0),
            _ => (total, column) = (total + 1, column + 1),
        }
    }
    total
}

fn expandtabs(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "tabsize"], 1, 2, &|host, [s, tab]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s, tab]) };
        let tab = index_or(host, &tab, 8)?.and_then(|n| n.is_exact());
        if let (Some(x), Some(tab)) = (exact(&s), tab)
            && tab <= 64
            && x.len() <= 4096
        {
            return Ok(owned(text::expandtabs(x, tab)));
        }
        if let (Some(x), Some(tab)) = (exact(&s), tab)
            && x.len() <= 4096
        {
            if tab > i128::from(i32::MAX) {
                return Err(host.raise("OverflowError", "Python int too large to convert to C int"));
            }
            let length = expanded_length(x, u128::try_from(tab).unwrap_or(0));
            let Some(length) = u64::try_from(length).ok().filter(|n| *n < 1 << 63) else {
                return Err(host.raise("OverflowError", "result too long"));
            };
            allocates(host, FactKind::Format, "str.expandtabs", length, length);
            // A tab size must fit a C int.
            host.may_raise("OverflowError");
            host.may_raise("MemoryError");
            return Ok(V::strs(length, length, why_of(&[&s])));
        }
        host.may_raise("OverflowError");
        host.may_raise("MemoryError");
        let _ = t;
        Ok(V::strs(0, u64::MAX, why_of(&[&s])))
    })
}

fn encode(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "encoding", "errors"], 1, 2, &|host, [s, encoding, errors]| {
        let Some(t) = text(&s) else { return wrong(host, &s.clone(), &[s, encoding]) };
        copies(host, &t)?;
        let name = match &encoding {
            V::Undef => Some("utf-8".to_owned()),
            v => exact(v).map(|e| e.to_ascii_lowercase().replace('_', "-")),
        };
        let utf8 = matches!(name.as_deref(), Some("utf-8" | "utf8"));
        let ascii = matches!(name.as_deref(), Some("ascii" | "latin-1" | "latin1" | "iso-8859-1"));
        if let Some(x) = exact(&s)
            && (utf8 || (ascii && x.is_ascii()))
        {
            return Ok(V::bytes(x.as_bytes()));
        }
        let why = why_of(&[&s, &encoding]);
        if utf8 && matches!(errors, V::Undef) {
            // Lone surrogates cannot be encoded.
            host.may_raise("UnicodeEncodeError");
            return Ok(V::ManyBytes(Text::between(t.low, t.high.saturating_mul(4), why)));
        }
        // Other encodings and ways to handle errors are looked up by name, and may be the program's own.
        unknown(host, &[encoding, errors]);
        Ok(V::ManyBytes(Text::between(0, u64::MAX, why)))
    })
}

/// One piece of a template of `str.format`.
struct Field {
    before: String,
    name: String,
    conversion: Option<char>,
    spec: String,
}

/// Splits a template; none when it has something that is not looked at here (nested fields, attributes, errors).
fn fields(template: &str) -> Option<(Vec<Field>, String)> {
    let mut out = Vec::new();
    let mut before = String::new();
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => {
                chars.next();
                before.push(c);
            }
            '}' => return None,
            '{' => {
                let mut body = String::new();
                loop {
                    match chars.next()? {
                        '}' => break,
                        // Fields nest once, in the specification.
                        '{' if body.contains(':') => {
                            body.push('{');
                            loop {
                                match chars.next()? {
                                    '}' => break,
                                    '{' | ':' | '!' | '.' | '[' => return None,
                                    c => body.push(c),
                                }
                            }
                            body.push('}');
                        }
                        '{' => return None,
                        c => body.push(c),
                    }
                }
                let (head, spec) = body.split_once(':').unwrap_or((&body, ""));
                let (name, conversion) = match head.split_once('!') {
                    Some((name, c)) => {
                        let mut c = c.chars();
                        let first = c.next()?;
                        if c.next().is_some() || !matches!(first, 'r' | 's' | 'a') {
                            return None;
                        }
                        (name, Some(first))
                    }
                    None => (head, None),
                };
                if name.contains(['.', '[', ']']) {
                    return None;
                }
                out.push(Field { before: std::mem::take(&mut before), name: name.to_owned(), conversion, spec: spec.to_owned() });
            }
            c => before.push(c),
        }
    }
    Some((out, before))
}

/// The argument a field of a template stands for; the template itself is the first positional one.
fn argument(host: &mut dyn Host, args: &Args, name: &str, next: &mut usize) -> R<V> {
    let numbered = name.bytes().all(|b| b.is_ascii_digit());
    let value = if name.is_empty() {
        *next += 1;
        args.pos.get(*next)
    } else if numbered {
        name.parse::<usize>().ok().and_then(|n| args.pos.get(n.checked_add(1)?))
    } else {
        args.kw.iter().find(|(n, _)| *n == Sym::new(name)).map(|(_, v)| v)
    };
    match value {
        Some(value) => Ok(value.clone()),
        None => Err(host.raise(if numbered { "IndexError" } else { "KeyError" }, "")),
    }
}

fn format(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(template) = args.pos.first().cloned() else { return type_error(host) };
    if text(&template).is_none() {
        return if kind(host, &template).is_some() { type_error(host) } else { Ok(host.unknown_call(&args)) };
    }
    let anything = |host: &mut dyn Host| {
        host.unknown_call(&args);
        Ok(V::strs(0, u64::MAX, Why::Lost))
    };
    let Some(parsed) = exact(&template) else { return anything(host) };
    host.burn(parsed.len() as u64 / 8)?;
    let Some((fields, tail)) = fields(parsed) else { return anything(host) };
    let mut out = Shown::Exact(String::new());
    let mut next = 0usize;
    let nested = |f: &Field| f.spec.split('{').skip(1).map(|part| part.split('}').next().unwrap_or("").to_owned()).collect::<Vec<_>>();
    let names: Vec<String> = fields.iter().flat_map(|f| std::iter::once(f.name.clone()).chain(nested(f))).collect();
    let (automatic, manual) = (names.iter().any(String::is_empty), names.iter().any(|n| n.starts_with(|c: char| c.is_ascii_digit())));
    if automatic && manual {
        return Err(host.raise("ValueError", "cannot switch from automatic field numbering to manual field specification"));
    }
    for field in fields {
        let value = &argument(host, &args, &field.name, &mut next)?;
        let value = match field.conversion {
            None => value.clone(),
            Some('a') => {
                let ascii = V::lib("ascii");
                host.call(&ascii, Args::of([value.clone()]))?
            }
            Some(c) => host.text(value, c == 'r')?,
        };
        let mut spec = String::new();
        for (i, part) in field.spec.split('{').enumerate() {
            let Some((name, tail)) = part.split_once('}').filter(|_| i > 0) else {
                spec.push_str(part);
                continue;
            };
            let inner = argument(host, &args, name, &mut next)?;
            match host.text(&inner, false)? {
                V::Str(s) => spec.push_str(&s),
                _ => return anything(host),
            }
            spec.push_str(tail);
        }
        let spec = V::str(&spec);
        let shown = match &value {
            V::OneOf(_) => {
                let format = V::lib("format");
                match host.call(&format, Args::of([value.clone(), spec]))? {
                    V::Str(s) => Shown::Exact(s.to_string()),
                    V::Strs(t) => Shown::Length(t.low, t.high, t.why),
                    _ => Shown::Length(0, u64::MAX, Why::Lost),
                }
            }
            v => formatted(host, v, &spec)?,
        };
        out = out.then(&Shown::Exact(field.before)).then(&shown);
    }
    Ok(out.then(&Shown::Exact(tail)).value())
}

/// As `format` with the entries of the mapping by keyword, where all fields have names.
fn format_map(host: &mut dyn Host, args: Args) -> R<V> {
    let [V::Str(template), V::Ref(id)] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    let named = fields(template).is_some_and(|(all, _)| {
        let inner = |f: &Field| f.spec.split('{').skip(1).all(|name| name.starts_with(char::is_alphabetic));
        all.iter().all(|f| f.name.starts_with(char::is_alphabetic) && inner(f))
    });
    let entries: Option<Vec<(Sym, V)>> = match host.store().get(*id) {
        Obj::Dict(table, DictKind::Plain) if table.rest.is_none() => {
            table.exact.values().map(|(k, v)| if let V::Str(k) = k { Some((Sym::new(k), v.clone())) } else { None }).collect()
        }
        _ => None,
    };
    match entries {
        Some(kw) if named && args.kw.is_empty() => format(host, Args { pos: args.pos[..1].into(), kw, open: false }),
        _ => Ok(host.unknown_call(&args)),
    }
}

fn translate(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 1, &|host, [s, table]| {
        if text(&s).is_none() {
            return wrong(host, &s.clone(), &[s, table]);
        }
        unknown(host, &[table]);
        Ok(V::strs(0, u64::MAX, why_of(&[&s])))
    })
}
