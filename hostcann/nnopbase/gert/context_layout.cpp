// The memory behind ComputeNodeInfo and RuntimeAttrs, and conversions into tiling data.
#include <cstring>

#include "base/runtime/runtime_attrs_def.h"
#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tiling_data.h"
#include "op_common/log/log.h"

namespace gert {
const void* RuntimeAttrs::GetPointerByIndex(size_t index) const
{
    const auto* header = reinterpret_cast<const RuntimeAttrsDef*>(&placeholder_);
    return index < header->attr_num ? reinterpret_cast<const uint8_t*>(header) + header->offset[index] : nullptr;
}

size_t RuntimeAttrs::GetAttrNum() const { return reinterpret_cast<const RuntimeAttrsDef*>(&placeholder_)->attr_num; }

// Order behind the header: input instances, input descs, output descs, attributes, output instances.
namespace {
uint8_t* Behind(const ComputeNodeInfo* info)
{
    return reinterpret_cast<uint8_t*>(const_cast<ComputeNodeInfo*>(info)) + sizeof(ComputeNodeInfo);
}
} // namespace

AnchorInstanceInfo* ComputeNodeInfo::MutableInputInstanceInfo(const size_t ir_index) const
{
    return ir_index < ir_inputs_num_ ? reinterpret_cast<AnchorInstanceInfo*>(Behind(this)) + ir_index : nullptr;
}

CompileTimeTensorDesc* ComputeNodeInfo::MutableInputTdInfo(const size_t index) const
{
    auto* descs = reinterpret_cast<CompileTimeTensorDesc*>(Behind(this) + ir_inputs_num_ * sizeof(AnchorInstanceInfo));
    return index < inputs_num_ ? descs + index : nullptr;
}

CompileTimeTensorDesc* ComputeNodeInfo::MutableOutputTdInfo(const size_t index) const
{
    auto* descs = reinterpret_cast<CompileTimeTensorDesc*>(Behind(this) + ir_inputs_num_ * sizeof(AnchorInstanceInfo));
    return index < outputs_num_ ? descs + inputs_num_ + index : nullptr;
}

RuntimeAttrs* ComputeNodeInfo::MutableAttrs() const
{
    return reinterpret_cast<RuntimeAttrs*>(Behind(this) + ir_inputs_num_ * sizeof(AnchorInstanceInfo) +
                                           (inputs_num_ + outputs_num_) * sizeof(CompileTimeTensorDesc));
}

AnchorInstanceInfo* ComputeNodeInfo::MutableOutputInstanceInfo(const size_t ir_index) const
{
    auto* instances = reinterpret_cast<AnchorInstanceInfo*>(reinterpret_cast<uint8_t*>(MutableAttrs()) +
                                                            runtime_attr_size_);
    return ir_index < ir_outputs_num_ ? instances + ir_index : nullptr;
}

ge::graphStatus ComputeNodeInfo::CalcSize(const size_t ir_inputs_num, const size_t ir_outputs_num,
                                          const size_t inputs_num, const size_t outputs_num, size_t& total_size)
{
    size_t instances = 0;
    size_t descs = 0;
    const bool overflow = __builtin_add_overflow(ir_inputs_num, ir_outputs_num, &instances) ||
                          __builtin_mul_overflow(instances, sizeof(AnchorInstanceInfo), &instances) ||
                          __builtin_add_overflow(inputs_num, outputs_num, &descs) ||
                          __builtin_mul_overflow(descs, sizeof(CompileTimeTensorDesc), &descs) ||
                          __builtin_add_overflow(sizeof(ComputeNodeInfo) + instances, descs, &total_size);
    return overflow ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS;
}

void ComputeNodeInfo::Init(const size_t ir_inputs_num, const size_t ir_outputs_num, const size_t inputs_num,
                           const size_t outputs_num, const size_t attr_size, const ge::char_t* node_name,
                           const ge::char_t* node_type)
{
    ir_inputs_num_ = ir_inputs_num;
    ir_outputs_num_ = ir_outputs_num;
    inputs_num_ = inputs_num;
    outputs_num_ = outputs_num;
    runtime_attr_size_ = attr_size;
    node_name_ = node_name;
    node_type_ = node_type;
}

ge::graphStatus TilingData::AppendConvertedAttrVal(const RuntimeAttrs* attrs, const size_t attr_index,
                                                   const AttrDataType src_type, const AttrDataType dst_type)
{
    const void* value = attrs == nullptr ? nullptr : attrs->GetAttrPointer<void>(attr_index);
    if (value == nullptr) {
        OP_LOGE("TilingData", "attribute %zu does not exist", attr_index);
        return ge::GRAPH_FAILED;
    }
    if (src_type == AttrDataType::kInt64 && dst_type == AttrDataType::kInt64) {
        return Append(*static_cast<const int64_t*>(value));
    }
    if (src_type == AttrDataType::kInt64 && dst_type == AttrDataType::kInt32) {
        return Append(static_cast<int32_t>(*static_cast<const int64_t*>(value)));
    }
    if (src_type == AttrDataType::kInt64 && dst_type == AttrDataType::kUint32) {
        return Append(static_cast<uint32_t>(*static_cast<const int64_t*>(value)));
    }
    if (src_type == AttrDataType::kFloat32 && dst_type == AttrDataType::kFloat32) {
        return Append(*static_cast<const float*>(value));
    }
    if (src_type == AttrDataType::kBool && dst_type == AttrDataType::kBool) {
        return Append(*static_cast<const bool*>(value));
    }
    OP_LOGE("TilingData", "attribute %zu: hostcann does not convert AttrDataType %d to %d", attr_index,
            static_cast<int>(src_type), static_cast<int>(dst_type));
    return ge::GRAPH_FAILED;
}
} // namespace gert
