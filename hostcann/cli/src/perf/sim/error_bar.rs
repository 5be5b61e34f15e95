//! How far the times of a launch may be off.

use serde::{Deserialize, Serialize};

use super::launch::Launch;

/// The class of a launch and the mean error of the model in it, in percent where one is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ErrorBar {
    pub class: String,
    pub percent: Option<f64>,
    pub source: String,
}

impl ErrorBar {
    /// `± 4 % (element-wise, long calls)`
    pub fn text(&self) -> String {
        match self.percent {
            Some(percent) => format!("± {percent} % ({})", self.class),
            None => format!("no error known ({})", self.class),
        }
    }
}

/// Between two times: with all of the L2, and with a part of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct L2Edge {
    pub part: f64,
    pub fits_us: f64,
    pub misses_us: f64,
}

impl Launch {
    /// The Task Duration in µs, or the two that it lies between: `13.76`, `21.40 to 178.60`.
    pub fn us_text(&self) -> String {
        match &self.l2_edge {
            Some(edge) => format!("{:.2} to {:.2}", edge.fits_us, edge.misses_us),
            None => format!("{:.2}", self.task_us),
        }
    }

    /// By how much every time of the launch is off in the mean of its class; empty where nothing was said.
    pub fn error_text(&self) -> String {
        self.error.as_ref().map_or(String::new(), ErrorBar::text)
    }

    /// The longer of two times near the size of the L2, otherwise the only one.
    pub fn longest_us(&self) -> f64 {
        self.l2_edge.as_ref().map_or(self.task_us, |edge| edge.misses_us)
    }
}
