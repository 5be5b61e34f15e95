// Layout, Coord and TensorTrait: shapes as types, and tensors that carry one.
#ifndef HOSTCANN_ASCENDC_KERNEL_LAYOUT_H
#define HOSTCANN_ASCENDC_KERNEL_LAYOUT_H

#include "ascendc/kernel/constants.h"
#include "ascendc/kernel/std.h"
#include "ascendc/kernel/tensor.h"

namespace AscendC {

template <typename... Shapes>
using Shape = Std::tuple<Shapes...>;
template <typename... Strides>
using Stride = Std::tuple<Strides...>;
template <typename... Coords>
using Coord = Std::tuple<Coords...>;

template <typename... Ts>
HOSTCANN_API constexpr Shape<Ts...> MakeShape(const Ts&... t)
{
    return {t...};
}
template <typename... Ts>
HOSTCANN_API constexpr Stride<Ts...> MakeStride(const Ts&... t)
{
    return {t...};
}
template <typename... Ts>
HOSTCANN_API constexpr Coord<Ts...> MakeCoord(const Ts&... t)
{
    return {t...};
}

namespace hostcann {

template <typename T>
struct IsTuple : std::false_type {};
template <typename... Ts>
struct IsTuple<Std::tuple<Ts...>> : std::true_type {};
template <typename T>
struct IsConstant : std::false_type {};
template <typename T, T value>
struct IsConstant<std::integral_constant<T, value>> : std::true_type {};

// Arithmetic that stays in the type while both sides are in their types.
#define HOSTCANN_INDEX(Name, expression)                              \
    template <typename A, typename B>                                 \
    HOSTCANN_API constexpr auto Name(const A& a, const B& b)          \
    {                                                                 \
        if constexpr (IsConstant<A>::value && IsConstant<B>::value) { \
            constexpr size_t x = A::value;                            \
            constexpr size_t y = B::value;                            \
            return Std::Int<(expression)>{};                          \
        } else {                                                      \
            const auto x = static_cast<size_t>(a);                    \
            const auto y = static_cast<size_t>(b);                    \
            return static_cast<size_t>(expression);                   \
        }                                                             \
    }
HOSTCANN_INDEX(IndexSum, x + y)
HOSTCANN_INDEX(IndexProduct, x* y)
HOSTCANN_INDEX(IndexRest, y == 0 ? x : x % (y == 0 ? 1 : y))
HOSTCANN_INDEX(IndexPart, y == 0 ? 0 : x / (y == 0 ? 1 : y))
#undef HOSTCANN_INDEX

template <typename C, typename S, typename D>
HOSTCANN_API constexpr auto Index(const C& coord, const S& shape, const D& stride);

// A coordinate of each dimension.
template <size_t I, typename C, typename S, typename D>
HOSTCANN_API constexpr auto IndexOfEach(const C& coord, const S& shape, const D& stride)
{
    const auto here = Index(Std::get<I>(coord), Std::get<I>(shape), Std::get<I>(stride));
    if constexpr (I + 1 == Std::tuple_size<C>::value) {
        return here;
    } else {
        return IndexSum(here, IndexOfEach<I + 1>(coord, shape, stride));
    }
}
// One coordinate over several dimensions, the first of which runs fastest.
template <size_t I, typename C, typename S, typename D>
HOSTCANN_API constexpr auto IndexOfOne(const C& coord, const S& shape, const D& stride)
{
    if constexpr (I + 1 == Std::tuple_size<S>::value) {
        return Index(coord, Std::get<I>(shape), Std::get<I>(stride));
    } else {
        const auto here = Index(IndexRest(coord, Std::get<I>(shape)), Std::get<I>(shape), Std::get<I>(stride));
        return IndexSum(here, IndexOfOne<I + 1>(IndexPart(coord, Std::get<I>(shape)), shape, stride));
    }
}

template <typename C, typename S, typename D>
HOSTCANN_API constexpr auto Index(const C& coord, const S& shape, const D& stride)
{
    if constexpr (IsTuple<C>::value) {
        static_assert(Std::tuple_size<C>::value == Std::tuple_size<S>::value &&
                          Std::tuple_size<S>::value == Std::tuple_size<D>::value,
                      "Crd2Idx: coordinate, shape and stride have different ranks");
        return IndexOfEach<0>(coord, shape, stride);
    } else if constexpr (IsTuple<S>::value) {
        static_assert(Std::tuple_size<S>::value == Std::tuple_size<D>::value,
                      "Crd2Idx: shape and stride have different ranks");
        return IndexOfOne<0>(coord, shape, stride);
    } else {
        return IndexProduct(coord, stride);
    }
}

// The elements of a shape; 0 for one without dimensions.
template <typename S, size_t... I>
HOSTCANN_API constexpr size_t ShapeElements(const S& shape, std::index_sequence<I...>);
template <typename S>
HOSTCANN_API constexpr size_t Elements(const S& shape)
{
    if constexpr (IsTuple<S>::value) {
        return ShapeElements(shape, std::make_index_sequence<Std::tuple_size<S>::value>{});
    } else {
        return static_cast<size_t>(shape);
    }
}
template <typename S, size_t... I>
HOSTCANN_API constexpr size_t ShapeElements([[maybe_unused]] const S& shape, std::index_sequence<I...>)
{
    return sizeof...(I) == 0 ? 0 : (size_t{1} * ... * Elements(Std::get<I>(shape)));
}

} // namespace hostcann

template <typename CoordType, typename ShapeType, typename StrideType>
HOSTCANN_API constexpr auto Crd2Idx(const CoordType& coord, const ShapeType& shape, const StrideType& stride)
{
    return hostcann::Index(coord, shape, stride);
}

template <typename ShapeType, typename StrideType>
struct Layout : private Std::tuple<ShapeType, StrideType> {
    HOSTCANN_API constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})
        : Std::tuple<ShapeType, StrideType>(shape, stride)
    {
    }
    HOSTCANN_API constexpr decltype(auto) layout() { return (*this); }
    HOSTCANN_API constexpr decltype(auto) layout() const { return (*this); }
    HOSTCANN_API constexpr decltype(auto) GetShape() { return Std::get<0>(Parts()); }
    HOSTCANN_API constexpr decltype(auto) GetShape() const { return Std::get<0>(Parts()); }
    HOSTCANN_API constexpr decltype(auto) GetStride() { return Std::get<1>(Parts()); }
    HOSTCANN_API constexpr decltype(auto) GetStride() const { return Std::get<1>(Parts()); }
    template <typename CoordType>
    HOSTCANN_API constexpr auto operator()(const CoordType& coord) const
    {
        return hostcann::Index(coord, GetShape(), GetStride());
    }

private:
    HOSTCANN_API constexpr Std::tuple<ShapeType, StrideType>& Parts() { return *this; }
    HOSTCANN_API constexpr const Std::tuple<ShapeType, StrideType>& Parts() const { return *this; }
};

template <typename ShapeType, typename StrideType>
HOSTCANN_API constexpr auto MakeLayout(const ShapeType& shape, const StrideType& stride)
{
    return Layout<ShapeType, StrideType>(shape, stride);
}
template <typename CoordType, typename ShapeType, typename StrideType>
HOSTCANN_API constexpr auto Crd2Idx(const CoordType& coord, const Layout<ShapeType, StrideType>& layout)
{
    return layout(coord);
}

template <typename T>
struct is_layout : std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : std::true_type {};
template <typename T>
constexpr bool is_layout_v = is_layout<T>::value;

template <typename T, TPosition pos = TPosition::GM, typename LayoutType = Layout<Shape<>, Stride<>>>
struct TensorTrait {
    using LiteType = T;
    using LiteLayoutType = LayoutType;
    static constexpr TPosition tPos = pos;

    HOSTCANN_API constexpr TensorTrait(const LayoutType& t = {}) : layout_(t) {}
    HOSTCANN_API LayoutType& GetLayout() { return layout_; }
    HOSTCANN_API constexpr const LayoutType& GetLayout() const { return layout_; }
    HOSTCANN_API void SetLayout(const LayoutType& t) { layout_ = t; }
    HOSTCANN_API constexpr decltype(auto) GetShape() const { return layout_.GetShape(); }
    HOSTCANN_API constexpr decltype(auto) GetStride() const { return layout_.GetStride(); }

private:
    // Without a layout as large as an element: what counts elements of a tensor by their size works for a trait, too.
    alignas(T) LayoutType layout_;
};

namespace hostcann {
template <typename T, TPosition pos, typename LayoutType>
struct DtypeOf<TensorTrait<T, pos, LayoutType>> : DtypeOf<T> {};
template <typename T, TPosition pos, typename LayoutType>
struct LiteOf<TensorTrait<T, pos, LayoutType>> {
    using type = T;
};
} // namespace hostcann

template <typename T, TPosition pos, typename LayoutType>
HOSTCANN_API constexpr auto MakeTensorTrait(const LayoutType& t)
{
    return TensorTrait<T, pos, LayoutType>(t);
}

template <typename T>
struct is_tensorTrait : std::false_type {};
template <typename T, TPosition pos, typename LayoutType>
struct is_tensorTrait<TensorTrait<T, pos, LayoutType>> : std::true_type {};
template <typename T>
constexpr bool is_tensorTrait_v = is_tensorTrait<T>::value;

// A tensor of a trait is a tensor of its element type.
template <typename T, TPosition pos, typename LayoutType>
class LocalTensor<TensorTrait<T, pos, LayoutType>> : public LocalTensor<T> {
public:
    using LocalTensor<T>::operator=;

    LocalTensor() = default;
    // At an address of the kernel's choice, as long as the trait's layout says.
    HOSTCANN_API explicit LocalTensor(uint32_t addr)
        : LocalTensor<T>(pos, addr, static_cast<uint32_t>(hostcann::Elements(LayoutType().GetShape())))
    {
    }
};
template <typename T, TPosition pos, typename LayoutType>
class GlobalTensor<TensorTrait<T, pos, LayoutType>> : public GlobalTensor<T> {};

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_LAYOUT_H
