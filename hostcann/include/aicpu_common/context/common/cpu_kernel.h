// The interface of an AI CPU kernel, and how its library makes it known.
#ifndef HOSTCANN_AICPU_CPU_KERNEL_H
#define HOSTCANN_AICPU_CPU_KERNEL_H

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "cpu_context.h"

namespace aicpu {

class AICPU_VISIBILITY CpuKernel {
public:
    virtual ~CpuKernel() = default;
    // 0 (KERNEL_STATUS_OK), or what the stream fails with.
    virtual uint32_t Compute(CpuKernelContext& ctx) = 0;
};

using KERNEL_CREATOR_FUN = std::function<std::shared_ptr<CpuKernel>(void)>;

// The first kernel of an op type stays.
AICPU_VISIBILITY bool RegistCpuKernel(const std::string& type, const KERNEL_CREATOR_FUN& fun);

template <typename T, typename... Args>
std::shared_ptr<T> MakeShared(Args&&... args)
{
    return std::shared_ptr<T>(new (std::nothrow) std::remove_const_t<T>(std::forward<Args>(args)...));
}

} // namespace aicpu

// `type`: a constant with the op type's name, whose own name makes the names here.
#define REGISTER_CPU_KERNEL(type, clazz)                                                              \
    std::shared_ptr<aicpu::CpuKernel> Creator_##type##_Kernel() { return std::make_shared<clazz>(); } \
    bool g_##type##_Kernel_Creator __attribute__((unused)) = aicpu::RegistCpuKernel(type, Creator_##type##_Kernel)

#endif // HOSTCANN_AICPU_CPU_KERNEL_H
