// AI CPU launches: of the kernel that an installed package has in op_impl/cpu/aicpu_kernel/impl.
#ifndef HOSTCANN_OPDEV_AICPU_AICPU_TASK_H
#define HOSTCANN_OPDEV_AICPU_AICPU_TASK_H

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/types.h"
#include "opdev/fast_vector.h"
#include "opdev/make_op_executor.h"

namespace op {
namespace internal {

class AicpuTaskSpace {
public:
    explicit AicpuTaskSpace(const std::string& opType, const ge::UnknowShapeOpType shapes = ge::DEPEND_IN_SHAPE,
                            const bool = false)
        : opType_(opType), shapes_(shapes)
    {
    }
    const std::string& OpType() const { return opType_; }
    ge::UnknowShapeOpType OutputShapes() const { return shapes_; }
    void SetRef(const size_t, const bool = true) {}

private:
    const std::string opType_;
    const ge::UnknowShapeOpType shapes_;
};

aclnnStatus CreatAicpuKernelLauncher(uint32_t opType, AicpuTaskSpace& space, aclOpExecutor* executor,
                                     const FVector<std::string>& attrNames, op::OpArgContext* args);

} // namespace internal
} // namespace op

#define OP_ATTR_NAMES ::op::FVector<std::string>

// Needs `space` and `executor` in scope.
#define ADD_TO_LAUNCHER_LIST_AICPU(KERNEL_NAME, attrNames, opArgs...)                          \
    ({                                                                                         \
        const aclnnStatus addToLaunchStatus_ = op::internal::CreatAicpuKernelLauncher(         \
            KERNEL_NAME##OpTypeId(), space, executor, attrNames, op::GetOpArgContext(opArgs)); \
        addToLaunchStatus_;                                                                    \
    })

#endif // HOSTCANN_OPDEV_AICPU_AICPU_TASK_H
