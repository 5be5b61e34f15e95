//! Plans that are launched without waiting for each.

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::device::{DeviceBuffer, Stream};
use crate::error::Result;
use crate::fmod::Plan;

impl Stream {
    /// Runs `body`, which may queue plans, and waits for them before it returns, also when `body` fails or panics.
    /// That is why plans may borrow buffers only for `'scope`, which outlives the wait (compare `std::thread::scope`).
    pub fn scope<'env, T, F>(&'env self, body: F) -> Result<T>
    where
        F: for<'scope> FnOnce(&'scope StreamScope<'scope, 'env>) -> Result<T>,
    {
        let scope = StreamScope { stream: self, workspaces: RefCell::default(), scope: PhantomData };
        let wait = WaitOnUnwind(self);
        let value = body(&scope);
        std::mem::forget(wait);
        let waited = self.synchronize();
        let value = value?;
        waited.map(|()| value)
    }
}

struct WaitOnUnwind<'a>(&'a Stream);

impl Drop for WaitOnUnwind<'_> {
    fn drop(&mut self) {
        let waited = self.0.synchronize();
        self.0.device().runtime().defer(waited);
    }
}

/// Where plans may be launched without waiting; see [`Stream::scope`].
pub struct StreamScope<'scope, 'env: 'scope> {
    stream: &'env Stream,
    /// Kept until the stream has been waited for.
    workspaces: RefCell<Vec<DeviceBuffer<u8>>>,
    scope: PhantomData<&'scope mut &'scope ()>,
}

impl<'scope> StreamScope<'scope, '_> {
    /// Queues the plan and returns; its workspace lives until the end of the scope.
    pub fn launch(&'scope self, plan: Plan<'scope>) -> Result<()> {
        let workspace = plan.workspace(self.stream.device())?;
        // SAFETY: tensors' buffers outlive 'scope, the workspace is kept in the scope, both until after the wait.
        let launched = unsafe { plan.launch(&workspace, self.stream) };
        self.workspaces.borrow_mut().push(workspace);
        launched
    }
}
