//! Nothing but its dependencies: cargo compiles a crate again for every set of features that a selection of packages asks
//! for, and this crate, which every selection has, asks for all of them.
