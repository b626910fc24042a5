//! Reports: what the stages above found, as text for people and models and as JSON for programs. Nothing is analysed here, and
//! nothing printed: everything goes through a writer.

pub mod fingerprint;
pub mod github;
pub mod gitlab;
pub mod json;
pub mod junit;
pub mod outcome;
pub mod replacement;
pub mod sarif;
pub mod statistics;
pub mod text;

use std::time::Duration;

use crate::eval::{Coverage, Guard};
use crate::rules::Finding;
use crate::source::{Position, Source};
use crate::verdict::{Checked, Verdict};

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
        FileReport::of(checked.source, checked.verdict, elapsed)
    }

    /// The report on a source and what was decided on it.
    pub fn of(source: Source, verdict: Verdict, elapsed: Duration) -> FileReport {
        FileReport { source, findings: verdict.findings, guards: verdict.guards, coverage: verdict.coverage, elapsed }
    }

    /// Whether anything rejects.
    pub fn rejects(&self) -> bool {
        self.findings.iter().any(|finding| finding.level == crate::rules::Level::Error)
    }
}

/// A report on a file, for readers who know the file by its path from where the command was given.
#[derive(Debug, Clone, Copy)]
pub struct Located<'a> {
    /// The report.
    pub report: &'a FileReport,
    /// Relative where the file lies below the current folder, with `/` between its parts.
    pub path: &'a str,
}

impl<'a> Located<'a> {
    /// The findings, each with its fingerprint.
    pub fn findings(&self) -> impl Iterator<Item = (&'a Finding, String)> + use<'a> {
        let prints = fingerprint::fingerprints(self.report, self.path);
        self.report.findings.iter().zip(prints)
    }

    /// What to put before a message about a place in a notebook.
    fn cell(&self, at: Position) -> String {
        at.cell.map_or_else(String::new, |cell| format!("cell {cell}, line {}: ", at.line))
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
