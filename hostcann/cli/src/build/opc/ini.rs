//! What kernels are compiled from: the entries of `aic-<soc>-ops-info.ini` that the host toolkit can model. Text and rules
//! of the format are the crate `opinfo`'s.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
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
    ops(&library, &path.display().to_string())
}

/// Without those that have only data types and formats that are not modelled: another chip's, of which no kernel is built.
pub fn read_known(path: &Path) -> Result<Vec<Op>> {
    let mut library = Library::load(path).with_context(|| format!("cannot read {}", path.display()))?;
    library.ops.retain(|entry| Op::bare(entry.clone()).is_known().unwrap_or(true));
    ops(&library, &path.display().to_string())
}

/// The text of an op info library.
pub fn parse(text: &str) -> Result<Vec<Op>> {
    ops(&Library::of(text.as_bytes(), opinfo::Origin::Ini), "ops-info.ini")
}

fn ops(library: &Library, file: &str) -> Result<Vec<Op>> {
    let findings = library.check(Profile::Any);
    let errors: Vec<String> = opinfo::errors(&findings).map(|finding| finding.text(file)).collect();
    ensure!(errors.is_empty(), "{}", errors.join("\n"));
    // In one line: the first one is what a table of operators shows.
    let one = |op: opinfo::Op| Op::new(op).map_err(|error| anyhow!("{file}: {error:#}"));
    library.ops.iter().cloned().map(one).collect()
}

impl Op {
    fn bare(entry: opinfo::Op) -> Op {
        Op { name: entry.name.clone(), entry, chosen: None, skipped: BTreeSet::new() }
    }

    fn new(entry: opinfo::Op) -> Result<Op> {
        let mut op = Op::bare(entry);
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

    /// Number of dtype/format combinations: an op that writes its inputs has no output, one without tensors one kernel.
    pub fn columns(&self) -> Result<usize> {
        let first = self.outputs()?.into_iter().chain(self.inputs()?).next();
        Ok(first.map_or(1, |tensor| tensor.dtypes.len()))
    }

    /// From now on kernels are made of these columns only; the op info library keeps them all.
    pub fn choose(&mut self, columns: BTreeSet<usize>) {
        self.chosen = Some(columns);
    }

    /// Whether a file beside the definition lists what becomes a kernel.
    pub fn is_listed(&self) -> bool {
        self.chosen.is_some()
    }

    pub fn is_chosen(&self, column: usize) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.contains(&column))
    }

    /// What of the column's types and formats is not modelled.
    fn foreign(&self) -> Result<Vec<Vec<String>>> {
        let tensors: Vec<Tensor> = self.inputs()?.into_iter().chain(self.outputs()?).collect();
        let foreign = |column: usize| {
            let of = |list: &Vec<String>| list.get(column).filter(|token| dtype::is_foreign(token)).cloned();
            tensors.iter().flat_map(|tensor| [of(&tensor.dtypes), of(&tensor.formats)]).flatten().collect()
        };
        Ok((0..self.columns()?).map(foreign).collect())
    }

    fn is_known(&self) -> Result<bool> {
        Ok(self.foreign()?.iter().any(Vec::is_empty))
    }

    /// Takes the columns out that name a type or format of CANN which the host toolkit does not model.
    fn skip_foreign(&mut self) -> Result<()> {
        let columns = self.columns()?;
        let mut drop = BTreeSet::new();
        for (column, names) in self.foreign()?.into_iter().enumerate() {
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
            "[{}] every column of the definition has a data type or private format that is not modelled: {names}",
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
        let columns = self.columns()?;
        let first = if outputs.is_empty() { "input0" } else { "output0" };
        ensure!(columns > 0, "[{op}] {first}.dtype is missing");
        for tensor in inputs.iter().chain(&outputs) {
            let name = &tensor.name;
            ensure!(
                tensor.dtypes.len() == columns,
                "[{op}] {name} has {} dtype entries, {first} has {columns}",
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
pub(crate) mod tests {
    use super::*;

    pub(crate) const FMOD: &str = "[Fmod]
input0.name=x1
input0.dtype=float32,float16
input0.format=ND,ND
input0.unknownshape_format=ND,ND
input0.shape=all
input0.paramType=required
input1.name=x2
input1.dtype=float32,float16
input1.format=ND,ND
input1.unknownshape_format=ND,ND
input1.shape=all
input1.paramType=optional
output0.name=y
output0.dtype=float32,float16
output0.format=ND,ND
output0.unknownshape_format=ND,ND
output0.shape=all
output0.paramType=required
attr.list=scalar
attr_scalar.type=float
attr_scalar.value=all
attr_scalar.paramType=optional
attr_scalar.defaultValue=0.0
dynamicCompileStatic.flag=true
prebuildPattern.value=Opaque
coreType.value=AiCore
kernelSrc.value=fmod
opFile.value=fmod
opInterface.value=fmod
";

    #[test]
    fn what_the_kernel_compiler_needs() {
        let op = &parse(FMOD).expect("ini")[0];
        assert_eq!(op.columns().expect("columns"), 2);
        assert_eq!(op.parameters().expect("parameters"), 5);
        let computed = format!("{FMOD}output0.outputShapeDependOnCompute=true\n");
        assert_eq!(parse(&computed).expect("ini")[0].parameters().expect("parameters"), 6);
        let inputs = op.inputs().expect("inputs");
        assert_eq!((inputs[1].name.as_str(), inputs[1].param_type.as_str()), ("x2", "optional"));
        assert_eq!(op.outputs().expect("outputs")[0].dtypes, ["float32", "float16"]);
        let attr = Attr { name: "scalar".into(), kind: "float".into(), default: Some("0.0".into()) };
        assert_eq!(op.attrs(), [attr]);
    }

    #[test]
    fn an_output_is_not_needed() {
        let in_place = "[A]\ninput0.name=x\ninput0.paramType=required\ninput0.dtype=int8,int16\ninput0.format=ND,ND";
        for (text, columns, parameters) in [(in_place, 2, 3), ("[A]\nopFile.value=a", 1, 2)] {
            let op = &parse(text).expect(text)[0];
            assert_eq!(op.columns().expect(text), columns, "{text}");
            assert_eq!(op.parameters().expect(text), parameters, "{text}");
        }
    }

    #[test]
    fn refused() {
        let y = "[A]\noutput0.name=y\noutput0.paramType=required\noutput0.dtype=";
        let cases = [
            ("[A]\ninput0.name=x\ninput0.paramType=required".to_owned(), "[A] input0.dtype is missing"),
            (format!("{y}float33"), "ops-info.ini:4: error OI110: [A] output0.dtype has the data type `float33`"),
            (format!("{y}int8,int8\noutput0.format=ND"), "ops-info.ini:5: error OI114: [A]"),
            (format!("{y}int8\noutput0.format=FRACTAL_NZ"), "not modelled: FRACTAL_NZ"),
            (format!("{y}int8\noutput0.format=MD"), "`MD`"),
            (
                format!("{y}int8,int8\noutput1.name=z\noutput1.paramType=required\noutput1.dtype=int8"),
                "z has 1 dtype entries",
            ),
        ];
        for (text, part) in cases {
            let error = parse(&text).expect_err(&text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn every_error_is_told() {
        let error = parse("[A]\noutput0.name=y\nheavyOp.flag=yes\n").expect_err("two").to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert!(lines[0].starts_with("ops-info.ini:2: error OI104: [A] output0.paramType is missing"), "{error}");
        assert!(lines[1].starts_with("ops-info.ini:3: error OI301: [A] heavyOp.flag is `yes`"), "{error}");
    }

    #[test]
    fn columns_of_other_engines_are_left_out() {
        let text = FMOD
            .replace("dtype=float32,float16", "dtype=float32,hifloat8,float16")
            .replace("format=ND,ND", "format=ND,ND,ND")
            .replacen("format=ND,ND,ND", "format=ND,ND,FRACTAL_NZ", 1);
        let op = &parse(&text).expect("ini")[0];
        assert_eq!(op.columns().expect("columns"), 1);
        assert_eq!(op.inputs().expect("inputs")[0].dtypes, ["float32"]);
        assert_eq!(op.get("input1.unknownshape_format"), Some("ND"));
        assert_eq!(op.skipped.iter().collect::<Vec<_>>(), ["FRACTAL_NZ", "hifloat8"]);
        assert!(parse(FMOD).expect("ini")[0].skipped.is_empty());
    }

    #[test]
    fn operators_of_another_chip_are_left_out() {
        let temp = tempfile::tempdir().expect("temp dir");
        let path = temp.path().join("ops.ini");
        let other = "[Other]\noutput0.name=y\noutput0.paramType=required\noutput0.dtype=hifloat8\noutput0.format=ND\n";
        std::fs::write(&path, format!("{FMOD}\n{other}")).expect("write");
        let names = |ops: Vec<Op>| ops.into_iter().map(|op| op.name).collect::<Vec<_>>();
        assert_eq!(names(read_known(&path).expect("ini")), ["Fmod"]);
        let error = read(&path).expect_err("no column is left").to_string();
        assert!(error.contains("[Other] every column of the definition") && error.contains("hifloat8"), "{error}");
    }

    #[test]
    fn one_op_type_from_two_directories() {
        let ops = [parse(FMOD).expect("ini"), parse(FMOD).expect("ini")].concat();
        assert!(to_json(&ops).expect_err("twice").to_string().contains("two op directories define the op Fmod"));
    }
}
