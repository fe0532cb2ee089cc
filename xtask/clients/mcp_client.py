"""Checks Waypost with the official client for MCP, over standard input and output and over HTTP, in both versions.

MCP_COMMAND is a command that speaks MCP, such as `waypost mcp --pack ocean`; MCP_URL is the address of a server, such as
http://127.0.0.1:8080/mcp. The checks of what is not set are skipped.
"""

import os
import shlex

from mcp import Client, MCPError, StdioServerParameters
from mcp.types import ElicitResult

from checks import (
    EXPECTED,
    NOW,
    OPEN_QUESTION,
    QUESTION,
    check_as,
    environment,
    holds,
    is_equal,
    run,
)

# How the client begins: with `initialize` as until 2025-11-25, or with `server/discover` as since 2026-07-28.
MODES = {"2025-11-25": "legacy", "2026-07-28": "auto"}
# The longest that an answer takes, in seconds.
TIMEOUT = 30


def stdio():
    program, *arguments = shlex.split(environment("MCP_COMMAND"))
    # The client hands on few variables of its own accord.
    own = {name: value for name, value in os.environ.items() if name.startswith("WAYPOST_")}
    return StdioServerParameters(command=program, args=arguments, env=own)


def http():
    return environment("MCP_URL")


async def asks(client, tool, text, **others):
    """Calls a tool with a text and the instant; earlier versions of Waypost have other names for both."""
    tools = (await client.list_tools()).tools
    schema = next(own.input_schema for own in tools if own.name == tool)
    names = ("text", "now") if "text" in schema["properties"] else ("query", "query_time")
    return await client.call_tool(tool, {**dict(zip(names, (text, NOW))), **others})


def succeeded(result):
    """Returns the values of a result; fails if it is an error."""
    if result.is_error:
        raise AssertionError(said(result))
    return result.structured_content


def said(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


async def connects(client, version):
    is_equal(client.protocol_version, version)
    is_equal(client.server_info.name, "waypost")
    if client.server_capabilities.tools is None:
        raise AssertionError("the server does not say that it has tools")


async def tools_are_listed(client, _):
    names = [tool.name for tool in (await client.list_tools()).tools]
    expected = ["router_answer", "router_route", "tools_call", "tools_describe", "tools_search"]
    is_equal(sorted(names), expected)


async def router_answer_answers(client, _):
    result = await asks(client, "router_answer", QUESTION)
    is_equal(succeeded(result)["mode"], "tool")
    holds(said(result), *EXPECTED)


async def router_answer_numbers_choices(client, _):
    result = await asks(client, "router_answer", OPEN_QUESTION)
    is_equal(succeeded(result)["mode"], "clarify")
    holds(said(result), "\n1. ", "\n2. ")


async def router_route_decides(client, _):
    decision = succeeded(await asks(client, "router_route", QUESTION))
    is_equal([call["tool"] for call in decision["calls"]], ["tide.forecast"])
    is_equal(decision["calls"][0]["arguments"]["date"], EXPECTED[1])


async def tools_search_finds(client, _):
    found = succeeded(await client.call_tool("tools_search", {"query": "tides"}))
    is_equal(found["tools"][0]["name"], "tide.forecast")


async def tools_call_calls(client, _):
    arguments = {"longitude": 121.74, "latitude": 25.14, "tz": "Asia/Taipei", "date": EXPECTED[1]}
    called = {"name": "tide.forecast", "arguments": arguments}
    holds(str(succeeded(await client.call_tool("tools_call", called))), EXPECTED[1])


async def an_unknown_argument_is_an_error_of_the_tool(client, _):
    result = await asks(client, "router_answer", QUESTION, nonsense=1)
    is_equal(result.is_error, True)
    holds(said(result), "nonsense")


async def an_unknown_tool_is_an_error_of_the_protocol(client, _):
    try:
        await client.call_tool("nobody", {})
    except MCPError as error:
        is_equal(error.error.code, -32602)
    else:
        raise AssertionError("no MCPError")


async def a_question_is_a_form_where_the_client_has_forms(client, _):
    is_equal(succeeded(await asks(client, "router_answer", OPEN_QUESTION))["mode"], "tool")


async def takes_the_second_choice(_, form):
    ((name, field),) = form.requested_schema["properties"].items()
    values = field.get("enum") or [choice["const"] for choice in field["oneOf"]]
    return ElicitResult(action="accept", content={name: values[1]})


CHECKS = (
    connects,
    tools_are_listed,
    router_answer_answers,
    router_answer_numbers_choices,
    router_route_decides,
    tools_search_finds,
    tools_call_calls,
    an_unknown_argument_is_an_error_of_the_tool,
    an_unknown_tool_is_an_error_of_the_protocol,
    a_question_is_a_form_where_the_client_has_forms,
)


def connected(transport, version, check):
    """Returns a check with a connection of its own."""
    has_forms = check is a_question_is_a_form_where_the_client_has_forms

    async def checked():
        async with Client(
            transport(),
            mode=MODES[version],
            read_timeout_seconds=TIMEOUT,
            elicitation_callback=takes_the_second_choice if has_forms else None,
        ) as client:
            await check(client, version)

    return checked


for transport in (stdio, http):
    for version in MODES:
        for check in CHECKS:
            name = f"{transport.__name__} {version} {check.__name__}"
            check_as(name, connected(transport, version, check))

run("mcp")
