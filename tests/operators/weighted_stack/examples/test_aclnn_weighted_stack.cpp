// A generated interface: a list of tensors, an optional tensor, attributes with and without defaults.
#include <cmath>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnn_weighted_stack.h"

namespace {
constexpr int64_t kCount = 1000;
int g_failures = 0;

void Check(bool good, const char* what)
{
    if (!good) {
        std::printf("wrong: %s\n", what);
        ++g_failures;
    }
}

aclTensor* Device(const std::vector<float>& values, void** memory, aclDataType type = ACL_FLOAT)
{
    const size_t bytes = values.size() * sizeof(float);
    (void)aclrtMalloc(memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    (void)aclrtMemcpy(*memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    const int64_t dims[] = {static_cast<int64_t>(values.size())};
    return aclCreateTensor(dims, 1, type, nullptr, 0, ACL_FORMAT_ND, dims, 1, *memory);
}

std::vector<float> Row(float start)
{
    std::vector<float> row;
    for (int64_t i = 0; i < kCount; ++i) {
        row.push_back(start + static_cast<float>(i));
    }
    return row;
}

aclnnStatus Run(const aclTensorList* list, const aclTensor* bias, const aclFloatArray* others, int64_t rounds,
                const aclTensor* out, aclrtStream stream)
{
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = aclnnWeightedStackGetWorkspaceSize(list, bias, 3.0, others, rounds, out, &size,
                                                                  &executor);
    if (status != 0) {
        return status;
    }
    void* workspace = nullptr;
    if (size > 0) {
        (void)aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    aclnnStatus ran = aclnnWeightedStack(workspace, size, executor, stream);
    if (ran == 0) {
        ran = aclrtSynchronizeStream(stream);
    }
    if (workspace != nullptr) {
        (void)aclrtFree(workspace);
    }
    return ran;
}
} // namespace

int main()
{
    aclrtStream stream = nullptr;
    if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) {
        return 1;
    }
    void *m0, *m1, *m2, *mb, *mo;
    const aclTensor* x[] = {Device(Row(0), &m0), Device(Row(10), &m1), Device(Row(20), &m2)};
    aclTensorList* list = aclCreateTensorList(x, 3);
    aclTensor* bias = Device(Row(100), &mb);
    aclTensor* out = Device(std::vector<float>(kCount, -1.0F), &mo);
    std::vector<float> got(kCount);
    const auto read = [&] {
        (void)aclrtMemcpy(got.data(), kCount * sizeof(float), mo, kCount * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
    };

    // No bias, the definition's weights {2, 0.5}.
    Check(Run(list, nullptr, nullptr, 1, out, stream) == 0, "status without bias");
    read();
    for (int64_t i = 0; i < kCount; ++i) {
        const float want = 3.0F * i + 2.0F * (10 + i) + 0.5F * (20 + i);
        if (got[i] != want) {
            std::printf("without bias: element %ld: %f, expected %f\n", static_cast<long>(i), got[i], want);
            ++g_failures;
            break;
        }
    }
    const float others[] = {1.0F, -4.0F};
    aclFloatArray* weights = aclCreateFloatArray(others, 2);
    Check(Run(list, bias, weights, 2, out, stream) == 0, "status with bias");
    read();
    for (int64_t i = 0; i < kCount; ++i) {
        const float want = 6.0F * i + 2.0F * (10 + i) - 8.0F * (20 + i) + (100 + i);
        if (got[i] != want) {
            std::printf("with bias: element %ld: %f, expected %f\n", static_cast<long>(i), got[i], want);
            ++g_failures;
            break;
        }
    }
    Check(Run(nullptr, nullptr, nullptr, 1, out, stream) == 161001, "a missing list is 161001");
    void* mi;
    aclTensor* integers = Device(std::vector<float>(kCount), &mi, ACL_INT32);
    Check(Run(list, nullptr, nullptr, 1, integers, stream) == 161002, "an int32 output is 161002");

    aclDestroyFloatArray(weights);
    aclDestroyTensorList(list);
    for (const aclTensor* tensor : {bias, out, integers}) {
        aclDestroyTensor(tensor);
    }
    for (void* memory : {m0, m1, m2, mb, mo, mi}) {
        (void)aclrtFree(memory);
    }
    (void)aclrtDestroyStream(stream);
    (void)aclrtResetDevice(0);
    (void)aclFinalize();
    return g_failures == 0 ? 0 : 1;
}
