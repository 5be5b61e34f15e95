// LayerNormGrad.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_NORMALIZATION_LAYERNORMGRAD_H
#define HOSTCANN_ADV_API_NORMALIZATION_LAYERNORMGRAD_H

#include "ascendc/kernel/norm_rows.h"

namespace AscendC {

struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND;
};

// With d = root(variance + epsilon), x1 = dy * gamma, x2 = x - mean:
// pdVar = sum(-0.5 x1 x2 / d^3), pdMean = sum(-x1 / d) + pdVar / h sum(-2 x2),
// pdX = x1 / d + pdVar 2 / h x2 + pdMean / h, resForGamma = x2 / d (LayerNormGrad page).
template <typename T, bool isReuseSource = false>
HOSTCANN_API void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                                const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                                const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                                const LocalTensor<T>& inputGamma, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                T epsilon, const tiling::LayerNormGradTiling& tiling,
                                const LayerNormGradShapeInfo& shapeInfo = {})
{
    using hostcann::Ordered;
    (void)shapeInfo;
    const uint32_t rows = tiling.bLength * tiling.sLength;
    const uint32_t columns = tiling.hLength;
    const uint32_t used = tiling.originalHLength;
    hostcann::CheckNorm<T>("LayerNormGrad", columns, used);
    const uint64_t all = uint64_t{rows} * columns;
    hostcann::AdvCall("LayerNormGrad", hostcann::Used(outputPdX, all), hostcann::Used(inputX, all),
                      hostcann::Used(inputDy, all), sharedTmpBuffer,
                      hostcann::LayerNormGradTmp(rows, columns, sizeof(T), isReuseSource).min, true);
    const LocalTensor<float> x1 = sharedTmpBuffer.ReinterpretCast<float>();
    const LocalTensor<float> x2 = x1[columns];
    const LocalTensor<float> deviation = x2[columns];
    const LocalTensor<float> work = deviation[columns];
    const int32_t n = static_cast<int32_t>(columns);
    const int32_t counted = static_cast<int32_t>(used);
    const float part = 1.0f / static_cast<float>(used);
    // What is in `work`, times a factor, summed to where the row of pdX goes later.
    const auto sum = [&](float factor, const LocalTensor<float>& to) {
        Muls(work, work, factor, counted);
        Ordered();
        hostcann::SumOf(to, work, used);
        return hostcann::ReadBack(to, 0);
    };
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t at = row * columns;
        const LocalTensor<T> xRow = outputPdX[at];
        const LocalTensor<float> total = xRow.template ReinterpretCast<float>();
        const float variance = static_cast<float>(hostcann::ReadBack(inputVariance, row));
        const float mean = static_cast<float>(hostcann::ReadBack(inputMean, row));
        const LocalTensor<float> dy = hostcann::Widen(x1, inputDy[at], columns);
        Mul(x1, dy, hostcann::Widen(work, inputGamma, columns), n);
        Adds(x2, hostcann::Widen(x2, inputX[at], columns), -mean, n);
        hostcann::Deviation(deviation, variance + static_cast<float>(epsilon), columns);
        // pdVar
        Mul(work, x1, x2, counted);
        Ordered();
        for (int i = 0; i < 3; ++i) {
            Div(work, work, deviation, counted);
            Ordered();
        }
        const float pdVar = sum(-0.5f, total);
        // pdMean
        Adds(work, x2, 0.0f, counted);
        Ordered();
        const float drift = sum(-2.0f, total);
        Div(x1, x1, deviation, n);
        Ordered();
        Adds(work, x1, 0.0f, counted);
        Ordered();
        const float pdMean = sum(-1.0f, total) + pdVar * part * drift;
        const LocalTensor<T> gammaRow = resForGamma[at];
        const LocalTensor<float> toGamma = hostcann::Target(work, gammaRow);
        Div(toGamma, x2, deviation, n);
        Ordered();
        hostcann::Narrowed(gammaRow, toGamma, columns);
        // pdX
        const LocalTensor<float> toX = hostcann::Target(x1, xRow);
        Muls(x2, x2, pdVar * 2.0f * part, n);
        Ordered();
        Add(x1, x1, x2, n);
        Ordered();
        Adds(toX, x1, pdMean * part, n);
        Ordered();
        hostcann::Narrowed(xRow, toX, columns);
    }
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                                const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                                const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                                const LocalTensor<T>& inputGamma, T epsilon, const tiling::LayerNormGradTiling& tiling,
                                const LayerNormGradShapeInfo& shapeInfo = {})
{
    LayerNormGrad<T, isReuseSource>(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma,
                                    hostcann::AdvStack(1), epsilon, tiling, shapeInfo);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_NORMALIZATION_LAYERNORMGRAD_H
