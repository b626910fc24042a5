//! `asyncio`: a sleep counts when it is awaited by the one task that runs; whatever may run beside others is unknown.

use crate::library::{Args, Entry, Host, R};
use crate::value::float::Float;
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{all, bind, look, partial};

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
        _ => return None,
    }))
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
    let certain = !path.interruptible && path.unknown_managers == 0 && path.timeouts == 0 && !float.nan;
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
    // One that raises ends the wait for all, and a task may be cancelled by whoever holds it.
    if !args.pos.iter().all(|v| sleeps(host, v)) {
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
    Ok(V::Instance(Sym::new("asyncio.timeout"), Why::Outside))
}
