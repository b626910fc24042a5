//! Builtins that reduce or order what an iterable gives.

use std::cmp::Ordering;

use crate::library::common::{Consumer, bag, bind, collect, consume, element, is_plain, iterator, type_error, unknown, why_of};
use crate::library::{Args, Entry, Host, Next, R, Stop, Taken, count, list_of};
use crate::syntax::code::{BinaryOp, CompareOp};
use crate::value::cost;
use crate::value::float::Float;
use crate::value::int::{Comparison, Int};
use crate::value::object::{Items, IterKind, Obj, Rest, Tuple, V, Why};

/// The entry for a name.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "sorted" => sorted,
        "min" => min,
        "max" => max,
        "sum" => sum,
        "any" => any,
        "all" => all,
        _ => return None,
    }))
}

/// The order of two exact values of builtin types that compare without running code and without an exception.
fn order(a: &V, b: &V) -> Option<Ordering> {
    match (a, b) {
        (V::Str(x), V::Str(y)) => Some(x.chars().cmp(y.chars())),
        (V::Bytes(x), V::Bytes(y)) => Some(x.cmp(y)),
        (V::Float(x), V::Float(y)) => x.partial_cmp(y),
        (V::Float(x), _) => Some(mixed(b.exact_int()?, *x)?.reverse()),
        (_, V::Float(y)) => mixed(a.exact_int()?, *y),
        (V::Tuple(x), V::Tuple(y)) => {
            let (Tuple::Exact(x), Tuple::Exact(y)) = (&**x, &**y) else { return None };
            for (p, q) in x.iter().zip(y) {
                // Members that are equal need no order.
                if p == q && is_plain(p) && p.is_exact() {
                    continue;
                }
                match order(p, q)? {
                    Ordering::Equal => {}
                    other => return Some(other),
                }
            }
            Some(x.len().cmp(&y.len()))
        }
        _ => Some(a.exact_int()?.cmp(&b.exact_int()?)),
    }
}

fn mixed(n: i128, x: f64) -> Option<Ordering> {
    let (n, x) = (Int::exact(n), Float::exact(x));
    let is = |op| crate::value::convert::compare_int_float(&n, &x, op) == Some(true);
    if is(Comparison::Lt) {
        Some(Ordering::Less)
    } else if is(Comparison::Eq) {
        Some(Ordering::Equal)
    } else {
        is(Comparison::Gt).then_some(Ordering::Greater)
    }
}

/// Whether comparing any two of these with `<` cannot raise nor run code of the program: all numbers, or all strings.
pub fn orderly(values: &[V]) -> bool {
    let number = |v: &V| v.alternatives().iter().all(V::is_number);
    let text = |v: &V| v.alternatives().iter().all(|v| matches!(v, V::Str(_) | V::Strs(_)));
    values.len() < 2 || values.iter().all(number) || values.iter().all(text)
}

/// The keys by which items are ordered.
fn keys_of(host: &mut dyn Host, items: &Items, key: &V) -> R<Items> {
    if matches!(key, V::Undef | V::None) {
        return Ok(items.clone());
    }
    if items.rest.is_none() {
        let mut exact = Vec::with_capacity(items.exact.len());
        for v in &items.exact {
            host.burn(1)?;
            exact.push(host.call(key, Args::of([v.clone()]))?);
        }
        return Ok(Items { exact, rest: None });
    }
    let list = list_of(host, items.clone());
    let it = host.iterate(&list)?;
    let mapped = iterator(host, IterKind::Map, vec![key.clone(), it]);
    Ok(host.take(&mapped)?.items)
}

/// The items in the order of their keys, where all keys are known and compare without running code of the program.
pub fn sorted_exactly(items: &Items, keys: &Items, reverse: bool) -> Option<Items> {
    if items.rest.is_some() || keys.rest.is_some() {
        return None;
    }
    let at = merge_sorted((0..items.exact.len()).collect(), &mut |i, j| {
        if reverse { order(&keys.exact[j], &keys.exact[i]) } else { order(&keys.exact[i], &keys.exact[j]) }
    })?;
    Some(Items { exact: at.into_iter().map(|i| items.exact[i].clone()).collect(), rest: None })
}

/// Sorts stably; gives up at the first two of which the order is not known. (The sorts of the standard library panic where some
/// answers contradict others, and an answer has to be given there.)
fn merge_sorted(mut at: Vec<usize>, order: &mut dyn FnMut(usize, usize) -> Option<Ordering>) -> Option<Vec<usize>> {
    let mut width = 1;
    while width < at.len() {
        let mut merged = Vec::with_capacity(at.len());
        for run in at.chunks(2 * width) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            while let (Some(&i), Some(&j)) = (left.first(), right.first()) {
                if order(i, j)? == Ordering::Greater {
                    merged.push(j);
                    right = &right[1..];
                } else {
                    merged.push(i);
                    left = &left[1..];
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        at = merged;
        width *= 2;
    }
    Some(at)
}

/// Whether comparing any two of these with `<` raises nothing and runs no code of the program: as in [`orderly`], or tuples
/// of what is so place by place.
pub fn comparable(values: &[V]) -> bool {
    let tuples: Option<Vec<&[V]>> = values
        .iter()
        .map(|v| match v {
            V::Tuple(t) => match &**t {
                Tuple::Exact(parts) => Some(parts.as_slice()),
                Tuple::Bag { .. } => None,
            },
            _ => None,
        })
        .collect();
    let Some(tuples) = tuples else { return orderly(values) };
    let longest = tuples.iter().map(|parts| parts.len()).max().unwrap_or(0);
    (0..longest).all(|at| comparable(&tuples.iter().filter_map(|parts| parts.get(at).cloned()).collect::<Vec<_>>()))
}

/// What an iterable gives, and the keys of that, which are compared as they come. `None` where code of the program runs in between
/// and a comparison may end it, or run some more: what that has done is unknown.
pub fn consume_with_keys(host: &mut dyn Host, iterable: &V, key: &V, by: Consumer<'_>) -> R<Option<(Items, Items)>> {
    if !host.runs_code(iterable) && !host.runs_code(key) {
        return take_with_keys(host, iterable, key, by).map(Some);
    }
    let (before, known) = (host.store().clone(), host.store().allocated());
    let (items, keys) = take_with_keys(host, iterable, key, by)?;
    let mut all = keys.exact.clone();
    // One of several is compared with the others.
    all.extend(keys.rest.iter().flat_map(|rest| [rest.element.clone(), rest.element.clone()]));
    if comparable(&all) {
        return Ok(Some((items, keys)));
    }
    let (objects, globals) = host.store().changes(&before, known);
    if globals.is_empty() && objects.iter().all(|id| matches!(host.store().get(*id), Obj::Iter(_) | Obj::Generator(_))) {
        // Nothing but the iterators has changed, which may stand anywhere.
        for id in objects {
            host.store().escape(&V::Ref(id));
        }
        return Ok(Some((items, keys)));
    }
    *host.store() = before;
    host.unknown_call(&Args::of([iterable.clone(), key.clone()]));
    Ok(None)
}

/// The same without comparing. Where the iterable runs code of the program, each item is asked for its key before there is a next
/// one.
fn take_with_keys(host: &mut dyn Host, iterable: &V, key: &V, by: Consumer<'_>) -> R<(Items, Items)> {
    let Consumer { goes_on, .. } = by;
    if matches!(key, V::Undef | V::None) || !host.runs_code(iterable) {
        let mut of_key = |host: &mut dyn Host, item: &V| {
            let key = if matches!(key, V::Undef | V::None) { item.clone() } else { host.call(key, Args::of([item.clone()]))? };
            goes_on(host, &key)
        };
        let items = consume(host, iterable, Consumer { goes_on: &mut of_key, ..by })?;
        let keys = keys_of(host, &items, key)?;
        return Ok((items, keys));
    }
    let source = host.iterate(iterable)?;
    let keyed = iterator(host, IterKind::Keyed, vec![key.clone(), source]);
    let mut of_pair = |host: &mut dyn Host, pair: &V| goes_on(host, &parted(pair).1);
    let pairs = consume(host, &keyed, Consumer { goes_on: &mut of_pair, ..by })?;
    let (exact, keys) = pairs.exact.iter().map(parted).unzip();
    let rest = pairs.rest.map(|rest| {
        let (element, key) = parted(&rest.element);
        (Rest { element, ..rest.clone() }, Rest { element: key, ..rest })
    });
    let (rest, rest_of_keys) = rest.unzip();
    Ok((Items { exact, rest }, Items { exact: keys, rest: rest_of_keys }))
}

/// An item and its key.
fn parted(pair: &V) -> (V, V) {
    if let V::Tuple(t) = pair
        && let Tuple::Exact(parts) = &**t
        && let [item, key] = parts.as_slice()
    {
        return (item.clone(), key.clone());
    }
    (V::Unknown(Why::Lost), V::Unknown(Why::Lost))
}

/// The items in order: exactly where all keys are known, otherwise in any order.
pub fn sort_items(host: &mut dyn Host, items: &Items, key: &V, reverse: Option<bool>) -> R<Items> {
    let keys = keys_of(host, items, key)?;
    sort_by_keys(host, items, &keys, reverse)
}

/// The same by keys that are there already.
pub fn sort_by_keys(host: &mut dyn Host, items: &Items, keys: &Items, reverse: Option<bool>) -> R<Items> {
    host.burn(items.exact.len() as u64 / 2)?;
    let (low, high) = count(items);
    host.cost(cost::sort(low as f64));
    if high < 2 {
        return Ok(items.clone());
    }
    if let Some(sorted) = reverse.and_then(|reverse| sorted_exactly(items, keys, reverse)) {
        return Ok(sorted);
    }
    let mut all = keys.exact.clone();
    all.extend(keys.rest.iter().map(|r| r.element.clone()));
    // A single bounded key stands for several that are compared with each other.
    if !orderly(&all) || (all.len() == 1 && !orderly(&[all[0].clone(), all[0].clone()])) {
        if all.iter().all(is_plain) {
            host.may_raise("TypeError");
        } else {
            unknown(host, &all);
        }
    }
    Ok(bag(element(host, items), low, high))
}

fn sorted(host: &mut dyn Host, args: Args) -> R<V> {
    let mut positional = args.clone();
    positional.kw.retain(|(n, _)| !matches!(&*n.text(), "key" | "reverse"));
    let Some([x]) = bind(host, &positional, [""], 1)? else { return Ok(host.unknown_call(&args)) };
    if let V::OneOf(all) = &x {
        let all = all.clone();
        return host.each_of(&all, &mut |host, v| {
            let mut one = args.clone();
            one.pos[0] = v.clone();
            sorted(host, one)
        });
    }
    if matches!(x, V::Range(_)) {
        let length = host.length(&x)?;
        // What has no place in the address space fails before the first item.
        if length.as_int().is_some_and(|n| n.low >= 1 << 60) {
            return Err(host.raise("MemoryError", ""));
        }
    }
    let items = collect(host, &x, "sorted", cost::LIST_COPY_ITEM)?;
    let key = args.keyword("key").cloned().unwrap_or(V::None);
    let reverse = match args.keyword("reverse") {
        None => Some(false),
        Some(v) => {
            let v = v.clone();
            host.truth(&v)?
        }
    };
    let items = sort_items(host, &items, &key, reverse)?;
    Ok(list_of(host, items))
}

fn min(host: &mut dyn Host, args: Args) -> R<V> {
    extreme(host, &args, "min", CompareOp::Lt)
}

fn max(host: &mut dyn Host, args: Args) -> R<V> {
    extreme(host, &args, "max", CompareOp::Gt)
}

/// Of two numbers the lesser or greater, where the types do not matter.
fn better(op: CompareOp, a: &V, b: &V) -> Option<V> {
    let why = why_of(&[a, b]);
    if let (V::Int(_) | V::Ints(_), V::Int(_) | V::Ints(_)) = (a, b) {
        let (x, y) = (a.as_int()?, b.as_int()?);
        return Some(V::int(if op == CompareOp::Lt { x.lesser(&y) } else { x.neg().lesser(&y.neg()).neg() }, why));
    }
    None
}

fn extreme(host: &mut dyn Host, args: &Args, callee: &str, op: CompareOp) -> R<V> {
    if args.kw.iter().any(|(n, _)| !matches!(&*n.text(), "key" | "default")) {
        return Ok(host.unknown_call(args));
    }
    let key = args.keyword("key").cloned().unwrap_or(V::None);
    let default = args.keyword("default").cloned();
    let (items, keys) = match args.pos.len() {
        0 => return type_error(host),
        1 => {
            let x = args.pos[0].clone();
            if let V::OneOf(all) = &x {
                return host.each_of(all, &mut |host, v| {
                    let mut one = args.clone();
                    one.pos[0] = v.clone();
                    extreme(host, &one, callee, op)
                });
            }
            let mut compared = |host: &mut dyn Host, k: &V| {
                host.compare(op, k, k)?;
                Ok(true)
            };
            let floor = if matches!(x, V::Range(_)) { cost::MAX_ITEM } else { cost::C_ITERATION };
            let by = Consumer { callee, floor, keeps: 0, collects: false, goes_on: &mut compared };
            let Some(found) = consume_with_keys(host, &x, &key, by)? else { return Ok(V::Unknown(Why::Lost)) };
            found
        }
        _ if default.is_some() => return type_error(host),
        _ => {
            let items = Items { exact: args.pos.to_vec(), rest: None };
            let keys = keys_of(host, &items, &key)?;
            (items, keys)
        }
    };
    let keyed = !matches!(key, V::None);
    let mut best: Option<(V, V)> = None;
    if keys.exact.len() != items.exact.len() || keys.rest.is_some() != items.rest.is_some() {
        // Which key belongs to which item is not known.
        let all_keys = element(host, &keys).unwrap_or(V::Unknown(Why::Lost));
        unknown(host, &[all_keys]);
        best = element(host, &items).map(|v| (v, V::Unknown(Why::Lost)));
    } else {
        for (v, k) in items.exact.iter().zip(&keys.exact) {
            host.burn(1)?;
            best = Some(match best {
                None => (v.clone(), k.clone()),
                Some(b) => choose(host, op, keyed, b, (v.clone(), k.clone()), false)?,
            });
        }
        if let (Some(r), Some(k)) = (&items.rest, &keys.rest)
            && r.high > 0
        {
            let (first, other) = ((r.element.clone(), k.element.clone()), (r.element.clone(), k.element.clone()));
            // Among the further items themselves there may be an order that raises.
            let among = if r.high > 1 { choose(host, op, keyed, first, other, true)? } else { first };
            best = Some(match best {
                None => among,
                Some(b) => {
                    let chosen = choose(host, op, keyed, b.clone(), among, true)?;
                    if r.low > 0 { chosen } else { (host.join(&b.0, &chosen.0), host.join(&b.1, &chosen.1)) }
                }
            });
        }
    }
    let (low, high) = count(&items);
    let empty = |host: &mut dyn Host, default: Option<V>| match default {
        Some(v) => Ok(v),
        None => Err(host.raise("ValueError", "iterable argument is empty")),
    };
    match best {
        None => empty(host, default),
        Some(_) if high == 0 => empty(host, default),
        Some((v, _)) if low == 0 => match default {
            Some(d) => Ok(host.join(&v, &d)),
            None => {
                host.may_raise("ValueError");
                Ok(v)
            }
        },
        Some((v, _)) => Ok(v),
    }
}

/// The better of two items by their keys; the first where they are equal.
/// `often`: one of several that are compared nobody knows how often.
fn choose(host: &mut dyn Host, op: CompareOp, keyed: bool, best: (V, V), next: (V, V), often: bool) -> R<(V, V)> {
    if !keyed && let Some(v) = better(op, &best.1, &next.1) {
        return Ok((v.clone(), v));
    }
    let answer = if often {
        let both = [next.1.clone(), best.1.clone()];
        host.often(&both, &mut |host| host.compare(op, &both[0], &both[1]))?
    } else {
        host.compare(op, &next.1, &best.1)?
    };
    Ok(match host.truth(&answer)? {
        Some(true) => next,
        Some(false) => best,
        None => (host.join(&best.0, &next.0), host.join(&best.1, &next.1)),
    })
}

fn sum(host: &mut dyn Host, args: Args) -> R<V> {
    let Some([x, start]) = bind(host, &args, ["", "start"], 1)? else { return Ok(host.unknown_call(&args)) };
    if let V::OneOf(all) = &x {
        return host.each_of(all, &mut |host, v| {
            let mut one = args.clone();
            one.pos[0] = v.clone();
            sum(host, one)
        });
    }
    let start = if matches!(start, V::Undef) { V::Int(0) } else { start };
    if matches!(start, V::Str(_) | V::Strs(_) | V::Bytes(_) | V::ManyBytes(_)) {
        return type_error(host);
    }
    if let V::Range(parts) = &x
        && let Some(total) = sum_of_range(parts, &start)
    {
        let low = host.length(&x)?.as_int().map_or(0, |n| n.low.max(0));
        host.spend(cost::SUM_LIST_ITEM.times(low as f64), "sum", &x);
        return Ok(total);
    }
    // Numbers of one type add up for ever; an int may be too large for a float.
    let mut added = |_: &mut dyn Host, v: &V| {
        let int = |v: &V| v.alternatives().iter().all(|v| v.as_int().is_some());
        let float = |v: &V| v.alternatives().iter().all(|v| matches!(v, V::Float(_) | V::Floats(_)));
        Ok(int(&start) && (int(v) || float(v)) || float(&start) && float(v))
    };
    let by = Consumer { callee: "sum", floor: cost::C_ITERATION, keeps: 0, collects: false, goes_on: &mut added };
    let items = consume(host, &x, by)?;
    let all: Vec<&V> = items.exact.iter().chain(items.rest.iter().filter(|r| r.high > 0).map(|r| &r.element)).collect();
    let is_float = |v: &V| v.alternatives().iter().all(|v| matches!(v, V::Float(_) | V::Floats(_)));
    let is_numbers = all.iter().copied().chain([&start]).all(|v| v.alternatives().iter().all(V::is_number));
    // One float there certainly is makes the sum one.
    let certain = items.exact.iter().chain(items.rest.iter().filter(|r| r.low > 0).map(|r| &r.element));
    if is_numbers && certain.chain([&start]).any(is_float) {
        return Ok(sum_floats(&items, &start, why_of(&all)));
    }
    let mut total = start;
    for v in &items.exact {
        host.burn(1)?;
        total = host.binary(BinaryOp::Add, &total, v)?;
    }
    let Some(rest) = items.rest.as_ref().filter(|r| r.high > 0) else { return Ok(total) };
    if let (Some(n), Some(t)) = (rest.element.as_int(), total.as_int()) {
        let times = Int::range(i128::from(rest.low), if rest.high == u64::MAX { i128::MAX } else { i128::from(rest.high) });
        let why = why_of(&[&total, &rest.element]);
        return Ok(V::int(t.add(&n.times(&times)), why));
    }
    if is_numbers {
        let why = why_of(&all);
        let whole = if is_float(&rest.element) { total.clone() } else { V::int(Int::ANY, why) };
        return Ok(host.join(&whole, &V::any_float(why)));
    }
    unknown(host, &[total.clone(), rest.element.clone()]);
    Ok(V::Unknown(Why::Lost))
}

/// `sum(range(…))` in closed form, where it fits.
fn sum_of_range(parts: &[V; 3], start: &V) -> Option<V> {
    let (a, b, s) = (parts[0].exact_int()?, parts[1].exact_int()?, parts[2].exact_int()?);
    let first = match start {
        V::Int(n) => *n,
        _ => return None,
    };
    if s == 0 {
        return None;
    }
    let span = if s > 0 { b.checked_sub(a)? } else { a.checked_sub(b)? };
    let n = if span <= 0 { 0 } else { (span - 1) / s.checked_abs()? + 1 };
    let triangle = if n % 2 == 0 { (n / 2).checked_mul(n - 1)? } else { n.checked_mul((n - 1) / 2)? };
    let total = n.checked_mul(a)?.checked_add(s.checked_mul(triangle)?)?.checked_add(first)?;
    Some(V::Int(total))
}

/// Floats are added one by one until 3.11, and with compensation from 3.12 on: both results bound the sum.
fn sum_floats(items: &Items, start: &V, why: Why) -> V {
    let exact: Option<Vec<f64>> = items.exact.iter().map(|v| if let V::Float(f) = v { Some(*f) } else { None }).collect();
    let start = match start {
        V::Int(n) if *n == 0 => Some(0.0),
        V::Float(f) => Some(*f),
        _ => None,
    };
    let (Some(values), Some(start), None) = (exact, start, &items.rest) else { return V::any_float(why) };
    let (mut plain, mut total, mut lost) = (start, start, 0.0);
    for x in values {
        plain += x;
        let t = total + x;
        lost += if total.abs() >= x.abs() { (total - t) + x } else { (x - t) + total };
        total = t;
    }
    let compensated = if lost != 0.0 && f64::is_finite(lost) { total + lost } else { total };
    if plain.is_nan() || compensated.is_nan() || plain.is_infinite() || compensated.is_infinite() {
        return V::any_float(why);
    }
    // 0.0 + −0.0 and such keep their sign in one of the ways only.
    if plain == compensated && plain != 0.0 { V::Float(plain) } else { V::float(Float::range(plain, compensated), Why::Lost) }
}

fn any(host: &mut dyn Host, args: Args) -> R<V> {
    quantify(host, &args, true)
}

fn all(host: &mut dyn Host, args: Args) -> R<V> {
    quantify(host, &args, false)
}

/// How many items are looked at one by one.
const QUANTIFIED: usize = 4096;

/// How many are while it may have stopped at any of them.
const OPEN: usize = 8;

/// `any` and `all`: the first item whose truth is `decides` settles it, and the iterator is left there.
fn quantify(host: &mut dyn Host, args: &Args, decides: bool) -> R<V> {
    let Some([x]) = bind(host, args, [""], 1)? else { return Ok(host.unknown_call(args)) };
    if let V::OneOf(all) = &x {
        return host.each_of(all, &mut |host, v| quantify(host, &Args::of([v.clone()]), decides));
    }
    let it = host.iterate(&x)?;
    if host.remaining(&it) > QUANTIFIED as u64
        && let Some(answer) = undecided(host, &it, decides)?
    {
        return Ok(answer);
    }
    let mut stopped: Option<crate::value::store::Store> = None;
    let mut why = Why::OUTSIDE;
    let (mut result, mut may_end) = (None, false);
    for seen in 0..QUANTIFIED {
        host.burn(1)?;
        // Once it may have stopped at several places, all the others are one more.
        if seen == OPEN
            && let Some(before) = &stopped
            && let Some(Taken { endless: false, .. }) = host.foresee(&it)?
        {
            let before = before.clone();
            host.take(&it)?;
            host.join_state(before);
            return Ok(V::AnyBool(why));
        }
        let (v, sure) = match host.next(&it) {
            Ok(Next::End) => {
                result = Some(!decides);
                break;
            }
            Ok(Next::Item(v)) => (v, true),
            Ok(Next::Maybe(v)) => (v, false),
            // On the paths that stopped before, nothing was raised.
            Err(Stop::Raise(_) | Stop::Dead) if stopped.is_some() => return Ok(give_up(host, &it, stopped)),
            Err(stop) => return Err(stop),
        };
        match host.truth(&v)? {
            Some(t) if t == decides && sure => {
                result = Some(decides);
                break;
            }
            Some(t) if t != decides && sure => {}
            _ => {
                may_end |= !sure;
                why = why.with(why_of(&[&v]));
                let now = host.store().clone();
                match &mut stopped {
                    None => stopped = Some(now),
                    Some(before) => {
                        before.join(&now, false);
                    }
                }
            }
        }
        if !sure && seen > 64 {
            return Ok(give_up(host, &it, stopped));
        }
    }
    match (result, stopped) {
        (Some(known), None) => Ok(V::Bool(known)),
        (known, Some(before)) => {
            if known.is_none() {
                unknown(host, std::slice::from_ref(&it));
            }
            host.join_state(before);
            Ok(if known == Some(decides) && !may_end { V::Bool(decides) } else { V::AnyBool(why) })
        }
        (None, None) => {
            // What is left may settle it, raise, or never end.
            match undecided(host, &it, decides)? {
                Some(answer) => Ok(answer),
                None => Ok(give_up(host, &it, None)),
            }
        }
    }
}

/// Where all that an iterator gives certainly leaves it open, all of it is looked at.
fn undecided(host: &mut dyn Host, it: &V, decides: bool) -> R<Option<V>> {
    let Some(Taken { items, endless }) = host.foresee(it)? else { return Ok(None) };
    let any = element(host, &items).unwrap_or(V::None);
    if !host.certainly(&mut |host| Ok(host.truth(&any)? == Some(!decides)))? {
        return Ok(None);
    }
    let callee = if decides { "any" } else { "all" };
    if endless {
        return Err(host.never_returns(it, callee, false));
    }
    host.take(it)?;
    host.spend(cost::C_ITERATION.times(count(&items).0 as f64), callee, it);
    Ok(Some(V::Bool(!decides)))
}

/// The iterator stands anywhere, and the answer is unknown.
fn give_up(host: &mut dyn Host, it: &V, stopped: Option<crate::value::store::Store>) -> V {
    unknown(host, std::slice::from_ref(it));
    if let Some(before) = stopped {
        host.join_state(before);
    }
    V::AnyBool(Why::Lost)
}
