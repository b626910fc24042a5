//! Pure arithmetic on abstract values and costs.

pub mod cost;
pub mod float;
pub mod int;
pub mod object;
pub mod store;
