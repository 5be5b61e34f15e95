// The Welford step that joins the parts of a row.
#include "kernel_operator.h" // before the guard: it includes this header

#ifndef HOSTCANN_ADV_API_NORMALIZATION_WELFORDFINALIZE_H
#define HOSTCANN_ADV_API_NORMALIZATION_WELFORDFINALIZE_H

#include "ascendc/kernel/norm_rows.h"

namespace AscendC {

struct WelfordFinalizePara {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t headCount;
    uint32_t headCountLength;
    uint32_t tailCount;
    uint32_t tailCountLength;
    float abRec;
    float rRec;
    float rRecWithCorrection;
};
struct WelfordFinalizeConfig {
    bool isCorrection = false;
};
constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};

namespace hostcann {

// Weighs `part`, elements `at` to `at` + n of the row.
template <typename Weigh>
HOSTCANN_API void WelfordFinal(const LocalTensor<float>& outMean, const LocalTensor<float>& outVariance,
                               const LocalTensor<float>& mean, const LocalTensor<float>& variance,
                               const LocalTensor<uint8_t>& tmp, const WelfordFinalizePara& para, bool isEven,
                               const Weigh& weigh)
{
    CheckNorm<float>("WelfordFinalize", para.abLength, para.abLength);
    AdvCall("WelfordFinalize", Used(outMean, 1), Used(mean, para.abLength), Used(variance, para.abLength), tmp,
            WelfordFinalizeTmp(para.abLength).min);
    const LocalTensor<float> sums = tmp.ReinterpretCast<float>();
    const LocalTensor<float> part = sums[64];
    const auto over = [&](const auto& step) {
        Duplicate(sums, 0.0f, 64);
        for (uint32_t at = 0; at < para.abLength; at += 64) {
            const uint32_t n = para.abLength - at < 64 ? para.abLength - at : 64;
            step(at, n);
            Add(sums, sums, part, static_cast<int32_t>(n));
            Ordered();
        }
    };
    over([&](uint32_t at, uint32_t n) {
        const int32_t count = static_cast<int32_t>(n);
        if (isEven) {
            Muls(part, mean[at], para.abRec, count);
            Ordered();
            return;
        }
        Muls(part, mean[at], para.rRec, count);
        Ordered();
        weigh(part, at, n);
    });
    EachRow<RowSum>(outMean, sums, 64, 1, 64);
    const float middle = ReadBack(outMean, 0);
    over([&](uint32_t at, uint32_t n) {
        const int32_t count = static_cast<int32_t>(n);
        Adds(part, mean[at], -middle, count);
        Ordered();
        Mul(part, part, part, count);
        Ordered();
        weigh(part, at, n);
        Add(part, part, variance[at], count);
        Ordered();
        Muls(part, part, para.rRec, count);
        Ordered();
    });
    EachRow<RowSum>(outVariance, sums, 64, 1, 64);
}

} // namespace hostcann

// Without a tail every part counts rnLength times, else headCount times up to headCountLength and tailCount times
// behind it.
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
HOSTCANN_API void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                                  const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                                  const LocalTensor<uint8_t>& sharedTmpBuffer, const WelfordFinalizePara& para)
{
    static_assert(!config.isCorrection, "WelfordFinalize: no corrected variance on A2");
    if (para.headCountLength + para.tailCountLength != para.abLength ||
        (para.tailCount == 0 && para.tailCountLength != 0)) {
        aic_misuse("WelfordFinalize", "para", "head and tail do not make up the row",
                   "headCountLength + tailCountLength = abLength, and no tail that counts 0 times",
                   para.headCountLength + para.tailCountLength, "correct the lengths");
    }
    const bool isEven = para.tailCountLength == 0 || para.tailCount == 0;
    hostcann::WelfordFinal(outputMean, outputVariance, inputMean, inputVariance, sharedTmpBuffer, para, isEven,
                           [&](const LocalTensor<float>& part, uint32_t at, uint32_t n) {
                               const uint32_t head = isEven                        ? n :
                                                     at >= para.headCountLength    ? 0 :
                                                     para.headCountLength - at < n ? para.headCountLength - at :
                                                                                     n;
                               // The tail starts anywhere in a block: everything by the tail's count, then the head by
                               // what differs.
                               if (head != n) {
                                   Muls(part, part, static_cast<float>(para.tailCount), static_cast<int32_t>(n));
                                   hostcann::Ordered();
                               }
                               if (head != 0) {
                                   const float count = static_cast<float>(isEven ? para.rnLength : para.headCount);
                                   const float left = head == n ? count : count / static_cast<float>(para.tailCount);
                                   Muls(part, part, left, static_cast<int32_t>(head));
                                   hostcann::Ordered();
                               }
                           });
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
HOSTCANN_API void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                                  const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                                  const LocalTensor<int32_t>& counts, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                  const WelfordFinalizePara& para)
{
    static_assert(!config.isCorrection, "WelfordFinalize: no corrected variance on A2");
    hostcann::WelfordFinal(outputMean, outputVariance, inputMean, inputVariance, sharedTmpBuffer, para, false,
                           [&](const LocalTensor<float>& part, uint32_t at, uint32_t n) {
                               const LocalTensor<float> weights = part[64];
                               Cast(weights, counts[at], RoundMode::CAST_NONE, n);
                               hostcann::Ordered();
                               Mul(part, part, weights, static_cast<int32_t>(n));
                               hostcann::Ordered();
                           });
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
HOSTCANN_API void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                                  const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                                  const WelfordFinalizePara& para)
{
    WelfordFinalize<isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, hostcann::AdvStack(1),
                                           para);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
HOSTCANN_API void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                                  const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                                  const LocalTensor<int32_t>& counts, const WelfordFinalizePara& para)
{
    WelfordFinalize<isReuseSource, config>(outputMean, outputVariance, inputMean, inputVariance, counts,
                                           hostcann::AdvStack(1), para);
}

} // namespace AscendC

#endif // HOSTCANN_ADV_API_NORMALIZATION_WELFORDFINALIZE_H
