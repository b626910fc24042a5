//! Verdicts kept for the next run: by the content of a file, what it is judged by, and which antifreeze judged it.
//!
//! An entry is a file of its own, written beside its place and moved there, so that runs at the same time meet whole entries only.
//! Nothing that goes wrong here costs a check anything but time: what cannot be read is judged again, what cannot be written is not kept.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use crate::cards;
use crate::eval::{Coverage, Guard, Measure, Proof, Reach, Settings, Unit};
use crate::limits::Limits;
use crate::report::FileReport;
use crate::report::fingerprint::hex;
use crate::rules::{Finding, Level, Profile};
use crate::source::Source;
use crate::syntax::Span;

/// Entries that were of no use for so long are removed.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// How often is looked for such entries, and a useful one is marked as such.
const SWEPT: Duration = Duration::from_hours(24);

/// No entry is larger than this: one that would be is judged again.
const LARGEST: usize = 1 << 20;

/// A folder of verdicts.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    /// What this antifreeze is.
    version: String,
    /// The folder turned out not to take anything.
    full: AtomicBool,
}

/// The name of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Cache {
    /// Opens a folder and makes it where it is not there yet; none where that is not possible.
    pub fn open(folder: &Path) -> Option<Cache> {
        if !folder.is_dir() {
            fs::create_dir_all(folder).ok()?;
        }
        // Nobody commits it, and backups leave it out.
        for (name, text) in [
            (".gitignore", "*\n"),
            ("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# Made by antifreeze; it can be deleted at any time.\n"),
        ] {
            let path = folder.join(name);
            if !path.exists() {
                let _ = fs::write(path, text);
            }
        }
        Some(Cache { folder: folder.to_owned(), version: version(), full: AtomicBool::new(false) })
    }

    /// The name of the entry for some bytes.
    pub fn key(&self, bytes: &[u8], settings: &Settings, profile: Profile, notebook: bool) -> Key {
        let mut hash = Sha256::new();
        let Limits { int_bits, timeout, memory, output, processes } = settings.limits;
        hash.update(format!(
            "{}\0{int_bits} {} {memory} {output} {processes}\0{:?}\0{profile:?}\0{notebook}\0{}\0{:?}\0",
            self.version,
            timeout.to_bits(),
            settings.target,
            settings.fuel,
            settings.callables,
        ));
        hash.update(bytes);
        Key(hash.finalize().into())
    }

    fn path(&self, key: Key) -> PathBuf {
        let name = hex(&key.0);
        self.folder.join(&name[..2]).join(&name[2..])
    }

    /// What was kept.
    pub fn get(&self, key: Key, source: Source) -> Result<FileReport, Source> {
        let path = self.path(key);
        let Some(kept) = fs::read(&path).ok().and_then(|bytes| serde_json::from_slice::<Kept>(&bytes).ok()) else { return Err(source) };
        let Some(findings) = kept.findings.into_iter().map(|finding| finding.restored(&source)).collect::<Option<Vec<_>>>() else {
            return Err(source);
        };
        let Some(guards) = kept
            .guards
            .into_iter()
            .map(|(start, end, op)| {
                (start <= end && end as usize <= source.text.len()).then_some(Guard { span: Span { start, end }, op: operator(&op)? })
            })
            .collect()
        else {
            return Err(source);
        };
        let (statements, evaluated, out_of_fuel) = kept.coverage;
        mark_used(&path);
        Ok(FileReport {
            source,
            findings,
            guards,
            coverage: Coverage { statements, evaluated, out_of_fuel },
            elapsed: Duration::from_micros(kept.elapsed_us),
        })
    }

    /// Keeps a verdict, unless it would not be worth its place.
    /// `text` is the source's before it was judged.
    pub fn put(&self, key: Key, report: &FileReport, text: &Arc<str>) {
        // Where code fences were removed, places lead through the parser.
        if !Arc::ptr_eq(&report.source.text, text) || self.full.load(Ordering::Relaxed) {
            return;
        }
        let kept = Kept {
            findings: report.findings.iter().map(KeptFinding::of).collect(),
            guards: report.guards.iter().map(|guard| (guard.span.start, guard.span.end, guard.op.to_owned())).collect(),
            coverage: (report.coverage.statements, report.coverage.evaluated, report.coverage.out_of_fuel),
            elapsed_us: u64::try_from(report.elapsed.as_micros()).unwrap_or(u64::MAX),
        };
        let Ok(bytes) = serde_json::to_vec(&kept) else { return };
        if bytes.len() <= LARGEST && write_whole(&self.path(key), &bytes).is_err() {
            // A full disk is not asked ten thousand times.
            self.full.store(true, Ordering::Relaxed);
        }
    }

    /// Removes entries that nobody has used for long; at most once a day.
    pub fn sweep(&self) {
        let marker = self.folder.join(".swept");
        let age = |path: &Path| fs::metadata(path).ok()?.modified().ok()?.elapsed().ok();
        if age(&marker).is_some_and(|age| age < SWEPT) || fs::write(&marker, "").is_err() {
            return;
        }
        for entry in WalkDir::new(&self.folder).min_depth(2).max_depth(2).into_iter().filter_map(Result::ok) {
            if entry.file_type().is_file() && age(entry.path()).is_some_and(|age| age > KEPT) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// What this antifreeze is: its version, and which build of it.
fn version() -> String {
    let built = std::env::current_exe().and_then(fs::metadata).ok();
    let modified = built.as_ref().and_then(|file| file.modified().ok()).and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    format!("{} {} {}", env!("CARGO_PKG_VERSION"), built.map_or(0, |file| file.len()), modified.map_or(0, |time| time.as_nanos()))
}

/// Lets an entry live on.
fn mark_used(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    let old = file.metadata().and_then(|data| data.modified()).ok().and_then(|time| time.elapsed().ok()).is_some_and(|age| age > SWEPT);
    if old {
        let _ = File::options().write(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
    }
}

/// Writes beside the place and moves there.
fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().unwrap_or(Path::new("."));
    if !folder.is_dir() {
        fs::create_dir_all(folder)?;
    }
    let beside = folder.join(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    let written = File::create(&beside).and_then(|mut file| file.write_all(bytes)).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// The operator of a guard, as the evaluator names it.
fn operator(op: &str) -> Option<&'static str> {
    ["**", "<<", "*", "**=", "<<=", "*=", "call"].into_iter().find(|known| *known == op)
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    findings: Vec<KeptFinding>,
    guards: Vec<(u32, u32, String)>,
    coverage: (u32, u32, bool),
    elapsed_us: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct KeptFinding {
    code: String,
    level: Level,
    message: String,
    help: String,
    label: String,
    span: (u32, u32),
    reach: Reach,
    proof: Proof,
    /// The unit and the bits of both ends: JSON has no infinity.
    measure: Option<(Unit, u64, u64)>,
    limit: Option<(String, u64)>,
}

impl KeptFinding {
    fn of(finding: &Finding) -> KeptFinding {
        KeptFinding {
            code: finding.code.clone(),
            level: finding.level,
            message: finding.message.clone(),
            help: finding.help.clone(),
            label: finding.label.clone(),
            span: (finding.span.start, finding.span.end),
            reach: finding.reach,
            proof: finding.proof,
            measure: finding.measure.map(|measure| (measure.unit, measure.low.to_bits(), measure.high.to_bits())),
            limit: finding.limit.map(|(name, value)| (name.to_owned(), value.to_bits())),
        }
    }

    /// The finding, if it can be one in this source.
    fn restored(self, source: &Source) -> Option<Finding> {
        let card = cards::find(&self.code)?;
        let limit = match self.limit {
            Some((name, value)) => Some((Limits::NAMES.into_iter().find(|known| *known == name)?, f64::from_bits(value))),
            None => None,
        };
        if self.span.0 > self.span.1 || self.span.1 as usize > source.text.len() {
            return None;
        }
        Some(Finding {
            name: card.meta.name.clone(),
            code: self.code,
            level: self.level,
            message: self.message,
            help: self.help,
            label: self.label,
            span: Span { start: self.span.0, end: self.span.1 },
            reach: self.reach,
            proof: self.proof,
            measure: self.measure.map(|(unit, low, high)| Measure { unit, low: f64::from_bits(low), high: f64::from_bits(high) }),
            limit,
        })
    }
}
