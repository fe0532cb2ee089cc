//! The configuration of a search server. It is read whether or not the client is built in (feature `elasticsearch`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::llm::Secret;

/// The kind of server; they differ in how vectors are asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Flavor {
    /// Elasticsearch 8 and later.
    #[default]
    Elasticsearch,
    /// OpenSearch 2 and later.
    OpenSearch,
}

/// The fields of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fields {
    /// The words of a passage.
    pub text: String,
    /// The heading above it.
    pub title: String,
    /// The name of its document.
    pub document: String,
    /// The tag of its language.
    pub language: String,
    /// Its vector, where the index has them.
    pub vector: Option<String>,
}

impl Default for Fields {
    fn default() -> Self {
        let name = str::to_owned;
        Self {
            text: name("text"),
            title: name("title"),
            document: name("document"),
            language: name("language"),
            vector: None,
        }
    }
}

/// The address, the name and the fields of the index.
#[derive(Debug, Clone)]
pub struct ElasticConfig {
    /// The address of the server, such as `https://search.example.com:9200`.
    pub url: String,
    /// The name of the index or of an alias.
    pub index: String,
    /// The value of the header `Authorization`, such as `ApiKey …`.
    pub key: Option<Secret>,
    /// The kind of server.
    pub flavor: Flavor,
    /// Its fields.
    pub fields: Fields,
}
