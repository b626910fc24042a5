//! A seeded generator and a CPython child.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

/// SplitMix64 (Steele, Lea, Flood 2014): small, seeded, the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// An integer of a random width, either sign.
    pub fn wide(&mut self, most_bits: u32) -> i128 {
        let bits = self.below(u64::from(most_bits)) as u32;
        let value = (u128::from(self.next()) << 64 | u128::from(self.next())) >> (127 - bits);
        let value = value as i128 & i128::MAX;
        if self.next() & 1 == 0 { value } else { -value }
    }
}

/// A CPython of at least 3.9, from `$ANTIFREEZE_TEST_PYTHON` or the PATH.
fn python() -> Option<String> {
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

const SERVER: &str = include_str!("server.py");

#[expect(clippy::print_stderr, reason = "a skipped comparison must be seen")]
fn note_skipped(test: &str, cases: usize) {
    eprintln!("SKIPPED {test}: no CPython of at least 3.9 found, {cases} cases not compared");
}

/// Asks CPython for each request's answer, in order; `None` (and a note with the count) when there is no Python.
pub fn ask(test: &str, requests: &[Value]) -> Option<Vec<Value>> {
    let Some(python) = python() else {
        note_skipped(test, requests.len());
        return None;
    };
    let mut child = Command::new(python)
        .args(["-S", "-E", "-c", SERVER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python was found a moment ago");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let lines = requests.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n";
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("the child can be waited for");
    writer.join().expect("the writer does not panic").expect("the child reads everything");
    assert!(output.status.success(), "the Python child failed");
    let text = String::from_utf8(output.stdout).expect("the child writes ASCII");
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("the child writes JSON")).collect();
    assert_eq!(answers.len(), requests.len());
    Some(answers)
}
