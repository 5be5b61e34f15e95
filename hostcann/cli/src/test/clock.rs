//! What a layer costs: wall seconds, and processor seconds of the processes that ended meanwhile.

use std::time::Instant;

pub use crate::base::report::LayerTime;
use crate::base::term::out;

pub struct Clock {
    wall: Instant,
    processor: f64,
}

impl Clock {
    pub fn start() -> Clock {
        Clock { wall: Instant::now(), processor: children() }
    }

    pub fn stop(self, layer: &str) -> LayerTime {
        let rounded = |seconds: f64| (seconds * 10.0).round() / 10.0;
        LayerTime {
            layer: layer.to_owned(),
            wall_s: rounded(self.wall.elapsed().as_secs_f64()),
            processor_s: rounded(children() - self.processor),
        }
    }
}

/// Layers that take a second or more.
pub fn show(times: &[LayerTime]) {
    for LayerTime { layer, wall_s, processor_s } in times.iter().filter(|time| time.wall_s >= 1.0) {
        out!("  time {layer:<22} {wall_s:>7.1} s wall {processor_s:>7.1} s processor");
    }
}

/// Processor seconds of the children that have been waited for.
fn children() -> f64 {
    // SAFETY: all zeroes is a valid rusage, and getrusage writes no more than one.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
