// The kernel compiler has expanded the selections into template arguments; the macros have nothing left to do.
#ifndef HOSTCANN_ASCENDC_TILING_TEMPLATE_ARGUMENT_KERNEL_H
#define HOSTCANN_ASCENDC_TILING_TEMPLATE_ARGUMENT_KERNEL_H

#include <cstdint>

#include "kernel_operator.h"

#define ASCENDC_TPL_DTYPE_DECL(...)
#define ASCENDC_TPL_DATATYPE_DECL(...)
#define ASCENDC_TPL_FORMAT_DECL(...)
#define ASCENDC_TPL_UINT_DECL(...)
#define ASCENDC_TPL_BOOL_DECL(...)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(...)
#define ASCENDC_TPL_DTYPE_SEL(...)
#define ASCENDC_TPL_DATATYPE_SEL(...)
#define ASCENDC_TPL_FORMAT_SEL(...)
#define ASCENDC_TPL_UINT_SEL(...)
#define ASCENDC_TPL_BOOL_SEL(...)
#define ASCENDC_TPL_TILING_STRUCT_SEL(...)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(...)
#define ASCENDC_TPL_ARGS_DECL(...)
#define ASCENDC_TPL_ARGS_SEL(...)
#define ASCENDC_TPL_SEL(...)

// The C++ type of a numeric data type (graph/c_types.h) as far as DAV_2201 has one; void otherwise.
template <int dataTypeId>
struct TypeFromId {
    using type = void;
};
template <>
struct TypeFromId<0> {
    using type = float;
};
template <>
struct TypeFromId<1> {
    using type = half;
};
template <>
struct TypeFromId<2> {
    using type = int8_t;
};
template <>
struct TypeFromId<3> {
    using type = int32_t;
};
template <>
struct TypeFromId<4> {
    using type = uint8_t;
};
template <>
struct TypeFromId<6> {
    using type = int16_t;
};
template <>
struct TypeFromId<7> {
    using type = uint16_t;
};
template <>
struct TypeFromId<8> {
    using type = uint32_t;
};
template <>
struct TypeFromId<9> {
    using type = int64_t;
};
template <>
struct TypeFromId<10> {
    using type = uint64_t;
};
template <>
struct TypeFromId<11> {
    using type = double;
};
template <>
struct TypeFromId<12> {
    using type = bool;
};
template <>
struct TypeFromId<27> {
    using type = bfloat16_t;
};

#endif
