//! What the gate says of whole programs, line by line. Each file of `tests/verdicts/` names its profile in the first line, with `, of a
//! file` where other processes can import it, and marks each line about which something is said (`# error: AF402`, `# warning: AF501`); of every other line nothing is.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use antifreeze::eval::Settings;
use antifreeze::rules::{Level, Profile};
use antifreeze::source::Source;
use antifreeze::verdict;

type Said = BTreeSet<(u32, String, String)>;

fn expected(text: &str) -> Said {
    let mut out = Said::new();
    for (at, line) in text.lines().enumerate() {
        for (mark, level) in [("# error: ", "error"), ("# warning: ", "warning")] {
            if let Some((_, codes)) = line.split_once(mark) {
                out.extend(codes.split_whitespace().map(|code| (at as u32 + 1, level.to_owned(), code.to_owned())));
            }
        }
    }
    out
}

fn said(text: &str) -> Said {
    let first = text.lines().next().unwrap_or("");
    let (profile, is_file) = match first.trim() {
        "# profile: library" => (Profile::Library, false),
        "# profile: agent" => (Profile::Agent, false),
        "# profile: agent, of a file" => (Profile::Agent, true),
        other => panic!("the first line names the profile, not {other:?}"),
    };
    let settings = Settings { is_main: profile == Profile::Agent, is_file, ..Settings::default() };
    let checked = verdict::check(Source::from_text("case.py", text).expect("cases are text"), &settings, profile);
    let level = |level: Level| if level == Level::Error { "error" } else { "warning" };
    let findings = checked.verdict.findings.iter().filter(|finding| finding.level > Level::Note);
    findings.map(|f| (checked.source.position(f.span.start).line, level(f.level).to_owned(), f.code.clone())).collect()
}

#[test]
fn every_case_is_judged_as_marked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts");
    let mut failures = String::new();
    let mut cases = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        let text = std::fs::read_to_string(&path).expect("cases are UTF-8");
        cases += 1;
        let (said, expected) = (said(&text), expected(&text));
        if said != expected {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let missing: Vec<_> = expected.difference(&said).collect();
            let unexpected: Vec<_> = said.difference(&expected).collect();
            let _ = writeln!(failures, "{name}: missing {missing:?}, unexpected {unexpected:?}");
        }
    }
    assert!(cases > 0 && failures.is_empty(), "{failures}");
}
