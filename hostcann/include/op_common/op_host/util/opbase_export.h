#ifndef HOSTCANN_OP_COMMON_UTIL_OPBASE_EXPORT_H
#define HOSTCANN_OP_COMMON_UTIL_OPBASE_EXPORT_H

#define OPBASE_API __attribute__((visibility("default")))

#endif
