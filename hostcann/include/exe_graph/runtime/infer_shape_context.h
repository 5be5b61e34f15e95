#ifndef HOSTCANN_EXE_GRAPH_INFER_SHAPE_CONTEXT_H
#define HOSTCANN_EXE_GRAPH_INFER_SHAPE_CONTEXT_H

#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/runtime_tensor.h"
#include "exe_graph/runtime/shape.h"

namespace gert {
enum class InputExternLayout : uint32_t { kInferShapeFunc = 1, kInferenceContext = 2 };

// Shapes are origin shapes: a tensor's first member is its origin shape.
class InferShapeContext : public ExtendedKernelContext {
public:
    const Shape* GetInputShape(const size_t index) const { return GetInputPointer<Shape>(index); }
    const Tensor* GetInputTensor(const size_t index) const { return GetInputPointer<Tensor>(index); }
    const Tensor* GetOptionalInputTensor(const size_t ir_index) const
    {
        return GetDynamicInputPointer<Tensor>(ir_index, 0U);
    }
    const Shape* GetOptionalInputShape(const size_t ir_index) const
    {
        return GetDynamicInputPointer<Shape>(ir_index, 0U);
    }
    const Shape* GetDynamicInputShape(const size_t ir_index, const size_t relative_index) const
    {
        return GetDynamicInputPointer<Shape>(ir_index, relative_index);
    }
    const Tensor* GetDynamicInputTensor(const size_t ir_index, const size_t relative_index) const
    {
        return GetDynamicInputPointer<Tensor>(ir_index, relative_index);
    }
    const Tensor* GetRequiredInputTensor(const size_t ir_index) const
    {
        return GetDynamicInputPointer<Tensor>(ir_index, 0U);
    }
    const Shape* GetRequiredInputShape(const size_t ir_index) const
    {
        return GetDynamicInputPointer<Shape>(ir_index, 0U);
    }
    Shape* GetOutputShape(const size_t index) { return GetOutputPointer<Shape>(index); }
};
static_assert(std::is_standard_layout<InferShapeContext>::value, "a context is a KernelRunContext");
} // namespace gert

#endif
