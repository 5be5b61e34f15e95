// One operator on two engines: FLOAT on the AI Core, INT64 and DOUBLE on the AI CPU.
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_checked_scale.h"

namespace {

struct Device {
    void* memory{nullptr};
    explicit Device(size_t bytes) { (void)aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST); }
    ~Device() { (void)aclrtFree(memory); }
};

// The status of the stream after both phases; y and overflows are read back when it is 0.
template <typename T>
int Scale(aclrtStream stream, aclDataType type, int64_t factor, const std::vector<T>& x, std::vector<T>* y,
          int64_t* overflows)
{
    const int64_t dims[] = {static_cast<int64_t>(x.size())};
    const int64_t one[] = {1};
    const size_t bytes = x.size() * sizeof(T);
    Device from(bytes), to(bytes), count(sizeof(int64_t));
    (void)aclrtMemcpy(from.memory, bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclTensor* in = aclCreateTensor(dims, 1, type, nullptr, 0, ACL_FORMAT_ND, dims, 1, from.memory);
    aclTensor* out = aclCreateTensor(dims, 1, type, nullptr, 0, ACL_FORMAT_ND, dims, 1, to.memory);
    aclTensor* counted = aclCreateTensor(one, 1, ACL_INT64, nullptr, 0, ACL_FORMAT_ND, one, 1, count.memory);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    int status = aclnnCheckedScaleGetWorkspaceSize(in, factor, out, counted, &size, &executor);
    Device workspace(size + 32);
    if (status == 0) {
        status = aclnnCheckedScale(workspace.memory, size, executor, stream);
    }
    if (status == 0) {
        status = aclrtSynchronizeStream(stream);
    }
    if (status == 0) {
        y->resize(x.size());
        (void)aclrtMemcpy(y->data(), bytes, to.memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
        (void)aclrtMemcpy(overflows, sizeof(int64_t), count.memory, sizeof(int64_t), ACL_MEMCPY_DEVICE_TO_HOST);
    }
    aclDestroyTensor(in);
    aclDestroyTensor(out);
    aclDestroyTensor(counted);
    return status;
}

bool Good(const char* what, bool good)
{
    std::printf("%s: %s\n", what, good ? "as expected" : "wrong");
    return good;
}

} // namespace

int main()
{
    aclrtStream stream = nullptr;
    if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) {
        return 1;
    }
    int64_t overflows = -1;
    std::vector<float> f;
    bool good = Good("FLOAT", Scale<float>(stream, ACL_FLOAT, 3, {1.5F, -2.0F, 0.25F}, &f, &overflows) == 0 &&
                                  f == std::vector<float>({4.5F, -6.0F, 0.75F}));
    const int64_t most = std::numeric_limits<int64_t>::max();
    std::vector<int64_t> n;
    good &= Good("INT64",
                 Scale<int64_t>(stream, ACL_INT64, 3, {most, -7, (int64_t{1} << 53) + 1, most}, &n, &overflows) == 0 &&
                     n == std::vector<int64_t>({most - 2, -21, 27021597764222979, most - 2}) && overflows == 2);
    std::vector<double> d;
    good &= Good("DOUBLE",
                 Scale<double>(stream, ACL_DOUBLE, -2, {1e300, 0.1, 5e-324, 1.0, 2.0, 3.0, 4.0}, &d, &overflows) == 0 &&
                     d == std::vector<double>({-2e300, -0.2, -1e-323, -2.0, -4.0, -6.0, -8.0}) && overflows == 0);
    (void)aclrtDestroyStream(stream);
    (void)aclrtResetDevice(0);
    (void)aclFinalize();
    return good ? 0 : 1;
}
