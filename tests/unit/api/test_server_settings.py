"""Settings of the server: the variable, else the default; what is wrong is refused, never passed over."""

import pytest

from api.errors import WrongUse
from api.server_settings import SERVER_VARIABLES, TOKEN_VARIABLES, ServerSettings, TokenSettings, read_server_settings
from evidence_store.access import Grant

NEEDED = {"EVIDENCE_STORE_OIDC_ISSUER": "i", "EVIDENCE_STORE_OIDC_AUDIENCE": "a", "EVIDENCE_STORE_OIDC_JWKS": "j"}


def test_without_a_variable_the_default_stands() -> None:
    assert read_server_settings({}) == ServerSettings()
    assert read_server_settings(dict.fromkeys([*SERVER_VARIABLES.values(), *TOKEN_VARIABLES.values()], "")) == ServerSettings()


def test_each_number_is_read() -> None:
    found = read_server_settings({"EVIDENCE_STORE_MAX_JSON_BYTES": "5", "EVIDENCE_STORE_REQUESTS_PER_S": "7"})
    assert (found.max_json_bytes, found.requests_per_s) == (5, 7)


@pytest.mark.parametrize("text", ["-1", "1.5", "x", "٣", "9" * 30])
def test_what_is_no_whole_number_is_refused(text: str) -> None:
    with pytest.raises(WrongUse, match="EVIDENCE_STORE_MAX_UPLOADS"):
        read_server_settings({"EVIDENCE_STORE_MAX_UPLOADS": text})


def test_tokens_need_issuer_audience_and_keys() -> None:
    assert read_server_settings(NEEDED).tokens == TokenSettings("i", "a", "j")
    for left_out in NEEDED:
        with pytest.raises(WrongUse, match=left_out):
            read_server_settings({name: value for name, value in NEEDED.items() if name != left_out})


def test_words_stand_for_grants() -> None:
    variable = "EVIDENCE_STORE_OIDC_GRANT_NAMES"
    found = read_server_settings({**NEEDED, variable: "readers=evidence:read, agents=evidence:read+claim:write"}).tokens
    assert found is not None
    assert found.grant_names == {"readers": {Grant.EVIDENCE_READ}, "agents": {Grant.EVIDENCE_READ, Grant.CLAIM_WRITE}}
    for text in ("readers", "readers=", "readers=all", "=evidence:read, x=+"):
        with pytest.raises(WrongUse, match=variable):
            read_server_settings({**NEEDED, variable: text})
