//! The transformer: token ids in, one vector out.
//!
//! Texts of a batch lie behind each other without padding. Multiplications take all rows at once, so
//! that a batch reads the weights once; attention looks at one text at a time.

use crate::config::{Config, Pooling};
use crate::error::Result;
use crate::kernels::{
    self, BytePanels, Finish, Level, Output, Panels, Quantized, Rows, Split, SplitPanels,
};
use crate::safetensors::{Dtype, SafeTensors, finite};

/// The precision in which weights are kept and multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Precision {
    /// Floats of 32 bits: the vectors of the original.
    #[default]
    F32,
    /// Integers of 8 bits with a scale for each output and each token: three times as fast, a
    /// quarter of the memory, and vectors about 0.4% aside.
    Int8,
}

impl Precision {
    /// Its name: `f32` or `int8`.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Int8 => "int8",
        }
    }

    /// The precision of this name.
    pub fn find(name: &str) -> Option<Self> {
        [Precision::F32, Precision::Int8].into_iter().find(|precision| precision.name() == name)
    }
}

#[derive(Debug)]
enum Matrix {
    Floats(Panels),
    /// Floats as pairs of halves, on a level that multiplies them faster so.
    Halves(SplitPanels),
    Bytes(BytePanels),
}

/// The way weights are packed.
#[derive(Debug, Clone, Copy)]
struct Packing {
    precision: Precision,
    level: Level,
}

impl Matrix {
    fn pack(weights: &[f32], inputs: usize, bias: &[f32], packing: Packing) -> Self {
        match packing.precision {
            Precision::F32 if packing.level.splits() => {
                Matrix::Halves(SplitPanels::pack(weights, inputs, bias))
            }
            Precision::F32 => Matrix::Floats(Panels::pack(weights, inputs, bias)),
            Precision::Int8 => Matrix::Bytes(BytePanels::pack(weights, inputs, bias)),
        }
    }

    fn outputs(&self) -> usize {
        match self {
            Matrix::Floats(panels) => panels.outputs,
            Matrix::Halves(panels) => panels.outputs,
            Matrix::Bytes(panels) => panels.outputs,
        }
    }

    /// Multiplies rows of `width` values; the result is as long as it has to be.
    fn apply(
        &self,
        level: Level,
        values: &[f32],
        width: usize,
        finish: Finish,
        packed: &mut Packed,
        out: &mut Vec<f32>,
    ) {
        let count = values.len() / width;
        out.resize(count * self.outputs(), 0.0);
        let mut out = Output { values: out, stride: self.outputs() };
        match self {
            Matrix::Floats(panels) => {
                let rows = Rows { values, stride: width, count };
                kernels::multiply(level, &rows, panels, finish, &mut out);
            }
            Matrix::Halves(panels) => {
                kernels::split(level, values, width, &mut packed.split);
                kernels::multiply_split(level, &packed.split, panels, finish, &mut out);
            }
            Matrix::Bytes(panels) => {
                kernels::quantize(level, values, width, &mut packed.quantized);
                kernels::multiply_bytes(level, &packed.quantized, panels, finish, &mut out);
            }
        }
    }
}

/// Gain and shift after a row was normalized.
#[derive(Debug)]
struct Norm {
    gain: Vec<f32>,
    shift: Vec<f32>,
}

impl Norm {
    fn load(file: &mut SafeTensors, name: &str, hidden: usize) -> Result<Self> {
        // Files of the first years call them gamma and beta.
        let old = file.has(&format!("{name}.gamma"));
        let (gain, shift) = if old { ("gamma", "beta") } else { ("weight", "bias") };
        Ok(Self {
            gain: file.floats(&format!("{name}.{gain}"), &[hidden])?,
            shift: file.floats(&format!("{name}.{shift}"), &[hidden])?,
        })
    }
}

/// A row for each token, as the file has them: most are never read.
#[derive(Debug)]
pub(crate) struct Words {
    dtype: Dtype,
    bytes: Vec<u8>,
    width: usize,
}

impl Words {
    fn load(file: &mut SafeTensors, config: &Config) -> Result<Self> {
        let (dtype, bytes) = file.bytes(WORDS, &[config.vocabulary, config.hidden])?;
        let words = Self { dtype, bytes, width: config.hidden };
        let mut row = vec![0.0; config.hidden];
        for id in 0..config.vocabulary {
            words.read(id, &mut row);
            finite(WORDS, &row)?;
        }
        Ok(words)
    }

    /// The row of a token whose id is below the size of the vocabulary.
    pub(crate) fn read(&self, id: usize, into: &mut [f32]) {
        let size = self.width * self.dtype.bytes();
        self.dtype.decode(&self.bytes[id * size..(id + 1) * size], into);
    }
}

const WORDS: &str = "embeddings.word_embeddings.weight";

#[derive(Debug)]
struct Layer {
    /// Queries, keys and values in one; the queries are scaled already.
    attention: Matrix,
    joined: Matrix,
    joined_norm: Norm,
    up: Matrix,
    down: Matrix,
    norm: Norm,
}

impl Layer {
    fn load(
        file: &mut SafeTensors,
        config: &Config,
        index: usize,
        packing: Packing,
    ) -> Result<Self> {
        let (hidden, between) = (config.hidden, config.between);
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        let scale = 1.0 / ((hidden / config.heads) as f32).sqrt();
        for (part, scale) in [("query", scale), ("key", 1.0), ("value", 1.0)] {
            let part = name(&format!("attention.self.{part}"));
            let values = file.floats(&format!("{part}.weight"), &[hidden, hidden])?;
            weights.extend(values.iter().map(|value| value * scale));
            let values = file.floats(&format!("{part}.bias"), &[hidden])?;
            bias.extend(values.iter().map(|value| value * scale));
        }
        let mut matrix = |part: &str, inputs: usize, outputs: usize| -> Result<Matrix> {
            let weights = file.floats(&name(&format!("{part}.weight")), &[outputs, inputs])?;
            let bias = file.floats(&name(&format!("{part}.bias")), &[outputs])?;
            Ok(Matrix::pack(&weights, inputs, &bias, packing))
        };
        Ok(Self {
            attention: Matrix::pack(&weights, hidden, &bias, packing),
            joined: matrix("attention.output.dense", hidden, hidden)?,
            up: matrix("intermediate.dense", hidden, between)?,
            down: matrix("output.dense", between, hidden)?,
            joined_norm: Norm::load(file, &name("attention.output.LayerNorm"), hidden)?,
            norm: Norm::load(file, &name("output.LayerNorm"), hidden)?,
        })
    }
}

/// The memory for intermediate results; kept between texts, because fresh memory costs time.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    rows: Vec<f32>,
    attention: Vec<f32>,
    mixed: Vec<f32>,
    joined: Vec<f32>,
    between: Vec<f32>,
    scores: Vec<f32>,
    keys: Panels,
    values: Panels,
    packed: Packed,
}

/// Rows in the form that a matrix takes.
#[derive(Debug, Default)]
struct Packed {
    quantized: Quantized,
    split: Split,
}

/// The weights of an encoder, packed.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) config: Config,
    pub(crate) words: Words,
    pooling: Pooling,
    level: Level,
    /// Position and token type together, a row for each position that a token can have.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

impl Model {
    pub(crate) fn load(
        file: &mut SafeTensors,
        config: Config,
        pooling: Pooling,
        precision: Precision,
        level: Level,
        longest: usize,
    ) -> Result<Self> {
        file.find_prefix(WORDS);
        let hidden = config.hidden;
        let name = "embeddings.position_embeddings.weight";
        let positions = file.floats(name, &[config.positions, hidden])?;
        let first = config.first_position * hidden;
        let mut positions = positions[first..first + longest * hidden].to_vec();
        let types = "embeddings.token_type_embeddings.weight";
        if config.types > 0 && file.has(types) {
            let types = file.floats(types, &[config.types, hidden])?;
            for row in positions.chunks_exact_mut(hidden) {
                row.iter_mut().zip(&types).for_each(|(value, add)| *value += add);
            }
        }
        let norm = Norm::load(file, "embeddings.LayerNorm", hidden)?;
        let packing = Packing { precision, level };
        let layers = (0..config.layers).map(|index| Layer::load(file, &config, index, packing));
        let layers = layers.collect::<Result<Vec<Layer>>>()?;
        let words = Words::load(file, &config)?;
        Ok(Self { config, words, pooling, level, positions, norm, layers })
    }

    /// The vectors of texts whose ids are below the size of the vocabulary and which are no longer
    /// than `longest`; not yet of length 1.
    pub(crate) fn pool(&self, texts: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        self.embed(texts, &mut scratch.rows);
        for layer in &self.layers {
            self.attend(layer, texts, scratch);
            self.transform(layer, scratch);
        }
        let hidden = self.config.hidden;
        let mut begin = 0;
        let pooled = texts.iter().map(|ids| {
            let rows = &scratch.rows[begin * hidden..(begin + ids.len()) * hidden];
            begin += ids.len();
            match self.pooling {
                Pooling::First => rows.get(..hidden).map_or(vec![0.0; hidden], <[f32]>::to_vec),
                Pooling::Mean => mean(rows, hidden),
            }
        });
        pooled.collect()
    }

    fn embed(&self, texts: &[&[u32]], rows: &mut Vec<f32>) {
        let hidden = self.config.hidden;
        rows.clear();
        rows.resize(texts.iter().map(|ids| ids.len()).sum::<usize>() * hidden, 0.0);
        let tokens =
            texts.iter().flat_map(|ids| ids.iter().zip(self.positions.chunks_exact(hidden)));
        for (row, (id, position)) in rows.chunks_exact_mut(hidden).zip(tokens) {
            self.words.read(*id as usize, row);
            row.iter_mut().zip(position).for_each(|(value, add)| *value += add);
        }
        let Norm { gain, shift } = &self.norm;
        kernels::add_and_normalize(self.level, rows, None, gain, shift, self.config.epsilon);
    }

    /// Computes attention, multiplies with its output matrix, adds the input and normalizes.
    fn attend(&self, layer: &Layer, texts: &[&[u32]], scratch: &mut Scratch) {
        let (hidden, level) = (self.config.hidden, self.level);
        let Scratch { rows, attention, mixed, joined, packed, .. } = scratch;
        layer.attention.apply(level, rows, hidden, Finish::Bias, packed, attention);
        mixed.resize(rows.len(), 0.0);
        let mut begin = 0;
        for ids in texts {
            let count = ids.len();
            let whole = &attention[begin * 3 * hidden..(begin + count) * 3 * hidden];
            let mixed = &mut mixed[begin * hidden..(begin + count) * hidden];
            let room = (&mut scratch.scores, &mut scratch.keys, &mut scratch.values);
            self.mix(whole, count, mixed, room);
            begin += count;
        }
        layer.joined.apply(level, mixed, hidden, Finish::Bias, packed, joined);
        let Norm { gain, shift } = &layer.joined_norm;
        kernels::add_and_normalize(
            level,
            joined,
            Some(rows.as_slice()),
            gain,
            shift,
            self.config.epsilon,
        );
    }

    /// Sums the values of all tokens of a text for each token, weighted by attention, head by head.
    fn mix(
        &self,
        attention: &[f32],
        count: usize,
        mixed: &mut [f32],
        (scores, keys, values): (&mut Vec<f32>, &mut Panels, &mut Panels),
    ) {
        if count == 0 {
            return;
        }
        let (hidden, level) = (self.config.hidden, self.level);
        let width = hidden / self.config.heads;
        let stride = count.next_multiple_of(kernels::SCORES);
        scores.resize(count * stride, 0.0);
        for head in 0..self.config.heads {
            keys.clear(width, count);
            values.clear(count, width);
            for (token, row) in attention.chunks_exact(3 * hidden).enumerate() {
                let (key, value) = (hidden + head * width, 2 * hidden + head * width);
                for at in 0..width {
                    keys.set(at, token, row[key + at]);
                    values.set(token, at, row[value + at]);
                }
            }
            let queries = Rows { values: &attention[head * width..], stride: 3 * hidden, count };
            let mut out = Output { values: scores, stride };
            kernels::multiply(level, &queries, keys, Finish::Bias, &mut out);
            kernels::softmax(level, scores, stride, count);
            let shares = Rows { values: scores, stride, count };
            let mut out = Output { values: &mut mixed[head * width..], stride: hidden };
            kernels::multiply(level, &shares, values, Finish::Bias, &mut out);
        }
    }

    /// Multiplies each token with the two matrices, adds the input and normalizes.
    fn transform(&self, layer: &Layer, scratch: &mut Scratch) {
        let (hidden, level) = (self.config.hidden, self.level);
        let Scratch { rows, joined, between, packed, .. } = scratch;
        layer.up.apply(level, joined, hidden, Finish::Gelu, packed, between);
        layer.down.apply(level, between, self.config.between, Finish::Bias, packed, rows);
        let Norm { gain, shift } = &layer.norm;
        kernels::add_and_normalize(
            level,
            rows,
            Some(joined.as_slice()),
            gain,
            shift,
            self.config.epsilon,
        );
    }
}

fn mean(rows: &[f32], width: usize) -> Vec<f32> {
    let mut sum = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    let count = (rows.len() / width).max(1) as f32;
    sum.iter_mut().for_each(|sum| *sum /= count);
    sum
}
