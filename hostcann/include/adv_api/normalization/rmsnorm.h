// RmsNorm.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_NORMALIZATION_RMSNORM_H
#define HOSTCANN_ADV_API_NORMALIZATION_RMSNORM_H

#include "ascendc/kernel/norm_rows.h"

namespace AscendC {

// x / root(mean(x * x) + epsilon) * gamma; originalHLength elements of a row count, hLength are written.
template <typename T, bool isBasicBlock = false>
HOSTCANN_API void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                          const LocalTensor<T>& gammaLocal, const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const T epsilon, const tiling::RmsNormTiling& tiling)
{
    using hostcann::Ordered;
    const uint32_t rows = tiling.bLength * tiling.sLength;
    const uint32_t columns = tiling.hLength;
    const uint32_t n = tiling.originalHLength;
    hostcann::CheckNorm<T>("RmsNorm", columns, n);
    const uint64_t all = uint64_t{rows} * columns;
    hostcann::AdvCall("RmsNorm", hostcann::Used(dstLocal, all), hostcann::Used(srcLocal, all), {}, sharedTmpBuffer,
                      hostcann::RmsNormTmp(rows, columns, sizeof(T)).min, true);
    const LocalTensor<float> mean = sharedTmpBuffer.ReinterpretCast<float>();
    const LocalTensor<float> work = mean[8];
    const LocalTensor<float> wide = work[columns];
    for (uint32_t row = 0; row < rows; ++row) {
        const LocalTensor<T> out = dstLocal[row * columns];
        const LocalTensor<float> x = hostcann::Widen(wide, srcLocal[row * columns], columns);
        const LocalTensor<float> to = hostcann::Target(wide, out);
        Mul(work, x, x, static_cast<int32_t>(n));
        Ordered();
        Muls(work, work, 1.0f / static_cast<float>(n), static_cast<int32_t>(n));
        Ordered();
        hostcann::SumOf(mean, work, n);
        hostcann::Deviation(work, hostcann::ReadBack(mean, 0) + static_cast<float>(epsilon), columns);
        Div(to, x, work, static_cast<int32_t>(columns));
        Ordered();
        hostcann::Scale(to, to, gammaLocal, work, columns);
        hostcann::Narrowed(out, to, columns);
    }
}
template <typename T, bool isBasicBlock = false>
HOSTCANN_API void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                          const LocalTensor<T>& gammaLocal, const T epsilon, const tiling::RmsNormTiling& tiling)
{
    RmsNorm<T, isBasicBlock>(dstLocal, srcLocal, gammaLocal, hostcann::AdvStack(1), epsilon, tiling);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_NORMALIZATION_RMSNORM_H
