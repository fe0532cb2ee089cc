// Checks Waypost with the command line of MCP's Inspector, over standard input and output and over HTTP.
//
// Prints as checks.py does. MCP_COMMAND is a command that speaks MCP, such as `waypost mcp --pack ocean`; MCP_URL is the address of a
// server, such as http://127.0.0.1:8080/mcp. The checks of what is not set are skipped. The packages `@modelcontextprotocol/inspector`
// and `node` (22 or later, which it needs) are looked for from where this file lies.

import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const require = createRequire(import.meta.url);
const folder = path.dirname(new URL(import.meta.url).pathname);
const packages = path.join(folder, "node_modules");
const inspector = path.join(packages, "@modelcontextprotocol/inspector");
const { version, bin } = require(path.join(inspector, "package.json"));
console.log(`client inspector ${version}`);

const QUESTION = ["text=tides at Keelung tomorrow", "now=2026-03-18T10:00:00+08:00"];
const TOOLS = ["router_answer", "router_route", "tools_call", "tools_describe", "tools_search"];
// It keeps a file of servers in the home.
const HOME = mkdtempSync(path.join(os.tmpdir(), "inspector-"));

// The servers by their names: what the Inspector is given for each. A command may have a path in quotation marks.
const command = process.env.MCP_COMMAND?.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/'/g, ""));
const SERVERS = [
  ["stdio", command],
  ["http", process.env.MCP_URL && ["--transport", "http", "--server-url", process.env.MCP_URL]],
];

function inspect(server, ...given) {
  const program = path.join(packages, ".bin/node");
  const args = [path.join(inspector, bin["mcp-inspector"]), "--cli", ...server, ...given];
  const env = { ...process.env, HOME };
  const ended = spawnSync(program, args, { encoding: "utf8", timeout: 60_000, cwd: folder, env });
  return { status: ended.status, said: `${ended.stdout}${ended.stderr}`, out: ended.stdout };
}

function call(server, tool, ...values) {
  const pairs = values.flatMap((value) => ["--tool-arg", value]);
  return inspect(server, "--method", "tools/call", "--tool-name", tool, ...pairs);
}

function holds(text, ...words) {
  const missing = words.find((word) => !text.includes(word));
  if (missing !== undefined) {
    throw new Error(`no ${JSON.stringify(missing)} in ${text}`);
  }
}

const CHECKS = {
  tools_are_listed_with_their_schemas(server) {
    const { tools } = JSON.parse(inspect(server, "--method", "tools/list").out);
    holds(tools.map((tool) => tool.name).sort().join(), TOOLS.join());
    const bare = tools.filter((tool) => !tool.inputSchema || !tool.outputSchema);
    holds(`${bare.length}`, "0");
  },
  router_route_decides(server) {
    const result = JSON.parse(call(server, "router_route", ...QUESTION).out);
    holds(result.structuredContent.calls[0].tool, "tide.forecast");
    holds(result.content[0].text, "tide.forecast", "2026-03-19");
  },
  router_answer_answers(server) {
    const result = JSON.parse(call(server, "router_answer", ...QUESTION).out);
    holds(result.structuredContent.mode, "tool");
    holds(result.content[0].text, "Keelung", "2026-03-19");
  },
  tools_search_finds(server) {
    holds(call(server, "tools_search", "query=tides").said, "tide.forecast");
  },
  a_mistake_is_told(server) {
    holds(call(server, "router_route", "text=tides", "route=nothing").said, "nothing", "hint");
  },
  an_unknown_tool_is_an_error(server) {
    const { status, said } = call(server, "router_burn");
    holds(said, "router_burn");
    holds(`${status !== 0}`, "true");
  },
};

let failed = 0;
for (const [name, server] of SERVERS) {
  for (const [check, run] of Object.entries(CHECKS)) {
    if (!server) {
      console.log(`skipped ${name}_${check}: its variable is not set`);
      continue;
    }
    try {
      run(server);
      console.log(`ok ${name}_${check}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}_${check}: ${String(error).split(/\s+/).join(" ").slice(0, 400)}`);
    }
  }
}
process.exit(failed ? 1 : 0);
