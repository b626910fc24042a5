//! Blocks that parse only without what surrounds them: indentation, Markdown code fences.

use std::sync::Arc;

use crate::source::Pieces;

/// A version of a text with some of it left out, and the way back.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub text: Arc<str>,
    pub pieces: Pieces,
}

/// The versions worth trying, in order of preference; none equals the text itself.
pub(super) fn candidates(text: &str) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let whole: Vec<Line> = lines(text);
    let bodies = [unfenced(&whole), Some(whole)];
    for body in bodies.into_iter().flatten() {
        for stripped in
            [body.clone(), without_common_indentation(&body), without_first_indentation(&body), without_indentation_of_first(&body)]
        {
            let candidate = build(&stripped);
            let known = &*candidate.text == text || found.iter().any(|other| other.text == candidate.text);
            if !known {
                found.push(candidate);
            }
        }
    }
    found
}

/// A line without its removed prefix, and where it stands in the text.
#[derive(Debug, Clone, Copy)]
struct Line<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Line<'t> {
    fn indentation(self) -> &'t str {
        let trimmed = self.text.trim_start_matches([' ', '\t']);
        &self.text[..self.text.len() - trimmed.len()]
    }

    fn is_blank(self) -> bool {
        self.text.trim().is_empty()
    }

    fn without(self, bytes: usize) -> Line<'t> {
        Line { text: &self.text[bytes..], at: self.at + bytes }
    }

    /// The fence's characters when the line is one: three or more backquotes or tildes.
    fn fence(self) -> Option<&'t str> {
        let trimmed = self.text.trim();
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = trimmed.chars().take_while(|c| *c == mark).count();
        // A backquote after the language tag makes the line inline code.
        (length >= 3 && !trimmed[length..].contains(mark)).then(|| &trimmed[..length])
    }
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut at = 0;
    text.split_inclusive('\n')
        .map(|line| {
            at += line.len();
            Line { text: line, at: at - line.len() }
        })
        .collect()
}

/// What lies within code fences, where the first line that is not blank opens one or the last one closes one.
fn unfenced<'t>(lines: &[Line<'t>]) -> Option<Vec<Line<'t>>> {
    let first = lines.iter().position(|line| !line.is_blank())?;
    let last = lines.iter().rposition(|line| !line.is_blank())?;
    let opening = lines[first].fence();
    if opening.is_none() && lines[last].fence().is_none() {
        return None;
    }
    let mut body = Vec::new();
    let mut open = opening.is_none().then_some("`");
    for line in &lines[first..] {
        match (line.fence(), open) {
            (Some(fence), Some(mark)) if line.text.trim() == fence && fence.starts_with(mark) => open = None,
            (Some(fence), None) => open = Some(fence),
            (_, Some(_)) => body.push(*line),
            // Prose between two blocks is no code.
            (None, None) => {}
        }
    }
    Some(body)
}

fn without_common_indentation<'t>(lines: &[Line<'t>]) -> Vec<Line<'t>> {
    let mut common: Option<&str> = None;
    for line in lines.iter().filter(|line| !line.is_blank()) {
        let indentation = line.indentation();
        common = Some(match common {
            None => indentation,
            Some(known) => {
                let same = known.bytes().zip(indentation.bytes()).take_while(|(a, b)| a == b).count();
                &known[..same]
            }
        });
    }
    strip(lines, common.unwrap_or_default())
}

/// The first line's indentation taken from every line that has it.
fn without_indentation_of_first<'t>(lines: &[Line<'t>]) -> Vec<Line<'t>> {
    let first = lines.iter().find(|line| !line.is_blank()).map_or("", |line| line.indentation());
    strip(lines, first)
}

/// The first line's indentation taken from that line alone.
fn without_first_indentation<'t>(lines: &[Line<'t>]) -> Vec<Line<'t>> {
    let mut lines = lines.to_vec();
    if let Some(line) = lines.iter_mut().find(|line| !line.is_blank()) {
        *line = line.without(line.indentation().len());
    }
    lines
}

fn strip<'t>(lines: &[Line<'t>], indentation: &str) -> Vec<Line<'t>> {
    let strip = |line: &Line<'t>| if line.text.starts_with(indentation) { line.without(indentation.len()) } else { *line };
    lines.iter().map(strip).collect()
}

fn build(lines: &[Line]) -> Candidate {
    let mut text = String::with_capacity(lines.iter().map(|line| line.text.len()).sum());
    let mut pieces = Pieces::default();
    for line in lines {
        pieces.add(text.len() as u32, line.at as u32, 1, 1);
        text.push_str(line.text);
    }
    Candidate { text: text.into(), pieces }
}
