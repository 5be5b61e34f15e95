/**
 * Copyright (c) 2026 The MyOp operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

/*!
 * \file my_op_tiling.cpp
 * \brief Merges axes, chooses the tile that a core computes at a time and spreads the tiles over the vector cores.
 */
#include <algorithm>
#include <vector>
#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/my_op_tiling_data.h"
#include "../op_kernel/my_op_tiling_key.h"

namespace optiling {
static constexpr size_t INPUT_X1 = 0;
static constexpr size_t INPUT_X2 = 1;
static constexpr size_t OUTPUT_Y = 0;
static constexpr int64_t LINE_BYTES = 512;         // GM addresses on 512 bytes get the full bandwidth
static constexpr int64_t MIN_TILE_BYTES = 4096;    // below this a further core costs more than it saves
static constexpr int64_t UB_RESERVED_BYTES = 8192; // scratch of the compiler and of some interfaces
static constexpr int64_t TENSOR_NUM = 3;           // x1, x2 and y have a tile in UB

struct MyOpCompileInfo {};

// One axis of y, and how far the operands go along it.
struct Axis {
    int64_t dim;
    int64_t x1Stride;
    int64_t x2Stride;
};

static int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t CeilAlign(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

//@machine.cpp

// The stride of a contiguous operand along every axis of y; its axes are the last ones of y.
static bool StridesOf(const gert::Shape& x, const gert::Shape& y, std::vector<int64_t>& strides)
{
    const size_t rank = y.GetDimNum();
    if (x.GetDimNum() > rank) {
        return false;
    }
    strides.assign(rank, 0);
    int64_t stride = 1;
    for (size_t i = 1; i <= x.GetDimNum(); i++) {
        const int64_t dim = x.GetDim(x.GetDimNum() - i);
        if (dim != 1 && dim != y.GetDim(rank - i)) {
            return false;
        }
        strides[rank - i] = dim == 1 ? 0 : stride;
        stride *= dim;
    }
    return true;
}

// Axes of length 1 go, and neighbours that every operand walks like one axis become one.
static std::vector<Axis> MergeAxes(const std::vector<Axis>& axes)
{
    std::vector<Axis> merged;
    for (const Axis& axis : axes) {
        if (axis.dim == 1) {
            continue;
        }
        if (!merged.empty()) {
            Axis& last = merged.back();
            const bool isOneWalk = last.x1Stride == axis.x1Stride * axis.dim &&
                                   last.x2Stride == axis.x2Stride * axis.dim;
            if (isOneWalk) {
                last = {last.dim * axis.dim, axis.x1Stride, axis.x2Stride};
                continue;
            }
        }
        merged.push_back(axis);
    }
    if (merged.empty()) {
        merged.push_back({1, 1, 1});
    }
    return merged;
}

static ge::graphStatus ReadAxes(gert::TilingContext* context, std::vector<Axis>& axes)
{
    const gert::StorageShape* x1 = context->GetInputShape(INPUT_X1);
    OP_CHECK_NULL_WITH_CONTEXT(context, x1);
    const gert::StorageShape* x2 = context->GetInputShape(INPUT_X2);
    OP_CHECK_NULL_WITH_CONTEXT(context, x2);
    const gert::StorageShape* y = context->GetOutputShape(OUTPUT_Y);
    OP_CHECK_NULL_WITH_CONTEXT(context, y);
    const gert::Shape& shape = y->GetStorageShape();
    std::vector<int64_t> x1Stride;
    std::vector<int64_t> x2Stride;
    OP_CHECK_IF(!StridesOf(x1->GetStorageShape(), shape, x1Stride),
                OP_LOGE(context, "x1 does not broadcast to the shape of y"), return ge::GRAPH_FAILED);
    OP_CHECK_IF(!StridesOf(x2->GetStorageShape(), shape, x2Stride),
                OP_LOGE(context, "x2 does not broadcast to the shape of y"), return ge::GRAPH_FAILED);
    for (size_t i = 0; i < shape.GetDimNum(); i++) {
        axes.push_back({shape.GetDim(i), x1Stride[i], x2Stride[i]});
    }
    axes = MergeAxes(axes);
    OP_CHECK_IF(axes.size() > MY_OP_MAX_DIM, OP_LOGE(context, "y must have at most %u axes", MY_OP_MAX_DIM),
                return ge::GRAPH_FAILED);
    return ge::GRAPH_SUCCESS;
}

static void FillAxes(const std::vector<Axis>& axes, MyOpTilingData* data)
{
    const size_t front = MY_OP_MAX_DIM - axes.size();
    for (size_t i = 0; i < MY_OP_MAX_DIM; i++) {
        const Axis axis = i < front ? Axis{1, 0, 0} : axes[i - front];
        data->dims[i] = axis.dim;
        data->x1Stride[i] = axis.x1Stride;
        data->x2Stride[i] = axis.x2Stride;
    }
}

// Whole rows where there are enough of them, otherwise a part of a row for every core; never more than fits into UB
// with every tensor double buffered.
static void ChooseTile(const Machine& machine, int64_t elementBytes, int64_t rows, int64_t columns,
                       MyOpTilingData* data)
{
    const int64_t lineLength = LINE_BYTES / elementBytes;
    const int64_t bytesPerElement = TENSOR_NUM * MY_OP_BUFFER_NUM * elementBytes;
    const int64_t longest = machine.ubBytes / bytesPerElement / lineLength * lineLength;
    const int64_t coresPerRow = CeilDiv(machine.coreNum, std::max<int64_t>(rows, 1));
    const int64_t part = CeilAlign(CeilDiv(columns, coresPerRow), lineLength);
    data->tileLength = std::min(longest, std::max(part, MIN_TILE_BYTES / elementBytes));
    data->rowTiles = CeilDiv(columns, data->tileLength);
}

static int64_t SplitCores(const Machine& machine, int64_t rows, MyOpTilingData* data)
{
    data->totalTiles = rows * data->rowTiles;
    data->coreTiles = std::max<int64_t>(CeilDiv(data->totalTiles, machine.coreNum), 1);
    return std::max<int64_t>(CeilDiv(data->totalTiles, data->coreTiles), 1);
}

static ge::graphStatus ChooseTiling(gert::TilingContext* context)
{
    Machine machine;
    OP_CHECK_IF(ReadMachine(context, machine) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot read the platform"),
                return ge::GRAPH_FAILED);
    std::vector<Axis> axes;
    OP_CHECK_IF(ReadAxes(context, axes) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot use these shapes"),
                return ge::GRAPH_FAILED);
    auto desc = context->GetInputDesc(INPUT_X1);
    OP_CHECK_NULL_WITH_CONTEXT(context, desc);
    const int64_t elementBytes = ge::GetSizeByDataType(desc->GetDataType());
    OP_CHECK_IF(elementBytes <= 0, OP_LOGE(context, "x1 has a data type without a size"), return ge::GRAPH_FAILED);

    auto* data = context->GetTilingData<MyOpTilingData>();
    OP_CHECK_NULL_WITH_CONTEXT(context, data);
    int64_t rows = 1;
    for (size_t i = 0; i + 1 < axes.size(); i++) {
        rows *= axes[i].dim;
    }
    FillAxes(axes, data);
    ChooseTile(machine, elementBytes, rows, axes.back().dim, data);
    const int64_t cores = SplitCores(machine, rows, data);

    context->SetBlockDim(static_cast<uint32_t>(cores));
    context->SetTilingKey(GET_TPL_TILING_KEY(0));
    size_t* workspaces = context->GetWorkspaceSizes(1);
    OP_CHECK_NULL_WITH_CONTEXT(context, workspaces);
    workspaces[0] = 0;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus ParseCompileInfo([[maybe_unused]] gert::TilingParseContext* context)
{
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(MyOp).Tiling(ChooseTiling).TilingParse<MyOpCompileInfo>(ParseCompileInfo);
} // namespace optiling
