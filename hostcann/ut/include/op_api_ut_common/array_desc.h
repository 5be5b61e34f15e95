// Arrays of an aclnn test: IntArrayDesc, FloatArrayDesc, BoolArrayDesc.
#ifndef HOSTCANN_UT_ARRAY_DESC_H
#define HOSTCANN_UT_ARRAY_DESC_H

#include <cstdint>
#include <memory>
#include <vector>

#include "aclnn/acl_meta.h"

template <typename Acl, typename T, Acl* (*CREATE)(const T*, uint64_t)>
class ArrayDesc {
public:
    ArrayDesc(const std::vector<T>& values) : values_(values) {}
    ArrayDesc(int count, T value) : values_(static_cast<size_t>(count), value) {}
    const std::vector<T>& Get() const { return values_; }

    // The caller destroys it.
    Acl* ToAclTypeRawPtr() const
    {
        const std::unique_ptr<T[]> copy(new T[values_.size() + 1]); // std::vector<bool> has no data()
        for (size_t i = 0; i < values_.size(); i++) {
            copy[i] = values_[i];
        }
        return CREATE(copy.get(), values_.size());
    }

private:
    std::vector<T> values_;
};

using IntArrayDesc = ArrayDesc<aclIntArray, int64_t, aclCreateIntArray>;
using FloatArrayDesc = ArrayDesc<aclFloatArray, float, aclCreateFloatArray>;
using BoolArrayDesc = ArrayDesc<aclBoolArray, bool, aclCreateBoolArray>;

#endif // HOSTCANN_UT_ARRAY_DESC_H
