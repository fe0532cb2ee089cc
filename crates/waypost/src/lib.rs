//! Waypost decides what should happen with what a user wrote, and does it: a tool call with checked
//! arguments, an answer, or one question back.
//!
//! This crate is the whole flow without its surroundings. It opens no socket and no file and reads
//! neither the clock nor the environment: models, tools, stores and time stand behind [`ports`], and
//! the instant comes with each request. `ARCHITECTURE.md` in the repository draws the crates, and
//! has the glossary.
//!
//! # The tour
//!
//! The modules below are in reading order. Each uses only those before it.
//!
//! 1. [`pack`]: a pack is data. It holds routes, tools, examples, gazetteers and sentences, and is
//!    checked as a whole when it is loaded.
//! 2. [`understand`]: [`understand::ingest`] reads the words of a request once. An
//!    [`Utterance`](understand::Utterance) is what was said, as plain data; a [`Turn`](understand::Turn) is
//!    that in its conversation, with what may be done. A later module must not call the extractors; `tidy` checks it.
//! 3. [`student`]: the pack's own classifier. This module says what it learns from the examples and
//!    which version of it serves.
//! 4. [`decide`]: the heart. [`decide::cascade`] asks the layers, cheapest first, for a route and its
//!    tools; [`decide::slots`] fills the arguments, each with its evidence; [`decide::gates`] have
//!    the last word. Out comes a [`Decision`](records::decision::Decision).
//! 5. [`respond`]: runs approved calls with retries and limits, does the work of the route, and words
//!    the result in the user's language.
//! 6. [`observe`]: events, statistics and explanations of what was decided, and the watch for drift.
//!    Nothing here changes a decision.
//! 7. [`feedback`]: labels: statements that a decision was right or wrong, read in passing or given explicitly.
//! 8. [`lint`]: finds what makes a valid pack route badly.
//! 9. [`bootstrap`]: makes the pack of MCP servers that nobody has written one for.
//! 10. [`router`]: joins all of these. [`Router::answer`](router::Router::answer) reads as the whole
//!     system, and only the router emits events and writes sessions.
//!
//! # Where is …?
//!
//! | question | place |
//! |---|---|
//! | a gate | [`decide::gates`]: a file each; `gates()` in its `mod.rs` lists them in the order of asking (`bounds` and `fork` are helpers) |
//! | a layer of the cascade | [`decide::cascade`]: a file each, cheapest first |
//! | the place where "yesterday" is read | [`extract`], in `waypost-text`: the rule is in `src/extract/temporal/named.rs`, the word in `lang/en/calendar.txt`, a folder beside `src` |
//! | an argument filled, with its evidence | [`decide::slots`]: places and times in `bind`, what was said in `deal`, everything else in `matchers`, a file each |
//! | a threshold | the pack's [`Policy`](pack::spec::Policy); what training finds is in [`learning::calibrate::threshold`] |
//! | a label made | `feedback/labels` in passing, [`feedback::give`] explicitly, [`feedback::audit`] by a model |
//! | a label believed | [`learning::data::curate`] |
//! | a version trained | [`student::heads::train_on`], which calls [`learning::train()`] |
//! | a version allowed to serve | [`learning::promotion`] judges what [`student::examination`] measured; `learning/promotion.rs` of `waypost-server` applies the verdict, or `--force` |
//! | a version put in service | [`router::Router::swap`] |
//! | drift told | [`learning::drift`] finds it; `observe/drift_monitor` feeds it and makes the event; [`router::Router::watching`] turns it on |
//! | an event emitted | [`router`] alone (`Router::emit`); `observe/events` makes those of a turn, `observe/ledger` collects them; the types are in [`records::event`] |
//! | a pack's fault found | `pack/check`: unknown and missing keys in its `mod.rs`, from the shapes in [`pack::spec`]; examples in `pack/examples` |
//! | a request received, an answer sent | the crate `waypost-server`: `surfaces/mcp.rs`, `surfaces/http` (its event stream is `sse.rs`), `commands` |
//! | a sentence worded | Waypost's own in [`pack::messages`], a result's in [`respond::render`] |
//! | the outside expected | the traits in [`ports`]; `waypost-backends` implements them |
//!
//! # Example
//!
//! A pack given as text, a tool server of four lines, and a question:
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! use serde_json::{Map, Value, json};
//! use tokio_util::sync::CancellationToken;
//! use waypost::pack::{Files, Pack};
//! use waypost::ports::tools::{ToolDescription, ToolResult, ToolServer};
//! use waypost::records::request::Request;
//! use waypost::records::rollout::Rollout;
//! use waypost::router::{AnswerOptions, Parts, Router};
//! use waypost::student::heads::train_student;
//! use waypost_testing::{EmptyShelf, OneSession, StillClock};
//!
//! const PACK: &str = r#"
//! name: harbor
//! summary: Tells the water level of a harbor.
//! format: 1
//! languages: [en]
//! tz: UTC
//! fallback: talk
//! policy: { run: 0.3, ask: 0.2, student: 0.3 }
//! routes:
//!   - { name: level, handler: tool, summary: The user asks how high the water is. }
//!   - { name: talk, handler: converse, summary: The user greets or thanks. }
//! servers:
//!   - { name: gauge, command: [gauge] }
//! tools:
//!   - name: water_level
//!     server: gauge
//!     access: read
//!     summary: The water level on a day.
//!     schema: { type: object, required: [date], properties: { date: { type: string } } }
//!     arguments: { date: { kind: date } }
//!     answer: { en: "{{ arguments.date }}: {{ result.cm }} cm" }
//! "#;
//! const EXAMPLES: &str = r#"
//! {"text": "how high is the water today", "lang": "en", "route": "level", "tools": ["water_level"]}
//! {"text": "water level on Friday", "lang": "en", "route": "level", "tools": ["water_level"]}
//! {"text": "what was the level last night", "lang": "en", "route": "level", "tools": ["water_level"]}
//! {"text": "hello there", "lang": "en", "route": "talk"}
//! {"text": "thanks a lot", "lang": "en", "route": "talk"}
//! {"text": "good morning", "lang": "en", "route": "talk"}
//! "#;
//!
//! /// Says 42 for every day.
//! #[derive(Debug)]
//! struct Gauge;
//!
//! #[async_trait::async_trait]
//! impl ToolServer for Gauge {
//!     async fn list(&self, _: &CancellationToken) -> waypost::Result<Vec<ToolDescription>> {
//!         let name = "water_level".to_owned();
//!         Ok(vec![ToolDescription { name, ..ToolDescription::default() }])
//!     }
//!
//!     async fn call(
//!         &self,
//!         _tool: &str,
//!         _arguments: &Map<String, Value>,
//!         _: &CancellationToken,
//!     ) -> waypost::Result<ToolResult> {
//!         Ok(json!({ "cm": 42 }).into())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> waypost::Result<()> {
//! let files = [("pack.yaml", PACK), ("examples.jsonl", EXAMPLES.trim_start())];
//! let files: Files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
//! let pack = Pack::load(&files).expect("a pack without faults");
//! let student = train_student(&pack, None, &mut |_| {})?;
//! let router = Router::new(Parts {
//!     pack: Arc::new(pack),
//!     bundle: Arc::new(student).into(),
//!     models: BTreeMap::new(),
//!     servers: BTreeMap::from([("gauge".to_owned(), Arc::new(Gauge) as Arc<dyn ToolServer>)]),
//!     encoder: None,
//!     retriever: Arc::new(EmptyShelf),
//!     store: Arc::new(OneSession::default()),
//!     clock: Arc::new(StillClock),
//!     rollout: Rollout::default(),
//!     recall: None,
//! });
//!
//! let mut question = Request::new("how high was the water yesterday");
//! question.now = Some("2025-11-06T09:00:00Z".to_owned());
//! let cancel = CancellationToken::new();
//!
//! let decision = router.route(&question, &cancel).await?;
//! assert_eq!(decision.calls[0].tool, "water_level");
//! assert_eq!(decision.calls[0].arguments["date"], "2025-11-05");
//!
//! // `answer` also runs the call; parts of the answer would be streamed into `parts`.
//! let (parts, _) = tokio::sync::mpsc::channel(16);
//! let answer = router.answer(&question, AnswerOptions::default(), &parts, &cancel).await?;
//! assert_eq!(answer.text, "2025-11-05: 42 cm");
//! # Ok(())
//! # }
//! ```

pub(crate) mod everyday;

pub mod catalog;

pub mod tokens;

pub mod prune;

pub mod arguments;
pub mod pack;
pub mod understand;

pub mod student;

pub mod decide;

pub mod respond;

pub mod observe;

pub mod feedback;

pub mod lint;

pub mod bootstrap;

pub mod router;

pub use waypost_core::{
    Code, Error, Result, Severity, error, hash, ports, printable, records, schema,
};
pub use waypost_learning as learning;
pub use waypost_text::{effort, extract, language, redact, text};
