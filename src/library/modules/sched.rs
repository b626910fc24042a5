//! `sched`: events that run one after another, each at its time.

use std::rc::Rc;

use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{attribute_of, bind, exact_tuple, instance, interrupting, put};

/// The events to come: the time, the priority, the function, its arguments. Unknown where somebody else may have a say in it.
const EVENTS: &str = "-events";

/// Events that are followed in one run.
const MOST: usize = 200;

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "scheduler" => |host, args| {
            let [clock, sleep] = bind(host, &args, ["timefunc", "delayfunc"], 0)?;
            let is_one_of = |value: &Option<V>, names: &[&str]| match value {
                None => true,
                Some(V::Lib(name)) => names.contains(&&*name.text()),
                Some(_) => false,
            };
            if !is_one_of(&clock, &["time.time", "time.monotonic", "time.perf_counter"]) || !is_one_of(&sleep, &["time.sleep"]) {
                return interrupting(host, args);
            }
            let attrs = vec![(Sym::new(EVENTS), V::tuple(Vec::new()))];
            Ok(host.alloc(Obj::Instance { class: V::lib("sched.scheduler"), attrs: Rc::new(attrs) }))
        },
        "scheduler.enter" => enter,
        "scheduler.cancel" | "scheduler.enterabs" => |host, args| {
            forget(host, &args);
            Ok(host.unknown_call(&Args::of(args.values().into_iter().skip(1))))
        },
        "scheduler.empty" => {
            |host, args| Ok(events(host, args.pos.first()).map_or(V::AnyBool(Why::Lost), |events| V::Bool(events.is_empty())))
        }
        "scheduler.run" => run,
        _ => return None,
    }))
}

fn events(host: &mut dyn Host, scheduler: Option<&V>) -> Option<Vec<V>> {
    let (_, attrs) = instance(host, scheduler?)?;
    exact_tuple(&attribute_of(&attrs, EVENTS)?)
}

fn set(host: &mut dyn Host, scheduler: &V, events: V) {
    put(host, scheduler, vec![(Sym::new(EVENTS), events)]);
}

fn forget(host: &mut dyn Host, args: &Args) {
    if let Some(this) = args.pos.first().cloned() {
        set(host, &this, V::Unknown(Why::Lost));
    }
}

/// An event after a delay. Only one that surely comes after those before it is followed: the time at which they were entered is not known.
fn enter(host: &mut dyn Host, args: Args) -> R<V> {
    let [this, delay, priority, action, argument, kwargs] =
        bind(host, &args, ["", "delay", "priority", "action", "argument", "kwargs"], 4)?;
    let (this, action) = (this.unwrap_or(V::None), action.unwrap_or(V::None));
    let delay = match &delay {
        Some(V::Float(f)) if f.is_finite() => Some(f.max(0.0)),
        Some(v) => v.exact_int().map(|n| (n as f64).max(0.0)),
        None => None,
    };
    let given = argument.clone().unwrap_or(V::tuple(Vec::new()));
    let before = events(host, Some(&this)).filter(|events| events.len() < MOST);
    let (Some(delay), Some(priority), None, Some(mut all), Some(_)) =
        (delay, priority.as_ref().and_then(V::exact_int), kwargs, before, exact_tuple(&given))
    else {
        forget(host, &args);
        return Ok(host.unknown_call(&Args::of(args.values().into_iter().skip(1))));
    };
    let of = |event: &V| match exact_tuple(event).as_deref() {
        Some([V::Float(delay), V::Int(priority), ..]) => Some((*delay, *priority)),
        _ => None,
    };
    let is_last = all.last().and_then(of).is_none_or(|(last, its)| delay > last || delay == last && priority >= its);
    let until = host.store().path.cost + delay;
    all.push(V::tuple(vec![V::Float(delay), V::Int(priority), V::Float(until), action, given]));
    set(host, &this, if is_last { V::tuple(all) } else { V::Unknown(Why::Lost) });
    Ok(V::Unknown(Why::OUTSIDE))
}

/// Runs all that is entered, and what that enters, until nothing is left.
fn run(host: &mut dyn Host, args: Args) -> R<V> {
    let [this, blocking] = bind(host, &args, ["", "blocking"], 1)?;
    let this = this.unwrap_or(V::None);
    if matches!(blocking, None | Some(V::Bool(true))) {
        for _ in 0..MOST {
            host.burn(10)?;
            let Some(all) = events(host, Some(&this)) else { break };
            let Some((first, rest)) = all.split_first() else { return Ok(V::None) };
            let event = exact_tuple(first).unwrap_or_default();
            let [_, _, V::Float(until), action, given] = event.as_slice() else { break };
            let left = until - host.store().path.cost;
            host.sleep(left.max(0.0), f64::INFINITY, "scheduler.run");
            set(host, &this, V::tuple(rest.to_vec()));
            host.call(action, Args::of(exact_tuple(given).unwrap_or_default()))?;
        }
    }
    forget(host, &args);
    host.store().escape(&this);
    interrupting(host, Args::default())
}
