//! Finding, loading and initialising the installed package, once per process.

use std::env;
use std::ffi::CStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use hostcann_types::install::{ENV, Install};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use crate::error::{self, Error, Result};
use crate::freshness::{OP_DIR, Sources};
use crate::sys;

/// The loaded toolkit and package. Never unloaded: handles of other threads may point into it.
pub struct Runtime {
    api: sys::Api,
    /// A second handle of the same library, for symbols that are not in the headers.
    library: Library,
    path: PathBuf,
    deferred: Mutex<Option<Error>>,
    abandoned: AtomicUsize,
}

static RUNTIME: OnceLock<Result<Runtime>> = OnceLock::new();

impl Runtime {
    /// Loads the package and calls `aclInit`, the first time; later the same runtime, or the same error.
    pub fn get() -> Result<&'static Runtime> {
        let runtime = Runtime::loaded()?;
        static INIT: OnceLock<Result<()>> = OnceLock::new();
        INIT.get_or_init(|| {
            // SAFETY: a null configuration path is documented as "defaults".
            let code = unsafe { runtime.api.aclInit(std::ptr::null()) };
            if code == REPEAT_INITIALIZE { Ok(()) } else { runtime.check("aclInit", code) }
        })
        .clone()?;
        Ok(runtime)
    }

    /// Loads without `aclInit`, for tests of initialisation itself.
    pub fn loaded() -> Result<&'static Runtime> {
        RUNTIME.get_or_init(load).as_ref().map_err(Clone::clone)
    }

    pub fn api(&self) -> &sys::Api {
        &self.api
    }

    /// The `libcust_opapi.so` in use.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the libraries are the host toolkit's, which has to have everything that tests count on it.
    pub fn is_host_toolkit(&self) -> bool {
        // SAFETY: only asks whether the symbol exists.
        unsafe { self.library.get::<unsafe extern "C" fn()>(b"hc_soc_name") }.is_ok()
    }

    /// A number that the host toolkit exports for tests (`hc_live_…`, `hc_check_enabled`: 64 bits, no arguments); `None` on
    /// a toolkit without it.
    pub fn counter(&self, symbol: &str) -> Option<u64> {
        // SAFETY: these symbols have this signature.
        let counter = unsafe { self.library.get::<unsafe extern "C" fn() -> u64>(symbol.as_bytes()) }.ok()?;
        // SAFETY: as above; the function only reads a counter.
        Some(unsafe { counter() })
    }

    /// What phase one planned, one step of the host toolkit a line; `None` on a toolkit that does not tell.
    ///
    /// # Safety
    /// `executor` was made by phase one and is not used yet.
    pub unsafe fn steps(&self, executor: *const sys::aclOpExecutor) -> Option<Vec<String>> {
        type Text = unsafe extern "C" fn(*const sys::aclOpExecutor) -> *const std::ffi::c_char;
        // SAFETY: this symbol has this signature.
        let text = unsafe { self.library.get::<Text>(b"hc_executor_text") }.ok()?;
        // SAFETY: by this function's contract; the text is a C string that is copied before the next call.
        let text = unsafe { CStr::from_ptr(text(executor)) }.to_string_lossy();
        Some(text.lines().map(str::to_owned).collect())
    }

    /// Turns a status into a `Result`, with the library's message. The message is read here and nowhere else:
    /// `aclGetRecentErrMsg` clears what it returns.
    pub(crate) fn check(&self, call: &'static str, code: i32) -> Result<()> {
        if code == 0 { Ok(()) } else { Err(Error::status(call, code, self.take_message())) }
    }

    /// What `aclGetRecentErrMsg` says about this thread's latest failure, once.
    pub fn take_message(&self) -> Option<String> {
        // SAFETY: no arguments; the pointer is valid until this thread's next call and is copied at once.
        let text = unsafe { self.api.aclGetRecentErrMsg() };
        if text.is_null() {
            return None;
        }
        // SAFETY: not null, documented as a C string.
        let text = unsafe { CStr::from_ptr(text) };
        Some(error::normalise(&text.to_string_lossy()))
    }

    /// A failure inside `Drop` cannot be returned: it is kept and returned by the next call of any thread.
    pub(crate) fn defer(&self, result: Result<()>) {
        if let Err(error) = result {
            let mut slot = self.deferred.lock().unwrap_or_else(PoisonError::into_inner);
            slot.get_or_insert(error);
        }
    }

    /// The first failure of a `Drop` since the last look.
    pub fn take_deferred_error(&self) -> Option<Error> {
        self.deferred.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn count_abandoned_plan(&self) {
        self.abandoned.fetch_add(1, Ordering::Relaxed);
    }

    /// Plans dropped without a launch. CANN documents no way to destroy their executors, so they leak.
    pub fn abandoned_plans(&self) -> usize {
        self.abandoned.load(Ordering::Relaxed)
    }
}

const REPEAT_INITIALIZE: i32 = 100002;

fn load() -> Result<Runtime> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let install = Install::find(workspace, |name| env::var_os(name));
    let chosen = chosen_by();
    announce(&install);

    let mut tried = preload(&install);
    for path in install.libraries() {
        match open(&path) {
            Ok((api, library)) => {
                let vendor = path.ancestors().nth(3).unwrap_or(&path);
                let sources =
                    Sources::of(workspace, env::var_os(OP_DIR).filter(|dir| !dir.is_empty()).map(PathBuf::from));
                sources.refuse(&install.home, vendor).map_err(|why| Error::refused("Runtime::get", why))?;
                let deferred = Mutex::new(None);
                return Ok(Runtime { api, library, path, deferred, abandoned: AtomicUsize::new(0) });
            }
            Err(why) => tried.push(format!("{}: {why}", path.display())),
        }
    }
    tried.extend(install.notes);
    Err(Error::refused("Runtime::get", not_found(&tried, &chosen)))
}

fn not_found(tried: &[String], chosen: &str) -> String {
    let tried = tried.iter().map(|line| format!("\n  {line}")).collect::<String>();
    format!(
        "no usable libcust_opapi.so of the Fmod package. Tried, in order:{tried}\nwith {chosen}\n\
         hint: run `cargo xtask install`"
    )
}

/// The variables that decide where to look, as the user set them.
fn chosen_by() -> String {
    let set = ENV.iter().filter_map(|name| env::var(name).ok().map(|value| format!("{name}={value}")));
    let set = set.collect::<Vec<_>>().join(" ");
    if set.is_empty() { "no ASCEND_… variable set".to_owned() } else { set }
}

/// The toolkit reads these variables itself; without `set_env.sh` they must come from here.
fn announce(install: &Install) {
    for (name, value) in [(ENV[0], &install.home), (ENV[1], &install.opp)] {
        if env::var_os(name).is_none_or(|old| old.is_empty()) && value.is_dir() {
            // SAFETY: called once, before the C library that reads the variable is loaded; Rust's own readers are locked.
            unsafe { env::set_var(name, value) };
        }
    }
}

/// Opens the toolkit's libraries by path, so that the package's dependencies resolve without `LD_LIBRARY_PATH`.
fn preload(install: &Install) -> Vec<String> {
    let mut failures = Vec::new();
    for name in ["libascendcl.so", "libnnopbase.so"] {
        let path = install.home.join("lib64").join(name);
        if !path.is_file() {
            continue; // found through LD_LIBRARY_PATH, or reported as a missing dependency below
        }
        // SAFETY: toolkit libraries have ordinary initialisers.
        match unsafe { Library::open(Some(&path), RTLD_NOW | RTLD_GLOBAL) } {
            Ok(library) => std::mem::forget(library),
            Err(error) => failures.push(format!("{}: {}", path.display(), reason(&error))),
        }
    }
    failures
}

fn open(path: &Path) -> Result<(sys::Api, Library), String> {
    if !path.is_file() {
        return Err("no such file".to_owned());
    }
    // SAFETY: an op package library has ordinary initialisers.
    let open = || unsafe { Library::open(Some(path), RTLD_NOW) }.map_err(|error| reason(&error));
    let library = open()?;
    // SAFETY: the function types come from the headers installed beside this library.
    let api = unsafe { sys::Api::from_library(open()?) }.map_err(|error| reason(&error))?;
    Ok((api, library))
}

/// libloading's Display hides the text of dlerror behind `source()`.
fn reason(error: &libloading::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
