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
 * \file fmod_onnx_plugin.cpp
 * \brief Mod of ONNX, where it asks for the remainder of C: Fmod.
 */
#include "onnx_common.h"
#include "log/log.h"

namespace domi {
static constexpr int64_t FMOD_OF_C = 1;

// Without a sign both remainders are the same.
static bool IsUnsigned(const ge::Operator& op)
{
    const ge::DataType type = op.GetInputDescByName("x1").GetDataType();
    return type == ge::DT_UINT8 || type == ge::DT_UINT16 || type == ge::DT_UINT32 || type == ge::DT_UINT64;
}

static Status ParseParamsFmod(const Message* op_src, ge::Operator& op_dest)
{
    const auto* node = dynamic_cast<const ge::onnx::NodeProto*>(op_src);
    if (node == nullptr) {
        OP_LOGE(GetOpName(op_dest).c_str(), "the source of the operator is no node of ONNX");
        return FAILED;
    }
    int64_t fmod = 0; // the default of ONNX
    for (const auto& attr : node->attribute()) {
        if (attr.name() == "fmod") {
            fmod = attr.i();
        }
    }
    if (fmod != FMOD_OF_C && !IsUnsigned(op_dest)) {
        OP_LOGE(GetOpName(op_dest).c_str(),
                "Mod with fmod=%ld takes the sign of the divisor, Fmod that of the dividend; only fmod=1 is supported",
                static_cast<long>(fmod));
        return FAILED;
    }
    return SUCCESS;
}

REGISTER_CUSTOM_OP("Fmod")
    .FrameworkType(ONNX)
    .OriginOpType({ge::AscendString("ai.onnx::10::Mod"), ge::AscendString("ai.onnx::11::Mod"),
                   ge::AscendString("ai.onnx::12::Mod"), ge::AscendString("ai.onnx::13::Mod"),
                   ge::AscendString("ai.onnx::14::Mod"), ge::AscendString("ai.onnx::15::Mod"),
                   ge::AscendString("ai.onnx::16::Mod"), ge::AscendString("ai.onnx::17::Mod"),
                   ge::AscendString("ai.onnx::18::Mod")})
    .ParseParamsFn(ParseParamsFmod)
    .ImplyType(ImplyType::TVM);
} // namespace domi
