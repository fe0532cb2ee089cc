//! Shows how far a long work is: on standard error, where people look; nowhere where nobody does.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use waypost::ports::tools::Progress;
use waypost::{learning, printable};

/// A bar of things that are done one after the other. `length` may be set later.
pub(crate) fn bar(doing: &'static str, length: usize) -> ProgressBar {
    shown(Some(length as u64), doing, "{msg} {bar:30} {pos}/{len} {eta}")
}

/// Shows how far a training is.
pub(crate) fn show(bar: &ProgressBar, done: learning::Progress) {
    bar.set_length(done.total as u64);
    bar.set_position(done.done as u64);
}

/// A bar of bytes, to be given the name of each file as its message.
#[cfg(feature = "encoder")]
pub(crate) fn bytes(length: u64) -> ProgressBar {
    shown(Some(length), "", "{msg:30} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}")
}

/// A count of things that nobody knows the end of.
pub(crate) fn count(doing: &'static str) -> ProgressBar {
    shown(None, doing, "{msg} {spinner} {pos} {per_sec}")
}

/// The progress of a tool, in one line: `git_clone 3/10 receiving objects`.
pub(crate) fn far(tool: &str, progress: &Progress) -> String {
    let mut line = match progress.total {
        Some(total) => format!("{tool} {}/{total}", progress.done),
        None => format!("{tool} {}", progress.done),
    };
    if !progress.message.is_empty() {
        line.push(' ');
        line.push_str(&progress.message);
    }
    printable::line(&line).into_owned()
}

/// A line that says what is waited for; it appears with its first words.
pub(crate) fn waiting() -> ProgressBar {
    shown(None, "", "{spinner} {wide_msg}")
}

fn shown(length: Option<u64>, doing: &'static str, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.with_message(doing)
}
