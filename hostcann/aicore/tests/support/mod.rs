//! Compiles C++ for the tests with the flags kernels are built with, but for -O1, which takes half as long.
//! g++ is required.

pub mod reals;
pub mod softmax;

use std::{
    ffi::{CString, c_char, c_int, c_void},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

pub fn include_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../include").canonicalize().expect("hostcann/include")
}

/// The toolkit's other names of headers, which are written where a toolkit is assembled.
pub fn other_names() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let table = std::fs::read_to_string(include_dir().join("forwards.txt")).expect("forwards.txt");
        let mut hasher = DefaultHasher::new();
        table.hash(&mut hasher);
        let dir = out(&format!("other_names.{:x}", hasher.finish()));
        if dir.is_dir() {
            return dir;
        }
        let part = out(&format!("other_names.part.{}", std::process::id()));
        let mut target = "";
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            match line.strip_prefix("    ") {
                None => target = line,
                Some(name) => {
                    let file = part.join(name);
                    std::fs::create_dir_all(file.parent().expect("a directory")).expect("mkdir");
                    std::fs::write(file, format!("#pragma once\n#include \"{target}\"\n")).expect("write");
                }
            }
        }
        // Another test may have been faster: both wrote the same.
        if std::fs::rename(&part, &dir).is_err() {
            std::fs::remove_dir_all(&part).expect("remove");
        }
        dir
    })
}

fn gxx() -> Command {
    let mut c = Command::new("g++");
    c.args(["-std=c++17", "-O1", "-ffp-contract=off", "-fno-rtti", "-Wall", "-Wextra", "-Wshadow", "-Werror"]);
    // A call at the end of a function stays a call, so that a fault finds its line.
    c.arg("-fno-optimize-sibling-calls");
    c.args(["-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220", "-D__DAV_C220_VEC__=1", "-DASCENDC_TPL_KERNEL"]);
    c.arg("-I").arg(include_dir()).arg("-I").arg(other_names());
    c
}

fn out(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn finish(mut c: Command) -> Result<String, String> {
    let o = c.output().expect("g++ is required: install it (Debian: apt-get install g++)");
    if o.status.success() {
        Ok(String::from_utf8_lossy(&o.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&o.stderr).into_owned())
    }
}

/// Compiles without linking.
pub fn check_cpp(name: &str, source: &str) -> Result<(), String> {
    let src = out(&format!("{name}.cpp"));
    std::fs::write(&src, source).unwrap();
    let mut c = gxx();
    c.arg("-fsyntax-only").arg(&src);
    finish(c).map(drop)
}

/// Compiles to an object: errors of calls come after the syntax.
pub fn compile_cpp(name: &str, source: &str) -> Result<(), String> {
    let (src, object) = (out(&format!("{name}.cpp")), out(&format!("{name}.o")));
    std::fs::write(&src, source).unwrap();
    let mut c = gxx();
    c.arg("-c").arg(&src).arg("-o").arg(&object);
    finish(c).map(drop)
}

/// Runs a program that only uses inline parts of the façade and returns what it prints.
pub fn run_cpp(name: &str, source: &str) -> String {
    let (src, exe) = (out(&format!("{name}.cpp")), out(name));
    std::fs::write(&src, source).unwrap();
    let mut c = gxx();
    c.args(["-Wno-old-style-cast", "-Wl,--unresolved-symbols=ignore-all"]).arg(&src).arg("-o").arg(&exe);
    finish(c).unwrap();
    finish(Command::new(exe)).unwrap()
}

/// A line of the scalar data cache.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([u8; 64]);

/// Memory that starts where device memory does: cores must not share a 32-byte block or a 64-byte line of it.
pub struct Aligned<T> {
    lines: Vec<Line>,
    len: usize,
    kind: std::marker::PhantomData<T>,
}

impl<T: Copy> Aligned<T> {
    /// All bytes zero; `T` is a plain number.
    pub fn new(len: usize) -> Aligned<T> {
        let lines = vec![Line([0; 64]); (len * size_of::<T>()).div_ceil(64)];
        Aligned { lines, len, kind: std::marker::PhantomData }
    }
}

impl<T: Copy> std::ops::Deref for Aligned<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // SAFETY: `new` made room for `len` plain numbers, all zero.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl<T: Copy> std::ops::DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: `new` made room for `len` plain numbers, all zero.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

/// A kernel object built from a file in `tests/kernels`.
pub struct Object(*mut c_void);

// SAFETY: a handle of the dynamic loader may be used from any thread.
unsafe impl Send for Object {}
// SAFETY: as for Send.
unsafe impl Sync for Object {}

impl Object {
    pub fn build(file: &str) -> Object {
        // Kernels call back into this executable: keep every entry alive.
        assert!(!std::hint::black_box(aicore::exports()).is_empty());
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(file);
        let so = out(&format!("{file}.so"));
        let mut c = gxx();
        c.args(["-g1", "-gz", "-fPIC", "-shared"]).arg(&src).arg("-o").arg(&so);
        finish(c).unwrap();
        let path = CString::new(so.to_str().unwrap()).unwrap();
        // SAFETY: the path ends with NUL.
        let h = unsafe { dlopen(path.as_ptr(), 2) };
        if h.is_null() {
            // SAFETY: after a failed dlopen there is a text.
            panic!("{}", unsafe { std::ffi::CStr::from_ptr(dlerror()) }.to_string_lossy());
        }
        Object(h)
    }
    pub fn symbol(&self, name: &str) -> *mut c_void {
        let c = CString::new(name).unwrap();
        // SAFETY: a live handle and a name that ends with NUL.
        let p = unsafe { dlsym(self.0, c.as_ptr()) };
        assert!(!p.is_null(), "{name} is not in the kernel object");
        p
    }
    pub fn kernel(&self, name: &str) -> aicore::KernelFn {
        // SAFETY: the test names a kernel of its own source.
        unsafe { std::mem::transmute::<*mut c_void, aicore::KernelFn>(self.symbol(name)) }
    }
}
