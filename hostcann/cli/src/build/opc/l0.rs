//! `opc l0`: which sources of a checkout define the l0op functions that an op's own sources call.
//!
//! Upstream links libcust_opapi.so against the built-in libopapi.so, which has the L0 functions of every op. Here those
//! of the toolkit come from libnnopbase.so and the others from the checkout that the op lies in.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use cpptext::{Kind as Token, includes, tokens};

use super::l0_names::{Calls, Linkage, add, bodies, called, called_in_headers, defined, exported, launched, text_of};
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::files;
use crate::base::term::out;
use crate::build::cube;

/// Name the sources of a checkout that define missing l0op functions
#[derive(Args)]
pub struct L0Args {
    /// Sources of the op library so far
    #[arg(long = "source")]
    sources: Vec<PathBuf>,
    /// The checkout that holds the op
    #[arg(long)]
    checkout: PathBuf,
    /// Other checkouts to take them from; a CANN has them in one library
    #[arg(long)]
    beside: Vec<PathBuf>,
    /// Write level0/<name>.h here for every header of L0 functions that the toolkit lacks
    #[arg(long)]
    headers: Option<PathBuf>,
    /// Op directories whose examples may call interfaces of others
    #[arg(long = "op-dir")]
    op_dirs: Vec<PathBuf>,
    /// Headers of their interfaces
    #[arg(long = "interface")]
    interfaces: Vec<PathBuf>,
    /// SoCs to build for; an op directory with kernels for one of them is named as a whole
    #[arg(long, value_delimiter = ',')]
    soc: Vec<String>,
    /// Toolkit root
    #[arg(long)]
    root: PathBuf,
}

/// Lines for CMake: `dir <op directory>`, `kernels <op directory>` without its L0 functions, `source <file>` of L0
/// functions, `infer <file>` of shape functions and `interface <header>` of aclnn functions whose source of its name lies
/// next to it.
pub fn run(args: &L0Args) -> Result<()> {
    for line in resolve(args)? {
        out!("{line}");
    }
    Ok(())
}

fn resolve(args: &L0Args) -> Result<Vec<String>> {
    let library = args.root.join("lib64/libnnopbase.so");
    let library = fs::read(&library).with_context(|| format!("cannot read {}", library.display()))?;
    let toolkit = exported(&library);
    let mut known = BTreeSet::new();
    let mut wanted = Calls::new();
    let mut launches = BTreeSet::new();
    let beside = beside(args)?;
    let interfaces = interfaces(args, beside)?;
    let helpers = helpers(args)?;
    let more = interfaces.iter().map(|header| header.with_extension("cpp")).chain(helpers.iter().cloned());
    for source in args.sources.iter().cloned().chain(more).filter(|source| source.is_file()) {
        let source = &source;
        let text = text_of(source)?;
        let tokens = tokens(&text);
        known.extend(defined(&tokens, Linkage::External));
        launches.extend(launched(&tokens));
        add(&mut wanted, called(&tokens));
        add(&mut wanted, called_in_headers(source, &args.checkout)?);
    }
    let places = places(args, beside);
    // Overloads with more parameters than any of the toolkit's are the checkout's.
    let has = |(name, arguments): (&String, &usize)| toolkit.get(name).is_some_and(|most| arguments <= most);
    let mut index: Option<BTreeMap<String, PathBuf>> = None;
    let mut lines: BTreeSet<String> =
        interfaces.iter().map(|header| format!("interface {}", header.display())).collect();
    lines.extend(helpers.iter().map(|source| format!("source {}", source.display())));
    let missing = |wanted: &Calls, known: &BTreeSet<String>| {
        wanted.iter().find(|&call| !known.contains(call.0) && !has(call)).map(|(name, _)| name.clone())
    };
    while let Some(name) = missing(&wanted, &known) {
        if index.is_none() {
            index = Some(definitions(&places, &interfaces)?);
        }
        known.insert(name.clone());
        let Some(file) = index.as_ref().and_then(|index| index.get(&name)) else { continue };
        let dir = op_dir(file);
        // Everything of the directory that others can call comes with it.
        let with_kernels = has_kernels(dir, &args.soc)?;
        let more = if with_kernels { l0_files(dir, ".cpp")? } else { vec![file.clone()] };
        for file in &more {
            let text = text_of(file)?;
            let tokens = tokens(&text);
            known.extend(defined(&tokens, Linkage::External));
            launches.extend(launched(&tokens));
            add(&mut wanted, called(&tokens));
            add(&mut wanted, called_in_headers(file, &args.checkout)?);
            if !with_kernels {
                lines.insert(format!("source {}", file.display()));
            }
        }
        // The L0 function asks them for shapes, also where another op's kernel does the work.
        if !with_kernels {
            lines.extend(shape_files(dir)?.iter().map(|file| format!("infer {}", file.display())));
        }
        if with_kernels {
            lines.insert(format!("dir {}", dir.display()));
        }
    }
    for dir in kernels_of(args, &places, &launches)? {
        let whole = format!("dir {}", dir.display());
        if !lines.contains(&whole) {
            lines.insert(format!("kernels {}", dir.display()));
        }
    }
    Ok(lines.into_iter().collect())
}

/// Op directories of the checkout with kernels for the op types that L0 functions launch, except the ops themselves.
fn kernels_of(args: &L0Args, places: &[PathBuf], launches: &BTreeSet<String>) -> Result<Vec<PathBuf>> {
    let mut names: BTreeSet<String> = launches.iter().map(|op_type| opinfo::snake_case(op_type)).collect();
    for own in args.op_dirs.iter().filter_map(|dir| dir.file_name()) {
        names.remove(&*own.to_string_lossy());
    }
    let mut found = Vec::new();
    for dir in places.iter().flat_map(|place| op_dirs(place)) {
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if names.contains(&name) && has_kernels(&dir, &args.soc)? {
            names.remove(&name);
            found.push(dir);
        }
    }
    Ok(found)
}

/// Directories of categories, the first one wins: an op below experimental/ takes what is there first, any other op the
/// standard ones.
fn places(args: &L0Args, beside: &[PathBuf]) -> Vec<PathBuf> {
    let mut places = vec![args.checkout.clone(), args.checkout.join("experimental")];
    if args.sources.iter().any(|source| source.starts_with(&places[1])) {
        places.reverse();
    }
    places.extend(beside.iter().cloned());
    places
}

/// The first checkout beside, on which the others build, and as many of the others as it takes until every header of L0
/// functions is there: whatever is not needed stays out.
fn beside(args: &L0Args) -> Result<&[PathBuf]> {
    let Some(dir) = &args.headers else { return Ok(&args.beside) };
    let mut taken = args.beside.len().min(1);
    loop {
        let beside = &args.beside[..taken];
        forward(&places(args, beside), &args.root.join("include"), dir)?;
        match headers_are_there(args, dir) {
            Err(_) if taken < args.beside.len() => taken += 1,
            done => return done.map(|()| beside),
        }
    }
}

fn op_dirs(place: &Path) -> impl Iterator<Item = PathBuf> {
    // common/stub has functions for unit tests.
    let categories = directories(place).into_iter().filter(|dir| !dir.ends_with("common"));
    categories.flat_map(|category| directories(&category))
}

/// Headers of interfaces that examples include or sources call, and that neither the ops nor the toolkit have. A CANN has
/// them of the standard ops, for which a custom package may bring the kernels.
fn interfaces(args: &L0Args, beside: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut places = vec![args.checkout.clone(), args.checkout.join("experimental")];
    places.extend(beside.iter().cloned());
    // A copy of another op's header has neither a source of its name nor any of its functions (ops-transformer
    // posembedding/interleave_rope); one that the build generates is not there yet.
    let mut own = BTreeSet::new();
    for header in &args.interfaces {
        let is_there = !header.is_file() || header.with_extension("cpp").is_file();
        if is_there || is_defined(header, &args.sources)? {
            own.extend(header.file_name());
        }
    }
    let mut callers: Vec<PathBuf> = args.sources.iter().filter(|source| source.is_file()).cloned().collect();
    let sources = callers.len();
    for example in args.op_dirs.iter().map(|dir| dir.join("examples")).filter(|dir| dir.is_dir()) {
        let files = files::walk(&example)?.into_iter().filter(|file| file.to_string_lossy().starts_with("test_aclnn_"));
        callers.extend(files.map(|file| example.join(file)));
    }
    for (at, path) in callers.iter().enumerate() {
        let text = text_of(path)?;
        let beside = path.parent().unwrap_or(path);
        for include in includes(&text).into_iter().filter(|include| !include.angle) {
            let include = Path::new(&include.path);
            let Some(name) = include.file_name() else { continue };
            let include_dir = args.root.join("include");
            let known = [include_dir.join(include), include_dir.join("aclnnop").join(name), beside.join(include)];
            if !name.to_string_lossy().starts_with("aclnn_")
                || own.contains(name)
                || known.iter().any(|path| path.is_file())
            {
                continue;
            }
            let dirs = places.iter().flat_map(|place| op_dirs(place));
            let headers = dirs.flat_map(|dir| [dir.join("op_api").join(name), dir.join("op_host/op_api").join(name)]);
            let is_there = |path: &PathBuf| path.is_file() && path.with_extension("cpp").is_file();
            let Some(header) = headers.into_iter().find(is_there) else { continue };
            if at >= sources || calls_interface(&text, &header)? {
                found.insert(header);
            }
        }
    }
    Ok(found)
}

/// Names before parentheses.
fn functions(text: &str) -> BTreeSet<String> {
    let tokens = tokens(text);
    let named = tokens.windows(2).filter(|pair| pair[0].kind == Token::Word && pair[1].is("("));
    named.map(|pair| pair[0].text.to_owned()).collect()
}

/// Whether a source calls a function that this header declares, not only its types.
fn calls_interface(source: &str, header: &Path) -> Result<bool> {
    Ok(!functions(source).is_disjoint(&functions(&text_of(header)?)))
}

/// Whether a source has a function that this header declares; it may have another name (experimental/math/mod).
fn is_defined(header: &Path, sources: &[PathBuf]) -> Result<bool> {
    let declared = functions(&text_of(header)?);
    let mut beside = sources.iter().filter(|source| source.is_file() && source.parent() == header.parent());
    beside.try_fold(false, |found, source| Ok(found || !bodies(&tokens(&text_of(source)?)).is_disjoint(&declared)))
}

/// Sources next to op_api headers of other op directories (ops-nn norm/norm_common) that the ops' sources call and that
/// have no L0 functions, which are found by name.
fn helpers(args: &L0Args) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    for source in args.sources.iter().filter(|source| source.is_file()) {
        let text = text_of(source)?;
        for include in includes(&text).into_iter().filter(|include| !include.angle) {
            let header = args.checkout.join(&include.path);
            let is_api =
                header.parent().is_some_and(|dir| dir.ends_with("op_api")) && !include.path.starts_with("common/");
            let is_own = args.op_dirs.iter().any(|dir| header.starts_with(dir));
            let helper = header.with_extension("cpp");
            // Below experimental/ a dependency may have a copy (ops-nn norm/norm_common).
            let is_there = args.sources.iter().any(|source| source.file_name() == helper.file_name());
            if !is_api || is_own || !header.is_file() || !helper.is_file() || is_there {
                continue;
            }
            let is_interface = header.file_name().is_some_and(|name| name.to_string_lossy().starts_with("aclnn_"));
            let has_functions = !defined(&tokens(&text_of(&helper)?), Linkage::External).is_empty();
            if !is_interface && !has_functions && calls_interface(&text, &header)? {
                found.insert(helper);
            }
        }
    }
    Ok(found)
}

/// Name -> file for every L0 function, those next to `interfaces` first.
fn definitions(places: &[PathBuf], interfaces: &BTreeSet<PathBuf>) -> Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    let beside = interfaces.iter().map(|header| op_dir(header).to_path_buf());
    for dir in beside.chain(places.iter().flat_map(|place| op_dirs(place))) {
        for file in l0_files(&dir, ".cpp")? {
            for name in defined(&tokens(&text_of(&file)?), Linkage::External) {
                found.entry(name).or_insert_with(|| file.clone());
            }
        }
    }
    Ok(found)
}

/// An install has these headers in include/aclnnop/level0 and its like, whatever repository they come from.
fn forward(places: &[PathBuf], known: &Path, to: &Path) -> Result<()> {
    let mut done = BTreeSet::new();
    for dir in places.iter().flat_map(|place| op_dirs(place)) {
        for file in l0_files(&dir, ".h")? {
            let Some(name) = file.file_name().map(|name| Path::new("level0").join(name)) else { continue };
            if !known.join(&name).is_file() && done.insert(name.clone()) {
                let text = format!("#include \"{}\"\n", file.display());
                files::write_if_changed(&to.join(name), text.as_bytes())?;
            }
        }
    }
    Ok(())
}

/// Headers of other repositories' L0 functions come from checkouts next to the op's own.
fn headers_are_there(args: &L0Args, forwarded: &Path) -> Result<()> {
    let known = [args.root.join("include"), args.root.join("include/aclnnop"), forwarded.to_path_buf()];
    for source in args.sources.iter().filter(|source| source.is_file()) {
        for include in includes(&text_of(source)?) {
            let path = &include.path;
            if !path.starts_with("level0/") || known.iter().any(|dir| dir.join(path).is_file()) {
                continue;
            }
            let what = format!(
                "{} includes {path}, which neither the toolkit nor {} has",
                source.display(),
                args.checkout.display()
            );
            let beside = args.checkout.parent().unwrap_or(&args.checkout).join("ops-math");
            return Err(failed(Kind::Build, what).hint(format!(
                "L0 functions of other repositories are taken from checkouts next to this one, of ops-math first, then of \
                 ops-nn, ops-cv and ops-transformer: git clone https://gitcode.com/cann/ops-math {}",
                beside.display()
            )));
        }
    }
    Ok(())
}

fn directories(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).map(|entries| entries.flatten().map(|entry| entry.path()).collect());
    let mut found: Vec<PathBuf> = entries.unwrap_or_default();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// `op_api/*` of that ending, except the aclnn interfaces.
fn l0_files(dir: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for place in [dir.join("op_api"), dir.join("op_host/op_api")] {
        if !place.is_dir() {
            continue;
        }
        for file in files::walk(&place)? {
            let name = file.to_string_lossy();
            let is_source = name.ends_with(ending) && !name.contains('/');
            if is_source && !["aclnn_", "acl_"].iter().any(|start| name.starts_with(start)) {
                found.push(place.join(file));
            }
        }
    }
    Ok(found)
}

/// `op_host/*_infershape*.cpp`.
fn shape_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let host = dir.join("op_host");
    if !host.is_dir() {
        return Ok(Vec::new());
    }
    let names = files::walk(&host)?.into_iter().filter(|file| {
        let name = file.to_string_lossy();
        name.contains("_infershape") && name.ends_with(".cpp") && !name.contains('/')
    });
    let mut found: Vec<PathBuf> = names.map(|name| host.join(name)).collect();
    // Shape functions of one directory call those of another, whose header names their source.
    let mut at = 0;
    while let Some(file) = found.get(at).cloned() {
        for include in includes(&text_of(&file)?).iter().filter(|include| include.path.contains("_infershape")) {
            let mut sources = file.ancestors().skip(1).map(|dir| dir.join(&include.path).with_extension("cpp"));
            let source = sources.find_map(|source| source.canonicalize().ok());
            found.extend(source.filter(|source| !found.contains(source)));
        }
        at += 1;
    }
    Ok(found)
}

fn op_dir(file: &Path) -> &Path {
    let above =
        file.ancestors().skip(1).find(|dir| dir.join("op_host").is_dir() || dir.join("CMakeLists.txt").is_file());
    above.unwrap_or(file)
}

/// Kernels that can be built: those that need the cube core or several devices count as absent.
fn has_kernels(dir: &Path, socs: &[String]) -> Result<bool> {
    let (definitions, kernels) = (dir.join("op_host"), dir.join("op_kernel"));
    if !definitions.is_dir() || !kernels.is_dir() || !dir.join("CMakeLists.txt").is_file() {
        return Ok(false);
    }
    for file in files::walk(&definitions)? {
        if file.to_string_lossy().ends_with("_def.cpp") {
            let path = definitions.join(file);
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            if socs.iter().any(|soc| text.contains(&format!("AddConfig(\"{soc}\""))) {
                return Ok(!cube::is_needed(&kernels)?);
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
#[path = "l0_tests.rs"]
mod tests;
