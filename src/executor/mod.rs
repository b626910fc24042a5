//! Executor stage.
