// Preloaded into the load test: counts what the whole process, its libraries included, has on the heap.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include <malloc.h>

extern "C" {
// glibc's own functions under the names that remain when the public ones are replaced.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);
}

namespace {
std::atomic<int64_t> g_blocks{0};
std::atomic<int64_t> g_bytes{0};

void* Taken(void* block)
{
    if (block != nullptr) {
        g_blocks.fetch_add(1, std::memory_order_relaxed);
        g_bytes.fetch_add(static_cast<int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
    }
    return block;
}

void GivenBack(void* block)
{
    if (block != nullptr) {
        g_blocks.fetch_sub(1, std::memory_order_relaxed);
        g_bytes.fetch_sub(static_cast<int64_t>(malloc_usable_size(block)), std::memory_order_relaxed);
    }
}
} // namespace

extern "C" {
uint64_t live_heap_blocks() { return static_cast<uint64_t>(g_blocks.load()); }
uint64_t live_heap_bytes() { return static_cast<uint64_t>(g_bytes.load()); }

void* malloc(size_t size) { return Taken(__libc_malloc(size)); }
void* calloc(size_t count, size_t size) { return Taken(__libc_calloc(count, size)); }
void* memalign(size_t alignment, size_t size) { return Taken(__libc_memalign(alignment, size)); }
void* aligned_alloc(size_t alignment, size_t size) { return Taken(__libc_memalign(alignment, size)); }

int posix_memalign(void** block, size_t alignment, size_t size)
{
    *block = Taken(__libc_memalign(alignment, size));
    return *block == nullptr ? ENOMEM : 0;
}

void* realloc(void* block, size_t size)
{
    const int64_t before = block == nullptr ? 0 : static_cast<int64_t>(malloc_usable_size(block));
    void* const moved = __libc_realloc(block, size);
    if (moved == nullptr && size != 0) {
        return nullptr; // the old block is still there
    }
    if (block != nullptr) {
        g_blocks.fetch_sub(1, std::memory_order_relaxed);
        g_bytes.fetch_sub(before, std::memory_order_relaxed);
    }
    return Taken(moved);
}

void free(void* block)
{
    GivenBack(block);
    __libc_free(block);
}
}
