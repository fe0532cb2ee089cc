//! Decides what comes next in the work on a task: one pure function of the state, which waits for nothing and asks nobody.
//!
//! The task is known and its tools are chosen when the work begins: that is the decision. The order is that of requirements S3-15 to S3-19: what ends everything, then direct chat, then an error, then whatever is still
//! missing on the way to a step. Both orchestrations share it and differ where a plan comes from and what an error leads to.

use std::time::Duration;

use waypost_core::error::Severity;

use crate::pack::spec::{Orchestration, PlanSpec};

/// The state of the work, as far as it says what comes next.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct State {
    /// The work was stopped from outside.
    pub(crate) is_killed: bool,
    /// The time since it began.
    pub(crate) elapsed: Duration,
    /// The user talks to one tool alone.
    pub(crate) direct_chat: bool,
    /// The answer was given.
    pub(crate) is_answered: bool,
    /// The fault of the step that ran last, until something was done about it.
    pub(crate) fault: Option<Severity>,
    /// The number of steps of the plan; none before there is one.
    pub(crate) plan: Option<usize>,
    /// The step that is due.
    pub(crate) step: usize,
    /// The times that this step was tried again.
    pub(crate) retries: u32,
    /// The number of plans that were made.
    pub(crate) plans: u32,
    /// The times that the tools were chosen again.
    pub(crate) reclassifications: u32,
    /// The number of things that were done at all.
    pub(crate) steps: u32,
}

/// The next thing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Choose them again, with the failure as context.
    Reclassify,
    /// Make a plan of all steps, or another one.
    Plan,
    /// React alone: choose one step by what the steps before gave.
    Orchestrate,
    /// Run a step.
    Step(usize),
    /// Run a step once more, after a wait.
    Retry(usize),
    /// Have the one tool that the user talks to answer.
    DirectChat,
    /// Nothing more; the work is done.
    End,
    /// Nothing more; the work failed.
    Fail(Limit),
}

/// The reason for which the work failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// It was stopped from outside.
    Killed,
    /// It took too long.
    Time,
    /// It took too many steps.
    Steps,
    /// A step failed for good.
    Step,
}

impl Limit {
    /// The name in records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Limit::Killed => "killed",
            Limit::Time => "time",
            Limit::Steps => "steps",
            Limit::Step => "step",
        }
    }
}

/// Says what comes next.
pub(crate) fn next(spec: &PlanSpec, state: &State) -> Next {
    if state.is_killed {
        return Next::Fail(Limit::Killed);
    }
    if state.elapsed >= Duration::from_secs(spec.max_time_s) {
        return Next::Fail(Limit::Time);
    }
    if state.direct_chat {
        return if state.is_answered { Next::End } else { Next::DirectChat };
    }
    if state.is_answered {
        return Next::End;
    }
    if let Some(fault) = state.fault {
        return after_fault(spec, state, fault);
    }
    if state.steps >= spec.max_steps {
        return Next::Fail(Limit::Steps);
    }
    let more = match spec.orchestration {
        Orchestration::PlanFirst => Next::Plan,
        Orchestration::React => Next::Orchestrate,
    };
    match state.plan {
        Some(steps) if state.step < steps => Next::Step(state.step),
        // A plan ends with the answer; one that was run through without it is as good as none.
        Some(_) | None => more,
    }
}

/// The next thing after a fault. A retry repeats the step, within its tries; what fails for good ends a plan, and leaves a reacting
/// orchestrator to choose another step. A fatal fault ends both.
fn after_fault(spec: &PlanSpec, state: &State, fault: Severity) -> Next {
    if fault == Severity::Retriable && state.retries < spec.max_step_retries {
        return Next::Retry(state.step);
    }
    if fault == Severity::Fatal {
        return Next::Fail(Limit::Step);
    }
    if spec.orchestration == Orchestration::React {
        return match state.steps >= spec.max_steps {
            true => Next::Fail(Limit::Steps),
            false => Next::Orchestrate,
        };
    }
    match fault {
        Severity::Replan if state.plans < spec.max_plans => Next::Plan,
        Severity::Reclassify if state.reclassifications < spec.max_reclassifications => {
            Next::Reclassify
        }
        Severity::Retriable
        | Severity::Replan
        | Severity::Reclassify
        | Severity::Critical
        | Severity::Fatal => Next::Fail(Limit::Step),
    }
}

/// The wait before a step is tried again: `first` for the first time, and `factor` times as long each time after.
pub(crate) fn wait(first: Duration, factor: f64, retries: u32) -> Duration {
    /// No wait is longer, however often a step is tried.
    const LONGEST: Duration = Duration::from_secs(60);
    let seconds =
        first.as_secs_f64() * factor.max(1.0).powi(i32::try_from(retries).unwrap_or(i32::MAX));
    match Duration::try_from_secs_f64(seconds) {
        Ok(wait) => wait.min(LONGEST),
        Err(_) => LONGEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut State)) -> State {
        let mut state = State { plan: Some(3), ..State::default() };
        change(&mut state);
        state
    }

    /// Rows of (what it shows, the change of a state in the middle of a plan, what comes next).
    type Row = (&'static str, fn(&mut State), Next);

    fn check(orchestration: Orchestration, rows: &[Row]) {
        let spec = PlanSpec { orchestration, ..PlanSpec::default() };
        for (what, change, wanted) in rows {
            assert_eq!(next(&spec, &with(change)), *wanted, "{what}");
        }
    }

    #[test]
    fn s3_14_s3_15_s3_16_s3_19_s3_20_a_plan_stands_before_its_first_step() {
        check(
            Orchestration::PlanFirst,
            &[
                ("fresh", |s| *s = State::default(), Next::Plan),
                ("a step is due", |s| s.step = 1, Next::Step(1)),
                ("all steps done, no answer", |s| s.step = 3, Next::Plan),
                ("answered", |s| s.is_answered = true, Next::End),
                ("direct chat", |s| s.direct_chat = true, Next::DirectChat),
                (
                    "direct chat, answered",
                    |s| (s.direct_chat, s.is_answered) = (true, true),
                    Next::End,
                ),
                (
                    "direct chat before an error",
                    |s| (s.direct_chat, s.fault) = (true, Some(Severity::Critical)),
                    Next::DirectChat,
                ),
                (
                    "an error before a missing plan",
                    |s| (s.plan, s.fault) = (None, Some(Severity::Critical)),
                    Next::Fail(Limit::Step),
                ),
                (
                    "killed before all",
                    |s| (s.is_killed, s.direct_chat) = (true, true),
                    Next::Fail(Limit::Killed),
                ),
                ("out of time", |s| s.elapsed = Duration::from_secs(3000), Next::Fail(Limit::Time)),
                ("a moment before", |s| s.elapsed = Duration::from_secs(2999), Next::Step(0)),
                ("step 100", |s| s.steps = 100, Next::Fail(Limit::Steps)),
                ("step 99", |s| s.steps = 99, Next::Step(0)),
            ],
        );
    }

    #[test]
    fn s3_21_s3_22_s3_25_s3_26_each_severity_leads_where_it_should_within_its_bound() {
        check(
            Orchestration::PlanFirst,
            &[
                ("again", |s| (s.step, s.fault) = (1, Some(Severity::Retriable)), Next::Retry(1)),
                (
                    "the last try",
                    |s| (s.retries, s.fault) = (2, Some(Severity::Retriable)),
                    Next::Retry(0),
                ),
                (
                    "no tries left",
                    |s| (s.retries, s.fault) = (3, Some(Severity::Retriable)),
                    Next::Fail(Limit::Step),
                ),
                ("another plan", |s| (s.plans, s.fault) = (1, Some(Severity::Replan)), Next::Plan),
                (
                    "no plans left",
                    |s| (s.plans, s.fault) = (2, Some(Severity::Replan)),
                    Next::Fail(Limit::Step),
                ),
                ("other tools", |s| s.fault = Some(Severity::Reclassify), Next::Reclassify),
                (
                    "no choice left",
                    |s| (s.reclassifications, s.fault) = (1, Some(Severity::Reclassify)),
                    Next::Fail(Limit::Step),
                ),
                ("critical", |s| s.fault = Some(Severity::Critical), Next::Fail(Limit::Step)),
                ("fatal", |s| s.fault = Some(Severity::Fatal), Next::Fail(Limit::Step)),
            ],
        );
    }

    #[test]
    fn s3_14_s3_15_s3_17_s3_19_s3_20_who_reacts_chooses_a_step_at_a_time_and_goes_on_after_errors()
    {
        check(
            Orchestration::React,
            &[
                ("fresh", |s| *s = State::default(), Next::Orchestrate),
                ("a step is due", |s| (s.plan, s.step) = (Some(1), 0), Next::Step(0)),
                ("the step is done", |s| (s.plan, s.step) = (Some(1), 1), Next::Orchestrate),
                ("again", |s| s.fault = Some(Severity::Retriable), Next::Retry(0)),
                (
                    "no tries left",
                    |s| (s.retries, s.fault) = (3, Some(Severity::Retriable)),
                    Next::Orchestrate,
                ),
                ("replan", |s| s.fault = Some(Severity::Replan), Next::Orchestrate),
                ("reclassify", |s| s.fault = Some(Severity::Reclassify), Next::Orchestrate),
                ("critical", |s| s.fault = Some(Severity::Critical), Next::Orchestrate),
                ("fatal", |s| s.fault = Some(Severity::Fatal), Next::Fail(Limit::Step)),
                ("step 100", |s| s.steps = 100, Next::Fail(Limit::Steps)),
                (
                    "step 100 after an error",
                    |s| (s.steps, s.fault) = (100, Some(Severity::Critical)),
                    Next::Fail(Limit::Steps),
                ),
                ("step 99", |s| (s.steps, s.plan) = (99, None), Next::Orchestrate),
                ("answered", |s| s.is_answered = true, Next::End),
                ("direct chat", |s| s.direct_chat = true, Next::DirectChat),
                ("killed", |s| s.is_killed = true, Next::Fail(Limit::Killed)),
            ],
        );
    }

    #[test]
    fn s3_22_waits_grow_from_the_first_one_and_stay_bounded() {
        let first = Duration::from_millis(500);
        let waits: Vec<u128> =
            (0..4).map(|retries| wait(first, 1.5, retries).as_millis()).collect();
        assert_eq!(waits, [500, 750, 1125, 1687]);
        assert_eq!(wait(first, 10.0, u32::MAX), Duration::from_secs(60));
        assert_eq!(wait(first, 0.1, 5), first, "a wait never shrinks");
    }
}
