//! Every level beside plain arithmetic, on random shapes that fit no register evenly.

use super::*;

/// Random numbers that are the same on every machine (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    /// Between -1 and 1.
    fn value(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
    }

    fn values(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.value()).collect()
    }
}

struct Shape {
    rows: usize,
    inputs: usize,
    outputs: usize,
}

/// The edge cases, then random shapes.
fn shapes(random: &mut Random) -> Vec<Shape> {
    let edges = [(1, 1, 1), (12, 32, 32), (13, 33, 31), (24, 3, 65), (25, 384, 97), (0, 5, 7)];
    let edges = edges.map(|(rows, inputs, outputs)| Shape { rows, inputs, outputs });
    let mut shapes = Vec::from(edges);
    shapes.extend((0..60).map(|_| Shape {
        rows: 1 + random.below(40),
        inputs: 1 + random.below(200),
        outputs: 1 + random.below(130),
    }));
    shapes
}

/// The product as the definition has it, in twice the precision.
fn product(a: &[f32], weights: &[f32], bias: &[f32], shape: &Shape) -> Vec<f64> {
    let mut out = Vec::new();
    for row in 0..shape.rows {
        for output in 0..shape.outputs {
            let weights = &weights[output * shape.inputs..][..shape.inputs];
            let values = &a[row * shape.inputs..][..shape.inputs];
            let terms = values.iter().zip(weights).map(|(a, w)| f64::from(*a) * f64::from(*w));
            out.push(terms.sum::<f64>() + f64::from(bias[output]));
        }
    }
    out
}

#[test]
fn products_of_floats_are_those_of_the_definition() {
    let mut random = Random(1);
    for shape in shapes(&mut random) {
        let Shape { rows, inputs, outputs } = shape;
        let (a, weights) = (random.values(rows * inputs), random.values(outputs * inputs));
        let bias = random.values(outputs);
        let expected = product(&a, &weights, &bias, &shape);
        let panels = Panels::pack(&weights, inputs, &bias);
        for level in Level::available() {
            let mut out = vec![9.0; rows * outputs];
            let a = Rows { values: &a, stride: inputs, count: rows };
            let mut output = Output { values: &mut out, stride: outputs };
            multiply(level, &a, &panels, Finish::Bias, &mut output);
            for (found, expected) in out.iter().zip(&expected) {
                let error = (f64::from(*found) - expected).abs();
                assert!(
                    error < 1e-6 * (inputs as f64 + 1.0),
                    "{level:?} {rows}×{inputs}×{outputs}"
                );
            }
        }
    }
}

#[test]
fn rows_may_lie_apart_and_nothing_between_them_is_written() {
    let mut random = Random(2);
    let (a, weights) = (random.values(3 * 50), random.values(5 * 40));
    let panels = Panels::pack(&weights, 40, &[0.0; 5]);
    for level in Level::available() {
        let mut out = vec![9.0; 3 * 8];
        let a = Rows { values: &a, stride: 50, count: 3 };
        multiply(level, &a, &panels, Finish::Bias, &mut Output { values: &mut out, stride: 8 });
        for row in out.chunks_exact(8) {
            assert!(row[..5].iter().all(|value| *value != 9.0), "{level:?} {row:?}");
            assert_eq!(row[5..], [9.0; 3], "{level:?}");
        }
    }
}

#[test]
fn products_of_bytes_are_exact_for_the_bytes_and_near_the_floats() {
    let mut random = Random(3);
    for shape in shapes(&mut random) {
        let Shape { rows, inputs, outputs } = shape;
        let (a, weights) = (random.values(rows * inputs), random.values(outputs * inputs));
        let bias = random.values(outputs);
        let expected = product(&a, &weights, &bias, &shape);
        let panels = BytePanels::pack(&weights, inputs, &bias);
        for level in Level::available() {
            let (mut quantized, mut plain) = (Quantized::default(), vec![0.0; rows * outputs]);
            quantize(level, &a, inputs, &mut quantized);
            let mut out = vec![9.0; rows * outputs];
            let mut output = Output { values: &mut out, stride: outputs };
            multiply_bytes(level, &quantized, &panels, Finish::Bias, &mut output);
            // The same bytes by plain arithmetic: integers, so nothing may differ but the rounding
            // of the last step.
            let mut output = Output { values: &mut plain, stride: outputs };
            multiply_bytes(Level(Set::Scalar), &quantized, &panels, Finish::Bias, &mut output);
            for (found, plain) in out.iter().zip(&plain) {
                assert!((found - plain).abs() <= 1e-5 * plain.abs().max(1.0), "{level:?}");
            }
            // Half a step of each activation (at most 2 / 127 wide) and of each weight (1 / 127).
            let bound = inputs as f64 * (1.0 / 127.0 + 0.5 / 127.0 + 0.001);
            for (found, expected) in out.iter().zip(&expected) {
                assert!((f64::from(*found) - expected).abs() < bound, "{level:?}");
            }
        }
    }
}

/// Halves have 8 bits, pairs of them 16; the loss is a share of each product.
#[test]
fn products_of_pairs_of_halves_are_near_the_floats() {
    let mut random = Random(6);
    for shape in shapes(&mut random) {
        let Shape { rows, inputs, outputs } = shape;
        let (a, weights) = (random.values(rows * inputs), random.values(outputs * inputs));
        let bias = random.values(outputs);
        let expected = product(&a, &weights, &bias, &shape);
        let panels = SplitPanels::pack(&weights, inputs, &bias);
        for level in Level::available() {
            let mut rows = Split::default();
            split(level, &a, inputs, &mut rows);
            let mut out = vec![9.0; expected.len()];
            let mut output = Output { values: &mut out, stride: outputs };
            multiply_split(level, &rows, &panels, Finish::Bias, &mut output);
            for (found, expected) in out.iter().zip(&expected) {
                let error = (f64::from(*found) - expected).abs();
                assert!(error < 4e-6 * (inputs as f64 + 1.0), "{level:?} {error}");
            }
        }
    }
}

#[test]
fn the_unit_is_applied_after_the_bias() {
    let panels = Panels::pack(&[2.0, -2.0], 1, &[1.0, -1.0]);
    let bytes = BytePanels::pack(&[2.0, -2.0], 1, &[1.0, -1.0]);
    for level in Level::available() {
        let (mut floats, mut quantized) = ([0.0; 2], [0.0; 2]);
        let a = Rows { values: &[1.0], stride: 1, count: 1 };
        multiply(level, &a, &panels, Finish::Gelu, &mut Output { values: &mut floats, stride: 2 });
        let mut rows = Quantized::default();
        quantize(level, &[1.0], 1, &mut rows);
        let mut output = Output { values: &mut quantized, stride: 2 };
        multiply_bytes(level, &rows, &bytes, Finish::Gelu, &mut output);
        for found in [floats, quantized] {
            // 3 Φ(3) and -3 Φ(-3).
            assert!((found[0] - 2.995_950_3).abs() < 1e-4, "{level:?} {found:?}");
            assert!((found[1] + 0.004_049_7).abs() < 1e-4, "{level:?} {found:?}");
        }
    }
}

#[test]
fn normalized_rows_have_the_mean_and_the_variance_that_they_should() {
    let mut random = Random(4);
    for width in [1, 15, 16, 40, 384] {
        let (values, residual) = (random.values(3 * width), random.values(3 * width));
        let (gain, shift) = (vec![2.0; width], vec![0.5; width]);
        for level in Level::available() {
            let mut out = values.clone();
            add_and_normalize(level, &mut out, Some(&residual), &gain, &shift, 1e-12);
            for (row, found) in out.chunks_exact(width).enumerate() {
                let sums: Vec<f64> = (0..width)
                    .map(|at| {
                        f64::from(values[row * width + at]) + f64::from(residual[row * width + at])
                    })
                    .collect();
                let mean = sums.iter().sum::<f64>() / width as f64;
                let variance =
                    sums.iter().map(|sum| (sum - mean).powi(2)).sum::<f64>() / width as f64;
                for (found, sum) in found.iter().zip(&sums) {
                    let expected = (sum - mean) / (variance + 1e-12).sqrt() * 2.0 + 0.5;
                    assert!((f64::from(*found) - expected).abs() < 1e-4, "{level:?} {width}");
                }
            }
        }
    }
}

#[test]
fn shares_sum_to_one() {
    let mut random = Random(5);
    for width in [1, 7, 16, 33] {
        let stride = usize::next_multiple_of(width, SCORES);
        let values: Vec<f32> = random.values(4 * stride).iter().map(|value| value * 50.0).collect();
        for level in Level::available() {
            let mut out = values.clone();
            softmax(level, &mut out, stride, width);
            for (found, row) in out.chunks_exact(stride).zip(values.chunks_exact(stride)) {
                let total: f64 = row[..width].iter().map(|value| f64::from(*value).exp()).sum();
                for (found, value) in found[..width].iter().zip(row) {
                    let expected = f64::from(*value).exp() / total;
                    assert!((f64::from(*found) - expected).abs() < 1e-6, "{level:?} {width}");
                }
            }
        }
    }
}

#[test]
fn zero_survives_quantization_and_equal_rows_do_not_divide_by_zero() {
    for level in Level::available() {
        let mut rows = Quantized::default();
        quantize(level, &[-1.0, 0.0, 3.0, 0.0, 0.0, 0.0, 2.0, 2.0, 2.0], 3, &mut rows);
        let back = |row: usize, at: usize| {
            (f32::from(rows.bytes[row * rows.stride + at]) - rows.zeros[row]) * rows.steps[row]
        };
        assert_eq!([back(0, 1), back(1, 0), back(1, 1)], [0.0; 3], "{level:?}");
        assert!((back(0, 0) + 1.0).abs() < 0.02 && (back(0, 2) - 3.0).abs() < 0.02, "{level:?}");
        assert!((back(2, 1) - 2.0).abs() < 0.02, "{level:?}");
    }
}

#[test]
fn levels_are_found_by_name_and_end_with_plain_arithmetic() {
    let levels = Level::available();
    assert_eq!(levels.last().map(|level| level.name()), Some("scalar"));
    assert!(levels.iter().all(|level| Level::find(level.name()) == Some(*level)));
    assert_eq!((Level::find("abacus"), Level::best()), (None, levels[0]));
}
