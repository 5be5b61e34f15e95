//! Operators, examples and programs as users run them.

pub mod clean;
pub mod companion;
pub mod example;
pub mod list;
pub mod new;
pub mod optest;
pub mod readme;
pub mod sample;
pub mod shell;
