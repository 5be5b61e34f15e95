//! A program that calls the operator and compares every bit with what the graph says: a digest of what the interpreter
//! computes from the same numbers.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{End, Names, Operator, Sources, banner};
use crate::dtype::DType;
use crate::expr::Values;
use crate::interp::Buffer;
use crate::model::Graph;

/// Sizes of the symbols, one after the other in turn.
const CASES: [&[i64]; 5] = [&[1], &[5, 7], &[3, 1000], &[77, 130], &[2, 9000]];

/// Numbers of a tensor, the same here and in the program: signs and fractions of all kinds, sizes around 1.
pub fn pattern(dtype: DType, seed: u64, length: usize) -> Buffer {
    let mut bytes = Vec::new();
    for at in 0..length as u64 {
        let mut r = (seed << 32).wrapping_add(at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        r = (r ^ (r >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        r ^= r >> 32;
        let exponent = (r >> 40) % 12;
        let bits = match dtype {
            DType::Float32 => (r & 0x807f_ffff) | (121 + exponent) << 23,
            DType::BFloat16 => (r & 0x807f) | (121 + exponent) << 7,
            DType::Float16 => (r & 0x83ff) | (9 + exponent) << 10,
            DType::UInt8 => r & 1,
            _ => (r % 2001).wrapping_sub(1000),
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..dtype.size()]);
    }
    Buffer { dtype, bytes }
}

/// FNV-1a.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

struct Case {
    inputs: Vec<Vec<i64>>,
    outputs: Vec<(Vec<i64>, u64)>,
}

/// Elements of all results together that a case may have: they are interpreted while the operator is made.
const MOST: i64 = 1 << 18;

/// The same where the graph has one size only.
const MOST_FIXED: i64 = 1 << 24;

fn elements(graphs: &[&Graph], sizes: &Values) -> Option<i64> {
    let mut all = 0i64;
    for node in graphs.iter().flat_map(|hint| &hint.nodes).filter(|node| !node.y.axis.is_empty()) {
        let count = node.y.size.iter().try_fold(1i64, |count, size| count.checked_mul(size.eval(sizes).ok()?))?;
        all = all.checked_add(count.max(0))?;
    }
    Some(all)
}

/// What the graphs compute, by the index of the Output.
pub type Computed<'a> = &'a dyn Fn(&BTreeMap<i64, Buffer>, &Values) -> Option<BTreeMap<i64, Buffer>>;

/// One case for every choice of sizes that the graphs can compute.
fn cases(operator: &Operator, graphs: &[&Graph], computed: Computed) -> Vec<Case> {
    let (ends, symbols) = (&operator.ends, &operator.symbols);
    let mut all: Vec<Case> = Vec::new();
    let count = if symbols.is_empty() { 1 } else { CASES.len() };
    for choice in &CASES[..count] {
        let mut sizes: Values = symbols
            .iter()
            .enumerate()
            .map(|(at, name)| {
                // One symbol alone is the whole tensor.
                let size = if symbols.len() == 1 { choice.iter().product() } else { choice[at % choice.len()] };
                ((*name).to_owned(), size)
            })
            .collect();
        let most = if sizes.is_empty() { MOST_FIXED } else { MOST };
        while elements(graphs, &sizes).is_none_or(|count| count > most) && sizes.values().any(|size| *size > 1) {
            sizes.values_mut().for_each(|size| *size = (*size + 1) / 2);
        }
        if elements(graphs, &sizes).is_none_or(|count| count > most) {
            continue;
        }
        let shape = |end: &End| -> Option<Vec<i64>> {
            end.axes.iter().map(|(_, size)| size.eval(&sizes).ok().filter(|size| *size >= 0)).collect()
        };
        let inputs: Option<Vec<Vec<i64>>> = ends.inputs.iter().map(shape).collect();
        let Some(inputs) = inputs else { continue };
        let buffers: BTreeMap<i64, Buffer> = ends
            .inputs
            .iter()
            .zip(&inputs)
            .map(|(end, shape)| {
                (end.index, pattern(end.dtype, end.index as u64 + 1, shape.iter().product::<i64>() as usize))
            })
            .collect();
        let Some(made) = computed(&buffers, &sizes) else { continue };
        let outputs: Option<Vec<(Vec<i64>, u64)>> =
            ends.outputs.iter().map(|end| Some((shape(end)?, digest(&made.get(&end.index)?.bytes)))).collect();
        all.extend(outputs.map(|outputs| Case { inputs, outputs }));
    }
    all
}

pub fn example(operator: &Operator, graphs: &[&Graph], computed: Computed, names: &Names, sources: &Sources) -> String {
    let ends = &operator.ends;
    let shape = |dims: &[i64]| format!("{{{}}}", dims.iter().map(i64::to_string).collect::<Vec<_>>().join(", "));
    let mut rows = String::new();
    for case in cases(operator, graphs, computed) {
        let inputs: Vec<String> = case.inputs.iter().map(|dims| shape(dims)).collect();
        let outputs: Vec<String> =
            case.outputs.iter().map(|(dims, digest)| format!("{{{}, 0x{digest:016x}ULL}}", shape(dims))).collect();
        let _ = writeln!(rows, "        {{{{{}}}, {{{}}}}},", inputs.join(", "), outputs.join(", "));
    }
    let (ins, outs) = (ends.inputs.len(), ends.outputs.len());
    let arguments: Vec<String> =
        (0..ins).map(|at| format!("x[{at}].tensor")).chain((0..outs).map(|at| format!("y[{at}].tensor"))).collect();
    let types = |list: &[End]| {
        let all: Vec<String> =
            list.iter().map(|end| format!("{{{}, {}}}", acl_name(end.dtype), end.dtype.size())).collect();
        all.join(", ")
    };
    let frame = sources.example_frame;
    let frame = frame.split_once(" */\n\n").map_or(frame, |(_, rest)| rest).replace("my_op", "SNAKE");
    let nothing =
        "nothing compared, its sizes are too many elements to interpret; cargo xtask ascgraph run takes tensors";
    let text = (frame + EXAMPLE.trim_start_matches("namespace {\n"))
        .replace("NOTHING", nothing)
        .replace("SNAKE", &names.snake)
        .replace("PASCAL", &names.pascal)
        .replace("ARGUMENTS", &arguments.join(", "))
        .replace("INPUT_TYPES", &types(&ends.inputs))
        .replace("OUTPUT_TYPES", &types(&ends.outputs))
        .replace("{CASES}", &format!("{{\n{rows}    }}"));
    banner(operator.graph) + &text
}

fn acl_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Int8 => "ACL_INT8",
        DType::UInt8 => "ACL_UINT8",
        DType::Int16 => "ACL_INT16",
        DType::UInt16 => "ACL_UINT16",
        DType::Int32 => "ACL_INT32",
        DType::UInt32 => "ACL_UINT32",
        DType::Int64 => "ACL_INT64",
        DType::UInt64 => "ACL_UINT64",
        DType::Float16 => "ACL_FLOAT16",
        DType::Float32 => "ACL_FLOAT",
        DType::BFloat16 => "ACL_BF16",
    }
}

/// After the frame, which has opened the namespace.
const EXAMPLE: &str = include_str!("../../cpp/example.cpp");
