//! Streams: tasks run one after the other on the stream's own worker thread.
//!
//! A failed task does not stop the stream unless it was told so (`failure_mode.rs`). The first failure is kept until a
//! synchronising call on the stream returns it.

use crate::base::failure::{Failure, Outcome, codes, lock};
use crate::base::handle::new_handle;
use crate::device::failure_mode::{self, FailureMode};
use crate::device::unfetched;
use std::collections::{BTreeMap, VecDeque};
use std::ffi::c_void;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

/// Documented limit of A2/A3.
const MAX_STREAMS: usize = 1984;

pub type Task = Box<dyn FnOnce() -> Outcome + Send>;

struct Queued {
    task: Task,
    /// Somebody waits for it: it runs on a stopped stream, too.
    is_signal: bool,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Queued>,
    submitted: u64,
    completed: u64,
    failure: Option<Failure>,
    closing: bool,
    worker: Option<(ThreadId, JoinHandle<()>)>,
}

pub struct Stream {
    pub handle: usize,
    pub context: usize,
    pub device: i32,
    pub priority: u32,
    pub flags: u32,
    pub failure_mode: Arc<FailureMode>,
    state: Mutex<State>,
    work: Condvar,
    done: Condvar,
}

static STREAMS: Mutex<BTreeMap<usize, Arc<Stream>>> = Mutex::new(BTreeMap::new());

/// Makes a stream of the context; its worker thread starts with its first task.
///
/// # Errors
///
/// `RT_NO_STREAM_RESOURCE` where the limit on streams is reached.
pub fn create(context: usize, device: i32, priority: u32, flags: u32) -> Outcome<Arc<Stream>> {
    let mut streams = lock(&STREAMS);
    if streams.len() >= MAX_STREAMS {
        fail!(RT_NO_STREAM_RESOURCE, "{MAX_STREAMS} streams exist already; destroy streams that are not needed");
    }
    let stream = Arc::new(Stream {
        handle: new_handle(),
        context,
        device,
        priority,
        flags,
        failure_mode: failure_mode::of_context(context),
        state: Mutex::default(),
        work: Condvar::new(),
        done: Condvar::new(),
    });
    streams.insert(stream.handle, stream.clone());
    Ok(stream)
}

/// The stream of a handle that is not null.
///
/// # Errors
///
/// `RT_INVALID_HANDLE` where the handle belongs to no living stream.
pub fn find(handle: *mut c_void) -> Outcome<Arc<Stream>> {
    match lock(&STREAMS).get(&(handle as usize)) {
        Some(stream) => Ok(stream.clone()),
        None => fail!(RT_INVALID_HANDLE, "stream {handle:p} does not exist or was already destroyed"),
    }
}

pub fn of_device(device: i32) -> Vec<Arc<Stream>> {
    lock(&STREAMS).values().filter(|s| s.device == device).cloned().collect()
}

/// Destroys a stream after its tasks; with `force` those that wait in its queue are dropped.
///
/// # Errors
///
/// `RT_INVALID_HANDLE` where the handle belongs to no living stream, `RT_PARAM_INVALID` in a host function that runs in
/// the stream itself.
pub fn destroy(handle: *mut c_void, force: bool) -> Outcome {
    let stream = find(handle)?;
    stream.refuse_own_worker("destroyed")?;
    lock(&STREAMS).remove(&stream.handle);
    stream.close(force);
    Ok(())
}

pub fn destroy_context_streams(context: usize) {
    let mut gone = Vec::new();
    lock(&STREAMS).retain(|_, s| {
        let keep = s.context != context;
        if !keep {
            gone.push(s.clone());
        }
        keep
    });
    for stream in gone {
        stream.close(false);
    }
    failure_mode::forget_context(context);
}

/// How many streams exist that were given a task.
pub fn with_tasks() -> usize {
    let streams: Vec<_> = lock(&STREAMS).values().cloned().collect();
    streams.iter().filter(|stream| lock(&stream.state).worker.is_some()).count()
}

/// Failures that no call has returned, one for each stream.
fn take_unfetched() -> Vec<Failure> {
    lock(&STREAMS).values().filter_map(|stream| stream.unfetched()).collect()
}

pub fn drain_all() {
    let streams: Vec<_> = lock(&STREAMS).values().cloned().collect();
    for stream in streams {
        stream.wait_idle(None);
    }
}

/// When a timeout ends that begins now. None waits for ever.
///
/// # Errors
///
/// `RT_PARAM_INVALID` where the timeout is less than -1.
pub fn deadline(function: &str, timeout_ms: i32) -> Outcome<Option<Instant>> {
    match timeout_ms {
        -1 => Ok(None),
        0.. => Ok(Some(Instant::now() + Duration::from_millis(timeout_ms as u64))),
        _ => fail!(RT_PARAM_INVALID, "{function}: timeout {timeout_ms} ms is invalid, expected -1 (no limit) or more"),
    }
}

impl Stream {
    /// Queues a task.
    ///
    /// # Errors
    ///
    /// The failure that has ended all work of the context; `RT_INVALID_HANDLE` where the stream is being destroyed,
    /// `RT_NO_STREAM_RESOURCE` where its thread cannot be started.
    pub fn submit(self: &Arc<Self>, task: Task) -> Outcome {
        self.failure_mode.stopped()?;
        self.push(Queued { task, is_signal: false })
    }

    /// Queues a task that others wait for; it runs on a stopped stream, too.
    ///
    /// # Errors
    ///
    /// `RT_INVALID_HANDLE` where the stream is being destroyed, `RT_NO_STREAM_RESOURCE` where its thread cannot be
    /// started.
    pub fn submit_signal(self: &Arc<Self>, task: Task) -> Outcome {
        self.push(Queued { task, is_signal: true })
    }

    fn push(self: &Arc<Self>, queued: Queued) -> Outcome {
        let mut state = lock(&self.state);
        if state.closing {
            fail!(RT_INVALID_HANDLE, "stream {:#x} is being destroyed and takes no more tasks", self.handle);
        }
        if state.worker.is_none() {
            let me = self.clone();
            let handle =
                std::thread::Builder::new().name(format!("stream-{:x}", self.handle)).spawn(move || me.run()).map_err(
                    |e| Failure::new(codes::RT_NO_STREAM_RESOURCE, format!("cannot start a stream thread: {e}")),
                )?;
            state.worker = Some((handle.thread().id(), handle));
        }
        state.queue.push_back(queued);
        state.submitted += 1;
        self.work.notify_one();
        Ok(())
    }

    fn run(&self) {
        loop {
            let queued = {
                let mut state = lock(&self.state);
                loop {
                    if let Some(queued) = state.queue.pop_front() {
                        break queued;
                    }
                    if state.closing {
                        return;
                    }
                    state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            };
            if !queued.is_signal && self.failure_mode.is_stopped() {
                lock(&self.state).completed += 1;
                self.done.notify_all();
                continue;
            }
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(queued.task)).unwrap_or_else(|panic| {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
                Err(Failure::new(codes::RT_INTERNAL_ERROR, format!("a stream task panicked: {text}")))
            });
            let mut state = lock(&self.state);
            state.completed += 1;
            if let Err(mut failure) = outcome {
                crate::base::verdict::append(crate::base::verdict::Kind::Task, failure.code, &failure.message);
                crate::base::log::write(
                    crate::base::log::Level::Error,
                    "STREAM",
                    &format!("[{}] {}", failure.code, failure.message),
                );
                failure.is_logged = true;
                failure.is_past = crate::base::env::settings().is_ok_and(|settings| !settings.stop_on_failure);
                if failure.is_past && failure.code == codes::RT_FEATURE_NOT_SUPPORT {
                    // torch_npu only warns of it, and the program would go on with unwritten memory.
                    failure.code = codes::RT_INTERNAL_ERROR;
                }
                self.failure_mode.note(&failure);
                state.failure.get_or_insert(failure);
                unfetched::watch(take_unfetched);
            }
            self.done.notify_all();
        }
    }

    fn refuse_own_worker(&self, what: &str) -> Outcome {
        let own = lock(&self.state).worker.as_ref().is_some_and(|w| w.0 == std::thread::current().id());
        if own {
            fail!(RT_PARAM_INVALID, "a stream cannot be {what} by a host function that runs in it");
        }
        Ok(())
    }

    /// Waits for the tasks queued so far. False: the deadline passed.
    fn wait_idle(&self, deadline: Option<Instant>) -> bool {
        let mut state = lock(&self.state);
        let target = state.submitted;
        while state.completed < target {
            match deadline {
                None => state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return false;
                    }
                    state = self.done.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        true
    }

    /// Waits, then hands out the first failure since the last call, or the one that has stopped the stream.
    ///
    /// # Errors
    ///
    /// That failure; `RT_STREAM_SYNC_TIMEOUT` where the deadline passes first, `RT_PARAM_INVALID` in a host function
    /// that runs in the stream itself.
    pub fn synchronize(&self, deadline: Option<Instant>) -> Outcome {
        self.refuse_own_worker("synchronised")?;
        if !self.wait_idle(deadline) {
            fail!(RT_STREAM_SYNC_TIMEOUT, "stream {:#x} still has unfinished tasks after the timeout", self.handle);
        }
        let failure = lock(&self.state).failure.take();
        self.failure_mode.stopped()?;
        failure.map_or(Ok(()), Err)
    }

    /// Waits, and leaves a failure to the next call of `synchronize`.
    ///
    /// # Errors
    ///
    /// `RT_PARAM_INVALID` in a host function that runs in the stream itself.
    pub fn has_failed(&self) -> Outcome<bool> {
        self.refuse_own_worker("waited for")?;
        self.wait_idle(None);
        Ok(lock(&self.state).failure.is_some() || self.failure_mode.is_stopped())
    }

    pub fn is_idle(&self) -> bool {
        let state = lock(&self.state);
        state.completed == state.submitted
    }

    fn close(&self, force: bool) {
        let worker = {
            let mut state = lock(&self.state);
            state.closing = true;
            if force {
                let dropped = state.queue.len() as u64;
                state.queue.clear();
                state.completed += dropped;
            }
            self.work.notify_all();
            self.done.notify_all();
            state.worker.take()
        };
        if let Some((id, handle)) = worker
            && id != std::thread::current().id()
        {
            // A worker ends by returning; its panics are caught per task.
            let _ = handle.join();
        }
        if let Some(failure) = self.unfetched() {
            unfetched::keep(failure);
        }
    }

    /// A failure that no call has returned; it is not returned any more.
    fn unfetched(&self) -> Option<Failure> {
        lock(&self.state).failure.take().filter(|_| !self.failure_mode.is_told())
    }
}
