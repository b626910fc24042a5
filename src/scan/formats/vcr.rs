//! Cassettes of VCR: exchanges over HTTP in YAML. What was answered counts; what was sent repeats it, but for runs sent to a collector.

use std::fmt::Write;

use saphyr_parser::{Event as Yaml, Parser, ScalarStyle};

use super::stream;
use crate::scan::extract::Extractor;
use crate::scan::json::{Json, quoted};
use crate::scan::path::At;

/// Looks at an exchange.
pub fn extract(out: &mut Extractor, at: &At, exchange: &Json) {
    out.format = "vcr";
    if exchange.at(&["request", "uri"]).and_then(Json::text).is_some_and(|uri| uri.contains("/runs")) {
        let request = at.key("request");
        body(out, &request, exchange.get("request"));
    }
    let response = at.key("response");
    body(out, &response, exchange.get("response"));
}

fn body(out: &mut Extractor, at: &At, message: Option<&Json>) {
    let Some(message) = message else { return };
    if let Some(parsed) = message.get("parsed_body") {
        return out.walk(&at.key("parsed_body"), parsed, 0);
    }
    let body = at.key("body");
    let (place, text) = match message.get("body") {
        Some(Json::Text(text)) => (body, text.get()),
        Some(inner @ Json::Object(_)) => match inner.text_at("string") {
            Some(text) => (body.key("string"), text),
            None => return,
        },
        _ => return,
    };
    if stream::is_stream(&text) {
        stream::extract(out, &place, &text);
    } else {
        out.within(&place, &text, 0);
    }
}

/// A YAML document as JSON.
///
/// # Errors
/// What is no YAML, and the line.
pub fn to_json(yaml: &str) -> Result<String, (usize, String)> {
    // For each open collection: whether it is a mapping, and how many values are in it.
    let mut open: Vec<(bool, usize)> = Vec::new();
    let mut out = String::with_capacity(yaml.len());
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.map_err(|error| (error.marker().line(), error.info().to_owned()))?;
        let is_value = matches!(event, Yaml::Scalar(..) | Yaml::Alias(..) | Yaml::SequenceStart(..) | Yaml::MappingStart(..));
        if is_value && let Some((mapping, count)) = open.last_mut() {
            let separator = match (*mapping, *count) {
                (_, 0) => "",
                (true, count) if count % 2 == 1 => ":",
                _ => ",",
            };
            out.push_str(separator);
            *count += 1;
        }
        let is_key = open.last().is_some_and(|(mapping, count)| *mapping && count % 2 == 1);
        match event {
            Yaml::Scalar(text, style, ..) => {
                let plain = matches!(style, ScalarStyle::Plain) && !is_key;
                let number = plain
                    && !text.starts_with('+')
                    && text.parse::<f64>().is_ok_and(f64::is_finite)
                    && text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
                match &*text {
                    "null" | "~" | "" if plain => out.push_str("null"),
                    "true" | "false" if plain => out.push_str(&text),
                    _ if number => out.push_str(&text),
                    _ => out.push_str(&quoted(&text)),
                }
            }
            Yaml::Alias(..) => out.push_str("null"),
            Yaml::SequenceStart(..) if is_key => return Err((span.start.line(), "a key that is no text".into())),
            Yaml::MappingStart(..) if is_key => return Err((span.start.line(), "a key that is no text".into())),
            Yaml::SequenceStart(..) => {
                open.push((false, 0));
                out.push('[');
            }
            Yaml::MappingStart(..) => {
                open.push((true, 0));
                out.push('{');
            }
            Yaml::SequenceEnd | Yaml::MappingEnd => {
                let _ = write!(out, "{}", if open.pop().is_some_and(|(mapping, _)| mapping) { '}' } else { ']' });
            }
            _ => {}
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::to_json;

    #[test]
    fn yaml_becomes_json() {
        let yaml = "- a: 1\n  b: [x, 'y', null]\n  c: |\n    one\n    two\n- {}\n";
        assert_eq!(to_json(yaml).expect("it is YAML"), r#"[{"a":1,"b":["x","y",null],"c":"one\ntwo\n"},{}]"#);
        assert!(to_json("a: [").is_err());
    }
}
