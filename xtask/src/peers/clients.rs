//! `cargo xtask peers clients`: the official clients of OpenAI, Anthropic, MCP and gRPC, and requests that schemathesis draws
//! from `/openapi.json`, against the built program, once without keys and once with one; and MCP servers that the program calls.
//!
//! Each client is a script of `xtask/clients`, which prints a line for each of its checks and can be run alone. Their packages are
//! installed below `target`, so this needs Python, Node, and a place to get packages from. With `--newest` they are the newest of the
//! day instead of those that are named here; with names of scripts, only these run.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::{READY, build, printed, target};
use crate::{root, say};

/// The option that takes the newest packages.
const NEWEST: &str = "--newest";

/// A package of Python or of Node, with the version that is installed.
struct Package(&'static str, &'static str);

/// A client or a server of somebody else.
struct Peer {
    /// Its name in the table.
    name: &'static str,
    /// Its script in `xtask/clients`.
    script: &'static str,
    /// The packages of Python that the script needs.
    python: &'static [Package],
    /// The packages of Node that it needs.
    node: &'static [Package],
    /// The variables that the script gets: it skips the checks of others. `NAME=VALUE` is one with a value of its own.
    given: &'static [&'static str],
}

impl Peer {
    /// The name of its script without the ending.
    fn stem(&self) -> &'static str {
        self.script.split('.').next().unwrap_or_default()
    }

    fn is_node(&self) -> bool {
        self.script.ends_with(".mjs")
    }
}

/// The Node that the packages of MCP need, which is newer than many have.
const NODE: Package = Package("node", "22");
const MCP: Package = Package("mcp", "2.3.0");

const PEERS: &[Peer] = &[
    Peer {
        name: "`openai` for Python",
        script: "openai_client.py",
        python: &[Package("openai", "3.57.0")],
        node: &[],
        given: &["BASE_URL", "KEYED_URL", "KEY"],
    },
    Peer {
        name: "`openai` for JavaScript",
        script: "openai_client.mjs",
        python: &[],
        node: &[Package("openai", "6.49.0")],
        given: &["BASE_URL", "KEYED_URL", "KEY"],
    },
    Peer {
        name: "`anthropic` for Python",
        script: "anthropic_client.py",
        python: &[Package("anthropic", "2.14.0")],
        node: &[],
        given: &["BASE_URL", "KEYED_URL", "KEY"],
    },
    Peer {
        name: "`mcp` for Python, standard input and output",
        script: "mcp_client.py",
        python: &[MCP],
        node: &[],
        given: &["MCP_COMMAND"],
    },
    Peer {
        name: "`mcp` for Python, HTTP",
        script: "mcp_client.py",
        python: &[MCP],
        node: &[],
        given: &["MCP_URL"],
    },
    Peer {
        name: "MCP's Inspector, standard input and output and HTTP",
        script: "mcp_inspector.mjs",
        python: &[],
        node: &[Package("@modelcontextprotocol/inspector", "2.12.0"), NODE],
        given: &["MCP_COMMAND", "MCP_URL"],
    },
    Peer {
        name: "MCP's conformance suite, what Waypost has",
        script: "mcp_conformance.mjs",
        python: &[],
        node: &[Package("@modelcontextprotocol/conformance", "0.1.16"), NODE],
        given: &["MCP_URL"],
    },
    Peer {
        name: "`grpcio` for Python",
        script: "grpc_client.py",
        python: &[
            Package("grpcio", "1.85.3"),
            Package("grpcio-tools", "1.85.1"),
            Package("grpcio-health-checking", "1.85.1"),
            Package("grpcio-reflection", "1.85.1"),
        ],
        node: &[],
        given: &["GRPC_TARGET", "KEYED_TARGET", "KEY", "PROTO"],
    },
    Peer {
        name: "`schemathesis`, all paths but `/v1/events`",
        script: "openapi_client.py",
        python: &[Package("schemathesis", "4.32.5")],
        node: &[],
        given: &["KEYED_URL", "KEY"],
    },
    Peer {
        name: "server `@modelcontextprotocol/server-filesystem`, standard input and output",
        script: "mcp_servers.py",
        python: &[MCP],
        node: &[Package("@modelcontextprotocol/server-filesystem", "2026.8.31")],
        given: &["PROGRAM", "NODE_PROGRAMS", "SERVER=filesystem"],
    },
    Peer {
        name: "server `@modelcontextprotocol/server-memory`, standard input and output",
        script: "mcp_servers.py",
        python: &[MCP],
        node: &[Package("@modelcontextprotocol/server-memory", "2026.8.31")],
        given: &["PROGRAM", "NODE_PROGRAMS", "SERVER=memory"],
    },
    Peer {
        name: "server `obsidian-mcp`, standard input and output",
        script: "mcp_servers.py",
        python: &[MCP],
        node: &[Package("obsidian-mcp", "1.0.6")],
        given: &["PROGRAM", "NODE_PROGRAMS", "SERVER=obsidian"],
    },
    Peer {
        name: "server `@modelcontextprotocol/server-everything`, HTTP",
        script: "mcp_servers.py",
        python: &[MCP],
        node: &[Package("@modelcontextprotocol/server-everything", "2026.8.31")],
        given: &["PROGRAM", "NODE_PROGRAMS", "SERVER=everything"],
    },
    Peer {
        name: "server `mcp-server-git`, standard input and output",
        script: "mcp_servers.py",
        python: &[MCP, Package("mcp-server-git", "2026.10.19")],
        node: &[],
        given: &["PROGRAM", "NODE_PROGRAMS", "SERVER=git"],
    },
    Peer {
        name: "server `excel-mcp-server`, standard input and output",
        script: "mcp_servers.py",
        python: &[MCP, Package("excel-mcp-server", "2.2.2")],
        node: &[],
        given: &["PROGRAM", "NODE_PROGRAMS", "SERVER=excel"],
    },
    Peer {
        name: "server `mcp-server-motherduck`, standard input and output",
        script: "mcp_servers.py",
        python: &[MCP, Package("mcp-server-motherduck", "1.1.0")],
        node: &[],
        given: &["PROGRAM", "NODE_PROGRAMS", "SERVER=duckdb"],
    },
    Peer {
        name: "server `office-word-mcp-server`, HTTP",
        script: "mcp_servers.py",
        python: &[MCP, Package("office-word-mcp-server", "1.1.11")],
        node: &[],
        given: &["PROGRAM", "NODE_PROGRAMS", "SERVER=word"],
    },
];

/// Runs the checks of the clients, and prints a table of them: `peers clients [--newest] [SCRIPT…]`.
pub(super) fn run(given: &[String]) -> Result<()> {
    let peers = chosen(given)?;
    let newest = given.iter().any(|word| word == NEWEST);
    build(&["--tests"])?;
    let program = target().join("debug/waypost");
    let folder = target().join("peers/clients");
    install(&peers, newest, &folder)?;
    let open = Instance::start(&program, &folder, "open", &[])?;
    let keyed = Instance::start(&program, &folder, "keyed", &["ask", "label", "admin"])?;
    let variables = [
        ("BASE_URL", open.url()),
        ("KEYED_URL", keyed.url()),
        ("KEY", keyed.key.clone()),
        ("MCP_COMMAND", format!("'{}' mcp --pack ocean", program.display())),
        ("MCP_URL", format!("{}/mcp", open.url())),
        ("GRPC_TARGET", open.place()),
        ("KEYED_TARGET", keyed.place()),
        ("PROTO", root().join("proto").display().to_string()),
        ("PROGRAM", program.display().to_string()),
        ("NODE_PROGRAMS", folder.join("node_modules/.bin").display().to_string()),
    ];
    let mut failed = Vec::new();
    say("| client | version | checks | passed |");
    say("|---|---|--:|--:|");
    for peer in peers {
        let mut command = command(peer, &folder)?;
        command.env("WAYPOST_HOME", &open.home);
        for (name, value) in &variables {
            if peer.given.contains(name) {
                command.env(name, value);
            } else {
                command.env_remove(name);
            }
        }
        command.envs(peer.given.iter().filter_map(|given| given.split_once('=')));
        let Tally { version, passed, failed: own } = Tally::run(&mut command)?;
        say(&format!("| {} | {version} | {} | {passed} |", peer.name, passed + own.len()));
        failed.extend(own.into_iter().map(|line| format!("{}: {line}", peer.name)));
    }
    if !failed.is_empty() {
        bail!("{} checks failed:\n{}", failed.len(), failed.join("\n"));
    }
    Ok(())
}

/// The clients of the scripts that are named; all without a name.
fn chosen(given: &[String]) -> Result<Vec<&'static Peer>> {
    let names: Vec<&String> = given.iter().filter(|word| *word != NEWEST).collect();
    if let Some(unknown) = names.iter().find(|name| PEERS.iter().all(|peer| peer.stem() != **name))
    {
        let mut known: Vec<&str> = PEERS.iter().map(Peer::stem).collect();
        known.dedup();
        bail!("there is no script `{unknown}`; there are {} and `{NEWEST}`", known.join(", "));
    }
    let is_chosen =
        |peer: &&Peer| names.is_empty() || names.iter().any(|name| peer.stem() == **name);
    Ok(PEERS.iter().filter(is_chosen).collect())
}

/// Installs the packages of some clients.
fn install(peers: &[&Peer], newest: bool, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let wanted = |of: fn(&Peer) -> &'static [Package], before: &str, last: &str| -> Vec<String> {
        let packages = peers.iter().flat_map(|peer| of(peer));
        // Of Node the newest is more than its packages ask for.
        let version = |Package(name, version): &Package| match newest && *name != NODE.0 {
            true => format!("{name}{last}"),
            false => format!("{name}{before}{version}"),
        };
        packages.map(version).collect()
    };
    let python = wanted(|peer| peer.python, "==", "");
    let node = wanted(|peer| peer.node, "@", "@latest");
    if !python.is_empty() {
        let venv = folder.join("venv");
        succeeds(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        let mut pip = Command::new(venv.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--upgrade"]).args(python);
        at_second_try(&mut pip)?;
    }
    if !node.is_empty() {
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-fund", "--no-audit", "--prefix"]).arg(folder);
        at_second_try(npm.args(node))?;
    }
    Ok(())
}

/// Places that hand out packages fail now and then.
fn at_second_try(command: &mut Command) -> Result<()> {
    succeeds(command).or_else(|_| succeeds(command))
}

fn succeeds(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("`{name}` could not be run"))?;
    if !status.success() {
        bail!("`{name}` ended with {status}");
    }
    Ok(())
}

/// The command that runs a script with the installed packages.
fn command(peer: &Peer, folder: &Path) -> Result<Command> {
    let script = root().join("xtask/clients").join(peer.script);
    if peer.is_node() {
        // Node looks for packages from where a script lies.
        let beside = folder.join(peer.script);
        std::fs::copy(&script, &beside).context(peer.script)?;
        let mut node = Command::new("node");
        node.arg(beside);
        return Ok(node);
    }
    let mut python = Command::new(folder.join("venv/bin/python"));
    // What Python compiles would lie beside the scripts.
    python.arg(script).env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(python)
}

/// What a script printed of its checks; those that it skipped are not counted.
#[derive(Debug, Default, PartialEq)]
struct Tally {
    version: String,
    passed: usize,
    /// The names of the checks that failed, each with the reason.
    failed: Vec<String>,
}

impl Tally {
    fn run(command: &mut Command) -> Result<Self> {
        let output =
            command.stderr(Stdio::inherit()).output().context("the script could not be run")?;
        let mut tally = Self::of(&String::from_utf8_lossy(&output.stdout));
        if tally.failed.is_empty() && !output.status.success() {
            tally.failed.push(format!("the script ended with {}", output.status));
        }
        if tally.passed + tally.failed.len() == 0 {
            tally.failed.push("the script made no check".to_owned());
        }
        Ok(tally)
    }

    fn of(text: &str) -> Self {
        let mut tally = Self::default();
        for line in text.lines() {
            match line.split_once(' ') {
                Some(("client", package)) => {
                    let version = package.rsplit(' ').next().unwrap_or_default();
                    version.clone_into(&mut tally.version);
                }
                Some(("ok", _)) => tally.passed += 1,
                Some(("FAILED", what)) => tally.failed.push(what.to_owned()),
                _ => {}
            }
        }
        tally
    }
}

/// A program that serves in a home of its own, and ends with this value.
struct Instance {
    child: Child,
    home: PathBuf,
    port: u16,
    /// A key of it; empty if it has none.
    key: String,
}

impl Instance {
    /// Starts the program, with a key of these scopes or without keys; its log is `NAME.log` in the folder.
    fn start(program: &Path, folder: &Path, name: &str, scopes: &[&str]) -> Result<Self> {
        let home =
            std::env::temp_dir().join(format!("waypost-clients-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&home)?;
        let key = if scopes.is_empty() { String::new() } else { key(program, &home, scopes)? };
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new(program);
        command.args(["serve", "--pack", "ocean", "--pack", "malaria", "--listen"]);
        command.arg(format!("127.0.0.1:{port}")).env("WAYPOST_HOME", &home);
        let log = File::create(folder.join(format!("{name}.log")))?;
        let child = command.stdout(Stdio::null()).stderr(log).spawn();
        let child = child.context("the program could not be started")?;
        let mut instance = Self { child, home, port, key };
        let started = Instant::now();
        while !instance.is_ready() {
            if let Some(status) = instance.child.try_wait()? {
                bail!("the program ended with {status}; see {name}.log in {}", folder.display());
            }
            if started.elapsed() > READY {
                bail!("the program was not ready within {} s", READY.as_secs());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(instance)
    }

    fn url(&self) -> String {
        format!("http://{}", self.place())
    }

    fn place(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn is_ready(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let asked = stream.write_all(b"GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n");
        let mut reply = String::new();
        asked.is_ok() && stream.read_to_string(&mut reply).is_ok() && reply.contains(" 200 ")
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

/// Makes a key with these scopes.
fn key(program: &Path, home: &Path, scopes: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    command.args(["keys", "add", "peers", "--json"]).env("WAYPOST_HOME", home);
    command.args(scopes.iter().flat_map(|scope| ["--scope", scope]));
    let made = printed(&mut command)?;
    made["key"].as_str().map(str::to_owned).context("the program printed no key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_chosen_by_their_names() {
        let names = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|word| (*word).to_owned()).collect();
            chosen(&given).map(|peers| peers.iter().map(|peer| peer.stem()).collect::<Vec<_>>())
        };
        assert_eq!(names(&[]).unwrap().len(), PEERS.len());
        assert_eq!(names(&[NEWEST]).unwrap().len(), PEERS.len());
        assert_eq!(names(&["mcp_client", NEWEST]).unwrap(), ["mcp_client", "mcp_client"]);
        let error = names(&["mcp_clinet"]).unwrap_err().to_string();
        assert!(error.contains("`mcp_clinet`") && error.contains("mcp_client, "), "{error}");
    }

    #[test]
    fn each_server_of_the_script_has_a_row() {
        let table = include_str!("../../clients/mcp_server_table.py");
        let (_, table) = table.split_once("\nSERVERS = {\n").unwrap();
        let row = |line: &str| {
            let (name, package) = line.trim().trim_end_matches(',').split_once(": ")?;
            Some((format!("SERVER={name}"), package.trim_matches('"').to_owned()))
        };
        let rows: Vec<(String, String)> = table.lines().filter_map(row).collect();
        assert!(!rows.is_empty());
        for (server, package) in &rows {
            let peer = PEERS.iter().find(|peer| peer.given.contains(&server.as_str())).unwrap();
            let mut packages = peer.python.iter().chain(peer.node);
            assert!(packages.any(|Package(name, _)| name == package), "{server}");
        }
        let named = PEERS.iter().flat_map(|peer| peer.given);
        assert_eq!(named.filter(|given| given.starts_with("SERVER=")).count(), rows.len());
    }

    #[test]
    fn what_a_script_prints_is_counted_without_what_it_skipped() {
        let text = "client openai 1.2.3\nok a\nskipped b: no KEY\nFAILED c: why so\nok GET /x\n";
        let failed = vec!["c: why so".to_owned()];
        assert_eq!(Tally::of(text), Tally { version: "1.2.3".to_owned(), passed: 2, failed });
    }
}
