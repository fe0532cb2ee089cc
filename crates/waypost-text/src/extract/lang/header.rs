//! Reads what stands in the brackets of a file of words, and writes it as Rust.
//!
//! `[weekday 5]` is `Term::Weekday(5)` and `[holiday easter -2]` is
//! `Term::Holiday(Holiday::Easter(-2))`: the name of a variant in lower case and with hyphens, then
//! its arguments. Units of measure and currencies go by their names in `units.txt` and
//! `currencies.txt`. Only the build script and tests read headers.

use std::str::SplitWhitespace;

use super::inventory::Inventory;
use crate::extract::grammar::units::{Coin, Measure};

/// A type whose values stand in headers.
pub(crate) trait Header: Sized {
    /// Reads a value from the next words.
    ///
    /// # Errors
    ///
    /// A message if the words are none of its values.
    fn read(words: &mut Words<'_>) -> Result<Self, String>;

    /// Writes the value as an expression of Rust.
    fn rust(&self) -> String;
}

/// The words of a header that were not read yet.
pub(crate) struct Words<'a> {
    rest: SplitWhitespace<'a>,
    inventory: &'a Inventory,
}

impl<'a> Words<'a> {
    /// Reads a whole header.
    ///
    /// # Errors
    ///
    /// A message if the words have no meaning, or if some are left.
    pub(crate) fn whole<T: Header>(header: &'a str, inventory: &'a Inventory) -> Result<T, String> {
        let mut words = Self { rest: header.split_whitespace(), inventory };
        let found = T::read(&mut words)?;
        match words.rest.next() {
            Some(word) => Err(format!("`{word}` is one word too many")),
            None => Ok(found),
        }
    }

    /// The next word; `expected` names it if there is none.
    pub(crate) fn next(&mut self, expected: &str) -> Result<&'a str, String> {
        self.rest.next().ok_or_else(|| format!("{expected} is missing"))
    }
}

/// Declares a type of meanings: the enumeration as it stands, and how headers name it.
///
/// Arguments have names, as those of functions do.
macro_rules! meanings {
    (
        $(#[$meta:meta])*
        $visible:vis enum $name:ident {
            $( $(#[$doc:meta])* $variant:ident $(($($argument:ident: $type:ty),+))?, )+
        }
    ) => {
        $(#[$meta])*
        $visible enum $name {
            $( $(#[$doc])* $variant $(($($type),+))?, )+
        }

        #[allow(dead_code, reason = "only some types are looked up by their variants")]
        impl $name {
            /// The place of the variant among all of the type.
            pub(crate) const fn place(self) -> usize {
                enum VariantIndex { $($variant,)+ }
                match self {
                    $( $name::$variant { .. } => VariantIndex::$variant as usize, )+
                }
            }
        }

        impl $crate::extract::lang::header::Header for $name {
            fn read(words: &mut $crate::extract::lang::header::Words<'_>) -> Result<Self, String> {
                let word = words.next(concat!("a word for ", stringify!($name)))?;
                match $crate::extract::lang::header::camel_case(word).as_str() {
                    $( stringify!($variant) => Ok($name::$variant $((
                        $(<$type as $crate::extract::lang::header::Header>::read(words)?),+
                    ))?), )+
                    _ => Err(format!(concat!("`{}` is no ", stringify!($name)), word)),
                }
            }

            fn rust(&self) -> String {
                match self {
                    $( $name::$variant $(($($argument),+))? => {
                        let arguments: &[String] =
                            &[$($($crate::extract::lang::header::Header::rust($argument)),+)?];
                        let variant = concat!(stringify!($name), "::", stringify!($variant));
                        $crate::extract::lang::header::call(variant, arguments)
                    } )+
                }
            }
        }
    };
}

pub(crate) use meanings;

/// `late-night` as `LateNight`; nothing for a word that is not written so.
pub(crate) fn camel_case(word: &str) -> String {
    if word.chars().any(char::is_uppercase) {
        return String::new();
    }
    word.split('-')
        .flat_map(|part| part.chars().enumerate())
        .map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c })
        .collect()
}

/// A variant with its arguments, if it has any.
pub(crate) fn call(variant: &str, arguments: &[String]) -> String {
    match arguments {
        [] => variant.to_owned(),
        _ => format!("{variant}({})", arguments.join(", ")),
    }
}

macro_rules! numbers {
    ($($number:ty),+) => { $(
        impl Header for $number {
            fn read(words: &mut Words<'_>) -> Result<Self, String> {
                let word = words.next("a number")?;
                word.parse().map_err(|_| format!("`{word}` is no number that fits here"))
            }

            fn rust(&self) -> String {
                format!("{self:?}")
            }
        }
    )+ };
}

numbers!(i8, i16, i32, i64, u16, f64);

impl Header for [i8; 7] {
    fn read(words: &mut Words<'_>) -> Result<Self, String> {
        let mut days = [0; 7];
        for day in &mut days {
            *day = i8::read(words)?;
        }
        Ok(days)
    }

    fn rust(&self) -> String {
        format!("{self:?}")
    }
}

/// Days as `2024-03-05`, up to the end of the header.
impl Header for &'static [(i16, i8, i8)] {
    fn read(words: &mut Words<'_>) -> Result<Self, String> {
        let day = |word: &str| {
            let mut parts = word.split('-');
            let day = (
                parts.next()?.parse().ok()?,
                parts.next()?.parse().ok()?,
                parts.next()?.parse().ok()?,
            );
            parts.next().is_none().then_some(day)
        };
        let days: Result<Vec<_>, String> = words
            .rest
            .by_ref()
            .map(|word| day(word).ok_or_else(|| format!("`{word}` is no day")))
            .collect();
        match days? {
            days if days.is_empty() => Err("a day is missing".to_owned()),
            days => Ok(Vec::leak(days)),
        }
    }

    fn rust(&self) -> String {
        format!("&{self:?}")
    }
}

/// Codes of ISO 4217 up to the end of the header, or the name of a list of them.
impl Header for &'static [&'static str] {
    fn read(words: &mut Words<'_>) -> Result<Self, String> {
        let first = words.next("a currency")?;
        if let Some(codes) = words.inventory.currencies(first) {
            return Ok(codes);
        }
        let codes = std::iter::once(first).chain(words.rest.by_ref());
        let codes: Result<Vec<&'static str>, String> =
            codes.map(super::inventory::currency).collect();
        Ok(Vec::leak(codes?))
    }

    fn rust(&self) -> String {
        format!("&{self:?}")
    }
}

impl Header for &'static Measure {
    fn read(words: &mut Words<'_>) -> Result<Self, String> {
        let name = words.next("a unit of measure")?;
        words.inventory.measure(name).ok_or_else(|| format!("`{name}` is no unit of `units.txt`"))
    }

    fn rust(&self) -> String {
        format!("&{self:?}")
    }
}

impl Header for &'static Coin {
    fn read(words: &mut Words<'_>) -> Result<Self, String> {
        let name = words.next("a coin")?;
        words.inventory.coin(name).ok_or_else(|| format!("`{name}` is no coin of `currencies.txt`"))
    }

    fn rust(&self) -> String {
        let Coin { worth, codes } = self;
        format!("&Coin {{ worth: {worth:?}, codes: &{codes:?} }}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::grammar::term::Term;

    fn shown(header: &str) -> String {
        let mut inventory = Inventory::default();
        inventory
            .add(
                "[length]\nkilometer km 1e3\n[currencies]\ndollars USD CAD\n\
                 [coins]\ncent 0.01 dollars\n",
            )
            .expect("the inventory is sound");
        match Words::whole::<Term>(header, &inventory) {
            Ok(term) => term.rust(),
            Err(message) => format!("! {message}"),
        }
    }

    #[test]
    fn headers_are_terms() {
        for (header, rust) in [
            ("weekday 5", "Term::Weekday(5)"),
            ("number 1e3", "Term::Number(1000.0)"),
            ("no", "Term::No"),
            ("day-part -1 late-night", "Term::DayPart(-1, Part::LateNight)"),
            ("holiday easter -2", "Term::Holiday(Holiday::Easter(-2))"),
            ("holiday listed 2024-03-05", "Term::Holiday(Holiday::Listed(&[(2024, 3, 5)]))"),
            ("bound at-least", "Term::Bound(Side::Above { included: true })"),
            ("currency USD EUR", r#"Term::Currency(&["USD", "EUR"])"#),
            ("currency dollars", r#"Term::Currency(&["USD", "CAD"])"#),
            ("coin cent", r#"Term::Coin(&Coin { worth: 0.01, codes: &["USD", "CAD"] })"#),
            (
                "measure kilometer",
                r#"Term::Measure(&Measure { code: "km", dimension: "length", factor: 1000.0, base: "km", multiple: 1.0 })"#,
            ),
        ] {
            assert_eq!(shown(header), rust, "{header}");
        }
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        for (header, message) in [
            ("", "! a word for Term is missing"),
            ("wekday 5", "! `wekday` is no Term"),
            ("Weekday 5", "! `Weekday` is no Term"),
            ("weekday", "! a number is missing"),
            ("weekday friday", "! `friday` is no number that fits here"),
            ("weekday 5 6", "! `6` is one word too many"),
            ("holiday listed", "! a day is missing"),
            ("holiday listed 2024-3", "! `2024-3` is no day"),
            (
                "bound above",
                "! `above` is no side: `more-than`, `at-least`, `less-than` or `at-most`",
            ),
            ("measure mile", "! `mile` is no unit of `units.txt`"),
            ("currency usd", "! `usd` is no code of a currency and no list of them"),
            ("coin penny", "! `penny` is no coin of `currencies.txt`"),
        ] {
            assert_eq!(shown(header), message, "{header}");
        }
    }
}
