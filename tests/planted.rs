//! Freezing snippets planted into copies of the standard library's files are found there; their harmless twins are not.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use antifreeze::eval::Settings;
use antifreeze::rules::{Level, Profile};
use antifreeze::source::Source;
use antifreeze::verdict;
use serde::Deserialize;

/// Of so many planted hazards at least so many are reported.
const PLANTED: usize = 50;
const REPORTED: usize = 45;

#[derive(Deserialize)]
struct Planted {
    file: String,
    first: u32,
    last: u32,
    kind: String,
    form: String,
    codes: Vec<String>,
}

/// What is reported on the planted lines: codes, with the level.
fn reported(path: &std::path::Path, planted: &Planted) -> Vec<(String, Level)> {
    let source = Source::from_path(path).expect("it was just written");
    let settings = Settings { is_main: false, ..Settings::default() };
    let checked = verdict::check(source, &settings, Profile::Library);
    let findings = checked.verdict.findings.iter().filter(|finding| {
        let line = checked.source.position(finding.span.start).line;
        finding.level > Level::Note && (planted.first..=planted.last).contains(&line)
    });
    findings.map(|finding| (finding.code.clone(), finding.level)).collect()
}

#[test]
fn hazards_planted_into_the_standard_library_are_reported() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("planted");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/planted.py");
    let output = Command::new("python3").arg(script).arg(&folder).output().expect("python3 is on PATH");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = String::from_utf8(output.stdout).expect("it is JSON");
    let (mut hazards, mut hits, mut missed, mut wrong) = (0, 0, String::new(), String::new());
    for row in rows.lines() {
        let planted: Planted = serde_json::from_str(row).expect("each line is an object");
        let said = reported(&folder.join(&planted.file), &planted);
        if planted.codes.is_empty() {
            if !said.is_empty() {
                let _ = writeln!(wrong, "{} {} {}: {said:?}", planted.kind, planted.form, planted.file);
            }
            continue;
        }
        hazards += 1;
        // Waits are warnings in a library; all else has to be an error.
        let hit = said.iter().any(|(code, level)| planted.codes.contains(code) && (*level == Level::Error || code == "AF501"));
        if hit {
            hits += 1;
        } else {
            let _ = writeln!(missed, "{} {} {}: {said:?}", planted.kind, planted.form, planted.file);
        }
    }
    assert_eq!(hazards, PLANTED);
    assert!(wrong.is_empty(), "of harmless snippets is said:\n{wrong}");
    assert!(hits >= REPORTED, "{hits} of {hazards} reported; not:\n{missed}");
}
