#include "register/op_def_registry.h"

namespace ops {
class StackCube : public OpDef {
public:
    explicit StackCube(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT16});
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(StackCube);
} // namespace ops
