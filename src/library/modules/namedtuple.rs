//! `collections.namedtuple` and `typing.NamedTuple`: classes whose instances are tuples with names. An instance keeps the tuple it
//! is under a name unknown to Python, and its methods are partial functions of this module that work on that tuple.

use std::rc::Rc;

use crate::library::common::{Consumer, POINTER, consume};
use crate::library::{Args, Entry, Host, R, Stop};
use crate::syntax::KEYWORDS;
use crate::syntax::code::{BinaryOp, CompareOp};
use crate::value::cost;
use crate::value::int::Int;
use crate::value::object::{Class, DictKind, Key, Obj, Sym, Table, V, Why};

use super::support::{attribute_of, class_attribute, class_object, exact_tuple, instance, partial, put};

/// Where an instance keeps the tuple it is.
const ITEMS: &str = "@items";
/// Where a class keeps its defaults, as pairs of a name and a value.
const DEFAULTS: &str = "@defaults";

/// The entry for a name in `collections`: `namedtuple` and what it makes.
pub fn find(name: &str) -> Option<Entry> {
    if name == "namedtuple" {
        return Some(Entry::Function(namedtuple));
    }
    Some(Entry::Function(match name.strip_prefix("namedtuple.")? {
        "new" => new,
        "make" => make,
        "get" => get,
        "iter" => |host, args| on_items(host, &args, |host, items, _| host.iterate(&items)),
        "len" => |host, args| on_items(host, &args, |host, items, _| host.length(&items)),
        "item" => |host, args| on_items(host, &args, |host, items, rest| host.item(&items, &rest[0])),
        "contains" => |host, args| {
            on_items(host, &args, |host, items, rest| {
                let method = host.attribute(&items, Sym::new("count"))?;
                let n = host.call(&method, Args::of([rest[0].clone()]))?;
                Ok(V::boolean(n.as_int().and_then(|n| n.truth()), Why::Lost))
            })
        },
        "hash" => |host, args| {
            on_items(host, &args, |host, items, _| {
                host.key(&items)?;
                Ok(V::int(Int::range(-(1 << 63), (1 << 63) - 1), Why::OUTSIDE))
            })
        },
        "repr" => repr,
        "add" => |host, args| on_items(host, &args, |host, items, rest| concatenated(host, &items, &rest[0], false)),
        "radd" => |host, args| on_items(host, &args, |host, items, rest| concatenated(host, &items, &rest[0], true)),
        "mul" => |host, args| on_items(host, &args, |host, items, rest| host.binary(BinaryOp::Mul, &items, &rest[0])),
        "eq" => |host, args| compare(host, &args, CompareOp::Eq),
        "ne" => |host, args| compare(host, &args, CompareOp::Ne),
        "lt" => |host, args| compare(host, &args, CompareOp::Lt),
        "le" => |host, args| compare(host, &args, CompareOp::Le),
        "gt" => |host, args| compare(host, &args, CompareOp::Gt),
        "ge" => |host, args| compare(host, &args, CompareOp::Ge),
        "index" => |host, args| tuple_method(host, &args, "index"),
        "count" => |host, args| tuple_method(host, &args, "count"),
        "replace" => replace,
        "asdict" => asdict,
        _ => return None,
    }))
}

/// The tuple an instance of such a class is.
pub fn items_of(host: &mut dyn Host, value: &V) -> Option<V> {
    if crate::library::common::open_instance(host, value) {
        return None;
    }
    instance(host, value).and_then(|(_, attrs)| attribute_of(&attrs, ITEMS)).filter(|v| matches!(v, V::Tuple(_)))
}

fn namedtuple(host: &mut dyn Host, args: Args) -> R<V> {
    let known = |n: &Sym| matches!(&*n.text(), "typename" | "field_names" | "defaults");
    let (Some(V::Str(name)), Some(fields)) = (args.get(0, "typename"), args.get(1, "field_names")) else {
        return Ok(host.unknown_call(&args));
    };
    if args.pos.len() > 2 || !args.kw.iter().all(|(n, _)| known(n)) {
        return Ok(host.unknown_call(&args));
    }
    let fields: Option<Vec<V>> = match fields {
        V::Str(text) => Some(text.replace(',', " ").split_whitespace().map(V::str).collect()),
        V::Tuple(_) => exact_tuple(fields),
        V::Ref(_) => crate::library::common::list_items(host, fields).filter(|(_, l)| l.rest.is_none()).map(|(_, l)| l.exact.clone()),
        _ => None,
    };
    let texts: Option<Vec<std::rc::Rc<str>>> =
        fields.as_ref().and_then(|all| all.iter().map(|v| if let V::Str(s) = v { Some(s.clone()) } else { None }).collect());
    let defaults = match args.keyword("defaults") {
        None | Some(V::None) => Some(Vec::new()),
        Some(v @ V::Tuple(_)) => exact_tuple(v),
        Some(v) => crate::library::common::list_items(host, v).filter(|(_, l)| l.rest.is_none()).map(|(_, l)| l.exact.clone()),
    };
    let (Some(texts), Some(defaults)) = (texts, defaults) else { return Ok(host.unknown_call(&args)) };
    let word = |s: &str| s.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !s.starts_with(|c: char| c.is_ascii_digit());
    if !word(name) || name.is_empty() || texts.iter().any(|s| !word(s) || s.starts_with("__")) {
        return Ok(host.unknown_call(&args));
    }
    let twice = texts.iter().enumerate().any(|(i, s)| texts[..i].contains(s));
    if twice || texts.iter().any(|s| s.is_empty() || s.starts_with('_') || KEYWORDS.contains(&&**s)) || KEYWORDS.contains(&&**name) {
        return Err(host.raise("ValueError", "field names must be unique identifiers"));
    }
    if defaults.len() > texts.len() {
        return Err(host.raise("TypeError", "Got more default values than field names"));
    }
    // These fields would hide methods.
    if texts.iter().any(|s| matches!(&**s, "index" | "count")) {
        return Ok(host.unknown_call(&args));
    }
    let first = texts.len() - defaults.len();
    let defaults = texts[first..].iter().map(|s| &**s).zip(defaults).collect();
    let class = Class { name: Sym::new(name), bases: vec![V::lib("tuple")], mro: vec![V::lib("tuple")], attrs: Vec::new(), open: false };
    let value = host.alloc(Obj::Class(Rc::new(class)));
    let names: Vec<&str> = texts.iter().map(|s| &**s).collect();
    fill(host, &value, &names, defaults);
    Ok(value)
}

/// Gives a class everything that makes its instances named tuples.
fn fill(host: &mut dyn Host, class: &V, fields: &[&str], defaults: Vec<(&str, V)>) {
    let mut attrs: Vec<(Sym, V)> = Vec::new();
    for (name, function) in [
        ("@new", "new"),
        ("__iter__", "iter"),
        ("__len__", "len"),
        ("__getitem__", "item"),
        ("__contains__", "contains"),
        ("__hash__", "hash"),
        ("__repr__", "repr"),
        ("__add__", "add"),
        ("__radd__", "radd"),
        ("__mul__", "mul"),
        ("__rmul__", "mul"),
        ("__eq__", "eq"),
        ("__ne__", "ne"),
        ("__lt__", "lt"),
        ("__le__", "le"),
        ("__gt__", "gt"),
        ("__ge__", "ge"),
        ("index", "index"),
        ("count", "count"),
        ("_replace", "replace"),
        ("_asdict", "asdict"),
    ] {
        // What the body of a class says comes first.
        let own = class_object(host, class).is_some_and(|c| attribute_of(&c.attrs, name).is_some());
        if !own {
            let made = partial(host, &format!("collections.namedtuple.{function}"), Vec::new());
            attrs.push((Sym::new(name), made));
        }
    }
    let make = V::lib("collections.namedtuple.make");
    let make = host.alloc(Obj::ClassMethod(make));
    attrs.push((Sym::new("_make"), make));
    for field in fields {
        let get = partial(host, "collections.namedtuple.get", vec![V::str(field)]);
        let property = host.alloc(Obj::Property { get, set: V::None });
        attrs.push((Sym::new(field), property));
    }
    let names = V::tuple(fields.iter().map(|f| V::str(f)).collect());
    attrs.push((Sym::new("_fields"), names.clone()));
    attrs.push((Sym::new("__match_args__"), names));
    attrs.push((Sym::new("__slots__"), V::tuple(Vec::new())));
    attrs.push((Sym::new(DEFAULTS), V::tuple(defaults.into_iter().map(|(n, v)| V::tuple(vec![V::str(n), v])).collect())));
    put(host, class, attrs);
}

/// Makes a class with `typing.NamedTuple` as its base what it is to be. False: something is not followed.
pub fn finish(host: &mut dyn Host, class_value: &V, class: &Rc<Class>) -> R<bool> {
    if class.bases.len() != 1 {
        return Ok(false);
    }
    let annotations = match attribute_of(&class.attrs, "@annotations") {
        None => Vec::new(),
        Some(all) => match exact_tuple(&all) {
            Some(all) => all,
            None => return Ok(false),
        },
    };
    let mut names: Vec<std::rc::Rc<str>> = Vec::new();
    let mut defaults: Vec<V> = Vec::new();
    for pair in &annotations {
        let Some(V::Str(name)) = exact_tuple(pair).and_then(|p| p.first().cloned()) else { return Ok(false) };
        match attribute_of(&class.attrs, &name) {
            Some(value) => defaults.push(value),
            None if defaults.is_empty() => {}
            None => return Err(host.raise("TypeError", "Non-default namedtuple field cannot follow default field")),
        }
        if name.starts_with('_') {
            return Err(host.raise("ValueError", "Field names cannot start with an underscore"));
        }
        if matches!(&*name, "index" | "count") || !name.is_ascii() {
            return Ok(false);
        }
        names.push(name);
    }
    for name in
        ["__new__", "__init__", "__slots__", "__getnewargs__", "_fields", "_field_defaults", "_make", "_replace", "_asdict", "_source"]
    {
        if attribute_of(&class.attrs, name).is_some() {
            return Err(host.raise("AttributeError", "Cannot overwrite NamedTuple attribute"));
        }
    }
    let V::Ref(id) = class_value else { return Ok(false) };
    host.store().mutate(*id, true, |obj| {
        if let Obj::Class(class) = obj {
            let class = Rc::make_mut(class);
            class.bases = vec![V::lib("tuple")];
            class.mro = vec![V::lib("tuple")];
        }
    });
    let first = names.len() - defaults.len();
    let texts: Vec<&str> = names.iter().map(|n| &**n).collect();
    let defaults = texts[first..].iter().copied().zip(defaults).collect();
    fill(host, class_value, &texts, defaults);
    Ok(true)
}

fn names_of(host: &mut dyn Host, class: &V) -> Option<(Vec<V>, Vec<V>)> {
    let class = class_object(host, class).filter(|c| !c.open)?;
    let names = exact_tuple(&class_attribute(host, &class, "_fields")?)?;
    let defaults = exact_tuple(&class_attribute(host, &class, DEFAULTS)?)?;
    Some((names, defaults))
}

fn built(host: &mut dyn Host, class: &V, items: Vec<V>) -> V {
    let attrs = vec![(Sym::new(ITEMS), V::tuple(items))];
    host.alloc(Obj::Instance { class: class.clone(), attrs: Rc::new(attrs) })
}

fn new(host: &mut dyn Host, mut args: Args) -> R<V> {
    if args.pos.is_empty() || args.open {
        return Ok(host.unknown_call(&args));
    }
    let class = args.pos.remove(0);
    let Some((names, defaults)) = names_of(host, &class) else {
        args.pos.push(class);
        return Ok(host.unknown_call(&args));
    };
    if args.pos.len() > names.len() {
        return Err(host.raise("TypeError", "too many positional arguments"));
    }
    let mut items: Vec<Option<V>> = (0..names.len()).map(|at| args.pos.get(at).cloned()).collect();
    for (name, value) in &args.kw {
        let text = V::str(&name.text());
        match names.iter().position(|n| *n == text) {
            Some(at) if items[at].is_none() => items[at] = Some(value.clone()),
            _ => return Err(host.raise("TypeError", "unexpected keyword argument")),
        }
    }
    for (slot, name) in items.iter_mut().zip(&names) {
        if slot.is_none() {
            *slot = defaults.iter().find_map(|pair| {
                let pair = exact_tuple(pair)?;
                if pair.first() == Some(name) { pair.get(1).cloned() } else { None }
            });
        }
    }
    match items.into_iter().collect::<Option<Vec<V>>>() {
        Some(items) => Ok(built(host, &class, items)),
        None => Err(host.raise("TypeError", "missing a required argument")),
    }
}

fn make(host: &mut dyn Host, args: Args) -> R<V> {
    let [class, iterable] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    let Some((names, _)) = names_of(host, class) else { return Ok(host.unknown_call(&args)) };
    let by = Consumer { callee: "_make", floor: cost::C_ITERATION, keeps: POINTER, collects: true, goes_on: &mut |_, _| Ok(true) };
    let items = consume(host, iterable, by)?;
    if items.rest.is_some() {
        host.may_raise("TypeError");
        return Ok(V::Unknown(Why::Lost));
    }
    if items.exact.len() != names.len() {
        return Err(host.raise("TypeError", "Expected another number of arguments"));
    }
    Ok(built(host, class, items.exact))
}

/// The value of a field: `[name, self]`.
fn get(host: &mut dyn Host, args: Args) -> R<V> {
    let [name, this] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    let class = instance(host, this).map(|(class, _)| class);
    let at = class.and_then(|class| names_of(host, &class)).and_then(|(names, _)| names.iter().position(|n| n == name));
    match (at, items_of(host, this)) {
        (Some(at), Some(items)) => host.item(&items, &V::Int(at as i128)),
        _ => Ok(host.unknown_call(&args)),
    }
}

type OnItems = fn(&mut dyn Host, V, &[V]) -> R<V>;

fn on_items(host: &mut dyn Host, args: &Args, run: OnItems) -> R<V> {
    let Some((this, rest)) = args.pos.split_first() else { return Ok(host.unknown_call(args)) };
    match items_of(host, this) {
        // Only `len`, `iter`, `hash` take nothing further; the evaluator gives the others what the operator has.
        Some(items) if args.kw.is_empty() => run(host, items, if rest.is_empty() { &[V::None] } else { rest }),
        _ => Ok(host.unknown_call(args)),
    }
}

fn concatenated(host: &mut dyn Host, items: &V, other: &V, reflected: bool) -> R<V> {
    let other = items_of(host, other).unwrap_or_else(|| other.clone());
    match other {
        V::Tuple(_) if reflected => host.binary(BinaryOp::Add, &other, items),
        V::Tuple(_) => host.binary(BinaryOp::Add, items, &other),
        V::Unknown(_) | V::Instance(..) | V::OneOf(_) | V::Ref(_) => Ok(host.unknown_call(&Args::of([items.clone(), other]))),
        _ => Err(host.raise("TypeError", "can only concatenate tuple to tuple")),
    }
}

fn compare(host: &mut dyn Host, args: &Args, op: CompareOp) -> R<V> {
    let [this, other] = args.pos.as_slice() else { return Ok(host.unknown_call(args)) };
    let Some(items) = items_of(host, this) else { return Ok(host.unknown_call(args)) };
    let other = items_of(host, other).unwrap_or_else(|| other.clone());
    match other {
        V::Tuple(_) => host.compare(op, &items, &other),
        V::Unknown(_) | V::Instance(..) | V::OneOf(_) => Ok(host.unknown_call(&Args::of([items, other]))),
        _ => Ok(V::NotImplemented),
    }
}

fn tuple_method(host: &mut dyn Host, args: &Args, name: &str) -> R<V> {
    let Some((this, rest)) = args.pos.split_first() else { return Ok(host.unknown_call(args)) };
    let Some(items) = items_of(host, this) else { return Ok(host.unknown_call(args)) };
    let method = host.attribute(&items, Sym::new(name))?;
    host.call(&method, Args { pos: rest.iter().cloned().collect(), kw: args.kw.clone(), open: args.open })
}

fn repr(host: &mut dyn Host, args: Args) -> R<V> {
    let [this] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    let (Some((class, _)), Some(items)) = (instance(host, this), items_of(host, this)) else { return Ok(host.unknown_call(&args)) };
    let (Some((names, _)), Some(items)) = (names_of(host, &class), exact_tuple(&items)) else { return Ok(host.unknown_call(&args)) };
    let name = class_object(host, &class).map(|c| c.name.text());
    let mut known = name.map(|name| format!("{name}("));
    for (at, (field, value)) in names.iter().zip(&items).enumerate() {
        let shown = host.text(value, true)?;
        known = match (known, shown, field) {
            (Some(known), V::Str(shown), V::Str(field)) if known.len() < crate::value::object::MAX_EXACT_TEXT => {
                Some(format!("{known}{}{field}={shown}", if at > 0 { ", " } else { "" }))
            }
            _ => None,
        };
    }
    Ok(known.map_or_else(|| V::strs(2, u64::MAX, Why::Lost), |text| V::str(&format!("{text})"))))
}

fn replace(host: &mut dyn Host, args: Args) -> R<V> {
    let [this] = args.pos.as_slice() else { return Err(host.raise("TypeError", "_replace() takes 1 positional argument")) };
    let (Some((class, _)), Some(items)) = (instance(host, this), items_of(host, this)) else { return Ok(host.unknown_call(&args)) };
    let (Some((names, _)), Some(mut items)) = (names_of(host, &class), exact_tuple(&items)) else { return Ok(host.unknown_call(&args)) };
    for (name, value) in &args.kw {
        let text = V::str(&name.text());
        match names.iter().position(|n| *n == text) {
            Some(at) => items[at] = value.clone(),
            // ValueError, or since 3.13 TypeError.
            None => {
                let either = V::OneOf(Rc::new([V::exception("ValueError"), V::exception("TypeError")]));
                return Err(Stop::Raise(either));
            }
        }
    }
    Ok(built(host, &class, items))
}

fn asdict(host: &mut dyn Host, args: Args) -> R<V> {
    let [this] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    let (Some((class, _)), Some(items)) = (instance(host, this), items_of(host, this)) else { return Ok(host.unknown_call(&args)) };
    let (Some((names, _)), Some(items)) = (names_of(host, &class), exact_tuple(&items)) else { return Ok(host.unknown_call(&args)) };
    let mut table = Table::default();
    for (name, value) in names.iter().zip(items) {
        if let Some(key) = Key::of(name) {
            table.exact.insert(key, (name.clone(), value));
        }
    }
    Ok(host.alloc(Obj::Dict(Rc::new(table), DictKind::Plain)))
}
