// Host side of the Softmax functions: temporary space and tiling (pages «SoftMax-SimpleSoftMax Tiling» and following).
// An empty shape or a type that is neither half nor float needs nothing and leaves the tiling as it is.
#ifndef HOSTCANN_ASCENDC_HOST_API_TILING_SOFTMAX_TILING_H
#define HOSTCANN_ASCENDC_HOST_API_TILING_SOFTMAX_TILING_H

#include "adv_api/activation/softmax_tilingdata.h"
#include "ascendc/host_api/tiling/adv_tmp_size.h"
#include "ascendc/softmax_split.h"

namespace AscendC {
namespace hostcann {

// All axes but the last one are rows. Zero rows: nothing to do.
inline SoftmaxShape SoftmaxShapeOf(const TensorShape& shape, uint32_t statSize, uint32_t srcSize)
{
    const uint32_t elements = Elements(shape);
    const bool isFloat = (statSize == 2 || statSize == 4) && (srcSize == 2 || srcSize == 4);
    if (elements == 0 || !isFloat) {
        return {0, 1, 4};
    }
    const uint32_t k = static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
    return {elements / k, k, statSize};
}

template <typename Tiling>
void SetSoftmaxTiling(const SoftmaxShape& s, uint32_t rows, Tiling& tiling)
{
    if (s.m == 0) {
        return;
    }
    const SoftMaxTiling split = SoftmaxSplit(s, rows);
#define HOSTCANN_FIELD(type, name) tiling.set_##name(split.name);
    HOSTCANN_FIELDS_SoftMaxTiling(HOSTCANN_FIELD)
#undef HOSTCANN_FIELD
}
template <typename Tiling>
void AssignSoftmaxTiling(const SoftmaxShape& s, uint32_t rows, Tiling& tiling)
{
    if (s.m == 0) {
        return;
    }
    const SoftMaxTiling split = SoftmaxSplit(s, rows);
#define HOSTCANN_FIELD(type, name) tiling.name = split.name;
    HOSTCANN_FIELDS_SoftMaxTiling(HOSTCANN_FIELD)
#undef HOSTCANN_FIELD
}
inline void PutSoftmaxTiling(const SoftmaxShape& s, uint32_t rows, optiling::SoftMaxTiling& tiling)
{
    SetSoftmaxTiling(s, rows, tiling);
}
inline void PutSoftmaxTiling(const SoftmaxShape& s, uint32_t rows, optiling::LogSoftMaxTiling& tiling)
{
    SetSoftmaxTiling(s, rows, tiling);
}
inline void PutSoftmaxTiling(const SoftmaxShape& s, uint32_t rows, tiling::SoftMaxTiling& tiling)
{
    AssignSoftmaxTiling(s, rows, tiling);
}
inline void PutSoftmaxTiling(const SoftmaxShape& s, uint32_t rows, tiling::LogSoftMaxTiling& tiling)
{
    AssignSoftmaxTiling(s, rows, tiling);
}

} // namespace hostcann

inline uint32_t GetSoftMaxMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize, dataTypeSize);
    return 4 * s.m * hostcann::SoftmaxRoom(s);
}
inline uint32_t GetSoftMaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize, dataTypeSize);
    return s.m == 0 ? 0 : 4 * hostcann::SoftmaxRoom(s);
}
inline uint32_t GetLogSoftMaxMaxTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize,
                                        const bool isReuseSource)
{
    return GetSoftMaxMaxTmpSize(srcShape, dataTypeSize, isReuseSource);
}
inline uint32_t GetLogSoftMaxMinTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize,
                                        const bool isReuseSource)
{
    return GetSoftMaxMinTmpSize(srcShape, dataTypeSize, isReuseSource);
}
inline uint32_t GetSoftMaxFlashMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isUpdate,
                                          const bool)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize, dataTypeSize);
    return 4 * s.m * hostcann::SoftmaxFlashRoom(s, isUpdate);
}
// The algorithm of this library takes more for a single row of less than 40 columns than the toolkit's.
inline uint32_t GetSoftMaxFlashMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isUpdate,
                                          const bool)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize, dataTypeSize);
    return s.m == 0 ? 0 : 4 * std::max(hostcann::SoftmaxFlashRoom(s, isUpdate), s.k + 72);
}
inline uint32_t GetSoftMaxGradMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isFront,
                                         const bool)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize, dataTypeSize);
    return 4 * s.m * hostcann::SoftmaxGradRoom(s, isFront);
}
inline uint32_t GetSoftMaxGradMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isFront,
                                         const bool)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize, dataTypeSize);
    return s.m == 0 ? 0 : 4 * hostcann::SoftmaxGradRoom(s, isFront);
}
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                            const uint32_t dataTypeSize2, const bool, const bool isBasicBlock = false,
                                            const bool = false)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize2, dataTypeSize1);
    const bool isBasic = isBasicBlock && hostcann::IsBasicShape(s);
    const uint32_t rows = isBasic ? hostcann::FitRepeats(s.m, s.k) : s.m;
    return 4 * rows * hostcann::SoftmaxFlashV2Room(s, dataTypeSize1, isBasic);
}
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                            const uint32_t dataTypeSize2, const bool, const bool isBasicBlock = false,
                                            const bool isFlashOutputBrc = false)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize2, dataTypeSize1);
    if (s.m == 0) {
        return 0;
    }
    const bool isBasic = isBasicBlock && s.k % 64 == 0;
    const uint32_t rows = isFlashOutputBrc ? std::min(32 / dataTypeSize1, s.m) : isBasic ? 8 : 1;
    return 4 * rows * hostcann::SoftmaxFlashV2Room(s, dataTypeSize1, isBasic);
}
inline void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                           const uint32_t dataTypeSize2, uint32_t& maxValue, uint32_t& minValue,
                                           const bool, const bool = false)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize2, dataTypeSize1);
    if (s.m != 0) {
        minValue = 4 * hostcann::SoftmaxFlashV3Room(s);
        maxValue = s.m * minValue;
    }
}

// Tiling: optiling::SoftMaxTiling, or tiling::SoftMaxTiling, which is the struct itself.
template <typename Tiling>
void SoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                       Tiling& softmaxTiling)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize, dataTypeSize);
    hostcann::PutSoftmaxTiling(s, hostcann::SoftmaxPassRows(s, localWorkSpaceSize / 4, hostcann::SoftmaxRoom(s)),
                               softmaxTiling);
}
template <typename Tiling>
void LogSoftMaxTilingFunc(const TensorShape srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                          Tiling& softmaxTiling)
{
    SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, softmaxTiling);
}
template <typename Tiling>
void SoftMaxFlashTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                            Tiling& softmaxFlashTiling, const bool isUpdate = false)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize, dataTypeSize);
    const uint32_t room = hostcann::SoftmaxFlashRoom(s, isUpdate);
    hostcann::PutSoftmaxTiling(s, hostcann::SoftmaxPassRows(s, localWorkSpaceSize / 4, room), softmaxFlashTiling);
}
template <typename Tiling>
void SoftMaxGradTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                           Tiling& softmaxGradTiling, const bool isFront = false)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize, dataTypeSize);
    const uint32_t room = hostcann::SoftmaxGradRoom(s, isFront);
    hostcann::PutSoftmaxTiling(s, hostcann::SoftmaxPassRows(s, localWorkSpaceSize / 4, room), softmaxGradTiling);
}
template <typename Tiling>
void SoftMaxFlashV2TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
                              const uint32_t localWorkSpaceSize, Tiling& softmaxFlashTiling, const bool,
                              const bool isBasicBlock = false, const bool isFlashOutputBrc = false)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize2, dataTypeSize1);
    const uint32_t rows = hostcann::SoftmaxFlashV2PassRows(s, dataTypeSize1, localWorkSpaceSize / 4, isBasicBlock,
                                                           isFlashOutputBrc);
    hostcann::PutSoftmaxTiling(s, rows, softmaxFlashTiling);
}
template <typename Tiling>
void SoftMaxFlashV3TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
                              const uint32_t localWorkSpaceSize, Tiling& softmaxFlashV3Tiling, const bool,
                              const bool = false)
{
    const hostcann::SoftmaxShape s = hostcann::SoftmaxShapeOf(srcShape, dataTypeSize2, dataTypeSize1);
    hostcann::PutSoftmaxTiling(s, hostcann::SoftmaxFlashV3PassRows(s, localWorkSpaceSize / 4), softmaxFlashV3Tiling);
}

// Whole passes of basic rows: 256 bytes to less than 2048 columns, in parts of 64.
inline bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling& tiling, const uint32_t dataTypeSize = 2)
{
    const uint32_t k = tiling.srcK;
    return dataTypeSize != 0 && tiling.tailM == 0 && k >= 256 / dataTypeSize && k < 2048 && k % 64 == 0;
}
inline bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling& tiling, const uint32_t dataTypeSize = 2)
{
    tiling::SoftMaxTiling same{};
    same.srcK = tiling.get_srcK();
    same.tailM = tiling.get_tailM();
    return IsBasicBlockInSoftMax(same, dataTypeSize);
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_HOST_API_TILING_SOFTMAX_TILING_H
