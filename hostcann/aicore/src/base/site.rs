//! Return addresses of the kernel's calls, and the source lines behind them.
//!
//! The façade is inlined into the kernel author's functions, so the address a core entry returns to lies in one of them;
//! its debug information also lists the functions that were inlined there, innermost first.

use addr2line::Loader;
use backtrace::{BacktraceFrame, SymbolName};
use std::{
    cell::RefCell,
    collections::HashMap,
    ffi::{CStr, CString, OsStr, c_char, c_int, c_void},
    fmt,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};

/// A source position in the kernel, if its debug information gives one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    pub file: String,
    pub line: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A call of the kernel: the address it returns to, 0 where none is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Site(pub usize);

/// Counts launches: objects may be loaded elsewhere between two of them.
static LAUNCHES: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Lines of calls, as they were in the launch of this number.
    static LINES: RefCell<(usize, HashMap<Site, Option<Location>>)> = RefCell::default();
}

/// A launch begins.
pub(crate) fn launch_begins() {
    LAUNCHES.fetch_add(1, Ordering::Relaxed);
}

impl Site {
    /// The kernel's line of this call. Slow the first time in a launch: only for faults.
    pub fn location(self) -> Option<Location> {
        let now = LAUNCHES.load(Ordering::Relaxed);
        // A crash may have come while the lines were in use.
        let known = LINES.with(|lines| {
            let lines = lines.try_borrow().ok()?;
            if lines.0 == now { lines.1.get(&self).cloned() } else { None }
        });
        known.unwrap_or_else(|| {
            let read = self.read_location();
            LINES.with(|lines| {
                let Ok(mut lines) = lines.try_borrow_mut() else { return };
                if lines.0 != now {
                    *lines = (now, HashMap::new());
                }
                lines.1.insert(self, read.clone());
            });
            read
        })
    }

    /// ` at file:line`, for the middle of a sentence; empty where the line is not known.
    pub(crate) fn at(self) -> String {
        self.location().map_or(String::new(), |l| format!(" at {l}"))
    }

    fn read_location(self) -> Option<Location> {
        // The call is in front of the address it returns to.
        let address = self.0.checked_sub(1)?;
        let (object, bias) = object_of(address)?;
        let loader = Loader::new(object).ok()?;
        let mut frames = loader.find_frames((address - bias) as u64).ok()?;
        while let Ok(Some(frame)) = frames.next() {
            let found = frame.location.and_then(|l| line(Path::new(l.file?), l.line?));
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

impl Site {
    /// The functions around an address, innermost first, of the program or the operator, with their lines. Slow.
    pub(crate) fn functions(self) -> Vec<(String, Option<Location>)> {
        let named = || {
            let address = self.0.checked_sub(1)?;
            let (object, bias) = object_of(address)?;
            let loader = Loader::new(object).ok()?;
            let probe = (address - bias) as u64;
            let mut found = Vec::new();
            let mut frames = loader.find_frames(probe).ok()?;
            while let Ok(Some(frame)) = frames.next() {
                let name = frame.function.and_then(|f| Some(demangled(&f.raw_name().ok()?)));
                let place = frame.location.and_then(|l| Some(Location { file: l.file?.to_owned(), line: l.line? }));
                if let Some(name) = name {
                    found.push((name, place));
                }
            }
            if found.is_empty() {
                found.extend(loader.find_symbol(probe).map(|name| (demangled(name), None)));
            }
            Some(found)
        };
        named().unwrap_or_default()
    }
}

/// In the words of the source, if the program has a C++ library that knows them.
fn demangled(name: &str) -> String {
    type Demangle = unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;
    let plain = || {
        let mangled = CString::new(name).ok()?;
        // SAFETY: the name is a C string.
        let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_demangle".as_ptr()) };
        if function.is_null() {
            return None;
        }
        // SAFETY: the C++ ABI gives the function this type; it returns memory of malloc, or null.
        unsafe {
            let function: Demangle = std::mem::transmute(function);
            let mut status = 0;
            let text = function(mangled.as_ptr(), std::ptr::null_mut(), std::ptr::null_mut(), &mut status);
            if text.is_null() {
                return None;
            }
            let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
            libc::free(text.cast());
            Some(owned)
        }
    };
    plain().unwrap_or_else(|| name.to_owned())
}

/// The loaded object that holds an address, and how far it lies from where it was linked to. Asked anew each time: the
/// `backtrace` crate lists the objects once per process, and kernel objects are loaded later.
fn object_of(address: usize) -> Option<(PathBuf, usize)> {
    struct Search {
        address: usize,
        found: Option<(PathBuf, usize)>,
    }
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: libc::size_t, search: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid description, `search` is ours.
        let (info, search) = unsafe { (&*info, &mut *(search as *mut Search)) };
        let bias = info.dlpi_addr as usize;
        // SAFETY: so many headers, says the description.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) };
        let holds = |h: &libc::Elf64_Phdr| {
            let from = bias.wrapping_add(h.p_vaddr as usize);
            h.p_type == libc::PT_LOAD && search.address.wrapping_sub(from) < h.p_memsz as usize
        };
        if !headers.iter().any(holds) {
            return 0;
        }
        // SAFETY: the loader's name is a C string.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
        let path = if name.is_empty() { "/proc/self/exe".into() } else { PathBuf::from(OsStr::from_bytes(name)) };
        search.found = Some((path, bias));
        1
    }
    let mut search = Search { address, found: None };
    // SAFETY: `look` has the signature and `search` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.found
}

/// Whether two addresses lie in one loaded object. Allocates nothing.
pub(crate) fn same_object(one: usize, other: usize) -> bool {
    struct Search {
        addresses: [usize; 2],
        same: bool,
    }
    unsafe extern "C" fn look(info: *mut libc::dl_phdr_info, _: libc::size_t, search: *mut c_void) -> c_int {
        // SAFETY: as in `object_of`.
        let (info, search) = unsafe { (&*info, &mut *(search as *mut Search)) };
        // SAFETY: so many headers, says the description.
        let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) };
        let holds = |address: usize| {
            headers.iter().any(|h| {
                let from = (info.dlpi_addr as usize).wrapping_add(h.p_vaddr as usize);
                h.p_type == libc::PT_LOAD && address.wrapping_sub(from) < h.p_memsz as usize
            })
        };
        let held = search.addresses.map(holds);
        search.same = held == [true, true];
        c_int::from(held[0] || held[1])
    }
    let mut search = Search { addresses: [one, other], same: false };
    // SAFETY: `look` has the signature and `search` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(look), (&raw mut search).cast()) };
    search.same
}

/// None for the façade and for this crate.
fn line(file: &Path, line: u32) -> Option<Location> {
    let file = file.to_str()?;
    let file = file.strip_prefix("./").unwrap_or(file);
    let facade = ["/ascendc/kernel/", "/tikicpulib.h", "/include/adv_api/", "/include/lib/"];
    let skip = file.ends_with(".rs") || facade.iter().any(|f| file.contains(f));
    (!skip).then(|| Location { file: file.to_owned(), line })
}

/// The kernel line that is being executed. The call's own address says it unless a façade function was not inlined;
/// then the stack does.
pub(crate) fn current(site: Site) -> Option<Location> {
    site.location().or_else(|| {
        let mut trace = backtrace::Backtrace::new_unresolved();
        trace.resolve();
        let entry = |f: &BacktraceFrame| f.symbols().iter().any(|s| names(s.name(), "aic_"));
        let inside = |f: &BacktraceFrame| f.symbols().iter().any(|s| names(s.name(), "catch_unwind"));
        let mut frames = trace.frames().iter().skip_while(|f| !entry(f)).take_while(|f| !inside(f));
        frames.find_map(|f| Site(f.ip() as usize).location())
    })
}

fn names(name: Option<SymbolName<'_>>, part: &str) -> bool {
    name.is_some_and(|n| n.to_string().contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facade_files_are_skipped() {
        let of = |f: &str| line(Path::new(f), 7).map(|l| l.to_string());
        assert_eq!(of("./op_kernel/k.cpp").as_deref(), Some("op_kernel/k.cpp:7"));
        assert_eq!(of("/x/include/ascendc/kernel/emit.h"), None);
        assert_eq!(of("/x/include/adv_api/math/power.h"), None);
        assert_eq!(of("src/abi.rs"), None);
        assert_eq!(Site::default().location(), None);
    }
}
