//! Event misuse: unbalanced flags, ids beyond 8, ids that leak.

use super::{Row, row};
use aicore::{
    FaultClass::{Event, Leak},
    Pipe,
};

pub fn rows() -> Vec<Row> {
    vec![
        // Only the tail is broken: three full tiles pass.
        row("set_only_in_full_tiles", Event, Pipe::V, "WaitFlag", &["never set", "SetFlag<HardEvent::MTE2_V>(1)"]),
        row(
            "one_id_for_two_copies",
            Event,
            Pipe::MTE2,
            "SetFlag",
            &["second time", "HardEvent::MTE2_V id 1 set twice, first at ", "events.cpp:"],
        ),
        row("fetch_does_not_reserve", Event, Pipe::MTE2, "SetFlag", &["second time", "FetchEventID does not reserve"]),
        row("id_from_tile_index", Event, Pipe::S, "SetFlag", &["eventID", "0 to 7", "got 8"]).size(1000, 64),
        row("id_per_tile", Event, Pipe::S, "AllocEventID", &["HardEvent::MTE2_V", "at most 8 ids"]).size(1000, 64),
        row("release_of_fetched", Event, Pipe::S, "ReleaseEventID", &["not allocated", "0 of HardEvent::MTE2_V"]),
        row("cube_event", Event, Pipe::S, "SetFlag", &["no such event", "HardEvent::V_MTE1"]),
        row("flag_of_last_tile", Leak, Pipe::V, "SetFlag", &["V_MTE2"]),
        row("id_kept", Leak, Pipe::S, "AllocEventID", &["MTE2_V"]).rule(),
    ]
}
