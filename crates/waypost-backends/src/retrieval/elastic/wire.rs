//! The JSON that is sent to a search server and that comes back.

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use waypost_core::Result;
use waypost_core::ports::retrieval::Passage;
use waypost_text::language::Language;

use super::{Fields, Flavor, fault};

/// The weight of a heading beside a word of the passage; as in the index of this program.
const TITLE_WEIGHT: u32 = 3;
/// The number of candidates that are looked at for each nearest vector that is wanted.
const CANDIDATES: usize = 10;
/// The most candidates that a server takes.
const MAX_CANDIDATES: usize = 10_000;
/// The longest passage that is taken, in characters.
const MAX_CHARACTERS: usize = 8000;

/// A search for words.
pub(super) fn by_words(fields: &Fields, question: &str, size: usize) -> Json {
    let title = format!("{}^{TITLE_WEIGHT}", fields.title);
    json!({
        "size": size,
        "_source": source(fields),
        "query": { "multi_match": { "query": question, "fields": [title, fields.text] } },
    })
}

/// A search for the nearest vectors.
pub(super) fn by_vector(
    flavor: Flavor,
    fields: &Fields,
    field: &str,
    vector: &[f32],
    size: usize,
) -> Json {
    match flavor {
        Flavor::Elasticsearch => json!({
            "size": size,
            "_source": source(fields),
            "knn": {
                "field": field,
                "query_vector": vector,
                "k": size,
                "num_candidates": size.saturating_mul(CANDIDATES).min(MAX_CANDIDATES),
            },
        }),
        Flavor::OpenSearch => json!({
            "size": size,
            "_source": source(fields),
            "query": { "knn": { field: { "vector": vector, "k": size } } },
        }),
    }
}

fn source(fields: &Fields) -> Json {
    json!([fields.text, fields.title, fields.document, fields.language])
}

#[derive(Deserialize)]
struct Answer {
    hits: Hits,
    #[serde(default)]
    timed_out: bool,
}

#[derive(Deserialize)]
struct Hits {
    hits: Vec<Hit>,
}

#[derive(Deserialize)]
struct Hit {
    #[serde(rename = "_id", default)]
    id: String,
    #[serde(rename = "_score", default)]
    score: Option<f64>,
    #[serde(rename = "_source", default)]
    source: Map<String, Json>,
}

/// Reads the passages of an answer, the best first. A hit without words is left out.
pub(super) fn passages(fields: &Fields, body: &[u8]) -> Result<Vec<Passage>> {
    let answer: Answer =
        serde_json::from_slice(body).map_err(|error| fault::malformed(&error.to_string()))?;
    if answer.timed_out && answer.hits.hits.is_empty() {
        return Err(fault::SERVER.late());
    }
    let passages = answer.hits.hits.into_iter().filter_map(|hit| {
        let text = |name: &str| hit.source.get(name).and_then(Json::as_str);
        let words: String = text(&fields.text)?.chars().take(MAX_CHARACTERS).collect();
        Some(Passage {
            document: text(&fields.document).unwrap_or(&hit.id).to_owned(),
            headings: text(&fields.title).map(str::to_owned).into_iter().collect(),
            language: text(&fields.language).and_then(Language::from_tag).unwrap_or(Language::En),
            text: words,
            score: hit.score.unwrap_or_default(),
        })
    });
    Ok(passages.collect())
}
