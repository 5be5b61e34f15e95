#include "executor_plan.h"

#include <string>

#include "opdev/data_type_utils.h"
#include "opdev/op_log.h"
#include "opdev/shape_utils.h"

namespace op {
namespace internal {
namespace {

constexpr hc_storage kNoStorage = 0xFFFFFFFF;

// Each workspace buffer takes this much (aclnn: 32 bytes of slack, 512-byte steps).
uint64_t WorkspaceFootprint(uint64_t bytes) { return (bytes + 32 + 511) / 512 * 512; }

uint64_t BytesOf(int64_t count, DataType dataType)
{
    const int64_t bytes = CalcShapeBytes(count, dataType);
    return bytes > 0 ? static_cast<uint64_t>(bytes) : 0;
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

ExecutorPlan::Binding& ExecutorPlan::Bind(const aclTensor* tensor)
{
    const std::shared_ptr<aclStorage>& storage = tensor->storage_;
    const auto found = bindings_.find(storage.get());
    if (found != bindings_.end()) {
        return found->second;
    }
    Binding binding;
    binding.storage = storage;
    const aclTensor* owner = storage->owner_ != nullptr ? storage->owner_ : tensor;
    binding.bytes = BytesOf(owner->Size(), owner->GetDataType());
    if (storage->hostBytes_ != nullptr) {
        binding.kind = Kind::kHost;
        binding.id = hc_plan_add_host(plan_, storage->GetAddr(), binding.bytes);
    } else if (storage->IsFromWorkspace()) {
        binding.kind = Kind::kWorkspace;
        binding.id = hc_plan_add_workspace(plan_, binding.bytes);
    } else {
        binding.id = hc_plan_add_external(plan_, storage->GetAddr());
    }
    return bindings_.emplace(storage.get(), std::move(binding)).first->second;
}

bool ExecutorPlan::ToOperand(const aclTensor* tensor, hc_operand* operand)
{
    *operand = {};
    if (tensor == nullptr) {
        return true;
    }
    if (SettleMovedStorages() != ACLNN_SUCCESS) {
        return false;
    }
    const Binding& binding = Bind(tensor);
    if (binding.id == kNoStorage) {
        return false; // reported by the plan
    }
    const DataType dataType = tensor->GetDataType();
    // A redirected storage already means the place its storage offset points to.
    const int64_t offset = tensor->GetViewOffset() + (binding.kind == Kind::kExternal ? tensor->GetStorageOffset() : 0);
    if (offset < 0) {
        OP_LOGE(ACLNN_ERR_PARAM_INVALID, "tensor offset: expected 0 or more elements, got %lld in %s",
                static_cast<long long>(offset), tensor->ToString().GetString());
        return false;
    }
    operand->present = 1;
    operand->storage = binding.id;
    operand->byte_offset = static_cast<uint64_t>(CalcShapeBytes(offset, dataType, true));
    const uint64_t storageBytes = BytesOf(tensor->Size(), dataType);
    // The storage shape of a view counts from its offset, that of any other tensor from the storage's start.
    const uint64_t skipped = tensor->isView_ ? 0 : operand->byte_offset;
    operand->bytes = storageBytes > skipped ? storageBytes - skipped : 0;
    if (binding.kind != Kind::kExternal && operand->byte_offset + operand->bytes > binding.bytes) {
        OP_LOGE(ACLNN_ERR_INNER,
                "a view reaches beyond its tensor: it ends at byte %llu of %llu. Check the shape and offset given to "
                "CreateView: %s",
                static_cast<unsigned long long>(operand->byte_offset + operand->bytes),
                static_cast<unsigned long long>(binding.bytes), tensor->ToString().GetString());
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
    if (!ToOperands(inputs, &ins) || !ToOperands(outputs, &outs)) {
        return ACLNN_ERR_INNER;
    }
    hc_launch launch = {};
    launch.tiling_key = tiling.key;
    launch.block_dim = tiling.blockDim;
    launch.tiling_data = tiling.data.data();
    launch.tiling_size = tiling.data.size();
    launch.tiling_other = tiling.otherData.empty() ? nullptr : tiling.otherData.data();
    launch.workspaces = tiling.workspaces.data();
    launch.workspace_num = tiling.workspaces.size();
    for (const uint64_t bytes : tiling.workspaces) {
        kernelWorkspace_ += WorkspaceFootprint(bytes);
    }
    return hc_plan_add_kernel(plan_, binary, &launch, ins.data(), ins.size(), outs.data(), outs.size());
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
    if (!ToOperand(dst, &to.at) || !ToOperand(src, &from.at)) {
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
    if (!ToOperand(dst, &to) || !ToOperand(src, &from)) {
        return ACLNN_ERR_INNER;
    }
    return hc_plan_add_cast(plan_, &to, static_cast<int32_t>(dst->GetDataType()), &from,
                            static_cast<int32_t>(src->GetDataType()), static_cast<uint64_t>(src->Numel()));
}

aclnnStatus ExecutorPlan::Relate(const aclTensor* out, const aclTensor* middle)
{
    relations_.emplace_back(out->storage_, middle->storage_);
    const auto found = bindings_.find(middle->storage_.get());
    if (found == bindings_.end() || found->second.kind != Kind::kWorkspace || found->second.redirected) {
        return ACLNN_SUCCESS; // nothing in the plan writes it; its address follows `out` at every run
    }
    Binding& from = found->second;
    hc_operand target = {};
    if (!ToOperand(out, &target)) {
        return ACLNN_ERR_INNER;
    }
    from.redirected = true;
    return hc_plan_redirect(plan_, from.id, target.storage, target.byte_offset);
}

aclnnStatus ExecutorPlan::SettleMovedStorages()
{
    for (auto& entry : bindings_) {
        Binding& binding = entry.second;
        if (binding.kind != Kind::kWorkspace || binding.redirected || binding.storage->IsFromWorkspace()) {
            continue;
        }
        bool related = false;
        for (const auto& relation : relations_) {
            related = related || relation.second == binding.storage;
        }
        if (related) {
            continue;
        }
        const aclTensor* owner = binding.storage->owner_;
        const int64_t offset = owner == nullptr ?
                                   0 :
                                   CalcShapeBytes(binding.storage->GetStorageOffset(), owner->GetDataType(), true);
        binding.redirected = true;
        const hc_storage target = hc_plan_add_external(plan_, binding.storage->GetAddr());
        const aclnnStatus status = hc_plan_redirect(plan_, binding.id, target,
                                                    static_cast<uint64_t>(offset > 0 ? offset : 0));
        if (status != ACLNN_SUCCESS) {
            return status;
        }
    }
    return ACLNN_SUCCESS;
}

uint64_t ExecutorPlan::WorkspaceSize()
{
    (void)SettleMovedStorages(); // a failure has been reported and comes back from Run
    return hc_plan_workspace_size(plan_);
}

uint64_t ExecutorPlan::LinearWorkspaceSize()
{
    uint64_t total = kernelWorkspace_;
    for (const auto& entry : bindings_) {
        const Binding& binding = entry.second;
        if (binding.kind == Kind::kWorkspace && !binding.redirected) {
            total += WorkspaceFootprint(binding.bytes);
        }
    }
    return total;
}

void ExecutorPlan::UpdateStorageAddresses()
{
    for (const auto& relation : relations_) {
        relation.second->SetAddr(relation.first->GetAddr());
    }
}

aclnnStatus ExecutorPlan::Run(void* runWorkspace, uint64_t workspaceSize, aclrtStream runStream)
{
    const aclnnStatus settled = SettleMovedStorages();
    if (settled != ACLNN_SUCCESS) {
        return settled;
    }
    const uint64_t needed = hc_plan_workspace_size(plan_);
    if (workspaceSize < needed) {
        ReportCoded("EZ1010", ACLNN_ERR_PARAM_INVALID,
                    "argument [workspaceSize]: expected at least " + std::to_string(needed) + " bytes, got " +
                        std::to_string(workspaceSize) + "; pass the size GetWorkspaceSize returned");
        return ACLNN_ERR_PARAM_INVALID;
    }
    UpdateStorageAddresses();
    for (const auto& entry : bindings_) {
        const Binding& binding = entry.second;
        if (binding.kind != Kind::kExternal) {
            continue;
        }
        if (binding.storage->ownerDestroyed_) {
            OP_LOGE(ACLNN_ERR_INNER_NULLPTR,
                    "a tensor of this call was destroyed before phase 2 ran; call aclDestroyTensor after the second "
                    "function has returned");
            return ACLNN_ERR_INNER_NULLPTR;
        }
        hc_plan_set_address(plan_, binding.id, binding.storage->GetAddr());
    }
    return hc_plan_run(plan_, runWorkspace, workspaceSize, runStream);
}

} // namespace internal
} // namespace op
