// Builds instructions of the C ABI from typed operands.
#ifndef HOSTCANN_ASCENDC_KERNEL_EMIT_H
#define HOSTCANN_ASCENDC_KERNEL_EMIT_H

#include "ascendc/kernel/structs.h"
#include "ascendc/kernel/tensor.h"

namespace AscendC {
namespace hostcann {

template <typename T, typename... Ts>
constexpr bool IsOneOf = (std::is_same<T, Ts>::value || ...);

template <typename T>
uint64_t Bits(const T& value)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(value));
    return bits;
}

// A vector instruction under construction; strides default to dense.
template <typename D, typename S = D>
struct Vec {
    aic_vec ins;

    Vec(uint16_t opcode, const LocalTensor<D>& dst)
        : ins{opcode,
              DtypeOf<D>::VALUE,
              DtypeOf<S>::VALUE,
              AIC_FORM_COUNT,
              0,
              1,
              0,
              0,
              0,
              Access::Operand(dst),
              {{0, 0}, {0, 0}, {0, 0}},
              0,
              {0, 0},
              {1, 1, 1, 1},
              {8, 8, 8, 8}}
    {
    }

    template <typename U>
    Vec& Src(int i, const LocalTensor<U>& t)
    {
        ins.src[i] = Access::Operand(t);
        return *this;
    }
    Vec& Mode(uint8_t mode)
    {
        ins.mode = mode;
        return *this;
    }
    Vec& Scalar(uint64_t bits)
    {
        ins.scalar = bits;
        return *this;
    }
    Vec& Flag(bool on)
    {
        ins.flags = on ? AIC_FLAG : 0;
        return *this;
    }

    // Without isSetMask one dense repeat runs under the mask registers as the kernel set them; count is not used.
    template <bool isSetMask = true>
    void Count(int64_t count)
    {
        if (!isSetMask) {
            Repeat<false>(uint64_t{0}, 1);
            return;
        }
        ins.count = static_cast<uint32_t>(count);
        aic_vector(&ins);
    }

    Vec& Strides(const UnaryRepeatParams& p)
    {
        ins.blk[0] = p.dstBlkStride;
        ins.blk[1] = p.srcBlkStride;
        ins.rep[0] = p.dstRepStride;
        ins.rep[1] = p.srcRepStride;
        return *this;
    }
    Vec& Strides(const BinaryRepeatParams& p)
    {
        ins.blk[0] = p.dstBlkStride;
        ins.blk[1] = p.src0BlkStride;
        ins.blk[2] = p.src1BlkStride;
        ins.rep[0] = p.dstRepStride;
        ins.rep[1] = p.src0RepStride;
        ins.rep[2] = p.src1RepStride;
        return *this;
    }

    // Without isSetMask the mask registers stay as the kernel set them.
    template <bool isSetMask>
    void Repeat(uint64_t mask, uint8_t repeatTime)
    {
        ins.form = isSetMask ? AIC_FORM_MASK_COUNT : AIC_FORM_MASK_REGISTER;
        ins.mask[0] = mask;
        ins.repeat = repeatTime;
        aic_vector(&ins);
    }
    template <bool isSetMask>
    void Repeat(const uint64_t mask[], uint8_t repeatTime)
    {
        ins.form = isSetMask ? AIC_FORM_MASK_BITS : AIC_FORM_MASK_REGISTER;
        if (isSetMask) {
            ins.mask[0] = mask[0];
            ins.mask[1] = mask[1];
        }
        ins.repeat = repeatTime;
        aic_vector(&ins);
    }
};

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_EMIT_H
