//! What the models of the standard library's modules say, held against a real Python.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Every global of the program lies within its abstract value, and at least so many are exact.
fn check(name: &str, exact: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/library");
    let program = folder.join(name);
    let values = Command::new(env!("CARGO_BIN_EXE_antifreeze")).args(["debug", "values"]).arg(&program).output().expect("antifreeze runs");
    let mut python = Command::new("python3")
        .arg(folder.join("check.py"))
        .arg(&program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs");
    python.stdin.take().expect("a pipe").write_all(&values.stdout).expect("python3 reads");
    let output = python.wait_with_output().expect("python3 ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{name}:\n{text}");
    let known: usize = text.lines().last().and_then(|l| l.split(' ').next()).and_then(|n| n.parse().ok()).unwrap_or(0);
    assert!(known >= exact, "{name}: {text}");
}

#[test]
fn functions_contain_the_real_values() {
    check("functions.py", 25);
}

#[test]
fn iterators_contain_the_real_values() {
    check("iterators.py", 14);
}

#[test]
fn containers_contain_the_real_values() {
    check("containers.py", 12);
}
