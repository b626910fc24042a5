//! `antifreeze rule`: explains, from the cards.

use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};

use super::args::{RuleArgs, RuleFormat};
use super::{Exit, complain, written};
use crate::cards::{self, Card};
use crate::config::suggest::did_you_mean;
use crate::report::text::Color;

/// Shows one card, all cards, or the list of them.
pub fn run(args: &RuleArgs, color: Color) -> Exit {
    let chosen: Vec<&Card> = match &args.code {
        Some(code) => {
            let Some(card) = cards::find(code.trim()) else {
                complain(&unknown(code));
                return Exit::Usage;
            };
            vec![card]
        }
        None => cards::all().iter().collect(),
    };
    let listed = args.code.is_none() && !args.all;
    let mut out = io::stdout().lock();
    let bold = color.wanted(io::stdout().is_terminal());
    let result = match args.format {
        RuleFormat::Json if args.code.is_some() => write_json(&mut out, &card_json(chosen[0])),
        RuleFormat::Json => write_json(&mut out, &chosen.iter().map(|card| card_json(card)).collect()),
        RuleFormat::Text if listed => chosen.iter().try_for_each(|card| writeln!(out, "{}  {}", card.meta.code, card.meta.name)),
        RuleFormat::Text => write_cards(&mut out, &chosen, bold),
    };
    written(result.and_then(|()| out.flush()), Exit::Fine)
}

fn write_json(out: &mut dyn Write, value: &Value) -> io::Result<()> {
    crate::report::json::write(out, value, true)
}

/// A card as JSON.
fn card_json(card: &Card) -> Value {
    let expected = |(line, code): &(u32, String)| json!({"line": line, "code": code});
    json!({
        "code": card.meta.code,
        "name": card.meta.name,
        "facts": card.meta.facts,
        "limit": card.meta.limit,
        "message": card.meta.message,
        "help": card.meta.help,
        "callables": card.meta.callables,
        "sections": card.sections,
        "examples": card.examples.iter().map(|example| json!({
            "bad": example.bad,
            "code": example.code,
            "expected": example.expected.iter().map(expected).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

fn write_cards(out: &mut dyn Write, cards: &[&Card], bold: bool) -> io::Result<()> {
    let strong = |text: &str| if bold { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() };
    for (index, card) in cards.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", strong(&format!("{} {}", card.meta.code, card.meta.name)))?;
        if let Some(limit) = &card.meta.limit {
            writeln!(out, "Limit: --{}", limit.replace('_', "-"))?;
        }
        if !card.meta.callables.is_empty() {
            let names: Vec<&str> = card.meta.callables.iter().map(|callable| callable.name.as_str()).collect();
            writeln!(out, "Knows: {}", names.join(", "))?;
        }
        for section in &card.sections {
            writeln!(out, "\n{}\n", strong(&section.title))?;
            write_markdown(out, &section.body)?;
        }
        writeln!(out, "\n{}\n\n  {}", strong("Help"), card.meta.help)?;
    }
    Ok(())
}

/// Markdown as a terminal shows it: code indented without its fences, the rest as it is.
fn write_markdown(out: &mut dyn Write, body: &str) -> io::Result<()> {
    let mut fenced = false;
    for line in body.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if line.is_empty() {
            writeln!(out)?;
        } else if fenced {
            writeln!(out, "      {line}")?;
        } else {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// What to say to a code that no card has.
fn unknown(typed: &str) -> String {
    let words = cards::all().iter().flat_map(|card| [card.meta.code.as_str(), card.meta.name.as_str()]);
    format!("there is no rule `{typed}`{} `antifreeze rule` lists all", meant(&did_you_mean(typed, words)))
}

fn meant(suggestion: &str) -> String {
    if suggestion.is_empty() { ";".into() } else { suggestion.to_owned() }
}
