//! The code around the inner loop of every kernel, written once; each set of instructions compiles
//! it anew, so that the loops here become vector code of that width too.

use super::math::{ROUND, exp, gelu};
use super::panels::{BytePanels, GROUP, Panels, SPLIT_INPUTS, SplitPanels, WIDTH, halves};

/// At most this many rows are multiplied at a time, whatever the instructions.
pub(super) const MAX_ROWS: usize = 32;
/// Sums are kept in this many lanes, which also fixes their order on every machine.
const LANES: usize = 16;

/// The products of up to [`MAX_ROWS`] rows with one panel.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Tile<T>(pub(super) [[T; WIDTH]; MAX_ROWS]);

/// The inner loops of one set of instructions.
///
/// # Safety
///
/// An implementer reads `rows` rows of `a` and one panel, and writes `rows` rows of the tile; its
/// caller sees to it that they are there and that the processor has the instructions.
pub(super) trait Instructions {
    /// The numbers of rows that fit into the registers: of floats, of bytes.
    const ROWS: (usize, usize);

    /// Adds the bias and applies the unit.
    #[inline(always)]
    unsafe fn complete(products: &mut [f32; WIDTH], bias: Option<&[f32]>, finish: Finish) {
        complete(products, bias, finish);
    }

    /// Multiplies `rows` rows of floats, `stride` apart, with a panel of `inputs` inputs.
    unsafe fn floats(
        rows: usize,
        a: *const f32,
        stride: usize,
        inputs: usize,
        panel: *const f32,
        tile: &mut Tile<f32>,
    );

    /// Multiplies `rows` rows of bytes, `stride` apart, with a panel of `groups` groups.
    unsafe fn bytes(
        rows: usize,
        a: *const u8,
        stride: usize,
        groups: usize,
        panel: *const i8,
        tile: &mut Tile<i32>,
    );
}

/// The inner loop of instructions that multiply halves.
///
/// # Safety
///
/// As for [`Instructions`].
pub(super) trait SplitInstructions: Instructions {
    /// The number of rows that fit into the registers.
    const SPLIT_ROWS: usize;

    /// Multiplies `rows` rows of pairs of halves, `stride` halves apart, with a panel of `pairs`
    /// pairs of inputs.
    unsafe fn halves(
        rows: usize,
        high: *const u16,
        low: *const u16,
        stride: usize,
        pairs: usize,
        panel: *const u16,
        tile: &mut Tile<f32>,
    );
}

/// A matrix in a slice: each row begins `stride` after the one before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) values: &'a [f32],
    pub(crate) stride: usize,
    pub(crate) count: usize,
}

/// The place that products are written to: row by row, `stride` apart.
#[derive(Debug)]
pub(crate) struct Output<'a> {
    pub(crate) values: &'a mut [f32],
    pub(crate) stride: usize,
}

/// The last step on a product before it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finish {
    /// The bias is added, if there is one.
    Bias,
    /// The bias is added, and the Gaussian error linear unit applied.
    Gelu,
}

/// Rows of bytes, each with the step and the zero point that turn it back into floats.
#[derive(Debug, Clone, Default)]
pub(crate) struct Quantized {
    pub(crate) bytes: Vec<u8>,
    /// Bytes from one row to the next, a multiple of [`GROUP`].
    pub(crate) stride: usize,
    pub(crate) steps: Vec<f32>,
    pub(crate) zeros: Vec<f32>,
}

/// Rows of floats as pairs of halves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Split {
    pub(crate) high: Vec<u16>,
    pub(crate) low: Vec<u16>,
    /// Halves from one row to the next, a multiple of [`SPLIT_INPUTS`].
    pub(crate) stride: usize,
    pub(crate) rows: usize,
}

/// Sizes of blocks that are as even as can be: 13 rows at most 12 at a time are 7 and 6.
#[inline(always)]
fn block(left: usize, most: usize) -> usize {
    left.div_ceil(left.div_ceil(most))
}

#[inline(always)]
pub(super) fn multiply<I: Instructions>(
    a: &Rows<'_>,
    panels: &Panels,
    finish: Finish,
    out: &mut Output<'_>,
) {
    let mut tile = Tile([[0.0; WIDTH]; MAX_ROWS]);
    for index in 0..panels.count() {
        let panel = panels.panel(index).as_ptr().cast::<f32>();
        let first = index * WIDTH;
        let width = WIDTH.min(panels.outputs - first);
        let bias = panels.bias.get(first..first + WIDTH);
        let mut row = 0;
        while row < a.count {
            let rows = block(a.count - row, I::ROWS.0);
            let begin = &a.values[row * a.stride..];
            // SAFETY: `super` checked that the last row of `a` has all inputs, a panel holds 32
            // floats for each, and the wrapper that this is inlined into has the instructions.
            unsafe {
                I::floats(rows, begin.as_ptr(), a.stride, panels.inputs, panel, &mut tile);
            }
            for (line, products) in tile.0.iter_mut().take(rows).enumerate() {
                // SAFETY: the wrapper that this is inlined into has the instructions.
                unsafe { I::complete(products, bias, finish) };
                write(out, row + line, first, width, products);
            }
            row += rows;
        }
    }
}

/// Adds the bias and applies the unit.
#[inline(always)]
fn complete(products: &mut [f32; WIDTH], bias: Option<&[f32]>, finish: Finish) {
    if let Some(bias) = bias {
        for (product, bias) in products.iter_mut().zip(bias) {
            *product += bias;
        }
    }
    if finish == Finish::Gelu {
        for product in products.iter_mut() {
            *product = gelu(*product);
        }
    }
}

#[inline(always)]
pub(super) fn multiply_split<I: SplitInstructions>(
    a: &Split,
    panels: &SplitPanels,
    finish: Finish,
    out: &mut Output<'_>,
) {
    let mut tile = Tile([[0.0; WIDTH]; MAX_ROWS]);
    for index in 0..panels.count() {
        let panel = panels.panel(index).as_ptr().cast::<u16>();
        let first = index * WIDTH;
        let width = WIDTH.min(panels.outputs - first);
        let bias = panels.bias.get(first..first + WIDTH);
        let mut row = 0;
        while row < a.rows {
            let rows = block(a.rows - row, I::SPLIT_ROWS);
            let (high, low) = (&a.high[row * a.stride..], &a.low[row * a.stride..]);
            // SAFETY: as in `multiply`; `super` checked that a row has all pairs, a panel has 128
            // halves for each.
            unsafe {
                let (high, low) = (high.as_ptr(), low.as_ptr());
                I::halves(rows, high, low, a.stride, panels.pairs, panel, &mut tile);
            }
            for (line, products) in tile.0.iter_mut().take(rows).enumerate() {
                // SAFETY: the wrapper that this is inlined into has the instructions.
                unsafe { I::complete(products, bias, finish) };
                write(out, row + line, first, width, products);
            }
            row += rows;
        }
    }
}

#[inline(always)]
pub(super) fn multiply_bytes<I: Instructions>(
    a: &Quantized,
    panels: &BytePanels,
    finish: Finish,
    out: &mut Output<'_>,
) {
    let mut tile = Tile([[0; WIDTH]; MAX_ROWS]);
    for index in 0..panels.count() {
        let panel = panels.panel(index).as_ptr().cast::<i8>();
        let first = index * WIDTH;
        let width = WIDTH.min(panels.outputs - first);
        let scales = &panels.scales[first..first + WIDTH];
        let sums = &panels.sums[first..first + WIDTH];
        let bias = &panels.bias[first..first + WIDTH];
        let mut row = 0;
        while row < a.steps.len() {
            let rows = block(a.steps.len() - row, I::ROWS.1);
            let begin = &a.bytes[row * a.stride..];
            // SAFETY: as in `multiply`; a row of `a` has all groups, a panel 128 bytes for each.
            unsafe {
                I::bytes(rows, begin.as_ptr(), a.stride, panels.groups, panel, &mut tile);
            }
            for (line, sums_of_row) in tile.0.iter().take(rows).enumerate() {
                let (step, zero) = (a.steps[row + line], a.zeros[row + line]);
                let mut products = [0.0; WIDTH];
                for lane in 0..WIDTH {
                    let exact = sums_of_row[lane] as f32 - zero * sums[lane];
                    products[lane] = exact * (step * scales[lane]) + bias[lane];
                }
                // SAFETY: as in `multiply`.
                unsafe { I::complete(&mut products, None, finish) };
                write(out, row + line, first, width, &products);
            }
            row += rows;
        }
    }
}

#[inline(always)]
fn write(out: &mut Output<'_>, row: usize, first: usize, width: usize, products: &[f32; WIDTH]) {
    let begin = row * out.stride + first;
    let target = &mut out.values[begin..begin + width];
    match <&mut [f32; WIDTH]>::try_from(&mut *target) {
        Ok(whole) => *whole = *products,
        Err(_) => target.copy_from_slice(&products[..width]),
    }
}

/// Joins the lanes to one value, in a fixed order.
#[inline(always)]
fn joined(mut lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] = join(lanes[lane], lanes[lane + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// Sums the results of `each` for the values, lane by lane, then the lanes.
#[inline(always)]
fn sum(values: &[f32], each: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        // Over an index and not over iterators: only so do the lanes stay in registers.
        for lane in 0..LANES {
            lanes[lane] += each(chunk[lane]);
        }
    }
    for (lane, value) in rest.iter().enumerate() {
        lanes[lane] += each(*value);
    }
    joined(lanes, |a, b| a + b)
}

/// Returns the least and the greatest value, where zero counts as a value.
#[inline(always)]
fn extent(values: &[f32]) -> (f32, f32) {
    let (mut least, mut greatest) = ([0.0; LANES], [0.0; LANES]);
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            least[lane] = lesser(chunk[lane], least[lane]);
            greatest[lane] = greater(chunk[lane], greatest[lane]);
        }
    }
    for (lane, value) in rest.iter().enumerate() {
        least[lane] = lesser(*value, least[lane]);
        greatest[lane] = greater(*value, greatest[lane]);
    }
    (joined(least, lesser), joined(greatest, greater))
}

/// Applies `change` to every value.
#[inline(always)]
fn change(values: &mut [f32], change: impl Fn(f32) -> f32) {
    let (chunks, rest) = values.as_chunks_mut::<LANES>();
    for chunk in chunks {
        for value in chunk {
            *value = change(*value);
        }
    }
    for value in rest {
        *value = change(*value);
    }
}

/// Adds `residual` to `values` and normalizes each row of `gain.len()` to mean 0 and variance 1,
/// then applies gain and shift.
#[inline(always)]
pub(super) fn add_and_normalize(
    values: &mut [f32],
    residual: Option<&[f32]>,
    gain: &[f32],
    shift: &[f32],
    epsilon: f32,
) {
    let width = gain.len();
    for (index, row) in values.chunks_exact_mut(width).enumerate() {
        if let Some(residual) = residual {
            for (value, add) in row.iter_mut().zip(&residual[index * width..(index + 1) * width]) {
                *value += add;
            }
        }
        let mean = sum(row, |value| value) / width as f32;
        let variance = sum(row, |value| (value - mean) * (value - mean)) / width as f32;
        let scale = 1.0 / (variance + epsilon).sqrt();
        for ((value, gain), shift) in row.iter_mut().zip(gain).zip(shift) {
            *value = (*value - mean) * scale * gain + shift;
        }
    }
}

#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Turns the first `width` values of each row into shares that sum to 1; the others, fewer than 16,
/// become too small to matter.
#[inline(always)]
pub(super) fn softmax(values: &mut [f32], stride: usize, width: usize) {
    for row in values.chunks_exact_mut(stride) {
        let mut most = [f32::MIN; LANES];
        row[width..].fill(f32::MIN);
        let (chunks, _) = row.as_chunks::<LANES>();
        for chunk in chunks {
            for lane in 0..LANES {
                most[lane] = greater(chunk[lane], most[lane]);
            }
        }
        let most = joined(most, greater);
        change(row, |value| exp(value - most));
        let scale = 1.0 / sum(row, |value| value);
        change(row, |value| value * scale);
    }
}

/// Turns rows of `width` floats into bytes of 0 to `most`: the least value of a row becomes 0, the
/// greatest `most`, and 0.0 is always met exactly.
#[inline(always)]
pub(super) fn quantize(values: &[f32], width: usize, most: f32, into: &mut Quantized) {
    let rows = values.len() / width;
    into.stride = width.next_multiple_of(GROUP);
    into.bytes.clear();
    into.bytes.resize(rows * into.stride, 0);
    into.steps.clear();
    into.zeros.clear();
    for (row, bytes) in values.chunks_exact(width).zip(into.bytes.chunks_exact_mut(into.stride)) {
        let (least, greatest) = extent(row);
        let range = greatest - least;
        let step = if range > f32::MIN_POSITIVE { range / most } else { 1.0 };
        let per_step = 1.0 / step;
        let zero = (-least * per_step).round();
        let steps = |value: f32| {
            let steps = lesser(greater(value * per_step + zero, 0.0), most);
            (steps + ROUND).to_bits() as u8
        };
        let (chunks, rest) = row.as_chunks::<LANES>();
        let (bytes, after) = bytes[..width].as_chunks_mut::<LANES>();
        for (bytes, chunk) in bytes.iter_mut().zip(chunks) {
            for lane in 0..LANES {
                bytes[lane] = steps(chunk[lane]);
            }
        }
        for (byte, value) in after.iter_mut().zip(rest) {
            *byte = steps(*value);
        }
        into.steps.push(step);
        into.zeros.push(zero);
    }
}

/// Splits rows of `width` floats into pairs of halves.
#[inline(always)]
pub(super) fn split(values: &[f32], width: usize, into: &mut Split) {
    into.rows = values.len() / width;
    into.stride = width.next_multiple_of(SPLIT_INPUTS);
    for halves in [&mut into.high, &mut into.low] {
        halves.clear();
        halves.resize(into.rows * into.stride, 0);
    }
    let high = into.high.chunks_exact_mut(into.stride);
    let low = into.low.chunks_exact_mut(into.stride);
    for ((row, high), low) in values.chunks_exact(width).zip(high).zip(low) {
        for ((value, high), low) in row.iter().zip(high).zip(low) {
            (*high, *low) = halves(*value);
        }
    }
}

/// Compiles the multiplications once more for a set of instructions.
macro_rules! kernels {
    ($instructions:ty, $($features:literal)?) => {
        $(#[target_feature(enable = $features)])?
        pub(in crate::kernels) fn multiply(
            a: &$crate::kernels::driver::Rows<'_>,
            panels: &$crate::kernels::panels::Panels,
            finish: $crate::kernels::driver::Finish,
            out: &mut $crate::kernels::driver::Output<'_>,
        ) {
            $crate::kernels::driver::multiply::<$instructions>(a, panels, finish, out);
        }

        $(#[target_feature(enable = $features)])?
        pub(in crate::kernels) fn multiply_bytes(
            a: &$crate::kernels::driver::Quantized,
            panels: &$crate::kernels::panels::BytePanels,
            finish: $crate::kernels::driver::Finish,
            out: &mut $crate::kernels::driver::Output<'_>,
        ) {
            $crate::kernels::driver::multiply_bytes::<$instructions>(a, panels, finish, out);
        }
    };
}
pub(super) use kernels;

/// Compiles the operations on rows once more for a set of instructions.
macro_rules! rows {
    ($($features:literal)?) => {
        $(#[target_feature(enable = $features)])?
        pub(in crate::kernels) fn add_and_normalize(
            values: &mut [f32],
            residual: Option<&[f32]>,
            gain: &[f32],
            shift: &[f32],
            epsilon: f32,
        ) {
            $crate::kernels::driver::add_and_normalize(values, residual, gain, shift, epsilon);
        }

        $(#[target_feature(enable = $features)])?
        pub(in crate::kernels) fn softmax(values: &mut [f32], stride: usize, width: usize) {
            $crate::kernels::driver::softmax(values, stride, width);
        }

        $(#[target_feature(enable = $features)])?
        pub(in crate::kernels) fn quantize(
            values: &[f32],
            width: usize,
            most: f32,
            into: &mut $crate::kernels::driver::Quantized,
        ) {
            $crate::kernels::driver::quantize(values, width, most, into);
        }
    };
}
pub(super) use rows;

/// Calls `$function` with the number of rows as a constant, so that its sums stay in registers.
macro_rules! with_rows {
    ($rows:expr, [$($count:literal)+], $function:ident $arguments:tt) => {
        match $rows {
            $($count => $function::<$count> $arguments,)+
            // `block` gives no more rows than the instructions say, and at least one.
            _ => {}
        }
    };
}
pub(super) use with_rows;
