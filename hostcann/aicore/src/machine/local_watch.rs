//! CheckLocalMemoryIA: a kernel names blocks of the unified buffer, and an access of the named kind raises an exception.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        pipe::Pipe,
        site::Site,
    },
    instruction::shape::Shape,
    machine::{
        core::Core,
        observe::{Access, Observer, Step},
    },
};

/// Exception registers of a core (CheckLocalMemoryIA page: enableBit).
const REGISTERS: usize = 4;

/// Who may not read or write: bits of a register, the one for writes behind that for reads.
const SCALAR: u32 = 0;
const VECTOR: u32 = 2;
const COPY: u32 = 4;
const ENABLED: u32 = 1 << 6;

/// Blocks of 32 bytes: not the first one, but the last one (page: the range is (startAddr, endAddr]).
#[derive(Clone, Copy, Default)]
struct Register {
    start: u32,
    end: u32,
    kinds: u32,
}

/// The registers as an observer: a core that sets none pays nothing for them.
struct LocalWatches {
    registers: [Register; REGISTERS],
    /// Who declares operands now.
    unit: u32,
    pipe: Pipe,
    instruction: String,
}

impl Core {
    /// CheckLocalMemoryIA: sets one register.
    pub fn watch_local(&mut self, register: u32, start: u32, end: u32, kinds: u32) -> Result<(), Raise> {
        if register as usize >= REGISTERS {
            return Err(Raise::new(FaultClass::Argument, Pipe::S, "CheckLocalMemoryIA", "no such exception register")
                .operand("enableBit")
                .expected(format!("0 to {}", REGISTERS - 1))
                .got(register.to_string())
                .fix("a vector core has four of them"));
        }
        if !std::mem::replace(&mut self.observation.watches_local, true) {
            let registers = [Register::default(); REGISTERS];
            let watches = LocalWatches { registers, unit: VECTOR, pipe: Pipe::V, instruction: String::new() };
            self.observation.observers.push(Box::new(watches));
        }
        self.observe(Step::LocalWatch { register, start, end, kinds })
    }
}

impl LocalWatches {
    fn begin(&mut self, pipe: Pipe, instruction: String) {
        self.unit = if pipe == Pipe::V { VECTOR } else { COPY };
        (self.pipe, self.instruction) = (pipe, instruction);
    }

    fn check(&self, name: &str, addr: usize, shape: Shape, write: bool) -> Result<(), Raise> {
        let kind = 1 << (self.unit + u32::from(write));
        for (i, r) in self.registers.iter().enumerate().filter(|(_, r)| r.kinds & ENABLED != 0 && r.kinds & kind != 0) {
            let (from, to) = ((r.start as usize + 1) * 32, (r.end as usize + 1) * 32);
            let mut hit = None;
            shape.runs(|at, len| {
                let start = (addr + at).max(from);
                if hit.is_none() && start < (addr + at + len).min(to) {
                    hit = Some(start);
                }
            });
            let Some(byte) = hit else { continue };
            let verb = if write { "writes" } else { "reads" };
            let what = format!("{verb} what the kernel watches with CheckLocalMemoryIA");
            return Err(Raise::new(FaultClass::Assertion, self.pipe, self.instruction.clone(), what)
                .operand(name)
                .expected(format!("no such access of UB bytes {from} to {to} (exception register {i})"))
                .got(format!("UB byte {byte}"))
                .fix(
                    "find out who writes there, or switch the register off: CheckLocalMemoryIA with isEnable = false",
                ));
        }
        Ok(())
    }
}

impl Observer for LocalWatches {
    fn step(&mut self, _: Site, step: &Step<'_>) -> Result<(), Raise> {
        match *step {
            Step::Vector { ins, .. } => self.begin(Pipe::V, ins.head().name()),
            Step::Copy { ins, .. } => self.begin(ins.pipe(), ins.name()),
            Step::Operand { name, operand, shape, access } => {
                self.check(name, operand.addr as usize, shape, access == Access::Write)?;
            }
            Step::UbScalar { operand, write } => {
                (self.unit, self.pipe) = (SCALAR, Pipe::S);
                self.instruction = if write { "LocalTensor::SetValue" } else { "LocalTensor::GetValue" }.to_owned();
                self.check("tensor", operand.addr as usize, Shape::Bytes(operand.bytes as usize), write)?;
            }
            Step::LocalWatch { register, start, end, kinds } => {
                self.registers[register as usize] = Register { start, end, kinds };
            }
            _ => {}
        }
        Ok(())
    }
}
