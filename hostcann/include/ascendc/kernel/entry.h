// What calls a kernel function. Included behind the kernel's own source, so that it brings no names a device has not.
#ifndef HOSTCANN_ASCENDC_KERNEL_ENTRY_H
#define HOSTCANN_ASCENDC_KERNEL_ENTRY_H

#include <cxxabi.h>
#include <exception>
#include <typeinfo>

#include "hostcann/aicore_abi.h"

namespace AscendC {
namespace hostcann {

// Runs a kernel; an exception that it throws becomes a fault. Faults of the core pass: they are no C++ exceptions.
template <typename Call>
void KernelEntry(const Call& call)
{
    try {
        call();
    } catch (const std::exception& thrown) {
        aic_thrown(thrown.what());
    } catch (...) {
        if (std::current_exception() == nullptr) {
            throw;
        }
        const std::type_info* type = abi::__cxa_current_exception_type();
        int status = 0;
        aic_thrown(abi::__cxa_demangle(type->name(), nullptr, nullptr, &status));
    }
}

} // namespace hostcann
} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_ENTRY_H
