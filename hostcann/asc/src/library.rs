//! Files of `ascendc_library`: kernels get launch functions; a file that does not compile is named and left out, so that
//! the library has the other ones.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use crate::kernels::{self, Form, Kernel, Prepared};
use crate::launchers;
use crate::options::Options;
use crate::templates::{self, Template};

/// The preprocessed file with the launch functions of its kernels, whose headers are written.
pub fn with_entries(options: &Options, plain: &str) -> Result<String, String> {
    let (found, generic) = (kernels::find(plain), templates::find(plain));
    headers(options, &found, &generic)?;
    let has = |name: &str| {
        let defined = |word: &String| word == name || word.starts_with(&format!("{name}="));
        options.flags.iter().any(|flag| flag.strip_prefix("-D").is_some_and(|word| defined(&word.to_owned())))
            || options.flags.windows(2).any(|pair| pair[0] == "-D" && defined(&pair[1]))
    };
    let form = if options.kernel_binary { Form::Binary } else { Form::Linked };
    let prepared = Prepared { has_workspace: has("HAVE_WORKSPACE"), has_tiling: has("HAVE_TILING") };
    let mut entries = kernels::entries(&found, form, prepared);
    if form == Form::Linked {
        entries += &templates::entries(&generic, prepared);
    }
    Ok(plain.replace(kernels::MARK, "") + &entries)
}

/// None: launches of the file's kernels say that they are not there. A file without kernels is an error.
pub fn leave_out(
    root: &Path,
    options: &Options,
    (source, object, text): (&str, &Path, &Path),
    plain: &str,
    errors: &str,
) -> Result<Option<ExitCode>, String> {
    let mut found = kernels::find(plain);
    let written = fs::read_to_string(source).unwrap_or_default();
    for mut kernel in kernels::find(&written) {
        // A name that the command line gives.
        let given = options
            .flags
            .iter()
            .find_map(|flag| flag.strip_prefix("-D")?.strip_prefix(&kernel.name)?.strip_prefix('='));
        kernel.name = given.map_or(kernel.name.clone(), str::to_owned);
        if found.iter().all(|known| known.name != kernel.name) {
            found.push(kernel);
        }
    }
    if found.is_empty() || options.stop.as_deref() != Some("-c") {
        eprint!("{errors}");
        return Ok(Some(ExitCode::FAILURE));
    }
    headers(options, &found, &templates::find(plain))?;
    let log = format!("{}.log", object.display());
    write(Path::new(&log), errors)?;
    let why = errors.lines().find(|line| line.contains("error:")).or(errors.lines().next()).unwrap_or_default();
    let names: Vec<&str> = found.iter().map(|kernel| kernel.name.as_str()).collect();
    eprintln!(
        "{source}: warning: left out of the library: kernel {}; a launch returns {}: {why}; all of it is in {log}",
        names.join(", "),
        kernels::LEFT_OUT
    );
    // The compiler writes none where it stops.
    if let Some(at) = options.flags.iter().position(|flag| flag == "-MF")
        && let Some(file) = options.flags.get(at + 1)
        && !Path::new(file).is_file()
    {
        write(Path::new(file), &format!("{}: {source}\n", object.display()))?;
    }
    let left_out = kernels::left_out(&found, source, why);
    let launchers = launchers::stand_ins(&written, |name| kernels::report(name, source, why));
    let build = |all: &str| -> Result<std::process::Output, String> {
        write(text, all)?;
        let mut command = crate::gxx();
        command.args(["-std=c++20", "-fPIC", "-c", "-x", "c++", "-include", "acl/acl_base.h"]).arg(text);
        command.arg("-I").arg(root.join("include")).arg("-o").arg(object);
        command.output().map_err(|error| crate::cannot_run(&error))
    };
    // Types of the project are not known here: a function with one is missing.
    if build(&format!("{left_out}#define GM_ADDR uint8_t*\n{launchers}"))?.status.success() {
        return Ok(None);
    }
    let built = build(&left_out)?;
    eprint!("{}", String::from_utf8_lossy(&built.stderr));
    Ok((!built.status.success()).then_some(ExitCode::FAILURE))
}

/// Those that change: nothing else is compiled anew.
fn headers(options: &Options, kernels: &[Kernel], generic: &[Template]) -> Result<(), String> {
    let Some(dir) = &options.launch_headers else { return Ok(()) };
    let plain = kernels.iter().map(|kernel| (&kernel.name, kernels::header(kernel)));
    for (name, text) in plain.chain(generic.iter().map(|template| (&template.kernel.name, template.header()))) {
        let path = Path::new(dir).join(format!("aclrtlaunch_{name}.h"));
        if !fs::read_to_string(&path).is_ok_and(|known| known == text) {
            write(&path, &text)?;
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("bisheng: error: cannot write {}: {error}", path.display()))
}
