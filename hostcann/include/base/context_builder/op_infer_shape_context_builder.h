#ifndef HOSTCANN_BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_CONTEXT_BUILDER_H
#define HOSTCANN_BASE_CONTEXT_BUILDER_OP_INFER_SHAPE_CONTEXT_BUILDER_H

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/infer_shape_context.h"

namespace gert {
// Output shapes live in the context and start empty.
class OpInferShapeContextBuilder : public OpContextBuilderBase<OpInferShapeContextBuilder> {
public:
    OpInferShapeContextBuilder();
    ~OpInferShapeContextBuilder() override;
    OpInferShapeContextBuilder& OutputTensorDesc(size_t index, ge::DataType dtype, ge::Format origin_format,
                                                 ge::Format storage_format,
                                                 const gert::ExpandDimsType& expand_dims_type = {});
    OpInferShapeContextBuilder& InputTensors(const std::vector<gert::Tensor*>& inputs);
    ContextHolder<InferShapeContext> Build();
};
} // namespace gert

#endif
