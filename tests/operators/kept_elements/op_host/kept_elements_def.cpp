#include "register/op_def_registry.h"

namespace ops {
// The positive elements of x one behind the other. Only the first column becomes a kernel here: config/<soc> leaves the
// second one out, the others have a format and a type of other engines.
class KeptElements : public OpDef {
public:
    explicit KeptElements(const char* name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT, ge::DT_HIFLOAT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_FRACTAL_NZ, ge::FORMAT_ND});
        this->Output("y")
            .OutputShapeDependOnCompute()
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT, ge::DT_INT32, ge::DT_FLOAT, ge::DT_HIFLOAT8})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_FRACTAL_NZ, ge::FORMAT_ND});
        this->AICore().AddConfig("ascend910b");
#ifdef KEPT_ELEMENTS_LATER_CHIPS
        this->AICore().AddConfig("ascend950");
#endif
    }
};
OP_ADD(KeptElements);
} // namespace ops
