//! The Python package: built from this tree, installed into an environment below `target/`, and tested there with pytest against real CPython
//! and real smolagents. Where no registry is reachable the tests are skipped and say so.

#[path = "common/environment.rs"]
mod environment;

use std::path::{Path, PathBuf};
use std::process::Command;

use environment::{environment, note};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const PACKAGES: [&str; 10] = [
    "maturin>=1.9,<2",
    "pytest>=8,<9",
    "smolagents>=1.20",
    "numpy",
    "pandas",
    "matplotlib",
    "pillow",
    "mypy>=1.10,<2",
    "pip>=24",
    "sentry-sdk>=2,<3",
];

/// A Python that smolagents runs under.
fn python() -> Option<PathBuf> {
    ["python3.12", "python3.11", "python3.13", "python3.10", "python3"].iter().map(PathBuf::from).find(|python| {
        let code = "import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))";
        Command::new(python).args(["-c", code]).output().is_ok_and(|output| output.status.success())
    })
}

fn command(bin: &Path, program: &str) -> Command {
    let mut command = Command::new(bin.join(program));
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    command.current_dir(ROOT).env("PATH", path).env_remove("PYTHONPATH");
    command.env("ANTIFREEZE_BUILD_PROFILE", "dev").env("ANTIFREEZE_BUILD_EXECUTABLE", env!("CARGO_BIN_EXE_antifreeze"));
    // What cargo tells its tests is about them, not about the build that is started here.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_") && name != "CARGO_HOME" || name == "RUSTFLAGS") {
        command.env_remove(name);
    }
    command
}

fn succeed(command: &mut Command, what: &str) {
    let output = command.output().expect("the command starts");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what} failed:\n{text}");
    note(text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default());
}

#[test]
fn the_package_does_what_its_tests_say() {
    if !cfg!(target_os = "linux") {
        return note("SKIPPED 1 the_package_does_what_its_tests_say: the package is for Linux");
    }
    let Some(bin) = python().and_then(|python| environment("python", &python, &PACKAGES)) else {
        return note("SKIPPED 1 the_package_does_what_its_tests_say: no packages can be installed here");
    };
    let install =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--force-reinstall", "--no-deps", "."];
    succeed(command(&bin, "python").args(install), "building the package");
    succeed(command(&bin, "python").args(["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "tests/python"]), "pytest");
    succeed(command(&bin, "python").args(["-m", "mypy", "--cache-dir", "target/tmp/mypy"]), "mypy");
}
