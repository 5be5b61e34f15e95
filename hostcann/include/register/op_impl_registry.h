// Registration of infershape and tiling functions (metadef register/op_impl_registry.h). Nothing is registered by the
// constructor that takes the op type: copying or moving the finished chain into its global registers it, merged by op
// type.
#ifndef HOSTCANN_REGISTER_OP_IMPL_REGISTRY_H
#define HOSTCANN_REGISTER_OP_IMPL_REGISTRY_H

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/op_execute_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/ascend_string.h"
#include "graph/compiler_def.h"
#include "graph/error_codes.h"
#include "graph/types.h"

extern "C" {
typedef struct rtExceptionInfo aclrtExceptionInfo;
}

namespace gert {
class InferFormatContext;
class ExeResGenerationContext;
class OpCheckContext;

enum TilingPlacement { TILING_ON_HOST = 0, TILING_ON_AICPU = 1 };

class OpImplRegisterV2Impl;
class OpImplRegisterV2 {
public:
    explicit OpImplRegisterV2(const ge::char_t* op_type);
    OpImplRegisterV2(OpImplRegisterV2&& register_data) noexcept;
    OpImplRegisterV2(const OpImplRegisterV2& register_data);
    OpImplRegisterV2& operator=(const OpImplRegisterV2&) = delete;
    OpImplRegisterV2& operator=(OpImplRegisterV2&&) = delete;
    ~OpImplRegisterV2();

    using InferShapeKernelFunc = UINT32 (*)(InferShapeContext*);
    using InferShapeRangeKernelFunc = UINT32 (*)(InferShapeRangeContext*);
    using TilingKernelFunc = UINT32 (*)(TilingContext*);
    using InferDataTypeKernelFunc = UINT32 (*)(InferDataTypeContext*);
    using GenSimplifiedKeyKernelFunc = UINT32 (*)(TilingContext*, ge::char_t*);
    using OpExecFunc = UINT32 (*)(OpExecuteContext*);
    using OpExecPrepareFunc = UINT32 (*)(OpExecutePrepareContext*);
    using OpExecLaunchFunc = UINT32 (*)(OpExecuteLaunchContext*);
    using OpType = ge::AscendString;
    // Name and value as text ("" without a value).
    using PrivateAttrList = std::vector<std::pair<ge::AscendString, ge::AscendString>>;
    using CompileInfoCreatorFunc = void* (*)();
    using CompileInfoDeleterFunc = void (*)(void*);
    using KernelFunc = UINT32 (*)(KernelContext* context);
    using TilingParseFunc = UINT32 (*)(TilingParseContext* context);
    using InferFormatFunc = UINT32 (*)(InferFormatContext* context);
    using OpCalcParamKernelFunc = UINT32 (*)(ExeResGenerationContext* context);
    using OpGenTaskKernelFunc = UINT32 (*)(const ExeResGenerationContext* context,
                                           std::vector<std::vector<uint8_t>>& tasks);
    using OP_CHECK_FUNC_V2 = ge::graphStatus (*)(const OpCheckContext* context, ge::AscendString& result);
    using ExceptionDumpFunc = void (*)(aclrtExceptionInfo* exception_info, void* reserved);

    OpImplRegisterV2& InferShape(InferShapeKernelFunc infer_shape_func);
    OpImplRegisterV2& InferShapeRange(InferShapeRangeKernelFunc infer_shape_range_func);
    OpImplRegisterV2& InferDataType(InferDataTypeKernelFunc infer_datatype_func);
    OpImplRegisterV2& InferOutDataTypeSameWithFirstInput();
    OpImplRegisterV2& Tiling(TilingKernelFunc tiling_func, size_t max_tiling_data_size = 2048);
    OpImplRegisterV2& GenSimplifiedKey(GenSimplifiedKeyKernelFunc gen_simplifiedkey_func);
    OpImplRegisterV2& PrivateAttr(const ge::char_t* private_attr);
    OpImplRegisterV2& PrivateAttr(const ge::char_t* private_attr, int64_t private_attr_val);
    OpImplRegisterV2& PrivateAttr(const ge::char_t* private_attr, const std::vector<int64_t>& private_attr_val);
    OpImplRegisterV2& PrivateAttr(const ge::char_t* private_attr, const ge::char_t* private_attr_val);
    OpImplRegisterV2& PrivateAttr(const ge::char_t* private_attr, ge::float32_t private_attr_val);
    OpImplRegisterV2& PrivateAttr(const ge::char_t* private_attr, bool private_attr_val);
    OpImplRegisterV2& PrivateAttr(const ge::char_t* private_attr, const std::vector<ge::float32_t>& private_attr_val);

    // T is made by `new T()` before the parse function runs and kept for every tiling of the op.
    template <typename T>
    OpImplRegisterV2& TilingParse(KernelFunc const tiling_parse_func)
    {
        return TilingParse(tiling_parse_func, CreateCompileInfo<T>, DeleteCompileInfo<T>);
    }
    template <typename T>
    OpImplRegisterV2& TilingParse(TilingParseFunc const tiling_parse_func)
    {
        return TilingParse(reinterpret_cast<KernelFunc>(tiling_parse_func), CreateCompileInfo<T>, DeleteCompileInfo<T>);
    }

    OpImplRegisterV2& InputsDataDependency(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2& OpExecuteFunc(OpExecFunc op_execute_func);
    OpImplRegisterV2& Op2StageExecuteFuncs(OpExecPrepareFunc prepare_func, OpExecLaunchFunc launch_func);
    OpImplRegisterV2& HostInputs(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs);
    OpImplRegisterV2& TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                                 std::initializer_list<TilingPlacement> placements);
    OpImplRegisterV2& OutputShapeDependOnCompute(std::initializer_list<int32_t> outputs);
    OpImplRegisterV2& InferFormat(InferFormatFunc infer_format_func);
    OpImplRegisterV2& CalcOpParam(OpCalcParamKernelFunc calc_op_param_func);
    OpImplRegisterV2& GenerateTask(OpGenTaskKernelFunc gen_task_func);
    OpImplRegisterV2& CheckSupport(OP_CHECK_FUNC_V2 check_support_func);
    OpImplRegisterV2& OpSelectFormat(OP_CHECK_FUNC_V2 op_select_format_func);
    OpImplRegisterV2& ExceptionDumpParseFunc(ExceptionDumpFunc exception_func);
    OpImplRegisterV2& NullableOutputs(std::initializer_list<int32_t> outputs);

private:
    OpImplRegisterV2& TilingParse(KernelFunc tiling_parse_func, CompileInfoCreatorFunc creator_func,
                                  CompileInfoDeleterFunc deleter_func);
    OpImplRegisterV2& AddPrivateAttr(const ge::char_t* private_attr, const std::string& value);

    template <typename T>
    static void* CreateCompileInfo()
    {
        static_assert(!std::is_array<T>::value, "TilingParse<T>: T is one struct");
        return new T();
    }
    template <typename T>
    static void DeleteCompileInfo(void* const obj)
    {
        delete static_cast<T*>(obj);
    }

    std::unique_ptr<OpImplRegisterV2Impl> impl_;
};
} // namespace gert

#define IMPL_OP_COUNTER(op_type, name, counter) \
    static gert::OpImplRegisterV2 VAR_UNUSED name##counter = gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_COUNTER_NUMBER(op_type, name, counter) IMPL_OP_COUNTER(op_type, name, counter)
#define IMPL_OP(op_type) IMPL_OP_COUNTER_NUMBER(op_type, op_impl_register_##op_type, __COUNTER__)
#define IMPL_OP_DEFAULT() IMPL_OP(DefaultImpl)
#define IMPL_OP_INFERSHAPE(op_type) \
    gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_infershape_##op_type = gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_OPTILING(op_type) \
    gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_optiling_##op_type = gert::OpImplRegisterV2(#op_type)

#endif
