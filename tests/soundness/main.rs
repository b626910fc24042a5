//! Soundness is tested, not believed: programs run under real CPython, and each global's real value at the end must lie within the
//! abstract one; no loop called endless may have ended, no cost floor may exceed the real time, no integer may be smaller than said
//! or, where it is too large, be without a guard.
//!
//! `ANTIFREEZE_SOAK` is the share of 20,000 random programs to run (a twentieth by default), `ANTIFREEZE_SOAK_FROM` the first seed,
//! `ANTIFREEZE_SHRINK` how many failing programs are made small, `ANTIFREEZE_CORPUS` a folder with further programs (`*.py` in
//! `cases/` or `*.jsonl` with `code`) that go through the same check.

mod claims;
mod generate;
mod member;
mod reality;
mod shrink;
mod templates;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use claims::{Look, Tally, Violation, check};
use reality::{Reality, python};

/// A program and what it is called.
struct Program {
    name: String,
    code: String,
}

/// A program of which something untrue was said.
struct Failure {
    program: Program,
    violations: Vec<Violation>,
    look: Look,
    seeds: Vec<u64>,
}

#[expect(clippy::print_stderr, reason = "what was compared must be seen")]
fn note(text: &str) {
    eprintln!("{text}");
}

fn variable<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Checks programs on every core; `make` gives the program for a number, with the realities and the way to look at it.
fn check_all(python: &str, n: usize, make: impl Fn(usize) -> (Program, Vec<u64>, Look) + Sync) -> (Tally, Vec<Failure>) {
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let (next, all) = (AtomicUsize::new(0), Mutex::new((Tally::default(), Vec::new())));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut reality = Reality::new(python);
                let (mut tally, mut failures) = (Tally::default(), Vec::new());
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= n {
                        break;
                    }
                    let (program, seeds, look) = make(at);
                    let (violations, one) = check(&mut reality, &program.code, &seeds, look);
                    tally.add(&one);
                    if !violations.is_empty() {
                        failures.push(Failure { program, violations, look, seeds });
                    }
                }
                let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                all.0.add(&tally);
                all.1.extend(failures);
            });
        }
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn report(title: &str, tally: &Tally) {
    let (values, exact, unknown) = tally.shares();
    let Tally { programs, runs, finished, raised, undecided, out_of_fuel, conditional, floors, integers, .. } = tally;
    note(&format!(
        "{title}: {programs} programs, {runs} runs ({finished} finished, {raised} raised, {undecided} undecided), {out_of_fuel} out of fuel; \
         {values} values: {:.1} % exact, {:.1} % unknown; {floors} cost floors, {integers} integer sites, {conditional} claims that hold on other paths",
        exact * 100.0,
        unknown * 100.0
    ));
}

/// Shrinks a few of the failures, writes them down and fails.
fn judge(title: &str, python: &str, mut failures: Vec<Failure>) {
    if failures.is_empty() {
        return;
    }
    failures.sort_by_key(|f| f.program.code.len());
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for failure in &failures {
        *kinds.entry(failure.violations[0].kind).or_default() += 1;
    }
    note(&format!("{title}: {} programs of which something untrue was said: {kinds:?}", failures.len()));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("soundness");
    let _ = std::fs::create_dir_all(&folder);
    let few = variable("ANTIFREEZE_SHRINK").unwrap_or(3);
    let mut reality = Reality::new(python);
    for failure in failures.iter().take(few) {
        let Failure { program, violations, look, seeds } = failure;
        let kind = violations[0].kind;
        let short = Look { seconds: look.seconds.min(1.0), ..*look };
        let small = shrink::shrink(&program.code, 600, |code| check(&mut reality, code, seeds, short).0.iter().any(|v| v.kind == kind));
        let what =
            check(&mut reality, &small, seeds, short).0.into_iter().find(|v| v.kind == kind).unwrap_or_else(|| violations[0].clone());
        let path = folder.join(format!("{}_{kind}.py", program.name.replace(['/', ' '], "_")));
        let _ = std::fs::write(&path, format!("# {}\n{small}", what.what));
        note(&format!("--- {} [{kind}] {}\n{small}", program.name, what.what));
    }
    for failure in failures.iter().skip(few).take(60) {
        note(&format!("{} [{}] {}", failure.program.name, failure.violations[0].kind, failure.violations[0].what));
    }
    panic!("{title}: {} programs of which something untrue was said: {kinds:?}", failures.len());
}

fn with_python(test: &str, run: impl FnOnce(&str)) {
    match python() {
        Some(python) => run(&python),
        None => note(&format!("SKIPPED {test}: no CPython of at least 3.9 found")),
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Python files of a folder, in order of name.
fn files(folder: &Path) -> Vec<Program> {
    let mut out: Vec<Program> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_stem()?.to_string_lossy().into_owned();
            (path.extension()? == "py").then(|| std::fs::read_to_string(&path).ok().map(|code| Program { name, code }))?
        })
        .collect();
    out.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

fn check_programs(title: &str, python: &str, programs: &[Program], seeds: &[u64], looks: &[Look]) -> Tally {
    let (tally, failures) = check_all(python, programs.len() * looks.len(), |at| {
        let program = &programs[at / looks.len()];
        (Program { name: program.name.clone(), code: program.code.clone() }, seeds.to_vec(), looks[at % looks.len()])
    });
    report(title, &tally);
    judge(title, python, failures);
    tally
}

const FUEL: u64 = 3_000_000;

/// How programs are looked at that are not random.
const LOOKS: [Look; 2] = [Look { seconds: 10.0, low_limits: false, fuel: FUEL }, Look { seconds: 10.0, low_limits: true, fuel: FUEL }];

#[test]
fn kept_programs() {
    with_python("kept_programs", |python| {
        let programs = files(&root().join("tests/soundness/kept"));
        let tally = check_programs("kept programs", python, &programs, &[0, 1, 2, 3], &LOOKS);
        assert!(programs.is_empty() || tally.finished > 0);
    });
}

#[test]
fn finishing_cases() {
    with_python("finishing_cases", |python| {
        let table = std::fs::read_to_string(root().join("tests/cases/cases.jsonl")).expect("the cases have a table");
        let finishing: Vec<String> = table
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|case| {
                case["truth"]["seconds"].as_f64().is_some_and(|s| s < 5.0)
                    && case["truth"]["outcome"].as_str().is_some_and(|o| !o.starts_with("killed"))
            })
            .filter_map(|case| case["id"].as_str().map(str::to_owned))
            .collect();
        let mut programs = files(&root().join("tests/cases"));
        programs.retain(|program| finishing.contains(&program.name) && !DANGEROUS.iter().any(|word| program.name.contains(word)));
        let tally = check_programs("finishing cases", python, &programs, &[0, 1], &LOOKS);
        assert!(tally.finished > 30, "only {} runs finished", tally.finished);
    });
}

/// Cases that spawn without end or leave processes behind are not run here.
const DANGEROUS: &[&str] = &["bomb", "daemon", "detached", "grandchild", "spawn", "fd_exhaustion"];

#[test]
fn corpus() {
    let Ok(folder) = std::env::var("ANTIFREEZE_CORPUS") else {
        note("SKIPPED corpus: ANTIFREEZE_CORPUS is not set");
        return;
    };
    with_python("corpus", |python| {
        let mut programs = files(&Path::new(&folder).join("cases"));
        for entry in walkdir::WalkDir::new(&folder).into_iter().flatten() {
            if entry.path().extension().is_some_and(|e| e == "jsonl") {
                let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
                for record in text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
                    if let (Some(code), Some("finished" | "raised")) = (record["code"].as_str(), record["outcome"].as_str()) {
                        programs.push(Program { name: record["id"].as_str().unwrap_or("?").to_owned(), code: code.to_owned() });
                    }
                }
            }
        }
        assert!(!programs.is_empty(), "no programs in {folder}");
        check_programs("corpus", python, &programs, &[0, 1], &LOOKS);
    });
}

#[test]
fn random_programs() {
    with_python("random_programs", |python| {
        let soak: f64 = variable("ANTIFREEZE_SOAK").unwrap_or(0.05);
        let first: u64 = variable("ANTIFREEZE_SOAK_FROM").unwrap_or(0);
        let n = (20_000.0 * soak).ceil() as usize;
        let (tally, failures) = check_all(python, n, |at| {
            let seed = first + at as u64;
            let code = generate::program(seed);
            let seeds = if code.starts_with("import os, random, time") { vec![0, 1, 2, 3] } else { vec![0] };
            let look = Look { seconds: 2.0, low_limits: seed.is_multiple_of(3), fuel: if seed % 10 == 9 { 20_000 } else { FUEL } };
            (Program { name: format!("seed {seed}"), code }, seeds, look)
        });
        report("random programs", &tally);
        judge("random programs", python, failures);
        let (_, exact, unknown) = tally.shares();
        assert!(tally.finished * 10 > tally.runs * 4, "too few programs finish");
        assert!(exact >= 0.6 && unknown <= 0.25, "{:.1} % exact, {:.1} % unknown", exact * 100.0, unknown * 100.0);
    });
}

/// Writes random programs down for other tools: `ANTIFREEZE_WRITE=folder cargo test --test soundness write_programs`.
#[test]
fn write_programs() {
    let Ok(folder) = std::env::var("ANTIFREEZE_WRITE") else { return };
    let first: u64 = variable("ANTIFREEZE_SOAK_FROM").unwrap_or(0);
    for seed in first..first + 200 {
        std::fs::write(Path::new(&folder).join(format!("{seed}.py")), generate::program(seed)).expect("the folder can be written");
    }
}
