#include "reversed_bits.h"

#include "opdev/aicpu/aicpu_task.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_def.h"
#include "opdev/op_dfx.h"

namespace l0op {
OP_TYPE_REGISTER(ReversedBits);

const aclTensor* ReversedBits(const aclTensor* x, const aclTensor* out, aclOpExecutor* executor)
{
    L0_DFX(ReversedBits, x, out);
    static op::internal::AicpuTaskSpace space("ReversedBits");
    const aclnnStatus status = ADD_TO_LAUNCHER_LIST_AICPU(ReversedBits, OP_ATTR_NAMES({}), OP_INPUT(x), OP_OUTPUT(out));
    return status == ACLNN_SUCCESS ? out : nullptr;
}
} // namespace l0op
