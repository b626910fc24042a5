//! Configuration: what it does, where it is found, and what is said of mistakes in it.

#[path = "common/folders.rs"]
mod folders;

use std::path::Path;
use std::process::{Output, Stdio};

use antifreeze::config::{Known, SCHEMA, TEMPLATE, file};
use folders::{code, command, err, folder, out, run};
use serde_json::Value;

/// A freezing file, so that what is configured can be told from what is said of it.
const FREEZES: &str = "import time\nx = 10 ** 10 ** 8\ntime.sleep(40)\n";

/// The findings as `level CODE`, in order.
fn findings(output: &Output) -> Vec<String> {
    let value: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("JSON: {output:?}"));
    let files = value["files"].as_array().expect("a list");
    let all = files.iter().flat_map(|file| file["findings"].as_array().expect("a list"));
    all.map(|finding| format!("{} {}", finding["level"].as_str().expect("text"), finding["code"].as_str().expect("text"))).collect()
}

/// What is found in [`FREEZES`] under a configuration and with flags.
fn found(config: &str, flags: &[&str]) -> Vec<String> {
    let folder = folder(&[("antifreeze.toml", config), ("x.py", FREEZES)]);
    let output = run(folder.path(), &[&["check", ".", "--no-cache", "--format", "json"], flags].concat());
    assert!(err(&output).is_empty(), "{}", err(&output));
    findings(&output)
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut cases = 0;
    settings.bind(|| {
        insta::glob!("config/*.toml", |path| {
            let text = std::fs::read_to_string(path).expect("it is text");
            let project = path.file_name().expect("it has one").to_string_lossy().starts_with("pyproject-");
            let name = if project { "pyproject.toml" } else { "antifreeze.toml" };
            let folder = folder(&[(name, &text), ("x.py", FREEZES)]);
            let output = run(folder.path(), &["check", "."]);
            assert_eq!((code(&output), out(&output).as_str()), (2, ""), "{}", err(&output));
            let real = folder.path().canonicalize().expect("it is there");
            let said = err(&output).replace(real.to_str().expect("UTF-8"), "…");
            insta::assert_snapshot!("config", said);
            cases += 1;
        });
    });
    assert!(cases > 20, "{cases}");
}

#[test]
fn rules_are_chosen_by_code_family_and_name() {
    let (power, sleep) = ("error AF101", "warning AF501");
    for (config, flags, expected) in [
        ("", &[][..], &[power, sleep][..]),
        ("select = ['AF1']", &[], &[power]),
        ("select = ['long-sleep']", &[], &[sleep]),
        ("ignore = ['AF10']", &[], &[sleep]),
        ("ignore = ['ALL']", &[], &[]),
        ("select = []", &[], &[]),
        ("select = ['ALL']\nignore = ['AF501']", &[], &[power]),
        ("select = ['AF501']\nignore = ['AF5']", &[], &[sleep]),
        ("select = ['AF5']\nextend-select = ['huge-power']", &[], &[power, sleep]),
        ("ignore = ['AF101']", &["--select", "AF101"], &[power]),
        ("select = ['AF101']", &["--ignore", "AF1,AF5"], &[power]),
        ("", &["--ignore", "AF1,long-sleep"], &[]),
        ("[level]\nAF1 = 'warning'\nAF501 = 'error'", &[], &["warning AF101", "error AF501"]),
        ("[level]\nAF1 = 'off'\nAF101 = 'note'", &[], &["note AF101", sleep]),
        ("[level]\nAF501 = 'error'", &["--level", "AF501=note"], &[power, "note AF501"]),
        ("[per-file-ignores]\n'*.py' = ['AF1']", &[], &[sleep]),
        ("[per-file-ignores]\n'tests/' = ['AF1']", &[], &[power, sleep]),
        ("[per-file-levels]\n'/x.py' = { AF5 = 'error' }\n[level]\nAF501 = 'off'", &[], &[power, "error AF501"]),
        ("deny = ['warnings']", &[], &[power, "error AF501"]),
        ("deny = []", &["--deny", "warnings"], &[power, "error AF501"]),
        ("[limits]\ntimeout = '2m'", &[], &[power]),
        ("[limits]\ntimeout = 120", &["--timeout", "30"], &[power, sleep]),
        ("[limits]\nint-bits = 1_000_000_000", &[], &[sleep]),
        ("[limits]\nint_bits = 1_000_000_000", &[], &[sleep]),
    ] {
        assert_eq!(found(config, flags), expected, "{config} {flags:?}");
    }
}

#[test]
fn a_script_about_to_run_has_no_say() {
    let files =
        [("antifreeze.toml", "select = []\nnonsense = 1"), ("pyproject.toml", "[tool.antifreeze]\nignore = ['ALL']"), ("x.py", FREEZES)];
    let folder = folder(&files);
    for args in [&["check", "x.py"][..], &["check", "--profile", "agent", "."], &["check", "-c", "10 ** 10 ** 8"]] {
        assert_eq!(code(&run(folder.path(), args)), 1, "{args:?}");
    }
    assert_eq!(code(&run(folder.path(), &["check", "--profile", "library", "x.py"])), 2, "in a repository it is read");
    assert_eq!(code(&run(folder.path(), &["check", "--isolated", "."])), 1);
    std::fs::write(folder.path().join("antifreeze.toml"), "select = []").expect("it is written");
    assert_eq!(code(&run(folder.path(), &["check", "."])), 0);
    assert_eq!(code(&run(folder.path(), &["check", "--config", "antifreeze.toml", "x.py"])), 0, "whoever passes a file means it");
    assert_eq!(code(&run(folder.path(), &["check", "--config", "no.toml", "x.py"])), 2);
    let mut piped =
        command(folder.path(), &["check", "--config", "/dev/stdin", "x.py"]).stdin(Stdio::piped()).spawn().expect("the command starts");
    std::io::Write::write_all(&mut piped.stdin.take().expect("stdin is piped"), b"ignore = ['ALL']\n").expect("stdin is read");
    assert_eq!(piped.wait().expect("it ends").code(), Some(0), "what is named may be a pipe");
}

#[test]
fn the_nearest_file_above_counts() {
    let folder = folder(&[
        ("antifreeze.toml", "select = ['AF5']"),
        ("a/pyproject.toml", "[tool.antifreeze]\nselect = ['AF1']"),
        ("a/deep/x.py", FREEZES),
        ("b/pyproject.toml", "[project]\nname = 'antifreeze is not spoken of'"),
        ("b/x.py", FREEZES),
        ("c/antifreeze.toml", "select = ['AF101']"),
        ("c/pyproject.toml", "[tool.antifreeze]\nselect = ['AF5']"),
        ("c/x.py", FREEZES),
    ]);
    for (path, expected) in [("a/deep", "error AF101"), ("a", "error AF101"), ("b", "warning AF501"), ("c", "error AF101")] {
        assert_eq!(findings(&run(folder.path(), &["check", "--format", "json", path])), [expected], "{path}");
    }
    let both = run(folder.path(), &["check", "--format", "json", "--profile", "library", "b/x.py", "c/x.py"]);
    assert_eq!(findings(&both), ["warning AF501", "error AF101"], "each path has its own");
}

#[test]
fn each_file_has_its_own_configuration_however_it_is_named() {
    let folder = folder(&[
        ("antifreeze.toml", "select = ['AF5']\nextend-exclude = ['c/']"),
        ("x.py", FREEZES),
        ("a/pyproject.toml", "[tool.antifreeze]\nselect = ['AF1']\nextend-exclude = ['old/', '/only.py']"),
        ("a/x.py", FREEZES),
        ("a/deep/only.py", FREEZES),
        ("a/only.py", FREEZES),
        ("a/old/x.py", FREEZES),
        ("b/old/x.py", FREEZES),
        ("c/antifreeze.toml", ""),
        ("c/x.py", FREEZES),
    ]);
    let places = |args: &[&str]| {
        let output = run(folder.path(), &[&["check", "--format", "concise", "--profile", "library", "--force-exclude"], args].concat());
        let said = out(&output).replace("./", "");
        let lines = said.lines().filter(|line| line.contains(" AF")).map(|line| line.split(": '").next().unwrap_or(line).to_owned());
        lines.map(|line| line.split(": Op").next().unwrap_or(&line).to_owned()).collect::<Vec<_>>()
    };
    let expected = [
        "a/deep/only.py:2:5: error AF101 huge-power",
        "a/x.py:2:5: error AF101 huge-power",
        "b/old/x.py:3:1: warning AF501 long-sleep",
        "x.py:3:1: warning AF501 long-sleep",
    ];
    assert_eq!(places(&["."]), expected);
    assert_eq!(places(&["--no-respect-gitignore", "."]), expected);
    let named = ["a/deep/only.py", "a/only.py", "a/old/x.py", "a/x.py", "b/old/x.py", "c/x.py", "x.py"];
    assert_eq!(places(&named), expected);
    std::fs::write(folder.path().join("a/pyproject.toml"), "[tool.antifreeze]\nselect = 1").expect("it is written");
    for path in [".", "a/x.py"] {
        let output = run(folder.path(), &["check", "--profile", "library", path]);
        assert!(code(&output) == 2 && err(&output).contains("a/pyproject.toml"), "{path}: {}", err(&output));
    }
}

#[test]
fn configuration_that_does_not_count_is_spoken_of() {
    let table = "[tool.antifreeze]\nselect = ['AF5']\n";
    for (name, text, expected, said) in [
        ("pyproject.toml", &b"[project]\nname = 'x\n"[..], 1, "pyproject.toml, line 2: it is passed over"),
        ("pyproject.toml", b"[project]\nname = '\xff'\n", 1, "not UTF-8 at byte 18"),
        ("pyproject.toml", b"[tool]\nantifreeze = { select = ['AF5'] }\nx = \n", 2, "pyproject.toml:3:"),
        ("pyproject.toml", b"[tool.antifreeze]\nx = '\xff'\n", 2, "not UTF-8"),
        ("pyproject.toml/x", b"", 1, "no regular file"),
        ("antifreeze.toml", b"select = ['AF1']", 1, "pyproject.toml: `[tool.antifreeze]` does not count beside the antifreeze.toml"),
        ("other.toml", b"\xff", 0, ""),
    ] {
        let folder = folder(&[("x.py", FREEZES)]);
        if matches!(name, "antifreeze.toml" | "other.toml") {
            std::fs::write(folder.path().join("pyproject.toml"), table).expect("it is written");
        }
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("folders are made");
        std::fs::write(path, text).expect("it is written");
        let output = run(folder.path(), &["check", "."]);
        assert_eq!(code(&output), expected, "{name} {text:?}: {}", err(&output));
        assert!(err(&output).contains(said) && (said.is_empty() == err(&output).is_empty()), "{name}: {}", err(&output));
        let script = run(folder.path(), &["check", "-c", "1"]);
        assert_eq!((code(&script), err(&script)), (0, String::new()), "nobody's file stands in the way of a script");
    }
    let folder = folder(&[("pyproject.toml", table)]);
    let output = run(folder.path(), &["init"]);
    assert!(code(&output) == 2 && err(&output).contains("[tool.antifreeze]"), "{}", err(&output));
    assert!(!folder.path().join("antifreeze.toml").exists());
    assert_eq!(code(&run(folder.path(), &["init", "--force"])), 0);
}

#[test]
fn the_environment_limits_what_is_run_and_scanned() {
    let sleep = "import time\ntime.sleep(5)\n";
    let log = serde_json::json!({"messages": [{"role": "assistant", "content": format!("```python\n{sleep}```")}]}).to_string();
    let folder = folder(&[("s.py", sleep), ("log.jsonl", &log)]);
    let ends = |args: &[&str], variable: (&str, &str)| command(folder.path(), args).envs([variable]).output().expect("it starts");
    let (run, scan) = (&["run", "s.py"][..], &["scan", "log.jsonl"][..]);
    assert_eq!(code(&ends(scan, ("ANTIFREEZE_TIMEOUT", "60"))), 0);
    for args in [run, scan] {
        let output = ends(args, ("ANTIFREEZE_TIMEOUT", "500ms"));
        assert_eq!(code(&output), 1, "{args:?}: {}", err(&output));
        let flag = ends(&[args, &["--timeout", "2m"]].concat(), ("ANTIFREEZE_TIMEOUT", "500ms"));
        assert_eq!(code(&flag), 0, "{args:?}: {}", err(&flag));
    }
    for (variable, value) in [
        ("ANTIFREEZE_TIMEOUT", "soon"),
        ("ANTIFREEZE_INT_BITS", "1.5"),
        ("ANTIFREEZE_MEMORY", "1.5"),
        ("ANTIFREEZE_OUTPUT", "0"),
        ("ANTIFREEZE_PROCESSES", "-1"),
    ] {
        for args in [run, scan, &["serve"], &["debug", "facts", "s.py"], &["check", "s.py"]] {
            let output = ends(args, (variable, value));
            assert!(code(&output) == 2 && err(&output).contains(variable), "{args:?}: {}", err(&output));
            assert!(err(&output).contains(&format!("`{value}`")), "{args:?}: {}", err(&output));
        }
    }
}

#[test]
fn the_environment_counts_between_file_and_flags() {
    let folder = folder(&[("antifreeze.toml", "[limits]\ntimeout = 100"), ("x.py", FREEZES), ("other.toml", "ignore = ['AF1']")]);
    let with = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = command(folder.path(), &[&["check", "--format", "json", "--no-cache"], args].concat());
        command.envs(variables.iter().copied()).output().expect("the command starts")
    };
    assert_eq!(findings(&with(&[], &["."])), ["error AF101"]);
    assert_eq!(findings(&with(&[("ANTIFREEZE_TIMEOUT", "10s")], &["."])), ["error AF101", "warning AF501"]);
    assert_eq!(findings(&with(&[("ANTIFREEZE_TIMEOUT", "10s")], &[".", "--timeout", "1m"])), ["error AF101"]);
    assert_eq!(
        findings(&with(&[("ANTIFREEZE_TIMEOUT", "1m")], &["x.py"])),
        ["error AF101"],
        "the host's environment counts for scripts too"
    );
    assert_eq!(findings(&with(&[("ANTIFREEZE_IGNORE", "AF1, AF2")], &["."])), Vec::<String>::new());
    assert_eq!(findings(&with(&[("ANTIFREEZE_SELECT", "AF5"), ("ANTIFREEZE_PROFILE", "library")], &["x.py"])), Vec::<String>::new());
    assert_eq!(findings(&with(&[("ANTIFREEZE_CONFIG", "other.toml")], &["x.py"])), ["error AF501"]);
    assert_eq!(findings(&with(&[("ANTIFREEZE_CONFIG", "other.toml")], &["--isolated", "x.py"])), ["error AF101", "error AF501"]);
    for (name, value) in [
        ("ANTIFREEZE_TIMEOUT", "soon"),
        ("ANTIFREEZE_INT_BITS", "-1"),
        ("ANTIFREEZE_PROCESSES", "9999999999"),
        ("ANTIFREEZE_MEMORY", "lots"),
        ("ANTIFREEZE_PROFILE", "script"),
        ("ANTIFREEZE_SELECT", "AF9x"),
        ("ANTIFREEZE_TARGET_VERSION", "4"),
    ] {
        let output = with(&[(name, value)], &["x.py"]);
        assert_eq!(code(&output), 2, "{name}");
        assert!(err(&output).contains(value) && err(&output).contains(name), "{}", err(&output));
    }
}

#[test]
fn own_callables_wait() {
    let config = "[[rule.AF501.callable]]\nname = 'company.client.wait'\nmeasures = 'seconds'\nargument = 1\nkeyword = 'timeout'\n";
    let text = "import company.client as client\nfrom company.client import wait as w\n\nclient.wait('job', 10)\nw('job', timeout=60)\nclient.other('job', 60)\nclient.wait('job')\nw(*unknown)\n";
    let folder = folder(&[("antifreeze.toml", config), ("x.py", text)]);
    let output = run(folder.path(), &["check", "--format", "concise", "."]);
    let said = out(&output);
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(said.starts_with("./x.py:5:1: warning AF501 long-sleep: 'company.client.wait' would wait for at least 70 s"), "{said}");
    assert_eq!(findings(&run(folder.path(), &["check", "--format", "json", "--isolated", "."])), Vec::<String>::new());
}

#[test]
fn what_is_shown_can_be_read_again() {
    let config = "select = ['AF1', 'long-sleep']\nignore = ['AF106']\ndeny = ['warnings']\nextend-exclude = ['gen/']\ntarget-version = '3.11'\n\
                  [limits]\ntimeout = '90s'\n[level]\nAF1 = 'warning'\n[per-file-ignores]\n'tests/' = ['AF5']\n\
                  [[rule.long-sleep.callable]]\nname = 'a.b'\nmeasures = 'seconds'\nargument = 0\n";
    let folder = folder(&[("antifreeze.toml", config), ("again/x.py", "")]);
    let shown = out(&run(folder.path(), &["check", "--show-settings", "."]));
    for part in ["target-version = \"3.11\"", "timeout = 90.0", "gen/", "[[rule.AF501.callable]]", "AF5 = \"off\"", "deny = [\"warnings\"]"]
    {
        assert!(shown.contains(part), "{part} is not in\n{shown}");
    }
    std::fs::write(folder.path().join("again/antifreeze.toml"), &shown).expect("it is written");
    let again = out(&run(folder.path(), &["check", "--show-settings", "again"]));
    let settings = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(settings(&shown), settings(&again));
    assert!(out(&run(folder.path(), &["check", "--show-settings", "--isolated"])).starts_with("# from no file\n"));
}

#[test]
fn init_writes_a_configuration_that_changes_nothing() {
    let folder = folder(&[("x.py", FREEZES)]);
    let before = out(&run(folder.path(), &["check", "--show-settings", "--isolated"]));
    assert_eq!(code(&run(folder.path(), &["init"])), 0);
    let after = out(&run(folder.path(), &["check", "--show-settings", "."]));
    let real = format!("{}/", folder.path().canonicalize().expect("it is there").display());
    assert_eq!(before.split_once('\n').expect("lines").1, after.split_once('\n').expect("lines").1.replace(&real, ""));
    let again = run(folder.path(), &["init"]);
    assert_eq!(code(&again), 2);
    assert!(err(&again).contains("--force"), "{}", err(&again));
    assert_eq!(code(&run(folder.path(), &["init", "--force"])), 0);
    assert_eq!(code(&run(folder.path(), &["init", "no/such/folder"])), 2);
}

#[test]
fn the_schema_and_the_template_know_every_key() {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is one");
    // Every key the template mentions, commented out or not, is one that is read, and one the schema has.
    let all: String = TEMPLATE
        .lines()
        .map(|line| {
            line.strip_prefix('#').filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase() || c == '[' || c == '"')).unwrap_or(line)
        })
        .flat_map(|line| [line, "\n"])
        .collect();
    let origin = file::Origin { name: "template".into(), text: None };
    let read = file::parse(&all, false, &origin).unwrap_or_else(|error| panic!("{error}\n{all}"));
    assert!(read.target_version.is_some() && read.baseline.is_some() && !read.rule.is_empty() && !read.per_file_levels.is_empty());
    let known = Known {
        rules: antifreeze::cards::all().iter().map(|card| (card.meta.code.clone(), card.meta.name.clone())).collect(),
        with_callables: vec!["AF501".into()],
    };
    let mut config = antifreeze::config::Config::default();
    file::apply(&mut config, &read, &origin, &known).expect("the template is right");
    let valid = |text: &str| validator.is_valid(&serde_json::to_value(text.parse::<toml::Table>().expect("TOML")).expect("JSON"));
    assert!(valid(&all) && valid(TEMPLATE) && valid(""));
    // And the schema refuses what is refused, as far as a schema can tell.
    let mut refused = 0;
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config")).expect("the cases are there") {
        let path = entry.expect("it can be read").path();
        let text = std::fs::read_to_string(&path).expect("it is text");
        if let Ok(table) = text.parse::<toml::Table>()
            && !path.to_string_lossy().contains("pyproject-")
        {
            refused += usize::from(!validator.is_valid(&serde_json::to_value(table).expect("JSON")));
        }
    }
    assert!(refused >= 12, "{refused}");
}

#[test]
fn hostile_configurations_end_with_a_message() {
    let deep = format!("select = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let tables = format!("[{}]\n", vec!["a"; 100_000].join("."));
    let wide = format!("select = [{}]\n", "'AF1', ".repeat(150_000));
    let many = format!("ignore = [{}]\n", "'nonsense', ".repeat(80_000));
    let long = format!("{} = 1\n", "k".repeat(900_000));
    for (name, text) in [
        ("deep", deep.as_bytes()),
        ("tables", tables.as_bytes()),
        ("long", long.as_bytes()),
        ("binary", b"\xff\xfe\0select"),
        ("nul", b"select\0=[]"),
        ("wide", wide.as_bytes()),
        ("many", many.as_bytes()),
    ] {
        let folder = folder(&[("x.py", "")]);
        std::fs::write(folder.path().join("antifreeze.toml"), text).expect("it is written");
        let start = std::time::Instant::now();
        let output = run(folder.path(), &["check", "."]);
        assert_eq!(code(&output), 2, "{name}");
        assert!(!err(&output).is_empty() && !err(&output).contains("panicked"), "{name}");
        assert!(err(&output).len() < 200_000, "{name}: {} bytes of complaint", err(&output).len());
        assert!(start.elapsed().as_secs() < 20, "{name} took {:?}", start.elapsed());
    }
    let folder = folder(&[("antifreeze.toml/x.py", "1")]);
    let output = run(folder.path(), &["check", "."]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("no regular file"), "{}", err(&output));
}
