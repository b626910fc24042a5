//! Folders with files in them, and the command run there without anybody's settings.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Writes files, whose names may have folders in them.
pub fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("folders are made");
        std::fs::write(path, text).expect("files are written");
    }
}

/// A temporary folder with files.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), files);
    folder
}

/// The command in a folder.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_antifreeze"));
    command.args(args).current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("ANTIFREEZE_") || name == "CLICOLOR_FORCE") {
        command.env_remove(name);
    }
    command
}

/// What comes of the command in a folder.
pub fn run(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("the command starts")
}

/// The exit status.
pub fn code(output: &Output) -> i32 {
    output.status.code().expect("it exits by itself")
}

/// Standard output.
pub fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("stdout is UTF-8")
}

/// Standard error.
pub fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("stderr is UTF-8")
}
