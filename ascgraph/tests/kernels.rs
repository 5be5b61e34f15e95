//! Generated kernels, built against the toolkit and run on its cores: every bit as the graph says, with the checker on.
//! All of them are one program, so that the headers are read once.

use std::path::Path;

use ascgraph::codegen::{op_dir, pattern};
use ascgraph::dtype::DType;
use ascgraph::expr::Values;
use ascgraph::fuse::{Machine, fuse, onnx};
use ascgraph::fused;
use ascgraph::interp::{choose, run, tiling};
use ascgraph::lower::instructions;
use ascgraph::model::FusedGraph;
use ascgraph::plan::{Plan, plan};
use ascgraph::schedule::Case as Rows;
use ascgraph::tiling::Limits;

mod faults;
mod graphs;
mod launched;
mod sources;

use faults::FAULTS;
use launched::{Case, build, build_several, launch, names, symbols, toolkit};

fn case(plan: &Plan, graph: usize, sizes: &[i64], cores: i64, ub: i64) -> Case {
    let hint = plan.hint();
    let sizes: Values = hint.size_vars.iter().map(|var| var.name.clone()).zip(sizes.iter().copied()).collect();
    let inputs = graphs::inputs(hint, &sizes);
    let outputs = run(hint, &inputs, &sizes).unwrap_or_else(|error| panic!("{}: {error}", hint.name)).outputs;
    Case { graph, sizes, cores, ub, inputs, outputs }
}

/// The first case whose bits are others: graph, sizes, element.
fn go(plans: &[Plan], cases: &[Case], paths: [&Path; 3], check: bool) -> Result<(), String> {
    let check: &[_] = if check { &[("HOSTCANN_CHECK", "1")] } else { &[] };
    let (tilings, outputs) = launch(&symbols(plans), &cases.iter().collect::<Vec<_>>(), paths, check)?;
    for (at, case) in cases.iter().enumerate() {
        let limits = Limits { cores: case.cores, aiv_num: 0, ub_size: case.ub };
        let (mode, t) = choose(&plans[case.graph], &case.sizes, limits).expect("a tiling");
        let numbers = [mode as i64, t.block_dim, t.tile, t.row_tiles, t.core_tiles, t.tiles, t.stride, t.parts];
        assert_eq!(tilings[at], numbers.map(|number| number.to_string()).join(" "), "{:?}", case.sizes);
        for (index, buffer) in &case.outputs {
            let bytes = &outputs[at][index];
            let size = buffer.dtype.size();
            let wrong = bytes.chunks(size).zip(buffer.bytes.chunks(size)).position(|(a, b)| a != b);
            let graph = &plans[case.graph].hint().name;
            let what = format!("{graph} {:?}, {} cores, {} B of UB", case.sizes, case.cores, case.ub);
            if let Some(element) = wrong {
                return Err(format!("{what}: element {element} of y{index} is wrong"));
            }
        }
    }
    Ok(())
}

/// Rows around the length that fits as a whole, and some that are far beyond.
fn long_rows(plans: &[Plan], cases: &mut Vec<Case>) {
    for (at, plan) in
        plans.iter().enumerate().filter(|(_, plan)| plan.cases.len() == 2 && plan.cases[1].s.case == Rows::P)
    {
        let (cores, ub) = (3, 100 << 10);
        let whole = |columns: i64, ub_size: i64| {
            let sizes: Values = [("s0".to_owned(), 2), ("s1".to_owned(), columns)].into();
            tiling(&plan.cases[0], &sizes, Limits { cores, aiv_num: 0, ub_size }).is_ok()
        };
        if plan.hint().size_vars.len() != 2 {
            continue;
        }
        // Up to the last byte of a core.
        let full = 188_416;
        cases.push(case(plan, at, &[2, graphs::last(|columns| whole(columns, full))], cores, full));
        let most = graphs::last(|columns| whole(columns, ub));
        for sizes in [[2, most], [5, most + 1], [7, 8 << 10]] {
            cases.push(case(plan, at, &sizes, cores, ub));
        }
        // Cores share the row where the price says so.
        for sizes in [[1, 100 << 10], [2, 20_001]] {
            cases.push(case(plan, at, &sizes, 40, 188_416));
        }
        // Pieces of a few lanes.
        let kernel = &plan.cases[1];
        let demand = kernel.memory.demand(&kernel.s);
        let small = demand.wide * 2 * demand.step + demand.narrow * 128 + demand.fixed;
        for sizes in [[3, 1], [2, 300], [2, 4 * demand.step + 1]] {
            cases.push(case(plan, at, &sizes, 2, small));
        }
    }
}

/// Rows of one element that is a NaN with bits of its own, of either sign, signalling or not.
fn rows_of_nan(plans: &[Plan], cases: &mut Vec<Case>) {
    for (at, plan) in plans.iter().enumerate().filter(|(_, plan)| plan.hint().name.starts_with("bare_float")) {
        let sizes: Values = [("s0".to_owned(), 8), ("s1".to_owned(), 1)].into();
        let mut inputs = graphs::inputs(plan.hint(), &sizes);
        for buffer in inputs.values_mut() {
            let nans: &[u32] = match buffer.dtype {
                DType::Float32 => &[0x7fc0_1234, 0xffc0_0000, 0x7f80_0001, 0xff81_2345],
                _ => &[0x7e12, 0xfe00, 0x7c01, 0xfd23],
            };
            let size = buffer.dtype.size();
            buffer.bytes = (0..8).flat_map(|n| nans[n % 4].to_le_bytes()[..size].to_vec()).collect();
        }
        let outputs = run(plan.hint(), &inputs, &sizes).expect("runs").outputs;
        let kernel = &plan.cases[1];
        let demand = kernel.memory.demand(&kernel.s);
        // Too little for rows as a whole, and the usual.
        for ub in [demand.wide * demand.step + demand.narrow * 128 + demand.fixed, 188_416] {
            let (sizes, inputs, outputs) = (sizes.clone(), inputs.clone(), outputs.clone());
            cases.push(Case { graph: at, sizes, cores: 3, ub, inputs, outputs });
        }
    }
}

/// Integers of all sizes, whose sums wrap.
fn large_integers(plans: &[Plan], cases: &mut Vec<Case>) {
    for (at, plan) in plans.iter().enumerate().filter(|(_, plan)| plan.hint().name == "bare_int32") {
        for (sizes, cores) in [([9, 200], 3), ([3, 20_001], 40)] {
            let mut one = case(plan, at, &sizes, cores, 100 << 10);
            for buffer in one.inputs.values_mut() {
                *buffer = graphs::of_all_kinds(buffer.dtype, 1, buffer.len());
            }
            one.outputs = run(plan.hint(), &one.inputs, &one.sizes).expect("runs").outputs;
            cases.push(one);
        }
    }
}

#[test]
#[ignore = "slow: builds kernels against the toolkit"]
fn generated_kernels_give_the_graphs_bits() {
    let mut wanted: Vec<(FusedGraph, Vec<Vec<i64>>)> = [graphs::all(), graphs::made()].concat();
    wanted.extend(graphs::long::all().into_iter().map(|fused| (fused, vec![vec![1000, 7], vec![3, 1]])));
    give_the_graphs_bits(&wanted);
}

#[test]
#[ignore = "slow: builds kernels against the toolkit"]
fn reductions_of_any_axes_give_the_graphs_bits() {
    give_the_graphs_bits(&graphs::columns::all());
}

#[test]
#[ignore = "slow: builds kernels against the toolkit"]
fn reductions_of_integers_give_the_graphs_bits() {
    give_the_graphs_bits(&graphs::folded::all());
}

#[test]
#[ignore = "slow: builds kernels against the toolkit"]
fn tensors_in_another_order_give_the_graphs_bits() {
    give_the_graphs_bits(&graphs::turned::all());
}

fn give_the_graphs_bits(wanted: &[(FusedGraph, Vec<Vec<i64>>)]) {
    let root = toolkit();
    let mut plans: Vec<Plan> =
        wanted.iter().map(|(fused, _)| plan(fused).unwrap_or_else(|error| panic!("{}: {error}", fused.name))).collect();
    // Every second chooses its tiles by the timing model.
    plans.iter_mut().step_by(2).for_each(|plan| plan.price(&graphs::timing("Ascend910B3")));
    let mut cases = Vec::new();
    for (at, (_, shapes)) in wanted.iter().enumerate() {
        for sizes in shapes {
            cases.push(case(&plans[at], at, sizes, 40, 188_416));
            cases.push(case(&plans[at], at, sizes, 3, 100 << 10));
        }
    }
    long_rows(&plans, &mut cases);
    rows_of_nan(&plans, &mut cases);
    large_integers(&plans, &mut cases);
    let temp = tempfile::tempdir().expect("temp dir");
    let program = build(&plans, &[], temp.path(), &root);
    for check in [false, true] {
        go(&plans, &cases, [temp.path(), &root, &program], check).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
}

#[test]
#[ignore = "slow: builds kernels against the toolkit"]
fn faults_in_kernels_are_caught() {
    let root = toolkit();
    let mut all: Vec<FusedGraph> = graphs::made().into_iter().map(|(fused, _)| fused).collect();
    all.extend(graphs::long::all());
    all.extend(graphs::folded::all().into_iter().map(|(fused, _)| fused));
    all.push(graphs::columns::softmax(DType::Float32, 2, &[0]));
    all.push(ascgraph::build::fmod_example());
    let find = |name: &str| all.iter().find(|fused| fused.name == name).expect("a graph");
    let mut plans: Vec<Plan> = FAULTS.iter().map(|fault| plan(find(fault.graph)).expect("planned")).collect();
    // Cores share a row where the price says so.
    let shared = plans.iter_mut().filter(|plan| plan.hint().name == "softmax_float32");
    shared.for_each(|plan| plan.price(&graphs::timing("Ascend910B3")));
    for (at, fault) in FAULTS.iter().enumerate().skip(1) {
        let files = op_dir(&plans[at], &names(at), &sources::sources()).expect("made");
        assert!(files.iter().any(|(_, text)| text.contains(fault.from)), "{}: no {}", fault.what, fault.from);
    }
    let temp = tempfile::tempdir().expect("temp dir");
    let program = build(&plans, &FAULTS.iter().collect::<Vec<_>>(), temp.path(), &root);
    let mut wrong = Vec::new();
    for (at, fault) in FAULTS.iter().enumerate() {
        let shapes: &[&[i64]] = match plans[at].hint().size_vars.len() {
            1 => &[&[40_000]],
            2 => &[&[77, 130], &[40, 9], &[3, 2049], &[3, 9001], &[1, 20_001]],
            _ => &[&[33, 5, 70], &[4, 30, 17]],
        };
        let cases: Vec<Case> = shapes.iter().map(|sizes| case(&plans[at], at, sizes, 7, 100 << 10)).collect();
        let found = go(&plans, &cases, [temp.path(), &root, &program], true);
        if found.is_err() != (at > 0) {
            wrong.push(format!("{}, {}: {found:?}", fault.graph, fault.what));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two kernels of one operator, with rows of the first that cores share while others wait, and with fewer cores than tiles.
#[test]
#[ignore = "slow: builds kernels against the toolkit"]
fn several_kernels_of_one_operator_give_the_graphs_bits() {
    let root = toolkit();
    let model = include_bytes!("../examples/extremes.onnx");
    let mut all = onnx::read(model).expect("a model");
    let timing = graphs::timing("Ascend910B3");
    let known: Values = [("height".to_owned(), 64), ("width".to_owned(), 64)].into();
    let limits = Limits { cores: 40, aiv_num: 0, ub_size: 188_416 };
    let fusion = fuse(&mut all, Some(Machine { timing: &timing, limits, sizes: &known }));
    let parts = &fusion.fused[0].parts;
    let names = [vec!["height", "width"]];
    let temp = tempfile::tempdir().expect("temp dir");
    let program = build_several(parts, &names[0], temp.path(), &root);
    let cases = [[1, 1, 40], [5, 7, 40], [33, 40, 3], [300, 3, 40], [2, 20_001, 40], [1, 100_000, 40], [1, 100_000, 7]];
    let cases = cases.map(|[height, width, cores]| {
        let sizes: Values = [("height".to_owned(), height), ("width".to_owned(), width)].into();
        let inputs = [(0, pattern(DType::Float32, 1, (height * width) as usize))].into();
        let outputs = fused::run(&parts.fused, &inputs, &sizes).expect("runs").outputs;
        Case { graph: 0, sizes, cores, ub: 188_416, inputs, outputs }
    });
    let cases: Vec<&Case> = cases.iter().collect();
    let paths = [temp.path(), root.as_path(), program.as_path()];
    for variables in [&[][..], &[("HOSTCANN_CHECK", "1")]] {
        let (tilings, outputs) = launch(&names, &cases, paths, variables).unwrap_or_else(|said| panic!("{said}"));
        for (case, outputs) in cases.iter().zip(&outputs) {
            assert_eq!(outputs.len(), 2);
            case.outputs.iter().for_each(|(index, buffer)| assert!(outputs[index] == buffer.bytes, "{:?}", case.sizes));
        }
        // Of 40 cores 20 share two rows, and the other 20 wait.
        assert_eq!(tilings[4], "20 40 10");
    }
}

/// What no document states, each value of it beside the default.
const SWITCHES: [(&str, &str, &str); 7] = [
    ("div_ulp", "HOSTCANN_DIV_ULP", "+1"),
    ("div_ulp", "HOSTCANN_DIV_ULP", "-1"),
    ("fma", "HOSTCANN_FMA", "fused"),
    ("ftz", "HOSTCANN_FTZ", "div"),
    ("ftz", "HOSTCANN_FTZ", "on"),
    ("saturation", "HOSTCANN_SATURATION", "saturate"),
    ("reciprocal", "HOSTCANN_RECIPROCAL", "documented"),
];

/// The switches that recorded kernels follow with numbers around 1; the others follow none. softmax has numbers below the
/// smallest normal one, which its Exp gives.
const FOLLOWED: [(&str, &[&str]); 17] = [
    ("0_div", &["div_ulp"]),
    ("0_mul_sub", &[]),
    ("11_mul_where", &[]),
    ("12_add_t", &[]),
    ("13_cat_mul", &[]),
    ("14_add_remainder", &[]),
    ("15_add_exp", &[]),
    ("1_div", &["div_ulp"]),
    ("1_mul_sub", &[]),
    ("2_abs_add", &[]),
    ("3_mul", &[]),
    ("4_add_mul_relu", &[]),
    ("5_abs_add_mul", &[]),
    ("6__to_copy_mul", &[]),
    ("7_abs_sum", &[]),
    ("8__softmax", &["div_ulp", "ftz"]),
    ("9_native_layer_norm", &["div_ulp"]),
];

/// Every result of one node with every kind of number, and every recorded kernel: what moves with a switch is what is said
/// to, and nothing else does.
#[test]
#[ignore = "slow: builds kernels against the toolkit"]
fn kernels_follow_the_switches_that_are_said() {
    let root = toolkit();
    let single = graphs::made().into_iter().map(|(fused, _)| fused).filter(|fused| fused.name.starts_with("every_"));
    let mut all: Vec<FusedGraph> = FOLLOWED.map(|(name, _)| graphs::recorded(name)).into();
    all.push(ascgraph::build::fmod_example());
    all.extend(single.chain(graphs::reductions()));
    let plans: Vec<Plan> = all.iter().map(|fused| plan(fused).expect("planned")).collect();
    let temp = tempfile::tempdir().expect("temp dir");
    let program = build(&plans, &[], temp.path(), &root);
    let paths = [temp.path(), root.as_path(), program.as_path()];

    // A remainder moves with its quotient where that is whole, or nearly.
    let recorded = FOLLOWED.iter().copied().chain([("fmod", &[][..])]);
    for (at, (name, wanted)) in recorded.enumerate() {
        let sizes: &[i64] = if plans[at].hint().size_vars.is_empty() { &[] } else { &[77, 130] };
        let one = case(&plans[at], at, sizes, 7, 100 << 10);
        let flip =
            |text: &str| launch(&symbols(&plans), &[&one], paths, &[("HOSTCANN_CHECK", "1"), ("HOSTCANN_FLIP", text)]);
        let said = flip("1").err().unwrap_or_default();
        let moved: Vec<&str> = ["div_ulp", "fma", "ftz", "saturation", "reciprocal"]
            .into_iter()
            .filter(|switch| said.contains(&format!("{switch}=")))
            .collect();
        assert_eq!(moved, wanted, "{name}: {said}");
        assert!(said.is_empty() || said.contains("no document states"), "{name}: {said}");
        let without: String = wanted.iter().map(|switch| format!(",-{switch}")).collect();
        flip(&format!("1{without}")).unwrap_or_else(|said| panic!("{name}: {said}"));
    }

    let cases: Vec<Case> = (FOLLOWED.len() + 1..plans.len())
        .map(|at| {
            let mut one = {
                let sizes: &[i64] = if plans[at].hint().size_vars.len() == 1 { &[20_011] } else { &[700, 70] };
                case(&plans[at], at, sizes, 7, 100 << 10)
            };
            for (index, buffer) in &mut one.inputs {
                *buffer = graphs::of_all_kinds(buffer.dtype, *index as u64 + 1, buffer.len());
                // One NaN in a row hides all of it, and so does one number of a usual size.
                if one.sizes.len() == 2 && buffer.dtype == DType::Float32 {
                    buffer.bytes.chunks_mut(4).for_each(|number| {
                        number[2] &= 0x7f;
                        number[3] &= 0x80;
                    });
                }
            }
            one
        })
        .collect();
    let cases: Vec<&Case> = cases.iter().collect();
    let run = |variables: &[(&str, &str)]| launch(&symbols(&plans), &cases, paths, variables).expect("it runs").1;
    let known = run(&[]);
    let moved: Vec<_> = SWITCHES.iter().map(|(name, variable, value)| (*name, run(&[(*variable, *value)]))).collect();
    let mut wrong = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let hint = plans[case.graph].hint();
        for (_, output) in hint.of_type("Output") {
            let index = output.index().expect("an index");
            let store = output.inputs[0].from.expect("a Store");
            let node = &hint.nodes[hint.nodes[store].inputs[0].from.expect("a node")];
            let other = moved.iter().filter(|(_, outputs)| outputs[at][&index] != known[at][&index]);
            let other: std::collections::BTreeSet<&str> = other.map(|(name, _)| *name).collect();
            let said = instructions::followed(node, hint);
            if other != said {
                wrong.push(format!("{}: {} follows {other:?}, {said:?} is said", hint.name, node.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
