// Arithmetic and bit instructions. The scalar's type equals the tensor's type: what the device compiler rejects is
// rejected here too.
#ifndef HOSTCANN_ASCENDC_KERNEL_VEC_ARITH_H
#define HOSTCANN_ASCENDC_KERNEL_VEC_ARITH_H

#include "ascendc/kernel/emit.h"

namespace AscendC {

namespace hostcann {
template <typename R>
using IsByte = std::enable_if_t<std::is_same<R, uint8_t>::value, bool>;
} // namespace hostcann

#define HOSTCANN_BINARY_COUNT(Name, Opcode, ...)                                                              \
    template <typename T>                                                                                     \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
                           const int32_t& count)                                                              \
    {                                                                                                         \
        static_assert(hostcann::IsOneOf<T, __VA_ARGS__>, #Name " has no such data type on A2");               \
        hostcann::Vec<T>(AIC_OP_##Opcode, dst).Src(0, src0).Src(1, src1).Count(count);                        \
    }
#define HOSTCANN_BINARY_REPEAT(Name, Opcode, ...)                                                             \
    template <typename T, bool isSetMask = true>                                                              \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
                           uint64_t mask, const hostcann::RepeatTime repeatTime,                              \
                           const BinaryRepeatParams& repeatParams)                                            \
    {                                                                                                         \
        static_assert(hostcann::IsOneOf<T, __VA_ARGS__>, #Name " has no such data type on A2");               \
        hostcann::Vec<T> v(AIC_OP_##Opcode, dst);                                                             \
        v.Src(0, src0).Src(1, src1).Strides(repeatParams).template Repeat<isSetMask>(mask, repeatTime);       \
    }                                                                                                         \
    template <typename T, bool isSetMask = true>                                                              \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
                           uint64_t mask[], const hostcann::RepeatTime repeatTime,                            \
                           const BinaryRepeatParams& repeatParams)                                            \
    {                                                                                                         \
        static_assert(hostcann::IsOneOf<T, __VA_ARGS__>, #Name " has no such data type on A2");               \
        hostcann::Vec<T> v(AIC_OP_##Opcode, dst);                                                             \
        v.Src(0, src0).Src(1, src1).Strides(repeatParams).template Repeat<isSetMask>(mask, repeatTime);       \
    }
// What kernels pass as a template argument is a function that takes a byte; a call with another integer is the form
// above.
#define HOSTCANN_BINARY_BYTE(Name)                                                                            \
    template <typename T, bool isSetMask = true, typename R, hostcann::IsByte<R> = true>                      \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, \
                           uint64_t mask, R repeatTime, const BinaryRepeatParams& repeatParams)               \
    {                                                                                                         \
        Name<T, isSetMask>(dst, src0, src1, mask, hostcann::RepeatTime(repeatTime), repeatParams);            \
    }
#define HOSTCANN_BINARY_AS(Name, Opcode, ...)         \
    HOSTCANN_BINARY_COUNT(Name, Opcode, __VA_ARGS__)  \
    HOSTCANN_BINARY_REPEAT(Name, Opcode, __VA_ARGS__) \
    HOSTCANN_BINARY_BYTE(Name)
#define HOSTCANN_BINARY(Name, ...) HOSTCANN_BINARY_AS(Name, Name, __VA_ARGS__)

HOSTCANN_BINARY(Add, half, float, int16_t, int32_t)
HOSTCANN_BINARY(Sub, half, float, int16_t, int32_t)
HOSTCANN_BINARY(Mul, half, float, int16_t, int32_t)
HOSTCANN_BINARY(Div, half, float)
HOSTCANN_BINARY(Max, half, float, int16_t, int32_t)
HOSTCANN_BINARY(Min, half, float, int16_t, int32_t)
HOSTCANN_BINARY(FusedMulAdd, half, float)
HOSTCANN_BINARY(AddRelu, half, float, int16_t)
HOSTCANN_BINARY(SubRelu, half, float, int16_t)
HOSTCANN_BINARY(FusedMulAddRelu, half, float)
HOSTCANN_BINARY_AS(MulAddRelu, FusedMulAddRelu, half, float) // the name of 9.x
// The count form compiles for every type upstream and then works on count 16-bit lanes: for 32-bit types the count is
// doubled (And page), for others it is a run-time fault here.
HOSTCANN_BINARY_COUNT(And, And, T)
HOSTCANN_BINARY_REPEAT(And, And, int16_t, uint16_t)
HOSTCANN_BINARY_COUNT(Or, Or, T)
HOSTCANN_BINARY_REPEAT(Or, Or, int16_t, uint16_t)
#undef HOSTCANN_BINARY
#undef HOSTCANN_BINARY_AS
#undef HOSTCANN_BINARY_BYTE
#undef HOSTCANN_BINARY_COUNT
#undef HOSTCANN_BINARY_REPEAT

#define HOSTCANN_UNARY(Name, ...)                                                                             \
    template <typename T>                                                                                     \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count)        \
    {                                                                                                         \
        static_assert(hostcann::IsOneOf<T, __VA_ARGS__>, #Name " has no such data type on A2");               \
        hostcann::Vec<T>(AIC_OP_##Name, dst).Src(0, src).Count(count);                                        \
    }                                                                                                         \
    template <typename T, bool isSetMask = true>                                                              \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask,               \
                           const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams)      \
    {                                                                                                         \
        static_assert(hostcann::IsOneOf<T, __VA_ARGS__>, #Name " has no such data type on A2");               \
        hostcann::Vec<T> v(AIC_OP_##Name, dst);                                                               \
        v.Src(0, src).Strides(repeatParams).template Repeat<isSetMask>(mask, repeatTime);                     \
    }                                                                                                         \
    template <typename T, bool isSetMask = true>                                                              \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[],             \
                           const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams)      \
    {                                                                                                         \
        static_assert(hostcann::IsOneOf<T, __VA_ARGS__>, #Name " has no such data type on A2");               \
        hostcann::Vec<T> v(AIC_OP_##Name, dst);                                                               \
        v.Src(0, src).Strides(repeatParams).template Repeat<isSetMask>(mask, repeatTime);                     \
    }                                                                                                         \
    template <typename T, bool isSetMask = true, typename R, hostcann::IsByte<R> = true>                      \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, R repeatTime, \
                           const UnaryRepeatParams& repeatParams)                                             \
    {                                                                                                         \
        Name<T, isSetMask>(dst, src, mask, hostcann::RepeatTime(repeatTime), repeatParams);                   \
    }

HOSTCANN_UNARY(Abs, half, float)
HOSTCANN_UNARY(Exp, half, float)
HOSTCANN_UNARY(Ln, half, float)
HOSTCANN_UNARY(Sqrt, half, float)
HOSTCANN_UNARY(Reciprocal, half, float)
HOSTCANN_UNARY(Rsqrt, half, float)
HOSTCANN_UNARY(Relu, half, float, int32_t)
HOSTCANN_UNARY(Not, int16_t, uint16_t)
#undef HOSTCANN_UNARY

namespace hostcann {
template <typename T, typename U>
using SameScalar = std::enable_if_t<std::is_same<T, U>::value, bool>;

// The bits of a scalar operand; a shift distance travels as a number.
template <typename T>
uint64_t ScalarBits(uint16_t opcode, const T& value)
{
    if constexpr (std::is_integral<T>::value) {
        if (opcode == AIC_OP_ShiftLeft || opcode == AIC_OP_ShiftRight) {
            return static_cast<uint64_t>(static_cast<int64_t>(value));
        }
    }
    return Bits(value);
}
} // namespace hostcann

#define HOSTCANN_SCALAR(Name, ...)                                                                     \
    template <typename T, bool isSetMask = true>                                                       \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, \
                           const int32_t& count)                                                       \
    {                                                                                                  \
        static_assert(hostcann::IsOneOf<T, __VA_ARGS__>, #Name " has no such data type on A2");        \
        const uint64_t bits = hostcann::ScalarBits(AIC_OP_##Name, scalarValue);                        \
        hostcann::Vec<T> v(AIC_OP_##Name, dst);                                                        \
        v.Src(0, src).Scalar(bits).template Count<isSetMask>(count);                                   \
    }                                                                                                  \
    template <typename T, typename U, bool isSetMask = true, hostcann::SameScalar<T, U> = true>        \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalarValue, \
                           const int32_t& count)                                                       \
    {                                                                                                  \
        Name<T, isSetMask>(dst, src, static_cast<const T&>(scalarValue), count);                       \
    }

#define HOSTCANN_SCALAR_REPEAT(Name, ...)                                                                             \
    template <typename T, bool isSetMask = true>                                                                      \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask, \
                           const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams)              \
    {                                                                                                                 \
        static_assert(hostcann::IsOneOf<T, __VA_ARGS__>, #Name " has no such data type on A2");                       \
        hostcann::Vec<T> v(AIC_OP_##Name, dst);                                                                       \
        v.Src(0, src).Scalar(hostcann::ScalarBits(AIC_OP_##Name, scalarValue)).Strides(repeatParams);                 \
        v.template Repeat<isSetMask>(mask, repeatTime);                                                               \
    }                                                                                                                 \
    template <typename T, bool isSetMask = true>                                                                      \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,                \
                           uint64_t mask[], const hostcann::RepeatTime repeatTime,                                    \
                           const UnaryRepeatParams& repeatParams)                                                     \
    {                                                                                                                 \
        static_assert(hostcann::IsOneOf<T, __VA_ARGS__>, #Name " has no such data type on A2");                       \
        hostcann::Vec<T> v(AIC_OP_##Name, dst);                                                                       \
        v.Src(0, src).Scalar(hostcann::ScalarBits(AIC_OP_##Name, scalarValue)).Strides(repeatParams);                 \
        v.template Repeat<isSetMask>(mask, repeatTime);                                                               \
    }                                                                                                                 \
    template <typename T, typename U, bool isSetMask = true, hostcann::SameScalar<T, U> = true>                       \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalarValue, uint64_t mask, \
                           const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams)              \
    {                                                                                                                 \
        Name<T, isSetMask>(dst, src, static_cast<const T&>(scalarValue), mask, repeatTime, repeatParams);             \
    }                                                                                                                 \
    template <typename T, typename U, bool isSetMask = true, hostcann::SameScalar<T, U> = true>                       \
    HOSTCANN_API void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalarValue,                \
                           uint64_t mask[], const hostcann::RepeatTime repeatTime,                                    \
                           const UnaryRepeatParams& repeatParams)                                                     \
    {                                                                                                                 \
        Name<T, isSetMask>(dst, src, static_cast<const T&>(scalarValue), mask, repeatTime, repeatParams);             \
    }

HOSTCANN_SCALAR(Adds, half, float, int16_t, int32_t)
HOSTCANN_SCALAR_REPEAT(Adds, half, float, int16_t, int32_t)
HOSTCANN_SCALAR(Muls, half, float, int16_t, int32_t)
HOSTCANN_SCALAR_REPEAT(Muls, half, float, int16_t, int32_t)
HOSTCANN_SCALAR(Maxs, half, float, int16_t, int32_t)
HOSTCANN_SCALAR_REPEAT(Maxs, half, float, int16_t, int32_t)
HOSTCANN_SCALAR(Mins, half, float, int16_t, int32_t)
HOSTCANN_SCALAR_REPEAT(Mins, half, float, int16_t, int32_t)
HOSTCANN_SCALAR(LeakyRelu, half, float)
HOSTCANN_SCALAR_REPEAT(LeakyRelu, half, float)
HOSTCANN_SCALAR(ShiftLeft, int16_t, uint16_t, int32_t, uint32_t)
HOSTCANN_SCALAR_REPEAT(ShiftLeft, int16_t, uint16_t, int32_t, uint32_t)
HOSTCANN_SCALAR(ShiftRight, int16_t, uint16_t, int32_t, uint32_t)
#undef HOSTCANN_SCALAR
#undef HOSTCANN_SCALAR_REPEAT

template <typename T, bool isSetMask = true>
HOSTCANN_API void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                             const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams,
                             bool roundEn = false)
{
    hostcann::Vec<T> v(AIC_OP_ShiftRight, dst);
    v.Src(0, src).Scalar(hostcann::ScalarBits(AIC_OP_ShiftRight, scalarValue)).Strides(repeatParams).Flag(roundEn);
    v.template Repeat<isSetMask>(mask, repeatTime);
}
template <typename T, bool isSetMask = true>
HOSTCANN_API void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
                             uint64_t mask[], const hostcann::RepeatTime repeatTime,
                             const UnaryRepeatParams& repeatParams, bool roundEn = false)
{
    hostcann::Vec<T> v(AIC_OP_ShiftRight, dst);
    v.Src(0, src).Scalar(hostcann::ScalarBits(AIC_OP_ShiftRight, scalarValue)).Strides(repeatParams).Flag(roundEn);
    v.template Repeat<isSetMask>(mask, repeatTime);
}

template <typename T, typename U, bool isSetMask = true, hostcann::SameScalar<T, U> = true>
HOSTCANN_API void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalarValue, uint64_t mask,
                             const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams, bool roundEn)
{
    ShiftRight<T, isSetMask>(dst, src, static_cast<const T&>(scalarValue), mask, repeatTime, repeatParams, roundEn);
}
template <typename T, typename U, bool isSetMask = true, hostcann::SameScalar<T, U> = true>
HOSTCANN_API void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const U& scalarValue,
                             uint64_t mask[], const hostcann::RepeatTime repeatTime,
                             const UnaryRepeatParams& repeatParams, bool roundEn)
{
    ShiftRight<T, isSetMask>(dst, src, static_cast<const T&>(scalarValue), mask, repeatTime, repeatParams, roundEn);
}

namespace hostcann {
template <typename T, typename U>
constexpr bool IsMadPair = (std::is_same<T, half>::value && std::is_same<U, half>::value) ||
                           (std::is_same<T, float>::value &&
                            (std::is_same<U, float>::value || std::is_same<U, half>::value));
} // namespace hostcann

// dst += scalar * src
template <typename T, typename U>
HOSTCANN_API void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count)
{
    static_assert(hostcann::IsMadPair<T, U>, "Axpy: dst/src are half/half, float/float or float/half on A2");
    hostcann::Vec<T, U>(AIC_OP_Axpy, dst).Src(0, src).Scalar(hostcann::Bits(scalarValue)).Count(count);
}
template <typename T, typename U, bool isSetMask = true>
HOSTCANN_API void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask,
                       const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsMadPair<T, U>, "Axpy: dst/src are half/half, float/float or float/half on A2");
    hostcann::Vec<T, U> v(AIC_OP_Axpy, dst);
    v.Src(0, src).Scalar(hostcann::Bits(scalarValue)).Strides(repeatParams);
    v.template Repeat<isSetMask>(mask, repeatTime);
}

template <typename T, typename U, bool isSetMask = true>
HOSTCANN_API void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask[],
                       const hostcann::RepeatTime repeatTime, const UnaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsMadPair<T, U>, "Axpy: dst/src are half/half, float/float or float/half on A2");
    hostcann::Vec<T, U> v(AIC_OP_Axpy, dst);
    v.Src(0, src).Scalar(hostcann::Bits(scalarValue)).Strides(repeatParams);
    v.template Repeat<isSetMask>(mask, repeatTime);
}

// dst += src0 * src1
template <typename T, typename U>
HOSTCANN_API void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                            const int32_t& count)
{
    static_assert(hostcann::IsMadPair<T, U>, "MulAddDst: dst/src are half/half, float/float or float/half on A2");
    hostcann::Vec<T, U>(AIC_OP_MulAddDst, dst).Src(0, src0).Src(1, src1).Count(count);
}
template <typename T, typename U, bool isSetMask = true>
HOSTCANN_API void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                            const uint64_t mask, const hostcann::RepeatTime repeatTime,
                            const BinaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsMadPair<T, U>, "MulAddDst: dst/src are half/half, float/float or float/half on A2");
    hostcann::Vec<T, U> v(AIC_OP_MulAddDst, dst);
    v.Src(0, src0).Src(1, src1).Strides(repeatParams).template Repeat<isSetMask>(mask, repeatTime);
}

template <typename T, typename U, bool isSetMask = true>
HOSTCANN_API void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                            const uint64_t mask[], const hostcann::RepeatTime repeatTime,
                            const BinaryRepeatParams& repeatParams)
{
    static_assert(hostcann::IsMadPair<T, U>, "MulAddDst: dst/src are half/half, float/float or float/half on A2");
    hostcann::Vec<T, U> v(AIC_OP_MulAddDst, dst);
    v.Src(0, src0).Src(1, src1).Strides(repeatParams).template Repeat<isSetMask>(mask, repeatTime);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_ARITH_H
