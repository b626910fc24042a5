//! `selectors`: what waits until one of several files is ready.

use std::rc::Rc;

use crate::fact::FactKind;
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{attribute_of, bind, exact_tuple, instance, outside_any, put};

/// The files that are watched, where they are watched for something to be read.
const WATCHED: &str = "-watched";

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "DefaultSelector" => |host, _| {
            host.may_raise("OSError");
            let attrs = vec![(Sym::new(WATCHED), V::tuple(Vec::new()))];
            Ok(host.alloc(Obj::Instance { class: V::lib("selectors.DefaultSelector"), attrs: Rc::new(attrs) }))
        },
        "DefaultSelector.register" => register,
        "DefaultSelector.unregister" => |host, args| {
            host.may_raise("");
            let left = watched(host, &args).map(|all| V::tuple(all.into_iter().filter(|file| args.pos.get(1) != Some(file)).collect()));
            write(host, &args, left);
            Ok(V::Unknown(Why::OUTSIDE))
        },
        "DefaultSelector.modify" | "DefaultSelector.close" => |host, args| {
            write(host, &args, None);
            host.store().escape_all(&args.values()[1..]);
            host.may_raise("");
            Ok(V::Unknown(Why::OUTSIDE))
        },
        "DefaultSelector.__enter__" => |_, args| Ok(args.pos.first().cloned().unwrap_or(V::None)),
        "DefaultSelector.__exit__" => |host, args| {
            write(host, &args, None);
            Ok(V::None)
        },
        "DefaultSelector.select" => select,
        _ => return None,
    }))
}

fn watched(host: &mut dyn Host, args: &Args) -> Option<Vec<V>> {
    let (_, attrs) = args.pos.first().and_then(|this| instance(host, this))?;
    exact_tuple(&attribute_of(&attrs, WATCHED)?)
}

fn write(host: &mut dyn Host, args: &Args, watched: Option<V>) {
    if let Some(this) = args.pos.first().cloned() {
        put(host, &this, vec![(Sym::new(WATCHED), watched.unwrap_or(V::Unknown(Why::Lost)))]);
    }
}

fn register(host: &mut dyn Host, args: Args) -> R<V> {
    let [_, file, events, data] = bind(host, &args, ["", "fileobj", "events", "data"], 3)?;
    host.may_raise("");
    host.store().escape_all(&Vec::from_iter(data));
    let to_read = match &events {
        Some(V::Int(1)) => true,
        Some(V::Lib(name)) => &*name.text() == "selectors.EVENT_READ",
        _ => false,
    };
    let all = watched(host, &args).zip(file).filter(|_| to_read);
    write(host, &args, all.map(|(all, file)| V::tuple(all.into_iter().chain([file]).collect())));
    Ok(V::Unknown(Why::OUTSIDE))
}

fn select(host: &mut dyn Host, args: Args) -> R<V> {
    let [_, timeout] = bind(host, &args, ["", "timeout"], 1)?;
    if matches!(timeout, None | Some(V::None))
        && !["EpollSelector", "KqueueSelector", "PollSelector", "SelectSelector"]
            .iter()
            .any(|class| host.store().is_patched(Sym::new(&format!("selectors.{class}.select"))))
        && let Some(files) = watched(host, &args)
    {
        let callee = "selectors.DefaultSelector.select";
        if files.is_empty() {
            return Err(host.waits_forever(FactKind::EndlessWait, callee, "it waits for nothing, and no time is set"));
        }
        if files.iter().all(|file| super::pipes::is_silent(host, file)) || super::socket::all_silent(host, &files) {
            return Err(host.waits_forever(FactKind::EndlessWait, callee, "nothing is written to what it waits for"));
        }
    }
    outside_any(host, Args::of(timeout))
}
