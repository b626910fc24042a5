//! Annotations of GitHub Actions: workflow commands, one line each.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Located;
use super::text::{Style, plain};
use crate::rules::Level;

/// One command per finding, and one for each file that could not be checked.
pub fn write(out: &mut dyn Write, reports: &[Located], troubles: &[String], style: Style) -> io::Result<()> {
    for message in troubles {
        writeln!(out, "::error title=antifreeze::{}", data(&plain(message)))?;
    }
    for report in reports {
        let source = &report.report.source;
        for (finding, _) in report.findings().filter(|(finding, _)| style.shows(finding)) {
            let (start, end) = (source.position(finding.span.start), source.position(finding.span.end.max(finding.span.start)));
            let command = match finding.level {
                Level::Error => "error",
                Level::Warning => "warning",
                Level::Note => "notice",
            };
            let mut place = format!("file={}", property(report.path));
            // The lines of a notebook's cell are none of its file.
            if start.cell.is_none() {
                let _ = write!(place, ",line={},col={},endLine={}", start.line, start.column, end.line);
                if end.line == start.line {
                    let _ = write!(place, ",endColumn={}", end.column.max(start.column));
                }
            }
            let said = format!("{}{} {}", report.cell(start), plain(&finding.message), plain(&finding.help));
            let title = property(&format!("antifreeze {} {}", finding.code, finding.name));
            writeln!(out, "::{command} title={title},{place}::{}", data(&said))?;
        }
    }
    Ok(())
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
