//! The C ABI that kernel objects call; `hostcann/aicore_abi.h` is made from it.
//!
//! Each function fetches the core of its thread once. A fault leaves by unwinding through the kernel's C++ frames.

pub use crate::base::ins::{
    AtomicOp, Buffer, CmpMode, CopyIns, CopyKind, Direction, Dtype, Form, GmAccess, Opcode, Operand, QueueCount,
    ReduceOrder, SelMode, Spr, VecIns,
};
pub use crate::base::matmul::{
    MatmulKind, MatmulOperand, MatmulOut, MatmulPlace, MatmulRole, MatmulSetting, MatmulTypes,
};
pub use crate::machine::debug::DumpIns;
pub use crate::vector::adv::AdvCall;

use crate::{
    base::{
        fault::{FaultClass, Raise},
        matmul::TILING_WORDS,
        pipe::Pipe,
        site::Site,
    },
    launch::{
        crash,
        icpu::{aic_gm_alloc, aic_gm_free, aic_icpu_run, aic_last_error},
    },
    machine::{
        atomic::Atomic,
        barrier::{Meeting, Stop, Wait},
        core::Core,
        debug, mte,
        observe::Step,
        spr::Ctrl,
    },
};
use std::{
    ffi::{CStr, c_char, c_void},
    panic::resume_unwind,
    sync::atomic::Ordering,
};

/// Changes when a layout, a number or the meaning of a function changes.
pub const ABI_VERSION: u32 = 4;

#[cold]
fn outside() -> ! {
    eprintln!("hostcann: a kernel function was called outside of a launch. Fix: run kernels with aclnn or ICPU_RUN_KF");
    std::process::abort()
}

#[cold]
fn leave(core: &mut Core, raise: Raise) -> ! {
    let fault = core.fault(raise);
    // No panic hook: the fault is a result of the launch, not a crash of the host.
    resume_unwind(Box::new(fault))
}

/// Runs `f` on the thread's core for the call at `pc`; an error unwinds.
#[inline(always)]
fn on_core<T>(pc: usize, f: impl FnOnce(&mut Core) -> Result<T, Raise>) -> T {
    let core = Core::current();
    if core.is_null() {
        outside();
    }
    // SAFETY: the engine set it for the time the kernel runs on this thread, and nothing else uses it meanwhile.
    let core = unsafe { &mut *core };
    core.observation.site = Site(pc);
    if core.launch.late.load(Ordering::Relaxed) && !core.launch.faulted {
        leave(core, crash::late());
    }
    match f(core) {
        Ok(v) => v,
        Err(r) => leave(core, r),
    }
}

/// Meets the other cores, its own pipes done.
fn meet(c: &mut Core, meeting: Meeting) -> Result<(), Raise> {
    c.barrier(Pipe::ALL as u32)?;
    c.observe(Step::SyncAll)?;
    wait(c, Wait::Meet(meeting))
}

/// Waits for other cores; when one of them stops the launch, this one unwinds without a fault of its own.
fn wait(c: &mut Core, wait: Wait) -> Result<(), Raise> {
    match c.wait_for(wait) {
        Ok(()) => Ok(()),
        Err(Stop::Fault(r)) => Err(r),
        Err(Stop::Released) => c.launch.released(),
    }
}

/// The functions behind the entries that pass on the address they return to.
struct WithSite;

/// Register of an integer argument.
#[cfg(target_arch = "x86_64")]
macro_rules! register {
    (0) => {
        "rdi"
    };
    (1) => {
        "rsi"
    };
    (2) => {
        "rdx"
    };
    (3) => {
        "rcx"
    };
    (4) => {
        "r8"
    };
}

/// One exported function. `[pc: n]` after the arguments makes it a trampoline that appends its return address as
/// argument number n: stable Rust has no other way to it that costs a single instruction.
macro_rules! entry {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $t:ty),*) [] ($($ret:tt)*) $body:block) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// Pointers are valid for the access the header describes; called from a kernel the engine runs.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name($($arg: $t),*) $($ret)* $body
    };
    ($(#[$doc:meta])* $name:ident($($arg:ident: $t:ty),*) [$pc:ident $n:tt] ($($ret:tt)*) $body:block) => {
        impl WithSite {
            unsafe extern "C-unwind" fn $name($($arg: $t,)* $pc: usize) $($ret)* $body
        }

        $(#[$doc])*
        ///
        /// # Safety
        /// Pointers are valid for the access the header describes; called from a kernel the engine runs.
        #[cfg(target_arch = "x86_64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C-unwind" fn $name($($arg: $t),*) $($ret)* {
            core::arch::naked_asm!(
                concat!("mov ", register!($n), ", [rsp]"),
                "jmp {f}",
                f = sym WithSite::$name
            )
        }

        $(#[$doc])*
        ///
        /// # Safety
        /// Pointers are valid for the access the header describes; called from a kernel the engine runs.
        #[cfg(target_arch = "aarch64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C-unwind" fn $name($($arg: $t),*) $($ret)* {
            core::arch::naked_asm!(concat!("mov x", $n, ", x30"), "b {f}", f = sym WithSite::$name)
        }

        $(#[$doc])*
        ///
        /// # Safety
        /// Pointers are valid for the access the header describes; called from a kernel the engine runs.
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name($($arg: $t),*) $($ret)* {
            // SAFETY: as promised by the caller.
            unsafe { WithSite::$name($($arg,)* 0) }
        }
    };}

fn truncated(pipe: Pipe, instruction: String, field: &str, given: i64, bits: u32) -> Raise {
    let most = (1i64 << bits.min(62)) - 1;
    let fix = match field {
        "repeatTime" => "split the work into calls of at most 255 repeats, or use the count form",
        "blockLen" => "use DataCopyExtParams, whose blockLen has 32 bits, or split the copy",
        "blockCount" => "split the copy into several calls",
        "leftPadding" | "rightPadding" => "pad with Duplicate before the copy",
        _ => "lay the data out so that the stride fits, or loop over smaller parts",
    };
    let what = "the value does not fit its field: the device keeps the low bits without a message";
    Raise::new(FaultClass::Argument, pipe, instruction, what)
        .silent()
        .operand(field)
        .expected(format!("0 to {most}"))
        .got(format!("{given}, which becomes {}", given & most))
        .fix(fix)
}

macro_rules! abi {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($arg:ident: $t:ty),*) $([$pc:ident: $n:tt])? $(-> $ret:ty)? $body:block
    )+) => {
        $(entry! { $(#[$doc])* $name($($arg: $t),*) [$($pc $n)?] ($(-> $ret)?) $body })+

        /// Name and address of every exported function. A test executable that loads kernels keeps them alive with it.
        pub fn exports() -> Vec<(&'static str, *const c_void)> {
            vec![
                $((stringify!($name), $name as *const c_void),)+
                ("aic_gm_alloc", aic_gm_alloc as *const c_void),
                ("aic_gm_free", aic_gm_free as *const c_void),
                ("aic_icpu_run", aic_icpu_run as *const c_void),
                ("aic_last_error", aic_last_error as *const c_void),
            ]
        }
    };
}

abi! {
    /// Version of this interface.
    fn aic_abi_version() -> u32 {
        ABI_VERSION
    }

    /// Issues a vector instruction.
    fn aic_vector(ins: *const VecIns) [pc: 1] {
        // SAFETY: the instruction is the caller's and valid, says the header.
        on_core(pc, |c| if c.is_cube() { Ok(()) } else { c.issue(unsafe { &*ins }) })
    }

    /// Issues a copy.
    fn aic_copy(ins: *const CopyIns) [pc: 1] {
        // SAFETY: as for `aic_vector`.
        on_core(pc, |c| mte::execute(c, unsafe { &*ins }))
    }

    /// SetFlag.
    fn aic_set_flag(event: u32, id: i32) [pc: 2] {
        on_core(pc, |c| c.set_flag(event, id))
    }

    /// WaitFlag.
    fn aic_wait_flag(event: u32, id: i32) [pc: 2] {
        on_core(pc, |c| c.wait_flag(event, id))
    }

    /// PipeBarrier.
    fn aic_barrier(pipe: u32) [pc: 1] {
        on_core(pc, |c| c.barrier(pipe))
    }

    /// AllocEventID.
    fn aic_event_alloc(event: u32) [pc: 1] -> i32 {
        on_core(pc, |c| c.event_alloc(event))
    }

    /// FetchEventID.
    fn aic_event_fetch(event: u32) [pc: 1] -> i32 {
        on_core(pc, |c| c.machine.events.fetch(event))
    }

    /// ReleaseEventID.
    fn aic_event_release(event: u32, id: i32) [pc: 2] {
        on_core(pc, |c| c.event_release(event, id))
    }

    /// SetMaskCount (1) and SetMaskNorm (0).
    fn aic_mask_mode(counter: u32) [pc: 1] {
        on_core(pc, |c| c.mask_mode(counter != 0))
    }

    /// SetVectorMask: lane bits, or the element count in `low`.
    fn aic_mask_set(high: u64, low: u64) [pc: 2] {
        on_core(pc, |c| c.mask_set([low, high]))
    }

    /// ResetMask.
    fn aic_mask_reset() [pc: 0] {
        on_core(pc, |c| c.mask_reset())
    }

    /// SetDeqScale: the bits of the register.
    fn aic_deq_scale(bits: u64) [pc: 1] {
        on_core(pc, |c| { c.machine.deq_scale = Some(bits); Ok(()) })
    }

    /// SetPadValue with the bits of an element.
    fn aic_pad_value(bits: u64) [pc: 1] {
        on_core(pc, |c| { c.machine.pad_value = Some(bits); Ok(()) })
    }

    /// The control register: saturation modes.
    fn aic_ctrl() [pc: 0] -> u64 {
        on_core(pc, |c| Ok(c.machine.ctrl.0))
    }

    /// Sets the control register.
    fn aic_set_ctrl(bits: u64) [pc: 1] {
        on_core(pc, |c| { c.machine.ctrl = Ctrl(bits); Ok(()) })
    }

    /// Addresses of the blocks of TransDataTo5HD, 16 each.
    fn aic_address_lists(dst: *const u64, src: *const u64) [pc: 2] {
        on_core(pc, |c| {
            // SAFETY: 16 addresses each, says the header.
            c.machine.spr.address_lists = [dst, src].map(|list| unsafe { (list as *const [u64; 16]).read_unaligned() });
            Ok(())
        })
    }

    /// Reads a special register.
    fn aic_spr(which: u32) [pc: 1] -> u64 {
        on_core(pc, |c| c.machine.spr.read(which))
    }

    /// CheckLocalMemoryIA: an exception register. Blocks of 32 bytes after `start` up to `end`; bits of kinds: reads and writes
    /// by scalars, vectors and copies, and bit 6 switches the register on.
    fn aic_local_watch(index: u32, start: u32, end: u32, kinds: u32) [pc: 4] {
        on_core(pc, |c| c.watch_local(index, start, end, kinds))
    }

    /// SetAtomicAdd, SetAtomicMax, SetAtomicMin with an element type; sticky. `op`: AIC_ATOMIC_*.
    fn aic_atomic(op: u32, dtype: u32) [pc: 2] {
        on_core(pc, |c| c.set_atomic(Atomic::from_codes(op, dtype)?))
    }

    /// SetAtomicType: the element type, for the operation that is set, or a sum.
    fn aic_atomic_type(dtype: u32) [pc: 1] {
        on_core(pc, |c| {
            let op = c.machine.atomic.map_or(AtomicOp::Add, |a| a.op);
            c.set_atomic(Atomic::from_codes(op as u32, dtype)?)
        })
    }

    /// GetStoreAtomicConfig: the operation in the high half, the element type in the low half, or 0.
    fn aic_atomic_state() [pc: 0] -> u32 {
        on_core(pc, |c| Ok(c.machine.atomic.map_or(0, |a| (a.op as u32) << 16 | a.dtype as u32)))
    }

    /// ReadGmByPassDCache and WriteGmByPassDCache are about to happen: other cores may wait for it in a loop.
    fn aic_gm_bypass(addr: *const c_void, bytes: u32, write: u32) [pc: 3] {
        on_core(pc, |c| c.gm_bypass(addr as usize, bytes, write != 0))
    }

    /// GetProgramCounter.
    fn aic_program_counter() [pc: 0] -> i64 {
        on_core(pc, |_| Ok(pc as i64))
    }

    /// SyncAll of the vector cores, or with `cubes` of all cores.
    fn aic_sync_all(cubes: u32) [pc: 1] {
        on_core(pc, |c| meet(c, if cubes != 0 { Meeting::All } else { Meeting::Hard }))
    }

    /// SyncAll through a workspace; `used_cores` 0 means all blocks.
    fn aic_sync_soft(gm: *mut c_void, ub: *const Operand, used_cores: i32) [pc: 3] {
        on_core(pc, |c| {
            // SAFETY: as for `aic_vector`.
            let meeting = c.soft_sync(gm as usize, unsafe { *ub }, used_cores)?;
            meet(c, meeting)
        })
    }

    /// CrossCoreSetFlag.
    fn aic_cross_set(mode: u32, pipe: u32, flag: u32) [pc: 3] {
        on_core(pc, |c| c.cross_set(mode, pipe, flag))
    }

    /// CrossCoreWaitFlag.
    fn aic_cross_wait(flag: u32) [pc: 1] {
        on_core(pc, |c| {
            let until = c.cross_wait(flag)?;
            wait(c, until)
        })
    }

    /// IBSet (`set` 1) and IBWait (0) on the word of a core and an event; all pipes are done before and after.
    fn aic_exchange(gm: *mut c_void, set: u32) [pc: 2] {
        on_core(pc, |c| {
            c.barrier(Pipe::ALL as u32)?;
            let until = c.exchange(gm as usize, set != 0)?;
            wait(c, until)
        })
    }

    /// InitDetermineComputeWorkspace.
    fn aic_turns_init(gm: *mut c_void, ub: *const Operand) [pc: 2] {
        on_core(pc, |c| {
            c.barrier(Pipe::ALL as u32)?;
            // SAFETY: as for `aic_vector`.
            c.turns_init(gm as usize, unsafe { *ub })
        })
    }

    /// WaitPreBlock.
    fn aic_turn_wait(gm: *mut c_void, ub: *const Operand) [pc: 2] {
        on_core(pc, |c| {
            c.barrier(Pipe::ALL as u32)?;
            // SAFETY: as for `aic_vector`.
            let until = c.turn_wait(gm as usize, unsafe { *ub })?;
            wait(c, until)
        })
    }

    /// NotifyNextBlock.
    fn aic_turn_done(gm: *mut c_void, ub: *const Operand) [pc: 2] {
        on_core(pc, |c| {
            c.barrier(Pipe::ALL as u32)?;
            // SAFETY: as for `aic_vector`.
            c.turn_done(gm as usize, unsafe { *ub })
        })
    }

    /// GroupBarrier::Arrive: one more for each of `waiting` cores.
    fn aic_group_arrive(gm: *mut c_void, waiting: u32) [pc: 2] {
        on_core(pc, |c| {
            c.barrier(Pipe::ALL as u32)?;
            c.group_arrive(gm as usize, waiting)
        })
    }

    /// GroupBarrier::Wait: until `arrivals` are counted for a waiting core.
    fn aic_group_wait(gm: *mut c_void, slot: u32, arrivals: u32) [pc: 3] {
        on_core(pc, |c| {
            c.barrier(Pipe::ALL as u32)?;
            let until = c.group_wait(gm as usize, slot, arrivals)?;
            wait(c, until)
        })
    }

    /// Host address of element `index` of a tensor, `bytes` bytes long.
    fn aic_ub_scalar(tensor: *const Operand, index: u32, bytes: u32, write: u32) [pc: 4] -> *mut c_void {
        // SAFETY: the tensor is valid, says the header.
        on_core(pc, |c| c.ub_scalar(unsafe { *tensor }, index, bytes, write != 0)) as *mut c_void
    }

    /// DataCacheCleanAndInvalid of the line at `addr`, or of the whole cache.
    fn aic_dcci(addr: *const c_void, whole: u32) [pc: 2] {
        on_core(pc, |c| c.clean_cache((whole == 0).then_some(addr as usize)))
    }

    /// Checks a scalar access to global memory. `write`: AIC_GM_*.
    fn aic_gm_scalar(addr: *const c_void, bytes: u32, write: u32) [pc: 3] {
        on_core(pc, |c| {
            let access = GmAccess::from_code(write).unwrap_or(GmAccess::Reference);
            c.gm_scalar(addr as usize, bytes, access)
        })
    }

    /// Copies tiling data out of global memory. `padding`: null, or a nonzero byte for every byte that is padding.
    fn aic_load_tiling(dst: *mut c_void, src: *const c_void, bytes: u64, padding: *const u8) [pc: 4] {
        on_core(pc, |c| {
            let bytes = bytes as usize;
            // SAFETY: null, or a byte for each of `bytes`, says the header.
            let padding = (!padding.is_null()).then(|| unsafe { std::slice::from_raw_parts(padding, bytes) });
            c.tiling_read(src as usize, bytes, padding)?;
            // SAFETY: `dst` is the caller's struct of this size, and the address of tiling data was checked.
            unsafe { std::ptr::copy_nonoverlapping(src as *const u8, dst as *mut u8, bytes) };
            Ok(())
        })
    }

    /// The kernel keeps a pointer to its tiling data.
    fn aic_tiling_pointer(src: *const c_void) [pc: 1] {
        on_core(pc, |c| c.tiling_read(src as usize, 0, None))
    }

    /// GetBlockIdx.
    fn aic_block_idx() [pc: 0] -> i64 {
        on_core(pc, |c| Ok(c.launch.place.index() as i64))
    }

    /// GetBlockNum.
    fn aic_block_num() [pc: 0] -> i64 {
        on_core(pc, |c| Ok(c.launch.place.blocks as i64))
    }

    /// GetSubBlockIdx.
    fn aic_sub_block() [pc: 0] -> i64 {
        on_core(pc, |c| Ok(c.launch.place.sub_block() as i64))
    }

    /// GetTaskRation: vector cores of a block.
    fn aic_task_ratio() [pc: 0] -> i64 {
        on_core(pc, |c| Ok(c.launch.place.task.vectors.max(1) as i64))
    }

    /// Whether this is a cube core.
    fn aic_is_cube() [pc: 0] -> u32 {
        on_core(pc, |c| Ok(c.is_cube() as u32))
    }

    /// GetSystemCycle.
    fn aic_system_cycle() -> i64 {
        debug::system_cycle()
    }

    /// SetSysWorkspace: the first call counts, unless forced.
    fn aic_set_sys_workspace(gm: *mut c_void, force: u32) [pc: 2] {
        on_core(pc, |c| {
            if c.launch.sys_workspace == 0 || force != 0 {
                c.launch.sys_workspace = gm as usize;
            }
            Ok(())
        })
    }

    /// What SetSysWorkspace set.
    fn aic_sys_workspace() [pc: 0] -> *mut c_void {
        on_core(pc, |c| Ok(c.sys_workspace() as *mut c_void))
    }

    /// printf.
    fn aic_print(text: *const c_char) [pc: 1] {
        // SAFETY: the text is a C string, says the header.
        on_core(pc, |c| { c.launch.print(&unsafe { CStr::from_ptr(text) }.to_string_lossy()); Ok(()) })
    }

    /// Checks the operands of a high-level function.
    fn aic_adv(call: *const AdvCall) [pc: 1] {
        // SAFETY: the call and its name are valid, says the header.
        on_core(pc, |c| unsafe { (*call).announce(c) })
    }

    /// DumpTensor.
    fn aic_dump(ins: *const DumpIns) [pc: 1] {
        on_core(pc, |c| {
            // SAFETY: as for `aic_vector`.
            let text = c.dump_text(unsafe { &*ins })?;
            c.launch.print(&text);
            Ok(())
        })
    }

    /// The tiling key of the launch.
    fn aic_tiling_key() [pc: 0] -> u64 {
        on_core(pc, |c| Ok(c.launch.tiling_key))
    }

    /// KERNEL_TASK_TYPE_DEFAULT, and KERNEL_TASK_TYPE for the tiling key of the launch, which counts before that of the
    /// kernel. `kind`: a KERNEL_TYPE_*.
    fn aic_kernel_type(kind: u32, keyed: u32) [pc: 2] {
        on_core(pc, |c| { c.named_type(kind, keyed != 0); Ok(()) })
    }

    /// REGIST_MATMUL_OBJ: 1 on a cube core that serves the objects of its vector cores, whose kernel ends. `cube_only`: the
    /// objects run on the cube core itself.
    fn aic_matmul_server(cube_only: u32) [pc: 1] -> u32 {
        on_core(pc, |c| c.matmul_server(cube_only != 0).map(u32::from))
    }

    /// Init of a Matmul object: its number, 0 for a new one; the 50 words of TCubeTiling. The result is its number.
    fn aic_matmul_init(id: u32, types: *const MatmulTypes, tiling: *const c_void) [pc: 3] -> u32 {
        // SAFETY: types and as many words, says the header.
        let (types, tiling) = unsafe { (*types, (tiling as *const [i32; TILING_WORDS]).read_unaligned()) };
        on_core(pc, |c| c.matmul_init(id, types, &tiling))
    }

    /// SetTensorA, SetTensorB, SetBias, SetQuantVector, SetWorkspace. `role`: AIC_MATMUL_ROLE_*.
    fn aic_matmul_tensor(id: u32, role: u32, at: *const MatmulOperand) [pc: 3] {
        // SAFETY: an operand, says the header.
        on_core(pc, |c| c.matmul_tensor(id, role, unsafe { *at }))
    }

    /// Shapes and switches: five values. `what`: AIC_MATMUL_SET_*.
    fn aic_matmul_set(id: u32, what: u32, values: *const i64) [pc: 3] {
        // SAFETY: five values, says the header.
        on_core(pc, |c| c.matmul_set(id, what, unsafe { &*(values as *const [i64; 5]) }))
    }

    /// Iterate: 0 when all blocks are done.
    fn aic_matmul_iterate(id: u32, partial: u32, sync: u32) [pc: 3] -> u32 {
        on_core(pc, |c| c.matmul_iterate(id, partial != 0, sync != 0).map(u32::from))
    }

    /// IterateAll.
    fn aic_matmul_all(id: u32, at: *const MatmulOperand, how: *const MatmulOut) [pc: 3] {
        // SAFETY: an operand and how it is written, says the header.
        on_core(pc, |c| unsafe { c.matmul_all(id, *at, *how) })
    }

    /// GetTensorC.
    fn aic_matmul_get(id: u32, at: *const MatmulOperand, how: *const MatmulOut) [pc: 3] {
        // SAFETY: as for `aic_matmul_all`.
        on_core(pc, |c| unsafe { c.matmul_get(id, *at, *how) })
    }

    /// GetTensorC of an asynchronous Iterate without a tensor: where the next block lies.
    fn aic_matmul_next(id: u32) [pc: 1] -> *mut c_void {
        on_core(pc, |c| c.matmul_next(id)) as *mut c_void
    }

    /// WaitIterateAll.
    fn aic_matmul_wait(id: u32) [pc: 1] {
        on_core(pc, |c| c.matmul_wait(id))
    }

    /// End of a Matmul object.
    fn aic_matmul_end(id: u32) [pc: 1] {
        on_core(pc, |c| c.matmul_end(id))
    }

    /// The arguments of the kernel and its tiling data, one after the other.
    fn aic_para_base() [pc: 0] -> *const c_void {
        on_core(pc, |c| c.parameters()) as *const c_void
    }

    /// Start of a TPipe's life.
    fn aic_pipe_open(pipe: *mut c_void) [pc: 1] {
        on_core(pc, |c| c.pipe_open(pipe as usize))
    }

    /// A TPipe takes over the state of another one.
    fn aic_pipe_copy(to: *mut c_void, from: *const c_void) [pc: 2] {
        on_core(pc, |c| { c.machine.queues.copy_pipe(to as usize, from as usize); Ok(()) })
    }

    /// End of a TPipe's life; `all`: wait for every pipe. Called from a destructor: never unwinds, does nothing while a fault
    /// is on its way.
    fn aic_pipe_close(all: u32) [pc: 1] {
        let core = Core::current();
        if core.is_null() {
            return;
        }
        // SAFETY: as in `on_core`.
        let core = unsafe { &mut *core };
        if core.launch.faulted {
            return;
        }
        core.observation.site_before_close = std::mem::replace(&mut core.observation.site, Site(pc));
        if let Err(r) = core.pipe_close(all != 0) {
            let fault = core.fault(r);
            core.launch.pending.get_or_insert(fault);
        }
    }

    /// TPipe::Reset.
    fn aic_pipe_reset() [pc: 0] {
        on_core(pc, |c| c.pipe_reset())
    }

    /// The live TPipe.
    fn aic_pipe_current() [pc: 0] -> *mut c_void {
        on_core(pc, |c| {
            if c.machine.queues.pipe() == 0 {
                return Err(Raise::new(FaultClass::Queue, Pipe::S, "GetTPipePtr", "there is no TPipe")
                    .expected("a live TPipe")
                    .got("none")
                    .fix("construct a TPipe in the kernel function first"));
            }
            Ok(c.machine.queues.pipe() as *mut c_void)
        })
    }

    /// InitBuffer of a queue; the result identifies it.
    fn aic_queue_init(depth: u32, num: u32, len: u32) [pc: 3] -> u32 {
        on_core(pc, |c| c.queue_init(depth, num, len))
    }

    /// InitStartBufHandle: a queue whose buffers `aic_queue_place` puts somewhere; the result identifies it.
    fn aic_queue_begin(depth: u32, num: u32) [pc: 2] -> u32 {
        on_core(pc, |c| c.queue_begin(depth, num))
    }

    /// InitBufHandle of a queue.
    fn aic_queue_place(que: u32, index: u32, addr: u32, len: u32) [pc: 4] {
        on_core(pc, |c| c.queue_place(que, index, addr, len))
    }

    /// InitBufHandle of a TBuf.
    fn aic_tbuf_place(addr: u32, len: u32) [pc: 2] -> Buffer {
        on_core(pc, |c| c.tbuf_place(addr, len))
    }

    /// InitBufPool.
    fn aic_pool_init(len: u32) [pc: 1] -> Buffer {
        on_core(pc, |c| c.pool_init(len))
    }

    /// FreeAllEvent.
    fn aic_queue_settle(que: u32) [pc: 1] {
        on_core(pc, |c| c.queue_settle(que))
    }

    /// Keeps bytes next to a tensor for the length of the kernel; equal bytes have the same number, which is never 0.
    fn aic_note(bytes: *const c_void, len: u32) [pc: 2] -> u32 {
        // SAFETY: `bytes` has `len` bytes, says the header.
        on_core(pc, |c| Ok(c.launch.notes.keep(unsafe { std::slice::from_raw_parts(bytes as *const u8, len as usize) })))
    }

    /// The bytes of a number of `aic_note`; NULL for 0.
    fn aic_noted(note: u32) [pc: 1] -> *const c_void {
        on_core(pc, |c| Ok(c.launch.notes.bytes(note) as *const c_void))
    }

    /// LocalTensor::Print.
    fn aic_tensor_print(ins: *const DumpIns) [pc: 1] {
        on_core(pc, |c| {
            // SAFETY: as for `aic_vector`.
            let text = c.machine.print_text(unsafe { &*ins })?;
            c.launch.print(&text);
            Ok(())
        })
    }

    /// LocalTensor::ToFile: 0 when the file is written.
    fn aic_tensor_file(ub: *const Operand, name: *const c_char) [pc: 2] -> i32 {
        // SAFETY: a tensor and a C string, says the header.
        on_core(pc, |c| c.machine.tensor_file(unsafe { *ub }, &unsafe { CStr::from_ptr(name) }.to_string_lossy()))
    }

    /// InitBuffer of a TBuf.
    fn aic_tbuf_init(len: u32) [pc: 1] -> Buffer {
        on_core(pc, |c| c.tbuf_init(len))
    }

    /// A tensor of a TBuf that ends behind its buffer: the call and both ends.
    fn aic_tbuf_exceeded(name: *const c_char, end: u64, bytes: u32) [pc: 3] {
        // SAFETY: a C string, says the header.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        on_core(pc, |c| c.tbuf_exceeded(name, end, bytes))
    }

    /// PopStackBuffer.
    fn aic_pop_stack() [pc: 0] -> Buffer {
        on_core(pc, |c| c.pop_stack(false))
    }

    /// The buffer of Fill, InitGlobalMemory and InitOutput.
    fn aic_fill_stack() [pc: 0] -> Buffer {
        on_core(pc, |c| c.pop_stack(true))
    }

    /// AllocTensor.
    fn aic_queue_alloc(que: u32) [pc: 1] -> Buffer {
        on_core(pc, |c| c.queue_alloc(que))
    }

    /// EnQue.
    fn aic_queue_enque(que: u32, handle: u32, event: u32) [pc: 3] {
        on_core(pc, |c| c.queue_enque(que, handle, event))
    }

    /// DeQue.
    fn aic_queue_deque(que: u32) [pc: 1] -> Buffer {
        on_core(pc, |c| c.queue_deque(que))
    }

    /// FreeTensor.
    fn aic_queue_free(que: u32, handle: u32, event: u32) [pc: 3] {
        on_core(pc, |c| c.queue_free(que, handle, event))
    }

    /// `what`: AIC_QUEUE_*: tensors in the queue, free places, whether AllocTensor would succeed.
    fn aic_queue_query(que: u32, what: u32) [pc: 2] -> u32 {
        on_core(pc, |c| c.machine.queues.query(que, what))
    }

    /// A value that does not fit the field of `bits` bits of a vector instruction that it was put into. Returns only where the
    /// instruction does not use it.
    fn aic_vector_truncated(ins: *const VecIns, field: *const c_char, given: i64, bits: u32) [pc: 4] {
        on_core(pc, |c| {
            // SAFETY: the name is a C string and the instruction valid, says the header.
            let field = unsafe { CStr::from_ptr(field) }.to_string_lossy();
            // In counter mode the hardware derives the repeats from the mask.
            if field == "repeatTime" && c.machine.mask.counter {
                return Ok(());
            }
            // SAFETY: as above.
            Err(truncated(Pipe::V, unsafe { &*ins }.name(), &field, given, bits))
        })
    }

    /// The same for a copy.
    fn aic_copy_truncated(ins: *const CopyIns, field: *const c_char, given: i64, bits: u32) [pc: 4] {
        on_core(pc, |_| {
            // SAFETY: as for `aic_vector_truncated`.
            let (ins, field) = unsafe { (&*ins, CStr::from_ptr(field).to_string_lossy()) };
            Err(truncated(ins.pipe(), ins.name(), &field, given, bits))
        })
    }

    /// A call that exists upstream and is not modelled. Does not return.
    fn aic_unsupported(name: *const c_char) [pc: 1] {
        on_core(pc, |_| {
            // SAFETY: the name is a C string, says the header.
            let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
            Err(Raise::unsupported(Pipe::S, &name))
        })
    }

    /// An assertion of the kernel that failed. Does not return.
    fn aic_assert(expr: *const c_char, file: *const c_char, line: u32, text: *const c_char) [pc: 4] {
        on_core(pc, |_| {
            // SAFETY: all texts are C strings, says the header.
            let string = |p: *const c_char| unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned();
            Err(debug::assertion(&string(expr), &string(file), line, &string(text)))
        })
    }

    /// A C++ exception left the kernel: what it says, or its type; may be null. Does not return; the place is the kernel's
    /// last call.
    fn aic_thrown(text: *const c_char) {
        let core = Core::current();
        if core.is_null() {
            outside();
        }
        // SAFETY: null or a C string, says the header; the core as in `on_core`.
        let (text, core) = unsafe { ((!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy()), &mut *core) };
        leave(core, crash::thrown(core, text.as_deref().unwrap_or("of an unknown type")))
    }

    /// A misuse the façade found: instruction, operand, what, expected, fix and the value. Does not return.
    fn aic_misuse(instruction: *const c_char, operand: *const c_char, what: *const c_char, expected: *const c_char, got: i64, fix: *const c_char) {
        on_core(0, |_| {
            // SAFETY: all texts are C strings, says the header.
            let text = |p: *const c_char| unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned();
            Err(Raise::new(FaultClass::Argument, Pipe::S, text(instruction), text(what))
                .operand(text(operand))
                .expected(text(expected))
                .got(got.to_string())
                .fix(text(fix)))
        })
    }
}
