//! The evaluator: runs what it can and bounds what it cannot.

mod attributes;
mod calls;
mod classes;
mod describe;
mod dynamic;
mod fixed;
mod floors;
mod guarded_calls;
mod host;
mod iteration;
mod loops;
mod machine;
mod memo;
mod operators;
mod origin;
mod own;
mod patterns;
mod step;
mod text_functions;

pub use own::OwnCallable;

pub use crate::fact::{Fact, FactKind, Measure, Proof, Reach, Unit};
pub use crate::library::Stdin;

use std::sync::Arc;

use crate::limits::Limits;
use crate::stack;
use crate::syntax::code::{BinaryOp, CodeId, CodeKind, Const, Op};
use crate::syntax::{Program, Span};
use crate::value::object::{Sym, V};
use crate::value::store::{Path, Switches};
use crate::value::why::Decided;

use guarded_calls::Watched;
use machine::{Exit, GuardState, Machine};

/// Fuel for a function that nobody calls, with all that it calls.
const DEEP: u64 = 40_000;
/// Fuel for one by itself, at least and for each of its operations.
const SHALLOW: u64 = 1_000;
const SHALLOW_BY_OP: u64 = 1_000;

/// What the evaluator is told besides the program.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The limits to judge by.
    pub limits: Limits,
    /// Whether `__name__ == "__main__"` holds (profile `agent`), or may or may not (`library`).
    pub is_main: bool,
    /// Steps to spend at most.
    pub fuel: u64,
    /// The oldest and newest minor version of Python 3 the claims must hold for.
    pub target: (u8, u8),
    /// What is on standard input.
    pub stdin: Stdin,
    /// Whether the program is a file, so that `__file__` is defined and other processes can import it.
    pub is_file: bool,
    /// Whether the program certainly runs without arguments.
    pub is_bare: bool,
    /// Whether the values of the globals are described, which takes longer than finding them.
    pub describe: bool,
    /// Callables of the user's own.
    pub callables: Arc<[OwnCallable]>,
    /// Names that are there before the program begins, with their values where these are plain.
    pub given: Vec<(String, Option<Const>)>,
    /// Where the step begins that is to be judged, for a program that is the steps of a session so far. What comes before it has
    /// been run: it makes the state that the step finds, and nothing is reported of it.
    pub history: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            limits: Limits::default(),
            is_main: true,
            fuel: 3_000_000,
            target: (9, 14),
            stdin: Stdin::default(),
            is_file: false,
            is_bare: false,
            describe: true,
            callables: Arc::default(),
            given: Vec::new(),
            history: None,
        }
    }
}

/// An operation that the executor has to check at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// The whole expression or augmented assignment.
    pub span: Span,
    /// `**`, `<<`, `*`, or with `=` for the in-place form; `call` for function forms.
    pub op: &'static str,
}

/// How far the evaluator saw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    /// Statements in the source.
    pub statements: u32,
    /// Statements that were evaluated at least once.
    pub evaluated: u32,
    /// Whether fuel ran out.
    pub out_of_fuel: bool,
}

/// Everything the evaluator found.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// In order of position.
    pub facts: Vec<Fact>,
    /// Operations to check at run time.
    pub guards: Vec<Guard>,
    /// How far the evaluator saw.
    pub coverage: Coverage,
    /// The abstract value of every global at the end, as JSON (for `debug values` and the soundness check).
    pub globals: serde_json::Map<String, serde_json::Value>,
    /// Steps spent.
    pub fuel_spent: u64,
    /// Whether the program may have made globals that are not listed (`exec`, `globals()`, an unknown star-import).
    pub open_globals: bool,
    /// Least seconds the program takes to its end, where it has one.
    pub floor: f64,
    /// Least bytes it writes to its end.
    pub written: f64,
    /// Whether it has none, because something in it never ends.
    pub never_ends: bool,
}

/// Evaluates a program on a thread of its own, with a stack that recursion of the program cannot exhaust.
pub fn evaluate(text: &str, program: &Program, settings: &Settings) -> Facts {
    if program.codes.is_empty() {
        return Facts::default();
    }
    match stack::on_large("evaluate", &[stack::LARGE], || Sym::apart(|| run(text, program, settings))) {
        Ok(facts) => facts,
        Err(stack::Failure::Panic(panic)) => std::panic::resume_unwind(panic),
        // Nothing is known, and everything is guarded.
        Err(stack::Failure::NoThread) => unevaluated(text, program),
    }
}

fn statements_from(program: &Program, start: u32) -> u32 {
    if start == 0 {
        return program.statements;
    }
    program.codes.iter().flat_map(|code| &code.statements).filter(|(_, span)| span.start >= start).count() as u32
}

/// What is known when nothing was evaluated: every operation that could be large is guarded.
fn unevaluated(text: &str, program: &Program) -> Facts {
    unevaluated_from(text, program, 0)
}

/// What is known of the part of a program that begins at `start` when nothing of it was evaluated.
pub fn unevaluated_from(text: &str, program: &Program, start: u32) -> Facts {
    let statements = statements_from(program, start);
    let mut out = Facts { coverage: Coverage { statements, evaluated: 0, out_of_fuel: true }, ..Facts::default() };
    let watched = Watched::of(text, program);
    for code in &program.codes {
        out.guards.extend(watched.calls(code));
        for (op, span) in code.ops.iter().zip(&code.spans) {
            if let Some(op) = guard_symbol(op) {
                out.guards.push(Guard { span: *span, op });
            }
        }
    }
    out.guards.retain(|guard| guard.span.start >= start);
    out.guards.sort_by_key(|guard| (guard.span, guard.op));
    out.guards.dedup();
    out
}

fn guard_symbol(op: &Op) -> Option<&'static str> {
    Some(match op {
        Op::Binary(BinaryOp::Pow) => "**",
        Op::Binary(BinaryOp::LShift) => "<<",
        Op::Binary(BinaryOp::Mul) => "*",
        Op::Inplace(BinaryOp::Pow) => "**=",
        Op::Inplace(BinaryOp::LShift) => "<<=",
        Op::Inplace(BinaryOp::Mul) => "*=",
        _ => return None,
    })
}

/// Names by which programs raise exceptions in the midst of other code.
const INTERRUPTING: &[&str] = &[
    "signal",
    "setitimer",
    "alarm",
    "add_signal_handler",
    "settrace",
    "setprofile",
    "interrupt_main",
    "pythonapi",
    "PyThreadState_SetAsyncExc",
    "faulthandler",
];

fn run(text: &str, program: &Program, settings: &Settings) -> Facts {
    let mut machine = Machine::new(text, program, settings);
    let main = CodeId(0);
    let code = machine.code(main);
    let mut frame = machine.new_frame(main, code, Vec::new(), &[]);
    machine.mark_called(main);
    for (name, known) in &settings.given {
        if let Some(id) = program.names.iter().position(|known| **known == **name) {
            machine.store.set_global(id as u32, dynamic::value(known.as_ref()));
        }
    }
    let exit = machine.run_frame(&mut frame);
    if matches!(exit, Exit::Return(_)) && settings.history.is_none() {
        machine.judge_threads();
    }
    let mut out_of_fuel = matches!(exit, Exit::Fuel);
    let ends = matches!(exit, Exit::Return(_));
    let (floor, written) = if ends { (machine.store.path.cost, machine.store.path.output) } else { (0.0, 0.0) };
    let never_ends = dynamic::never_ends(&exit, &machine);
    let open_globals =
        machine.more_globals || machine.store.builtins_open || (0..program.names.len() as u32).all(|name| machine.store.is_wild(name));
    let mut globals = serde_json::Map::new();
    if settings.describe && !out_of_fuel {
        for (id, name) in program.names.iter().enumerate() {
            let value = machine.store.global(id as u32);
            if !matches!(value, V::Undef) {
                globals.insert(
                    name.to_string(),
                    if matches!(exit, Exit::Return(_)) { machine.describe_value(&value, 0) } else { serde_json::json!({"kind": "never"}) },
                );
            }
        }
    }
    let history = settings.history.unwrap_or(0);
    if settings.history.is_some() && !machine.has_begun() {
        // What is known of the steps before leads nowhere, or is too much: of this step, nothing is known.
        return Facts { fuel_spent: settings.fuel - machine.fuel, ..unevaluated_from(text, program, history) };
    }
    // Functions that nobody called, each with what is left of the fuel.
    machine.defined_only = true;
    machine.raised = None;
    machine.forget_module_state(matches!(exit, Exit::Return(_)));
    let spent_by_main = settings.fuel - machine.fuel;
    let mut left = (settings.fuel / 2).max(machine.fuel);
    let uncalled: Vec<CodeId> = (1..program.codes.len() as u32)
        .map(CodeId)
        .filter(|id| !machine.called[id.0 as usize] && machine.code(*id).span.start >= history)
        .collect();
    let mut spent_alone = 0;
    // What the module merely gave away, to a decorator say, interrupts nothing that has no part in it. Anywhere in the program
    // there may be what raises an exception in the midst of a loop.
    let interrupting = program.names.iter().any(|name| INTERRUPTING.contains(&&**name));
    let opened = machine.store.opened();
    for (i, id) in uncalled.iter().enumerate() {
        if machine.called[id.0 as usize] {
            continue;
        }
        let kind = machine.code(*id).kind;
        if kind != CodeKind::Function && kind != CodeKind::Lambda {
            continue;
        }
        let share = (left / (uncalled.len() - i) as u64).max(left / 8).clamp(1000, DEEP).min(left);
        let path = Path {
            cost: 0.0,
            output: 0.0,
            mass: 1.0,
            lost: false,
            decided: Decided::default(),
            interruptible: interrupting,
            unknown_managers: 0,
            timeouts: 0,
            retries: false,
            spawned: 0,
            made: u32::MAX,
            doubtful: false,
            switches: Switches::UNKNOWN,
        };
        let kept = machine.store.clone();
        machine.newly_called.clear();
        machine.fuel = share.saturating_sub(machine.store.take_work());
        (machine.call_floor, machine.loop_floor) = (0, 0);
        machine.store.path = path;
        machine.evaluate_alone(*id);
        let mut spent = share - machine.fuel;
        if machine.fuel == 0 {
            // What it calls is too much to follow with nothing known: it is looked at by itself, and so is what it calls.
            let shallow = (SHALLOW + SHALLOW_BY_OP * machine.code(*id).ops.len() as u64).min(left - spent);
            machine.raised = None;
            machine.store = kept.clone();
            for code in std::mem::take(&mut machine.newly_called) {
                machine.called[code.0 as usize] = false;
            }
            machine.fuel = shallow;
            machine.stay_shallow();
            machine.store.path = path;
            machine.evaluate_alone(*id);
            spent += shallow - machine.fuel;
        }
        out_of_fuel |= machine.fuel == 0;
        spent_alone += spent;
        left = left.saturating_sub(spent);
        machine.raised = None;
        machine.store = kept;
        if left == 0 {
            break;
        }
    }
    let mut facts: Vec<Fact> = machine.facts.into_values().collect();
    facts.sort_by_key(|fact| (fact.span, fact.kind));
    let mut guards = Vec::new();
    let watched = Watched::of(text, program);
    let mut open: Vec<bool> = Vec::new();
    for ((at, code), states) in program.codes.iter().enumerate().zip(&machine.guards) {
        guards.extend(watched.calls(code));
        // Code that others may run, and the code in it, computes with values that were not seen.
        let is_open = opened.contains(&CodeId(at as u32)) || code.parent.is_some_and(|id| open.get(id.0 as usize) == Some(&true));
        open.push(is_open);
        for ((op, span), state) in code.ops.iter().zip(&code.spans).zip(states) {
            if let Some(op) = guard_symbol(op)
                && (*state != GuardState::Safe || out_of_fuel || is_open || settings.history.is_some() && program.is_in_function(code))
            {
                guards.push(Guard { span: *span, op });
            }
        }
    }
    guards.extend(
        machine.call_guards.iter().map(|(code, pc)| Guard { span: program.codes[code.0 as usize].spans[*pc as usize], op: "call" }),
    );
    guards.retain(|guard| guard.span.start >= history);
    guards.sort_by_key(|g| (g.span, g.op));
    guards.dedup();
    let evaluated = program
        .codes
        .iter()
        .zip(&machine.visited)
        .map(|(code, seen)| {
            let statements = code.statements.iter().filter(|(_, span)| span.start >= history);
            statements.filter(|(pc, _)| seen.get(*pc as usize).copied().unwrap_or(false)).count() as u32
        })
        .sum();
    Facts {
        facts,
        guards,
        coverage: Coverage { statements: statements_from(program, history), evaluated, out_of_fuel },
        globals,
        fuel_spent: spent_by_main + spent_alone,
        floor,
        written,
        never_ends,
        open_globals,
    }
}
