//! `datetime`: dates, times of day on a date, and differences, where they are known exactly and belong to no time zone.
//!
//! A value that is known is an instance whose class is the library's: a number that says all (days, or microseconds), and the fields
//! by which Python shows it. Where nothing is known of it, it is a plain [`V::Instance`].

use std::rc::Rc;

use crate::library::{Args, Entry, Host, R};
use crate::syntax::code::{BinaryOp, CompareOp};
use crate::value::convert::int_truediv;
use crate::value::int::Int;
use crate::value::object::{Obj, Sym, V, Why};

use super::support::{all, attribute_of, bind, instance, look};

const DATE: &str = "datetime.date";
const DATETIME: &str = "datetime.datetime";
const DELTA: &str = "datetime.timedelta";

/// Where an instance keeps the number that says all of it.
const NUMBER: &str = "@number";

const DAY: i128 = 86_400_000_000;
/// 9999-12-31, counted from 0001-01-01 as 1.
const LAST_DAY: i128 = 3_652_059;
const MOST_DAYS: i128 = 999_999_999;

/// What is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Days, 0001-01-01 being 1.
    Date(i128),
    /// Microseconds since the day before 0001-01-01 began.
    Datetime(i128),
    /// Microseconds.
    Delta(i128),
}

use Known::{Date, Datetime, Delta};

/// The entry for a name in the module.
pub fn find(name: &str) -> Option<Entry> {
    Some(match name {
        "date" => Entry::Type(|host, args| made(host, &args, DATE, 3)),
        "datetime" => Entry::Type(|host, args| made(host, &args, DATETIME, 7)),
        "timedelta" => Entry::Type(timedelta),
        "date.fromisoformat" => Entry::Function(|host, args| from_text(host, &args, DATE)),
        "datetime.fromisoformat" => Entry::Function(|host, args| from_text(host, &args, DATETIME)),
        "datetime.strptime" => Entry::Function(parsed),
        "date.fromordinal" => Entry::Function(from_ordinal),
        _ => Entry::Function(match name.split_once('.')? {
            ("date" | "datetime", "weekday") => |host, args| of_days(host, &args, 0, |n| (n + 6) % 7),
            ("date" | "datetime", "isoweekday") => |host, args| of_days(host, &args, 1, |n| (n + 6) % 7 + 1),
            ("date" | "datetime", "toordinal") => |host, args| of_days(host, &args, 1, |n| n),
            ("date" | "datetime", "replace") => replace,
            ("date" | "datetime", "isoformat") => isoformat,
            ("date" | "datetime", "strftime") => strftime,
            ("datetime", "date") => date_of,
            ("timedelta", "total_seconds") => total_seconds,
            _ => return None,
        }),
    })
}

fn known(host: &mut dyn Host, value: &V) -> Option<Known> {
    let (V::Lib(class), attrs) = instance(host, value)? else { return None };
    let number = attribute_of(&attrs, NUMBER)?.exact_int()?;
    match &*class.text() {
        DATE => Some(Date(number)),
        DATETIME => Some(Datetime(number)),
        DELTA => Some(Delta(number)),
        _ => None,
    }
}

/// The class of a value of this module, whether it is known or not, and why not.
fn class_of(host: &mut dyn Host, value: &V) -> Option<(&'static str, Why)> {
    let (class, why) = match value {
        V::Instance(class, why) => (*class, *why),
        V::Ref(_) => match instance(host, value)?.0 {
            V::Lib(class) => (class, Why::Lost),
            _ => return None,
        },
        _ => return None,
    };
    let class = class.text();
    [DATE, DATETIME, DELTA].into_iter().find(|known| **known == *class).map(|class| (class, why))
}

fn unknown(class: &str, why: Why) -> V {
    V::Instance(Sym::new(class), why)
}

/// Days before a year begins.
fn before_year(year: i128) -> i128 {
    let y = year - 1;
    y * 365 + y / 4 - y / 100 + y / 400
}

fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in_month(year: i128, month: i128) -> i128 {
    match month {
        2 => 28 + i128::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The number of a day; none where there is no such day.
fn day_number(year: i128, month: i128, day: i128) -> Option<i128> {
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=days_in_month(year, month)).contains(&day) {
        return None;
    }
    Some(before_year(year) + (1..month).map(|m| days_in_month(year, m)).sum::<i128>() + day)
}

/// Year, month and day of a number.
fn day_of(number: i128) -> [i128; 3] {
    let mut year = (number * 400 / 146_097).max(1);
    while before_year(year + 1) < number {
        year += 1;
    }
    while before_year(year) >= number {
        year -= 1;
    }
    let (mut rest, mut month) = (number - before_year(year), 1);
    while rest > days_in_month(year, month) {
        rest -= days_in_month(year, month);
        month += 1;
    }
    [year, month, rest]
}

/// Hour, minute, second and microsecond of microseconds.
fn time_of(number: i128) -> [i128; 4] {
    let within = number.rem_euclid(DAY);
    [within / 3_600_000_000, within / 60_000_000 % 60, within / 1_000_000 % 60, within % 1_000_000]
}

/// A value, or the OverflowError there is where it does not fit.
fn value(host: &mut dyn Host, known: Known) -> R<V> {
    let fits = match known {
        Date(n) => (1..=LAST_DAY).contains(&n),
        Datetime(n) => (1..=LAST_DAY).contains(&n.div_euclid(DAY)),
        Delta(n) => n.div_euclid(DAY).abs() <= MOST_DAYS,
    };
    if !fits {
        return Err(host.raise("OverflowError", "date value out of range"));
    }
    let (class, number, fields) = match known {
        Date(n) => (DATE, n, fields(&[" year", " month", " day"], &day_of(n))),
        Datetime(n) => {
            let day = fields(&[" year", " month", " day"], &day_of(n.div_euclid(DAY)));
            (DATETIME, n, [day, fields(&[" hour", " minute", " second", " microsecond"], &time_of(n))].concat())
        }
        Delta(n) => {
            let within = n.rem_euclid(DAY);
            let parts = [n.div_euclid(DAY), within / 1_000_000, within % 1_000_000];
            (DELTA, n, fields(&[" days", " seconds", " microseconds"], &parts))
        }
    };
    let attrs = [vec![(Sym::new(NUMBER), V::Int(number))], fields].concat();
    Ok(host.alloc(Obj::Instance { class: V::lib(class), attrs: Rc::new(attrs) }))
}

fn fields(names: &[&str], values: &[i128]) -> Vec<(Sym, V)> {
    names.iter().zip(values).map(|(name, n)| (Sym::new(name), V::Int(*n))).collect()
}

/// What year, month, day and the time of day make.
fn of_parts(class: &str, parts: &[i128]) -> Option<Known> {
    let day = day_number(parts[0], parts[1], parts[2])?;
    if class == DATE {
        return Some(Date(day));
    }
    let most = [23, 59, 59, 999_999];
    if !parts[3..].iter().zip(most).all(|(n, most)| (0..=most).contains(n)) {
        return None;
    }
    Some(Datetime(day * DAY + ((parts[3] * 60 + parts[4]) * 60 + parts[5]) * 1_000_000 + parts[6]))
}

const PARTS: [&str; 7] = ["year", "month", "day", "hour", "minute", "second", "microsecond"];

fn made(host: &mut dyn Host, args: &Args, class: &str, most: usize) -> R<V> {
    let named = args.kw.iter().all(|(name, _)| PARTS[..most].contains(&&*name.text()));
    if args.open || !named || args.pos.len() > most || args.values().iter().any(|v| v.exact_int().is_none()) {
        look(host, args);
        return Ok(unknown(class, Why::of_all(args.values().iter().filter_map(V::why)).unwrap_or(Why::Lost)));
    }
    let bound = bind(host, args, PARTS, 3)?;
    let parts: Vec<i128> = bound.iter().map(|v| v.as_ref().and_then(V::exact_int).unwrap_or(0)).collect();
    match of_parts(class, &parts) {
        Some(known) => value(host, known),
        None => Err(host.raise("ValueError", "day is out of range for month")),
    }
}

/// Microseconds in each unit of a `timedelta`, in the order of its parameters.
const UNITS: [(&str, i128); 7] = [
    ("days", DAY),
    ("seconds", 1_000_000),
    ("microseconds", 1),
    ("milliseconds", 1000),
    ("minutes", 60_000_000),
    ("hours", 3_600_000_000),
    ("weeks", 7 * DAY),
];

/// So many of a unit, where that is a whole number of microseconds: as CPython adds it up, the fraction by itself.
fn microseconds(amount: &V, unit: i128) -> Option<i128> {
    match amount {
        V::Float(f) if f.abs() < 1e12 => {
            let rest = f.fract() * unit as f64;
            (rest.fract() == 0.0).then(|| f.trunc() as i128 * unit + rest as i128)
        }
        v => v.exact_int()?.checked_mul(unit),
    }
}

fn timedelta(host: &mut dyn Host, args: Args) -> R<V> {
    let bound = bind(host, &args, UNITS.map(|(name, _)| name), 0)?;
    let mut total = Some(0_i128);
    for (amount, (_, unit)) in bound.iter().zip(UNITS) {
        if let Some(amount) = amount {
            total = total.zip(microseconds(amount, unit)).and_then(|(sum, n)| sum.checked_add(n));
        }
    }
    if let Some(total) = total.filter(|_| !args.open) {
        return value(host, Delta(total));
    }
    look(host, &args);
    Ok(unknown(DELTA, Why::of_all(args.values().iter().filter_map(V::why)).unwrap_or(Why::Lost)))
}

/// An int that follows from the number of the day.
fn of_days(host: &mut dyn Host, args: &Args, least: i128, of: fn(i128) -> i128) -> R<V> {
    let [this] = all(host, args, ["/self"])?;
    match known(host, &this) {
        Some(Date(n)) => Ok(V::Int(of(n))),
        Some(Datetime(n)) => Ok(V::Int(of(n.div_euclid(DAY)))),
        _ => {
            look(host, args);
            // Of every day it is between what it is of some week and of the last day.
            let most = (1..=7).map(of).max().unwrap_or(0).max(of(LAST_DAY));
            Ok(V::int(Int::range(least, most), class_of(host, &this).map_or(Why::Lost, |(_, why)| why)))
        }
    }
}

/// Year, month, day and the time of day of what is known.
fn parts_of(known: Known) -> Option<Vec<i128>> {
    match known {
        Date(n) => Some(day_of(n).to_vec()),
        Datetime(n) => Some([day_of(n.div_euclid(DAY)).to_vec(), time_of(n).to_vec()].concat()),
        Delta(_) => None,
    }
}

fn replace(host: &mut dyn Host, args: Args) -> R<V> {
    let Some(this) = args.pos.first().cloned() else { return Err(host.raise("TypeError", "")) };
    let class = class_of(host, &this).map_or(DATETIME, |(class, _)| class);
    if let Some(mut parts) = known(host, &this).and_then(parts_of) {
        let names = &PARTS[..parts.len()];
        let given = args.pos[1..].iter().cloned().enumerate();
        let named = args.kw.iter().map(|(name, v)| (names.iter().position(|n| **n == *name.text()).unwrap_or(usize::MAX), v.clone()));
        let new: Option<Vec<(usize, i128)>> = given.chain(named).map(|(at, v)| Some((at, v.exact_int()?))).collect();
        if let Some(new) = new.filter(|new| !args.open && new.iter().all(|(at, _)| *at < parts.len())) {
            for (at, n) in new {
                parts[at] = n;
            }
            return match of_parts(class, &parts) {
                Some(known) => value(host, known),
                None => Err(host.raise("ValueError", "day is out of range for month")),
            };
        }
    }
    look(host, &args);
    Ok(unknown(class, Why::Lost))
}

fn shown_time(number: i128, hours: usize) -> String {
    let [hour, minute, second, micro] = time_of(number);
    let text = format!("{hour:0hours$}:{minute:02}:{second:02}");
    if micro == 0 { text } else { format!("{text}.{micro:06}") }
}

fn shown_day(number: i128) -> String {
    let [year, month, day] = day_of(number);
    format!("{year:04}-{month:02}-{day:02}")
}

/// What `str` and `repr` give, where a value is known.
pub fn text(host: &mut dyn Host, value: &V, repr: bool) -> Option<String> {
    let known = known(host, value)?;
    if !repr {
        return Some(match known {
            Date(n) => shown_day(n),
            Datetime(n) => format!("{} {}", shown_day(n.div_euclid(DAY)), shown_time(n, 2)),
            Delta(n) => match n.div_euclid(DAY) {
                0 => shown_time(n, 1),
                days => format!("{days} day{}, {}", if days.abs() == 1 { "" } else { "s" }, shown_time(n, 1)),
            },
        });
    }
    let list = |parts: &[i128]| parts.iter().map(i128::to_string).collect::<Vec<_>>().join(", ");
    Some(match known {
        Date(_) => format!("datetime.date({})", list(&parts_of(known)?)),
        Datetime(_) => {
            let mut parts = parts_of(known)?;
            // Seconds and microseconds are shown from where they are not 0.
            while parts.len() > 5 && parts.last() == Some(&0) {
                parts.pop();
            }
            format!("datetime.datetime({})", list(&parts))
        }
        Delta(n) => {
            let within = n.rem_euclid(DAY);
            let parts = [("days", n.div_euclid(DAY)), ("seconds", within / 1_000_000), ("microseconds", within % 1_000_000)];
            let shown: Vec<String> = parts.iter().filter(|(_, n)| *n != 0).map(|(name, n)| format!("{name}={n}")).collect();
            format!("datetime.timedelta({})", if shown.is_empty() { "0".to_owned() } else { shown.join(", ") })
        }
    })
}

fn isoformat(host: &mut dyn Host, args: Args) -> R<V> {
    if let [this] = args.pos.as_slice()
        && args.kw.is_empty()
    {
        match known(host, &this.clone()) {
            Some(Date(n)) => return Ok(V::str(&shown_day(n))),
            Some(Datetime(n)) => return Ok(V::str(&format!("{}T{}", shown_day(n.div_euclid(DAY)), shown_time(n, 2)))),
            _ => {}
        }
    }
    super::plain::written_time(host, args)
}

/// By a format of numbers. The names of days and months, and years of fewer than four digits, are for the C library to write.
fn strftime(host: &mut dyn Host, args: Args) -> R<V> {
    if let [this, V::Str(format)] = args.pos.as_slice()
        && args.kw.is_empty()
        && let Some(known) = known(host, &this.clone())
        && let Some(text) = written(known, format)
    {
        return Ok(V::str(&text));
    }
    super::plain::written_time(host, args)
}

fn written(known: Known, format: &str) -> Option<String> {
    let mut parts = parts_of(known)?;
    parts.resize(7, 0);
    if parts[0] < 1000 {
        return None;
    }
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            if !c.is_ascii() || c == '\0' {
                return None;
            }
            out.push(c);
            continue;
        }
        let shown = match chars.next()? {
            'Y' => format!("{:04}", parts[0]),
            'm' => format!("{:02}", parts[1]),
            'd' => format!("{:02}", parts[2]),
            'H' => format!("{:02}", parts[3]),
            'M' => format!("{:02}", parts[4]),
            'S' => format!("{:02}", parts[5]),
            'f' => format!("{:06}", parts[6]),
            '%' => "%".to_owned(),
            _ => return None,
        };
        out.push_str(&shown);
    }
    Some(out)
}

fn date_of(host: &mut dyn Host, args: Args) -> R<V> {
    let [this] = all(host, &args, ["/self"])?;
    match known(host, &this) {
        Some(Datetime(n)) => value(host, Date(n.div_euclid(DAY))),
        _ => {
            look(host, &args);
            Ok(unknown(DATE, class_of(host, &this).map_or(Why::Lost, |(_, why)| why)))
        }
    }
}

fn total_seconds(host: &mut dyn Host, args: Args) -> R<V> {
    let [this] = all(host, &args, ["/self"])?;
    match known(host, &this) {
        Some(Delta(n)) => Ok(quotient(n, 1_000_000)),
        _ => {
            look(host, &args);
            Ok(V::any_float(class_of(host, &this).map_or(Why::Lost, |(_, why)| why)))
        }
    }
}

/// The float nearest to a quotient.
fn quotient(n: i128, d: i128) -> V {
    int_truediv(&Int::exact(n), &Int::exact(d)).float.map_or(V::any_float(Why::Lost), |float| V::float(float, Why::Lost))
}

fn from_ordinal(host: &mut dyn Host, args: Args) -> R<V> {
    let [number] = all(host, &args, ["/ordinal"])?;
    match number.exact_int() {
        Some(n) if (1..=LAST_DAY).contains(&n) => value(host, Date(n)),
        Some(_) => Err(host.raise("ValueError", "ordinal must be >= 1")),
        None => {
            look(host, &args);
            Ok(unknown(DATE, Why::Lost))
        }
    }
}

/// `2024-05-01`, and with a time of day `2024-05-01 09:30` or `2024-05-01T09:30:00`: texts that all versions read.
fn read(text: &str) -> Option<Vec<i128>> {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to)?;
        digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse::<i128>().ok())?
    };
    let marks =
        |expected: &[(usize, &[u8])]| expected.iter().all(|(at, marks)| text.as_bytes().get(*at).is_some_and(|b| marks.contains(b)));
    if !text.is_ascii() || !marks(&[(4, b"-"), (7, b"-")]) {
        return None;
    }
    let mut parts = vec![number(0, 4)?, number(5, 7)?, number(8, 10)?];
    match text.len() {
        10 => {}
        16 if marks(&[(10, b"T "), (13, b":")]) => parts.extend([number(11, 13)?, number(14, 16)?]),
        19 if marks(&[(10, b"T "), (13, b":"), (16, b":")]) => parts.extend([number(11, 13)?, number(14, 16)?, number(17, 19)?]),
        _ => return None,
    }
    Some(parts)
}

/// A value of a class from the parts that were read; unknown where they are not all plain.
fn read_as(host: &mut dyn Host, args: &Args, class: &str, parts: Option<Vec<i128>>) -> R<V> {
    let given = parts.as_ref().map_or(0, Vec::len);
    if let Some(mut parts) = parts.filter(|_| class == DATETIME || given == 3) {
        parts.resize(7, 0);
        if let Some(known) = of_parts(class, &parts) {
            return value(host, known);
        }
    }
    look(host, args);
    Ok(unknown(class, Why::Lost))
}

fn from_text(host: &mut dyn Host, args: &Args, class: &str) -> R<V> {
    let parts = match args.pos.as_slice() {
        [V::Str(text)] if args.kw.is_empty() => read(text),
        _ => None,
    };
    read_as(host, args, class, parts)
}

fn parsed(host: &mut dyn Host, args: Args) -> R<V> {
    let parts = match args.pos.as_slice() {
        [V::Str(text), V::Str(format)] if args.kw.is_empty() => match (&**format, text.len()) {
            ("%Y-%m-%d", 10) | ("%Y-%m-%d %H:%M" | "%Y-%m-%dT%H:%M", 16) | ("%Y-%m-%d %H:%M:%S" | "%Y-%m-%dT%H:%M:%S", 19) => {
                read(text).filter(|_| text.len() == 10 || text.contains('T') == format.contains('T'))
            }
            _ => None,
        },
        _ => None,
    };
    read_as(host, &args, DATETIME, parts)
}

/// `a op b` where one side is of this module; none where that is left to the other.
pub fn binary(host: &mut dyn Host, op: BinaryOp, a: &V, b: &V) -> R<Option<V>> {
    let (x, y) = (known(host, a), known(host, b));
    if x.is_none() && y.is_none() {
        return Ok(None);
    }
    let result = match (op, x, y) {
        (BinaryOp::Add, Some(Date(n)), Some(Delta(d))) | (BinaryOp::Add, Some(Delta(d)), Some(Date(n))) => Date(n + d.div_euclid(DAY)),
        (BinaryOp::Sub, Some(Date(n)), Some(Delta(d))) => Date(n - d.div_euclid(DAY)),
        (BinaryOp::Sub, Some(Date(n)), Some(Date(m))) => Delta((n - m) * DAY),
        (BinaryOp::Add, Some(Datetime(n)), Some(Delta(d))) | (BinaryOp::Add, Some(Delta(d)), Some(Datetime(n))) => Datetime(n + d),
        (BinaryOp::Sub, Some(Datetime(n)), Some(Delta(d))) => Datetime(n - d),
        (BinaryOp::Sub, Some(Datetime(n)), Some(Datetime(m))) => Delta(n - m),
        (BinaryOp::Add, Some(Delta(n)), Some(Delta(d))) => Delta(n + d),
        (BinaryOp::Sub, Some(Delta(n)), Some(Delta(d))) => Delta(n - d),
        (BinaryOp::TrueDiv | BinaryOp::FloorDiv | BinaryOp::Mod, Some(Delta(_)), Some(Delta(0))) => {
            return Err(host.raise("ZeroDivisionError", ""));
        }
        (BinaryOp::TrueDiv, Some(Delta(n)), Some(Delta(d))) => return Ok(Some(quotient(n, d))),
        (BinaryOp::FloorDiv, Some(Delta(n)), Some(Delta(d))) => return Ok(Some(V::Int(floor(n, d)))),
        (BinaryOp::Mod, Some(Delta(n)), Some(Delta(d))) => Delta(n - d * floor(n, d)),
        (BinaryOp::Mul, Some(Delta(n)), None) if b.exact_int().is_some() => return scaled(host, n, b).map(Some),
        (BinaryOp::Mul, None, Some(Delta(n))) if a.exact_int().is_some() => return scaled(host, n, a).map(Some),
        (BinaryOp::FloorDiv, Some(Delta(n)), None) if b.exact_int().is_some_and(|d| d != 0) => Delta(floor(n, b.exact_int().unwrap_or(1))),
        (BinaryOp::TrueDiv, Some(Delta(n)), None) if b.exact_int().is_some_and(|d| d != 0 && n % d == 0) => {
            Delta(n / b.exact_int().unwrap_or(1))
        }
        _ => return Ok(Some(open_binary(host, op, a, b))),
    };
    value(host, result).map(Some)
}

fn floor(n: i128, d: i128) -> i128 {
    let quotient = n / d;
    quotient - i128::from(n % d != 0 && (n < 0) != (d < 0))
}

fn scaled(host: &mut dyn Host, n: i128, by: &V) -> R<V> {
    match by.exact_int().and_then(|k| n.checked_mul(k)) {
        Some(n) => value(host, Delta(n)),
        None => Err(host.raise("OverflowError", "")),
    }
}

/// An operation of which one side is not known, or not followed.
fn open_binary(host: &mut dyn Host, op: BinaryOp, a: &V, b: &V) -> V {
    let why = Why::of_all([a, b].into_iter().filter_map(V::why)).unwrap_or(Why::Lost);
    let (x, y) = (class_of(host, a), class_of(host, b));
    let result = host.unknown_call(&Args::of([a.clone(), b.clone()]));
    match (op, x.map(|(class, _)| class), y.map(|(class, _)| class)) {
        (BinaryOp::Add | BinaryOp::Sub, Some(class @ (DATE | DATETIME)), Some(DELTA)) => unknown(class, why),
        _ if x.is_some() && y.is_some() => V::Unknown(why),
        _ => result,
    }
}

/// A comparison where one side is of this module and known; none where that is left to the other.
pub fn compared(host: &mut dyn Host, op: CompareOp, a: &V, b: &V) -> R<Option<V>> {
    let (x, y) = (known(host, a), known(host, b));
    if x.is_none() && y.is_none() {
        return Ok(None);
    }
    let order = match (x, y) {
        (Some(Date(n)), Some(Date(m))) | (Some(Datetime(n)), Some(Datetime(m))) | (Some(Delta(n)), Some(Delta(m))) => Some(n.cmp(&m)),
        _ => None,
    };
    let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
    let Some(order) = order else {
        let plain = |v: &V| v.is_number() || matches!(v, V::None | V::Str(_) | V::Strs(_) | V::Bytes(_) | V::Tuple(_));
        if (x.is_some() && y.is_some()) || plain(a) || plain(b) {
            return if equality { Ok(Some(V::Bool(op == CompareOp::Ne))) } else { Err(host.raise("TypeError", "")) };
        }
        let why = Why::of_all([a, b].into_iter().filter_map(V::why));
        let result = host.unknown_call(&Args::of([a.clone(), b.clone()]));
        return Ok(Some(why.map_or(result, V::Unknown)));
    };
    Ok(Some(V::Bool(match op {
        CompareOp::Lt => order.is_lt(),
        CompareOp::Le => order.is_le(),
        CompareOp::Gt => order.is_gt(),
        CompareOp::Ge => order.is_ge(),
        CompareOp::Ne => order.is_ne(),
        _ => order.is_eq(),
    })))
}

/// `-value`, `+value` and `abs(value)`.
pub fn signed(host: &mut dyn Host, operand: &V, of: fn(i128) -> i128) -> R<Option<V>> {
    match known(host, operand) {
        Some(Delta(n)) => value(host, Delta(of(n))).map(Some),
        _ => Ok(None),
    }
}

/// `bool(value)`.
pub fn truth(host: &mut dyn Host, value: &V) -> Option<bool> {
    known(host, value).map(|known| known != Delta(0))
}

/// A value with the same equality and hash.
pub fn key_instead(host: &mut dyn Host, value: &V) -> Option<V> {
    let (class, number) = match known(host, value)? {
        Date(n) => (DATE, n),
        Datetime(n) => (DATETIME, n),
        Delta(n) => (DELTA, n),
    };
    // Nothing in Python is equal to the mark.
    Some(V::tuple(vec![V::lib("datetime.instance"), V::lib(class), V::Int(number)]))
}
