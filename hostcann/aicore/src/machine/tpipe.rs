//! Calls of TPipe and its queues.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        ins::Buffer,
        pipe::Pipe,
    },
    machine::{core::Core, event::HardEvent, observe::Step, queue::Pending},
};

impl Core {
    pub fn queue_alloc(&mut self, que: u32) -> Result<Buffer, Raise> {
        let (out, freed) = self.machine.queues.alloc(que)?;
        self.observe(Step::AllocTensor { handle: out.handle, addr: out.addr, bytes: out.bytes, lease: out.lease })?;
        self.finish(freed)?;
        Ok(out)
    }

    pub fn queue_enque(&mut self, que: u32, tensor: u32, event: u32) -> Result<(), Raise> {
        self.machine.queues.may_enque(que, tensor)?;
        self.observe(Step::EnQue { handle: tensor })?;
        let filled = self.start(event)?;
        self.machine.queues.enque(que, tensor, filled)
    }

    pub fn queue_deque(&mut self, que: u32) -> Result<Buffer, Raise> {
        let (out, filled) = self.machine.queues.deque(que)?;
        self.observe(Step::DeQue { handle: out.handle })?;
        self.finish(filled)?;
        Ok(out)
    }

    pub fn queue_free(&mut self, que: u32, tensor: u32, event: u32) -> Result<(), Raise> {
        let b = self.machine.queues.may_free(que, tensor)?;
        self.observe(Step::FreeTensor { handle: tensor, addr: b.addr, bytes: b.bytes })?;
        let freed = self.start(event)?;
        self.machine.queues.free(que, tensor, freed)
    }

    /// Allocates an id of an event and sets its flag; V_V needs no id.
    fn start(&mut self, event: u32) -> Result<Pending, Raise> {
        if event == HardEvent::V_V.0 as u32 {
            return Ok(None);
        }
        let id = self.event_alloc(event)?;
        self.set_flag(event, id)?;
        Ok(Some((event, id)))
    }

    fn finish(&mut self, pending: Pending) -> Result<(), Raise> {
        if let Some((event, id)) = pending {
            self.wait_flag(event, id)?;
            self.event_release(event, id)?;
        }
        Ok(())
    }

    pub fn pipe_open(&mut self, pipe: usize) -> Result<(), Raise> {
        self.machine.queues.open(pipe);
        self.observe(Step::PipeOpen)
    }

    /// InitBuffer of a queue; the result identifies it.
    pub fn queue_init(&mut self, depth: u32, num: u32, len: u32) -> Result<u32, Raise> {
        let addr = self.machine.queues.used() as u32;
        let que = self.machine.queues.init_queue(depth, num, len, self.observation.site)?;
        let bytes = (self.machine.queues.used() as u32 - addr).checked_div(num).unwrap_or(0);
        self.observe(Step::InitBuffer { queue: true, addr, num, bytes })?;
        Ok(que)
    }

    /// InitBuffer of a TBuf.
    pub fn tbuf_init(&mut self, len: u32) -> Result<Buffer, Raise> {
        let b = self.machine.queues.init_tbuf(len, self.observation.site)?;
        self.observe(Step::InitBuffer { queue: false, addr: b.addr, num: 1, bytes: b.bytes })?;
        Ok(b)
    }

    /// A tensor of a TBuf that ends behind its buffer. The device does not look (its page alone forbids it), and what an
    /// instruction does there is a finding of its own.
    pub fn tbuf_exceeded(&mut self, name: String, end: u64, bytes: u32) -> Result<(), Raise> {
        let raise = Raise::new(FaultClass::BufferBounds, Pipe::S, name, "the tensor is longer than the TBuf")
            .operand("len")
            .expected(format!("at most the {bytes} bytes of the buffer"))
            .got(end.to_string())
            .fix("raise len in InitBuffer");
        self.observe(Step::Broken(&raise.rule()))
    }

    /// A queue whose buffers follow with [`Core::queue_place`].
    pub fn queue_begin(&mut self, depth: u32, num: u32) -> Result<u32, Raise> {
        self.machine.queues.begin_queue(depth, num)
    }

    pub fn queue_place(&mut self, que: u32, index: u32, addr: u32, len: u32) -> Result<(), Raise> {
        let bytes = self.machine.queues.place(que, index, addr, len)?;
        self.observe(Step::InitBuffer { queue: true, addr, num: 1, bytes })
    }

    /// A TBuf at a place of the kernel's choice.
    pub fn tbuf_place(&mut self, addr: u32, len: u32) -> Result<Buffer, Raise> {
        let b = self.machine.queues.place_tbuf(addr, len)?;
        self.observe(Step::InitBuffer { queue: false, addr: b.addr, num: 1, bytes: b.bytes })?;
        Ok(b)
    }

    /// InitBufPool: memory whose buffers the kernel places.
    pub fn pool_init(&mut self, len: u32) -> Result<Buffer, Raise> {
        self.machine.queues.init_tbuf(len, self.observation.site)
    }

    /// FreeAllEvent: waits for the events that freed buffers of the queue hold and gives their ids back.
    pub fn queue_settle(&mut self, que: u32) -> Result<(), Raise> {
        for pending in self.machine.queues.take_freed_of(que)? {
            self.finish(Some(pending))?;
        }
        Ok(())
    }

    /// PopStackBuffer, also of Fill.
    pub fn pop_stack(&mut self, fills: bool) -> Result<Buffer, Raise> {
        let b = self.machine.queues.pop_stack()?;
        self.observe(Step::StackBuffer { addr: b.addr, bytes: b.bytes, fills })?;
        Ok(b)
    }

    /// The end of a TPipe: waits for the events that freed buffers still hold, and for all pipes if asked to.
    pub fn pipe_close(&mut self, all: bool) -> Result<(), Raise> {
        self.observe(Step::PipeClose)?;
        for pending in self.machine.queues.take_freed() {
            self.finish(Some(pending))?;
        }
        self.machine.queues.close();
        if all { self.barrier(Pipe::ALL as u32) } else { Ok(()) }
    }

    pub fn pipe_reset(&mut self) -> Result<(), Raise> {
        let pipe = self.machine.queues.pipe();
        self.pipe_close(true)?;
        self.pipe_open(pipe)
    }
}

#[cfg(test)]
mod tests {
    use crate::base::{fault::Raise, pipe::Pipe, site::Site};
    use crate::{base::fault::FaultClass, machine::core::event_code, testkit::Bench};

    fn bench() -> Bench {
        let mut t = Bench::new();
        t.core.machine.queues.open(1);
        t
    }

    #[test]
    fn double_buffering() {
        let mut t = bench();
        let c = &mut t.core;
        let q = c.machine.queues.init_queue(1, 2, 100, Site(0)).unwrap();
        let (fwd, back) = (event_code("MTE2_V"), event_code("V_MTE2"));
        for i in 0..10u32 {
            let a = c.queue_alloc(q).unwrap();
            assert_eq!((a.addr, a.bytes), ((i % 2) * 128, 128));
            c.queue_enque(q, a.handle, fwd).unwrap();
            assert_eq!(c.machine.queues.query(q, 0).unwrap(), 1);
            let d = c.queue_deque(q).unwrap();
            assert_eq!(d, a);
            c.queue_free(q, d.handle, back).unwrap();
        }
        // Each freed buffer keeps one id until it is allocated again.
        assert_eq!(c.machine.events.fetch(back).unwrap(), 2);
        c.pipe_close(true).unwrap();
        assert_eq!(c.machine.events.fetch(back).unwrap(), 0);
    }

    #[test]
    fn misuse() {
        let mut t = bench();
        let c = &mut t.core;
        let (fwd, back) = (event_code("MTE2_V"), event_code("V_MTE2"));
        assert!(c.queue_alloc(0).unwrap_err().what.contains("no buffers"));
        let q = c.machine.queues.init_queue(1, 2, 64, Site(0)).unwrap();
        let other = c.machine.queues.init_queue(1, 1, 64, Site(0)).unwrap();
        assert!(c.queue_deque(q).unwrap_err().what.contains("empty"));
        let a = c.queue_alloc(q).unwrap();
        let b = c.queue_alloc(q).unwrap();
        let full = c.queue_alloc(q).unwrap_err();
        assert_eq!(
            (full.what.as_str(), full.got.as_str()),
            ("no free buffer: the core waits for ever", "2 buffer(s), the next one is Occupied")
        );
        assert!(c.queue_free(other, a.handle, back).unwrap_err().got.contains("another queue"));
        assert!(c.queue_free(q, 0, back).unwrap_err().got.contains("no queue"));
        let tbuf = c.machine.queues.init_tbuf(64, Site(0)).unwrap();
        assert!(c.queue_free(q, tbuf.handle, back).unwrap_err().got.contains("TBuf"));
        c.queue_enque(q, a.handle, fwd).unwrap();
        assert!(c.queue_enque(q, a.handle, fwd).unwrap_err().what.contains("not in use"));
        assert!(c.queue_enque(q, b.handle, fwd).unwrap_err().what.contains("full"));
        let waiting = c.queue_alloc(q).unwrap_err();
        assert_eq!(waiting.got, "2 buffer(s), 1 enqueued and not dequeued by anybody");
        assert!(waiting.fix.starts_with("call DeQue, not AllocTensor"), "{}", waiting.fix);
        assert!(c.queue_free(q, a.handle, back).is_err());
        let a = c.queue_deque(q).unwrap();
        c.queue_free(q, a.handle, back).unwrap();
        assert!(c.queue_free(q, a.handle, back).is_err());
    }

    #[test]
    fn nothing_looks_whether_buffers_fit() {
        let mut t = bench();
        let size = t.core.machine.spec.ub_size as u32;
        let qs = &mut t.core.machine.queues;
        qs.init_queue(1, 2, size / 4, Site(0)).unwrap();
        // 196608 - sizeof(KfcMsg) = 196480 (kernel_pop_stack_buffer.h, kfc_comm.h).
        assert_eq!(qs.pop_stack().unwrap().bytes, 196480 - size / 2);
        qs.init_queue(1, 1, size / 2 - 128, Site(0)).unwrap();
        assert_eq!(qs.pop_stack().unwrap_err().class, FaultClass::BufferSpace);
        let beyond = qs.init_tbuf(64, Site(0)).unwrap();
        assert_eq!((beyond.addr, qs.init_tbuf(64, Site(0)).unwrap().addr), (196480, 196544));
        let beyond = qs.init_tbuf(size, Site(0)).unwrap();
        assert_eq!((beyond.addr, beyond.bytes), (196608, 196608));
        assert_eq!(qs.init_tbuf(u32::MAX - 31, Site(0)).unwrap_err().class, FaultClass::BufferSpace);
        // The instruction that goes there names the buffers, and which of them goes over.
        let size = size as usize;
        let outside = || Raise::new(FaultClass::OutOfRange, Pipe::V, "Adds", "operand leaves the unified buffer");
        let told = qs.explain(outside(), size);
        assert_eq!(told.expected, "at most 196608 bytes of buffers");
        assert_eq!(told.got, "393216 bytes: 2 x 49152, 1 x 98176, 1 x 64, 1 x 64, 1 x 196608, which goes over");
        assert!(told.what.starts_with("the buffers of InitBuffer do not fit"), "{}", told.what);
        qs.close();
        qs.open(1);
        qs.init_tbuf(64, Site(0)).unwrap();
        assert_eq!(qs.explain(outside(), size).what, "operand leaves the unified buffer");
    }

    #[test]
    fn empty_buffers_and_queues() {
        let mut t = bench();
        let c = &mut t.core;
        let empty = c.machine.queues.init_tbuf(0, Site(0)).unwrap();
        assert_eq!((empty.addr, empty.bytes, c.machine.queues.init_tbuf(32, Site(0)).unwrap().addr), (0, 0, 0));
        let q = c.queue_init(1, 2, 0).unwrap();
        assert_eq!(c.queue_alloc(q).unwrap().bytes, 0);
        let none = c.queue_init(1, 0, 32).unwrap();
        assert_eq!(c.machine.queues.query(none, 2).unwrap(), 0);
        assert!(c.queue_alloc(none).unwrap_err().what.contains("waits for ever"));
    }

    #[test]
    fn sixty_four_buffers() {
        let mut t = bench();
        let qs = &mut t.core.machine.queues;
        for _ in 0..64 {
            qs.init_tbuf(32, Site(0)).unwrap();
        }
        assert!(qs.init_tbuf(32, Site(0)).unwrap_err().what.contains("too many"));
    }

    #[test]
    fn a_second_pipe_starts_over_and_leaves_the_first_one_alone() {
        let mut t = bench();
        let c = &mut t.core;
        let outer = c.queue_init(1, 2, 64).unwrap();
        c.pipe_open(2).unwrap();
        assert_eq!((c.machine.queues.pipe(), c.machine.queues.used()), (2, 0));
        let inner = c.queue_init(1, 1, 96).unwrap();
        let (a, b) = (c.queue_alloc(outer).unwrap(), c.queue_alloc(inner).unwrap());
        assert_eq!((a.addr, b.addr, c.machine.queues.used()), (0, 0, 96));
        c.pipe_close(true).unwrap();
        assert_eq!((c.machine.queues.pipe(), c.machine.queues.used()), (1, 128));
        assert!(c.queue_alloc(inner).unwrap_err().what.contains("no buffers"));
        c.queue_alloc(outer).unwrap();
    }

    #[test]
    fn a_freed_buffer_keeps_its_id_until_it_is_allocated_again() {
        let mut t = bench();
        let c = &mut t.core;
        let q = c.machine.queues.init_queue(9, 9, 32, Site(0)).unwrap();
        let tensors: Vec<_> = (0..9).map(|_| c.queue_alloc(q).unwrap()).collect();
        tensors.iter().for_each(|b| c.queue_free(q, b.handle, event_code("V_MTE2")).unwrap());
        assert_eq!(c.machine.events.fetch(event_code("V_MTE2")).unwrap(), 9);
        c.queue_alloc(q).unwrap();
        assert_eq!(c.machine.events.fetch(event_code("V_MTE2")).unwrap(), 0);
    }
}
