//! The C++ function that a definition gives to SetOpSelectFormat: built, and called with tensors that are there.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use opinfo::{Attribute, Given, Operator};
use serde_json::Value;

use super::generate::merged;
use super::stand_ins::{LIMIT, ended};
use crate::base::args::OpArgs;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::term::out;
use crate::build::build_ops;
use crate::toolchain::plan::Plan;
use crate::toolchain::root::RootKind;

/// A definition that was built.
pub struct Built {
    /// Its entry in the op information library
    pub ini: PathBuf,
    program: PathBuf,
    plugin: PathBuf,
}

/// Builds nothing but the definition, for the first SoC of the run.
pub fn build(cx: &mut Ctx, args: &OpArgs) -> Result<Built> {
    let plan = Plan::new(cx, args)?;
    if plan.root.kind == RootKind::Cann {
        let message = format!("{} is a real CANN: its own framework runs callbacks", plan.root.path.display());
        return Err(failed(Kind::Usage, message).hint("unset ASCEND_HOME_PATH to use the embedded host toolkit"));
    }
    let ([op], [soc, ..]) = (plan.ops.as_slice(), plan.socs.as_slice()) else {
        return Err(failed(Kind::Usage, format!("select-format is about one operator, these are {}", plan.op_names()))
            .hint("name it: --op-dir PATH or --ops OP"));
    };
    let generated = build_ops::infos(cx, &plan)?;
    let name = format!("aic-{soc}-ops-info.ini");
    let ini = cx.project.work().join("select-format").join(&op.name).join(&name);
    files::write_if_changed(&ini, merged(&generated, &name)?.as_bytes())?;
    out!("{} for {soc}: {}", op.name, cx.project.show(&ini));
    let plugin = generated.join("..").join(format!("libop_def_{}.so", op.name));
    Ok(Built { ini, program: plan.root.path.join("tools/opbuild/op_callback"), plugin })
}

/// What the function gives, in a process of its own.
pub fn call(built: &Built, operator: &Operator, described: &str) -> Result<String> {
    let temp = tempfile::tempdir().context("cannot make a temporary directory")?;
    let at = |name: &str| temp.path().join(name);
    std::fs::write(at("described.txt"), described).context("cannot write into a temporary directory")?;
    let mut command = Command::new(&built.program);
    command.arg(&built.plugin).arg(&operator.name).arg(at("described.txt")).arg(at("result.json"));
    let errors = std::fs::File::create(at("errors.txt")).context("cannot write into a temporary directory")?;
    command.current_dir(temp.path()).stderr(errors);
    let mut child = command.spawn().with_context(|| format!("cannot run {}", built.program.display()))?;
    let Some(status) = ended(&mut child, LIMIT)? else {
        let message = format!("the function of SetOpSelectFormat has not come back after {} s", LIMIT.as_secs());
        return Err(failed(Kind::Tests, message));
    };
    if status.success() {
        return std::fs::read_to_string(at("result.json")).context("op_callback wrote no result");
    }
    let said = std::fs::read_to_string(at("errors.txt")).unwrap_or_default();
    let last = said.lines().last().unwrap_or("it said nothing");
    Err(failed(
        Kind::Tests,
        format!("[{}] {} ({status})", operator.name, last.trim_start_matches("op_callback: error: ")),
    ))
}

/// The parts of one tensor: empty if it is not there, several if it is dynamic.
pub type Parts = Vec<(Given, Vec<i64>)>;

/// Tensors and attributes, a line each (nnopbase/gert/operator_content.h).
#[derive(Default)]
pub struct Described {
    text: String,
}

impl Described {
    /// The parts of a dynamic tensor `x` are `x0`, `x1` and so on.
    pub fn tensor(&mut self, what: &str, name: &str, param_type: &str, parts: &Parts) {
        if parts.is_empty() && what == "input" {
            self.line(&["absent", name]);
        }
        for (at, (given, dims)) in parts.iter().enumerate() {
            let name = if param_type == "dynamic" { format!("{name}{at}") } else { name.to_owned() };
            let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
            self.line(&[what, &name, &given.dtype, &given.format, &dims.join(",")]);
        }
    }

    pub fn attribute(&mut self, one: &Attribute, value: &Value) -> Result<()> {
        let wrong = || {
            failed(Kind::Usage, format!("--attr {}: {value} is no {}", one.name, one.kind))
                .hint("numbers, true and false, words, and lists of them in JSON: [1,2]")
        };
        let items: Vec<&Value> = match value {
            _ if !one.kind.starts_with("list") => vec![value],
            Value::Array(items) => items.iter().collect(),
            _ => return Err(wrong()),
        };
        let mut fields = vec!["attr".to_owned(), one.name.clone(), one.kind.clone()];
        for item in items {
            let text = match item {
                Value::String(text) if !text.contains(['\t', '\n']) => text.clone(),
                Value::Number(_) | Value::Bool(_) => item.to_string(),
                Value::Array(numbers) if numbers.iter().all(Value::is_i64) => {
                    numbers.iter().map(Value::to_string).collect::<Vec<_>>().join(",")
                }
                _ => return Err(wrong()),
            };
            fields.push(text);
        }
        self.line(&fields.iter().map(String::as_str).collect::<Vec<_>>());
        Ok(())
    }

    fn line(&mut self, fields: &[&str]) {
        self.text += &format!("{}\n", fields.join("\t"));
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn attribute(kind: &str) -> Attribute {
        Attribute { name: "a".into(), kind: kind.into(), required: false, values: None, default: None }
    }

    #[test]
    fn a_line_for_each() {
        let mut described = Described::default();
        let part = |dims: &[i64]| (Given { dtype: "float16".into(), format: "ND".into() }, dims.to_vec());
        described.tensor("input", "x", "required", &vec![part(&[2, -1])]);
        described.tensor("input", "bias", "optional", &Vec::new());
        described.tensor("input", "y", "dynamic", &vec![part(&[3]), part(&[])]);
        described.tensor("output", "z", "required", &vec![part(&[-2])]);
        for (kind, value) in [
            ("int", json!(7)),
            ("str", json!("two words")),
            ("listBool", json!([true, false])),
            ("listListInt", json!([[1, 2], [], [3]])),
            ("listInt", json!([])),
        ] {
            described.attribute(&attribute(kind), &value).expect("a value");
        }
        let lines = [
            "input\tx\tfloat16\tND\t2,-1",
            "absent\tbias",
            "input\ty0\tfloat16\tND\t3",
            "input\ty1\tfloat16\tND\t",
            "output\tz\tfloat16\tND\t-2",
            "attr\ta\tint\t7",
            "attr\ta\tstr\ttwo words",
            "attr\ta\tlistBool\ttrue\tfalse",
            "attr\ta\tlistListInt\t1,2\t\t3",
            "attr\ta\tlistInt",
        ];
        assert_eq!(described.text(), lines.map(|line| format!("{line}\n")).concat());
        for (kind, value) in [("listInt", json!(1)), ("str", json!("a\tb")), ("int", json!(null)), ("int", json!({}))] {
            assert!(described.attribute(&attribute(kind), &value).is_err(), "{kind} {value}");
        }
    }
}
