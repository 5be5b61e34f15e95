#ifndef HOSTCANN_EXE_GRAPH_TENSOR_DATA_H
#define HOSTCANN_EXE_GRAPH_TENSOR_DATA_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graph/error_codes.h"

namespace gert {
using TensorAddress = void*;
using ConstTensorAddressPtr = const void*;

enum TensorPlacement : int32_t {
    kOnDeviceHbm,
    kOnHost,
    kFollowing, // the data lies directly behind the Tensor object
    kOnDeviceP2p,
    kTensorPlacementEnd
};

class TensorPlacementUtils {
public:
    static bool IsOnDevice(TensorPlacement placement) { return IsOnDeviceHbm(placement) || IsOnDeviceP2p(placement); }
    static bool IsOnHost(TensorPlacement placement)
    {
        return IsOnHostNotFollowing(placement) || IsOnHostFollowing(placement);
    }
    static bool IsOnHostFollowing(TensorPlacement placement) { return placement == kFollowing; }
    static bool IsOnHostNotFollowing(TensorPlacement placement) { return placement == kOnHost; }
    static bool IsOnDeviceHbm(TensorPlacement placement) { return placement == kOnDeviceHbm; }
    static bool IsOnDeviceP2p(TensorPlacement placement) { return placement == kOnDeviceP2p; }
};

enum TensorOperateType : int32_t { kGetTensorAddress, kFreeTensor, kPlusShareCount, kTensorOperateType };

// Without a manager `addr` is the plain address and nobody owns it. With one, `addr` is a handle only the manager
// reads.
using TensorAddrManager = ge::graphStatus (*)(TensorAddress addr, TensorOperateType operate_type, void** out);

class TensorData {
public:
    explicit TensorData(TensorAddress addr = nullptr, const TensorAddrManager manager = nullptr)
        : TensorData(addr, manager, 0U, kTensorPlacementEnd)
    {
    }
    explicit TensorData(TensorAddress addr, const TensorAddrManager manager, size_t size, TensorPlacement placement)
        : addr_(addr), manager_(manager), size_(size), placement_(placement), reserved_0_(0U), reserved_1_{}
    {
    }
    TensorData(const TensorData&) = delete;
    TensorData& operator=(const TensorData&) = delete;
    TensorData(TensorData&& other) noexcept : TensorData(other.addr_, other.manager_, other.size_, other.placement_)
    {
        other.Forget();
    }
    TensorData& operator=(TensorData&& other) noexcept
    {
        if (this != &other) {
            (void)Free();
            addr_ = other.addr_;
            manager_ = other.manager_;
            size_ = other.size_;
            placement_ = other.placement_;
            other.Forget();
        }
        return *this;
    }
    ~TensorData() noexcept { (void)Free(); }

    TensorAddress GetAddr() const
    {
        if (manager_ == nullptr || addr_ == nullptr) {
            return addr_;
        }
        TensorAddress address = nullptr;
        return manager_(addr_, kGetTensorAddress, &address) == ge::GRAPH_SUCCESS ? address : nullptr;
    }
    size_t GetSize() const { return size_; }
    void SetSize(const size_t size) { size_ = size; }
    TensorPlacement GetPlacement() const { return placement_; }
    void SetPlacement(const TensorPlacement placement) { placement_ = placement; }

    ge::graphStatus Free()
    {
        if (manager_ == nullptr) {
            return ge::GRAPH_SUCCESS;
        }
        const ge::graphStatus status = manager_(addr_, kFreeTensor, nullptr);
        if (status == ge::GRAPH_SUCCESS) {
            addr_ = nullptr;
            manager_ = nullptr;
        }
        return status;
    }
    ge::graphStatus SetAddr(const ConstTensorAddressPtr addr, TensorAddrManager manager)
    {
        const ge::graphStatus status = Free();
        if (status == ge::GRAPH_SUCCESS) {
            addr_ = const_cast<TensorAddress>(addr);
            manager_ = manager;
        }
        return status;
    }
    bool IsSharedWith(const TensorData& other) const
    {
        return addr_ == other.addr_ && manager_ == other.manager_ && size_ == other.size_ &&
               placement_ == other.placement_;
    }
    ge::graphStatus ShareFrom(const TensorData& other)
    {
        if (IsSharedWith(other)) {
            return ge::GRAPH_SUCCESS;
        }
        ge::graphStatus status = Free();
        if (status == ge::GRAPH_SUCCESS && other.manager_ != nullptr) {
            status = other.manager_(other.addr_, kPlusShareCount, nullptr);
        }
        if (status == ge::GRAPH_SUCCESS) {
            addr_ = other.addr_;
            manager_ = other.manager_;
            size_ = other.size_;
            placement_ = other.placement_;
        }
        return status;
    }
    // Hands address and manager to the caller; nothing is freed.
    TensorAddress Release(TensorAddrManager& manager)
    {
        TensorAddress released = addr_;
        manager = manager_;
        Forget();
        return released;
    }

private:
    void Forget()
    {
        addr_ = nullptr;
        manager_ = nullptr;
        size_ = 0U;
        placement_ = kTensorPlacementEnd;
    }

    TensorAddress addr_;
    TensorAddrManager manager_;
    size_t size_;
    TensorPlacement placement_;
    uint32_t reserved_0_;
    uint8_t reserved_1_[40];
    friend class TensorUtils;
};
} // namespace gert

#endif
