//! Findings that are known already: a file of their fingerprints, written once and honoured from then on.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::output;
use crate::report::FileReport;
use crate::report::fingerprint::fingerprints;
use crate::rules::Level;

/// The file that is written where none is named.
pub const FILE: &str = "antifreeze-baseline.json";

/// The most bytes a baseline may have.
const MAX_BYTES: u64 = 256 << 20;

/// The version of the format.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u32,
    findings: Vec<Entry>,
}

/// A known finding. Only its fingerprint counts; the rest is for those who read the file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    path: String,
    line: u32,
    code: String,
    fingerprint: String,
}

/// A baseline that was read.
#[derive(Debug)]
pub struct Baseline {
    root: PathBuf,
    known: HashSet<String>,
}

impl Baseline {
    /// Reads a baseline. The error says what is wrong with it.
    pub fn read(path: &Path) -> Result<Baseline, String> {
        let known = entries(path)?.into_iter().map(|entry| entry.fingerprint).collect();
        Ok(Baseline { root: root_of(path), known })
    }

    /// Takes the known findings out of a report, and gives how many there were.
    pub fn take(&self, report: &mut FileReport, path: Option<&Path>) -> usize {
        let prints = fingerprints(report, &relative(&self.root, path, &report.source.name));
        let before = report.findings.len();
        let mut prints = prints.iter();
        report.findings.retain(|_| !prints.next().is_some_and(|print| self.known.contains(print)));
        before - report.findings.len()
    }
}

/// What is written in a baseline. The error says what is wrong with it.
fn entries(path: &Path) -> Result<Vec<Entry>, String> {
    use std::io::Read;
    let shown = path.display();
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    opened.map_err(|why| {
        format!(
            "the baseline {shown} cannot be read ({why}). Write one with `--write-baseline`, or name none: neither by `--baseline` nor by \
             `baseline` in the configuration"
        )
    })?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("the baseline {shown} has more than {MAX_BYTES} bytes. Write it anew with `--write-baseline`"));
    }
    let written: Value = serde_json::from_slice(&bytes)
        .map_err(|why| format!("the baseline {shown} is no JSON ({why}). Write it anew with `--write-baseline`"))?;
    let version = &written["version"];
    if version.is_u64() && *version != VERSION {
        return Err(format!("the baseline {shown} has version {version}, known is {VERSION}. Write it anew with `--write-baseline`"));
    }
    let written: Option<Written> = serde_json::from_value(written).ok();
    let written = written
        .ok_or_else(|| format!("{shown} is no baseline, which has a `version` and `findings`. Write one with `--write-baseline`"))?;
    Ok(written.findings)
}

/// Writes the findings of reports as a baseline, and gives how many there are. What was known of other files that still exist stays
/// known.
pub fn write<'a>(file: &Path, reports: impl Iterator<Item = (&'a FileReport, Option<&'a Path>)>) -> std::io::Result<usize> {
    let root = root_of(file);
    let mut findings = Vec::new();
    let mut checked = HashSet::new();
    for (report, path) in reports {
        let path = relative(&root, path, &report.source.name);
        for (finding, fingerprint) in report.findings.iter().zip(fingerprints(report, &path)) {
            if finding.level > Level::Note {
                let line = report.source.position(finding.span.start).line;
                findings.push(Entry { path: path.clone(), line, code: finding.code.clone(), fingerprint });
            }
        }
        checked.insert(path);
    }
    let known = entries(file).unwrap_or_default();
    findings.extend(known.into_iter().filter(|entry| !checked.contains(&entry.path) && root.join(&entry.path).exists()));
    findings.sort();
    findings.dedup();
    let count = findings.len();
    let mut text = serde_json::to_string_pretty(&Written { version: VERSION, findings })?;
    text.push('\n');
    output::write(file, |out| out.write_all(text.as_bytes()))?;
    Ok(count)
}

fn root_of(file: &Path) -> PathBuf {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::canonicalize(parent).unwrap_or_else(|_| parent.to_owned())
}

/// A path as it is seen from a folder, the same on every machine; that of what is not below it is as it was named.
pub fn relative(root: &Path, path: Option<&Path>, name: &str) -> String {
    let real = path.and_then(|path| std::fs::canonicalize(path).ok());
    match real.as_deref().and_then(|path| path.strip_prefix(root).ok()) {
        Some(path) => {
            let parts = path.components().filter(|part| matches!(part, Component::Normal(_)));
            parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
        }
        None => name.replace('\\', "/"),
    }
}
