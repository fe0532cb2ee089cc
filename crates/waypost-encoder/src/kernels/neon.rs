//! Kernels of 4 lanes: NEON, which every 64-bit ARM processor has.
//!
//! A panel is done in two halves of 16 outputs. Values of 7 bits are signed bytes as well, so that a
//! plain signed multiplication serves, and the sum of two products fits into 16 bits.

use std::arch::aarch64::{
    float32x4_t, int32x4_t, vdupq_n_f32, vdupq_n_s32, vfmaq_f32, vget_high_s8, vget_low_s8,
    vld1q_f32, vld1q_s8, vmull_s8, vpadalq_s16, vpaddq_s16, vreinterpretq_s8_s32, vst1q_f32,
    vst1q_s32,
};

use super::driver::{Instructions, Tile, kernels, rows, with_rows};
use super::panels::{GROUP, WIDTH};

/// The outputs of half a panel.
const HALF: usize = WIDTH / 2;

/// # Safety
///
/// As [`Instructions::floats`], for `R` rows.
#[target_feature(enable = "neon")]
unsafe fn floats<const R: usize>(
    a: *const f32,
    stride: usize,
    inputs: usize,
    panel: *const f32,
    tile: &mut Tile<f32>,
) {
    for half in [0, HALF] {
        // SAFETY: `a` has `R` rows of `inputs` floats, `panel` 32 floats an input.
        unsafe {
            let mut sums: [[float32x4_t; 4]; R] = [[vdupq_n_f32(0.0); 4]; R];
            for input in 0..inputs {
                let line = panel.add(input * WIDTH + half);
                let weights = [
                    vld1q_f32(line),
                    vld1q_f32(line.add(4)),
                    vld1q_f32(line.add(8)),
                    vld1q_f32(line.add(12)),
                ];
                for (row, sums) in sums.iter_mut().enumerate() {
                    let value = vdupq_n_f32(*a.add(row * stride + input));
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        *sum = vfmaq_f32(*sum, value, weights);
                    }
                }
            }
            for (sums, row) in sums.iter().zip(&mut tile.0) {
                for (part, sum) in sums.iter().enumerate() {
                    vst1q_f32(row.as_mut_ptr().add(half + part * 4), *sum);
                }
            }
        }
    }
}

/// # Safety
///
/// As [`Instructions::bytes`], for `R` rows of 7 bits.
#[target_feature(enable = "neon")]
unsafe fn bytes<const R: usize>(
    a: *const u8,
    stride: usize,
    groups: usize,
    panel: *const i8,
    tile: &mut Tile<i32>,
) {
    for half in [0, HALF] {
        // SAFETY: `a` has `R` rows of `groups` groups, `panel` 128 bytes a group.
        unsafe {
            let mut sums: [[int32x4_t; 4]; R] = [[vdupq_n_s32(0); 4]; R];
            for group in 0..groups {
                let line = panel.add((group * WIDTH + half) * GROUP);
                for (row, sums) in sums.iter_mut().enumerate() {
                    let four = a.add(row * stride + group * GROUP).cast::<i32>().read_unaligned();
                    let values = vreinterpretq_s8_s32(vdupq_n_s32(four));
                    for (part, sum) in sums.iter_mut().enumerate() {
                        let weights = vld1q_s8(line.add(part * 16));
                        let low = vmull_s8(vget_low_s8(values), vget_low_s8(weights));
                        let high = vmull_s8(vget_high_s8(values), vget_high_s8(weights));
                        *sum = vpadalq_s16(*sum, vpaddq_s16(low, high));
                    }
                }
            }
            for (sums, row) in sums.iter().zip(&mut tile.0) {
                for (part, sum) in sums.iter().enumerate() {
                    vst1q_s32(row.as_mut_ptr().add(half + part * 4), *sum);
                }
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Neon;

impl Instructions for Neon {
    const ROWS: (usize, usize) = (5, 4);

    unsafe fn floats(
        rows: usize,
        a: *const f32,
        stride: usize,
        inputs: usize,
        panel: *const f32,
        tile: &mut Tile<f32>,
    ) {
        // SAFETY: owed by the caller.
        unsafe { with_rows!(rows, [1 2 3 4 5], floats(a, stride, inputs, panel, tile)) }
    }

    unsafe fn bytes(
        rows: usize,
        a: *const u8,
        stride: usize,
        groups: usize,
        panel: *const i8,
        tile: &mut Tile<i32>,
    ) {
        // SAFETY: owed by the caller.
        unsafe { with_rows!(rows, [1 2 3 4], bytes(a, stride, groups, panel, tile)) }
    }
}

kernels!(Neon, "neon");
rows!("neon");
