//! `opinfo show`: one operator as a table.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use opinfo::{Attribute, Formats, Operator, Profile, Tensor};

use super::{choose, load};
use crate::base::ctx::Ctx;
use crate::base::done::Done;
use crate::base::report::{OpInfoAttribute, OpInfoOperator, OpInfoShow, OpInfoTensor};
use crate::base::term::out;
use crate::build::op_info::check::reported;

/// Show one operator as a table, with defaults filled in
#[derive(Args)]
pub struct Show {
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Select this OpType [default: the only one of the file]
    #[arg(value_name = "OP")]
    op: Option<String>,
}

impl Show {
    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let library = load(cx, &self.file)?;
        let op = choose(&library, &self.file, self.op.as_deref())?;
        let operator = Operator::of(op);
        let name = self.file.display().to_string();
        out!("{}  ({name}:{})", operator.name, op.line);
        out!("  kernel      {} in {}", operator.interface, operator.op_file);
        out!("  formats     {}", source(&operator.formats));
        tensors(&operator);
        attributes(&operator.attributes);
        let others: Vec<String> = op
            .entries
            .iter()
            .filter(|entry| {
                let group = entry.group.trim();
                let starts = ["input", "output", "attr"].iter().any(|start| group.starts_with(start));
                !starts && group != "opFile" && group != "opInterface"
            })
            .map(|entry| format!("{}.{}={}", entry.group, entry.key, entry.value))
            .collect();
        if !others.is_empty() {
            out!("  keys        {}", others.join("\n              "));
        }
        let findings: Vec<_> =
            library.check(Profile::Any).into_iter().filter(|finding| finding.op == op.name).collect();
        findings.iter().for_each(|finding| out!("{}", finding.text(&name)));
        let findings = findings.iter().map(reported).collect();
        Ok(Done::with(&OpInfoShow { file: name, operator: object(operator), keys: others, findings }))
    }
}

pub fn source(formats: &Formats) -> String {
    match formats {
        Formats::Lists => "lists of the entry".to_owned(),
        Formats::Callback => "op_select_format is asked".to_owned(),
        Formats::Pattern(pattern) => format!("derived from op.pattern={pattern}"),
        Formats::Nothing => "none".to_owned(),
    }
}

/// A row for every tensor, a cell for every column.
fn tensors(operator: &Operator) {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for tensor in operator.tensors() {
        let mut row = vec![tensor.place.clone(), tensor.name.clone(), tensor.param_type.clone()];
        for (at, dtype) in tensor.dtypes.iter().enumerate() {
            row.push(match (tensor.formats.get(at), tensor.unknown_shape_formats.get(at)) {
                (None, None) => dtype.clone(),
                (Some(format), Some(unknown)) if format != unknown => format!("{dtype} {format}/{unknown}"),
                (Some(format), _) => format!("{dtype} {format}"),
                (None, Some(unknown)) => format!("{dtype} -/{unknown}"),
            });
        }
        rows.push(row);
    }
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in &rows {
        let line: String = row.iter().zip(&widths).map(|(cell, width)| format!("  {cell:width$}")).collect();
        out!("{}", line.trim_end());
    }
}

fn attributes(attributes: &[Attribute]) {
    let wide = |text: fn(&Attribute) -> &str| attributes.iter().map(|one| text(one).len()).max().unwrap_or(0);
    let (names, kinds) = (wide(|one| &one.name), wide(|one| &one.kind));
    for one in attributes {
        let default = match (&one.default, one.required) {
            (_, true) => "required".to_owned(),
            (Some(value), false) => format!("= {value}"),
            (None, false) => "optional, without a default".to_owned(),
        };
        let values = one.values.as_ref().map(|values| format!("  of {}", values.join(", "))).unwrap_or_default();
        out!("  attribute {:names$}  {:kinds$}  {default}{values}", one.name, one.kind);
    }
}

fn object(operator: Operator) -> OpInfoOperator {
    let tensor = |tensor: Tensor| OpInfoTensor {
        place: tensor.place,
        name: tensor.name,
        param_type: tensor.param_type,
        dtype: tensor.dtypes,
        format: tensor.formats,
        unknownshape_format: tensor.unknown_shape_formats,
    };
    let attribute = |one: Attribute| OpInfoAttribute {
        name: one.name,
        kind: one.kind,
        required: one.required,
        values: one.values,
        default: one.default,
    };
    OpInfoOperator {
        formats: source(&operator.formats),
        name: operator.name,
        op_file: operator.op_file,
        interface: operator.interface,
        inputs: operator.inputs.into_iter().map(tensor).collect(),
        outputs: operator.outputs.into_iter().map(tensor).collect(),
        attributes: operator.attributes.into_iter().map(attribute).collect(),
    }
}
