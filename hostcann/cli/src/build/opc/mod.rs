//! Hidden verb: what `asc_opc` and upstream's metadata scripts do, for kernels that run on the host.
//!
//! `opc kernel` compiles one op's kernels, `opc info` merges the ops' metadata, `opc l0` and `opc common`
//! find sources of a checkout, `opc cube` says which kernels cannot be built. CMake calls them.

mod combos;
mod common;
mod compile;
mod depfile;
mod dtype;
mod hints;
mod info;
mod ini;
mod initialisers;
mod kernel;
mod keys;
mod l0;
mod l0_names;
mod mangled;
mod meta;
mod refuse;
mod registered;
pub mod single;
mod symbols;
mod texts;
mod tpl;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};

use crate::base::files;
use crate::base::term::out;
use crate::build::cube;
use crate::build::device;

pub use kernel::ONLY_DTYPES;

#[derive(Args)]
pub struct Opc {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Kernel(Box<KernelArgs>),
    Info(InfoArgs),
    L0(l0::L0Args),
    Common(common::CommonArgs),
    Cube(CubeArgs),
    Device(DeviceArgs),
}

/// Say whether kernels need what is not modelled: the cube core or several devices
#[derive(Args)]
pub struct CubeArgs {
    /// An op's op_kernel directory
    kernels: PathBuf,
}

/// Read kernels as a strict device compiler does
#[derive(Args)]
pub struct DeviceArgs {
    /// The files that `opc kernel` wrote next to the wrappers
    #[arg(required = true)]
    units: Vec<PathBuf>,
    #[arg(short, long)]
    jobs: Option<u16>,
}

/// Compile the kernels of one op
#[derive(Args)]
pub struct KernelArgs {
    /// SOC=FILE: the op's aic-<soc>-ops-info.ini
    #[arg(long = "def-ini", required = true, value_parser = soc_file)]
    pub def_ini: Vec<(String, PathBuf)>,
    /// The op, where the files describe several
    #[arg(long = "op-type")]
    pub op_type: Option<String>,
    /// SOC=FILE: the op's <op>_binary.json, whose entries become kernels
    #[arg(long = "combinations", value_parser = soc_file)]
    pub combinations: Vec<(String, PathBuf)>,
    /// SoCs to place kernels for
    #[arg(long, required = true, value_delimiter = ',')]
    pub soc: Vec<String>,
    /// The op's op_kernel directory
    #[arg(long)]
    pub kernel_dir: PathBuf,
    /// SOC=FILE: the kernel's file, where it is not <kernel-dir>/<opFile>.cpp
    #[arg(long = "kernel-src", value_parser = soc_file)]
    pub kernel_src: Vec<(String, PathBuf)>,
    /// A definition for the kernel, -DNAME=VALUE
    #[arg(long = "option", allow_hyphen_values = true)]
    pub options: Vec<String>,
    /// op_impl/ai_core/tbe of the package
    #[arg(long)]
    pub out: PathBuf,
    /// Wrapper sources and dependency files
    #[arg(long)]
    pub work: PathBuf,
    /// Toolkit root
    #[arg(long)]
    pub root: PathBuf,
    /// Header with the structs of BEGIN_TILING_DATA_DEF, included in front of the kernel
    #[arg(long = "tiling-structs")]
    pub tiling_structs: Option<PathBuf>,
    /// More include directories, after the toolkit's
    #[arg(long = "include")]
    pub includes: Vec<PathBuf>,
    /// Compile without optimisation, with full debug information
    #[arg(long)]
    pub debug: bool,
    /// Merged dependency file; its target is --stamp
    #[arg(long)]
    pub depfile: PathBuf,
    /// Written last
    #[arg(long)]
    pub stamp: PathBuf,
    #[arg(short, long)]
    pub jobs: Option<u16>,
}

/// Write aic-<soc>-ops-info.json and binary_info_config.json
#[derive(Args)]
pub struct InfoArgs {
    /// SOC=FILE, any number of files for a SoC
    #[arg(long = "def-ini", required = true, value_parser = soc_file)]
    pub def_ini: Vec<(String, PathBuf)>,
    /// SOC=FILE: an op's <op>_binary.json
    #[arg(long = "combinations", value_parser = soc_file)]
    pub combinations: Vec<(String, PathBuf)>,
    /// op_impl/ai_core/tbe of the package
    #[arg(long)]
    pub out: PathBuf,
    /// Written last
    #[arg(long)]
    pub stamp: PathBuf,
}

/// Changes with the source of the kernel compiler and of what it shares with others.
pub fn version() -> String {
    let sources = [
        include_str!("combos.rs"),
        include_str!("compile.rs"),
        include_str!("depfile.rs"),
        include_str!("dtype.rs"),
        include_str!("hints.rs"),
        include_str!("info.rs"),
        include_str!("ini.rs"),
        include_str!("initialisers.rs"),
        include_str!("kernel.rs"),
        include_str!("keys.rs"),
        include_str!("meta.rs"),
        include_str!("refuse.rs"),
        include_str!("registered.rs"),
        include_str!("symbols.rs"),
        include_str!("texts.rs"),
        include_str!("tpl.rs"),
    ];
    let shared = [opinfo::SOURCES.concat(), hostcann_types::OF_KERNELS.concat(), cpptext::SOURCES.concat()];
    files::sha256([sources.concat(), shared.concat()].concat().as_bytes())
}

fn soc_file(text: &str) -> Result<(String, PathBuf)> {
    match text.split_once('=') {
        Some((soc, file)) if !soc.is_empty() && !file.is_empty() => Ok((soc.to_owned(), PathBuf::from(file))),
        _ => bail!("expected SOC=FILE"),
    }
}

impl Opc {
    pub fn run(self) -> Result<()> {
        match self.what {
            What::Kernel(args) => kernel::run(*args),
            What::Info(args) => info::run(&args),
            What::L0(args) => l0::run(&args),
            What::Common(args) => common::run(&args),
            What::Cube(args) => {
                if cube::is_needed(&args.kernels)? {
                    out!("needed");
                }
                Ok(())
            }
            What::Device(args) => device::run(&args.units, args.jobs),
        }
    }
}
