// LayerNorm with mean and variance or with mean and the reciprocal deviation, and the Welford step before it.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_NORMALIZATION_LAYERNORM_H
#define HOSTCANN_ADV_API_NORMALIZATION_LAYERNORM_H

#include "adv_api/normalization/normalize.h"
#include "ascendc/kernel/norm_rows.h"

namespace AscendC {

struct LayerNormPara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};
struct LayerNormConfig {
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
    bool isOutputRstd = true;
};
constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};
constexpr LayerNormConfig LNCFG_NOBETA = {true, false, false, true};
constexpr LayerNormConfig LNCFG_NOGAMMA = {false, true, false, true};

struct WelfordUpdateParam {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t abComputeLength;
    float nRec;
};
struct WelfordUpdateConfig {
    bool isInplace = false;
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};

namespace hostcann {

// y = (x - mean) / root(variance + epsilon) * gamma + beta over `rows` rows of `columns` elements, n of which count.
// x(row, room) gives a row as floats. Two rows of room; half keeps its statistics in front of them.
template <typename T, typename Row>
HOSTCANN_API void LayerNormRows(const LocalTensor<T>& y, const LocalTensor<T>& outMean,
                                const LocalTensor<T>& outVariance, const LocalTensor<T>& gamma,
                                const LocalTensor<T>& beta, const LocalTensor<uint8_t>& tmp, float epsilon,
                                uint32_t rows, uint32_t columns, uint32_t n, const Row& x)
{
    const LocalTensor<float> all = tmp.ReinterpretCast<float>();
    const uint32_t kept = RoundUp(rows, 8);
    const RowStatistics s{Target(all, outMean), Target(all[kept], outVariance)};
    const LocalTensor<float> x0 = all[2 * kept];
    const LocalTensor<float> work = x0[columns];
    for (uint32_t row = 0; row < rows; ++row) {
        const LocalTensor<T> out = y[row * columns];
        const LocalTensor<float> to = Target(x0, out);
        s.Take(row, x(row, x0), x0, work, n, columns);
        Deviation(work, ReadBack(s.variance, row) + epsilon, columns);
        Div(x0, x0, work, static_cast<int32_t>(columns));
        Ordered();
        Scale(x0, x0, gamma, work, columns);
        Shift(to, x0, beta, work, columns);
        Narrowed(out, to, columns);
    }
    Narrowed(outMean, s.mean, rows);
    Narrowed(outVariance, s.variance, rows);
}

} // namespace hostcann

template <typename T, bool isReuseSource = false>
HOSTCANN_API void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                            const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                            const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                            const tiling::LayerNormTiling& tiling)
{
    const uint32_t rows = tiling.bLength * tiling.sLength;
    const uint32_t columns = tiling.hLength;
    hostcann::CheckNorm<T>("LayerNorm", columns, tiling.originalHLength);
    const uint64_t all = uint64_t{rows} * columns;
    hostcann::AdvCall("LayerNorm", hostcann::Used(output, all), hostcann::Used(inputX, all), {}, sharedTmpBuffer,
                      hostcann::LayerNormTmp(rows, columns, sizeof(T), isReuseSource).min, true);
    hostcann::LayerNormRows(output, outputMean, outputVariance, gamma, beta, sharedTmpBuffer,
                            static_cast<float>(epsilon), rows, columns, tiling.originalHLength,
                            [&](uint32_t row, const LocalTensor<float>& room) {
                                return hostcann::Widen(room, inputX[row * columns], columns);
                            });
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                            const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
                            const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
                            const tiling::LayerNormTiling& tiling)
{
    LayerNorm<T, isReuseSource>(output, outputMean, outputVariance, inputX, gamma, beta, hostcann::AdvStack(1), epsilon,
                                tiling);
}

// rLength of the rLengthWithPadding elements of a row count.
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
HOSTCANN_API void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                            const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
                            const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const LayerNormPara& para,
                            const tiling::LayerNormSeparateTiling&)
{
    static_assert(hostcann::IsOneOf<U, half, float> && sizeof(U) >= sizeof(T),
                  "LayerNorm: gamma and beta are half or float, not less exact than the input");
    static_assert(!config.isOnlyOutput && config.isOutputRstd, "LayerNorm: mean and rstd are written on A2");
    const uint32_t columns = para.rLengthWithPadding;
    hostcann::CheckNorm<T>("LayerNorm", columns, para.rLength);
    const uint64_t all = uint64_t{para.aLength} * columns;
    // The size is asked for by the size of the input, also where gamma is wider.
    hostcann::AdvCall("LayerNorm", hostcann::Used(output, all), hostcann::Used(inputX, all), {}, sharedTmpBuffer,
                      hostcann::LayerNormRstdTmp(para.aLength, columns, sizeof(T)).min);
    const LocalTensor<float> variance = sharedTmpBuffer.ReinterpretCast<float>();
    const LocalTensor<float> x0 = variance[hostcann::RoundUp(para.aLength, 8)];
    const hostcann::RowStatistics s{outputMean, variance};
    for (uint32_t row = 0; row < para.aLength; ++row) {
        s.Take(row, hostcann::Widen(x0, inputX[row * columns], columns), x0, x0[columns], para.rLength, columns);
    }
    hostcann::NormalizeRows<!config.isNoGamma, !config.isNoBeta>(output, outputRstd, outputMean, variance, inputX,
                                                                 gamma, beta, x0, epsilon, para.aLength, columns);
}
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
HOSTCANN_API void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                            const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
                            const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,
                            const LayerNormPara& para, const tiling::LayerNormSeparateTiling& tiling)
{
    LayerNorm<U, T, isReuseSource, config>(output, outputMean, outputRstd, inputX, gamma, beta, epsilon,
                                           hostcann::AdvStack(1), para, tiling);
}

// mean' = mean + (x - mean) * nRec; variance' = variance + (x - mean) * (x - mean').
template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
HOSTCANN_API void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                                const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                                const LocalTensor<T>& inputX, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                const WelfordUpdateParam& para)
{
    static_assert(std::is_same<U, float>::value, "WelfordUpdate: mean and variance are float");
    hostcann::CheckNorm<U>("WelfordUpdate", para.abLength, para.abComputeLength);
    const uint32_t all = para.abLength;
    const uint32_t count = para.abComputeLength;
    hostcann::AdvCall("WelfordUpdate", hostcann::Used(outputMean, all), hostcann::Used(inputX, all),
                      hostcann::Used(inputMean, all), sharedTmpBuffer,
                      hostcann::WelfordUpdateTmp(all, sizeof(T), isReuseSource).min);
    if (config.isInplace && count < all) {
        // The elements that are not calculated are the old ones.
        DataCopy(outputMean[count / 8 * 8], inputMean[count / 8 * 8], all - count / 8 * 8);
        DataCopy(outputVariance[count / 8 * 8], inputVariance[count / 8 * 8], all - count / 8 * 8);
        hostcann::Ordered();
    }
    const LocalTensor<float> room = sharedTmpBuffer.template ReinterpretCast<float>();
    for (uint32_t at = 0; at < count; at += 64) {
        const uint32_t now = count - at < 64 ? count - at : 64;
        const int32_t n = static_cast<int32_t>(now);
        const LocalTensor<float> x = hostcann::Widen(room, inputX[at], now);
        const LocalTensor<float> step = sizeof(T) == 2 ? room[64] : room;
        Sub(step, x, inputMean[at], n);
        hostcann::Ordered();
        Muls(outputMean[at], step, para.nRec, n);
        hostcann::Ordered();
        Add(outputMean[at], outputMean[at], inputMean[at], n);
        hostcann::Ordered();
        Sub(outputVariance[at], x, outputMean[at], n);
        hostcann::Ordered();
        Mul(outputVariance[at], outputVariance[at], step, n);
        hostcann::Ordered();
        Add(outputVariance[at], outputVariance[at], inputVariance[at], n);
        hostcann::Ordered();
    }
}
template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
HOSTCANN_API void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                                const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                                const LocalTensor<T>& inputX, const WelfordUpdateParam& para)
{
    WelfordUpdate<T, U, isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, inputX,
                                               hostcann::AdvStack(1), para);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_NORMALIZATION_LAYERNORM_H
