//! Runs of earlier turns: what was cut short is told, and goes on or is given up as the user says.

use waypost_core::error::{Code, Error, Result};
use waypost_core::ports::runs::{Kept, RunFilter, RunLog};
use waypost_core::records::request::{Context, Request, shorten};
use waypost_core::records::run::{Run, RunEnd};

use super::Router;
use crate::observe::ledger::Ledger;
use crate::understand::{EarlierRun, commands};

/// The longest id of a run that an error repeats, in characters.
const ID_CHARACTERS: usize = 40;

/// The wish of a command about a run; without an id it is the latest of the conversation.
struct Wish {
    abandons: bool,
    id: Option<String>,
}

impl Router {
    /// The run that a request is about: by its field, by a command, or by the question that it may answer.
    ///
    /// # Errors
    ///
    /// For a request that names a run by its field: `NOT_FOUND` if its conversation has none of that id,
    /// `FAILED_PRECONDITION` if it has ended or somebody is at work on it.
    pub(super) async fn earlier_run(
        &self,
        request: &Request,
        context: &Context,
        ledger: &mut Ledger,
    ) -> Result<Option<EarlierRun>> {
        let log = self.parts.store.runs();
        if let Some(id) = &request.resume {
            let run = self.named(log.as_deref(), request, id).await?;
            return Ok(Some(EarlierRun::Resumed(run)));
        }
        let wish = self.wish(request);
        let found = match (&wish, &context.run) {
            (Some(wish), _) => self.wished(log.as_deref(), request, wish).await,
            (None, Some(id)) => self.waiting(log.as_deref(), request, id).await,
            (None, None) => return Ok(None),
        };
        Ok(found.unwrap_or_else(|error| {
            ledger.note_failure("runs", &error);
            wish.map(|_| EarlierRun::Missing)
        }))
    }

    /// The run that a request names by its field.
    async fn named(&self, log: Option<&dyn RunLog>, request: &Request, id: &str) -> Result<Run> {
        let log = log.ok_or_else(|| Error::unavailable("the store keeps no record of runs"))?;
        let filter = RunFilter { id: Some(id.to_owned()), ..self.of_pack(request) };
        let shown = shorten(id, ID_CHARACTERS);
        // Without a conversation, one of a conversation is nobody's to go on with.
        let own = |kept: &Kept| {
            kept.run.session() == request.session.as_deref()
                && kept.run.owner.as_deref() == request.owner.as_deref()
        };
        let Some(kept) = log.list(&filter, 1).await?.pop().filter(own) else {
            return Err(Error::new(Code::NotFound, format!("there is no run `{shown}` here"))
                .with_hint("name the session that it is part of; `waypost runs` lists them"));
        };
        if !kept.run.is_open() {
            let message = format!("the run `{shown}` has ended");
            return Err(Error::new(Code::FailedPrecondition, message).with_hint("ask again"));
        }
        // Whoever has the turn of a conversation knows that nobody else is at work in it.
        if kept.at_work && request.session.is_none() {
            let message = format!("somebody is at work on the run `{shown}`");
            return Err(Error::new(Code::FailedPrecondition, message)
                .with_hint("wait until it has ended, or end its process"));
        }
        Ok(kept.run)
    }

    /// The open run that a command is about; one that is given up ends now.
    async fn wished(
        &self,
        log: Option<&dyn RunLog>,
        request: &Request,
        wish: &Wish,
    ) -> Result<Option<EarlierRun>> {
        let missing = Ok(Some(EarlierRun::Missing));
        let Some(log) = log.filter(|_| request.session.is_some()) else { return missing };
        let filter = RunFilter { id: wish.id.clone(), open: true, ..self.of_pack(request) };
        let Some(kept) = log.list(&filter, 1).await?.pop() else { return missing };
        if wish.abandons {
            log.end(&kept.run.id, RunEnd::Abandoned).await?;
            return Ok(Some(EarlierRun::Abandoned(kept.run)));
        }
        Ok(Some(EarlierRun::Resumed(kept.run)))
    }

    /// The run that goes on with the answer to an open question.
    async fn waiting(
        &self,
        log: Option<&dyn RunLog>,
        request: &Request,
        id: &str,
    ) -> Result<Option<EarlierRun>> {
        let Some(log) = log else { return Ok(None) };
        let filter = RunFilter { id: Some(id.to_owned()), open: true, ..self.of_pack(request) };
        Ok(log.list(&filter, 1).await?.pop().map(|kept| EarlierRun::Waiting(kept.run)))
    }

    fn of_pack(&self, request: &Request) -> RunFilter {
        RunFilter {
            session: request.session.clone(),
            pack: Some(self.parts.pack.spec.name.clone()),
            ..RunFilter::default()
        }
    }

    /// The command of a text that is about a run.
    fn wish(&self, request: &Request) -> Option<Wish> {
        if !self.parts.pack.spec.commands {
            return None;
        }
        let (commands, _) = commands::read(&request.text);
        let wish = |name: &str, abandons: bool| {
            let id = commands.value_of(name)?.map(str::to_owned);
            Some(Wish { abandons, id })
        };
        wish("abandon", true).or_else(|| wish("resume", false))
    }
}

/// The request of a run that goes on: its words and its instant, with the rights of whoever goes on with it.
pub(super) fn again(request: &Request, run: &Run) -> Request {
    let Request { text, now, tz, language, user, .. } = run.request.clone();
    Request {
        text,
        now,
        tz,
        language,
        user: request.user.clone().or(user),
        route: None,
        call: None,
        choice: None,
        resume: Some(run.id.clone()),
        ..request.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_goes_on_with_the_rights_of_whoever_goes_on_with_it() {
        let all = Request { trusted: true, session: None, ..Request::new("plot the current") };
        let run = Run::new("1", "p", &Request { owner: Some("a".into()), ..all }, &[]);
        let narrow = Request {
            tools: Some(["channel_finding".to_owned()].into()),
            owner: Some("b".into()),
            resume: Some("1".to_owned()),
            ..Request::new("x")
        };
        let resumed = again(&narrow, &run);
        assert_eq!(resumed.text, "plot the current");
        assert!(resumed.may_use("channel_finding") && !resumed.may_use("python"));
        assert!(!resumed.trusted);
        assert_eq!((resumed.owner.as_deref(), run.owner.as_deref()), (Some("b"), Some("a")));
    }
}
