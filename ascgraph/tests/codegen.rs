//! Generated operators: the same bytes for the same graph, and what they must not contain.
//! `ASCGRAPH_UPDATE=1` writes the golden files anew.

use std::path::Path;

use ascgraph::build::{Builder, fmod_example, fused};
use ascgraph::codegen::{Names, Sources, op_dir};
use ascgraph::dtype::DType;
use ascgraph::expr::Expr;
use ascgraph::load::load;
use ascgraph::memory::fmod::FIXED_BYTES;
use ascgraph::model::{AttrValue, FusedGraph};
use ascgraph::plan::{Plan, plan};

mod graphs;
mod sources;

use sources::{op_kernel, sources};

fn recorded(name: &str) -> FusedGraph {
    let corpus: serde_json::Value = serde_json::from_str(include_str!("corpus.json")).expect("JSON");
    load(&corpus[name].to_string()).expect("loads").fused
}

fn kernel(fused: &FusedGraph) -> Plan {
    plan(fused).unwrap_or_else(|error| panic!("{error}"))
}

fn files(fused: &FusedGraph) -> Vec<(String, String)> {
    op_dir(&kernel(fused), &Names::of("my_op").expect("a name"), &sources()).unwrap_or_else(|error| panic!("{error}"))
}

fn file(fused: &FusedGraph, path: &str) -> String {
    files(fused).into_iter().find(|file| file.0 == path).map(|file| file.1).unwrap_or_else(|| panic!("no {path}"))
}

#[test]
fn the_examples_files_are_golden() {
    let names = Names::of("fmod_auto").expect("a name");
    let made = op_dir(&kernel(&fmod_example()), &names, &sources()).expect("made");
    assert_eq!(made, op_dir(&kernel(&fmod_example()), &names, &sources()).expect("made"));
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
        // In each of the two kernels, but for y: in whole rows it is one row, which is read once.
        let kernels = if queue == "in1_" { 1 } else { 2 };
        let counts = [count("AllocTensor"), count("EnQue"), count("DeQue"), count("FreeTensor")];
        assert_eq!(counts, [kernels; 4], "{queue}");
    }
    // Two outputs: the first is read by a Store and by Add.
    let two = file(&recorded("15_add_exp"), "op_kernel/my_op.h");
    assert!(two.find("AscendC::Adds(").expect("Adds") < two.find("out0_.FreeTensor(n2_exp)").expect("freed"));
}

/// What is one number everywhere goes into the instruction: no tile is filled with it.
#[test]
fn numbers_are_operands() {
    let text = file(&recorded("5_abs_add_mul"), "op_kernel/my_op.h");
    for call in ["AscendC::Adds(", "AscendC::Muls("] {
        assert!(text.contains(call), "no {call} in\n{text}");
    }
    assert!(!text.contains("Duplicate") && !text.contains("VECCALC> buf1_"), "{text}");
}

/// All that divide 1 read one block of ones, which is filled in front of the first tile.
#[test]
fn ones_are_one_block() {
    let mut b = Builder::new("over");
    let n = b.create_size_var("n");
    let z = b.create_axis("z", n);
    b.sched_axis(&[z]);
    let all = b.contiguous(&[z]);
    let x = b.data("x", 0, DType::Float32);
    let mut last = b.load("load", x, &all);
    for name in ["Sigmoid", "Rsqrt", "Reciprocal"] {
        last = b.node(name, &name.to_lowercase(), &[last], Some(&all));
    }
    let store = b.store("store", last, &all);
    b.output("out", 0, store, DType::Float32);
    let over = fused("over", b.graph());
    let text = file(&over, "op_kernel/my_op.h");
    let (_, text) = text.split_once("class Kernel").expect("a class");
    let fill = text.find("AscendC::Duplicate(one_float, static_cast<float>(1.0f), 8);").expect("ones");
    assert!(text.matches("Duplicate").count() == 1 && fill < text.find("for (int64_t index").expect("tiles"), "{text}");
    let memory = &kernel(&over).cases[0].memory;
    // x and the result twice, and what lies between them; a block.
    assert_eq!((memory.bytes_per_element(), memory.fixed), (20, 32));
}

/// abs(fmod(x, y)) over one axis; `again`: y is read again behind it.
fn with_fmod(dtype: DType, precision: Option<i64>, again: bool) -> FusedGraph {
    let mut b = Builder::new("whole");
    let n = b.create_size_var("n");
    let z = b.create_axis("z", n);
    b.sched_axis(&[z]);
    let all = b.contiguous(&[z]);
    let (x, y) = (b.data("x", 0, dtype), b.data("y", 1, dtype));
    let (lx, ly) = (b.load("lx", x, &all), b.load("ly", y, &all));
    let mut last = b.node("Fmod", "fmod", &[lx, ly], Some(&all));
    if let Some(precision) = precision {
        b.attr(last, "precision_mode", AttrValue::Int(precision));
    }
    if again {
        last = b.node("Add", "add", &[last, ly], Some(&all));
    }
    let store = b.store("store", last, &all);
    b.output("out", 0, store, dtype);
    fused("whole", b.graph())
}

/// The operator's compute class, its headers and its work memory; the divisor is kept where it is read again.
#[test]
fn fmod_is_the_operators_own_code() {
    let cases = [
        (DType::Float32, None, false, "ComputeTbe<float, false, false> fmodFloat_;", [24, 0], false),
        (DType::Float32, Some(0), true, "ComputeTbe<float, false, true> fmodFloat_;", [4 + 28, 0], false),
        (DType::Float16, None, false, "ComputeTbe<half, false, false> fmodHalf_;", [12 + 12, 6 * 256], false),
        (DType::Float32, Some(1), false, "ComputeExact<float, false> fmodFloatExact_;", [16 + 24, 0], true),
        (DType::Float32, Some(1), true, "ComputeExact<float, false> fmodFloatExact_;", [16 + 4 + 28, 0], true),
        (
            DType::BFloat16,
            Some(1),
            false,
            "ComputeExact<bfloat16_t, false> fmodBfloat16Exact_;",
            [12 + 12, 6 * 256],
            true,
        ),
    ];
    for (dtype, precision, again, member, [bytes, rests], exact) in cases {
        let graph = with_fmod(dtype, precision, again);
        let made = files(&graph);
        let of = |path: &str| made.iter().find(|file| file.0 == path).map(|file| file.1.as_str());
        let text = of("op_kernel/my_op.h").expect("a kernel");
        assert!(text.contains(&format!("    NsFmod::{member}\n")), "{text}");
        let planned = kernel(&graph);
        let memory = &planned.cases[0].memory;
        // Work memory of the class begins with a bank group.
        assert_eq!(memory.demand(&planned.cases[0].s).step, 128, "{member}");
        assert_eq!((memory.bytes_per_element(), memory.fixed), (bytes, 3328 + 512 + rests), "{member}");
        // The exact one waits for its probe: the next tile is under way by then.
        let ahead = text.find("Read(index + 1);");
        assert_eq!(ahead.is_some(), exact, "{text}");
        assert!(ahead.is_none_or(|at| text[..at].ends_with("if (index + 1 < end) {\n                ")), "{text}");
        assert!(ahead.is_none_or(|at| at < text.find(".Compute(").expect("Compute")), "{text}");
        assert_eq!(text.contains("AscendC::Abs(n4_fmodDivisor, n3_ly, length);"), exact && again);
        // What is copied is the operator's file, and all that it includes comes with it.
        for (path, copy) in made.iter().filter(|file| file.0.starts_with("op_kernel/fmod_")) {
            let name = path.trim_start_matches("op_kernel/");
            assert_eq!(*copy, std::fs::read_to_string(op_kernel().join(name)).expect("the operator's"), "{name}");
            for line in copy.lines().filter_map(|line| line.strip_prefix("#include \"fmod_")) {
                assert!(of(&format!("op_kernel/fmod_{}", line.trim_end_matches('"'))).is_some(), "{name}: {line}");
            }
        }
        let wanted = if exact { "op_kernel/fmod_exact.h" } else { "op_kernel/fmod_tbe.h" };
        assert!(of(wanted).is_some() && of("op_kernel/fmod_common.h").is_some());
        assert_eq!(of("op_kernel/fmod_tbe.h").is_some(), !exact);
    }
    // A graph without Fmod has no header of the operator.
    let copies = |fused: &FusedGraph| files(fused).iter().filter(|file| file.0.contains("/fmod_")).count();
    assert_eq!((copies(&fmod_example()), copies(&recorded("3_mul"))), (0, 0));
    let plan = kernel(&with_fmod(DType::Float32, None, false));
    let error = op_dir(&plan, &Names::of("fmod").expect("a name"), &sources());
    let error = error.expect_err("its files have the operator's names").to_string();
    assert!(error.starts_with("the name fmod is taken: the kernel has a header op_kernel/fmod_"), "{error}");
    let error = op_dir(&plan, &Names::of("my_op").expect("a name"), &Sources::default());
    let error = error.expect_err("nobody brings the kernel code").to_string();
    assert!(error.starts_with("fmod_tbe.h is needed for graph whole"), "{error}");
}

/// The solver's numbers are those of the operator's table; the generated kernel asserts the same.
#[test]
fn work_memory_is_the_operators() {
    let table = std::fs::read_to_string(op_kernel().join("fmod_tiling_data.h")).expect("the operator's table");
    let row = |case: &str| {
        let (_, rest) = table.split_once(&format!("case FmodFormula::{case}:")).expect(case);
        rest.trim_start().lines().next().expect("a row").to_owned()
    };
    assert_eq!(row("FLOAT"), "return isScalar ? FmodWork{0, 4} : FmodWork{0, isRows ? 4U : 0U};");
    assert!(row("FLOAT_EXACT").ends_with(": FmodWork{8, 8};"));
    assert!(row("FLOAT16").ends_with(": FmodWork{8, 4};"));
    assert!(row("FLOAT16_EXACT").ends_with(": FmodWork{4, 8};"));
    let constant = |name: &str| {
        let (_, rest) = table.split_once(&format!("{name} = ")).expect(name);
        rest.split(';').next().expect("a value").to_owned()
    };
    let number = |name: &str| constant(name).parse::<usize>().expect("a number");
    assert_eq!(constant("FMOD_FIXED_BYTES"), "FMOD_BANK_GAP_BYTES + FMOD_CONST_BYTES");
    assert_eq!(number("FMOD_BANK_GAP_BYTES") + number("FMOD_CONST_BYTES"), FIXED_BYTES);
}

#[test]
fn what_no_operator_can_be_made_of() {
    for bad in ["", "a", "Fmod", "fmod-auto", "fmod__auto", "1x", "fmod_a"] {
        assert!(Names::of(bad).is_err(), "{bad}");
    }
    let refused = |fused: &FusedGraph| {
        let error =
            plan(fused).and_then(|kernel| op_dir(&kernel, &Names::of("my_op").expect("a name"), &sources()).map(drop));
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
    shifted.graphs[0].nodes[load].ir_attr.insert("offset".to_owned(), AttrValue::Expr(Expr::from(8)));
    assert_eq!(
        refused(&shifted),
        "load (Load) is not supported here: its tensor is not dense; an operator's tensors are"
    );

    let mut two = recorded("3_mul");
    two.graphs.push(two.graphs[0].clone());
    assert_eq!(refused(&two), "2 graphs, one is expected");

    // What nothing computes is copied.
    let mut copy = recorded("3_mul");
    let graph = &mut copy.graphs[0];
    let (load, store) = (graph.node("load"), graph.node("store").expect("store"));
    graph.nodes[store].inputs[0].from = load;
    assert!(file(&copy, "op_kernel/my_op.h").contains("CopyTile(n7_store_copy0, n1_load, length);"));
}

/// Of columns that go by in pieces a piece has as many rows as the tiling says, and so has a constant beside it.
#[test]
fn a_constant_is_as_large_as_a_piece_of_columns() {
    let text = file(&graphs::columns::masked(2, &[0]), "op_kernel/my_op.h");
    assert!(text.contains(", 0x1p-1f, static_cast<int32_t>(tiling_->stride * stride));"), "{text}");
}
