//! Tiles by what they cost: the timing model's parameters, as the toolkit's sources have them.

use anyhow::Result;
use ascgraph::plan::Plan;
use ascgraph::timing::Timing;
use autofuse::timing::{self, PriceError};
use clap::ValueEnum;

use crate::base::ctx::Ctx;
use crate::base::diag::{HintExt, Kind, failed};

/// How the tiling function chooses
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Tiles {
    /// The cheapest by the timing model of HOSTCANN_SOC; the largest without its parameters
    #[default]
    Model,
    /// The largest that fit, fewer on a core
    Largest,
}

/// Prices the plan. Nothing is done where there is no model.
pub fn price(cx: &Ctx, plan: &mut Plan, tiles: Tiles) -> Result<()> {
    if tiles == Tiles::Largest {
        return Ok(());
    }
    if let Some(timing) = model(cx)? {
        plan.price(&timing);
    }
    Ok(())
}

/// The timing model of HOSTCANN_SOC, where there is one.
pub fn model(cx: &Ctx) -> Result<Option<Timing>> {
    let asked = std::env::var("HOSTCANN_SOC").ok();
    timing::of(&cx.project.home.join("hostcann/soc"), asked.as_deref()).map_err(|error| match &error {
        PriceError::UnknownSoc { known, .. } => {
            failed(Kind::UnknownSoc, error.to_string()).hint(format!("it has {}", known.join(", ")))
        }
        PriceError::File(_) => error.into(),
    })
}
