//! Kernels of fused graphs: `ascgraph` with what it does not know, the kernel code of `Fmod` and the timing model. The
//! program links it; torch.compile loads it as `libautofuse.so` and calls it in its own process.

#![warn(clippy::missing_errors_doc)]

mod answer;
mod c_abi;
pub mod timing;

pub use answer::answer;

/// The kernel code of `Fmod`: name and text of each header.
pub const KERNEL_HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/kernel_headers.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    /// A header that is not embedded would be missing on every machine but this one.
    #[test]
    fn headers_include_only_each_other() {
        let known = |name: &str| name == "kernel_operator.h" || KERNEL_HEADERS.iter().any(|header| header.0 == name);
        for (name, text) in KERNEL_HEADERS {
            for line in text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"')) {
                // Those of the toolkit that have a path are there.
                assert!(line.contains('/') || known(line), "{name} includes {line}");
            }
        }
        assert!(known("fmod_tbe.h") && known("fmod_exact.h"));
    }
}
