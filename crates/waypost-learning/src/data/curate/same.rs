//! Finds statements about the same text, and about texts that are nearly the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use waypost_core::records::label::LabelKind;
use waypost_core::similarity::Shingles;

use super::statements::{Aim, Statement, Who};
use super::{CurationReport, Group, Limits, Reason};

/// Returns a text without signs and spaces: texts with the same key are the same.
fn key(seen: &str) -> String {
    let key: String = seen.chars().filter(|c| c.is_alphanumeric() || *c == '‹').collect();
    if key.is_empty() { seen.to_owned() } else { key }
}

/// Returns the statements that are left once all that speak of the same text have voted: a session
/// has one vote, a person's counts twice, and texts in `known`, the pack's own, are not voted on.
pub(super) fn vote<'a, 'k>(
    statements: Vec<Statement<'a>>,
    known: impl Iterator<Item = &'k str>,
    report: &mut CurationReport,
) -> Vec<Group<'a>> {
    let known: BTreeSet<String> = known.map(key).collect();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut texts: Vec<Vec<Statement<'a>>> = Vec::new();
    for statement in statements {
        let key = key(&statement.seen);
        if known.contains(&key) {
            report.drop(Reason::InPack, 1);
            continue;
        }
        let place = *places.entry(key).or_insert_with(|| {
            texts.push(Vec::new());
            texts.len() - 1
        });
        texts[place].push(statement);
    }
    texts.into_iter().filter_map(|said| settle(said, report)).collect()
}

/// Returns the group of the aim that most say of one text; `None` where two have as many.
fn settle<'a>(said: Vec<Statement<'a>>, report: &mut CurationReport) -> Option<Group<'a>> {
    let total = said.len();
    let mut votes: BTreeMap<Who<'a>, &Statement<'a>> = BTreeMap::new();
    for statement in &said {
        // A session's latest statement counts, unless it is weaker than an earlier one.
        let vote = votes.entry(statement.who).or_insert(statement);
        if statement.label.kind.is_gold() || !vote.label.kind.is_gold() {
            *vote = statement;
        }
    }
    let mut counts: BTreeMap<&Aim<'a>, usize> = BTreeMap::new();
    for vote in votes.values() {
        *counts.entry(&vote.aim).or_default() += if vote.label.kind.is_gold() { 2 } else { 1 };
    }
    let most = counts.values().copied().max()?;
    let mut first = counts.iter().filter(|(_, count)| **count == most).map(|(aim, _)| *aim);
    let (Some(aim), None) = (first.next().cloned(), first.next()) else {
        report.drop(Reason::Tied, total);
        return None;
    };
    let for_it = votes.values().filter(|vote| vote.aim == aim);
    let backers: BTreeMap<Who<'a>, LabelKind> =
        for_it.map(|vote| (vote.who, vote.label.kind)).collect();
    let mut same: Vec<Statement<'a>> =
        said.into_iter().filter(|s| s.aim == aim && backers.contains_key(&s.who)).collect();
    report.drop(Reason::Outvoted, total - same.len());
    let labels = same.len();
    Some(Group { first: same.swap_remove(0), backers, labels })
}

/// The number of bands of a MinHash signature, and of minima in a band: texts that share 80% of
/// their pieces share a band with 99 of 100, texts that share 40% with one in eight.
const BANDS: usize = 10;
const ROWS: usize = 4;
/// Texts of one band that a text is compared with; any more are taken as unlike it.
const MOST_LIKE: usize = 16;

/// Joins groups with the same aim whose texts are nearly the same: the first stands for all.
pub(super) fn collapse<'a>(groups: Vec<Group<'a>>, limits: &Limits) -> Vec<Group<'a>> {
    let mut kept: Vec<Group<'a>> = Vec::with_capacity(groups.len());
    let mut kept_pieces: Vec<Shingles> = Vec::new();
    let mut by_band: HashMap<(usize, [u64; ROWS]), Vec<usize>> = HashMap::new();
    for group in groups {
        let pieces = pieces(&group.first.seen);
        let bands = pieces.bands::<BANDS, ROWS>();
        let near = |at: &&usize| {
            kept[**at].first.aim == group.first.aim
                && kept[**at].first.label.language == group.first.label.language
                && kept_pieces[**at].share(&pieces) >= limits.same
        };
        let like = bands.into_iter().enumerate().filter_map(|band| by_band.get(&band));
        if let Some(at) = like.flatten().find(near).copied() {
            join(&mut kept[at], group);
            continue;
        }
        for band in bands.into_iter().enumerate() {
            let like = by_band.entry(band).or_default();
            if like.len() < MOST_LIKE {
                like.push(kept.len());
            }
        }
        kept.push(group);
        kept_pieces.push(pieces);
    }
    kept
}

fn join<'a>(into: &mut Group<'a>, group: Group<'a>) {
    for (who, kind) in group.backers {
        let strongest = into.backers.entry(who).or_insert(kind);
        *strongest = kind.max(*strongest);
    }
    into.labels += group.labels;
}

/// Returns the pieces of a text with its edges, where all white space is one space.
fn pieces(seen: &str) -> Shingles {
    let words: Vec<&str> = seen.split_whitespace().collect();
    Shingles::of(&format!(" {} ", words.join(" ")).chars().collect::<Vec<char>>())
}
