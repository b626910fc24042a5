//! Cassettes of VCR: exchanges over HTTP in YAML. What was answered counts; what was sent repeats it, but for runs sent to a collector,
//! and results of tools that the client ran.

use std::borrow::Cow;
use std::fmt::Write;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use saphyr_parser::{Event as Yaml, Parser, ScalarStyle};

use super::{openai_responses, stream};
use crate::scan::extract::{Event, Extractor, Role, role};
use crate::scan::json::{Json, quoted};
use crate::scan::path::At;

/// Looks at an exchange.
pub fn extract(out: &mut Extractor, at: &At, exchange: &Json) {
    one(out, (&at.key("request"), exchange.get("request")), (&at.key("response"), exchange.get("response")));
    // The result of a call is in the next request.
    out.across = true;
}

/// Looks at a cassette whose requests and responses are lists of their own.
pub fn lists(out: &mut Extractor, at: &At, cassette: &Json) {
    let (sent, answered) = (at.key("requests"), at.key("responses"));
    let requests = cassette.array_at("requests").unwrap_or_default();
    for (index, response) in cassette.array_at("responses").unwrap_or_default().iter().enumerate() {
        one(out, (&sent.index(index), requests.get(index)), (&answered.index(index), Some(response)));
    }
}

/// What was sent, then what was answered.
fn one(out: &mut Extractor, request: (&At, Option<&Json>), response: (&At, Option<&Json>)) {
    out.format = "vcr";
    (out.model, out.session) = (None, None);
    if request.1.and_then(|sent| sent.text_at("uri")).is_some_and(|uri| uri.contains("/runs")) {
        body(out, request.0, request.1);
    } else if let Some(sent) = request.1 {
        results(out, request.0, sent);
    }
    out.format = "vcr";
    body(out, response.0, response.1);
}

/// How calls ended that the client ran, as it sends it with the next question.
fn results(out: &mut Extractor, at: &At, request: &Json) {
    let text = sent(request).unwrap_or_default();
    let parsed = Json::parse(&text).ok();
    let Some(body) = request.get("parsed_body").or(parsed.as_ref()) else { return };
    let mut found = Extractor::default();
    if let Some(messages) = body.array_at("messages") {
        let new = messages.iter().rposition(|message| role(message) == Role::Assistant).map_or(messages.len(), |last| last + 1);
        messages[new..].iter().for_each(|message| found.message(at, message));
    }
    for item in body.array_at("input").unwrap_or_default() {
        openai_responses::item(&mut found, at, item);
    }
    out.events.extend(found.events.into_iter().filter(|event| matches!(event, Event::Outcome(..) | Event::Reply(_))));
}

/// The body of a message as text.
fn sent<'j>(message: &'j Json<'_>) -> Option<Cow<'j, str>> {
    match message.get("body")? {
        Json::Text(text) => Some(text.get()),
        inner => inner.text_at("string"),
    }
}

fn body(out: &mut Extractor, at: &At, message: Option<&Json>) {
    let Some(message) = message else { return };
    if let Some(parsed) = message.get("parsed_body") {
        return out.walk(&at.key("parsed_body"), parsed, 0);
    }
    let Some(text) = sent(message) else { return };
    let body = at.key("body");
    let place = if message.at(&["body", "string"]).is_some() { body.key("string") } else { body };
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
            Yaml::Scalar(text, _, _, Some(tag)) if tag.suffix == "binary" => out.push_str(&quoted(&decoded(&text))),
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

/// No body is longer, unpacked.
const LONGEST: u64 = 64 << 20;

/// What `!!binary` holds: base64, of what may be packed with gzip.
fn decoded(base64: &str) -> String {
    let mut bytes = Vec::with_capacity(base64.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in base64.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    let mut unpacked = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) && MultiGzDecoder::new(&bytes[..]).take(LONGEST).read_to_end(&mut unpacked).is_ok() {
        bytes = unpacked;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::to_json;

    #[test]
    fn binary_scalars_are_decoded() {
        let json = |yaml: &str| to_json(yaml).expect("it is YAML");
        assert_eq!(json("a: !!binary |\n  eyJh\n  IjogMX0=\n"), r#"{"a":"{\"a\": 1}"}"#);
        assert_eq!(json("a: !!binary H4sIAAAAAAAC/0vOT0kFAJgwFXcEAAAA"), r#"{"a":"code"}"#);
    }

    #[test]
    fn yaml_becomes_json() {
        let yaml = "- a: 1\n  b: [x, 'y', null]\n  c: |\n    one\n    two\n- {}\n";
        assert_eq!(to_json(yaml).expect("it is YAML"), r#"[{"a":1,"b":["x","y",null],"c":"one\ntwo\n"},{}]"#);
        assert!(to_json("a: [").is_err());
    }
}
