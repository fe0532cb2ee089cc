"""Checks Waypost with the official client for gRPC, whose code is made from the `.proto` of the repository.

GRPC_TARGET is the address of a server, such as 127.0.0.1:8080; KEYED_TARGET and KEY those of one with keys. PROTO is the folder
`proto` of the repository. The checks of what is not set are skipped.
"""

import sys
import tempfile
from functools import cache
from pathlib import Path

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from grpc_tools import protoc

from checks import EXPECTED, NOW, OPEN_QUESTION, QUESTION, check, environment, holds, is_equal, raises, run

# The longest that an answer takes, in seconds.
TIMEOUT = 30
SERVICE = "waypost.v1.Assistant"


@cache
def generated():
    """Returns the modules that are made from the `.proto`: the messages and the client."""
    folder = tempfile.mkdtemp()
    proto = environment("PROTO")
    outs = [f"--python_out={folder}", f"--grpc_python_out={folder}"]
    known = Path(protoc.__file__).parent / "_proto"
    file = "waypost/v1/assistant.proto"
    is_equal(protoc.main(["", f"-I{proto}", f"-I{known}", *outs, file]), 0)
    sys.path.insert(0, folder)
    from waypost.v1 import assistant_pb2, assistant_pb2_grpc

    return assistant_pb2, assistant_pb2_grpc


def channel(target="GRPC_TARGET"):
    return grpc.insecure_channel(environment(target))


def assistant(target="GRPC_TARGET"):
    return generated()[1].AssistantStub(channel(target))


def asked(text, **others):
    return generated()[0].Request(text=text, now=NOW, **others)


def code(call):
    """Returns the code with which a call fails."""
    return raises(grpc.RpcError, call).code()


@check
def route_decides():
    decision = assistant().Route(asked(QUESTION), timeout=TIMEOUT)
    is_equal((decision.decision, decision.calls[0].tool), ("run", "tide.forecast"))
    is_equal(decision.calls[0].arguments["date"], EXPECTED[1])
    record = json_format.MessageToDict(decision.record)
    is_equal((record["id"], record["route"]), (decision.id, decision.route))


@check
def answer_answers():
    answer = assistant().Answer(asked(QUESTION), timeout=TIMEOUT)
    is_equal(answer.mode, "tool")
    holds(answer.text, *EXPECTED)


@check
def a_question_has_choices_and_one_goes_on():
    first = assistant().Answer(asked(OPEN_QUESTION, session="grpc"), timeout=TIMEOUT)
    is_equal(first.mode, "clarify")
    chosen = asked("", session="grpc", choice=first.choices[0].value)
    is_equal(assistant().Answer(chosen, timeout=TIMEOUT).mode, "tool")


@check
def answer_stream_ends_with_done():
    events = list(assistant().AnswerStream(asked(QUESTION), timeout=TIMEOUT))
    is_equal([event.seq for event in events], list(range(1, len(events) + 1)))
    is_equal([event.type for event in events[-2:]], ["answer", "done"])
    holds(events[-2].answer.text, *EXPECTED)


@check
def query_type_declares_the_route():
    decision = assistant().Route(asked(QUESTION, query_type="explain"), timeout=TIMEOUT)
    is_equal((decision.layer, decision.route), ("declared", "explain"))


@check
def packs_are_chosen_by_name():
    decision = assistant().Route(asked(QUESTION, pack="malaria"), timeout=TIMEOUT)
    holds(decision.pack, "malaria@")


@check
def an_error_has_a_code_and_a_hint():
    wrong = asked(QUESTION, query_type="explian")
    error = raises(grpc.RpcError, lambda: assistant().Route(wrong, timeout=TIMEOUT))
    is_equal(error.code(), grpc.StatusCode.INVALID_ARGUMENT)
    holds(dict(error.trailing_metadata())["waypost-hint"], "explain")


@check
def an_unknown_method_is_unimplemented():
    method = channel().unary_unary(f"/{SERVICE}/Burn")
    is_equal(code(lambda: method(b"", timeout=TIMEOUT)), grpc.StatusCode.UNIMPLEMENTED)


@check
def a_deadline_that_has_passed_ends_the_call():
    late = code(lambda: assistant().Answer(asked(QUESTION), timeout=0.000001))
    is_equal(late, grpc.StatusCode.DEADLINE_EXCEEDED)


@check
def a_compressed_message_is_unimplemented():
    method = generated()[1].AssistantStub(channel()).Route
    packed = grpc.Compression.Gzip
    refused = code(lambda: method(asked("x" * 5_000), compression=packed, timeout=TIMEOUT))
    is_equal(refused, grpc.StatusCode.UNIMPLEMENTED)


@check
def health_is_serving():
    stub = health_pb2_grpc.HealthStub(channel())
    reply = stub.Check(health_pb2.HealthCheckRequest(service=SERVICE), timeout=TIMEOUT)
    is_equal(reply.status, health_pb2.HealthCheckResponse.SERVING)


@check
def reflection_tells_the_service_and_its_methods():
    database = ProtoReflectionDescriptorDatabase(channel())
    holds(" ".join(database.get_services()), SERVICE)
    service = DescriptorPool(database).FindServiceByName(SERVICE)
    methods = sorted(method.name for method in service.methods)
    is_equal(methods, ["Answer", "AnswerStream", "Route"])


@check
def a_key_lets_in():
    key = [("authorization", f"Bearer {environment('KEY')}")]
    answer = assistant("KEYED_TARGET").Answer(asked(QUESTION), metadata=key, timeout=TIMEOUT)
    holds(answer.text, *EXPECTED)


@check
def without_a_key_nobody_is_let_in():
    keyed = assistant("KEYED_TARGET")
    refused = code(lambda: keyed.Answer(asked(QUESTION), timeout=TIMEOUT))
    is_equal(refused, grpc.StatusCode.UNAUTHENTICATED)


run("grpcio")
