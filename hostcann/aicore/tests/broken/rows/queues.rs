//! Queue and buffer misuse.

use super::{Row, row};
use aicore::{
    FaultClass::{Argument, Event, Freed, Leak, Queue},
    Pipe::{MTE3, S, V},
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
        row("tbuf_too_short", Argument, S, "TBuf::Get", &["longer than the TBuf", "1024", "InitBuffer"]),
        row("tile_of_zero", Queue, S, "InitBuffer", &["operand len", "got 0"]).rule(),
        row("buffer_per_row", Queue, S, "InitBuffer", &["at most 64", "got 65"]),
        row("output_not_freed", Leak, S, "DeQue", &["never freed", "FreeTensor"]).rule(),
        row("read_after_free", Freed, MTE3, "DataCopyPad<float> UB->GM", &["src", "given back by FreeTensor"]),
        row("written_after_free", Freed, V, "Duplicate<float>", &["dst", "given back by FreeTensor"]),
        row("output_left_in_queue", Leak, S, "EnQue", &["never dequeued", "FreeTensor"]),
    ]
}
