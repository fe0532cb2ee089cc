//! Functions of one number, written so that a compiler turns a loop over them into vector code: no
//! branches, no calls.

/// 1.5 × 2^23: a float of this size has no room for a fraction, so adding it rounds to the nearest
/// integer and leaves that in the lowest bits.
pub(super) const ROUND: f32 = 12_582_912.0;
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;
/// Below and above these, e^x leaves the normal floats.
const LEAST: f32 = -87.0;
const MOST: f32 = 88.0;

/// e^x with a relative error below 3e-7; arguments are held between -87 and 88.
///
/// x = n ln 2 + r with |r| ≤ ln 2 / 2, so e^x = 2^n e^r: a series of seven terms, and n added to the
/// exponent.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let x = if x > LEAST { x } else { LEAST };
    let x = if x < MOST { x } else { MOST };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * LN2_HIGH - n * LN2_LOW;
    let mut sum = 1.0 / 720.0;
    for term in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        sum = sum * r + term;
    }
    f32::from_bits(sum.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// The Gaussian error linear unit, x Φ(x), with the error function and not its tanh approximation.
///
/// Source: Abramowitz and Stegun 1964, formula 7.1.26, whose error in erf is at most 1.5e-7.
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    const TERMS: [f32; 4] = [-1.453_152_1, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let mut sum = 1.061_405_4;
    for term in TERMS {
        sum = sum * t + term;
    }
    let tail = 0.5 * sum * t * exp(-z * z);
    // Φ(x) is 1 - tail on the right and tail on the left.
    let share = if x < 0.0 { tail } else { 1.0 - tail };
    x * share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_near_the_one_of_the_standard_library() {
        for step in -8600..8700 {
            let x = step as f32 / 100.0;
            let expected = f64::from(x).exp();
            let error = (f64::from(exp(x)) / expected - 1.0).abs();
            assert!(error < 3e-7, "exp({x}) is off by {error}");
        }
        assert!(exp(f32::NEG_INFINITY) < 1e-37 && exp(f32::INFINITY).is_finite());
    }

    #[test]
    fn gelu_has_the_values_of_the_definition() {
        // x Φ(x) with Φ from tables of the normal distribution.
        for (x, expected) in [
            (-3.0, -0.004_049_694),
            (-1.0, -0.158_655_25),
            (0.0, 0.0),
            (0.5, 0.345_731_23),
            (2.0, 1.954_499_7),
        ] {
            assert!((gelu(x) - expected).abs() < 5e-7, "gelu({x}) is {}", gelu(x));
        }
        assert_eq!(gelu(12.0), 12.0);
    }
}
