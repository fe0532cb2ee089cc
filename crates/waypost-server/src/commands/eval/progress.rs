//! How far the cases are decided, where people look.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Fewer cases are decided before anybody wonders.
const MANY: usize = 100;

/// A bar on standard error, where people look; nothing where nobody does, or for a few cases.
pub(super) fn bar(cases: usize) -> ProgressBar {
    if cases < MANY {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(cases as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("deciding {bar:30} {pos}/{len} {eta}") {
        bar.set_style(style);
    }
    bar
}
