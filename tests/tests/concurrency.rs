//! Streams and threads at once, and independence of the number of cores.

use std::process::Command;
use std::thread;

use anyhow::{Context, Result, ensure};
use fmod_tests::compare::compare;
use fmod_tests::generate::ordinary;
use fmod_tests::golden::{Golden, Mode};
use fmod_tests::host::Call;
use fmod_tests::{Device, Error, Layout, Number, Scalar, Tensor, TensorMut, fmod_scalar, fmod_tensor};

fn golden(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| x.fmod(*y, Mode::Tbe)).collect()
}

#[test]
fn two_streams_at_once() -> Result<()> {
    const SIZE: usize = 200_000;
    let device = Device::open(0)?;
    let (first, second) = (device.stream()?, device.stream()?);
    let layout = Layout::contiguous(&[SIZE as i64]);
    let (x, y) = ordinary(21, SIZE);
    let (u, _) = ordinary(22, SIZE);
    let (a, b, c) = (device.upload(&x)?, device.upload(&y)?, device.upload(&u)?);
    let (mut p, mut q) = (device.alloc::<f32>(SIZE)?, device.alloc::<f32>(SIZE)?);
    {
        let (a, b, c) = (Tensor::new(&a, &layout)?, Tensor::new(&b, &layout)?, Tensor::new(&c, &layout)?);
        let (mut p, mut q) = (TensorMut::new(&mut p, &layout)?, TensorMut::new(&mut q, &layout)?);
        let divisor = Scalar::new(&device, Number::F32(0.7))?;
        let (one, two) = (fmod_tensor(&a, &b, &mut p)?, fmod_scalar(&c, &divisor, &mut q)?);
        first.scope(|first| {
            second.scope(|second| {
                first.launch(one)?;
                second.launch(two)
            })
        })?;
    }
    compare(&x, |index| y[index], &p.to_vec()?, &golden(&x, &y))?;
    compare(&u, |_| 0.7, &q.to_vec()?, &golden(&u, &vec![0.7; SIZE]))?;
    Ok(())
}

/// Work of one stream runs in order: the second call reads what the first has written.
#[test]
fn a_stream_keeps_its_order() -> Result<()> {
    const SIZE: usize = 100_000;
    let device = Device::open(0)?;
    let stream = device.stream()?;
    let layout = Layout::contiguous(&[SIZE as i64]);
    let (x, y) = ordinary(23, SIZE);
    let (a, b) = (device.upload(&x)?, device.upload(&y)?);
    let (mut middle, mut last) = (device.alloc::<f32>(SIZE)?, device.alloc::<f32>(SIZE)?);
    let half = Scalar::new(&device, Number::F32(0.5))?;
    {
        let (a, b) = (Tensor::new(&a, &layout)?, Tensor::new(&b, &layout)?);
        let mut out = TensorMut::new(&mut middle, &layout)?;
        let first = fmod_tensor(&a, &b, &mut out)?;
        let scope = stream.scope(|scope| scope.launch(first));
        scope?;
    }
    {
        let middle = Tensor::new(&middle, &layout)?;
        let mut out = TensorMut::new(&mut last, &layout)?;
        fmod_scalar(&middle, &half, &mut out)?.run(&stream)?;
    }
    let between = golden(&x, &y);
    compare(&between, |_| 0.5, &last.to_vec()?, &golden(&between, &vec![0.5; SIZE]))?;
    Ok(())
}

#[test]
fn an_event_orders_two_streams() -> Result<()> {
    const SIZE: usize = 300_000;
    let device = Device::open(0)?;
    let (producer, consumer) = (device.stream()?, device.stream()?);
    let (start, done) = (device.event()?, device.event()?);
    let layout = Layout::contiguous(&[SIZE as i64]);
    let (x, y) = ordinary(24, SIZE);
    let (a, b) = (device.upload(&x)?, device.upload(&y)?);
    let mut out = device.alloc::<f32>(SIZE)?;
    {
        let (a, b) = (Tensor::new(&a, &layout)?, Tensor::new(&b, &layout)?);
        let mut out = TensorMut::new(&mut out, &layout)?;
        let plan = fmod_tensor(&a, &b, &mut out)?;
        producer.scope(|scope| {
            start.record(&producer)?;
            scope.launch(plan)?;
            done.record(&producer)?;
            consumer.wait(&done)?;
            consumer.synchronize()
        })?;
    }
    ensure!(done.is_complete()?, "the event is not complete after a stream that waited for it");
    ensure!(done.elapsed_since(&start)? >= 0.0, "time ran backwards");
    compare(&x, |index| y[index], &out.to_vec()?, &golden(&x, &y))?;
    Ok(())
}

#[test]
fn threads_with_different_data() -> Result<()> {
    let worker = |seed: u64| -> Result<()> {
        let stream = Device::open(0)?.stream()?;
        for round in 0..20 {
            let (x, y) = ordinary(100 * seed + round, 1000 + 777 * (seed + round) as usize);
            Call::tensor(&x, &y).check(&stream).with_context(|| format!("thread {seed}, round {round}"))?;
            let call = Call::scalar(&x, Number::F32(seed as f32 + 0.3)).in_place();
            call.check(&stream).with_context(|| format!("thread {seed}, scalar, round {round}"))?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (1..=4).map(|seed| scope.spawn(move || worker(seed))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| anyhow::anyhow!("a worker panicked"))?)
    })
}

/// Phase one here, phase two there, as torch's task queue does.
#[test]
fn a_plan_may_move_to_another_thread() -> Result<()> {
    let device = Device::open(0)?;
    let stream = device.stream()?;
    let layout = Layout::contiguous(&[5000]);
    let (x, y) = ordinary(25, 5000);
    let (a, b) = (device.upload(&x)?, device.upload(&y)?);
    let mut out = device.alloc::<f32>(5000)?;
    {
        let (a, b) = (Tensor::new(&a, &layout)?, Tensor::new(&b, &layout)?);
        let mut out = TensorMut::new(&mut out, &layout)?;
        let plan = fmod_tensor(&a, &b, &mut out)?;
        let run = || -> Result<(), Error> { plan.run(&stream) };
        thread::scope(|scope| scope.spawn(run).join()).map_err(|_| anyhow::anyhow!("the thread panicked"))??;
    }
    compare(&x, |index| y[index], &out.to_vec()?, &golden(&x, &y))?;
    Ok(())
}

/// With one core every size meets the tile boundaries that with many cores only large tensors reach: tiles are whole
/// 512-byte lines, so every possible tile length and its double lies in this sweep.
#[test]
fn every_tile_boundary_on_few_cores() -> Result<()> {
    for (cores, last) in [("1", "16384"), ("3", "8192")] {
        let mut probe = Command::new(env!("CARGO_BIN_EXE_fmod-probe"));
        let output = probe.args(["sweep", last, "128"]).env("HOSTCANN_CORES", cores).output()?;
        ensure!(output.status.success(), "{cores} cores: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}
