//! The pipe's bump allocator and its queues (TPipe, TQue, TQueBind, TBuf).

use crate::{
    core::Core,
    engine::CoreSpec,
    event::{HardEvent, Pipe},
    fault::{FaultClass, Raise},
    ins::Buffer,
    observe::Step,
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
    filled: Option<(u32, i32)>,
    /// Event that the next AllocTensor waits for, set by FreeTensor. Its id stays allocated until then.
    freed: Option<(u32, i32)>,
}

struct Queue {
    depth: u32,
    bufs: Vec<Buf>,
    /// Buffer that AllocTensor looks at next.
    cursor: usize,
    fifo: std::collections::VecDeque<usize>,
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

    fn take(&mut self, instruction: &str, num: u32, len: u32) -> Result<u32, Raise> {
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
        let at = self.used;
        let end = at as u64 + num as u64 * (len as u64).next_multiple_of(32);
        if end > self.ub_visible as u64 {
            let mut r = fault(instruction, "buffers do not fit into the unified buffer")
                .silent()
                .operand("len")
                .expected(format!("at most {} bytes in total", self.ub_visible))
                .got(format!("{at} bytes in use plus {num} x {len} bytes = {end}"))
                .fix("shrink the tile in the tiling function; the device overwrites its reserved area here");
            r.class = FaultClass::BufferSpace;
            return Err(r);
        }
        self.used = end as usize;
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
}

fn handle(que: u32, i: usize) -> u32 {
    que << 16 | i as u32
}

impl Core {
    pub fn queue_alloc(&mut self, que: u32) -> Result<Buffer, Raise> {
        let q = self.queues.queue(que, "AllocTensor")?;
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
        let out = Buffer { addr: buf.addr, bytes: buf.bytes, handle: handle(que, i), reserved: 0 };
        let freed = buf.freed.take();
        q.cursor = (i + 1) % total;
        self.finish(freed)?;
        self.observe(Step::AllocTensor { handle: out.handle })?;
        Ok(out)
    }

    pub fn queue_enque(&mut self, que: u32, tensor: u32, event: u32) -> Result<(), Raise> {
        let i = self.queues.member(que, tensor, "EnQue")?;
        let q = self.queues.queue(que, "EnQue")?;
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
        let filled = self.start(event)?;
        let q = self.queues.queue(que, "EnQue")?;
        q.bufs[i].state = State::Enqueued;
        q.bufs[i].filled = filled;
        q.fifo.push_back(i);
        let site = self.site;
        if let Some(c) = &mut self.check {
            c.enqueued(handle(que, i), site);
        }
        Ok(())
    }

    pub fn queue_deque(&mut self, que: u32) -> Result<Buffer, Raise> {
        let q = self.queues.queue(que, "DeQue")?;
        let Some(i) = q.fifo.pop_front() else {
            return Err(fault("DeQue", "the queue is empty: the core waits for ever or reads stale data")
                .expected("an earlier EnQue")
                .got("none")
                .fix("EnQue the tensor after it was filled"));
        };
        let buf = &mut q.bufs[i];
        buf.state = State::Dequeued;
        let out = Buffer { addr: buf.addr, bytes: buf.bytes, handle: handle(que, i), reserved: 0 };
        let filled = buf.filled.take();
        self.finish(filled)?;
        Ok(out)
    }

    pub fn queue_free(&mut self, que: u32, tensor: u32, event: u32) -> Result<(), Raise> {
        let i = self.queues.member(que, tensor, "FreeTensor")?;
        let state = self.queues.queue(que, "FreeTensor")?.bufs[i].state;
        if !matches!(state, State::Occupied | State::Dequeued) {
            return Err(fault("FreeTensor", "the tensor cannot be freed now")
                .operand("tensor")
                .expected("a tensor that is allocated and not in the queue")
                .got(format!("state {state:?}"))
                .fix("free each tensor once, after DeQue"));
        }
        self.observe(Step::FreeTensor { handle: tensor })?;
        let freed = self.start(event)?;
        let buf = &mut self.queues.queue(que, "FreeTensor")?.bufs[i];
        buf.state = State::Free;
        buf.freed = freed;
        Ok(())
    }

    /// Inspectors: 0 tensors in the queue, 1 free places in the queue, 2 whether AllocTensor would succeed.
    pub fn queue_query(&mut self, que: u32, what: u32) -> Result<u32, Raise> {
        let q = self.queues.queue(que, "TQue")?;
        Ok(match what {
            0 => q.fifo.len() as u32,
            1 => q.depth.saturating_sub(q.fifo.len() as u32),
            _ => (q.bufs[q.cursor].state == State::Free) as u32,
        })
    }

    /// Allocates an id of an event and sets its flag; V_V needs no id.
    fn start(&mut self, event: u32) -> Result<Option<(u32, i32)>, Raise> {
        if event == HardEvent::V_V.0 as u32 {
            return Ok(None);
        }
        let id = self.event_alloc(event)?;
        self.set_flag(event, id)?;
        Ok(Some((event, id)))
    }

    fn finish(&mut self, pending: Option<(u32, i32)>) -> Result<(), Raise> {
        if let Some((event, id)) = pending {
            self.wait_flag(event, id)?;
            self.events.release(event, id)?;
        }
        Ok(())
    }

    pub fn pipe_open(&mut self, pipe: usize) -> Result<(), Raise> {
        self.queues.open(pipe)?;
        if let Some(c) = &mut self.check {
            c.no_buffers();
        }
        Ok(())
    }

    /// Tells the checker about new buffers.
    pub fn buffers_made(&mut self, start: u32, num: u32, bytes: u32) -> Result<(), Raise> {
        let end = self.queues.used();
        match &mut self.check {
            None => Ok(()),
            Some(c) => {
                c.buffers(start, num, bytes);
                c.init_buffer_end(end)
            }
        }
    }

    /// The end of a TPipe: waits for the events that freed buffers still hold.
    pub fn pipe_close(&mut self) -> Result<(), Raise> {
        if let Some(c) = &mut self.check {
            for (que, q) in self.queues.queues.iter().enumerate() {
                if let Some(i) = q.fifo.front() {
                    c.left_in_queue(handle(que as u32 + 1, *i))?;
                }
            }
            c.no_buffers();
        }
        let pending: Vec<_> =
            self.queues.queues.iter_mut().flat_map(|q| q.bufs.iter_mut().filter_map(|b| b.freed.take())).collect();
        for p in pending {
            self.finish(Some(p))?;
        }
        self.queues.close();
        self.barrier(Pipe::ALL as u32)
    }

    pub fn pipe_reset(&mut self) -> Result<(), Raise> {
        let pipe = self.queues.pipe();
        self.pipe_close()?;
        self.pipe_open(pipe)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::event_code;
    use crate::testkit::Bench;

    fn bench() -> Bench {
        let mut t = Bench::new();
        t.core.queues.open(1).unwrap();
        t
    }

    #[test]
    fn double_buffering() {
        let mut t = bench();
        let c = &mut t.core;
        let q = c.queues.init_queue(1, 2, 100).unwrap();
        let (fwd, back) = (event_code("MTE2_V"), event_code("V_MTE2"));
        for i in 0..10u32 {
            let a = c.queue_alloc(q).unwrap();
            assert_eq!((a.addr, a.bytes), ((i % 2) * 128, 128));
            c.queue_enque(q, a.handle, fwd).unwrap();
            assert_eq!(c.queue_query(q, 0).unwrap(), 1);
            let d = c.queue_deque(q).unwrap();
            assert_eq!(d, a);
            c.queue_free(q, d.handle, back).unwrap();
        }
        // Each freed buffer keeps one id until it is allocated again.
        assert_eq!(c.events.fetch(back).unwrap(), 2);
        c.pipe_close().unwrap();
        assert_eq!(c.events.fetch(back).unwrap(), 0);
    }

    #[test]
    fn misuse() {
        let mut t = bench();
        let c = &mut t.core;
        let (fwd, back) = (event_code("MTE2_V"), event_code("V_MTE2"));
        assert!(c.queue_alloc(0).unwrap_err().what.contains("no buffers"));
        let q = c.queues.init_queue(1, 2, 64).unwrap();
        let other = c.queues.init_queue(1, 1, 64).unwrap();
        assert!(c.queue_deque(q).unwrap_err().what.contains("empty"));
        let a = c.queue_alloc(q).unwrap();
        let b = c.queue_alloc(q).unwrap();
        assert!(c.queue_alloc(q).unwrap_err().what.contains("no free buffer"));
        assert!(c.queue_free(other, a.handle, back).unwrap_err().got.contains("another queue"));
        assert!(c.queue_free(q, 0, back).unwrap_err().got.contains("no queue"));
        let tbuf = c.queues.init_tbuf(64).unwrap();
        assert!(c.queue_free(q, tbuf.handle, back).unwrap_err().got.contains("TBuf"));
        c.queue_enque(q, a.handle, fwd).unwrap();
        assert!(c.queue_enque(q, a.handle, fwd).unwrap_err().what.contains("not in use"));
        assert!(c.queue_enque(q, b.handle, fwd).unwrap_err().what.contains("full"));
        assert!(c.queue_free(q, a.handle, back).is_err());
        let a = c.queue_deque(q).unwrap();
        c.queue_free(q, a.handle, back).unwrap();
        assert!(c.queue_free(q, a.handle, back).is_err());
    }

    #[test]
    fn space_and_limits() {
        let mut t = bench();
        let visible = t.core.spec.ub_visible as u32;
        let qs = &mut t.core.queues;
        qs.init_queue(1, 2, visible / 4).unwrap();
        let e = qs.init_queue(1, 2, visible / 4 + 64).unwrap_err();
        assert_eq!(e.class, FaultClass::BufferSpace);
        assert!(qs.init_queue(1, 0, 32).unwrap_err().what.contains("empty buffers"));
        qs.drop_buffers();
        let empty = qs.init_tbuf(0).unwrap();
        assert_eq!((empty.addr, empty.bytes, qs.init_tbuf(32).unwrap().addr), (0, 0, 0));
        qs.drop_buffers();
        for _ in 0..64 {
            qs.init_tbuf(32).unwrap();
        }
        assert!(qs.init_tbuf(32).unwrap_err().what.contains("too many"));
        assert!(qs.open(2).unwrap_err().what.contains("second TPipe"));
    }

    #[test]
    fn nine_buffers_of_one_position_exhaust_the_ids() {
        let mut t = bench();
        let c = &mut t.core;
        let q = c.queues.init_queue(9, 9, 32).unwrap();
        let tensors: Vec<_> = (0..9).map(|_| c.queue_alloc(q).unwrap()).collect();
        let r: Result<Vec<_>, _> = tensors.iter().map(|b| c.queue_free(q, b.handle, event_code("V_MTE2"))).collect();
        assert!(r.unwrap_err().what.contains("no event id"));
    }
}
