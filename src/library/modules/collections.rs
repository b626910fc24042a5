//! `collections`: the containers the evaluator knows.

use std::rc::Rc;

use crate::library::common::{Consumer, POINTER, collect_keys, consume};
use crate::library::{Args, Entry, Host, R, count};
use crate::value::cost;
use crate::value::int::Int;
use crate::value::object::{DictKind, Items, Obj, Rest, Table, V, Why};

use super::support::{bind, element};

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Type(match name {
        "deque" => deque,
        "defaultdict" => defaultdict,
        "Counter" => counter,
        "OrderedDict" => ordered_dict,
        _ => return super::namedtuple::find(name),
    }))
}

fn deque(host: &mut dyn Host, args: Args) -> R<V> {
    let [iterable, most] = bind(host, &args, ["iterable", "maxlen"], 0)?;
    let most = match most {
        None | Some(V::None) => None,
        Some(V::Int(n)) if (0..1 << 63).contains(&n) => Some(n as u64),
        Some(V::Int(n)) => return Err(host.raise(if n < 0 { "ValueError" } else { "OverflowError" }, "maxlen must be non-negative")),
        Some(_) => return Ok(host.unknown_call(&args)),
    };
    let mut items = match iterable {
        None => Items::default(),
        Some(iterable) => {
            let (keeps, collects) = if most.is_some() { (0, false) } else { (POINTER, true) };
            let by = Consumer { callee: "collections.deque", floor: cost::C_ITERATION, keeps, collects, goes_on: &mut |_, _| Ok(true) };
            consume(host, &iterable, by)?
        }
    };
    if let Some(most) = most {
        if items.rest.is_some() {
            let (low, high) = count(&items);
            let any = element(host, &items).unwrap_or(V::Unknown(Why::Lost));
            items = super::support::bag(any, low.min(most), high.min(most));
        } else {
            let extra = items.exact.len().saturating_sub(usize::try_from(most).unwrap_or(usize::MAX));
            items.exact.drain(..extra);
        }
    }
    Ok(host.alloc(Obj::Deque(Rc::new(items), most)))
}

fn defaultdict(host: &mut dyn Host, args: Args) -> R<V> {
    let factory = args.pos.first().cloned().unwrap_or(V::None);
    if args.pos.len() > 1 || !args.kw.is_empty() || matches!(factory, V::None | V::OneOf(_)) {
        return Ok(host.unknown_call(&args));
    }
    if matches!(factory, V::Int(_) | V::Str(_) | V::Float(_) | V::Bool(_) | V::Tuple(_)) {
        return Err(host.raise("TypeError", "first argument must be callable or None"));
    }
    Ok(host.alloc(Obj::Dict(Rc::default(), DictKind::Default(factory))))
}

fn ordered_dict(host: &mut dyn Host, args: Args) -> R<V> {
    let made = host.call(&V::lib("dict"), args)?;
    if let V::Ref(id) = &made {
        host.store().mutate(*id, true, |obj| {
            if let Obj::Dict(_, kind @ DictKind::Plain) = obj {
                *kind = DictKind::Ordered;
            }
        });
    }
    Ok(made)
}

fn counter(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.kw.is_empty() || args.pos.len() > 1 {
        return Ok(host.unknown_call(&args));
    }
    let mut table = Table::default();
    match args.pos.first() {
        None | Some(V::None) => {}
        Some(iterable) => {
            // A mapping gives counts, not items.
            let items_only = match iterable {
                V::Str(_) | V::Strs(_) | V::Bytes(_) | V::Tuple(_) | V::Range(_) => true,
                V::Ref(id) => {
                    matches!(host.store().get(*id), Obj::List(_) | Obj::Deque(..) | Obj::Set(..) | Obj::Iter(_) | Obj::Generator(_))
                }
                _ => false,
            };
            if !items_only {
                return Ok(host.unknown_call(&args));
            }
            let items = collect_keys(host, iterable, "collections.Counter")?;
            host.burn(items.exact.len() as u64 / 4)?;
            let mut known = items.rest.is_none();
            for item in &items.exact {
                match host.key(item)? {
                    Some(key) if known => {
                        let slot = table.exact.entry(key).or_insert_with(|| (item.clone(), V::Int(0)));
                        if let V::Int(n) = &mut slot.1 {
                            *n += 1;
                        }
                    }
                    Some(_) => {}
                    None => known = false,
                }
            }
            if !known {
                host.may_raise("TypeError");
                let (low, high) = count(&items);
                let any = element(host, &items).unwrap_or(V::Unknown(Why::Lost));
                let value = V::int(Int::range(1, if high == u64::MAX { i128::MAX } else { i128::from(high.max(1)) }), Why::Lost);
                table = Table {
                    exact: indexmap::IndexMap::default(),
                    rest: (high > 0).then(|| Rest { element: any, value, low: low.min(1), high }),
                };
            }
        }
    }
    Ok(host.alloc(Obj::Dict(Rc::new(table), DictKind::Counter)))
}
