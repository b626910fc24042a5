//! Functions of the host's, and the import policy.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use antifreeze::outcome::OutcomeKind;
use antifreeze::session::{Options, ToolFunction};
use serde_json::{Map, Value, json};

use super::{finish, open, repr, run, unguarded};

fn tools() -> BTreeMap<String, Arc<ToolFunction>> {
    let add = |args: Vec<Value>, kwargs: Map<String, Value>| {
        let sum = args.iter().chain(kwargs.values()).map(|value| value.as_i64().ok_or("not a number")).sum::<Result<i64, _>>()?;
        Ok(json!({ "sum": sum }))
    };
    let hang = |_: Vec<Value>, _: Map<String, Value>| {
        std::thread::sleep(Duration::from_secs(30));
        Ok(Value::Null)
    };
    let slow = |_: Vec<Value>, _: Map<String, Value>| {
        std::thread::sleep(Duration::from_millis(800));
        Ok(json!("slow"))
    };
    let panics = |_: Vec<Value>, _: Map<String, Value>| -> Result<Value, String> { std::panic::resume_unwind(Box::new("no")) };
    let all: [(&str, Arc<ToolFunction>); 4] =
        [("add", Arc::new(add)), ("hang", Arc::new(hang)), ("slow", Arc::new(slow)), ("panics", Arc::new(panics))];
    all.into_iter().map(|(name, tool)| (name.to_owned(), tool)).collect()
}

#[test]
fn a_call_travels_to_the_host_and_back() {
    let session = open(Options { tools: tools(), ..unguarded(20.0) });
    let outcome = finish(&session, "print('before')\nresult = add(1, 2, c=3)\nprint('after')\nresult");
    assert_eq!((outcome.result, outcome.stdout.as_str()), (json!({"sum": 6}), "before\nafter\n"));
    assert_eq!(repr(&session, "[add(i)['sum'] for i in range(50)] == list(range(50))"), "True");
    for (code, kind, words) in [
        ("add('a')", "antifreeze.ToolError", "not a number"),
        ("panics()", "antifreeze.ToolError", "panicked"),
        ("add(object())", "TypeError", "JSON"),
        ("add(float('nan'))", "TypeError", "JSON"),
        ("add('\\ud800')", "TypeError", "JSON"),
        ("add(2 ** 64)", "TypeError", "64 bits"),
        ("x = []\nfor _ in range(500):\n    x = [x]\nadd(x)", "TypeError", "too deep"),
        ("add('a' * 20_000_000)", "TypeError", "8 MiB"),
    ] {
        let error = run(&session, code).error.expect("it raises");
        assert_eq!(error.kind, kind, "{code}");
        assert!(error.message.contains(words), "{code}: {}", error.message);
    }
    let threads = "import threading\nsums = []\nthreads = [threading.Thread(target=lambda i=i: sums.append(add(i)['sum'])) for i in range(8)]\n\
                   [t.start() for t in threads]\n[t.join() for t in threads]\nsorted(sums)";
    assert_eq!(repr(&session, threads), "[0, 1, 2, 3, 4, 5, 6, 7]");
}

#[test]
fn a_tool_that_hangs_does_not_keep_the_step() {
    let session = open(Options { tools: tools(), ..unguarded(0.7) });
    finish(&session, "x = 1");
    let outcome = run(&session, "hang()");
    assert_eq!((outcome.outcome, outcome.state.as_deref(), outcome.tool.as_deref()), (OutcomeKind::TimedOut, Some("kept"), Some("hang")));
    assert_eq!(repr(&session, "x + add(1)['sum']"), "2", "a late answer is nobody's");
}

#[test]
fn whether_the_hosts_time_counts_is_a_choice() {
    let counted = open(Options { tools: tools(), ..unguarded(0.5) });
    assert_eq!(run(&counted, "slow()").outcome, OutcomeKind::TimedOut);
    let free = open(Options { tools: tools(), tool_time: false, ..unguarded(1.2) });
    assert_eq!(repr(&free, "slow()"), "'slow'");
    assert_eq!(finish(&free, "slow() + slow() + slow()").result, json!("slowslowslow"));
    let hung = run(&free, "hang()");
    assert_eq!((hung.outcome, hung.tool.as_deref()), (OutcomeKind::TimedOut, Some("hang")));
    assert_eq!(run(&free, "while True: pass").outcome, OutcomeKind::TimedOut);
}

#[test]
fn imports_that_are_not_allowed_are_refused_before_and_during_a_step() {
    let allowed = Some(vec!["math".to_owned(), "json".to_owned(), "importlib".to_owned()]);
    let session = open(Options { allowed_imports: allowed, ..unguarded(20.0) });
    finish(&session, "import math, json\nfrom json import loads\nloads('[1]')");
    let refused = run(&session, "x = 1\nimport socket");
    assert_eq!((refused.outcome, refused.state.as_deref()), (OutcomeKind::Rejected, Some("kept")));
    let error = refused.error.expect("it says why");
    assert_eq!(error.line, Some(2));
    assert!(error.message.contains("socket") && error.message.contains("math"), "{}", error.message);
    for code in ["exec('import socket')", "__import__('os')", "import importlib\nimportlib.import_module('wave')"] {
        let error = run(&session, code).error.expect("it is refused at run time");
        assert_eq!(error.kind, "ImportError", "{code}: {}", error.message);
    }
    finish(&session, "json.dumps({'a': math.pi})");
}

#[test]
fn what_an_allowed_module_imports_is_its_own_affair() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("ours.py"), "for name in ['wave', 'colorsys']:\n    __import__(name)\nimport ftplib\n")
        .expect("it is written");
    let allowed = Some(vec!["ours".to_owned()]);
    let session = open(Options { allowed_imports: allowed, cwd: Some(folder.path().to_owned()), ..unguarded(20.0) });
    finish(&session, "import ours");
    for code in ["__import__('wave')", "import wave"] {
        assert!(run(&session, code).error.is_some_and(|error| error.message.contains("wave")), "{code}");
    }
}
