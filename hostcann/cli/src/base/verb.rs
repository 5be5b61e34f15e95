//! What every verb of the command line has in common.

use anyhow::Result;

use super::ctx::Ctx;
use super::done::Done;
use super::lock::Scope;

pub trait Verb: Sized {
    /// Verbs that only look take no lock.
    fn writes(&self) -> bool {
        true
    }

    /// What a verb that writes locks, in this order. The checkout is the last, so that nobody waits for who waits.
    fn scopes(&self) -> Vec<Scope> {
        vec![Scope::Checkout]
    }

    /// Judges the command line without building anything, before the lock of the checkout is waited for.
    fn check(&self, _: &mut Ctx) -> Result<()> {
        Ok(())
    }

    fn run(self, cx: &mut Ctx) -> Result<Done>;
}

/// Verbs that the help shows together.
#[derive(Clone, Debug)]
pub struct Group {
    pub title: &'static str,
    pub verbs: Vec<String>,
}

/// The verbs of a program, as its help lists them.
pub trait Grouped {
    fn groups() -> Vec<Group>;
}

/// The verbs of a program by groups of its help, each listed once: `name(type)`.
#[macro_export]
macro_rules! verbs {
    ($(#[$meta:meta])* pub enum $enum:ident { $($title:literal: { $($name:ident($type:ty)),* $(,)? })* }) => {
        $(#[$meta])*
        #[derive(clap::Subcommand)]
        pub enum $enum { $($($name($type),)*)* }

        impl $crate::base::verb::Grouped for $enum {
            fn groups() -> Vec<$crate::base::verb::Group> {
                vec![$($crate::base::verb::Group {
                    title: $title,
                    verbs: vec![$(stringify!($name).to_ascii_lowercase()),*],
                }),*]
            }
        }

        impl $crate::base::verb::Verb for $enum {
            fn writes(&self) -> bool {
                match self { $($($enum::$name(verb) => verb.writes(),)*)* }
            }

            fn scopes(&self) -> Vec<$crate::base::lock::Scope> {
                match self { $($($enum::$name(verb) => verb.scopes(),)*)* }
            }

            fn check(&self, cx: &mut $crate::base::ctx::Ctx) -> anyhow::Result<()> {
                match self { $($($enum::$name(verb) => verb.check(cx),)*)* }
            }

            fn run(self, cx: &mut $crate::base::ctx::Ctx) -> anyhow::Result<$crate::base::done::Done> {
                match self { $($($enum::$name(verb) => verb.run(cx),)*)* }
            }
        }
    };
}
