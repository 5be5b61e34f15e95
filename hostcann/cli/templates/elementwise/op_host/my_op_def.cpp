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
 * \file my_op_def.cpp
 * \brief MyOp(x) -> y, y = max(x, 0).
 */
#include <vector>
#include "register/op_def_registry.h"

namespace ops {
// One column per combination of data types.
static const std::vector<ge::DataType> DTYPES = {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32};
static const std::vector<ge::Format> FORMATS(DTYPES.size(), ge::FORMAT_ND);

class MyOp : public OpDef {
public:
    explicit MyOp(const char* name) : OpDef(name)
    {
        // AutoContiguous: the generated interface copies strided tensors before the kernel sees them.
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType(DTYPES)
            .Format(FORMATS)
            .UnknownShapeFormat(FORMATS)
            .AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType(DTYPES).Format(FORMATS).UnknownShapeFormat(FORMATS);

        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(MyOp);
} // namespace ops
