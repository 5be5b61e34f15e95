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
 * \brief Chooses the tiling key of Fmod and spreads its elements over the vector cores.
 */
#include <algorithm>
#include "graph/utils/type_utils.h"
#include "log/log.h"
#include "op_host/infershape_broadcast_util.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "../op_kernel/fmod_tiling_data.h"
#include "../op_kernel/fmod_tiling_key.h"
#include "fmod_geometry.h"
#include "fmod_scalar.h"
#include "fmod_tiling_rules.h"

namespace optiling {
using fmod_geometry::Dims;
using fmod_geometry::Walk;

static constexpr size_t INPUT_X1 = 0;
static constexpr size_t INPUT_X2 = 1;
static constexpr size_t ATTR_SCALAR_FLOAT = 0;
static constexpr size_t ATTR_SCALAR_INT = 1;
static constexpr size_t ATTR_PRECISION = 2;
static constexpr size_t ATTR_VIEW_SHAPE = 3;
static constexpr size_t ATTR_X1_STRIDE = 4;
static constexpr size_t ATTR_X2_STRIDE = 5;
static constexpr size_t ATTR_Y_STRIDE = 6;
static constexpr int64_t MIN_CORE_ELEMENTS = 2048; // of a core, as MIN_ELEMS_PER_CORE of experimental/math/acosh_grad
static constexpr int64_t UB_RESERVED_BYTES = 8192; // top of UB, scratch of the compiler and of some interfaces
static constexpr size_t WORKSPACE_NUM = 1;

struct FmodCompileInfo {};

// What the tiling function knows of one call.
struct FmodCall {
    int64_t coreNum = 0;
    int64_t ubBytes = 0;
    FmodFormula compute = FmodFormula::FLOAT;
    bool isHalf = false;
    int64_t elementBytes = 0;
    bool isScalar = false;
    bool isExact = false;
    bool isStrided = false;
    Walk walk; // merged
};

// Integers are exact in either precision.
static bool ReadDataType(ge::DataType dtype, int64_t precision, FmodCall& call)
{
    const bool isExact = precision == FMOD_PRECISION_EXACT;
    switch (dtype) {
        case ge::DT_FLOAT:
            call.compute = isExact ? FmodFormula::FLOAT_EXACT : FmodFormula::FLOAT;
            call.isExact = isExact;
            call.elementBytes = sizeof(float);
            return true;
        case ge::DT_FLOAT16:
        case ge::DT_BF16:
            call.compute = isExact ? FmodFormula::FLOAT16_EXACT : FmodFormula::FLOAT16;
            call.isExact = isExact;
            call.isHalf = dtype == ge::DT_FLOAT16;
            call.elementBytes = sizeof(int16_t);
            return true;
        case ge::DT_INT16:
            call.compute = FmodFormula::INT16;
            call.elementBytes = sizeof(int16_t);
            return true;
        case ge::DT_INT32:
            call.compute = FmodFormula::INT32;
            call.elementBytes = sizeof(int32_t);
            return true;
        case ge::DT_INT8:
        case ge::DT_UINT8:
            call.compute = FmodFormula::INT8;
            call.elementBytes = sizeof(int8_t);
            return true;
        default:
            return false;
    }
}

static ge::graphStatus ReadPlatform(gert::TilingContext* context, FmodCall& call)
{
    auto platformInfo = context->GetPlatformInfo();
    OP_CHECK_NULL_WITH_CONTEXT(context, platformInfo);
    auto ascendcPlatform = platform_ascendc::PlatformAscendC(platformInfo);
    call.coreNum = ascendcPlatform.GetCoreNumAiv();
    OP_CHECK_IF(call.coreNum <= 0, OP_LOGE(context, "number of vector cores must be positive, got %ld", call.coreNum),
                return ge::GRAPH_FAILED);
    uint64_t ubSize = 0;
    ascendcPlatform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t fixedBytes = UB_RESERVED_BYTES + FMOD_FIXED_BYTES;
    call.ubBytes = static_cast<int64_t>(ubSize) - fixedBytes;
    OP_CHECK_IF(call.ubBytes <= 0, OP_LOGE(context, "UB must be larger than %ld bytes, got %lu", fixedBytes, ubSize),
                return ge::GRAPH_FAILED);
    return ge::GRAPH_SUCCESS;
}

static Dims ToDims(const gert::Shape& shape)
{
    Dims dims;
    for (size_t i = 0; i < shape.GetDimNum(); i++) {
        dims.push_back(shape.GetDim(i));
    }
    return dims;
}

static Dims ListAttr(const gert::RuntimeAttrs* attrs, size_t index)
{
    const auto* list = attrs == nullptr ? nullptr : attrs->GetListInt(index);
    return list == nullptr ? Dims() : Dims(list->GetData(), list->GetData() + list->GetSize());
}

static int64_t IntAttr(const gert::RuntimeAttrs* attrs, size_t index)
{
    const int64_t* value = attrs == nullptr ? nullptr : attrs->GetInt(index);
    return value == nullptr ? 0 : *value;
}

// Logical shape and strides of contiguous tensors from their shapes.
static ge::graphStatus ReadShapes(gert::TilingContext* context, const FmodCall& call, Walk& walk)
{
    const gert::StorageShape* x1 = context->GetInputShape(INPUT_X1);
    OP_CHECK_NULL_WITH_CONTEXT(context, x1);
    const gert::StorageShape* x2 = call.isScalar ? x1 : context->GetOptionalInputShape(INPUT_X2);
    gert::Shape y;
    OP_CHECK_IF(!Ops::Base::BroadcastShape(&x1->GetStorageShape(), &x2->GetStorageShape(), &y),
                OP_LOGE(context, "x1 and x2 must broadcast"), return ge::GRAPH_FAILED);
    const Dims x1Dims = ToDims(x1->GetStorageShape());
    const Dims x2Dims = ToDims(x2->GetStorageShape());
    walk.dims = ToDims(y);
    walk.x1 = fmod_geometry::BroadcastStrides(x1Dims, fmod_geometry::ContiguousStrides(x1Dims), walk.dims);
    walk.x2 = fmod_geometry::BroadcastStrides(x2Dims, fmod_geometry::ContiguousStrides(x2Dims), walk.dims);
    walk.y = fmod_geometry::ContiguousStrides(walk.dims);
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus ReadWalk(gert::TilingContext* context, FmodCall& call)
{
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    Walk walk{ListAttr(attrs, ATTR_VIEW_SHAPE), ListAttr(attrs, ATTR_X1_STRIDE), ListAttr(attrs, ATTR_X2_STRIDE),
              ListAttr(attrs, ATTR_Y_STRIDE)};
    call.isStrided = !walk.dims.empty();
    OP_CHECK_IF(!call.isStrided && ReadShapes(context, call, walk) != ge::GRAPH_SUCCESS,
                OP_LOGE(context, "cannot read the shapes of x1 and x2"), return ge::GRAPH_FAILED);
    const size_t rank = walk.dims.size();
    if (call.isScalar) { // a scalar divisor moves along no axis and must not keep axes apart
        walk.x2.assign(rank, 0);
    }
    OP_CHECK_IF(rank > FMOD_MAX_DIM || walk.x1.size() != rank || walk.x2.size() != rank || walk.y.size() != rank,
                OP_LOGE(context, "shape and strides must have one length of at most %u, got %zu %zu %zu %zu",
                        FMOD_MAX_DIM, rank, walk.x1.size(), walk.x2.size(), walk.y.size()),
                return ge::GRAPH_FAILED);
    for (int64_t dim : walk.dims) {
        OP_CHECK_IF(dim < 0, OP_LOGE(context, "dimensions must be known, got %ld", dim), return ge::GRAPH_FAILED);
    }
    if (std::find(walk.dims.begin(), walk.dims.end(), 0) != walk.dims.end()) {
        call.walk = Walk{{0}, {1}, {1}, {1}}; // nothing to do, whatever the other axes are
        return ge::GRAPH_SUCCESS;
    }
    call.walk = fmod_geometry::Merge(walk);
    OP_CHECK_IF(!fmod_geometry::HasDenseRows(call.walk),
                OP_LOGE(context, "the last axis of x1, x2 and y must be dense"), return ge::GRAPH_FAILED);
    return ge::GRAPH_SUCCESS;
}

static int64_t CoresFor(const FmodCall& call, int64_t elements)
{
    return std::min(call.coreNum, std::max<int64_t>(1, FmodCeilDiv(elements, MIN_CORE_ELEMENTS)));
}

static void FillShare(const FmodSplit& split, int64_t totalLength, FmodTilingData* data)
{
    data->totalLength = totalLength;
    data->formerNum = split.formerNum;
    data->formerLength = split.formerLength;
    data->tailLength = split.tailLength;
}

// Cores share whole lines where every core has some; a core's tiles have one size.
static int64_t FillContiguous(const FmodCall& call, int64_t totalLength, FmodTilingData* data)
{
    const int64_t lineLength = FMOD_LINE_BYTES / call.elementBytes;
    const int64_t maxCores = CoresFor(call, totalLength);
    const bool isLarge = maxCores == call.coreNum;
    const FmodSplit split = SplitFmod(totalLength, isLarge ? lineLength : FMOD_BLOCK_BYTES / call.elementBytes,
                                      maxCores);
    FillShare(split, totalLength, data);
    const int64_t own = FmodUbBytesOf(call.compute, static_cast<uint32_t>(call.elementBytes), call.isScalar, false);
    const int64_t inputs = FMOD_BUFFER_NUM * (call.isScalar ? 1 : 2) * call.elementBytes;
    const int64_t maxTile = call.ubBytes / (own + inputs) / lineLength * lineLength;
    const int64_t tiles = std::max<int64_t>(1, FmodCeilDiv(split.formerLength, maxTile));
    const int64_t tileLength = FmodCeilAlign(FmodCeilDiv(split.formerLength, tiles), lineLength);
    data->tileLength = std::max(tileLength, FMOD_MIN_TILE_LENGTH);
    return split.coreNum;
}

static FmodForm FormOf(const int64_t* strides)
{
    const bool movesDown = strides[FMOD_ROW_AXIS] != 0;
    if (strides[FMOD_COLUMN_AXIS] != 0) {
        return movesDown ? FmodForm::TILE : FmodForm::ROW;
    }
    return movesDown ? FmodForm::COLUMN : FmodForm::VALUE;
}

static void FillAxes(const Walk& walk, FmodTilingData* data)
{
    const size_t rank = walk.dims.size();
    for (size_t i = 0; i < rank; i++) {
        const size_t axis = FMOD_MAX_DIM - rank + i;
        data->dims[axis] = walk.dims[i];
        data->x1Stride[axis] = walk.x1[i];
        data->x2Stride[axis] = walk.x2[i];
        data->yStride[axis] = walk.y[i];
    }
}

static int64_t FillRows(const FmodCall& call, FmodTilingData* data)
{
    FillAxes(call.walk, data);
    FmodRowsRequest request;
    request.compute = call.compute;
    request.elementBytes = call.elementBytes;
    request.forms[0] = FormOf(data->x1Stride);
    request.forms[1] = call.isScalar ? FmodForm::NONE : FormOf(data->x2Stride);
    for (size_t axis = 0; axis < FMOD_ROW_AXIS; axis++) {
        request.outer *= data->dims[axis];
    }
    request.rows = data->dims[FMOD_ROW_AXIS];
    request.columns = data->dims[FMOD_COLUMN_AXIS];
    request.ubBytes = call.ubBytes;
    request.coreNum = CoresFor(call, request.outer * request.rows * request.columns);
    const FmodRowsTile tile = TileFmodRows(request);
    data->rowTile = tile.rowTile;
    data->colTile = tile.colTile;
    data->columnsFirst = tile.columnsFirst ? 1 : 0;
    data->tileLength = FmodTileLength(request, tile.rowTile, tile.colTile);
    data->x1ShortBytes = FmodShortBytes(request, 0, tile.rowTile, tile.colTile);
    data->x2ShortBytes = FmodShortBytes(request, 1, tile.rowTile, tile.colTile);
    const int64_t tiles = request.outer * tile.rowTiles * tile.colTiles;
    const FmodSplit split = SplitFmod(tiles, 1, call.coreNum); // small tiles of outer axes go to all cores
    FillShare(split, tiles, data);
    return split.coreNum;
}

static void FillScalar(const FmodCall& call, const gert::RuntimeAttrs* attrs, FmodTilingData* data)
{
    const float* real = attrs == nullptr ? nullptr : attrs->GetFloat(ATTR_SCALAR_FLOAT);
    data->scalar = MakeScalar(call.compute, call.isHalf, real == nullptr ? 0.0f : *real,
                              IntAttr(attrs, ATTR_SCALAR_INT));
}

// One merged axis that every tensor walks densely needs no row arithmetic.
static bool IsFlat(const FmodCall& call)
{
    const Walk& walk = call.walk;
    return walk.dims.empty() || (walk.dims.size() == 1 && walk.x1[0] == 1 && (call.isScalar || walk.x2[0] == 1));
}

static uint64_t ModeOf(const FmodCall& call, bool isFlat)
{
    if (call.isScalar) {
        return isFlat ? FMOD_MODE_SCALAR : FMOD_MODE_SCALAR_STRIDED;
    }
    if (isFlat) {
        return FMOD_MODE_TENSOR;
    }
    return call.isStrided ? FMOD_MODE_TENSOR_STRIDED : FMOD_MODE_BROADCAST;
}

static ge::graphStatus ReadCall(gert::TilingContext* context, FmodCall& call)
{
    auto x1Desc = context->GetInputDesc(INPUT_X1);
    OP_CHECK_NULL_WITH_CONTEXT(context, x1Desc);
    const int64_t precision = IntAttr(context->GetAttrs(), ATTR_PRECISION);
    OP_CHECK_IF(precision != FMOD_PRECISION_TBE && precision != FMOD_PRECISION_EXACT,
                OP_LOGE(context, "precision_mode must be 0 (tbe) or 1 (exact), got %ld", precision),
                return ge::GRAPH_FAILED);
    OP_CHECK_IF(!ReadDataType(x1Desc->GetDataType(), precision, call),
                OP_LOGE(context, "x1 must be BF16, FLOAT16, FLOAT, INT16, INT32, INT8 or UINT8, got %s",
                        ge::TypeUtils::DataTypeToSerialString(x1Desc->GetDataType()).c_str()),
                return ge::GRAPH_FAILED);
    call.isScalar = context->GetOptionalInputShape(INPUT_X2) == nullptr;
    OP_CHECK_IF(ReadPlatform(context, call) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot read the platform"),
                return ge::GRAPH_FAILED);
    return ReadWalk(context, call);
}

static ge::graphStatus FmodTiling(gert::TilingContext* context)
{
    FmodCall call;
    OP_CHECK_IF(ReadCall(context, call) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot plan Fmod for this call"),
                return ge::GRAPH_FAILED);
    FmodTilingData* data = context->GetTilingData<FmodTilingData>();
    OP_CHECK_NULL_WITH_CONTEXT(context, data);
    *data = FmodTilingData{};
    std::fill_n(data->dims, FMOD_MAX_DIM, 1);
    FillScalar(call, context->GetAttrs(), data);
    const bool isFlat = IsFlat(call);
    const int64_t length = call.walk.dims.empty() ? 1 : call.walk.dims[0];
    const int64_t coreNum = isFlat ? FillContiguous(call, length, data) : FillRows(call, data);
    size_t* workspaces = context->GetWorkspaceSizes(WORKSPACE_NUM);
    OP_CHECK_NULL_WITH_CONTEXT(context, workspaces);
    workspaces[0] = 0;
    context->SetBlockDim(static_cast<uint32_t>(coreNum));
    const uint64_t mode = ModeOf(call, isFlat);
    const uint64_t precision = call.isExact ? FMOD_PRECISION_EXACT : FMOD_PRECISION_TBE;
    context->SetTilingKey(GET_TPL_TILING_KEY(mode, precision));
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingParse4Fmod([[maybe_unused]] gert::TilingParseContext* context)
{
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(Fmod).Tiling(FmodTiling).TilingParse<FmodCompileInfo>(TilingParse4Fmod);
} // namespace optiling
