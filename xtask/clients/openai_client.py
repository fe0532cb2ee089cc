"""Checks Waypost with OpenAI's client for Python: models, chat completions, responses, errors and keys.

BASE_URL is a server without keys and with the pack `ocean`, such as http://127.0.0.1:8080. KEYED_URL is one with keys,
and KEY a key of it.
"""

from openai import (
    AsyncOpenAI,
    AuthenticationError,
    BadRequestError,
    NotFoundError,
    OpenAI,
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
AT = {"waypost": {"now": NOW}}
RESPONSE = {"model": MODEL, "input": QUESTION, "extra_body": AT}
ASKED = {"model": MODEL, "messages": [{"role": "user", "content": QUESTION}], "extra_body": AT}


def options(url="BASE_URL", key="any"):
    """Returns the options of a client that asks once, so that nothing is hidden by a second try."""
    return {"base_url": f"{environment(url)}/v1", "api_key": key, "timeout": 30, "max_retries": 0}


def client(*given):
    return OpenAI(**options(*given))


def asked(*said, **extra):
    """Asks with a conversation: the user's words and the assistant's in turn."""
    roles = ["user", "assistant"]
    messages = [{"role": roles[at % 2], "content": words} for at, words in enumerate(said)]
    body = {"waypost": {"now": NOW, **extra}}
    return client().chat.completions.create(model=MODEL, messages=messages, extra_body=body)


def words(reply):
    return reply.choices[0].message.content


@check
def models_are_listed():
    models = list(client().models.list())
    holds([model.id for model in models], MODEL)
    are_typed(models)


@check
def a_model_is_retrieved():
    is_equal(client().models.retrieve(MODEL).id, MODEL)


@check
def an_unknown_model_is_not_retrieved():
    error = raises(NotFoundError, lambda: client().models.retrieve("nobody"))
    is_equal(error.code, "model_not_found")


@check
def chat_answers():
    reply = client().chat.completions.create(**ASKED)
    holds(words(reply), *EXPECTED)
    is_equal(reply.choices[0].finish_reason, "stop")
    is_equal(reply.usage.total_tokens, reply.usage.prompt_tokens + reply.usage.completion_tokens)
    is_equal(reply.model_extra["waypost"]["mode"], "tool")


@check
def chat_has_a_request_id():
    reply = client().chat.completions.create(**ASKED)
    if not reply._request_id:
        raise AssertionError("the reply has no header x-request-id")


@check
def chat_streams_the_same_words():
    whole = words(client().chat.completions.create(**ASKED))
    chunks = list(client().chat.completions.create(stream=True, **ASKED))
    deltas = [chunk.choices[0].delta.content or "" for chunk in chunks]
    is_equal("".join(deltas), whole)
    is_equal(chunks[-1].choices[0].finish_reason, "stop")
    is_equal([chunk.usage for chunk in chunks], [None] * len(chunks))


@check
def chat_stream_ends_with_usage():
    counted = {"stream": True, "stream_options": {"include_usage": True}}
    *chunks, last = client().chat.completions.create(**counted, **ASKED)
    is_equal([chunk.usage for chunk in chunks], [None] * len(chunks))
    is_equal(last.choices, [])
    whole = client().chat.completions.create(**ASKED)
    is_equal(last.usage.total_tokens, whole.usage.total_tokens)


@check
def chat_has_the_types_of_the_client():
    are_typed([client().chat.completions.create(**ASKED)])


@check
def chat_chunks_have_the_types_of_the_client():
    counted = {"stream": True, "stream_options": {"include_usage": True}}
    are_typed(client().chat.completions.create(**counted, **ASKED))


@check
def chat_stream_is_put_together_by_the_client():
    with client().chat.completions.stream(**ASKED) as stream:
        stream.until_done()
        holds(words(stream.get_final_completion()), *EXPECTED)


@check
async def chat_answers_the_asynchronous_client():
    async with AsyncOpenAI(**options()) as own:
        holds(words(await own.chat.completions.create(**ASKED)), *EXPECTED)
        parts = []
        async for chunk in await own.chat.completions.create(stream=True, **ASKED):
            parts.append(chunk.choices[0].delta.content or "")
        holds("".join(parts), *EXPECTED)


@check
def chat_reads_parts_of_content():
    parts = [{"type": "text", "text": "tides at Keelung"}, {"type": "text", "text": "tomorrow"}]
    messages = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": parts}]
    holds(words(client().chat.completions.create(**{**ASKED, "messages": messages})), *EXPECTED)


@check
def chat_takes_the_usual_options():
    usual = {"temperature": 0, "top_p": 1, "max_completion_tokens": 500, "seed": 1, "n": 1, "user": "ana"}
    holds(words(client().chat.completions.create(**usual, **ASKED)), *EXPECTED)


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
def a_conversation_can_be_named():
    asked(QUESTION, session="peers-python")
    holds(words(asked("and the day after tomorrow?", session="peers-python")), "Keelung", "2026-03-20")


@check
def an_instant_that_is_none_is_refused():
    error = raises(BadRequestError, lambda: asked(QUESTION, now="soon"))
    is_equal(error.param, "waypost.now")


@check
def an_unknown_model_is_not_found():
    unknown = {**ASKED, "model": "nobody"}
    error = raises(NotFoundError, lambda: client().chat.completions.create(**unknown))
    is_equal((error.code, error.param), ("model_not_found", "model"))


@check
def an_unknown_model_is_not_streamed():
    unknown = {**ASKED, "model": "nobody", "stream": True}
    error = raises(NotFoundError, lambda: client().chat.completions.create(**unknown))
    is_equal(error.code, "model_not_found")


def refused(messages):
    return raises(
        BadRequestError, lambda: client().chat.completions.create(model=MODEL, messages=messages)
    )


@check
def no_messages_are_refused():
    is_equal(refused([]).param, "messages")


@check
def a_message_without_words_is_refused():
    refused([{"role": "user"}])


@check
def messages_of_no_known_shape_are_refused():
    refused("tides at Keelung")
    refused([1])


@check
def a_conversation_that_the_assistant_ends_is_refused():
    refused([{"role": "user", "content": QUESTION}, {"role": "assistant", "content": "Soon."}])


@check
def responses_answer():
    reply = client().responses.create(**RESPONSE)
    holds(reply.output_text, *EXPECTED)
    is_equal(reply.status, "completed")


@check
def responses_stream_the_same_words():
    whole = client().responses.create(**RESPONSE).output_text
    events = list(client().responses.create(stream=True, **RESPONSE))
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    is_equal("".join(deltas), whole)
    is_equal(events[0].type, "response.created")
    is_equal(events[-1].type, "response.completed")
    is_equal(events[-1].response.output_text, whole)


@check
def responses_number_their_events():
    events = list(client().responses.create(stream=True, **RESPONSE))
    numbers = [getattr(event, "sequence_number", None) for event in events]
    is_equal(numbers, list(range(len(events))))


@check
def responses_have_the_types_of_the_client():
    are_typed([client().responses.create(**RESPONSE)])


@check
def response_events_have_the_types_of_the_client():
    are_typed(client().responses.create(stream=True, **RESPONSE))


@check
def responses_are_put_together_by_the_client():
    with client().responses.stream(**RESPONSE) as stream:
        stream.until_done()
        holds(stream.get_final_response().output_text, *EXPECTED)


@check
def responses_go_on_from_an_earlier_one():
    first = client().responses.create(**RESPONSE)
    further = {**RESPONSE, "input": "and the day after tomorrow?"}
    second = client().responses.create(previous_response_id=first.id, **further)
    holds(second.output_text, "Keelung", "2026-03-20")


@check
def responses_take_a_list_of_messages():
    said = [{"role": "user", "content": [{"type": "input_text", "text": QUESTION}]}]
    holds(client().responses.create(**{**RESPONSE, "input": said}).output_text, *EXPECTED)


@check
def responses_of_an_unknown_model_are_not_found():
    error = raises(NotFoundError, lambda: client().responses.create(model="nobody", input=QUESTION))
    is_equal(error.code, "model_not_found")


@check
def responses_without_input_are_refused():
    raises(BadRequestError, lambda: client().responses.create(model=MODEL, input=""))


@check
def a_key_lets_in():
    keyed = client("KEYED_URL", environment("KEY"))
    holds(words(keyed.chat.completions.create(**ASKED)), *EXPECTED)


@check
def a_wrong_key_lets_nobody_in():
    wrong = client("KEYED_URL", "wp_wrong")
    for ask in (
        wrong.models.list,
        lambda: wrong.chat.completions.create(**ASKED),
        lambda: wrong.responses.create(model=MODEL, input=QUESTION),
    ):
        is_equal(raises(AuthenticationError, ask).code, "invalid_api_key")


run("openai")
