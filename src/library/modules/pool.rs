//! `multiprocessing.pool`: what the workers of a pool do, and who waits for it.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::common::is_plain;
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{attribute_of, bind, instance, interrupting, outside_any, put};
use super::{ENDING_ALL, exact_tuple, threading};

/// The class of a pool of processes, and that of one of threads, which derives from it.
const PROCESSES: &str = "multiprocessing.pool.Pool";
const THREADS: &str = "multiprocessing.pool.ThreadPool";

/// How many variables of the module had a value when processes were made that have those alone.
const DEFINED: &str = "-defined";

/// At least how long what was handed to a pool takes together, and until when what was asked for takes.
const SECONDS: &str = "-seconds";
const UNTIL: &str = "-until";

/// Noted of a pool that takes nothing more.
pub const CLOSED: &str = "-closed";

/// Methods that all pools have from one class.
const METHODS: &[&str] = &["apply", "apply_async", "map", "map_async", "starmap", "starmap_async", "imap", "join", "_map_async"];

/// Names of what ends the workers of a pool.
const ENDING: &[&str] = &["terminate", "kill", "killpg", "kill_workers", "terminate_workers"];

/// Items that are looked at of what a pool is to work on.
const LOOKED_AT: usize = 3;

/// The entry for a name in `multiprocessing`.
pub fn find(name: &str) -> Option<Entry> {
    if name == "pool.ThreadPool" {
        return Some(Entry::Function(|host, args| made(host, args, THREADS)));
    }
    Some(Entry::Function(match name.strip_prefix("pool.Thread").or(name.strip_prefix("pool.")).unwrap_or(name) {
        "Pool.__enter__" => |_, args| Ok(args.pos.first().cloned().unwrap_or(V::None)),
        "Pool.__exit__" | "Pool.terminate" => |host, args| {
            write(host, &args, SECONDS, V::Float(0.0));
            Ok(close(host, &args))
        },
        "Pool.close" => |host, args| Ok(close(host, &args)),
        "Pool.map" => |host, args| map(host, args, false),
        "Pool.starmap" => |host, args| map(host, args, true),
        "Pool.apply" => |host, args| {
            let seconds = of_call(host, &args)?;
            wait(host, seconds, "Pool.apply")?;
            hand_over(host, args)
        },
        "Pool.apply_async" => |host, args| {
            let seconds = of_call(host, &args)?;
            promise(host, args, seconds)
        },
        "Pool.map_async" => |host, args| {
            let seconds = longest(host, &args, false)?;
            promise(host, args, seconds)
        },
        "Pool.imap" | "Pool.imap_unordered" => |host, args| {
            let seconds = longest(host, &args, false)?;
            note(host, &args, seconds);
            hand_over(host, args)
        },
        "Pool.join" => |host, args| {
            let is_closed = read(host, args.pos.first(), CLOSED) == V::Bool(true);
            if !is_closed {
                host.may_raise("ValueError");
            } else if let V::Float(seconds) = read(host, args.pos.first(), SECONDS)
                && args.exactly(1)
                && seconds == f64::INFINITY
            {
                wait(host, seconds, "Pool.join")?;
            }
            Ok(V::None)
        },
        "AsyncResult.get" | "AsyncResult.wait" => result,
        "AsyncResult.ready" | "AsyncResult.successful" => |host, _| {
            host.may_raise("ValueError");
            Ok(V::AnyBool(Why::OUTSIDE))
        },
        _ => return None,
    }))
}

/// A pool of processes that are copies of this one, or begin by importing the program.
pub fn of_processes(host: &mut dyn Host, args: Args) -> R<V> {
    if !super::multiprocessing::runs(host) {
        return interrupting(host, args);
    }
    made(host, args, PROCESSES)
}

/// A pool whose workers begin with nothing of the program's. What they do may end it, where it names what does so.
pub fn made(host: &mut dyn Host, args: Args, class: &str) -> R<V> {
    host.makes_others(workers(&args));
    let is_plain = args.pos.len() <= 1 && args.kw.iter().all(|(name, _)| matches!(&*name.text(), "processes" | "max_workers"));
    if !is_plain || host.mentions(ENDING_ALL) {
        return interrupting(host, args);
    }
    host.may_raise("");
    let defined = if class == THREADS { V::None } else { host.special("defined", Args::default())? };
    let attrs = vec![(Sym::new(DEFINED), defined), (Sym::new(SECONDS), V::Float(0.0))];
    Ok(host.alloc(Obj::Instance { class: V::lib(class), attrs: Rc::new(attrs) }))
}

/// At most how many workers a pool has.
pub fn workers(args: &Args) -> u32 {
    let number = args.pos.first().or_else(|| args.kw.first().map(|(_, value)| value)).and_then(V::exact_int);
    number.and_then(|n| u32::try_from(n).ok()).unwrap_or(u32::MAX)
}

fn read(host: &mut dyn Host, of: Option<&V>, name: &str) -> V {
    let attrs = of.and_then(|this| instance(host, this)).map(|(_, attrs)| attrs).unwrap_or_default();
    attribute_of(&attrs, name).unwrap_or(V::Unknown(Why::Lost))
}

fn write(host: &mut dyn Host, args: &Args, name: &str, value: V) -> V {
    if let Some(this) = args.pos.first().cloned() {
        put(host, &this, vec![(Sym::new(name), value)]);
    }
    V::None
}

/// A pool takes nothing more.
pub fn close(host: &mut dyn Host, args: &Args) -> V {
    write(host, args, CLOSED, V::Bool(true))
}

/// At least how many seconds a worker takes for a call, infinite where it never comes back.
pub fn lasts(host: &mut dyn Host, pool: &V, function: &V, given: Vec<V>) -> R<f64> {
    let is_patched = METHODS.iter().any(|name| host.store().is_patched(Sym::new(&format!("{PROCESSES}.{name}"))));
    let is_closed = instance(host, pool).is_none_or(|(_, attrs)| attribute_of(&attrs, CLOSED).is_some());
    if is_patched || is_closed {
        return Ok(0.0);
    }
    match read(host, Some(pool), DEFINED) {
        V::None => {}
        // Another process finds what there was before, and is sent what can be sent.
        V::Int(before) => {
            let own = i128::from(host.is_global(pool));
            let now = host.special("defined", Args::default())?.exact_int();
            let is_found = host.special("importable", Args::of([function.clone()]))? == V::Bool(true);
            if now.is_none_or(|now| now > before + own) || !is_found || !given.iter().all(is_plain) {
                return Ok(0.0);
            }
        }
        _ => return Ok(0.0),
    }
    host.lasts(function, Args::of(given))
}

/// The same for `pool, function, arguments`.
fn of_call(host: &mut dyn Host, args: &Args) -> R<f64> {
    let known = match args.get(2, "args") {
        None => Some(Vec::new()),
        Some(given) => {
            let given = given.clone();
            host.foresee(&given)?.filter(|taken| taken.items.rest.is_none()).map(|taken| taken.items.exact)
        }
    };
    let is_plain = args.kw.iter().all(|(name, _)| &*name.text() == "args");
    match (args.pos.as_slice(), known) {
        ([pool, function] | [pool, function, _], Some(given)) if is_plain && !args.open => lasts(host, pool, function, given),
        _ => Ok(0.0),
    }
}

fn map(host: &mut dyn Host, args: Args, spreads: bool) -> R<V> {
    let seconds = longest(host, &args, spreads)?;
    wait(host, seconds, "Pool.map")?;
    hand_over(host, args)
}

/// The same for the longest of the first items of `pool, function, iterable`. `spreads`: each item is all of the arguments.
fn longest(host: &mut dyn Host, args: &Args, spreads: bool) -> R<f64> {
    let is_plain = args.kw.iter().all(|(name, _)| &*name.text() == "chunksize");
    let ([pool, function, iterable] | [pool, function, iterable, _], true, false) = (args.pos.as_slice(), is_plain, args.open) else {
        return Ok(0.0);
    };
    let Some(taken) = host.foresee(iterable)? else { return Ok(0.0) };
    let (pool, function, mut most) = (pool.clone(), function.clone(), 0.0_f64);
    for item in taken.items.exact.into_iter().take(LOOKED_AT) {
        let given = if spreads { exact_tuple(&item) } else { Some(vec![item]) };
        if let Some(given) = given {
            most = most.max(lasts(host, &pool, &function, given)?);
        }
    }
    Ok(most)
}

/// Somebody waits for what a worker does.
fn wait(host: &mut dyn Host, seconds: f64, callee: &str) -> R<()> {
    if seconds > 0.0 && !host.mentions_yet(ENDING) {
        if seconds == f64::INFINITY {
            return Err(host.waits_forever(FactKind::EndlessWait, callee, "the function never returns"));
        }
        host.sleep(seconds, f64::INFINITY, callee);
    }
    Ok(())
}

/// The workers have it from here on.
fn hand_over(host: &mut dyn Host, args: Args) -> R<V> {
    threading::give(host, args.pos.into_iter().skip(1).chain(args.kw.into_iter().map(|(_, value)| value)));
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
}

/// Something is handed to a pool that takes so long.
fn note(host: &mut dyn Host, args: &Args, seconds: f64) {
    if let V::Float(before) = read(host, args.pos.first(), SECONDS) {
        write(host, args, SECONDS, V::Float(before.max(seconds)));
    }
}

/// What is to be had later.
fn promise(host: &mut dyn Host, args: Args, seconds: f64) -> R<V> {
    note(host, &args, seconds);
    let until = host.store().path.cost + seconds;
    hand_over(host, args)?;
    let attrs = vec![(Sym::new(UNTIL), V::Float(until))];
    Ok(host.alloc(Obj::Instance { class: V::lib("multiprocessing.pool.AsyncResult"), attrs: Rc::new(attrs) }))
}

fn result(host: &mut dyn Host, args: Args) -> R<V> {
    let [_, timeout] = bind(host, &args, ["", "timeout"], 1)?;
    if matches!(timeout, None | Some(V::None))
        && let V::Float(until) = read(host, args.pos.first(), UNTIL)
    {
        let left = until - host.store().path.cost;
        wait(host, left, "AsyncResult.get")?;
    }
    outside_any(host, Args::default())
}
