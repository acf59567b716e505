"""What schemathesis does not know of the API: how GraphQL refuses."""

import json
import re
from pathlib import Path

import schemathesis

# Refusals of what was asked for. A token that is not valid, a rate, and faults of the server are none.
REFUSALS = {400, 403, 404, 409, 410, 502, 504}
# Limits on the size of an operation, which the schema cannot say. Other errors of a whole document are findings.
LIMITS = {"QUERY_TOO_COSTLY", "QUERY_TOO_DEEP", "TOO_MANY_ALIASES", "DOCUMENT_TOO_LARGE", "VARIABLES_TOO_LARGE"}
ROW = re.compile(r"^\| `([A-Z_]+)` +\| ([0-9, ]+?) +\|", re.MULTILINE)

# The statuses of each code, as documented.
DOCUMENTED = {
    code: {int(status) for status in statuses.split(",")}
    for code, statuses in ROW.findall((Path(__file__).parent.parent / "docs/api.md").read_text())
}


def is_refusal(error, whole):
    """Whether an error has a documented code of a refusal and all that goes with it; `whole` is of a document that did not run."""
    extensions = error.get("extensions", {})
    code = extensions.get("code")
    if not (error.get("message") and extensions.get("remedy") and extensions.get("request_id")):
        return False
    if whole:
        return code in LIMITS
    if code == "VALIDATION_FAILED" and not all(fault.get("detail") for fault in extensions.get("errors") or [{}]):
        return False
    return bool(error.get("path")) and code not in LIMITS - {"QUERY_TOO_COSTLY"} and DOCUMENTED.get(code, {500}) <= REFUSALS


@schemathesis.hook
def after_call(context, case, response):
    """Leaves out documented refusals, such as for an id that is no UUID. Schemathesis counts every error of a resolver."""
    if not case.operation.path.endswith("/graphql/query"):
        return
    try:
        payload = json.loads(response.content)
    except ValueError:
        return
    errors = payload.get("errors") if isinstance(payload, dict) else None
    if not errors:
        return
    findings = [error for error in errors if not is_refusal(error, response.status_code != 200)]
    if findings:
        payload["errors"] = findings
    else:
        del payload["errors"]
    response.content = json.dumps(payload).encode()
