// Normalization with known mean and variance.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_NORMALIZATION_NORMALIZE_H
#define HOSTCANN_ADV_API_NORMALIZATION_NORMALIZE_H

#include "ascendc/kernel/norm_rows.h"

namespace AscendC {

struct NormalizePara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};
struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
constexpr NormalizeConfig NLCFG_NOBETA = {ReducePattern::AR, -1, true, false, false};
constexpr NormalizeConfig NLCFG_NOGAMMA = {ReducePattern::AR, -1, false, true, false};

namespace hostcann {

// rstd = 1 / root(variance + epsilon); y = (x - mean) * rstd * gamma + beta.
template <bool hasGamma, bool hasBeta, typename U, typename T>
HOSTCANN_API void NormalizeRows(const LocalTensor<T>& y, const LocalTensor<float>& rstd, const LocalTensor<float>& mean,
                                const LocalTensor<float>& variance, const LocalTensor<T>& x,
                                const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const LocalTensor<float>& room,
                                float epsilon, uint32_t rows, uint32_t columns)
{
    const int32_t count = static_cast<int32_t>(columns);
    const int32_t statistics = static_cast<int32_t>(rows);
    Adds(rstd, variance, epsilon, statistics);
    Duplicate(room, 1.0f, statistics);
    Ordered();
    Sqrt(rstd, rstd, statistics);
    Ordered();
    Div(rstd, room, rstd, statistics);
    Ordered();
    for (uint32_t row = 0; row < rows; ++row) {
        const LocalTensor<T> out = y[row * columns];
        const LocalTensor<float> to = Target(room, out);
        const LocalTensor<float> scratch = room[columns];
        Adds(to, Widen(room, x[row * columns], columns), -ReadBack(mean, row), count);
        Ordered();
        Muls(to, to, ReadBack(rstd, row), count);
        Ordered();
        if constexpr (hasGamma) {
            Scale(to, to, gamma, scratch, columns);
        }
        if constexpr (hasBeta) {
            Shift(to, to, beta, scratch, columns);
        }
        Narrowed(out, to, columns);
    }
}

} // namespace hostcann

template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
HOSTCANN_API void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
                            const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                            const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const float epsilon, const NormalizePara& para)
{
    static_assert(hostcann::IsOneOf<U, half, float> && sizeof(U) >= sizeof(T),
                  "Normalize: gamma and beta are half or float, not less exact than the input");
    static_assert(config.reducePattern == ReducePattern::AR && !config.isOnlyOutput && config.aLength == -1,
                  "Normalize: pattern AR with rstd on A2");
    const uint32_t columns = para.rLengthWithPadding;
    hostcann::CheckNorm<T>("Normalize", columns, para.rLength);
    const uint64_t all = uint64_t{para.aLength} * columns;
    hostcann::AdvCall("Normalize", hostcann::Used(output, all), hostcann::Used(inputX, all), {}, sharedTmpBuffer,
                      hostcann::NormalizeTmp(para.aLength, columns, sizeof(U)).min);
    hostcann::NormalizeRows<!config.isNoGamma, !config.isNoBeta>(output, outputRstd, inputMean, inputVariance, inputX,
                                                                 gamma, beta, sharedTmpBuffer.ReinterpretCast<float>(),
                                                                 epsilon, para.aLength, columns);
}
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
HOSTCANN_API void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
                            const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                            const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                            const float epsilon, const NormalizePara& para)
{
    Normalize<U, T, isReuseSource, config>(output, outputRstd, inputMean, inputVariance, inputX, gamma, beta,
                                           hostcann::AdvStack(1), epsilon, para);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_NORMALIZATION_NORMALIZE_H
