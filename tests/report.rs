//! What reports look like, and that nothing a program contains can upset them.

mod common;

use antifreeze::eval::{Fact, FactKind, Proof, Reach, Unit};
use antifreeze::report::text::{Color, Style, excerpt, write_concise, write_full};
use antifreeze::report::{FileReport, json};
use antifreeze::rules::Profile;
use antifreeze::source::Source;
use antifreeze::syntax::Span;
use common::{assert_valid, assert_valid_line, fact, huge_power, measured, report, sleep, words};
use serde_json::json;

fn full(reports: &[FileReport], style: Style) -> String {
    let mut out = Vec::new();
    write_full(&mut out, reports, style).expect("a vector takes everything");
    String::from_utf8(out).expect("reports are UTF-8")
}

fn concise(reports: &[FileReport]) -> String {
    let mut out = Vec::new();
    write_concise(&mut out, reports, Style::default()).expect("a vector takes everything");
    String::from_utf8(out).expect("reports are UTF-8")
}

/// Holds a rendering against `snapshots/NAME.snap`.
fn snapshot(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// A script with several hazards.
fn sample() -> FileReport {
    let text = "import time\nx = 10 ** 10 ** 8\nn = 0\nwhile n < 2:\n    n *= 2\n\ndef wait():\n    time.sleep(100)\n";
    let endless = words(
        fact(FactKind::EndlessLoop, text, "while n < 2:\n    n *= 2"),
        [("loop", "while n < 2"), ("reason", "the state of iteration 3 repeats that of iteration 1")],
    );
    let sleep = Fact { reach: Reach::Defined, ..sleep(text, "time.sleep(100)", 100.0) };
    report("job.py", text, &[huge_power(text), endless, sleep], Profile::Agent)
}

#[test]
fn text_shows_code_place_limit_and_help() {
    snapshot("check_text", &full(&[sample()], Style::default()));
}

#[test]
fn concise_is_a_line_per_finding() {
    let text = concise(&[sample()]);
    assert_eq!(text.lines().count(), 4);
    snapshot("check_concise", &text);
}

#[test]
fn json_is_as_designed() {
    let value = json::check(&[sample()], &[]);
    assert_valid(&value);
    assert_valid_line(&json::file(&sample()));
    snapshot("check_json", &format!("{value:#}"));
}

#[test]
fn awkward_lines_are_shown_whole_or_cut() {
    let long = format!("data = [{}10 ** 10 ** 8{}]\n", "1, ".repeat(5000), ", 2".repeat(5000));
    let texts = [
        ("tabs.py", "if True:\n\tx = [\t10 ** 10 ** 8]\t# tab\n".to_owned()),
        ("wide.py", "名前 = '日本語' ; 値 = 10 ** 10 ** 8  # ｗｉｄｅ\n".to_owned()),
        ("crlf.py", "a = 1\r\nb = 10 ** 10 ** 8\r\nc = 3\r\n".to_owned()),
        ("last.py", "10 ** 10 ** 8".to_owned()),
        ("control.py", "s = '\x1b[31m\u{202e}'; x = 10 ** 10 ** 8\n".to_owned()),
        ("long.py", long),
    ];
    let reports: Vec<FileReport> =
        texts.iter().map(|(name, text)| report(name, text, &[huge_power(&text.replace("\r\n", "\n"))], Profile::Agent)).collect();
    let text = full(&reports, Style::default());
    assert!(text.lines().all(|line| line.chars().count() < 200), "{text}");
    assert!(!text.contains(['\x1b', '\r', '\u{202e}']), "control characters of the program reach the terminal");
    snapshot("check_awkward", &text);
    assert_valid(&json::check(&reports, &[]));
}

#[test]
fn no_span_upsets_a_report() {
    let texts = ["", "\n", "\r\n", "x", "é\nü", "\t\ta\n", "a\n\n\nb", "日本\r\n語", "\u{feff}x\u{1}y", "👩‍👩‍👧\u{301}\u{301}\n"];
    let mut shown = 0;
    for text in texts {
        let beyond = text.len() as u32 + 3;
        for (start, end) in
            (0..beyond).flat_map(|start| (0..beyond).map(move |end| (start, end))).chain([(u32::MAX, u32::MAX), (0, u32::MAX)])
        {
            let odd = Fact { span: Span { start, end }, ..fact(FactKind::EndlessLoop, text, "") };
            let report = report("odd.py", text, &[odd], Profile::Agent);
            for color in [false, true] {
                let text = full(std::slice::from_ref(&report), Style { color, verbose: true });
                assert!(text.contains("AF401 endless-loop"), "{text}");
                shown += 1;
            }
            assert_valid(&json::check(&[report], &[]));
        }
    }
    assert!(shown > 500);
}

#[test]
fn an_excerpt_underlines_the_first_line_of_a_span() {
    let text = "a = 1\nwhile True:\n    pass\nb = 2\n";
    let start = text.find("while").expect("it is there") as u32;
    let found = excerpt(&Source::from_text("x.py", text).expect("it is text"), Span { start, end: start + 20 });
    assert_eq!(&found.text[found.start..found.start + found.length], "while True:");
    assert_eq!((found.first_line, found.at), (1, (2, 1)));
    assert_eq!(found.text, "a = 1\nwhile True:\n    pass\n");
}

#[test]
fn colours_change_nothing_else() {
    let (plain, coloured) = (full(&[sample()], Style::default()), full(&[sample()], Style { color: true, verbose: false }));
    assert!(!plain.contains('\x1b'));
    assert!(coloured.contains("\x1b["));
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\x1b[") {
        stripped.push_str(before);
        rest = after.split_once('m').expect("an escape ends").1;
    }
    stripped.push_str(rest);
    let blanks = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(blanks(&stripped), blanks(&plain));
}

#[test]
fn the_flag_counts_before_the_environment_and_that_before_the_stream() {
    let wanted = |color: Color, terminal: bool, variables: &[(&str, &str)]| {
        color.wanted_in(terminal, |name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    };
    assert!(wanted(Color::Auto, true, &[]));
    assert!(!wanted(Color::Auto, false, &[]));
    assert!(!wanted(Color::Auto, true, &[("NO_COLOR", "1")]));
    assert!(wanted(Color::Auto, true, &[("NO_COLOR", "")]));
    assert!(wanted(Color::Auto, false, &[("CLICOLOR_FORCE", "1")]));
    assert!(!wanted(Color::Auto, false, &[("CLICOLOR_FORCE", "0")]));
    assert!(!wanted(Color::Auto, true, &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")]));
    assert!(!wanted(Color::Auto, true, &[("TERM", "dumb")]));
    assert!(wanted(Color::Always, false, &[("NO_COLOR", "1")]));
    assert!(!wanted(Color::Never, true, &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn numbers_stay_exact_in_every_reader() {
    let text = "x = 1";
    let facts = [
        measured(fact(FactKind::IntegerPower, text, "x"), Unit::Bits, 18_446_744_073_709_551_615.0, f64::INFINITY),
        measured(fact(FactKind::Sleep, text, "1"), Unit::Seconds, 30.5, 40.0),
        fact(FactKind::EndlessLoop, text, "="),
    ];
    let value = json::check(&[report("n.py", text, &facts, Profile::Agent)], &[]);
    assert_valid(&value);
    let measures: Vec<_> = value["files"][0]["findings"].as_array().expect("a list").iter().map(|finding| &finding["measure"]).collect();
    let greatest = (1_u64 << 53) - 1;
    assert_eq!(measures[0], &json!({"unit": "bits", "low": greatest, "high": null, "limit": 1_000_000}));
    assert_eq!(measures[1], &json!({"unit": "seconds", "low": greatest, "high": null, "limit": 30}));
    assert_eq!(measures[2], &json!({"unit": "seconds", "low": 30.5, "high": 40, "limit": 30}));
}

#[test]
fn places_are_characters_from_one_and_offsets_bytes() {
    let text = "é = 1\nü = 10 ** 10 ** 8\n";
    let value = json::check(&[report("p.py", text, &[huge_power(text)], Profile::Agent)], &[]);
    let found = &value["files"][0]["findings"][0];
    assert_eq!([&found["line"], &found["column"], &found["end_line"], &found["end_column"]], [2, 5, 2, 18]);
    assert_eq!([&found["offset"], &found["length"]], [12, 13]);
    assert_eq!(value["files"][0]["guard_sites"], json!([{"line": 2, "column": 5, "end_line": 2, "end_column": 18, "op": "**"}]));
}

#[test]
fn summaries_count() {
    let fine = || report("fine.py", "1\n", &[], Profile::Agent);
    let likely = Fact { proof: Proof::Likely, ..huge_power("10 ** 10 ** 8") };
    let warned = report("w.py", "10 ** 10 ** 8", &[likely], Profile::Agent);
    let last = |reports: &[FileReport]| full(reports, Style::default()).lines().last().map(str::to_owned).expect("a summary");
    assert_eq!(last(&[]), "0 files checked: not rejected (0 errors, 0 warnings)");
    assert_eq!(last(&[fine()]), "1 file checked: not rejected (0 errors, 0 warnings)");
    assert_eq!(last(&[sample()]), "1 file checked: rejected (2 errors, 1 warning)");
    assert_eq!(last(&[sample(), warned, fine()]), "3 files checked: 1 rejected (2 errors, 2 warnings)");
    assert_valid(&json::check(&[], &[]));
    assert_eq!(json::check(&[sample(), fine()], &[])["summary"], json!({"files": 2, "rejected": 1, "errors": 2, "warnings": 1}));
}

#[test]
fn the_readme_shows_what_is_said() {
    let file = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        std::fs::read_to_string(path).expect("it is in the repository")
    };
    let text = file("examples/freeze.py");
    let said = full(&[report("examples/freeze.py", &text, &[huge_power_in_code(&text)], Profile::Agent)], Style::default());
    assert!(file("README.md").contains(&said), "{said}");
}

/// The docstring may speak of the power too; the code is below.
fn huge_power_in_code(text: &str) -> Fact {
    let start = text.rfind("10 ** 10 ** 8").expect("it is there") as u32;
    Fact { span: Span { start, end: start + 13 }, ..huge_power(text) }
}

#[test]
fn a_rescued_source_is_shown_as_it_was_written() {
    let text = "Here you are:\n```python\nimport math\nx = 10 ** 10 ** 8\n```\n";
    let (source, _) = antifreeze::syntax::parse(Source::from_text("answer.md", text).expect("it is text"));
    let facts = [huge_power(&source.text)];
    let rescued = FileReport { source, ..report("answer.md", text, &facts, Profile::Agent) };
    let said = full(&[rescued], Style::default());
    assert!(said.contains("[answer.md:4:5]\n 3 │ import math\n 4 │ x = 10 ** 10 ** 8\n   ·     ───"), "{said}");
}
