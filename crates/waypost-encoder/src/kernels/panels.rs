//! Weights in the order in which the kernels read them.
//!
//! A matrix of `outputs` rows and `inputs` columns is cut into panels of 32 outputs. Inside a panel
//! the values that are needed together lie together, so that one pass over memory from front to back
//! is all that a multiplication does: at a dozen tokens, that stream takes most of the time.

/// The number of outputs of a panel: two registers of 16 lanes, or four of 8.
pub(crate) const WIDTH: usize = 32;
/// The number of inputs that an 8-bit multiplication takes at a time.
pub(crate) const GROUP: usize = 4;
/// The greatest weight of 8 bits; -128 is left out so that signs are symmetric.
const WEIGHT_MAX: f32 = 127.0;

/// A cache line of floats.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Line(pub(crate) [f32; 16]);

/// A cache line of bytes.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ByteLine(pub(crate) [i8; 64]);

/// Returns how many panels hold `outputs`.
fn panels(outputs: usize) -> usize {
    outputs.div_ceil(WIDTH)
}

fn padded(values: &[f32], outputs: usize) -> Vec<f32> {
    let mut padded = values.to_vec();
    padded.resize(panels(outputs) * WIDTH, 0.0);
    padded
}

/// A matrix of floats: for each input in turn, the 32 outputs of a panel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Panels {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) lines: Vec<Line>,
    /// The bias of each output, padded to whole panels; empty for none.
    pub(crate) bias: Vec<f32>,
}

impl Panels {
    /// Packs `weights`, one row of `inputs` values an output.
    pub(crate) fn pack(weights: &[f32], inputs: usize, bias: &[f32]) -> Self {
        let outputs = bias.len();
        let mut packed = Self { bias: padded(bias, outputs), ..Self::default() };
        packed.clear(inputs, outputs);
        for panel in 0..packed.count() {
            let first = panel * WIDTH;
            let rows = &weights[first * inputs..(first + WIDTH).min(outputs) * inputs];
            let lines = &mut packed.lines[panel * inputs * 2..(panel + 1) * inputs * 2];
            for (input, pair) in lines.chunks_exact_mut(2).enumerate() {
                for (lane, row) in rows.chunks_exact(inputs).enumerate() {
                    pair[lane / 16].0[lane % 16] = row[input];
                }
            }
        }
        packed
    }

    /// Makes room for a matrix of this shape, all zero, without a bias kept.
    pub(crate) fn clear(&mut self, inputs: usize, outputs: usize) {
        self.inputs = inputs;
        self.outputs = outputs;
        self.lines.clear();
        self.lines.resize(self.count() * inputs * 2, Line([0.0; 16]));
    }

    /// Returns the number of panels.
    pub(crate) fn count(&self) -> usize {
        panels(self.outputs)
    }

    /// The lines of a panel: two for each input.
    #[inline(always)]
    pub(crate) fn panel(&self, index: usize) -> &[Line] {
        &self.lines[index * self.inputs * 2..(index + 1) * self.inputs * 2]
    }

    /// Sets one value; for matrices that are made for one multiplication.
    #[inline(always)]
    pub(crate) fn set(&mut self, input: usize, output: usize, value: f32) {
        let line = ((output / WIDTH) * self.inputs + input) * 2 + (output % WIDTH) / 16;
        self.lines[line].0[output % 16] = value;
    }
}

/// A matrix of bytes with a scale an output: for each four inputs in turn, four bytes of each of the
/// 32 outputs of a panel.
#[derive(Debug, Clone, Default)]
pub(crate) struct BytePanels {
    /// Inputs in groups of [`GROUP`], padded with zeros.
    pub(crate) groups: usize,
    pub(crate) outputs: usize,
    pub(crate) lines: Vec<ByteLine>,
    /// The value of one step of a weight, for each output.
    pub(crate) scales: Vec<f32>,
    /// The sum of the weights of each output, which undoes the zero point of the activations.
    pub(crate) sums: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

impl BytePanels {
    /// Quantizes and packs `weights`, one row of `inputs` values an output.
    pub(crate) fn pack(weights: &[f32], inputs: usize, bias: &[f32]) -> Self {
        let outputs = bias.len();
        let groups = inputs.div_ceil(GROUP);
        let lanes = panels(outputs) * WIDTH;
        let mut packed = Self {
            groups,
            outputs,
            lines: vec![ByteLine([0; 64]); panels(outputs) * groups * 2],
            scales: vec![0.0; lanes],
            sums: vec![0.0; lanes],
            bias: padded(bias, outputs),
        };
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            packed.pack_row(output, row);
        }
        packed
    }

    fn pack_row(&mut self, output: usize, row: &[f32]) {
        let greatest = row.iter().fold(0.0_f32, |greatest, value| greatest.max(value.abs()));
        let scale = if greatest > 0.0 { greatest / WEIGHT_MAX } else { 1.0 };
        let lane = output % WIDTH;
        let first = (output / WIDTH) * self.groups * 2 + lane / 16;
        let mut sum = 0_i32;
        for (input, value) in row.iter().enumerate() {
            // A quotient of at most 127 in size: the cast cuts nothing off.
            let step = (value / scale).round().clamp(-WEIGHT_MAX, WEIGHT_MAX) as i8;
            sum += i32::from(step);
            let line = first + (input / GROUP) * 2;
            self.lines[line].0[(lane % 16) * GROUP + input % GROUP] = step;
        }
        self.scales[output] = scale;
        self.sums[output] = sum as f32;
    }

    /// Returns the number of panels.
    pub(crate) fn count(&self) -> usize {
        panels(self.outputs)
    }

    /// The lines of a panel: two for each group of inputs.
    #[inline(always)]
    pub(crate) fn panel(&self, index: usize) -> &[ByteLine] {
        &self.lines[index * self.groups * 2..(index + 1) * self.groups * 2]
    }
}

/// A float as two halves, of 8 bits of precision each: their sum is within 2^-17 of it.
///
/// A half (bfloat16) is the upper 16 bits of a float.
#[inline(always)]
pub(crate) fn halves(value: f32) -> (u16, u16) {
    let high = rounded(value);
    let rest = value - f32::from_bits(u32::from(high) << 16);
    (high, rounded(rest))
}

/// The nearest half of a finite float, the even one of two.
#[inline(always)]
fn rounded(value: f32) -> u16 {
    let bits = value.to_bits();
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// A cache line of halves.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct HalfLine(pub(crate) [u16; 32]);

/// The number of inputs that a product of halves takes at a time.
pub(crate) const SPLIT_INPUTS: usize = 32;

/// A matrix of floats as pairs of halves: for each two inputs in turn, two halves of each of the 32
/// outputs of a panel, first the high ones, then the low ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct SplitPanels {
    /// Inputs in pairs, padded with zeros to a multiple of [`SPLIT_INPUTS`].
    pub(crate) pairs: usize,
    pub(crate) outputs: usize,
    pub(crate) lines: Vec<HalfLine>,
    pub(crate) bias: Vec<f32>,
}

impl SplitPanels {
    /// Splits and packs `weights`, one row of `inputs` values an output.
    pub(crate) fn pack(weights: &[f32], inputs: usize, bias: &[f32]) -> Self {
        let outputs = bias.len();
        let pairs = inputs.next_multiple_of(SPLIT_INPUTS) / 2;
        let mut lines = vec![HalfLine([0; 32]); panels(outputs) * pairs * 4];
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            let lane = output % WIDTH;
            let first = (output / WIDTH) * pairs * 4 + lane / 16;
            for (input, value) in row.iter().enumerate() {
                let (high, low) = halves(*value);
                let (line, at) = (first + input / 2 * 4, (lane % 16) * 2 + input % 2);
                lines[line].0[at] = high;
                lines[line + 2].0[at] = low;
            }
        }
        Self { pairs, outputs, lines, bias: padded(bias, outputs) }
    }

    /// Returns the number of panels.
    pub(crate) fn count(&self) -> usize {
        panels(self.outputs)
    }

    /// The lines of a panel: four for each two inputs.
    #[inline(always)]
    pub(crate) fn panel(&self, index: usize) -> &[HalfLine] {
        &self.lines[index * self.pairs * 4..(index + 1) * self.pairs * 4]
    }
}
