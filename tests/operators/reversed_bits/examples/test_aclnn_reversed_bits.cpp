// An operator without AI Core kernels: no definition, no tiling.
#include <cstdint>
#include <cstdio>

#include "acl/acl.h"
#include "aclnnop/aclnn_reversed_bits.h"

int main()
{
    aclrtStream stream = nullptr;
    if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) {
        return 1;
    }
    const uint64_t words[] = {1, 0xf0, 0x8000000000000001};
    uint64_t reversed[] = {0, 0, 0};
    const int64_t dims[] = {3};
    void* memory = nullptr;
    (void)aclrtMalloc(&memory, sizeof(words), ACL_MEM_MALLOC_HUGE_FIRST);
    (void)aclrtMemcpy(memory, sizeof(words), words, sizeof(words), ACL_MEMCPY_HOST_TO_DEVICE);
    aclTensor* x = aclCreateTensor(dims, 1, ACL_UINT64, nullptr, 0, ACL_FORMAT_ND, dims, 1, memory);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    bool good = aclnnReversedBitsGetWorkspaceSize(x, x, &size, &executor) == 0 && size == 0 &&
                aclnnReversedBits(nullptr, 0, executor, stream) == 0 && aclrtSynchronizeStream(stream) == 0;
    (void)aclrtMemcpy(reversed, sizeof(reversed), memory, sizeof(reversed), ACL_MEMCPY_DEVICE_TO_HOST);
    good &= reversed[0] == 0x8000000000000000 && reversed[1] == 0x0f00000000000000 && reversed[2] == 0x8000000000000001;
    std::printf("%s\n", good ? "as expected" : "wrong");
    aclDestroyTensor(x);
    (void)aclrtFree(memory);
    (void)aclrtDestroyStream(stream);
    (void)aclrtResetDevice(0);
    (void)aclFinalize();
    return good ? 0 : 1;
}
