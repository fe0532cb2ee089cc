//! Decides how a tool server is reached: as a child process or at an address, as the configuration says, or
//! else the pack. The values that come from the environment are looked up here, and nowhere else.

use std::ffi::OsString;
use std::sync::Arc;

use tracing::warn;
use waypost::pack::spec::{ServerSpec, ValueSpec};
use waypost::{Error, Result};
use waypost_backends::llm::Secret;
use waypost_backends::mcp::{HeaderText, HttpConfig, Reach, StdioConfig};

use super::AssemblyOptions;
use crate::config::Config;
use crate::environment;

/// The way to a server of a pack.
pub(super) fn reach(
    spec: &ServerSpec,
    config: &Config,
    options: &AssemblyOptions,
) -> Result<Reach> {
    let own = config.servers.get(&spec.name).map(|file| file.spec(&spec.name));
    let spec = own.as_ref().unwrap_or(spec);
    let reach: Reach = match &spec.url {
        Some(url) => http(spec, url).into(),
        None => stdio(spec, options)?.into(),
    };
    Ok(reach.starting_within(config.limits.tool_server()))
}

/// How a server at an address is spoken with.
fn http(spec: &ServerSpec, url: &str) -> HttpConfig {
    let mut http = HttpConfig::new(&spec.name, url);
    let headers = spec.headers.iter();
    http.headers = headers.map(|(name, value)| (name.clone(), header(value))).collect();
    http.token = spec.token_env.as_deref().map(variable);
    http
}

fn header(value: &ValueSpec) -> HeaderText {
    match value {
        ValueSpec::Literal(text) => HeaderText::Literal(Secret::new(text)),
        ValueSpec::Variable(named) => variable(&named.env),
    }
}

/// The value of a variable; an empty one is as if it were not set.
fn variable(name: &str) -> HeaderText {
    let value = environment::named(name).filter(|value| !value.is_empty());
    HeaderText::Variable { name: name.to_owned(), value: value.map(Secret::new) }
}

/// How a server that is a program is run.
fn stdio(spec: &ServerSpec, options: &AssemblyOptions) -> Result<StdioConfig> {
    let mut parts = command(spec, options)?.into_iter();
    let program = parts.next().ok_or_else(|| {
        Error::invalid(format!("the server `{}` has an empty command", spec.name))
    })?;
    let mut stdio = StdioConfig::new(&spec.name, program);
    stdio.args = parts.collect();
    for (name, value) in &spec.env {
        let value = match value {
            ValueSpec::Literal(text) => Some(text.clone()),
            ValueSpec::Variable(named) => environment::named(&named.env).or_else(|| {
                let (server, wants) = (&spec.name, &named.env);
                warn!("the server `{server}` wants the environment variable `{wants}`, which is not set");
                None
            }),
        };
        stdio.env.extend(value.map(|value| (name.clone(), value)));
    }
    // By this name it is the program that runs, even where its file was replaced meanwhile.
    stdio.keeper = cfg!(target_os = "linux").then(|| "/proc/self/exe".into());
    if options.show_server_log {
        stdio.log = Some(Arc::new(crate::output::server_log));
    }
    Ok(stdio)
}

/// The command of a server: its own, or this program again as a sample server.
fn command(spec: &ServerSpec, options: &AssemblyOptions) -> Result<Vec<OsString>> {
    let Some(demo) = &spec.demo else {
        return Ok(spec.command.iter().map(OsString::from).collect());
    };
    let program = std::env::current_exe()
        .map_err(|error| Error::internal(format!("the path of this program: {error}")))?;
    let mut command = vec![program.into_os_string(), "demo".into(), demo.into()];
    if let Some(now) = &options.now {
        command.extend(["--now".into(), now.into()]);
    }
    Ok(command)
}
