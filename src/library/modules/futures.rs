//! `concurrent.futures`: what pools run beside the program, and who waits for it. An executor's `map` takes all of its iterables before it
//! gives the first result.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::common::collect;
use crate::library::{Args, Entry, Host, R};
use crate::value::cost;
use crate::value::object::{IterKind, Obj, Sym, V, Why};

use super::support::{attribute_of, bind, instance, iterator, put};
use super::threading;

/// The class of a pool of threads, that of one of processes, and that of one with a single thread.
const THREADS: &str = "concurrent.futures.ThreadPoolExecutor";
const PROCESSES: &str = "concurrent.futures.ProcessPoolExecutor";
const ONE_THREAD: &str = "concurrent.futures.ThreadPoolExecutor+one";

/// What is known of a pool whoever holds it: that it takes nothing more.
const CLOSED: &str = "+closed";

/// Names of what takes back what was handed to a pool.
const CANCELLING: &[&str] = &["cancel", "cancel_futures", "kill_workers", "terminate_workers"];

/// Attributes that end the wait for a future.
const RESOLVING: &[&str] = &["cancel", "set_exception", "set_result"];

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name.replace("+one", "").as_str() {
        "futures.ThreadPoolExecutor" => threads,
        "futures.ProcessPoolExecutor" => |host, args| {
            if super::multiprocessing::runs(host) {
                return super::pool::made(host, args, PROCESSES);
            }
            host.unknown_call(&args);
            host.interruptible();
            Ok(V::Instance(Sym::new(PROCESSES), Why::OUTSIDE))
        },
        "futures.ProcessPoolExecutor.submit" => submit_to_process,
        "futures.ThreadPoolExecutor.__enter__" | "futures.ProcessPoolExecutor.__enter__" => {
            |_, args| Ok(args.pos.first().cloned().unwrap_or(V::None))
        }
        "futures.ThreadPoolExecutor.__exit__"
        | "futures.ProcessPoolExecutor.__exit__"
        | "futures.ThreadPoolExecutor.shutdown"
        | "futures.ProcessPoolExecutor.shutdown" => |host, args| {
            threading::mark(host, &args, CLOSED, true);
            Ok(super::pool::close(host, &args))
        },
        "futures.ThreadPoolExecutor.submit" => submit,
        "futures.ThreadPoolExecutor.map" | "futures.ProcessPoolExecutor.map" => map,
        // What a thread of a pool does: `executor, function, *arguments`.
        "futures.ThreadPoolExecutor.work" => |host, args| {
            let (function, rest) = (args.pos[1].clone(), args.pos[2..].iter().cloned());
            host.call(&function, Args::of(rest))
        },
        "futures.Future" => |host, _| Ok(future(host, 0.0, &[("-done", V::Bool(false))])),
        "futures.Future.set_result" | "futures.Future.set_exception" => |host, args| {
            host.unknown_call(&Args::of(args.pos.get(1).cloned()));
            if let Some(this) = args.pos.first() {
                put(host, this, vec![(Sym::new("-done"), V::Bool(true))]);
            }
            Ok(V::None)
        },
        "futures.Future.done" => |host, args| {
            let attrs = attrs_of(host, args.pos.first());
            let is_open = attrs.is_some_and(|attrs| is_endless(&attrs) || attribute_of(&attrs, "-done") == Some(V::Bool(false)));
            Ok(if is_open && !host.mentions(CANCELLING) { V::Bool(false) } else { V::AnyBool(Why::OUTSIDE) })
        },
        "futures.Future.running" | "futures.Future.cancelled" => |_, _| Ok(V::AnyBool(Why::OUTSIDE)),
        "futures.Future.result" | "futures.Future.exception" => result,
        "futures.wait" => wait,
        _ => return None,
    }))
}

fn threads(host: &mut dyn Host, args: Args) -> R<V> {
    let is_single = args.get(0, "max_workers").and_then(V::exact_int) == Some(1);
    // What a thread begins with may be code.
    if args.kw.iter().any(|(name, _)| &*name.text() == "initializer") || args.pos.len() > 2 {
        host.unknown_call(&args);
        host.interruptible();
    }
    host.may_raise("ValueError");
    host.makes_others(super::pool::workers(&args));
    let class = V::lib(if is_single { ONE_THREAD } else { THREADS });
    Ok(host.alloc(Obj::Instance { class, attrs: Rc::default() }))
}

fn future(host: &mut dyn Host, seconds: f64, attrs: &[(&str, V)]) -> V {
    let mut all = vec![(Sym::new("-seconds"), V::Float(seconds))];
    all.extend(attrs.iter().map(|(name, value)| (Sym::new(name), value.clone())));
    host.alloc(Obj::Instance { class: V::lib("concurrent.futures.Future"), attrs: Rc::new(all) })
}

fn is_single(host: &mut dyn Host, executor: &V) -> bool {
    match executor {
        V::Ref(id) => match host.store().get(*id) {
            Obj::Instance { class: V::Lib(name), .. } => &*name.text() == ONE_THREAD,
            Obj::Escaped(kind) => &*kind.text() == ONE_THREAD,
            _ => false,
        },
        _ => false,
    }
}

/// Whether a pool may take nothing more: then it says so at once.
fn is_closed(host: &mut dyn Host, executor: &V) -> bool {
    let V::Ref(id) = executor else { return false };
    match host.store().get(*id) {
        Obj::Instance { attrs, .. } => attribute_of(attrs, super::pool::CLOSED).is_some(),
        Obj::Escaped(kind) => kind.text().contains(CLOSED) || host.store().is_summary(*id) || host.mentions_yet(&["shutdown"]),
        _ => false,
    }
}

/// The threads of a pool are waited for at the end, whatever was said to the pool.
fn submit(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.kw.is_empty() || args.pos.len() < 2 || host.mentions(CANCELLING) {
        host.interruptible();
        return Ok(host.unknown_call(&args));
    }
    let (executor, function) = (args.pos[0].clone(), args.pos[1].clone());
    let given = Args::of(args.pos[2..].iter().cloned());
    let work = host.alloc(Obj::Bound { function: V::lib("concurrent.futures.ThreadPoolExecutor.work"), this: executor.clone() });
    let is_single = is_single(host, &executor);
    // The only thread of a pool is busy with what hands it more to do.
    let never = is_single && host.special("runs beside", Args::of([work.clone()]))? == V::Bool(true);
    if never {
        host.store().escape_all(&args.values());
        return Ok(future(host, f64::INFINITY, &[("-never", V::Bool(true))]));
    }
    if is_closed(host, &executor) {
        host.may_raise("RuntimeError");
        return Ok(host.unknown_call(&args));
    }
    let mut seconds = host.lasts(&function, given.clone())?;
    threading::outlasts(host, "Executor.submit", seconds);
    let until = host.store().path.cost + seconds;
    if seconds < f64::INFINITY && is_single {
        // As long as somebody waits for it: a pool that is shut down takes nothing more.
        let work_args = Args::of(std::iter::once(function.clone()).chain(given.pos.iter().cloned()));
        seconds = host.lasts(&work, work_args)?;
    }
    threading::give(host, args.values());
    host.may_raise("RuntimeError");
    Ok(future(host, seconds, &[("-until", V::Float(until))]))
}

/// The same for a pool of processes.
fn submit_to_process(host: &mut dyn Host, args: Args) -> R<V> {
    let [executor, function, given @ ..] = args.pos.as_slice() else { return Err(host.raise("TypeError", "")) };
    let is_plain = args.kw.is_empty() && !host.mentions(CANCELLING);
    let seconds = if is_plain { super::pool::lasts(host, executor, function, given.to_vec())? } else { 0.0 };
    threading::outlasts(host, "Executor.submit", seconds);
    let until = host.store().path.cost + seconds;
    threading::give(host, args.values().into_iter().skip(1));
    host.may_raise("");
    Ok(future(host, seconds, &[("-until", V::Float(until))]))
}

fn attrs_of(host: &mut dyn Host, future: Option<&V>) -> Option<Vec<(Sym, V)>> {
    let (class, attrs) = instance(host, future?)?;
    (class == V::lib("concurrent.futures.Future")).then_some(attrs)
}

fn is_endless(attrs: &[(Sym, V)]) -> bool {
    attribute_of(attrs, "-seconds") == Some(V::Float(f64::INFINITY))
}

fn result(host: &mut dyn Host, args: Args) -> R<V> {
    let [_, timeout] = bind(host, &args, ["", "timeout"], 1)?;
    if !matches!(timeout, None | Some(V::None)) {
        host.may_raise("");
        return Ok(V::Unknown(Why::OUTSIDE));
    }
    let callee = "Future.result";
    match attrs_of(host, args.pos.first()) {
        Some(attrs) if attribute_of(&attrs, "-never").is_some() => {
            return Err(host.waits_forever(FactKind::EndlessWait, callee, "the pool's only thread is the one that waits for it"));
        }
        Some(attrs) if is_endless(&attrs) => {
            return Err(host.waits_forever(FactKind::EndlessWait, callee, "the function never returns"));
        }
        Some(attrs) if attribute_of(&attrs, "-done") == Some(V::Bool(false)) => {
            return Err(host.waits_forever(FactKind::EndlessWait, callee, "nobody else can set its result"));
        }
        Some(attrs) => {
            if let Some(V::Float(until)) = attribute_of(&attrs, "-until")
                && until > host.store().path.cost
            {
                let left = until - host.store().path.cost;
                host.sleep(left, f64::INFINITY, callee);
            }
        }
        None if args.pos.first().is_some_and(|this| is_shared(host, this)) && !host.accesses(RESOLVING) && !host.mentions(&["submit"]) => {
            return Err(host.waits_forever(FactKind::EndlessWait, callee, "nothing in the program sets a result"));
        }
        None => {}
    }
    host.may_raise("");
    Ok(V::Unknown(Why::OUTSIDE))
}

fn is_shared(host: &mut dyn Host, value: &V) -> bool {
    matches!(value, V::Ref(id) if matches!(host.store().get(*id), Obj::Escaped(kind) if &*kind.text() == "concurrent.futures.Future"))
}

/// Without a time, or a condition when to come back, all are waited for.
fn wait(host: &mut dyn Host, args: Args) -> R<V> {
    if args.exactly(1)
        && let Some(taken) = host.foresee(&args.pos[0])?
    {
        for future in &taken.items.exact {
            if attrs_of(host, Some(future)).is_some_and(|attrs| is_endless(&attrs)) {
                return Err(host.waits_forever(FactKind::EndlessWait, "concurrent.futures.wait", "a function never returns"));
            }
        }
    }
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
    let function = args.pos[1].clone();
    let is_of_processes = instance(host, &args.pos[0]).is_some_and(|(class, _)| class == V::lib(PROCESSES));
    let is_known = matches!(&args.pos[0], V::Ref(_)) && !host.mentions(CANCELLING) && !is_closed(host, &args.pos[0]);
    if let Some(first) = items.exact.first().and_then(super::exact_tuple).filter(|_| is_known) {
        let seconds = if is_of_processes {
            super::pool::lasts(host, &args.pos[0], &function, first)?
        } else {
            host.lasts(&function, Args::of(first))?
        };
        threading::outlasts(host, "Executor.map", seconds);
    }
    let mut given = items.exact;
    given.extend(items.rest.map(|r| r.element));
    given.push(function);
    host.interruptible();
    Ok(host.unknown_call(&Args::of(given)))
}
