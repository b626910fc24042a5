//! What is counted of regular expressions, held beside CPython: a matcher in Python that runs the code `re` itself compiles, and `re`.
//!
//! `ANTIFREEZE_SOAK=1` takes many more patterns.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use antifreeze::value::regex::ambiguity::{self, Attack, Growth};
use antifreeze::value::regex::steps::{Method, Pumped, count, count_pumped};
use antifreeze::value::regex::{Failure, Program};
use serde_json::{Value, json};

/// States that counting may take in these tests.
const BUDGET: u64 = 1_000_000;

fn soak() -> bool {
    std::env::var_os("ANTIFREEZE_SOAK").is_some()
}

/// The lines of JSON that a script in `tests/regex` prints.
fn lines(script: &str, args: &[String], input: &str) -> Vec<Value> {
    let path = format!("{}/tests/regex/{script}", env!("CARGO_MANIFEST_DIR"));
    let mut child = Command::new("python3")
        .arg("-B")
        .arg(path)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("python3 is on PATH");
    let (mut stdin, input) = (child.stdin.take().expect("stdin is piped"), input.to_owned());
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let out = child.wait_with_output().expect("it can be waited for");
    writer.join().expect("it writes").expect("all is read");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).expect("it prints text").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn method(name: &str) -> Method {
    match name {
        "match" => Method::Match,
        "fullmatch" => Method::Fullmatch,
        "search" => Method::Search,
        _ => Method::All(u64::MAX),
    }
}

fn chars(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

#[test]
fn small_patterns_match_where_re_matches_and_take_the_steps_it_takes() {
    let (wanted, seed) = if soak() { ("200000", "soak") } else { ("4000", "antifreeze") };
    let (mut failures, mut known, mut total) = (Vec::new(), 0, 0);
    for line in lines("small.py", &[wanted.to_owned(), seed.to_owned()], "") {
        total += 1;
        let (pattern, text) = (line[0].as_str().expect("a pattern"), line[2].as_str().expect("a text"));
        let method = method(line[3].as_str().expect("a method"));
        let program = match Program::of_str(pattern, line[1].as_u64().expect("flags") as u32) {
            Ok(program) => program,
            Err(failure) => {
                if failure == Failure::Invalid {
                    failures.push(format!("{line}: invalid"));
                }
                continue;
            }
        };
        let Some(run) = count(&program, &chars(text), method, BUDGET) else { continue };
        known += 1;
        let found: Vec<(u32, u32)> = serde_json::from_value(line[4].clone()).expect("spans");
        let (jumps, scans) = (line[5].as_f64().expect("jumps"), line[6].as_f64().expect("scans"));
        // A start that fails at once is counted by some versions only, and so are starts that leave too little room.
        let starts = (text.chars().count() + 1 + 2 * found.len()) as f64;
        // Where case is ignored, what is outside ASCII is left open.
        let open = pattern.contains('é');
        let one = matches!(method, Method::Match | Method::Fullmatch) && !open;
        let close = run.work.jumps <= jumps
            && run.work.scans <= scans
            && (!(one || program.width < 2 && !open) || (run.work.jumps + starts >= jumps && (run.work.scans == scans || !one)));
        if run.matches != found || !close {
            failures.push(format!("{line}: {run:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of {total}:\n{}", failures.len(), failures[..failures.len().min(20)].join("\n"));
    assert!(known * 10 > total * 8, "only {known} of {total} are known");
}

#[test]
fn what_re_takes_parses_and_what_it_refuses_does_not() {
    let mut failures = Vec::new();
    let mut beyond = 0;
    for line in lines("syntax.py", &["12000".to_owned()], "") {
        let (text, flags) = (line[0].as_str().expect("a text"), line[1].as_u64().expect("flags") as u32);
        let parsed = if line[2] == json!(true) { Program::of_bytes(text.as_bytes(), flags) } else { Program::of_str(text, flags) };
        // What is new in 3.11 is an error before.
        let (ok, since) = (line[3] == json!(true), parsed.as_ref().map_or(9, |program| program.since));
        match parsed {
            Err(Failure::Beyond) => beyond += 1,
            parsed if parsed.is_ok() != ok && since == 9 => failures.push(format!("{line}: {:?}", parsed.map(|p| p.ops))),
            _ => {}
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures[..failures.len().min(20)].join("\n"));
    assert!(beyond < 2000, "{beyond} are beyond what is looked at");
}

/// A small generator of pseudo-random numbers, so that each run of a test is the same.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

const PIECES: &str =
    r"( ) [ ] { } * + ? | \ ^ $ . a b - , 1 9 (?: (?P<x> (?= (?<! (?> {1,4000} {0,99} *? ++ (a|a)* [^a] \w \b \1 (?(1) (?i: é";

#[test]
fn no_pattern_takes_the_analysis_long_or_down() {
    let run = || {
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let pieces: Vec<&str> = PIECES.split(' ').collect();
        for round in 0..3000 {
            let mut pattern = String::new();
            for _ in 0..random.below(40) {
                pattern.push_str(pieces[random.below(pieces.len())]);
            }
            if round % 50 == 0 {
                pattern = pattern.repeat(30);
            }
            let Ok(program) = Program::of_str(&pattern, (random.below(4) * 2) as u32) else { continue };
            let text: Vec<u32> = (0..random.below(300)).map(|_| [97, 98, 49, 10, 233][random.below(5)]).collect();
            if let Some(run) = count(&program, &text, Method::Search, 20_000) {
                assert!(run.states <= 20_000, "{pattern}");
            }
            let report = ambiguity::search(&program, Method::Search, 20_000);
            assert!(report.states <= 1_000_000, "{pattern}: {}", report.states);
        }
        for deep in ["(", "(?:", "(?=", "((?:", "[", "a|(", "(?P<a>", "(?(1)"] {
            assert!(Program::of_str(&deep.repeat(2000), 0).is_err());
        }
        for (open, close) in [("(", ")"), ("(?:", ")*"), ("(?=", ")"), ("(a|", ")+")] {
            for depth in [10, 40, 100, 600] {
                let pattern = open.repeat(depth) + "a" + &close.repeat(depth);
                if let Ok(program) = Program::of_str(&pattern, 0) {
                    let _ = count(&program, &[97; 200], Method::Search, 50_000);
                    let _ = ambiguity::search(&program, Method::Search, 50_000);
                }
            }
        }
        let bytes: Vec<u8> = (0..3000).map(|_| random.below(256) as u8).collect();
        for start in 0..bytes.len() {
            let _ = Program::of_bytes(&bytes[start..(start + 60).min(bytes.len())], 0);
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread").join().expect("no pattern brings it down");
}

/// The number of pumps with which an attack first takes so many jumps, and how many it takes.
fn pumps(program: &Program, attack: &Attack, method: Method, jumps: f64) -> Option<(usize, f64)> {
    (1..400).find_map(|pumps| {
        let counted = count(program, &attack.text(pumps), method, BUDGET)?.work.jumps;
        (counted >= jumps).then_some((pumps, counted))
    })
}

/// The patterns of the standard library (with `ANTIFREEZE_SOAK=1` all of it, and of the folders in `ANTIFREEZE_REGEX_PATH`), and some whose
/// growth is known.
fn patterns() -> Vec<Value> {
    let mut args = vec![if soak() { "1000000" } else { "250" }.to_owned()];
    if soak() {
        args.extend(std::env::var("ANTIFREEZE_REGEX_PATH").iter().flat_map(|all| all.split(':').map(str::to_owned)));
    }
    let known = include_str!("regex/known.jsonl");
    let mut patterns: Vec<Value> = known.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    patterns.extend(lines("patterns.py", &args, ""));
    patterns
}

#[test]
fn what_is_called_exponential_grows_so_under_re_and_what_is_harmless_stays_quick() {
    let patterns = patterns();
    let (mut input, mut asked) = (String::new(), Vec::new());
    let mut kinds = [0; 3];
    for line in &patterns {
        let (pattern, flags) = (line[0].as_str().expect("a pattern"), line[1].as_u64().expect("flags") as u32);
        let method = method(line[2].as_str().expect("a function"));
        let Ok(program) = Program::of_str(pattern, flags) else { continue };
        let report = ambiguity::search(&program, method, 200_000);
        let (mut texts, mut ratio) = (Vec::new(), 1.0);
        match report.growth {
            Growth::Exponential => {
                kinds[1] += 1;
                let attack = &report.attack;
                let (few, many) = (pumps(&program, attack, method, 2e4), pumps(&program, attack, method, 2e6));
                let (Some(few), Some(many)) = (few, many) else { panic!("{line}: {report:?}") };
                ratio = many.1 / few.1;
                for (pumps, _) in [few, many] {
                    texts.push(attack.text(pumps).into_iter().filter_map(char::from_u32).collect::<String>());
                }
            }
            // So high a power may take over a second at 40 characters; nothing is said of what is not known.
            Growth::Polynomial(degree) if degree <= 4.5 => kinds[0] += 1,
            _ => {
                kinds[2] += 1;
                continue;
            }
        }
        writeln!(input, "{}", json!([line[0], line[1], line[2], texts])).expect("a String takes it");
        asked.push((line, ratio, report));
    }
    let answers = lines("timing.py", &[], &input);
    assert_eq!(answers.len(), asked.len());
    let mut failures = Vec::new();
    for ((line, ratio, report), answer) in asked.iter().zip(&answers) {
        if report.growth == Growth::Exponential {
            // What is counted a hundred times takes many times as long; only what is killed has no time.
            let grows = match (answer[0][0].as_f64(), answer[0][1].as_f64()) {
                (Some(few), Some(many)) => many > few * ratio / 8.0,
                (few, None) => few.is_some(),
                (None, _) => false,
            };
            if !grows {
                failures.push(format!("{line} does not grow so: {answer}, {ratio}, {report:?}"));
            }
        } else if answer[1] == json!(true) {
            failures.push(format!("{line} is not harmless: {report:?}"));
        }
    }
    assert!(failures.is_empty(), "{} of {kinds:?}:\n{}", failures.len(), failures.join("\n"));
    assert!(kinds[0] > 150 && kinds[1] > 10, "{kinds:?}");
    assert!(!soak() || kinds.iter().sum::<i32>() >= 3000, "{kinds:?}: name more folders in ANTIFREEZE_REGEX_PATH");
}

#[test]
fn copies_take_together_what_they_take_one_by_one() {
    let patterns = [
        r"\s+$",
        r"[ab]+\b$",
        r".*.*=",
        r"(a|b)+c",
        r"(?:ab)*$",
        r"a+?b+$",
        r"(?<=a)b+x",
        r"(?=a+)b",
        r"a{2,5}c",
        r"x*y*$",
        r"(a+)+$",
        r"^a*$",
        r"a*",
        r"(?m)^ +$",
        r"[^x]+x",
        r"\ba+",
        r"(?i)[A-Z ]+!",
    ];
    let mut followed = 0;
    for pattern in patterns {
        let Ok(program) = Program::of_str(pattern, 0) else { panic!("{pattern}") };
        for (before, unit, after) in
            [("", "a", "x"), ("x", " ", "."), ("ab", "ab", ""), ("-- ", " ", "sound"), ("", " \t", "\n."), ("a\n", "a", "")]
        {
            for method in [Method::Match, Method::Fullmatch, Method::Search, Method::All(u64::MAX), Method::All(1)] {
                let (before, unit, after) = (chars(before), chars(unit), chars(after));
                let text = Pumped { before: &before, unit: &unit, copies: 700, after: &after };
                let Some(short) = count_pumped(&program, text, method, 2_000_000) else { continue };
                let all = [before.clone(), unit.repeat(700), after.clone()].concat();
                let Some(long) = count(&program, &all, method, 10_000_000) else { panic!("{pattern} is beyond reach") };
                let is_near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b.abs();
                assert!(
                    is_near(short.work.jumps, long.work.jumps),
                    "{pattern} {before:?} {unit:?} {after:?} {method:?}: {short:?} {:?}",
                    long.work
                );
                assert!(
                    is_near(short.work.scans, long.work.scans),
                    "{pattern} {before:?} {unit:?} {after:?} {method:?}: {short:?} {:?}",
                    long.work
                );
                followed += 1;
            }
        }
    }
    assert!(followed > 60, "only {followed} are followed");
}
