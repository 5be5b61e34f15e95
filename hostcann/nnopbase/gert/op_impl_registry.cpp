// Registration of operator functions and their look-up. A registration belongs to the library that holds the registered
// object, so it does not matter when and by whom the library was loaded.
#include "register/op_impl_registry.h"

#include <dlfcn.h>
#include <link.h>

#include <mutex>

#include "base/registry/op_impl_space_registry_v2.h"
#include "op_common/log/log.h"
#include "register/op_impl_kernel_registry.h"

namespace gert {
using Functions = OpImplKernelRegistry::OpImplFunctionsV2;

class OpImplRegisterV2Impl {
public:
    std::string op_type;
    Functions functions;
};

namespace {
// Takes over what `from` has and `into` lacks.
void Merge(Functions& into, const Functions& from)
{
    const auto take = [](auto& mine, const auto& theirs) {
        if (!mine) {
            mine = theirs;
        }
    };
    take(into.infer_shape, from.infer_shape);
    take(into.infer_shape_range, from.infer_shape_range);
    take(into.infer_datatype, from.infer_datatype);
    take(into.tiling, from.tiling);
    take(into.tiling_parse, from.tiling_parse);
    take(into.compile_info_creator, from.compile_info_creator);
    take(into.compile_info_deleter, from.compile_info_deleter);
    take(into.max_tiling_data_size, from.max_tiling_data_size);
    take(into.inputs_dependency, from.inputs_dependency);
    take(into.host_inputs, from.host_inputs);
    take(into.op_execute_func, from.op_execute_func);
    take(into.tiling_dependency, from.tiling_dependency);
    take(into.gen_simplifiedkey, from.gen_simplifiedkey);
    take(into.tiling_dependency_placements, from.tiling_dependency_placements);
    take(into.output_shape_depend_compute, from.output_shape_depend_compute);
    take(into.infer_format_func, from.infer_format_func);
    take(into.calc_op_param, from.calc_op_param);
    take(into.gen_task, from.gen_task);
    take(into.check_support, from.check_support);
    take(into.op_select_format, from.op_select_format);
    take(into.op_execute_prepare_func, from.op_execute_prepare_func);
    take(into.op_execute_launch_func, from.op_execute_launch_func);
    take(into.exception_func, from.exception_func);
    take(into.nullable_outputs_, from.nullable_outputs_);
    if (into.private_attrs.empty()) {
        into.private_attrs = from.private_attrs;
    }
}

using ByOpType = std::map<std::string, Functions>;

// All registrations of the process: by load address of their library, and in order of arrival.
struct Registrations {
    std::mutex lock;
    std::map<const void*, ByOpType> by_library;
    ByOpType all;
};

// Never destroyed: registrations may come from static initialisers of any library.
Registrations& Process()
{
    static Registrations* const registrations = new Registrations;
    return *registrations;
}

const void* LibraryOf(const void* address)
{
    Dl_info info{};
    return dladdr(address, &info) != 0 ? info.dli_fbase : nullptr;
}

void Register(const void* object, const OpImplRegisterV2Impl& made)
{
    Registrations& process = Process();
    const std::lock_guard<std::mutex> guard(process.lock);
    Merge(process.by_library[LibraryOf(object)][made.op_type], made.functions);
    Merge(process.all[made.op_type], made.functions);
}

template <typename SetOne>
void SetEach(const std::string& op_type, const char* what, std::initializer_list<int32_t> indices, SetOne set)
{
    for (const int32_t index : indices) {
        if (index < 0 || set(static_cast<size_t>(index)) != ge::GRAPH_SUCCESS) {
            OP_LOGE(op_type, "%s: index %d is not in 0..63", what, index);
        }
    }
}

UINT32 SameDataTypeAsFirstInput(InferDataTypeContext* context)
{
    const ge::DataType type = context->GetInputDataType(0U);
    for (size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i) {
        const ge::graphStatus status = context->SetOutputDataType(i, type);
        if (status != ge::GRAPH_SUCCESS) {
            return status;
        }
    }
    return ge::GRAPH_SUCCESS;
}

template <typename T>
std::string ListText(const std::vector<T>& values)
{
    std::string text = "[";
    for (const T& value : values) {
        text += (text.size() == 1 ? "" : ",") + Ops::Base::TextOf(value);
    }
    return text + "]";
}
} // namespace

OpImplRegisterV2::OpImplRegisterV2(const ge::char_t* op_type) : impl_(std::make_unique<OpImplRegisterV2Impl>())
{
    impl_->op_type = op_type == nullptr ? "" : op_type;
}

OpImplRegisterV2::OpImplRegisterV2(OpImplRegisterV2&& register_data) noexcept : impl_(std::move(register_data.impl_))
{
    if (impl_ != nullptr) {
        Register(this, *impl_);
    }
}

OpImplRegisterV2::OpImplRegisterV2(const OpImplRegisterV2& register_data)
    : impl_(register_data.impl_ == nullptr ? nullptr : std::make_unique<OpImplRegisterV2Impl>(*register_data.impl_))
{
    if (impl_ != nullptr) {
        Register(this, *impl_);
    }
}

OpImplRegisterV2::~OpImplRegisterV2() = default;

#define HC_STORE(method, type, field)                     \
    OpImplRegisterV2& OpImplRegisterV2::method(type func) \
    {                                                     \
        impl_->functions.field = func;                    \
        return *this;                                     \
    }
HC_STORE(InferShape, InferShapeKernelFunc, infer_shape)
HC_STORE(InferShapeRange, InferShapeRangeKernelFunc, infer_shape_range)
HC_STORE(InferDataType, InferDataTypeKernelFunc, infer_datatype)
HC_STORE(GenSimplifiedKey, GenSimplifiedKeyKernelFunc, gen_simplifiedkey)
HC_STORE(OpExecuteFunc, OpExecFunc, op_execute_func)
HC_STORE(InferFormat, InferFormatFunc, infer_format_func)
HC_STORE(CalcOpParam, OpCalcParamKernelFunc, calc_op_param)
HC_STORE(GenerateTask, OpGenTaskKernelFunc, gen_task)
HC_STORE(CheckSupport, OP_CHECK_FUNC_V2, check_support)
HC_STORE(OpSelectFormat, OP_CHECK_FUNC_V2, op_select_format)
HC_STORE(ExceptionDumpParseFunc, ExceptionDumpFunc, exception_func)
#undef HC_STORE

OpImplRegisterV2& OpImplRegisterV2::InferOutDataTypeSameWithFirstInput()
{
    return InferDataType(SameDataTypeAsFirstInput);
}

OpImplRegisterV2& OpImplRegisterV2::Tiling(TilingKernelFunc tiling_func, size_t max_tiling_data_size)
{
    impl_->functions.tiling = tiling_func;
    impl_->functions.max_tiling_data_size = max_tiling_data_size;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::TilingParse(KernelFunc tiling_parse_func, CompileInfoCreatorFunc creator_func,
                                                CompileInfoDeleterFunc deleter_func)
{
    impl_->functions.tiling_parse = tiling_parse_func;
    impl_->functions.compile_info_creator = creator_func;
    impl_->functions.compile_info_deleter = deleter_func;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::Op2StageExecuteFuncs(OpExecPrepareFunc prepare_func, OpExecLaunchFunc launch_func)
{
    impl_->functions.op_execute_prepare_func = prepare_func;
    impl_->functions.op_execute_launch_func = launch_func;
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::AddPrivateAttr(const ge::char_t* private_attr, const std::string& value)
{
    auto& attrs = impl_->functions.private_attrs;
    const ge::AscendString name(private_attr);
    const bool known = std::any_of(attrs.begin(), attrs.end(), [&](const auto& attr) { return attr.first == name; });
    if (private_attr == nullptr || private_attr[0] == '\0' || known) {
        OP_LOGE(impl_->op_type, "private attribute '%s' is %s", name.GetString(), known ? "there already" : "unnamed");
        return *this;
    }
    attrs.emplace_back(name, ge::AscendString(value.c_str()));
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const ge::char_t* private_attr)
{
    return AddPrivateAttr(private_attr, "");
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const ge::char_t* private_attr, int64_t private_attr_val)
{
    return AddPrivateAttr(private_attr, std::to_string(private_attr_val));
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const ge::char_t* private_attr,
                                                const std::vector<int64_t>& private_attr_val)
{
    return AddPrivateAttr(private_attr, ListText(private_attr_val));
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const ge::char_t* private_attr, const ge::char_t* private_attr_val)
{
    return AddPrivateAttr(private_attr, private_attr_val == nullptr ? "" : private_attr_val);
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const ge::char_t* private_attr, ge::float32_t private_attr_val)
{
    return AddPrivateAttr(private_attr, Ops::Base::TextOf(private_attr_val));
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const ge::char_t* private_attr, bool private_attr_val)
{
    return AddPrivateAttr(private_attr, private_attr_val ? "true" : "false");
}
OpImplRegisterV2& OpImplRegisterV2::PrivateAttr(const ge::char_t* private_attr,
                                                const std::vector<ge::float32_t>& private_attr_val)
{
    return AddPrivateAttr(private_attr, ListText(private_attr_val));
}

#define HC_STORE_INDICES(method, setter)                                                                            \
    OpImplRegisterV2& OpImplRegisterV2::method(std::initializer_list<int32_t> indices)                              \
    {                                                                                                               \
        SetEach(impl_->op_type, #method, indices, [this](size_t index) { return impl_->functions.setter(index); }); \
        return *this;                                                                                               \
    }
HC_STORE_INDICES(InputsDataDependency, SetInputDataDependency)
HC_STORE_INDICES(HostInputs, SetHostInputs)
HC_STORE_INDICES(OutputShapeDependOnCompute, SetOutputShapeDependOnCompute)
HC_STORE_INDICES(NullableOutputs, NullableOutput)
#undef HC_STORE_INDICES

OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t> inputs)
{
    return TilingInputsDataDependency(inputs, {TILING_ON_HOST});
}

OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t> inputs,
                                                               std::initializer_list<TilingPlacement> placements)
{
    SetEach(impl_->op_type, "TilingInputsDataDependency", inputs,
            [this](size_t index) { return impl_->functions.SetTilingInputDataDependency(index); });
    for (const TilingPlacement placement : placements) {
        (void)impl_->functions.SetTilingDependencyPlacement(static_cast<uint32_t>(placement));
    }
    return *this;
}

class OpImplSpaceRegistryImpl {
public:
    mutable std::mutex lock;
    ByOpType merged;
    // Answers for op types of no added library; entries stay where they are.
    mutable ByOpType from_process;
};

OpImplSpaceRegistryV2::OpImplSpaceRegistryV2() : impl_(std::make_shared<OpImplSpaceRegistryImpl>()) {}

ge::graphStatus OpImplSpaceRegistryV2::AddSoToRegistry(const OppSoDesc& so_desc)
{
    for (const ge::AscendString& path : so_desc.GetSoPaths()) {
        // Its functions are called until the process ends, so the library is never unloaded.
        void* const handle = dlopen(path.GetString(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (handle == nullptr) {
            const char* reason = dlerror();
            OP_LOGE(so_desc.GetPackageName().GetString(), "op host library '%s' cannot be loaded: %s", path.GetString(),
                    reason == nullptr ? "no reason given" : reason);
            return ge::GRAPH_FAILED;
        }
        struct link_map* map = nullptr;
        if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) {
            OP_LOGE(so_desc.GetPackageName().GetString(), "'%s' is loaded but has no link map", path.GetString());
            return ge::GRAPH_FAILED;
        }
        // The dynamic section lies inside the library, whatever its load address.
        const void* const library = LibraryOf(map->l_ld);
        ByOpType added;
        {
            const std::lock_guard<std::mutex> guard(Process().lock);
            const auto found = Process().by_library.find(library);
            if (found != Process().by_library.end()) {
                added = found->second;
            }
        }
        if (added.empty()) {
            OP_LOGW(so_desc.GetPackageName().GetString(), "'%s' registers no operator", path.GetString());
        }
        const std::lock_guard<std::mutex> guard(impl_->lock);
        for (const auto& [op_type, functions] : added) {
            Merge(impl_->merged[op_type], functions);
        }
    }
    return ge::GRAPH_SUCCESS;
}

const OpImplKernelRegistry::OpImplFunctionsV2* OpImplSpaceRegistryV2::GetOpImpl(const char* op_type) const
{
    if (op_type == nullptr) {
        return nullptr;
    }
    const std::lock_guard<std::mutex> guard(impl_->lock);
    const auto found = impl_->merged.find(op_type);
    if (found != impl_->merged.end()) {
        return &found->second;
    }
    const std::lock_guard<std::mutex> process_guard(Process().lock);
    const auto registered = Process().all.find(op_type);
    if (registered == Process().all.end()) {
        return nullptr;
    }
    Functions& answer = impl_->from_process[op_type];
    Merge(answer, registered->second);
    return &answer;
}

class DefaultOpImplSpaceRegistryV2Impl {
public:
    mutable std::mutex lock;
    OpImplSpaceRegistryV2Array registries;
};

DefaultOpImplSpaceRegistryV2::DefaultOpImplSpaceRegistryV2()
    : impl_(std::make_shared<DefaultOpImplSpaceRegistryV2Impl>())
{
    impl_->registries[static_cast<size_t>(OppImplVersionTag::kOpp)] = std::make_shared<OpImplSpaceRegistryV2>();
}

DefaultOpImplSpaceRegistryV2& DefaultOpImplSpaceRegistryV2::GetInstance()
{
    static DefaultOpImplSpaceRegistryV2 instance;
    return instance;
}

const std::shared_ptr<OpImplSpaceRegistryV2> DefaultOpImplSpaceRegistryV2::GetSpaceRegistry(
    gert::OppImplVersionTag opp_impl_version) const
{
    const std::lock_guard<std::mutex> guard(impl_->lock);
    const auto index = static_cast<size_t>(opp_impl_version);
    return index < impl_->registries.size() ? impl_->registries[index] : nullptr;
}

ge::graphStatus DefaultOpImplSpaceRegistryV2::SetSpaceRegistry(
    const std::shared_ptr<OpImplSpaceRegistryV2>& space_registry_v2, gert::OppImplVersionTag version_tag)
{
    const std::lock_guard<std::mutex> guard(impl_->lock);
    const auto index = static_cast<size_t>(version_tag);
    if (index >= impl_->registries.size()) {
        return ge::GRAPH_FAILED;
    }
    impl_->registries[index] = space_registry_v2;
    return ge::GRAPH_SUCCESS;
}

void DefaultOpImplSpaceRegistryV2::ClearSpaceRegistry()
{
    const std::lock_guard<std::mutex> guard(impl_->lock);
    impl_->registries.fill(nullptr);
}
} // namespace gert
