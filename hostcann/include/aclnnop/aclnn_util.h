#ifndef HOSTCANN_ACLNNOP_ACLNN_UTIL_H
#define HOSTCANN_ACLNNOP_ACLNN_UTIL_H

#define ACLNN_API __attribute__((visibility("default")))

#endif // HOSTCANN_ACLNNOP_ACLNN_UTIL_H
