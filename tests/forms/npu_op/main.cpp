// Calls the operator of the installed package and compares every element.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn_weighted_diff.h"

namespace {
void Check(int64_t status, const char* what)
{
    if (status != 0) {
        std::printf("%s: status %ld\n", what, static_cast<long>(status));
        std::exit(1);
    }
}

aclTensor* Tensor(const std::vector<float>& values, void** memory)
{
    const size_t bytes = values.size() * sizeof(float);
    Check(aclrtMalloc(memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    Check(aclrtMemcpy(*memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    const int64_t extent = static_cast<int64_t>(values.size()), stride = 1;
    return aclCreateTensor(&extent, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &extent, 1, *memory);
}
} // namespace

int main()
{
    aclrtStream stream = nullptr;
    Check(aclInit(nullptr), "aclInit");
    Check(aclrtSetDevice(0), "aclrtSetDevice");
    Check(aclrtCreateStream(&stream), "aclrtCreateStream");
    std::vector<float> x(10007), y(x.size()), z(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        x[i] = static_cast<float>(i % 977);
        y[i] = static_cast<float>(i % 89) * 0.5F;
    }
    void *from_x = nullptr, *from_y = nullptr, *to = nullptr, *workspace = nullptr;
    aclTensor *left = Tensor(x, &from_x), *right = Tensor(y, &from_y), *result = Tensor(z, &to);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    Check(aclnnWeightedDiffGetWorkspaceSize(left, right, -0.25, result, &size, &executor), "GetWorkspaceSize");
    if (size != 0) {
        Check(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    }
    Check(aclnnWeightedDiff(workspace, size, executor, stream), "aclnnWeightedDiff");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    const size_t bytes = z.size() * sizeof(float);
    Check(aclrtMemcpy(z.data(), bytes, to, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    size_t wrong = 0;
    for (size_t i = 0; i < z.size(); ++i) {
        wrong += z[i] != (x[i] - y[i]) * -0.25F;
    }
    std::printf("weighted_diff: %zu of %zu wrong\n", wrong, z.size());
    Check(aclFinalize(), "aclFinalize");
    return wrong == 0 ? 0 : 1;
}
