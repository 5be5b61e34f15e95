/**
 * Copyright (c) 2026 The Fmod operator authors.
 * This program is free software, you can redistribute it and/or modify it under the terms and conditions of
 * CANN Open Software License Agreement Version 2.0 (the "License").
 * Please refer to the License for details. You may not use this file except in compliance with the License.
 * THIS SOFTWARE IS PROVIDED ON AN "AS IS" BASIS, WITHOUT WARRANTIES OF ANY KIND, EITHER EXPRESS OR IMPLIED,
 * INCLUDING BUT NOT LIMITED TO NON-INFRINGEMENT, MERCHANTABILITY, OR FITNESS FOR A PARTICULAR PURPOSE.
 * See LICENSE in the root of the software repository for the full text of the License.
 */

/*!
 * \file fmod_tiling.cpp
 * \brief Spreads the elements of Fmod over the vector cores.
 */
#include <algorithm>
#include "graph/utils/type_utils.h"
#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/fmod_tiling_data.h"
#include "../op_kernel/fmod_tiling_key.h"
#include "fmod_split.h"

namespace optiling {
static constexpr size_t INPUT_X1 = 0;
static constexpr size_t INPUT_X2 = 1;
static constexpr size_t ATTR_SCALAR = 0;
static constexpr int64_t BLOCK_BYTES = 32;
static constexpr int64_t GM_LINE_BYTES = 512;      // GM addresses on 512 bytes get the full bandwidth
static constexpr int64_t MIN_CORE_BYTES = 4096;    // below this a further core costs more than it saves
static constexpr int64_t UB_RESERVED_BYTES = 8192; // top of UB, scratch of Select and of the compiler
static constexpr size_t WORKSPACE_NUM = 1;

struct FmodCompileInfo {};

struct FmodPlatform {
    int64_t coreNum = 0;
    int64_t ubBytes = 0;
};

static ge::graphStatus GetPlatform(gert::TilingContext* context, FmodPlatform& platform)
{
    auto platformInfo = context->GetPlatformInfo();
    OP_CHECK_NULL_WITH_CONTEXT(context, platformInfo);
    auto ascendcPlatform = platform_ascendc::PlatformAscendC(platformInfo);
    platform.coreNum = ascendcPlatform.GetCoreNumAiv();
    OP_CHECK_IF(platform.coreNum <= 0,
                OP_LOGE(context, "number of vector cores must be positive, got %ld", platform.coreNum),
                return ge::GRAPH_FAILED);
    uint64_t ubSize = 0;
    ascendcPlatform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    platform.ubBytes = static_cast<int64_t>(ubSize) - UB_RESERVED_BYTES;
    OP_CHECK_IF(platform.ubBytes <= 0,
                OP_LOGE(context, "UB must be larger than %ld bytes, got %lu", UB_RESERVED_BYTES, ubSize),
                return ge::GRAPH_FAILED);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus GetLength(gert::TilingContext* context, bool isScalar, int64_t& totalLength)
{
    const gert::StorageShape* x1 = context->GetInputShape(INPUT_X1);
    OP_CHECK_NULL_WITH_CONTEXT(context, x1);
    totalLength = x1->GetStorageShape().GetShapeSize();
    OP_CHECK_IF(totalLength < 0,
                OP_LOGE(context, "shape of x1 must be known and its size fit int64, got %ld", totalLength),
                return ge::GRAPH_FAILED);
    if (!isScalar) {
        const int64_t x2Length = context->GetOptionalInputShape(INPUT_X2)->GetStorageShape().GetShapeSize();
        OP_CHECK_IF(x2Length != totalLength,
                    OP_LOGE(context, "x2 must have as many elements as x1, %ld, got %ld", totalLength, x2Length),
                    return ge::GRAPH_FAILED);
    }
    return ge::GRAPH_SUCCESS;
}

static int64_t TileLength(int64_t ubBytes, int64_t bytesPerElement)
{
    const int64_t lineLength = GM_LINE_BYTES / static_cast<int64_t>(sizeof(float));
    const int64_t length = (ubBytes - FMOD_BANK_GAP_BYTES * FMOD_BANK_GAP_NUM) / bytesPerElement;
    return length / lineLength * lineLength;
}

static FmodSplit Split(int64_t totalLength, const FmodPlatform& platform, bool isScalar)
{
    const int64_t elementBytes = static_cast<int64_t>(sizeof(float));
    const int64_t totalBytes = totalLength * elementBytes;
    const bool isLarge = totalBytes >= platform.coreNum * MIN_CORE_BYTES;
    FmodSplitRequest request{};
    request.totalLength = totalLength;
    const int64_t unitBytes = isLarge ? GM_LINE_BYTES : BLOCK_BYTES;
    request.unitLength = unitBytes / elementBytes;
    request.minUnits = MIN_CORE_BYTES / unitBytes;
    request.maxCores = platform.coreNum;
    request.maxTileLength = TileLength(platform.ubBytes, isScalar ? FMOD_SCALAR_BYTES : FMOD_TENSOR_BYTES);
    return SplitFmod(request);
}

static ge::graphStatus FillTilingData(gert::TilingContext* context, const FmodSplit& split)
{
    FmodTilingData* data = context->GetTilingData<FmodTilingData>();
    OP_CHECK_NULL_WITH_CONTEXT(context, data);
    float scalar = 0.0f;
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (attrs != nullptr && attrs->GetFloat(ATTR_SCALAR) != nullptr) {
        scalar = *attrs->GetFloat(ATTR_SCALAR);
    }
    data->totalLength = split.totalLength;
    data->formerNum = split.formerNum;
    data->formerLength = split.formerLength;
    data->tailLength = split.tailLength;
    data->tileLength = split.tileLength;
    data->scalar = scalar;
    data->reserved = 0;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus FmodTiling(gert::TilingContext* context)
{
    FmodPlatform platform;
    OP_CHECK_IF(GetPlatform(context, platform) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot read the platform"),
                return ge::GRAPH_FAILED);
    const bool isScalar = context->GetOptionalInputShape(INPUT_X2) == nullptr;
    int64_t totalLength = 0;
    OP_CHECK_IF(GetLength(context, isScalar, totalLength) != ge::GRAPH_SUCCESS, OP_LOGE(context, "bad input shapes"),
                return ge::GRAPH_FAILED);
    const FmodSplit split = Split(totalLength, platform, isScalar);
    OP_CHECK_IF(FillTilingData(context, split) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot write the tiling data"),
                return ge::GRAPH_FAILED);
    size_t* workspaces = context->GetWorkspaceSizes(WORKSPACE_NUM);
    OP_CHECK_NULL_WITH_CONTEXT(context, workspaces);
    workspaces[0] = 0;
    context->SetBlockDim(static_cast<uint32_t>(split.coreNum));
    const uint64_t mode = isScalar ? FMOD_MODE_SCALAR : FMOD_MODE_TENSOR;
    context->SetTilingKey(GET_TPL_TILING_KEY(mode));
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingParse4Fmod([[maybe_unused]] gert::TilingParseContext* context)
{
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(Fmod).Tiling(FmodTiling).TilingParse<FmodCompileInfo>(TilingParse4Fmod);
} // namespace optiling
