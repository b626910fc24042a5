//! Doubles as decimal text, both ways, as CPython writes and reads them.

/// What `float(text)` gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParsedFloat {
    /// A float.
    Value(f64),
    /// ValueError.
    Invalid,
    /// Digits or spaces beyond ASCII, which are not looked at here.
    Unknown,
}

/// `float(text)`, correctly rounded.
pub fn parse_float(text: &str) -> ParsedFloat {
    if !text.is_ascii() {
        return ParsedFloat::Unknown;
    }
    // In ASCII text CPython strips what C's isspace says, not what str.isspace says: no 0x1c–0x1f.
    let body = text.trim_matches(|c: char| matches!(c, ' ' | '\t'..='\r'));
    let unsigned = body.strip_prefix(['+', '-']).unwrap_or(body);
    let negative = body.starts_with('-');
    let sign = |value: f64| if negative { -value } else { value };
    if unsigned.eq_ignore_ascii_case("inf") || unsigned.eq_ignore_ascii_case("infinity") {
        return ParsedFloat::Value(sign(f64::INFINITY));
    }
    if unsigned.eq_ignore_ascii_case("nan") {
        return ParsedFloat::Value(f64::NAN);
    }
    if !is_decimal(unsigned.as_bytes()) {
        return ParsedFloat::Invalid;
    }
    let digits: String = unsigned.chars().filter(|c| *c != '_').collect();
    digits.parse::<f64>().map_or(ParsedFloat::Unknown, |value| ParsedFloat::Value(sign(value)))
}

/// The grammar `digits [. digits] [e [sign] digits]` with at least one mantissa digit and underscores only between digits.
fn is_decimal(text: &[u8]) -> bool {
    let between = |i: usize| i > 0 && text[i - 1].is_ascii_digit() && text.get(i + 1).is_some_and(u8::is_ascii_digit);
    if (0..text.len()).any(|i| text[i] == b'_' && !between(i)) {
        return false;
    }
    let digits = |from: usize| from + text[from..].iter().take_while(|c| c.is_ascii_digit() || **c == b'_').count();
    let mut at = digits(0);
    let mut any = at > 0;
    if text.get(at) == Some(&b'.') {
        let end = digits(at + 1);
        any |= end > at + 1;
        at = end;
    }
    if any && matches!(text.get(at), Some(b'e' | b'E')) {
        let start = at + 1 + usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let end = digits(start.min(text.len()));
        if end == start {
            return false;
        }
        at = end;
    }
    any && at == text.len()
}

/// Significant decimal digits of a finite magnitude: `0.d1 d2 d3 … · 10**point`, without trailing zeros. 0 is the single digit 0 with point 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digits {
    /// The digits, each 0–9.
    pub digits: Vec<u8>,
    /// Where the decimal point is, counted from before the first digit.
    pub point: i32,
}

impl Digits {
    fn from_scientific(text: &str) -> Digits {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
        while digits.len() > 1 && digits.last() == Some(&0) {
            digits.pop();
        }
        Digits { digits, point: exponent.parse::<i32>().unwrap_or(0) + 1 }
    }

    /// The fewest digits that read back as the same double, the closest to it among those.
    ///
    /// Where the exact value lies midway between two such texts, CPython's dtoa takes the even digit and Rust the greater one.
    pub fn shortest(value: f64) -> Digits {
        let shortest = Digits::from_scientific(&format!("{:e}", value.abs()));
        let count = shortest.digits.len();
        let more = Digits::from_scientific(&format!("{:.30e}", value.abs()));
        if more.digits.len() == count + 1 && more.digits[count] == 5 {
            let even = Digits::exact(value).round_significant(count as i64);
            let text = even.scientific(even.digits.len() - 1, false);
            if text.parse::<f64>().is_ok_and(|read| read == value.abs()) {
                return even;
            }
        }
        shortest
    }

    /// Every digit of the double's exact value (at most 767).
    pub fn exact(value: f64) -> Digits {
        Digits::from_scientific(&format!("{:.780e}", value.abs()))
    }

    fn is_zero(&self) -> bool {
        self.digits == [0]
    }

    /// Rounded half to even so that `keep` digits remain (none or fewer: to 0 or to one digit at that place).
    fn round_to(&self, keep: i64) -> Digits {
        if keep >= self.digits.len() as i64 || self.is_zero() {
            return self.clone();
        }
        if keep < 0 {
            return Digits { digits: vec![0], point: 1 };
        }
        let keep = keep as usize;
        let rest = &self.digits[keep..];
        let odd = keep > 0 && self.digits[keep - 1] % 2 == 1;
        let up = rest[0] > 5 || (rest[0] == 5 && (rest.len() > 1 || odd));
        let mut digits = self.digits[..keep].to_vec();
        let mut point = self.point;
        if up {
            let mut index = keep;
            loop {
                if index == 0 {
                    digits.insert(0, 1);
                    point += 1;
                    break;
                }
                index -= 1;
                if digits[index] < 9 {
                    digits[index] += 1;
                    break;
                }
                digits[index] = 0;
            }
        }
        while digits.len() > 1 && digits.last() == Some(&0) {
            digits.pop();
        }
        if digits.is_empty() || digits == [0] {
            return Digits { digits: vec![0], point: 1 };
        }
        Digits { digits, point }
    }

    /// Rounded half to even to `places` digits after the point (negative: before it).
    pub fn round_places(&self, places: i64) -> Digits {
        self.round_to(i64::from(self.point).saturating_add(places))
    }

    /// Rounded half to even to `count` significant digits (at least 1).
    pub fn round_significant(&self, count: i64) -> Digits {
        self.round_to(count.max(1))
    }

    fn digit(&self, index: i64) -> char {
        usize::try_from(index).ok().and_then(|index| self.digits.get(index)).map_or('0', |digit| char::from(b'0' + digit))
    }

    /// Fixed notation with exactly `places` digits after the point (no point for 0 unless `alternate`).
    pub fn fixed(&self, places: usize, alternate: bool) -> String {
        let point = i64::from(if self.is_zero() { 1 } else { self.point });
        let mut text = String::new();
        if point <= 0 {
            text.push('0');
        }
        text.extend((0..point).map(|index| self.digit(index)));
        if places > 0 || alternate {
            text.push('.');
        }
        text.extend((0..places as i64).map(|place| self.digit(point + place)));
        text
    }

    /// Scientific notation with exactly `places` digits after the point, the exponent with at least two digits.
    pub fn scientific(&self, places: usize, alternate: bool) -> String {
        let exponent = if self.is_zero() { 0 } else { self.point - 1 };
        let mut text = String::from(self.digit(0));
        if places > 0 || alternate {
            text.push('.');
        }
        text.extend((1..=places as i64).map(|index| self.digit(index)));
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{text}e{sign}{:02}", exponent.abs())
    }
}

/// `repr(value)`.
pub fn repr_float(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return format!("{sign}inf");
    }
    let digits = Digits::shortest(value);
    let exponent = digits.point - 1;
    let body = if (-4..16).contains(&exponent) {
        let places = (digits.digits.len() as i64 - i64::from(digits.point)).max(1);
        digits.fixed(places as usize, false)
    } else {
        digits.scientific(digits.digits.len() - 1, false)
    };
    format!("{sign}{body}")
}

/// `round(value, places)` of a float; `None` is OverflowError (the rounded value is too large for a float).
pub fn round_float(value: f64, places: i64) -> Option<f64> {
    // The bounds of CPython's float.__round__: beyond them nothing, or everything, is rounded away.
    if !value.is_finite() || places > 323 {
        return Some(value);
    }
    if places < -308 {
        return Some(0.0 * value);
    }
    let digits = Digits::exact(value).round_places(places);
    let text = digits.scientific(digits.digits.len() - 1, false);
    let rounded = text.parse::<f64>().unwrap_or(f64::NAN).copysign(value);
    rounded.is_finite().then_some(rounded)
}
