//! Logs of Inspect: samples with messages. `events`, `attachments` and `view` say the same again.

use super::Format;
use crate::scan::extract::Extractor;
use crate::scan::json::Json;
use crate::scan::path::At;

pub(super) const FORMAT: Format = Format { name: "inspect", detect, extract, across: false };

fn detect(value: &Json) -> bool {
    value.array_at("messages").is_some() && value.get("epoch").is_some() && value.get("id").is_some()
        || value.array_at("samples").is_some() && value.get("eval").is_some()
}

fn extract(out: &mut Extractor, at: &At, log: &Json) {
    if let Some(samples) = log.array_at("samples") {
        let place = at.key("samples");
        out.model = log.at(&["eval", "model"]).and_then(Json::name);
        for (index, sample) in samples.iter().enumerate() {
            self::sample(out, &place.index(index), sample);
        }
    } else {
        sample(out, at, log);
    }
}

fn sample(out: &mut Extractor, at: &At, sample: &Json) {
    let part = |key| sample.get(key).and_then(Json::name).unwrap_or_default();
    out.session = Some(format!("{}#{}", part("id"), part("epoch")));
    out.model = sample.at(&["output", "model"]).and_then(Json::name).filter(|name| !name.is_empty()).or(out.model.take());
    if let Some(messages) = sample.array_at("messages") {
        out.conversation(&at.key("messages"), messages);
    }
}
