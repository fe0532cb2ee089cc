//! The operations on rows of values, in 16 lanes by hand: compilers do the loops of `driver` over
//! lanes two at a time. The values beyond a multiple of 16 are done under a mask.

use std::arch::x86_64::{
    __m512, __mmask16, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm_mask_storeu_epi8,
    _mm512_add_ps, _mm512_andnot_ps, _mm512_cvtps_epi32, _mm512_cvtusepi32_epi8, _mm512_div_ps,
    _mm512_fmadd_ps, _mm512_fnmadd_ps, _mm512_mask_max_ps, _mm512_mask_min_ps, _mm512_mask_mov_ps,
    _mm512_mask_storeu_ps, _mm512_mask_sub_ps, _mm512_maskz_loadu_ps, _mm512_maskz_sub_ps,
    _mm512_max_ps, _mm512_min_ps, _mm512_movepi32_mask, _mm512_mul_ps, _mm512_reduce_add_ps,
    _mm512_reduce_max_ps, _mm512_reduce_min_ps, _mm512_roundscale_ps, _mm512_scalef_ps,
    _mm512_set1_ps, _mm512_setzero_ps, _mm512_sub_ps,
};

use super::driver::{Finish, Quantized};
use super::panels::{GROUP, WIDTH};

const LANES: usize = 16;
const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

/// Returns the mask of the lanes from `at` on that the row has.
#[inline(always)]
fn mask(width: usize, at: usize) -> __mmask16 {
    if width - at >= LANES { !0 } else { (1 << (width - at)) - 1 }
}

/// e^x as in `math::exp`, of numbers that are not above 0.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn exp(x: __m512) -> __m512 {
    let x = _mm512_max_ps(x, _mm512_set1_ps(-87.0));
    let n =
        _mm512_roundscale_ps::<NEAREST>(_mm512_mul_ps(x, _mm512_set1_ps(std::f32::consts::LOG2_E)));
    let r = _mm512_fnmadd_ps(n, _mm512_set1_ps(std::f32::consts::LN_2), x);
    let mut sum = _mm512_set1_ps(1.0 / 720.0);
    for term in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(term));
    }
    _mm512_scalef_ps(sum, n)
}

/// The unit as in `math::gelu`.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn gelu(x: __m512) -> __m512 {
    let size = _mm512_andnot_ps(_mm512_set1_ps(-0.0), x);
    let z = _mm512_mul_ps(size, _mm512_set1_ps(std::f32::consts::FRAC_1_SQRT_2));
    let one = _mm512_set1_ps(1.0);
    let t = _mm512_div_ps(one, _mm512_fmadd_ps(z, _mm512_set1_ps(0.327_591_1), one));
    let mut sum = _mm512_set1_ps(1.061_405_4);
    for term in [-1.453_152_1, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        sum = _mm512_fmadd_ps(sum, t, _mm512_set1_ps(term));
    }
    let curve = exp(_mm512_fnmadd_ps(z, z, _mm512_setzero_ps()));
    let half = _mm512_mul_ps(_mm512_set1_ps(0.5), t);
    let tail = _mm512_mul_ps(_mm512_mul_ps(sum, half), curve);
    // The signs of x, as a mask.
    let negative = _mm512_movepi32_mask(std::arch::x86_64::_mm512_castps_si512(x));
    let share = _mm512_mask_mov_ps(_mm512_sub_ps(one, tail), negative, tail);
    _mm512_mul_ps(x, share)
}

/// Adds the bias and applies the unit.
#[target_feature(enable = "avx512f,avx512dq")]
pub(in crate::kernels) fn complete(
    products: &mut [f32; WIDTH],
    bias: Option<&[f32]>,
    finish: Finish,
) {
    for (half, products) in products.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        // SAFETY: both are 16 floats long; a bias has all 32, which the index checks.
        unsafe {
            let mut values = _mm512_maskz_loadu_ps(!0, products.as_ptr());
            if let Some(bias) = bias {
                let bias = &bias[half * LANES..(half + 1) * LANES];
                values = _mm512_add_ps(values, _mm512_maskz_loadu_ps(!0, bias.as_ptr()));
            }
            if finish == Finish::Gelu {
                values = gelu(values);
            }
            _mm512_mask_storeu_ps(products.as_mut_ptr(), !0, values);
        }
    }
}

#[target_feature(enable = "avx512f,avx512dq")]
pub(in crate::kernels) fn add_and_normalize(
    values: &mut [f32],
    residual: Option<&[f32]>,
    gain: &[f32],
    shift: &[f32],
    epsilon: f32,
) {
    let width = gain.len();
    assert!(shift.len() == width && residual.is_none_or(|rows| rows.len() >= values.len()));
    for (index, row) in values.chunks_exact_mut(width).enumerate() {
        let residual = residual.map(|rows| &rows[index * width..(index + 1) * width]);
        let steps = || (0..width).step_by(LANES);
        // SAFETY: every load and store is under the mask of what the row has.
        unsafe {
            let mut sum = _mm512_setzero_ps();
            for at in steps() {
                let mask = mask(width, at);
                let mut part = _mm512_maskz_loadu_ps(mask, row.as_ptr().add(at));
                if let Some(residual) = residual {
                    part =
                        _mm512_add_ps(part, _mm512_maskz_loadu_ps(mask, residual.as_ptr().add(at)));
                    _mm512_mask_storeu_ps(row.as_mut_ptr().add(at), mask, part);
                }
                sum = _mm512_add_ps(sum, part);
            }
            let mean = _mm512_set1_ps(_mm512_reduce_add_ps(sum) / width as f32);
            let mut squares = _mm512_setzero_ps();
            for at in steps() {
                let mask = mask(width, at);
                let part = _mm512_maskz_loadu_ps(mask, row.as_ptr().add(at));
                let aside = _mm512_maskz_sub_ps(mask, part, mean);
                squares = _mm512_fmadd_ps(aside, aside, squares);
            }
            let variance = _mm512_reduce_add_ps(squares) / width as f32;
            let scale = _mm512_set1_ps(1.0 / (variance + epsilon).sqrt());
            for at in steps() {
                let mask = mask(width, at);
                let part = _mm512_maskz_loadu_ps(mask, row.as_ptr().add(at));
                let gain = _mm512_maskz_loadu_ps(mask, gain.as_ptr().add(at));
                let shift = _mm512_maskz_loadu_ps(mask, shift.as_ptr().add(at));
                let aside = _mm512_mul_ps(_mm512_sub_ps(part, mean), scale);
                let part = _mm512_fmadd_ps(aside, gain, shift);
                _mm512_mask_storeu_ps(row.as_mut_ptr().add(at), mask, part);
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512dq")]
pub(in crate::kernels) fn softmax(values: &mut [f32], stride: usize, width: usize) {
    assert!(width <= stride);
    for row in values.chunks_exact_mut(stride) {
        let steps = || (0..width).step_by(LANES);
        // SAFETY: every load and store is under the mask of what the row has.
        unsafe {
            let mut most = _mm512_set1_ps(f32::MIN);
            for at in steps() {
                let mask = mask(width, at);
                let part = _mm512_maskz_loadu_ps(mask, row.as_ptr().add(at));
                most = _mm512_mask_max_ps(most, mask, most, part);
            }
            let most = _mm512_set1_ps(_mm512_reduce_max_ps(most));
            let mut sum = _mm512_setzero_ps();
            for at in steps() {
                let mask = mask(width, at);
                let part = _mm512_maskz_loadu_ps(mask, row.as_ptr().add(at));
                let part = exp(_mm512_sub_ps(part, most));
                sum = _mm512_add_ps(
                    sum,
                    _mm512_mask_sub_ps(_mm512_setzero_ps(), mask, part, _mm512_setzero_ps()),
                );
                _mm512_mask_storeu_ps(row.as_mut_ptr().add(at), mask, part);
            }
            let scale = _mm512_set1_ps(1.0 / _mm512_reduce_add_ps(sum));
            for at in steps() {
                let mask = mask(width, at);
                let part = _mm512_maskz_loadu_ps(mask, row.as_ptr().add(at));
                _mm512_mask_storeu_ps(row.as_mut_ptr().add(at), mask, _mm512_mul_ps(part, scale));
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(in crate::kernels) fn quantize(values: &[f32], width: usize, most: f32, into: &mut Quantized) {
    let rows = values.len() / width;
    into.stride = width.next_multiple_of(GROUP);
    into.bytes.clear();
    into.bytes.resize(rows * into.stride, 0);
    into.steps.clear();
    into.zeros.clear();
    for (row, bytes) in values.chunks_exact(width).zip(into.bytes.chunks_exact_mut(into.stride)) {
        let steps = || (0..width).step_by(LANES);
        // SAFETY: every load and store is under the mask of what the row has, and its bytes are as
        // many at least.
        unsafe {
            let (mut least, mut greatest) = (_mm512_setzero_ps(), _mm512_setzero_ps());
            for at in steps() {
                let mask = mask(width, at);
                let part = _mm512_maskz_loadu_ps(mask, row.as_ptr().add(at));
                least = _mm512_mask_min_ps(least, mask, part, least);
                greatest = _mm512_mask_max_ps(greatest, mask, part, greatest);
            }
            let least = _mm512_reduce_min_ps(least);
            let range = _mm512_reduce_max_ps(greatest) - least;
            let step = if range > f32::MIN_POSITIVE { range / most } else { 1.0 };
            let per_step = 1.0 / step;
            let zero = (-least * per_step).round_ties_even();
            let (scale, add) = (_mm512_set1_ps(per_step), _mm512_set1_ps(zero));
            for at in steps() {
                let mask = mask(width, at);
                let part = _mm512_maskz_loadu_ps(mask, row.as_ptr().add(at));
                let part = _mm512_fmadd_ps(part, scale, add);
                let part = _mm512_max_ps(part, _mm512_setzero_ps());
                let part = _mm512_min_ps(part, _mm512_set1_ps(most));
                let part = _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(part));
                _mm_mask_storeu_epi8(bytes.as_mut_ptr().add(at).cast(), mask, part);
            }
            into.steps.push(step);
            into.zeros.push(zero);
        }
    }
}
