//! `enum`: members of plain enumerations. A class keeps them under a name unknown to Python, in order, aliases left out.

use std::rc::Rc;

use crate::library::common::equal;
use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Class, Obj, Sym, V, Why};

use super::support::{all, attribute_of, class_attribute, class_object, exact_tuple, instance, partial, put};

/// Where a class keeps its members.
pub const MEMBERS: &str = "@members";

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "auto" => auto,
        "unique" => unique,
        "method.new" => by_value,
        "method.name" => |host, args| part(host, &args, "_name_"),
        "method.value" => |host, args| part(host, &args, "_value_"),
        "method.str" => |host, args| shown(host, &args, false),
        "method.repr" => |host, args| shown(host, &args, true),
        _ => return None,
    }))
}

fn auto(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.exactly(0) {
        return Ok(host.unknown_call(&args));
    }
    Ok(host.alloc(Obj::Instance { class: V::lib("enum.auto"), attrs: Rc::default() }))
}

fn is_auto(host: &mut dyn Host, value: &V) -> bool {
    matches!(instance(host, value), Some((V::Lib(class), _)) if &*class.text() == "enum.auto")
}

/// `unique` refuses aliases, of which there are none where names and members are as many.
fn unique(host: &mut dyn Host, args: Args) -> R<V> {
    let [class_value] = all(host, &args, ["/enumeration"])?;
    let Some(class) = class_object(host, &class_value).filter(|c| !c.open) else { return Ok(host.unknown_call(&args)) };
    let members = attribute_of(&class.attrs, MEMBERS).and_then(|v| exact_tuple(&v)).unwrap_or_default();
    let names = class.attrs.iter().filter(|(_, v)| members.contains(v)).count();
    if names != members.len() {
        return Err(host.raise("ValueError", "duplicate values found"));
    }
    Ok(class_value)
}

/// Whether a name of the class is that of a member, which cannot be assigned to.
pub fn is_member(class: &Class, name: Sym) -> bool {
    let members = attribute_of(&class.attrs, MEMBERS).and_then(|v| exact_tuple(&v)).unwrap_or_default();
    !members.is_empty() && class.attrs.iter().any(|(n, v)| *n == name && members.contains(v))
}

/// Makes the members. False: something is not followed.
pub fn finish(host: &mut dyn Host, class_value: &V, class: &Rc<Class>) -> R<bool> {
    for base in &class.mro {
        if let Some(base) = class_object(host, base)
            && attribute_of(&base.attrs, MEMBERS).is_some_and(|v| exact_tuple(&v).is_none_or(|all| !all.is_empty()))
        {
            return Err(host.raise("TypeError", "cannot extend an enumeration that has members"));
        }
    }
    for name in ["__init__", "__new__", "__eq__", "__hash__", "__get__", "__set__", "__getattribute__", "__getattr__", "__setattr__"] {
        if class_attribute(host, class, name).is_some() {
            return Ok(false);
        }
    }
    let mut changes: Vec<(Sym, V)> = Vec::new();
    let mut made: Vec<(V, V)> = Vec::new();
    let mut numbers: Vec<Option<i128>> = Vec::new();
    let mut autos = Vec::new();
    for (name, value) in &class.attrs {
        let text = name.text();
        if text.starts_with('@') || (text.starts_with("__") && text.ends_with("__")) || matches!(value, V::Undef) {
            continue;
        }
        if text.starts_with('_') || matches!(&*text, "name" | "value" | "mro") {
            return Ok(false);
        }
        let value = match value {
            V::Ref(id) => match host.store().get(*id).clone() {
                Obj::Function(_) | Obj::Property { .. } | Obj::StaticMethod(_) | Obj::ClassMethod(_) => continue,
                Obj::Instance { .. } if is_auto(host, value) => {
                    // Reading its name in the body gives the number, or this object: versions differ.
                    if autos.contains(value) {
                        return Ok(false);
                    }
                    autos.push(value.clone());
                    let known: Option<Vec<i128>> = numbers.iter().copied().collect();
                    match known {
                        Some(known) if known.iter().max() == known.last() => V::Int(known.last().map_or(1, |n| n.saturating_add(1))),
                        _ => return Ok(false),
                    }
                }
                Obj::List(_) | Obj::Dict(..) | Obj::Set(..) => value.clone(),
                _ => return Ok(false),
            },
            V::None | V::Bool(_) | V::Int(_) | V::Float(_) | V::Str(_) | V::Bytes(_) => value.clone(),
            V::Tuple(_) if crate::library::common::is_plain(value) && value.is_exact() => value.clone(),
            _ => return Ok(false),
        };
        numbers.push(if let V::Int(n) = value { Some(n) } else { None });
        let mut same = None;
        for (member, other) in &made {
            match equal(host, other, &value)? {
                Some(true) => {
                    same = Some(member.clone());
                    break;
                }
                Some(false) => {}
                None => return Ok(false),
            }
        }
        let member = match same {
            Some(member) => member,
            None => {
                let attrs = vec![
                    (Sym::new("_name_"), V::str(&text)),
                    (Sym::new("_value_"), value.clone()),
                    (Sym::new("__objclass__"), class_value.clone()),
                    (Sym::new("_sort_order_"), V::OneOf(Rc::new([V::Undef, V::Int(made.len() as i128)]))),
                ];
                let member = host.alloc(Obj::Instance { class: class_value.clone(), attrs: Rc::new(attrs) });
                if made.iter().any(|(m, _)| *m == member) {
                    // One object stands for all made at a place.
                    return Ok(false);
                }
                made.push((member.clone(), value));
                member
            }
        };
        changes.push((*name, member));
    }
    changes.push((Sym::new(MEMBERS), V::tuple(made.into_iter().map(|(member, _)| member).collect())));
    let new = partial(host, "enum.method.new", Vec::new());
    changes.push((Sym::new("@new"), new));
    for name in ["name", "value"] {
        let get = V::lib(&format!("enum.method.{name}"));
        let property = host.alloc(Obj::Property { get, set: V::None });
        changes.push((Sym::new(name), property));
    }
    let own_text = class_attribute(host, class, "__str__").is_some();
    if class_attribute(host, class, "__repr__").is_none() {
        let method = partial(host, "enum.method.repr", Vec::new());
        changes.push((Sym::new("__repr__"), method));
    }
    if !own_text {
        let method = partial(host, "enum.method.str", Vec::new());
        changes.push((Sym::new("__str__"), method));
    }
    put(host, class_value, changes);
    Ok(true)
}

/// `Color(1)`.
fn by_value(host: &mut dyn Host, args: Args) -> R<V> {
    let [class_value, value] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    let class = class_object(host, class_value).filter(|c| !c.open);
    let members = class.as_ref().and_then(|c| attribute_of(&c.attrs, MEMBERS)).and_then(|v| exact_tuple(&v));
    let (Some(class), Some(members), true) = (class, members, args.kw.is_empty()) else { return Ok(host.unknown_call(&args)) };
    if class_attribute(host, &class, "_missing_").is_some() {
        return Ok(host.unknown_call(&args));
    }
    for member in &members {
        let Some(own) = instance(host, member).and_then(|(_, attrs)| attribute_of(&attrs, "_value_")) else {
            return Ok(host.unknown_call(&args));
        };
        if own == *value && own.is_exact() || value == member {
            return Ok(member.clone());
        }
        match equal(host, &own, value)? {
            Some(true) => return Ok(member.clone()),
            Some(false) => {}
            None => return Ok(host.unknown_call(&args)),
        }
    }
    Err(host.raise("ValueError", "is not a valid member"))
}

fn part(host: &mut dyn Host, args: &Args, name: &str) -> R<V> {
    let [this] = args.pos.as_slice() else { return Ok(host.unknown_call(args)) };
    match instance(host, this).and_then(|(_, attrs)| attribute_of(&attrs, name)) {
        Some(value) => Ok(value),
        None => Ok(host.unknown_call(args)),
    }
}

/// The `str` is that of the class and the name; the `repr` has the value as well.
fn shown(host: &mut dyn Host, args: &Args, repr: bool) -> R<V> {
    let [this] = args.pos.as_slice() else { return Ok(host.unknown_call(args)) };
    let Some((class, attrs)) = instance(host, this) else { return Ok(host.unknown_call(args)) };
    let (Some(class), Some(V::Str(name))) = (class_object(host, &class), attribute_of(&attrs, "_name_")) else {
        return Ok(host.unknown_call(args));
    };
    let name = format!("{}.{name}", class.name.text());
    if !repr {
        return Ok(V::str(&name));
    }
    let value = attribute_of(&attrs, "_value_").unwrap_or(V::Unknown(Why::Lost));
    match host.text(&value, true)? {
        V::Str(value) => Ok(V::str(&format!("<{name}: {value}>"))),
        _ => Ok(V::strs(0, u64::MAX, Why::Lost)),
    }
}
