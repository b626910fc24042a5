//! Which interpreter runs a program.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::Unusable;

/// Looks where the user said, then in the active virtual environment, then on PATH. Whether it is recent enough is known
/// only once it runs.
pub fn find(asked: Option<&str>) -> Result<PathBuf, Unusable> {
    if let Some(asked) = asked {
        return locate(asked).ok_or_else(|| Unusable(format!("no Python found: `{asked}` (from --python) is not an executable file")));
    }
    if let Some(env) = env::var_os("VIRTUAL_ENV").filter(|value| !value.is_empty()) {
        let python = Path::new(&env).join("bin/python");
        return if executable(&python) {
            Ok(python)
        } else {
            Err(Unusable(format!(
                "no Python found: $VIRTUAL_ENV is set, but `{}` is not an executable file; unset it, or name an interpreter with --python",
                python.display()
            )))
        };
    }
    locate("python3").ok_or_else(|| {
        Unusable("no Python found: looked for `python3` on PATH; install Python 3.9 or later, or name an interpreter with --python".into())
    })
}

fn locate(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        let path = PathBuf::from(name);
        return executable(&path).then(|| std::path::absolute(&path).unwrap_or(path));
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| executable(path))
}

#[cfg(unix)]
fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_it_looked_for() {
        let error = find(Some("/nowhere/python9")).expect_err("there is no such file");
        assert!(error.0.contains("/nowhere/python9") && error.0.contains("--python"), "{}", error.0);
    }
}
