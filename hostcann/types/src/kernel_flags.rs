//! How kernels are compiled for the host. The kernel compiler, the host's bisheng and tests that compile kernels of their own
//! take these flags: the arithmetic of scalar code must be the same, and faults name the kernel's lines.

/// The modelled core is a DAV 2201 vector core. The device compiler knows uint32_t and its like without a header.
pub const ARCH: [&str; 5] =
    ["-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220", "-D__DAV_C220_VEC__=1", "-include", "cstdint"];

/// The device compiler takes C++17 and finds `ReduceSum<float>(tensor, …)` by its arguments, without `AscendC::`; g++ does so
/// from C++20 on. What else C++20 has, the reading of kernels as device code (C++17) refuses.
pub const STANDARD: [&str; 7] = [
    "-std=c++20",
    "-fno-char8_t",
    // C++17 allows them.
    "-Wno-volatile",
    "-Wno-comma-subscript",
    "-Wno-deprecated",
    "-Wno-deprecated-enum-enum-conversion",
    "-Wno-deprecated-enum-float-conversion",
];

/// Of every kernel, in operators and in programs.
pub const CODE: [&str; 6] = [
    // Faults name the line of the kernel, also of a call at the end of a function.
    "-fno-optimize-sibling-calls",
    // A bad pointer or a division by zero becomes a fault of the launch: it unwinds from where it happens.
    "-fnon-call-exceptions",
    // Kernels copy tiling data word by word into structures that hold floats, too.
    "-fno-strict-aliasing",
    "-fPIC",
    // The scalar unit has a square root; with errno it would be a call of libm.
    "-fno-math-errno",
    // bisheng does not contract to FMA on its own.
    "-ffp-contract=off",
];

/// What upstream's generated entry gives kernels of operators (ops-math scripts/util/ascendc_impl_build.py): the
/// implementation mode of meta::IMPL_MODE, not deterministic.
pub const MODE: [&str; 3] = ["-DHOSTCANN_KERNEL_COMPILER", "-DHIGH_PERFORMANCE=1", "-DDETERMINISTIC_MODE=0"];

/// Of a kernel in an operator, which is an object of its own.
pub const OPERATOR: [&str; 5] = [
    "-fno-rtti",
    // Objects of one op define the same inline variables; each must keep its own.
    "-fvisibility=hidden",
    "-fno-gnu-unique",
    "-Wall",
    // bisheng rejects narrowing.
    "-Werror=narrowing",
];

pub const OPTIMISED: [&str; 3] = ["-O2", "-g1", "-gz"];
