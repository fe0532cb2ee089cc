"""Checks Waypost with requests that schemathesis draws from /openapi.json: a check for each operation.

KEYED_URL is a server with keys and with the pack `ocean`, and KEY one with the scopes `ask`, `label` and `admin`. What
schemathesis says of a failure, with the request that shows it, goes to standard error.
"""

import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from checks import check, check_as, environment, run

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "unsupported_method",
)
# Its answer has no end.
ENDLESS = "/v1/events"
EXAMPLES = 30
SEED = 1
# The longest that an answer takes, in seconds.
TIMEOUT = 30


def command(report):
    """Returns the command line, which writes a report to this file."""
    return [
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        f"{environment('KEYED_URL')}/openapi.json",
        f"--header=Authorization: Bearer {environment('KEY')}",
        f"--exclude-path={ENDLESS}",
        f"--checks={','.join(CHECKS)}",
        f"--max-examples={EXAMPLES}",
        f"--seed={SEED}",
        f"--request-timeout={TIMEOUT}",
        "--generation-database=none",
        "--continue-on-failure",
        "--no-color",
        "--report=json",
        f"--report-json-path={report}",
    ]


def drawn():
    """Has all requests made, and returns the report."""
    hooks = {"PYTHONPATH": str(Path(__file__).parent), "SCHEMATHESIS_HOOKS": "openapi_hooks"}
    # Schemathesis leaves files where it runs.
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        ended = subprocess.run(
            command(report),
            cwd=folder,
            env={**os.environ, **hooks},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if ended.returncode != 0:
            print(ended.stdout, file=sys.stderr)
        if not report.exists():
            raise AssertionError(f"schemathesis ended with {ended.returncode} and no report")
        return json.loads(report.read_text())


@check
def requests_are_drawn():
    report = drawn()
    if report["errors"] or not report["complete"]:
        raise AssertionError(f"not all requests were made: {report['errors']}")
    # These checks come behind this one, for they are known only now.
    for operation in report["valid_rates"]:
        check_as(operation, partial(passes, report, operation))


def passes(report, operation):
    """Fails if one of the requests to an operation has failed."""
    found = [failure for failure in report["failures"] if operation in failure["operations"]]
    if found:
        raise AssertionError("; ".join(f"{own['code']} {own['title']}" for own in found))


run("schemathesis")
