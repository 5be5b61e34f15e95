#ifndef HOSTCANN_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H
#define HOSTCANN_EXE_GRAPH_INFER_SHAPE_RANGE_CONTEXT_H

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/range.h"
#include "exe_graph/runtime/runtime_tensor.h"
#include "exe_graph/runtime/shape.h"

namespace gert {
using TensorRange = Range<Tensor>;

class InferShapeRangeContext : public ExtendedKernelContext {
public:
    const Range<Shape>* GetInputShapeRange(const size_t index) const { return GetInputPointer<Range<Shape>>(index); }
    const TensorRange* GetInputTensorRange(const size_t index) const { return GetInputPointer<TensorRange>(index); }
    const TensorRange* GetOptionalInputTensorRange(const size_t ir_index) const
    {
        return GetDynamicInputPointer<TensorRange>(ir_index, 0U);
    }
    const Range<Shape>* GetOptionalInputShapeRange(const size_t ir_index) const
    {
        return GetDynamicInputPointer<Range<Shape>>(ir_index, 0U);
    }
    const Range<Shape>* GetRequiredInputShapeRange(const size_t ir_index) const
    {
        return GetDynamicInputPointer<Range<Shape>>(ir_index, 0U);
    }
    const TensorRange* GetRequiredInputTensorRange(const size_t ir_index) const
    {
        return GetDynamicInputPointer<TensorRange>(ir_index, 0U);
    }
    const TensorRange* GetDynamicInputTensorRange(const size_t ir_index, const size_t relative_index) const
    {
        return GetDynamicInputPointer<TensorRange>(ir_index, relative_index);
    }
    const Range<Shape>* GetDynamicInputShapeRange(const size_t ir_index, const size_t relative_index) const
    {
        return GetDynamicInputPointer<Range<Shape>>(ir_index, relative_index);
    }
    Range<Shape>* GetOutputShapeRange(const size_t index) { return GetOutputPointer<Range<Shape>>(index); }
};
static_assert(std::is_standard_layout<InferShapeRangeContext>::value, "a context is a KernelRunContext");
} // namespace gert

#endif
