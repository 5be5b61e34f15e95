// Per-soc configurations registered outside the op definition.
#ifndef HOSTCANN_REGISTER_OP_CONFIG_REGISTRY_H
#define HOSTCANN_REGISTER_OP_CONFIG_REGISTRY_H

#include <map>

#include "register/op_def.h"

namespace ops {
using OpAICoreConfigFunc = OpAICoreConfig (*)();

class OpConfigRegistry {
public:
    void RegisterOpAICoreConfig(const char* name, const char* socVersion, OpAICoreConfigFunc func);
};

std::map<ge::AscendString, OpAICoreConfigFunc> GetOpAllAICoreConfig(const char* name);
} // namespace ops

#define REGISTER_OP_AICORE_CONFIG(opType, socVersion, opFunc) \
    REGISTER_OP_AICORE_CONFIG_UNIQ_HELPER(opType, socVersion, (opFunc), __COUNTER__)
#define REGISTER_OP_AICORE_CONFIG_UNIQ_HELPER(opType, socVersion, opFunc, counter) \
    REGISTER_OP_AICORE_CONFIG_UNIQ(opType, socVersion, (opFunc), counter)
#define REGISTER_OP_AICORE_CONFIG_UNIQ(opType, socVersion, opFunc, counter)                             \
    static uint32_t VAR_UNUSED g_##opType##Op##socVersion##ConfigRegistryInterfV1##counter = [](void) { \
        ops::OpConfigRegistry().RegisterOpAICoreConfig(#opType, #socVersion, opFunc);                   \
        return 0U;                                                                                      \
    }()

#endif
