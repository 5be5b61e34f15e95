#ifndef HOSTCANN_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H
#define HOSTCANN_EXE_GRAPH_INFER_DATATYPE_CONTEXT_H

#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "graph/types.h"

namespace gert {
// Getters give DT_UNDEFINED where there is no such tensor.
class InferDataTypeContext : public ExtendedKernelContext {
public:
    ge::DataType GetInputDataType(const size_t index) const { return ValueOf(GetInputPointer<ge::DataType>(index)); }
    ge::DataType GetOptionalInputDataType(const size_t ir_index) const { return GetDynamicInputDataType(ir_index, 0U); }
    ge::DataType GetDynamicInputDataType(const size_t ir_index, const size_t relative_index) const
    {
        return ValueOf(GetDynamicInputPointer<ge::DataType>(ir_index, relative_index));
    }
    ge::DataType GetRequiredInputDataType(const size_t ir_index) const { return GetDynamicInputDataType(ir_index, 0U); }
    ge::DataType GetOutputDataType(const size_t index) const { return ValueOf(GetOutputPointer<ge::DataType>(index)); }
    ge::graphStatus SetOutputDataType(const size_t index, const ge::DataType datatype)
    {
        auto* slot = GetOutputPointer<ge::DataType>(index);
        if (slot == nullptr) {
            return ge::GRAPH_FAILED;
        }
        *slot = datatype;
        return ge::GRAPH_SUCCESS;
    }

private:
    static ge::DataType ValueOf(const ge::DataType* slot) { return slot == nullptr ? ge::DT_UNDEFINED : *slot; }
};
static_assert(std::is_standard_layout<InferDataTypeContext>::value, "a context is a KernelRunContext");
} // namespace gert

#endif
