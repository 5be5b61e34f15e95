// A shape that the kernel computes, and the header under the names that upstream installs it under.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_kept_elements.h"
#include "aclnnop/level2/aclnn_kept_elements.h"

int main()
{
    aclrtStream stream = nullptr;
    if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) {
        return 1;
    }
    std::vector<float> values;
    std::vector<float> wanted;
    for (int i = 0; i < 300; ++i) {
        values.push_back(i % 3 == 0 ? -1.0F : static_cast<float>(i));
        if (i % 3 != 0) {
            wanted.push_back(values.back());
        }
    }
    const size_t bytes = values.size() * sizeof(float);
    const int64_t dims[] = {300};
    void *from = nullptr, *to = nullptr, *workspace = nullptr;
    (void)aclrtMalloc(&from, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    (void)aclrtMalloc(&to, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    (void)aclrtMemcpy(from, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclTensor* x = aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, from);
    aclTensor* y = aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, to);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    int status = aclnnKeptElementsGetWorkspaceSize(x, y, &size, &executor);
    if (status == 0 && size > 0) {
        status = aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    if (status == 0) {
        status = aclnnKeptElements(workspace, size, executor, stream);
    }
    if (status != 0 || aclrtSynchronizeStream(stream) != 0) {
        std::printf("status %d: %s\n", status, aclGetRecentErrMsg());
        return 1;
    }
    int64_t* shape = nullptr;
    uint64_t rank = 0;
    (void)aclGetViewShape(y, &shape, &rank);
    std::vector<float> got(wanted.size());
    (void)aclrtMemcpy(got.data(), got.size() * sizeof(float), to, got.size() * sizeof(float),
                      ACL_MEMCPY_DEVICE_TO_HOST);
    const bool good = rank == 1 && shape[0] == 200 && got == wanted;
    std::printf("rank %lu, %ld elements: %s\n", static_cast<unsigned long>(rank), static_cast<long>(shape[0]),
                good ? "as expected" : "wrong");
    delete[] shape;
    aclDestroyTensor(x);
    aclDestroyTensor(y);
    for (void* memory : {from, to, workspace}) {
        if (memory != nullptr) {
            (void)aclrtFree(memory);
        }
    }
    (void)aclrtDestroyStream(stream);
    (void)aclrtResetDevice(0);
    (void)aclFinalize();
    return good ? 0 : 1;
}
