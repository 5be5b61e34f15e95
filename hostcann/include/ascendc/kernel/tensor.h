// LocalTensor and GlobalTensor: typed views of the unified buffer and of global memory.
#ifndef HOSTCANN_ASCENDC_KERNEL_TENSOR_H
#define HOSTCANN_ASCENDC_KERNEL_TENSOR_H

#include <utility>

#include "ascendc/kernel/constants.h"
#include "ascendc/kernel/macros.h"
#include "ascendc/kernel/scalar_types.h"
#include "ascendc/kernel/shape_info.h"
#include "hostcann/aicore_abi.h"

namespace AscendC {

namespace hostcann {

// Numbers of the data types in the C ABI.
template <typename T>
struct DtypeOf;
#define HOSTCANN_DTYPE(type, value)             \
    template <>                                 \
    struct DtypeOf<type> {                      \
        static constexpr uint8_t VALUE = value; \
    };
AIC_DTYPES(HOSTCANN_DTYPE)
#undef HOSTCANN_DTYPE

// Two elements of int4b_t share a byte.
template <typename T, typename N>
constexpr N ByteCount(N elements)
{
    return std::is_same<T, int4b_t>::value ? elements / 2 : elements * static_cast<N>(sizeof(T));
}
template <typename T, typename N>
constexpr N ElementCount(N bytes)
{
    return std::is_same<T, int4b_t>::value ? bytes * 2 : bytes / static_cast<N>(sizeof(T));
}
// The address of an element.
template <typename T>
constexpr T* At(T* base, uint64_t element)
{
    return base + ByteCount<T>(element) / sizeof(T);
}

// The element type behind a TensorTrait (layout.h).
template <typename T>
struct LiteOf {
    using type = T;
};

struct Access;

} // namespace hostcann

// Copies are shallow: address, length and the queue's buffer handle. The place as it was handed out goes along, for the
// checker.
template <typename T>
class LocalTensor {
public:
    using PrimType = T;

    HOSTCANN_API LocalTensor() : note_(0) {}
    // A tensor of tileSize elements at an address of the kernel's choice, without a TPipe.
    HOSTCANN_API LocalTensor(TPosition pos, uint32_t addr, uint32_t tileSize)
        : at_{addr, hostcann::ByteCount<T>(tileSize), addr, addr + hostcann::ByteCount<T>(tileSize), 0},
          position_(pos),
          note_(0)
    {
        if (pos != TPosition::VECIN && pos != TPosition::VECOUT && pos != TPosition::VECCALC) {
            aic_misuse("LocalTensor", "pos", "a vector core has no memory of this position",
                       "TPosition::VECIN, VECOUT or VECCALC", static_cast<int64_t>(pos),
                       "place the tensor in the unified buffer");
        }
    }

    // dst = a + b and its like (tensor_ops.h).
    template <typename E, typename = typename E::HostcannExpression>
    HOSTCANN_API void operator=(const E& expression)
    {
        expression.Into(*this);
    }

    HOSTCANN_API T GetValue(const uint32_t index) const
    {
        if constexpr (std::is_same<T, int4b_t>::value) {
            return int4b_t(Scalar(index / 2, 0)->Pair() >> (index % 2 * 4));
        } else {
            return *Scalar(index, 0);
        }
    }
    template <typename U>
    HOSTCANN_API void SetValue(const uint32_t index, const U value) const
    {
        if constexpr (std::is_same<T, int4b_t>::value) {
            Scalar(index / 2, 1)->SetHalf(index % 2, static_cast<T>(value));
        } else {
            *Scalar(index, 1) = static_cast<T>(value);
        }
    }
    HOSTCANN_API T& operator()(const uint32_t offset) const { return *Scalar(offset, 1); }

    HOSTCANN_API LocalTensor operator[](const uint32_t offset) const
    {
        LocalTensor sub = *this;
        const uint32_t skip = hostcann::ByteCount<T>(offset);
        sub.at_.addr += skip;
        sub.at_.bytes = skip < at_.bytes ? at_.bytes - skip : 0;
        return sub;
    }

    template <typename U>
    HOSTCANN_API LocalTensor<U> ReinterpretCast() const
    {
        LocalTensor<U> other;
        other.at_ = at_;
        other.handle_ = handle_;
        other.position_ = position_;
        other.note_ = note_;
        return other;
    }

    HOSTCANN_API uint32_t GetSize() const { return hostcann::ElementCount<T>(at_.bytes); }
    HOSTCANN_API void SetSize(const uint32_t size) { at_.bytes = hostcann::ByteCount<T>(size); }
    HOSTCANN_API uint32_t GetLength() const { return at_.bytes; }
    HOSTCANN_API void SetBufferLen(uint32_t dataLen) { SetSize(dataLen); }
    HOSTCANN_API int32_t GetPosition() const { return static_cast<int32_t>(position_); }
    // Offset in the unified buffer, as on the device.
    HOSTCANN_API uint64_t GetPhyAddr() const { return at_.addr; }
    HOSTCANN_API uint64_t GetPhyAddr(const uint32_t offset) const { return at_.addr + hostcann::ByteCount<T>(offset); }
    // The tensor at an offset, in elements of src.
    template <typename S>
    HOSTCANN_API void SetAddrWithOffset(LocalTensor<S>& src, uint32_t offset)
    {
        *this = src[offset].template ReinterpretCast<T>();
    }

    HOSTCANN_API void SetShapeInfo(const ShapeInfo& shapeInfo) { note_ = hostcann::KeepNote(GetUserTag(), shapeInfo); }
    // All zero before the first SetShapeInfo.
    HOSTCANN_API ShapeInfo GetShapeInfo() const { return hostcann::ReadNote(note_).shape; }
    // Queues hand it on from EnQue to DeQue.
    HOSTCANN_API void SetUserTag(const TTagType tag) { note_ = hostcann::KeepNote(tag, GetShapeInfo()); }
    HOSTCANN_API TTagType GetUserTag() const { return hostcann::ReadNote(note_).tag; }

    // For a look at values on the host, as in CANN's CPU mode: 32 bytes per line.
    HOSTCANN_API void Print() const { Print(GetSize()); }
    HOSTCANN_API void Print(uint32_t len) const
    {
        const aic_dump_ins ins{nullptr, at_, hostcann::DtypeOf<T>::VALUE, 0, len, 0, {}};
        aic_tensor_print(&ins);
    }
    // The tensor's bytes in a file; 0 when it is written.
    HOSTCANN_API int32_t ToFile(const char* fileName) const { return aic_tensor_file(&at_, fileName); }
    template <typename String, typename = decltype(std::declval<const String&>().c_str())>
    HOSTCANN_API int32_t ToFile(const String& fileName) const
    {
        return ToFile(fileName.c_str());
    }

private:
    template <typename U>
    friend class LocalTensor;
    friend struct hostcann::Access;

    HOSTCANN_API T* Scalar(uint32_t index, uint32_t write) const
    {
        const auto size = static_cast<uint32_t>(sizeof(T));
        return static_cast<T*>(aic_ub_scalar(&at_, index, size, write));
    }

    aic_operand at_ = {0, 0, 0, 0, 0};
    uint32_t handle_ = 0;
    TPosition position_ = TPosition::VECCALC;
    uint32_t note_ : 24; // shape and tag; a core keeps fewer than 2^24 of them
};

template <typename T>
class GlobalTensor {
public:
    using PrimType = T;

    GlobalTensor() = default;

    HOSTCANN_API void SetGlobalBuffer(__gm__ T* buffer, uint64_t bufferSize)
    {
        address_ = buffer;
        size_ = bufferSize;
        pastL2_ = 0;
    }
    HOSTCANN_API void SetGlobalBuffer(__gm__ T* buffer)
    {
        address_ = buffer;
        pastL2_ = 0;
    }

    HOSTCANN_API const __gm__ T* GetPhyAddr() const { return address_; }
    HOSTCANN_API __gm__ T* GetPhyAddr(const uint64_t offset) const { return hostcann::At(address_, offset); }
    HOSTCANN_API uint64_t GetSize() const { return size_; }

    // Scalar accesses go straight to memory; what the data cache would do to them is for the checker.
    HOSTCANN_API T GetValue(const uint64_t offset) const
    {
        aic_gm_scalar(GetPhyAddr(offset), sizeof(T), AIC_GM_READ);
        if constexpr (std::is_same<T, int4b_t>::value) {
            return int4b_t(GetPhyAddr(offset)->Pair() >> (offset % 2 * 4));
        } else {
            return address_[offset];
        }
    }
    HOSTCANN_API void SetValue(const uint64_t offset, T value)
    {
        aic_gm_scalar(GetPhyAddr(offset), sizeof(T), AIC_GM_WRITE);
        if constexpr (std::is_same<T, int4b_t>::value) {
            GetPhyAddr(offset)->SetHalf(offset % 2, value);
        } else {
            address_[offset] = value;
        }
    }
    HOSTCANN_API __gm__ T& operator()(const uint64_t offset) const
    {
        aic_gm_scalar(address_ + offset, sizeof(T), AIC_GM_REFERENCE);
        return address_[offset];
    }

    HOSTCANN_API GlobalTensor operator[](const uint64_t offset) const
    {
        GlobalTensor sub = *this;
        sub.address_ = hostcann::At(address_, offset);
        sub.size_ = offset < size_ ? size_ - offset : 0;
        return sub;
    }

    template <typename U>
    HOSTCANN_API GlobalTensor<U> ReinterpretCast() const
    {
        GlobalTensor<U> other;
        other.SetGlobalBuffer(reinterpret_cast<__gm__ U*>(address_),
                              hostcann::ElementCount<U>(hostcann::ByteCount<T>(size_)));
        other.pastL2_ = pastL2_;
        return other;
    }

    // A hint for the L2 cache: results do not depend on it, times do. Part of the address, as on the device: a new one
    // is without it.
    template <CacheRwMode rwMode = CacheRwMode::RW>
    HOSTCANN_API void SetL2CacheHint(CacheMode mode)
    {
        const auto which = static_cast<uint32_t>(rwMode);
        pastL2_ = mode == CacheMode::CACHE_MODE_DISABLE ? pastL2_ | which : pastL2_ & ~which;
    }

    HOSTCANN_API void SetShapeInfo(const ShapeInfo& shapeInfo) { note_ = hostcann::KeepNote(0, shapeInfo); }
    // All zero before the first SetShapeInfo.
    HOSTCANN_API ShapeInfo GetShapeInfo() const { return hostcann::ReadNote(note_).shape; }

private:
    template <typename U>
    friend class GlobalTensor;
    friend struct hostcann::Access;

    __gm__ T* address_ = nullptr;
    uint64_t size_ = 0;
    uint32_t note_ = 0;
    uint32_t pastL2_ = 0; // bits of CacheRwMode
};

namespace hostcann {

// The inside of a LocalTensor, for the façade only.
struct Access {
    template <typename T>
    static HOSTCANN_API aic_operand Operand(const LocalTensor<T>& t)
    {
        return t.at_;
    }
    template <typename T>
    static HOSTCANN_API uint32_t Handle(const LocalTensor<T>& t)
    {
        return t.handle_;
    }
    template <typename T>
    static HOSTCANN_API LocalTensor<T> Make(const aic_buffer& b, TPosition position)
    {
        LocalTensor<T> t;
        // Without a buffer nobody knows where the tensor ends.
        const uint32_t known = b.handle == 0 ? 0 : b.bytes;
        t.at_ = {b.addr, b.bytes, b.addr, b.addr + known, b.lease};
        t.handle_ = b.handle;
        t.position_ = position;
        return t;
    }
    // Whether copies go past the L2 cache.
    template <typename T>
    static HOSTCANN_API bool PastL2(const GlobalTensor<T>& t, CacheRwMode mode)
    {
        return (t.pastL2_ & static_cast<uint32_t>(mode)) != 0;
    }
};

} // namespace hostcann

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_TENSOR_H
