// The op definition classes (metadef register/op_def.h). Builder methods store; op_build reads them through
// OpDefAccess.
#ifndef HOSTCANN_REGISTER_OP_DEF_H
#define HOSTCANN_REGISTER_OP_DEF_H

#include <cstdint>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/operator_reg.h"
#include "register/op_impl_registry.h"

namespace optiling {
#define FUNC_CHECK_SUPPORTED "check_supported"
#define FUNC_OP_SELECT_FORMAT "op_select_format"
#define FUNC_GET_OP_SUPPORT_INFO "get_op_support_info"
#define FUNC_GET_SPECIFIC_INFO "get_op_specific_info"

using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator& op, ge::AscendString& result);
using PARAM_GENERALIZE_FUNC = ge::graphStatus (*)(const ge::Operator& op, const ge::AscendString& generalize_config,
                                                  ge::AscendString& generalized_op_params);

// Taken and forgotten: nothing in hostcann asks an operator for its supported formats.
class OpCheckFuncHelper {
public:
    OpCheckFuncHelper(const ge::AscendString&, const ge::AscendString&, OP_CHECK_FUNC) {}
    OpCheckFuncHelper(const ge::AscendString&, PARAM_GENERALIZE_FUNC) {}
};
} // namespace optiling

namespace ops {
struct OpDefAccess;

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class FormatCheckOption : uint32_t { DEFAULT = 0, STRICT = 1, MAX };
enum class DependScope : uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FollowType : uint32_t { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class AttrDataType {
    ATTR_DT_BOOL = 0,
    ATTR_DT_FLOAT = 1,
    ATTR_DT_INT = 2,
    ATTR_DT_STR = 3,
    ATTR_DT_LIST_BOOL = 4,
    ATTR_DT_LIST_FLOAT = 5,
    ATTR_DT_LIST_INT = 6,
    ATTR_DT_LIST_LIST_INT = 7,
    ATTR_DT_MAX
};
enum class CommentSection : uint32_t {
    CATEGORY = 0,
    BRIEF = 1,
    CONSTRAINTS = 2,
    RESTRICTIONS = 3,
    SEE = 4,
    THIRDPARTYFWKCOMPAT = 5,
    SECTION_MAX
};
enum class ScalarType : uint32_t {
    UINT64 = 0,
    INT64 = 1,
    UINT32 = 2,
    INT32 = 3,
    UINT16 = 4,
    INT16 = 5,
    UINT8 = 6,
    INT8 = 7,
    FLOAT32 = 8,
    FLOAT16 = 9,
    INVALID_DTYPE = static_cast<uint32_t>(-1),
};
enum class HcclServerType : uint32_t { AICPU = 0, AICORE = 1, CCU = 2, MAX };

union ScalarNum {
    uint64_t value_u64;
    int64_t value_i64;
    float value_f32;
    ScalarNum() : value_u64(0) {}
    explicit ScalarNum(uint64_t value) : value_u64(value) {}
    explicit ScalarNum(int64_t value) : value_i64(value) {}
    explicit ScalarNum(float value) : value_f32(value) {}
};
using InitValueNum = ScalarNum;

// A typed number: signed types take value_i64, float types value_f32, the rest value_u64.
struct ScalarVar {
    ScalarType scalar_type = ScalarType::INVALID_DTYPE;
    ScalarNum scalar_num;

    ScalarVar() = default;
    template <typename Number>
    ScalarVar(ScalarType type, Number num) : scalar_type(type)
    {
        if (type == ScalarType::FLOAT32 || type == ScalarType::FLOAT16) {
            scalar_num.value_f32 = static_cast<float>(num);
        } else if (type == ScalarType::INT64 || type == ScalarType::INT32 || type == ScalarType::INT16 ||
                   type == ScalarType::INT8) {
            scalar_num.value_i64 = static_cast<int64_t>(num);
        } else {
            scalar_num.value_u64 = static_cast<uint64_t>(num);
        }
    }
    bool operator==(const ScalarVar& other) const
    {
        return scalar_type == other.scalar_type && scalar_num.value_u64 == other.scalar_num.value_u64;
    }
};

class OpParamDef {
public:
    explicit OpParamDef(const char* name);
    OpParamDef& ParamType(Option param_type);
    // Entry i belongs to column i of the op; all such vectors of an op have one length.
    OpParamDef& DataType(std::vector<ge::DataType> types);
    OpParamDef& Format(std::vector<ge::Format> formats);
    OpParamDef& UnknownShapeFormat(std::vector<ge::Format> formats);
    // Every column is combined with every entry. Excludes DataType / Format.
    OpParamDef& DataTypeList(std::vector<ge::DataType> types);
    OpParamDef& FormatList(std::vector<ge::Format> formats);
    OpParamDef& DataTypeForBinQuery(std::vector<ge::DataType> types);
    OpParamDef& FormatForBinQuery(std::vector<ge::Format> formats);
    OpParamDef& ValueDepend(Option value_depend);
    OpParamDef& ValueDepend(Option value_depend, DependScope scope);
    OpParamDef& IgnoreContiguous(void);
    OpParamDef& AutoContiguous();
    OpParamDef& Scalar();
    OpParamDef& ScalarList();
    OpParamDef& To(const ge::DataType type);
    OpParamDef& To(const char* name);
    OpParamDef& Version(uint32_t version);
    OpParamDef& InitValue(uint64_t value);
    OpParamDef& InitValue(const ScalarVar& value);
    OpParamDef& InitValue(const std::vector<ScalarVar>& value);
    OpParamDef& OutputShapeDependOnCompute();
    OpParamDef& Follow(const char* paramName);
    OpParamDef& Follow(const char* paramName, FollowType ftype);
    OpParamDef& Comment(const char* comment);

private:
    friend struct OpDefAccess;
    struct Data {
        std::string name;
        Option param_type = REQUIRED;
        std::vector<ge::DataType> types, types_list, types_for_bin;
        std::vector<ge::Format> formats, formats_list, formats_for_bin, unknown_shape_formats;
        // Whether the method was called, to tell an empty list from no list.
        bool types_set = false, types_list_set = false, formats_set = false, formats_list_set = false;
        std::string value_depend;
        DependScope depend_scope = DependScope::ALL;
        bool ignore_contiguous = false, auto_contiguous = false;
        bool scalar = false, scalar_list = false;
        ge::DataType to_type = ge::DT_UNDEFINED;
        std::string to_name;
        uint32_t version = 0;
        bool init_value_set = false;
        uint64_t init_value = 0;
        std::vector<ScalarVar> init_values;
        bool shape_depends_on_compute = false;
        std::string follow_name;
        FollowType follow_type = FollowType::INVALID_TYPE;
        std::string comment;
    };
    Data data_;
};

class OpAttrDef {
public:
    explicit OpAttrDef(const char* name);
    OpAttrDef& AttrType(Option attr_type); // REQUIRED unless called with OPTIONAL
    OpAttrDef& Bool(void);
    OpAttrDef& Bool(bool value);
    OpAttrDef& Float(void);
    OpAttrDef& Float(float value);
    OpAttrDef& Int(void);
    OpAttrDef& Int(int64_t value);
    OpAttrDef& String(void);
    OpAttrDef& String(const char* value);
    OpAttrDef& ListBool(void);
    OpAttrDef& ListBool(std::vector<bool> value);
    OpAttrDef& ListFloat(void);
    OpAttrDef& ListFloat(std::vector<float> value);
    OpAttrDef& ListInt(void);
    OpAttrDef& ListInt(std::vector<int64_t> value);
    OpAttrDef& ListListInt(void);
    OpAttrDef& ListListInt(std::vector<std::vector<int64_t>> value);
    OpAttrDef& Version(uint32_t version);
    OpAttrDef& Comment(const char* comment);
    ge::AscendString GetName(void) const { return ge::AscendString(data_.name.c_str()); }
    bool IsRequired(void) const { return data_.required; }

private:
    friend struct OpDefAccess;
    struct Data {
        std::string name;
        bool required = true;
        AttrDataType type = AttrDataType::ATTR_DT_MAX; // no type method called yet
        std::string default_value;                     // as the ini writes it
        uint32_t version = 0;
        std::string comment;
    };
    OpAttrDef& Set(AttrDataType type, std::string default_value);
    Data data_;
};

// Entries of the AI CPU and host CPU configuration of an operator.
template <typename Def>
class CpuDef {
public:
    Def& Engine(const char* value) { return ExtendCfgInfo("opInfo.engine", value); }
    Def& FlagPartial(bool flag) { return ExtendCfgInfo("opInfo.flagPartial", flag ? "True" : "False"); }
    Def& ComputeCost(const char* value) { return ExtendCfgInfo("opInfo.computeCost", value); }
    Def& FlagAsync(bool flag) { return ExtendCfgInfo("opInfo.flagAsync", flag ? "True" : "False"); }
    Def& OpKernelLib(const char* value) { return ExtendCfgInfo("opInfo.opKernelLib", value); }
    Def& KernelSo(const char* value) { return ExtendCfgInfo("opInfo.kernelSo", value); }
    Def& FunctionName(const char* value) { return ExtendCfgInfo("opInfo.functionName", value); }
    Def& UserDefined(bool flag) { return ExtendCfgInfo("opInfo.userDefined", flag ? "True" : "False"); }
    Def& ExtendCfgInfo(const char* key, const char* value);

private:
    friend struct OpDefAccess;
    std::vector<std::pair<std::string, std::string>> items_;
};
class OpAICPUDef : public CpuDef<OpAICPUDef> {};
class OpHostCPUDef : public CpuDef<OpHostCPUDef> {};

class OpAICoreConfig {
public:
    OpAICoreConfig() = default;
    // With the six flags AddConfig(soc) gives: all true but needCheckSupport.
    OpAICoreConfig(const char* soc);
    // Replaces the op's parameter of that name for this soc.
    OpParamDef& Input(const char* name);
    OpParamDef& Output(const char* name);
    OpAICoreConfig& DynamicCompileStaticFlag(bool flag);
    OpAICoreConfig& DynamicFormatFlag(bool flag);
    OpAICoreConfig& DynamicRankSupportFlag(bool flag);
    OpAICoreConfig& DynamicShapeSupportFlag(bool flag);
    OpAICoreConfig& NeedCheckSupportFlag(bool flag);
    OpAICoreConfig& PrecisionReduceFlag(bool flag);
    OpAICoreConfig& ExtendCfgInfo(const char* key, const char* value);

private:
    friend struct OpDefAccess;
    OpAICoreConfig& SetItem(const char* key, const char* value);
    // deque: references handed out by Input/Output stay valid.
    std::deque<OpParamDef> inputs_, outputs_;
    std::vector<std::pair<std::string, std::string>> items_;
};

class OpAICoreDef {
public:
    OpAICoreDef& SetTiling(gert::OpImplRegisterV2::TilingKernelFunc func);
    OpAICoreDef& SetCheckSupport(optiling::OP_CHECK_FUNC func);
    OpAICoreDef& SetOpSelectFormat(optiling::OP_CHECK_FUNC func);
    OpAICoreDef& SetOpSupportInfo(optiling::OP_CHECK_FUNC func);
    OpAICoreDef& SetOpSpecInfo(optiling::OP_CHECK_FUNC func);
    OpAICoreDef& SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC func);
    OpAICoreDef& LaunchWithZeroEleOutputTensors(bool launchFlag);
    gert::OpImplRegisterV2::TilingKernelFunc& GetTiling(void) { return tiling_; }
    optiling::OP_CHECK_FUNC& GetCheckSupport(void) { return check_support_; }
    optiling::OP_CHECK_FUNC& GetOpSelectFormat(void) { return select_format_; }
    optiling::OP_CHECK_FUNC& GetOpSupportInfo(void) { return support_info_; }
    optiling::OP_CHECK_FUNC& GetOpSpecInfo(void) { return spec_info_; }
    optiling::PARAM_GENERALIZE_FUNC& GetParamGeneralize(void) { return generalize_; }
    OpAICoreDef& AddConfig(const char* soc);
    OpAICoreDef& AddConfig(const char* soc, OpAICoreConfig& aicore_config);

private:
    friend struct OpDefAccess;
    gert::OpImplRegisterV2::TilingKernelFunc tiling_ = nullptr;
    optiling::OP_CHECK_FUNC check_support_ = nullptr;
    optiling::OP_CHECK_FUNC select_format_ = nullptr;
    optiling::OP_CHECK_FUNC support_info_ = nullptr;
    optiling::OP_CHECK_FUNC spec_info_ = nullptr;
    optiling::PARAM_GENERALIZE_FUNC generalize_ = nullptr;
    bool launch_with_empty_outputs_ = false;
    std::map<std::string, OpAICoreConfig> configs_;
};

class OpMC2Def {
public:
    OpMC2Def& HcclGroup(const char* value);
    OpMC2Def& HcclGroup(std::vector<const char*> value);
    void HcclServerType(enum HcclServerType type, const char* soc = nullptr);

private:
    friend struct OpDefAccess;
    std::vector<std::string> groups_;
    std::map<std::string, ops::HcclServerType> server_types_; // "" is every soc
};

class OpDef {
public:
    explicit OpDef(const char* type);
    // The parameter of that name, made on first use.
    OpParamDef& Input(const char* name);
    OpParamDef& Output(const char* name);
    OpAttrDef& Attr(const char* name);
    OpDef& Comment(CommentSection section, const char* comment);
    OpDef& SetInferShape(gert::OpImplRegisterV2::InferShapeKernelFunc func);
    OpDef& SetInferShapeRange(gert::OpImplRegisterV2::InferShapeRangeKernelFunc func);
    OpDef& SetInferDataType(gert::OpImplRegisterV2::InferDataTypeKernelFunc func);
    gert::OpImplRegisterV2::InferShapeKernelFunc& GetInferShape(void) { return infer_shape_; }
    gert::OpImplRegisterV2::InferShapeRangeKernelFunc& GetInferShapeRange(void) { return infer_shape_range_; }
    gert::OpImplRegisterV2::InferDataTypeKernelFunc& GetInferDataType(void) { return infer_data_type_; }
    OpAICoreDef& AICore(void) { return aicore_; }
    OpAICPUDef& AICPU(void) { return aicpu_; }
    OpHostCPUDef& HostCPU(void) { return hostcpu_; }
    OpMC2Def& MC2(void) { return mc2_; }
    OpDef& FormatMatchMode(FormatCheckOption option);
    OpDef& EnableFallBack(void);

private:
    friend struct OpDefAccess;
    std::string type_;
    std::deque<OpParamDef> inputs_, outputs_;
    std::deque<OpAttrDef> attrs_;
    std::vector<std::pair<CommentSection, std::string>> comments_;
    gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape_ = nullptr;
    gert::OpImplRegisterV2::InferShapeRangeKernelFunc infer_shape_range_ = nullptr;
    gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_data_type_ = nullptr;
    OpAICoreDef aicore_;
    OpAICPUDef aicpu_;
    OpHostCPUDef hostcpu_;
    OpMC2Def mc2_;
    FormatCheckOption format_check_ = FormatCheckOption::DEFAULT;
    bool fall_back_ = false;
};
} // namespace ops

#endif
