//! What kernels print: printf, DumpTensor and assertions. Each line names the core it comes from.

use crate::{
    base::{
        fault::{FaultClass, Raise},
        float::{Bf16, F16, bf16_to_f32, f16_to_f32},
        ins::{Dtype, Operand},
        lanes::BLOCK,
        pipe::Pipe,
    },
    instruction::ub,
    machine::{core::Core, launch_state::LaunchState, state::MachineState},
};
use std::{
    ffi::c_void,
    io::Write,
    sync::OnceLock,
    time::{Duration, Instant},
};

/// More than this per call is not printed (printf and DumpTensor pages).
const LIMIT: usize = 30 * 1024;

/// Ticks of a 50 MHz counter (GetSystemCycle page). Host time: it says nothing about the speed of the device.
pub(crate) fn system_cycle() -> i64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let elapsed: Duration = START.get_or_init(Instant::now).elapsed();
    (elapsed.as_nanos() / 20) as i64
}

/// Elements of a tensor as the kernel sees them, one text each.
pub(crate) struct Values {
    pub dtype: Dtype,
    pub texts: Vec<String>,
}

impl Values {
    /// # Safety
    /// `from` holds `n` elements.
    unsafe fn read(dtype: Dtype, from: *const u8, n: usize) -> Values {
        macro_rules! each {
            ($t:ty, $f:expr) => {
                // SAFETY: the caller vouches for n elements; they need not be aligned on the host.
                (0..n).map(|i| $f(unsafe { (from as *const $t).add(i).read_unaligned() })).collect()
            };
        }
        fn int(x: impl ToString) -> String {
            x.to_string()
        }
        let texts = match dtype {
            Dtype::F32 => each!(f32, |x| format!("{x:.6}")),
            Dtype::F16 => each!(u16, |x| format!("{:.6}", f16_to_f32(F16(x)))),
            Dtype::Bf16 => each!(u16, |x| format!("{:.6}", bf16_to_f32(Bf16(x)))),
            Dtype::F64 => each!(f64, |x| format!("{x:.6}")),
            // Two elements a byte; DumpTensor has no such type.
            Dtype::I4 | Dtype::I8 => each!(i8, int),
            Dtype::U8 | Dtype::Bool => each!(u8, int),
            Dtype::I16 => each!(i16, int),
            Dtype::U16 => each!(u16, int),
            Dtype::I32 => each!(i32, int),
            Dtype::U32 => each!(u32, int),
            Dtype::I64 => each!(i64, int),
            Dtype::U64 => each!(u64, int),
        };
        Values { dtype, texts }
    }

    /// Nested by the dimensions; elements the dump did not reach are dashes.
    pub fn shaped(&self, shape: &[u32]) -> String {
        fn nest(texts: &mut dyn Iterator<Item = String>, shape: &[u32]) -> String {
            let parts: Vec<String> = match shape {
                [] => return texts.next().unwrap_or_default(),
                [n, rest @ ..] => (0..*n).map(|_| nest(texts, rest)).collect(),
            };
            format!("[{}]", parts.join(", "))
        }
        let flat = [self.texts.len() as u32];
        let shape = if shape.is_empty() { &flat } else { shape };
        let mut texts = self.texts.iter().cloned().chain(std::iter::repeat("-".to_owned()));
        nest(&mut texts, shape)
    }

    fn type_name(&self) -> &'static str {
        match self.dtype {
            Dtype::F32 => "float32",
            Dtype::F16 => "float16",
            Dtype::Bf16 => "bfloat16",
            Dtype::I4 => "int4",
            Dtype::I8 => "int8",
            Dtype::U8 => "uint8",
            Dtype::I16 => "int16",
            Dtype::U16 => "uint16",
            Dtype::I32 => "int32",
            Dtype::U32 => "uint32",
            Dtype::I64 => "int64",
            Dtype::U64 => "uint64",
            Dtype::F64 => "double",
            Dtype::Bool => "bool",
        }
    }
}

/// A DumpTensor call; `gm` is null for a tensor in the unified buffer.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DumpIns {
    pub gm: *const c_void,
    pub ub: Operand,
    pub dtype: u32,
    pub desc: u32,
    pub count: u32,
    pub dims: u32,
    pub shape: [u32; 8],
}

impl Core {
    /// The text of a DumpTensor, without the core's name.
    pub fn dump_text(&mut self, ins: &DumpIns) -> Result<String, Raise> {
        let Some(dtype) = Dtype::from_code(ins.dtype) else {
            return Err(Raise::unsupported(Pipe::S, &format!("DumpTensor of data type {}", ins.dtype)));
        };
        let bytes = ins.count as usize * dtype.size();
        let (position, addr, from) = if ins.gm.is_null() {
            ub::check(self.machine.spec.ub_size, Pipe::S, || "DumpTensor".to_owned(), "tensor", ins.ub.addr, bytes)?;
            ("UB", ins.ub.addr as usize, self.machine.ub_at(ins.ub.addr) as *const u8)
        } else if (ins.gm as usize) < 4096 {
            return Err(self.launch.null_gm(Pipe::S, "DumpTensor", ins.gm as usize));
        } else {
            ("GM", ins.gm as usize, ins.gm.cast())
        };
        if bytes > LIMIT {
            return Ok(format!("DumpTensor: desc={}: {bytes} bytes are more than 30 KiB, not printed\n", ins.desc));
        }
        // SAFETY: checked above for the buffer; global memory is the kernel's own pointer.
        let values = unsafe { Values::read(dtype, from, ins.count as usize) };
        let shape = &ins.shape[..(ins.dims as usize).min(ins.shape.len())];
        Ok(format!(
            "DumpTensor: desc={}, addr={}, data_type={}, position={position}, dump_size={}\n{}\n",
            ins.desc,
            // As the toolkit prints it: 0, 0x40.
            if addr == 0 { "0".to_owned() } else { format!("{addr:#x}") },
            values.type_name(),
            ins.count,
            values.shaped(shape)
        ))
    }
}

impl MachineState {
    /// The text of LocalTensor::Print: a line for every 32 bytes, which starts with the index of its first element.
    pub fn print_text(&mut self, ins: &DumpIns) -> Result<String, Raise> {
        let Some(dtype) = Dtype::from_code(ins.dtype) else {
            return Err(Raise::unsupported(Pipe::S, &format!("Print of data type {}", ins.dtype)));
        };
        let bytes = ins.count as usize * dtype.size();
        ub::in_range(self.spec.ub_size, Pipe::S, || "Print".to_owned(), "tensor", ins.ub.addr, bytes)?;
        // SAFETY: checked above.
        let values = unsafe { Values::read(dtype, self.ub_at(ins.ub.addr), ins.count as usize) };
        let per_line = BLOCK / dtype.size();
        let lines = values.texts.chunks(per_line).enumerate();
        Ok(lines.map(|(i, line)| format!("{:04}: {}\n", i * per_line, line.join(" "))).collect())
    }

    /// LocalTensor::ToFile; a file that cannot be written is the result 1.
    pub fn tensor_file(&mut self, ub: Operand, name: &str) -> Result<i32, Raise> {
        ub::in_range(self.spec.ub_size, Pipe::S, || "ToFile".to_owned(), "tensor", ub.addr, ub.bytes as usize)?;
        if ub.bytes == 0 {
            return Ok(std::fs::write(name, []).is_err().into());
        }
        // SAFETY: checked above.
        let bytes = unsafe { std::slice::from_raw_parts(self.ub_at(ub.addr), ub.bytes as usize) };
        Ok(std::fs::write(name, bytes).is_err().into())
    }
}

impl LaunchState {
    /// One write per call, so that lines of different cores do not mix.
    pub fn print(&self, text: &str) {
        if text.len() > LIMIT {
            return;
        }
        let mut out = std::io::stdout().lock();
        // A kernel that prints to a closed pipe still computes.
        let _ = write!(out, "[{} core {}] {text}", self.kernel, self.block_idx).and_then(|()| out.flush());
    }
}

pub(crate) fn assertion(expr: &str, file: &str, line: u32, text: &str) -> Raise {
    Raise::new(
        FaultClass::Assertion,
        Pipe::S,
        "ascendc_assert",
        format!("[ASSERT] {file}:{line}: Assertion `{expr}' {text}").trim_end(),
    )
    .expected("true")
    .got("false")
    .fix("the kernel stops itself here; the condition is its own")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testkit::Bench;

    fn dump(b: &mut Bench, dtype: Dtype, count: u32, shape: &[u32]) -> String {
        let mut ins = DumpIns {
            gm: std::ptr::null(),
            ub: Operand::new(64, 64),
            dtype: dtype as u32,
            desc: 5,
            count,
            dims: shape.len() as u32,
            shape: [0; 8],
        };
        ins.shape[..shape.len()].copy_from_slice(shape);
        b.core.dump_text(&ins).unwrap()
    }

    #[test]
    fn dumps_name_the_tensor_and_nest_by_shape() {
        let mut b = Bench::new();
        b.put(64, &[0x3c00u16, 0xc100, 0x7c00]);
        assert_eq!(
            dump(&mut b, Dtype::F16, 3, &[]),
            "DumpTensor: desc=5, addr=0x40, data_type=float16, position=UB, dump_size=3\n[1.000000, -2.500000, inf]\n"
        );
        b.put(64, &[1i32, -2, 3, 4]);
        assert!(dump(&mut b, Dtype::I32, 4, &[2, 3]).ends_with("\n[[1, -2, 3], [4, -, -]]\n"));
        assert!(dump(&mut b, Dtype::I32, 4, &[1, 2]).ends_with("\n[[1, -2]]\n"));
        assert!(dump(&mut b, Dtype::U8, 31 * 1024, &[]).ends_with("not printed\n"));
        b.put(64, &[1i64 << 40]);
        assert!(
            dump(&mut b, Dtype::I64, 1, &[]).ends_with("data_type=int64, position=UB, dump_size=1\n[1099511627776]\n")
        );
    }

    #[test]
    fn the_counter_runs_at_50_mhz() {
        let from = (system_cycle(), Instant::now());
        std::thread::sleep(Duration::from_millis(20));
        let (ticks, nanos) = (system_cycle() - from.0, from.1.elapsed().as_nanos() as i64);
        assert!(ticks >= 1_000_000 && ticks <= nanos / 20 + 1_000_000, "{ticks} ticks in {nanos} ns");
    }
}
