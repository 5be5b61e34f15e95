// The l0op functions that the toolkit has itself. A toolkit declares each in a header of its own: hostroot writes
// those, a file for every comment that names one, with the headers that the comment lists. An operator sees what it
// includes, as with CANN.
#ifndef HOSTCANN_L0_FUNCTIONS_H
#define HOSTCANN_L0_FUNCTIONS_H

#include "opdev/common_types.h"
#include "opdev/make_op_executor.h"
#include "opdev/op_def.h"
#include "opdev/op_executor.h"
#include "opdev/shape_utils.h"

namespace l0op {

// aclnn_kernels/cast.h: opdev/make_op_executor.h opdev/op_executor.h
// `self` itself when it already has the type; nullptr when the device has no such cast.
const aclTensor* Cast(const aclTensor* self, op::DataType dstDtype, aclOpExecutor* executor);
// Cast that keeps the view format, too (ops-nn conv).
const aclTensor* CastOnlyForConvBackward(const aclTensor* self, op::DataType dstDtype, aclOpExecutor* executor);

// aclnn_kernels/contiguous.h: opdev/common_types.h opdev/op_def.h
// A tensor whose storage, origin and view shape are x's view shape. No kernel for a contiguous x.
const aclTensor* Contiguous(const aclTensor* x, aclOpExecutor* executor);

// Writes x into y, a tensor of the caller. When x is a contiguous workspace tensor and y is contiguous, no kernel runs:
// x's producer writes y's memory instead.
const aclTensor* ViewCopy(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor);

// x seen as the dense block its elements form; op::CanPickViewAsContiguous(x) must hold.
const aclTensor* PickViewAsContiguous(const aclTensor* x, aclOpExecutor* executor);

// Lets x's producer write y's memory, in the element order of that memory.
const aclTensor* ReViewToOut(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor);

// aclnn_kernels/pad.h: opdev/make_op_executor.h opdev/op_executor.h
// l0op::Pad is the checkout's (conversion/pad/op_api), its node runs on the host where no package has the op type.
const aclTensor* Pad(const aclTensor* self, const aclTensor* paddings, aclOpExecutor* executor);

// aclnn_kernels/reshape.h: opdev/op_def.h opdev/shape_utils.h
// x must be contiguous; one dim may be -1.
const aclTensor* Reshape(const aclTensor* x, const op::Shape& shape, aclOpExecutor* executor);
const aclTensor* Reshape(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor);

// aclnn_kernels/slice.h: opdev/common_types.h opdev/op_def.h
// x[offsets[i] : offsets[i] + size[i]] in every dim; a size of -1 means up to the end.
const aclTensor* Slice(const aclTensor* x, const aclIntArray* offsets, const aclIntArray* size,
                       aclOpExecutor* executor);

// aclnn_kernels/transdata.h: opdev/op_executor.h
// Gives x another format; no data moves. Without an executor x itself is changed: never do that to a user's tensor.
const aclTensor* ReFormat(const aclTensor* x, const op::Format& format, aclOpExecutor* executor = nullptr);

// Private formats (NC1HWC0, FRACTAL_NZ and their like) are not modelled: x itself where it has the format already, an
// error otherwise.
const aclTensor* TransData(const aclTensor* x, op::Format dstPrimaryFormat, int64_t groups, aclOpExecutor* executor);
const aclTensor* TransDataSpecial(const aclTensor* x, op::Format dstPrimaryFormat, int64_t groups,
                                  aclOpExecutor* executor);

// aclnn_kernels/transpose.h: opdev/common_types.h opdev/op_def.h
// Dim i of the result is dim perm[i] of x.
const aclTensor* Transpose(const aclTensor* x, const aclIntArray* perm, aclOpExecutor* executor);

// level0/add.h: opdev/op_executor.h
// Of one data type; the shapes broadcast.
const aclTensor* Add(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);
// The sum is written into `other`, whose shape it must have.
const aclTensor* AddInplace(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

// level0/broadcast_to.h: opdev/op_executor.h
// A new contiguous tensor of the shape.
const aclTensor* BroadcastTo(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor);
// Of the shape of y, which `shape` holds as a tensor.
const aclTensor* BroadcastTo(const aclTensor* x, const aclTensor* y, const aclTensor* shape, aclOpExecutor* executor);

// level0/fault_injection.h: opdev/op_executor.h
// Declared, as operators include this header; nothing here defines it, and none of the public ones calls it.
const aclTensor* FaultInjection(const aclTensor* injectObj, const aclTensor* injectPara, aclTensor* out,
                                aclOpExecutor* executor);

// level0/fill.h: opdev/op_executor.h
// A new tensor of the shape, every element the one of `value`; `dims` is the tensor form of outShape.
const aclTensor* Fill(const aclTensor* dims, const aclTensor* value, const aclIntArray* outShape,
                      aclOpExecutor* executor);

// level0/logical_and.h: opdev/op_executor.h
// Of bool; the shapes broadcast.
const aclTensor* LogicalAnd(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

// level0/logical_or.h: opdev/op_executor.h
// Of bool; the shapes broadcast.
const aclTensor* LogicalOr(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

// level0/maximum.h: opdev/op_executor.h
// Of one data type; the shapes broadcast.
const aclTensor* Maximum(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

// level0/minimum.h: opdev/op_executor.h
// Of one data type; the shapes broadcast.
const aclTensor* Minimum(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

// level0/mul.h: opdev/op_executor.h
// Of one data type; the shapes broadcast.
const aclTensor* Mul(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

// level0/ones_like.h: opdev/op_executor.h
// A new tensor of 1.
const aclTensor* OnesLike(const aclTensor* self, aclOpExecutor* executor);

// level0/squeeze.h: opdev/op_executor.h
// Views without the dims of size 1 that are named; no dims means all of size 1.
const aclTensor* SqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor);
const aclTensor* SqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor);

// level0/sub.h: opdev/op_executor.h
// Of one data type; the shapes broadcast.
const aclTensor* Sub(const aclTensor* self, const aclTensor* other, aclOpExecutor* executor);

// level0/unsqueeze.h: opdev/op_executor.h
// Views with new dims of size 1 at these positions of the result.
const aclTensor* UnsqueezeNd(const aclTensor* x, const aclIntArray* dim, aclOpExecutor* executor);
const aclTensor* UnsqueezeNd(const aclTensor* x, int64_t dim, aclOpExecutor* executor);

// level0/zero_op.h: opdev/op_executor.h
// A new tensor of 0.
const aclTensor* ZerosLike(const aclTensor* self, aclOpExecutor* executor);

} // namespace l0op

#endif // HOSTCANN_L0_FUNCTIONS_H
