// Calls that leave device code. Each kernel's broken form has the faults its comments name, its right form none.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// Tiling structs bring headers of the host along.
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
#include "kernel_operator.h"

namespace {

// As a policy of a kernel had it: constexpr, so g++ and clang's own device mode take it.
template <typename T>
inline constexpr float HostLimit()
{
    return sizeof(T) == 2 ? 4194304.0f : 16777216.0f;
}
template <typename T>
__aicore__ inline constexpr float DeviceLimit()
{
    return sizeof(T) == 2 ? 4194304.0f : 16777216.0f;
}

template <typename T>
class Policy {
public:
    // In a constant expression it is no call.
    static constexpr float SAME = HostLimit<T>();

    __aicore__ inline float Limit(float x)
    {
#ifdef BROKEN_constexpr_function
        return x + HostLimit<T>(); // FAULT(constexpr_function): HostLimit is called from device code, but is not
#else
        return x + SAME + DeviceLimit<T>();
#endif
    }
};

inline float HostHalf(float x) { return x * 0.5f; }
__aicore__ inline float DeviceHalf(float x) { return x * 0.5f; }

struct HostMade {
    HostMade(float x) : value(x) {}
    float value;
};
struct DeviceMade {
    __aicore__ inline DeviceMade(float x) : value(x) {}
    float value;
};

float hostState = 1.0f;
constexpr float TABLE[2] = {0.5f, 2.0f};
// One that clang takes for a variable: its value is none of C++'s constant expressions.
constexpr uint32_t LEAST_BITS = 0xFF7FFFFF;
const float LEAST = *(const float*)(&LEAST_BITS);
// A constant outside of functions, computed by a function of the device.
__aicore__ inline constexpr uint32_t LaneBytes()
{
    return 256;
}
constexpr uint32_t LANES = LaneBytes() / sizeof(float);

__aicore__ inline void Write(GM_ADDR y, float value) { *reinterpret_cast<__gm__ float*>(y) = value; }
__aicore__ inline float Read(GM_ADDR x) { return *reinterpret_cast<__gm__ float*>(x); }

} // namespace

// The host's half of a program in a kernel's file.
void constexpr_function_do(uint32_t blocks, void* stream, GM_ADDR x);

extern "C" __global__ __aicore__ void constexpr_function(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Policy<half> policy;
    Write(y, policy.Limit(Read(x)));
}

#ifdef BROKEN_entry
extern "C" __global__ void entry(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, // FAULT(entry): entry is called from device
                                 GM_ADDR tiling) {}
#else
extern "C" __global__ __aicore__ void entry(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {}
#endif

extern "C" __global__ __aicore__ void plain_function(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_plain_function
    Write(y, HostHalf(Read(x))); // FAULT(plain_function): HostHalf is called from device code, but is not __aicore__
#else
    Write(y, DeviceHalf(Read(x)));
#endif
}

extern "C" __global__ __aicore__ void constructor(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_constructor
    HostMade made(Read(x)); // FAULT(constructor): HostMade is called from device code, but is not __aicore__
    Write(y, made.value);
#else
    DeviceMade made(Read(x));
    Write(y, made.value);
#endif
}

extern "C" __global__ __aicore__ void global_variable(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_global_variable
    Write(y, hostState); // FAULT(global_variable): device code uses the variable hostState of the host
#else
    Write(y, TABLE[AscendC::GetBlockIdx() & 1] + LEAST);
#endif
}

extern "C" __global__ __aicore__ void math_library(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_math_library
    Write(y, std::sqrt(Read(x))); // FAULT(math_library): device code calls std::sqrt of the host's library
    Write(y, std::pow(Read(x), 2.5f)); // FAULT(math_library): device code calls std::pow of the host's library
    Write(y, sinf(Read(x))); // FAULT(math_library): device code calls sinf of the host's library
#else
    float value = sqrt(Read(x));
    float other = std::numeric_limits<float>::max();
    std::swap(value, other);
    Write(y, std::move(value) < std::max(other, 1.0f) ? value : other);
#endif
}

extern "C" __global__ __aicore__ void c_library(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_c_library
    std::printf("%f\n", Read(x)); // FAULT(c_library): printf
    if (getenv("HOME") != nullptr) { // FAULT(c_library): getenv
        abort(); // FAULT(c_library): abort
    }
#else
    AscendC::printf("%f\n", Read(x));
#endif
}

extern "C" __global__ __aicore__ void containers(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_containers
    std::vector<float> values(3); // FAULT(containers): (it needs the heap)
    values.push_back(Read(x)); // FAULT(containers): push_back of the host's library
    Write(y, values[0]);
#else
    float values[4] = {Read(x)};
    Write(y, values[0]);
#endif
}

void constexpr_function_do(uint32_t blocks, void* stream, GM_ADDR x)
{
    constexpr_function<<<blocks, nullptr, stream>>>(x, x, x, x);
}
