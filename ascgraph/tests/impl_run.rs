//! The impl graph gives every bit of the hint graph, whatever the sizes and the machine; and a kernel with one fault
//! does not.

use std::collections::BTreeMap;

mod graphs;

use ascgraph::build::{Builder, fmod_example, fused};
use ascgraph::check::check_fused;
use ascgraph::dtype::DType;
use ascgraph::expr::{Expr, Values};
use ascgraph::interp::{Buffer, choose, run, run_tiles, tiling};
use ascgraph::model::FusedGraph;
use ascgraph::plan::{Kernel, Plan, plan};
use ascgraph::schedule::Case;
use ascgraph::tiling::{Limits, Tiling};
use graphs::{RECORDED, inputs, made, recorded};

/// 4 KiB of unified buffer: many tiles of few elements.
const SMALL: Limits = Limits { cores: 5, aiv_num: 0, ub_size: 4096 };

/// As much for tiles, whatever lies beside them.
fn beside<'a>(kernels: impl IntoIterator<Item = &'a Kernel>, limits: Limits) -> Limits {
    let fixed = kernels.into_iter().map(|kernel| kernel.memory.fixed).max().unwrap_or_default();
    Limits { ub_size: limits.ub_size + fixed as i64, ..limits }
}

fn values(kernel: &Kernel, sizes: &[i64]) -> Values {
    kernel.s.hint.size_vars.iter().map(|var| var.name.clone()).zip(sizes.iter().copied()).collect()
}

/// Every kernel that has a tiling for the sizes; at least one has.
fn same(plan: &Plan, sizes: &[i64], limits: Limits, what: &str) -> BTreeMap<i64, Buffer> {
    let sizes = values(&plan.cases[0], sizes);
    let inputs = inputs(plan.hint(), &sizes);
    let hint = run(plan.hint(), &inputs, &sizes).unwrap_or_else(|error| panic!("{what}: {error}")).outputs;
    let limits = beside(plan.cases.iter(), limits);
    let (chosen, _) = choose(plan, &sizes, limits).unwrap_or_else(|error| panic!("{what}: {error}"));
    for (case, kernel) in plan.cases.iter().enumerate() {
        let Ok(solved) = tiling(kernel, &sizes, limits) else {
            assert_ne!(case, chosen);
            continue;
        };
        let tiles = run_tiles(kernel, &inputs, &sizes, &solved);
        let tiles = tiles.unwrap_or_else(|error| panic!("{what}, {:?}: {error}", kernel.s.case));
        assert!(hint == tiles, "{what}, {:?}: other bits", kernel.s.case);
    }
    hint
}

/// The kernel of one case.
fn kernel_of(fused: &FusedGraph, case: Case) -> Kernel {
    let plan = plan(fused).expect("planned");
    plan.cases.into_iter().find(|kernel| kernel.s.case == case).expect("the case")
}

#[test]
fn every_recorded_kernel_gives_the_graphs_bits() {
    for name in RECORDED {
        let plan = plan(&recorded(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let hint = same(&plan, &[6, 40], Limits { ub_size: 16 << 10, ..SMALL }, name);
        assert!(!hint[&0].is_empty());
    }
}

/// Every type and data type that becomes instructions, and every part of a tile that a result may have.
#[test]
fn every_type_gives_the_graphs_bits() {
    for (fused, shapes) in made() {
        let report = check_fused(&fused);
        assert!(report.is_empty(), "{}: {report:?}", fused.name);
        let plan = plan(&fused).unwrap_or_else(|error| panic!("{}: {error}", fused.name));
        for sizes in shapes.into_iter().filter(|sizes| sizes.iter().product::<i64>() < 6_000) {
            let what = format!("{} {sizes:?}", fused.name);
            same(&plan, &sizes, Limits { ub_size: 96 << 10, ..SMALL }, &what);
        }
    }
}

#[test]
fn sizes_of_all_kinds() {
    let shapes: [[i64; 2]; 9] = [[1, 1], [1, 97], [97, 1], [5, 64], [5, 65], [7, 331], [0, 5], [5, 0], [2, 1000]];
    for fused in [fmod_example(), recorded("1_div"), recorded("1_mul_sub")] {
        let plan = plan(&fused).expect("planned");
        assert_eq!(plan.cases.len(), 2);
        for shape in shapes {
            for cores in [1, 3, 48] {
                let what = format!("{} {shape:?} on {cores} cores", fused.name);
                same(&plan, &shape, Limits { cores, ..SMALL }, &what);
            }
        }
    }
}

/// Where each of two operands is repeated: in front, in the middle, at the end, and both at once.
#[test]
fn broadcasts_along_any_axis() {
    for ones in [[0, 9], [1, 9], [2, 9], [0, 2], [9, 9]] {
        let mut b = Builder::new("brc");
        let axes = [3, 5, 70].map(|size| b.create_axis(&format!("z{size}"), size));
        b.sched_axis(&axes);
        let all = b.contiguous(&axes);
        let mut operands = Vec::new();
        for (at, one) in ones.into_iter().enumerate() {
            let data = b.data(&format!("x{at}"), at as i64, DType::Float32);
            let narrow: Vec<usize> = axes.into_iter().filter(|axis| *axis == one).collect();
            let mut last = b.load(&format!("load{at}"), data, &b.broadcast_along(&axes, &narrow));
            if !narrow.is_empty() {
                last = b.node("Broadcast", &format!("brc{at}"), &[last], Some(&all));
            }
            operands.push(last);
        }
        let fmod = b.node("Fmod", "fmod", &operands, Some(&all));
        let store = b.store("store", fmod, &all);
        b.output("out", 0, store, DType::Float32);
        let plan = plan(&fused("brc", b.graph())).unwrap_or_else(|error| panic!("{ones:?}: {error}"));
        assert_eq!(plan.cases.len(), if ones == [9, 9] { 1 } else { 2 });
        same(&plan, &[], SMALL, &format!("{ones:?}"));
    }
}

/// Random chains of element-wise nodes over two inputs, with casts to half and back.
#[test]
fn random_graphs() {
    let mut random = fastrand::Rng::with_seed(0xfeed_beef_1234_5677);
    let mut next = |below: usize| random.usize(..below);
    for round in 0..60 {
        let mut b = Builder::new("random");
        let n = b.create_size_var("n");
        let z = b.create_axis("z", n);
        b.sched_axis(&[z]);
        let all = b.contiguous(&[z]);
        let mut pool: Vec<usize> = (0..2)
            .map(|at| {
                let data = b.data(&format!("x{at}"), at, DType::Float32);
                b.load(&format!("load{at}"), data, &all)
            })
            .collect();
        for at in 0..3 + next(9) {
            let (x1, x2) = (pool[next(pool.len())], pool[next(pool.len())]);
            let name = format!("n{at}");
            let new = match next(12) {
                0 => b.node("Abs", &name, &[x1], Some(&all)),
                1 => b.node("Relu", &name, &[x1], Some(&all)),
                2 => b.node("Trunc", &name, &[x1], Some(&all)),
                3 => b.node("Fmod", &name, &[x1, x2], Some(&all)),
                4 => {
                    let half = b.cast(&format!("{name}h"), x1, DType::Float16, &all);
                    b.cast(&name, half, DType::Float32, &all)
                }
                5 => {
                    let value = b.scalar(&format!("{name}s"), "0.75", DType::Float32);
                    let many = b.node("Broadcast", &format!("{name}b"), &[value], Some(&all));
                    b.node("Mul", &name, &[x1, many], Some(&all))
                }
                which => {
                    b.node(["Add", "Sub", "Mul", "Div", "Maximum", "Minimum"][which % 6], &name, &[x1, x2], Some(&all))
                }
            };
            pool.push(new);
        }
        let last = *pool.last().expect("a node");
        let store = b.store("store", last, &all);
        b.output("out", 0, store, DType::Float32);
        let plan = plan(&fused("random", b.graph())).unwrap_or_else(|error| panic!("round {round}: {error}"));
        same(&plan, &[1 + next(700) as i64], Limits { ub_size: 8192, ..SMALL }, &format!("round {round}"));
    }
}

/// What a faulty kernel does: an error, or other bits.
fn caught(kernel: &Kernel, change: impl FnOnce(&mut Tiling)) -> bool {
    let sizes = values(kernel, &[7, 331]);
    let inputs = inputs(&kernel.s.hint, &sizes);
    let hint = run(&kernel.s.hint, &inputs, &sizes).expect("runs").outputs;
    let mut solved = tiling(kernel, &sizes, beside([kernel], SMALL)).expect("a tiling");
    change(&mut solved);
    run_tiles(kernel, &inputs, &sizes, &solved).map_or(true, |tiles| tiles != hint)
}

#[test]
fn faults_are_caught() {
    let made = || kernel_of(&fmod_example(), Case::Y1);
    let node = |kernel: &Kernel, name: &str| kernel.s.graph.node(name).expect("a node");
    assert!(!caught(&made(), |_| {}), "a kernel without a fault");

    // Freed too early: x is needed until Sub.
    let mut kernel = made();
    let load = node(&kernel, "load_x");
    let (begin, end) = kernel.memory.lives[load].expect("a life");
    kernel.memory.lives[load] = Some((begin, end - 1));
    assert!(caught(&kernel, |_| {}), "freed too early");

    // Two tiles that live at the same time in one buffer.
    let mut kernel = kernel_of(&recorded("4_add_mul_relu"), Case::Y1);
    let (mul, other) = (node(&kernel, "mul"), node(&kernel, "broadcast1"));
    kernel.memory.places[other] = kernel.memory.places[mul];
    let sizes = Values::new();
    let given = inputs(&kernel.s.hint, &sizes);
    let hint = run(&kernel.s.hint, &given, &sizes).expect("runs").outputs;
    let solved = tiling(&kernel, &sizes, beside([&kernel], SMALL)).expect("a tiling");
    assert!(run_tiles(&kernel, &given, &sizes, &solved).map_or(true, |tiles| tiles != hint), "merged buffers");

    // A stride of another axis.
    let mut kernel = made();
    let store = node(&kernel, "store");
    kernel.s.steps[store][0] = Expr::symbol("s0");
    assert!(caught(&kernel, |_| {}), "swapped stride");

    // Tiles and blocks one too few, or one too many.
    assert!(caught(&made(), |t| t.row_tiles -= 1), "the tail is left out");
    assert!(caught(&made(), |t| t.tiles -= 1), "the last tile is left out");
    assert!(caught(&made(), |t| t.block_dim -= 1), "the last block is left out");
    assert!(caught(&made(), |t| t.core_tiles -= 1), "cores with too few tiles");
    assert!(caught(&made(), |t| t.tile -= 64), "shorter tiles than the split says");

    // Fmod over an operand that it reads again.
    let mut b = Builder::new("over");
    let (s0, s1) = (b.create_size_var("s0"), b.create_size_var("s1"));
    let (z0, z1) = (b.create_axis("z0", s0), b.create_axis("z1", s1));
    b.sched_axis(&[z0, z1]);
    let all = b.contiguous(&[z0, z1]);
    let x = b.data("x", 0, DType::Float32);
    let load = b.load("load", x, &all);
    let (abs, exp) = (b.node("Abs", "abs", &[load], Some(&all)), b.node("Exp", "exp", &[load], Some(&all)));
    let fmod = b.node("Fmod", "fmod", &[abs, exp], Some(&all));
    let neg = b.node("Neg", "neg", &[fmod], Some(&all));
    let store = b.store("store", neg, &all);
    b.output("out", 0, store, DType::Float32);
    let mut kernel = kernel_of(&fused("over", b.graph()), Case::F);
    assert!(!caught(&kernel, |_| {}));
    kernel.memory.places[fmod] = kernel.memory.places[abs];
    assert!(caught(&kernel, |_| {}), "Fmod in place");
}

#[test]
fn symbols_come_from_shapes() {
    use ascgraph::bind::bind;
    let graph = fmod_example().graphs.remove(0);
    let shapes = |list: &[&[i64]]| list.iter().enumerate().map(|(at, dims)| (at as i64, dims.to_vec())).collect();
    let values: Values = [("s0".to_owned(), 6), ("s1".to_owned(), 40)].into();
    assert_eq!(bind(&graph, &shapes(&[&[6, 40], &[1, 40]])), Ok(values.clone()));
    assert_eq!(bind(&graph, &shapes(&[&[6, 40], &[40]])), Ok(values));
    let refused = |list: &[&[i64]]| bind(&graph, &shapes(list)).expect_err("refused");
    assert_eq!(refused(&[&[6, 40], &[6, 40]]), "axis z0 of input 1 is 6, but 1 is 1");
    assert_eq!(refused(&[&[6, 40], &[41]]), "axis z1 of input 1 is 41, but s1 is 40");
    assert_eq!(refused(&[&[2, 6, 40], &[40]]), "input 0 has another rank, 3, than the graph, 2");
    assert_eq!(refused(&[&[6, 40]]), "input 1 is not there");
}
