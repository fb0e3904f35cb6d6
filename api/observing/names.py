"""Names of metrics, spans and their attributes. The GenAI conventions of OpenTelemetry still move, so theirs stand here and nowhere else.

Sources: semantic-conventions-genai (status: development), HTTP semantic conventions 1.x, Prometheus naming practice: base units, `_total`
for counters. No id, name or digest is a label.
"""

REQUESTS = "evidence_store_http_requests"
REQUEST_SECONDS = "evidence_store_http_request_duration_seconds"
REQUESTS_RUNNING = "evidence_store_http_requests_in_progress"
DENIED = "evidence_store_permission_denied"
RESOLVED = "evidence_store_evidence_resolve"
BLOB_BYTES = "evidence_store_blob_bytes"
PROJECTIONS = "evidence_store_projections"
PROJECTION_SECONDS = "evidence_store_projection_duration_seconds"
PROJECTION_TOKENS = "evidence_store_projection_tokens"
OVER_BUDGET = "evidence_store_over_budget"

TRACER = "evidence_store"
HTTP_METHOD = "http.request.method"
HTTP_STATUS = "http.response.status_code"
HTTP_ROUTE = "http.route"
ERROR_TYPE = "error.type"
GENAI_OPERATION = "gen_ai.operation.name"
RETRIEVAL = "retrieval"
OPERATION = "evidence.operation"
WORKSPACE = "evidence.workspace"
REQUEST_ID = "evidence.request_id"
