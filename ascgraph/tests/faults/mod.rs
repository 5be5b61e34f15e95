//! Faults that are put into generated kernels.

/// A fault in the text of a generated kernel.
pub struct Fault {
    pub graph: &'static str,
    pub what: &'static str,
    pub from: &'static str,
    pub to: &'static str,
}

/// What the checker or the bits have to find.
pub const FAULTS: &[Fault] = &[
    Fault { graph: "fmod", what: "nothing", from: "nowhere", to: "" },
    Fault {
        graph: "fmod",
        what: "freed too early",
        from: "            AscendC::LocalTensor<float> n5_div",
        to: "            in0_.FreeTensor(n2_load_x);\n            AscendC::LocalTensor<float> n5_div",
    },
    Fault {
        graph: "fmod",
        what: "the tail off by one",
        from: "left < tiling_->tile ? left",
        to: "left < tiling_->tile ? left - 1",
    },
    Fault {
        graph: "fmod",
        what: "a swapped stride",
        from: "tiling_->size_s1, stride)",
        to: "tiling_->size_s0, stride)",
    },
    Fault { graph: "fmod", what: "merged buffers", from: "buf1_.Get", to: "buf0_.Get" },
    Fault { graph: "fmod", what: "no wait for what is read", from: "n2_load_x = in0_.DeQue<float>();", to: "" },
    Fault { graph: "fmod", what: "no wait for what is computed", from: "n8_sub = out0_.DeQue<float>();", to: "" },
    Fault {
        graph: "fmod",
        what: "no wait for what is read once",
        from: "AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(arrived);",
        to: "",
    },
    Fault {
        graph: "fmod",
        what: "one row for the first tile",
        from: "n3_load_y, tile, stride",
        to: "n3_load_y, 1, stride",
    },
    Fault { graph: "fmod", what: "the last tile of a block", from: "index < end", to: "index + 1 < end" },
    Fault {
        graph: "fmod",
        what: "blocks one too small",
        from: "share < tiling_->tiles ? share",
        to: "share < tiling_->tiles ? share - 1",
    },
    Fault {
        graph: "rows_float32",
        what: "lanes that begin late",
        from: "uint32_t at = 1; at < whole",
        to: "uint32_t at = 2; at < whole",
    },
    Fault {
        graph: "rows_float32",
        what: "the rest of a row",
        from: "if (rest > 0) {\n                Fold",
        to: "if (rest > 1) {\n                Fold",
    },
    Fault {
        graph: "rows_float32",
        what: "one row for eight",
        from: "BrcbRepeatParams(1, 8)",
        to: "BrcbRepeatParams(1, 4)",
    },
    Fault {
        graph: "rows_float32",
        what: "lanes too small",
        from: "stride < 64 ? 4 * stride : 256) + 256",
        to: "stride < 64 ? stride : 16)",
    },
    Fault {
        graph: "softmax_float32",
        what: "a piece dropped",
        from: "; piece += stride)",
        to: "; piece += 2 * stride)",
    },
    Fault {
        graph: "softmax_float32",
        what: "lanes that hold the row before",
        from: "length, piece == 0);",
        to: "length, false);",
    },
    Fault { graph: "softmax_float32", what: "only the last piece", from: "length, piece == 0);", to: "length, true);" },
    Fault {
        graph: "softmax_float32",
        what: "a last piece that goes on behind the row",
        from: "ahead < stride ? ahead : stride",
        to: "ahead != 1 ? stride : 1",
    },
    Fault {
        graph: "softmax_float32",
        what: "a second pass before the first is over",
        from: "            MeetLanes<Reduction::MAX>(",
        to: "            if (index < 0) MeetLanes<Reduction::MAX>(",
    },
    Fault {
        graph: "softmax_float32",
        what: "a piece from the begin of the row",
        from: "size_s1 + piece]",
        to: "size_s1]",
    },
    Fault {
        graph: "norm_float32",
        what: "the lanes of one pass in the next",
        from: "at = length < n ? length : n;",
        to: "at = 0;",
    },
    Fault {
        graph: "norm_float32",
        what: "a mean of a piece",
        from: "static_cast<float>(count)), 1);",
        to: "64.0f), 1);",
    },
    Fault {
        graph: "norm_float32",
        what: "blocks in the lanes",
        from: "pipe.InitBuffer(lanes_, 512);",
        to: "pipe.InitBuffer(lanes_, 256);",
    },
    Fault { graph: "chosen_float32", what: "a mask turned", from: "CMPMODE::NE, whole", to: "CMPMODE::EQ, whole" },
    Fault {
        graph: "chosen_float32",
        what: "rows that are not repeated",
        from: "RepeatRows(n7_wide2",
        to: "if (tile < 2) RepeatRows(n7_wide2",
    },
    Fault {
        graph: "joined_float32",
        what: "parts over one another",
        from: "column * tiling_->value3 + ",
        to: "column * tiling_->value3 + 1 + ",
    },
    Fault {
        graph: "remainders",
        what: "one step of two",
        from: "    RemainderStep(to, to, n, floatN, work, count);\n",
        to: "",
    },
    Fault {
        graph: "remainders",
        what: "the sign of the divisor",
        from: "AscendC::ShiftRight(sign, x2",
        to: "AscendC::ShiftRight(sign, x1",
    },
    Fault {
        graph: "softmax_float32_0_of_2",
        what: "the last rows of a piece",
        from: "for (; row < rows; row += ROW_LANES)",
        to: "for (; row + ROW_LANES < rows; row += ROW_LANES)",
    },
    Fault {
        graph: "softmax_float32_0_of_2",
        what: "lanes of the tile before",
        from: "rows, stride, piece == 0);",
        to: "rows, stride, index == begin && piece == 0);",
    },
    Fault {
        graph: "softmax_float32_0_of_2",
        what: "an odd row of the lanes",
        from: "half = (left + 1) / 2;",
        to: "half = left / 2;",
    },
];
