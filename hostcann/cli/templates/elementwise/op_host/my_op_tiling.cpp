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
 * \brief Spreads the elements over the vector cores and chooses the tile that a core computes at a time.
 */
#include <algorithm>
#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/my_op_tiling_data.h"
#include "../op_kernel/my_op_tiling_key.h"

namespace optiling {
static constexpr size_t INPUT_X = 0;
static constexpr int64_t LINE_BYTES = 512;         // GM addresses on 512 bytes get the full bandwidth
static constexpr int64_t MIN_CORE_BYTES = 4096;    // below this a further core costs more than it saves
static constexpr int64_t UB_RESERVED_BYTES = 8192; // scratch of the compiler and of some interfaces
static constexpr int64_t TENSOR_NUM = 2;           // x and y have a tile in UB

struct MyOpCompileInfo {};

static int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t CeilAlign(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

//@machine.cpp

// Equal shares of whole lines; a share is not so small that starting its core costs more than it saves.
static int64_t SplitCores(const Machine& machine, int64_t elementBytes, MyOpTilingData* data)
{
    const int64_t share = CeilAlign(CeilDiv(data->totalLength, machine.coreNum), LINE_BYTES / elementBytes);
    data->coreLength = std::max(share, MIN_CORE_BYTES / elementBytes);
    return std::max<int64_t>(CeilDiv(data->totalLength, data->coreLength), 1);
}

// As many whole lines as fit into UB with every tensor double buffered, but no more than a core has to do.
static void ChooseTile(const Machine& machine, int64_t elementBytes, MyOpTilingData* data)
{
    const int64_t bytesPerElement = TENSOR_NUM * MY_OP_BUFFER_NUM * elementBytes;
    const int64_t lineLength = LINE_BYTES / elementBytes;
    const int64_t longest = machine.ubBytes / bytesPerElement / lineLength * lineLength;
    data->tileLength = std::min(longest, data->coreLength);
}

static ge::graphStatus ChooseTiling(gert::TilingContext* context)
{
    Machine machine;
    OP_CHECK_IF(ReadMachine(context, machine) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot read the platform"),
                return ge::GRAPH_FAILED);
    const gert::StorageShape* x = context->GetInputShape(INPUT_X);
    OP_CHECK_NULL_WITH_CONTEXT(context, x);
    auto desc = context->GetInputDesc(INPUT_X);
    OP_CHECK_NULL_WITH_CONTEXT(context, desc);
    const int64_t elementBytes = ge::GetSizeByDataType(desc->GetDataType());
    OP_CHECK_IF(elementBytes <= 0, OP_LOGE(context, "x has a data type without a size"), return ge::GRAPH_FAILED);

    auto* data = context->GetTilingData<MyOpTilingData>();
    OP_CHECK_NULL_WITH_CONTEXT(context, data);
    data->totalLength = x->GetStorageShape().GetShapeSize();
    const int64_t cores = SplitCores(machine, elementBytes, data);
    ChooseTile(machine, elementBytes, data);

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
