//! Judges each text once.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use crate::eval::Settings;
use crate::limits::Limits;
use crate::rules::{Finding, Level, Profile};
use crate::source::Source;
use crate::stack::{self, lock};
use crate::verdict;

/// What the gate says of a text.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    /// Whether something rejects.
    pub rejects: bool,
    /// What was found.
    pub findings: Vec<Finding>,
    /// The source, where there are findings to be shown in it.
    pub source: Option<Source>,
    /// Why there is no verdict.
    pub error: Option<String>,
}

/// Texts whose verdicts are kept: of each half, before the older half is forgotten.
const KEPT: usize = 50_000;

/// Longer texts are not kept.
const LONGEST: usize = 64 << 10;

/// The gate, with a memory.
#[derive(Debug)]
pub struct Judge {
    limits: Limits,
    /// The newer and the older half.
    kept: Mutex<[HashMap<(bool, Arc<str>), Arc<Judged>>; 2]>,
}

impl Judge {
    /// Judges by these limits.
    pub fn new(limits: Limits) -> Judge {
        Judge { limits, kept: Mutex::new([HashMap::new(), HashMap::new()]) }
    }

    /// What is said of a text.
    pub fn judge(&self, code: &Arc<str>, notebook: bool) -> Arc<Judged> {
        let key = (notebook, Arc::clone(code));
        {
            let mut kept = lock(&self.kept);
            if let Some(judged) = kept[0].get(&key) {
                return Arc::clone(judged);
            }
            if let Some(judged) = kept[1].remove(&key) {
                kept[0].insert(key, Arc::clone(&judged));
                return judged;
            }
        }
        let judged = Arc::new(self.fresh(code, notebook));
        if code.len() <= LONGEST {
            let mut kept = lock(&self.kept);
            if kept[0].len() >= KEPT {
                let full = std::mem::take(&mut kept[0]);
                kept[1] = full;
            }
            kept[0].insert(key, Arc::clone(&judged));
        }
        judged
    }

    fn fresh(&self, code: &str, notebook: bool) -> Judged {
        let source = match source(code, notebook) {
            Ok(source) => source,
            Err(error) => return Judged { error: Some(error), ..Judged::default() },
        };
        let settings = Settings { limits: self.limits, describe: false, ..Settings::default() };
        match catch_unwind(AssertUnwindSafe(|| verdict::check(source, &settings, Profile::Agent))) {
            Ok(checked) => Judged::of(checked.source, checked.verdict.findings),
            Err(panic) => Judged { error: Some(format!("internal error: {}", stack::panic_message(panic.as_ref()))), ..Judged::default() },
        }
    }
}

impl Judged {
    /// Of findings in a source.
    pub fn of(source: Source, findings: Vec<Finding>) -> Judged {
        let rejects = findings.iter().any(|finding| finding.level == Level::Error);
        let source = (!findings.is_empty()).then_some(source);
        Judged { rejects, findings, source, error: None }
    }

    /// What rejects.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.level == Level::Error)
    }

    /// Whether it is no Python that could be parsed.
    pub fn is_invalid(&self) -> bool {
        self.findings.iter().any(|finding| finding.code.as_str() == "AF901")
    }

    /// `reject`, `bound`, or `error` where there is no verdict.
    pub fn verdict(&self) -> &'static str {
        match self {
            Judged { error: Some(_), .. } => "error",
            Judged { rejects: true, .. } => "reject",
            _ => "bound",
        }
    }
}

/// A snippet's text as a source; in a cell of a notebook, magics are what they are meant to be.
pub fn source(code: &str, notebook: bool) -> Result<Source, String> {
    let has_magic = || code.lines().any(|line| line.trim_start().starts_with(['%', '!', '?']) || line.trim_end().ends_with('?'));
    let source = if notebook && has_magic() {
        let cell = serde_json::json!({"cells": [{"cell_type": "code", "source": code}], "metadata": {}});
        Source::from_notebook("", cell.to_string().as_bytes())
    } else {
        Source::from_text("", code)
    };
    source.map_err(|error| format!("{}. {}", error.message, error.help))
}
