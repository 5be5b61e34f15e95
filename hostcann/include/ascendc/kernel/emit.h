// Builds instructions of the C ABI from typed operands.
#ifndef HOSTCANN_ASCENDC_KERNEL_EMIT_H
#define HOSTCANN_ASCENDC_KERNEL_EMIT_H

#include "ascendc/kernel/structs.h"
#include "ascendc/kernel/tensor.h"

namespace AscendC {
namespace hostcann {

template <typename T, typename... Ts>
constexpr bool IsOneOf = (std::is_same<typename LiteOf<T>::type, Ts>::value || ...);

template <typename T>
HOSTCANN_API uint64_t Bits(const T& value)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    return bits;
}

template <typename T>
HOSTCANN_API T FromBits(uint64_t bits)
{
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof(value));
    return value;
}

// A vector instruction under construction; strides default to dense.
template <typename D, typename S = D>
struct Vec {
    aic_vec ins;

    HOSTCANN_API Vec(uint16_t opcode, const LocalTensor<D>& dst)
        : ins{opcode, DtypeOf<D>::VALUE, DtypeOf<S>::VALUE, AIC_FORM_COUNT, 0, 1, 0, 0, 0, Access::Operand(dst), {}, 0,
              {0, 0}, {1, 1, 1, 1},      {8, 8, 8, 8}}
    {
    }

    template <typename U>
    HOSTCANN_API Vec& Src(int i, const LocalTensor<U>& t)
    {
        ins.src[i] = Access::Operand(t);
        return *this;
    }
    HOSTCANN_API Vec& Mode(uint8_t mode)
    {
        ins.mode = mode;
        return *this;
    }
    HOSTCANN_API Vec& Scalar(uint64_t bits)
    {
        ins.scalar = bits;
        return *this;
    }
    HOSTCANN_API Vec& Flag(bool on)
    {
        ins.flags = on ? AIC_FLAG : 0;
        return *this;
    }

    // Without isSetMask one dense repeat runs under the mask registers as the kernel set them; count is not used.
    template <bool isSetMask = true>
    HOSTCANN_API void Count(int64_t count)
    {
        if (!isSetMask) {
            Repeat<false>(uint64_t{0}, 1);
            return;
        }
        ins.count = static_cast<uint32_t>(count);
        aic_vector(&ins);
    }

    // The value of a field, which has to fit it.
    template <typename T>
    HOSTCANN_API T Field(const char* name, const Narrow<T>& value)
    {
        if (!value.Fits()) {
            aic_vector_truncated(&ins, name, value.Given(), 8 * sizeof(T));
        }
        return value;
    }
    HOSTCANN_API Vec& Strides(const UnaryRepeatParams& p)
    {
        ins.blk[0] = Field("dstBlkStride", p.dstBlkStride);
        ins.blk[1] = Field("srcBlkStride", p.srcBlkStride);
        ins.rep[0] = Field("dstRepStride", p.dstRepStride);
        ins.rep[1] = Field("srcRepStride", p.srcRepStride);
        return *this;
    }
    HOSTCANN_API Vec& Strides(const BinaryRepeatParams& p)
    {
        ins.blk[0] = Field("dstBlkStride", p.dstBlkStride);
        ins.blk[1] = Field("src0BlkStride", p.src0BlkStride);
        ins.blk[2] = Field("src1BlkStride", p.src1BlkStride);
        ins.rep[0] = Field("dstRepStride", p.dstRepStride);
        ins.rep[1] = Field("src0RepStride", p.src0RepStride);
        ins.rep[2] = Field("src1RepStride", p.src1RepStride);
        return *this;
    }
    HOSTCANN_API Vec& Strides(const CopyRepeatParams& p)
    {
        ins.blk[0] = Field("dstStride", p.dstStride);
        ins.blk[1] = Field("srcStride", p.srcStride);
        ins.rep[0] = Field("dstRepeatSize", p.dstRepeatSize);
        ins.rep[1] = Field("srcRepeatSize", p.srcRepeatSize);
        return *this;
    }
    HOSTCANN_API Vec& Strides(const BrcbRepeatParams& p)
    {
        ins.blk[0] = Field("dstBlkStride", p.dstBlkStride);
        ins.rep[0] = Field("dstRepStride", p.dstRepStride);
        return *this;
    }

    // Without isSetMask the mask registers stay as the kernel set them.
    template <bool isSetMask>
    HOSTCANN_API void Repeat(uint64_t mask, const RepeatTime& repeatTime)
    {
        ins.form = isSetMask ? AIC_FORM_MASK_COUNT : AIC_FORM_MASK_REGISTER;
        ins.mask[0] = mask;
        ins.repeat = Field("repeatTime", repeatTime);
        aic_vector(&ins);
    }
    template <bool isSetMask>
    HOSTCANN_API void Repeat(const uint64_t mask[], const RepeatTime& repeatTime)
    {
        ins.form = isSetMask ? AIC_FORM_MASK_BITS : AIC_FORM_MASK_REGISTER;
        if (isSetMask) {
            ins.mask[0] = mask[0];
            ins.mask[1] = mask[1];
        }
        ins.repeat = Field("repeatTime", repeatTime);
        aic_vector(&ins);
    }

    // A reduction: its repeats have more bits, and its mask is an int32_t.
    template <bool isSetMask>
    HOSTCANN_API void Reduce(const int32_t mask, const int32_t repeatTime)
    {
        ins.form = isSetMask ? AIC_FORM_MASK_COUNT : AIC_FORM_MASK_REGISTER;
        ins.mask[0] = static_cast<uint64_t>(static_cast<int64_t>(mask));
        ins.count = static_cast<uint32_t>(repeatTime);
        aic_vector(&ins);
    }
    template <bool isSetMask>
    HOSTCANN_API void Reduce(const uint64_t mask[], const int32_t repeatTime)
    {
        ins.form = isSetMask ? AIC_FORM_MASK_BITS : AIC_FORM_MASK_REGISTER;
        if (isSetMask) {
            ins.mask[0] = mask[0];
            ins.mask[1] = mask[1];
        }
        ins.count = static_cast<uint32_t>(repeatTime);
        aic_vector(&ins);
    }
};

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_EMIT_H
