//! The program itself, and what the processor can do.

use std::sync::Arc;

use super::{Finding, Findings, Patient};

pub(super) fn program(_: Arc<Patient>) -> Findings {
    Box::pin(async {
        let (os, machine) = (std::env::consts::OS, std::env::consts::ARCH);
        let version = env!("CARGO_PKG_VERSION");
        let build = if cfg!(debug_assertions) { ", a debug build" } else { "" };
        vec![Finding::ok("program", format!("waypost {version} on {os} {machine}{build}"))]
    })
}

/// Finds the instructions that make encoders fast: the widest that the processor has.
pub(super) fn processor(_: Arc<Patient>) -> Findings {
    Box::pin(async {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let features = features();
        let features = if features.is_empty() {
            "no special instructions".to_owned()
        } else {
            features.join(", ")
        };
        vec![Finding::ok("processor", format!("{cores} cores, {features}"))]
    })
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let known = [
        ("avx2", std::is_x86_feature_detected!("avx2")),
        ("fma", std::is_x86_feature_detected!("fma")),
        ("avx512f", std::is_x86_feature_detected!("avx512f")),
        ("avx512bw", std::is_x86_feature_detected!("avx512bw")),
        ("avx512vnni", std::is_x86_feature_detected!("avx512vnni")),
    ];
    known.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

#[cfg(target_arch = "aarch64")]
fn features() -> Vec<&'static str> {
    let known = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("dotprod", std::arch::is_aarch64_feature_detected!("dotprod")),
        ("i8mm", std::arch::is_aarch64_feature_detected!("i8mm")),
    ];
    known.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<&'static str> {
    Vec::new()
}
