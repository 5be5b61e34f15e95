//! Sweeping a class: workers take blocks, let the installed operator compute and compare. Each worker has its own stream,
//! so one worker's operator runs while another compares.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fmod_tests::{
    Device, DeviceBuffer, DynType, Error, Layout, Number, Result, Scalar, Stream, Tensor, TensorMut, fmod_scalar_v2,
    fmod_tensor_v2,
};
use half::{bf16, f16};

use crate::class::{Class, Form, Shard};
use crate::report::{Example, Found, Part, Progress};
use crate::source::{All8, All16, Drawn32, Source, Word};

const EXAMPLES: usize = 20;

pub fn sweep(class: &Class, shard: Shard, workers: usize) -> Result<Found> {
    match class.dtype.bytes() {
        1 => Sweep::new(class, All8::new(class), shard).run(workers),
        2 => Sweep::new(class, All16::new(class), shard).run(workers),
        _ => Sweep::new(class, Drawn32::new(class), shard).run(workers),
    }
}

struct Sweep<'a, S> {
    class: &'a Class,
    source: S,
    shard: Shard,
    blocks: u64,
    next: AtomicU64,
    done: AtomicU64,
    stop: AtomicBool,
    found: Mutex<Found>,
}

impl<'a, S: Source> Sweep<'a, S> {
    const SIZE: usize = S::ROWS * S::WIDTH;

    fn new(class: &'a Class, source: S, shard: Shard) -> Sweep<'a, S> {
        let parts = source.parts().into_iter().map(|name| Part { name, pairs: 0, mismatches: 0 }).collect();
        Sweep {
            class,
            shard,
            blocks: shard.len(source.blocks()),
            source,
            next: AtomicU64::new(0),
            done: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            found: Mutex::new(Found { parts, examples: Vec::new(), seconds: 0.0 }),
        }
    }

    fn run(self, workers: usize) -> Result<Found> {
        let start = Instant::now();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(|| self.work())).collect();
            let mut progress = Progress::new(self.class.name, self.blocks, Self::SIZE as u64);
            while threads.iter().any(|thread| !thread.is_finished()) {
                std::thread::sleep(Duration::from_millis(20));
                progress.show(self.done.load(Ordering::Relaxed));
            }
            progress.end(self.done.load(Ordering::Relaxed));
            // A panic of a worker is a bug of this program and goes on as one.
            threads.into_iter().try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })?;
        let mut found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.seconds = start.elapsed().as_secs_f64();
        Ok(found)
    }

    fn work(&self) -> Result<()> {
        let result = self.blocks();
        if result.is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
        result
    }

    fn blocks(&self) -> Result<()> {
        let stream = Device::open(0)?.stream()?;
        let zeros = || vec![S::Word::default(); Self::SIZE];
        let (mut x, mut y, mut want) = (zeros(), zeros(), zeros());
        let mut operator = Operator::new::<S>(self.class, &stream)?;
        while !self.stop.load(Ordering::Relaxed) {
            let position = self.next.fetch_add(1, Ordering::Relaxed);
            if position >= self.blocks {
                break;
            }
            let block = self.shard.block(position);
            if self.source.fill(block, &mut x, &mut y) {
                operator.dividends(&x)?;
            }
            operator.run::<S>(&stream, &y)?;
            self.source.results(&x, &y, &mut want);
            self.compare(block, &x, &y, &operator.results()?, &want);
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn compare(&self, block: u64, x: &[S::Word], y: &[S::Word], got: &[Vec<u8>], want: &[S::Word]) {
        let infinity = self.source.infinity().map(Into::into);
        let sign = 1u32 << (8 * size_of::<S::Word>() - 1);
        let is_nan = |bits: u32| infinity.is_some_and(|infinity: u32| bits & !sign > infinity);
        let differs = |got: S::Word, want: S::Word| got != want && !(is_nan(got.into()) && is_nan(want.into()));
        let of_call = Self::SIZE / got.len();
        let pairs = |call: usize| {
            let got = got[call].chunks_exact(size_of::<S::Word>()).map(S::Word::get);
            got.zip(want[call * of_call..][..of_call].iter().copied())
        };
        let count = |call| pairs(call).map(|(got, want)| u64::from(differs(got, want))).sum::<u64>();
        let mismatches: u64 = (0..got.len()).map(count).sum();

        let part = self.source.part(block);
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let name = found.parts[part].name;
        found.parts[part].pairs += Self::SIZE as u64;
        found.parts[part].mismatches += mismatches;
        if mismatches == 0 || found.examples.len() >= EXAMPLES {
            return;
        }
        for call in 0..got.len() {
            for (index, (got, want)) in pairs(call).enumerate().filter(|(_, (got, want))| differs(*got, *want)) {
                if found.examples.len() >= EXAMPLES {
                    return;
                }
                let at = call * of_call + index;
                let [x, y, got, want] = [x[at], y[at], got, want].map(Into::into);
                found.examples.push(Example { part: name, block, x, y, got, want });
            }
        }
    }
}

/// The installed operator with buffers for a block: one call, or one for each row.
struct Operator<'a> {
    class: &'a Class,
    x: Vec<DeviceBuffer<u8>>,
    y: DeviceBuffer<u8>,
    out: Vec<DeviceBuffer<u8>>,
    bytes: Vec<u8>,
}

impl<'a> Operator<'a> {
    fn new<S: Source>(class: &'a Class, stream: &Stream) -> Result<Operator<'a>> {
        let calls = if class.form == Form::Scalar { S::ROWS } else { 1 };
        let size = S::ROWS * S::WIDTH * size_of::<S::Word>();
        let device = stream.device();
        let buffers = || (0..calls).map(|_| device.alloc(size / calls)).collect::<Result<Vec<_>>>();
        let divisors = if calls == 1 { size } else { 0 };
        Ok(Operator {
            class,
            x: buffers()?,
            y: device.alloc(divisors)?,
            out: buffers()?,
            bytes: Vec::with_capacity(size),
        })
    }

    fn dividends<W: Word>(&mut self, x: &[W]) -> Result<()> {
        let of_call = x.len() / self.x.len();
        for (buffer, x) in self.x.iter_mut().zip(x.chunks_exact(of_call)) {
            buffer.write(fresh(&mut self.bytes, x))?;
        }
        Ok(())
    }

    fn run<S: Source>(&mut self, stream: &Stream, y: &[S::Word]) -> Result<()> {
        let (dtype, mode) = (self.class.dtype, self.class.mode);
        let layout = Layout::contiguous(&[(y.len() / self.x.len()) as i64]);
        let x = self.x.iter().map(|x| Tensor::with_type(x, dtype, &layout)).collect::<Result<Vec<_>>>()?;
        let out = self.out.iter_mut().map(|out| TensorMut::with_type(out, dtype, &layout));
        let mut out = out.collect::<Result<Vec<_>>>()?;
        if self.class.form == Form::Tensor {
            self.y.write(fresh(&mut self.bytes, y))?;
            let y = Tensor::with_type(&self.y, dtype, &layout)?;
            return fmod_tensor_v2(&x[0], &y, mode, &mut out[0])?.run(stream);
        }
        stream.scope(|scope| {
            for (row, (x, out)) in x.iter().zip(&mut out).enumerate() {
                let y = Scalar::new(&stream.device(), number(dtype, y[row * S::WIDTH].into())?)?;
                scope.launch(fmod_scalar_v2(x, &y, mode, out)?)?;
            }
            Ok(())
        })
    }

    fn results(&self) -> Result<Vec<Vec<u8>>> {
        self.out.iter().map(DeviceBuffer::to_vec).collect()
    }
}

fn fresh<'a, W: Word>(bytes: &'a mut Vec<u8>, words: &[W]) -> &'a [u8] {
    bytes.clear();
    words.iter().for_each(|word| word.put(bytes));
    bytes
}

fn number(dtype: DynType, bits: u32) -> Result<Number> {
    Ok(match dtype {
        DynType::F32 => Number::F32(f32::from_bits(bits)),
        DynType::F16 => Number::F16(f16::from_bits(bits as u16)),
        DynType::BF16 => Number::BF16(bf16::from_bits(bits as u16)),
        DynType::I8 => Number::I8(bits as i8),
        DynType::U8 => Number::U8(bits as u8),
        DynType::I16 => Number::I16(bits as i16),
        DynType::I32 => Number::I32(bits as i32),
        _ => return Err(Error::refused("sweep", format!("{dtype:?} is not swept"))),
    })
}
