//! The device side: entry, class, tiling data.

use std::fmt::Write;

use super::fields::{fields, queue};
use super::{Ends, Names, banner, body, calls, fmod};
use crate::cpp;
use crate::memory::{
    BANK_GAP, BANK_PERIOD, BLOCK, Bytes, Part, Place, QUEUE_BUFFERS, TURN_BYTES, column_bytes, lane_bytes,
};
use crate::model::{Graph, Position};
use crate::plan::{Kernel, Plan};
use crate::schedule::{Case, Role, Unsupported};
use crate::tiling::{KEPT_BYTES, NARROW_STEP};

pub fn tiling_data(plan: &Plan, names: &Names) -> String {
    let Names { pascal, .. } = names;
    let upper = names.upper();
    let mut text = format!(
        "{}#ifndef {upper}_TILING_DATA_H\n#define {upper}_TILING_DATA_H\n\n#include <cstdint>\n\n",
        banner(plan.hint())
    );
    let _ = write!(
        text,
        "// The kernel, cores, units of a tile, tiles of them, elements from row to row of a tile.\nstruct {pascal}TilingData {{\n"
    );
    for field in ["mode", "block_dim", "tile", "row_tiles", "core_tiles", "tiles", "stride"] {
        let _ = writeln!(text, "    int64_t {field};");
    }
    if has_segments(plan) {
        text.push_str("    // Cores that share a row in pieces, elements of a row with lanes of their own.\n");
        text.push_str("    int64_t parts;\n    int64_t segment;\n");
    }
    for (field, expr) in fields(plan) {
        let _ = writeln!(text, "    int64_t {field}; // {expr}");
    }
    let _ = write!(text, "}};\n#endif // {upper}_TILING_DATA_H\n");
    text
}

/// Tiling keys from 0 on.
pub fn tiling_key(keys: usize, names: &Names) -> String {
    let (pascal, upper) = (&names.pascal, names.upper());
    let modes: Vec<String> = (0..keys).map(|mode| mode.to_string()).collect();
    let modes = modes.join(", ");
    format!(
        "#ifndef {upper}_TILING_KEY_H\n#define {upper}_TILING_KEY_H\n\n\
         #include \"ascendc/host_api/tiling/template_argument.h\"\n\n\
         ASCENDC_TPL_ARGS_DECL({pascal}, ASCENDC_TPL_UINT_DECL(mode, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_LIST, {modes}));\n\
         ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_UINT_SEL(mode, ASCENDC_TPL_UI_LIST, {modes})));\n\
         #endif // {upper}_TILING_KEY_H\n"
    )
}

/// `Kernel`, and `Kernel1` for the second.
pub fn class_name(case: usize) -> String {
    if case == 0 { "Kernel".to_owned() } else { format!("Kernel{case}") }
}

pub fn pointers(ends: &Ends) -> Vec<String> {
    let inputs = ends.inputs.iter().map(|end| format!("x{}", end.index));
    inputs.chain(ends.outputs.iter().map(|end| format!("y{}", end.index))).collect()
}

/// Pointers that a kernel is given: with `workspace` where its cores meet.
pub(super) fn given(plan: &Plan, ends: &Ends, workspace: &str) -> Vec<String> {
    let shared = has_workspace(plan).then(|| workspace.to_owned());
    pointers(ends).into_iter().chain(shared).collect()
}

/// Does a kernel reduce rows?
pub(super) fn has_segments(plan: &Plan) -> bool {
    plan.cases.iter().any(|kernel| kernel.s.case != Case::C && kernel.s.roles.contains(&Role::Reduce))
}

/// Does a kernel have rows that cores share, and meet?
pub(super) fn has_workspace(plan: &Plan) -> bool {
    plan.cases.iter().any(|kernel| kernel.s.shares_rows())
}

/// Which cores run the kernel: those that meet are vector cores of a mixed launch.
pub(super) fn core_type(plan: &Plan) -> &'static str {
    if has_workspace(plan) { "__mix__(0, 1)" } else { "__vector__" }
}

pub fn entry(plan: &Plan, ends: &Ends, names: &Names) -> String {
    let Names { snake, pascal } = names;
    let pointers = pointers(ends);
    let declared: Vec<String> = pointers.iter().map(|name| format!("GM_ADDR {name}")).collect();
    let given = given(plan, ends, "AscendC::GetUserWorkspace(workspace)");
    let (unused, task) = match has_workspace(plan) {
        true => ("", "    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);\n"),
        false => ("    (void)workspace;\n", ""),
    };
    let run = |case: usize, indent: &str| {
        format!(
            "{indent}Ns{pascal}::{} op;\n{indent}op.Init({}, tilingData, pipe);\n{indent}op.Process();\n",
            class_name(case),
            given.join(", ")
        )
    };
    let body = match plan.cases.len() {
        1 => run(0, "    "),
        _ => format!(
            "    if constexpr (mode == 0) {{\n{}    }} else {{\n{}    }}\n",
            run(0, "        "),
            run(1, "        ")
        ),
    };
    format!(
        "#include \"{snake}.h\"\n\ntemplate <uint32_t mode>\n__global__ __aicore__ void {snake}({}, GM_ADDR workspace, \
         GM_ADDR tiling)\n{{\n    REGISTER_TILING_DEFAULT({pascal}TilingData);\n    \
         GET_TILING_DATA_WITH_STRUCT({pascal}TilingData, tilingData, tiling);\n{task}{unused}    AscendC::TPipe pipe;\n{body}}}\n",
        declared.join(", "),
    )
}

/// The file around the kernels' classes.
pub fn header(graph: &Graph, names: &Names, includes: &str, classes: &str) -> String {
    let (snake, upper) = (&names.snake, names.upper());
    format!(
        "{}#ifndef {upper}_H\n#define {upper}_H\n\n#include \"kernel_operator.h\"\n{includes}#include \"{snake}_tiling_data.h\"\n\
         #include \"{snake}_tiling_key.h\"\n\n{classes}#endif // {upper}_H\n",
        banner(graph)
    )
}

/// The kernels' classes, and what they call, in the operator's namespace.
pub(super) fn classes(plan: &Plan, ends: &Ends, names: &Names) -> Result<String, Unsupported> {
    let pascal = &names.pascal;
    let mut text = format!("namespace Ns{pascal} {{\n{}", fmod::assertions(plan));
    let used = used_helpers(plan);
    for helper in &used {
        text.push_str(helper);
        text.push('\n');
    }
    let fields = fields(plan);
    for (case, kernel) in plan.cases.iter().enumerate() {
        let _ = write!(text, "class {} {{\npublic:\n", class_name(case));
        init(&mut text, kernel, ends, (pascal, has_workspace(plan)));
        body::process(&mut text, kernel, &fields)?;
        members(&mut text, kernel, ends, pascal);
        text.push_str("};\n");
    }
    let _ = writeln!(text, "}} // namespace Ns{pascal}");
    Ok(text)
}

/// In the order of the file that they come from, each once.
fn used_helpers(plan: &Plan) -> Vec<&'static str> {
    let mut all: Vec<&'static str> = Vec::new();
    for kernel in &plan.cases {
        let s = &kernel.s;
        let computed = s.order.iter().filter(|id| s.roles[**id] == Role::Compute);
        all.extend(computed.flat_map(|id| calls::helpers(&s.graph.nodes[*id], &s.graph)));
        if s.columns.is_some() {
            all.push(cpp::ROWS);
        }
        if s.roles.contains(&Role::Reduce) {
            all.push(cpp::REDUCE);
        }
        if s.order.iter().any(|id| s.folds(*id)) {
            all.push(cpp::FOLD);
        }
        if s.roles.contains(&Role::Turn) {
            all.push(cpp::TURNED);
        }
        if s.roles.contains(&Role::Column) {
            all.push(cpp::SPREAD);
        }
        match s.case {
            Case::P => all.push(cpp::PIECES),
            Case::C if s.accumulators() > 0 => all.push(cpp::COLUMNS),
            _ => {}
        }
    }
    let [copy, masks, remainder, ones] = [cpp::COPY, cpp::MASKS, cpp::REMAINDER, cpp::ONES];
    let [rows, reduce, pieces, columns] = [cpp::ROWS, cpp::REDUCE, cpp::PIECES, cpp::COLUMNS];
    let helpers = [
        copy,
        masks,
        remainder,
        ones,
        cpp::GATES,
        cpp::POWERS,
        cpp::LOGIC,
        rows,
        cpp::SPREAD,
        cpp::TURNED,
        reduce,
        cpp::FOLD,
        pieces,
        columns,
    ];
    helpers.into_iter().filter(|helper| all.contains(helper)).collect()
}

/// Bytes of a tile in C++: elements of the whole tile, one for each row, one row.
fn bytes_text(kernel: &Kernel, bytes: Bytes) -> String {
    if kernel.s.columns.is_none() {
        return format!("tile * {}", bytes.wide);
    }
    let parts = [(bytes.wide, "wide"), (bytes.narrow, "narrow"), (bytes.row, "once")];
    let parts: Vec<String> =
        parts.iter().filter(|part| part.0 > 0).map(|(bytes, of)| format!("{of} * {bytes}")).collect();
    parts.join(" + ")
}

fn init(text: &mut String, kernel: &Kernel, ends: &Ends, (pascal, has_workspace): (&str, bool)) {
    let mut declared: Vec<String> = pointers(ends).iter().map(|name| format!("GM_ADDR {name}")).collect();
    if has_workspace {
        declared.push("[[maybe_unused]] GM_ADDR workspace".to_owned());
    }
    let _ = write!(
        text,
        "    __aicore__ inline void Init({}, const {pascal}TilingData& tiling, AscendC::TPipe& pipe)\n    {{\n        \
         tiling_ = &tiling;\n",
        declared.join(", ")
    );
    for (letter, list) in [("x", &ends.inputs), ("y", &ends.outputs)] {
        for end in list {
            let (at, cpp) = (end.index, end.dtype.cpp());
            let _ = writeln!(
                text,
                "        {letter}{at}Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ {cpp}*>({letter}{at}));"
            );
        }
    }
    // Of columns that go by in pieces a piece has the rows.
    let (rows, row) = if kernel.s.case == Case::C { ("stride", "tile") } else { ("tile", "stride") };
    let _ = writeln!(text, "        const uint32_t tile = static_cast<uint32_t>(tiling.{rows});");
    let memory = &kernel.memory;
    let demand = memory.demand(&kernel.s);
    if demand.whole_rows {
        let (step, bytes) = (demand.step, memory.bytes());
        let _ = writeln!(text, "        const uint32_t stride = static_cast<uint32_t>(tiling.{row});");
        let up = |what: &str, to: i64| format!("({what} + {}) / {to} * {to}", to - 1);
        for (name, used, what, to) in [
            ("wide", bytes.wide, "tile * stride", step),
            ("narrow", bytes.narrow, "tile", NARROW_STEP),
            ("once", bytes.row, "stride", step),
        ] {
            if used > 0 {
                let _ = writeln!(text, "        const uint32_t {name} = {};", up(what, to));
            }
        }
    }
    let has_halves = memory.has_halves();
    let bytes = |bytes: &Bytes| match bytes_text(kernel, *bytes) {
        text if has_halves => format!("({text} + {}) / {BANK_PERIOD} * {BANK_PERIOD}", BANK_PERIOD - 1),
        text => text,
    };
    let repeated = (0..memory.places.len()).filter(|id| kernel.s.repeats_once(*id));
    let repeated: Vec<Part> = repeated.filter_map(|id| memory.places[id].map(Part::Tile)).collect();
    let least = if has_halves { BANK_PERIOD } else { BLOCK };
    for upper in [false, true] {
        for part in memory.half(upper) {
            let _ = match part {
                Part::Lanes => Ok(()),
                Part::Scratch if memory.scratch == Bytes::default() => Ok(()),
                Part::Scratch => writeln!(text, "        pipe.InitBuffer(scratch_, {});", bytes(&memory.scratch)),
                Part::Tile(Place { position: Position::VecCalc, id }) => {
                    let bytes = bytes(&memory.buffers[id]);
                    let own = if repeated.contains(&part) { format!("tile > 1 ? {bytes} : {least}") } else { bytes };
                    writeln!(text, "        pipe.InitBuffer(buf{id}_, {own});")
                }
                Part::Tile(place) => {
                    let list = if place.position == Position::VecIn { &memory.vec_in } else { &memory.vec_out };
                    let (queue, bytes) = (queue(place), bytes(&list[place.id]));
                    writeln!(text, "        pipe.InitBuffer({queue}, {QUEUE_BUFFERS}, {bytes});")
                }
            };
        }
        if !memory.upper.is_empty() {
            let _ = writeln!(text, "        pipe.InitBuffer(gap{}_, {BANK_GAP});", usize::from(upper));
        }
    }
    if kernel.s.case == Case::P {
        let _ = writeln!(text, "        pipe.InitBuffer(lanes_, {});", lane_bytes(&kernel.s));
        if kernel.s.shares_rows() {
            let _ = write!(
                text,
                "        workspace_ = workspace;\n        if (tiling.parts > 1) {{\n            \
                 pipe.InitBuffer(kept_, {KEPT_BYTES});\n        }}\n"
            );
        }
    } else if has_lanes(kernel) && kernel.s.case == Case::C {
        let blocks = if kernel.s.roles.contains(&Role::RepeatColumns) { " + tile * 32 + 256" } else { "" };
        let _ = writeln!(text, "        pipe.InitBuffer(lanes_, stride * {}{blocks});", column_bytes(&kernel.s));
    } else if memory.lanes {
        text.push_str("        pipe.InitBuffer(lanes_, tile * (stride < 64 ? 4 * stride : 256) + 256);\n");
    }
    for dtype in &memory.ones {
        let _ = writeln!(text, "        pipe.InitBuffer(one_{}_, {BLOCK});", dtype.cpp());
    }
    for size in &memory.turns {
        let bytes = bytes_text(kernel, Bytes { wide: TURN_BYTES, ..Bytes::default() });
        let _ = writeln!(text, "        pipe.InitBuffer(turn{size}_, {bytes});");
    }
    text.push_str(&fmod::init(&memory.fmod, if demand.whole_rows { "wide" } else { "tile" }));
    text.push_str("    }\n\n");
}

/// Are there lanes of reductions, or blocks of repeated columns?
fn has_lanes(kernel: &Kernel) -> bool {
    kernel.memory.lanes || kernel.s.case == Case::P
}

fn members(text: &mut String, kernel: &Kernel, ends: &Ends, pascal: &str) {
    let _ = writeln!(text, "    const {pascal}TilingData* tiling_ = nullptr;");
    if kernel.s.shares_rows() {
        text.push_str("    GM_ADDR workspace_ = nullptr;\n    AscendC::TBuf<AscendC::TPosition::VECCALC> kept_;\n");
    }
    for (letter, list) in [("x", &ends.inputs), ("y", &ends.outputs)] {
        for end in list {
            let _ = writeln!(text, "    AscendC::GlobalTensor<{}> {letter}{}Gm_;", end.dtype.cpp(), end.index);
        }
    }
    let memory = &kernel.memory;
    for (name, position, list) in [("in", "VECIN", &memory.vec_in), ("out", "VECOUT", &memory.vec_out)] {
        for at in 0..list.len() {
            let _ = writeln!(text, "    AscendC::TQue<AscendC::TPosition::{position}, 1> {name}{at}_;");
        }
    }
    let buffers = (0..memory.buffers.len()).map(|at| format!("buf{at}_"));
    let scratch = (memory.scratch != Bytes::default()).then(|| "scratch_".to_owned());
    let lanes = has_lanes(kernel).then(|| "lanes_".to_owned());
    let turns = memory.turns.iter().map(|size| format!("turn{size}_"));
    let ones = memory.ones.iter().map(|dtype| format!("one_{}_", dtype.cpp()));
    let gaps = if memory.upper.is_empty() { &[][..] } else { &["gap0_", "gap1_"] };
    for name in
        buffers.chain(scratch).chain(ones).chain(turns).chain(lanes).chain(gaps.iter().map(|name| (*name).to_owned()))
    {
        let _ = writeln!(text, "    AscendC::TBuf<AscendC::TPosition::VECCALC> {name};");
    }
    text.push_str(&fmod::members(&memory.fmod));
}
