//! What the cores of a launch do to global memory, judged when all of them are done.
//!
//! Nothing orders the cores of a launch except SyncAll, so two accesses of different cores in the same epoch (the time
//! between two SyncAll) have no order. The blocks run here one after the other or on a few threads; the record does
//! not depend on that.

use super::{
    Extent, LaunchInfo, Role,
    auto_sync::AutoSync,
    cache::LINE,
    order::{InstructionKind, Relied},
    outputs::Outputs,
};
use crate::base::{
    fault::{Fault, FaultClass, Raise},
    pipe::Pipe,
    site::Site,
};
use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

const BLOCK: usize = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpanKind {
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
    pub kind: SpanKind,
    /// What a plain copy writes, where every byte is the same.
    pub fill: Option<u8>,
    pub what: InstructionKind,
    pub site: Site,
}

impl Span {
    /// Both leave the same bytes in the same place.
    fn repeats(&self, other: &Span) -> bool {
        let of = |s: &Span| (s.start, s.end, s.kind, s.fill);
        self.fill.is_some() && of(self) == of(other)
    }
}

/// One core in one epoch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub core: u32,
    pub spans: Vec<Span>,
    /// What the data cache still holds at the end of the epoch, and its last store.
    pub unclean: Vec<(usize, usize, Site)>,
    /// Words that the core read after DataCacheCleanAndInvalid of their line.
    pub polled: BTreeSet<(usize, usize)>,
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
            && (last.kind, last.fill, last.what, last.site) == (span.kind, span.fill, span.what, span.site)
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
                if last.fill != span.fill && span.start < last.end {
                    last.fill = None;
                    span.fill = None;
                }
                if (last.fill, last.what, last.site) == (span.fill, span.what, span.site) && span.start <= last.end {
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
    auto_sync: AutoSync,
}

/// One launch in check mode.
pub(crate) struct LaunchRecord {
    pub info: LaunchInfo,
    pub name: String,
    pub blocks: u32,
    outputs: Outputs,
    record: Mutex<Record>,
}

impl LaunchRecord {
    pub fn new(info: LaunchInfo, name: &str, blocks: u32) -> LaunchRecord {
        let outputs = Outputs::of(&info);
        LaunchRecord { info, name: name.to_owned(), blocks, outputs, record: Mutex::default() }
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

    /// What the automatic synchronisation has ordered on a core.
    pub fn rely(&self, core: u32, pairs: Relied) {
        self.lock().auto_sync.add(core, pairs);
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
            .find(|(_, s)| s.kind != SpanKind::Read && s.start < end && start < s.end)
    }

    /// Judges the launch once every block has ended without a fault.
    pub fn judge(&self) -> Result<(), Fault> {
        let r = self.lock();
        r.auto_sync.note(&self.info, &self.name);
        if !r.paired {
            self.judge_order(&r)?;
        }
        self.outputs.judge(&self.info).try_for_each(|raise| self.found(raise.into_fault(&self.name, 0, None)))
    }

    /// An error of the launch as a whole.
    fn found(&self, fault: Fault) -> Result<(), Fault> {
        match &self.info.errors {
            Some(errors) => {
                errors.keep(fault);
                Ok(())
            }
            None => Err(fault),
        }
    }

    /// Buffers that do not fit are a rule until an instruction goes to where there is no memory: then they are the cause.
    pub fn has_effect(&self, fault: &Fault) {
        let Some(errors) = self.info.errors.as_ref().filter(|_| fault.class == FaultClass::OutOfRange) else { return };
        let allows = self.info.options.allow.contains(&FaultClass::BufferSpace);
        for rule in self
            .info
            .rules
            .remove(|rule| !allows && rule.class == FaultClass::BufferSpace && rule.instruction == "InitBuffer")
        {
            errors.blame(rule);
        }
    }

    /// What several cores do to the same memory.
    fn judge_order(&self, r: &Record) -> Result<(), Fault> {
        let read = Ranges::read(&r.epochs);
        let mut good = true;
        for logs in &r.epochs {
            good &= self.judge_all(logs, |logs| self.judge_epoch(logs, &read))?;
        }
        for (before, logs) in r.epochs.iter().zip(r.epochs.iter().skip(1)) {
            good &= self.judge_all(logs, |logs| judge_unclean(before, logs, &self.info))?;
        }
        let mut undefined: Vec<&Fault> = if good { r.undefined.iter().collect() } else { Vec::new() };
        undefined.sort_by_key(|fault| fault.core);
        undefined.into_iter().try_for_each(|fault| self.found(fault.clone()))
    }

    /// Judges again without the call of each finding, until there is none; whether there was none at all.
    fn judge_all(&self, logs: &[Log], judge: impl Fn(&[Log]) -> Option<(u32, Raise)>) -> Result<bool, Fault> {
        let Some(mut next) = judge(logs) else { return Ok(true) };
        let mut left = logs.to_vec();
        loop {
            let (core, raise) = next;
            let site = raise.site.unwrap_or_default();
            self.found(raise.into_fault(&self.name, core, site.location()))?;
            left.iter_mut().for_each(|log| log.spans.retain(|span| span.site != site));
            match judge(&left) {
                Some(found) if found.1.site != Some(site) => next = found,
                _ => return Ok(false),
            }
        }
    }
}

/// Bytes of global memory, in order and apart.
struct Ranges(Vec<(usize, usize)>);

impl Ranges {
    /// What some core reads at any time.
    fn read(epochs: &[Vec<Log>]) -> Ranges {
        let spans = epochs.iter().flatten().flat_map(|log| &log.spans).filter(|s| s.kind == SpanKind::Read);
        let mut all: Vec<_> = spans.map(|s| (s.start, s.end)).collect();
        all.sort_unstable();
        all.dedup_by(|next, last| {
            let meets = next.0 <= last.1;
            if meets {
                last.1 = last.1.max(next.1);
            }
            meets
        });
        Ranges(all)
    }

    fn meet(&self, start: usize, end: usize) -> bool {
        let next = self.0.partition_point(|r| r.1 <= start);
        self.0.get(next).is_some_and(|r| r.0 < end)
    }
}

/// What a core does to some bytes.
#[derive(Clone, Copy)]
struct Owned {
    core: u32,
    span: Span,
    /// A write to a workspace whose bytes no core reads.
    unread: bool,
    /// The core writes one value there and nothing else in the epoch: another core that does the same changes nothing.
    alike: bool,
}

/// Whether it makes no difference which of the two comes last.
fn harmless(a: &Owned, b: &Owned) -> bool {
    a.unread && b.unread || a.alike && b.alike && a.span.repeats(&b.span)
}

/// Whether a core writes nothing else to the blocks of this span.
fn is_alone(span: &Span, log: &Log) -> bool {
    let (start, end) = (span.start / BLOCK * BLOCK, span.end.next_multiple_of(BLOCK));
    let mut others = log.spans.iter().filter(|o| o.kind != SpanKind::Read && o.start < end && start < o.end);
    span.fill.is_some() && others.all(|other| other.repeats(span))
}

/// Pairs of cores of which one reads a word past its cache that the other one stores: a flag. A loop that ends with its
/// first read looks like no loop, so one read is enough.
type Waited = BTreeSet<(u32, u32)>;

fn waited(logs: &[Log]) -> Waited {
    let mut pairs = Waited::new();
    for waiting in logs {
        for (start, end) in &waiting.polled {
            let sets = |s: &Span| s.kind == SpanKind::Scalar && s.start < *end && *start < s.end;
            let others = logs.iter().filter(|l| l.core != waiting.core && l.spans.iter().any(sets));
            pairs.extend(others.flat_map(|l| [(l.core, waiting.core), (waiting.core, l.core)]));
        }
    }
    pairs
}

/// Whether two accesses must not meet.
type Clash<'a> = &'a dyn Fn(&Owned, &Owned) -> bool;

/// The first pair of different cores, by address, that meet when spans are widened to `unit`.
fn first_pair(spans: &[Owned], unit: usize, waited: &Waited, clash: Clash) -> Option<(Owned, Owned)> {
    let widen = |o: &Owned| (o.span.start / unit * unit, o.span.end.next_multiple_of(unit));
    let mut order: Vec<&Owned> = spans.iter().collect();
    order.sort_by_key(|o| (widen(o).0, o.core));
    if !waited.is_empty() {
        // Cores that pass each other must not hide a third one.
        let mut open: Vec<&Owned> = Vec::new();
        for o in order {
            open.retain(|first| widen(first).1 > widen(o).0);
            let meets =
                |first: &&&Owned| first.core != o.core && !waited.contains(&(first.core, o.core)) && clash(first, o);
            if let Some(first) = open.iter().find(meets) {
                return Some((**first, *o));
            }
            open.push(o);
        }
        return None;
    }
    // Per kind, read and unread, the two spans of different cores that reach farthest.
    let mut far: [[Option<Owned>; 2]; 8] = [[None; 2]; 8];
    for o in order {
        let (start, end) = widen(o);
        let meets = |first: &&Owned| first.core != o.core && widen(first).1 > start && clash(first, o);
        if let Some(first) = far.iter().flatten().flatten().find(meets) {
            return Some((*first, *o));
        }
        let slot = &mut far[o.span.kind as usize + if o.unread { 4 } else { 0 }];
        let same = slot.iter().position(|s| s.is_some_and(|s| s.core == o.core));
        let reach = |s: &Option<Owned>| s.map_or(0, |s| widen(&s).1);
        let i = same.unwrap_or(if reach(&slot[0]) <= reach(&slot[1]) { 0 } else { 1 });
        if reach(&slot[i]) < end {
            slot[i] = Some(*o);
        }
    }
    None
}

impl LaunchRecord {
    /// What the cores do between two SyncAll. Which of two values memory keeps changes nothing when they are the same, or
    /// when it is a workspace that nobody reads.
    fn judge_epoch(&self, logs: &[Log], read: &Ranges) -> Option<(u32, Raise)> {
        if logs.len() < 2 {
            return None;
        }
        let info = &self.info;
        let unread = |s: &Span| {
            let holds = |e: &&Extent| e.role == Role::Workspace && e.base <= s.start && s.end <= e.end();
            s.kind != SpanKind::Read && info.extents.iter().any(|e| holds(&e)) && !read.meet(s.start, s.end)
        };
        let waited = waited(logs);
        let owned = |log: &Log, s: &Span| Owned { core: log.core, span: *s, unread: unread(s), alike: false };
        let mut spans: Vec<Owned> = logs.iter().flat_map(|l| l.spans.iter().map(|s| owned(l, s))).collect();
        if let Some(error) = find(&spans, info, &waited, false) {
            // Only now is it worth to look whose writes are alike.
            for (o, log) in spans.iter_mut().zip(logs.iter().flat_map(|l| l.spans.iter().map(move |_| l))) {
                o.alike = is_alone(&o.span, log);
            }
            if !spans.iter().any(|o| o.alike) {
                return Some(error);
            }
            if let Some(error) = find(&spans, info, &waited, false) {
                return Some(error);
            }
        }
        let (core, raise) =
            spans.iter().any(|o| o.unread || o.alike).then(|| find(&spans, info, &waited, true)).flatten()?;
        let raise = raise.rule();
        if info.options.strict {
            return Some((core, raise));
        }
        let site = raise.site.unwrap_or_default();
        info.rules.add(raise, &self.name, core, site);
        None
    }
}

/// The first two accesses that must not meet: those that change nothing, or the others.
fn find(spans: &[Owned], info: &LaunchInfo, waited: &Waited, rules_only: bool) -> Option<(u32, Raise)> {
    use SpanKind::*;
    let writes = |k: SpanKind| k != Read;
    // The same bytes, at least one side a copy that is not atomic with the other.
    let same = |a: SpanKind, b: SpanKind| {
        writes(a) && writes(b) && (a, b) != (Atomic, Atomic) && (a, b) != (Scalar, Scalar) || writes(a) != writes(b)
    };
    // A scalar store writes back its whole 64-byte line (GlobalTensor::SetValue page).
    let line = |a: SpanKind, b: SpanKind| (a == Scalar && writes(b)) || (b == Scalar && writes(a));
    let block =
        |a: SpanKind, b: SpanKind| writes(a) && writes(b) && (a, b) != (Atomic, Atomic) && a != Scalar && b != Scalar;
    type Kinds<'a> = &'a dyn Fn(SpanKind, SpanKind) -> bool;
    let rules: [(usize, Kinds); 3] = [(1, &same), (LINE, &line), (BLOCK, &block)];
    rules.into_iter().find_map(|(unit, kinds)| {
        let clash = |a: &Owned, b: &Owned| harmless(a, b) == rules_only && kinds(a.span.kind, b.span.kind);
        let (a, b) = first_pair(spans, unit, waited, &clash)?;
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
        let at = site.at();
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
        InstructionKind::Copy { direction: 0, .. } => Pipe::MTE2,
        InstructionKind::Copy { .. } => Pipe::MTE3,
        _ => Pipe::S,
    }
}

fn meet(a: Owned, b: Owned, unit: usize, info: &LaunchInfo) -> (u32, Raise) {
    // The lower core is the first in the text.
    let (a, b) = if a.core <= b.core { (a, b) } else { (b, a) };
    let memory = match () {
        () if a.unread && b.unread => "a workspace, which nobody reads",
        () if harmless(&a, &b) => "global memory, the same value",
        () => "global memory",
    };
    let ((ca, a), (cb, b)) = ((a.core, a.span), (b.core, b.span));
    let verb = |k: SpanKind| if k == SpanKind::Read { "reads" } else { "writes" };
    let other = format!("core {ca} {} with {}{}", verb(a.kind), a.what.name(), a.site.at());
    let (from, to) = (a.start.max(b.start), a.end.min(b.end));
    let bytes = |s: &Span| info.place(s.start, s.end);
    let (class, what, fix) = if unit == LINE {
        (
            FaultClass::ScalarCache,
            format!("two cores write one 64-byte line of {memory}, one of them through its data cache: {other}"),
            "give every core lines of its own (64 bytes), or write with DataCopyPad",
        )
    } else if unit == BLOCK {
        (
            FaultClass::SharedBlock,
            format!("two cores write one 32-byte block of {memory}: {other}"),
            "split the work between cores at multiples of 32 bytes",
        )
    } else if a.kind == SpanKind::Read || b.kind == SpanKind::Read {
        let what =
            format!("one core reads what another writes in the same launch, without SyncAll between them: {other}");
        (FaultClass::MultiCore, what, "call SyncAll between the two, or make two launches")
    } else {
        let fix = "let every core write its own part, or add up with SetAtomicAdd";
        (FaultClass::MultiCore, format!("two cores write the same bytes of {memory}: {other}"), fix)
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

    const COPY: InstructionKind = InstructionKind::Copy { direction: 1, kind: 2, dtype: 0 };

    fn log(core: u32, spans: &[(usize, usize, SpanKind)]) -> Log {
        let mut l = Log::of(core);
        for (i, (start, end, kind)) in spans.iter().enumerate() {
            l.push(Span { start: *start, end: *end, kind: *kind, fill: None, what: COPY, site: Site(i + 1) });
        }
        l
    }

    fn allowing(allow: &[FaultClass]) -> LaunchInfo {
        let options = super::super::Options { allow: allow.to_vec(), ..Default::default() };
        LaunchInfo { options, ..LaunchInfo::default() }
    }

    fn judge(logs: &[Log], info: LaunchInfo) -> Option<(u32, Raise)> {
        LaunchRecord::new(info, "k", 2).judge_epoch(logs, &Ranges::read(&[logs.to_vec()]))
    }

    fn verdict(logs: &[Log]) -> Option<(u32, FaultClass, String)> {
        judge(logs, allowing(&[])).map(|(c, r)| (c, r.class, r.what.clone()))
    }

    #[test]
    fn writes_of_two_cores() {
        use SpanKind::*;
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
        use SpanKind::*;
        assert_eq!(verdict(&[log(0, &[(0, 64, Atomic)]), log(1, &[(0, 64, Atomic)])]), None);
        assert!(verdict(&[log(0, &[(0, 64, Atomic)]), log(1, &[(0, 64, Write)])]).is_some());
    }

    #[test]
    fn reads_of_what_another_core_writes() {
        use SpanKind::*;
        let (_, class, what) = verdict(&[log(0, &[(0, 64, Write)]), log(1, &[(32, 40, Read)])]).unwrap();
        assert_eq!(class, FaultClass::MultiCore);
        assert!(what.contains("SyncAll"), "{what}");
        assert_eq!(verdict(&[log(0, &[(0, 64, Write)]), log(1, &[(64, 96, Read)])]), None);
        assert_eq!(verdict(&[log(0, &[(0, 64, Read)]), log(1, &[(0, 64, Read)])]), None);
        assert_eq!(verdict(&[log(0, &[(0, 64, Write), (0, 64, Read)]), log(1, &[(64, 96, Read)])]), None);
    }

    #[test]
    fn scalar_stores_share_no_line() {
        use SpanKind::*;
        let (_, class, _) = verdict(&[log(0, &[(0, 4, Scalar)]), log(1, &[(60, 64, Scalar)])]).unwrap();
        assert_eq!(class, FaultClass::ScalarCache);
        assert_eq!(verdict(&[log(0, &[(0, 4, Scalar)]), log(1, &[(64, 68, Scalar)])]), None);
        let (_, class, _) = verdict(&[log(0, &[(0, 4, Scalar)]), log(1, &[(32, 64, Write)])]).unwrap();
        assert_eq!(class, FaultClass::ScalarCache);
    }

    #[test]
    fn an_allowed_class_hides_no_other() {
        use SpanKind::*;
        let logs = [log(0, &[(0, 64, Write), (128, 132, Scalar)]), log(1, &[(0, 64, Write), (160, 164, Scalar)])];
        let class = |allow: &[FaultClass]| judge(&logs, allowing(allow)).map(|(_, r)| r.class);
        assert_eq!(class(&[]), Some(FaultClass::MultiCore));
        assert_eq!(class(&[FaultClass::MultiCore]), Some(FaultClass::ScalarCache));
        assert_eq!(class(&[FaultClass::MultiCore, FaultClass::ScalarCache]), Some(FaultClass::SharedBlock));
        let all = [FaultClass::MultiCore, FaultClass::ScalarCache, FaultClass::SharedBlock];
        assert_eq!(class(&all), None);
    }

    #[test]
    fn writes_to_a_workspace_that_nobody_reads_break_a_rule() {
        use SpanKind::*;
        let info = |strict| {
            let part = |base, role| Extent { base, bytes: 1024, name: "w".into(), role };
            let extents = vec![part(0, Role::Workspace), part(1024, Role::PartOutput)];
            let options = super::super::Options { strict, allow: Vec::new(), ..Default::default() };
            LaunchInfo { options, extents, ..LaunchInfo::default() }
        };
        // Epochs of both cores, and what comes out: an error, the class of a rule that is noted, or nothing.
        type Spans = Vec<(usize, usize, SpanKind)>;
        let judge = |epochs: &[[&Spans; 2]], strict| {
            let l = LaunchRecord::new(info(strict), "k", 2);
            for (epoch, cores) in epochs.iter().enumerate() {
                cores.iter().enumerate().for_each(|(core, spans)| l.submit(epoch, log(core as u32, spans)));
            }
            let found = l.judge_order(&l.lock()).map_err(|f| (f.class, f.severity));
            found.map(|()| l.info.rules.take().iter().map(|f| f.class).collect::<Vec<_>>())
        };
        use crate::base::fault::Severity::{Error, Rule};
        use FaultClass::{MultiCore, ScalarCache, SharedBlock};
        let none = vec![];
        let (a, b) = (vec![(0, 64, Write)], vec![(32, 96, Write)]);
        assert_eq!(judge(&[[&a, &b]], false), Ok(vec![MultiCore]));
        assert_eq!(judge(&[[&a, &b]], true), Err((MultiCore, Rule)));
        let (c, d) = (vec![(0, 40, Write)], vec![(40, 96, Write)]);
        assert_eq!(judge(&[[&c, &d]], false), Ok(vec![SharedBlock]));
        let (e, f) = (vec![(0, 4, Scalar)], vec![(60, 64, Scalar)]);
        assert_eq!(judge(&[[&e, &f]], false), Ok(vec![ScalarCache]));
        assert_eq!(judge(&[[&a, &vec![(64, 128, Write)]]], false), Ok(vec![]));
        // Somebody reads: later or before, or what lies beside it in the block or the line.
        let end = vec![(60, 64, Read)];
        assert_eq!(judge(&[[&a, &b], [&none, &end]], false), Err((MultiCore, Error)));
        assert_eq!(judge(&[[&none, &end], [&a, &b]], false), Err((MultiCore, Error)));
        assert_eq!(judge(&[[&c, &d], [&none, &vec![(36, 40, Read)]]], false), Err((SharedBlock, Error)));
        assert_eq!(judge(&[[&c, &d], [&vec![(96, 100, Read)], &none]], false), Ok(vec![SharedBlock]));
        assert_eq!(judge(&[[&e, &f], [&vec![(0, 4, Read)], &none]], false), Err((ScalarCache, Error)));
        let around = vec![(0, 4, Read), (60, 64, Read)];
        let middle = vec![(8, 56, Write)];
        assert_eq!(judge(&[[&middle, &middle], [&around, &none]], false), Ok(vec![MultiCore]));
        // The longer span of a core is read by nobody, its shorter one is.
        let long = vec![(0, 96, Write), (8, 500, Write)];
        assert_eq!(
            judge(&[[&long, &vec![(80, 90, Write)]], [&vec![(0, 4, Read)], &none]], false),
            Err((MultiCore, Error))
        );
        // An output is read by whoever comes next; so may be what lies behind the workspace.
        let (out, over) = (vec![(1024, 1088, Write)], vec![(992, 1056, Write)]);
        assert_eq!(judge(&[[&out, &out]], false), Err((MultiCore, Error)));
        assert_eq!(judge(&[[&over, &over]], false), Err((MultiCore, Error)));
        // The rule hides no error behind it.
        let two = vec![(0, 64, Write), (1024, 1088, Write)];
        assert_eq!(judge(&[[&two, &two]], false), Err((MultiCore, Error)));
    }

    #[test]
    fn equal_values_of_several_cores_break_a_rule() {
        let log = |core: u32, spans: &[(usize, usize, Option<u8>)]| {
            let mut l = Log::of(core);
            for (i, (start, end, fill)) in spans.iter().enumerate() {
                let (what, site) = (COPY, Site(i + 1));
                l.push(Span { start: *start, end: *end, kind: SpanKind::Write, fill: *fill, what, site });
            }
            l
        };
        let judge = |logs: &[Log], strict| {
            let options = super::super::Options { strict, allow: Vec::new(), ..Default::default() };
            let l = LaunchRecord::new(LaunchInfo { options, ..LaunchInfo::default() }, "k", 2);
            logs.iter().for_each(|log| l.submit(0, log.clone()));
            let found = l.judge_order(&l.lock()).map_err(|f| (f.class, f.severity));
            found.map(|()| l.info.rules.take().iter().map(|f| f.message.clone()).collect::<Vec<_>>())
        };
        use crate::base::fault::Severity::{Error, Rule};
        use FaultClass::{MultiCore, SharedBlock};
        let zeros = [(0, 100, Some(0))];
        let noted = judge(&[log(0, &zeros), log(1, &zeros), log(2, &zeros)], false).expect("a rule");
        assert!(
            noted.len() == 1 && noted[0].contains("two cores write the same bytes of global memory, the same value")
        );
        assert_eq!(judge(&[log(0, &zeros), log(1, &zeros)], true), Err((MultiCore, Rule)));
        // Another value, a value that is not the same in every byte, another end: it does make a difference.
        assert_eq!(judge(&[log(0, &zeros), log(1, &[(0, 100, Some(1))])], false), Err((MultiCore, Error)));
        assert_eq!(judge(&[log(0, &[(0, 100, None)]), log(1, &[(0, 100, None)])], false), Err((MultiCore, Error)));
        assert_eq!(judge(&[log(0, &zeros), log(1, &[(0, 96, Some(0))])], false), Err((MultiCore, Error)));
        assert_eq!(judge(&[log(0, &zeros), log(1, &[(100, 128, Some(0))])], false), Err((SharedBlock, Error)));
        // A core that writes something else there as well, before or after, whatever the others do.
        for second in [(0, 100, Some(7)), (0, 100, None), (64, 72, None), (96, 200, Some(0))] {
            let both = [zeros[0], second];
            assert_eq!(judge(&[log(0, &both), log(1, &zeros)], false).map(drop), Err((MultiCore, Error)), "{second:?}");
            assert_eq!(judge(&[log(0, &zeros), log(1, &both)], false).map(drop), Err((MultiCore, Error)), "{second:?}");
        }
        // The block around it, too.
        let (part, all) = ([(40, 60, Some(0))], [(40, 60, Some(0)), (32, 40, Some(0))]);
        assert_eq!(judge(&[log(0, &all), log(1, &part)], false).map(drop), Err((MultiCore, Error)));
        // A third core's value is not hidden by two that agree.
        let other = [(32, 64, Some(3))];
        for third in 0..3 {
            let logs: Vec<Log> = (0..3).map(|core| log(core, if core == third { &other } else { &zeros })).collect();
            assert_eq!(judge(&logs, false).map(drop), Err((MultiCore, Error)), "{third}");
        }
        // Nor is an error elsewhere.
        let two = [zeros[0], (256, 320, None)];
        assert_eq!(judge(&[log(0, &two), log(1, &two)], false).map(drop), Err((MultiCore, Error)));
    }

    #[test]
    fn joined_spans_keep_only_values_that_agree() {
        let mut l = Log::of(0);
        for (start, end, fill) in [(0, 64, Some(0)), (32, 64, None), (128, 160, Some(0)), (160, 192, Some(0))] {
            l.spans.push(Span { start, end, kind: SpanKind::Write, fill, what: COPY, site: Site(1) });
        }
        l.join();
        let left: Vec<_> = l.spans.iter().map(|s| (s.start, s.end, s.fill)).collect();
        assert_eq!(left, [(0, 64, None), (128, 192, Some(0))]);
    }

    #[test]
    fn epochs_are_apart() {
        let l = LaunchRecord::new(LaunchInfo::default(), "k", 2);
        l.submit(0, log(0, &[(0, 64, SpanKind::Write)]));
        l.submit(0, log(1, &[]));
        l.submit(1, log(0, &[]));
        l.submit(1, log(1, &[(0, 64, SpanKind::Read)]));
        assert!(l.judge().is_ok());
        assert!(l.other_write(1, 0, 4, 0, 1).is_some() && l.other_write(0, 0, 4, 0, 1).is_none());
    }
}
