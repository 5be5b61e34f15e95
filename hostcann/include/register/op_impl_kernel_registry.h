// What is registered for one op type.
#ifndef HOSTCANN_REGISTER_OP_IMPL_KERNEL_REGISTRY_H
#define HOSTCANN_REGISTER_OP_IMPL_KERNEL_REGISTRY_H

#include "register/op_impl_registry.h"

namespace gert {
struct OpImplKernelRegistry {
    struct OpImplFunctions {
        bool HasDataDependency() const { return inputs_dependency != 0U; }
        // Indices count the inputs of the op definition; 64 and above are never dependent.
        bool IsInputDataDependency(const size_t index) const { return Has(inputs_dependency, index); }
        ge::graphStatus SetInputDataDependency(const size_t index) { return Set(inputs_dependency, index); }
        bool HasHostInput() const { return host_inputs != 0U; }
        bool IsHostInput(const size_t index) const { return Has(host_inputs, index); }
        ge::graphStatus SetHostInputs(const size_t index) { return Set(host_inputs, index); }
        bool HasTilingInputDataDependency() const { return tiling_dependency != 0U; }
        bool IsTilingInputDataDependency(const size_t index) const { return Has(tiling_dependency, index); }
        ge::graphStatus SetTilingInputDataDependency(const size_t index) { return Set(tiling_dependency, index); }
        bool IsSupportTilingDependencyPlacement(const uint32_t placement) const
        {
            return placement < 8U && ((tiling_dependency_placements >> placement) & 1U) != 0U;
        }
        ge::graphStatus SetTilingDependencyPlacement(const uint32_t placement)
        {
            if (placement >= 8U) {
                return ge::GRAPH_FAILED;
            }
            tiling_dependency_placements = static_cast<uint8_t>(tiling_dependency_placements | (1U << placement));
            return ge::GRAPH_SUCCESS;
        }
        bool IsOutputShapeDependOnCompute() const { return output_shape_depend_compute != 0U; }
        bool IsOutputShapeDependOnCompute(const size_t index) const { return Has(output_shape_depend_compute, index); }
        ge::graphStatus SetOutputShapeDependOnCompute(const size_t index)
        {
            return Set(output_shape_depend_compute, index);
        }

        OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
        OpImplRegisterV2::InferShapeRangeKernelFunc infer_shape_range = nullptr;
        OpImplRegisterV2::InferDataTypeKernelFunc infer_datatype = nullptr;
        OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
        OpImplRegisterV2::KernelFunc tiling_parse = nullptr;
        OpImplRegisterV2::CompileInfoCreatorFunc compile_info_creator = nullptr;
        OpImplRegisterV2::CompileInfoDeleterFunc compile_info_deleter = nullptr;
        size_t max_tiling_data_size = 0U;
        uint64_t inputs_dependency = 0U;
        OpImplRegisterV2::PrivateAttrList private_attrs;
        uint64_t host_inputs = 0U;
        OpImplRegisterV2::OpExecFunc op_execute_func = nullptr;
        uint64_t tiling_dependency = 0U;
        OpImplRegisterV2::GenSimplifiedKeyKernelFunc gen_simplifiedkey = nullptr;
        uint8_t tiling_dependency_placements = 0U;
        uint64_t output_shape_depend_compute = 0U;

    protected:
        static bool Has(const uint64_t mask, const size_t index) { return index < 64U && ((mask >> index) & 1U) != 0U; }
        static ge::graphStatus Set(uint64_t& mask, const size_t index)
        {
            if (index >= 64U) {
                return ge::GRAPH_FAILED;
            }
            mask |= uint64_t{1} << index;
            return ge::GRAPH_SUCCESS;
        }
    };

    struct OpImplFunctionsV2 : OpImplFunctions {
        bool IsNullableOutput(const size_t index) const { return Has(nullable_outputs_, index); }
        ge::graphStatus NullableOutput(const size_t index) { return Set(nullable_outputs_, index); }

        OpImplRegisterV2::InferFormatFunc infer_format_func = nullptr;
        OpImplRegisterV2::OpCalcParamKernelFunc calc_op_param = nullptr;
        OpImplRegisterV2::OpGenTaskKernelFunc gen_task = nullptr;
        OpImplRegisterV2::OP_CHECK_FUNC_V2 check_support = nullptr;
        OpImplRegisterV2::OP_CHECK_FUNC_V2 op_select_format = nullptr;
        OpImplRegisterV2::OpExecPrepareFunc op_execute_prepare_func = nullptr;
        OpImplRegisterV2::OpExecLaunchFunc op_execute_launch_func = nullptr;
        OpImplRegisterV2::ExceptionDumpFunc exception_func = nullptr;
        uint64_t nullable_outputs_ = 0U;
    };
};
} // namespace gert

#endif
