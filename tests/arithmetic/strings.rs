//! String methods and formatting against CPython.

use antifreeze::value::format::{self, Formatted};
use antifreeze::value::text::{self, Class, ParsedInt, Side};
use serde_json::{Value, json};

use crate::support::{Random, ask};

/// Short texts over an alphabet in which every method has something to do.
fn any_text(random: &mut Random) -> String {
    const PIECES: [&str; 30] = [
        "a", "b", "ab", "B", "Z", "abc", " ", "  ", "\t", "\n", "\r\n", "\r", "\x0b", "\x1c", "\x1f", "0", "12", "-", "+", "_", ",", "'",
        "\"", "\\", "\0", "\x7f", "é", "\u{2028}", "\u{a0}", "x=y",
    ];
    (0..random.below(8)).map(|_| *random.pick::<&str>(&PIECES)).collect()
}

fn index(random: &mut Random) -> i128 {
    i128::from(random.below(14)) - 6
}

/// Compares each case; `None` is "not known", which must stay rare.
fn compare(test: &str, cases: &[(Value, Option<Value>)]) {
    let requests: Vec<Value> = cases.iter().map(|case| case.0.clone()).collect();
    let Some(answers) = ask(test, &requests) else { return };
    let mut unknown = 0;
    for ((request, result), answer) in cases.iter().zip(&answers) {
        let answer = if answer["bits"].is_u64() {
            json!(answer["value"].as_str().and_then(|value| value.parse::<i64>().ok()))
        } else {
            answer.clone()
        };
        match result {
            Some(result) => assert_eq!(*result, answer, "{request}"),
            None => unknown += 1,
        }
    }
    assert!(unknown * 2 <= cases.len(), "{unknown} of {} were unknown", cases.len());
}

#[test]
fn methods_are_cpythons() {
    let mut random = Random(31);
    let error = || json!({"error": "ValueError"});
    let mut cases: Vec<(Value, Option<Value>)> = vec![];
    for _ in 0..4_000 {
        let s = any_text(&mut random);
        let t = if random.below(3) == 0 {
            any_text(&mut random)
        } else {
            (*random.pick::<&str>(&["a", "ab", " ", "b", "\n", ",", ""])).to_owned()
        };
        let n = index(&mut random);
        let w = i128::from(random.below(20));
        let mut add = |request: Value, result: Option<Value>| cases.push((request, result));
        add(json!([".split", s]), text::split(&s, None, -1).map(|parts| json!(parts)));
        add(json!([".split", s, null, n as i64]), text::split(&s, None, n).map(|parts| json!(parts)));
        add(json!([".split", s, t, n as i64]), Some(text::split(&s, Some(&t), n).map_or_else(error, |parts| json!(parts))));
        add(json!([".rsplit", s, null, n as i64]), text::rsplit(&s, None, n).map(|parts| json!(parts)));
        add(json!([".rsplit", s, t, n as i64]), Some(text::rsplit(&s, Some(&t), n).map_or_else(error, |parts| json!(parts))));
        add(json!([".splitlines", s]), Some(json!(text::splitlines(&s, false))));
        add(json!([".splitlines", s, true]), Some(json!(text::splitlines(&s, true))));
        add(json!([".partition", s, t]), Some(text::partition(&s, &t).map_or_else(error, |parts| json!(parts))));
        add(json!([".rpartition", s, t]), Some(text::rpartition(&s, &t).map_or_else(error, |parts| json!(parts))));
        for (name, side) in [(".strip", Side::Both), (".lstrip", Side::Left), (".rstrip", Side::Right)] {
            add(json!([name, s]), Some(json!(text::strip(&s, None, side))));
            add(json!([name, s, t]), Some(json!(text::strip(&s, Some(&t), side))));
        }
        let end = n + w / 3;
        let (from, to) = (Some(n), Some(end));
        add(json!([".find", s, t, n as i64, end as i64]), Some(json!(text::find(&s, &t, from, to) as i64)));
        add(json!([".find", s, t, n as i64]), Some(json!(text::find(&s, &t, from, None) as i64)));
        add(json!([".rfind", s, t, n as i64, end as i64]), Some(json!(text::rfind(&s, &t, from, to) as i64)));
        add(json!([".count", s, t, n as i64, end as i64]), Some(json!(text::count(&s, &t, from, to) as i64)));
        add(json!([".count", s, t]), Some(json!(text::count(&s, &t, None, None) as i64)));
        add(json!([".startswith", s, t, n as i64, end as i64]), Some(json!(text::starts_with(&s, &t, from, to))));
        add(json!([".endswith", s, t, n as i64, end as i64]), Some(json!(text::ends_with(&s, &t, from, to))));
        add(json!([".replace", s, t, "<>", n as i64]), Some(json!(text::replace(&s, &t, "<>", n))));
        add(json!([".ljust", s, w as i64, "*"]), Some(json!(text::ljust(&s, w, '*'))));
        add(json!([".rjust", s, w as i64, "*"]), Some(json!(text::rjust(&s, w, '*'))));
        add(json!([".center", s, w as i64, "*"]), Some(json!(text::center(&s, w, '*'))));
        add(json!([".zfill", s, w as i64]), Some(json!(text::zfill(&s, w))));
        add(json!([".expandtabs", s, n as i64]), Some(json!(text::expandtabs(&s, n))));
        let cased = [
            (".upper", text::upper(&s)),
            (".lower", text::lower(&s)),
            (".casefold", text::lower(&s)),
            (".title", text::title(&s)),
            (".capitalize", text::capitalize(&s)),
            (".swapcase", text::swapcase(&s)),
        ];
        for (name, result) in cased {
            add(json!([name, s]), result.map(|result| json!(result)));
        }
        let classes = [
            (".isalnum", Class::Alnum),
            (".isalpha", Class::Alpha),
            (".isascii", Class::Ascii),
            (".isdecimal", Class::Decimal),
            (".isdigit", Class::Digit),
            (".isidentifier", Class::Identifier),
            (".islower", Class::Lower),
            (".isnumeric", Class::Numeric),
            (".isprintable", Class::Printable),
            (".isspace", Class::Space),
            (".istitle", Class::Title),
            (".isupper", Class::Upper),
        ];
        for (name, class) in classes {
            add(json!([name, s]), text::is_class(&s, class).map(|answer| json!(answer)));
        }
        add(json!(["repr", s]), text::repr_str(&s).map(|shown| json!(shown)));
        let bytes: Vec<u8> = if random.below(2) == 0 { s.bytes().collect() } else { (0..8).map(|_| random.next() as u8).collect() };
        add(json!(["repr", {"bytes": bytes}]), Some(json!(text::repr_bytes(&bytes))));
    }
    // Every character's repr, as far as it is claimed.
    cases.extend(
        (0..0x3100_u32)
            .filter_map(char::from_u32)
            .map(|c| (json!(["repr", c.to_string()]), text::repr_str(&c.to_string()).map(|shown| json!(shown))))
            .filter(|case| case.1.is_some()),
    );
    compare("string methods", &cases);
}

#[test]
fn int_of_text_is_cpythons() {
    const PIECES: [&str; 24] = [
        "0",
        "1",
        "9",
        "12",
        "007",
        "_",
        "__",
        "0x",
        "0b",
        "0o",
        "0X",
        "a",
        "F",
        "z",
        "+",
        "-",
        " ",
        "\n",
        ".",
        "\x1c",
        "e",
        "99999999999999999999",
        "8",
        "",
    ];
    let mut random = Random(32);
    let mut cases = vec![];
    for _ in 0..20_000 {
        let text: String = (0..random.below(6)).map(|_| *random.pick::<&str>(&PIECES)).collect();
        let base = *random.pick(&[10, 10, 10, 0, 2, 8, 16, 36, 7, 1, 37]);
        cases.push((text, base));
    }
    let requests: Vec<Value> = cases.iter().map(|(text, base)| json!(["parse_int", text, base])).collect();
    for ((text, base), answer) in cases.iter().zip(ask("int of text", &requests).into_iter().flatten()) {
        match text::parse_int(text, (*base).into()) {
            ParsedInt::Value(value) if value.unsigned_abs() < 1 << 126 => {
                assert_eq!(answer["value"], value.to_string(), "int({text:?}, {base})");
            }
            ParsedInt::Value(_) => assert!(answer["bits"].as_u64().is_some_and(|bits| bits == 127), "int({text:?}, {base})"),
            ParsedInt::Long { bits_low, bits_high, negative, .. } => {
                let bits = answer["bits"].as_u64().unwrap_or_else(|| panic!("int({text:?}, {base}) gave {answer}"));
                assert!(
                    bits_low <= bits && bits <= bits_high && bits_high - bits_low <= 1,
                    "int({text:?}, {base}) {bits} {bits_low} {bits_high}"
                );
                assert_eq!(answer["negative"], negative);
            }
            ParsedInt::Invalid => assert_eq!(answer["error"], "ValueError", "int({text:?}, {base})"),
            ParsedInt::Unknown => panic!("{text:?} is ASCII"),
        }
    }
}

fn any_float(random: &mut Random) -> f64 {
    match random.below(5) {
        0 => *random.pick(&[0.0, -0.0, 1.0, 0.5, 2.5, 1e16, 1e-5, 123_456_789.0, f64::INFINITY, f64::NAN, f64::MAX, 9.5, 99.95, 0.000_1]),
        1 => random.wide(30) as f64 / 1e4,
        2 => random.wide(20) as f64 / 8.0,
        3 => random.wide(60) as f64,
        _ => f64::from_bits(random.next()),
    }
}

fn any_value(random: &mut Random) -> (Value, Option<f64>, Option<i128>, Option<String>) {
    match random.below(3) {
        0 => {
            let value = any_float(random);
            (json!({"float": std::format!("{:016x}", value.to_bits())}), Some(value), None, None)
        }
        1 => {
            let value = random.wide(70);
            (json!({"int": value.to_string()}), None, Some(value), None)
        }
        _ => {
            let value = any_text(random);
            (json!(value), None, None, Some(value))
        }
    }
}

fn borrowed(value: &(Value, Option<f64>, Option<i128>, Option<String>)) -> format::Value<'_> {
    match value {
        (_, Some(value), ..) => format::Value::Float(*value),
        (_, _, Some(value), _) => format::Value::Int(*value),
        (.., text) => format::Value::Str(text.as_deref().unwrap_or_default()),
    }
}

#[test]
fn format_specs_are_cpythons() {
    let mut random = Random(33);
    let mut cases = vec![];
    for _ in 0..40_000 {
        let value = any_value(&mut random);
        let mut spec = String::new();
        for pieces in [
            &["", "", "", "<", ">", "^", "=", "*<", "*^", "0>", "0=", "{>"] as &[&str],
            &["", "", "+", "-", " "],
            &["", "", "", "#"],
            &["", "", "", "0"],
            &["", "", "1", "8", "12", "25"],
            &["", "", "", ",", "_"],
            &["", "", ".0", ".1", ".2", ".3", ".10", ".17", ".25", "."],
        ] {
            spec.push_str(random.pick::<&str>(pieces));
        }
        spec.push_str(if value.3.is_some() {
            random.pick::<&str>(&["", "s", "s", "d"])
        } else {
            random.pick::<&str>(&["", "d", "b", "o", "x", "X", "e", "E", "f", "F", "g", "G", "%", "s", "q", "n", "c"])
        });
        cases.push((value, spec));
    }
    let requests: Vec<Value> = cases.iter().map(|(value, spec)| json!(["format", value.0, spec])).collect();
    let mut unknown = 0;
    for ((value, spec), answer) in cases.iter().zip(ask("format", &requests).into_iter().flatten()) {
        match format::format(borrowed(value), spec) {
            Formatted::Text(text) => assert_eq!(answer, json!(text), "format({value:?}, {spec:?})"),
            Formatted::ValueError => assert_eq!(answer["error"], "ValueError", "format({value:?}, {spec:?})"),
            Formatted::Unknown => unknown += 1,
        }
    }
    assert!(unknown * 3 < cases.len(), "{unknown} unknown");
}

#[test]
fn percent_is_cpythons() {
    let mut random = Random(34);
    let mut cases = vec![];
    for _ in 0..30_000 {
        let value = any_value(&mut random);
        let mut template = String::from(*random.pick::<&str>(&["", "a%%b ", "x"]));
        template.push('%');
        for pieces in [
            &["", "", "", "-", "0", "+", " ", "#", "-0", "+0", "0 "] as &[&str],
            &["", "", "1", "8", "25"],
            &["", "", "", ".", ".0", ".1", ".3", ".17", ".30"],
            &["", "", "", "l"],
        ] {
            template.push_str(random.pick::<&str>(pieces));
        }
        template.push_str(random.pick::<&str>(&["d", "i", "u", "o", "x", "X", "e", "E", "f", "F", "g", "G", "s", "r", "q", "%", ""]));
        template.push_str(random.pick::<&str>(&["", " end"]));
        cases.push((value, template));
    }
    let requests: Vec<Value> = cases.iter().map(|(value, template)| json!(["percent", template, {"tuple": [value.0]}])).collect();
    let mut known = 0;
    for ((value, template), answer) in cases.iter().zip(ask("percent", &requests).into_iter().flatten()) {
        let Some((conversions, rest)) = format::parse_percent(template) else {
            assert!(answer["error"] == "ValueError" || answer["error"] == "TypeError", "{template:?} % {value:?} gave {answer}");
            continue;
        };
        let [conversion] = conversions.as_slice() else {
            assert_eq!(answer["error"], "TypeError", "{template:?} % {value:?}");
            continue;
        };
        if let Some(text) = format::percent(conversion, borrowed(value)) {
            known += 1;
            assert_eq!(answer, json!(std::format!("{}{text}{rest}", conversion.before)), "{template:?} % {value:?}");
        }
    }
    assert!(known * 3 > cases.len() || cases.is_empty() || known == 0, "only {known} known");
}
