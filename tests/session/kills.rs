//! What is left when any of a session's processes is killed, at any stage.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use antifreeze::outcome::{Outcome, OutcomeKind};
use antifreeze::session::Session;

use super::{Marked, finish, repr, unguarded};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Helper,
    Zygote,
    Supervisor,
    Session,
    Backup,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Idle,
    Running,
}

fn kill(pid: i32) {
    let status = Command::new("kill").args(["-9", &pid.to_string()]).status().expect("there is kill");
    assert!(status.success(), "{pid} was there");
}

fn children(pid: i32) -> BTreeSet<i32> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// The session's process and its backup, as they are numbered out here.
fn process_and_backup(supervisor: i32) -> (i32, Option<i32>) {
    // The backup of the state before the last step may still be there for a moment.
    std::thread::sleep(Duration::from_millis(500));
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let keeper = children(supervisor).first().copied().unwrap_or(0);
        let found = children(keeper).into_iter().find_map(|process| {
            let backup = children(process).into_iter().next_back();
            backup.map(|backup| (process, Some(backup)))
        });
        if let Some(found) = found {
            return found;
        }
        assert!(Instant::now() < deadline, "the session has a process and a backup");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn check(victim: Victim, stage: Stage, namespaces: bool) {
    let what = format!("{victim:?} {stage:?} namespaces {namespaces}");
    let marked = Marked::new();
    let engine = marked.engine();
    let mut options = unguarded(4.0);
    options.namespaces = namespaces;
    let session = Arc::new(engine.open(options).expect("the session opens"));
    finish(&session, "x = 1\nimport time");
    let helper = engine.helper_pid().expect("there is a helper");
    let supervisor = session.supervisor_pid().expect("there is a supervisor");
    let (process, backup) = process_and_backup(supervisor);
    let zygote = children(helper).into_iter().find(|pid| *pid != supervisor);
    let pid = match victim {
        Victim::Helper => helper,
        Victim::Supervisor => supervisor,
        Victim::Session => process,
        Victim::Backup => backup.expect("it was found"),
        Victim::Zygote => match zygote {
            Some(zygote) => zygote,
            None if !namespaces => return,
            None => panic!("{what}: there is a zygote"),
        },
    };
    let run = |code: &'static str| -> Outcome { session.run(code).expect("the session is usable") };
    let outcome = if stage == Stage::Running {
        let session = session.clone();
        let step = std::thread::spawn(move || session.run("x = 2\ntime.sleep(1.5)\n'slept'").expect("the session is usable"));
        std::thread::sleep(Duration::from_millis(500));
        kill(pid);
        step.join().expect("the step comes back")
    } else {
        kill(pid);
        std::thread::sleep(Duration::from_millis(300));
        run("'slept'")
    };
    let state = outcome.state.as_deref();
    match victim {
        Victim::Helper | Victim::Supervisor => {
            assert_eq!((outcome.outcome, state), (OutcomeKind::Internal, Some("lost")), "{what}: {outcome:#?}");
            assert!(outcome.error.is_some_and(|error| !error.message.is_empty()), "{what}: it says what happened");
            let fresh = run("x");
            assert_eq!(fresh.error.map(|error| error.kind), Some("NameError".into()), "{what}: it goes on, empty");
        }
        Victim::Session if stage == Stage::Running => {
            assert_eq!(
                (outcome.outcome, state, outcome.exit_status),
                (OutcomeKind::Crashed, Some("kept"), Some(137)),
                "{what}: {outcome:#?}"
            );
            assert_eq!(repr(&session, "x"), "1", "{what}");
        }
        Victim::Session => {
            assert_eq!((outcome.outcome, state), (OutcomeKind::Finished, Some("advanced")), "{what}: {outcome:#?}");
            assert!(outcome.state_reason.is_some_and(|why| why.contains("ended between steps")), "{what}: it says what happened");
            assert_eq!(repr(&session, "x"), "1", "{what}");
        }
        Victim::Backup | Victim::Zygote => {
            assert_eq!((outcome.outcome, state), (OutcomeKind::Finished, Some("advanced")), "{what}: {outcome:#?}");
            finish(&session, "x");
            let frozen = run("while True: pass");
            assert_eq!(frozen.state.as_deref(), Some("kept"), "{what}: there is a backup again: {frozen:#?}");
            finish(&engine.open(unguarded(20.0)).expect("another opens"), "1");
        }
    }
    session.close();
    drop((session, engine));
    marked.assert_gone(&what);
    let deadline = Instant::now() + Duration::from_secs(5);
    for root in ["/sys/fs/cgroup/pids", "/sys/fs/cgroup"] {
        let folder = std::path::PathBuf::from(format!("{root}/antifreeze-{supervisor}"));
        while folder.exists() {
            assert!(Instant::now() < deadline, "{what}: {} is left", folder.display());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn all(namespaces: bool) {
    for victim in [Victim::Helper, Victim::Zygote, Victim::Supervisor, Victim::Session, Victim::Backup] {
        for stage in [Stage::Idle, Stage::Running] {
            check(victim, stage, namespaces);
        }
    }
}

#[test]
fn each_process_may_be_killed_at_any_stage() {
    all(true);
}

#[test]
fn each_process_may_be_killed_at_any_stage_without_namespaces() {
    all(false);
}

#[test]
fn a_backup_that_is_killed_during_a_step_that_freezes_costs_the_session_and_that_is_said() {
    let marked = Marked::new();
    let engine = marked.engine();
    let session: Session = engine.open(unguarded(1.5)).expect("the session opens");
    finish(&session, "x = 1");
    let (_, backup) = process_and_backup(session.supervisor_pid().expect("there is a supervisor"));
    let outcome = std::thread::scope(|scope| {
        let step = scope.spawn(|| session.run("while True: pass").expect("the session is usable"));
        std::thread::sleep(Duration::from_millis(300));
        kill(backup.expect("there is one"));
        step.join().expect("the step comes back")
    });
    assert_eq!((outcome.outcome, outcome.state.as_deref()), (OutcomeKind::TimedOut, Some("lost")), "{outcome:#?}");
    assert!(outcome.state_reason.is_some());
    drop((session, engine));
    marked.assert_gone("after a lost session");
}

#[test]
fn sessions_end_with_their_engine() {
    for namespaces in [true, false] {
        let marked = Marked::new();
        let engine = marked.engine();
        let mut options = unguarded(60.0);
        options.namespaces = namespaces;
        let sessions = (0..4).map(|_| engine.open(options.clone()).expect("the session opens")).collect::<Vec<_>>();
        for session in &sessions {
            finish(session, "import subprocess\nsubprocess.Popen(['sleep', '1000'], start_new_session=True)\nNone");
        }
        drop((sessions, engine));
        marked.assert_gone("after the engine was dropped");
    }
}
