//! What source lines cost: the part of a pipe's busy time that their instructions account for.

use aicore::model::{OpKind, OpTime};
use std::collections::BTreeMap;

/// Waiting is nobody's work.
pub fn is_work(kind: &OpKind) -> bool {
    !matches!(kind, OpKind::SetFlag | OpKind::WaitFlag | OpKind::Barrier | OpKind::SyncAll)
}

/// The cycles of every instruction. Where several are under way on a pipe at once they share the time, so that those of a pipe
/// add up to the time it is busy.
pub fn shares(ops: &[OpTime]) -> Vec<f64> {
    let mut shares = vec![0.0; ops.len()];
    let mut pipes: BTreeMap<&str, Vec<(f64, bool, usize)>> = BTreeMap::new();
    for (i, op) in ops.iter().enumerate().filter(|(_, op)| is_work(&op.kind)) {
        pipes.entry(op.pipe.name()).or_default().extend([(op.start, true, i), (op.end, false, i)]);
    }
    for mut edges in pipes.into_values() {
        // At one time those that end go first.
        edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut under_way, mut since): (Vec<usize>, f64) = (Vec::new(), 0.0);
        for (at, begins, i) in edges {
            let each = (at - since) / under_way.len().max(1) as f64;
            under_way.iter().for_each(|i| shares[*i] += each);
            since = at;
            match begins {
                true => under_way.push(i),
                false => under_way.retain(|other| *other != i),
            }
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use aicore::{Pipe, Site};

    fn op(pipe: Pipe, start: f64, end: f64, kind: OpKind) -> OpTime {
        OpTime { pipe, name: "x".into(), start, end, issued: 0.0, site: Site::default(), kind, waited_for: None }
    }

    #[test]
    fn copies_that_overlap_share_the_time() {
        let copy =
            |start, end| op(Pipe::MTE2, start, end, OpKind::Copy { bytes: 1, bursts: 1, argument: None, offset: 0 });
        let vector = op(Pipe::V, 0.0, 100.0, OpKind::Vector { repeats: 1, ii: 1.0, fixed: 1.0, conflict_cycles: 0.0 });
        let ops = [copy(0.0, 100.0), copy(50.0, 150.0), copy(50.0, 150.0), copy(200.0, 210.0), vector];
        let third = 50.0 / 3.0;
        let found = shares(&ops);
        assert_eq!(found, [50.0 + third, third + 25.0, third + 25.0, 10.0, 100.0]);
        assert_eq!(found[..4].iter().sum::<f64>(), 160.0, "as long as the pipe is busy");
    }

    #[test]
    fn waiting_is_no_work() {
        let wait = op(Pipe::V, 0.0, 100.0, OpKind::WaitFlag);
        // An instruction that takes no time ends as it begins.
        let nothing =
            op(Pipe::V, 100.0, 100.0, OpKind::Vector { repeats: 0, ii: 1.0, fixed: 0.0, conflict_cycles: 0.0 });
        assert_eq!(shares(&[wait, nothing]), [0.0, 0.0]);
    }
}
