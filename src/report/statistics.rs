//! How often each rule has something to say.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::text::{Style, level_name, paint, summary};
use super::{FileReport, Summary};
use crate::rules::{Finding, Level};

/// The count of findings by rule and level, most first.
fn counts(reports: &[FileReport], style: Style) -> Vec<(usize, &Finding)> {
    let mut counts: BTreeMap<(&str, Level), (usize, &Finding)> = BTreeMap::new();
    for finding in reports.iter().flat_map(|report| &report.findings).filter(|finding| style.shows(finding)) {
        counts.entry((&finding.code, finding.level)).or_insert((0, finding)).0 += 1;
    }
    let mut counts: Vec<_> = counts.into_values().collect();
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    counts
}

/// A line per rule and level, then the summary.
pub fn text(out: &mut dyn Write, reports: &[FileReport], style: Style) -> io::Result<()> {
    let counts = counts(reports, style);
    let width = counts.first().map_or(1, |(count, _)| count.to_string().len());
    for (count, finding) in counts {
        let level = format!("{:<7}", level_name(finding.level));
        writeln!(out, "{count:>width$}  {}  {} {}", paint(&level, finding.level, style.color), finding.code, finding.name)?;
    }
    writeln!(out, "{}", summary(Summary::of(reports)))
}

/// The same as a list.
pub fn json(reports: &[FileReport], style: Style) -> Value {
    let rows = counts(reports, style);
    rows.into_iter()
        .map(|(count, finding)| json!({"code": finding.code, "name": finding.name, "level": finding.level, "count": count}))
        .collect()
}
