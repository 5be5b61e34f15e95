// What the context builders collect and what they leave behind.
#ifndef HOSTCANN_NNOPBASE_GERT_CONTEXT_BUILDER_IMPL_H
#define HOSTCANN_NNOPBASE_GERT_CONTEXT_BUILDER_IMPL_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/context_builder/context_holder.h"
#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/kernel_context.h"
#include "exe_graph/runtime/shape.h"
#include "graph/types.h"

namespace gert {
// A value for one slot. Without a deleter the pointer is the caller's.
struct SlotValue {
    void* pointer = nullptr;
    Chain::Deleter deleter = nullptr;
};

class ContextHolderImpl {
public:
    ContextHolderImpl() = default;
    ~ContextHolderImpl();
    ContextHolderImpl(const ContextHolderImpl&) = delete;
    ContextHolderImpl& operator=(const ContextHolderImpl&) = delete;

    std::string op_name, op_type;
    // Words, not bytes: everything in these buffers is 8-byte aligned.
    std::vector<uint64_t> node_info, context;
    std::vector<Chain> slots;
};

class ContextHolderBuilder {
public:
    static ContextHolderVoid Hold(std::unique_ptr<ContextHolderImpl> impl);
};

class ContextBuilderImpl {
public:
    std::string op_type, op_name;
    bool io_num_set = false;
    std::vector<uint32_t> input_instances, output_instances;
    // By instance; grown when a builder names an index.
    std::vector<CompileTimeTensorDesc> input_descs, output_descs;
    // Each attribute as the bytes it has in the context.
    std::vector<std::vector<uint64_t>> attrs;

    std::vector<SlotValue> inputs, outputs;
    const void* compile_info = nullptr;
    const void* platform_info = nullptr;
    const void* workspace = nullptr;
    const void* simt_block_dim = nullptr;
    const void* simt_grid_dim = nullptr;
    const char* compiled_json = nullptr;
    int32_t deterministic = 0;
    int32_t deterministic_level = 0;
    SlotValue tiling_data;
    bool failed = false;

    size_t InputNum() const;
    size_t OutputNum() const;
    void SetDesc(std::vector<CompileTimeTensorDesc>& descs, size_t index, ge::DataType dtype, ge::Format origin_format,
                 ge::Format storage_format, const ExpandDimsType& expand_dims_type);
    // Descs and slots of tensors that are there; what: "input" or "output" for messages.
    void SetTensors(std::vector<CompileTimeTensorDesc>& descs, std::vector<SlotValue>& slots, const char* what,
                    const std::vector<class Tensor*>& tensors);
    void AppendBytes(const void* bytes, size_t size);

    // An empty holder (context nullptr) and an error log when the node is not described completely.
    std::unique_ptr<ContextHolderImpl> Build(const std::vector<SlotValue>& input_slots,
                                             const std::vector<SlotValue>& output_slots);

private:
    bool Check() const;
    std::vector<uint64_t> AttrBlock() const;
    void MakeNodeInfo(ContextHolderImpl& holder) const;
};
} // namespace gert

#endif
