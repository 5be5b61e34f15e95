#include "infershape_case_executor.h"

#include <algorithm>
#include <stdexcept>

#include "base/registry/op_impl_space_registry_v2.h"
#include "hostcann/host_call.h"
#include "gtest/gtest.h"

namespace {
std::vector<int64_t> ToDims(const gert::Shape& shape)
{
    std::vector<int64_t> dims;
    for (size_t i = 0; i < shape.GetDimNum(); i++) {
        dims.push_back(shape.GetDim(i));
    }
    return dims;
}
} // namespace

void ExecuteTestCase(gert::InfershapeContextPara& infershapeContextPara, ge::graphStatus expectResult,
                     const std::vector<std::vector<int64_t>>& expectOutputShape)
{
    const gert::InfershapeContextPara& para = infershapeContextPara;
    gert::InferShapeContextFaker faker;
    if (para.inputInstanceNum_.empty() && para.outputInstanceNum_.empty()) {
        faker.NodeIoNum(para.inputTensorDesc_.size(), para.outputTensorDesc_.size());
    } else {
        faker.IrInstanceNum(para.inputInstanceNum_, para.outputInstanceNum_);
    }
    const gert::faker::Tensors inputs(para.inputTensorDesc_);
    std::vector<gert::Tensor*> pointers = inputs.Pointers();
    for (size_t index : para.nullInputIndices_) {
        if (index >= pointers.size()) {
            throw std::invalid_argument(para.opName_ + ": nullInputIndices names input " + std::to_string(index) +
                                        " of " + std::to_string(pointers.size()));
        }
        pointers[index] = nullptr;
    }
    for (size_t i = 0; i < para.outputTensorDesc_.size(); i++) {
        const auto& output = para.outputTensorDesc_[i];
        faker.NodeOutputTd(static_cast<int32_t>(i), output.dtype_, output.format_, output.format_);
    }
    gert::faker::AppendAttrs(faker, para.attrs_);
    auto holder = faker.SetOpType(para.opName_).InputTensors(pointers).Build();
    gert::InferShapeContext* context = holder.GetContext();
    if (context == nullptr) {
        throw std::invalid_argument(para.opName_ +
                                    ": the infershape context cannot be built; the error log above says why");
    }
    const auto registry = gert::DefaultOpImplSpaceRegistryV2::GetInstance().GetSpaceRegistry();
    const auto* functions = registry == nullptr ? nullptr : registry->GetOpImpl(para.opName_.c_str());
    if (functions == nullptr || functions->infer_shape == nullptr) {
        throw std::invalid_argument(para.opName_ + ": no infershape function is registered; is IMPL_OP_INFERSHAPE(" +
                                    para.opName_ + ") in op_host/*_infershape*.cpp?");
    }
    const ge::graphStatus status = hostcann::CallHost("infershape function", para.opName_, functions->infer_shape,
                                                      context);
    EXPECT_EQ(status, expectResult);
    if (status != expectResult || expectResult == ge::GRAPH_FAILED) {
        return;
    }
    // Upstream compares the shapes that are given.
    ASSERT_LE(expectOutputShape.size(), para.outputTensorDesc_.size());
    for (size_t i = 0; i < expectOutputShape.size(); i++) {
        const gert::Shape* shape = context->GetOutputShape(i);
        ASSERT_NE(shape, nullptr) << "output " << i;
        EXPECT_EQ(ToDims(*shape), expectOutputShape[i]) << "output " << i;
    }
}
