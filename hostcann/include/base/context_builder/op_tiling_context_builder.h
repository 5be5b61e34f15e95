#ifndef HOSTCANN_BASE_CONTEXT_BUILDER_OP_TILING_CONTEXT_BUILDER_H
#define HOSTCANN_BASE_CONTEXT_BUILDER_OP_TILING_CONTEXT_BUILDER_H

#include <vector>

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/tiling_context.h"

namespace gert {
class OpTilingContextBuilder : public OpContextBuilderBase<OpTilingContextBuilder> {
public:
    OpTilingContextBuilder();
    ~OpTilingContextBuilder() override;
    OpTilingContextBuilder& CompileInfo(const void* compile_info);   // mandatory
    OpTilingContextBuilder& PlatformInfo(const void* platform_info); // mandatory
    OpTilingContextBuilder& Deterministic(int32_t deterministic);
    OpTilingContextBuilder& DeterministicLevel(int32_t deterministic_level);
    OpTilingContextBuilder& TilingData(const gert::TilingData* tiling_data, gert::Chain::Deleter deleter = nullptr);
    // Tiling data owned by the context, filled with 0xA5: a tiling function must assign what it uses.
    OpTilingContextBuilder& TilingDataSize(size_t tiling_data_size);
    OpTilingContextBuilder& Workspace(const gert::ContinuousVector* workspace);
    OpTilingContextBuilder& SimtBlockDim(const gert::Dim3* block_dim);
    OpTilingContextBuilder& SimtGridDim(const gert::Dim3* grid_dim);
    // The tensors that are there, in order; a TensorV2 is recognised by its version.
    OpTilingContextBuilder& InputTensors(const std::vector<gert::Tensor*>& inputs);
    OpTilingContextBuilder& OutputTensors(const std::vector<gert::Tensor*>& outputs);
    ContextHolder<TilingContext> Build();
};
} // namespace gert

#endif
