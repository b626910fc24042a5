//! `socket`: what waits for bytes that nobody sends.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{attribute_of, instance, look, outside_any, put};

/// Names of what sends to a socket without naming it, or sets a time for all.
const ELSEWHERE: &[&str] =
    &["setdefaulttimeout", "connect", "connect_ex", "create_connection", "open_connection", "fileno", "urlopen", "client"];

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "socketpair" => pair,
        "socket" => |host, args| {
            look(host, &args);
            Ok(made(host))
        },
        "socket.bind" | "socket.setsockopt" => |host, args| {
            look(host, &without_this(&args));
            host.may_raise("OSError");
            Ok(V::None)
        },
        "socket.listen" => |host, args| {
            host.may_raise("OSError");
            write(host, args.pos.first(), "-listens", &V::Bool(true));
            Ok(V::None)
        },
        "socket.accept" => accept,
        "socket.recv" | "socket.recvfrom" => receive,
        "socket.send" | "socket.sendall" | "socket.shutdown" | "socket.close" | "socket.__exit__" => reach_peer,
        "socket.settimeout" | "socket.setblocking" => |host, args| {
            let waits = matches!((args.pos.len(), args.pos.get(1)), (2, Some(V::None | V::Bool(true))));
            write(host, args.pos.first(), "-waits", &V::Bool(waits));
            Ok(V::None)
        },
        "socket.__enter__" => |_, args| Ok(args.pos.first().cloned().unwrap_or(V::None)),
        _ => return None,
    }))
}

fn without_this(args: &Args) -> Args {
    let mut rest = args.clone();
    rest.pos.drain(..rest.pos.len().min(1));
    rest
}

/// A socket nobody has written to, that waits as long as it takes.
fn made(host: &mut dyn Host) -> V {
    let attrs = vec![
        (Sym::new("-waits"), V::Bool(true)),
        (Sym::new("-heard"), V::Bool(true)),
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
        write(host, Some(&ends[end]), "-heard", &V::Bool(false));
    }
    Ok(V::tuple(ends.to_vec()))
}

/// What is done to one end may be noticed at the other.
fn reach_peer(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first()) {
        let peer = part(&attrs, "-peer");
        write(host, Some(&peer), "-heard", &V::Bool(true));
        write(host, args.pos.first(), "-heard", &V::Bool(true));
    }
    outside_any(host, without_this(&args))
}

fn receive(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first()) {
        let (waits, heard, peer) = (part(&attrs, "-waits"), part(&attrs, "-heard"), part(&attrs, "-peer"));
        // An end that no variable holds any more is closed.
        if waits == V::Bool(true) && heard == V::Bool(false) && host.is_global(&peer) && !host.mentions(ELSEWHERE) && args.pos.len() == 2 {
            return Err(host.waits_forever(FactKind::EndlessWait, "socket.recv", "nothing is written to the other end"));
        }
    }
    outside_any(host, without_this(&args))
}

fn accept(host: &mut dyn Host, args: Args) -> R<V> {
    if let Some(attrs) = state(host, args.pos.first())
        && part(&attrs, "-waits") == V::Bool(true)
        && part(&attrs, "-listens") == V::Bool(true)
        && !host.mentions(ELSEWHERE)
        && !host.mentions(&["Thread", "Process", "Popen", "run", "fork", "Timer", "submit", "system", "start_new_thread"])
    {
        return Err(host.waits_forever(FactKind::EndlessWait, "socket.accept", "nothing in the program connects to it"));
    }
    outside_any(host, without_this(&args))
}
