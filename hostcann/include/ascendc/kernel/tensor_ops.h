// Operators over whole tensors: dst = a + b and its like. The length of dst says how many elements, that of the first
// source for a comparison, whose dst holds bits.
#ifndef HOSTCANN_ASCENDC_KERNEL_TENSOR_OPS_H
#define HOSTCANN_ASCENDC_KERNEL_TENSOR_OPS_H

#include "ascendc/kernel/vec_arith.h"
#include "ascendc/kernel/vec_compare.h"

namespace AscendC {
namespace hostcann {

// The right side; LocalTensor's assignment runs it.
#define HOSTCANN_TENSOR_EXPRESSION(Name)                                                                           \
    template <typename T>                                                                                          \
    struct Name##Expression {                                                                                      \
        using HostcannExpression = T;                                                                              \
        LocalTensor<T> src0;                                                                                       \
        LocalTensor<T> src1;                                                                                       \
        HOSTCANN_API void Into(const LocalTensor<T>& dst) const                                                    \
        {                                                                                                          \
            if constexpr (AIC_OP_##Name == AIC_OP_And || AIC_OP_##Name == AIC_OP_Or) {                             \
                /* The instruction has 16-bit lanes; the operator counts them for 32-bit tensors. */               \
                static_assert(sizeof(T) == 2 || sizeof(T) == 4, "& and | have 16 and 32-bit types");               \
                const auto lanes = static_cast<int32_t>(dst.GetLength() / sizeof(uint16_t));                       \
                AscendC::Name(dst.template ReinterpretCast<uint16_t>(), src0.template ReinterpretCast<uint16_t>(), \
                              src1.template ReinterpretCast<uint16_t>(), lanes);                                   \
            } else {                                                                                               \
                AscendC::Name(dst, src0, src1, static_cast<int32_t>(dst.GetSize()));                               \
            }                                                                                                      \
        }                                                                                                          \
    };
HOSTCANN_TENSOR_EXPRESSION(Add)
HOSTCANN_TENSOR_EXPRESSION(Sub)
HOSTCANN_TENSOR_EXPRESSION(Mul)
HOSTCANN_TENSOR_EXPRESSION(Div)
HOSTCANN_TENSOR_EXPRESSION(And)
HOSTCANN_TENSOR_EXPRESSION(Or)
#undef HOSTCANN_TENSOR_EXPRESSION

template <typename T>
struct CompareExpression {
    using HostcannExpression = T;
    LocalTensor<T> src0;
    LocalTensor<T> src1;
    CMPMODE mode;
    template <typename U>
    HOSTCANN_API void Into(const LocalTensor<U>& dst) const
    {
        Compare(dst, src0, src1, mode, src0.GetSize());
    }
};

} // namespace hostcann

#define HOSTCANN_TENSOR_OPERATOR(op, Name)                                                                         \
    template <typename T>                                                                                          \
    HOSTCANN_API hostcann::Name##Expression<T> operator op(const LocalTensor<T>& src0, const LocalTensor<T>& src1) \
    {                                                                                                              \
        return {src0, src1};                                                                                       \
    }
HOSTCANN_TENSOR_OPERATOR(+, Add)
HOSTCANN_TENSOR_OPERATOR(-, Sub)
HOSTCANN_TENSOR_OPERATOR(*, Mul)
HOSTCANN_TENSOR_OPERATOR(/, Div)
HOSTCANN_TENSOR_OPERATOR(&, And)
HOSTCANN_TENSOR_OPERATOR(|, Or)
#undef HOSTCANN_TENSOR_OPERATOR

#define HOSTCANN_TENSOR_COMPARE(op, Mode)                                                                           \
    template <typename T>                                                                                           \
    HOSTCANN_API hostcann::CompareExpression<T> operator op(const LocalTensor<T>& src0, const LocalTensor<T>& src1) \
    {                                                                                                               \
        return {src0, src1, CMPMODE::Mode};                                                                         \
    }
HOSTCANN_TENSOR_COMPARE(<, LT)
HOSTCANN_TENSOR_COMPARE(>, GT)
HOSTCANN_TENSOR_COMPARE(==, EQ)
HOSTCANN_TENSOR_COMPARE(<=, LE)
HOSTCANN_TENSOR_COMPARE(>=, GE)
HOSTCANN_TENSOR_COMPARE(!=, NE)
#undef HOSTCANN_TENSOR_COMPARE

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_TENSOR_OPS_H
