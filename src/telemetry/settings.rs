//! Who is told, and how much: from flags and the environment.

use std::path::PathBuf;
use std::time::Duration;

use sentry_types::Dsn;
use sentry_types::protocol::v7::Envelope;

use super::Parcel;
use crate::limits::parse_duration;

/// How antifreeze names itself to Sentry.
pub const CLIENT: &str = concat!("antifreeze/", env!("CARGO_PKG_VERSION"));

/// What was asked for by flags or arguments; what is absent is looked for in the environment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    /// Sentry's address of a project.
    pub dsn: Option<String>,
    /// Whether code may leave.
    pub send_code: Option<bool>,
    /// How long a host may wait at its end, in seconds.
    pub flush: Option<f64>,
    /// The `antifreeze` executable that delivers; this process's own if none is named.
    pub helper: Option<PathBuf>,
}

/// Who is told, and how much.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The project of Sentry's; nobody is told without one.
    pub dsn: Option<Dsn>,
    /// Whether one was named, and be it a wrong one.
    pub named: bool,
    /// The deployment, as Sentry's own libraries read it from `SENTRY_ENVIRONMENT`.
    pub environment: String,
    /// The version of the host program, as they read it from `SENTRY_RELEASE`.
    pub release: Option<String>,
    /// Whether code may leave.
    pub send_code: bool,
    /// How long a host waits at its end, if that was said.
    pub flush: Option<Duration>,
    /// See [`Choices::helper`].
    pub helper: Option<PathBuf>,
    /// Where traces go.
    #[cfg(any(feature = "otel", test))]
    pub traces: Option<super::otel::Traces>,
}

impl Settings {
    /// What was asked for, or set in the environment. The second value is what is wrong with it: nobody is told then, and all else
    /// goes on.
    pub fn new(choices: Choices) -> (Settings, Option<String>) {
        Settings::from_variables(choices, |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
    }

    /// The same with an environment of the caller's.
    fn from_variables(choices: Choices, variable: impl Fn(&str) -> Option<String>) -> (Settings, Option<String>) {
        let mut wrong = None;
        let (place, dsn) = match choices.dsn {
            Some(dsn) => ("--sentry-dsn", Some(dsn)),
            None => ("ANTIFREEZE_SENTRY_DSN", variable("ANTIFREEZE_SENTRY_DSN")),
        };
        let dsn = dsn.filter(|dsn| !dsn.trim().is_empty());
        let named = dsn.is_some();
        let dsn = dsn.and_then(|dsn| {
            dsn.trim()
                .parse::<Dsn>()
                .map_err(|error| {
                    wrong = Some(format!("{place}: {error}; Sentry is not told of anything. A DSN is like https://KEY@HOST/PROJECT"));
                })
                .ok()
        });
        let flush = choices.flush.or_else(|| {
            let text = variable("ANTIFREEZE_SENTRY_FLUSH")?;
            parse_duration(&text).map_err(|error| wrong = Some(format!("ANTIFREEZE_SENTRY_FLUSH: {error}; it is not heeded"))).ok()
        });
        let send_code = choices.send_code.unwrap_or_else(|| {
            variable("ANTIFREEZE_SENTRY_SEND_CODE").is_some_and(|value| !matches!(value.as_str(), "0" | "false" | "no" | "off"))
        });
        let settings = Settings {
            dsn,
            named,
            environment: variable("SENTRY_ENVIRONMENT").unwrap_or_else(|| "production".into()),
            release: variable("SENTRY_RELEASE"),
            send_code,
            flush: flush.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            helper: choices.helper,
            #[cfg(any(feature = "otel", test))]
            traces: super::otel::Traces::new(&variable),
        };
        (settings, wrong)
    }
}

/// An envelope on its way to a project.
pub fn envelope_parcel(dsn: &Dsn, envelope: Envelope) -> Parcel {
    let mut body = Vec::new();
    // Writing to memory does not fail; an envelope that could not be written would be refused, and that is said.
    let _ = envelope.to_writer(&mut body);
    Parcel {
        receiver: format!("Sentry ({})", dsn.host()),
        url: dsn.envelope_api_url().to_string(),
        headers: vec![
            ("X-Sentry-Auth".into(), dsn.to_auth(Some(CLIENT)).to_string()),
            ("Content-Type".into(), "application/x-sentry-envelope".into()),
        ],
        body: Some(String::from_utf8_lossy(&body).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(choices: Choices, variables: &[(&str, &str)]) -> (Settings, Option<String>) {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        Settings::from_variables(choices, find)
    }

    #[test]
    fn flags_come_before_the_environment() {
        let typed = Choices { dsn: Some("https://typed@sentry.example/1".into()), ..Choices::default() };
        let (given, wrong) = settings(typed, &[("ANTIFREEZE_SENTRY_DSN", "https://set@sentry.example/2"), ("SENTRY_RELEASE", "agent@1.2")]);
        assert_eq!(wrong, None);
        assert_eq!(given.dsn.as_ref().map(Dsn::public_key), Some("typed"));
        assert_eq!((given.environment.as_str(), given.release.as_deref()), ("production", Some("agent@1.2")));
        assert!(!given.send_code);
        assert!(settings(Choices::default(), &[]).0.dsn.is_none());
    }

    #[test]
    fn a_dsn_that_is_none_is_said_and_tells_nobody() {
        for dsn in ["nonsense", "https://sentry.example/1", "ftp://key@sentry.example/1", "https://key@sentry.example/"] {
            let (given, wrong) = settings(Choices { dsn: Some(dsn.into()), ..Choices::default() }, &[]);
            assert!(given.dsn.is_none(), "{dsn}");
            assert!(wrong.is_some_and(|wrong| wrong.starts_with("--sentry-dsn: ")), "{dsn}");
        }
    }

    #[test]
    fn the_parcel_is_addressed_as_sentry_wants_it() {
        let dsn: Dsn = "https://key@sentry.example:9000/base/42".parse().expect("it is a DSN");
        let parcel = envelope_parcel(&dsn, Envelope::new());
        assert_eq!(parcel.url, "https://sentry.example:9000/base/api/42/envelope/");
        assert!(parcel.headers[0].1.contains("sentry_key=key"), "{:?}", parcel.headers);
    }
}
