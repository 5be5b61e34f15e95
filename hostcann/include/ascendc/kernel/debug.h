// printf, DumpTensor and assertions. -DASCENDC_DUMP=0 removes them, as in the toolkit.
#ifndef HOSTCANN_ASCENDC_KERNEL_DEBUG_H
#define HOSTCANN_ASCENDC_KERNEL_DEBUG_H

#include <cstdio>

#include "ascendc/kernel/constants.h"
#include "ascendc/kernel/tensor.h"

#ifndef ASCENDC_DUMP
#define ASCENDC_DUMP 1
#endif

namespace AscendC {

namespace hostcann {

HOSTCANN_API double Printable(half x) { return static_cast<float>(x); }
HOSTCANN_API double Printable(bfloat16_t x) { return ToFloat(x); }
template <typename T>
HOSTCANN_API T Printable(T x)
{
    return x;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
// The text of a format and its arguments.
class Text {
public:
    Text() : bytes_(new char[1]()) {}
    template <typename... Args>
    explicit Text(const char* fmt, const Args&... args)
    {
        const int32_t len = std::snprintf(nullptr, 0, fmt, Printable(args)...);
        const size_t size = len > 0 ? static_cast<size_t>(len) + 1 : 1;
        bytes_ = new char[size]();
        std::snprintf(bytes_, size, fmt, Printable(args)...);
    }
    ~Text() { delete[] bytes_; }
    Text(const Text&) = delete;
    Text& operator=(const Text&) = delete;
    const char* Get() const { return bytes_; }

private:
    char* bytes_;
};
#pragma GCC diagnostic pop

template <typename T>
HOSTCANN_API void Dump(const void* gm, const aic_operand& ub, uint32_t desc, uint32_t count, const ShapeInfo& shapeInfo)
{
    aic_dump_ins ins{gm, ub, DtypeOf<T>::VALUE, desc, count, shapeInfo.shapeDim, {}};
    for (int32_t i = 0; i < K_MAX_SHAPE_DIM; ++i) {
        ins.shape[i] = shapeInfo.shape[i];
    }
    aic_dump(&ins);
}

template <typename... Args>
HOSTCANN_API void Log(int level, const char* fmt, const Args&... args)
{
    // Errors only, the level at which CANN logs by default.
    if (level >= 3) {
        aic_print(Text(fmt, args...).Get());
    }
}

} // namespace hostcann

#if ASCENDC_DUMP
template <typename... Args>
HOSTCANN_API void PRINTF(const char* fmt, Args&&... args)
{
    aic_print(hostcann::Text(fmt, args...).Get());
}
#else
template <typename... Args>
HOSTCANN_API void PRINTF(const char*, Args&&...)
{
}
#endif
template <typename... Args>
HOSTCANN_API void printf(const char* fmt, Args&&... args)
{
    PRINTF(fmt, args...);
}

template <typename T>
HOSTCANN_API void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                             const ShapeInfo& shapeInfo = ShapeInfo())
{
    if (ASCENDC_DUMP != 0) {
        hostcann::Dump<T>(nullptr, hostcann::Access::Operand(tensor), desc, dumpSize, shapeInfo);
    }
}
template <typename T>
HOSTCANN_API void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize,
                             const ShapeInfo& shapeInfo = ShapeInfo())
{
    if (ASCENDC_DUMP != 0) {
        // A null tensor must not look like one in the unified buffer.
        const void* gm = tensor.GetPhyAddr() == nullptr ? reinterpret_cast<const void*>(1) : tensor.GetPhyAddr();
        hostcann::Dump<T>(gm, aic_operand{}, desc, dumpSize, shapeInfo);
    }
}
template <typename T>
HOSTCANN_API void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize)
{
    DumpTensor(tensor[countOff], index, dumpSize);
}
template <typename T>
HOSTCANN_API void DumpAccChkPoint(const GlobalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize)
{
    DumpTensor(tensor[countOff], index, dumpSize);
}

// -DASCENDC_TIME_STAMP_ON prints stamps.
HOSTCANN_API void PrintTimeStamp([[maybe_unused]] uint32_t descId)
{
#if defined(ASCENDC_TIME_STAMP_ON)
    aic_print(hostcann::Text("descId is %u, rsv is 0, timeStamp is %lld, pcPtr is %lld, entry is 0.\n", descId,
                             static_cast<long long>(aic_system_cycle()), static_cast<long long>(aic_program_counter()))
                  .Get());
#endif
}

// The range that a profiler measures; there is none here.
HOSTCANN_API void MetricsProfStart() {}
HOSTCANN_API void MetricsProfStop() {}

// What CheckLocalMemoryIA watches: the blocks of 32 bytes behind startAddr up to endAddr.
struct CheckLocalMemoryIAParam {
    uint8_t enableBit = 0;
    uint32_t startAddr = 0;
    uint32_t endAddr = 0;
    bool isScalarRead = false;
    bool isScalarWrite = false;
    bool isVectorRead = false;
    bool isVectorWrite = false;
    bool isMteRead = false;
    bool isMteWrite = false;
    bool isEnable = false;
    uint32_t reserved = 0;
};
HOSTCANN_API void CheckLocalMemoryIA(const CheckLocalMemoryIAParam& checkParams)
{
    const bool bits[] = {checkParams.isScalarRead,  checkParams.isScalarWrite, checkParams.isVectorRead,
                         checkParams.isVectorWrite, checkParams.isMteRead,     checkParams.isMteWrite,
                         checkParams.isEnable};
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < 7; ++i) {
        kinds |= (bits[i] ? 1u : 0u) << i;
    }
    aic_local_watch(checkParams.enableBit, checkParams.startAddr, checkParams.endAddr, kinds);
}

// Stops the kernel.
HOSTCANN_API void Trap() { aic_assert("Trap()", "kernel", 0, "the kernel called Trap"); }

} // namespace AscendC

// The same under the names of utils/debug. A raw pointer into the unified buffer is an offset, as GetPhyAddr gives it.
template <typename T>
HOSTCANN_API void asc_dump_gm(__gm__ T* input, uint32_t desc, uint32_t dump_size)
{
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(input);
    AscendC::DumpTensor(tensor, desc, dump_size);
}
template <typename T>
HOSTCANN_API void asc_dump_ubuf(__ubuf__ T* input, uint32_t desc, uint32_t dump_size)
{
    const auto addr = static_cast<uint32_t>(reinterpret_cast<uint64_t>(input));
    AscendC::DumpTensor(AscendC::LocalTensor<T>(AscendC::TPosition::VECCALC, addr, dump_size), desc, dump_size);
}
template <typename T>
HOSTCANN_API void asc_dump(T* input, uint32_t desc, uint32_t dump_size)
{
    if (reinterpret_cast<uint64_t>(input) < AscendC::TOTAL_UB_SIZE) {
        asc_dump_ubuf(input, desc, dump_size);
    } else {
        asc_dump_gm(input, desc, dump_size);
    }
}
HOSTCANN_API void asc_time_stamp(uint32_t desc_id) { AscendC::PrintTimeStamp(desc_id); }
HOSTCANN_API void asc_prof_start() {}
HOSTCANN_API void asc_prof_stop() {}
// Marks for a simulator's timeline; off unless it is asked for.
#define TRACE_START(...)
#define TRACE_STOP(...)

#if ASCENDC_DUMP
#define HOSTCANN_ASSERT(expr, text, ...)                                                        \
    do {                                                                                        \
        if (!(expr)) {                                                                          \
            aic_assert(text, __FILE__, __LINE__, ::AscendC::hostcann::Text(__VA_ARGS__).Get()); \
        }                                                                                       \
    } while (0)
#define ascendc_assert(expr, ...) HOSTCANN_ASSERT(expr, #expr, ##__VA_ARGS__)
#else
#define HOSTCANN_ASSERT(...)
#define ascendc_assert(...)
#endif

// These vanish on the NPU; CANN's CPU mode runs them, and so they run here. The second argument of ASCENDC_ASSERT is
// what the kernel does before it stops.
enum KernelLogLevel { KERNEL_DEBUG = 0, KERNEL_INFO, KERNEL_WARN, KERNEL_ERROR };
#define KERNEL_LOG(level, ...) ::AscendC::hostcann::Log(level, __VA_ARGS__)
#undef ASSERT
#undef ASCENDC_ASSERT
#define ASSERT(expr) HOSTCANN_ASSERT(expr, #expr)
#define ASSERT_MSG(expr, ...) HOSTCANN_ASSERT(expr, #expr, ##__VA_ARGS__)
#define ASCENDC_ASSERT(expr, ...)                      \
    do {                                               \
        if (!(expr)) {                                 \
            __VA_ARGS__;                               \
            aic_assert(#expr, __FILE__, __LINE__, ""); \
        }                                              \
    } while (0)

// The macro of <assert.h> would end the process. Undefined and defined again where a kernel includes that header later.
#undef assert
#if defined(NDEBUG)
#define assert(...)
#else
#define assert(expr, ...) HOSTCANN_ASSERT(expr, #expr, ##__VA_ARGS__)
#endif

#endif // HOSTCANN_ASCENDC_KERNEL_DEBUG_H
