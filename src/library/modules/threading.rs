//! `threading`: events that no other thread holds. Whatever starts threads is in the table of plain modules.

use std::rc::Rc;

use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, V};

use super::support::{all, attribute_of, bind, instance, put};

/// The class, and where an event keeps whether it is set.
const EVENT: &str = "threading.Event";
const FLAG: &str = "@flag";

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "Event" => Entry::Type(event),
        "Event.is_set" | "Event.isSet" => Entry::Function(is_set),
        "Event.set" => Entry::Function(|host, args| write(host, &args, true)),
        "Event.clear" => Entry::Function(|host, args| write(host, &args, false)),
        "Event.wait" => Entry::Function(wait),
        _ => return None,
    })
}

fn event(host: &mut dyn Host, args: Args) -> R<V> {
    all(host, &args, [])?;
    let attrs = vec![(Sym::new(FLAG), V::Bool(false))];
    Ok(host.alloc(Obj::Instance { class: V::lib(EVENT), attrs: Rc::new(attrs) }))
}

/// What an event says, where nobody else may have changed it.
fn flag(host: &mut dyn Host, this: &V) -> Option<V> {
    let (class, attrs) = instance(host, this)?;
    if class == V::lib(EVENT) { attribute_of(&attrs, FLAG) } else { None }
}

fn is_set(host: &mut dyn Host, args: Args) -> R<V> {
    let [this] = all(host, &args, ["/self"])?;
    match flag(host, &this) {
        Some(flag) => Ok(flag),
        None => Ok(host.unknown_call(&args)),
    }
}

fn write(host: &mut dyn Host, args: &Args, on: bool) -> R<V> {
    let [this] = all(host, args, ["/self"])?;
    if flag(host, &this).is_none() {
        return Ok(host.unknown_call(args));
    }
    put(host, &this, vec![(Sym::new(FLAG), V::Bool(on))]);
    Ok(V::None)
}

/// One that is set does not wait; one that nobody can set waits for the whole timeout.
fn wait(host: &mut dyn Host, args: Args) -> R<V> {
    let [this, timeout] = bind(host, &args, ["/self", "timeout"], 1)?;
    let this = this.unwrap_or(V::None);
    let seconds = match timeout {
        Some(V::Int(n)) if (0..1_000_000_000).contains(&n) => Some(n as f64),
        Some(V::Float(f)) if (0.0..1e9).contains(&f) => Some(f),
        _ => None,
    };
    match (flag(host, &this), seconds) {
        (Some(V::Bool(true)), _) => Ok(V::Bool(true)),
        (Some(V::Bool(false)), Some(seconds)) => {
            host.sleep(seconds, seconds, "threading.Event.wait");
            Ok(V::Bool(false))
        }
        _ => Ok(host.unknown_call(&args)),
    }
}
