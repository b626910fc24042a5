//! Fills the placeholders of a card's message.

use std::collections::BTreeMap;

use crate::eval::{Measure, Unit};

/// Words longer than this are cut, so that a message stays a message.
const LONGEST_WORD: usize = 120;

/// What placeholders stand for: the fact's words first, then the amounts, then the card's own defaults.
#[derive(Debug)]
pub struct Words<'a> {
    /// The fact's words.
    pub fact: &'a BTreeMap<&'static str, String>,
    /// The card's defaults.
    pub card: &'a BTreeMap<String, String>,
    /// How much.
    pub measure: Option<Measure>,
    /// The limit's value.
    pub limit: Option<f64>,
}

impl Words<'_> {
    /// The text with each `{name}` replaced. Words are never looked into again: a brace in the user's code stays one.
    pub fn fill(&self, template: &str) -> String {
        let mut out = String::with_capacity(template.len() + 32);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            if let Some((name, after)) = after.split_once('}') {
                out.push_str(self.word(name).as_deref().unwrap_or("?"));
                rest = after;
            } else {
                out.push('{');
                rest = after;
            }
        }
        out.push_str(rest);
        out
    }

    fn word(&self, name: &str) -> Option<String> {
        if name == "limit" {
            return self.limit.map(number);
        }
        if let Some(measure) = self.measure
            && name == unit_name(measure.unit)
        {
            return Some(self.amount(measure.low));
        }
        self.fact.get(name).map(|word| cut(word)).or_else(|| self.card.get(name).cloned())
    }
}

impl Words<'_> {
    /// The amount, with as many digits as it takes to tell it from the limit it exceeds.
    fn amount(&self, low: f64) -> String {
        let plain = number(low);
        match self.limit {
            Some(limit) if low > limit && plain == number(limit) => (1..=9)
                .map(|digits| format!("{low:.digits$}"))
                .find(|text| text.parse().is_ok_and(|shown: f64| shown > limit))
                .unwrap_or(plain),
            _ => plain,
        }
    }
}

fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Bits => "bits",
        Unit::Seconds => "seconds",
        Unit::Bytes => "bytes",
        Unit::Processes => "processes",
    }
}

/// A number as a reader expects it: whole ones without a point, others with three significant digits, none with separators.
pub fn number(value: f64) -> String {
    if value.is_infinite() {
        "infinitely many".to_owned()
    } else if value.fract() == 0.0 || value.abs() >= 1000.0 {
        format!("{:.0}", value.trunc())
    } else {
        let digits = (2 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    }
}

/// One line, cut to a readable length.
fn cut(word: &str) -> String {
    let mut line = word.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = line.char_indices().nth(LONGEST_WORD) {
        line.truncate(at);
        line.push('…');
    }
    line
}
