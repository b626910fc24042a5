//! `asyncio`: a sleep counts when it is awaited by the one task that runs; whatever may run beside others is unknown.

use crate::library::{Args, Entry, Host, R};
use crate::value::float::Float;
use crate::value::object::{Obj, V};

use super::support::{all, bind, partial};

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "sleep" => sleep,
        "sleep.wait" => wait,
        "run" => run,
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
    let certain = !path.interruptible && path.unknown_managers == 0 && !float.nan;
    let low = if certain { float.low.max(0.0) } else { 0.0 };
    host.sleep(low, float.high.max(low), "asyncio.sleep");
    Ok(result)
}

/// Runs one coroutine to its end.
fn run(host: &mut dyn Host, args: Args) -> R<V> {
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
