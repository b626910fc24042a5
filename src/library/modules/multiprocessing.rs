//! `multiprocessing`: pools whose workers import the program again.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{attribute_of, instance, interrupting, outside_any, outside_bool, put};

/// Noted as assigned once the start method is known to be one that imports the program.
const IMPORTS: &str = "multiprocessing.start method";

/// Attributes that end the wait for something to come out of a queue.
const PUTTING: &[&str] = &["put", "put_nowait", "close", "_feed", "_writer"];

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    if let Some(found) = super::pool::find(name) {
        return Some(found);
    }
    Some(Entry::Function(match name {
        "get_context" => |host, args| {
            let spawns = imports(args.pos.first());
            Ok(if spawns && args.pos.len() == 1 {
                V::Instance(Sym::new("multiprocessing.spawn"), Why::OUTSIDE)
            } else {
                outside_any(host, args)?
            })
        },
        "set_start_method" => |host, args| {
            if imports(args.pos.first()) && host.is_certain() {
                host.store().patch(Sym::new(IMPORTS));
            }
            outside_any(host, args)
        },
        "spawn.Pool" => |host, mut args| {
            args.pos.remove(0);
            pool(host, args, true)
        },
        "Pool" | "pool.Pool" => |host, args| {
            let spawns = host.store().is_patched(Sym::new(IMPORTS));
            pool(host, args, spawns)
        },
        "Event" => |host, _| host.call(&V::lib("threading.Event"), Args::default()),
        "Lock" => |host, _| Ok(object(host, "multiprocessing.Lock", "-locked", V::Bool(false))),
        "Lock.acquire" => acquire,
        "Lock.__enter__" => |host, args| acquire(host, Args::of(args.pos)),
        "Lock.release" | "Lock.__exit__" => |host, args| {
            host.may_raise("ValueError");
            write(host, &args, "-locked", V::Bool(false));
            Ok(V::None)
        },
        "Barrier" => |host, args| host.call(&V::lib("threading.Barrier"), args),
        "Semaphore" | "BoundedSemaphore" => |host, args| match args.get(0, "value").map_or(Some(1), V::exact_int) {
            Some(value) if value >= 0 => Ok(object(host, "multiprocessing.Semaphore", "-value", V::Int(value))),
            _ => outside_any(host, args),
        },
        "Semaphore.acquire" => acquire_one,
        "Semaphore.__enter__" => |host, args| acquire_one(host, Args::of(args.pos)),
        "Semaphore.release" | "Semaphore.__exit__" => |host, args| {
            host.may_raise("ValueError");
            add(host, &args, "-value", 1);
            Ok(V::None)
        },
        "Queue" | "SimpleQueue" => |host, _| Ok(object(host, "multiprocessing.Queue", "-size", V::Int(0))),
        "JoinableQueue" => |host, _| {
            let queue = object(host, "multiprocessing.JoinableQueue", "-size", V::Int(0));
            put(host, &queue, vec![(Sym::new("-open"), V::Int(0))]);
            Ok(queue)
        },
        "Queue.put" | "JoinableQueue.put" => |host, args| {
            host.unknown_call(&Args::of(args.pos.iter().skip(1).cloned()));
            add(host, &args, "-size", 1);
            add(host, &args, "-open", 1);
            super::threading::mark_put(host, &args);
            Ok(V::None)
        },
        "Queue.get" | "JoinableQueue.get" => take,
        "JoinableQueue.task_done" => |host, args| {
            host.may_raise("ValueError");
            add(host, &args, "-open", -1);
            Ok(V::None)
        },
        "JoinableQueue.join" => join_queue,
        "Pipe" => |host, args| {
            host.may_raise("OSError");
            if !args.exactly(0) {
                return outside_any(host, args);
            }
            let ends = ["a", "b"].map(|_| object(host, "multiprocessing.Connection", "-unread", V::Int(0)));
            for (end, peer) in [(0, 1), (1, 0)] {
                put(host, &ends[end], vec![(Sym::new("-peer"), ends[peer].clone())]);
            }
            Ok(V::tuple(ends.to_vec()))
        },
        "Connection.send" => |host, args| {
            host.unknown_call(&Args::of(args.pos.iter().skip(1).cloned()));
            let peer = Args::of([read(host, &args, "-peer")]);
            write(host, &peer, "-unread", V::Unknown(Why::OUTSIDE));
            Ok(V::None)
        },
        "Connection.close" => |host, args| {
            let peer = Args::of([read(host, &args, "-peer")]);
            write(host, &peer, "-unread", V::Unknown(Why::OUTSIDE));
            write(host, &args, "-unread", V::Unknown(Why::OUTSIDE));
            Ok(V::None)
        },
        "Connection.recv" => |host, args| {
            let peer = read(host, &args, "-peer");
            if read(host, &args, "-unread") == V::Int(0) && host.is_global(&peer) {
                return Err(host.waits_forever(FactKind::EndlessWait, "Connection.recv", "nothing is sent from the other end"));
            }
            host.may_raise("");
            Ok(V::Unknown(Why::OUTSIDE))
        },
        "Process" => |host, args| super::threading::thread(host, &args, "multiprocessing.Process"),
        "Process.__init__" => super::threading::initialise,
        "Process.start" => start,
        "Process.join" => |host, args| {
            if can_end(host) { outside_any(host, args) } else { super::threading::join(host, args) }
        },
        "Process.is_alive" => |host, args| {
            if can_end(host) { outside_bool(host, args) } else { super::threading::is_alive(host, args) }
        },
        "spawnpool.map" | "spawnpool.starmap" | "spawnpool.apply" | "spawnpool.join" => wait,
        _ => return None,
    }))
}

/// An object of which one thing is known as long as nobody else holds it.
fn object(host: &mut dyn Host, class: &str, name: &str, value: V) -> V {
    host.may_raise("OSError");
    host.alloc(Obj::Instance { class: V::lib(class), attrs: Rc::new(vec![(Sym::new(name), value)]) })
}

fn read(host: &mut dyn Host, args: &Args, name: &str) -> V {
    let attrs = args.pos.first().and_then(|this| instance(host, this)).map(|(_, attrs)| attrs);
    attrs.and_then(|attrs| attribute_of(&attrs, name)).unwrap_or(V::Unknown(Why::Lost))
}

fn write(host: &mut dyn Host, args: &Args, name: &str, value: V) {
    if let Some(this) = args.pos.first().cloned() {
        put(host, &this, vec![(Sym::new(name), value)]);
    }
}

/// Adds to a number of the state, where it is one.
fn add(host: &mut dyn Host, args: &Args, name: &str, by: i128) {
    let after = read(host, args, name).exact_int().map_or(V::Unknown(Why::Lost), |n| V::Int(n + by));
    write(host, args, name, after);
}

fn acquire_one(host: &mut dyn Host, args: Args) -> R<V> {
    if args.exactly(1) && read(host, &args, "-value") == V::Int(0) {
        let reason = "it is used up, and nobody else can release it";
        return Err(host.waits_forever(FactKind::EndlessWait, "Semaphore.acquire", reason));
    }
    if !args.exactly(1) {
        host.may_raise("");
        write(host, &args, "-value", V::Unknown(Why::Lost));
        return Ok(V::AnyBool(Why::OUTSIDE));
    }
    add(host, &args, "-value", -1);
    Ok(V::Bool(true))
}

fn acquire(host: &mut dyn Host, args: Args) -> R<V> {
    let locked = read(host, &args, "-locked");
    if args.pos.len() > 1 || !args.kw.is_empty() {
        host.may_raise("");
        write(host, &args, "-locked", V::Unknown(Why::Lost));
        return Ok(V::AnyBool(Why::OUTSIDE));
    }
    if locked == V::Bool(true) {
        let reason = "this process holds the lock already, and nobody else can release it";
        return Err(host.waits_forever(FactKind::EndlessWait, "Lock.acquire", reason));
    }
    let after = if locked == V::Bool(false) { V::Bool(true) } else { V::Unknown(Why::Lost) };
    write(host, &args, "-locked", after);
    Ok(V::Bool(true))
}

fn take(host: &mut dyn Host, args: Args) -> R<V> {
    let size = read(host, &args, "-size").exact_int();
    if size == Some(0) && args.exactly(1) {
        return Err(host.waits_forever(FactKind::EndlessWait, "Queue.get", "the queue is empty, and nobody else can put anything into it"));
    }
    if size.is_none() && args.exactly(1) && !host.accesses(PUTTING) {
        return Err(host.waits_forever(FactKind::EndlessWait, "Queue.get", "nothing is ever put into the queue"));
    }
    write(host, &args, "-size", size.filter(|n| *n > 0 && args.exactly(1)).map_or(V::Unknown(Why::Lost), |n| V::Int(n - 1)));
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
}

fn join_queue(host: &mut dyn Host, args: Args) -> R<V> {
    let open = read(host, &args, "-open").exact_int();
    if open.is_some_and(|n| n > 0) {
        let reason = "nobody else can call its `task_done` for what was put into it";
        return Err(host.waits_forever(FactKind::EndlessWait, "JoinableQueue.join", reason));
    }
    if open.is_none() && super::threading::was_put(host, &args) && !host.accesses(super::threading::ANSWERING) {
        let reason = "nothing in the program calls `task_done` for what was put into it";
        return Err(host.waits_forever(FactKind::EndlessWait, "JoinableQueue.join", reason));
    }
    Ok(V::None)
}

/// Whether the program names what ends processes.
fn can_end(host: &dyn Host) -> bool {
    host.mentions(&["terminate", "kill", "killpg", "close"])
}

/// Whether a child runs the function it is given: forked, or in an interpreter that imports the program first, which a guard keeps from
/// starting the child again.
pub fn runs(host: &dyn Host) -> bool {
    host.target().1 < 14 || (host.is_file() && host.mentions(&["__name__"]))
}

fn start(host: &mut dyn Host, args: Args) -> R<V> {
    if !runs(host) || can_end(host) {
        return interrupting(host, args);
    }
    super::threading::start(host, args, "multiprocessing.Process")
}

fn imports(method: Option<&V>) -> bool {
    matches!(method, Some(V::Str(text)) if &**text == "spawn" || &**text == "forkserver")
}

/// Its workers import the program, and where nothing keeps them from it, try to start a pool of their own, fail, and are replaced.
fn pool(host: &mut dyn Host, args: Args, spawns: bool) -> R<V> {
    if !spawns {
        return super::pool::of_processes(host, args);
    }
    let certain = host.is_file() && host.is_certain() && !host.mentions(&["__name__", "parent_process", "current_process"]);
    if !certain || args.kw.iter().any(|(name, _)| &*name.text() != "processes") || args.pos.len() > 1 {
        return interrupting(host, args);
    }
    Ok(V::Instance(Sym::new("multiprocessing.spawnpool"), Why::OUTSIDE))
}

fn wait(host: &mut dyn Host, args: Args) -> R<V> {
    if host.mentions(&["terminate"]) {
        return outside_any(host, args);
    }
    let reason = "its workers import this file, fail at starting a pool of their own, and are replaced without end";
    Err(host.waits_forever(FactKind::EndlessWait, "Pool.map", reason))
}
