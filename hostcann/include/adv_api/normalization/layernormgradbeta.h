// LayerNormGradBeta.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_NORMALIZATION_LAYERNORMGRADBETA_H
#define HOSTCANN_ADV_API_NORMALIZATION_LAYERNORMGRADBETA_H

#include "ascendc/kernel/norm_rows.h"

namespace AscendC {

// gamma: the sum of dy * resForGamma over all rows, beta: that of dy.
template <typename T, bool isReuseSource = false>
HOSTCANN_API void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                                    const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                                    const LocalTensor<uint8_t>& sharedTmpBuffer,
                                    const tiling::LayerNormGradBetaTiling& tiling)
{
    using hostcann::Ordered;
    const uint32_t rows = tiling.bLength * tiling.sLength;
    const uint32_t columns = tiling.hLength;
    hostcann::CheckNorm<T>("LayerNormGradBeta", columns, tiling.originalHLength);
    const uint64_t all = uint64_t{rows} * columns;
    hostcann::AdvCall("LayerNormGradBeta", hostcann::Used(outputPdGamma, columns), hostcann::Used(resForGamma, all),
                      hostcann::Used(inputDy, all), sharedTmpBuffer,
                      hostcann::LayerNormGradBetaTmp(rows, columns, sizeof(T)).min, true);
    // The outputs may lie over the inputs: both sums are kept apart until the last row.
    const LocalTensor<float> gamma = sharedTmpBuffer.ReinterpretCast<float>();
    const LocalTensor<float> work = gamma[columns];
    const LocalTensor<float> wide = work[columns];
    const int32_t n = static_cast<int32_t>(columns);
    Duplicate(gamma, 0.0f, n);
    for (uint32_t row = 0; row < rows; ++row) {
        const LocalTensor<float> dy = hostcann::Widen(wide, inputDy[row * columns], columns);
        const LocalTensor<float> res = hostcann::Widen(work, resForGamma[row * columns], columns);
        Mul(work, dy, res, n);
        Ordered();
        Add(gamma, gamma, work, n);
        Ordered();
    }
    const LocalTensor<float> beta = work;
    Duplicate(beta, 0.0f, n);
    Ordered();
    for (uint32_t row = 0; row < rows; ++row) {
        Add(beta, beta, hostcann::Widen(wide, inputDy[row * columns], columns), n);
        Ordered();
    }
    if constexpr (std::is_same<T, float>::value) {
        DataCopy(outputPdGamma, gamma, columns);
        DataCopy(outputPdBeta, beta, columns);
    } else {
        hostcann::Narrowed(outputPdGamma, gamma, columns);
        hostcann::Narrowed(outputPdBeta, beta, columns);
    }
}
template <typename T, bool isReuseSource = false>
HOSTCANN_API void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                                    const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                                    const tiling::LayerNormGradBetaTiling& tiling)
{
    LayerNormGradBeta<T, isReuseSource>(outputPdGamma, outputPdBeta, resForGamma, inputDy, hostcann::AdvStack(1),
                                        tiling);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_NORMALIZATION_LAYERNORMGRADBETA_H
