// The operator ascend_fmod and its gradient.
//   forward:  out = x - trunc(x / y) * y, by aclnnFmodTensor of the installed package
//   gradient: dx = dout, dy = -dout * trunc(x / y), each summed over the axes along which the input was repeated
#include "acl_call.h"
#include "broadcast.h"

#include "aclnn_fmod_tensor.h"
#include "aclnn_fmod_tensor_v2.h"

namespace ascend_fmod {
namespace {

constexpr char kOp[] = "ascend_fmod";
// precision_mode: what the package was built with, or aclnnFmodTensorV2's own values.
constexpr int kDefault = -1;
constexpr int kExact = 1;

void CheckDtypes(const paddle::Tensor& x, const paddle::Tensor& y)
{
    // InferDtype is not asked in dynamic graphs, and may not fail in static ones.
    if (x.dtype() != y.dtype()) {
        acl_call::Refuse(
            acl_call::Text(kOp, ": x and y must have the same data type, got ", x.dtype(), " and ", y.dtype()));
    }
}

std::vector<paddle::Tensor> Forward(const paddle::Tensor& x, const paddle::Tensor& y, int precision_mode)
{
    CheckDtypes(x, y);
    if (precision_mode < kDefault || precision_mode > kExact) {
        acl_call::Refuse(acl_call::Text(
            kOp, ": precision_mode must be -1 (the package's default), 0 (tbe) or 1 (exact), got ", precision_mode));
    }
    const aclDataType dtype = acl_call::DtypeOf(x, kOp, "x");
    const std::vector<int64_t> shape = BroadcastShape(x.shape(), y.shape());
    acl_call::Place place(kOp, {{"x", &x}, {"y", &y}});
    paddle::Tensor out = paddle::empty(shape, x.dtype(), place.Where());
    const acl_call::AclTensor acl_x = place.Input(x, dtype);
    const acl_call::AclTensor acl_y = place.Input(y, dtype);
    const acl_call::AclTensor acl_out = place.Output(&out, dtype);

    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    if (precision_mode == kDefault) {
        acl_call::Check(aclnnFmodTensorGetWorkspaceSize(acl_x.get(), acl_y.get(), acl_out.get(), &bytes, &executor),
                        "aclnnFmodTensorGetWorkspaceSize");
        acl_call::Check(aclnnFmodTensor(place.Workspace(bytes), bytes, executor, place.Stream()), "aclnnFmodTensor");
    } else {
        acl_call::Check(aclnnFmodTensorV2GetWorkspaceSize(acl_x.get(), acl_y.get(), static_cast<int8_t>(precision_mode),
                                                          acl_out.get(), &bytes, &executor),
                        "aclnnFmodTensorV2GetWorkspaceSize");
        acl_call::Check(aclnnFmodTensorV2(place.Workspace(bytes), bytes, executor, place.Stream()),
                        "aclnnFmodTensorV2");
    }
    place.Finish();
    return {out};
}

paddle::Tensor SumTo(const paddle::Tensor& grad, const std::vector<int64_t>& shape)
{
    if (grad.shape() == shape) {
        return grad;
    }
    const std::vector<int64_t> axes = RepeatedAxes(grad.shape(), shape);
    return paddle::experimental::reshape(paddle::experimental::sum(grad, axes, grad.dtype(), false), shape);
}

// 16-bit sums lose what a gradient is about.
paddle::Tensor Wide(const paddle::Tensor& tensor)
{
    const bool narrow = tensor.dtype() == paddle::DataType::FLOAT16 || tensor.dtype() == paddle::DataType::BFLOAT16;
    return narrow ? paddle::experimental::cast(tensor, paddle::DataType::FLOAT32) : tensor;
}

paddle::Tensor Like(const paddle::Tensor& tensor, const paddle::Tensor& model)
{
    return tensor.dtype() == model.dtype() ? tensor : paddle::experimental::cast(tensor, model.dtype());
}

std::vector<paddle::Tensor> Backward(const paddle::Tensor& x, const paddle::Tensor& y, const paddle::Tensor& grad_out)
{
    namespace api = paddle::experimental;
    CheckDtypes(x, y);
    const paddle::Tensor grad = Wide(grad_out);
    const paddle::Tensor quotient = api::trunc(api::divide(Wide(x), Wide(y)));
    const paddle::Tensor grad_y = api::scale(api::multiply(grad, quotient), -1.0f, 0.0f, true);
    return {Like(SumTo(grad, x.shape()), x), Like(SumTo(grad_y, y.shape()), y)};
}

std::vector<paddle::Tensor> SecondBackward(const paddle::Tensor&, const paddle::Tensor&, const paddle::Tensor&,
                                           const paddle::Tensor&, const paddle::Tensor&)
{
    acl_call::NotImplemented(
        acl_call::Text(kOp, ": a second derivative is not implemented; call paddle.grad without create_graph=True"));
}

std::vector<std::vector<int64_t>> InferShape(const std::vector<int64_t>& x, const std::vector<int64_t>& y)
{
    return {InferBroadcast(x, y)};
}

// Different types are told by the Python API and by the kernel: an exception here ends the process in static graphs.
std::vector<paddle::DataType> InferDtype(const paddle::DataType& x, const paddle::DataType&) { return {x}; }

std::vector<std::vector<int64_t>> InferGradShape(const std::vector<int64_t>& x, const std::vector<int64_t>& y,
                                                 const std::vector<int64_t>&)
{
    return {x, y};
}

std::vector<std::vector<int64_t>> InferSecondShape(const std::vector<int64_t>&, const std::vector<int64_t>&,
                                                   const std::vector<int64_t>& grad_out, const std::vector<int64_t>&,
                                                   const std::vector<int64_t>&)
{
    return {grad_out};
}

} // namespace
} // namespace ascend_fmod

PD_BUILD_OP(ascend_fmod)
    .Inputs({"X", "Y"})
    .Outputs({"Out"})
    .Attrs({"precision_mode: int"})
    .SetKernelFn(PD_KERNEL(ascend_fmod::Forward))
    .SetInferShapeFn(PD_INFER_SHAPE(ascend_fmod::InferShape))
    .SetInferDtypeFn(PD_INFER_DTYPE(ascend_fmod::InferDtype));

PD_BUILD_GRAD_OP(ascend_fmod)
    .Inputs({"X", "Y", paddle::Grad("Out")})
    .Outputs({paddle::Grad("X"), paddle::Grad("Y")})
    .SetKernelFn(PD_KERNEL(ascend_fmod::Backward))
    .SetInferShapeFn(PD_INFER_SHAPE(ascend_fmod::InferGradShape));

PD_BUILD_DOUBLE_GRAD_OP(ascend_fmod)
    .Inputs({"X", "Y", paddle::Grad("Out"), paddle::Grad(paddle::Grad("X")), paddle::Grad(paddle::Grad("Y"))})
    .Outputs({paddle::Grad(paddle::Grad("Out"))})
    .SetKernelFn(PD_KERNEL(ascend_fmod::SecondBackward))
    .SetInferShapeFn(PD_INFER_SHAPE(ascend_fmod::InferSecondShape));
