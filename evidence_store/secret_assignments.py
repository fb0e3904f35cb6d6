"""Literal values of names that say that they are credentials: `DB_PASSWORD=…`, `"client_secret": "…"`, `--password …`, `?access_token=…`.

Such a value has no form of its own, so that more is asked of it: at least eight characters without white space, and none of what
stands there for want of a secret. How much may look like one depends on how sure it is that the value is a literal: in an
environment or in quotation marks it is; `password = user.password2` in a program is none.
"""

from dataclasses import dataclass
from typing import Final

from evidence_store.secret_forms import BLOCK, NAMED, Rule

_STATE: Final = (
    rb"(?:not|set|is|no|none|null|true|false|undefined|unset|empty|missing|required|optional|disabled|enabled|redacted|encrypted|generated"
    rb"|provided|unchanged|changed|password|passwd|passphrase|pwd|secret|token|key|api|example|placeholder|default|invalid|incorrect|masked"
    rb"|hidden|filtered|removed|sensitive|string|value|expired|here)"
)
_PLACEHOLDER: Final = (
    rb"(?i)(?s:"
    # Masked or left out, and what programs put something in the place of.
    rb"[*x._#?!+=~-]+|.*(?:\*\*\*|xxxx|\.\.\.|\xe2\x80\xa6|\xe2\x80\xa2).*|\$[a-z_]\w*|[$%#@!]?[\[{(<].*|%[\w()-]+%?|\*[a-z][\w-]*|![a-z:]+"
    rb"|(?:your|change|replace|insert|enter)(?:[_-]?[a-z]+)*[0-9!]{0,3}|" + _STATE + rb"(?:[_-]?" + _STATE + rb")*"
    # Where the value is kept, and values that are no secret whatever their name.
    rb"|(?:id|src|type|env|name|key)=.*|[a-z]{1,4}\[.*|[a-z][a-z0-9+.-]*://.*|(?:vault|secrets?|op|ssm|arn|urn|file|env|ref|keyring|kms|resolve|enc|data|sha[0-9]+|md5):.*"
    rb"|(?:[a-z]:|~|\.{1,2})?[/\\][\w.@/\\-]*[/\\.][\w.@/\\-]*|[0-9]{4}-[0-9]{2}-[0-9]{2}.*"
    rb")"
)
_LETTERS: Final = rb"[A-Za-z_./: -]*"
_NAME_OF_SOMETHING: Final = (
    rb"(?:(?i:oauth2|b64|base64|utf8|sha[0-9]+|md5|i18n|k8s|x509|p12|pbkdf2|s3|ec2|http2|ipv[46]|argon2|aes[0-9]*|p2p|e2e|rfc[0-9]+|v[0-9]+)"
    rb"|[A-Za-z]|[_./:@-]|[0-9]{1,3}[_./:@-])*[0-9]{0,3}"
)
"""Words, with small numbers behind them: `tls-cert-v2`, `user.password2`, `projects/12/secrets/db`."""
_NAME_IN_CODE: Final = (
    rb"(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?i:key|secret|token|passw(?:or)?d|passphrase)s?(?i:types?|field|hash|bytes|id|name|text)?[0-9_]{0,2}"
)
"""`ed25519.Ed25519PrivateKey`, which holds the name that stands before it."""
_NUMBER: Final = rb"[0-9.,_]+"


def _any(*harmless: bytes) -> bytes:
    return b"|".join(rb"(?:" + one + rb")" for one in harmless)


_SEPARATOR: Final = rb"(?:=>|:=|[:=])"
_BARE: Final = rb"[^\s\"'`<>{}()\[\]|,;&\\=:][^\s\"'`<>{}()\[\]|,;&\\]{7,}"
_BARE_END: Final = rb"(?:[\s\"'`<,;&)\]}|]|\\[nrt\"']|\x1b|$)"
_IN_QUOTES: Final = rb"b?(?:\"((?:[^\s\"{}<>\\]|\\\S){8,})\"|'((?:[^\s'{}<>\\]|\\\S|''){8,})'|\\+[\"']([^\s\"'{}<>\\]{8,})\\+[\"'])"


@dataclass(frozen=True, slots=True)
class _Names:
    """Names that say the same, and how they are spelt in an environment and as an option."""

    kind: str
    pattern: bytes
    in_environment: bytes
    anchors: tuple[bytes, ...]
    words_too: bool = False
    """Whether words may be a value, where it is sure that it is one; and words with numbers in quotation marks."""


_NAMES: Final = (
    _Names(
        "password",
        rb"(?:(?i:pass[_-]?(?:word|wd|phrase))|(?:^|[^0-9A-Za-z-])(?i:pwd)|[a-z]Pwd)",
        rb"(?:PASSWORD|PASSWD|PASSPHRASE|_PASS|PWD)",
        (b"pass", b"pwd"),
        words_too=True,
    ),
    _Names(
        "secret",
        rb"(?i:secret|(?:secret|private|encryption|signing|master|shared)[_-]?key)",
        rb"(?:SECRET|(?:SECRET|PRIVATE|ENCRYPTION|SIGNING|MASTER|SHARED)_?KEY)",
        (b"secret", b"key"),
    ),
    _Names(
        "token",
        rb"(?i:(?:access|refresh|auth|id|bearer|session|api|oauth2?|bot|private|personal|deploy|registration|secret)[_-]?token)",
        rb"(?:TOKEN)",
        (b"token",),
    ),
    _Names("api-key", rb"(?i:(?:api|subscription)[_-]?key)", rb"(?:API_?KEY|SUBSCRIPTION_KEY)", (b"key",)),
)


def _rules_of(names: _Names) -> tuple[Rule, ...]:
    kind, anchors, name = names.kind, names.anchors, names.pattern
    sure = _any(_PLACEHOLDER, _LETTERS) if names.words_too else _any(_PLACEHOLDER, _LETTERS, _NAME_OF_SOMETHING, _NAME_IN_CODE)
    query = rb"(?i:token|key)" if kind == "token" else name
    line = rb"(?m:^)[ \t]*(?:- )?[\w.-]*" + name + rb":[ \t]+" + BLOCK + rb"(" + _BARE + rb")[ \t]*\r?(?m:$)"
    stated = rb"|".join(
        (
            rb"\b[A-Z0-9_]*" + names.in_environment + rb"=(" + _BARE + rb")" + _BARE_END,
            rb"--?[\w-]*" + name + rb"(?:=|[ \t]+)[\"']?(" + _BARE + rb")" + _BARE_END,
            rb"[?&;](?:[\w.-]*" + name + rb"|" + query + rb")=(" + _BARE + rb")" + _BARE_END,
            rb"<[\w.:-]*" + name + rb">\s*(" + _BARE + rb")\s*<",
            line,
        )
    )
    bare = name + NAMED + rb"[ \t]*" + _SEPARATOR + rb"[ \t]*" + BLOCK + rb"(" + _BARE + rb")" + _BARE_END
    quoted = name + NAMED + rb"\s*" + _SEPARATOR + rb"\s*(?:[\[(]\s*)?" + _IN_QUOTES
    rules = [
        Rule(kind, anchors, quoted, sure, any_case=True),
        Rule(kind, anchors, stated, sure, any_case=True),
        Rule(kind, anchors, bare, _any(_PLACEHOLDER, _LETTERS, _NAME_OF_SOMETHING, _NAME_IN_CODE, _NUMBER), any_case=True),
    ]
    whole = rb"(?m:^)[ \t]*(?:(?:export|set|ENV|declare -x)[ \t]+)?[A-Z0-9_]*" + names.in_environment + rb"=[\"']?"
    value = rb"([^\s\"'`<>{}()\[\]=][^\s\"'`<>{}()\[\]]{7,})[\"']?[ \t]*\r?(?m:$)"
    rules.append(Rule(kind, anchors, whole + value, _any(_PLACEHOLDER) if names.words_too else sure, any_case=True))
    return tuple(rules)


_LOGIN_PLACEHOLDER: Final = (
    rb"(?i)\*+|x+|\.+|pass|passw(?:or)?d|pwd|secret|token|x-oauth-basic|%[sdv]|\$\w*|your[_-]?password|" + _PLACEHOLDER
)

ASSIGNMENTS: Final = (
    *(rule for names in _NAMES for rule in _rules_of(names)),
    Rule(
        "password",
        (b"curl",),
        rb"\bcurl(?:\.exe)?\b(?:[^|\n]|\\\r?\n)*?\s(?:-[A-Za-z]*[uU]|--(?:proxy-)?user)(?:[ =]|\s*)(?:\"[^\s\":]*:([^\s\"{}<>\[\]]+)\""
        rb"|'[^\s':]*:([^\s'{}<>\[\]]+)'|\\?[\"']?[^\s\"':\\-][^\s\"':\\]*:([^\s\"'{}<>()\[\]\\|;&]+))",
        _LOGIN_PLACEHOLDER,
    ),
    Rule(
        "password",  # of a registry, as docker and npm keep it
        (b"auth",),
        rb"(?:\\*\"auth\\*\"|\b_?auth)\s*[:=]\s*\\*[\"']?((?:[0-9A-Za-z+]|\\?/){4,}={0,2})(?:[^0-9A-Za-z+/=]|$)",
        is_pair=True,
    ),
)
"""Behind the rules of issuers' forms, which say more of what they find."""

_AFTER: Final = rb"(?:\\*[\"'])?\]?\s*(?:[:=>]|,?\s*\\*[\"']?(?i:value))"
_WORDS: Final = (
    rb"(?i:pass[_-]?(?:word|wd|phrase)|pwd|secret|(?:secret|private|encryption|signing|master|shared|api|subscription)[_-]?key|token)"
)
ASSIGNMENT_ANCHORS: Final = (
    _WORDS + _AFTER + rb"|-" + _WORDS + rb"[ \t]|_PASS=|[?&](?i:key)=|curl(?:\.exe)?[ \t]|(?:^|[\s\"_])auth[\"\\]*\s*[:=]"
)
