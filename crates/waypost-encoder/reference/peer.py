"""The peers of the encoder, for `cargo xtask bench encoder`: ONNX Runtime on a graph that is built here
from the tensors, in floats and in dynamic 8-bit integers, and sentence-transformers where it is
installed.

    python3 peer.py MODEL_FOLDER

It speaks JSON lines: first one line with the names of its engines, then for each line
`{"engine": name, "texts": [{"text": …, "ids": […]}, …]}` one with the nanoseconds of each text and the
vectors. One thread, one text at a time.

It needs numpy, onnx, onnxruntime, safetensors.
"""

import json
import os
import sys
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TOKENIZERS_PARALLELISM"):
    os.environ[variable] = "0" if variable.startswith("TOKENIZERS") else "1"

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file


class Graph:
    """Nodes and constants as they are added; every value has a name of its own."""

    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, name, values):
        self.constants[name] = numpy_helper.from_array(numpy.ascontiguousarray(values), name)
        return name

    def add(self, kind, *inputs, **attributes):
        name = f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name


def build(folder):
    """BERT with pooling by the mean, one text at a time: ids in, a vector of length 1 out."""
    config = json.load(open(os.path.join(folder, "config.json"), encoding="utf-8"))
    tensor = load_file(os.path.join(folder, "model.safetensors"))
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    epsilon, width = config["layer_norm_eps"], hidden // heads
    graph = Graph()
    whole = lambda name, values: graph.constant(name, numpy.array(values, dtype=numpy.int64))
    real = lambda name, value: graph.constant(name, numpy.array(value, dtype=numpy.float32))
    zero, one = whole("zero", [0]), whole("one", [1])
    split, joined = whole("split", [0, heads, width]), whole("joined", [0, hidden])
    half, unit = real("half", 0.5), real("unit", 1.0)
    root, scale = real("root", 2.0**0.5), real("scale", width**-0.5)

    def norm(rows, name):
        gain = graph.constant(f"{name}.weight", tensor[f"{name}.weight"])
        shift = graph.constant(f"{name}.bias", tensor[f"{name}.bias"])
        return graph.add("LayerNormalization", rows, gain, shift, axis=-1, epsilon=epsilon)

    def dense(rows, name):
        weight = graph.constant(f"{name}.weight", tensor[f"{name}.weight"].T)
        bias = graph.constant(f"{name}.bias", tensor[f"{name}.bias"])
        return graph.add("Add", graph.add("MatMul", rows, weight), bias)

    words = graph.constant("words", tensor["embeddings.word_embeddings.weight"])
    places = tensor["embeddings.position_embeddings.weight"]
    places = places + tensor["embeddings.token_type_embeddings.weight"][0]
    rows = graph.add("Gather", words, "ids", axis=0)
    count = graph.add("Shape", "ids")
    places = graph.add("Slice", graph.constant("places", places), zero, count, zero)
    rows = norm(graph.add("Add", rows, places), "embeddings.LayerNorm")
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"
        parts = []
        for part, order in (("query", [1, 0, 2]), ("key", [1, 2, 0]), ("value", [1, 0, 2])):
            values = graph.add("Reshape", dense(rows, f"{at}.attention.self.{part}"), split)
            parts.append(graph.add("Transpose", values, perm=order))
        scores = graph.add("Mul", graph.add("MatMul", parts[0], parts[1]), scale)
        shares = graph.add("Softmax", scores, axis=-1)
        mixed = graph.add("Transpose", graph.add("MatMul", shares, parts[2]), perm=[1, 0, 2])
        mixed = graph.add("Reshape", mixed, joined)
        mixed = dense(mixed, f"{at}.attention.output.dense")
        rows = norm(graph.add("Add", rows, mixed), f"{at}.attention.output.LayerNorm")
        between = dense(rows, f"{at}.intermediate.dense")
        error = graph.add("Add", graph.add("Erf", graph.add("Div", between, root)), unit)
        between = graph.add("Mul", graph.add("Mul", between, error), half)
        between = dense(between, f"{at}.output.dense")
        rows = norm(graph.add("Add", rows, between), f"{at}.output.LayerNorm")
    mean = graph.add("ReduceMean", rows, axes=[0], keepdims=0)
    length = graph.add("ReduceL2", mean, axes=[0], keepdims=1)
    graph.nodes.append(helper.make_node("Div", [mean, length], ["vector"]))
    ids = helper.make_tensor_value_info("ids", TensorProto.INT64, ["tokens"])
    vector = helper.make_tensor_value_info("vector", TensorProto.FLOAT, [hidden])
    made = helper.make_graph(graph.nodes, "encoder", [ids], [vector], list(graph.constants.values()))
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    opened = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda text: opened.run(None, {"ids": numpy.array(text["ids"], dtype=numpy.int64)})[0]


def runtime_engines(folder):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as made:
        whole, bytes_ = os.path.join(made, "f32.onnx"), os.path.join(made, "int8.onnx")
        onnx.save(build(folder), whole)
        start = time.perf_counter()
        engines = {"ONNX Runtime fp32": session(whole)}
        load = time.perf_counter() - start
        quantize_dynamic(
            whole, bytes_, op_types_to_quantize=["MatMul"], per_channel=True, weight_type=QuantType.QInt8
        )
        engines["ONNX Runtime int8"] = session(bytes_)
    return engines, load


def sentence_transformers_engine(folder):
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    model = SentenceTransformer(folder, device="cpu")
    return lambda text: model.encode(text["text"], normalize_embeddings=True, show_progress_bar=False)


def main():
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # Libraries that print do so on standard error.
    os.dup2(2, 1)
    engines, load = runtime_engines(sys.argv[1])
    versions = [f"onnxruntime {onnxruntime.__version__}"]
    try:
        engines["sentence-transformers"] = sentence_transformers_engine(sys.argv[1])
        import sentence_transformers, torch

        versions += [f"sentence-transformers {sentence_transformers.__version__}", f"torch {torch.__version__}"]
    except ImportError:
        pass
    say = lambda value: print(json.dumps(value), file=replies, flush=True)
    say({"engines": list(engines), "versions": versions, "load_seconds": load})
    for line in sys.stdin:
        asked = json.loads(line)
        run, times, vectors = engines[asked["engine"]], [], []
        for text in asked["texts"]:
            start = time.perf_counter_ns()
            vector = run(text)
            times.append(time.perf_counter_ns() - start)
            vectors.append([float(value) for value in vector])
        say({"nanoseconds": times, "vectors": vectors})


if __name__ == "__main__":
    main()
