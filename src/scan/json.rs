//! Reads JSON as logs have it: quickly, without copying text, and with what Python and JavaScript write beside the standard (`NaN`,
//! lone surrogates, control characters in strings).

use std::borrow::Cow;
use std::fmt;

use memchr::memchr2;

/// Deeper nesting is refused.
const DEPTH: usize = 512;

/// A value that borrows from the text it was read from.
#[derive(Debug, Clone)]
pub enum Json<'a> {
    /// `null`, `NaN` and the infinities.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A number as written.
    Number(&'a str),
    /// A string.
    Text(Text<'a>),
    /// An array.
    Array(Vec<Json<'a>>),
    /// An object, its members in order.
    Object(Vec<(Text<'a>, Json<'a>)>),
}

/// A string between its quotes, escapes included.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    raw: &'a str,
    escaped: bool,
}

/// Why a text is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Byte offset.
    pub at: usize,
    /// What is wrong there.
    pub message: &'static str,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message)
    }
}

impl fmt::Display for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => f.write_str("null"),
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(digits) => f.write_str(digits),
            Json::Text(text) => write!(f, "\"{}\"", text.raw()),
            Json::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", if index == 0 { "[" } else { "," })?;
                }
                f.write_str(if elements.is_empty() { "[]" } else { "]" })
            }
            Json::Object(members) => {
                for (index, (key, member)) in members.iter().enumerate() {
                    write!(f, "{}\"{}\":{member}", if index == 0 { "{" } else { "," }, key.raw())?;
                }
                f.write_str(if members.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

impl<'a> Text<'a> {
    /// The string's value.
    pub fn get(&self) -> Cow<'a, str> {
        if self.escaped { Cow::Owned(unescape(self.raw)) } else { Cow::Borrowed(self.raw) }
    }

    /// Whether it is this text.
    pub fn is(&self, other: &str) -> bool {
        if self.escaped { self.get() == other } else { self.raw == other }
    }

    /// As it is written, for a hash or a search.
    pub fn raw(&self) -> &'a str {
        self.raw
    }
}

impl<'a> Json<'a> {
    /// Reads one value and nothing after it.
    pub fn parse(text: &'a str) -> Result<Json<'a>, Error> {
        let mut reader = Reader { bytes: text.as_bytes(), text, at: 0 };
        let value = reader.value(0)?;
        reader.blanks();
        if reader.at < text.len() { Err(Error { at: reader.at, message: "there is more after the value" }) } else { Ok(value) }
    }

    /// The member of an object; the last, where there are several.
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        match self {
            Json::Object(members) => members.iter().rev().find(|(name, _)| name.is(key)).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Down through objects.
    pub fn at(&self, keys: &[&str]) -> Option<&Json<'a>> {
        keys.iter().try_fold(self, |value, key| value.get(key))
    }

    /// A string's value.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        match self {
            Json::Text(text) => Some(text.get()),
            _ => None,
        }
    }

    /// The text of a member.
    pub fn text_at(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.text()
    }

    /// Whether it is this string.
    pub fn is(&self, other: &str) -> bool {
        matches!(self, Json::Text(text) if text.is(other))
    }

    /// Whether a member is this string.
    pub fn has(&self, key: &str, value: &str) -> bool {
        self.get(key).is_some_and(|member| member.is(value))
    }

    /// The elements of an array.
    pub fn array(&self) -> Option<&[Json<'a>]> {
        match self {
            Json::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The elements of a member that is an array.
    pub fn array_at(&self, key: &str) -> Option<&[Json<'a>]> {
        self.get(key)?.array()
    }

    /// The members of an object.
    pub fn object(&self) -> Option<&[(Text<'a>, Json<'a>)]> {
        match self {
            Json::Object(members) => Some(members),
            _ => None,
        }
    }

    /// A whole number.
    pub fn integer(&self) -> Option<u64> {
        match self {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// A whole number that may be negative.
    pub fn signed(&self) -> Option<i64> {
        match self {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// Whether it is `true`.
    pub fn is_true(&self) -> bool {
        matches!(self, Json::Bool(true))
    }

    /// Text or a number, as a name.
    pub fn name(&self) -> Option<String> {
        match self {
            Json::Text(text) => Some(text.get().into_owned()),
            Json::Number(digits) => Some((*digits).to_owned()),
            _ => None,
        }
    }

    /// Whether it is absent in meaning.
    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes a mark, if it comes next.
    fn comes(&mut self, mark: u8) -> bool {
        self.blanks();
        let comes = self.bytes.get(self.at) == Some(&mark);
        self.at += usize::from(comes);
        comes
    }

    fn fail<T>(&self, message: &'static str) -> Result<T, Error> {
        let message = if self.at >= self.bytes.len() { "it ends in the middle of a value" } else { message };
        Err(Error { at: self.at, message })
    }

    fn value(&mut self, depth: usize) -> Result<Json<'a>, Error> {
        self.blanks();
        if depth > DEPTH {
            return self.fail("it is nested too deeply");
        }
        match self.bytes.get(self.at) {
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'-' | b'0'..=b'9') => Ok(self.number()),
            _ => {
                let words = [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))];
                let words = words.into_iter().chain([("NaN", Json::Null), ("Infinity", Json::Null)]);
                for (word, value) in words {
                    if self.bytes[self.at..].starts_with(word.as_bytes()) {
                        self.at += word.len();
                        return Ok(value);
                    }
                }
                self.fail("a value is expected")
            }
        }
    }

    fn number(&mut self) -> Json<'a> {
        let start = self.at;
        if self.bytes[start..].starts_with(b"-Infinity") {
            self.at += 9;
            return Json::Null;
        }
        while matches!(self.bytes.get(self.at), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        Json::Number(&self.text[start..self.at])
    }

    fn string(&mut self) -> Result<Text<'a>, Error> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        loop {
            let Some(next) = memchr2(b'"', b'\\', &self.bytes[self.at..]) else {
                self.at = self.bytes.len();
                return self.fail("");
            };
            self.at += next;
            if self.bytes[self.at] == b'"' {
                let raw = &self.text[start..self.at];
                self.at += 1;
                return Ok(Text { raw, escaped });
            }
            escaped = true;
            match self.bytes.get(self.at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
                Some(b'u') => {
                    let digits = self.bytes.get(self.at + 2..self.at + 6);
                    if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                        return self.fail("`\\u` wants four hexadecimal digits");
                    }
                    self.at += 6;
                }
                _ => return self.fail("it is no escape of JSON"),
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json<'a>, Error> {
        self.at += 1;
        let mut elements = Vec::new();
        if self.comes(b']') {
            return Ok(Json::Array(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            if self.comes(b']') {
                return Ok(Json::Array(elements));
            }
            if !self.comes(b',') {
                return self.fail("`,` or `]` is expected");
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json<'a>, Error> {
        self.at += 1;
        let mut members = Vec::new();
        if self.comes(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.blanks();
            if self.bytes.get(self.at) != Some(&b'"') {
                return self.fail("a key is expected");
            }
            let key = self.string()?;
            if !self.comes(b':') {
                return self.fail("`:` is expected");
            }
            members.push((key, self.value(depth + 1)?));
            if self.comes(b'}') {
                return Ok(Json::Object(members));
            }
            if !self.comes(b',') {
                return self.fail("`,` or `}` is expected");
            }
        }
    }
}

/// The value of a string whose escapes were checked. Half a surrogate pair becomes U+FFFD.
fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    let unit = |text: &str| text.get(2..6).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let mut taken = 2;
        match rest.as_bytes().get(1) {
            Some(b'n') => out.push('\n'),
            Some(b't') => out.push('\t'),
            Some(b'r') => out.push('\r'),
            Some(b'b') => out.push('\u{8}'),
            Some(b'f') => out.push('\u{c}'),
            Some(b'u') => {
                taken = 6;
                let high = unit(rest).unwrap_or(0xfffd);
                let low = rest.get(6..).filter(|next| next.starts_with("\\u")).and_then(unit);
                match low {
                    Some(low) if (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low) => {
                        taken = 12;
                        let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                        out.push(char::from_u32(code).unwrap_or('\u{fffd}'));
                    }
                    _ => out.push(char::from_u32(high).unwrap_or('\u{fffd}')),
                }
            }
            Some(byte) => out.push(char::from(*byte)),
            None => {}
        }
        rest = rest.get(taken..).unwrap_or("");
    }
    out.push_str(rest);
    out
}

/// A string as JSON writes it, for a key of a path.
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Json;

    fn text(json: &str) -> String {
        Json::parse(json).expect("it is JSON").text().expect("it is text").into_owned()
    }

    #[test]
    fn strings_are_what_json_says() {
        assert_eq!(text(r#""a\n\"\u0041\/\ud83d\ude00é""#), "a\n\"A/😀é");
        assert_eq!(text(r#""\ud800x""#), "\u{fffd}x");
        assert_eq!(text("\"a\tb\""), "a\tb");
    }

    #[test]
    fn what_python_writes_is_read() {
        assert!(Json::parse(r#"{"a": NaN, "b": [Infinity, -Infinity, -1.5e3]}"#).is_ok());
    }

    #[test]
    fn errors_have_a_place() {
        for (json, at) in [("", 0), ("{\"a\"", 4), ("[1 2]", 3), ("\"\\x\"", 1), ("{} {}", 3), ("\"\\u12", 1), ("[", 1)] {
            assert_eq!(Json::parse(json).expect_err("it is no JSON").at, at, "{json}");
        }
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }
}
