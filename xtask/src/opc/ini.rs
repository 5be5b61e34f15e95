//! The op info library: `aic-<soc>-ops-info.ini` as op_build writes it, and upstream's ini -> json rules
//! (parse_ini_to_json.py).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::dtype;

/// One section: keys in file order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    pub name: String,
    keys: Vec<(String, String)>,
    /// Columns that become kernels where `<op>_binary.json` chooses them.
    chosen: Option<BTreeSet<usize>>,
    /// What the columns that were left out have: the host toolkit does not model it.
    pub skipped: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    pub name: String,
    pub param_type: String,
    /// One entry per column.
    pub dtypes: Vec<String>,
    pub formats: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attr {
    pub name: String,
    pub kind: String,
    pub default: Option<String>,
}

pub fn read(path: &Path) -> Result<Vec<Op>> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| format!("{} is no op info library", path.display()))
}

pub fn parse(text: &str) -> Result<Vec<Op>> {
    let mut ops: Vec<Op> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        let at = index + 1;
        if line.is_empty() || line.starts_with('#') || line.starts_with(';') {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            ensure!(ops.iter().all(|op| op.name != name), "line {at}: op {name} is there twice");
            ops.push(Op { name: name.to_owned(), keys: Vec::new(), chosen: None, skipped: BTreeSet::new() });
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { bail!("line {at}: neither [Op] nor key=value: {line}") };
        let (key, value) = (key.trim(), value.trim());
        let Some(op) = ops.last_mut() else { bail!("line {at}: {key} stands before the first [Op]") };
        ensure!(op.get(key).is_none(), "line {at}: [{}] has {key} twice", op.name);
        ensure!(key.contains('.'), "line {at}: {key} is not of the form group.key");
        op.keys.push((key.to_owned(), value.to_owned()));
    }
    for op in &mut ops {
        op.skip_foreign()?;
        op.check()?;
    }
    Ok(ops)
}

impl Op {
    pub fn get(&self, key: &str) -> Option<&str> {
        self.keys.iter().find(|entry| entry.0 == key).map(|entry| entry.1.as_str())
    }

    /// Base name of the kernel's file and directory.
    pub fn file(&self) -> Result<&str> {
        self.get("opFile.value").with_context(|| format!("[{}] has no opFile.value", self.name))
    }

    /// Name of the kernel function.
    pub fn interface(&self) -> Result<&str> {
        self.get("opInterface.value").map_or_else(|| self.file(), Ok)
    }

    pub fn inputs(&self) -> Result<Vec<Tensor>> {
        self.tensors("input")
    }

    pub fn outputs(&self) -> Result<Vec<Tensor>> {
        self.tensors("output")
    }

    fn tensors(&self, kind: &str) -> Result<Vec<Tensor>> {
        let mut found = Vec::new();
        while let Some(name) = self.get(&format!("{kind}{}.name", found.len())) {
            let field = |key: &str| self.get(&format!("{kind}{}.{key}", found.len()));
            let list = |key: &str| -> Vec<String> {
                field(key).map(|text| text.split(',').map(|item| item.trim().to_owned()).collect()).unwrap_or_default()
            };
            let dtypes = list("dtype");
            let mut formats = list("format");
            if formats.is_empty() {
                formats = vec!["ND".to_owned(); dtypes.len()];
            }
            found.push(Tensor {
                name: name.to_owned(),
                param_type: field("paramType").unwrap_or("required").to_owned(),
                dtypes,
                formats,
            });
        }
        Ok(found)
    }

    pub fn attrs(&self) -> Vec<Attr> {
        let list = self.get("attr.list").unwrap_or_default();
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        names
            .map(|name| {
                let field = |key: &str| self.get(&format!("attr_{name}.{key}")).map(str::to_owned);
                Attr { name: name.to_owned(), kind: field("type").unwrap_or_default(), default: field("defaultValue") }
            })
            .collect()
    }

    /// Number of the kernel function's parameters: the tensors, the shapes that the kernel computes, workspace, tiling.
    pub fn parameters(&self) -> Result<usize> {
        let computed = (0..self.outputs()?.len())
            .any(|index| self.get(&format!("output{index}.outputShapeDependOnCompute")) == Some("true"));
        Ok(self.inputs()?.len() + self.outputs()?.len() + usize::from(computed) + 2)
    }

    /// Number of dtype/format combinations.
    pub fn columns(&self) -> Result<usize> {
        Ok(self.outputs()?.first().map_or(0, |tensor| tensor.dtypes.len()))
    }

    /// From now on kernels are made of these columns only; the op info library keeps them all.
    pub fn choose(&mut self, columns: BTreeSet<usize>) {
        self.chosen = Some(columns);
    }

    pub fn is_chosen(&self, column: usize) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.contains(&column))
    }

    /// Takes the columns out that name a type or format of CANN which the host toolkit does not model.
    fn skip_foreign(&mut self) -> Result<()> {
        let tensors: Vec<Tensor> = self.inputs()?.into_iter().chain(self.outputs()?).collect();
        let columns = self.columns()?;
        let foreign = |column: usize| {
            let of = |list: &Vec<String>| list.get(column).filter(|token| dtype::is_foreign(token)).cloned();
            tensors.iter().flat_map(|tensor| [of(&tensor.dtypes), of(&tensor.formats)]).flatten().collect::<Vec<_>>()
        };
        let mut drop = BTreeSet::new();
        for column in 0..columns {
            let names = foreign(column);
            if !names.is_empty() {
                drop.insert(column);
                self.skipped.extend(names);
            }
        }
        if drop.is_empty() {
            return Ok(());
        }
        let names = self.skipped.iter().cloned().collect::<Vec<_>>().join(", ");
        ensure!(
            drop.len() < columns,
            "[{}] every column has a type or format that is not modelled: {names}",
            self.name
        );
        for (key, value) in &mut self.keys {
            let Some((group, field)) = key.split_once('.') else { continue };
            let of_tensor = group.starts_with("input") || group.starts_with("output");
            if of_tensor && (field == "dtype" || field == "format" || field == "unknownshape_format") {
                let kept = value.split(',').enumerate().filter(|(column, _)| !drop.contains(column));
                *value = kept.map(|(_, token)| token).collect::<Vec<_>>().join(",");
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let op = &self.name;
        let (inputs, outputs) = (self.inputs()?, self.outputs()?);
        ensure!(!outputs.is_empty(), "[{op}] has no output0.name");
        let columns = self.columns()?;
        ensure!(columns > 0, "[{op}] output0.dtype is missing");
        for tensor in inputs.iter().chain(&outputs) {
            let (name, kind) = (&tensor.name, &tensor.param_type);
            ensure!(
                ["required", "optional", "dynamic"].contains(&kind.as_str()),
                "[{op}] {name}.paramType is `{kind}`; allowed are required, optional, dynamic"
            );
            for (what, list) in [("dtype", &tensor.dtypes), ("format", &tensor.formats)] {
                ensure!(
                    list.len() == columns,
                    "[{op}] {name} has {} {what} entries, output0 has {columns}",
                    list.len()
                );
            }
            for token in &tensor.dtypes {
                ensure!(
                    dtype::dtype(token).is_some(),
                    "[{op}] {name} has the dtype `{token}`, which the host toolkit does not know"
                );
            }
            for format in &tensor.formats {
                ensure!(
                    dtype::format_code(format).is_some(),
                    "[{op}] {name} has the format `{format}`; the host toolkit has plain formats only, for example ND"
                );
            }
        }
        for attr in self.attrs() {
            ensure!(
                !attr.kind.is_empty(),
                "[{op}] attr.list names {}, but attr_{}.type is missing",
                attr.name,
                attr.name
            );
        }
        for (key, value) in self.keys.iter().filter(|entry| entry.0.ends_with(".flag") && entry.0 != "jitCompile.flag")
        {
            ensure!(value == "true" || value == "false", "[{op}] {key} is `{value}`; allowed are true and false");
        }
        Ok(())
    }

    /// `a.b=v` becomes `{"a":{"b":"v"}}`; every value stays a string, kernelSrc is dropped.
    fn tree(&self) -> BTreeMap<&str, BTreeMap<&str, &str>> {
        let mut tree: BTreeMap<&str, BTreeMap<&str, &str>> = BTreeMap::new();
        for (key, value) in &self.keys {
            if let Some((group, key)) = key.split_once('.')
                && group != "kernelSrc"
            {
                tree.entry(group).or_default().insert(key, value);
            }
        }
        tree
    }
}

/// The text of `aic-<soc>-ops-info.json`: sorted keys, indent 4, no blank behind colons.
pub fn to_json(ops: &[Op]) -> Result<String> {
    let mut all = BTreeMap::new();
    for op in ops {
        ensure!(all.insert(op.name.as_str(), op.tree()).is_none(), "two op directories define the op {}", op.name);
    }
    let value: Value = serde_json::to_value(&all).context("cannot convert the op info library")?;
    // Values are strings, so a line's first `": ` is the one behind its key.
    let pretty = super::meta::pretty(&value)?;
    Ok(pretty.lines().map(|line| line.replacen("\": ", "\":", 1)).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
#[path = "ini_tests.rs"]
pub(crate) mod tests;
