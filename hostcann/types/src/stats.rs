//! The counters of `hostcann/stats.h`: what launches asked of the vector cores. A test compares both.

use std::ops::AddAssign;

/// A structure of 64-bit counters, as C lays it out.
macro_rules! counters {
    ($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $field:ident,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(C)]
        pub struct $name {
            $($(#[$note])* pub $field: u64,)+
        }

        impl $name {
            /// Names, in their order.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($field)),+];
        }

        impl AddAssign for $name {
            fn add_assign(&mut self, other: $name) {
                $(self.$field += other.$field;)+
            }
        }
    };
}

counters! {
    /// Sums over one launch or several. Layout of `hc_launch_stats`.
    LaunchStats {
        launches,
        blocks,
        vector_instructions,
        /// Active lanes over all repeats.
        vector_lanes,
        /// In halves: a lane of an instruction whose widest operand has 32 bits or more counts 2, a narrower one 1.
        f32_equivalents,
        mte2_bytes,
        mte2_bursts,
        mte3_bytes,
        mte3_bursts,
        /// DataCopy inside the unified buffer; not in the vector numbers.
        ub_copy_bytes,
        set_flags,
        wait_flags,
        barriers,
        /// Repeats whose two sources share a bank group.
        read_conflicts,
        /// Repeats that write to a bank they read, out of step.
        write_conflicts,
    }
}

counters! {
    /// The vector part of [`LaunchStats`] for one opcode. Layout of `hc_opcode_stats`.
    OpcodeStats {
        instructions,
        lanes,
        f32_equivalents,
        read_conflicts,
        write_conflicts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_is_added() {
        let mut sum =
            OpcodeStats { instructions: 1, lanes: 2, f32_equivalents: 3, read_conflicts: 4, write_conflicts: 5 };
        sum += sum;
        let twice =
            OpcodeStats { instructions: 2, lanes: 4, f32_equivalents: 6, read_conflicts: 8, write_conflicts: 10 };
        assert_eq!(sum, twice);
        assert_eq!(LaunchStats::FIELDS.len() * 8, size_of::<LaunchStats>());
    }
}
