//! Types of JSON objects that know their fields by name, for the page about them.

#[cfg(test)]
use serde_json::Value;

/// An object and its fields, as the page lists them.
#[cfg(test)]
pub struct Object {
    pub name: &'static str,
    pub about: &'static str,
    pub fields: &'static [Field],
    /// What serde makes of a value of the type
    pub example: fn() -> Value,
}

#[cfg(test)]
pub struct Field {
    name: &'static str,
    /// The Rust type
    pub kind: &'static str,
    pub about: &'static str,
    /// What serde is told about it
    serde: &'static [&'static str],
}

#[cfg(test)]
impl Field {
    pub const fn new(
        name: &'static str,
        kind: &'static str,
        about: &'static str,
        serde: &'static [&'static str],
    ) -> Field {
        Field { name, kind, about, serde }
    }

    /// The key in the object.
    pub fn key(&self) -> &'static str {
        let named = |told: &&'static str| told.strip_prefix("rename = \"")?.strip_suffix('"');
        self.serde.iter().find_map(named).unwrap_or(self.name)
    }

    pub fn is_left_out(&self) -> bool {
        self.told("skip_serializing_if")
    }

    /// It stands for the keys of another object.
    pub fn is_flat(&self) -> bool {
        self.told("flatten")
    }

    fn told(&self, word: &str) -> bool {
        self.serde.iter().any(|told| told.contains(word))
    }
}

/// Declares the types and `OBJECTS`, which describes them.
macro_rules! objects {
    ($(
        $(#[doc = $about:literal])* $(#[serde($($of:tt)*)])*
        pub struct $name:ident {
            $($(#[doc = $field_about:literal])* $(#[serde($($field_of:tt)*)])* pub $field:ident: $kind:ty),* $(,)?
        }
    )*) => {
        $(
            $(#[doc = $about])*
            #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
            $(#[serde($($of)*)])*
            pub struct $name {
                $($(#[doc = $field_about])* $(#[serde($($field_of)*)])* pub $field: $kind),*
            }
        )*

        #[cfg(test)]
        pub(super) const OBJECTS: &[super::object::Object] = &[$(
            super::object::Object {
                name: stringify!($name),
                about: concat!($($about,)* ""),
                fields: &[$(super::object::Field::new(
                    stringify!($field),
                    stringify!($kind),
                    concat!($($field_about,)* ""),
                    &[$(stringify!($($field_of)*)),*],
                )),*],
                example: || serde_json::to_value($name::default()).unwrap_or_default(),
            }
        ),*];
    };
}

pub(super) use objects;
