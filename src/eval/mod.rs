//! The evaluator: runs what it can and bounds what it cannot.

pub mod fact;

pub use fact::{Fact, FactKind, Measure, Proof, Reach, Unit};

use crate::limits::Limits;
use crate::syntax::{Program, Span};

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
}

impl Default for Settings {
    fn default() -> Self {
        Settings { limits: Limits::default(), is_main: true, fuel: 3_000_000, target: (9, 14) }
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
}

/// Evaluates a program.
pub fn evaluate(program: &Program, settings: &Settings) -> Facts {
    let _ = (program, settings);
    Facts::default()
}
