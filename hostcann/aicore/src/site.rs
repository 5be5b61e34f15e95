//! Return addresses of the kernel's calls, and the source lines behind them.
//!
//! The façade is inlined into the kernel author's functions, so the address a core entry returns to lies in one of them;
//! its debug information also lists the functions that were inlined there, innermost first.

use crate::fault::Location;
use backtrace::{BacktraceFrame, Symbol, SymbolName};
use std::{ffi::c_void, path::Path};

/// A call of the kernel: the address it returns to, 0 where none is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Site(pub usize);

impl Site {
    /// The kernel's line of this call. Slow: only for faults.
    pub fn location(self) -> Option<Location> {
        if self.0 == 0 {
            return None;
        }
        // Kernel objects come and go; the cache holds the mappings of its first use.
        backtrace::clear_symbol_cache();
        let mut found = None;
        backtrace::resolve(self.0 as *mut c_void, |s| {
            if found.is_none() {
                found = kernel_line(s);
            }
        });
        found
    }
}

fn kernel_line(s: &Symbol) -> Option<Location> {
    line(s.filename()?, s.lineno()?)
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
        let frames = trace.frames().iter().skip_while(|f| !entry(f)).take_while(|f| !inside(f));
        frames.flat_map(|f| f.symbols()).find_map(|s| line(s.filename()?, s.lineno()?))
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
