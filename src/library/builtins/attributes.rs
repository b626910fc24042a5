//! Builtins about objects: their attributes, types and namespaces.

use crate::fact::{FactKind, Proof};
use crate::library::common::{bind, kind, type_error, unknown, with};
use crate::library::{Args, Entry, Host, R, Stop, list_of};
use crate::value::object::{Obj, Sym, V, Why};

/// The entry for a name.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "object" => Entry::Type(object),
        "type" => Entry::Type(type_of),
        "property" => Entry::Type(property),
        "staticmethod" => Entry::Type(staticmethod),
        "classmethod" => Entry::Type(classmethod),
        "super" => Entry::Type(|host, args| host.special("super", args)),
        "property.setter" => Entry::Function(property_setter),
        "property.getter" => Entry::Function(property_getter),
        "property.deleter" => Entry::Function(property_deleter),
        "isinstance" => Entry::Function(isinstance),
        "issubclass" => Entry::Function(issubclass),
        "callable" => Entry::Function(callable),
        "getattr" => Entry::Function(getattr),
        "hasattr" => Entry::Function(hasattr),
        "setattr" => Entry::Function(setattr),
        "delattr" => Entry::Function(delattr),
        "globals" => Entry::Function(|host, args| host.special("globals", args)),
        "locals" => Entry::Function(|host, args| host.special("locals", args)),
        "vars" => Entry::Function(vars),
        "dir" => Entry::Function(dir),
        "exec" => Entry::Function(|host, args| host.special("exec", args)),
        "eval" => Entry::Function(|host, args| host.special("eval", args)),
        "compile" => Entry::Function(compile),
        "__import__" => Entry::Function(import),
        "breakpoint" => Entry::Function(breakpoint),
        "help" => Entry::Function(help),
        "exit" | "quit" => Entry::Function(exit),
        _ => return None,
    })
}

fn object(host: &mut dyn Host, args: Args) -> R<V> {
    if !args.exactly(0) {
        return type_error(host);
    }
    Ok(host.alloc(Obj::Instance { class: V::lib("object"), attrs: std::rc::Rc::default() }))
}

fn type_of(host: &mut dyn Host, args: Args) -> R<V> {
    if args.exactly(1) {
        return with(host, &args, [""], 1, 1, &|host, [x]| Ok(host.class_of(&x).unwrap_or(V::Unknown(Why::Lost))));
    }
    if args.pos.len() == 3 { Ok(host.unknown_call(&args)) } else { type_error(host) }
}

fn property(host: &mut dyn Host, args: Args) -> R<V> {
    let Some([get, set, _, _]) = bind(host, &args, ["fget", "fset", "fdel", "doc"], 0)? else { return Ok(host.unknown_call(&args)) };
    let or_none = |v: V| if matches!(v, V::Undef) { V::None } else { v };
    Ok(host.alloc(Obj::Property { get: or_none(get), set: or_none(set) }))
}

fn changed_property(host: &mut dyn Host, args: &Args, change: &dyn Fn(V, V, V) -> (V, V)) -> R<V> {
    let Some([this, f]) = bind(host, args, ["", ""], 2)? else { return Ok(host.unknown_call(args)) };
    if let V::Ref(id) = &this
        && let Obj::Property { get, set } = host.store().get(*id).clone()
    {
        let (get, set) = change(get, set, f);
        return Ok(host.alloc(Obj::Property { get, set }));
    }
    Ok(host.unknown_call(args))
}

fn property_setter(host: &mut dyn Host, args: Args) -> R<V> {
    changed_property(host, &args, &|get, _, f| (get, f))
}

fn property_getter(host: &mut dyn Host, args: Args) -> R<V> {
    changed_property(host, &args, &|_, set, f| (f, set))
}

fn property_deleter(host: &mut dyn Host, args: Args) -> R<V> {
    // What a deleter does is not kept: it may run whenever the attribute is deleted.
    if let Some(f) = args.pos.get(1) {
        host.store().escape(f);
    }
    changed_property(host, &args, &|get, set, _| (get, set))
}

fn staticmethod(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 0, &|host, [f]| Ok(host.alloc(Obj::StaticMethod(f))))
}

fn classmethod(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 0, &|host, [f]| Ok(host.alloc(Obj::ClassMethod(f))))
}

fn isinstance(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 0, &|host, [x, classes]| {
        if matches!(kind(host, &classes), Some(k) if k != "tuple") {
            // `isinstance(x, x_is_that_type)` of anything but a class.
            return type_error(host);
        }
        let known = host.is_instance(&x, &classes);
        if known.is_none() && !matches!(classes, V::Lib(_) | V::Tuple(_)) {
            host.may_raise("TypeError");
        }
        Ok(V::boolean(known, x.why().unwrap_or(Why::Lost)))
    })
}

fn issubclass(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 0, &|host, [class, base]| {
        let is_class = |host: &mut dyn Host, v: &V| {
            matches!(v, V::Lib(_)) || matches!(v, V::Ref(id) if matches!(host.store().get(*id), Obj::Class(_)))
        };
        if is_class(host, &class) && class == base {
            return Ok(V::Bool(true));
        }
        if !(is_class(host, &class) && is_class(host, &base)) {
            host.may_raise("");
        }
        Ok(V::AnyBool(Why::Lost))
    })
}

fn callable(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, [""], 1, 1, &|host, [x]| {
        let known = match &x {
            V::Lib(name) => crate::library::find(&name.text()).map(|e| !matches!(e, Entry::Constant(_) | Entry::Module)),
            V::Module(_) | V::Exc(_) => Some(false),
            V::Ref(id) => match host.store().get(*id) {
                Obj::Function(_) | Obj::Class(_) | Obj::Bound { .. } | Obj::Partial { .. } => Some(true),
                Obj::List(_) | Obj::Dict(..) | Obj::Set(..) | Obj::Deque(..) | Obj::Generator(_) | Obj::Iter(_) | Obj::ByteArray(_) => {
                    Some(false)
                }
                _ => None,
            },
            v => v.type_name().map(|_| false),
        };
        Ok(V::boolean(known, x.why().unwrap_or(Why::Lost)))
    })
}

/// The attribute as the instance itself certainly holds it.
fn own_attribute(host: &mut dyn Host, x: &V, name: &str) -> bool {
    let V::Ref(id) = x else { return false };
    if crate::library::common::open_instance(host, x) {
        return false;
    }
    match host.store().get(*id) {
        Obj::Instance { attrs, .. } => attrs.iter().any(|(n, v)| &*n.text() == name && !v.alternatives().contains(&V::Undef)),
        _ => false,
    }
}

/// Whether what was raised is an AttributeError.
fn is_attribute_error(e: &V) -> bool {
    matches!(e, V::Exc(e) if &*e.class.text() == "AttributeError")
}

fn getattr(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "", ""], 2, 2, &|host, [x, name, default]| {
        let V::Str(name) = &name else {
            if kind(host, &name).is_some_and(|k| k != "str") {
                return type_error(host);
            }
            return Ok(unknown(host, &[x, default]));
        };
        if matches!(default, V::Undef) {
            return host.attribute(&x, Sym::new(name));
        }
        let sure = own_attribute(host, &x, name);
        match host.attribute(&x, Sym::new(name)) {
            Ok(v) if sure => Ok(v),
            Ok(v) => Ok(host.join(&v, &default)),
            Err(Stop::Raise(e)) if is_attribute_error(&e) => Ok(default),
            Err(stop) => Err(stop),
        }
    })
}

fn hasattr(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 2, &|host, [x, name]| {
        let V::Str(name) = &name else {
            if kind(host, &name).is_some_and(|k| k != "str") {
                return type_error(host);
            }
            unknown(host, &[x]);
            return Ok(V::AnyBool(Why::Lost));
        };
        let sure = own_attribute(host, &x, name);
        match host.attribute(&x, Sym::new(name)) {
            Ok(_) if sure => Ok(V::Bool(true)),
            Ok(_) => Ok(V::AnyBool(x.why().unwrap_or(Why::Lost))),
            Err(Stop::Raise(e)) if is_attribute_error(&e) => Ok(V::Bool(false)),
            Err(stop) => Err(stop),
        }
    })
}

fn setattr(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", "", ""], 3, 0, &|host, [x, name, value]| {
        let V::Str(name) = &name else { return Ok(unknown(host, &[x, name, value])) };
        host.set_attribute(&x, Sym::new(name), value)?;
        Ok(V::None)
    })
}

fn delattr(host: &mut dyn Host, args: Args) -> R<V> {
    with(host, &args, ["", ""], 2, 0, &|host, [x, name]| {
        let V::Str(name) = &name else { return Ok(unknown(host, &[x, name])) };
        if !own_attribute(host, &x, name) {
            return Ok(unknown(host, &[x]));
        }
        host.set_attribute(&x, Sym::new(name), V::Undef)?;
        Ok(V::None)
    })
}

fn vars(host: &mut dyn Host, args: Args) -> R<V> {
    if args.exactly(0) { host.special("vars", args) } else { Ok(host.unknown_call(&args)) }
}

fn dir(host: &mut dyn Host, args: Args) -> R<V> {
    if args.pos.iter().any(|v| kind(host, v).is_none()) {
        host.unknown_call(&args);
    }
    let names = crate::library::common::bag(Some(V::strs(0, u64::MAX, Why::Lost)), 0, u64::MAX);
    Ok(list_of(host, names))
}

fn compile(host: &mut dyn Host, args: Args) -> R<V> {
    if let (V::Str(_), 3) = (args.pos.first().unwrap_or(&V::None), args.pos.len())
        && args.kw.is_empty()
        && matches!(&args.pos[2], V::Str(mode) if &**mode != "single")
    {
        host.may_raise("");
        return host.special("compile", args);
    }
    host.store().escape_all(&args.values());
    host.may_raise("");
    Ok(V::Unknown(Why::Lost))
}

fn import(host: &mut dyn Host, args: Args) -> R<V> {
    match args.pos.as_slice() {
        [V::Str(name)]
            if args.kw.is_empty()
                && crate::library::modules::is_standard(name.split('.').next().unwrap_or(name))
                && !name.contains('.') =>
        {
            Ok(V::Module(Sym::new(name)))
        }
        _ => Ok(host.unknown_call(&args)),
    }
}

fn breakpoint(host: &mut dyn Host, args: Args) -> R<V> {
    host.fact(FactKind::ReadsStdin, None, Proof::Proven, &[("callee", "breakpoint".to_owned())]);
    host.unknown_call(&args);
    host.special("globals", Args::default())?;
    host.interruptible();
    Ok(V::Unknown(Why::OUTSIDE))
}

fn help(host: &mut dyn Host, args: Args) -> R<V> {
    if args.exactly(0) {
        host.fact(FactKind::ReadsStdin, None, Proof::Proven, &[("callee", "help".to_owned())]);
    }
    host.unknown_call(&args);
    Ok(V::None)
}

fn exit(host: &mut dyn Host, args: Args) -> R<V> {
    let _ = args;
    Err(host.raise("SystemExit", ""))
}
