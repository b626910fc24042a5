//! Library stage.
