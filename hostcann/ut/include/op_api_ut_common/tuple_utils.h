// Descriptions become acl objects; other arguments pass through.
#ifndef HOSTCANN_UT_TUPLE_UTILS_H
#define HOSTCANN_UT_TUPLE_UTILS_H

#include <memory>
#include <tuple>
#include <type_traits>

#include "op_api_ut_common/array_desc.h"
#include "op_api_ut_common/scalar_desc.h"
#include "op_api_ut_common/tensor_desc.h"

namespace op_api_ut {
inline void Destroy(const aclTensor* object) { (void)aclDestroyTensor(object); }
inline void Destroy(const aclTensorList* object) { (void)aclDestroyTensorList(object); }
inline void Destroy(const aclScalar* object) { (void)aclDestroyScalar(object); }
inline void Destroy(const aclIntArray* object) { (void)aclDestroyIntArray(object); }
inline void Destroy(const aclFloatArray* object) { (void)aclDestroyFloatArray(object); }
inline void Destroy(const aclBoolArray* object) { (void)aclDestroyBoolArray(object); }

template <typename T, typename = void>
struct IsDescription : std::false_type {};
template <typename T>
struct IsDescription<T, std::void_t<decltype(std::declval<const T&>().ToAclTypeRawPtr())>> : std::true_type {};

// Shared, so that the arguments of a case can be asked for more than once.
template <typename T>
auto MakeArgument(const T& value)
{
    if constexpr (IsDescription<T>::value) {
        auto* object = value.ToAclTypeRawPtr();
        return std::shared_ptr<std::remove_pointer_t<decltype(object)>>(object, [](auto* made) { Destroy(made); });
    } else {
        return value;
    }
}

template <typename T>
T* Raw(const std::shared_ptr<T>& object)
{
    return object.get();
}
template <typename T>
T Raw(const T& value)
{
    return value;
}

template <typename... Ts>
auto MakeArguments(const std::tuple<Ts...>& values)
{
    return std::apply([](const auto&... value) { return std::make_tuple(MakeArgument(value)...); }, values);
}
} // namespace op_api_ut

#endif // HOSTCANN_UT_TUPLE_UTILS_H
