//! One MCP server over one pack: lists the tools, checks each call's arguments, answers, logs.
//!
//! rmcp reads the messages; it does not check arguments against the schemas it publishes, so that
//! happens here. A tool that cannot answer gives a result with `isError`, never a protocol error:
//! only a tool that does not exist is one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::model::{
    Annotations, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    ImageContent, Implementation, ListToolsResult, MetaObject, PaginatedRequestParams,
    ProgressNotificationParam, Role, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};

use crate::accelerator::Ring;
use crate::fault::Fault;
use crate::finance::Memory;
use crate::options::DemoOptions;
use crate::pack::{Context, Failure, Pack, Reply, Tool};
use crate::picture::Picture;
use crate::schema;

/// The exit status of a played crash: `EX_SOFTWARE` of `sysexits.h`, so that a log can tell it
/// from a real one (a panic is 101).
const CRASH_STATUS: i32 = 70;

/// The handler of one pack.
#[derive(Clone)]
pub(crate) struct Server {
    pack: &'static Pack,
    options: DemoOptions,
    tools: Arc<[Tool]>,
    /// The calls so far, for a fault that comes now and then.
    calls: Arc<AtomicUsize>,
    /// What the server remembers from call to call.
    memory: Arc<Memory>,
    ring: Arc<Ring>,
}

impl Server {
    pub(crate) fn new(pack: &'static Pack, options: DemoOptions) -> Self {
        Self {
            pack,
            options,
            tools: (pack.tools)().into(),
            calls: Arc::default(),
            memory: Arc::default(),
            ring: Arc::default(),
        }
    }

    /// Answers one call as the fault, if there is one, would have it.
    async fn answer(&self, tool: &str, arguments: Map<String, Value>) -> Result<Reply, Failure> {
        match self.options.fault {
            Some(Fault::Error(code)) => {
                return Err(Failure { code, message: format!("the fault `error:{code}` is on") });
            }
            Some(Fault::Third(code)) if self.calls.fetch_add(1, Ordering::Relaxed) % 3 == 2 => {
                return Err(Failure { code, message: format!("the fault `third:{code}` is on") });
            }
            Some(Fault::GarbageResult) => return Ok(json!({"not_in_the_schema": 42}).into()),
            Some(Fault::Crash) => {
                self.log(tool, &arguments, "crash", Instant::now());
                std::process::exit(CRASH_STATUS);
            }
            Some(Fault::Hang) => {
                self.log(tool, &arguments, "hang", Instant::now());
                return std::future::pending().await;
            }
            Some(Fault::Delay(duration)) => tokio::time::sleep(duration).await,
            Some(Fault::NotFound | Fault::Garbage | Fault::Steps(_) | Fault::Third(_)) | None => {}
        }
        let server = self.clone();
        let tool = tool.to_owned();
        // A year over a box is up to half a second of arithmetic, too long for an async thread.
        tokio::task::spawn_blocking(move || server.compute(&tool, &arguments))
            .await
            .unwrap_or_else(|_| Err(Failure::internal("the tool broke off")))
    }

    /// Reports steps to a client that wants to know how far a call is.
    async fn report(&self, context: &RequestContext<RoleServer>) {
        let Some(Fault::Steps(wait)) = self.options.fault else { return };
        for step in 1..=Fault::STEPS {
            tokio::time::sleep(wait).await;
            let Some(token) = context.meta.get_progress_token() else { continue };
            let report = ProgressNotificationParam::new(token, f64::from(step))
                .with_total(f64::from(Fault::STEPS))
                .with_message(format!("step {step}"));
            // A client that has gone need not know.
            let _ = context.peer.notify_progress(report).await;
        }
    }

    fn compute(&self, name: &str, arguments: &Map<String, Value>) -> Result<Reply, Failure> {
        let Some(tool) = self.tool(name) else {
            return Err(Failure::internal(format!("no tool `{name}`")));
        };
        let context = Context {
            today: self.options.today,
            now: self.options.now.clone(),
            no_data: self.options.fault == Some(Fault::NotFound),
            memory: Arc::clone(&self.memory),
            ring: Arc::clone(&self.ring),
        };
        call(tool, arguments, &context)
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    fn log(&self, tool: &str, arguments: &Map<String, Value>, outcome: &str, started: Instant) {
        let arguments = serde_json::to_string(arguments).unwrap_or_default();
        let ms = started.elapsed().as_millis();
        let pack = self.pack.name;
        // The name comes from the caller and may hold a line break, which would forge a line.
        let tool = tool.escape_debug();
        let line = format!("waypost-demo {pack}: call {tool} {arguments} -> {outcome} {ms}ms");
        self.options.log.line(&line);
    }
}

/// Checks the arguments against the tool's schema and calls it.
pub(crate) fn call(
    tool: &Tool,
    arguments: &Map<String, Value>,
    context: &Context,
) -> Result<Reply, Failure> {
    schema::check(&tool.input, &Value::Object(arguments.clone()), "arguments")
        .map_err(Failure::invalid)?;
    (tool.call)(arguments, context)
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let name = format!("waypost-demo-{}", self.pack.name);
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(name, env!("CARGO_PKG_VERSION")))
            .with_instructions(self.pack.instructions)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            self.tools.iter().map(|tool| published(self.pack, tool)).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let started = Instant::now();
        let arguments = request.arguments.unwrap_or_default();
        if self.tool(&request.name).is_none() {
            self.log(&request.name, &arguments, "unknown tool", started);
            let message = format!("unknown tool `{}`", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        let journal = |what: &str| {
            let arguments = Value::from(arguments.clone());
            self.options.journal.line(&format!("{what} {} {arguments}", request.name));
        };
        journal("begin");
        let stopped = context.ct.clone();
        let answered = async {
            self.report(&context).await;
            self.answer(&request.name, arguments.clone()).await
        };
        let answer = tokio::select! {
            answer = answered => answer,
            () = stopped.cancelled() => {
                journal("cancel");
                self.log(&request.name, &arguments, "cancelled", started);
                // Nobody reads it: whoever cancels waits for no answer.
                return Err(ErrorData::internal_error("the call was cancelled", None));
            }
        };
        let outcome = answer.as_ref().map_or_else(|failure| failure.code, |_| "ok");
        journal("end");
        self.log(&request.name, &arguments, outcome, started);
        Ok(answer.map_or_else(failed, succeeded).into())
    }
}

/// The tool in rmcp's words. A tool that writes changes the user's own notes and tells what they
/// were, so that nothing is lost by it.
fn published(pack: &Pack, tool: &Tool) -> rmcp::model::Tool {
    let object = |schema: &Value| Arc::new(schema.as_object().cloned().unwrap_or_default());
    let reads = !pack.writers.contains(&tool.name);
    let hints = ToolAnnotations::new().read_only(reads).idempotent(reads).open_world(false);
    let hints = if reads { hints } else { hints.destructive(false) };
    rmcp::model::Tool::new(tool.name, tool.description, object(&tool.input))
        .with_raw_output_schema(object(&tool.output))
        .with_annotations(hints)
}

/// A reply as a tool result: structured, as text, and its pictures as images.
fn succeeded(reply: Reply) -> CallToolResult {
    let mut result = CallToolResult::structured(reply.result);
    result.content.extend(reply.pictures.iter().map(image));
    result
}

/// A picture for the people who ask; a model gets the numbers.
fn image(picture: &Picture) -> ContentBlock {
    let mut meta = MetaObject::new();
    meta.insert("title".to_owned(), json!(picture.title));
    let image = ImageContent::new(BASE64.encode(&picture.svg), "image/svg+xml")
        .with_meta(meta)
        .with_annotations(Annotations::default().with_audience(vec![Role::User]));
    ContentBlock::Image(image)
}

/// A failure as a tool result: structured for programs, one line of text for people.
fn failed(failure: Failure) -> CallToolResult {
    let Failure { code, message } = failure;
    let mut result = CallToolResult::error(vec![ContentBlock::text(format!("{code}: {message}"))]);
    result.structured_content = Some(json!({"code": code, "message": message}));
    result
}
