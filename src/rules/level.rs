//! How grave a finding is: one table, from profile, reach and proof.

use super::{Level, Profile};
use crate::cards::Card;
use crate::eval::{Proof, Reach};

/// What a card says about levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    /// It is about waiting.
    pub wait: bool,
    /// It is about the source itself, so a broken source does not soften it.
    pub about_source: bool,
    /// The level in `agent`, whatever the reach and proof.
    pub agent: Option<Level>,
    /// The level in `library`, likewise.
    pub library: Option<Level>,
}

impl Policy {
    /// The policy of a card. Panics on a level that is none; a test parses every card.
    pub fn of(card: &Card) -> Policy {
        let fixed = |profile: &str| {
            card.meta.level.get(profile).map(|name| match name.as_str() {
                "error" => Level::Error,
                "warning" => Level::Warning,
                "note" => Level::Note,
                _ => panic!("{}: `{name}` is no level", card.meta.code),
            })
        };
        Policy { wait: card.meta.wait, about_source: card.meta.code.starts_with("AF9"), agent: fixed("agent"), library: fixed("library") }
    }

    /// The level of a finding. `broken`: the program is a SyntaxError when it runs.
    ///
    /// | | proven, always or maybe | proven, defined | unclear, or likely |
    /// | --- | --- | --- | --- |
    /// | agent | error | warning | warning |
    /// | library | error; waits are warnings | as if called | warning |
    pub fn level(&self, profile: Profile, reach: Reach, proof: Proof, broken: bool) -> Level {
        let level = match (profile, self.agent, self.library) {
            (Profile::Agent, Some(level), _) | (Profile::Library, _, Some(level)) => level,
            _ => match (proof, reach, profile) {
                (Proof::Likely, ..) | (_, Reach::Unclear, _) => Level::Warning,
                (Proof::Proven, Reach::Defined, Profile::Agent) => Level::Warning,
                (Proof::Proven, _, Profile::Library) if self.wait => Level::Warning,
                (Proof::Proven, ..) => Level::Error,
            },
        };
        if broken && profile == Profile::Agent && !self.about_source { level.min(Level::Warning) } else { level }
    }
}
