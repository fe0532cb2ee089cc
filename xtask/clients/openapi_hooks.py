"""Lets requests that schemathesis draws reach the inside: they name what there is, and say something.

Names drawn at random are of nothing, and most texts are empty, so that nearly all requests would be refused at the door.
What is left out or of a wrong type stays so.
"""

import schemathesis

QUESTION = "tides at Keelung tomorrow"
# What a field holds instead of a text that was drawn.
KNOWN = {
    "model": "waypost/ocean",
    "pack": "ocean",
    "route": "tool",
    "now": "2026-03-18T10:00:00+08:00",
    "tz": "Asia/Taipei",
}


@schemathesis.hook
def before_call(context, case, kwargs):
    if isinstance(case.query, dict):
        case.query = {name: known(name, value) for name, value in case.query.items()}
    if isinstance(case.body, dict):
        case.body = sayable(case.body)


def sayable(body):
    # A run that goes on would have to be there.
    body = {name: known(name, value) for name, value in body.items() if name != "resume"}
    for name in ("messages", "input"):
        if isinstance(body.get(name), list) and body[name]:
            *before, last = body[name]
            body[name] = [*before, said(last)]
    if body.get("text") == "":
        body["text"] = QUESTION
    return body


def known(name, value):
    return KNOWN.get(name, value) if isinstance(value, str) else value


def said(message):
    """Returns a message as one of the user, with words."""
    if not isinstance(message, dict):
        return message
    return {**message, "role": "user", "content": message.get("content") or QUESTION}
