#include "device.h"

#include <stdexcept>

namespace test {
namespace {

void Require(int status, const char* what)
{
    if (status != 0) {
        throw std::runtime_error(std::string(what) + " failed with " + std::to_string(status) + " " + LastError());
    }
}

} // namespace

aclrtStream Stream()
{
    static const int initialised = aclInit(nullptr);
    (void)initialised;
    thread_local aclrtStream stream = [] {
        Require(aclrtSetDevice(0), "aclrtSetDevice");
        aclrtStream made = nullptr;
        Require(aclrtCreateStream(&made), "aclrtCreateStream");
        return made;
    }();
    return stream;
}

DeviceMemory::DeviceMemory(size_t bytes) : bytes_(bytes)
{
    Stream();
    Require(aclrtMalloc(&address_, bytes == 0 ? 1 : bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
}

DeviceMemory::~DeviceMemory() { (void)aclrtFree(address_); }

void DeviceMemory::Write(const void* from, size_t bytes)
{
    Require(aclrtMemcpy(address_, bytes_, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
}

void DeviceMemory::Read(void* to, size_t bytes) const
{
    Require(aclrtMemcpy(to, bytes, address_, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
}

TensorPtr MakeTensor(const std::vector<int64_t>& dims, aclDataType dtype, void* data,
                     const std::vector<int64_t>& strides, int64_t offset, const std::vector<int64_t>& storage)
{
    const std::vector<int64_t>& stored = storage.empty() ? dims : storage;
    return TensorPtr(aclCreateTensor(dims.data(), dims.size(), dtype, strides.empty() ? nullptr : strides.data(),
                                     offset, ACL_FORMAT_ND, stored.data(), stored.size(), data));
}

int Run(aclOpExecutor* executor, uint64_t workspaceSize)
{
    const aclrtStream stream = Stream();
    std::unique_ptr<DeviceMemory> workspace;
    if (workspaceSize > 0) {
        workspace = std::make_unique<DeviceMemory>(workspaceSize);
    }
    const int launched = CommonOpExecutorRun(workspace == nullptr ? nullptr : workspace->Get(), workspaceSize, executor,
                                             stream);
    const int synchronised = aclrtSynchronizeStream(stream);
    return launched != 0 ? launched : synchronised;
}

std::string LastError()
{
    const char* text = aclGetRecentErrMsg();
    return text == nullptr ? "" : text;
}

} // namespace test
