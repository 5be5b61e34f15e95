//! g++ on kernels: preprocessing, wrapper translation units, shared objects, dependency files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use hostcann_types::kernel_flags::{ARCH, CODE, MODE, OPERATOR, OPTIMISED, STANDARD};

use super::KernelArgs;
use super::depfile;
use super::dtype;
use super::hints;
use super::ini::{Op, Tensor};
use super::initialisers;
use super::keys;
use super::meta::Column;
use super::registered;
use super::symbols;
use super::texts;
use super::tpl;
use crate::base::diag::{HintExt, Kind, failed, failed_with};
use crate::base::files;
use crate::base::instrument;
use crate::base::proc;
use crate::base::term::err;
use crate::build::commands::Entry;
use crate::build::device::Unit;

/// In place of [`OPTIMISED`].
const DEBUG: [&str; 2] = ["-O0", "-g"];

pub struct Compiler<'a> {
    pub op: &'a Op,
    pub args: &'a KernelArgs,
    /// Instead of <opFile>.cpp in the kernel directory
    source: Option<&'a Path>,
    /// Header with the structs of BEGIN_TILING_DATA_DEF; none where the kernel has the struct itself
    structs: Option<&'a Path>,
}

pub struct Built {
    pub object: PathBuf,
    pub keys: Vec<u64>,
    pub depends: BTreeSet<String>,
    /// What of it would have to run when it is loaded
    pub initialiser: Option<String>,
    /// The same for a strict device compiler
    pub unit: Unit,
    /// Where the column stands in the definition
    pub column: usize,
    pub entry: Entry,
}

impl<'a> Compiler<'a> {
    pub fn new(op: &'a Op, args: &'a KernelArgs, source: Option<&'a Path>) -> Result<Self> {
        let mut compiler = Self { op, args, source, structs: args.tiling_structs.as_deref() };
        let source = compiler.source()?;
        if compiler.structs.is_some() && registered::may_be_own(&source, &args.kernel_dir)? {
            // What another chip registers stands in the same files.
            let structs = compiler.structs.take();
            let text = compiler.preprocessed(&source, &compiler.macros(0)?, |_| {})?;
            if !registered::is_own(&text) {
                compiler.structs = structs;
            }
        }
        Ok(compiler)
    }

    pub fn build(&self, column: &Column) -> Result<Built> {
        let source = self.source()?;
        let macros = self.macros(column.index)?;
        let (calls, mut depends) = self.keys(column, &source, &macros)?;
        let keys = calls.keys().copied().collect();
        let unit = self.unit(column, &source, &macros, &calls, &depends)?;

        let wrapper = self.args.work.join(format!("{}.cpp", column.name));
        let included = self.host_copy(column, &source)?;
        files::write_if_changed(&wrapper, self.wrapper(column, &included, &macros, &calls)?.as_bytes())?;
        let object = self.args.work.join(format!("{}.o", column.name));
        let part = files::with_suffix(&object, ".part");
        let dep = self.args.work.join(format!("{}.d", column.name));
        let mut command = self.compiler();
        command.args(self.flags()).arg("-DASCENDC_TPL_KERNEL").arg("-shared").arg(&wrapper).arg("-o").arg(&part);
        command.args(["-MD", "-MT", "x", "-MF"]).arg(&dep);
        command.arg("-L").arg(self.args.root.join("lib64")).args(["-lascendcl", "-Wl,--no-undefined"]);
        // A kernel with the name of a function of libm, such as fmax, is the one that its own object calls.
        command.arg("-Wl,-Bsymbolic-functions");
        if let Ok(flags) = std::env::var(instrument::KERNEL_FLAGS) {
            command.args(flags.split_whitespace());
        }
        run(command, &format!("compiling {}", source.display()))?;
        fs::rename(&part, &object).with_context(|| format!("cannot write {}", object.display()))?;
        let initialiser = self.initialiser(&object, &wrapper)?;
        depends.extend(depfile::read(&dep)?);
        for made in [&wrapper, &included].into_iter().filter(|made| **made != source) {
            depends.remove(&made.display().to_string());
        }
        Ok(Built {
            object,
            keys,
            depends,
            initialiser,
            unit,
            column: column.index,
            entry: self.entry(&source, &macros),
        })
    }

    /// Asks the optimiser, whatever the object was built with: a device compiler folds at every level.
    fn initialiser(&self, object: &Path, wrapper: &Path) -> Result<Option<String>> {
        let bytes = fs::read(object).with_context(|| format!("cannot read {}", object.display()))?;
        if !symbols::has_initialisers(&bytes).with_context(|| format!("sections of {}", object.display()))? {
            return Ok(None);
        }
        let dump = object.with_extension("optimized");
        let mut command = self.compiler();
        command.args(CODE).args(OPERATOR).args(OPTIMISED).arg("-DASCENDC_TPL_KERNEL").arg("-S").arg(wrapper);
        command.args(["-o", "/dev/null"]).arg(format!("-fdump-tree-optimized={}", dump.display()));
        run(command, &format!("compiling {}", wrapper.display()))?;
        let text = fs::read_to_string(&dump).with_context(|| format!("cannot read {}", dump.display()))?;
        fs::remove_file(&dump).with_context(|| format!("cannot remove {}", dump.display()))?;
        Ok(initialisers::first(&text))
    }

    fn unit(
        &self,
        column: &Column,
        source: &Path,
        macros: &[(String, String)],
        calls: &Calls,
        depends: &BTreeSet<String>,
    ) -> Result<Unit> {
        let (inputs, outputs) = (self.op.inputs()?, self.op.outputs()?);
        let dtypes = |tensor: &Tensor| format!("{} {}", tensor.name, tensor.dtypes[column.index]);
        Ok(Unit {
            name: column.name.clone(),
            dtypes: inputs.iter().chain(&outputs).map(dtypes).collect::<Vec<_>>().join(", "),
            root: self.args.root.clone(),
            kernel_dir: self.args.kernel_dir.clone(),
            source: source.to_path_buf(),
            structs: self.structs.map(Path::to_path_buf),
            includes: self.args.includes.clone(),
            options: ARCH.iter().chain(&MODE).map(|&flag| flag.to_owned()).chain(self.args.options.clone()).collect(),
            macros: macros.to_vec(),
            function: self.op.interface()?.to_owned(),
            parameters: self.op.parameters()?,
            keys: calls.clone().into_iter().collect(),
            files: depends.iter().map(PathBuf::from).collect(),
        })
    }

    fn source(&self) -> Result<PathBuf> {
        let path = match self.source {
            Some(path) => path.to_path_buf(),
            None => self.args.kernel_dir.join(format!("{}.cpp", self.op.file()?)),
        };
        if path.is_file() {
            return Ok(path);
        }
        let mut there: Vec<String> = files::walk(&self.args.kernel_dir)?
            .into_iter()
            .filter(|file| file.extension().is_some_and(|extension| extension == "cpp"))
            .map(|file| file.display().to_string())
            .collect();
        there.sort();
        Err(failed(
            Kind::Build,
            format!(
                "[{}] (opFile.value {}) is to be compiled from {}, which does not exist; {} has: {}",
                self.op.name,
                self.op.file()?,
                path.display(),
                self.args.kernel_dir.display(),
                there.join(", ")
            ),
        )
        .hint("name the kernel file after the op or give ExtendCfgInfo(\"opFile.value\", \"<stem>\") for this SoC"))
    }

    fn compiler(&self) -> Command {
        let mut command = Command::new(proc::cxx_program());
        command.args(proc::cxx_args()).args(proc::colour_flag());
        command.args(STANDARD).args(ARCH).args(MODE).args(&self.args.options).arg("-I").arg(&self.args.kernel_dir);
        if !self.args.debug {
            self.map_prefixes(&mut command);
        }
        // Warnings are about the author's code, not the toolkit's.
        command.arg("-isystem").arg(self.args.root.join("include"));
        for dir in &self.args.includes {
            command.arg("-isystem").arg(dir);
        }
        if let Some(structs) = self.structs {
            command.arg("-include").arg(structs);
        }
        command
    }

    /// Objects name their sources (fault locations) without the build machine's directories; the last match wins.
    fn map_prefixes(&self, command: &mut Command) {
        if let Ok(dir) = std::env::current_dir() {
            command.arg(format!("-ffile-prefix-map={}=.", dir.display()));
        }
        let dirs = [(&self.args.kernel_dir, "op_kernel"), (&self.args.root, "toolkit"), (&self.args.work, "generated")];
        for (dir, name) in dirs {
            command.arg(format!("-ffile-prefix-map={}={name}", dir.display()));
        }
    }

    fn flags(&self) -> impl Iterator<Item = &'static str> {
        let more: &[&str] = if self.args.debug { &DEBUG } else { &OPTIMISED };
        CODE.iter().chain(&OPERATOR).chain(more).copied()
    }

    /// The kernel's own source for a compilation database; the wrapper only includes it.
    fn entry(&self, source: &Path, macros: &[(String, String)]) -> Entry {
        let compiler = self.compiler();
        let mut arguments: Vec<String> = std::iter::once(compiler.get_program())
            .chain(compiler.get_args())
            .map(|argument| argument.to_string_lossy().into_owned())
            .filter(|argument| {
                !argument.starts_with("-fdiagnostics-color") && !argument.starts_with("-ffile-prefix-map")
            })
            .collect();
        arguments.extend(self.flags().map(str::to_owned));
        arguments.push("-DASCENDC_TPL_KERNEL".to_owned());
        arguments.extend(macros.iter().map(|(name, value)| format!("-D{name}={value}")));
        arguments.extend(["-c".to_owned(), source.display().to_string()]);
        Entry { directory: self.args.work.clone(), file: source.to_path_buf(), arguments }
    }

    /// DTYPE_X1 and friends; an output that shares an input's name gets the suffix _REF (ascendc_impl_build.py).
    fn macros(&self, column: usize) -> Result<Vec<(String, String)>> {
        let (inputs, outputs) = (self.op.inputs()?, self.op.outputs()?);
        let mut macros = Vec::new();
        let mut add = |name: String, tensor: &Tensor| -> Result<()> {
            let dtype = dtype::dtype(&tensor.dtypes[column]).context("the dtypes were checked when read")?;
            macros.push((format!("DTYPE_{name}"), dtype.kernel().unwrap_or_default().to_owned()));
            macros.push((format!("ORIG_DTYPE_{name}"), format!("DT_{}", dtype.name())));
            macros.push((format!("FORMAT_{name}"), format!("FORMAT_{}", tensor.formats[column])));
            Ok(())
        };
        for tensor in &inputs {
            add(tensor.name.to_uppercase(), tensor)?;
        }
        for tensor in &outputs {
            let shared = inputs.iter().any(|input| input.name == tensor.name);
            add(format!("{}{}", tensor.name.to_uppercase(), if shared { "_REF" } else { "" }), tensor)?;
        }
        Ok(macros)
    }

    fn preprocessed(
        &self,
        source: &Path,
        macros: &[(String, String)],
        more: impl FnOnce(&mut Command),
    ) -> Result<String> {
        let mut command = self.compiler();
        command.args(["-E", "-P", "-DASCENDC_TPL_PRE"]);
        more(&mut command);
        for (name, value) in macros {
            command.arg(format!("-D{name}={value}"));
        }
        command.arg(source);
        run(command, &format!("preprocessing {}", source.display()))
    }

    /// Key -> template arguments, and the files the answer depends on.
    fn keys(&self, column: &Column, source: &Path, macros: &[(String, String)]) -> Result<(Calls, BTreeSet<String>)> {
        let dep = self.args.work.join(format!("{}.pre.d", column.name));
        let text = self.preprocessed(source, macros, |command| {
            command.args(["-MD", "-MT", "x", "-MF"]).arg(&dep);
        })?;
        registered::check(&text, &source.display().to_string())?;
        if self.args.options.iter().any(|option| option == texts::NO_KEY) {
            let mut command = self.compiler();
            command.args(macros.iter().map(|(name, value)| format!("-D{name}={value}"))).arg(source);
            keys::check_directives(command)?;
        }
        let codes = |tensors: &[Tensor]| -> Vec<u32> {
            let known = tensors.iter().filter_map(|t| dtype::dtype(&t.dtypes[column.index]));
            known.map(|dtype| dtype.number().cast_unsigned()).collect()
        };
        let types = tpl::Column { inputs: codes(&self.op.inputs()?), outputs: codes(&self.op.outputs()?) };
        let depends = depfile::read(&dep)?;
        let found = tpl::expand(&text, &types).with_context(|| format!("tiling keys of {}", source.display()))?;
        if let Some(calls) = found {
            return Ok((calls.into_iter().map(|(key, args)| (key, Some(args))).collect(), depends));
        }
        let function = self.op.interface()?;
        keys::check_entry(&text, function).with_context(|| format!("the kernel of {}", source.display()))?;
        let plain = match keys::literal(&text)? {
            Some(plain) => plain,
            None => self.probe(column, source, macros)?,
        };
        Ok((plain.into_iter().map(|key| (key, None)).collect(), depends))
    }

    /// Keys that are no literals: every TILING_KEY_IS leaves a symbol with its value in an object made for this.
    fn probe(&self, column: &Column, source: &Path, macros: &[(String, String)]) -> Result<BTreeSet<u64>> {
        let object = self.args.work.join(format!("{}.keys.o", column.name));
        let mut command = self.compiler();
        command.args(["-w", "-O0", "-c", "-DHOSTCANN_KEY_PROBE", "-DASCENDC_TPL_KERNEL", "-o"]).arg(&object);
        for (name, value) in macros {
            command.arg(format!("-D{name}={value}"));
        }
        command.arg(self.host_copy(column, source)?);
        run(command, &format!("reading the tiling keys of {}", source.display()))?;
        let bytes = fs::read(&object).with_context(|| format!("cannot read {}", object.display()))?;
        keys::of_object(&bytes).with_context(|| format!("tiling keys of {}", source.display()))
    }

    /// A kernel file that declares arrays of the unified buffer, launches its kernel, or takes the key for a constant is
    /// compiled as a copy that a host compiler takes.
    fn host_copy(&self, column: &Column, source: &Path) -> Result<PathBuf> {
        let bytes = fs::read(source).with_context(|| format!("cannot read {}", source.display()))?;
        let text = String::from_utf8_lossy(&bytes);
        let new = cpptext::key_tests(&cpptext::without_launches(&cpptext::ub_arrays(&text, "__ubuf__", "__ubuf__")));
        if new == text {
            return Ok(source.to_path_buf());
        }
        let copy = self.args.work.join(format!("{}.host.cpp", column.name));
        files::write_if_changed(&copy, format!("#line 1 \"{}\"\n{new}", source.display()).as_bytes())?;
        Ok(copy)
    }

    fn wrapper(&self, column: &Column, source: &Path, macros: &[(String, String)], calls: &Calls) -> Result<String> {
        let function = self.op.interface()?;
        let count = self.op.parameters()?;
        let args: Vec<String> = (0..count).map(|i| format!("static_cast<GM_ADDR>(args[{i}])")).collect();
        let args = args.join(", ");
        let mut text = String::from(
            "// Generated by xtask. One exported function per tiling key around the kernel's own source.\n",
        );
        for (name, value) in macros {
            text.push_str(&format!("#define {name} {value}\n"));
        }
        text.push_str(&format!("#include \"{}\"\n#include \"ascendc/kernel/entry.h\"\n\n", source.display()));
        for (key, template) in calls {
            let template = template.as_ref().map(|args| format!("<{}>", args.join(", "))).unwrap_or_default();
            text.push_str(&format!(
                "extern \"C\" __attribute__((visibility(\"default\"))) void {}_{key}(void* const* args)\n\
                 {{\n    AscendC::hostcann::KernelEntry([&] {{ {function}{template}({args}); }});\n}}\n",
                column.name
            ));
        }
        Ok(text)
    }
}

type Calls = BTreeMap<u64, Option<Vec<String>>>;

fn run(mut command: Command, what: &str) -> Result<String> {
    let program = command.get_program().to_os_string();
    let output = command.output().with_context(|| format!("cannot run `{}`", program.to_string_lossy()))?;
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let error = failed_with(Kind::Build, format!("{what} failed ({})", output.status), messages.to_string());
        return Err(match hints::of(&messages) {
            Some(hint) => error.hint(hint),
            None => error,
        });
    }
    if !messages.trim().is_empty() {
        err!("{}", messages.trim_end());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
#[path = "compile_tests.rs"]
mod tests;
