//! Builtins that make containers and iterators.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::common::{
    Consumer, SIZE_LIMIT, allocates, bag, bind, collect, collect_keys, consume, element, index, index_or, iterator, kind, loosened, set_of,
    size, table_add, table_add_rest, take_all, type_error, unknown, why_of, with, wrong,
};
use crate::library::{Args, Entry, Host, Next, R, count, list_of};
use crate::value::cost;
use crate::value::int::Int;
use crate::value::object::{DictKind, Items, IterKind, MAX_EXACT_TEXT, Obj, Rest, Sym, Table, Text, Tuple, V, Why};

/// The entry for a name.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "list" => Entry::Type(list),
        "tuple" => Entry::Type(tuple),
        "set" => Entry::Type(set),
        "frozenset" => Entry::Type(frozenset),
        "dict" => Entry::Type(dict),
        "bytes" => Entry::Type(bytes),
        "bytearray" => Entry::Type(bytearray),
        "memoryview" => Entry::Type(memoryview),
        "range" => Entry::Type(range),
        "slice" => Entry::Type(slice),
        "enumerate" => Entry::Type(enumerate),
        "zip" => Entry::Type(zip),
        "map" => Entry::Type(map),
        "filter" => Entry::Type(filter),
        "reversed" => Entry::Type(reversed),
        "iter" => Entry::Function(iter),
        "next" => Entry::Function(next),
        "len" => Entry::Function(len),
        _ => return None,
    })
}

/// A list of this many items or more cannot be made: the length of a range that does not fit raises at once.
fn refuses_length(host: &mut dyn Host, iterable: &V) -> R<()> {
    if matches!(iterable, V::Range(_)) {
        host.length(iterable)?;
    }
    Ok(())
}

fn list(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 0, 1, &|host, [x]| {
        if matches!(x, V::Undef) {
            return Ok(list_of(host, Items::default()));
        }
        refuses_length(host, &x)?;
        let floor = if matches!(x, V::Range(_)) { cost::LIST_RANGE_ITEM } else { cost::LIST_COPY_ITEM };
        let items = collect(host, &x, "list", floor)?;
        Ok(list_of(host, items))
    })
}

fn tuple(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 0, 1, &|host, [x]| match &x {
        V::Undef => Ok(V::tuple(Vec::new())),
        V::Tuple(_) => Ok(x.clone()),
        _ => {
            refuses_length(host, &x)?;
            let items = collect(host, &x, "tuple", cost::LIST_COPY_ITEM)?;
            Ok(tuple_of(host, items))
        }
    })
}

/// A tuple of items.
pub fn tuple_of(host: &mut dyn Host, items: Items) -> V {
    if items.rest.is_none() && !items.exact.iter().any(V::is_deep) && items.exact.len() <= 4096 {
        return V::tuple(items.exact);
    }
    let (low, high) = count(&items);
    match element(host, &items) {
        Some(e) if !e.is_deep() => V::tuple_bag(e, low, high),
        Some(e) => {
            host.store().escape(&e);
            V::tuple_bag(V::Unknown(Why::Lost), low, high)
        }
        None => V::tuple(Vec::new()),
    }
}

fn set_with(host: &mut dyn Host, args: &Args, frozen: bool) -> R<V> {
    with(host, args, [""], 0, 1, &|host, [x]| {
        let table = if matches!(x, V::Undef) {
            Table::default()
        } else {
            refuses_length(host, &x)?;
            let items = collect_keys(host, &x, if frozen { "frozenset" } else { "set" })?;
            set_of(host, &items)?
        };
        Ok(host.alloc(Obj::Set(Rc::new(table), frozen)))
    })
}

fn set(host: &mut dyn Host, args: Args) -> R<V> {
    set_with(host, &args, false)
}

fn frozenset(host: &mut dyn Host, args: Args) -> R<V> {
    set_with(host, &args, true)
}

/// Adds what `dict(x)` and `d.update(x)` take from a mapping or an iterable of pairs.
pub fn add_entries(host: &mut dyn Host, table: &mut Table, from: &V) -> R<()> {
    let mut escapes = Vec::new();
    if let V::Ref(id) = from
        && let Obj::Dict(other, _) = host.store().get(*id).clone()
    {
        for (key, (k, v)) in &other.exact {
            table_add(table, Some(key.clone()), k, v.clone(), &mut escapes);
        }
        if let Some(rest) = &other.rest {
            table_add_rest(table, rest, &mut escapes);
        }
        host.burn(other.exact.len() as u64 / 16)?;
        host.store().escape_all(&escapes);
        return Ok(());
    }
    if kind(host, from).is_none() && !matches!(from, V::OneOf(_)) {
        let why = from.why().unwrap_or(Why::Lost);
        unknown(host, std::slice::from_ref(from));
        let rest = Rest { element: V::Unknown(why), value: V::Unknown(why), low: 0, high: u64::MAX };
        table_add_rest(table, &rest, &mut escapes);
        host.store().escape_all(&escapes);
        return Ok(());
    }
    let mut entries = |host: &mut dyn Host, pair: &V| {
        let (k, _) = pair_of(host, pair)?;
        host.key(&k)?;
        Ok(true)
    };
    let by = Consumer { callee: "dict", floor: cost::C_ITERATION, keeps: 0, collects: true, goes_on: &mut entries };
    let items = consume(host, from, by)?;
    for pair in &items.exact {
        let (k, v) = pair_of(host, pair)?;
        let key = host.key(&k)?;
        table_add(table, key, &k, v, &mut escapes);
    }
    if let Some(rest) = &items.rest
        && rest.high > 0
    {
        if rest.low == 0 {
            host.may_raise("ValueError");
        }
        let (k, v) = pair_of(host, &rest.element)?;
        host.key(&k)?;
        let rest = Rest { element: k, value: v, low: rest.low, high: rest.high };
        table_add_rest(table, &rest, &mut escapes);
    }
    host.store().escape_all(&escapes);
    Ok(())
}

/// The key and value of one item of an iterable of pairs.
fn pair_of(host: &mut dyn Host, pair: &V) -> R<(V, V)> {
    if let V::Tuple(t) = pair
        && let Tuple::Exact(items) = &**t
        && let [k, v] = items.as_slice()
    {
        return Ok((k.clone(), v.clone()));
    }
    if matches!(pair, V::OneOf(_) | V::Unknown(_) | V::Instance(..)) {
        let why = pair.why().unwrap_or(Why::Lost);
        unknown(host, std::slice::from_ref(pair));
        return Ok((V::Unknown(why), V::Unknown(why)));
    }
    let items = take_all(host, pair, "dict", cost::C_ITERATION)?;
    match (items.exact.as_slice(), &items.rest) {
        ([k, v], None) => Ok((k.clone(), v.clone())),
        (_, None) => Err(host.raise("ValueError", "dictionary update sequence element has the wrong length")),
        _ => {
            host.may_raise("ValueError");
            let e = element(host, &items).unwrap_or(V::Unknown(Why::Lost));
            let at = |i: usize| items.exact.get(i).cloned().unwrap_or_else(|| e.clone());
            Ok((at(0), at(1)))
        }
    }
}

fn dict(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.len() > 1 {
        return type_error(host);
    }
    let mut table = Table::default();
    if let Some(from) = args.pos.first() {
        if let V::OneOf(all) = from {
            let all = all.clone();
            return host.each_of(&all, &mut |host, v| {
                let mut one = args.clone();
                one.pos[0] = v.clone();
                dict(host, one)
            });
        }
        add_entries(host, &mut table, from)?;
    }
    let mut escapes = Vec::new();
    for (name, value) in &args.kw {
        let key = V::str(&name.text());
        table_add(&mut table, crate::value::object::Key::of(&key), &key, value.clone(), &mut escapes);
    }
    host.store().escape_all(&escapes);
    Ok(host.alloc(Obj::Dict(Rc::new(table), DictKind::Plain)))
}

/// What `bytes(…)` and `bytearray(…)` hold.
enum Raw {
    Exact(Vec<u8>),
    Bounds(Text),
    Anything,
}

fn raw(host: &mut dyn Host, callee: &str, x: &V, encoding: &V) -> R<Raw> {
    let bounds = |low, high, why| Ok(Raw::Bounds(Text::between(low, high, why)));
    if !matches!(encoding, V::Undef) {
        let encode = V::lib("str.encode");
        let v = host.call(&encode, Args::of([x.clone(), encoding.clone()]))?;
        return match v {
            V::Bytes(b) => Ok(Raw::Exact(b.to_vec())),
            V::ManyBytes(t) => Ok(Raw::Bounds(t)),
            _ => Ok(Raw::Anything),
        };
    }
    match x {
        V::Undef => return Ok(Raw::Exact(Vec::new())),
        V::Bytes(b) => return Ok(Raw::Exact(b.to_vec())),
        V::ManyBytes(t) => return Ok(Raw::Bounds(*t)),
        V::Str(_) | V::Strs(_) => return type_error(host),
        _ => {}
    }
    if let Some(n) = x.as_int() {
        if n.low >= SIZE_LIMIT {
            return Err(host.raise("OverflowError", "cannot fit 'int' into an index-sized integer"));
        }
        if n.upper().is_some_and(|n| n < 0) {
            return Err(host.raise("ValueError", "negative count"));
        }
        if n.may_be_negative() {
            host.may_raise("ValueError");
        }
        if n.upper().is_none_or(|n| n >= SIZE_LIMIT) {
            host.may_raise("OverflowError");
        }
        let (low, high) = size(&n);
        allocates(host, FactKind::Allocation, callee, low, high);
        if high > host.limits().memory {
            host.may_raise("MemoryError");
        }
        if low == high && low <= MAX_EXACT_TEXT as u64 {
            return Ok(Raw::Exact(vec![0; low as usize]));
        }
        host.cost(cost::BYTEARRAY_BYTE.times(low.min(1 << 40) as f64));
        return bounds(low, high, why_of(&[x]));
    }
    if let V::Ref(id) = x
        && let Obj::ByteArray(t) = host.store().get(*id)
    {
        return Ok(Raw::Bounds(*t));
    }
    if kind(host, x).is_none() {
        unknown(host, std::slice::from_ref(x));
        return Ok(Raw::Anything);
    }
    let mut byte = |host: &mut dyn Host, v: &V| Ok(index(host, v)?.is_some_and(|n| Int::range(0, 255).includes(&n)));
    let by = Consumer { callee, floor: cost::C_ITERATION, keeps: 1, collects: true, goes_on: &mut byte };
    let items = consume(host, x, by)?;
    let mut exact = Some(Vec::new());
    for v in items.exact.iter().chain(items.rest.iter().filter(|r| r.high > 0).map(|r| &r.element)) {
        match index(host, v)?.map(|n| (n.is_exact(), n)) {
            Some((Some(n), _)) => match u8::try_from(n) {
                Ok(b) => {
                    if let Some(e) = exact.as_mut() {
                        e.push(b);
                    }
                }
                Err(_) => {
                    if items.rest.is_some() {
                        host.may_raise("ValueError");
                    } else {
                        return Err(host.raise("ValueError", "bytes must be in range(0, 256)"));
                    }
                }
            },
            Some((None, n)) => {
                if !Int::range(0, 255).includes(&n) {
                    host.may_raise("ValueError");
                }
                exact = None;
            }
            None => exact = None,
        }
    }
    let (low, high) = count(&items);
    match exact {
        Some(exact) if items.rest.is_none() => Ok(Raw::Exact(exact)),
        _ => bounds(low, high, Why::Lost),
    }
}

fn bytes(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["source", "encoding", "errors"], 0, 1, &|host, [x, encoding, _]| {
        Ok(match raw(host, "bytes", &x, &encoding)? {
            Raw::Exact(b) => V::bytes(&b),
            Raw::Bounds(t) => V::ManyBytes(t),
            Raw::Anything => V::ManyBytes(Text::between(0, u64::MAX, why_of(&[&x]))),
        })
    })
}

fn bytearray(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["source", "encoding", "errors"], 0, 1, &|host, [x, encoding, _]| {
        let text = match raw(host, "bytearray", &x, &encoding)? {
            Raw::Exact(b) => Text::between(b.len() as u64, b.len() as u64, Why::Lost),
            Raw::Bounds(t) => t,
            Raw::Anything => Text::between(0, u64::MAX, why_of(&[&x])),
        };
        Ok(host.alloc(Obj::ByteArray(text)))
    })
}

fn memoryview(host: &mut dyn Host, args: Args) -> R<V> {
    host.store().escape_all(&args.values());
    host.may_raise("TypeError");
    Ok(V::Instance(Sym::new("memoryview"), Why::Lost))
}

fn range(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.kw.is_empty() {
        return type_error(host);
    }
    with(host, &args, ["", "", ""], 1, 3, &|host, [a, b, c]| {
        let mut parts = Vec::new();
        for v in [&a, &b, &c] {
            if matches!(v, V::Undef) {
                continue;
            }
            let n = index(host, v)?;
            parts.push(match n {
                Some(n) => V::int(n, why_of(&[v])),
                None => V::any_int(why_of(&[v])),
            });
        }
        let parts: [V; 3] = match parts.as_slice() {
            [stop] => [V::Int(0), stop.clone(), V::Int(1)],
            [start, stop] => [start.clone(), stop.clone(), V::Int(1)],
            [start, stop, step] => [start.clone(), stop.clone(), step.clone()],
            _ => return type_error(host),
        };
        match parts[2].as_int() {
            Some(step) if step.is_zero() => return Err(host.raise("ValueError", "range() arg 3 must not be zero")),
            Some(step) if step.may_be_zero() => host.may_raise("ValueError"),
            _ => {}
        }
        Ok(V::Range(Rc::new(parts)))
    })
}

fn slice(host: &mut dyn Host, args: Args) -> R<V> {
    let Some([a, b, c]) = bind(host, &args, ["", "", ""], 1)? else { return Ok(host.unknown_call(&args)) };
    let or_none = |v: V| if matches!(v, V::Undef) { V::None } else { v };
    Ok(host.store().slice(if matches!(b, V::Undef) { [V::None, a, V::None] } else { [a, b, or_none(c)] }))
}

fn enumerate(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["iterable", "start"], 1, 1, &|host, [x, start]| {
        let it = host.iterate(&x)?;
        let start = index_or(host, &start, 0)?.map_or(V::any_int(Why::OUTSIDE), |n| V::int(n, why_of(&[&start])));
        Ok(iterator(host, IterKind::Enumerate, vec![it, start]))
    })
}

fn zip(host: &mut dyn Host, args: Args) -> R<V> {
    let mut strict = false;
    for (name, value) in &args.kw {
        if &*name.text() != "strict" {
            return type_error(host);
        }
        // The keyword is new in 3.10.
        if host.target().0 < 10 {
            host.may_raise("TypeError");
        }
        strict |= !matches!(value, V::Bool(false));
    }
    if strict {
        return strict_zip(host, &args);
    }
    let mut parts = Vec::new();
    for v in &args.pos {
        parts.push(host.iterate(v)?);
    }
    Ok(iterator(host, IterKind::Zip, parts))
}

/// `zip(…, strict=True)` of containers of one known length is as without; otherwise it raises where the shortest ends.
fn strict_zip(host: &mut dyn Host, args: &Args) -> R<V> {
    let mut lengths = Vec::new();
    for v in &args.pos {
        let container = matches!(kind(host, v), Some("list" | "tuple" | "str" | "bytes" | "range" | "dict"));
        lengths.push(if container { host.length(v)?.exact_int() } else { None });
    }
    if lengths.iter().all(|n| n.is_some() && *n == lengths[0]) {
        let mut parts = Vec::new();
        for v in &args.pos {
            parts.push(host.iterate(v)?);
        }
        return Ok(iterator(host, IterKind::Zip, parts));
    }
    Ok(host.unknown_call(&Args::of(args.pos.iter().cloned())))
}

fn map(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.len() < 2 {
        return type_error(host);
    }
    if !args.kw.is_empty() {
        return Ok(host.unknown_call(&args));
    }
    let mut parts = vec![args.pos[0].clone()];
    for v in &args.pos[1..] {
        parts.push(host.iterate(v)?);
    }
    Ok(iterator(host, IterKind::Map, parts))
}

fn filter(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 0, &|host, [f, x]| {
        let it = host.iterate(&x)?;
        Ok(iterator(host, IterKind::Filter, vec![f, it]))
    })
}

fn reversed(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [x]| {
        if let V::Range(parts) = &x
            && let (Some(start), Some(stop), Some(step)) = (parts[0].exact_int(), parts[1].exact_int(), parts[2].exact_int())
            && step != 0
        {
            let span = if step > 0 { stop.saturating_sub(start) } else { start.saturating_sub(stop) };
            let n = if span <= 0 { 0 } else { (span - 1) / step.abs() + 1 };
            let last = start.saturating_add(step.saturating_mul(n - 1));
            return Ok(iterator(
                host,
                IterKind::Range,
                vec![V::Int(last), V::Int(start.saturating_sub(step)), V::Int(step.saturating_neg())],
            ));
        }
        match kind(host, &x) {
            Some("list" | "tuple" | "str" | "bytes" | "range" | "deque") => {
                let length = host.length(&x)?;
                let last = length.as_int().map_or(V::any_int(Why::Lost), |n| V::int(n.sub(&Int::ONE), Why::Lost));
                Ok(iterator(host, IterKind::Reversed, vec![x, last]))
            }
            Some("dict") => {
                let mut items = host.take(&x)?.items;
                if items.rest.is_none() {
                    items.exact.reverse();
                } else {
                    let (low, high) = count(&items);
                    items = bag(element(host, &items), low, high);
                }
                let keys = list_of(host, items);
                host.iterate(&keys)
            }
            _ => wrong(host, &x, std::slice::from_ref(&x)),
        }
    })
}

fn iter(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 1, 0, &|host, [x, sentinel]| {
        if matches!(sentinel, V::Undef) {
            return host.iterate(&x);
        }
        Ok(iterator(host, IterKind::Callable, vec![x, sentinel, V::Bool(false)]))
    })
}

/// `next(iterator)`; also `iterator.__next__` and `generator.__next__`.
pub fn next(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 1, 0, &|host, [x, default]| {
        let missing = matches!(default, V::Undef);
        match host.next(&x)? {
            Next::Item(v) => Ok(v),
            Next::Maybe(v) if missing => {
                host.may_raise("StopIteration");
                Ok(v)
            }
            Next::Maybe(v) => Ok(host.join(&v, &default)),
            Next::End if missing => Err(host.raise("StopIteration", "")),
            Next::End => Ok(default),
        }
    })
}

fn len(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [x]| host.length(&x))
}

/// A table of which any entry may be gone.
pub fn loose(host: &mut dyn Host, table: &Table) -> Table {
    let mut escapes = Vec::new();
    let table = loosened(table, &mut escapes);
    host.store().escape_all(&escapes);
    table
}
