//! Builtins and methods of builtin types against CPython: each global's real value lies in the abstract one.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Checks one fixture; at least the given share of its globals must be exact.
fn check(name: &str, share: f64) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library");
    let program = folder.join(name);
    let values =
        Command::new(env!("CARGO_BIN_EXE_antifreeze")).args(["debug", "values"]).arg(&program).output().expect("the evaluator runs");
    let mut python = Command::new("python3")
        .arg(folder.join("compare.py"))
        .arg(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 is installed");
    python.stdin.take().expect("a pipe").write_all(&values.stdout).expect("it reads");
    let output = python.wait_with_output().expect("it ends");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["wrong"], serde_json::json!([]), "{name}");
    let (exact, all) = (report["exact"].as_f64().unwrap_or(0.0), report["all"].as_f64().unwrap_or(1.0));
    assert!(exact >= share * all, "{name}: only {exact} of {all} are exact");
}

#[test]
fn builtins_hold_what_cpython_gives() {
    check("builtins.py", 0.95);
}

#[test]
fn methods_hold_what_cpython_gives() {
    check("methods.py", 0.85);
}
