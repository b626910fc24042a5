//! `contextlib`: managers that swallow nothing, those that swallow what they are told, and generators as managers.

use std::rc::Rc;

use crate::library::{Args, Entry, Host, Next, R};
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{instance, partial};

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "nullcontext" => |host, args| manager(host, &args, "nullcontext", 1),
        "suppress" => |host, args| manager(host, &args, "suppress", usize::MAX),
        "contextmanager" => contextmanager,
        "contextmanager.make" => make,
        "nullcontext.exit" => |_, _| Ok(V::None),
        "suppress.exit" => suppressed,
        "contextmanager.exit" => leave,
        _ => return None,
    }))
}

/// A manager with its arguments.
fn manager(host: &mut dyn Host, args: &Args, name: &str, most: usize) -> R<V> {
    if args.pos.len() > most || !args.kw.is_empty() {
        return Ok(host.unknown_call(args));
    }
    let attrs = vec![(Sym::new("@args"), V::tuple(args.pos.to_vec()))];
    Ok(host.alloc(Obj::Instance { class: V::lib(&format!("contextlib.{name}")), attrs: Rc::new(attrs) }))
}

fn contextmanager(host: &mut dyn Host, args: Args) -> R<V> {
    match args.pos.as_slice() {
        [function @ V::Ref(id)] if args.kw.is_empty() && matches!(host.store().get(*id), Obj::Function(_)) => {
            let function = function.clone();
            Ok(partial(host, "contextlib.contextmanager.make", vec![function]))
        }
        _ => Ok(host.unknown_call(&args)),
    }
}

fn make(host: &mut dyn Host, mut args: Args) -> R<V> {
    if args.pos.is_empty() || args.open {
        return Ok(host.unknown_call(&args));
    }
    let function = args.pos.remove(0);
    let generator = host.call(&function, args)?;
    let is_generator = matches!(&generator, V::Ref(id) if matches!(host.store().get(*id), Obj::Generator(g) if !g.coroutine));
    if !is_generator {
        return Ok(host.unknown_call(&Args::of([generator])));
    }
    let attrs = vec![(Sym::new("@args"), V::tuple(vec![generator]))];
    Ok(host.alloc(Obj::Instance { class: V::lib("contextlib.contextmanager"), attrs: Rc::new(attrs) }))
}

/// Enters one of this module's managers: its exit and the value it gives. None for all others.
pub fn enter(host: &mut dyn Host, value: &V) -> R<Option<(V, V)>> {
    let Some((V::Lib(class), attrs)) = instance(host, value) else { return Ok(None) };
    let Some(args) = attrs.first().filter(|(n, _)| &*n.text() == "@args").and_then(|(_, v)| super::support::exact_tuple(v)) else {
        return Ok(None);
    };
    Ok(match &*class.text() {
        "contextlib.nullcontext" => Some((V::lib("contextlib.nullcontext.exit"), args.first().cloned().unwrap_or(V::None))),
        "contextlib.suppress" => Some((partial(host, "contextlib.suppress.exit", args), V::None)),
        "contextlib.contextmanager" => {
            let generator = args.first().cloned().unwrap_or(V::None);
            let value = match host.next(&generator)? {
                Next::Item(value) => value,
                Next::Maybe(value) => {
                    host.may_raise("RuntimeError");
                    value
                }
                Next::End => return Err(host.raise("RuntimeError", "generator didn't yield")),
            };
            Some((partial(host, "contextlib.contextmanager.exit", vec![generator]), value))
        }
        _ => None,
    })
}

/// Whether what was raised is one of the classes.
fn suppressed(host: &mut dyn Host, args: Args) -> R<V> {
    let n = args.pos.len().saturating_sub(3);
    let (classes, details) = args.pos.split_at(n);
    let [class, exception, _] = details else { return Ok(host.unknown_call(&args)) };
    if matches!(class, V::None) {
        return Ok(V::Bool(false));
    }
    // A group is taken apart since 3.12.
    let group = match exception {
        V::Exc(e) => e.class.text().ends_with("Group"),
        _ => true,
    };
    let known = if group { None } else { host.is_instance(exception, &V::tuple(classes.to_vec())) };
    Ok(V::boolean(known, Why::Lost))
}

/// Leaving without an exception runs the generator on, which must end; with one, it is thrown in, which is not followed.
fn leave(host: &mut dyn Host, args: Args) -> R<V> {
    let [generator, class, ..] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    if !matches!(class, V::None) {
        host.unknown_call(&args);
        return Ok(V::AnyBool(Why::Lost));
    }
    match host.next(generator)? {
        Next::End => Ok(V::Bool(false)),
        Next::Maybe(_) => {
            host.may_raise("RuntimeError");
            Ok(V::Bool(false))
        }
        Next::Item(_) => Err(host.raise("RuntimeError", "generator didn't stop")),
    }
}
