// What an operator for Paddle needs to call an aclnn interface: status codes as exceptions, tensors as aclTensor.
#ifndef ADAPTERS_PADDLE_ACL_CALL_H_
#define ADAPTERS_PADDLE_ACL_CALL_H_

#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "paddle/extension.h"
#include "paddle/common/enforce.h"
#include "paddle/common/errors.h"

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace acl_call {

template <typename... Part>
std::string Text(const Part&... parts)
{
    std::ostringstream text;
    (text << ... << parts);
    return text.str();
}

// Paddle's own exceptions: those of PD_CHECK lose their text in programs. In Python ValueError, NotImplementedError and
// OSError.
[[noreturn]] void Refuse(const std::string& text);
[[noreturn]] void NotImplemented(const std::string& text);
[[noreturn]] void Fail(const std::string& text);

// Raises what the toolkit says about a failed call.
void Check(int status, const char* what);

aclDataType DtypeOf(const paddle::Tensor& tensor, const char* op, const char* name);

struct DestroyTensor {
    void operator()(aclTensor* tensor) const { aclDestroyTensor(tensor); }
};
using AclTensor = std::unique_ptr<aclTensor, DestroyTensor>;

struct FreeDevice {
    void operator()(void* memory) const { aclrtFree(memory); }
};
using DeviceMemory = std::unique_ptr<void, FreeDevice>;

DeviceMemory Allocate(size_t bytes);

// Where an operator runs: on the stream and the memory of tensors on a device, or, for tensors in host memory, on a
// stream of its own with copies there and back.
class Place {
public:
    // On the device of the inputs if one is there, else in host memory.
    Place(const char* op, const std::vector<std::pair<const char*, const paddle::Tensor*>>& inputs);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    const phi::Place& Where() const { return place_; }
    aclrtStream Stream() const { return stream_; }

    // The tensor's own memory and strides, or a copy of its memory: for tensors in host memory.
    AclTensor Input(const paddle::Tensor& tensor, aclDataType dtype);
    AclTensor Output(paddle::Tensor* tensor, aclDataType dtype);

    // Work memory that lives until the stream is done with it.
    void* Workspace(uint64_t bytes);

    // After the second phase. Host memory: waits and copies the outputs back. Device: returns at once, unless
    // ASCEND_LAUNCH_BLOCKING=1 asks to wait.
    void Finish();

private:
    struct Copied {
        paddle::Tensor* tensor;
        void* device;
        size_t bytes;
    };

    void* Upload(const void* data, size_t bytes, bool copy);
    AclTensor Wrap(const paddle::Tensor& tensor, aclDataType dtype);

    bool host_ = true;
    phi::Place place_;
    aclrtStream stream_ = nullptr;
    std::vector<DeviceMemory> memory_;
    std::vector<Copied> outputs_;
    // Moved inputs and work memory.
    std::vector<paddle::Tensor> kept_;
};

} // namespace acl_call

#endif // ADAPTERS_PADDLE_ACL_CALL_H_
