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
 * \brief y has the broadcast shape of x1 and x2 and the data type of x1.
 */
#include "log/log.h"
#include "op_host/infershape_broadcast_util.h"
#include "register/op_impl_registry.h"

namespace ops {
static constexpr size_t INPUT_X1 = 0;
static constexpr size_t OUTPUT_Y = 0;

static ge::graphStatus InferShape(gert::InferShapeContext* context) { return Ops::Base::InferShape4Broadcast(context); }

static ge::graphStatus InferDataType(gert::InferDataTypeContext* context)
{
    return context->SetOutputDataType(OUTPUT_Y, context->GetInputDataType(INPUT_X1));
}

IMPL_OP_INFERSHAPE(MyOp).InferShape(InferShape).InferDataType(InferDataType);
} // namespace ops
