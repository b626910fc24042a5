//! `logging`: what it is told is written somewhere; what goes wrong with that is printed and no more.

use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Sym, V, Why};

use super::support::{is_plain, look, outside_none};

/// Names of what lets code of the program's handle records.
const HANDLED: &[&str] =
    &["Filter", "LoggerAdapter", "addFilter", "dictConfig", "emit", "fileConfig", "handleError", "setLogRecordFactory", "setLoggerClass"];

/// Names of what is called when a value is written into a message. What others hold may be of a class that has them.
const WRITTEN_BY: &[&str] = &["__format__", "__getitem__", "__repr__", "__str__"];

/// Keywords with which nothing is looked up in what is given.
const PLAIN_KEYWORDS: &[&str] = &["exc_info", "stack_info", "stacklevel"];

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "debug" | "info" | "warning" | "error" | "critical" | "exception" => |host, args| log(host, &args, 0),
        "log" => |host, args| log(host, &args, 1),
        "getLogger" => logger,
        "Logger.debug" | "Logger.info" | "Logger.warning" | "Logger.error" | "Logger.critical" | "Logger.exception" => {
            |host, args| log(host, &args, 1)
        }
        "Logger.log" => |host, args| log(host, &args, 2),
        "Logger.setLevel" => outside_none,
        _ => return None,
    }))
}

fn logger(host: &mut dyn Host, args: Args) -> R<V> {
    match args.pos.first() {
        None | Some(V::Str(_) | V::Strs(_) | V::None) if args.kw.is_empty() && args.pos.len() < 2 => {}
        _ => look(host, &args),
    }
    Ok(V::Instance(Sym::new("logging.Logger"), Why::OUTSIDE))
}

/// The message is the argument at `at`, after the level where that is given.
fn log(host: &mut dyn Host, args: &Args, at: usize) -> R<V> {
    let replaced = ["sys.stdout", "sys.stderr"].iter().any(|name| host.store().is_patched(Sym::new(name)));
    // A formatter of the program's own overrides `format`.
    let is_handled = host.mentions(HANDLED) || host.mentions(&["Formatter"]) && host.mentions(&["format", "formatTime", "formatException"]);
    let levels = args.pos.get(..at).is_some_and(|before| before.iter().all(|v| matches!(v, V::Int(_) | V::Instance(..))));
    let known = levels && args.pos.len() > at && args.kw.iter().all(|(name, _)| PLAIN_KEYWORDS.contains(&&*name.text()));
    if !args.values().iter().all(|v| v.is_exact() && !v.is_object()) && host.mentions(WRITTEN_BY) {
        host.unknown_call(args);
    } else if replaced || is_handled || !known || !args.values().iter().all(|v| is_plain(host, v)) {
        look(host, args);
    }
    Ok(V::None)
}
