//! What the gate knows of earlier steps.

use antifreeze::outcome::OutcomeKind;
use antifreeze::session::{Options, Session};
use serde_json::json;

use super::{finish, limits, open, python, repr, run};

fn session(timeout: f64) -> Session {
    open(Options { limits: limits(timeout), python: Some(python()), ..Options::default() })
}

fn rejected(session: &Session, code: &str) -> String {
    let outcome = run(session, code);
    assert_eq!((outcome.outcome, outcome.state.as_deref()), (OutcomeKind::Rejected, Some("kept")), "{code}: {outcome:#?}");
    let finding = outcome.findings.iter().find(|finding| finding["level"] == "error").expect("something rejects");
    format!("{} {}", finding["code"].as_str().unwrap_or_default(), finding["line"])
}

#[test]
fn values_of_earlier_steps_are_known() {
    let session = session(20.0);
    finish(&session, "n = 10**9");
    assert_eq!(rejected(&session, "x = 1\n3 ** n"), "AF101 2");
    assert_eq!(run(&session, "x").error.expect("nothing of it was run").kind, "NameError");
    finish(&session, "n = 10");
    assert_eq!(repr(&session, "3 ** n"), "59049");
}

#[test]
fn functions_of_earlier_steps_are_judged_with_their_bodies() {
    let session = session(20.0);
    finish(&session, "def power(n):\n    return 3 ** n");
    assert_eq!(repr(&session, "power(4)"), "81");
    assert_eq!(rejected(&session, "\n\npower(10 ** 9)"), "AF101 3");
    finish(&session, "def spin():\n    while True:\n        pass");
    assert_eq!(rejected(&session, "spin()").split(' ').next(), Some("AF401"));
    assert_eq!(repr(&session, "power(5)"), "243");
}

#[test]
fn time_of_earlier_steps_is_not_the_next_ones() {
    let session = session(3.0);
    for _ in 0..3 {
        finish(&session, "import time\ntime.sleep(1.2)");
    }
    assert_eq!(rejected(&session, "time.sleep(2)\ntime.sleep(2)").split(' ').next(), Some("AF501"));
}

#[test]
fn what_a_stopped_step_did_is_not_believed() {
    let session = open(Options { guards: false, ..session_options(1.0) });
    finish(&session, "n = 10");
    let frozen = run(&session, "n = 10 ** 9\nwhile len(input.__name__) == 5:\n    n += 1");
    assert!(matches!(frozen.outcome, OutcomeKind::TimedOut | OutcomeKind::Rejected), "{frozen:#?}");
    assert_eq!(repr(&session, "3 ** n"), "59049");
}

fn session_options(timeout: f64) -> Options {
    Options { limits: limits(timeout), python: Some(python()), ..Options::default() }
}

#[test]
fn what_a_step_that_raised_did_is_not_believed_beyond_where_it_raised() {
    let session = session(20.0);
    finish(&session, "n = 10\nm = 10\nsize = [10]");
    let raised = run(&session, "m = 10 ** 9\nsize.append(int('x'))\nn = 10 ** 9");
    assert_eq!(raised.state.as_deref(), Some("advanced"));
    assert_eq!(rejected(&session, "3 ** m"), "AF101 1");
    assert_eq!(repr(&session, "3 ** n"), "59049", "the line was not reached");
    finish(&session, "def change():\n    global n\n    n = 12\n    raise ValueError\nk = 10 ** 9");
    assert_eq!(run(&session, "change()").outcome, OutcomeKind::Raised);
    assert_eq!(repr(&session, "2 ** n"), "4096");
    assert_eq!(rejected(&session, "3 ** k"), "AF101 1");
    let raised = run(&session, "for i in [1, 2, 'x']:\n    k = i + 1");
    assert_eq!(raised.outcome, OutcomeKind::Raised);
    assert_eq!(repr(&session, "3 ** k"), "27");
}

#[test]
fn values_that_the_host_sets_are_known_or_unknown_as_they_are() {
    let session = session(20.0);
    finish(&session, "n = 10 ** 9");
    session.set("n", &json!(5)).expect("it is set");
    assert_eq!(repr(&session, "3 ** n"), "243");
    session.set("n", &json!(1_000_000_000)).expect("it is set");
    assert_eq!(rejected(&session, "3 ** n"), "AF101 1");
    session.set("n", &json!([2])).expect("it is set");
    assert_eq!(repr(&session, "3 ** n[0]"), "9");
}

#[test]
fn a_function_that_was_only_called_with_small_numbers_is_guarded_all_the_same() {
    let session = session(20.0);
    finish(&session, "def power(a, b):\n    return a ** b\npower(2, 3)");
    let outcome = run(&session, "import time\npower(10, int(time.time()))");
    assert_eq!((outcome.outcome, outcome.state.as_deref()), (OutcomeKind::Guarded, Some("kept")), "{outcome:#?}");
}

#[test]
fn a_name_that_an_earlier_step_took_is_no_builtin_any_more() {
    let session = session(20.0);
    finish(&session, "sum = 0\nrange = lambda n: [n]");
    assert_eq!(run(&session, "sum(range(10 ** 13))").error.expect("it raises").kind, "TypeError");
    assert_eq!(repr(&session, "list(range(10 ** 13))"), "[10000000000000]");
}

#[test]
fn what_is_changed_by_text_is_not_claimed_anything_of() {
    let session = session(20.0);
    finish(&session, "n = 10 ** 9");
    let raised = run(&session, "exec('n = 5')\nint('x')");
    assert_eq!(raised.outcome, OutcomeKind::Raised);
    assert_eq!(repr(&session, "3 ** n"), "243");
}

#[test]
fn check_runs_nothing() {
    let session = session(20.0);
    finish(&session, "n = 10 ** 9");
    let (_, verdict) = session.check("3 ** n").expect("it is checked");
    assert!(verdict.rejects());
    let (_, verdict) = session.check("n = 1\n3 ** n").expect("it is checked");
    assert!(!verdict.rejects());
    assert_eq!(repr(&session, "n"), "1000000000");
}

#[test]
fn what_a_thread_of_an_earlier_step_changes_is_not_claimed() {
    let session = session(20.0);
    let code = "import threading, time\nn = 10 ** 9\ndef change():\n    global n\n    time.sleep(0.2)\n    n = 5\nthread = threading.Thread(target=change)\nthread.start()";
    finish(&session, code);
    std::thread::sleep(std::time::Duration::from_millis(800));
    assert_eq!(repr(&session, "3 ** n"), "243");
}

#[test]
fn what_functions_changed_before_a_step_raised_is_not_claimed() {
    let session = session(20.0);
    finish(&session, "sizes = [10 ** 9]\nn = 10 ** 9\ndef change():\n    global n\n    sizes[0] = 5\n    n = 6");
    assert_eq!(run(&session, "change() or int('x')").outcome, OutcomeKind::Raised);
    assert_eq!(repr(&session, "3 ** sizes[0]"), "243");
    assert_eq!(repr(&session, "3 ** n"), "729");
    finish(&session, "n = 10 ** 9\ndef hide():\n    globals()['n'] = 7");
    assert_eq!(run(&session, "hide() or int('x')").outcome, OutcomeKind::Raised);
    assert_eq!(repr(&session, "3 ** n"), "2187");
}

#[test]
fn an_interrupt_in_the_midst_of_assignments_leaves_them_unknown() {
    let session = session(60.0);
    finish(&session, "import time\nn = 5");
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(700));
            session.interrupt();
        });
        run(&session, "m = 10 ** 9\nfor i in range(3):\n    time.sleep(10)\n    n = 10 ** 9")
    });
    assert_eq!(outcome.error.map(|error| error.kind), Some("KeyboardInterrupt".into()));
    assert_eq!(repr(&session, "3 ** n"), "243");
    assert_eq!(rejected(&session, "3 ** m"), "AF101 1");
}
