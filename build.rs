//! Compiles the worker's Python ahead of time, for every interpreter found here.
//!
//! A cold interpreter takes five milliseconds to compile the worker and one tenth of that to load it compiled. What is
//! compiled here is kept by its magic number, which names the format of the bytecode; an interpreter with another one is
//! given the source. So nothing depends on which interpreters there are, but for the time a run takes to start.
//!
//! Looked at are those that `ANTIFREEZE_BUILD_PYTHONS` lists (like `PATH`; empty for none), else those on `PATH` and those
//! of pyenv.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// Writes the compiled worker and prints the magic number it is good for.
const COMPILE: &str = r#"
import importlib.util, marshal, os, sys
if sys.implementation.name != "cpython" or sys.version_info < (3, 9) or sys.version_info.releaselevel != "final":
    sys.exit()
source, target = sys.argv[1:]
magic = importlib.util.MAGIC_NUMBER.hex()
def compiled(name):
    with open(os.path.join(source, name + ".py"), encoding="utf-8") as file:
        return compile(file.read(), "<antifreeze>", "exec", dont_inherit=True, optimize=0)
def write(name, value):
    with open(os.path.join(target, magic + "." + name + ".bin"), "wb") as file:
        file.write(marshal.dumps(value))
write("boot", compiled("boot"))
# Those that a run may do without are read only when it cannot.
write("worker", {"worker": compiled("worker"), "ending": marshal.dumps(compiled("ending"))})
write("guards", {name: marshal.dumps(compiled(name)) for name in ("kinds", "guards")})
write("session", {"session": marshal.dumps(compiled("session"))})
print(magic)
"#;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let target = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let worker = root.join("src/executor/worker");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/executor/worker");
    println!("cargo::rerun-if-env-changed=ANTIFREEZE_BUILD_PYTHONS");
    let mut found = BTreeMap::new();
    for python in pythons() {
        if let Some(magic) = compile(&python, &worker, &target) {
            let files = ["boot", "worker", "guards", "session"].map(|part| target.join(format!("{magic}.{part}.bin")));
            found.entry(magic).or_insert(files);
        }
    }
    let mut list = String::from("&[\n");
    for (magic, files) in found {
        // Of different lengths, so that one array of slices takes them.
        let parts = files.map(|file| format!("include_bytes!(r#\"{}\"#).as_slice()", file.display())).join(", ");
        let _ = writeln!(list, "    (\"{magic}\", [{parts}]),");
    }
    list.push_str("]\n");
    if let Err(error) = fs::write(target.join("compiled.rs"), list) {
        println!("cargo::error=cannot write to OUT_DIR: {error}");
    }
}

fn pythons() -> Vec<PathBuf> {
    if let Some(list) = env::var_os("ANTIFREEZE_BUILD_PYTHONS") {
        return env::split_paths(&list).filter(|path| !path.as_os_str().is_empty()).collect();
    }
    let names = ["python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14", "python3"];
    let path = env::var_os("PATH").unwrap_or_default();
    let mut all = env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name))).collect::<Vec<_>>();
    let pyenv = env::var_os("PYENV_ROOT").map(PathBuf::from).or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".pyenv")));
    let versions = pyenv.iter().filter_map(|root| fs::read_dir(root.join("versions")).ok()).flatten().filter_map(Result::ok);
    all.extend(versions.map(|entry| entry.path().join("bin/python3")));
    all.retain(|python| python.is_file());
    all
}

/// The magic number, or none where this is no interpreter that could be used.
fn compile(python: &Path, worker: &Path, target: &Path) -> Option<String> {
    let mut command = Command::new(python);
    command.args(["-I", "-S", "-c", COMPILE]).arg(worker).arg(target).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    let magic = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (magic.len() == 8 && magic.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(magic)
}
