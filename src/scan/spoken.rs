//! Calls of tools that models write in their text, where a service does not take them out.

use std::borrow::Cow;

use super::json::quoted;

/// A call.
#[derive(Debug, PartialEq, Eq)]
pub struct Call {
    /// The tool.
    pub tool: String,
    /// What it is given: an object as JSON, or a text.
    pub arguments: String,
    /// Where it is in the text.
    pub start: usize,
}

/// The calls in a text.
pub fn calls(text: &str) -> Vec<Call> {
    let mut found = Vec::new();
    elements(text, &mut found);
    objects(text, &mut found);
    suggested(text, &mut found);
    if found.is_empty() {
        found.extend(action(text));
        found.extend(told(text));
    }
    found
}

/// How the elements of a call are written: the beginning of the call, that of a parameter, their ends, and what a name ends with.
const ELEMENTS: [[&str; 5]; 2] = [
    ["<function=", "<parameter=", "</parameter>", "</function>", ">"],
    ["<invoke name=\"", "<parameter name=\"", "</parameter>", "</invoke>", "\">"],
];

/// `<function=NAME><parameter=KEY>…</parameter></function>`, and the same with `invoke`.
fn elements(text: &str, found: &mut Vec<Call>) {
    for [open, parameter, closed, end, named] in ELEMENTS {
        for (start, _) in text.match_indices(open) {
            let Some((tool, rest)) = text[start + open.len()..].split_once(named) else { continue };
            let body = &rest[..rest.find(end).unwrap_or(rest.len())];
            let mut members = Vec::new();
            for part in body.split(parameter).skip(1) {
                let Some((key, value)) = part.split_once(named) else { continue };
                // A model that is stopped at the closing tag does not write it.
                let value = value.rfind(closed).map_or(value, |end| &value[..end]);
                let value = value.strip_prefix('\n').unwrap_or(value);
                let value = value.strip_suffix('\n').unwrap_or(value);
                members.push(format!("{}:{}", quoted(key.trim()), quoted(value)));
            }
            if !members.is_empty() && is_name(tool) {
                found.push(Call { tool: tool.to_owned(), arguments: format!("{{{}}}", members.join(",")), start });
            }
        }
    }
}

/// `<tool_call>{"name": …, "arguments": …}</tool_call>`.
fn objects(text: &str, found: &mut Vec<Call>) {
    for (start, open) in text.match_indices("<tool_call>") {
        let rest = &text[start + open.len()..];
        let body = rest[..rest.find("</tool_call>").unwrap_or(rest.len())].trim();
        let Ok(call) = super::json::Json::parse(body) else { continue };
        let arguments = call.get("arguments").or_else(|| call.get("parameters"));
        if let (Some(tool), Some(arguments)) = (call.text_at("name"), arguments) {
            let arguments = arguments.text().unwrap_or_else(|| Cow::Owned(arguments.to_string()));
            found.push(Call { tool: tool.into_owned(), arguments: arguments.into_owned(), start });
        }
    }
}

/// `***** Suggested tool call (ID): NAME *****`, and behind `Arguments:` an object, as AutoGen prints it.
fn suggested(text: &str, found: &mut Vec<Call>) {
    for (start, _) in text.match_indices("***** Suggested ") {
        let Some((head, rest)) = text[start..].split_once(" *****\n") else { continue };
        let tool = head.rsplit_once(": ").map_or("", |(_, tool)| tool);
        if let Some(arguments) = rest.trim_start().strip_prefix("Arguments:").filter(|_| is_name(tool)) {
            let arguments = arguments.split("\n*****").next().unwrap_or_default().trim();
            found.push(Call { tool: tool.to_owned(), arguments: arguments.to_owned(), start });
        }
    }
}

/// `Action: NAME`, and what it is given in the lines behind `Action Input:`.
fn action(text: &str) -> Option<Call> {
    let (before, rest) = text.split_once("\nAction Input:").filter(|(_, rest)| !rest.contains("```"))?;
    let tool = before.rsplit_once("Action:").map(|(_, tool)| tool.trim()).filter(|tool| is_name(tool))?;
    let input = rest.split("\nObservation").next()?.trim();
    Some(Call { tool: tool.to_owned(), arguments: input.to_owned(), start: text.len() - rest.len() })
}

/// `Tool call ID: calling 'NAME' with arguments: {…}`, as smolagents says it.
fn told(text: &str) -> Option<Call> {
    let (_, rest) = text.split_once("Tool call ")?.1.split_once(": calling '")?;
    let (tool, rest) = rest.split_once("' with arguments: ")?;
    Some(Call { tool: tool.to_owned(), arguments: rest.trim().to_owned(), start: text.len() - rest.len() })
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || "_-.: ".contains(char)) && text.len() < 80
}

#[cfg(test)]
mod tests {
    use super::calls;

    fn found(text: &str) -> Vec<(String, String)> {
        calls(text).into_iter().map(|call| (call.tool, call.arguments)).collect()
    }

    #[test]
    fn calls_in_text() {
        let call = |tool: &str, arguments: &str| vec![(tool.to_owned(), arguments.to_owned())];
        assert_eq!(found("ok <function=run>\n<parameter=code>\nx\n</parameter>\n</function>"), call("run", r#"{"code":"x"}"#));
        assert_eq!(
            found("<invoke name=\"a\"><parameter name=\"b\">1</parameter><parameter name=\"c\">2"),
            call("a", r#"{"b":"1","c":"2"}"#)
        );
        assert_eq!(
            found("<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": [1, \"\\n\"]}}\n</tool_call>"),
            call("f", r#"{"a":[1,"\n"]}"#)
        );
        assert_eq!(found("Thought: x\nAction: repl\nAction Input: a\nb\nObservation: c"), call("repl", "a\nb"));
        assert_eq!(found("Tool call c1: calling 'f' with arguments: {'code': 'x'}"), call("f", "{'code': 'x'}"));
        let printed = "***** Suggested tool call (call_1): python *****\nArguments: \n{\"cell\":\"x\"}\n*******\n";
        assert_eq!(found(printed), call("python", r#"{"cell":"x"}"#));
        assert_eq!(found("No <function=x> here, no Action: at all."), []);
    }
}
