// DropOut, and Select by a mask of bytes or wider integers.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_FILTER_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_FILTER_H

#include "ascendc/kernel/adv_rows.h"
#include "ascendc/kernel/vec_compare.h"

namespace AscendC {

// What kernels give DropOut as its mode.
constexpr uint32_t DROPOUT_MODE_BYTE_MISALIGN = 1;
constexpr uint32_t DROPOUT_MODE_BYTE_ALIGN = 2;
constexpr uint32_t DROPOUT_MODE_BIT_ALIGN = 3;
constexpr uint32_t DROPOUT_MODE_BIT_MISALIGN = 4;

struct DropOutShapeInfo {
    HOSTCANN_API DropOutShapeInfo() {}
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};
struct SelectWithBytesMaskShapeInfo {
    HOSTCANN_API SelectWithBytesMaskShapeInfo() {}
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

namespace hostcann {

// Bits of a comparison with 0, from a mask of integers that a float type holds: bytes and words as half, 32 bits as
// float. What no half or float holds is not 0 after rounding either.
template <typename U>
HOSTCANN_API void WidenMask(const LocalTensor<half>& to, const LocalTensor<U>& mask, uint32_t n)
{
    using I = std::conditional_t<sizeof(U) == 1, uint8_t, int16_t>;
    Cast(to, mask.template ReinterpretCast<I>(), RoundMode::CAST_NONE, n);
}
template <typename U>
HOSTCANN_API void WidenMask(const LocalTensor<float>& to, const LocalTensor<U>& mask, uint32_t n)
{
    Cast(to, mask.template ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, n);
}

// dst = src where `mode` holds for the mask and 0, else other; n elements that lie together.
template <typename T, typename U>
HOSTCANN_API void SelectByMask(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& other,
                               const LocalTensor<U>& mask, CMPMODE mode, const LocalTensor<uint8_t>& tmp, uint32_t n)
{
    using C = std::conditional_t<sizeof(U) == 4, float, half>;
    constexpr uint32_t repeat = 256 / sizeof(C);
    // A repeat of the mask and a block for its bits.
    const uint32_t repeats = tmp.GetLength() / (256 + 32);
    const uint32_t chunk = repeats * repeat;
    const LocalTensor<C> wide = tmp[repeats * 32].template ReinterpretCast<C>();
    for (uint32_t i = 0; i < n; i += chunk) {
        const uint32_t now = n - i < chunk ? n - i : chunk;
        WidenMask(wide, mask[i], now);
        Ordered();
        // Whole repeats: the bits of the last lanes are not used.
        CompareScalar(tmp, wide, C(0.0f), mode, (now + repeat - 1) / repeat * repeat);
        Ordered();
        Select(dst[i], tmp, src[i], other, SELMODE::VSEL_TENSOR_SCALAR_MODE, now);
        Ordered();
    }
}

// run(first element of src, first element of the mask, elements): rows, or everything when both lie together.
template <typename Run>
HOSTCANN_API void EachMasked(uint32_t rows, uint32_t columns, uint32_t maskPitch, bool isTogether, const Run& run)
{
    if (isTogether) {
        run(0, 0, rows * columns);
        return;
    }
    for (uint32_t r = 0; r < rows; ++r) {
        run(r * columns, r * maskPitch, columns);
    }
}

template <typename Info>
HOSTCANN_API void CheckMasked(const char* name, const Info& info, uint32_t needed)
{
    if (info.firstAxis == 0 || info.srcLastAxis == 0 || info.maskLastAxis < needed) {
        aic_misuse(name, "info", "the shape is incomplete",
                   "firstAxis and srcLastAxis of 1 or more, a mask for every element of a row", info.maskLastAxis,
                   "fill firstAxis, srcLastAxis and maskLastAxis");
    }
}

template <typename T, typename U>
HOSTCANN_API void SelectRows(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& other,
                             const LocalTensor<U>& mask, CMPMODE mode, const LocalTensor<uint8_t>& tmp,
                             const SelectWithBytesMaskShapeInfo& info)
{
    static_assert(IsOneOf<T, half, float>, "Select by a mask of integers: half or float on A2");
    static_assert(IsOneOf<U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t>,
                  "Select by a mask of integers: bool or 8 to 32 bits");
    CheckMasked("Select", info, info.srcLastAxis);
    const uint32_t total = info.firstAxis * info.srcLastAxis;
    const uint32_t most = total < 4096 ? (total + 31) / 32 * 32 : 4096;
    const uint32_t documented = 2 * most + 512 > 1024 ? 2 * most + 512 : 1024;
    const aic_operand maskBytes = Used(mask, uint64_t{info.firstAxis} * info.maskLastAxis);
    AdvCall("Select", Used(dst, total), Used(src, total), maskBytes, tmp, {256 + 32, documented}, true);
    EachMasked(info.firstAxis, info.srcLastAxis, info.maskLastAxis, info.srcLastAxis == info.maskLastAxis,
               [&](uint32_t at, uint32_t maskAt, uint32_t n)
                   HOSTCANN_API_LAMBDA { SelectByMask(dst[at], src[at], other, mask[maskAt], mode, tmp, n); });
}

// Mode 0: the length of the mask's rows tells.
HOSTCANN_API uint32_t DropOutMode(uint32_t mode, const DropOutShapeInfo& info)
{
    if (mode != 0) {
        return mode;
    }
    return info.maskLastAxis == info.srcLastAxis     ? DROPOUT_MODE_BYTE_ALIGN :
           info.maskLastAxis > info.srcLastAxis      ? DROPOUT_MODE_BYTE_MISALIGN :
           info.maskLastAxis * 8 == info.srcLastAxis ? DROPOUT_MODE_BIT_ALIGN :
                                                       DROPOUT_MODE_BIT_MISALIGN;
}

} // namespace hostcann

// Kept elements divided by keepProb, 0 for the others. A mask has a byte or a bit per element; its rows may be padded.
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
HOSTCANN_API void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                          const LocalTensor<uint8_t>& maskLocal, const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const float keepProb, const DropOutShapeInfo& info)
{
    static_assert(hostcann::IsOneOf<T, half, float>, "DropOut: half or float on A2");
    static_assert(dropOutMode <= DROPOUT_MODE_BIT_MISALIGN, "DropOut: modes 0 to 4");
    const uint32_t mode = hostcann::DropOutMode(dropOutMode, info);
    const bool isBytes = mode == DROPOUT_MODE_BYTE_ALIGN || mode == DROPOUT_MODE_BYTE_MISALIGN;
    const bool isTogether = mode == DROPOUT_MODE_BYTE_ALIGN || mode == DROPOUT_MODE_BIT_ALIGN;
    hostcann::CheckMasked("DropOut", info, isBytes ? info.srcLastAxis : (info.srcLastAxis + 7) / 8);
    const uint32_t total = info.firstAxis * info.srcLastAxis;
    hostcann::AdvCall("DropOut", hostcann::Used(dstLocal, total), hostcann::Used(srcLocal, total),
                      hostcann::Used(maskLocal, info.firstAxis * info.maskLastAxis), sharedTmpBuffer,
                      {isBytes ? 256 + 32u : 0u, 2 * 256u}, true);
    hostcann::EachMasked(info.firstAxis, info.srcLastAxis, info.maskLastAxis, isTogether,
                         [&](uint32_t at, uint32_t maskAt, uint32_t n) HOSTCANN_API_LAMBDA {
                             if (isBytes) {
                                 hostcann::SelectByMask(dstLocal[at], srcLocal[at], T(0.0f), maskLocal[maskAt],
                                                        CMPMODE::NE, sharedTmpBuffer, n);
                             } else {
                                 Select(dstLocal[at], maskLocal[maskAt], srcLocal[at], T(0.0f),
                                        SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
                                 hostcann::Ordered();
                             }
                             Muls(dstLocal[at], dstLocal[at], static_cast<T>(1.0f / keepProb), static_cast<int32_t>(n));
                         });
    hostcann::Ordered();
}
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
HOSTCANN_API void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                          const LocalTensor<uint8_t>& maskLocal, const float keepProb, const DropOutShapeInfo& info)
{
    DropOut<T, isInitBitMode, dropOutMode>(dstLocal, srcLocal, maskLocal, hostcann::AdvStack(1), keepProb, info);
}

// An element of the mask that is 0 takes src0, another one src1; one of both is a number.
template <typename T, typename U, bool isReuseMask = true>
HOSTCANN_API void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1, const LocalTensor<U>& mask,
                         const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info)
{
    hostcann::SelectRows(dst, src0, src1, mask, CMPMODE::EQ, sharedTmpBuffer, info);
}
template <typename T, typename U, bool isReuseMask = true>
HOSTCANN_API void Select(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1, const LocalTensor<U>& mask,
                         const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info)
{
    hostcann::SelectRows(dst, src1, src0, mask, CMPMODE::NE, sharedTmpBuffer, info);
}

// The name of Select by a mask of integers that attention kernels still call.
template <typename T, typename U, bool isReuseMask = true>
HOSTCANN_API void SelectWithBytesMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1,
                                      const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                      const SelectWithBytesMaskShapeInfo& info)
{
    hostcann::SelectRows(dst, src0, src1, mask, CMPMODE::EQ, sharedTmpBuffer, info);
}
template <typename T, typename U, bool isReuseMask = true>
HOSTCANN_API void SelectWithBytesMask(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1,
                                      const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                      const SelectWithBytesMaskShapeInfo& info)
{
    hostcann::SelectRows(dst, src1, src0, mask, CMPMODE::NE, sharedTmpBuffer, info);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_FILTER_H
