//! `asyncio`: a sleep counts when it is awaited by the one task that runs; whatever may run beside others is unknown.

use crate::fact::FactKind;
use crate::library::{Args, Entry, Host, R};
use crate::value::float::Float;
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{all, attribute_of, bind, instance, look, outside_any, partial, put};
use super::{BY_TEXT, ENDING_ALL, INERT};

/// Names by which a program gets hold of tasks that it did not make itself.
const REACHING_TASKS: &[&str] = &["all_tasks", "current_task"];

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "sleep" => sleep,
        "sleep.wait" => wait,
        "gather" => gather,
        "gather.wait" => |host, args| {
            // One that raises ends the wait for all, and a task may be cancelled by whoever holds it.
            if !args.pos.iter().all(|awaitable| is_sleep(host, awaitable)) {
                host.interruptible();
            }
            wait_for_all(host, args)
        },
        // None of them raises.
        "gather.sure.wait" => wait_for_all,
        "create_task" | "ensure_future" => create_task,
        "create_task.wait" => wait_for_task,
        "run" => run,
        "timeout" | "timeout_at" => timeout,
        "wait_for" => wait_for,
        "wait_for.wait" => wait_for_in_time,
        "wait" => |host, args| later(host, "wait", &args),
        "wait.wait" => wait_for_tasks,
        "to_thread" => to_thread,
        "Task.wait" => wait_for_made,
        "Task.cancel" => |host, args| {
            write(host, &args, SECONDS, V::Float(0.0));
            Ok(V::AnyBool(Why::OUTSIDE))
        },
        "Event" => |host, args| made(host, &args, "asyncio.Event", &[("-set", V::Bool(false))]),
        "Event.set" => |host, args| Ok(write(host, &args, "-set", V::Bool(true))),
        "Event.clear" => |host, args| Ok(write(host, &args, "-set", V::Bool(false))),
        "Event.is_set" => |host, args| {
            let known = read(host, &args, "-set");
            Ok(if matches!(known, V::Bool(_)) { known } else { V::AnyBool(Why::OUTSIDE) })
        },
        "Event.wait" => |host, args| later(host, "Event.wait", &args),
        "Event.wait.wait" => wait_for_event,
        "Future" => |host, args| made(host, &args, "asyncio.Future", &[("-done", V::Bool(false))]),
        "Future.set_result" | "Future.set_exception" | "Future.cancel" => |host, args| {
            host.unknown_call(&Args::of(args.pos[1..].iter().cloned()));
            write(host, &args, "-done", V::Bool(true));
            Ok(V::Unknown(Why::OUTSIDE))
        },
        "Future.wait" => wait_for_future,
        "Lock" => |host, args| made(host, &args, "asyncio.Lock", &[("-free", V::Int(1))]),
        "Semaphore" | "BoundedSemaphore" => |host, args| match args.get(0, "value").map_or(Some(1), V::exact_int) {
            Some(free) if free >= 0 => made(host, &args, "asyncio.Lock", &[("-free", V::Int(free))]),
            _ => Ok(host.unknown_call(&args)),
        },
        "Lock.acquire" => |host, args| later(host, "Lock.acquire", &args),
        "Lock.acquire.wait" | "Lock.__aenter__" => acquire,
        "Lock.locked" => |host, args| {
            let free = read(host, &args, "-free").exact_int();
            Ok(free.map_or(V::AnyBool(Why::OUTSIDE), |free| V::Bool(free <= 0)))
        },
        "Lock.release" | "Lock.__aexit__" => |host, args| {
            host.may_raise("RuntimeError");
            host.may_raise("ValueError");
            Ok(add(host, &args, "-free", 1))
        },
        "Condition" => |host, args| {
            if args.exactly(0) { made(host, &args, "asyncio.Condition", &[(HELD, V::Bool(false))]) } else { Ok(host.unknown_call(&args)) }
        },
        "Condition.__aenter__" => |host, args| {
            write(host, &args, HELD, V::Bool(true));
            Ok(V::Bool(true))
        },
        "Condition.__aexit__" => |host, args| Ok(write(host, &args, HELD, V::Bool(false))),
        "Condition.notify" | "Condition.notify_all" => |host, _| {
            host.may_raise("RuntimeError");
            Ok(V::None)
        },
        "Condition.wait" => |host, args| later(host, "Condition.wait", &args),
        "Condition.wait.wait" => wait_for_notice,
        "Condition.wait_for" => |host, args| later(host, "Condition.wait_for", &args),
        "Condition.wait_for.wait" => |host, args| {
            let Some(predicate) = args.pos.get(1).cloned() else { return Err(host.raise("TypeError", "")) };
            let is_so = host.call(&predicate, Args::default())?;
            match host.truth(&is_so)? {
                Some(true) => Ok(is_so),
                Some(false) => wait_for_notice(host, args),
                None => {
                    host.may_raise("");
                    Ok(V::Unknown(Why::OUTSIDE))
                }
            }
        },
        "Barrier" => |host, args| match args.get(0, "parties").and_then(V::exact_int) {
            Some(parties) => made(host, &args, "asyncio.Barrier", &[("-parties", V::Int(parties))]),
            None => Ok(host.unknown_call(&args)),
        },
        "Barrier.wait" => |host, args| later(host, "Barrier.wait", &args),
        "Barrier.wait.wait" | "Barrier.__aenter__" => |host, args| {
            if matches!(read(host, &args, "-parties"), V::Int(parties) if parties > 1) {
                return in_vain(host, "asyncio.Barrier.wait", "nobody else can come to the barrier");
            }
            host.may_raise("");
            Ok(V::any_size(Why::OUTSIDE))
        },
        "Barrier.__aexit__" => |_, _| Ok(V::None),
        "Queue" | "LifoQueue" | "PriorityQueue" => |host, args| match args.get(0, "maxsize").map_or(Some(0), V::exact_int) {
            Some(most) => made(host, &args, "asyncio.Queue", &[("-size", V::Int(0)), ("-open", V::Int(0)), ("-most", V::Int(most))]),
            None => Ok(host.unknown_call(&args)),
        },
        "Queue.put" => |host, args| later(host, "Queue.put", &args),
        "Queue.put.wait" => |host, args| match (read(host, &args, "-size"), read(host, &args, "-most")) {
            (V::Int(size), V::Int(most)) if most > 0 && size >= most => {
                in_vain(host, "asyncio.Queue.put", "the queue is full, and nobody else can take anything out of it")
            }
            _ => put_item(host, args),
        },
        "Queue.put_nowait" => |host, args| {
            if read(host, &args, "-most") != V::Int(0) {
                host.may_raise("asyncio.QueueFull");
            }
            put_item(host, args)
        },
        "Queue.get" => |host, args| later(host, "Queue.get", &args),
        "Queue.get.wait" => take_item,
        "Queue.get_nowait" => |host, args| {
            if read(host, &args, "-size").exact_int().is_none_or(|size| size <= 0) {
                host.may_raise("asyncio.QueueEmpty");
            }
            add(host, &args, "-size", -1);
            Ok(V::Unknown(Why::OUTSIDE))
        },
        "Queue.qsize" => |host, args| Ok(read(host, &args, "-size").exact_int().map_or(V::any_size(Why::OUTSIDE), V::Int)),
        "Queue.empty" => |host, args| {
            let size = read(host, &args, "-size").exact_int();
            Ok(size.map_or(V::AnyBool(Why::OUTSIDE), |size| V::Bool(size == 0)))
        },
        "Queue.task_done" => |host, args| {
            host.may_raise("ValueError");
            Ok(add(host, &args, "-open", -1))
        },
        "Queue.join" => |host, args| later(host, "Queue.join", &args),
        "Queue.join.wait" => join_queue,
        "TaskGroup" => |host, args| made(host, &args, "asyncio.TaskGroup", &[(SECONDS, V::Float(0.0)), (RAISES, V::Bool(false))]),
        "TaskGroup.__aenter__" => |_, args| Ok(args.pos.first().cloned().unwrap_or(V::None)),
        "TaskGroup.create_task" => add_to_group,
        "TaskGroup.__aexit__" => wait_for_group,
        "create_subprocess_exec" => |host, args| {
            let known = super::subprocess::of_arguments(host, &args)?;
            host.store().escape_all(&args.values());
            let state = known.map(|(text, seconds)| vec![V::str(&text), V::Float(seconds)]);
            Ok(partial(host, "asyncio.create_subprocess_exec.wait", state.unwrap_or_default()))
        },
        "create_subprocess_shell" => |host, args| {
            let known = super::subprocess::of_shell(host, &args)?;
            host.store().escape_all(&args.values());
            let state = known.map(|(text, seconds)| vec![V::str(&text), V::Float(seconds)]);
            Ok(partial(host, "asyncio.create_subprocess_exec.wait", state.unwrap_or_default()))
        },
        "create_subprocess_exec.wait" => |host, args| {
            host.may_raise("");
            let [Some(text), Some(V::Float(seconds))] = [args.pos.first().cloned(), args.pos.get(1).cloned()] else {
                return Ok(V::Unknown(Why::OUTSIDE));
            };
            let attrs = vec![(Sym::new("-text"), text), (Sym::new("-until"), V::Float(host.store().path.cost + seconds))];
            Ok(host.alloc(Obj::Instance { class: V::lib("asyncio.Process"), attrs: std::rc::Rc::new(attrs) }))
        },
        "Process.wait" | "Process.communicate" => |host, args| later(host, "Process.wait", &args),
        "Process.wait.wait" => wait_for_process,
        "start_server" => |host, args| {
            host.special("handles", Args::of(args.pos.first().cloned()))?;
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

/// What is known of something that runs by itself: at least so many seconds, and whether it may end with an exception.
const SECONDS: &str = "-seconds";
const RAISES: &str = "-raises";

/// Whether this task holds the lock of a condition.
const HELD: &str = "-held";

/// Noted as assigned once something to wait with is made outside a running loop: before 3.10 it then belongs to another one, and waiting
/// with it fails.
const EARLY: &str = "asyncio.early";

/// Attributes by which something that waits is told to go on, or to give up.
const SETTING: &[&str] = &["set", "_value", "_waiters"];
const RESOLVING: &[&str] = &["cancel", "set_exception", "set_result"];
const ANSWERING: &[&str] = &["_finished", "_unfinished_tasks", "shutdown", "task_done"];

/// Names of what ends a task or a loop from elsewhere.
const CANCELLING: &[&str] = &["cancel", "cancelling", "stop", "shutdown", "athrow", "throw"];

/// Whether a partial of this function is an awaitable.
pub fn is_awaitable(name: &str) -> bool {
    matches!(name, "serving.aserver.serve_forever.wait")
        || name.strip_prefix("asyncio.").is_some_and(|name| name.strip_suffix(".wait").is_some_and(|name| name != "Event"))
}

/// What waiting for an instance of a class of the module calls, where it may be waited for.
pub fn waiting(class: &str) -> Option<&'static str> {
    match class {
        "asyncio.Task" => Some("asyncio.Task.wait"),
        "asyncio.Future" => Some("asyncio.Future.wait"),
        _ => None,
    }
}

/// The awaitable that a method gives.
fn later(host: &mut dyn Host, method: &str, args: &Args) -> R<V> {
    if !args.kw.is_empty() || args.open {
        return Ok(host.unknown_call(args));
    }
    Ok(partial(host, &format!("asyncio.{method}.wait"), args.pos.to_vec()))
}

/// An object whose state is known as long as nobody else may hold it.
fn made(host: &mut dyn Host, args: &Args, class: &str, attrs: &[(&str, V)]) -> R<V> {
    look(host, args);
    if host.special("coroutine", Args::default())? != V::Bool(true) {
        host.store().patch(Sym::new(EARLY));
    }
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
    if host.target().0 < 10 && host.store().is_patched(Sym::new(EARLY)) {
        host.may_raise("");
        return Ok(V::Unknown(Why::Lost));
    }
    endless(host, callee, reason)
}

/// As [`in_vain`], of what belongs to the running loop.
fn endless(host: &mut dyn Host, callee: &str, reason: &str) -> R<V> {
    let path = host.store().path;
    if path.timeouts > 0 || path.interruptible || path.unknown_managers > 0 {
        host.may_raise("");
        return Ok(V::Unknown(Why::Lost));
    }
    Err(host.waits_forever(FactKind::EndlessWait, callee, reason))
}

/// A wait for what others hold is ended by them alone, but for what the program names.
fn may_be_cancelled(host: &mut dyn Host) {
    let early = host.target().0 < 10 && host.store().is_patched(Sym::new(EARLY));
    if early || host.store().path.timeouts > 0 || host.mentions(CANCELLING) {
        host.may_raise("");
    }
}

fn wait_for_event(host: &mut dyn Host, args: Args) -> R<V> {
    match read(host, &args, "-set") {
        V::Bool(true) => Ok(V::Bool(true)),
        V::Bool(false) => in_vain(host, "asyncio.Event.wait", "nobody else can set the event"),
        _ if host.accesses(SETTING) => {
            may_be_cancelled(host);
            Ok(V::Bool(true))
        }
        _ => in_vain(host, "asyncio.Event.wait", "nothing in the program sets an event"),
    }
}

fn wait_for_notice(host: &mut dyn Host, args: Args) -> R<V> {
    match read(host, &args, HELD) {
        V::Bool(true) => in_vain(host, "asyncio.Condition.wait", "nobody else can notify the condition"),
        V::Bool(false) => Err(host.raise("RuntimeError", "cannot wait on un-acquired lock")),
        _ => {
            host.may_raise("RuntimeError");
            may_be_cancelled(host);
            Ok(V::Bool(true))
        }
    }
}

fn wait_for_future(host: &mut dyn Host, args: Args) -> R<V> {
    match read(host, &args, "-done") {
        V::Bool(false) => in_vain(host, "asyncio.Future", "nobody else can set its result"),
        V::Unknown(_) if !host.accesses(RESOLVING) => in_vain(host, "asyncio.Future", "nothing in the program sets a result"),
        _ => {
            host.may_raise("");
            Ok(V::Unknown(Why::OUTSIDE))
        }
    }
}

/// A lock is a semaphore of one.
fn acquire(host: &mut dyn Host, args: Args) -> R<V> {
    match read(host, &args, "-free") {
        V::Int(free) if free <= 0 => return in_vain(host, "asyncio.Lock.acquire", "it is taken, and nobody else can release it"),
        V::Int(_) => {}
        _ => may_be_cancelled(host),
    }
    add(host, &args, "-free", -1);
    Ok(V::Bool(true))
}

fn put_item(host: &mut dyn Host, args: Args) -> R<V> {
    // In a queue of priorities items are compared.
    if host.mentions(&["PriorityQueue"]) {
        host.unknown_call(&Args::of(args.pos[1..].iter().cloned()));
    } else {
        host.store().escape_all(&args.pos[1..]);
    }
    super::threading::mark_put(host, &args);
    add(host, &args, "-size", 1);
    Ok(add(host, &args, "-open", 1))
}

fn take_item(host: &mut dyn Host, args: Args) -> R<V> {
    match read(host, &args, "-size") {
        V::Int(0) => return in_vain(host, "asyncio.Queue.get", "the queue is empty, and nobody else can put anything into it"),
        V::Int(_) => {}
        _ => may_be_cancelled(host),
    }
    add(host, &args, "-size", -1);
    Ok(V::Unknown(Why::OUTSIDE))
}

fn join_queue(host: &mut dyn Host, args: Args) -> R<V> {
    let nobody = "nobody else can call its `task_done` for what was put into it";
    match read(host, &args, "-open") {
        V::Int(0) => Ok(V::None),
        V::Int(n) if n > 0 => in_vain(host, "asyncio.Queue.join", nobody),
        _ if super::threading::was_put(host, &args) && !host.accesses(ANSWERING) => {
            in_vain(host, "asyncio.Queue.join", "nothing in the program calls `task_done` for what was put into it")
        }
        _ => {
            may_be_cancelled(host);
            Ok(V::None)
        }
    }
}

/// At least how long awaitables take that run beside each other and the rest of the program, and whether one may raise.
fn beside(host: &mut dyn Host, awaitables: &[V]) -> R<(f64, bool)> {
    let (mut seconds, mut raises) = (0.0_f64, false);
    for awaitable in awaitables {
        let (each, may_raise) = host.lasts_awaited(awaitable)?;
        seconds = seconds.max(each);
        raises |= may_raise;
    }
    Ok((seconds, raises))
}

/// Names of exceptions that end the loop, and with it all tasks, when one task raises them.
const LEAVING: &[&str] = &["KeyboardInterrupt", "SystemExit", "exit", "quit"];

/// Something is to run beside what this task does. It may end all of it, where the program names what does so or not all of it is seen.
fn runs_beside(host: &mut dyn Host) {
    if [ENDING_ALL, LEAVING, BY_TEXT].iter().any(|names| host.mentions(names)) || !host.imports_only(&INERT) {
        host.interruptible();
    }
}

/// Other tasks have these from here on, and go on with them at each wait.
fn give(host: &mut dyn Host, awaitables: &[V]) {
    host.store().escape_all(awaitables);
    host.may_raise("");
}

/// What runs by itself from here on, or from when it is waited for.
fn task(host: &mut dyn Host, seconds: f64, raises: bool) -> V {
    let attrs = vec![(Sym::new(SECONDS), V::Float(seconds)), (Sym::new(RAISES), V::Bool(raises))];
    host.alloc(Obj::Instance { class: V::lib("asyncio.Task"), attrs: std::rc::Rc::new(attrs) })
}

fn is_endless(host: &mut dyn Host, args: &Args) -> bool {
    read(host, args, SECONDS) == V::Float(f64::INFINITY) && !host.mentions(CANCELLING)
}

fn wait_for_made(host: &mut dyn Host, args: Args) -> R<V> {
    if is_endless(host, &args) {
        return endless(host, "await", "what it waits for never returns");
    }
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
}

/// Without a time, or a condition when to come back, all are waited for, whatever becomes of some.
fn wait_for_tasks(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.len() == 1
        && let Some(taken) = host.foresee(&args.pos[0])?
    {
        for task in &taken.items.exact {
            if host.lasts_awaited(task)?.0 == f64::INFINITY && !host.mentions(CANCELLING) {
                return endless(host, "asyncio.wait", "one of the tasks never returns");
            }
        }
    }
    outside_any(host, args)
}

fn to_thread(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(function) = args.pos.first().cloned() else { return Err(host.raise("TypeError", "")) };
    let seconds = if args.kw.is_empty() { host.lasts(&function, Args::of(args.pos[1..].iter().cloned()))? } else { 0.0 };
    let before = host.store().path.interruptible;
    host.unknown_call(&args);
    if seconds == f64::INFINITY {
        host.store().path.interruptible = before;
    }
    Ok(task(host, seconds, true))
}

fn add_to_group(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(coroutine) = args.pos.get(1).cloned() else { return Err(host.raise("TypeError", "")) };
    runs_beside(host);
    let (seconds, raises) = beside(host, std::slice::from_ref(&coroutine))?;
    give(host, &[coroutine]);
    let before = (read(host, &args, SECONDS), read(host, &args, RAISES));
    if let (V::Float(known), V::Bool(may_raise)) = before {
        write(host, &args, SECONDS, V::Float(known.max(seconds)));
        write(host, &args, RAISES, V::Bool(may_raise || raises));
    }
    Ok(task(host, seconds, raises))
}

/// A group is left when all of its tasks have returned, or one has raised.
fn wait_for_group(host: &mut dyn Host, args: Args) -> R<V> {
    let returned = matches!(args.pos.get(1), Some(V::None));
    if returned && is_endless(host, &args) && read(host, &args, RAISES) == V::Bool(false) {
        return endless(host, "asyncio.TaskGroup", "one of its tasks never returns");
    }
    host.may_raise("");
    Ok(V::None)
}

/// A process runs while the program does.
fn wait_for_process(host: &mut dyn Host, args: Args) -> R<V> {
    if let (V::Float(until), V::Str(text)) = (read(host, &args, "-until"), read(host, &args, "-text"))
        && !host.mentions(super::subprocess::ENDING)
        && !host.spells("kill")
    {
        let path = host.store().path;
        let is_held = path.timeouts == 0 && !path.interruptible && path.unknown_managers == 0;
        if is_held {
            super::subprocess::wait_for(host, &text, until - path.cost, Some(f64::INFINITY), "Process.wait")?;
        }
    }
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
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
                    matches!(
                        &*name.text(),
                        "asyncio.sleep.wait" | "asyncio.gather.wait" | "asyncio.gather.sure.wait" | "asyncio.create_task.wait"
                    )
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
    let keeps = match args.kw.as_slice() {
        [] => false,
        [(name, V::Bool(keeps))] if &*name.text() == "return_exceptions" => *keeps,
        _ => return Ok(host.unknown_call(&args)),
    };
    runs_beside(host);
    let (seconds, raises) = beside(host, &args.pos)?;
    if seconds < f64::INFINITY && args.kw.is_empty() && independent(host, &args.pos)? {
        let is_sure = !raises && !host.mentions(CANCELLING);
        return Ok(partial(host, if is_sure { "asyncio.gather.sure.wait" } else { "asyncio.gather.wait" }, args.pos.to_vec()));
    }
    give(host, &args.pos);
    Ok(task(host, if raises && !keeps { 0.0 } else { seconds }, raises))
}

fn is_sleep(host: &mut dyn Host, awaitable: &V) -> bool {
    let V::Ref(id) = awaitable else { return false };
    matches!(host.store().get(*id), Obj::Partial { function: V::Lib(name), .. } if &*name.text() == "asyncio.sleep.wait")
}

fn wait_for_all(host: &mut dyn Host, args: Args) -> R<V> {
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
    if args.pos.len() > 1 || args.kw.iter().any(|(n, _)| &*n.text() != "name") {
        return Ok(host.unknown_call(&args));
    }
    runs_beside(host);
    if !independent(host, std::slice::from_ref(&coroutine))? {
        let (seconds, raises) = beside(host, std::slice::from_ref(&coroutine))?;
        give(host, &[coroutine]);
        return Ok(task(host, seconds, raises));
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
        V::Ref(id) => match host.store().get(*id) {
            Obj::Generator(generator) => generator.coroutine,
            Obj::Instance { class: V::Lib(class), .. } => waiting(&class.text()).is_some(),
            _ => false,
        },
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
