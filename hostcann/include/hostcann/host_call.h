// Calls of an operator's host functions: a crash or a time limit in one names it.
#ifndef HOSTCANN_HOST_CALL_H
#define HOSTCANN_HOST_CALL_H

#include <string>

#include "hostcann/host_abi.h"

namespace hostcann {

template <typename Function, typename Context>
auto CallHost(const char* what, const std::string& opType, Function function, Context* context)
{
    struct Named {
        Named(const char* what, const char* op) { hc_host_enter(what, op, this); }
        ~Named() { hc_host_leave(); }
    };
    const Named named(what, opType.c_str());
    return function(context);
}

} // namespace hostcann

#endif // HOSTCANN_HOST_CALL_H
