"""What schemathesis cannot know of the API from its documents: how GraphQL refuses, and rules that no schema can say."""

import json
import re
from pathlib import Path

import schemathesis
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

# Refusals of what was asked for. A token that is not valid, a rate, and faults of the server are none.
REFUSALS = {400, 403, 404, 409, 410, 502, 504}
# Limits on the size of an operation, which the schema cannot say. Other errors of a whole document are findings.
LIMITS = {"QUERY_TOO_COSTLY", "QUERY_TOO_DEEP", "TOO_MANY_ALIASES", "DOCUMENT_TOO_LARGE", "VARIABLES_TOO_LARGE"}
ROW = re.compile(r"^\| `([A-Z_]+)` +\| ([0-9, ]+?) +\|", re.MULTILINE)

# The statuses of each code, as documented.
DOCUMENTED = {
    code: {int(status) for status in statuses.split(",")}
    for code, statuses in ROW.findall((Path(__file__).parent.parent / "docs/errors.md").read_text())
}

# Values that a schema does not tell from others: columns, conditions and cursors of a list, and parameters that depend on each other.
UNSAYABLE_PARAMETERS = {
    *{"cursor", "order", "sort", "filter", "populate", "depth", "focus"},
    *{"after", "since", "until"},
}
# The settings of the source of a design, which depend on its format.
SOURCE_SETTINGS = {"values", "env", "namespace", "release_name", "path", "kube_version", "api_versions"}
# Fields with a rule on their content, by path: passwords, names of other records, alternatives, contents in a format of their own.
UNSAYABLE_FIELDS = {
    "/api/identity/users/password": {"current_password", "password"},
    "/api/identity/users/profile": {"default_organization_id"},
    "/api/identity/users/notifications": {"timezone"},
    "/api/identity/tokens": {"expires_at"},
    "/api/identity/orgs/{orgId}/users": {"email", "user_id", "password", "first_name", "last_name"},
    "/api/identity/orgs/{orgId}/events/purge": {"confirm", "through", "before"},
    "/api/identity/orgs/{orgId}/webhooks": {"events", "url", "routing_key", "headers"},
    "/api/identity/orgs/{orgId}/webhooks/{webhookId}": {"events", "url", "routing_key", "headers"},
    "/api/workspaces/{id}/webhooks": {"events", "url", "routing_key", "headers"},
    "/api/workspaces/{id}/webhooks/{webhookId}": {"events", "url", "routing_key", "headers"},
    "/api/notifications": {"ids", "status"},
    # A design that an import has only parsed has no id, and schemathesis sends "null" for it.
    "/api/pattern/{id}": {"id", "url", "file", "pattern_file", "pattern_data"} | SOURCE_SETTINGS,
    "/api/pattern": {"file", "pattern_file", "pattern_data"} | SOURCE_SETTINGS,
    "/api/pattern/import": {"url", "file"} | SOURCE_SETTINGS,
    "/api/pattern/{id}/snapshots": {"number"},
    # The id is in the query or in the body.
    "/api/pattern/deploy": {"id"},
    "/api/pattern/deploy/plan": {"id"},
    "/api/filter": {"file", "filter_file", "filter_data", "url"},
    "/api/filter/{id}": {"file", "filter_file", "filter_data", "url"},
    # What a connection needs depends on its kind.
    "/api/integrations/connections": {"metadata", "credential_id", "credential_secret"},
    "/api/integrations/connections/{id}": {"metadata", "credential_id", "credential_secret"},
    "/api/integrations/connections/{id}/manifest": {"id"},
    "/api/integrations/connections/{id}/rights": {"id"},
    "/api/system/kubernetes": {"kubeconfig", "k8sfile"},
    "/api/auth/invitations/{token}": {"password"},
    "/api/auth/invitations/{token}/confirm": {"password"},
    "/api/auth/password/reset": {"password"},
}


def read_problem(response):
    """The problem document of a response, or an empty one."""
    try:
        problem = json.loads(response.content)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


for prefix in ("/api/registry", "/api/meshmodels"):
    UNSAYABLE_FIELDS[prefix + "/components"] = {"components"}
    UNSAYABLE_FIELDS[prefix + "/generate"] = {"source"}
    UNSAYABLE_FIELDS[prefix + "/register"] = {"file", "url"}
for prefix in ("/api/performance", "/api/user/performance"):
    for path in ("/profiles", "/profiles/{id}"):
        UNSAYABLE_FIELDS[prefix + path] = {
            *{"endpoints", "schedule", "duration", "timeout", "stages", "load_generators"},
            *{"request_headers", "request_cookies", "load_model", "baseline_id", "metrics_connection_id"},
        }
    UNSAYABLE_FIELDS[prefix + "/profiles/{id}/run"] = {"endpoint"}


def is_unsayable(path, fault):
    """Whether a fault is of a value whose rule the document cannot say, or of the content of a file."""
    name = fault.get("pointer", "").strip("/").split("/")[0]
    return "file" in fault or "line" in fault or name in UNSAYABLE_PARAMETERS | UNSAYABLE_FIELDS.get(path, set())


@schemathesis.check
def accepts_documented_requests(ctx, response, case):
    """As positive_data_acceptance, but for refusals of nothing else than values whose rule the document cannot say."""
    if response.status_code == 400:
        problem = read_problem(response)
        faults = problem.get("errors") or [{}]
        if problem.get("code") in DOCUMENTED and all(is_unsayable(case.operation.path, fault) for fault in faults):
            return None
    return positive_data_acceptance(ctx, response, case)


@schemathesis.check
def refuses_undocumented_requests(ctx, response, case):
    """As negative_data_rejection, but for empty parameters that may be empty, which schemathesis does not know of."""
    empty = {name for name, value in (case.query or {}).items() if value == ""}
    if any(
        parameter.definition.get("allowEmptyValue") for parameter in case.operation.query if parameter.name in empty
    ):
        return None
    return negative_data_rejection(ctx, response, case)


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
    payload = read_problem(response)
    errors = payload.get("errors")
    if not errors:
        return
    findings = [error for error in errors if not is_refusal(error, response.status_code != 200)]
    if findings:
        payload["errors"] = findings
    else:
        del payload["errors"]
    response.content = json.dumps(payload).encode()
