//! Cards stage.
