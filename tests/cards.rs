//! The cards are complete, and what they say of their examples is what the gate says.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use antifreeze::cards::{self, Card};
use antifreeze::eval::Settings;
use antifreeze::limits::{Limits, limit_sentence};
use antifreeze::rules::{self, Level, Profile};
use antifreeze::source::Source;
use antifreeze::verdict;

fn each(check: impl FnMut(&'static Card)) {
    assert!(!cards::all().is_empty());
    cards::all().iter().for_each(check);
}

#[test]
fn the_list_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of cards is there")
        .map(|entry| entry.expect("it can be read").file_name().into_string().expect("names are plain"))
        .collect();
    names.sort();
    let listed: Vec<String> = cards::all().iter().map(|card| format!("{}.md", card.meta.code)).collect();
    assert_eq!(listed, names, "src/cards/list.rs holds every file of rules/, in order of code");
}

#[test]
fn codes_and_names_are_well_formed_and_unique() {
    let mut seen = BTreeSet::new();
    each(|card| {
        let meta = &card.meta;
        assert!(cards::is_code(&meta.code), "{}", meta.code);
        assert!(meta.name.split('-').all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase())), "{}", meta.name);
        assert!(seen.insert(meta.code.clone()) && seen.insert(meta.name.clone()), "{} is there twice", meta.code);
    });
}

#[test]
fn every_card_has_every_section() {
    each(|card| {
        let titles: Vec<&str> = card.sections.iter().map(|section| section.title.as_str()).collect();
        assert_eq!(titles, cards::SECTIONS, "{}", card.meta.code);
        assert!(card.sections.iter().all(|section| section.body.len() > 40), "{} has an empty section", card.meta.code);
    });
}

#[test]
fn front_matter_names_what_exists() {
    each(|card| {
        let meta = &card.meta;
        assert!(!meta.facts.is_empty(), "{} is about no fact", meta.code);
        for fact in &meta.facts {
            assert!(rules::fact_kind(fact).is_some(), "{}: `{fact}` is no kind of fact", meta.code);
        }
        if let Some(limit) = &meta.limit {
            assert!(Limits::NAMES.contains(&limit.as_str()), "{}: `{limit}` is no limit", meta.code);
        }
        assert!(meta.level.keys().all(|profile| profile == "agent" || profile == "library"), "{}", meta.code);
        // Panics on a level that is none.
        rules::level::Policy::of(card);
    });
}

#[test]
fn a_message_is_whole_without_any_word() {
    each(|card| {
        let meta = &card.meta;
        for template in [&meta.message, &meta.help, &meta.label] {
            for name in template.split('{').skip(1).map(|part| part.split('}').next().expect("split gives one part")) {
                let amount = match meta.limit.as_deref() {
                    Some("int_bits") => ["bits", "limit"].contains(&name),
                    Some("timeout") => ["seconds", "limit"].contains(&name),
                    Some(_) => ["bytes", "processes", "limit"].contains(&name),
                    None => false,
                };
                assert!(amount || meta.words.contains_key(name), "{}: `{{{name}}}` has no default", meta.code);
            }
        }
        assert!(meta.message.ends_with('.') && meta.help.ends_with('.'), "{}: message and help are sentences", meta.code);
        if meta.limit.is_some() {
            assert!(meta.message.contains("{limit}"), "{}: the message names the limit", meta.code);
        }
    });
}

#[test]
fn the_gate_and_the_guards_use_one_wording() {
    for (code, op) in [("AF101", "**"), ("AF102", "<<"), ("AF103", "*")] {
        let meta = &cards::find(code).expect("the card is there").meta;
        let said = meta.message.replace("{op}", op).replace("{bits}", "1000001").replace("{limit}", "1000000");
        assert_eq!(format!("{said} {}", meta.help), limit_sentence(op, 1_000_001, 1_000_000));
    }
}

#[test]
fn every_card_has_examples_and_only_the_bad_ones_are_annotated() {
    each(|card| {
        let code = &card.meta.code;
        let count = |bad| card.examples.iter().filter(|example| example.bad == bad).count();
        assert!(count(true) >= 4 && count(false) >= 4, "{code} has {} bad and {} good examples", count(true), count(false));
        for example in &card.examples {
            assert_eq!(example.bad, example.expected.iter().any(|(_, expected)| expected == code), "{code}:\n{}", example.code);
            assert!(example.bad || example.expected.is_empty(), "{code}:\n{}", example.code);
        }
    });
}

/// What the gate says of the examples of a card, where it is not what is annotated.
fn differences(card: &Card) -> String {
    let mut differences = String::new();
    for example in &card.examples {
        let checked = {
            let source = Source::from_text("example.py", &example.code).expect("cards are text");
            verdict::check(source, &Settings::default(), card.meta.profile.unwrap_or(Profile::Agent))
        };
        let mut said: Vec<(u32, String)> = checked
            .verdict
            .findings
            .iter()
            // Of a card whose findings are notes, the notes count.
            .filter(|finding| {
                let notes = card.meta.level.values().any(|level| level == "note");
                finding.level > Level::Note || (notes && finding.code == card.meta.code)
            })
            .map(|finding| (checked.source.position(finding.span.start).line, finding.code.clone()))
            .collect();
        said.sort();
        said.dedup();
        let mut expected = example.expected.clone();
        expected.sort();
        if said != expected {
            let _ = writeln!(differences, "said {said:?}, expected {expected:?} of\n{}", example.code);
        }
    }
    differences
}

#[test]
fn the_gate_says_what_the_examples_say() {
    let mut failures = String::new();
    for card in cards::all() {
        let code = &card.meta.code;
        let differences = differences(card);
        if !differences.is_empty() {
            let _ = writeln!(failures, "== {code}\n{differences}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn a_broken_card_says_what_is_wrong() {
    for (text, error) in [
        ("code = 1", "starts with a line of `+++`"),
        ("+++\ncode = \"AF1\"\n", "ends with a line of `+++`"),
        ("+++\ncode = \"AF101\"\n+++\n", "missing field"),
        ("+++\nnonsense = 1\n+++\n", "unknown field `nonsense`"),
    ] {
        let said = cards::parse(text).expect_err(text);
        assert!(said.contains(error), "{said}");
    }
}

#[test]
fn annotations_are_read_and_strings_in_fences_are_no_headings() {
    let front = "+++\ncode = \"AF101\"\nname = \"n\"\nfact = [\"sleep\"]\nmessage = \"m\"\nhelp = \"h\"\nlabel = \"l\"\n+++\n";
    let body = "\n## Bad\n\n```python\n## no heading\nx = '# AF102'; y  # AF101 AF404 both\nz  # AFTER\n```\n\n## Good\n\n```text\nno Python\n```\n";
    let card = cards::parse(&format!("{front}{body}")).expect("it parses");
    assert_eq!(card.sections.len(), 2);
    assert_eq!(card.examples.len(), 1);
    assert_eq!(card.examples[0].expected, [(2, "AF101".to_owned()), (2, "AF404".to_owned())]);
}

/// How CPython takes code: the exit status, or nothing if it was still running after `patience` (it is killed then).
fn under_cpython(code: &str, patience: Duration) -> Option<std::process::ExitStatus> {
    let mut child = Command::new("python3")
        .args(["-I", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("python3 is on PATH");
    child.stdin.take().expect("stdin is piped").write_all(code.as_bytes()).expect("python3 reads its stdin");
    let start = Instant::now();
    while start.elapsed() < patience {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it can be killed");
    child.wait().expect("it can be waited for");
    None
}

#[test]
fn good_examples_finish_under_cpython() {
    let mut failures = String::new();
    each(|card| {
        for example in card.examples.iter().filter(|example| !example.bad) {
            match under_cpython(&example.code, Duration::from_secs(20)) {
                Some(status) if status.success() => {}
                other => {
                    let _ = writeln!(failures, "{}: {other:?} of\n{}", card.meta.code, example.code);
                }
            }
        }
    });
    assert!(failures.is_empty(), "{failures}");
}

#[test]
#[ignore = "waits three seconds for each bad example; run with --ignored after a change of the cards"]
fn bad_examples_do_not_finish_under_cpython() {
    let mut failures = String::new();
    // Claims about bits are tested by the guards, and claims about the source by the parser.
    each(|card| {
        for example in card.examples.iter().filter(|example| example.bad && card.meta.limit.as_deref() == Some("timeout")) {
            if let Some(status) = under_cpython(&example.code, Duration::from_secs(3)) {
                let _ = writeln!(failures, "{}: {status} of\n{}", card.meta.code, example.code);
            }
        }
    });
    assert!(failures.is_empty(), "{failures}");
}
