//! Graphs that tests run, with sizes for their symbols. Each test takes what it needs.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::Path;

use ascgraph::build::{Builder, fmod_example, fused};
use ascgraph::codegen::pattern;
use ascgraph::dtype::DType;
use ascgraph::expr::Values;
use ascgraph::interp::Buffer;
use ascgraph::ir::{self, ComputeType, Dtypes, Inputs};
use ascgraph::load::load;
use ascgraph::lower::types;
use ascgraph::model::{AttrValue, AxisId, FusedGraph, Graph};
use ascgraph::timing::{File, Soc, Timing};

pub mod columns;
pub mod folded;
pub mod joined;
pub mod long;
pub mod turned;

pub const RECORDED: [&str; 17] = [
    "0_div",
    "0_mul_sub",
    "11_mul_where",
    "12_add_t",
    "13_cat_mul",
    "14_add_remainder",
    "15_add_exp",
    "1_div",
    "1_mul_sub",
    "2_abs_add",
    "3_mul",
    "4_add_mul_relu",
    "5_abs_add_mul",
    "6__to_copy_mul",
    "7_abs_sum",
    "8__softmax",
    "9_native_layer_norm",
];

pub fn recorded(name: &str) -> FusedGraph {
    let corpus: serde_json::Value = serde_json::from_str(include_str!("../corpus.json")).expect("JSON");
    load(&corpus[name].to_string()).expect("loads").fused
}

/// The last number below 100 000 that holds, where all before it do.
pub fn last(holds: impl Fn(i64) -> bool) -> i64 {
    let (mut good, mut bad) = (1, 100_000);
    assert!(holds(good) && !holds(bad));
    while good + 1 < bad {
        let middle = (good + bad) / 2;
        if holds(middle) { good = middle } else { bad = middle }
    }
    good
}

/// The parameters of the toolkit's timing model.
pub fn timing(name: &str) -> Timing {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hostcann/soc");
    let text = |file: &str| std::fs::read_to_string(dir.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let file: File = toml::from_str(&text("timing/model.toml")).expect("the model");
    let chips: toml::Table = toml::from_str(&text("chips.toml")).expect("the chips");
    let mut info = chips["base"]["SoCInfo"].as_table().expect("a section").clone();
    info.extend(chips[name]["SoCInfo"].as_table().expect("a section").clone());
    let soc = Soc { info: toml::Value::from(info).try_into().expect("a SoC") };
    Timing::of(&file, name, &soc).expect("all parameters")
}

/// By the shapes that the Loads see.
pub fn inputs(hint: &Graph, sizes: &Values) -> BTreeMap<i64, Buffer> {
    let mut all = BTreeMap::new();
    for (_, node) in hint.of_type("Load") {
        let data = &hint.nodes[node.inputs[0].from.expect("Data")];
        let length: i64 = node.y.size.iter().map(|size| size.eval(sizes).expect("a size")).product();
        let (index, dtype) = (data.index().expect("an index"), data.y.dtype.expect("a type"));
        all.insert(index, pattern(dtype, index as u64 + 1, length as usize));
    }
    all
}

/// Numbers of every kind: below the smallest normal one, up to the largest, infinite, none.
pub fn of_all_kinds(dtype: DType, seed: u64, length: usize) -> Buffer {
    let (mut random, size) = (fastrand::Rng::with_seed(seed), dtype.size());
    let mut bytes = pattern(dtype, seed, length).bytes;
    for number in bytes.chunks_mut(size) {
        let state = random.u64(..);
        let bits = (state >> 8).to_le_bytes();
        let signed = [bits[0], bits[1] & 0x80];
        match state % 8 {
            0 | 1 => number.copy_from_slice(&bits[..size]),
            // Little of a fraction, nothing of an exponent.
            2 if dtype.is_float() => {
                number.fill(0);
                number[0] = signed[0];
                number[size - 1] = signed[1];
            }
            3 if dtype.is_float() => {
                number[size - 2] |= 0xc0;
                number[size - 1] |= 0x7f;
            }
            // Its Sigmoid is below the smallest normal number.
            4 if dtype == DType::Float32 && state % 64 == 4 => number.copy_from_slice(&(-88f32).to_le_bytes()),
            _ => {}
        }
        if dtype == DType::UInt8 {
            number[0] &= 3;
        }
    }
    Buffer { dtype, bytes }
}

pub fn all() -> Vec<(FusedGraph, Vec<Vec<i64>>)> {
    let mut all = Vec::new();
    for name in RECORDED {
        let symbols = recorded(name).graphs[0].size_vars.len();
        let shapes =
            if symbols == 0 { vec![vec![]] } else { vec![vec![6, 40], vec![77, 130], vec![3, 9001], vec![300, 3]] };
        all.push((recorded(name), shapes));
    }
    all.push((fmod_example(), vec![vec![97, 1000], vec![1, 1], vec![1000, 5], vec![5, 2049]]));
    all
}

/// Every element-wise type that takes operands of this type and has instructions, each into an Output of its own.
fn elementwise(dtype: DType) -> FusedGraph {
    let mut b = Builder::new(&format!("every_{dtype}"));
    let n = b.create_size_var("n");
    let z = b.create_axis("z", n);
    b.sched_axis(&[z]);
    let all = b.contiguous(&[z]);
    let load = |b: &mut Builder, index: i64, dtype: DType| {
        let data = b.data(&format!("x{index}"), index, dtype);
        b.load(&format!("load{index}"), data, &all)
    };
    // An operator has no operand that it does not read.
    let operands = match dtype {
        DType::Float32 | DType::Float16 | DType::Int16 | DType::UInt16 | DType::Int32 | DType::UInt8 => 2,
        _ => 1,
    };
    let x: Vec<usize> = (0..operands).map(|index| load(&mut b, index, dtype)).collect();
    let chosen = |ir: &ascgraph::ir::AscIr| matches!(ir.dtypes, Dtypes::Selected(list) if list.contains(&dtype));
    let mask = (operands == 2 && ir::all().any(chosen)).then(|| load(&mut b, 2, DType::UInt8));
    let mut index = 0;
    for ir in ir::all().filter(|ir| ir.compute_type == ComputeType::Elewise) {
        let Inputs::Named(names) = ir.inputs else { continue };
        let results: Vec<DType> =
            DType::ALL.iter().copied().filter(|to| ir.takes(&vec![dtype; names.len()], *to)).collect();
        let chosen = chosen(ir);
        for to in if chosen { vec![dtype] } else { results } {
            let known = types::dtypes(ir);
            if !known.contains(&dtype.to_string()) && !known.contains(&format!("{dtype} → {to}"))
                || dtype == to && ir.name == "Cast"
            {
                continue;
            }
            let mut operands: Vec<usize> = x.iter().copied().take(names.len()).collect();
            if let (true, Some(mask)) = (chosen, mask) {
                operands.insert(0, mask);
            }
            let wanted = names.len();
            if operands.len() != wanted {
                continue;
            }
            let node = b.node(ir.name, &format!("{}_{to}", ir.name), &operands, Some(&all));
            b.dtype(node, to);
            let store = b.store(&format!("store{index}"), node, &all);
            b.output(&format!("out{index}"), index, store, to);
            index += 1;
        }
    }
    fused(&format!("every_{dtype}"), b.graph())
}

/// Over s0 rows of s1 elements.
fn matrix(name: &str) -> (Builder, [AxisId; 2]) {
    let mut b = Builder::new(name);
    let (s0, s1) = (b.create_size_var("s0"), b.create_size_var("s1"));
    let axes = [b.create_axis("z0", s0), b.create_axis("z1", s1)];
    b.sched_axis(&axes);
    (b, axes)
}

/// Rows of s1 elements: every reduction, what is computed of its results, and both of it together.
pub fn rows(dtype: DType, reductions: &[&str]) -> FusedGraph {
    let (mut b, axes) = matrix(&format!("rows_{dtype}"));
    let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
    let (x, y) = (b.data("x", 0, dtype), b.data("y", 1, dtype));
    let (x, y) = (b.load("load_x", x, &all), b.load("load_y", y, &narrow));
    for (at, name) in reductions.iter().enumerate() {
        let at = 2 * at as i64;
        let reduced = b.node(name, &format!("reduced{at}"), &[x], Some(&narrow));
        let sum = b.node("Add", &format!("add{at}"), &[reduced, y], Some(&narrow));
        let wide = b.node("Broadcast", &format!("wide{at}"), &[sum], Some(&all));
        let sub = b.node("Sub", &format!("sub{at}"), &[x, wide], Some(&all));
        for (index, node, view) in [(at, sum, &narrow), (at + 1, sub, &all)] {
            let store = b.store(&format!("store{index}"), node, view);
            b.output(&format!("out{index}"), index, store, dtype);
        }
    }
    fused(&format!("rows_{dtype}"), b.graph())
}

/// Rows to one element each, and nothing else.
pub fn reductions() -> Vec<FusedGraph> {
    let kinds = ["Sum", "Max", "Min", "Mean"].map(|name| (name, DType::Float32)).into_iter();
    let ints = ["Sum", "Max", "Min"].map(|name| (name, DType::Int32));
    let all = kinds.chain([("Max", DType::Float16), ("Min", DType::Float16)]).chain(ints);
    all.map(|(name, dtype)| {
        let (mut b, axes) = matrix(&format!("{name}_{dtype}"));
        let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
        let data = b.data("x", 0, dtype);
        let load = b.load("load", data, &all);
        let reduced = b.node(name, "reduced", &[load], Some(&narrow));
        let store = b.store("store", reduced, &narrow);
        b.output("out", 0, store, dtype);
        fused(&format!("{name}_{dtype}"), b.graph())
    })
    .collect()
}

/// Short rows less their maximum: so little that a tile has more rows than an instruction repeats.
pub fn many_rows(dtype: DType) -> FusedGraph {
    let (mut b, axes) = matrix(&format!("many_rows_{dtype}"));
    let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
    let data = b.data("x", 0, dtype);
    let load = b.load("load", data, &all);
    let most = b.node("Max", "most", &[load], Some(&narrow));
    let wide = b.node("Broadcast", "wide", &[most], Some(&all));
    let sub = b.node("Sub", "sub", &[load, wide], Some(&all));
    let store = b.store("store", sub, &all);
    b.output("out", 0, store, dtype);
    fused(&format!("many_rows_{dtype}"), b.graph())
}

/// x where it is above the row's y, else what is the same in all rows: masks, rows and columns of several types.
fn chosen(dtype: DType) -> FusedGraph {
    let (mut b, axes) = matrix(&format!("chosen_{dtype}"));
    let all = b.contiguous(&axes);
    let views = [all.clone(), b.broadcast_along(&axes, &axes[1..]), b.broadcast_along(&axes, &axes[..1])];
    let x: Vec<usize> = [0, 1, 2]
        .map(|at| {
            let data = b.data(&format!("x{at}"), at as i64, dtype);
            let load = b.load(&format!("load{at}"), data, &views[at]);
            if at == 0 { load } else { b.node("Broadcast", &format!("wide{at}"), &[load], Some(&all)) }
        })
        .to_vec();
    let data = b.data("mask", 3, DType::UInt8);
    let mask = b.load("load_mask", data, &views[2]);
    let mask = b.node("Broadcast", "wide_mask", &[mask], Some(&all));
    let above = b.node("Gt", "above", &[x[0], x[1]], Some(&all));
    let first = b.node("Where", "first", &[above, x[0], x[2]], Some(&all));
    let second = b.node("Where", "second", &[mask, first, x[1]], Some(&all));
    for (index, node, dtype) in [(0, above, DType::UInt8), (1, second, dtype)] {
        let store = b.store(&format!("store{index}"), node, &all);
        b.output(&format!("out{index}"), index, store, dtype);
    }
    fused(&format!("chosen_{dtype}"), b.graph())
}

/// A tile and a number, in every order and of numbers of all kinds; and two operands that are one number everywhere.
fn numbers(dtype: DType) -> FusedGraph {
    let (mut b, axes) = matrix(&format!("numbers_{dtype}"));
    let (all, narrow) = (b.contiguous(&axes), b.broadcast_along(&axes, &axes[1..]));
    let data = b.data("x", 0, dtype);
    let x = b.load("load", data, &all);
    let of_floats = ["2.5", "0.0", "-0.0", "inf", "nan"];
    let of_ints = ["3", "0", "-7", if dtype == DType::Int16 { "-32768" } else { "-2147483648" }];
    let values = if dtype.is_float() { &of_floats[..] } else { &of_ints };
    for (at, value) in values.iter().enumerate() {
        let scalar = b.scalar(&format!("value{at}"), value, dtype);
        let rows = b.node("Broadcast", &format!("rows{at}"), &[scalar], Some(&narrow));
        let wide = b.node("Broadcast", &format!("wide{at}"), &[rows], Some(&all));
        for (nth, name) in ["Add", "Sub", "Mul", "Maximum", "Minimum"].into_iter().enumerate() {
            let name_of = |order: &str| format!("{}{at}_{order}", name.to_lowercase());
            let last = b.node(name, &name_of("last"), &[x, wide], Some(&all));
            let first = b.node(name, &name_of("first"), &[wide, last], Some(&all));
            let index = (5 * at + nth) as i64;
            let store = b.store(&format!("store{index}"), first, &all);
            b.output(&format!("out{index}"), index, store, dtype);
        }
        if at == 0 {
            let both = b.node("Add", "both", &[wide, wide], Some(&all));
            let store = b.store("store", both, &all);
            b.output("out", 5 * values.len() as i64, store, dtype);
        }
    }
    fused(&format!("numbers_{dtype}"), b.graph())
}

/// Three axes that do not merge, int32 of all sizes: the remainder of products by a value for each row.
fn remainders() -> FusedGraph {
    let mut b = Builder::new("remainders");
    let sizes = ["s0", "s1", "s2"].map(|name| b.create_size_var(name));
    let axes = [0, 1, 2].map(|at| b.create_axis(&format!("z{at}"), sizes[at].clone()));
    b.sched_axis(&axes);
    let all = b.contiguous(&axes);
    let middle = b.broadcast_along(&axes, &axes[1..2]);
    let columns = b.broadcast_along(&axes, &axes[2..]);
    let data = [0, 1, 2].map(|at| b.data(&format!("x{at}"), at, DType::Int32));
    let x = b.load("load_x", data[0], &all);
    let y = b.load("load_y", data[1], &middle);
    let z = b.load("load_z", data[2], &columns);
    let y = b.node("Broadcast", "wide_y", &[y], Some(&all));
    let z = b.node("Broadcast", "wide_z", &[z], Some(&all));
    let square = b.node("Mul", "square", &[x, y], Some(&all));
    let cube = b.node("Mul", "cube", &[square, x], Some(&all));
    let large = b.node("Mul", "large", &[z, square], Some(&all));
    for (index, by) in [z, large].into_iter().enumerate() {
        let rest = b.node("Remainder", &format!("rest{index}"), &[cube, by], Some(&all));
        let store = b.store(&format!("store{index}"), rest, &all);
        b.output(&format!("out{index}"), index as i64, store, DType::Int32);
    }
    // A divisor that nobody needs afterwards, and a remainder that is no queue's: they could share a place.
    let by = b.node("Neg", "by", &[z], Some(&all));
    let rest = b.node("Remainder", "rest2", &[x, by], Some(&all));
    let negative = b.node("Neg", "negative", &[rest], Some(&all));
    let store = b.store("store2", negative, &all);
    b.output("out2", 2, store, DType::Int32);
    fused("remainders", b.graph())
}

/// fmod as IEEE 754 says, of three axes by a value for each row, or of one axis; its tiles are copied ahead.
pub fn exact(rows: bool) -> FusedGraph {
    let name = if rows { "exact_rows" } else { "exact_flat" };
    let mut b = Builder::new(name);
    let count = if rows { 3 } else { 1 };
    let sizes: Vec<_> = (0..count).map(|at| b.create_size_var(&format!("s{at}"))).collect();
    let axes: Vec<AxisId> = (0..count).map(|at| b.create_axis(&format!("z{at}"), sizes[at].clone())).collect();
    b.sched_axis(&axes);
    let all = b.contiguous(&axes);
    let by = if rows { b.broadcast_along(&axes, &axes[1..2]) } else { b.contiguous(&axes) };
    let data = [0, 1, 2].map(|at| b.data(&format!("x{at}"), at, DType::Float32));
    let x = b.load("load_x", data[0], &all);
    let mut y = b.load("load_y", data[1], &by);
    let z = b.load("load_z", data[2], &all);
    if rows {
        y = b.node("Broadcast", "wide_y", &[y], Some(&all));
    }
    let rest = b.node("Fmod", "rest", &[x, y], Some(&all));
    b.attr(rest, "precision_mode", AttrValue::Int(1));
    let sum = b.node("Add", "sum", &[rest, z], Some(&all));
    let store = b.store("store", sum, &all);
    b.output("out", 0, store, DType::Float32);
    fused(name, b.graph())
}

/// Graphs of every type, data type and shape of result that becomes instructions, with sizes for their symbols.
pub fn made() -> Vec<(FusedGraph, Vec<Vec<i64>>)> {
    use DType::{BFloat16, Float16, Float32, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32};
    let mut all = Vec::new();
    for dtype in [Float32, Float16, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32] {
        all.push((elementwise(dtype), vec![vec![1], vec![500], vec![20_011]]));
    }
    let shapes = [[1, 1], [300, 3], [77, 130], [5, 2049], [2, 700], [1000, 64]];
    let two: Vec<Vec<i64>> = shapes.map(Vec::from).into();
    all.push((rows(Float32, &["Sum", "Max", "Min", "Mean"]), two.clone()));
    all.push((rows(Float16, &["Max", "Min"]), two.clone()));
    for dtype in [Float32, Float16] {
        all.push((many_rows(dtype), vec![vec![1500, 3], vec![1000, 7], vec![500, 130]]));
    }
    for dtype in [Float32, Float16, Int32] {
        all.push((chosen(dtype), two.clone()));
    }
    for dtype in [Float32, Float16, Int32] {
        all.push((joined::joined(dtype), vec![vec![1, 1, 1], vec![33, 5, 70], vec![7, 300, 2]]));
    }
    for dtype in [Float32, Float16, Int32] {
        all.push((joined::padded(dtype), vec![vec![1, 1], vec![33, 70], vec![7, 300]]));
    }
    for dtype in [Float32, Float16, Int16, Int32] {
        all.push((numbers(dtype), vec![vec![1, 1], vec![9, 40]]));
    }
    for dtype in [Float32, Float16] {
        all.push((joined::rotated(dtype), vec![vec![1, 1], vec![9, 64], vec![7, 100]]));
    }
    all.push((joined::wide(7, true), vec![vec![1], vec![20_011]]));
    all.push((exact(true), vec![vec![2, 3, 5], vec![4, 1, 300], vec![3, 50, 17], vec![7, 9, 2049]]));
    all.push((exact(false), vec![vec![1], vec![500], vec![20_011], vec![300_000]]));
    all.push((remainders(), vec![vec![2, 3, 5], vec![4, 1, 300], vec![3, 50, 17]]));
    all
}
