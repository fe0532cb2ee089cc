//! Calls: who makes one, which request it is, and how it goes on until it is answered.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::RequestContext;
use serde_json::{Map, Value as Json, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use waypost::pack::spec::Access;
use waypost::records::answer::Answer;
use waypost::records::request::{Consent, Request};
use waypost::router::{AnswerOptions, Router};
use waypost::{Error, Result};

use super::arguments::{Arguments, Platform, read};
use super::clarify::{self, Asking, Open};
use super::offered::Offered;
use super::progress::{self, Reports};
use super::{Surface, Way, catalog, decision_text, results, unguessable};
use crate::keys::Scope;
use crate::surfaces::caller::Caller;
use crate::surfaces::{Hosted, HostedPack};

/// The most pieces of an answer that may wait; only progress is read of them.
const PIECES: usize = 64;
/// The most forms for one call while it waits; what is still open then is asked in words.
const MAX_ROUNDS: usize = 5;
/// The header by which a client over HTTP names its session.
pub(super) const SESSION_ID: &str = "mcp-session-id";
const SECONDS_A_DAY: i64 = 24 * 60 * 60;

/// Whoever makes a call, as far as its message tells.
struct Asker {
    caller: Caller,
    asking: Asking,
    /// True if its calls come one after the other to the same [`Surface`].
    in_session: bool,
}

/// A call that is answered, in one turn or, with questions between them, in several.
struct Talk<'a> {
    tool: Offered,
    pack: &'a HostedPack,
    given: Map<String, Json>,
    arguments: Arguments,
    /// The conversation, by the client's name for it.
    session: Option<String>,
}

impl Surface {
    fn asker(&self, context: &RequestContext<RoleServer>) -> Result<Asker> {
        let named = || {
            let parts = context.extensions.get::<Parts>();
            parts.is_some_and(|parts| parts.headers.contains_key(SESSION_ID))
        };
        let in_session = self.way == Way::Streams || named();
        // Where there is no session, nothing could be answered but the call.
        let asking = Asking::of(context, in_session);
        Ok(Asker { caller: self.caller(context)?, asking, in_session })
    }

    fn whose(&self, caller: &Caller) -> String {
        whose(caller, self.way)
    }

    /// Answers a call of a tool.
    pub(super) async fn respond(
        &self,
        tool: Offered,
        mut called: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse> {
        let asker = self.asker(context)?;
        asker.caller.needs(Scope::Ask)?;
        if let Some(given) = &mut called.arguments {
            tool.as_meant(given);
        }
        match tool {
            Offered::Answer | Offered::Call => self.converse(tool, called, &asker, context).await,
            Offered::Route | Offered::Search | Offered::Describe => {
                let given = called.arguments.unwrap_or_default();
                self.check(tool, &given, &asker.caller)?;
                let result = self.look_up(tool, given, &asker.caller).await?;
                Ok(result.into())
            }
        }
    }

    /// Does work in a place for turns, on their threads; what panics there is a fault inside.
    async fn in_turn<T, F>(
        &self,
        caller: &Caller,
        work: impl FnOnce(CancellationToken) -> F + Send,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let place = match self.way {
            Way::Streams => self.turns.wait_for_place(caller.key_id()).await?,
            // A client that is told can go elsewhere.
            Way::Http => self.turns.place(caller.key_id())?,
        };
        self.turns.begin(place, work).end().await
    }

    /// Checks the arguments of a call. Where they say nothing, the hint is in words that the pack knows.
    fn check(&self, tool: Offered, given: &Map<String, Json>, caller: &Caller) -> Result<()> {
        tool.check(given, || {
            let router = self.chosen(given, caller).ok()?.router();
            let pack = router.pack();
            let own = pack.examples.iter().find(|example| pack.route(&example.route).is_some());
            own.map(|example| example.text.clone())
        })
    }

    /// The pack that the arguments of a call name, or the one that is asked without a name.
    fn chosen(&self, given: &Map<String, Json>, caller: &Caller) -> Result<&HostedPack> {
        let named = given.get("pack").and_then(Json::as_str);
        self.hosted.choose(named.or(self.pack.as_deref()), caller)
    }

    /// Does what decides or describes, and changes nothing.
    async fn look_up(
        &self,
        tool: Offered,
        given: Map<String, Json>,
        caller: &Caller,
    ) -> Result<CallToolResult> {
        let pack = self.chosen(&given, caller)?;
        let router = pack.router_for_turn().await;
        if tool == Offered::Route {
            let arguments: Arguments = read(given)?;
            let request = arguments.request(tool, &router.pack().spec.tz)?;
            let request = admitted(caller, arguments.session.as_deref(), request);
            let deciding =
                self.in_turn(
                    caller,
                    move |cancel| async move { router.route(&request, &cancel).await },
                );
            let decision = deciding.await?;
            return results::result(decision_text::told(&decision), &decision);
        }
        let allowed = caller.tools();
        let looking = self.in_turn(caller, move |_| async move {
            match tool {
                Offered::Search => catalog::search(&router, given, allowed.as_deref()),
                _ => catalog::describe(&router, given, allowed.as_deref()),
            }
        });
        let (text, record) = looking.await?;
        results::result(text, &record)
    }
}

impl Surface {
    /// Answers a call, and asks the user back where the client can show a form.
    async fn converse(
        &self,
        tool: Offered,
        called: CallToolRequestParams,
        asker: &Asker,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse> {
        let (talk, mut request) = match called.request_state {
            None => {
                let platform = Platform::of(&context.meta, &asker.caller)?;
                self.begin(tool, called.arguments.unwrap_or_default(), platform, asker).await?
            }
            Some(state) => {
                let open: Open = self.seal.open(&state, &self.whose(&asker.caller))?;
                let talk = self.resumed(tool, &open, &asker.caller)?;
                let said = called.input_responses.and_then(|mut said| said.remove(clarify::CHOICE));
                let choice = match said {
                    Some(said) => open.read(said)?,
                    None if asker.asking == Asking::InResult => {
                        return self.asked_back(&open, &asker.caller);
                    }
                    None => None,
                };
                match choice.or_else(|| open.denial()) {
                    Some(choice) => {
                        let request = talk.next(choice)?;
                        (talk, request)
                    }
                    None => return Ok(results::answered(open.answer, &self.painter).await?.into()),
                }
            }
        };
        let (mut reports, mut rounds) = (Reports::of(context), 0);
        loop {
            let answer = self.turn(&talk, request, &asker.caller, &mut reports).await?;
            rounds += 1;
            let choice = match (asker.asking, talk.open(&answer)) {
                (Asking::InResult, Some(open)) => return self.asked_back(&open, &asker.caller),
                (Asking::ByRequest, Some(open)) if rounds <= MAX_ROUNDS => {
                    self.ask(&open, &asker.caller, context).await.or_else(|| open.denial())
                }
                _ => None,
            };
            request = match choice {
                Some(choice) => talk.next(choice)?,
                None => return Ok(results::answered(answer, &self.painter).await?.into()),
            };
        }
    }

    /// A call that begins, and its first request.
    async fn begin(
        &self,
        tool: Offered,
        given: Map<String, Json>,
        platform: Platform,
        asker: &Asker,
    ) -> Result<(Talk<'_>, Request)> {
        self.check(tool, &given, &asker.caller)?;
        let pack = self.chosen(&given, &asker.caller)?;
        // The conversation depends on what the tool does, so a server that is back is met first.
        let router = pack.router_for_turn().await;
        let mut arguments: Arguments = read(given.clone())?;
        arguments.platform = platform;
        let mut request = arguments.request(tool, &router.pack().spec.tz)?;
        if asker.asking != Asking::InWords {
            // Who can be asked by a form says yes in it, and a model says it for nobody.
            request.consent = Consent::Withheld;
            request.call.iter_mut().for_each(|call| call.approved = false);
        }
        let session = match &arguments.session {
            Some(named) => Some(named.clone()),
            None => self.conversation(tool, &arguments, (pack, &router), asker),
        };
        Ok((Talk { tool, pack, given, arguments, session }, request))
    }

    /// A call that goes on where its question was asked.
    fn resumed(&self, tool: Offered, open: &Open, caller: &Caller) -> Result<Talk<'_>> {
        if open.tool != tool.name() {
            let message = format!("`requestState` is of a call of `{}`", open.tool);
            return Err(Error::invalid(message).with_hint("send it with the call that led to it"));
        }
        let pack = self.hosted.choose(Some(&open.pack), caller)?;
        let given = open.arguments.clone();
        let (mut arguments, session) =
            (read::<Arguments>(given.clone())?, Some(open.session.clone()));
        arguments.platform = open.platform.clone();
        Ok(Talk { tool, pack, given, arguments, session })
    }

    /// The conversation of a call that names none, where something has to be remembered of it: that a
    /// question was asked.
    fn conversation(
        &self,
        tool: Offered,
        arguments: &Arguments,
        (pack, router): (&HostedPack, &Router),
        asker: &Asker,
    ) -> Option<String> {
        let called = router.pack().tool(&arguments.name).filter(|_| tool == Offered::Call);
        // What only reads needs no approval.
        let changes = called.is_some_and(|tool| router.access(tool) != Some(Access::Read));
        match (changes, asker.in_session) {
            // One for each pack: a question of another pack would close the one of this.
            (true, true) => Some(format!("{}/{}", self.own, pack.name())),
            // The call that tells of the yes comes alone: it is known by being the same one.
            (true, false) => {
                let day = jiff::Timestamp::now().as_second() / SECONDS_A_DAY;
                let sorted: BTreeMap<&String, &Json> = arguments.arguments.iter().collect();
                let whose = self.whose(&asker.caller);
                let call = json!([whose, pack.name(), arguments.name, sorted, day]);
                Some(self.seal.name(&call.to_string()))
            }
            (false, _) => (asker.asking != Asking::InWords).then(|| unguessable(&self.salts)),
        }
    }

    /// Answers a request, and passes on what its tools report meanwhile.
    async fn turn(
        &self,
        talk: &Talk<'_>,
        request: Request,
        caller: &Caller,
        reports: &mut Option<Reports>,
    ) -> Result<Answer> {
        let router = talk.pack.router_for_turn().await;
        let request = admitted(caller, talk.session.as_deref(), request);
        // It is kept, and whoever knows its id may speak of it: over HTTP, of the same store, too.
        let request = Request { salt: Some(self.salts.next()), ..request };
        let options = AnswerOptions { trace: talk.arguments.debug };
        let (out, pieces) = mpsc::channel(PIECES);
        let admitted = match self.way {
            Way::Streams => self.turns.admit_in_time(&request).await?,
            Way::Http => self.turns.admit(&request)?,
        };
        let running = self.turns.answer(admitted, router, Arc::new(request), options, out);
        let (answer, ()) = tokio::join!(running.end(), progress::pass_on(reports, pieces));
        answer
    }

    /// Asks the user in the result of the call.
    fn asked_back(&self, open: &Open, caller: &Caller) -> Result<CallToolResponse> {
        let state = self.seal.close(open, &self.whose(caller))?;
        Ok(open.required(state)?.into())
    }

    /// Asks the user while the call waits, and returns the value of what was chosen. Here, and in no
    /// task of its own, as the protocol wants to know for which call it is.
    async fn ask(
        &self,
        open: &Open,
        caller: &Caller,
        context: &RequestContext<RoleServer>,
    ) -> Option<Json> {
        let _place = self.forms.take(caller.key_id())?;
        clarify::ask(&context.peer, open).await
    }
}

impl Talk<'_> {
    /// The question that an answer is, if a form can put it.
    fn open(&self, answer: &Answer) -> Option<Open> {
        let session = self.session.clone()?;
        clarify::is_question(answer).then(|| Open {
            tool: self.tool.name().to_owned(),
            arguments: self.given.clone(),
            pack: self.pack.name().to_owned(),
            platform: self.arguments.platform.clone(),
            session,
            answer: clarify::light(answer),
        })
    }

    /// The request of the user who took a choice.
    fn next(&self, choice: Json) -> Result<Request> {
        self.arguments.chosen(&self.pack.router().pack().spec.tz, choice)
    }
}

/// The request as it counts from a caller, in its own conversation of that name.
fn admitted(caller: &Caller, session: Option<&str>, request: Request) -> Request {
    let session = session.map(|name| Hosted::session(caller, name));
    let trusted = caller.may(Scope::Trusted);
    caller.admitted(Request { session, trusted, ..request })
}

/// The caller as what is its own names it: what is sealed for it, and its sessions.
pub(super) fn whose(caller: &Caller, way: Way) -> String {
    match (caller.key_id(), way) {
        (Some(key), _) => format!("key {key}"),
        (None, Way::Streams) => "own".to_owned(),
        (None, Way::Http) => "local".to_owned(),
    }
}
