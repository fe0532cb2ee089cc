//! Measures what a model is worth on a pack: how often it is right where the cheap layers leave a case open, and whether the
//! pack is better served with it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use tokio_util::sync::CancellationToken;
use waypost::Error;
use waypost::decide::cascade::{Worth, Worths, probes, reply_fault};
use waypost::hash::Fnv;
use waypost::learning::calibrate::threshold::{Terms, Threshold};
use waypost::pack::Pack;
use waypost::ports::model::{Model as _, Prompt, Reply, Slot};
use waypost::records::decision::{Decision, LayerName, Outcome, Reason, Source};
use waypost::router::Router;
use waypost::student::examination::{self, ExamQuestion, Heard};
use waypost_backends::llm::{OpenAiModel, ResponseFormat};

use super::{Finding, Findings, Patient};
use crate::assemble::{self, AssemblyOptions};
use crate::commands::eval::case::{self, Case};
use crate::config::{Config, ModelFile};
use crate::encoders;
use crate::failure::Failure;
use crate::known_models::{self, Fared, Measured};
use crate::learning::judged::judged;
use crate::learning::training::questions;
use crate::{packs, progress};

/// Cases that a model is asked about, to learn how often it chooses right; and again, to see whether it helps.
const ASKED: usize = 40;
/// One whose every word counts.
const BELIEVED: Worth = Worth { asked: 1_000_000, right: 1_000_000 };
/// The simpler forms of a reply that are tried behind the strictest.
const FORMS: usize = 3;
/// Calls that fail one after another before nothing is taken for measured: a server that is away says nothing of its model.
/// A reply now and then that is not usable is a wrong choice.
const MOST_FAILED: usize = 3;
/// What may be lost to the model alone, as in a training.
const MARGIN: f64 = 0.005;

/// Measures the model that decides, and keeps what was found.
pub(super) fn worth(patient: Arc<Patient>) -> Findings {
    Box::pin(async move {
        let what = "model worth";
        let (Ok(_), Ok(config)) = (&patient.pack, &patient.config) else { return Vec::new() };
        let Some(file) = config.models.get(&Slot::Main) else {
            return vec![Finding::ok(what, "no model is configured that could be measured")];
        };
        let Some(name) = &patient.pack_name else {
            return vec![Finding::ok(
                what,
                "it is measured on the cases of a pack, and servers have none",
            )];
        };
        let mut findings = Vec::new();
        match format(name, config, file).await {
            Ok(found) => findings.push(found),
            Err(failure) => return vec![Finding::fail("model format", failure.error())],
        }
        let measured = match measure(name, config).await {
            Ok(Some(measured)) => measured,
            Ok(None) => {
                let hint = "add `cases.jsonl` to the pack: requests that are no examples, with what is expected";
                findings.push(Finding::warn(what, "there is no case to ask it about", hint));
                return findings;
            }
            Err(failure) => {
                findings.push(Finding::fail(what, failure.error()));
                return findings;
            }
        };
        let pack = pack_name(&patient);
        if let Err(failure) = known_models::keep(&config.home, file, &pack, measured) {
            findings.push(Finding::fail(what, failure.error()));
        }
        findings.push(told(what, file.model_name(), &measured));
        findings
    })
}

/// A prompt that a server was asked, the form in which it took it, and what came of it.
struct Probed {
    form: ResponseFormat,
    reply: Reply,
    took: Duration,
}

/// Asks each of the prompts that the pack has, from the strictest form on until one is taken, and tells what it took. All are
/// taken in one form in the end, because a server is asked in one.
async fn format(pack: &str, config: &Config, file: &ModelFile) -> Result<Finding, Failure> {
    known_models::keep_format(&config.home, file, None)?;
    let model = assemble::opened(config, file)?;
    let prompts = probes(&packs::load(pack)?)?;
    let mut probed = Vec::new();
    for prompt in &prompts {
        probed.push(probe(&model, prompt).await?);
    }
    // A later prompt may have shown that the form of those before it is not taken.
    for (prompt, probed) in prompts.iter().zip(&mut probed) {
        if probed.form != model.format() {
            *probed = probe(&model, prompt).await?;
        }
    }
    let (mut says, mut faults) = (String::new(), Vec::new());
    for (prompt, Probed { form, reply, took }) in prompts.iter().zip(&probed) {
        let usage = reply.usage.unwrap_or_default();
        let name = prompt.schema.as_ref().map_or("", |(name, _)| name);
        let _ = writeln!(
            says,
            "{name} as `{}`: {} tokens in, {} out, {} ms",
            form.name(),
            usage.prompt,
            usage.reply,
            took.as_millis()
        );
        faults.extend(
            reply_fault(prompt, reply).map(|fault| format!("the reply to {name}: {fault}")),
        );
    }
    if faults.is_empty() {
        return Ok(Finding::ok("model format", says.trim_end()));
    }
    let hint = "its server does not hold the model to the schema: set `response_format` of the model in `waypost.toml` to a form that \
                its server enforces, or use another model";
    Ok(Finding::warn("model format", says + &faults.join("\n"), hint))
}

/// Asks a prompt, in a simpler form after each that is refused.
async fn probe(model: &OpenAiModel, prompt: &Prompt) -> Result<Probed, Failure> {
    let (started, cancel) = (Instant::now(), CancellationToken::new());
    let mut reply = model.complete(prompt, &cancel).await;
    for _ in 0..FORMS {
        if reply.is_ok() {
            break;
        }
        reply = model.complete(prompt, &cancel).await;
    }
    Ok(Probed { form: model.format(), reply: reply?, took: started.elapsed() })
}

fn pack_name(patient: &Patient) -> String {
    patient.pack.as_ref().map(|pack| pack.spec.name.clone()).unwrap_or_default()
}

fn told(what: &str, model: &str, measured: &Measured) -> Finding {
    let Measured { worths, threshold, with, without } = measured;
    let share = worths.choosing.interval();
    let mut says = format!(
        "`{model}` chose right in {} of {} cases and turns that people judged ({:.0} to {:.0}%)\nwhere the cheap layers leave a case open: right with it {}, \
         without {}; ran wrong with it {}, without {}",
        worths.choosing.right,
        worths.choosing.asked,
        100.0 * share.low,
        100.0 * share.high,
        with.right,
        without.right,
        with.ran_wrong,
        without.ran_wrong,
    );
    if !measured.helps() {
        let hint = "it stays in shadow on this pack: it is asked and decides nothing; `\"layer.llm\" = \"on\"` in [rollout] has it decide";
        return Finding::warn(what, says, hint);
    }
    if let Some(threshold) = threshold {
        let _ = write!(says, "\nthe student decides alone from {:.2} on", threshold.at);
    }
    Finding::ok(what, says)
}

/// `None` where the model was asked about no case.
async fn measure(pack: &str, config: &Config) -> Result<Option<Measured>, Failure> {
    let bar = progress::bar("asking the model", 2 * ASKED);
    let cases = spread(pack)?;
    let choosing = choosing(pack, config, &cases, &bar).await?;
    let choosing = choosing.and(in_traffic(pack, config).await?);
    if choosing.asked == 0 {
        return Ok(None);
    }
    let threshold = threshold(pack, config, choosing)?;
    let worths = Worths { choosing, ..Worths::default() };
    let mut measured = Measured { worths, threshold, ..Measured::default() };
    let with = router(packs::load(pack)?, config, Some(measured)).await?;
    let mut without = config.clone();
    without.models.clear();
    let without = router(packs::load(pack)?, &without, None).await?;
    let mut asked = 0;
    for case in &cases {
        let decision = decide(&with, case).await?;
        if decision.llm_calls == 0 {
            continue;
        }
        let own = decision.calls.iter().flat_map(|call| call.evidence.values());
        if own.filter(|evidence| evidence.source == Source::Llm).count() > 0 {
            measured.worths.reading.asked += 1;
            measured.worths.reading.right += u32::from(is_right(with.pack(), case, &decision));
        }
        count(&mut measured.with, with.pack(), case, &decision);
        count(&mut measured.without, with.pack(), case, &decide(&without, case).await?);
        bar.inc(1);
        asked += 1;
        if asked == ASKED {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(Some(measured))
}

/// How often the model chooses right by itself, on cases of all that the pack serves.
async fn choosing(
    pack: &str,
    config: &Config,
    cases: &[Case],
    bar: &ProgressBar,
) -> Result<Worth, Failure> {
    let mut alone = config.clone();
    alone.cascade.layers = vec![LayerName::Rules, LayerName::Llm];
    let worths = Worths { choosing: BELIEVED, ..Worths::default() };
    let believed = Measured { worths, ..Measured::default() };
    let alone = router(packs::load(pack)?, &alone, Some(believed)).await?;
    let (mut worth, mut failed) = (Worth::default(), 0);
    for case in cases.iter().filter(|case| begins(case) && asks_one(case)) {
        let decision = decide(&alone, case).await?;
        if decision.llm_calls == 0 {
            continue;
        }
        failed = if decision.degraded.is_empty() { 0 } else { failed + 1 };
        if failed == MOST_FAILED {
            return Err(silent(&decision));
        }
        // What a rule decided, and a model only read, says nothing of its choices.
        if decision.layer != LayerName::Llm && failed == 0 {
            continue;
        }
        worth.asked += 1;
        worth.right += u32::from(failed == 0 && chose_right(alone.pack(), case, &decision));
        bar.inc(1);
        if worth.asked as usize == ASKED {
            break;
        }
    }
    Ok(worth)
}

/// The failure of a measurement in which the model did not reply.
fn silent(decision: &Decision) -> Failure {
    let why = decision.degraded.join(", ");
    let error = Error::unavailable(format!("the model does not choose: {why}"));
    Failure::usage(error.with_hint("`waypost doctor` says whether it can be reached"))
}

/// The model's choices that people judged.
async fn in_traffic(pack: &str, config: &Config) -> Result<Worth, Failure> {
    if !assemble::store_path(config).exists() {
        return Ok(Worth::default());
    }
    let Some(file) = config.models.get(&Slot::Main) else { return Ok(Worth::default()) };
    let store = assemble::store(config).await;
    Ok(judged(&*store, &packs::load(pack)?, file.model_name()).await?)
}

/// Returns whether a case is the first word about something: an answer inside a step is read, not chosen.
fn begins(case: &Case) -> bool {
    let context = &case.request.context;
    context.active_tool.is_none() && context.options.is_empty()
}

/// Returns whether a case expects one thing: a model chooses one name.
fn asks_one(case: &Case) -> bool {
    let expected = case.expect.as_ref();
    let tools = expected.and_then(|expect| expect.tools.as_ref()).map_or(0, Vec::len);
    let is_known =
        expected.is_some_and(|expect| expect.route.is_some() || expect.is_out_of_scope());
    tools == 1 || tools == 0 && is_known
}

/// How sure the student must be to decide without the model.
fn threshold(name: &str, config: &Config, choosing: Worth) -> Result<Option<Threshold>, Failure> {
    let (pack, encoder) = (packs::load(name)?, encoders::configured(config)?);
    let student =
        assemble::student(&pack, encoder.as_deref(), config, &AssemblyOptions::default())?;
    let questions = questions(&packs::cases(name)?);
    let questions: Vec<&ExamQuestion> = questions.iter().collect();
    let terms = Terms { teacher: choosing.share(), margin: MARGIN, budget: 0.0 };
    let told = (questions.as_slice(), &[] as &[Heard]);
    Ok(examination::threshold(&pack, &student, encoder.as_deref(), told, &terms)?)
}

/// The cases of a pack, one of each thing that is expected before the second of any; which ones come first is by chance,
/// and the same each time.
fn spread(pack: &str) -> Result<Vec<Case>, Failure> {
    let mut cases = case::expected(&packs::cases(pack)?);
    cases.sort_by_key(|case| {
        let mut hash = Fnv::default();
        hash.write(case.request.text.as_bytes());
        hash.value()
    });
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut placed: Vec<(usize, Case)> = Vec::new();
    for case in cases {
        let count = seen.entry(wanted(&case)).or_default();
        placed.push((*count, case));
        *count += 1;
    }
    placed.sort_by_key(|(place, _)| *place);
    Ok(placed.into_iter().map(|(_, case)| case).collect())
}

/// What is expected of a case: its route and its tools.
fn wanted(case: &Case) -> String {
    let Some(expect) = &case.expect else { return String::new() };
    format!("{:?} {:?}", expect.route, expect.tools)
}

async fn router(pack: Pack, config: &Config, known: Option<Measured>) -> Result<Router, Failure> {
    let options = AssemblyOptions { measured: known, ..AssemblyOptions::default() };
    Ok(assemble::router(pack, config, &options).await?)
}

async fn decide(router: &Router, case: &Case) -> Result<Decision, Failure> {
    Ok(router.route(&case.request, &CancellationToken::new()).await?)
}

/// Returns whether the route and the tools are those that were expected, whatever is asked or missing.
fn chose_right(pack: &Pack, case: &Case, decision: &Decision) -> bool {
    let Some(expect) = &case.expect else { return false };
    let (expect, decision) = case::canonical(pack, expect, decision);
    if expect.is_out_of_scope() {
        return decision.reason == Some(Reason::OutOfScope);
    }
    let route = expect.route.as_ref().is_none_or(|route| *route == decision.route);
    let tools = expect
        .tools
        .as_ref()
        .is_none_or(|tools| case::called(&decision).eq(tools.iter().map(String::as_str)));
    route && tools
}

fn count(fared: &mut Fared, pack: &Pack, case: &Case, decision: &Decision) {
    let is_right = is_right(pack, case, decision);
    fared.right += u32::from(is_right);
    fared.ran_wrong += u32::from(!is_right && decision.decision == Outcome::Run);
}

fn is_right(pack: &Pack, case: &Case, decision: &Decision) -> bool {
    case.expect.as_ref().is_some_and(|expect| {
        let (expect, decision) = case::canonical(pack, expect, decision);
        case::faults(&expect, &decision).is_empty()
    })
}
