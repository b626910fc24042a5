//! Comments that silence a finding: `# antifreeze: ignore[AF401] reason`, on its line or alone on the line above, in capitals or not and
//! behind other comments too. Every rule has to be named in full.
//!
//! They count in `library` only: a script must not silence its own gate. What a comment does not silence is a fact, and so a
//! finding, as is one that would silence everything.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::Finding;
use crate::cards;
use crate::config::suggest::did_you_mean;
use crate::fact::{Fact, FactKind, Proof, Reach};
use crate::syntax::Span;

/// The word that introduces a comment to us.
const MARK: &str = "antifreeze:";

/// No comment names more rules than this, and none stands above more lines of comment: work on hostile ones is bounded.
const MOST_CODES: usize = 100;
const MOST_LINES: usize = 20;

/// Removes the findings that comments suppress, and gives a fact for each code of a comment that suppresses nothing.
pub fn suppress(findings: &mut Vec<Finding>, text: &str, comments: &[Span]) -> Vec<Fact> {
    let mut unused = Vec::new();
    let mut silenced = vec![false; findings.len()];
    for comment in comments {
        let Some(written) = text.get(comment.start as usize..comment.end as usize) else { continue };
        let Some(directive) = directive(written) else { continue };
        let codes = match directive {
            Directive::Codes(codes) => codes,
            Directive::Wrong(reason, advice) => {
                unused.push(fact(*comment, reason, advice));
                continue;
            }
        };
        let reached = reached(text, *comment);
        for code in codes {
            let Some(card) = cards::find(&code) else {
                let family = code.to_ascii_uppercase();
                let of_family = |code: &&str| family.len() > 1 && code.starts_with(&family);
                if let Some(first) = cards::all().iter().map(|card| card.meta.code.as_str()).find(of_family) {
                    let reason = format!("`{family}` is the beginning of codes, which counts in a configuration only");
                    unused.push(fact(*comment, reason, format!("Name each code that is meant, as in `ignore[{first}]`")));
                    continue;
                }
                let words = cards::all().iter().flat_map(|card| [card.meta.code.as_str(), card.meta.name.as_str()]);
                let shown: String = code.chars().take(40).collect();
                // Of comments that are wrong all over, enough is said.
                let meant = if unused.len() < MOST_CODES { did_you_mean(&code, words) } else { String::new() };
                unused.push(fact(
                    *comment,
                    format!("`{shown}` names no rule{}", meant.trim_end_matches('?')),
                    "Name a rule's code, as in `ignore[AF401]`".into(),
                ));
                continue;
            };
            let mut used = false;
            // Findings are in order of position.
            let first = findings.partition_point(|finding| finding.span.start < *reached.start());
            let here = findings[first..].iter().take_while(|finding| reached.contains(&finding.span.start));
            for (finding, silenced) in here.zip(&mut silenced[first..]) {
                if finding.code == card.meta.code {
                    *silenced = true;
                    used = true;
                }
            }
            if !used {
                unused.push(fact(*comment, format!("nothing here is reported as {}", card.meta.code), "Remove it".into()));
            }
        }
    }
    let mut silenced = silenced.into_iter();
    findings.retain(|_| !silenced.next().unwrap_or(false));
    unused
}

fn fact(span: Span, reason: String, advice: String) -> Fact {
    Fact {
        kind: FactKind::UnusedSuppression,
        span,
        reach: Reach::Always,
        proof: Proof::Proven,
        measure: None,
        words: BTreeMap::from([("reason", reason), ("advice", advice)]),
    }
}

enum Directive {
    /// Codes or names.
    Codes(Vec<String>),
    /// Why it means nothing, and what to do.
    Wrong(String, String),
}

/// What a comment says; none where it does not speak to us. It may do so behind other directives, as in `# noqa  # antifreeze: …`.
fn directive(comment: &str) -> Option<Directive> {
    const RIGHT: &str = "Write `# antifreeze: ignore[AF401] reason`";
    let wrong = |reason: &str, advice: &str| Some(Directive::Wrong(reason.to_owned(), advice.to_owned()));
    let lower = comment.to_ascii_lowercase();
    let at = lower.match_indices(MARK).map(|(at, _)| at).find(|at| {
        // Prose may mention us; behind a `#` it is meant for us whatever it says.
        let begins = lower[..*at].trim_end().ends_with('#');
        let (before, after) = (lower[..*at].chars().next_back(), lower[at + MARK.len()..].trim_start());
        begins
            || before.is_some_and(char::is_whitespace)
                && after.strip_prefix("ignore").is_some_and(|rest| rest.trim_start().starts_with('['))
    })?;
    let said = comment[at + MARK.len()..].trim_start();
    let Some(rest) = said.get(..6).filter(|word| word.eq_ignore_ascii_case("ignore")).map(|word| &said[word.len()..]) else {
        return wrong("it does not say `ignore[…]`", RIGHT);
    };
    // What comes after another `#` is another comment's.
    let rest = rest.split('#').next().unwrap_or(rest).trim_start();
    let Some(codes) = rest.strip_prefix('[') else {
        let names = rest.trim_start_matches(|c: char| !c.is_alphanumeric()).get(..2).is_some_and(|word| word.eq_ignore_ascii_case("AF"));
        return match rest.chars().next() {
            _ if names => wrong("codes stand in square brackets", RIGHT),
            Some(char) if char.is_alphanumeric() => wrong("it does not say `ignore[…]`", RIGHT),
            _ => wrong("it names no code, and would silence everything", "Name the codes: `# antifreeze: ignore[AF401] reason`"),
        };
    };
    let Some((codes, _)) = codes.split_once(']') else {
        return wrong("its bracket is not closed", RIGHT);
    };
    let codes: Vec<String> = codes.split(',').map(str::trim).filter(|code| !code.is_empty()).take(MOST_CODES).map(str::to_owned).collect();
    if codes.is_empty() {
        return wrong("it names no code, and would silence everything", "Name the codes: `# antifreeze: ignore[AF401] reason`");
    }
    Some(Directive::Codes(codes))
}

/// The offsets at which findings begin that a comment is about: its line, or, alone on its line, the next one that is no comment.
fn reached(text: &str, comment: Span) -> RangeInclusive<u32> {
    let at = comment.start as usize;
    let line_start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    if !text[line_start..at].trim().is_empty() {
        return line_start as u32..=line_end as u32;
    }
    let mut start = (line_end + 1).min(text.len());
    for _ in 0..MOST_LINES {
        let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        if end < text.len() && text[start..end].trim_start().starts_with('#') {
            start = end + 1;
        } else {
            return start as u32..=end as u32;
        }
    }
    start as u32..=start as u32
}
