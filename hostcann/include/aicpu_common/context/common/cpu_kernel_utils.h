// Work on several CPUs, and making what kernels are called with.
#ifndef HOSTCANN_AICPU_CPU_KERNEL_UTILS_H
#define HOSTCANN_AICPU_CPU_KERNEL_UTILS_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cpu_attr_value.h"
#include "cpu_context.h"
#include "cpu_node_def.h"
#include "cpu_tensor.h"

namespace aicpu {

class AICPU_VISIBILITY CpuKernelUtils {
public:
    static std::shared_ptr<Tensor> CreateTensor();
    static std::shared_ptr<TensorShape> CreateTensorShape();
    static std::shared_ptr<AttrValue> CreateAttrValue();
    static std::shared_ptr<NodeDef> CreateNodeDef();
    // Empty unless somebody gave it one: the tensors of a launch have none.
    static std::string GetTensorName(const Tensor* tensor) { return tensor == nullptr ? "" : tensor->name_; }
    static void SetTensorName(const std::string& name, std::shared_ptr<Tensor>& tensor) { tensor->name_ = name; }
    // Calls work(from, to) for parts of [0, total) of at least perUnitSize elements, the last one excepted. Here the
    // parts run one after the other.
    static uint32_t ParallelFor(const CpuKernelContext& ctx, int64_t total, int64_t perUnitSize,
                                const std::function<void(int64_t, int64_t)>& work);
    static uint32_t GetCPUNum(const CpuKernelContext& ctx);

    // For whoever launches kernels.
    static std::shared_ptr<AttrValue> Copy(const AttrValue& value);
    static void SetOpType(CpuKernelContext* ctx, const std::string& opType) { ctx->opType_ = opType; }
    static void AddInput(CpuKernelContext* ctx, const std::shared_ptr<Tensor>& tensor);
    static void AddOutput(CpuKernelContext* ctx, const std::shared_ptr<Tensor>& tensor);
    static void AddAttr(CpuKernelContext* ctx, const std::string& name, const std::shared_ptr<AttrValue>& value);
};

} // namespace aicpu

#endif // HOSTCANN_AICPU_CPU_KERNEL_UTILS_H
