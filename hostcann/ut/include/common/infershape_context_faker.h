// The call that an infershape test describes, and the builder of its context.
#ifndef HOSTCANN_UT_INFERSHAPE_CONTEXT_FAKER_H
#define HOSTCANN_UT_INFERSHAPE_CONTEXT_FAKER_H

#include <cstdint>
#include <string>
#include <vector>

#include "base/context_builder/op_infer_shape_context_builder.h"
#include "context_faker_base.h"

namespace gert {
class InfershapeContextPara {
public:
    using TensorDescription = faker::TensorDescription;
    using OpAttr = faker::OpAttr;
    using Descriptions = std::vector<TensorDescription>;
    using InstanceNum = std::vector<uint32_t>; // tensors of every input or output in the op definition, 0: absent

    InfershapeContextPara(const std::string& opName, const Descriptions& inputs, const Descriptions& outputs,
                          const std::vector<OpAttr>& attrs, const InstanceNum& inputInstanceNum = {},
                          const InstanceNum& outputInstanceNum = {}, const std::vector<size_t>& nullInputIndices = {})
        : opName_(opName),
          inputInstanceNum_(inputInstanceNum),
          outputInstanceNum_(outputInstanceNum),
          inputTensorDesc_(inputs),
          outputTensorDesc_(outputs),
          attrs_(attrs),
          nullInputIndices_(nullInputIndices)
    {
    }
    InfershapeContextPara(const std::string& opName, const Descriptions& inputs, const Descriptions& outputs,
                          const InstanceNum& inputInstanceNum = {}, const InstanceNum& outputInstanceNum = {},
                          const std::vector<size_t>& nullInputIndices = {})
        : InfershapeContextPara(opName, inputs, outputs, std::vector<OpAttr>(), inputInstanceNum, outputInstanceNum,
                                nullInputIndices)
    {
    }

    std::string opName_;
    InstanceNum inputInstanceNum_;
    InstanceNum outputInstanceNum_;
    Descriptions inputTensorDesc_;
    Descriptions outputTensorDesc_;
    std::vector<OpAttr> attrs_;
    std::vector<size_t> nullInputIndices_; // inputs for which the context has no tensor
};

class InferShapeContextFaker : public faker::ContextFaker<InferShapeContextFaker, OpInferShapeContextBuilder> {
public:
    // Inputs are described by their tensors; upstream's harness takes this call and does nothing, too.
    InferShapeContextFaker& NodeInputTd(int32_t, ge::DataType, ge::Format, ge::Format) { return *this; }
    InferShapeContextFaker& NodeOutputTd(int32_t index, ge::DataType dtype, ge::Format originFormat,
                                         ge::Format storageFormat);
};
} // namespace gert

#endif // HOSTCANN_UT_INFERSHAPE_CONTEXT_FAKER_H
