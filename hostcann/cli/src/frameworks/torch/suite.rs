//! `torch test`: this repository's tests of the session from torch to the operator, with calls queued and one at a time, and of
//! the session from torch.compile to kernels; and two tables of what torch.compile makes of PyTorch's own tests and of models.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::TORCH;
use crate::base::args::OpArgs;
use crate::base::count::Count;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::term::out;
use crate::frameworks::session::{self, Session};
use crate::frameworks::unittest::{ALL, Suite, TestArgs};

const TESTS: &str = "adapters/torch";

const COMPILED: &str = "adapters/torch/compile";

const TABLES: &str = "adapters/torch/tables";

/// PyTorch's own tests of Inductor, in its sources.
const INDUCTOR: &str = "test/inductor/test_torchinductor.py";

/// What a file of them has, whatever its version.
const TEMPLATE: &str = "class CommonTemplate";

/// Every call waits for its kernels.
const BLOCKING: &str = "ASCEND_LAUNCH_BLOCKING";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Operators, queued and blocking
    Operators,
    /// torch.compile: recorded functions, random expressions, the contract with torch_npu
    Compile,
    /// PyTorch's own element-wise and reduction tests of Inductor (--suite): a table
    Inductor,
    /// Blocks of models through torch.compile: a table
    Models,
}

#[derive(Args)]
pub struct Test {
    #[command(flatten)]
    args: TestArgs,
    /// Run only this part
    #[arg(long, value_enum, default_value_t = Part::Operators)]
    only: Part,
    /// With --only inductor: PyTorch's sources, or test/inductor/test_torchinductor.py in them
    #[arg(long, value_name = "PATH")]
    suite: Option<PathBuf>,
    /// Compile this many random expressions
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: u32,
}

impl Test {
    pub fn op(&self) -> &OpArgs {
        &self.args.op
    }

    pub fn check(&self, cx: &mut Ctx) -> Result<()> {
        self.sources(cx.run.sh.current_dir().as_path())?;
        session::check_test(cx, &TORCH, self.op())
    }

    /// The file that --suite means.
    fn sources(&self, dir: &Path) -> Result<Option<PathBuf>> {
        const HINT: &str = "give the directory of PyTorch's sources, such as a checkout of its tag v2.14.0, or \
                            test/inductor/test_torchinductor.py in it: cargo xtask torch test --only inductor --suite ~/pytorch";
        let is_wanted = self.only == Part::Inductor;
        let Some(given) = &self.suite else {
            if is_wanted {
                return Err(failed(Kind::Usage, "--only inductor: --suite is missing").hint(HINT));
            }
            return Ok(None);
        };
        if !is_wanted {
            return Err(failed(Kind::Usage, "--suite: only `--only inductor` reads it")
                .hint("add --only inductor, or leave --suite out"));
        }
        let given = dir.join(given);
        let file = if given.is_dir() { given.join(INDUCTOR) } else { given };
        let text = fs::read_to_string(&file).map_err(|error| {
            failed(Kind::Usage, format!("--suite: cannot read {}: {error}", file.display())).hint(HINT)
        })?;
        if !text.contains(TEMPLATE) {
            let message = format!("--suite: {} is not PyTorch's: it has no `{TEMPLATE}`", file.display());
            return Err(failed(Kind::Usage, message).hint(HINT));
        }
        Ok(Some(file))
    }

    pub fn run(&self, cx: &mut Ctx) -> Result<Done> {
        let sources = self.sources(cx.run.sh.current_dir().as_path())?;
        let session = super::road(cx, &self.args.op)?;
        let mut all = Count::default();
        match self.only {
            Part::Operators => {
                let dir = cx.project.home.join(TESTS);
                for (name, blocking) in [("torch-queued", "0"), ("torch-blocking", "1")] {
                    let variables = vec![(BLOCKING, OsString::from(blocking))];
                    all += self.args.run(cx, &session, &Suite { name, dir: &dir, pattern: ALL, variables })?;
                }
            }
            Part::Compile => {
                let dir = cx.project.home.join(COMPILED);
                let variables = vec![one_process(), ("AUTOFUSE_EXPRESSIONS", self.count.to_string().into())];
                let suite = Suite { name: "torch-compile", dir: &dir, pattern: ALL, variables };
                all += self.args.run(cx, &session, &suite)?;
            }
            Part::Inductor => {
                let file = sources.unwrap_or_default();
                let variables = vec![("AUTOFUSE_SUITE", file.into_os_string())];
                all += self.table(cx, &session, "torch-inductor", "test_inductor.py", variables)?;
            }
            Part::Models => all += self.table(cx, &session, "torch-models", "test_models.py", Vec::new())?,
        }
        Ok(self.args.judge(TORCH.name, all))
    }

    /// The tests of one file of `TABLES`, and the table that they write.
    fn table(
        &self,
        cx: &mut Ctx,
        session: &Session,
        name: &str,
        pattern: &str,
        mut variables: Vec<(&'static str, OsString)>,
    ) -> Result<Count> {
        let dir = cx.project.home.join(TABLES);
        let table = cx.project.log_file(name).with_extension("md");
        files::remove_file_if_there(&table)?;
        variables.extend([one_process(), ("AUTOFUSE_TABLE", table.clone().into_os_string())]);
        let counted = self.args.run(cx, session, &Suite { name, dir: &dir, pattern, variables });
        if let Ok(text) = fs::read_to_string(&table) {
            out!("{text}");
        }
        counted
    }
}

/// One process compiles: workers would each import torch first.
fn one_process() -> (&'static str, OsString) {
    ("TORCHINDUCTOR_COMPILE_THREADS", "1".into())
}
