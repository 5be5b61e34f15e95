// OP_ADD(OpType) registers an op definition; which part of it, the library being built decides by macro. The registered
// object is static: a registration belongs to the library that holds it.
#ifndef HOSTCANN_REGISTER_OP_DEF_REGISTRY_H
#define HOSTCANN_REGISTER_OP_DEF_REGISTRY_H

#include "register/op_def.h"
#include "register/op_def_factory.h"

#if defined(OP_PROTO_LIB)
// The infershape functions set with SetInferShape and its kin.
#define OP_ADD(opType, ...)                                    \
    static int g_##opType##_added = [](const char* name) {     \
        opType op(name);                                       \
        gert::OpImplRegisterV2 chain(name);                    \
        (void)chain.InferShape(op.GetInferShape())             \
            .InferShapeRange(op.GetInferShapeRange())          \
            .InferDataType(op.GetInferDataType());             \
        static const gert::OpImplRegisterV2 registered(chain); \
        return 0;                                              \
    }(#opType)
#elif defined(OP_TILING_LIB)
// The tiling function set with AICore().SetTiling, with a compile info nobody reads.
#define OP_ADD(opType, ...)                                                                               \
    struct OpAddCompilerInfoPlaceholder##opType {};                                                       \
    static ge::graphStatus TilingPrepare##opType(gert::TilingParseContext*) { return ge::GRAPH_SUCCESS; } \
    static int g_##opType##_added = [](const char* name) {                                                \
        opType op(name);                                                                                  \
        gert::OpImplRegisterV2 chain(name);                                                               \
        (void)chain.Tiling(op.AICore().GetTiling())                                                       \
            .TilingParse<OpAddCompilerInfoPlaceholder##opType>(TilingPrepare##opType);                    \
        static const gert::OpImplRegisterV2 registered(chain);                                            \
        return 0;                                                                                         \
    }(#opType)
#else
// A creator for op_build.
#define OP_ADD(opType, ...)                                             \
    static int g_##opType##_added = ops::OpDefFactory::OpDefRegisterV2( \
        #opType, [](const char* name) -> ops::OpDef { return opType(name); })
#endif

#endif
