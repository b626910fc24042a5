//! The code mode of Codex: JavaScript that calls tools. What it gives to a shell and to `apply_patch` is looked at; it is no Python.

use crate::scan::extract::Extractor;
use crate::scan::path::At;

/// A string literal of JavaScript.
struct Literal {
    /// Where it begins, behind its quote.
    start: usize,
    /// Where it ends, behind its quote.
    end: usize,
    /// Its value.
    value: String,
}

/// Looks at the calls of a script.
pub(super) fn extract(out: &mut Extractor, at: &At, script: &str, id: Option<&str>) {
    let literals = literals(script);
    let patches = script.contains("tools.apply_patch(");
    for literal in literals.iter().filter(|literal| patches && literal.value.trim_start().starts_with("*** Begin Patch")) {
        out.patch(at, literal.value.trim_start(), id);
    }
    for name in ["tools.exec_command(", "tools.shell_command(", "tools.shell("] {
        for (from, _) in script.match_indices(name) {
            let end = closing(script, from + name.len(), &literals);
            let inside: Vec<&Literal> = literals.iter().filter(|literal| (from..end).contains(&literal.start)).collect();
            let Some(first) = inside.iter().find(|literal| is_command(script, literal)) else { continue };
            let words: Vec<String> = inside
                .iter()
                .skip_while(|literal| literal.start != first.start)
                .scan(first.start, |behind, literal| {
                    let between = script.get(*behind..literal.start).unwrap_or_default();
                    let goes_on =
                        literal.start == first.start || between.chars().all(|char| char == ',' || is_quote(char) || char.is_whitespace());
                    *behind = literal.end;
                    goes_on.then(|| literal.value.clone())
                })
                .collect();
            out.tool(Some("exec"));
            match words.as_slice() {
                [command] => out.shell_at(at, command, first.start, id),
                words => out.words(at, words, id),
            }
            out.tool(None);
        }
    }
}

fn is_quote(char: char) -> bool {
    matches!(char, '"' | '\'' | '`')
}

/// Whether a literal is the value of `cmd:` or `command:`, or the first in a list that is.
fn is_command(script: &str, literal: &Literal) -> bool {
    let before = script[..literal.start - 1].trim_end().trim_end_matches('[').trim_end();
    let key = before.strip_suffix(':').map_or("", |before| before.trim_end().trim_end_matches(is_quote));
    let key = key.rsplit(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    matches!(key, "cmd" | "command")
}

/// Where the parenthesis closes that was opened before `from`.
fn closing(script: &str, from: usize, literals: &[Literal]) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in script.bytes().enumerate().skip(from) {
        if literals.iter().any(|literal| (literal.start..literal.end).contains(&at)) {
            continue;
        }
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return at,
            b')' => depth -= 1,
            _ => {}
        }
    }
    script.len()
}

/// The string literals of a script, those with `${…}` in them left out.
fn literals(script: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = script[from..].find(|char| is_quote(char) || char == '/').map(|at| from + at) {
        let rest = &script[at..];
        if rest.starts_with("//") {
            from = at + rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            from = at + rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if rest.starts_with('/') {
            from = at + 1;
        } else {
            let raw = script[..at].ends_with("String.raw");
            let (value, length) = value(rest, raw);
            from = at + length;
            found.extend(value.map(|value| Literal { start: at + 1, end: from, value }));
        }
    }
    found
}

/// The value of the literal that a text begins with, and how long it is.
fn value(text: &str, raw: bool) -> (Option<String>, usize) {
    let mut chars = text.char_indices();
    let quote = chars.next().map(|(_, char)| char);
    let mut value = String::new();
    let mut plain = true;
    while let Some((at, char)) = chars.next() {
        match char {
            _ if Some(char) == quote => return (plain.then_some(value), at + 1),
            '$' if quote == Some('`') && text[at..].starts_with("${") => plain = false,
            '\\' if raw => value.push('\\'),
            '\\' => match chars.next().map(|(_, char)| char) {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('r') => value.push('\r'),
                Some('\n') | None => {}
                Some(code @ ('x' | 'u')) => {
                    let digits: String = chars.by_ref().take(if code == 'x' { 2 } else { 4 }).map(|(_, char)| char).collect();
                    value.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
                }
                Some(other) => value.push(other),
            },
            _ => value.push(char),
        }
    }
    (None, text.len())
}

#[cfg(test)]
mod tests {
    use super::literals;

    fn values(script: &str) -> Vec<String> {
        literals(script).into_iter().map(|literal| literal.value).collect()
    }

    #[test]
    fn literals_of_javascript() {
        assert_eq!(values(r#"f({a: "x\"\n", 'b': 'it\'s'}) // "no" "#), ["x\"\n", "b", "it's"]);
        assert_eq!(values("`a\nb` + `${c} d` + String.raw`\\n`"), ["a\nb", "\\n"]);
        assert_eq!(values("\"é \\u0041 \\x42\" /* 'no' */ 'cut"), ["é A B"]);
    }
}
