//! Opens an encoder's folder and turns texts into vectors.

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::config::{self, Config};
use crate::error::{Error, Result};
use crate::folder;
use crate::kernels::Level;
use crate::model::{Model, Precision, Scratch};
use crate::safetensors::SafeTensors;
use crate::tokenizer::{Tokenizer, Vocabulary};

/// A text has at most this many tokens, or as many as its encoder can take; the rest is cut off.
/// Questions have a tenth of it, and attention costs the square.
pub const MAX_TOKENS: usize = 512;
/// The most tokens of texts that are computed together: more do not fit into the cache.
const BATCH_TOKENS: usize = 256;
/// Rooms that are kept for threads that encode at the same time.
const MAX_ROOMS: usize = 16;

/// The files of a folder that are read, and whether an encoder needs each.
pub const FILES: [(&str, bool); 6] = [
    ("config.json", true),
    ("tokenizer.json", true),
    ("model.safetensors", true),
    ("modules.json", false),
    ("1_Pooling/config.json", false),
    ("sentence_bert_config.json", false),
];

/// The outline of a folder's encoder, read without its weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The kind of encoder, as its file names it.
    pub kind: String,
    /// The number of entries of a vector.
    pub dimensions: usize,
    /// The number of layers.
    pub layers: usize,
}

/// Reads the outline of a folder's encoder.
///
/// # Errors
///
/// A `config.json` that is missing, damaged, or of a kind that is not known.
pub fn outline(folder: &Path) -> Result<Outline> {
    let config = Config::parse(&folder::required(folder, "config.json")?)?;
    Ok(Outline { kind: config.kind, dimensions: config.hidden, layers: config.layers })
}

/// The options of opening an encoder.
#[derive(Debug, Clone, Default)]
pub struct EncoderOptions {
    /// The precision in which its weights are kept and multiplied.
    pub precision: Precision,
    /// The instructions; without it the fastest that the processor has.
    pub level: Option<Level>,
}

/// A sentence encoder: texts in, vectors of length 1 out.
///
/// It can be used by several threads at a time; each call computes on the thread that calls.
pub struct Encoder {
    id: String,
    tokenizer: Tokenizer,
    model: Model,
    level: Level,
    longest: usize,
    rooms: Mutex<Vec<Scratch>>,
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").field("id", &self.id).field("level", &self.level).finish()
    }
}

impl Encoder {
    /// Opens the encoder of a folder with `config.json`, `tokenizer.json` and `model.safetensors`;
    /// `modules.json` and the file of its pooling are read where they are there.
    ///
    /// # Errors
    ///
    /// A file or a tensor that is missing, damaged, or of a kind that is not known.
    pub fn open(folder: &Path, precision: Precision) -> Result<Self> {
        Self::open_with(folder, &EncoderOptions { precision, level: None })
    }

    /// Opens the encoder of a folder on certain instructions.
    ///
    /// # Errors
    ///
    /// As [`Encoder::open`].
    pub fn open_with(folder: &Path, options: &EncoderOptions) -> Result<Self> {
        let config_bytes = folder::required(folder, "config.json")?;
        let config = Config::parse(&config_bytes)?;
        let pooling = config::pooling(folder)?;
        let trained = config::trained_length(folder)?.unwrap_or(MAX_TOKENS);
        let longest = config.longest().min(trained).min(MAX_TOKENS);
        let mut file = SafeTensors::open(folder)?;
        let level = options.level.unwrap_or_else(Level::best);
        let vocabulary = config.vocabulary;
        let model = Model::load(&mut file, config, pooling, options.precision, level, longest)?;
        let tokenizer_bytes = folder::required(folder, "tokenizer.json")?;
        let tokenizer = Tokenizer::parse(&tokenizer_bytes)?;
        if tokenizer.size() > vocabulary {
            let message = format!(
                "`tokenizer.json` has {} tokens, and the model has rows for {vocabulary}",
                tokenizer.size()
            );
            let hint = "tokenizer.json and model.safetensors are of different models";
            return Err(Error::invalid(message).hint(hint));
        }
        let mut checksum = file.checksum();
        checksum.add(&config_bytes);
        checksum.add(&tokenizer_bytes);
        let name = folder.canonicalize().ok();
        let name = name.as_deref().unwrap_or(folder).file_name().unwrap_or_default();
        let id =
            format!("{}-{}@{}", name.to_string_lossy(), options.precision.name(), checksum.text());
        Ok(Self { id, tokenizer, model, level, longest, rooms: Mutex::default() })
    }

    /// The folder's name, the precision, and a checksum of weights and tokenizer.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the number of entries of a vector.
    pub fn dimensions(&self) -> usize {
        self.model.config.hidden
    }

    /// Returns the kind of encoder, as its file names it: `bert`, `xlm-roberta`.
    pub fn kind(&self) -> &str {
        &self.model.config.kind
    }

    /// The instructions that it computes with.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The most tokens that a text has, those that begin and end it included.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Returns the vector of a text; of length 1.
    ///
    /// # Errors
    ///
    /// A tokenizer that cannot cut the text, or weights so large that the vector has no length.
    pub fn encode(&self, text: &str) -> Result<Vec<f32>> {
        let ids = self.token_ids(text)?;
        Ok(self.encode_ids(&[&ids])?.pop().unwrap_or_default())
    }

    /// Returns the vectors of texts, in their order; faster than one by one.
    ///
    /// # Errors
    ///
    /// As [`Encoder::encode`] for any of them.
    pub fn encode_batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let ids = texts.iter().map(|text| self.token_ids(text)).collect::<Result<Vec<_>>>()?;
        let ids: Vec<&[u32]> = ids.iter().map(Vec::as_slice).collect();
        self.encode_ids(&ids)
    }

    /// Returns the tokens of a text, with those that begin and end one, at most
    /// [`Encoder::longest`].
    ///
    /// # Errors
    ///
    /// A tokenizer that cannot cut the text.
    pub fn token_ids(&self, text: &str) -> Result<Vec<u32>> {
        self.tokenizer.ids(text, self.longest)
    }

    /// Returns the vectors of texts that are tokens already, such as `[CLS] word [SEP]`; cut like
    /// texts.
    ///
    /// # Errors
    ///
    /// An id that the encoder has no row for, or weights so large that a vector has no length.
    pub fn encode_ids(&self, texts: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let texts: Vec<&[u32]> =
            texts.iter().map(|ids| &ids[..ids.len().min(self.longest)]).collect();
        let known = self.model.config.vocabulary;
        if let Some(id) = texts.iter().flat_map(|ids| *ids).find(|id| **id as usize >= known) {
            let message = format!("the token {id} is not among the {known} of the model");
            return Err(Error::invalid(message));
        }
        let mut room = self.rooms().pop().unwrap_or_default();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut begin = 0;
        while begin < texts.len() {
            let end = begin + together(&texts[begin..]);
            vectors.extend(self.model.pool(&texts[begin..end], &mut room));
            begin = end;
        }
        let mut rooms = self.rooms();
        if rooms.len() < MAX_ROOMS {
            rooms.push(room);
        }
        drop(rooms);
        vectors.into_iter().map(normalized).collect()
    }

    /// Returns all tokens, and how text is cut into them: a table of single tokens is made from
    /// them.
    pub fn vocabulary(&self) -> Vocabulary {
        self.tokenizer.vocabulary()
    }

    /// Returns the embedding of a token before any layer; `None` for an unknown id.
    pub fn word(&self, id: u32) -> Option<Vec<f32>> {
        let id = usize::try_from(id).ok().filter(|id| *id < self.model.config.vocabulary)?;
        let mut row = vec![0.0; self.dimensions()];
        self.model.words.read(id, &mut row);
        Some(row)
    }

    fn rooms(&self) -> std::sync::MutexGuard<'_, Vec<Scratch>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how many of the first texts are computed together; at least one.
fn together(texts: &[&[u32]]) -> usize {
    let mut tokens = 0;
    let fits = texts.iter().take_while(|ids| {
        tokens += ids.len();
        tokens <= BATCH_TOKENS
    });
    fits.count().max(1)
}

fn normalized(mut vector: Vec<f32>) -> Result<Vec<f32>> {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length < f64::from(f32::MIN_POSITIVE) {
        let message = format!("the vector of this text has the length {length}");
        return Err(Error::invalid(message).hint("the weights of the encoder are damaged"));
    }
    let scale = 1.0 / length;
    vector.iter_mut().for_each(|value| *value = (f64::from(*value) * scale) as f32);
    Ok(vector)
}
