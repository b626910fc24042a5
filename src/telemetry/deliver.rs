//! The process that delivers, `antifreeze __deliver`: takes parcels from the socket at descriptor 0, sends them one after the other,
//! and says of each what became of it. It knows HTTP and nothing of what it carries.

use std::collections::HashMap;
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use super::courier::LONGEST;
use super::{Delivery, Parcel};
use crate::executor;

/// How long one delivery may take, and all of them once the host is gone.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a receiver that takes no more is left alone where it does not say how long.
const PAUSE: Duration = Duration::from_mins(1);

/// However long a receiver asks to be left alone.
const LONGEST_PAUSE: Duration = Duration::from_hours(24);

/// Runs as that process.
pub fn main() -> ExitCode {
    // What the host was started with is the host's: a pipe whose end somebody waits for, say.
    executor::close_from(3);
    // The host waits for this process, and not for the one that goes on.
    if !executor::fork_off() {
        return ExitCode::SUCCESS;
    }
    let host = std::io::stdin();
    let agent = agent();
    let mut paused: HashMap<String, Instant> = HashMap::new();
    let mut last = None;
    let mut message = vec![0_u8; LONGEST];
    loop {
        if last.is_none() && is_gone(&host) {
            last = Some(Instant::now() + PATIENCE);
        }
        let n = match recv(host.as_fd(), &mut message, RecvFlags::DONTWAIT) {
            Ok((0, _)) => return ExitCode::SUCCESS,
            Ok((n, _)) => n,
            Err(Errno::AGAIN | Errno::INTR) => {
                executor::wait_readable(&host, PATIENCE);
                continue;
            }
            Err(_) => return ExitCode::SUCCESS,
        };
        let left = last.map_or(PATIENCE, |last| last.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return ExitCode::SUCCESS;
        }
        let delivery = match serde_json::from_slice::<Parcel>(&message[..n]) {
            Ok(parcel) if paused.get(&parcel.url).is_some_and(|until| Instant::now() < *until) => Delivery::Refused(429),
            Ok(parcel) => {
                let (delivery, pause) = send_one(&agent, &parcel, left);
                if let Some(until) = pause.and_then(|pause| Instant::now().checked_add(pause.min(LONGEST_PAUSE))) {
                    paused.insert(parcel.url, until);
                }
                delivery
            }
            Err(error) => Delivery::Failed(format!("not a parcel: {error}")),
        };
        let answer = serde_json::to_vec(&delivery).unwrap_or_default();
        let _ = send(host.as_fd(), &answer, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
    }
}

/// Whether nobody hears the answers any more.
fn is_gone(host: &impl AsFd) -> bool {
    let mut fds = [PollFd::new(host, PollFlags::empty())];
    let _ = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
    fds[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
}

fn agent() -> ureq::Agent {
    // Mozilla's list of authorities is built in; a company's own are those of the file that other tools take them from.
    let own = std::env::var_os("SSL_CERT_FILE").and_then(|path| std::fs::read(path).ok()).map(|pem| {
        let items = parse_pem(&pem).filter_map(Result::ok).collect::<Vec<_>>();
        items
            .into_iter()
            .filter_map(|item| if let PemItem::Certificate(certificate) = item { Some(certificate) } else { None })
            .collect::<Vec<_>>()
    });
    let roots = own.filter(|own| !own.is_empty()).map_or(RootCerts::WebPki, |own| RootCerts::new_with_certs(&own));
    let config = ureq::Agent::config_builder().http_status_as_error(false).user_agent(super::settings::CLIENT).max_redirects(3);
    config.tls_config(TlsConfig::builder().root_certs(roots).build()).build().into()
}

/// Sends one parcel. The second value is for how long there must be no other to the same place.
fn send_one(agent: &ureq::Agent, parcel: &Parcel, limit: Duration) -> (Delivery, Option<Duration>) {
    let limit = Some(limit.min(PATIENCE));
    let answer = match &parcel.body {
        Some(body) => {
            // Followed, it would go on as a request without the body, and a page to log in on would pass for the receiver.
            let mut request = agent.post(&parcel.url).config().max_redirects(0).timeout_global(limit).build();
            for (name, value) in &parcel.headers {
                request = request.header(name, value);
            }
            request.send(body)
        }
        None => agent.get(&parcel.url).config().timeout_global(limit).build().call(),
    };
    match answer {
        Ok(mut answer) => {
            let status = answer.status().as_u16();
            let pause = (status == 429).then(|| {
                let seconds = answer.headers().get("Retry-After").and_then(|value| value.to_str().ok()?.trim().parse::<u64>().ok());
                seconds.map_or(PAUSE, Duration::from_secs)
            });
            // What was read to its end leaves a connection that the next parcel can have.
            let _ = answer.body_mut().with_config().limit(64 << 10).read_to_vec();
            (if (200..300).contains(&status) { Delivery::Done } else { Delivery::Refused(status) }, pause)
        }
        Err(ureq::Error::Timeout(_)) => (Delivery::Failed(format!("it did not answer within {} s", PATIENCE.as_secs())), None),
        Err(error) => (Delivery::Failed(error.to_string().chars().take(200).collect()), None),
    }
}
