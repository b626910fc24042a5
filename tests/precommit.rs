//! The hook under the real pre-commit, and the files for CI against the schemas of those who read them.
//!
//! The tools come from PyPI into an environment below `target/`; where no registry is reachable the tests are skipped and say so.

#[path = "common/environment.rs"]
mod environment;
#[path = "common/folders.rs"]
#[expect(dead_code, reason = "other test files use the rest")]
mod folders;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use environment::{environment, note};
use folders::write;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The folder of the tools' commands, or none.
fn tools(test: &str) -> Option<&'static Path> {
    static TOOLS: OnceLock<Option<PathBuf>> = OnceLock::new();
    let tools = TOOLS.get_or_init(|| environment("precommit", Path::new("python3"), &["pre-commit>=4,<5", "check-jsonschema<1"]));
    if tools.is_none() {
        note(&format!("SKIPPED 1 {test}: pre-commit cannot be installed here"));
    }
    tools.as_deref()
}

/// Runs a command in a repository, without anybody's settings.
fn run(folder: &Path, home: &Path, tools: &Path, program: &str, args: &[&str]) -> Output {
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env("PATH", path).env("PRE_COMMIT_HOME", home.join("pre-commit"));
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", home.join("gitconfig"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("ANTIFREEZE_") || name.starts_with("GIT_")) {
        command.env_remove(name);
    }
    command.output().expect("the command starts")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A commit that freezes is refused, one that does not passes.
fn commits_are_gated(hook: &Path, rev: &str, place: &Path, tools: &Path) {
    let repository = place.join("repository");
    let config = format!("repos:\n  - repo: {}\n    rev: {rev}\n    hooks:\n      - id: antifreeze\n", hook.display());
    write(&repository, &[(".pre-commit-config.yaml", &config), ("fine.py", "print('hello')\n"), ("gen/freezes.py", "10 ** 10 ** 8\n")]);
    write(&repository, &[("antifreeze.toml", "extend-exclude = ['gen/']\n")]);
    let git = |args: &[&str]| run(&repository, place, tools, "git", args);
    assert!(git(&["init", "-q"]).status.success());
    assert!(run(&repository, place, tools, "pre-commit", &["install"]).status.success());
    assert!(git(&["add", "."]).status.success());
    let clean = git(&["commit", "-q", "-m", "fine"]);
    assert!(clean.status.success(), "{}", said(&clean));

    write(&repository, &[("job.py", "import time\n\n\ndef key():\n    return 3 ** 10 ** 9\n")]);
    assert!(git(&["add", "."]).status.success());
    let refused = git(&["commit", "-m", "freezes"]);
    assert!(!refused.status.success(), "{}", said(&refused));
    for part in ["Failed", "error AF101 huge-power", "job.py:5:12", "exceeding the maximum of 1000000 bits", "pow(base, exp, mod)"] {
        assert!(said(&refused).contains(part), "{part} is not in\n{}", said(&refused));
    }

    write(&repository, &[("job.py", "def key(m):\n    return pow(3, 10 ** 9, m)\n")]);
    assert!(git(&["add", "."]).status.success());
    let mended = git(&["commit", "-m", "mended"]);
    assert!(mended.status.success(), "{}", said(&mended));
}

#[test]
fn a_commit_that_freezes_is_refused() {
    let Some(tools) = tools("a_commit_that_freezes_is_refused") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path();
    write(place, &[("gitconfig", "[user]\nname = t\nemail = t@t\n[init]\ndefaultBranch = main\n")]);
    // The hook as it is, but with the command that is built already.
    let hooks = std::fs::read_to_string(Path::new(ROOT).join(".pre-commit-hooks.yaml")).expect("the hook is there");
    let hooks = hooks
        .replace("language: rust", "language: system")
        .replace("entry: antifreeze", &format!("entry: {}", env!("CARGO_BIN_EXE_antifreeze")));
    assert!(hooks.contains("language: system") && hooks.contains(env!("CARGO_BIN_EXE_antifreeze")), "{hooks}");
    let hook = place.join("hook");
    write(&hook, &[(".pre-commit-hooks.yaml", &hooks)]);
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "hook"], &["tag", "v1"]] {
        assert!(run(&hook, place, tools, "git", args).status.success(), "git {args:?}");
    }
    commits_are_gated(&hook, "v1", place, tools);

    // All files of a large tree, which arrive as arguments.
    let repository = place.join("repository");
    let files: Vec<(String, String)> =
        (0..3000).map(|i| (format!("large/p{}/m{i}.py", i % 50), format!("def f{i}(x):\n    return x + {i}\n"))).collect();
    write(&repository, &files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>());
    assert!(run(&repository, place, tools, "git", &["add", "."]).status.success());
    let start = Instant::now();
    let all = run(&repository, place, tools, "pre-commit", &["run", "--all-files", "--verbose"]);
    assert!(all.status.success(), "{}", said(&all));
    assert!(said(&all).contains("3002 files checked"), "{}", said(&all));
    let first = start.elapsed();
    let start = Instant::now();
    assert!(run(&repository, place, tools, "pre-commit", &["run", "--all-files"]).status.success());
    note(&format!("3002 files through pre-commit: {first:?}, then {:?}", start.elapsed()));
    assert!(first < Duration::from_mins(1), "{first:?}");
}

#[test]
#[ignore = "builds a release from nothing, as pre-commit does on the first commit; run with --ignored after a change of the hook"]
fn pre_commit_builds_the_hook() {
    let Some(tools) = tools("pre_commit_builds_the_hook") else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path();
    write(place, &[("gitconfig", "[user]\nname = t\nemail = t@t\n[init]\ndefaultBranch = main\n[safe]\ndirectory = *\n")]);
    let head = run(Path::new(ROOT), place, tools, "git", &["rev-parse", "HEAD"]);
    let rev = String::from_utf8_lossy(&head.stdout).trim().to_owned();
    commits_are_gated(Path::new(ROOT), &rev, place, tools);
}

#[test]
fn the_files_for_ci_follow_their_schemas() {
    let Some(tools) = tools("the_files_for_ci_follow_their_schemas") else { return };
    let check = |schema: &str, file: &Path| {
        Command::new(tools.join("check-jsonschema")).args(["--builtin-schema", schema]).arg(file).output().expect("the command starts")
    };
    for (schema, file) in [("vendor.github-workflows", "docs/ci/github.yml"), ("vendor.gitlab-ci", "docs/ci/gitlab.yml")] {
        let output = check(schema, &Path::new(ROOT).join(file));
        assert!(output.status.success(), "{file}: {}", said(&output));
    }
    // The check can fail.
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), &[("broken.yml", "on: push\njobs: {x: {steps: 1}}\n")]);
    assert!(!check("vendor.github-workflows", &folder.path().join("broken.yml")).status.success());
    // The hook by pre-commit itself.
    let hooks = Path::new(ROOT).join(".pre-commit-hooks.yaml");
    let valid = Command::new(tools.join("pre-commit")).arg("validate-manifest").arg(hooks).output().expect("the command starts");
    assert!(valid.status.success(), "{}", said(&valid));
}
