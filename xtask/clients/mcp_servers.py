"""Checks Waypost with MCP servers of others: their lists, reads, failures and approvals, and that they may stop and come back.

PROGRAM is the program. NODE_PROGRAMS is the folder with the servers that are written for Node; those written in Python are
expected beside the Python that runs this. SERVER is the name of one server of mcp_server_table.py; without it all of them are
checked. Nothing but files of a folder of its own is read or written.
"""

import atexit
import contextlib
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from mcp import Client, StdioServerParameters

from checks import Skipped, check_as, environment, holds, is_equal, run
from mcp_server_table import SERVERS, of_node

# The longest wait for something that should happen soon, in seconds.
TIMEOUT = 30
# The pause between two looks at something that should happen soon, in seconds.
PAUSE = 0.1
# Words of an error of the system or of a library, which users should not read.
INTERNAL = ("os error", "Errno", "Traceback", "http://", "127.0.0.1", "panicked", "{")


def eventually(what, holds_now):
    """Waits until something holds, and returns what it gave."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        found = holds_now()
        if found:
            return found
        time.sleep(PAUSE)
    raise AssertionError(f"{what} took longer than {TIMEOUT} s")


def free_port():
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


def listens(port):
    with socket.socket() as place:
        return place.connect_ex(("127.0.0.1", port)) == 0


class OverStdio:
    """A server that Waypost starts by a script, which notes the process and can be told to start nothing."""

    SCRIPT = '#!/bin/sh\n[ -e "$0.away" ] && exit 1\necho $$ >"$0.pid"\nexec "$@"\n'

    def __init__(self, name, server, folder):
        self.script = folder / "start"
        self.script.write_text(self.SCRIPT)
        variables = [f"{name}={value}" for name, value in server.variables.items()]
        words = ["env", *variables, "sh", str(self.script), *server.command]
        self.source = f"{name}={shlex.join(words)}"
        self.away = self.script.with_suffix(".away")
        self.pid = self.script.with_suffix(".pid")

    def start(self):
        self.away.unlink(missing_ok=True)

    def stop(self):
        self.away.touch()
        self.kill()

    def kill(self):
        """Kills the process of the server; Waypost may start it again."""
        if self.pid.exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(self.pid.read_text()), signal.SIGKILL)
            self.pid.unlink()


class OverHttp:
    """A server that serves at an address, always the same one."""

    def __init__(self, name, server, _):
        self.port = free_port()
        self.command = server.command
        own = {name: str(value) for name, value in server.variables.items()}
        self.variables = {**os.environ, **own, server.port: str(self.port)}
        self.source = f"{name}=http://127.0.0.1:{self.port}/mcp"
        self.process = None
        atexit.register(self.stop)

    def start(self):
        if self.process is None:
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            self.process = subprocess.Popen(self.command, env=self.variables, **quiet)
            eventually("the start of the server", lambda: listens(self.port))

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def kill(self):
        """Kills the server, and starts it again at the same address."""
        self.stop()
        self.start()


@dataclass
class Reply:
    """What Waypost answered over HTTP."""

    mode: str
    text: str
    error: dict


class Serving:
    """`waypost serve` with the tools of a server."""

    def __init__(self, home, *sources):
        place = f"127.0.0.1:{free_port()}"
        self.url = f"http://{place}"
        environ = {**os.environ, "WAYPOST_HOME": home}
        program = environment("PROGRAM")
        # No tool that destroys runs for callers that are not trusted.
        key = [program, "keys", "add", "servers", "--json", "--scope", "ask", "--scope", "trusted"]
        made = subprocess.run(key, env=environ, capture_output=True, check=True)
        self.key = json.loads(made.stdout)["key"]
        command = [program, "serve", "--listen", place]
        self.process = subprocess.Popen(
            [*command, *(word for source in sources for word in ("--mcp", source))],
            env=environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(self.stop)
        eventually("the start of `waypost serve`", self.is_ready)

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=TIMEOUT):
                return True
        except OSError:
            if self.process.poll() is not None:
                raise AssertionError("`waypost serve` ended") from None
            return False

    def answer(self, text, session):
        """Asks, as one turn of a conversation."""
        body = json.dumps({"text": text, "session": session, "trusted": True}).encode()
        request = urllib.request.Request(
            f"{self.url}/v1/answer",
            data=body,
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT) as response:
            found = json.load(response)
        return Reply(found["mode"], found["text"], found.get("error") or {})

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Case:
    """A server with all that its checks share, which is made when the first of them needs it."""

    def __init__(self, make):
        self.make = make
        self.name = make.__name__
        self.server = None

    def begin(self):
        if self.server is not None:
            return
        # Not where temporary files are: a server refuses folders below /tmp.
        self.folder = Path(tempfile.mkdtemp(prefix="waypost-servers-", dir=Path.home()))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        data = self.folder / "data"
        data.mkdir()
        server = self.make(data)
        kind = OverHttp if server.port else OverStdio
        self.running = kind(self.name, server, self.folder)
        self.running.start()
        self.serving = None
        self.server = server

    def home(self, name):
        home = self.folder / name
        home.mkdir(exist_ok=True)
        return str(home)

    def waypost(self, command, *given):
        """Runs a command of the program with the tools of the server."""
        return subprocess.run(
            [environment("PROGRAM"), command, "--mcp", self.running.source, *given],
            env={**os.environ, "WAYPOST_HOME": self.home("cli")},
            capture_output=True,
            check=False,
            text=True,
            timeout=TIMEOUT,
        )

    def served(self):
        if self.serving is None:
            self.serving = Serving(self.home("serve"), self.running.source)
        return self.serving


def tools_are_listed(case):
    ended = case.waypost("tools", "--json")
    is_equal(ended.stderr, "")
    access = {tool["name"]: tool["access"] for tool in json.loads(ended.stdout)["tools"]}
    for name, expected in case.server.access.items():
        is_equal((name, access.get(name)), (name, expected))


def words_read(case):
    read = case.server.read
    for words in turns(read):
        ended = case.waypost("ask", "--session", "words", words)
        is_equal((ended.returncode, ended.stderr), (0, ""))
    holds(ended.stdout, read.said)


async def names_read_and_fail(case):
    """Calls tools by their names over MCP, in one connection: each is a start of the server."""
    read, failure = case.server.read, case.server.failure
    async with connected(case) as client:
        holds(await called(client, read), read.said)
        holds(await called(client, failure), failure.said)
        mistaken = {"name": read.tool, "arguments": {"nonsense": 1}}
        result = await client.call_tool("tools_call", mistaken)
        is_equal(result.is_error, True)
        holds(said(result), "nonsense")


def words_get_the_servers_words_of_a_failure(case):
    failure = case.server.failure
    if not failure.words:
        raise Skipped("no words lead to a tool that fails")
    holds(asked(case.served(), failure, "failure").text, failure.said)


def a_no_writes_nothing(case):
    write, made = case.server.write("whipping"), case.server.made
    question = asked(case.served(), write, "no")
    is_equal(question.mode, "clarify")
    case.served().answer("no", "no")
    case.served().answer("yes", "no")
    if made:
        is_equal(made("whipping"), 0)


def a_yes_writes_once(case):
    writes_once(case, "hitch", lambda: None)


def a_yes_writes_once_after_the_server_was_killed(case):
    writes_once(case, "splice", case.running.kill)


def writes_once(case, name, meanwhile):
    """Asks to write under a name, lets something happen while the question is open, and says yes twice."""
    write, made = case.server.write(name), case.server.made
    question = asked(case.served(), write, name)
    is_equal(question.mode, "clarify")
    holds(question.text, write.tool, case.name)
    if made:
        is_equal(made(name), 0)
    meanwhile()
    holds(case.served().answer("yes", name).text, write.said)
    is_equal(case.served().answer("yes", name).mode == "tool", False)
    if made:
        is_equal(made(name), 1)


def reading_goes_on_after_the_server_was_killed(case):
    read = case.server.read
    holds(asked(case.served(), read, "before").text, read.said)
    case.running.kill()
    holds(asked(case.served(), read, "after").text, read.said)


def a_server_that_is_away_is_told_in_a_sentence(case):
    read = case.server.read
    holds(asked(case.served(), read, "there").text, read.said)
    case.running.stop()
    try:
        reply = asked(case.served(), read, "away")
    finally:
        case.running.start()
    is_equal(reply.mode, "error")
    is_a_sentence(reply.text)
    eventually("a right answer", lambda: read.said in asked(case.served(), read, "back").text)


def a_server_that_was_away_at_the_start_is_met_later(case):
    read = case.server.read
    case.running.stop()
    try:
        serving = Serving(case.home("late"), case.running.source, neighbor(case))
        is_a_sentence(asked(serving, read, "early").text)
    finally:
        case.running.start()
    try:
        eventually("a right answer", lambda: read.said in asked(serving, read, "late").text)
    finally:
        serving.stop()


def neighbor(case):
    """Returns a server that is there while that of the case is away."""
    program = "mcp-server-memory" if case.name == "everything" else "mcp-server-everything"
    return f"neighbor={shlex.join(of_node(program))}"


def turns(act):
    """Returns what a user says until an act is done."""
    return (*act.words, "yes") if act.asks else act.words


def asked(serving, act, session):
    """Asks for an act in words, as a conversation; returns the last answer."""
    for words in turns(act):
        reply = serving.answer(words, session)
    return reply


def is_a_sentence(text):
    """Fails unless a text is a sentence for a user."""
    if not text.endswith((".", "?")) or any(word in text for word in INTERNAL):
        raise AssertionError(f"no sentence: {text!r}")


def connected(case):
    """Connects to `waypost mcp` with the tools of the server."""
    program = StdioServerParameters(
        command=environment("PROGRAM"),
        args=["mcp", "--mcp", case.running.source],
        env={"WAYPOST_HOME": case.home("mcp")},
    )
    return Client(program, read_timeout_seconds=TIMEOUT)


async def called(client, act):
    """Calls the tool of an act by its name; returns what the result says."""
    given = {"name": act.tool, "arguments": act.arguments, "session": "calls"}
    result = await client.call_tool("tools_call", given)
    if act.asks:
        holds(said(result), "1. Yes")
        result = await client.call_tool("tools_call", {**given, "approved": True})
    return said(result)


def said(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


CHECKS = (
    tools_are_listed,
    words_read,
    names_read_and_fail,
    words_get_the_servers_words_of_a_failure,
    a_no_writes_nothing,
    a_yes_writes_once,
    a_yes_writes_once_after_the_server_was_killed,
    reading_goes_on_after_the_server_was_killed,
    a_server_that_is_away_is_told_in_a_sentence,
    a_server_that_was_away_at_the_start_is_met_later,
)


def begun(case, check):
    """Returns a check that begins with its case."""

    def checked():
        case.begin()
        return check(case)

    return checked


def package_of(make):
    """Returns the package of a server, and its version."""
    package = SERVERS[make]
    manifest = Path(os.environ.get("NODE_PROGRAMS", "")).parent / package / "package.json"
    if manifest.exists():
        return package, json.loads(manifest.read_text())["version"]
    return package, version(package)


chosen = [make for make in SERVERS if os.environ.get("SERVER") in (None, "", make.__name__)]
for case in map(Case, chosen):
    for check in CHECKS:
        check_as(f"{case.name} {check.__name__}", begun(case, check))

run(*(package_of(chosen[0]) if len(chosen) == 1 else ("mcp",)))
