//! What a sentence encoder says of the tools of a catalog, where one is configured.
//!
//! Cosines of different encoders cannot be compared, and some tools are near to every text. So a tool counts by how much
//! nearer a text is to it than everyday requests are, in the spread of those: the same scale for every encoder. An encoder
//! is asked only about languages that it knows, which is found out with pairs of words that mean the same.

use waypost_core::Result;
use waypost_core::ports::encoder::Encoder;
use waypost_text::language::Language;

use super::entry::Written;
use super::lexicon::phrasings;
use super::vectors::dot;
use super::words::spelled;
use crate::everyday::requests;

/// The most tools that an encoder reads: ten seconds of one thread for an encoder of 22 million weights.
const MOST_TOOLS: usize = 2_000;
/// The most characters of a description that it reads; encoders cut near there anyway.
const LONGEST: usize = 400;
/// The everyday requests by which a tool's usual nearness is told.
const USUAL: usize = 64;
/// The pairs of words by which its languages are told.
const PAIRS: usize = 32;
/// The share of pairs that it must match in a language that it knows; by chance it matches one.
const KNOWS: f64 = 0.6;
/// The spreads that are one unit of what is returned: a tool that is surely meant has about one.
const UNIT: f32 = 10.0;

/// The tools of a catalog as an encoder sees them.
#[derive(Debug)]
pub(crate) struct Meanings {
    encoder: String,
    languages: Vec<Language>,
    /// The vector of each tool, of length 1.
    tools: Vec<Vec<f32>>,
    /// The cosine of each tool with an everyday request, in the mean.
    usual: Vec<f32>,
    /// The standard deviation of these cosines.
    spread: f32,
}

impl Meanings {
    /// Reads tools with an encoder; `None` if they are too many.
    ///
    /// # Errors
    ///
    /// Those of the encoder.
    pub(crate) fn read(encoder: &dyn Encoder, tools: &[Written]) -> Result<Option<Self>> {
        if tools.is_empty() || tools.len() > MOST_TOOLS {
            return Ok(None);
        }
        let texts: Vec<String> = tools.iter().map(text).collect();
        let tools = encoder.encode_all(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
        let everyday: Vec<&str> = requests(&[Language::En]).map(|(_, text)| text).collect();
        let step = everyday.len().div_ceil(USUAL).max(1);
        let everyday: Vec<&str> = everyday.into_iter().step_by(step).collect();
        let everyday = encoder.encode_all(&everyday)?;
        let cosines = |tool: &Vec<f32>| everyday.iter().map(|other| dot(tool, other)).collect();
        let cosines: Vec<Vec<f32>> = tools.iter().map(cosines).collect();
        let count = everyday.len().max(1) as f32;
        let usual: Vec<f32> = cosines.iter().map(|all| all.iter().sum::<f32>() / count).collect();
        let off = cosines.iter().zip(&usual).flat_map(|(all, mean)| {
            all.iter().map(move |cosine| (cosine - mean) * (cosine - mean))
        });
        let spread = (off.sum::<f32>() / (count * tools.len() as f32)).sqrt().max(1e-3);
        let encoder_id = encoder.id().to_owned();
        Ok(Some(Self { encoder: encoder_id, languages: known(encoder)?, tools, usual, spread }))
    }

    /// Returns whether it tells anything of a text in a language, by the encoder of that id.
    pub(crate) fn knows(&self, encoder: &str, language: Language) -> bool {
        self.encoder == encoder && self.languages.contains(&language)
    }

    /// How near a vector is to a tool beside what is usual; 0 is usual, and 1 about as near as the request for it.
    pub(crate) fn nearness(&self, tool: usize, vector: &[f32]) -> f32 {
        (dot(&self.tools[tool], vector) - self.usual[tool]) / (UNIT * self.spread)
    }
}

/// A tool as an encoder reads it.
fn text(written: &Written) -> String {
    let description: String = written.description.chars().take(LONGEST).collect();
    format!("{}: {description}", spelled(&written.name))
}

/// The languages that an encoder knows, beside English, which it must.
fn known(encoder: &dyn Encoder) -> Result<Vec<Language>> {
    let phrasings = phrasings();
    let mut languages = vec![Language::En];
    for language in [Language::Es, Language::Vi, Language::ZhHans, Language::ZhHant] {
        let pairs = phrasings.iter().filter_map(|phrasing| {
            let own = phrasing.words(language).first()?;
            let english = phrasing.words(Language::En).first()?;
            (own != english).then_some((english.as_str(), own.as_str()))
        });
        let pairs: Vec<(&str, &str)> = pairs.collect();
        let step = (pairs.len() / PAIRS).max(1);
        let pairs: Vec<(&str, &str)> = pairs.into_iter().step_by(step).take(PAIRS).collect();
        let english = encoder.encode_all(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>())?;
        let own = encoder.encode_all(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>())?;
        let nearest = |vector: &Vec<f32>| {
            let by_cosine = |a: &usize, b: &usize| {
                dot(&english[*a], vector).total_cmp(&dot(&english[*b], vector))
            };
            (0..english.len()).max_by(by_cosine)
        };
        let matched = own.iter().enumerate().filter(|(at, vector)| nearest(vector) == Some(*at));
        if matched.count() as f64 >= KNOWS * pairs.len().max(1) as f64 {
            languages.push(language);
        }
    }
    Ok(languages)
}
