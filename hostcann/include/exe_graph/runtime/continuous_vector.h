#ifndef HOSTCANN_EXE_GRAPH_CONTINUOUS_VECTOR_H
#define HOSTCANN_EXE_GRAPH_CONTINUOUS_VECTOR_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "graph/error_codes.h"

namespace gert {
// A vector of fixed capacity with its elements in the same buffer.
class ContinuousVector {
public:
    template <typename T>
    static std::unique_ptr<uint8_t[]> Create(size_t capacity, size_t& total_size)
    {
        size_t bytes = 0;
        if (__builtin_mul_overflow(capacity, sizeof(T), &bytes) ||
            __builtin_add_overflow(bytes, sizeof(ContinuousVector), &total_size)) {
            return nullptr;
        }
        std::unique_ptr<uint8_t[]> buffer(new (std::nothrow) uint8_t[total_size]());
        if (buffer != nullptr) {
            reinterpret_cast<ContinuousVector*>(buffer.get())->Init(capacity);
        }
        return buffer;
    }
    template <typename T>
    static std::unique_ptr<uint8_t[]> Create(const size_t capacity)
    {
        size_t total_size = 0;
        return Create<T>(capacity, total_size);
    }

    void Init(const size_t capacity)
    {
        capacity_ = capacity;
        size_ = 0;
    }
    size_t GetSize() const { return size_; }
    ge::graphStatus SetSize(const size_t size)
    {
        if (size > capacity_) {
            return ge::GRAPH_PARAM_OUT_OF_RANGE;
        }
        size_ = size;
        return ge::GRAPH_SUCCESS;
    }
    size_t GetCapacity() const { return capacity_; }
    const void* GetData() const { return elements; }
    void* MutableData() { return elements; }

private:
    size_t capacity_;
    size_t size_;
    uint8_t reserved_[40];
    uint8_t elements[8];
};
static_assert(std::is_standard_layout<ContinuousVector>::value, "attributes address ContinuousVector by its layout");
static_assert(sizeof(ContinuousVector) == 64, "size of gert::ContinuousVector on a real toolkit");

template <typename T>
class TypedContinuousVector : private ContinuousVector {
public:
    using ContinuousVector::GetCapacity;
    using ContinuousVector::GetSize;
    using ContinuousVector::SetSize;
    T* MutableData() { return static_cast<T*>(ContinuousVector::MutableData()); }
    const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }
};

// A vector of ContinuousVector of several lengths in one buffer: header, one offset per entry, the entries.
class ContinuousVectorVector {
public:
    void Init(const size_t capacity)
    {
        capacity_ = capacity;
        size_ = 0U;
        SetOffset(0U, GetOverHeadLength(capacity));
    }
    // The next entry, nullptr when `capacity` entries are there. The caller's buffer must have room for it.
    template <typename T>
    ContinuousVector* Add(size_t inner_vector_capacity)
    {
        size_t bytes = 0;
        if (size_ >= capacity_ || __builtin_mul_overflow(inner_vector_capacity, sizeof(T), &bytes) ||
            __builtin_add_overflow(bytes, sizeof(ContinuousVector), &bytes)) {
            return nullptr;
        }
        auto* added = At(size_);
        added->Init(inner_vector_capacity);
        (void)added->SetSize(inner_vector_capacity);
        ++size_;
        if (size_ < capacity_) {
            // Entries stay 8-byte aligned.
            SetOffset(size_, GetOffset(size_ - 1U) + ((bytes + 7U) & ~size_t{7U}));
        }
        return added;
    }
    const ContinuousVector* Get(const size_t index) const
    {
        return index < size_ ? const_cast<ContinuousVectorVector*>(this)->At(index) : nullptr;
    }
    size_t GetSize() const { return size_; }
    static size_t GetOverHeadLength(const size_t capacity)
    {
        return sizeof(ContinuousVectorVector) + (capacity > 1U ? (capacity - 1U) * sizeof(size_t) : 0U);
    }

private:
    ContinuousVector* At(const size_t index)
    {
        return reinterpret_cast<ContinuousVector*>(reinterpret_cast<uint8_t*>(this) + GetOffset(index));
    }
    void SetOffset(const size_t index, const size_t offset) { (&offset_[0])[index] = offset; }
    size_t GetOffset(const size_t index) const { return (&offset_[0])[index]; }

    size_t capacity_ = 0U;
    size_t size_ = 0U;
    uint8_t reserved_[40];
    size_t offset_[1U];
};
static_assert(std::is_standard_layout<ContinuousVectorVector>::value, "attributes address it by its layout");
} // namespace gert

#endif
