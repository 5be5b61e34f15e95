//! Costs as C++.

use super::{Cost, Side, Work};

fn side_cpp(side: &Side) -> String {
    let Side { fixed, burst, rate, pair, l2, memory, wide, narrow, once } = side;
    format!("{{{fixed}, {burst}, {rate}, {pair}, {l2}, {memory}, {wide}, {narrow}, {once}}}")
}

fn work_cpp(work: &Work) -> String {
    let Work { fixed, wide, narrow, each, scalar, scalar_each } = work;
    format!("{{{fixed}, {wide}, {narrow}, {each}, {scalar}, {scalar_each}}}")
}

/// The cost as C++ initialises it.
pub fn value(cost: &Cost) -> String {
    let Cost {
        ai_cores,
        l2_bytes,
        step,
        pair_entry,
        pair_latency,
        read,
        write,
        tile,
        first,
        first_read,
        first_row,
        meet,
        turned,
    } = cost;
    let (read, write) = (side_cpp(read), side_cpp(write));
    let (tile, first) = (work_cpp(tile), work_cpp(first));
    format!(
        "{{{ai_cores}, {l2_bytes}, {step}, {pair_entry}, {pair_latency}, {read}, {write}, {tile}, {first}, {first_read}, \
         {first_row}, {meet}, {turned}}}"
    )
}
