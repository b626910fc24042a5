//! A watchdog for any program: `antifreeze watch`. The executor runs it and ends it (minder.rs, watched.rs there); here is what is made
//! of its end: the report, check-ins, pings, restarts and the exit status.

use std::collections::HashMap;
use std::time::Duration;

use sentry_types::protocol::v7::MonitorCheckInStatus;

use crate::executor::{self, Ended, Finished, SIGNALS, Unusable, Watched, Why};
use crate::outcome::{Frame, LimitHit, Outcome, OutcomeKind};
use crate::telemetry::{About, Parcel, Telemetry, log};

/// What a program that was killed for its budget or its silence is ended with, as `timeout` does.
pub const FROZEN: u8 = 124;

/// What it ends with instead of 0 where output of the program could not be passed on, as `cat` does.
const LOST: u8 = 1;

/// How long a program that is restarted is waited for, at first and at most; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// The largest file that a line of a frozen frame is read from.
const MOST_SOURCE: u64 = 4 << 20;

/// What is to be watched, and who is told.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The program.
    pub watched: Watched,
    /// How often it is started again after it was killed.
    pub restart: u32,
    /// The monitor of Sentry's that is checked in with.
    pub monitor: Option<String>,
    /// The address that is asked for while all is well.
    pub ping: Option<String>,
}

/// What the watching process is to end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// This status.
    Status(u8),
    /// This signal, as the program.
    Signal(i32),
}

/// What is said while it is watched.
#[derive(Debug, Clone, PartialEq)]
pub enum News<'a> {
    /// The program froze and was killed.
    Frozen(&'a Outcome),
    /// Anything else, in words.
    Words(String),
}

/// Watches a program to its end. This process must have one thread.
pub fn watch(options: &Options, telemetry: &Telemetry, say: &mut dyn FnMut(News<'_>)) -> Result<Exit, Unusable> {
    let signals = executor::signal_fd(&SIGNALS).map_err(|error| Unusable(format!("signals cannot be passed on: {error}")))?;
    let mut wait = FIRST_WAIT;
    let mut left = options.restart;
    loop {
        let monitor = options.monitor.as_deref();
        let check_in = monitor.and_then(|slug| telemetry.check_in(slug, None, MonitorCheckInStatus::InProgress, None));
        let finished = executor::attend(&options.watched, &signals, &mut || ping(options, telemetry));
        let well = matches!(&finished, Ok(Finished { ended: Ended::Exited(0), lost: None, .. }));
        if let Some(slug) = monitor {
            let status = if well { MonitorCheckInStatus::Ok } else { MonitorCheckInStatus::Error };
            let duration = finished.as_ref().ok().and_then(|finished| Duration::try_from_secs_f64(finished.seconds).ok());
            telemetry.check_in(slug, check_in, status, duration);
        }
        if well {
            ping(options, telemetry);
        }
        let finished = finished?;
        if finished.left {
            say(News::Words("a process of the program is held by the kernel and could not be killed".into()));
        }
        if let Some(lost) = &finished.lost {
            say(News::Words(format!("output was lost: {lost}")));
        }
        match &finished.ended {
            Ended::Exited(status) => {
                say_killed(&finished, say);
                let lost = *status == 0 && finished.lost.is_some();
                return Ok(Exit::Status(if lost { LOST } else { *status as u8 }));
            }
            Ended::Signalled(signal) => {
                say_killed(&finished, say);
                return Ok(Exit::Signal(*signal));
            }
            Ended::Frozen(..) => {
                let outcome = outcome(&options.watched, finished);
                log::outcome(&outcome);
                say(News::Frozen(&outcome));
                let name = options.watched.command.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                telemetry.observe(&About { outcome: &outcome, limits: None, code: None, name: &name });
            }
        }
        if left == 0 {
            return Ok(Exit::Status(FROZEN));
        }
        left -= 1;
        say(News::Words(format!("starting it again in {} s", wait.as_secs())));
        if let Some(signal) = executor::pause(&signals, wait) {
            return Ok(Exit::Signal(signal));
        }
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

fn ping(options: &Options, telemetry: &Telemetry) {
    if let Some(url) = &options.ping {
        telemetry.post(Parcel { receiver: "the address of --ping".into(), url: url.clone(), headers: Vec::new(), body: None });
    }
}

fn say_killed(finished: &Finished, say: &mut dyn FnMut(News<'_>)) {
    if finished.killed > 0 {
        say(News::Words(format!("{} process(es) were still running at the end and were killed", finished.killed)));
    }
}

/// What became of a program that froze.
fn outcome(watched: &Watched, finished: Finished) -> Outcome {
    let Ended::Frozen(why, mut threads, stack_reason) = finished.ended else { return Outcome::new(OutcomeKind::Finished) };
    let (name, limit) = match why {
        Why::Budget => ("budget", watched.budget),
        Why::Silence => ("silence", watched.silence),
    };
    let mut files = HashMap::new();
    for frame in threads.iter_mut().flat_map(|thread| &mut thread.frames) {
        frame.source = line(frame, &mut files);
    }
    let stack = threads.iter().find(|thread| !thread.frames.is_empty()).map(|thread| thread.frames.clone());
    Outcome {
        limit: Some(LimitHit {
            name: name.into(),
            value: limit.map_or(0.0, |limit| limit.as_secs_f64()),
            observed: Some(finished.seconds).filter(|_| why == Why::Budget),
        }),
        duration_ms: finished.seconds * 1000.0,
        killed_processes: finished.killed,
        stack_reason: stack_reason.filter(|_| stack.is_none()),
        stack,
        threads,
        ..Outcome::new(OutcomeKind::TimedOut)
    }
}

/// The text of a frame's line, where its file can be read.
fn line(frame: &Frame, files: &mut HashMap<String, Vec<String>>) -> Option<String> {
    let lines = files.entry(frame.file.clone()).or_insert_with_key(|file| {
        let small = std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MOST_SOURCE);
        let bytes = if small { std::fs::read(file).unwrap_or_default() } else { Vec::new() };
        String::from_utf8_lossy(&bytes).lines().map(|line| line.trim().to_owned()).collect()
    });
    lines.get((frame.line as usize).checked_sub(1)?).filter(|line| !line.is_empty()).cloned()
}
