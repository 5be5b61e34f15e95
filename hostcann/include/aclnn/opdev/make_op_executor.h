#ifndef HOSTCANN_OPDEV_MAKE_OP_EXECUTOR_H
#define HOSTCANN_OPDEV_MAKE_OP_EXECUTOR_H

#include <set>

#include "opdev/op_arg_def.h"
#include "opdev/op_executor.h"
#include "opdev/platform.h"

// CANN's header does this too, and published op sources rely on it.
using namespace std;

#define CREATE_EXECUTOR() UniqueExecutor(__func__)

// Runs the op type's infershape function and sets the shapes of the outputs.
#define INFER_SHAPE(KERNEL_NAME, op_args...)                                                                    \
    ({                                                                                                          \
        op::OpArgContext* opArgContext_ = op::GetOpArgContext(op_args);                                         \
        aclnnStatus inferShapeStatus_ = ACLNN_ERR_PARAM_NULLPTR;                                                \
        if (opArgContext_ != nullptr) {                                                                         \
            inferShapeStatus_ = InferShape(KERNEL_NAME##OpTypeId(), *opArgContext_->GetOpArg(op::OP_INPUT_ARG), \
                                           *opArgContext_->GetOpArg(op::OP_OUTPUT_ARG),                         \
                                           *opArgContext_->GetOpArg(op::OP_ATTR_ARG));                          \
            op::DestroyOpArgContext(opArgContext_);                                                             \
        }                                                                                                       \
        inferShapeStatus_;                                                                                      \
    })

// Needs `executor` in scope. Finds the kernel and runs its tiling function at once.
#define ADD_TO_LAUNCHER_LIST_AICORE(KERNEL_NAME, op_args...)                                                      \
    ({                                                                                                            \
        const aclnnStatus addToLaunchStatus_ = CreatAiCoreKernelLauncher(#KERNEL_NAME, KERNEL_NAME##OpTypeId(),   \
                                                                         executor, op::GetOpArgContext(op_args)); \
        addToLaunchStatus_;                                                                                       \
    })

#endif // HOSTCANN_OPDEV_MAKE_OP_EXECUTOR_H
