#ifndef HOSTCANN_OPDEV_FAST_VECTOR_H
#define HOSTCANN_OPDEV_FAST_VECTOR_H

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "opdev/op_log.h"

namespace op {
namespace internal {

// A vector whose first N elements live inside the object. Unlike std::vector, element type bool is an ordinary type.
template <typename T, size_t N>
class SmallVector {
public:
    using value_type = T;
    using size_type = size_t;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using const_reference = const T&;
    using pointer = T*;
    using const_pointer = const T*;
    using iterator = T*;
    using const_iterator = const T*;
    using reverse_iterator = std::reverse_iterator<iterator>;
    using const_reverse_iterator = std::reverse_iterator<const_iterator>;

    SmallVector() {}
    explicit SmallVector(size_t count) { resize(count); }
    SmallVector(size_t count, const T& value) { assign(count, value); }
    SmallVector(std::initializer_list<T> values) { Append(values.begin(), values.end()); }
    template <typename It, typename = typename std::iterator_traits<It>::iterator_category>
    SmallVector(It first, It last)
    {
        Append(first, last);
    }
    SmallVector(const SmallVector& other) { Append(other.begin(), other.end()); }
    SmallVector(SmallVector&& other) { TakeFrom(other); }
    template <size_t M>
    SmallVector(const SmallVector<T, M>& other)
    {
        Append(other.begin(), other.end());
    }
    ~SmallVector() { Release(); }

    SmallVector& operator=(const SmallVector& other)
    {
        if (this != &other) {
            clear();
            Append(other.begin(), other.end());
        }
        return *this;
    }
    SmallVector& operator=(SmallVector&& other)
    {
        if (this != &other) {
            Release();
            TakeFrom(other);
        }
        return *this;
    }
    SmallVector& operator=(std::initializer_list<T> values)
    {
        assign(values.begin(), values.end());
        return *this;
    }

    void assign(size_t count, const T& value)
    {
        const T copy = value;
        clear();
        reserve(count);
        while (size_ < count) {
            emplace_back(copy);
        }
    }
    template <typename It, typename = typename std::iterator_traits<It>::iterator_category>
    void assign(It first, It last)
    {
        clear();
        Append(first, last);
    }
    void assign(std::initializer_list<T> values) { assign(values.begin(), values.end()); }

    size_t size() const { return size_; }
    size_t capacity() const { return capacity_; }
    bool empty() const { return size_ == 0; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](size_t i) { return data_[i]; }
    const T& operator[](size_t i) const { return data_[i]; }
    T& at(size_t i) { return data_[i]; }
    const T& at(size_t i) const { return data_[i]; }
    T& front() { return data_[0]; }
    const T& front() const { return data_[0]; }
    T& back() { return data_[size_ - 1]; }
    const T& back() const { return data_[size_ - 1]; }

    iterator begin() { return data_; }
    iterator end() { return data_ + size_; }
    const_iterator begin() const { return data_; }
    const_iterator end() const { return data_ + size_; }
    const_iterator cbegin() const { return begin(); }
    const_iterator cend() const { return end(); }
    reverse_iterator rbegin() { return reverse_iterator(end()); }
    reverse_iterator rend() { return reverse_iterator(begin()); }
    const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
    const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }

    void reserve(size_t wanted)
    {
        if (wanted > capacity_) {
            MoveTo(static_cast<T*>(::operator new(wanted * sizeof(T))), wanted);
        }
    }
    void resize(size_t count)
    {
        reserve(count);
        while (size_ < count) {
            emplace_back();
        }
        Shrink(count);
    }
    void resize(size_t count, const T& value)
    {
        const T copy = value;
        reserve(count);
        while (size_ < count) {
            emplace_back(copy);
        }
        Shrink(count);
    }
    void clear() { Shrink(0); }
    void push_back(const T& value) { emplace_back(value); }
    void push_back(T&& value) { emplace_back(std::move(value)); }
    template <typename... Args>
    T& emplace_back(Args&&... args)
    {
        if (size_ == capacity_) {
            T value(std::forward<Args>(args)...); // the arguments may refer into this vector
            reserve(capacity_ * 2);
            new (data_ + size_) T(std::move(value));
        } else {
            new (data_ + size_) T(std::forward<Args>(args)...);
        }
        return data_[size_++];
    }
    void pop_back() { Shrink(size_ - 1); }
    iterator insert(const_iterator position, const T& value)
    {
        const size_t at = static_cast<size_t>(position - begin());
        emplace_back(value);
        std::rotate(begin() + at, end() - 1, end());
        return begin() + at;
    }
    template <typename It, typename = typename std::iterator_traits<It>::iterator_category>
    iterator insert(const_iterator position, It first, It last)
    {
        const size_t at = static_cast<size_t>(position - begin());
        const size_t before = size_;
        Append(first, last);
        std::rotate(begin() + at, begin() + before, end());
        return begin() + at;
    }
    iterator erase(const_iterator position) { return erase(position, position + 1); }
    iterator erase(const_iterator first, const_iterator last)
    {
        const size_t at = static_cast<size_t>(first - begin());
        const size_t count = static_cast<size_t>(last - first);
        std::move(begin() + at + count, end(), begin() + at);
        Shrink(size_ - count);
        return begin() + at;
    }

private:
    T* Inline() { return reinterpret_cast<T*>(inline_); }

    template <typename It>
    void Append(It first, It last)
    {
        for (; first != last; ++first) {
            emplace_back(*first);
        }
    }
    void Shrink(size_t count)
    {
        while (size_ > count) {
            data_[--size_].~T();
        }
    }
    void MoveTo(T* target, size_t capacity)
    {
        for (size_t i = 0; i < size_; ++i) {
            new (target + i) T(std::move(data_[i]));
            data_[i].~T();
        }
        if (data_ != Inline()) {
            ::operator delete(data_);
        }
        data_ = target;
        capacity_ = capacity;
    }
    void Release()
    {
        clear();
        if (data_ != Inline()) {
            ::operator delete(data_);
        }
        data_ = Inline();
        capacity_ = N;
    }
    void TakeFrom(SmallVector& other)
    {
        if (other.data_ == other.Inline()) {
            for (T& value : other) {
                emplace_back(std::move(value));
            }
            other.clear();
            return;
        }
        data_ = std::exchange(other.data_, other.Inline());
        capacity_ = std::exchange(other.capacity_, N);
        size_ = std::exchange(other.size_, 0);
    }

    static_assert(N > 0, "an inline capacity is needed");
    alignas(T) unsigned char inline_[N * sizeof(T)];
    T* data_ = Inline();
    size_t size_ = 0;
    size_t capacity_ = N;
};

template <typename T, size_t N, size_t M>
bool operator==(const SmallVector<T, N>& a, const SmallVector<T, M>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

template <typename T, size_t N, size_t M>
bool operator!=(const SmallVector<T, N>& a, const SmallVector<T, M>& b)
{
    return !(a == b);
}

} // namespace internal

template <typename T, size_t N = 8>
using FVector = internal::SmallVector<T, N>;

} // namespace op
#endif // HOSTCANN_OPDEV_FAST_VECTOR_H
