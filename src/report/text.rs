//! Text for people and models: the finding, the code it is about underlined, the limit, and what to write instead.
//!
//! [`excerpt`] and [`Note`] serve every text report, that of a run's outcome too.

use std::fmt;
use std::io::{self, Write};

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan,
    SpanContents,
};

use super::{FileReport, Summary};
use crate::config::ConfigError;
use crate::rules::{Finding, Level};
use crate::source::{Position, Source};
use crate::syntax::Span;

/// When to write colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Color {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// Whether to write colours to a stream. A flag counts before the environment, `NO_COLOR` (<https://no-color.org>) before
    /// `CLICOLOR_FORCE`, and both before what the stream is.
    pub fn wanted(self, is_terminal: bool) -> bool {
        self.wanted_in(is_terminal, |name| std::env::var(name).ok())
    }

    /// As [`Color::wanted`], in an environment that is given.
    pub fn wanted_in(self, is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
        let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        match self {
            Color::Always => true,
            Color::Never => false,
            Color::Auto if set("NO_COLOR") => false,
            Color::Auto if variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0") => true,
            Color::Auto => is_terminal && variable("TERM").is_none_or(|term| term != "dumb"),
        }
    }
}

/// How to write text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style {
    /// With colours.
    pub color: bool,
    /// With notes.
    pub verbose: bool,
}

impl Style {
    /// Whether a finding is shown.
    pub fn shows(self, finding: &Finding) -> bool {
        finding.level > Level::Note || self.verbose
    }
}

/// The full report: each finding with its code, then the summary.
pub fn write_full(out: &mut dyn Write, reports: &[FileReport], style: Style) -> io::Result<()> {
    for report in reports {
        write_findings(out, &report.source, &report.findings, style)?;
    }
    writeln!(out, "{}", summary(Summary::of(reports)))
}

/// Each finding of a source, with its code.
pub fn write_findings(out: &mut dyn Write, source: &Source, findings: &[Finding], style: Style) -> io::Result<()> {
    for finding in findings.iter().filter(|finding| style.shows(finding)) {
        let note = Note {
            title: format!("{} {} {}", level_name(finding.level), finding.code, finding.name),
            level: finding.level,
            message: finding.message.clone(),
            help: Some(finding.help.clone()),
            label: finding.label.clone(),
            span: finding.span,
        };
        writeln!(out, "{}", note.render(source, style.color))?;
    }
    Ok(())
}

/// One line per finding, then the summary.
pub fn write_concise(out: &mut dyn Write, reports: &[FileReport], style: Style) -> io::Result<()> {
    for report in reports {
        for finding in report.findings.iter().filter(|finding| style.shows(finding)) {
            let at = report.source.position(finding.span.start);
            writeln!(
                out,
                "{}:{}:{}: {} {} {}: {} {}",
                place_name(&report.source, at),
                at.line,
                at.column,
                paint(level_name(finding.level), finding.level, style.color),
                finding.code,
                finding.name,
                plain(&finding.message),
                plain(&finding.help),
            )?;
        }
    }
    writeln!(out, "{}", summary(Summary::of(reports)))
}

/// `1 file checked: rejected (1 error, 0 warnings)`.
pub fn summary(summary: Summary) -> String {
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let Summary { files, rejected, errors, warnings } = summary;
    let verdict = match (files, rejected) {
        (_, 0) => "not rejected".to_owned(),
        (1, _) => "rejected".to_owned(),
        _ => format!("{rejected} rejected"),
    };
    format!("{} checked: {verdict} ({}, {})", count(files, "file"), count(errors, "error"), count(warnings, "warning"))
}

/// A level in a word.
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

/// Text in the colour of a level.
pub fn paint(text: &str, level: Level, color: bool) -> String {
    let code = match level {
        Level::Error => 31,
        Level::Warning => 33,
        Level::Note => 36,
    };
    if color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// A mistake in a configuration, with the place underlined where it has one.
pub fn configuration(error: &ConfigError, color: bool) -> String {
    let note = |span| Note {
        title: "configuration".into(),
        level: Level::Error,
        message: error.message.clone(),
        help: Some(error.help.clone()),
        label: "here".into(),
        span,
    };
    if let Some((text, span)) = &error.place
        && let Ok(source) = Source::from_text(&error.origin, text)
    {
        return note(Span { start: span.start as u32, end: span.end as u32 }).render(&source, color);
    }
    format!("configuration\n\n  × {}: {}\n  help: {}\n", plain(&error.origin), plain(&error.message), plain(&error.help))
}

/// Something to say about a place in a source.
#[derive(Debug, Clone)]
pub struct Note {
    /// The first line (`error AF101 huge-power`).
    pub title: String,
    /// How grave.
    pub level: Level,
    /// What.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// What stands under the code.
    pub label: String,
    /// Where. Only its first line is shown and underlined: a loop is told by its header.
    pub span: Span,
}

impl Note {
    /// The note as text, several lines with a newline at the end. Never fails, whatever the span: where the code cannot be
    /// shown the rest is.
    pub fn render(&self, source: &Source, color: bool) -> String {
        let shown = Shown { note: self, excerpt: excerpt(source, self.span), message: plain(&self.message) };
        let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(120)
            .with_context_lines(1)
            .with_links(false)
            .with_break_words(false)
            .tab_width(4)
            .without_syntax_highlighting();
        let mut text = String::new();
        if handler.render_report(&mut text, &shown).is_err() {
            text = format!("{}\n\n  {}\n", self.title, shown.message);
        }
        // Trailing blanks carry nothing and make snapshots and diffs unstable.
        text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
    }
}

/// A few lines of a source, made fit to be shown: control characters replaced, long lines cut around what is underlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The name of the source.
    pub name: String,
    /// The lines.
    pub text: String,
    /// The number of the first line, from 1.
    pub first_line: u32,
    /// The line and column of the span in the original.
    pub at: (u32, u32),
    /// What to underline, in bytes of `text`.
    pub start: usize,
    /// Its length in bytes.
    pub length: usize,
}

/// Lines are cut to about this many characters.
const LINE_WIDTH: usize = 100;

/// The first line of a span, with one line before and after it. Spans past the end or inside characters are moved to the nearest
/// place before.
pub fn excerpt(source: &Source, span: Span) -> Excerpt {
    // Shown is what the user wrote, not what was left of it after a rescue.
    let text = source.original_text();
    let boundary = |offset: u32| {
        let offset = source.original_offset(offset) as usize;
        (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
    };
    let start = boundary(span.start);
    let end = boundary(span.end).max(start);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[line_start..].find('\n').map_or(text.len(), |at| line_start + at);
    let line = text[line_start..line_end].trim_end_matches('\r');
    let in_line = |offset: usize| (offset - line_start).min(line.len());
    let marked = in_line(start)..in_line(end.min(line_end));

    let unit = source.unit(start as u32);
    let (line_start_of_unit, unit_end) = (unit.start.min(line_start), unit.end.max(line_end).min(text.len()));
    let before = text[line_start_of_unit..line_start].strip_suffix('\n').map(|head| head.rfind('\n').map_or(head, |at| &head[at + 1..]));
    let after = text.get(line_end + 1..unit_end).map(|tail| tail.find('\n').map_or(tail, |at| &tail[..at]));
    let context = |line: Option<&str>| line.map(|line| shorten(line.trim_end(), 0..0).0).filter(|line| !line.trim().is_empty());
    let (before, after) = (context(before), context(after));

    let position = source.position(span.start);
    let (shown, marked) = shorten(line, marked);
    let mut excerpt = Excerpt {
        name: place_name(source, position),
        text: String::new(),
        first_line: position.line,
        at: (position.line, position.column),
        start: 0,
        length: 0,
    };
    if let Some(before) = before {
        excerpt.first_line -= 1;
        excerpt.text.push_str(&before);
        excerpt.text.push('\n');
    }
    excerpt.start = excerpt.text.len() + marked.start;
    excerpt.length = marked.len();
    excerpt.text.push_str(&shown);
    excerpt.text.push('\n');
    if let Some(after) = after {
        excerpt.text.push_str(&after);
        excerpt.text.push('\n');
    }
    excerpt
}

/// The name of a source as text has it, with the cell of a notebook.
fn place_name(source: &Source, position: Position) -> String {
    let name = plain(&source.name);
    position.cell.map_or(name.clone(), |cell| format!("{name}:cell {cell}"))
}

/// A line cut to a window around `marked`, without control characters, and where `marked` is then. Tabs stay.
fn shorten(line: &str, marked: std::ops::Range<usize>) -> (String, std::ops::Range<usize>) {
    let total = line.chars().count();
    let from = line[..marked.start].chars().count();
    let to = from + line[marked.clone()].chars().count();
    let (first, last) = if total <= LINE_WIDTH {
        (0, total)
    } else {
        // A third of the window is for what stands before the mark; a mark longer than the window is cut.
        let first = from.saturating_sub(LINE_WIDTH / 3).min(total - LINE_WIDTH);
        (first, first + LINE_WIDTH)
    };
    let mut out = String::new();
    let mut at = (None, None);
    if first > 0 {
        out.push('…');
    }
    for (index, char) in line.chars().enumerate().skip(first).take(last - first) {
        if index == from {
            at.0 = Some(out.len());
        }
        if index == to {
            at.1 = Some(out.len());
        }
        out.push(if char == '\t' { '\t' } else { visible(char) });
    }
    let end = out.len();
    if last < total {
        out.push('…');
    }
    let start = at.0.unwrap_or(end);
    (out, start..at.1.unwrap_or(end).max(start))
}

/// Text without control characters, so that a program's text can neither move the cursor nor reorder the line.
pub fn plain(text: &str) -> String {
    text.chars().map(visible).collect()
}

fn visible(char: char) -> char {
    match char {
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => '\u{fffd}',
        _ if char.is_control() => '\u{fffd}',
        _ => char,
    }
}

/// A note beside its excerpt, as the renderer wants it.
#[derive(Debug)]
struct Shown<'a> {
    note: &'a Note,
    excerpt: Excerpt,
    message: String,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.note.title))
    }

    fn severity(&self) -> Option<Severity> {
        Some(match self.note.level {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Note => Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.note.help.as_deref().map(|help| Box::new(plain(help)) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = LabeledSpan::new_primary_with_span(Some(plain(&self.note.label)), (self.excerpt.start, self.excerpt.length));
        Some(Box::new(std::iter::once(label)))
    }
}

/// The renderer asks for the lines around a span, and once more without context for the place in the header. It is given the whole
/// excerpt, the first time under the line numbers of the original.
impl SourceCode for Excerpt {
    fn read_span<'a>(&'a self, _: &SourceSpan, before: usize, _: usize) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (line, column) = if before == 0 { self.at } else { (self.first_line, 1) };
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.text.as_bytes(),
            (0, self.text.len()).into(),
            line as usize - 1,
            column as usize - 1,
            self.text.lines().count(),
        )))
    }
}
