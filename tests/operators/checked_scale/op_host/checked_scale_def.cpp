#include "register/op_def_registry.h"

namespace ops {
// y = x * factor, and how many elements did not fit: FLOAT on the AI Core, INT64 and DOUBLE on the AI CPU.
class CheckedScale : public OpDef {
public:
    explicit CheckedScale(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("factor").AttrType(REQUIRED).Int();
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(CheckedScale);
} // namespace ops
