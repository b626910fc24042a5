//! Which attributes of a program's instances keep the value they are given first.

use std::collections::{HashMap, HashSet};

use crate::library::modules::{BY_TEXT, INERT};
use crate::syntax::Program;
use crate::syntax::code::{Code, CodeKind, Const, NameId, Op};
use crate::value::fixed::{Fixed, Names};
use crate::value::object::Sym;

use super::Settings;
use super::machine::constant;

/// The method that makes an instance what it is.
const MAKING: &str = "__init__";

/// Names of what changes attributes without naming them, lets a class answer for them, or makes an instance more than once.
const UNSEEN: &[&str] = &[
    "__delattr__",
    "__getattribute__",
    "__new__",
    "__setattr__",
    "__setstate__",
    "delattr",
    "parse_args",
    "parse_known_args",
    "patch",
    "setattr",
];

/// An assignment to an attribute.
struct Site<'p> {
    /// Whether it runs once for each instance, on that one, when it is made.
    makes: bool,
    /// What it assigns, where that is written there.
    value: Option<&'p Const>,
}

/// The attributes of a program's instances that keep their values. An instance that escaped has them still.
pub fn of(program: &Program, settings: &Settings, names: &[Sym]) -> Fixed {
    let name = |id: &NameId| &*program.names[id.0 as usize];
    // What a session does later is not seen yet, nor what other code does with the instances it is given.
    let unseen = |name: &str| UNSEEN.contains(&name) || BY_TEXT.contains(&name);
    if settings.history.is_some()
        || !settings.given.is_empty()
        || !program.imports_only(&INERT)
        || program.names.iter().any(|name| unseen(name))
    {
        return Fixed::new(None);
    }
    let made_once = program.codes.iter().all(|code| is_made_once(program, code));
    let mut sites: HashMap<NameId, Vec<Site>> = HashMap::new();
    let mut changing: HashSet<NameId> = HashSet::new();
    for code in &program.codes {
        for (pc, op) in code.ops.iter().enumerate() {
            match op {
                Op::StoreAttr(attribute) => {
                    let own = pc > 0 && code.ops[pc - 1] == Op::LoadLocal(0) && !code.ops.contains(&Op::StoreLocal(0));
                    let makes = made_once && own && name(&code.name) == MAKING && !is_in_loop(code, pc);
                    sites.entry(*attribute).or_default().push(Site { makes, value: assigned(program, code, pc) });
                }
                Op::DeleteAttr(attribute) => {
                    changing.insert(*attribute);
                }
                Op::StoreName(attribute) if code.kind == CodeKind::Class => {
                    changing.insert(*attribute);
                }
                _ => {}
            }
        }
    }
    if sites.keys().any(|attribute| name(attribute) == "__class__") {
        return Fixed::new(None);
    }
    // None: the value it is given first. Else the value it is given wherever it is assigned; it may have been given another elsewhere.
    let keeps = |all: &[Site]| match all {
        [only] if only.makes => Some(None),
        [first, rest @ ..] => first.value.filter(|_| rest.iter().all(|site| site.value == first.value)).map(|value| Some(constant(value))),
        [] => None,
    };
    let sym = |id: &NameId| names[id.0 as usize];
    // Those of a thread are properties.
    changing.extend(sites.keys().filter(|attribute| matches!(name(attribute), "daemon" | "name")));
    let kept = sites.iter().filter(|(attribute, _)| !changing.contains(attribute));
    let fixed = kept.filter_map(|(attribute, all)| Some((sym(attribute), keeps(all)?))).collect();
    Fixed::new(Some(Names { fixed, assigned: sites.keys().chain(&changing).map(sym).collect() }))
}

/// Whether code calls the making of no instance but, once and in its own making, that of the base classes of the same.
fn is_made_once(program: &Program, code: &Code) -> bool {
    let is = |id: NameId, wanted: &str| &*program.names[id.0 as usize] == wanted;
    let loads = |op: Op, wanted: &str| matches!(op, Op::LoadGlobal(n) | Op::LoadName(n) if is(n, wanted));
    let ops = &code.ops;
    let calls: Vec<usize> = (0..ops.len())
        .filter(|pc| matches!(ops[*pc], Op::LoadAttr(n) | Op::LoadMethod(n) if is(n, MAKING)) || loads(ops[*pc], MAKING))
        .collect();
    let of_base = |pc: usize| pc > 1 && ops[pc - 1] == Op::Call(0, None) && loads(ops[pc - 2], "super");
    calls.len() <= 1 && calls.iter().all(|pc| is(code.name, MAKING) && of_base(*pc) && !is_in_loop(code, *pc))
}

fn is_in_loop(code: &Code, pc: usize) -> bool {
    code.loops.iter().any(|l| l.holds(pc as u32))
}

/// The literal that an assignment to an attribute of a variable assigns.
fn assigned<'p>(program: &'p Program, code: &Code, pc: usize) -> Option<&'p Const> {
    let from = pc.checked_sub(2)?;
    let meets = code.ops.iter().filter_map(|op| op.jump_target()).any(|to| (from + 1..=pc).contains(&(to as usize)));
    match (code.ops[from], code.ops[from + 1]) {
        (Op::Const(id), Op::LoadLocal(_)) if !meets => program.consts.get(id.0 as usize),
        _ => None,
    }
}
