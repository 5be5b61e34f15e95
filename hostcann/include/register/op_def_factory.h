#ifndef HOSTCANN_REGISTER_OP_DEF_FACTORY_H
#define HOSTCANN_REGISTER_OP_DEF_FACTORY_H

#include <functional>
#include <vector>

#include "register/op_def.h"

namespace ops {
using OpDefCreator = std::function<OpDef(const char*)>;
using OpDefFuncPtr = OpDef (*)(const char*);

// Op definitions of the loaded plugins.
class OpDefFactory {
public:
    // 0. A second definition of one op type is kept aside and refused by op_build.
    static int OpDefRegister(const char* name, OpDefCreator creator);
    static int OpDefRegisterV2(const char* name, OpDefFuncPtr ptr);

private:
    friend struct OpDefAccess;
};
} // namespace ops

#endif
