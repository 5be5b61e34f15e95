// BatchNorm.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_NORMALIZATION_BATCHNORM_H
#define HOSTCANN_ADV_API_NORMALIZATION_BATCHNORM_H

#include "ascendc/kernel/norm_rows.h"

namespace AscendC {

// Mean and variance of each feature over the batches; gamma and beta are one number per batch (BatchNorm page). As
// many features at a time as fit twice behind the statistics.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
HOSTCANN_API void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                            const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                            const LocalTensor<T>& gamm, const LocalTensor<T>& beta,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                            const tiling::BatchNormTiling& tiling)
{
    using hostcann::Ordered;
    const uint32_t batches = tiling.originalBLength;
    const uint32_t features = tiling.meanVarSize;
    hostcann::CheckNorm<T>("BatchNorm", features, features);
    const uint64_t all = uint64_t{batches} * features;
    hostcann::AdvCall("BatchNorm", hostcann::Used(output, all), hostcann::Used(inputX, all), {}, sharedTmpBuffer,
                      hostcann::BatchNormTmp(batches, features, sizeof(T), isBasicBlock).min, true);
    const LocalTensor<float> room = sharedTmpBuffer.ReinterpretCast<float>();
    const uint32_t kept = sizeof(T) == 2 ? 2 * hostcann::RoundUp(features, 8) : 0;
    const LocalTensor<float> mean = hostcann::Target(room, outputMean);
    const LocalTensor<float> variance = hostcann::Target(room[kept / 2], outputVariance);
    const uint32_t fit = (sharedTmpBuffer.GetSize() / 4 - kept) / 32 * 16;
    const LocalTensor<float> a = room[kept];
    const LocalTensor<float> b = a[fit];
    const float part = 1.0f / static_cast<float>(batches);
    for (uint32_t at = 0; at < features; at += fit) {
        const uint32_t now = features - at < fit ? features - at : fit;
        const int32_t n = static_cast<int32_t>(now);
        Duplicate(mean[at], 0.0f, n);
        Duplicate(variance[at], 0.0f, n);
        for (uint32_t i = 0; i < batches; ++i) {
            Muls(b, hostcann::Widen(a, inputX[i * features + at], now), part, n);
            Ordered();
            Add(mean[at], mean[at], b, n);
            Ordered();
        }
        for (uint32_t i = 0; i < batches; ++i) {
            Sub(a, hostcann::Widen(a, inputX[i * features + at], now), mean[at], n);
            Ordered();
            Mul(a, a, a, n);
            Ordered();
            Muls(a, a, part, n);
            Ordered();
            Add(variance[at], variance[at], a, n);
            Ordered();
        }
        Adds(b, variance[at], static_cast<float>(epsilon), n);
        Ordered();
        Sqrt(b, b, n);
        Ordered();
        for (uint32_t i = 0; i < batches; ++i) {
            const LocalTensor<T> out = output[i * features + at];
            const LocalTensor<float> to = hostcann::Target(a, out);
            Sub(to, hostcann::Widen(a, inputX[i * features + at], now), mean[at], n);
            Ordered();
            Div(to, to, b, n);
            Ordered();
            Muls(to, to, static_cast<float>(hostcann::ReadBack(gamm, i)), n);
            Ordered();
            Adds(to, to, static_cast<float>(hostcann::ReadBack(beta, i)), n);
            Ordered();
            hostcann::Narrowed(out, to, now);
        }
    }
    hostcann::Narrowed(outputMean, mean, features);
    hostcann::Narrowed(outputVariance, variance, features);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
HOSTCANN_API void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                            const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                            const LocalTensor<T>& gamm, const LocalTensor<T>& beta, const T epsilon,
                            const tiling::BatchNormTiling& tiling)
{
    BatchNorm<T, isReuseSource, isBasicBlock>(output, outputMean, outputVariance, inputX, gamm, beta,
                                              hostcann::AdvStack(1), epsilon, tiling);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_NORMALIZATION_BATCHNORM_H
