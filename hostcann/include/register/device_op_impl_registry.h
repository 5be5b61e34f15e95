// Tiling functions for the device's CPU (tiling sink). Here tiling runs on the host alone, by the function of the
// definition: what is registered for the device compiles and is not called.
#ifndef INC_EXTERNAL_REGISTER_DEVICE_OP_IMPL_REGISTRY_H_
#define INC_EXTERNAL_REGISTER_DEVICE_OP_IMPL_REGISTRY_H_

#include "register/op_impl_registry.h"

namespace optiling {
using SinkTilingFunc = ge::graphStatus (*)(gert::TilingContext*);

class DeviceOpImplRegister {
public:
    explicit DeviceOpImplRegister(const char*) {}
    DeviceOpImplRegister& Tiling(SinkTilingFunc) { return *this; }
};
} // namespace optiling

#define DEVICE_IMPL_OP_OPTILING(op_type)                                     \
    static const ::optiling::DeviceOpImplRegister g_device_op_impl_##op_type \
        __attribute__((unused)) = ::optiling::DeviceOpImplRegister(#op_type)

#endif
