//! Python environments below `target/` with packages from a registry, for tests that need real tools. Where no registry is reachable
//! the tests are skipped and say so.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Says something on stderr whether or not the harness captures the test's own.
pub fn note(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The folder of the commands of an environment of this name that has these packages, or none.
pub fn environment(name: &str, python: &Path, packages: &[&str]) -> Option<PathBuf> {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let bin = place.join("bin");
    let run = |program: &Path, args: &[&str]| Command::new(program).args(args).output().is_ok_and(|output| output.status.success());
    let (ready, wanted) = (place.join("ready"), packages.join("\n"));
    if std::fs::read_to_string(&ready).ok().as_deref() != Some(&wanted) {
        let install = [&["-m", "pip", "install", "--quiet", "--disable-pip-version-check"], packages].concat();
        if !run(python, &["-m", "venv", "--clear", place.to_str()?]) || !run(&bin.join("python"), &install) {
            return None;
        }
        std::fs::write(&ready, wanted).ok()?;
    }
    Some(bin)
}
