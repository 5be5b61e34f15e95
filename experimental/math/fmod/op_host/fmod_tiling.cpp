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
static constexpr size_t WORKSPACE_NUM = 1;
// As MIN_ELEMS_PER_CORE and UB_RESERVE_BYTES of experimental/math/acosh_grad/op_host/acosh_grad_tiling.cpp.
static constexpr int64_t MIN_CORE_ELEMENTS = 2048;
static constexpr int64_t UB_RESERVED_BYTES = 8192;

struct FmodCompileInfo {};

// What the tiling function knows of one call.
struct FmodTilingInfo {
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

// A data type of x1, and its compute class in either precision. Integers are exact in both.
struct FmodDataType {
    ge::DataType dtype;
    int64_t bytes;
    FmodFormula tbe;
    FmodFormula exact;
};

static constexpr FmodDataType DATA_TYPES[] = {{ge::DT_FLOAT, 4, FmodFormula::FLOAT, FmodFormula::FLOAT_EXACT},
                                              {ge::DT_FLOAT16, 2, FmodFormula::FLOAT16, FmodFormula::FLOAT16_EXACT},
                                              {ge::DT_BF16, 2, FmodFormula::FLOAT16, FmodFormula::FLOAT16_EXACT},
                                              {ge::DT_INT32, 4, FmodFormula::INT32, FmodFormula::INT32},
                                              {ge::DT_INT16, 2, FmodFormula::INT16, FmodFormula::INT16},
                                              {ge::DT_INT8, 1, FmodFormula::INT8, FmodFormula::INT8},
                                              {ge::DT_UINT8, 1, FmodFormula::INT8, FmodFormula::INT8}};

static bool ReadDataType(ge::DataType dtype, int64_t precision, FmodTilingInfo& info)
{
    for (const FmodDataType& type : DATA_TYPES) {
        if (type.dtype == dtype) {
            info.isExact = precision == FMOD_PRECISION_EXACT && type.exact != type.tbe;
            info.compute = info.isExact ? type.exact : type.tbe;
            info.isHalf = dtype == ge::DT_FLOAT16;
            info.elementBytes = type.bytes;
            return true;
        }
    }
    return false;
}

static ge::graphStatus ReadPlatform(gert::TilingContext* context, FmodTilingInfo& info)
{
    auto platformInfo = context->GetPlatformInfo();
    OP_CHECK_NULL_WITH_CONTEXT(context, platformInfo);
    auto ascendcPlatform = platform_ascendc::PlatformAscendC(platformInfo);
    info.coreNum = ascendcPlatform.GetCoreNumAiv();
    OP_CHECK_IF(info.coreNum <= 0, OP_LOGE(context, "number of vector cores must be positive, got %ld", info.coreNum),
                return ge::GRAPH_FAILED);
    uint64_t ubSize = 0;
    ascendcPlatform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubSize);
    const int64_t fixedBytes = UB_RESERVED_BYTES + FMOD_FIXED_BYTES;
    info.ubBytes = static_cast<int64_t>(ubSize) - fixedBytes;
    OP_CHECK_IF(info.ubBytes <= 0, OP_LOGE(context, "UB must be larger than %ld bytes, got %lu", fixedBytes, ubSize),
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
static ge::graphStatus ReadShapes(gert::TilingContext* context, const FmodTilingInfo& info, Walk& walk)
{
    const gert::StorageShape* x1 = context->GetInputShape(INPUT_X1);
    OP_CHECK_NULL_WITH_CONTEXT(context, x1);
    const gert::StorageShape* x2 = info.isScalar ? x1 : context->GetOptionalInputShape(INPUT_X2);
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

static ge::graphStatus ReadWalk(gert::TilingContext* context, FmodTilingInfo& info)
{
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    Walk walk{ListAttr(attrs, ATTR_VIEW_SHAPE), ListAttr(attrs, ATTR_X1_STRIDE), ListAttr(attrs, ATTR_X2_STRIDE),
              ListAttr(attrs, ATTR_Y_STRIDE)};
    info.isStrided = !walk.dims.empty();
    OP_CHECK_IF(!info.isStrided && ReadShapes(context, info, walk) != ge::GRAPH_SUCCESS,
                OP_LOGE(context, "cannot read the shapes of x1 and x2"), return ge::GRAPH_FAILED);
    const size_t rank = walk.dims.size();
    if (info.isScalar) { // a scalar divisor moves along no axis and must not keep axes apart
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
        info.walk = Walk{{0}, {1}, {1}, {1}}; // nothing to do, whatever the other axes are
        return ge::GRAPH_SUCCESS;
    }
    info.walk = fmod_geometry::Merge(walk);
    OP_CHECK_IF(!fmod_geometry::HasDenseRows(info.walk),
                OP_LOGE(context, "rows of x1, x2 and y must be dense and must not overlap"), return ge::GRAPH_FAILED);
    return ge::GRAPH_SUCCESS;
}

static int64_t CoresFor(const FmodTilingInfo& info, int64_t elements)
{
    return std::min(info.coreNum, std::max<int64_t>(1, FmodCeilDiv(elements, MIN_CORE_ELEMENTS)));
}

// Cores share whole lines where every core has some; a core's tiles have one size.
static FmodSplit FillContiguous(const FmodTilingInfo& info, int64_t totalLength, FmodTilingData* data)
{
    const int64_t lineLength = FMOD_LINE_BYTES / info.elementBytes;
    const int64_t maxCores = CoresFor(info, totalLength);
    const bool isLarge = maxCores == info.coreNum;
    const FmodSplit split = SplitFmod(totalLength, isLarge ? lineLength : FMOD_BLOCK_BYTES / info.elementBytes,
                                      maxCores);
    const int64_t own = FmodUbBytesOf(info.compute, static_cast<uint32_t>(info.elementBytes), info.isScalar, false);
    const int64_t inputs = FMOD_BUFFER_NUM * (info.isScalar ? 1 : 2) * info.elementBytes;
    const int64_t maxTile = info.ubBytes / (own + inputs) / lineLength * lineLength;
    const int64_t tiles = std::max<int64_t>(1, FmodCeilDiv(split.formerLength, maxTile));
    const int64_t tileLength = FmodCeilAlign(FmodCeilDiv(split.formerLength, tiles), lineLength);
    data->tileLength = static_cast<int32_t>(std::max(tileLength, FMOD_MIN_TILE_LENGTH));
    return split;
}

static FmodForm FormOf(int64_t rowStride, int64_t columnStride)
{
    if (columnStride != 0) {
        return rowStride != 0 ? FmodForm::TILE : FmodForm::ROW;
    }
    return rowStride != 0 ? FmodForm::COLUMN : FmodForm::VALUE;
}

static void FillAxes(const FmodTilingInfo& info, FmodTilingData* data)
{
    const Walk& walk = info.walk;
    const size_t columns = walk.dims.size() - 1;
    for (size_t i = 0; i < columns; i++) {
        const size_t axis = FMOD_COLUMN_AXIS - columns + i;
        data->dims[axis] = walk.dims[i];
        data->x1Stride[axis] = walk.x1[i];
        data->x2Stride[axis] = walk.x2[i];
        data->yStride[axis] = walk.y[i];
    }
    data->dims[FMOD_COLUMN_AXIS] = walk.dims[columns];
    data->x1Form = FormOf(data->x1Stride[FMOD_ROW_AXIS], walk.x1[columns]);
    data->x2Form = info.isScalar ? FmodForm::NONE : FormOf(data->x2Stride[FMOD_ROW_AXIS], walk.x2[columns]);
}

static FmodSplit FillRows(const FmodTilingInfo& info, FmodTilingData* data)
{
    FillAxes(info, data);
    FmodRowsRequest request;
    request.compute = info.compute;
    request.elementBytes = info.elementBytes;
    request.forms[0] = data->x1Form;
    request.forms[1] = data->x2Form;
    for (size_t axis = 0; axis < FMOD_ROW_AXIS; axis++) {
        request.outer *= data->dims[axis];
    }
    request.rows = data->dims[FMOD_ROW_AXIS];
    request.columns = data->dims[FMOD_COLUMN_AXIS];
    request.rowStride = std::max(
        {data->x1Stride[FMOD_ROW_AXIS], data->x2Stride[FMOD_ROW_AXIS], data->yStride[FMOD_ROW_AXIS]});
    request.ubBytes = info.ubBytes;
    request.coreNum = CoresFor(info, request.outer * request.rows * request.columns);
    const FmodRowsTile tile = TileFmodRows(request);
    data->rowTile = static_cast<int32_t>(tile.rowTile);
    data->colTile = static_cast<int32_t>(tile.colTile);
    data->columnsFirst = tile.columnsFirst ? 1 : 0;
    data->tileLength = static_cast<int32_t>(FmodTileLength(request, tile.rowTile, tile.colTile));
    data->x1ShortBytes = static_cast<int32_t>(FmodShortBytes(request, 0, tile.rowTile, tile.colTile));
    data->x2ShortBytes = static_cast<int32_t>(FmodShortBytes(request, 1, tile.rowTile, tile.colTile));
    const int64_t tiles = request.outer * tile.rowTiles * tile.colTiles;
    return SplitFmod(tiles, 1, info.coreNum); // small tiles of outer axes go to all cores
}

static void FillScalar(const FmodTilingInfo& info, const gert::RuntimeAttrs* attrs, FmodTilingData* data)
{
    const float* real = attrs == nullptr ? nullptr : attrs->GetFloat(ATTR_SCALAR_FLOAT);
    data->scalar = MakeScalar(info.compute, info.isHalf, real == nullptr ? 0.0f : *real,
                              IntAttr(attrs, ATTR_SCALAR_INT));
}

// One merged axis that every tensor walks densely needs no row arithmetic.
static bool IsFlat(const FmodTilingInfo& info)
{
    const Walk& walk = info.walk;
    return walk.dims.empty() || (walk.dims.size() == 1 && walk.x1[0] == 1 && (info.isScalar || walk.x2[0] == 1));
}

static uint64_t ModeOf(const FmodTilingInfo& info, bool isFlat)
{
    if (info.isScalar) {
        return isFlat ? FMOD_MODE_SCALAR : FMOD_MODE_SCALAR_STRIDED;
    }
    if (isFlat) {
        return FMOD_MODE_TENSOR;
    }
    return info.isStrided ? FMOD_MODE_TENSOR_STRIDED : FMOD_MODE_BROADCAST;
}

static ge::graphStatus ReadInfo(gert::TilingContext* context, FmodTilingInfo& info)
{
    auto x1Desc = context->GetInputDesc(INPUT_X1);
    OP_CHECK_NULL_WITH_CONTEXT(context, x1Desc);
    const int64_t precision = IntAttr(context->GetAttrs(), ATTR_PRECISION);
    OP_CHECK_IF(precision != FMOD_PRECISION_TBE && precision != FMOD_PRECISION_EXACT,
                OP_LOGE(context, "precision_mode must be 0 (tbe) or 1 (exact), got %ld", precision),
                return ge::GRAPH_FAILED);
    OP_CHECK_IF(!ReadDataType(x1Desc->GetDataType(), precision, info),
                OP_LOGE(context, "x1 must be BF16, FLOAT16, FLOAT, INT16, INT32, INT8 or UINT8, got %s",
                        ge::TypeUtils::DataTypeToSerialString(x1Desc->GetDataType()).c_str()),
                return ge::GRAPH_FAILED);
    info.isScalar = context->GetOptionalInputShape(INPUT_X2) == nullptr;
    OP_CHECK_IF(ReadPlatform(context, info) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot read the platform"),
                return ge::GRAPH_FAILED);
    return ReadWalk(context, info);
}

static ge::graphStatus FmodTiling(gert::TilingContext* context)
{
    FmodTilingInfo info;
    OP_CHECK_IF(ReadInfo(context, info) != ge::GRAPH_SUCCESS, OP_LOGE(context, "cannot plan Fmod for this call"),
                return ge::GRAPH_FAILED);
    FmodTilingData* data = context->GetTilingData<FmodTilingData>();
    OP_CHECK_NULL_WITH_CONTEXT(context, data);
    *data = FmodTilingData{};
    std::fill_n(data->dims, FMOD_MAX_DIM, 1);
    FillScalar(info, context->GetAttrs(), data);
    const bool isFlat = IsFlat(info);
    const int64_t length = info.walk.dims.empty() ? 1 : info.walk.dims[0];
    const FmodSplit split = isFlat ? FillContiguous(info, length, data) : FillRows(info, data);
    data->totalLength = split.totalLength;
    data->formerNum = static_cast<int32_t>(split.formerNum);
    data->formerLength = split.formerLength;
    data->tailLength = split.tailLength;
    size_t* workspaces = context->GetWorkspaceSizes(WORKSPACE_NUM);
    OP_CHECK_NULL_WITH_CONTEXT(context, workspaces);
    workspaces[0] = 0;
    context->SetBlockDim(static_cast<uint32_t>(split.coreNum));
    const uint64_t mode = ModeOf(info, isFlat);
    const uint64_t precision = info.isExact ? FMOD_PRECISION_EXACT : FMOD_PRECISION_TBE;
    context->SetTilingKey(GET_TPL_TILING_KEY(mode, precision));
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TilingParse4Fmod([[maybe_unused]] gert::TilingParseContext* context)
{
    return ge::GRAPH_SUCCESS;
}

IMPL_OP_OPTILING(Fmod).Tiling(FmodTiling).TilingParse<FmodCompileInfo>(TilingParse4Fmod);
} // namespace optiling
