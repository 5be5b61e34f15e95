//! How far the times of a launch may be off.

use crate::base::report::ErrorBar;

impl ErrorBar {
    /// `± 4 % (element-wise, long calls)`
    pub fn text(&self) -> String {
        match self.percent {
            Some(percent) => format!("± {percent} % ({})", self.class),
            None => format!("no error known ({})", self.class),
        }
    }
}
