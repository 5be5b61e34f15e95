// What an AI CPU kernel is called with.
#ifndef HOSTCANN_AICPU_CPU_CONTEXT_H
#define HOSTCANN_AICPU_CPU_CONTEXT_H

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cpu_attr_value.h"
#include "cpu_tensor.h"
#include "cpu_types.h"

namespace aicpu {

class NodeDef;

class AICPU_VISIBILITY CpuKernelContext {
    friend class CpuKernelUtils;

public:
    explicit CpuKernelContext(DeviceType) {}
    CpuKernelContext(const CpuKernelContext&) = delete;
    CpuKernelContext& operator=(const CpuKernelContext&) = delete;

    // What a unit test runs its kernel with.
    uint32_t Init(NodeDef* node);
    std::string GetOpType() const { return opType_; }
    // Null for an index out of range; an absent optional input is a tensor without data.
    Tensor* Input(uint32_t index) const { return index < inputs_.size() ? inputs_[index].get() : nullptr; }
    Tensor* Output(uint32_t index) const { return index < outputs_.size() ? outputs_[index].get() : nullptr; }
    // Null when the launch does not have it.
    AttrValue* GetAttr(std::string name) const;
    uint32_t GetInputsSize() const { return static_cast<uint32_t>(inputs_.size()); }
    uint32_t GetOutputsSize() const { return static_cast<uint32_t>(outputs_.size()); }

private:
    std::string opType_;
    std::vector<std::shared_ptr<Tensor>> inputs_;
    std::vector<std::shared_ptr<Tensor>> outputs_;
    std::unordered_map<std::string, std::shared_ptr<AttrValue>> attrs_;
};

} // namespace aicpu

#endif // HOSTCANN_AICPU_CPU_CONTEXT_H
