//! Kernels of 16 lanes: AVX-512, and AVX-512 with the 8-bit dot products of VNNI.
//!
//! The sums of up to 12 rows and 32 outputs are in 24 registers; each input costs two loads of
//! weights and one broadcast a row. The weights of later inputs are fetched ahead by hand, because
//! the processor's own prefetcher stops at every page.

use std::arch::x86_64::{
    __m512, __m512i, _MM_HINT_T0, _mm_prefetch, _mm512_add_epi32, _mm512_dpbusd_epi32,
    _mm512_fmadd_ps, _mm512_load_ps, _mm512_load_si512, _mm512_madd_epi16, _mm512_maddubs_epi16,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512,
    _mm512_store_ps, _mm512_store_si512,
};

use super::driver::{Finish, Instructions, Tile, with_rows};
use super::panels::{GROUP, WIDTH};

/// The distance at which weights are fetched ahead, in bytes: about the latency of memory times its
/// bandwidth for one core.
const AHEAD: usize = 4096;

/// # Safety
///
/// As [`Instructions::floats`], for `R` rows on a processor with AVX-512F.
#[target_feature(enable = "avx512f")]
unsafe fn floats<const R: usize>(
    a: *const f32,
    stride: usize,
    inputs: usize,
    panel: *const f32,
    tile: &mut Tile<f32>,
) {
    let mut sums: [[__m512; 2]; R] = [[_mm512_setzero_ps(); 2]; R];
    // SAFETY: `a` has `R` rows of `inputs` floats, `panel` 32 aligned floats an input; prefetching
    // past the end touches nothing.
    unsafe {
        for input in 0..inputs {
            let line = panel.add(input * WIDTH);
            _mm_prefetch::<_MM_HINT_T0>(line.cast::<i8>().wrapping_add(AHEAD));
            _mm_prefetch::<_MM_HINT_T0>(line.cast::<i8>().wrapping_add(AHEAD + 64));
            let weights = [_mm512_load_ps(line), _mm512_load_ps(line.add(16))];
            for (row, sums) in sums.iter_mut().enumerate() {
                let value = _mm512_set1_ps(*a.add(row * stride + input));
                sums[0] = _mm512_fmadd_ps(value, weights[0], sums[0]);
                sums[1] = _mm512_fmadd_ps(value, weights[1], sums[1]);
            }
        }
        for (sums, row) in sums.iter().zip(&mut tile.0) {
            _mm512_store_ps(row.as_mut_ptr(), sums[0]);
            _mm512_store_ps(row.as_mut_ptr().add(16), sums[1]);
        }
    }
}

/// Adds the products of four bytes a lane.
trait Dot {
    /// # Safety
    ///
    /// The processor has the instructions.
    unsafe fn dot(sum: __m512i, values: __m512i, weights: __m512i) -> __m512i;
}

struct Fused;

impl Dot for Fused {
    #[inline(always)]
    unsafe fn dot(sum: __m512i, values: __m512i, weights: __m512i) -> __m512i {
        // SAFETY: owed by the caller.
        unsafe { _mm512_dpbusd_epi32(sum, values, weights) }
    }
}

struct InPairs;

impl Dot for InPairs {
    #[inline(always)]
    unsafe fn dot(sum: __m512i, values: __m512i, weights: __m512i) -> __m512i {
        // SAFETY: owed by the caller.
        unsafe {
            // Values of 7 bits: two products stay below 2^15.
            let pairs = _mm512_maddubs_epi16(values, weights);
            _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
        }
    }
}

/// # Safety
///
/// As [`Instructions::bytes`], for `R` rows on a processor with what `D` needs.
#[inline(always)]
unsafe fn bytes<D: Dot, const R: usize>(
    a: *const u8,
    stride: usize,
    groups: usize,
    panel: *const i8,
    tile: &mut Tile<i32>,
) {
    // SAFETY: `a` has `R` rows of `groups` groups, `panel` 128 aligned bytes a group; prefetching
    // past the end touches nothing.
    unsafe {
        let mut sums: [[__m512i; 2]; R] = [[_mm512_setzero_si512(); 2]; R];
        for group in 0..groups {
            let line = panel.add(group * GROUP * WIDTH);
            _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(AHEAD));
            _mm_prefetch::<_MM_HINT_T0>(line.wrapping_add(AHEAD + 64));
            let weights = [_mm512_load_si512(line.cast()), _mm512_load_si512(line.add(64).cast())];
            for (row, sums) in sums.iter_mut().enumerate() {
                let four = a.add(row * stride + group * GROUP).cast::<i32>().read_unaligned();
                let values = _mm512_set1_epi32(four);
                sums[0] = D::dot(sums[0], values, weights[0]);
                sums[1] = D::dot(sums[1], values, weights[1]);
            }
        }
        for (sums, row) in sums.iter().zip(&mut tile.0) {
            _mm512_store_si512(row.as_mut_ptr().cast(), sums[0]);
            _mm512_store_si512(row.as_mut_ptr().add(16).cast(), sums[1]);
        }
    }
}

/// # Safety
///
/// As [`bytes`], with VNNI.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
unsafe fn fused<const R: usize>(
    a: *const u8,
    stride: usize,
    groups: usize,
    panel: *const i8,
    tile: &mut Tile<i32>,
) {
    // SAFETY: owed by the caller.
    unsafe { bytes::<Fused, R>(a, stride, groups, panel, tile) }
}

/// # Safety
///
/// As [`bytes`], with AVX-512BW.
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn in_pairs<const R: usize>(
    a: *const u8,
    stride: usize,
    groups: usize,
    panel: *const i8,
    tile: &mut Tile<i32>,
) {
    // SAFETY: owed by the caller.
    unsafe { bytes::<InPairs, R>(a, stride, groups, panel, tile) }
}

/// The instructions of a module below, with its function for bytes.
macro_rules! instructions {
    ($name:ident, $bytes:ident) => {
        #[derive(Debug)]
        pub(super) struct $name;

        impl Instructions for $name {
            const ROWS: (usize, usize) = (12, 12);

            unsafe fn complete(products: &mut [f32; WIDTH], bias: Option<&[f32]>, finish: Finish) {
                // SAFETY: owed by the caller.
                unsafe { super::avx512_rows::complete(products, bias, finish) }
            }

            unsafe fn floats(
                rows: usize,
                a: *const f32,
                stride: usize,
                inputs: usize,
                panel: *const f32,
                tile: &mut Tile<f32>,
            ) {
                // SAFETY: owed by the caller.
                unsafe {
                    with_rows!(rows, [1 2 3 4 5 6 7 8 9 10 11 12],
                        floats(a, stride, inputs, panel, tile));
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
                // SAFETY: owed by the caller.
                unsafe {
                    with_rows!(rows, [1 2 3 4 5 6 7 8 9 10 11 12],
                        $bytes(a, stride, groups, panel, tile));
                }
            }
        }
    };
}

instructions!(Vnni, fused);
instructions!(Plain, in_pairs);

/// AVX-512 with VNNI.
pub(super) mod vnni {
    pub(in crate::kernels) use super::super::avx512_rows::{add_and_normalize, quantize, softmax};

    super::super::driver::kernels!(
        super::Vnni,
        "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma"
    );
}

/// AVX-512 without VNNI.
pub(super) mod plain {
    pub(in crate::kernels) use super::super::avx512_rows::{add_and_normalize, quantize, softmax};

    super::super::driver::kernels!(super::Plain, "avx512f,avx512bw,avx512dq,avx512vl,fma");
}
