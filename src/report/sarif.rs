//! SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>), for code scanning.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::Located;
use super::text::{Style, plain};
use crate::cards::{self, Card};
use crate::rules::{Finding, Level};

/// The whole report, as one log of one run, with what could not be checked and why where there is such.
pub fn log(reports: &[Located], troubles: &[String], style: Style) -> Value {
    let mut log = document(&reports.iter().flat_map(|report| results(report, style)).collect::<Vec<_>>());
    if !troubles.is_empty() {
        let notification = |message: &String| json!({ "level": "error", "message": { "text": message } });
        let notifications: Vec<Value> = troubles.iter().map(notification).collect();
        log["runs"][0]["invocations"] = json!([{ "executionSuccessful": false, "toolExecutionNotifications": notifications }]);
    }
    log
}

/// A log of one run with these results.
pub fn document(results: &[Value]) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "antifreeze",
                    "version": env!("CARGO_PKG_VERSION"),
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": cards::all().iter().map(rule).collect::<Vec<_>>(),
                }
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }]
    })
}

fn rule(card: &Card) -> Value {
    let section = |title: &str| card.sections.iter().find(|section| section.title == title).map_or("", |section| section.body.as_str());
    let sections = card.sections.iter().map(|section| format!("## {}\n\n{}", section.title, section.body));
    let markdown = sections.collect::<Vec<_>>().join("\n\n");
    json!({
        "id": card.meta.code,
        "name": card.meta.name,
        "shortDescription": { "text": card.meta.name.replace('-', " ") },
        "fullDescription": { "text": joined(section("What it does")) },
        "help": { "text": format!("{}\n\n{}", joined(section("Why it freezes")), filled(card)), "markdown": markdown },
        "defaultConfiguration": { "level": card.meta.level.get("library").map_or("error", String::as_str) },
    })
}

/// What to write instead, where nothing is known of a place.
fn filled(card: &Card) -> String {
    card.meta.words.iter().fold(card.meta.help.clone(), |help, (name, word)| help.replace(&format!("{{{name}}}"), word))
}

/// A paragraph as one line.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn results<'a>(report: &'a Located, style: Style) -> impl Iterator<Item = Value> + 'a {
    let shown = move |(finding, _): &(&Finding, String)| style.shows(finding);
    report.findings().filter(shown).map(|(finding, fingerprint)| result(report, finding, &fingerprint))
}

fn result(report: &Located, finding: &Finding, fingerprint: &str) -> Value {
    let source = &report.report.source;
    let (start, end) = (source.position(finding.span.start), source.position(finding.span.end.max(finding.span.start)));
    let mut place = Map::new();
    place.insert("artifactLocation".into(), json!({ "uri": uri(report.path) }));
    let mut location = Map::new();
    match start.cell {
        // A notebook's file has no lines of its own that would mean anything.
        Some(cell) => {
            location.insert("logicalLocations".into(), json!([{ "name": format!("cell {cell}"), "kind": "member" }]));
        }
        None => {
            let region = json!({
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line,
                "endColumn": end.column,
            });
            place.insert("region".into(), region);
        }
    }
    location.insert("physicalLocation".into(), Value::Object(place));
    json!({
        "ruleId": finding.code,
        "ruleIndex": rule_index(&finding.code),
        "level": level(finding.level),
        "message": { "text": format!("{}{} {}", report.cell(start), plain(&finding.message), plain(&finding.help)) },
        "locations": [location],
        "partialFingerprints": { "antifreeze/v1": fingerprint },
    })
}

/// The place of a rule among those of the run.
pub fn rule_index(code: &str) -> Option<usize> {
    cards::all().iter().position(|card| card.meta.code == code)
}

/// A level in SARIF's words.
pub fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

/// A relative path as a URI reference (RFC 3986): what is not plain is written in percents.
pub fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
