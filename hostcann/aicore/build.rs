//! Kernels loaded by the integration tests resolve `aic_*` from the test executable.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-tests=-rdynamic");
}
