//! Whether a real value lies within an abstract one, both as JSON: `run.py` writes the first, `debug values` the second.

use serde_json::Value;

/// How much an abstract value says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Share {
    /// One value only.
    Exact,
    /// Something is excluded.
    Bounded,
    /// Nothing is.
    Unknown,
}

/// What keeps the real value out of the abstract one, or nothing where it is a member.
pub fn outside(real: &Value, wide: &Value) -> Option<String> {
    let (t, kind) = (text(real, "t"), text(wide, "kind"));
    if t == "deep" || kind == "any" {
        return None;
    }
    let refused = |inside: bool, what: &str| (!inside).then(|| format!("{what}: real {}, abstract {}", short(real), short(wide)));
    match kind {
        "one_of" => {
            let any = list(wide, "alternatives").iter().any(|alternative| outside(real, alternative).is_none());
            refused(any, "none of the alternatives")
        }
        "unbound" => refused(false, "bound in reality"),
        "never" => refused(false, "said never to get there"),
        "int" if t == "int" => refused(int_inside(real, wide), "another int"),
        "bool" if t == "bool" => refused(wide.get("value").is_none_or(|v| *v == real["v"]), "another bool"),
        "float" if t == "float" => refused(float_inside(real, wide), "another float"),
        "str" | "bytes" if t == kind => refused(text_inside(real, wide), "another text"),
        "none" | "complex" if t == kind => None,
        "tuple" | "list" | "deque" if t == kind => items_outside(list(real, "items"), wide),
        "set" | "frozenset" if t == kind => set_outside(list(real, "items"), wide),
        "dict" if t == kind => dict_outside(list(real, "entries"), wide),
        "range" if t == kind => list(real, "parts").iter().zip(list(wide, "parts")).find_map(|(r, w)| outside(r, w)),
        "function" if t == kind => None,
        "class" if t == kind => refused(real["name"] == wide["name"], "another class"),
        "module" if t == kind => None,
        "library" => refused(library_inside(real, wide), "another library object"),
        "exception" if t == kind => refused(last(text(real, "class")) == last(text(wide, "class")), "another class"),
        "instance" if t == kind => instance_outside(real, wide),
        "instance_of" => {
            let name = last(text(wide, "name"));
            let inside =
                list(real, "mro").iter().any(|class| class == name) || name == "object" || t.trim_end_matches("array") == name || t == name;
            refused(inside, "not of this class")
        }
        _ => refused(false, "another kind"),
    }
}

/// How much the abstract value says.
pub fn share(wide: &Value) -> Share {
    let all = |values: &[Value]| values.iter().all(|v| share(v) == Share::Exact);
    let exact = match text(wide, "kind") {
        "any" => return Share::Unknown,
        "one_of" => {
            return if list(wide, "alternatives").iter().any(|v| share(v) == Share::Unknown) { Share::Unknown } else { Share::Bounded };
        }
        "int" | "bool" | "float" | "str" | "bytes" => wide.get("value").is_some(),
        "none" | "function" | "class" | "module" | "library" | "exception" => true,
        "tuple" | "list" | "deque" | "set" | "frozenset" => no_rest(wide) && all(list(wide, "items")),
        "dict" => no_rest(wide) && list(wide, "entries").iter().all(|entry| entry.as_array().is_some_and(|e| all(e))),
        "range" => all(list(wide, "parts")),
        "instance" => wide["attrs"].as_object().is_some_and(|attrs| attrs.values().all(|v| share(v) == Share::Exact)),
        _ => false,
    };
    if exact { Share::Exact } else { Share::Bounded }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn no_rest(wide: &Value) -> bool {
    wide.get("rest").is_none_or(Value::is_null)
}

/// A value cut to a readable length.
pub fn short(value: &Value) -> String {
    let mut out: String = value.to_string().chars().take(300).collect();
    if out.len() >= 300 {
        out.push('…');
    }
    out
}

fn int_inside(real: &Value, wide: &Value) -> bool {
    let bits = real["bits"].as_u64().unwrap_or(0);
    let number: Option<i128> = text(real, "v").parse().ok();
    if let Some(exact) = wide.get("value") {
        return exact.as_str() == real["v"].as_str();
    }
    let bound = |key: &str| wide.get(key).and_then(Value::as_str).and_then(|s| s.parse::<i128>().ok());
    let negative = real["negative"].as_bool().unwrap_or(false);
    // What does not fit i128 is beyond every bound on its side.
    let above = bound("low").is_none_or(|low| number.map_or(!negative, |n| n >= low));
    let below = bound("high").is_none_or(|high| number.map_or(negative, |n| n <= high));
    let wide_enough = wide["bits_low"].as_u64().is_none_or(|low| bits >= low);
    let narrow_enough = wide["bits_high"].as_u64().is_none_or(|high| bits <= high);
    let modulus = wide["modulus"].as_u64().map(i128::from);
    let remains = modulus.zip(number).is_none_or(|(m, n)| n.rem_euclid(m) == i128::from(wide["residue"].as_u64().unwrap_or(0)));
    above && below && wide_enough && narrow_enough && remains
}

fn float_of(text: &str) -> f64 {
    text.parse().unwrap_or(f64::NAN)
}

fn float_inside(real: &Value, wide: &Value) -> bool {
    let number = float_of(text(real, "v"));
    if let Some(exact) = wide.get("value").and_then(Value::as_str) {
        let exact = float_of(exact);
        return number.to_bits() == exact.to_bits() || (number.is_nan() && exact.is_nan());
    }
    if number.is_nan() {
        return wide["nan"].as_bool().unwrap_or(false);
    }
    // Bounds tell the zeros apart: -0.0 lies below 0.0.
    float_of(text(wide, "low")).total_cmp(&number).is_le() && number.total_cmp(&float_of(text(wide, "high"))).is_le()
}

fn text_inside(real: &Value, wide: &Value) -> bool {
    if let Some(exact) = wide.get("value") {
        // A text the runner did not write down (surrogates, too long) is compared by nothing.
        return real["v"].is_null() || *exact == real["v"];
    }
    count_inside(real["n"].as_u64().unwrap_or(0), wide)
}

fn count_inside(n: u64, bounds: &Value) -> bool {
    bounds["low"].as_u64().is_none_or(|low| n >= low) && bounds["high"].as_u64().is_none_or(|high| n <= high)
}

/// Whether `rest` (or its absence) allows so many further elements.
fn rest_count_outside(n: usize, wide: &Value) -> Option<String> {
    match wide.get("rest").filter(|rest| !rest.is_null()) {
        None => (n > 0).then(|| format!("{n} elements too many: abstract {}", short(wide))),
        Some(rest) => (!count_inside(n as u64, rest)).then(|| format!("{n} further elements: abstract {}", short(wide))),
    }
}

fn items_outside(real: &[Value], wide: &Value) -> Option<String> {
    let exact = list(wide, "items");
    if real.len() < exact.len() {
        return Some(format!("{} elements instead of at least {}: abstract {}", real.len(), exact.len(), short(wide)));
    }
    let (front, back) = real.split_at(exact.len());
    let in_front = front.iter().zip(exact).enumerate().find_map(|(i, (r, w))| outside(r, w).map(|why| format!("[{i}]: {why}")));
    in_front
        .or_else(|| rest_count_outside(back.len(), wide))
        .or_else(|| back.iter().find_map(|r| outside(r, &wide["rest"]["element"]).map(|why| format!("[rest]: {why}"))))
}

fn set_outside(real: &[Value], wide: &Value) -> Option<String> {
    let mut left: Vec<&Value> = real.iter().collect();
    for item in list(wide, "items") {
        match left.iter().position(|r| outside(r, item).is_none()) {
            Some(at) => drop(left.remove(at)),
            None => return Some(format!("a member is missing: {} in {:?}", short(item), real.iter().map(short).collect::<Vec<_>>())),
        }
    }
    rest_count_outside(left.len(), wide)
        .or_else(|| left.iter().find_map(|r| outside(r, &wide["rest"]["element"]).map(|why| format!("[rest]: {why}"))))
}

fn dict_outside(real: &[Value], wide: &Value) -> Option<String> {
    let entries = list(wide, "entries");
    if real.len() < entries.len() {
        return Some(format!("{} entries instead of at least {}: abstract {}", real.len(), entries.len(), short(wide)));
    }
    let (front, back) = real.split_at(entries.len());
    // Entries known by key come first and in order.
    for (r, w) in front.iter().zip(entries) {
        if let Some(why) = outside(&r[0], &w[0]) {
            return Some(format!("key: {why}"));
        }
        if let Some(why) = outside(&r[1], &w[1]) {
            return Some(format!("[{}]: {why}", short(&r[0])));
        }
    }
    rest_count_outside(back.len(), wide).or_else(|| {
        back.iter().find_map(|r| {
            let rest = &wide["rest"];
            outside(&r[0], &rest["element"])
                .map(|why| format!("[rest key]: {why}"))
                .or_else(|| outside(&r[1], &rest["value"]).map(|why| format!("[rest value]: {why}")))
        })
    })
}

fn instance_outside(real: &Value, wide: &Value) -> Option<String> {
    if wide["class"].is_string() && real["class"] != wide["class"] {
        return Some(format!("an instance of {} instead of {}", real["class"], wide["class"]));
    }
    let (have, said) = (real["attrs"].as_object()?, wide["attrs"].as_object()?);
    for (name, value) in have {
        match said.get(name) {
            Some(w) => {
                if let Some(why) = outside(value, w) {
                    return Some(format!(".{name}: {why}"));
                }
            }
            None => return Some(format!(".{name} is set in reality, and not in the abstract {}", short(wide))),
        }
    }
    let may_miss = |w: &Value| {
        text(w, "kind") == "any"
            || text(w, "kind") == "unbound"
            || list(w, "alternatives").iter().any(|a| matches!(text(a, "kind"), "unbound" | "any"))
    };
    let missing = said.iter().find(|(name, w)| !have.contains_key(*name) && !may_miss(w))?;
    Some(format!(".{} is not set in reality: abstract {}", missing.0, short(missing.1)))
}

/// A library object known by name: data has no name to compare, callables and classes do.
fn library_inside(real: &Value, wide: &Value) -> bool {
    match text(real, "t") {
        "builtin" | "class" => {
            real["own"] != true
                && (text(real, "name").trim_start_matches('_') == last(text(wide, "name")).trim_start_matches('_')
                    || text(wide, "name").contains('.'))
        }
        "list" | "dict" | "set" | "instance" | "none" | "bool" => false,
        _ => real["own"] != true,
    }
}
