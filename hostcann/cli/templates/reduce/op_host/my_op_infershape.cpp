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
 * \file my_op_infershape.cpp
 * \brief y has the shape of x without its last axis, and the data type of x.
 */
#include "log/log.h"
#include "register/op_impl_registry.h"

namespace ops {
static constexpr size_t INPUT_X = 0;
static constexpr size_t OUTPUT_Y = 0;
static constexpr int64_t UNKNOWN_RANK = -2;

static ge::graphStatus InferShape(gert::InferShapeContext* context)
{
    const gert::Shape* x = context->GetInputShape(INPUT_X);
    OP_CHECK_NULL_WITH_CONTEXT(context, x);
    gert::Shape* y = context->GetOutputShape(OUTPUT_Y);
    OP_CHECK_NULL_WITH_CONTEXT(context, y);
    const size_t rank = x->GetDimNum();
    OP_CHECK_IF(rank == 0, OP_LOGE(context, "x must have an axis to reduce"), return ge::GRAPH_FAILED);
    if (rank == 1 && x->GetDim(0) == UNKNOWN_RANK) {
        *y = *x;
        return ge::GRAPH_SUCCESS;
    }
    y->SetDimNum(rank - 1);
    for (size_t i = 0; i + 1 < rank; i++) {
        y->SetDim(i, x->GetDim(i));
    }
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataType(gert::InferDataTypeContext* context)
{
    return context->SetOutputDataType(OUTPUT_Y, context->GetInputDataType(INPUT_X));
}

IMPL_OP_INFERSHAPE(MyOp).InferShape(InferShape).InferDataType(InferDataType);
} // namespace ops
