#ifndef HOSTCANN_OPDEV_TENSOR_VIEW_UTILS_H
#define HOSTCANN_OPDEV_TENSOR_VIEW_UTILS_H

#include <initializer_list>

#include "opdev/common_types.h"

namespace op {

// True for null, private formats, fewer than two elements, and row-major strides (dims of size 1 do not count).
bool IsContiguous(const aclTensor* tensor);
// Whether the elements are a permutation of one dense block; for several tensors, all with the same shape and strides.
bool CanPickViewAsContiguous(const aclTensor* tensor);
bool CanPickViewAsContiguous(std::initializer_list<const aclTensor*> tensorList);
// Whether every element lies inside the storage.
bool Validate(const aclTensor* tensor);

} // namespace op
#endif // HOSTCANN_OPDEV_TENSOR_VIEW_UTILS_H
