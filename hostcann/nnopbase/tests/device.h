// Device memory, tensors and phase 2 for tests.
#ifndef HOSTCANN_NNOPBASE_TESTS_DEVICE_H
#define HOSTCANN_NNOPBASE_TESTS_DEVICE_H

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "opdev/common_types.h"
#include "opdev/make_op_executor.h"

namespace test {

// The default stream of device 0, set up on first use in every thread.
aclrtStream Stream();

class DeviceMemory {
public:
    explicit DeviceMemory(size_t bytes);
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    void* Get() const { return address_; }
    void Write(const void* from, size_t bytes);
    void Read(void* to, size_t bytes) const;

private:
    void* address_{nullptr};
    size_t bytes_{0};
};

template <typename T>
class Buffer : public DeviceMemory {
public:
    explicit Buffer(const std::vector<T>& values) : DeviceMemory(values.size() * sizeof(T)), count_(values.size())
    {
        Write(values.data(), values.size() * sizeof(T));
    }
    std::vector<T> Values() const
    {
        std::vector<T> values(count_);
        Read(values.data(), count_ * sizeof(T));
        return values;
    }

private:
    size_t count_;
};

struct TensorDeleter {
    void operator()(aclTensor* tensor) const { aclDestroyTensor(tensor); }
};
using TensorPtr = std::unique_ptr<aclTensor, TensorDeleter>;

// Empty strides: contiguous. Empty storage: one dim that holds the view.
TensorPtr MakeTensor(const std::vector<int64_t>& dims, aclDataType dtype, void* data,
                     const std::vector<int64_t>& strides = {}, int64_t offset = 0,
                     const std::vector<int64_t>& storage = {});

// Phase 2 with a workspace of the right size, then a synchronisation. The first failing status.
int Run(aclOpExecutor* executor, uint64_t workspaceSize);
// The newest error of the thread, "" when there is none.
std::string LastError();

} // namespace test
#endif // HOSTCANN_NNOPBASE_TESTS_DEVICE_H
