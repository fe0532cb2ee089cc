//! Trains the classifier of acts on its examples, and measures it on sentences that it has not seen.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use waypost::extract;
use waypost::language::Language;
use waypost::text::Text;
use waypost::understand::act::model::{self, Example};
use waypost::understand::act::{Act, Situation, acts};

/// The languages of the examples, by the names of their files.
const LANGUAGES: [&str; 10] =
    ["en", "es", "vi", "zh-Hans", "zh-Hant", "fr", "pt", "de", "ja", "id"];

/// `cargo xtask acts [--wrong LANGUAGE]`: prints the share of the blind sentences whose act is told right, by
/// language. `cargo xtask acts train` trains it anew, `acts --text TEXT` tells the acts of one text.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => measure(None),
        [train] if train == "train" => learn(),
        [wrong, language] if wrong == "--wrong" => measure(Some(language)),
        [text, words] if text == "--text" => tell(words),
        _ => bail!("there is `acts`, `acts train`, `acts --wrong LANGUAGE` and `acts --text TEXT`"),
    }
}

/// The folder of the examples and of the trained classifier.
fn folder() -> PathBuf {
    crate::root().join("crates/waypost/acts")
}

fn read(path: &Path) -> Result<Vec<Example>> {
    let lines = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    model::examples(&lines).with_context(|| path.display().to_string())
}

/// The examples of the languages that are wanted, in the order of the languages.
fn examples(wanted: fn(Language) -> bool) -> Result<Vec<Example>> {
    let mut all = Vec::new();
    for tag in LANGUAGES.iter().filter(|tag| Language::from_tag(tag).is_some_and(wanted)) {
        all.extend(read(&folder().join(format!("{tag}.jsonl")))?);
    }
    Ok(all)
}

fn learn() -> Result<()> {
    train("acts.bin", &examples(model::has_many)?)?;
    train("acts_all.bin", &examples(|_| true)?)?;
    crate::print("build again to measure them");
    Ok(())
}

/// Trains a classifier on examples and writes it beside them.
fn train(file: &str, examples: &[Example]) -> Result<()> {
    let bundle = model::learn(examples, &mut |_| ())?;
    let metrics = bundle.metrics();
    let path = folder().join(file);
    fs::write(&path, bundle.to_bytes()).with_context(|| path.display().to_string())?;
    crate::print(&format!(
        "{file}: {} examples; held out {:.1}% right, calibration error {:.1}%",
        examples.len(),
        100.0 * metrics.accuracy,
        100.0 * metrics.ece,
    ));
    Ok(())
}

/// The sentences of which nobody may look at those that are wrong, or they are blind no longer, are those of
/// `spec/acts`.
fn measure(shown: Option<&str>) -> Result<()> {
    let situation = Situation { asks: true, follows: true };
    crate::print(
        "| language | sentences | right % | right with names unmasked % |\n|---|--:|--:|--:|",
    );
    for language in LANGUAGES {
        let spoken = Language::from_tag(language).context("a language of ours")?;
        let cases = read(&crate::root().join(format!("spec/acts/{language}.jsonl")))?;
        let told = |text: String| acts(&text, spoken, situation).best();
        let share = |words: fn(&Example) -> String| {
            let right = cases.iter().filter(|case| told(words(case)) == case.act).count();
            100.0 * right as f64 / cases.len().max(1) as f64
        };
        let (masked, plain) = (share(Example::masked), share(Example::plain));
        crate::print(&format!("| {language} | {} | {masked:.1} | {plain:.1} |", cases.len()));
        if shown == Some(language) {
            cases
                .iter()
                .filter(|case| told(case.masked()) != case.act)
                .for_each(|case| show(case, spoken));
        }
    }
    Ok(())
}

/// Prints the likeliest acts of a text, in which braces may stand around names.
fn tell(words: &str) -> Result<()> {
    let example = Example { text: words.to_owned(), act: Act::Other };
    let spoken = extract::detect(&Text::new(words), &Language::ALL).unwrap_or(Language::En);
    for (what, asks, follows) in
        [("asked", true, true), ("done", false, true), ("new", false, false)]
    {
        let acts = acts(&example.masked(), spoken, Situation { asks, follows });
        let mut all = Act::ALL.map(|(act, name)| (acts.share(act), name));
        all.sort_by(|one, other| other.0.total_cmp(&one.0));
        let likely: Vec<String> =
            all[..4].iter().map(|(p, name)| format!("{name} {p:.2}")).collect();
        crate::print(&format!("{what:6} {}", likely.join(", ")));
    }
    Ok(())
}

fn show(case: &Example, spoken: Language) {
    let told: Act = acts(&case.masked(), spoken, Situation { asks: true, follows: true }).best();
    crate::print(&format!("{} -> {told} | {}", case.act, case.text));
}
