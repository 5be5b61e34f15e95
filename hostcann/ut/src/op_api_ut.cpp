#include <cstring>
#include <stdexcept>
#include <string>

#include "gtest/gtest.h"
#include "op_api_ut_common/scalar_desc.h"
#include "op_api_ut_common/tensor_desc.h"
#include "opdev/platform.h"

TensorDesc::TensorDesc(const vector<int64_t>& view_dims, aclDataType data_type, aclFormat format,
                       const vector<int64_t>& stride, int64_t offset, const vector<int64_t>& storage_dims)
    : view_dims_(view_dims),
      data_type_(data_type),
      format_(format),
      stride_(stride),
      offset_(offset),
      storage_dims_(storage_dims)
{
}

TensorDesc& TensorDesc::ViewDims(const vector<int64_t>& view_dims)
{
    view_dims_ = view_dims;
    return *this;
}

TensorDesc& TensorDesc::Format(aclFormat format)
{
    format_ = format;
    return *this;
}

aclTensor* TensorDesc::ToAclTypeRawPtr() const
{
    if (!stride_.empty() && stride_.size() != view_dims_.size()) {
        throw std::invalid_argument("TensorDesc: " + std::to_string(view_dims_.size()) + " dimensions but " +
                                    std::to_string(stride_.size()) + " strides");
    }
    vector<int64_t> stride = stride_;
    if (stride.empty()) {
        stride.assign(view_dims_.size(), 1);
        for (size_t i = stride.size(); i > 1; i--) {
            stride[i - 2] = stride[i - 1] * view_dims_[i - 1];
        }
    }
    const vector<int64_t>& storage = storage_dims_.empty() ? view_dims_ : storage_dims_;
    aclTensor* tensor = aclCreateTensor(view_dims_.data(), view_dims_.size(), data_type_, stride.data(), offset_,
                                        format_, storage.data(), storage.size(), nullptr);
    if (tensor == nullptr) {
        throw std::invalid_argument("TensorDesc: aclCreateTensor failed; the error log above says why");
    }
    return tensor;
}

aclTensorList* TensorListDesc::ToAclTypeRawPtr() const
{
    vector<const aclTensor*> tensors;
    for (const TensorDesc& tensor : tensors_) {
        tensors.push_back(tensor.ToAclTypeRawPtr());
    }
    return aclCreateTensorList(tensors.data(), tensors.size()); // takes the tensors over
}

ScalarDesc::ScalarDesc(float value, aclDataType data_type) : data_type_(data_type)
{
    if (data_type == ACL_FLOAT) {
        Set(&value, sizeof(value));
    } else if (data_type == ACL_FLOAT16) {
        const op::fp16_t half(value);
        Set(&half, sizeof(half));
    } else if (data_type == ACL_BF16) {
        const op::bfloat16 brain(value);
        Set(&brain, sizeof(brain));
    } else {
        throw std::invalid_argument(
            "ScalarDesc(float, type): the type must be ACL_FLOAT, ACL_FLOAT16 or ACL_BF16, not " +
            std::to_string(data_type));
    }
}

void ScalarDesc::Set(const void* value, size_t size) { std::memcpy(&bits_, value, size); }

aclScalar* ScalarDesc::ToAclTypeRawPtr() const
{
    uint64_t bits = bits_;
    return aclCreateScalar(&bits, data_type_);
}

namespace op {
void SetPlatformSocVersion(SocVersion socVersion)
{
    const SocVersion modelled = GetCurrentPlatformInfo().GetSocVersion();
    if (socVersion != modelled) {
        ADD_FAILURE() << "SetPlatformSocVersion(" << ToString(socVersion).GetString() << "): the host toolkit models "
                      << ToString(modelled).GetString()
                      << "; choose another SoC with HOSTCANN_SOC before the program starts";
    }
}

void SetPlatformNpuArch(NpuArch npuArch)
{
    const NpuArch modelled = GetCurrentPlatformInfo().GetCurNpuArch();
    if (npuArch != modelled) {
        ADD_FAILURE() << "SetPlatformNpuArch(" << static_cast<uint32_t>(npuArch) << "): the host toolkit models "
                      << static_cast<uint32_t>(modelled);
    }
}
} // namespace op
