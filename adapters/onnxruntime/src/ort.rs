//! The part of ONNX Runtime's C API that a custom operator uses (onnxruntime_c_api.h). The API is a table of function pointers
//! that only grows at its end, so that a function keeps its place in all versions.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

/// The first version in which a kernel returns a status (KernelComputeV2) and operators have versions.
pub const VERSION: u32 = 17;

/// ORT_FAIL of OrtErrorCode.
const FAIL: c_int = 1;

/// ONNXTensorElementDataType.
pub type ElementType = c_int;

macro_rules! opaque {
    ($($name:ident),*) => { $(#[repr(C)] pub struct $name { _private: [u8; 0] })* };
}
opaque!(OrtStatus, OrtValue, OrtShape, OrtOptions, OrtDomain, OrtContext, OrtInfo);

/// Null is success.
pub type Status = *mut OrtStatus;

#[repr(C)]
pub struct ApiBase {
    pub get_api: unsafe extern "C" fn(version: u32) -> *const Table,
    pub version_string: unsafe extern "C" fn() -> *const c_char,
}

/// OrtApi as far as it is used here.
#[repr(C)]
pub struct Table {
    pub entries: [*const c_void; 102],
}

pub const CREATE_STATUS: usize = 0;
pub const CREATE_DOMAIN: usize = 26;
pub const ADD_TO_DOMAIN: usize = 27;
pub const ADD_DOMAIN: usize = 28;
pub const TENSOR_DATA: usize = 51;
pub const ELEMENT_TYPE: usize = 60;
pub const DIMENSIONS_COUNT: usize = 61;
pub const DIMENSIONS: usize = 62;
pub const TYPE_AND_SHAPE: usize = 65;
pub const ATTRIBUTE_STRING: usize = 87;
pub const INPUT: usize = 90;
pub const OUTPUT: usize = 91;
pub const RELEASE_SHAPE: usize = 99;
pub const RELEASE_DOMAIN: usize = 101;

/// The table, with the types of its functions.
#[derive(Clone, Copy)]
pub struct Api(*const Table);

// SAFETY: the table is constant data of the runtime, which lives as long as the process that loaded this library.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

macro_rules! function {
    ($self:ident, $index:expr, fn($($arg:ty),*) $(-> $result:ty)?) => {{
        // SAFETY: the entry is a function of this type in every version of the API.
        let pointer = unsafe { (*$self.0).entries[$index] };
        // SAFETY: as above; a function pointer has the size of a data pointer here.
        unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn($($arg),*) $(-> $result)?>(pointer) }
    }};
}

/// What a tensor is.
pub struct Shape {
    pub element: ElementType,
    pub dims: Vec<i64>,
}

impl Api {
    pub fn from_table(table: *const Table) -> Api {
        Api(table)
    }

    /// # Safety
    /// `base` is what ONNX Runtime hands to RegisterCustomOps.
    pub unsafe fn of(base: *const ApiBase) -> Result<Api, Status> {
        // SAFETY: by the caller.
        let (get, version) = unsafe { ((*base).get_api, (*base).version_string) };
        // SAFETY: any number may be asked for.
        let table = unsafe { get(VERSION) };
        if !table.is_null() {
            return Ok(Api(table));
        }
        // SAFETY: as above; the first version has all that a status needs.
        let first = Api(unsafe { get(1) });
        // SAFETY: a constant text.
        let found = unsafe { CStr::from_ptr(version()) }.to_string_lossy().into_owned();
        Err(first.fail(&format!(
            "ascend: ONNX Runtime {found} is too old: its C API has no version {VERSION}; use onnxruntime 1.17 or newer"
        )))
    }

    /// A status with a text.
    pub fn fail(self, text: &str) -> Status {
        let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
        let create = function!(self, CREATE_STATUS, fn(c_int, *const c_char) -> Status);
        // SAFETY: the text is copied.
        unsafe { create(FAIL, text.as_ptr()) }
    }

    /// A domain with these operators, added to the options.
    ///
    /// # Safety
    /// `options` are those of RegisterCustomOps; the operators live as long as the process.
    pub unsafe fn register(self, options: *mut OrtOptions, name: &CStr, ops: &'static [Op]) -> Result<(), Status> {
        let mut domain: *mut OrtDomain = ptr::null_mut();
        let create = function!(self, CREATE_DOMAIN, fn(*const c_char, *mut *mut OrtDomain) -> Status);
        // SAFETY: the name is copied.
        ok(unsafe { create(name.as_ptr(), &mut domain) })?;
        let add = function!(self, ADD_TO_DOMAIN, fn(*mut OrtDomain, *const CustomOp) -> Status);
        let give = function!(self, ADD_DOMAIN, fn(*mut OrtOptions, *mut OrtDomain) -> Status);
        let filled = ops.iter().try_for_each(|op| {
            // SAFETY: the domain was just made; the operator stays.
            ok(unsafe { add(domain, &op.table) })
        });
        // SAFETY: both were made by the runtime; the options keep the domain.
        filled.and_then(|()| ok(unsafe { give(options, domain) })).inspect_err(|_| {
            let release = function!(self, RELEASE_DOMAIN, fn(*mut OrtDomain));
            // SAFETY: nobody else has the domain.
            unsafe { release(domain) };
        })
    }

    /// # Safety
    /// `context` is that of the call of a kernel with more than `index` inputs.
    pub unsafe fn input(self, context: *mut OrtContext, index: usize) -> Result<*const OrtValue, Status> {
        let get = function!(self, INPUT, fn(*const OrtContext, usize, *mut *const OrtValue) -> Status);
        let mut value = ptr::null();
        // SAFETY: by the caller.
        ok(unsafe { get(context, index, &mut value) })?;
        Ok(value)
    }

    /// # Safety
    /// As for `input`; the output is a tensor.
    pub unsafe fn output(self, context: *mut OrtContext, index: usize, dims: &[i64]) -> Result<*mut OrtValue, Status> {
        let get = function!(self, OUTPUT, fn(*mut OrtContext, usize, *const i64, usize, *mut *mut OrtValue) -> Status);
        let mut value = ptr::null_mut();
        // SAFETY: by the caller; the dimensions are copied.
        ok(unsafe { get(context, index, dims.as_ptr(), dims.len(), &mut value) })?;
        Ok(value)
    }

    /// A text among the node's attributes.
    ///
    /// # Safety
    /// `info` is that of a kernel that is created.
    pub unsafe fn attribute(self, info: *const OrtInfo, name: &CStr) -> Result<String, Status> {
        let get =
            function!(self, ATTRIBUTE_STRING, fn(*const OrtInfo, *const c_char, *mut c_char, *mut usize) -> Status);
        let mut size = 0;
        // SAFETY: by the caller; without a place only the size is told, with the end of the text.
        ok(unsafe { get(info, name.as_ptr(), ptr::null_mut(), &mut size) })?;
        let mut text = vec![0_u8; size];
        // SAFETY: there is room for as many.
        ok(unsafe { get(info, name.as_ptr(), text.as_mut_ptr().cast(), &mut size) })?;
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        Ok(String::from_utf8_lossy(&text[..end]).into_owned())
    }

    /// # Safety
    /// `value` is a tensor on the host.
    pub unsafe fn data(self, value: *const OrtValue) -> Result<*mut c_void, Status> {
        let get = function!(self, TENSOR_DATA, fn(*mut OrtValue, *mut *mut c_void) -> Status);
        let mut data = ptr::null_mut();
        // SAFETY: by the caller; nothing of the value changes.
        ok(unsafe { get(value.cast_mut(), &mut data) })?;
        Ok(data)
    }

    /// # Safety
    /// `value` is a tensor.
    pub unsafe fn shape(self, value: *const OrtValue) -> Result<Shape, Status> {
        let get = function!(self, TYPE_AND_SHAPE, fn(*const OrtValue, *mut *mut OrtShape) -> Status);
        let mut info = ptr::null_mut();
        // SAFETY: by the caller.
        ok(unsafe { get(value, &mut info) })?;
        // SAFETY: it was just made.
        let read = unsafe { self.read(info) };
        let release = function!(self, RELEASE_SHAPE, fn(*mut OrtShape));
        // SAFETY: nobody else has it.
        unsafe { release(info) };
        read
    }

    unsafe fn read(self, info: *mut OrtShape) -> Result<Shape, Status> {
        let (mut element, mut count) = (0, 0);
        let element_of = function!(self, ELEMENT_TYPE, fn(*const OrtShape, *mut ElementType) -> Status);
        let count_of = function!(self, DIMENSIONS_COUNT, fn(*const OrtShape, *mut usize) -> Status);
        let dims_of = function!(self, DIMENSIONS, fn(*const OrtShape, *mut i64, usize) -> Status);
        // SAFETY: by the caller.
        ok(unsafe { element_of(info, &mut element) })?;
        // SAFETY: by the caller.
        ok(unsafe { count_of(info, &mut count) })?;
        let mut dims = vec![0; count];
        // SAFETY: there is room for all of them.
        ok(unsafe { dims_of(info, dims.as_mut_ptr(), count) })?;
        Ok(Shape { element, dims })
    }
}

fn ok(status: Status) -> Result<(), Status> {
    if status.is_null() { Ok(()) } else { Err(status) }
}

type Count = unsafe extern "C" fn(op: *const CustomOp) -> usize;
type Number = unsafe extern "C" fn(op: *const CustomOp) -> c_int;
type Text = unsafe extern "C" fn(op: *const CustomOp) -> *const c_char;
type Of = unsafe extern "C" fn(op: *const CustomOp, index: usize) -> c_int;
type Create = unsafe extern "C" fn(*const CustomOp, *const Table, *const OrtInfo, *mut *mut c_void) -> Status;

/// OrtCustomOp of this version.
#[repr(C)]
pub struct CustomOp {
    pub version: u32,
    /// Not asked where a status can be returned.
    pub create: Option<unsafe extern "C" fn(*const CustomOp, *const Table, *const OrtInfo) -> *mut c_void>,
    pub name: Text,
    pub provider: Text,
    pub input_type: Of,
    pub inputs: Count,
    pub output_type: Of,
    pub outputs: Count,
    /// As `create`.
    pub compute: Option<unsafe extern "C" fn(kernel: *mut c_void, context: *mut OrtContext)>,
    pub destroy: unsafe extern "C" fn(kernel: *mut c_void),
    pub input_kind: Of,
    pub output_kind: Of,
    pub input_memory: Of,
    pub variadic: [Option<Number>; 4],
    pub create_v2: Create,
    pub compute_v2: unsafe extern "C" fn(kernel: *mut c_void, context: *mut OrtContext) -> Status,
    pub infer_shape: Option<unsafe extern "C" fn(*const CustomOp, *mut c_void) -> Status>,
    pub start_version: Number,
    pub end_version: Number,
}

/// An operator of one data type. The runtime hands its own part back.
#[repr(C)]
pub struct Op {
    pub table: CustomOp,
    pub element: ElementType,
}
