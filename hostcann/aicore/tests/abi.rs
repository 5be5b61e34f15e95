//! `hostcann/aicore_abi.h` is what the Rust side makes, and the façade's enums agree with it.

use aicore::abi::{
    AtomicOp, CmpMode, CopyKind, Direction, Dtype, Form, GmAccess, MatmulPlace, MatmulRole, MatmulSetting, Opcode,
    QueueCount, ReduceOrder, SelMode, Spr,
};
use std::{collections::BTreeMap, fmt::Write};

/// `GM_TO_UB` of `GmToUb`.
fn capitals(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_uppercase());
    }
    text
}

/// What no Rust item stands for: the tables that the façade's headers go through, and numbers without a type.
fn prelude() -> String {
    let mut text = String::new();
    for (name, rows) in [("AIC_DTYPES", Dtype::TABLE), ("AIC_OPCODES", Opcode::TABLE)] {
        let rows: Vec<String> = rows.iter().map(|(name, code)| format!("    X({name}, {code})")).collect();
        let _ = writeln!(text, "// X(name in kernels, value)\n#define {name}(X) \\\n{}\n", rows.join(" \\\n"));
    }
    text.push_str(
        "#define AIC_ENUM(name, value) AIC_OP_##name = value,\nenum { AIC_OPCODES(AIC_ENUM) };\n#undef AIC_ENUM\n",
    );
    let mut numbers = |what: &str, prefix: &str, rows: &[(&str, u32)]| {
        let rows: Vec<String> =
            rows.iter().map(|(name, code)| format!("    {prefix}_{} = {code},", capitals(name))).collect();
        let _ = writeln!(text, "\n// {what}\nenum {{\n{}\n}};", rows.join("\n"));
    };
    numbers("How a vector instruction says which elements it works on.", "AIC_FORM", Form::VARIANTS);
    numbers("Results that instructions leave in special registers.", "AIC_SPR", Spr::VARIANTS);
    numbers("Between global memory and the unified buffer.", "AIC", Direction::VARIANTS);
    numbers("What a scalar access to global memory does; a reference may do either.", "AIC_GM", GmAccess::VARIANTS);
    numbers("The call a copy comes from; it decides units and limits.", "AIC_COPY", CopyKind::VARIANTS);
    numbers("What aic_queue_query counts.", "AIC_QUEUE", QueueCount::VARIANTS);
    numbers("Where an operand of a Matmul object is.", "AIC_MATMUL_AT", MatmulPlace::VARIANTS);
    numbers("Operands of a Matmul object.", "AIC_MATMUL_ROLE", MatmulRole::VARIANTS);
    numbers("What aic_matmul_set sets.", "AIC_MATMUL_SET", MatmulSetting::VARIANTS);
    let atomic = [&[("None", 0)], AtomicOp::VARIANTS].concat();
    numbers("What copies to global memory do with the bytes they find.", "AIC_ATOMIC", &atomic);
    text.push_str("\n// One entry per tiling key; args: inputs, outputs, workspace, tiling.\ntypedef void (*aic_kernel)(void* const* args);\n");
    text
}

/// The functions of `abi!` as plain Rust: cbindgen expands no macros.
fn expanded(text: &str) -> String {
    let mut kept = String::from(text);
    let (_, functions) = text.split_once("\nabi! {\n").expect("abi! of abi.rs");
    for line in functions.lines().map(str::trim_start) {
        if line.starts_with("///") {
            kept += line;
        } else if line.starts_with("fn aic_") {
            let mut signature = line.trim_end_matches('{').to_owned();
            // The argument with the place of the call is no part of the C function.
            if let (Some(begin), Some(end)) = (signature.find("[pc:"), signature.find(']')) {
                signature.replace_range(begin..=end, "");
            }
            let _ = write!(kept, "#[no_mangle]\npub extern \"C\" {signature} {{}}");
        }
        kept.push('\n');
    }
    kept
}

#[test]
fn header() {
    let read = |path: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../src").join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let sources = [
        read("base/ins.rs"),
        read("base/matmul.rs"),
        read("machine/debug.rs"),
        read("vector/adv.rs"),
        expanded(&read("abi.rs")),
        read("launch/icpu.rs").replace("Option<KernelFn>", "KernelFn"),
    ];
    headers::check(&headers::Header {
        path: "hostcann/aicore_abi.h",
        intro: "// C ABI of the vector core: what kernel objects call. The functions live in libascendcl.so.\n\
                // A fault leaves them by unwinding: build kernels with exceptions enabled.",
        includes: &["stdint.h"],
        sources: &sources,
        prelude: &prelude(),
        names: &[
            ("ABI_VERSION", "AIC_ABI_VERSION"),
            ("FLAG", "AIC_FLAG"),
            ("FLAG_REGISTER", "AIC_FLAG_REGISTER"),
            ("Operand", "aic_operand"),
            ("VecIns", "aic_vec"),
            ("CopyIns", "aic_copy_ins"),
            ("Buffer", "aic_buffer"),
            ("DumpIns", "aic_dump_ins"),
            ("MatmulKind", "aic_matmul_kind"),
            ("MatmulTypes", "aic_matmul_types"),
            ("MatmulOperand", "aic_matmul_operand"),
            ("MatmulOut", "aic_matmul_out"),
            ("AdvCall", "aic_adv_call"),
            ("KernelFn", "aic_kernel"),
            ("Param", "aic_icpu_param"),
        ],
        exclude: &[],
    });
    let text = std::fs::read_to_string(crate::support::include_dir().join("hostcann/aicore_abi.h")).unwrap();
    for (name, _) in aicore::exports() {
        assert!(text.contains(&format!("{name}(")), "{name} is exported, not declared");
    }
}

/// The numbers of the façade's enums, which are upstream's, and of the types that stand for data types.
fn rust_side() -> BTreeMap<String, u64> {
    let mut m = BTreeMap::new();
    let mut put = |k: String, v: u64| {
        assert!(m.insert(k.clone(), v).is_none(), "{k} twice");
    };
    for (prefix, table) in [("cmp", CmpMode::TABLE), ("sel", SelMode::TABLE), ("order", ReduceOrder::TABLE)] {
        for (name, v) in table {
            put(format!("{prefix} {name}"), *v as u64);
        }
    }
    for (i, d) in
        [Dtype::F32, Dtype::F16, Dtype::Bf16, Dtype::I8, Dtype::I64, Dtype::F64, Dtype::Bool].iter().enumerate()
    {
        put(format!("dtype size {i}"), d.size() as u64);
    }
    for (name, pipe) in aicore::Pipe::TABLE {
        put(format!("pipe {name}"), *pipe as u64);
    }
    for name in ["MTE2_MTE1", "MTE2_V", "V_MTE3", "V_V", "MTE3_MTE2", "S_V", "MTE3_S", "FIX_FIX"] {
        put(format!("event {name}"), aicore::HardEvent::by_name(name).unwrap().0 as u64);
    }
    m
}

const PROBE: &str = r#"
#include <cstdio>
#include "kernel_operator.h"
using namespace AscendC;
static void Put(const char* prefix, const char* name, unsigned long long v) { std::printf("%s %s=%llu\n", prefix, name, v); }
#define C(t) Put("cmp", #t, (int)CMPMODE::t);
#define S(t) Put("sel", #t, (int)SELMODE::t);
#define R(t) Put("order", #t, (int)ReduceOrder::t);
#define P(t) Put("pipe", #t, PIPE_##t);
#define E(t) Put("event", #t, (int)HardEvent::t);
int main() {
    C(LT) C(GT) C(EQ) C(LE) C(GE) C(NE)
    S(VSEL_CMPMASK_SPR) S(VSEL_TENSOR_SCALAR_MODE) S(VSEL_TENSOR_TENSOR_MODE)
    R(ORDER_VALUE_INDEX) R(ORDER_INDEX_VALUE) R(ORDER_ONLY_VALUE) R(ORDER_ONLY_INDEX)
    P(S) P(V) P(M) P(MTE1) P(MTE2) P(MTE3) P(ALL) P(FIX)
    E(MTE2_MTE1) E(MTE2_V) E(V_MTE3) E(V_V) E(MTE3_MTE2) E(S_V) E(MTE3_S) E(FIX_FIX)
    Put("dtype size", "0", sizeof(float)); Put("dtype size", "1", sizeof(half)); Put("dtype size", "2", sizeof(bfloat16_t));
    Put("dtype size", "3", 1); Put("dtype size", "4", sizeof(int64_t)); Put("dtype size", "5", sizeof(double)); Put("dtype size", "6", sizeof(bool));
    static_assert((int)RoundMode::CAST_ODD == 6 && (int)RoundMode::UNKNOWN == 255 && (int)TPosition::VECIN == 9 && (int)TPosition::MAX == 16, "");
}
"#;

#[test]
fn numbers() {
    let out = crate::support::run_cpp("abi_probe", PROBE);
    let cpp: BTreeMap<String, u64> =
        out.lines().map(|l| l.rsplit_once('=').map(|(k, v)| (k.to_owned(), v.parse().unwrap())).unwrap()).collect();
    assert_eq!(cpp, rust_side());
}

/// A façade function that is not inlined hides the kernel's line behind its own.
#[test]
fn every_facade_function_is_inlined() {
    let dir = crate::support::include_dir().join("ascendc/kernel");
    let entries = [dir.clone(), dir.join("cube")].map(|dir| std::fs::read_dir(dir).unwrap());
    for path in entries.into_iter().flatten().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        let text = std::fs::read_to_string(&path).unwrap();
        // The names of cube_absent.h have no body: a call is an error.
        let bad = text.lines().find(|l| {
            l.contains("__aicore__") && !l.starts_with("#define") && !l.contains("void name(const Arguments&")
        });
        assert_eq!(bad, None, "{}: use HOSTCANN_API", path.display());
    }
}

const SHAPES: &str = r#"
#include "kernel_operator.h"
#include <type_traits>
using namespace AscendC;
static_assert(std::is_same_v<decltype(&::GetTPipePtr), TPipe* (*)()>);
namespace AscendC { inline TPipe* FromInside() { return GetTPipePtr(); } }
static_assert(std::is_same_v<decltype(::g_coreType), const int32_t> && ::g_coreType == AIV && AIC == 1 && MIX == 0);
static_assert(RoundMode::UNKNOWN == static_cast<RoundMode>(0xFF));
static_assert(std::is_same_v<std::underlying_type_t<KernelMetaType>, uint8_t>);
static_assert(std::is_same_v<std::underlying_type_t<CacheMode>, int>);
static_assert(std::is_same_v<std::underlying_type_t<CacheRwMode>, int>);
static_assert(PIPE_MTE4 == 7 && PIPE_MTE5 == 8 && PIPE_V2 == 9 && PIPE_FIX == 10);
void k(LocalTensor<float> f, LocalTensor<int32_t> i, GlobalTensor<float> g) {
    const UnaryRepeatParams u(1, 2, 8, 4, true);
    const BinaryRepeatParams b;
    const BrcbRepeatParams c(1, 8);
    (void)(u.halfBlock && b.repeatStrideMode && b.strideSizeMode && c.repeatStrideMode && u.strideSizeMode);
    (void)(u.blockNumber + b.blockNumber + c.blockNumber + c.src0BlkStride + c.src1RepStride);
    Adds<float, false>(f, f, 1.0f, 64);
    Muls<float, float, false>(f, f, 1.0f, 64);
    Maxs<float, true>(f, f, 1.0f, 64);
    Mins<int32_t, false>(i, i, 1, 64);
    ShiftLeft<int32_t, false>(i, i, 1, 64);
    ShiftRight<int32_t, false>(i, i, 1, 64);
    ReduceSum<float, false>(f, f, f, 64);
    g.SetValue(0, 1.0f);
    if ASCEND_IS_NOT_AIC { (void)GetTPipePtr(); }
}
"#;

/// Fields of parameter structs behave like the plain integers they are upstream, and remember what they lost.
const FIELDS: &str = r#"
#include <cstdio>
#include "kernel_operator.h"
using namespace AscendC;
static uint32_t Wide(uint32_t n) { return n; }
static uint8_t Same(uint8_t n) { return n; }
int main() {
    DataCopyParams p;
    p.blockLen = Wide(70000);
    p.srcGap = 7;
    const uint32_t stride = p.srcStride * 2u + (p.blockCount == 1 ? p.dstGap : 9);
    std::printf("%u %d %lld %u\n", static_cast<uint32_t>(p.blockLen), p.blockLen.Fits(), (long long)p.blockLen.Given(), stride);
    p.blockCount += 4094;
    p.blockCount *= 2;
    BinaryRepeatParams b(1, 1, 1, 8, 8, 8);
    b.dstRepStride = -1;
    std::printf("%u %d %u %d\n", static_cast<uint32_t>(p.blockCount), p.blockCount.Fits(), Same(b.dstRepStride), b.dstRepStride.Fits());
    const DataCopyExtParams e{4095, 1u << 20, 0, 0, 0};
    const DataCopyExtParams copy = e;
    const uint16_t count = copy.blockCount;
    const UnaryRepeatParams u{65535, 1, 255, 8};
    std::printf("%u %u %u %d\n", count, static_cast<uint32_t>(u.dstBlkStride), static_cast<uint32_t>(u.dstRepStride), u.dstRepStride.Fits());
}
"#;

#[test]
fn struct_fields_remember_what_they_lose() {
    assert_eq!(crate::support::run_cpp("fields", FIELDS), "4464 0 70000 14\n8190 1 255 0\n4095 65535 255 1\n");
}

#[test]
fn names_and_types_of_the_toolkit() {
    crate::support::check_cpp("shapes", SHAPES).unwrap();
}

/// What the device compiler rejects must not compile here either.
#[test]
fn calls_that_a2_does_not_have_are_rejected() {
    let rejected = [
        ("scalar type differs from tensor type", "Adds(f, f, 1, 64);"),
        ("double scalar", "Muls(f, f, 1.0, 64);"),
        ("integer division", "Div(i, i, i, 64);"),
        ("bf16 arithmetic", "Add(b, b, b, 64);"),
        ("Subs exists on later chips only", "Subs(f, f, 1.0f, 64);"),
        ("Neg exists on later chips only", "Neg(f, f, 64);"),
        ("bf16 to half", "Cast(h, b, RoundMode::CAST_RINT, 64);"),
        ("unsigned source", "LocalTensor<uint16_t> u; Cast(f, u, RoundMode::CAST_NONE, 64);"),
        ("8-bit Duplicate", "LocalTensor<int8_t> c; Duplicate(c, static_cast<int8_t>(1), 64);"),
        ("Not of 32-bit lanes", "Not(i, i, 64);"),
        ("a sum of bytes", "LocalTensor<int8_t> c; AddReluCast(c, c, c, 64);"),
        ("int4 to float", "LocalTensor<int4b_t> n; Cast(f, n, RoundMode::CAST_NONE, 64);"),
        ("other bits of the control register", "SetCtrlSpr<53, 53>(1);"),
        ("int Select", "LocalTensor<uint8_t> m; Select(i, m, i, i, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);"),
        ("PIPE_S barrier", "PipeBarrier<PIPE_S>();"),
        ("block length beyond 16 bits", "GlobalTensor<float> g; uint32_t n = 100000; DataCopyPad(g, f, {1, n, 0, 0});"),
        ("a stride beyond 8 bits", "int s = 300; Adds(f, f, 1.0f, 64, 4, {1, 1, 8, s});"),
        ("a block count of 32 bits", "GlobalTensor<float> g; uint32_t n = 5; DataCopyPad(g, f, {n, 4, 0, 0, 0});"),
        ("too few fields", "DataCopyParams p{1, 8}; (void)p;"),
        ("bf16 scalar arithmetic", "bfloat16_t x = ToBfloat16(1.0f); auto y = x + x; (void)y;"),
        ("int Abs", "Abs(i, i, 64);"),
        ("GetTPipePtr is global", "(void)AscendC::GetTPipePtr();"),
        ("writing through a const GlobalTensor", "const GlobalTensor<float> g; g.SetValue(0, 1.0f);"),
        ("core types are constants", "(void)AscendC::CoreType::AIV;"),
        ("And of 32-bit lanes with a mask", "And(i, i, i, 64, 1, {1, 1, 1, 8, 8, 8});"),
        ("Gatherb of floats", "LocalTensor<uint32_t> u; Gatherb(f, f, u, 1, {1, 8});"),
        ("8-bit GatherMask", "LocalTensor<int8_t> c; uint64_t n; GatherMask(c, c, 1, false, 0, {1, 1, 8, 0}, n);"),
        (
            "bit pattern of another width",
            "LocalTensor<uint16_t> u; uint64_t n; GatherMask(f, f, u, false, 0, {1, 1, 8, 8}, n);",
        ),
        ("integer reduction", "WholeReduceMax(i, i, 64, 1, 1, 1, 8);"),
        ("bf16 sum", "ReduceSum(b, b, b, 64);"),
        ("pairs have sums only", "ReducePairElem<ReduceType::MAX>(f, f, 64, 1, 1, 1, 8);"),
        ("integer sort", "LocalTensor<uint32_t> u; Sort32(i, i, u, 1);"),
        ("int32 AddRelu", "AddRelu(i, i, i, 64);"),
        ("Compare of integers into the register", "Compare(i, i, CMPMODE::EQ, 64, BinaryRepeatParams());"),
        ("no CAST_UNKNOWN", "(void)RoundMode::CAST_UNKNOWN;"),
    ];
    let source = |body: &str| {
        format!(
            "#include \"kernel_operator.h\"\nusing namespace AscendC;\nvoid k() {{ LocalTensor<float> f; LocalTensor<half> h; \
             LocalTensor<bfloat16_t> b; LocalTensor<int32_t> i; (void)f; (void)h; (void)b; (void)i; {body} }}\n"
        )
    };
    let fine = "Adds(f, f, 1.0f, 64); Adds<float>(f, f, 1, 64); Muls<float, float>(f, f, 2.0f, 64); Cast(f, b, RoundMode::CAST_NONE, 64); \
        CompareScalar(f, f, 1.0f, CMPMODE::LT, 64); Select(f, f, f, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);";
    crate::support::check_cpp("accepted", &source(fine)).unwrap();
    for (what, body) in rejected {
        assert!(crate::support::check_cpp("rejected", &source(body)).is_err(), "{what} compiles: {body}");
    }
}
