//! Trained weights as they are shipped: one byte a weight, with a scale for each class.
//!
//! A row of classes per bucket, so that a text reads one short row for each of its entries.

use waypost_core::Result;

use crate::bytes::Reader;
use crate::features::Entry;

/// Rows of weights are padded to this many classes.
pub(crate) const LANES: usize = 8;

/// Weights as they are trained: a row of one weight per class for each bucket, then the row of biases.
#[derive(Debug, Clone)]
pub(crate) struct Weights {
    pub(crate) stride: usize,
    pub(crate) rows: Vec<f32>,
}

impl Weights {
    pub(crate) fn zero(buckets: usize, classes: usize) -> Self {
        let stride = classes.next_multiple_of(LANES);
        Self { stride, rows: vec![0.0; stride * (buckets + 1)] }
    }
}

/// The weights of all classes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PackedWeights {
    /// One row of [`PackedWeights::stride`] weights per bucket.
    weights: Vec<i8>,
    /// The value of a weight of 1, per class.
    scales: Vec<f32>,
    /// The bias, per class.
    biases: Vec<f32>,
}

impl PackedWeights {
    /// Rounds `trained`; a weight loses at most half a step of 1/127 of its class's largest.
    pub(crate) fn new(trained: &Weights, buckets: usize, classes: usize) -> Self {
        let rows = &trained.rows[..buckets * trained.stride];
        let mut scales = vec![0.0f32; trained.stride];
        for row in rows.chunks_exact(trained.stride) {
            for (scale, weight) in scales.iter_mut().zip(row) {
                *scale = scale.max(weight.abs() / 127.0);
            }
        }
        scales.iter_mut().for_each(|scale| *scale = scale.max(f32::MIN_POSITIVE));
        let weights = rows
            .chunks_exact(trained.stride)
            .flat_map(|row| row.iter().zip(&scales).map(|(w, scale)| (w / scale).round() as i8))
            .collect();
        scales.truncate(classes);
        let biases = trained.rows[buckets * trained.stride..][..classes].to_vec();
        Self { weights, scales, biases }
    }

    fn stride(&self) -> usize {
        self.scales.len().next_multiple_of(LANES)
    }

    /// Overwrites `out` with a margin per class and padding.
    pub(crate) fn margins(&self, entries: &[Entry], out: &mut Vec<f32>) {
        let stride = self.stride();
        out.clear();
        out.resize(stride, 0.0);
        let row = |entry: &Entry| &self.weights[entry.bucket as usize * stride..][..stride];
        let mut quads = entries.chunks_exact(4);
        for quad in &mut quads {
            let [a, b, c, d] = [0, 1, 2, 3].map(|i| row(&quad[i]));
            let [va, vb, vc, vd] = [0, 1, 2, 3].map(|i| quad[i].value);
            for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *out += va * f32::from(*a)
                    + vb * f32::from(*b)
                    + vc * f32::from(*c)
                    + vd * f32::from(*d);
            }
        }
        for entry in quads.remainder() {
            for (out, weight) in out.iter_mut().zip(row(entry)) {
                *out += entry.value * f32::from(*weight);
            }
        }
        for ((out, scale), bias) in out.iter_mut().zip(&self.scales).zip(&self.biases) {
            *out = *out * scale + bias;
        }
    }

    /// The weight of `class` at `bucket`.
    pub(crate) fn weight(&self, bucket: u32, class: usize) -> f32 {
        self.scales[class] * f32::from(self.weights[bucket as usize * self.stride() + class])
    }

    /// Writes the scales, the biases, and for each bucket a bit for each class whose weight is not 0, then those weights:
    /// most weights are 0.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        for number in [&self.scales, &self.biases].into_iter().flatten() {
            out.extend(number.to_le_bytes());
        }
        for row in self.weights.chunks_exact(self.stride()) {
            let marks = row.chunks_exact(LANES).map(|lanes| {
                lanes.iter().rev().fold(0u8, |marks, weight| marks << 1 | u8::from(*weight != 0))
            });
            out.extend(marks);
            out.extend(row.iter().filter(|weight| **weight != 0).map(|w| w.cast_unsigned()));
        }
    }

    /// Reads weights of `classes` over `buckets`, as [`PackedWeights::write`] writes them.
    pub(crate) fn read(reader: &mut Reader<'_>, buckets: usize, classes: usize) -> Result<Self> {
        let scales = reader.floats(classes)?;
        let biases = reader.floats(classes)?;
        let stride = classes.next_multiple_of(LANES);
        // Each row takes a byte for eight classes at least, so the bytes bound what is allocated.
        reader.holds(buckets.saturating_mul(stride / LANES))?;
        let mut weights = vec![0; buckets * stride];
        for row in weights.chunks_exact_mut(stride) {
            let marks = reader.take(stride / LANES)?;
            let count: u32 = marks.iter().map(|marks| marks.count_ones()).sum();
            let mut values = reader.take(count as usize)?.iter();
            for (lanes, marks) in row.chunks_exact_mut(LANES).zip(marks) {
                let marked = lanes.iter_mut().enumerate().filter(|(at, _)| marks >> at & 1 == 1);
                for ((_, lane), value) in marked.zip(&mut values) {
                    *lane = value.cast_signed();
                }
            }
        }
        Ok(Self { weights, scales, biases })
    }
}

/// A dense vector as entries, one a number.
pub(crate) fn dense(vector: &[f32], out: &mut Vec<Entry>) {
    out.clear();
    let entry =
        |(at, value): (usize, &f32)| Entry { bucket: at as u32, value: VECTOR_LENGTH * value };
    out.extend(vector.iter().enumerate().map(entry));
}

/// The length that an encoder's vector is trained and read with: at 2 the weights of 384 numbers
/// did best on CLINC150's validation rows (91.2 at 1, 91.2 at 2, 90.9 at 4).
const VECTOR_LENGTH: f32 = 2.0;
