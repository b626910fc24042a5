//! Code in prose: fences of Markdown, and the tags that agents are told to write.

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block<'t> {
    /// What it holds.
    pub kind: Kind,
    /// Its text.
    pub code: &'t str,
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

fn tagged(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = memchr::memchr(b'<', &text.as_bytes()[from..]).map(|at| from + at) {
        from = at + 1;
        let rest = &text[at..];
        let Some((open, close, kind, _)) = TAGS.into_iter().find(|(open, _, _, at_end)| {
            let after = rest.strip_prefix(open).map(|after| after.trim_start_matches([' ', '\t', '\r']));
            after.is_some_and(|after| !at_end || after.starts_with('\n'))
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
            found.push(Block { kind, code, start });
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
            "python" | "python3" | "py" | "py3" | "ipython" | "ipython3" | "python_code" => return Some(Kind::Python),
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
    // The mark, how often, the language, where its text begins, whether a quotation.
    let mut open: Option<(u8, usize, Option<Kind>, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        let mark = trimmed.bytes().next().filter(|byte| matches!(byte, b'`' | b'~'));
        let length = mark.map_or(0, |mark| trimmed.bytes().take_while(|byte| *byte == mark).count());
        let info = trimmed[length..].trim();
        // Python underlines with tildes in its tracebacks.
        let indented = line.len() - line.trim_start_matches(' ').len() > 3;
        let names = info.is_empty() || info.starts_with(|c: char| c.is_alphanumeric() || c == '{' || c == '.');
        let is_fence = length >= 3 && if mark == Some(b'`') { !info.contains('`') } else { names && !indented };
        match open {
            None if is_fence => open = Some((mark.unwrap_or(b'`'), length, language(info), at)),
            None => {
                // `The code: ```python` is written too.
                if let Some(inline) = trimmed.find("```python").or_else(|| trimmed.find("```py"))
                    && !trimmed[inline + 3..].contains('`')
                    && let Some(kind) = language(&trimmed[inline + 3..])
                {
                    open = Some((b'`', 3, Some(kind), at));
                }
            }
            Some((kept, count, kind, from)) => {
                if is_fence && mark == Some(kept) && length >= count && info.is_empty() {
                    found.extend(kind.map(|kind| Block { kind, code: &text[from..start], start: from }));
                    open = None;
                }
            }
        }
    }
    if let Some((_, _, Some(kind), from)) = open {
        found.push(Block { kind, code: &text[from..], start: from });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Kind, blocks};

    fn found(text: &str) -> Vec<(Kind, &str)> {
        let blocks = blocks(text);
        assert!(blocks.iter().all(|block| text[block.start..].starts_with(block.code)));
        blocks.into_iter().map(|block| (block.kind, block.code)).collect()
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
        assert_eq!(found("<execute>\nx\n"), [(Kind::Python, "x\n")]);
        assert_eq!(found("<execute>\n```python\nx\n```\n</execute>"), [(Kind::Python, "x\n")]);
        assert_eq!(found("<execute_bash>\nls\n</execute_bash>"), [(Kind::Shell, "ls\n")]);
    }
}
