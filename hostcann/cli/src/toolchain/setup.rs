//! `setup`: fetch the pinned tools.

use anyhow::Result;
use clap::Args;

use crate::base::ctx::Ctx;
use crate::base::verb::Verb;
use crate::toolchain::tools::{self, Tools};

const HELP: &str = "\
Examples:
  cargo xtask setup
  XTASK_TOOLS=system cargo xtask setup   # use cmake and ninja from PATH

Nothing outside target/ is touched, root is not needed.";

/// Fetch the pinned tools (cmake, ninja, libclang, clang-format) into target/tools
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Setup {
    /// Fetch again even if the tools are present
    #[arg(long)]
    force: bool,
}

impl Verb for Setup {
    fn run(self, cx: &mut Ctx) -> Result<()> {
        tools::need_compiler()?;
        match tools::ensure(cx, self.force)? {
            Tools::System => cx.verdict("setup: cmake and ninja from PATH"),
            Tools::Pinned(dir) => {
                cx.artifact(&dir, None);
                let shown = cx.show(&dir);
                cx.verdict(format!("setup: tools are in {shown}"));
            }
        }
        Ok(())
    }
}
