//! `json`: texts that are known are parsed.

use std::rc::Rc;

use serde_json::Value;

use crate::fact::FactKind;
use crate::library::builtins::text::least_text;
use crate::library::common::allocates;
use crate::library::{Args, Entry, Host, R, list};
use crate::value::object::{DictKind, Key, Obj, Table, V, Why};

use super::support::{bind, outside_any, outside_str};

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    match name {
        "loads" => Some(Entry::Function(loads)),
        "dumps" => Some(Entry::Function(dumps)),
        _ => None,
    }
}

fn loads(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.exactly(1) {
        return outside_any(host, args);
    }
    let [text] = bind(host, &args, ["/s"], 1)?;
    let Some(V::Str(text)) = text else { return outside_any(host, args) };
    host.burn(text.len() as u64 / 8)?;
    match serde_json::from_str(&text) {
        Ok(value) => made(host, &value),
        Err(_) if is_refused(&text) => Err(host.raise("json.JSONDecodeError", "")),
        Err(_) => outside_any(host, args),
    }
}

/// Whether Python refuses what is refused here: not where it takes numbers, surrogates and depths that others do not.
fn is_refused(text: &str) -> bool {
    let depth = text.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count();
    let exponents = text.as_bytes().windows(2).any(|pair| pair[0].is_ascii_digit() && matches!(pair[1], b'e' | b'E'));
    depth < 100 && !exponents && !["NaN", "Infinity", "\\u"].iter().any(|word| text.contains(word))
}

/// A text as long as what is written, shared parts as often as they are reached.
fn dumps(host: &mut dyn Host, args: Args) -> R<V> {
    const LONGER: &[&str] = &["indent", "sort_keys", "ensure_ascii"];
    if let ([value], false) = (&args.pos[..], args.open)
        && args.kw.iter().all(|(n, _)| LONGER.contains(&&*n.text()))
        && let Some(least) = least_text(host, value)?
    {
        allocates(host, FactKind::Format, "json.dumps", least, u64::MAX);
    }
    outside_str(host, args)
}

fn made(host: &mut dyn Host, value: &Value) -> R<V> {
    host.burn(1)?;
    Ok(match value {
        Value::Null => V::None,
        Value::Bool(b) => V::Bool(*b),
        Value::String(text) => V::str(text),
        Value::Number(number) => match (number.as_i128(), number.as_f64()) {
            (Some(n), _) => V::Int(n),
            // Integers that do not fit have become one.
            (None, Some(f)) if f.abs() < 9e18 => V::Float(f),
            _ => V::Unknown(Why::Lost),
        },
        Value::Array(items) => {
            let items = items.iter().map(|item| made(host, item)).collect::<R<Vec<V>>>()?;
            list(host, items)
        }
        Value::Object(entries) => {
            let mut table = Table::default();
            for (name, value) in entries {
                let value = made(host, value)?;
                table.exact.insert(Key::Str(name.as_str().into()), (V::str(name), value));
            }
            host.alloc(Obj::Dict(Rc::new(table), DictKind::Plain))
        }
    })
}
