//! Asks several retrievers at once and fuses their lists by the ranks in them.
//!
//! Scores are not used: those of BM25 and a cosine cannot be compared. A retriever that fails is
//! named and the others answer; only where all fail is there no answer.

use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::join_all;
use waypost_core::Result;
use waypost_core::ports::retrieval::{Found, Passage, Retriever};
use waypost_text::language::Language;

/// The constant of reciprocal rank fusion: the larger, the less the first ranks count more than the
/// later ones. Source: Cormack, Clarke and Büttcher 2009, "Reciprocal Rank Fusion outperforms
/// Condorcet and individual Rank Learning Methods".
const K: f64 = 60.0;

/// The number of passages that each retriever is asked for, times those that are wanted: a passage
/// in the middle of two of their lists may be the best of all.
const DEPTH: usize = 3;

/// Retrievers by their names in records, asked together.
#[derive(Debug)]
pub struct Fused {
    members: Vec<(String, Arc<dyn Retriever>)>,
}

impl Fused {
    /// A retriever over these; where several rank a passage alike, the first of them counts.
    pub fn new(members: Vec<(String, Arc<dyn Retriever>)>) -> Self {
        Self { members }
    }
}

#[async_trait]
impl Retriever for Fused {
    async fn search(
        &self,
        question: &str,
        language: Language,
        limit: usize,
    ) -> Result<Vec<Passage>> {
        Ok(self.find(question, language, limit).await?.passages)
    }

    async fn find(&self, question: &str, language: Language, limit: usize) -> Result<Found> {
        let asked = self.members.iter().map(|(name, retriever)| async move {
            (name, retriever.find(question, language, limit.saturating_mul(DEPTH)).await)
        });
        let mut lists = Vec::with_capacity(self.members.len());
        let mut failed = Vec::new();
        for (name, found) in join_all(asked).await {
            match found {
                Ok(found) => {
                    lists.push(found.passages);
                    failed.extend(found.failed);
                }
                Err(error) => failed.push((name.clone(), error)),
            }
        }
        match (lists.is_empty(), failed.pop()) {
            (true, Some((_, error))) => Err(error),
            (_, last) => {
                failed.extend(last);
                Ok(Found { passages: fuse(lists, limit), failed })
            }
        }
    }
}

/// Returns one list of the best passages of several, each the best first; a passage that stands in
/// two is one, and its score is the sum of `1 / (60 + rank)`.
pub fn fuse(lists: Vec<Vec<Passage>>, limit: usize) -> Vec<Passage> {
    let mut fused: Vec<Passage> = Vec::new();
    for list in lists {
        for (index, passage) in list.into_iter().enumerate() {
            let worth = 1.0 / (K + index as f64 + 1.0);
            let known = fused.iter_mut().find(|known| is_same(known, &passage));
            match known {
                Some(known) => known.score += worth,
                None => fused.push(Passage { score: worth, ..passage }),
            }
        }
    }
    // The sort is stable, so that passages of equal score stay in the order of the lists.
    fused.sort_by(|a, b| b.score.total_cmp(&a.score));
    fused.truncate(limit);
    fused
}

fn is_same(a: &Passage, b: &Passage) -> bool {
    a.document == b.document && a.headings == b.headings && a.text == b.text
}

#[cfg(test)]
mod tests {
    use waypost_core::{Code, Error};

    use super::*;

    #[derive(Debug)]
    struct Fixed(std::result::Result<Vec<&'static str>, Code>);

    #[async_trait]
    impl Retriever for Fixed {
        async fn search(&self, _: &str, _: Language, limit: usize) -> Result<Vec<Passage>> {
            match &self.0 {
                Ok(texts) => Ok(texts.iter().take(limit).map(|text| passage(text)).collect()),
                Err(code) => Err(Error::new(*code, "it is down")),
            }
        }
    }

    fn passage(text: &str) -> Passage {
        Passage {
            document: "d".to_owned(),
            headings: Vec::new(),
            language: Language::En,
            text: text.to_owned(),
            score: 1.0,
        }
    }

    fn member(
        name: &str,
        found: std::result::Result<Vec<&'static str>, Code>,
    ) -> (String, Arc<dyn Retriever>) {
        (name.to_owned(), Arc::new(Fixed(found)))
    }

    async fn find(members: Vec<(String, Arc<dyn Retriever>)>, limit: usize) -> Result<Found> {
        Fused::new(members).find("q", Language::En, limit).await
    }

    fn texts(found: &Found) -> Vec<&str> {
        found.passages.iter().map(|passage| passage.text.as_str()).collect()
    }

    #[tokio::test]
    async fn s4_33_ranks_are_fused_and_a_passage_of_two_lists_is_one() {
        let words = member("bm25", Ok(vec!["a", "b", "c"]));
        let meaning = member("vectors", Ok(vec!["c", "d"]));
        let found = find(vec![words, meaning], 10).await.unwrap();
        assert_eq!(texts(&found), ["c", "a", "b", "d"]);
        let wanted = 1.0 / 63.0 + 1.0 / 61.0;
        assert!((found.passages[0].score - wanted).abs() < 1e-12);
        assert!(found.failed.is_empty());
    }

    #[tokio::test]
    async fn what_stands_low_in_both_lists_may_be_the_best() {
        let words = member("bm25", Ok(vec!["a", "b", "x"]));
        let meaning = member("vectors", Ok(vec!["c", "d", "x"]));
        assert_eq!(texts(&find(vec![words, meaning], 1).await.unwrap()), ["x"]);
    }

    #[tokio::test]
    async fn one_that_fails_is_named_and_the_others_answer() {
        let members =
            vec![member("bm25", Ok(vec!["a"])), member("vectors", Err(Code::Unavailable))];
        let found = find(members, 3).await.unwrap();
        assert_eq!(texts(&found), ["a"]);
        let failed: Vec<(&str, Code)> =
            found.failed.iter().map(|(name, error)| (name.as_str(), error.code())).collect();
        assert_eq!(failed, [("vectors", Code::Unavailable)]);
    }

    #[tokio::test]
    async fn where_all_fail_there_is_no_answer() {
        let members =
            vec![member("a", Err(Code::DeadlineExceeded)), member("b", Err(Code::Unavailable))];
        assert_eq!(find(members, 3).await.unwrap_err().code(), Code::Unavailable);
        assert!(find(Vec::new(), 3).await.unwrap().passages.is_empty());
    }

    #[test]
    fn nothing_is_lost_or_made_up_by_fusing() {
        let lists = || vec![vec![passage("a"), passage("b")], vec![], vec![passage("b")]];
        assert_eq!(fuse(lists(), 10).len(), 2);
        assert_eq!(fuse(lists(), 1)[0].text, "b");
        assert!(fuse(lists(), 0).is_empty());
    }
}
