#include "acl_call.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#ifndef PADDLE_WITH_CUSTOM_DEVICE
#error "compile with -DPADDLE_WITH_CUSTOM_DEVICE: without it a tensor has no stream()"
#endif

namespace acl_call {
namespace {

// What aclInit says when somebody else, the device plug-in, was first.
constexpr int kRepeatedInit = 100002;
// What phase one of an aclnn interface says about its arguments.
constexpr int kParamNullptr = 161001;
constexpr int kParamInvalid = 161002;

void Initialize()
{
    static std::once_flag once;
    std::call_once(once, [] {
        const int status = aclInit(nullptr);
        if (status != kRepeatedInit) {
            Check(status, "aclInit");
        }
    });
}

bool IsBlocking()
{
    const char* value = std::getenv("ASCEND_LAUNCH_BLOCKING");
    return value != nullptr && std::strcmp(value, "1") == 0;
}

size_t Bytes(const paddle::Tensor& tensor) { return tensor.numel() * phi::SizeOf(tensor.dtype()); }

// An aclTensor over memory that is laid out as the tensor's strides say, or densely.
AclTensor View(const paddle::Tensor& tensor, aclDataType dtype, bool dense, void* memory)
{
    const std::vector<int64_t> shape = tensor.shape();
    std::vector<int64_t> strides(shape.size(), 1);
    int64_t extent = 1;
    for (size_t i = shape.size(); i-- > 0;) {
        strides[i] = dense ? extent : tensor.strides()[static_cast<int>(i)];
        // No stride is 0, not even beside a dimension without elements.
        extent = dense ? extent * std::max<int64_t>(shape[i], 1) : extent + (shape[i] - 1) * strides[i];
    }
    AclTensor view(aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), 0, ACL_FORMAT_ND,
                                   dense ? shape.data() : &extent, dense ? shape.size() : 1, memory));
    if (view == nullptr) {
        Check(ACL_ERROR_INVALID_PARAM, "aclCreateTensor");
    }
    return view;
}

} // namespace

void Refuse(const std::string& text) { PADDLE_THROW(::common::errors::InvalidArgument("%s", text)); }
void NotImplemented(const std::string& text) { PADDLE_THROW(::common::errors::Unimplemented("%s", text)); }
void Fail(const std::string& text) { PADDLE_THROW(::common::errors::External("%s", text)); }

void Check(int status, const char* what)
{
    if (status == ACL_SUCCESS) {
        return;
    }
    const char* reason = aclGetRecentErrMsg();
    const std::string text = Text(what, " failed with status ", status, ": ",
                                  reason == nullptr ? "the toolkit gave no reason" : reason);
    status == kParamNullptr || status == kParamInvalid ? Refuse(text) : Fail(text);
}

aclDataType DtypeOf(const paddle::Tensor& tensor, const char* op, const char* name)
{
    switch (tensor.dtype()) {
        case paddle::DataType::FLOAT32:
            return ACL_FLOAT;
        case paddle::DataType::FLOAT16:
            return ACL_FLOAT16;
        case paddle::DataType::BFLOAT16:
            return ACL_BF16;
        case paddle::DataType::FLOAT64:
            return ACL_DOUBLE;
        case paddle::DataType::INT64:
            return ACL_INT64;
        case paddle::DataType::INT32:
            return ACL_INT32;
        case paddle::DataType::INT16:
            return ACL_INT16;
        case paddle::DataType::INT8:
            return ACL_INT8;
        case paddle::DataType::UINT8:
            return ACL_UINT8;
        default:
            Refuse(Text(op, ": ", name, " has data type ", tensor.dtype(),
                        "; expected float32, float16, bfloat16, float64, int64, int32, int16, int8 or uint8"));
    }
}

DeviceMemory Allocate(size_t bytes)
{
    void* memory = nullptr;
    Check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    return DeviceMemory(memory);
}

Place::Place(const char* op, const std::vector<std::pair<const char*, const paddle::Tensor*>>& inputs)
{
    place_ = phi::CPUPlace();
    for (const auto& [name, tensor] : inputs) {
        // A tensor without elements has no memory, and Paddle leaves it wherever it was made.
        if (tensor->numel() == 0 || tensor->is_cpu()) {
            continue;
        }
        if (!tensor->is_custom_device() || (!host_ && tensor->place() != place_)) {
            Refuse(Text(op, ": ", name, " is on ", tensor->place(), ", expected ",
                        host_ ? "host memory or a custom device" : Text(place_, " as the input before"), "; move it"));
        }
        host_ = false;
        place_ = tensor->place();
        stream_ = reinterpret_cast<aclrtStream>(tensor->stream());
    }
    Initialize();
    // The current device belongs to the thread.
    Check(aclrtSetDevice(host_ ? 0 : place_.GetDeviceId()), "aclrtSetDevice");
    if (host_) {
        Check(aclrtCreateStream(&stream_), "aclrtCreateStream");
    }
}

Place::~Place()
{
    if (host_ && stream_ != nullptr) {
        // An error here has been told by Finish, or hides behind the exception that is under way.
        aclrtSynchronizeStream(stream_);
        aclrtDestroyStream(stream_);
    }
}

void* Place::Upload(const void* data, size_t bytes, bool copy)
{
    memory_.push_back(Allocate(bytes == 0 ? 1 : bytes));
    void* device = memory_.back().get();
    if (copy && bytes != 0) {
        Check(aclrtMemcpy(device, bytes, data, bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    }
    return device;
}

AclTensor Place::Wrap(const paddle::Tensor& tensor, aclDataType dtype)
{
    const bool empty = tensor.numel() == 0;
    return View(tensor, dtype, empty || tensor.is_contiguous(), empty ? nullptr : const_cast<void*>(tensor.data()));
}

AclTensor Place::Input(const paddle::Tensor& tensor, aclDataType dtype)
{
    if (host_) {
        const paddle::Tensor dense = tensor.is_contiguous() ? tensor : tensor.copy_to(place_, true);
        return View(dense, dtype, true, Upload(dense.data(), Bytes(dense), true));
    }
    if (tensor.numel() == 0 || tensor.place() == place_) {
        return Wrap(tensor, dtype);
    }
    // In programs, operators without a kernel for the device leave their results in host memory.
    kept_.push_back(tensor.copy_to(place_, true));
    return Wrap(kept_.back(), dtype);
}

AclTensor Place::Output(paddle::Tensor* tensor, aclDataType dtype)
{
    if (!host_) {
        return Wrap(*tensor, dtype);
    }
    void* device = Upload(nullptr, Bytes(*tensor), false);
    outputs_.push_back({tensor, device, Bytes(*tensor)});
    return View(*tensor, dtype, true, device);
}

void* Place::Workspace(uint64_t bytes)
{
    if (bytes == 0) {
        return nullptr;
    }
    if (host_) {
        return Upload(nullptr, bytes, false);
    }
    // Paddle's allocator gives memory on to later work of the same stream only.
    kept_.push_back(paddle::empty({static_cast<int64_t>(bytes)}, paddle::DataType::UINT8, place_));
    return kept_.back().data();
}

void Place::Finish()
{
    if (host_ || IsBlocking()) {
        Check(aclrtSynchronizeStream(stream_), "a kernel on the stream of this operator");
    }
    for (const Copied& output : outputs_) {
        if (output.bytes != 0) {
            Check(aclrtMemcpy(output.tensor->data(), output.bytes, output.device, output.bytes,
                              ACL_MEMCPY_DEVICE_TO_HOST),
                  "aclrtMemcpy");
        }
    }
}

} // namespace acl_call
