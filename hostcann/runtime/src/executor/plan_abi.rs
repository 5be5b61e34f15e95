//! The `hc_plan_*` functions of `hostcann/host_abi.h`.

use crate::base::failure::{Failure, Outcome, codes, put, status};
use crate::base::host_abi::{
    HcDrop, HcHostCall, HcLaunch, HcMemory, HcOperand, HcStatus, HcStorage, HcStrided, HcTensor, slice, text,
};
use crate::package::kernel_binary::KernelBinary;
use crate::plan::bound::AlignedBytes;
use crate::plan::executor_plan::{Plan, Storage};
use crate::plan::host_call::{Context, HostCall};
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

/// Functions that return a storage report an error and return 0xFFFFFFFF on failure.
#[unsafe(no_mangle)]
pub extern "C" fn hc_plan_new() -> *mut Plan {
    Box::into_raw(Box::default())
}

/// Frees a plan; what was queued from it runs on.
///
/// # Safety
/// `plan` is null or came from hc_plan_new and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_free(plan: *mut Plan) {
    if !plan.is_null() {
        // SAFETY: by this function's contract.
        drop(unsafe { Box::from_raw(plan) });
    }
}

/// Memory of the user.
///
/// # Safety
/// As `plan_mut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_external(plan: *mut Plan, address: *mut c_void) -> HcStorage {
    // SAFETY: by this function's contract.
    unsafe { add(plan, || Ok(Storage::External(address as usize))) }
}

/// So many bytes of the workspace.
///
/// # Safety
/// As `plan_mut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_workspace(plan: *mut Plan, bytes: u64) -> HcStorage {
    // SAFETY: by this function's contract.
    unsafe { add(plan, || Ok(Storage::Workspace { bytes })) }
}

/// Copied, zero padded to 32 bytes.
///
/// # Safety
/// As `plan_mut`; `data` is valid for `bytes` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_host(plan: *mut Plan, data: *const c_void, bytes: u64) -> HcStorage {
    let storage = || {
        // SAFETY: by this function's contract.
        let data = unsafe { slice("host data", data.cast::<u8>(), bytes as usize) }?;
        Ok(Storage::Host(Arc::new(AlignedBytes::new(data, 32))))
    };
    // SAFETY: by this function's contract.
    unsafe { add(plan, storage) }
}

/// Memory with `words`, followed by the addresses the operands have when the plan runs.
///
/// # Safety
/// As `plan_mut`; the pointers are valid for the numbers that come with them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_list(
    plan: *mut Plan,
    words: *const u64,
    word_num: usize,
    tensors: *const HcOperand,
    tensor_num: usize,
) -> HcStorage {
    let body = || {
        // SAFETY: by this function's contract.
        unsafe { plan_mut(plan)?.add_list(slice("words", words, word_num)?, slice("tensors", tensors, tensor_num)?) }
    };
    body().unwrap_or_else(|failure| {
        failure.raise();
        NO_STORAGE
    })
}

/// External memory lies somewhere else now.
///
/// # Safety
/// As `plan_mut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_set_address(plan: *mut Plan, storage: HcStorage, address: *mut c_void) {
    // SAFETY: by this function's contract.
    status(unsafe { plan_mut(plan) }.and_then(|p| p.set_address(storage, address as usize)));
}

/// From now on `from` (a workspace storage) means `to` + byte_offset: a producer writes its consumer's memory
/// directly.
///
/// # Safety
/// As `plan_mut`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_redirect(
    plan: *mut Plan,
    from: HcStorage,
    to: HcStorage,
    byte_offset: u64,
) -> HcStatus {
    // SAFETY: by this function's contract.
    status(unsafe { plan_mut(plan) }.and_then(|p| p.redirect(from, to, byte_offset)))
}

/// The part of its memory that a tensor means. The memory becomes a storage of the plan at its first use.
///
/// # Safety
/// As `plan_mut`; the other pointers are null or valid, the address of host memory for its bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_operand(
    plan: *mut Plan,
    tensor: *const HcTensor,
    operand: *mut HcOperand,
) -> HcStatus {
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

/// The producer of the storage object `middle` writes where `out` is, whose address it follows at every run.
///
/// # Safety
/// As `hc_plan_operand`; `middle` is only compared.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_relate(plan: *mut Plan, out: *const HcTensor, middle: *const c_void) -> HcStatus {
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

/// Storage objects that were in the workspace and have an address of their own by now mean that address.
///
/// # Safety
/// As `plan_mut`; `memories` is valid for `num` of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_settle(plan: *mut Plan, memories: *const HcMemory, num: usize) -> HcStatus {
    // SAFETY: by this function's contract.
    status(unsafe { plan_mut(plan).and_then(|p| p.settle(slice("memories", memories, num)?)) })
}

/// External storage objects mean the address they have now; one whose tensor is gone is an error.
///
/// # Safety
/// As `hc_plan_settle`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_readdress(plan: *mut Plan, memories: *const HcMemory, num: usize) -> HcStatus {
    // SAFETY: by this function's contract.
    status(unsafe { plan_mut(plan).and_then(|p| p.readdress(slice("memories", memories, num)?)) })
}

/// Adds the launch of a kernel.
///
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
) -> HcStatus {
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

/// `drop` gets the context when neither the plan nor a run needs it any more, also when this function fails. Runs of
/// one plan may overlap.
///
/// # Safety
/// As `plan_mut`; `name` is NUL-terminated, the operands are valid for the numbers that come with them, and `context` is
/// what `call` and `drop` take on any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_add_call(
    plan: *mut Plan,
    name: *const c_char,
    call: Option<HcHostCall>,
    context: *mut c_void,
    drop: Option<HcDrop>,
    inputs: *const HcOperand,
    input_num: usize,
    outputs: *const HcOperand,
    output_num: usize,
) -> HcStatus {
    // From here on the context is given back whatever happens.
    let context = Context::new(context, drop);
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

/// Adds a copy between two strided views of the same dims.
///
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
) -> HcStatus {
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

/// Adds a conversion of `count` elements.
///
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
) -> HcStatus {
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

/// Each workspace storage takes align512(bytes + 32); storages whose lifetimes do not meet share memory.
///
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

/// Without sharing: each storage in the workspace and each workspace of a kernel for itself.
///
/// # Safety
/// `plan` is null or a live plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_linear_workspace_size(plan: *const Plan) -> u64 {
    // SAFETY: by this function's contract.
    unsafe { plan.as_ref() }.map_or(0, Plan::linear_workspace_size)
}

/// How many storages `hc_plan_redirect` has redirected.
///
/// # Safety
/// `plan` is null or a live plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_redirect_count(plan: *const Plan) -> usize {
    // SAFETY: by this function's contract.
    unsafe { plan.as_ref() }.map_or(0, Plan::redirect_count)
}

/// How many nodes the plan has.
///
/// # Safety
/// `plan` is null or a live plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_node_count(plan: *const Plan) -> usize {
    // SAFETY: by this function's contract.
    unsafe { plan.as_ref() }.map_or(0, |p| p.nodes.len())
}

/// One line for every node, in the order they run; valid until the calling thread's next call.
///
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

/// Queues every node on the stream and returns; addresses are bound now, so plan and tensors may be freed
/// afterwards. Operands must lie in memory of aclrtMalloc*: otherwise the node fails on the stream with 507035.
///
/// # Safety
/// As `plan_mut`; the workspace stays valid until the stream has run the nodes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_plan_run(
    plan: *mut Plan,
    workspace: *mut c_void,
    workspace_size: u64,
    stream: *mut c_void,
) -> HcStatus {
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

/// Waits for what is queued. `failed` is 1 when a task has failed; the next synchronisation returns its failure.
///
/// # Safety
/// `failed` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hc_stream_wait(stream: *mut c_void, failed: *mut i32) -> HcStatus {
    refuse_forked!();
    let wait = || Ok(i32::from(crate::device::context::resolve(stream)?.has_failed()?));
    // SAFETY: by this function's contract.
    unsafe { put("hc_stream_wait", "failed", failed, wait) }
}
