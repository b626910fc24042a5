//! `asyncio`: a sleep counts when it is awaited by the one task that runs; whatever may run beside others is unknown.

use crate::fact::FactKind;
use crate::library::{Args, Entry, Host, R};
use crate::value::float::Float;
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{all, attribute_of, bind, instance, look, partial, put};

/// Names by which a program gets hold of tasks that it did not make itself.
const REACHING_TASKS: &[&str] = &["all_tasks", "current_task"];

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "sleep" => sleep,
        "sleep.wait" => wait,
        "gather" => gather,
        "gather.wait" => wait_for_all,
        "create_task" | "ensure_future" => create_task,
        "create_task.wait" => wait_for_task,
        "run" => run,
        "timeout" | "timeout_at" => timeout,
        "wait_for" => wait_for,
        "wait_for.wait" => wait_for_in_time,
        "Event" => |host, args| made(host, &args, "asyncio.Event", &[("-set", V::Bool(false))]),
        "Event.set" => |host, args| Ok(write(host, &args, "-set", V::Bool(true))),
        "Event.clear" => |host, args| Ok(write(host, &args, "-set", V::Bool(false))),
        "Event.is_set" => |host, args| Ok(read(host, &args, "-set")),
        "Event.wait" => |host, args| Ok(partial(host, "asyncio.Event.wait.wait", args.pos.to_vec())),
        "Event.wait.wait" => wait_for_event,
        "Queue" => |host, args| {
            // One of a size may be full.
            if args.pos.is_empty() && args.kw.is_empty() {
                made(host, &args, "asyncio.Queue", &[("-size", V::Int(0)), ("-open", V::Int(0))])
            } else {
                Ok(host.unknown_call(&args))
            }
        },
        "Queue.put" => |host, args| Ok(partial(host, "asyncio.Queue.put.wait", args.pos.to_vec())),
        "Queue.put.wait" | "Queue.put_nowait" => put_item,
        "Queue.get" => |host, args| Ok(partial(host, "asyncio.Queue.get.wait", args.pos.to_vec())),
        "Queue.get.wait" => take_item,
        "Queue.task_done" => |host, args| {
            host.may_raise("ValueError");
            Ok(add(host, &args, "-open", -1))
        },
        "Queue.join" => |host, args| Ok(partial(host, "asyncio.Queue.join.wait", args.pos.to_vec())),
        "Queue.join.wait" => join_queue,
        "start_server" => |host, args| {
            host.store().escape_all(&args.values());
            Ok(partial(host, "asyncio.start_server.wait", Vec::new()))
        },
        "start_server.wait" => |host, _| {
            host.may_raise("");
            Ok(V::Instance(Sym::new("serving.aserver"), Why::OUTSIDE))
        },
        _ => return None,
    }))
}

/// Whether a partial of this function is an awaitable.
pub fn is_awaitable(name: &str) -> bool {
    matches!(name, "serving.aserver.serve_forever.wait")
        || name.strip_prefix("asyncio.").is_some_and(|name| name.strip_suffix(".wait").is_some_and(|name| name != "Event"))
}

/// An object whose state is known as long as nobody else may hold it.
fn made(host: &mut dyn Host, args: &Args, class: &str, attrs: &[(&str, V)]) -> R<V> {
    look(host, args);
    let attrs = attrs.iter().map(|(name, value)| (Sym::new(name), value.clone())).collect();
    Ok(host.alloc(Obj::Instance { class: V::lib(class), attrs: std::rc::Rc::new(attrs) }))
}

fn read(host: &mut dyn Host, args: &Args, name: &str) -> V {
    let known = args.pos.first().and_then(|this| instance(host, this));
    known.and_then(|(_, attrs)| attribute_of(&attrs, name)).unwrap_or(V::Unknown(Why::Lost))
}

fn write(host: &mut dyn Host, args: &Args, name: &str, value: V) -> V {
    if let Some(this) = args.pos.first().cloned()
        && instance(host, &this).is_some()
    {
        put(host, &this, vec![(Sym::new(name), value)]);
    }
    V::None
}

fn add(host: &mut dyn Host, args: &Args, name: &str, by: i128) -> V {
    let after = read(host, args, name).exact_int().map_or(V::any_size(Why::Lost), |n| V::Int(n + by));
    write(host, args, name, after)
}

/// Nobody else comes to end the wait; but what surrounds it may.
fn in_vain(host: &mut dyn Host, callee: &str, reason: &str) -> R<V> {
    let path = host.store().path;
    if path.timeouts > 0 || path.interruptible || path.unknown_managers > 0 {
        host.may_raise("");
        return Ok(V::Unknown(Why::Lost));
    }
    Err(host.waits_forever(FactKind::EndlessWait, callee, reason))
}

fn wait_for_event(host: &mut dyn Host, args: Args) -> R<V> {
    match read(host, &args, "-set") {
        V::Bool(true) => Ok(V::Bool(true)),
        V::Bool(false) => in_vain(host, "asyncio.Event.wait", "nobody else can set the event"),
        _ => {
            host.may_raise("");
            Ok(V::Bool(true))
        }
    }
}

fn put_item(host: &mut dyn Host, args: Args) -> R<V> {
    host.unknown_call(&Args::of(args.pos[1..].iter().cloned()));
    add(host, &args, "-size", 1);
    Ok(add(host, &args, "-open", 1))
}

fn take_item(host: &mut dyn Host, args: Args) -> R<V> {
    match read(host, &args, "-size") {
        V::Int(0) => return in_vain(host, "asyncio.Queue.get", "the queue is empty, and nobody else can put anything into it"),
        V::Int(_) => {}
        _ => host.may_raise(""),
    }
    add(host, &args, "-size", -1);
    Ok(V::Unknown(Why::OUTSIDE))
}

fn join_queue(host: &mut dyn Host, args: Args) -> R<V> {
    match read(host, &args, "-open") {
        V::Int(0) => Ok(V::None),
        V::Int(n) if n > 0 => in_vain(host, "asyncio.Queue.join", "nobody else can call its `task_done` for what was put into it"),
        _ => {
            host.may_raise("");
            Ok(V::None)
        }
    }
}

/// As `await`, for so long at most.
fn wait_for(host: &mut dyn Host, args: Args) -> R<V> {
    let [awaitable, timeout, _] = bind(host, &args, ["fut", "timeout", "loop"], 2)?;
    let (awaitable, timeout) = (awaitable.unwrap_or(V::None), timeout.unwrap_or(V::None));
    if !matches!(awaitable, V::Ref(_)) {
        return Ok(host.unknown_call(&args));
    }
    Ok(partial(host, "asyncio.wait_for.wait", vec![awaitable, timeout]))
}

/// What is awaited is cancelled when the time is up; what does not wait runs on.
fn wait_for_in_time(host: &mut dyn Host, args: Args) -> R<V> {
    let [awaitable, timeout] = all(host, &args, ["/awaitable", "/timeout"])?;
    if matches!(timeout, V::None) {
        return host.wait(&awaitable);
    }
    host.store().path.timeouts += 1;
    let result = host.wait(&awaitable);
    let path = &mut host.store().path;
    path.timeouts = path.timeouts.saturating_sub(1);
    host.may_raise("");
    result
}

/// The awaitable: what it waits for and what it gives, for when it is awaited.
fn sleep(host: &mut dyn Host, args: Args) -> R<V> {
    let [delay, result] = bind(host, &args, ["delay", "result"], 1)?;
    Ok(partial(host, "asyncio.sleep.wait", vec![delay.unwrap_or(V::None), result.unwrap_or(V::None)]))
}

fn wait(host: &mut dyn Host, args: Args) -> R<V> {
    let [delay, result] = all(host, &args, ["/delay", "/result"])?;
    let float = match &delay {
        V::Float(f) => Float::exact(*f),
        V::Floats(r) => r.0,
        v => match v.as_int() {
            Some(int) => Float::range(int.lower().map_or(f64::NEG_INFINITY, |n| n as f64), int.upper().map_or(f64::INFINITY, |n| n as f64)),
            None => Float::ANY,
        },
    };
    if float.nan || !delay.is_number() {
        host.may_raise("");
    }
    let path = host.store().path;
    // Another task, a timeout around it or a handler may cancel it at any time.
    if path.timeouts > 0 {
        host.may_raise("");
    }
    // Whoever gets hold of a task can cancel it.
    let held = host.mentions(REACHING_TASKS);
    let certain = !path.interruptible && path.unknown_managers == 0 && path.timeouts == 0 && !float.nan && !held;
    let low = if certain { float.low.max(0.0) } else { 0.0 };
    host.sleep(low, float.high.max(low), "asyncio.sleep");
    Ok(result)
}

/// Whether the awaitables can be followed one by one although they run beside each other: sleeps, and coroutines that share
/// nothing with anybody.
fn independent(host: &mut dyn Host, awaitables: &[V]) -> R<bool> {
    for awaitable in awaitables {
        let waits = match awaitable {
            V::Ref(id) => match host.store().get(*id) {
                Obj::Partial { function: V::Lib(name), .. } => {
                    matches!(&*name.text(), "asyncio.sleep.wait" | "asyncio.gather.wait" | "asyncio.create_task.wait")
                }
                _ => false,
            },
            _ => false,
        };
        if !waits && host.special("isolated", Args::of([awaitable.clone()]))? != V::Bool(true) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Awaits something and gives how long that took at least; the time is put back.
fn timed(host: &mut dyn Host, awaitable: &V) -> R<(V, f64)> {
    let before = host.store().path.cost;
    let value = host.wait(awaitable)?;
    let taken = host.store().path.cost - before;
    host.store().path.cost = before;
    Ok((value, taken))
}

/// All run at the same time, so together they take as long as the longest.
fn gather(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.kw.is_empty() || !independent(host, &args.pos)? {
        return Ok(host.unknown_call(&args));
    }
    Ok(partial(host, "asyncio.gather.wait", args.pos.to_vec()))
}

fn wait_for_all(host: &mut dyn Host, args: Args) -> R<V> {
    let sleeps = |host: &mut dyn Host, v: &V| match v {
        V::Ref(id) => matches!(host.store().get(*id), Obj::Partial { function: V::Lib(name), .. } if &*name.text() == "asyncio.sleep.wait"),
        _ => false,
    };
    let coroutine = |host: &mut dyn Host, v: &V| match v {
        V::Ref(id) => matches!(host.store().get(*id), Obj::Generator(g) if g.coroutine),
        _ => false,
    };
    // One that raises ends the wait for all, and a task may be cancelled by whoever holds it.
    let simple = args.pos.iter().all(|v| sleeps(host, v));
    let unshared = !host.mentions(REACHING_TASKS) && args.pos.iter().all(|v| sleeps(host, v) || coroutine(host, v));
    let all_end = simple || unshared && host.none_raises(&args.pos)?;
    if !all_end {
        host.interruptible();
    }
    let (mut values, mut longest) = (Vec::new(), 0.0_f64);
    for awaitable in &args.pos {
        let (value, taken) = timed(host, awaitable)?;
        values.push(value);
        longest = longest.max(taken);
    }
    host.store().path.cost += longest;
    Ok(crate::library::list(host, values))
}

/// A task runs from when it was made; whoever awaits it waits for the rest of it.
fn create_task(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(coroutine) = args.pos.first().cloned() else { return Err(host.raise("TypeError", "")) };
    if args.pos.len() > 1 || args.kw.iter().any(|(n, _)| &*n.text() != "name") || !independent(host, std::slice::from_ref(&coroutine))? {
        return Ok(host.unknown_call(&args));
    }
    let start = host.store().path.cost;
    Ok(partial(host, "asyncio.create_task.wait", vec![coroutine, V::Float(start)]))
}

fn wait_for_task(host: &mut dyn Host, args: Args) -> R<V> {
    let [coroutine, start] = all(host, &args, ["/coroutine", "/start"])?;
    let now = host.store().path.cost;
    host.store().path.cost = if let V::Float(start) = start { start.min(now) } else { 0.0 };
    let value = host.wait(&coroutine)?;
    let path = &mut host.store().path;
    path.cost = path.cost.max(now);
    Ok(value)
}

/// Runs one coroutine to its end.
pub fn run(host: &mut dyn Host, args: Args) -> R<V> {
    let [main, _, _] = bind(host, &args, ["main", "debug", "loop_factory"], 1)?;
    let main = main.unwrap_or(V::None);
    let coroutine = match &main {
        V::Ref(id) => matches!(host.store().get(*id), Obj::Generator(g) if g.coroutine),
        _ => false,
    };
    // Inside a running loop it fails.
    host.may_raise("RuntimeError");
    if coroutine && args.exactly(1) { host.wait(&main) } else { Ok(host.unknown_call(&args)) }
}

/// A manager that cancels what is awaited inside it.
fn timeout(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    Ok(V::Instance(Sym::new("asyncio.timeout"), Why::OUTSIDE))
}
