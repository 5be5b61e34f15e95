#include "register/op_def_registry.h"

namespace ops {
class WeightedStack : public OpDef {
public:
    explicit WeightedStack(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(DYNAMIC).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).AutoContiguous();
        this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).AutoContiguous();
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
        this->Attr("first_weight").AttrType(REQUIRED).Float();
        this->Attr("other_weights").AttrType(OPTIONAL).ListFloat({2.0F, 0.5F});
        this->Attr("rounds").AttrType(OPTIONAL).Int(1);
        this->AICore().AddConfig("ascend910b");
        this->AICore().AddConfig("ascend910_93");
    }
};
OP_ADD(WeightedStack);
} // namespace ops
