//! Misuse of queues and buffers; of events: unbalanced flags, ids beyond 8, ids that leak.

use super::{Row, row};
use aicore::{
    FaultClass::{BufferBounds, Event, Freed, Leak, Queue},
    Pipe::{MTE2, MTE3, S, V},
};

pub fn rows() -> Vec<Row> {
    vec![
        // Four buffers: the fifth tile waits for ever.
        row("input_not_freed", Queue, S, "AllocTensor", &["waits for ever", "4 buffer(s)", "FreeTensor"])
            .size(1200, 256),
        row("freed_into_other_queue", Queue, S, "FreeTensor", &["tensor of another queue", "came from"]),
        row("tbuf_into_queue", Queue, S, "FreeTensor", &["TBuf tensor"]),
        row("freed_twice", Queue, S, "FreeTensor", &["state Free", "once"]),
        row("enque_beyond_depth", Queue, S, "EnQue", &["full", "at most 1 tensor(s)", "DeQue first"]),
        row("enque_twice", Queue, S, "EnQue", &["state Enqueued"]),
        row("deque_without_enque", Queue, S, "DeQue", &["empty", "waits for ever"]),
        row("nine_input_buffers", Event, S, "AllocEventID", &["HardEvent::V_MTE2", "fewer buffers per position"]),
        row("second_pipe", Queue, S, "TPipe", &["second TPipe"]).rule(),
        row("tbuf_too_short", BufferBounds, V, "Adds<float>", &["dst", "leaves the buffer"]),
        row("tensor_longer_than_tbuf", BufferBounds, S, "TBuf::Get", &["longer than the TBuf", "1056", "InitBuffer"])
            .rule(),
        row("tile_of_zero", Queue, S, "InitBuffer", &["operand len", "got 0"]).rule(),
        row("buffer_per_row", Queue, S, "InitBuffer", &["at most 64", "got 65"]),
        row("output_not_freed", Leak, S, "DeQue", &["never freed", "FreeTensor"]).rule(),
        row("read_after_free", Freed, MTE3, "DataCopyPad<float> UB->GM", &["src", "given back by FreeTensor"]),
        row("written_after_free", Freed, V, "Duplicate<float>", &["dst", "given back by FreeTensor"]),
        row("output_left_in_queue", Leak, S, "EnQue", &["never dequeued", "FreeTensor"]),
    ]
}

pub fn events() -> Vec<Row> {
    vec![
        // Only the tail is broken: three full tiles pass.
        row("set_only_in_full_tiles", Event, V, "WaitFlag", &["never set", "SetFlag<HardEvent::MTE2_V>(1)"]),
        row(
            "one_id_for_two_copies",
            Event,
            MTE2,
            "SetFlag",
            &["second time", "HardEvent::MTE2_V id 1 set twice, first at ", "events.cpp:"],
        ),
        row("fetch_does_not_reserve", Event, MTE2, "SetFlag", &["second time", "FetchEventID does not reserve"]),
        row("id_from_tile_index", Event, S, "SetFlag", &["eventID", "0 to 7", "got 8"]).size(1000, 64),
        row("id_per_tile", Event, S, "AllocEventID", &["HardEvent::MTE2_V", "at most 8 ids"]).size(1000, 64),
        row("release_of_fetched", Event, S, "ReleaseEventID", &["not allocated", "0 of HardEvent::MTE2_V"]),
        row("cube_event", Event, S, "SetFlag", &["no such event", "HardEvent::V_MTE1"]),
        row("flag_of_last_tile", Leak, V, "SetFlag", &["V_MTE2"]),
        row("id_kept", Leak, S, "AllocEventID", &["MTE2_V"]).rule(),
    ]
}
