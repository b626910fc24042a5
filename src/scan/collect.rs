//! Puts what records say back together, in the order of the log: results to their snippets, turns, copies.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::extract::{Event, Extractor};
use super::formats::{self, stream};
use super::frames::Place;
use super::judge::{Judge, Judged};
use super::path::At;
use super::record::Said;
use super::{Found, Observed};

/// A snippet with all that is known of it.
#[derive(Debug, Clone)]
pub struct Row {
    /// The file.
    pub file: Arc<str>,
    /// The record.
    pub place: Place,
    /// The snippet.
    pub found: Found,
    /// What the gate says.
    pub judged: Arc<Judged>,
    /// Whether it is the text of the snippet before it in its session, which was rejected.
    pub retried: bool,
}

/// Results are waited for over so many records.
const WINDOW: u64 = 512;

/// So many snippets wait at most.
const WAITING: usize = 4096;

/// So many copies are told at most, of each half.
const SEEN: usize = 1 << 20;

/// So many sessions are followed at the same time.
const SESSIONS: usize = 256;

/// The newer and the older half of what was seen.
#[derive(Default)]
struct Seen([HashSet<u64>; 2]);

impl Seen {
    fn has(&self, key: u64) -> bool {
        self.0.iter().any(|half| half.contains(&key))
    }

    fn add(&mut self, key: u64) {
        if self.0[0].len() >= SEEN {
            self.0.swap(0, 1);
            self.0[0].clear();
        }
        self.0[0].insert(key);
    }
}

/// A snippet whose result may still come.
struct Waiting {
    row: Row,
    turn: u64,
    /// What its session is called here.
    session: String,
}

/// What is known of a session.
#[derive(Default)]
struct Session {
    turns: u64,
    /// The last snippet, and whether it was rejected.
    last: Option<(Arc<str>, bool)>,
    #[cfg(target_os = "linux")]
    gate: Option<crate::session::gate::Gate>,
}

/// Collects the rows of one stream.
pub struct Collector<'a> {
    file: Arc<str>,
    judge: &'a Judge,
    /// Limits, where the turns of a session are judged together.
    together: Option<crate::limits::Limits>,
    waiting: VecDeque<Waiting>,
    /// Calls that were seen.
    seen: Seen,
    /// Where conversations ended.
    ends: Seen,
    session: Option<String>,
    /// The last step of a session without a name, by its turn and record, and how many such sessions came before its own.
    step: (u64, u64),
    nameless: u64,
    model: Option<String>,
    /// What messages are of, where one of them says so.
    messages: Option<&'static str>,
    sessions: HashMap<String, Session>,
    begun: Option<(Place, Box<Found>, String)>,
    pieces: Option<(Place, String)>,
    turn: u64,
    /// Snippets left out because they repeat.
    pub copies: u64,
}

impl<'a> Collector<'a> {
    /// For a file.
    pub fn new(file: &Arc<str>, judge: &'a Judge, together: Option<crate::limits::Limits>) -> Collector<'a> {
        Collector {
            file: Arc::clone(file),
            judge,
            together,
            waiting: VecDeque::new(),
            seen: Seen::default(),
            ends: Seen::default(),
            session: None,
            step: (0, 0),
            nameless: 0,
            model: None,
            messages: None,
            sessions: HashMap::new(),
            begun: None,
            pieces: None,
            turn: 0,
            copies: 0,
        }
    }

    /// Takes what a record says, and gives the rows that are complete.
    pub fn take(&mut self, said: Said) -> Vec<Row> {
        let mut rows = Vec::new();
        let has_piece = said.events.iter().any(|(event, _)| matches!(event, Event::Piece(_)));
        if !has_piece {
            self.join_pieces();
        }
        let record = said.place.record;
        // A conversation that goes on from where one before ended repeats it; one that is the same to its end is another.
        let marks = said.events.iter().enumerate().filter_map(|(index, (event, _))| match event {
            Event::Said(chain) => Some((index, *chain)),
            _ => None,
        });
        let marks: Vec<(usize, u64)> = marks.collect();
        let repeated = marks.iter().rev().skip(1).find(|(_, chain)| self.ends.has(*chain)).map_or(0, |(index, _)| *index);
        if let Some((_, chain)) = marks.last() {
            self.ends.add(*chain);
        }
        for (index, (event, judged)) in said.events.into_iter().enumerate() {
            if index < repeated && matches!(event, Event::Snippet(_)) {
                self.copies += 1;
                continue;
            }
            self.event(&said.place, event, judged, said.across);
        }
        if !said.across {
            // What a record says of a session of its own ends with it.
            self.rows(self.waiting.len(), &mut rows);
            (self.turn, self.model) = (0, None);
        } else if let Some(first) = self.waiting.front() {
            let old = first.row.place.record + WINDOW < record || self.waiting.len() > WAITING;
            let mut ready = self.waiting.iter().take_while(|waiting| waiting.row.found.observed.is_some()).count();
            if old {
                ready = self.waiting.iter().take_while(|waiting| waiting.row.place.record + WINDOW / 2 < record).count().max(ready).max(1);
            }
            self.rows(ready, &mut rows);
        }
        rows
    }

    /// All that still waits: at the end, or where nothing more has come for a while.
    pub fn rest(&mut self) -> Vec<Row> {
        self.join_pieces();
        if let Some((place, found, text)) = self.begun.take() {
            self.joined(&place, *found, text);
        }
        let mut rows = Vec::new();
        self.rows(self.waiting.len(), &mut rows);
        rows
    }

    fn event(&mut self, place: &Place, event: Event, judged: Option<Arc<Judged>>, across: bool) {
        match event {
            Event::Turn => {
                self.turn += 1;
                if across {
                    let key = self.session.clone().unwrap_or_default();
                    self.session(&key).turns += 1;
                }
            }
            Event::Session(id) => self.session = Some(id),
            Event::Format(name) => self.messages = Some(name),
            Event::Model(name) => self.model = Some(name),
            Event::Said(_) => {}
            Event::Snippet(found) => {
                // A piece of a streamed snippet looks like a whole one.
                if let Some((_, begun, text)) = &mut self.begun
                    && begun.format == found.format
                {
                    text.push_str(&found.code);
                } else {
                    self.snippet(place, *found, judged, across);
                }
            }
            Event::Begin(found) => {
                let text = found.code.to_string();
                self.begun = Some((place.clone(), found, text));
            }
            Event::More(text) => {
                if let Some((_, _, code)) = &mut self.begun {
                    code.push_str(&text);
                }
            }
            Event::End => {
                if let Some((place, found, text)) = self.begun.take() {
                    self.joined(&place, *found, text);
                }
            }
            Event::Piece(line) => {
                let is_new = ["\"message_start\"", "\"response.created\""].iter().any(|kind| line.contains(kind));
                if is_new {
                    self.join_pieces();
                }
                let (_, text) = self.pieces.get_or_insert_with(|| (place.clone(), String::new()));
                // A stream that never ends its answer is none.
                if text.len() < super::frames::LONGEST / 4 {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
            Event::Outcome(call, observed) => {
                let of_call = self.waiting.iter_mut().filter(|waiting| waiting.row.found.call == call && waiting.row.found.ran);
                of_call.filter(|waiting| waiting.row.found.observed.is_none()).for_each(|waiting| waiting.row.found.ended(observed));
            }
            Event::Reply(observed) => {
                let turn = self.turn;
                let of_turn = self.waiting.iter_mut().rev().filter(|waiting| waiting.turn == turn && waiting.row.found.ran);
                of_turn.filter(|waiting| waiting.row.found.observed.is_none()).for_each(|waiting| waiting.row.found.ended(observed));
            }
            Event::Ran(file, call) => {
                let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
                let written = self
                    .waiting
                    .iter_mut()
                    .rev()
                    .find(|waiting| waiting.row.found.file.as_deref().is_some_and(|path| name(path) == name(&file)));
                if let Some(waiting) = written.filter(|waiting| waiting.row.found.observed.is_none()) {
                    waiting.row.found.ran = true;
                    waiting.turn = self.turn;
                    if call != 0 {
                        waiting.row.found.call = call;
                    }
                }
            }
        }
    }

    fn session(&mut self, key: &str) -> &mut Session {
        if self.sessions.len() >= SESSIONS && !self.sessions.contains_key(key) {
            self.sessions.clear();
        }
        self.sessions.entry(key.to_owned()).or_default()
    }

    fn joined(&mut self, place: &Place, found: Found, code: String) {
        let found = Found { code: code.into(), ..found };
        if !found.code.trim().is_empty() {
            self.snippet(place, found, None, true);
        }
    }

    fn join_pieces(&mut self) {
        let Some((place, text)) = self.pieces.take() else { return };
        let mut out = Extractor::default();
        stream::extract(&mut out, &At::root(&place.root), &text);
        for event in out.events {
            self.event(&place, event, None, true);
        }
    }

    fn snippet(&mut self, place: &Place, mut found: Found, judged: Option<Arc<Judged>>, across: bool) {
        if found.identity != 0 {
            if self.seen.has(found.identity) {
                self.copies += 1;
                return;
            }
            self.seen.add(found.identity);
        }
        if found.session.is_none() {
            found.session.clone_from(&self.session);
        }
        if let Some(name) = self.messages.filter(|_| across && found.format == formats::MESSAGES) {
            found.format = name;
        }
        if found.model.is_none() {
            found.model.clone_from(&self.model);
        }
        if found.turn.is_none() && across {
            let key = found.session.clone().unwrap_or_default();
            let turns = self.session(&key).turns;
            found.turn = Some(turns).filter(|turns| *turns > 0);
        }
        let judged =
            judged.unwrap_or_else(|| if self.together.is_some() { Arc::default() } else { self.judge.judge(&found.code, found.notebook) });
        let session = self.session_of(place, &found, across);
        let row = Row { file: Arc::clone(&self.file), place: place.clone(), found, judged, retried: false };
        self.waiting.push_back(Waiting { row, turn: self.turn, session });
    }

    /// Which session a snippet belongs to. Without a name it is what one record holds, or, where records are steps, all of them until
    /// their numbers begin again.
    fn session_of(&mut self, place: &Place, found: &Found, across: bool) -> String {
        if let Some(name) = &found.session {
            return name.clone();
        }
        if self.session.is_some() {
            return format!("{}:", place.root);
        }
        if !across {
            return format!("{}:{}", place.root, place.record);
        }
        if let Some(turn) = found.turn {
            let (last, record) = self.step;
            if turn < last || turn == last && place.record != record {
                self.nameless += 1;
            }
            self.step = (turn, place.record);
        }
        format!("steps {}", self.nameless)
    }

    fn rows(&mut self, count: usize, rows: &mut Vec<Row>) {
        for _ in 0..count {
            let Some(Waiting { mut row, session: key, .. }) = self.waiting.pop_front() else { break };
            let alone = row.found.turn.is_none() && row.found.session.is_none();
            let limits = self.together;
            let judge = self.judge;
            let session = self.session(&key);
            if let Some(limits) = limits {
                row.judged = judged_together(session, &row, limits, judge);
            }
            let rejects = row.judged.rejects;
            row.retried = !alone && session.last.as_ref().is_some_and(|(code, rejected)| *rejected && rejects && **code == *row.found.code);
            session.last = Some((Arc::clone(&row.found.code), rejects));
            rows.push(row);
        }
    }
}

/// Judges a snippet as a step of its session, with what the steps before it left.
#[cfg(target_os = "linux")]
fn judged_together(session: &mut Session, row: &Row, limits: crate::limits::Limits, judge: &Judge) -> Arc<Judged> {
    use crate::outcome::{Outcome, OutcomeKind};
    use crate::session::{Options, gate::Gate};
    let found = &row.found;
    let Ok(source) = super::judge::source(&found.code, found.notebook) else { return judge.judge(&found.code, found.notebook) };
    let gate = session.gate.get_or_insert_with(|| Gate::new(&Options { limits, ..Options::default() }));
    let step = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let checked = gate.check(source);
        // What is not known to have run to its end may have done anything up to where it was left.
        let kind = if found.observed == Some(Observed::Finished) { OutcomeKind::Finished } else { OutcomeKind::Raised };
        if found.ran {
            gate.advance(&checked, &Outcome { state: Some("advanced".into()), ..Outcome::new(kind) });
        }
        checked
    }));
    match step {
        Ok(checked) => Arc::new(Judged::of(checked.source, checked.verdict.findings)),
        Err(_) => {
            session.gate = None;
            judge.judge(&found.code, found.notebook)
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn judged_together(_: &mut Session, row: &Row, _: crate::limits::Limits, judge: &Judge) -> Arc<Judged> {
    judge.judge(&row.found.code, row.found.notebook)
}
