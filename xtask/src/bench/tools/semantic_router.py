"""Serves aurelio's semantic-router 1.x over a pipe, one line of JSON at a time, to `cargo xtask bench tools`.

It first says its version. `{"catalog": [[route, utterance, vector], ...]}` makes a router and has no answer;
`{"question": [text, vector]}` is answered with `[[route, score], ...]`, likeliest first. The vectors come with the texts, so that
all columns of the table have those of one encoder.

What the package does by itself is left as it is (a local index, no threshold, the mean over the utterances that are found), but
for two things. All routes are asked for instead of the first. And where each route has one utterance, as many are looked at as
there are, not the nearest five: the routes beyond five would share the score 0, and recall at 20 could not be counted. The first
five come out the same. With examples it keeps its five, as a mean over all of them would be another method.
"""

import json
import sys

from semantic_router import IndexedRouter, Route, __version__
from semantic_router.encoders import DenseEncoder

VECTORS = {}


class Given(DenseEncoder):
    """Looks up the vectors that came with the texts."""

    def __call__(self, docs):
        return [VECTORS[doc] for doc in docs]


def router_of(catalog):
    """Makes the router of a catalog."""
    VECTORS.clear()
    utterances = {}
    for route, text, vector in catalog:
        VECTORS[text] = vector
        utterances.setdefault(str(route), []).append(text)
    routes = [Route(name=name, utterances=texts) for name, texts in utterances.items()]
    settings = {"top_k": len(routes)} if len(routes) == len(catalog) else {}
    return IndexedRouter(encoder=Given(name="given"), routes=routes, **settings)


def main():
    """Answers until there are no more lines."""
    print(json.dumps(__version__), flush=True)
    router = None
    for line in sys.stdin:
        given = json.loads(line)
        if "catalog" in given:
            router = router_of(given["catalog"])
            continue
        text, VECTORS[text] = given["question"]
        found = router(text, limit=None)
        print(json.dumps([[int(one.name), one.confidence] for one in found]), flush=True)


main()
