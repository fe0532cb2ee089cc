//! Plain arithmetic for every processor, and the measure that the other kernels are tested against.

use super::driver::{Finish, Instructions, Output, Split, SplitInstructions, Tile, kernels, rows};
use super::panels::{GROUP, SplitPanels, WIDTH};

#[derive(Debug)]
pub(super) struct Scalar;

impl Instructions for Scalar {
    const ROWS: (usize, usize) = (1, 1);

    unsafe fn floats(
        rows: usize,
        a: *const f32,
        stride: usize,
        inputs: usize,
        panel: *const f32,
        tile: &mut Tile<f32>,
    ) {
        for (row, sums) in tile.0.iter_mut().take(rows).enumerate() {
            // SAFETY: the caller owes `rows` rows of `inputs` floats, and a panel of `inputs` lines
            // of 32 floats.
            let (a, panel) = unsafe {
                let row = std::slice::from_raw_parts(a.add(row * stride), inputs);
                (row, std::slice::from_raw_parts(panel, inputs * WIDTH))
            };
            *sums = [0.0; WIDTH];
            for (value, weights) in a.iter().zip(panel.chunks_exact(WIDTH)) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += value * weight;
                }
            }
        }
    }

    unsafe fn bytes(
        rows: usize,
        a: *const u8,
        stride: usize,
        groups: usize,
        panel: *const i8,
        tile: &mut Tile<i32>,
    ) {
        for (row, sums) in tile.0.iter_mut().take(rows).enumerate() {
            // SAFETY: the caller owes `rows` rows of `groups` groups, and a panel of as many lines
            // of 32 groups.
            let (a, panel) = unsafe {
                let row = std::slice::from_raw_parts(a.add(row * stride), groups * GROUP);
                (row, std::slice::from_raw_parts(panel, groups * GROUP * WIDTH))
            };
            *sums = [0; WIDTH];
            let lines = panel.chunks_exact(GROUP * WIDTH);
            for (values, weights) in a.chunks_exact(GROUP).zip(lines) {
                for (sum, weights) in sums.iter_mut().zip(weights.chunks_exact(GROUP)) {
                    for (value, weight) in values.iter().zip(weights) {
                        *sum += i32::from(*value) * i32::from(*weight);
                    }
                }
            }
        }
    }
}

impl SplitInstructions for Scalar {
    const SPLIT_ROWS: usize = 1;

    unsafe fn halves(
        rows: usize,
        high: *const u16,
        low: *const u16,
        stride: usize,
        pairs: usize,
        panel: *const u16,
        tile: &mut Tile<f32>,
    ) {
        let float = |half: u16| f32::from_bits(u32::from(half) << 16);
        for (row, sums) in tile.0.iter_mut().take(rows).enumerate() {
            // SAFETY: the caller owes `rows` rows of `pairs` pairs, and a panel of as many times 4
            // lines of 32 halves.
            let (high, low, panel) = unsafe {
                let row = |start: *const u16| {
                    std::slice::from_raw_parts(start.add(row * stride), pairs * 2)
                };
                (row(high), row(low), std::slice::from_raw_parts(panel, pairs * 128))
            };
            *sums = [0.0; WIDTH];
            let values = high.chunks_exact(2).zip(low.chunks_exact(2));
            for ((high, low), weights) in values.zip(panel.chunks_exact(128)) {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    for at in 0..2 {
                        let (upper, lower) =
                            (float(weights[lane * 2 + at]), float(weights[64 + lane * 2 + at]));
                        let (high, low) = (float(high[at]), float(low[at]));
                        *sum += high * upper + low * upper + high * lower;
                    }
                }
            }
        }
    }
}

kernels!(Scalar,);
rows!();

/// Multiplies rows of pairs of halves with a matrix of them.
pub(super) fn multiply_split(
    a: &Split,
    panels: &SplitPanels,
    finish: Finish,
    out: &mut Output<'_>,
) {
    super::driver::multiply_split::<Scalar>(a, panels, finish, out);
}

/// Splits floats into pairs of halves.
pub(super) fn split(values: &[f32], width: usize, into: &mut Split) {
    super::driver::split(values, width, into);
}
