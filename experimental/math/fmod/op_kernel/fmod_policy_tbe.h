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
 * \file fmod_policy_tbe.h
 * \brief The four-rounding chain of the built-in TBE Mod: x - trunc(x / y) * y in fp32.
 */
#ifndef FMOD_POLICY_TBE_H
#define FMOD_POLICY_TBE_H

#include "fmod_work.h"

namespace NsFmod {
// Buffer names tell the bank groups: operands of one instruction are one *Low and one *High.
template <bool IS_SCALAR, bool IS_ROWS>
class TbeFloat {
public:
    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = tiling.scalar;
        if constexpr (IS_SCALAR) {
            divisorHigh_ = work_.template High<float>();
            Duplicate(divisorHigh_, scalar_, static_cast<int32_t>(tileLength));
        }
    }
    __aicore__ inline void InitConst([[maybe_unused]] TPipe& pipe) {}

    __aicore__ inline void Tensor(const LocalTensor<float>& yLow, const LocalTensor<float>& x1Low,
                                  const LocalTensor<float>& x2High, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        LocalTensor<float> productHigh = x2High;
        if constexpr (IS_ROWS) {
            productHigh = work_.template High<float>(); // x2 may serve several tiles
        }
        Div(yLow, x1Low, x2High, count);
        Cast(yLow, yLow, RoundMode::CAST_TRUNC, length);
        Mul(productHigh, yLow, x2High, count);
        Sub(yLow, x1Low, productHigh, count);
    }

    __aicore__ inline void Scalar(const LocalTensor<float>& yHigh, const LocalTensor<float>& x1Low, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        Div(yHigh, x1Low, divisorHigh_, count);
        Cast(yHigh, yHigh, RoundMode::CAST_TRUNC, length);
        Muls(yHigh, yHigh, scalar_, count);
        Sub(yHigh, x1Low, yHigh, count);
    }

private:
    static constexpr FmodWork BYTES = FmodWorkBytes(FmodKind::FLOAT32, false, IS_SCALAR, IS_ROWS);
    Work<BYTES.low, BYTES.high> work_;
    LocalTensor<float> divisorHigh_;
    float scalar_ = 0.0f;
};

// half and bfloat16: the same chain between two casts.
template <typename T, bool IS_SCALAR>
class TbeHalf {
public:
    __aicore__ inline void Init(TPipe& pipe, const FmodTilingData& tiling, uint32_t tileLength)
    {
        work_.Init(pipe, tileLength);
        scalar_ = tiling.scalar;
        dividendLow_ = work_.template Low<float>();
        if constexpr (IS_SCALAR) {
            quotientHigh_ = work_.template High<float>();
            divisorHigh_ = work_.template High<float>(sizeof(float));
            Duplicate(divisorHigh_, scalar_, static_cast<int32_t>(tileLength));
        } else {
            quotientLow_ = work_.template Low<float>(sizeof(float));
            divisorHigh_ = work_.template High<float>();
        }
    }
    __aicore__ inline void InitConst([[maybe_unused]] TPipe& pipe) {}

    __aicore__ inline void Tensor(const LocalTensor<T>& y, const LocalTensor<T>& x1, const LocalTensor<T>& x2,
                                  uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        Cast(dividendLow_, x1, RoundMode::CAST_NONE, length);
        Cast(divisorHigh_, x2, RoundMode::CAST_NONE, length);
        Div(quotientLow_, dividendLow_, divisorHigh_, count);
        Cast(quotientLow_, quotientLow_, RoundMode::CAST_TRUNC, length);
        Mul(divisorHigh_, quotientLow_, divisorHigh_, count);
        Sub(dividendLow_, dividendLow_, divisorHigh_, count);
        Cast(y, dividendLow_, RoundMode::CAST_RINT, length);
    }

    __aicore__ inline void Scalar(const LocalTensor<T>& y, const LocalTensor<T>& x1, uint32_t length)
    {
        const int32_t count = static_cast<int32_t>(length);
        Cast(dividendLow_, x1, RoundMode::CAST_NONE, length);
        Div(quotientHigh_, dividendLow_, divisorHigh_, count);
        Cast(quotientHigh_, quotientHigh_, RoundMode::CAST_TRUNC, length);
        Muls(quotientHigh_, quotientHigh_, scalar_, count);
        Sub(dividendLow_, dividendLow_, quotientHigh_, count);
        Cast(y, dividendLow_, RoundMode::CAST_RINT, length);
    }

private:
    static constexpr FmodWork BYTES = FmodWorkBytes(FmodKind::FLOAT16, false, IS_SCALAR, false);
    Work<BYTES.low, BYTES.high> work_;
    LocalTensor<float> dividendLow_;
    LocalTensor<float> quotientLow_;
    LocalTensor<float> quotientHigh_;
    LocalTensor<float> divisorHigh_;
    float scalar_ = 0.0f;
};
} // namespace NsFmod
#endif // FMOD_POLICY_TBE_H
