//! A process that has sessions stays what it was. Alone in its process, so that what is seen of it is nobody else's.
#![cfg(target_os = "linux")]

#[path = "common/running.rs"]
#[expect(dead_code, reason = "shared with tests that run single programs")]
mod running;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use antifreeze::limits::Limits;
use antifreeze::outcome::OutcomeKind;
use antifreeze::session::{Engine, Options};

/// Its signals' handlers and masks, whether it is a subreaper, its folder, umask and limits.
fn nature() -> Vec<String> {
    // This thread's own: the one that started it has all signals blocked for a moment still.
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("there is a /proc");
    let mut all = status
        .lines()
        .filter(|line| ["SigBlk", "SigIgn", "SigCgt", "Umask", "NoNewPrivs", "Seccomp:"].iter().any(|key| line.starts_with(key)))
        .map(str::to_owned)
        .collect::<Vec<_>>();
    all.push(format!("{:?}", rustix::process::child_subreaper()));
    all.push(format!("{:?}", std::env::current_dir()));
    all.push(std::fs::read_to_string("/proc/self/limits").expect("there is a /proc"));
    all
}

fn children() -> BTreeSet<i32> {
    let tasks = std::fs::read_dir("/proc/self/task").expect("there is a /proc").filter_map(Result::ok);
    let lists = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap_or_default());
    lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<i32>>()).collect()
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").expect("there is a /proc").count()
}

#[test]
fn the_host_stays_what_it_was() {
    let python = running::pythons(|found| found.into_iter().map(|(_, python)| python).rev().take(1).collect()).remove(0);
    let (before, open) = (nature(), descriptors());
    let mut own = std::process::Command::new("sleep").arg("1000").spawn().expect("there is sleep");
    let engine = Arc::new(Engine::new(Some(running::BINARY.into())));
    for namespaces in [true, false] {
        let limits = Limits { timeout: 1.0, ..Limits::default() };
        let options = Options { limits, python: Some(python.clone()), gate: false, guards: false, namespaces, ..Options::default() };
        let sessions = (0..3).map(|_| engine.open(options.clone()).expect("it opens")).collect::<Vec<_>>();
        for session in &sessions {
            let outcome = session.run("import subprocess\nsubprocess.Popen(['sh', '-c', 'sleep 1000 & sleep 1000'])\n1").expect("it runs");
            assert_eq!(outcome.outcome, OutcomeKind::Finished);
        }
        let outcome = sessions[0].run("while True: pass").expect("it runs");
        assert_eq!((outcome.outcome, outcome.state.as_deref()), (OutcomeKind::TimedOut, Some("kept")));
        let helper = engine.helper_pid().expect("there is one");
        assert_eq!(children(), BTreeSet::from([helper, own.id() as i32]), "one child for all sessions");
        assert_eq!(nature(), before);
    }
    let helper = engine.helper_pid().expect("there is one");
    drop(engine);
    let deadline = Instant::now() + Duration::from_secs(20);
    while children().contains(&helper) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(children(), BTreeSet::from([own.id() as i32]), "no zombie stays, and nobody else's child is reaped");
    assert_eq!(own.try_wait().expect("it is ours to wait for"), None, "it is not ended either");
    own.kill().and_then(|()| own.wait()).expect("it ends");
    assert_eq!(descriptors(), open, "no descriptor stays open");
    assert_eq!(nature(), before);
}
