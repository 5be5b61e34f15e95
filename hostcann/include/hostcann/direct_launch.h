// What bisheng of this toolkit makes of `kernel<T><<<blocks, ub_size, stream>>>(args)`.
#ifndef HOSTCANN_DIRECT_LAUNCH_H
#define HOSTCANN_DIRECT_LAUNCH_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ascendc/kernel/entry.h"
#include "hostcann/host_abi.h"

namespace hostcann {

// A literal 0 or NULL among the arguments: as a variable it would be a number only.
struct Null {
    template <typename T, typename = std::enable_if_t<std::is_pointer<T>::value || std::is_arithmetic<T>::value>>
    operator T() const
    {
        return static_cast<T>(0);
    }
};

// What a parameter is deduced from: a number where nobody wants a pointer.
template <typename T>
using Number = std::conditional_t<std::is_same<std::decay_t<T>, Null>::value, int, std::decay_t<T>>;

// A kernel with its arguments, which are copied as the device's launch copies them.
template <typename Function, typename... Args>
struct BoundKernel {
    Function function;
    std::tuple<Args...> args;

    static void Block(void* const* state)
    {
        const auto* self = static_cast<const BoundKernel*>(state[0]);
        ::AscendC::hostcann::KernelEntry([self] { std::apply(self->function, self->args); });
    }
    static void Release(void* state) { delete static_cast<BoundKernel*>(state); }
};

template <typename T>
void AddPointer(hc_pointer* found, size_t* count, uint32_t index, const T& value)
{
    if constexpr (std::is_pointer<T>::value) {
        found[(*count)++] = {index, const_cast<const void*>(static_cast<const volatile void*>(value))};
    }
}

template <typename Function>
class Launcher {
public:
    Launcher(Function function, const char* name, uint32_t blocks, void* stream)
        : function_(function), name_(name), blocks_(blocks), stream_(stream)
    {
    }

    template <typename... Args>
    void operator()(Args&&... args) const
    {
        if constexpr (std::is_invocable<const Function&, const Number<Args>&...>::value) {
            (void)Queue(Number<Args>(std::forward<Args>(args))...);
        } else {
            (void)Queue(std::decay_t<Args>(std::forward<Args>(args))...);
        }
    }

    // ACLRT_LAUNCH_KERNEL: whether the launch was queued, as an error code of acl.
    template <typename... Args>
    uint32_t Launch(Args... args) const
    {
        return static_cast<uint32_t>(Queue(std::move(args)...));
    }

private:
    // A launch that is refused says so in the log, and in aclGetRecentErrMsg; a fault comes with the stream's next
    // synchronisation.
    template <typename... Args>
    hc_status Queue(Args&&... args) const
    {
        using Bound = BoundKernel<Function, Args...>;
        auto* const bound = new Bound{function_, std::tuple<Args...>(std::move(args)...)};
        hc_pointer pointers[sizeof...(Args) + 1];
        size_t count = 0;
        uint32_t index = 0;
        std::apply([&](const auto&... value) { (AddPointer(pointers, &count, index++, value), ...); }, bound->args);
        (void)index;
        return hc_launch_kernel(&Bound::Block, bound, &Bound::Release, name_, blocks_, pointers, count, stream_);
    }

    Function function_;
    const char* name_;
    uint32_t blocks_;
    void* stream_;
};

template <typename Function>
class Kernel {
public:
    Kernel(Function function, const char* name) : function_(function), name_(name) {}

    // The size of dynamic UB means nothing on A2; without a stream it is the default one.
    template <typename Blocks, typename Size>
    Launcher<Function> On(Blocks blocks, const Size&, void* stream = nullptr) const
    {
        return {function_, name_, static_cast<uint32_t>(blocks), stream};
    }

private:
    Function function_;
    const char* name_;
};

// A launch of a loaded kernel with the values that a program appended: their sizes must be those of the parameters.
template <typename... Params, typename Function>
uint32_t LaunchWith(const Launcher<Function>& launcher, const char* name, const void* const* values,
                    const size_t* sizes, size_t count)
{
    const size_t expected[] = {sizeof(Params)..., 0};
    size_t same = 0;
    while (same < count && same < sizeof...(Params) && sizes[same] == expected[same]) {
        same++;
    }
    if (same != count || same != sizeof...(Params)) {
        std::string text = std::string("kernel ") + name + ": ";
        if (same < count && same < sizeof...(Params)) {
            text += "argument " + std::to_string(same) + " has " + std::to_string(sizes[same]) +
                    " bytes, its parameter has " + std::to_string(expected[same]);
        } else {
            text += std::to_string(count) + " arguments for " + std::to_string(sizeof...(Params)) + " parameters";
        }
        hc_log(HC_LOG_ERROR, "ACL", text.c_str());
        hc_report_error("EE1001", text.c_str());
        return 107000;
    }
    const auto launch = [&]<size_t... At>(std::index_sequence<At...>) {
        std::tuple<std::remove_cv_t<Params>...> read;
        (std::memcpy(&std::get<At>(read), values[At], sizeof(Params)), ...);
        return launcher.Launch(std::get<At>(read)...);
    };
    return launch(std::index_sequence_for<Params...>{});
}

} // namespace hostcann

#endif // HOSTCANN_DIRECT_LAUNCH_H
