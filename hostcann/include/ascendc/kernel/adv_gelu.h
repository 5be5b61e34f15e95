// Gelu, FasterGelu, FasterGeluV2 and the gated units GeGLU, ReGlu, SwiGLU by the formulas of their pages.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_GELU_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_GELU_H

#include "ascendc/kernel/adv_rows.h"

namespace AscendC {
namespace hostcann {

// The next instruction sees what this one wrote.
#define HOSTCANN_THEN(...) \
    __VA_ARGS__;           \
    Ordered()

// dst = x / (1 + e^t). Fast: by the reciprocal, whose error the page Reciprocal states.
template <bool isFast, typename T>
HOSTCANN_API void Gate(const LocalTensor<T>& dst, const LocalTensor<T>& x, const LocalTensor<T>& t, int32_t n)
{
    HOSTCANN_THEN(Exp(t, t, n));
    HOSTCANN_THEN(Adds(t, t, T(1.0f), n));
    if constexpr (isFast) {
        HOSTCANN_THEN(Reciprocal(t, t, n));
        HOSTCANN_THEN(Mul(dst, x, t, n));
    } else {
        HOSTCANN_THEN(Div(dst, x, t, n));
    }
}

// The formulas take two working tensors; dst may be x.
template <bool isFast>
struct GeluTanh {
    template <typename T>
    static HOSTCANN_API void Run(const LocalTensor<T>& dst, const LocalTensor<T>& x, const LocalTensor<T>& t,
                                 const LocalTensor<T>& u, int32_t n)
    {
        HOSTCANN_THEN(Mul(t, x, x, n));
        HOSTCANN_THEN(Mul(t, t, x, n));
        HOSTCANN_THEN(Muls(t, t, T(0.044715f), n));
        HOSTCANN_THEN(Add(t, t, x, n));
        HOSTCANN_THEN(Muls(t, t, T(1.5957691216057308f), n));
        // x / (1 + e^-y) as x / (1 + e^-|y|) * e^min(y, 0), which does not overflow in half.
        HOSTCANN_THEN(Mins(u, t, T(0.0f), n));
        HOSTCANN_THEN(Exp(u, u, n));
        HOSTCANN_THEN(Abs(t, t, n));
        HOSTCANN_THEN(Muls(t, t, T(-1.0f), n));
        Gate<isFast>(dst, x, t, n);
        HOSTCANN_THEN(Mul(dst, dst, u, n));
    }
};
template <bool isFast>
struct GeluSigmoid {
    template <typename T>
    static HOSTCANN_API void Run(const LocalTensor<T>& dst, const LocalTensor<T>& x, const LocalTensor<T>& t,
                                 const LocalTensor<T>&, int32_t n)
    {
        HOSTCANN_THEN(Muls(t, x, T(-1.702f), n));
        Gate<isFast>(dst, x, t, n);
    }
};
// x * (sgn(x) * (a * (min(|x| / sqrt 2, b) - b)^2 + 0.5) + 0.5), where sgn(x) is x + e by its absolute value.
template <bool isFast>
struct GeluClipped {
    template <typename T>
    static HOSTCANN_API void Run(const LocalTensor<T>& dst, const LocalTensor<T>& x, const LocalTensor<T>& sign,
                                 const LocalTensor<T>& t, int32_t n)
    {
        // The page's 1e-12 is no half; the smallest half is.
        HOSTCANN_THEN(Adds(sign, x, T(sizeof(T) == sizeof(half) ? 6e-8f : 1e-12f), n));
        HOSTCANN_THEN(Abs(t, sign, n));
        if constexpr (isFast) {
            HOSTCANN_THEN(Reciprocal(t, t, n));
            HOSTCANN_THEN(Mul(sign, sign, t, n));
        } else {
            HOSTCANN_THEN(Div(sign, sign, t, n));
        }
        HOSTCANN_THEN(Muls(t, x, T(0.7071f), n));
        HOSTCANN_THEN(Abs(t, t, n));
        HOSTCANN_THEN(Mins(t, t, T(1.769f), n));
        HOSTCANN_THEN(Adds(t, t, T(-1.769f), n));
        HOSTCANN_THEN(Mul(t, t, t, n));
        HOSTCANN_THEN(Muls(t, t, T(-0.1444f), n));
        HOSTCANN_THEN(Adds(t, t, T(0.5f), n));
        HOSTCANN_THEN(Mul(t, sign, t, n));
        HOSTCANN_THEN(Adds(t, t, T(0.5f), n));
        HOSTCANN_THEN(Mul(dst, x, t, n));
    }
};

constexpr AdvTmp GELU_TMP{3 * 128, 3 * 256};

// highPrecision: half computes in float.
template <typename Formula, bool highPrecision, typename T>
HOSTCANN_API void GeluOf(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                         const LocalTensor<uint8_t>& tmp, uint32_t count)
{
    static_assert(IsOneOf<T, half, float>, "Gelu functions: half or float on A2");
    constexpr bool isWidened = highPrecision && sizeof(T) == sizeof(half);
    using C = std::conditional_t<isWidened, float, T>;
    AdvCall(name, Used(dst, count), Used(src, count), {}, tmp, GELU_TMP, true);
    const uint32_t chunk = AdvChunk<C>(tmp, 3);
    const LocalTensor<C> a = tmp.template ReinterpretCast<C>();
    for (uint32_t i = 0; i < count; i += chunk) {
        const int32_t n = static_cast<int32_t>(count - i < chunk ? count - i : chunk);
        if constexpr (isWidened) {
            HOSTCANN_THEN(Cast(a, src[i], RoundMode::CAST_NONE, static_cast<uint32_t>(n)));
            Formula::Run(a, a, a[chunk], a[2 * chunk], n);
            HOSTCANN_THEN(Cast(dst[i], a, RoundMode::CAST_NONE, static_cast<uint32_t>(n)));
        } else {
            Formula::Run(dst[i], src[i], a, a[chunk], n);
        }
    }
}

// Gated units: dst = x0 * gate(x1). The gates may write over x and take one working tensor, which is not x.
struct GeluGate {
    static HOSTCANN_API void Run(const LocalTensor<float>& dst, const LocalTensor<float>& x,
                                 const LocalTensor<float>& t, float, int32_t n)
    {
        HOSTCANN_THEN(Mul(t, x, x, n));
        HOSTCANN_THEN(Adds(t, t, 22.363860002236f, n));
        HOSTCANN_THEN(Mul(t, t, x, n));
        HOSTCANN_THEN(Muls(t, t, -0.0713548162726f, n));
        Gate<false>(dst, x, t, n);
    }
};
struct SwishGate {
    static HOSTCANN_API void Run(const LocalTensor<float>& dst, const LocalTensor<float>& x,
                                 const LocalTensor<float>& t, float beta, int32_t n)
    {
        HOSTCANN_THEN(Muls(t, x, -beta, n));
        Gate<false>(dst, x, t, n);
    }
};
struct ReluGate {
    static HOSTCANN_API void Run(const LocalTensor<float>& dst, const LocalTensor<float>& x, const LocalTensor<float>&,
                                 float, int32_t n)
    {
        HOSTCANN_THEN(Relu(dst, x, n));
    }
};

// Other types than float compute in float, in two parts of the temporary space.
template <typename Gate, typename T>
HOSTCANN_API void GluOf(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& x0, const LocalTensor<T>& x1,
                        float scalar, const LocalTensor<uint8_t>& tmp, const AdvTmp& bytes, uint32_t count)
{
    AdvCall(name, Used(dst, count), Used(x0, count), Used(x1, count), tmp, bytes);
    if constexpr (std::is_same<T, float>::value) {
        const int32_t n = static_cast<int32_t>(count);
        Gate::Run(dst, x1, dst, scalar, n);
        HOSTCANN_THEN(Mul(dst, x0, dst, n));
    } else {
        constexpr RoundMode narrow = std::is_same<T, half>::value ? RoundMode::CAST_NONE : RoundMode::CAST_RINT;
        const uint32_t chunk = AdvChunk<float>(tmp, 2);
        const LocalTensor<float> a = tmp.template ReinterpretCast<float>();
        const LocalTensor<float> b = a[chunk];
        for (uint32_t i = 0; i < count; i += chunk) {
            const uint32_t n = count - i < chunk ? count - i : chunk;
            HOSTCANN_THEN(Cast(a, x1[i], RoundMode::CAST_NONE, n));
            Gate::Run(a, a, b, scalar, static_cast<int32_t>(n));
            HOSTCANN_THEN(Cast(b, x0[i], RoundMode::CAST_NONE, n));
            HOSTCANN_THEN(Mul(a, b, a, static_cast<int32_t>(n)));
            HOSTCANN_THEN(Cast(dst[i], a, narrow, n));
        }
    }
}

// Minimum of a unit: `factor` repeats for types of 2 bytes.
template <typename T>
constexpr AdvTmp GluBytes(uint32_t factor, uint32_t forFloat)
{
    return sizeof(T) == 4 ? AdvTmp{0, forFloat} : AdvTmp{2 * 128, factor * 256};
}

} // namespace hostcann

#define HOSTCANN_GELU(Name, Formula)                                                                                \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                                 \
    HOSTCANN_API void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,                          \
                           const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t dataSize)                    \
    {                                                                                                               \
        hostcann::GeluOf<hostcann::Formula<highPerformance>, highPrecision>(#Name, dstLocal, srcLocal,              \
                                                                            sharedTmpBuffer, dataSize);             \
    }                                                                                                               \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                                 \
    HOSTCANN_API void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dataSize) \
    {                                                                                                               \
        Name<T, highPrecision, highPerformance>(dstLocal, srcLocal, hostcann::AdvStack(1), dataSize);               \
    }
HOSTCANN_GELU(Gelu, GeluTanh)
HOSTCANN_GELU(FasterGelu, GeluSigmoid)
HOSTCANN_GELU(FasterGeluV2, GeluClipped)
#undef HOSTCANN_GELU

namespace hostcann {
template <typename T, bool isReuseSource>
HOSTCANN_API void GeGLUOf(const LocalTensor<T>& dst, const LocalTensor<T>& x0, const LocalTensor<T>& x1,
                          const LocalTensor<uint8_t>& tmp, uint32_t count)
{
    static_assert(IsOneOf<T, half, float>, "GeGLU: half or float on A2");
    GluOf<GeluGate>("GeGLU", dst, x0, x1, 0.0f, tmp, GluBytes<T>(4, 0), count);
}
} // namespace hostcann
HOSTCANN_ADV_BINARY_WHOLE(GeGLU, hostcann::GeGLUOf, 1)

template <typename T, bool isReuseSource = false>
HOSTCANN_API void ReGlu(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                        const LocalTensor<T>& srcTensor1, const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const uint32_t calCount)
{
    static_assert(hostcann::IsOneOf<T, half, bfloat16_t, float>, "ReGlu: half, bfloat16_t or float on A2");
    hostcann::GluOf<hostcann::ReluGate>("ReGlu", dstTensor, srcTensor0, srcTensor1, 0.0f, sharedTmpBuffer,
                                        hostcann::GluBytes<T>(6, 256), calCount);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void ReGlu(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0,
                        const LocalTensor<T>& srcTensor1, const uint32_t calCount)
{
    ReGlu<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, hostcann::AdvStack(1), calCount);
}

template <typename T, bool isReuseSource = false>
HOSTCANN_API void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                         const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "SwiGLU: half or float on A2");
    hostcann::GluOf<hostcann::SwishGate>("SwiGLU", dstTensor, srcTensor0, srcTensor1, scalarValue, sharedTmpBuffer,
                                         hostcann::GluBytes<T>(6, 0), calCount);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                         const float& scalarValue, const LocalTensor<uint8_t>& sharedTmpBuffer)
{
    SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, sharedTmpBuffer, srcTensor0.GetSize());
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void SwiGLU(LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor0, const LocalTensor<T>& srcTensor1,
                         const float& scalarValue, const uint32_t calCount)
{
    SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, hostcann::AdvStack(1), calCount);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void SwiGLU(LocalTensor<T>& dstTensor, LocalTensor<T>& srcTensor0, LocalTensor<T>& srcTensor1,
                         const float& scalarValue)
{
    SwiGLU<T, isReuseSource>(dstTensor, srcTensor0, srcTensor1, scalarValue, hostcann::AdvStack(1),
                             srcTensor0.GetSize());
}
#undef HOSTCANN_THEN

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_GELU_H
