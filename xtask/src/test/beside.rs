//! What cargo checks and compiles while the layers that need nothing of it build and run: neither keeps two processors busy.

use anyhow::Result;

use crate::ctx::Ctx;
use crate::layer::Layer;
use crate::lint;
use crate::plan::Plan;
use crate::proc;

use super::rust;

/// Commands that run beside the layers.
#[derive(Default)]
pub struct Beside {
    clippy: Option<proc::Started>,
    /// What the Rust tests will find compiled. What does not compile they say themselves.
    compiled: Vec<proc::Started>,
}

/// The layers in the order in which they run: if there is something to run beside cargo, cargo's come behind it.
/// `workspace`: the Rust tests are those of the whole workspace.
pub fn order(layers: &[Layer], workspace: bool) -> Vec<Layer> {
    if !is_worthwhile(layers, workspace) {
        return layers.to_vec();
    }
    let (last, first): (Vec<Layer>, Vec<Layer>) = layers.iter().partition(|layer| waits(**layer));
    [first, last].concat()
}

fn is_worthwhile(layers: &[Layer], workspace: bool) -> bool {
    let compiles = |layer: &Layer| *layer == Layer::Clippy || workspace && *layer == Layer::Rust;
    let takes_time = |layer: &Layer| !waits(*layer) && !matches!(layer, Layer::Fmt | Layer::Tidy);
    layers.iter().any(compiles) && layers.iter().any(takes_time)
}

/// Commands of the documents install packages, which the tests would then run with.
fn waits(layer: Layer) -> bool {
    matches!(layer, Layer::Clippy | Layer::Rust | Layer::BrokenKernels | Layer::Docs | Layer::Mutants)
}

impl Beside {
    /// What [`order`] counts on.
    pub fn start(cx: &Ctx, plan: &Plan, layers: &[Layer], workspace: bool) -> Result<Beside> {
        if !is_worthwhile(layers, workspace) {
            return Ok(Beside::default());
        }
        let clippy = layers.contains(&Layer::Clippy).then(|| lint::start_clippy(cx)).transpose()?;
        let compiled = if workspace && layers.contains(&Layer::Rust) { rust::compile(cx, plan)? } else { Vec::new() };
        Ok(Beside { clippy, compiled })
    }

    pub fn clippy(&mut self, cx: &mut Ctx) -> Result<()> {
        let started = self.clippy.take();
        cx.step("clippy", |cx| {
            let started = started.map_or_else(|| lint::start_clippy(cx), Ok)?;
            lint::finish_clippy(cx, started)
        })
    }

    /// Before cargo runs tests.
    pub fn wait(&mut self, cx: &mut Ctx) -> Result<()> {
        if self.compiled.is_empty() {
            return Ok(());
        }
        let compiled = std::mem::take(&mut self.compiled);
        cx.step("cargo-test-compile", |cx| {
            compiled.into_iter().try_for_each(|started| proc::finish(cx, started).map(drop))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layer;

    #[test]
    fn what_needs_cargo_waits_for_it() {
        let all = layer::of(true);
        let ordered = order(&all, true);
        let at = |layer: Layer| ordered.iter().position(|one| *one == layer);
        assert_eq!(ordered.len(), all.len());
        assert!(all.iter().all(|layer| ordered.contains(layer)));
        assert!(at(Layer::Templates) < at(Layer::Clippy) && at(Layer::Clippy) < at(Layer::Rust));
        // A document's command may install another package.
        assert!(at(Layer::Rust) < at(Layer::Docs) && at(Layer::BrokenKernels) < at(Layer::Docs));
        assert_eq!(ordered[..2], [Layer::Fmt, Layer::Tidy]);
    }

    #[test]
    fn nothing_to_run_beside() {
        for layers in [
            vec![Layer::Fmt, Layer::Tidy, Layer::Clippy, Layer::Rust, Layer::BrokenKernels, Layer::Docs],
            vec![Layer::BrokenKernels, Layer::Device, Layer::Docs],
            vec![Layer::Ut],
        ] {
            assert_eq!(order(&layers, true), layers);
        }
        // Tests of installed operators are another build.
        assert_eq!(order(&[Layer::Rust, Layer::Ut], false), [Layer::Rust, Layer::Ut]);
        assert_eq!(order(&[Layer::Rust, Layer::Ut], true), [Layer::Ut, Layer::Rust]);
    }
}
