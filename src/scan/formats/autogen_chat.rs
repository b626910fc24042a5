//! Chats that AutoGen prints: `NAME (to NAME):`, what is said, a rule.

use crate::scan::extract::{Event, Extractor};
use crate::scan::observed;
use crate::scan::path::At;

/// Whether a text is a chat, and not one that is shown among other things in Markdown.
pub fn is_chat(text: &str) -> bool {
    let rule = ["\n----------", "\n-----\n", ">>>>>>>> ", "***** Suggested "].iter().any(|mark| text.contains(mark));
    let before = text.lines().take_while(|line| !line.starts_with("```"));
    rule && before.into_iter().any(|line| speaker(line).is_some())
}

/// Who speaks from here on.
fn speaker(line: &str) -> Option<&str> {
    let (name, rest) = line.trim_end().split_once(" (to ")?;
    let named = !name.is_empty() && name.len() < 80 && !name.contains(['"', '\'', '(', '#']);
    (named && rest.ends_with("):")).then_some(name)
}

/// Looks at what is said. Who speaks first asks; what it runs it answers with.
pub fn extract(out: &mut Extractor, at: &At, text: &str) {
    let mut messages: Vec<(&str, usize, usize)> = Vec::new();
    let mut from = 0;
    for line in text.split_inclusive('\n') {
        from += line.len();
        if let Some(name) = speaker(line) {
            messages.push((name, from, text.len()));
        } else if let Some((_, _, end)) = messages.last_mut().filter(|(_, _, end)| *end == text.len() && ends(line)) {
            *end = from - line.len();
        }
    }
    for index in 1..messages.len() {
        let next = messages[index].1;
        messages[index - 1].2 = messages[index - 1].2.min(next);
    }
    let asks = messages.first().map_or("", |first| first.0);
    for (name, start, end) in messages {
        let said = &text[start..end];
        let answer = said.trim_start().strip_prefix("***** Response from calling ").and_then(|said| said.split_once("*****\n"));
        if let Some(ended) = answer.map(|(_, output)| observed::of_output(output)).or_else(|| observed::of_reply(said)) {
            out.events.push(Event::Reply(ended));
        } else if name != asks {
            out.events.push(Event::Turn);
            said_at(out, at, text, (start, end));
        }
    }
}

/// Whether a message ends with a line: a rule, or what is done with it.
fn ends(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(">>>>>>>> ") || line.len() >= 5 && line.bytes().all(|byte| byte == b'-')
}

/// Calls and code in a part of a text, their place that in the whole.
fn said_at(out: &mut Extractor, at: &At, text: &str, (start, end): (usize, usize)) {
    let from = out.events.len();
    out.spoken(at, &text[start..end]);
    let lines = text[..start].matches('\n').count() as u64;
    for event in &mut out.events[from..] {
        if let Event::Snippet(found) = event {
            found.start += u32::try_from(start).unwrap_or(0);
            found.line_in_text += lines;
        }
    }
}
