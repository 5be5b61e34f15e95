//! `torch test`: this repository's tests of the road from torch to the operator, with calls queued and one at a time.

use std::ffi::OsString;

use anyhow::Result;

use super::{TORCH, standins};
use crate::count::Count;
use crate::ctx::Ctx;
use crate::road::Road;
use crate::unittest::{Suite, TestArgs};

const TESTS: &str = "adapters/torch";

/// Every call waits for its kernels.
const BLOCKING: &str = "ASCEND_LAUNCH_BLOCKING";

pub fn test(cx: &mut Ctx, args: &TestArgs) -> Result<()> {
    let mut road = Road::prepare(cx, &TORCH, &args.op)?;
    standins::join(&mut road);
    let dir = cx.repo.join(TESTS);
    let mut all = Count::default();
    for (name, blocking) in [("torch-queued", "0"), ("torch-blocking", "1")] {
        let variables = vec![(BLOCKING, OsString::from(blocking))];
        all += args.run(cx, &road, &Suite { name, dir: &dir, variables })?;
    }
    args.judge(cx, TORCH.name, all)
}
