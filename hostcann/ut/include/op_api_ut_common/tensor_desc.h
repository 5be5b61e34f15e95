// Tensors of an aclnn test.
#ifndef HOSTCANN_UT_TENSOR_DESC_H
#define HOSTCANN_UT_TENSOR_DESC_H

#include <cstdint>
#include <string>
#include <vector>

#include "aclnn/acl_meta.h"
#include "opdev/common_types.h"

using namespace std; // tests in upstream layout rely on it

// Values, ranges and precisions serve upstream's comparison on a device; here a test ends with the first phase.
class TensorDesc {
public:
    // No strides: contiguous. No storage dimensions: those of the view.
    TensorDesc(const vector<int64_t>& view_dims = {1, 1, 16, 16}, aclDataType data_type = ACL_FLOAT,
               aclFormat format = ACL_FORMAT_NCHW, const vector<int64_t>& stride = {}, int64_t offset = 0,
               const vector<int64_t>& storage_dims = {});

    TensorDesc& ViewDims(const vector<int64_t>& view_dims);
    TensorDesc& Format(aclFormat format);
    TensorDesc& Precision(float, float, float = 1e-08) { return *this; }
    template <typename T>
    TensorDesc& ValueRange(T, T)
    {
        return *this;
    }
    template <typename T>
    TensorDesc& Value(const vector<T>&)
    {
        return *this;
    }
    TensorDesc& ValueFile(const std::string&) { return *this; }
    TensorDesc& ValidCount(int32_t) { return *this; }

    // The caller destroys it.
    aclTensor* ToAclTypeRawPtr() const;

private:
    vector<int64_t> view_dims_;
    aclDataType data_type_;
    aclFormat format_;
    vector<int64_t> stride_;
    int64_t offset_;
    vector<int64_t> storage_dims_;
};

class TensorListDesc {
public:
    TensorListDesc(const vector<TensorDesc>& tensors) : tensors_(tensors) {}
    TensorListDesc(int count, const TensorDesc& tensor) : tensors_(static_cast<size_t>(count), tensor) {}
    aclTensorList* ToAclTypeRawPtr() const;

private:
    vector<TensorDesc> tensors_;
};

#endif // HOSTCANN_UT_TENSOR_DESC_H
