//! Ends launches that take longer than they may.
//!
//! When the time is over, a core that waits or calls in faults. One that does neither, a loop of plain C++, cannot be
//! stopped: whoever asked for it with [`crate::Engine::on_overrun`] is told where it is.

use crate::site::{Location, Site};
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

/// Time from the end of the limit until a core that still runs counts as stuck.
const GRACE: Duration = Duration::from_secs(2);

/// A core that runs a block of a launch whose time is over.
#[derive(Clone, Debug)]
pub struct Running {
    pub kernel: String,
    pub core: u32,
    /// Its last call into the core, if it made one and its line is known.
    pub last_call: Option<Location>,
}

impl Running {
    pub(crate) fn new(kernel: &str, core: u32, site: usize) -> Running {
        Running { kernel: kernel.to_owned(), core, last_call: Site(site).location() }
    }
}

/// What can be late.
pub(crate) trait Timed: Send + Sync {
    /// From now on its cores fault.
    fn expire(&self);
    /// The blocks that run.
    fn running(&self) -> Vec<Running>;
}

type Told = Arc<dyn Fn(&[Running]) + Send + Sync>;

#[derive(Default)]
struct State {
    limit: Option<Duration>,
    /// End of the time, and whether it is the grace that ends then.
    launches: Vec<(Instant, bool, Weak<dyn Timed>)>,
    told: Option<Told>,
    stop: bool,
}

#[derive(Default)]
pub(crate) struct Watchdog {
    state: Mutex<State>,
    wake: Condvar,
}

impl Watchdog {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The limit of every later launch.
    pub fn set_limit(&self, limit: Option<Duration>) {
        self.lock().limit = limit;
    }

    pub fn set_told(&self, told: Told) {
        self.lock().told = Some(told);
    }

    pub fn limited(&self) -> bool {
        self.lock().limit.is_some()
    }

    /// A launch starts.
    pub fn watch(&self, launch: &Arc<impl Timed + 'static>) {
        let mut s = self.lock();
        let Some(limit) = s.limit else { return };
        let launch: Weak<dyn Timed> = Arc::downgrade(launch) as Weak<dyn Timed>;
        s.launches.push((Instant::now() + limit, false, launch));
        self.wake.notify_all();
    }

    pub fn stop(&self) {
        self.lock().stop = true;
        self.wake.notify_all();
    }

    /// The thread's work.
    pub fn run(&self) {
        let mut s = self.lock();
        while !s.stop {
            s.launches.retain(|(_, _, launch)| launch.strong_count() > 0);
            let now = Instant::now();
            if let Some(i) = s.launches.iter().position(|(end, ..)| *end <= now) {
                let (_, grace, launch) = s.launches.swap_remove(i);
                let told = s.told.clone();
                drop(s);
                if let Some(launch) = launch.upgrade() {
                    if grace {
                        let running = launch.running();
                        if let Some(told) = told.filter(|_| !running.is_empty()) {
                            told(&running);
                        }
                    } else {
                        launch.expire();
                        let again = Arc::downgrade(&launch);
                        self.lock().launches.push((now + GRACE, true, again));
                    }
                }
                s = self.lock();
                continue;
            }
            s = match s.launches.iter().map(|(end, ..)| *end).min() {
                Some(end) => self.wake.wait_timeout(s, end - now).unwrap_or_else(PoisonError::into_inner).0,
                None => self.wake.wait(s).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
