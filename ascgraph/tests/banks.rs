//! Where tiles lie beside each other: halves of the bank groups, rows that need no tile, and copies that wait once.

use std::collections::BTreeMap;

use ascgraph::build::Rows;
use ascgraph::codegen::{Names, op_dir};
use ascgraph::dtype::DType;
use ascgraph::expr::Values;
use ascgraph::interp::{choose, run, run_tiles, tiling};
use ascgraph::memory::{BANK_GAP, BANK_PERIOD, Part};
use ascgraph::model::{FusedGraph, Position};
use ascgraph::plan::{Kernel, plan};
use ascgraph::schedule::{Case, Role};
use ascgraph::tiling::Limits;

mod graphs;
mod sources;

/// x * sigmoid(x) * y, in float.
fn gate() -> FusedGraph {
    let mut g = Rows::new("gate");
    let all = g.all.clone();
    let (x, y) = (g.load(0, DType::Float16, &all), g.load(1, DType::Float16, &all));
    let sigmoid = g.wide("Sigmoid", "sigmoid", &[x]);
    let silu = g.wide("Mul", "silu", &[x, sigmoid]);
    let last = g.wide("Mul", "last", &[silu, y]);
    g.store(0, last, DType::Float16, &all);
    g.done("gate")
}

fn node(kernel: &Kernel, name: &str) -> usize {
    kernel.s.graph.node(name).expect("a node")
}

/// Is a node's tile in the upper half?
fn is_upper(kernel: &Kernel, name: &str) -> bool {
    let place = kernel.memory.places[node(kernel, name)].expect("a place");
    kernel.memory.upper.contains(&Part::Tile(place))
}

#[test]
fn sources_of_an_instruction_lie_in_two_halves() {
    let gate = plan(&gate()).expect("planned").cases.remove(0);
    // Both casts and the sigmoid have buffers; silu is written over x.
    assert_eq!(["float0", "sigmoid", "silu", "float1"].map(|name| is_upper(&gate, name)), [false, true, false, true]);
    // The row of a weight lies where its tile does: of one row it is the tile.
    let norm = plan(&graphs::long::layer_norm(DType::Float16)).expect("planned").cases.remove(0);
    assert_eq!(norm.s.case, Case::Y0);
    let repeated: Vec<usize> = (0..norm.s.roles.len()).filter(|id| norm.s.repeats_once(*id)).collect();
    assert!(!repeated.is_empty());
    for id in repeated {
        let (node, row) = (&norm.s.graph.nodes[id], norm.s.graph.nodes[id].inputs[0].from.expect("an operand"));
        let row = &norm.s.graph.nodes[norm.s.root(row)].name;
        assert_eq!([is_upper(&norm, &node.name), is_upper(&norm, row)], [true; 2], "{}", node.name);
    }
    // Lanes of columns lie in the lower half: what they take is in the upper one.
    let columns = plan(&graphs::columns::softmax(DType::Float32, 2, &[0])).expect("planned").cases.remove(0);
    assert_eq!(columns.s.case, Case::C);
    let first = columns.s.order.iter().find(|id| columns.s.roles[**id] == Role::Reduce).expect("a reduction");
    let taken = columns.s.root(columns.s.graph.nodes[*first].inputs[0].from.expect("an operand"));
    assert!(is_upper(&columns, &columns.s.graph.nodes[taken].name));
}

/// The begins of all that Init makes, for a tile of so many elements.
fn begins(init: &str, tile: usize) -> BTreeMap<String, usize> {
    let (mut at, mut begins) = (0, BTreeMap::new());
    for line in init.lines().filter_map(|line| line.trim().strip_prefix("pipe.InitBuffer(")) {
        let (name, rest) = line.trim_end_matches(");").split_once(", ").expect("a name");
        let (copies, bytes) = rest.strip_prefix("2, ").map_or((1, rest), |bytes| (2, bytes));
        let bytes = match bytes.strip_prefix("(tile * ").and_then(|rest| rest.strip_suffix(" + 511) / 512 * 512")) {
            Some(each) => (tile * each.parse::<usize>().expect("bytes")).next_multiple_of(BANK_PERIOD),
            None => bytes.parse().expect("bytes"),
        };
        begins.insert(name.to_owned(), at);
        at += copies * bytes;
    }
    begins
}

#[test]
fn tiles_begin_in_their_half_whatever_their_size() {
    let fused = gate();
    let plan = plan(&fused).expect("planned");
    let files = op_dir(&plan, &Names::of("gate").expect("a name"), &sources::sources()).expect("made");
    let header = files.iter().find(|file| file.0.ends_with("op_kernel/gate.h")).map(|file| &file.1).expect("a kernel");
    let init = header.split("Init(").nth(1).and_then(|text| text.split("Process()").next()).expect("Init");
    let memory = &plan.cases[0].memory;
    for tile in [64, 128, 7616, 7680] {
        let begins = begins(init, tile);
        let lists = [("in", Position::VecIn, memory.vec_in.len()), ("buf", Position::VecCalc, memory.buffers.len())];
        for (name, position, count) in lists {
            for id in 0..count {
                let upper = memory.upper.contains(&Part::Tile(ascgraph::memory::Place { position, id }));
                let at = begins[&format!("{name}{id}_")];
                assert_eq!(at % BANK_PERIOD, if upper { BANK_GAP } else { 0 }, "{name}{id} of {tile}: {at}");
            }
        }
    }
}

/// All copies of a tile are under way before the first is waited for.
#[test]
fn loads_come_first() {
    let kernel = plan(&gate()).expect("planned").cases.remove(0);
    let working = kernel.s.order.iter().filter(|id| !matches!(kernel.s.roles[**id], Role::None | Role::Constant));
    let first: Vec<&str> = working.take(3).map(|id| kernel.s.graph.nodes[*id].name.as_str()).collect();
    assert_eq!(first, ["load0", "load1", "float0"]);
}

/// The longest row of a layer norm in half that fits as a whole: its weights have no tiles, and what is read of them in half
/// lies where tiles come later.
#[test]
fn one_row_is_its_own_tile() {
    let plan = plan(&graphs::long::layer_norm(DType::Float16)).expect("planned");
    let kernel = &plan.cases[0];
    let limits = Limits { cores: 40, aiv_num: 0, ub_size: 188_160 };
    let sizes = |columns: i64| -> Values { [("s0".to_owned(), 3), ("s1".to_owned(), columns)].into() };
    assert_eq!(choose(&plan, &sizes(7168), limits).map(|(mode, t)| (mode, t.tile)), Ok((0, 1)));
    let demand = kernel.memory.demand(&kernel.s);
    assert!(demand.repeated > 0 && demand.repeated < demand.wide, "{demand:?}");
    let brief: Vec<_> = (0..kernel.s.roles.len()).filter(|id| kernel.s.is_brief(*id)).collect();
    let places: Vec<_> = brief.iter().map(|id| kernel.memory.places[*id].expect("a place")).collect();
    assert!(places.len() == 2 && places[0] != places[1], "{places:?}");
    for place in places {
        assert!(kernel.memory.buffers[place.id].wide > 0, "{place:?} is of tiles");
    }
    // Bits of tiles of some rows and of the longest row, of weights that are converted and of those that are read.
    let float = ascgraph::plan::plan(&graphs::long::layer_norm(DType::Float32)).expect("planned");
    for plan in [&plan, &float] {
        let (kernel, limits) = (&plan.cases[0], Limits { cores: 1, ..limits });
        let longest = graphs::last(|columns| tiling(kernel, &sizes(columns), limits).is_ok());
        for (columns, rows) in [(300, 3), (longest, 1)] {
            let sizes = sizes(columns);
            let inputs = graphs::inputs(plan.hint(), &sizes);
            let solved = tiling(kernel, &sizes, limits).expect("a tiling");
            assert_eq!(solved.tile, rows);
            let tiles = run_tiles(kernel, &inputs, &sizes, &solved).expect("runs");
            assert!(run(plan.hint(), &inputs, &sizes).expect("runs").outputs == tiles, "{columns}");
        }
    }
}
