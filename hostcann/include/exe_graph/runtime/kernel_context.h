#ifndef HOSTCANN_EXE_GRAPH_KERNEL_CONTEXT_H
#define HOSTCANN_EXE_GRAPH_KERNEL_CONTEXT_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/kernel_run_context.h"
#include "graph/error_codes.h"

namespace gert {
// One slot of a context: values up to pointer size are held in place, larger ones by address.
class Chain {
public:
    using Deleter = void (*)(void*);

    template <typename T>
    const T* GetPointer() const
    {
        return const_cast<Chain*>(this)->GetPointer<T>();
    }
    template <typename T>
    T* GetPointer()
    {
        void* const inplace = any_value_.data.inplace;
        return static_cast<T*>(sizeof(T) <= sizeof(void*) ? inplace : any_value_.data.pointer);
    }
    template <typename T, typename std::enable_if<(sizeof(T) <= sizeof(void*)), int>::type = 0>
    const T& GetValue() const
    {
        return *GetPointer<T>();
    }
    template <typename T, typename std::enable_if<(sizeof(T) <= sizeof(void*)), int>::type = 0>
    T& GetValue()
    {
        return *GetPointer<T>();
    }

    void Set(void* const data, const Chain::Deleter deleter)
    {
        FreeResource();
        any_value_.data.pointer = data;
        any_value_.deleter = deleter;
    }
    template <typename T, typename std::enable_if<(!std::is_array<T>::value), int>::type = 0>
    void SetWithDefaultDeleter(T* data)
    {
        Set(data, [](void* held) { delete static_cast<T*>(held); });
    }
    template <typename T, typename PureT = typename std::remove_extent<T>::type,
              typename std::enable_if<std::is_array<T>::value, int>::type = 0>
    void SetWithDefaultDeleter(PureT* data)
    {
        Set(data, [](void* held) { delete[] static_cast<PureT*>(held); });
    }
    bool HasDeleter() const { return any_value_.deleter != nullptr; }

private:
    void FreeResource()
    {
        if (any_value_.deleter != nullptr) {
            any_value_.deleter(any_value_.data.pointer);
            any_value_.deleter = nullptr;
        }
    }
    AsyncAnyValue any_value_;
};
static_assert(std::is_standard_layout<Chain>::value, "a Chain is an AsyncAnyValue");

class KernelContext {
public:
    size_t GetInputNum() const { return context_.input_size; }
    size_t GetOutputNum() const { return context_.output_size; }
    const Chain* GetInput(const size_t i) const { return MutableInput(i); }
    Chain* MutableInput(const size_t i) const
    {
        return i < context_.input_size ? reinterpret_cast<Chain*>(context_.values[i]) : nullptr;
    }
    Chain* GetOutput(const size_t i)
    {
        return i < context_.output_size ? reinterpret_cast<Chain*>(context_.values[context_.input_size + i]) : nullptr;
    }
    const Chain* GetOutput(const size_t i) const { return const_cast<KernelContext*>(this)->GetOutput(i); }
    Chain* GetOutput2(const size_t i)
    {
        return i < context_.output_size ? reinterpret_cast<Chain*>(context_.output_start[i]) : nullptr;
    }

    // T() when there is no such input.
    template <typename T>
    T GetInputValue(size_t i) const
    {
        const auto* slot = GetInput(i);
        return slot == nullptr ? T() : slot->GetValue<T>();
    }
    template <typename T>
    const T* GetInputPointer(size_t i) const
    {
        const auto* slot = GetInput(i);
        return slot == nullptr ? nullptr : slot->GetPointer<T>();
    }
    template <typename T>
    T* MutableInputPointer(size_t i) const
    {
        auto* slot = MutableInput(i);
        return slot == nullptr ? nullptr : slot->GetPointer<T>();
    }
    const char* GetInputStrPointer(const size_t i) const
    {
        const auto* slot = GetInput(i);
        return slot == nullptr ? nullptr : slot->GetValue<const char*>();
    }
    template <typename T>
    T* GetOutputPointer(size_t i)
    {
        auto* slot = GetOutput(i);
        return slot == nullptr ? nullptr : slot->GetPointer<T>();
    }
    template <typename T>
    const T* GetOutputPointer(size_t i) const
    {
        const auto* slot = GetOutput(i);
        return slot == nullptr ? nullptr : slot->GetPointer<T>();
    }

    const void* GetComputeNodeExtend() const { return context_.compute_node_info; }
    const void* GetKernelExtend() const { return context_.kernel_extend_info; }
    KernelRunContext* GetContext() { return &context_; }
    const KernelRunContext* GetContext() const { return &context_; }
    static bool IsInlineSize(const size_t size) { return size <= sizeof(void*); }

private:
    KernelRunContext context_;
};
static_assert(std::is_standard_layout<KernelContext>::value, "a KernelContext is a KernelRunContext");
} // namespace gert

#endif
