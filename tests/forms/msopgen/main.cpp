// Calls both operators of the installed package and compares every element.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn_clip_range.h"
#include "aclnn_fma.h"

namespace {
void Check(int64_t status, const char* what)
{
    if (status != 0) {
        std::printf("%s: status %ld\n", what, static_cast<long>(status));
        std::exit(1);
    }
}

template <typename T>
struct Tensor {
    Tensor(aclDataType type, const std::vector<T>& values) : bytes(values.size() * sizeof(T)), count(values.size())
    {
        Check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        Check(aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
        const int64_t extent = static_cast<int64_t>(count), stride = 1;
        tensor = aclCreateTensor(&extent, 1, type, &stride, 0, ACL_FORMAT_ND, &extent, 1, memory);
    }
    std::vector<T> Values() const
    {
        std::vector<T> values(count);
        Check(aclrtMemcpy(values.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        return values;
    }

    size_t bytes, count;
    void* memory = nullptr;
    aclTensor* tensor = nullptr;
};

template <typename Phase2>
void Run(Phase2 phase2, uint64_t size, aclOpExecutor* executor, aclrtStream stream)
{
    void* workspace = nullptr;
    if (size != 0) {
        Check(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    }
    Check(phase2(workspace, size, executor, stream), "phase 2");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

template <typename T>
int Report(const char* name, const std::vector<T>& values, const std::vector<T>& expected)
{
    size_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i) {
        wrong += values[i] != expected[i];
    }
    std::printf("%s: %zu of %zu wrong\n", name, wrong, values.size());
    return wrong == 0 ? 0 : 1;
}

template <typename T>
int Fma(const char* name, aclDataType type, aclrtStream stream)
{
    std::vector<T> x(20011), expected(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<T>(static_cast<int>(i * 7 % 1001) - 500);
        expected[i] = static_cast<T>(x[i] * 3 - 2);
    }
    Tensor<T> from(type, x), to(type, std::vector<T>(x.size()));
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    Check(aclnnFmaGetWorkspaceSize(from.tensor, 3.0, -2.0, to.tensor, &size, &executor), "Fma");
    Run(aclnnFma, size, executor, stream);
    return Report(name, to.Values(), expected);
}

int ClipRange(aclrtStream stream)
{
    std::vector<int32_t> x(5000), expected(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<int32_t>(i * 7919 % 100003) - 50000;
        expected[i] = x[i] < -123 ? -123 : x[i] > 45678 ? 45678 : x[i];
    }
    Tensor<int32_t> from(ACL_INT32, x), to(ACL_INT32, std::vector<int32_t>(x.size()));
    const int64_t bounds[] = {-123, 45678};
    aclIntArray* range = aclCreateIntArray(bounds, 2);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    Check(aclnnClipRangeGetWorkspaceSize(from.tensor, range, to.tensor, &size, &executor), "ClipRange");
    Run(aclnnClipRange, size, executor, stream);
    return Report("clip_range int32", to.Values(), expected);
}
} // namespace

int main()
{
    aclrtStream stream = nullptr;
    Check(aclInit(nullptr), "aclInit");
    Check(aclrtSetDevice(0), "aclrtSetDevice");
    Check(aclrtCreateStream(&stream), "aclrtCreateStream");
    int wrong = Fma<float>("fma float32", ACL_FLOAT, stream);
    wrong += Fma<int16_t>("fma int16", ACL_INT16, stream);
    wrong += ClipRange(stream);
    Check(aclFinalize(), "aclFinalize");
    return wrong;
}
