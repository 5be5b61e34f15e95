// Marks of what a library shows, in headers of host code.
#ifndef HOSTCANN_REGISTER_REGISTER_TYPES_H
#define HOSTCANN_REGISTER_REGISTER_TYPES_H

#define FMK_FUNC_HOST_VISIBILITY __attribute__((visibility("default")))
#define FMK_FUNC_DEV_VISIBILITY __attribute__((visibility("default")))

#endif // HOSTCANN_REGISTER_REGISTER_TYPES_H
