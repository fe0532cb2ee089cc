//! Reads random texts in every language and checks what must hold of all of them:
//! `cargo run --release -p waypost-text --example storm -- 10000000 [SEED]`.
//!
//! The texts are made of the words, digits and signs of the specification, so that they reach deep
//! into the rules, with a character changed here and there. libFuzzer's targets (`fuzz/`) find
//! stranger texts, and are a hundred times slower.

#![expect(clippy::disallowed_methods, reason = "a program reads its arguments")]
#![expect(clippy::disallowed_types, reason = "how long it took is measured")]

use std::time::Instant;

use waypost_text::extract::{self, Context, Conventions, Kind, Kinds, Value};
use waypost_text::language::Language;
use waypost_text::text::Text;

/// The cases whose words the texts are made of.
const SPEC: [&str; 10] = [
    include_str!("../../../spec/extract/en.txt"),
    include_str!("../../../spec/extract/zh.txt"),
    include_str!("../../../spec/extract/es.txt"),
    include_str!("../../../spec/extract/vi.txt"),
    include_str!("../../../spec/extract/mixed.txt"),
    include_str!("../../../spec/extract/negative.txt"),
    include_str!("../../../spec/extract/names.txt"),
    include_str!("../../../spec/extract/zones.txt"),
    include_str!("../../../spec/extract/request.txt"),
    include_str!("../../../spec/extract/places.txt"),
];

/// A xorshift generator: the same texts for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

/// Words, digits and Han characters, each once for every time it occurs.
fn pieces() -> Vec<String> {
    let texts =
        SPEC.iter().flat_map(|file| file.lines()).filter_map(|line| line.split(" =>").next());
    let mut pieces = Vec::new();
    for word in texts.flat_map(str::split_whitespace) {
        pieces.push(word.to_owned());
        pieces.extend(word.chars().filter(|c| !c.is_ascii_lowercase()).map(String::from));
    }
    pieces
}

fn text(pieces: &[String], random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(10) {
        text.push_str(&pieces[random.below(pieces.len())]);
        if random.below(3) > 0 {
            text.push(' ');
        }
        if random.below(40) == 0 {
            text.extend(char::from_u32(random.below(0x3_0000) as u32));
        }
    }
    text
}

#[expect(clippy::panic, reason = "a text that breaks a promise has to be seen")]
fn check(text: &str, values: &[Value]) {
    let characters: Vec<char> = text.chars().collect();
    let mut end = 0;
    for value in values {
        let span = value.span;
        let sound = span.start >= end && span.start < span.end && span.end <= characters.len();
        let words = sound.then(|| characters[span.start..span.end].iter().collect::<String>());
        if words.as_deref() != Some(value.text.as_str()) {
            panic!("`{text}` gave {value:?}");
        }
        end = span.end;
    }
}

#[expect(clippy::print_stdout, reason = "an example prints what it did")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: u64 = arguments.next().map_or(Ok(100_000), |text| text.parse())?;
    let seed: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let now = "2025-11-06T09:00+08:00[Asia/Taipei]".parse()?;
    let (pieces, mut random, start) = (pieces(), Random(seed | 1 << 40), Instant::now());
    let mut found = 0;
    for turn in 0..count {
        let text = text(&pieces, &mut random);
        let language = Language::ALL[random.below(Language::ALL.len())];
        let conventions = Conventions::STANDARD;
        let wanted = if turn % 2 == 0 { Kinds::NONE } else { Kinds::ALL };
        let context = Context { now: &now, language, gazetteers: &[], conventions, wanted };
        let source = Text::new(&text);
        let values = extract::extract(&source, &context);
        check(&text, &values);
        if turn % 8 == 0 {
            let kind = Kind::ALL[random.below(Kind::ALL.len())];
            check(&text, &extract::of_kind(&source, &context, kind));
            extract::is_elliptical(&source, &values, language);
            for value in &values {
                extract::role(&source, value.span, language);
            }
            extract::objects(&source, language);
        }
        found += values.len();
    }
    println!("{count} texts, {found} values, no panic, {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}
