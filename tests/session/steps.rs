//! What one step leaves to the next, and what it shows.

use std::time::{Duration, Instant};

use antifreeze::outcome::OutcomeKind;
use antifreeze::session::Options;
use serde_json::{Value, json};

use super::{finish, limits, open, python, pythons, repr, run, unguarded};

#[test]
fn variables_functions_and_modules_live_on() {
    for python in pythons() {
        let session = open(Options { python: Some(python), ..unguarded(20.0) });
        finish(&session, "import math\nx = 1\ndef f(n):\n    return n + x\n");
        assert_eq!(repr(&session, "f(2)"), "3");
        finish(&session, "x = 10");
        assert_eq!(repr(&session, "f(2) + math.floor(1.5)"), "13");
        let failed = run(&session, "y = 5\nf('a')");
        assert_eq!(failed.outcome, OutcomeKind::Raised);
        assert_eq!(failed.state.as_deref(), Some("advanced"));
        let error = failed.error.expect("it raised");
        assert_eq!((error.kind.as_str(), error.line), ("TypeError", Some(2)));
        assert!(error.traceback.expect("there is one").contains("return n + x"), "lines of earlier steps are shown");
        assert_eq!(repr(&session, "y"), "5");
        session.close();
    }
}

#[test]
fn output_belongs_to_the_step_that_writes_it() {
    let session = open(unguarded(20.0));
    let outcome = finish(&session, "import sys\nprint('a', end='')\nsys.stderr.write('b')\n7");
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str(), outcome.result_repr.as_deref()), ("a", "b", Some("7")));
    finish(&session, "import subprocess\nchild = subprocess.Popen(['sh', '-c', 'sleep 0.3; echo late; sleep 100'])");
    let outcome = finish(&session, "import time\ntime.sleep(0.6)\nprint('c')");
    assert_eq!(outcome.stdout, "c\n");
    assert_eq!(repr(&session, "child.poll()"), "None", "what it started lives on");
}

#[test]
fn the_process_stays_the_same_through_all_steps_that_end() {
    let session = open(unguarded(20.0));
    let first = repr(
        &session,
        "import os, random, threading, time\nrandom.seed(1)\nticks = []\ndef tick():\n    while True:\n        \
                                ticks.append(1)\n        time.sleep(0.01)\nthread = threading.Thread(target=tick, daemon=True)\nthread.start()\n\
                                os.getpid()",
    );
    assert_eq!(repr(&session, "os.getpid()"), first);
    finish(&session, "time.sleep(0.1)");
    assert_eq!(repr(&session, "len(ticks) > 2 and thread.is_alive()"), "True");
}

#[test]
fn seeded_numbers_go_on_also_after_a_step_that_was_stopped() {
    let expected = {
        let session = open(unguarded(20.0));
        finish(&session, "import random\nrandom.seed(7)");
        repr(&session, "[random.random() for _ in range(3)]")
    };
    let session = open(unguarded(0.5));
    finish(&session, "import random\nrandom.seed(7)");
    let frozen = run(&session, "random.random()\nwhile True: pass");
    assert_eq!(frozen.state.as_deref(), Some("kept"));
    assert_eq!(repr(&session, "[random.random() for _ in range(3)]"), expected);
}

#[test]
fn nothing_is_printed_twice() {
    let session = open(unguarded(0.5));
    let outcome =
        finish(&session, "import sys, io\nsys.stdout = io.TextIOWrapper(open(1, 'wb', buffering=1 << 16, closefd=False))\nprint('once')");
    assert_eq!(outcome.stdout, "once\n");
    let frozen = run(&session, "print('twice')\nwhile True: pass");
    assert_eq!(frozen.state.as_deref(), Some("kept"));
    assert_eq!(finish(&session, "print('thrice')").stdout, "thrice\n");
}

#[test]
fn threads_that_a_stopped_step_takes_along_are_counted() {
    let session = open(unguarded(0.5));
    finish(
        &session,
        "import threading, time\nthreads = [threading.Thread(target=time.sleep, args=(1000,), daemon=True) for _ in range(3)]\n\
                      [thread.start() for thread in threads]",
    );
    let frozen = run(&session, "while True: pass");
    assert_eq!((frozen.state.as_deref(), frozen.threads_lost), (Some("kept"), Some(3)));
    assert_eq!(repr(&session, "threading.active_count()"), "1");
}

#[test]
fn what_no_session_says_between_steps_brings_the_backup() {
    let code = r#"
import os, socket, threading, time
def babble():
    time.sleep(0.3)
    for fd in range(3, 4096):
        try:
            with socket.socket(fileno=os.dup(fd)) as end:
                if end.type == socket.SOCK_STREAM:
                    end.send(b"\xff" * 64)
        except OSError:
            pass
threading.Thread(target=babble, daemon=True).start()
"#;
    for namespaces in [true, false] {
        let session = open(Options { namespaces, ..unguarded(5.0) });
        finish(&session, "x = 7");
        finish(&session, code);
        std::thread::sleep(std::time::Duration::from_secs(2));
        let outcome = run(&session, "x");
        assert_eq!(outcome.result_repr.as_deref(), Some("7"), "{outcome:#?}");
        assert!(outcome.state_reason.is_some_and(|why| why.contains("said what no session says")), "it says what happened");
        assert_eq!(outcome.threads_lost, Some(1));
    }
}

#[test]
fn a_wait_for_any_child_does_not_wait_for_the_backup() {
    let session = open(unguarded(20.0));
    let outcome = run(&session, "import os\nos.wait()");
    assert_eq!(outcome.error.map(|error| error.kind), Some("ChildProcessError".into()));
    let code = "pid = os.fork()\nif not pid:\n    os._exit(7)\nfound, status = os.waitpid(-1, 0)\n(found == pid, os.WEXITSTATUS(status))";
    assert_eq!(repr(&session, code), "(True, 7)");
    for _ in 0..20 {
        let outcome = run(&session, "os.waitpid(-1, os.WNOHANG)");
        assert_eq!(outcome.error.map(|error| error.kind), Some("ChildProcessError".into()));
    }
}

#[test]
fn a_forked_child_that_comes_to_the_end_of_the_step_ends() {
    let session = open(unguarded(20.0));
    let outcome = finish(&session, "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\nprint('one' if pid else 'other')");
    let mut lines = outcome.stdout.lines().collect::<Vec<_>>();
    lines.sort_unstable();
    assert_eq!(lines, ["one", "other"]);
    assert_eq!(repr(&session, "1 + 1"), "2");
}

#[test]
fn values_travel_as_json() {
    let session = open(unguarded(20.0));
    let value = json!({"a": [1, 2.5, null, true, "ü\u{1f600}\n\""], "b": {"c": {}}});
    session.set("given", &value).expect("it is set");
    assert_eq!(session.get("given").expect("it is there").result, value);
    assert_eq!(repr(&session, "given['a'][1] + 1"), "3.5");
    finish(&session, "class C: pass\nobject_ = C()\nlarge = 'x' * 200000");
    let outcome = session.get("object_").expect("it is there");
    assert_eq!(outcome.result, Value::Null);
    assert!(outcome.result_repr.expect("it has one").contains("C object at"));
    let outcome = finish(&session, "large");
    assert!(outcome.result_repr.expect("it has one").ends_with("(200002 characters in all)"));
    let missing = session.get("nothing").expect("the session is usable");
    assert_eq!(missing.error.map(|error| error.kind), Some("NameError".into()));
    assert!(session.set("not a name", &Value::Null).is_err());
}

#[test]
fn a_repr_that_freezes_costs_nothing_either() {
    let session = open(unguarded(0.5));
    finish(&session, "class C:\n    def __repr__(self):\n        while True: pass\nc = C()\nx = 3");
    let outcome = session.get("c").expect("the session is usable");
    assert_eq!((outcome.outcome, outcome.state.as_deref()), (OutcomeKind::TimedOut, Some("kept")));
    assert_eq!(repr(&session, "x"), "3");
}

#[test]
fn values_show_themselves_in_the_forms_they_know() {
    let session = open(unguarded(20.0));
    let code = "class Rich:\n    def __init__(self, n): self.n = n\n    def _repr_html_(self): return '<b>' + 'x' * self.n + '</b>'\n    \
                def _repr_png_(self): return b'\\x89PNG' * 10\nRich(3)";
    let outcome = finish(&session, code);
    let shown = outcome.displays.iter().map(|one| (one.mime.as_str(), one.data.as_str())).collect::<Vec<_>>();
    assert_eq!(shown[0], ("text/html", "<b>xxx</b>"));
    assert_eq!(shown[1].0, "image/png");
    let outcome = finish(&session, "display(Rich(2_000_000), 'text')");
    assert_eq!(outcome.displays.len(), 3, "{:?}", outcome.displays.iter().map(|one| &one.mime).collect::<Vec<_>>());
    assert_eq!(outcome.displays[0].data.len() as u64 + outcome.displays[0].truncated_bytes, 2_000_007);
    assert_eq!((outcome.displays[2].mime.as_str(), outcome.displays[2].data.as_str()), ("text/plain", "'text'"));
    assert!(finish(&session, "1").displays.is_empty());
}

#[test]
fn an_interrupt_is_a_keyboard_interrupt_and_what_ignores_it_is_stopped() {
    for (code, kind, state) in
        [("import time\ntime.sleep(1000)", OutcomeKind::Raised, "advanced"), ("sum(range(10 ** 12))", OutcomeKind::Crashed, "kept")]
    {
        let session = open(unguarded(60.0));
        finish(&session, "x = 1");
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_millis(500));
                session.interrupt();
            });
            run(&session, code)
        });
        assert_eq!((outcome.outcome, outcome.state.as_deref(), outcome.interrupted), (kind, Some(state), Some(2)), "{outcome:#?}");
        assert_eq!(repr(&session, "x"), "1");
        session.interrupt();
        assert_eq!(repr(&session, "x + 1"), "2", "an interrupt between steps interrupts nothing");
    }
}

#[test]
fn without_a_backup_a_stopped_step_loses_the_session_and_says_so() {
    let session = open(Options { checkpoint: false, ..unguarded(0.5) });
    finish(&session, "x = 1");
    let frozen = run(&session, "while True: pass");
    assert_eq!((frozen.outcome, frozen.state.as_deref()), (OutcomeKind::TimedOut, Some("lost")));
    assert!(frozen.state_reason.expect("it says why").contains("switched off"));
    let outcome = run(&session, "x");
    assert_eq!(outcome.error.map(|error| error.kind), Some("NameError".into()), "the session goes on, empty");
    let guarded =
        open(Options { checkpoint: false, gate: false, guards: true, limits: limits(20.0), python: Some(python()), ..Options::default() });
    finish(&guarded, "x = 1\nbase = int('10')");
    let refused = run(&guarded, "base ** base ** 8");
    assert_eq!((refused.outcome, refused.state.as_deref()), (OutcomeKind::Guarded, Some("advanced")), "{refused:#?}");
    assert_eq!(repr(&guarded, "x"), "1");
}

#[test]
fn a_guard_stops_an_operation_and_the_variables_stay() {
    for python in pythons() {
        let session = open(Options { gate: false, limits: limits(20.0), python: Some(python), ..Options::default() });
        finish(&session, "def power(a, b):\n    return a ** b\nx = power(2, 3)");
        let refused = run(&session, "x = 0\npower(int('10'), 10 ** 8)");
        assert_eq!((refused.outcome, refused.state.as_deref()), (OutcomeKind::Guarded, Some("kept")), "{refused:#?}");
        assert_eq!(refused.error.expect("it says why").line, Some(2));
        assert_eq!(repr(&session, "x"), "8");
        let slept = run(&session, "import time\ntime.sleep(1000)");
        assert_eq!((slept.outcome, slept.state.as_deref()), (OutcomeKind::Guarded, Some("kept")), "{slept:#?}");
    }
}

#[test]
fn exit_handlers_run_once_and_only_as_long_as_a_step_may() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ended");
    let session = open(unguarded(0.7));
    finish(&session, &format!("import atexit\natexit.register(lambda: open({:?}, 'a').write('x'))", path.display().to_string()));
    assert_eq!(run(&session, "while True: pass").state.as_deref(), Some("kept"));
    session.close();
    assert_eq!(std::fs::read_to_string(path).expect("the handler ran"), "x");
    let session = open(unguarded(0.7));
    finish(&session, "import atexit, time\natexit.register(time.sleep, 1000)");
    let begin = std::time::Instant::now();
    session.close();
    assert!(begin.elapsed() < std::time::Duration::from_secs(15));
    assert!(session.run("1").is_err(), "it is closed");
}

#[test]
fn alarms_that_come_between_steps_hit_the_next_step() {
    let session = open(unguarded(20.0));
    finish(
        &session,
        "import signal, time\ndef handler(*_):\n    raise TimeoutError('late')\nsignal.signal(signal.SIGALRM, handler)\n\
                      signal.setitimer(signal.ITIMER_REAL, 0.1)",
    );
    std::thread::sleep(std::time::Duration::from_millis(400));
    let outcome = run(&session, "x = 1\ntime.sleep(1)");
    assert_eq!(outcome.error.map(|error| error.kind), Some("TimeoutError".into()));
    assert_eq!(repr(&session, "2"), "2");
}

#[test]
fn a_step_that_no_python_compiles_raises() {
    let session = open(unguarded(20.0));
    finish(&session, "x = 1");
    let outcome = run(&session, "x = '\0'");
    let error = outcome.error.expect("it raised");
    assert_eq!((outcome.outcome, error.kind.as_str(), error.line), (OutcomeKind::Raised, "SyntaxError", Some(1)));
    assert_eq!(outcome.state.as_deref(), Some("kept"));
    assert_eq!(repr(&session, "x"), "1");
}

#[test]
fn what_keeps_a_session_from_being_ready_costs_the_step_before() {
    let hang = "def hang():\n    while True: pass\n";
    for code in [
        "import os, time\nos.register_at_fork(before=lambda: time.sleep(1000))\nx = 2",
        "import sys\ndef hook(event, args):\n    if event == 'os.fork':\n        hang()\nsys.addaudithook(hook)\nx = 2",
        "import logging, threading, time\ndef hold():\n    with logging._lock:\n        time.sleep(1000)\n\
         threading.Thread(target=hold, daemon=True).start()\ntime.sleep(0.2)\nx = 2",
    ] {
        let session = open(unguarded(1.0));
        finish(&session, &format!("{hang}x = 1"));
        assert_eq!(finish(&session, code).state.as_deref(), Some("advanced"));
        let begin = Instant::now();
        let outcome = finish(&session, "x");
        assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
        let reason = outcome.state_reason.clone().unwrap_or_default();
        assert_eq!(outcome.result, json!(1), "{outcome:#?}");
        assert!(reason.contains("kept the session busy") && reason.contains("before the step before this one"), "{reason}");
    }
}

#[test]
fn what_a_step_puts_in_the_place_of_builtins_is_its_own_affair() {
    for code in [
        "import json\njson.loads = json.dumps = lambda *args, **kwargs: 1 / 0",
        "import builtins\nbuiltins.len = builtins.isinstance = lambda *args: 1 / 0",
    ] {
        let session = open(unguarded(20.0));
        finish(&session, "x = 1");
        run(&session, code);
        assert_eq!(repr(&session, "x"), "1", "{code}");
    }
}

#[test]
fn a_step_has_a_time_that_is_one() {
    let session = open(unguarded(20.0));
    finish(&session, "x = 1");
    for seconds in [-1.0, 0.0, f64::NAN, f64::INFINITY, 1e308] {
        assert!(session.run_with("x", Some(seconds), &mut |_, _| {}).is_err(), "{seconds}");
    }
    for name in ["class", "None", "__builtins__", "a b"] {
        assert!(session.set(name, &json!(1)).is_err(), "{name}");
    }
    assert_eq!(repr(&session, "x"), "1");
}

/// On one processor the backup has mostly not run at all yet when the step that follows begins.
#[test]
fn a_step_that_ends_its_own_group_does_not_end_a_backup_that_was_just_made() {
    let session = open(unguarded(5.0));
    finish(&session, "import os\nx = 1\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})");
    for _ in 0..20 {
        let outcome = run(&session, "os.killpg(0, 9)");
        assert_eq!((outcome.outcome, outcome.state.as_deref()), (OutcomeKind::Crashed, Some("kept")), "{outcome:#?}");
        assert_eq!(repr(&session, "x"), "1");
    }
}

#[test]
fn a_session_does_not_run_out_of_process_numbers() {
    let session = open(unguarded(20.0));
    finish(&session, "import os\ndef child():\n    pid = os.fork()\n    if not pid:\n        os._exit(0)\n    return pid");
    for _ in 0..6 {
        let code = "for _ in range(100):\n    os.waitpid(child(), 0)\npids = [child() for _ in range(10)]\nlen([os.waitpid(pid, 0) for pid in pids])";
        let outcome = finish(&session, code);
        assert_eq!((outcome.result_repr.as_deref(), outcome.mechanisms.checkpoint), (Some("10"), Some(true)), "{outcome:#?}");
    }
}

#[test]
fn a_confined_session_stays_confined_when_it_goes_back() {
    let work = tempfile::tempdir_in("/var/tmp").expect("a folder");
    let options = Options { confine: true, cwd: Some(work.path().to_owned()), ..unguarded(1.0) };
    let session = open(options);
    assert!(session.mechanisms().confined);
    let attempt = "def attempt():\n    try:\n        open('/var/tmp/antifreeze-out', 'w')\n    except OSError as error:\n        return \
                   type(error).__name__\n    return 'written'\nx = 1\nopen('inside', 'w').close()\nattempt()";
    let refused = repr(&session, attempt);
    assert!(refused.contains("Error"), "{refused}");
    assert_eq!(run(&session, "x = 2\nwhile True: pass").state.as_deref(), Some("kept"));
    assert_eq!(repr(&session, "x"), "1");
    assert_eq!(repr(&session, "attempt()"), refused);
    assert!(work.path().join("inside").exists());
}
