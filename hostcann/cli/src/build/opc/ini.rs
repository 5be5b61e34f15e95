//! What kernels are compiled from: the entries of `aic-<soc>-ops-info.ini` that the host toolkit can model. Text and rules
//! of the format are the crate `opinfo`'s.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use opinfo::{Library, Profile};

use super::dtype;

/// One section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    pub name: String,
    /// With the columns that the host toolkit models.
    entry: opinfo::Op,
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
    let library = Library::load(path).with_context(|| format!("cannot read {}", path.display()))?;
    ops(&library, &path.display().to_string()).with_context(|| format!("{} is no op info library", path.display()))
}

#[cfg(test)]
pub fn parse(text: &str) -> Result<Vec<Op>> {
    ops(&Library::of(text.as_bytes(), opinfo::Origin::Ini), "ops-info.ini")
}

fn ops(library: &Library, file: &str) -> Result<Vec<Op>> {
    let findings = library.check(Profile::Any);
    let errors: Vec<String> = opinfo::errors(&findings).map(|finding| finding.text(file)).collect();
    ensure!(errors.is_empty(), "{}", errors.join("\n"));
    library.ops.iter().cloned().map(Op::new).collect()
}

impl Op {
    fn new(entry: opinfo::Op) -> Result<Op> {
        let mut op = Op { name: entry.name.clone(), entry, chosen: None, skipped: BTreeSet::new() };
        op.skip_foreign()?;
        op.check()?;
        Ok(op)
    }

    /// `group.key`
    pub fn get(&self, key: &str) -> Option<&str> {
        let (group, key) = key.split_once('.')?;
        self.entry.get(group, key)
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
        for entry in &mut self.entry.entries {
            let of_tensor = entry.group.starts_with("input") || entry.group.starts_with("output");
            if of_tensor && ["dtype", "format", "unknownshape_format"].contains(&entry.key.as_str()) {
                let kept = entry.value.split(',').enumerate().filter(|(column, _)| !drop.contains(column));
                entry.value = kept.map(|(_, token)| token).collect::<Vec<_>>().join(",");
            }
        }
        Ok(())
    }

    /// What the host toolkit wants beyond the rules of the format.
    fn check(&self) -> Result<()> {
        let op = &self.name;
        let (inputs, outputs) = (self.inputs()?, self.outputs()?);
        ensure!(!outputs.is_empty(), "[{op}] has no output0.name");
        let columns = self.columns()?;
        ensure!(columns > 0, "[{op}] output0.dtype is missing");
        for tensor in inputs.iter().chain(&outputs) {
            let name = &tensor.name;
            ensure!(
                tensor.dtypes.len() == columns,
                "[{op}] {name} has {} dtype entries, output0 has {columns}",
                tensor.dtypes.len()
            );
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
        Ok(())
    }
}

/// The text of `aic-<soc>-ops-info.json`.
pub fn to_json(ops: &[Op]) -> Result<String> {
    let mut names = BTreeSet::new();
    for op in ops {
        ensure!(names.insert(&op.name), "two op directories define the op {}", op.name);
    }
    let entries: Vec<opinfo::Op> = ops.iter().map(|op| op.entry.clone()).collect();
    Ok(opinfo::write_json(&entries))
}

#[cfg(test)]
#[path = "ini_tests.rs"]
pub(crate) mod tests;
