//! Costs as C++.

use super::{Cost, Side};

fn side_cpp(side: &Side) -> String {
    let Side { fixed, burst, rate, pair, l2, memory, wide, narrow, once } = side;
    format!("{{{fixed}, {burst}, {rate}, {pair}, {l2}, {memory}, {wide}, {narrow}, {once}}}")
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
        fixed,
        wide,
        narrow,
        each,
        scalar,
        scalar_each,
    } = cost;
    let (read, write) = (side_cpp(read), side_cpp(write));
    format!(
        "{{{ai_cores}, {l2_bytes}, {step}, {pair_entry}, {pair_latency}, {read}, {write}, {fixed}, {wide}, {narrow}, {each}, \
         {scalar}, {scalar_each}}}"
    )
}
