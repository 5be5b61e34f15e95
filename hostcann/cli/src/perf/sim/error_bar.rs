//! How far the times of a launch may be off.

use serde::{Deserialize, Serialize};

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
