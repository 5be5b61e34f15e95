#include "infershape_context_faker.h"
#include "tiling_context_faker.h"

namespace gert {
namespace faker {
Tensors::Tensors(const std::vector<TensorDescription>& descriptions)
{
    for (const TensorDescription& description : descriptions) {
        const StorageFormat format(description.format_, description.format_, ExpandDimsType());
        tensors_.push_back(std::make_unique<Tensor>(description.shape_, format, kOnHost, description.dtype_,
                                                    description.isConst_ ? description.constValue_ : nullptr));
        pointers_.push_back(tensors_.back().get());
    }
}
} // namespace faker

TilingContextFaker& TilingContextFaker::OutputTensors(const std::vector<Tensor*>& tensors)
{
    (void)OpTilingContextBuilder::OutputTensors(tensors);
    return *this;
}

TilingContextFaker& TilingContextFaker::CompileInfo(const void* compileInfo)
{
    (void)OpTilingContextBuilder::CompileInfo(compileInfo);
    return *this;
}

TilingContextFaker& TilingContextFaker::PlatformInfo(const void* platformInfo)
{
    (void)OpTilingContextBuilder::PlatformInfo(platformInfo);
    return *this;
}

TilingContextFaker& TilingContextFaker::DeterministicInfo(int32_t* deterministicInfo)
{
    if (deterministicInfo != nullptr) {
        (void)OpTilingContextBuilder::Deterministic(*deterministicInfo);
    }
    return *this;
}

TilingContextFaker& TilingContextFaker::TilingData(const void* tilingData)
{
    (void)OpTilingContextBuilder::TilingData(static_cast<const gert::TilingData*>(tilingData));
    return *this;
}

TilingContextFaker& TilingContextFaker::Workspace(const ContinuousVector* workspace)
{
    (void)OpTilingContextBuilder::Workspace(workspace);
    return *this;
}

InferShapeContextFaker& InferShapeContextFaker::NodeOutputTd(int32_t index, ge::DataType dtype, ge::Format originFormat,
                                                             ge::Format storageFormat)
{
    (void)OpInferShapeContextBuilder::OutputTensorDesc(static_cast<size_t>(index), dtype, originFormat, storageFormat);
    return *this;
}
} // namespace gert
