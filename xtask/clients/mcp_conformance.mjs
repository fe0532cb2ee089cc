// Checks Waypost with MCP's official conformance suite: the scenarios about what Waypost has.
//
// Prints as checks.py does. MCP_URL is the address of a server, such as http://127.0.0.1:8080/mcp. The packages
// `@modelcontextprotocol/conformance` and `node` (22 or later, which the suite needs) are looked for from where this file lies.
//
// The other scenarios call tools, prompts and resources that the suite wants a server of its own to have, such as
// `test_simple_text`.

import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);
const SCENARIOS = [
  "server-initialize",
  "ping",
  "completion-complete",
  "tools-list",
  "server-sse-multiple-streams",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection",
];

const folder = path.dirname(new URL(import.meta.url).pathname);
const packages = path.join(folder, "node_modules");
const suite = path.join(packages, "@modelcontextprotocol/conformance");
const { version } = require(path.join(suite, "package.json"));
console.log(`client conformance ${version}`);
const url = process.env.MCP_URL;
let failed = 0;
for (const scenario of SCENARIOS) {
  if (!url) {
    console.log(`skipped ${scenario}: MCP_URL is not set`);
    continue;
  }
  const program = path.join(packages, ".bin/node");
  const given = [path.join(suite, "dist/index.js"), "server", "--url", url, "--scenario", scenario];
  const ended = spawnSync(program, given, { encoding: "utf8", timeout: 60_000, cwd: folder });
  if (ended.status === 0) {
    console.log(`ok ${scenario}`);
  } else {
    failed += 1;
    const said = `${ended.stdout}${ended.stderr}`.trim().split("\n").slice(-3).join(" ");
    console.log(`FAILED ${scenario}: ${said.slice(0, 400)}`);
  }
}
process.exit(failed ? 1 : 0);
