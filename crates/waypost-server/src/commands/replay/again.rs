//! Decisions made again by what made them: each must come out the same.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Serialize;
use serde_json::Value as Json;
use waypost::feedback::replay::{Difference, Replayed, replay};
use waypost::records::event::{Event, Record};
use waypost::records::request::shorten;

use super::bench::Bench;
use super::{Recorded, SHOWN, unknown};
use crate::cli::ReplayArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::output::{self, Shown};
use crate::packs;

/// The results of the replays.
#[derive(Debug, Default, Serialize)]
struct Report {
    /// The number of decisions that were made again.
    replayed: u64,
    /// The number of them that came out the same.
    same: u64,
    /// The number of them that did not.
    differ: u64,
    /// The number of decisions that could not be replayed, by the reason.
    left_out: BTreeMap<String, u64>,
    /// The latest that differ.
    differences: Vec<Differing>,
}

/// A decision that came out differently.
#[derive(Debug, Serialize)]
struct Differing {
    decision_id: String,
    text: String,
    /// True if a model would be asked where none was asked then.
    asks: bool,
    differs: Vec<Difference>,
    /// The two kernels, where the encoder computed on other instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<Difference>,
}

/// The bench of each pack, or the reason why there is none.
type Benches = BTreeMap<String, Result<Bench, String>>;

pub(super) async fn run(args: &ReplayArgs, config: &Config) -> Result<u8, Failure> {
    let mut benches = Benches::new();
    let mut named = None;
    if let Some(pack) = &args.pack {
        let bench = Bench::open(pack, config)?;
        let name = bench.pack.spec.name.clone();
        named = Some(name.clone());
        benches.insert(name, Ok(bench));
    }
    let mut recorded = Recorded::open(args, config, named, None).await?;
    let (mut report, mut decision) = (Report::default(), None);
    while let Some(records) = recorded.next().await? {
        for record in records {
            match one(&record, &mut benches, config).await? {
                Ok(replayed) => {
                    report.add(&record, &replayed, args.limit as usize);
                    decision = args.decision.is_some().then_some(replayed);
                }
                Err(why) => *report.left_out.entry(why).or_default() += 1,
            }
            recorded.advance();
        }
    }
    if recorded.unreadable > 0 {
        let why = "of another version of waypost".to_owned();
        report.left_out.insert(why, recorded.unreadable);
    }
    match (&args.decision, report.replayed + report.left_out.values().sum::<u64>()) {
        (Some(id), 0) => return Err(unknown(id)),
        _ if args.json => match &decision {
            Some(replayed) => output::json_pretty(replayed)?,
            None => output::json_pretty(&report)?,
        },
        _ => report.show()?,
    }
    Ok(u8::from(report.differ > 0 || args.strict && !report.left_out.is_empty()))
}

/// Makes one decision again, or says why that cannot be.
async fn one(
    record: &Record,
    benches: &mut Benches,
    config: &Config,
) -> Result<Result<Replayed, String>, Failure> {
    let Event::RouterEvent(routed) = &record.event else {
        return Ok(Err("no decision".to_owned()));
    };
    let bench = match benches.entry(record.pack.clone()) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => place.insert(open(&record.pack, config)?),
    };
    let bench = match bench {
        Ok(bench) => bench,
        Err(why) => return Ok(Err(why.clone())),
    };
    if routed.decision.pack != bench.pack.id {
        return Ok(Err(format!("of another version of the pack, `{}`", routed.decision.pack)));
    }
    let bundle = match bench.student(&routed.decision.bundle, config) {
        Ok(Some(bundle)) => bundle,
        Ok(None) => return Ok(Err(format!("other bundle, `{}`", routed.decision.bundle))),
        Err(why) => return Ok(Err(format!("its student cannot be read: {why}"))),
    };
    // The message names the decision, the hint says what is the same for many.
    let why = |error: waypost::Error| error.hint().unwrap_or(error.message()).to_owned();
    Ok(replay(record, &bench.place(&bundle)).await.map_err(why))
}

/// Opens the bench of the pack of this name, or says why there is none.
fn open(pack: &str, config: &Config) -> Result<Result<Bench, String>, Failure> {
    if packs::embedded(pack).is_none() {
        return Ok(Err(format!(
            "of the pack `{pack}`, which is not in this program: give its folder with `--pack`"
        )));
    }
    Bench::open(pack, config).map(Ok)
}

impl Report {
    fn add(&mut self, record: &Record, replayed: &Replayed, limit: usize) {
        self.replayed += 1;
        if replayed.same {
            self.same += 1;
            return;
        }
        self.differ += 1;
        let Event::RouterEvent(routed) = &record.event else { return };
        self.differences.push(Differing {
            decision_id: record.decision_id.clone(),
            text: routed.text.clone(),
            asks: replayed.asks,
            differs: replayed.differs.clone(),
            kernel: replayed.kernel.clone(),
        });
        if self.differences.len() > limit {
            self.differences.remove(0);
        }
    }

    fn show(&self) -> Result<(), Failure> {
        let same = format!("{} decisions replayed: {} the same, ", self.replayed, self.same);
        output::line(Shown::from(same) + output::bold(&format!("{} differ", self.differ)))?;
        for differing in &self.differences {
            let text = shorten(&differing.text, SHOWN);
            output::line(output::dim(&differing.decision_id) + format!("  “{text}”"))?;
            for Difference { field, recorded, replayed } in &differing.differs {
                let (then, now) = (value(recorded), value(replayed));
                output::line(format!("    {field}: {then} → {now}"))?;
            }
            if differing.asks {
                output::line("    a model would be asked what it was not asked then")?;
            }
            if let Some(Difference { recorded, replayed, .. }) = &differing.kernel {
                let (then, now) = (value(recorded), value(replayed));
                output::line(format!("    the encoder computed on {then}, here on {now}"))?;
            }
        }
        for (why, count) in &self.left_out {
            output::line(format!("left out {count}: {why}"))?;
        }
        Ok(())
    }
}

/// A value on a part of a line.
fn value(value: &Json) -> String {
    shorten(&value.to_string(), SHOWN)
}
