#ifndef HOSTCANN_UTILS_EXTERN_MATH_UTIL_H
#define HOSTCANN_UTILS_EXTERN_MATH_UTIL_H

#include <cstdint>
#include <iostream>
#include <limits>

namespace ge {
template <typename T>
class IntegerChecker {
public:
    // Whether v can be held by T without loss.
    template <typename T1>
    static bool Compat(const T1 v)
    {
        T held = 0;
        return !__builtin_add_overflow(v, static_cast<T1>(0), &held);
    }
};

// true on overflow; ret is then unspecified.
template <typename TLhs, typename TRhs, typename TRet>
bool MulOverflow(TLhs lhs, TRhs rhs, TRet& ret)
{
    return __builtin_mul_overflow(lhs, rhs, &ret);
}

template <typename TLhs, typename TRhs, typename TRet>
bool AddOverflow(TLhs lhs, TRhs rhs, TRet& ret)
{
    return __builtin_add_overflow(lhs, rhs, &ret);
}
} // namespace ge

#endif
