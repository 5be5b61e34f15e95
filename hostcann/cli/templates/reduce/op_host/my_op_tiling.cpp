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
 * \brief Spreads the rows over the vector cores and chooses the tile that a core reduces at a time.
 */
#include <algorithm>
#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/my_op_tiling_data.h"
#include "../op_kernel/my_op_tiling_key.h"

namespace optiling {
static constexpr size_t INPUT_X = 0;
static constexpr int64_t MAX_TILE_LENGTH = 8192;   // a longer copy gains nothing
static constexpr int64_t MAX_TILE_ROWS = 4095;     // blocks of one DataCopyPad
static constexpr int64_t UB_RESERVED_BYTES = 8192; // scratch of the compiler and of some interfaces
static constexpr int64_t ROW_BYTES = 16;           // sums in UB: two of float and one, double buffered, of y

struct MyOpCompileInfo {};

static int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t CeilAlign(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

//@machine.cpp

static ge::graphStatus ReadShape(gert::TilingContext* context, MyOpTilingData* data)
{
    const gert::StorageShape* x = context->GetInputShape(INPUT_X);
    OP_CHECK_NULL_WITH_CONTEXT(context, x);
    const gert::Shape& shape = x->GetStorageShape();
    const size_t rank = shape.GetDimNum();
    OP_CHECK_IF(rank == 0, OP_LOGE(context, "x must have an axis to reduce"), return ge::GRAPH_FAILED);
    data->rows = 1;
    for (size_t i = 0; i + 1 < rank; i++) {
        data->rows *= shape.GetDim(i);
    }
    data->columns = shape.GetDim(rank - 1);
    return ge::GRAPH_SUCCESS;
}

// Equal shares of rows; no two cores write into the same block of y.
static int64_t SplitRows(const Machine& machine, int64_t blockLength, MyOpTilingData* data)
{
    data->coreRows = std::max(CeilAlign(CeilDiv(data->rows, machine.coreNum), blockLength), blockLength);
    return std::max<int64_t>(CeilDiv(data->rows, data->coreRows), 1);
}

// The elements of a tile, padding included, that fit into UB: x double buffered, a float copy of it and the sums of its
// rows, which are at least one block long.
static int64_t TileLength(const Machine& machine, int64_t elementBytes, int64_t blockLength)
{
    const int64_t bytesPerBlock = (MY_OP_BUFFER_NUM * elementBytes + sizeof(float)) * blockLength + ROW_BYTES;
    return std::min(machine.ubBytes / bytesPerBlock * blockLength, MAX_TILE_LENGTH);
}

// Whole rows, as many as fit; a part of one row where not even one does.
static void ChooseTile(int64_t tileLength, int64_t blockLength, MyOpTilingData* data)
{
    data->tileColumns = std::min(std::max<int64_t>(data->columns, 1), tileLength);
    const int64_t rowsThatFit = tileLength / CeilAlign(data->tileColumns, blockLength);
    data->tileRows = std::min({rowsThatFit, data->coreRows, MAX_TILE_ROWS});
}

static ge::graphStatus ChooseTiling(gert::TilingContext* context)
{
    Machine machine;
    OP_CHECK_IF(ReadMachine(context, machine) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot read the platform"),
                return ge::GRAPH_FAILED);
    auto desc = context->GetInputDesc(INPUT_X);
    OP_CHECK_NULL_WITH_CONTEXT(context, desc);
    const int64_t elementBytes = ge::GetSizeByDataType(desc->GetDataType());
    OP_CHECK_IF(elementBytes <= 0, OP_LOGE(context, "x has a data type without a size"), return ge::GRAPH_FAILED);
    const int64_t blockLength = MY_OP_BLOCK_BYTES / elementBytes;

    auto* data = context->GetTilingData<MyOpTilingData>();
    OP_CHECK_NULL_WITH_CONTEXT(context, data);
    OP_CHECK_IF(ReadShape(context, data) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot use this shape"),
                return ge::GRAPH_FAILED);
    const int64_t cores = SplitRows(machine, blockLength, data);
    ChooseTile(TileLength(machine, elementBytes, blockLength), blockLength, data);

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
