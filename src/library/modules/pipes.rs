//! Pipes within the program: what waits for bytes that nobody writes, or for room that nobody makes.
//!
//! A descriptor is an instance of a class of its own, whose name says which pipe it is an end of; the pipe is an object that nothing else refers to.
//! Nothing is said where the program names what could use a descriptor otherwise.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, ObjId, Sym, V, Why};

use super::INERT;
use super::support::{attribute_of, instance, look, outside_any, put};

/// What the names of the classes of descriptors begin with.
const DESCRIPTOR: &str = "os.fd.";

/// Names of what may use a descriptor beside the program, or in another way.
const OTHERWISE: &[&str] = &[
    "FileIO",
    "Pool",
    "Popen",
    "Process",
    "ProcessPoolExecutor",
    "Thread",
    "ThreadPoolExecutor",
    "Timer",
    "call",
    "check_call",
    "check_output",
    "close_range",
    "closerange",
    "connect_read_pipe",
    "connect_write_pipe",
    "create_subprocess_exec",
    "create_subprocess_shell",
    "dup",
    "dup2",
    "fcntl",
    "fileno",
    "fork",
    "forkpty",
    "getoutput",
    "getstatusoutput",
    "map",
    "open",
    "pass_fds",
    "popen",
    "posix_spawn",
    "posix_spawnp",
    "pwrite",
    "run",
    "run_in_executor",
    "send_fds",
    "send_handle",
    "sendfile",
    "set_blocking",
    "set_wakeup_fd",
    "spawnl",
    "spawnle",
    "spawnlp",
    "spawnlpe",
    "spawnv",
    "spawnve",
    "spawnvp",
    "spawnvpe",
    "splice",
    "start_new_thread",
    "submit",
    "system",
    "tee",
    "to_thread",
    "writev",
];

/// Bytes that a pipe takes before a writer waits.
const ROOM: i128 = 65536;

/// The entry for a qualified name.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "os.pipe" => |host, _| {
            host.may_raise("OSError");
            let attrs = vec![(Sym::new("-unread"), V::Int(0)), (Sym::new("-open"), V::Bool(true))];
            let pipe = host.alloc(Obj::Instance { class: V::lib("os.pipe"), attrs: Rc::new(attrs) });
            let V::Ref(ObjId(id)) = pipe else { return Ok(V::Unknown(Why::OUTSIDE)) };
            let end = |which: &str| V::Instance(Sym::new(&format!("{DESCRIPTOR}{which}.{id}")), Why::OUTSIDE);
            Ok(V::tuple(vec![end("read"), end("write")]))
        },
        "os.write" => write,
        "os.close" => |host, args| {
            host.may_raise("OSError");
            if let Some((pipe, is_reader)) = args.pos.first().and_then(end_of) {
                let lost = if is_reader { "-unread" } else { "-open" };
                put(host, &pipe, vec![(Sym::new(lost), if is_reader { V::Unknown(Why::Lost) } else { V::Bool(false) })]);
            }
            Ok(V::None)
        },
        "os.fdopen" => |host, args| match args.pos.first().and_then(end_of) {
            Some((pipe, true)) => {
                host.may_raise("OSError");
                let attrs = Rc::new(vec![(Sym::new("-of"), pipe)]);
                Ok(host.alloc(Obj::Instance { class: V::lib("os.stream"), attrs }))
            }
            Some((pipe, false)) => {
                put(host, &pipe, vec![(Sym::new("-open"), V::Unknown(Why::Lost))]);
                outside_any(host, args)
            }
            None => outside_any(host, args),
        },
        "os.stream.__enter__" => |_, args| Ok(args.pos.first().cloned().unwrap_or(V::None)),
        "os.stream.__exit__" => |_, _| Ok(V::None),
        "os.stream.read" | "os.stream.readlines" => |host, args| {
            let attrs = args.pos.first().and_then(|this| instance(host, this)).map(|(_, attrs)| attrs);
            let pipe = attrs.and_then(|attrs| attribute_of(&attrs, "-of"));
            if args.exactly(1)
                && let Some(pipe) = pipe
                && is_held_open(host, &pipe)
            {
                return Err(host.waits_forever(FactKind::EndlessWait, "read", "the other end of the pipe is open, and nobody closes it"));
            }
            outside_any(host, args)
        },
        _ => return None,
    }))
}

/// The pipe that a descriptor is an end of, and whether it is the one to read from.
fn end_of(descriptor: &V) -> Option<(V, bool)> {
    let V::Instance(class, _) = descriptor else { return None };
    let class = class.text();
    let (which, id) = class.strip_prefix(DESCRIPTOR)?.split_once('.')?;
    Some((V::Ref(ObjId(id.parse().ok()?)), which == "read"))
}

fn part(host: &mut dyn Host, pipe: &V, name: &str) -> V {
    let attrs = instance(host, pipe).map(|(_, attrs)| attrs).unwrap_or_default();
    attribute_of(&attrs, name).unwrap_or(V::Unknown(Why::Lost))
}

/// Whether the end to write to is open, and nothing but what is seen here uses it.
fn is_held_open(host: &mut dyn Host, pipe: &V) -> bool {
    let V::Ref(id) = pipe else { return false };
    let is_one = !host.store().is_summary(*id);
    is_one && part(host, pipe, "-open") == V::Bool(true) && !host.mentions_yet(OTHERWISE) && host.imports_only(&INERT)
}

/// Whether there is nothing to be read from a descriptor, nor ever will be.
pub fn is_silent(host: &mut dyn Host, descriptor: &V) -> bool {
    let Some((pipe, true)) = end_of(descriptor) else { return false };
    part(host, &pipe, "-unread") == V::Int(0) && is_held_open(host, &pipe)
}

/// Reads from a descriptor.
pub fn read(host: &mut dyn Host, args: &Args) -> R<()> {
    let Some(descriptor) = args.get(0, "fd").cloned() else { return Ok(()) };
    if is_silent(host, &descriptor) {
        return Err(host.waits_forever(FactKind::EndlessWait, "os.read", "nothing more is written to the pipe, and nobody closes it"));
    }
    if let Some((pipe, true)) = end_of(&descriptor) {
        let unread = part(host, &pipe, "-unread").exact_int().zip(args.get(1, "length").and_then(V::exact_int));
        let left = unread.map_or(V::Unknown(Why::Lost), |(unread, most)| V::Int((unread - most).max(0)));
        put(host, &pipe, vec![(Sym::new("-unread"), left)]);
    }
    Ok(())
}

fn write(host: &mut dyn Host, args: Args) -> R<V> {
    host.may_raise("OSError");
    look(host, &args);
    if let Some((pipe, false)) = args.pos.first().and_then(end_of) {
        let written = match args.pos.get(1) {
            Some(V::Bytes(bytes)) => Some((bytes.len() as i128, bytes.len() as i128)),
            Some(V::ManyBytes(text)) => Some((i128::from(text.low), i128::from(text.high))),
            _ => None,
        };
        let unread = part(host, &pipe, "-unread").exact_int();
        if let (Some((low, _)), Some(before)) = (written, unread)
            && before + low > ROOM
            && is_held_open(host, &pipe)
        {
            return Err(host.waits_forever(FactKind::EndlessWait, "os.write", "the pipe is full, and nobody reads from it"));
        }
        let after = unread.zip(written).filter(|(_, (low, high))| low == high).map(|(before, (low, _))| before + low);
        put(host, &pipe, vec![(Sym::new("-unread"), after.map_or(V::Unknown(Why::Lost), V::Int))]);
    }
    Ok(V::any_size(Why::OUTSIDE))
}
