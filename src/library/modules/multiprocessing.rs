//! `multiprocessing`: pools whose workers import the program again.

use crate::fact::FactKind;
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Sym, V, Why};

use super::support::{interrupting, outside_any};

/// Noted as assigned once the start method is known to be one that imports the program.
const IMPORTS: &str = "multiprocessing.start method";

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
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
        "Pool" => |host, args| {
            let spawns = host.store().is_patched(Sym::new(IMPORTS));
            pool(host, args, spawns)
        },
        "Process" => |host, args| super::threading::thread(host, &args, "multiprocessing.Process"),
        "Process.__init__" => super::threading::initialise,
        "Process.start" => start,
        "Process.join" => |host, args| {
            if can_end(host) { outside_any(host, args) } else { super::threading::join(host, args) }
        },
        "spawnpool.map" | "spawnpool.starmap" | "spawnpool.apply" | "spawnpool.join" => wait,
        _ => return None,
    }))
}

/// Whether the program names what ends processes.
fn can_end(host: &dyn Host) -> bool {
    host.mentions(&["terminate", "kill", "killpg", "close"])
}

/// The child runs the function: forked, or in an interpreter that imports the program first, which a guard keeps from starting
/// the child again.
fn start(host: &mut dyn Host, args: Args) -> R<V> {
    let runs = host.target().1 < 14 || (host.is_file() && host.mentions(&["__name__"]));
    if !runs || can_end(host) {
        return interrupting(host, args);
    }
    super::threading::start(host, args, "multiprocessing.Process")
}

fn imports(method: Option<&V>) -> bool {
    matches!(method, Some(V::Str(text)) if &**text == "spawn" || &**text == "forkserver")
}

/// Its workers import the program, and where nothing keeps them from it, try to start a pool of their own, fail, and are replaced.
fn pool(host: &mut dyn Host, args: Args, spawns: bool) -> R<V> {
    let certain = spawns && host.is_file() && host.is_certain() && !host.mentions(&["__name__", "parent_process", "current_process"]);
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
