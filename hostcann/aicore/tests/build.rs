//! Kernels that the tests load resolve `aic_*` from the test program.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-link-arg-tests=-rdynamic");
}
