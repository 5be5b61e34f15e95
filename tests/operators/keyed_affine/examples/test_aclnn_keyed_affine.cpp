// A generated in-place interface with a host value, on a contiguous and on a transposed tensor.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnn_keyed_affine.h"

namespace {
template <typename T>
bool Run(aclDataType type, const std::vector<int64_t>& strides, int64_t scale, int64_t shift, aclrtStream stream)
{
    constexpr int64_t rows = 30, columns = 40, count = rows * columns;
    std::vector<T> values;
    for (int64_t i = 0; i < count; ++i) {
        values.push_back(static_cast<T>(i - 600));
    }
    const size_t bytes = count * sizeof(T);
    void* memory = nullptr;
    (void)aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    (void)aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    const int64_t dims[] = {rows, columns};
    const int64_t storage[] = {count};
    aclTensor* x = aclCreateTensor(dims, 2, type, strides.data(), 0, ACL_FORMAT_ND, storage, 1, memory);
    aclIntArray* factor = aclCreateIntArray(&scale, 1);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    aclnnStatus status = aclnnKeyedAffineGetWorkspaceSize(x, factor, shift, &size, &executor);
    void* workspace = nullptr;
    if (status == 0 && size > 0) {
        (void)aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    if (status == 0) {
        status = aclnnKeyedAffine(workspace, size, executor, stream);
    }
    if (status == 0) {
        status = aclrtSynchronizeStream(stream);
    }
    std::vector<T> got(count);
    (void)aclrtMemcpy(got.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    bool good = status == 0;
    for (int64_t i = 0; i < count && good; ++i) {
        const T want = static_cast<T>((i - 600) * scale + shift);
        good = got[i] == want;
        if (!good) {
            std::printf("element %ld: %f, expected %f\n", static_cast<long>(i), static_cast<double>(got[i]),
                        static_cast<double>(want));
        }
    }
    if (status != 0) {
        std::printf("status %d: %s\n", status, aclGetRecentErrMsg());
    }
    if (workspace != nullptr) {
        (void)aclrtFree(workspace);
    }
    aclDestroyIntArray(factor);
    aclDestroyTensor(x);
    (void)aclrtFree(memory);
    return good;
}
} // namespace

int main()
{
    aclrtStream stream = nullptr;
    if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) {
        return 1;
    }
    bool good = true;
    for (const std::vector<int64_t>& strides : {std::vector<int64_t>{40, 1}, std::vector<int64_t>{1, 30}}) {
        good = Run<float>(ACL_FLOAT, strides, 3, 0, stream) && good;
        good = Run<int32_t>(ACL_INT32, strides, -2, 7, stream) && good;
    }
    (void)aclrtDestroyStream(stream);
    (void)aclrtResetDevice(0);
    (void)aclFinalize();
    return good ? 0 : 1;
}
