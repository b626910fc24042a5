//! Reports: what the stages above found, as text for people and models and as JSON for programs. Nothing is analysed here, and
//! nothing printed: everything goes through a writer.

pub mod json;
pub mod outcome;
pub mod text;

use std::time::Duration;

use crate::eval::{Coverage, Guard};
use crate::rules::Finding;
use crate::source::Source;
use crate::verdict::Checked;

/// One source that went through the gate, as much of it as a report needs.
#[derive(Debug, Clone)]
pub struct FileReport {
    /// The source.
    pub source: Source,
    /// In order of position.
    pub findings: Vec<Finding>,
    /// Operations that are checked at run time.
    pub guards: Vec<Guard>,
    /// How far the evaluator saw.
    pub coverage: Coverage,
    /// How long the gate took.
    pub elapsed: Duration,
}

impl FileReport {
    /// The report on a checked source.
    pub fn new(checked: Checked, elapsed: Duration) -> FileReport {
        let Checked { source, verdict, .. } = checked;
        FileReport { source, findings: verdict.findings, guards: verdict.guards, coverage: verdict.coverage, elapsed }
    }

    /// Whether anything rejects.
    pub fn rejects(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == crate::rules::Level::Error)
    }
}

/// Counts over several reports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Sources checked.
    pub files: usize,
    /// Sources rejected.
    pub rejected: usize,
    /// Findings that reject.
    pub errors: usize,
    /// Findings that warn.
    pub warnings: usize,
}

impl Summary {
    /// Counts.
    pub fn of(reports: &[FileReport]) -> Summary {
        use crate::rules::Level;
        let count = |level| reports.iter().flat_map(|report| &report.findings).filter(|finding| finding.level == level).count();
        Summary {
            files: reports.len(),
            rejected: reports.iter().filter(|report| report.rejects()).count(),
            errors: count(Level::Error),
            warnings: count(Level::Warning),
        }
    }
}
