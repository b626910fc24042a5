//! A repository's files: which are found, how they are reported, what is remembered of them.

#[expect(dead_code, reason = "other test files use the rest")]
mod common;
#[path = "common/folders.rs"]
mod folders;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::assert_valid;
use folders::{code, command, err, folder, out, run, write};
use serde_json::{Value, json};

const POWER: &str = "x = 10 ** 10 ** 8\n";

/// Runs git in a folder, without anybody's settings.
fn git(folder: &Path, args: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"];
    let output = Command::new("git")
        .args(identity)
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .expect("git is on PATH");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The paths that a check reports on, in order.
fn paths(folder: &Path, args: &[&str]) -> Vec<String> {
    let output = run(folder, &[&["check", "--format", "json"], args].concat());
    let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("JSON: {output:?}"));
    assert_valid(&value);
    value["files"].as_array().expect("a list").iter().map(|file| file["path"].as_str().expect("text").to_owned()).collect()
}

/// `path:line CODE` of what is found.
fn places(output: &Output) -> Vec<String> {
    let concise = out(output);
    let lines = concise.lines().filter(|line| line.contains(" AF"));
    lines
        .map(|line| {
            let (place, rest) = line.split_once(": ").expect("a place comes first");
            let words: Vec<&str> = rest.split(' ').collect();
            format!("{} {}", place.rsplit_once(':').expect("a column").0, words[1])
        })
        .collect()
}

#[test]
fn files_are_found_by_name_and_shebang_and_left_out_by_git_and_patterns() {
    let folder = folder(&[
        ("a.py", ""),
        ("b.pyw", ""),
        ("c.ipynb", "{\"cells\": []}"),
        ("script", "#!/usr/bin/env python3\n"),
        ("other", "#!/bin/sh\n"),
        ("empty", ""),
        ("notes.txt", ""),
        (".hidden/d.py", ""),
        (".e.py", ""),
        ("ignored/f.py", ""),
        ("pkg/g.py", ""),
        ("pkg/gen_pb2.py", ""),
        ("venv/h.py", ""),
        ("pkg/build/i.py", ""),
        (".gitignore", "ignored/\n"),
    ]);
    let all = [".e.py", "a.py", "b.pyw", "c.ipynb", "ignored/f.py", "pkg/g.py", "pkg/gen_pb2.py", "script"];
    let at = |args: &[&str]| {
        let found = paths(folder.path(), args);
        found.iter().map(|path| path.strip_prefix("./").unwrap_or(path).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(at(&["."]), all, "outside a repository .gitignore means nothing");
    git(folder.path(), &["init", "-q"]);
    let tracked: Vec<&str> = all.into_iter().filter(|path| !path.starts_with("ignored")).collect();
    assert_eq!(at(&["."]), tracked);
    assert_eq!(at(&["--no-respect-gitignore", "."]), all);
    assert_eq!(at(&["ignored"]), ["ignored/f.py"], "a folder that is named is looked into");
    assert_eq!(at(&["--extend-exclude", "*_pb2.py", "--extend-exclude", "/a.py", "pkg", "a.py"]), ["pkg/g.py", "a.py"]);
    assert_eq!(at(&["--exclude", "pkg/g*", "pkg"]), ["pkg/build/i.py"], "in place of the default");
    assert_eq!(at(&["--extend-exclude", "pkg/", "--force-exclude", "pkg/g.py", "a.py"]), ["a.py"]);
    assert_eq!(at(&["pkg", "pkg", "pkg/g.py"]), ["pkg/g.py", "pkg/gen_pb2.py", "pkg/g.py"], "found ones once, named ones always");
}

#[test]
fn patterns_reach_beyond_the_current_folder() {
    let config = "extend-exclude = ['gen/', '/a.py']\n[per-file-ignores]\n'tests/' = ['AF1']\n";
    let folder = folder(&[
        ("here/x.py", ""),
        ("there/a.py", ""),
        ("there/build/b.py", ""),
        ("there/gen/c.py", ""),
        ("there/pkg/gen/d.py", ""),
        ("there/tests/t.py", POWER),
        ("conf/c.toml", config),
        ("w[e]{i}r*d/antifreeze.toml", "extend-exclude = ['pkg/gen/']"),
        ("w[e]{i}r*d/pkg/gen/a.py", ""),
        ("w[e]{i}r*d/x/pkg/gen/b.py", ""),
    ]);
    let here = folder.path().join("here");
    let there = folder.path().join("there");
    let there = there.to_str().expect("temporary names are UTF-8");
    for (args, expected) in [
        (&["../there"][..], &["a.py", "gen/c.py", "pkg/gen/d.py", "tests/t.py"][..]),
        (&[there], &["a.py", "gen/c.py", "pkg/gen/d.py", "tests/t.py"]),
        (&["--no-respect-gitignore", "../there"], &["a.py", "gen/c.py", "pkg/gen/d.py", "tests/t.py"]),
        (&["--exclude", "gen/", "../there"], &["a.py", "build/b.py", "tests/t.py"]),
        (&["--extend-exclude", "../there/gen/", "../there"], &["a.py", "pkg/gen/d.py", "tests/t.py"]),
        (&["--extend-exclude", "/gen/", "../there"], &["a.py", "gen/c.py", "pkg/gen/d.py", "tests/t.py"]),
        (&["--extend-exclude", "gen/", "--extend-exclude", "!pkg/gen/", "../there"], &["a.py", "tests/t.py"]),
        (&["--extend-exclude", "gen/", "--extend-exclude", "!../there/pkg/gen/", "../there"], &["a.py", "pkg/gen/d.py", "tests/t.py"]),
        (&["--config", "../conf/c.toml", "../there"], &["a.py", "tests/t.py"]),
        (&["--force-exclude", "../there/build/b.py", "../there/a.py"], &["a.py"]),
        (&["../there/build"], &["build/b.py"]),
    ] {
        let found = paths(&here, args);
        let found: Vec<&str> = found.iter().map(|path| path.rsplit_once("there/").expect("it is there").1).collect();
        assert_eq!(found, expected, "{args:?}");
    }
    assert_eq!(code(&run(&here, &["check", "../there/tests"])), 1);
    assert_eq!(code(&run(&here, &["check", "--config", "../conf/c.toml", "../there/tests"])), 0);
    assert_eq!(code(&run(&here, &["check", "--config", "../conf/c.toml", "../there/tests/t.py"])), 0);
    assert_eq!(paths(folder.path(), &["w[e]{i}r*d"]), ["w[e]{i}r*d/x/pkg/gen/b.py"]);
}

#[cfg(unix)]
#[test]
fn odd_files_neither_stop_nor_hang_a_check() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let folder = folder(&[("a/x.py", POWER), ("a/bytes.py", "")]);
    let place = folder.path();
    std::fs::write(place.join("a/bytes.py"), b"x = '\xff'\n").expect("it is written");
    symlink(place.join("a"), place.join("a/loop")).expect("links are made");
    symlink("self.py", place.join("a/self.py")).expect("links are made");
    symlink("nowhere", place.join("a/dangling.py")).expect("links are made");
    symlink("x.py", place.join("a/link.py")).expect("links are made");
    std::fs::write(place.join(OsStr::from_bytes(b"a/\xff\xfe.py")), POWER).expect("it is written");
    assert!(Command::new("mkfifo").arg(place.join("a/pipe.py")).arg(place.join("a/pipe")).status().is_ok_and(|status| status.success()));
    let start = Instant::now();
    let output = run(place, &["check", "--format", "concise", "."]);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(code(&output), 2, "{}", err(&output));
    assert!(err(&output).contains("bytes.py") && err(&output).lines().count() == 1, "{}", err(&output));
    assert_eq!(places(&output), ["./a/link.py:1 AF101", "./a/x.py:1 AF101", "./a/\u{fffd}\u{fffd}.py:1 AF101"]);
    for format in ["json", "sarif", "github", "gitlab", "junit"] {
        assert_eq!(code(&run(place, &["check", "--format", format, "."])), 2, "{format}");
    }
}

fn notebook(cells: &[(&str, &str)]) -> String {
    let cells: Vec<Value> = cells
        .iter()
        .map(|(kind, source)| json!({"cell_type": kind, "metadata": {}, "source": source.split_inclusive('\n').collect::<Vec<_>>()}))
        .collect();
    json!({"nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}}, "cells": cells}).to_string()
}

#[test]
fn notebooks_are_checked_cell_by_cell() {
    let text = notebook(&[
        ("markdown", "# 10 ** 10 ** 8"),
        ("code", "%matplotlib inline\nbase = 10"),
        ("code", "%%bash\nwhile true; do :; done"),
        ("code", "%%time\ny = base ** 10 ** 8"),
        ("code", "!pip install \\\n    x\nfiles?\nif base:\n    %cd ..\nwhile True:\n    pass"),
        ("code", "files = !ls\nfor name in files:\n    %time print(name)"),
    ]);
    let folder = folder(&[("n.ipynb", &text)]);
    let output = run(folder.path(), &["check", "--format", "json", "."]);
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_valid(&value);
    let found = value["files"][0]["findings"].as_array().expect("a list");
    let places: Vec<Value> = found.iter().map(|f| json!([f["code"], f["level"], f["cell"], f["line"], f["column"], f["offset"]])).collect();
    assert_eq!(places, [json!(["AF101", "error", 4, 2, 5, 11]), json!(["AF401", "error", 5, 6, 1, 48])]);
    assert_eq!(value["files"][0]["guard_sites"].as_array().map(Vec::len), Some(1));
    let full = out(&run(folder.path(), &["check", "n.ipynb"]));
    assert!(full.contains("[n.ipynb:cell 4:2:5]\n 1 │ %%time\n 2 │ y = base ** 10 ** 8\n"), "{full}");
    assert!(full.contains("rejected (2 errors"), "magics are what they are meant to be in a notebook: {full}");
    let concise = out(&run(folder.path(), &["check", "--format", "concise", "."]));
    assert!(concise.starts_with("./n.ipynb:cell 4:2:5: error AF101"), "{concise}");
    let sarif: Value = serde_json::from_slice(&run(folder.path(), &["check", "--format", "sarif", "."]).stdout).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["locations"][0]["logicalLocations"][0]["name"], "cell 4");
    let mut child = command(folder.path(), &["check", "-", "--stdin-filename", "x.ipynb", "--format", "concise"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    std::io::Write::write_all(&mut child.stdin.take().expect("stdin is piped"), text.as_bytes()).expect("stdin is read");
    let piped = child.wait_with_output().expect("it ends");
    assert_eq!(places_of(&piped), ["x.ipynb:cell 4:2 AF101", "x.ipynb:cell 5:6 AF401"]);
}

fn places_of(output: &Output) -> Vec<String> {
    places(output)
}

#[test]
fn hostile_notebooks_end_with_a_message() {
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    let cases = [
        ("empty", String::new(), 2),
        ("deep", format!("{{\"cells\": {deep}}}"), 2),
        ("list", "[]".into(), 2),
        ("old", "{\"worksheets\": []}".into(), 2),
        ("type", "{\"cells\": [{\"cell_type\": 1}]}".into(), 2),
        ("source", "{\"cells\": [{\"cell_type\": \"code\", \"source\": {}}]}".into(), 2),
        ("julia", "{\"cells\": [], \"metadata\": {\"language_info\": {\"name\": \"julia\"}}}".into(), 0),
        ("nul", "{\"cells\": [{\"cell_type\": \"code\", \"source\": \"a\\u0000b\"}]}".into(), 2),
        ("surrogate", "{\"cells\": [{\"cell_type\": \"code\", \"source\": \"\\ud800\"}]}".into(), 2),
        ("cut", "{\"cells\": [{\"cell_type\": \"code\", \"sour".into(), 2),
        ("none", "{\"cells\": []}".into(), 0),
        ("blank", notebook(&[("code", ""), ("code", "\n"), ("code", "%%")]), 0),
        ("many", notebook(&vec![("code", "x = 1"); 20_000]), 0),
        ("returns", notebook(&[("code", "a = 1\r\nb = 2\r\n"), ("code", "\r\r")]), 0),
    ];
    for (name, text, expected) in cases {
        let folder = folder(&[("n.ipynb", &text)]);
        let output = run(folder.path(), &["check", "."]);
        assert_eq!(code(&output), expected, "{name}: {} {}", out(&output), err(&output));
        assert!(!err(&output).contains("panicked"), "{name}");
        assert!(expected == 0 || err(&output).contains("n.ipynb"), "{name}: {}", err(&output));
        if name == "julia" {
            assert!(out(&output).starts_with("0 files checked"), "what is merely found may be of another language");
            let named = run(folder.path(), &["check", "n.ipynb"]);
            assert!(code(&named) == 0 && out(&named).starts_with("0 files checked"), "pre-commit names every notebook: {}", out(&named));
            assert!(err(&named).contains("warning: n.ipynb is left out: it is a notebook of `julia`"), "{}", err(&named));
        }
    }
}

/// A folder with an error, a warning, and names that have to be escaped.
fn awkward() -> tempfile::TempDir {
    folder(&[("a, b:c %<&\".py", POWER), ("sub/é x.py", "import time\ntime.sleep(100)\nwhile True:\n    pass\n"), ("fine.py", "1\n")])
}

#[test]
fn sarif_follows_its_schema() {
    let schema: Value = serde_json::from_str(include_str!("schemas/sarif-2.1.0.json")).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    let folder = awkward();
    write(folder.path(), &[("n.ipynb", &notebook(&[("code", "10 ** 10 ** 8")]))]);
    for args in [
        &["check", "--format", "sarif", "."][..],
        &["check", "--format", "sarif", "-v", "--deny", "warnings", "."],
        &["check", "--format", "sarif", "fine.py"],
    ] {
        let log: Value = serde_json::from_slice(&run(folder.path(), args).stdout).expect("JSON");
        let errors: Vec<String> = validator.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path)).collect();
        assert!(errors.is_empty(), "{errors:#?}");
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().expect("a list");
        assert_eq!(rules.len(), antifreeze::cards::all().len());
        for result in run["results"].as_array().expect("a list") {
            let rule = &rules[result["ruleIndex"].as_u64().expect("a number") as usize];
            assert_eq!(rule["id"], result["ruleId"]);
        }
    }
    let mut broken: Value = serde_json::from_slice(&run(folder.path(), &["check", "--format", "sarif", "."]).stdout).expect("JSON");
    let results = broken["runs"][0]["results"].as_array().expect("a list");
    let uris: Vec<&str> = results
        .iter()
        .map(|result| result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str().expect("text"))
        .collect();
    assert_eq!(uris, ["a%2C%20b%3Ac%20%25%3C%26%22.py", "n.ipynb", "sub/%C3%A9%20x.py", "sub/%C3%A9%20x.py"]);
    broken["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&broken), "the schema refuses what is wrong");
}

#[test]
fn what_could_not_be_checked_is_in_the_report() {
    let folder = folder(&[("fine.py", "1\n"), ("broken.ipynb", "{")]);
    let report = |format: &str| {
        let output = run(folder.path(), &["check", "--format", format, "fine.py", "broken.ipynb", "gone & <lost>.py"]);
        assert_eq!(code(&output), 2, "{format}: {}", err(&output));
        out(&output)
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let names = |messages: Vec<&Value>| {
        let messages: Vec<&str> = messages.into_iter().map(|message| message.as_str().expect("text")).collect();
        assert!(messages.len() == 2 && messages[0].contains("broken.ipynb") && messages[1].contains("gone & <lost>.py"), "{messages:?}");
    };
    let whole = json(&report("json"));
    names(whole["errors"].as_array().expect("a list").iter().collect());
    assert_eq!(whole["files"].as_array().expect("a list").len(), 1);
    let lines: Vec<Value> = report("jsonl").lines().map(json).collect();
    assert_eq!(lines[0]["path"], "fine.py");
    names(lines[1..].iter().map(|line| &line["error"]).collect());
    let log = json(&report("sarif"));
    let schema = json(include_str!("schemas/sarif-2.1.0.json"));
    assert!(jsonschema::validator_for(&schema).expect("the schema is one").is_valid(&log), "{log:#}");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notifications = invocation["toolExecutionNotifications"].as_array().expect("a list");
    names(notifications.iter().map(|notification| &notification["message"]["text"]).collect());
    let commands = report("github");
    assert!(commands.lines().count() == 2 && commands.lines().all(|line| line.starts_with("::error title=antifreeze::")), "{commands}");
    let xml = report("junit");
    assert!(
        xml.contains("tests=\"3\" failures=\"0\" errors=\"2\"") && xml.contains("<error message=\"gone &amp; &lt;lost&gt;.py"),
        "{xml}"
    );
}

#[test]
fn annotations_of_github_are_escaped() {
    let text = out(&run(awkward().path(), &["check", "--format", "github", "."]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[0].starts_with(
            "::error title=antifreeze AF101 huge-power,file=a%2C b%3Ac %25<&\".py,line=1,col=5,endLine=1,endColumn=18::Operation"
        ),
        "{text}"
    );
    assert!(lines[1].starts_with("::warning title=antifreeze AF501 long-sleep,file=sub/é x.py,line=2,col=1,"), "{text}");
    assert!(lines[2].contains("line=3,col=1,endLine=3,endColumn=11::"), "{text}");
}

#[test]
fn a_report_for_gitlab_has_what_gitlab_asks_for() {
    // https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
    let schema = json!({"type": "array", "items": {"type": "object", "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {"description": {"type": "string"}, "check_name": {"type": "string"}, "fingerprint": {"type": "string", "minLength": 8},
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]}, "location": {"type": "object", "required": ["path", "lines"],
        "properties": {"path": {"type": "string", "pattern": "^[^./]"}, "lines": {"type": "object", "required": ["begin"],
        "properties": {"begin": {"type": "integer", "minimum": 1}}}}}}}});
    let report: Value = serde_json::from_slice(&run(awkward().path(), &["check", "--format", "gitlab", "."]).stdout).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    assert!(validator.is_valid(&report), "{report:#}");
    let issues = report.as_array().expect("a list");
    let prints: std::collections::HashSet<_> = issues.iter().map(|issue| issue["fingerprint"].as_str()).collect();
    assert_eq!((issues.len(), prints.len()), (3, 3));
}

#[test]
fn a_report_for_junit_is_xml_that_counts_right() {
    let count = "import sys, xml.etree.ElementTree as e\nr = e.parse(sys.stdin).getroot()\n\
                 print(r.tag, r.get('tests'), len(r.findall('.//testcase')), r.get('failures'), len(r.findall('.//failure')), *sorted(s.get('name') for s in r))";
    let xml = run(awkward().path(), &["check", "--format", "junit", "."]).stdout;
    let mut child =
        Command::new("python3").args(["-c", count]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 is on PATH");
    std::io::Write::write_all(&mut child.stdin.take().expect("stdin is piped"), &xml).expect("stdin is read");
    let said = child.wait_with_output().expect("it ends").stdout;
    assert_eq!(String::from_utf8_lossy(&said).trim(), "testsuites 4 4 2 2 a, b:c %<&\".py fine.py sub/é x.py");
}

#[test]
fn reports_are_the_same_every_time() {
    let files: Vec<(String, &str)> = (0..60).map(|i| (format!("d{}/f{i}.py", i % 7), POWER)).collect();
    let folder = folder(&files.iter().map(|(name, text)| (name.as_str(), *text)).collect::<Vec<_>>());
    for format in ["text", "concise", "sarif", "github", "gitlab", "junit"] {
        let first = run(folder.path(), &["check", "--format", format, "."]).stdout;
        assert!(!first.is_empty());
        for args in [
            &["check", "--format", format, "."][..],
            &["check", "--format", format, "--no-cache", "."],
            &["check", "--no-respect-gitignore", "--format", format, "."],
        ] {
            assert_eq!(run(folder.path(), args).stdout, first, "{args:?}");
        }
    }
}

#[test]
fn statistics_and_exit_codes() {
    let folder = awkward();
    let text = out(&run(folder.path(), &["check", "--statistics", "."]));
    assert_eq!(
        text,
        "1  error    AF101 huge-power\n1  error    AF401 endless-loop\n1  warning  AF501 long-sleep\n3 files checked: 2 rejected (2 errors, 1 warning)\n"
    );
    let counts: Value =
        serde_json::from_slice(&run(folder.path(), &["check", "--statistics", "--format", "json", "."]).stdout).expect("JSON");
    assert_eq!(counts[0], json!({"code": "AF101", "name": "huge-power", "level": "error", "count": 1}));
    assert_eq!(code(&run(folder.path(), &["check", "--statistics", "--format", "sarif", "."])), 2);
    write(folder.path(), &[("w/warns.py", "import time\ntime.sleep(100)\n")]);
    assert_eq!(code(&run(folder.path(), &["check", "w"])), 0);
    assert_eq!(code(&run(folder.path(), &["check", "--deny", "warnings", "w"])), 1);
    assert_eq!(code(&run(folder.path(), &["check", "--deny", "warnings", "--exit-zero", "w"])), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_is_written_whole_or_not_at_all() {
    let folder = folder(&[("x.py", POWER), ("report.json", "the old one"), ("real.json", "")]);
    let place = folder.path();
    std::os::unix::fs::symlink("real.json", place.join("link.json")).expect("links are made");
    let output = run(place, &["check", "--format", "json", "--output", "report.json", "x.py"]);
    assert_eq!((code(&output), out(&output)), (1, String::new()));
    assert_valid(&serde_json::from_str(&std::fs::read_to_string(place.join("report.json")).expect("it is there")).expect("JSON"));
    assert_eq!(code(&run(place, &["check", "--format", "json", "--output", "link.json", "x.py"])), 1);
    assert!(place.join("link.json").is_symlink() && std::fs::metadata(place.join("real.json")).expect("it is there").len() > 100);
    for target in ["/dev/full", "/proc/nothing", "."] {
        let output = run(place, &["check", "--output", target, "x.py"]);
        assert_eq!(code(&output), 2, "{target}");
        assert!(err(&output).contains("cannot write the report"), "{}", err(&output));
    }
    let names: Vec<_> = std::fs::read_dir(place).expect("it is there").map(|entry| entry.expect("it can be read").file_name()).collect();
    assert_eq!(names.len(), 4, "nothing is left beside: {names:?}");
    assert_eq!(
        code(
            &command(place, &["check", "x.py"])
                .stdout(std::fs::File::options().write(true).open("/dev/full").expect("it is there"))
                .status()
                .map(|status| Output { status, stdout: vec![], stderr: vec![] })
                .expect("it ends")
        ),
        2
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error_in_any_format() {
    let files: Vec<(String, &str)> = (0..300).map(|i| (format!("f{i}.py"), POWER)).collect();
    let folder = folder(&files.iter().map(|(name, text)| (name.as_str(), *text)).collect::<Vec<_>>());
    for format in ["text", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit"] {
        let mut child = command(folder.path(), &["check", "--exit-zero", "--format", format, "."])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!((code(&output), err(&output)), (0, String::new()), "{format}");
    }
}

#[test]
fn known_findings_stay_known_when_lines_move() {
    let folder = folder(&[("a.py", POWER), ("b/c.py", "while True:\n    pass\n")]);
    let place = folder.path();
    let missing = run(place, &["check", "--baseline", "known.json", "."]);
    assert_eq!(code(&missing), 2);
    assert!(err(&missing).contains("--write-baseline"), "{}", err(&missing));
    let written = run(place, &["check", "--baseline", "known.json", "--write-baseline", "."]);
    assert_eq!((code(&written), out(&written).as_str()), (0, "2 findings are known now: known.json\n"));
    let again = run(place, &["check", "--baseline", "known.json", "."]);
    assert_eq!(
        (code(&again), out(&again).lines().last().map(str::to_owned)),
        (0, Some("2 more findings are known from the baseline".into()))
    );
    // Lines above, another indentation, another folder to look from.
    write(place, &[("a.py", "import os\n\nif os.name:\n    x = 10 ** 10 ** 8\n")]);
    assert_eq!(code(&run(place, &["check", "--baseline", "known.json", "."])), 0);
    assert_eq!(code(&run(&place.join("b"), &["check", "--baseline", "../known.json", "."])), 0);
    assert_eq!(code(&run(place, &["check", "--profile", "library", "--baseline", "known.json", "a.py"])), 0);
    // A second one of the same, and one that is new.
    write(place, &[("a.py", "x = 10 ** 10 ** 8\ny = 1\nx = 10 ** 10 ** 8\n")]);
    assert_eq!(places(&run(place, &["check", "--format", "concise", "--baseline", "known.json", "."])), ["./a.py:3 AF101"]);
    write(place, &[("a.py", POWER), ("antifreeze.toml", "baseline = 'known.json'")]);
    assert_eq!(code(&run(place, &["check", "."])), 0, "configured");
    assert_eq!(code(&run(place, &["check", "a.py"])), 1, "a script about to run has no say");
    for broken in ["", "[]", "{\"version\": 2, \"findings\": []}", "{\"version\": 1, \"findings\": [1]}"] {
        write(place, &[("known.json", broken)]);
        let output = run(place, &["check", "."]);
        assert_eq!(code(&output), 2, "{broken}");
        assert!(err(&output).contains("known.json"), "{}", err(&output));
    }
    assert_eq!(code(&run(place, &["check", "--write-baseline", "--baseline", "no/such/folder", "."])), 2);
}

#[test]
fn a_baseline_of_a_part_keeps_the_rest() {
    let folder = folder(&[("a/x.py", POWER), ("b/y.py", POWER), ("b/gone.py", POWER), ("c/antifreeze.toml", ""), ("c/z.py", POWER)]);
    let place = folder.path();
    let write_of = |part: &str| out(&run(place, &["check", "--write-baseline", part]));
    let known = || {
        let text = std::fs::read_to_string(place.join("antifreeze-baseline.json")).expect("it is written");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let findings = value["findings"].as_array().expect("a list");
        findings.iter().map(|finding| finding["path"].as_str().expect("text").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(write_of("a"), "1 finding is known now: antifreeze-baseline.json\n");
    assert_eq!(write_of("b"), "3 findings are known now: antifreeze-baseline.json\n");
    assert_eq!(known(), ["a/x.py", "b/gone.py", "b/y.py"]);
    std::fs::remove_file(place.join("b/gone.py")).expect("it is there");
    write(place, &[("a/x.py", "")]);
    assert_eq!((write_of("a").as_str(), known()), ("1 finding is known now: antifreeze-baseline.json\n", vec!["b/y.py".to_owned()]));
    // Each file's configuration says which baseline counts for it.
    write(place, &[("c/antifreeze.toml", "baseline = 'known.json'")]);
    assert_eq!(
        out(&run(place, &["check", "--write-baseline", "."])).lines().collect::<Vec<_>>().len(),
        2,
        "one for the folder and one for what is configured below it"
    );
    assert!(place.join("c/known.json").is_file() && known() == ["b/y.py"]);
    assert_eq!(code(&run(place, &["check", "--baseline", "antifreeze-baseline.json", "b"])), 0);
    for wrong in [&["-c", "1"][..], &["-"], &["--diff-base", "HEAD", "."]] {
        let output = run(place, &[&["check", "--write-baseline"], wrong].concat());
        assert!(code(&output) == 2 && err(&output).contains("--write-baseline"), "{wrong:?}: {}", err(&output));
    }
    assert_eq!(known(), ["b/y.py"]);
}

#[test]
fn only_changed_lines_count_where_that_is_asked_for() {
    let folder = folder(&[("a.py", "x = 10 ** 10 ** 8\ny = 1\n"), ("é \"b\".py", "1\n"), ("n.ipynb", "{\"cells\": []}")]);
    let place = folder.path();
    let base = |rev: &str| run(place, &["check", "--format", "concise", "--diff-base", rev, "."]);
    git(place, &["init", "-q"]);
    git(place, &["add", "."]);
    git(place, &["commit", "-q", "-m", "first"]);
    assert_eq!((code(&base("HEAD")), places(&base("HEAD"))), (0, vec![]));
    write(
        place,
        &[
            ("a.py", "x = 10 ** 10 ** 8\ny = 3 ** 10 ** 8\n"),
            ("é \"b\".py", "2 ** 10 ** 8\n"),
            ("new/c.py", POWER),
            ("n.ipynb", &notebook(&[("code", POWER)])),
        ],
    );
    let changed = ["./a.py:2 AF101", "./n.ipynb:cell 1:1 AF101", "./new/c.py:1 AF101", "./é \"b\".py:1 AF101"];
    assert_eq!(places(&base("HEAD")), changed);
    git(place, &["checkout", "-q", "-b", "topic"]);
    git(place, &["add", "."]);
    git(place, &["commit", "-q", "-m", "second"]);
    assert_eq!(places(&base("HEAD")), Vec::<String>::new());
    assert_eq!(places(&base("main")), changed);
    assert_eq!(places(&run(&place.join("new"), &["check", "--format", "concise", "--diff-base", "main", "."])), ["./c.py:1 AF101"]);
    // A loop whose body changed has changed.
    write(place, &[("l.py", "n = 0\nwhile True:\n    n = 1\n    n = 2\n")]);
    git(place, &["add", "."]);
    git(place, &["commit", "-q", "-m", "third"]);
    write(place, &[("l.py", "n = 0\nwhile True:\n    n = 1\n    n = 3\n")]);
    assert_eq!(places(&base("HEAD")), ["./l.py:2 AF401"]);
    write(place, &[("l.py", "n = 0\nwhile True:\n    n = 1\n\nprint(n)\n")]);
    assert_eq!(places(&base("HEAD")), ["./l.py:2 AF401"], "what was taken out of it counts too");
    write(place, &[("l.py", "n = 0\nwhile True:\n    n = 1\n    n = 2\n\nprint(n)\n")]);
    assert_eq!(places(&base("HEAD")), Vec::<String>::new(), "what comes after it does not");
    for rev in ["no-such-branch", "--output=x", "-h", ""] {
        let output = run(place, &["check", &format!("--diff-base={rev}"), "."]);
        assert_eq!(code(&output), 2, "{rev}");
        assert!(err(&output).contains("git knows no such revision"), "{}", err(&output));
    }
    assert_eq!(code(&command(place, &["check", "--diff-base", "HEAD", "."]).env("PATH", "").output().expect("it starts")), 2);
    assert!(!place.join("x").exists());
    let bare = folders::folder(&[("a.py", POWER)]);
    let output = run(bare.path(), &["check", "--diff-base", "HEAD", "."]);
    assert_eq!((code(&output), out(&output)), (2, String::new()));
    assert!(err(&output).contains("--diff-base HEAD: git has no working tree at"), "{}", err(&output));
}

#[test]
fn verdicts_are_kept_and_a_cache_costs_nothing_but_time() {
    let folder = folder(&[("a.py", POWER), ("b.py", "import time\ntime.sleep(100)\n"), ("n.ipynb", &notebook(&[("code", POWER)]))]);
    let place = folder.path();
    let check = |args: &[&str]| run(place, &[&["check", "--format", "json", "."], args].concat());
    let findings = |output: &Output| {
        let mut value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_valid(&value);
        for file in value["files"].as_array_mut().expect("a list") {
            file["elapsed_us"] = 0.into();
        }
        value
    };
    let cache = place.join(".antifreeze_cache");
    let first = findings(&check(&[]));
    assert!(cache.join(".gitignore").is_file() && cache.join("CACHEDIR.TAG").is_file());
    assert_eq!(findings(&check(&[])), first);
    // What is kept is used: an entry that is changed shows.
    let entries = || {
        let folders =
            std::fs::read_dir(&cache).expect("it is there").map(|entry| entry.expect("it can be read").path()).filter(|path| path.is_dir());
        folders
            .flat_map(|folder| std::fs::read_dir(folder).expect("it is there"))
            .map(|entry| entry.expect("it can be read").path())
            .collect::<Vec<_>>()
    };
    assert_eq!(entries().len(), 3);
    for entry in entries() {
        let text = std::fs::read_to_string(&entry).expect("it is text");
        std::fs::write(&entry, text.replace("Operation", "Kept operation")).expect("it is written");
    }
    assert!(out(&check(&[])).contains("Kept operation"));
    assert_eq!(findings(&check(&["--no-cache"])), first);
    // Whatever else is in an entry is none.
    for nonsense in [
        "",
        "{}",
        "[1]",
        "\u{0}",
        "{\"findings\": [], \"guards\": [[0, 4000000000, \"**\"]], \"coverage\": [1, 1, false], \"elapsed_us\": 1}",
    ] {
        for entry in entries() {
            std::fs::write(entry, nonsense).expect("it is written");
        }
        let output = check(&[]);
        assert!(!err(&output).contains("panicked"), "{}", err(&output));
        assert_eq!(code(&output), 1, "{nonsense}");
    }
    std::fs::remove_dir_all(&cache).expect("it is there");
    // By what it is judged by, too.
    assert_eq!(findings(&check(&[])), first);
    assert_ne!(findings(&check(&["--timeout", "200"])), first);
    assert_ne!(findings(&check(&["--profile", "agent"])), first);
    assert_ne!(findings(&check(&["--ignore", "AF1"])), first);
    assert_eq!(findings(&check(&[])), first);
    // Where there can be no cache there is none.
    for folder in ["/dev/null/x", "/proc/x", "a.py"] {
        let output = check(&["--cache-dir", folder]);
        assert_eq!((findings(&output), err(&output)), (first.clone(), String::new()), "{folder}");
    }
    std::fs::remove_dir_all(&cache).expect("it is there");
    std::fs::write(&cache, "a file in its place").expect("it is written");
    assert_eq!(findings(&check(&[])), first);
    assert_eq!(
        findings(&command(place, &["check", "--format", "json", "."]).env("ANTIFREEZE_NO_CACHE", "1").output().expect("it starts")),
        first
    );
}

#[test]
fn runs_at_the_same_time_share_a_cache() {
    let files: Vec<(String, String)> = (0..80).map(|i| (format!("f{i}.py"), format!("x = {} ** 10 ** 8\n", i % 40 + 2))).collect();
    let folder = folder(&files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>());
    let expected = run(folder.path(), &["check", "--format", "concise", "--no-cache", "."]).stdout;
    let start = || command(folder.path(), &["check", "--format", "concise", "."]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    for _ in 0..3 {
        let children: Vec<_> = (0..6).map(|_| start().expect("the command starts")).collect();
        for child in children {
            let output = child.wait_with_output().expect("it ends");
            assert_eq!((output.stdout == expected, err(&output)), (true, String::new()));
        }
        let _ = std::fs::remove_dir_all(folder.path().join(".antifreeze_cache"));
    }
}

#[test]
fn comments_suppress_in_a_repository_and_never_in_a_script() {
    let text = "while True:  # antifreeze: ignore[AF401] served until the end\n    pass\n";
    let folder = folder(&[("a.py", text)]);
    assert_eq!(code(&run(folder.path(), &["check", "."])), 0);
    assert_eq!(code(&run(folder.path(), &["check", "a.py"])), 1);
    assert_eq!(code(&run(folder.path(), &["check", "--profile", "agent", "."])), 1);
    assert_eq!(code(&run(folder.path(), &["check", "-c", text])), 1);
    // Wherever in a comment it stands, and however it is written.
    for (comment, said) in [
        ("# noqa: E501  # antifreeze: ignore[AF401]", None),
        ("# noqa antifreeze: ignore[AF401]", None),
        ("#Antifreeze: Ignore[af401, AF401] why", None),
        ("# antifreeze: ignore [endless-loop]", None),
        ("# antifreeze: ignore[AF401", Some("its bracket is not closed")),
        ("# antifreeze: ignore(AF401)", Some("codes stand in square brackets")),
        ("# antifreeze: ignore: AF401", Some("codes stand in square brackets")),
        ("# antifreeze: ignore", Some("it names no code")),
        ("# antifreeze: ignore[]", Some("it names no code")),
        ("# antifreeze: ignored[AF401]", Some("it does not say `ignore[…]`")),
        ("# antifreeze: off", Some("it does not say `ignore[…]`")),
        ("# antifreeze: ignore[AF4]", Some("`AF4` is the beginning of codes")),
        ("# antifreeze: ignore[AF4O1]", Some("`AF4O1` names no rule; did you mean `AF401`")),
        ("# see the manual of antifreeze: it says why", Some("")),
    ] {
        write(folder.path(), &[("a.py", &format!("while True:  {comment}\n    pass\n"))]);
        let output = run(folder.path(), &["check", "--format", "concise", "."]);
        assert_eq!(code(&output), i32::from(said.is_some()), "{comment}: {}", out(&output));
        let reported = out(&output).contains("AF904");
        assert_eq!(reported, said.is_some_and(|said| !said.is_empty()), "{comment}: {}", out(&output));
        assert!(out(&output).contains(said.unwrap_or_default()), "{comment}: {}", out(&output));
    }
    // Work on comments is bounded too.
    let many = "# antifreeze: ignore[a,b,c,d,e]\n".repeat(30_000);
    let wide = format!("# antifreeze: ignore[{}]\n", "AF401,".repeat(150_000));
    for text in [many, wide] {
        write(folder.path(), &[("a.py", &text)]);
        let start = Instant::now();
        let output = run(folder.path(), &["check", "--statistics", "."]);
        assert!(code(&output) == 0 && start.elapsed() < Duration::from_secs(20), "{:?} {}", start.elapsed(), out(&output));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_check_reports_what_it_found() {
    // Each file takes all of its fuel, so that there is time to interrupt.
    let slow = "x = 1\nfor i in range(300):\n    for j in range(300):\n        x = (x * 31 + j) % 1000003\n";
    let files: Vec<(String, String)> = (0..400).map(|i| (format!("f{i}.py"), format!("{slow}# {i}\n"))).collect();
    let folder = folder(&files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>());
    let child = command(folder.path(), &["check", "--format", "json", "--no-cache", "."])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(Duration::from_millis(1500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there").success());
    let start = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), 130, "{}", err(&output));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_valid(&value);
    assert!(value["files"].as_array().is_some_and(|files| files.len() < 400));
}

#[test]
fn completions_and_the_manual_know_the_command_line() {
    let here = Path::new(".");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = run(here, &["completions", shell]);
        assert_eq!(code(&output), 0);
        assert!(out(&output).contains("diff-base"), "{shell}");
    }
    assert_eq!(code(&run(here, &["completions", "tcsh"])), 2);
    let page = out(&run(here, &["man"]));
    for part in [".TH antifreeze", "antifreeze\\-check", "\\-\\-write\\-baseline", "Exit codes"] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
}
