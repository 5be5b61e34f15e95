#ifndef HOSTCANN_EXE_GRAPH_RANGE_H
#define HOSTCANN_EXE_GRAPH_RANGE_H

#include <cstdint>

namespace gert {
// Lower and upper bound; the values are the caller's.
template <typename T>
class Range {
public:
    Range() : Range(nullptr, nullptr) {}
    Range(T* min, T* max) : min_(min), max_(max), reserved_{} {}
    explicit Range(T* same_ele) : Range(same_ele, same_ele) {}

    bool operator==(const Range<T>& rht) const { return Same(min_, rht.min_) && Same(max_, rht.max_); }
    void SetMin(T* min) { min_ = min; }
    void SetMax(T* max) { max_ = max; }
    const T* GetMin() const { return min_; }
    const T* GetMax() const { return max_; }
    T* GetMin() { return min_; }
    T* GetMax() { return max_; }

private:
    static bool Same(const T* a, const T* b) { return a == b || (a != nullptr && b != nullptr && *a == *b); }
    T* min_;
    T* max_;
    uint8_t reserved_[40];
};
} // namespace gert

#endif
