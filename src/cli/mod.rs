//! The command line: what was typed becomes settings, the stages above do the work.

pub mod limits;
pub mod run;
