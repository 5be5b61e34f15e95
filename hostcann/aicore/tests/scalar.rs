//! Scalar functions and types of the façade.

const PROBE: &str = r#"
#include <cstdio>
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
constexpr half ONE = 1.0;
constexpr half TINY = 1e-4f;
static_assert(static_cast<float>(ONE + ONE) == 2.0f && half(0.5f) < ONE && -ONE == half(-1));
static_assert(bfloat16_t(1).Bits() == 0x3f80 && bfloat16_t(-2.5f).Bits() == 0xc020);
static_assert(std::is_same_v<float16_t, half> && std::is_same_v<float32_t, float>);
static_assert(AlignUp(33, 32) == 64 && AlignUp(32, 32) == 32 && DivCeil(7, 2) == 4 && ConstCeil(8, 2) == 4);
static_assert(Std::max(3, 5L) == 5 && Std::min(3, 5L) == 3 && Std::ceil_division(7, 2) == 4 && Std::ceil_align(7, 4) == 8);
static_assert(::min(3, 5L) == 3 && ::max(-1, 1) == 1);
static_assert(std::is_same<decltype(GetAccVal()), int64_t>::value && std::is_same<decltype(GetReduceRepeatSumSpr()), int64_t>::value);
static_assert(DROPOUT_MODE_BYTE_MISALIGN == 1 && DROPOUT_MODE_BYTE_ALIGN == 2 && DROPOUT_MODE_BIT_ALIGN == 3 && DROPOUT_MODE_BIT_MISALIGN == 4);
[[maybe_unused]] static void Preload() { PRELOAD(2); }
const DataCopyPadExtParams<bfloat16_t> PAD{true, 0, 1, 0};
static void Put(const char* name, long long v) { std::printf("%s=%lld\n", name, v); }
static void Half(const char* name, half h) { Put(name, GetScalarBitcodeValue<half, uint16_t>(h)); }
int main() {
    Put("clz", ScalarCountLeadingZero(0x0100000000000020ULL)); Put("clz0", CountLeadingZero(0));
    Put("ones", GetBitCount<1>(0xffff)); Put("zeros", ScalarGetCountOfValue<0>(0xffff));
    Put("sign 0", CountBitsCntSameAsSignBit(0)); Put("sign -1", CountBitsCntSameAsSignBit(-1));
    Put("sign 1", CountBitsCntSameAsSignBit(1)); Put("sign min", CountBitsCntSameAsSignBit(INT64_MIN));
    Put("sff 1", GetSFFValue<1>(0xff00)); Put("sff 0", ScalarGetSFFValue<0>(0xff)); Put("sff none", GetSFFValue<1>(0));
    Put("ceil", Ceil(9, 4)); Put("ceil/0", CeilDivision(9, 0)); Put("ceil/4", CeilDivision(9, 4));
    uint32_t rows = 70000; // not a constant: an overflow of one is refused
    Put("align", CeilAlign(rows, 32U)); Put("mixed", matmul::CeilAlign(rows - 66000, 32)); Put("16 bits", matmul::CeilDiv(rows, 32));
    const float values[] = {2.5f, -2.5f, 1.5f, -0.5f, 3e9f, -3e9f, __builtin_nanf("")};
    for (float v : values) {
        std::printf("%g %d %d %d %d\n", v, Cast<float, int32_t, RoundMode::CAST_ROUND>(v), ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(v),
                    Cast<float, int32_t, RoundMode::CAST_FLOOR>(v), Cast<float, int32_t, RoundMode::CAST_RINT>(v));
    }
    Half("pi", Cast<float, half, RoundMode::CAST_ODD>(3.14159f));
    Half("exact", Cast<float, half, RoundMode::CAST_ODD>(1.5f));
    Half("big", Cast<float, half, RoundMode::CAST_ODD>(-1e6f));
    Half("inf", Cast<float, half, RoundMode::CAST_ODD>(-__builtin_inff()));
    Half("least", Cast<float, half, RoundMode::CAST_ODD>(1e-30f));
    Half("denormal", Cast<float, half, RoundMode::CAST_ODD>(0x1.88p-20f));
    Half("tiny", TINY);
    Put("bf16", GetScalarBitcodeValue<bfloat16_t, uint16_t>(Cast(1.0f))); Put("back", Cast(bfloat16_t(3)) == 3.0f);
    Put("bits", static_cast<long long>(GetScalarBitcodeValue(1.0f))); Put("pad", PAD.paddingValue.Bits());
    Put("root", static_cast<long long>(::sqrt(2.25f) * 100)); Put("int root", Std::sqrt<int64_t>(INT64_MAX)); Put("int root 24", Std::sqrt<int64_t>(24));
    Put("abs", Std::abs(-7)); Put("fabs", Std::abs(-7.5f) == 7.5f);
}
"#;

#[test]
fn scalar_functions() {
    let want = "clz=7\nclz0=64\nones=16\nzeros=48\nsign 0=-1\nsign -1=-1\nsign 1=62\nsign min=0\nsff 1=8\nsff 0=8\n\
                sff none=-1\nceil=3\nceil/0=0\nceil/4=3\n\
                align=70016\nmixed=4000\n16 bits=140\n\
                2.5 3 3 2 2\n-2.5 -3 -2 -3 -2\n1.5 2 2 1 2\n-0.5 -1 0 -1 0\n3e+09 2147483647 2147483647 2147483647 2147483647\n\
                -3e+09 -2147483648 -2147483648 -2147483648 -2147483648\nnan 0 0 0 0\n\
                pi=16969\nexact=15872\nbig=64511\ninf=64512\nleast=1\ndenormal=25\ntiny=1678\n\
                bf16=16256\nback=1\nbits=1065353216\npad=0\nroot=150\nint root=3037000499\nint root 24=4\nabs=7\nfabs=1\n";
    assert_eq!(crate::support::run_cpp("scalar_probe", PROBE), want);
}
