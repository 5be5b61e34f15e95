#ifndef HOSTCANN_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H
#define HOSTCANN_EXE_GRAPH_EXTENDED_KERNEL_CONTEXT_H

#include <type_traits>

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/context_extend.h"
#include "exe_graph/runtime/kernel_context.h"
#include "exe_graph/runtime/runtime_attrs.h"

namespace gert {
// What every operator function can ask about its node. An "ir index" counts the inputs of the op definition, an "index"
// the tensors that are really there.
class ExtendedKernelContext : protected KernelContext {
public:
    const CompileTimeTensorDesc* GetInputDesc(const size_t index) const
    {
        const auto* info = GetComputeNodeInfo();
        return info == nullptr ? nullptr : info->GetInputTdInfo(index);
    }
    const CompileTimeTensorDesc* GetOptionalInputDesc(const size_t ir_index) const
    {
        return GetDynamicInputDesc(ir_index, 0U);
    }
    const CompileTimeTensorDesc* GetRequiredInputDesc(const size_t ir_index) const
    {
        return GetDynamicInputDesc(ir_index, 0U);
    }
    const CompileTimeTensorDesc* GetDynamicInputDesc(const size_t ir_index, const size_t relative_index) const
    {
        const auto* instance = GetIrInputInstanceInfo(ir_index);
        return instance == nullptr || relative_index >= instance->GetInstanceNum() ?
                   nullptr :
                   GetInputDesc(instance->GetInstanceStart() + relative_index);
    }
    const CompileTimeTensorDesc* GetOutputDesc(const size_t index) const
    {
        const auto* info = GetComputeNodeInfo();
        return info == nullptr ? nullptr : info->GetOutputTdInfo(index);
    }
    const AnchorInstanceInfo* GetIrInputInstanceInfo(const size_t ir_index) const
    {
        const auto* info = GetComputeNodeInfo();
        return info == nullptr ? nullptr : info->GetInputInstanceInfo(ir_index);
    }
    const AnchorInstanceInfo* GetIrOutputInstanceInfo(const size_t ir_index) const
    {
        const auto* info = GetComputeNodeInfo();
        return info == nullptr ? nullptr : info->GetOutputInstanceInfo(ir_index);
    }
    size_t GetComputeNodeInputNum() const
    {
        const auto* info = GetComputeNodeInfo();
        return info == nullptr ? 0U : info->GetInputsNum();
    }
    size_t GetComputeNodeOutputNum() const
    {
        const auto* info = GetComputeNodeInfo();
        return info == nullptr ? 0U : info->GetOutputsNum();
    }
    const RuntimeAttrs* GetAttrs() const
    {
        const auto* info = GetComputeNodeInfo();
        return info == nullptr ? nullptr : info->GetAttrs();
    }
    const ge::char_t* GetNodeType() const
    {
        const auto* info = GetComputeNodeInfo();
        return info == nullptr ? nullptr : info->GetNodeType();
    }
    const ge::char_t* GetNodeName() const
    {
        const auto* info = GetComputeNodeInfo();
        return info == nullptr ? nullptr : info->GetNodeName();
    }
    const ComputeNodeInfo* GetComputeNodeInfo() const
    {
        return static_cast<const ComputeNodeInfo*>(GetComputeNodeExtend());
    }
    const ge::char_t* GetKernelName() const
    {
        const auto* info = GetExtendInfo();
        return info == nullptr ? nullptr : info->GetKernelName();
    }
    const ge::char_t* GetKernelType() const
    {
        const auto* info = GetExtendInfo();
        return info == nullptr ? nullptr : info->GetKernelType();
    }
    const KernelExtendInfo* GetExtendInfo() const { return static_cast<const KernelExtendInfo*>(GetKernelExtend()); }

protected:
    template <typename T, size_t Offset = 0>
    const T* GetDynamicInputPointer(size_t ir_index, size_t relative_ins_index) const
    {
        const auto* instance = GetIrInputInstanceInfo(ir_index);
        return instance == nullptr || relative_ins_index >= instance->GetInstanceNum() ?
                   nullptr :
                   GetInputPointer<T>(Offset + instance->GetInstanceStart() + relative_ins_index);
    }
    template <typename T, size_t Offset = 0>
    const T* GetDynamicOutputPointer(size_t ir_index, size_t relative_ins_index) const
    {
        const auto* instance = GetIrOutputInstanceInfo(ir_index);
        return instance == nullptr || relative_ins_index >= instance->GetInstanceNum() ?
                   nullptr :
                   GetOutputPointer<T>(Offset + instance->GetInstanceStart() + relative_ins_index);
    }
};
static_assert(std::is_standard_layout<ExtendedKernelContext>::value, "a context is a KernelRunContext");
} // namespace gert

#endif
