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
 * \file my_op.cpp
 * \brief Kernel entry.
 */
#include "my_op.h"

template <uint32_t mode>
__global__ __aicore__ void my_op(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    REGISTER_TILING_DEFAULT(MyOpTilingData);
    GET_TILING_DATA_WITH_STRUCT(MyOpTilingData, tilingData, tiling);
    AscendC::TPipe pipe;
    NsMyOp::Kernel<DTYPE_X> op;
    op.Init(x, y, tilingData, pipe);
    op.Process();
}
