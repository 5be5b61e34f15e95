// The SPM buffer of a TPipe: a part of a workspace for what the unified buffer cannot hold.
#ifndef HOSTCANN_ASCENDC_KERNEL_SPM_H
#define HOSTCANN_ASCENDC_KERNEL_SPM_H

#include "ascendc/kernel/data_copy.h"
#include "ascendc/kernel/pipe.h"

namespace AscendC {

template <typename T>
HOSTCANN_API void TPipe::InitSpmBuffer(const GlobalTensor<T>& workspace, const int32_t bufferSize)
{
    spm_ = const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(workspace.GetPhyAddr()));
    spmBytes_ = static_cast<uint64_t>(bufferSize);
}

template <typename T>
HOSTCANN_API GlobalTensor<T> TPipe::Spm(uint64_t bytes, int32_t offset) const
{
    if (spm_ == nullptr || static_cast<uint64_t>(offset) + bytes > spmBytes_) {
        aic_misuse("TPipe::SpmBuffer", "offset", "the copy leaves the SPM buffer",
                   "an end inside bufferSize of InitSpmBuffer (got: the end in bytes)",
                   static_cast<int64_t>(static_cast<uint64_t>(offset) + bytes),
                   "call InitSpmBuffer with what is needed");
    }
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(reinterpret_cast<T*>(spm_ + offset));
    return gm;
}

template <HardEvent event>
HOSTCANN_API void TPipe::Order()
{
    const TEventID id = FetchEventID(event);
    SetFlag<event>(id);
    WaitFlag<event>(id);
}

namespace hostcann {
// Bytes that the side of a copy with these gaps reaches.
HOSTCANN_API uint64_t Reach(const DataCopyParams& p, uint16_t gap)
{
    const uint64_t blocks = static_cast<uint16_t>(p.blockCount);
    const uint64_t len = static_cast<uint16_t>(p.blockLen);
    return blocks == 0 ? 0 : (blocks * len + (blocks - 1) * gap) * BLOCK_BYTES;
}
} // namespace hostcann

// Written after what filled the tensor, and before what overwrites it or reads the buffer back.
template <typename T>
HOSTCANN_API void TPipe::WriteSpmBuffer(const LocalTensor<T>& writeBuffer, const DataCopyParams& copyParams,
                                        int32_t writeOffset)
{
    Order<HardEvent::V_MTE3>();
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(Spm<T>(hostcann::Reach(copyParams, copyParams.dstGap), writeOffset), writeBuffer, copyParams);
    Order<HardEvent::MTE3_MTE2>();
    Order<HardEvent::MTE3_V>();
}
template <typename T>
HOSTCANN_API void TPipe::WriteSpmBuffer(const LocalTensor<T>& writeBuffer, const int32_t writeSize, int32_t writeOffset)
{
    Order<HardEvent::V_MTE3>();
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(Spm<T>(uint64_t{sizeof(T)} * static_cast<uint32_t>(writeSize), writeOffset), writeBuffer,
             static_cast<uint32_t>(writeSize));
    Order<HardEvent::MTE3_MTE2>();
    Order<HardEvent::MTE3_V>();
}
template <typename T>
HOSTCANN_API void TPipe::ReadSpmBuffer(const LocalTensor<T>& readBuffer, const DataCopyParams& copyParams,
                                       int32_t readOffset)
{
    Order<HardEvent::V_MTE2>();
    DataCopy(readBuffer, Spm<T>(hostcann::Reach(copyParams, copyParams.srcGap), readOffset), copyParams);
    Order<HardEvent::MTE2_V>();
    Order<HardEvent::MTE2_MTE3>();
}
template <typename T>
HOSTCANN_API void TPipe::ReadSpmBuffer(const LocalTensor<T>& readBuffer, const int32_t readSize, int32_t readOffset)
{
    Order<HardEvent::V_MTE2>();
    DataCopy(readBuffer, Spm<T>(uint64_t{sizeof(T)} * static_cast<uint32_t>(readSize), readOffset),
             static_cast<uint32_t>(readSize));
    Order<HardEvent::MTE2_V>();
    Order<HardEvent::MTE2_MTE3>();
}

} // namespace AscendC

#endif // HOSTCANN_ASCENDC_KERNEL_SPM_H
