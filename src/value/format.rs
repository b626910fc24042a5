//! Formatting: the format-spec mini-language and printf-style `%`, exact or not at all.
//!
//! The caller bounds width and precision before it asks for text; a spec that CPython rejects gives [`Formatted::ValueError`].

use crate::value::decimal::Digits;
use crate::value::text;

/// What formatting gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formatted {
    /// The text.
    Text(String),
    /// ValueError: the spec is malformed, or does not fit the type.
    ValueError,
    /// Not known here.
    Unknown,
}

/// A value to format.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the types name themselves")]
pub enum Value<'a> {
    Int(i128),
    Float(f64),
    Str(&'a str),
}

/// A parsed format spec: `[[fill]align][sign][z][#][0][width][grouping][.precision][type]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spec {
    /// Padding character, a space by default.
    pub fill: char,
    /// `<`, `>`, `=` or `^`.
    pub align: Option<char>,
    /// `+`, `-` or a space.
    pub sign: Option<char>,
    /// `#`.
    pub alternate: bool,
    /// The 0 before the width.
    pub zero: bool,
    /// Least width.
    pub width: Option<u64>,
    /// `,` or `_`.
    pub grouping: Option<char>,
    /// Digits after the point, significant digits, or characters kept.
    pub precision: Option<u64>,
    /// The presentation type.
    pub kind: Option<char>,
}

/// The greatest C int: what a precision and a tab size must fit.
pub const C_INT: u64 = i32::MAX as u64;

/// The most characters that are rendered; a longer text is for the caller to bound by [`Spec::width`] and [`Spec::precision`].
const LONGEST: u64 = 1 << 16;

/// Too many decimal digits: a ValueError.
struct TooMany;

/// Reads digits, if there are any.
fn number(chars: &[char], at: &mut usize) -> Result<Option<u64>, TooMany> {
    let start = *at;
    let mut value: u64 = 0;
    while let Some(digit) = chars.get(*at).and_then(|c| c.to_digit(10)) {
        value = value.saturating_mul(10).saturating_add(u64::from(digit));
        *at += 1;
    }
    if value > i64::MAX as u64 { Err(TooMany) } else { Ok((*at > start).then_some(value)) }
}

impl Spec {
    /// Parses a spec; `None` is a ValueError. `z` (Python 3.11) and what comes after 3.13 give `Some(Err(()))`: not known here.
    pub fn parse(spec: &str) -> Option<Result<Spec, ()>> {
        let chars: Vec<char> = spec.chars().collect();
        let mut at = 0;
        let is_align = |c: Option<&char>| matches!(c, Some('<' | '>' | '=' | '^'));
        let mut result = Spec {
            fill: ' ',
            align: None,
            sign: None,
            alternate: false,
            zero: false,
            width: None,
            grouping: None,
            precision: None,
            kind: None,
        };
        let mut filled = false;
        if is_align(chars.get(1)) {
            result.fill = chars[0];
            result.align = Some(chars[1]);
            filled = true;
            at = 2;
        } else if is_align(chars.first()) {
            result.align = Some(chars[0]);
            at = 1;
        }
        if let Some(sign @ ('+' | '-' | ' ')) = chars.get(at) {
            result.sign = Some(*sign);
            at += 1;
        }
        if chars.get(at) == Some(&'z') {
            return Some(Err(()));
        }
        if chars.get(at) == Some(&'#') {
            result.alternate = true;
            at += 1;
        }
        if !filled && chars.get(at) == Some(&'0') {
            result.zero = true;
            result.fill = '0';
            at += 1;
        }
        result.width = number(&chars, &mut at).ok()?;
        while let Some(grouping @ (',' | '_')) = chars.get(at) {
            if result.grouping.is_some() {
                return None;
            }
            result.grouping = Some(*grouping);
            at += 1;
        }
        if chars.get(at) == Some(&'.') {
            at += 1;
            result.precision = Some(number(&chars, &mut at).ok()??);
            if matches!(chars.get(at), Some(',' | '_')) {
                // A grouped fraction is new in 3.14 and an error before.
                return Some(Err(()));
            }
        }
        if chars.len() > at + 1 {
            return None;
        }
        result.kind = chars.get(at).copied();
        if let (Some(grouping), Some(kind)) = (result.grouping, result.kind) {
            let fits = match kind {
                'd' | 'e' | 'f' | 'g' | 'E' | 'G' | '%' | 'F' => true,
                'b' | 'o' | 'x' | 'X' => grouping == '_',
                _ => false,
            };
            if !fits {
                return None;
            }
        }
        Some(Ok(result))
    }

    fn too_long(&self) -> bool {
        self.width.unwrap_or(0) > LONGEST || self.precision.unwrap_or(0) > LONGEST
    }

    fn sign_of(&self, negative: bool) -> &'static str {
        match (negative, self.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        }
    }

    /// Pads `head` (sign and prefix) and `body`.
    fn pad(&self, head: &str, body: &str, default: char) -> String {
        let width = self.width.unwrap_or(0) as usize;
        let total = width.saturating_sub(text::length(head) + text::length(body));
        let fill = |count: usize| std::iter::repeat_n(self.fill, count).collect::<String>();
        match self.align.unwrap_or(default) {
            '<' => format!("{head}{body}{}", fill(total)),
            '^' => format!("{}{head}{body}{}", fill(total / 2), fill(total - total / 2)),
            '=' => format!("{head}{}{body}", fill(total)),
            _ => format!("{}{head}{body}", fill(total)),
        }
    }

    /// The alignment of a number: a 0 before the width pads after the sign.
    fn number_align(&self) -> char {
        if self.zero { '=' } else { '>' }
    }

    /// Groups the integer digits, zero padding included where the fill is 0 and goes after the sign.
    fn number_text(&self, head: &str, integer: &str, rest: &str, group: usize) -> String {
        let Some(separator) = self.grouping else {
            return self.pad(head, &format!("{integer}{rest}"), self.number_align());
        };
        let mut digits: Vec<char> = integer.chars().collect();
        if self.fill == '0' && self.align.unwrap_or(self.number_align()) == '=' {
            // Zeros are added until the grouped number is wide enough; a separator is never the first character.
            let width = (self.width.unwrap_or(0) as usize).saturating_sub(text::length(head) + text::length(rest));
            while digits.len() + (digits.len() - usize::from(!digits.is_empty())) / group < width {
                digits.insert(0, '0');
            }
        }
        let mut grouped = String::new();
        for (index, digit) in digits.iter().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(group) {
                grouped.push(separator);
            }
            grouped.push(*digit);
        }
        self.pad(head, &format!("{grouped}{rest}"), self.number_align())
    }
}

/// `format(value, spec)`.
pub fn format(value: Value<'_>, spec: &str) -> Formatted {
    let parsed = match Spec::parse(spec) {
        None => return Formatted::ValueError,
        Some(Err(())) => return Formatted::Unknown,
        Some(Ok(parsed)) => parsed,
    };
    if parsed.too_long() {
        return Formatted::Unknown;
    }
    match value {
        Value::Str(text) => format_str(text, parsed),
        Value::Int(value) if spec.is_empty() => Formatted::Text(value.to_string()),
        Value::Int(value) => format_int(value, &parsed),
        Value::Float(value) => format_float(value, &parsed),
    }
}

fn format_str(value: &str, mut spec: Spec) -> Formatted {
    if spec.zero {
        // Until 3.9 the 0 meant `=` alignment and was refused; since 3.10 it only sets the fill.
        return Formatted::Unknown;
    }
    if spec.kind.is_some_and(|kind| kind != 's')
        || spec.sign.is_some()
        || spec.alternate
        || spec.grouping.is_some()
        || spec.align == Some('=')
    {
        return Formatted::ValueError;
    }
    let kept: String = spec.precision.map_or_else(|| value.to_owned(), |most| value.chars().take(most as usize).collect());
    spec.align = spec.align.or(Some('<'));
    Formatted::Text(spec.pad("", &kept, '<'))
}

fn format_int(value: i128, spec: &Spec) -> Formatted {
    match spec.kind {
        Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') => return format_float(value as f64, spec),
        Some('n') => return Formatted::Unknown,
        Some('c') => {
            if spec.precision.is_some() || spec.sign.is_some() || spec.alternate || spec.grouping.is_some() {
                return Formatted::ValueError;
            }
            // Alignment of characters and OverflowError beyond Unicode are left to the caller.
            return Formatted::Unknown;
        }
        Some('d' | 'b' | 'o' | 'x' | 'X') | None => {}
        Some(_) => return Formatted::ValueError,
    }
    if spec.precision.is_some() {
        return Formatted::ValueError;
    }
    let size = value.unsigned_abs();
    let (digits, prefix, group) = match spec.kind {
        Some('b') => (format!("{size:b}"), "0b", 4),
        Some('o') => (format!("{size:o}"), "0o", 4),
        Some('x') => (format!("{size:x}"), "0x", 4),
        Some('X') => (format!("{size:X}"), "0X", 4),
        _ => (size.to_string(), "", 3),
    };
    let head = format!("{}{}", spec.sign_of(value < 0), if spec.alternate { prefix } else { "" });
    Formatted::Text(spec.number_text(&head, &digits, "", group))
}

/// The magnitude of a float in `e`, `f`, `g` or `%` style, before padding.
fn float_body(value: f64, kind: char, precision: usize, alternate: bool) -> String {
    let size = value.abs();
    if !size.is_finite() {
        let body = if size.is_nan() { "nan" } else { "inf" };
        return if kind.is_ascii_uppercase() { body.to_ascii_uppercase() } else { body.to_owned() };
    }
    let exact = Digits::exact(size);
    let body = match kind.to_ascii_lowercase() {
        'e' => exact.round_significant(precision as i64 + 1).scientific(precision, alternate),
        'f' => exact.round_places(precision as i64).fixed(precision, alternate),
        _ => {
            let precision = precision.max(1);
            let rounded = exact.round_significant(precision as i64);
            general(&rounded, precision, alternate, precision as i64)
        }
    };
    if kind.is_ascii_uppercase() { body.to_ascii_uppercase() } else { body }
}

/// `g` style of digits already rounded: fixed while −4 ≤ exponent < `limit`, without trailing zeros unless `alternate`.
fn general(rounded: &Digits, precision: usize, alternate: bool, limit: i64) -> String {
    let exponent = if rounded.digits == [0] { 0 } else { i64::from(rounded.point) - 1 };
    let count = if alternate { precision } else { rounded.digits.len() };
    if (-4..limit).contains(&exponent) {
        let places = (count as i64 - 1 - exponent).max(0);
        rounded.fixed(places as usize, alternate)
    } else {
        rounded.scientific(count - 1, alternate)
    }
}

fn format_float(value: f64, spec: &Spec) -> Formatted {
    let precision = spec.precision.map(|precision| precision as usize);
    let body = match spec.kind {
        Some(kind @ ('e' | 'E' | 'f' | 'F' | 'g' | 'G')) => float_body(value, kind, precision.unwrap_or(6), spec.alternate),
        Some('%') => {
            let scaled = value * 100.0;
            format!("{}%", float_body(scaled, 'f', precision.unwrap_or(6), spec.alternate))
        }
        None if !value.is_finite() => float_body(value, 'g', 6, false),
        None => match precision {
            // Like repr, but through `g` with at least one digit after the point.
            None if spec.alternate => return Formatted::Unknown,
            None => crate::value::decimal::repr_float(value.abs()),
            Some(_) if spec.alternate => return Formatted::Unknown,
            Some(precision) => {
                let precision = precision.max(1);
                let rounded = Digits::exact(value).round_significant(precision as i64);
                // One digit of the precision goes to the ".0" that distinguishes a float.
                let body = general(&rounded, precision, false, if precision == 1 { 1 } else { precision as i64 - 1 });
                if precision == 1 && !body.contains('e') {
                    return Formatted::Unknown;
                }
                if body.contains(['.', 'e']) { body } else { format!("{body}.0") }
            }
        },
        Some('n') => return Formatted::Unknown,
        Some(_) => return Formatted::ValueError,
    };
    let head = spec.sign_of(value.is_sign_negative() && !value.is_nan());
    let at = body.find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len());
    let (integer, rest) = body.split_at(at);
    if !value.is_finite() && spec.grouping.is_some() {
        return Formatted::Unknown;
    }
    Formatted::Text(spec.number_text(head, integer, rest, 3))
}

/// A width or precision of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Written in the template.
    Given(u64),
    /// `*`: the next argument.
    Star,
}

impl Amount {
    const fn given(self) -> Option<u64> {
        match self {
            Amount::Given(amount) => Some(amount),
            Amount::Star => None,
        }
    }
}

/// One conversion of a printf-style template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversion {
    /// Text before it, `%%` already replaced.
    pub before: String,
    /// `%(key)s`.
    pub key: Option<String>,
    /// `-`, `+`, space, `#`, `0`.
    pub flags: String,
    /// Least width.
    pub width: Option<Amount>,
    /// Precision.
    pub precision: Option<Amount>,
    /// The conversion character.
    pub kind: char,
}

/// Splits a template into conversions and the text after the last; `None` is an error (ValueError, or TypeError where arguments are too few as well).
pub fn parse_percent(template: &str) -> Option<(Vec<Conversion>, String)> {
    let chars: Vec<char> = template.chars().collect();
    let (mut conversions, mut text, mut at) = (vec![], String::new(), 0);
    while at < chars.len() {
        if chars[at] != '%' {
            text.push(chars[at]);
            at += 1;
            continue;
        }
        at += 1;
        if chars.get(at) == Some(&'%') {
            text.push('%');
            at += 1;
            continue;
        }
        let mut key = None;
        if chars.get(at) == Some(&'(') {
            let (start, mut depth) = (at + 1, 1);
            while depth > 0 {
                at += 1;
                match chars.get(at)? {
                    '(' => depth += 1,
                    ')' => depth -= 1,
                    _ => {}
                }
            }
            key = Some(chars[start..at].iter().collect());
            at += 1;
        }
        let mut flags = String::new();
        while let Some(flag @ ('-' | '+' | ' ' | '#' | '0')) = chars.get(at) {
            flags.push(*flag);
            at += 1;
        }
        let star_or_number = |at: &mut usize| -> Result<Option<Amount>, TooMany> {
            if chars.get(*at) == Some(&'*') {
                *at += 1;
                return Ok(Some(Amount::Star));
            }
            Ok(number(&chars, at)?.map(Amount::Given))
        };
        let width = star_or_number(&mut at).ok()?;
        let precision = if chars.get(at) == Some(&'.') {
            at += 1;
            Some(star_or_number(&mut at).ok()?.unwrap_or(Amount::Given(0)))
        } else {
            None
        };
        if matches!(chars.get(at), Some('h' | 'l' | 'L')) {
            at += 1;
        }
        let kind = *chars.get(at)?;
        at += 1;
        // Only a bare `%%` is a percent sign: `%5%` is an error.
        if !"diouxXeEfFgGcrsa".contains(kind) {
            return None;
        }
        conversions.push(Conversion { before: std::mem::take(&mut text), key, flags, width, precision, kind });
    }
    Some((conversions, text))
}

/// One conversion applied to a value; `None` where unsure (a `*`, a type that raises TypeError, `%a`, `%c`).
pub fn percent(conversion: &Conversion, value: Value<'_>) -> Option<String> {
    let has = |flag: char| conversion.flags.contains(flag);
    let width = conversion.width.map_or(Some(0), Amount::given)?;
    let precision = match conversion.precision {
        None => None,
        Some(precision) => Some(precision.given()?),
    };
    if width > LONGEST || precision.unwrap_or(0) > LONGEST {
        return None;
    }
    let precision = precision.map(|precision| precision as usize);
    let spec = Spec {
        fill: if has('0') && !has('-') { '0' } else { ' ' },
        align: Some(if has('-') {
            '<'
        } else if has('0') {
            '='
        } else {
            '>'
        }),
        sign: if has('+') {
            Some('+')
        } else if has(' ') {
            Some(' ')
        } else {
            None
        },
        alternate: has('#'),
        zero: false,
        width: Some(width),
        grouping: None,
        precision: None,
        kind: None,
    };
    match (conversion.kind, value) {
        ('s' | 'r', value) => {
            let shown = match (conversion.kind, value) {
                ('s', Value::Str(text)) => text.to_owned(),
                (_, Value::Str(text)) => text::repr_str(text)?,
                (_, Value::Int(value)) => value.to_string(),
                (_, Value::Float(value)) => crate::value::decimal::repr_float(value),
            };
            let kept: String = precision.map_or(shown.clone(), |most| shown.chars().take(most).collect());
            let align = if has('-') { '<' } else { '>' };
            Some(Spec { fill: ' ', align: Some(align), ..spec }.pad("", &kept, align))
        }
        ('d' | 'i' | 'u' | 'o' | 'x' | 'X', Value::Int(value)) => {
            let size = value.unsigned_abs();
            let (digits, prefix) = match conversion.kind {
                'o' => (format!("{size:o}"), "0o"),
                'x' => (format!("{size:x}"), "0x"),
                'X' => (format!("{size:X}"), "0X"),
                _ => (size.to_string(), ""),
            };
            let head = format!("{}{}", spec.sign_of(value < 0), if spec.alternate { prefix } else { "" });
            let zeros = precision.unwrap_or(0).saturating_sub(digits.len());
            Some(spec.pad(&head, &format!("{}{digits}", "0".repeat(zeros)), '>'))
        }
        ('d' | 'i' | 'u', Value::Float(value)) if value.is_finite() && value.abs() < 1e38 => {
            percent(conversion, Value::Int(value.trunc() as i128))
        }
        (kind @ ('e' | 'E' | 'f' | 'F' | 'g' | 'G'), Value::Float(_) | Value::Int(_)) => {
            let value = match value {
                Value::Float(value) => value,
                Value::Int(value) => value as f64,
                Value::Str(_) => return None,
            };
            let body = float_body(value, kind, precision.unwrap_or(6), spec.alternate);
            let head = spec.sign_of(value.is_sign_negative() && !value.is_nan());
            Some(spec.pad(head, &body, '>'))
        }
        _ => None,
    }
}
