//! The `hc_plan_*` functions of `hostcann/host_abi.h`.

use crate::base::failure::{Failure, Outcome, codes, put, status};
use crate::base::host_abi::{HcLaunch, HcMemory, HcOperand, HcStrided, HcTensor, slice, text};
use crate::package::kernel_binary::KernelBinary;
use crate::plan::bound::AlignedBytes;
use crate::plan::executor_plan::{Plan, Storage};
use crate::plan::host_call::{self, HostCall};
use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;

/// What functions that return a storage give on failure; every use of it is refused.
const NO_STORAGE: u32 = u32::MAX;

/// # Safety
/// `plan` is null or a live plan that no other thread uses.
unsafe fn plan_mut<'a>(plan: *mut Plan) -> Outcome<&'a mut Plan> {
    // SAFETY: by this function's contract.
    unsafe { plan.as_mut() }.ok_or_else(|| Failure::new(codes::NN_NULLPTR, "the plan is a null pointer"))
}

/// # Safety
/// As `plan_mut`.
unsafe fn add(plan: *mut Plan, storage: impl FnOnce() -> Outcome<Storage>) -> u32 {
    // SAFETY: by this function's contract.
    let added = unsafe { plan_mut(plan) }.and_then(|p| p.add_storage(storage()?));
    added.unwrap_or_else(|failure| {
        failure.raise();
        NO_STORAGE
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hc_plan_new() -> *mut Plan {
    Box::into_raw(Box::default())
}

/// # Safety
/// `plan` is null or came from hc_plan_new and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_free(plan: *mut Plan) {
    if !plan.is_null() {
        // SAFETY: by this function's contract.
        drop(unsafe { Box::from_raw(plan) });
    }
}

/// # Safety
/// As `plan_mut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_external(plan: *mut Plan, address: *mut c_void) -> u32 {
    // SAFETY: by this function's contract.
    unsafe { add(plan, || Ok(Storage::External(address as usize))) }
}

/// # Safety
/// As `plan_mut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_workspace(plan: *mut Plan, bytes: u64) -> u32 {
    // SAFETY: by this function's contract.
    unsafe { add(plan, || Ok(Storage::Workspace { bytes })) }
}

/// # Safety
/// As `plan_mut`; `data` is valid for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_host(plan: *mut Plan, data: *const c_void, bytes: u64) -> u32 {
    let storage = || {
        // SAFETY: by this function's contract.
        let data = unsafe { slice("host data", data.cast::<u8>(), bytes as usize) }?;
        Ok(Storage::Host(Arc::new(AlignedBytes::new(data, 32))))
    };
    // SAFETY: by this function's contract.
    unsafe { add(plan, storage) }
}

/// # Safety
/// As `plan_mut`; the pointers are valid for the numbers that come with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_list(
    plan: *mut Plan,
    words: *const u64,
    word_num: usize,
    tensors: *const HcOperand,
    tensor_num: usize,
) -> u32 {
    let body = || {
        // SAFETY: by this function's contract.
        unsafe { plan_mut(plan)?.add_list(slice("words", words, word_num)?, slice("tensors", tensors, tensor_num)?) }
    };
    body().unwrap_or_else(|failure| {
        failure.raise();
        NO_STORAGE
    })
}

/// # Safety
/// As `plan_mut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_set_address(plan: *mut Plan, storage: u32, address: *mut c_void) {
    // SAFETY: by this function's contract.
    status(unsafe { plan_mut(plan) }.and_then(|p| p.set_address(storage, address as usize)));
}

/// # Safety
/// As `plan_mut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_redirect(plan: *mut Plan, from: u32, to: u32, byte_offset: u64) -> i32 {
    // SAFETY: by this function's contract.
    status(unsafe { plan_mut(plan) }.and_then(|p| p.redirect(from, to, byte_offset)))
}

/// # Safety
/// As `plan_mut`; the other pointers are null or valid, the address of host memory for its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_operand(plan: *mut Plan, tensor: *const HcTensor, operand: *mut HcOperand) -> i32 {
    let body = || {
        // SAFETY: by this function's contract.
        unsafe {
            let (Some(tensor), Some(operand)) = (tensor.as_ref(), operand.as_mut()) else {
                fail!(NN_NULLPTR, "hc_plan_operand: tensor or operand is a null pointer");
            };
            *operand = plan_mut(plan)?.operand_of(tensor)?;
        }
        Ok(())
    };
    status(body())
}

/// # Safety
/// As `hc_plan_operand`; `middle` is only compared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_relate(plan: *mut Plan, out: *const HcTensor, middle: *const c_void) -> i32 {
    let body = || {
        // SAFETY: by this function's contract.
        unsafe {
            let Some(out) = out.as_ref() else {
                fail!(NN_NULLPTR, "hc_plan_relate: out is a null pointer");
            };
            plan_mut(plan)?.relate(out, middle as usize)
        }
    };
    status(body())
}

/// # Safety
/// As `plan_mut`; `memories` is valid for `num` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_settle(plan: *mut Plan, memories: *const HcMemory, num: usize) -> i32 {
    // SAFETY: by this function's contract.
    status(unsafe { plan_mut(plan).and_then(|p| p.settle(slice("memories", memories, num)?)) })
}

/// # Safety
/// As `hc_plan_settle`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_readdress(plan: *mut Plan, memories: *const HcMemory, num: usize) -> i32 {
    // SAFETY: by this function's contract.
    status(unsafe { plan_mut(plan).and_then(|p| p.readdress(slice("memories", memories, num)?)) })
}

/// # Safety
/// As `plan_mut`; the other pointers are valid for the numbers that come with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_kernel(
    plan: *mut Plan,
    binary: *const KernelBinary,
    launch: *const HcLaunch,
    inputs: *const HcOperand,
    input_num: usize,
    outputs: *const HcOperand,
    output_num: usize,
) -> i32 {
    let body = || {
        // SAFETY: by this function's contract; binaries live as long as the process.
        unsafe {
            let (Some(binary), Some(launch)) = (binary.as_ref(), launch.as_ref()) else {
                fail!(NN_NULLPTR, "hc_plan_add_kernel: binary or launch is a null pointer");
            };
            let bytes = launch.tiling_size as usize;
            let other = (!launch.tiling_other.is_null())
                .then(|| slice("other tiling data", launch.tiling_other.cast::<u8>(), bytes))
                .transpose()?;
            plan_mut(plan)?.add_kernel(
                binary,
                launch.tiling_key,
                (launch.block_dim, launch.need_atomic != 0),
                (slice("tiling data", launch.tiling_data.cast::<u8>(), bytes)?, other),
                slice("workspace sizes", launch.workspaces, launch.workspace_num as usize)?,
                slice("inputs", inputs, input_num)?,
                slice("outputs", outputs, output_num)?,
            )
        }
    };
    status(body())
}

/// # Safety
/// As `plan_mut`; `name` is NUL-terminated, the operands are valid for the numbers that come with them, and `context` is
/// what `call` and `drop` take on any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_call(
    plan: *mut Plan,
    name: *const c_char,
    call: Option<host_call::Function>,
    context: *mut c_void,
    drop: Option<host_call::Drop>,
    inputs: *const HcOperand,
    input_num: usize,
    outputs: *const HcOperand,
    output_num: usize,
) -> i32 {
    // From here on the context is given back whatever happens.
    let context = host_call::Context::new(context, drop);
    let body = || {
        let Some(call) = call else { fail!(NN_NULLPTR, "hc_plan_add_call: the function is a null pointer") };
        // SAFETY: by this function's contract.
        unsafe {
            let call = HostCall::new(text(name).into_owned(), call, context);
            plan_mut(plan)?.add_call(call, slice("inputs", inputs, input_num)?, slice("outputs", outputs, output_num)?)
        }
    };
    status(body())
}

/// # Safety
/// As `plan_mut`; the pointers are valid, strides and dims for `rank` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_copy(
    plan: *mut Plan,
    dst: *const HcStrided,
    src: *const HcStrided,
    dims: *const i64,
    rank: u64,
    element_size: u64,
) -> i32 {
    let body = || {
        // SAFETY: by this function's contract.
        unsafe {
            let (Some(dst), Some(src)) = (dst.as_ref(), src.as_ref()) else {
                fail!(NN_NULLPTR, "hc_plan_add_copy: destination or source is a null pointer");
            };
            let rank = rank as usize;
            let to = slice("destination strides", dst.strides, rank)?;
            let from = slice("source strides", src.strides, rank)?;
            plan_mut(plan)?.add_copy((dst, to), (src, from), slice("dims", dims, rank)?, element_size)
        }
    };
    status(body())
}

/// # Safety
/// As `plan_mut`; the pointers are valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_cast(
    plan: *mut Plan,
    dst: *const HcOperand,
    dst_dtype: i32,
    src: *const HcOperand,
    src_dtype: i32,
    count: u64,
) -> i32 {
    let body = || {
        // SAFETY: by this function's contract.
        unsafe {
            let (Some(dst), Some(src)) = (dst.as_ref(), src.as_ref()) else {
                fail!(NN_NULLPTR, "hc_plan_add_cast: destination or source is a null pointer");
            };
            plan_mut(plan)?.add_cast(dst, dst_dtype, src, src_dtype, count)
        }
    };
    status(body())
}

/// # Safety
/// As `plan_mut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_workspace_size(plan: *mut Plan) -> u64 {
    // SAFETY: by this function's contract.
    unsafe { plan_mut(plan) }.and_then(Plan::workspace_size).unwrap_or_else(|failure| {
        failure.raise();
        0
    })
}

/// # Safety
/// `plan` is null or a live plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_linear_workspace_size(plan: *const Plan) -> u64 {
    // SAFETY: by this function's contract.
    unsafe { plan.as_ref() }.map_or(0, Plan::linear_workspace_size)
}

/// # Safety
/// `plan` is null or a live plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_redirect_count(plan: *const Plan) -> usize {
    // SAFETY: by this function's contract.
    unsafe { plan.as_ref() }.map_or(0, Plan::redirect_count)
}

/// # Safety
/// `plan` is null or a live plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_node_count(plan: *const Plan) -> usize {
    // SAFETY: by this function's contract.
    unsafe { plan.as_ref() }.map_or(0, |p| p.nodes.len())
}

/// # Safety
/// `plan` is null or a live plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_text(plan: *const Plan) -> *const c_char {
    thread_local! {
        static TEXT: RefCell<CString> = RefCell::default();
    }
    // SAFETY: by this function's contract.
    let nodes = unsafe { plan.as_ref() }.map_or(&[][..], |p| &p.nodes);
    let lines: Vec<String> = nodes.iter().map(ToString::to_string).collect();
    let text = CString::new(lines.join("\n")).unwrap_or_default();
    TEXT.with(|t| {
        *t.borrow_mut() = text;
        t.borrow().as_ptr()
    })
}

/// # Safety
/// As `plan_mut`; the workspace stays valid until the stream has run the nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_run(
    plan: *mut Plan,
    workspace: *mut c_void,
    workspace_size: u64,
    stream: *mut c_void,
) -> i32 {
    refuse_forked!();
    let body = || {
        // SAFETY: by this function's contract.
        let jobs = unsafe { plan_mut(plan) }?.bind(workspace as usize, workspace_size)?;
        if jobs.is_empty() {
            return Ok(());
        }
        let stream = crate::device::context::resolve(stream)
            .map_err(|f| Failure::new(codes::NN_RUNTIME_ERROR, format!("[{}] {}", f.code, f.message)))?;
        for job in jobs {
            stream.submit(Box::new(move || job.run()))?;
        }
        Ok(())
    };
    status(body())
}

/// # Safety
/// `failed` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_stream_wait(stream: *mut c_void, failed: *mut i32) -> i32 {
    refuse_forked!();
    let wait = || Ok(i32::from(crate::device::context::resolve(stream)?.has_failed()?));
    // SAFETY: by this function's contract.
    unsafe { put("hc_stream_wait", "failed", failed, wait) }
}
