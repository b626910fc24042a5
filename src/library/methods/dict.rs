//! Methods of dict, and of defaultdict and Counter where they differ.

use std::rc::Rc;

use crate::library::builtins::containers::{add_entries, loose};
use crate::library::common::{collect_keys, join_all, set_table, table, table_add, table_add_rest, table_count, unknown, with, wrong};
use crate::library::{Args, Entry, Host, R, list_of};
use crate::value::object::{DictKind, Items, IterKind, Key, Obj, ObjId, Rest, Table, V, Why};

/// The entry for a method of dict.
pub fn find(method: &str) -> Option<Entry> {
    Some(Entry::Function(match method {
        "get" => get,
        "keys" => keys,
        "values" => values,
        "items" => items,
        "pop" => pop,
        "popitem" => popitem,
        "setdefault" => setdefault,
        "update" => update,
        "clear" => clear,
        "copy" => copy,
        "fromkeys" => fromkeys,
        _ => return None,
    }))
}

/// What these do otherwise than a dict; what has no model here takes everything with it.
pub fn find_special(owner: &str, method: &str) -> Option<Entry> {
    Some(Entry::Function(match (owner, method) {
        ("collections.Counter", "most_common") => most_common,
        ("collections.Counter", "update" | "subtract" | "elements" | "total" | "fromkeys") => counter_unknown,
        ("collections.Counter" | "collections.defaultdict" | "collections.OrderedDict", "copy") => copy,
        ("collections.OrderedDict", "popitem") => ordered_popitem,
        ("collections.OrderedDict", "move_to_end") => move_to_end,
        _ => return None,
    }))
}

/// The entries of a counter by their counts, the greatest first; equal ones in the order in which they came.
fn most_common(host: &mut dyn Host, args: Args) -> R<V> {
    let table = args.pos.first().and_then(|d| is_dict(host, d)).map(|(_, table)| table);
    let n = match (args.pos.as_slice(), args.kw.as_slice()) {
        ([_], []) => Some(V::None),
        ([_, n], []) => Some(n.clone()),
        ([_], [(name, n)]) if &*name.text() == "n" => Some(n.clone()),
        _ => None,
    };
    let most = match n {
        Some(V::None) => Some(usize::MAX),
        Some(V::Int(n)) => Some(usize::try_from(n).unwrap_or(if n < 0 { 0 } else { usize::MAX })),
        _ => None,
    };
    let (Some(table), Some(most)) = (table, most) else { return Ok(host.unknown_call(&args)) };
    let counted = |(k, v): &(V, V)| if let V::Int(n) = v { Some((k.clone(), *n)) } else { None };
    let Some(mut counts) = table.exact.values().map(counted).collect::<Option<Vec<_>>>().filter(|_| table.rest.is_none()) else {
        return Ok(host.unknown_call(&args));
    };
    host.burn(counts.len() as u64)?;
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let pairs = counts.into_iter().take(most).map(|(k, n)| V::tuple(vec![k, V::Int(n)])).collect();
    Ok(list_of(host, Items { exact: pairs, rest: None }))
}

/// The counts afterwards are not followed.
fn counter_unknown(host: &mut dyn Host, args: Args) -> R<V> {
    Ok(host.unknown_call(&args))
}

fn is_dict(host: &mut dyn Host, v: &V) -> Option<(ObjId, Rc<Table>)> {
    match v {
        V::Ref(id) if matches!(host.store().get(*id), Obj::Dict(..)) => table(host, v),
        _ => None,
    }
}

/// What a key may lead to: certainly this, or perhaps one of these.
fn look_up(host: &mut dyn Host, table: &Table, key: Option<&Key>) -> (Option<V>, bool) {
    if let Some(key) = key {
        if let Some((_, v)) = table.exact.get(key) {
            return (Some(v.clone()), true);
        }
        return (table.rest.as_ref().filter(|r| r.high > 0).map(|r| r.value.clone()), false);
    }
    let mut all: Vec<V> = table.exact.values().map(|(_, v)| v.clone()).collect();
    all.extend(table.rest.iter().filter(|r| r.high > 0).map(|r| r.value.clone()));
    (join_all(host, &all), false)
}

fn get(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "", ""], 2, 2, &|host, [d, k, default]| {
        let default = if matches!(default, V::Undef) { V::None } else { default };
        let Some((_, table)) = is_dict(host, &d) else { return wrong(host, &d.clone(), &[d, k, default]) };
        if !k.is_exact()
            && let Some(held) = table.all_held(&k)
            && let Some(one_of_them) = join_all(host, &held)
        {
            return Ok(one_of_them);
        }
        let key = host.key(&k)?;
        Ok(match look_up(host, &table, key.as_ref()) {
            (Some(v), true) => v,
            (Some(v), false) => host.join(&v, &default),
            (None, _) => default,
        })
    })
}

fn view(host: &mut dyn Host, args: &Args, kind: IterKind) -> R<V> {
    with(host, args, [""], 1, 1, &|host, [d]| {
        if is_dict(host, &d).is_none() {
            return wrong(host, &d.clone(), &[d]);
        }
        Ok(host.alloc(Obj::View { of: d, kind }))
    })
}

fn keys(host: &mut dyn Host, args: Args) -> R<V> {
    view(host, &args, IterKind::Keys)
}

fn values(host: &mut dyn Host, args: Args) -> R<V> {
    view(host, &args, IterKind::Values)
}

fn items(host: &mut dyn Host, args: Args) -> R<V> {
    view(host, &args, IterKind::Items)
}

/// Changes the entries of a dict or set in place, without copying what is not shared.
pub fn change(host: &mut dyn Host, id: ObjId, change: impl FnOnce(&mut Table, &mut Vec<V>)) {
    let mut escapes = Vec::new();
    host.store().mutate(id, true, |obj| {
        if let Obj::Dict(table, _) | Obj::Set(table, _) = obj {
            change(Rc::make_mut(table), &mut escapes);
        }
    });
    host.store().escape_all(&escapes);
}

/// The table with at most one of its entries, nobody knows which, removed.
pub fn one_fewer(host: &mut dyn Host, table: &Table, certain: bool) -> Table {
    let (low, high) = table_count(table);
    let mut loose = loose(host, table);
    if let Some(r) = loose.rest.as_mut() {
        // With a rest, entries may be counted twice: then nothing is known from below.
        r.low = if table.rest.is_none() { low.saturating_sub(1) } else { 0 };
        r.high = if certain && high != u64::MAX { high.saturating_sub(1) } else { high };
        if r.high == 0 {
            loose.rest = None;
        }
    }
    loose
}

fn pop(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "", ""], 2, 2, &|host, [d, k, default]| {
        let Some((id, table)) = is_dict(host, &d) else { return wrong(host, &d.clone(), &[d, k, default]) };
        let key = host.key(&k)?;
        let missing = matches!(default, V::Undef);
        match look_up(host, &table, key.as_ref()) {
            (Some(v), true) => {
                drop(table);
                host.burn(1)?;
                change(host, id, |table, _| {
                    if let Some(key) = key {
                        table.exact.shift_remove(&key);
                    }
                });
                Ok(v)
            }
            (Some(v), false) => {
                if missing {
                    host.may_raise("KeyError");
                }
                if key.is_some() {
                    change(host, id, |table, _| {
                        if let Some(r) = table.rest.as_mut() {
                            r.low = r.low.saturating_sub(1);
                        }
                    });
                } else {
                    let fewer = one_fewer(host, &table, missing);
                    set_table(host, id, fewer);
                }
                Ok(if missing { v } else { host.join(&v, &default) })
            }
            (None, _) if missing => Err(host.raise("KeyError", "")),
            (None, _) => Ok(default),
        }
    })
}

fn popitem(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "last"], 1, 1, &|host, [d, last]| {
        let Some((id, table)) = is_dict(host, &d) else { return wrong(host, &d.clone(), &[d]) };
        if !matches!(last, V::Undef) {
            return Ok(unknown(host, &[d]));
        }
        if table.rest.as_ref().is_some_and(|r| r.high > 0) {
            if table_count(&table).0 == 0 {
                host.may_raise("KeyError");
            }
            let mut all: Vec<(V, V)> = table.exact.values().cloned().collect();
            all.extend(table.rest.iter().map(|r| (r.element.clone(), r.value.clone())));
            let k = join_all(host, &all.iter().map(|e| e.0.clone()).collect::<Vec<_>>());
            let v = join_all(host, &all.iter().map(|e| e.1.clone()).collect::<Vec<_>>());
            let fewer = one_fewer(host, &table, true);
            set_table(host, id, fewer);
            return Ok(V::tuple(vec![k.unwrap_or(V::Unknown(Why::Lost)), v.unwrap_or(V::Unknown(Why::Lost))]));
        }
        let Some((_, (k, v))) = table.exact.last() else { return Err(host.raise("KeyError", "popitem(): dictionary is empty")) };
        let pair = V::tuple(vec![k.clone(), v.clone()]);
        drop(table);
        change(host, id, |table, _| {
            table.exact.pop();
        });
        Ok(pair)
    })
}

/// Whether it is the last entry that is meant, where that is known.
fn is_last(host: &mut dyn Host, last: &V) -> R<Option<bool>> {
    if matches!(last, V::Undef) { Ok(Some(true)) } else { host.truth(last) }
}

fn ordered_popitem(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "last"], 1, 1, &|host, [d, last]| {
        if is_last(host, &last)? == Some(true) {
            return popitem(host, Args::of([d]));
        }
        let Some((id, table)) = is_dict(host, &d) else { return wrong(host, &d.clone(), &[d, last]) };
        if table.rest.is_some() || is_last(host, &last)?.is_none() {
            return Ok(unknown(host, &[d]));
        }
        let Some((_, (k, v))) = table.exact.first() else { return Err(host.raise("KeyError", "dictionary is empty")) };
        let pair = V::tuple(vec![k.clone(), v.clone()]);
        host.burn(table.exact.len() as u64 / 16)?;
        drop(table);
        change(host, id, |table, _| {
            table.exact.shift_remove_index(0);
        });
        Ok(pair)
    })
}

fn move_to_end(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "key", "last"], 2, 2, &|host, [d, key, last]| {
        let Some((id, table)) = is_dict(host, &d) else { return wrong(host, &d.clone(), &[d, key, last]) };
        let known = host.key(&key)?;
        let (Some(at), None, Some(last)) = (known, &table.rest, is_last(host, &last)?) else { return Ok(unknown(host, &[d, key])) };
        let Some(from) = table.exact.get_index_of(&at) else { return Err(host.raise("KeyError", "")) };
        let to = if last { table.exact.len() - 1 } else { 0 };
        host.burn(table.exact.len() as u64 / 16)?;
        drop(table);
        change(host, id, |table, _| table.exact.move_index(from, to));
        Ok(V::None)
    })
}

fn setdefault(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "", ""], 2, 1, &|host, [d, k, default]| {
        let default = if matches!(default, V::Undef) { V::None } else { default };
        let Some((id, table)) = is_dict(host, &d) else { return wrong(host, &d.clone(), &[d, k, default]) };
        let key = host.key(&k)?;
        let (found, sure) = look_up(host, &table, key.as_ref());
        drop(table);
        match found {
            Some(v) if sure => Ok(v),
            found => {
                let both = match found {
                    Some(v) => host.join(&v, &default),
                    None => default,
                };
                let value = both.clone();
                change(host, id, |table, escapes| table_add(table, key, &k, value, escapes));
                Ok(both)
            }
        }
    })
}

fn update(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(d) = args.pos.first().cloned() else { return Err(host.raise("TypeError", "")) };
    if let V::OneOf(all) = &d {
        return host.each_of(all, &mut |host, v| {
            let mut one = args.clone();
            one.pos[0] = v.clone();
            update(host, one)
        });
    }
    if args.pos.len() > 2 {
        return Err(host.raise("TypeError", ""));
    }
    let Some((id, table)) = is_dict(host, &d) else { return wrong(host, &d, &args.values()) };
    let before = table.clone();
    let mut new = (*table).clone();
    drop(table);
    let from = args.pos.get(1).cloned();
    if let Some(from) = &from {
        if let V::OneOf(_) = from {
            // One of several: what is taken is unknown, what is there may stay or be replaced.
            return Ok(unknown(host, &args.values()));
        }
        let simple = matches!(from, V::Ref(id) if matches!(host.store().get(*id), Obj::Dict(..)));
        if !simple {
            // Code of the program may run, and see entries added so far.
            let open = Rest { element: V::Unknown(Why::Lost), value: V::Unknown(Why::Lost), low: 0, high: u64::MAX };
            let mut seen = (*before).clone();
            let mut escapes = Vec::new();
            if !is_list_of_pairs(host, from) {
                table_add_rest(&mut seen, &open, &mut escapes);
                host.store().escape_all(&escapes);
                set_table(host, id, seen);
            }
        }
        add_entries(host, &mut new, from)?;
    }
    let mut escapes = Vec::new();
    for (name, value) in &args.kw {
        let key = V::str(&name.text());
        table_add(&mut new, Key::of(&key), &key, value.clone(), &mut escapes);
    }
    host.store().escape_all(&escapes);
    set_table(host, id, new);
    Ok(V::None)
}

/// A list or tuple of exact pairs runs no code of the program.
fn is_list_of_pairs(host: &mut dyn Host, from: &V) -> bool {
    matches!(crate::library::common::kind(host, from), Some("list" | "tuple"))
}

fn clear(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [d]| {
        let Some((id, _)) = is_dict(host, &d) else { return wrong(host, &d.clone(), &[d]) };
        set_table(host, id, Table::default());
        Ok(V::None)
    })
}

fn copy(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [d]| {
        if let V::Ref(id) = &d
            && let Obj::Dict(table, kind) = host.store().get(*id).clone()
        {
            host.burn(table.exact.len() as u64 / 64)?;
            return Ok(host.alloc(Obj::Dict(table, kind)));
        }
        wrong(host, &d.clone(), &[d])
    })
}

fn fromkeys(host: &mut dyn Host, args: Args) -> R<V> {
    // Called on a dict rather than on the type, the receiver comes first: then which is which is not known.
    if args.pos.len() > 1 && is_dict(host, &args.pos[0]).is_some() {
        return Ok(host.unknown_call(&args));
    }
    with(host, &args, ["", ""], 1, 1, &|host, [from, value]| {
        let value = if matches!(value, V::Undef) { V::None } else { value };
        if matches!(from, V::Range(_)) {
            host.length(&from)?;
        }
        let items = collect_keys(host, &from, "dict.fromkeys")?;
        let mut table = crate::library::common::set_of(host, &items)?;
        for (_, v) in table.exact.values_mut() {
            *v = value.clone();
        }
        if let Some(r) = table.rest.as_mut() {
            r.value = value;
        }
        Ok(host.alloc(Obj::Dict(Rc::new(table), DictKind::Plain)))
    })
}
