//! Files to rows: reads, cuts, hands out, collects, and writes in order.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::collect::{Collector, Row};
use super::frames::{Batch, Broken, Frames, Place, Shape};
use super::judge::Judge;
use super::open::{self, Packing};
use super::record::{Read as Answer, Reader};
use super::report::Report;
use super::state::{self, FileState, State};
use super::table;
use crate::limits::Limits;
use crate::stack::{self, lock};

/// What a scan is to do.
#[derive(Debug, Clone)]
pub struct Options {
    /// The files, in order.
    pub files: Vec<PathBuf>,
    /// What to judge by.
    pub limits: Limits,
    /// Threads.
    pub jobs: usize,
    /// Whether the turns of a session are judged together.
    pub together: bool,
    /// The column of tables.
    pub column: Option<String>,
    /// Whether to wait for more.
    pub follow: bool,
    /// Where the state is kept.
    pub state: Option<PathBuf>,
}

/// How far a scan is.
#[derive(Debug, Default)]
pub struct Progress {
    /// Bytes that were read.
    pub read: Arc<AtomicU64>,
    /// Snippets found.
    pub snippets: AtomicU64,
    /// Snippets rejected.
    pub rejected: AtomicU64,
}

/// What came of a scan besides its report.
#[derive(Debug, Default)]
pub struct Scanned {
    /// Files that could not be read, and why.
    pub unreadable: Vec<String>,
    /// The report could not be written.
    pub unwritten: Option<io::Error>,
    /// The state could not be written.
    pub unsaved: Option<String>,
}

/// So many bytes are read ahead.
const AHEAD: usize = 4 << 20;

/// Rows of a file whose turn has not come are kept up to so many.
const HELD: usize = 20_000;

/// How often the state is saved.
const SAVED: Duration = Duration::from_secs(1);

/// How often a file that grows is looked at.
const LOOKED: Duration = Duration::from_millis(200);

/// What threads share.
struct Shared<'a> {
    options: &'a Options,
    judge: Judge,
    pool: rayon::ThreadPool,
    progress: &'a Progress,
    stop: &'a (dyn Fn() -> bool + Sync),
    out: Mutex<Out<'a>>,
    /// The file whose rows are written.
    turn: Mutex<usize>,
    turned: Condvar,
    /// Nothing more can be written.
    closed: std::sync::atomic::AtomicBool,
}

/// What is written to.
struct Out<'a> {
    report: &'a mut Report,
    state: State,
    saved: Instant,
    scanned: Scanned,
}

/// Scans files. `stop` tells when to end early; what was found until then is reported all the same.
///
/// # Errors
/// When there are no threads.
pub fn scan(
    options: &Options,
    state: State,
    report: &mut Report,
    progress: &Progress,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<Scanned, String> {
    let pool = stack::pool(options.jobs).map_err(|error| format!("cannot start threads: {error}"))?;
    let out = Out { report, state, saved: Instant::now(), scanned: Scanned::default() };
    let shared = Shared {
        options,
        judge: Judge::new(options.limits),
        pool,
        progress,
        stop,
        out: Mutex::new(out),
        turn: Mutex::new(0),
        turned: Condvar::new(),
        closed: std::sync::atomic::AtomicBool::new(false),
    };
    let next = AtomicUsize::new(0);
    // A file that is followed keeps its thread.
    let threads = if options.follow { options.files.len() } else { options.jobs.min(options.files.len()) };
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            let work = || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = options.files.get(number) else { break };
                    if !shared.ended() {
                        let mut writer = FileWriter::new(&shared, path, number);
                        // A panic over one file must not keep the others waiting for their turn.
                        let done = catch_unwind(AssertUnwindSafe(|| writer.file(path)));
                        let done = done.unwrap_or_else(|panic| {
                            Err(io::Error::other(format!("internal error: {}", stack::panic_message(panic.as_ref()))))
                        });
                        if let Err(error) = done {
                            lock(&shared.out).scanned.unreadable.push(format!("{}: {error}", path.display()));
                        }
                        writer.finish();
                    }
                    shared.pass(number);
                }
            };
            let spawned = std::thread::Builder::new().name("scan".into()).stack_size(stack::SMALL).spawn_scoped(scope, work);
            if spawned.is_err() {
                break;
            }
        }
    });
    let mut out = shared.out.into_inner().unwrap_or_else(PoisonError::into_inner);
    out.scanned.unreadable.sort();
    out.save(options, true);
    Ok(out.scanned)
}

impl Shared<'_> {
    fn ended(&self) -> bool {
        (self.stop)() || self.closed.load(Ordering::Relaxed)
    }

    /// A file is done: the next one's rows are written.
    fn pass(&self, number: usize) {
        let mut turn = lock(&self.turn);
        while *turn != number && !self.options.follow {
            turn = self.turned.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        *turn = number + 1;
        self.turned.notify_all();
    }
}

impl Out<'_> {
    /// Saves how far the scan came, with all before it written.
    fn save(&mut self, options: &Options, now: bool) {
        let Some(path) = &options.state else { return };
        // A report that is written whole at the end is nowhere before.
        if !now && (self.saved.elapsed() < SAVED || !self.report.goes_on()) {
            return;
        }
        self.saved = Instant::now();
        let length = match self.report.flush() {
            Ok(length) => length,
            Err(error) => {
                self.scanned.unwritten.get_or_insert(error);
                return;
            }
        };
        self.state.output_bytes = length;
        if let Err(error) = state::write(path, &self.state) {
            self.scanned.unsaved = Some(format!("cannot write the state {}: {error}", path.display()));
        }
    }
}

/// Writes the rows of one file.
struct FileWriter<'s, 'a> {
    shared: &'s Shared<'a>,
    number: usize,
    /// How reports call it.
    name: String,
    key: String,
    /// Rows that were written by a scan before.
    skip: u64,
    written: u64,
    head: String,
    held: Vec<Row>,
    records: u64,
    fragments: u64,
    broken: Vec<(Arc<str>, Broken)>,
    unrecognised: Vec<String>,
    copies: u64,
    /// Size and time when it was opened.
    stamp: (u64, u64),
    done: bool,
    skipped: bool,
}

impl<'s, 'a> FileWriter<'s, 'a> {
    fn new(shared: &'s Shared<'a>, path: &Path, number: usize) -> FileWriter<'s, 'a> {
        let keeps = shared.options.state.is_some();
        let key = if keeps { state::key(path) } else { String::new() };
        let mut writer = FileWriter {
            shared,
            number,
            name: path.to_string_lossy().into_owned(),
            head: if keeps { state::head(path) } else { String::new() },
            key,
            skip: 0,
            written: 0,
            held: Vec::new(),
            records: 0,
            fragments: 0,
            broken: Vec::new(),
            unrecognised: Vec::new(),
            copies: 0,
            stamp: if keeps { state::stamp(path) } else { (0, 0) },
            done: false,
            skipped: false,
        };
        if keeps
            && let Some(before) = lock(&shared.out).state.files.get(&writer.key)
            && before.head == writer.head
        {
            writer.skip = before.rows;
            writer.skipped = !shared.options.follow && before.size > 0 && (before.size, before.changed) == writer.stamp;
        }
        writer
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        if self.skipped {
            self.shared.progress.read.fetch_add(self.stamp.0, Ordering::Relaxed);
            return Ok(());
        }
        let opened = open::open(path, &self.shared.progress.read)?;
        let name: Arc<str> = self.name.as_str().into();
        match opened.packing {
            Packing::Zip => self.archive(opened.file)?,
            Packing::Parquet => self.parquet(path, &name)?,
            packing => {
                let follow = self.shared.options.follow && packing == Packing::Plain;
                if let Some(column) = self.shared.options.column.clone() {
                    self.csv(open::unpacked(opened.file, packing), &column, &name)?;
                } else {
                    self.stream(open::unpacked(opened.file, packing), &name, follow.then_some(path))?;
                }
            }
        }
        self.done = !self.shared.ended();
        Ok(())
    }

    fn archive<R: Read + io::Seek>(&mut self, file: R) -> io::Result<()> {
        let mut archive = zip::ZipArchive::new(file).map_err(|error| io::Error::other(format!("it is no whole ZIP archive: {error}")))?;
        let names: Vec<String> = archive.file_names().filter_map(|name| Some(name.ok()?.into_owned())).collect();
        // Logs of Inspect hold the samples once more in what they are made of.
        let is_log = names.iter().any(|name| name.starts_with("_journal/")) && names.iter().any(|name| name.starts_with("samples/"));
        for index in 0..archive.len() {
            if self.shared.ended() {
                return Ok(());
            }
            let mut member = match archive.by_index(index) {
                Ok(member) => member,
                Err(error) => {
                    let name: Arc<str> = self.name.as_str().into();
                    let message = format!("member {} cannot be read: {error}", index + 1);
                    self.complain(&name, Broken { record: index as u64 + 1, line: 1, offset: 0, message });
                    continue;
                }
            };
            let inner = member.name().map(std::borrow::Cow::into_owned).unwrap_or_default();
            if member.is_dir() || is_log && !inner.starts_with("samples/") {
                continue;
            }
            let name: Arc<str> = format!("{}!{inner}", self.name).into();
            // A member borrows its archive, and threads want what is theirs: it is read through a pipe of pieces.
            let (sender, receiver) = std::sync::mpsc::sync_channel::<io::Result<Vec<u8>>>(4);
            let reader = Pieces { receiver, piece: Vec::new(), at: 0 };
            let read = std::thread::scope(|scope| {
                let reading = scope.spawn(|| self.stream(Box::new(reader), &name, None));
                loop {
                    let mut piece = vec![0; 256 << 10];
                    let read = member.read(&mut piece);
                    let end = !matches!(read, Ok(read) if read > 0);
                    let sent = sender.send(read.map(|read| {
                        piece.truncate(read);
                        piece
                    }));
                    if end || sent.is_err() {
                        break;
                    }
                }
                drop(sender);
                reading.join().unwrap_or_else(|_| Err(io::Error::other("internal error")))
            });
            if let Err(error) = read {
                self.complain(&name, Broken { record: 1, line: 1, offset: 0, message: format!("it cannot be read: {error}") });
            }
        }
        Ok(())
    }

    fn csv(&mut self, input: Box<dyn Read + Send>, column: &str, name: &Arc<str>) -> io::Result<()> {
        let mut cells = Cells::new(self, name, column);
        table::csv(input, column, |cell| cells.add(cell)).map_err(io::Error::other)?;
        cells.finish();
        Ok(())
    }

    #[cfg(feature = "parquet")]
    fn parquet(&mut self, path: &Path, name: &Arc<str>) -> io::Result<()> {
        let column = self.shared.options.column.clone().ok_or_else(|| io::Error::other("it is Parquet; name the column with --column"))?;
        let mut cells = Cells::new(self, name, &column);
        super::parquet::read(std::fs::File::open(path)?, &column, |cell| cells.add(cell)).map_err(io::Error::other)?;
        cells.finish();
        Ok(())
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(&mut self, _: &Path, _: &Arc<str>) -> io::Result<()> {
        Err(io::Error::other(
            "it is Parquet, which this antifreeze was built without; build it with `--features parquet`, or convert the file to CSV",
        ))
    }

    /// One stream, from its first record to its last.
    fn stream(&mut self, input: Box<dyn Read + Send>, name: &Arc<str>, follow: Option<&Path>) -> io::Result<()> {
        let shared = self.shared;
        let mut frames = Frames::new(input, follow.is_some())?;
        while follow.is_some() && frames.is_empty() && !shared.ended() {
            std::thread::sleep(LOOKED);
            let Some(path) = follow else { break };
            frames = Frames::new(open::unpacked(open::open(path, &shared.progress.read)?.file, Packing::Plain), true)?;
        }
        let mut collector = self.collector(name);
        let mut group = read(&mut frames)?;
        let mut identity = follow.and_then(identity);
        let mut idle = 0_u32;
        loop {
            if group.is_empty() {
                let Some(path) = follow.filter(|_| !shared.ended()) else { break };
                // Nothing more has come for a while: what waits for results is told without.
                idle += 1;
                if idle == 5 {
                    let rows = shared.pool.install(|| collector.rest());
                    self.rows(rows);
                    self.flush(false);
                }
                std::thread::sleep(LOOKED);
                let now = self::identity(path);
                if now.is_some() && now.map(|now| now.0) != identity.map(|known| known.0)
                    || now.is_some_and(|now| now.1 < frames.position())
                {
                    // Another file has this name now, or this one was emptied: it is read from its beginning.
                    self.close(collector);
                    collector = self.collector(name);
                    if let Ok(opened) = open::open(path, &shared.progress.read) {
                        frames = Frames::new(open::unpacked(opened.file, Packing::Plain), true)?;
                        frames.shape = Shape::Lines;
                        (self.skip, self.written, self.head) = (0, 0, state::head(path));
                        identity = now;
                    }
                } else {
                    frames.again();
                }
                group = read(&mut frames)?;
                continue;
            }
            idle = 0;
            let reader = self.reader(name, frames.shape);
            let (answers, next) = shared.pool.install(|| {
                rayon::join(|| group.par_iter().map(|batch| reader.read(batch)).collect::<Vec<Answer>>(), || read(&mut frames))
            });
            for broken in std::mem::take(&mut frames.broken) {
                self.complain(name, broken);
            }
            shared.pool.install(|| self.take(answers, &mut collector, name));
            self.flush(false);
            group = next?;
            if shared.ended() {
                break;
            }
        }
        for broken in std::mem::take(&mut frames.broken) {
            self.complain(name, broken);
        }
        self.close(collector);
        Ok(())
    }

    /// What collects the rows of a stream.
    fn collector(&self, name: &Arc<str>) -> Collector<'s> {
        let options = self.shared.options;
        Collector::new(name, &self.shared.judge, options.together.then_some(options.limits))
    }

    /// What reads the records of a stream. Where turns are judged together, that is the collector's to do.
    fn reader<'n>(&self, name: &'n str, shape: Shape) -> Reader<'n>
    where
        's: 'n,
    {
        Reader { judge: (!self.shared.options.together).then_some(&self.shared.judge), file: name, shape }
    }

    /// A stream is at its end.
    fn close(&mut self, mut collector: Collector) {
        let rows = self.shared.pool.install(|| collector.rest());
        self.rows(rows);
        self.copies += collector.copies;
    }

    fn take(&mut self, answers: Vec<Answer>, collector: &mut Collector, name: &Arc<str>) {
        for answer in answers {
            self.records += answer.records;
            self.fragments += answer.fragments;
            if answer.unrecognised {
                self.unrecognised.push(name.to_string());
            }
            for broken in answer.broken {
                self.complain(name, broken);
            }
            for said in answer.said {
                let rows = collector.take(said);
                self.rows(rows);
            }
        }
    }

    fn complain(&mut self, name: &Arc<str>, broken: Broken) {
        self.broken.push((Arc::clone(name), broken));
    }

    fn rows(&mut self, rows: Vec<Row>) {
        for row in rows {
            self.written += 1;
            if self.written > self.skip {
                self.shared.progress.snippets.fetch_add(1, Ordering::Relaxed);
                self.shared.progress.rejected.fetch_add(u64::from(row.judged.rejects), Ordering::Relaxed);
                self.held.push(row);
            }
        }
    }

    /// Writes what is held, if it is this file's turn, or waits for it where that is too much.
    fn flush(&mut self, wait: bool) {
        let shared = self.shared;
        if !shared.options.follow {
            let mut turn = lock(&shared.turn);
            while *turn != self.number {
                if !wait && self.held.len() + self.broken.len() < HELD {
                    return;
                }
                turn = shared.turned.wait(turn).unwrap_or_else(PoisonError::into_inner);
            }
        }
        let mut out = lock(&shared.out);
        let summary = out.report.summary();
        summary.records += std::mem::take(&mut self.records);
        summary.fragments += std::mem::take(&mut self.fragments);
        summary.copies += std::mem::take(&mut self.copies);
        summary.unrecognised += self.unrecognised.len() as u64;
        for name in std::mem::take(&mut self.unrecognised) {
            out.report.unrecognised(&name);
        }
        for (name, broken) in std::mem::take(&mut self.broken) {
            out.report.broken(&name, &broken);
        }
        for row in std::mem::take(&mut self.held) {
            if let Err(error) = out.report.row(&row) {
                out.scanned.unwritten.get_or_insert(error);
                shared.closed.store(true, Ordering::Relaxed);
                return;
            }
        }
        if shared.options.follow
            && let Err(error) = out.report.flush()
        {
            out.scanned.unwritten.get_or_insert(error);
            shared.closed.store(true, Ordering::Relaxed);
        }
        if shared.options.state.is_some() {
            let (size, changed) = if self.done { self.stamp } else { (0, 0) };
            let state = FileState { rows: self.written.max(self.skip), size, changed, head: self.head.clone() };
            out.state.files.insert(self.key.clone(), state);
            out.save(shared.options, false);
        }
    }

    fn finish(&mut self) {
        if self.skipped {
            return;
        }
        self.flush(true);
        lock(&self.shared.out).report.summary().files += 1;
    }
}

/// The next records, a few megabytes of them.
fn read(frames: &mut Frames) -> io::Result<Vec<Batch>> {
    let mut group = Vec::new();
    let mut bytes = 0;
    while bytes < AHEAD {
        let Some(batch) = frames.batch()? else { break };
        bytes += batch.bytes.len();
        group.push(batch);
    }
    Ok(group)
}

/// Which file it is, and its size.
fn identity(path: &Path) -> Option<((u64, u64), u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some(((metadata.dev(), metadata.ino()), metadata.len()))
    }
    #[cfg(not(unix))]
    Some(((0, 0), metadata.len()))
}

/// Reads what comes in pieces.
struct Pieces {
    receiver: std::sync::mpsc::Receiver<io::Result<Vec<u8>>>,
    piece: Vec<u8>,
    at: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            match self.receiver.recv() {
                Ok(Ok(piece)) => (self.piece, self.at) = (piece, 0),
                Ok(Err(error)) => return Err(error),
                Err(_) => return Ok(0),
            }
        }
        let length = buffer.len().min(self.piece.len() - self.at);
        buffer[..length].copy_from_slice(&self.piece[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}

/// Cells of a table, handed out some at a time.
struct Cells<'w, 's, 'a> {
    writer: &'w mut FileWriter<'s, 'a>,
    collector: Collector<'s>,
    name: Arc<str>,
    root: String,
    batches: Vec<Batch>,
    bytes: usize,
}

impl<'w, 's, 'a> Cells<'w, 's, 'a> {
    fn new(writer: &'w mut FileWriter<'s, 'a>, name: &Arc<str>, column: &str) -> Cells<'w, 's, 'a> {
        let root = super::path::At::root("$").key(column).to_string();
        Cells { collector: writer.collector(name), writer, name: Arc::clone(name), root, batches: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, cell: Result<table::Cell, (u64, u64, String)>) -> bool {
        match cell {
            Ok((record, line, text)) => {
                self.bytes += text.len();
                let place = Place { record, line, offset: 0, root: self.root.clone() };
                self.batches.push(Batch { records: vec![(0..text.len(), place)], bytes: text.into_bytes(), ..Batch::default() });
                if self.bytes > AHEAD {
                    self.hand_out();
                }
            }
            Err((record, line, message)) => self.writer.complain(&self.name, Broken { record, line, offset: 0, message }),
        }
        !self.writer.shared.ended()
    }

    fn hand_out(&mut self) {
        let shared = self.writer.shared;
        let reader = self.writer.reader(&self.name, Shape::Cell);
        let batches = std::mem::take(&mut self.batches);
        self.bytes = 0;
        shared.pool.install(|| {
            let answers = batches.par_iter().map(|batch| reader.read(batch)).collect();
            self.writer.take(answers, &mut self.collector, &self.name);
        });
        self.writer.flush(false);
    }

    fn finish(mut self) {
        self.hand_out();
        self.writer.close(self.collector);
    }
}

/// The files of what was named: folders are walked, in order of path; hidden files, pictures and the like are
/// passed over.
pub fn files(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<String>) {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for path in paths {
        if !path.is_dir() {
            if seen.insert(path.clone()) {
                found.push(path.clone());
            }
            continue;
        }
        let hidden = |entry: &walkdir::DirEntry| entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".");
        for entry in walkdir::WalkDir::new(path).sort_by_file_name().into_iter().filter_entry(|entry| !hidden(entry)) {
            match entry {
                Ok(entry) if entry.path().is_file() && !open::is_media(entry.path()) => {
                    if seen.insert(entry.path().to_owned()) {
                        found.push(entry.into_path());
                    }
                }
                Ok(_) => {}
                Err(error) => errors.push(format!("cannot walk {}: {error}", error.path().unwrap_or(path).display())),
            }
        }
    }
    (found, errors)
}
