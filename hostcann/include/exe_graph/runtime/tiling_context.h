#ifndef HOSTCANN_EXE_GRAPH_TILING_CONTEXT_H
#define HOSTCANN_EXE_GRAPH_TILING_CONTEXT_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/runtime_tensor.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/stride.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {
struct Dim3 {
    uint32_t x, y, z;
    Dim3(const uint32_t dim3_x, const uint32_t dim3_y = 1, const uint32_t dim3_z = 1) : x(dim3_x), y(dim3_y), z(dim3_z)
    {
    }
};

// Input slots: the node's inputs, its outputs, then compile info, platform, tiling function, deterministic flag,
// deterministic level. Output slots: TilingOutputIndex.
class TilingContext : public ExtendedKernelContext {
public:
    enum TilingOutputIndex : uint32_t {
        kOutputTilingKey = 0,
        kOutputBlockDim = 1,
        kOutputSimdNumBlocks = 1,
        kOutputAtomicCleanFlag = 2,
        kOutputTilingData = 3,
        kOutputWorkspace = 4,
        kOutputTilingCond = 5,
        kOutputScheduleMode = 6,
        kOutputLocalMemorySize = 7,
        kOutputDynUBufSize = 7,
        kOutputAicpuBlockDim = 8,
        kOutputAicpuNumBlocks = 8,
        kOutputSimtBlockDim = 9,
        kOutputSimtGridDim = 10,
        kOutputNum
    };
    enum FallibleTilingOutputIndex : uint32_t { kTilingStatus = TilingOutputIndex::kOutputNum, kFallibleOutputNum };

    const void* GetCompileInfo() const { return GetInputValue<void*>(ExtraInput(0U)); }
    template <typename T>
    const T* GetCompileInfo() const
    {
        return static_cast<const T*>(GetCompileInfo());
    }
    fe::PlatFormInfos* GetPlatformInfo() const { return GetInputValue<fe::PlatFormInfos*>(ExtraInput(1U)); }
    int32_t GetDeterministic() const { return GetInputValue<int32_t>(ExtraInput(3U)); }
    int32_t GetDeterministicLevel() const { return GetInputValue<int32_t>(ExtraInput(4U)); }

    const StorageShape* GetInputShape(const size_t index) const { return OfInput<StorageShape>(index); }
    const Tensor* GetInputTensor(const size_t index) const { return OfInput<Tensor>(index); }
    const StorageShape* GetOptionalInputShape(const size_t ir_index) const
    {
        return GetDynamicInputPointer<StorageShape>(ir_index, 0U);
    }
    const Tensor* GetOptionalInputTensor(const size_t ir_index) const
    {
        return GetDynamicInputPointer<Tensor>(ir_index, 0U);
    }
    const StorageShape* GetRequiredInputShape(const size_t ir_index) const
    {
        return GetDynamicInputPointer<StorageShape>(ir_index, 0U);
    }
    const Tensor* GetRequiredInputTensor(const size_t ir_index) const
    {
        return GetDynamicInputPointer<Tensor>(ir_index, 0U);
    }
    const StorageShape* GetDynamicInputShape(const size_t ir_index, const size_t relative_index) const
    {
        return GetDynamicInputPointer<StorageShape>(ir_index, relative_index);
    }
    const Tensor* GetDynamicInputTensor(const size_t ir_index, const size_t relative_index) const
    {
        return GetDynamicInputPointer<Tensor>(ir_index, relative_index);
    }
    const StorageShape* GetOutputShape(const size_t index) const { return OfOutput<StorageShape>(index); }

    ge::graphStatus SetTilingKey(const uint64_t tiling_key) { return Put(kOutputTilingKey, tiling_key); }
    uint64_t GetTilingKey() const { return Read<uint64_t>(kOutputTilingKey, UINT64_MAX); }
    ge::graphStatus SetBlockDim(const uint32_t block_dim) { return Put(kOutputBlockDim, block_dim); }
    ge::graphStatus SetSimdNumBlocks(const uint32_t num_blocks) { return Put(kOutputSimdNumBlocks, num_blocks); }
    uint32_t GetBlockDim() const { return Read<uint32_t>(kOutputBlockDim, UINT32_MAX); }
    uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
    ge::graphStatus SetNeedAtomic(const bool atomic) { return Put(kOutputAtomicCleanFlag, atomic); }
    bool NeedAtomic() const { return Read<bool>(kOutputAtomicCleanFlag, false); }
    ge::graphStatus SetTilingCond(int32_t tiling_cond) { return Put(kOutputTilingCond, tiling_cond); }
    int32_t GetTilingCond() const { return Read<int32_t>(kOutputTilingCond, -1); }
    ge::graphStatus SetScheduleMode(const uint32_t schedule_mode) { return Put(kOutputScheduleMode, schedule_mode); }
    uint32_t GetScheduleMode() const { return Read<uint32_t>(kOutputScheduleMode, UINT32_MAX); }
    ge::graphStatus SetLocalMemorySize(const uint32_t local_memory_size)
    {
        return Put(kOutputLocalMemorySize, local_memory_size);
    }
    uint32_t GetLocalMemorySize() const { return Read<uint32_t>(kOutputLocalMemorySize, UINT32_MAX); }
    ge::graphStatus SetDynUBufSize(const uint32_t dyn_ubuf_size) { return Put(kOutputDynUBufSize, dyn_ubuf_size); }
    uint32_t GetDynUBufSize() const { return GetLocalMemorySize(); }
    ge::graphStatus SetAicpuBlockDim(uint32_t block_dim) { return Put(kOutputAicpuBlockDim, block_dim); }
    ge::graphStatus SetAicpuNumBlocks(uint32_t num_blocks) { return Put(kOutputAicpuNumBlocks, num_blocks); }
    uint32_t GetAicpuBlockDim() const { return Read<uint32_t>(kOutputAicpuBlockDim, UINT32_MAX); }
    uint32_t GetAicpuNumBlocks() const { return GetAicpuBlockDim(); }
    ge::graphStatus SetSimtBlockDim(const Dim3& block_dim) { return PutDim(kOutputSimtBlockDim, block_dim); }
    const Dim3* GetSimtBlockDim() const { return GetOutputPointer<Dim3>(kOutputSimtBlockDim); }
    ge::graphStatus SetSimtGridDim(const Dim3& grid_dim) { return PutDim(kOutputSimtGridDim, grid_dim); }
    const Dim3* GetSimtGridDim() const { return GetOutputPointer<Dim3>(kOutputSimtGridDim); }

    // nullptr when T does not fit. Sets the data size to sizeof(T); the bytes keep what an earlier call left in them.
    template <typename T>
    T* GetTilingData()
    {
        auto* raw = GetRawTilingData();
        if (raw == nullptr || raw->GetCapacity() < sizeof(T)) {
            return nullptr;
        }
        raw->SetDataSize(sizeof(T));
        return static_cast<T*>(raw->GetData());
    }
    TilingData* GetRawTilingData() { return GetOutputPointer<TilingData>(kOutputTilingData); }
    // Sets the number of workspaces; nullptr above the capacity.
    size_t* GetWorkspaceSizes(const size_t workspace_count)
    {
        auto* workspace = GetOutputPointer<TypedContinuousVector<size_t>>(kOutputWorkspace);
        return workspace == nullptr || workspace->SetSize(workspace_count) != ge::GRAPH_SUCCESS ?
                   nullptr :
                   workspace->MutableData();
    }
    size_t GetWorkspaceNum() const
    {
        const auto* workspace = GetOutputPointer<TypedContinuousVector<size_t>>(kOutputWorkspace);
        return workspace == nullptr ? 0U : workspace->GetSize();
    }

    // Strides and offset exist only for TensorV2 (else nullptr and -1); a view may still be row-major.
    bool InputIsView(const size_t index) const { return View(OfInput<Tensor>(index)) != nullptr; }
    const Stride* GetInputStride(const size_t index) const { return StrideOf(OfInput<Tensor>(index)); }
    int64_t GetInputOffset(const size_t index) const { return OffsetOf(OfInput<Tensor>(index)); }
    bool OutputIsView(const size_t index) const { return View(OfOutput<Tensor>(index)) != nullptr; }
    const Stride* GetOutputStride(const size_t index) const { return StrideOf(OfOutput<Tensor>(index)); }
    int64_t GetOutputOffset(const size_t index) const { return OffsetOf(OfOutput<Tensor>(index)); }
    bool OptionalInputIsView(const size_t ir_index) const { return DynamicInputIsView(ir_index, 0U); }
    const Stride* GetOptionalInputStride(const size_t ir_index) const { return GetDynamicInputStride(ir_index, 0U); }
    int64_t GetOptionalInputOffset(const size_t ir_index) const { return GetDynamicInputOffset(ir_index, 0U); }
    bool RequiredInputIsView(const size_t ir_index) const { return DynamicInputIsView(ir_index, 0U); }
    const Stride* GetRequiredInputStride(const size_t ir_index) const { return GetDynamicInputStride(ir_index, 0U); }
    int64_t GetRequiredInputOffset(const size_t ir_index) const { return GetDynamicInputOffset(ir_index, 0U); }
    bool DynamicInputIsView(const size_t ir_index, const size_t relative_index) const
    {
        return View(GetDynamicInputTensor(ir_index, relative_index)) != nullptr;
    }
    const Stride* GetDynamicInputStride(const size_t ir_index, const size_t relative_index) const
    {
        return StrideOf(GetDynamicInputTensor(ir_index, relative_index));
    }
    int64_t GetDynamicInputOffset(const size_t ir_index, const size_t relative_index) const
    {
        return OffsetOf(GetDynamicInputTensor(ir_index, relative_index));
    }

private:
    size_t ExtraInput(const size_t index) const { return GetComputeNodeInputNum() + GetComputeNodeOutputNum() + index; }
    template <typename T>
    const T* OfInput(const size_t index) const
    {
        return index < GetComputeNodeInputNum() ? GetInputPointer<T>(index) : nullptr;
    }
    template <typename T>
    const T* OfOutput(const size_t index) const
    {
        return index < GetComputeNodeOutputNum() ? GetInputPointer<T>(GetComputeNodeInputNum() + index) : nullptr;
    }
    template <typename T>
    ge::graphStatus Put(const uint32_t slot, const T value)
    {
        auto* place = GetOutputPointer<T>(slot);
        if (place == nullptr) {
            return ge::GRAPH_FAILED;
        }
        *place = value;
        return ge::GRAPH_SUCCESS;
    }
    ge::graphStatus PutDim(const uint32_t slot, const Dim3& value)
    {
        auto* place = GetOutputPointer<Dim3>(slot);
        if (place == nullptr) {
            return ge::GRAPH_FAILED;
        }
        *place = value;
        return ge::GRAPH_SUCCESS;
    }
    template <typename T>
    T Read(const uint32_t slot, const T missing) const
    {
        const auto* place = GetOutputPointer<T>(slot);
        return place == nullptr ? missing : *place;
    }
    static const TensorV2* View(const Tensor* tensor)
    {
        return tensor != nullptr && tensor->GetVersion() == kTensorV2 ? static_cast<const TensorV2*>(tensor) : nullptr;
    }
    static const Stride* StrideOf(const Tensor* tensor)
    {
        const auto* view = View(tensor);
        return view == nullptr ? nullptr : &view->GetStride();
    }
    static int64_t OffsetOf(const Tensor* tensor)
    {
        const auto* view = View(tensor);
        return view == nullptr ? -1 : view->GetOffset();
    }
};
static_assert(std::is_standard_layout<TilingContext>::value, "a context is a KernelRunContext");
} // namespace gert

#endif
