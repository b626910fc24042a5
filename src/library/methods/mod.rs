//! The methods of builtin types, one file per type. The receiver is the first argument.

use super::Entry;

pub mod bytes;
pub mod deque;
pub mod dict;
pub mod list;
pub mod number;
pub mod object;
pub mod printf;
pub mod set;
pub mod str;

/// The entry for a name.
pub fn find(name: &str) -> Option<Entry> {
    let (owner, method) = name.rsplit_once('.')?;
    match owner {
        "str" => str::find(method),
        "list" => list::find(method),
        "tuple" => list::find_tuple(method),
        "dict" => dict::find(method),
        "collections.defaultdict" | "collections.Counter" | "collections.OrderedDict" => dict::find_special(owner, method),
        "bytes" | "bytearray" => bytes::find(owner, method),
        "int" | "bool" | "float" => number::find(owner, method),
        "collections.deque" => deque::find(method),
        "set" | "frozenset" => set::find(method),
        "generator" | "iterator" | "object" | "BaseException" | "Exception" | "range" => object::find(owner, method),
        _ => None,
    }
}
