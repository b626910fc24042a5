//! Abstract values as JSON, for `debug values` and the soundness check.

use serde_json::{Value, json};

use crate::library::modules::stands_for_others;
use crate::value::object::{DictKind, Items, Obj, Sym, Tuple, V};

use super::machine::Machine;

/// Containers deeper than this are not written out.
const DEPTH: u32 = 8;

fn integer(n: i128) -> Value {
    Value::String(n.to_string())
}

fn float(f: f64) -> Value {
    Value::String(crate::value::decimal::repr_float(f))
}

fn count(n: u64) -> Value {
    if n == u64::MAX { Value::Null } else { json!(n) }
}

impl Machine<'_> {
    /// The value as JSON: `kind`, and what is known of it. Integers and floats are strings, so that nothing is rounded.
    pub fn describe_value(&self, v: &V, depth: u32) -> Value {
        if depth > DEPTH {
            return json!({"kind": "any"});
        }
        match v {
            V::Undef => json!({"kind": "unbound"}),
            V::None => json!({"kind": "none"}),
            V::Bool(b) => json!({"kind": "bool", "value": b}),
            V::AnyBool(_) => json!({"kind": "bool"}),
            V::Int(n) => json!({"kind": "int", "value": integer(*n)}),
            V::Ints(r) => {
                let int = r.0;
                let mut shown = json!({"kind": "int", "low": int.lower().map(integer), "high": int.upper().map(integer), "bits_low": int.bits_low, "bits_high": count(int.bits_high)});
                if int.residue.modulus() > 1 {
                    shown["modulus"] = json!(int.residue.modulus());
                    shown["residue"] = json!(int.residue.residue());
                }
                shown
            }
            V::Float(f) => json!({"kind": "float", "value": float(*f)}),
            V::Floats(r) => json!({"kind": "float", "low": float(r.0.low), "high": float(r.0.high), "nan": r.0.nan}),
            V::Complex(_) => json!({"kind": "complex"}),
            V::Str(s) => json!({"kind": "str", "value": &**s}),
            V::Strs(t) => json!({"kind": "str", "low": t.low, "high": count(t.high)}),
            V::Bytes(b) => json!({"kind": "bytes", "value": b.iter().map(|x| u64::from(*x)).collect::<Vec<_>>()}),
            V::ManyBytes(t) => json!({"kind": "bytes", "low": t.low, "high": count(t.high)}),
            V::Tuple(t) => match &**t {
                Tuple::Exact(items) => json!({"kind": "tuple", "items": self.describe_all(items, depth)}),
                Tuple::Bag { element, low, high } => {
                    json!({"kind": "tuple", "items": [], "rest": {"element": self.describe_value(element, depth + 1), "low": low, "high": count(*high)}})
                }
            },
            V::Range(parts) => json!({"kind": "range", "parts": self.describe_all(&parts[..], depth)}),
            V::OneOf(all) => json!({"kind": "one_of", "alternatives": self.describe_all(all, depth)}),
            V::Module(name) => json!({"kind": "module", "name": &*name.text()}),
            V::Lib(name) => json!({"kind": "library", "name": &*name.text()}),
            V::Instance(name, _) => describe_class(*name),
            V::Exc(e) => json!({"kind": "exception", "class": &*e.class.text()}),
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(items) => self.describe_items("list", items, depth),
                Obj::Deque(items, _) => self.describe_items("deque", items, depth),
                Obj::Dict(table, kind) => {
                    let entries: Vec<Value> = table
                        .exact
                        .values()
                        .map(|(k, v)| json!([self.describe_value(k, depth + 1), self.describe_value(v, depth + 1)]))
                        .collect();
                    let rest = table.rest.as_ref().map(|r| json!({"element": self.describe_value(&r.element, depth + 1), "value": self.describe_value(&r.value, depth + 1), "low": r.low, "high": count(r.high)}));
                    json!({"kind": "dict", "plain": matches!(kind, DictKind::Plain), "entries": entries, "rest": rest})
                }
                Obj::Set(table, frozen) => {
                    let items: Vec<Value> = table.exact.values().map(|(k, _)| self.describe_value(k, depth + 1)).collect();
                    let rest = table
                        .rest
                        .as_ref()
                        .map(|r| json!({"element": self.describe_value(&r.element, depth + 1), "low": r.low, "high": count(r.high)}));
                    json!({"kind": if *frozen { "frozenset" } else { "set" }, "items": items, "rest": rest})
                }
                Obj::Instance { class: V::Lib(name), .. } => describe_class(*name),
                Obj::Instance { class, attrs } => {
                    let name = self.class(class).map(|c| c.name.text().to_string());
                    let attrs: serde_json::Map<String, Value> =
                        // What starts with this is the evaluator's own.
                        attrs.iter().filter(|(n, _)| !n.text().starts_with('@')).map(|(n, v)| (n.text().to_string(), self.describe_value(v, depth + 1))).collect();
                    json!({"kind": "instance", "class": name, "attrs": attrs})
                }
                Obj::Function(_) => json!({"kind": "function"}),
                Obj::Class(c) => json!({"kind": "class", "name": &*c.name.text()}),
                _ => json!({"kind": "any"}),
            },
            _ => json!({"kind": "any"}),
        }
    }

    fn describe_all(&self, items: &[V], depth: u32) -> Vec<Value> {
        items.iter().map(|v| self.describe_value(v, depth + 1)).collect()
    }

    fn describe_items(&self, kind: &str, items: &Items, depth: u32) -> Value {
        let rest = items
            .rest
            .as_ref()
            .map(|r| json!({"element": self.describe_value(&r.element, depth + 1), "low": r.low, "high": count(r.high)}));
        json!({"kind": kind, "items": self.describe_all(&items.exact, depth), "rest": rest})
    }
}

/// An object of a library class, by the name of the class where that is one of Python's.
fn describe_class(name: Sym) -> Value {
    let name = name.text();
    if stands_for_others(&name) { json!({"kind": "any"}) } else { json!({"kind": "instance_of", "name": &*name}) }
}
