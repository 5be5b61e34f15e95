//! Tensor descriptions and data buffers: what a single-operator call says about its operands.

use crate::acl::objects::Table;
use crate::base::dtype::{self, DType};
use crate::base::failure::{Failure, Outcome, put, status};
use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

/// ACL_FORMAT_UNDEFINED, ACL_DT_UNDEFINED
const UNDEFINED: i32 = -1;
/// Documented limit of aclCreateTensorDesc.
const MAX_DIMS: usize = 128;

/// aclTensorDesc
pub struct TensorDesc {
    pub dtype: i32,
    pub format: i32,
    pub dims: Vec<i64>,
    /// How the data lie, where that is another format and shape.
    pub storage_format: Option<i32>,
    pub storage_dims: Option<Vec<i64>>,
    pub name: String,
    pub memory: i32,
    /// Address and length of a constant.
    pub constant: Option<(usize, usize)>,
}

/// aclDataBuffer
pub struct DataBuffer {
    pub address: usize,
    pub size: usize,
}

pub static DESCS: Table<TensorDesc> = Table::new("aclTensorDesc");
pub static BUFFERS: Table<DataBuffer> = Table::new("aclDataBuffer");

/// # Safety
/// `dims` is null or holds `count` values.
unsafe fn read_dims(function: &str, count: i32, dims: *const i64) -> Outcome<Vec<i64>> {
    let Some(count) = usize::try_from(count).ok().filter(|count| *count <= MAX_DIMS) else {
        fail!(INVALID_PARAM, "{function}: numDims {count} is out of range, expected 0 to {MAX_DIMS}");
    };
    if count == 0 {
        return Ok(Vec::new());
    }
    if dims.is_null() {
        return Err(Failure::null(function, "dims"));
    }
    // SAFETY: non-null, and holds `count` values by contract.
    Ok(unsafe { std::slice::from_raw_parts(dims, count) }.to_vec())
}

/// Null after a failure.
///
/// # Safety
/// `dims` is null or holds `num_dims` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclCreateTensorDesc(
    data_type: i32,
    num_dims: i32,
    dims: *const i64,
    format: i32,
) -> *mut c_void {
    // SAFETY: by this function's contract.
    match unsafe { read_dims("aclCreateTensorDesc", num_dims, dims) } {
        Ok(dims) => DESCS.add(TensorDesc {
            dtype: data_type,
            format,
            dims,
            storage_format: None,
            storage_dims: None,
            name: String::new(),
            memory: 0,
            constant: None,
        }),
        Err(failure) => {
            failure.raise();
            null_mut()
        }
    }
}

/// It has no status: a description that is not alive is told in the messages.
#[unsafe(no_mangle)]
pub extern "C" fn aclDestroyTensorDesc(desc: *const c_void) {
    status(DESCS.remove("aclDestroyTensorDesc", desc));
}

fn read<R>(function: &str, desc: *const c_void, fallback: R, get: impl FnOnce(&TensorDesc) -> Outcome<R>) -> R {
    DESCS.with(function, desc, |desc| get(desc)).unwrap_or_else(|failure| {
        failure.raise();
        fallback
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn aclGetTensorDescType(desc: *const c_void) -> i32 {
    read("aclGetTensorDescType", desc, UNDEFINED, |desc| Ok(desc.dtype))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclGetTensorDescFormat(desc: *const c_void) -> i32 {
    read("aclGetTensorDescFormat", desc, UNDEFINED, |desc| Ok(desc.format))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclGetTensorDescNumDims(desc: *const c_void) -> usize {
    read("aclGetTensorDescNumDims", desc, 0, |desc| Ok(desc.dims.len()))
}

/// 0 with a dimension that is not known.
fn elements(dims: &[i64]) -> Outcome<usize> {
    let mut count: usize = 1;
    for &dim in dims {
        let Ok(dim) = usize::try_from(dim) else { return Ok(0) };
        match count.checked_mul(dim) {
            Some(product) => count = product,
            None => fail!(INVALID_PARAM, "a tensor of shape {dims:?} has more elements than an address can count"),
        }
    }
    Ok(count)
}

#[unsafe(no_mangle)]
pub extern "C" fn aclGetTensorDescElementCount(desc: *const c_void) -> usize {
    read("aclGetTensorDescElementCount", desc, 0, |desc| elements(&desc.dims))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclGetTensorDescSize(desc: *const c_void) -> usize {
    let bytes = |desc: &TensorDesc| {
        let size = dtype::of_number(desc.dtype).map_or(0, DType::size);
        Ok(elements(&desc.dims)?.saturating_mul(size))
    };
    read("aclGetTensorDescSize", desc, 0, bytes)
}

fn dim(function: &str, desc: &TensorDesc, index: usize) -> Outcome<i64> {
    match desc.dims.get(index) {
        Some(dim) => Ok(*dim),
        None => fail!(
            INVALID_PARAM,
            "{function}: index {index} is out of range, the tensor has {} dimensions",
            desc.dims.len()
        ),
    }
}

/// # Safety
/// `dim_size` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclGetTensorDescDimV2(desc: *const c_void, index: usize, dim_size: *mut i64) -> i32 {
    const NAME: &str = "aclGetTensorDescDimV2";
    // SAFETY: by this function's contract.
    unsafe { put(NAME, "dimSize", dim_size, || DESCS.with(NAME, desc, |desc| dim(NAME, desc, index))) }
}

#[unsafe(no_mangle)]
pub extern "C" fn aclGetTensorDescDim(desc: *const c_void, index: usize) -> i64 {
    read("aclGetTensorDescDim", desc, -1, |desc| dim("aclGetTensorDescDim", desc, index))
}

/// # Safety
/// `name` is null or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclSetTensorDescName(desc: *mut c_void, name: *const c_char) {
    let name = if name.is_null() {
        String::new()
    } else {
        // SAFETY: non-null and NUL-terminated by contract.
        unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
    };
    status(DESCS.with("aclSetTensorDescName", desc, |desc| {
        desc.name = name;
        Ok(())
    }));
}

#[unsafe(no_mangle)]
pub extern "C" fn aclSetTensorFormat(desc: *mut c_void, format: i32) -> i32 {
    status(DESCS.with("aclSetTensorFormat", desc, |desc| {
        desc.storage_format = Some(format);
        Ok(())
    }))
}

/// # Safety
/// `dims` is null or holds `num_dims` values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclSetTensorShape(desc: *mut c_void, num_dims: i32, dims: *const i64) -> i32 {
    // SAFETY: by this function's contract.
    let dims = unsafe { read_dims("aclSetTensorShape", num_dims, dims) };
    status(dims.and_then(|dims| {
        DESCS.with("aclSetTensorShape", desc, |desc| {
            desc.storage_dims = Some(dims);
            Ok(())
        })
    }))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclSetTensorConst(desc: *mut c_void, data: *mut c_void, length: usize) -> i32 {
    const NAME: &str = "aclSetTensorConst";
    if data.is_null() || length == 0 {
        return Failure::null(NAME, "dataBuffer").raise();
    }
    status(DESCS.with(NAME, desc, |desc| {
        desc.constant = Some((data as usize, length));
        Ok(())
    }))
}

/// ACL_MEMTYPE_DEVICE 0, ACL_MEMTYPE_HOST 1, ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT 2.
#[unsafe(no_mangle)]
pub extern "C" fn aclSetTensorPlaceMent(desc: *mut c_void, memory: i32) -> i32 {
    status(DESCS.with("aclSetTensorPlaceMent", desc, |desc| {
        if !(0..=2).contains(&memory) {
            fail!(INVALID_PARAM, "aclSetTensorPlaceMent: memory type {memory} is unknown, expected 0, 1 or 2");
        }
        desc.memory = memory;
        Ok(())
    }))
}

#[unsafe(no_mangle)]
pub extern "C" fn aclCreateDataBuffer(data: *mut c_void, size: usize) -> *mut c_void {
    BUFFERS.add(DataBuffer { address: data as usize, size })
}

#[unsafe(no_mangle)]
pub extern "C" fn aclDestroyDataBuffer(buffer: *const c_void) -> i32 {
    status(BUFFERS.remove("aclDestroyDataBuffer", buffer))
}

/// Null after a failure.
#[unsafe(no_mangle)]
pub extern "C" fn aclGetDataBufferAddr(buffer: *const c_void) -> *mut c_void {
    let address = BUFFERS.with("aclGetDataBufferAddr", buffer, |buffer| Ok(buffer.address));
    address.unwrap_or_else(|failure| {
        failure.raise();
        0
    }) as *mut c_void
}

/// 0 after a failure.
#[unsafe(no_mangle)]
pub extern "C" fn aclGetDataBufferSizeV2(buffer: *const c_void) -> usize {
    BUFFERS.with("aclGetDataBufferSizeV2", buffer, |buffer| Ok(buffer.size)).unwrap_or_else(|failure| {
        failure.raise();
        0
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn aclUpdateDataBuffer(buffer: *mut c_void, data: *mut c_void, size: usize) -> i32 {
    status(BUFFERS.with("aclUpdateDataBuffer", buffer, |buffer| {
        (buffer.address, buffer.size) = (data as usize, size);
        Ok(())
    }))
}
