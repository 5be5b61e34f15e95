//! The toolkit's header names, and the temporary space that tiling functions ask for.

use std::path::Path;

/// Headers below a directory, with their other names.
fn headers(dir: &str, found: &mut Vec<String>) {
    for base in [crate::support::include_dir(), crate::support::other_names().to_path_buf()] {
        let dir = base.join(dir);
        if dir.is_dir() {
            below(&base, &dir, found);
        }
    }
}

fn below(base: &Path, dir: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(base, &path, found);
        } else {
            found.push(path.strip_prefix(base).unwrap().to_str().unwrap().to_owned());
        }
    }
}

#[test]
fn every_name_compiles() {
    let mut found = Vec::new();
    for dir in ["adv_api", "lib"] {
        headers(dir, &mut found);
    }
    found.sort();
    for name in [
        "adv_api/math/asinh.h",
        "adv_api/normalization/kernel_operator_layernorm_intf.h",
        "lib/math/kernel_operator_power_intf.h",
        "lib/math/sin_tiling.h",
        "lib/pad/kernel_operator_pad_intf.h",
        "lib/sigmoid/kernel_operator_sigmoid_intf.h",
        "lib/tiling_api.h",
    ] {
        assert!(found.iter().any(|f| f == name), "{name}");
    }
    // Each kernel header brings its function, each tiling header its size.
    let of_kernels = |f: &str| f.ends_with("matmul/tiling.h") || f.ends_with("matmul/constant_tiling.h");
    let (tiling, mut kernel): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|f| f.contains("tiling") && !of_kernels(f));
    // The basic interface's names are in the include path with and without their directory.
    let mut basic = Vec::new();
    for dir in ["basic_api", "utils/std", "utils/debug"] {
        headers(dir, &mut basic);
    }
    let bare = basic
        .iter()
        .filter_map(|f| f.strip_prefix("basic_api/").or(f.strip_prefix("utils/").filter(|f| f.starts_with("std/"))));
    kernel.extend(bare.map(str::to_owned));
    kernel.extend(basic.iter().cloned());
    for name in [
        "kernel_operator_list_tensor_intf.h",
        "kernel_utils.h",
        "basic_api/kernel_tpipe.h",
        "std/tuple.h",
        "utils/debug/asc_dump.h",
    ] {
        assert!(kernel.iter().any(|f| f == name), "{name}");
    }
    let include = |names: &[String]| names.iter().map(|n| format!("#include \"{n}\"\n")).collect::<String>();
    crate::support::check_cpp("kernel_names", &include(&kernel)).unwrap();
    crate::support::check_cpp("tiling_names", &include(&tiling)).unwrap();
}

/// What tiling functions name beside the context: module ids of the log, by each of its headers, and ge's status.
#[test]
fn host_code_logs_by_module_and_returns_a_ge_status() {
    for header in ["toolchain/slog.h", "base/dlog_pub.h", "op_common/log/log.h"] {
        let source = format!(
            "#include \"{header}\"\n#include \"graph/types.h\"\nstatic_assert(OP == 63 && GE == 45 && DEVMM == 22 && \
             TUNE == 60 && DLOG_ERROR == 3);\nint Level(int n)\n{{\n    dlog_error(OP, \"n is %d\", n);\n    \
             DlogSub(OP, \"tiling\", DLOG_WARN, \"no arguments\");\n    return CheckLogLevel(OP, DLOG_DEBUG);\n}}\n"
        );
        crate::support::check_cpp("log_header", &source).unwrap();
    }
    for header in ["runtime/context.h", "runtime/rt_external_base.h", "base/alog_pub.h"] {
        let source = format!(
            "#include \"base/alog_pub.h\"\n#include \"{header}\"\n#include \"runtime/base.h\"\n\
             static_assert(RT_ERROR_NONE == 0);\nint Level(rtStream_t stream, rtContext_t context, int n)\n{{\n    \
             if (AlogCheckDebugLevel(OP, DLOG_INFO) == 1) {{\n        \
             AlogRecord(OP, DLOG_TYPE_DEBUG, DLOG_INFO, \"n is %d\", n);\n    }}\n    \
             int64_t value = 0;\n    rtError_t status = aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value);\n    \
             return stream == context ? status : 0;\n}}\n"
        );
        crate::support::check_cpp("runtime_header", &source).unwrap();
    }
    let prototype = "#include \"graph/operator_reg.h\"\nnamespace ge {\nREG_OP(Step)\n    \
                     .INPUT(x, TensorType({DT_FLOAT, DT_BF16}))\n    .OPTIONAL_INPUT(late, \"T\")\n    \
                     .OUTPUT(y, TensorType::ALL())\n    .ATTR(dims, ListInt, {1, 2})\n    \
                     .OP_END_FACTORY_REG(Step)\n} // namespace ge\n";
    crate::support::check_cpp("prototype", prototype).unwrap();
    for header in ["ge_common/ge_api_error_codes.h", "exe_graph/runtime/tiling_context.h"] {
        let source = format!(
            "#include \"{header}\"\nstatic_assert(ge::SUCCESS == ge::GRAPH_SUCCESS && ge::FAILED == 0xFFFFFFFF);\n\
             ge::graphStatus Tile() {{ return ge::SUCCESS; }}\n"
        );
        crate::support::check_cpp("ge_status", &source).unwrap();
    }
}

/// A tiling function holds TCubeTiling and fills it.
#[test]
fn tiling_classes_of_matmul() {
    for (class, by) in [
        ("MultiCoreMatmulTiling", "(platform)"),
        ("MatmulApiTiling", "(platform)"),
        ("MatmulApiTiling", ""),
        ("BatchMatmulTiling", "(platform)"),
    ] {
        let source = format!(
            "#include \"tiling/tiling_api.h\"\nnamespace optiling {{\nBEGIN_TILING_DATA_DEF(Mixed)\n\
             TILING_DATA_FIELD_DEF(uint32_t, n)\nTILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube)\nEND_TILING_DATA_DEF\n}}\n\
             int64_t Tile(optiling::Mixed& t, const platform_ascendc::PlatformAscendC& platform)\n{{\n    (void)platform;\n\
             \x20   matmul_tiling::{class} mm{by};\n    using namespace matmul_tiling;\n    \
             mm.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, true);\n    SysTilingTempBufSize size;\n    \
             MatmulGetTmpBufSize(t.cube, size);\n    return mm.GetTiling(t.cube);\n}}\n"
        );
        crate::support::compile_cpp("matmul_tiling", &source).unwrap_or_else(|error| panic!("{class}: {error}"));
    }
}

const SIZES: &str = r#"
#include <cstdio>
#include "tiling/tiling_api.h"
using namespace AscendC;
#define SIZE(name, shape, ...) { uint32_t max = 7, min = 7; Get##name##MaxMinTmpSize(ge::Shape shape, __VA_ARGS__, max, min); std::printf(#name " %u %u\n", max, min); }
#define FACTOR(name, ...) { uint32_t live = 7, extra = 7; Get##name##TmpBufferFactorSize(__VA_ARGS__, live, extra); std::printf(#name " %u %u\n", live, extra); }
#define REDUCE(name, rows, columns, type, pattern, reuse) SIZE(Reduce##name, ({rows, columns}), ge::DT_##type, ReducePattern::pattern, true, reuse)
int main() {
    SIZE(Sin, ({1000}), 4, false) SIZE(Sin, ({1000}), 4, true) SIZE(Sin, ({1000}), 2, false) SIZE(Sin, ({10}), 4, false) SIZE(Sin, ({0}), 4, false)
    SIZE(Floor, ({100, 3}), 4, false) SIZE(Fmod, ({1000}), 2, false) SIZE(Acosh, ({10}), 4, false) SIZE(Log2, ({100}), 2, false)
    SIZE(Exp, ({1000}), 2, false) SIZE(Clamp, ({1000}), 4, false) SIZE(Sigmoid, ({1000}), 2, false) SIZE(Log, ({1000}), 4, false)
    SIZE(Power, ({1000}), ge::Shape({1000}), false, 4, false) SIZE(Power, ({1}), ge::Shape({1000}), false, 2, false) SIZE(Power, ({1000}), ge::Shape({1}), true, 4, false)
    { uint32_t max, min; GetSumMaxMinTmpSize(201, 4, false, max, min); std::printf("Sum %u %u\n", max, min); }
    { uint32_t max, min; GetMeanMaxMinTmpSize(201, 2, 4, false, max, min); std::printf("Mean %u %u\n", max, min); }
    SIZE(CumSum, ({20, 16}), 4, true, false) SIZE(CumSum, ({20, 16}), 2, false, false)
    REDUCE(Sum, 16, 32, FLOAT, AR, false) REDUCE(Sum, 3, 100, FLOAT, AR, false) REDUCE(Mean, 1, 128, FLOAT, AR, false) REDUCE(Sum, 5, 9, FLOAT, RA, false)
    REDUCE(Sum, 16, 100, FLOAT16, AR, false) REDUCE(Max, 4, 12, FLOAT16, AR, false) REDUCE(Max, 4, 17, FLOAT16, AR, false) REDUCE(Min, 4, 128, FLOAT16, AR, false)
    REDUCE(Min, 4, 128, FLOAT, AR, true) REDUCE(Prod, 3, 5, FLOAT, AR, false) REDUCE(Prod, 3, 5, FLOAT, AR, true) REDUCE(Any, 3, 40, UINT8, AR, true) REDUCE(All, 8, 40, UINT8, RA, false)
    SIZE(Digamma, ({1000}), 4, true) SIZE(Digamma, ({10}), 2, false) SIZE(Lgamma, ({1000}), 4, false) SIZE(Lgamma, ({10}), 2, false) FACTOR(Lgamma, 2) FACTOR(Digamma, 2)
    SIZE(ReduceXorSum, ({1024}), 2, false) SIZE(ReduceXorSum, ({100}), 2, true)
    FACTOR(Atan, 2) FACTOR(Cos, 4) FACTOR(Power, true, false, false, 4) FACTOR(Exp, 2)
}
"#;

#[test]
fn sizes_are_those_of_the_toolkit() {
    let want = "Sin 12000 768\nSin 8000 512\nSin 16000 2048\nSin 768 768\nSin 7 7\n\
                Floor 0 0\nFmod 16000 2048\nAcosh 1024 256\nLog2 400 256\n\
                Exp 16000 1024\nClamp 1000 64\nSigmoid 2000 256\nLog 0 0\n\
                Power 16256 1280\nPower 28256 2048\nPower 28000 1792\n\
                Sum 32 32\nMean 864 864\n\
                CumSum 4096 2048\nCumSum 1280 1280\n\
                ReduceSum 0 0\nReduceSum 768 768\nReduceMean 512 512\nReduceSum 256 256\n\
                ReduceSum 7 7\nReduceMax 0 0\nReduceMax 128 128\nReduceMin 1024 1024\n\
                ReduceMin 0 0\nReduceProd 384 384\nReduceProd 256 256\nReduceAny 224 224\nReduceAll 256 256\n\
                Digamma 24000 1536\nDigamma 4096 4096\nLgamma 32000 2048\nLgamma 6656 6656\nLgamma 13 0\nDigamma 16 0\n\
                ReduceXorSum 6144 6144\nReduceXorSum 512 512\n\
                Atan 12 0\nCos 3 0\nPower 5 256\nExp 8 0\n";
    assert_eq!(crate::support::run_cpp("tmp_sizes", SIZES), want);
}

const SOFTMAX_SIZES: &str = r#"
#include <cstdio>
#include "tiling/tiling_api.h"
using namespace AscendC;
#define SIZES(name, shape, ...) std::printf(#name " %u %u\n", Get##name##MaxTmpSize(ge::Shape shape, __VA_ARGS__), Get##name##MinTmpSize(ge::Shape shape, __VA_ARGS__));
#define SPLIT(name, shape, ...) { tiling::SoftMaxTiling t{}; name##TilingFunc(ge::Shape shape, __VA_ARGS__); std::printf(#name " %u %u %u %u | %u %u %u %u | %u %u %u %u | %u %u %u %u\n", t.srcM, t.srcK, t.srcSize, t.outMaxM, t.outMaxK, t.outMaxSize, t.splitM, t.splitK, t.splitSize, t.reduceM, t.reduceK, t.reduceSize, t.rangeM, t.tailM, t.tailSplitSize, t.tailReduceSize); }
int main() {
    SIZES(SoftMax, ({4, 80, 64}), 2, false) SIZES(LogSoftMax, ({320, 64}), 4, false) SIZES(SoftMax, ({0, 64}), 2, false) SIZES(SoftMax, ({1, 64}), 1, false)
    SIZES(SoftMaxFlash, ({10, 64}), 4, true, false) SIZES(SoftMaxFlash, ({10, 64}), 4, false, false)
    SIZES(SoftMaxGrad, ({10, 16}), 2, true, false) SIZES(SoftMaxGrad, ({10, 16}), 4, true, false) SIZES(SoftMaxGrad, ({10, 16}), 4, false, false)
    SIZES(SoftMaxFlashV2, ({20, 32}), 2, 4, true) SIZES(SoftMaxFlashV2, ({20, 32}), 2, 4, true, false, true) SIZES(SoftMaxFlashV2, ({20, 32}), 4, 4, true)
    SIZES(SoftMaxFlashV2, ({64, 1024}), 4, 4, true, true) SIZES(SoftMaxFlashV2, ({64, 128}), 2, 4, true, true)
    { uint32_t max = 7, min = 7; GetSoftMaxFlashV3MaxMinTmpSize(ge::Shape({16, 512}), 2, 4, max, min, true); std::printf("V3 %u %u\n", max, min); }
    SPLIT(SoftMax, ({320, 64}), 2, 100000, t) SPLIT(LogSoftMax, ({20, 16}), 4, 4000, t) SPLIT(SoftMaxFlash, ({20, 64}), 4, 6400, t, true)
    SPLIT(SoftMaxGrad, ({30, 16}), 2, 6000, t) SPLIT(SoftMaxFlashV2, ({64, 1024}), 4, 4, 100000, t, true, true) SPLIT(SoftMaxFlashV2, ({40, 32}), 2, 4, 448 * 20, t, true, false, true)
    SPLIT(SoftMaxFlashV3, ({16, 512}), 2, 4, 50000, t, true)
    { tiling::SoftMaxTiling t{}; t.srcK = 64; std::printf("basic %d %d", IsBasicBlockInSoftMax(t, 4), IsBasicBlockInSoftMax(t)); t.tailM = 1; std::printf(" %d", IsBasicBlockInSoftMax(t, 4)); t.tailM = 0; t.srcK = 2048; std::printf(" %d\n", IsBasicBlockInSoftMax(t, 4)); }
}
"#;

/// By hand from the room of a row: 16 + 64 + 64 floats for the first one, and so on.
#[test]
fn softmax_sizes_and_tilings_are_those_of_the_toolkit() {
    let want = "SoftMax 184320 576\nLogSoftMax 174080 544\nSoftMax 0 0\nSoftMax 0 0\n\
                SoftMaxFlash 6400 640\nSoftMaxFlash 5440 544\n\
                SoftMaxGrad 5760 576\nSoftMaxGrad 3520 352\nSoftMaxGrad 3840 384\n\
                SoftMaxFlashV2 8960 448\nSoftMaxFlashV2 8960 7168\nSoftMaxFlashV2 5760 288\n\
                SoftMaxFlashV2 4352 4352\nSoftMaxFlashV2 51200 6400\n\
                V3 72192 4512\n\
                SoftMax 320 64 20480 320 | 16 5120 160 64 | 10240 160 16 2560 | 2 0 0 0\n\
                LogSoftMax 20 16 320 20 | 8 160 8 16 | 128 8 8 64 | 2 4 64 32\n\
                SoftMaxFlash 20 64 1280 20 | 8 160 8 64 | 512 8 8 64 | 2 4 256 32\n\
                SoftMaxGrad 30 16 480 30 | 16 480 8 16 | 128 8 16 128 | 3 6 96 96\n\
                SoftMaxFlashV2 64 1024 65536 64 | 8 512 8 1024 | 8192 8 8 64 | 8 0 0 0\n\
                SoftMaxFlashV2 40 32 1280 40 | 8 320 16 32 | 512 16 8 128 | 2 8 256 64\n\
                SoftMaxFlashV3 16 512 8192 16 | 8 128 8 512 | 4096 8 8 64 | 2 0 0 0\n\
                basic 1 0 0 0\n";
    assert_eq!(crate::support::run_cpp("softmax_sizes", SOFTMAX_SIZES), want);
}

const TILINGS: &str = r#"
#include <cstdio>
#include "tiling/tiling_api.h"
using namespace AscendC;
#define SHAPE(...) ge::Shape({__VA_ARGS__})
#define SIZE(name, ...) { uint32_t max = 7, min = 7; Get##name##MaxMinTmpSize(__VA_ARGS__, max, min); std::printf(#name " %u %u\n", max, min); }
int main() {
    SIZE(LayerNorm, SHAPE(2, 16, 64, 64), 2, false) SIZE(LayerNorm, SHAPE(2, 16, 64, 64), 4, true) SIZE(LayerNorm, SHAPE(2, 64), 2, false, true, false)
    SIZE(Normalize, SHAPE(300, 8), 4, 4, false, true, false) SIZE(LayerNormGrad, SHAPE(2, 32, 16, 16), 4, false) SIZE(LayerNormGradBeta, SHAPE(1, 8, 16, 16), 2, false)
    SIZE(WelfordUpdate, SHAPE(1, 64), 2, 4, false, false) SIZE(WelfordUpdate, SHAPE(1, 200), 4, 4, false, false) SIZE(WelfordFinalize, SHAPE(200), 4, false)
    SIZE(DeepNorm, SHAPE(4, 2, 8), 4, false, false) SIZE(LayerNorm, SHAPE(2, 16, 64), 2, false)
    SIZE(Transpose, SHAPE(1, 2, 63, 32), 2, 1) SIZE(Transpose, SHAPE(1, 2, 64, 32), 4, 3) SIZE(ConfusionTranspose, SHAPE(16, 32), 4, 7) SIZE(Transpose, SHAPE(16, 32), 4, 13)
    uint32_t max = 7, min = 7;
    bool done = GetRmsNormMaxMinTmpSize(SHAPE(2, 16, 64), 2, max, min);
    std::printf("RmsNorm %d %u %u\n", done, max, min);
    std::printf("block %d\n", GetRmsNormMaxMinTmpSize(SHAPE(2, 16, 72), 2, max, min, true));
    done = GetBatchNormMaxMinTmpSize(SHAPE(8, 4, 2), SHAPE(8, 4, 2), 4, false, max, min);
    std::printf("BatchNorm %d %u %u\n", done, max, min);
    GetGroupNormMaxMinTmpSize(SHAPE(2, 8, 4, 2), 4, false, 4, max, min);
    std::printf("GroupNorm %u %u\n", max, min);
    std::printf("TopK %u %u %u %u\n", hostcann::TopKTmp(1024, 4, true, TopKMode::TOPK_NORMAL, true), hostcann::TopKTmp(1024, 4, false, TopKMode::TOPK_NORMAL, false), hostcann::TopKTmp(32, 4, true, TopKMode::TOPK_NSMALL, true), hostcann::TopKTmp(32, 4, false, TopKMode::TOPK_NSMALL, false));
    tiling::LayerNormTiling l;
    GetLayerNormNDTilingInfo(SHAPE(2, 16, 64, 60), 1024, 2, false, l);
    std::printf("%u %u %u %u %u %u %u %g\n", l.bLength, l.sLength, l.hLength, l.originalHLength, l.oneTmpSize, l.loopRound, l.firstTmpStartPos, l.lastDimValueBack * 60);
    tiling::LayerNormTiling none;
    GetLayerNormNDTilingInfo(SHAPE(2, 16, 64, 60), 1023, 2, false, none);
    std::printf("%u\n", none.hLength);
    tiling::RmsNormTiling r;
    done = GetRmsNormTilingInfo(SHAPE(2, 16, 64), SHAPE(2, 16, 63), 3000, 2, r);
    std::printf("%d %u %u %u %u %u\n", done, r.originalHLength, r.mainBsLength, r.loopRound, r.tailBsLength, r.inputTailPos);
    std::printf("%d\n", GetRmsNormTilingInfo(SHAPE(2, 16, 64), SHAPE(2, 16, 63), 543, 2, r));
    tiling::GroupNormTiling g;
    GetGroupNormNDTilingInfo(SHAPE(2, 8, 3, 3), 1088, 4, false, 4, g);
    std::printf("%u %u %u %u %u %u %g\n", g.hw, g.hwAlignSize, g.d, g.g, g.oneTmpSize, g.loopRound, g.factor * 18);
    tiling::BatchNormTiling b;
    GetBatchNormNDTilingInfo(SHAPE(8, 4, 16), SHAPE(8, 4, 16), 1300, 4, false, b);
    std::printf("%u %u %u %u %u\n", b.originalBLength, b.meanVarSize, b.shCurLength, b.loopRound, b.inputTailPos);
    const platform_ascendc::PlatformAscendC platform(nullptr);
    const TransDataConfig to = {DataFormat::NCDHW, DataFormat::NDC1HWC0}, from = {DataFormat::FRACTAL_Z_3D, DataFormat::NCDHW};
    done = GetTransDataMaxMinTmpSize(platform, SHAPE(1, 32, 2, 2, 8), SHAPE(1, 2, 2, 2, 8, 16), ge::DT_FLOAT16, to, max, min);
    std::printf("TransData %d %u %u", done, max, min);
    done = GetTransDataMaxMinTmpSize(platform, SHAPE(1, 1, 1, 3, 1, 16, 16), SHAPE(2, 16, 1, 1, 3), ge::DT_BF16, from, max, min);
    std::printf(" %d %u %u", done, max, min);
    done = GetTransDataMaxMinTmpSize(platform, SHAPE(1, 32, 2, 2, 8), SHAPE(1, 3, 2, 2, 8, 16), ge::DT_FLOAT16, to, max, min);
    std::printf(" %d", done);
    std::printf(" %d\n", GetTransDataMaxMinTmpSize(platform, SHAPE(1, 32, 2, 2, 8), SHAPE(1, 2, 2, 2, 8, 16), ge::DT_FLOAT, to, max, min));
}
"#;

/// The first numbers are those of the pages' formulas; the tiling holds rows in the room that is given.
#[test]
fn tilings_of_the_normalizations() {
    let want = "LayerNorm 24832 1024\nLayerNorm 16640 768\nLayerNorm 4640 1056\n\
                Normalize 19520 1216\nLayerNormGrad 24576 6144\nLayerNormGradBeta 2048 256\n\
                WelfordUpdate 768 768\nWelfordUpdate 2048 512\nWelfordFinalize 2112 1024\n\
                DeepNorm 832 160\nLayerNorm 7 7\n\
                Transpose 2048 512\nTranspose 2048 2048\nConfusionTranspose 0 0\nTranspose 7 7\n\
                RmsNorm 1 16512 544\nblock 0\nBatchNorm 1 832 832\nGroupNorm 1600 256\nTopK 16384 20480 1088 2112\n\
                2 16 64 60 64 32 64 1\n0\n1 63 5 6 2 1920\n0\n9 16 2 4 64 4 1\n8 64 8 8 64\n\
                TransData 1 2112 2112 1 16384 16384 0 0\n";
    assert_eq!(crate::support::run_cpp("tilings", TILINGS), want);
}

const UNIT_SIZES: &str = r#"
#include <cstdio>
#include "tiling/tiling_api.h"
using namespace AscendC;
#define SIZE(name, ...) { uint32_t max = 7, min = 7; Get##name##MaxMinTmpSize(__VA_ARGS__, max, min); std::printf(#name " %u %u\n", max, min); }
#define FACTOR(name, ...) { uint32_t live = 7, extra = 7; Get##name##TmpBufferFactorSize(__VA_ARGS__ live, extra); std::printf(#name " %u %u\n", live, extra); }
using S = ge::Shape;
int main() {
    SIZE(Gelu, S({100, 3}), 2) SIZE(Gelu, S({10}), 4) SIZE(GeGLU, S({1000}), 2, false) SIZE(GeGLU, S({1000}), 4, false) SIZE(GeGLU, S({10}), 2, false)
    SIZE(ReGlu, S({1000}), 2, false) SIZE(ReGlu, S({1000}), 4, false)
    { uint32_t max = 7, min = 7; GetSwiGLUMaxMinTmpSize(S({1000}), 2, max, min, false); std::printf("SwiGLU %u %u\n", max, min); }
    FACTOR(GeGLU, 2,) FACTOR(SwiGLU, 4,) FACTOR(AscendQuant, )
    SIZE(AscendQuant, S({1001}), 2) SIZE(AscendQuant, S({32}), 4) SIZE(AscendDequant, S({4, 8}), 4) SIZE(AscendDequant, S({8}), 4)
    FACTOR(AscendDequant, S({4, 8}),) FACTOR(AscendDequant, S({8}),)
    SIZE(Quantize, S({1001}), 2) SIZE(Quantize, S({0}), 2) SIZE(Dequantize, S({4, 8}), 4) SIZE(Dequantize, S({8}), 4) SIZE(Dequantize, S({2, 2, 8}), 4)
    FACTOR(Quantize, ) FACTOR(Dequantize, S({4, 8}),) FACTOR(Dequantize, S({8}),) FACTOR(Dequantize, S({2, 2, 8}),)
    SIZE(AntiQuantize, S({64, 96}), S({2, 96}), false, ge::DT_INT8, ge::DT_BF16) FACTOR(AntiQuantize, S({64, 96}), S({2, 96}), ge::DT_INT8, ge::DT_BF16,)
    { uint32_t max = 7, min = 7; GetSiluTmpSize(S({1000}), 2, false, max, min); std::printf("Silu %u %u\n", max, min); }
    { uint32_t max = 7, min = 7; GetSwishTmpSize(S({1000}), 4, true, max, min); std::printf("Swish %u %u\n", max, min); }
    { uint32_t max = 7, min = 7; SortConfig config; config.type = SortType::MERGE_SORT; GetSortMaxMinTmpSize(S({64}), ge::DT_FLOAT, ge::DT_UINT32, false, config, max, min); std::printf("Sort %u %u\n", max, min); }
    SIZE(AscendAntiQuant, S({64, 96}), S({2, 96}), false, ge::DT_INT8, ge::DT_BF16) SIZE(AscendAntiQuant, S({64, 96}), S({64, 2}), true, ge::DT_INT8, ge::DT_BF16)
    SIZE(AscendAntiQuant, S({64, 96}), S({1}), true, ge::DT_INT8, ge::DT_BF16) SIZE(AscendAntiQuant, S({64, 96}), S({2, 96}), false, ge::DT_INT8, ge::DT_FLOAT16)
    FACTOR(AscendAntiQuant, S({64, 96}), S({2, 96}), false, ge::DT_INT8, ge::DT_BF16,) FACTOR(AscendAntiQuant, S({64, 96}), S({1}), false, ge::DT_INT8, ge::DT_BF16,)
    SIZE(DropOut, S({4, 96}), 4, false) SIZE(DropOut, S({4}), 4, false)
    SIZE(Select, S({3, 160}), S({1}), 4, S({3, 160}), 1, true) SIZE(Select, S({1}), S({4, 2048}), 2, S({4, 2080}), 2, false) SIZE(SelectWithBytesMask, S({4, 16}), S({1}), 2, S({4, 32}), 1, true)
}
"#;

#[test]
fn unit_sizes_are_those_of_the_toolkit() {
    let want = "Gelu 3600 768\nGelu 768 768\nGeGLU 8000 1024\nGeGLU 0 0\nGeGLU 1024 1024\n\
                ReGlu 12000 1536\nReGlu 256 256\nSwiGLU 12000 1536\n\
                GeGLU 4 0\nSwiGLU 0 0\nAscendQuant 2 0\n\
                AscendQuant 2016 512\nAscendQuant 512 512\nAscendDequant 448 352\nAscendDequant 352 352\n\
                AscendDequant 1 80\nAscendDequant 2 72\n\
                Quantize 2016 512\nQuantize 7 7\nDequantize 448 352\nDequantize 352 352\nDequantize 7 7\n\
                Quantize 2 0\nDequantize 1 80\nDequantize 2 72\nDequantize 0 0\n\
                AntiQuantize 0 0\nAntiQuantize 0 0\nSilu 0 0\nSwish 0 0\nSort 7 7\n\
                AscendAntiQuant 17920 17920\nAscendAntiQuant 40960 40960\n\
                AscendAntiQuant 24576 1024\nAscendAntiQuant 0 0\n\
                AscendAntiQuant 0 17920\nAscendAntiQuant 1 0\n\
                DropOut 3072 512\nDropOut 512 512\n\
                Select 1472 1472\nSelect 33280 25088\nSelectWithBytesMask 1024 1024\n";
    assert_eq!(crate::support::run_cpp("unit_sizes", UNIT_SIZES), want);
}
