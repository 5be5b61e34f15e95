#ifndef HOSTCANN_OP_COMMON_INFERSHAPE_REDUCE_UTIL_H
#define HOSTCANN_OP_COMMON_INFERSHAPE_REDUCE_UTIL_H

#include <vector>

#include "exe_graph/runtime/infer_shape_context.h"
#include "op_common/log/log.h"
#include "op_common/op_host/util/opbase_export.h"
#include "op_common/op_host/util/shape_util.h"

namespace Ops {
namespace Base {
// Which dims of a rank the axes name; false with an error log when one is out of range.
template <typename T>
bool MarkReducedDims(const char* caller, size_t rank, const T* axes, int32_t axesSize, std::vector<bool>& reduced)
{
    reduced.assign(rank, false);
    for (int32_t i = 0; i < axesSize; ++i) {
        OP_CHECK_IF(!CheckAxisBounds(rank, axes[i]),
                    OP_LOGE(caller, "axis %ld is out of range for %zu dims", static_cast<long>(axes[i]), rank),
                    return false);
        if (rank != 0) {
            const int64_t axis = static_cast<int64_t>(axes[i]);
            reduced[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis)] = true;
        }
    }
    return true;
}

// Reduced dims become 1; a scalar stays one. An unknown rank stays unknown.
template <typename T>
ge::graphStatus ReduceDimsWithKeepDims(const gert::Shape* xShape, const T* axesDims, int32_t axesSize,
                                       gert::Shape* outputShape)
{
    const gert::Shape shape = *xShape;
    *outputShape = shape;
    std::vector<bool> reduced;
    if (IsUnknownRank(shape)) {
        return ge::GRAPH_SUCCESS;
    }
    if (!MarkReducedDims("ReduceDimsWithKeepDims", shape.GetDimNum(), axesDims, axesSize, reduced)) {
        return ge::GRAPH_FAILED;
    }
    for (size_t i = 0; i < reduced.size(); ++i) {
        outputShape->SetDim(i, reduced[i] ? 1 : shape.GetDim(i));
    }
    return ge::GRAPH_SUCCESS;
}

// Reduced dims go away.
template <typename T>
ge::graphStatus ReduceDimsWithoutKeepDims(const gert::Shape* xShape, const T* axesDims, int32_t axesSize,
                                          gert::Shape* outputShape)
{
    const gert::Shape shape = *xShape;
    *outputShape = shape;
    std::vector<bool> reduced;
    if (IsUnknownRank(shape)) {
        return ge::GRAPH_SUCCESS;
    }
    if (!MarkReducedDims("ReduceDimsWithoutKeepDims", shape.GetDimNum(), axesDims, axesSize, reduced)) {
        return ge::GRAPH_FAILED;
    }
    outputShape->SetDimNum(0);
    for (size_t i = 0; i < reduced.size(); ++i) {
        if (!reduced[i]) {
            (void)outputShape->AppendDim(shape.GetDim(i));
        }
    }
    return ge::GRAPH_SUCCESS;
}

template <typename T>
ge::graphStatus ReduceDims(const gert::Shape* xShape, const gert::Tensor* axesTensor, int32_t axesSize,
                           const bool keepDims, gert::Shape* outputShape)
{
    const T* axes = axesTensor->GetData<T>();
    OP_CHECK_IF(axes == nullptr && axesSize > 0,
                OP_LOGE("ReduceDims", "the axes are not on the host: mark the input ValueDepend"),
                return ge::GRAPH_FAILED);
    return keepDims ? ReduceDimsWithKeepDims(xShape, axes, axesSize, outputShape) :
                      ReduceDimsWithoutKeepDims(xShape, axes, axesSize, outputShape);
}

// Input 0 over the axes in input 1 (int32 or int64, on the host); attribute 0 keeps the reduced dims. Without axes the
// shape stays.
OPBASE_API ge::graphStatus InferShape4Reduce(gert::InferShapeContext* context);
} // namespace Base
} // namespace Ops

#endif
