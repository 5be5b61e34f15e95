//! The integration tests in one program: the optimised build of a program each takes twice the time.

mod abi;
mod adv;
mod adv_headers;
mod adv_lib;
mod adv_softmax;
mod adv_units;
mod architecture;
mod contract;
mod cores;
mod findings;
mod interfaces;
mod kernel;
mod layout;
mod matmul;
mod model;
mod model_instructions;
mod moves;
mod names;
mod observe;
mod scalar;
mod support;
mod sync;
mod system;
mod tensors;

/// A file that no line above names would not be compiled, and nobody would notice.
#[test]
fn every_file_is_named() {
    let dir = env!("CARGO_MANIFEST_DIR");
    let named = include_str!("suite.rs");
    for entry in std::fs::read_dir(dir).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(module) = name.strip_suffix(".rs").filter(|stem| !["suite", "broken", "build"].contains(stem)) {
            assert!(named.contains(&format!("\nmod {module};")), "tests/suite.rs has no `mod {module};`");
        }
    }
}
