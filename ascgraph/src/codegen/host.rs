//! The host side: definition, shapes, shape inference.

use std::fmt::Write;

use super::{End, Ends, Names, Operator, banner};
use crate::cpp;
use crate::dtype::DType;
use crate::expr::Expr;
use crate::plan::Plan;

pub fn definition(ends: &Ends, names: &Names) -> String {
    let Names { pascal, .. } = names;
    let mut text = format!(
        "#include \"register/op_def_registry.h\"\n\nnamespace ops {{\nclass {pascal} : public OpDef {{\npublic:\n    \
         explicit {pascal}(const char* name) : OpDef(name)\n    {{\n"
    );
    for (kind, letter, list) in [("Input", "x", &ends.inputs), ("Output", "y", &ends.outputs)] {
        for end in list {
            let contiguous = if kind == "Input" { "\n            .AutoContiguous()" } else { "" };
            let _ = writeln!(
                text,
                "        this->{kind}(\"{letter}{}\")\n            .ParamType(REQUIRED)\n            \
                 .DataType({{ge::{}}})\n            .Format({{ge::FORMAT_ND}})\n            \
                 .UnknownShapeFormat({{ge::FORMAT_ND}}){contiguous};",
                end.index,
                ge_name(end.dtype)
            );
        }
    }
    let _ = write!(
        text,
        "        this->AICore().AddConfig(\"ascend910b\");\n        this->AICore().AddConfig(\"ascend910_93\");\n    }}\n}};\n\
         OP_ADD({pascal});\n}} // namespace ops\n"
    );
    text
}

fn ge_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Int8 => "DT_INT8",
        DType::UInt8 => "DT_UINT8",
        DType::Int16 => "DT_INT16",
        DType::UInt16 => "DT_UINT16",
        DType::Int32 => "DT_INT32",
        DType::UInt32 => "DT_UINT32",
        DType::Int64 => "DT_INT64",
        DType::UInt64 => "DT_UINT64",
        DType::Float16 => "DT_FLOAT16",
        DType::Float32 => "DT_FLOAT",
        DType::BFloat16 => "DT_BF16",
    }
}

/// Behind what a tiling function says of sizes without a tiling.
pub(super) fn long_rows(plan: &Plan) -> String {
    plan.long_rows.as_ref().map_or_else(String::new, |why| format!("; {why}"))
}

/// A size of the graph as a member of `Sizes`.
fn member(expr: &Expr) -> String {
    over(expr, |name| format!("sizes.{name}"))
}

/// A size of the graph with something else for each symbol.
pub(super) fn over(expr: &Expr, by: impl Fn(&str) -> String) -> String {
    expr.symbols().iter().fold(expr.cpp(), |text, name| whole_words(&text, name, &by(name)))
}

pub(super) fn symbols(plan: &Plan) -> Vec<&str> {
    plan.hint().size_vars.iter().map(|var| var.name.as_str()).collect()
}

/// The values of the graph's symbols.
pub(super) fn sizes(symbols: &[&str]) -> String {
    let mut text = "// The values of the graph's symbols.\nstruct Sizes {\n".to_owned();
    for name in symbols {
        let _ = writeln!(text, "    int64_t {name} = -1;");
    }
    text + "};\n"
}

fn whole_words(text: &str, word: &str, by: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let end = at + word.len();
        let inside = rest[..at].ends_with(is_word) || rest[end..].starts_with(is_word);
        result.push_str(&rest[..at]);
        result.push_str(if inside { word } else { by });
        rest = &rest[end..];
    }
    result + rest
}

/// Symbols from the inputs' shapes, and the guards that say which shapes this graph is for.
pub fn shapes(operator: &Operator, names: &Names) -> String {
    let (pascal, upper) = (&names.pascal, names.upper());
    let mut text = format!(
        "{}#ifndef {upper}_SHAPES_H\n#define {upper}_SHAPES_H\n\n#include <cstdint>\n#include <string>\n#include <vector>\n\n\
         namespace Ns{pascal} {{\n{}\n{}\n{}\n",
        banner(operator.graph),
        cpp::SHAPE,
        sizes(&operator.symbols),
        cpp::GUARDS
    );
    text.push_str(
        "// Empty, or what is wrong with the shapes.\ninline std::string Bind(const std::vector<Shape>& inputs, Sizes& sizes)\n{\n    \
         std::string wrong;\n    (void)sizes;\n",
    );
    // What is computed of symbols is compared when all of them have their values.
    let mut late = String::new();
    for view in &operator.views {
        guards(&mut text, &mut late, view);
    }
    text.push_str(&late);
    text.push_str("    return wrong;\n}\n\n");
    let axes = operator.axes.iter().enumerate().map(|(at, (name, size))| {
        let comma = if at == 0 { "" } else { ", " };
        format!("\"{comma}{} = \" + std::to_string({})", clean(name), member(size))
    });
    let axes: Vec<String> = axes.collect();
    let _ = write!(
        text,
        "// The sizes of the axes, for messages.\ninline std::string TextOf(const Sizes& sizes)\n{{\n    (void)sizes;\n    \
         return std::string() + {};\n}}\n\n",
        axes.join(" + ")
    );
    for end in &operator.ends.outputs {
        let _ = writeln!(
            text,
            "inline Shape Output{}(const std::vector<Shape>& inputs, const Sizes& sizes)\n{{",
            end.index
        );
        text.push_str("    (void)inputs;\n    (void)sizes;\n");
        let whole = operator.views.iter().find(|input| end.is_flat() && input.is_flat() && input.axes == end.axes);
        match whole {
            Some(input) => {
                let _ = writeln!(text, "    return inputs[{}];\n}}\n", input.index);
            }
            None => {
                let dims: Vec<String> = end.axes.iter().map(|(_, size)| member(size)).collect();
                let _ = writeln!(text, "    return {{{}}};\n}}\n", dims.join(", "));
            }
        }
    }
    let _ = write!(text, "}} // namespace Ns{pascal}\n#endif // {upper}_SHAPES_H\n");
    text
}

fn clean(axis: &str) -> String {
    axis.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

fn guards(text: &mut String, late: &mut String, end: &End) {
    let (rank, at) = (end.axes.len(), end.index);
    if end.is_flat() {
        let what = format!("the number of elements of x{at}");
        let size = &end.axes[0].1;
        let alone = size.symbols().iter().all(|symbol| Expr::symbol(symbol) == *size);
        let text = if alone { text } else { late };
        text.push_str(&guard(&what, &format!("CountOf(inputs[{at}])"), size));
        return;
    }
    let ones = match crate::bind::last_ones(end.axes.iter().map(|axis| &axis.1)) {
        0 => String::new(),
        ones => format!(", {ones}"),
    };
    let _ = writeln!(
        text,
        "    if (wrong.empty() && inputs[{at}].size() > {rank}) {{\n        wrong = \"x{at} has more than {rank} axes\";\n    }}"
    );
    for (n, (axis, size)) in end.axes.iter().enumerate() {
        let value = format!("DimOf(inputs[{at}], {rank}, {n}{ones})");
        let alone = size.constant().is_some() || size.symbols().iter().any(|symbol| Expr::symbol(symbol) == *size);
        let text = if alone { &mut *text } else { &mut *late };
        text.push_str(&guard(&format!("axis {} of x{at}", clean(axis)), &value, size));
    }
}

/// A symbol gets its value where it is met first; everything else is compared.
fn guard(what: &str, value: &str, size: &Expr) -> String {
    let symbols = size.symbols();
    let call = match symbols.iter().find(|symbol| Expr::symbol(symbol) == *size) {
        Some(name) => format!("wrong = Guard(\"{what}\", \"{name}\", sizes.{name}, {value});"),
        None => {
            let wanted = member(size);
            format!("int64_t size = {wanted};\n        wrong = Guard(\"{what}\", \"{size}\", size, {value});")
        }
    };
    format!("    if (wrong.empty()) {{\n        {call}\n    }}\n")
}

const READ_SHAPES: &str = include_str!("../../cpp/read_shapes.cpp");

pub(super) fn read_shapes(context: &str, given: &str, ends: &Ends, names: &Names) -> String {
    READ_SHAPES
        .replace("CONTEXT", context)
        .replace("GIVEN", given)
        .replace("SHAPES", &format!("Ns{}", names.pascal))
        .replace("INPUTS", &ends.inputs.len().to_string())
}

const INFER_SHAPE: &str = include_str!("../../cpp/infershape.cpp");

pub fn infershape(operator: &Operator, names: &Names) -> String {
    let (Names { snake, pascal }, ends) = (names, &operator.ends);
    let (mut shapes, mut types) = (String::new(), String::new());
    for end in &ends.outputs {
        let _ = writeln!(shapes, "    Set(context, {0}, Ns{pascal}::Output{0}(inputs, sizes));", end.index);
        let _ = writeln!(types, "    context->SetOutputDataType({}, ge::{});", end.index, ge_name(end.dtype));
    }
    let text = INFER_SHAPE
        .replace("READ_SHAPES;\n", &read_shapes("gert::InferShapeContext", "*given", ends, names))
        .replace("    SET_SHAPES;\n", &shapes)
        .replace("    SET_TYPES;\n", &types)
        .replace("OUTPUT_NUM", &ends.outputs.len().to_string())
        .replace("SNAKE", snake)
        .replace("PASCAL", pascal);
    banner(operator.graph) + &text
}
