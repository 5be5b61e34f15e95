// TPipe, TQueBind, TQue and TBuf.
#ifndef HOSTCANN_ASCENDC_KERNEL_PIPE_H
#define HOSTCANN_ASCENDC_KERNEL_PIPE_H

#include "ascendc/kernel/pool.h"
#include "ascendc/kernel/sync.h"

namespace AscendC {

class TPipe;
struct DataCopyParams;

namespace hostcann {

constexpr bool IsVectorPosition(TPosition p)
{
    return p == TPosition::GM || p == TPosition::VECIN || p == TPosition::VECOUT || p == TPosition::VECCALC;
}

// Who fills a buffer that travels from src to dst, and who reads it.
constexpr pipe_t Producer(TPosition src)
{
    return src == TPosition::GM || src == TPosition::VECIN ? PIPE_MTE2 : PIPE_V;
}
constexpr pipe_t Consumer(TPosition dst)
{
    return dst == TPosition::VECIN || dst == TPosition::VECCALC ? PIPE_V : PIPE_MTE3;
}
constexpr uint32_t ForwardEvent(TPosition src, TPosition dst)
{
    return static_cast<uint32_t>(EventBetween(Producer(src), Consumer(dst)));
}
constexpr uint32_t BackwardEvent(TPosition src, TPosition dst)
{
    return static_cast<uint32_t>(EventBetween(Consumer(dst), Producer(src)));
}

constexpr TPosition QueueSource(TPosition pos) { return pos == TPosition::VECIN ? TPosition::GM : pos; }
constexpr TPosition QueueTarget(TPosition pos) { return pos == TPosition::VECOUT ? TPosition::GM : pos; }

} // namespace hostcann

// What a queue's mask may point to; a vector core's queues have none of it.
struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
    static_assert(hostcann::IsVectorPosition(src) && hostcann::IsVectorPosition(dst),
                  "a vector core has queues at VECIN, VECOUT and VECCALC only");
    static_assert(depth >= 0, "queue depth must not be negative");

public:
    static constexpr bool isTQue = true;

    template <typename T>
    HOSTCANN_API LocalTensor<T> AllocTensor()
    {
        static_assert(depth != 0, "a queue of depth 0 allocates with AllocTensor(LocalTensor<T>&)");
        return hostcann::Access::Make<T>(aic_queue_alloc(id_), POSITION);
    }
    template <typename T>
    HOSTCANN_API void AllocTensor(LocalTensor<T>& tensor)
    {
        tensor = hostcann::Access::Make<T>(aic_queue_alloc(id_), POSITION);
    }
    template <typename T>
    HOSTCANN_API void FreeTensor(LocalTensor<T>& tensor)
    {
        aic_queue_free(id_, hostcann::Access::Handle(tensor), hostcann::BackwardEvent(src, dst));
    }

    template <typename T>
    HOSTCANN_API bool EnQue(const LocalTensor<T>& tensor)
    {
        return EnQue<src, dst, T>(tensor);
    }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    HOSTCANN_API bool EnQue(const LocalTensor<T>& tensor)
    {
        aic_queue_enque(id_, hostcann::Access::Handle(tensor), hostcann::ForwardEvent(srcUserPos, dstUserPos));
        tags_[hostcann::Access::Handle(tensor) % MOST] = tensor.GetUserTag();
        return true;
    }

    template <typename T>
    HOSTCANN_API LocalTensor<T> DeQue()
    {
        static_assert(depth != 0, "a queue of depth 0 dequeues with DeQue(LocalTensor<T>&)");
        return Out<T>();
    }
    template <typename T>
    HOSTCANN_API void DeQue(LocalTensor<T>& tensor)
    {
        tensor = Out<T>();
    }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T>
    HOSTCANN_API LocalTensor<T> DeQue()
    {
        return Out<T>();
    }
    // As a statement, where only the wait counts: `queue.DeQue();`.
    HOSTCANN_API TBufHandle DeQue() { return reinterpret_cast<TBufHandle>(Out<uint8_t>().GetPhyAddr()); }

    HOSTCANN_API bool VacantInQue() { return aic_queue_query(id_, AIC_QUEUE_PLACES) != 0; }
    HOSTCANN_API bool HasTensorInQue() { return aic_queue_query(id_, AIC_QUEUE_TENSORS) != 0; }
    HOSTCANN_API int32_t GetTensorCountInQue() { return static_cast<int32_t>(aic_queue_query(id_, AIC_QUEUE_TENSORS)); }
    HOSTCANN_API bool HasIdleBuffer() { return aic_queue_query(id_, AIC_QUEUE_IDLE_BUFFER) != 0; }

    // Waits for the events of freed buffers and gives their ids back.
    HOSTCANN_API void FreeAllEvent()
    {
        static_assert(depth != 0, "FreeAllEvent: a queue of depth 0 works in place");
        aic_queue_settle(id_);
    }

    // For pools of a kernel's own: the number of buffers, then the place of each.
    HOSTCANN_API void InitStartBufHandle(TBufHandle, uint8_t num, uint32_t) { id_ = aic_queue_begin(DEPTH, num); }
    template <typename Pool>
    HOSTCANN_API void InitBufHandle(Pool* pool, uint32_t index, TBufHandle, uint32_t curPoolAddr, uint32_t len)
    {
        aic_queue_place(id_, index, curPoolAddr, len);
        hostcann::Remember(*pool, id_);
    }

private:
    friend class TPipe;
    static constexpr TPosition POSITION = dst == TPosition::GM ? src : dst;
    static constexpr uint32_t DEPTH = depth;
    static constexpr uint32_t MOST = 64; // buffers of a TPipe

    template <typename T>
    HOSTCANN_API LocalTensor<T> Out()
    {
        const aic_buffer buffer = aic_queue_deque(id_);
        LocalTensor<T> tensor = hostcann::Access::Make<T>(buffer, POSITION);
        if (tags_[buffer.handle % MOST] != 0) {
            tensor.SetUserTag(tags_[buffer.handle % MOST]);
        }
        return tensor;
    }

    uint32_t id_ = 0;
    TTagType tags_[MOST] = {};
};

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<hostcann::QueueSource(pos), hostcann::QueueTarget(pos), depth, mask> {
    static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT || pos == TPosition::VECCALC,
                  "a vector core has queues at VECIN, VECOUT and VECCALC only");
};

// One buffer without a queue and without events.
template <TPosition pos = TPosition::LCM>
class TBuf {
    static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT || pos == TPosition::VECCALC,
                  "a vector core has buffers at VECIN, VECOUT and VECCALC only");

public:
    static constexpr bool isTQue = false;

    template <typename T>
    HOSTCANN_API LocalTensor<T> Get()
    {
        return Part<T>(0, buffer_.bytes, "TBuf::Get");
    }
    template <typename T>
    HOSTCANN_API LocalTensor<T> Get(uint32_t len)
    {
        return Part<T>(0, hostcann::ByteCount<T>(uint64_t{len}), "TBuf::Get");
    }
    template <typename T>
    HOSTCANN_API LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset)
    {
        return Part<T>(bufOffset, hostcann::ByteCount<T>(uint64_t{size}), "TBuf::GetWithOffset");
    }

    // A TBuf answers to the calls of a queue without doing anything: no state, no event.
    template <typename T>
    HOSTCANN_API LocalTensor<T> AllocTensor()
    {
        return Part<T>(0, buffer_.bytes, "TBuf::AllocTensor");
    }
    template <typename T>
    HOSTCANN_API LocalTensor<T> DeQue()
    {
        return Part<T>(0, buffer_.bytes, "TBuf::DeQue");
    }
    template <typename T>
    HOSTCANN_API void EnQue(const LocalTensor<T>&)
    {
    }
    template <typename T>
    HOSTCANN_API void FreeTensor(LocalTensor<T>&)
    {
    }

    HOSTCANN_API void InitStartBufHandle(TBufHandle, uint8_t num, uint32_t)
    {
        if (num != 1) {
            aic_misuse("TBuf::InitStartBufHandle", "num", "a TBuf is one buffer", "1", num, "use a TQue for several");
        }
    }
    template <typename Pool>
    HOSTCANN_API void InitBufHandle(Pool*, uint32_t, TBufHandle, uint32_t curPoolAddr, uint32_t len)
    {
        buffer_ = aic_tbuf_place(curPoolAddr, len);
    }

private:
    friend class TPipe;

    template <typename T>
    HOSTCANN_API LocalTensor<T> Part(uint32_t offset, uint64_t bytes, const char* name)
    {
        if (buffer_.handle == 0) {
            aic_misuse(name, "buffer", "the TBuf has no memory", "InitBuffer before use", 0,
                       "call pipe.InitBuffer(buf, len) first");
        }
        if (offset + bytes > buffer_.bytes) {
            aic_tbuf_exceeded(name, offset + bytes, buffer_.bytes);
        }
        aic_buffer part = buffer_;
        part.addr += offset;
        part.bytes = static_cast<uint32_t>(bytes);
        return hostcann::Access::Make<T>(part, pos);
    }

    aic_buffer buffer_ = {0, 0, 0, 0};
};

class TPipe {
public:
    HOSTCANN_API TPipe() : live_(this) { Init(); }
    HOSTCANN_API ~TPipe()
    {
        if (live_ == this) {
            Destroy();
        }
    }
    // Another name of the live pipe: it opens and closes nothing.
    HOSTCANN_API TPipe(const TPipe& other) : live_(other.live_) {}
    HOSTCANN_API TPipe& operator=(const TPipe& other)
    {
        aic_pipe_copy(live_, other.live_);
        return *this;
    }

    HOSTCANN_API void Init()
    {
        InitSocState();
        aic_pipe_open(this);
    }
    HOSTCANN_API void Destroy() { aic_pipe_close(1); }
    // Without the wait for all pipes.
    HOSTCANN_API void DestroyWithoutPipeAll() { aic_pipe_close(0); }
    HOSTCANN_API void Reset() { aic_pipe_reset(); }

    template <class T>
    HOSTCANN_API bool InitBuffer(T& que, uint8_t num, uint32_t len)
    {
        static_assert(T::isTQue, "InitBuffer(que, num, len) needs a TQue or TQueBind");
        que.id_ = aic_queue_init(T::DEPTH, num, len);
        return true;
    }
    template <TPosition pos>
    HOSTCANN_API bool InitBuffer(TBuf<pos>& buf, uint32_t len)
    {
        buf.buffer_ = aic_tbuf_init(len);
        return true;
    }
    // Buffers at addresses of the kernel's choice, each a tuple of start and length.
    template <class T, typename U, typename V, typename... Addrs>
    HOSTCANN_API bool InitBuffer(T& que, const Std::tuple<U, V>& addr0, const Addrs&... addrs)
    {
        static_assert(T::isTQue, "InitBuffer(que, addr0, …) needs a TQue or TQueBind");
        que.id_ = aic_queue_begin(T::DEPTH, 1 + sizeof...(Addrs));
        uint32_t index = 0;
        const auto place = [&](const auto& addr) {
            static_assert(Std::tuple_size<std::decay_t<decltype(addr)>>::value == 2, "an address is start and length");
            aic_queue_place(que.id_, index++, static_cast<uint32_t>(Std::get<0>(addr)),
                            static_cast<uint32_t>(Std::get<1>(addr)));
        };
        place(addr0);
        (place(addrs), ...);
        return true;
    }
    // Memory that a TBufPool, or a pool of the kernel's own, hands out; or the memory of another pool once more.
    template <class T>
    HOSTCANN_API bool InitBufPool(T& bufPool, uint32_t len)
    {
        hostcann::Memory(bufPool).Take(aic_pool_init(len));
        return true;
    }
    template <class T, class U>
    HOSTCANN_API bool InitBufPool(T& bufPool, uint32_t len, U& shareBuf)
    {
        hostcann::Memory(bufPool).Share(hostcann::Memory(shareBuf), len);
        return true;
    }
    // What GetPhyAddr counts from: here the unified buffer starts at 0.
    HOSTCANN_API uint8_t* GetBaseAddr(int8_t) { return nullptr; }

    // Memory in a workspace for what the unified buffer cannot hold (spm.h).
    template <typename T>
    HOSTCANN_API void InitSpmBuffer(const GlobalTensor<T>& workspace, const int32_t bufferSize);
    template <typename T>
    HOSTCANN_API void WriteSpmBuffer(const LocalTensor<T>& writeBuffer, const DataCopyParams& copyParams,
                                     int32_t writeOffset = 0);
    template <typename T>
    HOSTCANN_API void WriteSpmBuffer(const LocalTensor<T>& writeBuffer, const int32_t writeSize,
                                     int32_t writeOffset = 0);
    template <typename T>
    HOSTCANN_API void ReadSpmBuffer(const LocalTensor<T>& readBuffer, const DataCopyParams& copyParams,
                                    int32_t readOffset = 0);
    template <typename T>
    HOSTCANN_API void ReadSpmBuffer(const LocalTensor<T>& readBuffer, const int32_t readSize, int32_t readOffset = 0);

    template <HardEvent evt>
    HOSTCANN_API TEventID AllocEventID()
    {
        return static_cast<TEventID>(aic_event_alloc(static_cast<uint32_t>(evt)));
    }
    template <HardEvent evt>
    HOSTCANN_API void ReleaseEventID(TEventID id)
    {
        aic_event_release(static_cast<uint32_t>(evt), id);
    }
    // The lowest free id, not reserved: good for a SetFlag directly followed by its WaitFlag.
    template <HardEvent evt>
    HOSTCANN_API TEventID FetchEventID()
    {
        return FetchEventID(evt);
    }
    HOSTCANN_API TEventID FetchEventID(HardEvent evt)
    {
        return static_cast<TEventID>(aic_event_fetch(static_cast<uint32_t>(evt)));
    }

private:
    template <typename T>
    HOSTCANN_API GlobalTensor<T> Spm(uint64_t bytes, int32_t offset) const;
    template <HardEvent event>
    HOSTCANN_API void Order();

    TPipe* live_;
    uint8_t* spm_ = nullptr;
    uint64_t spmBytes_ = 0;
};

} // namespace AscendC

// Global, as in the toolkit: AscendC::GetTPipePtr does not exist.
HOSTCANN_API AscendC::TPipe* GetTPipePtr() { return static_cast<AscendC::TPipe*>(aic_pipe_current()); }

#endif // HOSTCANN_ASCENDC_KERNEL_PIPE_H
