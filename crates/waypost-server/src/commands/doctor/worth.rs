//! Measures what a model is worth on a pack: how often it is right where the cheap layers leave a case open, and whether the
//! pack is better served with it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use waypost::Error;
use waypost::decide::cascade::Worth;
use waypost::hash::Fnv;
use waypost::ports::model::Slot;
use waypost::records::decision::{Decision, Outcome};
use waypost::router::Router;

use super::{Finding, Findings, Patient};
use crate::assemble::{self, AssemblyOptions};
use crate::commands::eval::case::{self, Case};
use crate::config::Config;
use crate::failure::Failure;
use crate::known_models::{self, Fared, Measured};
use crate::{packs, progress};

/// Cases that a model is asked about.
const ASKED: usize = 40;
/// One whose choice always counts.
const BELIEVED: Worth = Worth { asked: 1_000_000, right: 1_000_000 };

/// Measures the model that decides, and keeps what was found.
pub(super) fn worth(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        let what = "model worth";
        let (Ok(_), Ok(config)) = (&patient.pack, &patient.config) else { return Vec::new() };
        let Some(file) = config.models.get(&Slot::Main) else {
            return vec![Finding::ok(what, "no model is configured that could be measured")];
        };
        let measured = match measure(&patient.pack_name, config).await {
            Ok(Some(measured)) => measured,
            Ok(None) => {
                let hint = "add `cases.jsonl` to the pack: requests that are no examples, with what is expected";
                return vec![Finding::warn(
                    what,
                    "the pack leaves no case open that a model could be asked about",
                    hint,
                )];
            }
            Err(failure) => return vec![Finding::fail(what, failure.error())],
        };
        let pack = pack_name(&patient);
        if let Err(failure) = known_models::keep(&config.home, file, &pack, measured) {
            return vec![Finding::fail(what, failure.error())];
        }
        vec![told(what, file.model_name(), &measured)]
    })
}

fn pack_name(patient: &Patient) -> String {
    patient.pack.as_ref().map(|pack| pack.spec.name.clone()).unwrap_or_default()
}

fn told(what: &str, model: &str, measured: &Measured) -> Finding {
    let Measured { worth, with, without } = measured;
    let share = worth.interval();
    let says = format!(
        "`{model}` chose right in {} of {} cases that the cheap layers left open ({:.0} to {:.0}%)\nright with it {}, \
         without {}; ran wrong with it {}, without {}",
        worth.right,
        worth.asked,
        100.0 * share.low,
        100.0 * share.high,
        with.right,
        without.right,
        with.ran_wrong,
        without.ran_wrong,
    );
    if measured.helps() {
        return Finding::ok(what, says);
    }
    let hint = "it stays in shadow on this pack: it is asked and decides nothing; `\"layer.llm\" = \"on\"` in [rollout] has it decide";
    Finding::warn(what, says, hint)
}

/// `None` where no case was left open.
async fn measure(pack: &str, config: &Config) -> Result<Option<Measured>, Failure> {
    let bar = progress::bar("asking the model", 2 * ASKED);
    let believed = router(pack, config, Some(BELIEVED)).await?;
    let mut worth = Worth::default();
    let mut open = Vec::new();
    for case in spread(pack)? {
        let decision = decide(&believed, &case).await?;
        if decision.llm_calls == 0 {
            continue;
        }
        if !decision.degraded.is_empty() && open.is_empty() {
            let error = Error::unavailable(format!(
                "the model does not choose: {}",
                decision.degraded.join(", ")
            ));
            return Err(Failure::usage(
                error.with_hint("`waypost doctor` says whether it can be reached"),
            ));
        }
        worth.asked += 1;
        worth.right += u32::from(chose_right(&case, &decision));
        open.push(case);
        bar.inc(1);
        if open.len() == ASKED {
            break;
        }
    }
    let mut alone = config.clone();
    alone.models.clear();
    let (weighed, alone) =
        (router(pack, config, Some(worth)).await?, router(pack, &alone, None).await?);
    let mut measured = Measured { worth, ..Measured::default() };
    for case in &open {
        count(&mut measured.with, case, &decide(&weighed, case).await?);
        count(&mut measured.without, case, &decide(&alone, case).await?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok((!open.is_empty()).then_some(measured))
}

/// The cases of a pack, in an order in which the first ones stand for all.
fn spread(pack: &str) -> Result<Vec<Case>, Failure> {
    let mut cases = case::expected(&packs::cases(pack)?);
    cases.sort_by_key(|case| {
        let mut hash = Fnv::default();
        hash.write(case.request.text.as_bytes());
        hash.value()
    });
    Ok(cases)
}

async fn router(pack: &str, config: &Config, worth: Option<Worth>) -> Result<Router, Failure> {
    let options = AssemblyOptions { worth, look_only: true, ..AssemblyOptions::default() };
    Ok(assemble::router(packs::load(pack)?, config, &options).await?)
}

async fn decide(router: &Router, case: &Case) -> Result<Decision, Failure> {
    Ok(router.route(&case.request, &CancellationToken::new()).await?)
}

/// Returns whether the route and the tools are those that were expected, whatever is asked or missing.
fn chose_right(case: &Case, decision: &Decision) -> bool {
    let Some(expect) = &case.expect else { return false };
    let route = expect.route.as_ref().is_none_or(|route| *route == decision.route);
    let tools = expect
        .tools
        .as_ref()
        .is_none_or(|tools| case::called(decision).eq(tools.iter().map(String::as_str)));
    route && tools
}

fn count(fared: &mut Fared, case: &Case, decision: &Decision) {
    let Some(expect) = &case.expect else { return };
    let is_right = case::faults(expect, decision).is_empty();
    fared.right += u32::from(is_right);
    fared.ran_wrong += u32::from(!is_right && decision.decision == Outcome::Run);
}
