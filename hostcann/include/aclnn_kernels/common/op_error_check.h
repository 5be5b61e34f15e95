// Parameter checks of L2 functions. Each reports a message naming the argument and then executes `retExpr`.
#ifndef HOSTCANN_ACLNN_KERNELS_COMMON_OP_ERROR_CHECK_H
#define HOSTCANN_ACLNN_KERNELS_COMMON_OP_ERROR_CHECK_H

#include <cxxabi.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"
#include "opdev/format_utils.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

template <typename T>
bool IsNullptr(const T* param, const char* name)
{
    if (param != nullptr) {
        return false;
    }
    int status = -1;
    char* type = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, &status);
    OP_LOGE(ACLNN_ERR_PARAM_NULLPTR, "argument [%s]: expected a non-null pointer to %s, got nullptr", name,
            type != nullptr ? type : "an object");
    std::free(type);
    return true;
}

static inline bool CheckDims(const aclTensor* tensor)
{
    const op::Shape& shape = tensor->GetViewShape();
    for (size_t i = 0; i < shape.GetDimNum(); i++) {
        if (shape.GetDim(i) > INT32_MAX) {
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, "tensor shape %s: expected every dim <= %d, got %lld in dim %zu",
                    op::ToString(shape).GetString(), INT32_MAX, static_cast<long long>(shape.GetDim(i)), i);
            return false;
        }
    }
    return true;
}

static inline bool CheckReduceOutShape(const aclTensor* inferOut, const aclTensor* out)
{
    const op::Shape& expected = inferOut->GetViewShape();
    const op::Shape& got = out->GetViewShape();
    if (expected == got || (expected.GetShapeSize() == 1 && got.GetShapeSize() == 1)) {
        return true;
    }
    OP_LOGE(ACLNN_ERR_PARAM_INVALID, "tensor [out]: expected shape %s, got %s", op::ToString(expected).GetString(),
            op::ToString(got).GetString());
    return false;
}

// Whether N and C of two images are the same; their storage format says where the dims lie.
static inline bool CheckNCDimValid(const aclTensor* self, const aclTensor* out)
{
    const op::Format format = self->GetStorageFormat();
    if (format != op::Format::FORMAT_NCHW && format != op::Format::FORMAT_NHWC) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "tensor [self]: expected storage format NCHW or NHWC, got %s",
                op::ToString(format).GetString());
        return false;
    }
    const op::Shape& image = self->GetViewShape();
    const op::Shape& result = out->GetViewShape();
    const size_t channel = format == op::Format::FORMAT_NCHW ? 1 : 3;
    if (image.GetDimNum() <= channel || result.GetDimNum() <= channel) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "tensors [self] and [out]: expected 4 dims, got shapes %s and %s",
                op::ToString(image).GetString(), op::ToString(result).GetString());
        return false;
    }
    if (image.GetDim(0) == result.GetDim(0) && image.GetDim(channel) == result.GetDim(channel)) {
        return true;
    }
    OP_LOGE(ACLNN_ERR_PARAM_INVALID,
            "tensors [self] and [out]: expected the same N and C (dims 0 and %zu), got shapes %s and %s", channel,
            op::ToString(image).GetString(), op::ToString(result).GetString());
    return false;
}

// A bare `if`, as in CANN: put it in braces when an else could follow.
#define OP_CHECK_NULL(param, retExpr) \
    if (IsNullptr(param, #param)) {   \
        retExpr;                      \
    }

#define HOSTCANN_REJECT_WHEN_(condition, retExpr, ...)     \
    do {                                                   \
        if (condition) {                                   \
            OP_LOGE(ACLNN_ERR_PARAM_INVALID, __VA_ARGS__); \
            retExpr;                                       \
        }                                                  \
    } while (0)

// CANN's macros call these helpers of opdev without their namespace: sources need a using directive or declarations.
#define OP_CHECK_DTYPE_NOT_SUPPORT(tensor, supportList, retExpr)                      \
    HOSTCANN_REJECT_WHEN_(!CheckType((tensor)->GetDataType(), supportList), retExpr,  \
                          "tensor [%s]: expected a data type in %s, got %s", #tensor, \
                          op::ToString(supportList).GetString(), op::ToString((tensor)->GetDataType()).GetString())

#define OP_CHECK_DTYPE_NOT_MATCH(tensor, expectedDtype, retExpr)                 \
    HOSTCANN_REJECT_WHEN_((tensor)->GetDataType() != (expectedDtype), retExpr,   \
                          "tensor [%s]: expected data type %s, got %s", #tensor, \
                          op::ToString(expectedDtype).GetString(), op::ToString((tensor)->GetDataType()).GetString())

#define OP_CHECK_DTYPE_NOT_SAME(tensor1, tensor2, retExpr)                                                    \
    HOSTCANN_REJECT_WHEN_((tensor1)->GetDataType() != (tensor2)->GetDataType(), retExpr,                      \
                          "tensors [%s] and [%s]: expected one data type, got %s and %s", #tensor1, #tensor2, \
                          op::ToString((tensor1)->GetDataType()).GetString(),                                 \
                          op::ToString((tensor2)->GetDataType()).GetString())

#define OP_CHECK_RESULT_DTYPE_CAST_FAILED(dtype, desiredDtype, retExpr)                                             \
    HOSTCANN_REJECT_WHEN_(!CanCast(dtype, desiredDtype), retExpr,                                                   \
                          "result type %s cannot be cast to the output's type %s", op::ToString(dtype).GetString(), \
                          op::ToString(desiredDtype).GetString())

#define OP_CHECK_BROADCAST(tensor1, tensor2, retExpr)                                                                 \
    HOSTCANN_REJECT_WHEN_(!CheckBroadcastShape((tensor1)->GetViewShape(), (tensor2)->GetViewShape()), retExpr,        \
                          "tensors [%s] and [%s]: expected shapes that broadcast, got %s and %s", #tensor1, #tensor2, \
                          op::ToString((tensor1)->GetViewShape()).GetString(),                                        \
                          op::ToString((tensor2)->GetViewShape()).GetString())

#define OP_CHECK_BROADCAST_WITH_SHAPE(tensor, shape, retExpr)                                       \
    HOSTCANN_REJECT_WHEN_(!CheckBroadcastShape((tensor)->GetViewShape(), shape), retExpr,           \
                          "tensor [%s]: expected a shape that broadcasts with %s, got %s", #tensor, \
                          op::ToString(shape).GetString(), op::ToString((tensor)->GetViewShape()).GetString())

#define OP_CHECK_BROADCAST_AND_INFER_SHAPE(tensor1, tensor2, retShape, retExpr)                                      \
    HOSTCANN_REJECT_WHEN_(!BroadcastInferShape((tensor1)->GetViewShape(), (tensor2)->GetViewShape(), retShape),      \
                          retExpr, "tensors [%s] and [%s]: expected shapes that broadcast, got %s and %s", #tensor1, \
                          #tensor2, op::ToString((tensor1)->GetViewShape()).GetString(),                             \
                          op::ToString((tensor2)->GetViewShape()).GetString())

#define OP_CHECK_SHAPE_NOT_EQUAL(tensor1, tensor2, retExpr)                                                  \
    HOSTCANN_REJECT_WHEN_((tensor1)->GetViewShape() != (tensor2)->GetViewShape(), retExpr,                   \
                          "tensors [%s] and [%s]: expected equal shapes, got %s and %s", #tensor1, #tensor2, \
                          op::ToString((tensor1)->GetViewShape()).GetString(),                               \
                          op::ToString((tensor2)->GetViewShape()).GetString())

// Two shapes of one element each are accepted whatever their ranks.
#define OP_CHECK_SHAPE_AND_SCALAR_EQUAL(tensor1, tensor2, retExpr)                                             \
    HOSTCANN_REJECT_WHEN_(                                                                                     \
        (tensor1)->GetViewShape() != (tensor2)->GetViewShape() &&                                              \
            !((tensor1)->GetViewShape().GetShapeSize() == 1 && (tensor2)->GetViewShape().GetShapeSize() == 1), \
        retExpr, "tensors [%s] and [%s]: expected equal shapes, got %s and %s", #tensor1, #tensor2,            \
        op::ToString((tensor1)->GetViewShape()).GetString(), op::ToString((tensor2)->GetViewShape()).GetString())

#define OP_CHECK_SHAPE_NOT_EQUAL_WITH_EXPECTED_SIZE(tensor, shape, retExpr)                                       \
    HOSTCANN_REJECT_WHEN_((tensor)->GetViewShape() != (shape), retExpr, "tensor [%s]: expected shape %s, got %s", \
                          #tensor, op::ToString(shape).GetString(),                                               \
                          op::ToString((tensor)->GetViewShape()).GetString())

#define OP_CHECK_WRONG_DIMENSION(tensor, expectedDimNum, retExpr)                                               \
    HOSTCANN_REJECT_WHEN_((tensor)->GetViewShape().GetDimNum() != static_cast<size_t>(expectedDimNum), retExpr, \
                          "tensor [%s]: expected %zu dims, got shape %s", #tensor,                              \
                          static_cast<size_t>(expectedDimNum), op::ToString((tensor)->GetViewShape()).GetString())

#define OP_CHECK_MAX_DIM(tensor, maxDim, retExpr)                                                      \
    HOSTCANN_REJECT_WHEN_((tensor)->GetViewShape().GetDimNum() > static_cast<size_t>(maxDim), retExpr, \
                          "tensor [%s]: expected at most %zu dims, got %zu, shape %s", #tensor,        \
                          static_cast<size_t>(maxDim), (tensor)->GetViewShape().GetDimNum(),           \
                          op::ToString((tensor)->GetViewShape()).GetString())

#define OP_CHECK_MIN_DIM(tensor, minDim, retExpr)                                                      \
    HOSTCANN_REJECT_WHEN_((tensor)->GetViewShape().GetDimNum() < static_cast<size_t>(minDim), retExpr, \
                          "tensor [%s]: expected at least %zu dims, got %zu, shape %s", #tensor,       \
                          static_cast<size_t>(minDim), (tensor)->GetViewShape().GetDimNum(),           \
                          op::ToString((tensor)->GetViewShape()).GetString())

#define OP_CHECK_TENSORLIST_SIZE_EQUAL(tensorlist1, tensorlist2, retExpr)                                        \
    HOSTCANN_REJECT_WHEN_((tensorlist1)->Size() != (tensorlist2)->Size(), retExpr,                               \
                          "tensor lists [%s] and [%s]: expected equal lengths, got %llu and %llu", #tensorlist1, \
                          #tensorlist2, static_cast<unsigned long long>((tensorlist1)->Size()),                  \
                          static_cast<unsigned long long>((tensorlist2)->Size()))

#define OP_CHECK_COMM_INPUT(workspaceSize, executor)                                                      \
    do {                                                                                                  \
        if ((workspaceSize) == nullptr || (executor) == nullptr) {                                        \
            OP_LOGE(ACLNN_ERR_PARAM_NULLPTR,                                                              \
                    "arguments [workspaceSize] and [executor]: expected non-null pointers, got nullptr"); \
            return ACLNN_ERR_PARAM_NULLPTR;                                                               \
        }                                                                                                 \
    } while (0)

// These two act when `cond` is true, unlike OP_CHECK.
#define OP_CHECK_ADD_TO_LAUNCHER_LIST_AICORE(cond, retExpr, ...)            \
    do {                                                                    \
        if (cond) {                                                         \
            OP_LOGE(ACLNN_ERR_INNER_STATIC_WORKSPACE_INVALID, __VA_ARGS__); \
            retExpr;                                                        \
        }                                                                   \
    } while (0)

#define OP_CHECK_INFERSHAPE(cond, retExpr, ...)                     \
    do {                                                            \
        if (cond) {                                                 \
            OP_LOGE(ACLNN_ERR_INNER_INFERSHAPE_ERROR, __VA_ARGS__); \
            retExpr;                                                \
        }                                                           \
    } while (0)

#endif // HOSTCANN_ACLNN_KERNELS_COMMON_OP_ERROR_CHECK_H
