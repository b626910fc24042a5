//! What agents print to a console: the boxes in which smolagents shows the code it runs.

use super::Observed;
use super::observed;

/// Code in a box.
#[derive(Debug, PartialEq, Eq)]
pub struct Boxed {
    /// The code.
    pub code: String,
    /// Where it begins.
    pub start: usize,
    /// How it ended.
    pub ended: Option<Observed>,
}

const TITLE: &str = "\u{2500} Executing parsed code: \u{2500}\u{2500}";

/// The code in the boxes of a text.
pub fn boxes(text: &str) -> Vec<Boxed> {
    let mut found: Vec<Boxed> = Vec::new();
    if !text.contains(TITLE) {
        return found;
    }
    let mut at = 0;
    // Where the box that is open began, or where the last one ended.
    let (mut open, mut closed) = (None, None);
    for line in text.split_inclusive('\n').chain(["\u{2500}"]) {
        let start = at;
        at += line.len();
        let is_rule = line.trim_start().starts_with('\u{2500}');
        match open {
            None if line.contains(TITLE) => open = Some(at.min(text.len())),
            Some(from) if is_rule => {
                found.push(Boxed { code: unboxed(&text[from..start.min(text.len())]), start: from, ended: None });
                (open, closed) = (None, Some(at.min(text.len())));
                continue;
            }
            _ => {}
        }
        if let (Some(from), true, Some(last)) = (closed, is_rule || line.starts_with("[Step "), found.last_mut()) {
            last.ended = ended(&text[from..start.min(text.len())]);
            closed = None;
        }
    }
    found
}

/// Lines without the margin and the blanks that fill them up.
fn unboxed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(|line| line.strip_prefix("  ").unwrap_or(line).trim_end()).collect();
    lines.join("\n") + "\n"
}

fn ended(said: &str) -> Option<Observed> {
    if said.contains("Code execution failed") || said.contains("Error in code parsing") {
        return Some(match observed::of_error(said) {
            Observed::Finished => Observed::Raised,
            ended => ended,
        });
    }
    said.lines().any(|line| line.starts_with("Out:") || line.starts_with("Out - Final answer:")).then_some(Observed::Finished)
}

#[cfg(test)]
mod tests {
    use super::boxes;
    use crate::scan::Observed;

    #[test]
    fn boxes_of_smolagents() {
        let text = "x = 1\n \u{2500} Executing parsed code: \u{2500}\u{2500}\u{2500}\n  if x:   \n      print(x) \n \u{2500}\u{2500}\u{2500}\nOut: None\n[Step 1: \
                    Duration 1 seconds]\n \u{2500} Executing parsed code: \u{2500}\u{2500}\n  y\n \u{2500}\u{2500}\nCode execution failed at \
                    line 'y'\n[Step 2]\n \u{2500} Executing parsed code: \u{2500}\u{2500}\n  cut";
        let found: Vec<_> = boxes(text).into_iter().map(|one| (one.code, one.ended)).collect();
        let expected = [("if x:\n    print(x)\n", Some(Observed::Finished)), ("y\n", Some(Observed::Raised)), ("cut\n", None)];
        assert_eq!(found, expected.map(|(code, ended)| (code.to_owned(), ended)));
    }
}
