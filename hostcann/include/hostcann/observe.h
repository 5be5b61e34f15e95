// What the vector cores do, step by step, from libascendcl.so.
#ifndef HOSTCANN_OBSERVE_H
#define HOSTCANN_OBSERVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A step of a core as one line of the trace log, without its end; the format is in docs/reference/trace.md. Called on
// the thread that runs the core: in order for each core, several cores at the same time. Must not call the library.
typedef void (*hc_step)(void* user, uint32_t core, const char* line);

// Tells every later launch's steps to a function; null tells them to nobody. 0 on success, else an aclError whose text
// aclGetRecentErrMsg has.
int32_t hc_observe(hc_step step, void* user);

#ifdef __cplusplus
}
#endif

#endif // HOSTCANN_OBSERVE_H
