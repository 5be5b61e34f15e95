//! What the cores of a launch do to global memory, judged when all of them are done.
//!
//! Nothing orders the cores of a launch except SyncAll, so two accesses of different cores in the same epoch (the time
//! between two SyncAll) have no order. The blocks run here one after the other or on a few threads; the record does
//! not depend on that.

use super::{LaunchInfo, order::What, outputs::Outputs};
use crate::{
    fault::{Fault, FaultClass, Raise},
    pipe::Pipe,
    site::Site,
};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) const LINE: usize = 64;
const BLOCK: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    /// A copy from the unified buffer.
    Write,
    /// A copy in an atomic mode.
    Atomic,
    /// GlobalTensor::SetValue.
    Scalar,
}

/// Bytes that a core touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    pub what: What,
    pub site: Site,
}

/// One core in one epoch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub core: u32,
    pub spans: Vec<Span>,
    /// What the data cache still holds at the end of the epoch, and its last store.
    pub unclean: Vec<(usize, usize, Site)>,
    /// Spans after which they are joined.
    room: usize,
}

/// Spans of one core that are kept as they come.
const MANY: usize = 1 << 16;

impl Log {
    pub fn of(core: u32) -> Log {
        Log { core, ..Log::default() }
    }

    pub fn push(&mut self, span: Span) {
        if let Some(last) = self.spans.last_mut()
            && (last.kind, last.what, last.site) == (span.kind, span.what, span.site)
        {
            if last.end == span.start {
                last.end = span.end;
                return;
            }
            if last.start <= span.start && span.end <= last.end {
                return;
            }
        }
        self.spans.push(span);
        if self.spans.len() > self.room.max(MANY) {
            self.join();
            self.room = 2 * self.spans.len();
        }
    }

    /// Drops what other spans of the kind cover: a long kernel needs no more memory than its data.
    #[cold]
    fn join(&mut self) {
        self.spans.sort_by_key(|s| (s.kind as u32, s.start, std::cmp::Reverse(s.end)));
        let mut joined: Vec<Span> = Vec::new();
        for mut span in self.spans.drain(..) {
            if let Some(last) = joined.last_mut().filter(|last| last.kind == span.kind) {
                if (last.what, last.site) == (span.what, span.site) && span.start <= last.end {
                    last.end = last.end.max(span.end);
                    continue;
                }
                span.start = span.start.max(last.end);
            }
            if span.start < span.end {
                joined.push(span);
            }
        }
        self.spans = joined;
    }
}

#[derive(Default)]
struct Record {
    epochs: Vec<Vec<Log>>,
    /// Reads of bytes that no earlier epoch wrote: faults, unless another core writes the bytes in that epoch, which
    /// is a fault of another kind.
    undefined: Vec<Fault>,
    /// Some cores were ordered by calls of their own.
    paired: bool,
}

/// One launch in check mode.
pub(crate) struct Launch {
    pub info: LaunchInfo,
    pub name: String,
    pub blocks: u32,
    outputs: Outputs,
    record: Mutex<Record>,
}

impl Launch {
    pub fn new(info: LaunchInfo, name: &str, blocks: u32) -> Launch {
        let outputs = Outputs::of(&info);
        Launch { info, name: name.to_owned(), blocks, outputs, record: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of a core's epoch.
    pub fn submit(&self, epoch: usize, log: Log) {
        let mut r = self.lock();
        if r.epochs.len() <= epoch {
            r.epochs.resize_with(epoch + 1, Vec::new);
        }
        r.epochs[epoch].push(log);
    }

    pub fn defer(&self, fault: Fault) {
        self.lock().undefined.push(fault);
    }

    /// A call that orders some cores only. Which of their accesses it orders is not followed: nothing is said about
    /// accesses of several cores in such a launch.
    pub fn pair(&self) {
        self.lock().paired = true;
    }

    /// A core writes these bytes of global memory.
    pub fn cover(&self, start: usize, end: usize) {
        self.outputs.cover(start, end);
    }

    /// Another core's copy into `start..end` in the epochs `from..to`.
    pub fn other_write(&self, core: u32, start: usize, end: usize, from: usize, to: usize) -> Option<(u32, Span)> {
        let r = self.lock();
        let logs = r.epochs.iter().take(to).skip(from).flatten().filter(|l| l.core != core);
        logs.flat_map(|l| l.spans.iter().map(|s| (l.core, *s)))
            .find(|(_, s)| s.kind != Kind::Read && s.start < end && start < s.end)
    }

    /// Judges the launch once every block has ended without a fault.
    pub fn judge(&self) -> Result<(), Fault> {
        let r = self.lock();
        if !r.paired {
            self.judge_order(&r)?;
        }
        match self.outputs.missing(&self.info) {
            Some(raise) => Err(raise.into_fault(&self.name, 0, None)),
            None => Ok(()),
        }
    }

    /// What several cores do to the same memory.
    fn judge_order(&self, r: &Record) -> Result<(), Fault> {
        let alone = r.epochs.iter().find_map(|logs| judge_epoch(logs, &self.info));
        let pairs = || r.epochs.iter().zip(r.epochs.iter().skip(1));
        let found = alone.or_else(|| pairs().find_map(|(before, logs)| judge_unclean(before, logs, &self.info)));
        if let Some((core, raise)) = found {
            let at = raise.site.and_then(Site::location);
            return Err(raise.into_fault(&self.name, core, at));
        }
        match r.undefined.iter().min_by_key(|f| f.core) {
            Some(f) => Err(f.clone()),
            None => Ok(()),
        }
    }
}

type Owned = (u32, Span);
/// Whether two kinds of access must not meet.
type Clash<'a> = &'a dyn Fn(Kind, Kind) -> bool;

/// The first pair of different cores, by address, that meet when spans are widened to `unit`.
fn first_pair(spans: &[Owned], unit: usize, clash: impl Fn(Kind, Kind) -> bool) -> Option<(Owned, Owned)> {
    let widen = |s: &Span| (s.start / unit * unit, s.end.next_multiple_of(unit));
    let mut order: Vec<&Owned> = spans.iter().collect();
    order.sort_by_key(|(core, s)| (widen(s).0, *core));
    // Per kind the two spans of different cores that reach farthest.
    const KINDS: [Kind; 4] = [Kind::Read, Kind::Write, Kind::Atomic, Kind::Scalar];
    let mut far: [[Option<Owned>; 2]; 4] = [[None; 2]; 4];
    for (core, s) in order {
        let (start, end) = widen(s);
        for (k, kind) in KINDS.into_iter().enumerate() {
            if clash(kind, s.kind) {
                let hit = far[k].iter().flatten().find(|(c, o)| c != core && widen(o).1 > start);
                if let Some(first) = hit {
                    return Some((*first, (*core, *s)));
                }
            }
        }
        let slot = &mut far[s.kind as usize];
        let same = slot.iter().position(|o| o.is_some_and(|(c, _)| c == *core));
        let reach = |o: &Option<Owned>| o.map_or(0, |(_, s)| widen(&s).1);
        let i = same.unwrap_or(if reach(&slot[0]) <= reach(&slot[1]) { 0 } else { 1 });
        if reach(&slot[i]) < end {
            slot[i] = Some((*core, *s));
        }
    }
    None
}

fn judge_epoch(logs: &[Log], info: &LaunchInfo) -> Option<(u32, Raise)> {
    if logs.len() < 2 {
        return None;
    }
    let spans: Vec<Owned> = logs.iter().flat_map(|l| l.spans.iter().map(|s| (l.core, *s))).collect();
    use Kind::*;
    let writes = |k: Kind| k != Read;
    // The same bytes, at least one side a copy that is not atomic with the other.
    let same = |a: Kind, b: Kind| {
        writes(a) && writes(b) && (a, b) != (Atomic, Atomic) && (a, b) != (Scalar, Scalar) || writes(a) != writes(b)
    };
    // A scalar store writes back its whole 64-byte line (GlobalTensor::SetValue page).
    let line = |a: Kind, b: Kind| (a == Scalar && writes(b)) || (b == Scalar && writes(a));
    let block = |a: Kind, b: Kind| writes(a) && writes(b) && (a, b) != (Atomic, Atomic) && a != Scalar && b != Scalar;
    let rules: [(usize, Clash); 3] = [(1, &same), (LINE, &line), (BLOCK, &block)];
    rules.into_iter().find_map(|(unit, clash)| {
        let (a, b) = first_pair(&spans, unit, clash)?;
        let found = meet(a, b, unit, info);
        (!info.options.allow.contains(&found.1.class)).then_some(found)
    })
}

/// What waits in the data cache of one core when another one comes to it behind SyncAll.
fn judge_unclean(before: &[Log], logs: &[Log], info: &LaunchInfo) -> Option<(u32, Raise)> {
    if info.options.allow.contains(&FaultClass::ScalarCache) {
        return None;
    }
    let waiting = before.iter().flat_map(|log| log.unclean.iter().map(|u| (log.core, *u)));
    for (core, (from, to, site)) in waiting {
        let meets = |s: &Span| s.start < to && from < s.end;
        let others = logs.iter().filter(|l| l.core != core);
        let hit = others.flat_map(|l| l.spans.iter().map(|s| (l.core, s))).find(|(_, s)| meets(s));
        let Some((other, span)) = hit else { continue };
        let at = site.location().map_or(String::new(), |l| format!(" at {l}"));
        let what =
            format!("one core touches what waits in another's data cache: core {core} wrote it with SetValue{at}");
        let mut r = Raise::new(FaultClass::ScalarCache, pipe_of(span), span.what.name(), what)
            .operand("GlobalTensor")
            .expected(format!("DataCacheCleanAndInvalid on core {core} before SyncAll"))
            .got(format!("core {other} at {}", info.place(span.start, span.end)))
            .fix(
                "call DataCacheCleanAndInvalid<T, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT> after SetValue",
            );
        r.site = Some(span.site);
        return Some((other, r));
    }
    None
}

fn pipe_of(span: &Span) -> Pipe {
    match span.what {
        What::Copy { direction: 0, .. } => Pipe::MTE2,
        What::Copy { .. } => Pipe::MTE3,
        _ => Pipe::S,
    }
}

fn meet(a: Owned, b: Owned, unit: usize, info: &LaunchInfo) -> (u32, Raise) {
    // The lower core is the first in the text.
    let ((ca, a), (cb, b)) = if a.0 <= b.0 { (a, b) } else { (b, a) };
    let verb = |k: Kind| if k == Kind::Read { "reads" } else { "writes" };
    let place = |s: &Span| s.site.location().map_or(String::new(), |l| format!(" at {l}"));
    let other = format!("core {ca} {} with {}{}", verb(a.kind), a.what.name(), place(&a));
    let (from, to) = (a.start.max(b.start), a.end.min(b.end));
    let bytes = |s: &Span| info.place(s.start, s.end);
    let (class, what, fix) = if unit == LINE {
        (
            FaultClass::ScalarCache,
            format!("two cores write one 64-byte line of global memory, one of them through its data cache: {other}"),
            "give every core lines of its own (64 bytes), or write with DataCopyPad",
        )
    } else if unit == BLOCK {
        (
            FaultClass::SharedBlock,
            format!("two cores write one 32-byte block of global memory: {other}"),
            "split the work between cores at multiples of 32 bytes",
        )
    } else if a.kind == Kind::Read || b.kind == Kind::Read {
        let what =
            format!("one core reads what another writes in the same launch, without SyncAll between them: {other}");
        (FaultClass::MultiCore, what, "call SyncAll between the two, or make two launches")
    } else {
        let fix = "let every core write its own part, or add up with SetAtomicAdd";
        (FaultClass::MultiCore, format!("two cores write the same bytes of global memory: {other}"), fix)
    };
    let got = if from < to {
        format!("core {cb} {} {}", verb(b.kind), info.place(from, to))
    } else {
        format!("core {ca} has {}, core {cb} {}", bytes(&a), bytes(&b))
    };
    let mut r = Raise::new(class, pipe_of(&b), b.what.name(), what)
        .operand("GlobalTensor")
        .expected("cores that do not meet between two SyncAll")
        .got(got)
        .fix(fix);
    r.site = Some(b.site);
    (cb, r)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COPY: What = What::Copy { direction: 1, kind: 2, dtype: 0 };

    fn log(core: u32, spans: &[(usize, usize, Kind)]) -> Log {
        let mut l = Log::of(core);
        for (i, (start, end, kind)) in spans.iter().enumerate() {
            l.push(Span { start: *start, end: *end, kind: *kind, what: COPY, site: Site(i + 1) });
        }
        l
    }

    fn allowing(allow: &[FaultClass]) -> LaunchInfo {
        let options = super::super::Options { allow: allow.to_vec(), ..Default::default() };
        LaunchInfo { options, ..LaunchInfo::default() }
    }

    fn verdict(logs: &[Log]) -> Option<(u32, FaultClass, String)> {
        judge_epoch(logs, &allowing(&[])).map(|(c, r)| (c, r.class, r.what.clone()))
    }

    #[test]
    fn writes_of_two_cores() {
        use Kind::*;
        assert_eq!(verdict(&[log(0, &[(0, 64, Write)]), log(1, &[(64, 128, Write)])]), None);
        let (core, class, what) = verdict(&[log(0, &[(0, 65, Write)]), log(1, &[(64, 128, Write)])]).unwrap();
        assert_eq!((core, class), (1, FaultClass::MultiCore));
        assert!(what.contains("same bytes"), "{what}");
        let (_, class, what) = verdict(&[log(0, &[(0, 70, Write)]), log(1, &[(70, 128, Write)])]).unwrap();
        assert_eq!(class, FaultClass::SharedBlock);
        assert!(what.contains("32-byte block"), "{what}");
        // A long span of a third core lies between.
        let far = [log(0, &[(0, 1000, Write)]), log(2, &[(2000, 2032, Write)]), log(1, &[(992, 1024, Write)])];
        assert_eq!(verdict(&far).unwrap().0, 1);
    }

    #[test]
    fn atomic_writes_are_exempt_among_themselves() {
        use Kind::*;
        assert_eq!(verdict(&[log(0, &[(0, 64, Atomic)]), log(1, &[(0, 64, Atomic)])]), None);
        assert!(verdict(&[log(0, &[(0, 64, Atomic)]), log(1, &[(0, 64, Write)])]).is_some());
    }

    #[test]
    fn reads_of_what_another_core_writes() {
        use Kind::*;
        let (_, class, what) = verdict(&[log(0, &[(0, 64, Write)]), log(1, &[(32, 40, Read)])]).unwrap();
        assert_eq!(class, FaultClass::MultiCore);
        assert!(what.contains("SyncAll"), "{what}");
        assert_eq!(verdict(&[log(0, &[(0, 64, Write)]), log(1, &[(64, 96, Read)])]), None);
        assert_eq!(verdict(&[log(0, &[(0, 64, Read)]), log(1, &[(0, 64, Read)])]), None);
        assert_eq!(verdict(&[log(0, &[(0, 64, Write), (0, 64, Read)]), log(1, &[(64, 96, Read)])]), None);
    }

    #[test]
    fn scalar_stores_share_no_line() {
        use Kind::*;
        let (_, class, _) = verdict(&[log(0, &[(0, 4, Scalar)]), log(1, &[(60, 64, Scalar)])]).unwrap();
        assert_eq!(class, FaultClass::ScalarCache);
        assert_eq!(verdict(&[log(0, &[(0, 4, Scalar)]), log(1, &[(64, 68, Scalar)])]), None);
        let (_, class, _) = verdict(&[log(0, &[(0, 4, Scalar)]), log(1, &[(32, 64, Write)])]).unwrap();
        assert_eq!(class, FaultClass::ScalarCache);
    }

    #[test]
    fn an_allowed_class_hides_no_other() {
        use Kind::*;
        let logs = [log(0, &[(0, 64, Write), (128, 132, Scalar)]), log(1, &[(0, 64, Write), (160, 164, Scalar)])];
        let class = |allow: &[FaultClass]| judge_epoch(&logs, &allowing(allow)).map(|(_, r)| r.class);
        assert_eq!(class(&[]), Some(FaultClass::MultiCore));
        assert_eq!(class(&[FaultClass::MultiCore]), Some(FaultClass::ScalarCache));
        assert_eq!(class(&[FaultClass::MultiCore, FaultClass::ScalarCache]), Some(FaultClass::SharedBlock));
        let all = [FaultClass::MultiCore, FaultClass::ScalarCache, FaultClass::SharedBlock];
        assert_eq!(class(&all), None);
    }

    #[test]
    fn epochs_are_apart() {
        let l = Launch::new(LaunchInfo::default(), "k", 2);
        l.submit(0, log(0, &[(0, 64, Kind::Write)]));
        l.submit(0, log(1, &[]));
        l.submit(1, log(0, &[]));
        l.submit(1, log(1, &[(0, 64, Kind::Read)]));
        assert!(l.judge().is_ok());
        assert!(l.other_write(1, 0, 4, 0, 1).is_some() && l.other_write(0, 0, 4, 0, 1).is_none());
    }
}
