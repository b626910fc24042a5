//! `heapq` and `bisect`, by CPython's own algorithms, since the order they leave shows.

use std::rc::Rc;

use crate::library::builtins::order::{consume_with_keys, sort_by_keys};
use crate::library::common::{Consumer, open_instance};
use crate::library::{Args, Entry, Host, R, count, list_of};
use crate::syntax::code::CompareOp;
use crate::value::cost;
use crate::value::int::Int;
use crate::value::object::{Items, IterKind, Obj, ObjId, V, Why};

use super::support::{all, bag, bind, element, exact_tuple, instance, is_plain, iterate_bag, iterator};

/// The entry for a name in `heapq`.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "heappushpop" => |host, args| replace(host, &args, true),
        "heapreplace" => |host, args| replace(host, &args, false),
        "nlargest" => |host, args| best(host, &args, true),
        "nsmallest" => |host, args| best(host, &args, false),
        "merge" => merge,
        "heappush" => heappush,
        "heappop" => heappop,
        "heapify" => heapify,
        _ => return None,
    }))
}

/// The entry for a name in `bisect`.
pub fn find_bisect(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "bisect" | "bisect_right" => |host, args| bisect(host, &args, true),
        "bisect_left" => |host, args| bisect(host, &args, false),
        "insort" | "insort_right" => |host, args| insort(host, &args, true),
        "insort_left" => |host, args| insort(host, &args, false),
        _ => return None,
    }))
}

/// Whether one item is less than another; None when it is not known.
fn less(host: &mut dyn Host, a: &V, b: &V) -> R<Option<bool>> {
    host.burn(1)?;
    let answer = host.compare(CompareOp::Lt, a, b)?;
    host.truth(&answer)
}

/// Whether all is seen of what comparing an item does: plain data, an instance of the program, or a tuple of these.
fn is_seen(host: &mut dyn Host, item: &V) -> bool {
    match exact_tuple(item) {
        Some(parts) => parts.iter().all(|part| is_seen(host, part)),
        None => is_plain(host, item) || (instance(host, item).is_some() && !open_instance(host, item)),
    }
}

/// A list that is known item by item, and whose items are followed when they are compared.
fn exact_list(host: &mut dyn Host, value: &V) -> Option<(ObjId, Vec<V>)> {
    let V::Ref(id) = value else { return None };
    let items = match host.store().get(*id) {
        Obj::List(items) if items.rest.is_none() => items.exact.clone(),
        _ => return None,
    };
    let seen = is_plain(host, value) || items.iter().all(|item| is_seen(host, item));
    (seen && !host.store().is_summary(*id)).then_some((*id, items))
}

/// Whether comparing it with its like never raises: a number, a text, or a tuple of these. Of several items it says what each may be
/// by its place, so that one place never holds both.
fn is_ordered(value: &V) -> bool {
    let single = |v: &V| v.is_number() || matches!(v, V::Str(_) | V::Strs(_) | V::Bytes(_) | V::ManyBytes(_));
    let texts = |v: &V| matches!(v, V::OneOf(all) if all.iter().all(|v| matches!(v, V::Str(_) | V::Strs(_))));
    let ordered = |v: &V| single(v) || texts(v);
    ordered(value) || super::support::exact_tuple(value).is_some_and(|items| !items.is_empty() && items.iter().all(ordered))
}

/// A list of which bounds are known only, and whose items can all be compared with each other.
fn bounded_heap(host: &mut dyn Host, value: &V) -> Option<(ObjId, Items)> {
    let V::Ref(id) = value else { return None };
    let items = match host.store().get(*id) {
        Obj::List(items) if items.rest.is_some() => (**items).clone(),
        _ => return None,
    };
    let any = element(host, &items)?;
    (is_ordered(&any) && !host.store().is_summary(*id)).then_some((*id, items))
}

fn write(host: &mut dyn Host, id: ObjId, items: Items) {
    host.store().mutate(id, true, |obj| *obj = Obj::List(Rc::new(items)));
}

/// Moves the item at `at` towards the root; false when a comparison is not known.
fn towards_root(host: &mut dyn Host, heap: &mut [V], start: usize, mut at: usize) -> R<bool> {
    let item = heap[at].clone();
    while at > start {
        let parent = (at - 1) >> 1;
        match less(host, &item, &heap[parent])? {
            Some(true) => {
                heap[at] = heap[parent].clone();
                at = parent;
            }
            Some(false) => break,
            None => return Ok(false),
        }
    }
    heap[at] = item;
    Ok(true)
}

/// Moves the smaller child up until a leaf is hit, then the item to its place.
fn towards_leaves(host: &mut dyn Host, heap: &mut [V], mut at: usize) -> R<bool> {
    let (start, end) = (at, heap.len());
    let item = heap[at].clone();
    let mut child = 2 * at + 1;
    while child < end {
        let right = child + 1;
        if right < end {
            match less(host, &heap[child], &heap[right])? {
                Some(true) => {}
                Some(false) => child = right,
                None => return Ok(false),
            }
        }
        heap[at] = heap[child].clone();
        at = child;
        child = 2 * at + 1;
    }
    heap[at] = item;
    towards_root(host, heap, start, at)
}

/// The order is lost, the items are not.
fn any_order(host: &mut dyn Host, items: &Items) -> Items {
    let (low, high) = count(items);
    let any = element(host, items).unwrap_or(V::Unknown(Why::Lost));
    bag(any, low, high)
}

/// Writes the heap back: in order when every comparison was known, in any order otherwise, and where one raised.
fn settle(host: &mut dyn Host, id: ObjId, sifted: R<bool>, items: Vec<V>, before: Vec<V>) -> R<()> {
    let items = if sifted == Ok(true) { Items { exact: items, rest: None } } else { any_order(host, &Items { exact: before, rest: None }) };
    write(host, id, items);
    sifted.map(|_| ())
}

fn heappush(host: &mut dyn Host, args: Args) -> R<V> {
    let [heap, item] = all(host, &args, ["/heap", "/item"])?;
    if let Some((id, any, low, high)) = with_one_more(host, &heap, &item) {
        write(host, id, bag(any, low, high));
        return Ok(V::None);
    }
    let (Some((id, mut items)), true) = (exact_list(host, &heap), is_seen(host, &item)) else { return Ok(host.unknown_call(&args)) };
    items.push(item);
    let last = items.len() - 1;
    host.burn(items.len() as u64 / 4)?;
    let before = items.clone();
    let sifted = towards_root(host, &mut items, 0, last);
    settle(host, id, sifted, items, before)?;
    Ok(V::None)
}

fn heappop(host: &mut dyn Host, args: Args) -> R<V> {
    let [heap] = all(host, &args, ["/heap"])?;
    if let Some((id, bound)) = bounded_heap(host, &heap) {
        let (low, high) = count(&bound);
        if low == 0 {
            host.may_raise("IndexError");
        }
        let Some(any) = element(host, &bound) else { return Err(host.raise("IndexError", "index out of range")) };
        let fewer = if high == u64::MAX { high } else { high.saturating_sub(1) };
        write(host, id, bag(any.clone(), low.saturating_sub(1), fewer));
        return Ok(any);
    }
    let Some((id, mut items)) = exact_list(host, &heap) else { return Ok(host.unknown_call(&args)) };
    let Some(last) = items.pop() else { return Err(host.raise("IndexError", "index out of range")) };
    host.burn(items.len() as u64 / 4)?;
    if items.is_empty() {
        write(host, id, Items::default());
        return Ok(last);
    }
    let result = std::mem::replace(&mut items[0], last);
    let before = items.clone();
    let sifted = towards_leaves(host, &mut items, 0);
    settle(host, id, sifted, items, before)?;
    Ok(result)
}

/// `heappushpop` and `heapreplace`: one item in, the least one out.
fn replace(host: &mut dyn Host, args: &Args, push_first: bool) -> R<V> {
    let [heap, item] = all(host, args, ["/heap", "/item"])?;
    let (Some((id, mut items)), true) = (exact_list(host, &heap), is_seen(host, &item)) else { return Ok(host.unknown_call(args)) };
    if items.is_empty() {
        return if push_first { Ok(item) } else { Err(host.raise("IndexError", "index out of range")) };
    }
    host.burn(items.len() as u64 / 4)?;
    if push_first {
        match less(host, &items[0], &item)? {
            Some(true) => {}
            Some(false) => return Ok(item),
            None => return Ok(host.unknown_call(args)),
        }
    }
    let result = std::mem::replace(&mut items[0], item);
    let before = items.clone();
    let sifted = towards_leaves(host, &mut items, 0);
    settle(host, id, sifted, items, before)?;
    Ok(result)
}

/// `nlargest` and `nsmallest` give what sorting and slicing would.
fn best(host: &mut dyn Host, args: &Args, largest: bool) -> R<V> {
    let [n, iterable, key] = bind(host, args, ["n", "iterable", "key"], 2)?;
    let (n, iterable) = (n.unwrap_or(V::None), iterable.unwrap_or(V::None));
    let Some(n) = n.exact_int() else { return Ok(host.unknown_call(args)) };
    let key = key.unwrap_or(V::None);
    // Without a place for a single item, none is asked for.
    if n <= 0 {
        host.iterate(&iterable)?;
        return Ok(list_of(host, Items::default()));
    }
    let mut ordered = |_: &mut dyn Host, key: &V| Ok(is_ordered(key));
    let callee = if largest { "heapq.nlargest" } else { "heapq.nsmallest" };
    let by = Consumer { callee, floor: cost::C_ITERATION, keeps: 0, collects: false, goes_on: &mut ordered };
    let Some((items, keys)) = consume_with_keys(host, &iterable, &key, by)? else { return Ok(V::Unknown(Why::Lost)) };
    if count(&items).0 > 1024 {
        // A comparison or the key may raise long before the last item.
        let any = element(host, &items).unwrap_or(V::None);
        host.may_raise("");
        return Ok(list_of(host, bag(any, 0, u64::MAX)));
    }
    let sorted = sort_by_keys(host, &items, &keys, Some(largest))?;
    let n = u64::try_from(n).unwrap_or(u64::MAX);
    let (low, high) = count(&sorted);
    let items = match &sorted.rest {
        None => Items { exact: sorted.exact.iter().take(usize::try_from(n).unwrap_or(usize::MAX)).cloned().collect(), rest: None },
        Some(_) => {
            let any = element(host, &sorted).unwrap_or(V::None);
            bag(any, low.min(n), high.min(n))
        }
    };
    Ok(list_of(host, items))
}

/// Sorted inputs as one, lazily: numbers that are computed by no code of the program, so that their comparison never fails.
fn merge(host: &mut dyn Host, args: Args) -> R<V> {
    if args.open || !args.kw.is_empty() {
        return Ok(host.unknown_call(&args));
    }
    let mut sources = Vec::new();
    for iterable in &args.pos {
        sources.push(host.iterate(iterable)?);
    }
    let (mut any, mut low, mut high) = (None, 0_u64, 0_u64);
    for source in &sources {
        let foreseen = if host.runs_code(source) { None } else { host.foresee(source)? };
        let Some(taken) = foreseen else { return Ok(host.unknown_call(&Args::of(sources))) };
        let (least, most) = if taken.endless { (u64::MAX, u64::MAX) } else { count(&taken.items) };
        (low, high) = (low.saturating_add(least), high.saturating_add(most));
        let Some(item) = element(host, &taken.items) else { continue };
        any = Some(any.map_or_else(|| item.clone(), |any| host.join(&any, &item)));
    }
    let Some(any) = any else { return Ok(iterate_bag(host, V::None, 0, 0)) };
    // What it goes over may change before it comes to it.
    let changes = |host: &mut dyn Host, v: &V| matches!(v, V::Ref(id) if matches!(host.store().get(*id), Obj::List(_) | Obj::Deque(..) | Obj::Dict(..) | Obj::Set(..)));
    if !is_ordered(&any) || args.pos.iter().any(|v| changes(host, v)) {
        return Ok(host.unknown_call(&Args::of(sources)));
    }
    host.store().escape_all(&sources);
    Ok(if low == u64::MAX { iterator(host, IterKind::Bag, vec![any, V::None]) } else { iterate_bag(host, any, low, high) })
}

fn heapify(host: &mut dyn Host, args: Args) -> R<V> {
    let [heap] = all(host, &args, ["/heap"])?;
    let Some((id, mut items)) = exact_list(host, &heap) else { return Ok(host.unknown_call(&args)) };
    // Beyond this, CPython goes through the heap in another order for the sake of caches.
    if items.len() > 2500 {
        return Ok(host.unknown_call(&args));
    }
    let before = items.clone();
    let mut sifted = Ok(true);
    for at in (0..items.len() / 2).rev() {
        sifted = towards_leaves(host, &mut items, at);
        if sifted != Ok(true) {
            break;
        }
    }
    settle(host, id, sifted, items, before)?;
    Ok(V::None)
}

/// Inserts where the order stays.
fn insort(host: &mut dyn Host, args: &Args, right: bool) -> R<V> {
    let [list, item, low, high, key] = bind(host, args, ["a", "x", "lo", "hi", "key"], 2)?;
    let (list, item) = (list.unwrap_or(V::None), item.unwrap_or(V::None));
    let (None, None, None) = (low, high, key) else { return Ok(host.unknown_call(args)) };
    if let Some((id, any, low, high)) = with_one_more(host, &list, &item) {
        write(host, id, bag(any, low, high));
        return Ok(V::None);
    }
    let V::Int(at) = bisect(host, args, right)? else { return Ok(host.unknown_call(args)) };
    let (Some((id, mut items)), Ok(at)) = (exact_list(host, &list), usize::try_from(at)) else { return Ok(host.unknown_call(args)) };
    items.insert(at.min(items.len()), item);
    host.burn(items.len() as u64 / 64)?;
    write(host, id, Items { exact: items, rest: None });
    Ok(V::None)
}

/// What a list of which only bounds are known holds with one more item that can be compared with all of them.
fn with_one_more(host: &mut dyn Host, list: &V, item: &V) -> Option<(ObjId, V, u64, u64)> {
    let (id, bound) = bounded_heap(host, list)?;
    let known = element(host, &bound)?;
    let any = host.join(&known, item);
    let (low, high) = count(&bound);
    (is_ordered(item) && is_ordered(&any)).then_some((id, any, low.saturating_add(1), high.saturating_add(1)))
}

fn bisect(host: &mut dyn Host, args: &Args, right: bool) -> R<V> {
    let [list, item, low, high, key] = bind(host, args, ["a", "x", "lo", "hi", "key"], 2)?;
    let (list, item) = (list.unwrap_or(V::None), item.unwrap_or(V::None));
    let (None, None, None) = (low, high, key) else { return Ok(host.unknown_call(args)) };
    let (Some((_, items)), true) = (exact_list(host, &list), is_plain(host, &item)) else { return Ok(host.unknown_call(args)) };
    host.burn(items.len() as u64 / 16)?;
    let (mut low, mut high) = (0, items.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        let goes_left = if right { less(host, &item, &items[middle])? } else { less(host, &items[middle], &item)?.map(|l| !l) };
        match goes_left {
            Some(true) => high = middle,
            Some(false) => low = middle + 1,
            None => return Ok(V::int(Int::range(low as i128, high as i128), Why::Lost)),
        }
    }
    Ok(V::Int(low as i128))
}
