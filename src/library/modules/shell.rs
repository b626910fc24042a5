//! Command lines as a shell runs them: at least how long they take.

use crate::library::{Args, Entry, Host, R};
use crate::value::object::{Tuple, V};

use super::support::outside_any;

/// Commands that never end by themselves: their words, of which the first may come with a path.
const ENDLESS: &[&[&str]] = &[
    &["sleep", "infinity"],
    &["sleep", "inf"],
    &["tail", "-f", "/dev/null"],
    &["tail", "-F", "/dev/null"],
    &["tail", "-f", "/etc/hostname"],
    &["tail", "-f", "/etc/hosts"],
    &["tail", "-f", "/etc/passwd"],
    &["cat", "/dev/zero"],
    &["cat", "/dev/urandom"],
    &["cat", "/dev/random"],
    &["od", "/dev/zero"],
    &["od", "/dev/urandom"],
];

/// Commands that write nothing before their input ends.
const SILENT: &[&str] =
    &["cat", "sort", "wc", "tac", "rev", "md5sum", "sha256sum", "bash", "sh", "python", "python3", "bc", "tee", "cut", "nl"];

/// Commands that read what is piped into them to its end, with any arguments.
const READING: &[&str] = &["cat", "sort", "wc", "tac", "rev", "md5sum", "sha256sum", "tee", "cut", "nl", "tr", "uniq"];

/// Commands that do nothing but run another.
const RUNNING: &[&str] = &["nice", "nohup"];

/// Words with which a shell script may end itself, or become another.
const LEAVING: &[&str] = &[".", "break", "eval", "exec", "exit", "kill", "killall", "pkill", "return", "set", "source", "trap"];

/// Words of the shell's own language where a command could stand: what comes after them may not run.
const RESERVED: &[&str] =
    &["!", "[[", "case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "select", "then", "until", "while"];

/// Commands that succeed.
const SUCCEEDING: &[&str] = &[":", "echo", "printf", "pwd", "sleep", "true"];

/// What is known of a command.
#[derive(Debug, Clone)]
pub struct Command {
    /// Its words, for messages.
    pub text: String,
    /// At least how many seconds it takes.
    pub seconds: f64,
    /// Whether it writes nothing before its input ends, and does not end before.
    pub is_silent: bool,
    /// At least how many bytes it writes to its output, where somebody reads them.
    pub writes: f64,
}

/// A word of a command line: none where the shell puts something else in its place.
type Word = Option<String>;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(Word),
    /// `;`, `&`, `&&`, `||`, `|`
    Operator(&'static str),
}

/// The entry for a name in `shlex`.
pub fn find(name: &str) -> Option<Entry> {
    match name {
        "split" => Some(Entry::Function(|host, args| {
            // Quotes mean the same to it as to a shell.
            let is_plain = |c: char| c.is_ascii_alphanumeric() || " '\"/.,:;_-+=|&<>()%".contains(c);
            let words = match args.pos.as_slice() {
                [V::Str(text)] if args.kw.is_empty() && text.chars().all(is_plain) => split(text),
                _ => None,
            };
            match words {
                Some(words) => Ok(crate::library::list(host, words.iter().map(|word| V::str(word)).collect())),
                None => outside_any(host, args),
            }
        })),
        _ => None,
    }
}

fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' => words.extend(word.take()),
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        end if end == c => break,
                        inside => word.push(inside),
                    }
                }
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

/// The command of a list of words.
pub fn of_words(host: &mut dyn Host, words: &[String]) -> R<Command> {
    let words: Vec<Word> = words.iter().cloned().map(Some).collect();
    let (seconds, writes) = simple(host, &words)?;
    Ok(named(&words, seconds, writes))
}

/// The command of a text for the shell.
pub fn of_text(host: &mut dyn Host, text: &str) -> R<Option<Command>> {
    let Some(tokens) = tokens(text) else { return Ok(None) };
    let seconds = sequence(host, &tokens)?.0;
    let words: Option<Vec<Word>> =
        tokens.iter().map(|token| if let Token::Word(word) = token { Some(word.clone()) } else { None }).collect();
    Ok(Some(match words {
        Some(words) => named(&words, seconds, simple(host, &words)?.1),
        None => Command { text: text.trim().to_owned(), seconds, is_silent: false, writes: 0.0 },
    }))
}

fn named(words: &[Word], seconds: f64, writes: f64) -> Command {
    let is_silent = matches!(words, [Some(only)] if SILENT.contains(&base(only)));
    let shown: Vec<&str> = words.iter().map(|word| word.as_deref().unwrap_or("…")).collect();
    Command { text: shown.join(" "), seconds, is_silent, writes }
}

/// A command without its path.
fn base(word: &str) -> &str {
    let word = word.strip_prefix("/usr").unwrap_or(word);
    word.strip_prefix("/bin/").unwrap_or(word)
}

/// Takes a text apart as a shell does; none where it is more than words, quotes and operators.
fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut out = Vec::new();
    let mut word: Option<String> = None;
    let mut is_known = true;
    let mut chars = text.chars().peekable();
    macro_rules! finish {
        () => {
            if let Some(word) = word.take() {
                out.push(Token::Word(is_known.then_some(word)));
            }
            is_known = true;
        };
    }
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' => {
                finish!();
            }
            ';' | '\n' => {
                finish!();
                out.push(Token::Operator(";"));
            }
            '&' | '|' => {
                finish!();
                let doubled = chars.next_if_eq(&c).is_some();
                out.push(Token::Operator(match (c, doubled) {
                    ('&', true) => "&&",
                    ('&', false) => "&",
                    ('|', true) => "||",
                    _ => "|",
                }));
            }
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => word.push(c),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '$' | '`' => is_known = false,
                        '\\' => return None,
                        c => word.push(c),
                    }
                }
            }
            '>' => {
                // Where the output goes makes no difference, where it can go there; errors may follow it.
                if word.as_deref().is_some_and(|fd| fd == "1" || fd == "2") {
                    word = None;
                }
                finish!();
                if chars.next_if_eq(&'&').is_some() {
                    chars.next_if(|c| matches!(c, '1' | '2'))?;
                    continue;
                }
                chars.next_if_eq(&'>');
                while chars.next_if_eq(&' ').is_some() {}
                let mut target = String::new();
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '_' | '-')) {
                    target.push(c);
                }
                if target.is_empty() || (target.contains('/') && target != "/dev/null" && !target.starts_with("/tmp/")) {
                    return None;
                }
            }
            '(' | ')' | '<' | '\\' | '`' => return None,
            '$' | '*' | '?' | '[' | ']' | '~' | '{' | '}' | '=' => {
                is_known = false;
                // What a command puts there may hold anything.
                if c == '$' && chars.peek() == Some(&'(') {
                    return None;
                }
                word.get_or_insert_default().push(c);
            }
            '#' if word.is_none() => while chars.next_if(|c| *c != '\n').is_some() {},
            c => word.get_or_insert_default().push(c),
        }
    }
    if let Some(word) = word {
        out.push(Token::Word(is_known.then_some(word)));
    }
    Some(out)
}

fn is_word(token: &Token, text: &str) -> bool {
    matches!(token, Token::Word(Some(word)) if word == text)
}

/// At least how many seconds commands one after the other take, and whether the last of them succeeds, where that is known.
fn sequence(host: &mut dyn Host, tokens: &[Token]) -> R<(f64, Option<bool>)> {
    let (mut total, mut succeeded) = (0.0, Some(true));
    let mut rest = tokens;
    let mut before = ";";
    while !rest.is_empty() {
        let (pipeline, after) = match endless_loop(rest) {
            Some(end) if rest.get(end) != Some(&Token::Operator("|")) => (&rest[..end], &rest[end..]),
            _ => {
                let is_end = |token: &Token| matches!(token, Token::Operator(operator) if *operator != "|");
                let end = rest.iter().position(is_end).unwrap_or(rest.len());
                (&rest[..end], &rest[end..])
            }
        };
        let (operator, after) = match after.split_first() {
            Some((Token::Operator(operator), after)) => (*operator, after),
            Some(_) => return Ok((total, None)),
            None => (";", after),
        };
        let runs = match before {
            "&&" => succeeded,
            "||" => succeeded.map(|succeeded| !succeeded),
            _ => Some(true),
        };
        // Of others it is not known whether they run, nor what becomes of it.
        if runs.is_none() {
            return Ok((total, None));
        }
        if runs == Some(true) && !pipeline.is_empty() {
            let Some((seconds, success)) = self::pipeline(host, pipeline)? else { return Ok((total, None)) };
            // Nobody waits for what is left in the background.
            if operator != "&" {
                total += seconds;
            }
            if total == f64::INFINITY {
                return Ok((total, None));
            }
            succeeded = success;
        }
        (before, rest) = (operator, after);
    }
    Ok((total, succeeded))
}

/// Where a loop ends that begins here and that nothing ends: `while true; do …; done`.
fn endless_loop(tokens: &[Token]) -> Option<usize> {
    let end = 1 + tokens.iter().position(|token| is_word(token, "done"))?;
    let starts = match &tokens[..2.min(tokens.len())] {
        [first, condition] if is_word(first, "while") => is_word(condition, "true") || is_word(condition, ":"),
        [first, condition] if is_word(first, "until") => is_word(condition, "false"),
        _ => false,
    };
    let separated = tokens.get(2) == Some(&Token::Operator(";")) && tokens.get(3).is_some_and(|token| is_word(token, "do"));
    // A command whose name is not known may be any.
    let leaves = tokens[..end].windows(2).any(|pair| {
        let begins = matches!(pair[0], Token::Operator(_)) || is_word(&pair[0], "do");
        match &pair[1] {
            Token::Word(None) => begins,
            Token::Word(Some(word)) => LEAVING.contains(&word.as_str()) || matches!(word.as_str(), "while" | "until" | "for" | "case"),
            Token::Operator(_) => false,
        }
    });
    (starts && separated && !leaves).then_some(end)
}

/// Commands that run beside each other, each with what the one before it writes; none where it may be the end of the shell.
fn pipeline(host: &mut dyn Host, tokens: &[Token]) -> R<Option<(f64, Option<bool>)>> {
    if endless_loop(tokens) == Some(tokens.len()) {
        return Ok(Some((f64::INFINITY, None)));
    }
    let commands: Vec<Vec<Word>> = tokens
        .split(|token| *token == Token::Operator("|"))
        .map(|words| words.iter().filter_map(|token| if let Token::Word(word) = token { Some(word.clone()) } else { None }).collect())
        .collect();
    let leaves = |words: &Vec<Word>| match words.first() {
        Some(Some(word)) => LEAVING.contains(&word.as_str()) || RESERVED.contains(&word.as_str()),
        _ => true,
    };
    if commands.iter().any(leaves) {
        return Ok(None);
    }
    let mut longest = 0.0_f64;
    for (at, words) in commands.iter().enumerate() {
        let (seconds, _) = simple(host, words)?;
        // What writes ends when nobody reads it any more.
        let is_read = |words: &Vec<Word>| matches!(&words[0], Some(name) if READING.contains(&base(name)));
        let is_quiet = matches!(&words[0], Some(name) if base(name) == "sleep");
        if is_quiet || commands[at + 1..].iter().all(is_read) {
            longest = longest.max(seconds);
        }
    }
    let success = match commands.last().and_then(|words| words[0].as_deref()) {
        Some("false") => Some(false),
        Some("cd") => matches!(commands[0].as_slice(), [_, Some(to)] if matches!(to.as_str(), "/" | "/tmp" | "." | "..")).then_some(true),
        Some(name) => SUCCEEDING.contains(&name).then_some(true),
        None => None,
    };
    Ok(Some((longest, success)))
}

/// At least how many seconds a single command takes, and how many bytes it writes.
fn simple(host: &mut dyn Host, words: &[Word]) -> R<(f64, f64)> {
    const NOTHING: (f64, f64) = (0.0, 0.0);
    let words = match words.first() {
        Some(Some(first)) if RUNNING.contains(&first.as_str()) => &words[1..],
        _ => words,
    };
    let Some(words) = words.iter().map(Option::as_deref).collect::<Option<Vec<&str>>>() else { return Ok(NOTHING) };
    let Some((first, rest)) = words.split_first() else { return Ok(NOTHING) };
    let first = base(first);
    let is_python = first.strip_prefix("python3").is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'));
    Ok(match (first, rest) {
        ("bash" | "sh" | "dash", ["-c", script]) => match tokens(script) {
            Some(tokens) => (sequence(host, &tokens)?.0, 0.0),
            None => NOTHING,
        },
        (_, ["-c", program]) if is_python => of_program(host, program)?,
        (_, ["-m", "http.server", ..]) if is_python => (f64::INFINITY, 0.0),
        ("yes", rest) if rest.iter().all(|word| !word.starts_with('-')) => (f64::INFINITY, f64::INFINITY),
        ("seq", [last]) => (0.0, last.parse::<f64>().map_or(0.0, |last| (2.0 * last).max(0.0))),
        ("tail", ["-F", ..]) => (f64::INFINITY, 0.0),
        ("sleep", rest) if !rest.is_empty() && !ENDLESS.contains(&words_of(first, rest).as_slice()) => {
            (rest.iter().map(|word| duration(word)).sum::<Option<f64>>().unwrap_or(0.0), 0.0)
        }
        _ if ENDLESS.contains(&words_of(first, rest).as_slice()) => {
            let writes = rest.iter().any(|word| matches!(*word, "/dev/zero" | "/dev/urandom" | "/dev/random"));
            (f64::INFINITY, if writes { f64::INFINITY } else { 0.0 })
        }
        _ => NOTHING,
    })
}

fn words_of<'a>(first: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    std::iter::once(first).chain(rest.iter().copied()).collect()
}

/// Another interpreter runs a program that is known. What is imported may write elsewhere than to its output.
pub fn of_program(host: &mut dyn Host, text: &str) -> R<(f64, f64)> {
    Ok(match host.special("program", Args::of([V::str(text)]))? {
        V::Tuple(parts) => match &*parts {
            Tuple::Exact(parts) => match parts.as_slice() {
                [V::Float(seconds), V::Float(bytes)] => (*seconds, if text.contains("import") { 0.0 } else { *bytes }),
                _ => (0.0, 0.0),
            },
            Tuple::Bag { .. } => (0.0, 0.0),
        },
        _ => (0.0, 0.0),
    })
}

/// A duration as `sleep` takes it.
fn duration(word: &str) -> Option<f64> {
    let (number, unit) = match word.char_indices().last()? {
        (at, 's') => (&word[..at], 1.0),
        (at, 'm') => (&word[..at], 60.0),
        (at, 'h') => (&word[..at], 3600.0),
        (at, 'd') => (&word[..at], 86400.0),
        _ => (word, 1.0),
    };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    number.parse::<f64>().ok().map(|n| n * unit)
}
