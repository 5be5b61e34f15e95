// GroupNorm.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_NORMALIZATION_GROUPNORM_H
#define HOSTCANN_ADV_API_NORMALIZATION_GROUPNORM_H

#include "ascendc/kernel/norm_rows.h"

namespace AscendC {

// A group is tiling.d channels of tiling.hw elements; channels start on whole blocks. gamma and beta are one number
// per channel.
template <typename T, bool isReuseSource = false>
HOSTCANN_API void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                            const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                            const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                            const tiling::GroupNormTiling& tiling)
{
    using hostcann::Ordered;
    const uint32_t pitch = tiling.hwAlignSize;
    const uint32_t groups = tiling.n * tiling.g;
    const uint32_t columns = tiling.d * pitch;
    hostcann::CheckNorm<T>("GroupNorm", pitch, tiling.hw);
    const uint64_t all = uint64_t{groups} * columns;
    hostcann::AdvCall("GroupNorm", hostcann::Used(output, all), hostcann::Used(inputX, all), {}, sharedTmpBuffer,
                      hostcann::GroupNormTmp(tiling.n, tiling.c, tiling.hw, tiling.g, sizeof(T), isReuseSource).min,
                      true);
    const LocalTensor<float> room = sharedTmpBuffer.ReinterpretCast<float>();
    const uint32_t kept = hostcann::RoundUp(groups, 8);
    const LocalTensor<float> mean = hostcann::Target(room, outputMean);
    const LocalTensor<float> variance = hostcann::Target(room[kept], outputVariance);
    const LocalTensor<float> work = room[2 * kept];
    const LocalTensor<float> sums = work[columns];
    const LocalTensor<float> wide = sums[columns];
    const int32_t n = static_cast<int32_t>(columns);
    const float part = 1.0f / static_cast<float>(tiling.d * tiling.hw);
    // The sum of the channels' elements, without what fills the blocks.
    const auto sum = [&](const LocalTensor<float>& to) {
        for (uint32_t i = 0; i < tiling.d; ++i) {
            hostcann::SumOf(sums[i], work[i * pitch], tiling.hw);
        }
        hostcann::SumOf(to, sums, tiling.d);
    };
    for (uint32_t group = 0; group < groups; ++group) {
        const LocalTensor<T> out = output[group * columns];
        const LocalTensor<float> x = hostcann::Widen(wide, inputX[group * columns], columns);
        const LocalTensor<float> to = hostcann::Target(wide, out);
        Muls(work, x, part, n);
        Ordered();
        sum(mean[group]);
        Adds(to, x, -hostcann::ReadBack(mean, group), n);
        Ordered();
        Mul(work, to, to, n);
        Ordered();
        Muls(work, work, part, n);
        Ordered();
        sum(variance[group]);
        hostcann::Deviation(work, hostcann::ReadBack(variance, group) + static_cast<float>(epsilon), columns);
        Div(to, to, work, n);
        Ordered();
        for (uint32_t i = 0; i < tiling.d; ++i) {
            const uint32_t channel = group % tiling.g * tiling.d + i;
            const LocalTensor<float> row = to[i * pitch];
            Muls(row, row, static_cast<float>(hostcann::ReadBack(gamma, channel)), static_cast<int32_t>(pitch));
            Ordered();
            Adds(row, row, static_cast<float>(hostcann::ReadBack(beta, channel)), static_cast<int32_t>(pitch));
            Ordered();
        }
        hostcann::Narrowed(out, to, columns);
    }
    hostcann::Narrowed(outputMean, mean, groups);
    hostcann::Narrowed(outputVariance, variance, groups);
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                            const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                            const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
                            const tiling::GroupNormTiling& tiling)
{
    GroupNorm<T, isReuseSource>(output, outputMean, outputVariance, inputX, gamma, beta, hostcann::AdvStack(1), epsilon,
                                tiling);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_NORMALIZATION_GROUPNORM_H
