// TransDataTo5HD and Transpose.
#ifndef HOSTCANN_ASCENDC_KERNEL_VEC_TRANSPOSE_H
#define HOSTCANN_ASCENDC_KERNEL_VEC_TRANSPOSE_H

#include "ascendc/kernel/constants.h"
#include "ascendc/kernel/emit.h"

namespace AscendC {

// On A2 Transpose does the last three; TRANSPOSE_TYPE_NONE does nothing.
enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE,
    TRANSPOSE_NZ2ND_0213,
    TRANSPOSE_NZ2NZ_0213,
    TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITHOUT_N,
    TRANSPOSE_NZ2NZ_012_WITHOUT_N,
    TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM,
    TRANSPOSE_GRAD_ND_UB_GM,
    TRANSPOSE_ND2ND_B16,
    TRANSPOSE_NCHW2NHWC,
    TRANSPOSE_NHWC2NCHW,
};

struct TransDataTo5HDParams {
    TransDataTo5HDParams() = default;
    TransDataTo5HDParams(const bool dstHighHalfIn, const bool srcHighHalfIn, const uint8_t repeatTimesIn,
                         const uint16_t dstRepStrideIn, const uint16_t srcRepStrideIn)
        : dstHighHalf(dstHighHalfIn),
          srcHighHalf(srcHighHalfIn),
          repeatTimes(repeatTimesIn),
          dstRepStride(dstRepStrideIn),
          srcRepStride(srcRepStrideIn)
    {
    }
    bool dstHighHalf = false;
    bool srcHighHalf = false;
    hostcann::Narrow<uint8_t> repeatTimes{1};
    hostcann::Narrow<uint16_t> dstRepStride{0};
    hostcann::Narrow<uint16_t> srcRepStride{0};
};

struct TransposeParamsExt {
    TransposeParamsExt() = default;
    TransposeParamsExt(const uint16_t nSizeIn, const uint16_t cSizeIn, const uint16_t hSizeIn, const uint16_t wSizeIn,
                       const TransposeType transposeTypeIn)
        : nSize(nSizeIn), cSize(cSizeIn), hSize(hSizeIn), wSize(wSizeIn), transposeType(transposeTypeIn)
    {
    }
    hostcann::Narrow<uint16_t> nSize{0};
    hostcann::Narrow<uint16_t> cSize{0};
    hostcann::Narrow<uint16_t> hSize{0};
    hostcann::Narrow<uint16_t> wSize{0};
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

namespace hostcann {

template <typename T>
constexpr bool IsTransposable = IsOneOf<T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>;

template <typename T>
HOSTCANN_API Vec<T> TransposeVec(const LocalTensor<T>& dst, const LocalTensor<T>& src, TransposeType type)
{
    Vec<T> v(AIC_OP_Transpose, dst);
    v.Src(0, src).Mode(static_cast<uint8_t>(type));
    v.ins.form = AIC_FORM_MASK_REGISTER;
    v.ins.count = 1;
    v.ins.mask[0] = 16;
    v.ins.mask[1] = 16;
    return v;
}

// The smallest temporary space of the two image types (Transpose page).
template <typename T>
HOSTCANN_API uint32_t TransposeTmp(uint32_t channels, bool channelsLast)
{
    const uint32_t tile = (sizeof(T) == 1 ? 32 : 16) * 32;
    return (channelsLast ? channels + 2 : channels * 2 + 1) * tile;
}

} // namespace hostcann

template <typename T>
HOSTCANN_API void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                                 const TransDataTo5HDParams& nchwconvParams)
{
    // bfloat16_t is not on the page, but the toolkit looks at the type in debug builds only and moves it as 16 bits.
    static_assert(hostcann::IsTransposable<T> || std::is_same<T, bfloat16_t>::value,
                  "TransDataTo5HD: integers of 8 to 32 bits, half or float on A2");
    hostcann::Vec<T> v(AIC_OP_TransDataTo5HD, LocalTensor<T>());
    v.Mode((nchwconvParams.dstHighHalf ? 1 : 0) | (nchwconvParams.srcHighHalf ? 2 : 0));
    v.ins.form = AIC_FORM_MASK_REGISTER;
    v.ins.rep[0] = v.Field("dstRepStride", nchwconvParams.dstRepStride);
    v.ins.rep[1] = v.Field("srcRepStride", nchwconvParams.srcRepStride);
    v.ins.repeat = v.Field("repeatTimes", nchwconvParams.repeatTimes);
    aic_address_lists(dstList, srcList);
    aic_vector(&v.ins);
}
// What TransDataTo5HD is made of; kernels call it with addresses.
template <typename T>
HOSTCANN_API void TransDataTo5HDImpl(__ubuf__ T* dstList[NCHW_CONV_ADDR_LIST_SIZE],
                                     __ubuf__ T* srcList[NCHW_CONV_ADDR_LIST_SIZE],
                                     const TransDataTo5HDParams& nchwconvParams)
{
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE];
    uint64_t src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = reinterpret_cast<uint64_t>(dstList[i]);
        src[i] = reinterpret_cast<uint64_t>(srcList[i]);
    }
    TransDataTo5HD<T>(dst, src, nchwconvParams);
}
template <typename T>
HOSTCANN_API void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                                 const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                                 const TransDataTo5HDParams& nchwconvParams)
{
    uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE];
    uint64_t src[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dst[i] = dstList[i].GetPhyAddr();
        src[i] = srcList[i].GetPhyAddr();
    }
    TransDataTo5HD<T>(dst, src, nchwconvParams);
}
// The addresses lie in tensors.
template <typename T>
HOSTCANN_API void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
                                 const TransDataTo5HDParams& nchwconvParams)
{
    uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE];
    uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE];
    for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        dstList[i] = dst.GetValue(i);
        srcList[i] = src.GetValue(i);
    }
    TransDataTo5HD<T>(dstList, srcList, nchwconvParams);
}

// 16 by 16 elements.
template <typename T>
HOSTCANN_API void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src)
{
    static_assert(hostcann::IsOneOf<T, int16_t, uint16_t, half>, "Transpose: int16_t, uint16_t or half");
    hostcann::Vec<T> v = hostcann::TransposeVec(dst, src, TransposeType::TRANSPOSE_ND2ND_B16);
    aic_vector(&v.ins);
}
template <typename T>
HOSTCANN_API void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const TransposeParamsExt& transposeParams)
{
    static_assert(hostcann::IsTransposable<T>, "Transpose: integers of 8 to 32 bits, half or float on A2");
    const TransposeType type = transposeParams.transposeType;
    if (type == TransposeType::TRANSPOSE_TYPE_NONE) {
        return;
    }
    hostcann::Vec<T> v = hostcann::TransposeVec(dst, src, type);
    if (type == TransposeType::TRANSPOSE_NCHW2NHWC || type == TransposeType::TRANSPOSE_NHWC2NCHW) {
        const uint32_t channels = v.Field("cSize", transposeParams.cSize);
        const uint32_t height = v.Field("hSize", transposeParams.hSize);
        v.ins.count = v.Field("nSize", transposeParams.nSize);
        v.ins.mask[0] = channels;
        v.ins.mask[1] = height * v.Field("wSize", transposeParams.wSize);
        const uint32_t need = hostcann::TransposeTmp<T>(channels, type == TransposeType::TRANSPOSE_NCHW2NHWC);
        v.Src(2, sharedTmpBuffer).Scalar(need);
        const uint64_t bytes = v.ins.count * v.ins.mask[0] * v.ins.mask[1] * sizeof(T);
        if (bytes == 0) {
            return;
        }
        const auto used = static_cast<uint32_t>(bytes < 0xffffffffu ? bytes : 0xffffffffu);
        aic_operand dstUsed = v.ins.dst;
        aic_operand srcUsed = v.ins.src[0];
        dstUsed.bytes = used;
        srcUsed.bytes = used;
        const aic_adv_call call{
            "Transpose", {dstUsed, srcUsed, {}}, hostcann::Access::Operand(sharedTmpBuffer), need, need, 0};
        aic_adv(&call);
    }
    aic_vector(&v.ins);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_VEC_TRANSPOSE_H
