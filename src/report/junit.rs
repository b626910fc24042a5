//! A test report in the XML of JUnit: a suite per file, a failed case per finding.

use std::io::{self, Write};

use super::Located;
use super::text::{Style, plain};
use crate::rules::Level;

/// The whole report. Errors are failures; warnings and notes are cases that passed and say so in their output; what could not be checked
/// is an error in JUnit's sense.
pub fn write(out: &mut dyn Write, reports: &[Located], troubles: &[String], style: Style) -> io::Result<()> {
    let shown: Vec<_> =
        reports.iter().map(|report| (report, report.findings().filter(|(finding, _)| style.shows(finding)).collect::<Vec<_>>())).collect();
    let failures =
        |findings: &[(&crate::rules::Finding, String)]| findings.iter().filter(|(finding, _)| finding.level == Level::Error).count();
    let tests: usize = shown.iter().map(|(_, findings)| findings.len().max(1)).sum();
    let failed: usize = shown.iter().map(|(_, findings)| failures(findings)).sum();
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    let (tests, broken) = (tests + troubles.len(), troubles.len());
    writeln!(out, "<testsuites name=\"antifreeze\" tests=\"{tests}\" failures=\"{failed}\" errors=\"{broken}\">")?;
    if broken > 0 {
        writeln!(out, "  <testsuite name=\"antifreeze\" tests=\"{broken}\" failures=\"0\" errors=\"{broken}\" disabled=\"0\">")?;
        for message in troubles.iter().map(|message| escaped(message)) {
            writeln!(out, "    <testcase name=\"{message}\" classname=\"antifreeze\"><error message=\"{message}\"/></testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    for (report, findings) in &shown {
        let (path, tests, failed) = (escaped(report.path), findings.len().max(1), failures(findings));
        writeln!(out, "  <testsuite name=\"{path}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\" disabled=\"0\">")?;
        if findings.is_empty() {
            writeln!(out, "    <testcase name=\"antifreeze\" classname=\"{path}\"/>")?;
        }
        for (finding, _) in findings {
            let at = report.report.source.position(finding.span.start);
            let cell = report.cell(at);
            let name = escaped(&format!("{} {} at {}{}:{}", finding.code, finding.name, cell, at.line, at.column));
            let (message, help) = (escaped(&finding.message), escaped(&finding.help));
            writeln!(out, "    <testcase name=\"{name}\" classname=\"{path}\">")?;
            if finding.level == Level::Error {
                writeln!(
                    out,
                    "      <failure message=\"{message}\" type=\"{}\">{path}:{}:{}: {message} {help}</failure>",
                    finding.code, at.line, at.column
                )?;
            } else {
                writeln!(out, "      <system-out>{path}:{}:{}: {message} {help}</system-out>", at.line, at.column)?;
            }
            writeln!(out, "    </testcase>")?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// Text as XML 1.0 takes it. Its characters leave out some that no text has a use for.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in plain(text).chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(char),
        }
    }
    out
}
