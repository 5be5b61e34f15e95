//! Nothing to do. Features of what macros use are those of build dependencies.

fn main() {}
