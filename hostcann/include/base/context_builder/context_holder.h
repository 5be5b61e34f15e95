#ifndef HOSTCANN_BASE_CONTEXT_BUILDER_CONTEXT_HOLDER_H
#define HOSTCANN_BASE_CONTEXT_BUILDER_CONTEXT_HOLDER_H

#include <memory>
#include <utility>

namespace gert {
class ContextHolderImpl;

// Owns everything a built context points to, except tensors, compile info, platform and workspace of the caller.
class ContextHolderVoid {
public:
    ContextHolderVoid();
    ~ContextHolderVoid();
    ContextHolderVoid(ContextHolderVoid&& other) noexcept;
    ContextHolderVoid& operator=(ContextHolderVoid&& other) noexcept;
    void* GetContext() const;

private:
    friend class ContextHolderBuilder;
    std::unique_ptr<ContextHolderImpl> ctx_holder_impl_;
};

template <typename ContextTypeT>
class ContextHolder {
public:
    ContextHolder() = default;
    explicit ContextHolder(ContextHolderVoid&& holder_void) : holder_void_(std::move(holder_void)) {}
    // nullptr when the build failed; the reason is in the error log.
    ContextTypeT* GetContext() { return static_cast<ContextTypeT*>(holder_void_.GetContext()); }

private:
    ContextHolderVoid holder_void_;
};
} // namespace gert

#endif
