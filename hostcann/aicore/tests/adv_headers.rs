//! The toolkit's header names, and the temporary space that tiling functions ask for.

mod support;

use std::path::Path;

fn headers(dir: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            headers(&path, found);
        } else {
            found.push(path.strip_prefix(support::include_dir()).unwrap().to_str().unwrap().to_owned());
        }
    }
}

#[test]
fn every_name_compiles() {
    let mut found = Vec::new();
    for dir in ["adv_api", "lib"] {
        headers(&support::include_dir().join(dir), &mut found);
    }
    found.sort();
    for name in
        ["adv_api/math/asinh.h", "lib/math/sin_tiling.h", "lib/pad/kernel_operator_pad_intf.h", "lib/tiling_api.h"]
    {
        assert!(found.iter().any(|f| f == name), "{name}");
    }
    // Each kernel header brings its function, each tiling header its size.
    let (tiling, mut kernel): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|f| f.contains("tiling") && !f.contains("matmul"));
    // The basic interface's names are in the include path with and without their directory.
    let mut basic = Vec::new();
    for dir in ["basic_api", "utils/std", "utils/debug"] {
        headers(&support::include_dir().join(dir), &mut basic);
    }
    let bare = basic
        .iter()
        .filter_map(|f| f.strip_prefix("basic_api/").or(f.strip_prefix("utils/").filter(|f| f.starts_with("std/"))));
    kernel.extend(bare.map(str::to_owned));
    kernel.extend(basic.iter().cloned());
    for name in
        ["kernel_operator_list_tensor_intf.h", "basic_api/kernel_tpipe.h", "std/tuple.h", "utils/debug/asc_dump.h"]
    {
        assert!(kernel.iter().any(|f| f == name), "{name}");
    }
    let include = |names: &[String]| names.iter().map(|n| format!("#include \"{n}\"\n")).collect::<String>();
    support::check_cpp("kernel_names", &include(&kernel)).unwrap();
    support::check_cpp("tiling_names", &include(&tiling)).unwrap();
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
                ReduceXorSum 6144 6144\nReduceXorSum 512 512\n\
                Atan 12 0\nCos 3 0\nPower 5 256\nExp 8 0\n";
    assert_eq!(support::run_cpp("tmp_sizes", SIZES), want);
}
