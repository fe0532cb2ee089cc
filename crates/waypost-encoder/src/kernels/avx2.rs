//! Kernels of 8 lanes: AVX2 with fused multiplication and addition.
//!
//! A panel is done in two halves of 16 outputs. Bytes are multiplied in pairs into 16 bits, which
//! holds two products only where one factor has 7 bits.

use std::arch::x86_64::{
    __m256, __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_add_epi32, _mm256_fmadd_ps, _mm256_load_ps,
    _mm256_load_si256, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_store_ps,
    _mm256_store_si256,
};

use super::driver::{Instructions, Tile, kernels, rows, with_rows};
use super::panels::{GROUP, WIDTH};

/// The distance at which weights are fetched ahead, in bytes.
const AHEAD: usize = 4096;
/// The outputs of half a panel.
const HALF: usize = WIDTH / 2;

/// # Safety
///
/// As [`Instructions::floats`], for `R` rows on a processor with AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn floats<const R: usize>(
    a: *const f32,
    stride: usize,
    inputs: usize,
    panel: *const f32,
    tile: &mut Tile<f32>,
) {
    for half in [0, HALF] {
        let mut sums: [[__m256; 2]; R] = [[_mm256_setzero_ps(); 2]; R];
        // SAFETY: `a` has `R` rows of `inputs` floats, `panel` 32 aligned floats an input;
        // prefetching past the end touches nothing.
        unsafe {
            for input in 0..inputs {
                let line = panel.add(input * WIDTH + half);
                _mm_prefetch::<_MM_HINT_T0>(line.cast::<i8>().wrapping_add(AHEAD));
                let weights = [_mm256_load_ps(line), _mm256_load_ps(line.add(8))];
                for (row, sums) in sums.iter_mut().enumerate() {
                    let value = _mm256_set1_ps(*a.add(row * stride + input));
                    sums[0] = _mm256_fmadd_ps(value, weights[0], sums[0]);
                    sums[1] = _mm256_fmadd_ps(value, weights[1], sums[1]);
                }
            }
            for (sums, row) in sums.iter().zip(&mut tile.0) {
                _mm256_store_ps(row.as_mut_ptr().add(half), sums[0]);
                _mm256_store_ps(row.as_mut_ptr().add(half + 8), sums[1]);
            }
        }
    }
}

/// # Safety
///
/// As [`Instructions::bytes`], for `R` rows of 7 bits on a processor with AVX2.
#[target_feature(enable = "avx2")]
unsafe fn bytes<const R: usize>(
    a: *const u8,
    stride: usize,
    groups: usize,
    panel: *const i8,
    tile: &mut Tile<i32>,
) {
    let ones = _mm256_set1_epi16(1);
    for half in [0, HALF] {
        let mut sums: [[__m256i; 2]; R] = [[_mm256_setzero_si256(); 2]; R];
        // SAFETY: `a` has `R` rows of `groups` groups, `panel` 128 aligned bytes a group;
        // prefetching past the end touches nothing.
        unsafe {
            for group in 0..groups {
                let line = panel.add((group * WIDTH + half) * GROUP);
                _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(AHEAD));
                let weights =
                    [_mm256_load_si256(line.cast()), _mm256_load_si256(line.add(32).cast())];
                for (row, sums) in sums.iter_mut().enumerate() {
                    let four = a.add(row * stride + group * GROUP).cast::<i32>().read_unaligned();
                    let values = _mm256_set1_epi32(four);
                    for (sum, weights) in sums.iter_mut().zip(weights) {
                        let pairs = _mm256_maddubs_epi16(values, weights);
                        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
                    }
                }
            }
            for (sums, row) in sums.iter().zip(&mut tile.0) {
                _mm256_store_si256(row.as_mut_ptr().add(half).cast(), sums[0]);
                _mm256_store_si256(row.as_mut_ptr().add(half + 8).cast(), sums[1]);
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Avx2;

impl Instructions for Avx2 {
    const ROWS: (usize, usize) = (6, 4);

    unsafe fn floats(
        rows: usize,
        a: *const f32,
        stride: usize,
        inputs: usize,
        panel: *const f32,
        tile: &mut Tile<f32>,
    ) {
        // SAFETY: owed by the caller.
        unsafe { with_rows!(rows, [1 2 3 4 5 6], floats(a, stride, inputs, panel, tile)) }
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

kernels!(Avx2, "avx2,fma");
rows!("avx2,fma");
