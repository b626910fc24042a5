//! The command as a user meets it.

#[expect(dead_code, reason = "other test files use the rest")]
mod common;
#[path = "common/folders.rs"]
#[expect(dead_code, reason = "other test files use the rest")]
mod folders;

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{assert_valid, assert_valid_line};
use folders::folder;
use serde_json::Value;

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_antifreeze"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

fn run(args: &[&str]) -> Output {
    command(args).output().expect("the command starts")
}

fn run_with_stdin(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    child.stdin.take().expect("stdin is piped").write_all(stdin).expect("stdin is read");
    child.wait_with_output().expect("the command ends")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("it exits by itself")
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("stdout is UTF-8")
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("stderr is UTF-8")
}

fn json(output: &Output) -> Value {
    let value = serde_json::from_slice(&output.stdout).expect("stdout is JSON");
    assert_valid(&value);
    value
}

fn name(path: &Path) -> &str {
    path.to_str().expect("temporary names are UTF-8")
}

#[test]
fn harmless_code_exits_zero() {
    let output = run(&["check", "-c", "print(1 + 1)"]);
    assert_eq!((code(&output), out(&output)), (0, "1 file checked: not rejected (0 errors, 0 warnings)\n"));
    assert_eq!(json(&run(&["check", "--format", "json", "-c", "1 + 1"]))["files"][0]["path"], "<command>");
}

#[test]
fn a_huge_power_is_rejected() {
    let output = run(&["check", "-c", "10 ** 10 ** 8"]);
    assert_eq!(code(&output), 1, "{}", out(&output));
    assert_eq!(code(&run(&["check", "--exit-zero", "-c", "10 ** 10 ** 8"])), 0);
    for part in ["AF101", "332192810 bits", "1000000", "pow(base, exp, mod)"] {
        assert!(out(&output).contains(part), "{}", out(&output));
    }
}

#[test]
fn limits_are_flags() {
    let sleep = "import time\ntime.sleep(5)\n";
    assert_eq!(code(&run(&["check", "-c", sleep])), 0);
    assert_eq!(code(&run(&["check", "--timeout", "1", "-c", sleep])), 1);
    for bad in [
        ["--timeout", "never"],
        ["--int-bits", "large"],
        ["--memory", "0"],
        ["--processes", "many"],
        ["--int-bits", "-1"],
        ["--timeout", "-5"],
    ] {
        let output = run(&["check", bad[0], bad[1], "-c", "1"]);
        assert!(!err(&output).contains("unexpected argument"), "{}", err(&output));
        assert_eq!(code(&output), 2, "{bad:?}");
        assert!(err(&output).contains(bad[0]), "{}", err(&output));
    }
}

#[test]
fn standard_input_has_a_name() {
    let output = run_with_stdin(&["check", "-", "--format", "json"], b"1 + 1\n");
    assert_eq!((code(&output), &json(&output)["files"][0]["path"]), (0, &Value::from("<stdin>")));
    let output = run_with_stdin(&["check", "-", "--format", "json", "--stdin-filename", "cell 3"], b"1 + 1\n");
    assert_eq!(json(&output)["files"][0]["path"], "cell 3");
}

#[test]
fn folders_are_walked_for_python_in_order() {
    let folder = folder(&[("b.py", "1"), ("a/z.py", "1"), ("a/y.pyw", "1"), ("c.txt", "not ("), ("d.pyi", "x: int"), (".venv/e.py", "1")]);
    let output = run(&["check", "--format", "json", name(folder.path())]);
    let paths: Vec<String> = json(&output)["files"].as_array().expect("a list").iter().map(|file| file["path"].to_string()).collect();
    let ends: Vec<bool> = paths.iter().zip(["a/y.pyw\"", "a/z.py\"", "b.py\""]).map(|(path, end)| path.ends_with(end)).collect();
    assert_eq!((code(&output), ends), (0, vec![true; 3]), "{paths:?}");
}

#[test]
fn a_path_that_cannot_be_read_does_not_cost_the_others() {
    let folder = folder(&[("good.py", "1 + 1")]);
    let good = folder.path().join("good.py");
    let missing = folder.path().join("missing.py");
    let output = run(&["check", "--format", "json", name(&missing), name(&good)]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("missing.py"), "{}", err(&output));
    let files = &json(&output)["files"];
    assert_eq!(files.as_array().expect("a list").len(), 1);
    assert_eq!(files[0]["path"], name(&good), "paths are as given");
    assert_valid(&json(&output));
}

#[test]
fn bytes_that_are_no_text_are_an_error_and_no_crash() {
    let output = run_with_stdin(&["check", "-"], b"x = '\xff\xfe'\n");
    assert_eq!(code(&output), 2, "{}", err(&output));
    assert!(err(&output).contains("<stdin>"), "{}", err(&output));
}

#[test]
fn jsonl_is_an_object_per_file() {
    let folder = folder(&[("a.py", "1"), ("b.py", "2")]);
    let output = run(&["check", "--format", "jsonl", name(folder.path())]);
    let lines: Vec<Value> = out(&output).lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
    assert_eq!(lines.len(), 2);
    lines.iter().for_each(assert_valid_line);
}

#[test]
fn output_is_a_file_or_a_limit() {
    let folder = folder(&[]);
    let file = folder.path().join("report.json");
    let output = run(&["check", "--format", "json", "--output", name(&file), "--output", "64KiB", "-c", "1"]);
    assert_eq!((code(&output), out(&output)), (0, ""));
    assert_valid(&serde_json::from_str(&std::fs::read_to_string(&file).expect("the report is there")).expect("it is JSON"));
    let output = run(&["check", "--output", name(&folder.path().join("no/such/folder")), "-c", "1"]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("cannot write the report: ") && err(&output).contains("no/such/folder: "), "{}", err(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_read_or_written_is_named() {
    let folder = folder(&[("n.ipynb", "{\"cells\": []}"), ("utf16.py", "")]);
    let at = |name: &str| name_of(&folder.path().join(name));
    std::fs::write(folder.path().join("utf16.py"), b"\xff\xfex\0").expect("it is written");
    assert!(Command::new("mkfifo").arg(at("pipe.py")).status().is_ok_and(|status| status.success()));
    let (notebook, pipe, utf16, nothing) = (at("n.ipynb"), at("pipe.py"), at("utf16.py"), at("nofile"));
    for (args, said) in [
        (&["run", &notebook][..], "n.ipynb: a notebook is no program that can be run. Convert it: `jupyter nbconvert --to script"),
        (&["run", "--stdin", &nothing, "-c", "1"], "--stdin "),
        (&["run", "--stdin", ".", "-c", "1"], "--stdin .: it is a folder"),
        (&["check", &pipe], "pipe.py: it is a pipe"),
        (&["check", &utf16], "as UTF-16 does"),
        (&["watch", "--", "true"], "--budget <DURATION>|--silence <DURATION>"),
    ] {
        let output = run(args);
        assert!(code(&output) == 2 && err(&output).contains(said), "{args:?}: {}", err(&output));
    }
    let full = std::fs::File::options().write(true).open("/dev/full").expect("it is there");
    assert_eq!(command(&["--help"]).stdout(full).stderr(Stdio::null()).status().expect("it ends").code(), Some(2));
    let empty = folders::folder(&[]);
    let output = run(&["check", name(empty.path())]);
    assert_eq!(code(&output), 0);
    assert!(err(&output).contains("warning: no Python files found"), "{}", err(&output));
}

fn name_of(path: &Path) -> String {
    name(path).to_owned()
}

#[test]
fn usage_errors_exit_two() {
    for args in [&["check"][..], &["check", "--format", "xml", "-"], &["check", "-c", "1", "file.py"], &["nonsense"], &[]] {
        assert_eq!(code(&run(args)), 2, "{args:?}");
    }
    for args in [&["--help"][..], &["check", "--help"], &["--version"]] {
        assert_eq!(code(&run(args)), 0, "{args:?}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = command(&["rule", "--all"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts");
    drop(child.stdout.take());
    let mut complaint = String::new();
    child.stderr.take().expect("stderr is piped").read_to_string(&mut complaint).expect("stderr is UTF-8");
    assert_eq!((child.wait().expect("it ends").code(), complaint.as_str()), (Some(0), ""));
}

#[test]
fn colours_are_written_where_asked_for() {
    let rule = |args: &[&str], variable: Option<(&str, &str)>| {
        let mut command = command(&[&["rule", "AF101"], args].concat());
        command.envs(variable);
        let output = command.output().expect("the command starts");
        out(&output).contains('\x1b')
    };
    assert!(!rule(&[], None), "a pipe is no terminal");
    assert!(rule(&["--color", "always"], None));
    assert!(rule(&[], Some(("CLICOLOR_FORCE", "1"))));
    assert!(!rule(&["--color", "never"], Some(("CLICOLOR_FORCE", "1"))));
    assert!(rule(&["--color", "always"], Some(("NO_COLOR", "1"))));
}

#[test]
fn rules_are_explained() {
    let output = run(&["rule", "af101"]);
    assert_eq!(code(&output), 0);
    for part in ["AF101 huge-power", "What it does", "Why it freezes", "Bad", "Good", "Known limits", "pow(base, exp, mod)"] {
        assert!(out(&output).contains(part), "{part} is not in\n{}", out(&output));
    }
    assert!(!out(&output).contains("```"));
    assert_eq!(out(&run(&["rule", "huge-power"])), out(&output), "a name does too");

    let card: Value = serde_json::from_slice(&run(&["rule", "AF501", "--format", "json"]).stdout).expect("JSON");
    assert_eq!((&card["code"], &card["callables"][0]["name"]), (&"AF501".into(), &"time.sleep".into()));
    let all: Value = serde_json::from_slice(&run(&["rule", "--all", "--format", "json"]).stdout).expect("JSON");
    assert_eq!(all.as_array().map(Vec::len), Some(antifreeze::cards::all().len()));
    assert_eq!(out(&run(&["rule"])).lines().count(), antifreeze::cards::all().len());
}

#[test]
fn an_unknown_rule_is_met_with_a_suggestion() {
    for (typed, meant) in [("AF1O1", "AF101"), ("huge-powr", "huge-power"), ("AF40", "AF401")] {
        let output = run(&["rule", typed]);
        assert_eq!(code(&output), 2);
        assert!(err(&output).contains(&format!("did you mean `{meant}`")), "{}", err(&output));
    }
    let output = run(&["rule", "something-else-entirely"]);
    assert_eq!(code(&output), 2);
    assert!(!err(&output).contains("did you mean"), "{}", err(&output));
}

#[test]
fn debug_prints_json() {
    let folder = folder(&[("x.py", "x = 1\n")]);
    let file = folder.path().join("x.py");
    for (what, is_list) in [("values", false), ("facts", true), ("guards", true)] {
        let output = run(&["debug", what, name(&file)]);
        assert_eq!(code(&output), 0, "{}", err(&output));
        let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(value.is_array(), is_list, "{what}: {value}");
    }
    assert_eq!(code(&run(&["debug", "values", "no-such-file.py"])), 2);
    assert_eq!(code(&run(&["debug", "values", name(folder.path())])), 2);
}

#[test]
fn broken_code_warns_before_a_run_and_rejects_in_a_repository() {
    let output = run(&["check", "--format", "json", "-c", "x = = 1\ny = )\n"]);
    assert_eq!(code(&output), 0);
    let findings = &json(&output)["files"][0]["findings"];
    assert_eq!(findings.as_array().map(Vec::len), Some(1), "the first error only: {findings}");
    assert_eq!((&findings[0]["code"], &findings[0]["level"], &findings[0]["line"]), (&"AF901".into(), &"warning".into(), &1.into()));

    let output = run(&["check", "--profile", "library", "--format", "concise", "-c", "x = = 1\n"]);
    assert_eq!(code(&output), 1);
    assert!(out(&output).starts_with("<command>:1:5: error AF901 syntax-error: "), "{}", out(&output));

    let folder = folder(&[("broken.py", "x = = 1\n"), ("fine.py", "x = 1\n")]);
    assert_eq!(code(&run(&["check", name(folder.path())])), 1, "the files of a folder are judged as a repository's");
    assert_eq!(code(&run(&["check", "--exit-zero", name(folder.path())])), 0);
    assert_eq!(code(&run(&["check", name(&folder.path().join("broken.py"))])), 0, "a file alone is judged as a script");
}
