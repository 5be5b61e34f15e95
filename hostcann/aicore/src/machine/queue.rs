//! The pipe's bump allocator and its queues (TPipe, TQue, TQueBind, TBuf).

mod pipes;

use super::budget::Taken;
use crate::base::{
    fault::{FaultClass, Raise},
    ins::{Buffer, QueueCount},
    pipe::Pipe,
    site::Site,
    spec::CoreSpec,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Free,
    Occupied,
    Enqueued,
    Dequeued,
}

struct Buf {
    addr: u32,
    bytes: u32,
    /// The AllocTensor that handed it out last.
    lease: u32,
    state: State,
    /// Event that DeQue waits for, set by EnQue.
    filled: Pending,
    /// Event that the next AllocTensor waits for, set by FreeTensor. Its id stays allocated until then.
    freed: Pending,
}

struct Queue {
    depth: u32,
    bufs: Vec<Buf>,
    /// Buffer that AllocTensor looks at next.
    cursor: usize,
    fifo: std::collections::VecDeque<usize>,
}

/// Event and id to wait for before a buffer may be used; V_V has none.
pub(crate) type Pending = Option<(u32, i32)>;

impl Buf {
    fn handed_out(&self, que: u32, i: usize) -> Buffer {
        Buffer { addr: self.addr, bytes: self.bytes, handle: handle(que, i), lease: self.lease }
    }
}

/// One live TPipe. A second one on a core starts over at the bottom of the unified buffer, as on the device.
struct LivePipe {
    taken: Taken,
    address: usize,
    used: usize,
    buffers: usize,
    /// Number of its first queue.
    first: usize,
}

/// Everything the TPipes of one core own.
pub(crate) struct Queues {
    stack_end: usize,
    max_buffers: usize,
    /// The one that was constructed last is the one that is used.
    pipes: Vec<LivePipe>,
    queues: Vec<Queue>,
    /// Calls of AllocTensor.
    leases: u32,
}

/// A TBuf's handle; no queue accepts it.
const TBUF_HANDLE: u32 = u32::MAX;

fn fault(instruction: &str, what: &str) -> Raise {
    Raise::new(FaultClass::Queue, Pipe::S, instruction, what)
}

/// The end of `num` buffers behind `at`. Nothing on the device looks whether they fit: what reaches beyond the unified buffer
/// is a fault of the instruction that does.
fn addressable(at: usize, num: u32, len: u32) -> Result<usize, Raise> {
    let end = at as u64 + num as u64 * (len as u64).next_multiple_of(32);
    if u32::try_from(end).is_ok() {
        return Ok(end as usize);
    }
    let mut r = fault("InitBuffer", "buffers end beyond every address")
        .operand("len")
        .expected(format!("an end below {}", u32::MAX))
        .got(format!("{at} bytes in use plus {num} x {len} bytes = {end}"))
        .fix("check the tiling data");
    r.class = FaultClass::BufferSpace;
    Err(r)
}

impl Queues {
    pub fn new(spec: &CoreSpec) -> Queues {
        Queues {
            stack_end: spec.stack_end,
            max_buffers: spec.max_buffers,
            pipes: Vec::new(),
            queues: Vec::new(),
            leases: 0,
        }
    }

    pub fn reset(&mut self) {
        self.pipes.clear();
        self.queues.clear();
        self.leases = 0;
    }

    /// The live TPipe.
    fn live(&mut self, instruction: &str) -> Result<&mut LivePipe, Raise> {
        self.pipes.last_mut().ok_or_else(|| {
            fault(instruction, "there is no TPipe").expected("a live TPipe").got("none").fix("construct a TPipe first")
        })
    }

    /// Buffers count towards the limit of a TPipe, which has to be there.
    fn count(&mut self, instruction: &str, num: u32) -> Result<&mut LivePipe, Raise> {
        let max = self.max_buffers;
        let pipe = self.live(instruction)?;
        pipe.buffers += num as usize;
        if pipe.buffers > max {
            return Err(fault(instruction, "too many buffers in one TPipe")
                .expected(format!("at most {max}"))
                .got(pipe.buffers.to_string())
                .fix("share TBufs or lower the number of buffers per queue"));
        }
        Ok(pipe)
    }

    /// Puts the real cause to a fault of an instruction beyond the unified buffer: the buffers do not fit into it.
    #[cold]
    pub fn explain(&self, raise: Raise, ub_size: usize) -> Raise {
        match self.pipes.last().filter(|pipe| pipe.used > ub_size && raise.class == FaultClass::OutOfRange) {
            Some(pipe) => pipe.taken.explain(raise, pipe.used, ub_size),
            None => raise,
        }
    }

    /// The InitBuffer whose buffer holds a byte of the unified buffer, and which of its bytes it is.
    pub fn holder(&self, byte: usize) -> Option<(Site, usize)> {
        self.pipes.last()?.taken.holder(byte)
    }

    /// `num` buffers of `len` bytes at the end of those there are.
    fn take(&mut self, instruction: &str, num: u32, len: u32, site: Site) -> Result<u32, Raise> {
        let pipe = self.count(instruction, num)?;
        let at = pipe.used;
        pipe.used = addressable(at, num, len)?;
        pipe.taken.add(site, num, len);
        Ok(at as u32)
    }

    /// InitBuffer of a queue; returns its id, 1 or more.
    pub fn init_queue(&mut self, depth: u32, num: u32, len: u32, site: Site) -> Result<u32, Raise> {
        let base = self.take("InitBuffer", num, len, site)?;
        let bytes = len.next_multiple_of(32);
        let buf =
            |i: u32| Buf { addr: base + i * bytes, bytes, lease: 0, state: State::Free, filled: None, freed: None };
        self.queues.push(Queue {
            depth: depth.max(1),
            bufs: (0..num).map(buf).collect(),
            cursor: 0,
            fifo: Default::default(),
        });
        Ok(self.queues.len() as u32)
    }

    /// A queue whose buffers the kernel places itself, with [`Queues::place`].
    pub fn begin_queue(&mut self, depth: u32, num: u32) -> Result<u32, Raise> {
        self.count("InitBuffer", num)?;
        let buf = |_| Buf { addr: 0, bytes: 0, lease: 0, state: State::Free, filled: None, freed: None };
        let bufs = (0..num).map(buf).collect();
        self.queues.push(Queue { depth: depth.max(1), bufs, cursor: 0, fifo: Default::default() });
        Ok(self.queues.len() as u32)
    }

    /// Gives a buffer of such a queue its place; the buffer's length is whole blocks.
    pub fn place(&mut self, que: u32, index: u32, addr: u32, len: u32) -> Result<u32, Raise> {
        addressable(addr as usize, 1, len)?;
        let q = self.queue(que, "InitBufHandle")?;
        let num = q.bufs.len();
        let Some(buf) = q.bufs.get_mut(index as usize) else {
            return Err(fault("InitBufHandle", "the queue has no such buffer")
                .operand("index")
                .expected(format!("less than {num}, the number given to InitStartBufHandle"))
                .got(index.to_string())
                .fix("call InitStartBufHandle with the number of buffers first"));
        };
        (buf.addr, buf.bytes) = (addr, len.next_multiple_of(32));
        Ok(buf.bytes)
    }

    /// A TBuf at a place of the kernel's choice.
    pub fn place_tbuf(&mut self, addr: u32, len: u32) -> Result<Buffer, Raise> {
        self.count("InitBuffer", 1)?;
        addressable(addr as usize, 1, len)?;
        Ok(Buffer { addr, bytes: len.next_multiple_of(32), handle: TBUF_HANDLE, lease: 0 })
    }

    /// Takes the events that freed buffers of one queue still hold.
    pub fn take_freed_of(&mut self, que: u32) -> Result<Vec<(u32, i32)>, Raise> {
        let q = self.queue(que, "FreeAllEvent")?;
        Ok(q.bufs.iter_mut().filter_map(|b| b.freed.take()).collect())
    }

    /// A length of 0 is how kernels leave out a buffer that a data type does not need.
    pub fn init_tbuf(&mut self, len: u32, site: Site) -> Result<Buffer, Raise> {
        let addr = self.take("InitBuffer", 1, len, site)?;
        Ok(Buffer { addr, bytes: len.next_multiple_of(32), handle: TBUF_HANDLE, lease: 0 })
    }

    /// What is left above the buffers, up to the toolkit's message area (`kernel_pop_stack_buffer.h`).
    pub fn pop_stack(&mut self) -> Result<Buffer, Raise> {
        let end = self.stack_end;
        let used = self.live("PopStackBuffer")?.used;
        if used >= end {
            let mut r = fault("PopStackBuffer", "no space is left in the unified buffer")
                .expected("space above the buffers of the pipe for a temporary one")
                .got(format!("{used} of {end} bytes in use"))
                .fix("shrink the tile, or pass a temporary buffer");
            r.class = FaultClass::BufferSpace;
            return Err(r);
        }
        let bytes = (end - used) as u32;
        Ok(Buffer { addr: used as u32, bytes, handle: TBUF_HANDLE, lease: 0 })
    }

    fn queue(&mut self, que: u32, instruction: &str) -> Result<&mut Queue, Raise> {
        let i = (que as usize).wrapping_sub(1);
        self.queues.get_mut(i).ok_or_else(|| {
            fault(instruction, "the queue has no buffers")
                .expected("InitBuffer before use")
                .got("none")
                .fix("call pipe.InitBuffer(queue, num, len) first")
        })
    }

    /// Index of a buffer that belongs to this queue.
    fn member(&mut self, que: u32, handle: u32, instruction: &str) -> Result<usize, Raise> {
        let q = self.queue(que, instruction)?;
        let i = (handle & 0xffff) as usize;
        if handle != 0 && handle != TBUF_HANDLE && handle >> 16 == que && i < q.bufs.len() {
            return Ok(i);
        }
        let what = match handle {
            0 => "a tensor that no queue handed out",
            TBUF_HANDLE => "a TBuf tensor",
            _ => "a tensor of another queue",
        };
        Err(fault(instruction, "the tensor does not belong to this queue")
            .operand("tensor")
            .expected("a tensor that AllocTensor or DeQue of this queue returned")
            .got(what)
            .fix("return every tensor to the queue it came from"))
    }

    /// AllocTensor: the next buffer, and the event that freeing it left behind.
    pub fn alloc(&mut self, que: u32) -> Result<(Buffer, Pending), Raise> {
        let lease = self.leases + 1;
        let q = self.queue(que, "AllocTensor")?;
        let i = q.cursor;
        let total = q.bufs.len();
        let Some(buf) = q.bufs.get_mut(i) else {
            return Err(fault("AllocTensor", "the queue has no buffers: the core waits for ever")
                .expected("InitBuffer with a num of 1 or more")
                .got("num 0")
                .fix("check the tiling data"));
        };
        if buf.state != State::Free {
            let (state, waiting) = (buf.state, q.fifo.len());
            let (expected, got, fix) = match state {
                State::Enqueued => (
                    "DeQue and FreeTensor before buffers run out",
                    format!("{total} buffer(s), {waiting} enqueued and not dequeued by anybody"),
                    "call DeQue, not AllocTensor, where the tensor is read, and FreeTensor after its last use",
                ),
                _ => (
                    "FreeTensor before buffers run out",
                    format!("{total} buffer(s), the next one is {state:?}"),
                    "free each tensor after its last use, or raise num in InitBuffer",
                ),
            };
            return Err(fault("AllocTensor", "no free buffer: the core waits for ever")
                .expected(expected)
                .got(got)
                .fix(fix));
        }
        (buf.state, buf.lease) = (State::Occupied, lease);
        let (out, freed) = (buf.handed_out(que, i), buf.freed.take());
        q.cursor = (i + 1) % total;
        self.leases = lease;
        Ok((out, freed))
    }

    /// Whether EnQue takes a tensor.
    pub fn may_enque(&mut self, que: u32, tensor: u32) -> Result<(), Raise> {
        let i = self.member(que, tensor, "EnQue")?;
        let q = self.queue(que, "EnQue")?;
        let state = q.bufs[i].state;
        if !matches!(state, State::Occupied | State::Dequeued) {
            return Err(fault("EnQue", "the tensor is not in use")
                .operand("tensor")
                .expected("a tensor from AllocTensor or DeQue")
                .got(format!("state {state:?}"))
                .fix("enqueue each allocated tensor once"));
        }
        if q.fifo.len() as u32 >= q.depth {
            return Err(fault("EnQue", "the queue is full")
                .expected(format!("at most {} tensor(s) between EnQue and DeQue (depth)", q.depth))
                .got((q.fifo.len() + 1).to_string())
                .fix("DeQue first, or raise the depth template argument"));
        }
        Ok(())
    }

    pub fn enque(&mut self, que: u32, tensor: u32, filled: Pending) -> Result<(), Raise> {
        let i = self.member(que, tensor, "EnQue")?;
        let q = self.queue(que, "EnQue")?;
        q.bufs[i].state = State::Enqueued;
        q.bufs[i].filled = filled;
        q.fifo.push_back(i);
        Ok(())
    }

    /// DeQue: the oldest tensor, and the event that says it is filled.
    pub fn deque(&mut self, que: u32) -> Result<(Buffer, Pending), Raise> {
        let q = self.queue(que, "DeQue")?;
        let Some(i) = q.fifo.pop_front() else {
            return Err(fault("DeQue", "the queue is empty: the core waits for ever or reads stale data")
                .expected("an earlier EnQue")
                .got("none")
                .fix("EnQue the tensor after it was filled"));
        };
        q.bufs[i].state = State::Dequeued;
        Ok((q.bufs[i].handed_out(que, i), q.bufs[i].filled.take()))
    }

    /// The buffer of a tensor that FreeTensor takes.
    pub fn may_free(&mut self, que: u32, tensor: u32) -> Result<Buffer, Raise> {
        let i = self.member(que, tensor, "FreeTensor")?;
        let buf = &self.queue(que, "FreeTensor")?.bufs[i];
        if !matches!(buf.state, State::Occupied | State::Dequeued) {
            return Err(fault("FreeTensor", "the tensor cannot be freed now")
                .operand("tensor")
                .expected("a tensor that is allocated and not in the queue")
                .got(format!("state {:?}", buf.state))
                .fix("free each tensor once, after DeQue"));
        }
        Ok(buf.handed_out(que, i))
    }

    pub fn free(&mut self, que: u32, tensor: u32, freed: Pending) -> Result<(), Raise> {
        let i = self.member(que, tensor, "FreeTensor")?;
        let buf = &mut self.queue(que, "FreeTensor")?.bufs[i];
        buf.state = State::Free;
        buf.freed = freed;
        Ok(())
    }

    /// Inspectors: 0 tensors in the queue, 1 free places in the queue, 2 whether AllocTensor would succeed.
    pub fn query(&mut self, que: u32, what: u32) -> Result<u32, Raise> {
        let q = self.queue(que, "TQue")?;
        Ok(match QueueCount::from_code(what) {
            Some(QueueCount::Tensors) => q.fifo.len() as u32,
            Some(QueueCount::Places) => q.depth.saturating_sub(q.fifo.len() as u32),
            Some(QueueCount::IdleBuffer) | None => q.bufs.get(q.cursor).is_some_and(|b| b.state == State::Free) as u32,
        })
    }

    /// Takes the events that freed buffers of the live pipe still hold.
    pub fn take_freed(&mut self) -> Vec<(u32, i32)> {
        let first = self.pipes.last().map_or(0, |p| p.first);
        self.queues.iter_mut().skip(first).flat_map(|q| q.bufs.iter_mut().filter_map(|b| b.freed.take())).collect()
    }
}

fn handle(que: u32, i: usize) -> u32 {
    que << 16 | i as u32
}
