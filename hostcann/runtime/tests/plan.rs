//! Look-up of an installed operator and executor plans, with a kernel object compiled here.

#![expect(
    clippy::undocumented_unsafe_blocks,
    reason = "the test owns every handle, and every pointer outlives its call"
)]

mod common;
use common::*;
use std::ffi::{CStr, CString, c_char};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

const F32: i32 = 0;
const F16: i32 = 1;
const I32: i32 = 3;
const ND: i32 = 2;

/// Key 0: y = x1 + x2 (x1 alone if x2 is absent) over a tiling of {count, per block}; also writes the sum's block
/// index into the workspace if there is one. Key 1: a fault. Key 2: something that the model does not have. Key 3:
/// y += x1, six elements.
const KERNEL: &str = r#"
#include <cstdint>
extern "C" int64_t aic_block_idx(void);
extern "C" void aic_unsupported(const char* name);
extern "C" void aic_misuse(const char*, const char*, const char*, const char*, int64_t, const char*);
struct Tiling { uint32_t count, perBlock; };
struct Guard { int* out; ~Guard() { *out += 1; } };
extern "C" int unwound;
int unwound = 0;
extern "C" void Add_k_0(void* const* args)
{
    auto x1 = static_cast<const float*>(args[0]);
    auto x2 = static_cast<const float*>(args[1]);
    auto y = static_cast<float*>(args[2]);
    auto workspace = static_cast<int32_t*>(args[3]);
    auto tiling = static_cast<const Tiling*>(args[4]);
    if (reinterpret_cast<uintptr_t>(tiling) % 64 != 0) aic_unsupported("unaligned tiling");
    uint32_t block = static_cast<uint32_t>(aic_block_idx());
    if (workspace) workspace[block] = static_cast<int32_t>(block);
    for (uint32_t i = block * tiling->perBlock; i < (block + 1) * tiling->perBlock && i < tiling->count; i++) {
        y[i] = x1[i] + (x2 ? x2[i] : 0.0f);
    }
}
extern "C" void Add_k_1(void* const*)
{
    Guard guard{&unwound};
    aic_misuse("Add<float>", "src1", "address is not 32-byte aligned", "a multiple of 32", 20, "align it");
}
extern "C" void Add_k_3(void* const* args)
{
    for (int i = 0; i < 6; i++) static_cast<float*>(args[2])[i] += static_cast<const float*>(args[0])[i];
}
extern "C" void Add_k_2(void* const*) { aic_unsupported("Sort32"); }
"#;

const OPS_INFO: &str = r#"{"AddK": {"opFile": {"value": "add_k"},
 "input0": {"name": "x1", "dtype": "float32", "format": "ND", "paramType": "required"},
 "input1": {"name": "x2", "dtype": "float32", "format": "ND", "paramType": "optional"},
 "output0": {"name": "y", "dtype": "float32", "format": "ND", "paramType": "required"}},
 "Sum": {"opFile": {"value": "add_k"}, "input0": {"name": "x1", "dtype": "float32", "format": "ND", "paramType": "required"},
 "input1": {"name": "x2", "dtype": "float32", "format": "ND", "paramType": "required"}, "output0": {"name": "y", "dtype": "float32", "format": "ND", "paramType": "required", "initValue": "0"}},
 "SumFrom": {"opFile": {"value": "add_k"}, "input0": {"name": "x1", "dtype": "float32", "format": "ND", "paramType": "required"},
 "input1": {"name": "x2", "dtype": "float32", "format": "ND", "paramType": "required"}, "output0": {"name": "y", "dtype": "float32", "format": "ND", "paramType": "required", "initValue":
 "{\"is_list\": true, \"float32\": {\"type\": \"float32\", \"value\": 2.500000}}"}},
 "NoKernel": {"output0": {"name": "y", "dtype": "float32", "format": "ND", "paramType": "required"}}}"#;
const BIN_LIST: &str = r#"{"binList": [{"inputs": [{"dtype": "float32", "format": "ND"},
 {"dtype": "float32", "format": "ND"}], "outputs": [{"dtype": "float32", "format": "ND"}],
 "binInfo": {"jsonFilePath": "ascend910b/add_k/Add_k.json"}}]}"#;
const METADATA: &str = r#"{"binFileName": "Add_k", "binFileSuffix": ".o", "kernelName": "Add_k",
 "kernelList": [{"kernelName": "Add_k_0"}, {"kernelName": "Add_k_1"}, {"kernelName": "Add_k_2"},
 {"kernelName": "Add_k_3"}]}"#;

fn install(vendor: &Path) {
    let tbe = vendor.join("op_impl/ai_core/tbe");
    let write = |path: &str, text: &str| {
        let path = tbe.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("config/ascend910b/aic-ascend910b-ops-info.json", OPS_INFO);
    write("kernel/config/ascend910b/add_k.json", BIN_LIST);
    write("kernel/ascend910b/add_k/Add_k.json", METADATA);
    let source = vendor.join("kernel.cpp");
    std::fs::write(&source, KERNEL).unwrap();
    let output = Command::new("g++")
        .args(["-std=c++17", "-O2", "-fPIC", "-shared", "-o"])
        .arg(tbe.join("kernel/ascend910b/add_k/Add_k.o"))
        .arg(&source)
        .arg(format!("-L{}", root().join("lib64").display()))
        .arg("-lascendcl")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The library with the vendor package of this file installed.
fn set_up() -> &'static Api {
    static OPP: OnceLock<PathBuf> = OnceLock::new();
    OPP.get_or_init(|| {
        let opp = kept_dir("opp");
        install(&opp.join("vendors/test_math"));
        std::fs::write(opp.join("vendors/config.ini"), "load_priority=test_math\n").unwrap();
        // Before any other thread of this process reads the environment: every test starts here.
        unsafe {
            std::env::set_var("ASCEND_OPP_PATH", &opp);
            std::env::remove_var("ASCEND_CUSTOM_OPP_PATH");
        }
        opp
    });
    ready()
}

fn tensor(dtype: i32) -> TensorType {
    TensorType { present: 1, dtype, format: ND }
}

const ABSENT: TensorType = TensorType { present: 0, dtype: 0, format: 0 };

fn find(op: &str, inputs: &[TensorType], outputs: &[TensorType]) -> (i32, Handle) {
    let op = CString::new(op).unwrap();
    let mut found = null_mut();
    let code = unsafe {
        (api().hc_find_kernel)(op.as_ptr(), inputs.as_ptr(), inputs.len(), outputs.as_ptr(), outputs.len(), &mut found)
    };
    (code, found)
}

fn add_binary() -> Handle {
    let (code, binary) = find("AddK", &[tensor(F32), tensor(F32)], &[tensor(F32)]);
    assert_eq!(code, 0, "{}", message());
    binary
}

struct Plan(Handle);

impl Plan {
    fn new() -> Plan {
        Plan(unsafe { (api().hc_plan_new)() })
    }
    fn external(&self, address: Handle) -> u32 {
        unsafe { (api().hc_plan_add_external)(self.0, address) }
    }
    fn workspace(&self, bytes: u64) -> u32 {
        unsafe { (api().hc_plan_add_workspace)(self.0, bytes) }
    }
    fn redirect(&self, from: u32, to: u32, offset: u64) -> i32 {
        unsafe { (api().hc_plan_redirect)(self.0, from, to, offset) }
    }
    fn launch(&self, key: u64, blocks: u32, count: u32, workspaces: &[u64], x: [Operand; 2], y: Operand) -> i32 {
        let tiling = [count, count.div_ceil(blocks.max(1))];
        let launch = Launch {
            tiling_key: key,
            block_dim: blocks,
            need_atomic: 0,
            tiling_data: tiling.as_ptr().cast(),
            tiling_size: 8,
            tiling_other: std::ptr::null(),
            workspaces: workspaces.as_ptr(),
            workspace_num: workspaces.len() as u64,
        };
        unsafe { (api().hc_plan_add_kernel)(self.0, add_binary(), &launch, x.as_ptr(), 2, &y, 1) }
    }
    fn sum(&self, op: &str, need_atomic: bool, x: Operand, y: Operand) {
        let (code, binary) = find(op, &[tensor(F32), tensor(F32)], &[tensor(F32)]);
        assert_eq!(code, 0, "{}", message());
        let launch = Launch {
            tiling_key: 3,
            block_dim: 1,
            need_atomic: need_atomic.into(),
            tiling_data: std::ptr::null(),
            tiling_size: 0,
            tiling_other: std::ptr::null(),
            workspaces: std::ptr::null(),
            workspace_num: 0,
        };
        let x = [x, NONE];
        let code = unsafe { (api().hc_plan_add_kernel)(self.0, binary, &launch, x.as_ptr(), 2, &y, 1) };
        assert_eq!(code, 0, "{}", message());
    }
    fn add(&self, count: u32, x1: Operand, x2: Operand, y: Operand) {
        assert_eq!(self.launch(0, 3, count, &[], [x1, x2], y), 0, "{}", message());
    }
    fn copy(&self, dims: &[i64], dst: (Operand, &[i64]), src: (Operand, &[i64]), element: u64) -> i32 {
        let dst = Strided { at: dst.0, strides: dst.1.as_ptr() };
        let src = Strided { at: src.0, strides: src.1.as_ptr() };
        unsafe { (api().hc_plan_add_copy)(self.0, &dst, &src, dims.as_ptr(), dims.len() as u64, element) }
    }
    fn cast(&self, dst: (Operand, i32), src: (Operand, i32), count: u64) -> i32 {
        unsafe { (api().hc_plan_add_cast)(self.0, &dst.0, dst.1, &src.0, src.1, count) }
    }
    fn call(&self, call: Option<HostCall>, context: Handle, x: Operand, y: Operand) -> i32 {
        unsafe { (api().hc_plan_add_call)(self.0, c"Twice".as_ptr(), call, context, Some(give_back), &x, 1, &y, 1) }
    }
    fn size(&self) -> u64 {
        unsafe { (api().hc_plan_workspace_size)(self.0) }
    }
    fn run(&self, workspace: Handle, size: u64, stream: Handle) -> i32 {
        unsafe { (api().hc_plan_run)(self.0, workspace, size, stream) }
    }
}

type HostCall = unsafe extern "C" fn(Handle, *const Handle, usize, *mut c_char, usize) -> i32;

/// y = context * x, two int32 each; refuses a negative x.
unsafe extern "C" fn scaled(
    context: Handle,
    at: *const Handle,
    count: usize,
    message: *mut c_char,
    size: usize,
) -> i32 {
    assert!(count == 2 && size > 20);
    unsafe {
        let (factor, x, y) = (&*context.cast::<AtomicI32>(), *at.cast::<*const i32>(), *at.add(1).cast::<*mut i32>());
        let factor = factor.load(Ordering::Relaxed);
        for i in 0..2 {
            if *x.add(i) < 0 {
                std::ptr::copy_nonoverlapping(c"x is negative".as_ptr(), message, 14);
                return 561000;
            }
            *y.add(i) = *x.add(i) * factor;
        }
    }
    0
}

unsafe extern "C" fn give_back(context: Handle) {
    unsafe { (*context.cast::<AtomicI32>()).store(-1, Ordering::Relaxed) };
}

impl Drop for Plan {
    fn drop(&mut self) {
        unsafe { (api().hc_plan_free)(self.0) };
    }
}

fn at(storage: u32, bytes: u64) -> Operand {
    Operand { present: 1, storage, byte_offset: 0, bytes, view: 0 }
}

const NONE: Operand = Operand { present: 0, storage: 0, byte_offset: 0, bytes: 0, view: 0 };

#[test]
fn look_up() {
    let api = set_up();
    unsafe {
        assert_eq!((api.hc_vendor_count)(), 1);
        assert!(text((api.hc_vendor_dir)(0)).ends_with("/vendors/test_math"));
        assert!((api.hc_vendor_dir)(1).is_null());
        assert_eq!(text((api.hc_op_vendor_dir)(c"AddK".as_ptr())), text((api.hc_vendor_dir)(0)));
        assert!((api.hc_op_vendor_dir)(c"Nothing".as_ptr()).is_null());
    }
    assert_eq!(add_binary(), add_binary(), "found once");
    assert_eq!(find("AddK", &[tensor(F32), ABSENT], &[tensor(F32)]).0, 0);
    message();
    assert_eq!(find("AddK", &[tensor(F16), ABSENT], &[tensor(F16)]).0, 561003);
    let text = message();
    for part in ["EZ1009", "AddK", "float16 ND, absent", "(float32,float32) -> (float32)"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(find("Nothing", &[], &[]).0, 561003);
    assert!(message().contains("test_math"));
    assert_eq!(find("NoKernel", &[], &[tensor(F32)]).0, 561112);
    assert!(message().contains("no_kernel.json"));
}

/// asc-devkit, "InitValue": the output's memory is set before the operator runs, with SetNeedAtomic(true) only.
#[test]
fn outputs_with_an_init_value_are_filled_before_every_kernel_that_asks() {
    let _ = set_up();
    let stream = Stream::new();
    let x = DeviceBuffer::from(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
    for (op, need_atomic, want) in
        [("Sum", true, 0.0), ("SumFrom", true, 2.5), ("AddK", true, f32::NAN), ("Sum", false, f32::NAN)]
    {
        // The last element is not the output's.
        let y = DeviceBuffer::from(&[10.0f32; 7]);
        let plan = Plan::new();
        let (sx, sy) = (plan.external(x.0), plan.external(y.0));
        let unfilled = want.is_nan();
        for _ in 0..2 {
            plan.sum(op, need_atomic, at(sx, 24), at(sy, 24));
        }
        assert_eq!(plan.run(null_mut(), 0, stream.0), 0, "{}", message());
        assert_eq!(stream.sync(), 0, "{}", message());
        let sum = |i: u8| if unfilled { 10.0 + 2.0 * f32::from(i) } else { want + f32::from(i) };
        let mut expected: Vec<f32> = (1..=6).map(sum).collect();
        expected.push(10.0);
        assert_eq!(y.read::<f32>(7), expected, "{op} {need_atomic}");
    }
}

#[test]
fn kernels_run_over_blocks_with_absent_inputs_and_workspace() {
    let _ = set_up();
    let stream = Stream::new();
    let x: Vec<f32> = (0..100).map(|i| i as f32).collect();
    let (x1, y, workspace) = (DeviceBuffer::from(&x), DeviceBuffer::new(400), DeviceBuffer::new(2048));
    let plan = Plan::new();
    let (s1, sy) = (plan.external(x1.0), plan.external(y.0));
    assert_eq!(plan.launch(0, 7, 100, &[28], [at(s1, 400), at(s1, 400)], at(sy, 400)), 0);
    assert_eq!(plan.size(), 512);
    assert_eq!(plan.run(workspace.0, 512, stream.0), 0, "{}", message());
    assert_eq!(stream.sync(), 0, "{}", message());
    assert_eq!(y.read::<f32>(100), x.iter().map(|v| v * 2.0).collect::<Vec<_>>());
    assert_eq!(workspace.read::<i32>(7), [0, 1, 2, 3, 4, 5, 6]);

    let plan = Plan::new();
    let (s1, sy) = (plan.external(null_mut()), plan.external(y.0));
    plan.add(100, at(s1, 400), NONE, at(sy, 400));
    assert_eq!(plan.size(), 0);
    assert_eq!(plan.run(null_mut(), 0, stream.0), 561103, "null address");
    assert!(message().contains("input 0 of AddK"));
    unsafe { (api().hc_plan_set_address)(plan.0, s1, x1.0) };
    for _ in 0..3 {
        assert_eq!(plan.run(null_mut(), 0, stream.0), 0);
    }
    // Addresses were bound: the plan may go before the stream has run.
    drop(plan);
    assert_eq!(stream.sync(), 0);
    assert_eq!(y.read::<f32>(100), x);
}

#[test]
fn chains_share_workspace_and_redirect() {
    let _ = set_up();
    let stream = Stream::new();
    let x = [1.5f32; 256];
    let bytes = 1024;
    let (a, out) = (DeviceBuffer::from(&x), DeviceBuffer::from(&[0f32; 300]));
    let plan = Plan::new();
    let (sa, so) = (plan.external(a.0), plan.external(out.0));
    let w: Vec<u32> = (0..4).map(|_| plan.workspace(bytes)).collect();
    plan.add(256, at(sa, bytes), at(sa, bytes), at(w[0], bytes)); // 3
    plan.add(256, at(w[0], bytes), at(sa, bytes), at(w[1], bytes)); // 4.5
    plan.add(256, at(w[1], bytes), at(w[1], bytes), at(w[2], bytes)); // 9
    plan.add(256, at(w[2], bytes), at(sa, bytes), at(w[3], bytes)); // 10.5
    assert_eq!(plan.size(), 2 * 1536, "two of 1024 + 32 rounded to 512 are alive at a time");
    assert_eq!(plan.redirect(w[3], so, 16), 0);
    assert_eq!(plan.size(), 2 * 1536);
    assert_eq!(plan.redirect(w[3], so, 0), 561000, "already redirected");
    assert_eq!(plan.redirect(so, w[0], 0), 561000, "not a workspace");
    assert_eq!(plan.redirect(w[0], w[0], 0), 561000, "to itself");
    assert_eq!(plan.redirect(w[0], w[1], 4), 561000, "does not fit");
    message();
    let workspace = DeviceBuffer::new(3072);
    assert_eq!(plan.run(null_mut(), 3072, stream.0), 161001);
    assert_eq!(plan.run(workspace.0, 3071, stream.0), 161002);
    assert!(message().contains("3072 bytes are needed"));
    assert_eq!(plan.run(workspace.0, 5000, stream.0), 0);
    assert_eq!(stream.sync(), 0, "{}", message());
    let got = out.read::<f32>(300);
    assert_eq!(got[..4], [0.0; 4]);
    assert_eq!(got[4..260], [10.5; 256]);
    assert_eq!(got[260..], [0.0; 40]);
}

#[test]
fn copies_casts_and_host_constants() {
    let api = set_up();
    let stream = Stream::new();
    // A transposed view of int32 3x4, made dense, cast to float, and added to a host constant.
    let x: Vec<i32> = (0..12).collect();
    let constant: Vec<f32> = (0..12).map(|i| 100.0 * i as f32).collect();
    let (input, out) = (DeviceBuffer::from(&x), DeviceBuffer::new(48));
    let plan = Plan::new();
    let (si, so) = (plan.external(input.0), plan.external(out.0));
    let sc = unsafe { (api.hc_plan_add_host)(plan.0, constant.as_ptr().cast(), 48) };
    let (dense, float) = (plan.workspace(48), plan.workspace(48));
    assert_eq!(plan.copy(&[4, 3], (at(dense, 48), &[3, 1]), (at(si, 48), &[1, 4]), 4), 0);
    assert_eq!(plan.cast((at(float, 48), F32), (at(dense, 48), I32), 12), 0);
    plan.add(12, at(float, 48), at(sc, 48), at(so, 48));
    assert_eq!(unsafe { (api.hc_plan_node_count)(plan.0) }, 3);
    // SAFETY: a C string, valid until this thread's next call.
    let text = unsafe { CStr::from_ptr((api.hc_plan_text)(plan.0)) }.to_str().unwrap();
    let steps: Vec<&str> = text.lines().collect();
    assert_eq!(steps[..2], ["copy 12 x 4 bytes", "cast int32 to float32, 12 elements"]);
    assert!(steps[2].ends_with(": 48 48 48 bytes"), "{text}");
    assert_eq!(plan.size(), 1024);
    let workspace = DeviceBuffer::new(1024);
    drop(constant);
    assert_eq!(plan.run(workspace.0, 1024, stream.0), 0);
    assert_eq!(stream.sync(), 0, "{}", message());
    let want: Vec<f32> = (0..12).map(|i| (i % 3 * 4 + i / 3) as f32 + 100.0 * i as f32).collect();
    assert_eq!(out.read::<f32>(12), want);

    assert_eq!(plan.copy(&[4, 3], (at(dense, 48), &[3, 1]), (at(si, 44), &[1, 4]), 4), 161002);
    assert!(message().contains("source of a copy"));
    assert_eq!(plan.cast((at(float, 48), 16), (at(dense, 48), I32), 12), 161002);
    assert!(message().contains("no cast from int32 to complex64"));
    assert_eq!(plan.cast((at(float, 48), F32), (at(dense, 48), I32), 13), 161002);
    assert_eq!(plan.cast((NONE, F32), (at(dense, 48), I32), 1), 561000);
    assert_eq!(plan.cast((at(99, 48), F32), (at(dense, 48), I32), 1), 561000);
    message();
}

#[test]
fn faults_reach_the_synchronising_thread_and_the_process_goes_on() {
    let _ = set_up();
    let stream = Stream::new();
    let x = DeviceBuffer::from(&[2f32; 8]);
    let y = DeviceBuffer::from(&[0f32; 8]);
    for (key, code, part) in [(1, 507035, "not 32-byte aligned"), (2, 207000, "Sort32")] {
        let plan = Plan::new();
        let (sx, sy) = (plan.external(x.0), plan.external(y.0));
        assert_eq!(plan.launch(key, 2, 8, &[], [at(sx, 32), NONE], at(sy, 32)), 0);
        assert_eq!(plan.run(null_mut(), 0, stream.0), 0);
        assert_eq!(stream.sync(), code);
        let text = message();
        assert!(text.contains(part) && text.contains(&format!("Add_k_{key}")), "{text}");
        assert_eq!(stream.sync(), 0);
    }
    let plan = Plan::new();
    let (sx, sy) = (plan.external(x.0), plan.external(y.0));
    plan.add(8, at(sx, 32), at(sx, 32), at(sy, 32));
    assert_eq!(plan.run(null_mut(), 0, stream.0), 0);
    assert_eq!(stream.sync(), 0);
    assert_eq!(y.read::<f32>(8), [4.0; 8]);
}

#[test]
fn bad_launches_are_refused() {
    let _ = set_up();
    let x = DeviceBuffer::from(&[2f32; 8]);
    let plan = Plan::new();
    let sx = plan.external(x.0);
    assert_eq!(plan.launch(9, 1, 8, &[], [at(sx, 32), NONE], at(sx, 32)), 561003);
    let text = message();
    assert!(text.contains("key 9") && text.contains("keys 0, 1, 2"), "{text}");
    for blocks in [0, 65536] {
        assert_eq!(plan.launch(0, blocks, 8, &[], [at(sx, 32), NONE], at(sx, 32)), 561002);
        assert!(message().contains(&format!("block dim {blocks}")));
    }
    assert_eq!(plan.launch(0, 1, 8, &[u64::MAX], [at(sx, 32), NONE], at(sx, 32)), 161002);
    assert_eq!(unsafe { (api().hc_plan_node_count)(plan.0) }, 0);
    message();
}

#[test]
fn memory_that_is_not_on_the_device_is_a_fault() {
    let _ = set_up();
    let stream = Stream::new();
    let x = DeviceBuffer::from(&[2f32; 8]);
    let mut local = [0f32; 8];
    let run = |y: Handle, bytes: u64| {
        let plan = Plan::new();
        let (sx, sy) = (plan.external(x.0), plan.external(y));
        plan.add((bytes / 4) as u32, at(sx, 32), NONE, at(sy, bytes));
        assert_eq!(plan.run(null_mut(), 0, stream.0), 0);
        (stream.sync(), message())
    };
    let (code, text) = run(local.as_mut_ptr().cast(), 32);
    assert_eq!(code, 507035);
    assert!(text.contains("output 0 of AddK") && text.contains("not device memory"), "{text}");
    let (code, text) = run(x.0, 68);
    assert_eq!(code, 507035);
    assert!(text.contains("runs over the end"), "{text}");
}

#[test]
fn two_threads_run_plans_at_the_same_time() {
    let _ = set_up();
    std::thread::scope(|scope| {
        for thread in 0..2 {
            scope.spawn(move || {
                let _ = ready();
                let streams = [Stream::new(), Stream::new()];
                let x = vec![thread as f32 + 0.5; 4096];
                let input = DeviceBuffer::from(&x);
                let outputs = [DeviceBuffer::new(16384), DeviceBuffer::new(16384)];
                for _ in 0..20 {
                    for (stream, output) in streams.iter().zip(&outputs) {
                        let plan = Plan::new();
                        let (si, so) = (plan.external(input.0), plan.external(output.0));
                        assert_eq!(plan.launch(0, 8, 4096, &[], [at(si, 16384), at(si, 16384)], at(so, 16384)), 0);
                        assert_eq!(plan.run(null_mut(), 0, stream.0), 0);
                    }
                }
                for (stream, output) in streams.iter().zip(&outputs) {
                    assert_eq!(stream.sync(), 0, "{}", message());
                    assert_eq!(output.read::<f32>(4096), vec![2.0 * thread as f32 + 1.0; 4096]);
                }
            });
        }
    });
}

#[test]
fn kernel_unit_tests_get_the_engine_of_the_library() {
    // The environment is changed by the first test that gets there.
    let _ = set_up();
    unsafe extern "C-unwind" fn count(args: *const Handle) {
        let counter = unsafe { &*(*args).cast::<AtomicU32>() };
        counter.fetch_add(1, Ordering::Relaxed);
    }
    let counter = AtomicU32::new(0);
    let args = [(&raw const counter).cast_mut().cast()];
    let code = unsafe { (api().aic_icpu_run)(count, c"count".as_ptr(), 0, 5, args.as_ptr(), 1, std::ptr::null(), 0) };
    assert_eq!((code, counter.into_inner()), (0, 5));
}

#[test]
fn functions_of_the_host() {
    let api = set_up();
    let stream = Stream::new();
    let (x, y, workspace) = (DeviceBuffer::from(&[3i32, 5]), DeviceBuffer::new(8), DeviceBuffer::new(1024));
    let factor = AtomicI32::new(2);
    let context: Handle = std::ptr::from_ref(&factor).cast_mut().cast();
    let plan = Plan::new();
    let middle = plan.workspace(8);
    assert_eq!(plan.call(Some(scaled), context, at(plan.external(x.0), 8), at(middle, 8)), 0);
    assert_eq!(plan.call(Some(scaled), context, at(middle, 8), at(plan.external(y.0), 8)), 0);
    let lines = text(unsafe { (api.hc_plan_text)(plan.0) });
    assert_eq!(lines.trim_end(), "Twice on the host\nTwice on the host");
    assert_eq!(plan.run(workspace.0, plan.size(), stream.0), 0);
    assert_eq!(stream.sync(), 0, "{}", message());
    assert_eq!(y.read::<i32>(2), [12, 20]);
    assert_eq!(factor.load(Ordering::Relaxed), 2);
    drop(plan);
    assert_eq!(factor.load(Ordering::Relaxed), -1, "nobody needs the context any more");

    let (plan, negative) = (Plan::new(), DeviceBuffer::from(&[1i32, -1]));
    assert_eq!(plan.call(Some(scaled), context, at(plan.external(negative.0), 8), at(plan.external(y.0), 8)), 0);
    assert_eq!(plan.run(null_mut(), 0, stream.0), 0);
    assert_eq!(stream.sync(), 561000);
    assert!(message().contains("Twice on the host: x is negative"));
    factor.store(1, Ordering::Relaxed);
    assert_eq!(plan.call(None, context, NONE, NONE), 561103);
    assert_eq!(factor.load(Ordering::Relaxed), -1, "given back by a call that fails");
    message();
}
