//! A finding, and how grave it is.

pub use crate::config::{Level, Profile};
use crate::eval::{Measure, Proof, Reach};
use crate::syntax::Span;

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// `AF101`.
    pub code: String,
    /// `huge-power`.
    pub name: String,
    /// How grave it is under the profile.
    pub level: Level,
    /// What was computed and which limit it passes.
    pub message: String,
    /// What to write instead.
    pub help: String,
    /// What was computed, short enough to stand under the code (`10 ** 100000000 has about 332192810 bits`).
    pub label: String,
    /// Where, in the canonical text.
    pub span: Span,
    /// Whether it is reached.
    pub reach: Reach,
    /// How sure the evaluator is.
    pub proof: Proof,
    /// How much, of which unit.
    pub measure: Option<Measure>,
    /// The limit the measure is held against: its name and value.
    pub limit: Option<(&'static str, f64)>,
}
