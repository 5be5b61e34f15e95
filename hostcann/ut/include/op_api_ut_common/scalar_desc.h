// Scalars of an aclnn test.
#ifndef HOSTCANN_UT_SCALAR_DESC_H
#define HOSTCANN_UT_SCALAR_DESC_H

#include <cstdint>

#include "aclnn/acl_meta.h"
#include "opdev/common_types.h"

class ScalarDesc {
public:
    ScalarDesc(bool value) : ScalarDesc(&value, ACL_BOOL) {}
    ScalarDesc(int8_t value) : ScalarDesc(&value, ACL_INT8) {}
    ScalarDesc(uint8_t value) : ScalarDesc(&value, ACL_UINT8) {}
    ScalarDesc(int16_t value) : ScalarDesc(&value, ACL_INT16) {}
    ScalarDesc(uint16_t value) : ScalarDesc(&value, ACL_UINT16) {}
    ScalarDesc(int32_t value) : ScalarDesc(&value, ACL_INT32) {}
    ScalarDesc(uint32_t value) : ScalarDesc(&value, ACL_UINT32) {}
    ScalarDesc(int64_t value) : ScalarDesc(&value, ACL_INT64) {}
    ScalarDesc(uint64_t value) : ScalarDesc(&value, ACL_UINT64) {}
    ScalarDesc(double value) : ScalarDesc(&value, ACL_DOUBLE) {}
    // data_type is ACL_FLOAT, ACL_FLOAT16 or ACL_BF16; another one throws std::invalid_argument.
    ScalarDesc(float value, aclDataType data_type = ACL_FLOAT);

    // The caller destroys it.
    aclScalar* ToAclTypeRawPtr() const;

private:
    template <typename T>
    ScalarDesc(const T* value, aclDataType data_type) : data_type_(data_type)
    {
        Set(value, sizeof(T));
    }
    void Set(const void* value, size_t size);

    uint64_t bits_ = 0;
    aclDataType data_type_;
};

#endif // HOSTCANN_UT_SCALAR_DESC_H
