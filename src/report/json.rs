//! The JSON of `check`. Its schema is `check.schema.json` beside this file.
//!
//! Columns are 1-based characters, offsets bytes of the original text. Numbers saturate at 2⁵³ − 1, up to which every reader of JSON
//! keeps integers exact.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::{FileReport, Summary};
use crate::eval::{Guard, Measure};
use crate::rules::Finding;
use crate::source::Source;
use crate::syntax::Span;

/// The JSON Schema of [`check`].
pub const CHECK_SCHEMA: &str = include_str!("check.schema.json");

/// The version of the format; it rises when something is taken away or changes its meaning.
const VERSION: u32 = 1;

/// Numbers are not larger than this: 2⁵³ − 1.
const GREATEST: f64 = 9_007_199_254_740_991.0;

/// The whole report on some sources, as one object, with what could not be checked and why where there is such.
pub fn check(reports: &[FileReport], troubles: &[String]) -> Value {
    let mut whole = json!({
        "version": VERSION,
        "files": reports.iter().map(file).collect::<Vec<_>>(),
        "summary": Summary::of(reports),
    });
    if !troubles.is_empty() {
        whole["errors"] = json!(troubles);
    }
    whole
}

/// What could not be checked and why, a line of its own among those of [`file`].
pub fn trouble(message: &str) -> Value {
    json!({ "error": message })
}

/// The report on one source, one of `files`.
pub fn file(report: &FileReport) -> Value {
    let mut object = Map::new();
    object.insert("path".into(), json!(report.source.name));
    object.extend(judged(report));
    let elapsed = u64::try_from(report.elapsed.as_micros()).unwrap_or(u64::MAX).min(GREATEST as u64);
    object.insert("elapsed_us".into(), json!(elapsed));
    Value::Object(object)
}

/// What was decided on a source, whatever it is called and however long that took.
pub fn judged(report: &FileReport) -> Map<String, Value> {
    let coverage = json!({
        "statements": report.coverage.statements,
        "evaluated": report.coverage.evaluated,
        "out_of_fuel": report.coverage.out_of_fuel,
    });
    let parts = [
        ("verdict", json!(if report.rejects() { "reject" } else { "bound" })),
        ("findings", findings(&report.source, &report.findings)),
        ("guard_sites", guard_sites(&report.source, &report.guards)),
        ("coverage", coverage),
    ];
    parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Findings, as `check` and `run` show them.
pub fn findings(source: &Source, findings: &[Finding]) -> Value {
    findings.iter().map(|finding| self::finding(source, finding)).collect()
}

fn finding(source: &Source, finding: &Finding) -> Value {
    let mut object = Map::new();
    object.insert("code".into(), json!(finding.code));
    object.insert("name".into(), json!(finding.name));
    object.insert("level".into(), json!(finding.level));
    object.insert("message".into(), json!(finding.message));
    object.insert("help".into(), json!(finding.help));
    place(source, finding.span, &mut object);
    let [start, end] = [finding.span.start, finding.span.end].map(|offset| source.position(offset).offset);
    object.insert("offset".into(), json!(start));
    object.insert("length".into(), json!(end.saturating_sub(start)));
    object.insert("reach".into(), json!(finding.reach));
    object.insert("proof".into(), json!(finding.proof));
    object.insert("measure".into(), finding.measure.map_or(Value::Null, |measure| self::measure(measure, finding.limit)));
    Value::Object(object)
}

/// Guard sites, as `check` and `run` show them.
pub fn guard_sites(source: &Source, guards: &[Guard]) -> Value {
    let site = |guard: &Guard| {
        let mut object = Map::new();
        place(source, guard.span, &mut object);
        object.insert("op".into(), json!(guard.op));
        Value::Object(object)
    };
    guards.iter().map(site).collect()
}

/// Line and column of both ends.
fn place(source: &Source, span: Span, object: &mut Map<String, Value>) {
    let start = source.position(span.start);
    let end = source.position(span.end.max(span.start));
    if let Some(cell) = start.cell {
        object.insert("cell".into(), json!(cell));
    }
    object.insert("line".into(), json!(start.line));
    object.insert("column".into(), json!(start.column));
    object.insert("end_line".into(), json!(end.line));
    object.insert("end_column".into(), json!(end.column));
}

fn measure(measure: Measure, limit: Option<(&'static str, f64)>) -> Value {
    json!({
        "unit": measure.unit,
        "low": number(measure.low),
        "high": if measure.high.is_infinite() { Value::Null } else { number(measure.high) },
        "limit": limit.map(|(_, value)| number(value)),
    })
}

/// A number within what JSON's readers keep exact; whole ones without a point.
pub fn number(value: f64) -> Value {
    if value.is_nan() {
        return json!(0);
    }
    let value = value.clamp(-GREATEST, GREATEST);
    if value.fract() == 0.0 { json!(value as i64) } else { json!(value) }
}

/// Writes one object and a newline.
pub fn write(out: &mut dyn Write, value: &Value, pretty: bool) -> io::Result<()> {
    if pretty { serde_json::to_writer_pretty(&mut *out, value) } else { serde_json::to_writer(&mut *out, value) }
        .map_err(io::Error::from)?;
    out.write_all(b"\n")
}
