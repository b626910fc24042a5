//! `match` statements.

use std::rc::Rc;

use crate::library::R;
use crate::syntax::code::{CompareOp, Const, NameId, Pattern, PatternId};
use crate::value::object::{DictKind, Items, Obj, Sym, Table, Tuple, V, Why};

use super::machine::Machine;

impl Machine<'_> {
    /// Whether the subject matches; captures are stored by their place in `captures`.
    pub fn match_pattern(&mut self, id: PatternId, subject: &V, operands: &[V], captures: &[NameId], bound: &mut [V]) -> R<Option<bool>> {
        self.burn(1)?;
        if let V::OneOf(_) | V::Unknown(_) | V::Instance(..) = subject {
            return self.match_unknown(id, subject, captures, bound);
        }
        let program = self.program;
        match &program.patterns[id.0 as usize] {
            Pattern::Value(n) => {
                let same = self.compare_values(CompareOp::Eq, subject, &operands[*n as usize])?;
                self.truth_value(&same)
            }
            Pattern::Singleton(literal) => {
                let expected = match literal {
                    Const::None => V::None,
                    Const::Bool(b) => V::Bool(*b),
                    _ => return Ok(None),
                };
                let same = self.compare_values(CompareOp::Is, subject, &expected)?;
                self.truth_value(&same)
            }
            Pattern::Capture(name) => {
                if let Some(name) = name {
                    bind(captures, bound, *name, subject.clone());
                }
                Ok(Some(true))
            }
            Pattern::As(inner, name) => {
                let matched = self.match_pattern(*inner, subject, operands, captures, bound)?;
                bind(captures, bound, *name, subject.clone());
                Ok(matched)
            }
            Pattern::Or(parts) => {
                for part in parts {
                    match self.match_pattern(*part, subject, operands, captures, bound)? {
                        Some(true) => return Ok(Some(true)),
                        Some(false) => {}
                        None => return self.match_unknown(id, subject, captures, bound),
                    }
                }
                Ok(Some(false))
            }
            Pattern::Sequence(parts, star) => {
                let items = match subject {
                    V::Tuple(t) => match &**t {
                        Tuple::Exact(items) => items.clone(),
                        Tuple::Bag { .. } => return self.match_unknown(id, subject, captures, bound),
                    },
                    V::Ref(r) => match self.store.get(*r) {
                        Obj::List(items) if items.rest.is_none() => items.exact.clone(),
                        Obj::List(_) | Obj::Deque(..) | Obj::Instance { .. } | Obj::Escaped(_) => {
                            return self.match_unknown(id, subject, captures, bound);
                        }
                        _ => return Ok(Some(false)),
                    },
                    V::Range(_) | V::Lib(_) => return self.match_unknown(id, subject, captures, bound),
                    _ => return Ok(Some(false)),
                };
                let n = parts.len();
                let fits = if star.is_some() { items.len() >= n } else { items.len() == n };
                if !fits {
                    return Ok(Some(false));
                }
                let at = star.map_or(n, |(at, _)| at as usize);
                let extra = items.len() - n;
                let mut all = Some(true);
                for (i, part) in parts.iter().enumerate() {
                    let item = if i < at { &items[i] } else { &items[i + extra] };
                    match self.match_pattern(*part, item, operands, captures, bound)? {
                        Some(true) => {}
                        Some(false) => return Ok(Some(false)),
                        None => all = None,
                    }
                }
                if let Some((_, Some(name))) = star {
                    let middle = items[at..at + extra].to_vec();
                    let list = self.alloc(Obj::List(Rc::new(Items { exact: middle, rest: None })));
                    bind(captures, bound, *name, list);
                }
                Ok(all)
            }
            Pattern::Mapping(entries, rest) => {
                let table = match self.obj(subject) {
                    Some(Obj::Dict(table, _)) if table.rest.is_none() => table.clone(),
                    Some(Obj::Dict(..) | Obj::Instance { .. } | Obj::Escaped(_)) => {
                        return self.match_unknown(id, subject, captures, bound);
                    }
                    _ if matches!(subject, V::Lib(_)) => return self.match_unknown(id, subject, captures, bound),
                    _ => return Ok(Some(false)),
                };
                let mut left: Table = (*table).clone();
                let mut all = Some(true);
                for (key, part) in entries {
                    let Some(key) = self.key_of(&operands[*key as usize])? else { return self.match_unknown(id, subject, captures, bound) };
                    let Some((_, value)) = table.exact.get(&key).cloned() else { return Ok(Some(false)) };
                    left.exact.shift_remove(&key);
                    match self.match_pattern(*part, &value, operands, captures, bound)? {
                        Some(true) => {}
                        Some(false) => return Ok(Some(false)),
                        None => all = None,
                    }
                }
                if let Some(name) = rest {
                    let dict = self.alloc(Obj::Dict(Rc::new(left), DictKind::Plain));
                    bind(captures, bound, *name, dict);
                }
                Ok(all)
            }
            Pattern::Class(class, positional, keyword) => {
                let class = operands[*class as usize].clone();
                match self.instance_of(subject, &class) {
                    Some(false) => return Ok(Some(false)),
                    None => return self.match_unknown(id, subject, captures, bound),
                    Some(true) => {}
                }
                let mut all = Some(true);
                let mut parts: Vec<(Sym, PatternId)> = keyword.iter().map(|(n, p)| (self.name(*n), *p)).collect();
                if let V::Lib(_) = class {
                    // `int(x)` and its like capture the subject itself.
                    if positional.len() == 1 && subject.type_name().is_some() {
                        return self.match_pattern(positional[0], subject, operands, captures, bound);
                    }
                    if !positional.is_empty() {
                        return self.match_unknown(id, subject, captures, bound);
                    }
                } else if !positional.is_empty() {
                    let names = self.load_attr(&class, Sym::new("__match_args__"))?;
                    let V::Tuple(t) = &names else { return self.match_unknown(id, subject, captures, bound) };
                    let Tuple::Exact(names) = &**t else { return self.match_unknown(id, subject, captures, bound) };
                    for (i, p) in positional.iter().enumerate() {
                        match names.get(i) {
                            Some(V::Str(s)) => parts.push((Sym::new(s), *p)),
                            _ => return self.match_unknown(id, subject, captures, bound),
                        }
                    }
                }
                for (name, part) in parts {
                    let value = match self.load_attr(subject, name) {
                        Ok(v) => v,
                        Err(crate::library::Stop::Raise(_)) => return Ok(Some(false)),
                        Err(stop) => return Err(stop),
                    };
                    match self.match_pattern(part, &value, operands, captures, bound)? {
                        Some(true) => {}
                        Some(false) => return Ok(Some(false)),
                        None => all = None,
                    }
                }
                Ok(all)
            }
        }
    }

    /// Whether it matches is open: what it would capture is unknown.
    fn match_unknown(&mut self, id: PatternId, subject: &V, captures: &[NameId], bound: &mut [V]) -> R<Option<bool>> {
        let plain = match &self.program.patterns[id.0 as usize] {
            Pattern::Capture(Some(name)) => Some(*name),
            Pattern::Capture(None) => return Ok(Some(true)),
            _ => None,
        };
        if let Some(name) = plain {
            bind(captures, bound, name, subject.clone());
            return Ok(Some(true));
        }
        self.store.escape(subject);
        self.may_raise_class("");
        for name in self.program.pattern_captures(id) {
            bind(captures, bound, name, V::Unknown(subject.why().unwrap_or(Why::Lost)));
        }
        Ok(None)
    }
}

fn bind(captures: &[NameId], bound: &mut [V], name: NameId, value: V) {
    if let Some(at) = captures.iter().position(|n| *n == name) {
        bound[at] = value;
    }
}
