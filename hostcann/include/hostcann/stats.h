// What the vector cores were asked to do: instruction, lane and byte counts of launches, from libascendcl.so.
// Counting is off until enabled and costs a launch a few percent while it is on.
// Made from Rust sources: a test compares, HOSTCANN_UPDATE_HEADERS=1 writes it.
// clang-format off

#ifndef HOSTCANN_STATS_H
#define HOSTCANN_STATS_H

#include <stdint.h>

// Sums over one launch or several.
typedef struct {
    uint64_t launches;
    uint64_t blocks;
    uint64_t vector_instructions;
    // Active lanes over all repeats.
    uint64_t vector_lanes;
    // In halves: a lane of an instruction whose widest operand has 32 bits or more counts 2, a narrower one 1.
    uint64_t f32_equivalents;
    // GM to UB.
    uint64_t mte2_bytes;
    uint64_t mte2_bursts;
    // UB to GM.
    uint64_t mte3_bytes;
    uint64_t mte3_bursts;
    // DataCopy inside the unified buffer; not in the vector numbers.
    uint64_t ub_copy_bytes;
    uint64_t set_flags;
    uint64_t wait_flags;
    uint64_t barriers;
    // Repeats whose two sources share a bank group.
    uint64_t read_conflicts;
    // Repeats that write to a bank they read, out of step.
    uint64_t write_conflicts;
} hc_launch_stats;

// The vector part of `hc_launch_stats` for one opcode.
typedef struct {
    uint64_t instructions;
    uint64_t lanes;
    // In halves.
    uint64_t f32_equivalents;
    uint64_t read_conflicts;
    uint64_t write_conflicts;
} hc_opcode_stats;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// 0 on success, else an aclError whose text aclGetRecentErrMsg has. Launches that are running when the switch moves
// keep the setting they started with.
int32_t hc_stats_enable(int32_t on);

// Forgets what was counted.
int32_t hc_stats_reset(void);

// Sums since the last reset.
int32_t hc_stats_read(hc_launch_stats *stats);

// The launch that finished last.
int32_t hc_stats_read_last(hc_launch_stats *stats);

// Sums of one vector instruction, by its Ascend C name: "Div".
int32_t hc_stats_read_opcode(const char *name, hc_opcode_stats *stats);

// Names that hc_stats_read_opcode takes, by index from 0 on; null behind the last.
const char *hc_stats_opcode_name(uint32_t index);

// All of it for a reader; valid until the calling thread's next call.
const char *hc_stats_text(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HOSTCANN_STATS_H */
