//! Prints the values in a text: `cargo run -p waypost-text --example values -- es "mañana a las 3"`.

use waypost_text::extract::{Context, Conventions, Kinds, extract, record};
use waypost_text::language::Language;
use waypost_text::text::Text;

#[expect(clippy::print_stdout, reason = "an example prints what it finds")]
#[expect(clippy::disallowed_methods, reason = "a program reads its arguments")]
fn main() -> Result<(), jiff::Error> {
    let mut arguments = std::env::args().skip(1);
    let language = arguments.next().and_then(|tag| Language::from_tag(&tag));
    let language = language.unwrap_or(Language::En);
    let now = "2025-11-06T09:00+08:00[Asia/Taipei]".parse()?;
    let conventions = Conventions::STANDARD;
    let context =
        Context { now: &now, language, gazetteers: &[], conventions, wanted: Kinds::NONE };
    for text in arguments {
        println!("{text}");
        for value in extract(&Text::new(&text), &context) {
            println!("  {}", record(&value));
        }
    }
    Ok(())
}
