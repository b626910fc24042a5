//! Report stage.
