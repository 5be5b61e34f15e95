#include "checked_scale.h"

#include "opdev/aicpu/aicpu_task.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_def.h"
#include "opdev/op_dfx.h"

namespace l0op {
OP_TYPE_REGISTER(CheckedScale);

const aclTensor* CheckedScale(const aclTensor* x, int64_t factor, const aclTensor* out, const aclTensor* overflows,
                              aclOpExecutor* executor)
{
    L0_DFX(CheckedScale, x, factor, out, overflows);
    aclnnStatus status = ACLNN_SUCCESS;
    if (x->GetDataType() == op::DataType::DT_FLOAT) {
        status = ADD_TO_LAUNCHER_LIST_AICORE(CheckedScale, OP_INPUT(x), OP_OUTPUT(out), OP_ATTR(factor));
    } else {
        static op::internal::AicpuTaskSpace space("CheckedScale");
        status = ADD_TO_LAUNCHER_LIST_AICPU(CheckedScale, OP_ATTR_NAMES({"factor"}), OP_INPUT(x),
                                            OP_OUTPUT(out, overflows), OP_ATTR(factor));
    }
    return status == ACLNN_SUCCESS ? out : nullptr;
}
} // namespace l0op
