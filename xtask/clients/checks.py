"""Runs the checks of a client and prints a line for each: `ok NAME`, `FAILED NAME: why` or `skipped NAME: why`.

The first line is `client PACKAGE VERSION`. The exit status is 1 if a check failed.
"""

import asyncio
import inspect
import os
import sys
from importlib.metadata import version

# The instant of every question, so that answers can be compared.
NOW = "2026-03-18T10:00:00+08:00"
QUESTION = "tides at Keelung tomorrow"
# The words that answer the question at that instant.
EXPECTED = ("Keelung", "2026-03-19")
# A question that is answered by a question with choices.
OPEN_QUESTION = "How warm was the sea yesterday?"

# The most characters of an error that are printed.
_LONGEST = 400

_checks = []


class Skipped(Exception):
    """A check that cannot be made with this environment."""


def check(function):
    """Adds a function to the checks, by its name."""
    _checks.append((function.__name__, function))
    return function


def check_as(name, function):
    """Adds a function to the checks, by another name."""
    _checks.append((name, function))


def environment(name):
    """Returns a variable of the environment; without it the check is skipped."""
    value = os.environ.get(name)
    if not value:
        raise Skipped(f"{name} is not set")
    return value


def is_equal(found, expected):
    """Fails unless two values are equal."""
    if found != expected:
        raise AssertionError(f"{found!r} instead of {expected!r}")


def holds(text, *words):
    """Fails unless a text has all of these words."""
    for word in words:
        if word not in text:
            raise AssertionError(f"no {word!r} in {text!r}")


def are_typed(records):
    """Fails unless records are as the client's types say; the client itself takes anything."""
    for record in records:
        type(record).model_validate(record.to_dict())


def raises(kind, function):
    """Returns the error of this kind that a function raises; fails if there is none."""
    try:
        function()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def run(package, number=None):
    """Runs all checks, and ends the program; the number is the package's version, if it is not one of Python."""
    print(f"client {package} {number or version(package)}")
    failed = [name for name, function in _checks if not _passes(name, function)]
    sys.exit(1 if failed else 0)


def _passes(name, function):
    try:
        made = function()
        if inspect.isawaitable(made):
            asyncio.run(_awaited(made))
    except Skipped as reason:
        print(f"skipped {name}: {reason}", flush=True)
    except Exception as error:  # Whatever a client raises is the reason why its check failed.
        print(f"FAILED {name}: {_line(error)[:_LONGEST]}", flush=True)
        return False
    else:
        print(f"ok {name}", flush=True)
    return True


async def _awaited(made):
    await made


def _line(error):
    """Returns an error with its cause in one line; of a group the errors that it holds."""
    if isinstance(error, BaseExceptionGroup):
        return "; ".join(_line(inner) for inner in error.exceptions)
    line = " ".join(f"{type(error).__name__}: {error}".split())
    return line if error.__cause__ is None else f"{line} <- {_line(error.__cause__)}"
