//! Steps that freeze, crash or get out of hand, one after the other in one session whose variables must stay.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use antifreeze::outcome::OutcomeKind;
use antifreeze::session::Session;
use serde_json::Value;

use super::{Marked, finish, note, pythons, repr, run, unguarded};

struct Freeze {
    name: String,
    code: String,
    head: BTreeMap<String, String>,
}

fn freezes() -> Vec<Freeze> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/session/freezes");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the steps are there").filter_map(Result::ok) {
        let text = std::fs::read_to_string(entry.path()).expect("a step is text");
        let head = text.lines().map_while(|line| line.strip_prefix("# ")?.split_once(": "));
        let head = head.map(|(key, value)| (key.to_owned(), value.to_owned())).collect::<BTreeMap<_, _>>();
        for key in head.keys() {
            let known = ["expect", "state", "stack", "status", "error", "killed"];
            assert!(known.contains(&key.trim_end_matches("-none")), "{}: what is `{key}`?", entry.path().display());
        }
        let code = text.lines().skip(head.len()).fold(String::new(), |code, line| code + line + "\n");
        all.push(Freeze { name: entry.path().file_stem().expect("it has a name").to_string_lossy().into_owned(), code, head });
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(all.len() > 20, "the steps were found");
    all
}

impl Freeze {
    fn get(&self, key: &str, namespaces: bool) -> Option<&str> {
        let special = format!("{key}-none");
        let special = if namespaces { None } else { self.head.get(&special) };
        special.or_else(|| self.head.get(key)).map(String::as_str)
    }

    /// Runs it and says what is wrong; gives how long it took to have the session back.
    fn check(&self, session: &Session, namespaces: bool, limit: f64) -> Result<Duration, String> {
        let begin = Instant::now();
        let outcome = run(session, &self.code);
        let took = begin.elapsed();
        let value = serde_json::to_value(&outcome).expect("an outcome is JSON");
        let wrong = |what: &str| Err(format!("{} ({}): {what}: {value:#}", self.name, if namespaces { "ns" } else { "none" }));
        let one_of = |key: &str, actual: &str| self.get(key, namespaces).is_none_or(|words| words.split(' ').any(|word| word == actual));
        if !one_of("expect", value["outcome"].as_str().unwrap_or_default()) {
            return wrong("another outcome");
        }
        if !one_of("state", value["state"].as_str().unwrap_or_default()) {
            return wrong("another state");
        }
        if self.get("status", namespaces).is_some_and(|status| value["exit_status"].as_i64() != status.parse().ok()) {
            return wrong("another exit status");
        }
        if self.get("error", namespaces).is_some_and(|error| value["error"]["type"] != error) {
            return wrong("another error");
        }
        if self.get("killed", namespaces).is_some_and(|least| value["killed_processes"].as_i64() < least.parse().ok()) {
            return wrong("too few killed");
        }
        let line = value["stack"].as_array().and_then(|frames| frames.iter().rfind(|frame| frame["source"].is_string()));
        let line = line.map_or(Value::Null, |frame| frame["line"].clone());
        if !one_of("stack", &line.to_string()) {
            return wrong("another place");
        }
        // Half a second is what an idle machine keeps to; this one is shared.
        if took > Duration::from_secs_f64(limit + 5.0) {
            return wrong("late");
        }
        if outcome.state.as_deref() != Some("lost") && repr(session, "x") != "[0, 1, 2, 3, 4]" {
            return wrong("the variables changed");
        }
        Ok(took.saturating_sub(Duration::from_secs_f64(outcome.duration_ms / 1e3)))
    }
}

/// All of them, again and again in one session; gives how long it took from each end to having the session back, in milliseconds.
fn storm(python: &Path, namespaces: bool, rounds: usize) -> Vec<f64> {
    let marked = Marked::new();
    let engine = marked.engine();
    let mut options = unguarded(1.0);
    options.python = Some(python.to_owned());
    options.namespaces = namespaces;
    let session = engine.open(options).expect("the session opens");
    assert_eq!(session.mechanisms().pid_namespace, namespaces);
    let mut times = Vec::new();
    let mut wrong = Vec::new();
    finish(&session, "x = list(range(5))");
    for _ in 0..rounds {
        for freeze in freezes() {
            match freeze.check(&session, namespaces, 1.0) {
                Ok(took) => times.push(took.as_secs_f64() * 1e3),
                Err(why) => wrong.push(why),
            }
            if session.run("x").is_ok_and(|outcome| outcome.result_repr.as_deref() != Some("[0, 1, 2, 3, 4]")) {
                finish(&session, "x = list(range(5))");
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    session.close();
    drop((session, engine));
    marked.assert_gone("after a storm");
    times
}

fn report(python: &Path, mode: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    note(&format!(
        "{} {mode}: {} steps; from the end to the session being back, ms: median {:.1}, p99 {:.1}, most {:.1}",
        python.display(),
        times.len(),
        at(0.5),
        at(0.99),
        at(1.0)
    ));
}

fn soak() -> usize {
    std::env::var("ANTIFREEZE_SOAK").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1)
}

fn chosen() -> Vec<PathBuf> {
    let all = pythons();
    if soak() > 1 { all } else { vec![super::python()] }
}

#[test]
fn variables_survive_in_a_namespace() {
    for python in chosen() {
        report(&python, "with a namespace", storm(&python, true, soak()));
    }
}

#[test]
fn variables_survive_without_one() {
    for python in chosen() {
        report(&python, "without a namespace", storm(&python, false, soak()));
    }
}

/// A step that is over before it is known in every process that its process is the session's now.
#[test]
fn steps_that_end_at_once_are_noticed_at_once() {
    for namespaces in [true, false] {
        let session = super::open(antifreeze::session::Options { namespaces, ..unguarded(10.0) });
        finish(&session, "import os");
        for _ in 0..100 {
            let outcome = run(&session, "os._exit(3)");
            let ended = (outcome.outcome, outcome.exit_status, outcome.state.as_deref());
            assert_eq!(ended, (OutcomeKind::Raised, Some(3), Some("kept")), "namespaces {namespaces}: {outcome:#?}");
        }
    }
}

/// What was refused memory has kept what it had until then, or not even that: the session goes on with what was before.
#[test]
fn a_step_leaves_no_more_memory_held_than_is_allowed() {
    for namespaces in [true, false] {
        let mut options = antifreeze::session::Options { namespaces, ..unguarded(20.0) };
        options.limits.memory = 128 << 20;
        let session = super::open(options);
        finish(&session, "x = list(range(5))");
        for _ in 0..10 {
            let outcome = run(&session, "blocks = []\nwhile True:\n    blocks.append(b'x' * (16 << 20))");
            let ended = (outcome.outcome, outcome.state.as_deref());
            assert_eq!(ended, (OutcomeKind::OutOfMemory, Some("kept")), "namespaces {namespaces}: {outcome:#?}");
            assert_eq!(repr(&session, "x"), "[0, 1, 2, 3, 4]");
        }
    }
}
