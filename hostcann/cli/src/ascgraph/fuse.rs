//! `ascgraph fuse`: which operators of an ONNX model become one kernel, by the price of the timing model.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use ascgraph::dump;
use ascgraph::expr::Values;
use ascgraph::fuse::{Fused, Fusion, Machine, Operators, fuse, kinds, onnx};
use ascgraph::tiling::Limits;
use clap::Args;

use super::html;
use super::schedule::texts_into;
use super::sources::SOURCES;
use super::timing;
use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};
use crate::base::done::Done;
use crate::base::files;
use crate::base::plural::number;
use crate::base::report::{FusedOperator, GraphFusion, LeftOperator};
use crate::base::term::out;

const HELP: &str = "\
Examples:
  cargo xtask ascgraph fuse ascgraph/examples/classifier.onnx --size batch=256
  cargo xtask ascgraph fuse model.onnx --size batch=8 --size seq=128 --html target/fusion.html
  cargo xtask ascgraph fuse model.onnx --out target/fused    # for each fused operator its graphs and its C++";

/// A model, and what prices are asked for.
#[derive(Args)]
pub struct Source {
    #[arg(value_name = "MODEL.onnx")]
    pub file: PathBuf,
    /// Ask for prices at this size of a symbolic dimension [default: 1024]
    #[arg(long = "size", value_name = "NAME=N", value_parser = size)]
    sizes: Vec<(String, i64)>,
    /// Give a tile at most this many bytes of the unified buffer
    #[arg(long, value_name = "BYTES", default_value_t = 188_416, value_parser = clap::value_parser!(i64).range(1..=1 << 24))]
    ub: i64,
}

/// Fuse operators of an ONNX model into kernels where the timing model says that it is faster, and say why not elsewhere
#[derive(Args)]
#[command(after_help = HELP)]
pub struct Fuse {
    #[command(flatten)]
    source: Source,
    /// Write the fused graphs and their C++ to DIR/<operator>
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write a page with the log and every kernel
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

const DEFAULT_SIZE: i64 = 1024;

fn size(text: &str) -> Result<(String, i64), String> {
    let pair = text.split_once('=').and_then(|(name, size)| Some((name.to_owned(), size.parse().ok()?)));
    pair.filter(|(_, size)| *size > 0).ok_or_else(|| "NAME=N with a number above 0 is expected".to_owned())
}

/// A model that was read, and what becomes of it.
pub struct Model {
    pub bytes: Vec<u8>,
    pub all: Operators,
    pub fusion: Fusion,
}

impl Source {
    /// # Errors
    ///
    /// The file is no model, or has none of the dimensions that were named.
    pub fn fuse(&self, cx: &Ctx) -> Result<Model> {
        let bytes = fs::read(cx.run.sh.current_dir().join(&self.file));
        let bytes = bytes.map_err(|error| refused(&self.file, &error.to_string()))?;
        let mut all = read(&self.file, &bytes)?;
        let sizes = self.sizes(&all)?;
        let timing = timing::model(cx)?;
        let machine = timing.as_ref().map(|timing| Machine {
            timing,
            limits: Limits { cores: 2 * timing.ai_cores, aiv_num: 0, ub_size: self.ub },
            sizes: &sizes,
        });
        let mut fusion = fuse(&mut all, machine);
        if machine.is_some() {
            fusion.log.splice(0..0, asked(&sizes));
        }
        Ok(Model { bytes, all, fusion })
    }
}

/// What the prices are of, where a model has symbols.
fn asked(sizes: &Values) -> Option<String> {
    let sizes: Vec<String> = sizes.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    (!sizes.is_empty()).then(|| format!("prices are for {}; --size NAME=N asks for others", sizes.join(", ")))
}

fn refused(file: &Path, why: &str) -> anyhow::Error {
    failed(Kind::Usage, format!("{} cannot be read: {why}", file.display()))
        .hint("an ONNX model of opset 7 or later is expected; onnx.checker.check_model says what is wrong with one")
}

fn read(file: &Path, bytes: &[u8]) -> Result<Operators> {
    onnx::read(bytes).map_err(|why| refused(file, &why))
}

/// A line for each operator that stays, and what to do where shapes are missing.
pub fn left(fusion: &Fusion) -> Vec<String> {
    let mut lines: Vec<String> =
        fusion.left.iter().map(|left| format!("{} stays as it is: {}", left.name, left.why)).collect();
    if fusion.left.iter().any(|left| left.why.starts_with("the shape of ")) {
        lines.push(
            "the model does not say these shapes; onnx.shape_inference.infer_shapes writes them into its value_info"
                .to_owned(),
        );
    }
    lines
}

impl Fuse {
    pub fn run(self, cx: &mut Ctx) -> Result<Done> {
        let shown = self.source.file.display();
        let Model { fusion, .. } = self.source.fuse(cx)?;
        let lines: Vec<String> = fusion.fused.iter().map(line).collect();
        let left = left(&fusion);
        for line in fusion.log.iter().chain(&lines).chain(&left) {
            out!("{line}");
        }
        if fusion.fused.is_empty() {
            out!("operators with a lowering: {}", kinds().join(", "));
        }
        let result = reported(&fusion);
        if let Some(file) = &self.html {
            let path = cx.run.sh.current_dir().join(file);
            let page = html::fusion_page(&shown.to_string(), &fusion, [&lines, &left], &SOURCES);
            files::write_if_changed(&path, page.as_bytes())?;
            cx.run.artifact(&path, Some(&files::sha256(page.as_bytes())));
        }
        if let Some(dir) = &self.out {
            let dir = cx.run.sh.current_dir().join(dir);
            for fused in &fusion.fused {
                let own = dir.join(&fused.name);
                texts_into(cx, &fused.parts, &own)?;
                files::write_if_changed(&own.join("graph.json"), dump::json(&fused.parts.fused).as_bytes())?;
            }
            let list = dir.join("fusion.json");
            files::write_if_changed(&list, &serde_json::to_vec_pretty(&result)?)?;
            cx.run.artifact(&list, None);
        }
        let launches: usize = fusion.fused.iter().map(|fused| fused.launches.len()).sum();
        let operators: usize = fusion.fused.iter().flat_map(|fused| &fused.launches).map(Vec::len).sum();
        Ok(Done::with(&result).verdict(format!(
            "ascgraph fuse: {} in {}, {} left",
            number(operators, "operator"),
            if launches == 1 { "1 launch".to_owned() } else { format!("{launches} launches") },
            fusion.left.len()
        )))
    }
}

impl Source {
    /// Of every symbol of the model.
    fn sizes(&self, all: &Operators) -> Result<Values> {
        let shapes = all.values.values().filter_map(|value| value.shape.as_ref());
        let names = shapes.flatten().flat_map(ascgraph::expr::Expr::symbols);
        let mut sizes: Values = names.map(|name| (name, DEFAULT_SIZE)).collect();
        for (name, size) in &self.sizes {
            let known: Vec<&str> = sizes.keys().map(String::as_str).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            match sizes.get_mut(name) {
                Some(own) => *own = *size,
                None => {
                    let file = self.file.display();
                    let why = format!("{file}: --size {name}={size}: the model has no dimension {name}");
                    return Err(failed(Kind::Usage, why).hint(format!("its symbolic dimensions: {known}")));
                }
            }
        }
        Ok(sizes)
    }
}

/// `bias_3: [bias, gate, silu], 2.31 us instead of 6.52 us`.
fn line(fused: &Fused) -> String {
    let launches: Vec<String> = fused.launches.iter().map(|names| format!("[{}]", names.join(", "))).collect();
    let price = match (fused.price, fused.price_single) {
        (Some(one), Some(single)) if one < single => format!(", {one:.2} us instead of {single:.2} us"),
        (Some(one), _) => format!(", {one:.2} us"),
        _ => ", without a price".to_owned(),
    };
    format!("{}: {}{price}", fused.name, launches.join(", then "))
}

fn reported(fusion: &Fusion) -> GraphFusion {
    let fused = |fused: &Fused| FusedOperator {
        name: fused.name.clone(),
        launches: fused.launches.clone(),
        inputs: fused.inputs.clone(),
        outputs: fused.outputs.clone(),
        us: fused.price,
        us_single: fused.price_single,
    };
    let left = fusion.left.iter().map(|left| LeftOperator {
        name: left.name.clone(),
        kind: left.kind.clone(),
        why: left.why.clone(),
    });
    GraphFusion { fused: fusion.fused.iter().map(fused).collect(), left: left.collect(), log: fusion.log.clone() }
}

#[cfg(test)]
mod tests {
    use ascgraph::fuse::Left;

    use super::*;
    use crate::base::diag::{causes, hint};

    /// A file that was cut off anywhere: the error names the file, what is wrong, and what is expected.
    #[test]
    fn whatever_is_wrong_with_a_model_its_file_is_named() {
        let model = include_bytes!("../../../../ascgraph/examples/classifier.onnx");
        let mut wrong = 0;
        for end in 0..model.len() {
            let Err(error) = read(Path::new("some.onnx"), &model[..end]) else { continue };
            let [said] = &causes(&error)[..] else { panic!("{error:?}") };
            let why = said.strip_prefix("some.onnx cannot be read: ").unwrap_or_else(|| panic!("{said}"));
            assert!(why.starts_with("no ONNX model: ") || why.starts_with("a model of opset 1; "), "{why}");
            assert!(
                hint(&error).is_some_and(|hint| hint.starts_with("an ONNX model of opset 7 or later is expected; "))
            );
            wrong += 1;
        }
        assert!(wrong > model.len() / 2, "{wrong} of {}", model.len());
    }
    #[test]
    fn a_log_says_what_it_is_of() {
        let sizes = [("batch".to_owned(), 1024), ("seq".to_owned(), 8)].into();
        let wanted = "prices are for batch = 1024, seq = 8; --size NAME=N asks for others";
        assert_eq!(asked(&sizes).as_deref(), Some(wanted));
        assert_eq!(asked(&Values::new()), None);
    }

    #[test]
    fn what_writes_shapes_is_said_once() {
        let stays = |name: &str, why: &str| Left { name: name.to_owned(), kind: "Abs".to_owned(), why: why.to_owned() };
        let mut fusion = Fusion { left: vec![stays("a", "Abs has no lowering")], ..Fusion::default() };
        assert_eq!(left(&fusion), ["a stays as it is: Abs has no lowering"]);
        fusion.left.extend([stays("b", "the shape of x is not known"), stays("c", "the shape of y is not known")]);
        let lines = left(&fusion);
        assert_eq!(
            lines[1..3],
            ["b stays as it is: the shape of x is not known", "c stays as it is: the shape of y is not known"]
        );
        assert_eq!(lines.len(), 4);
        assert!(lines[3].contains("onnx.shape_inference.infer_shapes writes them"), "{}", lines[3]);
    }
}
