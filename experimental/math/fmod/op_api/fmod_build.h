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
 * \file fmod_build.h
 * \brief Plans one Fmod call: the kernel on the tensors where they lie, or on contiguous copies.
 */
#ifndef OP_API_INC_FMOD_BUILD_H_
#define OP_API_INC_FMOD_BUILD_H_

#include "fmod.h"
#include "fmod_checks.h"
#include "../op_host/fmod_geometry.h"
#include "aclnn_kernels/cast.h"
#include "aclnn_kernels/contiguous.h"
#include "opdev/tensor_view_utils.h"

// What the default interfaces compute with; a package can be built with another default.
#ifndef FMOD_DEFAULT_PRECISION
#define FMOD_DEFAULT_PRECISION 0
#endif

namespace fmod_build {
using fmod_geometry::Dims;
using fmod_geometry::Walk;

// One call after its checks. other is nullptr when divisor holds.
struct Call {
    const aclTensor* self;
    const aclTensor* other;
    l0op::FmodDivisor divisor;
    const aclTensor* out;
    op::DataType computed; // the data type of the kernel
    int64_t precisionMode;
};

// Rows shorter than this move slower through strided copies of the kernel than through one contiguous copy first: a
// burst of a strided copy costs about as much as this many bytes of a dense one.
constexpr int64_t MIN_STRIDED_ROW_BYTES = 64;

inline Dims ToDims(const op::Shape& shape)
{
    Dims dims;
    for (size_t i = 0; i < shape.GetDimNum(); i++) {
        dims.push_back(shape.GetDim(i));
    }
    return dims;
}

inline Dims WalkStrides(const aclTensor* tensor, const Dims& target)
{
    const op::Strides& strides = tensor->GetViewStrides();
    Dims own;
    for (size_t i = 0; i < tensor->GetViewShape().GetDimNum(); i++) {
        own.push_back(strides[i]);
    }
    return fmod_geometry::BroadcastStrides(ToDims(tensor->GetViewShape()), own, target);
}

inline Walk WalkOf(const Call& call)
{
    Walk walk;
    walk.dims = ToDims(call.out->GetViewShape());
    walk.x1 = WalkStrides(call.self, walk.dims);
    walk.x2 = call.other == nullptr ? Dims(walk.dims.size(), 0) : WalkStrides(call.other, walk.dims);
    walk.y = WalkStrides(call.out, walk.dims);
    return walk;
}

inline bool HasNegativeStride(const Walk& walk)
{
    for (size_t i = 0; i < walk.dims.size(); i++) {
        if (walk.x1[i] < 0 || walk.x2[i] < 0 || walk.y[i] < 0) {
            return true;
        }
    }
    return false;
}

// The kernel reads and writes strided tensors in place when no cast is needed and its rows are dense and long enough.
inline bool RunsInPlace(const Call& call, const Walk& merged)
{
    const bool isSameType = call.self->GetDataType() == call.computed && call.out->GetDataType() == call.computed &&
                            (call.other == nullptr || call.other->GetDataType() == call.computed);
    if (!isSameType || merged.dims.empty() || HasNegativeStride(merged) || !HasDenseRows(merged)) {
        return false;
    }
    return merged.dims.back() * static_cast<int64_t>(op::TypeSize(call.computed)) >= MIN_STRIDED_ROW_BYTES;
}

inline bool IsPlain(const aclTensor* tensor) { return tensor == nullptr || op::IsContiguous(tensor); }

// Covers every element that the view reaches, from its first one on.
inline const aclTensor* FlatView(const aclTensor* tensor, const Dims& dims, const Dims& strides,
                                 aclOpExecutor* executor)
{
    int64_t length = 1;
    for (size_t i = 0; i < dims.size(); i++) {
        length += (dims[i] - 1) * strides[i];
    }
    op::Shape shape;
    shape.AppendDim(length);
    return executor->CreateView(tensor, shape, tensor->GetViewOffset());
}

inline aclnnStatus BuildInPlace(const Call& call, const Walk& merged, aclOpExecutor* executor)
{
    const aclTensor* self = FlatView(call.self, merged.dims, merged.x1, executor);
    CHECK_RET(self != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* other = nullptr;
    if (call.other != nullptr) {
        other = FlatView(call.other, merged.dims, merged.x2, executor);
        CHECK_RET(other != nullptr, ACLNN_ERR_INNER_NULLPTR);
    }
    const aclTensor* out = FlatView(call.out, merged.dims, merged.y, executor);
    CHECK_RET(out != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const l0op::FmodLayout layout{executor->AllocIntArray(merged.dims.data(), merged.dims.size()),
                                  executor->AllocIntArray(merged.x1.data(), merged.x1.size()),
                                  executor->AllocIntArray(merged.x2.data(), merged.x2.size()),
                                  executor->AllocIntArray(merged.y.data(), merged.y.size())};
    const aclTensor* result = l0op::FmodStrided(self, other, call.divisor, layout, out, call.precisionMode, executor);
    CHECK_RET(result != nullptr, ACLNN_ERR_INNER_NULLPTR);
    return ACLNN_SUCCESS;
}

inline const aclTensor* ToComputed(const aclTensor* tensor, op::DataType computed, aclOpExecutor* executor)
{
    const aclTensor* contiguous = l0op::Contiguous(tensor, executor);
    return contiguous == nullptr ? nullptr : l0op::Cast(contiguous, computed, executor);
}

inline aclnnStatus BuildOnCopies(const Call& call, aclOpExecutor* executor)
{
    const aclTensor* self = ToComputed(call.self, call.computed, executor);
    CHECK_RET(self != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* result = nullptr;
    if (call.other != nullptr) {
        const aclTensor* other = ToComputed(call.other, call.computed, executor);
        CHECK_RET(other != nullptr, ACLNN_ERR_INNER_NULLPTR);
        result = l0op::Fmod(self, other, call.precisionMode, executor);
    } else {
        result = l0op::FmodScalar(self, call.divisor, call.precisionMode, executor);
    }
    CHECK_RET(result != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* cast = l0op::Cast(result, call.out->GetDataType(), executor);
    CHECK_RET(cast != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* copied = l0op::ViewCopy(cast, call.out, executor);
    CHECK_RET(copied != nullptr, ACLNN_ERR_INNER_NULLPTR);
    return ACLNN_SUCCESS;
}

inline aclnnStatus Build(const Call& call, aclOpExecutor* executor)
{
    if (call.out->IsEmpty()) {
        return ACLNN_SUCCESS;
    }
    const bool isPlain = IsPlain(call.self) && IsPlain(call.other) && IsPlain(call.out);
    if (!isPlain) {
        const Walk merged = Merge(WalkOf(call));
        if (RunsInPlace(call, merged)) {
            return BuildInPlace(call, merged, executor);
        }
    }
    return BuildOnCopies(call, executor);
}
} // namespace fmod_build
#endif // OP_API_INC_FMOD_BUILD_H_
