//! `re`: how long its matcher takes on texts that are known, and on which texts it would take very long.
//!
//! A compiled pattern that is known is an instance whose class is [`PATTERN`], with the pattern and the flags as attributes. What a match gives is not
//! followed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::fact::{FactKind, Measure, Proof, Unit};
use crate::library::{Args, Entry, Host, R};
use crate::syntax::code::BinaryOp;
use crate::value::cost;
use crate::value::object::{Made, Obj, Sym, V};
use crate::value::regex::ambiguity::{self, Growth, Report};
use crate::value::regex::steps::{self, Method, Pumped, Run, Work};
use crate::value::regex::{Failure, Program, flags};

use super::support::{bind, look, outside_any};

/// The class of compiled patterns.
const PATTERN: &str = "re.Pattern";
/// What flags that were combined are called; their number follows.
const COMBINED: &str = "re.RegexFlag.";
/// States that counting the steps of one call may take.
const COUNT_BUDGET: u64 = 200_000;
/// States that looking for a bad text may take.
const SEARCH_BUDGET: u64 = 200_000;
/// Programs and reports kept.
const MAX_KEPT: usize = 256;
/// Unknown texts at most so long are not worth a warning.
const SHORT: u64 = 20;

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(Entry::Function(match name {
        "compile" => compile,
        "match" | "Pattern.match" => |host, args| call(host, &args, "match", Method::Match),
        "fullmatch" | "Pattern.fullmatch" => |host, args| call(host, &args, "fullmatch", Method::Fullmatch),
        "search" | "Pattern.search" => |host, args| call(host, &args, "search", Method::Search),
        "findall" | "Pattern.findall" => |host, args| call(host, &args, "findall", Method::All(u64::MAX)),
        "finditer" | "Pattern.finditer" => |host, args| call(host, &args, "finditer", Method::All(u64::MAX)),
        "split" | "Pattern.split" => |host, args| call(host, &args, "split", Method::All(u64::MAX)),
        "sub" | "Pattern.sub" => |host, args| call(host, &args, "sub", Method::All(u64::MAX)),
        "subn" | "Pattern.subn" => |host, args| call(host, &args, "subn", Method::All(u64::MAX)),
        "escape" => escape,
        _ => return None,
    }))
}

/// A pattern as it is written.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Written {
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
}

impl Written {
    fn of(value: &V) -> Option<Written> {
        match value {
            V::Str(text) => Some(Written::Str(text.clone())),
            V::Bytes(bytes) => Some(Written::Bytes(bytes.clone())),
            _ => None,
        }
    }

    fn len(&self) -> usize {
        match self {
            Written::Str(text) => text.len(),
            Written::Bytes(bytes) => bytes.len(),
        }
    }
}

type Compiled = Result<Rc<Program>, Failure>;

/// What was worked out before: it is the same for the same pattern, so keeping it changes nothing but the time taken.
#[derive(Default)]
struct Kept {
    programs: HashMap<(Written, u32), Compiled>,
    reports: HashMap<(Written, u32, &'static str), Rc<Report>>,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

fn program(host: &mut dyn Host, written: &Written, flags: u32) -> R<Compiled> {
    host.burn_on_pattern(16 + written.len() as u64)?;
    Ok(KEPT.with_borrow_mut(|kept| {
        if kept.programs.len() >= MAX_KEPT {
            kept.programs.clear();
        }
        let entry = kept.programs.entry((written.clone(), flags));
        entry
            .or_insert_with(|| {
                match written {
                    Written::Str(text) => Program::of_str(text, flags),
                    Written::Bytes(bytes) => Program::of_bytes(bytes, flags),
                }
                .map(Rc::new)
            })
            .clone()
    }))
}

fn report(host: &mut dyn Host, written: &Written, flags: u32, name: &'static str, program: &Program, method: Method) -> R<Rc<Report>> {
    let report = KEPT.with_borrow_mut(|kept| {
        if kept.reports.len() >= MAX_KEPT {
            kept.reports.clear();
        }
        let entry = kept.reports.entry((written.clone(), flags, name));
        entry.or_insert_with(|| Rc::new(ambiguity::search(program, method, SEARCH_BUDGET))).clone()
    });
    host.burn_on_pattern(report.states)?;
    Ok(report)
}

/// The integer of a value of flags.
fn flag_bits(value: &V) -> Option<u32> {
    if let Some(n) = value.exact_int() {
        return u32::try_from(n).ok().filter(|n| *n < 1024);
    }
    let V::Lib(name) = value else { return None };
    let name = name.text();
    if let Some(number) = name.strip_prefix(COMBINED) {
        return number.parse().ok();
    }
    Some(match name.strip_prefix("re.")? {
        "I" | "IGNORECASE" => flags::IGNORECASE,
        "L" | "LOCALE" => flags::LOCALE,
        "M" | "MULTILINE" => flags::MULTILINE,
        "S" | "DOTALL" => flags::DOTALL,
        "U" | "UNICODE" => flags::UNICODE,
        "X" | "VERBOSE" => flags::VERBOSE,
        "A" | "ASCII" => flags::ASCII,
        "DEBUG" => flags::DEBUG,
        "NOFLAG" => 0,
        _ => return None,
    })
}

/// `a | b` of flags.
pub fn binary(op: BinaryOp, a: &V, b: &V) -> Option<V> {
    if op != BinaryOp::BitOr || !matches!((a, b), (V::Lib(_), V::Lib(_) | V::Int(_)) | (V::Int(_), V::Lib(_))) {
        return None;
    }
    Some(V::lib(&format!("{COMBINED}{}", flag_bits(a)? | flag_bits(b)?)))
}

/// The pattern and flags of a compiled pattern.
fn compiled(host: &mut dyn Host, value: &V) -> Option<(Written, u32)> {
    let V::Ref(id) = value else { return None };
    let Obj::Instance { class: V::Lib(name), attrs } = host.store().get(*id) else { return None };
    if &*name.text() != PATTERN {
        return None;
    }
    match attrs.as_slice() {
        [(_, pattern), (_, flags)] => Some((Written::of(pattern)?, u32::try_from(flags.exact_int()?).ok()?)),
        _ => None,
    }
}

fn compile(host: &mut dyn Host, args: Args) -> R<V> {
    let [pattern, given] = bind(host, &args, ["pattern", "flags"], 1)?;
    let (pattern, given) = (pattern.unwrap_or(V::None), given.unwrap_or(V::Int(0)));
    if let (Some(_), Some(0)) = (compiled(host, &pattern), flag_bits(&given)) {
        return Ok(pattern);
    }
    let (Some(written), Some(bits)) = (Written::of(&pattern), flag_bits(&given)) else { return outside_any(host, args) };
    host.may_raise("");
    match program(host, &written, bits)? {
        Ok(_) => {
            let attrs = vec![(Sym::new("pattern"), pattern), (Sym::new("flags"), V::Int(i128::from(bits)))];
            Ok(host.alloc(Obj::Instance { class: V::lib(PATTERN), attrs: Rc::new(attrs) }))
        }
        Err(_) => outside_any(host, args),
    }
}

/// Any of the functions, and the methods of a compiled pattern, whose arguments differ in that flags cannot follow.
fn call(host: &mut dyn Host, args: &Args, name: &'static str, method: Method) -> R<V> {
    // The matcher looks at signals now and then, and a handler may raise. What the call itself is given comes later.
    let interruptible = host.store().path.interruptible || host.store().path.unknown_managers > 0;
    let result = outside_any(host, args.clone())?;
    let first = args.pos.first().or_else(|| args.keyword("pattern")).cloned();
    let known = first.as_ref().and_then(|first| compiled(host, first));
    let is_method = known.is_some();
    let replaces = matches!(name, "sub" | "subn");
    // A function's pattern may be a keyword; a method's never is.
    let at = usize::from(replaces) + 1;
    let Some(subject) = args.get(at, "string").cloned() else { return Ok(result) };
    let limit = args.get(at + 1, if replaces { "count" } else { "maxsplit" }).cloned();
    let takes_limit = replaces || name == "split";
    // Everything else is flags of a function, or the part of the text that a method looks at.
    let rest = if takes_limit { args.get(at + 2, "flags") } else { args.get(at + 1, "flags") };
    let rest = rest.cloned().or_else(|| ["pos", "endpos"].iter().find_map(|name| args.keyword(name).cloned()));
    let (written, bits) = match (known, first) {
        (Some(known), _) => known,
        (None, Some(first)) => {
            let given = rest.as_ref().map_or(Some(0), flag_bits);
            match (Written::of(&first), given) {
                (Some(written), Some(bits)) => (written, bits),
                _ => return Ok(result),
            }
        }
        _ => return Ok(result),
    };
    let Ok(program) = program(host, &written, bits)? else { return Ok(result) };
    let mut method = method;
    if takes_limit {
        match limit.as_ref().map_or(Some(0), V::exact_int) {
            Some(0) => {}
            Some(n) => method = Method::All(u64::try_from(n).unwrap_or(0)),
            None => method = Method::All(1),
        }
    }
    let mut proof = if interruptible { Proof::Likely } else { Proof::Proven };
    if replaces {
        match args.get(1, "repl") {
            Some(V::Str(text)) if !text.contains('\\') => {}
            Some(V::Bytes(bytes)) if !bytes.contains(&b'\\') => {}
            Some(V::Ref(_)) => {
                // Code of the program runs after each match; a first one is looked for before.
                if method != Method::All(0) {
                    method = Method::All(1);
                }
            }
            _ => proof = Proof::Likely,
        }
    }
    if name == "finditer" {
        // It searches as it is asked to: for the first match as soon as it is iterated.
        if host.is_iterated_at_once() {
            method = Method::All(1);
        } else {
            proof = Proof::Likely;
        }
    }
    let text: Vec<u32> = match (&subject, &written) {
        (V::Str(text), Written::Str(_)) => text.chars().map(u32::from).collect(),
        (V::Bytes(bytes), Written::Bytes(_)) => bytes.iter().copied().map(u32::from).collect(),
        (V::Strs(text), Written::Str(_)) if text.made.is_some() => {
            if let (Some(made), false) = (text.made, is_method && rest.is_some()) {
                let run = of_made(&program, made, method);
                judge(host, &program, name, run, &written, text.low, proof)?;
            }
            return Ok(result);
        }
        (V::Strs(text), Written::Str(_)) | (V::ManyBytes(text), Written::Bytes(_)) if text.high > SHORT => {
            return unknown_text(host, &written, bits, name, &program, method).map(|()| result);
        }
        (V::Unknown(_), _) => return unknown_text(host, &written, bits, name, &program, method).map(|()| result),
        // Short, one of several, or a TypeError.
        _ => return Ok(result),
    };
    if is_method && rest.is_some() {
        return Ok(result);
    }
    let pumped = Pumped::read(&text).and_then(|text| steps::count_pumped(&program, text, method, COUNT_BUDGET));
    let run = pumped.or_else(|| steps::count(&program, &text, method, COUNT_BUDGET));
    host.burn(text.len() as u64 / 4)?;
    judge(host, &program, name, run, &written, text.len() as u64, proof)?;
    Ok(result)
}

fn of_made(program: &Program, made: Made, method: Method) -> Option<Run> {
    let characters = |sym: Sym| sym.text().chars().map(u32::from).collect::<Vec<u32>>();
    let (before, unit, after) = (characters(made.before), characters(made.unit), characters(made.after));
    let text = Pumped { before: &before, unit: &unit, copies: made.copies, after: &after };
    steps::count_pumped(program, text, method, COUNT_BUDGET)
}

/// What was counted on a text that is known, or that it could not be counted.
fn judge(host: &mut dyn Host, program: &Program, name: &str, run: Option<Run>, written: &Written, length: u64, proof: Proof) -> R<()> {
    host.burn(run.as_ref().map_or(if program.has_references { 0 } else { COUNT_BUDGET }, |run| run.states))?;
    // In versions that do not know the syntax it raises.
    if let Some(run) = run
        && host.target().1 >= program.since
    {
        takes(host, name, seconds(run.work), written, length, proof);
    }
    Ok(())
}

/// The least time of the matcher's work.
fn seconds(work: Work) -> f64 {
    cost::REGEX_JUMP.times(work.jumps) + cost::REGEX_SCAN.times(work.scans)
}

/// The call takes at least so long: reported where it takes the program over the timeout.
fn takes(host: &mut dyn Host, name: &str, seconds: f64, written: &Written, length: u64, proof: Proof) {
    if proof == Proof::Proven {
        let before = host.store().path.cost;
        host.store().path.cost += seconds;
        let timeout = host.limits().timeout;
        // What is too long by itself is said of each call, else of the one that takes the program over the limit.
        let crosses = before <= timeout && before + seconds > timeout && seconds > timeout / 2.0;
        if seconds <= timeout && !crosses {
            return;
        }
    } else if seconds <= host.limits().timeout {
        return;
    }
    let low = if proof == Proof::Proven { host.store().path.cost.max(seconds) } else { seconds };
    let measure = Measure { unit: Unit::Seconds, low, high: f64::INFINITY };
    let words = [
        ("callee", format!("re.{name}")),
        ("pattern", shown(written)),
        ("seconds", amount(seconds)),
        ("reason", format!("takes at least {} s on this text of {} characters", amount(seconds), length)),
    ];
    host.fact(FactKind::Regex, Some(measure), proof, &words);
}

/// Pumps of a text that someone may well send.
const PUMPS: f64 = 1000.0;
/// The pumps that the work is extrapolated from.
const COUNTED: usize = 40;

/// The text is unknown: a warning where there is one on which the pattern takes very long.
fn unknown_text(host: &mut dyn Host, written: &Written, bits: u32, name: &'static str, program: &Rc<Program>, method: Method) -> R<()> {
    let report = report(host, written, bits, name, program, method)?;
    let attack = report.attack.text(COUNTED);
    let counted = match report.growth {
        Growth::Unknown => None,
        Growth::Polynomial(degree) if degree < 3.5 => None,
        _ => steps::count(program, &attack, method, COUNT_BUDGET).map(|run| (seconds(run.work), run.states)),
    };
    let Some((counted, states)) = counted else { return Ok(()) };
    host.burn_on_pattern(states)?;
    let (low, reason) = match report.growth {
        Growth::Exponential => (f64::INFINITY, "takes time that doubles with every few characters"),
        Growth::Polynomial(degree) => {
            (counted * (PUMPS / COUNTED as f64).powf(degree), "takes time that grows with a high power of the length")
        }
        Growth::Unknown => return Ok(()),
    };
    if low <= host.limits().timeout {
        return Ok(());
    }
    let text: String = report.attack.text(6).iter().filter_map(|c| char::from_u32(*c)).collect();
    let measure = Measure { unit: Unit::Seconds, low, high: f64::INFINITY };
    let words = [
        ("callee", format!("re.{name}")),
        ("pattern", shown(written)),
        ("seconds", amount(low)),
        ("reason", format!("{reason} on texts such as {}", quoted(&text))),
    ];
    host.fact(FactKind::Regex, Some(measure), Proof::Likely, &words);
    Ok(())
}

/// A number of seconds for a message.
fn amount(seconds: f64) -> String {
    if seconds < 1e9 { format!("{seconds:.0}") } else { format!("{seconds:.0e}") }
}

/// Characters of a pattern that a message shows.
const SHOWN: usize = 60;

fn quoted(text: &str) -> String {
    let mut out: String = text.chars().take(SHOWN).collect();
    if text.chars().count() > SHOWN {
        out.push('…');
    }
    format!("{out:?}")
}

fn shown(written: &Written) -> String {
    let text = match written {
        Written::Str(text) => text.to_string(),
        Written::Bytes(bytes) => bytes.iter().map(|b| char::from(*b)).collect(),
    };
    let mut out: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN).collect();
    if text.chars().count() > SHOWN {
        out.push('…');
    }
    out
}

/// The characters that `re.escape` puts a backslash before.
const SPECIAL: &str = "()[]{}?*+-|^$\\.&~# \t\n\r\x0b\x0c";

fn escape(host: &mut dyn Host, args: Args) -> R<V> {
    let [pattern] = bind(host, &args, ["pattern"], 1)?;
    match pattern {
        Some(V::Str(text)) => {
            host.burn(text.len() as u64 / 16)?;
            let escaped: String = text.chars().flat_map(|c| SPECIAL.contains(c).then_some('\\').into_iter().chain([c])).collect();
            Ok(V::str(&escaped))
        }
        Some(V::Bytes(bytes)) => {
            host.burn(bytes.len() as u64 / 16)?;
            let special = |b: u8| SPECIAL.as_bytes().contains(&b);
            let escaped: Vec<u8> = bytes.iter().flat_map(|&b| special(b).then_some(b'\\').into_iter().chain([b])).collect();
            Ok(V::bytes(&escaped))
        }
        _ => {
            look(host, &args);
            outside_any(host, args)
        }
    }
}
