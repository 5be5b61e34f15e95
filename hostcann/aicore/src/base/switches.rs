//! Hardware behaviour that no public document settles. Each switch picks one guess; an operator's results should
//! hold under all of them.

use std::{fmt, str::FromStr};

/// A switch value that is not one of the allowed words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwitchError {
    pub switch: &'static str,
    pub got: String,
    pub allowed: &'static str,
}

impl fmt::Display for SwitchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected one of {}, got \"{}\"", self.switch, self.allowed, self.got)
    }
}

impl std::error::Error for SwitchError {}

macro_rules! switch {
    ($(#[$doc:meta])* $name:ident, $label:literal, $allowed:literal, { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl FromStr for $name {
            type Err = SwitchError;
            fn from_str(s: &str) -> Result<Self, SwitchError> {
                match s {
                    $($text => Ok($name::$variant),)+
                    _ => Err(SwitchError { switch: $label, got: s.to_owned(), allowed: $allowed }),
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(self.as_str()) }
        }
    };
}

switch!(
    /// Error of `Div`, in units in the last place of the magnitude.
    ///
    /// Applied to every quotient that is finite and not zero, *whether or not the division is exact*: a divider with a
    /// 1-ulp bound may miss exact quotients too, and that is the case that breaks a truncating remainder. A step that
    /// would reach infinity or zero is not taken. Only `Div` is affected.
    DivUlp, "div_ulp", "0, +1, -1, random", {
        #[default]
        Zero = "0",
        Plus = "+1",
        Minus = "-1",
        /// -1, 0 or +1 from a hash of the operand bits: reproducible, independent of tiling and core count.
        Random = "random",
    }
);

switch!(
    /// Whether MulAddDst, Axpy and FusedMulAdd round once or twice.
    Fma, "fma", "unfused, fused", {
        #[default]
        Unfused = "unfused",
        Fused = "fused",
    }
);

switch!(
    /// Half and bfloat16 results at the start of a kernel, CTRL bit 48. Integers wrap in both until the kernel sets bit 53.
    Saturation, "saturation", "infnan, saturate", {
        /// Overflow gives infinity.
        #[default]
        InfNan = "infnan",
        /// Overflow gives the largest finite value, NaN gives 0.
        Saturate = "saturate",
    }
);

switch!(
    /// Which float32 arithmetic flushes subnormal operands and results to zero, sign kept.
    ///
    /// Moves, casts, compares and bit operations are not arithmetic; half arithmetic keeps its subnormals. No document
    /// of A2/A3 says anything; the tables of the 950 give Add and Mul full subnormal support and Div none.
    Ftz, "ftz", "off, div, on", {
        #[default]
        Off = "off",
        /// Div alone.
        Div = "div",
        /// All of it.
        On = "on",
    }
);

switch!(
    /// Accuracy of Reciprocal and Rsqrt, whose pages say that errors exceed 1/1000 (half) or 1/10000 (float) and advise
    /// Div and Sqrt. Values of the boundary tables are exact in both.
    Reciprocal, "reciprocal", "documented, exact", {
        /// Every result is off by just more than the bound of its type.
        Documented = "documented",
        /// Rounded to nearest; samples of the maker compare at 1e-4 and pass on a device.
        #[default]
        Exact = "exact",
    }
);

switch!(
    /// SetFlag of a flag that is set already: undefined, says the SetFlag page, and PIPE_ALL after it hangs.
    SecondSet, "second_set", "fault, counted, kept", {
        Fault = "fault",
        /// Each SetFlag lets one WaitFlag through: operators of the maker set a flag next to a queue's own.
        #[default]
        Counted = "counted",
        /// The flag is one bit: the second SetFlag changes nothing.
        Kept = "kept",
    }
);

switch!(
    /// In which order atomic sums of floats of several cores count. A device keeps none; integers, Max and Min need none.
    AtomicOrder, "atomic_order", "ascending, descending", {
        /// Core 0 first, with any number of host threads.
        #[default]
        Ascending = "ascending",
        /// The last core first.
        Descending = "descending",
    }
);

switch!(
    /// In which order the cube core adds up products of floats. No document says it.
    MatmulOrder, "matmul_order", "ascending, descending", {
        /// K from 0 up.
        #[default]
        Ascending = "ascending",
        Descending = "descending",
    }
);

/// All switches of one engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    pub div_ulp: DivUlp,
    pub fma: Fma,
    pub ftz: Ftz,
    pub saturation: Saturation,
    pub reciprocal: Reciprocal,
    pub second_set: SecondSet,
    pub atomic_order: AtomicOrder,
    pub matmul_order: MatmulOrder,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_round_trips() {
        for v in DivUlp::ALL {
            assert_eq!(v.as_str().parse::<DivUlp>(), Ok(*v));
        }
        assert_eq!("fused".parse::<Fma>(), Ok(Fma::Fused));
        assert_eq!("saturate".parse::<Saturation>(), Ok(Saturation::Saturate));
        for v in Ftz::ALL {
            assert_eq!(v.as_str().parse::<Ftz>(), Ok(*v));
        }
    }

    #[test]
    fn a_bad_word_names_the_allowed_ones() {
        let e = "2".parse::<DivUlp>().unwrap_err();
        assert_eq!(e.to_string(), "div_ulp: expected one of 0, +1, -1, random, got \"2\"");
        let e = "yes".parse::<Ftz>().unwrap_err();
        assert_eq!(e.to_string(), "ftz: expected one of off, div, on, got \"yes\"");
    }
}
