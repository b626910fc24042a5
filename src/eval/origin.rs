//! Where what is not exact comes from: each result is said to come from the world outside, where whatever it may be by itself
//! comes about, or to be lost track of.

use std::hash::Hash;

use crate::library::{Args, Next, R};
use crate::syntax::code::{BinaryOp, CompareOp, NameId};
use crate::value::object::{DictKind, Obj, Source, V, Why};

use super::machine::Machine;

/// What draws anew each time.
const DRAWS: &[&str] = &["random.", "secrets.", "uuid.", "numpy.random."];

/// What the world outside decides.
const WORLD: &[&str] = &[
    "argparse.",
    "asyncio.",
    "builtins.input",
    "concurrent.",
    "datetime.",
    "file.",
    "getpass.",
    "glob.",
    "http",
    "input",
    "io.",
    "multiprocessing.",
    "open",
    "os.",
    "pathlib.",
    "platform.",
    "psutil.",
    "queue.",
    "requests.",
    "select.",
    "shutil.",
    "signal.",
    "socket.",
    "stdin.",
    "subprocess.",
    "sys.",
    "tempfile.",
    "threading.",
    "time.",
    "urllib",
];

/// What draws from a list, a step or weights: not each value within the bounds of the result comes up.
const DRAWS_FROM: &[&str] = &["choice", "choices", "sample", "randrange", "shuffle", "permutation"];

/// What a number from outside can be, the results of these on it can be.
const KEEPS: &[&str] = &["abs", "bool", "float", "int", "math.ceil", "math.fabs", "math.floor", "math.sqrt", "math.trunc", "round"];

fn begins(name: &str, with: &[&str]) -> bool {
    with.iter().any(|start| name.starts_with(start))
}

impl Machine<'_> {
    /// The place in the code, with those of the calls around it.
    fn place(&self) -> Source {
        Source::of(&self.frames)
    }

    /// A global by name.
    pub fn traced_name(&self, value: V, name: NameId) -> V {
        if value.is_exact() { value } else { value.traced(Source::of(&*self.name(name).text())) }
    }

    /// An attribute or item that was loaded. `name`: which, where that is known.
    fn traced_part(of: &V, name: Option<impl Hash>, value: V) -> V {
        match (value.why(), of.why()) {
            (Some(Why::OUTSIDE), None) => match name {
                Some(name) if !matches!(of, V::Ref(_)) => value.traced(Source::of(name)),
                _ => value.traced(Source::of("part")),
            },
            (Some(Why::Outside(part)), Some(Why::Outside(whole))) if part == whole => match name {
                Some(name) => value.map_why(|_| Why::Outside(whole.part(&name))),
                None => value,
            },
            (Some(Why::OUTSIDE), Some(Why::Outside(whole))) => value.traced(whole),
            _ => value,
        }
    }

    /// An attribute.
    pub fn traced_attribute(&self, of: &V, name: NameId, value: V) -> V {
        Self::traced_part(of, Some(&*self.name(name).text()), value)
    }

    /// An item at a place that may be known.
    pub fn traced_item(&self, of: &V, index: &V, value: V) -> V {
        match index {
            _ if value.is_exact() => value,
            V::Int(n) => Self::traced_part(of, Some(*n), value),
            V::Str(s) => Self::traced_part(of, Some(&**s), value),
            V::Slice(_) if index.is_exact() && !matches!(of, V::Ref(_)) => value,
            _ => value.lost(),
        }
    }

    /// A call, with where its result and what it may have raised come from.
    pub fn call_traced(&mut self, callable: &V, args: Args) -> R<V> {
        let inputs = args.pos.clone();
        let value = self.call_value(callable, args)?;
        self.fails_in(callable, &inputs);
        Ok(self.traced_result(callable, &inputs, value))
    }

    /// What a call gave.
    fn traced_result(&self, callable: &V, args: &[V], value: V) -> V {
        let Some(why) = value.why() else { return value };
        let name = match callable {
            V::Lib(name) => name.text(),
            V::Unknown(of) | V::Instance(_, of) => return value.map_why(|why| if why == Why::OUTSIDE { *of } else { why }),
            _ if why == Why::OUTSIDE => return value.traced(self.place()),
            _ => return value,
        };
        let inputs = Why::of_all(args.iter().filter_map(V::why));
        let heap = args.iter().any(|v| matches!(v, V::Ref(id) if !matches!(self.store.get(*id), Obj::Function(_))));
        let last = name.rsplit('.').next().unwrap_or_default();
        if begins(&name, DRAWS) {
            let whole =
                !DRAWS_FROM.contains(&last) || matches!(value, V::AnyBool(_) | V::Unknown(_)) || last == "randrange" && args.len() < 3;
            let any = inputs.is_none() && whole;
            let place = self.place();
            return if any { value.map_why(|_| Why::Outside(place)) } else { value.lost() };
        }
        let number = args.iter().any(|v| matches!(v, V::Ints(_) | V::Floats(_) | V::AnyBool(_)));
        match inputs {
            Some(_) if number && !KEEPS.contains(&&*name) => value.lost(),
            None if begins(&name, WORLD) => value.traced(Source::of(&*name)),
            // What is known, or in a container, gives what follows from it.
            None => value.lost(),
            Some(_) if heap && !begins(&name, WORLD) => value.lost(),
            Some(inputs) => value.map_why(|why| if why == Why::OUTSIDE || why == inputs { inputs } else { Why::Lost }),
        }
    }

    /// What may have been raised hangs on this.
    fn fails(&mut self, why: Why) {
        if let Some(store) = self.raised.as_mut().and_then(|raised| raised.store.as_mut()) {
            store.path.lost |= !store.path.decided.decides(why);
        }
    }

    /// What may have been raised hangs on these operands.
    pub fn fails_by(&mut self, operands: &[&V]) {
        if self.raised.is_some() {
            self.fails(Why::of_all(operands.iter().filter_map(|v| v.why())).unwrap_or(Why::Lost));
        }
    }

    /// What may have been raised hangs on this item being there.
    pub fn fails_at(&mut self, object: &V, index: &V) {
        if self.raised.is_none() {
            return;
        }
        if matches!(object, V::Ref(_)) && !self.is_whole(object) {
            self.fails(Why::Lost);
        } else {
            self.fails_by(&[object, index]);
        }
    }

    /// What may have been raised hangs on what the call was given, or on the world outside.
    fn fails_in(&mut self, callable: &V, args: &[V]) {
        if self.raised.is_none() {
            return;
        }
        match callable {
            V::Lib(name) => {
                let name = name.text();
                let why = if begins(&name, WORLD) || begins(&name, DRAWS) {
                    Why::Outside(Source::of(&*name).part("fails"))
                } else if args.iter().any(|v| matches!(v, V::Ref(_))) {
                    Why::Lost
                } else {
                    Why::of_all(args.iter().filter_map(V::why)).unwrap_or(Why::Lost)
                };
                self.fails(why);
            }
            V::Unknown(why) | V::Instance(_, why) => self.fails(*why),
            _ => {}
        }
    }

    /// What an operator gave.
    pub fn traced_binary(op: BinaryOp, a: &V, b: &V, value: V) -> V {
        let Some(Why::Outside(_)) = value.why() else { return value };
        let one = a.is_exact() != b.is_exact();
        let whole = match op {
            BinaryOp::Add | BinaryOp::Sub => !matches!(value, V::Strs(_) | V::ManyBytes(_)),
            BinaryOp::Mod => matches!(value, V::Ints(_) | V::Floats(_) | V::Unknown(_) | V::AnyBool(_)) && b.is_exact(),
            BinaryOp::FloorDiv | BinaryOp::TrueDiv => b.is_exact(),
            BinaryOp::Mul => matches!(value, V::Floats(_)),
            _ => false,
        };
        if one && whole || (a.is_exact() && b.is_exact()) { value } else { value.lost() }
    }

    /// What a comparison gave.
    pub fn traced_comparison(&self, op: CompareOp, a: &V, b: &V, value: V) -> V {
        let V::AnyBool(_) = value else { return value };
        let lost = V::AnyBool(Why::Lost);
        match (a.why(), b.why()) {
            (Some(x), Some(y)) => match op {
                CompareOp::In | CompareOp::NotIn => lost,
                _ => V::AnyBool(x.between(y)),
            },
            (None, None) => lost,
            _ => match (op, a, b) {
                (CompareOp::In | CompareOp::NotIn, _, V::Ref(_)) if !self.is_whole(b) => lost,
                (CompareOp::Eq | CompareOp::Ne, V::Floats(_), _) | (CompareOp::Eq | CompareOp::Ne, _, V::Floats(_)) => lost,
                _ => value,
            },
        }
    }

    /// Whether all that is in a container is known.
    fn is_whole(&self, container: &V) -> bool {
        match self.obj(container) {
            Some(Obj::List(items)) => items.rest.is_none() && items.exact.iter().all(V::is_exact),
            Some(Obj::Set(table, _) | Obj::Dict(table, DictKind::Plain | DictKind::Ordered)) => {
                table.rest.is_none() && table.exact.values().all(|(key, _)| key.is_exact())
            }
            _ => false,
        }
    }

    /// What a loop gets next. Whether it gets anything may be for the world outside to decide.
    pub fn traced_next(&self, next: Next) -> (Next, Why) {
        let place = self.place();
        match next {
            Next::Item(value) => (Next::Item(value.traced(place)), Why::Lost),
            Next::Maybe(value) => {
                let why = match value.why() {
                    Some(Why::OUTSIDE) => Why::Outside(place.part("next")),
                    Some(Why::Outside(source)) => Why::Outside(source.part("next")),
                    _ => Why::Lost,
                };
                (Next::Maybe(value.traced(place)), why)
            }
            Next::End => (Next::End, Why::Lost),
        }
    }
}
