//! For tests that run programs: the interpreters there are, a plain request, the schema of what comes out, and what is left running.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use antifreeze::executor::{self, Request};
use antifreeze::limits::Limits;
use jsonschema::Validator;
use serde_json::Value;

pub const BINARY: &str = env!("CARGO_BIN_EXE_antifreeze");

/// The interpreters of `ANTIFREEZE_TEST_PYTHONS` (a PATH-like list); else those that `choose` takes of pyenv's, which come from 3.9 on
/// with their minor versions, in order; else `python3`.
pub fn pythons(choose: impl FnOnce(Vec<(u32, PathBuf)>) -> Vec<PathBuf>) -> Vec<PathBuf> {
    if let Some(list) = std::env::var_os("ANTIFREEZE_TEST_PYTHONS") {
        return std::env::split_paths(&list).collect();
    }
    let root = std::env::var_os("PYENV_ROOT").map(PathBuf::from).or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".pyenv")));
    let folders = root.iter().filter_map(|root| std::fs::read_dir(root.join("versions")).ok()).flatten().filter_map(Result::ok);
    let minor = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().strip_prefix("3.")?.split('.').next()?.parse::<u32>().ok();
    let mut found = folders
        .filter_map(|entry| Some((minor(&entry)?, entry.path().join("bin/python"))))
        .filter(|(minor, python)| *minor >= 9 && python.exists())
        .collect::<Vec<_>>();
    found.sort();
    let mut chosen = choose(found);
    if chosen.is_empty() {
        chosen.push(executor::python::find(Some("python3")).expect("these tests need a Python"));
    }
    chosen
}

/// A request to run code as `antifreeze run -c` does, without guards.
pub fn request(code: &str, python: &Path, limits: Limits) -> Request {
    Request { text: code.into(), limits, helper: Some(BINARY.into()), ..Request::of_command(python.to_owned()) }
}

/// Fails unless `value` is what `run --format json` may print.
pub fn assert_valid(value: &Value) {
    static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| {
        let schema: Value = serde_json::from_str(include_str!("../../src/report/run.schema.json")).expect("the schema is JSON");
        jsonschema::validator_for(&schema).expect("the schema is a schema")
    });
    let errors = VALIDATOR.iter_errors(value).map(|error| format!("{error} at {}", error.instance_path)).collect::<Vec<_>>();
    assert!(errors.is_empty(), "{errors:?}: {value}");
}

/// The processes that have a word in their environment, with their commands.
pub fn marked(mark: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir("/proc").expect("there is a /proc").filter_map(Result::ok);
    let has = |entry: &std::fs::DirEntry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        environment.windows(mark.len()).any(|window| window == mark.as_bytes())
    };
    let name =
        |entry: &std::fs::DirEntry| std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default().chars().take(60).collect();
    entries.filter(has).map(|entry| name(&entry)).filter(|name: &String| !name.is_empty()).collect()
}
