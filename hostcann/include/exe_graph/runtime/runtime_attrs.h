#ifndef HOSTCANN_EXE_GRAPH_RUNTIME_ATTRS_H
#define HOSTCANN_EXE_GRAPH_RUNTIME_ATTRS_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/runtime_tensor.h"

namespace gert {
// Attributes in the order of the op definition. Every getter gives nullptr beyond the count; the type is not checked.
class RuntimeAttrs {
public:
    template <typename T>
    const T* GetAttrPointer(size_t index) const
    {
        return static_cast<const T*>(GetPointerByIndex(index));
    }
    const int64_t* GetInt(const size_t index) const { return GetAttrPointer<int64_t>(index); }
    const TypedContinuousVector<int64_t>* GetListInt(const size_t index) const
    {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
    }
    const ContinuousVectorVector* GetListListInt(const size_t index) const
    {
        return GetAttrPointer<ContinuousVectorVector>(index);
    }
    const char* GetStr(const size_t index) const { return GetAttrPointer<char>(index); }
    const Tensor* GetTensor(const size_t index) const { return GetAttrPointer<Tensor>(index); }
    const float* GetFloat(const size_t index) const { return GetAttrPointer<float>(index); }
    const bool* GetBool(const size_t index) const { return GetAttrPointer<bool>(index); }
    const TypedContinuousVector<float>* GetListFloat(const size_t index) const
    {
        return GetAttrPointer<TypedContinuousVector<float>>(index);
    }
    const ContinuousVectorVector* GetListListFloat(const size_t index) const
    {
        return GetAttrPointer<ContinuousVectorVector>(index);
    }
    size_t GetAttrNum() const;

    RuntimeAttrs() = delete;
    RuntimeAttrs(const RuntimeAttrs&) = delete;
    RuntimeAttrs(RuntimeAttrs&&) = delete;
    RuntimeAttrs& operator=(const RuntimeAttrs&) = delete;
    RuntimeAttrs& operator=(RuntimeAttrs&&) = delete;

private:
    const void* GetPointerByIndex(size_t index) const;
    uint64_t placeholder_;
};
static_assert(std::is_standard_layout<RuntimeAttrs>::value, "RuntimeAttrs overlays a RuntimeAttrsDef");
} // namespace gert

#endif
