// High-level functions whose algorithm the pages do not give: one instruction of the modelled core each, the exact
// value rounded once. The bits of the device differ in the last places.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_MATH_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_MATH_H

#include "ascendc/kernel/adv_base.h"

namespace AscendC {

namespace hostcann {

template <typename T>
HOSTCANN_API void AdvMath(const char* name, uint16_t opcode, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                          const LocalTensor<uint8_t>& tmp, const AdvTmp& bytes, uint32_t count)
{
    static_assert(IsOneOf<T, half, float>, "high-level mathematics: half or float on A2");
    AdvCall(name, Used(dst, count), Used(src, count), {}, tmp, bytes);
    Vec<T> v(opcode, dst);
    const uint32_t room = tmp.GetSize();
    v.ins.base = room < bytes.documented ? room : bytes.documented;
    v.Src(0, src).Src(2, tmp).Count(count);
}

#define HOSTCANN_ADV_MATH(Name)                                                                                       \
    template <typename T, bool isReuseSource>                                                                         \
    HOSTCANN_API void Name##Of(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp, \
                               uint32_t count)                                                                        \
    {                                                                                                                 \
        AdvMath(#Name, AIC_OP_##Name, dst, src, tmp, ADV_##Name.Tmp<T, isReuseSource>(), count);                      \
    }
HOSTCANN_ADV_MATH(Acos)
HOSTCANN_ADV_MATH(Acosh)
HOSTCANN_ADV_MATH(Asin)
HOSTCANN_ADV_MATH(Asinh)
HOSTCANN_ADV_MATH(Atan)
HOSTCANN_ADV_MATH(Atanh)
HOSTCANN_ADV_MATH(Cos)
HOSTCANN_ADV_MATH(Cosh)
HOSTCANN_ADV_MATH(Digamma)
HOSTCANN_ADV_MATH(Erf)
HOSTCANN_ADV_MATH(Erfc)
HOSTCANN_ADV_MATH(Lgamma)
HOSTCANN_ADV_MATH(Sign)
HOSTCANN_ADV_MATH(Sin)
HOSTCANN_ADV_MATH(Sinh)
HOSTCANN_ADV_MATH(Tan)
HOSTCANN_ADV_MATH(Tanh)
#undef HOSTCANN_ADV_MATH

template <typename T, bool isReuseSource>
HOSTCANN_API void Log2Of(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp,
                         uint32_t count)
{
    AdvMath("Log2", AIC_OP_Log2, dst, src, tmp, sizeof(T) == sizeof(half) ? 256 : 0, count);
}
template <typename T, bool isReuseSource>
HOSTCANN_API void SigmoidOf(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp,
                            uint32_t count)
{
    AdvMath("Sigmoid", AIC_OP_Sigmoid, dst, src, tmp, 256, count);
}

// Which of Power's operands is a tensor, and the room each needs (GetPowerMaxMinTmpSize page).
enum : uint8_t { POWER_TENSORS = 0, POWER_SCALAR_EXPONENT = 1, POWER_SCALAR_BASE = 2 };

template <typename T>
constexpr uint32_t PowerMinBytes(bool tensors)
{
    return std::is_same<T, int32_t>::value ? 256 * (tensors ? 6 : 7) :
           std::is_same<T, float>::value   ? 256 * (tensors ? 4 : 5) + 256 :
                                             128 * 14 + 256;
}

template <typename T>
HOSTCANN_API void PowerOf(uint8_t mode, const LocalTensor<T>& dst, const LocalTensor<T>& src0,
                          const LocalTensor<T>& src1, const T& scalar, const LocalTensor<uint8_t>& tmp, uint32_t count)
{
    static_assert(IsOneOf<T, half, float, int32_t>, "Power: half, float or int32_t on A2");
    const uint32_t minBytes = PowerMinBytes<T>(mode == POWER_TENSORS);
    AdvCall("Power", Used(dst, count), mode == POWER_SCALAR_BASE ? aic_operand{} : Used(src0, count),
            mode == POWER_SCALAR_EXPONENT ? aic_operand{} : Used(src1, count), tmp, minBytes);
    Vec<T> v(AIC_OP_Power, dst);
    v.ins.base = minBytes;
    v.Src(0, src0).Src(1, src1).Src(2, tmp).Scalar(Bits(scalar)).Mode(mode).Count(count);
}

template <typename T, bool isReuseSource>
HOSTCANN_API void PowerTensors(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                               const LocalTensor<uint8_t>& tmp, uint32_t count)
{
    PowerOf(POWER_TENSORS, dst, src0, src1, T(), tmp, count);
}

} // namespace hostcann

#define HOSTCANN_ADV_MATH(Name) \
    HOSTCANN_ADV_UNARY_WHOLE(Name, hostcann::Name##Of, (hostcann::ADV_##Name.MinBytes<T, isReuseSource>()))
HOSTCANN_ADV_MATH(Acos)
HOSTCANN_ADV_MATH(Acosh)
HOSTCANN_ADV_MATH(Asin)
HOSTCANN_ADV_MATH(Asinh)
HOSTCANN_ADV_MATH(Atan)
HOSTCANN_ADV_MATH(Atanh)
HOSTCANN_ADV_MATH(Cos)
HOSTCANN_ADV_MATH(Cosh)
HOSTCANN_ADV_MATH(Erf)
HOSTCANN_ADV_MATH(Erfc)
HOSTCANN_ADV_MATH(Sign)
HOSTCANN_ADV_MATH(Sin)
HOSTCANN_ADV_MATH(Sinh)
HOSTCANN_ADV_MATH(Tan)
HOSTCANN_ADV_MATH(Tanh)
#undef HOSTCANN_ADV_MATH
HOSTCANN_ADV_UNARY(Digamma, hostcann::DigammaOf, (hostcann::ADV_Digamma.MinBytes<T, isReuseSource>()))
HOSTCANN_ADV_UNARY(Lgamma, hostcann::LgammaOf, (hostcann::ADV_Lgamma.MinBytes<T, isReuseSource>()))
HOSTCANN_ADV_UNARY_WHOLE(Log2, hostcann::Log2Of, (sizeof(T) == sizeof(half) ? 256 : 0))
HOSTCANN_ADV_UNARY_WHOLE(Sigmoid, hostcann::SigmoidOf, 256)

// Log and Log10 take no temporary space.
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Log(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, uint32_t calCount)
{
    Ln(dstTensor, srcTensor, static_cast<int32_t>(calCount));
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Log(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor)
{
    Log<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Log10(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, uint32_t calCount)
{
    hostcann::AdvMath("Log10", AIC_OP_Log10, dstTensor, srcTensor, LocalTensor<uint8_t>(), 0, calCount);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Log10(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor)
{
    Log10<T, isReuseSource>(dstTensor, srcTensor, srcTensor.GetSize());
}

// More terms than the basic Exp has; both round the exact value here.
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
HOSTCANN_API void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                      const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount)
{
    // Level 0 is the basic Exp, which takes no temporary space.
    const uint32_t parts = taylorExpandLevel == 0 ? 0 : sizeof(T) == sizeof(half) ? 4 : isReuseSource ? 2 : 3;
    hostcann::AdvCall("Exp", hostcann::Used(dstLocal, calCount), hostcann::Used(srcLocal, calCount), {},
                      sharedTmpBuffer, {parts * 128, parts * 256},
                      isReuseSource && parts != 0 ? hostcann::ADV_APART : hostcann::ADV_READS_FIRST);
    Exp(dstLocal, srcLocal, static_cast<int32_t>(calCount));
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
HOSTCANN_API void Exp(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t calCount)
{
    Exp<T, taylorExpandLevel, isReuseSource>(dstLocal, srcLocal, hostcann::AdvStack(taylorExpandLevel), calCount);
}

HOSTCANN_ADV_BINARY_WHOLE(Power, hostcann::PowerTensors, (hostcann::PowerMinBytes<T>(true)))

template <typename T, bool isReuseSource = false>
HOSTCANN_API void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount)
{
    hostcann::PowerOf(hostcann::POWER_SCALAR_EXPONENT, dstTensor, src0Tensor, src0Tensor, src1Scalar, sharedTmpBuffer,
                      calCount);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                        uint32_t calCount)
{
    hostcann::PowerOf(hostcann::POWER_SCALAR_EXPONENT, dstTensor, src0Tensor, src0Tensor, src1Scalar,
                      hostcann::AdvStack(1), calCount);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar,
                        const LocalTensor<uint8_t>& sharedTmpBuffer)
{
    hostcann::PowerOf(hostcann::POWER_SCALAR_EXPONENT, dstTensor, src0Tensor, src0Tensor, src1Scalar, sharedTmpBuffer,
                      src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Power(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor, const T& src1Scalar)
{
    hostcann::PowerOf(hostcann::POWER_SCALAR_EXPONENT, dstTensor, src0Tensor, src0Tensor, src1Scalar,
                      hostcann::AdvStack(1), src0Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, uint32_t calCount)
{
    hostcann::PowerOf(hostcann::POWER_SCALAR_BASE, dstTensor, src1Tensor, src1Tensor, src0Scalar, sharedTmpBuffer,
                      calCount);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                        uint32_t calCount)
{
    hostcann::PowerOf(hostcann::POWER_SCALAR_BASE, dstTensor, src1Tensor, src1Tensor, src0Scalar, hostcann::AdvStack(1),
                      calCount);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer)
{
    hostcann::PowerOf(hostcann::POWER_SCALAR_BASE, dstTensor, src1Tensor, src1Tensor, src0Scalar, sharedTmpBuffer,
                      src1Tensor.GetSize());
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Power(const LocalTensor<T>& dstTensor, const T& src0Scalar, const LocalTensor<T>& src1Tensor)
{
    hostcann::PowerOf(hostcann::POWER_SCALAR_BASE, dstTensor, src1Tensor, src1Tensor, src0Scalar, hostcann::AdvStack(1),
                      src1Tensor.GetSize());
}

template <typename T, bool isReuseSource = false>
HOSTCANN_API void Silu(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize)
{
    hostcann::AdvMath("Silu", AIC_OP_Silu, dstLocal, srcLocal, LocalTensor<uint8_t>(), 0, dataSize);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void Swish(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, uint32_t dataSize,
                        const T scalarValue)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "Swish: half or float on A2");
    hostcann::AdvCall("Swish", hostcann::Used(dstLocal, dataSize), hostcann::Used(srcLocal, dataSize), {},
                      LocalTensor<uint8_t>(), 0);
    hostcann::Vec<T>(AIC_OP_Swish, dstLocal).Src(0, srcLocal).Scalar(hostcann::Bits(scalarValue)).Count(dataSize);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_MATH_H
