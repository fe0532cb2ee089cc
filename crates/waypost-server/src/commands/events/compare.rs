//! `waypost events compare`: where keys in shadow would have decided otherwise.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use waypost::Error;
use waypost::pack::did_you_mean;
use waypost::ports::store::Filter;
use waypost::records::event::{Event, Shadowed};
use waypost::records::request::shorten;
use waypost::records::rollout::Key;

use super::{SHOWN, each, filter_of, nothing, outline_line};
use crate::cli::EventsCompareArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::{assemble, output};

/// The results of a key in shadow.
#[derive(Debug, Default, Serialize)]
struct Compared {
    /// The number of turns that were decided twice.
    turns: u64,
    /// The number of them in which the decisions differ.
    differ: u64,
    /// The share of those.
    rate: f64,
    /// The fields in which they differ, and how often each does.
    differences: BTreeMap<String, u64>,
    /// The number of model calls that were made for the shadow alone.
    llm_calls: u64,
    /// The latest of the turns that differ.
    examples: VecDeque<Shadowed>,
}

pub(super) async fn run(args: &EventsCompareArgs, config: &Config) -> Result<u8, Failure> {
    if let Some(key) = args.key.as_deref().filter(|key| Key::find(key).is_none()) {
        let error = Error::invalid(Key::unknown(key)).with_hint(did_you_mean(key, Key::names()));
        return Err(Failure::usage(error));
    }
    let filter = Filter { kind: Some("shadow_event".to_owned()), ..filter_of(&args.of)? };
    let mut keys: BTreeMap<String, Compared> = BTreeMap::new();
    match assemble::kept(config).await? {
        Some(store) => {
            each(&store, &filter, |record| {
                if let Event::ShadowEvent(shadowed) = &record.event
                    && args.key.as_ref().is_none_or(|key| *key == shadowed.key)
                {
                    let compared = keys.entry(shadowed.key.clone()).or_default();
                    compared.add(shadowed, args.limit as usize);
                }
                Ok(())
            })
            .await?;
        }
        None if !args.json => return nothing(config),
        None => {}
    }
    if args.json {
        output::json_pretty(&keys)?;
    } else if keys.is_empty() {
        output::note("no turn was decided with a key in shadow; see docs/ROLLOUT.md");
    } else {
        keys.iter().try_for_each(|(key, compared)| compared.show(key))?;
    }
    Ok(0)
}

impl Compared {
    fn add(&mut self, shadowed: &Shadowed, limit: usize) {
        self.turns += 1;
        self.llm_calls += u64::from(shadowed.llm_calls);
        if !shadowed.differs.is_empty() {
            self.differ += 1;
            for name in &shadowed.differs {
                *self.differences.entry(name.clone()).or_default() += 1;
            }
            self.examples.push_back(shadowed.clone());
            if self.examples.len() > limit {
                self.examples.pop_front();
            }
        }
        self.rate = self.differ as f64 / self.turns as f64;
    }

    fn show(&self, key: &str) -> Result<(), Failure> {
        let percent = self.rate * 100.0;
        let differ = format!(": {} of {} turns differ ({percent:.1}%)", self.differ, self.turns);
        output::line(output::bold(key) + differ)?;
        let in_what: Vec<String> =
            self.differences.iter().map(|(name, count)| format!("{name} {count}")).collect();
        if !in_what.is_empty() {
            output::line(format!("  in: {}", in_what.join(", ")))?;
        }
        if self.llm_calls > 0 {
            output::line(format!("  model calls for it alone: {}", self.llm_calls))?;
        }
        for example in &self.examples {
            output::line(format!("  “{}”", shorten(&example.text, SHOWN)))?;
            output::line(format!("    stands  {}", outline_line(&example.standing)))?;
            output::line(format!("    shadow  {}", outline_line(&example.shadow)))?;
        }
        Ok(())
    }
}
