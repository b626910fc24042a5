//! Python's string methods on exact strings.
//!
//! Each function is exact or answers `None`: where CPython's Unicode tables may differ from Rust's, text beyond ASCII is not looked at. Positions are
//! in characters, as in Python.

/// What `int(text, base)` gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParsedInt {
    /// An integer that fits.
    Value(i128),
    /// A longer one, by the bounds of its bit length.
    Long {
        /// Least bit length.
        bits_low: u64,
        /// Greatest bit length.
        bits_high: u64,
        /// Below 0.
        negative: bool,
        /// Digits as CPython counts them against `sys.set_int_max_str_digits` (0 for a base that is a power of two).
        digits: u64,
    },
    /// ValueError.
    Invalid,
    /// Digits or spaces beyond ASCII.
    Unknown,
}

/// `int(text, base)`; bases other than 0 and 2–36 are invalid (ValueError).
pub fn parse_int(text: &str, base: i128) -> ParsedInt {
    if !text.is_ascii() {
        return ParsedInt::Unknown;
    }
    if base != 0 && !(2..=36).contains(&base) {
        return ParsedInt::Invalid;
    }
    let body = text.trim_matches(|c: char| matches!(c, ' ' | '\t'..='\r'));
    let negative = body.starts_with('-');
    let unsigned = body.strip_prefix(['+', '-']).unwrap_or(body);
    let prefix = match unsigned.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => 16,
        Some("0o") => 8,
        Some("0b") => 2,
        _ => 0,
    };
    let prefixed = prefix != 0 && (base == 0 || base == prefix);
    let radix = if base != 0 {
        base as u32
    } else if prefixed {
        prefix as u32
    } else {
        10
    };
    // One underscore may follow the prefix; elsewhere they stand between digits.
    let digits = if prefixed { unsigned[2..].strip_prefix('_').unwrap_or(&unsigned[2..]) } else { unsigned };
    if digits.is_empty() || digits.starts_with('_') || digits.ends_with('_') || digits.contains("__") {
        return ParsedInt::Invalid;
    }
    let plain = || digits.chars().filter(|c| *c != '_');
    if !plain().all(|c| c.is_digit(radix)) {
        return ParsedInt::Invalid;
    }
    // In base 0 a decimal must not have leading zeros, unless it is 0.
    if base == 0 && !prefixed && digits.starts_with('0') && plain().any(|c| c != '0') {
        return ParsedInt::Invalid;
    }
    let mut value: Option<i128> = Some(0);
    for c in plain() {
        value = value.and_then(|value| value.checked_mul(i128::from(radix))?.checked_add(i128::from(c.to_digit(radix)?)));
        if value.is_none() {
            break;
        }
    }
    if let Some(value) = value {
        return ParsedInt::Value(if negative { -value } else { value });
    }
    let count = plain().count() as u64;
    let significant: String = plain().skip_while(|c| *c == '0').collect();
    let length = significant.len() as u128;
    let lead = u128::from(significant.chars().next().and_then(|c| c.to_digit(radix)).unwrap_or(1));
    // lead · radix**(length − 1) up to one less than (lead + 1) · radix**(length − 1).
    let scale = crate::value::bits::Enclosure::new(u128::from(radix)).map(|radix| radix.pow(length - 1));
    let bound = |lead: u128| match (scale, crate::value::bits::Enclosure::new(lead)) {
        (Some(scale), Some(lead)) => scale.mul(lead).bits(),
        _ => (0, u64::MAX),
    };
    let (bits_low, bits_high) = (bound(lead).0, bound(lead + 1).1);
    let digits = if radix.is_power_of_two() { 0 } else { count };
    ParsedInt::Long { bits_low, bits_high, negative, digits }
}

/// Appends `\xhh`.
fn push_hex(text: &mut String, code: u32) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    text.push_str("\\x");
    text.extend([code >> 4, code].map(|digit| char::from(HEX[(digit & 15) as usize])));
}

/// `repr(text)`; `None` where it is not known which characters are printable.
pub fn repr_str(text: &str) -> Option<String> {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut result = String::with_capacity(text.len() + 2);
    result.push(quote);
    for c in text.chars() {
        match c {
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            c if c == quote => result.extend(['\\', c]),
            ' '..='~' => result.push(c),
            '\0'..='\u{a0}' | '\u{ad}' => push_hex(&mut result, c as u32),
            // Latin letters, Greek, Cyrillic, kana and the common ideographs are printable in every version's tables.
            '\u{a1}'..='\u{17f}'
            | '\u{391}'..='\u{3a1}'
            | '\u{3a3}'..='\u{3ff}'
            | '\u{400}'..='\u{482}'
            | '\u{3041}'..='\u{3096}'
            | '\u{4e00}'..='\u{9fa5}' => {
                result.push(c);
            }
            _ => return None,
        }
    }
    result.push(quote);
    Some(result)
}

/// `repr(bytes)`.
pub fn repr_bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { b'"' } else { b'\'' };
    let mut result = format!("b{}", char::from(quote));
    for &byte in bytes {
        match byte {
            b'\\' => result.push_str("\\\\"),
            b'\n' => result.push_str("\\n"),
            b'\r' => result.push_str("\\r"),
            b'\t' => result.push_str("\\t"),
            byte if byte == quote => result.extend(['\\', char::from(byte)]),
            b' '..=b'~' => result.push(char::from(byte)),
            byte => push_hex(&mut result, u32::from(byte)),
        }
    }
    result.push(char::from(quote));
    result
}

/// What `str.isspace` says, and `str.strip` and `str.split` without an argument remove. Stable across Unicode versions.
pub fn is_space(c: char) -> bool {
    matches!(
        c,
        '\t'..='\r' | '\x1c'..='\x20' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Length in characters.
pub fn length(text: &str) -> usize {
    text.chars().count()
}

// ---- stripping and splitting ----------------------------------------------------------------------------------------

/// Which ends an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "sides name themselves")]
pub enum Side {
    Left,
    Right,
    Both,
}

/// `text.strip(chars)`, `lstrip`, `rstrip`.
pub fn strip<'a>(text: &'a str, chars: Option<&str>, side: Side) -> &'a str {
    let goes = |c: char| chars.map_or_else(|| is_space(c), |chars| chars.contains(c));
    let text = if side == Side::Right { text } else { text.trim_start_matches(goes) };
    if side == Side::Left { text } else { text.trim_end_matches(goes) }
}

/// `text.split(separator, most)`; `None` for an empty separator (ValueError). A negative `most` is no limit.
pub fn split(text: &str, separator: Option<&str>, most: i128) -> Option<Vec<String>> {
    let limit = usize::try_from(most).unwrap_or(usize::MAX);
    let Some(separator) = separator else {
        let mut parts = vec![];
        let mut rest = text.trim_start_matches(is_space);
        while !rest.is_empty() {
            if parts.len() == limit {
                parts.push(rest.to_owned());
                break;
            }
            let end = rest.find(is_space).unwrap_or(rest.len());
            parts.push(rest[..end].to_owned());
            rest = rest[end..].trim_start_matches(is_space);
        }
        return Some(parts);
    };
    if separator.is_empty() {
        return None;
    }
    Some(text.splitn(limit.saturating_add(1), separator).map(str::to_owned).collect())
}

/// `text.rsplit(separator, most)`; `None` for an empty separator (ValueError).
pub fn rsplit(text: &str, separator: Option<&str>, most: i128) -> Option<Vec<String>> {
    let limit = usize::try_from(most).unwrap_or(usize::MAX);
    let mut parts = vec![];
    let Some(separator) = separator else {
        let mut rest = text.trim_end_matches(is_space);
        while !rest.is_empty() {
            if parts.len() == limit {
                parts.push(rest.to_owned());
                break;
            }
            let start = rest.char_indices().rev().find(|(_, c)| is_space(*c)).map_or(0, |(at, c)| at + c.len_utf8());
            parts.push(rest[start..].to_owned());
            rest = rest[..start].trim_end_matches(is_space);
        }
        parts.reverse();
        return Some(parts);
    };
    if separator.is_empty() {
        return None;
    }
    parts.extend(text.rsplitn(limit.saturating_add(1), separator).map(str::to_owned));
    parts.reverse();
    Some(parts)
}

/// `text.splitlines(keepends)`.
pub fn splitlines(text: &str, keep_ends: bool) -> Vec<String> {
    let mut lines = vec![];
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if !matches!(c, '\n'..='\r' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}') {
            continue;
        }
        let mut end = at + c.len_utf8();
        if c == '\r' && chars.peek().is_some_and(|(_, next)| *next == '\n') {
            chars.next();
            end += 1;
        }
        lines.push(text[start..if keep_ends { end } else { at }].to_owned());
        start = end;
    }
    if start < text.len() {
        lines.push(text[start..].to_owned());
    }
    lines
}

/// `text.partition(separator)`; `None` for an empty separator (ValueError).
pub fn partition(text: &str, separator: &str) -> Option<[String; 3]> {
    if separator.is_empty() {
        return None;
    }
    Some(match text.split_once(separator) {
        Some((before, after)) => [before.to_owned(), separator.to_owned(), after.to_owned()],
        None => [text.to_owned(), String::new(), String::new()],
    })
}

/// `text.rpartition(separator)`; `None` for an empty separator (ValueError).
pub fn rpartition(text: &str, separator: &str) -> Option<[String; 3]> {
    if separator.is_empty() {
        return None;
    }
    Some(match text.rsplit_once(separator) {
        Some((before, after)) => [before.to_owned(), separator.to_owned(), after.to_owned()],
        None => [String::new(), String::new(), text.to_owned()],
    })
}

// ---- searching ------------------------------------------------------------------------------------------------------

/// `text[start:end]` for search methods: indices clamped as slices are; `None` where the start lies beyond the end of the text.
fn window(text: &str, start: Option<i128>, end: Option<i128>) -> Option<(usize, &str)> {
    let length = length(text) as i128;
    let clamp = |index: i128| if index < 0 { (index + length).max(0) } else { index };
    let (start, end) = (clamp(start.unwrap_or(0).max(-length)), clamp(end.unwrap_or(length).max(-length)).min(length));
    if start > end {
        return None;
    }
    let byte = |index: i128| text.char_indices().nth(index as usize).map_or(text.len(), |(at, _)| at);
    Some((start as usize, &text[byte(start)..byte(end)]))
}

/// `text.find(needle, start, end)`: a character index, or −1.
pub fn find(text: &str, needle: &str, start: Option<i128>, end: Option<i128>) -> i128 {
    window(text, start, end).and_then(|(offset, part)| part.find(needle).map(|at| (offset + length(&part[..at])) as i128)).unwrap_or(-1)
}

/// `text.rfind(needle, start, end)`: a character index, or −1.
pub fn rfind(text: &str, needle: &str, start: Option<i128>, end: Option<i128>) -> i128 {
    window(text, start, end).and_then(|(offset, part)| part.rfind(needle).map(|at| (offset + length(&part[..at])) as i128)).unwrap_or(-1)
}

/// `text.count(needle, start, end)`.
pub fn count(text: &str, needle: &str, start: Option<i128>, end: Option<i128>) -> i128 {
    window(text, start, end)
        .map_or(0, |(_, part)| if needle.is_empty() { length(part) as i128 + 1 } else { part.matches(needle).count() as i128 })
}

/// `text.startswith(prefix, start, end)`.
pub fn starts_with(text: &str, prefix: &str, start: Option<i128>, end: Option<i128>) -> bool {
    window(text, start, end).is_some_and(|(_, part)| part.starts_with(prefix))
}

/// `text.endswith(suffix, start, end)`.
pub fn ends_with(text: &str, suffix: &str, start: Option<i128>, end: Option<i128>) -> bool {
    window(text, start, end).is_some_and(|(_, part)| part.ends_with(suffix))
}

/// `text.replace(old, new, most)`. A negative `most` is no limit.
pub fn replace(text: &str, old: &str, new: &str, most: i128) -> String {
    match usize::try_from(most) {
        Ok(most) => text.replacen(old, new, most),
        Err(_) if most < 0 => text.replace(old, new),
        Err(_) => text.replace(old, new),
    }
}

// ---- case and classes (ASCII) ---------------------------------------------------------------------------------------

fn ascii(text: &str) -> Option<&str> {
    text.is_ascii().then_some(text)
}

/// `text.upper()`.
pub fn upper(text: &str) -> Option<String> {
    ascii(text).map(str::to_ascii_uppercase)
}

/// `text.lower()`; for ASCII also `text.casefold()`.
pub fn lower(text: &str) -> Option<String> {
    ascii(text).map(str::to_ascii_lowercase)
}

/// `text.swapcase()`.
pub fn swapcase(text: &str) -> Option<String> {
    ascii(text)
        .map(|text| text.chars().map(|c| if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }).collect())
}

/// `text.capitalize()`.
pub fn capitalize(text: &str) -> Option<String> {
    ascii(text)
        .map(|text| text.char_indices().map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }).collect())
}

/// `text.title()`.
pub fn title(text: &str) -> Option<String> {
    let mut inside = false;
    let case = |c: char| {
        let result = if inside { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
        inside = c.is_ascii_alphabetic();
        result
    };
    ascii(text).map(|text| text.chars().map(case).collect())
}

/// A class of text, as the `str.is…` methods name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the classes are named as the methods are")]
pub enum Class {
    Alnum,
    Alpha,
    Ascii,
    Decimal,
    Digit,
    Identifier,
    Lower,
    Numeric,
    Printable,
    Space,
    Title,
    Upper,
}

/// `text.isalnum()` and its kin.
pub fn is_class(text: &str, class: Class) -> Option<bool> {
    if class == Class::Ascii {
        return Some(text.is_ascii());
    }
    let text = ascii(text)?;
    let all = |test: fn(char) -> bool| !text.is_empty() && text.chars().all(test);
    let cased = text.chars().any(|c| c.is_ascii_alphabetic());
    Some(match class {
        Class::Alnum => all(|c| c.is_ascii_alphanumeric()),
        Class::Alpha => all(|c| c.is_ascii_alphabetic()),
        Class::Decimal | Class::Digit | Class::Numeric => all(|c| c.is_ascii_digit()),
        Class::Identifier => all(|c| c.is_ascii_alphanumeric() || c == '_') && !text.starts_with(|c: char| c.is_ascii_digit()),
        Class::Lower => cased && !text.chars().any(|c| c.is_ascii_uppercase()),
        Class::Upper => cased && !text.chars().any(|c| c.is_ascii_lowercase()),
        Class::Printable => text.chars().all(|c| matches!(c, ' '..='~')),
        Class::Space => all(is_space),
        Class::Title => cased && title(text).as_deref() == Some(text),
        Class::Ascii => true,
    })
}

// ---- padding --------------------------------------------------------------------------------------------------------

/// How many characters of padding a width asks for.
fn padding(text: &str, width: i128) -> usize {
    usize::try_from(width.saturating_sub(length(text) as i128)).unwrap_or(0)
}

fn fill(count: usize, with: char) -> impl Iterator<Item = char> {
    std::iter::repeat_n(with, count)
}

/// `text.ljust(width, with)`. The caller bounds `width`.
pub fn ljust(text: &str, width: i128, with: char) -> String {
    text.chars().chain(fill(padding(text, width), with)).collect()
}

/// `text.rjust(width, with)`. The caller bounds `width`.
pub fn rjust(text: &str, width: i128, with: char) -> String {
    fill(padding(text, width), with).chain(text.chars()).collect()
}

/// `text.center(width, with)`: of an odd padding the greater half goes left where the width is odd too. The caller bounds `width`.
pub fn center(text: &str, width: i128, with: char) -> String {
    let total = padding(text, width);
    let left = total / 2 + (total & (width & 1) as usize & 1);
    fill(left, with).chain(text.chars()).chain(fill(total - left, with)).collect()
}

/// `text.zfill(width)`. The caller bounds `width`.
pub fn zfill(text: &str, width: i128) -> String {
    let (sign, rest) = match text.as_bytes().first() {
        Some(b'+' | b'-') => text.split_at(1),
        _ => ("", text),
    };
    sign.chars().chain(fill(padding(text, width), '0')).chain(rest.chars()).collect()
}

/// `text.expandtabs(size)`. The caller bounds `size`.
pub fn expandtabs(text: &str, size: i128) -> String {
    let size = usize::try_from(size).unwrap_or(0);
    let mut result = String::new();
    let mut column = 0;
    for c in text.chars() {
        if c == '\t' {
            if size > 0 {
                let spaces = size - column % size;
                column += spaces;
                result.extend(fill(spaces, ' '));
            }
        } else {
            column = if matches!(c, '\n' | '\r') { 0 } else { column + 1 };
            result.push(c);
        }
    }
    result
}
