//! Graphs that reduce rows of any length, as models have them.

use ascgraph::build::Rows;
use ascgraph::dtype::DType;
use ascgraph::expr::Expr;
use ascgraph::model::FusedGraph;

/// The quotients, and for each row the logarithm of the sum: three passes, and a result between them.
pub fn softmax(dtype: DType) -> FusedGraph {
    let name = format!("softmax_{dtype}");
    let mut g = Rows::new(&name);
    let (all, narrow) = (g.all.clone(), g.narrow.clone());
    let x = g.load(0, dtype, &all);
    let most = g.once("Max", "most", &[x]);
    let wide = g.wide("Broadcast", "wide_most", &[most]);
    let less = g.wide("Sub", "less", &[x, wide]);
    let exp = g.wide("Exp", "exp", &[less]);
    let sum = g.once("Sum", "sum", &[exp]);
    let many = g.wide("Broadcast", "wide_sum", &[sum]);
    let quotient = g.wide("Div", "quotient", &[exp, many]);
    let log = g.once("Ln", "log", &[sum]);
    let log = g.once("Add", "log_sum", &[log, most]);
    g.store(0, quotient, dtype, &all);
    g.store(1, log, DType::Float32, &narrow);
    g.done(&name)
}

/// Mean and variance in passes of their own; weights that all rows have, and a factor for each row that is read late.
pub fn layer_norm(dtype: DType) -> FusedGraph {
    let name = format!("norm_{dtype}");
    let mut g = Rows::new(&name);
    let (all, narrow, row) = (g.all.clone(), g.narrow.clone(), g.row.clone());
    let x = g.load(0, dtype, &all);
    let weight = g.load(1, dtype, &row);
    let bias = g.load(2, dtype, &row);
    let factor = g.load(3, DType::Float32, &narrow);
    let mean = g.once("Mean", "mean", &[x]);
    let wide = g.wide("Broadcast", "wide_mean", &[mean]);
    let less = g.wide("Sub", "less", &[x, wide]);
    let square = g.wide("Mul", "square", &[less, less]);
    let variance = g.once("Mean", "variance", &[square]);
    let small = g.b.scalar("small", "0.00001", DType::Float32);
    let small = g.once("Broadcast", "wide_small", &[small]);
    let sum = g.once("Add", "sum", &[variance, small]);
    let root = g.once("Rsqrt", "root", &[sum]);
    let scale = g.once("Mul", "scale", &[root, factor]);
    let scale = g.wide("Broadcast", "wide_scale", &[scale]);
    let weight = g.wide("Broadcast", "wide_weight", &[weight]);
    let bias = g.wide("Broadcast", "wide_bias", &[bias]);
    let scaled = g.wide("Mul", "scaled", &[less, scale]);
    let weighed = g.wide("Mul", "weighed", &[scaled, weight]);
    let last = g.wide("Add", "last", &[weighed, bias]);
    g.store(0, last, dtype, &all);
    g.done(&name)
}

/// Remainders where a mask is set, less the largest and smallest of them; masks want longer steps.
pub fn masked() -> FusedGraph {
    let mut g = Rows::new("masked");
    let (all, row) = (g.all.clone(), g.row.clone());
    let x = g.load(0, DType::Float32, &all);
    let y = g.load(1, DType::Float32, &row);
    let data = g.b.data("mask", 2, DType::UInt8);
    let mask = g.b.load("load_mask", data, &all);
    let y = g.wide("Broadcast", "wide_y", &[y]);
    let rest = g.wide("Fmod", "rest", &[x, y]);
    let chosen = g.wide("Where", "chosen", &[mask, rest, x]);
    let (most, least) = (g.once("Max", "most", &[chosen]), g.once("Min", "least", &[chosen]));
    let range = g.once("Sub", "range", &[most, least]);
    let wide = g.wide("Broadcast", "wide_range", &[range]);
    let last = g.wide("Sub", "last", &[chosen, wide]);
    g.store(0, last, DType::Float32, &all);
    g.done("masked")
}

/// A mask that a row has one of: zeros where the row's largest element is above a bound of its own, as logsumexp has it.
pub fn mask_of_rows() -> FusedGraph {
    let mut g = Rows::new("mask_of_rows");
    let (all, narrow) = (g.all.clone(), g.narrow.clone());
    let (x, bound) = (g.load(0, DType::Float32, &all), g.load(1, DType::Float32, &narrow));
    let most = g.once("Max", "most", &[x]);
    let above = g.once("Gt", "above", &[most, bound]);
    let wide = g.wide("Broadcast", "wide_above", &[above]);
    let zero = g.b.scalar("zero", "0.0", DType::Float32);
    let zero = g.once("Broadcast", "zero_of_a_row", &[zero]);
    let zero = g.wide("Broadcast", "wide_zero", &[zero]);
    let last = g.wide("Where", "last", &[wide, zero, x]);
    g.store(0, last, DType::Float32, &all);
    let store = g.b.store("store1", wide, &all);
    g.b.output("out1", 1, store, DType::UInt8);
    g.done("mask_of_rows")
}

/// Sizes are numbers: a mean that is a sum and a quotient, as torch writes it for any shape, and all of it by the elements.
pub fn sized() -> FusedGraph {
    let mut g = Rows::new("sized");
    let all = g.all.clone();
    let x = g.load(0, DType::Float32, &all);
    let sum = g.once("Sum", "sum", &[x]);
    let columns = g.b.size("columns", Expr::symbol("s1"), DType::Int64);
    let columns = g.once("Broadcast", "wide_columns", &[columns]);
    let columns = g.once("Cast", "float_columns", &[columns]);
    g.b.dtype(columns, DType::Float32);
    let mean = g.once("TrueDiv", "mean", &[sum, columns]);
    let wide = g.wide("Broadcast", "wide_mean", &[mean]);
    let less = g.wide("Sub", "less", &[x, wide]);
    let elements = g.b.size("elements", Expr::symbol("s0").times(&Expr::symbol("s1")), DType::Float32);
    let elements = g.once("Broadcast", "of_a_row", &[elements]);
    let elements = g.wide("Broadcast", "wide_elements", &[elements]);
    let last = g.wide("TrueDiv", "last", &[less, elements]);
    g.store(0, last, DType::Float32, &all);
    g.done("sized")
}

/// Reductions and nothing else.
pub fn bare(dtype: DType, reductions: &[&str]) -> FusedGraph {
    let name = format!("bare_{dtype}");
    let mut g = Rows::new(&name);
    let all = g.all.clone();
    let data = g.b.data("x", 0, dtype);
    let x = g.b.load("load", data, &all);
    for (at, reduction) in reductions.iter().enumerate() {
        let narrow = g.narrow.clone();
        let reduced = g.once(reduction, &format!("reduced{at}"), &[x]);
        let store = g.b.store(&format!("store{at}"), reduced, &narrow);
        g.b.output(&format!("out{at}"), at as i64, store, dtype);
    }
    g.done(&name)
}

pub fn all() -> Vec<FusedGraph> {
    let dtypes = [DType::Float32, DType::Float16, DType::BFloat16];
    let mut all: Vec<FusedGraph> = dtypes.iter().flat_map(|dtype| [softmax(*dtype), layer_norm(*dtype)]).collect();
    all.push(masked());
    all.extend([mask_of_rows(), sized()]);
    all.push(bare(DType::Float32, &["Sum", "Max", "Min", "Mean"]));
    all.push(bare(DType::Float16, &["Max", "Min"]));
    all
}
