//! Texts read in every language, one after another.

#![no_main]

use waypost_fuzz::check;
use waypost_text::language::Language;

libfuzzer_sys::fuzz_target!(|text: &str| {
    for language in Language::ALL {
        check(text, language);
    }
});
