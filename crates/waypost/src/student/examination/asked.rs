//! Questions as a student sees them, and its answers to them.

use waypost_core::error::Result;
use waypost_core::ports::encoder::Encoder;
use waypost_core::records::request::Request;
use waypost_learning::{Bundle, Input, OUT_OF_SCOPE, Scores, Scratch, unmasked};

use super::ExamQuestion;
use crate::pack::Pack;
use crate::student::heads::{head_of, likeliest};
use crate::understand::ingest;

/// The instant of questions that name none; values are masked whatever it is.
const INSTANT: &str = "2025-01-15T09:00:00Z";

/// A text as a student sees it.
pub(super) struct Seen {
    pub(super) masked: String,
    language: &'static str,
    vector: Option<Vec<f32>>,
}

impl Seen {
    pub(super) fn scores(&self, bundle: &Bundle, encoder: Option<&dyn Encoder>) -> Scores {
        // A vector of another encoder than it was trained with says nothing to it.
        let own = bundle.encoder().zip(encoder).is_some_and(|(head, with)| head.id == with.id());
        let vector = self.vector.as_deref().filter(|_| own);
        let input = Input { text: &self.masked, language: Some(self.language), vector };
        bundle.score(input, &mut Scratch::default())
    }
}

/// Texts with their languages as a student sees them.
pub(super) fn seen<'a>(
    pack: &Pack,
    encoder: Option<&dyn Encoder>,
    texts: impl Iterator<Item = (&'a str, Option<&'a str>)>,
) -> Result<Vec<Seen>> {
    let mut seen = Vec::new();
    for (text, language) in texts {
        let request = Request {
            language: language.map(str::to_owned),
            now: Some(INSTANT.to_owned()),
            ..Request::new(text.to_owned())
        };
        let turn = ingest(pack, &request, request.context.clone())?;
        let language = turn.said.language.tag();
        seen.push(Seen { masked: turn.said.masked().to_owned(), language, vector: None });
    }
    let Some(encoder) = encoder else { return Ok(seen) };
    let plain: Vec<String> = seen.iter().map(|seen| unmasked(&seen.masked)).collect();
    let texts: Vec<&str> = plain.iter().map(String::as_str).collect();
    for (seen, vector) in seen.iter_mut().zip(encoder.encode_all(&texts)?) {
        seen.vector = Some(vector);
    }
    Ok(seen)
}

/// A question as a student sees it, with the right answer.
pub(super) struct Asked {
    pub(super) seen: Seen,
    route: String,
    head: Option<String>,
}

impl Asked {
    pub(super) fn truth(&self) -> String {
        class(&self.route, self.head.as_deref())
    }

    pub(super) fn is_out_of_scope(&self) -> bool {
        self.route == OUT_OF_SCOPE
    }

    /// The likeliest route by these scores, with the likeliest tool where that route runs tools and
    /// it is known which tool is right.
    pub(super) fn answer(&self, pack: &Pack, bundle: &Bundle, scores: &Scores) -> String {
        let (route, head) = likeliest(pack, bundle, scores);
        let is_unknown = route == self.route && self.head.is_none();
        class(route, head.filter(|_| !is_unknown))
    }
}

/// The questions whose route the pack has.
pub(super) fn asked(
    pack: &Pack,
    encoder: Option<&dyn Encoder>,
    questions: &[&ExamQuestion],
) -> Result<Vec<Asked>> {
    let known = |name: &str| name == OUT_OF_SCOPE || pack.route(name).is_some();
    let questions: Vec<&&ExamQuestion> = questions.iter().filter(|q| known(&q.route)).collect();
    let texts = questions.iter().map(|q| (q.text.as_str(), q.language.as_deref()));
    let seen = seen(pack, encoder, texts)?.into_iter().zip(&questions);
    let asked = seen.map(|(seen, question)| Asked {
        seen,
        route: question.route.clone(),
        head: question.tools.first().and_then(|tool| head_of(pack, tool)),
    });
    Ok(asked.collect())
}

fn class(route: &str, head: Option<&str>) -> String {
    match head {
        Some(head) => format!("{route} {head}"),
        None => route.to_owned(),
    }
}
