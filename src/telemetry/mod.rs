//! What antifreeze tells others about what it stopped: a frozen program reports nothing itself.
//!
//! ```text
//! outcome ─ event.rs → Sentry's event ─ settings.rs → parcel ─ courier.rs → `antifreeze __deliver` (deliver.rs) ─ HTTP → Sentry
//!                       └ scrub.rs: secrets in code
//! ```
//!
//! No host ever waits for the network while it has something else to do. Parcels go to a process of their own over a socket that
//! takes them or does not, at once; that process outlives the host for a while, so that what was on its way still arrives. At its
//! end a host waits for the answer for a tenth of the time that it ran (see [`Telemetry::finish`]). What goes wrong is said once.
//!
//! Without [`Settings::send_code`] no text of a program leaves: no lines, no messages made of them, no arguments of commands.

#[cfg(target_os = "linux")]
mod courier;
#[cfg(target_os = "linux")]
mod deliver;
mod event;
pub mod log;
#[cfg(any(feature = "otel", test))]
mod otel;
mod scrub;
mod settings;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use sentry_types::protocol::v7::{Envelope, MonitorCheckIn, MonitorCheckInStatus};
use sentry_types::{Uuid, random_uuid};
use serde::{Deserialize, Serialize};

#[cfg(target_os = "linux")]
pub use deliver::main as deliver;
pub use event::{About, event};
pub use settings::{Choices, Settings};

use crate::stack::lock;

/// The hidden subcommand of the process that delivers.
pub const DELIVER: &str = "__deliver";

/// The least and the most that a host waits at its end, where it was not told how long.
const LEAST_WAIT: Duration = Duration::from_millis(100);
const MOST_WAIT: Duration = Duration::from_secs(2);

/// Something to be delivered over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parcel {
    /// How messages call whoever gets it.
    pub receiver: String,
    /// Where to.
    pub url: String,
    /// Headers of the request.
    pub headers: Vec<(String, String)>,
    /// What is posted; nothing means GET.
    pub body: Option<String>,
}

/// What became of a parcel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// It arrived.
    Done,
    /// The other side answered with this status, which is no success.
    Refused(u16),
    /// There was no answer: why.
    Failed(String),
}

impl Delivery {
    /// What is to be said of one that did not come off.
    fn complaint(&self, receiver: &str) -> Option<String> {
        Some(match self {
            Delivery::Done => return None,
            Delivery::Refused(429) => format!("{receiver} takes no more for now (status 429); what happens is not reported there"),
            Delivery::Refused(status @ (401 | 403)) => {
                format!("{receiver} refused a report (status {status}): is the key right, and still valid?")
            }
            Delivery::Refused(status) => format!("{receiver} refused a report (status {status})"),
            Delivery::Failed(why) => format!("{receiver} could not be told: {why}"),
        })
    }
}

/// Tells Sentry, and services like it. One for each host; cheap where nobody opted in.
#[derive(Debug)]
pub struct Telemetry {
    settings: Settings,
    began: Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    #[cfg(target_os = "linux")]
    courier: Option<courier::Courier>,
    /// Who has not answered yet, in the order in which they were sent something.
    unanswered: VecDeque<String>,
    /// What is to be said, and whether it was said.
    warning: Option<String>,
    warned: bool,
}

impl Telemetry {
    /// For a host with these settings.
    pub fn new(settings: Settings) -> Self {
        Telemetry { settings, began: Instant::now(), state: Mutex::default() }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Reports what became of a program, if that is worth an event. Never waits.
    pub fn observe(&self, about: &About<'_>) {
        #[cfg(any(feature = "otel", test))]
        if let Some(parcel) = otel::parcel(about, &self.settings) {
            self.post(parcel);
        }
        let Some(dsn) = self.settings.dsn.as_ref() else { return };
        let Some(event) = event::event(about, &self.settings) else { return };
        self.post(settings::envelope_parcel(dsn, event.into()));
    }

    /// Tells a monitor of Sentry's. Never waits. Gives the check-in's number, for what follows the first.
    pub fn check_in(&self, slug: &str, id: Option<Uuid>, status: MonitorCheckInStatus, duration: Option<Duration>) -> Option<Uuid> {
        let dsn = self.settings.dsn.as_ref()?;
        let check_in_id = id.unwrap_or_else(random_uuid);
        let check_in = MonitorCheckIn {
            check_in_id,
            monitor_slug: slug.to_owned(),
            status,
            environment: Some(self.settings.environment.clone()),
            duration: duration.map(|duration| duration.as_secs_f64()),
            monitor_config: None,
        };
        let mut envelope = Envelope::new();
        envelope.add_item(check_in);
        self.post(settings::envelope_parcel(dsn, envelope));
        Some(check_in_id)
    }

    /// Has a parcel delivered. Never waits.
    pub fn post(&self, parcel: Parcel) {
        let mut state = lock(&self.state);
        state.send(self.settings.helper.as_deref(), &parcel);
        state.listen(Duration::ZERO);
    }

    /// What is to be said of deliveries, if there is anything; once for each host.
    pub fn take_warning(&self) -> Option<String> {
        let mut state = lock(&self.state);
        state.listen(Duration::ZERO);
        state.take_warning()
    }

    /// Waits for the answers to what was sent: a tenth of the time this host has run, 100 ms at least and 2 s at most, or as long as
    /// the settings say. What is not answered by then is still being delivered, unless this is the first process of a container, whose
    /// end ends all others; so that one waits 2 s. Gives what is to be said, if it was not said before.
    pub fn finish(&self) -> Option<String> {
        let ran = self.began.elapsed();
        let first = std::process::id() == 1;
        let natural = if first { MOST_WAIT } else { (ran / 10).clamp(LEAST_WAIT, MOST_WAIT) };
        self.flush(self.settings.flush.unwrap_or(natural))
    }

    /// Waits for the answers to what was sent, at most so long. Gives what is to be said.
    pub fn flush(&self, bound: Duration) -> Option<String> {
        let mut state = lock(&self.state);
        let end = Instant::now() + bound;
        while !state.unanswered.is_empty() && state.warning.is_none() && Instant::now() < end {
            state.listen(end.saturating_duration_since(Instant::now()));
        }
        if let Some(receiver) = state.unanswered.front() {
            let seconds = bound.as_secs_f64();
            let words =
                format!("{receiver} has not answered within {seconds:.1} s; what it was to be told is still being sent, for 10 s at most");
            state.warn(words);
        }
        state.take_warning()
    }
}

impl State {
    fn warn(&mut self, text: String) {
        if !self.warned {
            self.warning.get_or_insert(text);
        }
    }

    fn take_warning(&mut self) -> Option<String> {
        let warning = self.warning.take()?;
        self.warned = true;
        Some(warning)
    }

    #[cfg(target_os = "linux")]
    fn send(&mut self, helper: Option<&Path>, parcel: &Parcel) {
        let receiver = &parcel.receiver;
        self.disown();
        // A process that delivers and was ended is followed by another, once.
        for _ in 0..2 {
            if self.courier.is_none() {
                match courier::Courier::start(helper) {
                    Ok(courier) => self.courier = Some(courier),
                    Err(error) => return self.warn(format!("nothing can be sent to {receiver}: {error}")),
                }
            }
            match self.courier.as_ref().map(|courier| courier.send(parcel)) {
                Some(Err(courier::Unsent::Gone)) => {
                    self.courier = None;
                    self.unanswered.clear();
                }
                Some(Err(courier::Unsent::Refused(why))) => return self.warn(format!("{receiver} is not told everything: {why}")),
                _ => return self.unanswered.push_back(receiver.clone()),
            }
        }
        self.warn(format!("{receiver} was not told: the process that delivers does not live"));
    }

    /// What a process was forked from has sent is not this process's affair.
    #[cfg(target_os = "linux")]
    fn disown(&mut self) {
        if self.courier.as_ref().is_some_and(|courier| !courier.is_own()) {
            self.courier = None;
            self.unanswered.clear();
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn send(&mut self, _: Option<&Path>, parcel: &Parcel) {
        self.warn(format!("nothing is sent to {}: that works on Linux only so far", parcel.receiver));
    }

    /// Takes the answers there are, waiting at most so long for the first.
    #[cfg(target_os = "linux")]
    fn listen(&mut self, mut wait: Duration) {
        self.disown();
        while let Some(courier) = &self.courier {
            let Some(receiver) = self.unanswered.front().cloned() else { break };
            match courier.hear(wait) {
                courier::Heard::Nothing => break,
                courier::Heard::Gone => {
                    self.courier = None;
                    self.unanswered.clear();
                    self.warn(format!("{receiver} was not told: the process that delivers was ended"));
                }
                courier::Heard::Of(delivery) => {
                    self.unanswered.pop_front();
                    if let Some(why) = delivery.complaint(&receiver) {
                        self.warn(why);
                    }
                }
            }
            wait = Duration::ZERO;
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn listen(&mut self, _: Duration) {}
}
