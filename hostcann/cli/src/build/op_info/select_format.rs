//! `opinfo select-format`: which data types and formats an operator has for tensors that are there.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use opinfo::{Attribute, Column, Finding, Formats, Given, Lanes, Operator, Rule, Tensor};
use serde_json::{Value, json};

use super::callback::{self, Built, Described, Parts};
use super::show::source;
use super::{absolute, choose, load_good, number, refuse, stand_ins};
use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::report::{ChosenColumn, ColumnTensor, FormatColumn, SelectFormatRefused, SelectFormatResult};
use crate::base::term::out;
use crate::build::op_info::check::reported;

/// Choose data types and formats as the framework does
#[derive(Args)]
pub struct SelectFormat {
    /// Read this library [default: build the definition of --op-dir or --ops and call its SetOpSelectFormat function]
    #[arg(value_name = "FILE", required_unless_present_any = ["op_dir", "ops"], conflicts_with_all = ["op_dir", "ops"])]
    file: Option<PathBuf>,
    /// Select this OpType [default: the only one of the file]
    #[arg(value_name = "OP")]
    op: Option<String>,
    /// Describe an input, in the operator's order: float16:ND:2,3 (data type, format, shape; -1 is an unknown dimension).
    /// `-` is an absent one; `+` joins the parts of a dynamic one
    #[arg(long = "input", value_name = "TENSOR", value_parser = tensor, allow_hyphen_values = true)]
    inputs: Vec<Parts>,
    /// Describe an output [default: as the first input]
    #[arg(long = "output", value_name = "TENSOR", value_parser = tensor)]
    outputs: Vec<Parts>,
    /// Set an attribute, as JSON or as a word
    #[arg(long = "attr", value_name = "NAME=VALUE", value_parser = pair)]
    attributes: Vec<(String, Value)>,
    /// Run op_select_format of this Python file (python3 -I, with stand-ins for the toolkit)
    #[arg(long = "impl", value_name = "FILE")]
    implementation: Option<PathBuf>,
    /// Give the Python file this value of the toolkit: NAME=VALUE, NAME(ARGS)=VALUE
    #[arg(long = "stand-in", value_name = "NAME=VALUE", value_parser = pair, requires = "implementation")]
    stand_ins: Vec<(String, Value)>,
    /// Read the result of op_select_format instead of running it
    #[arg(long, value_name = "FILE", conflicts_with = "implementation")]
    result: Option<PathBuf>,
    /// Choose as for unknown shapes
    #[arg(long)]
    dynamic: bool,
    #[command(flatten)]
    args: OpArgs,
}

/// Where the entry and the answers come from.
struct Source {
    file: PathBuf,
    built: Option<Built>,
}

fn tensor(text: &str) -> Result<Parts, String> {
    if text == "-" {
        return Ok(Vec::new());
    }
    text.split('+').map(part).collect()
}

fn part(text: &str) -> Result<(Given, Vec<i64>), String> {
    let mut fields = text.splitn(3, ':');
    let dtype = fields.next().filter(|name| !name.is_empty()).ok_or("expected TYPE:FORMAT:SHAPE")?;
    let format = fields.next().filter(|name| !name.is_empty()).unwrap_or("ND");
    let shape = fields.next().unwrap_or_default();
    let dims = shape.split(',').filter(|dim| !dim.is_empty());
    let dims: Result<Vec<i64>, _> = dims.map(|dim| dim.trim().parse::<i64>()).collect();
    let dims = dims.map_err(|_| format!("`{shape}` is no shape such as 2,3"))?;
    if dims.iter().any(|dim| *dim < -2) {
        return Err(format!("`{shape}`: a dimension is not below -2"));
    }
    Ok((Given { dtype: dtype.to_owned(), format: format.to_owned() }, dims))
}

fn pair(text: &str) -> Result<(String, Value), String> {
    // The name may have arguments with `=` in them.
    let at = text.rfind(')').unwrap_or(0);
    let at = text[at..].find('=').map(|found| found + at).filter(|at| *at > 0).ok_or("expected NAME=VALUE")?;
    let value = &text[at + 1..];
    Ok((text[..at].to_owned(), serde_json::from_str(value).unwrap_or_else(|_| Value::from(value))))
}

impl SelectFormat {
    /// Whether a definition is compiled.
    pub fn builds(&self) -> bool {
        self.file.is_none()
    }

    fn source(&self, cx: &mut Ctx) -> Result<Source> {
        if let Some(file) = &self.file {
            return Ok(Source { file: file.clone(), built: None });
        }
        let built = callback::build(cx, &self.args)?;
        Ok(Source { file: built.ini.clone(), built: Some(built) })
    }

    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let from = self.source(cx)?;
        let library = load_good(cx, &from.file)?;
        let op = choose(&library, &from.file, self.op.as_deref())?;
        let operator = Operator::of(op);
        self.arguments_fit(&operator)?;
        let dynamic = self.dynamic || self.inputs.iter().flatten().any(|(_, dims)| dims.iter().any(|dim| *dim < 0));
        let asked = operator.formats == Formats::Callback;
        let mut findings = None;
        let lanes = match (self.text(cx, &operator, from.built.as_ref().filter(|_| asked))?, asked) {
            (Some(text), true) => {
                let (lanes, found) = opinfo::check_selection(&text, Some(op), dynamic);
                let found = findings.insert(found);
                if let Err(error) = self.accept(found) {
                    return Ok(refused(found, error));
                }
                lanes
            }
            (None, true) => {
                let message = format!("[{}] op_select_format says what it supports: the file has no lists", op.name);
                return Err(failed(Kind::Usage, message).hint(
                    "--impl FILE.py runs it, --op-dir PATH the function of a definition; --result FILE takes what it gave",
                ));
            }
            (given, false) => {
                if let Some(text) = given {
                    let found = findings.insert(opinfo::check_selection(&text, Some(op), dynamic).1);
                    if let Err(error) = self.accept(found) {
                        return Ok(refused(found, error));
                    }
                    let message =
                        format!("the formats are {}: op_select_format is not asked", source(&operator.formats));
                    let finding = Finding::new(Rule::SelectUnused, op.origin, op.line, &op.name, message);
                    out!("{}", finding.text(&from.file.display().to_string()));
                }
                Lanes::of_entry(op, dynamic)
            }
        };
        let shapes = if dynamic { "not known" } else { "known" };
        let count = number(lanes.columns.len(), "column");
        out!("{}: formats {}, shapes {shapes}, {count}", op.name, source(&operator.formats));
        lanes.columns.iter().enumerate().for_each(|(at, column)| out!("  {at}: {}", text(column)));
        let result = SelectFormatResult {
            findings: findings.map(|all| all.iter().map(reported).collect()),
            formats: source(&operator.formats),
            dynamic,
            columns: lanes.columns.iter().map(object).collect(),
            chosen: None,
        };
        Ok(self.choose(&operator, &lanes, result))
    }

    fn arguments_fit(&self, operator: &Operator) -> Result<()> {
        for (what, given, tensors) in
            [("--input", &self.inputs, &operator.inputs), ("--output", &self.outputs, &operator.outputs)]
        {
            if given.len() > tensors.len() {
                let message = format!("{what}: {} are given, [{}] has {}", given.len(), operator.name, tensors.len());
                return Err(failed(Kind::Usage, message));
            }
            for (given, tensor) in given.iter().zip(tensors) {
                let fits = match tensor.param_type.as_str() {
                    "required" => given.len() == 1,
                    "optional" => given.len() <= 1,
                    _ => !given.is_empty(),
                };
                if !fits {
                    let message =
                        format!("{what} of {} (`{}`): it is {}", tensor.place, tensor.name, tensor.param_type);
                    return Err(failed(Kind::Usage, message));
                }
            }
        }
        if let Some((name, _)) =
            self.attributes.iter().find(|pair| !operator.attributes.iter().any(|one| one.name == pair.0))
        {
            return Err(failed(Kind::Usage, format!("--attr {name}: [{}] has no such attribute", operator.name)));
        }
        Ok(())
    }

    /// What op_select_format gives.
    fn text(&self, cx: &Ctx, operator: &Operator, built: Option<&Built>) -> Result<Option<String>> {
        if let Some(file) = &self.result {
            let path = absolute(cx, file);
            return fs::read_to_string(&path).map(Some).with_context(|| format!("cannot read {}", path.display()));
        }
        let Some(file) = &self.implementation else {
            return built.map(|built| callback::call(built, operator, &self.described(operator)?)).transpose();
        };
        let stand_ins: BTreeMap<String, Value> = self.stand_ins.iter().cloned().collect();
        let arguments = self.arguments(operator)?;
        stand_ins::run(&absolute(cx, file), "op_select_format", &arguments, &stand_ins).map(Some)
    }

    /// Inputs, outputs and attributes by position, as the framework calls it.
    fn arguments(&self, operator: &Operator) -> Result<Vec<Value>> {
        let mut arguments: Vec<Value> =
            self.tensors(operator)?.into_iter().map(|(_, tensor, given)| argument(tensor, &given)).collect();
        for one in &operator.attributes {
            arguments.push(self.attribute(one)?);
        }
        Ok(arguments)
    }

    /// The same for a function in C++.
    fn described(&self, operator: &Operator) -> Result<String> {
        let mut described = Described::default();
        for (what, tensor, given) in self.tensors(operator)? {
            described.tensor(what, &tensor.name, &tensor.param_type, &given);
        }
        for one in &operator.attributes {
            let value = self.attribute(one)?;
            if !value.is_null() {
                described.attribute(one, &value)?;
            }
        }
        Ok(described.text().to_owned())
    }

    /// `input` or `output`, the operator's tensor, and what is there for it.
    fn tensors<'a>(&self, operator: &'a Operator) -> Result<Vec<(&'static str, &'a Tensor, Parts)>> {
        let mut all = Vec::new();
        for (at, input) in operator.inputs.iter().enumerate() {
            match self.inputs.get(at) {
                Some(given) => all.push(("input", input, given.clone())),
                None if input.param_type == "optional" => all.push(("input", input, Parts::new())),
                None => {
                    let message =
                        format!("op_select_format of {} wants {} (`{}`)", operator.name, input.place, input.name);
                    return Err(
                        failed(Kind::Usage, message).hint("--input TYPE:FORMAT:SHAPE once for every input, in order")
                    );
                }
            }
        }
        let first = self.inputs.iter().find(|given| !given.is_empty());
        for (at, output) in operator.outputs.iter().enumerate() {
            all.push(("output", output, self.outputs.get(at).or(first).cloned().unwrap_or_default()));
        }
        Ok(all)
    }

    fn attribute(&self, one: &Attribute) -> Result<Value> {
        if let Some((_, value)) = self.attributes.iter().find(|pair| pair.0 == one.name) {
            return Ok(value.clone());
        }
        match &one.default {
            Some(default) if !one.required => {
                let lower = default.to_ascii_lowercase();
                Ok(if one.kind == "str" {
                    Value::from(default.as_str())
                } else {
                    serde_json::from_str(&lower).unwrap_or_else(|_| Value::from(default.as_str()))
                })
            }
            None if !one.required => Ok(Value::Null),
            _ => Err(failed(Kind::Usage, format!("op_select_format wants the required attribute {}", one.name))
                .hint(format!("--attr {}=VALUE", one.name))),
        }
    }

    /// Warnings are printed, errors are refused.
    fn accept(&self, findings: &[Finding]) -> Result<()> {
        let name = match (&self.result, &self.implementation) {
            (Some(file), _) => file.clone(),
            (None, Some(file)) => PathBuf::from(format!("{}: op_select_format", file.display())),
            (None, None) => PathBuf::from("the function of SetOpSelectFormat"),
        };
        refuse(findings, &name)?;
        findings.iter().for_each(|finding| out!("{}", finding.text(&name.display().to_string())));
        Ok(())
    }

    fn choose(&self, operator: &Operator, lanes: &Lanes, result: SelectFormatResult) -> Done {
        if self.inputs.is_empty() {
            let count = number(lanes.columns.len(), "column");
            return Done::with(&result).verdict(format!("opinfo select-format: {count}"));
        }
        // The parts of a dynamic tensor share its column.
        let given: Vec<Option<Given>> =
            self.inputs.iter().map(|parts| parts.first().map(|part| part.0.clone())).collect();
        let Some((at, column)) = opinfo::resolve(lanes, &given) else {
            let types: Vec<&str> = given.iter().map(|one| one.as_ref().map_or("-", |one| one.dtype.as_str())).collect();
            let message = format!("[{}] no column has the data types {}", operator.name, types.join(", "));
            return Done::with(&SelectFormatResult { chosen: Some(None), ..result }).failed(
                failed(Kind::Style, message)
                    .hint("the framework may insert a Cast, by its precision_mode; that is not modelled here"),
            );
        };
        out!("chosen: {at}: {}", text(column));
        for ((place, _, format), given) in column.tensors.iter().zip(&given) {
            if let (Some(format), Some(given)) = (format, given)
                && *format != given.format
            {
                out!("  {place}: a TransData from {} to {format} goes before it", given.format);
            }
        }
        let chosen = Some(Some(ChosenColumn { column: at, tensors: object(column) }));
        let verdict = format!("opinfo select-format: column {at} of {}", lanes.columns.len());
        Done::with(&SelectFormatResult { chosen, ..result }).verdict(verdict)
    }
}

fn refused(findings: &[Finding], error: anyhow::Error) -> Done {
    Done::with(&SelectFormatRefused { findings: findings.iter().map(reported).collect() }).failed(error)
}

/// A tensor as TBE functions take it.
fn argument(tensor: &Tensor, given: &Parts) -> Value {
    let one = |(given, dims): &(Given, Vec<i64>)| {
        let range: Vec<Value> =
            dims.iter().map(|dim| if *dim < 0 { json!([0, null]) } else { json!([dim, dim]) }).collect();
        json!({
            "shape": dims,
            "ori_shape": dims,
            "format": given.format,
            "ori_format": given.format,
            "dtype": given.dtype,
            "range": range,
            "param_name": tensor.name,
        })
    };
    match given.as_slice() {
        [] => Value::Null,
        parts if tensor.param_type == "dynamic" => parts.iter().map(one).collect(),
        [first, ..] => one(first),
    }
}

fn text(column: &Column) -> String {
    let tensor = |(place, dtype, format): &(String, String, Option<String>)| match format {
        Some(format) => format!("{place} {dtype} {format}"),
        None => format!("{place} {dtype}"),
    };
    let tensors: Vec<String> = column.tensors.iter().map(tensor).collect();
    let fallback = if column.fallback == Some(true) { ", falls back" } else { "" };
    format!("{}{fallback}", tensors.join(", "))
}

fn object(column: &Column) -> FormatColumn {
    let tensor = |(place, dtype, format): &(String, String, Option<String>)| ColumnTensor {
        tensor: place.clone(),
        dtype: dtype.clone(),
        format: format.clone(),
    };
    FormatColumn { tensors: column.tensors.iter().map(tensor).collect(), fallback: column.fallback }
}
