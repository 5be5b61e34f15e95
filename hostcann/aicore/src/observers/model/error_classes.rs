//! Names of the classes of launches, as `[[error]]` of the parameter file gives their errors.

pub(super) const EMPTY: &str = "empty launch";
pub(super) const VALUES: &str = "single values, a lower bound";
pub(super) const ROWS: &str = "row loops with GetValue";
pub(super) const WAITS: &str = "cores that wait for each other";
pub(super) const TILING: &str = "large tiling data";
pub(super) const EDGE: &str = "near the size of the L2";
pub(super) const SHORT: &str = "chains of short calls";
pub(super) const BROADCAST: &str = "broadcast";
pub(super) const COPIES: &str = "copies";
pub(super) const CHAIN: &str = "chain of kernels";
pub(super) const PRODUCTS: &str = "matrix products, coarse";
pub(super) const LONG: &str = "element-wise, long calls";

/// All of them.
pub(super) const ALL: [&str; 12] =
    [EMPTY, VALUES, ROWS, WAITS, TILING, EDGE, SHORT, BROADCAST, COPIES, CHAIN, PRODUCTS, LONG];
