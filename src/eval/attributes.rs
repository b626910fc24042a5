//! Attributes, imports, context managers and awaiting.

use std::rc::Rc;

use crate::library::{Args, Entry, R, Stop};
use crate::syntax::code::{CodeId, NameId};
use crate::value::object::{Class, DictKind, Obj, ObjId, Sym, V, Why};
use crate::value::store::is_immutable;

use super::machine::{Exit, Machine};
use super::step::set_attr;

impl Machine<'_> {
    pub fn load_attr(&mut self, object: &V, name: Sym) -> R<V> {
        match object {
            V::OneOf(all) => {
                let all = all.clone();
                self.each(&all, |m, v| m.load_attr(v, name))
            }
            V::Module(module) => Ok(self.module_attr(*module, name)),
            V::Lib(lib) => match &*name.text() {
                "__name__" | "__qualname__" => {
                    let lib = lib.text();
                    // A dotted name may be an alias of something else, and two exceptions are.
                    let plain = !lib.contains('.') && !matches!(&*lib, "IOError" | "EnvironmentError");
                    Ok(if plain { V::str(&lib) } else { V::strs(1, 4096, Why::Lost) })
                }
                "__doc__" | "__module__" | "__dict__" | "__class__" | "__self__" | "__wrapped__" | "__bases__" | "__mro__" => {
                    Ok(V::Unknown(Why::Lost))
                }
                text => {
                    let qualified = Sym::new(&format!("{}.{text}", lib.text()));
                    Ok(self.library_value(qualified))
                }
            },
            V::Instance(class, _) if self.entry(Sym::new(&format!("{}.{}", class.text(), name.text()))).is_some() => {
                let qualified = Sym::new(&format!("{}.{}", class.text(), name.text()));
                if let Some(Entry::Constant(value)) = self.entry(qualified) {
                    return Ok(value);
                }
                Ok(self.alloc(Obj::Bound { function: V::Lib(qualified), this: object.clone() }))
            }
            V::Unknown(why) | V::Instance(_, why) => {
                self.notes_lost_put(name);
                self.may_raise_class("");
                Ok(V::Unknown(*why))
            }
            V::Exc(e) => match &*name.text() {
                "args" => Ok(match &e.args {
                    Some(args) => self.make_tuple(args.clone()),
                    None => V::tuple_bag(V::Unknown(Why::Lost), 0, u64::MAX),
                }),
                _ => {
                    self.may_raise_class("AttributeError");
                    Ok(V::Unknown(Why::Lost))
                }
            },
            V::Ref(id) => match self.store.get(*id).clone() {
                Obj::Instance { class, attrs } => self.instance_attr(object, &class, &attrs, name),
                Obj::Class(class) => self.class_attr(object, &class, name),
                Obj::Super { class, this } => self.super_attr(&class, &this, name),
                Obj::Escaped(kind) => {
                    if let Some(known) = self.fixed_attr(object, *id, kind, name) {
                        return Ok(known);
                    }
                    self.notes_lost_put(name);
                    self.may_raise_class("");
                    Ok(V::Unknown(Why::Lost))
                }
                Obj::Function(f) => {
                    if let Some((_, v)) = f.attrs.iter().find(|(n, _)| *n == name) {
                        let v = v.clone();
                        return self.bound(v, "AttributeError");
                    }
                    match &*name.text() {
                        "__qualname__" if self.code(f.code).parent != Some(CodeId(0)) => Ok(V::strs(1, 4096, Why::Lost)),
                        "__name__" | "__qualname__" => Ok(V::str(self.program.name(self.code(f.code).name))),
                        "__doc__" => Ok(V::OneOf(Rc::new([V::None, V::strs(0, u64::MAX, Why::Lost)]))),
                        t if t.starts_with("__") => Ok(V::Unknown(Why::Lost)),
                        _ => Err(Stop::Raise(V::exception("AttributeError"))),
                    }
                }
                Obj::Property { .. } => {
                    let marker = V::lib(&format!("property.{}", name.text()));
                    Ok(self.alloc(Obj::Bound { function: marker, this: object.clone() }))
                }
                Obj::Partial { function: V::Lib(lib), .. }
                    if self.entry(Sym::new(&format!("{}.{}", lib.text(), name.text()))).is_some() =>
                {
                    // A library callable with state of its own, such as a cached function, has methods.
                    let method = V::lib(&format!("{}.{}", lib.text(), name.text()));
                    Ok(self.alloc(Obj::Bound { function: method, this: object.clone() }))
                }
                Obj::Partial { .. } | Obj::Bound { .. } | Obj::StaticMethod(_) | Obj::ClassMethod(_) | Obj::Cell(_) | Obj::Hole => {
                    // What it holds may be had through it.
                    self.store.escape(object);
                    self.may_raise_class("AttributeError");
                    Ok(V::Unknown(Why::Lost))
                }
                _ => self.builtin_attr(object, name),
            },
            _ => self.builtin_attr(object, name),
        }
    }

    /// Something may be put into any queue.
    fn notes_lost_put(&mut self, name: Sym) {
        self.lost_puts |= matches!(&*name.text(), "put" | "put_nowait");
    }

    /// An attribute of what others may hold, where nobody can change it: methods, and what is assigned once.
    fn fixed_attr(&mut self, object: &V, id: ObjId, kind: Sym, name: Sym) -> Option<V> {
        // What only adds something to a list or a deque never fails.
        if matches!((&*kind.text(), &*name.text()), ("list" | "collections.deque", "append") | ("collections.deque", "appendleft")) {
            return Some(V::lib(crate::library::modules::KEEP));
        }
        let unassigned = self.store.fixed().is_never_assigned(name);
        if unassigned && let Some(class) = crate::library::modules::shared_class(&kind.text()) {
            let method = Sym::new(&format!("{class}.{}", name.text()));
            return matches!(self.entry(method), Some(Entry::Function(_)))
                .then(|| self.alloc(Obj::Bound { function: V::Lib(method), this: object.clone() }));
        }
        if self.store.is_summary(id) {
            return None;
        }
        let known = self.store.fixed().get(id)?;
        if let Some((_, value)) = known.attrs.iter().find(|(n, _)| *n == name) {
            return Some(value.clone());
        }
        let class = self.class(&known.class).filter(|_| unassigned)?;
        let found = self.class_lookup(&class, &known.class, name)?;
        matches!(self.obj(&found), Some(Obj::Function(_))).then(|| self.bind_attr(object, &known.class, &found))
    }

    /// An attribute of a value of a builtin type: a method, bound.
    fn builtin_attr(&mut self, object: &V, name: Sym) -> R<V> {
        match (object, &*name.text()) {
            (V::Int(_) | V::Bool(_) | V::Ints(_) | V::AnyBool(_), "real" | "numerator") => return Ok(object.clone()),
            (V::Int(_) | V::Bool(_) | V::Ints(_) | V::AnyBool(_), "imag") => return Ok(V::Int(0)),
            (V::Int(_) | V::Bool(_) | V::Ints(_) | V::AnyBool(_), "denominator") => return Ok(V::Int(1)),
            (V::Float(_) | V::Floats(_), "real") => return Ok(object.clone()),
            (V::Float(_) | V::Floats(_), "imag") => return Ok(V::Float(0.0)),
            (V::Complex(why), "real" | "imag") => return Ok(V::any_float(*why)),
            (V::Range(parts), "start") => return Ok(parts[0].clone()),
            (V::Range(parts), "stop") => return Ok(parts[1].clone()),
            (V::Range(parts), "step") => return Ok(parts[2].clone()),
            (_, "__class__") => {
                if let Some(class) = self.class_of_value(object) {
                    return Ok(class);
                }
            }
            _ => {}
        }
        match self.builtin_method(object, name) {
            Some(method) => Ok(self.alloc(Obj::Bound { function: V::Lib(method), this: object.clone() })),
            None => {
                // A method without a model may do anything to its receiver when it is called.
                self.store.escape(object);
                self.may_raise_class("AttributeError");
                Ok(V::Unknown(Why::Lost))
            }
        }
    }

    /// The qualified name of a builtin type's method, if it has a model.
    fn builtin_method(&mut self, object: &V, name: Sym) -> Option<Sym> {
        let kind: &'static str = match object {
            V::Ref(id) => match self.store.get(*id) {
                Obj::List(_) => "list",
                Obj::Dict(_, DictKind::Plain) => "dict",
                Obj::Dict(_, DictKind::Ordered) => "collections.OrderedDict",
                Obj::Dict(_, DictKind::Default(_)) => "collections.defaultdict",
                Obj::Dict(_, DictKind::Counter) => "collections.Counter",
                Obj::Set(_, false) => "set",
                Obj::Set(_, true) => "frozenset",
                Obj::Deque(..) => "collections.deque",
                Obj::ByteArray(_) => "bytearray",
                Obj::View { .. } => "dict_view",
                Obj::Iter(_) => "iterator",
                Obj::Generator(_) => "generator",
                _ => return None,
            },
            v => v.type_name()?,
        };
        if let Some(known) = self.methods.get(&(kind, name)) {
            return *known;
        }
        let text = name.text();
        let mut found = None;
        let parents: &[&str] = match kind {
            "collections.defaultdict" | "collections.Counter" | "collections.OrderedDict" => &["dict"],
            "bool" => &["int"],
            "frozenset" => &["set"],
            _ => &[],
        };
        for owner in std::iter::once(&kind).chain(parents) {
            let qualified = Sym::new(&format!("{owner}.{text}"));
            if self.entry(qualified).is_some() {
                found = Some(qualified);
                break;
            }
        }
        self.methods.insert((kind, name), found);
        found
    }

    /// A library value by qualified name: a constant as what it is, the rest by name.
    fn library_value(&mut self, qualified: Sym) -> V {
        if self.store.is_patched(qualified) {
            return V::Unknown(Why::Lost);
        }
        match self.entry(qualified) {
            Some(Entry::Constant(v)) => v,
            Some(Entry::Module) => V::Module(qualified),
            _ => V::Lib(qualified),
        }
    }

    pub fn module_attr(&mut self, module: Sym, name: Sym) -> V {
        let text = module.text();
        let qualified = if &*text == "builtins" { name } else { Sym::new(&format!("{}.{}", text, name.text())) };
        self.library_value(qualified)
    }

    fn instance_attr(&mut self, object: &V, class_value: &V, attrs: &[(Sym, V)], name: Sym) -> R<V> {
        let Some(class) = self.class(class_value) else {
            if let V::Lib(lib) = class_value {
                let lib = *lib;
                let method = Sym::new(&format!("{}.{}", lib.text(), name.text()));
                if self.entry(method).is_some() {
                    return Ok(self.alloc(Obj::Bound { function: V::Lib(method), this: object.clone() }));
                }
                if let Some((_, value)) = attrs.iter().find(|(n, _)| *n == name && matches!(&*n.text(), "numerator" | "denominator")) {
                    return Ok(value.clone());
                }
                let public = Sym::new(&format!(" {}", name.text()));
                if let Some((_, value)) = attrs.iter().find(|(n, _)| *n == public) {
                    return Ok(value.clone());
                }
                if !is_immutable(lib) {
                    // What has no model may change it.
                    self.store.escape(object);
                }
            }
            self.may_raise_class("");
            return Ok(V::Unknown(Why::Lost));
        };
        if class.open {
            return Ok(self.unknown_effect(std::slice::from_ref(object)));
        }
        let in_class = self.class_lookup(&class, class_value, name);
        if let Some(found) = &in_class
            && let Some(Obj::Property { get, .. }) = self.obj(found)
        {
            let get = get.clone();
            return self.call_value(&get, Args::of([object.clone()]));
        }
        if self.class_lookup(&class, class_value, Sym::new("__getattribute__")).is_some() {
            return Ok(self.unknown_effect(std::slice::from_ref(object)));
        }
        let own = attrs.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone());
        match own {
            Some(V::Undef) | None => {}
            Some(v) if matches!(&v, V::OneOf(all) if all.contains(&V::Undef)) => {
                self.may_raise_class("AttributeError");
                let fallback = in_class.map(|f| self.bind_attr(object, class_value, &f));
                let known = self.bound(v, "AttributeError")?;
                return Ok(match fallback {
                    Some(f) => self.store.join_values(&known, &f, false),
                    None => known,
                });
            }
            Some(v) => return Ok(v),
        }
        if let Some(found) = in_class {
            if let Some(Obj::Partial { function: V::Lib(lib), args, .. }) = self.obj(&found)
                && &*lib.text() == crate::library::modules::functools::CACHED_PROPERTY
            {
                let function = args[0].clone();
                return self.cached_property(object, &class, &function, name);
            }
            return Ok(self.bind_attr(object, class_value, &found));
        }
        match &*name.text() {
            "__class__" => return Ok(class_value.clone()),
            "__dict__" => {
                self.store.escape(object);
                return Ok(V::Unknown(Why::Lost));
            }
            _ => {}
        }
        if let Some(getattr) = self.class_lookup(&class, class_value, Sym::new("__getattr__")) {
            let text = V::str(&name.text());
            return self.call_value(&getattr, Args::of([object.clone(), text]));
        }
        if let Some(method) = self.followed_method(&class.mro, name) {
            return Ok(self.alloc(Obj::Bound { function: V::Lib(method), this: object.clone() }));
        }
        let known_root = class.mro.iter().all(|b| match b {
            V::Lib(n) => &*n.text() == "object",
            _ => true,
        });
        if known_root && !name.text().starts_with("__") {
            return Err(Stop::Raise(V::exception("AttributeError")));
        }
        self.may_raise_class("AttributeError");
        Ok(V::Unknown(Why::Lost))
    }

    /// What a property gives that is worked out once, and then kept among the instance's own attributes.
    fn cached_property(&mut self, object: &V, class: &Class, function: &V, name: Sym) -> R<V> {
        let V::Ref(id) = object else { return Ok(self.unknown_effect(std::slice::from_ref(object))) };
        if class.attrs.iter().any(|(n, _)| &*n.text() == "__slots__") {
            return Ok(self.unknown_effect(std::slice::from_ref(object)));
        }
        let value = self.call_value(function, Args::of([object.clone()]))?;
        let kept = value.clone();
        self.store.mutate(*id, true, |obj| {
            if let Obj::Instance { attrs, .. } = obj {
                set_attr(Rc::make_mut(attrs), name, kept);
            }
        });
        Ok(value)
    }

    /// A class attribute as seen through an instance.
    fn bind_attr(&mut self, object: &V, class_value: &V, found: &V) -> V {
        match found {
            V::OneOf(_) => {
                self.store.escape(found);
                V::Unknown(Why::Lost)
            }
            V::Ref(id) => match self.store.get(*id).clone() {
                Obj::Function(_) => self.alloc(Obj::Bound { function: found.clone(), this: object.clone() }),
                Obj::StaticMethod(f) => f,
                Obj::ClassMethod(f) => self.alloc(Obj::Bound { function: f, this: class_value.clone() }),
                Obj::Instance { .. } => {
                    // A descriptor of the program's own is a call.
                    if self.dunder(found, "__get__").is_some() || self.open_instance(found) {
                        return self.unknown_effect(&[object.clone(), found.clone()]);
                    }
                    found.clone()
                }
                // A cached function and a method of the library's making bind like functions; `functools.partial` does not.
                Obj::Partial { function: V::Lib(lib), .. } if crate::library::modules::binds(&lib.text()) => {
                    self.alloc(Obj::Bound { function: found.clone(), this: object.clone() })
                }
                Obj::Partial { .. } => found.clone(),
                _ => found.clone(),
            },
            V::Unknown(_) => self.unknown_effect(std::slice::from_ref(object)),
            // Library functions in C do not bind; anything without a model might.
            V::Lib(name) if self.entry(*name).is_none() => V::Unknown(Why::Lost),
            v => v.clone(),
        }
    }

    fn class_attr(&mut self, object: &V, class: &Rc<Class>, name: Sym) -> R<V> {
        if class.open {
            self.may_raise_class("");
            return Ok(V::Unknown(Why::Lost));
        }
        if let Some(found) = self.class_lookup(class, object, name) {
            if matches!(&found, V::OneOf(all) if all.contains(&V::Undef)) {
                return self.bound(found, "AttributeError");
            }
            return Ok(match self.obj(&found) {
                Some(Obj::StaticMethod(f)) => f.clone(),
                Some(Obj::ClassMethod(f)) => {
                    let f = f.clone();
                    self.alloc(Obj::Bound { function: f, this: object.clone() })
                }
                Some(Obj::Instance { .. }) if self.dunder(&found, "__get__").is_some() => {
                    self.unknown_effect(&[object.clone(), found.clone()])
                }
                _ => found,
            });
        }
        match &*name.text() {
            "__qualname__" if class.attrs.iter().any(|(n, _)| &*n.text() == super::classes::NESTED) => {
                return Ok(V::strs(1, 4096, Why::Lost));
            }
            "__name__" | "__qualname__" => return Ok(V::str(&class.name.text())),
            "__init__" | "__new__" | "__setattr__" | "__init_subclass__" => return Ok(V::lib(&format!("object.{}", name.text()))),
            _ => {}
        }
        let plain = class.mro.iter().all(|b| !matches!(b, V::Lib(n) if &*n.text() != "object"));
        if plain && !name.text().starts_with("__") && &*name.text() != "mro" {
            return Err(Stop::Raise(V::exception("AttributeError")));
        }
        self.may_raise_class("AttributeError");
        Ok(V::Unknown(Why::Lost))
    }

    /// A method of a library class that a class of the program derives from.
    fn followed_method(&mut self, bases: &[V], name: Sym) -> Option<Sym> {
        bases.iter().find_map(|base| match base {
            V::Lib(lib) if super::calls::is_followed(&lib.text()) => {
                let method = Sym::new(&format!("{}.{}", lib.text(), name.text()));
                matches!(self.entry(method), Some(Entry::Function(_))).then_some(method)
            }
            _ => None,
        })
    }

    fn super_attr(&mut self, class: &V, this: &V, name: Sym) -> R<V> {
        // The order of resolution of the instance's class, after the class that asks.
        let actual = match self.obj(this) {
            Some(Obj::Instance { class, .. }) => Some(class.clone()),
            Some(Obj::Class(_)) => Some(this.clone()),
            _ => None,
        };
        let chain = actual
            .as_ref()
            .and_then(|a| self.class(a))
            .map(|c| (c.open, std::iter::once(actual.clone().unwrap_or(V::Null)).chain(c.mro.iter().cloned()).collect::<Vec<_>>()));
        let Some((open, chain)) = chain else {
            return Ok(self.unknown_effect(std::slice::from_ref(this)));
        };
        if open {
            return Ok(self.unknown_effect(std::slice::from_ref(this)));
        }
        let Some(at) = chain.iter().position(|c| c == class) else {
            return Ok(self.unknown_effect(std::slice::from_ref(this)));
        };
        for base in &chain[at + 1..] {
            match base {
                V::Ref(_) => {
                    let found = self
                        .class(base)
                        .and_then(|c| c.attrs.iter().find(|(n, v)| *n == name && !matches!(v, V::Undef)).map(|(_, v)| v.clone()));
                    if let Some(found) = found {
                        let class_value = actual.clone().unwrap_or(V::Null);
                        if let Some(Obj::Property { get, .. }) = self.obj(&found) {
                            let get = get.clone();
                            return self.call_value(&get, Args::of([this.clone()]));
                        }
                        return Ok(self.bind_attr(this, &class_value, &found));
                    }
                }
                V::Lib(lib) => {
                    let text = lib.text();
                    if let Some(method) = self.followed_method(std::slice::from_ref(base), name) {
                        return Ok(self.alloc(Obj::Bound { function: V::Lib(method), this: this.clone() }));
                    }
                    if crate::library::exceptions::class(&text).is_some() && &*name.text() == "__init__" {
                        let init = V::lib("BaseException.__init__");
                        return Ok(self.alloc(Obj::Bound { function: init, this: this.clone() }));
                    }
                }
                _ => {}
            }
        }
        match &*name.text() {
            "__init__" | "__init_subclass__" | "__new__" | "__setattr__" | "__repr__" | "__str__" | "__eq__" | "__hash__" => {
                let method = V::lib(&format!("object.{}", name.text()));
                Ok(if &*name.text() == "__new__" { method } else { self.alloc(Obj::Bound { function: method, this: this.clone() }) })
            }
            _ => {
                self.may_raise_class("AttributeError");
                Ok(V::Unknown(Why::Lost))
            }
        }
    }

    /// The callable and `self` of a method call.
    pub fn load_method(&mut self, object: &V, name: Sym) -> R<(V, V)> {
        match object {
            V::Ref(id) => match self.store.get(*id) {
                Obj::Instance { class, attrs } => {
                    let own = attrs.iter().any(|(n, _)| *n == name);
                    if !own
                        && let Some(c) = self.class(class)
                        && !c.open
                        && self.class_lookup(&c, class, Sym::new("__getattribute__")).is_none()
                        && let Some(found) = self.class_lookup(&c, class, name)
                        && matches!(self.obj(&found), Some(Obj::Function(_)))
                    {
                        return Ok((found, object.clone()));
                    }
                }
                Obj::Class(_)
                | Obj::Super { .. }
                | Obj::Escaped(_)
                | Obj::Function(_)
                | Obj::Partial { .. }
                | Obj::Bound { .. }
                | Obj::Property { .. } => {}
                _ => {
                    if let Some(method) = self.builtin_method(object, name) {
                        return Ok((V::Lib(method), object.clone()));
                    }
                    // A method without a model may do anything to its receiver.
                    self.store.escape(object);
                    self.may_raise_class("AttributeError");
                    return Ok((V::Unknown(Why::Lost), V::Null));
                }
            },
            V::Str(_)
            | V::Strs(_)
            | V::Int(_)
            | V::Ints(_)
            | V::Float(_)
            | V::Floats(_)
            | V::Bytes(_)
            | V::ManyBytes(_)
            | V::Tuple(_)
            | V::Bool(_)
            | V::AnyBool(_)
            | V::Range(_) => {
                if let Some(method) = self.builtin_method(object, name) {
                    return Ok((V::Lib(method), object.clone()));
                }
            }
            _ => {}
        }
        Ok((self.load_attr(object, name)?, V::Null))
    }

    pub fn store_attr(&mut self, object: &V, name: Sym, value: V) -> R<()> {
        match object {
            V::OneOf(all) => {
                // Any one of them may be the one: each keeps its old value as a possibility.
                let all = all.clone();
                for v in all.iter() {
                    let before = self.store.clone();
                    match self.store_attr(v, name, value.clone()) {
                        Ok(()) => {}
                        Err(Stop::Raise(e)) => self.may_raise_value(e),
                        Err(stop) => return Err(stop),
                    }
                    let path = self.store.path;
                    self.store.join(&before, false);
                    self.store.path = path;
                }
                Ok(())
            }
            V::Module(module) => {
                let qualified = if &*module.text() == "builtins" { name } else { Sym::new(&format!("{}.{}", module.text(), name.text())) };
                self.store.patch(qualified);
                self.store.escape(&value);
                Ok(())
            }
            V::Lib(lib) if &*lib.text() == crate::library::modules::decimal::CONTEXT => {
                if &*name.text() == "prec" {
                    crate::library::modules::decimal::set_precision(self, &value);
                }
                Ok(())
            }
            V::Lib(lib) => {
                let qualified = Sym::new(&format!("{}.{}", lib.text(), name.text()));
                self.store.patch(qualified);
                self.store.escape(&value);
                self.may_raise_class("");
                Ok(())
            }
            V::Unknown(_) | V::Instance(..) | V::Exc(_) => {
                self.store.escape(&value);
                self.may_raise_class("");
                Ok(())
            }
            V::Ref(id) => match self.store.get(*id).clone() {
                Obj::Instance { class: class_value, .. } => {
                    if let V::Lib(lib) = &class_value
                        && !is_immutable(*lib)
                    {
                        let public = Sym::new(&format!(" {}", name.text()));
                        let known = matches!(self.store.get(*id), Obj::Instance { attrs, .. } if attrs.iter().any(|(n, _)| *n == public));
                        if known && !matches!(value, V::Undef) {
                            self.store.mutate(*id, true, |obj| {
                                if let Obj::Instance { attrs, .. } = obj {
                                    set_attr(Rc::make_mut(attrs), public, value);
                                }
                            });
                        } else {
                            self.store.escape_all(&[object.clone(), value]);
                        }
                        self.may_raise_class("");
                        return Ok(());
                    }
                    let Some(class) = self.class(&class_value) else {
                        self.may_raise_class("AttributeError");
                        return Ok(());
                    };
                    if class.open {
                        self.unknown_effect(&[object.clone(), value]);
                        return Ok(());
                    }
                    let hook = if matches!(value, V::Undef) { "__delattr__" } else { "__setattr__" };
                    if let Some(method) = self.class_lookup(&class, &class_value, Sym::new(hook)) {
                        let text = V::str(&name.text());
                        let args = if matches!(value, V::Undef) {
                            Args::of([object.clone(), text])
                        } else {
                            Args::of([object.clone(), text, value])
                        };
                        self.call_value(&method, args)?;
                        return Ok(());
                    }
                    if let Some(found) = self.class_lookup(&class, &class_value, name) {
                        match self.obj(&found) {
                            Some(Obj::Property { set, .. }) => {
                                let set = set.clone();
                                if matches!(set, V::None) {
                                    return Err(Stop::Raise(V::exception("AttributeError")));
                                }
                                self.call_value(&set, Args::of([object.clone(), value]))?;
                                return Ok(());
                            }
                            Some(Obj::Instance { .. }) if self.dunder(&found, "__set__").is_some() => {
                                self.unknown_effect(&[object.clone(), found, value]);
                                return Ok(());
                            }
                            _ => {}
                        }
                    }
                    if self.class_lookup(&class, &class_value, Sym::new("__slots__")).is_some() {
                        self.may_raise_class("AttributeError");
                    }
                    self.store.mutate(*id, true, |obj| {
                        if let Obj::Instance { attrs, .. } = obj {
                            set_attr(Rc::make_mut(attrs), name, value);
                        }
                    });
                    Ok(())
                }
                Obj::Class(class) => {
                    if class.open {
                        self.store.escape(&value);
                        return Ok(());
                    }
                    if crate::library::modules::enums::is_member(&class, name) {
                        return Err(Stop::Raise(V::exception("AttributeError")));
                    }
                    self.store.mutate(*id, true, |obj| {
                        if let Obj::Class(class) = obj {
                            set_attr(&mut Rc::make_mut(class).attrs, name, value);
                        }
                    });
                    Ok(())
                }
                Obj::Function(_) => {
                    self.store.mutate(*id, true, |obj| {
                        if let Obj::Function(f) = obj {
                            set_attr(&mut Rc::make_mut(f).attrs, name, value);
                        }
                    });
                    Ok(())
                }
                Obj::Escaped(_) => {
                    self.store.escape(&value);
                    self.may_raise_class("");
                    Ok(())
                }
                _ => {
                    self.store.escape(&value);
                    self.store.escape(object);
                    self.may_raise_class("AttributeError");
                    Ok(())
                }
            },
            _ => Err(Stop::Raise(V::exception("AttributeError"))),
        }
    }

    pub fn import(&mut self, name: NameId, level: u8, root: bool) -> V {
        let text = self.name(name).text();
        if level > 0 {
            self.may_raise_class("ImportError");
            return V::Unknown(Why::OUTSIDE);
        }
        let top = text.split('.').next().unwrap_or(&text);
        if !crate::library::modules::is_standard(top) {
            self.may_raise_class("ImportError");
        }
        V::Module(Sym::new(if root { top } else { &text }))
    }

    pub fn import_from(&mut self, module: &V, name: Sym) -> R<V> {
        match module {
            V::Module(m) => {
                let text = m.text();
                if crate::library::modules::is_standard(text.split('.').next().unwrap_or(&text)) {
                    let qualified = Sym::new(&format!("{}.{}", text, name.text()));
                    if self.entry(qualified).is_some() && crate::library::modules::since(&qualified.text()) <= self.settings.target.0 {
                        return Ok(self.module_attr(*m, name));
                    }
                    self.may_raise_class("ImportError");
                } else {
                    self.may_raise_class("ImportError");
                }
                Ok(self.module_attr(*m, name))
            }
            other => self.load_attr(other, name),
        }
    }

    pub fn import_star(&mut self, module: &V) {
        let V::Module(m) = module else {
            self.store.builtins_open = true;
            return;
        };
        let text = m.text();
        match crate::library::modules::star(&text) {
            Some(names) => {
                for name in names {
                    let sym = Sym::new(name);
                    let value = self.module_attr(*m, sym);
                    if let Some(id) = self.name_ids.get(&sym) {
                        let id = id.0;
                        self.store.set_global(id, value);
                    }
                }
            }
            None => {
                // It may define any name of the program, builtins' names included.
                self.store.builtins_open = true;
                let n = self.names.len() as u32;
                for id in 0..n {
                    let old = self.store.global(id);
                    if !matches!(old, V::Undef) {
                        self.store.escape(&old);
                        self.store.set_global(id, V::Unknown(Why::OUTSIDE));
                    }
                }
            }
        }
    }

    /// Enters a context manager: its exit callable, and the value bound by `as`.
    pub fn with_enter(&mut self, manager: &V, is_async: bool) -> R<(V, V)> {
        let (enter, exit) = if is_async { ("__aenter__", "__aexit__") } else { ("__enter__", "__exit__") };
        if matches!(self.obj(manager), Some(Obj::Instance { .. })) && !self.open_instance(manager) {
            let (Some(enter), Some(exit)) = (self.dunder(manager, enter), self.dunder(manager, exit)) else {
                return Err(Stop::Raise(self.no_manager()));
            };
            let exit = self.alloc(Obj::Bound { function: exit, this: manager.clone() });
            let mut value = self.call_value(&enter, Args::of([manager.clone()]))?;
            if is_async {
                value = self.await_value(&value)?;
            }
            return Ok((exit, value));
        }
        if manager.type_name().is_some() {
            return Err(Stop::Raise(self.no_manager()));
        }
        if !is_async && let Some(entered) = crate::library::modules::enter_manager(self, manager)? {
            return Ok(entered);
        }
        let class = match self.obj(manager) {
            Some(Obj::Instance { class: V::Lib(lib), .. }) => Some(*lib),
            Some(Obj::Escaped(kind)) => crate::library::modules::shared_class(&kind.text()).map(Sym::new),
            _ => None,
        };
        if let Some(lib) = class {
            let method = |name: &str| Sym::new(&format!("{}.{name}", lib.text()));
            if self.entry(method(enter)).is_some() {
                let exit = self.alloc(Obj::Bound { function: V::Lib(method(exit)), this: manager.clone() });
                let value = self.call_value(&V::Lib(method(enter)), Args::of([manager.clone()]))?;
                return Ok((exit, value));
            }
        }
        // A timeout of asyncio cancels what is awaited; what does not wait runs on.
        if let V::Instance(name, _) = manager
            && &*name.text() == "asyncio.timeout"
        {
            self.store.path.timeouts += 1;
            return Ok((V::lib("timeout exit"), manager.clone()));
        }
        // Managers of the library that neither swallow exceptions nor interrupt what they surround.
        if let V::Instance(name, _) = manager
            && crate::library::modules::is_plain_manager(&name.text())
        {
            return Ok((V::lib("plain manager exit"), manager.clone()));
        }
        self.store.escape(manager);
        self.may_raise_class("");
        self.store.path.unknown_managers += 1;
        Ok((V::Unknown(Why::OUTSIDE), V::Unknown(Why::OUTSIDE)))
    }

    /// What `with` raises for an object without its methods: Python 3.11 changed it.
    fn no_manager(&self) -> V {
        let (low, high) = self.settings.target;
        match (low < 11, high >= 11) {
            (true, true) => V::OneOf(Rc::new([V::exception("AttributeError"), V::exception("TypeError")])),
            (true, false) => V::exception("AttributeError"),
            _ => V::exception("TypeError"),
        }
    }

    /// Calls a context manager's exit.
    pub fn with_exit(&mut self, exit: &V, is_async: bool, details: &[V; 3]) -> R<V> {
        match exit {
            V::Lib(name) if &*name.text() == "plain manager exit" => Ok(V::None),
            V::Lib(name) if &*name.text() == "timeout exit" => {
                self.store.path.timeouts = self.store.path.timeouts.saturating_sub(1);
                self.may_raise_class("TimeoutError");
                Ok(V::None)
            }
            V::Unknown(why) => {
                self.store.escape_all(details);
                self.may_raise_class("");
                self.store.path.unknown_managers = self.store.path.unknown_managers.saturating_sub(1);
                Ok(V::Unknown(*why))
            }
            V::OneOf(_) => {
                self.store.escape_all(details);
                self.store.escape(exit);
                self.may_raise_class("");
                Ok(V::Unknown(Why::Lost))
            }
            _ => {
                // Those of the library wait when they are called.
                let waits = is_async && !matches!(self.obj(exit), Some(Obj::Bound { function: V::Lib(_), .. }));
                let value = self.call_value(exit, Args::of(details.iter().cloned()))?;
                if waits { self.await_value(&value) } else { Ok(value) }
            }
        }
    }

    /// Waits for a coroutine of the program to return; anything else is unknown.
    pub fn await_value(&mut self, awaitable: &V) -> R<V> {
        let V::Ref(id) = awaitable else {
            if let V::Instance(name, _) = awaitable
                && &*name.text() == "asyncio.sleep"
            {
                return Ok(V::None);
            }
            self.store.escape(awaitable);
            self.may_raise_class("");
            return Ok(V::Unknown(Why::OUTSIDE));
        };
        // A sleep waits when it is awaited.
        if let Obj::Partial { function: V::Lib(name), .. } = self.store.get(*id)
            && crate::library::modules::is_awaitable(&name.text())
        {
            return self.call_value(awaitable, Args::default());
        }
        if let Obj::Instance { class: V::Lib(class), .. } = self.store.get(*id)
            && let Some(wait) = crate::library::modules::waiting(&class.text())
        {
            return self.call_value(&V::lib(wait), Args::of([awaitable.clone()]));
        }
        if let Obj::Escaped(kind) = self.store.get(*id)
            && let Some(wait) = crate::library::modules::shared_class(&kind.text()).and_then(crate::library::modules::waiting)
        {
            return self.call_value(&V::lib(wait), Args::of([awaitable.clone()]));
        }
        let Obj::Generator(generator) = self.store.get(*id).clone() else {
            self.store.escape(awaitable);
            self.may_raise_class("");
            return Ok(V::Unknown(Why::OUTSIDE));
        };
        let (true, false, Some(mut frame)) = (generator.coroutine, generator.may_be_done, generator.frame) else {
            self.store.escape(awaitable);
            self.may_raise_class("");
            return Ok(V::Unknown(Why::Lost));
        };
        if self.store.is_summary(*id) || self.frames.len() > 300 {
            self.store.escape(awaitable);
            self.may_raise_class("");
            return Ok(V::Unknown(Why::Lost));
        }
        self.store.mutate(*id, true, |obj| {
            if let Obj::Generator(g) = obj {
                g.frame = None;
            }
        });
        match self.run_frame(&mut frame) {
            Exit::Return(v) => Ok(v),
            Exit::Raise(e) => Err(Stop::Raise(e)),
            Exit::Fuel => Err(Stop::Fuel),
            Exit::Dead => Err(Stop::Dead),
            Exit::Yield(..) | Exit::Lost => {
                self.store.escape_all(&frame.locals);
                self.may_raise_class("");
                Ok(V::Unknown(Why::Lost))
            }
        }
    }
}
