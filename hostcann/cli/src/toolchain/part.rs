//! Begins a part of a run (`--shard`): what it must have in common with the others.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::base::ctx::Ctx;
use crate::base::files;
use crate::base::pieces;
use crate::base::program;
use crate::base::report::Part;
use crate::base::shard::{self, Shard};
use crate::base::sources;
use crate::toolchain::evidence;
use crate::toolchain::root::{Root, RootKind};

/// From here on units are divided. `of`: the name of what is divided; `ops`: directories of the operators of all parts.
///
/// # Errors
/// Sources that cannot be read, an old record that cannot be removed.
pub fn begin<'a>(
    cx: &mut Ctx,
    of: &str,
    shard: Shard,
    root: &Root,
    ops: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let mut text = match root.kind {
        RootKind::Embedded => sources::of_toolkit(&cx.project.home).context("cannot read the toolkit's sources")?,
        RootKind::HostCann => files::tree_hash(&root.lib64())?,
        // Gigabytes: what machines with the same version have in common is enough.
        RootKind::Cann => names(&root.lib64())?,
    };
    for op in ops {
        text.push_str(&pieces::digest(op)?);
    }
    let part = Part {
        of: of.to_owned(),
        shard: shard.to_string(),
        options: program::command().map(shard::options).unwrap_or_default(),
        digest: files::sha256(text.as_bytes()),
        environment: evidence::environment(cx),
        ..Part::default()
    };
    // One of an earlier run must not be taken for this one's, should this one be killed.
    files::remove_file_if_there(&cx.project.last().join(part.file(shard) + ".json"))?;
    cx.console.say("Part", format!("{shard} of {}", part.options.join(" ")));
    cx.run.part = Some((shard, part));
    Ok(())
}

/// Files with their lengths.
fn names(dir: &Path) -> Result<String> {
    let line = |file: PathBuf| {
        let path = dir.join(&file);
        let meta = path.symlink_metadata().with_context(|| format!("cannot inspect {}", path.display()))?;
        Ok(format!("{} {}\n", file.display(), meta.len()))
    };
    files::walk(dir)?.into_iter().map(line).collect()
}
