#ifndef HOSTCANN_OPDEV_OBJECT_H
#define HOSTCANN_OPDEV_OBJECT_H

#include <cstddef>
#include <new>

using std::size_t;

namespace op {

// Base of every framework class; executors own their objects through it.
class Object {
public:
    Object() = default;
    virtual ~Object() = default;
};

} // namespace op
#endif // HOSTCANN_OPDEV_OBJECT_H
