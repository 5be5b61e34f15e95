//! System calls in kernels compiled by g++.

use crate::support::Object;
use aicore::{CoreSpec, Engine, Fault, FaultClass, Launch, Switches};
use half::f16;
use std::{ffi::c_void, process::Command, sync::OnceLock};

fn kernels() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    O.get_or_init(|| Object::build("system.cpp"))
}

fn launch(name: &str, blocks: u32, args: &[*mut c_void]) -> Result<(), Fault> {
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 2);
    e.run(&Launch::new(kernels().kernel(name), name, 0, blocks, args))
}

fn ptr<T>(v: &mut [T]) -> *mut c_void {
    v.as_mut_ptr() as *mut c_void
}

#[test]
fn global_memory_is_filled_to_the_element() {
    fn run<T: Copy + PartialEq + std::fmt::Debug>(name: &str, value: impl Fn(usize) -> T) {
        // Shorter than one instruction, longer than the buffer, and not a multiple of either.
        for part in [1usize, 7, 16, 1000, 1589, 70001] {
            let mut out = vec![value(9); 3 * part + 5];
            let mut n = [3 * part as u64];
            launch(name, 3, &[ptr(&mut out), ptr(&mut n)]).unwrap_or_else(|f| panic!("{f}"));
            let want: Vec<T> = (0..3 * part + 5).map(|i| value(if i < 3 * part { i / part + 1 } else { 9 })).collect();
            assert!(out == want, "{name} {part}");
        }
    }
    run("fill_f32", |v| v as f32);
    run("fill_f16", |v| f16::from_f32(v as f32));
    run("fill_i32", |v| v as i32);
}

#[test]
fn identity_clock_and_workspace() {
    let mut out = [-1i64; 8];
    let mut workspace = vec![0u8; 64];
    launch("identity2", 1, &[ptr(&mut out), ptr(&mut workspace)]).unwrap();
    assert_eq!(out, [1110, 1, 1, 0, 16 * 1024 * 1024, 1, 1024, (196480 - 1024) / 2]);
    let f = launch("fault_no_stack", 1, &[]).unwrap_err();
    assert_eq!(f.class, FaultClass::BufferSpace);
    assert!(f.message.contains("196480 of 196480 bytes in use"), "{f}");
}

#[test]
fn descriptors_of_dynamic_inputs() {
    let (a, b) = (0x1000u64, 0x2000u64);
    // Two tensors of two dimensions; the number of tensors is in the first record.
    let mut desc = [56, 2 | 2 << 32, 3, 4, 2 | 1 << 32, 5, 6, a, b];
    let mut out = [0u64; 16];
    launch("describe", 1, &[ptr(&mut desc), ptr(&mut out)]).unwrap();
    assert_eq!(out[..13], [2, 0, 2, 3, 4, a, 48, 1, 2, 5, 6, b, 120]);
    // Pointers only.
    let mut desc = [24, 2 << 32, 0xffff_ffff, a, b];
    out.fill(0);
    launch("describe", 1, &[ptr(&mut desc), ptr(&mut out)]).unwrap();
    assert_eq!(out[..9], [2, 0, 0, a, 4, 1, 0, b, 4]);
    let f = launch("fault_describe", 1, &[ptr(&mut desc)]).unwrap_err();
    assert!(f.message.contains("expected less than GetSize(); got 2"), "{f}");
    let f = launch("describe", 1, &[std::ptr::null_mut(), ptr(&mut out)]).unwrap_err();
    assert_eq!(f.class, FaultClass::NullPointer);
}

#[test]
fn assertions_stop_the_kernel() {
    let f = launch("fault_assert", 1, &[]).unwrap_err();
    assert_eq!((f.class, f.instruction.as_str()), (FaultClass::Assertion, "ascendc_assert"));
    assert!(f.message.contains("[ASSERT] ") && f.message.contains("system.cpp:"), "{f}");
    assert!(f.message.contains("Assertion `flag != 10' The flag value is 10.;"), "{f}");
    assert!(f.location.expect("line").file.ends_with("system.cpp"));
    let f = launch("fault_assert_bare", 2, &[]).unwrap_err();
    assert!(f.message.contains("Assertion `GetBlockIdx() > 5'; expected true"), "{f}");
    // CANN's CPU mode runs these; assert is a documented interface (assert page).
    let f = launch("fault_upper_assert", 2, &[]).unwrap_err();
    assert!(f.message.contains("Assertion `GetBlockNum() > 7 && \"too few\"'"), "{f}");
    let f = launch("fault_assert_msg", 2, &[]).unwrap_err();
    assert!(f.message.contains("Assertion `GetBlockNum() > 8' of 9 cores"), "{f}");
    let f = launch("fault_ascendc_assert", 1, &[]).unwrap_err();
    assert!(f.message.contains("Assertion `GetBlockIdx() > 5'"), "{f}");
    let f = launch("fault_plain_assert", 1, &[]).unwrap_err();
    assert!(f.message.contains("Assertion `GetBlockIdx() > 6' index 3"), "{f}");
    let f = launch("fault_trap", 1, &[]).unwrap_err();
    assert!(f.message.contains("the kernel called Trap"), "{f}");
}

/// Output of a kernel, from a run of this test program of its own.
#[test]
fn prints_name_the_core() {
    if std::env::var_os("HOSTCANN_TEST_PRINTS").is_some() {
        let mut gm = [1i32, -2, 3];
        launch("prints", 1, &[ptr(&mut gm)]).unwrap();
        return;
    }
    let me = std::env::current_exe().unwrap();
    let o = Command::new(me)
        .args(["system::prints_name_the_core", "--exact", "--nocapture", "--test-threads=1"])
        .env("HOSTCANN_TEST_PRINTS", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&o.stdout);
    assert!(o.status.success(), "{text}");
    let gm_line = text.lines().find(|l| l.contains("desc=12")).unwrap_or_else(|| panic!("{text}"));
    assert!(gm_line.contains("[prints core 0] DumpTensor: desc=12, addr=0x"), "{gm_line}");
    assert!(gm_line.ends_with("data_type=int32, position=GM, dump_size=3"), "{gm_line}");
    for want in [
        "[prints core 0] half 1.500000, int 7, text abc\n",
        "[prints core 0] no arguments\n",
        "DumpTensor: desc=11, addr=0, data_type=float16, position=UB, dump_size=4\n[1.500000, 1.500000, 1.500000, 1.500000]\n",
        "dump_size=3\n[[1, -2], [3, -]]\n",
        "dump_size=2\n[-2, 3]\n",
        "desc=14, addr=0x20, data_type=float16, position=UB, dump_size=1\n[1.500000]\n",
        "data_type=int32, position=GM, dump_size=1\n[1]\n",
    ] {
        assert!(text.contains(want), "{want} is not in\n{text}");
    }
}

/// The pages SetStoreAtomicConfig, GetStoreAtomicConfig and SetAtomicType.
#[test]
fn the_atomic_mode_can_be_read() {
    let (mut gm, mut out) = (vec![0f32; 32], [9u16; 8]);
    gm[8..16].fill(1.5);
    gm[16..24].fill(1.0);
    launch("atomic_state", 1, &[ptr(&mut gm), ptr(&mut out)]).unwrap_or_else(|f| panic!("{f}"));
    // None, float sum, float max, int16 sum.
    assert_eq!(out, [0, 0, 1, 0, 1, 1, 3, 0]);
    assert_eq!([gm[0], gm[8], gm[16]], [4.0, 2.0, 2.0]);
}

/// Kernels clear several outputs one after the other.
#[test]
fn a_fill_that_repeats_the_last_one_has_no_effect() {
    let run = |mut value: f32| {
        let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
        let info = aicore::check::LaunchInfo::default();
        let mut out = crate::support::Aligned::<f32>::new(64);
        out.fill(7.0);
        let args = [out.as_mut_ptr().cast(), ptr(std::slice::from_mut(&mut value))];
        let result = e.run(&Launch {
            check: Some(&info),
            ..Launch::new(kernels().kernel("fill_twice"), "fill_twice", 0, 1, &args)
        });
        (result.map_err(|fault| fault.class), out[63])
    };
    assert_eq!(run(0.0), (Ok(()), 0.0));
    assert_eq!(run(1.0).0, Err(FaultClass::Race));
}

#[test]
fn a_type_that_copies_cannot_accumulate() {
    let fault = launch("fault_atomic_type", 1, &[]).expect_err("uint8_t");
    assert_eq!((fault.class, fault.instruction.as_str()), (FaultClass::Argument, "SetAtomicAdd"));
    assert!(fault.to_string().contains("int8_t, int16_t, half, bfloat16_t, int32_t or float on A2"), "{fault}");
}

#[test]
fn names_of_the_toolkits_own_headers() {
    let mut out = [0f32; 8];
    launch("names_of_the_toolkit", 1, &[ptr(&mut out)]).unwrap_or_else(|f| panic!("{f}"));
    // 0.1 as half, then as bfloat16, and as bfloat16.
    assert_eq!(out, [0.200_195_31; 8]);
}

/// The example of the page ReadGmByPassDCache, with the cores the other way round: on one thread, too.
#[test]
fn a_core_sees_what_another_writes_past_the_cache() {
    let mut word = [0i32; 16];
    launch("past_the_cache", 2, &[ptr(&mut word)]).unwrap_or_else(|f| panic!("{f}"));
    assert_eq!(word[..3], [7, 41, 42]);
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    word.fill(0);
    let info = aicore::check::LaunchInfo::default();
    let args = [ptr(&mut word)];
    let kernel = kernels().kernel("past_the_cache");
    e.run(&Launch { check: Some(&info), ..Launch::new(kernel, "past_the_cache", 0, 2, &args) }).unwrap();
    assert_eq!(word[2], 42);
}

#[test]
fn an_array_of_tiling_data_is_copied() {
    let (mut out, mut tiling) = ([0u64; 2], [1u64, 20, 30, 40]);
    launch("array_tiling", 1, &[ptr(&mut out), ptr(&mut tiling)]).unwrap();
    assert_eq!(out, [60, 24]);
}

/// CheckLocalMemoryIA page: the blocks behind startAddr up to endAddr, by kind of access, in four registers.
#[test]
fn watched_blocks_of_the_unified_buffer() {
    let call = |n: [u32; 7]| {
        let (mut n, mut gm) = (n, [0f32; 8]);
        launch("watched", 1, &[ptr(&mut n), ptr(&mut gm)]).map_err(|f| (f.class, f.instruction.clone(), f.message))
    };
    let names =
        ["GetValue", "SetValue", "Adds<float>", "Duplicate<float>", "DataCopy<float> UB->GM", "DataCopy<float> GM->UB"];
    for (kind, name) in names.into_iter().enumerate() {
        let kind = kind as u32;
        // Blocks 2 and 3 are bytes 64 to 128.
        let places = if kind < 2 { [15, 16, 31, 32] } else { [8, 16, 24, 32] };
        for at in places {
            let got = call([kind % 4, 1, 3, 1 << kind, kind, at, 0]);
            if !(16..32).contains(&at) {
                assert_eq!(got, Ok(()), "{name} {at}");
                continue;
            }
            let (class, instruction, text) = got.unwrap_err();
            assert!(class == FaultClass::Assertion && instruction.ends_with(name), "{name} {at}: {instruction} {text}");
            let part = format!("UB bytes 64 to 128 (exception register {})", kind % 4);
            assert!(text.contains(&part) && text.contains(&format!("UB byte {}", at * 4)), "{name}: {text}");
        }
        // Another kind of access, and a register that is off.
        assert_eq!(call([0, 1, 3, 0x3f & !(1 << kind), kind, 16, 0]), Ok(()), "{name}");
        assert_eq!(call([3, 1, 3, 0x3f, kind, 16, 1]), Ok(()), "{name}");
    }
    let (class, _, text) = call([4, 1, 3, 1, 0, 0, 0]).unwrap_err();
    assert!(class == FaultClass::Argument && text.contains("enableBit") && text.contains("0 to 3"), "{text}");
}
