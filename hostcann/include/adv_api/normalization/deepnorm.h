// DeepNorm.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_NORMALIZATION_DEEPNORM_H
#define HOSTCANN_ADV_API_NORMALIZATION_DEEPNORM_H

#include "adv_api/normalization/layernorm.h"

namespace AscendC {

// LayerNorm(alpha * x + gx). rstdLocal takes the variance, as in the page's example and the toolkit's sources; the
// page's table says its reciprocal root.
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
HOSTCANN_API void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,
                           const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal,
                           const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
                           const LocalTensor<T>& gammaLocal, const LocalTensor<uint8_t>& sharedTmpBuffer, const T alpha,
                           const T epsilon, const tiling::DeepNormTiling& tiling)
{
    const uint32_t rows = tiling.bLength * tiling.sLength;
    const uint32_t columns = tiling.hLength;
    hostcann::CheckNorm<T>("DeepNorm", columns, tiling.originalHLength);
    const uint64_t all = uint64_t{rows} * columns;
    hostcann::AdvCall("DeepNorm", hostcann::Used(dstLocal, all), hostcann::Used(srcLocal, all),
                      hostcann::Used(gxLocal, all), sharedTmpBuffer,
                      hostcann::LayerNormTmp(rows, columns, sizeof(T), isReuseSrc).min, isReuseSrc);
    const int32_t count = static_cast<int32_t>(columns);
    hostcann::LayerNormRows(
        dstLocal, meanLocal, rstdLocal, gammaLocal, betaLocal, sharedTmpBuffer, static_cast<float>(epsilon), rows,
        columns, tiling.originalHLength, [&](uint32_t row, const LocalTensor<float>& room) {
            Muls(room, hostcann::Widen(room, srcLocal[row * columns], columns), static_cast<float>(alpha), count);
            hostcann::Ordered();
            Add(room, room, hostcann::Widen(room[columns], gxLocal[row * columns], columns), count);
            hostcann::Ordered();
            return room;
        });
}
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
HOSTCANN_API void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal,
                           const LocalTensor<T>& rstdLocal, const LocalTensor<T>& srcLocal,
                           const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
                           const LocalTensor<T>& gammaLocal, const T alpha, const T epsilon,
                           const tiling::DeepNormTiling& tiling)
{
    DeepNorm<T, isReuseSrc, isBasicBlock>(dstLocal, meanLocal, rstdLocal, srcLocal, gxLocal, betaLocal, gammaLocal,
                                          hostcann::AdvStack(1), alpha, epsilon, tiling);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_NORMALIZATION_DEEPNORM_H
