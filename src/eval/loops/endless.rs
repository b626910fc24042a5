//! What is said of a loop that never ends: which kind of slip it is, and why, in words.

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::{R, Stop};
use crate::syntax::code::{Code, CodeId, CompareOp, Loop, LoopKind, NameId, Op};
use crate::value::object::{Frame, Obj, V};
use crate::value::store::Path;

use super::super::machine::Machine;
use super::{LoopState, Slice, Variable, write_of};

/// How it was proven.
#[derive(Debug, Clone, Copy)]
pub(super) enum Evidence {
    /// Two iterations began with the same state.
    Repeats { now: u64, before: u64 },
    /// What holds at its head lets nothing leave.
    Invariant,
}

/// Values of the variable that should have led out, kept for the message.
pub(super) const TRAIL: usize = 3;

impl Machine<'_> {
    pub(super) fn report_endless(&mut self, frame: &Frame, code: &Code, l: &LoopState, slice: &Slice, evidence: Evidence) -> R<()> {
        let slip = self.kind_of_endless(frame, code, l, slice, evidence);
        // One that sleeps was meant to wait, for what does not come.
        let waits = l.info.kind == LoopKind::While && self.sleeps > l.slept && slip != FactKind::SwallowedExit;
        let kind = if waits { FactKind::EndlessPoll } else { slip };
        let reason = match slip {
            FactKind::StuckCondition => self.why_stuck(frame, code, slice),
            FactKind::MissedExit => self.why_missed(code, l, slice),
            FactKind::GrowingIterable => "each iteration appends to the list it iterates over".to_owned(),
            FactKind::SwallowedExit => "an `except` in it catches every exception that would end it".to_owned(),
            _ => match evidence {
                Evidence::Repeats { now, before } if !slice.constant || self.has_exit(frame.code, code, &l.info) => {
                    format!("the state of iteration {now} repeats that of iteration {before}")
                }
                _ => "no statement in it can leave it".to_owned(),
            },
        };
        let mut words = vec![("loop", self.header(&l.info)), ("reason", reason)];
        if kind == FactKind::MissedExit
            && let Some(advice) = slice.watched.and_then(|(_, op)| advice(op))
        {
            words.push(("advice", advice.to_owned()));
        }
        let measure = Measure { unit: Unit::Seconds, low: f64::INFINITY, high: f64::INFINITY };
        // Other modules may assign the globals of one whose functions they call.
        let shared = self.defined_only
            && self.beside.is_empty()
            && slice.condition.iter().any(|v| matches!(v, Variable::Global(n) if self.is_state(*n)));
        let proof = if shared { Proof::Likely } else { self.proof() };
        let path = self.store.path;
        self.store.path = Path {
            interruptible: path.interruptible,
            unknown_managers: path.unknown_managers,
            timeouts: path.timeouts,
            switches: path.switches,
            ..l.entry
        };
        self.report(kind, Some(l.info.header), Some(measure), proof, &words);
        self.store.path = path;
        Err(Stop::Dead)
    }

    /// Whether a global holds something that changes while a program runs, rather than a function, class or module.
    fn is_state(&self, name: u32) -> bool {
        match self.store.global(name) {
            V::Undef | V::Lib(_) | V::Module(_) => false,
            V::Ref(id) => !matches!(self.store.get(id), Obj::Function(_) | Obj::Class(_)),
            _ => true,
        }
    }

    fn kind_of_endless(&self, frame: &Frame, code: &Code, l: &LoopState, slice: &Slice, evidence: Evidence) -> FactKind {
        if l.info.kind != LoopKind::While {
            return if matches!(evidence, Evidence::Repeats { .. }) { FactKind::GrowingIterable } else { FactKind::EndlessLoop };
        }
        // An assignment that no path takes (behind a `continue`) is the same slip as one that is missing.
        let moves = slice.condition.iter().any(|v| self.is_assigned(frame.code, code, &l.info, *v));
        if !moves && self.swallows(frame.code, code, &l.info) {
            return FactKind::SwallowedExit;
        }
        match evidence {
            Evidence::Invariant if slice.constant && self.has_exit(frame.code, code, &l.info) => FactKind::MissedExit,
            _ if slice.constant => FactKind::EndlessLoop,
            Evidence::Repeats { .. } if moves => FactKind::EndlessLoop,
            Evidence::Repeats { .. } => FactKind::StuckCondition,
            // What a call in the condition looks at may well move.
            Evidence::Invariant if moves || slice.calls => FactKind::MissedExit,
            Evidence::Invariant => FactKind::StuckCondition,
        }
    }

    /// Whether an exception that would have left the loop is caught in it, and nothing else leaves it.
    fn swallows(&self, id: CodeId, code: &Code, info: &Loop) -> bool {
        let visited = &self.visited[id.0 as usize];
        code.handlers.iter().any(|h| {
            let inside = info.head <= h.start && h.target <= info.back;
            inside && visited[h.target as usize] && matches!(code.ops.get(h.target as usize), Some(Op::EnterHandler))
        })
    }

    /// Whether some path through the loop assigns the variable.
    fn is_assigned(&self, id: CodeId, code: &Code, info: &Loop, v: Variable) -> bool {
        let visited = &self.visited[id.0 as usize];
        (info.head as usize..=info.back as usize).any(|pc| visited[pc] && write_of(&code.ops[pc]) == Some(v))
    }

    /// Whether there is a `break` or a `return` that no path takes.
    fn has_exit(&self, id: CodeId, code: &Code, info: &Loop) -> bool {
        let visited = &self.visited[id.0 as usize];
        (info.head as usize..=info.back as usize).any(|pc| {
            !visited[pc]
                && match code.ops[pc] {
                    Op::Jump(target) => target > info.back,
                    Op::Return | Op::ReturnToken(_) => true,
                    _ => false,
                }
        })
    }

    fn why_stuck(&self, frame: &Frame, code: &Code, slice: &Slice) -> String {
        let mut named: Vec<String> = Vec::new();
        for v in &slice.condition {
            // An object may change without an assignment, so nothing is said of names of objects.
            match self.variable(frame, *v) {
                Some(V::Ref(_) | V::OneOf(_) | V::Unknown(_)) | None => {
                    return "what it tests comes out the same in every iteration".to_owned();
                }
                Some(_) => named.extend(self.name_of(code, *v).map(|name| format!("`{name}`"))),
            }
        }
        named.dedup();
        if slice.calls || named.is_empty() || named.len() > 3 {
            return "what it tests comes out the same in every iteration".to_owned();
        }
        format!("nothing in the loop changes {}", named.join(" or "))
    }

    fn why_missed(&self, code: &Code, l: &LoopState, slice: &Slice) -> String {
        let end = if slice.constant { "no exit is taken" } else { "the condition stays true" };
        match slice.watched.and_then(|(v, _)| self.name_of(code, v)) {
            Some(name) if l.trail.len() == TRAIL => format!("`{name}` is {} and so on, and {end}", l.trail.join(", then ")),
            _ => format!("{end} in every iteration").replace("is taken in every", "is taken in any"),
        }
    }

    fn name_of(&self, code: &Code, v: Variable) -> Option<String> {
        let id = match v {
            Variable::Local(slot) => *code.slots.get(usize::from(slot))?,
            Variable::Global(name) => NameId(name),
            Variable::Deref(at) => {
                let at = usize::from(at);
                match code.cells.get(at) {
                    Some((name, _)) => *name,
                    None => code.frees.get(at - code.cells.len())?.0,
                }
            }
        };
        Some(self.program.name(id).to_owned())
    }

    /// Keeps what the variable that should lead out holds now.
    pub(super) fn follow(&self, frame: &Frame, l: &mut LoopState, slice: &Slice) {
        if l.trail.len() >= TRAIL {
            return;
        }
        match slice.watched.and_then(|(v, _)| self.variable(frame, v)) {
            Some(V::Int(n)) => l.trail.push(n.to_string()),
            Some(V::Float(x)) => l.trail.push(format!("{x:?}")),
            _ => {}
        }
    }
}

/// What to write instead, by the comparison on which leaving depends.
fn advice(op: CompareOp) -> Option<&'static str> {
    match op {
        CompareOp::Ne => Some("compare with `<` or `>` instead of `!=`, and count with integers rather than floats"),
        CompareOp::Eq => Some("compare with `<=` or `>=` instead of `==`, and count with integers rather than floats"),
        CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => Some("let the step move towards the bound"),
        _ => None,
    }
}
