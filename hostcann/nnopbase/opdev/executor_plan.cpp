#include "executor_plan.h"

#include <algorithm>
#include <cstring>
#include "acl/acl_rt.h"
#include "opdev/data_type_utils.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

namespace op {
namespace internal {
namespace {

constexpr hc_storage kNoStorage = 0xFFFFFFFF;

uint64_t BytesOf(int64_t count, DataType dataType)
{
    const int64_t bytes = CalcShapeBytes(count, dataType);
    return bytes > 0 ? static_cast<uint64_t>(bytes) : 0;
}

uint32_t BitsOf(DataType dataType)
{
    const size_t size = TypeSize(dataType);
    return static_cast<uint32_t>(size > kDataTypeSizeBitOffset ? size - kDataTypeSizeBitOffset : size * 8);
}

} // namespace

ExecutorPlan::ExecutorPlan() : plan_(hc_plan_new()) {}

ExecutorPlan::~ExecutorPlan() { hc_plan_free(plan_); }

std::shared_ptr<aclStorage> ExecutorPlan::NewHostStorage(uint64_t bytes)
{
    auto storage = std::make_shared<aclStorage>();
    storage->hostBytes_ = std::make_unique<uint8_t[]>(bytes == 0 ? 1 : bytes);
    storage->SetAddr(storage->hostBytes_.get());
    return storage;
}

bool ExecutorPlan::IsWholeStorage(const aclTensor* tensor)
{
    const aclTensor* owner = tensor->storage_->owner_;
    return tensor->GetViewOffset() == 0 && owner != nullptr && owner->Size() == tensor->Numel();
}

hc_memory ExecutorPlan::MemoryOf(const aclStorage* storage, const aclTensor* fallback)
{
    const aclTensor* owner = storage->owner_ != nullptr ? storage->owner_ : fallback;
    hc_memory memory = {};
    memory.key = storage;
    memory.kind = storage->hostBytes_ != nullptr ? HC_MEMORY_HOST :
                  storage->IsFromWorkspace()     ? HC_MEMORY_WORKSPACE :
                                                   HC_MEMORY_EXTERNAL;
    memory.gone = storage->ownerDestroyed_ ? 1 : 0;
    memory.address = storage->GetAddr();
    if (owner != nullptr) {
        memory.bytes = BytesOf(owner->Size(), owner->GetDataType());
        memory.offset = CalcShapeBytes(storage->GetStorageOffset(), owner->GetDataType(), true);
    }
    return memory;
}

// A private format pads its storage, and the kernel writes the padding.
static bool HasGaps(const aclTensor& tensor)
{
    return tensor.GetStorageFormat() == tensor.GetViewFormat() && tensor.Numel() < tensor.Size();
}

hc_tensor ExecutorPlan::Describe(const aclTensor* tensor)
{
    kept_.emplace(tensor->storage_.get(), tensor->storage_);
    hc_tensor described = {};
    described.memory = MemoryOf(tensor->storage_.get(), tensor);
    described.view = tensor->isView_ ? 1 : 0;
    described.element_bits = BitsOf(tensor->GetDataType());
    described.view_offset = tensor->GetViewOffset();
    described.storage_offset = tensor->GetStorageOffset();
    described.bytes = BytesOf(tensor->Size(), tensor->GetDataType());
    // Where a flat view of the user's strided tensor is the operand, that tensor knows of the gaps.
    const aclTensor* owner = tensor->storage_->owner_;
    const aclTensor* strided = HasGaps(*tensor) ? tensor : owner != nullptr && HasGaps(*owner) ? owner : nullptr;
    viewDims_ = ToShapeVector((strided == nullptr ? tensor : strided)->GetViewShape());
    described.elements.rank = viewDims_.size();
    described.elements.dims = viewDims_.data();
    if (strided == nullptr) {
        return described;
    }
    described.gaps = 1;
    described.elements.strides = strided->GetViewStrides().data();
    described.elements.bits = BitsOf(strided->GetDataType());
    described.elements.first = strided->GetViewOffset() * described.elements.bits -
                               tensor->GetViewOffset() * described.element_bits;
    return described;
}

std::vector<hc_memory> ExecutorPlan::Memories() const
{
    std::vector<hc_memory> memories;
    memories.reserve(kept_.size());
    for (const auto& entry : kept_) {
        memories.push_back(MemoryOf(entry.first, nullptr));
    }
    return memories;
}

aclnnStatus ExecutorPlan::Settle()
{
    const std::vector<hc_memory> memories = Memories();
    return hc_plan_settle(plan_, memories.data(), memories.size());
}

bool ExecutorPlan::ToOperand(const aclTensor* tensor, hc_operand* operand)
{
    *operand = {};
    if (tensor == nullptr) {
        return true;
    }
    const hc_tensor described = Describe(tensor);
    const hc_status status = hc_plan_operand(plan_, &described, operand);
    if (status != ACLNN_SUCCESS) {
        OP_LOGE(status, "operand %s", tensor->ToString().GetString());
        return false;
    }
    return true;
}

bool ExecutorPlan::ToOperands(const std::vector<TensorArg>& args, std::vector<hc_operand>* operands)
{
    operands->resize(args.size());
    for (size_t i = 0; i < args.size(); ++i) {
        const TensorArg& arg = args[i];
        hc_operand* operand = &(*operands)[i];
        if (!(arg.dynamic ? ListToOperand(arg, operand) :
                            ToOperand(arg.tensors.empty() ? nullptr : arg.tensors[0], operand))) {
            return false;
        }
    }
    return true;
}

// What ListTensorDesc reads (asc-devkit, sample list_tensor_desc_input): bytes to the addresses; for every tensor its
// rank (low half), its index (high half) and its dims; the addresses.
bool ExecutorPlan::ListToOperand(const TensorArg& list, hc_operand* operand)
{
    std::vector<uint64_t> head(1);
    std::vector<hc_operand> tensors(list.tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
        if (!ToOperand(list.tensors[i], &tensors[i])) {
            return false;
        }
        const Shape& shape = list.tensors[i]->GetOriginalShape();
        head.push_back(static_cast<uint64_t>(i) << 32 | shape.GetDimNum());
        for (size_t dim = 0; dim < shape.GetDimNum(); ++dim) {
            head.push_back(static_cast<uint64_t>(shape.GetDim(dim)));
        }
    }
    head[0] = head.size() * sizeof(uint64_t);
    *operand = {};
    operand->present = 1;
    operand->storage = hc_plan_add_list(plan_, head.data(), head.size(), tensors.data(), tensors.size());
    operand->bytes = (head.size() + tensors.size()) * sizeof(uint64_t);
    return operand->storage != kNoStorage;
}

aclnnStatus ExecutorPlan::AddKernel(const hc_kernel_binary* binary, const TilingResult& tiling,
                                    const std::vector<TensorArg>& inputs, const std::vector<TensorArg>& outputs)
{
    std::vector<hc_operand> ins;
    std::vector<hc_operand> outs;
    if (Settle() != ACLNN_SUCCESS || !ToOperands(inputs, &ins) || !ToOperands(outputs, &outs)) {
        return ACLNN_ERR_INNER;
    }
    hc_launch launch = {};
    launch.tiling_key = tiling.key;
    launch.block_dim = tiling.blockDim;
    launch.need_atomic = tiling.needAtomic ? 1 : 0;
    launch.tiling_data = tiling.data.data();
    launch.tiling_size = tiling.data.size();
    launch.tiling_other = tiling.otherData.empty() ? nullptr : tiling.otherData.data();
    launch.workspaces = tiling.workspaces.data();
    launch.workspace_num = tiling.workspaces.size();
    return hc_plan_add_kernel(plan_, binary, &launch, ins.data(), ins.size(), outs.data(), outs.size());
}

aclnnStatus ExecutorPlan::AddCall(const std::string& name, HostFunction function, const std::vector<TensorArg>& inputs,
                                  const std::vector<TensorArg>& outputs)
{
    std::vector<hc_operand> ins;
    std::vector<hc_operand> outs;
    if (Settle() != ACLNN_SUCCESS || !ToOperands(inputs, &ins) || !ToOperands(outputs, &outs)) {
        return ACLNN_ERR_INNER;
    }
    auto owned = std::make_unique<HostFunction>(std::move(function));
    const hc_host_call call = [](void* context, void* const* operands, size_t, char* message, size_t size) {
        std::string text;
        const aclnnStatus status = (*static_cast<HostFunction*>(context))(operands, &text);
        message[text.copy(message, size - 1)] = 0;
        return status;
    };
    const auto drop = [](void* context) { delete static_cast<HostFunction*>(context); };
    return hc_plan_add_call(plan_, name.c_str(), call, owned.release(), drop, ins.data(), ins.size(), outs.data(),
                            outs.size());
}

aclnnStatus ExecutorPlan::AddOutShape(const std::string& name, const aclTensor* shapes, size_t place,
                                      const aclTensor* tensor)
{
    const auto words = std::make_shared<std::array<int64_t, 9>>();
    const size_t room = shapes == nullptr ? 0 : static_cast<size_t>(shapes->Numel());
    // The rank and a dim: what an operator needs whose result is a list.
    if (shapes == nullptr || tensor == nullptr || shapes->GetDataType() != DataType::DT_INT64 || room < place + 2) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID,
                "%s: OP_OUTSHAPE: expected an int64 tensor with the rank and the dims of every output it names, 9 "
                "elements behind each other; it has %zu, output number %zu begins at %zu",
                name.c_str(), room, place / words->size(), place);
        return ACLNN_ERR_PARAM_INVALID;
    }
    const size_t count = std::min(words->size(), room - place);
    outShapes_.push_back({name, tensor, words, count});
    repeatForbidden = true;
    const HostFunction read = [words, place, count](void* const* operands, std::string*) {
        (void)std::memcpy(words->data(), static_cast<const int64_t*>(operands[0]) + place, count * sizeof(int64_t));
        return ACLNN_SUCCESS;
    };
    return AddCall("the computed shape of " + name, read, {TensorArg(shapes)}, {});
}

aclnnStatus ExecutorPlan::RefreshShapes(aclrtStream runStream)
{
    if (outShapes_.empty()) {
        return ACLNN_SUCCESS;
    }
    int32_t failed = 0;
    const aclError status = hc_stream_wait(runStream, &failed);
    if (status != ACL_SUCCESS) {
        return status; // reported by the runtime
    }
    if (failed != 0) {
        return ACLNN_SUCCESS; // of a task: the caller's synchronisation returns it, there are no shapes
    }
    for (const OutShape& out : outShapes_) {
        const std::array<int64_t, 9>& words = *out.words;
        Shape shape;
        const auto most = static_cast<int64_t>(out.count) - 1;
        bool good = words[0] >= 0 && words[0] <= most;
        for (int64_t i = 1; good && i <= words[0]; ++i) {
            good = words[static_cast<size_t>(i)] >= 0;
            shape.AppendDim(words[static_cast<size_t>(i)]);
        }
        if (!good || shape.GetShapeSize() > out.tensor->Size()) {
            OP_LOGE(ACLNN_ERR_INNER,
                    "%s: the kernel wrote the shape %s of rank %lld into OP_OUTSHAPE; expected a rank of 0 "
                    "to %lld, for which it has room, and at most %lld elements",
                    out.name.c_str(), ToString(shape).GetString(), static_cast<long long>(words[0]),
                    static_cast<long long>(most), static_cast<long long>(out.tensor->Size()));
            return ACLNN_ERR_INNER;
        }
        auto* tensor = const_cast<aclTensor*>(out.tensor);
        tensor->SetStorageShape(shape);
        tensor->SetOriginalShape(shape);
        tensor->SetViewShape(shape);
    }
    return ACLNN_SUCCESS;
}

aclnnStatus ExecutorPlan::AddCopy(const aclTensor* dst, const Strides& dstStrides, const aclTensor* src,
                                  const Strides& srcStrides, const Shape& dims)
{
    const size_t elementSize = TypeSize(src->GetDataType());
    if (elementSize > kDataTypeSizeBitOffset) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "copy: elements of %s do not fill bytes; expected a type of whole bytes",
                ToString(src->GetDataType()).GetString());
        return ACLNN_ERR_PARAM_INVALID;
    }
    hc_strided to = {};
    hc_strided from = {};
    if (Settle() != ACLNN_SUCCESS || !ToOperand(dst, &to.at) || !ToOperand(src, &from.at)) {
        return ACLNN_ERR_INNER;
    }
    to.strides = dstStrides.data();
    from.strides = srcStrides.data();
    const ShapeVector sizes = ToShapeVector(dims);
    return hc_plan_add_copy(plan_, &to, &from, sizes.data(), sizes.size(), elementSize);
}

aclnnStatus ExecutorPlan::AddCast(const aclTensor* dst, const aclTensor* src)
{
    hc_operand to = {};
    hc_operand from = {};
    if (Settle() != ACLNN_SUCCESS || !ToOperand(dst, &to) || !ToOperand(src, &from)) {
        return ACLNN_ERR_INNER;
    }
    return hc_plan_add_cast(plan_, &to, static_cast<int32_t>(dst->GetDataType()), &from,
                            static_cast<int32_t>(src->GetDataType()), static_cast<uint64_t>(src->Numel()));
}

aclnnStatus ExecutorPlan::Relate(const aclTensor* out, const aclTensor* middle)
{
    relations_.emplace_back(out->storage_, middle->storage_);
    const hc_tensor described = Describe(out);
    return hc_plan_relate(plan_, &described, middle->storage_.get());
}

uint64_t ExecutorPlan::WorkspaceSize()
{
    (void)Settle(); // a failure has been reported and comes back from Run
    return hc_plan_workspace_size(plan_);
}

uint64_t ExecutorPlan::LinearWorkspaceSize() { return hc_plan_linear_workspace_size(plan_); }

void ExecutorPlan::UpdateStorageAddresses()
{
    for (const auto& relation : relations_) {
        relation.second->SetAddr(relation.first->GetAddr());
    }
}

aclnnStatus ExecutorPlan::Run(void* runWorkspace, uint64_t workspaceSize, aclrtStream runStream)
{
    aclnnStatus status = Settle();
    if (status != ACLNN_SUCCESS) {
        return status;
    }
    UpdateStorageAddresses();
    const std::vector<hc_memory> memories = Memories();
    status = hc_plan_readdress(plan_, memories.data(), memories.size());
    if (status == ACLNN_SUCCESS) {
        status = hc_plan_run(plan_, runWorkspace, workspaceSize, runStream);
    }
    return status == ACLNN_SUCCESS ? RefreshShapes(runStream) : status;
}

} // namespace internal
} // namespace op
