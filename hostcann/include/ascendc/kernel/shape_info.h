// ShapeInfo: the shape a kernel may give a tensor.
#ifndef HOSTCANN_ASCENDC_KERNEL_SHAPE_INFO_H
#define HOSTCANN_ASCENDC_KERNEL_SHAPE_INFO_H

#include <cstdint>

#include "ascendc/kernel/macros.h"
#include "ascendc/trans_data_format.h"
#include "hostcann/aicore_abi.h"

// Kernels set it before their includes to keep shapes out of their tensors.
#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 8
#endif

namespace AscendC {

struct ShapeInfo {
    ShapeInfo() = default;
    HOSTCANN_API ShapeInfo(const uint8_t inputShapeDim, const uint32_t inputShape[],
                           const uint8_t inputOriginalShapeDim, const uint32_t inputOriginalShape[],
                           const DataFormat inputFormat)
        : shapeDim(inputShapeDim), originalShapeDim(inputOriginalShapeDim), dataFormat(inputFormat)
    {
        for (int32_t i = 0; i < K_MAX_SHAPE_DIM; ++i) {
            shape[i] = i < shapeDim ? inputShape[i] : 0;
            originalShape[i] = i < originalShapeDim ? inputOriginalShape[i] : 0;
        }
    }
    HOSTCANN_API ShapeInfo(const uint8_t inputShapeDim, const uint32_t inputShape[],
                           const DataFormat inputFormat = DataFormat::ND)
        : ShapeInfo(inputShapeDim, inputShape, inputShapeDim, inputShape, inputFormat)
    {
    }

    uint8_t shapeDim = 0;
    uint8_t originalShapeDim = 0;
    uint32_t shape[K_MAX_SHAPE_DIM] = {};
    uint32_t originalShape[K_MAX_SHAPE_DIM] = {};
    DataFormat dataFormat = DataFormat::ND;
};

// The product of all dimensions.
HOSTCANN_API uint64_t GetShapeSize(const ShapeInfo& shapeInfo)
{
    uint64_t size = 1;
    for (int32_t i = 0; i < shapeInfo.shapeDim; ++i) {
        size *= shapeInfo.shape[i];
    }
    return size;
}

using TTagType = int32_t;

namespace hostcann {

// What a tensor carries beside its place. The tensor holds a number of it (aic_note), so that it stays small.
struct Note {
    TTagType tag;
    uint32_t reserved;
    ShapeInfo shape;
};

HOSTCANN_API Note ReadNote(uint32_t number)
{
    Note note{0, 0, ShapeInfo()};
    if (number != 0) {
        __builtin_memcpy(static_cast<void*>(&note), aic_noted(number), sizeof(note));
    }
    return note;
}
HOSTCANN_API uint32_t KeepNote(TTagType tag, const ShapeInfo& shape)
{
    // Padding must not make equal notes differ.
    alignas(Note) unsigned char bytes[sizeof(Note)] = {};
    Note* const note = reinterpret_cast<Note*>(bytes);
    note->tag = tag;
    note->shape.shapeDim = shape.shapeDim;
    note->shape.originalShapeDim = shape.originalShapeDim;
    note->shape.dataFormat = shape.dataFormat;
    for (int32_t i = 0; i < K_MAX_SHAPE_DIM; ++i) {
        note->shape.shape[i] = shape.shape[i];
        note->shape.originalShape[i] = shape.originalShape[i];
    }
    return aic_note(bytes, sizeof(bytes));
}

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_SHAPE_INFO_H
