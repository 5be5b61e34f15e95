//! Graphs for people and for programs: text, dot, JSON, HTML.

mod dot;
mod html;
mod json;
mod text;

pub use dot::dot;
pub use html::html;
pub use json::json;
pub use text::{graph_text, text};

use crate::expr::Expr;
use crate::model::{AttrValue, Graph, TensorAttr};

pub fn attr_text(value: &AttrValue) -> String {
    match value {
        AttrValue::Int(value) => value.to_string(),
        AttrValue::Text(text) => format!("'{text}'"),
        AttrValue::Expr(expr) => expr.to_string(),
    }
}

pub(crate) fn list(exprs: &[Expr]) -> String {
    exprs.iter().map(Expr::to_string).collect::<Vec<_>>().join(", ")
}

/// `float32 [z0, z1] size [s0, s1] strides [s1, 1]`.
pub fn tensor_text(graph: &Graph, tensor: &TensorAttr) -> String {
    let dtype = tensor.dtype.map_or("?", |dtype| dtype.name());
    if tensor.axis.is_empty() && tensor.size.is_empty() {
        return dtype.to_owned();
    }
    let (axis, size, strides) = (graph.axis_names(&tensor.axis), list(&tensor.size), list(&tensor.strides));
    format!("{dtype} [{axis}] size [{size}] strides [{strides}]")
}
