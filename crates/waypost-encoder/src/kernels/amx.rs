//! Kernels on tiles: AMX multiplies 16 rows with 16 outputs and 64 bytes, or 32 halves, at a time.
//!
//! Bytes are multiplied as they are. Floats are multiplied as pairs of halves (see `SplitPanels`):
//! three products of halves are five times as fast as one product of floats, and their error is
//! less than a hundred-thousandth. Everything else is AVX-512.
//!
//! The instructions are written as assembly, because their intrinsics are not stable. Each block sets
//! the tiles up, uses and releases them, so that nothing else ever sees them in use.

use std::arch::asm;

use super::avx512::Vnni;
pub(super) use super::avx512_rows::{add_and_normalize, quantize, softmax};
use super::driver::{Finish, Instructions, SplitInstructions, Tile, kernels};
use super::panels::WIDTH;

/// Rows of a tile; each has 64 bytes.
const TILE_ROWS: usize = 16;
/// Groups of four bytes, or pairs of halves, that one step multiplies.
const STEP: usize = 16;

/// The shapes of the eight tiles, as the processor reads them.
#[repr(C, align(64))]
struct Shapes {
    palette: u8,
    start: u8,
    reserved: [u8; 14],
    bytes: [u16; 16],
    rows: [u8; 16],
}

/// Returns tiles of 64 bytes a row, with so many rows each; 16 for those of weights.
fn shapes(rows: [usize; 8]) -> Shapes {
    let mut shapes =
        Shapes { palette: 1, start: 0, reserved: [0; 14], bytes: [0; 16], rows: [0; 16] };
    for (tile, rows) in rows.into_iter().enumerate() {
        shapes.bytes[tile] = 64;
        // At most 16.
        shapes.rows[tile] = rows as u8;
    }
    shapes
}

/// Returns whether the processor has the instructions and the system lets this process use them.
pub(super) fn is_there() -> bool {
    use std::arch::x86_64::{__cpuid, __cpuid_count};
    /// `amx-bf16`, `amx-tile` and `amx-int8` in the answer of leaf 7.
    const AMX: u32 = 1 << 22 | 1 << 24 | 1 << 25;
    /// The processor has `xgetbv`, and the system has switched it on.
    const OSXSAVE: u32 = 1 << 27;
    if __cpuid(1).ecx & OSXSAVE == 0 || __cpuid_count(7, 0).edx & AMX != AMX {
        return false;
    }
    permitted()
}

/// Asks the kernel for the use of tiles, which it grants to a process once and for all.
#[cfg(target_os = "linux")]
fn permitted() -> bool {
    const ARCH_PRCTL: usize = 158;
    const REQUEST_PERMISSION: usize = 0x1023;
    const TILE_DATA: usize = 18;
    let mut outcome = ARCH_PRCTL;
    // SAFETY: the call changes nothing but what this process may use; it keeps memory as it is.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") outcome,
            in("rdi") REQUEST_PERMISSION,
            in("rsi") TILE_DATA,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    outcome == 0
}

#[cfg(not(target_os = "linux"))]
fn permitted() -> bool {
    false
}

#[derive(Debug)]
pub(super) struct Amx;

impl Instructions for Amx {
    const ROWS: (usize, usize) = (12, 2 * TILE_ROWS);

    unsafe fn complete(products: &mut [f32; WIDTH], bias: Option<&[f32]>, finish: Finish) {
        // SAFETY: owed by the caller.
        unsafe { Vnni::complete(products, bias, finish) }
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
        unsafe { Vnni::floats(rows, a, stride, inputs, panel, tile) }
    }

    unsafe fn bytes(
        rows: usize,
        a: *const u8,
        stride: usize,
        groups: usize,
        panel: *const i8,
        tile: &mut Tile<i32>,
    ) {
        // SAFETY: owed by the caller; a step reads 16 groups, which divide all of them.
        unsafe {
            if groups.is_multiple_of(STEP) && groups > 0 {
                let upper = rows.min(TILE_ROWS);
                tiles_of_bytes(upper, rows - upper, a, stride, groups / STEP, panel, tile);
            } else {
                // As many rows at a time as the other instructions take, the last ones first, since
                // they write from the first row of a tile on.
                let mut part = Tile([[0; WIDTH]; super::driver::MAX_ROWS]);
                for first in (0..rows).step_by(Vnni::ROWS.1) {
                    let count = (rows - first).min(Vnni::ROWS.1);
                    Vnni::bytes(count, a.add(first * stride), stride, groups, panel, &mut part);
                    tile.0[first..first + count].copy_from_slice(&part.0[..count]);
                }
            }
        }
    }
}

/// # Safety
///
/// `upper` and `lower` rows of `steps` times 64 bytes, a panel of as many; at least one `upper`.
unsafe fn tiles_of_bytes(
    upper: usize,
    lower: usize,
    a: *const u8,
    stride: usize,
    steps: usize,
    panel: *const i8,
    tile: &mut Tile<i32>,
) {
    // Tiles that are not used must have a shape too; 1 row is one.
    let second = lower.max(1);
    let shapes = shapes([upper, upper, second, second, upper, second, 16, 16]);
    let out = tile.0.as_mut_ptr();
    // SAFETY: rows and panel are as long as the caller says; a tile of the result has 128 bytes a
    // row, 32 of them. Prefetching past the end touches nothing.
    unsafe {
        if lower == 0 {
            asm!(
                "ldtilecfg [{shapes}]",
                "tilezero tmm0",
                "tilezero tmm1",
                "2:",
                "tileloadd tmm4, [{a} + {stride} * 1]",
                "tileloadd tmm6, [{panel} + {line} * 1]",
                "tileloadd tmm7, [{panel} + {line} * 1 + 64]",
                "tdpbusd tmm0, tmm4, tmm6",
                "tdpbusd tmm1, tmm4, tmm7",
                ".set ahead, 8192",
                ".rept 32",
                "prefetcht0 [{panel} + ahead]",
                ".set ahead, ahead + 64",
                ".endr",
                "add {a}, 64",
                "add {panel}, 2048",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{out} + {line} * 1], tmm0",
                "tilestored [{out} + {line} * 1 + 64], tmm1",
                "tilerelease",
                shapes = in(reg) &shapes,
                a = inout(reg) a => _,
                stride = in(reg) stride,
                panel = inout(reg) panel => _,
                line = in(reg) 128_usize,
                steps = inout(reg) steps => _,
                out = in(reg) out,
                options(nostack),
            );
        } else {
            asm!(
                "ldtilecfg [{shapes}]",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "tileloadd tmm4, [{a} + {stride} * 1]",
                "tileloadd tmm6, [{panel} + {line} * 1]",
                "tileloadd tmm7, [{panel} + {line} * 1 + 64]",
                "tileloadd tmm5, [{b} + {stride} * 1]",
                "tdpbusd tmm0, tmm4, tmm6",
                "tdpbusd tmm1, tmm4, tmm7",
                "tdpbusd tmm2, tmm5, tmm6",
                "tdpbusd tmm3, tmm5, tmm7",
                ".set ahead, 8192",
                ".rept 32",
                "prefetcht0 [{panel} + ahead]",
                ".set ahead, ahead + 64",
                ".endr",
                "add {a}, 64",
                "add {b}, 64",
                "add {panel}, 2048",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{out} + {line} * 1], tmm0",
                "tilestored [{out} + {line} * 1 + 64], tmm1",
                "tilestored [{low} + {line} * 1], tmm2",
                "tilestored [{low} + {line} * 1 + 64], tmm3",
                "tilerelease",
                shapes = in(reg) &shapes,
                a = inout(reg) a => _,
                b = inout(reg) a.add(upper * stride) => _,
                stride = in(reg) stride,
                panel = inout(reg) panel => _,
                line = in(reg) 128_usize,
                steps = inout(reg) steps => _,
                out = in(reg) out,
                low = in(reg) out.add(upper),
                options(nostack),
            );
        }
    }
}

impl SplitInstructions for Amx {
    const SPLIT_ROWS: usize = TILE_ROWS;

    unsafe fn halves(
        rows: usize,
        high: *const u16,
        low: *const u16,
        stride: usize,
        pairs: usize,
        panel: *const u16,
        tile: &mut Tile<f32>,
    ) {
        let shapes = shapes([rows, rows, rows, rows, rows, rows, 16, 16]);
        // SAFETY: rows and panel are as long as the caller says, and 16 divides the pairs; the
        // result has 128 bytes a row. Prefetching past the end touches nothing.
        unsafe {
            asm!(
                "ldtilecfg [{shapes}]",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "2:",
                "tileloadd tmm4, [{high} + {stride} * 1]",
                "tileloadd tmm5, [{low} + {stride} * 1]",
                "tileloadd tmm6, [{panel} + {line} * 1]",
                "tdpbf16ps tmm0, tmm4, tmm6",
                "tdpbf16ps tmm2, tmm5, tmm6",
                "tileloadd tmm7, [{panel} + {line} * 1 + 64]",
                "tdpbf16ps tmm1, tmm4, tmm7",
                "tdpbf16ps tmm3, tmm5, tmm7",
                "tileloadd tmm6, [{panel} + {line} * 1 + 128]",
                "tdpbf16ps tmm2, tmm4, tmm6",
                "tileloadd tmm7, [{panel} + {line} * 1 + 192]",
                "tdpbf16ps tmm3, tmm4, tmm7",
                ".set ahead, 8192",
                ".rept 64",
                "prefetcht0 [{panel} + ahead]",
                ".set ahead, ahead + 64",
                ".endr",
                "add {high}, 64",
                "add {low}, 64",
                "add {panel}, 4096",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{out} + {row} * 1], tmm0",
                "tilestored [{out} + {row} * 1 + 64], tmm1",
                "tilestored [{rest} + {row} * 1], tmm2",
                "tilestored [{rest} + {row} * 1 + 64], tmm3",
                "tilerelease",
                shapes = in(reg) &shapes,
                high = inout(reg) high => _,
                low = inout(reg) low => _,
                stride = in(reg) stride * 2,
                panel = inout(reg) panel => _,
                line = in(reg) 256_usize,
                steps = inout(reg) pairs / STEP => _,
                out = in(reg) tile.0.as_mut_ptr(),
                rest = in(reg) tile.0.as_mut_ptr().add(TILE_ROWS),
                row = in(reg) 128_usize,
                options(nostack),
            );
        }
        // The products with low halves are summed apart, which keeps four sums under way at once.
        let (sums, rests) = tile.0.split_at_mut(TILE_ROWS);
        for (sums, rests) in sums.iter_mut().zip(rests).take(rows) {
            for (sum, rest) in sums.iter_mut().zip(rests) {
                *sum += *rest;
            }
        }
    }
}

kernels!(Amx, "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma");

/// Multiplies rows of pairs of halves with a matrix of them.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")]
pub(super) fn multiply_split(
    a: &super::driver::Split,
    panels: &super::panels::SplitPanels,
    finish: super::driver::Finish,
    out: &mut super::driver::Output<'_>,
) {
    super::driver::multiply_split::<Amx>(a, panels, finish, out);
}

/// Splits floats into pairs of halves.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,fma")]
pub(super) fn split(values: &[f32], width: usize, into: &mut super::driver::Split) {
    super::driver::split(values, width, into);
}
