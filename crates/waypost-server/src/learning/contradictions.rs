//! Says which examples contradict each other: the same text, as the student sees it, with several
//! routes. They teach nothing, so a command tells them with a count and a list, or refuses them where it
//! is strict.

use serde::Serialize;
use waypost::learning::Labelled;
use waypost::learning::data::validation;
use waypost::pack::Pack;
use waypost::student::heads::labelled;
use waypost::{Error, Result};

/// The most contradictions that a record lists.
const LISTED: usize = 100;
/// The most contradictions that a sentence names.
const NAMED: usize = 5;
/// The advice on all of them.
pub(crate) const HINT: &str =
    "keep the route that is right, or add the words that make the difference";

/// The examples that contradict each other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Contradictions {
    /// The number of texts with several routes.
    count: usize,
    /// The first of them, each with its examples.
    list: Vec<Vec<Claim>>,
}

/// An example of a text with several routes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Claim {
    /// The text, as somebody wrote it.
    text: String,
    route: String,
}

impl Contradictions {
    /// Those among the examples of a pack.
    ///
    /// # Errors
    ///
    /// As [`labelled`].
    pub(crate) fn of_pack(pack: &Pack) -> Result<Self> {
        let text = |index: usize| pack.examples[index].text.as_str();
        Ok(Self::of(&labelled(pack)?, &text))
    }

    /// Those among examples; `text` is an example's text as somebody wrote it.
    pub(crate) fn of<'a>(examples: &'a [Labelled], text: &dyn Fn(usize) -> &'a str) -> Self {
        let found = validation::contradictions(examples);
        let claims = |indices: &[usize]| {
            let claim = |index: &usize| Claim {
                text: text(*index).to_owned(),
                route: examples[*index].route.clone(),
            };
            let mut claims: Vec<Claim> = indices.iter().map(claim).collect();
            claims.sort();
            claims.dedup();
            claims
        };
        let list = found.iter().take(LISTED).map(|one| claims(&one.examples)).collect();
        Self { count: found.len(), list }
    }

    /// Returns whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Says how many there are and which, in a sentence.
    pub(crate) fn sentence(&self) -> String {
        let texts =
            if self.count == 1 { "1 text has" } else { &format!("{} texts have", self.count) };
        let named: Vec<String> = self.list.iter().take(NAMED).map(|claims| named(claims)).collect();
        let more = self.count.saturating_sub(named.len());
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        format!("{texts} several routes and so teach nothing: {}{more}", named.join("; "))
    }

    /// The error of a strict command.
    pub(crate) fn error(&self) -> Error {
        Error::invalid(self.sentence()).with_hint(HINT)
    }
}

/// A text with its routes.
fn named(claims: &[Claim]) -> String {
    let claims: Vec<String> =
        claims.iter().map(|claim| format!("`{}` is `{}`", claim.text, claim.route)).collect();
    claims.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_told_with_a_count_and_a_list() {
        let rows: Vec<Labelled> = (0..7)
            .flat_map(|n| ["a", "b"].map(|route| (format!("t{n}"), route)))
            .map(|(text, route)| Labelled {
                text,
                language: None,
                route: route.to_owned(),
                tools: Vec::new(),
                weight: 1.0,
            })
            .collect();
        let text = |index: usize| rows[index].text.as_str();
        let all = Contradictions::of(&rows, &text);
        let told = all.sentence();
        assert!(told.starts_with("7 texts have several routes"), "{told}");
        assert!(told.contains("`t0` is `a` and `t0` is `b`; `t1`"), "{told}");
        assert!(told.ends_with("and 2 more"), "{told}");
        assert!(Contradictions::of(&rows[..1], &text).is_empty());
        assert!(Contradictions::of(&rows[..2], &text).sentence().starts_with("1 text has "));
    }
}
