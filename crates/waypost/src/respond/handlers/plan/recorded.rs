//! Records a plan while it runs, so that it can go on from its last finished step when its process was gone.

use std::time::Duration;

use waypost_core::error::{Error, Result};
use waypost_core::ports::runs::RunLog;
use waypost_core::records::decision::LayerName;
use waypost_core::records::event::Event;
use waypost_core::records::run::{Run, RunEnd, RunStep};

use super::super::{HandlerDependencies, Job};
use crate::respond::execution::Done;

/// The record of one run. Where it cannot be written the work goes on without it, and the faults are told.
pub(super) struct Recorder<'a> {
    log: Option<&'a dyn RunLog>,
    id: String,
    /// The record that is still to be begun.
    unbegun: Option<Run>,
    faults: Vec<Error>,
}

impl<'a> Recorder<'a> {
    /// The record of a job, or that of an earlier turn, which goes on. A single call is no plan: there is nothing to go on from.
    pub(super) fn new(
        job: Job<'a>,
        dependencies: HandlerDependencies<'a>,
        earlier: Option<&Run>,
    ) -> Self {
        let calls = job.approved.calls();
        let log = dependencies.runs.filter(|_| calls.len() > 1 || earlier.is_some());
        let new = || {
            let pack = &job.turn.pack.spec.name;
            let mut run = Run::new(&job.decision.id, pack, job.turn.request, calls);
            // "Yes" says nothing of what was asked for.
            let asked = job.turn.context.asked.clone();
            let answered = asked.filter(|_| job.decision.layer == LayerName::Rules);
            run.request.text = answered.unwrap_or(run.request.text);
            run
        };
        let run = Run { era: job.turn.era, ..earlier.cloned().unwrap_or_else(new) };
        Self { log, id: run.id.clone(), unbegun: Some(run), faults: Vec::new() }
    }

    /// Begins the record, once: beside the first step, which need not wait for it, since before that nothing is there to go on
    /// from.
    pub(super) async fn begin(&mut self) {
        let Some((log, run)) = self.log.zip(self.unbegun.take()) else { return };
        let begun = log.begin(&run).await;
        self.note(begun);
    }

    /// Records what came of the calls of a step.
    pub(super) async fn steps(&mut self, done: &[Done], began: Duration) {
        let Some(log) = self.log else { return };
        let steps: Vec<RunStep> = done.iter().map(|done| step(done, began)).collect();
        let noted = log.steps(&self.id, &steps).await;
        self.note(noted);
    }

    /// Records the end.
    pub(super) async fn end(&mut self, end: RunEnd) {
        // Work that ended before its first step leaves no record; what goes on may have nothing left to do.
        let is_known = self.unbegun.as_ref().is_none_or(|run| !run.steps.is_empty());
        let Some(log) = self.log.filter(|_| is_known) else { return };
        let noted = log.end(&self.id, end).await;
        self.note(noted);
    }

    /// The fault that kept it from being written: one says enough.
    pub(super) fn fault(&mut self) -> Option<Error> {
        (!self.faults.is_empty()).then(|| self.faults.swap_remove(0))
    }

    fn note(&mut self, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.faults.push(error);
            // A record with a hole in it would make people trust what is not there.
            self.log = None;
        }
    }
}

fn step(done: &Done, began: Duration) -> RunStep {
    let took_ms = match &done.event {
        Event::ToolEvent { tool_latency_ms, .. } => *tool_latency_ms,
        _ => 0.0,
    };
    RunStep {
        tool: done.call.tool.clone(),
        arguments: done.call.arguments.clone(),
        output: done.result.as_ref().ok().map(|result| result.value.clone()),
        code: done.result.as_ref().err().map(Error::code),
        began_ms: crate::respond::execution::milliseconds(began),
        took_ms,
    }
}
