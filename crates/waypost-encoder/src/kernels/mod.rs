//! The arithmetic of an encoder, for the instructions that the processor has.
//!
//! The only module of the repository with unsafe code: vector instructions need it. Everything that
//! leaves it is safe: a [`Level`] exists only where its instructions do, and the functions below
//! check that slices are as long as the inner loops read and write.
#![allow(unsafe_code, reason = "vector instructions and the loads that feed them")]

mod driver;
mod math;
mod panels;
mod scalar;

#[cfg(target_arch = "x86_64")]
mod amx;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod avx512_rows;
#[cfg(target_arch = "aarch64")]
mod neon;

use std::fmt;

pub(crate) use driver::{Finish, Output, Quantized, Rows, Split};
pub(crate) use panels::{BytePanels, Panels, SplitPanels};

/// A set of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    #[cfg(target_arch = "x86_64")]
    Amx,
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
    Scalar,
}

/// Every set with its name, the fastest first.
const SETS: &[(Set, &str)] = &[
    #[cfg(target_arch = "x86_64")]
    (Set::Amx, "amx"),
    #[cfg(target_arch = "x86_64")]
    (Set::Avx512Vnni, "avx512-vnni"),
    #[cfg(target_arch = "x86_64")]
    (Set::Avx512, "avx512"),
    #[cfg(target_arch = "x86_64")]
    (Set::Avx2, "avx2"),
    #[cfg(target_arch = "aarch64")]
    (Set::Neon, "neon"),
    (Set::Scalar, "scalar"),
];

impl Set {
    #[cfg(target_arch = "x86_64")]
    fn is_there(self) -> bool {
        let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let avx512 = avx2
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        match self {
            Set::Amx => avx512 && is_x86_feature_detected!("avx512vnni") && amx::is_there(),
            Set::Avx512Vnni => avx512 && is_x86_feature_detected!("avx512vnni"),
            Set::Avx512 => avx512,
            Set::Avx2 => avx2,
            Set::Scalar => true,
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn is_there(self) -> bool {
        match self {
            Set::Neon => std::arch::is_aarch64_feature_detected!("neon"),
            Set::Scalar => true,
        }
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn is_there(self) -> bool {
        self == Set::Scalar
    }
}

/// The instructions that the kernels use; a level exists only for those that this processor has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Level(Set);

impl Level {
    /// Every level of this processor, the fastest first; the last is plain arithmetic.
    pub fn available() -> Vec<Level> {
        SETS.iter().filter(|(set, _)| set.is_there()).map(|(set, _)| Level(*set)).collect()
    }

    /// The fastest level of this processor.
    pub fn best() -> Level {
        Self::available().first().copied().unwrap_or(Level(Set::Scalar))
    }

    /// The level of this name, if this processor has it.
    pub fn find(name: &str) -> Option<Level> {
        Self::available().into_iter().find(|level| level.name() == name)
    }

    /// Its name, such as `avx512-vnni`.
    pub fn name(self) -> &'static str {
        SETS.iter().find(|(set, _)| *set == self.0).map_or("scalar", |(_, name)| name)
    }

    /// Returns whether floats are multiplied faster as pairs of halves.
    pub(crate) fn splits(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self.0 == Set::Amx;
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }

    /// The greatest value of an activation in 8 bits: instructions that add products in pairs of 16
    /// bits leave one bit free.
    pub(crate) fn activation_most(self) -> f32 {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Amx | Set::Avx512Vnni => 255.0,
            Set::Scalar => 255.0,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            _ => 127.0,
        }
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Calls a function of the level's module.
macro_rules! dispatch {
    ($level:expr, $function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: a level exists only where the processor has its instructions.
        match $level.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Amx => unsafe { amx::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            Set::Avx512Vnni => unsafe { avx512::vnni::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => unsafe { avx512::plain::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { avx2::$function($($argument),*) },
            #[cfg(target_arch = "aarch64")]
            Set::Neon => unsafe { neon::$function($($argument),*) },
            Set::Scalar => scalar::$function($($argument),*),
        }
    };
}

/// Returns how many values `count` rows reach over.
fn reach(count: usize, stride: usize, width: usize) -> usize {
    if count == 0 { 0 } else { (count - 1) * stride + width }
}

/// Multiplies rows with a matrix of floats.
pub(crate) fn multiply(
    level: Level,
    a: &Rows<'_>,
    panels: &Panels,
    finish: Finish,
    out: &mut Output<'_>,
) {
    assert!(a.values.len() >= reach(a.count, a.stride, panels.inputs), "rows are cut off");
    assert!(out.values.len() >= reach(a.count, out.stride, panels.outputs), "no room");
    dispatch!(level, multiply(a, panels, finish, out));
}

/// Multiplies rows of bytes with a matrix of bytes.
pub(crate) fn multiply_bytes(
    level: Level,
    a: &Quantized,
    panels: &BytePanels,
    finish: Finish,
    out: &mut Output<'_>,
) {
    let rows = a.steps.len();
    assert!(a.stride == panels.groups * panels::GROUP, "the matrix has other inputs");
    assert!(a.bytes.len() >= rows * a.stride && a.zeros.len() == rows, "rows are cut off");
    assert!(out.values.len() >= reach(rows, out.stride, panels.outputs), "no room");
    dispatch!(level, multiply_bytes(a, panels, finish, out));
}

/// Multiplies rows of pairs of halves with a matrix of them.
pub(crate) fn multiply_split(
    level: Level,
    a: &Split,
    panels: &SplitPanels,
    finish: Finish,
    out: &mut Output<'_>,
) {
    assert!(a.stride == panels.pairs * 2, "the matrix has other inputs");
    let length = a.rows * a.stride;
    assert!(a.high.len() >= length && a.low.len() >= length, "rows are cut off");
    assert!(out.values.len() >= reach(a.rows, out.stride, panels.outputs), "no room");
    match level.0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level exists only where the processor has its instructions.
        Set::Amx => unsafe { amx::multiply_split(a, panels, finish, out) },
        // Others do not split; they are still right.
        _ => scalar::multiply_split(a, panels, finish, out),
    }
}

/// Turns rows of floats into pairs of halves.
pub(crate) fn split(level: Level, values: &[f32], width: usize, into: &mut Split) {
    match level.0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a level exists only where the processor has its instructions.
        Set::Amx => unsafe { amx::split(values, width, into) },
        _ => scalar::split(values, width, into),
    }
}

/// Adds `residual`, brings each row to mean 0 and variance 1, applies gain and shift.
pub(crate) fn add_and_normalize(
    level: Level,
    values: &mut [f32],
    residual: Option<&[f32]>,
    gain: &[f32],
    shift: &[f32],
    epsilon: f32,
) {
    dispatch!(level, add_and_normalize(values, residual, gain, shift, epsilon));
}

/// Rows of scores are padded to a multiple of this length.
pub(crate) const SCORES: usize = 16;

/// Turns the first `width` values of each row into shares that sum to 1, and loses the others. Rows
/// are `stride` long, the next multiple of [`SCORES`].
pub(crate) fn softmax(level: Level, values: &mut [f32], stride: usize, width: usize) {
    assert!(stride == width.next_multiple_of(SCORES), "rows have another padding");
    dispatch!(level, softmax(values, stride, width));
}

/// Turns rows of floats into bytes that `multiply_bytes` of the same level takes.
pub(crate) fn quantize(level: Level, values: &[f32], width: usize, into: &mut Quantized) {
    dispatch!(level, quantize(values, width, level.activation_most(), into));
}

#[cfg(test)]
mod tests;
