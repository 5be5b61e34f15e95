// Launches the kernels and compares every value.
#include <cstdio>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "aclrtlaunch_affine.h"
#include "aclrtlaunch_product.h"
#include "aclrtlaunch_raised.h"
#include "aclrtlaunch_scaled_float.h"
#include "aclrtlaunch_scaled_int32_t.h"
#include "aclrtlaunch_shifted.h"
#include "aclrtlaunch_tiles.h"
#include "shift.h"

namespace launches {
void Product(uint32_t blocks, void* stream, void* memory);
}

namespace {

constexpr uint32_t BLOCKS = 4;
constexpr uint32_t COUNT = BLOCKS * TILE;
constexpr size_t SYSTEM_WORKSPACE = 16 * 1024 * 1024;

template <typename T>
void* OnDevice(const std::vector<T>& values)
{
    void* memory = nullptr;
    const size_t bytes = values.size() * sizeof(T);
    (void)aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    (void)aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    return memory;
}

template <typename T, typename Want>
int Wrong(aclrtStream stream, const char* what, void* device, Want want)
{
    std::vector<T> got(COUNT);
    const aclError status = aclrtSynchronizeStream(stream);
    (void)aclrtMemcpy(got.data(), COUNT * sizeof(T), device, COUNT * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = status == 0 ? 0 : 1;
    for (uint32_t i = 0; i < COUNT; i++) {
        wrong += got[i] == static_cast<T>(want(i)) ? 0 : 1;
    }
    std::printf("%s: status %d, %d of %u wrong\n", what, status, wrong, COUNT);
    return wrong;
}

// The kernel `affine` of a file, launched with a list of arguments; 0 when the values are right and a wrong list is
// refused.
int Loaded(aclrtStream stream, void* x, void* y)
{
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle function = nullptr;
    aclrtArgsHandle arguments = nullptr;
    aclrtParamHandle last = nullptr;
    int failed = aclrtBinaryLoadFromFile(BINARY, nullptr, &binary);
    failed += aclrtBinaryGetFunction(binary, "affine", &function) + aclrtKernelArgsInit(function, &arguments);
    bool isShifted = true;
    float scale = -2.0F;
    int16_t shift = 77;
    failed += aclrtKernelArgsAppend(arguments, &x, sizeof(x), &last);
    failed += aclrtKernelArgsAppend(arguments, &isShifted, sizeof(isShifted), &last);
    failed += aclrtKernelArgsAppend(arguments, &scale, sizeof(scale), &last);
    failed += aclrtKernelArgsAppend(arguments, &y, sizeof(y), &last);
    failed += aclrtKernelArgsAppend(arguments, &scale, sizeof(shift), &last);
    failed += aclrtKernelArgsFinalize(arguments) + aclrtKernelArgsParaUpdate(arguments, last, &shift, sizeof(shift));
    failed += aclrtLaunchKernelWithConfig(function, BLOCKS, stream, nullptr, arguments, nullptr);
    failed += aclrtBinaryUnLoad(binary);
    failed += Wrong<float>(stream, "loaded", y, [](uint32_t i) { return -1.0F * i + 77.0F; });

    aclrtArgsHandle wrong = nullptr;
    failed += aclrtKernelArgsInit(function, &wrong) + aclrtKernelArgsAppend(wrong, &x, sizeof(x), &last);
    failed += aclrtKernelArgsAppend(wrong, &x, sizeof(x), &last) + aclrtKernelArgsFinalize(wrong);
    const int refused = aclrtLaunchKernelWithConfig(function, BLOCKS, stream, nullptr, wrong, nullptr);
    const char* const message = aclGetRecentErrMsg();
    std::printf("wrong arguments: %d, %s\n", refused, message == nullptr ? "" : message);
    return failed;
}

} // namespace

int main()
{
    aclrtStream stream = nullptr;
    if (aclInit(nullptr) != 0 || aclrtSetDevice(0) != 0 || aclrtCreateStream(&stream) != 0) {
        return 1;
    }
    std::vector<float> floats(COUNT);
    std::vector<int32_t> integers(COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        floats[i] = 0.5F * i;
        integers[i] = static_cast<int32_t>(i) - 100;
    }
    void* const x = OnDevice(floats);
    void* const n = OnDevice(integers);
    void* const y = OnDevice(floats);
    void* const workspace = OnDevice(std::vector<char>(SYSTEM_WORKSPACE + COUNT * sizeof(float)));
    void* const tiling = OnDevice(std::vector<Shift>{{3.0F, 0.25F}});

    uint32_t refused = ACLRT_LAUNCH_KERNEL(scaled_float)(BLOCKS, stream, x, y, 4.0F, -7);
    int wrong = Wrong<float>(stream, "scaled_float", y, [](uint32_t i) { return 2.0F * i - 7.0F; });
    refused += ACLRT_LAUNCH_KERNEL(scaled_int32_t)(BLOCKS, stream, n, y, 3.0F, 5);
    wrong += Wrong<int32_t>(stream, "scaled_int32_t", y,
                            [](uint32_t i) { return 3 * (static_cast<int32_t>(i) - 100) + 5; });
    refused += ACLRT_LAUNCH_KERNEL(raised)<float, 9>(BLOCKS, stream, x, y, 3.0F);
    wrong += Wrong<float>(stream, "raised", y, [](uint32_t i) { return 1.5F * i + 9.0F; });
    refused += ACLRT_LAUNCH_KERNEL(raised)<int32_t, 6>(BLOCKS, stream, n, y, -2);
    wrong += Wrong<int32_t>(stream, "raised", y, [](uint32_t i) { return 206 - 2 * static_cast<int32_t>(i); });
    refused += ACLRT_LAUNCH_KERNEL(shifted)(BLOCKS, stream, x, y, workspace, tiling);
    wrong += Wrong<float>(stream, "shifted", y, [](uint32_t i) { return 0.5F * i + 3.25F; });

    wrong += Wrong<float>(stream, "workspace", static_cast<char*>(workspace) + SYSTEM_WORKSPACE,
                          [](uint32_t i) { return 0.5F * i + 3.0F; });

    refused += ACLRT_LAUNCH_KERNEL(affine)(BLOCKS, stream, x, true, 8.0F, y, -300);
    wrong += Wrong<float>(stream, "affine", y, [](uint32_t i) { return 4.0F * i - 300.0F; });

    wrong += Loaded(stream, x, y);

    const uint32_t product = ACLRT_LAUNCH_KERNEL(product)(1, stream, x, x, y);
    const char* const message = aclGetRecentErrMsg();
    std::printf("product: %u, %s\n", product, message == nullptr ? "" : message);
    launches::Product(1, stream, x);
    const char* const missing = aclGetRecentErrMsg();
    std::printf("missing: %s\n", missing == nullptr ? "" : missing);
    std::printf("tiles: %u\n", ACLRT_LAUNCH_KERNEL(tiles)(1, stream, x));
    for (void* memory : {x, n, y, workspace, tiling}) {
        (void)aclrtFree(memory);
    }
    (void)aclrtDestroyStream(stream);
    (void)aclrtResetDevice(0);
    (void)aclFinalize();
    return wrong == 0 && refused == 0 ? 0 : 1;
}
