// l0op functions of the built-in package whose nodes run on the host.
#include <string>

#include "builtin_ops.h"
#include "hostcann/l0_functions.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

namespace {

const aclTensor* LaunchInto(const aclTensor* out, const char* type, const std::vector<const aclTensor*>& inputs,
                            aclOpExecutor* executor)
{
    if (out == nullptr || out->IsEmpty()) {
        return out;
    }
    const op::OpArgList none;
    op::internal::OpCall call;
    call.opType = type;
    call.name = type;
    call.attrs = &none;
    for (const aclTensor* input : inputs) {
        call.inputs.push_back(op::internal::TensorArg(input));
    }
    call.outputs.push_back(op::internal::TensorArg(out));
    return op::internal::LaunchOp(call, executor) == ACLNN_SUCCESS ? out : nullptr;
}

const aclTensor* Launch(const char* type, const std::vector<const aclTensor*>& inputs, const op::Shape& shape,
                        aclOpExecutor* executor)
{
    return LaunchInto(executor->AllocTensor(shape, inputs[0]->GetDataType(), inputs[0]->GetStorageFormat()), type,
                      inputs, executor);
}

bool AnyNull(const char* type, const aclTensor* a, const aclTensor* b, const aclOpExecutor* executor)
{
    if (a != nullptr && b != nullptr && executor != nullptr) {
        return false;
    }
    OP_LOGE(ACLNN_ERR_INNER_NULLPTR, "%s: an argument is nullptr, expected objects", type);
    return true;
}

bool Broadcast(const char* type, const aclTensor* self, const aclTensor* other, const aclOpExecutor* executor,
               op::Shape& shape)
{
    if (AnyNull(type, self, other, executor)) {
        return false;
    }
    if (!op::BroadcastInferShape(self->GetViewShape(), other->GetViewShape(), shape)) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "%s: %s and %s do not broadcast", type,
                op::ToString(self->GetViewShape()).GetString(), op::ToString(other->GetViewShape()).GetString());
        return false;
    }
    return true;
}

const aclTensor* LaunchBinary(const char* type, const aclTensor* self, const aclTensor* other, aclOpExecutor* executor)
{
    op::Shape shape;
    return Broadcast(type, self, other, executor, shape) ? Launch(type, {self, other}, shape, executor) : nullptr;
}

const aclTensor* LaunchFilled(const char* type, const aclTensor* self, aclOpExecutor* executor)
{
    return AnyNull(type, self, self, executor) ? nullptr : Launch(type, {self}, self->GetViewShape(), executor);
}

} // namespace

namespace l0op {

const aclTensor* Add(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor)
{
    return LaunchBinary("Add", self, other, executor);
}

const aclTensor* AddInplace(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor)
{
    op::Shape shape;
    if (!Broadcast("AddInplace", self, other, executor, shape)) {
        return nullptr;
    }
    if (shape != other->GetViewShape()) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "AddInplace: the sum has the shape %s, which `other` with %s does not hold",
                op::ToString(shape).GetString(), op::ToString(other->GetViewShape()).GetString());
        return nullptr;
    }
    return LaunchInto(other, "Add", {self, other}, executor);
}

const aclTensor* Sub(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor)
{
    return LaunchBinary("Sub", self, other, executor);
}

const aclTensor* Mul(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor)
{
    return LaunchBinary("Mul", self, other, executor);
}

const aclTensor* Maximum(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor)
{
    return LaunchBinary("Maximum", self, other, executor);
}

const aclTensor* Minimum(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor)
{
    return LaunchBinary("Minimum", self, other, executor);
}

const aclTensor* LogicalAnd(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor)
{
    return LaunchBinary("LogicalAnd", self, other, executor);
}

const aclTensor* LogicalOr(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor)
{
    return LaunchBinary("LogicalOr", self, other, executor);
}

const aclTensor* ZerosLike(const aclTensor* self, aclOpExecutor* executor)
{
    return LaunchFilled("ZerosLike", self, executor);
}

const aclTensor* OnesLike(const aclTensor* self, aclOpExecutor* executor)
{
    return LaunchFilled("OnesLike", self, executor);
}

} // namespace l0op
