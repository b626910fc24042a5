//! What transfer functions share: binding arguments, telling operands apart, building tables and lists, and reporting sizes.

use std::rc::Rc;

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::syntax::code::CompareOp;
use crate::value::cost::Floor;
use crate::value::int::Int;
use crate::value::object::{Items, Key, MAX_EXACT_ITEMS, Obj, ObjId, Rest, Table, Tuple, V, Why};
use crate::value::store::{join, join_many};

use super::{Args, Host, R, Taken};

/// Sizes from here on raise OverflowError or MemoryError at once.
pub const SIZE_LIMIT: i128 = 1 << 63;

/// Bytes of a reference in a list, a tuple or a deque.
pub const POINTER: u64 = 8;

/// Bytes of an entry of a set: a reference and a hash.
pub const ENTRY: u64 = 16;

/// How many combinations of alternatives of the arguments are followed one by one.
const MAX_COMBINATIONS: usize = 24;

/// TypeError, for certain.
pub fn type_error<T>(host: &mut dyn Host) -> R<T> {
    Err(host.raise("TypeError", ""))
}

/// Binds arguments to at most `N` parameters, of which the first `min` are required; a missing one is [`V::Undef`]. A name
/// of `""` is positional only. None when a keyword is not among the names, which may be one that only some versions know.
pub fn bind<const N: usize>(host: &mut dyn Host, args: &Args, names: [&str; N], min: usize) -> R<Option<[V; N]>> {
    let mut out: [V; N] = std::array::from_fn(|_| V::Undef);
    if args.open {
        return Ok(None);
    }
    if args.pos.len() > N {
        return type_error(host);
    }
    for (slot, value) in out.iter_mut().zip(&args.pos) {
        *slot = value.clone();
    }
    for (name, value) in &args.kw {
        let text = name.text();
        match names.iter().position(|n| !n.is_empty() && **n == *text) {
            Some(at) if matches!(out[at], V::Undef) => out[at] = value.clone(),
            Some(_) => return type_error(host),
            None => return Ok(None),
        }
    }
    if out[..min].iter().any(|v| matches!(v, V::Undef)) {
        return type_error(host);
    }
    Ok(Some(out))
}

/// Binds arguments and runs the transfer function for each combination of the alternatives of the first `spread` of them.
pub fn with<const N: usize>(
    host: &mut dyn Host,
    args: &Args,
    names: [&str; N],
    min: usize,
    spread: usize,
    run: &dyn Fn(&mut dyn Host, [V; N]) -> R<V>,
) -> R<V> {
    let Some(bound) = bind(host, args, names, min)? else { return Ok(host.unknown_call(args)) };
    let combinations = bound[..spread].iter().map(|v| v.alternatives().len()).product::<usize>();
    if combinations == 1 {
        return run(host, bound);
    }
    if combinations > MAX_COMBINATIONS {
        return Ok(host.unknown_call(args));
    }
    spread_over(host, bound, spread, run)
}

fn spread_over<const N: usize>(host: &mut dyn Host, bound: [V; N], spread: usize, run: &dyn Fn(&mut dyn Host, [V; N]) -> R<V>) -> R<V> {
    let Some(at) = bound[..spread].iter().position(|v| matches!(v, V::OneOf(_))) else { return run(host, bound) };
    let all = bound[at].alternatives().to_vec();
    host.each_of(&all, &mut |host, v| {
        let mut one = bound.clone();
        one[at] = v.clone();
        spread_over(host, one, spread, run)
    })
}

/// The builtin type of a value where that is certain, heap objects included.
pub fn kind(host: &mut dyn Host, value: &V) -> Option<&'static str> {
    if let Some(name) = value.type_name() {
        return Some(name);
    }
    let V::Ref(id) = value else { return None };
    Some(match host.store().get(*id) {
        Obj::List(_) => "list",
        Obj::Dict(..) => "dict",
        Obj::Set(_, false) => "set",
        Obj::Set(_, true) => "frozenset",
        Obj::Deque(..) => "deque",
        Obj::ByteArray(_) => "bytearray",
        Obj::Function(_) => "function",
        Obj::Iter(_) => "iterator",
        Obj::Generator(_) => "generator",
        _ => return None,
    })
}

/// An operand is not of the type the function works on: CPython's TypeError where its type is certain, else anything.
pub fn wrong(host: &mut dyn Host, operand: &V, all: &[V]) -> R<V> {
    if kind(host, operand).is_some() { type_error(host) } else { Ok(unknown(host, all)) }
}

/// A call into code without a model.
pub fn unknown(host: &mut dyn Host, values: &[V]) -> V {
    host.unknown_call(&Args::of(values.iter().filter(|v| !matches!(v, V::Undef)).cloned()))
}

/// An operand used as an index (`__index__`): the interval of an int; none when it may be anything, or a TypeError.
pub fn index(host: &mut dyn Host, value: &V) -> R<Option<Int>> {
    if let Some(int) = value.as_int() {
        return Ok(Some(int));
    }
    if let V::OneOf(all) = value {
        let mut out: Option<Int> = None;
        for v in all.iter() {
            match v.as_int() {
                Some(int) => out = Some(out.map_or(int, |o| o.join(&int))),
                None => {
                    host.may_raise("TypeError");
                    if kind(host, v).is_none() {
                        unknown(host, std::slice::from_ref(v));
                        return Ok(None);
                    }
                }
            }
        }
        return Ok(out);
    }
    if kind(host, value).is_some() {
        return type_error(host);
    }
    unknown(host, std::slice::from_ref(value));
    Ok(None)
}

/// As [`index`], with a default for a missing argument or None.
pub fn index_or(host: &mut dyn Host, value: &V, default: i128) -> R<Option<Int>> {
    if matches!(value, V::Undef | V::None) { Ok(Some(Int::exact(default))) } else { index(host, value) }
}

/// Whether a value is certainly hashed and compared without running code of the program.
pub fn is_plain(value: &V) -> bool {
    match value {
        V::None
        | V::Ellipsis
        | V::Bool(_)
        | V::AnyBool(_)
        | V::Int(_)
        | V::Ints(_)
        | V::Float(_)
        | V::Floats(_)
        | V::Str(_)
        | V::Strs(_)
        | V::Bytes(_)
        | V::ManyBytes(_) => true,
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) => items.iter().all(is_plain),
            Tuple::Bag { element, .. } => is_plain(element),
        },
        V::OneOf(all) => all.iter().all(is_plain),
        _ => false,
    }
}

/// `a is b or a == b`, when known.
pub fn equal(host: &mut dyn Host, a: &V, b: &V) -> R<Option<bool>> {
    if let (V::Ref(x), V::Ref(y)) = (a, b)
        && x == y
    {
        return Ok(if host.store().is_summary(*x) { None } else { Some(true) });
    }
    let nan = |v: &V| matches!(v, V::Float(f) if f.is_nan()) || matches!(v, V::Floats(f) if f.0.nan);
    if nan(a) && nan(b) {
        return Ok(None);
    }
    let answer = host.compare(CompareOp::Eq, a, b)?;
    let known = host.truth(&answer)?;
    // Equal NaNs inside tuples and objects of outside code may still be one object.
    Ok(if known == Some(false) && !(is_plain(a) && is_plain(b)) && (holds_nan(a) || kind(host, a).is_none() && kind(host, b).is_none()) {
        None
    } else {
        known
    })
}

/// The same of one of several that is compared nobody knows how often.
pub fn equal_of_many(host: &mut dyn Host, element: &V, x: &V) -> R<Option<bool>> {
    let known =
        host.often(&[element.clone(), x.clone()], &mut |host| Ok(equal(host, element, x)?.map_or(V::AnyBool(Why::Lost), V::Bool)))?;
    Ok(if let V::Bool(known) = known { Some(known) } else { None })
}

fn holds_nan(v: &V) -> bool {
    match v {
        V::Float(f) => f.is_nan(),
        V::Floats(f) => f.0.nan,
        V::Tuple(t) => match &**t {
            Tuple::Exact(items) => items.iter().any(holds_nan),
            Tuple::Bag { element, .. } => holds_nan(element),
        },
        _ => false,
    }
}

/// Joins several values; none when there are none.
pub fn join_all(host: &mut dyn Host, values: &[V]) -> Option<V> {
    let mut escapes = Vec::new();
    let joined = join_many(values, &mut escapes);
    host.store().escape_all(&escapes);
    joined
}

/// What any of the items may be.
pub fn element(host: &mut dyn Host, items: &Items) -> Option<V> {
    let mut all = items.exact.clone();
    all.extend(items.rest.iter().filter(|r| r.high > 0).map(|r| r.element.clone()));
    join_all(host, &all)
}

/// Items of which only one bound and a number are known.
pub fn bag(element: Option<V>, low: u64, high: u64) -> Items {
    match element {
        Some(element) if high > 0 => Items { exact: Vec::new(), rest: Some(Rest { element, value: V::None, low, high }) },
        _ => Items::default(),
    }
}

/// The items in any order.
pub fn shuffled(host: &mut dyn Host, items: &Items) -> Items {
    let (low, high) = super::count(items);
    bag(element(host, items), low, high)
}

/// Adds an item at the end.
pub fn push(items: &mut Items, value: V, escapes: &mut Vec<V>) {
    if items.rest.is_none() && items.exact.len() < MAX_EXACT_ITEMS {
        items.exact.push(value);
    } else {
        items.rest = crate::value::store::extend_rest(items.rest.as_ref(), &[(value, V::None)], escapes);
    }
}

/// Adds items at the end.
pub fn concat(items: &mut Items, more: &Items, escapes: &mut Vec<V>) {
    if items.rest.is_none() && items.exact.len() + more.exact.len() <= MAX_EXACT_ITEMS {
        items.exact.extend(more.exact.iter().cloned());
    } else {
        for v in &more.exact {
            push(items, v.clone(), escapes);
        }
    }
    if let Some(r) = &more.rest {
        items.rest = Some(match items.rest.take() {
            None => r.clone(),
            Some(mine) => Rest {
                element: join(&mine.element, &r.element, false, escapes),
                value: V::None,
                low: mine.low.saturating_add(r.low),
                high: mine.high.saturating_add(r.high),
            },
        });
    }
}

/// Adds an entry to a dict or set: in place where its key is known and there is no rest it could be hidden in.
pub fn table_add(table: &mut Table, known: Option<Key>, key: &V, value: V, escapes: &mut Vec<V>) {
    if let Some(known) = known {
        if let Some(slot) = table.exact.get_mut(&known) {
            slot.1 = value;
            return;
        }
        if table.rest.is_none() && table.exact.len() < MAX_EXACT_ITEMS {
            table.exact.insert(known, (key.clone(), value));
            return;
        }
    } else {
        for (_, v) in table.exact.values_mut() {
            *v = join(v, &value, false, escapes);
        }
    }
    let first = u64::from(table.exact.is_empty());
    table.rest = Some(match table.rest.take() {
        None => Rest { element: key.clone(), value, low: first, high: 1 },
        Some(r) => Rest {
            element: join(&r.element, key, false, escapes),
            value: join(&r.value, &value, false, escapes),
            low: r.low.max(first),
            high: r.high.saturating_add(1),
        },
    });
}

/// Adds entries of which only bounds are known.
pub fn table_add_rest(table: &mut Table, rest: &Rest, escapes: &mut Vec<V>) {
    if rest.high == 0 {
        return;
    }
    for (_, v) in table.exact.values_mut() {
        *v = join(v, &rest.value, false, escapes);
    }
    let first = u64::from(table.exact.is_empty() && rest.low > 0);
    table.rest = Some(match table.rest.take() {
        None => Rest { low: first, ..rest.clone() },
        Some(r) => Rest {
            element: join(&r.element, &rest.element, false, escapes),
            value: join(&r.value, &rest.value, false, escapes),
            low: r.low.max(first),
            high: r.high.saturating_add(rest.high),
        },
    });
}

/// The table with any number of its entries removed.
pub fn loosened(table: &Table, escapes: &mut Vec<V>) -> Table {
    let pairs: Vec<(V, V)> = table.exact.values().cloned().collect();
    let rest = crate::value::store::extend_rest(table.rest.as_ref(), &pairs, escapes).map(|r| Rest { low: 0, ..r });
    Table { exact: indexmap::IndexMap::default(), rest }
}

/// The least and greatest number of entries. There are no more of them than there are different keys.
pub fn table_count(table: &Table) -> (u64, u64) {
    let n = table.exact.len() as u64;
    let most = |r: &Rest| n.saturating_add(r.high.min(r.element.distinct()));
    table.rest.as_ref().map_or((n, n), |r| (n.saturating_add(r.low), most(r)))
}

/// A set of items taken out of an iterable.
pub fn set_of(host: &mut dyn Host, items: &Items) -> R<Table> {
    let mut table = Table::default();
    let mut escapes = Vec::new();
    for v in &items.exact {
        let key = host.key(v)?;
        table_add(&mut table, key, v, V::None, &mut escapes);
    }
    if let Some(rest) = &items.rest {
        if rest.high > 0 {
            host.key(&rest.element)?;
        }
        let rest = Rest { value: V::None, ..rest.clone() };
        table_add_rest(&mut table, &rest, &mut escapes);
    }
    host.store().escape_all(&escapes);
    Ok(table)
}

/// The list behind a value.
pub fn list_items(host: &mut dyn Host, value: &V) -> Option<(ObjId, Rc<Items>)> {
    let V::Ref(id) = value else { return None };
    match host.store().get(*id) {
        Obj::List(items) | Obj::Deque(items, _) => Some((*id, items.clone())),
        _ => None,
    }
}

/// The dict or set behind a value.
pub fn table(host: &mut dyn Host, value: &V) -> Option<(ObjId, Rc<Table>)> {
    let V::Ref(id) = value else { return None };
    match host.store().get(*id) {
        Obj::Dict(table, _) | Obj::Set(table, _) => Some((*id, table.clone())),
        _ => None,
    }
}

/// Replaces what a list holds.
pub fn set_list(host: &mut dyn Host, id: ObjId, new: Items) {
    host.store().mutate(id, true, |obj| {
        if let Obj::List(items) | Obj::Deque(items, _) = obj {
            *items = Rc::new(new);
        }
    });
}

/// Replaces what a dict or set holds.
pub fn set_table(host: &mut dyn Host, id: ObjId, new: Table) {
    host.store().mutate(id, true, |obj| {
        if let Obj::Dict(table, _) | Obj::Set(table, _) = obj {
            *table = Rc::new(new);
        }
    });
}

/// How an iterable is consumed, one item after the other.
pub struct Consumer<'a> {
    /// What consumes it.
    pub callee: &'a str,
    /// The least time an item takes.
    pub floor: Floor,
    /// Bytes that are certainly kept for each item.
    pub keeps: u64,
    /// Whether items are kept at all, so that without an end the memory runs out.
    pub collects: bool,
    /// Whether an item (one value that bounds all of them) is certainly consumed, and more are asked for.
    pub goes_on: &'a mut dyn FnMut(&mut dyn Host, &V) -> R<bool>,
}

/// So many items are counted as consumed before it is known that none of them raises.
const FEW_ITEMS: u64 = 1024;

/// Takes all of an iterable that is consumed to its end.
pub fn consume(host: &mut dyn Host, iterable: &V, by: Consumer) -> R<Items> {
    // What is passed over takes time as well; that counts where nothing on the way can raise.
    let steps = host.steps(iterable);
    let passed = host.passing(iterable);
    let begun = host.store().path.cost;
    let foreseen = if steps < u64::MAX && passed > host.limits().timeout / 2.0 { host.foresee(iterable)? } else { None };
    let Taken { items, endless } = host.take(iterable)?;
    if endless {
        let any = element(host, &items).unwrap_or(V::None);
        if host.certainly(&mut |host| (by.goes_on)(host, &any))? {
            return Err(host.never_returns(iterable, by.callee, by.collects));
        }
        // It may stop at an item, or at an exception.
        host.may_raise("");
        return Ok(bag(Some(any), 0, u64::MAX));
    }
    let (low, high) = super::count(&items);
    // An item that the consumer cannot take ends it there. Of few items that costs less than it takes to find out.
    if low > FEW_ITEMS {
        let any = element(host, &items).unwrap_or(V::None);
        if !host.certainly(&mut |host| (by.goes_on)(host, &any))? {
            host.burn(items.exact.len() as u64 / 16)?;
            return Ok(items);
        }
    }
    // Where the memory ends first, the time to the last item is never spent.
    if by.keeps > 0 && allocates(host, FactKind::Materialisation, by.callee, low.saturating_mul(by.keeps), high.saturating_mul(by.keeps)) {
        host.burn(items.exact.len() as u64 / 16)?;
        return Ok(items);
    }
    let passes = matches!(foreseen, Some(Taken { endless: false, .. }))
        && (low > FEW_ITEMS || {
            let any = element(host, &items).unwrap_or(V::None);
            host.certainly(&mut |host| (by.goes_on)(host, &any))?
        });
    // Some of that time may have been counted on the way.
    let left = if passes { passed - (host.store().path.cost - begun) } else { 0.0 };
    host.spend(by.floor.times(low as f64).max(left), by.callee, iterable);
    host.burn(items.exact.len() as u64 / 16)?;
    Ok(items)
}

/// Takes all of an iterable whose items the function called `callee` keeps in a list, a tuple or the like.
pub fn collect(host: &mut dyn Host, iterable: &V, callee: &str, floor: Floor) -> R<Items> {
    consume(host, iterable, Consumer { callee, floor, keeps: POINTER, collects: true, goes_on: &mut |_, _| Ok(true) })
}

/// Takes all of an iterable whose items the function called `callee` puts into a set or the keys of a dict.
pub fn collect_keys(host: &mut dyn Host, iterable: &V, callee: &str) -> R<Items> {
    let mut hashed = |host: &mut dyn Host, v: &V| {
        if is_plain(v) {
            return Ok(true);
        }
        host.key(v)?;
        Ok(true)
    };
    // Equal items are kept once: their number says something of the memory only where they differ.
    let keeps = if matches!(iterable, V::Range(_)) { ENTRY } else { 0 };
    consume(host, iterable, Consumer { callee, floor: crate::value::cost::C_ITERATION, keeps, collects: true, goes_on: &mut hashed })
}

/// Takes all of an iterable that the function called `callee` consumes in a way that is not looked into: where it has no end,
/// nothing is claimed.
pub fn take_all(host: &mut dyn Host, iterable: &V, callee: &str, floor: Floor) -> R<Items> {
    consume(host, iterable, Consumer { callee, floor, keeps: 0, collects: false, goes_on: &mut |_, _| Ok(false) })
}

/// Something of so many bytes is allocated at once: reported when even the least of it exceeds the memory limit. Says whether.
pub fn allocates(host: &mut dyn Host, kind: FactKind, callee: &str, low: u64, high: u64) -> bool {
    if low as f64 <= host.limits().memory as f64 {
        return false;
    }
    let measure = Measure { unit: Unit::Bytes, low: low as f64, high: if high == u64::MAX { f64::INFINITY } else { high as f64 } };
    let words =
        [("op", callee.to_owned()), ("callee", callee.to_owned()), ("expression", format!("{callee}(…)")), ("bytes", low.to_string())];
    let survives = host.is_handled("MemoryError");
    host.fact(kind, Some(measure), if survives { Proof::Likely } else { Proof::Proven }, &words);
    if survives {
        host.may_raise("MemoryError");
    }
    true
}

/// How often what a growing list holds is added up: each time so many items have come.
const ADDED_UP: usize = 1024;

/// A list has grown by an item. Where the lists and strings it holds are over the memory limit together, that is reported.
pub fn hoards(host: &mut dyn Host, kind: FactKind, callee: &str, list: ObjId) {
    let (Obj::List(items) | Obj::Deque(items, _)) = host.store().get(list) else { return };
    if items.exact.is_empty() || items.exact.len() % ADDED_UP != 0 || items.rest.is_some() {
        return;
    }
    let items = items.clone();
    let mut seen = std::collections::HashSet::new();
    let mut bytes = POINTER.saturating_mul(items.exact.len() as u64);
    for item in &items.exact {
        let V::Ref(id) = item else { continue };
        if host.store().is_summary(*id) || !seen.insert(*id) {
            continue;
        }
        bytes = bytes.saturating_add(match host.store().get(*id) {
            Obj::List(inner) => super::count(inner).0.saturating_mul(POINTER),
            Obj::ByteArray(text) => text.low,
            _ => 0,
        });
    }
    allocates(host, kind, callee, bytes, u64::MAX);
}

/// An iterator on the heap.
pub fn iterator(host: &mut dyn Host, kind: crate::value::object::IterKind, parts: Vec<V>) -> V {
    host.alloc(Obj::Iter(crate::value::object::Iter { kind, parts }))
}

/// Whether the class of an instance may have behaviour nobody sees.
pub fn open_instance(host: &mut dyn Host, value: &V) -> bool {
    let V::Ref(id) = value else { return true };
    let Obj::Instance { class: V::Ref(class), .. } = host.store().get(*id) else { return true };
    let class = *class;
    match host.store().get(class) {
        Obj::Class(c) => c.open,
        _ => true,
    }
}

/// Whether the value is an instance of a class of the program.
pub fn is_instance_object(host: &mut dyn Host, value: &V) -> bool {
    matches!(value, V::Ref(id) if matches!(host.store().get(*id), Obj::Instance { .. }))
}

/// The special method of an instance's class, found through its bases.
pub fn dunder(host: &mut dyn Host, value: &V, name: &str) -> Option<V> {
    let V::Ref(id) = value else { return None };
    let Obj::Instance { class: V::Ref(class), .. } = host.store().get(*id) else { return None };
    let class = *class;
    let Obj::Class(c) = host.store().get(class).clone() else { return None };
    let find = |c: &crate::value::object::Class| {
        c.attrs.iter().find(|(n, v)| &*n.text() == name && !matches!(v, V::Undef)).map(|(_, v)| v.clone())
    };
    find(&c).or_else(|| {
        c.mro.iter().find_map(|base| {
            let V::Ref(base) = base else { return None };
            match host.store().get(*base) {
                Obj::Class(c) => find(c),
                _ => None,
            }
        })
    })
}

/// A bool of which nothing is known.
pub fn any_bool(values: &[&V]) -> V {
    V::AnyBool(why_of(values))
}

/// Why a result that depends on these is not exact.
pub fn why_of(values: &[&V]) -> Why {
    super::why(values)
}

/// The int bounds as sizes: from 0 on, saturating.
pub fn size(int: &Int) -> (u64, u64) {
    let low = int.low.clamp(0, i128::from(u64::MAX)) as u64;
    let high = int.upper().map_or(u64::MAX, |n| n.clamp(0, i128::from(u64::MAX)) as u64);
    (low, high)
}

/// An int between sizes.
pub fn size_value(low: u64, high: u64, why: Why) -> V {
    V::int(Int::range(i128::from(low), if high == u64::MAX { i128::MAX } else { i128::from(high) }), why)
}
