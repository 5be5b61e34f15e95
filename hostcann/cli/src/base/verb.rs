//! What every verb of the command line has in common.

use anyhow::Result;

use super::ctx::Ctx;
use super::done::Done;

pub trait Verb: Sized {
    /// Verbs that only look take no lock.
    fn writes(&self) -> bool {
        true
    }

    /// Judges the command line without building anything, before the lock of the checkout is waited for.
    fn check(&self, _: &mut Ctx) -> Result<()> {
        Ok(())
    }

    fn run(self, cx: &mut Ctx) -> Result<Done>;
}

/// The verbs of a program, each listed once: `name(type)`.
#[macro_export]
macro_rules! verbs {
    ($(#[$meta:meta])* pub enum $enum:ident { $($(#[$of:meta])* $name:ident($type:ty)),* $(,)? }) => {
        $(#[$meta])*
        #[derive(clap::Subcommand)]
        pub enum $enum { $($(#[$of])* $name($type)),* }

        impl $crate::base::verb::Verb for $enum {
            fn writes(&self) -> bool {
                match self { $($enum::$name(verb) => verb.writes()),* }
            }

            fn check(&self, cx: &mut $crate::base::ctx::Ctx) -> anyhow::Result<()> {
                match self { $($enum::$name(verb) => verb.check(cx)),* }
            }

            fn run(self, cx: &mut $crate::base::ctx::Ctx) -> anyhow::Result<$crate::base::done::Done> {
                match self { $($enum::$name(verb) => verb.run(cx)),* }
            }
        }
    };
}
