// The sum of the exclusive or of two tensors.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_REDUCE_REDUCE_XOR_SUM_H
#define HOSTCANN_ADV_API_REDUCE_REDUCE_XOR_SUM_H

#include "ascendc/kernel/adv_rows.h"

namespace AscendC {

// Summed in float and converted with saturation: beyond int16_t the result is its limit (ReduceXorSum page).
template <typename T, bool isReuseSource = false>
HOSTCANN_API void ReduceXorSum(LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                               const LocalTensor<T>& src1Tensor, LocalTensor<uint8_t>& sharedTmpBuffer,
                               const uint32_t calCount)
{
    static_assert(std::is_same<T, int16_t>::value, "ReduceXorSum: int16_t");
    const uint32_t minBytes = hostcann::XorSumTmp(calCount, isReuseSource);
    hostcann::AdvCall("ReduceXorSum", hostcann::Used(dstTensor, 1), hostcann::Used(src0Tensor, calCount),
                      hostcann::Used(src1Tensor, calCount), sharedTmpBuffer, minBytes);
    if (calCount == 0) {
        return;
    }
    // The exclusive or first, behind it the conjunction and then a repeat of sums and as many elements as fit.
    const uint32_t taken = isReuseSource ? 0 : hostcann::RoundUp(calCount * 2, 32);
    const LocalTensor<T> either = isReuseSource ? src0Tensor : sharedTmpBuffer.ReinterpretCast<T>();
    const LocalTensor<T> both = sharedTmpBuffer[taken].ReinterpretCast<T>();
    const LocalTensor<float> sums = sharedTmpBuffer[taken].ReinterpretCast<float>();
    const LocalTensor<float> wide = sums[64];
    const uint32_t room = (minBytes - taken - 256) / 64 * 16;
    const uint32_t chunk = room < 64 ? room : 64;
    const int32_t n = static_cast<int32_t>(calCount);
    And(both, src0Tensor, src1Tensor, n);
    hostcann::Ordered();
    Or(either, src0Tensor, src1Tensor, n);
    Not(both, both, n);
    hostcann::Ordered();
    And(either, either, both, n);
    hostcann::Ordered();
    Duplicate(sums, 0.0f, 64);
    for (uint32_t at = 0; at < calCount; at += chunk) {
        const uint32_t now = calCount - at < chunk ? calCount - at : chunk;
        Cast(wide, either[at], RoundMode::CAST_NONE, now);
        hostcann::Ordered();
        Add(sums, sums, wide, static_cast<int32_t>(now));
        hostcann::Ordered();
    }
    hostcann::EachRow<hostcann::RowSum>(wide, sums, 64, 1, 64);
    Cast(dstTensor, wide, RoundMode::CAST_RINT, 1);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void ReduceXorSum(LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,
                               const LocalTensor<T>& src1Tensor, const uint32_t calCount)
{
    LocalTensor<uint8_t> tmp = hostcann::AdvStack(1);
    ReduceXorSum<T, isReuseSource>(dstTensor, src0Tensor, src1Tensor, tmp, calCount);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_REDUCE_REDUCE_XOR_SUM_H
