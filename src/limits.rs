//! The one set of limits, used by the gate to judge and by the executor to enforce.
//!
//! Field, command-line flag (kebab-case), configuration key and the `limit.name` of an outcome are the same word.

use serde::{Deserialize, Serialize};

/// What a snippet may use. See each field for its unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The most bits an integer may have.
    pub int_bits: u64,
    /// Wall-clock seconds, from the moment the worker is ready to run the snippet to the end of its exit phase.
    pub timeout: f64,
    /// Bytes of memory of the whole process tree.
    pub memory: u64,
    /// Bytes of stdout and stderr that are kept; a program is ended at [`Limits::OUTPUT_FACTOR`] times as much.
    pub output: u64,
    /// Processes and threads of the whole tree.
    pub processes: u32,
}

impl Limits {
    /// A program is ended once it has written this many times [`Limits::output`].
    pub const OUTPUT_FACTOR: u64 = 64;

    /// The names of the limits, as flags (in kebab-case), configuration and outcomes write them.
    pub const NAMES: [&'static str; 5] = ["int_bits", "timeout", "memory", "output", "processes"];

    /// The bytes of output beyond which a program is ended; `strict` ends it where output is no longer kept.
    pub fn most_output(&self, strict: bool) -> u64 {
        if strict { self.output } else { self.output.saturating_mul(Limits::OUTPUT_FACTOR) }
    }

    /// The value of the limit called `name`, in its own unit.
    pub fn named(&self, name: &str) -> Option<f64> {
        match name {
            "int_bits" => Some(self.int_bits as f64),
            "timeout" => Some(self.timeout),
            "memory" => Some(self.memory as f64),
            "output" => Some(self.output as f64),
            "processes" => Some(f64::from(self.processes)),
            _ => None,
        }
    }
}

/// The whole sentence about an integer over the limit. The gate says it before a run and the guards during one, so a
/// reader need not learn two wordings. `op` is `**`, `<<`, `*` (an in-place `**=` is the same operation) or a function's name.
pub fn limit_sentence(op: &str, bits: u64, limit: u64) -> String {
    let op = op.strip_suffix('=').unwrap_or(op);
    format!(
        "Operation '{op}' would produce an integer of around {bits} bits, exceeding the maximum of {limit} bits allowed. {}",
        integer_help(op)
    )
}

/// What to write instead of an integer operation whose result is over the limit.
pub fn integer_help(op: &str) -> &'static str {
    match op {
        "**" | "pow" => "Use smaller operands, or pow(base, exp, mod) for modular exponentiation.",
        "<<" => "Use a smaller shift, or keep the exponent itself instead of the shifted number.",
        "*" => "Use smaller operands, reduce modulo something at each step, or add logarithms instead of multiplying.",
        _ => "Use smaller operands.",
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { int_bits: 1_000_000, timeout: 30.0, memory: 1 << 30, output: 1 << 20, processes: 64 }
    }
}

/// Whether a number of seconds can be a limit on time: above 0, and no longer than clocks can be set.
pub fn is_duration(seconds: f64) -> bool {
    seconds > 0.0 && seconds <= 1e9
}

/// Parses a duration: a plain number is seconds, else `250ms`, `2s`, `1m`, `1h`. Gives seconds.
pub fn parse_duration(text: &str) -> Result<f64, String> {
    let (number, factor) = match text.trim() {
        t if t.ends_with("ms") => (&t[..t.len() - 2], 1e-3),
        t if t.ends_with('s') => (&t[..t.len() - 1], 1.0),
        t if t.ends_with('m') => (&t[..t.len() - 1], 60.0),
        t if t.ends_with('h') => (&t[..t.len() - 1], 3600.0),
        t => (t, 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(n) if is_duration(n * factor) => Ok(n * factor),
        Ok(_) => Err(format!("`{text}` is not a duration above 0 and up to 1e9 seconds")),
        Err(_) => Err(format!("`{text}` is not a duration; write seconds, or `250ms`, `2s`, `1m`")),
    }
}

/// Parses a size: a plain number is bytes, else `KiB`, `MiB`, `GiB` (or `kB`, `MB`, `GB`), in capitals or not. Gives bytes.
pub fn parse_size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 7] =
        [("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000), ("b", 1)];
    let t = text.trim().to_ascii_lowercase();
    let (number, factor) = UNITS.iter().find_map(|(unit, factor)| Some((t.strip_suffix(unit)?, *factor))).unwrap_or((t.as_str(), 1));
    let bad = || format!("`{text}` is not a size; write bytes, or `64KiB`, `512MiB`, `1GiB`");
    let number = number.trim().replace('_', "");
    let bytes = match number.parse::<u64>() {
        Ok(n) => n.checked_mul(factor).ok_or_else(bad)?,
        Err(_) => {
            let bytes = number.parse::<f64>().ok().map(|n| n * factor as f64).filter(|n| (0.0..1e18).contains(n)).ok_or_else(bad)?;
            if factor == 1 && bytes.fract() != 0.0 {
                return Err(format!("`{text}` is not a size: there are whole bytes only; write `{number}GiB` for GiB"));
            }
            bytes as u64
        }
    };
    if bytes == 0 { Err(bad()) } else { Ok(bytes) }
}
