// An operator with its tensors and attributes, as unit tests of AI CPU kernels write it down.
#ifndef HOSTCANN_AICPU_CPU_NODE_DEF_H
#define HOSTCANN_AICPU_CPU_NODE_DEF_H

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu_attr_value.h"
#include "cpu_tensor.h"

namespace aicpu {

class AICPU_VISIBILITY NodeDef {
    friend class CpuKernelUtils;

public:
    NodeDef(const NodeDef&) = delete;
    NodeDef& operator=(const NodeDef&) = delete;

    void SetOpType(const std::string& op) { opType_ = op; }
    std::string GetOpType() const { return opType_; }
    std::shared_ptr<Tensor> AddInputs();
    std::shared_ptr<Tensor> AddOutputs();
    // Copies the value; false for a null pointer and for a name that is there.
    bool AddAttrs(const std::string& name, const AttrValue* attr);
    // Null for an index out of range.
    std::shared_ptr<Tensor> MutableInputs(int32_t index) const;
    std::shared_ptr<Tensor> MutableOutputs(int32_t index) const;
    std::unordered_map<std::string, std::shared_ptr<AttrValue>> Attrs() const { return attrs_; }
    int32_t InputsSize() const { return static_cast<int32_t>(inputs_.size()); }
    int32_t OutputsSize() const { return static_cast<int32_t>(outputs_.size()); }
    // For people: op type, data types and shapes. There is no way back.
    bool SerializeToString(std::string& str) const;

private:
    NodeDef() = default;

    std::string opType_;
    std::vector<std::shared_ptr<Tensor>> inputs_;
    std::vector<std::shared_ptr<Tensor>> outputs_;
    std::unordered_map<std::string, std::shared_ptr<AttrValue>> attrs_;
};

} // namespace aicpu

#endif // HOSTCANN_AICPU_CPU_NODE_DEF_H
