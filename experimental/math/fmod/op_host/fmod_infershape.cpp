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
 * \file fmod_infershape.cpp
 * \brief y has the broadcast shape of x1 and x2 and the data type of x1.
 */
#include "log/log.h"
#include "register/op_impl_registry.h"

namespace ops {
static constexpr size_t INPUT_X1 = 0;
static constexpr size_t INPUT_X2 = 1;
static constexpr size_t OUTPUT_Y = 0;
static constexpr int64_t UNKNOWN_DIM = -1;
static constexpr int64_t UNKNOWN_RANK = -2;

static bool IsUnknownRank(const gert::Shape& shape)
{
    return shape.GetDimNum() == 1 && shape.GetDim(0) == UNKNOWN_RANK;
}

// One dimension of the result; an unknown one yields to any other than 1. False when the dimensions do not agree.
static bool BroadcastDim(int64_t a, int64_t b, int64_t& dim)
{
    if (a == b || b == 1) {
        dim = a;
        return true;
    }
    if (a == 1 || a == UNKNOWN_DIM) {
        dim = b;
        return true;
    }
    dim = a;
    return b == UNKNOWN_DIM;
}

static ge::graphStatus InferShape4Fmod(gert::InferShapeContext* context)
{
    const gert::Shape* x1 = context->GetInputShape(INPUT_X1);
    OP_CHECK_NULL_WITH_CONTEXT(context, x1);
    gert::Shape* y = context->GetOutputShape(OUTPUT_Y);
    OP_CHECK_NULL_WITH_CONTEXT(context, y);
    const gert::Shape* x2 = context->GetOptionalInputShape(INPUT_X2);
    if (x2 == nullptr) {
        *y = *x1;
        return ge::GRAPH_SUCCESS;
    }
    if (IsUnknownRank(*x1) || IsUnknownRank(*x2)) {
        y->SetDimNum(1);
        y->SetDim(0, UNKNOWN_RANK);
        return ge::GRAPH_SUCCESS;
    }
    const size_t rank1 = x1->GetDimNum();
    const size_t rank2 = x2->GetDimNum();
    const size_t rank = rank1 > rank2 ? rank1 : rank2;
    y->SetDimNum(rank);
    for (size_t i = 0; i < rank; i++) { // i counts from the last axis
        const int64_t dim1 = i < rank1 ? x1->GetDim(rank1 - 1 - i) : 1;
        const int64_t dim2 = i < rank2 ? x2->GetDim(rank2 - 1 - i) : 1;
        int64_t dim = 0;
        OP_CHECK_IF(!BroadcastDim(dim1, dim2, dim),
                    OP_LOGE(context, "x1 and x2 must broadcast, but at axis %zu from the last they have %ld and %ld", i,
                            dim1, dim2),
                    return ge::GRAPH_FAILED);
        y->SetDim(rank - 1 - i, dim);
    }
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataType4Fmod(gert::InferDataTypeContext* context)
{
    return context->SetOutputDataType(OUTPUT_Y, context->GetInputDataType(INPUT_X1));
}

IMPL_OP_INFERSHAPE(Fmod).InferShape(InferShape4Fmod).InferDataType(InferDataType4Fmod);
} // namespace ops
