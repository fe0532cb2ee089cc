//! Plain arithmetic for every processor, and the measure that the other kernels are tested against.

use super::driver::{Instructions, Tile, kernels};
use super::panels::{GROUP, WIDTH};

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

kernels!(Scalar,);
