"""Checks Waypost with Anthropic's client for Python: messages whole and as a stream, errors and keys.

BASE_URL is a server without keys and with the pack `ocean`, such as http://127.0.0.1:8080. KEYED_URL is one with keys,
and KEY a key of it.
"""

from anthropic import (
    Anthropic,
    AsyncAnthropic,
    AuthenticationError,
    BadRequestError,
    NotFoundError,
)

from checks import (
    EXPECTED,
    NOW,
    OPEN_QUESTION,
    QUESTION,
    are_typed,
    check,
    environment,
    holds,
    is_equal,
    raises,
    run,
)

MODEL = "waypost/ocean"
ASKED = {
    "model": MODEL,
    "max_tokens": 500,
    "messages": [{"role": "user", "content": QUESTION}],
    "extra_body": {"waypost": {"now": NOW}},
}


def options(url="BASE_URL", key="any"):
    """Returns the options of a client that asks once, so that nothing is hidden by a second try."""
    return {"base_url": environment(url), "api_key": key, "timeout": 30, "max_retries": 0}


def client(*given):
    return Anthropic(**options(*given))


def asked(*said):
    """Asks with a conversation: the user's words and the assistant's in turn."""
    roles = ["user", "assistant"]
    messages = [{"role": roles[at % 2], "content": words} for at, words in enumerate(said)]
    return client().messages.create(**{**ASKED, "messages": messages})


def words(message):
    return "".join(block.text for block in message.content)


@check
def messages_answer():
    message = client().messages.create(**ASKED)
    holds(words(message), *EXPECTED)
    is_equal((message.role, message.stop_reason), ("assistant", "end_turn"))
    is_equal(message.model_extra["waypost"]["mode"], "tool")


@check
def messages_have_the_types_of_the_client():
    are_typed([client().messages.create(**ASKED)])


@check
def messages_have_a_request_id():
    if not client().messages.create(**ASKED)._request_id:
        raise AssertionError("the reply has no header request-id")


@check
def messages_stream_the_same_words():
    whole = words(client().messages.create(**ASKED))
    with client().messages.stream(**ASKED) as stream:
        is_equal("".join(stream.text_stream), whole)
        message = stream.get_final_message()
    is_equal(words(message), whole)
    is_equal(message.stop_reason, "end_turn")
    if not message.usage.output_tokens:
        raise AssertionError("the stream counts no tokens")


@check
def message_events_have_the_types_of_the_client():
    are_typed(client().messages.create(stream=True, **ASKED))


@check
def message_events_come_in_order():
    kinds = [event.type for event in client().messages.create(stream=True, **ASKED)]
    is_equal(kinds[:2], ["message_start", "content_block_start"])
    is_equal(kinds[-3:], ["content_block_stop", "message_delta", "message_stop"])
    is_equal(set(kinds[2:-3]) - {"ping"}, {"content_block_delta"})


@check
async def messages_answer_the_asynchronous_client():
    async with AsyncAnthropic(**options()) as own:
        holds(words(await own.messages.create(**ASKED)), *EXPECTED)
        async with own.messages.stream(**ASKED) as stream:
            holds(words(await stream.get_final_message()), *EXPECTED)


@check
def messages_read_blocks_of_content():
    blocks = [{"type": "text", "text": QUESTION}]
    blocks = {**ASKED, "system": "Be kind.", "messages": [{"role": "user", "content": blocks}]}
    holds(words(client().messages.create(**blocks)), *EXPECTED)


@check
def a_choice_is_taken_by_its_number():
    question = words(asked(OPEN_QUESTION))
    holds(question, "\n1. ", "\n2. ")
    second = question.split("\n2. ")[1].split("\n")[0]
    reply = asked(OPEN_QUESTION, question, "2")
    is_equal(reply.model_extra["waypost"]["mode"], "tool")
    holds(words(reply).lower(), second.lower())


@check
def a_conversation_goes_on_from_what_was_said():
    first = words(asked(QUESTION))
    holds(words(asked(QUESTION, first, "and the day after tomorrow?")), "Keelung", "2026-03-20")


@check
def tokens_are_counted():
    counted = client().messages.count_tokens(model=MODEL, messages=ASKED["messages"])
    if not 3 <= counted.input_tokens <= 30:
        raise AssertionError(counted)


@check
def an_unknown_model_is_not_found():
    unknown = {**ASKED, "model": "nobody"}
    error = raises(NotFoundError, lambda: client().messages.create(**unknown))
    is_equal(error.body["error"]["type"], "not_found_error")


@check
def an_unknown_model_is_not_streamed():
    def streamed():
        with client().messages.stream(**{**ASKED, "model": "nobody"}) as stream:
            stream.until_done()

    raises(NotFoundError, streamed)


@check
def no_messages_are_refused():
    error = raises(BadRequestError, lambda: client().messages.create(**{**ASKED, "messages": []}))
    is_equal(error.body["error"]["type"], "invalid_request_error")


@check
def a_key_lets_in():
    holds(words(client("KEYED_URL", environment("KEY")).messages.create(**ASKED)), *EXPECTED)


@check
def a_wrong_key_lets_nobody_in():
    wrong = client("KEYED_URL", "wp_wrong")
    error = raises(AuthenticationError, lambda: wrong.messages.create(**ASKED))
    is_equal(error.body["error"]["type"], "authentication_error")


run("anthropic")
