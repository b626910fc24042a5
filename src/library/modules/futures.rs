//! `concurrent.futures`: an executor's `map` takes all of its iterables before it gives the first result.

use crate::library::common::collect;
use crate::library::{Args, Entry, Host, R};
use crate::value::cost;
use crate::value::object::{IterKind, Sym, V, Why};

use super::support::iterator;

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "futures.ThreadPoolExecutor" => Entry::Function(|host, args| executor(host, &args, "concurrent.futures.ThreadPoolExecutor")),
        "futures.ProcessPoolExecutor" => Entry::Function(|host, args| executor(host, &args, "concurrent.futures.ProcessPoolExecutor")),
        "futures.ThreadPoolExecutor.submit" => Entry::Function(submit),
        "futures.ThreadPoolExecutor.map" | "futures.ProcessPoolExecutor.map" => Entry::Function(map),
        _ => return None,
    })
}

fn executor(host: &mut dyn Host, args: &Args, class: &str) -> R<V> {
    host.unknown_call(args);
    host.interruptible();
    Ok(V::Instance(Sym::new(class), Why::OUTSIDE))
}

/// The threads of a pool are waited for at the end, whatever was said to the pool.
fn submit(host: &mut dyn Host, args: Args) -> R<V> {
    if args.kw.is_empty()
        && args.pos.len() >= 2
        && !host.mentions(&["cancel", "cancel_futures"])
        && host.lasts(&args.pos[1].clone(), Args::of(args.pos[2..].iter().cloned()))? == f64::INFINITY
    {
        super::threading::hangs_at_exit(
            host,
            "Executor.submit",
            "its function never returns, and the pool's threads are waited for at the end",
        );
    }
    host.interruptible();
    Ok(host.unknown_call(&args))
}

fn map(host: &mut dyn Host, args: Args) -> R<V> {
    // `executor, function, *iterables`; with a buffer (3.14) it is lazy.
    if args.pos.len() < 3 || args.kw.iter().any(|(n, _)| &*n.text() == "buffersize") {
        return Ok(host.unknown_call(&args));
    }
    let mut sources = Vec::new();
    for iterable in &args.pos[2..] {
        sources.push(host.iterate(iterable)?);
    }
    let pairs = iterator(host, IterKind::Zip, sources);
    let items = collect(host, &pairs, "Executor.map", cost::LIST_COPY_ITEM)?;
    let mut given = items.exact;
    given.extend(items.rest.map(|r| r.element));
    given.push(args.pos[1].clone());
    host.interruptible();
    Ok(host.unknown_call(&Args::of(given)))
}
