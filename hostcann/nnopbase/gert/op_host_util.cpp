// Ops::Base helpers of opbase: shapes, infershape, tiling. Rules from the pages of op_common/op_host.
#include <algorithm>

#include "op_common/log/log.h"
#include "op_common/op_host/infershape_broadcast_util.h"
#include "op_common/op_host/infershape_elewise_util.h"
#include "op_common/op_host/infershape_reduce_util.h"
#include "op_common/op_host/tiling_base_util.h"
#include "op_common/op_host/util/math_util.h"
#include "op_common/op_host/util/shape_util.h"
#include "tiling/platform/platform_ascendc.h"

namespace Ops {
namespace Base {
namespace {
constexpr int64_t kUnknownDim = -1;
constexpr int64_t kUnknownRank = -2;

// One dim of a broadcast; false when a and b do not fit. 1 gives way to anything, then -1 to anything.
bool BroadcastDim(int64_t a, int64_t b, int64_t& out)
{
    if (a == b || b == 1) {
        out = a;
    } else if (a == 1 || a == kUnknownDim) {
        out = b;
    } else if (b == kUnknownDim) {
        out = a;
    } else {
        return false;
    }
    return true;
}

template <typename Context>
bool IsRegbase(const Context* context)
{
    const NpuArch arch = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCurNpuArch();
    return arch == NpuArch::DAV_3510 || arch == NpuArch::DAV_5102;
}
} // namespace

uint64_t LastPow2(uint64_t n) { return n == 0 ? 1 : uint64_t{1} << (63 - __builtin_clzll(n)); }

void SetUnknownRank(gert::Shape& shape)
{
    shape.SetDimNum(0);
    (void)shape.AppendDim(kUnknownRank);
}

bool IsUnknownRank(const gert::Shape& shape) { return shape.GetDimNum() == 1 && shape.GetDim(0) == kUnknownRank; }

void SetUnknownShape(int64_t rank, gert::Shape& shape)
{
    OP_CHECK_IF(
        rank < 0 || rank > static_cast<int64_t>(gert::Shape::kMaxDimNum),
        OP_LOGE("SetUnknownShape", "rank %ld is not in 0..%zu", static_cast<long>(rank), gert::Shape::kMaxDimNum),
        return);
    shape.SetDimNum(0);
    for (int64_t i = 0; i < rank; ++i) {
        (void)shape.AppendDim(kUnknownDim);
    }
}

bool IsUnknownShape(const gert::Shape& shape)
{
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        if (shape.GetDim(i) == kUnknownDim) {
            return true;
        }
    }
    return false;
}

bool BroadcastShape(const gert::Shape* in1Shape, const gert::Shape* in2Shape, gert::Shape* outShape)
{
    const gert::Shape a = *in1Shape;
    const gert::Shape b = *in2Shape;
    if (IsUnknownRank(a) || IsUnknownRank(b)) {
        SetUnknownRank(*outShape);
        return true;
    }
    const size_t rank = std::max(a.GetDimNum(), b.GetDimNum());
    outShape->SetDimNum(rank);
    // Counted from the last dim; a missing dim is 1.
    for (size_t back = 1; back <= rank; ++back) {
        const int64_t dimA = back <= a.GetDimNum() ? a.GetDim(a.GetDimNum() - back) : 1;
        const int64_t dimB = back <= b.GetDimNum() ? b.GetDim(b.GetDimNum() - back) : 1;
        int64_t dim = 0;
        OP_CHECK_IF(!BroadcastDim(dimA, dimB, dim),
                    OP_LOGE("BroadcastShape", "%s and %s do not broadcast: %ld against %ld", ToString(a).c_str(),
                            ToString(b).c_str(), static_cast<long>(dimA), static_cast<long>(dimB)),
                    return false);
        outShape->SetDim(rank - back, dim);
    }
    return true;
}

bool BroadcastShape(const std::vector<const gert::Shape*>& inShapes, gert::Shape* outShape)
{
    OP_CHECK_IF(inShapes.empty(), OP_LOGE("BroadcastShape", "there are no shapes to broadcast"), return false);
    *outShape = *inShapes.front();
    return std::all_of(inShapes.begin() + 1, inShapes.end(),
                       [outShape](const gert::Shape* shape) { return BroadcastShape(outShape, shape, outShape); });
}

ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context) { return InferShape4Broadcast(context, 2U); }

ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context, size_t inputNum)
{
    std::vector<const gert::Shape*> inputs(inputNum);
    for (size_t i = 0; i < inputNum; ++i) {
        inputs[i] = context->GetInputShape(i);
        OP_CHECK_NULL_WITH_CONTEXT(context, inputs[i]);
    }
    gert::Shape* output = context->GetOutputShape(0);
    OP_CHECK_NULL_WITH_CONTEXT(context, output);
    return BroadcastShape(inputs, output) ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}

ge::graphStatus InferShape4Elewise(gert::InferShapeContext* context)
{
    const gert::Shape* input = context->GetInputShape(0);
    OP_CHECK_NULL_WITH_CONTEXT(context, input);
    gert::Shape* output = context->GetOutputShape(0);
    OP_CHECK_NULL_WITH_CONTEXT(context, output);
    *output = *input;
    return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShape4Reduce(gert::InferShapeContext* context)
{
    const gert::Shape* input = context->GetInputShape(0);
    OP_CHECK_NULL_WITH_CONTEXT(context, input);
    const gert::Tensor* axes = context->GetInputTensor(1);
    OP_CHECK_NULL_WITH_CONTEXT(context, axes);
    gert::Shape* output = context->GetOutputShape(0);
    OP_CHECK_NULL_WITH_CONTEXT(context, output);
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    OP_CHECK_NULL_WITH_CONTEXT(context, attrs);
    const bool* keepDims = attrs->GetAttrPointer<bool>(0);
    OP_CHECK_NULL_WITH_CONTEXT(context, keepDims);
    const int64_t count = axes->GetShapeSize();
    OP_CHECK_IF(count < 0, OP_LOGE(context, "the axes have the size %ld", static_cast<long>(count)),
                return ge::GRAPH_FAILED);
    if (count == 0) {
        *output = *input;
        return ge::GRAPH_SUCCESS;
    }
    switch (axes->GetDataType()) {
        case ge::DT_INT32:
            return ReduceDims<int32_t>(input, axes, static_cast<int32_t>(count), *keepDims, output);
        case ge::DT_INT64:
            return ReduceDims<int64_t>(input, axes, static_cast<int32_t>(count), *keepDims, output);
        default:
            OP_LOGE(context, "axes are int32 or int64, not %s", ToString(axes->GetDataType()).c_str());
            return ge::GRAPH_FAILED;
    }
}

bool IsRegbaseSocVersion(const gert::TilingParseContext* context) { return IsRegbase(context); }
bool IsRegbaseSocVersion(const gert::TilingContext* context) { return IsRegbase(context); }

const gert::Shape& EnsureNotScalar(const gert::Shape& inShape)
{
    static const gert::Shape kOne{1};
    return inShape.IsScalar() ? kOne : inShape;
}
} // namespace Base
} // namespace Ops
