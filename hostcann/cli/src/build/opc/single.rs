//! `<toolkit>/bin/opc`, as scripts of projects call it: one column of an operator, compiled as the entry says that the
//! project's own ascendc_impl_build.py wrote.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use hostcann_types::soc::FAMILIES;
use serde::Deserialize;
use serde_json::Value;

use super::KernelArgs;
use super::compile::Compiler;
use super::ini::{self, Op};
use super::meta::{self, Column};
use super::refuse;
use super::texts;
use crate::base::diag::{HintExt, Kind, failed, failed_with};
use crate::base::files;
use crate::base::term::err;

/// Reads the entry's wishes.
const ENTRY: &str = include_str!("entry.py");

/// What changes nothing here: the device's code generator, and modes of which there is one.
const WITHOUT_MEANING: [&str; 9] = [
    "--impl_mode",
    "--simplified_key_mode",
    "--op_mode",
    "--op_debug_config",
    "--op_debug_level",
    "--debug_dir",
    "--deterministic",
    "--optional_input_mode",
    "--log",
];

struct Line {
    entry: PathBuf,
    function: String,
    param: PathBuf,
    soc: String,
    output: PathBuf,
    /// The toolkit: `<toolkit>/bin/opc` gives it
    root: PathBuf,
    /// Only these of the kernel's
    keys: Option<BTreeSet<u64>>,
}

/// `inputs` and `outputs` of one entry of op_list, as the device's compiler gets them.
#[derive(Deserialize)]
struct Node {
    bin_filename: String,
    inputs: Vec<Value>,
    outputs: Vec<Value>,
    #[serde(default)]
    attrs: Value,
}

#[derive(Deserialize)]
struct Param {
    op_type: String,
    op_list: Vec<Node>,
}

/// What the entry hands to compile_op.
#[derive(Deserialize)]
struct Asked {
    source: PathBuf,
    function: String,
    options: Vec<String>,
    computed: Vec<usize>,
}

/// The words after `opc`, where they name an entry: no other command here takes a file of Python.
pub fn words() -> Option<Vec<String>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (verb, words) = words.split_first()?;
    (verb == "opc" && is_line(words)).then(|| words.to_vec())
}

fn is_line(words: &[String]) -> bool {
    words.iter().any(|word| word.ends_with(".py"))
}

pub fn run(words: &[String]) -> Result<()> {
    let line = parse(words)?;
    let text = fs::read_to_string(&line.param).with_context(|| format!("cannot read {}", line.param.display()))?;
    let param: Param = serde_json::from_str(&text)
        .with_context(|| format!("{} has no op_type and op_list as opc reads them", line.param.display()))?;
    let node = param.op_list.first().with_context(|| format!("{}: op_list is empty", line.param.display()))?;
    let work = tempfile::tempdir().context("cannot create a directory for the compiler")?;
    let asked = ask(&line, work.path())?;
    ensure_source(&asked)?;
    let op = operator(&param.op_type, node, &asked)?;
    let args = arguments(&line, &op, asked, work.path())?;
    compile(&line, &op, node, &args)
}

fn parse(words: &[String]) -> Result<Line> {
    let mut found = Line {
        entry: PathBuf::new(),
        function: String::new(),
        param: PathBuf::new(),
        soc: String::new(),
        output: PathBuf::from("."),
        root: PathBuf::new(),
        keys: None,
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            found.entry = PathBuf::from(word);
            continue;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => (word.as_str(), words.next().cloned().unwrap_or_default()),
        };
        match name {
            "--main_func" => found.function = value,
            "--input_param" => found.param = PathBuf::from(value),
            "--soc_version" => found.soc = value,
            "--output" => found.output = PathBuf::from(value),
            "--root" => found.root = PathBuf::from(value),
            "--tiling_key" => {
                let key = |text: &str| {
                    text.trim().parse::<u64>().with_context(|| format!("--tiling_key: `{text}` is no number"))
                };
                found.keys = Some(value.split(',').map(key).collect::<Result<_>>()?);
            }
            _ if WITHOUT_MEANING.contains(&name) => {}
            _ => err!("warning: opc: {name} changes nothing here"),
        }
    }
    for (value, name) in [(&found.function, "--main_func"), (&found.soc, "--soc_version")] {
        ensure!(!value.is_empty(), "opc: {name} is missing");
    }
    let soc = found.soc.to_ascii_lowercase();
    if !FAMILIES.iter().any(|family| soc.starts_with(family)) {
        return Err(failed(
            Kind::UnknownSoc,
            format!("opc: --soc_version={}: the host toolkit models {}", found.soc, FAMILIES.join(" and ")),
        )
        .hint("name one of them in ASCEND_COMPUTE_UNIT (CMakePresets.json), with an AddConfig in the definition"));
    }
    Ok(found)
}

fn ask(line: &Line, work: &Path) -> Result<Asked> {
    let answer = work.join("asked.json");
    let python = std::env::var("HI_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(&python);
    command.args(["-B", "-c", ENTRY]).arg(&line.entry).arg(&line.function).arg(&line.param).arg(&line.soc).arg(&answer);
    let output = command.stdin(Stdio::null()).output().map_err(|error| {
        failed(Kind::Tool, format!("`{python}` does not run: {error}")).hint("HI_PYTHON names a Python 3")
    })?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(failed_with(Kind::Build, format!("{} failed in {python}", line.entry.display()), text)
            .hint("opc calls the function of --main_func with what --input_param describes"));
    }
    let text = fs::read_to_string(&answer).with_context(|| format!("cannot read {}", answer.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{}: compile_op got something else", line.entry.display()))
}

fn ensure_source(asked: &Asked) -> Result<()> {
    if asked.source.is_file() {
        return Ok(());
    }
    Err(failed(Kind::Build, format!("the kernel {} does not exist", asked.source.display()))
        .hint("name the kernel file after the op or give ExtendCfgInfo(\"opFile.value\", \"<stem>\") for this SoC"))
}

/// As an op info library would describe it, with this column only.
fn operator(op_type: &str, node: &Node, asked: &Asked) -> Result<Op> {
    let mut text = format!("[{op_type}]\n");
    for (kind, tensors) in [("input", &node.inputs), ("output", &node.outputs)] {
        for (index, tensor) in tensors.iter().enumerate() {
            // A dynamic tensor is described in a list of one.
            let tensor = tensor.get(0).unwrap_or(tensor);
            for (key, member) in
                [("name", "name"), ("dtype", "dtype"), ("format", "format"), ("paramType", "paramType")]
            {
                let value = tensor[member].as_str().unwrap_or_default();
                let _ = writeln!(text, "{kind}{index}.{key}={value}");
            }
            if kind == "output" && asked.computed.contains(&index) {
                let _ = writeln!(text, "output{index}.outputShapeDependOnCompute=true");
            }
        }
    }
    let file = asked.source.file_stem().unwrap_or_default().to_string_lossy();
    let _ = writeln!(text, "opFile.value={file}\nopInterface.value={}", asked.function);
    ini::parse(&text)?.pop().context("one operator")
}

fn arguments(line: &Line, op: &Op, asked: Asked, work: &Path) -> Result<KernelArgs> {
    let kernel_dir = asked.source.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut options = texts::options(&kernel_dir, std::slice::from_ref(&asked.source))?;
    options.extend(texts::complex_types_of(op, &kernel_dir)?);
    let mut includes = texts::siblings(&kernel_dir, &work.join("beside"))?;
    includes.push(line.root.join("include/op_common"));
    let mut words = asked.options.iter().flat_map(|option| option.split_whitespace());
    while let Some(word) = words.next() {
        let is_type = ["-DDTYPE_", "-DORIG_DTYPE_", "-DFORMAT_"].iter().any(|start| word.starts_with(start));
        if let Some(dir) = word.strip_prefix("-I") {
            includes.extend(Some(PathBuf::from(dir)).filter(|dir| dir.is_dir()));
        } else if word == "-include" {
            options.extend([word.to_owned(), words.next().unwrap_or_default().to_owned()]);
        } else if word.starts_with("-D") && !is_type || word.starts_with("-U") {
            options.push(word.to_owned());
        }
    }
    Ok(KernelArgs {
        def_ini: Vec::new(),
        op_type: None,
        combinations: Vec::new(),
        soc: vec![line.soc.clone()],
        kernel_src: vec![(line.soc.clone(), asked.source)],
        kernel_dir,
        options,
        out: line.output.clone(),
        work: work.to_path_buf(),
        tiling_structs: structs(&op.name, &line.root, work)?,
        root: line.root.clone(),
        includes,
        debug: asked.options.iter().any(|option| option.split_whitespace().any(|word| word == "-O0")),
        depfile: work.join("d"),
        stamp: work.join("stamp"),
        jobs: Some(1),
    })
}

/// The kernel's view of tiling data that a macro of the host describes, from the first package that describes some. The
/// packages are those of the environment: projects put their library there.
fn structs(op_type: &str, root: &Path, work: &Path) -> Result<Option<PathBuf>> {
    let header = work.join("tiling_structs.h");
    for library in tiling_libraries(root) {
        let mut command = Command::new(root.join("tools/opbuild/tiling_structs"));
        let output = command.arg(&library).arg(op_type).arg(&header).output();
        let output = output.with_context(|| format!("cannot run {}", command.get_program().to_string_lossy()))?;
        if !output.status.success() {
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(failed_with(Kind::Build, format!("{}: tiling data of {op_type}", library.display()), text));
        }
        if fs::metadata(&header).is_ok_and(|meta| meta.len() > 0) {
            return Ok(Some(header));
        }
    }
    Ok(None)
}

fn tiling_libraries(root: &Path) -> Vec<PathBuf> {
    let custom = std::env::var_os("ASCEND_CUSTOM_OPP_PATH").unwrap_or_default();
    let mut packages: Vec<PathBuf> = std::env::split_paths(&custom).collect();
    let opp = std::env::var_os("ASCEND_OPP_PATH").map_or_else(|| root.join("opp"), PathBuf::from);
    let mut installed: Vec<PathBuf> =
        fs::read_dir(opp.join("vendors")).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    installed.sort();
    packages.extend(installed);
    let library = |package: &PathBuf| package.join("op_impl/ai_core/tbe/op_tiling/liboptiling.so");
    packages.iter().map(library).filter(|path| path.is_file()).collect()
}

fn compile(line: &Line, op: &Op, node: &Node, args: &KernelArgs) -> Result<()> {
    let given = Column::given(&node.bin_filename, &node.inputs, &node.outputs, &node.attrs);
    let source = args.kernel_src.first().map(|(_, path)| path.as_path());
    let mut built = Compiler::new(op, args, source)?.build(&given)?;
    // Without the library that reads device code, every column of a project would say so.
    if std::env::var_os("LIBCLANG_PATH").is_some() {
        refuse::check(args, std::iter::once(&built))?;
    }
    if let Some(keys) = &line.keys {
        built.keys.retain(|key| keys.contains(key));
        // The words for which scripts look.
        ensure!(!built.keys.is_empty(), "None of the given tiling keys are in the supported list");
    }
    let object = fs::read(&built.object).with_context(|| format!("cannot read {}", built.object.display()))?;
    files::copy_if_changed(&built.object, &line.output.join(format!("{}.o", given.name)))?;
    let json = meta::pretty(&given.kernel_json(op, &built.keys, &object)?)?;
    files::write_if_changed(&line.output.join(format!("{}.json", given.name)), json.as_bytes()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn command_lines_of_scripts() {
        let line = words(
            "Fill.py --main_func=fill --input_param=/b/p.json --soc_version=Ascend910B1 --output=/o \
             --impl_mode=high_performance,optional --simplified_key_mode=0 --op_mode=dynamic --tiling_key=1,2",
        );
        assert!(is_line(&line) && !is_line(&words("kernel --soc ascend910b")));
        let line = parse(&line).expect("line");
        assert_eq!((line.function.as_str(), line.soc.as_str()), ("fill", "Ascend910B1"));
        assert_eq!((line.param, line.output), (PathBuf::from("/b/p.json"), PathBuf::from("/o")));
        assert_eq!(line.keys, Some(BTreeSet::from([1, 2])));
        let error = |line: &str| parse(&words(line)).err().map(|error| error.root_cause().to_string());
        let soc = error("a.py --main_func=a --soc_version Ascend310P3");
        assert!(soc.is_some_and(|text| text.contains("Ascend310P3: the host toolkit models ascend910b")));
        assert_eq!(error("a.py --main_func=a").as_deref(), Some("opc: --soc_version is missing"));
    }

    #[test]
    fn entries_say_what_to_compile() {
        let temp = tempfile::tempdir().expect("temp dir");
        let dir = temp.path();
        let entry = "from tbe.common.utils import para_check\nfrom tbe.common.platform import get_soc_spec\n\
                     from tbe.tikcpp import compile_op, OpInfo\n\
                     from tbe.tikcpp.compile_op import CommonUtility, AscendCLogLevel\n\
                     from impl.util.platform_adapter import tbe_register\n\
                     @tbe_register.register_operator('A', trans_bool_to_s8=False)\n\
                     @para_check.check_op_params(para_check.REQUIRED_INPUT, para_check.KERNEL_NAME)\n\
                     def a(x, y, n, kernel_name='a', impl_mode=''):\n\
                     \x20   CommonUtility.print_compile_log('', 'text', AscendCLogLevel.LOG_INFO)\n\
                     \x20   assert x[0]['dtype'] == 'int8' and y['param_name'] == 'y' and n == 3 and kernel_name == 'A_0'\n\
                     \x20   info = OpInfo(kernel_name=kernel_name, output_shape_depend_on_compute=[0])\n\
                     \x20   compile_op('/k/a.cpp', 'a', info, ['-DSOC=' + get_soc_spec('SHORT_SOC_VERSION')], None, '{}')\n";
        fs::write(dir.join("a.py"), entry).expect("write");
        let param = r#"{"op_type": "A", "op_list": [{"bin_filename": "A_0", "inputs": [[{"name": "x", "dtype": "int8",
            "format": "ND", "paramType": "dynamic"}]], "outputs": [{"name": "y", "dtype": "int8", "format": "ND",
            "paramType": "required"}], "attrs": [{"name": "n", "dtype": "int", "value": 3}]}]}"#;
        fs::write(dir.join("p.json"), param).expect("write");
        let line = format!(
            "{0}/a.py --main_func=a --input_param={0}/p.json --soc_version=Ascend910B1 --output={0}",
            dir.display()
        );
        let line = parse(&words(&line)).expect("line");
        let asked = ask(&line, dir).expect("asked");
        assert_eq!((asked.source.as_path(), asked.function.as_str()), (Path::new("/k/a.cpp"), "a"));
        assert_eq!((asked.options.join(" "), &asked.computed[..]), ("-DSOC=Ascend910B".to_owned(), &[0][..]));
        let param: Param = serde_json::from_str(param).expect("param");
        let op = operator("A", &param.op_list[0], &asked).expect("op");
        assert_eq!(op.parameters().expect("parameters"), 5, "x, y, its shape, workspace, tiling");
        assert!(ensure_source(&asked).expect_err("no such file").to_string().contains("name the kernel file"));
        fs::write(dir.join("a.py"), "def a(*_): pass").expect("write");
        let error = ask(&line, dir).err().map(|error| error.root_cause().to_string());
        assert!(error.is_some_and(|text| text.ends_with("a.py failed in python3")));
    }
}
