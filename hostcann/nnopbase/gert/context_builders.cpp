// The builders of the single contexts: which value stands in which slot.
#include <cstring>
#include <utility>

#include "base/context_builder/op_infer_datatype_context_builder.h"
#include "base/context_builder/op_infer_shape_context_builder.h"
#include "base/context_builder/op_kernel_run_context_builder.h"
#include "base/context_builder/op_tiling_context_builder.h"
#include "base/context_builder/op_tiling_parse_context_builder.h"
#include "context_builder_impl.h"
#include "op_common/log/log.h"

namespace gert {
namespace {
// Values up to pointer size live in the slot itself.
SlotValue InSlot(int64_t value)
{
    SlotValue slot;
    (void)std::memcpy(&slot.pointer, &value, sizeof(slot.pointer));
    return slot;
}

SlotValue Borrowed(const void* pointer) { return {const_cast<void*>(pointer), nullptr}; }
} // namespace

OpTilingContextBuilder::OpTilingContextBuilder() = default;
OpTilingContextBuilder::~OpTilingContextBuilder()
{
    if (impl_->tiling_data.deleter != nullptr) {
        impl_->tiling_data.deleter(impl_->tiling_data.pointer);
    }
}

OpTilingContextBuilder& OpTilingContextBuilder::CompileInfo(const void* compile_info)
{
    impl_->compile_info = compile_info;
    return *this;
}
OpTilingContextBuilder& OpTilingContextBuilder::PlatformInfo(const void* platform_info)
{
    impl_->platform_info = platform_info;
    return *this;
}
OpTilingContextBuilder& OpTilingContextBuilder::Deterministic(int32_t deterministic)
{
    if (deterministic != 0 && deterministic != 1) {
        OP_LOGE(impl_->op_name, "Deterministic is %d, expected 0 or 1", deterministic);
        return *this;
    }
    impl_->deterministic = deterministic;
    return *this;
}
OpTilingContextBuilder& OpTilingContextBuilder::DeterministicLevel(int32_t deterministic_level)
{
    if (deterministic_level < 0 || deterministic_level > 3) {
        OP_LOGE(impl_->op_name, "DeterministicLevel is %d, expected 0 to 3", deterministic_level);
        return *this;
    }
    impl_->deterministic_level = deterministic_level;
    return *this;
}

OpTilingContextBuilder& OpTilingContextBuilder::TilingData(const gert::TilingData* tiling_data,
                                                           gert::Chain::Deleter deleter)
{
    if (impl_->tiling_data.deleter != nullptr) {
        impl_->tiling_data.deleter(impl_->tiling_data.pointer);
    }
    impl_->tiling_data = {const_cast<gert::TilingData*>(tiling_data), deleter};
    return *this;
}

OpTilingContextBuilder& OpTilingContextBuilder::TilingDataSize(size_t tiling_data_size)
{
    auto buffer = gert::TilingData::CreateCap(tiling_data_size);
    if (buffer == nullptr) {
        OP_LOGE(impl_->op_name, "no memory for %zu bytes of tiling data", tiling_data_size);
        impl_->failed = true;
        return *this;
    }
    auto* data = reinterpret_cast<gert::TilingData*>(buffer.release());
    constexpr int kDirty = 0xA5;
    (void)std::memset(data->GetData(), kDirty, tiling_data_size);
    return TilingData(data, [](void* held) { delete[] static_cast<uint8_t*>(held); });
}

OpTilingContextBuilder& OpTilingContextBuilder::Workspace(const gert::ContinuousVector* workspace)
{
    impl_->workspace = workspace;
    return *this;
}
OpTilingContextBuilder& OpTilingContextBuilder::SimtBlockDim(const gert::Dim3* block_dim)
{
    impl_->simt_block_dim = block_dim;
    return *this;
}
OpTilingContextBuilder& OpTilingContextBuilder::SimtGridDim(const gert::Dim3* grid_dim)
{
    impl_->simt_grid_dim = grid_dim;
    return *this;
}
OpTilingContextBuilder& OpTilingContextBuilder::InputTensors(const std::vector<gert::Tensor*>& inputs)
{
    impl_->SetTensors(impl_->input_descs, impl_->inputs, "input", inputs);
    return *this;
}
OpTilingContextBuilder& OpTilingContextBuilder::OutputTensors(const std::vector<gert::Tensor*>& outputs)
{
    impl_->SetTensors(impl_->output_descs, impl_->outputs, "output", outputs);
    return *this;
}

ContextHolder<TilingContext> OpTilingContextBuilder::Build()
{
    if (impl_->compile_info == nullptr || impl_->platform_info == nullptr) {
        OP_LOGE(impl_->op_name, "tiling context: %s was not given",
                impl_->compile_info == nullptr ? "CompileInfo" : "PlatformInfo");
        impl_->failed = true;
    }
    if (impl_->inputs.size() != impl_->InputNum() || impl_->outputs.size() != impl_->OutputNum()) {
        OP_LOGE(impl_->op_name,
                "tiling context: %zu input and %zu output tensors given, IONum/IOInstanceNum say %zu and "
                "%zu",
                impl_->inputs.size(), impl_->outputs.size(), impl_->InputNum(), impl_->OutputNum());
        impl_->failed = true;
    }
    std::vector<SlotValue> inputs = impl_->inputs;
    inputs.insert(inputs.end(), impl_->outputs.begin(), impl_->outputs.end());
    inputs.push_back(Borrowed(impl_->compile_info));
    inputs.push_back(Borrowed(impl_->platform_info));
    inputs.push_back({});
    inputs.push_back(InSlot(impl_->deterministic));
    inputs.push_back(InSlot(impl_->deterministic_level));

    std::vector<SlotValue> outputs(TilingContext::kOutputNum);
    outputs[TilingContext::kOutputTilingData] = std::exchange(impl_->tiling_data, {});
    outputs[TilingContext::kOutputWorkspace] = Borrowed(impl_->workspace);
    outputs[TilingContext::kOutputSimtBlockDim] = Borrowed(impl_->simt_block_dim);
    outputs[TilingContext::kOutputSimtGridDim] = Borrowed(impl_->simt_grid_dim);
    return ContextHolder<TilingContext>(ContextHolderBuilder::Hold(impl_->Build(inputs, outputs)));
}

OpTilingParseContextBuilder::OpTilingParseContextBuilder() = default;
OpTilingParseContextBuilder::~OpTilingParseContextBuilder() = default;
OpTilingParseContextBuilder& OpTilingParseContextBuilder::InputTensorDesc(size_t index, ge::DataType dtype,
                                                                          ge::Format origin_format,
                                                                          ge::Format storage_format,
                                                                          const gert::ExpandDimsType& expand_dims_type)
{
    impl_->SetDesc(impl_->input_descs, index, dtype, origin_format, storage_format, expand_dims_type);
    return *this;
}
OpTilingParseContextBuilder& OpTilingParseContextBuilder::OutputTensorDesc(size_t index, ge::DataType dtype,
                                                                           ge::Format origin_format,
                                                                           ge::Format storage_format,
                                                                           const gert::ExpandDimsType& expand_dims_type)
{
    impl_->SetDesc(impl_->output_descs, index, dtype, origin_format, storage_format, expand_dims_type);
    return *this;
}
OpTilingParseContextBuilder& OpTilingParseContextBuilder::CompiledJson(const ge::char_t* compiled_json)
{
    impl_->compiled_json = compiled_json;
    return *this;
}
OpTilingParseContextBuilder& OpTilingParseContextBuilder::CompiledInfo(const void* compile_info)
{
    impl_->compile_info = compile_info;
    return *this;
}
OpTilingParseContextBuilder& OpTilingParseContextBuilder::PlatformInfo(const void* platform_info)
{
    impl_->platform_info = platform_info;
    return *this;
}
ContextHolder<TilingParseContext> OpTilingParseContextBuilder::Build()
{
    const std::vector<SlotValue> inputs = {Borrowed(impl_->compiled_json), Borrowed(impl_->platform_info)};
    const std::vector<SlotValue> outputs = {Borrowed(impl_->compile_info)};
    return ContextHolder<TilingParseContext>(ContextHolderBuilder::Hold(impl_->Build(inputs, outputs)));
}

OpInferShapeContextBuilder::OpInferShapeContextBuilder() = default;
OpInferShapeContextBuilder::~OpInferShapeContextBuilder() = default;
OpInferShapeContextBuilder& OpInferShapeContextBuilder::OutputTensorDesc(size_t index, ge::DataType dtype,
                                                                         ge::Format origin_format,
                                                                         ge::Format storage_format,
                                                                         const gert::ExpandDimsType& expand_dims_type)
{
    impl_->SetDesc(impl_->output_descs, index, dtype, origin_format, storage_format, expand_dims_type);
    return *this;
}
OpInferShapeContextBuilder& OpInferShapeContextBuilder::InputTensors(const std::vector<gert::Tensor*>& inputs)
{
    impl_->SetTensors(impl_->input_descs, impl_->inputs, "input", inputs);
    return *this;
}
ContextHolder<InferShapeContext> OpInferShapeContextBuilder::Build()
{
    if (impl_->inputs.size() != impl_->InputNum()) {
        OP_LOGE(impl_->op_name, "infer shape context: %zu input tensors given, IONum/IOInstanceNum say %zu",
                impl_->inputs.size(), impl_->InputNum());
        impl_->failed = true;
    }
    // A StorageShape per output: upstream callers read both shapes, a function sees the origin shape.
    std::vector<SlotValue> outputs(impl_->OutputNum());
    for (SlotValue& slot : outputs) {
        slot = {new StorageShape(), [](void* held) { delete static_cast<StorageShape*>(held); }};
    }
    return ContextHolder<InferShapeContext>(ContextHolderBuilder::Hold(impl_->Build(impl_->inputs, outputs)));
}

OpInferDataTypeContextBuilder::OpInferDataTypeContextBuilder() = default;
OpInferDataTypeContextBuilder::~OpInferDataTypeContextBuilder() = default;
OpInferDataTypeContextBuilder& OpInferDataTypeContextBuilder::InputTensorDesc(
    size_t index, ge::DataType dtype, ge::Format origin_format, ge::Format storage_format,
    const gert::ExpandDimsType& expand_dims_type)
{
    impl_->SetDesc(impl_->input_descs, index, dtype, origin_format, storage_format, expand_dims_type);
    return *this;
}
OpInferDataTypeContextBuilder& OpInferDataTypeContextBuilder::OutputTensorDesc(
    size_t index, ge::Format origin_format, ge::Format storage_format, const gert::ExpandDimsType& expand_dims_type)
{
    impl_->SetDesc(impl_->output_descs, index, ge::DT_UNDEFINED, origin_format, storage_format, expand_dims_type);
    return *this;
}
ContextHolder<InferDataTypeContext> OpInferDataTypeContextBuilder::Build()
{
    std::vector<SlotValue> inputs;
    for (size_t i = 0; i < impl_->InputNum(); ++i) {
        inputs.push_back(
            InSlot(i < impl_->input_descs.size() ? impl_->input_descs[i].GetDataType() : ge::DT_UNDEFINED));
    }
    const std::vector<SlotValue> outputs(impl_->OutputNum(), InSlot(ge::DT_UNDEFINED));
    return ContextHolder<InferDataTypeContext>(ContextHolderBuilder::Hold(impl_->Build(inputs, outputs)));
}

OpKernelContextBuilder::OpKernelContextBuilder() = default;
OpKernelContextBuilder::~OpKernelContextBuilder() = default;
OpKernelContextBuilder& OpKernelContextBuilder::InputTensorDesc(size_t index, ge::DataType dtype,
                                                                ge::Format origin_format, ge::Format storage_format,
                                                                const gert::ExpandDimsType& expand_dims_type)
{
    impl_->SetDesc(impl_->input_descs, index, dtype, origin_format, storage_format, expand_dims_type);
    return *this;
}
OpKernelContextBuilder& OpKernelContextBuilder::OutputTensorDesc(size_t index, ge::DataType dtype,
                                                                 ge::Format origin_format, ge::Format storage_format,
                                                                 const gert::ExpandDimsType& expand_dims_type)
{
    impl_->SetDesc(impl_->output_descs, index, dtype, origin_format, storage_format, expand_dims_type);
    return *this;
}
OpKernelContextBuilder& OpKernelContextBuilder::Inputs(std::vector<void*> inputs)
{
    impl_->inputs.clear();
    for (void* input : inputs) {
        impl_->inputs.push_back({input, nullptr});
    }
    return *this;
}
OpKernelContextBuilder& OpKernelContextBuilder::Outputs(std::vector<void*> outputs)
{
    impl_->outputs.clear();
    for (void* output : outputs) {
        impl_->outputs.push_back({output, nullptr});
    }
    return *this;
}
ContextHolder<KernelContext> OpKernelContextBuilder::Build()
{
    return ContextHolder<KernelContext>(ContextHolderBuilder::Hold(impl_->Build(impl_->inputs, impl_->outputs)));
}
} // namespace gert
