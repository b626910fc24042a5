//! `dataclasses`: the methods that fields make. A class keeps its fields under a name unknown to Python, and its made methods are
//! partial functions of this module over the class.

use std::rc::Rc;

use crate::library::{Args, Entry, Host, R};
use crate::syntax::code::CompareOp;
use crate::value::int::Int;
use crate::value::object::{Class, Obj, Sym, V, Why};

use super::support::{attribute_of, class_attribute, class_object, exact_tuple, instance, partial, put};

/// Where a class keeps its fields.
const FIELDS: &str = "@fields";
/// Where a class keeps that its instances do not change.
const FROZEN: &str = "@frozen";
/// What the library's own names of annotations look like, for which a field means something else.
const SPECIAL: [&str; 3] = ["ClassVar", "InitVar", "KW_ONLY"];

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "dataclass" => dataclass,
        "field" => field,
        "replace" => replace,
        "asdict" => |host, args| plain_copy(host, &args, true),
        "astuple" => |host, args| plain_copy(host, &args, false),
        "is_dataclass" => is_dataclass,
        "decorate" => decorate,
        "method.init" => init,
        "method.repr" => repr,
        "method.eq" => |host, args| compare(host, &args, CompareOp::Eq),
        "method.lt" => |host, args| compare(host, &args, CompareOp::Lt),
        "method.le" => |host, args| compare(host, &args, CompareOp::Le),
        "method.gt" => |host, args| compare(host, &args, CompareOp::Gt),
        "method.ge" => |host, args| compare(host, &args, CompareOp::Ge),
        "method.hash" => hash,
        "method.frozen" => frozen,
        _ => return None,
    }))
}

/// One field of a class.
#[derive(Clone)]
struct Field {
    name: Sym,
    default: Option<V>,
    factory: Option<V>,
    init: bool,
    repr: bool,
    compare: bool,
}

impl Field {
    fn value(&self) -> V {
        let optional = |v: &Option<V>| V::tuple(v.iter().cloned().collect());
        V::tuple(vec![
            V::str(&self.name.text()),
            optional(&self.default),
            optional(&self.factory),
            V::Bool(self.init),
            V::Bool(self.repr),
            V::Bool(self.compare),
        ])
    }

    fn of(value: &V) -> Option<Field> {
        let parts = exact_tuple(value)?;
        let [V::Str(name), default, factory, V::Bool(init), V::Bool(repr), V::Bool(compare)] = parts.as_slice() else { return None };
        let optional = |v: &V| exact_tuple(v).map(|all| all.first().cloned());
        let (default, factory) = (optional(default)?, optional(factory)?);
        Some(Field { name: Sym::new(name), default, factory, init: *init, repr: *repr, compare: *compare })
    }

    fn has_default(&self) -> bool {
        self.default.is_some() || self.factory.is_some()
    }
}

fn fields_of(class: &Class) -> Option<Vec<Field>> {
    exact_tuple(&attribute_of(&class.attrs, FIELDS)?)?.iter().map(Field::of).collect()
}

/// The fields of the class of an instance, or of the class itself.
fn fields_behind(host: &mut dyn Host, value: &V) -> Option<(V, Vec<Field>)> {
    let class = match instance(host, value) {
        Some((class, _)) => class,
        None => value.clone(),
    };
    let c = class_object(host, &class).filter(|c| !c.open)?;
    let all = class_attribute(host, &c, FIELDS)?;
    let fields = exact_tuple(&all)?.iter().map(Field::of).collect::<Option<Vec<Field>>>()?;
    Some((class, fields))
}

/// What the decorator was told.
#[derive(Clone, Copy)]
struct Told {
    init: bool,
    repr: bool,
    eq: bool,
    order: bool,
    frozen: bool,
}

/// None where it was told something that is not followed.
fn told(args: &Args) -> Option<Told> {
    let mut told = Told { init: true, repr: true, eq: true, order: false, frozen: false };
    for (name, value) in &args.kw {
        let V::Bool(on) = *value else { return None };
        match &*name.text() {
            "init" => told.init = on,
            "repr" => told.repr = on,
            "eq" => told.eq = on,
            "order" => told.order = on,
            "frozen" => told.frozen = on,
            _ => return None,
        }
    }
    Some(told)
}

fn dataclass(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(told) = told(&args) else { return Ok(host.unknown_call(&args)) };
    match args.pos.as_slice() {
        [] | [V::None] => {
            let function = partial(host, "dataclasses.decorate", Vec::new());
            if let V::Ref(id) = function {
                host.store().mutate(id, true, |obj| {
                    if let Obj::Partial { keywords, .. } = obj {
                        *keywords = Rc::new(args.kw);
                    }
                });
            }
            Ok(function)
        }
        [class] => process(host, class, told, &args),
        _ => Err(host.raise("TypeError", "dataclass() takes from 0 to 1 positional arguments")),
    }
}

fn decorate(host: &mut dyn Host, args: Args) -> R<V> {
    match (told(&args), args.pos.as_slice()) {
        (Some(told), [class]) => process(host, class, told, &args),
        _ => Ok(host.unknown_call(&args)),
    }
}

fn field(host: &mut dyn Host, args: Args) -> R<V> {
    let known = |n: &Sym| matches!(&*n.text(), "default" | "default_factory" | "init" | "repr" | "compare");
    if !args.pos.is_empty() || !args.kw.iter().all(|(n, _)| known(n)) {
        return Ok(host.unknown_call(&args));
    }
    if args.keyword("default").is_some() && args.keyword("default_factory").is_some() {
        return Err(host.raise("ValueError", "cannot specify both default and default_factory"));
    }
    Ok(host.alloc(Obj::Instance { class: V::lib("dataclasses.Field"), attrs: Rc::new(args.kw) }))
}

/// The attributes of what [`field`] gave.
fn field_object(host: &mut dyn Host, value: &V) -> Option<Vec<(Sym, V)>> {
    match instance(host, value) {
        Some((V::Lib(class), attrs)) if &*class.text() == "dataclasses.Field" => Some(attrs),
        _ => None,
    }
}

/// Whether an annotation certainly makes an ordinary field.
fn is_ordinary(host: &mut dyn Host, annotation: &V) -> bool {
    match annotation {
        V::None => true,
        V::Str(text) => !SPECIAL.iter().any(|special| text.contains(special)),
        V::Lib(name) => !SPECIAL.iter().any(|special| name.text().ends_with(special)),
        V::Instance(name, _) => &*name.text() == "annotation",
        V::Ref(_) => class_object(host, annotation).is_some(),
        _ => false,
    }
}

/// What a default may be that is neither refused nor asked for anything.
fn is_simple_default(host: &mut dyn Host, value: &V) -> bool {
    match value {
        V::Ref(id) => {
            let id = *id;
            match host.store().get(id) {
                Obj::Class(_) | Obj::Set(_, true) => true,
                // A member of an enumeration, or of any class that is hashed by identity and describes nothing.
                Obj::Instance { .. } => {
                    !crate::library::common::open_instance(host, value)
                        && ["__eq__", "__hash__", "__get__"].iter().all(|name| crate::library::common::dunder(host, value, name).is_none())
                }
                _ => false,
            }
        }
        V::Lib(name) => matches!(crate::library::find(&name.text()), Some(Entry::Type(_) | Entry::Exception)),
        V::Unknown(_) | V::Instance(..) | V::OneOf(_) | V::Undef | V::Null | V::Token(_) => false,
        _ => true,
    }
}

fn process(host: &mut dyn Host, class_value: &V, told: Told, args: &Args) -> R<V> {
    let unknown = |host: &mut dyn Host| {
        let mut args = args.clone();
        args.pos = smallvec::smallvec![class_value.clone()];
        Ok(host.unknown_call(&args))
    };
    let Some(class) = class_object(host, class_value).filter(|c| !c.open) else { return unknown(host) };
    if class
        .mro
        .iter()
        .any(|b| matches!(b, V::Lib(n) if !matches!(&*n.text(), "object" | "abc.ABC" | "typing.Generic" | "typing.Protocol")))
    {
        return unknown(host);
    }
    if told.order && !told.eq {
        return Err(host.raise("ValueError", "eq must be true if order is true"));
    }
    // Fields of the bases, the furthest first.
    let mut fields: Vec<Field> = Vec::new();
    let add = |fields: &mut Vec<Field>, new: Field| match fields.iter_mut().find(|f| f.name == new.name) {
        Some(slot) => *slot = new,
        None => fields.push(new),
    };
    for base in class.mro.iter().rev() {
        let Some(base) = class_object(host, base) else { continue };
        if attribute_of(&base.attrs, FIELDS).is_none() {
            continue;
        }
        let Some(inherited) = fields_of(&base) else { return unknown(host) };
        for one in inherited {
            add(&mut fields, one);
        }
        let frozen = attribute_of(&base.attrs, FROZEN) == Some(V::Bool(true));
        if frozen != told.frozen {
            return Err(host.raise("TypeError", "cannot inherit frozen dataclass from a non-frozen one"));
        }
    }
    let annotations = match attribute_of(&class.attrs, "@annotations") {
        None => Vec::new(),
        Some(all) => match exact_tuple(&all) {
            Some(all) => all,
            None => return unknown(host),
        },
    };
    let mut changes: Vec<(Sym, V)> = Vec::new();
    let mut annotated = Vec::new();
    for pair in &annotations {
        let Some([V::Str(name), annotation]) = exact_tuple(pair).and_then(|p| <[V; 2]>::try_from(p).ok()) else { return unknown(host) };
        if !is_ordinary(host, &annotation) || name.starts_with("__") {
            return unknown(host);
        }
        let name = Sym::new(&name);
        let mut new = Field { name, default: None, factory: None, init: true, repr: true, compare: true };
        if let Some(value) = class_attribute(host, &class, &name.text()) {
            if let Some(options) = field_object(host, &value) {
                for (option, value) in options {
                    match (&*option.text(), &value) {
                        ("default", _) => new.default = Some(value),
                        ("default_factory", _) => new.factory = Some(value),
                        ("init", V::Bool(on)) => new.init = *on,
                        ("repr", V::Bool(on)) => new.repr = *on,
                        ("compare", V::Bool(on)) => new.compare = *on,
                        _ => return unknown(host),
                    }
                }
                changes.push((name, new.default.clone().unwrap_or(V::Undef)));
            } else {
                new.default = Some(value);
            }
        }
        if let Some(default) = &new.default {
            if let V::Ref(id) = default
                && matches!(host.store().get(*id), Obj::List(_) | Obj::Dict(..) | Obj::Set(_, false))
            {
                return Err(host.raise("ValueError", "mutable default is not allowed: use default_factory"));
            }
            if !is_simple_default(host, default) {
                return unknown(host);
            }
        }
        annotated.push(name);
        add(&mut fields, new);
    }
    for (name, value) in &class.attrs {
        if field_object(host, value).is_some() && !annotated.contains(name) {
            return Err(host.raise("TypeError", "a field without a type annotation"));
        }
    }
    let own = |name: &str| attribute_of(&class.attrs, name);
    if told.init {
        let mut seen_default = false;
        for field in fields.iter().filter(|f| f.init) {
            if seen_default && !field.has_default() {
                return Err(host.raise("TypeError", "non-default argument follows default argument"));
            }
            seen_default |= field.has_default();
        }
    }
    let all = V::tuple(fields.iter().map(Field::value).collect());
    let names = V::tuple(fields.iter().filter(|f| f.init).map(|f| V::str(&f.name.text())).collect());
    changes.push((Sym::new(FIELDS), all));
    changes.push((Sym::new(FROZEN), V::Bool(told.frozen)));
    let mut method = |host: &mut dyn Host, name: &str, function: &str| {
        let made = partial(host, &format!("dataclasses.method.{function}"), vec![class_value.clone()]);
        changes.push((Sym::new(name), made));
    };
    if told.init && own("__init__").is_none() {
        method(host, "__init__", "init");
    }
    if told.repr && own("__repr__").is_none() {
        method(host, "__repr__", "repr");
    }
    let own_eq = own("__eq__").is_some();
    if told.eq && !own_eq {
        method(host, "__eq__", "eq");
    }
    if told.order {
        for (name, function) in [("__lt__", "lt"), ("__le__", "le"), ("__gt__", "gt"), ("__ge__", "ge")] {
            if own(name).is_some() {
                return Err(host.raise("TypeError", "cannot overwrite attribute"));
            }
            method(host, name, function);
        }
    }
    if told.frozen {
        for name in ["__setattr__", "__delattr__"] {
            if own(name).is_some() {
                return Err(host.raise("TypeError", "cannot overwrite attribute"));
            }
            method(host, name, "frozen");
        }
    }
    // A class that says how it is equal and not how it is hashed has None for it.
    let own_hash = own("__hash__").is_some_and(|v| !(matches!(v, V::None) && own_eq));
    if told.eq && !own_hash {
        if told.frozen {
            method(host, "__hash__", "hash");
        } else {
            changes.push((Sym::new("__hash__"), V::None));
        }
    }
    if own("__match_args__").is_none() {
        changes.push((Sym::new("__match_args__"), names));
    }
    put(host, class_value, changes);
    Ok(class_value.clone())
}

/// The class a method was made for and its fields; the class may have been given away since.
fn made_for(host: &mut dyn Host, class: &V) -> Option<Vec<Field>> {
    let class = class_object(host, class).filter(|c| !c.open)?;
    fields_of(&class)
}

fn init(host: &mut dyn Host, mut args: Args) -> R<V> {
    if args.pos.len() < 2 || args.open {
        return Ok(host.unknown_call(&args));
    }
    let class = args.pos.remove(0);
    let this = args.pos.remove(0);
    let Some(fields) = made_for(host, &class) else {
        args.pos.push(this);
        return Ok(host.unknown_call(&args));
    };
    let parameters: Vec<&Field> = fields.iter().filter(|f| f.init).collect();
    if args.pos.len() > parameters.len() {
        return Err(host.raise("TypeError", "too many positional arguments"));
    }
    let mut given: Vec<(Sym, V)> = parameters.iter().map(|f| f.name).zip(args.pos.iter().cloned()).collect();
    for (name, value) in &args.kw {
        if given.iter().any(|(n, _)| n == name) || !parameters.iter().any(|f| f.name == *name) {
            return Err(host.raise("TypeError", "unexpected keyword argument"));
        }
        given.push((*name, value.clone()));
    }
    if parameters.iter().any(|f| !f.has_default() && !given.iter().any(|(n, _)| *n == f.name)) {
        return Err(host.raise("TypeError", "missing a required argument"));
    }
    let frozen = class_object(host, &class).is_some_and(|c| attribute_of(&c.attrs, FROZEN) == Some(V::Bool(true)));
    for field in &fields {
        let value = match given.iter().find(|(n, _)| *n == field.name) {
            Some((_, value)) => value.clone(),
            None => match (&field.factory, &field.default) {
                (Some(factory), _) => host.call(factory, Args::default())?,
                (None, Some(default)) if field.init => default.clone(),
                _ => continue,
            },
        };
        if frozen {
            put(host, &this, vec![(field.name, value)]);
        } else {
            host.set_attribute(&this, field.name, value)?;
        }
    }
    // The method is there, or not, when the class is made.
    let after = class_object(host, &class).and_then(|c| class_attribute(host, &c, "__post_init__"));
    if after.is_some() {
        let method = host.attribute(&this, Sym::new("__post_init__"))?;
        host.call(&method, Args::default())?;
    }
    Ok(V::None)
}

fn repr(host: &mut dyn Host, args: Args) -> R<V> {
    let [class, this] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    let Some(fields) = made_for(host, class) else { return Ok(host.unknown_call(&args)) };
    let name = match host.class_of(this) {
        Some(own) => host.attribute(&own, Sym::new("__qualname__"))?,
        None => V::strs(1, 4096, Why::Lost),
    };
    let mut known = match &name {
        V::Str(text) => Some(format!("{text}(")),
        _ => None,
    };
    for (at, field) in fields.iter().filter(|f| f.repr).enumerate() {
        let value = host.attribute(this, field.name)?;
        let shown = host.text(&value, true)?;
        known = match (known, shown) {
            (Some(known), V::Str(shown)) if known.len() < crate::value::object::MAX_EXACT_TEXT => {
                Some(format!("{known}{}{}={shown}", if at > 0 { ", " } else { "" }, field.name.text()))
            }
            _ => None,
        };
    }
    Ok(known.map_or_else(|| V::strs(2, u64::MAX, Why::Lost), |text| V::str(&format!("{text})"))))
}

/// The values of the fields that are compared.
fn compared(host: &mut dyn Host, this: &V, fields: &[Field]) -> R<Vec<V>> {
    fields.iter().filter(|f| f.compare).map(|f| host.attribute(this, f.name)).collect()
}

fn compare(host: &mut dyn Host, args: &Args, op: CompareOp) -> R<V> {
    let [class, this, other] = args.pos.as_slice() else { return Ok(host.unknown_call(args)) };
    let Some(fields) = made_for(host, class) else { return Ok(host.unknown_call(args)) };
    match (host.class_of(this), host.class_of(other)) {
        (Some(a), Some(b)) if a == b => {}
        (Some(_), Some(_)) => return Ok(V::NotImplemented),
        _ => return Ok(host.unknown_call(args)),
    }
    let (a, b) = (compared(host, this, &fields)?, compared(host, other, &fields)?);
    // Before 3.13 the fields are compared as tuples, which takes identical items for equal ones; since then one by one.
    let differs = |v: &V| !matches!(v, V::Float(f) if !f.is_nan()) && (v.why().is_some() || matches!(v, V::Float(_) | V::Ref(_)));
    let uncertain = op == CompareOp::Eq && a.iter().zip(&b).any(|(x, y)| x == y && differs(x) && !crate::library::common::is_plain(x));
    let nan = |v: &V| matches!(v, V::Float(f) if f.is_nan()) || matches!(v, V::Floats(f) if f.0.nan);
    let answer = host.compare(op, &V::tuple(a.clone()), &V::tuple(b.clone()))?;
    let lists = |host: &mut dyn Host, v: &V| {
        crate::library::common::list_items(host, v).is_some() || crate::library::common::table(host, v).is_some()
    };
    let odd = uncertain && !a.iter().zip(&b).all(|(x, y)| x != y || !differs(x) || lists(host, x)) || a.iter().chain(&b).any(nan);
    Ok(if odd { V::AnyBool(Why::Lost) } else { answer })
}

fn hash(host: &mut dyn Host, args: Args) -> R<V> {
    let [class, this] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    let Some(fields) = made_for(host, class) else { return Ok(host.unknown_call(&args)) };
    for value in compared(host, this, &fields)? {
        host.key(&value)?;
    }
    Ok(V::int(Int::range(-(1 << 63), (1 << 63) - 1), Why::OUTSIDE))
}

fn frozen(host: &mut dyn Host, args: Args) -> R<V> {
    let [class, this, name, ..] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    let fields = made_for(host, class);
    let exact = host.class_of(this).is_some_and(|c| c == *class);
    let named = match (name, &fields) {
        (V::Str(name), Some(fields)) => fields.iter().any(|f| *f.name.text() == **name),
        _ => false,
    };
    if exact || named {
        return Err(host.raise("dataclasses.FrozenInstanceError", "cannot assign to field"));
    }
    // Other attributes of a subclass may be set.
    Ok(host.unknown_call(&args))
}

/// For an instance that is equal and hashed by its fields: a value that is equal and hashed alike.
pub fn key_instead(host: &mut dyn Host, value: &V) -> R<Option<V>> {
    let Some((class, _)) = instance(host, value) else { return Ok(None) };
    let made = |host: &mut dyn Host, name: &str, function: &str| {
        let V::Ref(id) = crate::library::common::dunder(host, value, name)? else { return None };
        match host.store().get(id) {
            Obj::Partial { function: V::Lib(f), args, .. } if &*f.text() == function => args.first().cloned(),
            _ => None,
        }
    };
    let (Some(a), Some(b)) = (made(host, "__eq__", "dataclasses.method.eq"), made(host, "__hash__", "dataclasses.method.hash")) else {
        return Ok(None);
    };
    let Some(fields) = made_for(host, &a).filter(|_| a == b && host.class_of(value).is_some()) else { return Ok(None) };
    // Nothing in Python is equal to the mark.
    let mut parts = vec![V::lib("dataclasses.instance"), class];
    parts.extend(compared(host, value, &fields)?);
    Ok(Some(V::tuple(parts)))
}

fn is_dataclass(host: &mut dyn Host, args: Args) -> R<V> {
    let [value] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    Ok(match fields_behind(host, value) {
        Some(_) => V::Bool(true),
        None => V::AnyBool(Why::Lost),
    })
}

fn replace(host: &mut dyn Host, mut args: Args) -> R<V> {
    let [this] = args.pos.as_slice() else { return Ok(host.unknown_call(&args)) };
    let this = this.clone();
    let Some((class, fields)) = fields_behind(host, &this).filter(|_| instance(host, &this).is_some()) else {
        return Ok(host.unknown_call(&args));
    };
    if fields.iter().any(|f| !f.init) {
        return Ok(host.unknown_call(&args));
    }
    for field in &fields {
        if !args.kw.iter().any(|(n, _)| *n == field.name) {
            let value = host.attribute(&this, field.name)?;
            args.kw.push((field.name, value));
        }
    }
    args.pos.clear();
    host.call(&class, args)
}

/// `asdict` and `astuple` of instances whose fields hold numbers, texts and the like.
fn plain_copy(host: &mut dyn Host, args: &Args, as_dict: bool) -> R<V> {
    let known = match args.pos.as_slice() {
        [this] if args.kw.is_empty() && instance(host, this).is_some() => {
            fields_behind(host, this).map(|(_, fields)| (this.clone(), fields))
        }
        _ => None,
    };
    let Some((this, fields)) = known else { return Ok(host.unknown_call(args)) };
    let mut table = crate::value::object::Table::default();
    let mut values = Vec::new();
    for field in fields {
        let value = host.attribute(&this, field.name)?;
        if !crate::library::common::is_plain(&value) {
            return Ok(host.unknown_call(args));
        }
        let name = V::str(&field.name.text());
        if let Some(key) = crate::value::object::Key::of(&name) {
            table.exact.insert(key, (name, value.clone()));
        }
        values.push(value);
    }
    Ok(if as_dict { host.alloc(Obj::Dict(Rc::new(table), crate::value::object::DictKind::Plain)) } else { V::tuple(values) })
}
