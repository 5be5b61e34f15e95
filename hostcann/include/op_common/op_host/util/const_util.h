#ifndef HOSTCANN_OP_COMMON_UTIL_CONST_UTIL_H
#define HOSTCANN_OP_COMMON_UTIL_CONST_UTIL_H

#include <type_traits>

#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "op_common/log/log.h"

namespace Ops {
namespace Base {
// Calls take(pointer to the values) with the tensor's own integer type. false when the values are not on the host or
// the type is none of int32, int64, uint32, uint64.
template <typename ContextType, typename Take>
bool WithConstInts(const ContextType* context, int64_t inputIdx, const char* caller, Take take)
{
    using Context = typename std::remove_const<ContextType>::type;
    static_assert(
        std::is_same<Context, gert::InferShapeContext>::value || std::is_same<Context, gert::TilingContext>::value,
        "context is a gert::InferShapeContext or a gert::TilingContext");
    OP_CHECK_IF(context == nullptr, OP_LOGE(caller, "context is nullptr"), return false);
    const gert::Tensor* tensor = context->GetInputTensor(static_cast<size_t>(inputIdx));
    OP_CHECK_IF(tensor == nullptr, OP_LOGE(caller, "there is no input tensor %ld", static_cast<long>(inputIdx)),
                return false);
    OP_CHECK_IF(tensor->GetAddr() == nullptr || tensor->GetSize() == 0,
                OP_LOGE(caller, "the values of input %ld are not on the host: mark it ValueDepend",
                        static_cast<long>(inputIdx)),
                return false);
    switch (tensor->GetDataType()) {
        case ge::DT_INT32:
            return take(tensor->GetData<int32_t>(), *tensor);
        case ge::DT_INT64:
            return take(tensor->GetData<int64_t>(), *tensor);
        case ge::DT_UINT32:
            return take(tensor->GetData<uint32_t>(), *tensor);
        case ge::DT_UINT64:
            return take(tensor->GetData<uint64_t>(), *tensor);
        default:
            OP_LOGW(context->GetNodeName(), "%s takes int32, int64, uint32 and uint64, input %ld is %s", caller,
                    static_cast<long>(inputIdx), ToString(tensor->GetDataType()).c_str());
            return false;
    }
}

// The first value of a constant integer input.
template <typename ContextType, typename T>
bool GetConstInt(const ContextType* context, int64_t inputIdx, T& value)
{
    return WithConstInts(context, inputIdx, "GetConstInt", [&value](const auto* values, const gert::Tensor&) {
        value = static_cast<T>(values[0]);
        return true;
    });
}

// The values of a tensor on the host, T each, as dims.
template <typename T>
bool GetValueToShape(const gert::Tensor* constTensor, gert::Shape& shape)
{
    const T* values = constTensor->GetData<T>();
    OP_CHECK_IF(values == nullptr,
                OP_LOGE("GetValueToShape",
                        "the values are not on the host: mark the input "
                        "ValueDepend"),
                return false);
    shape.SetDimNum(0);
    for (int64_t i = 0; i < constTensor->GetShapeSize(); ++i) {
        (void)shape.AppendDim(static_cast<int64_t>(values[i]));
    }
    return true;
}

// The values of a constant integer input as dims.
template <typename ContextType>
bool GetConstIntToShape(const ContextType* context, int64_t inputIdx, gert::Shape& shape)
{
    return WithConstInts(context, inputIdx, "GetConstIntToShape",
                         [&shape](const auto* values, const gert::Tensor& tensor) {
                             shape.SetDimNum(0);
                             for (int64_t i = 0; i < tensor.GetShapeSize(); ++i) {
                                 (void)shape.AppendDim(static_cast<int64_t>(values[i]));
                             }
                             return true;
                         });
}
} // namespace Base
} // namespace Ops

#endif
