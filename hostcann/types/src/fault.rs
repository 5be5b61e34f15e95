//! The classes of faults and findings, by the names of `HOSTCANN_CHECK`, of messages and of docs/checking.md.

macro_rules! classes {
    ($list:ident { $($class:ident, $name:literal, $meaning:literal;)+ }
     $faults:ident { $($fault:ident, $fault_name:literal, $fault_meaning:literal;)+ }) => {
        /// What kind of rule was broken.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FaultClass {
            $(#[doc = $meaning] $class,)+
            $(#[doc = $fault_meaning] $fault,)+
        }

        impl FaultClass {
            /// The classes of the checker's findings, which `HOSTCANN_CHECK` leaves out or adds.
            pub const $list: &'static [FaultClass] = &[$(FaultClass::$class),+];
            /// The other classes: no option leaves them out.
            pub const $faults: &'static [FaultClass] = &[$(FaultClass::$fault),+];

            /// The name in messages and in `HOSTCANN_FINDINGS`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(FaultClass::$class => $name,)+
                    $(FaultClass::$fault => $fault_name,)+
                }
            }

            /// One line.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(FaultClass::$class => $meaning,)+
                    $(FaultClass::$fault => $fault_meaning,)+
                }
            }
        }
    };
}

classes! {
    FINDINGS {
        Race, "race", "two accesses of the same bytes whose order nothing guarantees";
        Uninitialized, "uninitialized", "bytes that were never written reach a result";
        BufferBounds, "buffer-bounds", "an operand leaves the buffer it starts in";
        GmBounds, "gm-bounds", "an access outside of the kernel's tensors";
        MultiCore, "multi-core", "two cores meet in the same bytes of global memory";
        SharedBlock, "shared-block", "two cores write different bytes of one 32-byte block";
        ScalarCache, "scalar-cache", "a scalar access to global memory that the data cache keeps from others";
        Tiling, "tiling", "tiling data that was never written, or does not fit the kernel";
        Overlap, "overlap", "source and destination overlap in a way that the instruction does not allow";
        MaskState, "mask-state", "the mask registers do not hold what the kernel put there";
        Leak, "leak", "flags, event ids or tensors left over";
        Freed, "freed", "a tensor is used after FreeTensor";
        AtomicMode, "atomic-mode", "an atomic copy of another type than the mode's, or a mode that is left on";
        OutputUnwritten, "output-unwritten", "bytes of a result that no core wrote";
        BufferSpace, "buffer-space", "buffers that end beyond the unified buffer, or temporary space that is too small";
        ReservedUb, "reserved-ub", "buffers in the area that an instruction overwrites";
        Queue, "queue", "a queue or a pipe that is used against its rules";
        Event, "event", "an event that is waited for and never set, or more events than there are";
        Argument, "argument", "an argument that the instruction does not have";
        AutoSync, "auto-sync", "an order that only the compiler's automatic synchronisation makes";
    }
    FAULTS {
        Alignment, "alignment", "an address that is no multiple of what the instruction asks for";
        OutOfRange, "out-of-range", "an operand that leaves the unified buffer";
        Dtype, "dtype", "a data type that the instruction does not have";
        CastMode, "cast-mode", "a round mode that this Cast does not have";
        NullPointer, "null-pointer", "an access through a null pointer";
        Undocumented, "undocumented", "a result that depends on behaviour no document states";
        Unsupported, "unsupported", "legal on a device and not modelled here";
        Assertion, "assertion", "an assertion of the kernel itself";
        Crash, "crash", "the kernel's own code fails: a bad pointer, a division by zero, an exception, the time limit";
        Internal, "internal", "a fault of hostcann itself";
    }
}

impl FaultClass {
    /// Findings that are reported on request only. A copy writes exactly its bytes (DataCopyPad page) and npu_check
    /// reports intersecting ranges only, so a shared block costs time at most.
    pub const ON_REQUEST: &'static [FaultClass] = &[FaultClass::SharedBlock];

    /// The finding of this name.
    pub fn finding(name: &str) -> Option<FaultClass> {
        FaultClass::FINDINGS.iter().copied().find(|class| class.name() == name)
    }

    /// Names of the findings, in the order of the table.
    pub fn finding_names() -> Vec<&'static str> {
        FaultClass::FINDINGS.iter().map(|class| class.name()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_class_has_a_name_and_a_meaning_of_its_own() {
        let all = || FaultClass::FINDINGS.iter().chain(FaultClass::FAULTS);
        let names: BTreeSet<_> = all().map(|class| class.name()).collect();
        let meanings: BTreeSet<_> = all().map(|class| class.meaning()).collect();
        assert_eq!((names.len(), meanings.len(), all().count()), (30, 30, 30), "{names:?}");
        assert_eq!(FaultClass::finding("leak"), Some(FaultClass::Leak));
        assert_eq!(FaultClass::finding("crash"), None, "no option leaves it out");
    }
}
