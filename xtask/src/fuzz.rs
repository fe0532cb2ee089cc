//! Starts the search for inputs whose cost grows faster than they do.

use anyhow::{Result, bail};

/// `cargo xtask fuzz [--minutes N] [--seed S] [--only TARGET] [--panics COUNT] [--repeat RECIPE [--size BYTES]]`.
///
/// The search is a program of its own, since it counts what is asked of the allocator.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut cargo = crate::cargo();
    cargo.args(["run", "--quiet", "--release", "--package", "xtask", "--bin", "fuzz", "--"]);
    let status = cargo.args(arguments).status()?;
    if !status.success() {
        bail!("the search found a fault, or could not begin");
    }
    Ok(())
}
