//! Methods of list and tuple.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::common::{
    allocates, bag, collect, concat, element, equal, equal_of_many, hoards, index_or, kind, list_items, push, set_list, shuffled, unknown,
    why_of, with, wrong,
};
use crate::library::{Args, Entry, Host, R, count, list_of};
use crate::value::cost;
use crate::value::int::Int;
use crate::value::object::{Items, Obj, ObjId, Rest, Tuple, V, Why};

/// The entry for a method of list.
pub fn find(method: &str) -> Option<Entry> {
    Some(Entry::Function(match method {
        "append" => append,
        "extend" => extend,
        "insert" => insert,
        "remove" => remove,
        "pop" => pop,
        "clear" => clear,
        "copy" => copy,
        "index" => index_of,
        "count" => count_of,
        "reverse" => reverse,
        "sort" => sort,
        _ => return None,
    }))
}

/// The entry for a method of tuple.
pub fn find_tuple(method: &str) -> Option<Entry> {
    Some(Entry::Function(match method {
        "index" => index_of,
        "count" => count_of,
        _ => return None,
    }))
}

fn is_list(host: &mut dyn Host, v: &V) -> Option<ObjId> {
    match v {
        V::Ref(id) if matches!(host.store().get(*id), Obj::List(_)) => Some(*id),
        _ => None,
    }
}

/// Changes the items of a list or deque in place, without copying what is not shared.
pub fn change(host: &mut dyn Host, id: ObjId, change: impl FnOnce(&mut Items, &mut Vec<V>)) {
    let mut escapes = Vec::new();
    host.store().mutate(id, true, |obj| {
        if let Obj::List(items) | Obj::Deque(items, _) = obj {
            change(Rc::make_mut(items), &mut escapes);
        }
    });
    host.store().escape_all(&escapes);
}

fn append(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 1, &|host, [list, x]| {
        let Some(id) = is_list(host, &list) else { return wrong(host, &list.clone(), &[list, x]) };
        host.cost(cost::LIST_APPEND.seconds - cost::CALL.seconds);
        change(host, id, |items, escapes| push(items, x, escapes));
        hoards(host, FactKind::Growth, "list.append", id);
        Ok(V::None)
    })
}

/// What an iterable gives, put at the end of a list. While code of the program runs for it, the list holds what it held and
/// some more.
pub fn extend_by(host: &mut dyn Host, id: ObjId, iterable: &V, callee: &str) -> R<()> {
    let simple = !matches!(kind(host, iterable), None | Some("iterator" | "generator"));
    if simple || host.store().is_summary(id) {
        let more = collect(host, iterable, callee, cost::LIST_COPY_ITEM)?;
        change(host, id, |items, escapes| concat(items, &more, escapes));
        return Ok(());
    }
    let Some((_, before)) = list_items(host, &V::Ref(id)) else { return Ok(()) };
    let mut open = (*before).clone();
    open.rest = Some(Rest { element: V::Unknown(Why::Lost), value: V::None, low: 0, high: u64::MAX });
    set_list(host, id, open.clone());
    let more = collect(host, iterable, callee, cost::LIST_COPY_ITEM)?;
    match list_items(host, &V::Ref(id)) {
        Some((_, now)) if *now == open => {
            let mut items = (*before).clone();
            let mut escapes = Vec::new();
            concat(&mut items, &more, &mut escapes);
            host.store().escape_all(&escapes);
            set_list(host, id, items);
        }
        _ => {
            host.store().escape_all(&more.exact);
            host.store().escape(&V::Ref(id));
        }
    }
    Ok(())
}

fn extend(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 2, &|host, [list, x]| {
        let Some(id) = is_list(host, &list) else { return wrong(host, &list.clone(), &[list, x]) };
        if matches!(x, V::Range(_)) {
            host.length(&x)?;
        }
        extend_by(host, id, &x, "list.extend")?;
        if let Some((_, items)) = list_items(host, &list) {
            let (low, high) = count(&items);
            allocates(host, FactKind::Materialisation, "list.extend", low.saturating_mul(8), high.saturating_mul(8));
        }
        Ok(V::None)
    })
}

fn insert(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "", ""], 3, 1, &|host, [list, at, x]| {
        let Some(id) = is_list(host, &list) else { return wrong(host, &list.clone(), &[list, at, x]) };
        let at = crate::library::common::index(host, &at)?.and_then(|n| n.is_exact());
        let Some((_, items)) = list_items(host, &list) else { return Ok(V::None) };
        host.burn(items.exact.len() as u64 / 64)?;
        let n = items.exact.len() as i128;
        let (low, high) = count(&items);
        match at {
            Some(at) if items.rest.is_none() && items.exact.len() < crate::value::object::MAX_EXACT_ITEMS => {
                let at = if at < 0 { (at + n).max(0) } else { at.min(n) };
                drop(items);
                change(host, id, |items, _| {
                    let at = (at as usize).min(items.exact.len());
                    items.exact.insert(at, x);
                });
            }
            _ => {
                let mut all = (*items).clone();
                let mut escapes = Vec::new();
                push(&mut all, x, &mut escapes);
                host.store().escape_all(&escapes);
                let e = element(host, &all);
                set_list(host, id, bag(e, low.saturating_add(1), high.saturating_add(1)));
            }
        }
        Ok(V::None)
    })
}

/// Where something is found among items.
pub enum Found {
    /// There, for certain.
    At(usize),
    /// Nowhere, for certain.
    Nowhere,
    /// Perhaps.
    Maybe,
}

/// The first item equal to a value.
pub fn search(host: &mut dyn Host, items: &Items, x: &V) -> R<Found> {
    for (i, v) in items.exact.iter().enumerate() {
        host.burn(1)?;
        match equal(host, v, x)? {
            Some(true) => return Ok(Found::At(i)),
            Some(false) => {}
            None => {
                for later in &items.exact[i + 1..] {
                    equal_of_many(host, later, x)?;
                }
                return Ok(Found::Maybe);
            }
        }
    }
    match &items.rest {
        Some(r) if r.high > 0 => match equal_of_many(host, &r.element, x)? {
            Some(false) => Ok(Found::Nowhere),
            _ => Ok(Found::Maybe),
        },
        _ => Ok(Found::Nowhere),
    }
}

/// The same items with one of them, nobody knows which, removed.
pub fn one_fewer(host: &mut dyn Host, items: &Items, certain: bool) -> Items {
    let (low, high) = count(items);
    let all = shuffled(host, items);
    let Some(rest) = all.rest else { return Items::default() };
    let high = if certain && high != u64::MAX { high.saturating_sub(1) } else { high };
    bag(Some(rest.element), low.saturating_sub(1), high)
}

fn remove(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 1, &|host, [list, x]| {
        let Some(id) = is_list(host, &list) else { return wrong(host, &list.clone(), &[list, x]) };
        remove_from(host, id, &x)
    })
}

/// `list.remove` and `deque.remove`.
pub fn remove_from(host: &mut dyn Host, id: ObjId, x: &V) -> R<V> {
    let Some((_, items)) = list_items(host, &V::Ref(id)) else { return Ok(V::None) };
    match search(host, &items, x)? {
        Found::At(at) => {
            drop(items);
            change(host, id, |items, _| {
                if at < items.exact.len() {
                    items.exact.remove(at);
                }
            });
        }
        Found::Nowhere => return Err(host.raise("ValueError", "list.remove(x): x not in list")),
        Found::Maybe => {
            host.may_raise("ValueError");
            let fewer = one_fewer(host, &items, true);
            set_list(host, id, fewer);
        }
    }
    Ok(V::None)
}

fn pop(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 1, 1, &|host, [list, at]| {
        let Some(id) = is_list(host, &list) else { return wrong(host, &list.clone(), &[list, at]) };
        let at = index_or(host, &at, -1)?.and_then(|n| n.is_exact());
        pop_from(host, id, at)
    })
}

/// Takes an item out at a position, none when the position is not known.
pub fn pop_from(host: &mut dyn Host, id: ObjId, at: Option<i128>) -> R<V> {
    let (n, rest, first, last) = match host.store().get(id) {
        Obj::List(items) | Obj::Deque(items, _) => {
            (items.exact.len(), items.rest.clone(), items.exact.first().cloned(), items.exact.last().cloned())
        }
        _ => return Ok(V::Unknown(Why::Lost)),
    };
    let index_error = |host: &mut dyn Host| Err(host.raise("IndexError", "pop from empty list"));
    let Some(rest) = rest.filter(|r| r.high > 0) else {
        if n == 0 {
            return index_error(host);
        }
        if let Some(at) = at {
            let at = if at < 0 { at + n as i128 } else { at };
            if at < 0 || at >= n as i128 {
                return index_error(host);
            }
            host.burn((n as u64 - at as u64) / 64)?;
            let value = match host.store().get(id) {
                Obj::List(items) | Obj::Deque(items, _) => items.exact.get(at as usize).cloned(),
                _ => None,
            };
            change(host, id, |items, _| {
                if (at as usize) < items.exact.len() {
                    items.exact.remove(at as usize);
                }
            });
            return Ok(value.unwrap_or(V::Unknown(Why::Lost)));
        }
        return pop_anywhere(host, id);
    };
    match at {
        // The last one is one of the rest, or the last known one where there is no rest.
        Some(-1) => {
            if n == 0 && rest.low == 0 {
                host.may_raise("IndexError");
            }
            let fewer = if rest.high == u64::MAX { u64::MAX } else { rest.high - 1 };
            if rest.low > 0 || n == 0 {
                change(host, id, |items, _| {
                    if let Some(r) = items.rest.as_mut() {
                        r.low = r.low.saturating_sub(1);
                        r.high = fewer;
                    }
                });
                return Ok(rest.element);
            }
            let last = last.unwrap_or(V::Unknown(Why::Lost));
            let both = host.join(&rest.element, &last);
            let kept = both.clone();
            change(host, id, |items, _| {
                items.exact.pop();
                if let Some(r) = items.rest.as_mut() {
                    r.element = kept;
                    r.low = 0;
                }
            });
            Ok(both)
        }
        Some(0) => {
            if n > 0 {
                change(host, id, |items, _| {
                    if !items.exact.is_empty() {
                        items.exact.remove(0);
                    }
                });
                return Ok(first.unwrap_or(V::Unknown(Why::Lost)));
            }
            if rest.low == 0 {
                host.may_raise("IndexError");
            }
            let fewer = if rest.high == u64::MAX { u64::MAX } else { rest.high - 1 };
            change(host, id, |items, _| {
                if let Some(r) = items.rest.as_mut() {
                    r.low = r.low.saturating_sub(1);
                    r.high = fewer;
                }
            });
            Ok(rest.element)
        }
        _ => pop_anywhere(host, id),
    }
}

fn pop_anywhere(host: &mut dyn Host, id: ObjId) -> R<V> {
    let Some((_, items)) = list_items(host, &V::Ref(id)) else { return Ok(V::Unknown(Why::Lost)) };
    host.may_raise("IndexError");
    let value = element(host, &items);
    let fewer = one_fewer(host, &items, true);
    set_list(host, id, fewer);
    Ok(value.unwrap_or(V::Unknown(Why::Lost)))
}

fn clear(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [list]| {
        let Some(id) = is_list(host, &list) else { return wrong(host, &list.clone(), &[list]) };
        set_list(host, id, Items::default());
        Ok(V::None)
    })
}

fn copy(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [list]| {
        if is_list(host, &list).is_none() {
            return wrong(host, &list.clone(), &[list]);
        }
        let items = collect(host, &list, "list.copy", cost::LIST_COPY_ITEM)?;
        Ok(list_of(host, items))
    })
}

/// The items of a list or tuple.
fn sequence(host: &mut dyn Host, v: &V) -> Option<Items> {
    match v {
        V::Tuple(t) => Some(match &**t {
            Tuple::Exact(items) => Items { exact: items.clone(), rest: None },
            Tuple::Bag { element, low, high } => bag(Some(element.clone()), *low, *high),
        }),
        v => list_items(host, v).map(|(_, items)| (*items).clone()),
    }
}

fn index_of(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "", "", ""], 2, 1, &|host, [list, x, start, end]| {
        let Some(items) = sequence(host, &list) else { return wrong(host, &list.clone(), &[list, x]) };
        let whole = matches!((&start, &end), (V::Undef, V::Undef));
        let n = items.exact.len();
        if whole || items.rest.is_none() {
            let from = index_or(host, &start, 0)?.and_then(|n| n.is_exact());
            let to = index_or(host, &end, n as i128)?.and_then(|n| n.is_exact());
            if let (Some(from), Some(to)) = (from, to) {
                let clamp = |i: i128| if i < 0 { (i + n as i128).max(0) } else { i.min(n as i128) } as usize;
                let (from, to) = if whole { (0, n) } else { (clamp(from), clamp(to)) };
                let part = Items {
                    exact: items.exact.get(from..to.max(from)).unwrap_or_default().to_vec(),
                    rest: items.rest.clone().filter(|_| whole),
                };
                match search(host, &part, &x)? {
                    Found::At(at) => return Ok(V::Int((from + at) as i128)),
                    Found::Nowhere => return Err(host.raise("ValueError", "is not in list")),
                    Found::Maybe => {}
                }
            }
        }
        host.may_raise("ValueError");
        let high = count(&items).1;
        let top = if high == u64::MAX { i128::from(i64::MAX) } else { (i128::from(high) - 1).max(0) };
        Ok(V::int(Int::range(0, top), why_of(&[&x])))
    })
}

fn count_of(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 1, &|host, [list, x]| {
        let Some(items) = sequence(host, &list) else { return wrong(host, &list.clone(), &[list, x]) };
        let (mut low, mut high) = (0u64, 0u64);
        for v in &items.exact {
            host.burn(1)?;
            match equal(host, v, &x)? {
                Some(true) => (low, high) = (low + 1, high + 1),
                Some(false) => {}
                None => high += 1,
            }
        }
        if let Some(r) = &items.rest
            && r.high > 0
            && equal_of_many(host, &r.element, &x)? != Some(false)
        {
            high = high.saturating_add(r.high);
        }
        Ok(crate::library::common::size_value(low, high, why_of(&[&x])))
    })
}

fn reverse(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [list]| {
        let Some(id) = is_list(host, &list) else { return wrong(host, &list.clone(), &[list]) };
        let Some((_, items)) = list_items(host, &list) else { return Ok(V::None) };
        host.burn(items.exact.len() as u64 / 64)?;
        if items.rest.is_none() {
            drop(items);
            change(host, id, |items, _| items.exact.reverse());
        } else {
            let any = shuffled(host, &items);
            set_list(host, id, any);
        }
        Ok(V::None)
    })
}

fn sort(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "key", "reverse"], 1, 1, &|host, [list, key, reverse]| {
        let Some(id) = is_list(host, &list) else { return wrong(host, &list.clone(), &[list, key]) };
        let Some((_, items)) = list_items(host, &list) else { return Ok(V::None) };
        let reverse = if matches!(reverse, V::Undef) { Some(false) } else { host.truth(&reverse)? };
        // Where comparing may raise, an exception leaves the list in any order.
        let known = reverse.is_some_and(|reverse| crate::library::builtins::order::sorted_exactly(&items, &items, reverse).is_some());
        if matches!(key, V::Undef | V::None) && !known && !crate::library::builtins::order::orderly(&items.exact) {
            let any = shuffled(host, &items);
            set_list(host, id, any);
        }
        let Some((_, during)) = list_items(host, &list) else { return Ok(V::None) };
        let sorted = crate::library::builtins::order::sort_items(host, &items, &key, reverse)?;
        match list_items(host, &list) {
            Some((_, now)) if now == during => {
                set_list(host, id, sorted);
            }
            _ => {
                unknown(host, &[list]);
            }
        }
        Ok(V::None)
    })
}
