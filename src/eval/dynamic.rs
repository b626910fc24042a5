//! Code in strings: what is known of it is evaluated as a program of its own, and what is not is said to be unknown.

use std::sync::Arc;

use crate::fact::{Fact, FactKind, Measure, Proof, Reach, Unit};
use crate::library::{Args, R, Stop};
use crate::source::Source;
use crate::syntax::code::{Code, CodeId, Const, NameId, Op, Pc};
use crate::syntax::{self, Program, Span};
use crate::value::object::{DictKind, Obj, Sym, V, Why};

use super::machine::{Exit, Machine};
use super::{Facts, Settings, text_functions};

/// A part of the fuel that is left goes to the code in one string.
const SHARE: u64 = 8;

/// With less fuel than this the code is not looked at.
const LEAST_FUEL: u64 = 5_000;

/// Fuel for parsing, by byte.
const PARSING: u64 = 4;

/// Longer texts are not looked at.
const LONGEST: usize = 1 << 14;

/// The namespace of the builtins, by the name under which every namespace of code has it.
pub const BUILTINS: &str = "__builtins__";

/// What stands for the namespace of the module.
const OF_MODULE: &str = "text.module";

/// Builtins that leave nothing behind.
pub const KEEPING_NOTHING: &[&str] = &[
    "Exception",
    "IndexError",
    "KeyError",
    "RuntimeError",
    "StopIteration",
    "TypeError",
    "ValueError",
    "ZeroDivisionError",
    "abs",
    "all",
    "any",
    "bin",
    "bool",
    "chr",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "hex",
    "int",
    "isinstance",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "ord",
    "pow",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
];

/// A name that the code finds, with its value where that is plain.
pub type Given = (String, Option<Const>);

impl Machine<'_> {
    /// `exec` and `eval`: with a namespace of its own the code reaches ours only through what it is given.
    pub fn run_text(&mut self, callee: &str, args: &Args) -> R<V> {
        let namespace = args.get(1, "globals").filter(|v| !matches!(v, V::None)).cloned();
        let of_module = matches!(&namespace, Some(V::Instance(name, _)) if &*name.text() == OF_MODULE);
        let namespace = namespace.filter(|_| !of_module);
        let own = match &namespace {
            Some(V::Ref(id)) => match self.store.get(*id) {
                Obj::Dict(..) => true,
                Obj::Escaped(kind) => &*kind.text() == "dict",
                _ => false,
            },
            _ => false,
        };
        let code = args.get(0, "source").or_else(|| args.get(0, "object")).cloned();
        let text = code.as_ref().and_then(|code| self.text_of_code(code, callee));
        let alone = text.as_ref().is_some_and(|text| names_nothing(text));
        let given = if alone {
            Some(Vec::new())
        } else if namespace.is_none() || own {
            self.given(namespace.as_ref(), !of_module)
        } else {
            None
        };
        let mut ended = Ok(());
        let mut stored = None;
        match (text, given) {
            (Some(text), Some(given)) if alone || args.pos.len() + args.kw.len() <= 2 => {
                let at_top = of_module || self.frames.len() == 1;
                if let Some(made) = self.only_defines(&text, callee, &given, namespace.as_ref(), at_top)? {
                    return Ok(made);
                }
                match self.evaluate_text(&text, callee, given, namespace.is_none()) {
                    Ok(names) => stored = names,
                    Err(stop) => ended = Err(stop),
                }
            }
            (Some(_), _) => {}
            (None, _) => {
                let words = [("callee", callee.to_owned())];
                self.report(FactKind::DynamicCode, None, None, Proof::Proven, &words);
            }
        }
        self.may_raise_class("");
        // Of code that is plain all through it is known what it assigns.
        if let Some(names) = stored {
            if own {
                self.store.escape_all(&args.values());
            } else {
                self.more_globals |= names.iter().any(|name| !self.program.names.contains(name));
                let ids = names.iter().filter_map(|name| self.program.names.iter().position(|known| known == name));
                for id in ids.collect::<Vec<_>>() {
                    let value = self.store.global(id as u32);
                    self.store.escape(&value);
                    self.store.make_wild(id as u32);
                }
            }
            return Ok(V::Unknown(Why::Lost));
        }
        self.store.escape_all(&args.values());
        if !own {
            self.give_up_globals();
        }
        self.store.path.interruptible = true;
        ended.map(|()| V::Unknown(Why::Lost))
    }

    /// The text behind what `exec` and `eval` are given: a string, or what `compile` made of one.
    fn text_of_code(&self, code: &V, callee: &str) -> Option<String> {
        let text = match code {
            V::Str(text) => text.to_string(),
            V::Ref(id) => match self.store.get(*id) {
                Obj::Instance { class: V::Lib(class), attrs } if &*class.text() == "types.CodeType" => {
                    match crate::library::modules::attribute(attrs, "-text") {
                        Some(V::Str(text)) => text.to_string(),
                        _ => return None,
                    }
                }
                _ => return None,
            },
            _ => return None,
        };
        // It may be indented, as code may not.
        let text = if callee == "eval" { text.trim_matches([' ', '\t', '\n']).to_owned() } else { text };
        (text.len() <= LONGEST).then_some(text)
    }

    /// The names a text finds: those of the module, and `here` those of the function that it stands in, or those in the dict it is given.
    pub fn given(&mut self, namespace: Option<&V>, here: bool) -> Option<Vec<Given>> {
        let mut given = Vec::new();
        match namespace {
            None => {
                for id in 0..self.names.len() as u32 {
                    let value = self.store.global(id);
                    if !matches!(value, V::Undef) {
                        given.push((self.program.names[id as usize].to_string(), plain(&value)));
                    }
                }
                // The variables of a function come before those of the module.
                let slots = if here && self.frames.len() > 1 { self.code(self.spot().code).slots.clone() } else { Vec::new() };
                for name in slots {
                    let name = self.program.name(name).to_owned();
                    given.retain(|(known, _)| *known != name);
                    given.push((name, None));
                }
            }
            Some(V::Ref(id)) => match self.store.get(*id) {
                Obj::Dict(table, _) if table.rest.is_none() => {
                    for (key, value) in table.exact.values() {
                        let V::Str(name) = key else { return None };
                        if &**name != BUILTINS || *value != builtins() {
                            given.push((name.to_string(), plain(value)));
                        }
                    }
                }
                _ => return None,
            },
            Some(_) => return None,
        }
        Some(given)
    }

    fn evaluate_text(&mut self, text: &str, callee: &str, given: Vec<Given>, shares: bool) -> R<Option<Vec<Arc<str>>>> {
        if !self.can_evaluate(&given) {
            return Ok(None);
        }
        let Some((source, program)) = self.parse_text(text)? else { return Ok(None) };
        // With builtins of their own, only the names are known that are given.
        if is_named(&given, BUILTINS) && !finds_only(&program, &given) {
            return Ok(None);
        }
        if callee == "eval" && !matches!(program.form, syntax::code::Form::Expression) {
            return Ok(None);
        }
        let plain: Vec<String> = given.iter().filter(|(_, known)| known.is_some()).map(|(name, _)| name.clone()).collect();
        if self.evaluate_inner(&source, &program, given, shares, &source.text)? {
            self.may_raise_class("");
            return Err(Stop::Dead);
        }
        Ok(stored_by(&program, &plain))
    }

    /// Evaluates a program within this one; whether it never ends. `known`: the part of it that the source may hold as it is.
    pub fn evaluate_inner(&mut self, source: &Source, program: &Program, given: Vec<Given>, shares: bool, known: &str) -> R<bool> {
        let mut limits = self.settings.limits;
        let spent = self.store.path.cost;
        limits.timeout = (limits.timeout - spent).max(0.0);
        let is_main = self.settings.is_main && shares;
        let fuel = self.fuel / SHARE;
        let settings = Settings { limits, is_main, fuel, describe: false, given, ..self.settings.clone() };
        let facts = super::evaluate(&source.text, program, &settings);
        self.burn(facts.fuel_spent.min(self.fuel / 2))?;
        self.report_inner(&facts, known, spent);
        self.store.path.cost += facts.floor;
        Ok(facts.never_ends)
    }

    /// Whether `exec` takes at once what is being evaluated, as its namespace, and nothing else does.
    pub fn is_namespace_of_exec(&self) -> bool {
        let spot = self.spot();
        let own = self.code(spot.code);
        let at = spot.pc as usize + 1;
        let is_builtin = self.program.names.iter().position(|name| &**name == "exec").is_some_and(|name| {
            let id = NameId(name as u32);
            let is_loaded = |(code, pc): (CodeId, Pc)| matches!(self.code(code).ops[pc as usize], Op::LoadGlobal(_));
            let is_variable = |code: &Code| code.slots.contains(&id) || code.cells.iter().any(|(cell, _)| *cell == id);
            let is_patched = self.store.is_patched(Sym::new("exec")) || self.store.builtins_open;
            let is_global = self.program.places_of(id).all(is_loaded) && !self.program.codes.iter().any(is_variable);
            is_global && !is_patched && matches!(self.store.global(name as u32), V::Undef)
        });
        is_builtin && matches!(own.ops.get(at), Some(Op::Call(2, None))) && self.source_text(own.spans[at]).starts_with("exec(")
    }

    /// Whether there is fuel to evaluate a text that finds these names.
    pub fn can_evaluate(&self, given: &[Given]) -> bool {
        let patched = self.store.builtins_open && !given.is_empty();
        self.fuel / SHARE >= LEAST_FUEL && !patched && given.iter().all(|(name, _)| name.is_ascii())
    }

    /// Takes in a text that only defines something: what `exec` and `eval` give then. `at_top`: without a namespace, it does so for the module.
    fn only_defines(&mut self, text: &str, callee: &str, given: &[Given], namespace: Option<&V>, at_top: bool) -> R<Option<V>> {
        let is_exact = match namespace {
            None => at_top,
            Some(V::Ref(id)) => matches!(self.store.get(*id), Obj::Dict(_, DictKind::Plain)) && !self.store.is_summary(*id),
            Some(_) => false,
        };
        if !is_exact || !text.contains("def ") && !text.starts_with("lambda") || is_named(given, BUILTINS) || !self.can_evaluate(given) {
            return Ok(None);
        }
        let Some((_, program)) = self.parse_text(text)? else { return Ok(None) };
        if callee == "eval" {
            return Ok(text_functions::is_lambda(&program).then(|| self.text_function("", &format!("({text})"), namespace)));
        }
        let Some(defined) = text_functions::defined_by(&program) else { return Ok(None) };
        self.define(text, &program, &defined, namespace)?;
        Ok(Some(V::None))
    }

    /// The program in a text. What CPython takes for none is an exception there.
    pub fn parse_text(&mut self, text: &str) -> R<Option<(Source, Program)>> {
        let Ok(source) = Source::from_text("<string>", text) else { return Ok(None) };
        let (source, program) = syntax::parse(source);
        self.burn(text.len() as u64 * PARSING)?;
        let whole = program.errors.is_empty() && program.not_analysed.is_none() && !source.is_rescued() && program.magics.is_empty();
        Ok(whole.then_some((source, program)))
    }

    /// At least how many seconds a text takes as a program in a process of its own, infinite where it never ends; and how many bytes it
    /// writes at least, where it ends.
    pub fn lasts_as_program(&mut self, text: &str) -> R<(f64, f64)> {
        let fuel = self.fuel / SHARE;
        if fuel < LEAST_FUEL || text.len() > LONGEST {
            return Ok((0.0, 0.0));
        }
        let Some((source, program)) = self.parse_text(text)? else { return Ok((0.0, 0.0)) };
        let settings =
            Settings { is_main: true, is_file: false, is_bare: false, fuel, describe: false, given: Vec::new(), ..self.settings.clone() };
        let facts = super::evaluate(&source.text, &program, &settings);
        self.burn(facts.fuel_spent.min(self.fuel / 2))?;
        let surely = facts.facts.iter().any(|fact| is_endless(fact) && fact.reach == Reach::Always);
        Ok(if facts.never_ends && surely { (f64::INFINITY, 0.0) } else { (facts.floor, facts.written) })
    }

    /// What was found in a string is said of its place in the source where the string is a literal that reads like its value,
    /// and of the call where it is not.
    fn report_inner(&mut self, facts: &Facts, text: &str, spent: f64) {
        let call = self.span(self.spot());
        let mut found = self.source_text(call).match_indices(text).filter(|_| !text.is_empty()).map(|(at, _)| call.start + at as u32);
        let start = match (found.next(), found.next()) {
            (Some(at), None) => Some(at),
            _ => None,
        };
        for fact in facts.facts.iter().filter(|fact| fact.reach != Reach::Defined) {
            let path = self.store.path;
            if fact.reach != Reach::Always {
                self.store.path.mass /= 2.0;
                self.store.path.lost |= fact.reach == Reach::Unclear;
            }
            let proof = if self.proof() == Proof::Proven { fact.proof } else { Proof::Likely };
            let span = start.map_or(call, |at| Span { start: at + fact.span.start, end: at + fact.span.end });
            let words: Vec<(&'static str, String)> = fact.words.iter().map(|(name, word)| (*name, word.clone())).collect();
            let measure = fact.measure.map(|m| match m.unit {
                Unit::Seconds => Measure { low: m.low + spent, high: m.high + spent, ..m },
                _ => m,
            });
            self.report(fact.kind, Some(span), measure, proof, &words);
            self.store.path = path;
        }
    }
}

/// Whether a text is an expression of numbers and operators, which means the same wherever it stands.
fn names_nothing(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_digit() || " \t()+-*/%<>|&^~._,".contains(c);
    text.chars().all(is_plain) && text.contains(|c: char| c.is_ascii_digit())
}

/// Whether a program looks up no names but those it is given or assigns before.
fn finds_only(program: &Program, given: &[Given]) -> bool {
    let [code] = program.codes.as_slice() else { return false };
    code.ops.iter().all(|op| match op {
        Op::LoadGlobal(id) | Op::LoadName(id) => {
            let name = &program.names[id.0 as usize];
            given.iter().any(|(known, value)| **known == **name && value.is_some())
        }
        Op::Import(..) | Op::ImportStar => false,
        _ => true,
    })
}

/// The names a program assigns, where it is plain all through: it defines and imports nothing, and calls nothing but builtins
/// that keep nothing.
fn stored_by(program: &Program, plain: &[String]) -> Option<Vec<Arc<str>>> {
    let [code] = program.codes.as_slice() else { return None };
    let name = |id: NameId| &program.names[id.0 as usize];
    let stores = |op: &Op| match op {
        Op::StoreGlobal(id) | Op::StoreName(id) | Op::DeleteGlobal(id) | Op::DeleteName(id) => Some(name(*id).clone()),
        _ => None,
    };
    let stored: Vec<Arc<str>> = code.ops.iter().filter_map(stores).collect();
    let is_plain = code.ops.iter().all(|op| match op {
        Op::LoadGlobal(id) | Op::LoadName(id) => {
            let name = name(*id);
            stored.contains(name) || plain.iter().any(|known| **known == **name) || KEEPING_NOTHING.contains(&&**name)
        }
        Op::Import(..) | Op::ImportFrom(..) | Op::ImportStar | Op::LoadAttr(_) | Op::StoreAttr(_) => false,
        _ => true,
    });
    is_plain.then_some(stored)
}

/// Whether nothing comes after a program that ended so, and something in it is why.
pub fn never_ends(exit: &Exit, machine: &Machine) -> bool {
    matches!(exit, Exit::Dead) && machine.facts.values().any(is_endless)
}

fn is_endless(fact: &Fact) -> bool {
    fact.proof == Proof::Proven && fact.measure.is_some_and(|m| m.unit == Unit::Seconds && m.low == f64::INFINITY)
}

/// A value that a text can be given, where it is plain.
pub fn plain(value: &V) -> Option<Const> {
    Some(match value {
        V::None => Const::None,
        V::Bool(b) => Const::Bool(*b),
        V::Int(n) => Const::Int(*n),
        V::Float(f) => Const::Float(*f),
        V::Str(text) => Const::Str(Arc::from(&**text)),
        _ => return None,
    })
}

/// What `exec` puts into a namespace that has no builtins.
pub fn builtins() -> V {
    V::Instance(Sym::new("text.builtins"), Why::OUTSIDE)
}

/// The namespace of the module, where `exec` alone is given it.
pub fn module_namespace() -> V {
    V::Instance(Sym::new(OF_MODULE), Why::OUTSIDE)
}

/// Whether a name is among those that are given.
pub fn is_named(given: &[Given], name: &str) -> bool {
    given.iter().any(|(known, _)| known == name)
}

/// The value of a name that was given.
pub fn value(given: Option<&Const>) -> V {
    given.map_or(V::Unknown(Why::Lost), super::machine::constant)
}

/// The code object of a text, which `exec` and `eval` run.
pub fn compiled(machine: &mut Machine, text: V) -> V {
    let attrs = std::rc::Rc::new(vec![(Sym::new("-text"), text)]);
    machine.alloc(Obj::Instance { class: V::lib("types.CodeType"), attrs })
}
