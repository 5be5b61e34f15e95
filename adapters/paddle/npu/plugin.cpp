// Paddle's device "npu" on a toolkit's runtime: devices, streams, events, memory and copies through libascendcl. With
// the host toolkit this is the modelled device; where a real one is, use Paddle's own plug-in.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "paddle/phi/backends/device_ext.h"

#include "acl/acl.h"

namespace {

// What aclInit says when somebody else was first.
constexpr int kRepeatedInit = 100002;
// Kernels move whole blocks of 32 bytes; a tensor's last block must be its own.
constexpr size_t kMinChunk = 512;
constexpr size_t kPadding = 32;

// What NpuCopies tells.
std::atomic<uint64_t> g_to_device{0};
std::atomic<uint64_t> g_to_host{0};
std::atomic<uint64_t> g_on_device{0};

C_Status Told(const char* what, aclError status)
{
    if (status == ACL_SUCCESS) {
        return C_SUCCESS;
    }
    // Paddle's exception names the callback, not the reason.
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "npu: %s failed with status %d: %s\n", what, status, text == nullptr ? "" : text);
    return C_ERROR;
}

// The current device belongs to the thread, and Paddle calls from threads of its own.
C_Status On(const C_Device device) { return Told("aclrtSetDevice", aclrtSetDevice(device->id)); }

aclrtStream Acl(C_Stream stream) { return reinterpret_cast<aclrtStream>(stream); }
aclrtEvent Acl(C_Event event) { return reinterpret_cast<aclrtEvent>(event); }

C_Status Initialize()
{
    const aclError status = aclInit(nullptr);
    return status == kRepeatedInit ? C_SUCCESS : Told("aclInit", status);
}

// Operators may still hold streams and memory of the process; its end frees both.
C_Status Finalize() { return C_SUCCESS; }
C_Status DeinitDevice(const C_Device) { return C_SUCCESS; }

C_Status GetDevice(const C_Device device)
{
    int32_t id = 0;
    device->id = aclrtGetDevice(&id) == ACL_SUCCESS ? id : 0;
    return C_SUCCESS;
}

C_Status CreateStream(const C_Device device, C_Stream* stream)
{
    return On(device) == C_SUCCESS ?
               Told("aclrtCreateStream", aclrtCreateStream(reinterpret_cast<aclrtStream*>(stream))) :
               C_ERROR;
}

C_Status DestroyStream(const C_Device, C_Stream stream)
{
    return Told("aclrtDestroyStream", aclrtDestroyStream(Acl(stream)));
}

C_Status QueryStream(const C_Device, C_Stream stream)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    const C_Status told = Told("aclrtStreamQuery", aclrtStreamQuery(Acl(stream), &status));
    return told == C_SUCCESS && status == ACL_STREAM_STATUS_COMPLETE ? C_SUCCESS : C_ERROR;
}

C_Status AddCallback(const C_Device device, C_Stream stream, C_Callback callback, void* data)
{
    C_Status status = Told("aclrtSynchronizeStream", aclrtSynchronizeStream(Acl(stream)));
    callback(device, stream, data, &status);
    return status;
}

C_Status CreateEvent(const C_Device device, C_Event* event)
{
    return On(device) == C_SUCCESS ? Told("aclrtCreateEvent", aclrtCreateEvent(reinterpret_cast<aclrtEvent*>(event))) :
                                     C_ERROR;
}

C_Status RecordEvent(const C_Device, C_Stream stream, C_Event event)
{
    return Told("aclrtRecordEvent", aclrtRecordEvent(Acl(event), Acl(stream)));
}

C_Status DestroyEvent(const C_Device, C_Event event)
{
    return Told("aclrtDestroyEvent", aclrtDestroyEvent(Acl(event)));
}

C_Status QueryEvent(const C_Device, C_Event event)
{
    aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    const C_Status told = Told("aclrtQueryEventStatus", aclrtQueryEventStatus(Acl(event), &status));
    return told == C_SUCCESS && status == ACL_EVENT_RECORDED_STATUS_COMPLETE ? C_SUCCESS : C_ERROR;
}

C_Status SynchronizeDevice(const C_Device device)
{
    return On(device) == C_SUCCESS ? Told("aclrtSynchronizeDevice", aclrtSynchronizeDevice()) : C_ERROR;
}

C_Status SynchronizeStream(const C_Device, C_Stream stream)
{
    return Told("aclrtSynchronizeStream", aclrtSynchronizeStream(Acl(stream)));
}

C_Status SynchronizeEvent(const C_Device, C_Event event)
{
    return Told("aclrtSynchronizeEvent", aclrtSynchronizeEvent(Acl(event)));
}

C_Status WaitEvent(const C_Device, C_Stream stream, C_Event event)
{
    return Told("aclrtStreamWaitEvent", aclrtStreamWaitEvent(Acl(stream), Acl(event)));
}

// No memory is no error of the callback: Paddle then frees what it keeps, asks again and raises its own exception.
C_Status Allocate(const C_Device device, void** memory, size_t size)
{
    *memory = nullptr;
    if (On(device) != C_SUCCESS) {
        return C_ERROR;
    }
    const aclError status = aclrtMalloc(memory, size, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == ACL_ERROR_RT_MEMORY_ALLOCATION) {
        *memory = nullptr;
        return C_SUCCESS;
    }
    return Told("aclrtMalloc", status);
}

// Work that was queued may still use the memory: aclrtFree does not wait.
C_Status Free(const C_Device device, void* memory, size_t)
{
    const C_Status waited = SynchronizeDevice(device);
    const C_Status freed = Told("aclrtFree", aclrtFree(memory));
    return waited == C_SUCCESS ? freed : waited;
}

C_Status Set(const C_Device device, void* memory, unsigned char value, size_t size)
{
    return On(device) == C_SUCCESS ? Told("aclrtMemset", aclrtMemset(memory, size, value, size)) : C_ERROR;
}

C_Status AllocateHost(const C_Device device, void** memory, size_t size)
{
    return On(device) == C_SUCCESS ? Told("aclrtMallocHost", aclrtMallocHost(memory, size)) : C_ERROR;
}

C_Status FreeHost(const C_Device, void* memory, size_t) { return Told("aclrtFreeHost", aclrtFreeHost(memory)); }

template <aclrtMemcpyKind KIND, std::atomic<uint64_t>* COUNT>
C_Status Copy(const C_Device device, void* to, const void* from, size_t size)
{
    // What is queued may still write the source or read the target.
    if (SynchronizeDevice(device) != C_SUCCESS) {
        return C_ERROR;
    }
    ++*COUNT;
    return size == 0 ? C_SUCCESS : Told("aclrtMemcpy", aclrtMemcpy(to, size, from, size, KIND));
}

// In the order of the stream. One from or to the host waits: the host's memory may be used for something else, or read,
// as soon as this returns.
template <aclrtMemcpyKind KIND, std::atomic<uint64_t>* COUNT>
C_Status CopyAsync(const C_Device device, C_Stream stream, void* to, const void* from, size_t size)
{
    ++*COUNT;
    if (size == 0) {
        return C_SUCCESS;
    }
    if (On(device) != C_SUCCESS) {
        return C_ERROR;
    }
    const C_Status queued = Told("aclrtMemcpyAsync", aclrtMemcpyAsync(to, size, from, size, KIND, Acl(stream)));
    return queued == C_SUCCESS && KIND != ACL_MEMCPY_DEVICE_TO_DEVICE ? SynchronizeStream(device, stream) : queued;
}

C_Status DeviceCount(size_t* count)
{
    uint32_t devices = 0;
    const C_Status status = Told("aclrtGetDeviceCount", aclrtGetDeviceCount(&devices));
    *count = devices;
    return status;
}

C_Status DeviceList(size_t* ids)
{
    size_t count = 0;
    const C_Status status = DeviceCount(&count);
    for (size_t id = 0; id < count; ++id) {
        ids[id] = id;
    }
    return status;
}

C_Status MemoryStats(const C_Device device, size_t* total, size_t* free)
{
    return On(device) == C_SUCCESS ? Told("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, free, total)) : C_ERROR;
}

template <size_t SIZE>
C_Status Constant(const C_Device, size_t* size)
{
    *size = SIZE;
    return C_SUCCESS;
}

C_Status Yes(const C_Device, bool* supported)
{
    *supported = true;
    return C_SUCCESS;
}

void FillDevice(C_DeviceInterface* table)
{
    table->initialize = Initialize;
    table->finalize = Finalize;
    table->init_device = On;
    table->set_device = On;
    table->get_device = GetDevice;
    table->deinit_device = DeinitDevice;
    table->create_stream = CreateStream;
    table->destroy_stream = DestroyStream;
    table->query_stream = QueryStream;
    table->stream_add_callback = AddCallback;
    table->create_event = CreateEvent;
    table->record_event = RecordEvent;
    table->destroy_event = DestroyEvent;
    table->query_event = QueryEvent;
    table->synchronize_device = SynchronizeDevice;
    table->synchronize_stream = SynchronizeStream;
    table->synchronize_event = SynchronizeEvent;
    table->stream_wait_event = WaitEvent;
}

void FillMemory(C_DeviceInterface* table)
{
    table->device_memory_allocate = Allocate;
    table->device_memory_deallocate = Free;
    table->device_memory_set = Set;
    table->host_memory_allocate = AllocateHost;
    table->host_memory_deallocate = FreeHost;
    table->memory_copy_h2d = Copy<ACL_MEMCPY_HOST_TO_DEVICE, &g_to_device>;
    table->memory_copy_d2h = Copy<ACL_MEMCPY_DEVICE_TO_HOST, &g_to_host>;
    table->memory_copy_d2d = Copy<ACL_MEMCPY_DEVICE_TO_DEVICE, &g_on_device>;
    table->async_memory_copy_h2d = CopyAsync<ACL_MEMCPY_HOST_TO_DEVICE, &g_to_device>;
    table->async_memory_copy_d2h = CopyAsync<ACL_MEMCPY_DEVICE_TO_HOST, &g_to_host>;
    table->async_memory_copy_d2d = CopyAsync<ACL_MEMCPY_DEVICE_TO_DEVICE, &g_on_device>;
    table->device_memory_stats = MemoryStats;
    table->device_min_chunk_size = Constant<kMinChunk>;
    table->device_extra_padding_size = Constant<kPadding>;
}

} // namespace

// Every copy between host and device so far, and within the device: a test sees by it what works in place.
extern "C" void NpuCopies(uint64_t* to_device, uint64_t* to_host, uint64_t* on_device)
{
    *to_device = g_to_device;
    *to_host = g_to_host;
    *on_device = g_on_device;
}

extern "C" void InitPlugin(CustomRuntimeParams* params)
{
    PADDLE_CUSTOM_RUNTIME_CHECK_VERSION(params);
    static char type[] = "npu";
    static char sub_type[] = "ascend";
    params->device_type = type;
    params->sub_device_type = sub_type;
    C_DeviceInterface* table = params->interface;
    std::memset(table, 0, sizeof(*table));
    table->size = sizeof(*table);
    FillDevice(table);
    FillMemory(table);
    table->get_device_count = DeviceCount;
    table->get_device_list = DeviceList;
    table->is_float16_supported = Yes;
    table->is_bfloat16_supported = Yes;
}
