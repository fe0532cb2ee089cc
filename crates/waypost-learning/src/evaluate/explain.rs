//! Explains a student's scores: the pieces of a text that spoke for a class, and the texts that are
//! like it.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::features::ngrams::{GramPosition, each_gram_at};
use crate::features::{Features, Scratch};
use crate::version::bundle::Bundle;

/// The part of a class's margin that a piece of a text adds.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// True if it is the words at both ends alone, without those between.
    pub gap: bool,
    /// The margin that it adds; below 0 it speaks against the class.
    pub margin: f32,
}

/// A class of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// By its index in [`Bundle::routes`].
    Route(usize),
    /// By its index in [`Bundle::tools`].
    Tool(usize),
}

impl Bundle {
    /// Returns what the pieces of `text`, which is NFKC and lower case, add to the margin of a
    /// class by the words alone, in their order: words, runs of characters in scripts without
    /// spaces, pairs of words.
    ///
    /// They add up to the margin without the part of the class that every text has. An unknown
    /// class has none.
    pub fn contributions(&self, text: &str, class: Class) -> Vec<Contribution> {
        let column = match class {
            Class::Route(route) => Some(route).filter(|route| *route < self.routes().len()),
            Class::Tool(tool) => {
                Some(tool + self.routes().len()).filter(|_| tool < self.tools().len())
            }
        };
        let Some(column) = column else { return Vec::new() };
        let mut scratch = Scratch::default();
        self.features.extract(text, &mut scratch);
        let weight = |bucket: u32| self.words.weight(bucket, column);
        let of_bucket: BTreeMap<u32, f32> =
            scratch.entries().iter().map(|e| (e.bucket, e.value * weight(e.bucket))).collect();
        let config = self.features.config;
        let mut grams: Vec<(u32, GramPosition)> = Vec::new();
        each_gram_at(text, &mut Vec::new(), |gram, hash, place| {
            grams.push((config.bucket(gram, hash), place));
        });
        let mut counts: BTreeMap<u32, f32> = BTreeMap::new();
        for (bucket, _) in &grams {
            *counts.entry(*bucket).or_default() += 1.0;
        }
        let mut pieces: BTreeMap<(usize, usize, bool), f32> = BTreeMap::new();
        for (bucket, place) in grams {
            // All that falls into one bucket is one feature: each of its places has a share of it.
            let all = of_bucket.get(&bucket).copied().unwrap_or_default();
            let share = all / counts.get(&bucket).copied().unwrap_or(1.0);
            let Range { start, end } = bytes(text, place);
            *pieces.entry((start, end, place.gap)).or_default() += share;
        }
        for (word, vector) in self.features.table_words(text) {
            let start = self.features.config.table_start() as u32;
            let adds = |(at, x): (u32, &f32)| x * weight(start + at);
            let margin: f32 = (0..).zip(&vector).map(adds).sum();
            *pieces.entry((word.start, word.end, false)).or_default() += margin;
        }
        let piece = |((start, end, gap), margin)| Contribution { bytes: start..end, gap, margin };
        pieces.into_iter().map(piece).collect()
    }
}

/// Returns the bytes of a text that an n-gram stands for.
fn bytes(text: &str, place: GramPosition) -> Range<usize> {
    let whole = place.start..place.end;
    let Some((from, length)) = place.part else { return whole };
    let run = text.get(whole.clone()).unwrap_or_default();
    let at = |index: usize| {
        let offset = run.char_indices().nth(index).map_or(run.len(), |(offset, _)| offset);
        place.start + offset
    };
    at(from)..at(from + length)
}

/// Returns the `most` texts of `others` that are most similar to `text`, by index and cosine (0 to
/// 1), the most similar first; of equal texts only the first.
pub fn nearest<'a>(
    features: &Features,
    text: &str,
    others: impl Iterator<Item = &'a str>,
    most: usize,
) -> Vec<(usize, f32)> {
    nearest_each(features, &[text], others, most).pop().unwrap_or_default()
}

/// Does the same as [`nearest`] for each of `texts`, with the vectors of the others computed once.
///
/// It needs a number for each bucket of the features and each text, a megabyte or so a text: give
/// it tens of texts, not thousands.
pub fn nearest_each<'a>(
    features: &Features,
    texts: &[&str],
    others: impl Iterator<Item = &'a str>,
    most: usize,
) -> Vec<Vec<(usize, f32)>> {
    let mut scratch = Scratch::default();
    let length =
        |scratch: &Scratch| scratch.entries().iter().map(|e| e.value * e.value).sum::<f32>().sqrt();
    let mut wanted = Vec::with_capacity(texts.len());
    for text in texts {
        features.extract(*text, &mut scratch);
        let mut values = vec![0.0f32; features.config.buckets()];
        for entry in scratch.entries() {
            values[entry.bucket as usize] = entry.value;
        }
        wanted.push(Wanted { values, length: length(&scratch), alike: Vec::new() });
    }
    for (index, other) in others.enumerate() {
        features.extract(other, &mut scratch);
        let other_length = length(&scratch);
        for Wanted { values, length, alike } in &mut wanted {
            let dot: f32 =
                scratch.entries().iter().map(|e| e.value * values[e.bucket as usize]).sum();
            let cosine = dot / (*length * other_length).max(f32::MIN_POSITIVE);
            let known = alike.iter().any(|(_, _, text)| *text == other);
            if cosine > 0.0 && !known {
                alike.push((index, cosine.min(1.0), other));
                alike.sort_by(|a, b| b.1.total_cmp(&a.1));
                alike.truncate(most);
            }
        }
    }
    let found = |wanted: Wanted<'_>| {
        wanted.alike.into_iter().map(|(index, cosine, _)| (index, cosine)).collect()
    };
    wanted.into_iter().map(found).collect()
}

/// A text whose neighbors are looked for.
struct Wanted<'a> {
    /// Its value in each bucket.
    values: Vec<f32>,
    /// The length of that vector.
    length: f32,
    /// The nearest so far: index, cosine and text.
    alike: Vec<(usize, f32, &'a str)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{Labelled, TrainOptions, train};

    fn bundle() -> Bundle {
        let example = |text: &str, route: &str, tools: &[&str]| Labelled {
            text: text.to_owned(),
            language: None,
            route: route.to_owned(),
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
            weight: 1.0,
        };
        let mut examples = Vec::new();
        for place in ["here", "there", "in ‹place›", "at sea"] {
            examples.push(example(&format!("high tide {place}"), "tool", &["tide"]));
            examples.push(example(&format!("how warm is it {place}"), "tool", &["sst"]));
            examples.push(example(&format!("why are waters salty {place}"), "explain", &[]));
            examples.push(example(&format!("現在海溫多少 {place}"), "tool", &["sst"]));
        }
        train(&examples, &TrainOptions::default(), None, &mut |_| {}).unwrap()
    }

    #[test]
    fn contributions_add_up_to_the_margin() {
        let bundle = bundle();
        let text = "why, oh why is the 海溫 海溫 tide high at ‹place›?";
        let mut scratch = Scratch::default();
        bundle.score(text, &mut scratch);
        for (column, class) in [Class::Route(0), Class::Route(1), Class::Tool(0), Class::Tool(1)]
            .into_iter()
            .enumerate()
        {
            let sum: f32 = bundle.contributions(text, class).iter().map(|c| c.margin).sum();
            let margin: f32 = scratch
                .entries()
                .iter()
                .map(|e| e.value * bundle.words.weight(e.bucket, column))
                .sum();
            assert!((sum - margin).abs() < 1e-4, "{class:?}: {sum} {margin}");
        }
        assert!(bundle.contributions(text, Class::Tool(9)).is_empty());
    }

    #[test]
    fn what_a_class_was_taught_with_speaks_for_it() {
        let bundle = bundle();
        let tide = bundle.tools().iter().position(|tool| tool == "tide").unwrap();
        for (text, telling) in [("is the tide fine", "tide"), ("看潮 tide 海溫", "tide")] {
            let mut pieces = bundle.contributions(text, Class::Tool(tide));
            pieces.retain(|piece| !text[piece.bytes.clone()].contains(' '));
            pieces.sort_by(|a, b| b.margin.total_cmp(&a.margin));
            assert_eq!(&text[pieces[0].bytes.clone()], telling, "{pieces:?}");
        }
        let sst = Class::Tool(1 - tide);
        let pieces = bundle.contributions("潮 海溫", sst);
        let of = |piece: &str| {
            let mut found = pieces.iter().filter(|p| &"潮 海溫"[p.bytes.clone()] == piece);
            found.next().unwrap().margin
        };
        assert!(of("海溫") > of("潮"), "{pieces:?}");
    }

    #[test]
    fn the_nearest_texts_come_first_and_once() {
        let bundle = bundle();
        let texts = ["how warm is it", "high tide here", "high tide here", "zzz", "low tide here"];
        let found = nearest(bundle.features(), "high tide here", texts.into_iter(), 2);
        assert_eq!(found.iter().map(|(index, _)| *index).collect::<Vec<_>>(), [1, 4]);
        assert!((found[0].1 - 1.0).abs() < 1e-5 && found[1].1 < 1.0, "{found:?}");
        assert!(nearest(bundle.features(), "", texts.into_iter(), 2).is_empty());
        let each = nearest_each(bundle.features(), &["", "high tide here"], texts.into_iter(), 2);
        assert_eq!(each, [Vec::new(), found]);
    }
}
