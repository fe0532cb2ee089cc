//! Reads the kind of encoder that a folder holds: its sizes, how it counts positions, how it pools.

use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, Kind, Result};
use crate::folder;

/// The most entries of a vector, of the layer between, and of heads, layers and tokens: several
/// times those of known encoders, so that a damaged file cannot ask for all memory.
const MAX_SIZES: [(&str, usize); 6] = [
    ("hidden_size", 8_192),
    ("intermediate_size", 65_536),
    ("num_attention_heads", 256),
    ("num_hidden_layers", 256),
    ("vocab_size", 4_000_000),
    ("max_position_embeddings", 1_000_000),
];

/// The way token vectors become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pooling {
    /// Their mean.
    Mean,
    /// The vector of the first token.
    First,
}

/// `config.json` as it is written.
#[derive(Debug, Deserialize)]
struct Written {
    model_type: String,
    hidden_size: usize,
    intermediate_size: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    #[serde(default)]
    type_vocab_size: usize,
    #[serde(default = "epsilon")]
    layer_norm_eps: f32,
    #[serde(default = "gelu")]
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    #[serde(default)]
    pad_token_id: usize,
}

fn epsilon() -> f32 {
    1e-12
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// The sizes of an encoder.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    /// The kind that the file names, such as `bert`.
    pub(crate) kind: String,
    pub(crate) hidden: usize,
    pub(crate) between: usize,
    pub(crate) heads: usize,
    pub(crate) layers: usize,
    pub(crate) vocabulary: usize,
    pub(crate) positions: usize,
    /// The position of the first token.
    pub(crate) first_position: usize,
    pub(crate) types: usize,
    pub(crate) epsilon: f32,
}

impl Config {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self> {
        let written: Written = folder::json("config.json", bytes)?;
        written.check()?;
        let first_position = match written.model_type.as_str() {
            "bert" => 0,
            // These keep the positions up to that of the padding token free.
            "roberta" | "xlm-roberta" | "camembert" => written.pad_token_id.saturating_add(1),
            other => {
                let message = format!("`config.json` is of a model `{other}`");
                let hint = "known: bert, roberta, xlm-roberta, camembert";
                return Err(Error::unsupported(message).hint(hint));
            }
        };
        if first_position >= written.max_position_embeddings {
            let message = format!(
                "`config.json` has {} positions and begins at {first_position}",
                written.max_position_embeddings
            );
            return Err(Error::invalid(message));
        }
        Ok(Self {
            first_position,
            kind: written.model_type,
            hidden: written.hidden_size,
            between: written.intermediate_size,
            heads: written.num_attention_heads,
            layers: written.num_hidden_layers,
            vocabulary: written.vocab_size,
            positions: written.max_position_embeddings,
            types: written.type_vocab_size,
            epsilon: written.layer_norm_eps,
        })
    }

    /// The most tokens that a text can have.
    pub(crate) fn longest(&self) -> usize {
        self.positions - self.first_position
    }
}

impl Written {
    fn check(&self) -> Result<()> {
        let sizes = [
            self.hidden_size,
            self.intermediate_size,
            self.num_attention_heads,
            self.num_hidden_layers,
            self.vocab_size,
            self.max_position_embeddings,
        ];
        for ((name, most), size) in MAX_SIZES.iter().zip(sizes) {
            if size == 0 || size > *most {
                let message = format!("`config.json` says {name} = {size}, outside 1..={most}");
                return Err(Error::invalid(message));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let message = format!(
                "`config.json` divides hidden_size = {} among {} heads",
                self.hidden_size, self.num_attention_heads
            );
            return Err(Error::invalid(message).hint("it has to be a multiple"));
        }
        if !(self.layer_norm_eps >= 0.0 && self.layer_norm_eps < 1.0) {
            let message = format!("`config.json` says layer_norm_eps = {}", self.layer_norm_eps);
            return Err(Error::invalid(message));
        }
        let parts = [
            ("hidden_act", &self.hidden_act, "gelu"),
            ("position_embedding_type", &self.position_embedding_type, "absolute"),
        ];
        for (name, said, known) in parts {
            if said != known {
                let message = format!("`config.json` says {name} = `{said}`");
                return Err(Error::unsupported(message).hint(format!("known: {known}")));
            }
        }
        Ok(())
    }
}

/// A line of `modules.json`.
#[derive(Debug, Deserialize)]
struct Module {
    #[serde(default)]
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

/// The pooling's own file; keys that are not there are false.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PoolingFile {
    pooling_mode_cls_token: bool,
    pooling_mode_mean_tokens: bool,
    pooling_mode_max_tokens: bool,
    pooling_mode_mean_sqrt_len_tokens: bool,
    pooling_mode_weightedmean_tokens: bool,
    pooling_mode_lasttoken: bool,
}

/// Returns how the folder says that token vectors become one; the mean where it says nothing.
pub(crate) fn pooling(folder: &Path) -> Result<Pooling> {
    let mut file = "1_Pooling/config.json".to_owned();
    let mut named = false;
    if let Some(bytes) = folder::optional(folder, "modules.json")? {
        let modules: Vec<Module> = folder::json("modules.json", &bytes)?;
        for module in &modules {
            match module.kind.rsplit('.').next().unwrap_or_default() {
                "Transformer" | "Normalize" => {}
                // A path that leads out of the folder is not followed.
                "Pooling" if module.path.split('/').all(|part| part != "..") => {
                    file = format!("{}/config.json", module.path);
                    named = true;
                }
                other => {
                    let message = format!("`modules.json` has a module `{other}`");
                    let hint = "known: Transformer, Pooling, Normalize";
                    return Err(Error::unsupported(message).hint(hint));
                }
            }
        }
    }
    let bytes = match folder::optional(folder, &file)? {
        Some(bytes) => bytes,
        None if !named => return Ok(Pooling::Mean),
        // A vector pooled otherwise than in training is worth little, and nobody would notice.
        None => {
            let message = format!("there is no file `{file}` in the folder");
            let hint = "modules.json speaks of it";
            return Err(Error::new(Kind::NotFound, message).hint(hint));
        }
    };
    let said: PoolingFile = folder::json(&file, &bytes)?;
    let others = said.pooling_mode_max_tokens
        || said.pooling_mode_mean_sqrt_len_tokens
        || said.pooling_mode_weightedmean_tokens
        || said.pooling_mode_lasttoken;
    match (said.pooling_mode_mean_tokens, said.pooling_mode_cls_token, others) {
        (true, false, false) => Ok(Pooling::Mean),
        (false, true, false) => Ok(Pooling::First),
        _ => {
            let message = format!("`{file}` pools in a way that is not known");
            let hint = "known: pooling_mode_mean_tokens or pooling_mode_cls_token, one of them";
            Err(Error::unsupported(message).hint(hint))
        }
    }
}

/// The part of `sentence_bert_config.json` that matters.
#[derive(Debug, Deserialize)]
struct Sentence {
    max_seq_length: Option<usize>,
}

/// Returns the most tokens that the folder was made for, if it says so.
pub(crate) fn trained_length(folder: &Path) -> Result<Option<usize>> {
    let name = "sentence_bert_config.json";
    let Some(bytes) = folder::optional(folder, name)? else { return Ok(None) };
    let said: Sentence = folder::json(name, &bytes)?;
    Ok(said.max_seq_length.filter(|length| *length > 0))
}
