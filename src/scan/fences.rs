//! Code in prose: fences of Markdown, and the tags that agents are told to write.

use std::borrow::Cow;

use super::shell::is_python_file;

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Python.
    Python,
    /// Shell commands.
    Shell,
    /// What the block before it printed.
    Output,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'t> {
    /// What it holds.
    pub kind: Kind,
    /// Its text.
    pub code: Cow<'t, str>,
    /// Where it begins.
    pub start: usize,
}

/// Tags, with what they hold. `<code>` is also HTML, so it counts at the end of a line only.
const TAGS: [(&str, &str, Kind, bool); 6] = [
    ("<execute>", "</execute>", Kind::Python, false),
    ("<execute_ipython>", "</execute_ipython>", Kind::Python, false),
    ("<execute_python>", "</execute_python>", Kind::Python, false),
    ("<execute_bash>", "</execute_bash>", Kind::Shell, false),
    ("<code>", "</code>", Kind::Python, true),
    ("<python>", "</python>", Kind::Python, true),
];

/// The blocks of a text: those in tags, or where there are none those in fences.
pub fn blocks(text: &str) -> Vec<Block<'_>> {
    let tagged = tagged(text);
    if tagged.is_empty() { fenced(text) } else { tagged }
}

/// Whether a tag begins a line that ends with the tag that closes it.
fn is_line(text: &str, at: usize) -> bool {
    let line = text[at..].lines().next().unwrap_or_default().trim_end();
    let first = text[..at].rsplit('\n').next().unwrap_or_default().trim().is_empty();
    first && line.ends_with("</code>") && line.matches("</code>").count() == 1
}

fn tagged(text: &str) -> Vec<Block<'_>> {
    // In one line it is code where an agent speaks that writes such tags.
    let alone = text.contains("<code>") && (text.contains("Thought") || text.contains("<code>\n"));
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'<', &text.as_bytes()[from..]).map(|at| from + at) {
        from = at + 1;
        let rest = &text[at..];
        let Some((open, close, kind, _)) = TAGS.into_iter().find(|(open, _, _, at_end)| {
            let after = rest.strip_prefix(open).map(|after| after.trim_start_matches([' ', '\t', '\r']));
            after.is_some_and(|after| !at_end || after.starts_with('\n') || alone && open == &"<code>" && is_line(text, at))
        }) else {
            continue;
        };
        let start = at + open.len();
        // A model that is stopped at the closing tag does not write it.
        let end = text[start..].find(close).map_or(text.len(), |end| start + end);
        let (code, start) = without_blank_line(&text[start..end], start);
        // Within a tag there may be a fence all the same.
        let inner = if kind == Kind::Python { fenced(code) } else { Vec::new() };
        if inner.is_empty() {
            found.push(Block { kind, code: code.into(), start });
        }
        found.extend(inner.into_iter().map(|block| Block { start: start + block.start, ..block }));
        from = end;
    }
    found
}

fn without_blank_line(code: &str, start: usize) -> (&str, usize) {
    let blank = code.len() - code.trim_start_matches([' ', '\t', '\r']).len();
    match code[blank..].strip_prefix('\n') {
        Some(rest) => (rest, start + blank + 1),
        None => (code, start),
    }
}

/// The language of a fence's info string: `python`, `{.python .numberLines}`, `python title="x"`, `{code-cell} python`.
fn language(info: &str) -> Option<Kind> {
    let words = info.split(|c: char| c.is_whitespace() || "{}.,:=\"'()".contains(c)).filter(|word| !word.is_empty());
    for word in words {
        match word.to_ascii_lowercase().as_str() {
            "code-cell" | "code" | "tool" | "code-block" => {}
            "python" | "python3" | "py" | "py3" | "pycon" | "ipython" | "ipython3" | "python_code" => return Some(Kind::Python),
            "bash" | "sh" | "shell" | "zsh" | "console" | "mswea_bash_command" => return Some(Kind::Shell),
            "output" => return Some(Kind::Output),
            _ => return is_python_file(word).then_some(Kind::Python),
        }
    }
    None
}

fn fenced(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    if !text.contains("```") && !text.contains("~~~") {
        return found;
    }
    // The mark, how often, the language, where its text begins.
    let mut open: Option<(u8, usize, Option<Kind>, usize)> = None;
    let mut quotes = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let quoted = line.trim_start().starts_with('>') && (open.is_none() || quotes);
        let trimmed = if quoted { line.trim_start()[1..].trim() } else { line.trim() };
        let mark = trimmed.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'));
        let length = mark.map_or(0, |mark| trimmed.bytes().take_while(|byte| *byte == mark).count());
        let info = trimmed[length..].trim();
        // Python underlines with tildes in its tracebacks.
        let indented = line.len() - line.trim_start_matches(' ').len() > 3;
        let names = info.is_empty() || info.starts_with(|c: char| c.is_alphanumeric() || c == '{' || c == '.');
        let is_fence = length >= 3 && if mark == Some(b'`') { !info.contains('`') } else { names && !indented };
        match open {
            None if is_fence => {
                open = Some((mark.unwrap_or(b'`'), length, language(info), at));
                quotes = quoted;
            }
            None => {
                // `The code: ```python` is written too.
                if let Some(inline) = trimmed.find("```python").or_else(|| trimmed.find("```py"))
                    && !trimmed[inline + 3..].contains('`')
                    && let Some(kind) = language(&trimmed[inline + 3..])
                {
                    open = Some((b'`', 3, Some(kind), at));
                    quotes = false;
                }
            }
            // A quotation ends where its mark does.
            Some((_, _, kind, from)) if quotes && !quoted => {
                found.extend(kind.and_then(|kind| block(kind, &text[from..start], from, true)));
                open = None;
            }
            Some((kept, count, kind, from)) => {
                if is_fence && mark == Some(kept) && length >= count && info.is_empty() {
                    found.extend(kind.and_then(|kind| block(kind, &text[from..start], from, quotes)));
                    open = None;
                }
            }
        }
    }
    if let Some((_, _, Some(kind), from)) = open {
        found.extend(block(kind, &text[from..], from, quotes));
    }
    found
}

/// What a fence holds, without what marks it as a quotation and without prompts. Replacements of parts of files are no programs.
fn block(kind: Kind, text: &str, start: usize, quotes: bool) -> Option<Block<'_>> {
    let lines = |strip: &dyn Fn(&str) -> Option<String>| text.lines().filter_map(strip).collect::<String>();
    let unquoted = |line: &str| {
        let line = line.trim_start().strip_prefix('>')?;
        Some(format!("{}\n", line.strip_prefix(' ').unwrap_or(line)))
    };
    let code = if quotes { Cow::Owned(lines(&unquoted)) } else { Cow::Borrowed(text) };
    if kind != Kind::Output && code.lines().any(|line| line.starts_with("<<<<<<< SEARCH")) {
        return None;
    }
    let prompted = |line: &str| {
        let line = line.trim_start();
        let code = line.strip_prefix(">>>").or_else(|| line.strip_prefix("..."))?;
        Some(format!("{}\n", code.strip_prefix(' ').unwrap_or(code)))
    };
    let is_console = kind == Kind::Python && code.trim_start().starts_with(">>> ");
    let code = if is_console { code.lines().filter_map(prompted).collect::<String>().into() } else { code };
    Some(Block { kind, code, start })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{Block, Kind, blocks};

    fn found(text: &str) -> Vec<(Kind, &str)> {
        let inside = |block: Block<'static>| match block.code {
            Cow::Borrowed(code) => {
                assert!(text[block.start..].starts_with(code));
                (block.kind, code)
            }
            Cow::Owned(code) => (block.kind, &*code.leak()),
        };
        blocks(text.to_owned().leak()).into_iter().map(inside).collect()
    }

    #[test]
    fn quotations_prompts_and_replacements() {
        assert_eq!(found("> ```python\n> if x:\n>     y\n> ```\n```py\nz\n```"), [(Kind::Python, "if x:\n    y\n"), (Kind::Python, "z\n")]);
        assert_eq!(found("> ```py\n> cut\n\nprose"), [(Kind::Python, "cut\n")]);
        assert_eq!(found("```pycon\n>>> for x in y:\n...     x\n...\n1\n```"), [(Kind::Python, "for x in y:\n    x\n\n")]);
        assert_eq!(found("```python\na.py\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n```"), []);
        assert_eq!(found("```py\nx = \"\"\"\n> ```\n\"\"\"\n```"), [(Kind::Python, "x = \"\"\"\n> ```\n\"\"\"\n")]);
    }

    #[test]
    fn fences() {
        assert_eq!(
            found("a\n```python\nx\n```\nb\n```\nno\n```\n  ~~~~ {.py #id}\n  y\n```\n  ~~~~"),
            [(Kind::Python, "x\n"), (Kind::Python, "  y\n```\n")]
        );
        assert_eq!(found("```sh\nls\n```\n```output\n1\n```\n```json\n{}\n```"), [(Kind::Shell, "ls\n"), (Kind::Output, "1\n")]);
        assert_eq!(found("See: ```python\nx\n```"), [(Kind::Python, "x\n")]);
        assert_eq!(found("```python\nx"), [(Kind::Python, "x")]);
        assert_eq!(found("    ~~~~~^^^\n    ~~~~~\n```py\nx\n```"), [(Kind::Python, "x\n")]);
    }

    #[test]
    fn tags() {
        assert_eq!(found("<execute> print(1) </execute> ```python\nno\n```"), [(Kind::Python, " print(1) ")]);
        assert_eq!(found("<code>\nx\n</code> and <code>y</code>"), [(Kind::Python, "x\n")]);
        assert_eq!(found("Thought: a\n<code>y</code>\n<code>no</code> is HTML"), [(Kind::Python, "y")]);
        assert_eq!(found("A list:\n<code>y</code>\n"), []);
        assert_eq!(found("<execute>\nx\n"), [(Kind::Python, "x\n")]);
        assert_eq!(found("<execute>\n```python\nx\n```\n</execute>"), [(Kind::Python, "x\n")]);
        assert_eq!(found("<execute_bash>\nls\n</execute_bash>"), [(Kind::Shell, "ls\n")]);
    }
}
