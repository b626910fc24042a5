//! A code quality report of GitLab: a list of issues in the form of Code Climate.

use serde_json::{Value, json};

use super::Located;
use super::text::{Style, plain};
use crate::rules::Level;

/// One issue per finding.
pub fn report(reports: &[Located], style: Style) -> Value {
    let mut issues = Vec::new();
    for report in reports {
        let source = &report.report.source;
        for (finding, fingerprint) in report.findings().filter(|(finding, _)| style.shows(finding)) {
            let (start, end) = (source.position(finding.span.start), source.position(finding.span.end.max(finding.span.start)));
            // The lines of a notebook's cell are none of its file.
            let (begin, end) = if start.cell.is_some() { (1, 1) } else { (start.line, end.line.max(start.line)) };
            issues.push(json!({
                "description": format!("{} {}: {}{} {}", finding.code, finding.name, report.cell(start), plain(&finding.message), plain(&finding.help)),
                "check_name": finding.code,
                "fingerprint": fingerprint,
                "severity": match finding.level {
                    Level::Error => "major",
                    Level::Warning => "minor",
                    Level::Note => "info",
                },
                "location": { "path": report.path, "lines": { "begin": begin, "end": end } },
            }));
        }
    }
    Value::Array(issues)
}
