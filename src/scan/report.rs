//! Writes what a scan finds as it is found: text, JSON, JSON lines, CSV, Parquet, SARIF.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::Observed;
use super::collect::Row;
use super::frames::Broken;
use super::summary::Summary;
use crate::report::fingerprint::hex;
use crate::report::text::{Style, plain, write_findings};
use crate::report::{json as json_report, sarif};
use crate::rules::{Finding, Level};

/// The JSON Schema of `scan --format json`.
pub const SCHEMA: &str = include_str!("scan.schema.json");

/// The version of the JSON; it rises when something is taken away or changes its meaning.
const VERSION: u32 = 1;

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Rejected snippets with the code underlined, then the counts.
    Text,
    /// One object.
    Json,
    /// One object per snippet and line.
    Jsonl,
    /// A row per snippet.
    Csv,
    /// As CSV, with numbers as numbers.
    #[cfg(feature = "parquet")]
    Parquet,
    /// SARIF 2.1.0.
    Sarif,
}

/// So many rejected texts are shown, unless all are asked for.
const SHOWN: usize = 20;

/// So many of what could not be read are named.
const NAMED: usize = 50;

/// Counts what is written.
struct Counted {
    inner: Box<dyn Write + Send>,
    length: u64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A report that is being written.
pub struct Report {
    out: Counted,
    format: Format,
    style: Style,
    stats: bool,
    summary: Summary,
    started: Instant,
    /// Rows that were written.
    rows: u64,
    shown: HashSet<Arc<str>>,
    hidden: u64,
    broken: Vec<(String, Broken)>,
    unrecognised: Vec<String>,
    /// What SARIF has behind its results.
    tail: String,
    #[cfg(feature = "parquet")]
    table: Option<super::parquet::Table>,
}

impl Report {
    /// Begins a report. `length` is what the target has from a scan before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(out: Box<dyn Write + Send>, length: u64, format: Format, style: Style, stats: bool) -> io::Result<Report> {
        let mut report = Report {
            out: Counted { inner: out, length },
            format,
            style,
            stats,
            summary: Summary::default(),
            started: Instant::now(),
            rows: 0,
            shown: HashSet::new(),
            hidden: 0,
            broken: Vec::new(),
            unrecognised: Vec::new(),
            tail: String::new(),
            #[cfg(feature = "parquet")]
            table: None,
        };
        match format {
            Format::Json => write!(report.out, "{{\"version\":{VERSION},\"snippets\":[")?,
            Format::Csv if length == 0 => writeln!(report.out, "{}", COLUMNS.map(|(name, _)| name).join(","))?,
            #[cfg(feature = "parquet")]
            Format::Parquet => report.table = Some(super::parquet::Table::new()?),
            Format::Sarif => {
                let document = sarif::document(&[]).to_string();
                let (head, tail) = document.split_once("\"results\":[").unwrap_or((&document, ""));
                write!(report.out, "{head}\"results\":[")?;
                tail.clone_into(&mut report.tail);
            }
            _ => {}
        }
        Ok(report)
    }

    /// Whether a later scan can write on where this one ended.
    pub fn goes_on(&self) -> bool {
        matches!(self.format, Format::Jsonl | Format::Csv)
    }

    /// The counts so far.
    pub fn summary(&mut self) -> &mut Summary {
        &mut self.summary
    }

    /// What could not be read.
    pub fn broken(&mut self, file: &str, broken: &Broken) {
        self.summary.broken_records += 1;
        if self.broken.len() < NAMED {
            self.broken.push((file.to_owned(), broken.clone()));
        }
    }

    /// A file in which no code was seen.
    pub fn unrecognised(&mut self, file: &str) {
        if self.unrecognised.len() < NAMED {
            self.unrecognised.push(file.to_owned());
        }
    }

    /// What could not be read, a line each.
    pub fn complaints(&self) -> Vec<String> {
        let line = |(file, broken): &(String, Broken)| {
            format!("{file}, record {}, line {}, byte {}: {}", broken.record, broken.line, broken.offset, broken.message)
        };
        let mut lines: Vec<String> = self.broken.iter().map(line).collect();
        let more = self.summary.broken_records.saturating_sub(lines.len() as u64);
        if more > 0 {
            lines.push(format!("{more} more records could not be read"));
        }
        lines
    }

    /// Everything so far reaches its reader. Gives the length of the target.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> io::Result<u64> {
        self.out.flush()?;
        Ok(self.out.length)
    }

    /// A snippet.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        self.summary.add(row);
        match self.format {
            Format::Text => self.text(row)?,
            Format::Json => {
                let separator = if self.rows > 0 { ",\n" } else { "\n" };
                write!(self.out, "{separator}{}", snippet(row))?;
            }
            Format::Jsonl => writeln!(self.out, "{}", snippet(row))?,
            Format::Csv => self.csv(row)?,
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                if let Some(table) = &mut self.table {
                    self.out.write_all(&table.add(entries(row))?)?;
                }
            }
            Format::Sarif => {
                for finding in row.judged.findings.iter().filter(|finding| self.style.shows(finding)) {
                    let separator = if self.rows > 0 { ",\n" } else { "\n" };
                    write!(self.out, "{separator}{}", result(row, finding))?;
                    self.rows += 1;
                }
                return Ok(());
            }
        }
        self.rows += 1;
        Ok(())
    }

    fn text(&mut self, row: &Row) -> io::Result<()> {
        let Some(source) = row.judged.source.as_ref().filter(|_| row.judged.rejects) else { return Ok(()) };
        if self.shown.contains(&row.found.code) {
            return Ok(());
        }
        if self.shown.len() >= SHOWN && !self.style.verbose {
            self.hidden += 1;
            return Ok(());
        }
        self.shown.insert(Arc::clone(&row.found.code));
        let mut source = source.clone();
        source.name = name(row);
        let errors: Vec<Finding> = row.judged.findings.iter().filter(|f| f.level == Level::Error || self.style.verbose).cloned().collect();
        write_findings(&mut self.out, &source, &errors, self.style)
    }

    fn csv(&mut self, row: &Row) -> io::Result<()> {
        let fields = entries(row).map(|entry| match entry {
            Entry::Text(text) => text,
            Entry::Number(n) => n.to_string(),
            Entry::Missing => String::new(),
        });
        let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
        writer.write_record(&fields).map_err(io::Error::other)?;
        let line = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
        self.out.write_all(&line)
    }

    /// Ends the report.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        match self.format {
            Format::Json => {
                let broken = |(file, broken): &(String, Broken)| json!({"file": file, "record": broken.record, "line": broken.line, "offset": broken.offset, "message": broken.message});
                let broken: Vec<Value> = self.broken.iter().map(broken).collect();
                write!(self.out, "\n],\"broken\":{},", Value::from(broken))?;
                if self.stats {
                    write!(self.out, "\"stats\":{},", self.summary.stats())?;
                }
                writeln!(self.out, "\"summary\":{}}}", self.summary.json(elapsed))?;
            }
            Format::Sarif => {
                let tail = std::mem::take(&mut self.tail);
                writeln!(self.out, "{tail}")?;
            }
            Format::Text => self.totals(elapsed)?,
            Format::Jsonl | Format::Csv => {}
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                if let Some(mut table) = self.table.take() {
                    self.out.write_all(&table.finish()?)?;
                }
            }
        }
        self.out.flush()
    }

    fn totals(&mut self, elapsed: u64) -> io::Result<()> {
        let Report { out, summary, hidden, unrecognised, stats, .. } = self;
        if *hidden > 0 {
            writeln!(out, "{hidden} more rejected snippets are not shown; --verbose shows all, --format jsonl lists them\n")?;
        }
        if !unrecognised.is_empty() {
            let names: Vec<String> = unrecognised.iter().take(5).map(|name| plain(name)).collect();
            let more = if summary.unrecognised > 5 { format!(" and {} more", summary.unrecognised - 5) } else { String::new() };
            writeln!(out, "no code that is known: {}{more}\n", names.join(", "))?;
        }
        let seconds = elapsed as f64 / 1000.0;
        let names = crate::cards::all().iter().map(|card| (card.meta.code.as_str(), card.meta.name.as_str())).collect::<Vec<_>>();
        if !summary.errors_by_code.is_empty() {
            writeln!(out, "rejected by rule")?;
            let mut codes: Vec<_> = summary.errors_by_code.iter().collect();
            codes.sort_by_key(|(code, count)| (std::cmp::Reverse(**count), (*code).clone()));
            for (code, count) in codes {
                let name = names.iter().find(|(known, _)| known == code).map_or("", |(_, name)| name);
                writeln!(out, "{count:>8}  {code} {name}")?;
            }
            writeln!(out)?;
        }
        table(out, "by format", &summary.formats)?;
        table(out, "by model", &summary.models)?;
        table(out, "by file", &summary.by_file)?;
        let repeated = summary.repeated(5);
        if !repeated.is_empty() {
            writeln!(out, "most repeated")?;
            for repeated in repeated {
                let line: String = plain(repeated.code.trim().lines().next().unwrap_or("")).chars().take(60).collect();
                let verdict = if repeated.rejects { "rejected" } else { "" };
                writeln!(out, "{:>8}  {verdict:<8}  {}  {line}", repeated.count, plain(&repeated.first))?;
            }
            writeln!(out)?;
        }
        if summary.retried > 0 {
            writeln!(out, "rejected snippets that were tried again unchanged in the next turn: {}\n", summary.retried)?;
        }
        if *stats {
            outcomes(out, summary)?;
        }
        let count = |n: u64, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        writeln!(
            out,
            "{}, {}: {} ({} distinct), {} rejected; {} passed over, {} left out, {} not readable; {:.1} MB in {seconds:.1} s",
            count(summary.files, "file"),
            count(summary.records, "record"),
            count(summary.snippets, "snippet"),
            summary.distinct,
            summary.rejected,
            count(summary.fragments, "fragment"),
            if summary.copies == 1 { "1 copy".to_owned() } else { format!("{} copies", summary.copies) },
            count(summary.broken_records, "record"),
            summary.bytes as f64 / 1e6,
        )
    }
}

/// What a table has of a snippet in one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// Text.
    Text(String),
    /// A number.
    Number(u64),
    /// Nothing is known.
    Missing,
}

/// The columns of a table, and whether they are of numbers.
pub const COLUMNS: [(&str, bool); 15] = [
    ("id", false),
    ("format", false),
    ("file", false),
    ("record", true),
    ("line", true),
    ("json_path", false),
    ("start", true),
    ("turn", true),
    ("model", false),
    ("time", false),
    ("tool", false),
    ("observed", false),
    ("verdict", false),
    ("codes", false),
    ("message", false),
];

/// A snippet as a row of a table.
fn entries(row: &Row) -> [Entry; COLUMNS.len()] {
    let found = &row.found;
    let text = |text: &str| if text.is_empty() { Entry::Missing } else { Entry::Text(text.to_owned()) };
    let mut codes: Vec<&str> = row.judged.errors().map(|finding| finding.code.as_str()).collect();
    codes.dedup();
    let message = row.judged.errors().next().map_or("", |finding| &finding.message);
    [
        text(&id(row)),
        text(found.format),
        text(&row.file),
        Entry::Number(row.place.record),
        Entry::Number(row.place.line),
        text(&found.json_path),
        Entry::Number(found.start.into()),
        found.turn.map_or(Entry::Missing, Entry::Number),
        text(found.model.as_deref().unwrap_or_default()),
        text(found.time.as_deref().unwrap_or_default()),
        text(found.tool.as_deref().unwrap_or_default()),
        text(found.observed.map_or("", Observed::name)),
        text(row.judged.verdict()),
        text(&codes.join(" ")),
        text(&plain(message)),
    ]
}

/// Names with how many snippets are theirs, those with most rejections first.
fn table(out: &mut dyn Write, title: &str, names: &std::collections::BTreeMap<String, (u64, u64)>) -> io::Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    writeln!(out, "{title}: rejected of snippets")?;
    let mut all: Vec<_> = names.iter().collect();
    all.sort_by_key(|(name, (snippets, rejected))| (std::cmp::Reverse(*rejected), std::cmp::Reverse(*snippets), (*name).clone()));
    for (name, (snippets, rejected)) in all.iter().take(10) {
        writeln!(out, "{rejected:>8} of {snippets:<8}  {}", plain(name))?;
    }
    if all.len() > 10 {
        writeln!(out, "          and {} more", all.len() - 10)?;
    }
    writeln!(out)
}

/// Verdicts against what the log says of how snippets ended.
fn outcomes(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    let columns = [Some(Observed::Finished), Some(Observed::Raised), Some(Observed::TimedOut), None];
    writeln!(out, "verdict   {:>10} {:>10} {:>10} {:>10}", "finished", "raised", "timed_out", "unknown")?;
    for verdict in ["reject", "bound", "syntax", "error"] {
        let counts = columns.map(|observed| summary.outcomes.get(&(verdict, observed)).copied().unwrap_or(0));
        if ["reject", "bound"].contains(&verdict) || counts.iter().any(|count| *count > 0) {
            writeln!(out, "{verdict:<9} {:>10} {:>10} {:>10} {:>10}", counts[0], counts[1], counts[2], counts[3])?;
        }
    }
    writeln!(out)
}

/// How text names a snippet.
fn name(row: &Row) -> String {
    let turn = row.found.turn.map(|turn| format!(", turn {turn}")).unwrap_or_default();
    format!("{} record {}{turn} {}", row.file, row.place.record, row.found.json_path)
}

/// What a snippet is called for good: by where it is.
fn id(row: &Row) -> String {
    let hash = Sha256::digest(format!("{}\0{}\0{}\0{}", row.file, row.place.record, row.found.json_path, row.found.start));
    // Several snippets of one shell command begin at the same place.
    let own = Sha256::digest(row.found.code.as_bytes());
    format!("{}{}", hex(&hash[..6]), hex(&own[..2]))
}

/// A snippet as JSON.
pub fn snippet(row: &Row) -> Value {
    let found = &row.found;
    let findings = match &row.judged.source {
        Some(source) => json_report::findings(source, &row.judged.findings),
        None => Value::Array(Vec::new()),
    };
    let mut object = Map::new();
    let parts = [
        ("id", json!(id(row))),
        ("format", json!(found.format)),
        ("file", json!(&*row.file)),
        ("record", json!(row.place.record)),
        ("line", json!(row.place.line)),
        ("offset", json!(row.place.offset)),
        ("json_path", json!(found.json_path)),
        ("start", json!(found.start)),
        ("session", json!(found.session)),
        ("turn", json!(found.turn)),
        ("model", json!(found.model)),
        ("time", json!(found.time)),
        ("tool", json!(found.tool)),
        ("observed", json!(found.observed)),
        ("retried", json!(row.retried)),
        ("verdict", json!(row.judged.verdict())),
        ("findings", findings),
    ];
    object.extend(parts.map(|(key, value)| (key.to_owned(), value)));
    if let Some(error) = &row.judged.error {
        object.insert("error".into(), json!(error));
    }
    Value::Object(object)
}

fn result(row: &Row, finding: &Finding) -> Value {
    let mut region = Map::new();
    let mut line = row.place.line;
    // The text of a file maps to its lines; in JSON a snippet is somewhere in the lines of its record.
    if let Some(source) = row.judged.source.as_ref().filter(|_| ["python", "markdown", "text"].contains(&row.found.format)) {
        line = row.found.line_in_text + u64::from(source.position(finding.span.start).line) - 1;
    }
    region.insert("startLine".into(), json!(line.max(1)));
    let name = format!("{}, record {}, {}", finding.code, row.place.record, row.found.json_path);
    json!({
        "ruleId": finding.code,
        "ruleIndex": sarif::rule_index(&finding.code),
        "level": sarif::level(finding.level),
        "message": { "text": format!("{} {}", plain(&finding.message), plain(&finding.help)) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": sarif::uri(&row.file.replace('\\', "/")) },
                "region": region,
            },
            "logicalLocations": [{ "name": name, "fullyQualifiedName": row.found.json_path, "kind": "member" }],
        }],
        "partialFingerprints": { "antifreeze/v1": format!("{}-{}-{}", id(row), finding.code, finding.span.start) },
    })
}
