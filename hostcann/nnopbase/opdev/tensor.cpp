// aclTensor, arrays and lists.
#include <atomic>
#include <cstring>
#include <sstream>

#include "aclnn/hostcann_probe.h"
#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"
#include "opdev/format_utils.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

namespace {

std::atomic<size_t> g_liveTensors{0};

gert::StorageShape MakeStorageShape(const op::Shape& origin, const op::Shape& storage)
{
    gert::StorageShape shape;
    shape.MutableOriginShape() = origin;
    shape.MutableStorageShape() = storage;
    return shape;
}

gert::StorageFormat MakeStorageFormat(op::Format origin, op::Format storage)
{
    gert::StorageFormat format;
    format.SetOriginFormat(origin);
    format.SetStorageFormat(storage);
    return format;
}

void* Advance(void* base, int64_t bytes)
{
    // Addresses of workspace tensors are relative to a base not known yet, so this must not be pointer arithmetic.
    return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(base) + static_cast<uintptr_t>(bytes));
}

template <typename To, typename From>
void StoreAs(void* to, const From& from)
{
    To value;
    if constexpr (std::is_same_v<From, bool> || !std::is_same_v<To, bool>) {
        value = static_cast<To>(from);
    } else {
        value = static_cast<bool>(from);
    }
    std::memcpy(to, &value, sizeof(value));
}

// False when host tensors cannot have the type.
template <typename From>
bool StoreValue(void* to, const From& from, op::DataType dataType)
{
    switch (dataType) {
        case op::DataType::DT_FLOAT:
            StoreAs<float>(to, from);
            return true;
        case op::DataType::DT_DOUBLE:
            StoreAs<double>(to, from);
            return true;
        case op::DataType::DT_FLOAT16:
            if constexpr (std::is_same_v<From, op::fp16_t>) {
                StoreAs<op::fp16_t>(to, from);
            } else if constexpr (std::is_same_v<From, op::bfloat16>) {
                StoreAs<op::fp16_t>(to, static_cast<float>(from));
            } else {
                StoreAs<op::fp16_t>(to, static_cast<double>(from));
            }
            return true;
        case op::DataType::DT_BF16:
            if constexpr (std::is_same_v<From, op::bfloat16>) {
                StoreAs<op::bfloat16>(to, from);
            } else {
                StoreAs<op::bfloat16>(to, static_cast<float>(from));
            }
            return true;
        case op::DataType::DT_INT8:
            StoreAs<int8_t>(to, from);
            return true;
        case op::DataType::DT_INT16:
            StoreAs<int16_t>(to, from);
            return true;
        case op::DataType::DT_INT32:
            StoreAs<int32_t>(to, from);
            return true;
        case op::DataType::DT_INT64:
            StoreAs<int64_t>(to, from);
            return true;
        case op::DataType::DT_UINT8:
            StoreAs<uint8_t>(to, from);
            return true;
        case op::DataType::DT_UINT16:
            StoreAs<uint16_t>(to, from);
            return true;
        case op::DataType::DT_UINT32:
            StoreAs<uint32_t>(to, from);
            return true;
        case op::DataType::DT_UINT64:
            StoreAs<uint64_t>(to, from);
            return true;
        case op::DataType::DT_BOOL:
            StoreAs<bool>(to, from);
            return true;
        default:
            return false;
    }
}

template <typename List>
ge::AscendString JoinElements(const List& list)
{
    std::string text;
    for (uint64_t i = 0; i < list.Size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::string(ToString(list[i]).GetString());
    }
    return ge::AscendString(text.c_str());
}

template <typename T>
ge::AscendString OrNullptr(const T* object)
{
    return object == nullptr ? ge::AscendString("nullptr") : object->ToString();
}

} // namespace

size_t hc_live_tensors(void) { return g_liveTensors.load(); }

aclTensor::aclTensor(const op::Shape& storageShape, const op::Shape& originShape, op::DataType dataType,
                     op::Format storageFormat, op::Format originFormat, op::TensorPlacement placement,
                     std::shared_ptr<aclStorage> storage)
    : tensor_(std::make_unique<op::Tensor>(MakeStorageShape(originShape, storageShape),
                                           MakeStorageFormat(originFormat, storageFormat), placement, dataType,
                                           storage->GetAddr())),
      storage_(std::move(storage)),
      viewShape_(originShape),
      viewFormat_(originFormat)
{
    storage_->owner_ = this;
    op::ToContiguousStrides(viewShape_, viewStrides_);
    ++g_liveTensors;
}

aclTensor::aclTensor(const aclTensor& other, const op::Shape& viewShape, const op::Shape& storageShape,
                     const op::Strides& strides, int64_t offset)
    : tensor_(std::make_unique<op::Tensor>(MakeStorageShape(viewShape, storageShape), other.tensor_->GetFormat(),
                                           other.tensor_->GetPlacement(), other.GetDataType(),
                                           other.tensor_->GetAddr())),
      storage_(other.storage_),
      viewOffset_(offset),
      viewStrides_(strides),
      viewShape_(viewShape),
      viewFormat_(other.viewFormat_),
      isView_(true)
{
    if (strides.empty()) {
        op::ToContiguousStrides(viewShape_, viewStrides_);
    } else {
        gert::Stride& stride = tensor_->MutableStride();
        stride.SetDimNum(strides.size());
        for (size_t i = 0; i < strides.size(); ++i) {
            stride.SetStride(i, strides[i]);
        }
    }
    ++g_liveTensors;
}

aclTensor::~aclTensor()
{
    if (!isView_) {
        storage_->owner_ = nullptr;
        storage_->ownerDestroyed_ = true;
    }
    --g_liveTensors;
}

const op::Shape& aclTensor::GetStorageShape() const { return tensor_->GetStorageShape(); }

void aclTensor::SetStorageShape(const op::Shape& shape) const { tensor_->MutableStorageShape() = shape; }

const op::Shape& aclTensor::GetOriginalShape() const { return tensor_->GetOriginShape(); }

void aclTensor::SetOriginalShape(const op::Shape& shape) const { tensor_->MutableOriginShape() = shape; }

void aclTensor::SetViewShape(const op::Shape& shape)
{
    viewShape_ = shape;
    op::ToContiguousStrides(viewShape_, viewStrides_);
}

op::Format aclTensor::GetStorageFormat() const { return tensor_->GetStorageFormat(); }

void aclTensor::SetStorageFormat(op::Format format) { tensor_->SetStorageFormat(format); }

op::Format aclTensor::GetOriginalFormat() const { return tensor_->GetOriginFormat(); }

void aclTensor::SetOriginalFormat(op::Format format) { tensor_->SetOriginFormat(format); }

void* aclTensor::GetData() const
{
    if (IsFromWorkspace()) {
        return Advance(storage_->GetAddr(), static_cast<int64_t>(storage_->GetWorkspaceOffset()) +
                                                op::CalcShapeBytes(viewOffset_, GetDataType(), true));
    }
    return Advance(storage_->GetAddr(), op::CalcShapeBytes(viewOffset_ + GetStorageOffset(), GetDataType(), true));
}

void* aclTensor::GetStorageAddr() const { return storage_->GetAddr(); }

void aclTensor::SetStorageAddr(void* addr) const { storage_->SetAddr(addr); }

int64_t aclTensor::Size() const { return GetStorageShape().GetShapeSize(); }

int64_t aclTensor::Numel() const { return viewShape_.GetShapeSize(); }

bool aclTensor::IsEmpty() const
{
    for (size_t i = 0; i < viewShape_.GetDimNum(); ++i) {
        if (viewShape_.GetDim(i) == 0) {
            return true;
        }
    }
    return false;
}

op::DataType aclTensor::GetDataType() const { return tensor_->GetDataType(); }

void aclTensor::SetDataType(op::DataType dataType) { tensor_->SetDataType(dataType); }

op::TensorPlacement aclTensor::GetPlacement() const { return tensor_->GetPlacement(); }

int64_t aclTensor::GetStorageOffset() const { return storage_->GetStorageOffset(); }

void aclTensor::SetStorageOffset(int64_t offset) { storage_->SetStorageOffset(offset); }

void aclTensor::SetFromWorkspace(bool fromWorkspace) const { storage_->SetFromWorkspace(fromWorkspace); }

bool aclTensor::IsFromWorkspace() const { return storage_->IsFromWorkspace(); }

void aclTensor::SetWorkspaceOffset(uint64_t offset) const { storage_->SetWorkspaceOffset(offset); }

uint64_t aclTensor::GetWorkspaceOffset() const { return storage_->GetWorkspaceOffset(); }

template <typename T>
void aclTensor::SetData(const T* value, uint64_t size, op::DataType dataType)
{
    for (uint64_t i = 0; value != nullptr && i < size; ++i) {
        SetData(static_cast<int64_t>(i), value[i], dataType);
    }
}

template <typename T>
void aclTensor::SetData(int64_t index, const T value, op::DataType dataType)
{
    if (storage_->hostBytes_ == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER, "SetData: expected a host tensor, got %s", ToString().GetString());
        return;
    }
    if (dataType != GetDataType() || index < 0 || index >= Size()) {
        OP_LOGE(ACLNN_ERR_INNER, "SetData: expected type %s and an index below %lld, got %s and %lld",
                op::ToString(GetDataType()).GetString(), static_cast<long long>(Size()),
                op::ToString(dataType).GetString(), static_cast<long long>(index));
        return;
    }
    if (!StoreValue(storage_->hostBytes_.get() + op::CalcShapeBytes(index, dataType), value, dataType)) {
        OP_LOGE(ACLNN_ERR_INNER, "SetData: host tensors cannot have type %s", op::ToString(dataType).GetString());
    }
}

#define INSTANTIATE_SET_DATA(T)                                          \
    template void aclTensor::SetData<T>(int64_t, const T, op::DataType); \
    template void aclTensor::SetData<T>(const T*, uint64_t, op::DataType);
INSTANTIATE_SET_DATA(bool)
INSTANTIATE_SET_DATA(char)
INSTANTIATE_SET_DATA(int8_t)
INSTANTIATE_SET_DATA(uint8_t)
INSTANTIATE_SET_DATA(int16_t)
INSTANTIATE_SET_DATA(uint16_t)
INSTANTIATE_SET_DATA(int32_t)
INSTANTIATE_SET_DATA(uint32_t)
INSTANTIATE_SET_DATA(int64_t)
INSTANTIATE_SET_DATA(uint64_t)
INSTANTIATE_SET_DATA(float)
INSTANTIATE_SET_DATA(double)
INSTANTIATE_SET_DATA(op::fp16_t)
INSTANTIATE_SET_DATA(op::bfloat16)
#undef INSTANTIATE_SET_DATA

void aclTensor::InitTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorDataAddr)
{
    op::ToShape(viewDims, viewDimsNum, viewShape_);
    if (stride != nullptr) {
        viewStrides_.assign(stride, stride + viewDimsNum);
    } else {
        op::ToContiguousStrides(viewShape_, viewStrides_);
    }
    viewOffset_ = offset;
    viewFormat_ = op::ToOpFormat(format);
    op::Shape storageShape;
    op::ToShape(storageDims, storageDimsNum, storageShape);
    tensor_ = std::make_unique<op::Tensor>(
        MakeStorageShape(storageShape, storageShape), MakeStorageFormat(viewFormat_, viewFormat_),
        op::TensorPlacement::kOnDeviceHbm, op::ToOpDataType(dataType), tensorDataAddr);
    storage_->SetAddr(tensorDataAddr);
    storage_->SetStorageOffset(0);
    storage_->SetFromWorkspace(false);
}

ge::AscendString aclTensor::ToString() const
{
    std::ostringstream text;
    text << "aclTensor(view_shape = " << op::ToString(viewShape_).GetString()
         << ", view_strides = " << op::ToString(viewStrides_).GetString() << ", view_offset = " << viewOffset_
         << ", view_format = " << op::ToString(viewFormat_).GetString()
         << ", storage_shape = " << op::ToString(GetStorageShape()).GetString()
         << ", storage_format = " << op::ToString(GetStorageFormat()).GetString()
         << ", ori_shape = " << op::ToString(GetOriginalShape()).GetString()
         << ", ori_format = " << op::ToString(GetOriginalFormat()).GetString()
         << ", data_type = " << op::ToString(GetDataType()).GetString() << ", device_ptr = " << GetData() << ")";
    return ge::AscendString(text.str().c_str());
}

aclTensorList::aclTensorList(const aclTensor* const* tensors, uint64_t size)
{
    for (uint64_t i = 0; tensors != nullptr && i < size; ++i) {
        tensors_.push_back(const_cast<aclTensor*>(tensors[i]));
    }
}

ge::AscendString aclTensorList::ToString() const { return JoinElements(*this); }

aclScalarList::aclScalarList(const aclScalar* const* scalars, uint64_t size)
{
    for (uint64_t i = 0; scalars != nullptr && i < size; ++i) {
        scalars_.push_back(const_cast<aclScalar*>(scalars[i]));
    }
}

ge::AscendString aclScalarList::ToString() const { return JoinElements(*this); }

template <typename T>
ge::AscendString aclArray<T>::ToString() const
{
    std::ostringstream text;
    text << "[";
    for (uint64_t i = 0; i < Size(); ++i) {
        text << (i == 0 ? "" : ", ") << value_[i];
    }
    text << "]";
    return ge::AscendString(text.str().c_str());
}

template class aclArray<bool>;
template class aclArray<int64_t>;
template class aclArray<float>;
template class aclArray<op::fp16_t>;
template class aclArray<op::bfloat16>;

ge::AscendString ToString(const aclTensor* t) { return OrNullptr(t); }
ge::AscendString ToString(const aclTensorList* t) { return OrNullptr(t); }
ge::AscendString ToString(const aclIntArray* t) { return OrNullptr(t); }
ge::AscendString ToString(const aclBoolArray* t) { return OrNullptr(t); }
ge::AscendString ToString(const aclFloatArray* t) { return OrNullptr(t); }
ge::AscendString ToString(const aclFp16Array* t) { return OrNullptr(t); }
ge::AscendString ToString(const aclBf16Array* t) { return OrNullptr(t); }
ge::AscendString ToString(const aclScalar* t) { return OrNullptr(t); }
ge::AscendString ToString(const aclScalarList* t) { return OrNullptr(t); }
