#include "context_builder_impl.h"

#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/context_builder/op_context_builder_base.h"
#include "base/context_builder/op_infer_datatype_context_builder.h"
#include "base/context_builder/op_infer_shape_context_builder.h"
#include "base/context_builder/op_kernel_run_context_builder.h"
#include "base/context_builder/op_tiling_context_builder.h"
#include "base/context_builder/op_tiling_parse_context_builder.h"
#include "base/runtime/runtime_attrs_def.h"
#include "exe_graph/runtime/continuous_vector.h"
#include "op_common/log/log.h"

namespace gert {
namespace {
size_t Words(size_t bytes) { return (bytes + sizeof(uint64_t) - 1U) / sizeof(uint64_t); }
} // namespace

ContextHolderImpl::~ContextHolderImpl()
{
    for (Chain& slot : slots) {
        slot.Set(nullptr, nullptr);
    }
}

ContextHolderVoid::ContextHolderVoid() = default;
ContextHolderVoid::~ContextHolderVoid() = default;
ContextHolderVoid::ContextHolderVoid(ContextHolderVoid&& other) noexcept = default;
ContextHolderVoid& ContextHolderVoid::operator=(ContextHolderVoid&& other) noexcept = default;
void* ContextHolderVoid::GetContext() const
{
    return ctx_holder_impl_ == nullptr || ctx_holder_impl_->context.empty() ? nullptr :
                                                                              ctx_holder_impl_->context.data();
}

ContextHolderVoid ContextHolderBuilder::Hold(std::unique_ptr<ContextHolderImpl> impl)
{
    ContextHolderVoid holder;
    holder.ctx_holder_impl_ = std::move(impl);
    return holder;
}

size_t ContextBuilderImpl::InputNum() const
{
    return std::accumulate(input_instances.begin(), input_instances.end(), size_t{0});
}
size_t ContextBuilderImpl::OutputNum() const
{
    return std::accumulate(output_instances.begin(), output_instances.end(), size_t{0});
}

void ContextBuilderImpl::SetDesc(std::vector<CompileTimeTensorDesc>& descs, size_t index, ge::DataType dtype,
                                 ge::Format origin_format, ge::Format storage_format,
                                 const ExpandDimsType& expand_dims_type)
{
    if (descs.size() <= index) {
        descs.resize(index + 1U);
    }
    descs[index].SetDataType(dtype);
    descs[index].SetOriginFormat(origin_format);
    descs[index].SetStorageFormat(storage_format);
    descs[index].SetExpandDimsType(expand_dims_type);
}

void ContextBuilderImpl::SetTensors(std::vector<CompileTimeTensorDesc>& descs, std::vector<SlotValue>& slots,
                                    const char* what, const std::vector<Tensor*>& tensors)
{
    slots.clear();
    for (size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i] == nullptr) {
            OP_LOGE(op_name,
                    "context builder: %s tensor %zu is nullptr; leave an absent optional out and give it 0 "
                    "instances in IOInstanceNum",
                    what, i);
            failed = true;
            return;
        }
        SetDesc(descs, i, tensors[i]->GetDataType(), tensors[i]->GetOriginFormat(), tensors[i]->GetStorageFormat(),
                tensors[i]->GetExpandDimsType());
        slots.push_back({tensors[i], nullptr});
    }
}

void ContextBuilderImpl::AppendBytes(const void* bytes, size_t size)
{
    std::vector<uint64_t> words(Words(size));
    if (size != 0) {
        (void)std::memcpy(words.data(), bytes, size);
    }
    attrs.push_back(std::move(words));
}

bool ContextBuilderImpl::Check() const
{
    const char* missing = op_type.empty() ? "OpType" : op_name.empty() ? "OpName" : !io_num_set ? "IONum" : nullptr;
    if (missing != nullptr) {
        OP_LOGE(op_name, "context builder of op type '%s': %s was not called", op_type.c_str(), missing);
        return false;
    }
    if (input_descs.size() > InputNum() || output_descs.size() > OutputNum()) {
        OP_LOGE(op_name,
                "context builder: %zu inputs and %zu outputs are described, IONum/IOInstanceNum say %zu and %zu",
                input_descs.size(), output_descs.size(), InputNum(), OutputNum());
        return false;
    }
    return !failed;
}

std::vector<uint64_t> ContextBuilderImpl::AttrBlock() const
{
    const size_t header = Words(sizeof(RuntimeAttrsDef) + attrs.size() * sizeof(size_t));
    std::vector<uint64_t> block(header);
    std::vector<size_t> offsets;
    for (const auto& attr : attrs) {
        offsets.push_back(block.size() * sizeof(uint64_t));
        block.insert(block.end(), attr.begin(), attr.end());
    }
    auto* def = reinterpret_cast<RuntimeAttrsDef*>(block.data());
    def->attr_num = attrs.size();
    if (!offsets.empty()) {
        (void)std::memcpy(reinterpret_cast<uint8_t*>(block.data()) + offsetof(RuntimeAttrsDef, offset), offsets.data(),
                          offsets.size() * sizeof(size_t));
    }
    return block;
}

void ContextBuilderImpl::MakeNodeInfo(ContextHolderImpl& holder) const
{
    const std::vector<uint64_t> attr_block = AttrBlock();
    const size_t attr_bytes = attr_block.size() * sizeof(uint64_t);
    size_t total = 0;
    (void)ComputeNodeInfo::CalcSize(input_instances.size(), output_instances.size(), InputNum(), OutputNum(), total);
    holder.node_info.assign(Words(total + attr_bytes), 0U);
    auto* info = reinterpret_cast<ComputeNodeInfo*>(holder.node_info.data());
    holder.op_name = op_name;
    holder.op_type = op_type;
    info->Init(input_instances.size(), output_instances.size(), InputNum(), OutputNum(), attr_bytes,
               holder.op_name.c_str(), holder.op_type.c_str());

    uint32_t start = 0;
    for (size_t i = 0; i < input_instances.size(); start += input_instances[i], ++i) {
        *info->MutableInputInstanceInfo(i) = AnchorInstanceInfo(start, input_instances[i]);
    }
    start = 0;
    for (size_t i = 0; i < output_instances.size(); start += output_instances[i], ++i) {
        *info->MutableOutputInstanceInfo(i) = AnchorInstanceInfo(start, output_instances[i]);
    }
    for (size_t i = 0; i < InputNum(); ++i) {
        *info->MutableInputTdInfo(i) = i < input_descs.size() ? input_descs[i] : CompileTimeTensorDesc();
    }
    for (size_t i = 0; i < OutputNum(); ++i) {
        *info->MutableOutputTdInfo(i) = i < output_descs.size() ? output_descs[i] : CompileTimeTensorDesc();
    }
    (void)std::memcpy(static_cast<void*>(info->MutableAttrs()), attr_block.data(), attr_bytes);
}

std::unique_ptr<ContextHolderImpl> ContextBuilderImpl::Build(const std::vector<SlotValue>& input_slots,
                                                             const std::vector<SlotValue>& output_slots)
{
    auto holder = std::make_unique<ContextHolderImpl>();
    // Owned values belong to the holder from here on, also when the check fails.
    holder->slots.resize(input_slots.size() + output_slots.size());
    for (size_t i = 0; i < holder->slots.size(); ++i) {
        const SlotValue& value = i < input_slots.size() ? input_slots[i] : output_slots[i - input_slots.size()];
        holder->slots[i].Set(value.pointer, value.deleter);
    }
    if (!Check()) {
        return holder;
    }
    MakeNodeInfo(*holder);
    holder->context.assign(Words(sizeof(KernelRunContext) + holder->slots.size() * sizeof(AsyncAnyValue*)), 0U);
    auto* context = reinterpret_cast<KernelRunContext*>(holder->context.data());
    context->input_size = input_slots.size();
    context->output_size = output_slots.size();
    context->compute_node_info = holder->node_info.data();
    AsyncAnyValue** values = &context->values[0];
    context->output_start = values + input_slots.size();
    for (size_t i = 0; i < holder->slots.size(); ++i) {
        values[i] = reinterpret_cast<AsyncAnyValue*>(&holder->slots[i]);
    }
    return holder;
}

template <typename T>
OpContextBuilderBase<T>::OpContextBuilderBase() : impl_(std::make_unique<ContextBuilderImpl>())
{
}
template <typename T>
OpContextBuilderBase<T>::~OpContextBuilderBase() = default;

template <typename T>
T& OpContextBuilderBase<T>::OpType(const ge::AscendString& op_type)
{
    impl_->op_type = op_type.GetString();
    return Self();
}
template <typename T>
T& OpContextBuilderBase<T>::OpName(const ge::AscendString& op_name)
{
    impl_->op_name = op_name.GetString();
    return Self();
}
template <typename T>
T& OpContextBuilderBase<T>::IONum(size_t input_ir_num, size_t output_ir_num)
{
    impl_->io_num_set = true;
    // Instances given before stay.
    if (impl_->input_instances.size() != input_ir_num) {
        impl_->input_instances.assign(input_ir_num, 1U);
    }
    if (impl_->output_instances.size() != output_ir_num) {
        impl_->output_instances.assign(output_ir_num, 1U);
    }
    return Self();
}
template <typename T>
T& OpContextBuilderBase<T>::IOInstanceNum(const std::vector<uint32_t>& input_instance_num,
                                          const std::vector<uint32_t>& output_instance_num)
{
    impl_->io_num_set = true;
    impl_->input_instances = input_instance_num;
    impl_->output_instances = output_instance_num;
    return Self();
}

template <typename T>
T& OpContextBuilderBase<T>::AppendAttr(bool attr)
{
    impl_->AppendBytes(&attr, sizeof(attr));
    return Self();
}
template <typename T>
T& OpContextBuilderBase<T>::AppendAttr(int64_t attr)
{
    impl_->AppendBytes(&attr, sizeof(attr));
    return Self();
}
template <typename T>
T& OpContextBuilderBase<T>::AppendAttr(float attr)
{
    impl_->AppendBytes(&attr, sizeof(attr));
    return Self();
}
template <typename T>
T& OpContextBuilderBase<T>::AppendAttr(const ge::AscendString& attr)
{
    impl_->AppendBytes(attr.GetString(), attr.GetLength() + 1U);
    return Self();
}

namespace {
// A ContinuousVector with `count` elements taken from element(i).
template <typename Element, typename Get>
void AppendList(ContextBuilderImpl& impl, size_t count, Get get)
{
    size_t total = 0;
    const auto buffer = ContinuousVector::Create<Element>(count, total);
    auto* list = reinterpret_cast<ContinuousVector*>(buffer.get());
    (void)list->SetSize(count);
    for (size_t i = 0; i < count; ++i) {
        static_cast<Element*>(list->MutableData())[i] = get(i);
    }
    impl.AppendBytes(buffer.get(), total);
}
} // namespace

template <typename T>
T& OpContextBuilderBase<T>::AppendAttr(const std::vector<bool>& attr)
{
    AppendList<bool>(*impl_, attr.size(), [&attr](size_t i) { return static_cast<bool>(attr[i]); });
    return Self();
}
template <typename T>
T& OpContextBuilderBase<T>::AppendAttr(const std::vector<int64_t>& attr)
{
    AppendList<int64_t>(*impl_, attr.size(), [&attr](size_t i) { return attr[i]; });
    return Self();
}
template <typename T>
T& OpContextBuilderBase<T>::AppendAttr(const std::vector<float>& attr)
{
    AppendList<float>(*impl_, attr.size(), [&attr](size_t i) { return attr[i]; });
    return Self();
}
template <typename T>
T& OpContextBuilderBase<T>::AppendAttr(const std::vector<ge::AscendString>& attr)
{
    std::string text;
    for (const ge::AscendString& item : attr) {
        text.append(item.GetString(), item.GetLength() + 1U);
    }
    AppendList<char>(*impl_, text.size(), [&text](size_t i) { return text[i]; });
    return Self();
}
template <typename T>
T& OpContextBuilderBase<T>::AppendAttr(const std::vector<std::vector<int64_t>>& attr)
{
    size_t total = ContinuousVectorVector::GetOverHeadLength(attr.size());
    for (const auto& row : attr) {
        total += sizeof(ContinuousVector) + row.size() * sizeof(int64_t);
    }
    std::vector<uint64_t> words(Words(total));
    auto* rows = reinterpret_cast<ContinuousVectorVector*>(words.data());
    rows->Init(attr.size());
    for (const auto& row : attr) {
        auto* added = rows->Add<int64_t>(row.size());
        if (added != nullptr && !row.empty()) {
            (void)std::memcpy(added->MutableData(), row.data(), row.size() * sizeof(int64_t));
        }
    }
    impl_->attrs.push_back(std::move(words));
    return Self();
}

template class OpContextBuilderBase<OpTilingContextBuilder>;
template class OpContextBuilderBase<OpInferShapeContextBuilder>;
template class OpContextBuilderBase<OpInferDataTypeContextBuilder>;
template class OpContextBuilderBase<OpTilingParseContextBuilder>;
template class OpContextBuilderBase<OpKernelContextBuilder>;
} // namespace gert
