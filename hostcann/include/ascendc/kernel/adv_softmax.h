// SoftMax, SimpleSoftMax, LogSoftMax, AdjustSoftMaxRes.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_H

#include "ascendc/kernel/adv_softmax_pass.h"

namespace AscendC {
namespace hostcann {

template <typename U, const SoftmaxConfig& config>
HOSTCANN_API uint32_t SoftmaxRowsOf(const char* name, const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape,
                                    const LocalTensor<uint8_t>& tmp)
{
    const SoftmaxShape s{shape.srcM, shape.srcK, sizeof(U)};
    return SoftmaxRowsOf<config>(name, tiling, shape, SoftmaxPassRows(s, tmp.GetSize() / 4, SoftmaxRoom(s)));
}

// exp(x - max) / sum of a row; `sum` and `max` are left out when hasStats is false.
template <typename T, typename U, bool isNZ, bool hasStats, bool isLog, const SoftmaxConfig& config>
HOSTCANN_API void SoftmaxOf(const char* name, const LocalTensor<T>& dst, const LocalTensor<U>& sum,
                            const LocalTensor<U>& max, const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp,
                            const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shapeInfo)
{
    using Pass = SoftmaxPass<T, U, isNZ>;
    const SoftMaxShapeInfo shape = SoftmaxShapeOf<config>(name, src, shapeInfo);
    const uint32_t rows = SoftmaxRowsOf<U, config>(name, tiling, shape, tmp);
    SoftmaxPasses<Pass>(name, dst, src, tmp, shape, rows, [&](Pass& p) HOSTCANN_API_LAMBDA {
        p.Load(dst, src);
        p.RowMax();
        p.Spread();
        p.Subtract(p.Work());
        if constexpr (hasStats) {
            p.Write(max, p.Work());
        }
        p.Exponentials();
        p.RowSum();
        p.Spread();
        if constexpr (hasStats) {
            p.Write(sum, p.Work());
        }
        p.Divide(p.Work());
        if constexpr (isLog) {
            p.EachResult([](const LocalTensor<float>& x, int32_t n) HOSTCANN_API_LAMBDA { Ln(x, x, n); });
            p.EachResult([](const LocalTensor<float>& x, int32_t n)
                             HOSTCANN_API_LAMBDA { Muls(x, x, 0.43429448f, n); }); // 1 / ln(10)
        }
        p.Store(dst);
    });
}

template <typename T, typename U, bool isNZ, const SoftmaxConfig& config>
HOSTCANN_API void SimpleSoftmaxOf(const LocalTensor<T>& dst, const LocalTensor<U>& sum, const LocalTensor<U>& max,
                                  const LocalTensor<T>& src, const LocalTensor<uint8_t>& tmp,
                                  const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shapeInfo)
{
    using Pass = SoftmaxPass<T, U, isNZ>;
    const SoftMaxShapeInfo shape = SoftmaxShapeOf<config>("SimpleSoftMax", src, shapeInfo);
    const uint32_t rows = SoftmaxRowsOf<U, config>("SimpleSoftMax", tiling, shape, tmp);
    SoftmaxPasses<Pass>("SimpleSoftMax", dst, src, tmp, shape, rows, [&](Pass& p) HOSTCANN_API_LAMBDA {
        p.Load(dst, src);
        p.Subtract(p.Read(max));
        p.Exponentials();
        p.Divide(p.Read(sum));
        p.Store(dst);
    });
}

} // namespace hostcann

// Sums and maxima of the type of the matrix, float ones of a half matrix, or none; with the temporary space or without.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,
                          const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                          const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    hostcann::SoftmaxOf<T, T, isDataFormatNZ, true, false, config>(
        "SoftMax", dstTensor, sumTensor, maxTensor, srcTensor, sharedTmpBuffer, tiling, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
                          const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                          const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    hostcann::SoftmaxOf<half, float, isDataFormatNZ, true, false, config>(
        "SoftMax", dstTensor, sumTensor, maxTensor, srcTensor, sharedTmpBuffer, tiling, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                          const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    const LocalTensor<T> none;
    hostcann::SoftmaxOf<T, T, false, false, false, config>("SoftMax", dstTensor, none, none, srcTensor, sharedTmpBuffer,
                                                           tiling, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,
                          const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    SoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ, config>(dstTensor, sumTensor, maxTensor, srcTensor,
                                                                    hostcann::AdvStack(1), tiling, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& sumTensor,
                          const LocalTensor<float>& maxTensor, const LocalTensor<half>& srcTensor,
                          const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    SoftMax<T, isReuseSource, isBasicBlock, isDataFormatNZ, config>(dstTensor, sumTensor, maxTensor, srcTensor,
                                                                    hostcann::AdvStack(1), tiling, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                          const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    SoftMax<T, isReuseSource, isBasicBlock, config>(dstTensor, srcTensor, hostcann::AdvStack(1), tiling,
                                                    softmaxShapeInfo);
}

// The same with given sums and maxima.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SimpleSoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& inSumTensor,
                                const LocalTensor<T>& inMaxTensor, const LocalTensor<T>& srcTensor,
                                const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                                const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    hostcann::SimpleSoftmaxOf<T, T, isDataFormatNZ, config>(dstTensor, inSumTensor, inMaxTensor, srcTensor,
                                                            sharedTmpBuffer, tiling, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SimpleSoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& inSumTensor,
                                const LocalTensor<float>& inMaxTensor, const LocalTensor<half>& srcTensor,
                                const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                                const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    hostcann::SimpleSoftmaxOf<half, float, isDataFormatNZ, config>(dstTensor, inSumTensor, inMaxTensor, srcTensor,
                                                                   sharedTmpBuffer, tiling, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SimpleSoftMax(const LocalTensor<T>& dstTensor, const LocalTensor<T>& inSumTensor,
                                const LocalTensor<T>& inMaxTensor, const LocalTensor<T>& srcTensor,
                                const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    hostcann::SimpleSoftmaxOf<T, T, isDataFormatNZ, config>(dstTensor, inSumTensor, inMaxTensor, srcTensor,
                                                            hostcann::AdvStack(1), tiling, softmaxShapeInfo);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
HOSTCANN_API void SimpleSoftMax(const LocalTensor<half>& dstTensor, const LocalTensor<float>& inSumTensor,
                                const LocalTensor<float>& inMaxTensor, const LocalTensor<half>& srcTensor,
                                const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    hostcann::SimpleSoftmaxOf<half, float, isDataFormatNZ, config>(dstTensor, inSumTensor, inMaxTensor, srcTensor,
                                                                   hostcann::AdvStack(1), tiling, softmaxShapeInfo);
}

// The decimal logarithm of it, as the page's formula has it.
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
HOSTCANN_API void LogSoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& sum, const LocalTensor<T>& max,
                             const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                             const LogSoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {})
{
    SoftMaxTiling same{};
#define HOSTCANN_FIELD(type, name) same.name = tiling.name;
    HOSTCANN_FIELDS_SoftMaxTiling(HOSTCANN_FIELD)
#undef HOSTCANN_FIELD
        hostcann::SoftmaxOf<T, T, isDataFormatNZ, true, true, SOFTMAX_DEFAULT_CFG>(
            "LogSoftMax", dst, sum, max, src, sharedTmpBuffer, same, softmaxShapeInfo);
}

// Rows whose maximum has the bits `from` become `to`; true when there is one. The scalar unit compares.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
HOSTCANN_API bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor,
                                   const uint32_t from, const T1 to, const SoftMaxShapeInfo& softmaxShapeInfo)
{
    static_assert(hostcann::IsOneOf<T1, half, float> && hostcann::IsOneOf<T2, half, float>,
                  "AdjustSoftMaxRes: half or float on A2");
    static_assert(!isDataFormatNZ || stepSizeMode == 0, "AdjustSoftMaxRes: stepSizeMode takes ND maxima only");
    const SoftMaxShapeInfo& s = softmaxShapeInfo;
    const uint32_t step = stepSizeMode == 0 ? 32 / sizeof(T2) : 1;
    const hostcann::RowLayout layout = hostcann::LayoutOf<isDataFormatNZ>(s.srcM, s.srcK);
    hostcann::Handover<HardEvent::V_S>();
    bool found = false;
    for (uint32_t r = 0; r < s.srcM; ++r) {
        if (hostcann::Bits(maxTensor.GetValue(r * step)) != from) {
            continue;
        }
        found = true;
        const LocalTensor<T1> row = softMaxRes[r * layout.pitch];
        if constexpr (isDataFormatNZ) {
            for (uint32_t c = 0; c < s.srcK; c += 16) {
                Duplicate(row[c / 16 * layout.step], to, 16);
            }
        } else {
            Duplicate(row, to, static_cast<int32_t>(s.srcK));
        }
    }
    hostcann::Ordered();
    return found;
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_SOFTMAX_H
