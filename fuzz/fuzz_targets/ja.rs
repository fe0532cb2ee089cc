//! Texts read as Japanese.

#![no_main]

use waypost_fuzz::check;
use waypost_text::language::Language;

libfuzzer_sys::fuzz_target!(|text: &str| check(text, Language::Ja));
