#ifndef ASCGRAPH_CPP_EXACT_H
#define ASCGRAPH_CPP_EXACT_H

#include <cstdint>

// An integer that knows when it did not fit into 64 bits, or when a quotient had a remainder.
struct Exact {
    int64_t value;
    bool valid;

    Exact(int64_t number, bool isValid = true) : value(number), valid(isValid) {}
};

inline Exact operator+(const Exact& a, const Exact& b)
{
    int64_t sum = 0;
    const bool lost = __builtin_add_overflow(a.value, b.value, &sum);
    return Exact(sum, a.valid && b.valid && !lost);
}

inline Exact operator-(const Exact& a, const Exact& b)
{
    int64_t difference = 0;
    const bool lost = __builtin_sub_overflow(a.value, b.value, &difference);
    return Exact(difference, a.valid && b.valid && !lost);
}

inline Exact operator-(const Exact& a) { return Exact(0) - a; }

inline Exact operator*(const Exact& a, const Exact& b)
{
    int64_t product = 0;
    const bool lost = __builtin_mul_overflow(a.value, b.value, &product);
    return Exact(product, a.valid && b.valid && !lost);
}

// Towards minus infinity; sizes are divided by positive numbers only.
inline Exact FloorDiv(const Exact& a, const Exact& b)
{
    if (!a.valid || !b.valid || b.value <= 0) {
        return Exact(0, false);
    }
    return Exact(a.value / b.value - (a.value % b.value < 0 ? 1 : 0));
}

inline Exact FloorMod(const Exact& a, const Exact& b) { return a - FloorDiv(a, b) * b; }

inline Exact CeilDiv(const Exact& a, const Exact& b) { return -FloorDiv(-a, b); }

inline Exact AlignUp(const Exact& a, const Exact& b) { return CeilDiv(a, b) * b; }

inline Exact ExactDiv(const Exact& a, const Exact& b)
{
    const Exact quotient = FloorDiv(a, b);
    return Exact(quotient.value, quotient.valid && a.value % b.value == 0);
}

inline Exact Max(const Exact& a) { return a; }
inline Exact Min(const Exact& a) { return a; }

template <typename... Rest>
inline Exact Max(const Exact& a, const Rest&... rest)
{
    const Exact b = Max(rest...);
    return Exact(a.value > b.value ? a.value : b.value, a.valid && b.valid);
}

template <typename... Rest>
inline Exact Min(const Exact& a, const Rest&... rest)
{
    const Exact b = Min(rest...);
    return Exact(a.value < b.value ? a.value : b.value, a.valid && b.valid);
}
#endif // ASCGRAPH_CPP_EXACT_H
