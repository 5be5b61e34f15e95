//! The pipe's bump allocator and its queues (TPipe, TQue, TQueBind, TBuf).

use crate::{
    fault::{FaultClass, Raise},
    ins::Buffer,
    pipe::Pipe,
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
        Buffer { addr: self.addr, bytes: self.bytes, handle: handle(que, i), reserved: 0 }
    }
}

/// Everything TPipe owns on one core.
pub(crate) struct Queues {
    ub_visible: usize,
    max_buffers: usize,
    /// Address of the live TPipe, 0 when there is none.
    pipe: usize,
    used: usize,
    buffers: usize,
    queues: Vec<Queue>,
}

/// A TBuf's handle; no queue accepts it.
const TBUF_HANDLE: u32 = u32::MAX;

fn fault(instruction: &str, what: &str) -> Raise {
    Raise::new(FaultClass::Queue, Pipe::S, instruction, what)
}

impl Queues {
    pub fn new(spec: &CoreSpec) -> Queues {
        Queues {
            ub_visible: spec.ub_visible,
            max_buffers: spec.max_buffers,
            pipe: 0,
            used: 0,
            buffers: 0,
            queues: Vec::new(),
        }
    }

    pub fn reset(&mut self) {
        self.pipe = 0;
        self.drop_buffers();
    }

    pub fn drop_buffers(&mut self) {
        self.used = 0;
        self.buffers = 0;
        self.queues.clear();
    }

    /// Bytes handed out from the bottom of the buffer.
    pub fn used(&self) -> usize {
        self.used
    }

    pub fn open(&mut self, pipe: usize) -> Result<(), Raise> {
        if self.pipe != 0 {
            return Err(fault("TPipe", "a second TPipe on this core")
                .expected("one live TPipe")
                .got("two")
                .fix("make one TPipe in the kernel function and pass it by pointer"));
        }
        self.reset();
        self.pipe = pipe;
        Ok(())
    }

    pub fn close(&mut self) {
        self.reset();
    }

    pub fn pipe(&self) -> usize {
        self.pipe
    }

    /// Buffers count towards the limit of a TPipe, which has to be there.
    fn count(&mut self, instruction: &str, num: u32) -> Result<(), Raise> {
        if self.pipe == 0 {
            return Err(fault(instruction, "there is no TPipe")
                .expected("a live TPipe")
                .got("none")
                .fix("construct a TPipe first"));
        }
        self.buffers += num as usize;
        if self.buffers > self.max_buffers {
            return Err(fault(instruction, "too many buffers in one TPipe")
                .expected(format!("at most {}", self.max_buffers))
                .got(self.buffers.to_string())
                .fix("share TBufs or lower the number of buffers per queue"));
        }
        Ok(())
    }

    /// The end of `num` buffers behind `at`.
    fn fits(&self, at: usize, num: u32, len: u32) -> Result<usize, Raise> {
        let end = at as u64 + num as u64 * (len as u64).next_multiple_of(32);
        if end > self.ub_visible as u64 {
            let mut r = fault("InitBuffer", "buffers do not fit into the unified buffer")
                .silent()
                .operand("len")
                .expected(format!("at most {} bytes in total", self.ub_visible))
                .got(format!("{at} bytes in use plus {num} x {len} bytes = {end}"))
                .fix("shrink the tile in the tiling function; the device overwrites its reserved area here");
            r.class = FaultClass::BufferSpace;
            return Err(r);
        }
        Ok(end as usize)
    }

    fn take(&mut self, instruction: &str, num: u32, len: u32) -> Result<u32, Raise> {
        self.count(instruction, num)?;
        let at = self.used;
        self.used = self.fits(at, num, len)?;
        Ok(at as u32)
    }

    /// InitBuffer of a queue; returns its id, 1 or more.
    pub fn init_queue(&mut self, depth: u32, num: u32, len: u32) -> Result<u32, Raise> {
        if num == 0 || len == 0 {
            return Err(fault("InitBuffer", "a queue of empty buffers")
                .operand(if num == 0 { "num" } else { "len" })
                .expected("1 or more")
                .got("0")
                .fix("check the tiling data"));
        }
        let base = self.take("InitBuffer", num, len)?;
        let bytes = len.next_multiple_of(32);
        let buf = |i: u32| Buf { addr: base + i * bytes, bytes, state: State::Free, filled: None, freed: None };
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
        let buf = |_| Buf { addr: 0, bytes: 0, state: State::Free, filled: None, freed: None };
        let bufs = (0..num).map(buf).collect();
        self.queues.push(Queue { depth: depth.max(1), bufs, cursor: 0, fifo: Default::default() });
        Ok(self.queues.len() as u32)
    }

    /// Gives a buffer of such a queue its place; the buffer's length is whole blocks.
    pub fn place(&mut self, que: u32, index: u32, addr: u32, len: u32) -> Result<u32, Raise> {
        self.fits(addr as usize, 1, len)?;
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
        self.fits(addr as usize, 1, len)?;
        Ok(Buffer { addr, bytes: len.next_multiple_of(32), handle: TBUF_HANDLE, reserved: 0 })
    }

    /// Takes the events that freed buffers of one queue still hold.
    pub fn take_freed_of(&mut self, que: u32) -> Result<Vec<(u32, i32)>, Raise> {
        let q = self.queue(que, "FreeAllEvent")?;
        Ok(q.bufs.iter_mut().filter_map(|b| b.freed.take()).collect())
    }

    /// A length of 0 is how kernels leave out a buffer that a data type does not need.
    pub fn init_tbuf(&mut self, len: u32) -> Result<Buffer, Raise> {
        let addr = self.take("InitBuffer", 1, len)?;
        Ok(Buffer { addr, bytes: len.next_multiple_of(32), handle: TBUF_HANDLE, reserved: 0 })
    }

    /// What is left above the buffers. The toolkit's end is the physical one less a 64-byte message area, which lies
    /// above the bytes a kernel may address, so that those decide (`kernel_pop_stack_buffer.h`).
    pub fn pop_stack(&self) -> Result<Buffer, Raise> {
        if self.pipe == 0 {
            return Err(fault("PopStackBuffer", "there is no TPipe")
                .expected("a live TPipe")
                .got("none")
                .fix("construct a TPipe first"));
        }
        if self.used >= self.ub_visible {
            let mut r = fault("PopStackBuffer", "no space is left in the unified buffer")
                .expected("space above the buffers of the pipe for a temporary one")
                .got(format!("{} of {} bytes in use", self.used, self.ub_visible))
                .fix("shrink the tile, or pass a temporary buffer");
            r.class = FaultClass::BufferSpace;
            return Err(r);
        }
        let bytes = (self.ub_visible - self.used) as u32;
        Ok(Buffer { addr: self.used as u32, bytes, handle: TBUF_HANDLE, reserved: 0 })
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
        let q = self.queue(que, "AllocTensor")?;
        let i = q.cursor;
        let total = q.bufs.len();
        let buf = &mut q.bufs[i];
        if buf.state != State::Free {
            let state = buf.state;
            return Err(fault("AllocTensor", "no free buffer: the core waits for ever")
                .expected("FreeTensor before buffers run out")
                .got(format!("{total} buffer(s), the next one is {state:?}"))
                .fix("free each tensor after its last use, or raise num in InitBuffer"));
        }
        buf.state = State::Occupied;
        q.cursor = (i + 1) % total;
        Ok((q.bufs[i].handed_out(que, i), q.bufs[i].freed.take()))
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

    /// Whether FreeTensor takes a tensor.
    pub fn may_free(&mut self, que: u32, tensor: u32) -> Result<(), Raise> {
        let i = self.member(que, tensor, "FreeTensor")?;
        let state = self.queue(que, "FreeTensor")?.bufs[i].state;
        if !matches!(state, State::Occupied | State::Dequeued) {
            return Err(fault("FreeTensor", "the tensor cannot be freed now")
                .operand("tensor")
                .expected("a tensor that is allocated and not in the queue")
                .got(format!("state {state:?}"))
                .fix("free each tensor once, after DeQue"));
        }
        Ok(())
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
        Ok(match what {
            0 => q.fifo.len() as u32,
            1 => q.depth.saturating_sub(q.fifo.len() as u32),
            _ => (q.bufs[q.cursor].state == State::Free) as u32,
        })
    }

    /// Takes the events that freed buffers still hold.
    pub fn take_freed(&mut self) -> Vec<(u32, i32)> {
        self.queues.iter_mut().flat_map(|q| q.bufs.iter_mut().filter_map(|b| b.freed.take())).collect()
    }
}

fn handle(que: u32, i: usize) -> u32 {
    que << 16 | i as u32
}
