// The calls of AscendQuant, AscendDequant and AscendAntiQuant that A2 has.
#ifndef HOSTCANN_ASCENDC_KERNEL_ADV_QUANT_API_H
#define HOSTCANN_ASCENDC_KERNEL_ADV_QUANT_API_H

#include "ascendc/kernel/adv_quant.h"

namespace AscendC {

// One scale and one offset. Counts of `config` go before those of the call, as constants.
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale, const float offset,
                              const uint32_t calCount)
{
    constexpr bool isConstant = config.calcCount != 0 && config.workLocalSize != 0;
    hostcann::QuantTensor(dstTensor, srcTensor, sharedTmpBuffer, scale, offset,
                          isConstant ? config.calcCount : calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale, const float offset)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, sharedTmpBuffer, scale, offset, srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, const float scale,
                              const float offset, const uint32_t calCount)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, hostcann::AdvStack(1), scale, offset, calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, const float scale,
                              const float offset)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, hostcann::AdvStack(1), scale, offset,
                                          srcTensor.GetSize());
}

// A scale per column, and one offset for all or one per column.
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                              const T offset, const uint32_t scaleCount, const uint32_t calCount)
{
    constexpr bool isConstant = config.scaleCount != 0 && config.calcCount != 0 && config.workLocalSize != 0;
    hostcann::QuantChannels(dstTensor, srcTensor, sharedTmpBuffer, scaleTensor, offset,
                            isConstant ? config.scaleCount : scaleCount, isConstant ? config.calcCount : calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                              const LocalTensor<T>& offsetTensor, const uint32_t scaleCount, const uint32_t offsetCount,
                              const uint32_t calCount)
{
    constexpr bool isConstant = config.scaleCount != 0 && config.calcCount != 0 && config.workLocalSize != 0;
    if (!isConstant && offsetCount != scaleCount) {
        aic_misuse("AscendQuant", "offsetCount", "there is not an offset for each scale", "scaleCount", offsetCount,
                   "pass the same count for both");
    }
    hostcann::QuantChannels(dstTensor, srcTensor, sharedTmpBuffer, scaleTensor, offsetTensor,
                            isConstant ? config.scaleCount : scaleCount, isConstant ? config.calcCount : calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                              const T offset)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, sharedTmpBuffer, scaleTensor, offset,
                                          scaleTensor.GetSize(), srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                              const LocalTensor<T>& offsetTensor)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, sharedTmpBuffer, scaleTensor, offsetTensor,
                                          scaleTensor.GetSize(), offsetTensor.GetSize(), srcTensor.GetSize());
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                              const LocalTensor<T>& scaleTensor, const T offset, const uint32_t scaleCount,
                              const uint32_t calCount)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, hostcann::AdvStack(1), scaleTensor, offset, scaleCount,
                                          calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                              const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor,
                              const uint32_t scaleCount, const uint32_t offsetCount, const uint32_t calCount)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, hostcann::AdvStack(1), scaleTensor, offsetTensor,
                                          scaleCount, offsetCount, calCount);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                              const LocalTensor<T>& scaleTensor, const T offset)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, hostcann::AdvStack(1), scaleTensor, offset);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
HOSTCANN_API void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                              const LocalTensor<T>& scaleTensor, const LocalTensor<T>& offsetTensor)
{
    AscendQuant<T, isReuseSource, config>(dstTensor, srcTensor, hostcann::AdvStack(1), scaleTensor, offsetTensor);
}

// A scale per column.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
HOSTCANN_API void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                                const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                DequantParams params)
{
    static_assert(hostcann::IsDequantVector<dstT, scaleT>,
                  "AscendDequant: half with uint64_t scales, float or bfloat16_t with float or bfloat16_t scales");
    const DequantParams p = hostcann::DequantShape<dstT, mode>(params);
    hostcann::DequantCall(dstTensor, srcTensor, hostcann::Used(deqScale, p.calCount), sharedTmpBuffer, p);
    const LocalTensor<float> row = sharedTmpBuffer.template ReinterpretCast<float>();
    const LocalTensor<float> scales = hostcann::AsScales(deqScale, row[(p.n + 7) / 8 * 8], p.calCount);
    hostcann::DequantRows(dstTensor, srcTensor, row, p,
                          [&](const LocalTensor<float>& x, int32_t n) HOSTCANN_API_LAMBDA { Mul(x, x, scales, n); });
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
HOSTCANN_API void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                                const LocalTensor<scaleT>& deqScale, DequantParams params)
{
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, hostcann::AdvStack(1), params);
}
// One scale.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
HOSTCANN_API void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                                const scaleT deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                DequantParams params)
{
    static_assert(hostcann::IsDequantScalar<dstT, scaleT>,
                  "AscendDequant with one scale: float or bfloat16_t, with a float or bfloat16_t scale");
    const DequantParams p = hostcann::DequantShape<dstT, mode>(params);
    hostcann::DequantCall(dstTensor, srcTensor, {}, sharedTmpBuffer, p);
    const float scale = hostcann::AsFloat(deqScale);
    hostcann::DequantRows(dstTensor, srcTensor, sharedTmpBuffer.template ReinterpretCast<float>(), p,
                          [&](const LocalTensor<float>& x, int32_t n) HOSTCANN_API_LAMBDA { Muls(x, x, scale, n); });
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
HOSTCANN_API void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                                const scaleT deqScale, DequantParams params)
{
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, hostcann::AdvStack(1), params);
}
// The older calls: rows as long as the scales.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
HOSTCANN_API void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                                const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                const uint32_t calCount)
{
    const uint32_t n = deqScale.GetSize();
    if (n == 0 || calCount % n != 0) {
        aic_misuse("AscendDequant", "calCount", "the elements are not whole rows", "a multiple of deqScale.GetSize()",
                   calCount, "use the call with DequantParams");
    }
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, sharedTmpBuffer,
                                      DequantParams{calCount / n, n, n});
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
HOSTCANN_API void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                                const LocalTensor<scaleT>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer)
{
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, sharedTmpBuffer, srcTensor.GetSize());
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
HOSTCANN_API void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                                const LocalTensor<scaleT>& deqScale, const uint32_t calCount)
{
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, hostcann::AdvStack(1), calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
HOSTCANN_API void AscendDequant(const LocalTensor<dstT>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                                const LocalTensor<scaleT>& deqScale)
{
    AscendDequant<dstT, scaleT, mode>(dstTensor, srcTensor, deqScale, hostcann::AdvStack(1), srcTensor.GetSize());
}

// Values per channel, with offsets or without; src is [k, n], or [n, k] when isTranspose.
template <typename InputDataType, typename OutputDataType, bool isTranspose>
HOSTCANN_API void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                                  const LocalTensor<OutputDataType>& offset, const LocalTensor<OutputDataType>& scale,
                                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t k,
                                  const AntiQuantShapeInfo& shapeInfo = {})
{
    hostcann::AntiChannels<OutputDataType, InputDataType, isTranspose, true>(dst, src, offset, scale, sharedTmpBuffer,
                                                                             k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
HOSTCANN_API void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                                  const LocalTensor<OutputDataType>& scale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                  const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {})
{
    hostcann::AntiChannels<OutputDataType, InputDataType, isTranspose, false>(dst, src, scale, scale, sharedTmpBuffer,
                                                                              k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
HOSTCANN_API void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                                  const LocalTensor<OutputDataType>& offset, const LocalTensor<OutputDataType>& scale,
                                  const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {})
{
    AscendAntiQuant<InputDataType, OutputDataType, isTranspose>(dst, src, offset, scale, hostcann::AdvStack(1), k,
                                                                shapeInfo);
}
// One value for all.
template <typename InputDataType, typename OutputDataType, bool isTranspose>
HOSTCANN_API void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                                  const OutputDataType offset, const OutputDataType scale,
                                  const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t,
                                  const AntiQuantShapeInfo& = {})
{
    hostcann::AntiTensor(dst, src, hostcann::AntiNumber<OutputDataType>{hostcann::AntiValue(offset), false}, scale,
                         sharedTmpBuffer);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
HOSTCANN_API void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                                  const OutputDataType scale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                  const uint32_t, const AntiQuantShapeInfo& = {})
{
    hostcann::AntiTensor(dst, src, hostcann::AntiNothing(), scale, sharedTmpBuffer);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
HOSTCANN_API void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                                  const OutputDataType offset, const OutputDataType scale, const uint32_t k,
                                  const AntiQuantShapeInfo& shapeInfo = {})
{
    AscendAntiQuant<InputDataType, OutputDataType, isTranspose>(dst, src, offset, scale, hostcann::AdvStack(1), k,
                                                                shapeInfo);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ADV_QUANT_API_H
