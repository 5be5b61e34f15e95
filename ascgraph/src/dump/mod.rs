//! Graphs for people and for programs: text, dot, JSON, HTML.

mod dot;
mod html;
mod json;
mod text;

pub use dot::dot;
pub use html::html;
pub use json::json;
pub use text::{graph_text, text};
