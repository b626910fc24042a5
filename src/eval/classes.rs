//! What the library makes of class bodies: fields out of annotations, enumerations, named tuples.

use std::rc::Rc;

use crate::library::modules::{enums, namedtuple};
use crate::library::{Args, R, Stop};
use crate::syntax::code::{Code, NameId, Op};
use crate::value::object::{Class, Frame, Obj, ObjId, Sym, Tuple, V, Why};

use super::machine::Machine;
use super::step::set_attr;

/// The attribute, unknown to Python, under which a class keeps its annotations: pairs of a name and what it is annotated with.
pub const ANNOTATIONS: &str = "@annotations";

/// Set, unknown to Python, on a class that is not defined at the top of the module.
pub const NESTED: &str = "@nested";

/// The mark of a class whose metaclass keeps classes with abstract methods from having instances.
pub const CHECKED: &str = "@checked";

/// An annotation that is neither a class nor a text: a generic alias, a union.
pub const ANNOTATION: &str = "annotation";

/// Fields beyond this are not kept.
const MAX_FIELDS: usize = 256;

impl Machine<'_> {
    /// `name: annotation` in a class body.
    pub fn annotate(&mut self, frame: &Frame, name: NameId, annotation: V) {
        let Some(id) = frame.namespace else { return };
        let hidden = Sym::new(ANNOTATIONS);
        let Obj::Class(class) = self.store.get(id) else {
            self.store.escape(&annotation);
            return;
        };
        let known = match class.attrs.iter().find(|(n, _)| *n == hidden).map(|(_, v)| v) {
            None => Some(Vec::new()),
            Some(V::Tuple(t)) => match &**t {
                Tuple::Exact(all) if all.len() < MAX_FIELDS => Some(all.clone()),
                _ => None,
            },
            Some(_) => None,
        };
        let text = V::str(&self.name(name).text());
        let value = match known {
            None => V::Unknown(Why::Lost),
            Some(mut all) => {
                let pair = V::tuple(vec![text.clone(), annotation]);
                let same = |v: &V| matches!(v, V::Tuple(t) if matches!(&**t, Tuple::Exact(p) if p.first() == Some(&text)));
                match all.iter_mut().find(|v| same(v)) {
                    Some(slot) => *slot = pair,
                    None => all.push(pair),
                }
                V::tuple(all)
            }
        };
        self.store.mutate(id, true, |obj| {
            if let Obj::Class(class) = obj {
                set_attr(&mut Rc::make_mut(class).attrs, hidden, value);
            }
        });
    }

    /// `A | B` of classes, aliases and None: the annotation of either.
    pub fn union(&mut self, a: &V, b: &V) -> Option<V> {
        let class = |m: &mut Self, v: &V| match v {
            V::Instance(name, _) => &*name.text() == ANNOTATION,
            V::Lib(name) => m.is_type(*name),
            V::Ref(_) => m.class(v).is_some_and(|c| !c.open && c.mro.iter().all(|b| m.class(b).is_some_and(|c| !c.open) || is_root(b))),
            _ => false,
        };
        let (x, y) = (class(self, a), class(self, b));
        if !(x && (y || matches!(b, V::None)) || y && matches!(a, V::None)) {
            return None;
        }
        if self.settings.target.0 < 10 {
            self.may_raise_class("TypeError");
        }
        Some(V::Instance(Sym::new(ANNOTATION), Why::Lost))
    }

    fn is_type(&mut self, name: Sym) -> bool {
        !self.store.is_patched(name) && matches!(self.entry(name), Some(crate::library::Entry::Type(_) | crate::library::Entry::Exception))
    }

    /// `list[int]`, `Optional[str]`, `Generic[T]`: none for what may be something else.
    pub fn subscripted(&mut self, name: Sym) -> Option<V> {
        let text = name.text();
        if self.store.is_patched(name) {
            return None;
        }
        match &*text {
            // As a base it is what it would be without.
            "typing.Generic" | "typing.Protocol" => Some(V::Lib(name)),
            "list"
            | "dict"
            | "set"
            | "frozenset"
            | "tuple"
            | "type"
            | "collections.deque"
            | "collections.defaultdict"
            | "collections.OrderedDict"
            | "collections.Counter" => Some(V::Instance(Sym::new(ANNOTATION), Why::Lost)),
            _ => {
                let rest = text.strip_prefix("typing.").or_else(|| text.strip_prefix("collections.abc."))?;
                let plain =
                    !rest.contains('.') && rest.starts_with(char::is_uppercase) && !matches!(rest, "ClassVar" | "Annotated" | "NamedTuple");
                plain.then(|| V::Instance(Sym::new(ANNOTATION), Why::Lost))
            }
        }
    }

    /// Makes of a class what its bases ask for, when its body has run. False: they may do anything with it.
    pub fn finish_class(&mut self, value: &V, id: ObjId, code: &Code) -> R<bool> {
        let Obj::Class(class) = self.store.get(id).clone() else { return Ok(true) };
        if class.mro.iter().any(|b| is_lib(b, "enum.Enum")) {
            // A name that is bound twice is an error there.
            let mut stored: Vec<NameId> =
                code.ops.iter().filter_map(|op| if let Op::StoreName(n) = op { Some(*n) } else { None }).collect();
            let n = stored.len();
            stored.sort_by_key(|n| n.0);
            stored.dedup();
            return if stored.len() == n { enums::finish(self, value, &class) } else { Ok(false) };
        }
        if class.bases.iter().any(|b| is_lib(b, "typing.NamedTuple")) {
            return namedtuple::finish(self, value, &class);
        }
        Ok(true)
    }

    /// An instance of a class that the library makes its own way; none for all others.
    pub fn library_instance(&mut self, class: &Rc<Class>, class_value: &V, args: &Args) -> Option<R<V>> {
        let make = self.class_lookup(class, class_value, Sym::new("@new"))?;
        let own = ["__new__", "__init__"].iter().any(|name| self.class_lookup(class, class_value, Sym::new(name)).is_some());
        if own {
            let mut values = args.values();
            values.push(class_value.clone());
            return Some(Ok(self.unknown_effect(&values)));
        }
        let mut args = args.clone();
        args.pos.insert(0, class_value.clone());
        if args.open {
            return Some(Ok(self.unknown_effect(&args.values())));
        }
        Some(self.call_value(&make, args))
    }

    /// What a class itself does as a container: members of an enumeration.
    pub fn enum_members(&self, class_value: &V) -> Option<Vec<V>> {
        let class = self.class(class_value).filter(|c| !c.open)?;
        match class.attrs.iter().find(|(n, _)| &*n.text() == enums::MEMBERS) {
            Some((_, V::Tuple(t))) => match &**t {
                Tuple::Exact(all) => Some(all.clone()),
                Tuple::Bag { .. } => None,
            },
            _ => None,
        }
    }

    /// `Color["RED"]`.
    pub fn enum_item(&mut self, class: &Class, members: &[V], index: &V) -> R<V> {
        let V::Str(name) = index else {
            self.may_raise_class("");
            self.store.escape(index);
            return Ok(V::Unknown(Why::Lost));
        };
        let name = Sym::new(name);
        let found = class.attrs.iter().find(|(n, v)| *n == name && members.contains(v));
        if let Some((_, member)) = found {
            return Ok(member.clone());
        }
        Err(Stop::Raise(V::exception("KeyError")))
    }
}

fn is_lib(value: &V, name: &str) -> bool {
    matches!(value, V::Lib(n) if &*n.text() == name)
}

fn is_root(value: &V) -> bool {
    matches!(value, V::Lib(n) if matches!(&*n.text(), "object" | "abc.ABC" | "typing.Generic" | "typing.Protocol"))
}
