//! What stays the same of a finding when lines are put in or taken out elsewhere in its file.

use std::collections::HashMap;

use sha2::{Digest, Sha256};

use super::FileReport;

/// A fingerprint for each finding of a report, in order: of its rule, the text of the line it begins on without its indentation, and
/// which of the same it is, counted from the top. `path` is how the file is called wherever the report is read.
pub fn fingerprints(report: &FileReport, path: &str) -> Vec<String> {
    let text = report.source.original_text();
    let mut same: HashMap<(String, String), u32> = HashMap::new();
    let mut one = |finding: &crate::rules::Finding| {
        let at = floor(text, report.source.original_offset(finding.span.start) as usize);
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        let words = text[start..end].split_whitespace().collect::<Vec<_>>().join(" ");
        let count = same.entry((finding.code.clone(), words.clone())).or_default();
        let hash = Sha256::digest(format!("{path}\0{}\0{words}\0{count}", finding.code));
        *count += 1;
        hex(&hash[..16])
    };
    report.findings.iter().map(&mut one).collect()
}

/// Bytes as they are written.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// The nearest beginning of a character before an offset.
fn floor(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
