//! Decides the server that a `--mcp [NAME=]COMMAND|URL` means, and what it is called where nobody says.

use waypost::Result;
use waypost::pack::spec::ServerSpec;

use super::split;

/// Programs that run another one, which names the server.
const RUNNERS: [&str; 20] = [
    "npx", "uvx", "uv", "bunx", "bun", "pnpm", "yarn", "npm", "node", "deno", "python", "python3",
    "pipx", "docker", "podman", "go", "cargo", "env", "waypost", "tsx",
];
/// Words of such programs that come before the other one.
const SUBCOMMANDS: [&str; 9] =
    ["run", "dlx", "exec", "x", "tool", "demo", "install", "create", "--"];
/// Options of such programs that take a value.
const WITH_VALUE: [&str; 12] = [
    "-e",
    "--env",
    "-v",
    "--volume",
    "--mount",
    "--name",
    "--network",
    "-p",
    "--directory",
    "--from",
    "--with",
    "-w",
];
/// Parts of names that every server has.
const COMMON: [&str; 14] = [
    "mcp",
    "server",
    "servers",
    "modelcontextprotocol",
    "index",
    "main",
    "dist",
    "build",
    "src",
    "bin",
    "cli",
    "lib",
    "latest",
    "js",
];
/// Parts of paths at which servers speak, which name none.
const ENDPOINTS: [&str; 5] = ["mcp", "sse", "messages", "api", "v1"];
/// The longest name.
const LONGEST: usize = 40;
/// The longest part of a path that may be a name. Longer ones, and those with digits, may be keys.
const LONGEST_PART: usize = 24;

/// The server that a text means.
///
/// # Errors
///
/// `INVALID_ARGUMENT` if the command cannot be cut into words.
pub(crate) fn server(text: &str) -> Result<ServerSpec> {
    let (name, way) = match text.split_once('=') {
        Some((name, way)) if is_name(name) => (Some(name.to_owned()), way),
        _ => (None, text.trim()),
    };
    if way.starts_with("http://") || way.starts_with("https://") {
        let name = name.unwrap_or_else(|| host(way));
        return Ok(ServerSpec { name, url: Some(way.to_owned()), ..ServerSpec::default() });
    }
    let command = split::words(way)?;
    let name = name.unwrap_or_else(|| name_of(&command));
    Ok(ServerSpec { name, command, ..ServerSpec::default() })
}

fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_part)
}

/// The name of the server at an address: its host's. The number of a machine, and the name of this one, are no names; then it is
/// what its path says, or else its port.
fn host(url: &str) -> String {
    let rest = url.split("://").nth(1).unwrap_or_default();
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (host, port) = match place.rsplit_once(':').filter(|(host, _)| !host.ends_with(':')) {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (place, None),
    };
    let bare = host.trim_matches(['[', ']']);
    let is_number = bare.parse::<std::net::IpAddr>().is_ok();
    if !is_number && !bare.is_empty() && !bare.eq_ignore_ascii_case("localhost") {
        return bare.to_owned();
    }
    let names = |part: &&str| !ENDPOINTS.contains(part) && is_word(part);
    let own = || path.split('/').rev().filter(names).find_map(short);
    let digits = port.filter(|port| port.chars().all(|c| c.is_ascii_digit()));
    own().unwrap_or_else(|| {
        digits.map_or_else(|| "tools".to_owned(), |port| format!("tools-{port}"))
    })
}

/// Returns whether a part of a path may be a name, and is no key.
fn is_word(part: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphabetic() || matches!(c, '-' | '_' | '.');
    part.len() <= LONGEST_PART && part.chars().all(is_part)
}

/// The name of a command: that of its program or package, without what all servers are called.
pub(crate) fn name_of(command: &[String]) -> String {
    let mut words = command.iter().map(String::as_str);
    let program = stem(words.next().unwrap_or_default());
    if !RUNNERS.contains(&program) {
        return short(program).unwrap_or_else(|| "tools".to_owned());
    }
    let mut takes_value = false;
    let package = words.find(|word| {
        if std::mem::take(&mut takes_value) {
            return false;
        }
        takes_value = WITH_VALUE.contains(word);
        !word.starts_with('-') && !SUBCOMMANDS.contains(word) && !word.contains('=')
            || word.contains("==")
    });
    package.and_then(short).or_else(|| short(program)).unwrap_or_else(|| "tools".to_owned())
}

/// The last part of a path, without its ending.
fn stem(path: &str) -> &str {
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    [".exe", ".js", ".mjs", ".cjs", ".ts", ".py"]
        .iter()
        .find_map(|ending| last.strip_suffix(ending))
        .unwrap_or(last)
}

/// The part of a package's name or path that tells it from others.
fn short(package: &str) -> Option<String> {
    let package = package.split("==").next().unwrap_or_default();
    package.split(['/', '\\']).rev().find_map(|part| {
        // `@scope` keeps its sign nowhere, `name@version` its version.
        let part = part.strip_prefix('@').unwrap_or(part);
        let part = stem(part.split(['@', ':']).next().unwrap_or_default());
        let words = part.split(['-', '_', '.']).filter(|word| !word.is_empty());
        let own: Vec<&str> =
            words.filter(|word| !COMMON.contains(&word.to_lowercase().as_str())).collect();
        let name: String = own.join("-").chars().take(LONGEST).collect();
        (!name.is_empty()).then(|| name.to_lowercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_called_as_its_package_is() {
        for (text, wanted) in [
            ("uvx mcp-server-git", "git"),
            ("mcp-server-git --repository .", "git"),
            ("npx -y @modelcontextprotocol/server-filesystem /tmp", "filesystem"),
            ("npx @playwright/mcp@latest", "playwright"),
            (
                "node /x/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js /f",
                "filesystem",
            ),
            ("python -m mcp_server_time", "time"),
            ("docker run -i --rm -e TOKEN mcp/github:1.2", "github"),
            ("uvx mcp-server-fetch==1.0", "fetch"),
            ("/usr/bin/waypost demo ocean", "ocean"),
            ("https://mcp.example.com:8443/x?a=b", "mcp.example.com"),
            ("http://127.0.0.1:8431/mcp", "tools-8431"),
            ("http://localhost:8431", "tools-8431"),
            ("http://[::1]:8431/mcp?x=1", "tools-8431"),
            ("http://[::1]/mcp", "tools"),
            ("http://10.0.0.7/github/mcp", "github"),
            ("http://LOCALHOST:9000/tide-server/v1/mcp#x", "tide"),
            ("http://localhost:5678/mcp/2f8e5f04-77aa-4be1-9d3c-0c5e1f1a2b3c", "tools-5678"),
            ("mine=uvx mcp-server-git", "mine"),
            ("server", "tools"),
        ] {
            assert_eq!(server(text).unwrap().name, wanted, "{text}");
        }
        let own = server("mine=https://h/mcp?key=1").unwrap();
        assert_eq!(own.url.as_deref(), Some("https://h/mcp?key=1"));
        assert_eq!(server("a=b 'c d'").unwrap().command, ["b", "c d"]);
    }
}
