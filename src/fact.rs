//! The closed vocabulary in which the evaluator says what it found. Rules see facts and nothing else.
//!
//! # Words
//!
//! A fact carries [`Fact::words`] for the message of its card. Every placeholder of a card has a default there, so a missing
//! word never spoils a message; it only says less. Numbers are written plainly (no separators), expressions as in the source
//! with names replaced by the values found, each cut to a line of about 60 characters.
//!
//! | kinds | words | example |
//! | --- | --- | --- |
//! | all integer kinds | `op`: the operator, or the function's name for a function form | `**`, `<<`, `*`, `pow` |
//! | | `expression`: the operation with the values found | `10 ** 100000000`, `x ** 64` |
//! | all loop kinds | `loop`: the loop's header without the colon | `while n < 2`, `for i in range(10 ** 12)` |
//! | | `reason`: why, a sentence fragment without a full stop | `the state of iteration 3 repeats that of iteration 1` |
//! | `EndlessLoop` | `reason` names the repeated state, or the condition that is always true | `no statement in it can leave it` |
//! | `StuckCondition` | `reason` names what leaving depends on | ``nothing in the loop changes `i` `` |
//! | `MissedExit` | `reason` shows values that pass by the exit | ``` `x` is 12, then 15, then 18 and so on, and the condition stays true ``` |
//! | | `advice`: what to change, a fragment | ``compare with `<` or `>` instead of `!=` `` |
//! | `EndlessPoll` | `reason`, as for the endless loop that it is | ``nothing in the loop changes `ready` `` |
//! | `LongLoop` | `trips`: the least number of iterations | `1000000000` |
//! | | `reason` | `it takes at least 1000000000 iterations` |
//! | memory and iteration kinds | `callee`: the function that allocates or consumes | `list`, `str.join`, `in` |
//! | `Repetition` | `op`: the operator, or the function's name | `*`, `+`, `str.replace` |
//! | `EndlessIterator` | `reason`: why it never returns | `it consumes an iterator that never ends` |
//! | `Growth` | `loop` and `reason`, as for loops | `each of at least 1000000000 iterations keeps 8 bytes or more` |
//! | `RaisedRecursionLimit` | `depth`: the new limit | `1000000` |
//! | `Sleep` | `callee`: the qualified name | `time.sleep`, `asyncio.sleep` |
//! | | `expression`: the call with the values found | `time.sleep(100)` |
//! | | `reason`: for a sum only, a fragment | `3600 calls of at least 1 s each` |
//! | `Regex` | `callee`: the function or method; `pattern`: the pattern, cut | `re.search`, `(a+)+$` |
//! | | `reason`: a verb and what it takes | `takes at least 100 s on this text of 41 characters` |
//! | `SyntaxError` | `reason`: the parser's complaint | `expected an expression` |
//! | `UnusedSuppression` | `reason`: why it does nothing, a fragment | `nothing here is reported as AF401` |
//! | | `advice`: what to do | `Remove it` |
//! | `NotAnalysed` | `reason`: which bound | `the file has 3000000 bytes, and more than 1048576 are not analysed` |
//!
//! The amounts (`{bits}`, `{seconds}`, `{bytes}`, `{processes}`, as the unit says, and `{limit}`) come from the measure and the limit;
//! they are not words. A loop or wait without end has `low` and `high` infinite, in [`Unit::Seconds`].

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
    LongRecursion,
    Regex,
    SpawnBomb,
    IgnoresTermination,
    OutputFlood,
    DetachedProcess,
    HangsAtExit,
    SyntaxError,
    DynamicCode,
    NotAnalysed,
    UnusedSuppression,
}

/// Whether the operation is reached when the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// Reached unless an earlier operation raises.
    Always,
    /// Behind a condition on outside input, time, randomness or an unknown name.
    Maybe,
    /// Only in a function that nobody calls here.
    Defined,
    /// Behind a condition the evaluator lost track of, in whatever function.
    Unclear,
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
