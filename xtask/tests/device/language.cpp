// C++ that an AI Core does not have. Each kernel's broken form has the faults its comments name, its right form none.
#include "kernel_operator.h"

namespace {

__aicore__ inline void Write(GM_ADDR y, float value) { *reinterpret_cast<__gm__ float*>(y) = value; }
__aicore__ inline float Read(GM_ADDR x) { return *reinterpret_cast<__gm__ float*>(x); }

struct Shape {
    __aicore__ inline Shape() {}
    __aicore__ virtual inline float Area() { return 0.0f; }
};
struct Square : Shape {
    __aicore__ inline Square(float x) : side(x) {}
    __aicore__ inline float Area() override { return side * side; }
    float side;
};
struct Plain {
    __aicore__ inline float Area() { return side * side; }
    float side;
};

__aicore__ inline uint32_t Sum(uint32_t n)
{
    return n == 0 ? 0 : n + Sum(n - 1); // FAULT(recursion): Sum calls itself at run time
}
__aicore__ inline uint32_t Odd(uint32_t n);
__aicore__ inline uint32_t Even(uint32_t n) { return n == 0 ? 1 : Odd(n - 1); }
__aicore__ inline uint32_t Odd(uint32_t n)
{
    return n == 0 ? 0 : Even(n - 1); // FAULT(recursion): Even calls itself at run time
}
template <uint32_t N>
__aicore__ inline uint32_t Unrolled()
{
    if constexpr (N == 0) {
        return 0;
    } else {
        return N + Unrolled<N - 1>();
    }
}

} // namespace

extern "C" __global__ __aicore__ void exceptions(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_exceptions
    if (Read(x) < 0.0f) {
        throw 1; // FAULT(exceptions): device code uses `throw`
    }
    try { // FAULT(exceptions): device code uses `try`
        Write(y, 1.0f);
    } catch (...) {
    }
#else
    Write(y, Read(x) < 0.0f ? 0.0f : 1.0f);
#endif
}

extern "C" __global__ __aicore__ void heap(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_heap
    float* values = new float[4]; // FAULT(heap): device code uses `new`
    values[0] = Read(x);
    Write(y, values[0]);
    delete[] values; // FAULT(heap): device code uses `delete`
#else
    alignas(4) unsigned char room[4];
    Write(y, *new (room) float(Read(x)));
#endif
}

extern "C" __global__ __aicore__ void statics(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_statics
    static float last = 0.0f; // FAULT(statics): last is a static variable of a function in device code
    last += Read(x);
    Write(y, last);
#else
    static constexpr float FACTORS[2] = {1.0f, 2.0f};
    static const uint32_t COUNT = 2;
    Write(y, Read(x) * FACTORS[AscendC::GetBlockIdx() % COUNT]);
#endif
}

extern "C" __global__ __aicore__ void thread_locals(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_thread_locals
    thread_local float last = 0.0f; // FAULT(thread_locals): thread
    last += Read(x);
    Write(y, last);
#else
    float last = Read(x);
    Write(y, last);
#endif
}

extern "C" __global__ __aicore__ void variable_arrays(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    const uint32_t n = AscendC::GetBlockNum();
#ifdef BROKEN_variable_arrays
    float values[n]; // FAULT(variable_arrays): variable-length array
    values[0] = Read(x);
    Write(y, values[n - 1]);
#else
    constexpr uint32_t most = 8;
    float values[most] = {Read(x)};
    Write(y, values[n % most]);
#endif
}

extern "C" __global__ __aicore__ void stack(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, // FAULT(stack): bytes of stack
                                            GM_ADDR tiling)
{
#ifdef BROKEN_stack
    float values[5000];
    values[AscendC::GetBlockIdx()] = Read(x);
    if (values[0] > 0.0f) {
        float more[5000];
        more[AscendC::GetBlockIdx()] = values[0];
        Write(y, more[0]);
    }
#else
    // Not at the same time.
    if (AscendC::GetBlockIdx() == 0) {
        float values[5000];
        values[AscendC::GetBlockIdx()] = Read(x);
        Write(y, values[0]);
    } else {
        float values[5000];
        values[0] = Read(x);
        Write(y, values[0]);
    }
#endif
}

extern "C" __global__ __aicore__ void virtuals(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_virtuals
    Square square(Read(x));
    Shape& shape = square;
    Write(y, shape.Area()); // FAULT(virtuals): device code calls the virtual function Shape::Area
#else
    Plain plain{Read(x)};
    Write(y, plain.Area());
#endif
}

extern "C" __global__ __aicore__ void recursion(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    const uint32_t n = AscendC::GetBlockNum();
#ifdef BROKEN_recursion
    Write(y, static_cast<float>(Sum(n) + Even(n)));
#else
    Write(y, static_cast<float>(Unrolled<5>() + n));
#endif
}

extern "C" __global__ __aicore__ void doubles(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
#ifdef BROKEN_doubles
    const double wide = static_cast<double>(Read(x));
    Write(y, static_cast<float>(wide * wide)); // FAULT(doubles): device code computes with double
    Write(y, Read(x) * 0.5); // FAULT(doubles): device code computes with double
    if (Read(x) > 1.0) { // FAULT(doubles): device code computes with double
        Write(y, 1.0);
    }
#else
    const float half = 1.0 / 2.0;
    Write(y, Read(x) * half);
    if (Read(x) > 1.0f) {
        Write(y, 1.0);
    }
    *reinterpret_cast<__gm__ double*>(y) = 0.0;
#endif
}

namespace {

// Only its instances have a body that can be judged.
template <typename T>
class Room {
public:
    template <typename U>
    __aicore__ inline U Keep(T value)
    {
#ifdef BROKEN_instances
        T* room = new T(value); // FAULT(instances): device code uses `new`
        return static_cast<U>(*room);
#else
        return static_cast<U>(value);
#endif
    }
};

} // namespace

extern "C" __global__ __aicore__ void instances(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling)
{
    Room<int32_t> room;
    const auto scale = [&](auto value) {
#ifdef BROKEN_instances
        static float last; // FAULT(instances): last is a static variable
        last = value;
        return last;
#else
        return value * 2.0f;
#endif
    };
    Write(y, scale(room.Keep<float>(3)));
}
