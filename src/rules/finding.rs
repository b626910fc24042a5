//! A finding, and how grave it is.

use serde::{Deserialize, Serialize};

use crate::eval::{Measure, Proof, Reach};
use crate::syntax::Span;

/// How grave a finding is. Only errors reject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Shown with `--verbose` only.
    Note,
    /// Shown.
    Warning,
    /// Rejects.
    Error,
}

/// Which use the code is judged for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// A script about to run.
    Agent,
    /// A file in a repository.
    Library,
}

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
