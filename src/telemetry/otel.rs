//! A span of OpenTelemetry's for each program that was run or refused: OTLP over HTTP in JSON, with the semantic conventions for the
//! tools of generative AI, code and exceptions (<https://opentelemetry.io/docs/specs/semconv/>). Where it goes is said by the variables
//! that all exporters read.

use std::time::{SystemTime, UNIX_EPOCH};

use sentry_types::random_uuid;
use serde_json::{Value, json};

use super::event::About;
use super::settings::Settings;
use super::{Parcel, event};
use crate::outcome::OutcomeKind;

/// Where traces go, and whose they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traces {
    url: String,
    headers: Vec<(String, String)>,
    service: String,
    /// The trace and the span that this is part of.
    parent: Option<(String, String)>,
}

impl Traces {
    /// What the environment says.
    pub fn new(variable: &impl Fn(&str) -> Option<String>) -> Option<Traces> {
        if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return None;
        }
        let whole = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let url = whole.or_else(|| Some(format!("{}/v1/traces", variable("OTEL_EXPORTER_OTLP_ENDPOINT")?.trim_end_matches('/'))))?;
        let headers = variable("OTEL_EXPORTER_OTLP_TRACES_HEADERS").or_else(|| variable("OTEL_EXPORTER_OTLP_HEADERS")).unwrap_or_default();
        let headers = headers.split(',').filter_map(|pair| pair.split_once('='));
        Some(Traces {
            url,
            headers: headers.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect(),
            service: variable("OTEL_SERVICE_NAME").unwrap_or_else(|| "antifreeze".into()),
            parent: variable("TRACEPARENT").and_then(|text| parent(&text)),
        })
    }
}

/// The trace and the span of a `traceparent` (<https://www.w3.org/TR/trace-context/>).
fn parent(text: &str) -> Option<(String, String)> {
    let parts = text.trim().split('-').collect::<Vec<_>>();
    let hex = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit()) && part.bytes().any(|byte| byte != b'0')
    };
    match parts[..] {
        [_, trace, span, ..] if hex(trace, 32) && hex(span, 16) => Some((trace.to_owned(), span.to_owned())),
        _ => None,
    }
}

/// The span, where traces go anywhere.
pub fn parcel(about: &About<'_>, settings: &Settings) -> Option<Parcel> {
    let traces = settings.traces.as_ref()?;
    let host = traces.url.split("://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let mut headers = traces.headers.clone();
    headers.push(("Content-Type".into(), "application/json".into()));
    let body = request(about, settings, traces, SystemTime::now()).to_string();
    Some(Parcel { receiver: format!("OpenTelemetry ({host})"), url: traces.url.clone(), headers, body: Some(body) })
}

fn request(about: &About<'_>, settings: &Settings, traces: &Traces, now: SystemTime) -> Value {
    let outcome = about.outcome;
    let kind = outcome.outcome.name();
    let end = now.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    let start = end.saturating_sub((outcome.duration_ms.max(0.0) * 1e6) as u128);
    let mut attributes = vec![
        text("gen_ai.operation.name", "execute_tool"),
        text("gen_ai.tool.name", "python"),
        text("gen_ai.tool.type", "extension"),
        text("antifreeze.outcome", kind),
    ];
    let event = event::event(about, settings);
    let well = outcome.outcome == OutcomeKind::Finished;
    if !well {
        let raised = outcome.error.as_ref().filter(|_| outcome.outcome == OutcomeKind::Raised).map(|error| error.kind.as_str());
        attributes.push(text("error.type", raised.unwrap_or(kind)));
    }
    if let Some(rule) = event.as_ref().and_then(|event| event.tags.get("rule")) {
        attributes.push(text("antifreeze.rule", rule));
    }
    if let Some(limit) = &outcome.limit {
        attributes.push(text("antifreeze.limit.name", &limit.name));
        attributes.push(json!({ "key": "antifreeze.limit.value", "value": { "doubleValue": limit.value } }));
    }
    if let Some(status) = outcome.exit_status {
        attributes.push(json!({ "key": "process.exit.code", "value": { "intValue": status.to_string() } }));
    }
    if let Some(frame) = outcome.stack.as_ref().and_then(|stack| stack.last()) {
        attributes.push(text("code.function.name", &frame.function));
        attributes.push(text("code.file.path", &frame.file));
        attributes.push(json!({ "key": "code.line.number", "value": { "intValue": frame.line.to_string() } }));
    }
    let mut events = Vec::new();
    if let Some(event) = &event {
        let mut of = vec![text("exception.type", kind), text("exception.message", event.message.as_deref().unwrap_or_default())];
        of.extend(event.extra.get("worker_faulthandler_stack").and_then(Value::as_str).map(|stack| text("exception.stacktrace", stack)));
        events.push(json!({ "name": "exception", "timeUnixNano": end.to_string(), "attributes": of }));
    }
    let (trace, parent) = match &traces.parent {
        Some((trace, span)) => (trace.clone(), Some(span.clone())),
        None => (random_uuid().simple().to_string(), None),
    };
    let mut span = json!({
        "traceId": trace,
        "spanId": &random_uuid().simple().to_string()[..16],
        "name": "execute_tool python",
        "kind": 1,
        "startTimeUnixNano": start.to_string(),
        "endTimeUnixNano": end.to_string(),
        "attributes": attributes,
        "events": events,
        "status": if well { json!({ "code": 1 }) } else { json!({ "code": 2, "message": kind }) },
    });
    if let Some(parent) = parent {
        span["parentSpanId"] = parent.into();
    }
    let resource = [text("service.name", &traces.service), text("deployment.environment.name", &settings.environment)];
    let scope = json!({ "name": "antifreeze", "version": env!("CARGO_PKG_VERSION") });
    json!({ "resourceSpans": [{ "resource": { "attributes": resource }, "scopeSpans": [{ "scope": scope, "spans": [span] }] }] })
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Frame, LimitHit, Outcome};

    fn traces(variables: &[(&str, &str)]) -> Option<Traces> {
        Traces::new(&|name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_span_follows_the_conventions() {
        let stack = vec![Frame { file: "agent.py".into(), line: 3, function: "f".into(), source: Some("SECRET".into()) }];
        let limit = LimitHit { name: "timeout".into(), value: 1.0, observed: None };
        let outcome = Outcome { stack: Some(stack), limit: Some(limit), duration_ms: 1000.0, ..Outcome::new(OutcomeKind::TimedOut) };
        let about = About { outcome: &outcome, limits: None, code: None, name: "agent.py" };
        let parent = format!("00-{}-{}-01", "ab".repeat(16), "cd".repeat(8));
        let settings = Settings {
            traces: traces(&[
                ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/"),
                ("OTEL_EXPORTER_OTLP_HEADERS", "key=a=b"),
                ("TRACEPARENT", &parent),
            ]),
            ..Settings::default()
        };
        let parcel = parcel(&about, &settings).expect("there is one");
        assert_eq!((parcel.url.as_str(), &parcel.headers[0]), ("http://collector:4318/v1/traces", &("key".to_owned(), "a=b".to_owned())));
        let body: Value = serde_json::from_str(parcel.body.as_deref().unwrap_or_default()).expect("it is JSON");
        let span = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!((&span["traceId"], &span["parentSpanId"]), (&json!("ab".repeat(16)), &json!("cd".repeat(8))));
        let time = |key: &str| span[key].as_str().and_then(|text| text.parse::<u128>().ok()).unwrap_or_default();
        assert_eq!(time("endTimeUnixNano") - time("startTimeUnixNano"), 1_000_000_000);
        for (key, value) in [("gen_ai.operation.name", "execute_tool"), ("error.type", "timed_out"), ("code.function.name", "f")] {
            assert!(span["attributes"].as_array().is_some_and(|all| all.contains(&text(key, value))), "{key}: {span:#}");
        }
        assert_eq!((&span["status"]["code"], &span["events"][0]["name"]), (&json!(2), &json!("exception")));
        assert!(!span.to_string().contains("SECRET"));
    }

    #[test]
    fn nothing_goes_anywhere_unasked() {
        assert_eq!(traces(&[]), None);
        assert_eq!(traces(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://x"), ("OTEL_SDK_DISABLED", "true")]), None);
        let whole = traces(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://x/y"), ("TRACEPARENT", "nonsense")]).expect("it is there");
        assert_eq!((whole.url.as_str(), whole.parent), ("http://x/y", None));
    }
}
