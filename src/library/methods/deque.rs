//! Methods of `collections.deque`.

use crate::library::common::{bag, concat, element, list_items, push, set_list, take_all, with, wrong};
use crate::library::{Args, Entry, Host, R, count};
use crate::value::cost;
use crate::value::object::{Items, Obj, ObjId, V};

use super::list::{change, pop_from, remove_from};

/// The entry for a method.
pub fn find(method: &str) -> Option<Entry> {
    Some(Entry::Function(match method {
        "append" => append,
        "appendleft" => appendleft,
        "pop" => |host, args| pop(host, &args, -1),
        "popleft" => |host, args| pop(host, &args, 0),
        "extend" => extend,
        "extendleft" => extendleft,
        "rotate" => rotate,
        "reverse" => reverse,
        "clear" => clear,
        "remove" => |host, args| {
            with(host, &args, ["", ""], 2, 1, &|host, [d, x]| match is_deque(host, &d) {
                Some((id, _)) => remove_from(host, id, &x),
                None => wrong(host, &d.clone(), &[d, x]),
            })
        },
        _ => return None,
    }))
}

fn is_deque(host: &mut dyn Host, v: &V) -> Option<(ObjId, Option<u64>)> {
    let V::Ref(id) = v else { return None };
    match host.store().get(*id) {
        Obj::Deque(_, most) => Some((*id, *most)),
        _ => None,
    }
}

/// Keeps at most `most` items after adding at the right (or left): the other end falls out.
fn bounded(items: &mut Items, most: Option<u64>, left: bool) -> bool {
    let Some(most) = most else { return true };
    if items.rest.is_some() {
        return count(items).1 <= most;
    }
    while items.exact.len() as u64 > most {
        if left {
            items.exact.pop();
        } else {
            items.exact.remove(0);
        }
    }
    true
}

/// Some items of these, in any order, at most `most`: a full deque lets others fall out.
fn any_of(host: &mut dyn Host, id: ObjId, most: Option<u64>) {
    if let Some((_, items)) = list_items(host, &V::Ref(id)) {
        let (low, high) = count(&items);
        let most = most.unwrap_or(u64::MAX);
        let e = element(host, &items);
        set_list(host, id, bag(e, low.min(most), high.min(most)));
    }
}

fn append(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 1, &|host, [d, x]| {
        let Some((id, most)) = is_deque(host, &d) else { return wrong(host, &d.clone(), &[d, x]) };
        let mut known = true;
        change(host, id, |items, escapes| {
            push(items, x, escapes);
            known = bounded(items, most, false);
        });
        if !known {
            any_of(host, id, most);
        }
        Ok(V::None)
    })
}

fn appendleft(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 1, &|host, [d, x]| {
        let Some((id, most)) = is_deque(host, &d) else { return wrong(host, &d.clone(), &[d, x]) };
        let n = list_items(host, &d).map_or(0, |(_, items)| items.exact.len());
        host.burn(n as u64 / 64)?;
        let mut known = true;
        change(host, id, |items, _| {
            items.exact.insert(0, x);
            known = bounded(items, most, true);
        });
        if !known || n >= crate::value::object::MAX_EXACT_ITEMS {
            any_of(host, id, most);
        }
        Ok(V::None)
    })
}

fn pop(host: &mut dyn Host, args: &Args, at: i128) -> R<V> {
    with(host, args, [""], 1, 1, &|host, [d]| match is_deque(host, &d) {
        Some((id, _)) => pop_from(host, id, Some(at)),
        None => wrong(host, &d.clone(), &[d]),
    })
}

fn extend(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 2, &|host, [d, x]| {
        let Some((id, most)) = is_deque(host, &d) else { return wrong(host, &d.clone(), &[d, x]) };
        let more = take_all(host, &x, "deque.extend", cost::C_ITERATION)?;
        let mut known = true;
        change(host, id, |items, escapes| {
            concat(items, &more, escapes);
            known = bounded(items, most, false);
        });
        if !known {
            any_of(host, id, most);
        }
        Ok(V::None)
    })
}

fn extendleft(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 2, &|host, [d, x]| {
        let Some((id, most)) = is_deque(host, &d) else { return wrong(host, &d.clone(), &[d, x]) };
        let more = take_all(host, &x, "deque.extendleft", cost::C_ITERATION)?;
        let mut known = more.rest.is_none();
        host.burn(more.exact.len() as u64 / 16)?;
        change(host, id, |items, escapes| {
            if known && items.rest.is_none() {
                items.exact.splice(0..0, more.exact.iter().rev().cloned());
                known = bounded(items, most, true);
            } else {
                concat(items, &more, escapes);
                known = false;
            }
        });
        if !known {
            any_of(host, id, most);
        }
        Ok(V::None)
    })
}

fn rotate(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 1, 1, &|host, [d, n]| {
        let Some((id, most)) = is_deque(host, &d) else { return wrong(host, &d.clone(), &[d, n]) };
        let by = match &n {
            V::Undef => Some(1),
            V::Bool(_) | V::Int(_) => n.exact_int(),
            V::Ints(_) | V::AnyBool(_) => None,
            _ => return wrong(host, &n.clone(), &[d, n]),
        };
        // Whoever iterates over it finds that it was changed.
        if host.store().is_iterated(id) {
            return Ok(host.unknown_call(&Args::of([d, n])));
        }
        // A number that does not fit is an OverflowError.
        if by.is_none_or(|by| i64::try_from(by).is_err()) {
            host.may_raise("OverflowError");
        }
        let length = list_items(host, &d).map_or(0, |(_, items)| items.exact.len());
        host.burn(length as u64 / 64)?;
        let mut known = false;
        change(host, id, |items, _| {
            if let (Some(by), None, true) = (by, &items.rest, length > 0) {
                items.exact.rotate_right(by.rem_euclid(length as i128) as usize);
                known = true;
            } else {
                known = items.rest.is_none() && length == 0;
            }
        });
        if !known {
            any_of(host, id, most);
        }
        Ok(V::None)
    })
}

fn reverse(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [d]| {
        let Some((id, most)) = is_deque(host, &d) else { return wrong(host, &d.clone(), &[d]) };
        let mut known = true;
        change(host, id, |items, _| {
            known = items.rest.is_none();
            items.exact.reverse();
        });
        if !known {
            any_of(host, id, most);
        }
        Ok(V::None)
    })
}

fn clear(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [d]| match is_deque(host, &d) {
        Some((id, _)) => {
            set_list(host, id, Items::default());
            Ok(V::None)
        }
        None => wrong(host, &d.clone(), &[d]),
    })
}
