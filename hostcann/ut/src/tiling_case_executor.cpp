#include "tiling_case_executor.h"

#include <cstring>
#include <map>
#include <stdexcept>

#include "base/registry/op_impl_space_registry_v2.h"
#include "hostcann/host_call.h"
#include "exe_graph/runtime/continuous_vector.h"
#include "gtest/gtest.h"
#include "platform/platform_infos_def.h"

namespace {
constexpr size_t MAX_WORKSPACES = 4096;

// Everything one call of a tiling function needs, alive as long as its results are read.
class TilingCall {
public:
    explicit TilingCall(const gert::TilingContextPara& para)
        : inputs_(para.inputTensorDesc_),
          outputs_(para.outputTensorDesc_),
          data_(gert::TilingData::CreateCap(para.tilingDataSize_)),
          workspace_(gert::ContinuousVector::Create<size_t>(MAX_WORKSPACES))
    {
        FillPlatform(para);
        if (para.inputInstanceNum_.empty() && para.outputInstanceNum_.empty()) {
            faker_.NodeIoNum(para.inputTensorDesc_.size(), para.outputTensorDesc_.size());
        } else {
            faker_.IrInstanceNum(para.inputInstanceNum_, para.outputInstanceNum_);
        }
        gert::faker::AppendAttrs(faker_, para.attrs_);
        faker_.SetOpType(para.opName_)
            .InputTensors(inputs_.Pointers())
            .OutputTensors(outputs_.Pointers())
            .CompileInfo(para.compileInfo_)
            .PlatformInfo(&platform_)
            .TilingData(data_.get())
            .Workspace(reinterpret_cast<gert::ContinuousVector*>(workspace_.get()));
        holder_ = faker_.Build();
        if (Context() == nullptr) {
            throw std::invalid_argument(para.opName_ +
                                        ": the tiling context cannot be built; the error log above says why. The "
                                        "compile info must not be nullptr");
        }
        const auto registry = gert::DefaultOpImplSpaceRegistryV2::GetInstance().GetSpaceRegistry();
        const auto* functions = registry == nullptr ? nullptr : registry->GetOpImpl(para.opName_.c_str());
        if (functions == nullptr || functions->tiling == nullptr) {
            throw std::invalid_argument(para.opName_ + ": no tiling function is registered; is IMPL_OP_OPTILING(" +
                                        para.opName_ + ") in op_host/*_tiling*.cpp?");
        }
        status_ = hostcann::CallHost("tiling function", para.opName_, functions->tiling, Context());
    }

    ge::graphStatus Status() const { return status_; }
    gert::TilingContext* Context() { return holder_.GetContext(); }

    std::vector<size_t> Workspaces()
    {
        const size_t count = Context()->GetWorkspaceNum();
        const size_t* sizes = count == 0 ? nullptr : Context()->GetWorkspaceSizes(count);
        return sizes == nullptr ? std::vector<size_t>() : std::vector<size_t>(sizes, sizes + count);
    }

private:
    // Upstream's fake chip: one kind of core, memories of Ascend910B, sizes from the test.
    void FillPlatform(const gert::TilingContextPara& para)
    {
        if (!platform_.Init()) {
            throw std::runtime_error("the modelled SoC cannot be read; the error log above says why");
        }
        std::map<std::string, std::string> soc = {{"ai_core_cnt", std::to_string(para.coreNum_)},
                                                  {"vector_core_cnt", std::to_string(para.coreNum_)},
                                                  {"core_type_list", "AICore"},
                                                  {"l2_size", "33554432"}};
        std::map<std::string, std::string> memories = {{"ub_size", std::to_string(para.ubSize_)},
                                                       {"l1_size", "524288"},
                                                       {"l0_a_size", "65536"},
                                                       {"l0_b_size", "65536"},
                                                       {"l0_c_size", "131072"}};
        platform_.SetPlatformRes("SoCInfo", soc);
        platform_.SetPlatformRes("AICoreSpec", memories);
        platform_.SetCoreNumByCoreType("AICore");
    }

    gert::faker::Tensors inputs_;
    gert::faker::Tensors outputs_;
    std::unique_ptr<uint8_t[]> data_;
    std::unique_ptr<uint8_t[]> workspace_;
    fe::PlatFormInfos platform_;
    gert::TilingContextFaker faker_;
    gert::ContextHolder<gert::TilingContext> holder_;
    ge::graphStatus status_ = ge::GRAPH_FAILED;
};

// Reads numbers of several types out of tiling data, one after the other.
class DataReader {
public:
    explicit DataReader(const gert::TilingData* data)
        : next_(static_cast<const uint8_t*>(data->GetData())), left_(data->GetDataSize())
    {
    }
    template <typename T>
    bool Read(size_t count, std::string& text)
    {
        for (size_t i = 0; i < count; i++) {
            T value;
            if (left_ < sizeof(value)) {
                return false;
            }
            std::memcpy(&value, next_, sizeof(value));
            text += std::to_string(value) + " ";
            next_ += sizeof(value);
            left_ -= sizeof(value);
        }
        return true;
    }
    size_t Left() const { return left_; }

private:
    const uint8_t* next_;
    size_t left_;
};

std::string DataText(const gert::TilingData* data)
{
    std::string text;
    DataReader reader(data);
    reader.Read<int64_t>(reader.Left() / sizeof(int64_t), text);
    return text;
}

std::string EleDataText(const gert::TilingData* data)
{
    std::string text;
    DataReader reader(data);
    (void)(reader.Read<int64_t>(1, text) && reader.Read<int32_t>(2, text) && reader.Read<int64_t>(7, text) &&
           reader.Read<uint64_t>(1, text));
    return text;
}

// False when there is nothing more to compare.
bool CheckStatus(TilingCall& call, ge::graphStatus expectResult, const std::vector<size_t>& expectWorkspaces)
{
    EXPECT_EQ(call.Status(), expectResult);
    if (call.Status() != expectResult || expectResult == ge::GRAPH_FAILED) {
        return false;
    }
    const std::vector<size_t> workspaces = call.Workspaces();
    if (!workspaces.empty()) {
        EXPECT_EQ(workspaces, expectWorkspaces);
    }
    return true;
}
} // namespace

void ExecuteTestCase(const gert::TilingContextPara& tilingContextPara, ge::graphStatus expectResult,
                     uint64_t expectTilingKey, const string& expectTilingData,
                     const std::vector<size_t>& expectWorkspaces)
{
    TilingCall call(tilingContextPara);
    if (!CheckStatus(call, expectResult, expectWorkspaces)) {
        return;
    }
    EXPECT_EQ(call.Context()->GetTilingKey(), expectTilingKey);
    if (expectTilingData != EMPTY_EXPECT_TILING_DATA) {
        EXPECT_EQ(DataText(call.Context()->GetRawTilingData()), expectTilingData);
    }
}

void ExecuteTestCase(const gert::TilingContextPara& tilingContextPara, ge::graphStatus expectResult,
                     uint64_t expectTilingKey, const std::vector<size_t>& expectWorkspaces)
{
    ExecuteTestCase(tilingContextPara, expectResult, expectTilingKey, EMPTY_EXPECT_TILING_DATA, expectWorkspaces);
}

void ExecuteTestCaseForEle(const gert::TilingContextPara& tilingContextPara, ge::graphStatus expectResult,
                           bool needCheckTilingKey, uint64_t expectTilingKey, bool needCheckTilingData,
                           const string& expectTilingData, const std::vector<size_t>& expectWorkspaces)
{
    TilingCall call(tilingContextPara);
    if (!CheckStatus(call, expectResult, expectWorkspaces)) {
        return;
    }
    if (needCheckTilingKey) {
        EXPECT_EQ(call.Context()->GetTilingKey(), expectTilingKey);
    }
    if (needCheckTilingData) {
        EXPECT_EQ(EleDataText(call.Context()->GetRawTilingData()), expectTilingData);
    }
}

bool ExecuteTiling(const gert::TilingContextPara& tilingContextPara, TilingInfo& tilingInfo)
{
    TilingCall call(tilingContextPara);
    if (call.Status() != ge::GRAPH_SUCCESS) {
        return false;
    }
    gert::TilingContext* context = call.Context();
    tilingInfo.tilingKey = static_cast<int64_t>(context->GetTilingKey());
    tilingInfo.blockNum = context->GetBlockDim();
    tilingInfo.workspaceSizes.clear();
    for (size_t size : call.Workspaces()) {
        tilingInfo.workspaceSizes.push_back(static_cast<int64_t>(size));
    }
    const gert::TilingData* data = context->GetRawTilingData();
    tilingInfo.tilingDataSize = data->GetDataSize();
    tilingInfo.tilingData = std::make_unique<uint8_t[]>(data->GetDataSize());
    std::memcpy(tilingInfo.tilingData.get(), data->GetData(), data->GetDataSize());
    return true;
}
