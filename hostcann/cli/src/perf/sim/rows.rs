//! The rows of a core's timeline, by the names that the field's own traces have.

use super::launch::{CoreTrace, Event};

/// A pipe of the toolkit and the row it gets.
pub const ROWS: [(&str, &str); 5] =
    [("LAUNCH", "LAUNCH"), ("S", "SCALAR"), ("MTE2", "MTE2"), ("V", "VECTOR"), ("MTE3", "MTE3")];

/// A pipe that is none of these keeps its own name and comes last.
pub fn row(pipe: &str) -> (usize, &str) {
    let known = ROWS.iter().position(|(name, _)| *name == pipe);
    known.map_or((ROWS.len(), pipe), |at| (at, ROWS[at].1))
}

/// `core3.veccore1`: two vector cores belong to one core, and blocks go to the first one of every core first.
pub fn core(number: u32, ai_cores: u32) -> String {
    let cores = if ai_cores == 0 { u32::MAX } else { ai_cores };
    format!("core{}.veccore{}", number % cores, number / cores)
}

/// For every event the first lane of its row that is free when it begins: copies of one pipe may be under way together.
pub fn lanes(trace: &CoreTrace) -> Vec<usize> {
    let mut order: Vec<usize> = (0..trace.events.len()).collect();
    order.sort_by(|&a, &b| trace.events[a].start.total_cmp(&trace.events[b].start));
    let mut ends: Vec<(&str, usize, f64)> = Vec::new();
    let mut lanes = vec![0; trace.events.len()];
    for at in order {
        let Event { pipe, start, end, .. } = &trace.events[at];
        let free = ends.iter_mut().filter(|(of, ..)| *of == pipe).find(|(.., until)| *until <= *start);
        lanes[at] = match free {
            Some((_, lane, until)) => {
                *until = *end;
                *lane
            }
            None => {
                let lane = ends.iter().filter(|(of, ..)| *of == pipe).count();
                ends.push((pipe, lane, *end));
                lane
            }
        };
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(pipe: &str, start: f64, end: f64) -> Event {
        Event { pipe: pipe.into(), name: "x".into(), start, end, ..Event::default() }
    }

    #[test]
    fn names() {
        assert_eq!([row("S"), row("V"), row("MTE3"), row("M")], [(1, "SCALAR"), (3, "VECTOR"), (4, "MTE3"), (5, "M")]);
        assert_eq!(
            [core(0, 20), core(19, 20), core(20, 20), core(39, 20)],
            ["core0.veccore0", "core19.veccore0", "core0.veccore1", "core19.veccore1"]
        );
        assert_eq!(core(7, 0), "core7.veccore0", "nobody said how many there are");
    }

    #[test]
    fn events_that_overlap_lie_beside_each_other() {
        let events = vec![
            event("MTE2", 0.0, 10.0),
            event("MTE2", 4.0, 14.0),
            event("V", 4.0, 6.0),
            event("MTE2", 10.0, 20.0),
            event("MTE2", 12.0, 13.0),
        ];
        assert_eq!(lanes(&CoreTrace { events, ..CoreTrace::default() }), [0, 1, 0, 0, 2]);
    }
}
