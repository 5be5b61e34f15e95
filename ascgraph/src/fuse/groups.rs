//! Which operators of a fused graph become one kernel: two that read of each other, or the same, where the timing model says
//! that one launch takes less time than two.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fused, Machine, Operators, Single};
use crate::fused::{Group, assemble, backends, join_members, maker};
use crate::interp;
use crate::plan::Plan;

struct State<'a> {
    single: &'a Single,
    names: Vec<String>,
    /// By member: the members whose results it reads.
    needs: Vec<BTreeSet<usize>>,
    /// By member: all operands.
    reads: Vec<Vec<String>>,
    groups: Vec<Group>,
    prices: Vec<Option<i64>>,
    machine: Option<Machine<'a>>,
}

/// Groups the AscBackends of `single`; `members` are its operators.
///
/// # Errors
///
/// One of them is no kernel by itself.
pub fn group(
    all: &Operators,
    single: Single,
    members: &[usize],
    machine: Option<Machine>,
    log: &mut Vec<String>,
) -> Result<Fused, String> {
    let list: Vec<_> = backends(&single.fused).collect();
    let names: Vec<String> = members.iter().map(|at| all.nodes[*at].name.clone()).collect();
    let makers: BTreeMap<&str, usize> = list.iter().enumerate().map(|(at, one)| (one.0, at)).collect();
    let needs = list.iter().map(|one| one.2.iter().filter_map(|input| makers.get(maker(input)?).copied()).collect());
    let needs: Vec<BTreeSet<usize>> = needs.collect();
    let reads = list.iter().map(|one| one.2.to_vec()).collect();
    let mut state = State { single: &single, names, needs, reads, groups: Vec::new(), prices: Vec::new(), machine };
    for at in 0..members.len() {
        state.push(join_members(&single.fused, &[at])?);
    }
    let price_single = state.prices.iter().copied().collect::<Option<Vec<i64>>>().map(|all| all.iter().sum::<i64>());
    state.merge(log);
    state.order();
    let us = |ticks: i64| machine.map(|machine| machine.us(ticks));
    let price = state.prices.iter().copied().collect::<Option<Vec<i64>>>().and_then(|all| us(all.iter().sum()));
    let named = |group: &Group| group.0.iter().map(|member| state.names[*member].clone()).collect();
    let launches = state.groups.iter().map(named).collect();
    let groups = state.groups;
    let mut parts = assemble(&single.fused, groups, Vec::new());
    if let Some(machine) = machine {
        parts.price(machine.timing);
    }
    let name = single.fused.name.clone();
    Ok(Fused {
        name,
        launches,
        results: members.iter().map(|at| all.nodes[*at].outputs[0].clone()).collect(),
        parts,
        inputs: single.inputs,
        outputs: single.outputs,
        single: single.fused,
        price,
        price_single: price_single.and_then(us),
    })
}

impl State<'_> {
    fn push(&mut self, mut group: Group) {
        let price = self.price(&mut group.2);
        self.groups.push(group);
        self.prices.push(price);
    }

    /// Ticks of a launch; `None` without a number for it.
    fn price(&self, plan: &mut Plan) -> Option<i64> {
        let machine = self.machine?;
        plan.price(machine.timing);
        let ticks = interp::price(plan, machine.sizes, machine.limits)?;
        Some(ticks + (machine.timing.launch_base * 1024.0) as i64)
    }

    /// `[a, b]`, or one alone.
    fn shown(&self, group: usize) -> String {
        match self.groups[group].0.as_slice() {
            [one] => self.names[*one].clone(),
            all => {
                format!("[{}]", all.iter().map(|member| self.names[*member].as_str()).collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn needs(&self, group: usize) -> BTreeSet<usize> {
        let needed = self.groups[group].0.iter().flat_map(|member| self.needs[*member].iter().copied());
        let of = |member: usize| self.groups.iter().position(|group| group.0.contains(&member));
        needed.filter_map(of).filter(|other| *other != group).collect()
    }

    /// Does `to` need `from` through another group?
    fn around(&self, from: usize, to: usize) -> Option<usize> {
        self.needs(to).into_iter().filter(|via| *via != from).find(|via| {
            let (mut open, mut seen) = (vec![*via], BTreeSet::new());
            while let Some(at) = open.pop() {
                if at == from {
                    return true;
                }
                open.extend(self.needs(at).into_iter().filter(|next| seen.insert(*next)));
            }
            false
        })
    }

    /// Pairs of which the second reads the first, and then those that read the same.
    fn pairs(&self) -> Vec<(usize, usize, bool)> {
        let mut pairs = Vec::new();
        for to in 0..self.groups.len() {
            pairs.extend(self.needs(to).into_iter().map(|from| (from, to, true)));
        }
        let reads = |group: usize| self.groups[group].0.iter().flat_map(|member| &self.reads[*member]);
        for to in 0..self.groups.len() {
            for from in 0..to {
                if reads(to).any(|name| reads(from).any(|other| other == name)) {
                    pairs.push((from, to, false));
                }
            }
        }
        pairs
    }

    fn merge(&mut self, log: &mut Vec<String>) {
        let mut failed: BTreeMap<(Vec<usize>, Vec<usize>), String> = BTreeMap::new();
        loop {
            let mut merged = false;
            for (from, to, reads) in self.pairs() {
                let key = (self.groups[from].0.clone(), self.groups[to].0.clone());
                if failed.contains_key(&key) || failed.contains_key(&(key.1.clone(), key.0.clone())) {
                    continue;
                }
                match self.tried(from, to) {
                    Ok((group, line)) => {
                        log.push(line);
                        for gone in [from.max(to), from.min(to)] {
                            self.groups.remove(gone);
                            self.prices.remove(gone);
                        }
                        self.push(group);
                        merged = true;
                        break;
                    }
                    Err(why) => {
                        let line = format!("{} and {} are two launches: {why}", self.shown(from), self.shown(to));
                        // Of two that only read the same nobody asks.
                        failed.insert(key, if reads { line } else { String::new() });
                    }
                }
            }
            if !merged {
                break;
            }
        }
        for (from, to, _) in self.pairs() {
            let key = (self.groups[from].0.clone(), self.groups[to].0.clone());
            // Two that read of each other may read the same, too.
            log.extend(failed.remove(&key).filter(|line| !line.is_empty()));
        }
    }

    fn tried(&self, from: usize, to: usize) -> Result<(Group, String), String> {
        for (a, b) in [(from, to), (to, from)] {
            if let Some(via) = self.around(a, b) {
                return Err(format!("{} is between them", self.shown(via)));
            }
        }
        let mut members = [self.groups[from].0.clone(), self.groups[to].0.clone()].concat();
        members.sort_unstable();
        let mut group = join_members(&self.single.fused, &members)?;
        let two = self.prices[from].zip(self.prices[to]).map(|(a, b)| a + b);
        let one = self.price(&mut group.2);
        let names = format!("{} and {}", self.shown(from), self.shown(to));
        let (Some(machine), Some(one), Some(two)) = (self.machine, one, two) else {
            return Ok((group, format!("{names} are one launch, which the timing model has no price for")));
        };
        let (one_us, two_us) = (machine.us(one), machine.us(two));
        if one >= two {
            return Err(format!("one would take {one_us:.2} us, two take {two_us:.2} us"));
        }
        Ok((group, format!("{names} are one launch: {one_us:.2} us instead of {two_us:.2} us")))
    }

    /// Launches in the order of their operands.
    fn order(&mut self) {
        let mut order: Vec<usize> = Vec::new();
        while order.len() < self.groups.len() {
            let ready = |at: &usize| !order.contains(at) && self.needs(*at).iter().all(|need| order.contains(need));
            let first = |at: &usize| self.groups[*at].0.first().copied();
            let Some(next) = (0..self.groups.len()).filter(ready).min_by_key(first) else { break };
            order.push(next);
        }
        let mut old: Vec<Option<(Group, Option<i64>)>> =
            std::mem::take(&mut self.groups).into_iter().zip(std::mem::take(&mut self.prices)).map(Some).collect();
        for (group, price) in order.into_iter().filter_map(|at| old[at].take()) {
            self.groups.push(group);
            self.prices.push(price);
        }
    }
}
