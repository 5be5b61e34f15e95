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
 * \file fmod_interface.h
 * \brief Checks and launches that the aclnnFmod interfaces share.
 */
#ifndef OP_API_INC_FMOD_INTERFACE_H_
#define OP_API_INC_FMOD_INTERFACE_H_

#include <initializer_list>
#include "fmod.h"
#include "../op_host/fmod_geometry.h"
#include "../op_kernel/fmod_tiling_data.h"
#include "aclnn_kernels/cast.h"
#include "aclnn_kernels/common/op_error_check.h"
#include "aclnn_kernels/contiguous.h"
#include "opdev/data_type_utils.h"
#include "opdev/format_utils.h"
#include "opdev/framework_op.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_dfx.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"
#include "opdev/tensor_view_utils.h"

// What the default interfaces compute with; a package can be built with another default.
#ifndef FMOD_DEFAULT_PRECISION
#define FMOD_DEFAULT_PRECISION FMOD_PRECISION_TBE
#endif

namespace FmodCommon {
using fmod_geometry::Dims;
using fmod_geometry::Walk;
using op::CheckType; // OP_CHECK_DTYPE_NOT_SUPPORT names it without its namespace
// Any two of them promote to one of them, and each can be cast to every other.
const std::initializer_list<op::DataType> DTYPE_SUPPORT_LIST = {
    op::DataType::DT_BF16,  op::DataType::DT_FLOAT16, op::DataType::DT_FLOAT,
    op::DataType::DT_INT16, op::DataType::DT_INT32,   op::DataType::DT_INT8,
    op::DataType::DT_UINT8, op::DataType::DT_DOUBLE,  op::DataType::DT_INT64};

// One call after its checks; other is nullptr where divisor holds.
struct FmodCall {
    const aclTensor* self;
    const aclTensor* other;
    l0op::FmodDivisor divisor;
    const aclTensor* out;
    op::DataType computeDtype;
    int8_t precisionMode;
};

template <typename OTHER> // aclTensor or aclScalar
inline bool CheckNotNull(const aclTensor* self, const OTHER* other, const aclTensor* out)
{
    OP_CHECK_NULL(self, return false);
    OP_CHECK_NULL(other, return false);
    OP_CHECK_NULL(out, return false);
    return true;
}

inline bool CheckFormat(const aclTensor* tensor, const char* name)
{
    OP_CHECK(!op::IsPrivateFormat(tensor->GetStorageFormat()),
             OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected format ND, got the private format %s.", name,
                     op::ToString(tensor->GetStorageFormat()).GetString()),
             return false);
    return true;
}

// smallest is 1 for out: two elements in one place would make the result depend on the order of writes. An empty tensor
// has none; strides that are products of its extents are 0.
inline bool CheckStrides(const aclTensor* tensor, const char* name, int64_t smallest)
{
    const op::Strides& strides = tensor->GetViewStrides();
    for (size_t i = 0; i < tensor->GetViewShape().GetDimNum(); i++) {
        OP_CHECK(tensor->IsEmpty() || tensor->GetViewShape().GetDim(i) <= 1 || strides[i] >= smallest,
                 OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: expected strides of at least %ld, got %ld at axis %zu.", name,
                         smallest, strides[i], i),
                 return false);
    }
    return true;
}

inline bool CheckSelfAndOut(const aclTensor* self, const aclTensor* out)
{
    OP_CHECK_DTYPE_NOT_SUPPORT(self, DTYPE_SUPPORT_LIST, return false);
    OP_CHECK_DTYPE_NOT_SUPPORT(out, DTYPE_SUPPORT_LIST, return false);
    OP_CHECK_MAX_DIM(self, FMOD_MAX_DIM, return false);
    OP_CHECK_MAX_DIM(out, FMOD_MAX_DIM, return false);
    return CheckFormat(self, "self") && CheckFormat(out, "out") && CheckStrides(self, "self", 0) &&
           CheckStrides(out, "out", 1);
}

inline bool CheckPrecisionMode(int8_t precisionMode)
{
    OP_CHECK(precisionMode == FMOD_PRECISION_TBE || precisionMode == FMOD_PRECISION_EXACT,
             OP_LOGE(ACLNN_ERR_PARAM_INVALID, "precisionMode: expected 0 (tbe) or 1 (exact), got %d.", precisionMode),
             return false);
    return true;
}

inline bool IsSameView(const aclTensor* a, const aclTensor* b)
{
    if (a->GetData() != b->GetData() || a->GetDataType() != b->GetDataType() ||
        a->GetViewShape() != b->GetViewShape()) {
        return false;
    }
    for (size_t i = 0; i < a->GetViewShape().GetDimNum(); i++) {
        if (a->GetViewShape().GetDim(i) > 1 && a->GetViewStrides()[i] != b->GetViewStrides()[i]) {
            return false;
        }
    }
    return true;
}

// Elements from the first of the view up to and including the farthest one.
inline int64_t Extent(const aclTensor* tensor)
{
    int64_t extent = 1;
    for (size_t i = 0; i < tensor->GetViewShape().GetDimNum(); i++) {
        extent += (tensor->GetViewShape().GetDim(i) - 1) * tensor->GetViewStrides()[i];
    }
    return extent;
}

// Whether writing out may change elements of in before they are read: their memory meets, and they are not one view,
// which the kernel reads tile by tile before it writes. The arguments may be of any kind, this runs before the checks.
inline bool OverlapsPartly(const aclTensor* in, const aclTensor* out)
{
    if (in == nullptr || out == nullptr || in->IsEmpty() || out->IsEmpty() || in->GetStorageAddr() == nullptr ||
        IsSameView(in, out)) {
        return false;
    }
    const auto* inBegin = static_cast<const uint8_t*>(in->GetData());
    const auto* outBegin = static_cast<const uint8_t*>(out->GetData());
    return inBegin < outBegin + Extent(out) * static_cast<int64_t>(op::TypeSize(out->GetDataType())) &&
           outBegin < inBegin + Extent(in) * static_cast<int64_t>(op::TypeSize(in->GetDataType()));
}

template <typename LIST>
inline Dims ToDims(const LIST& list)
{
    return Dims(list.begin(), list.end());
}

// Element strides along the axes of out; a scalar, nullptr, moves along none.
inline Dims StridesAlong(const Dims& outShape, const aclTensor* tensor)
{
    if (tensor == nullptr) {
        return Dims(outShape.size(), 0);
    }
    return fmod_geometry::BroadcastStrides(ToDims(op::ToShapeVector(tensor->GetViewShape())),
                                           ToDims(tensor->GetViewStrides()), outShape);
}

inline Walk MergedWalk(const FmodCall& call)
{
    const Dims shape = ToDims(op::ToShapeVector(call.out->GetViewShape()));
    return fmod_geometry::Merge(
        {shape, StridesAlong(shape, call.self), StridesAlong(shape, call.other), StridesAlong(shape, call.out)});
}

// Whether the kernel reads and writes the tensors where they lie, by strided copies. They move blocks: a row has one or
// more.
inline bool RunsStrided(const FmodCall& call, const Walk& walk)
{
    const bool isAiCore = call.computeDtype != op::DataType::DT_DOUBLE && call.computeDtype != op::DataType::DT_INT64;
    const bool isOneDtype = call.self->GetDataType() == call.computeDtype &&
                            call.out->GetDataType() == call.computeDtype &&
                            (call.other == nullptr || call.other->GetDataType() == call.computeDtype);
    const bool isPlain = op::IsContiguous(call.self) && op::IsContiguous(call.other) && op::IsContiguous(call.out);
    return isAiCore && isOneDtype && !isPlain && !OverlapsPartly(call.self, call.out) &&
           !OverlapsPartly(call.other, call.out) && !walk.dims.empty() && fmod_geometry::HasDenseRows(walk) &&
           walk.dims.back() * static_cast<int64_t>(op::TypeSize(call.computeDtype)) >= FMOD_BLOCK_BYTES;
}

// One axis over every element that the view reaches: tiling and launch would otherwise see the storage shape, which may
// be larger, or smaller, than what the kernel touches.
inline const aclTensor* FlatView(const aclTensor* tensor, aclOpExecutor* executor)
{
    op::Shape shape;
    shape.AppendDim(Extent(tensor));
    return executor->CreateView(tensor, shape, tensor->GetViewOffset());
}

inline aclnnStatus LaunchStrided(const FmodCall& call, const Walk& walk, aclOpExecutor* executor)
{
    const aclTensor* self = FlatView(call.self, executor);
    CHECK_RET(self != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* other = call.other == nullptr ? nullptr : FlatView(call.other, executor);
    CHECK_RET(call.other == nullptr || other != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* out = FlatView(call.out, executor);
    CHECK_RET(out != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const size_t rank = walk.dims.size();
    const l0op::FmodLayout layout{
        executor->AllocIntArray(walk.dims.data(), rank), executor->AllocIntArray(walk.x1.data(), rank),
        executor->AllocIntArray(walk.x2.data(), rank), executor->AllocIntArray(walk.y.data(), rank)};
    const aclTensor* result = l0op::Fmod(self, other, call.divisor, call.precisionMode, &layout, out, executor);
    CHECK_RET(result != nullptr, ACLNN_ERR_INNER_NULLPTR);
    return ACLNN_SUCCESS;
}

// A2 has no AI Core kernel that casts between INT16 and BF16; FLOAT holds every value of both.
inline const aclTensor* CastTo(const aclTensor* tensor, op::DataType dtype, aclOpExecutor* executor)
{
    const op::DataType from = tensor->GetDataType();
    const bool goesThroughFloat = (from == op::DataType::DT_INT16 && dtype == op::DataType::DT_BF16) ||
                                  (from == op::DataType::DT_BF16 && dtype == op::DataType::DT_INT16);
    if (goesThroughFloat) {
        tensor = l0op::Cast(tensor, op::DataType::DT_FLOAT, executor);
        CHECK_RET(tensor != nullptr, nullptr);
    }
    return l0op::Cast(tensor, dtype, executor);
}

// Contiguous, of the computed data type, and out of reach of the writes to out. The kernel reads a tensor where it lies
// and writes out where it lies if they are both already; otherwise it works on buffers of their own.
inline const aclTensor* ToKernelInput(const aclTensor* tensor, const FmodCall& call, aclOpExecutor* executor)
{
    const aclTensor* contiguous = l0op::Contiguous(tensor, executor);
    CHECK_RET(contiguous != nullptr, nullptr);
    const bool isInPlace = op::IsContiguous(tensor) && tensor->GetDataType() == call.computeDtype &&
                           op::IsContiguous(call.out) && call.out->GetDataType() == call.computeDtype;
    if (!isInPlace || !OverlapsPartly(tensor, call.out)) {
        return CastTo(contiguous, call.computeDtype, executor);
    }
    const aclTensor* copy = executor->AllocTensor(contiguous->GetViewShape(), contiguous->GetDataType());
    CHECK_RET(copy != nullptr && op::CopyNpuToNpu(contiguous, copy, executor) == ACLNN_SUCCESS, nullptr);
    return copy;
}

inline aclnnStatus LaunchContiguous(const FmodCall& call, aclOpExecutor* executor)
{
    const aclTensor* self = ToKernelInput(call.self, call, executor);
    CHECK_RET(self != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* other = call.other == nullptr ? nullptr : ToKernelInput(call.other, call, executor);
    CHECK_RET(call.other == nullptr || other != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* result = executor->AllocTensor(call.out->GetViewShape(), call.computeDtype);
    CHECK_RET(result != nullptr, ACLNN_ERR_INNER_NULLPTR);
    result = l0op::Fmod(self, other, call.divisor, call.precisionMode, nullptr, result, executor);
    CHECK_RET(result != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* cast = CastTo(result, call.out->GetDataType(), executor);
    CHECK_RET(cast != nullptr, ACLNN_ERR_INNER_NULLPTR);
    const aclTensor* copied = l0op::ViewCopy(cast, call.out, executor);
    CHECK_RET(copied != nullptr, ACLNN_ERR_INNER_NULLPTR);
    return ACLNN_SUCCESS;
}

// The end of every first phase.
inline aclnnStatus Launch(const FmodCall& call, UniqueExecutor& uniqueExecutor, uint64_t* workspaceSize,
                          aclOpExecutor** executor)
{
    if (!call.out->IsEmpty()) {
        const Walk walk = MergedWalk(call);
        const aclnnStatus ret = RunsStrided(call, walk) ? LaunchStrided(call, walk, uniqueExecutor.get()) :
                                                          LaunchContiguous(call, uniqueExecutor.get());
        CHECK_RET(ret == ACLNN_SUCCESS, ret);
    }
    *workspaceSize = uniqueExecutor->GetWorkspaceSize();
    uniqueExecutor.ReleaseTo(executor);
    return ACLNN_SUCCESS;
}
} // namespace FmodCommon
#endif // OP_API_INC_FMOD_INTERFACE_H_
