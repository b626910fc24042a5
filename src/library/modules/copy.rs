//! `copy`: plain containers are copied, everything else may have a say in it.

use std::collections::HashMap;
use std::rc::Rc;

use crate::library::{Args, Entry, Host, R};
use crate::value::object::{DictKind, Items, Obj, ObjId, Table, Tuple, V};

use super::support::all;

/// How deep containers are copied.
const DEPTH: u32 = 16;

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "copy" => Entry::Function(copy),
        "deepcopy" => Entry::Function(deepcopy),
        _ => return None,
    })
}

fn copy(host: &mut dyn Host, args: Args) -> R<V> {
    let [value] = all(host, &args, ["x"])?;
    let same = match &value {
        V::Ref(id) => match host.store().get(*id).clone() {
            obj @ (Obj::List(_) | Obj::Dict(..) | Obj::Set(_, false) | Obj::Deque(..) | Obj::ByteArray(_)) => {
                host.burn(16)?;
                return Ok(host.alloc(obj));
            }
            Obj::Function(_) | Obj::Class(_) | Obj::Set(_, true) => true,
            _ => false,
        },
        V::Unknown(_) | V::Instance(..) | V::OneOf(_) => false,
        _ => true,
    };
    if same { Ok(value) } else { Ok(host.unknown_call(&args)) }
}

fn deepcopy(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.exactly(1) {
        return Ok(host.unknown_call(&args));
    }
    match deep(host, &args.pos[0], &mut HashMap::new(), DEPTH)? {
        Some(value) => Ok(value),
        None => Ok(host.unknown_call(&args)),
    }
}

/// A copy all the way down; none where something in it may have a say.
fn deep(host: &mut dyn Host, value: &V, made: &mut HashMap<ObjId, V>, depth: u32) -> R<Option<V>> {
    host.burn(1)?;
    if depth == 0 {
        return Ok(None);
    }
    let id = match value {
        V::Tuple(t) => {
            let Tuple::Exact(items) = &**t else { return Ok(None) };
            let Some(items) = deep_all(host, &items.clone(), made, depth)? else { return Ok(None) };
            return Ok(Some(V::tuple(items)));
        }
        V::Ref(id) => *id,
        V::Unknown(_) | V::Instance(..) | V::OneOf(_) | V::Slice(_) | V::Exc(_) | V::Token(_) => return Ok(None),
        plain => return Ok(Some(plain.clone())),
    };
    if let Some(copy) = made.get(&id) {
        return Ok(Some(copy.clone()));
    }
    if host.store().is_summary(id) {
        return Ok(None);
    }
    match host.store().get(id).clone() {
        Obj::List(items) if items.rest.is_none() => {
            let copy = host.alloc(Obj::List(Rc::default()));
            made.insert(id, copy.clone());
            let Some(exact) = deep_all(host, &items.exact, made, depth)? else { return Ok(None) };
            fill(host, &copy, Obj::List(Rc::new(Items { exact, rest: None })));
            Ok(Some(copy))
        }
        Obj::Dict(table, DictKind::Plain) if table.rest.is_none() => {
            let copy = host.alloc(Obj::Dict(Rc::default(), DictKind::Plain));
            made.insert(id, copy.clone());
            let mut new = Table::default();
            for (key, (k, v)) in &table.exact {
                // Keys that are objects would be other keys.
                if matches!(k, V::Ref(_) | V::Tuple(_)) {
                    return Ok(None);
                }
                let Some(v) = deep(host, v, made, depth - 1)? else { return Ok(None) };
                new.exact.insert(key.clone(), (k.clone(), v));
            }
            fill(host, &copy, Obj::Dict(Rc::new(new), DictKind::Plain));
            Ok(Some(copy))
        }
        Obj::Set(table, false) if table.exact.values().all(|(k, _)| crate::library::common::is_plain(k)) && table.rest.is_none() => {
            Ok(Some(host.alloc(Obj::Set(table, false))))
        }
        Obj::ByteArray(text) => Ok(Some(host.alloc(Obj::ByteArray(text)))),
        Obj::Function(_) | Obj::Class(_) => Ok(Some(value.clone())),
        _ => Ok(None),
    }
}

fn deep_all(host: &mut dyn Host, items: &[V], made: &mut HashMap<ObjId, V>, depth: u32) -> R<Option<Vec<V>>> {
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        match deep(host, item, made, depth - 1)? {
            Some(copy) => out.push(copy),
            None => return Ok(None),
        }
    }
    Ok(Some(out))
}

fn fill(host: &mut dyn Host, copy: &V, new: Obj) {
    if let V::Ref(id) = copy {
        host.store().mutate(*id, true, |obj| *obj = new);
    }
}
