//! `setup`: fetch the pinned tools.

use anyhow::Result;
use clap::Args;

use crate::base::ctx::Ctx;
use crate::base::done::Done;
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
    fn run(self, cx: &mut Ctx) -> Result<Done> {
        tools::need_compiler()?;
        Ok(Done::plain().verdict(match tools::ensure(cx, self.force)? {
            Tools::System => "setup: cmake and ninja from PATH".to_owned(),
            Tools::Environment { site, .. } => format!("setup: cmake and ninja of {}", site.display()),
            Tools::Pinned(dir) => {
                cx.run.artifact(&dir, None);
                let shown = cx.project.show(&dir);
                format!("setup: tools are in {shown}")
            }
        }))
    }
}
