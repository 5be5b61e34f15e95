//! Tensors without a TPipe, what tensors carry, pools, buffers at given addresses, the SPM buffer. The pages: LocalTensor
//! constructors, LocalMemAllocator, TensorTrait, SetUserTag, SetShapeInfo, TBufPool, EXTERN_IMPL_BUFPOOL, TPipe
//! InitBuffer, InitSpmBuffer.

use crate::support::{Aligned, Object, check_cpp};
use aicore::{CoreSpec, Engine, Fault, FaultClass, Launch, Switches};
use std::{ffi::c_void, process::Command, sync::OnceLock};

fn kernels() -> &'static Object {
    static O: OnceLock<Object> = OnceLock::new();
    O.get_or_init(|| Object::build("tensors.cpp"))
}

/// In check mode: these kernels follow every rule.
fn launch(name: &str, args: &[*mut c_void]) -> Result<(), Fault> {
    let e = Engine::new(CoreSpec::npu_2201("Ascend910B3", 196608), Switches::default(), 1);
    let check = Some(aicore::check::LaunchInfo::default());
    e.run(&Launch { check: check.as_ref(), ..Launch::new(kernels().kernel(name), name, 0, 1, args) })
}

fn ok(name: &str, args: &[*mut c_void]) {
    launch(name, args).unwrap_or_else(|f| panic!("{f}"));
}

fn ramp(factor: f32, n: usize) -> Aligned<f32> {
    let mut x = Aligned::new(n);
    x.iter_mut().enumerate().for_each(|(i, v)| *v = factor * i as f32);
    x
}

fn faults(name: &str, args: &[*mut c_void], parts: &[&str]) {
    let f = launch(name, args).unwrap_err();
    for part in parts {
        assert!(f.to_string().contains(part), "{part}: {f}");
    }
    assert!(f.location.expect("line").file.ends_with("tensors.cpp"), "{name}");
}

#[test]
fn tensors_need_no_pipe() {
    let (mut x, mut y, mut z) = (ramp(1.0, 64), ramp(0.5, 64), ramp(0.0, 64));
    ok("placed", &[x.as_mut_ptr().cast(), y.as_mut_ptr().cast(), z.as_mut_ptr().cast()]);
    assert_eq!(z[..], ramp(1.5, 64)[..]);
}

#[test]
fn what_does_not_fit_is_named() {
    let f = launch("fault_position", &[]).unwrap_err();
    assert!(f.message.contains("operand pos: a vector core has no memory of this position"), "{f}");
    let f = launch("fault_allocator", &[]).unwrap_err();
    assert!(f.message.contains("does not fit into the unified buffer") && f.message.contains("got 198000"), "{f}");
}

#[test]
fn a_trait_is_a_tensor_of_its_element_type() {
    let (mut x, mut y) = (Aligned::<i32>::new(64), Aligned::<i32>::new(64));
    x.iter_mut().enumerate().for_each(|(i, v)| *v = i as i32);
    ok("traits", &[x.as_mut_ptr().cast(), y.as_mut_ptr().cast()]);
    assert_eq!((y[1], y[63]), (2, 126));
}

/// Output of a kernel, from a run of this test program of its own.
#[test]
fn tensors_carry_shape_and_tag_and_show_their_values() {
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("tensor_to_file.bin");
    if std::env::var_os("HOSTCANN_TEST_PRINTS").is_some() {
        let mut x = ramp(0.25, 64);
        let name = std::ffi::CString::new(file.to_str().unwrap()).unwrap();
        ok("carried", &[x.as_mut_ptr().cast(), name.as_ptr() as *mut c_void]);
        return;
    }
    let o = Command::new(std::env::current_exe().unwrap())
        .args([
            "tensors::tensors_carry_shape_and_tag_and_show_their_values",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env("HOSTCANN_TEST_PRINTS", "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&o.stdout);
    assert!(o.status.success(), "{text}\n{}", String::from_utf8_lossy(&o.stderr));
    // A line for every 32 bytes (LocalTensor Print page).
    let eight = "0000: 0.000000 0.250000 0.500000 0.750000 1.000000 1.250000 1.500000 1.750000\n";
    assert!(text.contains(&format!("{eight}0008: 2.000000 2.250000 2.500000 2.750000\n")), "{text}");
    assert!(text.contains("0000: 0.000000 0.250000 0.500000\n"), "{text}");
    let want: Vec<u8> = (0..12).flat_map(|i| (0.25 * i as f32).to_ne_bytes()).collect();
    assert_eq!(std::fs::read(&file).unwrap(), want);
}

#[test]
fn pools_share_memory() {
    let (mut x, mut y, mut z) = (ramp(1.0, 64), ramp(2.0, 64), ramp(0.0, 256));
    ok("pools", &[x.as_mut_ptr().cast(), y.as_mut_ptr().cast(), z.as_mut_ptr().cast()]);
    assert_eq!(z[..], ramp(3.0, 64).repeat(4)[..]);
    let f = launch("fault_pool_full", &[]).unwrap_err();
    assert!(f.message.contains("the buffers do not fit into the pool") && f.message.contains("got 160"), "{f}");
    let f = launch("fault_pool_ids", &[]).unwrap_err();
    assert!(f.message.contains("expected at most bufIDSize; got 3"), "{f}");
    let f = launch("fault_pool_share", &[]).unwrap_err();
    assert!(f.message.contains("longer than the one it shares memory with"), "{f}");
}

#[test]
fn buffers_lie_where_the_kernel_puts_them() {
    let (mut x, mut y, mut z) = (ramp(1.0, 64), ramp(2.0, 64), ramp(0.0, 64));
    ok("addressed", &[x.as_mut_ptr().cast(), y.as_mut_ptr().cast(), z.as_mut_ptr().cast()]);
    assert_eq!(z[..], ramp(3.0, 64)[..]);
    faults("fault_addressed", &[], &["operand leaves the unified buffer", "at most 196608"]);
    assert_eq!(launch("fault_addressed", &[]).unwrap_err().class, FaultClass::OutOfRange);
}

#[test]
fn the_spm_buffer_holds_what_was_written() {
    let (mut x, mut y, mut spm) = (ramp(1.0, 64), ramp(0.0, 64), ramp(0.0, 128));
    let args = [x.as_mut_ptr().cast(), y.as_mut_ptr().cast(), spm.as_mut_ptr().cast()];
    ok("spilled", &args);
    assert_eq!(spm[8..72], x[..]);
    assert_eq!((&y[..8], &y[8..16], &y[16..24]), (&x[..8], &x[16..24], &x[32..40]));
    assert!(y[24..].iter().all(|v| *v == 0.0));
    let f = launch("fault_spm", &args).unwrap_err();
    assert!(f.message.contains("the copy leaves the SPM buffer") && f.message.contains("got 288"), "{f}");
}

/// The examples of the pages Crd2Idx, Layout constructor, TensorTrait constructor, is_layout and is_tensorTrait; the
/// traits of AscendC::Std.
#[test]
fn layouts_and_traits_are_types() {
    let source = r#"
#include "kernel_operator.h"
using namespace AscendC;
template <size_t n> using I = Std::Int<n>;
constexpr auto at = MakeCoord(I<20>{}, I<30>{});
constexpr auto sizes = MakeShape(MakeShape(I<13>{}, I<0>{}), MakeShape(I<14>{}, I<0>{}));
constexpr auto steps = MakeStride(MakeStride(I<14>{}, I<182>{}), MakeStride(I<1>{}, I<154>{}));
constexpr auto both = MakeLayout(sizes, steps);
static_assert(decltype(both(at))::value == 590 && decltype(Crd2Idx(at, both))::value == 590);
constexpr auto same = MakeShape(I<13>{}, I<13>{});
static_assert(decltype(Crd2Idx(MakeCoord(I<0>{}, I<12>{}), MakeShape(same, MakeShape(I<14>{}, I<14>{})),
    MakeStride(MakeStride(I<15>{}, I<15>{}), MakeStride(I<16>{}, I<16>{}))))::value == 192);
static_assert(Crd2Idx(MakeCoord(1, 2, 3), MakeShape(3, 4, 5), MakeStride(20, 5, 1)) == 33);
static_assert(Crd2Idx(MakeCoord(11, 12), MakeShape(MakeShape(2, 4), MakeShape(3, 5)),
    MakeStride(MakeStride(3, 6), MakeStride(1, 24))) == 129);
using L = Layout<Shape<int, int, int>, Stride<int, int, int>>;
constexpr L made = MakeLayout(MakeShape(10, 20, 30), MakeStride(1, 100, 200));
static_assert(Std::get<1>(made.GetShape()) == 20 && Std::get<2>(made.layout().GetStride()) == 200);
constexpr auto trait = MakeTensorTrait<float, TPosition::VECIN>(made);
static_assert(Std::get<2>(trait.GetLayout().GetShape()) == 30 && Std::get<1>(trait.GetStride()) == 100);
static_assert(is_layout<L>::value && !is_layout_v<Shape<int>> && is_tensorTrait<decltype(MakeTensorTrait<half, TPosition::VECIN>(made))>::value && !is_tensorTrait_v<L>);
static_assert(Std::is_same_v<Std::add_cv<int>::type, const volatile int> && Std::is_same_v<Std::add_pointer<int&>::type, int*>);
static_assert(Std::is_same_v<Std::add_lvalue_reference<int>::type, int&> && Std::is_same_v<Std::add_rvalue_reference<int>::type, int&&>);
static_assert(Std::is_same_v<Std::add_const<int>::type, const int> && Std::is_same_v<Std::add_volatile<int>::type, volatile int>);
static_assert(Std::is_array<int[3]>::value && Std::is_const<const int>::value && Std::is_integral<bool>::value && Std::is_void<void>::value);
static_assert(Std::is_floating_point<half>::value && Std::is_floating_point_v<const float> && !Std::is_floating_point_v<int>);
static_assert(Std::is_pointer<int*>::value && Std::is_reference<int&>::value);
static_assert(Std::is_same_v<Std::remove_pointer<int*>::type, int> && Std::is_same_v<Std::remove_volatile<volatile int>::type, int>);
template <size_t... n> constexpr size_t Sum(Std::index_sequence<n...>) { return (n + ... + 0); }
static_assert(Sum(Std::make_index_sequence<5>{}) == 10);
"#;
    check_cpp("layouts", source).unwrap();
    let short = "#include \"kernel_operator.h\"\nauto x = AscendC::Crd2Idx(AscendC::MakeCoord(1), AscendC::MakeShape(1, 2), AscendC::MakeStride(1, 2));\n";
    assert!(check_cpp("layouts_rank", short).unwrap_err().contains("different ranks"));
}
