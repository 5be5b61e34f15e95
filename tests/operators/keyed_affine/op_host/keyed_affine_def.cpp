#include "register/op_def_registry.h"

namespace ops {
// x = x * scale + shift, in place; scale comes from the host.
class KeyedAffine : public OpDef {
public:
    explicit KeyedAffine(const char* name) : OpDef(name)
    {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32}).AutoContiguous();
        this->Input("scale").ParamType(REQUIRED).DataType({ge::DT_INT64, ge::DT_INT64}).ValueDepend(REQUIRED);
        this->Output("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_INT32});
        this->Attr("shift").AttrType(OPTIONAL).Int(0);
        OpAICoreConfig config;
        config.DynamicShapeSupportFlag(true).DynamicRankSupportFlag(true).ExtendCfgInfo("opFile.value", "affine");
        this->AICore().AddConfig("ascend910b", config);
        this->AICore().AddConfig("ascend910_93", config);
    }
};
OP_ADD(KeyedAffine);
} // namespace ops
