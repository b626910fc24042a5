//! The closed vocabulary in which the evaluator says what it found. Rules see facts and nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::syntax::Span;

/// What kind of hazard an operation is. Cards name these in kebab-case (`fact = "integer-power"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "each variant is described by the card that uses it")]
pub enum FactKind {
    IntegerPower,
    IntegerShift,
    IntegerProduct,
    IntegerCombinatorial,
    ExactPower,
    Digits,
    Repetition,
    Materialisation,
    Format,
    Allocation,
    Growth,
    EndlessIterator,
    LongIteration,
    EndlessLoop,
    StuckCondition,
    MissedExit,
    LongLoop,
    GrowingIterable,
    SwallowedExit,
    Sleep,
    EndlessPoll,
    EndlessWait,
    ReadsStdin,
    ServesForever,
    Subprocess,
    Network,
    EndlessRecursion,
    RaisedRecursionLimit,
    Regex,
    SpawnBomb,
    IgnoresTermination,
    OutputFlood,
    DetachedProcess,
    HangsAtExit,
    SyntaxError,
    DynamicCode,
    NotAnalysed,
}

/// Whether the operation is reached when the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// Reached unless an earlier operation raises.
    Always,
    /// Behind a condition on outside input, time, randomness or an unknown name.
    Maybe,
    /// Behind a condition the evaluator lost track of.
    Unclear,
    /// Only in a function that nobody calls here.
    Defined,
}

/// How sure the evaluator is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// Follows from the code.
    Proven,
    /// Something outside the code could make it otherwise.
    Likely,
}

/// What a measure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "units name themselves")]
pub enum Unit {
    Bits,
    Seconds,
    Bytes,
    Processes,
}

/// How much: the least and the greatest amount the evaluator can justify.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// What is counted.
    pub unit: Unit,
    /// At least this much (infinite for what never ends).
    pub low: f64,
    /// At most this much; infinite where nothing bounds it.
    pub high: f64,
}

/// One thing the evaluator found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
    /// What.
    pub kind: FactKind,
    /// Where, in the canonical text.
    pub span: Span,
    /// Whether it is reached.
    pub reach: Reach,
    /// How sure.
    pub proof: Proof,
    /// How much.
    pub measure: Option<Measure>,
    /// Words for the card's message, by placeholder name (`op`, `expression`, `callee`, `reason`, `trips` …).
    pub words: BTreeMap<&'static str, String>,
}
