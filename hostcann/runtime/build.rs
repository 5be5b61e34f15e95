//! Kernel objects and libnnopbase.so name `libascendcl.so` as needed; with a soname the loaded copy satisfies them.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libascendcl.so");
}
