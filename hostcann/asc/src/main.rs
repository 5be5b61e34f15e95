//! `bisheng` of the host toolkit. Files of Ascend C are preprocessed, their launches replaced, and the result is
//! compiled by g++, which does everything else by itself.

mod kernels;
mod launchers;
mod launches;
mod library;
mod options;
mod templates;
mod types;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use hostcann_types::kernel_flags::{ARCH, CODE, STANDARD};
use options::{Input, Options};

/// Of a kernel in a program, beside those that kernels of operators have as well.
const KERNEL_FLAGS: [&str; 2] = ["-D__NPU_HOST__", "-g1"];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<ExitCode, String> {
    let options = options::parse(args).map_err(|message| format!("bisheng: error: {message}"))?;
    if options.inputs.is_empty() {
        // --version and the like
        return finish(gxx().args(args));
    }
    let root = root()?;
    if options.stop.is_some() && options.inputs.len() > 1 && options.output.is_some() {
        return Err("bisheng: error: -o with -c and several files".to_owned());
    }
    let scratch = Scratch::new()?;
    let mut objects = Vec::new();
    for (at, input) in options.inputs.iter().enumerate() {
        let Input::Asc(source) = input else { continue };
        let object = match &options.stop {
            Some(_) => PathBuf::from(options.output.clone().unwrap_or_else(|| with_extension(source, "o"))),
            None => scratch.0.join(format!("{at}.o")),
        };
        if let Some(failed) = compile(&root, &options, source, &object, &scratch.0.join(format!("{at}.ii")))? {
            return Ok(failed);
        }
        objects.push(object);
    }
    rest(&root, &options, objects)
}

/// What is left for g++: other files, and linking.
fn rest(root: &Path, options: &Options, objects: Vec<PathBuf>) -> Result<ExitCode, String> {
    let mut objects = objects.into_iter();
    let mut command = gxx();
    command.args(&options.flags).arg("-isystem").arg(root.join("include"));
    let mut others = false;
    for input in &options.inputs {
        match input {
            Input::Asc(_) => drop(objects.next().filter(|_| options.stop.is_none()).map(|object| command.arg(object))),
            Input::Other(name, language) => {
                others = true;
                command.args(language.iter().flat_map(|language| ["-x", language])).arg(name);
                command.args(language.iter().flat_map(|_| ["-x", "none"]));
            }
        }
    }
    match &options.stop {
        Some(_) if !others => return Ok(ExitCode::SUCCESS),
        Some(stop) => drop(command.arg(stop)),
        None => {
            let lib = root.join("lib64");
            command.args(&options.link).arg("-L").arg(&lib).arg(format!("-Wl,-rpath,{}", lib.display()));
            command.args(["-lascendcl", "-lnnopbase"]);
        }
    }
    command.args(options.output.iter().flat_map(|output| ["-o", output]));
    finish(&mut command)
}

/// None: it worked.
fn compile(
    root: &Path,
    options: &Options,
    source: &str,
    object: &Path,
    text: &Path,
) -> Result<Option<ExitCode>, String> {
    let (preprocessing, compiling) = split(options);
    let mut command = gxx();
    command.args(ARCH).args(KERNEL_FLAGS).args(CODE).args(&preprocessing).arg("-isystem").arg(root.join("include"));
    command.args(["-E", "-DHOSTCANN_MARK_ARRAYS", "-DHOSTCANN_MARK_TYPES", "-include", "hostcann/direct_launch.h"]);
    command.args(["-x", "c++", source]);
    let library = options.launch_headers.is_some() || options.kernel_binary;
    if library {
        command.arg("-DHOSTCANN_MARK_KERNELS").stderr(Stdio::piped());
    } else {
        command.stderr(Stdio::inherit());
    }
    // The dependency file is about the object, whatever the preprocessor writes.
    if preprocessing.iter().any(|flag| flag == "-MD" || flag == "-MMD")
        && !preprocessing.iter().any(|flag| flag == "-MT")
    {
        command.arg("-MT").arg(object);
    }
    let preprocessed = command.output().map_err(|error| cannot_run(&error))?;
    let plain = types::named(&String::from_utf8_lossy(&preprocessed.stdout));
    let mut plain = cpptext::ub_arrays(&plain, "HOSTCANN_UBUF", "");
    let leave_out =
        |plain: &str, errors: &str| library::leave_out(root, options, (source, object, text), plain, errors);
    if !preprocessed.status.success() && !library {
        return Ok(Some(ExitCode::FAILURE));
    }
    if !preprocessed.status.success() {
        return leave_out(&plain, &String::from_utf8_lossy(&preprocessed.stderr));
    }
    let marked = plain.clone();
    if library {
        plain = library::with_entries(options, &plain)?;
    }
    let new = match launches::rewrite(&plain) {
        Ok(new) => new.unwrap_or(plain),
        Err(wrong) => {
            let message = format!("{}:{}: error: {}", wrong.file, wrong.line, wrong.message);
            if library {
                return leave_out(&marked, &message);
            }
            eprintln!("{message}");
            return Ok(Some(ExitCode::FAILURE));
        }
    };
    if options.stop.as_deref() == Some("-E") {
        match &options.output {
            Some(output) => fs::write(output, new).map_err(|error| format!("bisheng: error: {output}: {error}"))?,
            None => print!("{new}"),
        }
        return Ok(None);
    }
    fs::write(text, new).map_err(|error| format!("bisheng: error: {}: {error}", text.display()))?;
    let mut command = gxx();
    if !compiling.iter().any(|flag| flag.starts_with("-O")) {
        command.arg("-O2");
    }
    command.args(KERNEL_FLAGS).args(CODE).args(&compiling);
    command.arg(options.stop.as_deref().unwrap_or("-c")).args(["-x", "c++-cpp-output"]).arg(text).arg("-o").arg(object);
    if library {
        let compiled = command.output().map_err(|error| cannot_run(&error))?;
        let errors = String::from_utf8_lossy(&compiled.stderr);
        if !compiled.status.success() {
            return leave_out(&marked, &errors);
        }
        eprint!("{errors}");
        return Ok(None);
    }
    let status = command.status().map_err(|error| cannot_run(&error))?;
    Ok((!status.success()).then_some(ExitCode::FAILURE))
}

/// Options for the preprocessor, and for the compiler after it. Most are for both.
fn split(options: &Options) -> (Vec<String>, Vec<String>) {
    let mut flags = options.flags.clone();
    let is_older = |word: &String| ["++11", "++14", "++17", "++1z"].iter().any(|year| word.ends_with(year));
    let strict = flags.iter().any(|word| word.starts_with("-std=c++"));
    flags.retain(|word| !(word.starts_with("-std=") && is_older(word)));
    if !flags.iter().any(|word| word.starts_with("-std=")) {
        let standard = STANDARD.map(|word| if strict { word.to_owned() } else { word.replace("=c++", "=gnu++") });
        flags.splice(..0, standard);
    }
    let mut compiling = Vec::new();
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        let for_preprocessor = ["-I", "-D", "-U", "-M", "-isystem", "-iquote", "-include"];
        if ["-I", "-D", "-U", "-isystem", "-iquote", "-include", "-MF", "-MT", "-MQ"].contains(&word.as_str()) {
            words.next();
        } else if !for_preprocessor.iter().any(|start| word.starts_with(start)) {
            compiling.push(word.clone());
        }
    }
    (flags, compiling)
}

fn with_extension(source: &str, extension: &str) -> String {
    let name = Path::new(source).with_extension(extension);
    name.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn finish(command: &mut Command) -> Result<ExitCode, String> {
    let status = command.status().map_err(|error| cannot_run(&error))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn cannot_run(error: &std::io::Error) -> String {
    format!("bisheng: error: cannot run `{}`: {error}; install g++ or point CXX to it", cxx().join(" "))
}

/// CXX as everywhere, else g++. A bisheng in CXX would call itself.
fn cxx() -> Vec<String> {
    let given = std::env::var("CXX").unwrap_or_default();
    let words: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
    let itself = words.first().is_some_and(|word| Path::new(word).file_name().is_some_and(|name| name == "bisheng"));
    if words.is_empty() || itself { vec!["g++".to_owned()] } else { words }
}

fn gxx() -> Command {
    let words = cxx();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// The toolkit this program lies in: `<root>/bin/bisheng`.
fn root() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("bisheng: error: {error}"))?;
    let root = own.parent().and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default();
    if root.join("include/kernel_operator.h").is_file() {
        return Ok(root);
    }
    Err(format!(
        "bisheng: error: {} is in no toolkit: there is no {}/include/kernel_operator.h",
        own.display(),
        root.display()
    ))
}

/// A directory that goes with the run.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Scratch, String> {
        let base = std::env::temp_dir();
        for number in 0..1000 {
            let dir = base.join(format!("bisheng-{}-{number}", std::process::id()));
            match fs::create_dir(&dir) {
                Ok(()) => return Ok(Scratch(dir)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("bisheng: error: cannot create {}: {error}", dir.display())),
            }
        }
        Err(format!("bisheng: error: {} is full of left-over directories bisheng-*", base.display()))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
