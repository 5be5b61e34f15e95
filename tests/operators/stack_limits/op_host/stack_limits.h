// What the operators that stack tensors agree on.
#ifndef STACK_LIMITS_H
#define STACK_LIMITS_H

#include <cstddef>

constexpr size_t STACK_TENSORS = 8;

#endif // STACK_LIMITS_H
