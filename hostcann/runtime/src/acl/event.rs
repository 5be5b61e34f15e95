//! Events: points in a stream that hosts and other streams can wait for.

use crate::base::failure::{Failure, Outcome, lock, put, status};
use crate::base::handle::new_handle;
use crate::device::context::{current, resolve};
use crate::device::stream::deadline;
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Instant;

const MAX_EVENTS: usize = 65536;
const SYNC: u32 = 0x1;
const CAPTURE_PROGRESS: u32 = 0x2;
const TIME_LINE: u32 = 0x8;
const SUPPORTED_FLAGS: u32 = SYNC | CAPTURE_PROGRESS | TIME_LINE | 0x10;

#[derive(Default)]
struct State {
    /// Number of aclrtRecordEvent calls so far, and of the newest one that its stream has reached.
    recorded: u64,
    reached: u64,
    waiting: u64,
    time: Option<Instant>,
}

struct Event {
    flags: u32,
    device: i32,
    state: Mutex<State>,
    changed: Condvar,
}

static EVENTS: Mutex<BTreeMap<usize, Arc<Event>>> = Mutex::new(BTreeMap::new());

fn create(flags: u32) -> Outcome<*mut c_void> {
    if flags == 0 || flags & !0x7b != 0 {
        fail!(RT_PARAM_INVALID, "event flag {flags:#x} is invalid, expected a combination of ACL_EVENT_* flags");
    }
    if flags & !SUPPORTED_FLAGS != 0 {
        fail!(RT_FEATURE_NOT_SUPPORT, "event flag {flags:#x}: external and inter-process events are not supported");
    }
    let device = current()?.device;
    let mut events = lock(&EVENTS);
    if events.len() >= MAX_EVENTS {
        fail!(RT_NO_EVENT_RESOURCE, "{MAX_EVENTS} events exist already; destroy events that are not needed");
    }
    let event = Event { flags, device, state: Mutex::default(), changed: Condvar::new() };
    let handle = new_handle();
    events.insert(handle, Arc::new(event));
    Ok(handle as *mut c_void)
}

fn find(function: &str, handle: *mut c_void) -> Outcome<Arc<Event>> {
    if handle.is_null() {
        return Err(Failure::null(function, "event"));
    }
    match lock(&EVENTS).get(&(handle as usize)) {
        Some(event) => Ok(event.clone()),
        None => fail!(RT_INVALID_HANDLE, "{function}: event {handle:p} does not exist or was already destroyed"),
    }
}

impl Event {
    /// Waits until record call number `count` is reached. False: the deadline passed.
    fn wait(&self, count: u64, end: Option<Instant>) -> bool {
        let mut state = lock(&self.state);
        while state.reached < count {
            match end {
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return false;
                    }
                    state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        true
    }

    fn is_complete(&self) -> bool {
        let state = lock(&self.state);
        state.recorded > 0 && state.reached == state.recorded
    }

    fn timestamp(&self, name: &str) -> Outcome<Instant> {
        if self.flags & TIME_LINE == 0 {
            fail!(RT_EVENT_TIMESTAMP_INVALID, "{name} was created without ACL_EVENT_TIME_LINE and has no timestamp");
        }
        let state = lock(&self.state);
        match state.time {
            Some(time) if state.reached == state.recorded => Ok(time),
            _ => fail!(
                RT_EVENT_TIMESTAMP_INVALID,
                "{name} has not been recorded or its stream has not reached it; record it and synchronise first"
            ),
        }
    }
}

fn record(event: *mut c_void, stream: *mut c_void) -> Outcome {
    let event = find("aclrtRecordEvent", event)?;
    let stream = resolve(stream)?;
    let count = {
        let mut state = lock(&event.state);
        state.recorded += 1;
        state.recorded
    };
    stream.submit_signal(Box::new(move || {
        let mut state = lock(&event.state);
        state.reached = state.reached.max(count);
        state.time = Some(Instant::now());
        event.changed.notify_all();
        Ok(())
    }))
}

fn stream_wait(stream: *mut c_void, event: *mut c_void) -> Outcome {
    let event = find("aclrtStreamWaitEvent", event)?;
    let stream = resolve(stream)?;
    let count = {
        let mut state = lock(&event.state);
        state.waiting += 1;
        state.recorded
    };
    stream.submit_signal(Box::new(move || {
        event.wait(count, None);
        lock(&event.state).waiting -= 1;
        Ok(())
    }))
}

fn reset(event: *mut c_void, stream: *mut c_void) -> Outcome {
    let event = find("aclrtResetEvent", event)?;
    resolve(stream)?.submit_signal(Box::new(move || {
        let mut state = lock(&event.state);
        if state.reached == state.recorded {
            (state.recorded, state.reached, state.time) = (0, 0, None);
        }
        Ok(())
    }))
}

fn synchronize(event: *mut c_void, timeout: i32) -> Outcome {
    let event = find("aclrtSynchronizeEvent", event)?;
    let end = deadline("aclrtSynchronizeEventWithTimeout", timeout)?;
    let count = lock(&event.state).recorded;
    if !event.wait(count, end) {
        fail!(RT_EVENT_SYNC_TIMEOUT, "the event was not reached within {timeout} ms");
    }
    Ok(())
}

/// aclrtCreateEvent makes an event with every capability.
///
/// # Safety
/// `event` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEvent(event: *mut *mut c_void) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtCreateEvent", "event", event, || create(SYNC | CAPTURE_PROGRESS | TIME_LINE)) }
}

/// # Safety
/// `event` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEventWithFlag(event: *mut *mut c_void, flag: u32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtCreateEventWithFlag", "event", event, || create(flag)) }
}

/// # Safety
/// `event` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtCreateEventExWithFlag(event: *mut *mut c_void, flag: u32) -> i32 {
    refuse_forked!();
    // SAFETY: by this function's contract.
    unsafe { put("aclrtCreateEventExWithFlag", "event", event, || create(flag)) }
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtDestroyEvent(event: *mut c_void) -> i32 {
    refuse_forked!();
    status(find("aclrtDestroyEvent", event).map(|_| {
        lock(&EVENTS).remove(&(event as usize));
    }))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtRecordEvent(event: *mut c_void, stream: *mut c_void) -> i32 {
    refuse_forked!();
    status(record(event, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtResetEvent(event: *mut c_void, stream: *mut c_void) -> i32 {
    refuse_forked!();
    status(reset(event, stream))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtStreamWaitEvent(stream: *mut c_void, event: *mut c_void) -> i32 {
    refuse_forked!();
    status(stream_wait(stream, event))
}

/// Deprecated upstream: COMPLETE 0, NOT_READY 1.
///
/// # Safety
/// `status_out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEvent(event: *mut c_void, status_out: *mut i32) -> i32 {
    refuse_forked!();
    let query = || Ok(if find("aclrtQueryEvent", event)?.is_complete() { 0 } else { 1 });
    // SAFETY: by this function's contract.
    unsafe { put("aclrtQueryEvent", "status", status_out, query) }
}

/// NOT_READY 0, COMPLETE 1.
///
/// # Safety
/// `status_out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEventStatus(event: *mut c_void, status_out: *mut i32) -> i32 {
    refuse_forked!();
    let query = || Ok(i32::from(find("aclrtQueryEventStatus", event)?.is_complete()));
    // SAFETY: by this function's contract.
    unsafe { put("aclrtQueryEventStatus", "status", status_out, query) }
}

/// COMPLETE 0 when no stream waits for the event, else NOT_READY 1.
///
/// # Safety
/// `status_out` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtQueryEventWaitStatus(event: *mut c_void, status_out: *mut i32) -> i32 {
    refuse_forked!();
    let query = || Ok(i32::from(lock(&find("aclrtQueryEventWaitStatus", event)?.state).waiting > 0));
    // SAFETY: by this function's contract.
    unsafe { put("aclrtQueryEventWaitStatus", "status", status_out, query) }
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtSynchronizeEvent(event: *mut c_void) -> i32 {
    refuse_forked!();
    status(synchronize(event, -1))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtSynchronizeEventWithTimeout(event: *mut c_void, timeout: i32) -> i32 {
    refuse_forked!();
    status(synchronize(event, timeout))
}

/// Milliseconds of host time between two reached events.
///
/// # Safety
/// `ms` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtEventElapsedTime(ms: *mut f32, start: *mut c_void, end: *mut c_void) -> i32 {
    refuse_forked!();
    let elapsed = || {
        let (start, end) = (find("aclrtEventElapsedTime", start)?, find("aclrtEventElapsedTime", end)?);
        if start.device != end.device {
            fail!(RT_PARAM_INVALID, "aclrtEventElapsedTime: the events belong to different devices");
        }
        let (from, to) = (start.timestamp("startEvent")?, end.timestamp("endEvent")?);
        match to.checked_duration_since(from) {
            Some(time) => Ok((time.as_secs_f64() * 1e3) as f32),
            None => fail!(RT_EVENT_TIMESTAMP_REVERSAL, "endEvent was reached before startEvent; swap the arguments"),
        }
    };
    // SAFETY: by this function's contract.
    unsafe { put("aclrtEventElapsedTime", "ms", ms, elapsed) }
}

/// Microseconds on a clock of this process; only differences mean something.
///
/// # Safety
/// `timestamp` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtEventGetTimestamp(event: *mut c_void, timestamp: *mut u64) -> i32 {
    refuse_forked!();
    let read = || {
        let time = find("aclrtEventGetTimestamp", event)?.timestamp("the event")?;
        Ok(time.saturating_duration_since(origin()).as_micros() as u64)
    };
    // SAFETY: by this function's contract.
    unsafe { put("aclrtEventGetTimestamp", "timestamp", timestamp, read) }
}

fn origin() -> Instant {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    *ORIGIN.get_or_init(|| {
        // An hour back, so that events recorded before the first call have positive stamps.
        let now = Instant::now();
        now.checked_sub(std::time::Duration::from_secs(3600)).unwrap_or(now)
    })
}
