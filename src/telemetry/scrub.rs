//! Takes secrets out of text that is sent. It takes more than it must: what looks like a secret goes.

/// What stands in a secret's place.
const GONE: &str = "[scrubbed]";

/// Words that make a secret of what is assigned to a name with one of them in it.
const NAMES: [&str; 20] = [
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "private_key",
    "credential",
    "authorization",
    "auth_key",
    "auth_token",
    "dsn",
    "cookie",
    "session_id",
    "accountkey",
    "account_key",
];

/// The same of whole words in a name.
const WORDS: [&str; 2] = ["pass", "pw"];

/// How known tokens begin.
const BEGINNINGS: [&str; 24] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "pk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxa-",
    "xoxb-",
    "xoxp-",
    "xoxs-",
    "xapp-",
    "ya29.",
    "hf_",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "eyJ",
];

/// Text without what looks like a secret.
pub fn scrub(text: &str) -> String {
    let text = literals(&without_keys(text));
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        out.push_str(&tokens(&values(&addresses(line))));
    }
    for (name, value) in std::env::vars() {
        if value.len() >= 8 && is_secret_name(&name) && out.contains(&value) {
            out = out.replace(&value, GONE);
        }
    }
    out
}

/// Without the blocks of keys in PEM.
fn without_keys(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("-----BEGIN ") {
        let (before, block) = rest.split_at(at);
        out.push_str(before);
        let end = block.find("-----END ").and_then(|end| Some(end + 9 + block[end + 9..].find("-----")? + 5)).unwrap_or(block.len());
        out.push_str(GONE);
        rest = &block[end..];
    }
    out + rest
}

/// `scheme://user:password@host` without the user and the password.
fn addresses(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '?' | '#')).unwrap_or(after.len());
        match after[..end].rfind('@') {
            Some(sign) => {
                out.push_str(GONE);
                rest = &after[sign..];
            }
            None => rest = after,
        }
    }
    out + rest
}

fn is_secret_name(name: &str) -> bool {
    // The statement is no name.
    let is_statement = name == "pass";
    let name = name.to_ascii_lowercase();
    NAMES.iter().any(|word| name.contains(word)) || !is_statement && name.split(['_', '-']).any(|word| WORDS.contains(&word))
}

/// Code without the literals in what a name that tells of a secret is given, compared with or called with, over as many lines as that
/// takes. What is not Python is read as far as it looks like it.
fn literals(text: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Of each open bracket, whether it is a subscript's.
    let mut brackets: Vec<bool> = Vec::new();
    // How many brackets are open around what is taken out.
    let mut taken: Option<usize> = None;
    let (mut named, mut after_value) = (false, false);
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            '\n' if brackets.is_empty() => (taken, named, after_value) = (None, false, false),
            c if c.is_whitespace() => {}
            '#' => length = rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => {
                let mark = if rest.starts_with(&c.to_string().repeat(3)) { &rest[..3] } else { &rest[..1] };
                let inside = &rest[mark.len()..];
                let mut end = closing(inside, mark);
                if mark.len() == 1 {
                    end = inside.find('\n').map_or(end, |line| end.min(line));
                }
                let close = if inside[end..].starts_with(mark) { mark } else { "" };
                let hidden = taken.is_some() && brackets.last() != Some(&true) && end > 0;
                out.push_str(mark);
                out.push_str(if hidden { GONE } else { &inside[..end] });
                out.push_str(close);
                (named, after_value) = (end < 40 && is_secret_name(&inside[..end]), true);
                rest = &inside[end + close.len()..];
                continue;
            }
            '(' | '[' | '{' => {
                brackets.push(c == '[' && after_value);
                if c == '(' && named {
                    taken.get_or_insert(brackets.len());
                }
                (named, after_value) = (false, false);
            }
            ')' | ']' | '}' => {
                brackets.pop();
                taken = taken.filter(|depth| *depth <= brackets.len());
                after_value = true;
            }
            '=' | ':' | ',' if named => {
                taken.get_or_insert(brackets.len());
                length += usize::from(rest.starts_with("=="));
                (named, after_value) = (false, false);
            }
            ',' => {
                taken = taken.filter(|depth| *depth < brackets.len() || brackets.is_empty());
                after_value = false;
            }
            c if is_name(c) => {
                length = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
                (named, after_value) = (is_secret_name(&rest[..length]), true);
            }
            _ => (named, after_value) = (false, false),
        }
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}

/// `password = "…"`, `"token": "…"`, `--api-key …`: without what a name that tells of a secret is given.
fn values(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    while let Some(start) = rest.find(is_name) {
        let end = rest[start..].find(|c| !is_name(c)).map_or(rest.len(), |end| start + end);
        let name = &rest[start..end];
        out.push_str(&rest[..end]);
        rest = &rest[end..];
        if !is_secret_name(name) {
            continue;
        }
        // Quotes and brackets that end the name, the sign, an annotation, and quotes that begin the value.
        let sign = rest.find(|c: char| !matches!(c, '"' | '\'' | ']' | ')' | ' ' | '\t'));
        let Some(sign) = sign else { continue };
        let flag = name.starts_with("--") && rest.starts_with([' ', '=']);
        let after = &rest[sign..];
        let assigned = after.starts_with('=') && !after.starts_with("==") || after.starts_with(':') || after.starts_with(',');
        if !(assigned || flag) {
            continue;
        }
        let value = if assigned { sign + 1 } else { sign };
        let assignment =
            rest[value..].find('=').filter(|at| rest[value..value + at].chars().all(|c| c.is_alphanumeric() || " \t[],|.".contains(c)));
        let value = if after.starts_with(':') { assignment.map_or(value, |at| value + at + 1) } else { value };
        let (taken, left) = value_at(&rest[value..]);
        if taken > 0 {
            out.push_str(&rest[..value]);
            out.push_str(&left);
            rest = &rest[value + taken..];
        }
    }
    out + rest
}

/// How much of the beginning of a text is a value, and what stands for it.
fn value_at(text: &str) -> (usize, String) {
    let lead = text.find(|c: char| !c.is_whitespace()).unwrap_or(text.len());
    let body = &text[lead..];
    // Prefixes of literals: f"…", b'…', rb"…".
    let quote = body.find(['"', '\'']).filter(|at| *at <= 2 && body[..*at].chars().all(|c| c.is_ascii_alphabetic()));
    if let Some(at) = quote {
        let mark = &body[at..=at];
        let mark = if body[at..].starts_with(&mark.repeat(3)) { mark.repeat(3) } else { mark.to_owned() };
        let inside = at + mark.len();
        let end = closing(&body[inside..], &mark);
        let close = if inside + end < body.len() { mark.as_str() } else { "" };
        return (lead + inside + end + close.len(), format!("{}{}{GONE}{close}", &text[..lead], &body[..inside]));
    }
    let end = body.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')' | '}' | ']' | '"' | '\'')).unwrap_or(body.len());
    let word = &body[..end];
    // A name, a call, a number or a constant is no secret by itself.
    let harmless = word.is_empty()
        || word.chars().all(|c| c.is_ascii_digit())
        || ["None", "True", "False", "null"].contains(&word)
        || is_expression(word);
    if harmless { (0, String::new()) } else { (lead + end, format!("{}{GONE}", &text[..lead])) }
}

/// A name or a call, not a word that happens to stand there: it has a digit only after a letter, and is not long.
fn is_expression(word: &str) -> bool {
    let name = word.split(['(', '[', '.']).next().unwrap_or_default();
    let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    plain
        && (word.contains(['(', '['])
            || word.contains('.') && !name.is_empty() && name.len() < 12
            || name.len() < 16 && !name.chars().any(|c| c.is_ascii_digit()))
}

/// Where a literal ends.
fn closing(text: &str, mark: &str) -> usize {
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(mark) {
            return at;
        }
        let step = text[at..].chars().next().map_or(1, char::len_utf8);
        at += if text[at..].starts_with('\\') { 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8) } else { step };
    }
    text.len()
}

/// Without words that look like tokens: known beginnings, what follows `Bearer` and `Basic`, and long words without sense.
fn tokens(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '/' | '=' | '.' | '~');
    let mut scheme = false;
    while let Some(start) = rest.find(is_token) {
        let end = rest[start..].find(|c| !is_token(c)).map_or(rest.len(), |end| start + end);
        let word = &rest[start..end];
        out.push_str(&rest[..start]);
        rest = &rest[end..];
        let secret = scheme && word.len() >= 6 || BEGINNINGS.iter().any(|beginning| begins(word, beginning)) || is_senseless(word);
        scheme = word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic");
        out.push_str(if secret { GONE } else { word });
    }
    out + rest
}

/// Whether a word, or a part of it after a sign, begins like a token.
fn begins(word: &str, beginning: &str) -> bool {
    word.match_indices(beginning).any(|(at, _)| {
        let free = at == 0 || !word[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        free && word.len() - at >= beginning.len() + 12
    })
}

/// Long, of letters and digits both, and not made of words.
fn is_senseless(word: &str) -> bool {
    word.split(['/', '.', '=', '-']).any(|part| {
        let digits = part.chars().filter(char::is_ascii_digit).count();
        let letters = part.chars().filter(char::is_ascii_alphabetic).count();
        part.len() >= 24 && digits >= 4 && letters >= 4 && part.split('_').any(|piece| piece.len() >= 20)
    })
}

#[cfg(test)]
mod tests {
    use super::scrub;

    #[test]
    fn secrets_go() {
        let cases = [
            ("password = \"hunter2\"", "password = \"[scrubbed]\""),
            ("db_password: str = 'hunter2'  # x", "db_password: str = '[scrubbed]'  # x"),
            ("{\"api_key\": \"abc\", \"n\": 1}", "{\"api_key\": \"[scrubbed]\", \"n\": 1}"),
            ("os.environ['AUTH_TOKEN'] = f'ab\\'c' + x", "os.environ['AUTH_TOKEN'] = f'[scrubbed]' + x"),
            ("connect(password='a', user='b')", "connect(password='[scrubbed]', user='b')"),
            ("os.putenv('DB_PASSWORD', 'hunter2')", "os.putenv('DB_PASSWORD', '[scrubbed]')"),
            ("curl --token abc123def456ghi", "curl --token [scrubbed]"),
            ("export SECRET_KEY=abc123!", "export SECRET_KEY=[scrubbed]"),
            ("key = 'sk-proj-abcdefghijklmnop'", "key = '[scrubbed]'"),
            ("h = {'Authorization': 'Bearer abc.def'}", "h = {'Authorization': '[scrubbed]'}"),
            ("print('Bearer abcdefgh')", "print('Bearer [scrubbed]')"),
            ("url = 'postgres://me:pw@db/x'", "url = 'postgres://[scrubbed]@db/x'"),
            ("x = '0123456789abcdef0123456789abcdef'", "x = '[scrubbed]'"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nx", "[scrubbed]\nx"),
            ("token = \"\"\"a\"\"\"", "token = \"\"\"[scrubbed]\"\"\""),
            ("token = \"\"\"a\nb\"\"\"\nx = 'c'", "token = \"\"\"[scrubbed]\"\"\"\nx = 'c'"),
            ("d = {'password':\n    'x',\n  'n': 'y'}", "d = {'password':\n    '[scrubbed]',\n  'n': 'y'}"),
            ("api_key = (\n    'x'\n)\ny = 'z'", "api_key = (\n    '[scrubbed]'\n)\ny = 'z'"),
            ("password = 'a' 'b' + 'c'", "password = '[scrubbed]' '[scrubbed]' + '[scrubbed]'"),
            ("password = 'a' if b else 'c'", "password = '[scrubbed]' if b else '[scrubbed]'"),
            ("user, password = 'me', 'x'", "user, password = '[scrubbed]', '[scrubbed]'"),
            ("passwords = ['x', 'y']", "passwords = ['[scrubbed]', '[scrubbed]']"),
            ("x = os.getenv('PW', 'x')", "x = os.getenv('PW', '[scrubbed]')"),
            ("set_password('x')\nf('y')", "set_password('[scrubbed]')\nf('y')"),
            ("if password == 'x':\n    f('y')", "if password == '[scrubbed]':\n    f('y')"),
            ("DB_PASS = 'x'", "DB_PASS = '[scrubbed]'"),
        ];
        for (text, scrubbed) in cases {
            assert_eq!(scrub(text), scrubbed);
        }
    }

    #[test]
    fn code_stays() {
        let cases = [
            "while n < 2:\n    n *= 2\n",
            "tokens = text.split()",
            "if token == end:",
            "total = sum(len(token) for token in tokens)",
            "x = 10 ** 10 ** 8  # a comment",
            "password = getpass.getpass()",
            "secret = os.environ['X']",
            "if x:\n    pass\nprint('a', 'b')",
            "it's a text, isn't it: 'so'",
            "url = 'https://example.org/a?b=c'",
            "def evaluate_polynomial_at_many_points_1(x): return x",
        ];
        for text in cases {
            assert_eq!(scrub(text), text);
        }
    }

    #[test]
    fn cut_and_odd_text_is_no_trouble() {
        for text in ["password = '", "password=\"\\", "token:", "://@", "-----BEGIN ", "é password = 'é\\é' é", "dsn = '''a", "secret =\n"]
        {
            scrub(text);
        }
    }
}
