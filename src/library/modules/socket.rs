//! `socket`: what waits for bytes that nobody sends.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{attribute_of, instance, look, outside_any, put};

/// Names of what sends to a socket without naming it, or sets a time for all.
const ELSEWHERE: &[&str] =
    &["setdefaulttimeout", "connect", "connect_ex", "create_connection", "open_connection", "fileno", "urlopen", "urlretrieve", "client"];

/// Names of what sends without a connection.
const SENDING: &[&str] = &["sendto", "sendmsg"];

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "socketpair" => pair,
        "socket" => |host, args| {
            look(host, &args);
            let socket = made(host);
            // One of datagrams hears what is sent to it.
            let hears = matches!(args.get(1, "type"), Some(V::Lib(name)) if &*name.text() == "socket.SOCK_DGRAM");
            write(host, Some(&socket), "-hears", &V::Bool(hears));
            Ok(socket)
        },
        "create_server" => |host, args| {
            host.may_raise("OSError");
            look(host, &args);
            let socket = made(host);
            write(host, Some(&socket), "-listens", &V::Bool(true));
            Ok(socket)
        },
        "socket.bind" => |host, args| {
            look(host, &without_this(&args));
            host.may_raise("OSError");
            write(host, args.pos.first(), "-bound", &V::Bool(true));
            Ok(V::None)
        },
        "socket.setsockopt" => |host, args| {
            look(host, &without_this(&args));
            host.may_raise("OSError");
            // A time to wait may be among them.
            write(host, args.pos.first(), "-hears", &V::Bool(false));
            Ok(V::None)
        },
        "socket.listen" => |host, args| {
            host.may_raise("OSError");
            write(host, args.pos.first(), "-listens", &V::Bool(true));
            Ok(V::None)
        },
        "socket.accept" => accept,
        "socket.recv" | "socket.recvfrom" => receive,
        "socket.send" | "socket.sendall" => send,
        "socket.getsockname" | "socket.getpeername" | "socket.gettimeout" | "socket.getsockopt" => |host, args| {
            host.may_raise("OSError");
            look(host, &without_this(&args));
            Ok(V::Unknown(Why::OUTSIDE))
        },
        "socket.shutdown" | "socket.close" | "socket.__exit__" => reach_peer,
        "socket.settimeout" | "socket.setblocking" => |host, args| {
            let waits = matches!((args.pos.len(), args.pos.get(1)), (2, Some(V::None | V::Bool(true))));
            write(host, args.pos.first(), "-waits", &V::Bool(waits));
            Ok(V::None)
        },
        "socket.__enter__" | "stream.__enter__" => |_, args| Ok(args.pos.first().cloned().unwrap_or(V::None)),
        "socket.makefile" => |host, args| {
            let reads = matches!(args.get(1, "mode"), None | Some(V::Str(_))) && args.get(1, "mode").is_none_or(|mode| !writes(mode));
            host.may_raise("");
            match args.pos.first() {
                Some(socket) if reads && state(host, Some(socket)).is_some() => {
                    let attrs = Rc::new(vec![(Sym::new("-of"), socket.clone())]);
                    Ok(host.alloc(Obj::Instance { class: V::lib("socket.stream"), attrs }))
                }
                _ => {
                    host.store().escape_all(&args.values());
                    Ok(V::Unknown(Why::OUTSIDE))
                }
            }
        },
        "stream.read" | "stream.readlines" => |host, args| read_stream(host, args, true),
        "stream.readline" => |host, args| read_stream(host, args, false),
        "stream.close" | "stream.__exit__" => |host, args| {
            host.may_raise("");
            let socket = of_stream(host, &args);
            write(host, socket.as_ref(), "-unread", &V::Unknown(Why::OUTSIDE));
            Ok(V::None)
        },
        _ => return None,
    }))
}

fn without_this(args: &Args) -> Args {
    let mut rest = args.clone();
    rest.pos.drain(..rest.pos.len().min(1));
    rest
}

/// Bytes up to which what is sent is surely taken at once.
const BUFFERED: u64 = 4096;

/// A socket that waits as long as it takes. How many bytes there are to be read is known of one end of a pair.
fn made(host: &mut dyn Host) -> V {
    let attrs = vec![
        (Sym::new("-waits"), V::Bool(true)),
        (Sym::new("-unread"), V::Unknown(Why::OUTSIDE)),
        (Sym::new("-listens"), V::Bool(false)),
        (Sym::new("-peer"), V::None),
    ];
    host.alloc(Obj::Instance { class: V::lib("socket.socket"), attrs: Rc::new(attrs) })
}

/// What is known of a socket.
fn state(host: &mut dyn Host, socket: Option<&V>) -> Option<Vec<(Sym, V)>> {
    let (class, attrs) = instance(host, socket?)?;
    (class == V::lib("socket.socket")).then_some(attrs)
}

fn part(attrs: &[(Sym, V)], name: &str) -> V {
    attribute_of(attrs, name).unwrap_or(V::Unknown(Why::Lost))
}

fn write(host: &mut dyn Host, socket: Option<&V>, name: &str, value: &V) {
    if let Some(socket) = socket
        && state(host, Some(socket)).is_some()
    {
        put(host, socket, vec![(Sym::new(name), value.clone())]);
    }
}

/// Two ends that know each other.
fn pair(host: &mut dyn Host, args: Args) -> R<V> {
    look(host, &args);
    let ends = [made(host), made(host)];
    for (end, peer) in [(0, 1), (1, 0)] {
        write(host, Some(&ends[end]), "-peer", &ends[peer]);
        write(host, Some(&ends[end]), "-unread", &V::Int(0));
    }
    Ok(V::tuple(ends.to_vec()))
}

/// What is done to one end may be noticed at the other.
fn reach_peer(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first()) {
        let peer = part(&attrs, "-peer");
        write(host, Some(&peer), "-unread", &V::Unknown(Why::OUTSIDE));
        write(host, args.pos.first(), "-unread", &V::Unknown(Why::OUTSIDE));
    }
    outside_any(host, without_this(&args))
}

fn send(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(attrs) = state(host, args.pos.first()) else { return outside_any(host, without_this(&args)) };
    let peer = part(&attrs, "-peer");
    let sent = match args.pos.get(1) {
        Some(V::Bytes(bytes)) if args.pos.len() == 2 && (bytes.len() as u64) <= BUFFERED => Some(bytes.len() as i128),
        _ => None,
    };
    let before = state(host, Some(&peer)).and_then(|attrs| part(&attrs, "-unread").exact_int());
    let after = sent.zip(before).map(|(sent, before)| sent + before).filter(|all| *all <= i128::from(BUFFERED));
    write(host, Some(&peer), "-unread", &after.map_or(V::Unknown(Why::OUTSIDE), V::Int));
    outside_any(host, without_this(&args))
}

/// Whether there is nothing to be read from a socket, nor ever will be.
fn hears_nothing(host: &mut dyn Host, socket: &V) -> bool {
    unread_at_last(host, socket) == Some(0)
}

/// How many bytes there are to be read from a socket to which nothing more is sent, and whose other end stays open.
fn unread_at_last(host: &mut dyn Host, socket: &V) -> Option<i128> {
    let attrs = state(host, Some(socket))?;
    // An end that no variable holds any more is closed.
    let is_last = part(&attrs, "-waits") == V::Bool(true) && host.is_global(&part(&attrs, "-peer")) && !host.mentions_yet(ELSEWHERE);
    part(&attrs, "-unread").exact_int().filter(|_| is_last)
}

/// Whether a file of a socket is one to write to as well.
fn writes(mode: &V) -> bool {
    !matches!(mode, V::Str(mode) if !mode.contains(['w', '+']))
}

fn of_stream(host: &mut dyn Host, args: &Args) -> Option<V> {
    let (_, attrs) = args.pos.first().and_then(|this| instance(host, this))?;
    attribute_of(&attrs, "-of")
}

/// Reads a line, or all there is: until the other end is closed. Whatever else is read then waits in the file.
fn read_stream(host: &mut dyn Host, args: Args, is_all: bool) -> R<V> {
    if let Some(socket) = of_stream(host, &args) {
        let unread = if args.exactly(1) { unread_at_last(host, &socket) } else { None };
        if unread.is_some_and(|unread| is_all || unread == 0) {
            return Err(host.waits_forever(
                FactKind::EndlessWait,
                "read",
                "nothing more is written to the other end, and nobody closes it",
            ));
        }
        write(host, Some(&socket), "-unread", &V::Unknown(Why::OUTSIDE));
    }
    outside_any(host, without_this(&args))
}

/// Whether all are sockets from which there is nothing to be read.
pub fn all_silent(host: &mut dyn Host, sockets: &[V]) -> bool {
    sockets.iter().all(|socket| hears_nothing(host, socket))
}

fn receive(host: &mut dyn Host, args: Args) -> R<V> {
    let this = args.pos.first().cloned().unwrap_or(V::None);
    if args.pos.len() == 2
        && let Some(attrs) = state(host, Some(&this))
        && ["-waits", "-hears", "-bound"].iter().all(|name| part(&attrs, name) == V::Bool(true))
        && nobody_comes(host)
    {
        return Err(host.waits_forever(FactKind::EndlessWait, "socket.recvfrom", "nothing in the program sends to it"));
    }
    if args.pos.len() == 2 && hears_nothing(host, &this) {
        return Err(host.waits_forever(FactKind::EndlessWait, "socket.recv", "nothing more is written to the other end"));
    }
    if let Some(attrs) = state(host, Some(&this)) {
        let unread = part(&attrs, "-unread").exact_int();
        let left = unread.zip(args.pos.get(1).and_then(V::exact_int)).filter(|(_, most)| *most > 0 && args.pos.len() == 2);
        let left = left.map_or(V::Unknown(Why::OUTSIDE), |(unread, most)| V::Int((unread - most).max(0)));
        write(host, Some(&this), "-unread", &left);
    }
    outside_any(host, without_this(&args))
}

/// Whether nothing in the program connects to a socket of its own, or sends to it, before the wait for that is over.
fn nobody_comes(host: &dyn Host) -> bool {
    const PROCESSES: &[&str] = &[
        "Pool",
        "Popen",
        "Process",
        "ProcessPoolExecutor",
        "call",
        "check_call",
        "check_output",
        "create_subprocess_exec",
        "create_subprocess_shell",
        "fork",
        "getoutput",
        "popen",
        "posix_spawn",
        "run",
        "system",
    ];
    // Threads run code that is seen, where nothing but the standard library is imported.
    const THREADS: &[&str] =
        &["Thread", "ThreadPool", "ThreadPoolExecutor", "Timer", "run_in_executor", "start_new_thread", "submit", "to_thread"];
    let is_alone = !host.mentions_yet(ELSEWHERE) && !host.mentions_yet(SENDING) && !host.mentions_yet(PROCESSES);
    is_alone && (!host.mentions_yet(THREADS) || !host.accesses(&["shutdown"]))
}

/// A server of the library that waits for one request.
pub fn handle_request(host: &mut dyn Host) -> R<()> {
    if nobody_comes(host) && !host.mentions_yet(&["timeout"]) {
        return Err(host.waits_forever(FactKind::EndlessWait, "handle_request", "nothing in the program connects to it"));
    }
    Ok(())
}

fn accept(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first())
        && part(&attrs, "-waits") == V::Bool(true)
        && part(&attrs, "-listens") == V::Bool(true)
        && nobody_comes(host)
    {
        return Err(host.waits_forever(FactKind::EndlessWait, "socket.accept", "nothing in the program connects to it"));
    }
    outside_any(host, without_this(&args))
}
