//! `threading`, `queue` and the like: what waits for somebody else. An object that others could reach has escaped, and nothing is
//! known of it; so what waits on one that has not, waits forever.

use std::rc::Rc;

use crate::fact::{FactKind, Proof};
use crate::library::{Args, Entry, Host, R};
use crate::value::int::Int;
use crate::value::object::{Obj, Sym, Tuple, V, Why};

use super::support::{attribute_of, bind, class_attribute, class_object, instance, interrupting, look, outside_any, outside_bool, put};
use super::{APART, ENDING_ALL};

/// Timeouts from here on, in seconds, are an OverflowError.
const LONGEST: f64 = 9e9;

/// Names of what raises exceptions in other threads.
const REACHING_OTHERS: &[&str] = &["pthread_kill", "pythonapi"];

/// Attributes that set an event.
const SETTING: &[&str] = &["set", "_cond", "_flag"];

/// Attributes that let a wait for a condition end.
const NOTIFYING: &[&str] = &["notify", "notifyAll", "notify_all", "_waiters"];

/// Attributes that let go a lock that another thread holds.
const RELEASING: &[&str] = &["release", "__exit__", "_release_save", "_at_fork_reinit"];

/// Attributes that end the wait of those at a barrier.
const BREAKING: &[&str] = &["abort", "reset", "_break", "_cond", "_count", "_state"];

/// Attributes that let a wait for a queue's items end.
pub const ANSWERING: &[&str] = &["all_tasks_done", "shutdown", "task_done", "unfinished_tasks"];

/// Names of what ends or interrupts a program, or a wait in it, from elsewhere.
const FROM_ELSEWHERE: &[&str] =
    &["alarm", "fork", "forkpty", "mkfifo", "openpty", "pipe", "pipe2", "popen", "setitimer", "setprofile", "settrace", "system"];

/// What is known of a queue whoever holds it: that something was put into it, and that this thread took something for which it has yet
/// to call `task_done`.
const PUT: &str = "+put";
const TAKEN: &str = "+taken";

/// What is known of a lock, or of that of a condition, whoever has it: that the thread of this number holds it.
const HELD: &str = "+held by ";

/// Whether the program names what raises exceptions in other threads, or ends them all.
fn reaches_others(host: &dyn Host) -> bool {
    host.mentions(ENDING_ALL) || host.mentions(REACHING_OTHERS)
}

/// The entry for a name in `threading`, or one that `multiprocessing` has too.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "Lock" => |host, _| Ok(object(host, "threading.Lock", &[("locked", V::Bool(false))])),
        "Lock.acquire" => acquire,
        "Lock.__enter__" => enter_lock,
        "Lock.release" => release,
        "Lock.__exit__" => leave,
        "Lock.locked" => |host, args| Ok(get(host, &args, "locked")),
        "RLock" => |host, _| Ok(object(host, "threading.RLock", &[])),
        "RLock.acquire" => |host, _| {
            host.may_raise("RuntimeError");
            Ok(V::Bool(true))
        },
        "RLock.__enter__" => |_, _| Ok(V::Bool(true)),
        "RLock.__exit__" => |_, _| Ok(V::None),
        "RLock.release" => |host, _| {
            host.may_raise("RuntimeError");
            Ok(V::None)
        },
        "Event" => |host, _| Ok(object(host, "threading.Event", &[("set", V::Bool(false))])),
        "Event.set" => |host, args| Ok(set(host, &args, "set", V::Bool(true))),
        "Event.clear" => |host, args| Ok(set(host, &args, "set", V::Bool(false))),
        "Event.is_set" => |host, args| {
            let known = get(host, &args, "set");
            let set = if host.accesses(SETTING) { V::AnyBool(Why::OUTSIDE) } else { V::Bool(false) };
            Ok(if matches!(known, V::Unknown(_)) { set } else { known })
        },
        "Event.wait" => wait_for_event,
        "Condition" => condition,
        "Condition.acquire" | "Condition.__enter__" => |host, args| {
            count(host, &args, "held", 1);
            hold(host, &args, true);
            Ok(V::Bool(true))
        },
        "Condition.release" | "Condition.__exit__" => |host, args| {
            host.may_raise("RuntimeError");
            count(host, &args, "held", -1);
            hold(host, &args, false);
            Ok(V::None)
        },
        "Condition.notify" | "Condition.notify_all" => |host, _| {
            host.may_raise("RuntimeError");
            Ok(V::None)
        },
        "Condition.wait" => wait_for_notice,
        "Condition.wait_for" => wait_for_predicate,
        "Semaphore" | "BoundedSemaphore" => semaphore,
        "Semaphore.acquire" | "Semaphore.__enter__" => acquire_one,
        "Semaphore.release" | "Semaphore.__exit__" => release_one,
        "Barrier" => barrier,
        "Barrier.wait" => wait_for_parties,
        "Thread" => |host, args| thread(host, &args, "threading.Thread"),
        "Thread.__init__" => initialise,
        "Thread.start" => |host, args| start(host, args, "threading.Thread"),
        "Thread.join" => join,
        "Thread.setDaemon" => |host, args| {
            let [daemon] = bind(host, &rest(&args), ["daemonic"], 1)?;
            set_named(host, &args, " daemon", daemon.unwrap_or(V::None));
            Ok(V::None)
        },
        "Thread.is_alive" => is_alive,
        "Timer" => timer,
        "Timer.start" => start_timer,
        "Timer.join" => join,
        "Timer.cancel" => |_, _| Ok(V::None),
        "current_thread" | "main_thread" | "enumerate" => outside_any,
        _ => return None,
    }))
}

/// The entry for a name in `queue`.
pub fn find_queue(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "Queue" => |host, args| queue(host, args, Order::FirstOut),
        "LifoQueue" => |host, args| queue(host, args, Order::LastOut),
        "PriorityQueue" => |host, args| queue(host, args, Order::Any),
        "SimpleQueue" => |host, _| Ok(made_queue(host, 0, Order::FirstOut)),
        "Queue.put" => put_item,
        "Queue.put_nowait" => put_nowait,
        "Queue.get" => take,
        "Queue.get_nowait" => take_nowait,
        "Queue.qsize" => |host, args| Ok(get(host, &args, "size")),
        "Queue.empty" => |host, args| {
            let size = get(host, &args, "size").as_int();
            Ok(V::boolean(size.and_then(|n| n.truth()).map(|any| !any), Why::Lost))
        },
        "Queue.full" => |host, args| {
            let (size, most) = (get(host, &args, "size").exact_int(), get(host, &args, "most").exact_int());
            Ok(size.zip(most).map_or(V::AnyBool(Why::Lost), |(size, most)| V::Bool(most > 0 && size >= most)))
        },
        "Queue.task_done" => task_done,
        "Queue.join" => join_queue,
        _ => return None,
    }))
}

/// An object of a library class that has a state. The names of what programs cannot read begin with a hyphen, of what they can with a
/// space.
fn object(host: &mut dyn Host, class: &str, attrs: &[(&str, V)]) -> V {
    let attrs = attrs.iter().map(|(name, value)| (Sym::new(&format!("-{name}")), value.clone())).collect();
    host.alloc(Obj::Instance { class: V::lib(class), attrs: Rc::new(attrs) })
}

/// Whether the object a method was called on has a state that is known.
fn is_known(host: &mut dyn Host, args: &Args) -> bool {
    matches!(args.pos.first().and_then(|this| instance(host, this)), Some((V::Lib(_) | V::Ref(_), _)))
}

/// A part of the state.
fn get(host: &mut dyn Host, args: &Args, name: &str) -> V {
    match args.pos.first().and_then(|this| instance(host, this)) {
        Some((V::Lib(_) | V::Ref(_), attrs)) => attribute_of(&attrs, &format!("-{name}")).unwrap_or(V::Unknown(Why::Lost)),
        _ => V::Unknown(Why::OUTSIDE),
    }
}

/// Changes a part of the state.
fn set(host: &mut dyn Host, args: &Args, name: &str, value: V) -> V {
    set_named(host, args, &format!("-{name}"), value)
}

fn set_named(host: &mut dyn Host, args: &Args, name: &str, value: V) -> V {
    if is_known(host, args) {
        put(host, &args.pos[0], vec![(Sym::new(name), value)]);
    }
    V::None
}

/// The arguments of a method but the object.
fn rest(args: &Args) -> Args {
    let mut out = args.clone();
    if !out.pos.is_empty() {
        out.pos.remove(0);
    }
    out
}

/// How long a wait may take.
enum Patience {
    /// Not at all.
    None,
    /// At most so many seconds, at least and at most.
    Seconds(f64, f64),
    /// As long as it takes.
    Forever,
    /// Not known.
    Unknown,
}

/// Reads `(block, timeout)`, in which a timeout of None, or of -1 where that is the default, waits forever.
fn patience(block: Option<&V>, timeout: Option<&V>) -> Patience {
    match block {
        Some(V::Bool(false) | V::Int(0)) => return Patience::None,
        None | Some(V::Bool(true) | V::Int(1)) => {}
        Some(_) => return Patience::Unknown,
    }
    match timeout {
        None | Some(V::None) => Patience::Forever,
        // Beyond the longest it is an error.
        Some(V::Float(f)) if (0.0..LONGEST).contains(f) => Patience::Seconds(*f, *f),
        Some(V::Int(n)) if (0..LONGEST as i128).contains(n) => Patience::Seconds(*n as f64, *n as f64),
        Some(_) => Patience::Unknown,
    }
}

/// For a lock None is no timeout, and -1 is none.
fn lock_patience(block: Option<&V>, timeout: Option<&V>) -> Patience {
    match timeout {
        Some(V::None) => Patience::Unknown,
        Some(V::Int(-1)) => patience(block, None),
        _ => patience(block, timeout),
    }
}

/// Waits for what never comes: forever, or until the time is up, which is then the value.
fn in_vain(host: &mut dyn Host, patience: &Patience, callee: &str, reason: &str, given_up: R<V>) -> R<V> {
    match patience {
        Patience::None => given_up,
        Patience::Seconds(low, high) => {
            host.sleep(*low, *high, callee);
            given_up
        }
        Patience::Forever => Err(host.waits_forever(FactKind::EndlessWait, callee, reason)),
        Patience::Unknown => {
            host.may_raise("");
            Ok(V::Unknown(Why::Lost))
        }
    }
}

fn acquire(host: &mut dyn Host, args: Args) -> R<V> {
    let [block, timeout] = bind(host, &rest(&args), ["blocking", "timeout"], 0)?;
    let patience = lock_patience(block.as_ref(), timeout.as_ref());
    match get(host, &args, "locked") {
        V::Bool(false) => {
            set(host, &args, "locked", V::Bool(true));
            Ok(V::Bool(true))
        }
        V::Bool(true) => in_vain(
            host,
            &patience,
            "Lock.acquire",
            "this thread holds the lock already, and nobody else can release it",
            Ok(V::Bool(false)),
        ),
        _ => {
            set(host, &args, "locked", V::AnyBool(Why::Lost));
            Ok(if matches!(patience, Patience::Forever) { V::Bool(true) } else { V::AnyBool(Why::Lost) })
        }
    }
}

/// As a manager is entered: whoever entered it leaves it, where nobody lets it go in another way.
fn enter_lock(host: &mut dyn Host, args: Args) -> R<V> {
    if is_held(host, &args) && !host.accesses(RELEASING) {
        let reason = "this thread holds the lock already, and nobody else can release it";
        return Err(host.waits_forever(FactKind::EndlessWait, "Lock.acquire", reason));
    }
    let entered = acquire(host, args.clone())?;
    hold(host, &args, true);
    Ok(entered)
}

/// The mark of what this thread holds. None where it could be left without a word.
fn mark_of_thread(host: &mut dyn Host) -> Option<String> {
    let thread = host.special("thread", Args::default()).ok()?.exact_int()?;
    Some(format!("{HELD}{thread}."))
}

/// Notes that this thread holds a lock that others may have too, or holds it no longer.
fn hold(host: &mut dyn Host, args: &Args, is_so: bool) {
    if let Some(what) = mark_of_thread(host) {
        mark(host, args, &what, is_so);
    }
}

fn is_held(host: &mut dyn Host, args: &Args) -> bool {
    mark_of_thread(host).is_some_and(|what| is_marked(host, args, &what))
}

fn release(host: &mut dyn Host, args: Args) -> R<V> {
    match get(host, &args, "locked") {
        V::Bool(false) => return Err(host.raise("RuntimeError", "release unlocked lock")),
        V::Bool(true) => {}
        _ => host.may_raise("RuntimeError"),
    }
    set(host, &args, "locked", V::Bool(false));
    Ok(V::None)
}

/// As a manager is left that was entered: only what releases it without a `with` can have released it before.
fn leave(host: &mut dyn Host, args: Args) -> R<V> {
    hold(host, &args, false);
    if matches!(get(host, &args, "locked"), V::Bool(_)) || host.mentions(&["release"]) {
        return release(host, args);
    }
    set(host, &args, "locked", V::Bool(false));
    Ok(V::None)
}

fn wait_for_event(host: &mut dyn Host, args: Args) -> R<V> {
    let [timeout] = bind(host, &rest(&args), ["timeout"], 0)?;
    match get(host, &args, "set") {
        V::Bool(true) => Ok(V::Bool(true)),
        V::Bool(false) => {
            let patience = patience(None, timeout.as_ref());
            in_vain(host, &patience, "Event.wait", "nobody else can set the event", Ok(V::Bool(false)))
        }
        _ => {
            let patience = patience(None, timeout.as_ref());
            if !host.accesses(SETTING) {
                return in_vain(host, &patience, "Event.wait", "nothing in the program sets an event", Ok(V::Bool(false)));
            }
            if matches!(patience, Patience::Unknown) {
                host.may_raise("");
            }
            Ok(if matches!(patience, Patience::Forever) { V::Bool(true) } else { V::AnyBool(Why::OUTSIDE) })
        }
    }
}

fn condition(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.is_empty() && args.kw.is_empty() {
        return Ok(object(host, "threading.Condition", &[("held", V::Int(0))]));
    }
    Ok(host.unknown_call(&args))
}

fn wait_for_notice(host: &mut dyn Host, args: Args) -> R<V> {
    let [timeout] = bind(host, &rest(&args), ["timeout"], 0)?;
    match get(host, &args, "held").exact_int() {
        Some(n) if n > 0 => {}
        Some(_) => return Err(host.raise("RuntimeError", "cannot wait on un-acquired lock")),
        None if is_held(host, &args) && !host.accesses(NOTIFYING) => {
            let patience = patience(None, timeout.as_ref());
            return in_vain(host, &patience, "Condition.wait", "nothing in the program notifies a condition", Ok(V::Bool(false)));
        }
        None => {
            host.may_raise("");
            return Ok(V::AnyBool(Why::OUTSIDE));
        }
    }
    let patience = patience(None, timeout.as_ref());
    in_vain(host, &patience, "Condition.wait", "nobody else can notify the condition", Ok(V::Bool(false)))
}

/// Waits until something is so. Nobody else can make it so where nobody else can notify the condition either.
fn wait_for_predicate(host: &mut dyn Host, args: Args) -> R<V> {
    let [predicate, timeout] = bind(host, &rest(&args), ["predicate", "timeout"], 1)?;
    let is_so = host.call(&predicate.unwrap_or(V::None), Args::default())?;
    match host.truth(&is_so)? {
        Some(true) => Ok(is_so),
        Some(false) => {
            let this = args.pos[0].clone();
            wait_for_notice(host, Args::of(std::iter::once(this).chain(timeout)))?;
            Ok(V::Unknown(Why::OUTSIDE))
        }
        None => {
            host.may_raise("");
            Ok(V::Unknown(Why::OUTSIDE))
        }
    }
}

fn semaphore(host: &mut dyn Host, args: Args) -> R<V> {
    let [value] = bind(host, &args, ["value"], 0)?;
    match value.map_or(Some(1), |v| v.exact_int()) {
        Some(n) if n >= 0 => Ok(object(host, "threading.Semaphore", &[("value", V::Int(n))])),
        Some(_) => Err(host.raise("ValueError", "semaphore initial value must be >= 0")),
        None => Ok(host.unknown_call(&args)),
    }
}

fn acquire_one(host: &mut dyn Host, args: Args) -> R<V> {
    let [block, timeout] = bind(host, &rest(&args), ["blocking", "timeout"], 0)?;
    let patience = patience(block.as_ref(), timeout.as_ref());
    match get(host, &args, "value").exact_int() {
        Some(0) => in_vain(host, &patience, "Semaphore.acquire", "it is used up, and nobody else can release it", Ok(V::Bool(false))),
        Some(n) => {
            set(host, &args, "value", V::Int(n - 1));
            Ok(V::Bool(true))
        }
        None => {
            host.may_raise("");
            Ok(V::AnyBool(Why::Lost))
        }
    }
}

fn release_one(host: &mut dyn Host, args: Args) -> R<V> {
    host.may_raise("ValueError");
    let more = match args.pos.len() {
        1 if args.kw.is_empty() => Some(1),
        // As a manager it is left with what was raised.
        4 => Some(1),
        _ => args.get(1, "n").and_then(V::exact_int),
    };
    let value = get(host, &args, "value").exact_int().zip(more).map_or(V::any_size(Why::Lost), |(n, more)| V::Int(n + more));
    Ok(set(host, &args, "value", value))
}

fn barrier(host: &mut dyn Host, args: Args) -> R<V> {
    let [parties, action, timeout] = bind(host, &args, ["parties", "action", "timeout"], 1)?;
    match (parties.as_ref().and_then(V::exact_int), action, timeout) {
        (Some(n), None | Some(V::None), None | Some(V::None)) => Ok(object(host, "threading.Barrier", &[("parties", V::Int(n))])),
        _ => Ok(host.unknown_call(&args)),
    }
}

fn wait_for_parties(host: &mut dyn Host, args: Args) -> R<V> {
    let [timeout] = bind(host, &rest(&args), ["timeout"], 0)?;
    let flows = host.flows_at_most();
    // Whoever came once is among those for which the others waited.
    host.makes_others(1);
    match get(host, &args, "parties").exact_int() {
        Some(n) if n > 1 && matches!(timeout, None | Some(V::None)) => {
            Err(host.waits_forever(FactKind::EndlessWait, "Barrier.wait", "nobody else can come to the barrier"))
        }
        None if matches!(timeout, None | Some(V::None))
            && parties_of(host, &args).zip(flows).is_some_and(|(parties, flows)| flows < parties)
            && !host.accesses(BREAKING)
            && host.special("waits give up", Args::default())? == V::Bool(false) =>
        {
            Err(host.waits_forever(FactKind::EndlessWait, "Barrier.wait", "there are fewer threads than it takes"))
        }
        _ => {
            host.may_raise("");
            Ok(V::any_size(Why::OUTSIDE))
        }
    }
}

/// How many threads come together at a barrier that others have too.
fn parties_of(host: &mut dyn Host, args: &Args) -> Option<u32> {
    let V::Ref(id) = args.pos.first()? else { return None };
    let Obj::Escaped(kind) = host.store().get(*id) else { return None };
    kind.text().strip_prefix("threading.Barrier+")?.parse().ok()
}

/// The parameters of a thread or a process.
pub fn thread(host: &mut dyn Host, args: &Args, class: &str) -> R<V> {
    let parts = parts(host, args, " daemon")?;
    host.makes_others(1);
    Ok(host.alloc(Obj::Instance { class: V::lib(class), attrs: Rc::new(parts) }))
}

/// For an instance of a class that derives from it.
pub fn initialise(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(this) = args.pos.first().cloned() else { return Err(host.raise("TypeError", "")) };
    let parts = parts(host, &rest(&args), "daemon")?;
    host.makes_others(1);
    put(host, &this, parts);
    Ok(V::None)
}

fn parts(host: &mut dyn Host, args: &Args, daemon_name: &str) -> R<Vec<(Sym, V)>> {
    let [group, target, name, call_args, call_kwargs, daemon, context] =
        bind(host, args, ["group", "target", "name", "args", "kwargs", "daemon", "context"], 0)?;
    look(host, &Args::of(group.into_iter().chain(name).chain(context)));
    // Programs may assign whether it is a daemon.
    Ok(vec![
        (Sym::new("-target"), target.unwrap_or(V::None)),
        (Sym::new("-args"), call_args.unwrap_or(V::tuple(Vec::new()))),
        (Sym::new("-kwargs"), call_kwargs.unwrap_or(V::None)),
        (Sym::new("-seconds"), V::Float(0.0)),
        (Sym::new(daemon_name), daemon.unwrap_or(V::None)),
    ])
}

/// Whether a function is one of the library's that only waits for an object, and does nothing to it.
fn only_waits(host: &mut dyn Host, function: &V) -> bool {
    match function {
        V::Lib(name) => &*name.text() == "time.sleep",
        V::Ref(id) => match host.store().get(*id) {
            Obj::Bound { function: V::Lib(name), .. } => &*name.text() == "threading.Event.wait",
            _ => false,
        },
        _ => false,
    }
}

/// Whether a function is a server's loop that nothing in the program ends.
fn serves(host: &mut dyn Host, function: &V) -> bool {
    let V::Ref(id) = function else { return false };
    let Obj::Bound { function: V::Lib(name), .. } = host.store().get(*id) else { return false };
    &*name.text() == "serving.server.serve_forever" && !super::serving::may_be_stopped(host)
}

/// What the thread runs where its class says so: the method `run`.
fn own_run(host: &mut dyn Host, args: &Args) -> R<Option<V>> {
    let Some(this) = args.pos.first().cloned() else { return Ok(None) };
    let Some((class, _)) = instance(host, &this) else { return Ok(None) };
    match class_object(host, &class) {
        Some(class) if class_attribute(host, &class, "run").is_some() => Ok(Some(host.attribute(&this, Sym::new("run"))?)),
        _ => Ok(None),
    }
}

/// What a thread runs, where that is known.
fn body(host: &mut dyn Host, args: &Args) -> R<Option<(V, Args)>> {
    if let Some(run) = own_run(host, args)? {
        return Ok(Some((run, Args::default())));
    }
    let (target, call_args) = (get(host, args, "target"), get(host, args, "args"));
    if get(host, args, "kwargs") != V::None {
        return Ok(None);
    }
    let taken = host.foresee(&call_args)?.filter(|taken| taken.items.rest.is_none());
    Ok(taken.map(|taken| (target, Args::of(taken.items.exact))))
}

pub fn start(host: &mut dyn Host, args: Args, callee: &str) -> R<V> {
    if !is_known(host, &args) || matches!(get(host, &args, "args"), V::Unknown(_)) {
        return interrupting(host, args);
    }
    let attrs = args.pos.first().and_then(|this| instance(host, this)).map(|(_, attrs)| attrs).unwrap_or_default();
    let daemon = attribute_of(&attrs, " daemon").or_else(|| attribute_of(&attrs, "daemon"));
    let run = own_run(host, &args)?;
    let (target, call_args, kwargs) = (get(host, &args, "target"), get(host, &args, "args"), get(host, &args, "kwargs"));
    let (target, call_args) = match run {
        Some(run) => (run, V::tuple(Vec::new())),
        None => (target, call_args),
    };
    let only_waits = only_waits(host, &target);
    let seconds = match (host.foresee(&call_args)?, &kwargs) {
        // Nothing in the program can let it go.
        (Some(taken), V::None)
            if only_waits && !matches!(target, V::Lib(_)) && taken.items.exact.is_empty() && !host.mentions(&["set"]) =>
        {
            f64::INFINITY
        }
        (Some(taken), V::None) if taken.items.exact.is_empty() && taken.items.rest.is_none() && serves(host, &target) => f64::INFINITY,
        (Some(taken), V::None) if taken.items.rest.is_none() => host.lasts(&target, Args::of(taken.items.exact))?,
        _ => 0.0,
    };
    let waited_for = matches!(daemon, Some(V::None | V::Bool(false)));
    if seconds < f64::INFINITY {
        set(host, &args, "started", V::Bool(true));
        if waited_for && let Some((function, given)) = body(host, &args)? {
            host.left_running(function, given, callee);
        }
    }
    if !only_waits {
        give(host, [target, call_args, kwargs]);
    }
    // There may be no more threads to be had.
    host.may_raise("RuntimeError");
    host.spawned(seconds, callee);
    begins(host, &args, seconds);
    if waited_for {
        outlasts(host, callee, seconds);
    }
    Ok(V::None)
}

/// Notes how long a thread takes, and until when it does.
fn begins(host: &mut dyn Host, args: &Args, seconds: f64) {
    let until = host.store().path.cost + seconds;
    set(host, args, "seconds", V::Float(seconds));
    set(host, args, "until", V::Float(until));
}

/// What the program waits for at its end takes so long.
pub fn outlasts(host: &mut dyn Host, callee: &str, seconds: f64) {
    if seconds == f64::INFINITY {
        hangs_at_exit(host, callee, "its function never returns, and the program waits for it at its end");
    } else if seconds > host.limits().timeout {
        hangs_at_exit(host, callee, &format!("it waits at its end for what takes at least {seconds:.0} s"));
    }
}

/// Lets another thread have something to run: from now on it may change what it can reach. It ends this one only by what the program
/// would have to name.
pub fn give(host: &mut dyn Host, values: impl IntoIterator<Item = V>) {
    let before = host.store().path.interruptible;
    host.unknown_call(&Args::of(values));
    if reaches_others(host) {
        host.interruptible();
    } else if !host.mentions(FROM_ELSEWHERE) && host.imports_only(&[APART]) {
        host.store().path.interruptible = before;
    }
}

/// A thread that waits before it begins.
fn timer(host: &mut dyn Host, args: Args) -> R<V> {
    let [interval, function, call_args, kwargs] = bind(host, &args, ["interval", "function", "args", "kwargs"], 2)?;
    host.makes_others(1);
    let given = |value: Option<V>, default: V| match value {
        None | Some(V::None) => default,
        Some(value) => value,
    };
    let parts = [
        ("-interval", interval.unwrap_or(V::None)),
        ("-target", function.unwrap_or(V::None)),
        ("-args", given(call_args, V::tuple(Vec::new()))),
        ("-kwargs", given(kwargs, V::None)),
        ("-seconds", V::Float(0.0)),
        (" daemon", V::None),
    ];
    let attrs = parts.into_iter().map(|(name, value)| (Sym::new(name), value)).collect();
    Ok(host.alloc(Obj::Instance { class: V::lib("threading.Timer"), attrs: Rc::new(attrs) }))
}

/// One whose function starts another for itself, come what may, and that nobody cancels, goes on for ever.
fn start_timer(host: &mut dyn Host, args: Args) -> R<V> {
    if !is_known(host, &args) || host.mentions(&["cancel"]) {
        return interrupting(host, args);
    }
    let (target, call_args, kwargs) = (get(host, &args, "target"), get(host, &args, "args"), get(host, &args, "kwargs"));
    let attrs = args.pos.first().and_then(|this| instance(host, this)).map(|(_, attrs)| attrs).unwrap_or_default();
    let waited_for = matches!(attribute_of(&attrs, " daemon"), Some(V::None | V::Bool(false)));
    // When the program is at its end, 3.12 starts no more threads.
    let starts_at_end = host.target().1 < 12 || host.target().0 > 12;
    if host.special("runs beside", Args::of([target.clone()]))? == V::Bool(true) && waited_for && starts_at_end {
        return Err(host.waits_forever(FactKind::EndlessWait, "Timer.start", "each run of its function starts the next"));
    }
    let pause = match get(host, &args, "interval") {
        V::Float(f) if f.is_finite() && f > 0.0 => f,
        V::Int(n) if n > 0 => n as f64,
        _ => 0.0,
    };
    let seconds = match (host.foresee(&call_args)?, &kwargs) {
        (Some(taken), V::None) if taken.items.rest.is_none() => host.lasts(&target, Args::of(taken.items.exact))?,
        _ => 0.0,
    };
    give(host, [target, call_args, kwargs]);
    host.may_raise("RuntimeError");
    host.spawned(pause + seconds, "Timer.start");
    begins(host, &args, pause + seconds);
    if waited_for {
        outlasts(host, "Timer.start", pause + seconds);
    }
    Ok(V::None)
}

/// Reports what a program waits for at its end.
pub fn hangs_at_exit(host: &mut dyn Host, callee: &str, reason: &str) {
    let proof = if reaches_others(host) || host.mentions(&["unregister"]) { Proof::Likely } else { Proof::Proven };
    host.fact(FactKind::HangsAtExit, None, proof, &[("callee", callee.to_owned()), ("reason", reason.to_owned())]);
}

pub fn join(host: &mut dyn Host, args: Args) -> R<V> {
    let [timeout] = bind(host, &rest(&args), ["timeout"], 0)?;
    let forever = matches!(timeout, None | Some(V::None));
    if forever
        && get(host, &args, "started") == V::Bool(true)
        && let Some((function, given)) = body(host, &args)?
        && host.lasts_meanwhile(&function, given)? == f64::INFINITY
    {
        // Meanwhile this thread does nothing that would end it.
        let reason = "the thread waits for what this one would do later, or for nothing";
        return Err(host.waits_forever(FactKind::EndlessWait, "Thread.join", reason));
    }
    match (get(host, &args, "seconds"), get(host, &args, "until")) {
        (V::Float(seconds), V::Float(until)) if seconds > 0.0 && forever => {
            if seconds == f64::INFINITY {
                return Err(host.waits_forever(FactKind::EndlessWait, "Thread.join", "the thread's function never returns"));
            }
            let left = until - host.store().path.cost;
            if left > 0.0 {
                host.sleep(left, f64::INFINITY, "Thread.join");
            }
            Ok(V::None)
        }
        _ => {
            host.may_raise("RuntimeError");
            if !is_known(host, &args) {
                host.may_raise("");
            }
            Ok(V::None)
        }
    }
}

/// What never returns is alive once it has begun.
pub fn is_alive(host: &mut dyn Host, args: Args) -> R<V> {
    if get(host, &args, "seconds") == V::Float(f64::INFINITY) {
        return Ok(V::Bool(true));
    }
    outside_bool(host, args)
}

/// Which item a queue gives next.
#[derive(Clone, Copy)]
enum Order {
    FirstOut,
    LastOut,
    /// It depends on what they are.
    Any,
}

fn queue(host: &mut dyn Host, args: Args, order: Order) -> R<V> {
    let [most] = bind(host, &args, ["maxsize"], 0)?;
    match most.map_or(Some(0), |v| v.exact_int()) {
        Some(most) => Ok(made_queue(host, most, order)),
        None => Ok(host.unknown_call(&args)),
    }
}

fn made_queue(host: &mut dyn Host, most: i128, order: Order) -> V {
    // What one of priorities holds is not followed: it is compared.
    let items = if matches!(order, Order::Any) { V::None } else { V::tuple(Vec::new()) };
    let last = V::Bool(matches!(order, Order::LastOut));
    let state = [("size", V::Int(0)), ("most", V::Int(most)), ("open", V::Int(0)), ("items", items), ("last", last)];
    object(host, "queue.Queue", &state)
}

/// Items of a queue that are known one by one, at most.
const MAX_QUEUED: usize = 1024;

/// Puts an item into a queue. False: what is in it is not followed.
fn enqueue(host: &mut dyn Host, args: &Args, item: &V) -> R<bool> {
    let V::Tuple(items) = get(host, args, "items") else { return Ok(false) };
    let more = match &*items {
        Tuple::Exact(items) if items.len() < MAX_QUEUED => {
            host.burn(1 + items.len() as u64 / 16)?;
            V::tuple(items.iter().chain([item]).cloned().collect())
        }
        Tuple::Exact(items) => {
            host.burn(items.len() as u64)?;
            let any = items.iter().fold(item.clone(), |any, v| host.join(&any, v));
            let number = items.len() as u64 + 1;
            V::tuple_bag(any, number, number)
        }
        Tuple::Bag { element, low, high } => {
            let any = host.join(element, item);
            V::tuple_bag(any, low.saturating_add(1), high.saturating_add(1))
        }
    };
    set(host, args, "items", more);
    Ok(true)
}

/// Takes the next item out of a queue that is not empty. Unknown where what is in it is not followed.
fn dequeue(host: &mut dyn Host, args: &Args) -> R<V> {
    let V::Tuple(items) = get(host, args, "items") else { return Ok(V::Unknown(Why::OUTSIDE)) };
    let V::Bool(last) = get(host, args, "last") else { return Ok(V::Unknown(Why::Lost)) };
    let (item, left) = match &*items {
        Tuple::Exact(items) if !items.is_empty() => {
            host.burn(1 + items.len() as u64 / 16)?;
            let mut left = items.clone();
            let item = left.remove(if last { items.len() - 1 } else { 0 });
            (item, V::tuple(left))
        }
        Tuple::Exact(_) => return Ok(V::Unknown(Why::Lost)),
        Tuple::Bag { element, low, high } => {
            let fewer = if *high == u64::MAX { u64::MAX } else { high.saturating_sub(1) };
            (element.clone(), V::tuple_bag(element.clone(), low.saturating_sub(1), fewer))
        }
    };
    set(host, args, "items", left);
    Ok(item)
}

/// Adds to a number of the state; what it was before, where that is known.
fn count(host: &mut dyn Host, args: &Args, name: &str, by: i128) -> Option<i128> {
    let before = get(host, args, name);
    let after = before.as_int().map_or(V::any_size(Why::Lost), |n| V::int(n.add(&Int::exact(by)), Why::Lost));
    set(host, args, name, after);
    before.exact_int()
}

fn put_item(host: &mut dyn Host, args: Args) -> R<V> {
    let [item, block, timeout] = bind(host, &rest(&args), ["item", "block", "timeout"], 1)?;
    let patience = patience(block.as_ref(), timeout.as_ref());
    put_with(host, &args, item, &patience)
}

fn put_nowait(host: &mut dyn Host, args: Args) -> R<V> {
    let [item] = bind(host, &rest(&args), ["item"], 1)?;
    put_with(host, &args, item, &Patience::None)
}

fn put_with(host: &mut dyn Host, args: &Args, item: Option<V>, patience: &Patience) -> R<V> {
    if let (Some(queue), Some(item)) = (args.pos.first(), &item) {
        host.queued(queue, item);
    }
    let (size, most) = (get(host, args, "size").exact_int(), get(host, args, "most").exact_int());
    let is_full = size.zip(most).is_some_and(|(size, most)| most > 0 && size >= most);
    let followed = match &item {
        Some(item) if !is_full => enqueue(host, args, item)?,
        _ => false,
    };
    // In a queue of priorities it is compared.
    if !followed && host.mentions(&["PriorityQueue"]) {
        host.unknown_call(&Args::of(item));
    } else if !followed {
        host.store().escape_all(&Vec::from_iter(item));
    }
    match (size, most) {
        _ if is_full => {
            let full = Err(host.raise("queue.Full", ""));
            return in_vain(host, patience, "Queue.put", "the queue is full, and nobody else can take anything out of it", full);
        }
        (Some(_), Some(_)) | (None, Some(i128::MIN..=0)) => {}
        _ => may_fail(host, patience, "queue.Full"),
    }
    mark(host, args, PUT, true);
    count(host, args, "size", 1);
    count(host, args, "open", 1);
    Ok(V::None)
}

fn take(host: &mut dyn Host, args: Args) -> R<V> {
    let [block, timeout] = bind(host, &rest(&args), ["block", "timeout"], 0)?;
    let patience = patience(block.as_ref(), timeout.as_ref());
    take_with(host, &args, &patience)
}

fn take_nowait(host: &mut dyn Host, args: Args) -> R<V> {
    take_with(host, &args, &Patience::None)
}

/// What a wait for a queue raises that others may hold: nothing, where it lasts as long as it takes.
fn may_fail(host: &mut dyn Host, patience: &Patience, class: &str) {
    if !matches!(patience, Patience::Forever) {
        host.may_raise(class);
    }
    if matches!(patience, Patience::Unknown) || host.mentions(&["shutdown"]) {
        host.may_raise("");
    }
}

/// What is marked of a queue that others may hold.
fn is_marked(host: &mut dyn Host, args: &Args, what: &str) -> bool {
    let Some(V::Ref(id)) = args.pos.first() else { return false };
    matches!(host.store().get(*id), Obj::Escaped(kind) if kind.text().contains(what))
}

/// Notes that something was put into a queue, whoever holds it.
pub fn mark_put(host: &mut dyn Host, args: &Args) {
    mark(host, args, PUT, true);
}

/// Whether something was certainly put into a queue that others may hold.
pub fn was_put(host: &mut dyn Host, args: &Args) -> bool {
    is_marked(host, args, PUT)
}

/// The kinds of objects of which something is marked.
const MARKED: &[&str] =
    &["queue.", "asyncio.Queue", "concurrent.futures.", "multiprocessing.JoinableQueue", "threading.Condition", "threading.Lock"];

/// Notes something of an object, whoever holds it, or that it is so no longer.
pub fn mark(host: &mut dyn Host, args: &Args, what: &str, is_so: bool) {
    let Some(V::Ref(id)) = args.pos.first() else { return };
    let Obj::Escaped(kind) = host.store().get(*id) else { return };
    let kind = kind.text();
    if MARKED.iter().any(|class| kind.starts_with(class)) && !host.store().is_summary(*id) && kind.contains(what) != is_so {
        let kind = if is_so { format!("{kind}{what}") } else { kind.replace(what, "") };
        host.store().mutate(*id, true, |obj| *obj = Obj::Escaped(Sym::new(&kind)));
    }
}

fn take_with(host: &mut dyn Host, args: &Args, patience: &Patience) -> R<V> {
    match get(host, args, "size").as_int() {
        Some(size) if size.is_zero() => {
            let empty = Err(host.raise("queue.Empty", ""));
            in_vain(host, patience, "Queue.get", "the queue is empty, and nobody else can put anything into it", empty)
        }
        Some(size) if size.low > 0 => {
            count(host, args, "size", -1);
            dequeue(host, args)
        }
        _ => {
            may_fail(host, patience, "queue.Empty");
            mark(host, args, TAKEN, true);
            set(host, args, "size", V::any_size(Why::Lost));
            set(host, args, "items", V::Unknown(Why::Lost));
            match args.pos.first().and_then(|queue| host.known_of_queue(queue)) {
                Some(V::Undef) => {
                    let empty = Err(host.raise("queue.Empty", ""));
                    in_vain(host, patience, "Queue.get", "nothing is ever put into the queue", empty)
                }
                known => Ok(known.unwrap_or(V::Unknown(Why::OUTSIDE))),
            }
        }
    }
}

fn task_done(host: &mut dyn Host, args: Args) -> R<V> {
    // Each thread answers for what it took itself, where none but this code does so at all.
    let answers = is_marked(host, &args, TAKEN) && host.is_only_place_of("task_done");
    mark(host, &args, TAKEN, false);
    if !answers && get(host, &args, "open").exact_int().is_none_or(|n| n < 1) {
        host.may_raise("ValueError");
    }
    count(host, &args, "open", -1);
    Ok(V::None)
}

fn join_queue(host: &mut dyn Host, args: Args) -> R<V> {
    match get(host, &args, "open").exact_int() {
        Some(n) if n > 0 => {
            Err(host.waits_forever(FactKind::EndlessWait, "Queue.join", "nobody else can call its `task_done` for what was put into it"))
        }
        Some(_) => Ok(V::None),
        None if is_marked(host, &args, PUT) && !host.accesses(ANSWERING) && !host.mentions(&["JoinableQueue", "QueueListener"]) => Err(
            host.waits_forever(FactKind::EndlessWait, "Queue.join", "nothing in the program calls `task_done` for what was put into it"),
        ),
        None => Ok(V::None),
    }
}
