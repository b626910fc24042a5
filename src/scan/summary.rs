//! Counts over all rows, in bounded memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde_json::{Value, json};

use super::Observed;
use super::collect::Row;

/// So many texts are told apart, and so many names of models and files.
const MOST: usize = 100_000;

/// A text and how often it came.
#[derive(Debug, Clone)]
pub struct Repeated {
    /// How often.
    pub count: u64,
    /// The first place.
    pub first: String,
    /// Its text.
    pub code: Arc<str>,
    /// Whether it is rejected.
    pub rejects: bool,
}

/// The counts.
#[derive(Debug, Default)]
pub struct Summary {
    /// Files that were read.
    pub files: u64,
    /// Records in them.
    pub records: u64,
    /// Snippets that were found.
    pub snippets: u64,
    /// Different texts among them.
    pub distinct: u64,
    /// Snippets that are rejected.
    pub rejected: u64,
    /// Snippets of which there is no verdict.
    pub errors: u64,
    /// Of rejections, by rule.
    pub errors_by_code: BTreeMap<String, u64>,
    /// Records that could not be read.
    pub broken_records: u64,
    /// Files and members without code that is known.
    pub unrecognised: u64,
    /// Snippets left out as copies.
    pub copies: u64,
    /// Parts of programs that were passed over.
    pub fragments: u64,
    /// Bytes read.
    pub bytes: u64,
    /// Snippets that are rejected and repeat the one before.
    pub retried: u64,
    /// Snippets by verdict and by how they ended.
    pub outcomes: BTreeMap<(&'static str, Option<Observed>), u64>,
    /// By format: snippets, rejected.
    pub formats: BTreeMap<String, (u64, u64)>,
    /// By model: snippets, rejected.
    pub models: BTreeMap<String, (u64, u64)>,
    /// By file: snippets, rejected.
    pub by_file: BTreeMap<String, (u64, u64)>,
    /// By text.
    pub texts: HashMap<Arc<str>, Repeated>,
}

impl Summary {
    /// Counts a row.
    pub fn add(&mut self, row: &Row) {
        let rejects = row.judged.rejects;
        self.snippets += 1;
        self.rejected += u64::from(rejects);
        self.errors += u64::from(row.judged.error.is_some());
        self.retried += u64::from(row.retried);
        let verdict = if !rejects && row.judged.is_invalid() { "syntax" } else { row.judged.verdict() };
        *self.outcomes.entry((verdict, row.found.observed)).or_default() += 1;
        let mut codes: Vec<&str> = row.judged.errors().map(|finding| finding.code.as_str()).collect();
        codes.sort_unstable();
        codes.dedup();
        for code in codes {
            *self.errors_by_code.entry(code.to_owned()).or_default() += 1;
        }
        let count = |names: &mut BTreeMap<String, (u64, u64)>, name: &str| {
            let name = if names.len() < MOST || names.contains_key(name) { name } else { "(others)" };
            let entry = names.entry(name.to_owned()).or_default();
            entry.0 += 1;
            entry.1 += u64::from(rejects);
        };
        count(&mut self.formats, row.found.format);
        count(&mut self.models, row.found.model.as_deref().unwrap_or("(unknown)"));
        count(&mut self.by_file, &row.file);
        if let Some(known) = self.texts.get_mut(&row.found.code) {
            known.count += 1;
            return;
        }
        self.distinct += 1;
        if self.texts.len() >= MOST {
            self.texts.retain(|_, repeated| repeated.count > 1 || repeated.rejects);
        }
        if self.texts.len() < MOST {
            let first = format!("{}:{}", row.file, row.place.record);
            let repeated = Repeated { count: 1, first, code: Arc::clone(&row.found.code), rejects };
            self.texts.insert(Arc::clone(&row.found.code), repeated);
        }
    }

    /// Texts that came more than once, most often first.
    pub fn repeated(&self, most: usize) -> Vec<&Repeated> {
        let mut all: Vec<&Repeated> = self.texts.values().filter(|repeated| repeated.count > 1).collect();
        all.sort_by(|a, b| (b.rejects, b.count, &a.first, &a.code).cmp(&(a.rejects, a.count, &b.first, &b.code)));
        all.truncate(most);
        all
    }

    /// As JSON has it.
    pub fn json(&self, elapsed_ms: u64) -> Value {
        json!({
            "files": self.files,
            "records": self.records,
            "snippets": self.snippets,
            "distinct": self.distinct,
            "rejected": self.rejected,
            "errors_by_code": self.errors_by_code,
            "broken_records": self.broken_records,
            "unrecognised": self.unrecognised,
            "copies": self.copies,
            "fragments": self.fragments,
            "retried": self.retried,
            "bytes": self.bytes,
            "elapsed_ms": elapsed_ms,
        })
    }

    /// Verdicts against outcomes, as a list.
    pub fn stats(&self) -> Value {
        let row = |((kind, observed), count): (&(&str, Option<Observed>), &u64)| {
            let verdict = if *kind == "syntax" { "bound" } else { kind };
            json!({"verdict": verdict, "observed": observed, "snippets": count, "syntax_error": *kind == "syntax"})
        };
        self.outcomes.iter().map(row).collect()
    }
}
