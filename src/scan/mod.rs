//! Agent logs in batch: finds the Python that models wrote in whatever logs there are, and judges it.
//!
//! A file is opened ([`open`]), cut into records ([`frames`]) and handed to threads a few megabytes at a time. A record that has
//! none of the words that go with code is passed over unread. From any other the formats ([`formats`]) take what happened, in
//! order: snippets, results, turns ([`extract`]); the gate judges each text once ([`judge`]). Back in the order of the log, results
//! are put to their snippets, copies are left out ([`collect`]), and rows are written as they come ([`report`]), so that memory is
//! bounded whatever the log's size.

pub mod collect;
pub mod consoles;
pub mod engine;
pub mod extract;
pub mod fences;
pub mod formats;
pub mod frames;
pub mod json;
pub mod judge;
pub mod observed;
pub mod open;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod patch;
pub mod path;
pub mod record;
pub mod report;
pub mod shell;
pub mod spoken;
pub mod state;
pub mod summary;
pub mod table;

use std::sync::Arc;

use serde::Serialize;

pub use engine::{Options, Progress, scan};

/// How a snippet ended when it was run, as the log tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Observed {
    /// It ran to its end.
    Finished,
    /// An exception left it.
    Raised,
    /// It was stopped because it took too long.
    TimedOut,
    /// The gate rejected it: nothing of it ran. No row has it.
    NotRun,
}

impl Observed {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Observed::Finished => "finished",
            Observed::Raised => "raised",
            Observed::TimedOut => "timed_out",
            Observed::NotRun => "not_run",
        }
    }
}

/// A snippet, as it was found in a record.
#[derive(Debug, Clone)]
pub struct Found {
    /// The format.
    pub format: &'static str,
    /// Where in the record: the text that holds it.
    pub json_path: String,
    /// Where in that text, in bytes.
    pub start: u32,
    /// The line of that text it begins on, from 1.
    pub line_in_text: u64,
    /// The snippet.
    pub code: Arc<str>,
    /// The turn, from 1.
    pub turn: Option<u64>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// When, as the log writes it.
    pub time: Option<String>,
    /// The tool it was given to.
    pub tool: Option<String>,
    /// How it ended.
    pub observed: Option<Observed>,
    /// The session it belongs to, where the log names one.
    pub session: Option<String>,
    /// The same for the same snippet in a copy; 0 where there is nothing to tell copies by.
    pub identity: u64,
    /// A key of the call, by which its result names it; 0 for none.
    pub call: u64,
    /// Whether it was run, not merely written to a file.
    pub ran: bool,
    /// The file it was written to.
    pub file: Option<String>,
    /// Whether it is a cell of a notebook, which may have magics.
    pub notebook: bool,
}

impl Found {
    /// Notes how it ended.
    pub fn ended(&mut self, observed: Observed) {
        if observed == Observed::NotRun {
            self.ran = false;
        } else {
            self.observed = Some(observed);
        }
    }
}
