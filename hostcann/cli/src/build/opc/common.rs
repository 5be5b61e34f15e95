//! `opc common`: which of a checkout's common sources an op's host sources need.
//!
//! Upstream compiles all of common/src, common/src/op_host and of `<category>/common/op_host` into its libraries (ops-nn
//! cmake/func.cmake). Here come those whose headers are included, for the others require libraries of whole CANN installs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;

use super::l0_names::text_of;
use crate::base::term::out;

/// Name the common sources of a checkout that host sources need
#[derive(Args)]
pub struct CommonArgs {
    /// Sources of the tiling library so far
    #[arg(long = "source")]
    sources: Vec<PathBuf>,
    /// The checkout that holds the op
    #[arg(long)]
    checkout: PathBuf,
}

/// One file a line.
pub fn run(args: &CommonArgs) -> Result<()> {
    for file in needed(args)? {
        out!("{}", file.display());
    }
    Ok(())
}

/// The source next to every included header, also of headers that other headers or those sources include.
fn needed(args: &CommonArgs) -> Result<BTreeSet<PathBuf>> {
    let places = ["", "common/inc", "common/inc/op_host", "common/include", "common/include/op_host"]
        .map(|place| args.checkout.join(place));
    let checkout = args.checkout.canonicalize().unwrap_or_else(|_| args.checkout.clone());
    let mut open: Vec<PathBuf> = args.sources.iter().filter(|source| source.is_file()).cloned().collect();
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(file) = open.pop() {
        for include in cpptext::includes(&text_of(&file)?).into_iter().filter(|include| !include.angle) {
            let include = Path::new(&include.path);
            let beside = file.parent().map(|dir| dir.join(include));
            let header = beside.into_iter().chain(places.iter().map(|place| place.join(include)));
            let Some(header) = header.filter_map(|path| path.canonicalize().ok()).find(|path| path.is_file()) else {
                continue;
            };
            let stem = include.file_stem().unwrap_or_default();
            let of_all = ["common/src", "common/src/op_host"]
                .map(|place| args.checkout.join(place).join(stem).with_extension("cpp"));
            let of_category = is_of_a_category(&checkout, &header).then(|| header.with_extension("cpp"));
            for source in of_category.into_iter().chain(of_all).filter(|source| source.is_file()) {
                if found.insert(source.clone()) {
                    open.push(source);
                }
            }
            if seen.insert(header.clone()) {
                open.push(header);
            }
        }
    }
    Ok(found)
}

/// `<category>/common/op_host/…`.
fn is_of_a_category(checkout: &Path, header: &Path) -> bool {
    let below = header.strip_prefix(checkout).ok();
    below.is_some_and(|path| path.iter().skip(1).take(2).eq(["common", "op_host"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::files::write_if_changed;

    #[test]
    fn sources_of_included_headers() {
        let temp = tempfile::tempdir().expect("temp dir");
        let write = |file: &str, text: &str| write_if_changed(&temp.path().join(file), text.as_bytes()).expect("write");
        write("image/own/op_host/own_tiling.cpp", "#include \"own_tiling.h\"\n#include \"log/log.h\"\n");
        write("image/own/op_host/own_tiling.h", "#pragma once\n#include \"op_host/tiling_util.h\"\n");
        write("common/inc/op_host/tiling_util.h", "#include \"tiling_base.h\"\n");
        write("common/inc/op_host/tiling_base.h", "");
        write("common/inc/op_host/hash.h", "");
        write("common/inc/op_host/cube.h", "");
        write("common/src/op_host/tiling_util.cpp", "#include \"op_host/tiling_util.h\"\n#include \"hash.h\"\n");
        write("common/src/op_host/hash.cpp", "#include \"manager.h\"\n");
        write("common/inc/manager.h", "");
        write("common/src/manager.cpp", "");
        write("common/src/op_host/cube.cpp", "#error needs what is not here");
        write("image/common/op_host/op_tiling/debug.h", "#include \"tiling_util.h\"\n");
        write("image/common/op_host/op_tiling/debug.cpp", "#include \"debug.h\"\n");
        write("image/other/op_host/other_tiling.h", "");
        write("image/other/op_host/other_tiling.cpp", "");
        let shared =
            "#include \"image/common/op_host/op_tiling/debug.h\"\n#include \"../../other/op_host/other_tiling.h\"\n";
        write("image/two/op_host/two_tiling.cpp", shared);
        let args = |source: &str| CommonArgs { sources: vec![temp.path().join(source)], checkout: temp.path().into() };
        let names = |source: &str| {
            let found = needed(&args(source)).expect("sources");
            found
                .iter()
                .map(|file| file.file_name().expect("a name").to_string_lossy().into_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(names("image/own/op_host/own_tiling.cpp"), ["manager.cpp", "hash.cpp", "tiling_util.cpp"]);
        assert_eq!(
            names("image/two/op_host/two_tiling.cpp"),
            ["manager.cpp", "hash.cpp", "tiling_util.cpp", "debug.cpp"]
        );
        assert!(names("common/inc/op_host/tiling_base.h").is_empty());
        assert!(names("no/such/file.cpp").is_empty());
    }
}
