#include "op_impl.h"

#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "base/context_builder/op_infer_shape_context_builder.h"
#include "base/context_builder/op_tiling_context_builder.h"
#include "base/context_builder/op_tiling_parse_context_builder.h"
#include "base/registry/op_impl_space_registry_v2.h"
#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tiling_data.h"
#include "hostcann/host_abi.h"
#include "hostcann/host_call.h"
#include "opdev/data_type_utils.h"
#include "opdev/op_log.h"
#include "opdev/platform.h"

namespace op {
namespace internal {
namespace {

// CANN's composite engine offers this much; it hands out the bytes of the previous launch, so a field the tiling
// function forgets is never zero by luck.
constexpr size_t kTilingCapacity = 800 * 1024;
constexpr size_t kMaxWorkspaces = 64;
constexpr uint8_t kDirty = 0xA5;
constexpr uint8_t kOtherDirty = 0x5A; // the sign of integers and floats is the other one, too
constexpr const char* kTilingLibrary = "/op_impl/ai_core/tbe/op_tiling/liboptiling.so";

// Op host libraries that have been given to the registry, and whether they could be loaded.
aclnnStatus LoadOnce(const std::string& path, const std::shared_ptr<gert::OpImplSpaceRegistryV2>& registry)
{
    static std::mutex mutex;
    static std::map<std::string, aclnnStatus> loaded;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto known = loaded.find(path);
    if (known != loaded.end()) {
        return known->second;
    }
    const gert::OppSoDesc library({ge::AscendString(path.c_str())}, "vendor");
    const aclnnStatus status = registry->AddSoToRegistry(library) == ge::GRAPH_SUCCESS ? ACLNN_SUCCESS :
                                                                                         ACLNN_ERR_INNER;
    loaded.emplace(path, status);
    return status;
}

std::shared_ptr<gert::OpImplSpaceRegistryV2> Registry()
{
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    auto& holder = gert::DefaultOpImplSpaceRegistryV2::GetInstance();
    auto registry = holder.GetSpaceRegistry();
    if (registry == nullptr) {
        registry = std::make_shared<gert::OpImplSpaceRegistryV2>();
        (void)holder.SetSpaceRegistry(registry);
    }
    return registry;
}

template <typename Builder, typename Array>
void AppendList(Builder& builder, const void* pointer)
{
    using T = std::remove_const_t<std::remove_pointer_t<decltype(std::declval<Array>().GetData())>>;
    std::vector<T> values;
    const auto* array = static_cast<const Array*>(pointer);
    for (uint64_t i = 0; array != nullptr && i < array->Size(); ++i) {
        values.push_back((*array)[i]);
    }
    builder.AppendAttr(values);
}

template <typename Builder>
void AppendScalar(Builder& builder, const aclScalar* scalar)
{
    if (scalar != nullptr && IsFloatingType(scalar->GetDataType())) {
        builder.AppendAttr(scalar->ToFloat());
    } else {
        builder.AppendAttr(scalar == nullptr ? int64_t{0} : scalar->ToInt64());
    }
}

template <typename Builder>
aclnnStatus AppendAttrs(Builder& builder, const OpCall& call)
{
    for (size_t i = 0; call.attrs != nullptr && i < call.attrs->size(); ++i) {
        const OpArg& arg = (*call.attrs)[i];
        switch (arg.type) {
            case OpArgType::OPARG_BOOL:
                builder.AppendAttr(arg.integer != 0);
                break;
            case OpArgType::OPARG_INT:
            case OpArgType::OPARG_UINT:
            case OpArgType::OPARG_DATATYPE:
            case OpArgType::OPARG_IMPLMODE:
                builder.AppendAttr(arg.integer);
                break;
            case OpArgType::OPARG_FLOAT:
                builder.AppendAttr(arg.real32);
                break;
            case OpArgType::OPARG_STRING:
                builder.AppendAttr(ge::AscendString(arg.text.c_str()));
                break;
            case OpArgType::OPARG_ACLSCALAR:
                AppendScalar(builder, static_cast<const aclScalar*>(arg.pointer));
                break;
            case OpArgType::OPARG_INT_LIST:
                AppendList<Builder, aclIntArray>(builder, arg.pointer);
                break;
            case OpArgType::OPARG_FLOAT_LIST:
                AppendList<Builder, aclFloatArray>(builder, arg.pointer);
                break;
            case OpArgType::OPARG_BOOL_LIST:
                AppendList<Builder, aclBoolArray>(builder, arg.pointer);
                break;
            case OpArgType::OPARG_DOUBLE:
                if constexpr (std::is_same<Builder, gert::OpInferShapeContextBuilder>::value) {
                    builder.AppendAttr(static_cast<float>(arg.real64)); // no shape depends on it
                    break;
                }
                [[fallthrough]];
            default:
                // An op definition has no double attributes: CANN stores 8 bytes where GetFloat reads 4.
                OP_LOGE(ACLNN_ERR_INNER,
                        "%s: attribute %zu of OP_ATTR: expected bool, an integer, float, a string, an aclScalar or an "
                        "array, got kind %d; cast a double to float",
                        call.opType.c_str(), i, static_cast<int>(arg.type));
                return ACLNN_ERR_INNER;
        }
    }
    return ACLNN_SUCCESS;
}

std::vector<uint32_t> InstanceCounts(const std::vector<TensorArg>& args)
{
    std::vector<uint32_t> counts;
    for (const TensorArg& arg : args) {
        counts.push_back(static_cast<uint32_t>(arg.tensors.size()));
    }
    return counts;
}

std::vector<gert::Tensor*> GertTensors(const std::vector<TensorArg>& args)
{
    std::vector<gert::Tensor*> present;
    for (const TensorArg& arg : args) {
        for (const aclTensor* tensor : arg.tensors) {
            present.push_back(tensor->GetTensor());
        }
    }
    return present;
}

template <typename Builder>
aclnnStatus DescribeCall(Builder& builder, const OpCall& call)
{
    builder.OpType(call.opType.c_str())
        .OpName(call.name.c_str())
        .IOInstanceNum(InstanceCounts(call.inputs), InstanceCounts(call.outputs));
    return AppendAttrs(builder, call);
}

// The compile info of an op type, made by its TilingParse function once and kept for the life of the process.
class CompileInfos {
public:
    aclnnStatus Get(const OpCall& call, const OpImplFunctions& functions, void** info)
    {
        *info = nullptr;
        if (functions.compile_info_creator == nullptr) {
            return ACLNN_SUCCESS;
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto key = std::make_pair(call.opType, &functions);
        const auto known = infos_.find(key);
        if (known != infos_.end()) {
            *info = known->second;
            return ACLNN_SUCCESS;
        }
        void* made = functions.compile_info_creator();
        if (made == nullptr) {
            OP_LOGE(ACLNN_ERR_INNER_TILING_ERROR, "%s: the compile info of TilingParse could not be created",
                    call.opType.c_str());
            return ACLNN_ERR_INNER_TILING_ERROR;
        }
        const aclnnStatus status = Parse(call, functions, made);
        if (status != ACLNN_SUCCESS) {
            if (functions.compile_info_deleter != nullptr) {
                functions.compile_info_deleter(made);
            }
            return status;
        }
        infos_.emplace(key, made);
        *info = made;
        return ACLNN_SUCCESS;
    }

private:
    static aclnnStatus Parse(const OpCall& call, const OpImplFunctions& functions, void* info)
    {
        if (functions.tiling_parse == nullptr) {
            return ACLNN_SUCCESS;
        }
        gert::OpTilingParseContextBuilder builder;
        const aclnnStatus described = DescribeCall(builder, call);
        if (described != ACLNN_SUCCESS) {
            return described;
        }
        auto holder = builder.CompiledJson("{}")
                          .CompiledInfo(info)
                          .PlatformInfo(GetCurrentPlatformInfo().GetPlatformInfos())
                          .Build();
        auto* context = holder.GetContext();
        if (context == nullptr ||
            hostcann::CallHost("TilingParse function", call.opType, functions.tiling_parse,
                               reinterpret_cast<gert::KernelContext*>(context)) != ge::GRAPH_SUCCESS) {
            ReportCoded("EZ1008", ACLNN_ERR_INNER_TILING_ERROR,
                        call.opType + ": the TilingParse function failed; see the log of the operator's host library");
            return ACLNN_ERR_INNER_TILING_ERROR;
        }
        return ACLNN_SUCCESS;
    }

    std::mutex mutex_;
    std::map<std::pair<std::string, const OpImplFunctions*>, void*> infos_;
};

struct TilingBuffer {
    std::unique_ptr<uint8_t[]> memory{gert::TilingData::CreateCap(kTilingCapacity)};
    gert::TilingData* tiling{reinterpret_cast<gert::TilingData*>(memory.get())};
    size_t touched{kTilingCapacity};
    uint8_t filled{0};

    void Fill(uint8_t value)
    {
        std::memset(tiling->GetData(), value, value == filled ? touched : kTilingCapacity);
        filled = value;
        tiling->SetDataSize(0);
    }
};

// Every byte of the buffer may have been written, but only what the last call declared is known to be.
TilingBuffer& ThreadTilingBuffer()
{
    thread_local TilingBuffer buffer;
    return buffer;
}

aclnnStatus TilingFailed(const OpCall& call, const std::string& what)
{
    std::string shapes;
    for (const TensorArg& arg : call.inputs) {
        for (const aclTensor* tensor : arg.tensors) {
            shapes += (shapes.empty() ? "" : "; ") + std::string(ToString(tensor).GetString());
        }
    }
    ReportCoded("EZ1008", ACLNN_ERR_INNER_TILING_ERROR,
                call.opType + ": " + what + ". Inputs: " + (shapes.empty() ? "none" : shapes));
    return ACLNN_ERR_INNER_TILING_ERROR;
}

} // namespace

aclnnStatus CollectTensors(const std::string& opType, const char* role, const OpArgList& args,
                           std::vector<TensorArg>* tensors)
{
    for (size_t i = 0; i < args.size(); ++i) {
        if (args[i].type == OpArgType::OPARG_ACLTENSOR) {
            tensors->emplace_back(static_cast<const aclTensor*>(args[i].pointer));
            continue;
        }
        if (args[i].type != OpArgType::OPARG_ACLTENSOR_LIST) {
            OP_LOGE(ACLNN_ERR_INNER, "%s: %s %zu: expected an aclTensor or an aclTensorList, got kind %d",
                    opType.c_str(), role, i, static_cast<int>(args[i].type));
            return ACLNN_ERR_INNER;
        }
        const auto* list = static_cast<const aclTensorList*>(args[i].pointer);
        TensorArg arg;
        arg.dynamic = true;
        for (uint64_t at = 0; list != nullptr && at < list->Size(); ++at) {
            if ((*list)[at] == nullptr) {
                OP_LOGE(ACLNN_ERR_INNER, "%s: %s %zu: tensor %llu of the list: expected an aclTensor, got nullptr",
                        opType.c_str(), role, i, static_cast<unsigned long long>(at));
                return ACLNN_ERR_INNER;
            }
            arg.tensors.push_back((*list)[at]);
        }
        tensors->push_back(std::move(arg));
    }
    return ACLNN_SUCCESS;
}

const OpImplFunctions* FindOpImpl(const std::string& opType)
{
    const auto registry = Registry();
    const char* vendor = hc_op_vendor_dir(opType.c_str());
    const std::string path = vendor == nullptr ? "" : std::string(vendor) + kTilingLibrary;
    if (!path.empty() && LoadOnce(path, registry) != ACLNN_SUCCESS) {
        OP_LOGE(ACLNN_ERR_INNER, "%s: the operator's host library %s could not be loaded", opType.c_str(),
                path.c_str());
        return nullptr;
    }
    // A package may bring the shape functions of ops whose kernels it leaves to others.
    for (size_t i = 0; path.empty() && i < hc_vendor_count(); ++i) {
        const std::string other = std::string(hc_vendor_dir(i)) + kTilingLibrary;
        if (access(other.c_str(), R_OK) == 0) {
            (void)LoadOnce(other, registry); // a failure has been reported, and the function may be elsewhere
        }
    }
    const OpImplFunctions* functions = registry->GetOpImpl(opType.c_str());
    if (functions == nullptr) {
        OP_LOGE(ACLNN_ERR_INNER,
                "%s: no infershape or tiling function is registered (IMPL_OP_INFERSHAPE, IMPL_OP_OPTILING)%s%s",
                opType.c_str(), path.empty() ? "; the operator is not installed" : " in ", path.c_str());
    }
    return functions;
}

// Runs the tiling function once. `fill`: what buffer and workspace sizes hold before.
static aclnnStatus TileOnce(const OpCall& call, const OpImplFunctions& functions, void* compileInfo, bool deterministic,
                            uint8_t fill, TilingResult* result)
{
    TilingBuffer& buffer = ThreadTilingBuffer();
    buffer.Fill(fill);
    const auto workspaceMemory = gert::ContinuousVector::Create<size_t>(kMaxWorkspaces);
    auto* workspaces = reinterpret_cast<gert::TypedContinuousVector<size_t>*>(workspaceMemory.get());
    if (hc_checking() != 0) {
        std::memset(workspaces->MutableData(), fill, kMaxWorkspaces * sizeof(size_t));
    }

    gert::OpTilingContextBuilder builder;
    const aclnnStatus described = DescribeCall(builder, call);
    if (described != ACLNN_SUCCESS) {
        return described;
    }
    const char noInfo = 0; // the builder wants one, operators without TilingParse have none
    auto holder = builder.InputTensors(GertTensors(call.inputs))
                      .OutputTensors(GertTensors(call.outputs))
                      .CompileInfo(compileInfo == nullptr ? &noInfo : compileInfo)
                      .PlatformInfo(GetCurrentPlatformInfo().GetPlatformInfos())
                      .Deterministic(deterministic ? 1 : 0)
                      .TilingData(buffer.tiling)
                      .Workspace(reinterpret_cast<const gert::ContinuousVector*>(workspaces))
                      .Build();
    gert::TilingContext* context = holder.GetContext();
    if (context == nullptr) {
        return TilingFailed(call, "the tiling context could not be built");
    }
    if (compileInfo == nullptr) {
        auto* slots = reinterpret_cast<gert::KernelContext*>(context);
        const size_t at = GertTensors(call.inputs).size() + GertTensors(call.outputs).size();
        slots->MutableInput(at)->Set(nullptr, nullptr);
    }
    buffer.touched = kTilingCapacity;
    const auto status = hostcann::CallHost("tiling function", call.opType, functions.tiling, context);
    if (status != ge::GRAPH_SUCCESS) {
        const bool plain = status == ge::GRAPH_FAILED;
        return TilingFailed(call, "the tiling function returned " +
                                      (plain ? std::string("GRAPH_FAILED") : std::to_string(status)) +
                                      "; its own log says why (OP_LOGE, HOSTCANN_LOG=debug)");
    }
    const size_t size = buffer.tiling->GetDataSize();
    buffer.touched = size;
    result->key = context->GetTilingKey();
    result->blockDim = context->GetBlockDim();
    result->needAtomic = context->NeedAtomic();
    if (result->blockDim == 0) {
        return TilingFailed(call, "the tiling function set no block dim (SetBlockDim)");
    }
    const auto* bytes = static_cast<const uint8_t*>(buffer.tiling->GetData());
    result->data.assign(bytes, bytes + size);
    result->workspaces.assign(workspaces->GetData(), workspaces->GetData() + workspaces->GetSize());
    return ACLNN_SUCCESS;
}

// What a tiling function must not take from memory it did not write. Its data may: padding and fields of other keys.
static aclnnStatus CompareTilings(const OpCall& call, const TilingResult& one, const TilingResult& two)
{
    const auto differ = [&call](const std::string& what, uint64_t a, uint64_t b) {
        return TilingFailed(call, "check: " + what + " is " + std::to_string(a) +
                                      " in one run of the tiling function "
                                      "and " +
                                      std::to_string(b) +
                                      " in the next, with other bytes in the buffers it is "
                                      "given; write before you read");
    };
    if (one.key != two.key) {
        return differ("the tiling key", one.key, two.key);
    }
    if (one.blockDim != two.blockDim) {
        return differ("the block dim", one.blockDim, two.blockDim);
    }
    if (one.data.size() != two.data.size()) {
        return differ("the size of the tiling data", one.data.size(), two.data.size());
    }
    if (one.workspaces.size() != two.workspaces.size()) {
        return differ("the number of workspaces", one.workspaces.size(), two.workspaces.size());
    }
    for (size_t i = 0; i < one.workspaces.size(); ++i) {
        if (one.workspaces[i] != two.workspaces[i]) {
            return TilingFailed(call, "check: the tiling function asked for " + std::to_string(one.workspaces.size()) +
                                          " workspaces (GetWorkspaceSizes) and did not set the size of workspace " +
                                          std::to_string(i) + "; assign 0 when none is needed");
        }
    }
    return ACLNN_SUCCESS;
}

aclnnStatus RunTiling(const OpCall& call, const OpImplFunctions& functions, bool deterministic, TilingResult* result)
{
    // Never destroyed: the op libraries whose functions could free the infos may be gone by then.
    static auto& compileInfos = *new CompileInfos();
    if (functions.tiling == nullptr) {
        return TilingFailed(call, "no tiling function is registered (IMPL_OP_OPTILING)");
    }
    void* compileInfo = nullptr;
    const aclnnStatus parsed = compileInfos.Get(call, functions, &compileInfo);
    if (parsed != ACLNN_SUCCESS) {
        return parsed;
    }
    const aclnnStatus first = TileOnce(call, functions, compileInfo, deterministic, kDirty, result);
    if (first != ACLNN_SUCCESS || hc_checking() == 0) {
        return first;
    }
    TilingResult again;
    const aclnnStatus second = TileOnce(call, functions, compileInfo, deterministic, kOtherDirty, &again);
    const aclnnStatus compared = second == ACLNN_SUCCESS ? CompareTilings(call, *result, again) : second;
    result->otherData = std::move(again.data);
    return compared;
}

aclnnStatus RunInferShape(const OpCall& call, const OpImplFunctions& functions)
{
    if (functions.infer_shape == nullptr) {
        ReportCoded("EZ1014", ACLNN_ERR_INNER_INFERSHAPE_ERROR,
                    call.opType + ": no infershape function is registered (IMPL_OP_INFERSHAPE)");
        return ACLNN_ERR_INNER_INFERSHAPE_ERROR;
    }
    gert::OpInferShapeContextBuilder builder;
    const aclnnStatus described = DescribeCall(builder, call);
    if (described != ACLNN_SUCCESS) {
        return described;
    }
    builder.InputTensors(GertTensors(call.inputs));
    size_t instance = 0;
    std::vector<const aclTensor*> outputs;
    for (const TensorArg& arg : call.outputs) {
        outputs.insert(outputs.end(), arg.tensors.begin(), arg.tensors.end());
    }
    for (const aclTensor* output : outputs) {
        builder.OutputTensorDesc(instance++, output->GetDataType(), output->GetOriginalFormat(),
                                 output->GetStorageFormat());
    }
    auto holder = builder.Build();
    gert::InferShapeContext* context = holder.GetContext();
    if (context == nullptr ||
        hostcann::CallHost("infershape function", call.opType, functions.infer_shape, context) != ge::GRAPH_SUCCESS) {
        ReportCoded("EZ1014", ACLNN_ERR_INNER_INFERSHAPE_ERROR, call.opType + ": the infershape function failed");
        return ACLNN_ERR_INNER_INFERSHAPE_ERROR;
    }
    instance = 0;
    for (const aclTensor* output : outputs) {
        const Shape* shape = context->GetOutputShape(instance++);
        if (shape == nullptr) {
            return ACLNN_ERR_INNER_INFERSHAPE_ERROR;
        }
        output->SetOriginalShape(*shape);
        output->SetStorageShape(*shape);
        const_cast<aclTensor*>(output)->SetViewShape(*shape);
    }
    return ACLNN_SUCCESS;
}

} // namespace internal
} // namespace op
