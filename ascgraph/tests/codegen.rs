//! Generated operators: the same bytes for the same graph, and what they must not contain.
//! `ASCGRAPH_UPDATE=1` writes the golden files anew.

use std::path::Path;

use ascgraph::build::{Builder, fmod_example, fused};
use ascgraph::codegen::{Names, Plan, op_dir, plan};
use ascgraph::dtype::DType;
use ascgraph::expr::Expr;
use ascgraph::load::load;
use ascgraph::model::FusedGraph;

fn recorded(name: &str) -> FusedGraph {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/corpus/{name}.json"));
    load(&std::fs::read_to_string(path).expect("text")).expect("loads").fused
}

fn kernel(fused: &FusedGraph) -> Plan {
    plan(fused).unwrap_or_else(|error| panic!("{error}"))
}

fn files(fused: &FusedGraph) -> Vec<(String, String)> {
    op_dir(&kernel(fused), &Names::of("my_op").expect("a name")).unwrap_or_else(|error| panic!("{error}"))
}

fn file(fused: &FusedGraph, path: &str) -> String {
    files(fused).into_iter().find(|file| file.0 == path).map(|file| file.1).unwrap_or_else(|| panic!("no {path}"))
}

#[test]
fn the_examples_files_are_golden() {
    let names = Names::of("fmod_auto").expect("a name");
    let made = op_dir(&kernel(&fmod_example()), &names).expect("made");
    assert_eq!(made, op_dir(&kernel(&fmod_example()), &names).expect("made"));
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for name in ["op_kernel/fmod_auto.h", "op_kernel/fmod_auto_tiling_data.h", "op_host/fmod_auto_shapes.h"] {
        let text = &made.iter().find(|file| file.0 == name).expect("a file").1;
        let path = dir.join(name.rsplit('/').next().expect("a name").to_owned() + ".txt");
        if std::env::var_os("ASCGRAPH_UPDATE").is_some() {
            std::fs::write(&path, text).expect("written");
        }
        assert_eq!(&std::fs::read_to_string(&path).expect("golden"), text, "{name}");
    }
}

/// A queue's tile is given back behind its last reader, and not before: x is read by Sub, four instructions on.
#[test]
fn tiles_are_freed_behind_their_last_reader() {
    let text = file(&fmod_example(), "op_kernel/my_op.h");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in\n{text}"));
    assert!(at("AscendC::Sub(n8_sub, n2_load_x, n7_mul") < at("in0_.FreeTensor(n2_load_x)"));
    assert!(at("AscendC::Mul(n7_mul") < at("in1_.FreeTensor(n3_load_y)"));
    for queue in ["in0_", "in1_", "out0_"] {
        let count = |what: &str| text.matches(&format!("{queue}.{what}")).count();
        // In each of the two kernels.
        assert_eq!([count("AllocTensor"), count("EnQue"), count("DeQue"), count("FreeTensor")], [2; 4], "{queue}");
    }
    // Two outputs: the first is read by a Store and by Add.
    let two = file(&recorded("15_add_exp"), "op_kernel/my_op.h");
    assert!(two.find("AscendC::Add(").expect("Add") < two.find("out0_.FreeTensor(n2_exp)").expect("freed"));
}

#[test]
fn fmod_is_four_instructions() {
    let mut b = Builder::new("whole");
    let n = b.create_size_var("n");
    let z = b.create_axis("z", n);
    b.sched_axis(&[z]);
    let all = b.contiguous(&[z]);
    let (x, y) = (b.data("x", 0, DType::Float32), b.data("y", 1, DType::Float32));
    let (lx, ly) = (b.load("lx", x, &all), b.load("ly", y, &all));
    let fmod = b.node("Fmod", "fmod", &[lx, ly], Some(&all));
    let abs = b.node("Abs", "abs", &[fmod], Some(&all));
    let store = b.store("store", abs, &all);
    b.output("out", 0, store, DType::Float32);
    let text = file(&fused("whole", b.graph()), "op_kernel/my_op.h");
    let calls: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_prefix("AscendC::")?.split('(').next()).collect();
    let vector: Vec<&str> =
        calls.into_iter().filter(|call| ["Div", "Cast", "Mul", "Sub", "Abs"].contains(call)).collect();
    assert_eq!(vector, ["Div", "Cast", "Mul", "Sub", "Abs"]);
    // Its result must not come into the buffer of an operand that it reads again.
    assert!(text.contains("AscendC::Sub(n4_fmod, n2_lx, n4_fmod, length);"));
}

#[test]
fn what_no_operator_can_be_made_of() {
    for bad in ["", "a", "Fmod", "fmod-auto", "fmod__auto", "1x", "fmod_a"] {
        assert!(Names::of(bad).is_err(), "{bad}");
    }
    let refused = |fused: &FusedGraph| {
        let error = plan(fused).and_then(|kernel| op_dir(&kernel, &Names::of("my_op").expect("a name")).map(drop));
        error.expect_err("refused").to_string()
    };
    let scalar = |value: &str, dtype: DType| {
        let mut b = Builder::new("scalar");
        let z = b.create_axis("z", 8);
        b.sched_axis(&[z]);
        let all = b.contiguous(&[z]);
        let x = b.data("x", 0, dtype);
        let load = b.load("load", x, &all);
        let value = b.scalar("value", value, dtype);
        let many = b.node("Broadcast", "many", &[value], Some(&all));
        let add = b.node("Add", "add", &[load, many], Some(&all));
        let store = b.store("store", add, &all);
        b.output("out", 0, store, dtype);
        fused("scalar", b.graph())
    };
    let text = |value: &str, dtype: DType| file(&scalar(value, dtype), "op_kernel/my_op.h");
    assert!(text("-inf", DType::Float32).contains("static_cast<uint32_t>(4286578688)"));
    assert!(text("nan", DType::Float16).contains("static_cast<uint16_t>(32256)"));
    assert!(file(&scalar("-7", DType::Int16), "op_kernel/my_op.h").contains("static_cast<int16_t>(-7)"));

    let mut shifted = recorded("3_mul");
    let load = shifted.graphs[0].node("load").expect("load");
    shifted.graphs[0].nodes[load].ir_attr.insert("offset".to_owned(), ascgraph::model::AttrValue::Expr(Expr::from(8)));
    assert_eq!(
        refused(&shifted),
        "load (Load) is not supported here: its tensor is not dense; an operator's tensors are"
    );

    let mut two = recorded("3_mul");
    two.graphs.push(two.graphs[0].clone());
    assert_eq!(refused(&two), "2 graphs; one kernel is made of one");

    // What nothing computes is copied.
    let mut copy = recorded("3_mul");
    let graph = &mut copy.graphs[0];
    let (load, store) = (graph.node("load"), graph.node("store").expect("store"));
    graph.nodes[store].inputs[0].from = load;
    assert!(file(&copy, "op_kernel/my_op.h").contains("CopyTile(n7_store_copy0, n1_load, length);"));
}
