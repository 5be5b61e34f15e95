// An attribute value of any kind that operators have.
#ifndef HOSTCANN_UT_ANY_VALUE_H
#define HOSTCANN_UT_ANY_VALUE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace Ops {
namespace Math {
class AnyValue {
public:
    enum ValueType {
        VT_STRING = 1,
        VT_FLOAT = 2,
        VT_BOOL = 3,
        VT_INT = 4,
        VT_LIST_LIST_INT = 10,
        VT_LIST_BASE = 1000,
        VT_LIST_FLOAT = VT_LIST_BASE + VT_FLOAT,
        VT_LIST_BOOL = VT_LIST_BASE + VT_BOOL,
        VT_LIST_INT = VT_LIST_BASE + VT_INT,
    };

    AnyValue(ValueType type, const std::shared_ptr<void>& valuePtr) : type_(type), valuePtr_(valuePtr) {}

    // T is std::string, float, bool, int64_t, a std::vector of the last three, or a vector of vectors of int64_t.
    template <typename T>
    static AnyValue CreateFrom(const T& value)
    {
        return AnyValue(TypeOf(static_cast<const T*>(nullptr)), std::make_shared<T>(value));
    }

    ValueType type_;
    std::shared_ptr<void> valuePtr_;

private:
    static constexpr ValueType TypeOf(const std::string*) { return VT_STRING; }
    static constexpr ValueType TypeOf(const float*) { return VT_FLOAT; }
    static constexpr ValueType TypeOf(const bool*) { return VT_BOOL; }
    static constexpr ValueType TypeOf(const int64_t*) { return VT_INT; }
    static constexpr ValueType TypeOf(const std::vector<float>*) { return VT_LIST_FLOAT; }
    static constexpr ValueType TypeOf(const std::vector<bool>*) { return VT_LIST_BOOL; }
    static constexpr ValueType TypeOf(const std::vector<int64_t>*) { return VT_LIST_INT; }
    static constexpr ValueType TypeOf(const std::vector<std::vector<int64_t>>*) { return VT_LIST_LIST_INT; }
};
} // namespace Math
} // namespace Ops

#endif // HOSTCANN_UT_ANY_VALUE_H
