"""What secrets look like: one rule a kind, from the formats that issuers publish for their tokens (docs/adr/0013-secrets.md).

A rule costs nothing where none of its anchors stands. Its first group that took part is the secret; what stands round it stays.
No group takes white space, a quotation mark or a bracket, so that a mark can stand in its place in JSON and in a line, and is not
taken for a secret itself. Regular expressions are RE2 over bytes. The order counts: of two kinds for the same bytes the first is said.
"""

from typing import Final

from evidence_store.secret_assignments import ASSIGNMENT_ANCHORS, ASSIGNMENTS
from evidence_store.secret_forms import APART, BASE64URL, LEFT, SAID, SAID_OR_PAIR, WORDS, Rule

_NO_KEY: Final = rb"[A-Za-z._~+/=-]*|[0-9.-]*|[A-Za-z._/-]+[0-9]{1,3}"
_LOGIN: Final = rb":(?:\\?/){2}[^\s/?#:@\"'<>\\\[\]{}()|]*:"
"""Of a URL, up to the password."""

RULES: Final = (
    Rule("github-token", (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"), LEFT + rb"(gh[opusr]_[0-9A-Za-z_]{36,255})"),
    Rule("github-token", (b"github_pat_",), LEFT + rb"(github_pat_[0-9A-Za-z_]{36,255})"),
    Rule(
        "gitlab-token",
        (b"glpat-", b"glptt-", b"gldt-", b"glrt-", b"glrtr-", b"glcbt-", b"gloas-", b"glsoat-", b"glimt-", b"glagent-", b"glft-"),
        LEFT + rb"(gl(?:pat|ptt|dt|rt|rtr|cbt|oas|soat|imt|agent|ft)-" + BASE64URL + rb"{20,300}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?)",
        rb"gl[a-z]+-[a-z_-]+",
    ),
    Rule("aws-key-id", (b"AKIA", b"ASIA", b"ABIA", b"ACCA"), APART + rb"(A(?:KI|SI|BI|CC)A[0-9A-Z]{16})\b"),
    Rule(
        "aws-secret-key",
        (b"secret",),
        rb"(?i)(?:secret_?access_?key|aws_?secret_?key)" + SAID_OR_PAIR + rb"((?:[0-9A-Za-z+]|\\?/){40})(?:[^0-9A-Za-z+/=]|$)",
        any_case=True,
    ),
    Rule(
        "aws-session-token",
        (b"sessiontoken", b"session_token", b"security-token"),
        rb"(?i)(?:aws_?session_?token|sessiontoken|amz-security-token)" + SAID_OR_PAIR + rb"((?:[0-9A-Za-z+=]|\\?/|%[0-9A-Fa-f]{2}){100,})",
        any_case=True,
    ),
    Rule(
        "slack-token",
        (b"xox", b"xapp-"),
        LEFT + rb"((?:xoxe\.)?xox[abceoprsd]-[0-9A-Za-z-]{10,}|xapp-[0-9]-[0-9A-Za-z-]{10,})",
        rb"[A-Za-z-]+",
    ),
    Rule(
        "slack-webhook",
        (b"hooks.slack.com",),
        rb"hooks\.slack\.com(?:\\?/)(?:services|workflows|triggers)\\?/([TE][0-9A-Z]+\\?/[0-9A-Z]+\\?/[0-9A-Za-z]{8,}(?:\\?/[0-9A-Za-z]+)*)",
    ),
    Rule(
        "api-key",  # OpenAI, Anthropic, OpenRouter and those who spell theirs alike
        (b"sk-",),
        LEFT + rb"(sk-(?:(?:proj|svcacct|admin|ant|or)-" + BASE64URL + rb"{20,}|[0-9A-Za-z]{32,}))",
        rb"sk-[A-Z_-]+|sk-(?:[0-9a-z]{0,12}[_-])*[0-9a-z]{0,12}",
    ),
    Rule("google-api-key", (b"AIza",), APART + rb"(AIza" + BASE64URL + rb"{35})(?:[^0-9A-Za-z_-]|$)"),
    Rule("google-oauth", (b"ya29.",), LEFT + rb"(ya29\.[0-9A-Za-z_.-]{20,})"),
    Rule("google-oauth", (b"GOCSPX-",), LEFT + rb"(GOCSPX-" + BASE64URL + rb"{28})"),
    Rule("stripe-key", (b"k_live_", b"k_test_"), LEFT + rb"([sr]k_(?:live|test)_[0-9A-Za-z]{16,})"),
    Rule("webhook-secret", (b"whsec_",), LEFT + rb"(whsec_[0-9A-Za-z+/=]{32,})"),
    Rule("npm-token", (b"npm_",), LEFT + rb"(npm_[0-9A-Za-z]{36})\b"),
    Rule("npm-token", (b"_authToken",), rb"_authToken\s*=\s*\"?([0-9A-Za-z_.+/=-]{16,})", WORDS),
    Rule("pypi-token", (b"pypi-AgE",), LEFT + rb"(pypi-AgE" + BASE64URL + rb"{50,})"),
    Rule("huggingface-token", (b"hf_",), LEFT + rb"(hf_[0-9A-Za-z]{34})\b", rb"hf_(?:[a-z]+|[A-Z]+)"),
    Rule("sendgrid-key", (b"SG.",), LEFT + rb"(SG\." + BASE64URL + rb"{22}\." + BASE64URL + rb"{43})"),
    Rule("digitalocean-token", (b"dop_v1_", b"doo_v1_", b"dor_v1_"), LEFT + rb"(do[opr]_v1_[0-9a-f]{64})\b"),
    Rule("shopify-token", (b"shpat_", b"shpca_", b"shppa_", b"shpss_"), LEFT + rb"(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})\b"),
    Rule("grafana-token", (b"glsa_",), LEFT + rb"(glsa_[0-9A-Za-z]{32}_[0-9a-f]{8})\b"),
    Rule("vault-token", (b"hvs.", b"hvb.", b"hvr."), LEFT + rb"(hv[sbr]\." + BASE64URL + rb"{24,})"),
    Rule("docker-token", (b"dckr_",), LEFT + rb"(dckr_(?:pat|oat)_" + BASE64URL + rb"{27,})"),
    Rule("databricks-token", (b"dapi",), LEFT + rb"(dapi[0-9a-f]{32}(?:-[0-9])?)\b"),
    Rule("linear-key", (b"lin_api_", b"lin_oauth_"), LEFT + rb"(lin_(?:api|oauth)_[0-9A-Za-z]{40,})"),
    Rule("telegram-token", (b":AA",), rb"(?:/bot|" + LEFT + rb")([0-9]{8,10}:AA" + BASE64URL + rb"{33})(?:[^0-9A-Za-z_-]|$)"),
    Rule(
        "azure-key",
        (b"key",),
        rb"(?i)(?:(?:account|access|storage|primary|secondary)[_-]?key)"
        + SAID
        + rb"((?:[0-9A-Za-z+]|\\?/){42,43}=|(?:[0-9A-Za-z+]|\\?/){86}==)",
        any_case=True,
    ),
    Rule("age-key", (b"AGE-SECRET-KEY-1",), LEFT + rb"(AGE-SECRET-KEY-1[0-9A-Z]{58})"),
    Rule(
        "jwt",
        (b"eyJ",),
        APART + rb"(eyJ" + BASE64URL + rb"{8,}\.(?:eyJ" + BASE64URL + rb"{8,}\." + BASE64URL + rb"{8,}"
        rb"|" + BASE64URL + rb"*\." + BASE64URL + rb"{8,}\." + BASE64URL + rb"{8,}\." + BASE64URL + rb"{8,}))",
    ),
    Rule(
        "authorization",
        (b"authorization",),
        rb"(?i)authorization" + SAID_OR_PAIR + rb"(?:bearer|basic|token|bot|apikey|negotiate)(?:\s+|%20|\+)([0-9A-Za-z._~+/=-]{8,})",
        WORDS,
        any_case=True,
    ),
    Rule(
        "authorization",  # without a scheme, where it is a header for sure
        (b"authorization",),
        rb"(?:\bAuthorization|\bAUTHORIZATION|(?:-H\s*[\"']?|--header[ =][\"']?|(?m:^)[<>] )(?i:authorization))"
        + SAID_OR_PAIR
        + rb"([0-9A-Za-z._~+/=-]{16,})(?:[^0-9A-Za-z._~+/=:(\[{%-]|$)",
        _NO_KEY + rb"|(?i:AWS4-.*)",
        any_case=True,
    ),
    Rule(
        "authorization",
        (b"authorization",),
        rb"(?i)authorization" + SAID_OR_PAIR + rb"([0-9A-Za-z+/]{20,}={0,2})(?:[^0-9A-Za-z+/=._:(\[{%-]|$)",
        _NO_KEY,
        any_case=True,
    ),
    Rule(
        "api-key",
        (b"api-key", b"private-token", b"auth-token"),
        rb"(?i)(?:x-(?:goog-)?api-key|private-token|x-auth-token)" + SAID_OR_PAIR + rb"([0-9A-Za-z._~+/=-]{16,})",
        WORDS,
        any_case=True,
    ),
    Rule(
        "url-password",
        (b"@",),
        _LOGIN + rb"([^\s/?#\"'<>\\\[\]{}()|]{1,256})@[0-9A-Za-z\[_-]",
        rb"\*+|[xX]+|\.+|(?i:pass|passw(?:or)?d|pwd|pass_word)|%[sdv]|\$\w+|(?i:your[_-]?password)",
        unless_before=rb"@sha(?:256|512):",
    ),
    Rule(
        "url-password",  # with `/`, `?` or `#` in it: what begins with letters and digits is no port
        (b"@",),
        _LOGIN
        + rb"((?:[^\s/?#@\"'<>\\\[\]{}()|$%]*[A-Za-z][^\s/?#@\"'<>\\\[\]{}()|$%]*[0-9]|[0-9]+[^\s/?#@\"'<>\\\[\]{}()|$%0-9])"
        + rb"[^\s\"'<>\\\[\]{}()|]{0,256})@[0-9A-Za-z.-]+(?::[0-9]+)?(?:[/?\s\"'<>,;)\\]|$)",
        unless_before=rb"@sha(?:256|512):",
    ),
    *ASSIGNMENTS,
)
"""In the order in which they are said."""

ANCHORS: Final = (
    rb"(?i:secret_?(?:access_?)?key|session_?token|security-token|authorization|api-key|(?:private|auth)-token|(?:unt|ess|age|ary)[_-]?key[^0-9a-z])|"
    rb"gh[opusr]_|github_pat_|gl(?:pat|ptt|dt|rt|rtr|cbt|oas|soat|imt|agent|ft)-|A(?:KI|SI|BI|CC)A[0-9A-Z]{16}|xox[a-z]-|xapp-"
    rb"|hooks\.slack\.com|sk-|AIza|ya29\.|GOCSPX-|k_(?:live|test)_|whsec_|npm_|_authToken|pypi-AgE|hf_|SG\.|do[opr]_v1_|shp(?:at|ca|pa|ss)_"
    rb"|glsa_|hv[sbr]\.|dckr_|dapi[0-9a-f]|lin_(?:api|oauth)_|:AA|AGE-SECRET|eyJ|-----BEGIN |"
) + ASSIGNMENT_ANCHORS
"""One look for all of the anchors: where it finds nothing, and no URL with an `@`, there is no secret."""

PRIVATE_KEY: Final = "private-key"
KEY_HEAD: Final = rb"-----BEGIN (?:[0-9A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----"
"""RFC 7468 and OpenPGP: what follows, up to `-----END`, is the key."""
