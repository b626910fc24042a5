//! Python in shell commands: `python3 -c "…"`, here-documents, what is written to `.py` files.
//!
//! Patches are found in them too. A lexer for the quoting of POSIX shells and Bash. Nothing is expanded: `$name` stays as it is.

use super::patch;

/// A command: its words, and what it is given on standard input.
#[derive(Debug, Default)]
struct Command {
    words: Vec<String>,
    /// The targets of `>` and `>>`.
    written: Vec<String>,
    /// The text of `<<`, `<<-` or `<<<`.
    input: Option<String>,
    /// Whether its output goes to the next command.
    piped: bool,
}

/// Python found in a shell command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The program.
    pub code: String,
    /// The file it is written to, where it is not run at once.
    pub file: Option<String>,
}

/// Shells within shells are followed so deep.
const DEPTH: usize = 4;

/// The Python in a shell command, and the Python files it runs.
pub fn python_in(command: &str) -> (Vec<Piece>, Vec<String>) {
    let (mut found, mut run) = (Vec::new(), Vec::new());
    look(command, 0, &mut found, &mut run);
    (found, run)
}

/// The words of a command as a shell takes them.
pub fn words(command: &str) -> Vec<String> {
    Lexer::new(command).commands().swap_remove(0).words
}

fn look(command: &str, depth: usize, found: &mut Vec<Piece>, run: &mut Vec<String>) {
    if depth > DEPTH || !(command.contains("py") || command.contains("uv ")) {
        return;
    }
    let mut before: Option<String> = None;
    for command in Lexer::new(command).commands() {
        let fed = before.take();
        if command.words.first().is_some_and(|word| matches!(base(word), "apply_patch" | "applypatch")) {
            let text = command.input.as_ref().or(command.words.get(1)).or(fed.as_ref());
            let added = text.map(|text| patch::read(text).added).unwrap_or_default();
            found.extend(added.into_iter().map(|(file, code)| Piece { code, file: Some(file) }));
        } else if let Some(at) = command.words.iter().position(|word| is_python(base(word))) {
            python(&command, at, fed, found, run);
        } else if let Some(at) = command.words.iter().position(|word| ["bash", "sh", "zsh", "dash"].contains(&base(word))) {
            let flags = command.words[at + 1..].iter();
            let script = flags.clone().position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'));
            let script = script.and_then(|flag| command.words.get(at + flag + 2)).cloned();
            if let Some(script) = script.or(command.input.clone()) {
                look(&script, depth + 1, found, run);
            }
        } else {
            // `cat > a.py <<EOF`, `tee a.py <<EOF`, `echo … > a.py`.
            let tee = command.words.iter().position(|word| base(word) == "tee").map(|at| command.words[at + 1..].to_vec());
            let files = command.written.iter().cloned().chain(tee.into_iter().flatten());
            let echoed = said(&command);
            let text = command.input.clone().or_else(|| echoed.clone()).or(fed);
            if let (Some(file), Some(code)) = (files.into_iter().find(|file| is_python_file(file)), text) {
                found.push(Piece { code, file: Some(file) });
            }
            if command.piped {
                before = echoed.or_else(|| (base(command.words.first()?) == "cat").then(|| command.input.clone())?);
            }
        }
        for inner in command.words.iter().flat_map(|word| substitutions(word)) {
            look(&inner, depth + 1, found, run);
        }
    }
}

/// What `python` is given to run.
fn python(command: &Command, at: usize, fed: Option<String>, found: &mut Vec<Piece>, run: &mut Vec<String>) {
    let mut words = command.words[at + 1..].iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-m" => return,
            "-W" | "-X" => {
                words.next();
            }
            "-" => break,
            flag if flag.starts_with('-') && !flag.starts_with("--") => {
                // `-c`, also behind others: `-uc`.
                let Some(c) = flag.find('c') else { continue };
                let code = if c + 1 < flag.len() { Some(flag[c + 1..].to_owned()) } else { words.next().cloned() };
                found.extend(code.map(|code| Piece { code, file: None }));
                return;
            }
            flag if flag.starts_with("--") => {}
            script => {
                if is_python_file(script) {
                    run.push(script.to_owned());
                }
                return;
            }
        }
    }
    found.extend(command.input.clone().or(fed).map(|code| Piece { code, file: None }));
}

/// What `echo` or `printf` writes, where that is plain.
fn said(command: &Command) -> Option<String> {
    let name = base(command.words.first()?);
    let words: Vec<&str> = command.words[1..].iter().map(String::as_str).collect();
    match (name, words.as_slice()) {
        ("echo", ["-e", rest @ ..]) => Some(rest.join(" ").replace("\\n", "\n").replace("\\t", "\t")),
        ("echo", ["-n", rest @ ..] | rest) if !rest.is_empty() => Some(rest.join(" ")),
        ("printf", ["%s" | "%s\\n", text] | [text]) => Some(text.replace("\\n", "\n").replace("\\t", "\t")),
        _ => None,
    }
}

/// Whether a name is one of Python's interpreters.
fn is_python(name: &str) -> bool {
    ["python", "pypy", "ipython"]
        .iter()
        .any(|known| name.strip_prefix(known).is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.')))
}

/// Whether a path is that of a Python program.
pub fn is_python_file(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ending.eq_ignore_ascii_case("py") || ending.eq_ignore_ascii_case("pyw")
}

fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The commands of `$(…)` in a word.
fn substitutions(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = word;
    while let Some(at) = rest.find("$(") {
        rest = &rest[at + 2..];
        let end = Lexer::new(rest).closing();
        found.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    found
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Here-documents whose text has not come yet: of which command, the word that ends them, `<<-`, quoted.
    awaited: Vec<(usize, String, bool, bool)>,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Lexer<'a> {
        Lexer { text, at: 0, awaited: Vec::new() }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn starts(&self, with: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(with.as_bytes())
    }

    fn commands(mut self) -> Vec<Command> {
        let mut all = vec![Command::default()];
        while let Some(byte) = self.peek() {
            let last = all.len() - 1;
            match byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.starts("\\\n") => self.at += 2,
                b'#' => self.at += memchr::memchr(b'\n', &self.text.as_bytes()[self.at..]).unwrap_or(self.text.len() - self.at),
                b'\n' => {
                    self.at += 1;
                    for (command, end, tabs, quoted) in std::mem::take(&mut self.awaited) {
                        let text = self.here_document(&end, tabs, quoted);
                        all[command].input = Some(text);
                    }
                    all.push(Command::default());
                }
                b'|' => {
                    self.at += 1;
                    let is_or = self.peek() == Some(b'|');
                    self.at += usize::from(is_or || self.peek() == Some(b'&'));
                    all[last].piped = !is_or;
                    all.push(Command::default());
                }
                b';' | b'(' | b')' => {
                    self.at += 1;
                    all.push(Command::default());
                }
                b'&' if !self.starts("&>") => {
                    self.at += 1;
                    all.push(Command::default());
                }
                b'<' | b'>' | b'&' => self.redirect(&mut all[last], last),
                _ => {
                    let start = self.at;
                    let (word, _) = self.word();
                    // A number before a redirection is a descriptor.
                    let is_descriptor = matches!(self.peek(), Some(b'<' | b'>')) && word.bytes().all(|b| b.is_ascii_digit());
                    if !is_descriptor {
                        all[last].words.push(word);
                    }
                    if self.at == start {
                        self.at += 1;
                    }
                }
            }
        }
        all
    }

    fn redirect(&mut self, command: &mut Command, number: usize) {
        let operator = ["<<<", "<<-", "<<", "&>>", "&>", ">>", ">&", "<&", ">|", "<>", "<", ">"].into_iter().find(|op| self.starts(op));
        let operator = operator.unwrap_or("<");
        self.at += operator.len().min(self.text.len() - self.at);
        // A process substitution is a command like others.
        if operator.len() == 1 && self.peek() == Some(b'(') {
            return;
        }
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
        let (word, quoted) = self.word();
        match operator {
            "<<<" => command.input = Some(word),
            "<<" | "<<-" => self.awaited.push((number, word, operator == "<<-", quoted)),
            ">" | ">>" | "&>" | "&>>" | ">|" => command.written.push(word),
            _ => {}
        }
    }

    /// The lines up to the one that ends the here-document, or to the end of the text.
    fn here_document(&mut self, end: &str, tabs: bool, quoted: bool) -> String {
        let mut out = String::new();
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
            let line = &rest[..length];
            self.at += length;
            let line = if tabs { line.trim_start_matches('\t') } else { line };
            if line.trim_end_matches(['\n', '\r']) == end {
                break;
            }
            out.push_str(line);
        }
        if quoted {
            return out;
        }
        let mut plain = String::with_capacity(out.len());
        let mut chars = out.chars().peekable();
        while let Some(char) = chars.next() {
            match (char, chars.peek()) {
                ('\\', Some('\n')) => {
                    chars.next();
                }
                ('\\', Some(next @ ('$' | '`' | '\\'))) => {
                    plain.push(*next);
                    chars.next();
                }
                _ => plain.push(char),
            }
        }
        plain
    }

    /// A word without its quotes, and whether it had some.
    fn word(&mut self) -> (String, bool) {
        let mut out = String::new();
        let mut quoted = false;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
                b'\\' => {
                    quoted = true;
                    self.at += 1;
                    if let Some(char) = self.text[self.at..].chars().next() {
                        self.at += char.len_utf8();
                        if char != '\n' {
                            out.push(char);
                        }
                    }
                }
                b'\'' => {
                    quoted = true;
                    let inner = &self.text[self.at + 1..];
                    let end = inner.find('\'').unwrap_or(inner.len());
                    out.push_str(&inner[..end]);
                    self.at += 1 + (end + 1).min(inner.len());
                }
                b'"' => {
                    quoted = true;
                    self.at += 1;
                    self.double_quoted(&mut out);
                }
                b'$' if self.starts("$'") => {
                    quoted = true;
                    self.at += 2;
                    self.ansi_quoted(&mut out);
                }
                b'$' if self.starts("$(") => self.substitution(&mut out),
                _ => {
                    let Some(char) = self.text[self.at..].chars().next() else { break };
                    out.push(char);
                    self.at += char.len_utf8();
                }
            }
        }
        (out, quoted)
    }

    fn substitution(&mut self, out: &mut String) {
        let inner = Lexer::new(&self.text[self.at + 2..]).closing();
        let end = (self.at + 2 + inner + 1).min(self.text.len());
        out.push_str(&self.text[self.at..end]);
        self.at = end;
    }

    /// Where the parenthesis closes that was opened before the text.
    fn closing(mut self) -> usize {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b')' if depth == 0 => return self.at,
                b')' => depth -= 1,
                b'(' => depth += 1,
                b'\'' | b'"' | b'\\' => {
                    let start = self.at;
                    self.word();
                    self.at = self.at.max(start + 1);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.text.len()
    }

    fn double_quoted(&mut self, out: &mut String) {
        while let Some(char) = self.text[self.at..].chars().next() {
            match char {
                '"' => {
                    self.at += 1;
                    return;
                }
                '\\' => {
                    let next = self.text[self.at + 1..].chars().next();
                    self.at += 1 + next.map_or(0, char::len_utf8);
                    match next {
                        Some('\n') => {}
                        Some(next @ ('"' | '\\' | '$' | '`')) => out.push(next),
                        next => {
                            out.push('\\');
                            out.extend(next);
                        }
                    }
                }
                '$' if self.starts("$(") => self.substitution(out),
                _ => {
                    out.push(char);
                    self.at += char.len_utf8();
                }
            }
        }
    }

    /// `$'…'`, with the escapes of C.
    fn ansi_quoted(&mut self, out: &mut String) {
        let mut chars = self.text[self.at..].char_indices();
        while let Some((at, char)) = chars.next() {
            match char {
                '\'' => {
                    self.at += at + 1;
                    return;
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 't')) => out.push('\t'),
                    Some((_, 'r')) => out.push('\r'),
                    Some((_, other @ ('\\' | '\'' | '"' | '?'))) => out.push(other),
                    Some((_, other)) => out.extend(['\\', other]),
                    None => out.push('\\'),
                },
                _ => out.push(char),
            }
        }
        self.at = self.text.len();
    }
}

#[cfg(test)]
mod tests {
    use super::python_in;

    fn run(command: &str) -> Vec<String> {
        python_in(command).0.into_iter().filter(|piece| piece.file.is_none()).map(|piece| piece.code).collect()
    }

    #[test]
    fn programs_on_the_command_line() {
        assert_eq!(run("python3 -c 'print(2**10)'"), ["print(2**10)"]);
        assert_eq!(
            run(r#"cd /x && timeout 5 /usr/bin/python3.12 -uc "print(\"a\", '$x', \$y, \n)" | head"#),
            ["print(\"a\", '$x', $y, \\n)"]
        );
        assert_eq!(run("FOO=1 uv run python -W ignore -c \"a\"'b'c"), ["abc"]);
        assert_eq!(run("bash -lc \"python -c 'print(1)'; ls\""), ["print(1)"]);
        assert_eq!(run("x=$(python3 -c 'print(1)')"), ["print(1)"]);
        assert_eq!(run("python3 -c $'print(1)\\nprint(2)'"), ["print(1)\nprint(2)"]);
        assert_eq!(run("echo 'print(1)' | python3 -"), ["print(1)"]);
        assert_eq!(run("python <<< 'print(1)'"), ["print(1)"]);
        assert_eq!(run("python -m pytest -c x; python a.py -c 'no'; grep -c python x"), Vec::<String>::new());
    }

    #[test]
    fn here_documents() {
        assert_eq!(run("python3 - <<'EOF' 2>&1 | tail\nx = '$a'\nprint(x)\nEOF\nls"), ["x = '$a'\nprint(x)\n"]);
        assert_eq!(run("python3 <<-X\n\tprint(\"\\$a\")\n\tX\n"), ["print(\"$a\")\n"]);
        assert_eq!(run("python3 <<EOF\nprint(1)"), ["print(1)"]);
    }

    #[test]
    fn files_that_are_written_and_run() {
        let (found, run) = python_in("cat > a/b.py <<'E'\nprint(1)\nE\npython3 a/b.py");
        assert_eq!(found[0].file.as_deref(), Some("a/b.py"));
        assert_eq!(found[0].code, "print(1)\n");
        assert_eq!(run, ["a/b.py"]);
        assert_eq!(python_in("cat <<E > x.txt\npython\nE").0, []);
        assert_eq!(python_in("apply_patch <<'E'\n*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch\nE").0[0].code, "x\n");
        assert_eq!(python_in("cat <<E | tee x.py\nprint(1)\nE").0.len(), 1);
    }

    #[test]
    fn nothing_that_is_cut_short_panics() {
        let whole = "bash -c \"cat <<'É' > \\\"é.py\\\"\nprint($'\\'é')\nÉ\npython -c $(echo \\\"é\\\") <<<é\" && python3 -c 'é' >(py";
        for at in (0..whole.len()).filter(|at| whole.is_char_boundary(*at)) {
            python_in(&whole[..at]);
            python_in(&whole[at..]);
        }
    }
}
