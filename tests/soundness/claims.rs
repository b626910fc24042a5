//! Holds what the evaluator says of a program against what CPython does.

use antifreeze::eval::{Fact, FactKind, Facts, Proof, Reach, Settings, Unit};
use antifreeze::limits::Limits;
use antifreeze::rules::Profile;
use antifreeze::source::Source;
use antifreeze::verdict;
use serde_json::Value;

use super::member::{self, Share, short};
use super::reality::{Reality, Run};

/// What was compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    pub programs: u64,
    pub runs: u64,
    pub finished: u64,
    pub raised: u64,
    pub undecided: u64,
    pub out_of_fuel: u64,
    pub exact: u64,
    pub bounded: u64,
    pub unknown: u64,
    /// Claims about the time or the end of finished programs that hold only on some paths.
    pub conditional: u64,
    pub floors: u64,
    pub integers: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        for (mine, theirs) in [
            (&mut self.programs, other.programs),
            (&mut self.runs, other.runs),
            (&mut self.finished, other.finished),
            (&mut self.raised, other.raised),
            (&mut self.undecided, other.undecided),
            (&mut self.out_of_fuel, other.out_of_fuel),
            (&mut self.exact, other.exact),
            (&mut self.bounded, other.bounded),
            (&mut self.unknown, other.unknown),
            (&mut self.conditional, other.conditional),
            (&mut self.floors, other.floors),
            (&mut self.integers, other.integers),
        ] {
            *mine += theirs;
        }
    }

    /// Values compared, and the shares of them that were exact and unknown.
    pub fn shares(&self) -> (u64, f64, f64) {
        let all = (self.exact + self.bounded + self.unknown).max(1);
        (all, self.exact as f64 / all as f64, self.unknown as f64 / all as f64)
    }
}

/// Something the evaluator said that is not so.
#[derive(Debug, Clone)]
pub struct Violation {
    /// A short word for the kind, stable while a program is shrunk.
    pub kind: &'static str,
    pub what: String,
}

/// How a program is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Seconds that one run may take.
    pub seconds: f64,
    /// Low limits, so that facts about small numbers and short times are reported too.
    pub low_limits: bool,
    pub fuel: u64,
}

impl Look {
    fn settings(self) -> Settings {
        let limits = if self.low_limits { Limits { int_bits: 40, timeout: 2e-5, ..Limits::default() } } else { Limits::default() };
        Settings { limits, fuel: self.fuel, ..Settings::default() }
    }
}

/// Checks one program under several realities.
pub fn check(reality: &mut Reality, code: &str, seeds: &[u64], look: Look) -> (Vec<Violation>, Tally) {
    let mut tally = Tally { programs: 1, ..Tally::default() };
    let Ok(source) = Source::from_text("<snippet>", code) else { return (Vec::new(), tally) };
    let settings = look.settings();
    let checked = match std::panic::catch_unwind(|| verdict::check(source, &settings, Profile::Agent)) {
        Ok(checked) => checked,
        Err(panic) => {
            let message =
                panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("?");
            return (vec![Violation { kind: "panic", what: message.to_owned() }], tally);
        }
    };
    let code: &str = &checked.source.text;
    let facts = &checked.facts;
    let out_of_fuel = facts.coverage.out_of_fuel;
    tally.out_of_fuel += u64::from(out_of_fuel);
    let record = look.low_limits && (code.contains('*') || code.contains("<<"));
    let mut violations = Vec::new();
    for run in reality.run(code, seeds, look.seconds, record) {
        tally.runs += 1;
        match run.outcome.as_str() {
            "finished" => {
                tally.finished += 1;
                check_globals(facts, &run, &mut violations, &mut tally);
                check_times(code, facts, &run, &mut violations, &mut tally);
            }
            "raised" => {
                tally.raised += 1;
                check_left_loops(code, facts, &run, &mut violations);
            }
            _ => tally.undecided += 1,
        }
        if record {
            check_integers(code, facts, &run, &settings, &mut violations, &mut tally);
        }
    }
    (violations, tally)
}

fn is_dunder(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__")
}

fn check_globals(facts: &Facts, run: &Run, violations: &mut Vec<Violation>, tally: &mut Tally) {
    if facts.globals.is_empty() && facts.coverage.out_of_fuel {
        return;
    }
    for (name, real) in &run.globals {
        if is_dunder(name) {
            continue;
        }
        let mut add = |kind, what: String| violations.push(Violation { kind, what: format!("`{name}` (seed {}): {what}", run.seed) });
        let Some(wide) = facts.globals.get(name) else {
            if facts.open_globals {
                continue;
            }
            add("absent", format!("assigned in reality: {}", short(real)));
            continue;
        };
        if let Some(why) = member::outside(real, wide) {
            add(if wide["kind"] == "never" { "never" } else { "value" }, why);
            continue;
        }
        // Code is a value too, but what is compared of it is its name only.
        if !matches!(real["t"].as_str(), Some("function" | "class" | "module" | "builtin" | "other")) {
            match member::share(wide) {
                Share::Exact => tally.exact += 1,
                Share::Bounded => tally.bounded += 1,
                Share::Unknown => tally.unknown += 1,
            }
        }
    }
    // What is certainly bound is bound.
    for (name, wide) in &facts.globals {
        let certain = |wide: &Value| !matches!(wide["kind"].as_str(), Some("unbound" | "any" | "never"));
        let bound = if wide["kind"] == "one_of" {
            wide["alternatives"].as_array().is_some_and(|all| all.iter().all(certain))
        } else {
            certain(wide)
        };
        if bound && !is_dunder(name) && !run.globals.contains_key(name) {
            violations.push(Violation {
                kind: "unbound",
                what: format!("`{name}` (seed {}) is not bound in reality: abstract {}", run.seed, short(wide)),
            });
        }
    }
}

fn endless(fact: &Fact) -> bool {
    fact.measure.is_some_and(|m| m.unit == Unit::Seconds && m.low.is_infinite())
        || matches!(fact.kind, FactKind::EndlessLoop | FactKind::StuckCondition | FactKind::MissedExit | FactKind::EndlessIterator)
}

fn line_of(code: &str, offset: u32) -> u32 {
    code.char_indices().take_while(|(at, _)| *at < offset as usize).filter(|(_, c)| *c == '\n').count() as u32 + 1
}

fn check_times(code: &str, facts: &Facts, run: &Run, violations: &mut Vec<Violation>, tally: &mut Tally) {
    for fact in &facts.facts {
        let Some(measure) = fact.measure.filter(|m| m.unit == Unit::Seconds) else { continue };
        let refuted = endless(fact) || measure.low > run.seconds;
        if fact.proof != Proof::Proven || fact.reach != Reach::Always {
            tally.conditional += u64::from(refuted && fact.proof == Proof::Proven && fact.reach == Reach::Maybe);
        } else if refuted {
            let kind = if endless(fact) { "endless" } else { "floor" };
            let line = line_of(code, fact.span.start);
            let what = format!(
                "{:?} at line {line}: at least {} s claimed, {} s in reality ({:?})",
                fact.kind,
                measure.low,
                run.seconds,
                fact.words.get("reason")
            );
            violations.push(Violation { kind, what });
        }
    }
    if !facts.coverage.out_of_fuel {
        tally.floors += 1;
        if facts.floor > run.seconds {
            violations.push(Violation {
                kind: "floor",
                what: format!("the program takes at least {} s, and took {} s", facts.floor, run.seconds),
            });
        }
    }
}

/// A loop that nothing can leave is not left by an exception either.
fn check_left_loops(code: &str, facts: &Facts, run: &Run, violations: &mut Vec<Violation>) {
    for fact in facts.facts.iter().filter(|f| endless(f) && f.proof == Proof::Proven && f.reach == Reach::Always) {
        let first = line_of(code, fact.span.start);
        let end = last_line_of_block(code, first);
        let module_level = code.lines().nth(first as usize - 1).is_some_and(|line| !line.starts_with([' ', '\t']));
        let inside = run.lines.iter().any(|line| (first..=end).contains(line));
        let behind = module_level && run.lines.first().is_some_and(|line| *line > end);
        if inside || behind {
            let what = format!("{:?} at line {first} was left by {} raised at lines {:?}", fact.kind, run.error, run.lines);
            violations.push(Violation { kind: "endless", what });
        }
    }
}

fn last_line_of_block(code: &str, first: u32) -> u32 {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = code.lines().collect();
    let head = indent(lines.get(first as usize - 1).unwrap_or(&""));
    let body = lines.iter().skip(first as usize).take_while(|line| line.trim().is_empty() || indent(line) > head).count();
    first + body as u32
}

fn check_integers(code: &str, facts: &Facts, run: &Run, settings: &Settings, violations: &mut Vec<Violation>, tally: &mut Tally) {
    let starts: Vec<usize> = std::iter::once(0).chain(code.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut seen = std::collections::BTreeMap::new();
    for (place, bits) in &run.bits {
        let parts: Vec<usize> = place.split(',').filter_map(|n| n.parse().ok()).collect();
        let &[line, column, end_line, end_column] = parts.as_slice() else { continue };
        let span = ((starts[line - 1] + column) as u32, (starts[end_line - 1] + end_column) as u32);
        seen.insert(span, bits.as_u64().unwrap_or(0));
    }
    for (span, bits) in &seen {
        tally.integers += 1;
        let text = || &code[span.0 as usize..span.1 as usize];
        let guarded = facts.guards.iter().any(|guard| (guard.span.start, guard.span.end) == *span);
        if *bits > settings.limits.int_bits && !guarded {
            violations.push(Violation { kind: "guard", what: format!("`{}` has {bits} bits and no guard", text()) });
        }
    }
    for fact in &facts.facts {
        let Some(measure) = fact.measure.filter(|m| m.unit == Unit::Bits) else { continue };
        if fact.proof == Proof::Proven
            && fact.reach == Reach::Always
            && let Some(bits) = seen.get(&(fact.span.start, fact.span.end))
            && measure.low > *bits as f64
        {
            let what =
                format!("`{}` has at least {} bits, and had {bits}", &code[fact.span.start as usize..fact.span.end as usize], measure.low);
            violations.push(Violation { kind: "bits", what });
        }
    }
}
