#ifndef HOSTCANN_BASE_CONTEXT_BUILDER_OP_INFER_DATATYPE_CONTEXT_BUILDER_H
#define HOSTCANN_BASE_CONTEXT_BUILDER_OP_INFER_DATATYPE_CONTEXT_BUILDER_H

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/infer_datatype_context.h"

namespace gert {
class OpInferDataTypeContextBuilder : public OpContextBuilderBase<OpInferDataTypeContextBuilder> {
public:
    OpInferDataTypeContextBuilder();
    ~OpInferDataTypeContextBuilder() override;
    OpInferDataTypeContextBuilder& InputTensorDesc(size_t index, ge::DataType dtype, ge::Format origin_format,
                                                   ge::Format storage_format,
                                                   const gert::ExpandDimsType& expand_dims_type = {});
    OpInferDataTypeContextBuilder& OutputTensorDesc(size_t index, ge::Format origin_format, ge::Format storage_format,
                                                    const gert::ExpandDimsType& expand_dims_type = {});
    ContextHolder<InferDataTypeContext> Build();
};
} // namespace gert

#endif
