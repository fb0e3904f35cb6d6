"""What secrets look like: one rule a kind, from the formats that issuers publish for their tokens (docs/adr/0013-secrets.md).

A rule costs nothing where none of its anchors stands. Its first group that took part is the secret; what stands round it stays.
No group takes white space, a quotation mark or a bracket, so that a mark can stand in its place in JSON and in a line, and is not
taken for a secret itself. Regular expressions are RE2 over bytes. The order counts: of two kinds for the same bytes the first is said.
"""

from dataclasses import dataclass
from typing import Final

_LEFT: Final = rb"(?:\b|\\[abfnrtv]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m)"
"""Where a token may begin: also behind an escape whose last letter looks like a part of it."""
_APART: Final = rb"(?:^|[^0-9A-Za-z+/_-]|\\[abfnrtv]|%[0-9A-Fa-f]{2}|\x1b\[[0-9;]*m)"
"""The same for prefixes that may stand by chance in base64."""
_QUOTES: Final = rb"(?:\\*[\"'])?"
_SAID: Final = rb"(?:\\*[\"'])?\s*(?:=>|[:=>])\s*(?:\\*[\"'])?"
"""Between a name and its value: `=`, `:`, in quotation marks or not, or the end of an XML tag."""
_BASE64URL: Final = rb"[0-9A-Za-z_-]"


@dataclass(frozen=True, slots=True)
class Rule:
    kind: str
    """Lower-case letters, digits and hyphens: what the mark says."""
    anchors: tuple[bytes, ...]
    """One of these stands in every match; in lower case where `any_case`."""
    pattern: bytes
    harmless: bytes | None = None
    """A secret that is this and nothing else is none: a placeholder, or words."""
    any_case: bool = False


_WORDS: Final = rb"[A-Z_.-]+|[a-z_.-]+|[A-Z]?[a-z]+[0-9]{0,3}"
"""Letters of one case are a word or a placeholder; what issuers make holds digits or both cases."""

RULES: Final = (
    Rule("github-token", (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"), _LEFT + rb"(gh[opusr]_[0-9A-Za-z_]{36,255})"),
    Rule("github-token", (b"github_pat_",), _LEFT + rb"(github_pat_[0-9A-Za-z_]{36,255})"),
    Rule(
        "gitlab-token",
        (b"glpat-", b"glptt-", b"gldt-", b"glrt-", b"glrtr-", b"glcbt-", b"gloas-", b"glsoat-", b"glimt-", b"glagent-", b"glft-"),
        _LEFT + rb"(gl(?:pat|ptt|dt|rt|rtr|cbt|oas|soat|imt|agent|ft)-" + _BASE64URL + rb"{20,300}(?:\.[0-9a-z]{2}\.[0-9a-z]{9})?)",
        rb"gl[a-z]+-[a-z_-]+",
    ),
    Rule("aws-key-id", (b"AKIA", b"ASIA", b"ABIA", b"ACCA"), _APART + rb"(A(?:KI|SI|BI|CC)A[0-9A-Z]{16})\b"),
    Rule(
        "aws-secret-key",
        (b"secret",),
        rb"(?i)(?:secret_?access_?key|aws_?secret_?key)" + _SAID + rb"((?:[0-9A-Za-z+]|\\?/){40})(?:[^0-9A-Za-z+/=]|$)",
        any_case=True,
    ),
    Rule(
        "aws-session-token",
        (b"sessiontoken", b"session_token", b"security-token"),
        rb"(?i)(?:aws_?session_?token|sessiontoken|amz-security-token)" + _SAID + rb"((?:[0-9A-Za-z+=]|\\?/|%[0-9A-Fa-f]{2}){100,})",
        any_case=True,
    ),
    Rule(
        "slack-token",
        (b"xox", b"xapp-"),
        _LEFT + rb"((?:xoxe\.)?xox[abceoprsd]-[0-9A-Za-z-]{10,}|xapp-[0-9]-[0-9A-Za-z-]{10,})",
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
        _LEFT + rb"(sk-(?:(?:proj|svcacct|admin|ant|or)-" + _BASE64URL + rb"{20,}|[0-9A-Za-z]{32,}))",
        rb"sk-[A-Z_-]+|sk-(?:[0-9a-z]{0,12}[_-])*[0-9a-z]{0,12}",
    ),
    Rule("google-api-key", (b"AIza",), _APART + rb"(AIza" + _BASE64URL + rb"{35})(?:[^0-9A-Za-z_-]|$)"),
    Rule("google-oauth", (b"ya29.",), _LEFT + rb"(ya29\.[0-9A-Za-z_.-]{20,})"),
    Rule("google-oauth", (b"GOCSPX-",), _LEFT + rb"(GOCSPX-" + _BASE64URL + rb"{28})"),
    Rule("stripe-key", (b"k_live_", b"k_test_"), _LEFT + rb"([sr]k_(?:live|test)_[0-9A-Za-z]{16,})"),
    Rule("webhook-secret", (b"whsec_",), _LEFT + rb"(whsec_[0-9A-Za-z+/=]{32,})"),
    Rule("npm-token", (b"npm_",), _LEFT + rb"(npm_[0-9A-Za-z]{36})\b"),
    Rule("npm-token", (b"_authToken",), rb"_authToken\s*=\s*\"?([0-9A-Za-z_.+/=-]{16,})", _WORDS),
    Rule("pypi-token", (b"pypi-AgE",), _LEFT + rb"(pypi-AgE" + _BASE64URL + rb"{50,})"),
    Rule("huggingface-token", (b"hf_",), _LEFT + rb"(hf_[0-9A-Za-z]{34})\b", rb"hf_(?:[a-z]+|[A-Z]+)"),
    Rule("sendgrid-key", (b"SG.",), _LEFT + rb"(SG\." + _BASE64URL + rb"{22}\." + _BASE64URL + rb"{43})"),
    Rule("digitalocean-token", (b"dop_v1_", b"doo_v1_", b"dor_v1_"), _LEFT + rb"(do[opr]_v1_[0-9a-f]{64})\b"),
    Rule("shopify-token", (b"shpat_", b"shpca_", b"shppa_", b"shpss_"), _LEFT + rb"(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})\b"),
    Rule("grafana-token", (b"glsa_",), _LEFT + rb"(glsa_[0-9A-Za-z]{32}_[0-9a-f]{8})\b"),
    Rule("vault-token", (b"hvs.", b"hvb.", b"hvr."), _LEFT + rb"(hv[sbr]\." + _BASE64URL + rb"{24,})"),
    Rule("docker-token", (b"dckr_",), _LEFT + rb"(dckr_(?:pat|oat)_" + _BASE64URL + rb"{27,})"),
    Rule("databricks-token", (b"dapi",), _LEFT + rb"(dapi[0-9a-f]{32}(?:-[0-9])?)\b"),
    Rule("linear-key", (b"lin_api_", b"lin_oauth_"), _LEFT + rb"(lin_(?:api|oauth)_[0-9A-Za-z]{40,})"),
    Rule("telegram-token", (b":AA",), rb"(?:/bot|" + _LEFT + rb")([0-9]{8,10}:AA" + _BASE64URL + rb"{33})(?:[^0-9A-Za-z_-]|$)"),
    Rule("azure-key", (b"AccountKey=", b"AccessKey="), rb"(?:Account|Access)Key=([0-9A-Za-z+/]{43,86}={1,2})"),
    Rule("age-key", (b"AGE-SECRET-KEY-1",), _LEFT + rb"(AGE-SECRET-KEY-1[0-9A-Z]{58})"),
    Rule(
        "jwt",
        (b"eyJ",),
        _APART + rb"(eyJ" + _BASE64URL + rb"{8,}\.(?:eyJ" + _BASE64URL + rb"{8,}\." + _BASE64URL + rb"{8,}"
        rb"|" + _BASE64URL + rb"*\." + _BASE64URL + rb"{8,}\." + _BASE64URL + rb"{8,}\." + _BASE64URL + rb"{8,}))",
    ),
    Rule(
        "authorization",
        (b"authorization",),
        rb"(?i)authorization" + _SAID + rb"(?:bearer|basic|token|bot|apikey|negotiate)(?:\s+|%20|\+)([0-9A-Za-z._~+/=-]{8,})",
        _WORDS,
        any_case=True,
    ),
    Rule(
        "api-key",
        (b"api-key", b"private-token", b"auth-token"),
        rb"(?i)(?:x-(?:goog-)?api-key|private-token|x-auth-token)" + _SAID + rb"([0-9A-Za-z._~+/=-]{16,})",
        _WORDS,
        any_case=True,
    ),
    Rule(
        "url-password",
        (b"@",),
        rb":(?:\\?/){2}[^\s/?#:@\"'<>\\\[\]{}()|]*:([^\s/?#@\"'<>\\\[\]{}()|]{1,256})@[0-9A-Za-z\[_-]",
        rb"\*+|[xX]+|\.+|(?i:pass|passw(?:or)?d|pwd|pass_word)|%[sdv]|\$\w+|(?i:your[_-]?password)",
    ),
)
"""In the order in which they are said."""

ANCHORS: Final = rb"(?i:secret_?(?:access_?)?key|session_?token|security-token|authorization|api-key|(?:private|auth)-token)|" + (
    rb"gh[opusr]_|github_pat_|gl(?:pat|ptt|dt|rt|rtr|cbt|oas|soat|imt|agent|ft)-|A(?:KI|SI|BI|CC)A[0-9A-Z]{16}|xox[a-z]-|xapp-"
    rb"|hooks\.slack\.com|sk-|AIza|ya29\.|GOCSPX-|k_(?:live|test)_|whsec_|npm_|_authToken|pypi-AgE|hf_|SG\.|do[opr]_v1_|shp(?:at|ca|pa|ss)_"
    rb"|glsa_|hv[sbr]\.|dckr_|dapi[0-9a-f]|lin_(?:api|oauth)_|:AA|Acc(?:ount|ess)Key=|AGE-SECRET|eyJ"
    rb"|/[^\s/@\"'<>]*:[^\s/@\"'<>]*@|-----BEGIN "
)
"""One look for all of the anchors: where it finds nothing there is no secret."""

PRIVATE_KEY: Final = "private-key"
KEY_HEAD: Final = rb"-----BEGIN (?:[0-9A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----"
"""RFC 7468 and OpenPGP: what follows, up to `-----END`, is the key."""
