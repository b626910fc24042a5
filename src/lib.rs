//! antifreeze stops Python code written by AI agents from freezing the process that runs it.
//!
//! The modules are listed in the order in which data flows through them; each imports only from those above it.

pub mod limits;
pub mod stack;
pub mod config;
pub mod source;
pub mod syntax;
pub mod fact;
pub mod value;
pub mod cards;
pub mod library;
pub mod eval;
pub mod rules;
pub mod verdict;
pub mod outcome;
pub mod report;
pub mod executor;
pub mod once;
pub mod telemetry;
#[cfg(target_os = "linux")]
pub mod watch;
#[cfg(target_os = "linux")]
pub mod session;
pub mod scan;
#[cfg(target_os = "linux")]
pub mod serve;
#[cfg(all(feature = "python", target_os = "linux"))]
pub mod python;
pub mod cli;
