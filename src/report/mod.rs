//! Reports: what the stages above found, as text for people and models and as JSON for programs.

pub mod outcome;
