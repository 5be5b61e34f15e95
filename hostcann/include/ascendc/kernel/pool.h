// TBufPool, pools of a kernel's own, and LocalMemAllocator.
#ifndef HOSTCANN_ASCENDC_KERNEL_POOL_H
#define HOSTCANN_ASCENDC_KERNEL_POOL_H

#include "ascendc/kernel/layout.h"

namespace AscendC {

using TBufHandle = uint8_t*;

namespace hostcann {

// A range of the unified buffer and the queues that were put there.
class PoolMemory {
public:
    HOSTCANN_API void Take(const aic_buffer& buffer) { Set(buffer.addr, buffer.bytes); }
    HOSTCANN_API void Share(const PoolMemory& other, uint32_t len)
    {
        if (len > other.bytes_) {
            aic_misuse("InitBufPool", "len", "the pool is longer than the one it shares memory with",
                       "at most the length of shareBuf (got: bytes)", len, "make shareBuf the longest pool");
        }
        Set(other.start_, len);
    }
    // The next `num` x `len` bytes; the start.
    HOSTCANN_API uint32_t Next(uint32_t num, uint32_t len, uint32_t most)
    {
        const uint32_t at = next_;
        const uint64_t end = at + uint64_t{num} * Whole(len);
        if (end > uint64_t{start_} + bytes_) {
            aic_misuse("TBufPool", "len", "the buffers do not fit into the pool",
                       "an end inside the pool (got: bytes from its start)", static_cast<int64_t>(end - start_),
                       "raise len in InitBufPool, or Reset the pool before it is used anew");
        }
        if (count_ + num > most) {
            aic_misuse("TBufPool", "num", "more buffers than the pool has ids for", "at most bufIDSize",
                       static_cast<int64_t>(count_ + num), "raise bufIDSize, the second argument of TBufPool");
        }
        next_ = static_cast<uint32_t>(end);
        count_ += num;
        return at;
    }
    HOSTCANN_API void Remember(uint32_t queue)
    {
        for (uint32_t i = 0; i < queues_; ++i) {
            if (ids_[i] == queue) {
                return;
            }
        }
        if (queues_ < MOST) {
            ids_[queues_++] = queue;
        }
    }
    // Waits for the events of the queues and starts again at the first byte.
    HOSTCANN_API void Reset()
    {
        for (uint32_t i = 0; i < queues_; ++i) {
            aic_queue_settle(ids_[i]);
        }
        Set(start_, bytes_);
    }
    HOSTCANN_API void Clear() { Set(0, 0); }

    HOSTCANN_API uint32_t Start() const { return start_; }
    HOSTCANN_API uint32_t Current() const { return next_; }
    HOSTCANN_API void SetCurrent(uint32_t addr) { next_ = addr; }
    HOSTCANN_API uint32_t Count() const { return count_; }
    HOSTCANN_API void SetCount(uint32_t count) { count_ = count; }
    static HOSTCANN_API constexpr uint32_t Whole(uint32_t len) { return (len + 31) / 32 * 32; }

private:
    static constexpr uint32_t MOST = 64;
    HOSTCANN_API void Set(uint32_t start, uint32_t bytes)
    {
        start_ = start;
        next_ = start;
        bytes_ = bytes;
        count_ = 0;
        queues_ = 0;
    }

    uint32_t start_ = 0;
    uint32_t bytes_ = 0;
    uint32_t next_ = 0;
    uint32_t count_ = 0;
    uint32_t queues_ = 0;
    uint32_t ids_[MOST] = {};
};

template <class Pool>
HOSTCANN_API PoolMemory& Memory(Pool& pool)
{
    static_assert(Pool::isTbufPool, "a TBufPool, or a class with EXTERN_IMPL_BUFPOOL");
    return pool.hostcannMemory;
}
template <class Pool>
HOSTCANN_API void Remember(Pool& pool, uint32_t queue)
{
    Memory(pool).Remember(queue);
}

} // namespace hostcann

template <TPosition bufPos>
class TBuf;

template <TPosition pos, uint32_t bufIDSize = 4>
class TBufPool {
    static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT || pos == TPosition::VECCALC,
                  "a vector core has pools at VECIN, VECOUT and VECCALC only");
    static_assert(bufIDSize <= 16, "a TBufPool has at most 16 buffers");

public:
    static constexpr TPosition poolPos = pos;
    static constexpr bool isTbufPool = true;

    template <class T>
    HOSTCANN_API bool InitBuffer(T& que, uint8_t num, uint32_t len)
    {
        static_assert(T::isTQue, "InitBuffer(que, num, len) needs a TQue or TQueBind");
        const uint32_t bytes = hostcann::PoolMemory::Whole(len);
        const uint32_t at = hostcannMemory.Next(num, bytes, bufIDSize);
        que.InitStartBufHandle(nullptr, num, bytes);
        for (uint32_t i = 0; i < num; ++i) {
            que.InitBufHandle(this, i, nullptr, at + i * bytes, bytes);
        }
        return true;
    }
    template <TPosition bufPos>
    HOSTCANN_API bool InitBuffer(TBuf<bufPos>& buf, uint32_t len)
    {
        buf.InitBufHandle(this, 0, nullptr, hostcannMemory.Next(1, len, bufIDSize), len);
        return true;
    }
    template <class T>
    HOSTCANN_API bool InitBufPool(T& bufPool, uint32_t len)
    {
        const uint32_t bytes = hostcann::PoolMemory::Whole(len);
        hostcann::Memory(bufPool).Take({hostcannMemory.Next(1, bytes, bufIDSize), bytes, 0, 0});
        return true;
    }
    template <class T, class U>
    HOSTCANN_API bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf)
    {
        hostcann::Memory(bufPool).Share(hostcann::Memory(shareBuf), len);
        return true;
    }
    // Waits for the pool's events; another pool may then use the memory.
    HOSTCANN_API void Reset() { hostcannMemory.Reset(); }

    hostcann::PoolMemory hostcannMemory;
};

// Tensors one after the other, without a TPipe. Sizes are not rounded: the next tensor starts where this one ends.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
    static_assert(hard == Hardware::UB, "a vector core has the unified buffer only");

public:
    HOSTCANN_API uint32_t GetCurAddr() const { return head_; }

    template <TPosition pos, class DataType, uint32_t tileSize>
    HOSTCANN_API LocalTensor<DataType> Alloc()
    {
        return Next<DataType>(pos, tileSize);
    }
    template <class DataType, uint32_t tileSize>
    HOSTCANN_API LocalTensor<DataType> Alloc()
    {
        return Next<DataType>(TPosition::VECCALC, tileSize);
    }
    template <TPosition pos, class DataType>
    HOSTCANN_API LocalTensor<DataType> Alloc(uint32_t tileSize)
    {
        return Next<DataType>(pos, tileSize);
    }
    template <class DataType>
    HOSTCANN_API LocalTensor<DataType> Alloc(uint32_t tileSize)
    {
        return Next<DataType>(TPosition::VECCALC, tileSize);
    }
    template <class DataType>
    HOSTCANN_API LocalTensor<DataType> Alloc()
    {
        static_assert(is_tensorTrait_v<DataType>, "Alloc without a size needs a TensorTrait");
        const LocalTensor<DataType> tensor(head_);
        Advance(tensor.GetLength());
        return tensor;
    }

private:
    template <class DataType>
    HOSTCANN_API LocalTensor<DataType> Next(TPosition pos, uint32_t tileSize)
    {
        static_assert(!is_tensorTrait_v<DataType>, "a TensorTrait brings its own size");
        const LocalTensor<DataType> tensor(pos, head_, tileSize);
        Advance(uint64_t{tileSize} * sizeof(DataType));
        return tensor;
    }
    HOSTCANN_API void Advance(uint64_t bytes)
    {
        if (head_ + bytes > TOTAL_UB_SIZE) {
            aic_misuse("LocalMemAllocator::Alloc", "tileSize", "the tensor does not fit into the unified buffer",
                       "an end of at most 196608 bytes (got: the end)", static_cast<int64_t>(head_ + bytes),
                       "make the tensors smaller");
        }
        head_ += static_cast<uint32_t>(bytes);
    }

    uint32_t head_ = 0;
};

} // namespace AscendC

// The members of a class that hands out the memory of InitBufPool its own way.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                           \
public:                                                                                                  \
    static constexpr ::AscendC::TPosition poolPos = POSITION;                                            \
    static constexpr int32_t bufSize = BUFID_SIZE;                                                       \
    static constexpr bool isTbufPool = true;                                                             \
    HOSTCANN_API void Init() { hostcannMemory.Clear(); }                                                 \
    HOSTCANN_API void Reset() { hostcannMemory.Reset(); }                                                \
    HOSTCANN_API ::AscendC::TBufHandle GetBufHandle(uint8_t offset) { return hostcannHandles + offset; } \
    HOSTCANN_API void SetCurAddr(uint32_t curAddr) { hostcannMemory.SetCurrent(curAddr); }               \
    HOSTCANN_API uint32_t GetCurAddr() { return hostcannMemory.Current(); }                              \
    HOSTCANN_API void SetCurBufSize(uint8_t curBufSize) { hostcannMemory.SetCount(curBufSize); }         \
    HOSTCANN_API uint8_t GetCurBufSize() { return static_cast<uint8_t>(hostcannMemory.Count()); }        \
    ::AscendC::hostcann::PoolMemory hostcannMemory;                                                      \
                                                                                                         \
protected:                                                                                               \
    uint8_t hostcannHandles[BUFID_SIZE] = {}

#endif // HOSTCANN_ASCENDC_KERNEL_POOL_H
