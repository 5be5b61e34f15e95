#ifndef HOSTCANN_EXE_GRAPH_COMPUTE_NODE_INFO_H
#define HOSTCANN_EXE_GRAPH_COMPUTE_NODE_INFO_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/storage_format.h"
#include "graph/error_codes.h"
#include "graph/types.h"

namespace gert {
// Which instances belong to one input or output of the op definition: 0 for an absent optional, n for a dynamic one.
class AnchorInstanceInfo {
public:
    AnchorInstanceInfo() : AnchorInstanceInfo(0U, 0U) {}
    AnchorInstanceInfo(const uint32_t instance_start, const uint32_t instantiation_num)
        : instance_start_(instance_start), instantiation_num_(instantiation_num), reserved_{}
    {
    }
    size_t GetInstanceNum() const { return instantiation_num_; }
    size_t GetInstanceStart() const { return instance_start_; }
    void SetInstanceStart(const uint32_t instance_start) { instance_start_ = instance_start; }
    void SetInstantiationNum(const uint32_t instantiation_num) { instantiation_num_ = instantiation_num; }

private:
    uint32_t instance_start_;
    uint32_t instantiation_num_;
    uint8_t reserved_[40];
};
static_assert(std::is_standard_layout<AnchorInstanceInfo>::value, "part of ComputeNodeInfo's layout");

class CompileTimeTensorDesc {
public:
    CompileTimeTensorDesc() : data_type_(ge::DT_FLOAT), extend_{}, reserved_{} {}
    ge::DataType GetDataType() const { return data_type_; }
    const StorageFormat& GetFormat() const { return storage_format_; }
    ge::Format GetOriginFormat() const { return storage_format_.GetOriginFormat(); }
    ge::Format GetStorageFormat() const { return storage_format_.GetStorageFormat(); }
    ExpandDimsType GetExpandDimsType() const { return storage_format_.GetExpandDimsType(); }
    void SetDataType(const ge::DataType data_type) { data_type_ = data_type; }
    void SetStorageFormat(const ge::Format format) { storage_format_.SetStorageFormat(format); }
    void SetOriginFormat(const ge::Format format) { storage_format_.SetOriginFormat(format); }
    void SetExpandDimsType(const ExpandDimsType& expand_dims_type)
    {
        storage_format_.SetExpandDimsType(expand_dims_type);
    }
    void SetExist(bool is_exist) { extend_.not_exist = is_exist ? 0U : 1U; }
    bool IsExist() const { return extend_.not_exist == 0U; }

private:
    struct Extend {
        uint8_t not_exist : 1;
        uint8_t reserved : 7;
    };
    ge::DataType data_type_;
    StorageFormat storage_format_;
    Extend extend_;
    uint8_t reserved_[39];
};
static_assert(std::is_standard_layout<CompileTimeTensorDesc>::value, "part of ComputeNodeInfo's layout");
static_assert(sizeof(CompileTimeTensorDesc) == 144, "size of gert::CompileTimeTensorDesc on a real toolkit");

// Behind this header lie: instance infos of the inputs, descs of the inputs, descs of the outputs, the attributes,
// instance infos of the outputs.
class ComputeNodeInfo {
public:
    const ge::char_t* GetNodeType() const { return node_type_; }
    const ge::char_t* GetNodeName() const { return node_name_; }
    size_t GetIrInputsNum() const { return ir_inputs_num_; }
    size_t GetIrOutputsNum() const { return ir_outputs_num_; }
    size_t GetInputsNum() const { return inputs_num_; }
    size_t GetOutputsNum() const { return outputs_num_; }
    const AnchorInstanceInfo* GetInputInstanceInfo(const size_t ir_index) const
    {
        return MutableInputInstanceInfo(ir_index);
    }
    const AnchorInstanceInfo* GetOutputInstanceInfo(const size_t ir_index) const
    {
        return MutableOutputInstanceInfo(ir_index);
    }
    const CompileTimeTensorDesc* GetInputTdInfo(const size_t index) const { return MutableInputTdInfo(index); }
    const CompileTimeTensorDesc* GetOutputTdInfo(const size_t index) const { return MutableOutputTdInfo(index); }
    const RuntimeAttrs* GetAttrs() const { return MutableAttrs(); }

    void SetNodeType(const ge::char_t* node_type) { node_type_ = node_type; }
    void SetNodeName(const ge::char_t* node_name) { node_name_ = node_name; }
    AnchorInstanceInfo* MutableInputInstanceInfo(const size_t ir_index) const;
    AnchorInstanceInfo* MutableOutputInstanceInfo(const size_t ir_index) const;
    CompileTimeTensorDesc* MutableInputTdInfo(const size_t index) const;
    CompileTimeTensorDesc* MutableOutputTdInfo(const size_t index) const;
    RuntimeAttrs* MutableAttrs() const;

    // Bytes without the attributes.
    static ge::graphStatus CalcSize(const size_t ir_inputs_num, const size_t ir_outputs_num, const size_t inputs_num,
                                    const size_t outputs_num, size_t& total_size);
    void Init(const size_t ir_inputs_num, const size_t ir_outputs_num, const size_t inputs_num,
              const size_t outputs_num, const size_t attr_size, const ge::char_t* node_name,
              const ge::char_t* node_type);

    ComputeNodeInfo() = delete;
    ComputeNodeInfo(const ComputeNodeInfo&) = delete;
    ComputeNodeInfo(ComputeNodeInfo&&) = delete;
    ComputeNodeInfo& operator=(const ComputeNodeInfo&) = delete;
    ComputeNodeInfo& operator=(ComputeNodeInfo&&) = delete;

private:
    const ge::char_t* node_type_;
    const ge::char_t* node_name_;
    size_t ir_inputs_num_;
    size_t inputs_num_;
    size_t outputs_num_;
    size_t ir_outputs_num_;
    size_t runtime_attr_size_;
    uint8_t reserved_[24];
    uint64_t place_holder;
};
static_assert(std::is_standard_layout<ComputeNodeInfo>::value, "contexts address ComputeNodeInfo by its layout");
static_assert(sizeof(ComputeNodeInfo) == 88, "size of gert::ComputeNodeInfo on a real toolkit");
} // namespace gert

#endif
