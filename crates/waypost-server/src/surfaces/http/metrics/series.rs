//! The counts as a collector of OpenTelemetry takes them: by counter, each with its labels.

use super::{COUNTERS, Metrics};

impl Metrics {
    /// Every counter, with what it counts.
    pub(crate) fn counters() -> impl Iterator<Item = (&'static str, &'static str)> {
        COUNTERS.iter().copied()
    }

    /// The counts of a counter, each with its labels.
    pub(crate) fn series(&self, counter: &str) -> Vec<(Vec<(String, String)>, f64)> {
        let state = self.state();
        let series = state.counters.get(counter).into_iter().flatten();
        series.map(|(labels, count)| (read(labels), *count)).collect()
    }
}

/// The labels that `written` wrote.
fn read(labels: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = labels;
    while let Some((name, after)) = rest.split_once("=\"") {
        let (mut value, mut escaped, mut end) = (String::new(), false, after.len());
        for (at, c) in after.char_indices() {
            match c {
                'n' if escaped => value.push('\n'),
                c if escaped => value.push(c),
                '\\' => {
                    escaped = true;
                    continue;
                }
                '"' => {
                    end = at;
                    break;
                }
                c => value.push(c),
            }
            escaped = false;
        }
        pairs.push((name.trim_start_matches(',').to_owned(), value));
        rest = after.get(end + 1..).unwrap_or_default();
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;

    #[test]
    fn labels_are_read_as_they_were_written() {
        for labels in
            [&[][..], &[("a", "b")], &[("tool", "q\"u\\o\nte,x=\"1\""), ("status", "success")]]
        {
            let back = read(&written(labels));
            let back: Vec<(&str, &str)> =
                back.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            assert_eq!(back, labels);
        }
    }
}
