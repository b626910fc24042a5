//! Cards: one Markdown file per rule, which is its documentation, its tests and its metadata at once.
//!
//! A card opens with TOML between two lines of `+++`, and goes on with the sections "What it does", "Why it freezes", "Bad",
//! "Good" and "Known limits". A card never holds an expression: it names the kinds of facts it is about, and what to say.

pub mod list;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use crate::config::Callable;
use crate::config::Profile;

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Card {
    /// What its front matter says.
    #[serde(flatten)]
    pub meta: Meta,
    /// Its sections, in order.
    pub sections: Vec<Section>,
    /// The Python in its sections "Bad" and "Good", in order.
    pub examples: Vec<Example>,
}

/// The front matter of a card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Meta {
    /// `AF101`.
    pub code: String,
    /// `huge-power`.
    pub name: String,
    /// The kinds of facts it is about, in kebab-case.
    #[serde(rename = "fact")]
    pub facts: Vec<String>,
    /// The limit its facts are held against, as named by [`crate::limits::Limits::NAMES`]; without one every fact is a finding.
    #[serde(default)]
    pub limit: Option<String>,
    /// A fact without a measure has no end.
    #[serde(default)]
    pub endless: bool,
    /// It is about waiting, which in a repository is a warning only.
    #[serde(default)]
    pub wait: bool,
    /// The only profile under which there are such findings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// The level under a profile (`agent`, `library`), where it does not follow from reach and proof.
    #[serde(default)]
    pub level: BTreeMap<String, String>,
    /// What was computed and which limit it passes; `{placeholders}` are filled in.
    pub message: String,
    /// What to write instead.
    pub help: String,
    /// What was computed, in a few words, to stand under the code.
    pub label: String,
    /// Words for placeholders for which a fact has none.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    /// Callables whose calls give such facts.
    #[serde(default, rename = "callable")]
    pub callables: Vec<Callable>,
}

/// A section of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Its heading.
    pub title: String,
    /// Its Markdown, without the heading.
    pub body: String,
}

/// A snippet of a card, which is also a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Whether it stands under "Bad".
    pub bad: bool,
    /// The Python.
    pub code: String,
    /// The annotations `# AF101`: lines (from 1) and the code expected there, in order. Every other line must be silent.
    pub expected: Vec<(u32, String)>,
}

/// The headings every card has, in this order.
pub const SECTIONS: [&str; 5] = ["What it does", "Why it freezes", "Bad", "Good", "Known limits"];

static CARDS: LazyLock<Vec<Card>> = LazyLock::new(|| {
    list::TEXTS.iter().map(|text| parse(text).unwrap_or_else(|error| panic!("a card built into this program is broken: {error}"))).collect()
});

/// All cards, in order of code.
pub fn all() -> &'static [Card] {
    &CARDS
}

/// The card with a code or a name (`AF101`, `af101`, `huge-power`).
pub fn find(wanted: &str) -> Option<&'static Card> {
    all().iter().find(|card| card.meta.code.eq_ignore_ascii_case(wanted) || card.meta.name.eq_ignore_ascii_case(wanted))
}

/// Parses a card. The error says what is wrong with it.
pub fn parse(text: &str) -> Result<Card, String> {
    let text = text.replace("\r\n", "\n");
    let rest = text.strip_prefix("+++\n").ok_or("a card starts with a line of `+++`")?;
    let (front, body) = rest.split_once("\n+++\n").ok_or("the front matter of a card ends with a line of `+++`")?;
    let meta: Meta = toml::from_str(front).map_err(|error| error.to_string())?;
    let sections = sections(body);
    let examples = sections.iter().flat_map(examples).collect();
    Ok(Card { meta, sections, examples })
}

/// Splits Markdown at its second-level headings, those in fenced code aside.
fn sections(body: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut fenced = false;
    for line in body.lines() {
        fenced ^= line.starts_with("```");
        match line.strip_prefix("## ") {
            Some(title) if !fenced => sections.push(Section { title: title.trim().to_owned(), body: String::new() }),
            _ => {
                if let Some(section) = sections.last_mut() {
                    section.body.push_str(line);
                    section.body.push('\n');
                }
            }
        }
    }
    for section in &mut sections {
        section.body = section.body.trim_matches('\n').to_owned();
    }
    sections
}

/// The Python in fences of a section.
fn examples(section: &Section) -> Vec<Example> {
    let bad = section.title == "Bad";
    if !bad && section.title != "Good" {
        return Vec::new();
    }
    let mut examples = Vec::new();
    let mut code: Option<String> = None;
    for line in section.body.lines() {
        match &mut code {
            None if line.trim_end() == "```python" => code = Some(String::new()),
            None => {}
            Some(text) if line.trim_end() == "```" => {
                let expected = annotations(text);
                examples.push(Example { bad, code: std::mem::take(text), expected });
                code = None;
            }
            Some(text) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    examples
}

/// The annotations of a snippet: every `# AF…` (several codes after one `#` are several annotations).
fn annotations(code: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for (number, line) in (1..).zip(code.lines()) {
        let Some((_, comment)) = line.rsplit_once("# AF") else { continue };
        let codes = format!("AF{comment}");
        found.extend(codes.split_whitespace().take_while(|word| is_code(word)).map(|word| (number, word.to_owned())));
    }
    found
}

/// Whether a word has the form of a code.
pub fn is_code(word: &str) -> bool {
    word.len() == 5 && word.starts_with("AF") && word[2..].bytes().all(|byte| byte.is_ascii_digit())
}
