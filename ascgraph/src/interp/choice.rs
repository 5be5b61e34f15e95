//! The tiling of a kernel for sizes, and which kernel of a plan runs.

use crate::cost;
use crate::expr::Values;
use crate::interp::RunError;
use crate::plan::{Kernel, Plan};
use crate::plural::number;
use crate::schedule::row_step_holds;
use crate::tiling::{Limits, Need, Tiling, need};

fn wanted(kernel: &Kernel, sizes: &Values) -> Result<Need, RunError> {
    let s = &kernel.s;
    let fail = |message: String| RunError { node: s.hint.name.clone(), message };
    for (step, length) in s.row_steps() {
        let [step, length] = [&step, &length].map(|expr| expr.eval(sizes));
        let (step, length) = (step.map_err(|e| fail(e.to_string()))?, length.map_err(|e| fail(e.to_string()))?);
        if !row_step_holds(Some(step), Some(length)) {
            return Err(fail(format!("rows of {} are {} apart", number(length, "element"), number(step, "element"))));
        }
    }
    for size in s.around() {
        if size.eval(sizes).map_err(|error| fail(error.to_string()))? < 1 {
            return Err(fail(format!("{size} is 0; there is nothing to reduce")));
        }
    }
    let [rows, row, columns] = s.demanded().map(|size| size.eval(sizes).map_err(|error| fail(error.to_string())));
    need(&kernel.memory.demand(s), rows?, row?, columns?).map_err(fail)
}

/// The tiling of one kernel for these sizes.
///
/// # Errors
///
/// A size has no value, the rows do not lie in memory as the kernel requires, or no tile fits into `limits`.
pub fn tiling(kernel: &Kernel, sizes: &Values, limits: Limits) -> Result<Tiling, RunError> {
    let node = kernel.s.hint.name.clone();
    let solved = cost::solve(&wanted(kernel, sizes)?, limits, kernel.cost.as_ref());
    solved.map(|(tiling, _)| tiling).map_err(|message| RunError { node, message })
}

/// Which of a plan's kernels runs for these sizes, and its tiling.
///
/// # Errors
///
/// None of the kernels has a tiling for these sizes.
pub fn choose(plan: &Plan, sizes: &Values, limits: Limits) -> Result<(usize, Tiling), RunError> {
    let need = |kernel: &Kernel| (wanted(kernel, sizes).map_err(|error| error.message), kernel.cost);
    let needs: Vec<_> = plan.cases.iter().map(need).collect();
    let node = plan.cases.first().map_or_else(String::new, |kernel| kernel.s.hint.name.clone());
    let told = |why: String| plan.long_rows.as_ref().map_or(why.clone(), |rows| format!("{why}; {rows}"));
    cost::choose(&needs, limits).map_err(|why| RunError { node, message: told(why) })
}

/// What the cheapest kernel of a plan costs for these sizes, in ticks; `None` where none has a tiling, or the timing model no
/// number for what runs.
pub fn price(plan: &Plan, sizes: &Values, limits: Limits) -> Option<i64> {
    let of = |kernel: &Kernel| {
        let (_, ticks) = cost::solve(&wanted(kernel, sizes).ok()?, limits, kernel.cost.as_ref()).ok()?;
        Some((ticks, kernel.cost.is_some()))
    };
    let (ticks, known) = plan.cases.iter().filter_map(of).min()?;
    (known && ticks < i64::MAX).then_some(ticks)
}
