//! Enumerations whose numbers kernels know.

macro_rules! wire_enum {
    ($(#[$doc:meta])* $name:ident: $repr:ty { $($variant:ident = $value:literal => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr($repr)]
        pub enum $name { $($variant = $value),+ }
        impl $name {
            /// Kernel-side names and values.
            pub const TABLE: &'static [(&'static str, u32)] = &[$(($text, $value)),+];
            /// The same with the names on this side.
            pub const VARIANTS: &'static [(&'static str, u32)] = &[$((stringify!($variant), $value)),+];
            pub fn from_code(code: u32) -> Option<$name> {
                match code { $($value => Some($name::$variant),)+ _ => None }
            }
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }
    };
}
