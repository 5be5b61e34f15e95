//! How undefined bytes spread through a vector instruction: lane by lane where its operands have lanes, from any source
//! to every result otherwise.

use super::{
    Checker, Declared,
    order::{Id, InstructionKind},
    taint::Move,
};
use crate::{
    base::ins::{Dtype, Opcode},
    instruction::shape::{Place, Shape},
    machine::observe::Access,
};

const BLOCK: usize = 32;

/// Instructions that declare every element they move, in the order of their results.
pub(super) fn moves_elements(op: Opcode) -> bool {
    use Opcode::*;
    matches!(op, Gather | Gatherb | GatherMask | TransDataTo5HD | Transpose)
}

/// Select takes its mask from the register: no operand holds it.
fn by_register(sources: &[Declared]) -> bool {
    sources.first().is_some_and(|s| s.name == "src0")
}

impl Checker {
    /// Marks what the instruction has written.
    pub(super) fn spread(&mut self, op: Opcode) {
        if moves_elements(op) {
            return self.spread_gather();
        }
        let of = |access| self.operands.iter().filter(move |o| o.access == access).copied();
        let sources: Vec<Declared> = of(Access::Read).collect();
        let writes_register = of(Access::Write).next().is_none() && op == Opcode::Compare;
        if writes_register || op == Opcode::SetCmpMask {
            return self.spread_cmp_mask(op, &sources);
        }
        let reads_register = op == Opcode::GetCmpMask || op == Opcode::Select && by_register(&sources);
        let origin = if self.garbage || self.cancels(op, &sources) { None } else { self.undefined_source(&sources) };
        let unset = |id: Id| if id.is_some() { id } else { self.now.id };
        let by_register = reads_register && !self.garbage;
        let origin = origin.or_else(|| self.cmp_mask.undefined.filter(|_| by_register).map(unset));
        let Some(origin) = origin else {
            for w in of(Access::Write).collect::<Vec<_>>() {
                w.shape.runs(|at, len| self.taint.set(w.addr + at, len, true, Id::NONE));
            }
            return;
        };
        // What a function leaves in its temporary space is no result.
        let (scratch, writes): (Vec<_>, Vec<_>) = of(Access::Write).partition(|o| o.name == "sharedTmpBuffer");
        self.leave_open(scratch, origin);
        let what = self.now.what;
        match (op, &writes[..], &sources[..]) {
            (Opcode::Brcb, [dst], [src]) => return self.spread_brcb(dst, src),
            (Opcode::Sort32 | Opcode::MrgSort, [dst], _) => return self.spread_sorted(dst, what, origin),
            (Opcode::GetCmpMask, [dst], []) => {
                let known = self.cmp_mask.known.map(u64::to_le_bytes);
                for (i, bits) in known.into_iter().flatten().enumerate() {
                    self.taint.set_bits(dst.addr + i, bits, origin);
                }
                return;
            }
            (Opcode::Cast, [dst], [src]) if what.has(Dtype::I4) => {
                return self.spread_nibbles(dst, src, what.gives(Dtype::I4), origin);
            }
            (Opcode::CastDequant, _, [parameters @ .., src]) if parameters.iter().all(|p| self.is_defined(p)) => {
                return self.spread_half_blocks(&writes, src, origin);
            }
            _ => {}
        }
        let lanes = writes.first().and_then(|w| w.shape.lanes());
        let lane_wise = lanes.is_some() && writes.iter().chain(&sources).all(|o| o.shape.lanes() == lanes);
        match (lane_wise, &writes[..]) {
            (true, [dst]) if self.spread_words(op, dst, &sources, origin) => {}
            (true, [dst]) => self.spread_lanes(op, *dst, &sources, lanes.unwrap_or(0), origin),
            _ => self.leave_open(writes, origin),
        }
    }

    fn leave_open(&mut self, results: Vec<Declared>, origin: Id) {
        results.iter().for_each(|w| w.shape.runs(|at, len| self.taint.set(w.addr + at, len, false, origin)));
    }

    /// Which bits of the CMPMASK register are defined after Compare into it or SetCmpMask.
    fn spread_cmp_mask(&mut self, op: Opcode, sources: &[Declared]) {
        let lanes = sources.first().and_then(|s| s.shape.lanes()).unwrap_or(0);
        let is_known = |s: &Declared, bit: usize| match s.shape.place(bit) {
            _ if op == Opcode::SetCmpMask => self.taint.bits(s.addr + bit / 8) >> (bit % 8) & 1 != 0,
            Place::Bytes { at, size } => bit >= lanes || self.taint.is_defined(s.addr + at, size),
            _ => true,
        };
        let mut known = [0u64; 2];
        for bit in (0..128).filter(|bit| sources.iter().all(|s| is_known(s, *bit))) {
            known[bit / 64] |= 1 << (bit % 64);
        }
        let origin = || self.undefined_source(sources).unwrap_or(self.now.id);
        self.cmp_mask.undefined = (known != [u64::MAX; 2]).then(origin);
        self.cmp_mask.known = known;
    }

    fn is_defined(&self, o: &Declared) -> bool {
        self.taint.is_defined(o.addr, o.shape.extent())
    }

    /// A difference of integers that is 0 whatever they are: kernels clear a tensor with it.
    fn cancels(&self, op: Opcode, sources: &[Declared]) -> bool {
        let InstructionKind::Vector(head) = self.now.what else { return false };
        let integers = matches!(head.dtype, Dtype::I16 | Dtype::I32);
        op == Opcode::Sub
            && integers
            && matches!(sources, [a, b] if a.addr == b.addr && a.shape == b.shape && a.addr + a.shape.extent() <= a.end)
    }

    /// The instruction that undefined bytes of the sources come from; None when all are defined.
    fn undefined_source(&self, sources: &[Declared]) -> Option<Id> {
        let mut byte = None;
        for s in sources {
            if s.addr + s.shape.extent() > s.end {
                return Some(self.now.id);
            }
            s.shape.runs(|at, len| {
                if byte.is_none() {
                    byte = self.taint.first_undefined(s.addr + at, len, false);
                }
            });
        }
        byte.map(|b| self.origin_or_now(b))
    }

    fn origin_or_now(&self, byte: usize) -> Id {
        let origin = self.taint.origin(byte);
        if origin.is_some() { origin } else { self.now.id }
    }

    /// Contiguous operands of one element size, 32 bytes at a time. False when they are not, or when single bits count.
    fn spread_words(&mut self, op: Opcode, dst: &Declared, sources: &[Declared], origin: Id) -> bool {
        let Shape::Dense { n, size } = dst.shape else { return false };
        let aligned = |o: &Declared| o.addr.is_multiple_of(BLOCK);
        let same = |s: &Declared| aligned(s) && matches!(s.shape, Shape::Dense { size: z, .. } if z == size);
        let bitwise = matches!(op, Opcode::And | Opcode::Or | Opcode::Not);
        if bitwise || self.multiplies_integers() || !aligned(dst) || !sources.iter().all(same) {
            return false;
        }
        let bytes = n * size;
        let mut at = 0;
        while at < bytes {
            let mut word = sources.iter().fold(u32::MAX, |w, s| w & self.taint.word(s.addr + at));
            // An element is defined when all of its bytes are.
            let mut half = 1;
            while half < size {
                word &= word >> half;
                half *= 2;
            }
            word &= [0, u32::MAX, 0x5555_5555, 0, 0x1111_1111, 0, 0, 0, 0x0101_0101][size.min(8)];
            let mut half = 1;
            while half < size {
                word |= word << half;
                half *= 2;
            }
            let from = sources.iter().map(|s| self.taint.origin(s.addr + at)).find(|o| o.is_some()).unwrap_or(origin);
            let len = (bytes - at).min(BLOCK);
            self.taint.set(dst.addr + at, len, true, Id::NONE);
            if word != u32::MAX {
                let mut bad = !word;
                while bad != 0 {
                    let first = bad.trailing_zeros() as usize;
                    let run = (!(bad >> first)).trailing_zeros() as usize;
                    if first < len {
                        self.taint.set(dst.addr + at + first, run.min(len - first), false, from);
                    }
                    bad &= if first + run >= 32 { 0 } else { u32::MAX << (first + run) };
                }
            }
            at += BLOCK;
        }
        true
    }

    fn spread_lanes(&mut self, op: Opcode, dst: Declared, sources: &[Declared], lanes: usize, origin: Id) {
        let bitwise = matches!(op, Opcode::And | Opcode::Or | Opcode::Not);
        let mut bits = 0u8;
        for l in 0..lanes {
            let place = dst.shape.place(l);
            if let Place::Off = place {
                continue;
            }
            let mut from = origin;
            let mut ok = true;
            let mut look = |t: &Self, s: &Declared| match s.shape.place(l) {
                Place::Off => {}
                Place::Bytes { at, size } => {
                    if s.addr + at + size > s.end {
                        (ok, from) = (false, t.now.id);
                    } else if let Some(b) = t.taint.first_undefined(s.addr + at, size, false) {
                        (ok, from) = (false, t.origin_or_now(b));
                    }
                }
                Place::Bit { byte, bit } => {
                    if t.taint.bits(s.addr + byte) >> bit & 1 == 0 {
                        (ok, from) = (false, t.origin_or_now(s.addr + byte));
                    }
                }
            };
            match (op, sources) {
                (Opcode::Select, [a, b]) if by_register(sources) => {
                    let Shape::Lanes { lanes, .. } = dst.shape else { continue };
                    let bit = |words: [u64; 2]| words[l % lanes / 64] >> (l % lanes % 64) & 1 != 0;
                    if bit(self.cmp_mask.known) {
                        look(self, if bit(self.cmp_mask.value) { a } else { b });
                    } else {
                        (ok, from) = (false, self.cmp_mask.undefined.filter(|id| id.is_some()).unwrap_or(origin));
                    }
                }
                // The mask chooses which source counts.
                (Opcode::Select, [mask, rest @ ..]) => {
                    look(self, mask);
                    let taken = match mask.shape.place(l) {
                        // SAFETY: the operand was checked to lie in the buffer; no source overlaps dst by the rules.
                        Place::Bit { byte, bit } => unsafe { *self.ub.add(mask.addr + byte) >> bit & 1 != 0 },
                        _ => true,
                    };
                    if let Some(s) = rest.get(!taken as usize) {
                        look(self, s);
                    }
                }
                _ => sources.iter().for_each(|s| look(self, s)),
            }
            // A number that is 0 makes the product of integers 0: kernels take lanes out with it.
            ok |= self.multiplies_integers() && (0..sources.len()).any(|n| self.is_zero(n, &sources[n], l));
            match place {
                Place::Off => {}
                Place::Bytes { at, size } if bitwise && !ok => {
                    for i in 0..size {
                        let known = self.known_bits(op, sources, l, i);
                        self.taint.set_bits(dst.addr + at + i, known, from);
                    }
                }
                Place::Bytes { at, size } => self.taint.set(dst.addr + at, size, ok, from),
                Place::Bit { byte, bit } => {
                    bits = if bit == 0 { 0 } else { bits } | (ok as u8) << bit;
                    if bit == 7 || l + 1 == lanes {
                        self.taint.set_bits(dst.addr + byte, bits, from);
                    }
                }
            }
        }
    }

    /// Lane `l` of source `n` was written, and is 0.
    fn is_zero(&self, n: usize, s: &Declared, l: usize) -> bool {
        let Place::Bytes { at, size } = s.shape.place(l) else { return false };
        let value = self.read_bits.get(n).and_then(|bytes| bytes.get(at..at + size));
        value.is_some_and(|bytes| bytes.iter().all(|b| *b == 0)) && self.taint.is_defined(s.addr + at, size)
    }

    /// Bits of byte `i` of lane `l` that a bitwise result has whatever the undefined bits are: those that all sources define,
    /// and those that one source decides alone (0 for And, 1 for Or).
    fn known_bits(&self, op: Opcode, sources: &[Declared], l: usize, i: usize) -> u8 {
        let (mut all, mut decided) = (u8::MAX, 0);
        for (n, s) in sources.iter().enumerate() {
            let Place::Bytes { at, .. } = s.shape.place(l) else { continue };
            let known = self.taint.bits(s.addr + at + i);
            all &= known;
            decided |= known
                & match (op, self.read_bits.get(n).and_then(|bytes| bytes.get(at + i))) {
                    (Opcode::And, Some(value)) => !value,
                    (Opcode::Or, Some(value)) => *value,
                    _ => 0,
                };
        }
        all | decided
    }

    /// half and int4b_t: lanes count halves, two of them share a byte.
    fn spread_nibbles(&mut self, dst: &Declared, src: &Declared, packs: bool, origin: Id) {
        let (halves, packed) = if packs { (src, dst) } else { (dst, src) };
        let byte_of = |lane: usize| match (packed.shape, packed.shape.place(lane / 2)) {
            (Shape::Bytes(_), _) => Some(packed.addr + lane / 2),
            (_, Place::Bytes { at, .. }) => Some(packed.addr + at),
            _ => None,
        };
        for lane in 0..halves.shape.lanes().unwrap_or(0) {
            let Place::Bytes { at, size } = halves.shape.place(lane) else { continue };
            let (at, Some(byte)) = (halves.addr + at, byte_of(lane)) else { continue };
            let nibble = 0xf << (lane % 2 * 4);
            if packs {
                let ok = if self.taint.is_defined(at, size) { nibble } else { 0 };
                let bits = self.taint.bits(byte) & !nibble | ok;
                self.taint.set_bits(byte, bits, origin);
            } else {
                let ok = self.taint.bits(byte) & nibble == nibble;
                self.taint.set(at, size, ok, origin);
            }
        }
    }

    /// CastDequant: every source block with an active lane becomes half of a block, in this order.
    fn spread_half_blocks(&mut self, writes: &[Declared], src: &Declared, origin: Id) {
        const PER: usize = BLOCK / 2;
        let mut next = writes.iter();
        let lanes = src.shape.lanes().unwrap_or(0);
        for first in (0..lanes).step_by(PER) {
            let block = first..lanes.min(first + PER);
            let active = block.filter_map(|lane| match src.shape.place(lane) {
                Place::Bytes { at, size } => Some((lane - first, src.addr + at, size)),
                _ => None,
            });
            let active: Vec<_> = active.collect();
            let Some(dst) = (if active.is_empty() { None } else { next.next() }) else { continue };
            for (column, at, size) in active {
                let ok = self.taint.is_defined(at, size);
                self.taint.set(dst.addr + column, 1, ok, origin);
            }
        }
    }

    /// Each element becomes a block.
    fn spread_brcb(&mut self, dst: &Declared, src: &Declared) {
        let moves: Vec<Move> = (0..dst.shape.lanes().unwrap_or(0))
            .filter_map(|lane| match dst.shape.place(lane) {
                Place::Bytes { at, size } => {
                    Some(Move { from: src.addr + lane / (BLOCK / size) * size, to: dst.addr + at, len: size })
                }
                _ => None,
            })
            .collect();
        self.taint.copy_all(&moves, self.now.id);
    }

    /// An index goes where its score goes (the pairs of the Sort32 page), and scores alone decide where. One that nobody wrote
    /// leaves open what any place holds of those that are compared with it.
    fn spread_sorted(&mut self, dst: &Declared, what: InstructionKind, origin: Id) {
        const ELEMENT: usize = 8;
        let score = if what.has(Dtype::F16) { 2 } else { 4 };
        let ((from, together), mut known, mut open) = (std::mem::take(&mut self.sorted), Vec::new(), Vec::new());
        let mut places = (dst.addr..dst.addr + dst.shape.extent()).step_by(ELEMENT);
        for list in from.chunks(together.max(1)) {
            let is_known = list.iter().all(|e| self.taint.is_defined(e.score as usize, score));
            for (e, to) in list.iter().zip(&mut places) {
                if is_known {
                    known.push(Move { from: e.index as usize, to: to + 4, len: 4 });
                } else {
                    open.push(to);
                }
            }
        }
        self.taint.copy_all(&known, self.now.id);
        known.iter().for_each(|e| self.taint.set(e.to - 4, 4, true, Id::NONE));
        open.iter().for_each(|to| self.taint.set(*to, ELEMENT, false, origin));
    }

    /// Each gathered element or block becomes the next active bytes of what is written.
    fn spread_gather(&mut self) {
        let mut places = Vec::new();
        for w in self.operands.iter().filter(|o| o.access == Access::Write && o.name != "sharedTmpBuffer") {
            match w.shape.lanes() {
                Some(lanes) => places.extend((0..lanes).filter_map(|l| match w.shape.place(l) {
                    Place::Bytes { at, size } => Some((w.addr + at, size)),
                    _ => None,
                })),
                None => w.shape.blocks(|at, len| places.push((w.addr + at, len))),
            }
        }
        let mut places = places.into_iter();
        let (mut to, mut room) = (0, 0);
        let mut moves = Vec::new();
        for (from, len) in std::mem::take(&mut self.gathered) {
            self.cells.record(from, len, self.now.id, false);
            let mut done = 0;
            while done < len {
                if room == 0 {
                    let Some(next) = places.next() else { break };
                    (to, room) = next;
                }
                let n = room.min(len - done);
                moves.push(Move { from: from + done, to, len: n });
                (done, to, room) = (done + n, to + n, room - n);
            }
        }
        self.taint.copy_all(&moves, self.now.id);
    }

    /// UB -> UB copies keep definedness byte by byte.
    pub(super) fn spread_ub_copy(&mut self) {
        let of = |access| self.operands.iter().find(|o| o.access == access).copied();
        let (Some(dst), Some(src)) = (of(Access::Write), of(Access::Read)) else {
            // What the author meant of the other side is not known.
            let dst = of(Access::Write).into_iter();
            return dst.for_each(|dst| dst.shape.runs(|at, len| self.taint.set(dst.addr + at, len, true, Id::NONE)));
        };
        let (mut to, mut from) = (Vec::new(), Vec::new());
        dst.shape.blocks(|at, len| to.push((dst.addr + at, len)));
        src.shape.blocks(|at, len| from.push((src.addr + at, len)));
        for ((to, len), (from, _)) in to.into_iter().zip(from) {
            self.taint.copy(from, to, len, self.now.id);
        }
    }
}
