//! Functions that code in strings defines. What such a function does is found by evaluating the text with the call behind it, as a program of
//! its own.

use crate::library::modules::{TEXT_CALL, is_standard};
use crate::library::{Args, R, Stop};
use crate::syntax::Program;
use crate::syntax::code::{Code, CodeKind, Const, NameId, Op};
use crate::value::object::{DictKind, Obj, ObjId, Source, Sym, V, Why};

use super::dynamic::{BUILTINS, KEEPING_NOTHING, builtins, plain};
use super::machine::{Machine, constant};

/// What a text that only defines something leaves behind.
pub enum Defined {
    /// A function.
    Function,
    /// A plain value.
    Value(Const),
    /// A module, or something out of one.
    Imported,
}

/// The names that a program defines, where it does nothing else.
pub fn defined_by(program: &Program) -> Option<Vec<(NameId, Defined)>> {
    let module = program.codes.first()?;
    let is_plain = module.ops.iter().all(|op| match op {
        Op::Import(name, 0, _) => is_standard(program.name(*name).split('.').next().unwrap_or_default()),
        Op::Const(_) | Op::MakeFunction(_) | Op::StoreGlobal(_) | Op::ImportFrom(_) | Op::Pop | Op::Nop | Op::Return => true,
        _ => false,
    });
    if !is_plain || program.codes[1..].iter().any(writes_globals) {
        return None;
    }
    let mut defined: Vec<(NameId, Defined)> = Vec::new();
    for pair in module.ops.windows(2) {
        let Op::StoreGlobal(name) = pair[1] else { continue };
        let what = match pair[0] {
            Op::MakeFunction(code) if program.codes[code.0 as usize].name == name => Defined::Function,
            Op::Const(value) => Defined::Value(program.consts[value.0 as usize].clone()),
            Op::Import(..) | Op::ImportFrom(_) => Defined::Imported,
            _ => return None,
        };
        if defined.iter().any(|(known, _)| *known == name) {
            return None;
        }
        defined.push((name, what));
    }
    Some(defined)
}

fn writes_globals(code: &Code) -> bool {
    code.kind == CodeKind::Class || code.ops.iter().any(|op| matches!(op, Op::StoreGlobal(_) | Op::DeleteGlobal(_)))
}

/// Whether a program is a lambda.
pub fn is_lambda(program: &Program) -> bool {
    let Some(module) = program.codes.first() else { return false };
    let is_made = module.ops.iter().filter(|op| matches!(op, Op::MakeFunction(_))).count() == 1;
    is_made && module.ops.iter().all(|op| matches!(op, Op::MakeFunction(_) | Op::Const(_) | Op::Pop | Op::Nop | Op::Return))
}

/// The value of an imported name: one that the program gives it instead is another.
fn imported(text: &str, name: &str) -> V {
    V::Unknown(Why::Outside(Source::of((text, name))))
}

impl Machine<'_> {
    /// A function that a text defines: `text, function, namespace`, to be called with its arguments behind them. The text is the program that
    /// defines it, and the function an expression; without a namespace its globals are those of the program.
    pub fn text_function(&mut self, text: &str, function: &str, namespace: Option<&V>) -> V {
        let parts = vec![V::str(text), V::str(function), namespace.cloned().unwrap_or(V::None)];
        self.alloc(Obj::Partial { function: V::lib(TEXT_CALL), args: std::rc::Rc::new(parts), keywords: std::rc::Rc::default() })
    }

    /// What a text leaves in its namespace that only defines something.
    pub fn define(&mut self, text: &str, program: &Program, defined: &[(NameId, Defined)], namespace: Option<&V>) -> R<()> {
        if let Some(namespace) = namespace {
            self.store_item(namespace, &V::str(BUILTINS), builtins())?;
        }
        for (name, what) in defined {
            let name = program.name(*name);
            let value = match what {
                Defined::Function => self.text_function(text, name, namespace),
                Defined::Value(value) => constant(value),
                Defined::Imported => imported(text, name),
            };
            match namespace {
                Some(namespace) => self.store_item(namespace, &V::str(name), value)?,
                None => match self.program.names.iter().position(|known| **known == *name) {
                    Some(id) => {
                        let before = self.store.global(id as u32);
                        self.store.escape(&before);
                        self.store.set_global(id as u32, value);
                    }
                    None => self.more_globals = true,
                },
            }
        }
        Ok(())
    }

    /// Whether what a text defined is still what it left behind, by name.
    fn is_as_defined(&self, text: &str, name: &str, what: &Defined, now: &V) -> bool {
        match what {
            Defined::Function => match self.obj(now) {
                Some(Obj::Partial { function: V::Lib(lib), args, .. }) => {
                    &*lib.text() == TEXT_CALL && args[0] == V::str(text) && args[1] == V::str(name)
                }
                _ => false,
            },
            Defined::Value(value) => *now == constant(value),
            Defined::Imported => *now == imported(text, name),
        }
    }

    /// What a name stands for in a namespace.
    fn name_in(&self, namespace: Option<ObjId>, name: &str) -> V {
        match namespace {
            None => {
                let id = self.program.names.iter().position(|known| **known == *name);
                id.map_or(V::Undef, |id| self.store.global(id as u32))
            }
            Some(id) => match self.store.get(id) {
                Obj::Dict(table, DictKind::Plain) if table.rest.is_none() => {
                    let found = table.exact.values().find(|(key, _)| *key == V::str(name));
                    found.map_or(V::Undef, |(_, value)| value.clone())
                }
                _ => V::Unknown(Why::Lost),
            },
        }
    }

    /// Calls a function that a text defines.
    pub fn call_of_text(&mut self, args: &Args) -> R<V> {
        if let [V::Str(text), V::Str(function), namespace, given @ ..] = args.pos.as_slice()
            && args.kw.is_empty()
            && !args.open
            && self.is_alone()
            && let Some(ended) = self.never_returns_from(&text.clone(), &function.clone(), &namespace.clone(), given)?
        {
            self.store.escape_all(given);
            self.may_raise_class("");
            return if ended { Err(Stop::Dead) } else { Ok(V::Unknown(Why::Lost)) };
        }
        self.store.escape_all(&args.values());
        if matches!(args.pos.get(2), None | Some(V::None)) {
            self.give_up_globals();
        }
        self.store.path.interruptible = true;
        self.may_raise_class("");
        Ok(V::Unknown(Why::Lost))
    }

    /// Whether the call never ends, where it finds nothing but plain values and what its text defined, so that it changes nothing.
    fn never_returns_from(&mut self, text: &str, function: &str, namespace: &V, given: &[V]) -> R<Option<bool>> {
        let Some((_, program)) = self.parse_text(text)? else { return Ok(None) };
        let namespace = match namespace {
            V::None => None,
            V::Ref(id) => Some(*id),
            _ => return Ok(None),
        };
        let defined = if text.is_empty() { Some(Vec::new()) } else { defined_by(&program) };
        let (Some(defined), Some(mut names)) = (defined, self.given(namespace.map(V::Ref).as_ref(), false)) else { return Ok(None) };
        for (name, what) in &defined {
            let name = program.name(*name);
            if !self.is_as_defined(text, name, what, &self.name_in(namespace, name)) {
                return Ok(None);
            }
            names.retain(|(known, _)| known != name);
        }
        let mut call = format!("{text}\n{function}(");
        for (at, value) in given.iter().enumerate() {
            let name = format!("argument_{at}_of_the_call");
            if text.contains(&name) || function.contains(&name) {
                return Ok(None);
            }
            call += &name;
            call += ", ";
            names.push((name, plain(value)));
        }
        call += ")\n";
        if !self.can_evaluate(&names) {
            return Ok(None);
        }
        let Some((source, whole)) = self.parse_text(&call)? else { return Ok(None) };
        // Whatever else it uses could be changed by it.
        let is_own = |name: NameId| {
            let name = whole.name(name);
            let is_given = names.iter().any(|(known, value)| known == name && (value.is_some() || name.ends_with("_of_the_call")));
            is_given || defined.iter().any(|(known, _)| program.name(*known) == name) || self.keeps_nothing(namespace, name)
        };
        let uses_own = whole.codes.iter().all(|code| {
            code.ops.iter().all(|op| match op {
                Op::LoadGlobal(name) | Op::LoadName(name) => is_own(*name),
                _ => true,
            })
        });
        if !uses_own {
            return Ok(None);
        }
        let never_ends = self.evaluate_inner(&source, &whole, names, namespace.is_none(), text)?;
        // What it imported may have been changed by it.
        let is_over = never_ends || defined.iter().all(|(_, what)| !matches!(what, Defined::Imported));
        Ok(is_over.then_some(never_ends))
    }

    fn keeps_nothing(&self, namespace: Option<ObjId>, name: &str) -> bool {
        KEEPING_NOTHING.contains(&name) && self.name_in(namespace, name) == V::Undef && !self.store.is_patched(Sym::new(name))
    }

    /// Whether nothing but the program's main thread runs what is evaluated, here and now.
    fn is_alone(&self) -> bool {
        self.beside.is_empty() && !self.defined_only && self.settings.history.is_none()
    }
}
