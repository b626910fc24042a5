//! Pure arithmetic on abstract values and costs.
//!
//! Nothing here knows Python's syntax or its library: the evaluator asks "what can `a ** b` be" and gets a set that contains every value CPython could
//! compute, together with the exceptions it could raise. Every function is total: no input panics, no input takes long.

pub mod bits;
pub mod residue;
pub mod int;
pub mod counting;
pub mod decimal;
pub mod decimal_number;
pub mod float;
pub mod float_math;
pub mod convert;
pub mod text;
pub mod format;
pub mod cost;
pub mod regex;
pub mod object;
pub mod fixed;
pub mod store;
pub mod why;
