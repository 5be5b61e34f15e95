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
 * \file fmod_def.cpp
 * \brief Fmod(x1, x2) -> y, y = x1 - trunc(x1 / x2) * x2. Without x2 the divisor is a scalar attribute.
 */
#include <vector>
#include "register/op_def_registry.h"

namespace ops {
// One column per data type: x1, x2 and y always agree, aclnn casts before it gets here.
static const std::vector<ge::DataType> FMOD_DTYPES = {ge::DT_BF16,  ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT16,
                                                      ge::DT_INT32, ge::DT_INT8,    ge::DT_UINT8};
static const std::vector<ge::Format> FMOD_FORMATS(FMOD_DTYPES.size(), ge::FORMAT_ND);

class Fmod : public OpDef {
public:
    explicit Fmod(const char* name) : OpDef(name)
    {
        this->Input("x1")
            .ParamType(REQUIRED)
            .DataType(FMOD_DTYPES)
            .Format(FMOD_FORMATS)
            .UnknownShapeFormat(FMOD_FORMATS);
        this->Input("x2")
            .ParamType(OPTIONAL)
            .DataType(FMOD_DTYPES)
            .Format(FMOD_FORMATS)
            .UnknownShapeFormat(FMOD_FORMATS);
        this->Output("y")
            .ParamType(REQUIRED)
            .DataType(FMOD_DTYPES)
            .Format(FMOD_FORMATS)
            .UnknownShapeFormat(FMOD_FORMATS);
        // The divisor when x2 is absent: scalar_float for floating x1, scalar_int for integral x1.
        this->Attr("scalar_float").AttrType(OPTIONAL).Float(0.0f);
        this->Attr("scalar_int").AttrType(OPTIONAL).Int(0);
        // 0: the rounding steps of the built-in Mod, 1: C fmodf bit for bit. Integers are exact in both.
        this->Attr("precision_mode").AttrType(OPTIONAL).Int(0);
        // Logical shape and element strides; empty when the tensors are contiguous and carry their own shapes.
        this->Attr("view_shape").AttrType(OPTIONAL).ListInt({});
        this->Attr("x1_stride").AttrType(OPTIONAL).ListInt({});
        this->Attr("x2_stride").AttrType(OPTIONAL).ListInt({});
        this->Attr("y_stride").AttrType(OPTIONAL).ListInt({});

        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(Fmod);
} // namespace ops
