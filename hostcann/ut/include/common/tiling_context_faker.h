// The call that a tiling test describes, and the builder of its context.
#ifndef HOSTCANN_UT_TILING_CONTEXT_FAKER_H
#define HOSTCANN_UT_TILING_CONTEXT_FAKER_H

#include <cstdint>
#include <string>
#include <vector>

#include "base/context_builder/op_tiling_context_builder.h"
#include "context_faker_base.h"

namespace gert {
class TilingContextPara {
public:
    using TensorDescription = faker::TensorDescription;
    using OpAttr = faker::OpAttr;
    using Descriptions = std::vector<TensorDescription>;
    using InstanceNum = std::vector<uint32_t>; // tensors of every input or output in the op definition, 0: absent

    TilingContextPara(const std::string& opName, const Descriptions& inputs, const Descriptions& outputs,
                      const std::vector<OpAttr>& attrs, void* compileInfo = nullptr, uint64_t coreNum = 64,
                      uint64_t ubSize = 262144, uint64_t tilingDataSize = 4096)
        : TilingContextPara(opName, inputs, outputs, attrs, InstanceNum(), InstanceNum(), compileInfo, coreNum, ubSize,
                            tilingDataSize)
    {
    }
    TilingContextPara(const std::string& opName, const Descriptions& inputs, const Descriptions& outputs,
                      void* compileInfo = nullptr, uint64_t coreNum = 64, uint64_t ubSize = 262144,
                      uint64_t tilingDataSize = 4096)
        : TilingContextPara(opName, inputs, outputs, std::vector<OpAttr>(), InstanceNum(), InstanceNum(), compileInfo,
                            coreNum, ubSize, tilingDataSize)
    {
    }
    TilingContextPara(const std::string& opName, const Descriptions& inputs, const Descriptions& outputs,
                      const InstanceNum& inputInstanceNum, const InstanceNum& outputInstanceNum,
                      void* compileInfo = nullptr, uint64_t coreNum = 64, uint64_t ubSize = 262144,
                      uint64_t tilingDataSize = 4096)
        : TilingContextPara(opName, inputs, outputs, std::vector<OpAttr>(), inputInstanceNum, outputInstanceNum,
                            compileInfo, coreNum, ubSize, tilingDataSize)
    {
    }
    TilingContextPara(const std::string& opName, const Descriptions& inputs, const Descriptions& outputs,
                      const std::vector<OpAttr>& attrs, const InstanceNum& inputInstanceNum,
                      const InstanceNum& outputInstanceNum, void* compileInfo = nullptr, uint64_t coreNum = 64,
                      uint64_t ubSize = 262144, uint64_t tilingDataSize = 4096)
        : opName_(opName),
          inputInstanceNum_(inputInstanceNum),
          outputInstanceNum_(outputInstanceNum),
          inputTensorDesc_(inputs),
          outputTensorDesc_(outputs),
          attrs_(attrs),
          coreNum_(coreNum),
          ubSize_(ubSize),
          tilingDataSize_(tilingDataSize),
          compileInfo_(compileInfo)
    {
    }

    std::string opName_;
    InstanceNum inputInstanceNum_;
    InstanceNum outputInstanceNum_;
    Descriptions inputTensorDesc_;
    Descriptions outputTensorDesc_;
    std::vector<OpAttr> attrs_;
    uint64_t coreNum_;
    uint64_t ubSize_;
    uint64_t tilingDataSize_;
    void* compileInfo_;
};

class TilingContextFaker : public faker::ContextFaker<TilingContextFaker, OpTilingContextBuilder> {
public:
    TilingContextFaker& OutputTensors(const std::vector<Tensor*>& tensors);
    TilingContextFaker& CompileInfo(const void* compileInfo);
    TilingContextFaker& PlatformInfo(const void* platformInfo);
    TilingContextFaker& DeterministicInfo(int32_t* deterministicInfo);
    TilingContextFaker& TilingData(const void* tilingData);
    TilingContextFaker& Workspace(const ContinuousVector* workspace);
};
} // namespace gert

#endif // HOSTCANN_UT_TILING_CONTEXT_FAKER_H
