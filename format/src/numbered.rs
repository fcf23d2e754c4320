//! Enumerations of both formats: one table each of number, variant and name.
//!
//! A number that no table holds is kept as `Unknown`, so that metadata from the future can be read
//! and shown; code that has to act on the value decides whether it is an error.

/// Declares an enum whose variants have a number and a name in the specification.
macro_rules! numbered {
    ($(#[$meta:meta])* $name:ident { $($(#[$attribute:meta])* $variant:ident = $id:literal $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$attribute])* $variant,)+
            /// A number that the specification does not define (yet).
            Unknown(i32),
        }

        impl $name {
            /// Every defined value, in the order of its number.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// The value with this number.
            pub fn from_id(id: i32) -> Self {
                match id {
                    $($id => $name::$variant,)+
                    _ => $name::Unknown(id),
                }
            }

            /// The number.
            pub fn id(self) -> i32 {
                match self {
                    $($name::$variant => $id,)+
                    $name::Unknown(id) => id,
                }
            }

            /// The specification's name of a number, if it defines it.
            pub fn name_of(id: i32) -> Option<&'static str> {
                match id {
                    $($id => Some($text),)+
                    _ => None,
                }
            }

            /// The specification's name, or `UNKNOWN`.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)+
                    $name::Unknown(_) => "UNKNOWN",
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $name::Unknown(id) => write!(f, "UNKNOWN({id})"),
                    known => f.write_str(known.name()),
                }
            }
        }
    };
}

pub(crate) use numbered;
