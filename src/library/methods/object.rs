//! Methods of object, exceptions, generators, iterators and ranges.

use crate::library::builtins::containers::next;
use crate::library::common::{kind, type_error, unknown, with, wrong};
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, V, Why};

/// The entry for a method.
pub fn find(owner: &str, method: &str) -> Option<Entry> {
    Some(Entry::Function(match (owner, method) {
        ("object", "__init__" | "__init_subclass__") | ("BaseException" | "Exception", "__init__") => nothing,
        ("object", "__new__") => new,
        ("generator" | "iterator", "__next__") => next,
        ("generator" | "iterator", "__iter__") => itself,
        ("generator", "close") => close,
        ("range", "index" | "count") => range_search,
        _ => return None,
    }))
}

fn nothing(_host: &mut dyn Host, _args: Args) -> R<V> {
    Ok(V::None)
}

fn itself(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|_, [x]| Ok(x))
}

fn new(host: &mut dyn Host, args: Args) -> R<V> {
    match args.pos.first() {
        Some(class @ V::Ref(id)) if matches!(host.store().get(*id), Obj::Class(c) if !c.open) => {
            let class = class.clone();
            Ok(host.alloc(Obj::Instance { class, attrs: std::rc::Rc::default() }))
        }
        _ => Ok(host.unknown_call(&args)),
    }
}

/// Closing runs what is left of the generator's `finally` blocks; one that is not followed is given up.
fn close(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [g]| {
        if let V::Ref(id) = &g
            && let Obj::Generator(generator) = host.store().get(*id)
            && generator.frame.is_none()
        {
            return Ok(V::None);
        }
        unknown(host, &[g]);
        Ok(V::None)
    })
}

fn range_search(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 2, &|host, [r, x]| {
        if kind(host, &r) != Some("range") {
            return if kind(host, &r).is_some() { type_error(host) } else { wrong(host, &r.clone(), &[r, x]) };
        }
        host.may_raise("ValueError");
        if kind(host, &x).is_none() {
            unknown(host, &[x]);
        }
        Ok(V::any_size(Why::Lost))
    })
}
