#ifndef HOSTCANN_BASE_CONTEXT_BUILDER_OP_KERNEL_RUN_CONTEXT_BUILDER_H
#define HOSTCANN_BASE_CONTEXT_BUILDER_OP_KERNEL_RUN_CONTEXT_BUILDER_H

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/kernel_context.h"

namespace gert {
class OpKernelContextBuilder : public OpContextBuilderBase<OpKernelContextBuilder> {
public:
    OpKernelContextBuilder();
    ~OpKernelContextBuilder() override;
    OpKernelContextBuilder& InputTensorDesc(size_t index, ge::DataType dtype, ge::Format origin_format,
                                            ge::Format storage_format,
                                            const gert::ExpandDimsType& expand_dims_type = {});
    OpKernelContextBuilder& OutputTensorDesc(size_t index, ge::DataType dtype, ge::Format origin_format,
                                             ge::Format storage_format,
                                             const gert::ExpandDimsType& expand_dims_type = {});
    OpKernelContextBuilder& Inputs(std::vector<void*> inputs);
    OpKernelContextBuilder& Outputs(std::vector<void*> outputs);
    ContextHolder<KernelContext> Build();
};
} // namespace gert

#endif
