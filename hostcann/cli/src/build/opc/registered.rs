//! Tiling data whose struct nobody registers: asc_opc makes GET_TILING_DATA and its kin from the registered struct, so that
//! without one no kernel compiles for a device.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use cpptext::{includes, tokens};

use crate::base::diag::{HintExt, Kind, failed};

/// What these macros expand to, and the marks of a registered struct (hostcann/include/ascendc/kernel/tiling.h).
const READS: [&str; 2] = ["hostcann::LoadTiling(&", "hostcann::PointToTiling<"];
const REGISTERED: [&str; 2] = ["HostcannTilingDefault", "HostcannTilingNone"];
/// COPY_TILING_WITH_STRUCT copies what a pointer points to, registered or not.
const COPY: &str = "HostcannCopy";

/// `text`: the kernel, preprocessed, after the structs of op_host.
pub fn check(text: &str, source: &str) -> anyhow::Result<()> {
    let word =
        |at: &str| at.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default().to_owned();
    let reads = READS.iter().any(|call| text.split(call).skip(1).any(|after| !word(after).ends_with(COPY)));
    if !reads || REGISTERED.iter().any(|mark| text.contains(mark)) {
        return Ok(());
    }
    Err(failed(
        Kind::Build,
        format!("{source} reads tiling data with GET_TILING_DATA…, and nothing registers its struct"),
    )
    .hint(
        "asc_opc defines these macros only for a registered struct: REGISTER_TILING_DEFAULT(<struct>) at the start of \
             the entry, or REGISTER_TILING_DATA_CLASS(<OpType>, <struct>) behind END_TILING_DATA_DEF in op_host",
    ))
}

/// Whether the kernel's files may define the struct that REGISTER_TILING_DEFAULT names, for this chip or another.
pub fn may_be_own(source: &Path, kernel_dir: &Path) -> anyhow::Result<bool> {
    let (mut names, mut seen) = (Names::default(), BTreeSet::<PathBuf>::new());
    let mut open = vec![source.to_path_buf()];
    while let Some(file) = open.pop() {
        let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        names.read(&text);
        let beside = file.parent().unwrap_or(kernel_dir);
        for include in includes(&text).iter().filter(|include| !include.angle) {
            let places = [beside.join(&include.path), kernel_dir.join(&include.path)];
            let found = places.into_iter().find_map(|path| path.canonicalize().ok());
            open.extend(found.filter(|path| seen.insert(path.clone())));
        }
    }
    Ok(names.meet())
}

/// Whether the kernel defines the struct that it registers: asc_opc takes that one then, whatever op_host describes
/// under the same name. `text`: the kernel, preprocessed without the structs of op_host.
pub fn is_own(text: &str) -> bool {
    let mut names = Names::default();
    names.read(text);
    names.meet()
}

#[derive(Default)]
struct Names {
    registered: BTreeSet<String>,
    defined: BTreeSet<String>,
}

impl Names {
    fn read(&mut self, text: &str) {
        let tokens = tokens(text);
        let mut named = |at: usize, end: &str| {
            // Its name without namespaces.
            let close = tokens[at..].iter().position(|token| token.is(end));
            self.registered.extend(close.map(|close| tokens[at + close - 1].text.to_owned()));
        };
        for at in 0..tokens.len() {
            if tokens[at].is("REGISTER_TILING_DEFAULT") && tokens.get(at + 1).is_some_and(|next| next.is("(")) {
                named(at, ")");
            } else if tokens[at].is(REGISTERED[0]) {
                named(at, ";");
            }
        }
        for part in tokens.windows(3).filter(|part| part[0].is("struct") || part[0].is("class")) {
            if part[2].is("{") {
                self.defined.insert(part[1].text.to_owned());
            }
        }
    }

    fn meet(&self) -> bool {
        !self.registered.is_disjoint(&self.defined)
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::base::diag;

    /// A kernel with this body, as the toolkit's own header makes the macros.
    fn checked(body: &str) -> anyhow::Result<()> {
        let temp = tempfile::tempdir().expect("temp dir");
        let source = temp.path().join("k.cpp");
        let text = format!(
            "#include \"ascendc/kernel/tiling.h\"\nstruct Data {{ int n; }};\nvoid k(unsigned char* t) {{ {body}; }}\n"
        );
        fs::write(&source, text).expect("a file");
        let include = concat!(env!("CARGO_MANIFEST_DIR"), "/../include");
        let mut command = Command::new("g++");
        let output = command.args(["-std=c++17", "-E", "-P", "-I", include]).arg(&source).output().expect("g++");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        check(&String::from_utf8_lossy(&output.stdout), "k.cpp")
    }

    #[test]
    fn a_struct_that_nothing_registers() {
        let read = "GET_TILING_DATA_WITH_STRUCT(Data, data, t)";
        let error = checked(read).expect_err("no struct is registered");
        assert_eq!(diag::code(&error), 20);
        assert!(diag::hint(&error).is_some_and(|hint| hint.contains("REGISTER_TILING_DEFAULT(<struct>)")), "{error:?}");
        for other in ["GET_TILING_DATA_MEMBER(Data, n, n, t)", "GET_TILING_DATA_PTR_WITH_STRUCT(Data, data, t)"] {
            assert!(checked(other).is_err(), "{other}");
        }
        for mark in ["REGISTER_TILING_DEFAULT(Data)", "REGISTER_NONE_TILING", "using HostcannTilingDefault = Data"] {
            assert!(checked(&format!("{mark}; {read}")).is_ok(), "{mark}");
        }
        let copy = "COPY_TILING_WITH_STRUCT(Data, t, data)";
        assert!(checked(copy).is_ok() && checked("").is_ok());
        assert!(checked(&format!("{copy}; {read}")).is_err());
    }

    #[test]
    fn a_struct_of_the_kernel() {
        let temp = tempfile::tempdir().expect("temp dir");
        let kernel = temp.path().join("k.cpp");
        let write = |file: &str, text: &str| fs::write(temp.path().join(file), text).expect("a file");
        write("k.cpp", "#include \"k.h\"\nvoid k() { REGISTER_TILING_DEFAULT(own::Data); }\n");
        write("k.h", "#include \"k.h\"\nnamespace own { struct Other { int n; }; struct Data; }\n");
        assert!(!may_be_own(&kernel, temp.path()).expect("read"), "it is declared, not defined");
        write("k.h", "namespace own { struct Data { int n; }; }\n");
        assert!(may_be_own(&kernel, temp.path()).expect("read"));
        write("k.cpp", "#include \"k.h\"\nvoid k() { GET_TILING_DATA(data, tiling); }\n");
        assert!(!may_be_own(&kernel, temp.path()).expect("read"), "nothing registers it");
        let using = "void k() { using HostcannTilingDefault [[maybe_unused]] = own::Data; }";
        assert!(is_own(&format!("namespace own {{ struct Data {{ int n; }}; }} {using}")));
        assert!(!is_own(&format!("namespace own {{ struct Data; }} {using}")));
        assert!(!is_own("struct Data { int n; };"), "its branch is another chip's");
    }
}
