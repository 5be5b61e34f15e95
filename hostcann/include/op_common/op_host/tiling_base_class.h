// The step sequence of tiling classes (opbase op_host/tiling_base_class.h).
#ifndef HOSTCANN_OP_COMMON_TILING_BASE_CLASS_H
#define HOSTCANN_OP_COMMON_TILING_BASE_CLASS_H

#include <cstring>
#include <memory>
#include <sstream>
#include <string>

#include "exe_graph/runtime/tiling_context.h"
#include "graph/utils/type_utils.h"
#include "op_common/log/log.h"
#include "platform/soc_spec.h"
#include "tiling/platform/platform_ascendc.h"

#ifndef ASCENDC_EXTERN_C
#define ASCENDC_EXTERN_C extern "C"
#endif

namespace Ops {
namespace Base {
struct AiCoreParams {
    uint64_t ubSize = 0;
    uint64_t numBlocks = 0;
    uint64_t aicNum = 0;
    uint64_t l1Size = 0;
    uint64_t l0aSize = 0;
    uint64_t l0bSize = 0;
    uint64_t l0cSize = 0;
};

struct CompileInfoCommon {
    uint32_t aivNum;
    uint32_t aicNum;
    uint64_t ubSize;
    uint64_t l1Size;
    uint64_t l0aSize;
    uint64_t l0bSize;
    uint64_t l0cSize;
    uint64_t l2CacheSize;
    int64_t coreNum;
    int32_t socVersion;
    uint32_t rsvd;
};

class TilingBaseClass {
public:
    explicit TilingBaseClass(gert::TilingContext* context) : context_(context) {}
    virtual ~TilingBaseClass() = default;

    // Every step in order, up to the first that fails. GRAPH_PARAM_INVALID: this class does not take the case.
    ge::graphStatus DoTiling()
    {
        using Step = ge::graphStatus (TilingBaseClass::*)();
        constexpr Step kSteps[] = {&TilingBaseClass::GetShapeAttrsInfo, &TilingBaseClass::GetPlatformInfo,
                                   &TilingBaseClass::AskCapable,        &TilingBaseClass::DoOpTiling,
                                   &TilingBaseClass::DoLibApiTiling,    &TilingBaseClass::GetWorkspaceSize,
                                   &TilingBaseClass::PostTiling};
        if (context_ == nullptr) {
            OP_LOGE("TilingBaseClass", "there is no tiling context");
            return ge::GRAPH_FAILED;
        }
        for (const Step step : kSteps) {
            const ge::graphStatus status = (this->*step)();
            if (status != ge::GRAPH_SUCCESS) {
                return status;
            }
        }
        (void)context_->SetTilingKey(GetTilingKey());
        DumpTilingInfo();
        return ge::GRAPH_SUCCESS;
    }
    virtual void Reset(gert::TilingContext* context) { context_ = context; }

protected:
    virtual bool IsCapable() = 0;
    virtual ge::graphStatus GetPlatformInfo() = 0;
    virtual ge::graphStatus GetShapeAttrsInfo() = 0;
    virtual ge::graphStatus DoOpTiling() = 0;
    virtual ge::graphStatus DoLibApiTiling() = 0;
    [[nodiscard]] virtual uint64_t GetTilingKey() const = 0;
    virtual ge::graphStatus GetWorkspaceSize() = 0;
    virtual ge::graphStatus PostTiling() = 0;
    virtual void DumpTilingInfo() { (void)DefaultTilingInfoDump(); }

    int64_t DefaultTilingInfoDump()
    {
        OP_LOGD(context_, "tiling key %lu, tiling data %s", static_cast<unsigned long>(context_->GetTilingKey()),
                GetTilingDataDebugStr().c_str());
        return 0;
    }

    static uint32_t CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum)
    {
        if (aicCoreNum == 0 || aivCoreNum < aicCoreNum) {
            return sliceNum;
        }
        const uint32_t perCube = aivCoreNum / aicCoreNum;
        return sliceNum / perCube + (sliceNum % perCube != 0 ? 1 : 0);
    }

    template <typename T>
    [[nodiscard]] std::string GetShapeDebugStr(const T& shape) const
    {
        return ToString(shape);
    }
    [[nodiscard]] std::string GetTensorDebugStr(const gert::StorageShape* shape,
                                                const gert::CompileTimeTensorDesc* tensor)
    {
        if (shape == nullptr || tensor == nullptr) {
            return "nil ";
        }
        return ToString(tensor->GetDataType()) + " " + ToString(shape->GetStorageShape()) + " " +
               ToString(tensor->GetStorageFormat()) + " (origin " + ToString(shape->GetOriginShape()) + " " +
               ToString(tensor->GetOriginFormat()) + ") ";
    }
    [[nodiscard]] std::string GetTilingContextDebugStr()
    {
        std::string text;
        for (size_t i = 0; i < context_->GetComputeNodeInputNum(); ++i) {
            text += "input" + std::to_string(i) + ": " +
                    GetTensorDebugStr(context_->GetInputShape(i), context_->GetInputDesc(i));
        }
        for (size_t i = 0; i < context_->GetComputeNodeOutputNum(); ++i) {
            text += "output" + std::to_string(i) + ": " +
                    GetTensorDebugStr(context_->GetOutputShape(i), context_->GetOutputDesc(i));
        }
        return text;
    }
    // The tiling data as 32-bit words.
    [[nodiscard]] std::string GetTilingDataDebugStr() const
    {
        auto* raw = context_->GetRawTilingData();
        std::ostringstream text;
        for (size_t at = 0; raw != nullptr && at + sizeof(int32_t) <= raw->GetDataSize(); at += sizeof(int32_t)) {
            int32_t word = 0;
            (void)std::memcpy(&word, static_cast<const uint8_t*>(raw->GetData()) + at, sizeof(word));
            text << word << ", ";
        }
        return text.str();
    }

    gert::TilingContext* context_ = nullptr;
    std::unique_ptr<platform_ascendc::PlatformAscendC> ascendcPlatform_{nullptr};
    uint32_t blockDim_{0};
    uint64_t workspaceSize_{0};
    uint64_t tilingKey_{0};
    AiCoreParams aicoreParams_;

private:
    ge::graphStatus AskCapable() { return IsCapable() ? ge::GRAPH_SUCCESS : ge::GRAPH_PARAM_INVALID; }
};
} // namespace Base
} // namespace Ops

#endif
