"""Serves aurelio's semantic-router 1.x behind FastAPI, for `cargo xtask bench serve`.

It reads `{route: [utterance, ...]}` from one line of its input, says in one line of JSON where it listens and which version it
has, and serves `POST /route`, `{"text": ...}` to `{"route": name, "score": x}`, until its input ends.

The encoder computes nothing: it looks vectors up, 384 numbers that a hash of the text gives. So the figures leave out what an
encoder costs, which favours it. Which route it answers means nothing, but the speed does not depend on which numbers they are.
What the package does by itself is left as it is, and it is called in the fastest way that it has: from the event loop, without a
thread.
"""

import hashlib
import json
import os
import socket
import sys
import threading

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from semantic_router import IndexedRouter, Route, __version__
from semantic_router.encoders import DenseEncoder

# As many as all-MiniLM-L6-v2 has.
DIMENSIONS = 384
# The connections that wait to be accepted: more than the benchmark opens at once.
BACKLOG = 128

VECTORS = {}


class Given(DenseEncoder):
    """Looks up the vector of a text; one that is new is made first."""

    def __call__(self, docs):
        for doc in docs:
            if doc not in VECTORS:
                VECTORS[doc] = vector_of(doc)
        return [VECTORS[doc] for doc in docs]

    async def acall(self, docs):
        return self(docs)


class Question(BaseModel):
    """The body of a request."""

    text: str


def vector_of(text):
    """Makes the vector of a text: a byte of its hash each, from -1 to 1."""
    digest = hashlib.shake_128(text.encode()).digest(DIMENSIONS)
    return [byte / 127.5 - 1.0 for byte in digest]


def app_of(utterances):
    """Makes the application over the routes."""
    routes = [Route(name=name, utterances=texts) for name, texts in utterances.items()]
    router = IndexedRouter(encoder=Given(name="given"), routes=routes)
    app = FastAPI()

    @app.post("/route")
    async def route(question: Question):
        found = await router.acall(question.text)
        return {"route": found.name, "score": found.confidence}

    return app


def end_with_input():
    """Ends the process when its input ends, so that it does not outlive a benchmark that is killed."""
    sys.stdin.read()
    os._exit(0)


def main():
    """Serves until its input ends."""
    app = app_of(json.loads(sys.stdin.readline()))
    # With the protocol named, as asyncio sends small answers at once on such sockets alone.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(BACKLOG)
    host, port = listener.getsockname()
    print(json.dumps({"address": f"{host}:{port}", "version": __version__}), flush=True)
    threading.Thread(target=end_with_input, daemon=True).start()
    # One worker. `uvloop` and `httptools` are used where the Python has them.
    config = uvicorn.Config(app, access_log=False, log_level="warning")
    uvicorn.Server(config).run(sockets=[listener])


main()
