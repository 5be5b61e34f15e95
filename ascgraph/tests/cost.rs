//! The timing model's numbers: every instruction has one, and tiles that they choose are no worse than the largest.

use ascgraph::build::fmod_example;
use ascgraph::cost::{self, Cost};
use ascgraph::ir::{self, ComputeType};
use ascgraph::lower::instructions;
use ascgraph::plan::{Plan, plan};
use ascgraph::schedule::Case;
use ascgraph::tiling::{Demand, Limits, need};
use ascgraph::timing::Timing;

mod graphs;

fn costs(plan: &mut Plan, timing: &Timing) -> Vec<Cost> {
    plan.price(timing);
    plan.cases.iter().map(|kernel| kernel.cost.expect("a price")).collect()
}

#[test]
fn every_instruction_of_every_graph_has_a_price() {
    let timing = graphs::timing("Ascend910B3");
    let mut seen = 0;
    for (fused, _) in [graphs::all(), graphs::made()].concat() {
        let mut plan = plan(&fused).expect("planned");
        for node in plan.hint().nodes.iter() {
            let elewise = ir::find(&node.node_type).is_some_and(|ir| ir.compute_type == ComputeType::Elewise);
            let from = node.inputs.first().and_then(|input| plan.hint().nodes[input.from?].y.dtype);
            if !elewise || node.node_type == "Cast" && from == node.y.dtype {
                continue;
            }
            let all = instructions::of(node, plan.hint());
            let all = all.unwrap_or_else(|| panic!("{}: {} of {from:?}", fused.name, node.node_type));
            assert!(!all.is_empty());
            for one in all {
                assert!(timing.instruction(one).is_some(), "{one:?}");
                seen += 1;
            }
        }
        let costs = costs(&mut plan, &timing);
        // Rows in pieces run where nothing else fits: nobody asks what they cost.
        for (cost, _) in costs.iter().zip(&plan.cases).filter(|(_, kernel)| kernel.s.case != Case::P) {
            assert!(cost.tile.fixed > 0 && cost.tile.scalar > 0 && cost.write.fixed > 0, "{}: {cost:?}", fused.name);
        }
    }
    assert!(seen > 200, "{seen}");
}

/// Numbers of the model that can be followed by hand: x - trunc(x / y) * y on parts of rows.
#[test]
fn the_costs_of_the_worked_example() {
    let timing = graphs::timing("Ascend910B3");
    let cost = costs(&mut plan(&fmod_example()).expect("planned"), &timing)[0];
    let ticks = |cycles: f64| (cycles * 1024.0).round() as i64;
    // Div 2 cycles a repeat of 64 elements; Cast, Mul and Sub 1: 5 cycles for 64 elements, 80 for 1024.
    assert_eq!(cost.tile.wide, ticks(80.0));
    // The first call of a tile by a count costs 12 cycles, each of the others 3.
    assert_eq!(cost.tile.fixed, ticks(32.1) + ticks(23.3) + ticks(26.2) + ticks(25.2) + ticks(9.0));
    // Two copies of 4 bytes an element; the second's latency lies under the first.
    assert_eq!((cost.read.wide, cost.read.fixed), (8, ticks(150.0) + 2 * ticks(20.6)));
    assert_eq!((cost.write.wide, cost.write.fixed), (4, ticks(65.0) + ticks(12.1)));
    assert_eq!(cost.step, ticks(0.0155 * 1800.0));
    // 110 B a cycle for a core alone, 67 for each of two; 3311 for the chip from the L2.
    assert_eq!((cost.read.rate, cost.read.pair), (9533, 15651));
    assert_eq!(cost.read.l2, (1024.0 * 1024.0 / (5.96e6 / 1800.0_f64)).ceil() as i64);
}

/// Tiny launches take fewer cores, one tile too many is spread, and where nothing is better tiles are as large as before.
#[test]
fn what_a_price_changes() {
    let timing = graphs::timing("Ascend910B3");
    let mut plan = plan(&fmod_example()).expect("planned");
    let cost = costs(&mut plan, &timing)[0];
    let limits = Limits { cores: 40, aiv_num: 0, ub_size: 188_416 };
    let demand = Demand { wide: 28, step: 64, align: 8, ..Demand::default() };
    let tilings = |row: i64| {
        let need = need(&demand, 1, row, 1).expect("a demand");
        let plain = ascgraph::tiling::solve(&need, limits).expect("a tiling");
        let (best, price) = cost::solve(&need, limits, Some(&cost)).expect("a tiling");
        (plain, best, price as f64 / cost::price(&cost, &need, &plain) as f64)
    };
    let (plain, best, part) = tilings(1024);
    assert!(plain.block_dim == 16 && best.block_dim < 8 && part < 0.75, "{best:?} {part}");
    // 6720 elements a tile: 41 of them are two for each core, and half of the cores have nothing.
    let (plain, best, part) = tilings(41 * 6720);
    assert!((plain.block_dim, plain.core_tiles) == (21, 2), "{plain:?}");
    assert!(best != plain && part < 0.95, "{best:?} {part}");
    // 640 MB: the memory decides.
    let (plain, best, part) = tilings(40 << 20);
    assert!(plain.core_tiles > 100 && best == plain && part == 1.0, "{best:?} {part}");
    // No more cores than a launch may have.
    let need = need(&demand, 1, 1 << 20, 1).expect("a demand");
    let limited = Limits { aiv_num: 3, ..limits };
    assert!(cost::solve(&need, limited, Some(&cost)).expect("a tiling").0.block_dim <= 3);
}

/// A weight that is the same for all tiles is read and repeated once: what a tile costs has nothing of it.
#[test]
fn what_works_once_is_a_price_of_its_own() {
    let timing = graphs::timing("Ascend910B3");
    let ticks = |cycles: f64| (cycles * 1024.0).round() as i64;
    let mut plan = plan(&graphs::long::layer_norm(ascgraph::dtype::DType::Float32)).expect("planned");
    let cost = costs(&mut plan, &timing)[0];
    // Two rows of weights, 4 bytes an element: their latencies lie under one another, and 110 B a cycle are read.
    assert_eq!((cost.first_read, cost.first_row), (ticks(150.0) + 2 * ticks(20.6), 8 * cost.read.rate));
    assert_eq!(cost.read.once, 0);
    // Both are repeated by copies of 64 elements.
    assert_eq!((cost.first.wide, cost.first.narrow), (2 * ticks(16.0), 0));
    let demand = plan.cases[0].memory.demand(&plan.cases[0].s);
    let need = need(&demand, 1, 2000, 128).expect("a demand");
    let prices = [20, 21].map(|tile| {
        let tiling = ascgraph::tiling::spread(&need, 20, 1);
        let longer = ascgraph::tiling::Tiling { core_tiles: tiling.core_tiles + tile - 20, ..tiling };
        [cost, Cost { first: cost.tile, first_read: 0, first_row: 0, ..cost }]
            .map(|cost| cost::price(&cost, &need, &longer))
    });
    // One tile more costs the same, whatever works in front.
    assert_eq!(prices[1][0] - prices[0][0], prices[1][1] - prices[0][1]);
    assert_ne!(prices[0][0], prices[0][1]);
}
