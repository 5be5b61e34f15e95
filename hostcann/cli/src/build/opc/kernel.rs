//! `opc kernel`: every dtype column of one op, compiled in parallel and placed for every SoC.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use super::KernelArgs;
use super::combos;
use super::compile::{Built, Compiler};
use super::depfile;
use super::ini::{self, Op};
use super::meta::{self, Column};
use super::refuse;
use super::texts;
use crate::base::files;
use crate::base::plural::number;
use crate::base::proc;
use crate::base::progress;
use crate::base::term::err;
use crate::build::commands;
use crate::build::device::{self, Unit};

pub fn run(mut args: KernelArgs) -> Result<()> {
    let mut ops: Vec<(String, Op)> = Vec::new();
    for soc in &args.soc {
        let ini = args.def_ini.iter().find(|(name, _)| name == soc).map(|(_, path)| path);
        let ini = ini.with_context(|| format!("no --def-ini for {soc}: the definition has no AddConfig(\"{soc}\")"))?;
        let mut found = ini::read(ini)?;
        if let Some(name) = &args.op_type {
            found.retain(|op| op.name == *name);
            ensure!(!found.is_empty(), "{} describes no {name}", ini.display());
        }
        ensure!(found.len() == 1, "{}: one op type per directory expected, found {}", ini.display(), found.len());
        combos::choose(soc, &mut found, &args.combinations)?;
        ops.extend(found.pop().map(|op| (soc.clone(), op)));
    }
    let Some((_, first)) = ops.first() else { bail!("no SoC given") };
    fs::create_dir_all(&args.work).with_context(|| format!("cannot create {}", args.work.display()))?;
    let mut sources = Vec::new();
    for (soc, op) in &ops {
        let given = args.kernel_src.iter().find(|(name, _)| name == soc).map(|(_, path)| path.clone());
        sources.push(match given {
            Some(path) => path,
            None => args.kernel_dir.join(op.file()?).with_extension("cpp"),
        });
    }
    args.options.extend(texts::options(&args.kernel_dir, &sources)?);
    for (_, op) in &ops {
        let option = texts::complex_types_of(op, &args.kernel_dir)?;
        args.options.extend(option.filter(|option| !args.options.contains(option)));
    }
    args.includes.splice(..0, texts::siblings(&args.kernel_dir, &args.work.join("beside"))?);
    let args = &args;

    // All SoCs here have the same core: a column that two SoCs share is compiled once.
    let mut wanted: BTreeMap<String, Wanted> = BTreeMap::new();
    for (soc, op) in &ops {
        let source = args.kernel_src.iter().find(|(name, _)| name == soc).map(|(_, path)| path.as_path());
        let columns = meta::columns(op)?;
        if !op.skipped.is_empty() {
            let names = op.skipped.iter().cloned().collect::<Vec<_>>().join(", ");
            err!("note: [{}] columns with what the host toolkit does not model are left out: {names}", op.name);
        }
        let all = (0..op.columns()?).filter(|&column| op.is_chosen(column)).count();
        if columns.len() < all {
            err!(
                "warning: [{}] has {} columns, {}: optional tensors select none, of columns that differ in \
                 nothing else the first is compiled, as upstream does",
                op.name,
                all,
                number(columns.len(), "kernel")
            );
        }
        for column in columns {
            let dtype = op.inputs()?.first().map(|input| input.dtypes[column.index].clone()).unwrap_or_default();
            let first = wanted.entry(column.name.clone()).or_insert(Wanted { op, column, dtype, source });
            ensure!(
                first.source == source,
                "[{}] has different kernel files for SoCs with one core ({:?} and {source:?}); build them with one \
                 --soc each",
                op.name,
                first.source
            );
        }
    }
    let columns: Vec<String> = wanted.keys().cloned().collect();
    let only = only_dtypes();
    if let Some(only) = &only {
        let known: BTreeSet<String> = wanted.values().map(|wanted| wanted.dtype.clone()).collect();
        let unknown = only.iter().find(|dtype| !known.contains(*dtype));
        ensure!(unknown.is_none(), "{} has no kernel for {unknown:?}, it has {known:?}", first.name);
        wanted.retain(|_, wanted| only.contains(&wanted.dtype));
    }
    let built = build_all(args, wanted.values())?;
    refuse::check(args, built.values())?;
    if only.is_none() {
        let mut entries: Vec<_> = built.values().map(|built| (built.column, &built.entry)).collect();
        entries.sort_by_key(|(column, _)| *column);
        commands::write(&args.work, &entries.into_iter().map(|(_, entry)| entry).collect::<Vec<_>>())?;
        let units: Vec<&Unit> = built.values().map(|built| &built.unit).collect();
        files::write_if_changed(&args.work.join(device::UNITS), meta::pretty(&units)?.as_bytes())?;
    }
    for (soc, op) in &ops {
        place(args, soc, op, &built)?;
    }
    let mut depends: BTreeSet<String> = built.values().flat_map(|built| built.depends.iter().cloned()).collect();
    // Ninja forgets what the depfile does not name: kernels that were left alone depend on what they depended on.
    for name in columns.iter().filter(|name| !built.contains_key(*name)) {
        depends.extend(depfile::recorded(&args.work, name)?);
    }
    depends.extend(args.tiling_structs.iter().map(|path| path.display().to_string()));
    files::write_if_changed(&args.depfile, &depfile::written(&args.stamp, &depends))?;
    fs::write(&args.stamp, first.name.as_bytes()).with_context(|| format!("cannot write {}", args.stamp.display()))
}

struct Wanted<'a> {
    op: &'a Op,
    column: Column,
    /// Of the first input.
    dtype: String,
    source: Option<&'a Path>,
}

/// Comma-separated data types of the first input: the kernels of the others stay as they were placed.
pub const ONLY_DTYPES: &str = "XTASK_KERNEL_DTYPES";

fn only_dtypes() -> Option<Vec<String>> {
    let list = std::env::var(ONLY_DTYPES).ok()?;
    Some(list.split(',').filter(|dtype| !dtype.is_empty()).map(str::to_owned).collect())
}

fn build_all<'a>(args: &KernelArgs, wanted: impl Iterator<Item = &'a Wanted<'a>>) -> Result<BTreeMap<String, Built>> {
    let wanted: Vec<_> = wanted.collect();
    let all = wanted.len();
    let queue = Mutex::new(wanted);
    let done = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let next = queue.lock().ok().and_then(|mut queue| queue.pop());
            let Some(Wanted { op, column, source, .. }) = next else { break };
            let result = Compiler::new(op, args, *source).and_then(|compiler| compiler.build(column));
            if let Ok(mut done) = done.lock() {
                done.push((column.name.clone(), result));
                progress::report(done.len(), all);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..proc::jobs(args.jobs) {
            scope.spawn(worker);
        }
    });
    let done = done.into_inner().ok().context("a compile thread panicked")?;
    done.into_iter().map(|(name, result)| result.map(|built| (name, built))).collect()
}

/// kernel/<soc>/<op>/ holds exactly these objects afterwards.
fn place(args: &KernelArgs, soc: &str, op: &Op, built: &BTreeMap<String, Built>) -> Result<()> {
    let file = op.file()?;
    let dir = args.out.join("kernel").join(soc).join(file);
    let mut keep = BTreeSet::new();
    let mut entries = Vec::new();
    for column in meta::columns(op)? {
        let (placed, description) = (dir.join(format!("{}.o", column.name)), dir.join(format!("{}.json", column.name)));
        if let Some(made) = built.get(&column.name) {
            let object = fs::read(&made.object).with_context(|| format!("cannot read {}", made.object.display()))?;
            files::copy_if_changed(&made.object, &placed)?;
            let json = meta::pretty(&column.kernel_json(op, &made.keys, &object)?)?;
            files::write_if_changed(&description, json.as_bytes())?;
        }
        ensure!(placed.is_file() && description.is_file(), "{} was not built", column.name);
        keep.extend([format!("{}.o", column.name), format!("{}.json", column.name)]);
        entries.push(column.config_entry(op, soc)?);
    }
    remove_others(&dir, &keep)?;
    let config = args.out.join("kernel/config").join(soc).join(format!("{file}.json"));
    files::write_if_changed(&config, meta::pretty(&json!({"binList": entries}))?.as_bytes())?;
    Ok(())
}

fn remove_others(dir: &Path, keep: &BTreeSet<String>) -> Result<()> {
    for file in files::walk(dir)? {
        if !file.to_str().is_some_and(|name| keep.contains(name)) {
            let path = dir.join(file);
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}
