// Kernels that crash, throw, leave or do not end: one per name, each with arguments x, y (512 floats each) as Scale's.
#include "kernel_operator.h"

#include "ascendc/kernel/entry.h"

#include <cstdlib>
#include <stdexcept>
#include <unistd.h>

using namespace AscendC;

// Holds a destructor on the stack, so that unwinding has something to do.
struct Crash {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    LocalTensor<float> tile;

    Crash()
    {
        pipe.InitBuffer(buf, 4096);
        tile = buf.Get<float>();
        Duplicate(tile, 1.0f, 64); // LAST
    }
};

#define KERNEL(name) extern "C" __attribute__((visibility("default"))) void name(void* const* args)

KERNEL(pointer)
{
    Crash crash;
    volatile int* address = reinterpret_cast<int*>(static_cast<char*>(args[0]) - static_cast<char*>(args[0]) + 16);
    *address = 1; // CRASH(pointer)
}

static __attribute__((noinline)) void Store(volatile int* address) noexcept
{
    *address = 1; // CRASH(no_way_out)
}

KERNEL(no_way_out)
{
    Crash crash;
    Store(reinterpret_cast<int*>(static_cast<char*>(args[0]) - static_cast<char*>(args[0]) + 16));
}

KERNEL(division)
{
    Crash crash;
    volatile int zero = args[0] == nullptr;
    zero = 7 / zero; // CRASH(division)
}

KERNEL(copy)
{
    Crash crash;
    GlobalTensor<float> far;
    far.SetGlobalBuffer(reinterpret_cast<float*>(uintptr_t{1} << 46));
    DataCopy(crash.tile, far, 64); // CRASH(copy)
}

static int Deep(volatile char* above)
{
    volatile char frame[4096];
    frame[0] = above[0];
    return frame[0] == 1 ? 0 : Deep(frame) + frame[0]; // CRASH(stack)
}

KERNEL(stack)
{
    Duplicate(Crash().tile, 1.0f, 64);
    char none = 0;
    *static_cast<volatile int*>(args[1]) = Deep(&none);
}

KERNEL(trap)
{
    Crash crash;
    __builtin_trap(); // CRASH(trap)
}

KERNEL(aborts)
{
    Crash crash;
    std::abort();
}

KERNEL(throws)
{
    hostcann::KernelEntry([] {
        Crash crash;
        throw std::runtime_error("no such mode");
    });
}

KERNEL(throws_number)
{
    hostcann::KernelEntry([] {
        Crash crash;
        throw 7;
    });
}

// A fault of the core goes through the same door.
KERNEL(faults)
{
    hostcann::KernelEntry([] {
        Crash crash;
        Adds(crash.tile, crash.tile, 1.0f, 1000000);
    });
}

KERNEL(exits)
{
    Crash crash;
    std::exit(0);
}

KERNEL(spins)
{
    Crash crash;
    volatile uint64_t n = 0;
    while (args[0] != nullptr) {
        n = n + 1; // CRASH(spins)
    }
}

KERNEL(sleeps)
{
    while (args[0] != nullptr) {
        usleep(10000);
    }
}

KERNEL(calls)
{
    Crash crash;
    while (args[0] != nullptr) {
        Adds(crash.tile, crash.tile, 1.0f, 64); // CRASH(calls)
    }
}

// The way of a tiling function: crashes outside of any kernel.
extern "C" __attribute__((visibility("default"))) int tiling(int* context)
{
    return *context; // CRASH(tiling)
}

extern "C" __attribute__((visibility("default"))) int tiling_spins(int* context)
{
    volatile uint64_t n = 0;
    while (context == nullptr) {
        n = n + 1; // CRASH(tiling_spins)
    }
    return 0;
}

KERNEL(good)
{
    Crash crash;
    static_cast<float*>(args[1])[0] = 42.0f;
}

KERNEL(element)
{
    Crash crash;
    GlobalTensor<int32_t> x;
    x.SetGlobalBuffer(static_cast<int32_t*>(args[0]));
    x.SetValue(uint64_t{1} << 44, 1); // CRASH(element)
}

KERNEL(offset)
{
    Crash crash;
    volatile float* t = reinterpret_cast<float*>(crash.tile[16].GetPhyAddr());
    *t = 1; // CRASH(offset)
}
