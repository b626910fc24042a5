//! Methods of set and frozenset.

use std::rc::Rc;

use crate::library::builtins::containers::loose;
use crate::library::common::{
    collect_keys, join_all, set_of, set_table, table, table_add, table_add_rest, table_count, type_error, with, wrong,
};
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, ObjId, Table, V, Why};

use super::dict::{change, one_fewer};

/// The entry for a method.
pub fn find(method: &str) -> Option<Entry> {
    Some(Entry::Function(match method {
        "add" => add,
        "discard" => |host, args| take_out(host, &args, false),
        "remove" => |host, args| take_out(host, &args, true),
        "pop" => pop,
        "clear" => clear,
        "copy" => copy,
        "union" => |host, args| combine(host, &args, Operation::Union, false),
        "intersection" => |host, args| combine(host, &args, Operation::Intersection, false),
        "difference" => |host, args| combine(host, &args, Operation::Difference, false),
        "symmetric_difference" => |host, args| combine(host, &args, Operation::Symmetric, false),
        "update" => |host, args| combine(host, &args, Operation::Union, true),
        "intersection_update" => |host, args| combine(host, &args, Operation::Intersection, true),
        "difference_update" => |host, args| combine(host, &args, Operation::Difference, true),
        "symmetric_difference_update" => |host, args| combine(host, &args, Operation::Symmetric, true),
        "issubset" => |host, args| relation(host, &args, Relation::Subset),
        "issuperset" => |host, args| relation(host, &args, Relation::Superset),
        "isdisjoint" => |host, args| relation(host, &args, Relation::Disjoint),
        _ => return None,
    }))
}

#[derive(Clone, Copy, PartialEq)]
enum Operation {
    Union,
    Intersection,
    Difference,
    Symmetric,
}

#[derive(Clone, Copy, PartialEq)]
enum Relation {
    Subset,
    Superset,
    Disjoint,
}

fn is_set(host: &mut dyn Host, v: &V) -> Option<(ObjId, Rc<Table>, bool)> {
    let V::Ref(id) = v else { return None };
    match host.store().get(*id) {
        Obj::Set(table, frozen) => Some((*id, table.clone(), *frozen)),
        _ => None,
    }
}

fn mutable(host: &mut dyn Host, v: &V) -> Option<ObjId> {
    match v {
        V::Ref(id) if matches!(host.store().get(*id), Obj::Set(_, false)) => Some(*id),
        _ => None,
    }
}

fn add(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 1, &|host, [set, x]| {
        let Some(id) = mutable(host, &set) else { return wrong(host, &set.clone(), &[set, x]) };
        let key = host.key(&x)?;
        change(host, id, |table, escapes| table_add(table, key, &x, V::None, escapes));
        Ok(V::None)
    })
}

fn take_out(host: &mut dyn Host, args: &Args, strict: bool) -> R<V> {
    with(host, args, ["", ""], 2, 2, &|host, [set, x]| {
        let Some(id) = mutable(host, &set) else { return wrong(host, &set.clone(), &[set, x]) };
        // A set is looked for by the frozenset it equals; nothing else unhashable can be in it.
        let key = host.key(&x)?;
        let Some((_, table, _)) = is_set(host, &set) else { return Ok(V::None) };
        match key {
            Some(key) if table.exact.contains_key(&key) => {
                drop(table);
                change(host, id, |table, _| {
                    table.exact.shift_remove(&key);
                });
            }
            _ if table_count(&table).1 == 0 || (key.is_some() && table.rest.is_none()) => {
                if strict {
                    return Err(host.raise("KeyError", ""));
                }
            }
            _ => {
                if strict {
                    host.may_raise("KeyError");
                }
                let fewer = one_fewer(host, &table, strict && table.rest.is_none());
                set_table(host, id, fewer);
            }
        }
        Ok(V::None)
    })
}

fn pop(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [set]| {
        let Some(id) = mutable(host, &set) else { return wrong(host, &set.clone(), &[set]) };
        let Some((_, table, _)) = is_set(host, &set) else { return Ok(V::None) };
        let (low, high) = table_count(&table);
        if high == 0 {
            return Err(host.raise("KeyError", "pop from an empty set"));
        }
        if low == 0 {
            host.may_raise("KeyError");
        }
        let mut all: Vec<V> = table.exact.values().map(|(k, _)| k.clone()).collect();
        all.extend(table.rest.iter().filter(|r| r.high > 0).map(|r| r.element.clone()));
        let value = join_all(host, &all);
        let fewer = one_fewer(host, &table, true);
        set_table(host, id, fewer);
        Ok(value.unwrap_or(V::Unknown(Why::Lost)))
    })
}

fn clear(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [set]| {
        let Some(id) = mutable(host, &set) else { return wrong(host, &set.clone(), &[set]) };
        set_table(host, id, Table::default());
        Ok(V::None)
    })
}

fn copy(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [set]| match is_set(host, &set) {
        Some((_, table, frozen)) => Ok(host.alloc(Obj::Set(table, frozen))),
        None => wrong(host, &set.clone(), &[set]),
    })
}

/// What another operand holds, as a set.
fn as_table(host: &mut dyn Host, v: &V) -> R<Table> {
    if let Some((_, table)) = table(host, v)
        && is_set(host, v).is_some()
    {
        return Ok((*table).clone());
    }
    let items = collect_keys(host, v, "set")?;
    set_of(host, &items)
}

fn combined(host: &mut dyn Host, a: &Table, b: &Table, operation: Operation) -> R<Table> {
    host.burn((a.exact.len() + b.exact.len()) as u64 / 8)?;
    let mut escapes = Vec::new();
    let known = a.rest.is_none() && b.rest.is_none();
    let mut out = a.clone();
    match operation {
        Operation::Union => {
            for (key, (k, _)) in &b.exact {
                table_add(&mut out, Some(key.clone()), k, V::None, &mut escapes);
            }
            if let Some(r) = &b.rest {
                table_add_rest(&mut out, r, &mut escapes);
            }
        }
        // Equal members may differ (`0` and `False`): which side's is kept depends on the sizes.
        Operation::Intersection if known => {
            out.exact.retain(|key, _| b.exact.contains_key(key));
            for (key, entry) in &mut out.exact {
                if let Some((theirs, _)) = b.exact.get(key) {
                    entry.0 = host.join(&entry.0, theirs);
                }
            }
        }
        Operation::Difference if known => out.exact.retain(|key, _| !b.exact.contains_key(key)),
        Operation::Symmetric if known => {
            out.exact.retain(|key, _| !b.exact.contains_key(key));
            for (key, entry) in &b.exact {
                if !a.exact.contains_key(key) {
                    out.exact.insert(key.clone(), entry.clone());
                }
            }
        }
        // Which of them are in both is not known.
        Operation::Intersection => {
            out = loose(host, a);
            if let (Some(mine), Some(theirs)) = (out.rest.as_mut(), loose(host, b).rest) {
                mine.element = host.join(&mine.element, &theirs.element);
            }
        }
        Operation::Difference => out = loose(host, a),
        Operation::Symmetric => {
            let (mut x, y) = (loose(host, a), loose(host, b));
            if let Some(r) = &y.rest {
                table_add_rest(&mut x, r, &mut escapes);
            }
            if let Some(r) = x.rest.as_mut() {
                r.low = 0;
            }
            out = x;
        }
    }
    host.store().escape_all(&escapes);
    Ok(out)
}

fn combine(host: &mut dyn Host, args: &Args, operation: Operation, in_place: bool) -> R<V> {
    let Some(this) = args.pos.first().cloned() else { return type_error(host) };
    if !args.kw.is_empty() || (operation == Operation::Symmetric && args.pos.len() != 2) {
        return type_error(host);
    }
    if args.pos.iter().any(|v| matches!(v, V::OneOf(_))) {
        let at = args.pos.iter().position(|v| matches!(v, V::OneOf(_))).unwrap_or(0);
        let all = args.pos[at].alternatives().to_vec();
        return host.each_of(&all, &mut |host, v| {
            let mut one = args.clone();
            one.pos[at] = v.clone();
            combine(host, &one, operation, in_place)
        });
    }
    let Some((id, table, frozen)) = is_set(host, &this) else { return wrong(host, &this, &args.pos) };
    if in_place && frozen {
        return Err(host.raise("AttributeError", ""));
    }
    let mut out = (*table).clone();
    for other in &args.pos[1..] {
        let other = as_table(host, other)?;
        out = combined(host, &out, &other, operation)?;
    }
    if in_place {
        set_table(host, id, out);
        return Ok(V::None);
    }
    Ok(host.alloc(Obj::Set(Rc::new(out), frozen)))
}

fn relation(host: &mut dyn Host, args: &Args, relation: Relation) -> R<V> {
    with(host, args, ["", ""], 2, 2, &|host, [a, b]| {
        let Some((_, x, _)) = is_set(host, &a) else { return wrong(host, &a.clone(), &[a, b]) };
        // These stop at the first item that decides.
        if relation != Relation::Subset && is_set(host, &b).is_none() && !matches!(b, V::Tuple(_)) {
            host.steps(&b);
            let exact = matches!(&b, V::Ref(id) if matches!(host.store().get(*id), Obj::List(_)));
            if !exact {
                return Ok(V::AnyBool(Why::Lost));
            }
        }
        let y = as_table(host, &b)?;
        host.burn((x.exact.len() + y.exact.len()) as u64 / 8)?;
        if x.rest.is_some() || y.rest.is_some() {
            return Ok(V::AnyBool(Why::Lost));
        }
        Ok(V::Bool(match relation {
            Relation::Subset => x.exact.keys().all(|k| y.exact.contains_key(k)),
            Relation::Superset => y.exact.keys().all(|k| x.exact.contains_key(k)),
            Relation::Disjoint => !x.exact.keys().any(|k| y.exact.contains_key(k)),
        }))
    })
}
