//! CPython children that run programs: see `run.py`.

use std::io::{BufRead, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// One run of a program.
#[derive(Debug, Clone)]
pub struct Run {
    /// Another reality for another seed: random numbers, environment.
    pub seed: u64,
    /// `finished`, `raised`, `timeout`, `crashed`.
    pub outcome: String,
    /// Wall time of the program alone.
    pub seconds: f64,
    /// Value of each global at the end.
    pub globals: serde_json::Map<String, Value>,
    /// What was raised, and at which lines, outermost first.
    pub error: String,
    pub lines: Vec<u32>,
    /// The most bits a product, power or shift had, by `line,column,end_line,end_column`.
    pub bits: serde_json::Map<String, Value>,
}

/// A Python that runs one program after another.
pub struct Reality {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    cwd: tempfile::TempDir,
}

/// A CPython of at least 3.9, from `$ANTIFREEZE_TEST_PYTHON` or the PATH.
pub fn python() -> Option<String> {
    let named = std::env::var("ANTIFREEZE_TEST_PYTHON").ok();
    named.into_iter().chain(["python3".to_owned(), "python".to_owned()]).find(|python| {
        Command::new(python)
            .args(["-c", "import sys; sys.exit(sys.version_info < (3, 9) or sys.implementation.name != 'cpython')"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    })
}

impl Reality {
    /// Starts the Python.
    pub fn new(python: &str) -> Reality {
        let mut child = Command::new(python)
            .args(["-B", "-c", include_str!("run.py")])
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python was found a moment ago");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Reality { stdin: child.stdin.take(), child, stdout, cwd: tempfile::tempdir().expect("a folder can be made") }
    }

    /// Runs a program once for each seed.
    pub fn run(&mut self, code: &str, seeds: &[u64], seconds: f64, record: bool) -> Vec<Run> {
        let request = json!({"code": code, "seeds": seeds, "seconds": seconds, "record": record, "cwd": self.cwd.path()});
        let stdin = self.stdin.as_mut().expect("it is open until the drop");
        writeln!(stdin, "{request}").expect("the runner reads");
        stdin.flush().expect("the runner reads");
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the runner answers");
        let answers: Vec<Value> = serde_json::from_str(&line).expect("the runner writes JSON");
        let object = |answer: &Value, key: &str| answer.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
        let runs = answers.iter().zip(seeds).map(|(answer, seed)| Run {
            seed: *seed,
            outcome: answer["outcome"].as_str().unwrap_or("crashed").to_owned(),
            seconds: answer["seconds"].as_f64().unwrap_or(f64::INFINITY),
            globals: object(answer, "globals"),
            error: answer["error"].as_str().unwrap_or("").to_owned(),
            lines: answer["lines"].as_array().into_iter().flatten().filter_map(Value::as_u64).map(|line| line as u32).collect(),
            bits: object(answer, "bits"),
        });
        runs.collect()
    }
}

impl Drop for Reality {
    fn drop(&mut self) {
        // The runner ends at the end of its input.
        self.stdin = None;
        let _ = self.child.wait();
    }
}
