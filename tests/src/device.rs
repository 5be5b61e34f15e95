//! Devices, streams, events and device memory with RAII.

use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;

use crate::dtype::DataType;
use crate::error::{Error, Result};
use crate::result;
use crate::runtime::Runtime;
use crate::sys::{self, aclrtMemcpyKind};

thread_local! {
    static BOUND: Cell<Option<i32>> = const { Cell::new(None) };
}

/// An NPU. Every method binds the calling thread to it first, as acl's current device is a property of the thread.
///
/// Never reset: other threads of the process may still hold streams and memory of the device.
#[derive(Clone, Copy)]
pub struct Device {
    pub(crate) runtime: &'static Runtime,
    id: i32,
}

impl Device {
    pub fn open(id: i32) -> Result<Device> {
        let device = Device { runtime: Runtime::get()?, id };
        device.bind()?;
        Ok(device)
    }

    /// Binds the calling thread and hands out what an earlier `Drop` could not report.
    pub fn bind(&self) -> Result<()> {
        self.bind_thread()?;
        self.runtime.take_deferred_error().map_or(Ok(()), Err)
    }

    fn bind_thread(&self) -> Result<()> {
        if BOUND.get() != Some(self.id) {
            result::device::set(self.runtime, self.id)?;
            BOUND.set(Some(self.id));
        }
        Ok(())
    }

    /// For `Drop`: binds, runs `release` and keeps what went wrong for the next call.
    fn release(&self, release: impl FnOnce() -> Result<()>) {
        self.runtime.defer(self.bind_thread().and_then(|()| release()));
    }

    pub fn runtime(&self) -> &'static Runtime {
        self.runtime
    }

    pub fn stream(&self) -> Result<Stream> {
        self.bind()?;
        Ok(Stream { device: *self, raw: result::stream::create(self.runtime)? })
    }

    pub fn event(&self) -> Result<Event> {
        self.bind()?;
        Ok(Event { device: *self, raw: result::event::create(self.runtime)? })
    }

    /// Device memory holding a copy of `data`.
    pub fn upload<T: DataType>(&self, data: &[T]) -> Result<DeviceBuffer<T>> {
        let mut buffer = self.alloc(data.len())?;
        buffer.write(data)?;
        Ok(buffer)
    }

    /// Device memory with undefined contents.
    pub fn alloc<T: DataType>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        self.bind()?;
        let bytes = len.checked_mul(size_of::<T>());
        let bytes = bytes
            .ok_or_else(|| Error::refused("Device::alloc", format!("{len} elements overflow the address space")))?;
        // acl refuses a request of zero bytes; an empty buffer is a null pointer.
        let pointer = if bytes == 0 { std::ptr::null_mut() } else { result::memory::malloc(self.runtime, bytes)? };
        Ok(DeviceBuffer { device: *self, pointer, len, element: PhantomData })
    }
}

/// `len` elements of device memory, freed on drop.
pub struct DeviceBuffer<T> {
    device: Device,
    pointer: *mut c_void,
    len: usize,
    element: PhantomData<T>,
}

// SAFETY: a device address; acl takes it from any thread that is bound to the device, and access follows &/&mut.
unsafe impl<T: Send> Send for DeviceBuffer<T> {}
// SAFETY: as above; shared access only reads.
unsafe impl<T: Sync> Sync for DeviceBuffer<T> {}

impl<T: DataType> DeviceBuffer<T> {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    pub fn device(&self) -> Device {
        self.device
    }

    pub fn as_ptr(&self) -> *mut c_void {
        self.pointer
    }

    /// Copies `data` to the start of the buffer.
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        self.device.bind()?;
        if data.len() > self.len {
            let message = format!("{} elements do not fit into a buffer of {}", data.len(), self.len);
            return Err(Error::refused("DeviceBuffer::write", message));
        }
        let kind = aclrtMemcpyKind::ACL_MEMCPY_HOST_TO_DEVICE;
        let (to, from) = (self.pointer, data.as_ptr().cast());
        // SAFETY: both ranges are owned and long enough.
        unsafe { result::memory::memcpy(self.device.runtime, to, self.bytes(), from, size_of_val(data), kind) }
    }

    /// Copies the whole buffer to the host. Does not wait for any stream.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        self.device.bind()?;
        let mut data = vec![T::default(); self.len];
        let kind = aclrtMemcpyKind::ACL_MEMCPY_DEVICE_TO_HOST;
        let (to, bytes) = (data.as_mut_ptr().cast(), self.bytes());
        // SAFETY: both ranges are owned and have this size; every bit pattern is a value of a DataType.
        unsafe { result::memory::memcpy(self.device.runtime, to, bytes, self.pointer, bytes, kind)? };
        Ok(data)
    }
}

impl<T> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        if !self.pointer.is_null() {
            // SAFETY: allocated by `Device::alloc`, freed once.
            self.device.release(|| unsafe { result::memory::free(self.device.runtime, self.pointer) });
        }
    }
}

/// Work queued here runs in order, behind the caller's back.
pub struct Stream {
    device: Device,
    raw: sys::aclrtStream,
}

// SAFETY: acl streams may be used from any thread that is bound to their device; every method binds first.
unsafe impl Send for Stream {}
// SAFETY: as above; queueing from several threads is serialised by the runtime.
unsafe impl Sync for Stream {}

impl Stream {
    pub fn device(&self) -> Device {
        self.device
    }

    pub fn as_raw(&self) -> sys::aclrtStream {
        self.raw
    }

    /// Waits until everything queued has run. Faults of kernels come out here.
    pub fn synchronize(&self) -> Result<()> {
        self.device.bind()?;
        // SAFETY: the stream is alive.
        unsafe { result::stream::synchronize(self.device.runtime, self.raw) }
    }

    /// Later work of this stream waits for `event`.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.device.bind()?;
        // SAFETY: both handles are alive.
        unsafe { result::stream::wait_event(self.device.runtime, self.raw, event.raw) }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: created by `Device::stream`, destroyed once; acl waits for queued work.
        self.device.release(|| unsafe { result::stream::destroy(self.device.runtime, self.raw) });
    }
}

/// A point in a stream's work.
pub struct Event {
    device: Device,
    raw: sys::aclrtEvent,
}

// SAFETY: as for `Stream`.
unsafe impl Send for Event {}
// SAFETY: as for `Stream`.
unsafe impl Sync for Event {}

impl Event {
    pub fn record(&self, stream: &Stream) -> Result<()> {
        self.device.bind()?;
        // SAFETY: both handles are alive.
        unsafe { result::event::record(self.device.runtime, self.raw, stream.raw) }
    }

    pub fn synchronize(&self) -> Result<()> {
        self.device.bind()?;
        // SAFETY: the event is alive.
        unsafe { result::event::synchronize(self.device.runtime, self.raw) }
    }

    pub fn is_complete(&self) -> Result<bool> {
        self.device.bind()?;
        // SAFETY: the event is alive.
        unsafe { result::event::is_complete(self.device.runtime, self.raw) }
    }

    /// Milliseconds from `earlier` to this event; both must be complete.
    pub fn elapsed_since(&self, earlier: &Event) -> Result<f32> {
        self.device.bind()?;
        // SAFETY: both handles are alive.
        unsafe { result::event::elapsed_ms(self.device.runtime, earlier.raw, self.raw) }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created by `Device::event`, destroyed once.
        self.device.release(|| unsafe { result::event::destroy(self.device.runtime, self.raw) });
    }
}
