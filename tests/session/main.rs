//! Sessions: what becomes of their variables when a step freezes, with and without PID namespaces.
//!
//! `freezes/*.py` are steps that try to take the session with them; the comments at the head of each say what must become of it:
//! `expect` (outcomes), `state`, `stack` (lines), `status`, `error`, `killed` (at least so many); with `-none` where it differs
//! without namespaces. Deadlines are generous: the machine may be busy.
#![cfg(target_os = "linux")]

#[path = "../common/running.rs"]
#[expect(dead_code, reason = "shared with tests that run single programs")]
mod running;

mod freezes;
mod gate;
mod kills;
mod steps;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use antifreeze::limits::Limits;
use antifreeze::outcome::{Outcome, OutcomeKind};
use antifreeze::session::{Engine, Options, Session};
use running::{BINARY, marked};

const MARK: &str = "ANTIFREEZE_TEST_SECRET";

/// The interpreter most tests run with.
fn python() -> PathBuf {
    let all = pythons();
    all[all.len() / 2].clone()
}

fn pythons() -> Vec<PathBuf> {
    running::pythons(|found| {
        let newest = |wanted| found.iter().rfind(|(minor, _)| *minor == wanted).map(|(_, python)| python.clone());
        [9, 12, 13].into_iter().filter_map(newest).collect()
    })
}

fn limits(timeout: f64) -> Limits {
    Limits { timeout, ..Limits::default() }
}

/// Nothing is rejected or guarded: it is the executor that is tested.
fn unguarded(timeout: f64) -> Options {
    Options { limits: limits(timeout), python: Some(python()), gate: false, guards: false, ..Options::default() }
}

fn engine() -> Arc<Engine> {
    Arc::new(Engine::new(Some(BINARY.into())))
}

fn open(options: Options) -> Session {
    engine().open(options).expect("the session opens")
}

/// Processes that are told apart by what is in their environment.
struct Marked(String);

impl Marked {
    fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        Marked(format!("antifreeze-session-{}-{}.", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// An engine whose every process has the mark, from its start.
    fn engine(&self) -> Arc<Engine> {
        Arc::new(Engine::new(Some(BINARY.into())).env(MARK, &self.0))
    }

    /// Fails unless all that ever had the mark is gone.
    fn assert_gone(&self, what: &str) {
        let deadline = Instant::now() + Duration::from_secs(20);
        let mut left = marked(&self.0);
        while !left.is_empty() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
            left = marked(&self.0);
        }
        assert!(left.is_empty(), "{what}: left over: {left:?}");
    }
}

fn run(session: &Session, code: &str) -> Outcome {
    let outcome = session.run(code).expect("the session is usable");
    let value = serde_json::to_value(&outcome).expect("an outcome is JSON");
    running::assert_valid(&value);
    outcome
}

/// Runs what has to come to its end.
fn finish(session: &Session, code: &str) -> Outcome {
    let outcome = run(session, code);
    assert_eq!(outcome.outcome, OutcomeKind::Finished, "{code}: {outcome:#?}");
    assert_eq!(outcome.state.as_deref(), Some("advanced"), "{code}: {outcome:#?}");
    outcome
}

fn repr(session: &Session, code: &str) -> String {
    finish(session, code).result_repr.unwrap_or_default()
}

#[expect(clippy::print_stderr, reason = "what was measured must be seen")]
fn note(text: &str) {
    eprintln!("{text}");
}
