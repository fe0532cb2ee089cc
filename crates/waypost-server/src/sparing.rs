//! The log, sparing: what is said again and again is said a few times and then counted, but for lines at `info`.
//!
//! Whoever can make the program warn, such as a client that sends nonsense, could else fill a disk.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;
use waypost::records::request::shorten;

/// The time in which lines of one place of the code are counted together.
const WINDOW: Duration = Duration::from_secs(10);
/// The most lines of one place of the code in that time.
const MOST: u64 = 10;
/// The longest beginning of a line that is told with how often it was repeated, in characters.
const SHOWN: usize = 80;

/// Writes events as another format does, but not all that repeat.
#[derive(Debug)]
pub(crate) struct Sparing<F> {
    format: F,
    began: Instant,
    said: Mutex<Said<(&'static str, u32)>>,
}

/// The lines of late, by the place in the code.
#[derive(Debug)]
struct Said<K> {
    of_late: BTreeMap<K, Repeated>,
}

/// A line that may be repeated.
#[derive(Debug, Default)]
struct Repeated {
    since: Duration,
    count: u64,
    /// The beginning of the first.
    first: String,
}

impl<F> Sparing<F> {
    /// Writes as `format` does.
    pub(crate) fn new(format: F) -> Self {
        let said = Mutex::new(Said { of_late: BTreeMap::new() });
        Self { format, began: Instant::now(), said }
    }
}

impl<K: Ord + Copy> Said<K> {
    /// Returns whether a line of this place is still to be written.
    fn takes(&mut self, place: K, now: Duration) -> bool {
        let line = self.of_late.entry(place).or_default();
        if line.count == 0 {
            line.since = now;
        }
        line.count += 1;
        line.count <= MOST
    }

    /// Notes a line of this place that is written.
    fn wrote(&mut self, place: K, line: &str) {
        if let Some(of_late) = self.of_late.get_mut(&place).filter(|line| line.count == 1) {
            of_late.first = shorten(line.trim(), SHOWN);
        }
    }

    /// Forgets the places whose time is over; returns the first words of those that said more than was
    /// written, and how many lines more.
    fn over(&mut self, now: Duration) -> Vec<(String, u64)> {
        let mut more = Vec::new();
        self.of_late.retain(|_, line| {
            let lasts = now.saturating_sub(line.since) < WINDOW;
            if !lasts && line.count > MOST {
                more.push((std::mem::take(&mut line.first), line.count - MOST));
            }
            lasts
        });
        more
    }
}

impl<S, N, F> FormatEvent<S, N> for Sparing<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let (metadata, now) = (event.metadata(), self.began.elapsed());
        // Whoever wants a line for each turn has asked for all of them.
        if *metadata.level() == Level::INFO {
            return self.format.format_event(context, writer, event);
        }
        let place = (metadata.file().unwrap_or(metadata.target()), metadata.line().unwrap_or(0));
        let said = || self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let (more, takes) = {
            let mut said = said();
            (said.over(now), said.takes(place, now))
        };
        for (first, count) in more {
            writeln!(writer, "and {count} more like this: {first}")?;
        }
        if !takes {
            return Ok(());
        }
        let mut line = String::new();
        self.format.format_event(context, Writer::new(&mut line), event)?;
        said().wrote(place, &line);
        writer.write_str(&line)
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn what_repeats_is_counted_and_told_when_its_time_is_over() {
        let mut said = Said { of_late: BTreeMap::new() };
        let at = Duration::from_secs;
        assert!(said.takes('a', at(1)));
        said.wrote('a', " WARN nonsense\n");
        let written = 1 + (1..1000).filter(|_| said.takes('a', at(1))).count();
        assert_eq!(written as u64, MOST);
        assert!(said.takes('b', at(1)), "others are not silenced");
        assert_eq!(said.over(at(5)), []);
        assert_eq!(said.over(at(11)), [("WARN nonsense".to_owned(), 1000 - MOST)]);
        assert!(said.takes('a', at(11)) && said.over(at(11)).is_empty());
    }

    /// The sink of the lines of a log.
    #[derive(Clone, Default)]
    struct Paper(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Paper {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_flood_of_warnings_fills_no_disk() {
        let paper = Paper::default();
        let log = paper.clone();
        let format = Sparing::new(tracing_subscriber::fmt::format().without_time());
        let subscriber = tracing_subscriber::fmt()
            .event_format(format)
            .with_writer(move || log.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            for n in 0..10_000 {
                tracing::warn!("nonsense {n}");
            }
            (0..100).for_each(|n| tracing::info!("turn {n}"));
        });
        let written = String::from_utf8(paper.0.lock().unwrap().clone()).unwrap();
        let (turns, warned): (Vec<&str>, _) =
            written.lines().partition(|line| line.contains("turn"));
        assert_eq!((warned.len(), turns.len()), (MOST as usize, 100), "{written}");
    }
}
