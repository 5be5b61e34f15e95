// Nodes of unit tests, and running the kernel of one.
#include <sstream>
#include <utility>

#include "cpu_kernel_register.h"
#include "cpu_registry.h"
#include "kernel_util.h"
#include "node_def_builder.h"

namespace aicpu {
namespace {

std::shared_ptr<Tensor> At(const std::vector<std::shared_ptr<Tensor>>& tensors, int32_t index)
{
    return index >= 0 && static_cast<size_t>(index) < tensors.size() ? tensors[static_cast<size_t>(index)] : nullptr;
}

void Fill(const NodeDefBuilder::InputOutputNode& node, std::shared_ptr<Tensor> tensor)
{
    CpuKernelUtils::SetTensorName(node.node, tensor);
    tensor->SetDataType(node.d_type);
    tensor->GetTensorShape()->SetDimSizes(node.dims);
    tensor->GetTensorShape()->SetFormat(node.format);
    tensor->SetData(node.data);
    const int64_t bytes = tensor->CalcDataSizeByShape();
    tensor->SetDataSize(bytes < 0 ? 0 : static_cast<uint64_t>(bytes));
}

template <typename Set>
void Add(NodeDef* node, const std::string& name, Set set)
{
    const std::shared_ptr<AttrValue> value = CpuKernelUtils::CreateAttrValue();
    set(value.get());
    (void)node->AddAttrs(name, value.get());
}

} // namespace

std::shared_ptr<Tensor> NodeDef::AddInputs()
{
    inputs_.push_back(CpuKernelUtils::CreateTensor());
    return inputs_.back();
}

std::shared_ptr<Tensor> NodeDef::AddOutputs()
{
    outputs_.push_back(CpuKernelUtils::CreateTensor());
    return outputs_.back();
}

bool NodeDef::AddAttrs(const std::string& name, const AttrValue* attr)
{
    return attr != nullptr && attrs_.emplace(name, CpuKernelUtils::Copy(*attr)).second;
}

std::shared_ptr<Tensor> NodeDef::MutableInputs(int32_t index) const { return At(inputs_, index); }
std::shared_ptr<Tensor> NodeDef::MutableOutputs(int32_t index) const { return At(outputs_, index); }

bool NodeDef::SerializeToString(std::string& str) const
{
    std::ostringstream text;
    text << opType_;
    for (const auto* tensors : {&inputs_, &outputs_}) {
        text << (tensors == &inputs_ ? " inputs" : " outputs");
        for (const std::shared_ptr<Tensor>& tensor : *tensors) {
            text << ' ' << DTypeStr(tensor->GetDataType()) << '['
                 << VectorToString(tensor->GetTensorShape()->GetDimSizes()) << ']';
        }
    }
    str = text.str();
    return true;
}

std::shared_ptr<NodeDef> CpuKernelUtils::CreateNodeDef() { return std::shared_ptr<NodeDef>(new NodeDef()); }

uint32_t CpuKernelContext::Init(NodeDef* node)
{
    KERNEL_CHECK_NULLPTR(node, KERNEL_STATUS_PARAM_INVALID, "the context of an AI CPU kernel: the node is null");
    opType_ = node->GetOpType();
    for (int32_t i = 0; i < node->InputsSize(); ++i) {
        inputs_.push_back(node->MutableInputs(i));
    }
    for (int32_t i = 0; i < node->OutputsSize(); ++i) {
        outputs_.push_back(node->MutableOutputs(i));
    }
    attrs_ = node->Attrs();
    return KERNEL_STATUS_OK;
}

CpuKernelRegister& CpuKernelRegister::Instance()
{
    static CpuKernelRegister instance;
    return instance;
}

std::shared_ptr<CpuKernel> CpuKernelRegister::GetCpuKernel(const std::string& op_type)
{
    const KERNEL_CREATOR_FUN create = hostcann::FindCpuKernel(op_type);
    return create == nullptr ? nullptr : create();
}

uint32_t CpuKernelRegister::RunCpuKernel(CpuKernelContext& ctx)
{
    const std::shared_ptr<CpuKernel> kernel = GetCpuKernel(ctx.GetOpType());
    KERNEL_CHECK_NULLPTR(kernel, KERNEL_STATUS_INNER_ERROR, "there is no AI CPU kernel of %s", ctx.GetOpType().c_str());
    return kernel->Compute(ctx);
}

NodeDefBuilder::NodeDefBuilder(NodeDef* nodeDef, std::string, std::string opName) : node_(nodeDef)
{
    node_->SetOpType(opName);
}

NodeDefBuilder& NodeDefBuilder::Input(const InputOutputNode& input)
{
    Fill(input, node_->AddInputs());
    return *this;
}

NodeDefBuilder& NodeDefBuilder::Output(const InputOutputNode& output)
{
    Fill(output, node_->AddOutputs());
    return *this;
}

#define HOSTCANN_NODE_ATTR(TYPE, SETTER)                               \
    NodeDefBuilder& NodeDefBuilder::Attr(std::string name, TYPE value) \
    {                                                                  \
        Add(node_, name, [&value](AttrValue* attr) { attr->SETTER; }); \
        return *this;                                                  \
    }

HOSTCANN_NODE_ATTR(int32_t, SetInt(value))
HOSTCANN_NODE_ATTR(int64_t, SetInt(value))
HOSTCANN_NODE_ATTR(float, SetFloat(value))
HOSTCANN_NODE_ATTR(double, SetFloat(static_cast<float>(value)))
HOSTCANN_NODE_ATTR(bool, SetBool(value))
HOSTCANN_NODE_ATTR(DataType, SetDataType(value))
HOSTCANN_NODE_ATTR(const std::string&, SetString(value))
HOSTCANN_NODE_ATTR(const std::vector<bool>&, SetListBool(value))
HOSTCANN_NODE_ATTR(const std::vector<std::string>&, SetListString(value))
HOSTCANN_NODE_ATTR(const std::vector<int64_t>&, SetListInt(value))
HOSTCANN_NODE_ATTR(const std::vector<std::vector<int64_t>>&, SetListListInt(value))
HOSTCANN_NODE_ATTR(const std::vector<float>&, SetListFloat(value))
HOSTCANN_NODE_ATTR(const std::vector<DataType>&, SetListDataType(value))

#undef HOSTCANN_NODE_ATTR

} // namespace aicpu
