//! Graphs for people and for programs: text, dot, JSON.

mod dot;
mod json;
mod text;

pub use dot::dot;
pub use json::json;
pub use text::{graph_text, text};
