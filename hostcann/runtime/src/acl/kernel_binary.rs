//! Kernels of a binary that a program loads (`ascendc_fatbin_library`), and launches with a list of arguments.

use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::acl::objects::Table;
use crate::base::failure::{Failure, Outcome, put, status};
use crate::package::kernel_object;

/// What a kernel's binary has for each kernel, by the name `hc_binary_<kernel>`: queues a launch with values of these sizes.
type Entry = unsafe extern "C" fn(
    blocks: u32,
    stream: *mut c_void,
    values: *const *const c_void,
    sizes: *const usize,
    count: usize,
) -> u32;

struct Binary {
    path: PathBuf,
    library: Library,
}

#[derive(Clone)]
struct Function {
    entry: Entry,
    /// The code stays while a function of it is known.
    _binary: Arc<Binary>,
}

struct Arguments {
    function: usize,
    values: Vec<Vec<u8>>,
    is_whole: bool,
}

static BINARIES: Table<Arc<Binary>> = Table::new("binHandle");
static FUNCTIONS: Table<Function> = Table::new("funcHandle");
static ARGUMENTS: Table<Arguments> = Table::new("argsHandle");

/// # Safety
/// `text` is null or NUL-terminated.
unsafe fn text<'a>(function: &str, parameter: &str, text: *const c_char) -> Outcome<&'a CStr> {
    if text.is_null() {
        return Err(Failure::null(function, parameter));
    }
    // SAFETY: non-null and NUL-terminated by contract.
    Ok(unsafe { CStr::from_ptr(text) })
}

fn load(path: &Path) -> Outcome<Binary> {
    let refused = |why: String| {
        let text = format!("aclrtBinaryLoadFromFile: {} {why}", path.display());
        Failure::new(crate::base::codes::INVALID_PARAM, text)
    };
    kernel_object::check(path, None).map_err(refused)?;
    // SAFETY: bisheng made it; loading it runs no code of the kernels.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| refused(format!("does not load: {error}")))?;
    Ok(Binary { path: path.to_path_buf(), library })
}

/// # Safety
/// `path` is null or NUL-terminated, `binary` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryLoadFromFile(
    path: *const c_char,
    _options: *mut c_void,
    binary: *mut *mut c_void,
) -> i32 {
    const NAME: &str = "aclrtBinaryLoadFromFile";
    // SAFETY: by this function's contract.
    unsafe {
        put(NAME, "binHandle", binary, || {
            let path = text(NAME, "binPath", path)?;
            Ok(BINARIES.add(Arc::new(load(Path::new(&*path.to_string_lossy()))?)))
        })
    }
}

/// Launches that are queued, and functions that were asked for, stay good.
#[unsafe(no_mangle)]
pub extern "C" fn aclrtBinaryUnLoad(binary: *mut c_void) -> i32 {
    status(BINARIES.remove("aclrtBinaryUnLoad", binary))
}

/// # Safety
/// `name` is null or NUL-terminated, `function` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtBinaryGetFunction(
    binary: *mut c_void,
    name: *const c_char,
    function: *mut *mut c_void,
) -> i32 {
    const NAME: &str = "aclrtBinaryGetFunction";
    // SAFETY: by this function's contract.
    unsafe {
        put(NAME, "funcHandle", function, || {
            let name = text(NAME, "kernelName", name)?.to_string_lossy();
            BINARIES.with(NAME, binary, |binary| {
                let symbol = format!("hc_binary_{name}\0");
                let Ok(entry) = binary.library.get::<Entry>(symbol.as_bytes()) else {
                    fail!(
                        INVALID_PARAM,
                        "{NAME}: {} has no kernel {name}: build it with ascendc_fatbin_library of this toolkit",
                        binary.path.display()
                    );
                };
                Ok(FUNCTIONS.add(Function { entry: *entry, _binary: binary.clone() }))
            })
        })
    }
}

/// # Safety
/// `arguments` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsInit(function: *mut c_void, arguments: *mut *mut c_void) -> i32 {
    const NAME: &str = "aclrtKernelArgsInit";
    // SAFETY: by this function's contract.
    unsafe {
        put(NAME, "argsHandle", arguments, || {
            FUNCTIONS.with(NAME, function, |_| Ok(()))?;
            let empty = Arguments { function: function as usize, values: Vec::new(), is_whole: false };
            Ok(ARGUMENTS.add(empty))
        })
    }
}

/// # Safety
/// `value` is null or has `size` bytes.
unsafe fn bytes(function: &str, value: *const c_void, size: usize) -> Outcome<Vec<u8>> {
    if value.is_null() {
        return Err(Failure::null(function, "param"));
    }
    // SAFETY: non-null, and has `size` bytes by contract.
    Ok(unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size) }.to_vec())
}

/// # Safety
/// `value` is null or has `size` bytes, `parameter` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsAppend(
    arguments: *mut c_void,
    value: *mut c_void,
    size: usize,
    parameter: *mut *mut c_void,
) -> i32 {
    const NAME: &str = "aclrtKernelArgsAppend";
    // SAFETY: by this function's contract.
    unsafe {
        put(NAME, "paramHandle", parameter, || {
            let value = bytes(NAME, value, size)?;
            ARGUMENTS.with(NAME, arguments, |list| {
                if list.is_whole {
                    fail!(INVALID_PARAM, "{NAME}: after aclrtKernelArgsFinalize nothing can be appended");
                }
                list.values.push(value);
                // Its number, from 1: null is no handle.
                Ok(list.values.len() as *mut c_void)
            })
        })
    }
}

/// # Safety
/// `value` is null or has `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtKernelArgsParaUpdate(
    arguments: *mut c_void,
    parameter: *mut c_void,
    value: *mut c_void,
    size: usize,
) -> i32 {
    const NAME: &str = "aclrtKernelArgsParaUpdate";
    let update = || {
        // SAFETY: by this function's contract.
        let value = unsafe { bytes(NAME, value, size) }?;
        ARGUMENTS.with(NAME, arguments, |list| {
            let number = parameter as usize;
            match number.checked_sub(1).and_then(|at| list.values.get_mut(at)) {
                Some(old) if old.len() == size => *old = value,
                Some(old) => fail!(INVALID_PARAM, "{NAME}: argument {number} has {} bytes, got {size}", old.len()),
                None => fail!(INVALID_PARAM, "{NAME}: paramHandle {number} is not of this list of arguments"),
            }
            Ok(())
        })
    };
    status(update())
}

#[unsafe(no_mangle)]
pub extern "C" fn aclrtKernelArgsFinalize(arguments: *mut c_void) -> i32 {
    status(ARGUMENTS.with("aclrtKernelArgsFinalize", arguments, |list| {
        list.is_whole = true;
        Ok(())
    }))
}

/// `aclrtLaunchKernelAttr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Attribute {
    id: u32,
    value: [u32; 4],
}

/// `aclrtLaunchKernelCfg`.
#[repr(C)]
pub struct Config {
    attributes: *const Attribute,
    count: usize,
}

/// The offset of block indices, which no launch has here.
const BLOCK_OFFSET: u32 = 4;

/// # Safety
/// `config` is null or points to as many attributes as it says.
unsafe fn check_config(function: &str, config: *const Config) -> Outcome {
    // SAFETY: by this function's contract.
    let Some(config) = (unsafe { config.as_ref() }).filter(|config| config.count > 0 && !config.attributes.is_null())
    else {
        return Ok(());
    };
    // SAFETY: by this function's contract.
    let attributes = unsafe { std::slice::from_raw_parts(config.attributes, config.count) };
    if attributes.iter().any(|one| one.id == BLOCK_OFFSET && one.value[0] != 0) {
        fail!(
            RT_FEATURE_NOT_SUPPORT,
            "{function}: ACL_RT_LAUNCH_KERNEL_ATTR_BLOCKDIM_OFFSET other than 0 is not modelled"
        );
    }
    Ok(())
}

/// The list of arguments may be used again. Other attributes than an offset of blocks mean nothing here: a launch has no time
/// limit, and no block waits for another kernel's.
///
/// # Safety
/// The kernel may be called with the arguments; `config` is null or points to as many attributes as it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclrtLaunchKernelWithConfig(
    function: *mut c_void,
    blocks: u32,
    stream: *mut c_void,
    config: *const Config,
    arguments: *mut c_void,
    _reserve: *mut c_void,
) -> i32 {
    refuse_forked!();
    const NAME: &str = "aclrtLaunchKernelWithConfig";
    let mut launched = 0;
    let mut launch = || {
        // SAFETY: by this function's contract.
        unsafe { check_config(NAME, config) }?;
        let entry = FUNCTIONS.with(NAME, function, |found| Ok(found.clone()))?;
        ARGUMENTS.with(NAME, arguments, |list| {
            if list.function != function as usize {
                fail!(INVALID_PARAM, "{NAME}: argsHandle was made for another function");
            }
            if !list.is_whole {
                fail!(INVALID_PARAM, "{NAME}: argsHandle is not whole: call aclrtKernelArgsFinalize first");
            }
            let values: Vec<*const c_void> = list.values.iter().map(|value| value.as_ptr().cast()).collect();
            let sizes: Vec<usize> = list.values.iter().map(Vec::len).collect();
            // SAFETY: the values are alive during the call, which copies them; what they are is the program's word.
            launched = unsafe { (entry.entry)(blocks, stream, values.as_ptr(), sizes.as_ptr(), values.len()) };
            Ok(())
        })
    };
    match launch() {
        // The entry has raised its own failure.
        Ok(()) => i32::try_from(launched).unwrap_or(i32::MAX),
        Err(failure) => failure.raise(),
    }
}
